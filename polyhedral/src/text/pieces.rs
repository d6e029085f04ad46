//! Values with conditions, `(e : c; f : d)`: a sum of functions, each of them given where its condition holds.

use crate::error::Result;
use crate::relation::{Conjunction, Set};

use super::lower::Evaluator;
use super::syntax::{Expr, Formula};
use super::value::{Cases, Value};

impl<'a> Evaluator<'a, '_> {
    /// The cases of values with conditions. Where several conditions hold, the values are added, as for isl.
    pub(super) fn sum_of_pieces(&mut self, pieces: &[(Expr<'a>, Formula<'a>)], c: Conjunction) -> Result<Cases> {
        let mut parts: Vec<Cases> = Vec::with_capacity(pieces.len());
        for (value, condition) in pieces {
            let mut part = Vec::new();
            for c in self.formula(condition, true, self.copy(&c)?)? {
                part.extend(self.cases(value, c)?);
            }
            parts.push(part);
        }
        if !self.overlap(&parts)? {
            return self.prune(parts.into_iter().flatten().collect());
        }
        let mut states: Vec<(Conjunction, Option<Value>)> = vec![(c, None)];
        for (value, condition) in pieces {
            let mut next = Vec::new();
            for (c, sum) in states {
                let outside = self.formula(condition, false, self.copy(&c)?)?;
                next.extend(outside.into_iter().map(|c| (c, sum.clone())));
                for c in self.formula(condition, true, c)? {
                    for (c, value) in self.cases(value, c)? {
                        let mut sum = sum.clone().unwrap_or_else(|| Value::zero(1));
                        sum.add(false, &value);
                        next.push((c, Some(sum)));
                    }
                }
            }
            states = self.prune(next)?;
        }
        Ok(states.into_iter().filter_map(|(c, sum)| Some((c, sum?))).collect())
    }

    /// Whether two of several alternatives may have a point in common.
    fn overlap(&self, parts: &[Cases]) -> Result<bool> {
        let mut seen: Vec<Set> = Vec::with_capacity(parts.len());
        for part in parts {
            let Some((first, _)) = part.first() else { continue };
            for (c, _) in part {
                self.pay_simplification(c)?;
            }
            let space = first.space().clone();
            let set = Set::from_conjunctions(space, part.iter().map(|(c, _)| c.clone()).collect())?;
            for other in &seen {
                if !set.intersect(other, self.budget)?.is_empty(self.budget)? {
                    return Ok(true);
                }
            }
            seen.push(set);
        }
        Ok(false)
    }
}
