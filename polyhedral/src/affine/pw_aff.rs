//! What only [`PwAff`] can do: products, rounding, minimum and maximum, conditions, indicator functions.

use crate::arith::{Int, Rational};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Map, Set};
use crate::space::Space;

use super::{Aff, MultiAff, PwAff, PwMultiAff};

impl PwAff {
    /// One expression on the whole space.
    pub fn from_aff(aff: Aff) -> PwAff {
        PwAff::total(aff)
    }

    /// Zero on the whole space.
    pub fn zero(space: Space) -> PwAff {
        PwAff::total(Aff::zero(space))
    }

    /// A constant on a set.
    pub fn constant_on(set: &Set, value: &Rational) -> PwAff {
        let mut result = PwAff::empty(set.space().clone());
        result.push(set.clone(), Aff::constant_fraction(set.space().clone(), value));
        result
    }

    /// One on the points of a set, zero elsewhere.
    pub fn indicator(set: &Set, budget: &Budget) -> Result<PwAff> {
        let one = PwAff::constant_on(set, &Rational::from(1));
        one.or_else(&PwAff::constant_on(&set.complement(budget)?, &Rational::zero()), budget)
    }

    /// Applies a function, which must keep the space, to every piece.
    pub fn map_affs(&self, f: impl Fn(&Aff) -> Aff) -> PwAff {
        self.map_pieces(f)
    }

    /// The product, where both are defined. Error: a pair of pieces that meet has no constant.
    pub fn mul(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        self.combined("multiply", other, budget, Aff::mul)
    }

    /// The quotient, a rational value, where both are defined. Error: a divisor is not a constant other than zero.
    pub fn div(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        self.combined("divide", other, budget, Aff::div)
    }

    /// The quotient rounded towards zero, where both are defined. Error: a divisor is not a constant other than zero.
    pub fn tdiv_q(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        let quotient = self.div(other, budget)?;
        let zero = Aff::zero(quotient.space().clone());
        let mut result = PwAff::empty(quotient.space().clone());
        for (set, aff) in quotient.pieces() {
            for (condition, value) in [(aff.ge_set(&zero)?, aff.floor()), (aff.lt_set(&zero)?, aff.ceil())] {
                let part = set.intersect(&condition, budget)?;
                if !part.is_empty(budget)? {
                    result.push(part, value);
                }
            }
        }
        Ok(result)
    }

    /// The remainder `self - other * tdiv_q(self, other)`, which has the sign of `self`. Errors as there.
    pub fn tdiv_r(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        let multiple = self.tdiv_q(other, budget)?.mul(other, budget)?;
        self.sub(&multiple, budget)
    }

    /// `floor(self / divisor)`. Panics if `divisor` is not positive.
    pub fn floor_div(&self, divisor: &Int) -> PwAff {
        self.map_pieces(|aff| aff.floor_div(divisor))
    }

    /// `self - modulus * floor(self / modulus)`, in `[0, modulus)`. Error: the modulus is not positive.
    pub fn rem(&self, modulus: &Int) -> Result<PwAff> {
        self.try_map(self.space().clone(), |aff| aff.rem(modulus))
    }

    /// The sum with an integer.
    pub fn add_constant(&self, value: &Int) -> PwAff {
        self.map_pieces(|aff| aff.add_constant(value))
    }

    fn extremum(&self, other: &PwAff, maximum: bool, budget: &Budget) -> Result<PwAff> {
        let space = self.space().align_params(other.space());
        if !self.space().has_equal_tuples(other.space()) {
            return Err(crate::relation::mismatch("compare", self.space(), other.space()));
        }
        self.pairwise(other, &space, budget, |a, b| {
            let difference = a.sub(b)?;
            if let Some(constant) = difference.constant_rational() {
                let first = if maximum { constant.signum() >= 0 } else { constant.signum() <= 0 };
                return Ok(vec![(None, if first { a.clone() } else { b.clone() })]);
            }
            Ok(if maximum {
                vec![(Some(a.ge_set(b)?), a.clone()), (Some(a.lt_set(b)?), b.clone())]
            } else {
                vec![(Some(a.le_set(b)?), a.clone()), (Some(a.gt_set(b)?), b.clone())]
            })
        })
    }

    /// The smaller value, where both are defined.
    pub fn min(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        self.extremum(other, false, budget)
    }

    /// The greater value, where both are defined.
    pub fn max(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        self.extremum(other, true, budget)
    }

    /// The smaller value where both are defined, the value of one where only one is.
    pub fn union_min(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        self.union_of("compare", other, budget, |a, b| a.min(b, budget))
    }

    /// The greater value where both are defined, the value of one where only one is.
    pub fn union_max(&self, other: &PwAff, budget: &Budget) -> Result<PwAff> {
        self.union_of("compare", other, budget, |a, b| a.max(b, budget))
    }

    /// The value of `then` where `condition` is defined and not zero, of `otherwise` where it is zero.
    pub fn select(condition: &PwAff, then: &PwAff, otherwise: &PwAff, budget: &Budget) -> Result<PwAff> {
        let then = then.intersect_domain(&condition.non_zero_set(budget)?, budget)?;
        let otherwise = otherwise.intersect_domain(&condition.zero_set(budget)?, budget)?;
        then.or_else(&otherwise, budget)
    }

    /// The value of `then` at the points of `set`, of `otherwise` elsewhere.
    pub fn select_in(set: &Set, then: &PwAff, otherwise: &PwAff, budget: &Budget) -> Result<PwAff> {
        let then = then.intersect_domain(set, budget)?;
        then.or_else(&otherwise.subtract_domain(set, budget)?, budget)
    }

    /// Whether every piece has a constant value, as far as the normal form shows.
    pub fn is_constant(&self) -> bool {
        self.pieces().iter().all(|(_, aff)| aff.is_constant())
    }

    /// The value at the point `[params | dims]`; nothing outside the domain or where it is not an integer.
    pub fn eval(&self, point: &[Int], budget: &Budget) -> Result<Option<Int>> {
        let value = self.eval_rational(point, budget)?;
        Ok(value.filter(Rational::is_integer).map(|v| v.numerator().clone()))
    }

    /// The value at the point `[params | dims]`; nothing outside the domain.
    pub fn eval_rational(&self, point: &[Int], budget: &Budget) -> Result<Option<Rational>> {
        Ok(self.values(point, budget)?.and_then(|mut values| values.pop()))
    }

    /// The same function with a tuple of one unnamed dimension as result.
    pub fn to_pw_multi_aff(&self) -> Result<PwMultiAff> {
        let total = MultiAff::from_aff(Aff::zero(self.space().clone()));
        self.try_map(total.space().clone(), |aff| Ok(MultiAff::from_aff(aff.clone())))
    }

    /// The graph as a relation to one unnamed dimension. Points where the value is not an integer have no image. For a
    /// function of only the parameters: from the empty unnamed tuple.
    pub fn to_map(&self, budget: &Budget) -> Result<Map> {
        if self.space().is_params() {
            let arguments = Space::set_of(self.space(), crate::space::Tuple::anonymous(0));
            return self.with_space(&arguments)?.to_map(budget);
        }
        self.to_pw_multi_aff()?.to_map(budget)
    }

    /// The single expression on the whole space. Error: there are other pieces or conditions.
    pub fn to_aff(&self) -> Result<Aff> {
        self.as_total().cloned().ok_or_else(|| Error::WrongShape {
            operation: "form a total expression",
            space: self.space().clone(),
            expected: "the space of a function with one piece and no conditions",
        })
    }
}
