//! From the order of the program to kernels: which loops are shared by blocks and threads.
//!
//! ```text
//! for i, j                         grid, block over tiles of 32 x 32 of (i, j), the one whose neighbours are side by side in memory along x
//!   C[i][j] = 0                      one thread: C[i][j] = 0; for k: C[i][j] += ...
//!   for k: C[i][j] += ...
//! for t                            the host's loop
//!   for i: B[i] = f(A, i)            kernel
//!   for i: A[i] = B[i]               kernel
//!   A[0] = ...                       kernel with one thread: what is left, so that nothing has to be copied between
//! ```
//!
//! The outermost loops with iterations that can run side by side become kernels. Loops of which all can are taken together, at most three. If
//! the order of the program has no such loop, that of the library's scheduler may have one. What is in no kernel then becomes one of a
//! single thread.
//!
//! A loop right around that can be interchanged with them goes into the kernel, inside of them (`for k, i: x[i] += A[k][i] * y[k]`: a thread per
//! `i`, one launch).
//!
//! Loops over time around sweeps over rows of one dimension, as the last one, are tiled first (`hexagonal_tile`), where that can be done: blocks
//! take some of [`HEIGHTS`] sweeps over [`ROWS`] rows each, with barriers between them, in place of a launch per sweep.
//!
//! A scalar that holds something in one iteration of the loops that become a kernel, and nothing between two of them, does not order them:
//! every thread has its own. Others are places in the device's memory.
//!
//! Invariant: every instance is in a kernel, and the library's check has proved the draft.

use super::obstacle::Obstacle;
use super::register_tile;
use crate::formula::poly::{Poly, Sym};
use crate::model::scop::{self as model, Scop, Statement};
use std::sync::Arc;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::schedule::{Band, Cursor, EditError, Instances, Launch, Mark, Node, ScheduleTree};
use tessera_polyhedral::scop::{Dependences, Pair, Scop as Data, Storage};
use tessera_polyhedral::transform::{Draft, Script, Site, TransformError, check};

type Result<T> = std::result::Result<T, Obstacle>;

/// Blocks along the first dimension of grids of one dimension, at most, and along each dimension of others. Blocks with nothing to do are not
/// launched.
const BLOCKS: [i64; 2] = [4096, 128];

/// The threads of a block, by the number of dimensions.
const THREADS: [&[i64]; 3] = [&[256], &[8, 32], &[2, 4, 32]];

/// The tiles that blocks share, by the number of dimensions; 32 for members that no thread shares.
const TILES: [&[i64]; 3] = [&[256], &[32, 32], &[2, 4, 32]];

/// The sweeps of a hexagonal tile, those that fit of stencils with neighbours nearby first, and its rows where it has most: one per thread of a
/// block. A block takes as long for 32 sweeps as a launch or two.
const HEIGHTS: [i64; 3] = [32, 16, 8];
const ROWS: i64 = THREADS[0][0];

/// An order with kernels.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// The order, with the marks of the kernels.
    pub tree: ScheduleTree,
    /// The steps that lead there, but for the kernels of single threads.
    pub log: Script,
    /// The statements with instances that single threads execute.
    pub alone: Vec<String>,
    /// Whether these are a large part of the work.
    pub is_slow: bool,
    /// How many sweeps over rows the tiles have that blocks take, where a loop over time is tiled.
    pub sweeps: Option<i64>,
    /// The accesses to scalars, by statement and number, of which every thread has its own.
    pub private: Vec<(String, usize)>,
}

/// The order of the program while kernels are made: as it is, and as it would be if every iteration had scalars of its own.
#[derive(Clone)]
struct Orders<'m> {
    draft: Draft<'m>,
    relaxed: Draft<'m>,
}

/// What may be done.
#[derive(Clone, Copy, Debug)]
pub struct Choices {
    /// Single threads may do more than a small part of the work.
    pub may_be_slow: bool,
    /// Loops over time may be tiled.
    pub time_tiling: bool,
}

/// The mapped order.
pub fn mapped(scop: &Scop, data: &Data, choices: Choices, budget: &Budget) -> Result<Mapped> {
    let draft = Draft::new(data, budget)?;
    let relaxed = without_scalars(data, &draft, budget)?;
    let has_scalars = (0..scop.arrays.len()).any(|array| scop.is_used(array) && !scop.is_memory(array));
    match attempt(scop, Orders { draft: draft.clone(), relaxed }, choices, budget) {
        // Values that are carried from one iteration to another do order them.
        Err(other) if has_scalars && other != Obstacle::Budget => {
            attempt(scop, Orders { relaxed: draft.clone(), draft }, choices, budget)
        }
        result => result,
    }
}

/// Orders of the scheduler, for nests whose own order has no loop to share, or leaves most of the work to single threads: the last one has as few
/// loops that must wait as possible, so that what is on a diagonal runs side by side.
const OTHERS: [&str; 3] = ["reschedule()", "reschedule(fusion = none)", "reschedule(algorithm = feautrier)"];

/// The first order with kernels that do most of the work: that of the program, or one of the scheduler; else, where they may be slow, the first
/// one with kernels.
fn attempt<'m>(scop: &Scop, orders: Orders<'m>, choices: Choices, budget: &Budget) -> Result<Mapped> {
    let fast = Choices { may_be_slow: false, ..choices };
    let complaint = match with_order(scop, orders.clone(), fast, budget) {
        Err(complaint) if complaint != Obstacle::Budget => complaint,
        result => return result,
    };
    let mut all = vec![orders];
    for other in OTHERS {
        let found = budget.share(budget.remaining() / 2, |own| {
            let orders = all[0].rescheduled(other, own)?;
            Ok::<_, Obstacle>((with_order(scop, orders.clone(), fast, own), orders))
        });
        match found {
            Ok(Ok((Ok(mapped), _))) => return Ok(mapped),
            Ok(Ok((Err(_), orders))) => all.push(orders),
            _ => {}
        }
    }
    let slow = all.into_iter().filter(|_| choices.may_be_slow);
    slow.map(|orders| with_order(scop, orders, choices, budget)).find(Result::is_ok).unwrap_or(Err(complaint))
}

/// Kernels in an order.
fn with_order(scop: &Scop, mut orders: Orders<'_>, choices: Choices, budget: &Budget) -> Result<Mapped> {
    let mut sites = orders.relaxed.kernel_sites(budget)?;
    if let Ok(Ok(wider)) = budget.share(budget.remaining() / 4, |own| widened(&orders, &sites, own)) {
        (orders, sites) = wider;
    }
    if choices.time_tiling
        && let Some(time) = loop_over_sweeps(scop, &orders.relaxed, &sites)
    {
        let tiled = HEIGHTS.iter().find_map(|height| {
            let step = format!("hexagonal_tile({time}, height = {height}, rows = {ROWS})");
            Some((orders.step(&step, budget).ok()?, *height))
        });
        if let Some((orders, height)) = tiled {
            let sites = orders.relaxed.kernel_sites(budget)?;
            match with_kernels(scop, orders, sites, choices, budget) {
                Ok(mapped) => return Ok(Mapped { sweeps: Some(height), ..mapped }),
                Err(Obstacle::Budget) => return Err(Obstacle::Budget),
                Err(_) => {}
            }
        }
    }
    with_kernels(scop, orders, sites, choices, budget)
}

/// The sites with loops right inside and right around them in their bands, where all of these can be interchanged and more members run in
/// parallel, or as many as before: one launch in place of one per iteration of the loops around, which threads go through.
fn widened<'m>(orders: &Orders<'m>, sites: &[Site], budget: &Budget) -> Result<(Orders<'m>, Vec<Site>)> {
    let mut orders = orders.clone();
    for site in sites {
        orders = deepened(&joined(&orders, site, budget)?, site, budget)?;
        let Some((inner, band)) = band_at(&orders.relaxed, site) else { continue };
        let is_inside = inner.parent().is_some_and(|parent| matches!(parent.node(), Node::Band(..)));
        let Some(around) = above(site).filter(|_| is_inside) else { continue };
        let wider = match orders.step(&format!("combine({around})"), budget) {
            Ok(wider) => wider,
            Err(Obstacle::Budget) => return Err(Obstacle::Budget),
            Err(_) => continue,
        };
        let is_wider = |both: &Band| both.permutable && free_members(both) == free_members(&band);
        if band_at(&wider.relaxed, &around).is_some_and(|(_, both)| is_wider(&both)) {
            // There may be more loops around, and the numbers of bands below are others.
            let sites = wider.relaxed.kernel_sites(budget)?;
            return widened(&wider, &sites, budget);
        }
    }
    Ok((orders, sites.to_vec()))
}

/// The site of the band around.
fn above(site: &Site) -> Option<Site> {
    Some(Site { band: site.band.checked_sub(1)?, ..site.clone() })
}

/// The loop over time that all sites are sweeps over rows of, right inside of it, if there is one.
fn loop_over_sweeps(scop: &Scop, draft: &Draft<'_>, sites: &[Site]) -> Option<Site> {
    let time = above(sites.first()?)?;
    let (cursor, band) = band_at(draft, &time)?;
    let is_sweep = |site: &Site| {
        let outer = above(site).and_then(|above| band_at(draft, &above));
        let is_row = |(sweep, band): (Cursor, Band)| {
            band.len() == 1 && sweep.child(0).is_some_and(|below| below.children().is_empty())
        };
        outer.is_some_and(|(outer, _)| outer.path() == cursor.path()) && band_at(draft, site).is_some_and(is_row)
    };
    let is_one = band.len() == 1 && sites.iter().all(is_sweep) && scalars_of(scop, &cursor).is_empty();
    is_one.then_some(time)
}

/// The order with a kernel at every site.
fn with_kernels(
    scop: &Scop,
    mut orders: Orders<'_>,
    sites: Vec<Site>,
    choices: Choices,
    budget: &Budget,
) -> Result<Mapped> {
    let mut complaint = None;
    for site in sites {
        match kernel(scop, &orders, &site, budget) {
            Ok(next) => orders = next,
            Err(Obstacle::Budget) => return Err(Obstacle::Budget),
            Err(other) => complaint = Some(other),
        }
    }
    let draft = orders.draft;
    if !has_kernel(&draft.tree().cursor()) {
        return Err(complaint.unwrap_or(Obstacle::NotParallel));
    }
    let alone = statements_outside(scop, draft.tree());
    let depth = |statement: &Statement| statement.loops.len();
    let shared = scop.statements.iter().filter(|statement| !alone.contains(&statement.name));
    let deepest = shared.map(depth).max().unwrap_or(0);
    let is_slow =
        scop.statements.iter().any(|statement| alone.contains(&statement.name) && depth(statement) >= deepest);
    if is_slow && !choices.may_be_slow {
        return Err(Obstacle::Sequential);
    }
    let draft = draft.with_tree(with_single_threads(&draft.tree().cursor())?);
    if let Some(defect) = check(&draft, budget)? {
        return Err(Obstacle::Mapping { what: defect.to_string() });
    }
    let private = draft.placement().redirects.iter().map(|one| (one.statement.clone(), one.access)).collect();
    let log = Script { steps: draft.log().to_vec() };
    Ok(Mapped { tree: draft.tree().clone(), log, alone, is_slow, sweeps: None, private })
}

/// The order of the program as if scalars were no memory; the same draft where none of them orders anything.
fn without_scalars<'m>(data: &'m Data, draft: &Draft<'m>, budget: &Budget) -> Result<Draft<'m>> {
    let dependences = draft.dependences();
    let is_memory = |pair: &&Pair| data.arrays[pair.array].storage != Storage::Scalar;
    let pairs: Vec<Pair> = dependences.pairs.iter().filter(is_memory).cloned().collect();
    if pairs.len() == dependences.pairs.len() {
        return Ok(draft.clone().with_true_flags(budget)?);
    }
    let merged = pairs.iter().map(|pair| pair.dependence.clone()).collect();
    Ok(Draft::with_dependences(data, Arc::new(Dependences { merged, pairs })).with_true_flags(budget)?)
}

impl<'m> Orders<'m> {
    /// The order that a step of the scheduler makes of them.
    fn rescheduled(&self, text: &str, budget: &Budget) -> Result<Orders<'m>> {
        let draft = step(&self.draft, text, budget)?;
        let relaxed = self.relaxed.with_tree(draft.tree().clone()).with_true_flags(budget)?;
        Ok(Orders { draft, relaxed })
    }

    /// Takes a step in both.
    fn step(&self, text: &str, budget: &Budget) -> Result<Orders<'m>> {
        let draft = step(&self.draft, text, budget)?;
        // Where they have the same dependences they are the same.
        if std::ptr::eq(self.draft.dependences(), self.relaxed.dependences()) {
            let draft = draft.with_true_flags(budget)?;
            return Ok(Orders { relaxed: draft.clone(), draft });
        }
        Ok(Orders { draft, relaxed: step(&self.relaxed, text, budget)?.with_true_flags(budget)? })
    }
}

pub(super) fn step<'m>(draft: &Draft<'m>, text: &str, budget: &Budget) -> Result<Draft<'m>> {
    let complaint = |what: String| Obstacle::Mapping { what };
    let script: Script = text.parse().map_err(|error: tessera_polyhedral::Error| complaint(error.to_string()))?;
    script.steps.iter().try_fold(draft.clone(), |draft, step| {
        draft.edit(step, budget).map_err(|error| match error {
            TransformError::Relation(error) => error.into(),
            other => complaint(other.to_string()),
        })
    })
}

/// The band at a site with the loops right inside, as long as all iterations of all of them can run side by side.
fn joined<'m>(orders: &Orders<'m>, site: &Site, budget: &Budget) -> Result<Orders<'m>> {
    let mut orders = orders.clone();
    while let Some((_, band)) = band_at(&orders.relaxed, site).filter(|(_, band)| is_free(band))
        && let Some(inner) = band_below(&orders.relaxed, site)
        && is_free(&inner)
        && band.len() + inner.len() <= THREADS.len()
    {
        orders = orders.step(&format!("combine({site})"), budget)?;
    }
    Ok(orders)
}

/// The band at a site with those right inside that can be interchanged with it, as far as there are more loops to share: `i`, `j` of
/// `for i, k, j: C[i][j] += A[i][k] * B[k][j]`.
fn deepened<'m>(orders: &Orders<'m>, site: &Site, budget: &Budget) -> Result<Orders<'m>> {
    let mut best = orders.clone();
    let mut deeper = orders.clone();
    while band_below(&deeper.relaxed, site).is_some() {
        deeper = match deeper.step(&format!("combine({site})"), budget) {
            Err(Obstacle::Budget) => return Err(Obstacle::Budget),
            Err(_) => break,
            Ok(deeper) => deeper,
        };
        let bands = [&best, &deeper].map(|orders| band_at(&orders.relaxed, site));
        let [Some((_, known)), Some((_, band))] = bands else { break };
        if !band.permutable {
            break;
        }
        if (free_members(&known) + 1..=THREADS.len()).contains(&free_members(&band)) {
            best = deeper.clone();
        }
    }
    Ok(best)
}

/// Makes a kernel of the band at a site.
fn kernel<'m>(scop: &Scop, orders: &Orders<'m>, site: &Site, budget: &Budget) -> Result<Orders<'m>> {
    let mut orders = joined(orders, site, budget)?;
    if let Some(inside) = with_loops_inside(&orders, site, budget)? {
        orders = inside;
    }
    let (cursor, band) = band_at(&orders.relaxed, site).ok_or(Obstacle::NotParallel)?;
    let mut shared: Vec<usize> = (0..band.len()).filter(|member| band.members()[*member].coincident).collect();
    shared.truncate(THREADS.len());
    if shared.len() > 1 {
        // The last of them, whose neighbours are the threads side by side.
        let score = |member: usize| neighbours(scop, &band, member);
        let last = shared.iter().copied().max_by_key(|member| (score(*member), *member)).unwrap_or(0);
        if shared.last() != Some(&last) {
            let mut order: Vec<usize> = (0..band.len()).filter(|member| *member != last).collect();
            let place = order.iter().position(|member| Some(member) == shared.last()).map_or(order.len(), |at| at + 1);
            order.insert(place, last);
            orders = orders.step(&format!("interchange({site}, order = {order:?})"), budget)?;
        }
    }
    let scalars = scalars_of(scop, &cursor);
    for scalar in &scalars {
        orders.draft = step(&orders.draft, &format!("privatise({site}, array = {scalar})"), budget)?;
    }
    if !orders.draft.placement().copies.is_empty() {
        return Err(Obstacle::Scalar);
    }
    let n = shared.len().clamp(1, THREADS.len());
    // Every thread goes through the iterations of the site's band one after the other: so one place for a scalar is enough.
    let text = if shared.len() == 1 && scalars.is_empty() && has_free_band_below(&cursor) {
        format!("map_to_device({site}, grid = [{}], block = {:?})", BLOCKS[0], THREADS[0])
    } else {
        let (cursor, band) = band_at(&orders.relaxed, site).ok_or(Obstacle::NotParallel)?;
        let grid = vec![BLOCKS[usize::from(n > 1)]; n.min(2)];
        let mut sizes = TILES[n - 1].iter();
        let tile = band.members().iter().map(|member| {
            let own = if member.coincident { sizes.next() } else { None };
            own.copied().unwrap_or(32)
        });
        let mut tile: Vec<i64> = tile.collect();
        let mut points = "outside";
        let names = statements_at(scop, &cursor);
        let own: Vec<&Statement> = scop.statements.iter().filter(|statement| names.contains(&statement.name)).collect();
        // With points inside, every point would need a scalar of its own.
        if n == 2 && scalars.is_empty() && is_free(&band) && register_tile::pays(scop, &cursor, &own, budget)? {
            points = "inside";
            tile = THREADS[n - 1].iter().zip(register_tile::POINTS).map(|(threads, points)| threads * points).collect();
        }
        format!(
            "map_to_device({site}, tile = {tile:?}, grid = {grid:?}, block = {:?}, points = {points})",
            THREADS[n - 1]
        )
    };
    // The relaxed order is for sites that are elsewhere in the tree.
    Ok(Orders { draft: step(&orders.draft, &text, budget)?, ..orders })
}

/// The band at a site with the members that threads share alone, and the others in one right below, where they can be interchanged: then
/// every thread goes through those without a barrier, and sums over them stay in registers.
fn with_loops_inside<'m>(orders: &Orders<'m>, site: &Site, budget: &Budget) -> Result<Option<Orders<'m>>> {
    let Some((_, band)) = band_at(&orders.relaxed, site) else { return Ok(None) };
    let (shared, others): (Vec<usize>, Vec<usize>) =
        (0..band.len()).partition(|member| band.members()[*member].coincident);
    if shared.is_empty() || others.is_empty() || !band.permutable {
        return Ok(None);
    }
    let order: Vec<usize> = shared.iter().chain(&others).copied().collect();
    let swap = if order.is_sorted() { String::new() } else { format!("interchange({site}, order = {order:?}); ") };
    let text = format!("{swap}split({site}, at = {})", shared.len());
    match orders.step(&text, budget) {
        Err(Obstacle::Budget) => Err(Obstacle::Budget),
        // A scalar that the loops carry orders them.
        result => Ok(result.ok()),
    }
}

/// The names of the scalars that statements below a node write.
fn scalars_of(scop: &Scop, cursor: &Cursor) -> Vec<String> {
    let mut names = Vec::new();
    let passes = statements_at(scop, cursor);
    for statement in scop.statements.iter().filter(|statement| passes.contains(&statement.name)) {
        for access in &statement.accesses {
            let array = &scop.arrays[access.array];
            let is_scalar = matches!(array.storage, model::Storage::Scalar(..));
            if is_scalar && access.kind != AccessKind::Read && !names.contains(&array.name) {
                names.push(array.name.clone());
            }
        }
    }
    names
}

/// The names of the statements that pass all filters above a node.
fn statements_at(scop: &Scop, cursor: &Cursor) -> Vec<String> {
    let passes = |name: &str| {
        cursor.ancestors().all(|above| match above.node() {
            Node::Filter(instances, _) => instances.get(name).is_some(),
            _ => true,
        })
    };
    scop.statements.iter().map(|statement| &statement.name).filter(|name| passes(name)).cloned().collect()
}

/// Whether all members of a band can run in parallel.
fn is_free(band: &Band) -> bool {
    band.members().iter().all(|member| member.coincident)
}

/// How many members of a band can run in parallel.
fn free_members(band: &Band) -> usize {
    band.members().iter().filter(|member| member.coincident).count()
}

/// The band at a site.
fn band_at(draft: &Draft<'_>, site: &Site) -> Option<(Cursor, Band)> {
    let cursor = draft.band_at(site).ok()?;
    match cursor.node() {
        Node::Band(band, _) => Some((cursor.clone(), band.clone())),
        _ => None,
    }
}

/// The band right below the one at a site.
fn band_below(draft: &Draft<'_>, site: &Site) -> Option<Band> {
    let (cursor, _) = band_at(draft, site)?;
    match cursor.child(0)?.node() {
        Node::Band(band, _) => Some(band.clone()),
        _ => None,
    }
}

/// Whether a band below has members that threads could share.
fn has_free_band_below(cursor: &Cursor) -> bool {
    let mut is_shared =
        |below: &Cursor| matches!(below.node(), Node::Band(band, _) if band.members().iter().any(|m| m.coincident));
    cursor.children().iter().any(|child| child.find(&mut is_shared).is_some())
}

/// How many more accesses have neighbours side by side along a member than have them far from each other.
fn neighbours(scop: &Scop, band: &Band, member: usize) -> i64 {
    let mut score = 0;
    for statement in &scop.statements {
        let Some(dimension) = band.members()[member].dimension(&statement.name) else { continue };
        let Some(index) = statement.loops.get(dimension) else { continue };
        let counter = Sym::Iv(*index);
        for access in &statement.accesses {
            let unit = scop.arrays[access.array].unit;
            let mentions = |poly: &Poly| poly.symbols().any(|symbol| symbol == counter);
            let linear = access.offset.coefficient(counter);
            let other = access.offset.terms().any(|(monomial, _)| monomial.len() > 1 && monomial.contains(&counter));
            score += match () {
                () if !mentions(&access.offset) => 0,
                () if !other && linear.abs() <= unit => 1,
                () => -1,
            };
        }
    }
    score
}

/// Whether a node or one below it is a kernel.
fn has_kernel(cursor: &Cursor) -> bool {
    cursor.find(&mut |below| matches!(below.node(), Node::Mark(Mark::Kernel(_), _))).is_some()
}

/// The names of the statements with instances outside of kernels.
fn statements_outside(scop: &Scop, tree: &ScheduleTree) -> Vec<String> {
    let mut found = Vec::new();
    outside(scop, &tree.cursor(), &mut found);
    found
}

fn outside(scop: &Scop, cursor: &Cursor, found: &mut Vec<String>) {
    if matches!(cursor.node(), Node::Mark(Mark::Kernel(_), _)) {
        return;
    }
    if cursor.children().is_empty() {
        found.extend(statements_at(scop, cursor));
    }
    cursor.children().iter().for_each(|child| outside(scop, child, found));
}

/// The tree with a kernel of one thread around every largest part that is in no kernel.
fn with_single_threads(cursor: &Cursor) -> Result<ScheduleTree> {
    let complaint = |error: EditError| Obstacle::Mapping { what: error.to_string() };
    let grouped = cursor.map_bottom_up(&mut |here| with_neighbours_together(&here)).map_err(complaint)?;
    let mut paths = Vec::new();
    parts_outside(&grouped, &mut paths);
    let mut tree = grouped.into_tree();
    // A mark moves only what is below it.
    for path in paths.iter().rev() {
        let Some(here) = tree.cursor_at(path) else { continue };
        let launch = Launch { grid: Vec::new(), block: Vec::new(), members: Vec::new() };
        tree = here.insert_mark(Mark::Kernel(launch)).map_err(complaint)?.into_tree();
    }
    Ok(tree)
}

/// The node with what follows each other in a sequence outside of kernels as one child: one launch in place of several.
fn with_neighbours_together(here: &Cursor) -> std::result::Result<Cursor, EditError> {
    let Node::Sequence(children) = here.node() else { return Ok(here.clone()) };
    if !has_kernel(here) {
        return Ok(here.clone());
    }
    let mut new: Vec<Node> = Vec::new();
    let mut together: Vec<Node> = Vec::new();
    for (child, cursor) in children.iter().zip(here.children()) {
        if has_kernel(&cursor) {
            new.extend(as_one(std::mem::take(&mut together))?);
            new.push(Node::clone(child));
        } else {
            together.push(Node::clone(child));
        }
    }
    new.extend(as_one(together)?);
    let tree = here.tree().replace(here.path(), Node::sequence(new))?;
    Ok(tree.cursor_at(here.path()).unwrap_or_else(|| here.clone()))
}

/// Several children of a sequence as one.
fn as_one(children: Vec<Node>) -> std::result::Result<Vec<Node>, EditError> {
    if children.len() < 2 {
        return Ok(children);
    }
    let mut all = Instances::new();
    for child in &children {
        let Node::Filter(instances, _) = child else { return Ok(children) };
        instances.iter().try_for_each(|(_, set)| all.add(set.clone()))?;
    }
    Ok(vec![Node::filter(all, Node::sequence(children))])
}

fn parts_outside(cursor: &Cursor, found: &mut Vec<Vec<usize>>) {
    if matches!(cursor.node(), Node::Mark(Mark::Kernel(_), _)) {
        return;
    }
    let is_place = !matches!(cursor.node(), Node::Domain(..) | Node::Filter(..) | Node::Context(..));
    if is_place && !has_kernel(cursor) {
        found.push(cursor.path().to_vec());
        return;
    }
    cursor.children().iter().for_each(|child| parts_outside(child, found));
}
