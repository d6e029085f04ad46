//! The moves of a [`Tableau`]: rows come and go, owners are exchanged, a row is walked up or down. The sample point
//! satisfies every constraint before and after each of them.

use std::cmp::Ordering;

use super::{Limit, TEMPORARY, Tableau, Unknown};
use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::lp::rows::{CONSTANT, FIRST};

/// The end of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    /// No column moves the row any further.
    Optimal,
    /// The row can move without end.
    Unbounded,
    /// The row would cross zero in the next step; that step was not made.
    Crosses,
}

/// The direction of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Up = 1,
    Down = -1,
}

/// The next exchange of a walk: a column, and the restricted row that blocks its movement, if one does.
pub(super) struct Step {
    pub(super) column: usize,
    pub(super) blocking: Option<usize>,
}

impl Tableau {
    /// Appends a row with the value of `row`, written in the present columns.
    pub(super) fn push_row(&mut self, row: &[Int], budget: &Budget) -> Result<usize, Exhausted> {
        debug_assert_eq!(row.len(), self.n_var + 1, "a row has a constant and one coefficient per variable");
        budget.spend(1)?;
        let r = self.rows.len();
        self.rows.push_zero();
        self.row_owner.push(TEMPORARY);
        for (position, x) in row.iter().enumerate() {
            if x.is_zero() {
                continue;
            }
            match position.checked_sub(1).map(|v| self.unknowns[v]) {
                None => self.rows.add_at(r, CONSTANT, x),
                Some(u) if u.in_row => self.rows.add_multiple(r, x, u.at),
                Some(u) => self.rows.add_at(r, FIRST + u.at, x),
            }
        }
        Ok(r)
    }

    /// Removes a row; the last row takes its place.
    pub(super) fn pop_row(&mut self, r: usize) {
        self.rows.swap_remove(r);
        self.row_owner.swap_remove(r);
        if let Some(&moved) = self.row_owner.get(r)
            && moved != TEMPORARY
        {
            self.unknowns[moved].at = r;
        }
    }

    /// Exchanges the owners of a row and a column. The exchange is complete even if the budget ends with it.
    pub(super) fn pivot(&mut self, r: usize, c: usize, budget: &Budget) -> Result<(), Exhausted> {
        let changed = self.pivot_free(r, c);
        budget.spend(changed)
    }

    pub(super) fn pivot_free(&mut self, r: usize, c: usize) -> u64 {
        let (leaving, entering) = (self.row_owner[r], self.col_owner[c]);
        let changed = self.rows.pivot(r, FIRST + c);
        self.row_owner[r] = entering;
        self.col_owner[c] = leaving;
        (self.unknowns[leaving].in_row, self.unknowns[leaving].at) = (false, c);
        (self.unknowns[entering].in_row, self.unknowns[entering].at) = (true, r);
        changed
    }

    pub(super) fn is_live(&self, c: usize) -> bool {
        self.unknowns[self.col_owner[c]].limit != Limit::Dead
    }

    pub(super) fn is_restricted_row(&self, r: usize) -> bool {
        self.unknowns.get(self.row_owner[r]).is_some_and(|u| u.limit == Limit::Restricted)
    }

    /// The restricted row, other than `except`, that reaches 0 first when column `c` moves up or down from 0. Ties go
    /// to the smallest unknown.
    pub(super) fn blocking_row(&self, c: usize, direction: Direction, except: Option<usize>) -> Option<usize> {
        let mut best: Option<usize> = None;
        for r in 0..self.rows.len() {
            if self.rows.sign(r, FIRST + c) * (direction as i32) >= 0 || Some(r) == except || !self.is_restricted_row(r)
            {
                continue;
            }
            let better = best.is_none_or(|b| {
                let order = self.rows.compare_ratios(r, b, FIRST + c);
                order.then(self.row_owner[r].cmp(&self.row_owner[b])) == Ordering::Less
            });
            if better {
                best = Some(r);
            }
        }
        best
    }

    /// The next step that moves row `r` in a direction, or none if it is at its optimum.
    pub(super) fn next_step(&self, r: usize, direction: Direction) -> Option<Step> {
        let mut best: Option<((bool, usize), usize, Direction)> = None;
        for c in 0..self.n_var {
            let sign = self.rows.sign(r, FIRST + c) * (direction as i32);
            let owner = self.col_owner[c];
            let limit = self.unknowns[owner].limit;
            if sign == 0 || limit == Limit::Dead || (limit == Limit::Restricted && sign < 0) {
                continue;
            }
            let key = (limit == Limit::Restricted, owner);
            if best.is_none_or(|(k, ..)| key < k) {
                best = Some((key, c, if sign > 0 { Direction::Up } else { Direction::Down }));
            }
        }
        let (_, column, way) = best?;
        Some(Step { column, blocking: self.blocking_row(column, way, Some(r)) })
    }

    /// Moves row `r` as far as it goes. With `stop`, the walk ends before a step after which the value of the row
    /// would compare so to 0; the row must not compare so at the start.
    pub(super) fn walk(
        &mut self,
        r: usize,
        direction: Direction,
        stop: Option<Ordering>,
        budget: &Budget,
    ) -> Result<Walk, Exhausted> {
        loop {
            budget.spend(1)?;
            let Some(Step { column, blocking }) = self.next_step(r, direction) else { return Ok(Walk::Optimal) };
            let Some(blocking) = blocking else { return Ok(Walk::Unbounded) };
            let crosses = match stop {
                None => false,
                // Downwards: the row falls below 0 if it reaches 0 strictly before the blocking row does.
                Some(Ordering::Less) => self.rows.compare_ratios(r, blocking, FIRST + column) == Ordering::Less,
                // Upwards from 0: every step that is not degenerate raises it.
                Some(_) => self.rows.sign(blocking, CONSTANT) > 0,
            };
            if crosses {
                return Ok(Walk::Crosses);
            }
            self.pivot(blocking, column, budget)?;
        }
    }

    /// Moves row `r` in a direction until its value is not on the far side of 0. Returns false if it cannot reach 0.
    /// If it had to move, its unknown owns a column in the end.
    pub(super) fn move_to_zero(&mut self, r: usize, direction: Direction, budget: &Budget) -> Result<bool, Exhausted> {
        while self.rows.sign(r, CONSTANT) * (direction as i32) < 0 {
            budget.spend(1)?;
            let Some(Step { column, blocking }) = self.next_step(r, direction) else { return Ok(false) };
            match blocking {
                Some(b) if self.rows.compare_ratios(b, r, FIRST + column) == Ordering::Less => {
                    self.pivot(b, column, budget)?;
                }
                _ => {
                    self.pivot(r, column, budget)?;
                    return Ok(true);
                }
            }
        }
        Ok(true)
    }

    /// A row with which column `c` can be exchanged so that the sample point stays feasible, or none if no row depends
    /// on it.
    pub(super) fn exchange_row(&self, c: usize) -> Option<usize> {
        self.blocking_row(c, Direction::Up, None)
            .or_else(|| self.blocking_row(c, Direction::Down, None))
            // No restricted row depends on the column, so the exchange changes no restricted constant.
            .or_else(|| (0..self.rows.len()).find(|&r| self.rows.sign(r, FIRST + c) != 0))
    }

    /// The row of an unknown, which stays non-negative. If the unknown owns a column and can move from 0 in the given
    /// direction while all others stay feasible, the answer is none.
    pub(super) fn row_at_zero_or_above(
        &mut self,
        unknown: usize,
        direction: Direction,
        budget: &Budget,
    ) -> Result<Option<usize>, Exhausted> {
        let Unknown { in_row, at, .. } = self.unknowns[unknown];
        if in_row {
            return Ok(Some(at));
        }
        match self.blocking_row(at, direction, None) {
            // A blocking row that is 0 itself can take the place of the column without moving the sample point.
            Some(blocking) if self.rows.sign(blocking, CONSTANT) == 0 => {
                self.pivot(blocking, at, budget)?;
                Ok(Some(blocking))
            }
            _ => Ok(None),
        }
    }

    /// Removes the newest constraint.
    pub(super) fn remove_last_unknown(&mut self) {
        let Some(&Unknown { in_row, at, .. }) = self.unknowns.last() else { return };
        let r = if in_row {
            Some(at)
        } else {
            // Some row depends on the column: the variables are independent, and without the column they would not be.
            let r = self.exchange_row(at);
            if let Some(r) = r {
                self.pivot_free(r, at);
            }
            r
        };
        self.unknowns.pop();
        if let Some(r) = r {
            self.pop_row(r);
        }
    }
}
