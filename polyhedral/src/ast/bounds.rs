//! Loop bounds: from what the pieces of a loop say about its iterator to the first and last value.
//!
//! Every piece has a *shadow*, constraints over the scope and the iterator `t` (the last column). One piece bounds `t` from
//! below by the maximum of its lower constraints; several pieces are covered by the minimum of those maxima. Terms that
//! cannot matter are dropped. What the finished bounds really guarantee about `t` is computed from the bounds that are
//! emitted, not from what was wanted: only that may be relied on inside the loop.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::{Row, add_scaled, negated};

use super::cond::Cond;
use super::expr::Expr;
use super::project::as_inequalities;
use super::scope::{Column, Scope, scaled};
use super::stride::Stride;
use super::system::{Minimum, System};

/// The constraints on one side: the union over alternatives of the conjunction of rows.
pub(super) type Side = Vec<Vec<Row>>;

/// The bounds of a loop.
#[derive(Debug)]
pub(super) struct Bounds {
    pub(super) lower: Side,
    pub(super) upper: Side,
    /// Rows that hold in every iteration of the loop.
    pub(super) enforced: Vec<Row>,
}

/// The shadow with only the constraints on the iterator that matter, equalities as pairs of inequalities. A constraint that
/// follows from the others is dropped also where the others are only enforced further inside.
pub(super) fn minimal(shadow: &System, scope: &Scope, budget: &Budget) -> Result<System, Exhausted> {
    let t = shadow.n;
    let mut result = System { n: shadow.n, eqs: Vec::new(), ineqs: as_inequalities(shadow) };
    result.drop_implied(&scope.known, |row| !row[t].is_zero(), budget)?;
    Ok(result)
}

/// The rows that bound the iterator from below (`sign` 1) or above (`sign` -1).
fn side(minimal: &System, sign: i32) -> Vec<Row> {
    let mut rows: Vec<Row> = minimal.ineqs.iter().filter(|row| row[minimal.n].signum() == sign).cloned().collect();
    rows.sort_by(|a, b| b[1..].cmp(&a[1..]).then(a[0].cmp(&b[0])));
    rows
}

/// Whether all rows hold wherever the shadow and the scope hold.
fn covers(rows: &[Row], shadow: &System, scope: &Scope, budget: &Budget) -> Result<bool, Exhausted> {
    let system = shadow.and(&scope.known);
    for row in rows {
        if !system.implies_rational(row, budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// With more parts than this their conditions cost more than iterations without instances.
const MOST_PARTS: usize = 3;

/// The most that the constant of a bound with parameters or outer iterators is raised. Where the pieces have nothing in common but the
/// range of a parameter, that range would become iterations in which nothing happens.
const MOST_RAISED: i64 = 16;

/// The same for few pieces that must not be parted, as nothing else cuts the iterations between them off: `t = n` and `t = 1` where
/// `-3 <= n <= 8` are bounded by `min(n, 1)` and `max(n, 1)`, not by `n - 7` and `n + 4`.
const MOST_RAISED_ATOMIC: i64 = 2;

/// One conjunction that contains all pieces: every row of every alternative, with its constant raised by the least amount that
/// makes it hold for all pieces. Nothing if one of them does not hold with any constant, or (up to `most`) only with a large one.
fn shifted(
    sides: &Side,
    minimal: &[System],
    scope: &Scope,
    most: Option<i64>,
    budget: &Budget,
) -> Result<Option<Vec<Row>>, Exhausted> {
    let mut hull = System::universe(scope.n() + 1);
    for row in sides.iter().flatten() {
        let mut row = row.clone();
        for shadow in minimal {
            match shadow.and(&scope.known).minimum_rational(&row, budget)? {
                Minimum::Empty => {}
                Minimum::Unbounded => return Ok(None),
                Minimum::AtLeast(value) => {
                    if value.is_negative() {
                        let constant = row[1..row.len() - 1].iter().all(Int::is_zero);
                        if !constant && most.is_some_and(|most| value < -most) {
                            return Ok(None);
                        }
                        row[0] -= value;
                    }
                }
            }
        }
        hull.ineqs.push(row);
    }
    hull.normalize();
    hull.drop_implied(&scope.known, |_| true, budget)?;
    Ok(Some(hull.ineqs))
}

/// What holds for all of the given shadows: each of their constraints, moved out as far as that needs.
pub(super) fn hull(minimal: &[System], scope: &Scope, budget: &Budget) -> Result<System, Exhausted> {
    let mut result = System::universe(scope.n() + 1);
    for row in minimal.iter().flat_map(as_inequalities) {
        if let Some(rows) = shifted(&vec![vec![row]], minimal, scope, None, budget)? {
            result.ineqs.extend(rows);
        }
    }
    result.normalize();
    result.drop_implied(&scope.known, |_| true, budget)?;
    Ok(result)
}

/// The lower bounds of all pieces, each moved out until it holds for every piece; those that hold with no constant left out.
pub(super) fn shifted_lower_bounds(minimal: &[System], scope: &Scope, budget: &Budget) -> Result<Vec<Row>, Exhausted> {
    let mut result: Vec<Row> = Vec::new();
    for system in minimal {
        for row in side(system, 1) {
            if let Some(mut rows) = shifted(&vec![vec![row]], minimal, scope, None, budget)? {
                rows.retain(|row| !result.contains(row));
                result.append(&mut rows);
            }
        }
    }
    Ok(result)
}

/// Rows that hold for all shadows, with those of other sides that do too: where not all of the pieces exist, they may be tighter.
fn common(
    rows: &[Row],
    sides: &Side,
    minimal: &[System],
    scope: &Scope,
    budget: &Budget,
) -> Result<Vec<Row>, Exhausted> {
    let mut known = scope.known.clone();
    known.insert_columns(known.n + 1, 1);
    known.ineqs.extend(rows.iter().cloned());
    let mut result = rows.to_vec();
    for row in sides.iter().flatten() {
        if result.contains(row) || known.implies_rational(row, budget)? {
            continue;
        }
        let mut all = true;
        for system in minimal {
            all = all && covers(std::slice::from_ref(row), system, scope, budget)?;
        }
        if all {
            known.ineqs.push(row.clone());
            result.push(row.clone());
        }
    }
    Ok(result)
}

/// The alternatives that are needed so that every shadow lies inside one of them.
fn alternatives(
    minimal: &[System],
    atomic: bool,
    sign: i32,
    scope: &Scope,
    budget: &Budget,
) -> Result<Side, Exhausted> {
    let mut sides: Side = Vec::new();
    for system in minimal {
        let rows = side(system, sign);
        if !sides.contains(&rows) {
            sides.push(rows);
        }
    }
    // One piece may bound all others.
    for rows in &sides {
        let mut all = true;
        for system in minimal {
            all = all && covers(rows, system, scope, budget)?;
        }
        if all {
            return Ok(vec![common(rows, &sides, minimal, scope, budget)?]);
        }
    }
    let most = if atomic && sides.len() <= MOST_PARTS { MOST_RAISED_ATOMIC } else { MOST_RAISED };
    if let Some(rows) = shifted(&sides, minimal, scope, Some(most), budget)? {
        return Ok(vec![rows]);
    }
    // Otherwise an alternative goes if all the pieces that it is for lie inside another one, which then has to stay: being
    // inside the rows of an alternative is not transitive.
    let mut kept = vec![true; sides.len()];
    let mut needed = vec![false; sides.len()];
    for index in 0..sides.len() {
        for other in 0..sides.len() {
            if index == other || !kept[other] || !kept[index] || needed[index] {
                continue;
            }
            let mut inside = true;
            for system in minimal.iter().filter(|system| side(system, sign) == sides[index]) {
                inside = inside && covers(&sides[other], system, scope, budget)?;
            }
            if inside {
                kept[index] = false;
                needed[other] = true;
            }
        }
    }
    let mut keep = kept.into_iter();
    sides.retain(|_| keep.next().unwrap_or(true));
    Ok(sides)
}

/// The bounds of a loop over all of the given minimal shadows, of pieces that must not be parted if `atomic`; an empty alternative
/// means that a bound is missing.
pub(super) fn bounds(minimal: &[System], atomic: bool, scope: &Scope, budget: &Budget) -> Result<Bounds, Exhausted> {
    let lower = alternatives(minimal, atomic, 1, scope, budget)?;
    let upper = alternatives(minimal, atomic, -1, scope, budget)?;
    let enforced = enforced([&lower, &upper], scope, budget)?;
    Ok(Bounds { lower, upper, enforced })
}

impl Bounds {
    /// Drops rows that follow from the others only over the integers: where `8 q <= n <= 8 q + 7` and `256 c < n`, `t >= 8 q` says
    /// that `t >= 256 c`. They are enforced all the same. Only quotients ask for that.
    pub(super) fn drop_implied_by_integers(&mut self, scope: &Scope, budget: &Budget) -> Result<(), Exhausted> {
        if !scope.columns.iter().any(|column| matches!(column, Column::Div(..))) {
            return Ok(());
        }
        for own in 0..2 {
            let side = if own == 0 { &self.lower } else { &self.upper };
            let [rows] = side.as_slice() else { continue };
            if rows.len() < 2 {
                continue;
            }
            let mut rows = rows.clone();
            let mut index = 0;
            while index < rows.len() && rows.len() > 1 {
                let mut system = scope.known.clone();
                system.insert_columns(system.n + 1, 1);
                system.ineqs.extend(rows.iter().enumerate().filter(|(k, _)| *k != index).map(|(_, row)| row.clone()));
                match system.implies(&rows[index], budget)? {
                    true => drop(rows.remove(index)),
                    false => index += 1,
                }
            }
            *(if own == 0 { &mut self.lower } else { &mut self.upper }) = vec![rows];
        }
        Ok(())
    }
}

/// The rows of the alternatives that hold in all of them.
fn enforced(sides: [&Side; 2], scope: &Scope, budget: &Budget) -> Result<Vec<Row>, Exhausted> {
    let mut enforced: Vec<Row> = Vec::new();
    for side in sides {
        for row in side.iter().flatten() {
            if enforced.contains(row) {
                continue;
            }
            let mut everywhere = true;
            for alternative in side {
                if !everywhere || alternative.contains(row) {
                    continue;
                }
                let mut system = scope.known.clone();
                system.insert_columns(system.n + 1, 1);
                system.ineqs.extend(alternative.iter().cloned());
                everywhere = system.implies_rational(row, budget)?;
            }
            if everywhere {
                enforced.push(row.clone());
            }
        }
    }
    Ok(enforced)
}

/// The rows of a shadow that say nothing about the iterator, and do not hold in the whole scope.
fn outside<'s>(shadow: &'s System, scope: &Scope, budget: &Budget) -> Result<Vec<&'s [Int]>, Exhausted> {
    let mut rows: Vec<&[Int]> = Vec::new();
    for row in shadow.ineqs.iter().filter(|row| row[shadow.n].is_zero()) {
        let row = &row[..shadow.n];
        if !scope.known.implies_rational(row, budget)? {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The condition that no row is negative; two opposite rows are an equality.
fn all(rows: &[&[Int]], scope: &Scope) -> Cond {
    let mut conds: Vec<Cond> = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        let is_opposite = |other: &&[Int]| row.iter().zip(*other).all(|(a, b)| (a + b).is_zero());
        match rows.iter().position(is_opposite) {
            Some(other) if other < k => {}
            Some(_) => conds.push(scope.zero(row)),
            None => conds.push(scope.at_least_zero(row)),
        }
    }
    Cond::and(conds)
}

/// With more rows than this in all pieces together, the condition for a loop costs more than iterations without instances.
const MOST_ROWS: usize = 16;

/// The condition for a loop that it has anything to do, where none of its pieces is always there: that one of the pieces is; with
/// `invariant` as far as that does not change in outer loops, and else only inside of another loop. Nothing where the bounds see to that, or
/// where it takes too many tests.
pub(super) fn anything(
    bounds: &Bounds,
    minimal: &[System],
    invariant: bool,
    scope: &Scope,
    budget: &Budget,
) -> Result<Option<Cond>, Exhausted> {
    if !invariant && !scope.columns.iter().any(|column| matches!(column, Column::Iter(_))) {
        return Ok(None);
    }
    let mut pieces = Vec::new();
    let mut count = 0;
    for system in minimal {
        let mut rows = outside(system, scope, budget)?;
        rows.retain(|row| !invariant || !scope.varies(row));
        count += rows.len();
        if rows.is_empty() || count > MOST_ROWS {
            return Ok(None);
        }
        pieces.push(rows);
    }
    let mut running = scope.known.clone();
    running.insert_columns(running.n + 1, 1);
    running.ineqs.extend(bounds.enforced.iter().cloned());
    if excluded(&running, &pieces, budget)? {
        return Ok(None);
    }
    Ok(Some(Cond::or(pieces.iter().map(|rows| all(rows, scope)).collect())))
}

/// Whether no point of a system lacks a row of each piece.
fn excluded(system: &System, pieces: &[Vec<&[Int]>], budget: &Budget) -> Result<bool, Exhausted> {
    if system.is_empty_rational(budget)? {
        return Ok(true);
    }
    let Some((piece, others)) = pieces.split_first() else { return Ok(false) };
    for row in piece {
        let mut system = system.clone();
        let mut contrary = negated(row);
        contrary[0] -= 1;
        contrary.resize(system.n + 1, Int::zero());
        system.ineqs.push(contrary);
        if !excluded(&system, others, budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A part of a loop that is there under a condition.
#[derive(Debug)]
pub(super) struct Part {
    cond: Cond,
    lower: Vec<Row>,
    upper: Vec<Row>,
}

/// The parts of a loop that must not be parted, over pieces some of which are there only under a condition on the scope: on a side
/// with several alternatives each part has a bound of its own, which counts where its condition holds. No parts where one alternative
/// is enough on both sides, where all parts are always there, or where there are too many.
pub(super) fn conditional(
    bounds: Bounds,
    minimal: &[System],
    scope: &Scope,
    budget: &Budget,
) -> Result<(Bounds, Option<Vec<Part>>), Exhausted> {
    if bounds.lower.len().max(bounds.upper.len()) < 2 {
        return Ok((bounds, None));
    }
    let mut parts: Vec<Part> = Vec::new();
    for system in minimal {
        let (lower, upper) = (side(system, 1), side(system, -1));
        if lower.is_empty() || upper.is_empty() {
            return Ok((bounds, None));
        }
        // Residues only tell parts with the same bounds from each other.
        let mut rows = outside(system, scope, budget)?;
        rows.retain(|row| !scope.divides(row));
        let cond = all(&rows, scope);
        match parts.iter_mut().find(|part| part.lower == lower && part.upper == upper) {
            Some(part) if part.cond == cond => {}
            Some(part) => part.cond = Cond::or(vec![std::mem::replace(&mut part.cond, Cond::True), cond]),
            None => parts.push(Part { cond, lower, upper }),
        }
    }
    if !(2..=MOST_PARTS).contains(&parts.len()) || parts.iter().all(|part| part.cond == Cond::True) {
        return Ok((bounds, None));
    }
    let sides = |plain: Side, of: fn(&Part) -> &Vec<Row>| match plain.len() {
        1 => plain,
        _ => parts.iter().map(of).cloned().collect(),
    };
    let (lower, upper) = (sides(bounds.lower, |part| &part.lower), sides(bounds.upper, |part| &part.upper));
    let enforced = enforced([&lower, &upper], scope, budget)?;
    Ok((Bounds { lower, upper, enforced }, Some(parts)))
}

/// The least first value of the parts whose conditions hold.
pub(super) fn conditional_lower(parts: &[Part], stride: Option<&Stride>, scope: &Scope) -> Expr {
    Expr::min(chosen(parts, |part| lower_expr(&vec![part.lower.clone()], stride, scope)))
}

/// The greatest last value of the parts whose conditions hold.
pub(super) fn conditional_upper(parts: &[Part], scope: &Scope) -> Expr {
    Expr::max(chosen(parts, |part| upper_expr(&vec![part.upper.clone()], scope)))
}

/// For each part its value where its condition holds, and elsewhere that of one whose condition does.
fn chosen(parts: &[Part], value: impl Fn(&Part) -> Expr) -> Vec<Expr> {
    let values: Vec<Expr> = parts.iter().map(value).collect();
    let Some((last, others)) = values.split_last() else { return values };
    let choice = |(part, value): (&Part, &Expr), rest: Expr| Expr::select(part.cond.clone(), value.clone(), rest);
    if let Some(always) = parts.iter().position(|part| part.cond == Cond::True) {
        return parts.iter().zip(&values).map(|part| choice(part, values[always].clone())).collect();
    }
    let first = parts.iter().zip(others).rev().fold(last.clone(), |rest, part| choice(part, rest));
    let more: Vec<Expr> = parts.iter().zip(&values).skip(1).map(|part| choice(part, first.clone())).collect();
    std::iter::once(first).chain(more).collect()
}

/// The smallest value that satisfies the lower bounds: `t = offset + step k` where there is a stride.
pub(super) fn lower_expr(lower: &Side, stride: Option<&Stride>, scope: &Scope) -> Expr {
    let term = |row: &Row| {
        let t = row.len() - 1;
        // a t + rest >= 0, so t >= ceil(-rest / a) = floor((a - 1 - rest) / a).
        let a = row[t].clone();
        let mut rest = Row::from(&row[..t]);
        match stride {
            None => {
                rest = negated(&rest);
                rest[0] += &a - 1;
                scope.floor_expr(&rest, &a)
            }
            Some(stride) => {
                // a offset + a step k + rest >= 0.
                add_scaled(&mut rest, &a, &stride.offset);
                let den = &a * &stride.step;
                rest = negated(&rest);
                rest[0] += &den - 1;
                aligned(&rest, &den, stride, scope)
            }
        }
    };
    Expr::min(lower.iter().map(|rows| Expr::max(rows.iter().map(term).collect())).collect())
}

/// `offset + step * floor(row / den)`, where multiples of `den` in the row are taken out of the floor.
fn aligned(row: &[Int], den: &Int, stride: &Stride, scope: &Scope) -> Expr {
    // floor(row / den) = whole + floor(rest / den).
    let mut whole: Row = row.iter().map(|x| if den.divides(x) { x.div_exact(den) } else { Int::zero() }).collect();
    let mut rest = Row::from(row);
    add_scaled(&mut rest, &-den, &whole);
    whole[0] += rest[0].div_floor(den);
    rest[0] = rest[0].rem_floor(den);
    let mut outside = scaled(&whole, &stride.step);
    add_scaled(&mut outside, &Int::one(), &stride.offset);
    let constant = std::mem::take(&mut outside[0]);
    Expr::sum(vec![(Int::one(), scope.expr(&outside)), (stride.step.clone(), scope.floor_expr(&rest, den))], constant)
}

/// The largest value that satisfies the upper bounds.
pub(super) fn upper_expr(upper: &Side, scope: &Scope) -> Expr {
    let term = |row: &Row| {
        let t = row.len() - 1;
        scope.floor_expr(&row[..t], &-&row[t])
    };
    Expr::max(upper.iter().map(|rows| Expr::min(rows.iter().map(term).collect())).collect())
}

/// The upper bounds as constraints on the iterator, the last column of the scope.
pub(super) fn upper_test(upper: &Side, scope: &Scope) -> Cond {
    let alternative = |rows: &Vec<Row>| Cond::and(rows.iter().map(|row| scope.at_least_zero(row)).collect());
    Cond::or(upper.iter().map(alternative).collect())
}
