//! `map_to_device(S@k, grid = [...], block = [...])`: what a band schedules runs on a device, one launch per point of outer bands.
//!
//! ```text
//! band S -> [i, j]               mark kernel(grid = [8, 8], block = [4, 32], members = [0, 1])
//!   coincident [1, 1]              band S -> [floor(i/32), floor(j/32)]
//!                        =>          mark threads(members = [0, 1])
//!                                      band S -> [i, j]
//!
//! map_to_device(S@0, tile = [32, 32], grid = [8, 8], block = [4, 32])
//! ```
//!
//! - With `tile` the band at the site is tiled first. Without it is a band of tiles, or whatever blocks are to share; it is tiled by 32 if
//!   nothing that threads could share is left below.
//! - Blocks share the outermost coincident members of the band at the site, one per dimension of `grid`, at most two.
//! - Threads share the outermost coincident members of the outermost bands below that have some, at most one per dimension of `block`, at
//!   most three. (Without `grid` and `tile` this begins at the site itself.) What is below no such band is for the first thread of a block.
//!   With `block = []` there is one thread.
//! - Barriers are put where different threads of a block touch the same place: at the end of the loop, or between the parts of the sequence,
//!   that has the order.
//!
//! Sizes of grids and blocks need not divide anything: a block takes the tiles `b`, `b + grid`, ..., a thread the points whose values are its
//! number modulo `block`. What the marks mean is said in [`device`](crate::device).
//!
//! Legal if blocks have nothing to wait for, and threads only where barriers are. For what a loop carries from block to block the
//! kernel has to be inside of that loop.
//! S. Verdoolaege et al., "Polyhedral Parallel Code Generation for CUDA", TACO 2013.

use crate::arith::Int;
use crate::budget::Budget;
use crate::device::{Places, sites};
use crate::relation::UnionMap;
use crate::schedule::{Cursor, EditError, Edited, Launch, Mark, Node, Path, TileOptions};
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::{bad, members};
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "map_to_device",
    meaning: "runs what a band schedules on a device",
    sites: 1,
    arguments: &[
        Argument {
            name: "tile",
            kind: Kind::Integers,
            optional: true,
            meaning: "the size of a tile, one per member, if the band is to be tiled first",
        },
        Argument {
            name: "grid",
            kind: Kind::Integers,
            optional: false,
            meaning: "the number of blocks, one per member that blocks share, at most two",
        },
        Argument {
            name: "block",
            kind: Kind::Integers,
            optional: false,
            meaning: "the number of threads of a block, one per member that threads share, at most three",
        },
    ],
    apply,
};

/// The size of a tile that is needed and was not given: PPCG's.
const TILE: i64 = 32;

fn apply<'m>(draft: &Draft<'m>, step: &Step, budget: &Budget) -> Result<Draft<'m>, EditError> {
    let (grid, block) = (sizes(step, "grid", 2)?, sizes(step, "block", 3)?);
    // What was done before may have left flags that say less than they could.
    let flagged = draft.clone().with_true_flags(budget)?;
    let site = flagged.band_at(&step.sites[0])?;
    if site.ancestors().any(|above| matches!(above.node(), Node::Mark(Mark::Kernel(_), _)))
        || site.find(&mut |below| matches!(below.node(), Node::Mark(Mark::Kernel(_), _))).is_some()
    {
        return bad("there is a kernel already above or below the band");
    }
    let mut tile = step.integers("tile");
    if tile.is_none() && !block.is_empty() && !grid.is_empty() && first_shared(&site, false).is_none() {
        tile = Some(vec![TILE; members(&site)]);
    }
    let band = match &tile {
        Some(sizes) => {
            let sizes: Vec<Int> = sizes.iter().copied().map(Int::from).collect();
            site.tile(&sizes, TileOptions { scale_tiles: false, shift_points: false })?
        }
        None => site,
    };
    let mut shared = coincident(&band);
    if shared.len() < grid.len() {
        return bad(format!(
            "blocks are to share {} members of the band, and {} can run in parallel",
            grid.len(),
            shared.len()
        ));
    }
    shared.truncate(grid.len());
    let from_here = grid.is_empty() && tile.is_none();
    if !block.is_empty() && first_shared(&band, from_here).is_none() {
        return bad("there is no band with a member that threads could share: none can run in parallel");
    }
    let mark = band.insert_mark(Mark::Kernel(Launch { grid, block: block.clone(), members: shared }))?;
    let path = mark.path().to_vec();
    let Some(band) = mark.child(0) else { return bad("there is nothing to map") };
    let mut tree = band.tree().clone();
    if !block.is_empty() {
        let marked =
            if from_here { with_threads(&band, block.len())? } else { below_with_threads(&band, block.len())? };
        tree = marked.into_tree();
    }
    let mapped = flagged.with_tree(tree);
    let tree = with_barriers(&mapped, &path, budget)?.into_tree();
    Ok(draft.with_tree(tree))
}

/// An argument that is a list of sizes.
fn sizes(step: &Step, name: &str, most: usize) -> Result<Vec<i64>, EditError> {
    let sizes = step.integers(name).unwrap_or_default();
    if sizes.len() > most {
        return bad(format!("{name} has at most {most} dimensions, not {}", sizes.len()));
    }
    match sizes.iter().find(|size| **size < 1) {
        Some(size) => bad(format!("sizes in {name} are at least 1, not {size}")),
        None => Ok(sizes),
    }
}

/// The coincident members of a band.
fn coincident(cursor: &Cursor) -> Vec<usize> {
    let Node::Band(band, _) = cursor.node() else { return Vec::new() };
    let all = band.members().iter().enumerate();
    all.filter(|(_, member)| member.coincident).map(|(position, _)| position).collect()
}

/// The first band with coincident members below a band, or from the band itself on.
fn first_shared(band: &Cursor, from_here: bool) -> Option<Cursor> {
    let mut has_some = |cursor: &Cursor| !coincident(cursor).is_empty();
    if from_here {
        band.find(&mut has_some)
    } else {
        band.children().iter().find_map(|child| child.find(&mut has_some))
    }
}

/// Marks of threads above the outermost bands with coincident members.
fn with_threads(cursor: &Cursor, most: usize) -> Edited {
    let mut shared = coincident(cursor);
    if shared.is_empty() {
        return below_with_threads(cursor, most);
    }
    shared.truncate(most);
    cursor.insert_mark(Mark::Threads(shared))
}

fn below_with_threads(cursor: &Cursor, most: usize) -> Edited {
    let mut here = cursor.clone();
    for position in 0..cursor.children().len() {
        if let Some(child) = here.child(position) {
            let tree = with_threads(&child, most)?.into_tree();
            here = tree.cursor_at(cursor.path()).unwrap_or(here);
        }
    }
    Ok(here)
}

/// Barriers at the nodes that order what different threads of a block do to the same places.
fn with_barriers(draft: &Draft<'_>, kernel: &[usize], budget: &Budget) -> Edited {
    let tree = draft.tree();
    let root = tree.cursor();
    let found = sites(tree).map_err(|error| EditError::BadArgument { what: error.to_string() })?;
    let Some(site) = found.into_iter().find(|site| site.path == kernel) else { return Ok(root) };
    let places = Places::new(tree, &site, budget)?;
    let pairs = places.of_one_launch(&draft.together(budget)?, budget)?;
    let pairs = places.of_different_threads(&pairs, budget)?;
    if pairs.is_empty(budget)? {
        return Ok(root);
    }
    let is_in_threads = |path: &Path| site.threads.iter().any(|(threads, _)| path.starts_with(threads));
    let mut barriers: Vec<Path> = Vec::new();
    for node in tree.legality(&pairs, budget)?.nodes {
        if !node.path.starts_with(kernel) || is_in_threads(&node.path) {
            continue;
        }
        // Reductions may run in any order, and touch the same place all the same.
        let ordered = node.carried.union(&node.violated)?;
        if ordered.is_empty(budget)? {
            continue;
        }
        let Some(cursor) = tree.cursor_at(&node.path) else { continue };
        match cursor.node() {
            Node::Band(..) => barriers.extend(end_of_loop(&cursor)),
            Node::Sequence(_) => barriers.extend(between(&cursor, &ordered, budget)?),
            _ => {}
        }
    }
    barriers.sort();
    barriers.dedup();
    // A mark moves only what is below it.
    let mut cursor = root;
    for path in barriers.iter().rev() {
        if let Some(here) = cursor.tree().cursor_at(path) {
            cursor = here.insert_mark(Mark::Barrier)?;
        }
    }
    Ok(cursor)
}

/// Where a barrier is behind what a band's loops repeat.
fn end_of_loop(band: &Cursor) -> Option<Path> {
    let below = band.child(0)?;
    match below.node() {
        Node::Sequence(children) => Some(below.child(children.len().checked_sub(1)?)?.child(0)?.path().to_vec()),
        _ => Some(below.path().to_vec()),
    }
}

/// The fewest barriers between the children of a sequence that separate all pairs.
fn between(sequence: &Cursor, pairs: &UnionMap, budget: &Budget) -> Result<Vec<Path>, EditError> {
    let children = sequence.children();
    let filter = |cursor: &Cursor| match cursor.node() {
        Node::Filter(instances, _) => instances.to_union_set(),
        _ => Ok(crate::relation::UnionSet::default()),
    };
    let mut barriers = Vec::new();
    let mut last: Option<usize> = None;
    for (later, child) in children.iter().enumerate().skip(1) {
        let behind = filter(child)?;
        // A barrier behind one of the children from `first` on separates those up to there from this one.
        let first = last.map_or(0, |last| last + 1);
        for earlier in &children[first..later] {
            let before = filter(earlier)?;
            let forth = pairs.intersect_domain(&before, budget)?.intersect_range(&behind, budget)?;
            let back = pairs.intersect_domain(&behind, budget)?.intersect_range(&before, budget)?;
            if !forth.is_empty(budget)? || !back.is_empty(budget)? {
                last = Some(later - 1);
                barriers.extend(children[later - 1].child(0).map(|below| below.path().to_vec()));
                break;
            }
        }
    }
    Ok(barriers)
}
