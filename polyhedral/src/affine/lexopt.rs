//! Lexicographic optima of relations, as relations and as piecewise functions.
//!
//! The optimum of one conjunction comes from parametric integer programming ([`crate::pip`]). The optima of several
//! conjunctions are combined exactly: a piece of one keeps the part of its domain where no piece of another has a
//! better value, or an equal one and stands earlier. This is a total order, so the pieces of the result are disjoint.

use std::cmp::Ordering;

use crate::arith::{Int, Row, row};
use crate::budget::Budget;
use crate::error::Result;
use crate::pip::{self, Piece, Problem};
use crate::relation::{Conjunction, Div, Relation, check_dims};
use crate::space::{DimKind, Space};

use super::graph::graph;
use super::{Aff, MultiAff};

/// A lexicographic minimum or maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sense {
    Min,
    Max,
}

impl Sense {
    fn operation(self) -> &'static str {
        match self {
            Sense::Min => "compute the lexicographic minimum",
            Sense::Max => "compute the lexicographic maximum",
        }
    }
}

/// Parts of the domain with the optimum there: one expression per optimised dimension.
pub(crate) type Optimum = Vec<(Relation, Vec<Aff>)>;

impl Conjunction {
    /// The pieces of the optimum of some dimensions of the range, in this order, as functions of parameters and input
    /// dimensions.
    fn optimum(&self, positions: &[usize], sense: Sense, budget: &Budget) -> Result<Vec<Piece>> {
        budget.spend(self.weight())?;
        if self.is_plainly_empty() {
            return Ok(Vec::new());
        }
        let offset = self.space().offset(DimKind::Out);
        let targets: Vec<usize> = positions.iter().map(|k| offset + k).collect();
        let problem = Problem::new(self, offset - 1, &targets, sense == Sense::Max);
        pip::lexmin(problem, budget).map_err(|failure| {
            failure.into_error(sense.operation(), |k| {
                let pos = positions.get(k).copied().unwrap_or_default();
                match self.space().dim_name(DimKind::Out, pos) {
                    Some(name) => format!("dimension {pos} ({name}) of {}", self.space()),
                    None => format!("dimension {pos} of {}", self.space()),
                }
            })
        })
    }

    /// A piece as a condition of the domain: of parameters and input dimensions.
    fn domain_of_piece(space: &Space, piece: &Piece) -> Conjunction {
        let mut c = Conjunction::universe(space.clone());
        c.extend(piece.divs.iter().cloned().map(Some), piece.eqs.iter().cloned(), piece.ineqs.iter().cloned());
        c
    }

    /// A piece as a part of the relation: the domain and the optimum of all dimensions of the range.
    fn graph_of_piece(space: &Space, piece: &Piece) -> Conjunction {
        let (start, n_out) = (space.offset(DimKind::Out), space.dim(DimKind::Out));
        let n = space.n_col() + piece.divs.len();
        let map: Vec<usize> = (0..start + piece.divs.len()).map(|c| if c < start { c } else { c + n_out }).collect();
        let moved = |row: &Row| row::remap(row, &map, n);
        let mut c = Conjunction::universe(space.clone());
        let locals = piece.divs.iter().map(|d| Some(Div { row: moved(&d.row), den: d.den.clone() }));
        let values = piece.values.iter().enumerate().map(|(k, value)| {
            let mut eq = moved(value);
            eq[start + k] -= 1;
            eq
        });
        c.extend(locals, piece.eqs.iter().map(moved).chain(values), piece.ineqs.iter().map(moved));
        c
    }

    /// The lexicographic minimum of the range for every point of the domain (of a set: for all parameter values), as
    /// disjoint conjunctions. Exact; parametric integer programming. Fails if the minimum does not exist.
    pub fn lexmin(&self, budget: &Budget) -> Result<Vec<Conjunction>> {
        self.lexopt(Sense::Min, budget)
    }

    /// The lexicographic maximum; see [`Conjunction::lexmin`].
    pub fn lexmax(&self, budget: &Budget) -> Result<Vec<Conjunction>> {
        self.lexopt(Sense::Max, budget)
    }

    /// The pieces of the lexicographic maximum of some dimensions of the range of a map, in the given order: disjoint
    /// parts of the domain with the values there. Exact. Fails if the maximum does not exist.
    pub(crate) fn maximum_pieces(&self, positions: &[usize], budget: &Budget) -> Result<Vec<(Conjunction, Vec<Aff>)>> {
        let space = domain_space(self.space());
        let mut pieces = Vec::new();
        for piece in self.optimum(positions, Sense::Max, budget)? {
            let domain = Conjunction::domain_of_piece(&space, &piece).simplify();
            if !domain.is_plainly_empty() {
                let aff = |row: &Row| Aff::from_parts(space.clone(), piece.divs.clone(), row.clone(), Int::one());
                pieces.push((domain, piece.values.iter().map(aff).collect()));
            }
        }
        Ok(pieces)
    }

    fn lexopt(&self, sense: Sense, budget: &Budget) -> Result<Vec<Conjunction>> {
        let positions: Vec<usize> = (0..self.space().dim(DimKind::Out)).collect();
        let pieces = self.optimum(&positions, sense, budget)?;
        Ok(pieces.iter().map(|p| Conjunction::graph_of_piece(self.space(), p).simplify()).collect())
    }
}

/// The space of the domain of an optimum: of the domain of a map, or of only parameters.
pub(super) fn domain_space(space: &Space) -> Space {
    if space.is_map() { space.domain() } else { space.params_space() }
}

impl Relation {
    /// The optimum of the range for every point of the domain.
    pub(crate) fn lexopt(&self, sense: Sense, budget: &Budget) -> Result<Relation> {
        if let [part] = self.parts() {
            let mut result = Relation::empty(self.space().clone());
            for part in part.lexopt(sense, budget)? {
                result.push(part);
            }
            return Ok(result);
        }
        let mut result = Relation::empty(self.space().clone());
        for (domain, affs) in self.lexopt_pieces(sense, budget)? {
            let graph = graph(&MultiAff::new(self.space().clone(), affs)?)?;
            let map: Vec<usize> = (0..self.space().offset(DimKind::Out)).collect();
            let domain = domain.remap_columns(self.space().clone(), &map);
            for part in graph.intersect(&domain, budget)?.into_parts() {
                result.push(part);
            }
        }
        Ok(result)
    }

    /// The optimum of the range as disjoint pieces: relations and functions over the space of the domain (of a set:
    /// over the space of only parameters).
    pub(crate) fn lexopt_pieces(&self, sense: Sense, budget: &Budget) -> Result<Optimum> {
        let positions: Vec<usize> = (0..self.space().dim(DimKind::Out)).collect();
        self.optimum(&positions, sense, budget)
    }

    /// The optimum of one dimension of the range as disjoint pieces.
    pub(crate) fn dim_opt_pieces(&self, pos: usize, sense: Sense, budget: &Budget) -> Result<Optimum> {
        check_dims(sense.operation(), self.space(), DimKind::Out, pos, 1)?;
        self.optimum(&[pos], sense, budget)
    }

    fn optimum(&self, positions: &[usize], sense: Sense, budget: &Budget) -> Result<Optimum> {
        let space = domain_space(self.space());
        let mut optima: Vec<Optimum> = Vec::with_capacity(self.parts().len());
        for part in self.parts() {
            let mut pieces = Vec::new();
            for piece in part.optimum(positions, sense, budget)? {
                let domain = Conjunction::domain_of_piece(&space, &piece);
                let domain = Relation::from_parts(space.clone(), [domain]);
                if !domain.is_plainly_empty() {
                    let aff = |row: &Row| Aff::from_parts(space.clone(), piece.divs.clone(), row.clone(), Int::one());
                    pieces.push((domain, piece.values.iter().map(aff).collect()));
                }
            }
            optima.push(pieces);
        }
        combine(optima, sense, budget)
    }

    /// The optimum for the points of `domain` (over the space of the domain, for a set over the parameters), and the
    /// points of `domain` that have no image.
    pub(crate) fn partial_lexopt(
        &self,
        domain: &Relation,
        sense: Sense,
        budget: &Budget,
    ) -> Result<(Relation, Relation)> {
        let restricted = if self.space().is_map() {
            self.intersect_tuple(domain, DimKind::In, budget)?
        } else {
            self.intersect_params(domain, budget)?
        };
        let optimum = restricted.lexopt(sense, budget)?;
        let defined = if self.space().is_map() { optimum.domain(budget)? } else { optimum.params(budget)? };
        let rest = domain.align_params(defined.space()).subtract(&defined, budget)?;
        Ok((optimum, rest))
    }
}

/// The optimum of a union from the optima of its parts: every piece keeps the points where no piece of another part has
/// a better value, or an equal one and stands earlier.
fn combine(optima: Vec<Optimum>, sense: Sense, budget: &Budget) -> Result<Optimum> {
    if optima.len() <= 1 {
        return Ok(optima.into_iter().flatten().collect());
    }
    let pieces: Vec<(usize, Relation, Vec<Aff>)> = optima
        .into_iter()
        .enumerate()
        .flat_map(|(part, optimum)| optimum.into_iter().map(move |(domain, affs)| (part, domain, affs)))
        .collect();
    let mut lost: Vec<Vec<Relation>> = vec![Vec::new(); pieces.len()];
    for (j, (part_b, domain_b, b)) in pieces.iter().enumerate() {
        for (i, (part_a, domain_a, a)) in pieces[..j].iter().enumerate() {
            if part_a == part_b {
                continue;
            }
            let both = nonempty(domain_a.intersect(domain_b, budget)?, budget)?;
            if both.is_plainly_empty() {
                continue;
            }
            // Where the later one is strictly better, and where it is not.
            let (better, not_better) = match sense {
                Sense::Min => compare(b, a, &both, budget)?,
                Sense::Max => compare(a, b, &both, budget)?,
            };
            // What a domain loses is described without its own conditions: the difference gets simpler.
            for (conditions, domain, loser) in [(better, domain_b, i), (not_better, domain_a, j)] {
                for condition in conditions {
                    lost[loser].push(match condition {
                        Some(condition) => domain.intersect(&condition, budget)?,
                        None => domain.clone(),
                    });
                }
            }
        }
    }
    let mut result = Vec::with_capacity(pieces.len());
    for ((_, mut domain, affs), lost) in pieces.into_iter().zip(lost) {
        for part in lost {
            domain = domain.subtract(&part, budget)?;
        }
        if !domain.is_plainly_empty() {
            result.push((domain, affs));
        }
    }
    Ok(result)
}

/// The conditions, disjoint, under which `a` is lexicographically less than `b`, and those under which it is not, on a
/// domain that is not empty. A condition that holds on all of the domain is nothing.
fn compare(a: &[Aff], b: &[Aff], domain: &Relation, budget: &Budget) -> Result<(Conditions, Conditions)> {
    let (mut less, mut not_less) = (Conditions::new(), Conditions::new());
    let (mut equal, mut condition) = (domain.clone(), None);
    let both = |condition: &Option<Relation>, other: Relation| match condition {
        Some(condition) => condition.intersect(&other, budget),
        None => Ok(other),
    };
    for (x, y) in a.iter().zip(b) {
        match x.sub(y)?.constant_value().map(|d| d.cmp(&Int::zero())) {
            Some(Ordering::Equal) => {}
            Some(order) => {
                (if order == Ordering::Less { &mut less } else { &mut not_less }).push(condition);
                return Ok((less, not_less));
            }
            None => {
                let cases =
                    [(x.lt_set(y)?, Some(&mut less)), (x.gt_set(y)?, Some(&mut not_less)), (x.eq_set(y)?, None)];
                let mut next = None;
                for (set, side) in cases {
                    let part = nonempty(equal.intersect(set.relation(), budget)?, budget)?;
                    if part.is_plainly_empty() {
                        continue;
                    }
                    let condition = both(&condition, set.relation().clone())?;
                    match side {
                        Some(side) => side.push(Some(condition)),
                        None => next = Some((part, condition)),
                    }
                }
                let Some((part, stronger)) = next else { return Ok((less, not_less)) };
                (equal, condition) = (part, Some(stronger));
            }
        }
    }
    not_less.push(condition);
    Ok((less, not_less))
}

/// Disjoint conditions; nothing stands for one that always holds.
type Conditions = Vec<Option<Relation>>;

/// The relation without its empty parts.
fn nonempty(relation: Relation, budget: &Budget) -> Result<Relation> {
    let mut result = Relation::empty(relation.space().clone());
    for part in relation.into_parts() {
        if !part.is_empty(budget)? {
            result.push(part);
        }
    }
    Ok(result)
}
