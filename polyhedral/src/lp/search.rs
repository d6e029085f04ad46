//! The search for an integer point: complete for bounded and unbounded systems.
//!
//! # Method
//!
//! [`find_point`] repeats the following until the question is answered. Every stage is exact, and every stage that
//! goes round again has made the system smaller.
//!
//! 1. The reductions of [`super::system`]. Most systems that occur in practice end here: nothing is left, or a
//!    contradiction.
//! 2. Rational emptiness by simplex; then the rational sample point, if it is an integer or rounds to a solution.
//! 3. *A unit box fits.* If the inequalities, each tightened by its negative coefficients, have a rational solution
//!    `x`, then the whole box from `x` to `x + 1` lies in the set, and rounding up `x` gives an integer point.
//! 4. *Implicit equalities.* An inequality that is 0 at every rational point becomes an equality, which loses a
//!    variable.
//! 5. *Unbounded directions.* Let `C` be the recession cone, the points where all inequalities without their constants
//!    hold, and `I` the inequalities that are 0 on all of `C`. Change variables so that `I` needs as few of them as
//!    possible, `y1, ..., yr`. The set that `I` alone describes in these variables is bounded. And every integer point
//!    of it extends to a solution of all inequalities: `C` has a point where all inequalities outside `I` are
//!    positive, so the rest, with `y` put in, has a full-dimensional recession cone, which contains boxes of every
//!    size. So the search continues with `I` over `y` only.
//! 6. Now the set is a bounded, full-dimensional polytope. A direction `d` in which it is thin is chosen, and the
//!    hyperplanes `d*x = v` are searched for all its integers `v`, from the middle outwards. There are finitely many,
//!    and each has one dimension less, so the search ends. Candidates for `d` are the coordinates and the constraints
//!    themselves; if all of these are wide, differences of coordinates; and if none of them has one hyperplane only, the
//!    first vector of a reduced basis (see [`super::basis`]), which bounds the number of hyperplanes by a function of the
//!    dimension, and costs thirty times as much as a candidate.
//!
//! Sources: H. W. Lenstra, *Integer Programming with a Fixed Number of Variables*, Math. of Operations Research 8(4),
//! 1983; W. Cook, T. Rutherford, H. E. Scarf, D. Shallcross, *An Implementation of the Generalized Basis Reduction
//! Algorithm for Integer Programming*, ORSA J. on Computing 5(2), 1993; A. Schrijver, *Theory of Linear and Integer
//! Programming*, 1986 (cones).

use super::Optimum;
use super::basis::thin_direction;
use super::system::{System, Verdict};
use super::tableau::Tableau;
use crate::arith::{Int, Rational, gcd_of};
use crate::budget::{Budget, Exhausted};

/// A direction with at most this many hyperplanes is taken without a look for a better one of another kind.
const FEW: i64 = 3;

/// An integer point `[1, x1, ..., xn]` of the system, or none if there is none. If the system keeps no trail, the
/// point has no meaning beyond its existence. Exact; the cost is exponential in the number of variables in the worst
/// case.
pub(super) fn find_point(mut system: System, budget: &Budget) -> Result<Option<Vec<Int>>, Exhausted> {
    loop {
        if system.reduce(budget)? == Verdict::Empty {
            return Ok(None);
        }
        if system.n == 0 {
            return finish(&system, vec![Int::one()], budget);
        }
        let (mut tableau, unknowns) = rational_tableau(&system, Constants::Given, budget)?;
        if tableau.is_empty_rational() {
            return Ok(None);
        }
        if let Some(point) = round_sample(&system, &tableau) {
            return finish(&system, point, budget);
        }
        if let Some(point) = fit_box(&system, budget)? {
            return finish(&system, point, budget);
        }
        let equal = always_zero(&mut tableau, &unknowns, budget)?;
        if equal.contains(&true) {
            let mut flags = equal.iter();
            let moved: Vec<_> = system.ineqs.extract_if(.., |_| flags.next() == Some(&true)).collect();
            system.eqs.extend(moved);
            continue;
        }
        let (mut cone, rays) = rational_tableau(&system, Constants::Zero, budget)?;
        let flat = always_zero(&mut cone, &rays, budget)?;
        let mut restricted = system.clone();
        restricted.restrict_to(&flat, budget)?;
        if restricted.n == system.n {
            return search_polytope(system, &mut tableau, budget);
        }
        system = restricted;
    }
}

fn finish(system: &System, point: Vec<Int>, budget: &Budget) -> Result<Option<Vec<Int>>, Exhausted> {
    if system.keeps_trail() { system.lift(point, budget).map(Some) } else { Ok(Some(point)) }
}

/// Which constants the inequalities have.
enum Constants {
    Given,
    /// 0: the recession cone.
    Zero,
    /// Reduced by the negative coefficients: the lower corners of unit boxes inside.
    Box,
}

/// The tableau of the inequalities, and the unknown of each one that was added before the system was found to be empty.
fn rational_tableau(
    system: &System,
    constants: Constants,
    budget: &Budget,
) -> Result<(Tableau, Vec<usize>), Exhausted> {
    let mut tableau = Tableau::new(system.n);
    let mut unknowns = Vec::with_capacity(system.ineqs.len());
    let mut changed = Vec::with_capacity(system.n + 1);
    for row in &system.ineqs {
        let unknown = match constants {
            Constants::Given => tableau.restrict(row, budget)?,
            Constants::Zero | Constants::Box => {
                changed.clear();
                changed.extend_from_slice(row);
                changed[0] = match constants {
                    Constants::Zero => Int::zero(),
                    _ => row[1..].iter().filter(|x| x.is_negative()).fold(row[0].clone(), |sum, x| sum + x),
                };
                tableau.restrict(&changed, budget)?
            }
        };
        unknowns.extend(unknown);
        if tableau.is_empty_rational() {
            break;
        }
    }
    Ok((tableau, unknowns))
}

/// Tries the sample point of a tableau, rounded down, up and to the nearest.
fn round_sample(system: &System, tableau: &Tableau) -> Option<Vec<Int>> {
    let sample = tableau.sample()?;
    let half = Rational::new(Int::one(), 2.into());
    let roundings: [&dyn Fn(&Rational) -> Int; 3] = [&Rational::floor, &Rational::ceil, &|x| (x + &half).floor()];
    let tries = if sample.iter().all(Rational::is_integer) { 1 } else { 3 };
    roundings.into_iter().take(tries).find_map(|round| {
        let point: Vec<Int> = std::iter::once(Int::one()).chain(sample.iter().map(round)).collect();
        system.contains(&point).then_some(point)
    })
}

/// An integer point of a unit box inside the set, if there is such a box.
fn fit_box(system: &System, budget: &Budget) -> Result<Option<Vec<Int>>, Exhausted> {
    let (tableau, _) = rational_tableau(system, Constants::Box, budget)?;
    Ok(tableau.sample().map(|sample| std::iter::once(Int::one()).chain(sample.iter().map(Rational::ceil)).collect()))
}

/// Which inequalities are 0 at every rational point.
pub(crate) fn always_zero(tableau: &mut Tableau, unknowns: &[usize], budget: &Budget) -> Result<Vec<bool>, Exhausted> {
    let mut positive: Vec<bool> = vec![false; unknowns.len()];
    let mut zero = vec![false; unknowns.len()];
    for i in 0..unknowns.len() {
        // One sample point settles the question for all inequalities that are positive there.
        budget.spend(1)?;
        for (j, &u) in unknowns.iter().enumerate().skip(i) {
            positive[j] |= tableau.is_positive_at_sample(u);
        }
        if !positive[i] {
            zero[i] = tableau.is_always_zero(unknowns[i], budget)?;
        }
    }
    Ok(zero)
}

/// The range of the integers that a form takes: from the ceiling of its minimum to the floor of its maximum.
struct Slices {
    direction: Vec<Int>,
    first: Int,
    last: Int,
}

impl Slices {
    fn count(&self) -> Int {
        &self.last - &self.first + 1
    }
}

/// Searches a bounded, full-dimensional polytope slice by slice.
fn search_polytope(mut system: System, tableau: &mut Tableau, budget: &Budget) -> Result<Option<Vec<Int>>, Exhausted> {
    let mut best: Option<Slices> = None;
    let mut is_wide = true;
    // With few hyperplanes after coordinates and constraints, those are searched. With more, differences have to do much
    // better to be taken instead of a reduced basis.
    for (candidates, enough) in [(units as Candidates, 1), (rows, FEW), (differences, 1)] {
        for direction in candidates(&system) {
            match slices(&system, tableau, direction, budget)? {
                Probe::Point(point) => return finish(&system, point, budget),
                Probe::Slices(s) if s.count() <= 0 => return Ok(None),
                Probe::Slices(s) if best.as_ref().is_none_or(|b| s.count() < b.count()) => best = Some(s),
                Probe::Slices(_) => {}
            }
            if best.as_ref().is_some_and(|b| b.count() <= 1) {
                break;
            }
        }
        if best.as_ref().is_some_and(|b| b.count() <= enough) {
            is_wide = false;
            break;
        }
    }
    if is_wide {
        let direction = thin_direction(&system, budget)?;
        debug_assert!(gcd_of(&direction).is_one());
        match slices(&system, tableau, direction, budget)? {
            Probe::Point(point) => return finish(&system, point, budget),
            Probe::Slices(s) if best.as_ref().is_none_or(|b| s.count() < b.count()) => best = Some(s),
            Probe::Slices(_) => {}
        }
    }
    let Some(Slices { direction, first, last }) = best else { return Ok(None) };
    let Some((at, negated)) = system.straighten(&direction, budget)? else { return Ok(None) };

    let (mut below, mut above) = ((&first + &last).div_floor(&2.into()), (&first + &last).div_floor(&2.into()) + 1);
    let mut downwards = true;
    loop {
        let value = if downwards && below >= first || above > last {
            if below < first {
                return Ok(None);
            }
            below -= 1;
            &below + 1
        } else {
            above += 1;
            &above - 1
        };
        downwards = !downwards;
        budget.spend(1 + system.ineqs.len() as u64)?;
        let mut slice = system.child();
        slice.fix(at, if negated { -value } else { value });
        if let Some(point) = find_point(slice, budget)? {
            return finish(&system, point, budget);
        }
    }
}

/// Directions to try for a system.
type Candidates = fn(&System) -> Vec<Vec<Int>>;

/// The coordinates.
fn units(system: &System) -> Vec<Vec<Int>> {
    let unit = |i: usize| (0..system.n).map(|j| Int::from(i64::from(i == j))).collect();
    (0..system.n).map(unit).collect()
}

/// The differences of coordinates with the same largest coefficient, more than 1: mostly quotients of one divisor by
/// values that are not far from each other.
fn differences(system: &System) -> Vec<Vec<Int>> {
    let largest = |i: usize| system.ineqs.iter().map(|row| row[i + 1].abs()).max().unwrap_or_default();
    let largest: Vec<Int> = (0..system.n).map(largest).collect();
    let mut found = Vec::new();
    for i in 0..system.n {
        for j in (i + 1..system.n).filter(|j| largest[*j] == largest[i] && largest[i] > Int::one()) {
            let mut direction = vec![Int::zero(); system.n];
            (direction[i], direction[j]) = (Int::one(), -Int::one());
            found.push(direction);
        }
    }
    found
}

/// The inequalities; reduced ones are primitive, so their coefficients are directions as they are.
fn rows(system: &System) -> Vec<Vec<Int>> {
    system.ineqs.iter().take(4 * system.n).map(|row| row[1..].to_vec()).collect()
}

enum Probe {
    /// An integer point of the system, met on the way.
    Point(Vec<Int>),
    Slices(Slices),
}

/// The integers that a form takes on a bounded polytope.
fn slices(system: &System, tableau: &mut Tableau, direction: Vec<Int>, budget: &Budget) -> Result<Probe, Exhausted> {
    let mut row = vec![Int::zero()];
    row.extend(direction.iter().cloned());
    let low = tableau.minimize(&row, budget)?;
    if let Some(point) = round_sample(system, tableau) {
        return Ok(Probe::Point(point));
    }
    row.iter_mut().for_each(|x| *x = -&*x);
    let high = tableau.minimize(&row, budget)?;
    if let Some(point) = round_sample(system, tableau) {
        return Ok(Probe::Point(point));
    }
    let (Optimum::Bounded(low), Optimum::Bounded(high)) = (low, high) else {
        // The caller has shown that the set is bounded and not empty.
        debug_assert!(false, "an unbounded direction in a bounded set");
        return Ok(Probe::Slices(Slices { direction, first: Int::one(), last: Int::zero() }));
    };
    Ok(Probe::Slices(Slices { direction, first: low.ceil(), last: (-&high).floor() }))
}
