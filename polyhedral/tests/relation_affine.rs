//! Quasi-affine functions against their values at points.

use crate::relation_support::{budget, ints, points};
use proptest::prelude::*;
use tessera_polyhedral::affine::{Aff, MultiAff, PwAff};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::space::Space;

/// A way to build an expression over `[n] -> S[i, j]`.
#[derive(Clone, Debug)]
enum Build {
    Number(i64),
    Var(usize),
    Add(Box<Build>, Box<Build>),
    Sub(Box<Build>, Box<Build>),
    Scale(i64, Box<Build>),
    FloorDiv(Box<Build>, i64),
    CeilDiv(Box<Build>, i64),
    Rem(Box<Build>, i64),
}

impl Build {
    fn aff(&self, space: &Space) -> Aff {
        match self {
            Build::Number(c) => Aff::constant(space.clone(), &Int::from(*c)),
            Build::Var(0) => Aff::param_named(space.clone(), "n").unwrap(),
            Build::Var(k) => Aff::var(space.clone(), k - 1).unwrap(),
            Build::Add(a, b) => a.aff(space).add(&b.aff(space)).unwrap(),
            Build::Sub(a, b) => a.aff(space).sub(&b.aff(space)).unwrap(),
            Build::Scale(c, a) => a.aff(space).scale(&Int::from(*c)),
            Build::FloorDiv(a, d) => a.aff(space).floor_div(&Int::from(*d)),
            Build::CeilDiv(a, d) => a.aff(space).ceil_div(&Int::from(*d)),
            Build::Rem(a, d) => a.aff(space).rem(&Int::from(*d)).unwrap(),
        }
    }

    fn eval(&self, p: &[i64]) -> i64 {
        match self {
            Build::Number(c) => *c,
            Build::Var(k) => p[*k],
            Build::Add(a, b) => a.eval(p) + b.eval(p),
            Build::Sub(a, b) => a.eval(p) - b.eval(p),
            Build::Scale(c, a) => c * a.eval(p),
            Build::FloorDiv(a, d) => a.eval(p).div_euclid(*d),
            Build::CeilDiv(a, d) => -(-a.eval(p)).div_euclid(*d),
            Build::Rem(a, d) => a.eval(p).rem_euclid(*d),
        }
    }
}

fn build() -> impl Strategy<Value = Build> {
    let leaf = prop_oneof![(-9i64..10).prop_map(Build::Number), (0usize..3).prop_map(Build::Var)];
    leaf.prop_recursive(5, 24, 2, |inner| {
        let two = (inner.clone(), inner.clone());
        let with = (inner.clone(), 1i64..8);
        prop_oneof![
            two.clone().prop_map(|(a, b)| Build::Add(Box::new(a), Box::new(b))),
            two.prop_map(|(a, b)| Build::Sub(Box::new(a), Box::new(b))),
            (-5i64..6, inner).prop_map(|(c, a)| Build::Scale(c, Box::new(a))),
            with.clone().prop_map(|(a, d)| Build::FloorDiv(Box::new(a), d)),
            with.clone().prop_map(|(a, d)| Build::CeilDiv(Box::new(a), d)),
            with.prop_map(|(a, d)| Build::Rem(Box::new(a), d)),
        ]
    })
}

fn space() -> Space {
    Space::set(&Space::params(&["n"]), "S", &["i", "j"])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn expressions_have_the_right_values(a in build(), b in build()) {
        let (x, y) = (a.aff(&space()), b.aff(&space()));
        let (eq, le, lt, ne) =
            (x.eq_set(&y).unwrap(), x.le_set(&y).unwrap(), x.lt_set(&y).unwrap(), x.ne_set(&y).unwrap());
        let read = Aff::parse(&x.to_string(), &budget()).unwrap();
        prop_assert_eq!(&read, &x, "printed {}", x);
        let pairs = MultiAff::new(Space::map(&space(), &Space::set(&space(), "T", &["p", "q"])), vec![x.clone(), y]).unwrap();
        let graph = pairs.to_map().unwrap();
        for p in points(3, -4, 4) {
            let (u, v) = (a.eval(&p), b.eval(&p));
            prop_assert_eq!(x.eval(&ints(&p)), Some(Int::from(u)), "{} at {:?}", x, p);
            let member = |s: &tessera_polyhedral::relation::Set| s.contains(&ints(&p), &budget()).unwrap();
            prop_assert_eq!((member(&eq), member(&le), member(&lt), member(&ne)), (u == v, u <= v, u < v, u != v));
            let mut q = p.clone();
            q.extend([u, v]);
            prop_assert!(graph.contains(&ints(&q), &budget()).unwrap());
            q[3] += 1;
            prop_assert!(!graph.contains(&ints(&q), &budget()).unwrap());
        }
    }

    #[test]
    fn substitution_composes(a in build(), f in build(), g in build()) {
        let function = MultiAff::new(Space::map(&space(), &space()), vec![f.aff(&space()), g.aff(&space())]).unwrap();
        let composed = a.aff(&space()).pullback(&function).unwrap();
        for p in points(3, -2, 3) {
            let q = [p[0], f.eval(&p), g.eval(&p)];
            prop_assert_eq!(composed.eval(&ints(&p)), Some(Int::from(a.eval(&q))));
        }
    }

    #[test]
    fn piecewise_minimum_and_maximum(a in build(), b in build()) {
        let (x, y) = (PwAff::from_aff(a.aff(&space())), PwAff::from_aff(b.aff(&space())));
        let (least, greatest) = (x.min(&y, &budget()).unwrap(), x.max(&y, &budget()).unwrap());
        let sum = least.add(&greatest, &budget()).unwrap();
        let graph = least.to_map(&budget()).unwrap();
        for p in points(3, -2, 2) {
            let (u, v) = (a.eval(&p), b.eval(&p));
            let value = |f: &PwAff| f.eval(&ints(&p), &budget()).unwrap();
            prop_assert_eq!(value(&least), Some(Int::from(u.min(v))));
            prop_assert_eq!(value(&greatest), Some(Int::from(u.max(v))));
            prop_assert_eq!(value(&sum), Some(Int::from(u + v)));
            let mut q = p.clone();
            q.push(u.min(v));
            prop_assert!(graph.contains(&ints(&q), &budget()).unwrap());
        }
        prop_assert!(graph.is_single_valued(&budget()).unwrap());
    }
}

#[test]
fn rational_values_are_only_integers_where_they_are() {
    let half = Aff::var(space(), 0).unwrap().scale_down(&Int::from(2));
    assert_eq!(half.eval(&ints(&[0, 4, 0])), Some(Int::from(2)));
    assert_eq!(half.eval(&ints(&[0, 3, 0])), None);
    let graph = MultiAff::new(Space::map(&space(), &Space::set(&space(), "", &["o"])), vec![half]).unwrap();
    assert_eq!(graph.to_map().unwrap().to_string(), "[n] -> { S[i, j] -> [o] : 2o = i }");
}
