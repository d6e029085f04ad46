//! The comparison of two parts: containment, or one polyhedron for both; see the module documentation of `coalesce`.

use crate::arith::{Int, Rational, Row, row};
use crate::budget::Budget;
use crate::error::Result;
use crate::lp::{self, Tableau};

use super::super::conjunction::Conjunction;
use super::super::solved::Solved;
use super::align::{Common, align, common_residues, least, widened};
use super::lifted;
use super::part::{Constraint, Part, System, slope};
use super::residues::adjacent_classes;
use super::wrap;

/// What a comparison of two parts found.
pub(super) enum Comparison {
    /// The parts stay as they are.
    Apart,
    FirstContainsSecond,
    SecondContainsFirst,
    /// One part with the points of both.
    Merged(Box<Part>),
}

/// Compares two parts.
pub(super) fn compare(a: &mut Part, b: &mut Part, budget: &Budget) -> Result<Comparison> {
    let (explicit_a, explicit_b) = (a.work().has_only_known_divs(), b.work().has_only_known_divs());
    if !explicit_a && !explicit_b {
        return lifted::compare(a, b, budget);
    }
    budget.spend((a.system.constraints.len() * b.system.constraints.len()) as u64 / 8)?;
    let base = a.work().space.n_col();
    let same = a.work().locals == b.work().locals;
    let stride = a.stride.clone().max(b.stride.clone());
    let slope = common_slope(a, b).max(common_slope(b, a));
    let reach = &stride * &slope;
    if plainly_separate(&a.system, &b.system, base, same, &(Int::from(-2) * &reach)) {
        return Ok(Comparison::Apart);
    }
    if explicit_a && explicit_b {
        let most_locals = a.work().n_local().max(b.work().n_local());
        let sloped = !slope.is_one();
        if reach.is_one() && same {
            let common = Common::of(a.work());
            return combine(&mut a.system, &mut b.system, &common, &stride, most_locals, budget);
        }
        if reach.is_one()
            && (separate(&a.system, &mut b.system, base, budget)? || separate(&b.system, &mut a.system, base, budget)?)
        {
            return Ok(Comparison::Apart);
        }
        let mut aligned = align(a, b, &[], budget)?;
        aligned.rewrite_by_common_equalities(sloped, budget)?;
        let found = combine(&mut aligned.a, &mut aligned.b, &aligned.common, &stride, most_locals, budget)?;
        if !matches!(found, Comparison::Apart) {
            return Ok(found);
        }
        let residues = common_residues(a, b);
        if residues.is_empty() {
            let Some((a, b)) = adjacent_classes(a, b, budget)? else { return Ok(Comparison::Apart) };
            let mut aligned = align(&a, &b, &[], budget)?;
            aligned.rewrite_by_common_equalities(sloped, budget)?;
            return combine(&mut aligned.a, &mut aligned.b, &aligned.common, &stride, most_locals, budget);
        }
        let mut aligned = align(a, b, &residues, budget)?;
        aligned.add_residues(&residues, budget)?;
        aligned.rewrite_by_common_equalities(sloped, budget)?;
        return combine(&mut aligned.a, &mut aligned.b, &aligned.common, &stride, most_locals, budget);
    }
    // Only the part without existentials can contain the other.
    let mut aligned = align(a, b, &[], budget)?;
    Ok(if explicit_a {
        if contains(&aligned.a, &mut aligned.b, budget)? { Comparison::FirstContainsSecond } else { Comparison::Apart }
    } else if contains(&aligned.b, &mut aligned.a, budget)? {
        Comparison::SecondContainsFirst
    } else {
        Comparison::Apart
    })
}

/// Whether every constraint of one system holds in another.
fn contains(outer: &System, inner: &mut System, budget: &Budget) -> Result<bool> {
    for c in outer.constraints.iter().filter(|c| !c.derived) {
        if !inner.tableau.is_implied(&widened(&c.row, inner.n_col), budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the sum of two opposite constraints is at most `limit`: a gap between the parts. Only rows that mean the
/// same in both parts are compared: those without locals, unless the locals are the same.
fn plainly_separate(a: &System, b: &System, base: usize, same_locals: bool, limit: &Int) -> bool {
    let opposite = |x: &[Int], y: &[Int]| x.iter().zip(y).all(|(x, y)| (x + y).is_zero());
    a.constraints.iter().any(|c| {
        (same_locals || row::all_zero(&c.row[base..]))
            && b.constraints.iter().any(|d| {
                let (left, right) =
                    if same_locals { (&c.row[1..], &d.row[1..]) } else { (&c.row[1..base], &d.row[1..base]) };
                opposite(left, right)
                    && (same_locals || row::all_zero(&d.row[base..]))
                    && &c.row[0] + &d.row[0] <= *limit
            })
    })
}

/// The greatest [`slope`] of those equalities of `one` that hold in `other`, at least 1. Neighbours can be that many
/// times further apart: `y = 2x and x <= 4` and the next point on that line, `x = 5 and y = 10`.
fn common_slope(one: &Part, other: &Part) -> Int {
    if one.slope.is_one() {
        return Int::one();
    }
    let (one, other) = (one.work(), other.work());
    let base = one.space.n_col();
    let solved = Solved::of(base, &other.eqs);
    let holds = |eq: &Row| {
        let mut rest: Row = eq[..base].iter().cloned().collect();
        rest.resize(other.n_col(), Int::zero());
        solved.reduce(&mut rest);
        row::all_zero(&rest)
    };
    let slopes = one.eqs.iter().map(|eq| (slope(eq, base), eq)).filter(|(slope, eq)| !slope.is_one() && holds(eq));
    slopes.map(|(slope, _)| slope).max().unwrap_or_else(Int::one)
}

/// Whether a constraint of `a` without locals is at most -2 in all of `b`.
fn separate(a: &System, b: &mut System, base: usize, budget: &Budget) -> Result<bool> {
    for c in a.constraints.iter().filter(|c| row::all_zero(&c.row[base..])) {
        let row: Row = c.row[..base].iter().cloned().collect();
        if b.tableau.is_implied(&far_outside(&widened(&row, b.n_col), &Int::one()), budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Of `row >= 0`, the inequality `row <= -2`, where strides can make parts adjacent that are further apart that times
/// the stride.
fn far_outside(row: &Row, stride: &Int) -> Row {
    let mut result = row::negated(row);
    result[0] -= Int::from(2) * stride;
    result
}

/// A constraint of one system that does not hold in the other.
pub(super) struct Violated {
    /// The index of the constraint.
    pub(super) index: usize,
    /// The least value of the row in the other system, rounded up; nothing if it has none.
    pub(super) least: Option<Int>,
}

impl Violated {
    /// Whether the other part has points just outside, and none further away.
    pub(super) fn is_just_outside(&self) -> bool {
        self.least == Some(Int::from(-1))
    }
}

/// Which constraints of `own` do not hold in `other`; nothing if one is far outside in all of `other`.
fn violated(own: &System, other: &mut System, stride: &Int, budget: &Budget) -> Result<Option<Vec<Violated>>> {
    let mut result = Vec::new();
    for (index, c) in own.constraints.iter().enumerate() {
        let stronger = |d: &&Constraint| d.row[0] <= c.row[0] && d.row[1..] == c.row[1..];
        if other.constraints.iter().any(|d| stronger(&d)) || other.tableau.is_implied(&c.row, budget)? {
            continue;
        }
        if other.tableau.is_implied(&far_outside(&c.row, stride), budget)? {
            return Ok(None);
        }
        result.push(Violated { index, least: None });
    }
    Ok(Some(result))
}

/// Finds by how much the constraints are violated; drops those that are not violated by integer points.
fn measure(list: &mut Vec<Violated>, own: &System, other: &mut System, budget: &Budget) -> Result<()> {
    for v in list.iter_mut() {
        v.least = least(other, &own.constraints[v.index].row, budget)?;
    }
    list.retain(|v| v.least.as_ref().is_none_or(Int::is_negative));
    Ok(())
}

/// Compares two systems over the same columns. A common conjunction has at most `most_locals` locals: one with more
/// than either part is not simpler, and would stand in the way of better pairs.
fn combine(
    a: &mut System,
    b: &mut System,
    common: &Common,
    stride: &Int,
    most_locals: usize,
    budget: &Budget,
) -> Result<Comparison> {
    let own = |list: &[Violated], s: &System| list.iter().any(|v| !s.constraints[v.index].derived);
    let Some(mut of_a) = violated(a, b, stride, budget)? else { return Ok(Comparison::Apart) };
    if !own(&of_a, a) {
        return Ok(Comparison::FirstContainsSecond);
    }
    let Some(mut of_b) = violated(b, a, stride, budget)? else { return Ok(Comparison::Apart) };
    if !own(&of_b, b) {
        return Ok(Comparison::SecondContainsFirst);
    }
    measure(&mut of_a, a, b, budget)?;
    if !own(&of_a, a) {
        return Ok(Comparison::FirstContainsSecond);
    }
    measure(&mut of_b, b, a, budget)?;
    if !own(&of_b, b) {
        return Ok(Comparison::SecondContainsFirst);
    }
    let mut hull = Hull::new(common);
    hull.add_common(a, &of_a);
    hull.add_common(b, &of_b);
    let cuts = hull.cuts((a, &of_a), (b, &of_b), &[]);
    let point = match hull.point_outside(&cuts, budget)? {
        Outside::Nothing => return hull.outcome((a, &of_a), (b, &of_b), most_locals, budget),
        Outside::Point(point) => Some(point),
        Outside::Some => None,
    };
    if let Some(turned) = wrap::between_layers(a, &of_a, b, &of_b) {
        let kept = hull.ineqs.len();
        hull.ineqs.extend(turned);
        if let Outside::Nothing = hull.point_outside(&cuts, budget)? {
            return hull.outcome((a, &of_a), (b, &of_b), most_locals, budget);
        }
        hull.ineqs.truncate(kept);
    }
    let turned = wrap::turned(a, &of_a, b, &of_b, common, point.as_deref(), budget)?;
    if !turned.is_empty() {
        hull.ineqs.extend(turned);
        if let Outside::Nothing = hull.point_outside(&cuts, budget)? {
            return hull.outcome((a, &of_a), (b, &of_b), most_locals, budget);
        }
    }
    if contains_points(a, &of_a, b, common, budget)? {
        return Ok(Comparison::FirstContainsSecond);
    }
    if contains_points(b, &of_b, a, common, budget)? {
        return Ok(Comparison::SecondContainsFirst);
    }
    Ok(Comparison::Apart)
}

/// Whether one system contains all integer points of the other although that violates some constraints at others. Asked
/// only where all of these use divisions: there the polyhedra can be much larger than the sets.
fn contains_points(
    outer: &System,
    violated: &[Violated],
    inner: &System,
    common: &Common,
    budget: &Budget,
) -> Result<bool> {
    let rows = || violated.iter().map(|v| &outer.constraints[v.index]).filter(|c| !c.derived).map(|c| &c.row);
    if inner.n_col != common.n_col() || rows().any(|row| row::all_zero(&row[common.base..])) {
        return Ok(false);
    }
    let constraints = inner.constraints.iter().map(|c| &c.row).chain(&common.definitions);
    let mut ineqs: Vec<Row> = constraints.cloned().collect();
    for row in rows() {
        ineqs.push(row::complement(row));
        if !lp::is_empty_integer(common.n_col() - 1, &[], &ineqs, budget)? {
            return Ok(false);
        }
        ineqs.pop();
    }
    Ok(true)
}

/// What a hull has outside both parts.
enum Outside {
    /// No integer point: it is their union.
    Nothing,
    /// An integer point, given by the values of the columns.
    Point(Vec<Int>),
    /// Some integer point.
    Some,
}

/// A polyhedron that contains both parts.
struct Hull<'a> {
    common: &'a Common,
    eqs: Vec<Row>,
    ineqs: Vec<Row>,
}

/// The violated constraints of both parts, modulo the equalities of the hull.
struct Cuts {
    solved: Solved,
    a: Vec<Row>,
    b: Vec<Row>,
}

impl<'a> Hull<'a> {
    fn new(common: &'a Common) -> Hull<'a> {
        Hull { common, eqs: Vec::new(), ineqs: Vec::new() }
    }

    /// Adds the constraints of one part that hold for the other, and the violated ones as far out as they must be.
    fn add_common(&mut self, own: &System, violated: &[Violated]) {
        let mut list = violated.iter().peekable();
        let mut index = 0;
        while let Some(c) = own.constraints.get(index) {
            let least = |v: &Violated| v.least.clone();
            let first = list.next_if(|v| v.index == index).map(least);
            index += 1;
            if !c.equality {
                match first {
                    None => self.ineqs.push(c.row.clone()),
                    Some(moved) => self.add_moved(c, moved),
                }
                continue;
            }
            let second = list.next_if(|v| v.index == index).map(least);
            let other = &own.constraints[index];
            index += 1;
            if first.is_none() && second.is_none() {
                self.eqs.push(c.row.clone());
                continue;
            }
            for (c, violated) in [(c, first), (other, second)] {
                match violated {
                    None => self.ineqs.push(c.row.clone()),
                    Some(moved) => self.add_moved(c, moved),
                }
            }
        }
    }

    fn add_moved(&mut self, c: &Constraint, least: Option<Int>) {
        if let Some(least) = least {
            let mut row = c.row.clone();
            row[0] -= least;
            self.ineqs.push(row);
        }
    }

    /// The constraints that make the parts smaller than this hull, from which the constraints with the columns
    /// `dropped` were taken away; `full` has them, too.
    fn cuts(&self, a: (&System, &[Violated]), b: (&System, &[Violated]), dropped: &[usize]) -> Cuts {
        let solved = Solved::of(self.common.base, &self.eqs);
        let uses = |c: &Constraint| dropped.iter().any(|&k| !c.row[k].is_zero());
        let rows = |(system, list): (&System, &[Violated])| -> Vec<Row> {
            let mut list = list.iter().map(|v| v.index).peekable();
            let own = system.constraints.iter().enumerate();
            let own = own.filter(|(k, c)| (list.next_if_eq(k).is_some() | uses(c)) && !c.derived);
            own.map(|(_, c)| solved.tightened(&c.row)).collect()
        };
        Cuts { a: rows(a), b: rows(b), solved }
    }

    /// The outcome if this hull is the union of both parts.
    fn outcome(
        self,
        a: (&System, &[Violated]),
        b: (&System, &[Violated]),
        most_locals: usize,
        budget: &Budget,
    ) -> Result<Comparison> {
        let common = self.common;
        let shed = if common.divs.len() > most_locals { Some((self.eqs.clone(), self.ineqs.clone())) } else { None };
        match Part::new(self.conjunction(common).simplify(), budget)? {
            Some(part) if part.conjunction.n_local() <= most_locals => return Ok(Comparison::Merged(Box::new(part))),
            Some(_) => {}
            None => return Ok(Comparison::Apart),
        }
        let Some((eqs, ineqs)) = shed else { return Ok(Comparison::Apart) };
        Hull { common, eqs, ineqs }.shed(a, b, most_locals, budget)
    }

    /// The outcome of a hull that is the union of both parts, but has too many divisions: those without which it still
    /// is the union are left out, with all constraints that use them. A slice has a division of its own where an
    /// equality simplifies that of the other part.
    fn shed(
        mut self,
        a: (&System, &[Violated]),
        b: (&System, &[Violated]),
        most_locals: usize,
        budget: &Budget,
    ) -> Result<Comparison> {
        let common = self.common;
        let mut dropped: Vec<usize> = Vec::new();
        for k in (common.base..common.n_col()).rev() {
            if dropped.contains(&k) {
                continue;
            }
            let before = dropped.len();
            dropped.push(k);
            for l in k + 1..common.n_col() {
                if !dropped.contains(&l) && dropped.iter().any(|&k| !common.divs[l - common.base].row[k].is_zero()) {
                    dropped.push(l);
                }
            }
            let keeps = |row: &&Row| dropped.iter().all(|&k| row[k].is_zero());
            let smaller = Hull {
                common,
                eqs: self.eqs.iter().filter(keeps).cloned().collect(),
                ineqs: self.ineqs.iter().filter(keeps).cloned().collect(),
            };
            let mut cuts = smaller.cuts(a, b, &dropped);
            // An equality of both parts may be what other constraints were rewritten by: it belongs to both.
            for eq in self.eqs.iter().filter(|eq| !keeps(eq)) {
                for half in [eq.clone(), row::negated(eq)] {
                    let half = cuts.solved.tightened(&half);
                    cuts.a.push(half.clone());
                    cuts.b.push(half);
                }
            }
            if !matches!(smaller.point_outside(&cuts, budget)?, Outside::Nothing) {
                dropped.truncate(before);
                continue;
            }
            self = smaller;
            let conjunction = Hull { common, eqs: self.eqs.clone(), ineqs: self.ineqs.clone() }.conjunction(common);
            if let Some(part) = Part::new(conjunction.simplify(), budget)?
                && part.conjunction.n_local() <= most_locals
            {
                return Ok(Comparison::Merged(Box::new(part)));
            }
        }
        Ok(Comparison::Apart)
    }

    /// An integer point that violates a constraint of `a` and one of `b`.
    fn point_outside(&self, cuts: &Cuts, budget: &Budget) -> Result<Outside> {
        let n = self.common.n_col() - 1;
        let eqs: Vec<Row> = cuts.solved.rows().cloned().collect();
        let rows = self.ineqs.iter().chain(&self.common.definitions);
        let mut ineqs: Vec<Row> = rows.map(|r| cuts.solved.tightened(r)).collect();
        let mut tableau = Tableau::new(n);
        for row in &eqs {
            tableau.add_eq(row, budget)?;
        }
        for row in &ineqs {
            tableau.add_ineq(row, budget)?;
        }
        for a in &cuts.a {
            let outside = row::complement(a);
            let before = tableau.snapshot();
            let kept = ineqs.len();
            tableau.add_ineq(&outside, budget)?;
            ineqs.push(outside);
            for b in &cuts.b {
                if tableau.is_empty_rational() {
                    break;
                }
                let outside = row::complement(b);
                let inner = tableau.snapshot();
                tableau.add_ineq(&outside, budget)?;
                if !tableau.is_empty_rational() {
                    if tableau.has_integer_sample() {
                        let point = tableau.sample().unwrap_or_default();
                        return Ok(Outside::Point(point.iter().map(Rational::floor).collect()));
                    }
                    ineqs.push(outside);
                    let empty = lp::is_empty_integer(n, &eqs, &ineqs, budget)?;
                    ineqs.pop();
                    if !empty {
                        return Ok(Outside::Some);
                    }
                }
                tableau.rollback(inner);
                tableau.add_ineq(b, budget)?;
                ineqs.push(b.clone());
            }
            ineqs.truncate(kept);
            tableau.rollback(before);
            tableau.add_ineq(a, budget)?;
            ineqs.push(a.clone());
        }
        Ok(Outside::Nothing)
    }

    fn conjunction(self, common: &Common) -> Conjunction {
        Conjunction {
            locals: common.divs.iter().cloned().map(Some).collect(),
            eqs: self.eqs,
            ineqs: self.ineqs,
            ..Conjunction::universe(common.space.clone())
        }
    }
}
