//! Arrays whose rows lie behind pointers: their dimensions, the order in which the program reads the tables, and what must not
//! overlap.
//!
//! An array of rows starts at a table. The leading subscripts of an access are the indices of the entries that lead to the row, the
//! others those inside the row. Equal subscripts are equal bytes, and different ones are different bytes, if no two rows
//! overlap; and the entries are what they were before the region if no store touches them. Both are checked at run time,
//! by code that reads the entries before the region (`emit::row_checks`). So are assumptions about numbers in tables: how long rows are.
//!
//! That code must not read what the program would not: after a store into its own table or into the place where a table's address
//! is kept the program might go on with other tables, and where a row is too short it might stop. Therefore entries are read in
//! the order in which the program reads them first, and whatever could have come before such a read is checked before.
//!
//! Invariant: the domain of [`Visit::first`] is exactly the set of rows that the accesses, or the assumptions, of the model are about,
//! and the program has read all entries that lead to a row at the time that it is mapped to, or before.

use crate::detect::scev::{Entry, ProgramPoint, RowAssumption};
use crate::formula::condition::Dnf;
use crate::formula::poly::{Poly, gcd};
use crate::host::{Analyses, Type, Value};
use crate::model::scop::{Array, Scop, Storage};
use crate::model::sets::{Frame, library_error};
use crate::model::time::{Time, of_earlier};
use crate::reasons::{Reason, Rejection};
use tessera_polyhedral::affine::{Aff, MultiAff};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Map, Set};
use tessera_polyhedral::space::{DimKind, Space};

/// The entries of one table on the way to a row: entry `r` is at `origin + unit * r`.
#[derive(Clone, Debug)]
pub struct Level {
    /// Distance of the entry that counts as the first from the start of the table, in bytes.
    pub origin: i128,
    /// Distance of two entries in bytes.
    pub unit: i128,
    /// The promised alignment of every entry.
    pub align: u64,
    /// The loads that read entries.
    pub loads: Vec<Value>,
}

/// Bytes of an entry, or more.
pub const ENTRY_BYTES: i128 = 8;

/// What a table is read for.
#[derive(Clone, Debug)]
pub enum Purpose {
    /// Pointers to the rows of an array, by index.
    Rows(usize),
    /// Numbers about which something is assumed.
    Numbers {
        /// Their type.
        ty: Type,
        /// Whether the program looks at them as signed numbers.
        is_signed: bool,
        /// What is assumed.
        checks: Vec<NumberCheck>,
    },
}

/// "For all points of `domain`, `low <= rest + sign * number <= high`."
#[derive(Clone, Debug)]
pub struct NumberCheck {
    /// The entries that lead to the number, in bytes, as those of an access.
    pub entries: Vec<Poly>,
    /// The assumption as detection recorded it.
    pub assumption: RowAssumption,
    /// The points it ranges over.
    pub domain: Set,
    /// The loops whose induction variables are the dimensions of `domain`.
    pub loops: Vec<usize>,
}

/// The entries of a table that are read before the region.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The name in sets.
    pub name: String,
    /// Where the table starts.
    pub base: Value,
    /// It, and those on the way.
    pub levels: Vec<Level>,
    /// What for.
    pub purpose: Purpose,
    /// From the indices of the entries that lead to a row to the first time at which the program is known to have read them.
    pub first: Map,
}

impl Visit {
    /// The array whose rows they are.
    pub fn array(&self) -> Option<usize> {
        match self.purpose {
            Purpose::Rows(array) => Some(array),
            Purpose::Numbers { .. } => None,
        }
    }
}

/// A table, and the written arrays that might contain its entries.
#[derive(Clone, Debug)]
pub struct Table {
    /// What reads it, by index.
    pub visit: usize,
    /// Which of the tables on the way: 0 is the one that is there before the region.
    pub level: usize,
    /// The written arrays, by index.
    pub written: Vec<usize>,
}

/// The dimensions that some chains of entries make, and the indices of each of them.
pub fn levels(chains: &[&[Entry]]) -> Option<(Vec<Level>, Vec<Vec<Poly>>)> {
    let mut levels = Vec::new();
    let mut subscripts = vec![Vec::new(); chains.len()];
    for (depth, entry) in chains.first()?.iter().enumerate() {
        let origin = entry.offset.constant_term();
        let start = Poly::constant(origin)?;
        let (mut unit, mut align, mut loads) = (0, u64::MAX, Vec::new());
        let mut distances = Vec::new();
        for chain in chains {
            let entry = chain.get(depth)?;
            let distance = entry.offset.sub(&start)?;
            unit = gcd(unit, distance.content());
            for load in &entry.loads {
                align = align.min(load.memory_access()?.align);
                if !loads.contains(load) {
                    loads.push(*load);
                }
            }
            distances.push(distance);
        }
        let unit = if unit == 0 { ENTRY_BYTES } else { unit };
        for (subscripts, distance) in subscripts.iter_mut().zip(distances) {
            subscripts.push(distance.divide_exact(unit));
        }
        levels.push(Level { origin, unit, align, loads });
    }
    Some((levels, subscripts))
}

/// The pointers that an array's bytes may be addressed from.
pub fn pointers(array: &Array) -> Vec<Value> {
    match array.storage {
        Storage::Memory(pointer) => vec![pointer],
        Storage::Rows(_) => array.levels.last().map(|level| level.loads.clone()).unwrap_or_default(),
        Storage::Scalar(..) | Storage::Buffer(_) => Vec::new(),
    }
}

/// Whether the compiler knows that nothing addressed from one of these pointers overlaps anything addressed from one of those.
pub fn are_apart(host: &Analyses<'_>, left: &[Value], right: &[Value]) -> bool {
    left.iter().all(|a| right.iter().all(|b| host.no_alias(*a, *b)))
}

/// The tables of the model with the written arrays that might contain their entries. Fails where a table is an array that the nest
/// writes.
pub fn tables(host: &Analyses<'_>, scop: &Scop) -> Result<Vec<Table>, Rejection> {
    let mut tables = Vec::new();
    for (index, visit) in scop.visits.iter().enumerate() {
        for level in 0..visit.levels.len() {
            let from = match level.checked_sub(1) {
                None => vec![visit.base],
                Some(above) => visit.levels[above].loads.clone(),
            };
            let mut written = Vec::new();
            for (other, target) in scop.arrays.iter().enumerate().filter(|(other, _)| scop.is_written(*other)) {
                let is_same = target.storage.pointer() == Some(visit.base) && target.levels.len() == level;
                if is_same {
                    let accesses = scop.statements.iter().flat_map(|statement| &statement.accesses);
                    let location = accesses.filter(|a| a.array == other).find_map(|a| a.location.clone());
                    return Err(Rejection::at(Reason::ChangingBase, location));
                }
                if scop.is_memory(other) && !are_apart(host, &from, &pointers(target)) {
                    written.push(other);
                }
            }
            tables.push(Table { visit: index, level, written });
        }
    }
    Ok(tables)
}

/// The rows of every array, and the numbers about which something is assumed, in the order in which the program reads the entries that
/// lead to them first. `reads` has for accesses, by statement and position, when they have been read.
pub fn visits(
    scop: &Scop,
    reads: &[(usize, usize, Time)],
    assumptions: &[RowAssumption],
    budget: &Budget,
) -> Result<Vec<Visit>, Reason> {
    let mut visits: Vec<(Visit, Vec<Map>)> = Vec::new();
    let longest = scop.region.loops.len().max(scop.next_loop()) * 2 + 2;
    let placeholder = |name: &str, levels: &[Level]| {
        let names: Vec<String> = (0..levels.len()).map(|dim| format!("t{dim}")).collect();
        Map::empty(Space::map(&Space::set(&params_of(scop), name, &names), &time_space(scop, longest)))
    };
    for (index, array) in scop.arrays.iter().enumerate() {
        let Storage::Rows(base) = array.storage else { continue };
        let name = format!("rows{index}");
        let mut times = Vec::new();
        for (s, position, time) in reads.iter().filter(|(s, p, _)| scop.statements[*s].accesses[*p].array == index) {
            let statement = &scop.statements[*s];
            let subscripts = &statement.accesses[*position].subscripts[..array.levels.len()];
            let domain = statement.domain.with_tuple_name(DimKind::Out, "");
            times.push(read_at(scop, (&statement.loops, &domain), (subscripts, &name), (time, longest), budget)?);
        }
        let (levels, purpose) = (array.levels.clone(), Purpose::Rows(index));
        let first = placeholder(&name, &levels);
        if !times.is_empty() {
            visits.push((Visit { name, base, levels, purpose, first }, times));
        }
    }
    for group in groups(assumptions) {
        let chains: Vec<&[Entry]> = group.iter().map(|assumption| assumption.entries.as_slice()).collect();
        let (levels, subscripts) = levels(&chains).ok_or(Reason::TooLarge)?;
        let name = format!("numbers{}", visits.len());
        let (mut checks, mut times) = (Vec::new(), Vec::new());
        for (assumption, subscripts) in group.iter().zip(subscripts) {
            let ProgramPoint::Block(b) = assumption.place else { return Err(Reason::MultipleExits) };
            let block = &scop.region.blocks[b];
            let (loops, domain) = (block.loops.clone(), place_domain(scop, &block.loops, &block.domain, budget)?);
            let end = block.handle.terminator().ok_or(Reason::Terminator)?;
            let known_at = assumption.entries.last().map_or(end, |entry| entry.known_at);
            let time = of_earlier(&scop.region, known_at, b, end)?;
            times.push(read_at(scop, (&loops, &domain), (&subscripts, &name), (&time, longest), budget)?);
            let entries = assumption.entries.iter().map(|entry| entry.offset.clone()).collect();
            checks.push(NumberCheck { entries, assumption: (*assumption).clone(), domain, loops });
        }
        let Some(first) = group.first() else { continue };
        let purpose = Purpose::Numbers { ty: first.ty, is_signed: first.is_signed, checks };
        let map = placeholder(&name, &levels);
        visits.push((Visit { name, base: first.base, levels, purpose, first: map }, times));
    }
    let mut found = Vec::new();
    for (visit, times) in visits {
        let mut all = visit.first.clone();
        for time in times {
            all = all.union(&time).map_err(library_error)?;
        }
        let first = all.coalesce(budget).and_then(|all| all.lexmin(budget)).map_err(library_error)?;
        found.push(Visit { first, ..visit });
    }
    Ok(found)
}

/// Assumptions about numbers that stand in the same column of the same table.
fn groups(assumptions: &[RowAssumption]) -> Vec<Vec<&RowAssumption>> {
    let column =
        |a: &RowAssumption| -> Vec<i128> { a.entries.iter().map(|entry| entry.offset.constant_term()).collect() };
    let mut groups: Vec<Vec<&RowAssumption>> = Vec::new();
    for assumption in assumptions {
        let fits = |group: &&mut Vec<&RowAssumption>| {
            group.first().is_some_and(|known| {
                known.base == assumption.base
                    && known.ty == assumption.ty
                    && known.is_signed == assumption.is_signed
                    && column(known) == column(assumption)
            })
        };
        match groups.iter_mut().find(fits) {
            Some(group) => group.push(assumption),
            None => groups.push(vec![assumption]),
        }
    }
    groups
}

fn params_of(scop: &Scop) -> Space {
    scop.context.space().params_space()
}

fn time_space(scop: &Scop, length: usize) -> Space {
    let names: Vec<String> = (0..length).map(|dim| format!("t{dim}")).collect();
    Space::set(&params_of(scop), "", &names)
}

fn place_domain(scop: &Scop, loops: &[usize], condition: &Dnf, budget: &Budget) -> Result<Set, Reason> {
    let frame = Frame::of_loops(&params_of(scop), "", loops);
    frame.set(condition)?.intersect_params(&scop.context, budget).map_err(library_error)
}

/// From rows to the times at which they are read, over the instances of some loops.
fn read_at(
    scop: &Scop,
    (loops, domain): (&[usize], &Set),
    (rows, name): (&[Poly], &str),
    (time, length): (&Time, usize),
    budget: &Budget,
) -> Result<Map, Reason> {
    let rows = image(scop, loops, rows, name)?.intersect_domain(domain, budget).map_err(library_error)?;
    let mut time = time.clone();
    time.resize(length, Poly::zero());
    rows.reverse().apply_range(&image(scop, loops, &time, "")?, budget).map_err(library_error)
}

fn image(scop: &Scop, loops: &[usize], polys: &[Poly], name: &str) -> Result<Map, Reason> {
    let frame = Frame::of_loops(&params_of(scop), "", loops);
    let names: Vec<String> = (0..polys.len()).map(|dim| format!("t{dim}")).collect();
    let space = Space::map(frame.space(), &Space::set(&params_of(scop), name, &names));
    let affs = polys.iter().map(|poly| Ok(Aff::from_row(frame.space().clone(), frame.row(poly)?, Int::one())));
    let affs = affs.collect::<Result<Vec<_>, Reason>>()?;
    MultiAff::new(space, affs).and_then(|multi| multi.to_map()).map_err(library_error)
}

/// Whether all rows that the accesses of the model are in, which may be others than when the visits were found, are visited.
pub fn are_visited(scop: &Scop, budget: &Budget) -> Result<bool, Reason> {
    for visit in &scop.visits {
        let Some(array) = visit.array() else { continue };
        let mut known = None;
        for statement in &scop.statements {
            for access in statement.accesses.iter().filter(|a| a.array == array && !a.is_original) {
                let rows = image(scop, &statement.loops, &access.subscripts[..visit.levels.len()], &visit.name)?;
                let domain = statement.domain.with_tuple_name(DimKind::Out, "");
                let rows = rows.intersect_domain(&domain, budget).and_then(|rows| rows.range(budget));
                let rows = rows.map_err(library_error)?;
                let known = match &known {
                    Some(known) => known,
                    None => known.insert(visit.first.domain(budget).map_err(library_error)?),
                };
                if !rows.is_subset(known, budget).map_err(library_error)? {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}
