//! Divisions by parameters, and comparisons of products that a parameter divides.
//!
//! The chunks of a slice are counted by `len / n` and walked by `len -= n` while `len >= n`. With `len = i * n` or
//! `len = m - i * n` these are quotients of polynomials: `(d * q + r) / d` is `q + r / d`, whatever `q` is, as long as `d` is
//! positive, and `r / d` is a parameter if `r` is one.
//!
//! Invariant: every divisor is assumed to be positive at the place that is asked about.

use super::{ProgramPoint, Reader, Surroundings, UNLIMITED, is_foreign, signed_range, unsigned_range};
use crate::formula::condition::Dnf;
use crate::formula::poly::{Monomial, Poly, Sym};
use crate::host::{Scev, ScevKind};
use crate::reasons::Reason;
use std::cmp::Ordering;

/// Facts about quotients with more alternatives than that are not added to.
const MOST_ALTERNATIVES: usize = 4;

/// A polynomial as `divisor * quotient + rest`.
struct Division {
    quotient: Poly,
    rest: Poly,
}

/// Divides term by term; the constant term as far as a constant divisor goes into it.
fn divide(poly: &Poly, factor: i128, divisor: &Monomial) -> Option<Division> {
    let (mut quotient, mut rest) = (Poly::zero(), Poly::zero());
    for (monomial, coefficient) in poly.terms() {
        let mut cofactor = monomial.clone();
        let mut contained = true;
        for symbol in divisor {
            match cofactor.iter().position(|other| other == symbol) {
                Some(position) => drop(cofactor.remove(position)),
                None => contained = false,
            }
        }
        let (whole, left) = match contained {
            true if coefficient % factor == 0 => (coefficient / factor, 0),
            true if monomial.is_empty() => (coefficient.div_euclid(factor), coefficient.rem_euclid(factor)),
            _ => (0, coefficient),
        };
        quotient = quotient.add(&Poly::term(cofactor, whole)?)?;
        rest = rest.add(&Poly::term(monomial.clone(), left)?)?;
    }
    Some(Division { quotient, rest })
}

/// A parameter that a polynomial consists of.
fn single(poly: &Poly) -> Option<usize> {
    let mut terms = poly.terms();
    match (terms.next()?, terms.next()) {
        ((monomial, 1), None) => match monomial.as_slice() {
            [Sym::Param(index)] => Some(*index),
            _ => None,
        },
        _ => None,
    }
}

/// The products of parameters that may leave an affine expression when they are divided out.
fn divisors(poly: &Poly) -> Vec<Monomial> {
    let is_param = |symbol: &Sym| matches!(symbol, Sym::Param(_));
    let product = poly.terms().map(|(monomial, _)| monomial).find(|monomial| monomial.len() > 1);
    let whole: Monomial = product.into_iter().flatten().copied().filter(is_param).collect();
    let parts: Vec<Monomial> = whole.iter().map(|symbol| vec![*symbol]).collect();
    std::iter::once(whole).chain(parts).filter(|divisor| !divisor.is_empty()).collect()
}

impl Reader<'_, '_> {
    /// An unsigned quotient rounded down. One that is known before the region is a parameter of its own, unless it is a
    /// polynomial of others.
    pub(super) fn quotient(
        &mut self,
        scev: Scev,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        let mark = self.mark();
        let known = self.is_computable_before(scev, region);
        match self.divided_out(scev, known, place, region) {
            Err(_) if known => {
                self.reset(mark);
                self.param(scev, region)
            }
            found => found,
        }
    }

    /// What parameters that are quotients by constants say about what was divided. Rows of `(w - s) / 2 + 1` places, with a counter that the compiler bounds by
    /// `2 * i <= w - s`: only with `2 * p <= w - s < 2 * p + 2` it is known that `i <= p`. What cannot be said is left out.
    pub fn quotients(&mut self, region: &impl Surroundings) -> Dnf {
        let mut known = Dnf::always();
        for index in 0..self.keys.len() {
            if let Some(one) = self.is_quotient(index, region)
                && let Ok(both) = known.and(&one)
            {
                known = both;
            }
            if known.disjuncts().len() > MOST_ALTERNATIVES {
                break;
            }
        }
        known
    }

    /// `divisor * p <= dividend < divisor * p + divisor` for a parameter. Nothing is said where the dividend is no number without sign of its width: the program divides its
    /// residue.
    fn is_quotient(&mut self, param: usize, region: &impl Surroundings) -> Option<Dnf> {
        let key = self.keys[param];
        let operands = key.operands();
        let (ScevKind::UDiv, [dividend, divisor]) = (key.kind(), operands.as_slice()) else { return None };
        let divisor = divisor.constant().filter(|divisor| *divisor > 1)?;
        // What is extended without a sign is the residue of a narrower number.
        let number = match dividend.kind() {
            ScevKind::ZeroExtend => self.inner(*dividend).ok()?,
            _ => *dividend,
        };
        let dividend = self.read_known(|reader| reader.poly(number, ProgramPoint::Before, region));
        let dividend = dividend.filter(Poly::is_affine)?;
        let rest = dividend.sub(&Poly::symbol(Sym::Param(param)).scale(divisor)?)?;
        let zero = Poly::zero();
        let mut known = Dnf::le(&zero, &rest).ok()?.and(&Dnf::lt(&rest, &Poly::constant(divisor)?).ok()?).ok()?;
        let (_, largest) = unsigned_range(self.host.scev_bits(number));
        let (least, greatest) = self.bounds(&dividend);
        if least < 0 {
            known = known.or(&Dnf::lt(&dividend, &zero).ok()?).ok()?;
        }
        if greatest > largest {
            known = known.or(&Dnf::lt(&Poly::constant(largest)?, &dividend).ok()?).ok()?;
        }
        Some(known)
    }

    fn divided_out(
        &mut self,
        scev: Scev,
        exactly: bool,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        let operands = scev.operands();
        let [dividend, divisor] = operands.as_slice() else { return Err(Reason::Scalar) };
        if exactly && divisor.constant().is_none() {
            return Err(Reason::Scalar);
        }
        let by = self.poly(*divisor, place, region)?;
        let mut terms = by.terms();
        let (Some((monomial, factor)), None) = (terms.next(), terms.next()) else { return Err(Reason::Scalar) };
        let monomial = monomial.clone();
        if factor < 1 || monomial.iter().any(|symbol| matches!(symbol, Sym::Iv(_))) {
            return Err(Reason::Scalar);
        }
        let value = self.unsigned(*dividend, place, region)?;
        let Division { quotient, rest } = divide(&value, factor, &monomial).ok_or(Reason::TooLarge)?;
        self.assume_positive(&monomial, place);
        // A product of parameters must be what the program divides by.
        let (_, largest) = signed_range(self.host.scev_bits(*divisor));
        self.assume_range(&by, (1, largest), place);
        if monomial.is_empty() && rest.as_constant().is_some_and(|rest| (0..factor).contains(&rest)) {
            return Ok(quotient);
        }
        if rest == Poly::zero() {
            return Ok(quotient);
        }
        if exactly || factor != 1 || monomial.is_empty() || !rest.is_affine() {
            return Err(Reason::Scalar);
        }
        let more = self.floor(&rest, &monomial, place, region).map_err(|reason| match reason {
            Reason::Condition => Reason::Scalar,
            other => other,
        })?;
        quotient.add(&more).ok_or(Reason::TooLarge)
    }

    /// A parameter divided by an expression, as a parameter.
    fn part(
        &mut self,
        param: usize,
        by: Scev,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        let dividend = self.keys[param];
        let bits = self.host.scev_bits(dividend);
        self.assume_range(&Poly::symbol(Sym::Param(param)), unsigned_range(bits), place);
        let quotient = self.host.quotient(dividend, by).ok_or(Reason::Scalar)?;
        if quotient.kind() == ScevKind::Constant {
            return Err(Reason::Scalar);
        }
        self.unsigned_param(quotient, place, region)
    }

    fn assume_positive(&mut self, monomial: &Monomial, place: ProgramPoint) {
        for symbol in monomial {
            let Sym::Param(index) = symbol else { continue };
            let (_, largest) = signed_range(self.params[*index].bits);
            self.assume_range(&Poly::symbol(*symbol), (1, largest), place);
        }
    }

    /// An affine expression that is negative exactly where `poly` is: `poly` itself, or what is left when a product of parameters is
    /// divided out. They need not be zero together.
    pub(super) fn affine_margin(
        &mut self,
        poly: &Poly,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        if poly.is_affine() {
            return Ok(poly.clone());
        }
        for divisor in divisors(poly) {
            let Some(Division { quotient, rest }) = divide(poly, 1, &divisor) else { continue };
            if !quotient.is_affine() || !rest.is_affine() {
                continue;
            }
            let mark = self.mark();
            self.assume_positive(&divisor, place);
            let floor = self.floor(&rest, &divisor, place, region);
            match floor.and_then(|floor| quotient.add(&floor).ok_or(Reason::TooLarge)) {
                Ok(margin) => return Ok(margin),
                Err(_) => self.reset(mark),
            }
        }
        Err(Reason::Condition)
    }

    /// An affine expression that is zero exactly where `poly` is.
    pub(super) fn same_zeros(&mut self, poly: &Poly, place: ProgramPoint) -> Result<Poly, Reason> {
        if poly.is_affine() {
            return Ok(poly.clone());
        }
        for divisor in divisors(poly) {
            let division = divide(poly, 1, &divisor);
            if let Some(Division { quotient, .. }) = division.filter(|division| division.rest == Poly::zero())
                && quotient.is_affine()
            {
                self.assume_positive(&divisor, place);
                return Ok(quotient);
            }
        }
        Err(Reason::Condition)
    }

    /// A product of parameters as one expression.
    fn product(&self, parameters: &Monomial) -> Option<Scev> {
        let mut product = None;
        for symbol in parameters {
            let Sym::Param(index) = symbol else { return None };
            let factor = *self.keys.get(*index)?;
            product = Some(product.map_or(Some(factor), |product| self.host.product(product, factor))?);
        }
        product
    }

    /// `rest / divisor` rounded down. Where that depends on more than a parameter, the remainder of the parameter is assumed to be so
    /// small that it decides nothing: in rows of `n`, what follows element `j` of the first row ends with the last row.
    fn floor(
        &mut self,
        rest: &Poly,
        divisor: &Monomial,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        let zero_or_less = |number: i128| Poly::constant(number).ok_or(Reason::TooLarge);
        match rest.as_constant() {
            Some(number @ (0 | -1)) => return zero_or_less(number),
            Some(number) => {
                let by = Poly::term(divisor.clone(), 1).ok_or(Reason::TooLarge)?;
                let beyond = Poly::constant(if number < 0 { number } else { -1 - number });
                let left = beyond.and_then(|beyond| by.add(&beyond)).ok_or(Reason::TooLarge)?;
                self.assume_range(&left, (0, UNLIMITED), place);
                return zero_or_less(if number < 0 { -1 } else { 0 });
            }
            None => {}
        }
        let scev = self.product(divisor).ok_or(Reason::Condition)?;
        let by = Poly::term(divisor.clone(), 1).ok_or(Reason::TooLarge)?;
        if divisor.len() > 1 {
            // A product of parameters must be what is computed before the nest.
            let (_, largest) = signed_range(self.host.scev_bits(scev));
            self.assume_range(&by, (1, largest), place);
        }
        if let Some(param) = single(rest) {
            return self.part(param, scev, place, region);
        }
        // -p - 1 divided by d is -(p / d) - 1.
        let opposite = rest.scale(-1).and_then(|opposite| opposite.sub(&Poly::one())).ok_or(Reason::TooLarge)?;
        if let Some(param) = single(&opposite) {
            let quotient = self.part(param, scev, place, region)?;
            return quotient.scale(-1).and_then(|quotient| quotient.sub(&Poly::one())).ok_or(Reason::TooLarge);
        }
        // p + s divided by d is p / d or one less, as long as p - d * (p / d) + s is in 0 .. d or below that.
        let is_length = |monomial: &Monomial, coefficient: i128| match monomial.as_slice() {
            [Sym::Param(index)] if coefficient == 1 && divisor.as_slice() != [Sym::Param(*index)] => Some(*index),
            _ => None,
        };
        let length = rest.terms().find_map(|(monomial, coefficient)| is_length(monomial, coefficient));
        let quotient = self.part(length.ok_or(Reason::Condition)?, scev, place, region)?;
        let remainder = quotient.mul(&by).and_then(|whole| rest.sub(&whole)).ok_or(Reason::TooLarge)?;
        let falls = rest.constant_term() < 0 || remainder.direction() == Some(Ordering::Less);
        let (lowest, floor) = match falls {
            true => (remainder.add(&by), quotient.sub(&Poly::one())),
            false => (Some(remainder), Some(quotient)),
        };
        let (lowest, floor) = (lowest.ok_or(Reason::TooLarge)?, floor.ok_or(Reason::TooLarge)?);
        if is_foreign(&lowest, place, region) {
            return Err(Reason::Condition);
        }
        let above = by.sub(&Poly::one()).and_then(|largest| largest.sub(&lowest)).ok_or(Reason::TooLarge)?;
        self.assume_range(&lowest, (0, UNLIMITED), place);
        self.assume_range(&above, (0, UNLIMITED), place);
        Ok(floor)
    }

    /// The condition that `poly` is not negative.
    pub(super) fn not_negative(
        &mut self,
        poly: &Poly,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        let margin = self.affine_margin(poly, place, region)?;
        let (low, high) = self.bounds(&margin);
        Ok(match (low >= 0, high < 0) {
            (true, _) => Dnf::always(),
            (_, true) => Dnf::never(),
            _ => Dnf::le(&Poly::zero(), &margin)?,
        })
    }

    /// What the types of the parameters say about an affine expression; counters are not negative.
    pub(super) fn bounds(&self, poly: &Poly) -> (i128, i128) {
        let mut bounds = (0i128, 0i128);
        for (monomial, coefficient) in poly.terms() {
            let (a, b) = match monomial.first() {
                Some(Sym::Param(index)) => self.params[*index].range,
                Some(Sym::Iv(_)) => (0, i128::MAX),
                None => (1, 1),
            };
            let (x, y) = (a.saturating_mul(coefficient), b.saturating_mul(coefficient));
            bounds = (bounds.0.saturating_add(x.min(y)), bounds.1.saturating_add(x.max(y)));
        }
        bounds
    }
}
