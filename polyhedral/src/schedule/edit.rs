//! Edits of schedule trees. Every edit returns a new tree; the old one stays valid. Domains are never changed.
//!
//! An edit checks the structure and the flags of the bands (a band that is not permutable cannot be tiled or permuted),
//! not the dependences: use [`ScheduleTree::is_legal`] for that.

use std::fmt;
use std::sync::Arc;

use crate::arith::Int;
use crate::error::Error;
use crate::space::Name;

use super::band::{Band, Member};
use super::cursor::Cursor;
use super::tree::{Node, Path, ScheduleTree};

/// Why an edit is not possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// The path leads nowhere.
    NoSuchNode {
        /// The path.
        path: Path,
    },
    /// The node is not a band.
    NotABand {
        /// The path.
        path: Path,
        /// What the node is.
        found: &'static str,
    },
    /// The band is not permutable, so its members can be neither interchanged nor tiled together.
    NotPermutable {
        /// The path.
        path: Path,
    },
    /// The argument does not fit the band.
    BadArgument {
        /// What is wrong and what is allowed.
        what: String,
    },
    /// Between a sequence or set and its filters nothing but a filter can stand.
    AboveFilter {
        /// The path.
        path: Path,
    },
    /// Something below refers to the members of outer bands, so these cannot change.
    Anchored {
        /// The path.
        path: Path,
        /// What was to be done, ending in "above" or with a verb: "tile a band above".
        operation: &'static str,
    },
    /// The filters of a sequence or set would not be a partition of the instances that reach it.
    Partition {
        /// The path.
        path: Path,
        /// Which instance shows it.
        what: String,
    },
    /// The node does not have the form that the edit needs.
    NotAllowed {
        /// The path.
        path: Path,
        /// What is wrong.
        what: String,
    },
    /// The new tree does not respect the dependences.
    Illegal {
        /// The node of the new tree.
        path: Path,
        /// The pairs that it violates.
        violated: String,
    },
    /// An operation on sets failed, or the budget ran out.
    Relation(Error),
}

/// The result of an edit: a cursor on the new tree.
pub type Edited = std::result::Result<Cursor, EditError>;

impl From<Error> for EditError {
    fn from(error: Error) -> EditError {
        EditError::Relation(error)
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::NoSuchNode { path } => write!(f, "there is no schedule node at {path:?}"),
            EditError::NotABand { path, found } => write!(f, "the schedule node at {path:?} is a {found}, not a band"),
            EditError::NotPermutable { path } => {
                write!(
                    f,
                    "the band at {path:?} is not permutable: its members cannot be interchanged or tiled together"
                )
            }
            EditError::BadArgument { what } => write!(f, "{what}"),
            EditError::Anchored { path, operation } => write!(
                f,
                "cannot {operation} the subtree at {path:?}: it refers to outer band members or introduces instances; do \
                 this before such nodes are inserted"
            ),
            EditError::Partition { path, what } | EditError::NotAllowed { path, what } => {
                write!(f, "schedule node at {path:?}: {what}")
            }
            EditError::Illegal { path, violated } => {
                write!(f, "the new schedule violates dependences at {path:?}: {violated}")
            }
            EditError::Relation(error) => error.fmt(f),
            EditError::AboveFilter { path } => {
                write!(
                    f,
                    "the node at {path:?} is a child of a sequence or set and must stay a filter; insert below it"
                )
            }
        }
    }
}

impl std::error::Error for EditError {}

type Result<T> = std::result::Result<T, EditError>;

impl ScheduleTree {
    fn node_or_error(&self, path: &[usize]) -> Result<&Node> {
        self.node(path).ok_or_else(|| EditError::NoSuchNode { path: path.to_vec() })
    }

    fn band_at(&self, path: &[usize]) -> Result<(&Band, &Arc<Node>)> {
        match self.node_or_error(path)? {
            Node::Band(band, child) => Ok((band, child)),
            other => Err(EditError::NotABand { path: path.to_vec(), found: other.kind() }),
        }
    }

    /// The same tree with another subtree at a path.
    pub fn replace(&self, path: &[usize], subtree: Node) -> Result<ScheduleTree> {
        self.replaced(path, subtree).ok_or_else(|| EditError::NoSuchNode { path: path.to_vec() })
    }

    /// Tiles a band: a band of tile members `floor(member / size)` above a band of the members themselves. Both inherit
    /// the flags. A band of several members must be permutable; a single member is only strip-mined, which is always
    /// possible.
    ///
    /// Example: `[i, j]` with sizes 32 and 8 becomes `[floor(i/32), floor(j/8)]` above `[i, j]`.
    pub fn tile(&self, path: &[usize], sizes: &[Int]) -> Result<ScheduleTree> {
        let (band, child) = self.band_at(path)?;
        if sizes.len() != band.len() {
            let what = format!("{} tile sizes for a band of {} members", sizes.len(), band.len());
            return Err(EditError::BadArgument { what });
        }
        if let Some(size) = sizes.iter().find(|size| !size.is_positive()) {
            return Err(EditError::BadArgument { what: format!("a tile size must be at least 1, not {size}") });
        }
        if band.len() > 1 && !band.permutable {
            return Err(EditError::NotPermutable { path: path.to_vec() });
        }
        let tile = |(member, size): (&Member, &Int)| {
            let mut tile = member.map(|aff| aff.floor_div(size));
            tile.name = member.name.as_ref().map(|name| Name::from(format!("{name}t")));
            tile
        };
        let tiles = band.members().iter().zip(sizes).map(tile).collect();
        let mut points = band.clone();
        points.isolate_full_tiles = false;
        let points = Node::Band(points, child.clone());
        self.replace(path, Node::band(band.with_members(tiles), points))
    }

    /// Permutes the members of a permutable band: new member `k` is old member `order[k]`.
    pub fn permute(&self, path: &[usize], order: &[usize]) -> Result<ScheduleTree> {
        let (band, child) = self.band_at(path)?;
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if !sorted.iter().copied().eq(0..band.len()) {
            let what = format!("{order:?} is not a permutation of the {} members of the band", band.len());
            return Err(EditError::BadArgument { what });
        }
        if !band.permutable && !order.iter().copied().eq(0..band.len()) {
            return Err(EditError::NotPermutable { path: path.to_vec() });
        }
        let members = order.iter().map(|&k| band.members()[k].clone()).collect();
        self.replace(path, Node::Band(band.with_members(members), child.clone()))
    }

    /// Splits a band into two nested bands, the first `at` members and the rest. Both inherit the flags.
    pub fn split(&self, path: &[usize], at: usize) -> Result<ScheduleTree> {
        let (band, child) = self.band_at(path)?;
        if at > band.len() {
            let what = format!("cannot split a band of {} members after member {at}", band.len());
            return Err(EditError::BadArgument { what });
        }
        let (outer, inner) = band.members().split_at(at);
        let inner = Node::Band(band.with_members(inner.to_vec()), child.clone());
        self.replace(path, Node::band(band.with_members(outer.to_vec()), inner))
    }

    /// The same tree with a band's properties changed: permutability, isolation, and per member the coincidence, loop
    /// type and name. The number of members and their expressions cannot change.
    pub fn update_band(&self, path: &[usize], change: impl FnOnce(&mut Band, &mut [Member])) -> Result<ScheduleTree> {
        let (band, child) = self.band_at(path)?;
        let mut members = band.members().to_vec();
        let mut changed = band.clone();
        change(&mut changed, &mut members);
        self.replace(path, Node::Band(changed.with_members(members), child.clone()))
    }

    /// Inserts a mark above the node at a path.
    pub fn insert_mark(&self, path: &[usize], name: &str) -> Result<ScheduleTree> {
        self.insert(path, |below| Node::mark(name, below))
    }

    /// Inserts a band above the node at a path.
    pub fn insert_band(&self, path: &[usize], band: Band) -> Result<ScheduleTree> {
        self.insert(path, |below| Node::band(band, below))
    }

    fn insert(&self, path: &[usize], wrap: impl FnOnce(Node) -> Node) -> Result<ScheduleTree> {
        let node = self.node_or_error(path)?;
        if let Some((_, parent)) = path.split_last()
            && matches!(self.node_or_error(parent)?, Node::Sequence(_) | Node::Set(_))
        {
            return Err(EditError::AboveFilter { path: path.to_vec() });
        }
        if matches!(node, Node::Domain(..)) || path.is_empty() {
            let what = "nothing but a context can stand above the domain of a schedule tree".to_owned();
            return Err(EditError::BadArgument { what });
        }
        self.replace(path, wrap(node.clone()))
    }
}
