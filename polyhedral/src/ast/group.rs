//! One loop over pieces that share it, or a substitution if the iterator has only one value.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::{Row, add_scaled, negated, scale, zeros};
use crate::schedule::LoopType;
use crate::space::Name;

use super::bounds::{
    Side, anything, bounds, conditional, conditional_lower, conditional_upper, lower_expr, minimal, upper_expr,
    upper_test,
};
use super::build::{Builder, Origin, Result, insert_scope_column};
use super::cond::Cond;
use super::error::AstError;
use super::expr::IterId;
use super::lattice;
use super::loops::Work;
use super::nested::Nested;
use super::node::{Ast, For};
use super::piece::{Piece, quotient};
use super::plan::{PlanMember, units};
use super::position::Position;
use super::same_quotient;
use super::scope::{Column, Scope};
use super::stride::{Stride, common, quotients, stride};
use super::system::{Plain, System, tighten};

impl Builder<'_> {
    /// Generates one loop, or a substitution if the iterator has only one value.
    pub(super) fn group(&mut self, work: Work<'_>) -> Result<Ast> {
        let Work { mut scope, mut pieces, mut shadows, origin, next } = work;
        if pieces.is_empty() {
            return Ok(Ast::Block(Vec::new()));
        }
        if matches!(origin, Origin::Member(..)) && with_quotients(&scope, &mut pieces, self.budget)? {
            (pieces, shadows) = self.shadows(&scope, pieces)?;
            return self.group(Work { scope, pieces, shadows, origin, next });
        }
        divide_offsets(&mut scope, &mut pieces, &mut shadows);
        let mut stride = common_stride(&scope, &pieces);
        if let Some(Single { offset, step, row, den }) = self.only_value(&scope, &shadows, stride.as_ref())? {
            let (number, added) = scope.floor_div(&row, &den);
            if added {
                insert_scope_column(&mut pieces, scope.n());
            }
            let mut value = offset;
            value.resize(scope.n() + 1, Int::zero());
            add_scaled(&mut value, &step, &number);
            if matches!(origin, Origin::Member(..)) {
                scope.outer.push(value.clone());
            }
            for piece in &mut pieces {
                let mut value = value.clone();
                value.resize(piece.system.n + 1, Int::zero());
                piece.held = 0;
                piece.substitute(piece.first_unknown(), &value);
            }
            return self.guarded(scope, pieces, next);
        }
        if let Some((row, is_eq)) = self.nested_guard(&scope, &pieces, &shadows)? {
            let cond = scope.test(&row, is_eq);
            scope.known.add(row, is_eq);
            // The loop type has been decided already; conditions only leave the bounds of fewer values to find, and a value to put in.
            if is_eq {
                pieces = self.refine(&mut scope, pieces)?;
                (pieces, shadows) = self.shadows(&scope, pieces)?;
            }
            return Ok(Ast::guarded(cond, self.group(Work { scope, pieces, shadows, origin, next })?));
        }
        // All conditions have been found: of other unknowns they would not be as simple.
        if matches!(origin, Origin::Member(..))
            && let Some(strided) = lattice::strided(&scope, &pieces, stride.as_ref(), self.budget)?
        {
            let (pieces, shadows) = self.shadows(&scope, strided)?;
            return self.group(Work { scope, pieces, shadows, origin, next });
        }
        if let Some(stride) = &stride {
            shadows.iter_mut().for_each(|shadow| aligned(shadow, stride));
        }
        let t = scope.n() + 1;
        let mut value = units(t, 1).swap_remove(0);
        if let Some(known) = &stride
            && self.options.scale_strides
            && matches!(origin, Origin::Member(..))
            && let Some(scaled) = scaled_down(&pieces, known, self.budget)?
        {
            value = zeros(t + 1);
            add_scaled(&mut value, &Int::one(), &known.offset);
            value[t] = known.step.clone();
            (pieces, shadows) = self.shadows(&scope, scaled)?;
            stride = None;
        }
        let minimals = self.minimals(&scope, &shadows)?;
        let atomic = are_atomic(&pieces);
        let bounds = bounds(&minimals, atomic, &scope, self.budget)?;
        let (mut bounds, parts) =
            if atomic { conditional(bounds, &minimals, &scope, self.budget)? } else { (bounds, None) };
        let invariant = !atomic && self.options.invariant_conditions_outside;
        let anything = match atomic || (invariant && pieces.len() > 1) {
            true => anything(&bounds, &minimals, invariant, &scope, self.budget)?,
            false => None,
        };
        bounds.drop_implied_by_integers(&scope, self.budget)?;
        if bounds.lower.iter().any(Vec::is_empty) {
            return Err(self.unbounded(&pieces, &minimals, origin));
        }
        let endless = bounds.upper.iter().any(Vec::is_empty);
        let lower = match &parts {
            Some(parts) if bounds.lower.len() > 1 => conditional_lower(parts, stride.as_ref(), &scope),
            _ => lower_expr(&bounds.lower, stride.as_ref(), &scope),
        };
        let upper = (!endless).then(|| match &parts {
            Some(parts) if bounds.upper.len() > 1 => conditional_upper(parts, &scope),
            _ => upper_expr(&bounds.upper, &scope),
        });
        let degenerate = self.is_degenerate(&scope, &shadows, stride.as_ref())?;
        let member = match origin {
            Origin::Member(member, _) => Some(member.id),
            Origin::Instance => None,
        };
        let position =
            self.hooks.is_some().then(|| Position::new(&self.input.params, &scope, self.options, None, member));
        if let (Some(hooks), Some(position)) = (&mut self.hooks, &position) {
            hooks.before_for(position)?;
        }
        let iter = IterId(self.n_iter);
        self.n_iter += 1;
        let name = self.loop_name(&scope, origin);

        let mut inside = scope.clone();
        inside.push(Column::Iter(iter));
        let test = (!endless && parts.is_none() && !self.options.atomic_upper_bound)
            .then(|| upper_test(&bounds.upper, &inside));
        inside.loop_names.push(name.clone());
        inside.known.ineqs.extend(bounds.enforced.iter().cloned());
        if matches!(origin, Origin::Member(..)) {
            inside.outer.push(value);
        }
        for piece in &mut pieces {
            piece.held = 0;
            piece.n_unknown -= 1;
        }
        let step = match stride {
            None => Int::one(),
            Some(Stride { mut offset, step }) => {
                // The iteration number (t - offset) / step is an integer.
                offset = negated(&offset);
                offset.push(Int::one());
                let (number, added) = inside.floor_div(&offset, &step);
                if added {
                    insert_scope_column(&mut pieces, inside.n());
                }
                offset.resize(inside.n() + 1, Int::zero());
                add_scaled(&mut offset, &-&step, &number);
                inside.known.eqs.push(offset);
                step
            }
        };
        let nested = std::mem::replace(&mut self.nested, Nested::new(inside.n()));
        let body = self.guarded(inside, pieces, next)?;
        let nested = std::mem::replace(&mut self.nested, nested);
        if body.is_empty() {
            return Ok(body);
        }
        let coincident = match origin {
            Origin::Member(member, _) => member.coincident,
            Origin::Instance => true,
        };
        let trip_count = trip_count(&bounds.lower, &bounds.upper, &step);
        let body = Box::new(body);
        let node = For { iter, name, lower, upper, test, step, coincident, member, trip_count, degenerate, body };
        let node = match (&mut self.hooks, &position) {
            (Some(hooks), Some(position)) => hooks.after_for(position, node)?,
            _ => Ast::For(node),
        };
        let enforced = self.encloses(&scope, &bounds.enforced, nested)?;
        let node =
            if self.options.exploit_nested_bounds { self.outside(&scope, &shadows, &enforced, node)? } else { node };
        Ok(Ast::guarded(anything.unwrap_or(Cond::True), node))
    }

    /// The shadows with only the constraints on the iterator that matter.
    pub(super) fn minimals(&self, scope: &Scope, shadows: &[System]) -> Result<Vec<System>> {
        Ok(shadows
            .iter()
            .map(|shadow| minimal(shadow, scope, self.budget))
            .collect::<std::result::Result<Vec<_>, _>>()?)
    }

    fn unbounded(&self, pieces: &[Piece], minimals: &[System], origin: Origin<'_>) -> AstError {
        let missing = minimals.iter().position(|m| !m.ineqs.iter().any(|row| row[m.n].is_positive()));
        let stmt = self.input.stmts[pieces[missing.unwrap_or(0)].stmt].name.clone();
        AstError::Unbounded { stmt, dimension: self.dimension(origin), side: "lower" }
    }

    /// Which loop it is, for messages.
    pub(super) fn dimension(&self, origin: Origin<'_>) -> String {
        match origin {
            Origin::Member(member, _) => format!("member {} of band {}", member.id.member, member.id.band),
            Origin::Instance => "an unscheduled dimension".to_owned(),
        }
    }

    /// Whether the iterator has at most one value for each value of the outer columns.
    fn is_degenerate(&self, scope: &Scope, shadows: &[System], stride: Option<&Stride>) -> Result<bool> {
        if shadows.len() > 4 {
            return Ok(false);
        }
        for a in shadows {
            for b in shadows {
                let mut other = b.clone();
                other.insert_columns(a.n, 1);
                let mut both = other.and(a).and(&scope.known);
                let mut later = zeros(both.n + 1);
                later[0] = -stride.map_or(Int::one(), |stride| stride.step.clone());
                later[a.n] = Int::from(-1);
                later[a.n + 1] = Int::one();
                both.ineqs.push(later);
                if !both.is_empty_rational(self.budget)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// A name that no parameter and no enclosing loop has.
    fn loop_name(&self, scope: &Scope, origin: Origin<'_>) -> Name {
        let taken = |name: &str| {
            self.input.params.iter().any(|p| **p == *name) || scope.loop_names.iter().any(|n| **n == *name)
        };
        let preferred = match origin {
            Origin::Member(PlanMember { name: Some(name), .. }, _) => name.to_string(),
            _ => format!("c{}", scope.loop_names.len()),
        };
        let mut name = preferred.clone();
        let mut number = 0;
        while taken(&name) {
            name = format!("{preferred}_{number}");
            number += 1;
        }
        Name::from(name)
    }

    /// The only value of the iterator, if it has only one in every piece, the same one for all pieces. With a stride that may be because
    /// the bounds are less than one step apart.
    fn only_value(&self, scope: &Scope, shadows: &[System], stride: Option<&Stride>) -> Result<Option<Single>> {
        let Some(first) = shadows.first() else { return Ok(None) };
        let t = first.n;
        if let Some((row, den)) = self.single_value(scope, shadows)? {
            return Ok(Some(Single { offset: zeros(t), step: Int::one(), row, den }));
        }
        let Some(Stride { offset, step }) = stride else { return Ok(None) };
        let mut numbers = shadows.to_vec();
        for shadow in &mut numbers {
            for row in shadow.rows_mut() {
                let factor = row[t].clone();
                add_scaled(row, &factor, offset);
                row[t] = &factor * step;
            }
            if shadow.normalize() == Plain::Contradiction {
                return Ok(None);
            }
        }
        let found = self.single_value(scope, &numbers)?;
        Ok(found.map(|(row, den)| Single { offset: offset.clone(), step: step.clone(), row, den }))
    }

    /// The value `floor(row / den)` of the iterator, if it has only one in every piece, the same one for all pieces.
    fn single_value(&self, scope: &Scope, shadows: &[System]) -> Result<Option<(Row, Int)>> {
        let Some(first) = shadows.first() else { return Ok(None) };
        let t = first.n;
        let mut candidates: Vec<(Row, Int)> = quotient(first, t, t).into_iter().collect();
        if candidates.is_empty() {
            // The first value that a bound leaves may be the only one in this context.
            for row in first.ineqs.iter().filter(|row| !row[t].is_zero()) {
                let den = row[t].abs();
                let mut value = if row[t].is_positive() { negated(row) } else { row.clone() };
                if row[t].is_positive() {
                    value[0] += &den - 1;
                }
                value.truncate(t);
                candidates.push((value, den));
            }
        }
        for (row, den) in candidates {
            let mut lower = row.clone();
            lower.push(-&den);
            let mut upper = negated(&lower);
            upper[0] += &den - 1;
            let mut single = true;
            for shadow in shadows {
                let system = shadow.and(&scope.known);
                single = single
                    && system.implies_rational(&lower, self.budget)?
                    && system.implies_rational(&upper, self.budget)?;
            }
            if single {
                return Ok(Some((row, den)));
            }
        }
        Ok(None)
    }
}

/// The value `offset + step floor(row / den)`.
struct Single {
    offset: Row,
    step: Int,
    row: Row,
    den: Int,
}

/// The number of iterations, if there is one bound on either side and their distance is constant.
fn trip_count(lower: &Side, upper: &Side, step: &Int) -> Option<Int> {
    let ([lower], [upper]) = (lower.as_slice(), upper.as_slice()) else { return None };
    let ([lower], [upper]) = (lower.as_slice(), upper.as_slice()) else { return None };
    let t = lower.len() - 1;
    let constant = step.is_one() && lower[t].is_one() && (1..=t).all(|i| (&lower[i] + &upper[i]).is_zero());
    constant.then(|| (&lower[0] + &upper[0] + 1).max(Int::zero()))
}

/// Whether several pieces must not be parted.
pub(super) fn are_atomic(pieces: &[Piece]) -> bool {
    pieces.len() > 1 && pieces.iter().all(|piece| piece.loop_type == LoopType::Atomic)
}

/// The stride of the iterator, the first unknown of every piece, that all pieces agree on.
pub(super) fn common_stride(scope: &Scope, pieces: &[Piece]) -> Option<Stride> {
    let mut result: Option<Stride> = None;
    for piece in pieces {
        let own = own_stride(scope, piece)?;
        result = Some(match result {
            None => own,
            Some(known) => common(&known, &own)?,
        });
    }
    result.filter(|stride| !stride.step.is_zero() && !stride.step.is_one())
}

/// Tightens the constraints on the iterator, the last column, to values of a stride.
fn aligned(shadow: &mut System, stride: &Stride) {
    let t = shadow.n;
    for row in shadow.ineqs.iter_mut().filter(|row| !row[t].is_zero()) {
        // a t + h = a step k + h + a offset.
        let mut number = row.clone();
        let factor = std::mem::take(&mut number[t]);
        add_scaled(&mut number, &factor, &stride.offset);
        number[t] = &factor * &stride.step;
        if !tighten(&mut number) {
            continue;
        }
        // b k + g with k = (t - offset) / step: b t + step g - b offset.
        let factor = std::mem::take(&mut number[t]);
        scale(&mut number, &stride.step);
        add_scaled(&mut number, &-&factor, &stride.offset);
        number[t] = factor;
        if tighten(&mut number) {
            *row = number;
        }
    }
}

/// Adds the strides that are hidden in quotients to pieces that have none. Whether there are any.
fn with_quotients(scope: &Scope, pieces: &mut [Piece], budget: &Budget) -> std::result::Result<bool, Exhausted> {
    let mut is_changed = false;
    for piece in pieces {
        if let Some(row) = same_quotient::equality(piece)
            && own_stride(scope, piece).is_none()
        {
            let mut changed = piece.clone();
            changed.system.eqs.push(row);
            // A single value is what bounds say, too: parts with it would be apart from others.
            if changed.solve(budget)? && own_stride(scope, &changed).is_some_and(|stride| !stride.step.is_zero()) {
                *piece = changed;
                is_changed = true;
            }
        }
    }
    Ok(is_changed)
}

/// A fixed affine value of the iterator, as a stride with step 0.
fn fixed(piece: &Piece, t: usize) -> Option<Stride> {
    let (offset, den) = quotient(&piece.system, t, t)?;
    den.is_one().then_some(Stride { offset, step: Int::zero() })
}

/// The stride of the iterator of one piece; step 0 if it has one value.
pub(super) fn own_stride(scope: &Scope, piece: &Piece) -> Option<Stride> {
    let t = piece.first_unknown();
    fixed(piece, t).or_else(|| stride(&piece.system.eqs, t, &|row, den| scope.known_floor_div(row, den)))
}

/// Adds the divisions to the scope that the strides of the pieces need, if every piece may have one.
pub(super) fn divide_offsets(scope: &mut Scope, pieces: &mut [Piece], shadows: &mut [System]) {
    let t = scope.n() + 1;
    let needed: Vec<Vec<(Row, Int)>> = pieces.iter().map(|piece| quotients(&piece.system.eqs, t)).collect();
    if needed.iter().all(Vec::is_empty) {
        return;
    }
    let possible =
        |(piece, needed): (&Piece, &Vec<(Row, Int)>)| !needed.is_empty() || own_stride(scope, piece).is_some();
    if !pieces.iter().zip(&needed).all(possible) {
        return;
    }
    for (row, den) in needed.into_iter().flatten() {
        if scope.floor_div(&row, &den).1 {
            insert_scope_column(pieces, scope.n());
            shadows.iter_mut().for_each(|shadow| shadow.insert_columns(scope.n(), 1));
        }
    }
}

/// The pieces with the number of the iteration as their held unknown instead of the iterator, if that is simpler: if no
/// dimension of a statement needs the iterator itself.
fn scaled_down(
    pieces: &[Piece],
    stride: &Stride,
    budget: &Budget,
) -> std::result::Result<Option<Vec<Piece>>, Exhausted> {
    let mut result = pieces.to_vec();
    let mut simpler = false;
    for piece in &mut result {
        let t = piece.first_unknown();
        piece.scale_column(t, &stride.offset, &stride.step);
        if !piece.solve(budget)? {
            return Ok(None);
        }
        for row in &piece.point {
            if !row[t].is_zero() {
                if stride.step.divides(&row[t]) {
                    return Ok(None);
                }
                simpler = true;
            }
        }
    }
    Ok(simpler.then_some(result))
}
