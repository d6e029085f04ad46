//! The operators of an [`Int`]: `+`, `-`, `*`, negation, sums and products. All promote instead of overflowing.

use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use rug::Integer;

use super::Int;
use super::word::View::{Big, Small};
use super::word::Word;

/// Implements one binary operator for all combinations of value and reference, and for a machine integer on the right.
macro_rules! binary {
    ($Op:ident, $op:ident, $OpAssign:ident, $op_assign:ident) => {
        impl $Op<&Int> for &Int {
            type Output = Int;
            #[inline]
            fn $op(self, other: &Int) -> Int {
                /// What does not fit in words.
                #[cold]
                fn large(a: &Int, b: &Int) -> Int {
                    Int::from_big(match (a.view(), b.view()) {
                        (Small(a), Small(b)) => Integer::from(a).$op(b),
                        (Small(a), Big(b)) => Integer::from(a.$op(b)),
                        (Big(a), Small(b)) => Integer::from(a.$op(b)),
                        (Big(a), Big(b)) => Integer::from(a.$op(b)),
                    })
                }
                match Word::$op(&self.0, &other.0) {
                    Some(result) => Int(result),
                    None => large(self, other),
                }
            }
        }
        impl $Op<Int> for Int {
            type Output = Int;
            #[inline]
            fn $op(self, other: Int) -> Int {
                (&self).$op(&other)
            }
        }
        impl $Op<&Int> for Int {
            type Output = Int;
            #[inline]
            fn $op(self, other: &Int) -> Int {
                (&self).$op(other)
            }
        }
        impl $Op<Int> for &Int {
            type Output = Int;
            #[inline]
            fn $op(self, other: Int) -> Int {
                self.$op(&other)
            }
        }
        impl $Op<i64> for &Int {
            type Output = Int;
            #[inline]
            fn $op(self, other: i64) -> Int {
                self.$op(&Int::new(other))
            }
        }
        impl $Op<i64> for Int {
            type Output = Int;
            #[inline]
            fn $op(self, other: i64) -> Int {
                (&self).$op(&Int::new(other))
            }
        }
        impl $OpAssign<&Int> for Int {
            #[inline]
            fn $op_assign(&mut self, other: &Int) {
                *self = (&*self).$op(other);
            }
        }
        impl $OpAssign<Int> for Int {
            #[inline]
            fn $op_assign(&mut self, other: Int) {
                *self = (&*self).$op(&other);
            }
        }
        impl $OpAssign<i64> for Int {
            #[inline]
            fn $op_assign(&mut self, other: i64) {
                *self = (&*self).$op(&Int::new(other));
            }
        }
    };
}
binary!(Add, add, AddAssign, add_assign);
binary!(Sub, sub, SubAssign, sub_assign);
binary!(Mul, mul, MulAssign, mul_assign);

impl Neg for &Int {
    type Output = Int;
    #[inline]
    fn neg(self) -> Int {
        match self.0.neg() {
            Some(result) => Int(result),
            None => Int::from_big(-self.to_big()),
        }
    }
}

impl Neg for Int {
    type Output = Int;
    #[inline]
    fn neg(self) -> Int {
        -&self
    }
}

impl Sum for Int {
    fn sum<I: Iterator<Item = Int>>(iter: I) -> Int {
        iter.fold(Int::zero(), |acc, x| acc + x)
    }
}

impl<'a> Sum<&'a Int> for Int {
    fn sum<I: Iterator<Item = &'a Int>>(iter: I) -> Int {
        iter.fold(Int::zero(), |acc, x| acc + x)
    }
}

impl Product for Int {
    fn product<I: Iterator<Item = Int>>(iter: I) -> Int {
        iter.fold(Int::one(), |acc, x| acc * x)
    }
}

impl<'a> Product<&'a Int> for Int {
    fn product<I: Iterator<Item = &'a Int>>(iter: I) -> Int {
        iter.fold(Int::one(), |acc, x| acc * x)
    }
}
