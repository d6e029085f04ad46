//! Schedule trees: the execution order of statement instances as a tree.
//!
//! A [`ScheduleTree`] says which statement instances there are (its domain) and in which order they run. Every node of
//! the tree is an immutable shared value ([`Node`]); an edit returns a new tree and shares everything that it does not
//! change. The order that a tree defines is only relative: instances that no node separates are *unordered*, which is a
//! permission to run them in any order or in parallel, not a lack of knowledge.
//!
//! The order of two instances is decided by the outermost node that distinguishes them: a band by the lexicographic order of its members,
//! a sequence by the positions of the children; a set node and a leaf leave them unordered. [`order()`] is that definition,
//! executable.
//!
//! Method: S. Verdoolaege, S. Guelton, T. Grosser, A. Cohen, "Schedule Trees", IMPACT 2014.
//!
//! # Example
//!
//! ```text
//! domain { S[i, j] : 0 <= i, j < n }
//!   band  S -> [i, j]   permutable, coincident 1 1
//!     leaf
//! ```

mod band;
mod band_edit;
mod branch_edit;
mod cursor;
mod edit;
mod flat;
mod import;
mod insert;
mod instances;
mod interruption;
mod legal;
mod legality;
mod local;
mod mark;
mod normal;
mod options;
mod order;
mod print;
mod queries;
mod read;
mod restrict;
mod system;
mod tree;
mod verify;

pub use band::{Band, LoopType, Member};
pub use band_edit::TileOptions;
pub use cursor::Cursor;
pub use edit::{EditError, Edited};
pub use flat::{FlatSchedule, TimeDim};
pub use import::ForestBand;
pub use instances::Instances;
pub use interruption::Lives;
pub use legal::Violation;
pub use legality::{Legality, NodeLegality, TrueFlags};
pub use mark::{Launch, Mark};
pub use normal::{compare_relaxed, compare_strict};
pub(crate) use options::is_separation_class;
pub use order::order;
pub(crate) use read::tree as tree_of_yaml;
pub use tree::{Expansion, Node, Path, ScheduleTree};
pub use verify::Defect;
