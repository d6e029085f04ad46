//! Which scalars gain from copies, one for each point of a tile?
//!
//! In `s = 0; for k: s += A[i][k] * B[k][j]; C[i][j] = alpha * s + beta * C[i][j]` the scalar has no element to live in: the
//! old value of `C[i][j]` is needed at the end. As one cell it keeps the loop over `k` innermost. With one copy for each
//! point of a tile of `i` and `j` the three parts become loops of their own inside that tile, and the middle one can run
//! over `k` outside and `j` inside.
//!
//! A scalar may have copies if its lives do not cross iterations of the loops around it: before every read there is a write
//! in the same iteration. (Scalar expansion: D. Padua and M. Wolfe, "Advanced Compiler Optimizations for Supercomputers", 1986.)

use crate::budget::Budget;
use crate::error::Result;
use crate::flow::{AccessKind, AccessOrder, Accesses};
use crate::relation::UnionMap;
use crate::scop::{Scop, Storage};

use super::order::Tiles;
use super::program::{Part, Program, perfect_chain, statements_of};
use super::{Jam, SearchOptions, Tactic, jam};

/// A nest that gains from copies of its scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expandable {
    /// The loops around all parts of the nest, the outermost first; loops are numbered in preorder.
    pub chain: Vec<usize>,
    /// The innermost of them, at most two, in the order in which they should run inside a tile.
    pub tail: Vec<usize>,
    /// The scalars, as numbers of arrays.
    pub scalars: Vec<usize>,
    /// The statements of the nest.
    pub statements: Vec<usize>,
    /// How the only loop of the tail is jammed, if that is what the copies are for: there is one for each iteration of a block.
    pub jam: Option<Jam>,
}

/// The nests that gain. Exact. Cost: a value-based flow analysis per scalar of a nest that would gain.
pub fn expandable(scop: &Scop, options: &SearchOptions, budget: &Budget) -> Result<Vec<Expandable>> {
    let _phase = crate::phase!("expansion", budget);
    let Some(program) = Program::of(scop) else { return Ok(Vec::new()) };
    let has_scalars = scop.arrays.iter().any(|array| array.storage == Storage::Scalar);
    if !has_scalars || !options.allow(Tactic::Copies) {
        return Ok(Vec::new());
    }
    let mut search = Search { scop, program: &program, options, budget, found: Vec::new() };
    search.walk(&program.parts, &[])?;
    Ok(search.found)
}

struct Search<'s> {
    scop: &'s Scop,
    program: &'s Program,
    options: &'s SearchOptions,
    budget: &'s Budget,
    found: Vec<Expandable>,
}

impl Search<'_> {
    fn walk(&mut self, parts: &[Part], around: &[usize]) -> Result<()> {
        for part in parts {
            let Part::Loop { .. } = part else { continue };
            let (chain, body) = perfect_chain(part);
            let found = match self.candidate(&chain, body, around)? {
                None if self.options.allow(Tactic::Jam) => self.jam(&chain, body, around)?,
                other => other,
            };
            match found {
                Some(found) => self.found.push(found),
                None => self.walk(body, &[around, &chain].concat())?,
            }
        }
        Ok(())
    }

    /// A nest with parts before or behind an inner loop, whose scalars all live inside one iteration around the parts, and
    /// in which one of the loops around should be innermost.
    fn candidate(&self, chain: &[usize], body: &[Part], around: &[usize]) -> Result<Option<Expandable>> {
        // Copies for the points of tiles are good for interchange inside tiles, and need both.
        if body.len() < 2 || !self.options.allow(Tactic::Permute) || !self.options.allow(Tactic::Tile) {
            return Ok(None);
        }
        let statements = statements_of(body);
        let scalars = self.scalars(&statements);
        if scalars.is_empty() {
            return Ok(None);
        }
        let mut tail: Option<Vec<usize>> = None;
        for part in body {
            let Part::Loop { .. } = part else { continue };
            let (inner, leaves) = perfect_chain(part);
            if leaves.iter().any(|leaf| matches!(leaf, Part::Loop { .. })) {
                return Ok(None);
            }
            let outer = &chain[chain.len().saturating_sub(2)..];
            let loops = [outer, &inner].concat();
            // The copies let the iterations of the outer loops be independent; the inner loops are where the scalar is.
            let carries: Vec<bool> = loops.iter().map(|l| inner.contains(l)).collect();
            let decision = self.program.decide(
                self.scop,
                &statements_of(leaves),
                &loops,
                &carries,
                Tiles::Strips,
                &self.options.strategy,
            );
            let Some(&best) = decision.order.last() else { continue };
            let gains = decision.profitable && best < outer.len();
            let last = if gains { best } else { outer.len() - 1 };
            if (gains || self.options.unprofitable) && tail.is_none() {
                let mut order: Vec<usize> = outer.iter().copied().filter(|l| *l != outer[last]).collect();
                order.push(outer[last]);
                tail = Some(order);
            }
        }
        let Some(tail) = tail else { return Ok(None) };
        let common = [around, chain].concat();
        for scalar in &scalars {
            if !self.lives_inside(*scalar, &statements, &common)? {
                return Ok(None);
            }
        }
        Ok(Some(Expandable { chain: chain.to_vec(), tail, scalars, statements, jam: None }))
    }

    /// A nest whose innermost loop around all parts should be [jammed](super::jam), and scalars that live in its iterations.
    fn jam(&self, chain: &[usize], body: &[Part], around: &[usize]) -> Result<Option<Expandable>> {
        let statements = statements_of(body);
        let scalars = self.scalars(&statements);
        // Cheap questions first: does it gain if all of them could have copies?
        let Some(&index) = chain.last() else { return Ok(None) };
        if scalars.is_empty()
            || jam::gains(self.scop, self.program, (index, body), (&scalars, false), &self.options.strategy).is_none()
        {
            return Ok(None);
        }
        let common = [around, chain].concat();
        let mut private = Vec::new();
        for scalar in scalars {
            if self.lives_inside(scalar, &statements, &common)? {
                private.push(scalar);
            }
        }
        let jam = jam::gains(self.scop, self.program, (index, body), (&private, false), &self.options.strategy);
        if jam.is_none() || private.is_empty() {
            return Ok(None);
        }
        Ok(Some(Expandable { chain: chain.to_vec(), tail: vec![index], scalars: private, statements, jam }))
    }

    /// The scalars that some statements touch.
    fn scalars(&self, statements: &[usize]) -> Vec<usize> {
        let is_touched = |array: &usize| statements.iter().any(|s| self.touches(*s, *array));
        let arrays = 0..self.scop.arrays.len();
        arrays.filter(|a| self.scop.arrays[*a].storage == Storage::Scalar).filter(is_touched).collect()
    }

    fn touches(&self, statement: usize, array: usize) -> bool {
        let mut accesses = self.scop.statements[statement].accesses.iter();
        accesses.any(|access| self.scop.array_of(access) == Some(array))
    }

    /// Only `statements` touch the scalar, and the last write before every read has the same values of the `common` loops.
    fn lives_inside(&self, scalar: usize, statements: &[usize], common: &[usize]) -> Result<bool> {
        let mut users = (0..self.scop.statements.len()).filter(|s| self.touches(*s, scalar));
        if !users.all(|s| statements.contains(&s) && self.program.around[s].starts_with(common)) {
            return Ok(false);
        }
        let nothing = UnionMap::empty(&self.scop.context.space().params_space());
        let mut accesses = Accesses {
            reads: nothing.clone(),
            may_writes: nothing.clone(),
            must_writes: nothing.clone(),
            kills: nothing,
            order: AccessOrder::Map(self.scop.schedule.to_map(self.budget)?),
        };
        for statement in &self.scop.statements {
            for access in statement.accesses.iter().filter(|access| self.scop.array_of(access) == Some(scalar)) {
                let relation = access.relation.intersect_domain(&statement.domain, self.budget)?;
                let relation = relation.intersect_params(&self.scop.context, self.budget)?;
                match access.kind {
                    AccessKind::Read => accesses.reads = accesses.reads.add(&relation)?,
                    AccessKind::MustWrite => accesses.must_writes = accesses.must_writes.add(&relation)?,
                    AccessKind::MayWrite => {}
                }
            }
        }
        let found = accesses.flow(self.budget)?;
        if !found.may_no_source().is_empty(self.budget)? {
            return Ok(false);
        }
        for map in found.may_dependence(self.budget)?.members() {
            let number = |name: &str| self.scop.statement(name);
            let space = map.space();
            let source = space.domain_tuple().and_then(|tuple| tuple.name()).and_then(|name| number(name));
            let sink = space.range_tuple().name().and_then(|name| number(name));
            let (Some(source), Some(sink)) = (source, sink) else { return Ok(false) };
            for index in common {
                let ends = (self.program.dim(source, *index), self.program.dim(sink, *index));
                let (Some(a), Some(b)) = ends else { return Ok(false) };
                let apart = [map.order_lt(a, b)?, map.reverse().order_lt(b, a)?];
                for part in apart {
                    if !part.is_empty(self.budget)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }
}
