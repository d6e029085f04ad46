//! The operators of an [`Int`]: `+`, `-`, `*`, negation, sums and products. All promote instead of overflowing.

use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use rug::Integer;

use super::Int;
use super::Repr::{Big, Small};

/// Implements one binary operator for all combinations of value and reference, and for a machine integer on the right.
macro_rules! binary {
    ($Op:ident, $op:ident, $OpAssign:ident, $op_assign:ident, $checked:ident) => {
        impl $Op<&Int> for &Int {
            type Output = Int;
            #[inline]
            fn $op(self, other: &Int) -> Int {
                match (&self.0, &other.0) {
                    (Small(a), Small(b)) => match a.$checked(*b) {
                        Some(v) => Int(Small(v)),
                        None => Int::from_big(Integer::from(*a).$op(*b)),
                    },
                    (Small(a), Big(b)) => Int::from_big(Integer::from((*a).$op(&**b))),
                    (Big(a), Small(b)) => Int::from_big(Integer::from((&**a).$op(*b))),
                    (Big(a), Big(b)) => Int::from_big(Integer::from((&**a).$op(&**b))),
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
binary!(Add, add, AddAssign, add_assign, checked_add);
binary!(Sub, sub, SubAssign, sub_assign, checked_sub);
binary!(Mul, mul, MulAssign, mul_assign, checked_mul);

impl Neg for &Int {
    type Output = Int;
    #[inline]
    fn neg(self) -> Int {
        match &self.0 {
            Small(v) => match v.checked_neg() {
                Some(n) => Int(Small(n)),
                None => Int(Big(Box::new(-Integer::from(*v)))),
            },
            // The negation of 2^63 fits in 64 bits.
            Big(v) => Int::from_big(Integer::from(-&**v)),
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
