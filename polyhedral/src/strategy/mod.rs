//! Which passes, where: from a SCoP to a better order of it.
//!
//! [`plan`] looks for an order that pays, by the model of the module `order`, within the [`SearchOptions`] of a user. It only takes steps of
//! [`transform`](crate::transform), so that the log of what it found is a script that anybody can run, change and run again; and the
//! result is checked by [`check`], which knows nothing of the search.
//!
//! Example: of `for i: for j: for k: C[i][j] += A[i][k] * B[k][j]` comes
//!
//! ```text
//! combine(S@0)
//! combine(S@0)
//! interchange(S@0, order = [0, 2, 1])
//! tile(S@0, sizes = [128, 64, 512])
//! isolate(S@0)
//! split(S@1, at = 2)
//! ```
//!
//! Invariant: a plan with a log has a draft that passed the check.

mod block;
mod candidates;
mod choose;
mod copies;
mod expansion;
mod flags;
mod front;
mod index_set;
mod jam;
mod legality;
mod nest;
mod order;
mod packing;
mod pivot;
mod program;
mod records;
mod region;
mod register_tile;
mod scratch;
mod search;
mod sum_tile;
mod text;
mod tiles;
mod time_tiling;
mod window;

pub use candidates::compared;
pub use choose::{choose, plan_on};
pub use expansion::{Expandable, expandable};
pub use flags::{is_free, with_free_loops};
pub use jam::Jam;
pub use text::{BUILTIN, Source, Strategy, Tactic};
pub use tiles::requested_size;

use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Error;
use crate::schedule::{Cursor, EditError, Node};
use crate::scop::{Dependences, Scop};
use crate::transform::{Draft, Script, TransformError, check};

use program::Program;
use region::Region;
use search::Search;

/// What a user asked for.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// What is tried, in which order, with which numbers.
    pub strategy: Arc<Strategy>,
    /// Tile sizes; empty for the defaults.
    pub tiles: Vec<u64>,
    /// Transform also what the model thinks cannot gain.
    pub unprofitable: bool,
    /// Loops in another order.
    pub interchange: bool,
    /// Loops cut into tiles.
    pub tiling: bool,
    /// Full tiles in code of their own, whose inner loops have constant bounds.
    pub full_tiles: bool,
    /// Tiles across an outer loop, skewed.
    pub time_tiling: bool,
    /// Parts of a nest in loops of their own.
    pub distribution: bool,
    /// Live ranges of memory in another order.
    pub live_ranges: bool,
    /// Iterations of a loop side by side in the loops inside it.
    pub jam: bool,
    /// Loops cut at an iteration that others depend on.
    pub split: bool,
    /// Arrays copied side by side in the order in which they are read.
    pub packing: bool,
    /// Not a requested, but what the machine has: lanes of vectors that can be switched off, so that branches become masks.
    pub masks: bool,
    /// The same: how many vector registers there are; none: no register tiles.
    pub vector_registers: u32,
    /// The same: how many bits each has that the compiler prefers to use; none: unknown.
    pub vector_bits: u32,
    /// The same: one instruction multiplies and adds.
    pub fma: bool,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            strategy: Arc::new(Strategy::builtin()),
            tiles: Vec::new(),
            unprofitable: false,
            interchange: true,
            tiling: true,
            full_tiles: true,
            time_tiling: true,
            distribution: true,
            live_ranges: true,
            jam: true,
            split: true,
            packing: true,
            masks: true,
            vector_registers: 16,
            vector_bits: 0,
            fma: false,
        }
    }
}

impl SearchOptions {
    /// Whether a step may be taken at all.
    pub(crate) fn allow(&self, tactic: Tactic) -> bool {
        let is_wanted = match tactic {
            // Copies for the points of tiles are good for interchange inside tiles; those for jamming need neither.
            Tactic::Copies | Tactic::Descend => true,
            Tactic::Permute | Tactic::Sink | Tactic::Window => self.interchange,
            Tactic::Tile => self.tiling,
            Tactic::Distribute => self.distribution,
            Tactic::TimeTile => self.time_tiling,
            Tactic::Jam | Tactic::RegisterTile => self.jam,
            Tactic::SplitIndexSet => self.split,
            Tactic::Schedule => self.interchange,
            Tactic::Pack => self.packing,
            Tactic::Block => self.tiling && self.interchange,
            Tactic::Scratch => self.packing && self.tiling && self.interchange && self.distribution,
        };
        is_wanted && self.strategy.has(tactic)
    }
}

/// A nest whose scalars have copies. The SCoP has them already: the last dimensions of its statements are numbers of tiles, and what
/// was a scalar is an array with a subscript for the place in the tile.
#[derive(Clone, Debug)]
pub struct Copies {
    /// The loops around all parts of the nest, the outermost first; loops are numbered in preorder.
    pub chain: Vec<usize>,
    /// Those of them that are tiled, the innermost ones, in the order in which they should run inside the tile.
    pub tail: Vec<usize>,
    /// The sizes of these tiles.
    pub sizes: Vec<i64>,
    /// How the only loop of the tail is jammed, if that is what the copies are for: the tiles are blocks of its iterations.
    pub jam: Option<Jam>,
}

/// A transformation of one nest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transformation {
    /// The loops of the nest, by number, in the original order.
    pub loops: Vec<usize>,
    /// The statements in it.
    pub statements: Vec<usize>,
    /// The new order as positions in `loops`.
    pub order: Vec<usize>,
    /// The positions in the new order of loops that run backwards.
    pub backwards: Vec<usize>,
    /// Tile sizes in the new order; empty if not tiled.
    pub tiles: Vec<i64>,
    /// Whether the nest was separated from others by distribution.
    pub distributed: bool,
    /// Whether scalars have a private copy for each iteration of a tile.
    pub expanded: bool,
    /// Of a nest that is tiled across its outer loop: by how much the data moves with that loop, per dimension. Empty for others.
    pub skews: Vec<i64>,
    /// Whether all that was done is to cut a nest into tiles whose rows are long anyway: that gains nothing where the data stay in a
    /// cache.
    pub only_tiled: bool,
    /// The arrays whose values the nest computes and uses in another order, each as a whole.
    pub reordered: Vec<usize>,
    /// How many iterations of the outer one of two loops are jammed into the inner one.
    pub jammed: Option<i64>,
    /// How many iterations of each loop, in the new order, run side by side in the innermost one; empty if that is one of all.
    pub register_tile: Vec<i64>,
    /// The arrays of which copies are read, in the order in which they are read.
    pub packed: Vec<usize>,
    /// The arrays of whose rows copies are read where loops are long, and which are read themselves elsewhere.
    pub rows_packed: Vec<usize>,
    /// The arrays that have a place of their own for each iteration of a block of the loop around the nest.
    pub privatised: Vec<usize>,
    /// Whether a loop was cut at an iteration that the others depend on.
    pub cut: bool,
    /// Whether the strategy has steps for this SCoP alone.
    pub scripted: bool,
    /// What the order is like, if the whole of it is one of the scheduler.
    pub rescheduled: Option<Rescheduled>,
}

/// What an order of the scheduler is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rescheduled {
    /// Whether some loop runs along several loops of the program at once.
    pub is_skewed: bool,
}

/// What the search found.
#[derive(Clone, Debug)]
pub struct Plan<'s> {
    /// The new order; that of the program where nothing was applied.
    pub draft: Draft<'s>,
    /// What was done, nest by nest.
    pub applied: Vec<Transformation>,
    /// Whether dependences excluded an order that would have paid.
    pub blocked: bool,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A step does not apply, or leads to what the check refuses: a step of a script, or a fault of the search.
    Step(TransformError),
    /// An operation on sets failed, or the budget ran out.
    Relation(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Relation(error)
    }
}

impl From<TransformError> for Failure {
    fn from(error: TransformError) -> Failure {
        match error {
            TransformError::Relation(error) => Failure::Relation(error),
            other => Failure::Step(other),
        }
    }
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Failure {
        match error {
            EditError::Relation(error) => Failure::Relation(error),
            other => Failure::Step(TransformError::NotApplicable { step: "flags".to_owned(), what: other.to_string() }),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Step(error) => error.fmt(f),
            Failure::Relation(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

/// The order that the steps of a script lead to. Cost: the passes, and the check.
fn replay<'s>(draft: Draft<'s>, script: &Script, budget: &Budget) -> Result<Plan<'s>, Failure> {
    let draft = draft.run(script, budget)?;
    let scop = draft.scop();
    let is_band = |cursor: &&Cursor| matches!(cursor.node(), Node::Band(..));
    let loops: Vec<usize> = (0..scop.schedule.cursors().iter().filter(is_band).count()).collect();
    let (statements, order) = ((0..scop.statements.len()).collect(), loops.clone());
    let nest = Transformation { loops, statements, order, scripted: true, ..Transformation::default() };
    let applied = if script.steps.is_empty() { Vec::new() } else { vec![nest] };
    Ok(Plan { draft, applied, blocked: false })
}

/// Looks for an order that pays, or takes the steps that the strategy has for this SCoP alone; nothing if what was found fails the check, or if there are copies for which there is no order. SCoPs
/// whose schedule is not made of loops over single dimensions stay as they are. Cost: a few emptiness tests per dependence and loop, and
/// the check.
pub fn plan<'s>(
    scop: &'s Scop,
    dependences: &Arc<Dependences>,
    copies: &[Copies],
    options: &SearchOptions,
    budget: &Budget,
) -> Result<Option<Plan<'s>>, Failure> {
    let _phase = crate::phase!("strategy", budget);
    let draft = Draft::with_dependences(scop, dependences.clone()).with_live_ranges(options.live_ranges);
    if let Some(script) = options.strategy.script(&scop.name) {
        return replay(draft, script, budget).map(Some);
    }
    // All copies of the search are of a kind that the structure proves.
    let draft = draft.with_values(false);
    let Some(program) = Program::of(scop) else {
        return Ok(Some(Plan { draft, applied: Vec::new(), blocked: false }));
    };
    let mut search = Search {
        scop,
        program: &program,
        dependences,
        budget,
        copies,
        options,
        region: Region::default(),
        draft,
        used: 0,
        applied: Vec::new(),
        blocked: false,
        is_careful: false,
        has_guessed: false,
        live_ranges: OnceCell::new(),
    };
    // One check proves everything. Only if it fails, what may be illegal for itself is checked when it is found, and left out.
    let mut careful = Search { is_careful: true, ..search.clone() };
    match searched(&mut search)? {
        None if search.has_guessed => searched(&mut careful),
        found => Ok(found),
    }
}

/// What a search finds and the check proves.
fn searched<'s>(search: &mut Search<'s, '_>) -> Result<Option<Plan<'s>>, Failure> {
    let (program, copies, budget) = (search.program, search.copies, search.budget);
    search.sequence(&program.parts, &[], 0)?;
    if search.used < copies.len() {
        return Ok(None);
    }
    if search.applied.is_empty() {
        return Ok(Some(Plan { draft: search.draft.clone(), applied: Vec::new(), blocked: search.blocked }));
    }
    if search.applied.iter().all(|nest| nest.reordered.is_empty()) {
        let strict = search.draft.clone().with_live_ranges(false);
        if check(&strict, budget)?.is_some() {
            for k in 0..search.applied.len() {
                search.applied[k].reordered = search.reorderable(&search.applied[k].statements);
            }
            if search.applied.iter().all(|nest| nest.reordered.is_empty()) || check(&search.draft, budget)?.is_some() {
                return Ok(None);
            }
        }
    } else if check(&search.draft, budget)?.is_some() {
        return Ok(None);
    }
    let applied = std::mem::take(&mut search.applied);
    Ok(Some(Plan { draft: search.draft.clone(), applied, blocked: search.blocked }))
}
