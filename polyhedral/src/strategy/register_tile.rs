//! Which loops of a nest run side by side in its innermost loop (register tiles: unroll and jam)?
//!
//! With the loops of a matrix product in the order i, k, j every multiplication loads an element of `B` and an element of `C`, and stores
//! that. Four iterations of `i` and four of `k` in one iteration of `j` load four elements of each row of `B` and `C` once for sixteen
//! multiplications:
//!
//! ```text
//! for i: for k: for j:                   for i by 4: for k by 4: for j:
//!   C[i][j] += A[i][k] * B[k][j]   =>      C[i][j] += A[i][k] * B[k][j];     C[i][j] += A[i][k+1] * B[k+1][j];     ...
//!                                          C[i+1][j] += A[i+1][k] * B[k][j]; C[i+1][j] += A[i+1][k+1] * B[k+1][j]; ...
//! ```
//!
//! The innermost loop becomes vectors: what moves along it is loaded (*traffic*), everything else is the same number in all lanes and stays
//! in a register while the loop runs. So the factors are chosen that have the least traffic per point, of those whose registers there are.
//! (Measured, products of 200 x 200 doubles on one core with AVX-512: 15 GFLOP/s without, 53 with 4 x 4, 51 with 4 x 5, 32 with 8 x 2.) The order of a
//! sum stays, and with it all bits.
//!
//! What is only loaded counts twice, as it comes from the second cache. With an operation that multiplies and adds it needs one register in all: it is
//! used up before the next one is loaded. (Products of doubles, sixteen registers, 300 x 300: 46 GFLOP/s with 3 x 4, 42 with 2 x 4, 37 with 3 x 3. Without
//! that operation: 3 x 3 runs as fast as 2 x 4 from 200 on, 1.1 times for 64, and 0.7 times for 8, as more is left over.)
//!
//! A loop is only taken where what it moves is whole in its tile: factors divide sizes of tiles, which become multiples of them. Nothing here decides whether that is legal:
//! the draft is checked.
//! D. Callahan, S. Carr, K. Kennedy, "Improving Register Allocation for Subscripted Variables", PLDI 1990.

use crate::arith::Int;
use crate::scop::{Access, Element, ElementKind, OperationKind, Scop, Storage};
use crate::transform::{BufferKind, Need, Placement, Site, Value};

use super::program::Program;
use super::records::{is_of_triple, is_of_whole_record};
use super::search::Search;
use super::sum_tile::SumTile;
use super::{Failure, SearchOptions, Tactic};

/// So many vector registers are few.
const FEW: u32 = 16;

/// So many registers hold the indices with which records of three fields are taken apart and put together, where there are more than few: their
/// shuffles have no other form there.
const INDICES: i64 = 4;

/// So often must an innermost loop run that takes vectors of records with three fields apart: with shuffles of many more lanes than for two or four
/// (products of 16 x 16 numbers and points of floats: 0.88 of the speed, of 64 x 64: 1.1 times, of 200 x 200: twice).
const TRIPLES: u64 = 64;

/// A loop of a nest, by its position in the new order, and how many of its iterations run side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Jammed {
    position: usize,
    factor: i64,
}

/// Elements that a body touches in one iteration of all loops.
struct Reference {
    /// Whether they move along each loop.
    moves: Vec<bool>,
    /// How often they are loaded or stored where they move along the innermost loop.
    traffic: i64,
    /// Whether they are in records of three fields.
    is_of_triple: bool,
}

impl Reference {
    /// Whether they are loaded anew in each iteration of the innermost loop, one after the other, and nothing else.
    fn is_loaded(&self) -> bool {
        self.traffic == 1 && self.moves.last() == Some(&true)
    }

    /// How many different elements (or vectors) there are with these factors.
    fn number(&self, jammed: &[Jammed]) -> i64 {
        jammed.iter().filter(|one| self.moves[one.position]).map(|one| one.factor).product()
    }
}

/// The factors that reduce the traffic most, if that is worthwhile. `loops` are in the new order; the last one runs along vectors.
/// `divides` says whether a factor fits a loop. Who wants also what does not pay takes any.
fn factors(
    found: Option<&Vec<Reference>>,
    (scop, statements): (&Scop, &[usize]),
    loops: &[usize],
    options: &SearchOptions,
    divides: impl Fn(Jammed) -> bool,
) -> Vec<Jammed> {
    let (last, strategy, forced) = (loops.len() - 1, &options.strategy, options.unprofitable);
    let Some(references) = found.filter(|all| !all.is_empty()) else {
        return if forced { first_two(last, divides) } else { Vec::new() };
    };
    let vectors = |jammed: &[Jammed]| -> i64 {
        let moving = references.iter().filter(|reference| reference.moves[last]);
        moving.map(|reference| reference.traffic * reference.number(jammed)).sum()
    };
    let copies = |jammed: &[Jammed]| jammed.iter().map(|one| one.factor).product::<i64>();
    let operations: i64 = statements
        .iter()
        .flat_map(|s| &scop.statements[*s].operations)
        .map(|operation| i64::from(operation.times))
        .sum::<i64>()
        .max(1);
    // What is done to factors happens in their registers, and what an operation adds to is its result.
    let of_factors =
        |own: &OperationKind| matches!(own, OperationKind::Multiply | OperationKind::Logic | OperationKind::Convert(_));
    let fused = |s: &usize| {
        let mut own = scop.statements[*s].operations.iter().filter(|own| !of_factors(&own.kind)).peekable();
        own.peek().is_some() && own.all(|own| own.kind == OperationKind::MultiplyAdd)
    };
    let is_fused = options.fma && statements.iter().all(fused);
    let registers = |jammed: &[Jammed]| {
        let in_turn = |reference: &Reference| is_fused && reference.is_loaded();
        let own = |reference| if in_turn(reference) { 1 } else { reference.number(jammed) };
        references.iter().map(own).sum::<i64>()
    };
    // Others are left for what is computed.
    let are_few = options.vector_registers <= FEW;
    let has_indices = !are_few && references.iter().any(|reference| reference.is_of_triple);
    let left = if is_fused { 0 } else { 2 } + if has_indices { INDICES } else { 0 };
    let fits = |jammed: &[Jammed]| {
        registers(jammed) + left <= i64::from(options.vector_registers)
            && copies(jammed) <= strategy.side_by_side
            && copies(jammed) * operations <= strategy.unrolled
    };
    // Other factors leave more over at the ends of loops: only where there are too few registers for the next power of two.
    let is_tried = |factor: i64| factor.count_ones() == 1 || are_few;
    let single = |position: usize| {
        let all = strategy.register_factors.iter().map(move |factor| Jammed { position, factor: *factor });
        all.filter(|jammed| is_tried(jammed.factor) && divides(*jammed)).collect::<Vec<_>>()
    };
    let mut candidates: Vec<Vec<Jammed>> = Vec::new();
    // Of equal ones those of the inner loops: batches of one are more frequent than rows of one.
    for outer in (0..last).rev() {
        for one in single(outer) {
            candidates.push(vec![one]);
            for inner in outer + 1..last {
                candidates.extend(single(inner).into_iter().map(|other| vec![one, other]));
            }
        }
    }
    let cost = |jammed: &[Jammed]| -> i64 {
        let loaded = references.iter().filter(|reference| reference.is_loaded());
        vectors(jammed) + loaded.map(|reference| reference.number(jammed)).sum::<i64>()
    };
    let rest = |jammed: &[Jammed]| (registers(jammed), copies(jammed));
    let best = candidates.into_iter().filter(|jammed| fits(jammed)).min_by(|a, b| {
        // Per point, as fractions.
        let fewer = |number: &dyn Fn(&[Jammed]) -> i64| (number(a) * copies(b)).cmp(&(number(b) * copies(a)));
        fewer(&cost).then_with(|| fewer(&vectors)).then_with(|| rest(a).cmp(&rest(b)))
    });
    match best {
        Some(best) if forced || 100 * vectors(&best) <= strategy.register_gain * vectors(&[]) * copies(&best) => best,
        None if forced => first_two(last, divides),
        _ => Vec::new(),
    }
}

/// Two iterations of the two outermost loops that have room for them.
fn first_two(last: usize, divides: impl Fn(Jammed) -> bool) -> Vec<Jammed> {
    (0..last).map(|position| Jammed { position, factor: 2 }).filter(|jammed| divides(*jammed)).take(2).collect()
}

/// What the statements touch, if all of it lies side by side along the innermost loop, also record by record, or stays: other loops are no vectors, or gather.
/// What goes to buffers lies there as the innermost loop runs.
fn references(
    (scop, program): (&Scop, &Program),
    placement: &Placement,
    statements: &[usize],
    loops: &[usize],
) -> Option<Vec<Reference>> {
    let (innermost, mut found) = (loops.last()?, Vec::new());
    let mut known: Vec<(usize, Vec<_>, usize)> = Vec::new();
    for &s in statements {
        let statement = &scop.statements[s];
        if statement.branches {
            return None;
        }
        for (number, access) in statement.accesses.iter().enumerate() {
            let array = scop.array_of(access)?;
            let element = scop.arrays[array].element;
            let stride_along = |index: usize| stride(scop, program, (s, access), index);
            let stride = if is_packed(placement, &statement.name, number) {
                i128::from(element.bits) / 8
            } else {
                stride_along(*innermost)?
            };
            let is_along = stride == 0 || stride == i128::from(element.bits) / 8;
            let is_record = || is_of_whole_record((scop, program), statements, (s, access), *innermost);
            if !is_lane(element) || access.count() != Some(1) || !(is_along || is_record()) {
                return None;
            }
            let subscripts = program.place(access, (s, statements[0]))?;
            let same = known.iter().find(|(other, place, _)| *other == array && *place == subscripts);
            if let Some((.., index)) = same {
                let reference: &mut Reference = &mut found[*index];
                reference.traffic += 1;
                continue;
            }
            let moves = loops.iter().map(|l| stride_along(*l) != Some(0)).collect();
            known.push((array, subscripts, found.len()));
            let is_of_triple = is_of_triple((scop, program), (s, access), *innermost);
            found.push(Reference { moves, traffic: 1, is_of_triple });
        }
    }
    Some(found)
}

/// Whether elements of a type are lanes of vectors.
pub(super) fn is_lane(element: Element) -> bool {
    element.lanes == 1
        && match element.kind {
            ElementKind::Float => matches!(element.bits, 32 | 64),
            ElementKind::Integer => matches!(element.bits, 8 | 16 | 32 | 64),
            ElementKind::BFloat | ElementKind::Pointer | ElementKind::Bytes => false,
        }
}

/// Whether some instances of an access go to a copy, which lies as the innermost loop runs.
pub(super) fn is_packed(placement: &Placement, statement: &str, access: usize) -> bool {
    let is_in = |buffer: &str| placement.buffer(buffer).is_some_and(|one| one.kind == BufferKind::Packed);
    placement.redirects_of(statement, access).any(|redirect| is_in(redirect.buffer()))
}

/// By how many bytes an access moves with a loop; nothing if that is not plain, and for scalars. Those with a copy for each point of a tile lie in
/// an array.
fn stride(scop: &Scop, program: &Program, (s, access): (usize, &Access), index: usize) -> Option<i128> {
    let array = &scop.arrays[scop.array_of(access)?];
    if array.storage != Storage::Scalar {
        return program.stride(scop, s, access, index);
    }
    let moves = match program.dim(s, index) {
        Some(dim) => access.moves(dim)?,
        None => return Some(0),
    };
    let (last, outer) = moves.split_last()?;
    let side_by_side = outer.iter().all(Int::is_zero);
    side_by_side.then_some(i128::from(last.to_i64()?) * i128::from(array.unit))
}

impl Search<'_, '_> {
    fn may_have_register_tiles(&self) -> bool {
        self.options.allow(Tactic::RegisterTile) && self.options.vector_registers > 0
    }

    /// The factors of a nest whose loops have this order, of those that fit.
    fn factors(&self, statements: &[usize], loops: &[usize], divides: impl Fn(Jammed) -> bool) -> Vec<Jammed> {
        let found = references((self.scop, self.program), self.draft.placement(), statements, loops);
        factors(found.as_ref(), (self.scop, statements), loops, self.options, divides)
    }

    /// Whether there is a register tile for a nest whose loops have this order, whatever sizes of tiles are.
    pub(super) fn suits_register_tile(&self, statements: &[usize], loops: &[usize]) -> bool {
        self.may_have_register_tiles() && !self.factors(statements, loops, |_| true).is_empty()
    }

    /// Sizes of tiles that are whole numbers of the register tile that is best whatever sizes are, if the strategy has them; those of users and of blocks stay.
    pub(super) fn whole_tiles(&self, statements: &[usize], loops: &[usize], sizes: &[i64]) -> Vec<i64> {
        let mut sizes = sizes.to_vec();
        if !self.may_have_register_tiles() || sizes.is_empty() || !self.options.tiles.is_empty() || loops.len() < 2 {
            return sizes;
        }
        let may_change = |position: usize, factor: i64| {
            sizes[position] >= 4 * factor && self.region.rows_of(loops[position]).is_none()
        };
        if let Some(SumTile { rows, columns, .. }) = self.sum_tile(statements, loops, &sizes, may_change) {
            for (from_end, factor) in [(3, rows), (1, columns)] {
                let size = &mut sizes[loops.len() - from_end];
                *size -= *size % factor;
            }
            return sizes;
        }
        let chosen = self.factors(statements, loops, |Jammed { position, factor }| {
            sizes[position] % factor == 0 || may_change(position, factor)
        });
        for Jammed { position, factor } in chosen {
            sizes[position] -= sizes[position] % factor;
        }
        sizes
    }

    /// The register tile of a nest whose loops, by their new positions, are the members of the band `band` of `statements`, with these sizes of
    /// tiles (none if it is not tiled): all bands become single ones. The factors that were taken, by position in the new order.
    pub(super) fn register_tile(
        &mut self,
        statements: &[usize],
        loops: &[usize],
        band: usize,
        sizes: &[i64],
        waits: bool,
    ) -> Result<Vec<i64>, Failure> {
        let (first, n) = (statements[0], loops.len());
        if !self.may_have_register_tiles() || n < 2 || (waits && !self.options.unprofitable) {
            return Ok(Vec::new());
        }
        let program = self.program;
        // A row of a triangle that is left for itself: too little for code of its own.
        if loops.iter().any(|l| program.runs_once(first, *l)) {
            return Ok(Vec::new());
        }
        // Blocks that begin where loops outside say do not fit tiles that do not.
        let begins = |l: usize| statements.iter().flat_map(move |s| program.begins_with(*s, l));
        let from_outside = |l: usize| begins(l).any(|other| !loops.contains(&other));
        let divides = |jammed: Jammed| {
            let size = sizes.get(jammed.position);
            size.is_none_or(|size| size % jammed.factor == 0 && !from_outside(loops[jammed.position]))
        };
        let chosen = self.factors(statements, loops, divides);
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        let draft = self.draft.clone();
        self.split(first, band, n)?;
        if let Some(tile) = self.sum_tile(statements, loops, sizes, |_, _| false) {
            let single = self.draft.clone();
            if self.with_sum_tile(tile, (first, band, n))? && self.may_stay()? {
                let mut taken = vec![1; n];
                (taken[n - 3], taken[n - 1]) = (tile.rows, tile.columns);
                return Ok(taken);
            }
            self.draft = single;
        }
        let (mut taken, mut copy) = (vec![1; n], self.site(first, band).copy);
        for Jammed { position, factor } in chosen {
            let mut site = Site { copy, ..self.site(first, band + position) };
            let (counter, inner) = (loops[position], &loops[position + 1..n - 1]);
            if from_outside(counter) {
                if !self.normalised(site.clone())? {
                    continue;
                }
            } else if begins(counter).any(|other| loops[..position].contains(&other)) {
                let Some(started) = self.taken_out(site, factor, Some("start"))? else { continue };
                site = started;
            }
            // What is left over of rows at whose ends inner loops begin is what these begin with.
            let front = inner.iter().any(|l| begins(*l).any(|other| other == counter));
            let Some(whole) = self.taken_out(site, factor, front.then_some("all"))? else { continue };
            copy = whole.copy;
            self.jam_blocks(whole, factor)?;
            taken[position] = factor;
        }
        let is_there = taken.iter().any(|factor| *factor > 1);
        if !is_there || !self.may_stay()? {
            self.draft = draft;
            return Ok(Vec::new());
        }
        let innermost = loops[n - 1];
        if self.accesses_of(statements).any(|one| is_of_triple((self.scop, self.program), one, innermost)) {
            self.needs(Need::at_least(innermost, TRIPLES))?;
        }
        Ok(taken)
    }

    /// Runs the iterations of each block of a loop side by side, where all blocks are whole.
    pub(super) fn jam_blocks(&mut self, site: Site, factor: i64) -> Result<(), Failure> {
        let points = Site { band: site.band + 1, ..site.clone() };
        self.step_at("tile", site, [("sizes", Value::list([factor]))])?;
        self.step_at("jam", points, [])
    }

    /// Takes what is left over of whole blocks out of a loop (see the pass `peel`). The site of what is not left over; nothing, and no change,
    /// where there is no block.
    pub(super) fn taken_out(&mut self, site: Site, factor: i64, front: Option<&str>) -> Result<Option<Site>, Failure> {
        let before = self.draft.clone();
        let places = before.places_of(&site.statement);
        if !self.peeled(site.clone(), factor, front)? {
            return Ok(None);
        }
        if self.draft.places_of(&site.statement) == places {
            // Everything is whole: the step would do nothing.
            self.draft = before;
            return Ok(Some(site));
        }
        let copy = site.copy + usize::from(front.is_some());
        Ok(Some(Site { copy, ..site }))
    }
}
