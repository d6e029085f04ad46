//! When does another loop order pay?
//!
//! The model is deliberately small: it looks at the byte stride of every access along every loop. One access costs the
//! fraction of a cache line it consumes per iteration of the innermost loop, and a loop that carries a dependence costs
//! as much as one full line per statement, because its iterations wait for each other and do not vectorise.
//! In tiles short enough, the lines of a column stay in the first cache level until the loop that runs along its rows has used all
//! of them, so that an access across lines costs what gathering elements costs.
//! Tiling pays where data is used again after a whole inner loop has run: some access does not move along a loop that is
//! not innermost, in a nest of at least three loops. Two-deep nests are never tiled: a transposition of 2000 rows still
//! finds its lines in the second cache level, and measured slower with tiles.

use crate::arith::Int;
use crate::flow::AccessKind;
use crate::scop::{Access, Scop};

use crate::transform::{Need, Short};

use super::program::Program;
use super::{SearchOptions, Strategy, Tactic};

/// Bytes in a cache line, for costs only.
const LINE: f64 = 64.0;

/// What an access across lines costs in a tile in which its lines are used up: four elements are gathered in the time of a line.
const GATHERED: f64 = 0.25;

/// The code around a nest for which the model decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tiles {
    /// The nest gets tiles of its own, if they pay.
    Own,
    /// Long strips that are there already.
    Strips,
}

/// What the model decides for a fully permutable nest.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decision {
    /// The loops from outermost to innermost, as positions in the original nest.
    pub(super) order: Vec<usize>,
    /// Whether to tile.
    pub(super) tile: bool,
    /// Whether tiles should be short along the innermost loop: it runs across lines, or its iterations wait for each other.
    pub(super) across: bool,
    /// Whether iterations of the innermost loop of the order wait for each other.
    pub(super) waits: bool,
    /// Whether the original order could stay as it is.
    pub(super) profitable: bool,
    /// How often the old innermost loop must run for the new order to be better.
    pub(super) need: Option<Need>,
}

impl Decision {
    /// The decision without what the user does not want.
    pub(super) fn within(mut self, options: &SearchOptions) -> Decision {
        if !options.allow(Tactic::Permute) {
            self.order.sort_unstable();
            self.need = None;
        }
        self.tile &= options.allow(Tactic::Tile);
        self.profitable = self.tile || !self.order.is_sorted();
        self
    }
}

/// What an access costs that moves by so many bytes with each iteration: the part of a line that it uses up; a whole one where the distance is not known.
pub(super) fn price(stride: Option<i128>) -> f64 {
    stride.map_or(1.0, |bytes| (bytes as f64 / LINE).min(1.0))
}

impl Program {
    /// The distance in bytes between the elements that an access of a statement touches in neighbouring iterations of a loop; `None`
    /// if it depends on parameters or on where rows are.
    pub(super) fn stride(&self, scop: &Scop, statement: usize, access: &Access, index: usize) -> Option<i128> {
        self.dim(statement, index).map_or(Some(0), |dim| scop.stride(access, dim))
    }

    /// The accesses of a statement to memory: scalars cost nothing.
    fn in_memory<'s>(&self, scop: &'s Scop, statement: usize) -> impl Iterator<Item = &'s Access> {
        scop.statements[statement].accesses.iter().filter(|access| scop.memory_of(access).is_some())
    }

    /// Whether a loop writes elements with others between them that nothing writes: vectors are stored element by element then, which pays only
    /// where sums are long (30 x 30 x 30: 0.6 of the speed).
    fn leaves_gaps(&self, scop: &Scop, statements: &[usize], index: usize) -> bool {
        let accesses = || statements.iter().flat_map(|s| self.in_memory(scop, *s).map(move |access| (*s, access)));
        let writes = || accesses().filter(|(_, access)| access.kind != AccessKind::Read);
        writes().any(|(s, access)| {
            let (Some(array), Some(stride)) = (scop.array_of(access), self.stride(scop, s, access, index)) else {
                return false;
            };
            let same = writes().filter(|(_, other)| scop.array_of(other) == Some(array)).count() as i128;
            stride.abs() > i128::from(scop.arrays[array].unit) * same && (stride.abs() as f64) < LINE
        })
    }

    /// Decides for the nest of `loops` around `statements`, all of them permutable. `carries[d]` says whether iterations of
    /// loop `d` depend on each other when all other loops stand still.
    pub(super) fn decide(
        &self,
        scop: &Scop,
        statements: &[usize],
        loops: &[usize],
        carries: &[bool],
        tiles: Tiles,
        strategy: &Strategy,
    ) -> Decision {
        let depth = loops.len();
        // Per access to memory, the strides along all loops.
        let of_statement = |s: &usize| {
            let strides = |access| loops.iter().map(|l| self.stride(scop, *s, access, *l)).collect();
            self.in_memory(scop, *s).map(strides).collect::<Vec<Vec<_>>>()
        };
        let accesses: Vec<Vec<Option<i128>>> = statements.iter().flat_map(of_statement).collect();
        let far = |strides: &[Option<i128>], d: usize| price(strides[d]) >= 1.0;
        let along = |strides: &[Option<i128>], d: usize| {
            strides[d].is_some_and(|bytes| bytes > 0 && bytes as f64 <= LINE / 4.0)
        };
        let cost = |d: usize| -> f64 {
            let of_access = |strides: &Vec<Option<i128>>| {
                let used_up = (0..depth).any(|other| other != d && along(strides, other));
                match tiles == Tiles::Own && depth >= 3 && far(strides, d) && used_up {
                    true => GATHERED,
                    false => price(strides[d]),
                }
            };
            let memory: f64 = accesses.iter().map(of_access).sum();
            let waiting = if carries[d] { statements.len() as f64 } else { 0.0 };
            memory + waiting
        };
        let costs: Vec<f64> = (0..depth).map(cost).collect();
        let original = depth - 1;
        // The original innermost loop wins ties.
        let mut best = original;
        for d in (0..depth).rev() {
            if costs[d] < costs[best] - 1e-9 {
                best = d;
            }
        }
        let is_better = best != original && costs[best] <= strategy.worthwhile as f64 / 100.0 * costs[original];
        // Instead of gathering across lines in a new order: short pieces of the old innermost loop, which runs along lines. Its iterations
        // wait for each other, but the processor begins the next piece meanwhile. (A A' of 200 x 200: 1.25 ms with gathers, 1.05 ms so.)
        let in_pieces = is_better
            && tiles == Tiles::Own
            && accesses.iter().any(|strides| far(strides, best))
            && !accesses.iter().any(|strides| far(strides, original));
        let interchange = is_better && !in_pieces;
        if !interchange {
            best = original;
        }
        let mut order: Vec<usize> = (0..depth).filter(|d| *d != best).collect();
        order.push(best);
        let stays = |strides: &[Option<i128>], d: usize| strides[d] == Some(0);
        let reused = (0..depth).filter(|d| *d != best).any(|d| {
            accesses.iter().any(|strides| {
                // It moves along another loop, or it would simply stay in a register.
                stays(strides, d) && (0..depth).any(|other| other != d && !stays(strides, other))
            })
        });
        // Tiling a nest whose innermost loop waits for itself moves the bottleneck nowhere, unless rows are fetched anew.
        let across = in_pieces || accesses.iter().any(|strides| far(strides, best));
        let tile = depth >= 3 && reused && (!carries[best] || across);
        // Loops that move an access by the same distance come back to its elements.
        let is_met_once = |strides: &Vec<Option<i128>>| {
            let differs = |d: usize| strides[d].is_none() || !strides[..d].contains(&strides[d]);
            (0..depth).all(|d| !stays(strides, d) && differs(d))
        };
        // So does a loop around the nest that does not move the access, or moves it as a loop of the nest does, or back.
        let again = |(s, access): (usize, &Access)| {
            let moves = |l: &usize| self.dim(s, *l).and_then(|dim| access.moves(dim));
            let inside: Vec<_> = loops.iter().map(moves).collect();
            let outer = self.around[s].iter().filter(|l| !loops.contains(l)).map(moves);
            let is_back = |by: &[Int], other: &[Int]| by.iter().zip(other).all(|(by, other)| *by == -other);
            outer.flatten().any(|by| {
                let mut inside = inside.iter().flatten();
                by.iter().all(Int::is_zero) || inside.any(|other| *other == by || is_back(&by, other))
            })
        };
        let places = statements.iter().flat_map(|s| self.in_memory(scop, *s).map(move |access| (*s, access)));
        let met_once: Vec<bool> =
            places.zip(&accesses).filter(|(_, strides)| is_met_once(strides)).map(|(place, _)| !again(place)).collect();
        let n_across = accesses.iter().filter(|strides| far(strides, best)).count();
        let counter = loops[original];
        // Where both loops get shorter and shorter (as in factorisations), most of their iterations are in short ones.
        let shrinks = |l: usize| statements.iter().any(|s| !self.is_level(*s, l));
        let need = if interchange && self.leaves_gaps(scop, statements, loops[best]) {
            Some(Need::at_least(counter, strategy.fetch))
        } else if interchange {
            match met_once.iter().max() {
                Some(once) if *once || shrinks(loops[best]) && shrinks(counter) => {
                    Some(Need::at_least(counter, strategy.fetch))
                }
                // Rows are read again, and those that are written come from the first cache as long as they fit.
                Some(_) => {
                    let instead = Short { least: strategy.again, counter: loops[best], most: strategy.row };
                    Some(Need { instead: Some(instead), ..Need::at_least(counter, strategy.fetch) })
                }
                None if across => Some(Need::at_least(counter, strategy.gather)),
                // Half of the rows of a triangle are shorter than half of the longest (a covariance of 20 columns: 0.94 of the speed).
                None => shrinks(loops[best]).then(|| Need::at_least(loops[best], 2 * strategy.again)),
            }
        } else if in_pieces {
            Some(Need::at_least(counter, strategy.gather))
        } else {
            let lines = || strategy.lines.div_ceil(n_across as u64);
            (tile && across && tiles == Tiles::Own).then(|| Need::at_least(counter, lines()))
        };
        Decision { order, tile, across, waits: carries[best], profitable: interchange || tile, need }
    }
}
