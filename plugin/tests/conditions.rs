//! What the equalities of a condition say about polynomials.

use tessera::formula::condition::Dnf;
use tessera::formula::poly::{Poly, Sym};

fn iv(index: usize) -> Poly {
    Poly::symbol(Sym::Iv(index))
}

fn param(index: usize) -> Poly {
    Poly::symbol(Sym::Param(index))
}

#[test]
fn a_product_is_zero_where_a_factor_is() {
    let product = iv(0).mul(&param(0)).unwrap();
    let first = Dnf::eq(&iv(0), &Poly::zero()).unwrap();
    assert!(first.makes_zero(&product));
    let second = Dnf::eq(&iv(0), &Poly::one()).unwrap();
    assert!(!second.makes_zero(&product));
    assert!(!first.or(&second).unwrap().makes_zero(&product));
    assert!(!Dnf::always().makes_zero(&product));
}

#[test]
fn two_inequalities_make_an_equality() {
    let both = Dnf::le(&iv(0), &iv(1)).unwrap().and(&Dnf::le(&iv(1), &iv(0)).unwrap()).unwrap();
    let difference = iv(0).mul(&param(0)).unwrap().sub(&iv(1).mul(&param(0)).unwrap()).unwrap();
    assert!(both.makes_zero(&difference));
    assert!(!Dnf::le(&iv(0), &iv(1)).unwrap().makes_zero(&difference));
}

#[test]
fn equalities_are_used_one_after_the_other() {
    // i == j and j == 2 n: i - 2 n is zero, i - n is not.
    let twice = param(0).scale(2).unwrap();
    let both = Dnf::eq(&iv(0), &iv(1)).unwrap().and(&Dnf::eq(&iv(1), &twice).unwrap()).unwrap();
    assert!(both.makes_zero(&iv(0).sub(&twice).unwrap()));
    assert!(!both.makes_zero(&iv(0).sub(&param(0)).unwrap()));
}
