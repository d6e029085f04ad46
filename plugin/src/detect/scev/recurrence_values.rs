//! Recurrences that are recognised without scalar evolution: their values, and how often a loop runs that they end.

use super::{ProgramPoint, Reader, Surroundings, UNLIMITED};
use crate::detect::recurrence::{Facts, Next, Recurrence};
use crate::formula::condition::Dnf;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Block, IntPredicate, Loop, Scev, ScevKind, Value};
use crate::reasons::Reason;

impl Reader<'_, '_> {
    /// The value of a recurrence of loop `index`.
    pub(super) fn recurrence(
        &mut self,
        recurrence: Recurrence,
        index: usize,
        outer: Option<Loop>,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        let start = self.host.scev_at_scope(recurrence.start, outer).ok_or(Reason::Scalar)?;
        let start = self.poly(start, place, region)?;
        let iv = Poly::symbol(Sym::Iv(index));
        match recurrence.next {
            Next::Step(step) => iv.scale(step).and_then(|moved| start.add(&moved)).ok_or(Reason::TooLarge),
            Next::Ahead(other, distance) => {
                let scev = self.host.scev(other).ok_or(Reason::Scalar)?;
                let now = self.poly(scev, place, region)?;
                Poly::constant(distance).and_then(|distance| now.add(&distance)).ok_or(Reason::TooLarge)
            }
            Next::Follows(other, distance) => {
                let scev = self.host.scev(other).ok_or(Reason::Scalar)?;
                let now = self.poly(scev, place, region)?;
                let shift = Poly::constant(distance).ok_or(Reason::TooLarge)?;
                let before = at_iteration(&now, index, &iv.sub(&Poly::one()).ok_or(Reason::TooLarge)?)?;
                let value = before.add(&shift).ok_or(Reason::TooLarge)?;
                // The first value comes from elsewhere: it must be in line with the others.
                let first = at_iteration(&value, index, &Poly::zero())?;
                let gap = start.sub(&first).ok_or(Reason::TooLarge)?;
                self.assume_range(&gap, (0, 0), ProgramPoint::LoopEntry(index));
                Ok(value)
            }
        }
    }

    /// `iv <= last iteration` and `iv < last iteration` of loop `index`, when the edge from `exiting` to `exit` is tested once in each of them (at `place`) and ends it.
    ///
    /// The loop goes on while some affine expressions are not negative. None of them grows from one iteration to the next, so that the
    /// last iteration is in is said by the one before.
    pub fn iterations(
        &mut self,
        index: usize,
        (exiting, exit): (Block, Block),
        scope: Loop,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<(Dnf, Dnf), Reason> {
        let iv = Sym::Iv(index);
        let (mut within, mut continues) = (Dnf::le(&Poly::zero(), &Poly::symbol(iv))?, Dnf::always());
        let mut ends = false;
        let mut known = Facts::default();
        let stay = Facts::not_taking(exiting, exit);
        let leaves = stay.leaves();
        for (leaf, truth) in leaves {
            let mark = self.mark();
            let margin = self.margin(*leaf, *truth, index, &known, scope, place, region)?;
            let margin = match self.affine_margin(&margin, place, region) {
                Ok(margin) => margin,
                Err(_) if leaves.len() == 1 => return self.divided(*leaf, *truth, index, scope, region),
                // Whatever else ends the loop is assumed to do so before this does.
                Err(_) => {
                    self.reset(mark);
                    let going_on = ProgramPoint::Continues(index);
                    let margin = self.margin(*leaf, *truth, index, &known, scope, going_on, region)?;
                    self.assume_range(&margin, (0, UNLIMITED), going_on);
                    known.learn(*leaf, *truth);
                    continue;
                }
            };
            known.learn(*leaf, *truth);
            let change = margin.coefficient(iv);
            if change > 0 {
                return Err(Reason::TripCount);
            }
            ends |= change < 0;
            let earlier = Poly::constant(change).and_then(|c| margin.sub(&c)).ok_or(Reason::TooLarge)?;
            within = within.and(&Dnf::le(&Poly::zero(), &earlier)?)?;
            continues = continues.and(&Dnf::le(&Poly::zero(), &margin)?)?;
            // The first iteration happens in any case; what bounds the others must bound it too.
            let first = at_iteration(&earlier, index, &Poly::zero())?;
            self.assume_range(&first, (0, UNLIMITED), ProgramPoint::LoopEntry(index));
        }
        if ends { Ok((within, continues)) } else { Err(Reason::TripCount) }
    }

    /// The same for a loop that takes steps of a parametric size down to a bound, as over the chunks of a slice: how often it goes
    /// on is a quotient that is computed before the nest.
    fn divided(
        &mut self,
        leaf: Value,
        truth: bool,
        index: usize,
        scope: Loop,
        region: &impl Surroundings,
    ) -> Result<(Dnf, Dnf), Reason> {
        let host = self.host;
        let predicate = leaf.int_predicate().ok_or(Reason::TripCount)?;
        let predicate = if truth { predicate } else { predicate.negated() };
        let operands = leaf.operands();
        let (falling, bound) = match predicate {
            IntPredicate::Uge | IntPredicate::Sge => (operands[0], operands[1]),
            IntPredicate::Ule | IntPredicate::Sle => (operands[1], operands[0]),
            _ => return Err(Reason::TripCount),
        };
        let falling = host.scev_at_scope(falling, Some(scope)).ok_or(Reason::TripCount)?;
        let bound = host.scev_at_scope(bound, Some(scope)).ok_or(Reason::TripCount)?;
        let (kind, parts) = (falling.kind(), falling.operands());
        let [start, step] = parts.as_slice() else { return Err(Reason::TripCount) };
        let computable = [*start, *step, bound].into_iter().all(|scev| self.is_computable_before(scev, region));
        if kind != ScevKind::AddRec || falling.recurrence_loop() != Some(scope) || !computable {
            return Err(Reason::TripCount);
        }
        // It goes on after iteration k if start - k * size >= bound, that is (k + 1) * size <= start + size - bound.
        let zero = host.minus(*step, *step);
        let size = zero.and_then(|zero| host.minus(zero, *step)).ok_or(Reason::TripCount)?;
        let above = host.minus(*start, bound).and_then(|rest| host.minus(rest, *step)).ok_or(Reason::TripCount)?;
        let count = host.quotient(above, size).ok_or(Reason::TripCount)?;
        let place = ProgramPoint::LoopEntry(index);
        self.unsigned(above, place, region)?;
        let size_value = self.poly(size, place, region)?;
        let (_, largest) = super::signed_range(host.scev_bits(size));
        self.assume_range(&size_value, (1, largest), place);
        let count = self.unsigned_param(count, place, region)?;
        let iv = Poly::symbol(Sym::Iv(index));
        let within = Dnf::le(&Poly::zero(), &iv)?.and(&Dnf::le(&iv, &count)?)?;
        Ok((within, Dnf::lt(&iv, &count)?))
    }

    /// What is not negative exactly if a comparison has the given truth value, in the iterations up to the first in which it has not.
    #[expect(clippy::too_many_arguments, reason = "a question has this many sides")]
    fn margin(
        &mut self,
        leaf: Value,
        truth: bool,
        index: usize,
        known: &Facts,
        scope: Loop,
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<Poly, Reason> {
        let predicate = leaf.int_predicate().ok_or(Reason::TripCount)?;
        let predicate = if truth { predicate } else { predicate.negated() };
        let operands = leaf.operands();
        let [left, right] = operands.as_slice() else { return Err(Reason::TripCount) };
        if left.ty().is_pointer() && matches!(predicate, IntPredicate::Ne) {
            let distance = self.distance((*left, *right), Some(scope), place, region).map_err(|_| Reason::TripCount)?;
            return towards_zero(&distance, index);
        }
        let parts = |operand: Value| {
            let (base, distance) = known.displacement(operand);
            let scev = self.host.scev_at_scope(base, Some(scope)).ok_or(Reason::TripCount)?;
            Ok((scev, distance))
        };
        let ends = [parts(*left)?, parts(*right)?];
        let bases = self.bases(ends.map(|(scev, _)| scev), place, region)?;
        let mut read = |operand: Value, base: &Poly, distance: i128| {
            let poly = Poly::constant(distance).and_then(|distance| base.add(&distance)).ok_or(Reason::TooLarge)?;
            let bits = operand.ty().int_bits().filter(|bits| *bits <= 64).ok_or(Reason::TripCount)?;
            let range = if predicate.is_unsigned() { super::unsigned_range(bits) } else { super::signed_range(bits) };
            self.assume_range(&poly, range, place);
            Ok(poly)
        };
        let left = read(*left, &bases[0], ends[0].1)?;
        let right = read(*right, &bases[1], ends[1].1)?;
        let gap = |larger: &Poly, smaller: &Poly, least: i128| {
            let least = Poly::constant(least).and_then(|least| smaller.add(&least));
            least.and_then(|smaller| larger.sub(&smaller)).ok_or(Reason::TooLarge)
        };
        match predicate {
            IntPredicate::Slt | IntPredicate::Ult => gap(&right, &left, 1),
            IntPredicate::Sle | IntPredicate::Ule => gap(&right, &left, 0),
            IntPredicate::Sgt | IntPredicate::Ugt => gap(&left, &right, 1),
            IntPredicate::Sge | IntPredicate::Uge => gap(&left, &right, 0),
            IntPredicate::Ne => towards_zero(&gap(&left, &right, 0)?, index),
            IntPredicate::Eq => Err(Reason::TripCount),
        }
    }
}

impl Reader<'_, '_> {
    /// The two sides of a comparison. A product of parameters, such as `h * w`, is one more parameter where it is all of a side and there
    /// are no products on the other.
    fn bases(
        &mut self,
        sides: [Scev; 2],
        place: ProgramPoint,
        region: &impl Surroundings,
    ) -> Result<[Poly; 2], Reason> {
        let mark = self.mark();
        let read = |reader: &mut Self, scev| {
            let base = reader.poly(scev, place, region);
            base.map_err(|reason| if reason == Reason::Scalar { Reason::TripCount } else { reason })
        };
        let bases = [read(self, sides[0])?, read(self, sides[1])?];
        let is_product = |base: &Poly| !base.is_affine() && base.is_invariant();
        let product = match [0, 1].map(|k| (is_product(&bases[k]), bases[k].is_affine())) {
            [(true, _), (_, true)] => 0,
            [(_, true), (true, _)] => 1,
            _ => return Ok(bases),
        };
        if !self.is_computable_before(sides[product], region) {
            return Ok(bases);
        }
        // What was assumed about the products need not hold.
        self.reset(mark);
        match product {
            0 => Ok([self.param(sides[0], region)?, read(self, sides[1])?]),
            _ => Ok([read(self, sides[0])?, self.param(sides[1], region)?]),
        }
    }
}

/// What is not negative as long as `distance`, which moves by one in every iteration, has not met zero: what moves by one towards a
/// number and starts on this side of it has not met it yet.
fn towards_zero(distance: &Poly, index: usize) -> Result<Poly, Reason> {
    let step = distance.coefficient(Sym::Iv(index));
    if step.abs() != 1 {
        return Err(Reason::TripCount);
    }
    distance.scale(-step).and_then(|left| left.sub(&Poly::one())).ok_or(Reason::TooLarge)
}

/// `poly`, in which the counter of loop `index` occurs at most once in each term, with `at` in its place.
pub(super) fn at_iteration(poly: &Poly, index: usize, at: &Poly) -> Result<Poly, Reason> {
    let mut result = Poly::zero();
    for (monomial, coefficient) in poly.terms() {
        let mut rest = monomial.clone();
        let position = rest.iter().position(|symbol| *symbol == Sym::Iv(index));
        if let Some(position) = position {
            rest.remove(position);
        }
        if rest.contains(&Sym::Iv(index)) {
            return Err(Reason::Scalar);
        }
        let term = Poly::term(rest, coefficient);
        let term = if position.is_some() { term.and_then(|term| term.mul(at)) } else { term };
        result = term.and_then(|term| result.add(&term)).ok_or(Reason::TooLarge)?;
    }
    Ok(result)
}
