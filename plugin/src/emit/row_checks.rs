//! What the guard checks about rows behind pointers, and when: see `model::row_tables` for why.
//!
//! A *block* is a range of bytes at an address that is known before the nest: a plain array, the bytes of an invariant load, the
//! outermost table of rows. A *family* is one range for each visit: the rows of an array, or a table on the way to them.
//! Blocks are compared with each range of a family, exactly. Ranges of two families, and those of one array that is written, are not
//! compared one by one: what is gathered of each family (`row_ranges`) tells in the cases that allocators make, one row behind or before
//! the other, the last row of `vec![row; n]` before all others, the first ones where something was freed, rows of several
//! arrays in turns. Tables on the way to rows that are written lie between these rows: `vec![vec![vec![0.0; n]; n]; n]` makes a table, its rows, the
//! next table. So both together are gathered once more, as ranges that must not overlap. Rows that lie otherwise are left to the original
//! loops. A number (how long a row is) is compared with what it must be for all rows of its column: the bounds do not depend on the row.

use super::extremes::{RangePlan, range_plan};
use crate::formula::poly::Poly;
use crate::model::row_tables::{ENTRY_BYTES, Level, Purpose, Visit, are_visited};
use crate::model::scop::{Scop, Storage};
use crate::model::sets::library_error;
use crate::reasons::Reason;
use tessera_polyhedral::ast::{AstError, AstUnit};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Set, UnionMap};
use tessera_polyhedral::space::DimKind;

/// Bytes at an address from before the nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// What is touched of a plain array, by index.
    Array(usize),
    /// The bytes of an invariant load, by index in [`Scop::protected`].
    Protected(usize),
    /// The entries that are read of the table that the visit, by index, starts from.
    Table(usize),
}

/// A range per visit.
#[derive(Clone, Debug)]
pub(super) struct Family {
    /// The visit, by index.
    pub(super) visit: usize,
    /// How many entries lead to where the range is: all for the rows, fewer for tables on the way.
    pub(super) depth: usize,
    /// What no range may overlap.
    pub(super) blocks: Vec<Block>,
    /// The ranges must not overlap each other.
    pub(super) apart: bool,
}

/// "Greatest of `least - rest` .. least of `greatest - rest`" contains `sign * number` for every number of a visit.
#[derive(Clone, Debug)]
pub(super) struct NumberPlan {
    pub(super) sign: i128,
    pub(super) rest: RangePlan,
    pub(super) low: i128,
    pub(super) high: i128,
}

/// The rows of one array, or numbers in a table.
#[derive(Clone, Debug)]
pub(super) struct VisitPlan {
    /// The visit of the model, by index.
    pub(super) source: usize,
    /// What is checked about numbers.
    pub(super) numbers: Vec<NumberPlan>,
    /// Per table on the way, the entries that are read: distances from its start, with the bytes of an entry.
    pub(super) tables: Vec<Vec<(RangePlan, i128)>>,
}

/// Two families, by index, whose ranges must not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) left: usize,
    pub(super) right: usize,
    /// Tables on the way and rows that are written: a store might change a number, on which it depends whether the program reads more entries. So no
    /// visit goes on before they are compared.
    pub(super) at_once: bool,
}

impl Pair {
    /// Whether a family is one of the two.
    pub(super) fn has(&self, family: usize) -> bool {
        [self.left, self.right].contains(&family)
    }
}

/// All checks.
#[derive(Clone, Debug)]
pub(super) struct RowsPlan {
    /// Executes the visits in an order in which it is safe to read the entries.
    pub(super) unit: AstUnit,
    pub(super) visits: Vec<VisitPlan>,
    pub(super) families: Vec<Family>,
    pub(super) pairs: Vec<Pair>,
    /// Visits of numbers whose tables on the way are those of a family of another visit, with how many entries lead there and the family.
    shared: Vec<(usize, usize, usize)>,
    /// Visits whose outermost table must not overlap a plain array.
    pub(super) tables: Vec<(usize, usize)>,
}

impl RowsPlan {
    /// The checks for a region; nothing if there are no rows.
    pub(super) fn new(scop: &Scop, budget: &Budget) -> Result<Option<Self>, Reason> {
        let is_used = |visit: &Visit| visit.array().is_none_or(|array| scop.is_used(array));
        let used: Vec<usize> = (0..scop.visits.len()).filter(|source| is_used(&scop.visits[*source])).collect();
        if used.is_empty() {
            return Ok(None);
        }
        if !are_visited(scop, budget)? {
            return Err(Reason::ChangingBase);
        }
        let orders = used.iter().map(|source| scop.visits[*source].first.clone());
        let order = UnionMap::from_members(orders).map_err(library_error)?;
        let unit = scop.ast_build().build_relation(&order, None, budget).map_err(|error| match error {
            AstError::Relation(error) => library_error(error),
            _ => Reason::ChangingBase,
        })?;
        let (visits, families, pairs, shared) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut plan = Self { unit, visits, families, pairs, shared, tables: Vec::new() };
        for source in used {
            plan.add_visit(scop, source, budget)?;
        }
        plan.add_families(scop, budget)?;
        Ok(Some(plan))
    }

    fn add_visit(&mut self, scop: &Scop, source: usize, budget: &Budget) -> Result<(), Reason> {
        let visit = &scop.visits[source];
        let mut places: Vec<(&[Poly], &Set, &[usize])> = Vec::new();
        let mut numbers = Vec::new();
        match &visit.purpose {
            Purpose::Rows(array) => {
                for statement in &scop.statements {
                    let accesses = statement.accesses.iter().filter(|access| access.array == *array);
                    places.extend(accesses.map(|a| (a.entries.as_slice(), &statement.domain, &statement.loops[..])));
                }
            }
            Purpose::Numbers { checks, .. } => {
                for check in checks {
                    places.push((check.entries.as_slice(), &check.domain, &check.loops));
                    let assumption = &check.assumption;
                    let rest = range_plan(scop, &assumption.rest, &check.domain, &check.loops, budget)?;
                    let (sign, low, high) = (assumption.sign, assumption.low, assumption.high);
                    numbers.push(NumberPlan { sign, rest, low, high });
                }
            }
        }
        let mut tables = Vec::new();
        for level in 0..visit.levels.len() {
            let mut ranges = Vec::new();
            let mut seen: Vec<(&Poly, &Set, &[usize])> = Vec::new();
            for (entries, domain, loops) in &places {
                let entry = &entries[level];
                let known = seen.iter().any(|(other, place, around)| {
                    *other == entry
                        && around == loops
                        && (std::ptr::eq(*place, *domain) || place.is_plainly_equal(domain))
                });
                if !known {
                    seen.push((entry, domain, loops));
                    ranges.push((range_plan(scop, entry, domain, loops, budget)?, ENTRY_BYTES));
                }
            }
            tables.push(ranges);
        }
        self.visits.push(VisitPlan { source, numbers, tables });
        Ok(())
    }

    fn add_families(&mut self, scop: &Scop, budget: &Budget) -> Result<(), Reason> {
        let visit_of =
            |array: usize| self.visits.iter().position(|visit| scop.visits[visit.source].array() == Some(array));
        let is_rows = |array: usize| matches!(scop.arrays[array].storage, Storage::Rows(_));
        let mut families: Vec<Family> = Vec::new();
        for (index, visit) in self.visits.iter().enumerate() {
            let VisitPlan { source, tables, .. } = visit;
            let array = scop.visits[*source].array();
            // A number is no place where something is.
            let all = tables.len() - usize::from(array.is_none());
            for depth in 1..=all {
                let apart = array.is_some_and(|array| depth == all && scop.is_written(array));
                families.push(Family { visit: index, depth, blocks: Vec::new(), apart });
            }
        }
        let family = |visit: usize, depth: usize| {
            families.iter().position(|family| family.visit == visit && family.depth == depth)
        };
        let rows = |array: usize| family(visit_of(array)?, scop.arrays[array].levels.len());
        let (mut against, mut pairs, mut tables) = (Vec::new(), Vec::new(), Vec::new());
        let mut shared: Vec<[usize; 3]> = Vec::new();
        for (left, right) in &scop.may_overlap {
            match (rows(*left), rows(*right)) {
                (Some(left), Some(right)) => pairs.push(Pair { left, right, at_once: false }),
                (Some(a), None) if !is_rows(*right) => against.push((a, Block::Array(*right))),
                (None, Some(b)) if !is_rows(*left) => against.push((b, Block::Array(*left))),
                _ => {}
            }
        }
        for (index, bytes) in scop.protected.iter().enumerate() {
            against.extend(bytes.arrays.iter().filter_map(|a| rows(*a)).map(|a| (a, Block::Protected(index))));
        }
        for table in &scop.tables {
            let Some(visit) = self.visits.iter().position(|visit| visit.source == table.visit) else { continue };
            let own = family(visit, table.level);
            for written in table.written.iter().filter(|written| scop.is_used(**written)) {
                match (own, rows(*written)) {
                    (None, None) => tables.push((visit, *written)),
                    (None, Some(rows)) => against.push((rows, Block::Table(visit))),
                    (Some(own), None) => against.push((own, Block::Array(*written))),
                    (Some(own), Some(rows)) => {
                        // Numbers beside the pointers to rows are in the tables that lead to these.
                        let to = families[rows].visit;
                        let sources = [visit, to].map(|v| self.visits[v].source);
                        let leading = match visit != to && leads_also_to(scop, sources, table.level, budget)? {
                            true => family(to, table.level),
                            false => None,
                        };
                        let same = [visit, to, table.level];
                        shared.extend(leading.filter(|_| !shared.contains(&same)).map(|_| same));
                        let pair = Pair { left: leading.unwrap_or(own), right: rows, at_once: true };
                        if !pairs.contains(&pair) {
                            pairs.push(pair);
                        }
                    }
                }
            }
        }
        for (position, block) in against {
            families[position].blocks.push(block);
        }
        // What is compared with nothing needs no look.
        let needed = |position: usize| {
            let Family { blocks, apart, .. } = &families[position];
            *apart || !blocks.is_empty() || pairs.iter().any(|pair| pair.has(position))
        };
        let kept: Vec<usize> = (0..families.len()).filter(|position| needed(*position)).collect();
        let renumber = |old: usize| kept.iter().position(|k| *k == old);
        let again = |pair: &Pair| Some(Pair { left: renumber(pair.left)?, right: renumber(pair.right)?, ..*pair });
        self.pairs = pairs.iter().filter_map(again).collect();
        self.families = kept.iter().map(|old| families[*old].clone()).collect();
        self.tables = tables;
        for [from, to, level] in shared {
            let more = self.visits[from].tables[level].clone();
            self.visits[to].tables[level].extend(more);
            let family = self.families.iter().position(|family| family.visit == to && family.depth == level);
            self.shared.extend(family.map(|family| (from, level, family)));
        }
        Ok(())
    }

    /// Whether two families are tables and the rows that they lead to: allocators make such tables and rows in turns.
    pub(super) fn are_in_turns(&self, pair: &Pair) -> bool {
        self.families[pair.left].visit == self.families[pair.right].visit
    }

    /// The families that have a range where so many entries of a visit lead to.
    pub(super) fn families_of(&self, visit: usize, depth: usize) -> impl Iterator<Item = usize> + '_ {
        let own = self.families.iter().position(|family| family.visit == visit && family.depth == depth);
        let is_it = move |shared: &&(usize, usize, usize)| (shared.0, shared.1) == (visit, depth);
        own.into_iter().chain(self.shared.iter().filter(is_it).map(|shared| shared.2))
    }

    /// For how many sets of ranges it is remembered where they lie: families, and tables with the rows that they lead to.
    pub(super) fn gathered(&self) -> usize {
        self.families.len() + self.pairs.iter().filter(|pair| self.are_in_turns(pair)).count()
    }

    /// Whether the ranges of a family must not overlap some of a family.
    pub(super) fn is_compared(&self, family: usize) -> bool {
        self.families[family].apart || self.pairs.iter().any(|pair| pair.has(family))
    }

    /// The families, of the first 64, that the ranges of one must not overlap: bit after bit.
    pub(super) fn must_not_overlap(&self, family: usize) -> u64 {
        let own = if self.families[family].apart { bit(family) } else { 0 };
        let others = self.pairs.iter().map(|pair| match (pair.left == family, pair.right == family) {
            (true, _) => bit(pair.right),
            (_, true) => bit(pair.left),
            _ => 0,
        });
        others.fold(own, |all, other| all | other)
    }

    /// The families, of the first 64, that must be told apart before more entries are read, tables and rows: bit after bit.
    pub(super) fn told_at_once(&self) -> [u64; 2] {
        let at_once = || self.pairs.iter().filter(|pair| pair.at_once);
        [at_once().fold(0, |all, pair| all | bit(pair.left)), at_once().fold(0, |all, pair| all | bit(pair.right))]
    }

    /// Whether nothing has to be checked while the visits are made.
    pub(super) fn is_static(&self) -> bool {
        self.families.is_empty() && self.visits.iter().all(|visit| visit.numbers.is_empty())
    }
}

/// The bit of a family, if it is one of the first 64.
fn bit(family: usize) -> u64 {
    u32::try_from(family).ok().and_then(|family| 1u64.checked_shl(family)).unwrap_or(0)
}

/// Whether the entries that lead one visit, by index, to its tables of a level are some of those that lead another one to tables of that level, which it has.
fn leads_also_to(scop: &Scop, [one, other]: [usize; 2], level: usize, budget: &Budget) -> Result<bool, Reason> {
    let (one, other) = (&scop.visits[one], &scop.visits[other]);
    let place = |level: &Level| (level.origin, level.unit);
    let are_alike = one.base == other.base
        && one.levels.len() >= level
        && other.levels.len() > level
        && one.levels[..level].iter().map(place).eq(other.levels[..level].iter().map(place));
    if !are_alike {
        return Ok(false);
    }
    let leading = |visit: &Visit| -> Result<Set, Reason> {
        let all = visit.first.domain(budget).map_err(library_error)?.with_tuple_name(DimKind::Out, "");
        let more = visit.levels.len() - level;
        all.project_out(DimKind::Out, level, more, budget).map_err(library_error)
    };
    leading(one)?.is_subset(&leading(other)?, budget).map_err(library_error)
}
