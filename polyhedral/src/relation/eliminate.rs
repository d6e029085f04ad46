//! Projection and elimination of existentially quantified variables, exact over the integers.
//!
//! Projection turns dimensions into existentials; simplification removes those that it can. What is left can be made
//! explicit ([`Relation::make_divs_explicit`]): an existential `x` with lower bounds `ceil(l / a)` and upper bounds
//! `floor(u / b)` has a value exactly if the least upper bound is a value, so the conjunction is the union, over the upper
//! bounds, of the conjunctions in which `x` is that bound. Where the bounds of both sides contain other existentials, the
//! dark shadow and the splinters of the Omega test (Pugh, 1991) remove the variable instead.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::space::{DimKind, Space};

use super::conjunction::Conjunction;
use super::existentials::shadows;
use super::row::{self, Row};
use super::{Relation, check_dims};

/// How many more rows than it removes one elimination may add during projection.
const PROJECTION_GROWTH: usize = 16;

impl Conjunction {
    /// Moves the columns of the space as `map` says; those without a place become existentials. Not simplified.
    pub(crate) fn existentialize(&self, space: Space, map: &[Option<usize>]) -> Conjunction {
        let base = space.n_col();
        let n_local = self.locals.len();
        let mut next = base + n_local;
        let mut full: Vec<usize> = Vec::with_capacity(self.n_col());
        for place in map {
            full.push(place.unwrap_or(next));
            next += usize::from(place.is_none());
        }
        full.extend((0..n_local).map(|k| base + k));
        let rows = |rows: &[Row]| rows.iter().map(|r| row::remap(r, &full, next)).collect();
        let mut locals: Vec<_> = self.locals.clone();
        for div in locals.iter_mut().flatten() {
            div.row = row::remap(&div.row, &full, next);
        }
        locals.resize(next - base, None);
        Conjunction { locals, eqs: rows(&self.eqs), ineqs: rows(&self.ineqs), ..Conjunction::universe(space) }
    }

    /// Simplifies, then removes the existentials that a larger but still exact Fourier-Motzkin step removes.
    pub(super) fn simplify_projection(self, budget: &Budget) -> Result<Conjunction> {
        let mut result = self.simplify();
        budget.spend(result.weight())?;
        while let Some(k) = (0..result.n_local()).find(|&k| result.locals[k].is_none()) {
            // Found or not, this is the last one that the search sees at this position.
            let mut gone = false;
            for l in k..result.n_local() {
                if result.locals[l].is_none() && result.eliminate_existential(l, PROJECTION_GROWTH) {
                    gone = true;
                    break;
                }
            }
            if !gone {
                break;
            }
            result = result.simplify();
            budget.spend(result.weight())?;
        }
        Ok(result)
    }

    /// The same points as conjunctions without existentials.
    fn explicit(self, budget: &Budget) -> Result<Vec<Conjunction>> {
        let mut done = Vec::new();
        let mut work = vec![self];
        while let Some(mut c) = work.pop() {
            budget.spend(c.weight())?;
            if c.is_plainly_empty() {
                continue;
            }
            let unknown: Vec<usize> = (0..c.n_local()).filter(|&k| c.locals[k].is_none()).collect();
            if unknown.is_empty() {
                done.push(c);
                continue;
            }
            if unknown.iter().any(|&k| c.eliminate_existential(k, PROJECTION_GROWTH)) {
                work.push(c.simplify());
                continue;
            }
            work.extend(c.split_by_bounds(&unknown).map_or_else(|| c.splinter(&unknown, budget), Ok)?);
        }
        done.sort();
        done.dedup();
        Ok(done)
    }

    /// One conjunction for each bound of the smaller side of an existential whose bounds there use no other existential.
    fn split_by_bounds(&self, unknown: &[usize]) -> Option<Vec<Conjunction>> {
        let mut best: Option<(usize, Vec<Row>)> = None;
        for &k in unknown {
            let (lower, upper) = self.bounds(self.local_column(k));
            for side in [upper, lower] {
                let smaller = best.as_ref().is_none_or(|(_, b)| side.len() < b.len());
                if smaller && side.iter().all(|r| self.is_free_of_existentials(r, k)) {
                    best = Some((k, side));
                }
            }
        }
        let (k, side) = best?;
        let choose = |bound: &Row| {
            let mut c = self.clone();
            c.define_by_bound(k, bound);
            c.simplify()
        };
        Some(side.iter().map(choose).collect())
    }

    /// The dark shadow and the splinters of the existential with the fewest of them. The result has the same points.
    fn splinter(&self, unknown: &[usize], budget: &Budget) -> Result<Vec<Conjunction>> {
        let count = |k: usize| -> Int {
            let column = self.local_column(k);
            let (lower, upper) = self.bounds(column);
            let b = upper.iter().map(|r| -&r[column]).max().unwrap_or_default();
            lower.iter().map(|r| splinters(&r[column], &b)).sum()
        };
        let Some(&k) = unknown.iter().min_by_key(|&&k| count(k)) else { return Ok(vec![self.clone()]) };
        let column = self.local_column(k);
        let (lower, upper) = self.bounds(column);
        let mut dark = self.clone();
        dark.ineqs.retain(|r| r[column].is_zero());
        for low in &lower {
            for up in &upper {
                let (mut row, constant) = shadows(low, up, column);
                row[0] = constant;
                dark.ineqs.push(row);
            }
        }
        dark.columns().remove_local(k);
        let mut result = vec![dark.simplify()];
        let b = upper.iter().map(|r| -&r[column]).max().unwrap_or_default();
        for low in &lower {
            let last = splinters(&low[column], &b);
            let mut offset = Int::zero();
            while offset < last {
                budget.spend(self.weight())?;
                let mut c = self.clone();
                let mut eq = low.clone();
                eq[0] -= &offset;
                c.add_eq(eq);
                result.push(c.simplify());
                offset += 1;
            }
        }
        Ok(result)
    }

    /// Projects the existentials out over the rationals: a superset.
    pub(super) fn without_existentials(mut self, budget: &Budget) -> Result<Conjunction> {
        loop {
            let Some(k) = (0..self.n_local()).find(|&k| self.locals[k].is_none()) else { return Ok(self.simplify()) };
            budget.spend(self.weight())?;
            let column = self.local_column(k);
            let (lower, upper) = self.bounds(column);
            budget.spend((lower.len() * upper.len()) as u64)?;
            self.ineqs.retain(|r| r[column].is_zero());
            for low in &lower {
                for up in &upper {
                    self.ineqs.push(shadows(low, up, column).0);
                }
            }
            self.columns().remove_local(k);
            self = self.simplify();
        }
    }
}

/// The number of splinters of a lower bound with coefficient `a` when the greatest coefficient of an upper bound is `b`:
/// `floor((a b - a - b) / b) + 1`.
fn splinters(a: &Int, b: &Int) -> Int {
    if b.is_zero() {
        return Int::zero();
    }
    let count = (a * b - a - b).div_floor(b) + 1;
    count.max(Int::zero())
}

impl Relation {
    /// Applies [`Conjunction::existentialize`] to every part.
    pub(super) fn existentialized(&self, space: Space, map: &[Option<usize>], budget: &Budget) -> Result<Relation> {
        let mut result = Relation::empty(space.clone());
        for part in self.parts() {
            result.push(part.existentialize(space.clone(), map).simplify_projection(budget)?);
        }
        Ok(result)
    }

    pub(crate) fn project_out(&self, kind: DimKind, first: usize, n: usize, budget: &Budget) -> Result<Relation> {
        check_dims("project out", &self.space, kind, first, n)?;
        if n == 0 {
            return Ok(self.clone());
        }
        let start = self.space.offset(kind) + first;
        let space = self.space.drop_dims(kind, first, n);
        let place = |c: usize| match c {
            c if c < start => Some(c),
            c if c < start + n => None,
            c => Some(c - n),
        };
        let map: Vec<Option<usize>> = (0..self.space.n_col()).map(place).collect();
        self.existentialized(space, &map, budget)
    }

    pub(crate) fn forget_dims(&self, kind: DimKind, first: usize, n: usize, budget: &Budget) -> Result<Relation> {
        check_dims("forget dimensions", &self.space, kind, first, n)?;
        let start = self.space.offset(kind) + first;
        let map: Vec<Option<usize>> =
            (0..self.space.n_col()).map(|c| (c < start || c >= start + n).then_some(c)).collect();
        self.existentialized(self.space.clone(), &map, budget)
    }

    pub(crate) fn params(&self, budget: &Budget) -> Result<Relation> {
        let n = self.space.offset(DimKind::In);
        let map: Vec<Option<usize>> = (0..self.space.n_col()).map(|c| (c < n).then_some(c)).collect();
        self.existentialized(self.space.params_space(), &map, budget)
    }

    pub(crate) fn domain(&self, budget: &Budget) -> Result<Relation> {
        let n = self.space.offset(DimKind::Out);
        let map: Vec<Option<usize>> = (0..self.space.n_col()).map(|c| (c < n).then_some(c)).collect();
        self.existentialized(self.space.domain(), &map, budget)
    }

    pub(crate) fn make_divs_explicit(&self, budget: &Budget) -> Result<Relation> {
        if self.parts.iter().all(Conjunction::has_only_known_divs) {
            return Ok(self.clone());
        }
        let mut result = Relation::empty(self.space.clone());
        for part in self.parts() {
            for piece in part.clone().explicit(budget)? {
                result.push(piece);
            }
        }
        Ok(result)
    }

    pub(crate) fn overapproximate_existentials(&self, budget: &Budget) -> Result<Relation> {
        let mut result = Relation::empty(self.space.clone());
        for part in self.parts() {
            result.push(part.clone().without_existentials(budget)?);
        }
        Ok(result)
    }

    /// The same relation without the parameters that no constraint uses.
    pub(crate) fn drop_unused_params(&self) -> Relation {
        let mut result = self.clone();
        for pos in (0..self.space.dim(DimKind::Param)).rev() {
            if result.parts.iter().any(|p| p.uses_column(1 + pos)) {
                continue;
            }
            let space = result.space.drop_dims(DimKind::Param, pos, 1);
            let map: Vec<usize> = (0..result.space.n_col()).map(|c| if c <= pos { c } else { c - 1 }).collect();
            result = result.remap_columns(space, &map);
        }
        result
    }
}
