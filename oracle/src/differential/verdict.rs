//! One operation on one list of operands, done by both libraries and judged by isl.
//!
//! Both read the same texts. Our result is printed and read by isl, which decides whether it equals its own, or has the
//! property that the operation promises ([`Judge`]).

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tessera_polyhedral::arith::{Int, dot};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::error::Error;

use super::definition::is_empty;
use crate::isl::{Failure, Isl, Kind, Object};
use crate::operation::{Answer, Judge, Operation};
use crate::value::Value;

/// Limits on the work of one case.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Our budget, in units.
    pub ours: u64,
    /// isl's number of operations, for the operation and again for judging.
    pub isl: u64,
}

/// The outcome of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Both agree.
    Agreed,
    /// Our budget ran out.
    OursGaveUp,
    /// isl's limit was reached, in the operation or in judging.
    IslGaveUp,
    /// isl refuses the operands, and so do we: an operation on a space where it makes no sense.
    BothRefused,
    /// isl cannot read an operand or cannot do the operation: the case says nothing.
    Void(String),
    /// isl is shown to be wrong: another build of isl agrees with us, or the definition of the operation does.
    Contradicted(String),
    /// They disagree; what differs.
    Disagreed(String),
}

/// Our answer, or why there is none.
#[allow(clippy::large_enum_variant, reason = "one at a time")]
enum Ours {
    Value(Value),
    GaveUp,
    Refused(String),
    Panicked(String),
}

thread_local! {
    /// Where the last panic of this thread was.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps panics of our library quiet; verdicts report them.
pub fn silence_panics() {
    std::panic::set_hook(Box::new(|info| PANIC.with(|p| *p.borrow_mut() = info.to_string())));
}

fn ours(operation: &Operation, texts: &[String], limits: Limits) -> (Vec<Value>, Ours) {
    let budget = Budget::new(limits.ours);
    let mut values = Vec::new();
    let answer = catch_unwind(AssertUnwindSafe(|| {
        for (kind, text) in operation.kinds().into_iter().zip(texts) {
            match Value::parse(kind, text, &budget) {
                Ok(value) => values.push(value),
                Err(Error::Exhausted(_)) => return Ours::GaveUp,
                Err(error) => return Ours::Refused(format!("reading {text}: {error}")),
            }
        }
        match (operation.ours)(&values, &budget) {
            Ok(value) => Ours::Value(value),
            Err(Error::Exhausted(_)) => Ours::GaveUp,
            Err(error) => Ours::Refused(error.to_string()),
        }
    }));
    let answer = answer.unwrap_or_else(|_| Ours::Panicked(PANIC.with(|p| p.borrow().clone())));
    (values, answer)
}

/// The verdict on one case in this process: isl may crash at its limit or run long without one.
pub fn judge(isl: &Isl, operation: &Operation, texts: &[String], limits: Limits) -> Verdict {
    judge_with(isl, operation, texts, limits, &mut |_| ())
}

/// The verdict on one case; `step` hears `I` before isl works, `O` before we do, `J` before the comparison.
pub(super) fn judge_with(
    isl: &Isl,
    operation: &Operation,
    texts: &[String],
    limits: Limits,
    step: &mut dyn FnMut(u8),
) -> Verdict {
    step(b'I');
    isl.set_limit(limits.isl);
    let mut objects = Vec::new();
    for (kind, text) in operation.kinds().into_iter().zip(texts) {
        match isl.read(kind, text) {
            Ok(object) => objects.push(object),
            Err(Failure::Quota) => return Verdict::IslGaveUp,
            Err(failure) => return Verdict::Void(format!("reading {text}: {failure}")),
        }
    }
    let theirs = operation.run_isl(&objects);
    step(b'O');
    let (values, ours) = ours(operation, texts, limits);
    step(b'J');
    let ours = match ours {
        Ours::Panicked(text) => return Verdict::Disagreed(format!("we panic: {text}")),
        Ours::GaveUp => return Verdict::OursGaveUp,
        // A stated limit of counting, which is counted as giving up.
        Ours::Refused(text) if text.contains("is not supported; at most") => return Verdict::OursGaveUp,
        Ours::Refused(text) => {
            return match theirs {
                Err(Failure::Error(_)) => Verdict::BothRefused,
                Err(Failure::Quota) => Verdict::IslGaveUp,
                Err(Failure::Missing(_)) => Verdict::Void("missing in isl".into()),
                Ok(theirs) => Verdict::Disagreed(format!("we refuse: {text}; isl: {}", show(&theirs))),
            };
        }
        Ours::Value(value) => value,
    };
    let theirs = match theirs {
        Ok(theirs) => theirs,
        Err(Failure::Quota) => return Verdict::IslGaveUp,
        Err(Failure::Missing(name)) => return Verdict::Void(format!("isl has no {name}")),
        // isl does not align parameters in every operation.
        Err(Failure::Error(text)) => return Verdict::Void(format!("isl refuses: {text}")),
    };
    let limit = limits.isl.saturating_mul(5);
    isl.set_limit(limit);
    // isl improves operands in place while it works on them: what is compared is read again.
    let mut fresh = Vec::new();
    if !matches!(operation.judge, Judge::Equal)
        || ["map.fixed_power", "set.max_aff", "set.min_aff"].contains(&operation.name)
    {
        for (kind, text) in operation.kinds().into_iter().zip(texts) {
            match isl.read(kind, text) {
                Ok(object) => fresh.push(object),
                Err(_) => return Verdict::IslGaveUp,
            }
        }
    }
    let case = Case {
        limit,
        operation: operation.name,
        isl,
        judge: operation.judge,
        objects: &fresh,
        values: &values,
        theirs: &theirs,
        ours: &ours,
    };
    let comparison = case.compare();
    let refuted = matches!(comparison, Ok(Some(_))) && case.isl_is_refuted();
    isl.set_limit(0);
    match comparison {
        Ok(None) => Verdict::Agreed,
        Ok(Some(_)) if refuted => Verdict::Contradicted(format!(
            "isl's answer contradicts the definition, ours does not\n    ours: {ours}\n    isl:  {}",
            show(&theirs)
        )),
        Ok(Some(why)) => Verdict::Disagreed(format!("{why}\n    ours: {ours}\n    isl:  {}", show(&theirs))),
        Err(Failure::Quota) => Verdict::IslGaveUp,
        Err(Failure::Missing(what)) => Verdict::Void(format!("isl has no {what}")),
        Err(failure) => Verdict::Disagreed(format!("{failure}\n    ours: {ours}\n    isl:  {}", show(&theirs))),
    }
}

fn show(answer: &Answer<'_>) -> String {
    match answer {
        Answer::Object(object) => object.to_string(),
        Answer::Flagged(object, exact) => format!("{object} (exact: {exact})"),
        Answer::Bool(value) => value.to_string(),
        Answer::Text(text) => text.clone(),
    }
}

/// Why the answers differ, or nothing.
pub(super) type Difference = crate::isl::Result<Option<&'static str>>;

pub(super) struct Case<'a, 'l> {
    limit: u64,
    pub(super) operation: &'static str,
    pub(super) isl: &'l Isl,
    judge: Judge,
    pub(super) objects: &'a [Object<'l>],
    values: &'a [Value],
    pub(super) theirs: &'a Answer<'l>,
    pub(super) ours: &'a Value,
}

impl<'l> Case<'_, 'l> {
    fn compare(&self) -> Difference {
        match (self.theirs, self.ours) {
            (Answer::Bool(theirs), Value::Bool(ours)) => Ok((theirs != ours).then_some("truth values differ")),
            (Answer::Object(theirs), ours) if theirs.kind() == Kind::Val => {
                Ok((theirs.to_string() != ours.to_string()).then_some("values differ"))
            }
            (Answer::Text(theirs), ours) => Ok((*theirs != ours.to_string()).then_some("values differ")),
            (Answer::Object(theirs), ours) => self.object(theirs, ours),
            (Answer::Flagged(theirs, exact), Value::Flagged(ours, our_exact)) => {
                self.flagged(theirs, *exact, ours, *our_exact)
            }
            _ => Ok(Some("the results are of different types")),
        }
    }

    /// Reads our result. Reading can be long work for isl, and fails in misleading words when the limit is reached.
    pub(super) fn read(&self, kind: Kind, value: &Value) -> crate::isl::Result<Object<'l>> {
        self.isl.set_limit(self.limit.saturating_mul(4));
        let object = self.isl.read(kind, &value.to_string());
        self.isl.set_limit(self.limit);
        object
    }

    fn object(&self, theirs: &Object<'l>, value: &Value) -> Difference {
        if let Value::Point(space, point) = value {
            return self.sample(space, point.as_deref());
        }
        let kind = theirs.kind();
        let text = value.to_string();
        if text.contains("{  }") && matches!(kind, Kind::UnionPwAff | Kind::MultiUnionPwAff) {
            return self.empty_function(theirs, value);
        }
        let ours = self.read(kind, value)?;
        let Some(operand) = self.objects.first() else { return equal(theirs, &ours, "the results differ") };
        match self.judge {
            Judge::Gist(function) if kind == Kind::Aff => {
                // SAFETY: the table names the function that restricts a piecewise function to a set.
                unsafe {
                    let (operand, ours) = (piecewise(operand)?, piecewise(&ours)?);
                    let operand = self.isl.give2(function, Kind::PwAff, &operand, &self.objects[1])?;
                    let ours = self.isl.give2(function, Kind::PwAff, &ours, &self.objects[1])?;
                    equal(&operand, &ours, "the values inside the context changed")
                }
            }
            Judge::Equal => equal(theirs, &ours, "the results differ"),
            Judge::EqualOrEmpty => {
                if equal(theirs, &ours, "")?.is_none() || (is_empty(theirs)? && is_empty(&ours)?) {
                    return Ok(None);
                }
                Ok(Some("the results differ"))
            }
            Judge::Coalesce => {
                if value.n_disjuncts() > self.values[0].n_disjuncts() {
                    return Ok(Some("more disjuncts than before"));
                }
                equal(operand, &ours, "the points changed")
            }
            Judge::Gist(function) => {
                // SAFETY: the table names the function that intersects with the second operand.
                let both = unsafe {
                    (
                        self.isl.give2(function, kind, operand, &self.objects[1])?,
                        self.isl.give2(function, kind, &ours, &self.objects[1])?,
                    )
                };
                equal(&both.0, &both.1, "the points inside the context changed")
            }
            Judge::Contains => self.contains(theirs, &ours),
            Judge::Facets => {
                if self.contains(operand, &ours)?.is_some() {
                    return Ok(Some("the hull does not contain the operand"));
                }
                if value.n_disjuncts() > 1 {
                    return Ok(Some("the hull has several disjuncts"));
                }
                Ok(loose_facet(value, &self.values[0]).then_some("a facet contains no point"))
            }
            Judge::Hull | Judge::TightHull => {
                if value.n_disjuncts() > value.n_members() {
                    return Ok(Some("the hull has several disjuncts"));
                }
                if self.contains(operand, &ours)?.is_some() {
                    return Ok(Some("the hull does not contain the operand"));
                }
                // isl's affine hull can have inequalities between its divisions and other variables: no affine hull.
                let affine = !theirs.to_string().contains(['<', '>']);
                if self.judge == Judge::TightHull && affine && self.contains(&ours, theirs)?.is_some() {
                    return Ok(Some("isl's hull does not contain ours"));
                }
                Ok(None)
            }
            Judge::Sample => Ok(Some("not a point")),
            Judge::Closure => Ok(Some("no flag")),
            Judge::Disjoint => {
                if !disjoint(value) {
                    return Ok(Some("the disjuncts are not disjoint"));
                }
                equal(operand, &ours, "the points changed")
            }
        }
    }

    /// isl cannot read the union function without pieces that it prints: the domains must be empty.
    fn empty_function(&self, theirs: &Object<'l>, value: &Value) -> Difference {
        let (name, otherwise) = match theirs.kind() {
            Kind::UnionPwAff => ("isl_union_pw_aff_domain", "we have no piece, isl has one"),
            _ => ("isl_multi_union_pw_aff_domain", "a component of ours has no piece, and isl's function has a domain"),
        };
        let several = value.to_string().matches('{').count() > 1;
        // SAFETY: the function takes an object of this type.
        let domain = unsafe { self.isl.give1(name, Kind::UnionSet, theirs)? };
        Ok((!is_empty(&domain)? && (several || theirs.kind() == Kind::UnionPwAff)).then_some(otherwise))
    }

    pub(super) fn contains(&self, inner: &Object<'l>, outer: &Object<'l>) -> Difference {
        let name = match inner.kind() {
            Kind::Set => "isl_set_is_subset",
            Kind::Map => "isl_map_is_subset",
            Kind::UnionSet => "isl_union_set_is_subset",
            Kind::UnionMap => "isl_union_map_is_subset",
            _ => return Ok(Some("no test for containment")),
        };
        // SAFETY: the function belongs to the type of both objects.
        let inside = unsafe { self.isl.test2(name, inner, outer)? };
        Ok((!inside).then_some("our result does not contain isl's"))
    }

    fn sample(
        &self,
        space: &tessera_polyhedral::space::Space,
        point: Option<&[tessera_polyhedral::arith::Int]>,
    ) -> Difference {
        let operand = &self.objects[0];
        let set = match point {
            Some(point) => tessera_polyhedral::relation::Set::from_point(space, point),
            None => Ok(tessera_polyhedral::relation::Set::empty(space.clone())),
        };
        let Ok(set) = set else { return Ok(Some("the sample has another length")) };
        let set = self.isl.read(Kind::Set, &set.to_string())?;
        match point {
            Some(_) => Ok(self.contains(&set, operand)?.map(|_| "the sample is not in the set")),
            None => equal(&set, operand, "no sample of a set that is not empty"),
        }
    }

    fn flagged(&self, theirs: &Object<'l>, exact: bool, ours: &Value, our_exact: bool) -> Difference {
        let ours = self.read(theirs.kind(), ours)?;
        match (exact, our_exact) {
            // isl gives an empty result another space than other results.
            (true, true) if is_empty(theirs)? && is_empty(&ours)? => Ok(None),
            (true, true) => equal(theirs, &ours, "both are exact and differ"),
            (true, false) => self.contains(theirs, &ours),
            // isl's inexact results do not always contain the exact one, so they judge nothing.
            (false, _) => Ok((!self.holds(&ours, our_exact)?).then_some("our result contradicts the definition")),
        }
    }
}

fn equal(a: &Object<'_>, b: &Object<'_>, otherwise: &'static str) -> Difference {
    Ok((!a.is_equal(b)? && !piecewise(a)?.is_equal(&piecewise(b)?)?).then_some(otherwise))
}

/// The same function, of a type for which isl has a semantic test for equality.
fn piecewise<'l>(function: &Object<'l>) -> crate::isl::Result<Object<'l>> {
    let isl = function.isl();
    // SAFETY: the functions convert between these types.
    unsafe {
        match function.kind() {
            Kind::Aff => isl.give1("isl_pw_aff_from_aff", Kind::PwAff, function),
            Kind::MultiAff => isl.give1("isl_pw_multi_aff_from_multi_aff", Kind::PwMultiAff, function),
            Kind::UnionPwAff => isl.give1("isl_union_map_from_union_pw_aff", Kind::UnionMap, function),
            Kind::UnionPwMultiAff => isl.give1("isl_union_map_from_union_pw_multi_aff", Kind::UnionMap, function),
            Kind::MultiUnionPwAff => isl.give1("isl_union_map_from_multi_union_pw_aff", Kind::UnionMap, function),
            kind => isl.object(kind, function.take()),
        }
    }
}

/// Whether an inequality of a hull is not tight at any point of a bounded set with local variables, which is
/// enumerated.
fn loose_facet(hull: &Value, set: &Value) -> bool {
    let (Value::Set(hull), Value::Set(set)) = (hull, set) else { return true };
    if set.conjunctions().iter().all(|c| c.n_local() == 0) {
        return false;
    }
    // A disagreement is reduced until the set is unbounded, too.
    let Ok(points) = set.points(&Budget::unlimited()) else { return false };
    let touches = |row: &[Int]| points.iter().any(|p| (&row[0] + dot(&row[1..=p.len()], p)).is_zero());
    !hull.conjunctions().iter().all(|c| c.n_local() == 0 && c.ineqs().iter().all(|row| touches(row)))
}

/// Whether no two disjuncts share a point.
fn disjoint(value: &Value) -> bool {
    let budget = Budget::unlimited();
    let Value::Set(set) = value else { return false };
    let parts: Vec<_> = set.parts().collect();
    parts.iter().enumerate().all(|(k, a)| parts[..k].iter().all(|b| a.is_disjoint(b, &budget).unwrap_or(false)))
}
