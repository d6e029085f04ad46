//! Boundedness, bounds of single dimensions, boxes.
//!
//! A conjunction with an integer point is unbounded in a direction exactly if its recession cone, which the constraints
//! without their constants describe, contains such a direction: a rational polyhedron with an integer point contains
//! infinitely many integer points along every ray of its recession cone. "For every value of the parameters" means that
//! the parameters do not change along the direction.

use crate::arith::{Int, Row, row};
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::{self, IntOptimum, Tableau};
use crate::space::DimKind;

use super::Relation;
use super::conjunction::Conjunction;

/// The recession cone of a conjunction; with `fixed` the parameters do not change.
fn recession_cone(c: &Conjunction, fixed: bool, budget: &Budget) -> Result<Tableau> {
    let mut cone = Tableau::new(c.n_col() - 1);
    if fixed {
        for pos in 0..c.space.dim(DimKind::Param) {
            cone.add_eq(&unit(c.n_col(), 1 + pos), budget)?;
        }
    }
    let linear = |row: &Row| {
        let mut row = row.clone();
        row[0] = Int::zero();
        row
    };
    for row in &c.eqs {
        cone.add_eq(&linear(row), budget)?;
    }
    for row in c.solver_ineqs() {
        cone.add_ineq(&linear(&row), budget)?;
    }
    Ok(cone)
}

fn unit(n: usize, column: usize) -> Row {
    let mut row = row::zeros(n);
    row[column] = Int::one();
    row
}

impl Relation {
    /// Whether for every value of the parameters there are only finitely many points.
    pub(crate) fn is_bounded(&self, budget: &Budget) -> Result<bool> {
        for part in self.parts() {
            let mut cone = recession_cone(part, true, budget)?;
            let base = self.space.offset(DimKind::In);
            for column in base..self.space.n_col() {
                if !cone.is_implied_eq(&unit(part.n_col(), column), budget)? && !part.is_empty(budget)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether a dimension has a lower (`below`) or upper bound, for every value of the parameters.
    pub(crate) fn is_dim_bounded(&self, kind: DimKind, pos: usize, below: bool, budget: &Budget) -> Result<bool> {
        let column = self.column("look for a bound", kind, pos)?;
        for part in self.parts() {
            let mut cone = recession_cone(part, kind != DimKind::Param, budget)?;
            let mut row = unit(part.n_col(), column);
            if !below {
                row = row::negated(&row);
            }
            if !cone.is_implied(&row, budget)? && !part.is_empty(budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The least (or greatest) value of a dimension over all parameter values.
    pub(crate) fn dim_extremum(&self, kind: DimKind, pos: usize, maximum: bool, budget: &Budget) -> Result<IntOptimum> {
        let column = self.column("bound a dimension", kind, pos)?;
        let mut best = IntOptimum::Empty;
        for part in self.parts() {
            let mut row = unit(part.n_col(), column);
            if maximum {
                row = row::negated(&row);
            }
            let value = lp::min_integer(part.n_col() - 1, &part.eqs, &part.solver_ineqs(), &row, budget)?;
            best = match (best, value) {
                (IntOptimum::Unbounded, _) | (_, IntOptimum::Unbounded) => return Ok(IntOptimum::Unbounded),
                (IntOptimum::Empty, other) | (other, IntOptimum::Empty) => other,
                (IntOptimum::Bounded(a), IntOptimum::Bounded(b)) => IntOptimum::Bounded(a.min(b)),
            };
        }
        Ok(match best {
            IntOptimum::Bounded(value) if maximum => IntOptimum::Bounded(-value),
            other => other,
        })
    }

    /// The smallest box with constant sides that contains all points: parameters stay unconstrained.
    pub(crate) fn box_hull(&self, budget: &Budget) -> Result<Relation> {
        if self.is_empty(budget)? {
            return Ok(Relation::empty(self.space.clone()));
        }
        let mut hull = Conjunction::universe(self.space.clone());
        for kind in [DimKind::In, DimKind::Out] {
            for pos in 0..self.space.dim(kind) {
                let mut row = unit(self.space.n_col(), self.space.offset(kind) + pos);
                for maximum in [false, true] {
                    if let IntOptimum::Bounded(value) = self.dim_extremum(kind, pos, maximum, budget)? {
                        let sign = if maximum { -1 } else { 1 };
                        row[self.space.offset(kind) + pos] = Int::from(sign);
                        row[0] = Int::from(-sign) * value;
                        hull.add_ineq(row.clone());
                    }
                }
            }
        }
        Ok(Relation::from_parts(self.space.clone(), [hull]))
    }

    /// Whether the relation is written as one product of intervals with constant ends. Sound; not complete.
    pub(crate) fn is_plainly_box(&self) -> bool {
        let [part] = self.parts() else { return false };
        let params = self.space.offset(DimKind::In);
        let n = self.space.n_col();
        if part.n_local() > 0 {
            return false;
        }
        let single = |r: &Row| row::all_zero(&r[1..params]) && r[params..].iter().filter(|x| !x.is_zero()).count() == 1;
        part.eqs.iter().chain(&part.ineqs).all(single)
            && (params..n).all(|c| {
                part.eqs.iter().any(|r| !r[c].is_zero())
                    || (part.ineqs.iter().any(|r| r[c].is_positive()) && part.ineqs.iter().any(|r| r[c].is_negative()))
            })
    }

    /// Whether two opposite constraints of every pair of conjunctions exclude each other. Sound, not complete.
    pub(crate) fn is_plainly_disjoint(&self, other: &Relation) -> bool {
        if !self.space.has_equal_tuples(&other.space) {
            return true;
        }
        let (left, right) = self.aligned(other);
        left.parts.iter().all(|a| right.parts.iter().all(|b| a.is_plainly_disjoint(b)))
    }
}

impl Conjunction {
    /// Whether a constraint of each, without locals, is the opposite of the other one with a gap in between.
    pub(super) fn is_plainly_disjoint(&self, other: &Conjunction) -> bool {
        let base = self.space.n_col();
        let same = self.locals == other.locals && self.has_only_known_divs();
        let halves = |c: &Conjunction| -> Vec<Row> {
            let eqs = c.eqs.iter().flat_map(|r| [r.clone(), row::negated(r)]);
            eqs.chain(c.ineqs.iter().cloned()).filter(|r| same || row::all_zero(&r[base..])).collect()
        };
        let (left, right) = (halves(self), halves(other));
        let end = if same { self.n_col() } else { base };
        left.iter().any(|a| {
            right.iter().any(|b| {
                a[1..end].iter().zip(&b[1..end]).all(|(x, y)| (x + y).is_zero()) && (&a[0] + &b[0]).is_negative()
            })
        })
    }
}
