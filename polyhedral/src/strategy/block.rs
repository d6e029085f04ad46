//! Which triangular nests are cut into blocks of rows?
//!
//! In the product with a triangular matrix, in place, row `i` is computed from rows behind it, which must not have been written yet; a solution
//! with many right-hand sides is computed from the rows in front of it. So the loops cannot be distributed, and rows run one after the other.
//! But of a block of rows, only what its rows have to do with each other must keep that order. All else reads rows that the block does
//! not write, and is a product of rectangular matrices:
//!
//! ```text
//! for i:                                       for blocks I of 32 rows:
//!   for j:                                       for i in I: for j:
//!     S: B[i][j] *= A[i][i]                        S: B[i][j] *= A[i][i]
//!     for k > i:                         =>        for k > i in I: T: B[i][j] += A[i][k] * B[k][j]
//!       T: B[i][j] += A[i][k] * B[k][j]          for i in I, k behind I, j: T: B[i][j] += A[i][k] * B[k][j]
//! ```
//!
//! A nest is cut if one statement (`T`) is in a loop that no other is in, the only bound of its loops that moves with another loop moves with the
//! outermost one, by the same distance, and without that bound they would get a register tile. (Measured, the product above with 1000 rows of
//! 1100 doubles and AVX-512: 17 GFLOP/s before, 24 in blocks, 42 with copies of the rows that are read.) The order of every sum stays. Nothing
//! here decides whether that is legal: the draft is checked.
//!
//! J. Dongarra, J. Du Croz, S. Hammarling, I. Duff, "A Set of Level 3 Basic Linear Algebra Subprograms", TOMS 1990.

use crate::arith::{Int, Row};
use crate::relation::Set;
use crate::space::DimKind;
use crate::transform::{TransformError, Value};

use super::packing::Packing;
use super::program::{Part, Program, is_innermost, perfect_chain, statements_of};
use super::search::Search;
use super::{Failure, Tactic, tiles::requested_size};

/// The part of a nest that is looked at instead of all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The statement of which there are several copies in the tree.
    pub(super) statement: usize,
    /// Which copy of it is meant.
    pub(super) copy: usize,
    /// The loop of which only so many iterations are there.
    pub(super) rows: Option<(usize, i64)>,
}

/// On which side of a block of rows the rows lie that it is computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    InFront,
    Behind,
}

/// A triangle of instances.
struct Triangle {
    statement: usize,
    /// The loops around it, the outermost first.
    loops: Vec<usize>,
    /// The dimension whose bound moves with the outermost loop, which is `outer`.
    moving: usize,
    outer: usize,
    side: Side,
    /// The smallest box around it.
    hull: Set,
}

impl Program {
    /// The same with other instances of a statement.
    fn with_domain(&self, statement: usize, domain: Set) -> Program {
        let mut program = self.clone();
        program.domains[statement] = domain;
        program
    }
}

impl Search<'_, '_> {
    /// Cuts a nest into blocks of iterations of its outermost loop, if the products between blocks gain.
    pub(super) fn cut_into_blocks(&mut self, part: &Part, around: &[usize], above: usize) -> Result<(), Failure> {
        let Part::Loop { index, body: inside } = part else { return Ok(()) };
        // Inside a block there is no other one: the numbers of copies below count from the first.
        if self.block.is_some() {
            return Ok(());
        }
        let Some(triangle) = self.triangle(part)? else { return Ok(()) };
        let Triangle { statement, ref loops, side, .. } = triangle;
        let size = requested_size(&self.options.tiles, 0).unwrap_or(self.options.strategy.block);
        let boxed = self.program.with_domain(statement, triangle.hull.clone());
        let wanted = Search { program: &boxed, ..self.clone() };
        let relevant = wanted.between(&[statement], around)?;
        let carries = wanted.carries(&relevant, loops)?;
        let decision = wanted.decision(loops, &[statement], &carries);
        if !decision.profitable
            || wanted.permutable(&relevant, loops)?.is_none_or(|backwards| backwards.contains(&true))
        {
            return Ok(());
        }
        let packing = match self.options.allow(Tactic::Pack) && decision.tile {
            true => Packing::of_overwritten((self.scop, &boxed), statement, loops, &decision.order),
            false => None,
        };
        // A nest that can be permuted as a whole gains by copies of rows that it writes elsewhere, or not at all.
        if packing.is_none() && is_innermost(perfect_chain(part).1) {
            return Ok(());
        }
        let (draft, before) = (self.draft.clone(), self.applied.len());
        self.step("tile", (statement, above), [("sizes", Value::list([size]))])?;
        let name = &self.scop.statements[statement].name;
        let places = self.draft.places_of(name);
        let first = ("first", Value::Text(self.first(&triangle, size, &statements_of(inside))));
        let is_split = match self.step("split_index_set", (statement, above + 1), [first]) {
            Err(Failure::Step(TransformError::NotApplicable { .. })) => false,
            other => other.map(|()| true)?,
        };
        // In blocks of one row there is nothing left of the triangle.
        if !is_split || self.draft.places_of(name) != places + 1 {
            self.draft = draft;
            return Ok(());
        }
        // What comes last in the order goes first here: new copies of it count from there on.
        let around_rows = [around, &[*index]].concat();
        let rest = if side == Side::Behind { 0 } else { 1 };
        let mut is_there = true;
        for copy in [1, 0] {
            if copy == rest {
                self.block = Some(Block { statement, copy, rows: None });
                self.sequence(inside, &around_rows, above + 2)?;
                continue;
            }
            let block = Some(Block { statement, copy, rows: Some((*index, size)) });
            let mut product = Search { program: &boxed, block, ..self.clone() };
            let known = product.applied.len();
            let is_packed = match &packing {
                Some(packing) => product.packed(packing.clone(), (loops, statement), above + 1, true)?,
                None => false,
            };
            if !is_packed {
                product.perfect(loops, &[Part::Statement(statement)], around, above + 1, true)?;
            }
            let gains = product.applied[known..].iter().any(|nest| !nest.register_tile.is_empty());
            is_there &= gains || (self.options.unprofitable && product.applied.len() > known);
            if !is_there {
                break;
            }
            let Search { draft, applied, has_guessed, .. } = product;
            (self.draft, self.applied, self.has_guessed) = (draft, applied, has_guessed);
        }
        self.block = None;
        if !is_there || !self.may_stay()? {
            self.draft = draft;
            self.applied.truncate(before);
        }
        Ok(())
    }

    /// The triangle of a nest, if it is one with all its loops around one statement that no other has.
    fn triangle(&self, part: &Part) -> Result<Option<Triangle>, Failure> {
        let (mut loops, mut body) = perfect_chain(part);
        let outermost = loops[0];
        // Of an imperfect nest, the only loop of each body.
        while body.iter().any(|inner| matches!(inner, Part::Loop { .. })) {
            let mut inner = body.iter().filter(|inner| matches!(inner, Part::Loop { .. }));
            let (Some(only), None) = (inner.next(), inner.next()) else { return Ok(None) };
            let (deeper, inside) = perfect_chain(only);
            loops.extend(deeper);
            body = inside;
        }
        let ([Part::Statement(statement)], 3..) = (body, loops.len()) else { return Ok(None) };
        let (statement, program) = (*statement, self.program);
        let domain = &self.scop.statements[statement].domain;
        let Some(outer) = program.dim(statement, outermost) else { return Ok(None) };
        let [conjunction] = domain.conjunctions() else { return Ok(None) };
        let first = domain.space().offset(DimKind::Out);
        let inner: Vec<usize> = loops[1..].iter().filter_map(|l| program.dim(statement, *l)).collect();
        let moves = |row: &&Row, dim: usize| !row[first + outer].is_zero() && !row[first + dim].is_zero();
        let mut bounds = conjunction
            .ineqs()
            .iter()
            .flat_map(|row| inner.iter().filter(move |dim| moves(&row, **dim)).map(move |dim| (row, *dim)));
        let (Some((row, moving)), None) = (bounds.next(), bounds.next()) else { return Ok(None) };
        // `moving >= outer + distance` or `moving <= outer - distance`, where the distance is at most one.
        let side = match (row[first + moving].is_positive(), row[first + outer].is_positive()) {
            (true, false) => Side::Behind,
            (false, true) => Side::InFront,
            _ => return Ok(None),
        };
        let is_unit = |dim: usize| row[first + dim].abs() == Int::one();
        let alone =
            (1..row.len()).all(|column| [first + outer, first + moving].contains(&column) || row[column].is_zero());
        if !is_unit(outer) || !is_unit(moving) || !alone || row[0] < Int::from(-1) {
            return Ok(None);
        }
        let n = domain.space().dim(DimKind::Out);
        let without = domain.forget_dims(DimKind::Out, moving, 1, self.budget)?;
        let alone = domain.forget_dims(DimKind::Out, 0, moving, self.budget)?.forget_dims(
            DimKind::Out,
            moving + 1,
            n - moving - 1,
            self.budget,
        )?;
        let hull = without.intersect(&alone, self.budget)?;
        let boxed = program.with_domain(statement, hull.clone());
        let is_box = loops.iter().all(|l| boxed.is_rectangular(statement, *l));
        Ok(is_box.then_some(Triangle { statement, loops, moving, outer, side, hull }))
    }

    /// What comes first in a block of so many rows, in isl notation: what lies in front of it, or all but what lies behind it.
    fn first(&self, triangle: &Triangle, size: i64, statements: &[usize]) -> String {
        let Triangle { statement, moving, outer, side, .. } = *triangle;
        let start = format!("{size}*floor(i{outer}/{size})");
        let own = self.instance(statement);
        match side {
            Side::InFront => format!("{{ {own} : i{moving} < {start} }}"),
            Side::Behind => {
                let others = statements.iter().filter(|s| **s != statement).map(|s| format!("{}; ", self.instance(*s)));
                format!("{{ {}{own} : i{moving} < {start} + {size} }}", others.collect::<String>())
            }
        }
    }
}
