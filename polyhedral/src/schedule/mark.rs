//! [`Mark`]: what a mark node says about the subtree below it.
//!
//! A mark is a typed value with a text of its own, the one that trees show and YAML holds:
//!
//! | text | what it says |
//! | --- | --- |
//! | `kernel(grid = [8], block = [4, 32], members = [0])` | what is below runs on a device |
//! | `threads(members = [0, 1])` | the points below are those of the threads of a block |
//! | `barrier()` | behind what is below, all threads of a block wait for each other |
//! | anything else | a name, which says nothing to the library |
//!
//! What the first three mean together is the business of the room [`device`](crate::device).

use std::fmt;

use crate::space::Name;

/// The size of a launch: how many blocks and threads, and which members of a band the blocks share.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Launch {
    /// The blocks in each dimension of the grid, at most two.
    pub grid: Vec<i64>,
    /// The threads in each dimension of a block, at most three.
    pub block: Vec<i64>,
    /// For each dimension of the grid, the member of the band below whose values the blocks share.
    pub members: Vec<usize>,
}

/// What a mark node says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// A name that means nothing to the library.
    Named(Name),
    /// A kernel.
    Kernel(Launch),
    /// For each dimension of the block, the member of the band below whose values the threads of a block share.
    Threads(Vec<usize>),
    /// A barrier behind what is below.
    Barrier,
}

impl Mark {
    /// The mark that a text stands for. Every text stands for one: what is no typed mark is a name.
    pub fn parse(text: &str) -> Mark {
        typed(text).unwrap_or_else(|| Mark::Named(Name::from(text)))
    }
}

/// A mark that is no name.
fn typed(text: &str) -> Option<Mark> {
    let (kind, rest) = text.trim().split_once('(')?;
    let arguments = rest.strip_suffix(')')?;
    match kind {
        "barrier" if arguments.is_empty() => Some(Mark::Barrier),
        "threads" => Some(Mark::Threads(list(arguments, "members")?)),
        "kernel" => {
            let (grid, block, members) =
                (list(arguments, "grid")?, list(arguments, "block")?, list(arguments, "members")?);
            Some(Mark::Kernel(Launch { grid, block, members }))
        }
        _ => None,
    }
}

/// The numbers of `name = [1, 2]`.
fn list<T: std::str::FromStr>(text: &str, name: &str) -> Option<Vec<T>> {
    let (_, rest) = text.split_once(&format!("{name} = ["))?;
    let (numbers, _) = rest.split_once(']')?;
    numbers.split(',').map(str::trim).filter(|number| !number.is_empty()).map(|number| number.parse().ok()).collect()
}

impl From<&str> for Mark {
    fn from(text: &str) -> Mark {
        Mark::parse(text)
    }
}

impl From<&Mark> for Mark {
    fn from(mark: &Mark) -> Mark {
        mark.clone()
    }
}

impl From<&Mark> for Name {
    fn from(mark: &Mark) -> Name {
        match mark {
            Mark::Named(name) => name.clone(),
            other => Name::from(other.to_string().as_str()),
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mark::Named(name) => f.write_str(name),
            Mark::Kernel(Launch { grid, block, members }) => {
                write!(f, "kernel(grid = {grid:?}, block = {block:?}, members = {members:?})")
            }
            Mark::Threads(members) => write!(f, "threads(members = {members:?})"),
            Mark::Barrier => f.write_str("barrier()"),
        }
    }
}
