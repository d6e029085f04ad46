//! The tree of a nest whose scalars have copies: loops over tiles around the parts of the nest, one after the other.
//!
//! ```text
//! for ti, tj:                                   the tiles of Strip::tail
//!   for i, j in the tile: s[i][j] = 0           one part
//!   for tk: for i: for k: for j: s[i][j] += ... a part with loops of its own: the last loop of the tail goes inside
//!   for i, j in the tile: C[i][j] = ...         one part
//! ```
//!
//! Nothing here decides whether that is legal: the caller checks the whole schedule.

use super::applied::Applied;
use super::cost::{Tiles, decide};
use super::expand::Strip;
use super::nest::{Result, Search, perfect_chain};
use super::tiles;
use crate::model::scop::{Order, statements_of};
use tessera_polyhedral::schedule::{Band, Node};

/// Tile size of a loop that a part has for itself.
const INNER: i64 = 64;

impl Search<'_> {
    /// The tree of a nest with copies. `body` are its parts, `depth` the number of loops around it.
    pub(super) fn strip(&mut self, strip: &Strip, body: &[Order], depth: usize) -> Result<Node> {
        let all = statements_of(body);
        let mut children = Vec::new();
        for group in body.chunk_by(|a, b| matches!((a, b), (Order::Statement(_), Order::Statement(_)))) {
            children.push((statements_of(group), self.part(strip, group, depth)?));
        }
        let mut tree = self.join(children)?;
        let tiles = strip.tiles.iter().map(|tile| self.member(&all, *tile, None)).collect::<Result<Vec<_>>>()?;
        tree = Node::band(Band::new(tiles), tree);
        for outer in strip.chain.iter().rev().filter(|l| !strip.tail.contains(l)) {
            tree = Node::band(Band::new(vec![self.member(&all, *outer, None)?]), tree);
        }
        Ok(tree)
    }

    fn part(&mut self, strip: &Strip, group: &[Order], depth: usize) -> Result<Node> {
        let statements = statements_of(group);
        let (inner, leaves) = match group {
            [node @ Order::Loop { .. }] => perfect_chain(node),
            _ => (Vec::new(), group),
        };
        let Some((&last, outer)) = strip.tail.split_last() else { return Ok(Node::leaf()) };
        let original = [&strip.chain[strip.chain.len() - strip.tail.len()..], &inner].concat();
        let carries: Vec<bool> = original.iter().map(|l| inner.contains(l)).collect();
        let decision = decide(self.scop, &statements, &original, &carries, Tiles::Strips);
        let gains = decision.order.last().is_some_and(|best| original[*best] == last);
        let exchanged = !inner.is_empty() && (gains || self.wishes.unprofitable);
        let points =
            if exchanged { [outer, &inner, &[last]].concat() } else { [&strip.tail, inner.as_slice()].concat() };
        let mut tree = self.sequence(leaves, depth + strip.chain.len() + inner.len())?;
        for (position, index) in points.iter().enumerate().rev() {
            let innermost = position + 1 == points.len();
            let free = innermost && !self.waits(&statements, *index)?;
            let member = self.member(&statements, *index, None)?.with_coincident(free);
            tree = Node::band(Band::new(vec![member]).with_permutable(true), tree);
        }
        if !exchanged {
            return Ok(tree);
        }
        let size = tiles::wished(&self.wishes.tiles, strip.tail.len()).unwrap_or(INNER);
        let tiled = inner.iter().map(|index| self.member(&statements, *index, Some(size))).collect::<Result<_>>()?;
        let order = points.iter().filter_map(|l| original.iter().position(|o| o == l)).collect();
        let mut tiles = strip.sizes.clone();
        tiles.splice(outer.len()..outer.len(), inner.iter().map(|_| size));
        let long = decision.long.filter(|_| !self.wishes.unprofitable);
        let done = Applied { loops: original, statements, order, tiles, expanded: true, long, ..Applied::default() };
        self.applied.push(done);
        Ok(Node::band(Band::new(tiled), tree))
    }
}
