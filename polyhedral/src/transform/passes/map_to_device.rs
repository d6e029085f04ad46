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
//! - With `points = inside` the points of a tile that fall to one thread are repeated inside of all loops below, as copies, instead of outside
//!   of them: a register tile. What points have in common is loaded once, and elements that stay for a whole loop can stay in registers. Full
//!   tiles are isolated: their copies need no conditions.
//!
//! ```text
//! map_to_device(S@0, tile = [4, 64], grid = [8, 8], block = [2, 32], points = inside)
//!
//!   for k: S(i, j, k); S(i, j + 32, k); S(i + 2, j, k); S(i + 2, j + 32, k)          i = t0 modulo 2, j = t1 modulo 32
//! ```
//!
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
use crate::device::{Places, Site, band_below, sites};
use crate::relation::{Map, UnionMap, UnionSet};
use crate::schedule::{Cursor, EditError, Edited, Launch, LoopType, Mark, Node, Path, ScheduleTree, TileOptions};
use crate::space::{Space, Tuple};
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
        Argument {
            name: "points",
            kind: Kind::Word(&["outside", "inside"]),
            optional: true,
            meaning: "whether the points of a tile that fall to one thread are repeated outside of the loops below, or inside",
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
    let is_inside = step.name("points") == Some("inside");
    if is_inside && tile.is_none() {
        return bad("points of a tile go inside, and there is no tile");
    }
    let mark = band.insert_mark(Mark::Kernel(Launch { grid, block: block.clone(), members: shared }))?;
    let path = mark.path().to_vec();
    let Some(band) = mark.child(0) else { return bad("there is nothing to map") };
    let mut tree = band.tree().clone();
    if !block.is_empty() {
        let marked = match from_here {
            true => with_threads(&band, block.len())?,
            false if is_inside => points_inside(&band, tile.as_deref().unwrap_or_default(), &block, budget)?,
            false => below_with_threads(&band, block.len())?,
        };
        tree = marked.into_tree();
    }
    let mapped = flagged.with_tree(tree);
    let tree = with_barriers(&mapped, &path, budget)?.into_tree();
    Ok(if tile.is_some() { draft.with_tree(tree) } else { flagged.with_marked(tree) })
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

/// The band of points right below a band of tiles becomes one of residues, which threads share, and goes below all other bands as copies.
fn points_inside(tiles: &Cursor, tile: &[i64], block: &[i64], budget: &Budget) -> Edited {
    let Some(points) = tiles.child(0) else { return bad("there are no points") };
    let Node::Band(band, _) = points.node() else { return bad("there are no points") };
    if band.len() != block.len() || coincident(&points).len() != block.len() {
        return bad("points go inside where threads share all members of their band");
    }
    if tile.iter().zip(block).any(|(tile, block)| tile % block != 0) {
        return bad(format!("a block of {block:?} threads does not divide a tile of {tile:?}"));
    }
    let full = full_tiles(tiles, tile, budget)?;
    let sizes: Vec<Int> = block.iter().copied().map(Int::from).collect();
    let residues = points.insert_band(band.clone())?.modulo(&sizes)?;
    let Some(points) = residues.child(0) else { return bad("there are no points") };
    let points = points.update_band(|_, members| members.iter_mut().for_each(|m| m.loop_type = LoopType::Unroll))?;
    let sunk = points.sink_below_bands()?;
    let residues = sunk.parent().filter(|parent| matches!(parent.node(), Node::Band(..)));
    let Some(residues) = residues else { return bad("the residues of points are lost") };
    let marked = residues.insert_mark(Mark::Threads((0..block.len()).collect()))?;
    let Some(tiles) = marked.parent() else { return bad("the tiles are lost") };
    tiles.update_band(|band, _| band.isolate = Some(full))
}

/// The tiles all of whose points are executed, by each statement that has some there: `[outer..] -> [tiles..]`.
fn full_tiles(tiles: &Cursor, sizes: &[i64], budget: &Budget) -> Result<Map, EditError> {
    let Some(below) = tiles.child(0).and_then(|points| points.child(0)) else { return bad("there are no points") };
    let (outer, n) = (tiles.schedule_depth(), sizes.len());
    let names = |start: &str, n: usize| -> Vec<String> { (0..n).map(|k| format!("{start}{k}")).collect() };
    let (o, t, p) = (names("o", outer), names("t", n), names("p", n));
    let here = [o.clone(), t.clone(), p.clone()].concat().join(", ");
    let inside: Vec<String> = (0..n)
        .map(|k| format!("{size} {t} <= {p} < {size} {t} + {size}", size = sizes[k], t = t[k], p = p[k]))
        .collect();
    let tile_of =
        UnionMap::parse(&format!("{{ [{here}] -> [{}] }}", [o.clone(), t.clone()].concat().join(", ")), budget)?;
    let points_of = UnionMap::parse(
        &format!("{{ [{}] -> [{here}] : {} }}", [o.clone(), t.clone()].concat().join(", "), inside.join(" and ")),
        budget,
    )?;
    let (mut all, mut partial) = (UnionSet::default(), UnionSet::default());
    for map in below.prefix_relation(budget)?.members() {
        let here = UnionSet::from_members([map.range(budget)?])?;
        let touched = tile_of.intersect_domain(&here, budget)?.range(budget)?;
        let missing = points_of.intersect_domain(&touched, budget)?.range(budget)?.subtract(&here, budget)?;
        partial = partial.union(&missing.apply(&tile_of, budget)?)?;
        all = all.union(&touched)?;
    }
    let full = all.subtract(&partial, budget)?.coalesce(budget)?;
    let apart = UnionMap::parse(
        &format!(
            "{{ [{}] -> [[{}] -> [{}]] }}",
            [o.clone(), t.clone()].concat().join(", "),
            o.join(", "),
            t.join(", ")
        ),
        budget,
    )?;
    let pairs = full.apply(&apart, budget)?.unwrap()?;
    let space = Space::map_of(pairs.params_space(), Tuple::anonymous(outer), Tuple::anonymous(n));
    Ok(pairs.extract(&space))
}

/// Barriers at the nodes that order what different threads of a block do to the same places.
fn with_barriers(draft: &Draft<'_>, kernel: &[usize], budget: &Budget) -> Edited {
    let tree = draft.tree();
    let root = tree.cursor();
    let found = sites(tree).map_err(|error| EditError::BadArgument { what: error.to_string() })?;
    let Some(site) = found.into_iter().find(|site| site.path == kernel) else { return Ok(root) };
    let places = Places::new(tree, &site, budget)?;
    let together = draft.together(budget)?;
    let pairs = match places.perhaps_of_one_launch(&together, budget)? {
        Some(pairs) => pairs,
        None => places.of_one_launch(&together, budget)?,
    };
    let pairs = places.of_different_threads(&pairs, budget)?;
    if pairs.is_empty(budget)? {
        return Ok(root);
    }
    let Some(top) = in_one_block(tree, &site) else { return Ok(root) };
    let Some(instances) = tree.domain() else { return Ok(root) };
    let inner = ScheduleTree::new(instances.clone(), top.node().clone());
    let is_in_threads = |path: &Path| site.threads.iter().any(|(threads, _)| path.starts_with(threads));
    let mut barriers: Vec<Path> = Vec::new();
    for node in inner.legality(&pairs, budget)?.nodes {
        let Some(below) = node.path.strip_prefix(&[0]) else { continue };
        let path = [top.path(), below].concat();
        if is_in_threads(&path) {
            continue;
        }
        // Reductions may run in any order, and touch the same place all the same.
        let ordered = node.carried.union(&node.violated)?;
        if ordered.is_empty(budget)? {
            continue;
        }
        let Some(cursor) = tree.cursor_at(&path) else { continue };
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

/// The part of a kernel whose order matters: what is below the band whose members blocks share, since instances that touch the same place are in
/// one block, or else all of it.
fn in_one_block(tree: &ScheduleTree, site: &Site) -> Option<Cursor> {
    let mark = tree.cursor_at(&site.path)?;
    let shared = band_below(&mark).filter(|band| members(band) == site.launch.members.len());
    shared.map_or_else(|| mark.child(0), |band| band.child(0))
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
