//! Minima and maxima in comparisons: the shorter of two slices that are gone through together.
//!
//! A minimum is at least zero if all operands are, a maximum if one is. A comparison becomes the sign of a difference, in which
//! a minimum on the right is a maximum of negations.
//!
//! Where an operand of a minimum is no affine expression, but another one is, it is assumed not to be the smallest: what is left of
//! a slice behind row `i` is at least as long as another row.

use super::{ProgramPoint, Reader, Surroundings, UNLIMITED, signed_range, unsigned_range};
use crate::formula::condition::Dnf;
use crate::formula::poly::Poly;
use crate::host::{Scev, ScevKind};
use crate::reasons::Reason;

/// An integer made of polynomials, minima and maxima.
#[derive(Clone, Debug)]
pub(super) enum Cases {
    One(Poly),
    Least(Vec<Cases>),
    Greatest(Vec<Cases>),
}

/// More polynomials than this are not compared.
const MAX_CASES: usize = 8;

impl Cases {
    fn each(&self, change: &impl Fn(&Poly) -> Option<Self>) -> Option<Self> {
        let all = |list: &[Self]| list.iter().map(|case| case.each(change)).collect::<Option<Vec<_>>>();
        Some(match self {
            Self::One(poly) => change(poly)?,
            Self::Least(list) => Self::Least(all(list)?),
            Self::Greatest(list) => Self::Greatest(all(list)?),
        })
    }

    pub(super) fn plus(&self, poly: &Poly) -> Option<Self> {
        self.each(&|own| Some(Self::One(own.add(poly)?)))
    }

    fn negated(&self) -> Option<Self> {
        let all = |list: &[Self]| list.iter().map(Self::negated).collect::<Option<Vec<_>>>();
        Some(match self {
            Self::One(poly) => Self::One(poly.scale(-1)?),
            Self::Least(list) => Self::Greatest(all(list)?),
            Self::Greatest(list) => Self::Least(all(list)?),
        })
    }

    /// The difference, if there are not too many cases.
    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        let negated = other.negated()?;
        let difference = self.each(&|own| negated.plus(own))?;
        (difference.count() <= MAX_CASES).then_some(difference)
    }

    fn count(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Least(list) | Self::Greatest(list) => list.iter().map(Self::count).sum(),
        }
    }

    /// The polynomial if there are no cases.
    pub(super) fn poly(&self) -> Option<&Poly> {
        match self {
            Self::One(poly) => Some(poly),
            _ => None,
        }
    }
}

/// Whether an expression is a minimum or maximum of unsigned numbers, or a sum with one.
pub(super) fn is_unsigned_choice(scev: Scev) -> bool {
    match scev.kind() {
        ScevKind::UMax | ScevKind::UMin | ScevKind::SequentialUMin => true,
        ScevKind::Add | ScevKind::ZeroExtend => scev.operands().into_iter().any(is_unsigned_choice),
        ScevKind::Mul => negated(scev).is_some_and(is_unsigned_choice),
        _ => false,
    }
}

/// The choice that an expression is the negation of: a saturating difference is `x - umin(x, y)`.
fn negated(scev: Scev) -> Option<Scev> {
    let operands = scev.operands();
    let [sign, inner] = operands.as_slice() else { return None };
    let is_negated = scev.kind() == ScevKind::Mul && sign.constant() == Some(-1);
    (is_negated && inner.kind() == ScevKind::UMin).then_some(*inner)
}

fn is_choice(scev: Scev) -> bool {
    match scev.kind() {
        ScevKind::SMax | ScevKind::SMin => true,
        ScevKind::ZeroExtend | ScevKind::SignExtend => scev.operands().into_iter().any(is_choice),
        _ => is_unsigned_choice(scev) && scev.kind() != ScevKind::Add,
    }
}

impl Reader<'_, '_> {
    /// The integer value of `scev`, assumed to be in `range`.
    pub(super) fn cases(
        &mut self,
        scev: Scev,
        range: (i128, i128),
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Cases, Reason> {
        let cases = self.residue_cases(scev, range, place, region)?;
        self.assume_cases(&cases, range, place);
        Ok(cases)
    }

    fn residue_cases(
        &mut self,
        scev: Scev,
        range: (i128, i128),
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Cases, Reason> {
        self.step()?;
        let bits = self.host.scev_bits(scev);
        let operands = scev.operands();
        match scev.kind() {
            // A number from before the region is one more parameter.
            kind if kind != ScevKind::Add && is_choice(scev) && self.is_computable_before(scev, region) => {
                Ok(Cases::One(self.poly(scev, place, region)?))
            }
            kind @ (ScevKind::SMax | ScevKind::UMax | ScevKind::SMin | ScevKind::UMin | ScevKind::SequentialUMin) => {
                let is_signed = matches!(kind, ScevKind::SMax | ScevKind::SMin);
                let own = if is_signed { signed_range(bits) } else { unsigned_range(bits) };
                let mut list = Vec::new();
                for operand in operands {
                    list.push(self.cases(operand, own, place, region)?);
                }
                Ok(if matches!(kind, ScevKind::SMax | ScevKind::UMax) {
                    Cases::Greatest(list)
                } else {
                    Cases::Least(list)
                })
            }
            ScevKind::Mul if negated(scev).is_some() => {
                let inner = negated(scev).ok_or(Reason::Scalar)?;
                self.cases(inner, unsigned_range(bits), place, region)?.negated().ok_or(Reason::TooLarge)
            }
            ScevKind::ZeroExtend if is_choice(scev) => {
                let own = unsigned_range(self.host.scev_bits(operands[0]));
                self.cases(operands[0], own, place, region)
            }
            ScevKind::SignExtend if is_choice(scev) => {
                let own = signed_range(self.host.scev_bits(operands[0]));
                self.cases(operands[0], own, place, region)
            }
            ScevKind::Add if operands.iter().any(|operand| is_choice(*operand)) => {
                let (choices, others): (Vec<Scev>, Vec<Scev>) = operands.into_iter().partition(|o| is_choice(*o));
                let [choice] = choices.as_slice() else { return Err(Reason::Scalar) };
                let mut sum = self.residue_cases(*choice, range, place, region)?;
                for other in others {
                    let other = self.poly(other, place, region)?;
                    sum = sum.plus(&other).ok_or(Reason::TooLarge)?;
                }
                Ok(sum)
            }
            _ => Ok(Cases::One(match self.unsigned_constant(scev) {
                Some(constant) if range.0 >= 0 => Poly::constant(constant).ok_or(Reason::TooLarge)?,
                _ => self.poly(scev, place, region)?,
            })),
        }
    }

    /// Assumes that an integer is in a range. Of a maximum one operand is assumed to be large enough, a constant if there is one.
    fn assume_cases(&mut self, cases: &Cases, (low, high): (i128, i128), place: ProgramPoint) {
        match cases {
            Cases::One(poly) => self.assume_range(poly, (low, high), place),
            Cases::Least(list) => {
                for case in list {
                    self.assume_cases(case, (low, high), place);
                }
            }
            Cases::Greatest(list) => {
                let constant = |case: &Cases| case.poly().and_then(Poly::as_constant);
                let enough = list.iter().any(|case| constant(case).is_some_and(|c| low <= c && c <= high));
                for (position, case) in list.iter().enumerate() {
                    if !enough && position + 1 == list.len() {
                        self.assume_cases(case, (low, high), place);
                    } else if let Some(below) = Poly::constant(high).and_then(|high| Cases::One(high).minus(case)) {
                        self.assume_cases(&below, (0, UNLIMITED), place);
                    }
                }
            }
        }
    }

    /// The condition that an integer is not negative.
    pub(super) fn cases_not_negative(
        &mut self,
        cases: &Cases,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Dnf, Reason> {
        let (list, is_least) = match cases {
            Cases::One(poly) => return self.not_negative(poly, place, region),
            Cases::Least(list) => (list, true),
            Cases::Greatest(list) => (list, false),
        };
        let mut result = if is_least { Dnf::always() } else { Dnf::never() };
        let (mut good, mut bad) = (None, Vec::new());
        for case in list {
            let mark = self.mark();
            match self.cases_not_negative(case, place, region) {
                Ok(one) => {
                    result = if is_least { result.and(&one)? } else { result.or(&one)? };
                    good = good.or(case.poly());
                }
                Err(reason) => {
                    self.reset(mark);
                    bad.push((case.poly().ok_or(reason)?, Reason::Condition));
                }
            }
        }
        for (poly, reason) in bad {
            let other = good.ok_or(reason)?;
            let gap = if is_least { poly.sub(other) } else { other.sub(poly) };
            self.assume_range(&gap.ok_or(Reason::TooLarge)?, (0, UNLIMITED), place);
        }
        Ok(result)
    }

    /// Assumes that an integer is not negative whenever `place` executes.
    pub(super) fn assume_not_negative(&mut self, cases: &Cases, place: ProgramPoint) -> Result<(), Reason> {
        match cases {
            Cases::One(poly) => {
                self.assume_range(poly, (0, UNLIMITED), place);
                Ok(())
            }
            Cases::Least(list) => list.iter().try_for_each(|case| self.assume_not_negative(case, place)),
            Cases::Greatest(_) => Err(Reason::Condition),
        }
    }
}
