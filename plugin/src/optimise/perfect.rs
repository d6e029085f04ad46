//! A perfect nest as a permutable band: its loops in the order that the cost model wants, and tiles.
//!
//! If dependences exclude that, or seem to make it useless, there is a second look at those between different live ranges of an array
//! (see [`super::live_ranges`]). What is said about single loops (that their iterations are independent) always respects all of them.

use super::applied::Applied;
use super::cost::{Decision, Tiles, decide};
use super::dependences::Dependence;
use super::nest::{Result, Search};
use super::tiles;
use crate::model::scop::Order;
use tessera_polyhedral::schedule::{Band, Node};

/// How the loops of a nest are permuted.
struct Choice {
    decision: Decision,
    /// Whether iterations of the innermost loop are independent.
    free: bool,
    /// The arrays whose live ranges are reordered.
    reordered: Vec<usize>,
}

impl Search<'_> {
    /// A perfect nest: all loops permuted and tiled, if that is legal and pays.
    pub(super) fn perfect(
        &mut self,
        loops: &[usize],
        statements: &[usize],
        body: &[Order],
        depth: usize,
        distributed: bool,
    ) -> Result<Option<Node>> {
        let n = loops.len();
        let Some(Choice { decision, free, reordered }) = self.choose(loops, statements, depth)? else {
            return Ok(None);
        };
        let leaf = self.sequence(body, depth + n)?;
        let order = decision.order.clone();
        let sizes = if decision.tile { tiles::sizes(n, decision.across, &self.wishes.tiles) } else { Vec::new() };
        let mut tile_members = Vec::new();
        for (position, size) in sizes.iter().enumerate() {
            tile_members.push(self.member(statements, loops[order[position]], Some(*size))?);
        }
        let mut points = Vec::new();
        for position in &order[..n - 1] {
            points.push(self.member(statements, loops[*position], None)?);
        }
        // The innermost loop is a band of its own, so that "coincident" speaks about it with all others fixed.
        let innermost = order[n - 1];
        let inner = self.member(statements, loops[innermost], None)?.with_coincident(free);
        let mut tree = Node::band(Band::new(vec![inner]).with_permutable(true), leaf);
        tree = Node::band(Band::new(points).with_permutable(true), tree);
        if !tile_members.is_empty() {
            let mut band = Band::new(tile_members).with_permutable(true);
            band.isolate_full_tiles = self.wishes.full_tiles;
            tree = Node::band(band, tree);
        }
        let only_tiled =
            order.is_sorted() && !decision.across && self.wishes.tiles.is_empty() && !self.wishes.unprofitable;
        self.applied.push(Applied {
            only_tiled: only_tiled && !sizes.is_empty(),
            loops: loops.to_vec(),
            statements: statements.to_vec(),
            order,
            tiles: sizes,
            distributed,
            long: decision.long,
            reordered,
            ..Applied::default()
        });
        Ok(Some(tree))
    }

    /// The order that pays and that dependences allow; first with all of them, then with live ranges reordered.
    fn choose(&mut self, loops: &[usize], statements: &[usize], depth: usize) -> Result<Option<Choice>> {
        let n = loops.len();
        let relevant = self.between(statements, depth)?;
        let carries = self.carries(&relevant, depth, n)?;
        let decision = self.decision(loops, statements, &carries);
        if decision.profitable && self.is_permutable(&relevant, depth, n)? {
            let free = decision.order.last().is_some_and(|innermost| !carries[*innermost]);
            return Ok(Some(Choice { decision, free, reordered: Vec::new() }));
        }
        if let Some(reordered) = self.reordered(statements, depth, n)? {
            // Iterations do not wait for memory that the next value goes to.
            let waits = self.carries(&reordered.values, depth, n)?;
            let decision = self.decision(loops, statements, &waits);
            if decision.profitable && self.is_permutable(&reordered.dependences, depth, n)? {
                let free = decision.order.last().is_some_and(|innermost| !carries[*innermost]);
                return Ok(Some(Choice { decision, free, reordered: reordered.arrays }));
            }
        }
        self.blocked |= decision.profitable;
        Ok(None)
    }

    /// What the cost model says, within the user's wishes.
    fn decision(&self, loops: &[usize], statements: &[usize], carries: &[bool]) -> Decision {
        let decision = decide(self.scop, statements, loops, carries, Tiles::Own).within(self.wishes);
        if self.wishes.unprofitable && !decision.profitable {
            let order = (0..loops.len()).collect();
            return Decision { order, tile: self.wishes.tiling, profitable: true, long: None, ..decision };
        }
        match self.wishes.unprofitable {
            true => Decision { long: None, ..decision },
            false => decision,
        }
    }

    /// Whether no dependence goes back along any of the loops.
    fn is_permutable(&self, relevant: &[Dependence], depth: usize, n: usize) -> Result<bool> {
        for dependence in relevant.iter().filter(|dependence| !dependence.reduction) {
            for d in depth..depth + n {
                if self.may_go_back(&dependence.map, d)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}
