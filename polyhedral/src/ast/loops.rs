//! The loops of one band member: components, shifted strides, the isolated part, loop types.
//!
//! Every piece holds the value `t` of the member as its first unknown. The pieces are partitioned into components that come one
//! after the other ([`components`](super::components)); statements with different residues modulo a common stride are brought
//! to one ([`shift`](super::shift)); the pieces are cut along the isolated part ([`isolate`](super::isolate)); then the loop type
//! decides how many loops there are ([`group`](super::group), [`separate`](super::separate), [`unroll`](super::unroll)).

use crate::arith::Int;
use crate::relation::Row;
use crate::schedule::LoopType;

use super::build::{Below, Builder, Next, Origin, Result};
use super::components::components;
use super::error::AstError;
use super::node::Ast;
use super::options::SeparationBounds;
use super::piece::Piece;
use super::plan::{Plan, PlanMember, units};
use super::project::shadow;
use super::scope::Scope;
use super::system::System;
use super::{isolate, separate, shift};

/// What is done with the pieces of one group and their shadows.
type Generate<'n> = &'n dyn Fn(&mut Builder<'_>, Scope, Vec<Piece>, Vec<System>) -> Result<Ast>;

impl Builder<'_> {
    /// Generates the loops over the first unknown of the pieces, which every piece holds.
    pub(super) fn loops(
        &mut self,
        scope: Scope,
        pieces: Vec<Piece>,
        origin: Origin<'_>,
        next: Next<'_>,
    ) -> Result<Ast> {
        let Origin::Member(member, below) = origin else {
            let (pieces, shadows) = self.shadows(&scope, pieces)?;
            return self.group(scope, pieces, shadows, origin, next);
        };
        let pieces = self.typed(&scope, pieces, member);
        let (pieces, shadows) = self.shadows(&scope, pieces)?;
        let groups = {
            let before = |a: usize, b: usize| self.before_below(&scope, &pieces[a], &pieces[b], below);
            let together = |a: usize, b: usize| {
                let (a, b) = (&pieces[a], &pieces[b]);
                a.stmt == b.stmt && a.loop_type == LoopType::Atomic && b.loop_type == LoopType::Atomic
            };
            components(&shadows, &scope, &before, &together, self.budget)?
        };
        self.each(scope, &pieces, shadows, &groups, &|builder, scope, pieces, shadows| {
            builder.component(scope, pieces, shadows, origin, next)
        })
    }

    /// Generates groups of pieces one after the other.
    fn each(
        &mut self,
        scope: Scope,
        pieces: &[Piece],
        shadows: Vec<System>,
        groups: &[Vec<usize>],
        generate: Generate<'_>,
    ) -> Result<Ast> {
        if groups.len() == 1 {
            return generate(self, scope, pieces.to_vec(), shadows);
        }
        let mut parts = Vec::with_capacity(groups.len());
        for group in groups {
            let group = group.iter().map(|&index| pieces[index].clone()).collect();
            parts.push(self.alone(scope.clone(), group, generate)?);
        }
        Ok(Ast::block(parts))
    }

    /// Generates some of the pieces: fewer pieces have more constraints in common.
    fn alone(&mut self, scope: Scope, pieces: Vec<Piece>, generate: Generate<'_>) -> Result<Ast> {
        self.guarded(scope, pieces, &|builder, scope, pieces| {
            let (pieces, shadows) = builder.shadows(&scope, pieces)?;
            generate(builder, scope, pieces, shadows)
        })
    }

    /// Generates one component.
    fn component(
        &mut self,
        scope: Scope,
        pieces: Vec<Piece>,
        shadows: Vec<System>,
        origin: Origin<'_>,
        next: Next<'_>,
    ) -> Result<Ast> {
        let Origin::Member(member, _) = origin else { return self.group(scope, pieces, shadows, origin, next) };
        if let Some((isolated, loop_type)) = &member.isolate {
            let parts = isolate::split(self, &scope, &pieces, isolated)?;
            let mut result = Vec::with_capacity(parts.len());
            for (mut pieces, center) in parts {
                if center {
                    pieces.iter_mut().for_each(|piece| piece.loop_type = *loop_type);
                }
                result.push(self.alone(scope.clone(), pieces, &|builder, scope, pieces, shadows| {
                    builder.base(scope, pieces, shadows, origin, next)
                })?);
            }
            return Ok(Ast::block(result));
        }
        let Some(shifted) = shift::shifted(&pieces, &shadows) else {
            return self.base(scope, pieces, shadows, origin, next);
        };
        let (pieces, shadows) = self.shadows(&scope, shifted)?;
        let inside: Next<'_> = &|builder, scope, pieces| builder.by_shift(scope, pieces, next);
        self.base(scope, pieces, shadows, origin, inside)
    }

    /// Generates pieces that have been shifted by different numbers, in that order.
    fn by_shift(&mut self, scope: Scope, pieces: Vec<Piece>, next: Next<'_>) -> Result<Ast> {
        let mut shifts: Vec<Int> = pieces.iter().map(|piece| piece.shift.clone()).collect();
        shifts.sort();
        shifts.dedup();
        let mut parts = Vec::with_capacity(shifts.len());
        for shift in shifts {
            let mut scope = scope.clone();
            if let Some(value) = scope.outer.last_mut() {
                value[0] += &shift;
            }
            let mut same: Vec<Piece> = pieces.iter().filter(|piece| piece.shift == shift).cloned().collect();
            same.iter_mut().for_each(|piece| piece.shift = Int::zero());
            parts.push(self.guarded(scope, same, next)?);
        }
        Ok(Ast::block(parts))
    }

    /// Generates the loops of one part of a component, as the loop type of its pieces says.
    fn base(
        &mut self,
        scope: Scope,
        pieces: Vec<Piece>,
        shadows: Vec<System>,
        origin: Origin<'_>,
        next: Next<'_>,
    ) -> Result<Ast> {
        let Some(first) = pieces.first() else { return Ok(Ast::Block(Vec::new())) };
        let same = pieces.iter().all(|piece| piece.loop_type == first.loop_type);
        match first.loop_type {
            LoopType::Unroll if same => self.unroll(scope, pieces, shadows, origin, next),
            LoopType::Separate | LoopType::Default if same && self.separates(first.loop_type, origin, &pieces) => {
                let explicit = self.options.separation_bounds == SeparationBounds::Explicit;
                let parts = separate::separate(&pieces, &shadows, explicit, &scope, self.budget)?;
                let (parts, shadows) = self.shadows(&scope, parts)?;
                let groups = components(&shadows, &scope, &|_, _| Ok::<_, AstError>(true), &|_, _| false, self.budget)?;
                let groups: Vec<Vec<Piece>> =
                    groups.iter().map(|group| separate::rejoin(group, &parts, &pieces)).collect();
                let more = groups.iter().map(Vec::len).sum::<usize>().saturating_sub(pieces.len());
                if groups.len() <= 1 || self.spare.is_some_and(|spare| spare < more) {
                    let (pieces, shadows) = self.shadows(&scope, pieces)?;
                    return self.group(scope, pieces, shadows, origin, next);
                }
                self.spare = self.spare.map(|spare| spare - more);
                let mut result = Vec::with_capacity(groups.len());
                for group in groups {
                    result.push(self.alone(scope.clone(), group, &|builder, scope, pieces, shadows| {
                        builder.group(scope, pieces, shadows, origin, next)
                    })?);
                }
                Ok(Ast::block(result))
            }
            _ => self.group(scope, pieces, shadows, origin, next),
        }
    }

    /// Whether the loops of pieces with this loop type are separated: where that is asked for, and with a bound on copies also where
    /// nothing is asked for and several statements share a loop.
    fn separates(&self, loop_type: LoopType, origin: Origin<'_>, pieces: &[Piece]) -> bool {
        let scheduled = matches!(origin, Origin::Member(..)) && pieces.len() > 1;
        loop_type == LoopType::Separate || (scheduled && self.spare.is_some())
    }

    /// The pieces with the loop type of the member, cut where it differs between parts of the iterations.
    fn typed(&self, scope: &Scope, pieces: Vec<Piece>, member: &PlanMember) -> Vec<Piece> {
        let mut result = Vec::with_capacity(pieces.len());
        let mut images = self.outer_rows(scope);
        images.extend(units(scope.n() + 1, 1));
        for mut piece in pieces {
            piece.loop_type = member.loop_type;
            for (loop_type, parts) in &member.regions {
                for part in parts {
                    let mut inside = piece.clone();
                    inside.constrain(part, &images);
                    inside.loop_type = *loop_type;
                    result.push(inside);
                }
            }
            for part in &member.rest {
                let mut outside = piece.clone();
                outside.constrain(part, &images);
                result.push(outside);
            }
        }
        result
    }

    /// The pieces that are not plainly empty, with their shadows on the scope and the first unknown.
    pub(super) fn shadows(&self, scope: &Scope, pieces: Vec<Piece>) -> Result<(Vec<Piece>, Vec<System>)> {
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

    /// Whether an instance of `a` may have to run before one of `b` where the values of all members so far are equal.
    fn before_below(&self, scope: &Scope, a: &Piece, b: &Piece, below: Below<'_>) -> Result<bool> {
        let timed = |piece: &Piece| -> Result<Option<Piece>> {
            let mut piece = piece.clone();
            piece.times.drain(..piece.times.len().saturating_sub(below.members.len()));
            if !piece.times.is_empty() {
                return Ok(Some(piece));
            }
            for member in below.members {
                let Ok([mut next]) = <[Piece; 1]>::try_from(self.evaluate(vec![piece], member)?) else {
                    return Ok(None);
                };
                let value = next.target.take();
                next.times.extend(value);
                piece = next;
            }
            Ok(Some(piece))
        };
        let (Some(a), Some(b)) = (timed(a)?, timed(b)?) else { return Ok(true) };
        // The columns of both: those of a, then the unknowns of b, which shares the scope and the held unknown with a.
        let common = scope.n() + 1 + a.held.min(b.held);
        let place = |row: &Row| {
            let mut result = row.clone();
            result.insert_zeros(common, a.system.n + 1 - common);
            result
        };
        let mut both = System { n: a.system.n + b.system.n + 1 - common, eqs: Vec::new(), ineqs: Vec::new() };
        both.eqs.extend(b.system.eqs.iter().map(place));
        both.ineqs.extend(b.system.ineqs.iter().map(place));
        let mut both = both.and(&a.system).and(&scope.known);
        for (first, second) in a.times.iter().zip(&b.times) {
            let mut distance = place(second);
            crate::relation::add_scaled(&mut distance, &Int::from(-1), first);
            let mut later = both.clone();
            let mut row = distance.clone();
            row[0] -= 1;
            later.ineqs.push(row);
            if !later.is_empty(self.budget)? {
                return Ok(true);
            }
            both.eqs.push(distance);
            if both.is_empty(self.budget)? {
                return Ok(false);
            }
        }
        self.before_node(scope, &a, &b, below.child)
    }

    /// The same for the instances that reach a node.
    fn before_node(&self, scope: &Scope, a: &Piece, b: &Piece, plan: &Plan) -> Result<bool> {
        Ok(match plan {
            Plan::Leaf => self.options.group_coscheduled,
            Plan::Mark(_, child) | Plan::Context(_, child) | Plan::Guard(_, child) => {
                self.before_node(scope, a, b, child)?
            }
            Plan::Filter(filter, child) => {
                let both = filter.contains_key(&a.stmt) && filter.contains_key(&b.stmt);
                both && self.before_node(scope, a, b, child)?
            }
            Plan::Sequence(children, ordered) => {
                let reaches = |child: &Plan, piece: &Piece| match child {
                    Plan::Filter(filter, _) => filter.contains_key(&piece.stmt),
                    _ => true,
                };
                for (first, child) in children.iter().enumerate().filter(|(_, child)| reaches(child, a)) {
                    if *ordered && children[first + 1..].iter().any(|child| reaches(child, b)) {
                        return Ok(true);
                    }
                    if reaches(child, b) && self.before_node(scope, a, b, child)? {
                        return Ok(true);
                    }
                }
                false
            }
            Plan::Band { members, child, .. } => {
                let (mut a, mut b) = (a.clone(), b.clone());
                a.times.clear();
                b.times.clear();
                self.before_below(scope, &a, &b, Below { members, child })?
            }
            // What is added or replaced below has no piece yet.
            Plan::Extension(..) | Plan::Expansion(..) => true,
        })
    }
}
