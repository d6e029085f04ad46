//! [`Site`]: where the kernels of a tree are, and the rules for their marks.
//!
//! | rule | what must hold |
//! | --- | --- |
//! | K1 | kernels are not inside of kernels; marks of threads and barriers are inside of kernels |
//! | K2 | a grid has at most two dimensions, a block at most three, and sizes are at least 1 |
//! | K3 | a kernel shares as many members as its grid has dimensions, marks of threads at most as many as its block has |
//! | K4 | these are different members of the band right below (other marks may be between) |
//! | K5 | neither barriers nor marks of threads are below a mark of threads: all threads must reach a barrier |
//! | K6 | nothing in a kernel introduces or replaces instances, or refers to outer members (extensions, expansions, guards), and no such instances come to it |

use crate::schedule::{Cursor, Launch, Mark, Node, Path, ScheduleTree};
use crate::space::DimKind;

use super::DeviceError;

/// A kernel of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The mark of the kernel.
    pub path: Path,
    /// How it is launched.
    pub launch: Launch,
    /// The marks of threads with the members that threads share.
    pub threads: Vec<(Path, Vec<usize>)>,
    /// The marks of barriers.
    pub barriers: Vec<Path>,
}

/// The kernels of a tree in preorder; an error if their marks break a rule. Linear.
pub fn sites(tree: &ScheduleTree) -> Result<Vec<Site>, DeviceError> {
    let mut found = Vec::new();
    visit(&tree.cursor(), &mut found)?;
    Ok(found)
}

fn refuse<T>(what: impl Into<String>) -> Result<T, DeviceError> {
    Err(DeviceError::Marks { what: what.into() })
}

/// The band right below a mark: only other marks may be between.
pub(crate) fn band_below(mark: &Cursor) -> Option<Cursor> {
    let mut here = mark.child(0)?;
    while let Node::Mark(..) = here.node() {
        here = here.child(0)?;
    }
    matches!(here.node(), Node::Band(..)).then_some(here)
}

fn visit(cursor: &Cursor, found: &mut Vec<Site>) -> Result<(), DeviceError> {
    match cursor.node() {
        Node::Mark(Mark::Kernel(launch), _) => {
            found.push(site(cursor, launch)?);
            Ok(())
        }
        Node::Mark(mark @ (Mark::Threads(_) | Mark::Barrier), _) => refuse(format!("{mark} is outside of a kernel")),
        _ => cursor.children().iter().try_for_each(|child| visit(child, found)),
    }
}

fn site(cursor: &Cursor, launch: &Launch) -> Result<Site, DeviceError> {
    let Launch { grid, block, members } = launch;
    if grid.len() > 2 || block.len() > 3 {
        return refuse("a grid has at most two dimensions and a block at most three");
    }
    if let Some(size) = grid.iter().chain(block).find(|size| **size < 1) {
        return refuse(format!("there are no {size} blocks or threads"));
    }
    if members.len() != grid.len() {
        return refuse(format!("blocks share {} members of a band in {} dimensions", members.len(), grid.len()));
    }
    for above in cursor.ancestors() {
        if let Node::Extension(..) | Node::Expansion(..) = above.node() {
            return refuse(format!("a kernel is below an {}", above.node().kind()));
        }
    }
    if !members.is_empty() {
        has_members(cursor, members)?;
    }
    let mut site =
        Site { path: cursor.path().to_vec(), launch: launch.clone(), threads: Vec::new(), barriers: Vec::new() };
    for child in cursor.children() {
        inside(&child, &mut site, false)?;
    }
    Ok(site)
}

/// K4.
fn has_members(mark: &Cursor, members: &[usize]) -> Result<(), DeviceError> {
    let Some(band) = band_below(mark) else {
        return refuse("blocks or threads share members of a band, and there is none right below the mark");
    };
    let n = if let Node::Band(band, _) = band.node() { band.len() } else { 0 };
    let is_repeated = (1..members.len()).any(|k| members[..k].contains(&members[k]));
    if is_repeated || members.iter().any(|member| *member >= n) {
        return refuse(format!("{members:?} are no different members of a band that has {n}"));
    }
    Ok(())
}

fn inside(cursor: &Cursor, site: &mut Site, in_threads: bool) -> Result<(), DeviceError> {
    let mut below = in_threads;
    match cursor.node() {
        Node::Mark(Mark::Kernel(_), _) => return refuse("a kernel is inside of a kernel"),
        Node::Mark(mark @ (Mark::Threads(_) | Mark::Barrier), _) if in_threads => {
            return refuse(format!("{mark} is below a mark of threads: not all threads would come by"));
        }
        Node::Mark(Mark::Threads(members), _) => {
            if members.is_empty() || members.len() > site.launch.block.len() {
                let n = site.launch.block.len();
                return refuse(format!("threads share {} members of a band in {n} dimensions", members.len()));
            }
            has_members(cursor, members)?;
            site.threads.push((cursor.path().to_vec(), members.clone()));
            below = true;
        }
        Node::Mark(Mark::Barrier, _) => site.barriers.push(cursor.path().to_vec()),
        Node::Extension(..) | Node::Expansion(..) => {
            return refuse(format!("an {} is inside of a kernel", cursor.node().kind()));
        }
        Node::Guard(set, _) if set.space().dim(DimKind::Out) > 0 => return refuse("a guard is inside of a kernel"),
        _ => {}
    }
    cursor.children().iter().try_for_each(|child| inside(child, site, below))
}
