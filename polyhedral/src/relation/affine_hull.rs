//! The integer affine hull, and implicit equalities over the integers.
//!
//! # Meaning
//!
//! An *integer equality* is `f = 0` or `exists e : f = d e` for an affine form `f` of the parameters and dimensions.
//! The integer affine hull of a relation is the set of integer points that satisfy every integer equality that all its
//! points satisfy. That is the smallest coset of a lattice that contains the points ([`super::lattice`]): for
//! `i = 3 or i = 7` it is `i mod 4 = 3`. It depends only on the points, not on how they are described.
//!
//! # Method
//!
//! The coset of some known points is described by equalities and congruences. Each is tested against every part: does
//! the part have an integer point that violates it? If so the coset grows by that point, otherwise the condition is one
//! of the result. The dimension of the coset grows or its index falls, so there are few steps. A condition that follows
//! from the equalities of a part over the rationals needs no integer test.

use crate::arith::{Int, Row, row};
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::{self, Tableau};

use super::Relation;
use super::conjunction::Conjunction;
use super::lattice::{Congruence, Lattice};
use super::solved::Solved;

/// A conjunction as a system for integer questions.
struct Points<'a> {
    conjunction: &'a Conjunction,
    ineqs: Vec<Row>,
    solved: Solved,
    tableau: Tableau,
}

impl<'a> Points<'a> {
    fn of(conjunction: &'a Conjunction, budget: &Budget) -> Result<Points<'a>> {
        let ineqs = conjunction.solver_ineqs();
        let tableau = Tableau::from_system(conjunction.n_col() - 1, &conjunction.eqs, &ineqs, budget)?;
        let solved = Solved::of(conjunction.space.n_col(), &conjunction.eqs);
        Ok(Points { conjunction, ineqs, solved, tableau })
    }

    fn sample(&self, n_var: usize, eqs: &[Row], ineqs: &[Row], budget: &Budget) -> Result<Option<Vec<Int>>> {
        let point = lp::sample_integer(n_var, eqs, ineqs, budget)?;
        Ok(point.map(|mut p| {
            p.truncate(self.conjunction.space.n_col() - 1);
            p
        }))
    }

    /// A point that violates a condition, if there is one.
    fn outside(&mut self, condition: &Congruence, budget: &Budget) -> Result<Option<Vec<Int>>> {
        let n = self.conjunction.n_col();
        let mut row = condition.row.clone();
        row.resize(n, Int::zero());
        let mut reduced = row.clone();
        let factor = self.solved.reduce(&mut reduced);
        let modulus = &condition.modulus * &factor;
        if reduced.iter().all(|x| modulus.divides(x)) {
            return Ok(None);
        }
        if modulus.is_zero() {
            if self.tableau.is_implied_eq(&row, budget)? {
                return Ok(None);
            }
            for mut beyond in [row.clone(), row::negated(&row)] {
                beyond[0] -= 1;
                self.ineqs.push(beyond);
                let point = self.sample(n - 1, &self.conjunction.eqs, &self.ineqs, budget)?;
                self.ineqs.pop();
                if point.is_some() {
                    return Ok(point);
                }
            }
            return Ok(None);
        }
        // row = modulus * q + s with 1 <= s < modulus.
        let widened = |r: &Row| {
            let mut r = r.clone();
            r.resize(n + 2, Int::zero());
            r
        };
        let mut eqs: Vec<Row> = self.conjunction.eqs.iter().map(widened).collect();
        let mut ineqs: Vec<Row> = self.ineqs.iter().map(widened).collect();
        let mut eq = widened(&row);
        eq[n] = -&condition.modulus;
        eq[n + 1] = Int::from(-1);
        eqs.push(eq);
        let mut low = row::zeros(n + 2);
        low[n + 1] = Int::one();
        let mut high = row::negated(&low);
        low[0] = Int::from(-1);
        high[0] = &condition.modulus - 1;
        ineqs.extend([low, high]);
        self.sample(n + 1, &eqs, &ineqs, budget)
    }
}

/// The conditions that describe the smallest coset with all points; nothing if there is no point.
pub(super) fn conditions(parts: &[Conjunction], budget: &Budget) -> Result<Option<Vec<Congruence>>> {
    let mut lattice: Option<Lattice> = None;
    let mut known: Vec<Congruence> = Vec::new();
    for part in parts {
        budget.spend(part.weight())?;
        let lattice = match &mut lattice {
            Some(lattice) => lattice,
            None => {
                let Some(point) = part.sample(budget)? else { continue };
                let mut first = Lattice::point(point.clone());
                add_neighbours(&mut first, part, point, budget)?;
                known = first.congruences(budget)?;
                lattice.insert(first)
            }
        };
        let mut points = Points::of(part, budget)?;
        let mut tested = 0;
        while tested < known.len() {
            match points.outside(&known[tested], budget)? {
                None => tested += 1,
                Some(point) => {
                    lattice.extend(&point);
                    known = lattice.congruences(budget)?;
                    tested = 0;
                }
            }
        }
    }
    Ok(lattice.map(|_| known))
}

/// Adds the neighbours of a point of a part, in both directions of every dimension, that are in the part: most of what
/// there is to find, without integer programs.
fn add_neighbours(lattice: &mut Lattice, part: &Conjunction, mut point: Vec<Int>, budget: &Budget) -> Result<()> {
    if !part.has_only_known_divs() {
        return Ok(());
    }
    for d in 0..point.len() {
        let own = point[d].clone();
        for step in [1, -1] {
            point[d] = &own + Int::from(step);
            if part.contains(&point, budget)? {
                lattice.extend(&point);
                break;
            }
        }
        point[d] = own;
    }
    Ok(())
}

/// Whether a cheap test proves that the equalities of a conjunction are all that hold for its integer points: every
/// equality gives one dimension, with coefficient 1, that occurs nowhere else, and in the other dimensions the
/// inequalities leave room for a unit box. Sound, not complete; one tableau.
fn has_only_its_equalities(c: &Conjunction, budget: &Budget) -> Result<bool> {
    let own_dimension = |r: usize, eq: &Row| {
        (1..eq.len()).any(|at| {
            eq[at].is_unit()
                && c.ineqs.iter().all(|row| row[at].is_zero())
                && c.eqs.iter().enumerate().all(|(other, row)| other == r || row[at].is_zero())
        })
    };
    if c.n_local() > 0 || !c.eqs.iter().enumerate().all(|(r, eq)| own_dimension(r, eq)) {
        return Ok(false);
    }
    let mut tableau = Tableau::new(c.n_col() - 1);
    for row in &c.ineqs {
        // The row is not negative on the unit box at a point if it is so at the corner where it is least.
        let mut corner = row.clone();
        corner[0] = row[1..].iter().filter(|x| x.is_negative()).fold(row[0].clone(), |sum, x| sum + x);
        tableau.add_ineq(&corner, budget)?;
        if tableau.is_empty_rational() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Adds a condition, with a new existential if it is a congruence.
pub(super) fn add_condition(c: &mut Conjunction, condition: &Congruence) {
    let mut row = condition.row.clone();
    if condition.modulus.is_zero() {
        c.add_eq(row);
        return;
    }
    let column = c.add_existential();
    row.resize(column + 1, Int::zero());
    row[column] = -&condition.modulus;
    c.add_eq(row);
}

impl Relation {
    /// The integer affine hull.
    pub(crate) fn affine_hull(&self, budget: &Budget) -> Result<Relation> {
        if let [part] = self.parts()
            && has_only_its_equalities(part, budget)?
        {
            let hull = Conjunction { eqs: part.eqs.clone(), ..Conjunction::universe(self.space.clone()) };
            return Ok(Relation::of_parts(self.space.clone(), vec![hull]));
        }
        let Some(conditions) = conditions(self.parts(), budget)? else {
            return Ok(Relation::empty(self.space.clone()));
        };
        let mut hull = Conjunction::universe(self.space.clone());
        conditions.iter().for_each(|c| add_condition(&mut hull, c));
        Ok(Relation::from_parts(self.space.clone(), [hull]))
    }

    /// The same relation with the integer equalities that hold for all points of a part written down in that part.
    pub(crate) fn detect_equalities(&self, budget: &Budget) -> Result<Relation> {
        let mut result = Relation::empty(self.space.clone());
        for part in self.parts() {
            if has_only_its_equalities(part, budget)? {
                result.push(part.clone());
                continue;
            }
            let Some(conditions) = conditions(std::slice::from_ref(part), budget)? else { continue };
            let mut part = part.clone();
            conditions.iter().for_each(|c| add_condition(&mut part, c));
            result.push(part.simplify());
        }
        Ok(result.or_same(self))
    }
}
