//! Sums over several loops, as in a convolution.
//!
//! The terms of an element of `out[p][q][k] += in[p + r][q + s][c] * w[r][s][c][k]` are added in the order of the loops `r`, `s` and `c`, so that the six loops
//! are not permutable: a term that comes later in `r` may come earlier in `s`. No dependence crosses `p`, `q` and `k`, however: they may be anywhere between
//! `r`, `s` and `c`, as long as these stay in order. Two of them are chosen, one for the lanes of vectors, the other one (*rows*) to use these again, and there
//! are two forms.
//!
//! - *Strips*: some rows and some vectors of elements stay in registers while all loops of the sum run.
//!
//!   ```text
//!   for p: for q: for k: for r: for s: for c: ...    =>    for p: for k by 64: for q by 6: for r: for s: for c: (6 rows of a strip of 64 elements)
//!   ```
//!
//! - *Products*, where elements do not lie side by side in vectors: both loops go inside all but the last loop of the sum. What is inside then is a product of matrices for
//!   each point of the window, with everything that there is for products, copies in another order for instance.
//!
//!   ```text
//!   for p: for q: for k: for r: for s: for c: ...    =>    for p: for r: for s: (for q: for k: for c: ...)
//!   ```
//!
//! (Measured, Zen 4 with AVX-512, floats, a window of 3 x 3, GFLOP/s, where vectors lie along the channels of the result: 3 to 32 channels 73 in strips and 2.4 as products, 32 to 32: 80
//! and 59, 64 to 64: 100 and 49 to 84, 128 to 128: 92 and 64.)
//!
//! Where no loop comes back to vectors (a filter of an image), or the window is cut off at the border and rows there have shorter ones, there is one row of more vectors. A window
//! of constant size, whose loops the program has unrolled, is a sum over one loop with several terms in each iteration: strips, too.
//!
//! Invariant: the loops that carry dependences keep their order; only loops whose iterations share nothing go across them. Nothing here proves that: the
//! draft is checked.

use crate::affine::Aff;
use crate::flow::AccessKind;
use crate::scop::{Access, Storage};
use crate::transform::{Need, Site};

use super::order::price;
use super::program::Part;
use super::register_tile::is_lane;
use super::search::Search;
use super::sum_tile::{REGISTERS, SumTile};
use super::{Failure, Tactic, Transformation};

/// So many iterations of the loop along vectors are worth a strip of several rows, even if most lanes are left out; one row wants a whole vector, as each of its
/// operations waits for the one before. (Zen 4, AVX-512, floats: pooling with eight channels 0.77 of the speed, sums over windows with four columns 0.74.)
const FEWEST: u64 = 4;

/// A statement that reads so many elements of one array side by side reads a window of it, whose loops the program has unrolled.
const SEVERAL: usize = 3;

/// The loops of a sum, by their positions in the nest.
#[derive(Clone)]
struct Window {
    /// The loops that no dependence crosses, and that stay outside.
    outer: Vec<usize>,
    /// The one that comes back to something that moves along the lanes, if there is one.
    rows: Option<usize>,
    /// The one along which vectors run.
    lanes: usize,
    /// The loops of the sum, in their order.
    sums: Vec<usize>,
}

impl Window {
    /// The same where no loop comes back to something.
    fn without_rows(&self) -> Window {
        let mut outer = [self.outer.as_slice(), self.rows.as_slice()].concat();
        outer.sort_unstable();
        Window { outer, rows: None, ..self.clone() }
    }
}

impl Search<'_, '_> {
    /// A perfect nest of a sum over several loops, in one of the two forms. `above` is the number of bands around the nest in the draft.
    pub(super) fn window(
        &mut self,
        loops: &[usize],
        body: &[Part],
        around: &[usize],
        above: usize,
    ) -> Result<(), Failure> {
        let &[Part::Statement(statement)] = body else { return Ok(()) };
        let Some(window) = self.window_of(statement, loops, around)? else { return Ok(()) };
        if self.in_strips(statement, loops, &window, above)? {
            return Ok(());
        }
        self.as_products((loops, body), &window, around, above)
    }

    /// The loops of a sum over several of them.
    fn window_of(&self, statement: usize, loops: &[usize], around: &[usize]) -> Result<Option<Window>, Failure> {
        let relevant = self.between(&[statement], around)?;
        let mut is_crossed = Vec::new();
        for index in loops {
            is_crossed.push(self.is_crossed(&relevant, *index)?);
        }
        let (sums, free): (Vec<usize>, Vec<usize>) = (0..loops.len()).partition(|at| is_crossed[*at]);
        if sums.is_empty() || sums.len() < 2 && !self.has_window(statement, loops, &free) {
            return Ok(None);
        }
        let stride = |access: &Access, at: usize| self.program.stride(self.scop, statement, access, loops[at]);
        let accesses = &self.scop.statements[statement].accesses;
        let cost = |at: &usize| accesses.iter().map(|access| price(stride(access, *at))).sum::<f64>();
        // Of all that touch the fewest lines the innermost one.
        let Some(lanes) = free.iter().copied().rev().min_by(|a, b| cost(a).total_cmp(&cost(b))) else {
            return Ok(None);
        };
        let comes_back = |at: &usize| {
            accesses.iter().any(|access| stride(access, lanes) != Some(0) && stride(access, *at) == Some(0))
        };
        let rows = free.iter().copied().rev().filter(|at| *at != lanes).find(comes_back);
        let outer = free.into_iter().filter(|at| *at != lanes && Some(*at) != rows).collect();
        Ok(Some(Window { outer, rows, lanes, sums }))
    }

    /// Whether a statement reads several elements of an array that lie beside each other along one of the `free` loops. (Those of a product whose sum the
    /// program takes four terms at a time lie along the sum.)
    fn has_window(&self, statement: usize, loops: &[usize], free: &[usize]) -> bool {
        let accesses = &self.scop.statements[statement].accesses;
        let is_moved = |access: &Access, subscript: usize| {
            let mut dims = free.iter().filter_map(|at| self.program.dim(statement, loops[*at]));
            dims.any(|dim| access.moves(dim).is_some_and(|by| by.get(subscript).is_some_and(|by| !by.is_zero())))
        };
        let places = |array: usize| {
            let own = accesses.iter().filter(|own| self.scop.array_of(own) == Some(array));
            let mut known: Vec<Vec<Aff>> = Vec::new();
            for access in own.filter(|own| own.kind == AccessKind::Read) {
                let Some(subscripts) = access.subscripts() else { continue };
                let moved = subscripts.into_iter().enumerate().filter(|(at, _)| is_moved(access, *at));
                let moved: Vec<Aff> = moved.map(|(_, subscript)| subscript).collect();
                if !known.contains(&moved) {
                    known.push(moved);
                }
            }
            known.len()
        };
        (0..self.scop.arrays.len()).any(|array| places(array) >= SEVERAL)
    }

    /// Two of the loops that no dependence crosses inside all but the last one of the sum, if what is inside profits then.
    fn as_products(
        &mut self,
        (loops, body): (&[usize], &[Part]),
        window: &Window,
        around: &[usize],
        above: usize,
    ) -> Result<(), Failure> {
        let (Some((last, sums)), Some(rows)) = (window.sums.split_last(), window.rows) else { return Ok(()) };
        let mut inside = [rows, window.lanes, *last];
        inside.sort_unstable();
        let outside = [window.outer.as_slice(), sums].concat();
        if [outside.as_slice(), &inside].concat().is_sorted() {
            return Ok(());
        }
        self.nest_inside((loops, body), (&outside, &inside), around, above)
    }

    /// Rows of vectors that stay in registers while all loops of the sum run; whether that was possible.
    fn in_strips(&mut self, statement: usize, loops: &[usize], window: &Window, above: usize) -> Result<bool, Failure> {
        let (program, options) = (self.program, self.options);
        let is_allowed = options.allow(Tactic::Tile) && options.allow(Tactic::RegisterTile) && options.tiles.is_empty();
        let is_level =
            |at: &usize| program.is_level(statement, loops[*at]) && program.is_rectangular(statement, loops[*at]);
        if !is_allowed || self.region.is_part() || !is_level(&window.lanes) {
            return Ok(false);
        }
        // Where a window is cut off at the border of an image, rows at the border have shorter ones.
        let is_cut = window.rows.is_some_and(|rows| !is_level(&rows));
        let window = &if is_cut { window.without_rows() } else { window.clone() };
        let (rows, lanes) = (window.rows.as_slice(), [window.lanes]);
        let is_rows_first = !self.is_lanes_first(statement, loops, window);
        let blocks = if is_rows_first { [rows, &lanes] } else { [&lanes, rows] };
        let inside = [&blocks.concat(), window.sums.as_slice()].concat();
        let is_apart = |at: &usize| {
            let others: Vec<usize> = inside.iter().filter(|other| *other != at).map(|other| loops[*other]).collect();
            program.is_apart(statement, loops[*at], others.iter())
        };
        if !inside.iter().all(is_apart) {
            return Ok(false);
        }
        let Some(tile) = self.strip_of_sums(statement, loops, window) else { return Ok(false) };
        let (draft, n, n_sums) = (self.draft.clone(), loops.len(), window.sums.len());
        let order = [window.outer.as_slice(), &inside].concat();
        self.permute(statement, above, n, &order)?;
        self.split(statement, above, n)?;
        let site = self.site(statement, above + window.outer.len());
        if rows.is_empty() {
            self.in_columns(site, &tile, n_sums)?;
        } else if is_rows_first {
            for inner in self.in_rows(site, tile.rows)? {
                self.in_columns(inner, &tile, n_sums)?;
            }
        } else {
            for inner in self.in_columns(site, &tile, 1 + n_sums)? {
                self.in_rows(inner, tile.rows)?;
            }
        }
        if !self.may_stay()? {
            self.draft = draft;
            return Ok(false);
        }
        let fewest = if rows.is_empty() { tile.lanes.unsigned_abs() } else { FEWEST };
        self.needs(Need::at_least(loops[window.lanes], fewest))?;
        let mut register_tile = vec![1; n];
        for (position, at) in order.iter().enumerate() {
            if *at == window.lanes {
                register_tile[position] = tile.columns;
            } else if Some(*at) == window.rows {
                register_tile[position] = tile.rows;
            }
        }
        let nest = Transformation {
            loops: loops.to_vec(),
            statements: vec![statement],
            order,
            register_tile,
            ..Transformation::default()
        };
        self.done(nest, None)?;
        Ok(true)
    }

    /// Whether strips come before rows: what moves with the last loop outside comes with other rows then, and what does not, with other strips, is used again. Without such a loop what a
    /// strip needs stays in the second cache for all rows.
    fn is_lanes_first(&self, statement: usize, loops: &[usize], window: &Window) -> bool {
        let Some(rows) = window.rows else { return false };
        let Some(&last) = window.outer.last() else { return true };
        self.scop.statements[statement].accesses.iter().any(|access| {
            let stays = |at: usize| self.program.stride(self.scop, statement, access, loops[at]) == Some(0);
            stays(last) && stays(rows) && !stays(window.lanes)
        })
    }

    /// Runs so many iterations of a single band side by side, and those that are left over one by one. The sites of what is inside, the last one first.
    fn in_rows(&mut self, site: Site, rows: i64) -> Result<Vec<Site>, Failure> {
        let inside = |copy: usize| Site { copy: site.copy + copy, band: site.band + 1, ..site.clone() };
        match self.cut_off(site.clone(), rows)? {
            None => Ok(vec![inside(0)]),
            Some(is_left) => {
                self.jam_blocks(site.clone(), rows)?;
                Ok((0..=usize::from(is_left)).rev().map(inside).collect())
            }
        }
    }

    /// Makes strips of a single band, which go inside of the next `n`; then, of what is left over, strips of single vectors; the rest goes inside. The sites of
    /// what is in the loops over strips, the last one first.
    fn in_columns(&mut self, site: Site, tile: &SumTile, n: usize) -> Result<Vec<Site>, Failure> {
        let at = |copy: usize, band: usize| Site { copy: site.copy + copy, band: site.band + band, ..site.clone() };
        // Whether there is a rest, and of which widths there are strips, behind each other.
        let (mut is_left, mut widths) = (true, Vec::new());
        for width in [tile.columns, tile.lanes] {
            let Some(rest) = self.cut_off(at(widths.len(), 0), width)? else { continue };
            widths.push(width);
            is_left = rest;
            if !is_left {
                break;
            }
        }
        let mut sites = Vec::new();
        if is_left {
            self.inside(at(widths.len(), 0), n)?;
            sites.push(at(widths.len(), 0));
        }
        for (copy, width) in widths.into_iter().enumerate().rev() {
            self.strip(at(copy, 0), width, n)?;
            sites.push(at(copy, 1));
        }
        Ok(sites)
    }

    /// How many elements stay in registers, if vectors of what a statement touches lie along the lanes, and it adds to one element.
    fn strip_of_sums(&self, statement: usize, loops: &[usize], window: &Window) -> Option<SumTile> {
        let own = &self.scop.statements[statement];
        let mut writes = own.accesses.iter().filter(|access| access.kind != AccessKind::Read);
        let (Some(write), None) = (writes.next(), writes.next()) else { return None };
        let written = self.scop.array_of(write)?;
        let element = self.scop.arrays[written].element;
        if own.branches || !is_lane(element) {
            return None;
        }
        let bytes = i128::from(element.bits) / 8;
        for access in &own.accesses {
            let array = self.scop.array_of(access)?;
            let stride = |at: usize| self.program.stride(self.scop, statement, access, loops[at]);
            let along = stride(window.lanes)?;
            let is_sum = access.relation.is_plainly_equal(&write.relation);
            let stays = window.sums.iter().all(|at| stride(*at) == Some(0));
            if self.scop.arrays[array].element != element
                || access.count() != Some(1)
                || self.scop.arrays[array].storage == Storage::Scalar
                || !(along == 0 || along == bytes)
                || array == written
                    && !(is_sum && stays && along == bytes && window.rows.is_none_or(|rows| stride(rows) != Some(0)))
            {
                return None;
            }
        }
        let lanes = i64::from(self.options.vector_bits.checked_div(element.bits)?);
        let (rows, vectors) = match (window.rows, self.options.vector_registers >= REGISTERS) {
            (Some(_), true) => (6, 4),
            (Some(_), false) => (4, 2),
            (None, true) => (1, 8),
            (None, false) => (1, 4),
        };
        (lanes > 1).then_some(SumTile { rows, columns: vectors * lanes, lanes })
    }
}
