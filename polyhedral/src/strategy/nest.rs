//! Permutable bands of the original order: interchange, tiling and distribution.
//!
//! The search walks the loops of the original program from the outside in. At each loop it looks at the nest below:
//! - a *perfect* nest (loops around statements only) whose loops are all permutable is given to the model of [`super::order`];
//! - an *imperfect* nest is distributed over the parts of its innermost body where dependences allow it, and the parts
//!   are looked at as nests of their own; distribution is kept only if one of them profits;
//! - otherwise the outer loop stays as it is, and the search goes on below, with its iteration fixed; and if that finds nothing, either,
//!   the outer loop is tried inside the others around an imperfect body, tiles across it, and its iterations side by side.
//!
//! That order, and which of it is tried at all, is the [strategy](super::Strategy).
//!
//! If dependences exclude an order, or seem to make it useless, there is a second look at those between different live ranges of an array
//! (see [`crate::scop::LiveRanges`]). What is said about single loops (that their iterations are independent) always respects all of
//! them.

use crate::scop::Dependence;
use crate::transform::{Need, Value};

use super::order::{Decision, Tiles};
use super::packing::sums_inside;
use super::program::{Part, is_innermost, perfect_chain, statements_of, wrap};
use super::search::Search;
use super::{Failure, Tactic, Transformation, tiles};

/// So often must a loop run that has become the innermost one, or was it where iterations of a third one run side by side.
const FEWEST: u64 = 4;

/// Rows of fewer elements, as a constant says, do not become sums in registers.
const SHORT_ROW: i64 = 32;

/// How the loops of a nest are permuted.
struct Choice {
    decision: Decision,
    /// Which loops run backwards, in the original order.
    backwards: Vec<bool>,
    /// The arrays whose live ranges are reordered.
    reordered: Vec<usize>,
}

impl Search<'_, '_> {
    /// Looks at some parts inside the loops `around`; `above` is the number of bands around them in the draft.
    pub(super) fn sequence(&mut self, parts: &[Part], around: &[usize], above: usize) -> Result<(), Failure> {
        for part in parts {
            if matches!(part, Part::Loop { .. }) {
                self.nest(part, around, above, false)?;
            }
        }
        Ok(())
    }

    /// Looks at one loop and all below.
    pub(super) fn nest(
        &mut self,
        part: &Part,
        around: &[usize],
        above: usize,
        distributed: bool,
    ) -> Result<(), Failure> {
        let (loops, body) = perfect_chain(part);
        let before = self.applied.len();
        if let Some(copies) = self.copies.iter().find(|copies| copies.chain == loops) {
            return self.with_copies(copies, body, above);
        }
        let Part::Loop { index, body: inside } = part else { return Ok(()) };
        let strategy = self.options.strategy.clone();
        let mut is_perfect_tried = false;
        for tactic in strategy.steps() {
            match tactic {
                // The one comes before the search, the other where it has found nothing.
                Tactic::Copies | Tactic::Pack | Tactic::RegisterTile | Tactic::Schedule => {}
                // Both are about the same nests, and neither needs the other.
                Tactic::Permute | Tactic::Tile => {
                    if !is_perfect_tried && is_innermost(body) && loops.len() >= 2 {
                        if self.options.allow(Tactic::Block) {
                            self.cut_into_blocks(part, around, above)?;
                        }
                        let is_product = match body {
                            [Part::Statement(statement)] if self.region.is_part() && self.applied.len() == before => {
                                self.product(*statement, &loops, around, above)?
                            }
                            _ => false,
                        };
                        if !is_product && self.applied.len() == before {
                            self.perfect(&loops, body, around, above, distributed)?;
                        }
                    }
                    is_perfect_tried = true;
                }
                _ if !self.options.allow(*tactic) => {}
                Tactic::Window => self.window(&loops, body, around, above)?,
                Tactic::Distribute if is_innermost(body) => {}
                Tactic::Distribute => self.distribute(&loops, body, around, above)?,
                Tactic::Block if is_innermost(body) => {}
                Tactic::Block => self.cut_into_blocks(part, around, above)?,
                Tactic::Scratch => self.with_scratch(&loops, body, around, above)?,
                // The outer loop stays as it is.
                Tactic::Descend => self.sequence(inside, &[around, &[*index]].concat(), above + 1)?,
                Tactic::Sink if is_innermost(body) => {}
                Tactic::Sink => self.sunk(&loops, body, around, above)?,
                Tactic::TimeTile => self.time_tiled(*index, inside, around, above)?,
                Tactic::Jam => self.jammed(*index, inside, above)?,
                // Whatever else there is for an inner or outer loop is better.
                Tactic::SplitIndexSet if around.is_empty() && !distributed => self.cut_inside(part, above)?,
                Tactic::SplitIndexSet => {}
            }
            if self.applied.len() > before {
                break;
            }
        }
        Ok(())
    }

    /// A perfect nest: all loops permuted and tiled, if that is legal and pays.
    pub(super) fn perfect(
        &mut self,
        loops: &[usize],
        body: &[Part],
        around: &[usize],
        above: usize,
        distributed: bool,
    ) -> Result<(), Failure> {
        let (n, statements) = (loops.len(), statements_of(body));
        let relevant = self.between(&statements, around)?;
        let carries = self.carries(&relevant, loops)?;
        let found = (relevant.as_slice(), carries.as_slice());
        if let Some(packing) = self.packing(loops, &statements, found)?
            && self.packed(packing, (loops, &statements), above, (distributed, None))?
        {
            return Ok(());
        }
        let Some(Choice { decision, backwards, reordered }) = self.choose(loops, &statements, around, found)? else {
            return Ok(());
        };
        let is_plain_order =
            decision.tile && !decision.across && !decision.waits && !backwards.contains(&true) && reordered.is_empty();
        let order = match is_plain_order {
            true => self.with_sums_inside(loops, &statements, &decision.order),
            false => decision.order,
        };
        if is_plain_order
            && let Some(packing) = self.packing_in_order(loops, &statements, &order)
            && self.packed(packing, (loops, &statements), above, (distributed, decision.need))?
        {
            return Ok(());
        }
        // The compiler has made vectors of such rows already (blocks of 8 x 8 x 8: 0.7 of the speed instead of 1.1 to 1.9 times, of 16 x 16 x 16: 0.93 to 1.0).
        let is_short = |s: &usize| self.program.is_below(*s, loops[n - 1], SHORT_ROW);
        if is_plain_order && !order.is_sorted() && order[n - 1] == n - 1 && statements.iter().any(is_short) {
            return Ok(());
        }
        let new: Vec<usize> = order.iter().map(|position| loops[*position]).collect();
        let mut sizes = match decision.tile {
            true => self.tile_sizes(loops, &order, decision.across),
            false => Vec::new(),
        };
        if !decision.waits {
            sizes = self.whole_tiles(&statements, &new, &sizes);
        }
        let first = statements[0];
        self.permute(first, above, n, &order)?;
        for member in (0..n).filter(|member| backwards[order[*member]]) {
            let member = i64::try_from(member).unwrap_or(i64::MAX);
            self.step("reverse", (first, above), [("member", Value::Integer(member))])?;
        }
        let mut points = above;
        if !sizes.is_empty() {
            self.step("tile", (first, above), [("sizes", Value::list(sizes.iter().copied()))])?;
            if self.options.full_tiles {
                self.step("isolate", (first, above), [])?;
            }
            points += 1;
        }
        let is_plain = !backwards.contains(&true) && (!self.options.full_tiles || sizes.is_empty());
        let register_tile = match is_plain {
            true => self.register_tile(&statements, &new, points, &sizes, decision.waits)?,
            false => Vec::new(),
        };
        if register_tile.is_empty() {
            // The innermost loop is a band of its own, so that "coincident" speaks about it with all others fixed.
            let at = i64::try_from(n - 1).unwrap_or(i64::MAX);
            self.step("split", (first, points), [("at", Value::Integer(at))])?;
        }
        // What runs side by side in a third loop gains also where the innermost one is short, if sums have some terms; nothing else does. (A matrix with one
        // column, column by column: 0.2 to 0.65 of the speed; with three: 0.87 to 1.9 times; with four: 1.07 times and more. Matrices of three
        // columns times three by three: 0.84 to 0.94, of four columns: 1.5 to 1.9 times.)
        let innermost = order[n - 1];
        if innermost != n - 1 && !decision.across {
            let is_flat = n == 2 || register_tile.is_empty();
            self.needs(Need::at_least(loops[if is_flat { innermost } else { n - 1 }], FEWEST))?;
        }
        let is_old_order =
            order.is_sorted() && !decision.across && self.options.tiles.is_empty() && !self.options.unprofitable;
        if is_old_order {
            // Less than a register tile gains nothing over the old loops (1 x 1000 times 1000 x 1000: 0.77 of the speed).
            for (position, factor) in register_tile.iter().enumerate().filter(|(_, factor)| **factor > 1) {
                self.needs(Need::at_least(new[position], factor.unsigned_abs()))?;
            }
        }
        let nest = Transformation {
            only_tiled: is_old_order && !sizes.is_empty() && register_tile.is_empty(),
            loops: loops.to_vec(),
            statements,
            backwards: (0..n).filter(|k| backwards[order[*k]]).collect(),
            order,
            tiles: sizes,
            register_tile,
            distributed,
            reordered,
            ..Transformation::default()
        };
        self.done(nest, decision.need)
    }

    /// An order in which elements that get sums stay in registers, if the nest gets a register tile in it: `for k: for i: for j: C[i][j] += A[i][k] * B[k][j]`
    /// runs as `i`, `k`, `j`. (Measured, 1000 x 1000 doubles, AVX-512: 7 GFLOP/s as it is, 42 so.)
    fn with_sums_inside(&self, loops: &[usize], statements: &[usize], order: &[usize]) -> Vec<usize> {
        let Some(innermost) = order.last() else { return order.to_vec() };
        let wanted = sums_inside((self.scop, self.program), statements, loops, *innermost);
        let new: Vec<usize> = wanted.iter().map(|position| loops[*position]).collect();
        let is_wanted = self.options.allow(Tactic::Permute)
            && self.options.tiles.is_empty()
            && self.suits_register_tile(statements, &new);
        if is_wanted { wanted } else { order.to_vec() }
    }

    /// The sizes of tiles of loops in a new order: the user's, or those of the strategy. A block of rows is one tile.
    pub(super) fn tile_sizes(&self, loops: &[usize], order: &[usize], across: bool) -> Vec<i64> {
        let mut sizes = tiles::sizes(loops.len(), across, &self.options.tiles, &self.options.strategy);
        for (size, position) in sizes.iter_mut().zip(order) {
            *size = self.region.rows_of(loops[*position]).unwrap_or(*size);
        }
        sizes
    }

    /// The order that pays and that dependences allow; first with all of them, then with live ranges reordered.
    fn choose(
        &mut self,
        loops: &[usize],
        statements: &[usize],
        around: &[usize],
        (relevant, carries): (&[Dependence], &[bool]),
    ) -> Result<Option<Choice>, Failure> {
        let decision = self.decision(loops, statements, carries);
        if decision.profitable
            && let Some(backwards) = self.permutable(relevant, loops)?
        {
            return Ok(Some(Choice { decision, backwards, reordered: Vec::new() }));
        }
        if let Some(reordered) = self.reordered(statements, around, loops)? {
            // Iterations do not wait for memory that the next value goes to.
            let waits = self.carries(&reordered.values, loops)?;
            let decision = self.decision(loops, statements, &waits);
            if decision.profitable
                && let Some(backwards) = self.permutable(&reordered.dependences, loops)?
                && !backwards.contains(&true)
            {
                return Ok(Some(Choice { decision, backwards, reordered: reordered.arrays }));
            }
        }
        self.blocked |= decision.profitable;
        Ok(None)
    }

    /// What the model says, within the user's options.
    pub(super) fn decision(&self, loops: &[usize], statements: &[usize], carries: &[bool]) -> Decision {
        let decision = self
            .program
            .decide(self.scop, statements, loops, carries, Tiles::Own, &self.options.strategy)
            .within(self.options);
        if self.options.unprofitable && !decision.profitable {
            let order = (0..loops.len()).collect();
            return Decision {
                order,
                tile: self.options.allow(Tactic::Tile),
                profitable: true,
                need: None,
                ..decision
            };
        }
        decision
    }

    /// An imperfect nest: the loops around each part of the body separately, if that is legal and one part profits.
    fn distribute(&mut self, loops: &[usize], body: &[Part], around: &[usize], above: usize) -> Result<(), Failure> {
        let clusters = self.clusters(loops, body, around)?;
        if clusters.len() < 2 {
            return Ok(());
        }
        let (draft, before) = (self.draft.clone(), self.applied.len());
        let sizes: Vec<usize> = clusters.iter().map(|(first, end)| end + 1 - first).collect();
        self.separate(statements_of(body)[0], above, loops.len(), &sizes)?;
        for (first, end) in clusters {
            self.nest(&wrap(loops, &body[first..=end]), around, above, true)?;
        }
        if self.applied.len() == before {
            self.draft = draft;
        }
        Ok(())
    }

    /// An imperfect nest: its outermost loop inside the others around the body, if they are permutable and some part profits then.
    fn sunk(&mut self, loops: &[usize], body: &[Part], around: &[usize], above: usize) -> Result<(), Failure> {
        let statements = statements_of(body);
        let Some((outermost, others)) = loops.split_first() else { return Ok(()) };
        // A single iteration would be a loop around each statement.
        if others.is_empty() || statements.iter().any(|statement| self.program.runs_once(*statement, *outermost)) {
            return Ok(());
        }
        let relevant = self.between(&statements, around)?;
        if self.permutable(&relevant, loops)?.is_none_or(|backwards| backwards.contains(&true)) {
            return Ok(());
        }
        let outside: Vec<usize> = (1..loops.len()).collect();
        self.nest_inside((loops, body), (&outside, &[0]), around, above)
    }

    /// Some loops of a nest, by their positions, inside the others, and what is in there as a nest for itself, if that profits.
    pub(super) fn nest_inside(
        &mut self,
        (loops, body): (&[usize], &[Part]),
        (outside, inside): (&[usize], &[usize]),
        around: &[usize],
        above: usize,
    ) -> Result<(), Failure> {
        let Some(&statement) = statements_of(body).first() else { return Ok(()) };
        let (draft, before, n) = (self.draft.clone(), self.applied.len(), loops.len());
        self.permute(statement, above, n, &[outside, inside].concat())?;
        self.split(statement, above, n)?;
        let of = |positions: &[usize]| positions.iter().map(|at| loops[*at]).collect::<Vec<_>>();
        self.nest(&wrap(&of(inside), body), &[around, &of(outside)].concat(), above + outside.len(), false)?;
        if self.applied.len() == before {
            self.draft = draft;
        }
        Ok(())
    }

    /// The parts of a body, as ranges, that have to stay in loops together.
    fn clusters(&mut self, loops: &[usize], body: &[Part], around: &[usize]) -> Result<Vec<(usize, usize)>, Failure> {
        let parts: Vec<Vec<usize>> = body.iter().map(|part| statements_of(std::slice::from_ref(part))).collect();
        // Parts that a dependence leads back between stay together, with everything in the middle.
        let mut last: Vec<usize> = (0..parts.len()).collect();
        for early in 0..parts.len() {
            for late in early + 1..parts.len() {
                if self.leads_back(&parts[late], &parts[early], around)? {
                    last[early] = last[early].max(late);
                }
            }
        }
        let mut clusters: Vec<(usize, usize)> = Vec::new();
        for (first, &reach) in last.iter().enumerate() {
            match clusters.last_mut() {
                Some((_, end)) if first <= *end => *end = (*end).max(reach),
                _ => clusters.push((first, reach)),
            }
        }
        // Neighbouring statements without inner loops gain nothing from loops of their own.
        let flat =
            |(first, end): &(usize, usize)| body[*first..=*end].iter().all(|part| matches!(part, Part::Statement(_)));
        clusters.dedup_by(|next, previous| {
            let join = flat(previous) && flat(next);
            if join {
                previous.1 = next.1;
            }
            join
        });
        let kept_together = last.iter().enumerate().filter(|(first, end)| first < *end);
        for (first, end) in kept_together {
            for part in &body[first..=*end] {
                self.blocked = self.blocked || self.would_gain(&wrap(loops, std::slice::from_ref(part)), around)?;
            }
        }
        Ok(clusters)
    }

    /// Whether a nest, or the loops around some part of it for themselves, would pay if dependences allowed any order.
    fn would_gain(&self, part: &Part, around: &[usize]) -> Result<bool, Failure> {
        let (loops, body) = perfect_chain(part);
        if is_innermost(body) {
            let statements = statements_of(body);
            let carries = self.carries(&self.between(&statements, around)?, &loops)?;
            let decision = self
                .program
                .decide(self.scop, &statements, &loops, &carries, Tiles::Own, &self.options.strategy)
                .within(self.options);
            let gains = self.options.unprofitable || decision.profitable;
            return Ok(loops.len() >= 2 && gains);
        }
        let parts = body.iter().filter(|inner| matches!(inner, Part::Loop { .. }));
        for part in parts {
            if self.would_gain(&wrap(&loops, std::slice::from_ref(part)), around)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
