//! The unknowns of the linear programs that find a row of a schedule, and constraints over them.
//!
//! The unknowns of a statement with `d` coordinates and `p` parameters follow each other as
//!
//! ```text
//! -x_{d-1} +x_{d-1} .. -x_0 +x_0   n_0 .. n_{p-1}   constant
//! ```
//!
//! where the coefficient of coordinate `k` is `(+x_k) - (-x_k)`: unknowns are never negative, and so the sum of both is
//! the absolute value at a minimum. Coordinates come in reverse so that a lexicographic minimum prefers rows of early
//! coordinates, and the negative part comes first so that it prefers positive coefficients. Coefficients of parameters
//! and constants can be taken as not negative: adding the same to all rows changes no order.
//!
//! Source: S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, sections 6.3.2 and 6.4.4.

use crate::arith::{Int, Row};

use super::statement::Statement;
use super::tableau::Linear;

/// Where the unknowns of every statement are.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    n_param: usize,
    parametric: bool,
    /// By statement: the first unknown and the number of coordinates.
    blocks: Vec<(usize, usize)>,
    end: usize,
}

impl Layout {
    /// The unknowns of statements with the given numbers of coordinates, from the unknown `first` on.
    pub(super) fn new(
        n_param: usize,
        parametric: bool,
        sizes: impl IntoIterator<Item = usize>,
        first: usize,
    ) -> Layout {
        let mut end = first;
        let mut blocks = Vec::new();
        for d in sizes {
            blocks.push((end, d));
            end += 2 * d + if parametric { n_param } else { 0 } + 1;
        }
        Layout { n_param, parametric, blocks, end }
    }

    /// The layout of the statements of a graph.
    pub(super) fn of(statements: &[Statement], parametric: bool, first: usize) -> Layout {
        let n_param = statements.first().map_or(0, Statement::n_param);
        Layout::new(n_param, parametric, statements.iter().map(|s| s.n), first)
    }

    /// The first unknown behind those of the statements.
    pub(super) fn end(&self) -> usize {
        self.end
    }

    /// The unknowns of the negative and the positive part of a coefficient.
    pub(super) fn coordinate(&self, statement: usize, k: usize) -> (usize, usize) {
        let (first, d) = self.blocks[statement];
        let at = first + 2 * (d - 1 - k);
        (at, at + 1)
    }

    /// The unknown of the coefficient of a parameter, if parameters may occur.
    pub(super) fn param(&self, statement: usize, k: usize) -> Option<usize> {
        let (first, d) = self.blocks[statement];
        self.parametric.then_some(first + 2 * d + k)
    }

    /// The unknown of the constant.
    pub(super) fn constant(&self, statement: usize) -> usize {
        let (first, d) = self.blocks[statement];
        first + 2 * d + if self.parametric { self.n_param } else { 0 }
    }

    /// The sum of all coefficients of parameters.
    pub(super) fn sum_of_params(&self) -> Linear {
        let mut sum = Linear::new(0);
        for s in 0..self.blocks.len() {
            (0..self.n_param).filter_map(|k| self.param(s, k)).for_each(|u| sum.add(u, Int::one()));
        }
        sum
    }

    /// The sum of the absolute values of all coefficients of coordinates.
    pub(super) fn sum_of_coordinates(&self) -> Linear {
        let mut sum = Linear::new(0);
        for (s, &(_, d)) in self.blocks.iter().enumerate() {
            for k in 0..d {
                let (negative, positive) = self.coordinate(s, k);
                sum.add(negative, Int::one());
                sum.add(positive, Int::one());
            }
        }
        sum
    }

    /// Adds a multiple of `direction . coefficients of a statement`.
    pub(super) fn add_direction(&self, form: &mut Linear, statement: usize, direction: &[Int], factor: i64) {
        for (k, x) in direction.iter().enumerate() {
            if !x.is_zero() {
                let (negative, positive) = self.coordinate(statement, k);
                let x = x * &Int::from(factor);
                form.add(negative, -&x);
                form.add(positive, x);
            }
        }
    }

    /// The value of `f_sink - f_source` at a generator `[1 | n | difference]` or `[1 | n | x | y]`, times `factor`.
    pub(super) fn distance(&self, source: usize, sink: usize, generator: &Row, factor: i64) -> Linear {
        let mut form = Linear::new(0);
        let first = 1 + self.n_param;
        if source == sink {
            self.add_direction(&mut form, source, &generator[first..], factor);
            return form;
        }
        let split = first + self.blocks[source].1;
        self.add_direction(&mut form, source, &generator[first..split], -factor);
        self.add_direction(&mut form, sink, &generator[split..], factor);
        for (statement, sign) in [(source, -factor), (sink, factor)] {
            let sign = Int::from(sign);
            for (k, x) in generator[1..first].iter().enumerate() {
                if let Some(u) = self.param(statement, k) {
                    form.add(u, x * &sign);
                }
            }
            form.add(self.constant(statement), &generator[0] * &sign);
        }
        form
    }

    /// The row `[constant | parameters | coordinates]` of a statement in a point.
    pub(super) fn row(&self, statement: usize, point: &[Int]) -> Vec<Int> {
        let d = self.blocks[statement].1;
        let mut row = vec![point[self.constant(statement)].clone()];
        row.extend((0..self.n_param).map(|k| self.param(statement, k).map_or(Int::zero(), |u| point[u].clone())));
        row.extend((0..d).map(|k| {
            let (negative, positive) = self.coordinate(statement, k);
            &point[positive] - &point[negative]
        }));
        row
    }
}
