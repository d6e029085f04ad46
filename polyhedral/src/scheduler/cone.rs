//! [`Cone`]: a constraint between statement instances in the form in which it constrains schedule coefficients.
//!
//! # Meaning
//!
//! The pairs of a relation `{ x -> y }` form a polyhedron over `(n, x, y)` (`n`: parameters), or, where both instances
//! belong to one statement and only `y - x` matters, over `(n, y - x)`. By the affine form of Farkas' lemma an affine
//! function is not negative on the polyhedron exactly if it is a non-negative combination of the constraints; the dual
//! statement, used here, is that it is not negative on the *generators* of the cone over `(1, n, ..)`: vertices, rays
//! and (with equality) lines. So no multipliers are introduced, and none have to be eliminated: every generator is one
//! linear constraint on the coefficients.
//!
//! # Method
//!
//! The variables that do not matter (integer divisions and existentials; the instance itself, for a difference) are
//! eliminated by Gauss and, while the system does not grow, by Fourier and Motzkin; the double description method gives
//! the generators, from which the remaining coordinates are dropped. The polyhedron is the rational one of the
//! constraints, so a relation that is not the set of integer points of a polyhedron is constrained more than necessary:
//! an over-approximation that is always safe.
//!
//! Sources: P. Feautrier, *Some Efficient Solutions to the Affine Scheduling Problem*, 1992; F. Balev et al., *Solving
//! the Scheduling Problem: the Vertex Method*, 1998; S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, section 6.2.

use std::collections::BTreeSet;

use crate::arith::{Int, Row, dot};
use crate::budget::{Budget, Exhausted};
use crate::relation::{Conjunction, add_scaled, all_zero, div_exact, gcd, generators, negated, scale, zeros};
use crate::space::DimKind;

/// Elimination by Fourier and Motzkin may make the system so many rows longer per variable.
const GROWTH: usize = 2;

/// Generators of the cone over `(1, parameters, coordinates)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Cone {
    /// Vertices (with a positive first entry) and rays.
    pub(super) rays: Vec<Row>,
    pub(super) lines: Vec<Row>,
}

impl Cone {
    /// The cone of the pairs of a conjunction `{ x -> y }`, over `(1, n, x, y)`.
    pub(super) fn of_pairs(conjunction: &Conjunction, budget: &Budget) -> Result<Cone, Exhausted> {
        let kept = conjunction.space().n_col();
        let rows = |rows: &[Row]| rows.to_vec();
        project(conjunction.n_col(), kept, rows(conjunction.eqs()), conjunction.solver_ineqs(), &|_| true, budget)
    }

    /// The cone of the differences `y - x` of a conjunction `{ x -> y }` with `x` and `y` of one size, over
    /// `(1, n, y - x)`.
    ///
    /// `sizes` are the extents of the instances in every direction. Bounds on a difference by the extent in its
    /// direction are left out: all that a row could do with them is to traverse this direction and another one at once.
    pub(super) fn of_differences(
        conjunction: &Conjunction,
        sizes: &[Option<Int>],
        budget: &Budget,
    ) -> Result<Cone, Exhausted> {
        let space = conjunction.space();
        let (x, y, d) = (space.offset(DimKind::In), space.offset(DimKind::Out), space.dim(DimKind::In));
        // Substitute y = x + difference; the differences come first.
        let moved = |row: &Row| {
            let mut result = Row::from(&row[..x]);
            result.extend_from_slice(&row[y..y + d]);
            result.extend((0..d).map(|k| &row[x + k] + &row[y + k]));
            result.extend_from_slice(&row[y + d..]);
            result
        };
        let eqs = conjunction.eqs().iter().map(moved).collect();
        let ineqs = conjunction.solver_ineqs().iter().map(moved).collect();
        let is_kept = |row: &Row| {
            let mut used = (1..row.len()).filter(|&k| !row[k].is_zero());
            match (used.next(), used.next()) {
                (Some(k), None) if k >= x && row[k].is_unit() => {
                    sizes.get(k - x).is_none_or(|size| size.as_ref() != Some(&row[0]))
                }
                _ => true,
            }
        };
        project(conjunction.n_col(), x + d, eqs, ineqs, &is_kept, budget)
    }

    /// All generators.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.lines.iter().chain(&self.rays)
    }

    /// The union of cones: functions that are not negative on all.
    pub(super) fn join<'c>(cones: impl IntoIterator<Item = &'c Cone>) -> Cone {
        let (mut rays, mut lines) = (BTreeSet::new(), BTreeSet::new());
        for cone in cones {
            rays.extend(cone.rays.iter().cloned());
            lines.extend(cone.lines.iter().cloned());
        }
        Cone { rays: rays.into_iter().collect(), lines: lines.into_iter().collect() }
    }

    /// The image under a linear map of the generators.
    pub(super) fn map(&self, f: impl Fn(&Row) -> Row) -> Cone {
        let image = |rows: &[Row]| -> Vec<Row> {
            let images: BTreeSet<Row> = rows
                .iter()
                .map(|g| {
                    let mut g = f(g);
                    primitive(&mut g);
                    g
                })
                .filter(|g| !all_zero(g))
                .collect();
            images.into_iter().collect()
        };
        Cone { rays: image(&self.rays), lines: image(&self.lines) }
    }

    /// A basis of the linear span of the generators: a function vanishes on the whole cone if it vanishes on these.
    pub(super) fn span(&self) -> Vec<Row> {
        let mut basis: Vec<(usize, Row)> = Vec::new();
        for g in self.rows() {
            let mut g = g.clone();
            for (at, b) in &basis {
                eliminate(&mut g, *at, b);
            }
            if let Some(at) = g.iter().position(|x| !x.is_zero()) {
                basis.push((at, g));
            }
        }
        basis.into_iter().map(|(_, g)| g).collect()
    }

    /// The sign of a function on the cone.
    pub(super) fn range(&self, function: &[Int]) -> Range {
        let mut range = Range { zero: true, positive: true, not_negative: true };
        for g in &self.lines {
            if !dot(function, g).is_zero() {
                return Range { zero: false, positive: false, not_negative: false };
            }
        }
        for g in &self.rays {
            let value = dot(function, g);
            range.zero &= value.is_zero();
            range.not_negative &= !value.is_negative();
            // Integral values: at least one at every point.
            range.positive &= value >= g[0];
        }
        range
    }
}

/// What the values of a function on a cone are known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    /// Zero everywhere.
    pub(super) zero: bool,
    /// At least one everywhere.
    pub(super) positive: bool,
    /// Nowhere negative.
    pub(super) not_negative: bool,
}

/// Divides by the content.
fn primitive(row: &mut Row) {
    let g = gcd(row);
    if !g.is_zero() && !g.is_one() {
        div_exact(row, &g);
    }
}

/// Removes the entry at `at` by a multiple of `by`; the factor of `row` is positive.
fn eliminate(row: &mut Row, at: usize, by: &Row) {
    if row[at].is_zero() {
        return;
    }
    let (mut m, mut q) = (by[at].clone(), -&row[at]);
    if m.is_negative() {
        (m, q) = (-m, -q);
    }
    let g = m.gcd(&q);
    scale(row, &m.div_exact(&g));
    add_scaled(row, &q.div_exact(&g), by);
    primitive(row);
}

/// The generators of the projection of a system over `n_col` columns onto the first `kept`. Inequalities of the
/// projection are left out unless `is_kept` (as far as the projection is found without generators).
fn project(
    n_col: usize,
    kept: usize,
    mut eqs: Vec<Row>,
    mut ineqs: Vec<Row>,
    is_kept: &dyn Fn(&Row) -> bool,
    budget: &Budget,
) -> Result<Cone, Exhausted> {
    let mut columns: Vec<usize> = (kept..n_col).collect();
    for column in (kept..n_col).rev() {
        budget.spend((eqs.len() + ineqs.len()) as u64)?;
        let Some(at) = eqs.iter().position(|e| !e[column].is_zero()) else { continue };
        let eq = eqs.swap_remove(at);
        eqs.iter_mut().chain(&mut ineqs).for_each(|row| eliminate(row, column, &eq));
        columns.retain(|&c| c != column);
    }
    eqs.retain(|e| !all_zero(e));
    tidy(&mut ineqs);
    loop {
        let count = |c: usize, sign: i32| ineqs.iter().filter(|r| r[c].signum() == sign).count();
        let cost = |&c: &usize| {
            let (up, down) = (count(c, 1), count(c, -1));
            (up * down) as isize - (up + down) as isize
        };
        let Some(column) = columns.iter().copied().min_by_key(cost) else { break };
        if cost(&column) > GROWTH as isize {
            break;
        }
        columns.retain(|&c| c != column);
        let (without, with): (Vec<Row>, Vec<Row>) = ineqs.into_iter().partition(|r| r[column].is_zero());
        ineqs = without;
        let (up, down): (Vec<Row>, Vec<Row>) = with.into_iter().partition(|r| r[column].is_positive());
        budget.spend((1 + up.len() * down.len() + ineqs.len()) as u64)?;
        for a in &up {
            for b in &down {
                let mut sum = a.clone();
                eliminate(&mut sum, column, b);
                ineqs.push(sum);
            }
        }
        tidy(&mut ineqs);
    }
    if columns.is_empty() {
        ineqs.retain(is_kept);
    }
    // The columns that are left: those kept, and those that were too expensive to eliminate.
    let mut used: Vec<usize> = (0..kept).collect();
    used.extend(&columns);
    let narrow =
        |rows: &[Row]| -> Vec<Row> { rows.iter().map(|row| used.iter().map(|&c| row[c].clone()).collect()).collect() };
    let mut positive = zeros(used.len());
    positive[0] = Int::one();
    let mut all = vec![positive];
    all.extend(narrow(&ineqs));
    let cone = generators(used.len(), &narrow(&eqs), &all, budget)?;
    let cone = Cone { rays: cone.rays, lines: cone.lines };
    Ok(if columns.is_empty() { cone } else { cone.map(|g| Row::from(&g[..kept])) })
}

/// Sorts inequalities over `t >= 0` and drops those that another one obviously implies.
fn tidy(ineqs: &mut Vec<Row>) {
    ineqs.iter_mut().for_each(primitive);
    ineqs.retain(|r| !all_zero(&r[1..]) || r[0].is_negative());
    ineqs.sort_by(|a, b| a[1..].cmp(&b[1..]).then_with(|| a[0].cmp(&b[0])));
    ineqs.dedup_by(|b, a| a[1..] == b[1..]);
}

/// The opposite of a generator.
pub(super) fn opposite(row: &Row) -> Row {
    negated(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relation::Map;

    fn rows(rows: &[Row]) -> Vec<Vec<i64>> {
        let mut rows: Vec<Vec<i64>> = rows.iter().map(|r| r.iter().filter_map(Int::to_i64).collect()).collect();
        rows.sort();
        rows
    }

    fn differences(text: &str, sizes: &[Option<Int>]) -> Vec<Cone> {
        let budget = Budget::unlimited();
        let map = Map::parse(text, &budget).unwrap();
        map.conjunctions().iter().map(|c| Cone::of_differences(c, sizes, &budget).unwrap()).collect()
    }

    /// AC-11: the difference set (29) of `s += f(i, j)` is `{ [0, 1] : n >= 2; [1, 1 - n] : n >= 2 }`; the constraints
    /// (30) and (31) on `(d, cn, cx0, cx1)` are its generators.
    #[test]
    fn ac_11_generators() {
        let within = differences("[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }", &[]);
        assert_eq!(rows(&within[0].rays), [[0, 1, 0, 0], [1, 2, 0, 1]]);
        let across = differences("[n] -> { S[i, n - 1] -> S[i + 1, 0] : 0 <= i < n - 1 }", &[]);
        assert_eq!(rows(&across[0].rays), [[0, 1, 0, -1], [1, 2, 1, -1]]);
    }

    /// AC-29: the bound by the extent 6 in the second direction is dropped: (111) becomes (113).
    #[test]
    fn ac_29_bounds_by_the_extent_are_dropped() {
        let text = "{ S[i, j] -> S[i + 1, k] : j <= k <= j + 6 }";
        assert_eq!(rows(&differences(text, &[None, None])[0].rays), [[1, 1, 0], [1, 1, 6]]);
        assert_eq!(rows(&differences(text, &[None, Some(Int::from(6))])[0].rays), [[0, 0, 1], [1, 1, 0]]);
    }

    #[test]
    fn signs() {
        let cone = &differences("{ S[i, j] -> S[i + 1, k] : j <= k <= j + 6 }", &[])[0];
        let range = |row: [i64; 3]| cone.range(&row.map(Int::from));
        assert!(range([0, 1, 0]).positive && range([-1, 1, 0]).zero && range([0, 0, 1]).not_negative);
        assert!(!range([0, 0, 1]).positive && !range([0, 1, -1]).not_negative);
    }
}
