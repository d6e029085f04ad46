//! What the bodies of innermost loops cost if all data is in the first cache: operations, loads and stores, scalar or in vectors.
//!
//! LLVM's loop vectoriser works on innermost loops. A loop is vectorised here if it carries no dependence backwards over fewer
//! iterations than a vector has lanes (reductions may be carried), if everything in it has lanes that fit, and if that is cheaper
//! or the target has gathers and scatters, in which compilers believe. Accesses to neighbours are vector loads, elements that stay are in registers, and the rest is gathered, or loaded lane by lane. What remains
//! of a run after the last full vector is scalar, but never more expensive than one more vector; so more iterations never cost less.
//!
//! Members with the loop type `unroll` below the innermost loop are copies in its body: an element that does not move along
//! them is loaded once for all copies, and copies of accumulators take registers.

use crate::budget::Budget;
use crate::error::Result;
use crate::scop::{DependenceKind, Dependences, ElementKind, OperationKind, Scop, Storage};
use crate::target::Target;

use super::carried::{Within, is_carried};
use super::facts::StatementFacts;
use super::footprint::Moved;
use super::nest::{Nest, Occurrence};

/// Copies that the vectoriser makes of a reduction, to let several chains run side by side.
pub(super) const INTERLEAVED: f64 = 4.0;

/// An innermost loop, or statements that are in none.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The loop.
    pub(super) number: Option<usize>,
    /// How often it is entered.
    pub(super) runs: f64,
    pub(super) occurrences: Vec<usize>,
    /// Cycles of the loops around it that come before any other group.
    pub(super) around: f64,
}

/// What a group costs, in all its runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Cost {
    /// Operations, and everything that has to be issued.
    pub(super) compute: f64,
    /// Loads and stores.
    pub(super) accesses: f64,
    /// Lanes of a vector, if it is vectorised.
    pub(super) lanes: Option<f64>,
    /// Instructions of one scalar iteration.
    pub(super) instructions: f64,
}

/// What one iteration takes, in cycles of every unit.
#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    floats: f64,
    integers: f64,
    instructions: f64,
    /// Those of them that are loads.
    issued_loads: f64,
    loads: f64,
    stores: f64,
    accumulators: f64,
}

impl Uses {
    fn plus(self, other: Uses, share: f64) -> Uses {
        Uses {
            floats: self.floats + share * other.floats,
            integers: self.integers + share * other.integers,
            instructions: self.instructions + share * other.instructions,
            issued_loads: self.issued_loads + share * other.issued_loads,
            loads: self.loads + share * other.loads,
            stores: self.stores + share * other.stores,
            accumulators: self.accumulators + other.accumulators,
        }
    }
}

/// Everything that the cost of bodies depends on.
pub(super) struct Bodies<'n> {
    pub(super) scop: &'n Scop,
    pub(super) dependences: &'n Dependences,
    pub(super) target: &'n Target,
    pub(super) facts: &'n [StatementFacts],
    pub(super) nest: &'n Nest,
    pub(super) accesses: &'n [Vec<Moved>],
}

impl Bodies<'_> {
    /// The cost of a group.
    pub(super) fn of_group(&self, group: &Group, budget: &Budget) -> Result<Cost> {
        let iterations = group.number.map_or(1.0, |number| group.runs * self.nest.loops[number].trips);
        let sum = |lanes: Option<f64>| {
            group.occurrences.iter().fold(Uses::default(), |sum, index| {
                let occurrence = &self.nest.occurrences[*index];
                let level = group.number.and_then(|number| occurrence.level_of(number));
                let copies = copies(occurrence, level);
                let share = occurrence.instances() / copies / iterations.max(1e-9);
                sum.plus(self.uses(*index, level, copies, lanes), share)
            })
        };
        let scalar = sum(None);
        // Loads are operands of operations often enough, and counters are shared by unrolled iterations.
        let instructions = scalar.instructions - scalar.issued_loads / 2.0 + 0.5;
        let mut cost = Cost { instructions, ..Cost::default() };
        let Some(number) = group.number else {
            cost.compute = self.compute(&scalar);
            cost.accesses = self.load_store(&scalar, self.target.scalar_registers);
            return Ok(cost);
        };
        let spread = self.spread(group, number);
        let total = |one: f64, vector: Option<(f64, f64)>| -> f64 {
            spread.iter().map(|(runs, trips)| runs * of_run(*trips, one, vector)).sum()
        };
        let (one, moved) = (self.compute(&scalar), self.load_store(&scalar, self.target.vectors.registers));
        (cost.compute, cost.accesses) = (total(one, None), total(moved, None));
        if let Some(lanes) = self.lanes(group, number, budget)? {
            let vector = sum(Some(lanes));
            let compute = total(one, Some((lanes, self.compute(&vector))));
            let accesses = total(moved, Some((lanes, self.load_store(&vector, self.target.vectors.registers))));
            let entry = group.runs * self.target.loops.vector;
            // Compilers believe in gathers where there are some.
            let vectors = &self.target.vectors;
            let believes = vectors.gather.is_some() && vectors.scatter.is_some();
            if believes || compute.max(accesses) + entry < cost.compute.max(cost.accesses) {
                (cost.compute, cost.accesses, cost.lanes) = (compute, accesses, Some(lanes));
            }
        }
        cost.accesses += group.runs * self.hoisted(group, number);
        Ok(cost)
    }

    /// Runs and trip counts of a loop: where it goes through tiles, full ones and the last one.
    fn spread(&self, group: &Group, number: usize) -> Vec<(f64, f64)> {
        let trips = self.nest.loops[number].trips;
        let full = group.occurrences.iter().find_map(|index| {
            let occurrence = &self.nest.occurrences[*index];
            let level = &occurrence.levels[occurrence.level_of(number)?];
            level.full.filter(|_| level.trips >= trips)
        });
        let iterations = group.runs * trips;
        match full {
            Some((share, tile, rest)) if share > 0.0 && rest > 0.0 => {
                vec![(iterations * share / tile, tile), (iterations * (1.0 - share) / rest, rest)]
            }
            _ => vec![(group.runs, trips)],
        }
    }

    /// Cycles for the operations of one iteration.
    fn compute(&self, uses: &Uses) -> f64 {
        uses.floats.max(uses.integers).max((uses.instructions + 1.0) / self.target.issue)
    }

    /// Cycles for its loads and stores, with those of accumulators that have no register.
    fn load_store(&self, uses: &Uses, registers: u32) -> f64 {
        let spilled = (uses.accumulators + 2.0 - f64::from(registers)).max(0.0);
        (uses.loads + spilled / 2.0).max(uses.stores + spilled)
    }

    /// What an occurrence takes in one iteration of the loop of a level, with all its copies; of a vector iteration if there are lanes.
    fn uses(&self, index: usize, level: Option<usize>, copies: f64, lanes: Option<f64>) -> Uses {
        let occurrence = &self.nest.occurrences[index];
        let statement = &self.scop.statements[occurrence.statement];
        let mut uses = Uses::default();
        for operation in &statement.operations {
            let times = f64::from(operation.times) * copies;
            let kinds: &[&str] = match operation.kind {
                OperationKind::MultiplyAdd if !self.target.vectors.fma => &["mul", "add"],
                _ => &[operation.kind.name()],
            };
            let is_float = matches!(operation.element.kind, ElementKind::Float | ElementKind::BFloat);
            for kind in kinds {
                let cost = self.target.cost(kind, operation.element);
                let (cycles, instructions) = match (lanes, cost.vector) {
                    (None, _) => (1.0 / cost.scalar, 1.0),
                    (Some(lanes), Some(vector)) => {
                        let n = self.registers(lanes, operation.element.bits);
                        (n / vector, n)
                    }
                    // Lane by lane, with a move to and from the vector.
                    (Some(lanes), None) => (lanes * (1.0 / cost.scalar + 1.0), 3.0 * lanes),
                };
                // Vectors of integers and of floating-point numbers go through the same units.
                let unit = if is_float || lanes.is_some() { &mut uses.floats } else { &mut uses.integers };
                *unit += times * cycles;
                uses.instructions += times * instructions;
            }
        }
        let direction = level.and_then(|level| occurrence.levels[level].direction);
        let mut seen: Vec<&Moved> = Vec::new();
        for access in &self.accesses[index] {
            let place = &access.place;
            let same = |other: &&Moved| {
                (other.place.array, other.place.writes) == (place.array, place.writes)
                    && other.coefficients == access.coefficients
                    && other.place.subscripts.iter().zip(&place.subscripts).all(|(a, b)| a.constant == b.constant)
            };
            if seen.iter().any(same) {
                continue;
            }
            seen.push(access);
            let n = distinct(access, occurrence, level, copies);
            let stays = direction.is_some_and(|direction| !access.moves_along(direction));
            if stays {
                uses.accumulators += if place.writes { n } else { 0.0 };
                continue;
            }
            let stride = direction.map_or(place.unit, |direction| access.strides[direction]);
            let element = self.scop.arrays[place.array].element;
            let cost = self.target.cost(if place.writes { "store" } else { "load" }, element);
            let (mut cycles, mut instructions) = (1.0 / cost.scalar, 1.0);
            if let Some(lanes) = lanes {
                let vectors = self.registers(lanes, element.bits);
                let gathered = if place.writes { self.target.vectors.scatter } else { self.target.vectors.gather };
                (cycles, instructions) = match (cost.vector, gathered) {
                    (Some(vector), _) if stride.abs() <= place.unit => (vectors / vector, vectors),
                    // Address by address, through units that loads and stores of this kind share.
                    (_, Some(lane)) => {
                        uses.floats += n * lanes * lane;
                        (lanes / cost.scalar, lanes)
                    }
                    _ => {
                        uses.floats += n * lanes / 2.0;
                        (lanes / cost.scalar, 2.0 * lanes)
                    }
                };
                if stride < 0.0 {
                    uses.floats += n * vectors;
                }
            }
            *(if place.writes { &mut uses.stores } else { &mut uses.loads }) += n * cycles;
            uses.instructions += n * instructions;
            uses.issued_loads += if place.writes { 0.0 } else { n * instructions };
        }
        if statement.branches {
            uses.floats *= 1.2;
            uses.integers *= 1.2;
            uses.instructions = 1.2 * uses.instructions + if lanes.is_some() { 0.0 } else { 2.0 * copies };
        }
        uses
    }

    /// How many vector registers so many lanes of a width fill.
    fn registers(&self, lanes: f64, bits: u32) -> f64 {
        (lanes * f64::from(bits) / f64::from(self.target.vectors.bits.max(1))).max(1.0)
    }

    /// Cycles per run for what is loaded before the loop and stored after it.
    fn hoisted(&self, group: &Group, number: usize) -> f64 {
        let mut cycles = 0.0;
        for index in &group.occurrences {
            let occurrence = &self.nest.occurrences[*index];
            let Some(level) = occurrence.level_of(number) else { continue };
            let Some(direction) = occurrence.levels[level].direction else { continue };
            let copies = copies(occurrence, Some(level));
            for access in self.accesses[*index].iter().filter(|access| !access.moves_along(direction)) {
                let kind = if access.place.writes { "store" } else { "load" };
                let cost = self.target.cost(kind, self.scop.arrays[access.place.array].element);
                cycles += distinct(access, occurrence, Some(level), copies) / cost.scalar;
            }
        }
        cycles
    }

    /// The lanes with which the vectoriser can run a loop.
    fn lanes(&self, group: &Group, number: usize, budget: &Budget) -> Result<Option<f64>> {
        let vectors = &self.target.vectors;
        let mut widest = 8;
        for index in &group.occurrences {
            let statement = self.nest.occurrences[*index].statement;
            let Some(bits) = self.facts[statement].widest else { return Ok(None) };
            if self.scop.statements[statement].branches && !vectors.masks {
                return Ok(None);
            }
            widest = widest.max(bits);
        }
        let lanes = vectors.bits / widest;
        if lanes < 2 {
            return Ok(None);
        }
        for pair in &self.dependences.pairs {
            let is_register = self.scop.arrays[pair.array].storage == Storage::Scalar;
            if is_register && pair.kind != DependenceKind::Flow {
                continue;
            }
            for source in self.of(group, pair.dependence.source) {
                for sink in self.of(group, pair.dependence.sink) {
                    // A load before a store of a later iteration stays before it; a store before a load would have to be waited for.
                    let is_forward = (source, pair.from) < (sink, pair.to) && pair.kind != DependenceKind::Flow;
                    if is_forward || pair.dependence.reduction && self.is_reduced(source, pair.from, number) {
                        continue;
                    }
                    let ends = (&self.nest.occurrences[source], &self.nest.occurrences[sink]);
                    let near = (i64::from(lanes) - 1, Within::Bands);
                    if is_carried(&pair.dependence.map, ends, number, near, budget)? {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(Some(f64::from(lanes)))
    }

    /// The occurrences of a statement in a group.
    fn of(&self, group: &Group, statement: usize) -> Vec<usize> {
        let own = group.occurrences.iter().copied();
        own.filter(|index| self.nest.occurrences[*index].statement == statement).collect()
    }

    /// Whether an access of a reduction stays where it is along a loop: the partial results are lanes.
    fn is_reduced(&self, index: usize, access: usize, number: usize) -> bool {
        let occurrence = &self.nest.occurrences[index];
        let direction = occurrence.level_of(number).and_then(|level| occurrence.levels[level].direction);
        let moved = self.accesses[index].iter().find(|moved| moved.place.access == access);
        match (direction, moved) {
            (Some(direction), Some(moved)) => !moved.moves_along(direction),
            _ => true,
        }
    }
}

/// The copies of a statement in the body of a level's loop.
fn copies(occurrence: &Occurrence, level: Option<usize>) -> f64 {
    level.map_or(1.0, |level| occurrence.levels[level + 1..].iter().map(|inner| inner.trips).product())
}

/// How many elements all copies of an access touch in one iteration.
fn distinct(access: &Moved, occurrence: &Occurrence, level: Option<usize>, copies: f64) -> f64 {
    let Some(level) = level else { return copies };
    let inner = occurrence.levels[level + 1..].iter();
    let moving = inner.filter(|inner| inner.direction.is_some_and(|direction| access.moves_along(direction)));
    moving.map(|inner| inner.trips).product()
}

/// Cycles of one run with so many iterations: scalar ones cost `one`; a vector of several lanes at once.
fn of_run(trips: f64, one: f64, vector: Option<(f64, f64)>) -> f64 {
    match vector {
        None => trips * one,
        Some((lanes, each)) => {
            let full = (trips / lanes + 1e-7).floor();
            full * each + ((trips - full * lanes).max(0.0) * one).min(each)
        }
    }
}
