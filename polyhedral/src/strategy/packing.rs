//! Which arrays of a nest are copied side by side, so that its innermost loop runs along lines (packing)?
//!
//! In a product of a matrix with its transpose, `C[i][j] += A[i][k] * A[j][k]`, every order has something against it: iterations of `k` wait for
//! each other, and with `j` innermost the second factor is read down a column, one element in a line. Copied once, tile by tile, in the other
//! order, a column is a row:
//!
//! ```text
//! for tj: for tk:
//!   for k, j in the tile: P[k][j] = A[j][k]
//!   for ti: for i: for k: for j in the tile: C[i][j] += A[i][k] * P[k][j]
//! ```
//!
//! The loops over tiles that move what is copied are the outer ones, so that each element is copied once for all iterations of the others (`i`
//! here); there must be one. Then the nest is one as any other that runs along lines, with register tiles.
//!
//! The same where the innermost loop leaves out elements (the real parts of complex numbers) or goes backwards, if the nest gets a register tile then.
//! Of records that are written whole, the fields of which are computed of the same fields of others, nothing is copied: what takes vectors of
//! records apart and puts them together again cancels out. (`o[i][j].x += m[i][k] * p[k][j].x` and so on with four fields of floats: 6 times the
//! speed, 3.5 with copies. Complex products of 600 x 600 doubles: 4.9 times, 5.6 with copies.)
//!
//! Where sums stay in registers (`sum_tile`), copies are in panels as wide as the strips of columns that the innermost loop runs along, so that a strip reads one
//! piece of memory from its first term to its last, and tiles are larger. (Doubles, AVX-512, 1000 to 1500 a side: 1.12 to 1.17 times as fast as rows of 256.)
//!
//! Rows that a nest reads along lines are copied as well, where loops are long (`in_order`): with AVX-512, products of 500 to 1500 doubles a side ran 1.1 to
//! 1.3 times as fast. Where they are short, such elements are used in place (the argument `loops` of the pass `pack`).
//!
//! Only what is read is copied, and only where the nest writes no element of its array. (Copies of what is written, back behind each tile, were
//! tried: with register tiles between both copies the check takes too long.) Nothing here decides whether that is legal: the draft is checked.
//! K. Goto and R. van de Geijn, "Anatomy of High-Performance Matrix Multiplication", TOMS 2008.

use crate::affine::Aff;
use crate::flow::AccessKind;
use crate::scop::{Access, Dependence, Scop};
use crate::transform::{Need, Value};

use super::program::Program;
use super::records::{is_of_same_field, is_of_whole_record};
use super::search::Search;
use super::{Failure, Tactic, Transformation, tiles};

/// An array that is copied.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Packed {
    array: usize,
    /// The accesses to the copy, by statement.
    accesses: Vec<(usize, usize)>,
    /// How many different elements they touch in an iteration of the nest.
    fields: usize,
    /// Whether all statements of the nest read the copy.
    is_all: bool,
    /// By how much their subscripts move with each loop of the nest: for every subscript the position of the only loop that moves it.
    moved_by: Vec<Option<usize>>,
}

/// How often copies must be used, where the order is the old one.
const USES: u64 = 4;

/// The bytes of an element that is short: sizes of tiles are meant for elements of twice as many.
const SHORT: u64 = 4;

/// How a nest runs along lines.
#[derive(Clone)]
pub(super) struct Packing {
    /// The loops from outermost to innermost, as positions in the nest.
    order: Vec<usize>,
    /// Which of them, as positions in the new order, are the loops over tiles around the copies.
    around: Vec<usize>,
    packed: Vec<Packed>,
    /// What is copied inside of all loops over tiles: elements that stay while the innermost loop runs.
    inner: Vec<Packed>,
    /// Whether it pays only with a register tile: without copies the nest runs along lines, if not element by element.
    needs_tile: bool,
    /// Whether what is copied lies in that order already, so that it can be used in place where loops are short.
    is_in_order: bool,
}

impl Packing {
    /// Copies inside of the loops that move them, in this order of all loops; nothing if there are none, or all loops move them. Those inside of all loops over
    /// tiles may be alone.
    fn new(order: Vec<usize>, packed: Vec<Packed>, inner: Vec<Packed>) -> Option<Packing> {
        let moves = |d: usize| packed.iter().any(|one| one.moved_by.contains(&Some(d)));
        let around: Vec<usize> = (0..order.len()).filter(|at| moves(order[*at])).collect();
        let is_there = !(packed.is_empty() && inner.is_empty()) && around.len() < order.len();
        is_there.then_some(Packing { order, around, packed, inner, needs_tile: false, is_in_order: false })
    }

    /// How the nest runs along lines with the loop at `innermost` in the innermost place, if it can.
    fn of(
        (scop, program): (&Scop, &Program),
        statements: &[usize],
        loops: &[usize],
        carries: &[bool],
        innermost: usize,
    ) -> Option<Packing> {
        if carries[innermost] {
            return None;
        }
        let of_statement = |s: usize| scop.statements[s].accesses.iter().enumerate().map(move |(a, one)| (s, a, one));
        let accesses = || statements.iter().flat_map(|s| of_statement(*s));
        let of_array = |array: usize| accesses().filter(move |(.., access)| scop.array_of(access) == Some(array));
        let is_written = |array: usize| of_array(array).any(|(.., access)| access.kind != AccessKind::Read);
        let mut packed: Vec<Packed> = Vec::new();
        let mut places: Vec<(usize, Vec<Aff>)> = Vec::new();
        for (statement, number, access) in accesses() {
            let array = scop.array_of(access)?;
            if is_along((scop, program), (statement, access), loops[innermost]) == Some(true) {
                continue;
            }
            let is_whole = is_of_whole_record((scop, program), statements, (statement, access), loops[innermost]);
            let is_same = |(s, _, access)| is_of_same_field((scop, program), (s, access), loops[innermost]);
            if is_whole && (is_written(array) || of_array(array).all(is_same)) {
                continue;
            }
            let moved_by = moved_by(program, statement, access, loops)?;
            if is_written(array) || access.count() != Some(1) {
                return None;
            }
            let place = (array, program.place(access, (statement, statements[0]))?);
            let is_new = !places.contains(&place);
            if is_new {
                places.push(place);
            }
            let fields = usize::from(is_new);
            match packed.iter_mut().find(|other| other.array == array) {
                Some(other) if other.moved_by == moved_by => {
                    other.accesses.push((statement, number));
                    other.fields += fields;
                }
                // Copies of an array in two orders.
                Some(_) => return None,
                None => packed.push(Packed {
                    array,
                    accesses: vec![(statement, number)],
                    fields,
                    is_all: statements.len() > 1,
                    moved_by,
                }),
            }
        }
        if packed.iter().any(|one| one.is_all && of_array(one.array).count() != one.accesses.len()) {
            return None;
        }
        let order: Vec<usize> = (0..loops.len()).filter(|d| *d != innermost).chain([innermost]).collect();
        Packing::new(order, packed, Vec::new())
    }

    /// How a nest runs along lines between blocks, with the loop at `innermost` in the innermost place: what is not read along lines is copied, and
    /// what the nest writes elsewhere. In `B[i][j] += A[i][k] * B[k][j]`, where no row `k` is a row `i`, that is `B[k][j]`: only of a copy do later
    /// passes know that no store changes it. The same with what stays while the innermost loop runs, as `A[i][k]` in
    /// `A[i][j] -= A[i][k] * A[k][j]`.
    pub(super) fn between_blocks(
        (scop, program): (&Scop, &Program),
        statement: usize,
        loops: &[usize],
        carries: &[bool],
        innermost: usize,
    ) -> Option<Packing> {
        if carries[innermost] {
            return None;
        }
        let accesses = &scop.statements[statement].accesses;
        let written = |array: usize| {
            let own = accesses.iter().filter(move |access| scop.array_of(access) == Some(array));
            own.filter(|access| access.kind != AccessKind::Read)
        };
        let (mut packed, mut inner): (Vec<Packed>, Vec<Packed>) = (Vec::new(), Vec::new());
        for (number, access) in accesses.iter().enumerate() {
            let array = scop.array_of(access)?;
            let is_along = is_along((scop, program), (statement, access), loops[innermost]) == Some(true);
            let subscripts = access.subscripts()?;
            let is_same = |other: &Access| other.subscripts().is_none_or(|place| place == subscripts);
            if written(array).any(is_same) {
                if is_along {
                    continue;
                }
                return None;
            }
            if is_along && written(array).next().is_none() {
                continue;
            }
            let Some(moved_by) = moved_by(program, statement, access, loops) else {
                // What stays while the innermost loop runs can do without, as `A[k][k]`.
                if program.stride(scop, statement, access, loops[innermost]) == Some(0) && access.count() == Some(1) {
                    continue;
                }
                return None;
            };
            let one = Packed { array, accesses: vec![(statement, number)], fields: 1, is_all: false, moved_by };
            let same = if one.moved_by.contains(&Some(innermost)) { &mut packed } else { &mut inner };
            if access.count() != Some(1) || same.iter().any(|other| other.array == array) {
                return None;
            }
            same.push(one);
        }
        let order = sums_inside((scop, program), &[statement], loops, innermost);
        Packing::new(order, packed, inner)
    }

    /// How rows are copied that a nest reads again and again in this order of its loops, along them: in a copy they begin at lines, and those of a tile
    /// are in few pages and in all sets of the caches.
    pub(super) fn in_order(
        (scop, program): (&Scop, &Program),
        statements: &[usize],
        loops: &[usize],
        order: &[usize],
    ) -> Option<Packing> {
        let innermost = *order.last()?;
        let of_statement = |s: usize| scop.statements[s].accesses.iter().enumerate().map(move |(a, one)| (s, a, one));
        let of_array = |array: usize| {
            let all = statements.iter().flat_map(move |s| of_statement(*s));
            all.filter(move |(.., access)| scop.array_of(access) == Some(array))
        };
        let all = scop.statements.iter().flat_map(|statement| &statement.accesses);
        let written: Vec<usize> =
            all.filter(|access| access.kind != AccessKind::Read).filter_map(|access| scop.array_of(access)).collect();
        let mut packed: Vec<Packed> = Vec::new();
        for (statement, number, access) in statements.iter().flat_map(|s| of_statement(*s)) {
            let array = scop.array_of(access)?;
            let moved_by = moved_by(program, statement, access, loops).filter(|moved_by| {
                let in_order = moved_by.iter().flatten().map(|d| order.iter().position(|other| other == d));
                let is_again = moved_by.iter().flatten().count() < loops.len();
                moved_by.last() == Some(&Some(innermost))
                    && in_order.is_sorted()
                    && is_again
                    && moved_by.iter().all(Option::is_some)
            });
            let Some(moved_by) = moved_by.filter(|_| !written.contains(&array) && access.count() == Some(1)) else {
                continue;
            };
            match packed.iter_mut().find(|other| other.array == array) {
                Some(other) if other.moved_by == moved_by => other.accesses.push((statement, number)),
                Some(_) => return None,
                None => packed.push(Packed {
                    array,
                    accesses: vec![(statement, number)],
                    fields: 1,
                    is_all: statements.len() > 1,
                    moved_by,
                }),
            }
        }
        packed.retain(|one| of_array(one.array).count() == one.accesses.len());
        let packing = Packing::new(order.to_vec(), packed, Vec::new())?;
        Some(Packing { needs_tile: true, is_in_order: true, ..packing })
    }

    /// Whether the statement writes some array that is copied.
    pub(super) fn has_written(&self, scop: &Scop, statement: usize) -> bool {
        let mut writes = scop.statements[statement].accesses.iter().filter(|access| access.kind != AccessKind::Read);
        writes.any(|access| self.copies().any(|one| scop.array_of(access) == Some(one.array)))
    }

    /// Whether something is copied that the innermost loop moves.
    pub(super) fn moves_inside(&self) -> bool {
        !self.packed.is_empty()
    }

    /// How many arrays are copied.
    pub(super) fn n_copies(&self) -> usize {
        self.copies().count()
    }

    fn copies(&self) -> impl Iterator<Item = &Packed> {
        self.packed.iter().chain(&self.inner)
    }

    /// The loops over tiles, as positions in the new order: those around the copies first.
    fn tiles(&self) -> Vec<usize> {
        let inside = (0..self.order.len()).filter(|at| !self.around.contains(at));
        self.around.iter().copied().chain(inside).collect()
    }

    /// The subscripts of a copy in the order in which they move through it, the slowest first: as the loops run.
    fn layout(&self, one: &Packed) -> Vec<i64> {
        let place = |dim: &usize| one.moved_by[*dim].and_then(|d| self.order.iter().position(|other| *other == d));
        let mut dims: Vec<usize> = (0..one.moved_by.len()).collect();
        dims.sort_by_key(place);
        dims.into_iter().filter_map(|dim| i64::try_from(dim).ok()).collect()
    }

    /// How many bands of loops over tiles there are: with copies between them if there are some.
    fn bands(&self) -> usize {
        if self.around.is_empty() { 1 } else { 2 }
    }

    /// How many elements a copy has at most, in tiles of these sizes.
    fn elements(&self, one: &Packed, sizes: &[i64]) -> Option<i64> {
        let fields = i64::try_from(one.fields).ok()?;
        let size = |d: &usize| self.order.iter().position(|other| other == d).and_then(|at| sizes.get(at)).copied();
        one.moved_by.iter().flatten().try_fold(fields, |all, d| all.checked_mul(size(d)?))
    }
}

/// Whether an access of a statement goes from element to element with a loop, or stays; nothing if how it moves is not known.
fn is_along((scop, program): (&Scop, &Program), (statement, access): (usize, &Access), index: usize) -> Option<bool> {
    let unit = i128::from(scop.arrays[scop.array_of(access)?].unit);
    program.stride(scop, statement, access, index).map(|stride| stride == 0 || stride == unit)
}

/// For every subscript of an access the only loop of a nest that moves it, by one; nothing if that is not how it moves.
fn moved_by(program: &Program, statement: usize, access: &Access, loops: &[usize]) -> Option<Vec<Option<usize>>> {
    let mut found = vec![None; access.subscripts()?.len()];
    for (d, index) in loops.iter().enumerate() {
        let Some(dim) = program.dim(statement, *index) else { continue };
        let moves = access.moves(dim)?;
        let mut moved = moves.iter().enumerate().filter(|(_, by)| !by.is_zero());
        match (moved.next(), moved.next()) {
            (None, _) => {}
            (Some((subscript, by)), None) if by.is_one() && found[subscript].is_none() => found[subscript] = Some(d),
            _ => return None,
        }
    }
    Some(found)
}

/// An order with this loop innermost where the loops that all of some statements add up over are around it: what they write stays in the first cache, and
/// in a register tile in registers. The others keep theirs.
pub(super) fn sums_inside(
    (scop, program): (&Scop, &Program),
    statements: &[usize],
    loops: &[usize],
    innermost: usize,
) -> Vec<usize> {
    let is_summed = |s: usize, d: usize| {
        let mut writes = scop.statements[s].accesses.iter().filter(|access| access.kind != AccessKind::Read);
        let (write, other) = (writes.next(), writes.next());
        other.is_none() && write.is_some_and(|write| program.stride(scop, s, write, loops[d]) == Some(0))
    };
    let stays = |d: &usize| statements.iter().all(|s| is_summed(*s, *d));
    let (sums, others): (Vec<usize>, Vec<usize>) = (0..loops.len()).filter(|d| *d != innermost).partition(stays);
    [others, sums, vec![innermost]].concat()
}

impl Search<'_, '_> {
    /// How a perfect nest runs along lines with copies of arrays, where no order does that without and dependences allow it. `relevant` are the
    /// dependences in it, and `carries` says which loops' iterations depend on each other when all others stand still.
    pub(super) fn packing(
        &self,
        loops: &[usize],
        statements: &[usize],
        (relevant, carries): (&[Dependence], &[bool]),
    ) -> Result<Option<Packing>, Failure> {
        let allowed =
            [Tactic::Pack, Tactic::Permute, Tactic::Tile].into_iter().all(|tactic| self.options.allow(tactic));
        let (own, n) = ((self.scop, self.program), loops.len());
        if !allowed || n < 2 || statements.iter().any(|s| self.scop.statements[*s].branches) {
            return Ok(None);
        }
        let decision = self.decision(loops, statements, carries);
        let runs_along_lines = decision.profitable && !decision.across && !decision.waits;
        if runs_along_lines && !decision.order.last().is_some_and(|d| self.skips(statements, loops[*d])) {
            return Ok(None);
        }
        let candidates = (0..n).rev().filter_map(|d| Packing::of(own, statements, loops, carries, d));
        let Some(mut packing) = candidates.min_by_key(Packing::n_copies) else { return Ok(None) };
        packing.needs_tile = runs_along_lines;
        let sizes = self.sizes(&packing, (loops, statements));
        let bytes = |one: &Packed| {
            let unit = i64::try_from(self.scop.arrays[one.array].unit).ok()?;
            packing.elements(one, &sizes)?.checked_mul(unit)
        };
        let has_room =
            packing.copies().all(|one| bytes(one).is_some_and(|bytes| bytes <= self.options.strategy.packed));
        let is_legal = has_room && self.is_permutable(relevant, loops)?;
        Ok(is_legal.then_some(packing))
    }

    /// How rows are copied that a nest in this order reads again and again, if that is allowed: where its loops run equally often every time.
    pub(super) fn packing_in_order(&self, loops: &[usize], statements: &[usize], order: &[usize]) -> Option<Packing> {
        let is_level =
            |l: &usize| statements.iter().all(|s| self.program.is_rectangular(*s, *l) && self.program.is_level(*s, *l));
        let is_whole = loops.iter().all(|l| is_level(l) && self.region.rows_of(*l).is_none());
        let allowed = self.options.allow(Tactic::Pack) && self.options.tiles.is_empty() && !self.region.is_part();
        if !allowed || !is_whole || loops.len() < 3 || self.options.strategy.rows.is_empty() {
            return None;
        }
        let packing = Packing::in_order((self.scop, self.program), statements, loops, order)?;
        let sizes = self.sizes(&packing, (loops, statements));
        let bytes = |one: &Packed| {
            let unit = i64::try_from(self.scop.arrays[one.array].unit).ok()?;
            packing.elements(one, &sizes)?.checked_mul(unit)
        };
        let all: Option<i64> = packing.copies().map(bytes).sum();
        all.is_some_and(|all| all <= self.options.strategy.packed).then_some(packing)
    }

    /// Whether an access of some statements leaves out elements when a loop goes on, or goes backwards.
    fn skips(&self, statements: &[usize], index: usize) -> bool {
        self.accesses_of(statements).any(|one| is_along((self.scop, self.program), one, index) == Some(false))
    }

    pub(super) fn accesses_of(&self, statements: &[usize]) -> impl Iterator<Item = (usize, &Access)> {
        let scop = self.scop;
        statements.iter().flat_map(|s| scop.statements[*s].accesses.iter().map(move |access| (*s, access)))
    }

    /// The sizes of tiles in the new order. A loop that moves everything comes back to nothing: each of its iterations has tiles of its own.
    fn sizes(&self, packing: &Packing, (loops, statements): (&[usize], &[usize])) -> Vec<i64> {
        if packing.is_in_order {
            let mut sizes = tiles::sizes(loops.len(), false, &self.options.tiles, &self.options.strategy);
            // As many bytes of short elements: twice as many rows, so that what the nest writes moves half as often. (Floats, 1500 to 2000 a side, AVX2 and AVX-512: 1.06 times as
            // fast.)
            let are_short = packing.copies().all(|one| self.scop.arrays[one.array].unit <= SHORT);
            for (at, (size, own)) in sizes.iter_mut().rev().zip(&self.options.strategy.rows).enumerate() {
                *size = if at == 1 && are_short { own.saturating_mul(2) } else { *own };
            }
            return sizes;
        }
        let moves_all = |d: usize| {
            let mut accesses = self.accesses_of(statements);
            accesses.all(|(statement, access)| self.program.stride(self.scop, statement, access, loops[d]) != Some(0))
        };
        let sizes = self.tile_sizes(loops, &packing.order, false);
        sizes.into_iter().zip(&packing.order).map(|(size, d)| if moves_all(*d) { 1 } else { size }).collect()
    }

    /// Copies arrays of a perfect nest; whether that was possible.
    pub(super) fn packed(
        &mut self,
        packing: Packing,
        (loops, statements): (&[usize], &[usize]),
        above: usize,
        (distributed, need): (bool, Option<Need>),
    ) -> Result<bool, Failure> {
        let new: Vec<usize> = packing.order.iter().map(|position| loops[*position]).collect();
        let (mut sizes, before) = (self.sizes(&packing, (loops, statements)), self.draft.clone());
        let mut panel = None;
        // Which register tile is best is known where there are copies. Sizes only shrink, but once where it wants panels.
        loop {
            if !self.in_tiles(&packing, (loops, statements[0]), above, (&sizes, panel))? {
                self.draft = before;
                return Ok(false);
            }
            let mut whole = self.whole_tiles(statements, &new, &sizes);
            let strips = self.sum_tile(statements, &new, &whole, |_, _| false).map(|tile| tile.columns);
            if (&whole, strips) == (&sizes, panel) {
                break;
            }
            if panel.is_none() && strips.is_some() && self.options.tiles.is_empty() {
                let wider = whole.iter_mut().rev().zip(&self.options.strategy.panels);
                wider.filter(|(size, _)| **size > 1).for_each(|(size, own)| *size = *own);
                whole = self.whole_tiles(statements, &new, &whole);
            }
            self.draft = before.clone();
            (sizes, panel) = (whole, strips);
        }
        let (n, points) = (loops.len(), above + packing.bands());
        let register_tile = self.register_tile(statements, &new, points, &sizes, false)?;
        if register_tile.is_empty() {
            self.split(statements[0], points, n)?;
        }
        let has_strips = panel.is_none_or(|columns| register_tile.last() == Some(&columns));
        if (register_tile.is_empty() && packing.needs_tile) || !has_strips || !self.may_stay()? {
            self.draft = before;
            return Ok(false);
        }
        let least = self.options.strategy.packed_again;
        for at in packing.tiles().into_iter().skip(packing.around.len()).chain([n - 1]).filter(|_| !packing.is_in_order)
        {
            self.needs(Need::at_least(loops[packing.order[at]], least))?;
        }
        // In the old order lines are vectors in the old loops, too. What the copies and the register tile gain comes from the loops that use a copy again. (Products with
        // one row, doubles, AVX-512: 0.3 to 0.8 of the speed; with three 0.55, with four 1.1, with eight 1.5.)
        let is_asked = packing.is_in_order && packing.order.is_sorted() && !self.region.is_part();
        let uses = |d: &usize| is_asked && packing.copies().all(|one| !one.moved_by.contains(&Some(*d)));
        for d in (0..n).filter(uses) {
            self.needs(Need::at_least(loops[d], USES))?;
        }
        let mut packed: Vec<usize> = packing.copies().map(|one| one.array).collect();
        packed.sort_unstable();
        packed.dedup();
        let (packed, rows_packed) = if packing.is_in_order { (Vec::new(), packed) } else { (packed, Vec::new()) };
        let nest = Transformation {
            loops: loops.to_vec(),
            statements: statements.to_vec(),
            packed,
            rows_packed,
            order: packing.order,
            tiles: sizes,
            register_tile,
            distributed,
            ..Transformation::default()
        };
        self.done(nest, need)?;
        Ok(true)
    }

    /// Tiles of a perfect nest in its new order, with copies of arrays around them, which are in panels of so many columns if the innermost loop runs in strips of
    /// these; false, and the draft is of no use, if something cannot be copied.
    fn in_tiles(
        &mut self,
        packing: &Packing,
        (loops, statement): (&[usize], usize),
        above: usize,
        (sizes, panel): (&[i64], Option<i64>),
    ) -> Result<bool, Failure> {
        let n = loops.len();
        let innermost = packing.order.last().copied();
        self.permute(statement, above, n, &packing.order)?;
        self.step("tile", (statement, above), [("sizes", Value::list(sizes.iter().copied()))])?;
        self.interchange(statement, above, &packing.tiles())?;
        if !packing.around.is_empty() {
            let around = i64::try_from(packing.around.len()).unwrap_or(i64::MAX);
            self.step("split", (statement, above), [("at", Value::Integer(around))])?;
        }
        let last = above + packing.bands() - 1;
        let all = packing.packed.iter().map(|one| (above, one)).chain(packing.inner.iter().map(|one| (last, one)));
        for (band, one) in all {
            let accesses = one.accesses.iter().filter_map(|(_, access)| i64::try_from(*access).ok());
            let only = (!one.is_all).then(|| ("accesses", Value::list(accesses)));
            let array = ("array", Value::Name(self.scop.arrays[one.array].name.clone()));
            let layout = ("layout", Value::list(packing.layout(one)));
            let long = one.moved_by.iter().flatten().filter_map(|d| i64::try_from(loops[*d]).ok());
            let least = Value::Integer(i64::try_from(self.options.strategy.long_rows).unwrap_or(i64::MAX));
            let in_place = packing.is_in_order.then(|| [("loops", Value::list(long)), ("least", least)]);
            let panel = panel.filter(|_| one.moved_by.contains(&innermost));
            let panel = panel.map(|places| ("panel", Value::Integer(places)));
            let layout = [layout].into_iter().chain(panel);
            let arguments = [array].into_iter().chain(only).chain(layout).chain(in_place.into_iter().flatten());
            if !self.takes("pack", (statement, band), arguments)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
