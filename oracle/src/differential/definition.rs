//! What the definition of an operation says, tried with the plainest operations of isl: compositions, intersections,
//! emptiness.
//!
//! isl's answer judges nothing where isl says itself that it is inexact, and now and then it is wrong. For closures,
//! powers, lengths of paths and extreme values the definition can be tried on any answer; where the libraries differ,
//! an answer that contradicts the definition loses.

use super::verdict::Case;
use crate::isl::{Failure, Kind, Object, P, Result, Test1};
use crate::operation::Answer;
use crate::value::Value;

/// Paths of up to so many steps are composed.
const STEPS: usize = 4;
/// isl's limit for all of it.
const LIMIT: u64 = 400_000;

type Bound = unsafe extern "C" fn(P, P) -> P;

impl<'l> Case<'_, 'l> {
    /// Whether isl's answer contradicts the definition, and ours does not. False where no definition can be tried.
    pub(super) fn isl_is_refuted(&self) -> bool {
        self.isl.set_limit(LIMIT);
        let refuted = match (self.theirs, self.ours) {
            (Answer::Flagged(theirs, exact), Value::Flagged(ours, our_exact)) => self
                .read(theirs.kind(), ours)
                .and_then(|ours| Ok(!self.holds(theirs, *exact)? && self.holds(&ours, *our_exact)?)),
            (Answer::Object(theirs), Value::Text(ours)) if theirs.kind() == Kind::Val => {
                self.extreme_is(ours).and_then(|holds| Ok(holds && !self.extreme_is(&theirs.to_string())?))
            }
            (Answer::Object(theirs), ours) if self.operation == "map.fixed_power" => self
                .read(theirs.kind(), ours)
                .and_then(|ours| Ok(!self.holds(theirs, true)? && self.holds(&ours, true)?)),
            _ => Ok(false),
        };
        refuted.unwrap_or(false)
    }

    /// Whether an answer to a question about paths agrees with the paths of few steps: equal to what it says about them
    /// if it claims to be exact, otherwise containing them.
    pub(super) fn holds(&self, answer: &Object<'l>, exact: bool) -> Result<bool> {
        let step = &self.objects[0];
        let fits = |expected: &Object<'l>, said: &Object<'l>| match exact {
            true => said.is_equal(expected),
            false => Ok(self.contains(expected, said)?.is_none()),
        };
        let last = match self.operation {
            "map.fixed_power" => usize::try_from(1 + self.objects[1].number() % 4).unwrap_or(1),
            _ => STEPS,
        };
        let mut power = self.isl.object(step.kind(), step.take())?;
        let mut all = self.isl.object(step.kind(), step.take())?;
        for k in 1..=last {
            if k > 1 {
                // SAFETY: the functions take two objects of this type.
                unsafe {
                    power = self.isl.give2(compose(step.kind())?, step.kind(), &power, step)?;
                    all = self.isl.give2(unite(step.kind())?, step.kind(), &all, &power)?;
                }
            }
            let agrees = match self.operation {
                "map.fixed_power" => k < last || fits(&power, answer)?,
                "map.power" => fits(&self.wrapped(&power)?, &self.slice(answer, k)?)?,
                "map.reaching_path_lengths" => {
                    // SAFETY: the function reverses a map.
                    let lengths = unsafe { self.isl.give1("isl_map_reverse", Kind::Map, answer)? };
                    fits(&self.ends(&power)?, &self.slice(&lengths, k)?)?
                }
                name if name.ends_with("transitive_closure") => self.contains(&power, answer)?.is_none(),
                _ => return Err(Failure::Missing("definition")),
            };
            if !agrees {
                return Ok(false);
            }
        }
        if !self.operation.ends_with("transitive_closure") || !exact {
            return Ok(true);
        }
        if is_empty(&power)? {
            return all.is_equal(answer);
        }
        // One more step leads nowhere else.
        // SAFETY: the functions take two objects of this type.
        unsafe {
            let longer = self.isl.give2(compose(step.kind())?, step.kind(), answer, step)?;
            self.isl.give2(unite(step.kind())?, step.kind(), &longer, step)?.is_equal(answer)
        }
    }

    /// What a map says about the number `k`.
    fn slice(&self, map: &Object<'l>, k: usize) -> Result<Object<'l>> {
        let number = self.isl.read(Kind::Set, &format!("{{ [{k}] }}"))?;
        // SAFETY: the function takes a set and a map.
        unsafe { self.isl.give2("isl_set_apply", Kind::Set, &number, map) }
    }

    fn wrapped(&self, power: &Object<'l>) -> Result<Object<'l>> {
        // SAFETY: the function takes a map.
        unsafe { self.isl.give1("isl_map_wrap", Kind::Set, power) }
    }

    /// Where paths end, as isl's lengths of paths have it: flat and without a name.
    fn ends(&self, power: &Object<'l>) -> Result<Object<'l>> {
        // SAFETY: the functions take a map, a set and a set.
        unsafe {
            let ends = self.isl.give1("isl_map_range", Kind::Set, power)?;
            let flat = self.isl.give1("isl_set_flatten", Kind::Set, &ends)?;
            self.isl.give1("isl_set_reset_tuple_id", Kind::Set, &flat)
        }
    }

    /// Whether a number is the extreme value of the function: it is taken, and no value lies beyond it.
    fn extreme_is(&self, value: &str) -> Result<bool> {
        let sign = match self.operation {
            "set.max_aff" => 1,
            "set.min_aff" => -1,
            _ => return Err(Failure::Missing("definition")),
        };
        if value == "NaN" {
            return is_empty(&self.objects[0]);
        }
        if value.contains("infty") {
            return Err(Failure::Missing("definition"));
        }
        // The points where the function, or its opposite, is at least the value plus `beyond`.
        let reached = |beyond: i64| -> Result<Object<'l>> {
            let value = self.isl.read(Kind::Val, value)?;
            // SAFETY: the functions have these signatures.
            unsafe {
                let shifted = self.isl.give2("isl_aff_sub", Kind::Aff, &self.objects[1], &self.objects[1])?;
                let constant = self.isl.function::<Bound>("isl_aff_add_constant_val")?(shifted.take(), value.take());
                let constant = self.isl.object(Kind::Aff, constant)?;
                let (larger, smaller) =
                    if sign > 0 { (&self.objects[1], &constant) } else { (&constant, &self.objects[1]) };
                let excess = self.isl.give2("isl_aff_sub", Kind::Aff, larger, smaller)?;
                let beyond = self.isl.read(Kind::Val, &(-beyond).to_string())?;
                let excess = self.isl.function::<Bound>("isl_aff_add_constant_val")?(excess.take(), beyond.take());
                let excess = self.isl.object(Kind::Aff, excess)?;
                let excess = self.isl.give1("isl_pw_aff_from_aff", Kind::PwAff, &excess)?;
                let points = self.isl.give1("isl_pw_aff_nonneg_set", Kind::Set, &excess)?;
                self.isl.give2("isl_set_intersect", Kind::Set, &points, &self.objects[0])
            }
        };
        Ok(!is_empty(&reached(0)?)? && is_empty(&reached(1)?)?)
    }
}

fn compose(kind: Kind) -> Result<&'static str> {
    match kind {
        Kind::Map => Ok("isl_map_apply_range"),
        Kind::UnionMap => Ok("isl_union_map_apply_range"),
        _ => Err(Failure::Missing("definition")),
    }
}

fn unite(kind: Kind) -> Result<&'static str> {
    match kind {
        Kind::Map => Ok("isl_map_union"),
        Kind::UnionMap => Ok("isl_union_map_union"),
        _ => Err(Failure::Missing("definition")),
    }
}

/// Whether a set or map has no point.
pub(super) fn is_empty(object: &Object<'_>) -> Result<bool> {
    let name = match object.kind() {
        Kind::Set => "isl_set_is_empty",
        Kind::Map => "isl_map_is_empty",
        Kind::UnionSet => "isl_union_set_is_empty",
        Kind::UnionMap => "isl_union_map_is_empty",
        _ => return Ok(false),
    };
    // SAFETY: the function tests an object of this type.
    object.isl().truth(unsafe { object.isl().function::<Test1>(name)?(object.keep()) })
}
