//! Integer recurrences that scalar evolution does not see.
//!
//! An inclusive range of Rust must not count past the largest number. What is left of that after optimisation steps by
//! `i + zext(!(i >= n))`, by `i == 1 ? 1 : i - 1` or by a saturating difference, and runs one value behind. All these are plain steps
//! *whenever the loop goes on*, and no other value ever reaches the header again. So the value that a header's PHI takes
//! is read under the [`Facts`] that hold then: no exit has been taken.
//!
//! A loop whose first iteration is a case of its own, as that of `for j: { for k < j: ...; for i > j: ... }` where nothing is summed up, has the next value of
//! its counter from a join: a PHI of `j + 1` from the one way and of `1` from the other, which is taken if `j == 0`. All of these are `j + 1`
//! where they come from ([`joined`]).
//!
//! Invariants:
//! - Displacements are residues modulo 2^w, like everything that scalar evolution says.
//! - A fact is a branch condition that decided, so it is neither undefined nor poison where the fact is used.

use crate::detect::region::branch_operand;
use crate::host::{Analyses, Block, IntPredicate, Loop, Opcode, Scev, ScevKind, Value};

/// What a PHI of a loop's header holds in the iterations after the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A constant more than in the iteration before.
    Step(i128),
    /// A constant more than what another PHI of the header, itself a recurrence, held in the iteration before.
    Follows(Value, i128),
    /// A constant more than what a PHI of the header, itself a recurrence, holds in the same iteration; in the first one as well.
    Ahead(Value, i128),
}

/// A PHI of a loop's header whose values are known, or of a join inside the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// The PHI.
    pub phi: Value,
    /// Its value in the first iteration.
    pub start: Value,
    /// Its value in the others.
    pub next: Next,
}

/// Expressions are looked into this deep.
const MAX_DEPTH: usize = 8;
/// More facts than this are not collected.
const MAX_FACTS: usize = 64;

/// Truth values of `i1` values that are known at some point.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    known: Vec<(Value, bool)>,
    /// The known conditions without inner structure, in the order of their evaluation.
    leaves: Vec<(Value, bool)>,
}

impl Facts {
    /// What holds when a two-way branch at the end of `from` does not lead to `to`.
    pub fn not_taking(from: Block, to: Block) -> Self {
        let mut facts = Self::default();
        facts.learn_not_taking(from, to);
        facts
    }

    fn learn_not_taking(&mut self, from: Block, to: Block) {
        let successors = from.successors();
        let condition = from.terminator().filter(|end| end.is(Opcode::Br)).and_then(branch_operand);
        if let ([first, second], Some(condition)) = (successors.as_slice(), condition)
            && first != second
        {
            self.learn(condition, *second == to);
        }
    }

    /// What holds in loop `handle` where control leaves a block of it, because of the ways that lead there in the same iteration.
    fn at(host: &Analyses<'_>, handle: Loop, place: Block) -> Self {
        let mut facts = Self::default();
        for from in host.loop_blocks(handle).into_iter().filter(|from| host.loop_of(*from) == Some(handle)) {
            let successors = from.successors();
            let is_way = |to: &&Block| to.single_predecessor() == Some(from) && host.dominates(**to, place);
            if let ([_, _], Some(to)) = (successors.as_slice(), successors.iter().find(is_way))
                && let Some(other) = successors.iter().find(|other| *other != to)
            {
                facts.learn_not_taking(from, *other);
            }
        }
        facts
    }

    /// The constant that a value is known to be equal to.
    fn constant_of(&self, value: Value) -> Option<i128> {
        self.leaves.iter().find_map(|(compare, truth)| {
            let operands = compare.operands();
            let decides = match compare.int_predicate()? {
                IntPredicate::Eq => *truth,
                IntPredicate::Ne => !truth,
                _ => false,
            };
            (decides && operands.first() == Some(&value)).then(|| operands.get(1)?.constant_int()).flatten()
        })
    }

    /// What holds when loop `handle` goes on from the header to the `latch` and back.
    pub fn going_on(host: &Analyses<'_>, handle: Loop, latch: Block) -> Self {
        let mut facts = Self::default();
        for (from, to) in handle.exit_edges() {
            if host.loop_of(from) == Some(handle) && host.dominates(from, latch) {
                facts.learn_not_taking(from, to);
            }
        }
        facts
    }

    /// Adds that `value` is `truth`, and what follows for the parts of which it is made.
    pub fn learn(&mut self, value: Value, truth: bool) {
        let mut work = vec![(value, truth)];
        while let Some((value, truth)) = work.pop() {
            if self.known.len() >= MAX_FACTS || value.constant_int().is_some() || self.known.contains(&(value, truth)) {
                continue;
            }
            self.known.push((value, truth));
            let operands = value.operands();
            let both = match value.opcode() {
                Some(Opcode::And) if truth => Some((operands[0], operands[1])),
                Some(Opcode::Or) if !truth => Some((operands[0], operands[1])),
                Some(Opcode::Select) => match (truth, operands[1].constant_int(), operands[2].constant_int()) {
                    (true, _, Some(0)) => Some((operands[0], operands[1])),
                    (false, Some(one), _) if one != 0 => Some((operands[0], operands[2])),
                    _ => None,
                },
                _ => None,
            };
            match (both, negation(value)) {
                // The left one is evaluated first, so it is looked at first.
                (Some((left, right)), _) => work.extend([(right, truth), (left, truth)]),
                (None, Some(inner)) => work.push((inner, !truth)),
                (None, None) => self.leaves.push((value, truth)),
            }
        }
    }

    /// The known conditions that are not made of others, in the order of their evaluation.
    pub fn leaves(&self) -> &[(Value, bool)] {
        &self.leaves
    }

    fn truth(&self, value: Value) -> Option<bool> {
        if let Some(constant) = value.constant_int() {
            return Some(constant != 0);
        }
        let found = self.known.iter().find(|(other, _)| *other == value).map(|(_, truth)| *truth);
        found.or_else(|| negation(value).and_then(|inner| self.truth(inner)).map(|truth| !truth))
    }

    fn is_not_zero(&self, value: Value) -> bool {
        self.leaves.iter().any(|(compare, truth)| {
            let operands = compare.operands();
            let against_zero = operands.len() == 2 && operands[0] == value && operands[1].constant_int() == Some(0);
            against_zero
                && match compare.int_predicate() {
                    Some(IntPredicate::Eq) => !truth,
                    Some(IntPredicate::Ne | IntPredicate::Ugt) => *truth,
                    _ => false,
                }
        })
    }

    /// `value` as another value plus a constant, modulo 2^w; that value may be `value` itself.
    pub fn displacement(&self, value: Value) -> (Value, i128) {
        let (mut base, mut distance) = (value, 0i128);
        for _ in 0..MAX_DEPTH {
            let Some((next, by)) = self.displaced(base) else { break };
            let Some(sum) = distance.checked_add(by) else { break };
            (base, distance) = (next, sum);
        }
        (base, distance)
    }

    fn displaced(&self, value: Value) -> Option<(Value, i128)> {
        let operands = value.operands();
        match value.opcode()? {
            Opcode::Add => match (self.constant(operands[0]), self.constant(operands[1])) {
                (_, Some(right)) => Some((operands[0], right)),
                (Some(left), None) => Some((operands[1], left)),
                (None, None) => None,
            },
            Opcode::Sub => Some((operands[0], self.constant(operands[1])?.checked_neg()?)),
            Opcode::Select => Some((if self.truth(operands[0])? { operands[1] } else { operands[2] }, 0)),
            Opcode::Call if value.intrinsic_name().is_some_and(|name| name.starts_with("llvm.usub.sat")) => {
                let by_one = operands.get(1)?.constant_int() == Some(1) && self.is_not_zero(operands[0]);
                by_one.then_some((operands[0], -1))
            }
            _ => None,
        }
    }

    fn constant(&self, value: Value) -> Option<i128> {
        let truth = || value.operands().first().filter(|inner| inner.ty().int_bits() == Some(1)).copied();
        match value.opcode() {
            Some(Opcode::ZExt) => truth().and_then(|inner| self.truth(inner)).map(i128::from),
            Some(Opcode::SExt) => truth().and_then(|inner| self.truth(inner)).map(|truth| -i128::from(truth)),
            _ => value.constant_int(),
        }
    }
}

/// What an `i1` value is the negation of.
fn negation(value: Value) -> Option<Value> {
    let operands = value.operands();
    let is_not = value.is(Opcode::Xor) && operands.len() == 2 && operands[1].constant_int().is_some_and(|c| c != 0);
    (is_not && value.ty().int_bits() == Some(1)).then(|| operands[0])
}

/// The recurrences of a loop that scalar evolution takes for unknown values.
pub fn of_loop(host: &Analyses<'_>, handle: Loop) -> Vec<Recurrence> {
    let (Some(entering), Some(latch)) = (handle.predecessor(), handle.latch()) else { return Vec::new() };
    let is_unknown = |phi: &Value| {
        phi.ty().int_bits().is_some_and(|bits| bits <= 64)
            && host.scev(*phi).is_some_and(|scev| scev.kind() == ScevKind::Unknown)
    };
    let unknown: Vec<Value> = handle.header().phis().into_iter().filter(is_unknown).collect();
    if unknown.is_empty() {
        return Vec::new();
    }
    let facts = Facts::going_on(host, handle, latch);
    let mut found: Vec<Recurrence> = Vec::new();
    let (mut followers, mut joins) = (Vec::new(), Vec::new());
    for phi in unknown {
        let (Some(start), Some(next)) = (phi.phi_value_from(entering), phi.phi_value_from(latch)) else { continue };
        match facts.displacement(next) {
            (base, step) if base == phi => found.push(Recurrence { phi, start, next: Next::Step(step) }),
            (join, distance) if let Some(ahead) = joined(host, handle, phi, join) => {
                let Some(step) = ahead.checked_add(distance) else { continue };
                found.push(Recurrence { phi, start, next: Next::Step(step) });
                joins.push(Recurrence { phi: join, start, next: Next::Ahead(phi, ahead) });
            }
            (base, distance) => followers.push(Recurrence { phi, start, next: Next::Follows(base, distance) }),
        }
    }
    let is_counter = |value: Value| {
        let steps_evenly = |scev: Scev| {
            scev.kind() == ScevKind::AddRec && scev.recurrence_loop() == Some(handle) && scev.operands().len() == 2
        };
        value.is(Opcode::Phi) && value.parent() == Some(handle.header()) && host.scev(value).is_some_and(steps_evenly)
    };
    let steps: Vec<Value> = found.iter().map(|recurrence| recurrence.phi).collect();
    followers.retain(|follower| match follower.next {
        Next::Follows(base, _) => steps.contains(&base) || is_counter(base),
        Next::Step(_) | Next::Ahead(..) => false,
    });
    found.extend(followers);
    found.extend(joins);
    found
}

/// By how much a PHI of a join in a loop, whichever way led there, is more than one of the header in the same iteration.
fn joined(host: &Analyses<'_>, handle: Loop, phi: Value, join: Value) -> Option<i128> {
    let is_inside = |block: Block| host.loop_of(block) == Some(handle) && block != handle.header();
    if !join.is(Opcode::Phi) || !join.parent().is_some_and(is_inside) {
        return None;
    }
    let distance = |(value, from): (Value, Block)| {
        let facts = Facts::at(host, handle, from);
        match value.constant_int() {
            Some(constant) => constant.checked_sub(facts.constant_of(phi)?),
            None => Some(facts.displacement(value)).filter(|(base, _)| *base == phi).map(|(_, distance)| distance),
        }
    };
    let mut distances = join.phi_incoming().into_iter().map(distance);
    let first = distances.next()??;
    distances.all(|other| other == Some(first)).then_some(first)
}

/// Whether staying in the loop at an exit is a matter of comparing one of `recurrences`, or at the latch another counter.
pub fn decides(host: &Analyses<'_>, handle: Loop, recurrences: &[Recurrence], from: Block, to: Block) -> bool {
    let facts = Facts::not_taking(from, to);
    let at_latch = handle.latch() == Some(from);
    let compares = |value: &Value| {
        let base = facts.displacement(*value).0;
        recurrences.iter().any(|recurrence| recurrence.phi == base)
            || (at_latch && host.scev(*value).is_some_and(|scev| counts(scev, handle)))
    };
    let leaves = facts.leaves();
    leaves.iter().all(|(leaf, _)| leaf.is(Opcode::ICmp))
        && leaves.iter().any(|(leaf, _)| leaf.operands().iter().any(compares))
}

/// Whether staying in the loop at an exit is a matter of how large a counter of scalar evolution is.
pub fn is_counter_bound(host: &Analyses<'_>, handle: Loop, from: Block, to: Block) -> bool {
    let facts = Facts::not_taking(from, to);
    let is_counter = |value: &Value| host.scev(*value).is_some_and(|scev| counts(scev, handle));
    is_bound(from, to) && facts.leaves().iter().any(|(leaf, _)| leaf.operands().iter().any(is_counter))
}

/// Whether staying in the loop at an exit is a matter of one integer being larger than another one.
pub fn is_bound(from: Block, to: Block) -> bool {
    let facts = Facts::not_taking(from, to);
    let [(leaf, _)] = facts.leaves() else { return false };
    leaf.int_predicate().is_some_and(|predicate| !matches!(predicate, IntPredicate::Eq | IntPredicate::Ne))
}

/// Whether an expression is a counter of a loop, or a fraction of one.
fn counts(scev: Scev, handle: Loop) -> bool {
    match scev.kind() {
        ScevKind::UDiv => scev.operands().first().is_some_and(|dividend| counts(*dividend, handle)),
        _ => scev.recurrence_loop() == Some(handle),
    }
}
