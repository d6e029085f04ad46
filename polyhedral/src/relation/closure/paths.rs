//! A superset of the paths of a relation, with their lengths, from multiples of its differences.
//!
//! Let the conjunction `R_i` have the differences `D_i`, a polyhedron in the difference `d`, the parameters and the
//! existentials. A path in which `R_i` is taken `k_i` times adds up `k_i` elements of `D_i`. The sum `v` of `k`
//! elements, with their existentials, satisfies, for a constraint `a v + p + c >= 0` with parameter part `p`:
//! - `a v + k c >= 0` if `p = 0`;
//! - the constraint itself if `a = 0`;
//! - `a v + k m >= 0` if `p + c <= m` for all parameters, and the constraint itself if `m <= 0` (with `k >= 1`).
//!
//! The path leads from `x` to `x` plus the sum over all `i`, and has `k = sum k_i` steps. Conjunctions that are taken
//! at least once and those that are not taken are told apart only where the formula for `k_i = 0` would say more than
//! `v = 0`.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::{Optimum, Tableau};
use crate::relation::conjunction::Conjunction;
use crate::relation::row::{self, Row};
use crate::relation::{Map, Relation};
use crate::space::{DimKind, Space};

/// The name of the parameter for the length of a path; it cannot be written in a text.
pub(super) const LENGTH: &str = "$length";

/// At most this many conjunctions are taken as "at least once or not at all", with one case for each subset.
const MAX_OPTIONAL: usize = 4;

/// With more cases, the domain and the range are replaced by one conjunction around each.
const MAX_CASES: usize = 48;

/// The multiples of one polyhedron of differences. Rows: `[k | parameters | difference | existentials]`, where the
/// first entry is the coefficient of `k`.
struct Multiples {
    /// Rows that hold for all `k >= 0`, where `k = 0` stands for the sum of nothing.
    eqs: Vec<Row>,
    ineqs: Vec<Row>,
    /// Rows `[1 | parameters | difference | existentials]` that hold if `k >= 1`.
    once: Vec<Row>,
    n_local: usize,
    /// Whether with `k = 0` the rows leave only the difference zero.
    vanishes: bool,
}

impl Multiples {
    fn of(differences: &Conjunction, budget: &Budget) -> Result<Multiples> {
        let space = differences.space();
        let (start, n) = (space.offset(DimKind::Out), space.dim(DimKind::Out));
        let mut result = Multiples {
            eqs: Vec::new(),
            ineqs: Vec::new(),
            once: Vec::new(),
            n_local: differences.n_local(),
            vanishes: true,
        };
        let ineqs = differences.solver_ineqs();
        let mut tableau = Tableau::from_system(differences.n_col() - 1, differences.eqs(), &ineqs, budget)?;
        for eq in differences.eqs() {
            if row::all_zero(&eq[1..start]) {
                result.eqs.push(eq.clone());
            } else {
                result.add(eq, start, &mut tableau, budget)?;
                result.add(&row::negated(eq), start, &mut tableau, budget)?;
            }
        }
        for ineq in &ineqs {
            result.add(ineq, start, &mut tableau, budget)?;
        }
        result.vanishes = result.once.is_empty() && result.cone_is_flat(start, n, budget)?;
        Ok(result)
    }

    fn add(&mut self, row: &Row, start: usize, tableau: &mut Tableau, budget: &Budget) -> Result<()> {
        if row::all_zero(&row[1..start]) {
            self.ineqs.push(row.clone());
            return Ok(());
        }
        if row::all_zero(&row[start..]) {
            self.once.push(row.clone());
            return Ok(());
        }
        let mut constant = row::negated(row);
        for x in &mut constant[start..] {
            *x = Int::zero();
        }
        if let Optimum::Bounded(value) = tableau.minimize(&constant, budget)? {
            let most = -value.ceil();
            if !most.is_positive() {
                self.once.push(row.clone());
            }
            let mut multiple = row::zeros(row.len());
            multiple[0] = most;
            multiple[start..].clone_from_slice(&row[start..]);
            self.ineqs.push(multiple);
        }
        Ok(())
    }

    /// Whether all differences in the recession cone are zero.
    fn cone_is_flat(&self, start: usize, n: usize, budget: &Budget) -> Result<bool> {
        let cone = |rows: &[Row]| -> Vec<Row> {
            rows.iter().map(|r| std::iter::once(Int::zero()).chain(r[start..].iter().cloned()).collect()).collect()
        };
        is_flat(n + self.n_local, &cone(&self.eqs), &cone(&self.ineqs), n, budget)
    }
}

/// Whether the first `n` of the variables are zero at all points of a cone.
pub(super) fn is_flat(n_var: usize, eqs: &[Row], ineqs: &[Row], n: usize, budget: &Budget) -> Result<bool> {
    let mut tableau = Tableau::from_system(n_var, eqs, ineqs, budget)?;
    for d in 0..n {
        for sign in [1, -1] {
            let mut objective = row::zeros(n_var + 1);
            objective[1 + d] = Int::from(sign);
            if tableau.minimize(&objective, budget)? == Optimum::Unbounded {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// How often a conjunction is taken.
#[derive(Clone, Copy, PartialEq)]
enum Times {
    Never,
    AtLeastOnce,
    Any,
}

/// A relation with the additional last parameter [`LENGTH`] that contains all paths of length `LENGTH >= 1`.
pub(super) fn paths(map: &Map, budget: &Budget) -> Result<Map> {
    let mut multiples = Vec::new();
    for part in map.parts() {
        for differences in part.deltas(budget)?.conjunctions() {
            multiples.push(Multiples::of(differences, budget)?);
        }
    }
    let mut names = map.space().param_names().to_vec();
    names.push(LENGTH.into());
    let space = map.space().with_params_of(&Space::params(&names));
    let optional: Vec<usize> = (0..multiples.len()).filter(|&k| !multiples[k].vanishes).collect();
    let mut result = Relation::empty(space.clone());
    let mut times = vec![Times::Any; multiples.len()];
    let subsets = if optional.len() > MAX_OPTIONAL { 1u32 } else { 1 << optional.len() };
    for subset in 0..subsets {
        if subsets > 1 {
            for (bit, &k) in optional.iter().enumerate() {
                times[k] = if subset & (1 << bit) == 0 { Times::Never } else { Times::AtLeastOnce };
            }
        }
        if times.iter().any(|&t| t != Times::Never) {
            result.push(sum(&space, &multiples, &times).simplify_projection(budget)?);
        }
    }
    let (mut inner, mut outer) = (map.domain(budget)?.coalesce(budget)?, map.range(budget)?.coalesce(budget)?);
    if result.parts().len() * inner.conjunctions().len() * outer.conjunctions().len() > MAX_CASES {
        (inner, outer) = (inner.overapproximate_hull(budget)?, outer.overapproximate_hull(budget)?);
    }
    Map(result).intersect_domain(&inner, budget)?.intersect_range(&outer, budget)
}

/// The paths that take each conjunction as often as stated.
fn sum(space: &Space, multiples: &[Multiples], times: &[Times]) -> Conjunction {
    let mut c = Conjunction::universe(space.clone());
    let n = space.dim(DimKind::In);
    let length = space.offset(DimKind::In) - 1;
    let mut total = vec![(length, -1)];
    let mut moves: Vec<Vec<(usize, i64)>> =
        (0..n).map(|d| vec![(space.offset(DimKind::In) + d, 1), (space.offset(DimKind::Out) + d, -1)]).collect();
    for (multiple, &times) in multiples.iter().zip(times) {
        if times == Times::Never {
            continue;
        }
        let first = c.n_col();
        for _ in 0..1 + n + multiple.n_local {
            c.add_existential();
        }
        // Columns: k, difference, existentials.
        total.push((first, 1));
        for (d, movement) in moves.iter_mut().enumerate() {
            movement.push((first + 1 + d, 1));
        }
        let width = c.n_col();
        let place = |row: &Row, constant: usize| {
            let map: Vec<usize> = std::iter::once(constant)
                .chain(1..length)
                .chain((0..n + multiple.n_local).map(|k| first + 1 + k))
                .collect();
            row::remap(row, &map, width)
        };
        multiple.eqs.iter().for_each(|r| c.add_eq(place(r, first)));
        multiple.ineqs.iter().for_each(|r| c.add_ineq(place(r, first)));
        let mut least = row::zeros(width);
        least[first] = Int::one();
        if times == Times::AtLeastOnce {
            least[0] = Int::from(-1);
            multiple.once.iter().for_each(|r| c.add_ineq(place(r, 0)));
        }
        c.add_ineq(least);
    }
    let width = c.n_col();
    let combination = |terms: &[(usize, i64)]| {
        let mut row = row::zeros(width);
        for &(column, coefficient) in terms {
            row[column] += coefficient;
        }
        row
    };
    let equalities: Vec<Row> = moves.iter().chain([&total]).map(|terms| combination(terms)).collect();
    equalities.into_iter().for_each(|r| c.add_eq(r));
    let mut positive = combination(&[(length, 1)]);
    positive[0] = Int::from(-1);
    c.add_ineq(positive);
    c
}
