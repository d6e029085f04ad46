//! Nests whose scalars have copies, one for each point of a tile.
//!
//! ```text
//! for ti, tj:                                   the tiles of the tail
//!   for i, j in the tile: s[i][j] = 0           one part
//!   for tk: for i: for k: for j: s[i][j] += ... a part with loops of its own: the last loop of the tail goes inside
//!   for i, j in the tile: C[i][j] = ...         one part
//! ```
//!
//! Nothing here decides whether that is legal: the whole draft is checked.

use crate::transform::Value;

use super::order::Tiles;
use super::program::{Part, perfect_chain, statements_of};
use super::search::Search;
use super::{Copies, Failure, Transformation, tiles};

impl Search<'_, '_> {
    /// The order of a nest with copies. `body` are its parts, `above` the number of bands around it.
    pub(super) fn with_copies(&mut self, copies: &Copies, body: &[Part], above: usize) -> Result<(), Failure> {
        if let (Some(jam), Some(&index)) = (copies.jam, copies.chain.last()) {
            // The numbers of the tiles are those of the blocks.
            let blocks = ("expose", [("last", Value::Integer(1))]);
            self.used += usize::from(self.jam_at(index, body, above + copies.chain.len() - 1, jam, blocks)?);
            return Ok(());
        }
        self.used += 1;
        let is_statement = |part: &Part| matches!(part, Part::Statement(_));
        let groups: Vec<&[Part]> = body.chunk_by(|a, b| is_statement(a) && is_statement(b)).collect();
        let first = statements_of(body)[0];
        // The tail are the innermost loops of the chain.
        let tiles = above + copies.chain.len() - copies.tail.len();
        let last = i64::try_from(copies.sizes.len()).unwrap_or(i64::MAX);
        self.step("expose", (first, tiles), [("last", Value::Integer(last))])?;
        if groups.len() > 1 {
            let sizes: Vec<usize> = groups.iter().map(|group| group.len()).collect();
            self.separate(first, tiles + 1, copies.tail.len(), &sizes)?;
        }
        groups.into_iter().try_for_each(|group| self.part(copies, group, tiles + 1))
    }

    /// One part of a nest with copies, whose loops are the bands from `band` on.
    fn part(&mut self, copies: &Copies, group: &[Part], band: usize) -> Result<(), Failure> {
        let statements = statements_of(group);
        let inner = match group {
            [part @ Part::Loop { .. }] => perfect_chain(part).0,
            _ => Vec::new(),
        };
        let (Some(&first), Some((&last, outer))) = (statements.first(), copies.tail.split_last()) else {
            return Ok(());
        };
        let original = [&copies.chain[copies.chain.len() - copies.tail.len()..], &inner].concat();
        let carries: Vec<bool> = original.iter().map(|l| inner.contains(l)).collect();
        let decision =
            self.program.decide(self.scop, &statements, &original, &carries, Tiles::Strips, &self.options.strategy);
        let gains = decision.order.last().is_some_and(|best| original[*best] == last);
        let exchanged = !inner.is_empty() && (gains || self.options.unprofitable);
        let n = original.len();
        let positions =
            |loops: &[usize]| loops.iter().filter_map(|l| original.iter().position(|o| o == l)).collect::<Vec<_>>();
        if !exchanged {
            let order = positions(&[&copies.tail, inner.as_slice()].concat());
            if !order.is_sorted() {
                self.permute(first, band, n, &order)?;
                self.split(first, band, n)?;
            }
            return Ok(());
        }
        let order = positions(&[outer, &inner, &[last]].concat());
        // Only the part's own loops have tiles: they go outside for that, and back between the others.
        self.permute(first, band, n, &positions(&[&inner, outer, &[last]].concat()))?;
        self.step("split", (first, band), [("at", Value::Integer(i64::try_from(inner.len()).unwrap_or(i64::MAX)))])?;
        let size = tiles::requested_size(&self.options.tiles, copies.tail.len()).unwrap_or(self.options.strategy.inner);
        self.step("tile", (first, band), [("sizes", Value::list(inner.iter().map(|_| size)))])?;
        self.step("combine", (first, band + 1), [])?;
        let back: Vec<usize> = (inner.len()..n - 1).chain(0..inner.len()).chain([n - 1]).collect();
        self.interchange(first, band + 1, &back)?;
        let mut tiles = copies.sizes.clone();
        tiles.splice(outer.len()..outer.len(), inner.iter().map(|_| size));
        let new: Vec<usize> = order.iter().map(|position| original[*position]).collect();
        let register_tile = self.register_tile(&statements, &new, band + 1, &tiles, false)?;
        if register_tile.is_empty() {
            self.split(first, band + 1, n)?;
        }
        let nest = Transformation {
            loops: original,
            statements,
            order,
            tiles,
            expanded: true,
            register_tile,
            ..Transformation::default()
        };
        self.done(nest, decision.need)
    }
}
