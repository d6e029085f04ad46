//! How close the ends of a constraint are: what clusters are chosen and accepted by.

use crate::arith::{Int, Matrix, Row, dot};
use crate::budget::Budget;
use crate::error::Result;

use super::cone::{Cone, opposite};
use super::graph::{Edge, Graph};
use super::statement::Statement;

/// Distances up to this are close.
const CLOSE: i64 = 2;

impl Graph {
    /// Whether no member of the present band gives pairs of an edge a negative distance.
    pub(super) fn is_respected(&self, edge: &Edge, budget: &Budget) -> Result<bool> {
        let (source, sink) = (&self.statements[edge.source], &self.statements[edge.sink]);
        let cone = edge.cone(budget)?;
        let mut rows = self.band_start..source.rows.len();
        Ok(rows.all(|k| {
            let distance = edge.distance(&source.rows[k], &sink.rows[k], self.n_param());
            cone.range(&distance).not_negative
        }))
    }

    /// Whether the ends of a constraint are close in all members (in the second pass: in all but some with a fixed
    /// end).
    pub(super) fn is_close(
        &self,
        edge: &Edge,
        weight: usize,
        (source, sink): (&Statement, &Statement),
        second: bool,
        budget: &Budget,
    ) -> Result<bool> {
        let cone = edge.cone(budget)?;
        let n_param = self.n_param();
        let members = source.rows.len() - self.band_start;
        let mut slack = if second { members.saturating_sub(weight) } else { 0 };
        for k in self.band_start..source.rows.len() {
            let mut distance = edge.distance(&source.rows[k], &sink.rows[k], n_param);
            distance[0] += CLOSE;
            let below = cone.range(&distance).not_negative;
            distance[0] -= 2 * CLOSE;
            let above = cone.range(&opposite(&distance)).not_negative;
            if below && above {
                continue;
            }
            let split = 1 + n_param + source.n;
            let fixed = is_fixed(&cone, &source.rows[k], n_param, 1 + n_param..split)
                || is_fixed(&cone, &sink.rows[k], n_param, split..split + sink.n);
            if slack == 0 || !fixed {
                return Ok(false);
            }
            slack -= 1;
        }
        Ok(true)
    }

    /// The number of equalities between the coordinates of source and sink that outer rows do not determine.
    pub(super) fn weight(&self, edge: &Edge, budget: &Budget) -> Result<usize> {
        if edge.source == edge.sink {
            return Ok(0);
        }
        let first = 1 + self.n_param();
        let (source, sink) = (&self.statements[edge.source], &self.statements[edge.sink]);
        let split = first + source.n;
        let cone = edge.cone(budget)?;
        let (mut params, mut left, mut right, mut both) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for g in cone.rows() {
            let x: Vec<Int> = source.directions.iter().map(|d| dot(d, &g[first..split])).collect();
            let y: Vec<Int> = sink.directions.iter().map(|d| dot(d, &g[split..])).collect();
            let p = g[..first].to_vec();
            left.push([&p[..], &x].concat());
            right.push([&p[..], &y].concat());
            both.push([&p[..], &x, &y].concat());
            params.push(p);
        }
        let rank = |rows: &[Vec<Int>]| rows.first().map_or(0, |r| Matrix::from_rows(r.len(), rows).rank());
        Ok((rank(&left) + rank(&right)).saturating_sub(rank(&both) + rank(&params)))
    }
}

/// Whether a row has the same value at all points of a cone; its coordinates are the columns `at`.
fn is_fixed(cone: &Cone, row: &[Int], n_param: usize, at: std::ops::Range<usize>) -> bool {
    let value = |g: &Row| dot(&row[..=n_param], &g[..=n_param]) + dot(&row[1 + n_param..], &g[at.clone()]);
    let Some(vertex) = cone.rays.iter().find(|g| g[0].is_positive()) else { return false };
    let (v, t) = (value(vertex), &vertex[0]);
    cone.rows().all(|g| value(g) * t == &v * &g[0])
}
