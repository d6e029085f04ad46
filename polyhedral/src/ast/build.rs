//! The generator: schedule tree to AST.
//!
//! Depth-first over the tree, with a [`Scope`] (what is known at this position of the AST) and a list of [`Piece`]s (what is
//! still to be executed here). For every band member the value of the member becomes a new unknown `t` of every piece;
//! the rational shadows of the pieces on the scope and `t` decide
//! - which pieces need a common loop and in which order the loops come ([`components`](super::components)),
//! - whether `t` has only one value: then it is substituted and there is no loop,
//! - the bounds ([`bounds`](super::bounds)) and the step ([`stride`](super::stride)) of the loop otherwise.
//!
//! Then `t` is a column of the scope and generation goes on inside. At a leaf the dimensions of the statement that are not
//! yet known are enumerated the same way, so that in the end all constraints of a piece are conditions over the scope.
//!
//! Exactness: a constraint is dropped from a piece only if the scope or the other constraints of the piece imply it, and a
//! row enters the scope only if a loop bound or condition that is emitted enforces it. Shadows may be too large; they only
//! decide where loops run, never whether an instance is executed. Conditions are tested as soon as they mention no
//! unknown, so they stand as far out as possible.
//!
//! Related work: F. Quillere, S. Rajopadhye, D. Wilde, "Generation of efficient nested loops from polyhedra", IJPP 2000;
//! T. Grosser, S. Verdoolaege, A. Cohen, "Polyhedral AST generation is more than scanning polyhedra", TOPLAS 2015.

use crate::arith::Int;
use crate::budget::Budget;
use crate::relation::{Row, add_scaled, negated};
use crate::schedule::{LoopType, ScheduleTree};
use crate::space::Name;

use super::bounds::{Side, bounds, lower_expr, minimal, upper_expr};
use super::components::components;
use super::error::AstError;
use super::expr::{Cond, IterId};
use super::node::{Ast, AstUnit, For};
use super::piece::{Piece, quotient};
use super::plan::{Input, Plan, PlanMember, translate};
use super::project::shadow;
use super::scope::{Column, Scope};
use super::stride::{Stride, common, stride};
use super::system::System;
use super::tidy::tidy;
use super::{isolate, separate};

type Result<T> = std::result::Result<T, AstError>;

/// AST generation with its options.
///
/// ```text
/// let ast = AstBuild::new().with_context(context).build(&tree, &budget)?;
/// println!("{ast}");
/// ```
#[derive(Clone, Debug, Default)]
pub struct AstBuild {
    context: Option<crate::relation::Set>,
}

impl AstBuild {
    /// Generation without assumptions.
    pub fn new() -> AstBuild {
        AstBuild::default()
    }

    /// Assumes constraints on the parameters: they are never tested in the AST. The set may be a parameter set or any set, of
    /// which only the projection on the parameters counts.
    pub fn with_context(self, context: crate::relation::Set) -> AstBuild {
        AstBuild { context: Some(context) }
    }

    /// Generates the AST of a schedule tree: it executes every instance of the domain exactly once, in an order that agrees
    /// with the tree. An error if a loop would be unbounded, the tree is malformed or the budget runs out. The number of
    /// linear programs grows with the number of loops times the square of the number of different statement domains.
    pub fn build(&self, tree: &ScheduleTree, budget: &Budget) -> Result<AstUnit> {
        let input = translate(tree, self.context.as_ref(), budget)?;
        let n_param = input.params.len();
        let mut pieces = Vec::new();
        for (stmt, parts) in input.domain.iter().enumerate() {
            for part in parts {
                pieces.push(Piece::new(stmt, input.stmts[stmt].n_dim, part, n_param));
            }
        }
        let mut builder = Builder { input: &input, budget, n_iter: 0 };
        let scope = Scope::new(n_param, input.context.clone());
        let body =
            builder.guarded(scope, pieces, &|builder, scope, pieces| builder.node(&input.plan, scope, pieces))?;
        let n_iter = builder.n_iter;
        Ok(AstUnit { params: input.params.clone(), n_iter, body: tidy(body) })
    }
}

/// What is generated at a position: a continuation.
pub(super) type Next<'n> = &'n dyn Fn(&mut Builder<'_>, Scope, Vec<Piece>) -> Result<Ast>;

/// Where a loop comes from.
#[derive(Clone, Copy)]
pub(super) enum Origin<'p> {
    /// A member of a band.
    Member(&'p PlanMember),
    /// A dimension or integer division of a statement at a leaf.
    Instance,
}

/// The state of one generation.
pub(super) struct Builder<'a> {
    input: &'a Input,
    pub(super) budget: &'a Budget,
    n_iter: usize,
}

impl Builder<'_> {
    /// Generates a node of the tree for pieces that have been refined.
    fn node(&mut self, plan: &Plan, scope: Scope, pieces: Vec<Piece>) -> Result<Ast> {
        if pieces.is_empty() {
            return Ok(Ast::Block(Vec::new()));
        }
        match plan {
            Plan::Leaf => self.leaf(scope, pieces),
            Plan::Band { .. } => self.member(plan, 0, scope, pieces),
            Plan::Sequence(children) => {
                let mut parts = Vec::with_capacity(children.len());
                for child in children {
                    parts.push(self.node(child, scope.clone(), pieces.clone())?);
                }
                Ok(Ast::block(parts))
            }
            Plan::Filter(filter, child) => {
                let mut kept = Vec::new();
                for piece in pieces {
                    match filter.get(&piece.stmt) {
                        None => {}
                        Some(None) => kept.push(piece),
                        Some(Some(parts)) => {
                            kept.extend(parts.iter().map(|part| piece.intersect(part, self.input.params.len())));
                        }
                    }
                }
                self.guarded(scope, kept, &|builder, scope, pieces| builder.node(child, scope, pieces))
            }
            Plan::Context(assumed, child) => {
                let mut scope = scope;
                scope.known = scope.known.and(assumed);
                self.guarded(scope, pieces, &|builder, scope, pieces| builder.node(child, scope, pieces))
            }
            Plan::Mark(name, child) => {
                let body = self.node(child, scope, pieces)?;
                Ok(if body.is_empty() { body } else { Ast::Mark(name.clone(), Box::new(body)) })
            }
        }
    }

    /// The pieces with the members of a band as their held unknowns.
    fn points(&self, members: &[PlanMember], pieces: &[Piece]) -> Result<Vec<Piece>> {
        let mut points = pieces.to_vec();
        for member in members.iter().rev() {
            points = self.evaluate(points, member)?;
            points.iter_mut().for_each(Piece::hold_target);
        }
        for piece in &mut points {
            piece.solve(self.budget)?;
        }
        Ok(points)
    }

    /// The pieces with the value of a band member as their target; pieces with a piecewise value are cut.
    fn evaluate(&self, pieces: Vec<Piece>, member: &PlanMember) -> Result<Vec<Piece>> {
        let n_param = self.input.params.len();
        let mut result = Vec::with_capacity(pieces.len());
        for mut piece in pieces {
            let Some(values) = member.values.get(&piece.stmt) else {
                let stmt = self.input.stmts[piece.stmt].name.clone();
                return Err(AstError::MissingExpression { stmt, band: member.id.band, member: member.id.member });
            };
            if let [(None, value)] = values.as_slice() {
                piece.target = Some(piece.evaluate(value, n_param));
                result.push(piece);
                continue;
            }
            for (parts, value) in values {
                let cut = match parts {
                    None => vec![piece.clone()],
                    Some(parts) => parts.iter().map(|part| piece.intersect(part, n_param)).collect(),
                };
                for mut piece in cut {
                    piece.target = Some(piece.evaluate(value, n_param));
                    result.push(piece);
                }
            }
        }
        Ok(result)
    }

    /// Solves and reduces the pieces: unknowns that the scope determines are substituted (the scope may get division columns
    /// for that), implied constraints and empty pieces are dropped.
    fn refine(&self, scope: &mut Scope, pieces: Vec<Piece>) -> Result<Vec<Piece>> {
        let mut pieces = pieces;
        let mut index = 0;
        while index < pieces.len() {
            pieces[index].substitute_constants(scope);
            if !pieces[index].solve(self.budget)? {
                pieces.remove(index);
                continue;
            }
            match pieces[index].determined() {
                None => index += 1,
                Some((column, row, den)) => {
                    let (mut value, added) = scope.floor_div(&row, &den);
                    let mut column = column;
                    if added {
                        insert_scope_column(&mut pieces, scope.n());
                        column += 1;
                    }
                    let piece = &mut pieces[index];
                    value.resize(piece.system.n + 1, Int::zero());
                    piece.substitute(column, &value);
                }
            }
        }
        let mut kept = Vec::with_capacity(pieces.len());
        for mut piece in pieces {
            if piece.reduce(scope, self.budget)? {
                kept.push(piece);
            }
        }
        Ok(kept)
    }

    /// Refines the pieces, tests what all of them need and the scope does not guarantee, and generates the rest inside.
    pub(super) fn guarded(&mut self, scope: Scope, pieces: Vec<Piece>, next: Next<'_>) -> Result<Ast> {
        let mut scope = scope;
        let pieces = self.refine(&mut scope, pieces)?;
        if pieces.is_empty() {
            return Ok(Ast::Block(Vec::new()));
        }
        let mut conds = Vec::new();
        for (row, is_eq) in self.common_rows(&scope, &pieces)? {
            // Conditions found before are part of the scope now.
            let known = if is_eq {
                scope.known.implies_eq(&row, self.budget)?
            } else {
                scope.known.implies(&row, self.budget)?
            };
            if known {
                continue;
            }
            conds.push(if is_eq { scope.zero(&row) } else { scope.at_least_zero(&row) });
            if is_eq { scope.known.eqs.push(row) } else { scope.known.ineqs.push(row) }
        }
        let pieces = if conds.is_empty() { pieces } else { self.refine(&mut scope, pieces)? };
        let body = next(self, scope, pieces)?;
        Ok(Ast::guarded(Cond::and(conds), body))
    }

    /// The constraints over the scope, equalities first, that every piece implies and the scope does not. True marks an
    /// equality.
    fn common_rows(&self, scope: &Scope, pieces: &[Piece]) -> Result<Vec<(Row, bool)>> {
        let mut eqs: Vec<(Row, bool)> = Vec::new();
        let mut ineqs: Vec<(Row, bool)> = Vec::new();
        for piece in pieces {
            let (e, i) = piece.known_rows();
            eqs.extend(e.into_iter().map(|row| (row, true)));
            ineqs.extend(i.into_iter().map(|row| (row, false)));
        }
        let mut result: Vec<(Row, bool)> = Vec::new();
        for candidate in eqs.into_iter().chain(ineqs) {
            if result.contains(&candidate) {
                continue;
            }
            let (row, is_eq) = &candidate;
            let mut common = true;
            for piece in pieces {
                if !common {
                    break;
                }
                let rows = if *is_eq { &piece.system.eqs } else { &piece.system.ineqs };
                if rows.iter().any(|known| known[..row.len()] == row[..] && piece.is_known(known)) {
                    continue;
                }
                let system = piece.system.and(&scope.known);
                common = system.implies_rational(row, self.budget)?
                    && (!is_eq || system.implies_rational(&negated(row), self.budget)?);
            }
            if common {
                result.push(candidate);
            }
        }
        Ok(result)
    }

    /// Generates the members of a band from `index` on, then what is below.
    fn member(&mut self, plan: &Plan, index: usize, scope: Scope, pieces: Vec<Piece>) -> Result<Ast> {
        let Plan::Band { members, isolate, child } = plan else { return self.node(plan, scope, pieces) };
        let Some(member) = members.get(index) else {
            let next: Next<'_> = &|builder, scope, pieces| builder.node(child, scope, pieces);
            if *isolate && let Plan::Band { members, .. } = &**child {
                let points = self.points(members, &pieces)?;
                return isolate::full_tiles(self, scope, pieces, &points, next);
            }
            return next(self, scope, pieces);
        };
        let mut scope = scope;
        let pieces = self.evaluate(pieces, member)?;
        let mut pieces = self.refine(&mut scope, pieces)?;
        if pieces.is_empty() {
            return Ok(Ast::Block(Vec::new()));
        }
        let next: Next<'_> = &|builder, scope, pieces| builder.member(plan, index + 1, scope, pieces);
        // A member that has the same known value for all instances separates nothing.
        let same = pieces.iter().all(|piece| match (&piece.target, &pieces[0].target) {
            (Some(a), Some(b)) => piece.is_known(a) && a[..=scope.n()] == b[..=scope.n()],
            _ => false,
        });
        if same {
            for piece in &mut pieces {
                piece.target = None;
            }
            return next(self, scope, pieces);
        }
        for piece in &mut pieces {
            piece.hold_target();
        }
        self.loops(scope, pieces, Origin::Member(member), next)
    }

    /// Generates the loops over the first unknown of the pieces, which every piece holds.
    fn loops(&mut self, scope: Scope, pieces: Vec<Piece>, origin: Origin<'_>, next: Next<'_>) -> Result<Ast> {
        let loop_type = match origin {
            Origin::Member(member) => member.loop_type,
            Origin::Instance => LoopType::Atomic,
        };
        let (pieces, shadows) = self.shadows(&scope, pieces)?;
        let groups: Vec<Vec<Piece>> = match loop_type {
            LoopType::Atomic => return self.group(scope, pieces, shadows, origin, next),
            LoopType::Default | LoopType::Unroll => {
                let groups = components(&shadows, &scope, self.budget)?;
                groups.iter().map(|group| group.iter().map(|&index| pieces[index].clone()).collect()).collect()
            }
            LoopType::Separate => {
                let parts = separate::separate(&pieces, &shadows, &scope, self.budget)?;
                let (parts, shadows) = self.shadows(&scope, parts)?;
                let groups = components(&shadows, &scope, self.budget)?;
                groups.iter().map(|group| separate::rejoin(group, &parts, &pieces)).collect()
            }
        };
        if groups.len() == 1 {
            return self.group(scope, pieces, shadows, origin, next);
        }
        let mut parts = Vec::with_capacity(groups.len());
        for group in groups {
            // Fewer pieces have more constraints in common.
            parts.push(self.guarded(scope.clone(), group, &|builder, scope, pieces| {
                let (pieces, shadows) = builder.shadows(&scope, pieces)?;
                builder.group(scope, pieces, shadows, origin, next)
            })?);
        }
        Ok(Ast::block(parts))
    }

    /// The pieces that are not plainly empty, with their shadows on the scope and the first unknown.
    fn shadows(&self, scope: &Scope, pieces: Vec<Piece>) -> Result<(Vec<Piece>, Vec<System>)> {
        let mut kept = Vec::with_capacity(pieces.len());
        let mut shadows = Vec::with_capacity(pieces.len());
        for mut piece in pieces {
            if !piece.solve(self.budget)? {
                continue;
            }
            if let Some(shadow) = shadow(&piece.system, scope.n() + 1, &scope.known, self.budget)? {
                kept.push(piece);
                shadows.push(shadow);
            }
        }
        Ok((kept, shadows))
    }

    /// Generates one loop, or a substitution if the iterator has only one value.
    fn group(
        &mut self,
        scope: Scope,
        pieces: Vec<Piece>,
        shadows: Vec<System>,
        origin: Origin<'_>,
        next: Next<'_>,
    ) -> Result<Ast> {
        let mut scope = scope;
        let mut pieces = pieces;
        if pieces.is_empty() {
            return Ok(Ast::Block(Vec::new()));
        }
        if let Some((row, den)) = self.single_value(&scope, &shadows)? {
            let (value, added) = scope.floor_div(&row, &den);
            if added {
                insert_scope_column(&mut pieces, scope.n());
            }
            for piece in &mut pieces {
                let mut value = value.clone();
                value.resize(piece.system.n + 1, Int::zero());
                piece.held = 0;
                piece.substitute(piece.first_unknown(), &value);
            }
            return self.guarded(scope, pieces, next);
        }
        let minimals = shadows
            .iter()
            .map(|shadow| minimal(shadow, &scope, self.budget))
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let bounds = bounds(&minimals, &scope, self.budget)?;
        for (side, name) in [(&bounds.lower, "lower"), (&bounds.upper, "upper")] {
            if side.iter().any(Vec::is_empty) {
                return Err(self.unbounded(&pieces, &minimals, name, origin));
            }
        }
        let stride = common_stride(&pieces);
        let lower = lower_expr(&bounds.lower, stride.as_ref(), &scope);
        let upper = upper_expr(&bounds.upper, &scope);
        let iter = IterId(self.n_iter);
        self.n_iter += 1;
        let name = self.loop_name(&scope, origin);

        let mut inside = scope;
        inside.push(Column::Iter(iter));
        inside.loop_names.push(name.clone());
        inside.known.ineqs.extend(bounds.enforced.iter().cloned());
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
        let body = self.guarded(inside, pieces, next)?;
        if body.is_empty() {
            return Ok(body);
        }
        let (coincident, member) = match origin {
            Origin::Member(member) => (member.coincident, Some(member.id)),
            Origin::Instance => (true, None),
        };
        let trip_count = trip_count(&bounds.lower, &bounds.upper, &step);
        let body = Box::new(body);
        Ok(Ast::For(For { iter, name, lower, upper, step, coincident, member, trip_count, body }))
    }

    fn unbounded(&self, pieces: &[Piece], minimals: &[System], side: &'static str, origin: Origin<'_>) -> AstError {
        let sign = if side == "lower" { 1 } else { -1 };
        let missing = minimals.iter().position(|m| !m.ineqs.iter().any(|row| row[m.n].signum() == sign));
        let stmt = self.input.stmts[pieces[missing.unwrap_or(0)].stmt].name.clone();
        let dimension = match origin {
            Origin::Member(member) => format!("member {} of band {}", member.id.member, member.id.band),
            Origin::Instance => "an unscheduled dimension".to_owned(),
        };
        AstError::Unbounded { stmt, dimension, side }
    }

    /// A name that no parameter and no enclosing loop has.
    fn loop_name(&self, scope: &Scope, origin: Origin<'_>) -> Name {
        let taken = |name: &str| {
            self.input.params.iter().any(|p| **p == *name) || scope.loop_names.iter().any(|n| **n == *name)
        };
        let wish = match origin {
            Origin::Member(PlanMember { name: Some(name), .. }) => name.to_string(),
            _ => format!("c{}", scope.loop_names.len()),
        };
        let mut name = wish.clone();
        let mut number = 0;
        while taken(&name) {
            name = format!("{wish}_{number}");
            number += 1;
        }
        Name::from(name)
    }

    /// The value `floor(row / den)` of the iterator, if it has only one in every piece, the same one for all pieces.
    fn single_value(&self, scope: &Scope, shadows: &[System]) -> Result<Option<(Row, Int)>> {
        let Some(first) = shadows.first() else { return Ok(None) };
        let t = first.n;
        let mut candidates: Vec<(Row, Int)> = quotient(first, t, t).into_iter().collect();
        if candidates.is_empty() {
            // A bound with coefficient 1 may be the only value in this context.
            for row in first.ineqs.iter().filter(|row| row[t].is_unit()) {
                let mut value = if row[t].is_positive() { negated(row) } else { row.clone() };
                value.truncate(t);
                candidates.push((value, Int::one()));
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

    /// Generates the statements at a leaf.
    fn leaf(&mut self, scope: Scope, pieces: Vec<Piece>) -> Result<Ast> {
        let mut pieces = pieces;
        pieces.sort_by_key(|piece| piece.stmt);
        let mut parts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let next: Next<'_> = &|builder, scope, pieces| builder.instances(scope, pieces);
            parts.push(self.guarded(scope.clone(), vec![piece], next)?);
        }
        Ok(Ast::block(parts))
    }

    /// Enumerates what is unknown of the (only) piece, then executes the statement.
    fn instances(&mut self, scope: Scope, pieces: Vec<Piece>) -> Result<Ast> {
        let mut parts = Vec::new();
        for mut piece in pieces {
            if piece.n_unknown == 0 {
                let args = piece.point.iter().map(|row| scope.expr(row)).collect();
                parts.push(Ast::User { stmt: self.input.stmts[piece.stmt].name.clone(), args });
                continue;
            }
            let first = piece.first_unknown();
            let of_point = piece.point.iter().find_map(|row| row[first..].iter().position(|x| !x.is_zero()));
            piece.move_to_front(first + of_point.unwrap_or(0));
            piece.held = 1;
            let next: Next<'_> = &|builder, scope, pieces| builder.instances(scope, pieces);
            parts.push(self.loops(scope.clone(), vec![piece], Origin::Instance, next)?);
        }
        Ok(Ast::block(parts))
    }
}

/// Makes room in all pieces for the new last column of a scope that now has `n` columns.
pub(super) fn insert_scope_column(pieces: &mut [Piece], n: usize) {
    for piece in pieces {
        piece.insert_column(n);
    }
}

/// The number of iterations, if there is one bound on either side and their distance is constant.
fn trip_count(lower: &Side, upper: &Side, step: &Int) -> Option<Int> {
    let ([lower], [upper]) = (lower.as_slice(), upper.as_slice()) else { return None };
    let ([lower], [upper]) = (lower.as_slice(), upper.as_slice()) else { return None };
    let t = lower.len() - 1;
    let constant = step.is_one() && lower[t].is_one() && (1..=t).all(|i| (&lower[i] + &upper[i]).is_zero());
    constant.then(|| (&lower[0] + &upper[0] + 1).max(Int::zero()))
}

/// The stride of the iterator, the first unknown of every piece, that all pieces agree on.
fn common_stride(pieces: &[Piece]) -> Option<Stride> {
    let mut result: Option<Stride> = None;
    for piece in pieces {
        let t = piece.first_unknown();
        let own = fixed(piece, t).or_else(|| stride(&piece.system.eqs, t))?;
        result = Some(match result {
            None => own,
            Some(known) => common(&known, &own)?,
        });
    }
    result.filter(|stride| !stride.step.is_zero() && !stride.step.is_one())
}

/// A fixed affine value of the iterator, as a stride with step 0.
fn fixed(piece: &Piece, t: usize) -> Option<Stride> {
    let (offset, den) = quotient(&piece.system, t, t)?;
    den.is_one().then_some(Stride { offset, step: Int::zero() })
}
