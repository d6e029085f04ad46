//! Which register tiles keep their sums in registers while the loop over what is added runs?
//!
//! A [register tile](super::register_tile) has the loop along vectors innermost, so each element of a product of matrices is loaded and stored once per few
//! terms of its sum. With more registers the loop over the terms can be innermost, around a strip of a few vectors: nothing but factors is loaded then.
//!
//! ```text
//! for i by 6: for k by 4: for j:                for i by 6: for j by 32: for k: for j' in 32 columns from j on:
//!   C[i][j] += A[i][k] * B[k][j] ...     =>       C[i][j'] += A[i][k] * B[k][j']; C[i + 1][j'] += A[i + 1][k] * B[k][j'] ...
//! ```
//!
//! Whoever makes code of it keeps the 6 x 32 elements in 24 registers of eight lanes while `k` runs. Columns that are left over
//! are strips of one vector, as far as they fill some; those that fill none are one more strip, a vector under a mask. Rows that are left over have the loop along vectors
//! innermost.
//!
//! What is copied for such a nest lies in panels as wide as a strip, in larger tiles (see [`packing`](super::packing)).
//!
//! That is for separate multiplications and additions: each loads a factor from memory and repeats it in all lanes by itself then, and no unit that multiplies or
//! adds has to. (Measured, products of doubles on one core of a Zen 4 with AVX-512, GFLOP/s before and with 6 x 32: 42 and 48 with 64 x 64, 38 and 50 with 500 x 500, 44
//! and 48 with 1000 x 1000. Where both are one instruction: 32 and 26 with 28 x 28, 55 and 50 with 100 x 100, 40 and 53 with 500 x 500, 50 and 52 with 700 x 700. With 8 x 16, and
//! 4 x 16 for half a block of rows: 31 and 28, 54 and 54, 40 and 53, 49 and 52, in twice the text.)
//!
//! A nest is a sum if its only statement adds the result of one operation of two numbers in memory to an element that moves with the last loop, element by element, and with the third last one, but not with the second last
//! one, and if it reads of the written array nothing else but copies. The loops must be rectangles. Nothing here decides whether that is legal: the draft is
//! checked.

use crate::flow::AccessKind;
use crate::scop::{ElementKind, OperationKind, Storage};
use crate::transform::{Site, Value};

use super::Failure;
use super::register_tile::is_packed;
use super::search::Search;

/// So many vector registers at least, of so many bits.
pub(super) const REGISTERS: u32 = 32;
const VECTOR_BITS: u32 = 512;

/// How many rows and vectors make a tile: the first number of rows that divides the rows of a tile of the nest.
const ROWS: [i64; 3] = [6, 8, 4];
const VECTORS: [i64; 3] = [4, 3, 4];

/// One operation of two factors, and one that adds the result.
const OPERATIONS: u32 = 2;

/// So many iterations of the sum run side by side where rows are left over.
const LEFT_ROWS: i64 = 4;

/// A tile of so many rows and columns whose sums stay in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SumTile {
    pub(super) rows: i64,
    pub(super) columns: i64,
    /// The columns of one vector.
    pub(super) lanes: i64,
}

impl Search<'_, '_> {
    /// The tile of a nest whose loops have this order, if it is a sum, in tiles of these sizes (none if it is not tiled). `may_shrink` says whether the size of the
    /// tile at a position may become a multiple of a number.
    pub(super) fn sum_tile(
        &self,
        statements: &[usize],
        loops: &[usize],
        sizes: &[i64],
        may_shrink: impl Fn(usize, i64) -> bool,
    ) -> Option<SumTile> {
        let (&[statement], [.., row, sum, column]) = (statements, loops) else { return None };
        let is_wide = self.options.vector_registers >= REGISTERS && self.options.vector_bits >= VECTOR_BITS;
        if !is_wide || self.region.is_part() {
            return None;
        }
        let is_level = |l: &usize| {
            self.program.begins_with(statement, *l).is_empty() && self.program.is_rectangular(statement, *l)
        };
        let own = &self.scop.statements[statement];
        let is_fused = own.operations.iter().any(|operation| operation.kind == OperationKind::MultiplyAdd);
        if own.branches || (is_fused && self.options.fma) || ![row, sum, column].into_iter().all(is_level) {
            return None;
        }
        let accesses = || own.accesses.iter().enumerate();
        let mut writes = accesses().filter(|(_, access)| access.kind != AccessKind::Read);
        let (Some((_, write)), None) = (writes.next(), writes.next()) else { return None };
        let written = self.scop.array_of(write)?;
        let element = self.scop.arrays[written].element;
        let bytes = i128::from(element.bits) / 8;
        if element.lanes != 1 || element.kind != ElementKind::Float || !matches!(element.bits, 32 | 64) {
            return None;
        }
        let (mut sums, mut shared, mut splats) = (0, 0, 0);
        for (number, access) in accesses() {
            let array = self.scop.array_of(access)?;
            // Nothing where it is no number, as that of a row.
            let stride = |l: &usize| self.program.stride(self.scop, statement, access, *l);
            let (is_of_row, is_of_sum) = (stride(row) != Some(0), stride(sum) != Some(0));
            let is_packed = is_packed(self.draft.placement(), &own.name, number);
            // A copy lies as the columns run.
            let of_column = if is_packed && stride(column) != Some(0) { bytes } else { stride(column)? };
            let is_same = access.relation.is_plainly_equal(&write.relation);
            let is_memory = self.scop.arrays[array].storage == Storage::Memory;
            if self.scop.arrays[array].element != element || access.count() != Some(1) || !is_memory {
                return None;
            }
            match (array == written && is_same, is_packed) {
                (true, false) if is_of_row && !is_of_sum && of_column == bytes => sums += 1,
                (true, _) => return None,
                (false, false) if array == written => return None,
                _ if of_column == 0 => splats += 1,
                _ if !is_of_row && of_column == bytes => shared += 1,
                _ => return None,
            }
        }
        // The element is read and written, one vector is read for all rows, and one number for all columns, which an operation takes from memory. (With `alpha * A[i][k]`,
        // which is computed for each strip again, 0.6 of the speed.)
        let operations: u32 = own.operations.iter().map(|operation| operation.times).sum();
        if (sums, shared, splats) != (2, 1, 1) || operations != OPERATIONS {
            return None;
        }
        let lanes = i64::from(self.options.vector_bits / element.bits);
        let (rows_at, columns_at) = (loops.len() - 3, loops.len() - 1);
        let fits = |position: usize, factor: i64| {
            sizes.get(position).is_none_or(|size| size % factor == 0 || may_shrink(position, factor))
        };
        let tiles =
            ROWS.into_iter().zip(VECTORS).map(|(rows, vectors)| SumTile { rows, columns: vectors * lanes, lanes });
        tiles.into_iter().find(|tile| fits(rows_at, tile.rows) && fits(columns_at, tile.columns))
    }

    /// Makes the tile of a nest whose loops are `n` single bands from `band` on; false, and the draft is of no use, if something does not fit.
    pub(super) fn with_sum_tile(
        &mut self,
        SumTile { rows, columns, lanes }: SumTile,
        (statement, band, n): (usize, usize, usize),
    ) -> Result<bool, Failure> {
        let site = self.site(statement, band + n - 3);
        let at = |copy: usize, band: usize| Site { copy: site.copy + copy, band: site.band + band, ..site.clone() };
        // Rows that are left over have the old order: row, sum, column.
        let Some(is_left) = self.cut_off(at(0, 0), rows)? else { return Ok(false) };
        if is_left {
            self.side_by_side(at(1, 1), LEFT_ROWS)?;
        }
        self.jam_blocks(at(0, 0), rows)?;
        // Row, column, sum. Of columns that are left over whole vectors are strips themselves; the others go back.
        self.swap(at(0, 1))?;
        let Some(is_left) = self.cut_off(at(0, 1), columns)? else { return Ok(false) };
        if is_left {
            let narrow = self.cut_off(at(1, 1), lanes)?;
            if narrow != Some(false) {
                self.swap(at(1 + usize::from(narrow.is_some()), 1))?;
            }
            if narrow.is_some() {
                self.strip(at(1, 1), lanes, 1)?;
            }
        }
        self.strip(at(0, 1), columns, 1)?;
        Ok(true)
    }

    /// Cuts the first of some single bands into strips of so many iterations, which are inside of the next `n` ones then.
    pub(super) fn strip(&mut self, site: Site, size: i64, n: usize) -> Result<(), Failure> {
        let points = Site { band: site.band + 1, ..site.clone() };
        self.step_at("tile", site, [("sizes", Value::list([size]))])?;
        self.inside(points, n)
    }

    /// Moves a single band inside the next `n` ones.
    pub(super) fn inside(&mut self, site: Site, n: usize) -> Result<(), Failure> {
        (0..n).try_for_each(|k| self.swap(Site { band: site.band + k, ..site.clone() }))
    }

    /// Takes what is left over of whole blocks out of a loop, as what comes next in the order of places: whether something may be left. Nothing where there is no block.
    pub(super) fn cut_off(&mut self, site: Site, factor: i64) -> Result<Option<bool>, Failure> {
        let before = self.draft.places_of(&site.statement);
        Ok(self.taken_out(site.clone(), factor, None)?.map(|_| self.draft.places_of(&site.statement) != before))
    }

    /// Runs some iterations of a loop side by side, where there are enough.
    fn side_by_side(&mut self, site: Site, factor: i64) -> Result<(), Failure> {
        match self.taken_out(site.clone(), factor, None)? {
            Some(_) => self.jam_blocks(site, factor),
            None => Ok(()),
        }
    }

    /// Interchanges two bands of one loop each.
    fn swap(&mut self, site: Site) -> Result<(), Failure> {
        self.step_at("combine", site.clone(), [])?;
        self.step_at("interchange", site.clone(), [("order", Value::list([1, 0]))])?;
        self.step_at("split", site, [("at", Value::Integer(1))])
    }
}
