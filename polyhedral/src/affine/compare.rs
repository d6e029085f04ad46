//! Comparisons of functions: the sets of points, and the relations between points, at which they hold.
//!
//! `eq`, `ne`, `le`, `lt`, `ge`, `gt` compare single values; tuples are compared for equality or lexicographically. The
//! `_set` forms compare two functions of one point, the `_map` forms relate the points `x` of the arguments of the
//! first to the points `y` of the arguments of the second. Fractions are compared as they are.

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{self, Map, Set};
use crate::space::{Space, Tuple};

use super::{Aff, Expression, MultiAff, Piecewise, PwAff, PwMultiAff};

impl Aff {
    fn compare(&self, left: bool, other: &Aff, offset: i64, equality: bool) -> Result<Set> {
        let mut difference = if left {
            self.combine("compare", other, true)?
        } else {
            // The parameters of `self` come first also where `other` is greater.
            other.align_params(&self.space.align_params(&other.space)).combine("compare", self, true)?
        };
        // The numerator decides the sign: the denominator is positive.
        difference.row[0] += offset;
        let mut c = difference.as_conjunction();
        if !equality {
            for row in c.take_eqs() {
                c.add_ineq(row);
            }
        }
        Ok(Set::from_conjunction(c))
    }

    /// The points where both have the same value.
    pub fn eq_set(&self, other: &Aff) -> Result<Set> {
        self.compare(true, other, 0, true)
    }

    /// The points where the values differ (two disjoint conjunctions).
    pub fn ne_set(&self, other: &Aff) -> Result<Set> {
        self.lt_set(other)?.union(&self.gt_set(other)?)
    }

    /// The points where `self >= other`.
    pub fn ge_set(&self, other: &Aff) -> Result<Set> {
        self.compare(true, other, 0, false)
    }

    /// The points where `self > other`.
    pub fn gt_set(&self, other: &Aff) -> Result<Set> {
        self.compare(true, other, -1, false)
    }

    /// The points where `self <= other`.
    pub fn le_set(&self, other: &Aff) -> Result<Set> {
        self.compare(false, other, 0, false)
    }

    /// The points where `self < other`.
    pub fn lt_set(&self, other: &Aff) -> Result<Set> {
        self.compare(false, other, -1, false)
    }
}

/// A lexicographic comparison of tuples.
#[derive(Clone, Copy)]
struct Lexicographic {
    greater: bool,
    or_equal: bool,
}

impl MultiAff {
    fn check_comparable(&self, other: &MultiAff) -> Result<()> {
        if self.space().has_equal_tuples(other.space()) {
            return Ok(());
        }
        Err(relation::mismatch("compare", self.space(), other.space()))
    }

    fn arguments_with(&self, other: &MultiAff) -> Space {
        self.domain_space().align_params(other.space())
    }

    /// The points where all components are equal. Error: different tuples.
    pub fn eq_set(&self, other: &MultiAff, budget: &Budget) -> Result<Set> {
        self.check_comparable(other)?;
        let mut result = Set::universe(self.arguments_with(other));
        for (a, b) in self.affs().iter().zip(other.affs()) {
            result = result.intersect(&a.eq_set(b)?, budget)?;
        }
        Ok(result)
    }

    /// The points where some component differs; the conjunctions can overlap. Error: different tuples.
    pub fn ne_set(&self, other: &MultiAff) -> Result<Set> {
        self.check_comparable(other)?;
        let mut result = Set::empty(self.arguments_with(other));
        for (a, b) in self.affs().iter().zip(other.affs()) {
            result = result.union(&a.ne_set(b)?)?;
        }
        Ok(result)
    }

    fn lexicographic_set(&self, other: &MultiAff, order: Lexicographic, budget: &Budget) -> Result<Set> {
        self.check_comparable(other)?;
        let space = self.arguments_with(other);
        let mut result = Set::empty(space.clone());
        let mut prefix = Set::universe(space);
        for (a, b) in self.affs().iter().zip(other.affs()) {
            let strict = if order.greater { a.gt_set(b)? } else { a.lt_set(b)? };
            result = result.union(&prefix.intersect(&strict, budget)?)?;
            prefix = prefix.intersect(&a.eq_set(b)?, budget)?;
        }
        if order.or_equal { result.union(&prefix) } else { Ok(result) }
    }
}

macro_rules! lexicographic_methods {
    ($($set:ident, $map:ident, $greater:literal, $or_equal:literal, $text:literal;)*) => {
        impl MultiAff {$(
            #[doc = concat!("The points where `self ", $text, " other` lexicographically, as disjoint conjunctions. Error: different tuples.")]
            pub fn $set(&self, other: &MultiAff, budget: &Budget) -> Result<Set> {
                self.lexicographic_set(other, Lexicographic { greater: $greater, or_equal: $or_equal }, budget)
            }
        )*}

        impl PwMultiAff {$(
            #[doc = concat!("The points where both are defined and `self ", $text, " other` lexicographically. Error: different tuples.")]
            pub fn $set(&self, other: &PwMultiAff, budget: &Budget) -> Result<Set> {
                self.checked(other)?;
                self.compared(other, budget, |a, b| a.$set(b, budget))
            }

            #[doc = concat!("The pairs of points with `self(x) ", $text, " other(y)` lexicographically, where both are defined.")]
            pub fn $map(&self, other: &PwMultiAff, budget: &Budget) -> Result<Map> {
                on_pairs(self, other, |a, b| a.$set(b, budget))
            }
        )*}
    };
}

lexicographic_methods! {
    lex_lt_set, lex_lt_map, false, false, "<";
    lex_le_set, lex_le_map, false, true, "<=";
    lex_gt_set, lex_gt_map, true, false, ">";
    lex_ge_set, lex_ge_map, true, true, ">=";
}

macro_rules! value_methods {
    ($($set:ident, $map:ident, $text:literal;)*) => {
        impl PwAff {$(
            #[doc = concat!("The points where both are defined and `self ", $text, " other`. Error: different tuples.")]
            pub fn $set(&self, other: &PwAff, budget: &Budget) -> Result<Set> {
                self.checked(other)?;
                self.compared(other, budget, Aff::$set)
            }

            #[doc = concat!("The pairs of points with `self(x) ", $text, " other(y)`, where both are defined.")]
            pub fn $map(&self, other: &PwAff, budget: &Budget) -> Result<Map> {
                on_pairs(self, other, |a, b| a.$set(b, budget))
            }
        )*}
    };
}

value_methods! {
    eq_set, eq_map, "=";
    ne_set, ne_map, "!=";
    le_set, le_map, "<=";
    lt_set, lt_map, "<";
    ge_set, ge_map, ">=";
    gt_set, gt_map, ">";
}

impl PwAff {
    fn zero_like(&self) -> PwAff {
        PwAff::from_aff(Aff::zero(self.space().clone()))
    }

    /// The points where the value is zero.
    pub fn zero_set(&self, budget: &Budget) -> Result<Set> {
        self.eq_set(&self.zero_like(), budget)
    }

    /// The points where the value is defined and not zero.
    pub fn non_zero_set(&self, budget: &Budget) -> Result<Set> {
        self.ne_set(&self.zero_like(), budget)
    }

    /// The points where the value is positive.
    pub fn positive_set(&self, budget: &Budget) -> Result<Set> {
        self.gt_set(&self.zero_like(), budget)
    }

    /// The points where the value is zero or positive.
    pub fn non_negative_set(&self, budget: &Budget) -> Result<Set> {
        self.ge_set(&self.zero_like(), budget)
    }
}

impl PwMultiAff {
    /// The points where both are defined and equal. Error: different tuples.
    pub fn eq_set(&self, other: &PwMultiAff, budget: &Budget) -> Result<Set> {
        self.checked(other)?;
        self.compared(other, budget, |a, b| a.eq_set(b, budget))
    }

    /// The points where both are defined and some component differs. Error: different tuples.
    pub fn ne_set(&self, other: &PwMultiAff, budget: &Budget) -> Result<Set> {
        self.checked(other)?;
        self.compared(other, budget, MultiAff::ne_set)
    }

    /// The pairs of points with `self(x) = other(y)`, where both are defined.
    pub fn eq_map(&self, other: &PwMultiAff, budget: &Budget) -> Result<Map> {
        on_pairs(self, other, |a, b| a.eq_set(b, budget))
    }

    /// The pairs of points with `self(x) != other(y)`, where both are defined.
    pub fn ne_map(&self, other: &PwMultiAff, budget: &Budget) -> Result<Map> {
        on_pairs(self, other, |a, b| a.ne_set(b, budget))
    }
}

impl<E: Expression> Piecewise<E> {
    fn checked(&self, other: &Piecewise<E>) -> Result<()> {
        if self.space().has_equal_tuples(other.space()) {
            return Ok(());
        }
        Err(relation::mismatch("compare", self.space(), other.space()))
    }
}

/// The relation between the arguments of two functions that `f` makes of both over the pairs of arguments.
pub(super) fn on_pairs<E: Expression>(
    left: &Piecewise<E>,
    right: &Piecewise<E>,
    f: impl Fn(&Piecewise<E>, &Piecewise<E>) -> Result<Set>,
) -> Result<Map> {
    let (x, y) = (left.domain_space(), right.domain_space());
    if !x.is_set() || !y.is_set() {
        return Err(relation::mismatch("compare", left.space(), right.space()));
    }
    left.with_aligned(right, |left, right| {
        let pairs = Space::set_of(left.space(), Tuple::nest(x.range_tuple(), y.range_tuple()));
        let place = |function: &Piecewise<E>, offset: usize| {
            let arguments = function.domain_space();
            let params = arguments.offset(crate::space::DimKind::Out);
            let map: Vec<Option<usize>> =
                (0..arguments.n_col()).map(|c| Some(if c < params { c } else { c + offset })).collect();
            function.remapped(E::with_argument_space(function.space(), &pairs), &map)
        };
        f(&place(left, 0), &place(right, x.range_tuple().len()))?.unwrap()
    })
}
