//! A part of a nest: some instances of its statements, where the tree has them in a place of their own.
//!
//! After `for i: for k < i: S(i, k)` is cut into blocks of 32 iterations of `i`, the instances with `k < 32 floor(i/32)` come first in each block, the
//! others behind them. Both are loops over `i` and `k` again, so that the search goes through either as through any nest. What differs:
//! - a statement is in several places of the tree; *which one* is meant is a number;
//! - of some loops only so many iterations are there: those of a block;
//! - bounds: those that a cut makes needless are left out of the domains that decisions are made with ([`hull`]); and
//! - dependences: those between instances of the part in one block ([`dependences_between`]).

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Map, Set};
use crate::scop::{Dependence, Dependences};
use crate::space::DimKind;

use super::program::Program;
use super::search::Search;

/// Which part of a nest is looked at. The default is all of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    /// Per statement, which of the places is meant where the tree has it, from the front.
    copies: Vec<usize>,
    /// Loops of which only so many iterations are there.
    rows: Vec<(usize, i64)>,
    /// How many cuts led here.
    depth: usize,
    /// Whether its loops run in another order than those of the program.
    is_permuted: bool,
    /// Whether it reads rows that were saved.
    has_saved_rows: bool,
}

impl Region {
    /// The place of a statement.
    pub(super) fn copy_of(&self, statement: usize) -> usize {
        self.copies.get(statement).copied().unwrap_or(0)
    }

    /// How many iterations of a loop are there, if that is a block.
    pub(super) fn rows_of(&self, index: usize) -> Option<i64> {
        self.rows.iter().find(|(other, _)| *other == index).map(|(_, rows)| *rows)
    }

    /// Whether it is not all of a nest.
    pub(super) fn is_part(&self) -> bool {
        self.depth > 0
    }

    /// Whether it is a part of a part.
    pub(super) fn is_deep(&self) -> bool {
        self.depth > 1
    }

    /// Whether its loops run in another order than those of the program.
    pub(super) fn is_permuted(&self) -> bool {
        self.is_permuted
    }

    /// The same, where the loops of the nest have been permuted before it was cut.
    pub(super) fn permuted(self, is_permuted: bool) -> Region {
        Region { is_permuted, ..self }
    }

    /// Whether it reads rows that were saved, so that there is nothing to copy but what stays while the innermost loop runs.
    pub(super) fn has_saved_rows(&self) -> bool {
        self.has_saved_rows
    }

    /// The same, where it reads rows that were saved.
    pub(super) fn with_saved_rows(self) -> Region {
        Region { has_saved_rows: true, ..self }
    }

    /// The part in the middle of a cut, with blocks of so many iterations of a loop; in front of it is another place for some statements.
    pub(super) fn part(&self, n: usize, in_front: &[usize], rows: Option<(usize, i64)>) -> Region {
        let mut region = self.clone();
        region.copies.resize(n, 0);
        in_front.iter().for_each(|statement| region.copies[*statement] += 1);
        region.rows.extend(rows);
        region.depth += 1;
        region
    }
}

/// The dependences between some instances of statements in one block of `size` iterations of a loop. Exact.
pub(super) fn dependences_between(
    all: &Dependences,
    program: &Program,
    instances: &[(usize, Set)],
    (index, size): (usize, i64),
    budget: &Budget,
) -> Result<Dependences> {
    let of = |statement: usize| instances.iter().find(|(other, _)| *other == statement).map(|(_, set)| set);
    let mut merged = Vec::new();
    for dependence in &all.merged {
        let (Some(source), Some(sink)) = (of(dependence.source), of(dependence.sink)) else { continue };
        let ends = (program.dim(dependence.source, index), program.dim(dependence.sink, index));
        let mut map = dependence.map.intersect_domain(source, budget)?.intersect_range(sink, budget)?;
        if let (Some(a), Some(b)) = ends {
            map = map.intersect(&same_block(&map, (a, b), size, budget)?, budget)?;
        }
        if !map.is_empty(budget)? {
            merged.push(Dependence { map, ..*dependence });
        }
    }
    Ok(Dependences { merged, pairs: Vec::new() })
}

/// The pairs that are in one block of `size` values of a dimension of the source and one of the sink.
fn same_block(like: &Map, (a, b): (usize, usize), size: i64, budget: &Budget) -> Result<Map> {
    let space = like.space();
    let tuple = |kind: DimKind, letter: &str| {
        let name = space.tuple(kind).and_then(|tuple| tuple.name()).map_or("", |name| name);
        let dims: Vec<String> = (0..space.dim(kind)).map(|dim| format!("{letter}{dim}")).collect();
        format!("{name}[{}]", dims.join(", "))
    };
    let (source, sink) = (tuple(DimKind::In, "i"), tuple(DimKind::Out, "o"));
    let text = format!("{{ {source} -> {sink} : floor(i{a}/{size}) = floor(o{b}/{size}) }}");
    Ok(Map::parse(&text, budget)?.align_params(space))
}

/// A domain without the bounds that relate some pairs of dimensions, but with the least and greatest values of these.
pub(super) fn hull(domain: &Set, pairs: &[(usize, usize)], budget: &Budget) -> Result<Set> {
    let (space, first) = (domain.space(), domain.space().offset(DimKind::Out));
    let [conjunction] = domain.conjunctions() else { return Ok(domain.clone()) };
    if conjunction.n_local() > 0 {
        return Ok(domain.clone());
    }
    let relates = |row: &[Int]| pairs.iter().any(|(a, b)| !row[first + a].is_zero() && !row[first + b].is_zero());
    let mut hull = Set::universe(space.clone());
    for row in conjunction.ineqs().iter().filter(|row| !relates(row)) {
        hull = hull.add_ineq(row);
    }
    for row in conjunction.eqs() {
        hull = hull.add_eq(row);
    }
    let n = space.dim(DimKind::Out);
    let mut dims: Vec<usize> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
    dims.sort_unstable();
    dims.dedup();
    for dim in dims {
        let alone = domain.forget_dims(DimKind::Out, dim + 1, n - dim - 1, budget)?;
        hull = hull.intersect(&alone.forget_dims(DimKind::Out, 0, dim, budget)?, budget)?;
    }
    Ok(hull)
}

impl Program {
    /// The same with other instances of some statements.
    pub(super) fn with_domains(&self, domains: impl IntoIterator<Item = (usize, Set)>) -> Program {
        let mut program = self.clone();
        for (statement, domain) in domains {
            program.domains[statement] = domain;
        }
        program
    }
}

impl<'m> Search<'m, '_> {
    /// Goes on with what was found in a part.
    pub(super) fn take(&mut self, part: Search<'m, '_>) {
        let Search { draft, applied, has_guessed, used, blocked, .. } = part;
        self.draft = draft;
        self.applied = applied;
        self.has_guessed = has_guessed;
        self.used = used;
        self.blocked = blocked;
    }
}
