//! Simplification of piecewise functions: in a context, and by merging pieces.

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::Set;

use super::piecewise::meet;
use super::{Expression, Piecewise};

impl<E: Expression> Piecewise<E> {
    /// A simpler function with the same values at the points of `context` where it is defined: conditions and terms
    /// that the context makes superfluous are dropped. Outside of the context the result can be anything, but stays a
    /// function.
    pub fn gist(&self, context: &Set, budget: &Budget) -> Result<Piecewise<E>> {
        let this = self.align_params(&self.space().align_params(context.space()));
        let context = context.align_params(this.space());
        let mut result = Piecewise::empty(this.space().clone());
        let mut taken: Option<Set> = None;
        for (set, expression) in this.pieces() {
            let inside = meet(set, &context, budget)?;
            if inside.is_empty(budget)? {
                continue;
            }
            let mut simpler = set.gist(&context, budget)?;
            // Outside of the context the simpler sets can overlap.
            if let Some(taken) = &taken {
                if !simpler.is_disjoint(taken, budget)? {
                    simpler = set.clone();
                }
                if !simpler.is_disjoint(taken, budget)? {
                    simpler = simpler.subtract(taken, budget)?;
                }
            }
            taken = Some(match taken {
                Some(taken) => taken.union(&simpler)?,
                None => simpler.clone(),
            });
            result.push(simpler, expression.gist(&inside, budget)?);
        }
        Ok(result)
    }

    /// Like [`Piecewise::gist`] with a context that only constrains the parameters.
    pub fn gist_params(&self, context: &Set, budget: &Budget) -> Result<Piecewise<E>> {
        let all = Set::universe(self.domain_space()).intersect_params(context, budget)?;
        self.gist(&all, budget)
    }

    /// The same function as fewer pieces where cheap tests find them: empty pieces are dropped, pieces whose
    /// expressions are equal, or have equal values on one of the two sets, are merged; the sets are coalesced. Exact.
    pub fn coalesce(&self, budget: &Budget) -> Result<Piecewise<E>> {
        let mut merged: Vec<(Set, E)> = Vec::new();
        'pieces: for (set, expression) in self.pieces() {
            if set.is_empty(budget)? {
                continue;
            }
            for (other_set, other) in &mut merged {
                let keep_other = other == expression || agrees(set, expression, other, budget)?;
                if keep_other || agrees(other_set, other, expression, budget)? {
                    *other_set = other_set.union(set)?;
                    if !keep_other {
                        *other = expression.clone();
                    }
                    continue 'pieces;
                }
            }
            merged.push((set.clone(), expression.clone()));
        }
        let mut result = Piecewise::empty(self.space().clone());
        for (set, expression) in merged {
            result.push(set.coalesce(budget)?, expression);
        }
        Ok(result)
    }
}

/// Whether two different expressions have the same values on a set. Only tried where the set has equalities or
/// divisions, that is, where it can be so.
fn agrees<E: Expression>(set: &Set, a: &E, b: &E, budget: &Budget) -> Result<bool> {
    let thin = set.conjunctions().iter().all(|c| !c.eqs().is_empty() || c.n_local() > 0);
    Ok(thin && set.is_disjoint(&a.ne_set(b)?, budget)?)
}
