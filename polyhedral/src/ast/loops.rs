//! The loops of one band member: components, shifted strides, the isolated part, loop types.
//!
//! Every piece holds the value `t` of the member as its first unknown. The pieces are partitioned into components that come one after the other
//! ([`components`](super::components)); statements with different residues modulo a common stride are brought to one
//! ([`shift`](super::shift)); the pieces are cut along the isolated part ([`isolate`](super::isolate)); then the loop
//! type decides how many loops there are ([`group`](super::group), [`separate`](super::separate),
//! [`unroll`](super::unroll)).

use crate::arith::Int;
use crate::lp::{IntOptimum, min_integer};
use crate::relation::{Row, negated};
use crate::schedule::LoopType;

use super::build::{Below, Builder, Next, Origin, Result, insert_scope_column};
use super::components::components;
use super::couple::uncouple;
use super::error::AstError;
use super::node::Ast;
use super::options::SeparationBounds;
use super::piece::Piece;
use super::plan::{Plan, PlanMember, units};
use super::project::projection;
use super::scope::Scope;
use super::stride::quotients;
use super::system::{Plain, System};
use super::{isolate, separate, shift};

/// With more unknowns than this the integer points of a piece are not searched for tighter bounds.
const MOST_SEARCHED: usize = 8;

/// What one or more loops are generated for.
pub(super) struct Work<'w> {
    /// Where the loops stand.
    pub(super) scope: Scope,
    /// What they execute; every piece holds the iterator as its first unknown.
    pub(super) pieces: Vec<Piece>,
    /// For each piece what it says about the scope and the iterator.
    pub(super) shadows: Vec<System>,
    /// Where the loops come from.
    pub(super) origin: Origin<'w>,
    /// What is generated inside.
    pub(super) next: Next<'w>,
}

/// What is done with some work.
type Generate<'n> = &'n dyn Fn(&mut Builder<'_>, Work<'_>) -> Result<Ast>;

impl Builder<'_> {
    /// Generates the loops over the first unknown of the pieces, which every piece holds.
    pub(super) fn loops(
        &mut self,
        scope: Scope,
        pieces: Vec<Piece>,
        origin: Origin<'_>,
        next: Next<'_>,
    ) -> Result<Ast> {
        let mut scope = scope;
        let Origin::Member(member, below) = origin else {
            let mut pieces = pieces;
            uncouple(&mut scope, &mut pieces, self.budget)?;
            let (pieces, shadows) = self.shadows(&scope, pieces)?;
            return self.group(Work { scope, pieces, shadows, origin, next });
        };
        let mut pieces = self.typed(&scope, pieces, member)?;
        uncouple(&mut scope, &mut pieces, self.budget)?;
        let (pieces, shadows) = self.shadows(&scope, pieces)?;
        self.grouped(Work { scope, pieces, shadows, origin, next }, below)
    }

    /// Generates the components one after the other.
    pub(super) fn grouped(&mut self, work: Work<'_>, below: Below<'_>) -> Result<Ast> {
        let groups = {
            let before = |a: usize, b: usize| self.before_below(&work.scope, &work.pieces[a], &work.pieces[b], below);
            let together = |a: usize, b: usize| atomic(&work.pieces[a], &work.pieces[b]);
            components(&work.shadows, &work.scope, &before, &together, self.budget)?
        };
        if groups.len() == 1 {
            return self.component(work);
        }
        let groups = groups.iter().map(|group| group.iter().map(|&index| work.pieces[index].clone()).collect());
        let groups: Vec<Vec<Piece>> = groups.collect();
        self.each(&work, groups, &|builder, work| builder.component(work))
    }

    /// Generates groups of pieces one after the other: fewer pieces have more constraints in common.
    fn each(&mut self, work: &Work<'_>, groups: Vec<Vec<Piece>>, generate: Generate<'_>) -> Result<Ast> {
        let (origin, next) = (work.origin, work.next);
        let mut parts = Vec::with_capacity(groups.len());
        for group in groups {
            parts.push(self.guarded(work.scope.clone(), group, &|builder, scope, pieces| {
                let (pieces, shadows) = builder.shadows(&scope, pieces)?;
                generate(builder, Work { scope, pieces, shadows, origin, next })
            })?);
        }
        Ok(Ast::block(parts))
    }

    /// Generates one component.
    fn component(&mut self, work: Work<'_>) -> Result<Ast> {
        let Origin::Member(member, below) = work.origin else { return self.group(work) };
        if let Some(condition) = self.parting(&work)? {
            return self.parted(work, condition, below);
        }
        if let Some((isolated, loop_type)) = &member.isolate {
            let mut groups = Vec::new();
            for (mut pieces, center) in isolate::split(self, &work.scope, &work.pieces, isolated)? {
                if center {
                    pieces.iter_mut().for_each(|piece| piece.loop_type = *loop_type);
                }
                groups.push(pieces);
            }
            return self.each(&work, groups, &|builder, work| builder.base(work));
        }
        self.shifted(work, &|builder, work| builder.base(work))
    }

    /// Generates pieces after those with different residues modulo a common stride have been brought to one.
    fn shifted(&mut self, work: Work<'_>, generate: Generate<'_>) -> Result<Ast> {
        let Some(shifted) = shift::shifted(&work.scope, &work.pieces, &work.shadows) else {
            return generate(self, work);
        };
        let (pieces, shadows) = self.shadows(&work.scope, shifted)?;
        let next = work.next;
        let inside: Next<'_> = &|builder, scope, pieces| builder.by_shift(scope, pieces, next);
        generate(self, Work { scope: work.scope, pieces, shadows, origin: work.origin, next: inside })
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
    fn base(&mut self, work: Work<'_>) -> Result<Ast> {
        let Some(first) = work.pieces.first() else { return Ok(Ast::Block(Vec::new())) };
        let loop_type = first.loop_type;
        let same = work.pieces.iter().all(|piece| piece.loop_type == loop_type);
        match loop_type {
            LoopType::Unroll if same => return self.unroll(work),
            LoopType::Separate | LoopType::Default if same && self.separates(loop_type, &work) => {
                let explicit = self.options.separation_bounds == SeparationBounds::Explicit;
                let cuts = separate::cuts(&work.pieces, &work.shadows, explicit, &work.scope, self.budget)?;
                let groups = self.separated(&work, &vec![cuts.concat(); work.pieces.len()])?;
                let more = groups.iter().map(Vec::len).sum::<usize>().saturating_sub(work.pieces.len());
                if groups.len() <= 1 || self.spare.is_some_and(|spare| spare < more) {
                    return self.group(work);
                }
                self.spare = self.spare.map(|spare| spare - more);
                return self.each(&work, groups, &|builder, work| builder.group(work));
            }
            _ => {}
        }
        if work.pieces.iter().any(|piece| piece.loop_type == LoopType::Unroll)
            && let Some(unrolled) = self.partly_unrolled(&work)?
        {
            return Ok(unrolled);
        }
        let mut work = work;
        for index in 0..work.pieces.len() {
            // A stride that needs a division of outer values is one too.
            let t = work.scope.n() + 1;
            for (row, den) in quotients(&work.pieces[index].system.eqs, t) {
                if work.scope.floor_div(&row, &den).1 {
                    insert_scope_column(&mut work.pieces, work.scope.n());
                    work.shadows.iter_mut().for_each(|shadow| shadow.insert_columns(work.scope.n(), 1));
                }
            }
        }
        let cuts = self.rivals(&work)?;
        if cuts.iter().all(Vec::is_empty) {
            return self.uncut(work, &|builder, work| builder.group(work));
        }
        let groups = self.separated(&work, &cuts)?;
        if groups.len() <= 1 {
            return self.uncut(work, &|builder, work| builder.group(work));
        }
        self.partings -= 1;
        self.each(&work, groups, &|builder, work| {
            builder.uncut(work, &|builder, work| builder.shifted(work, &|builder, work| builder.group(work)))
        })
    }

    /// Generates pieces whose iterations are not cut any further, parted where that gives some of them a longer step.
    fn uncut(&mut self, work: Work<'_>, generate: Generate<'_>) -> Result<Ast> {
        if let Origin::Member(_, below) = work.origin
            && let Some(parting) = self.parting_for_step(&work)?
        {
            return self.parted(work, parting, below);
        }
        generate(self, work)
    }

    /// The pieces cut along rows, in groups that come one after the other.
    fn separated(&self, work: &Work<'_>, cuts: &[Vec<Row>]) -> Result<Vec<Vec<Piece>>> {
        let parts = separate::separate(&work.pieces, cuts, &work.scope, self.budget)?;
        let (parts, shadows) = self.shadows(&work.scope, parts)?;
        let always = |_, _| Ok::<_, AstError>(true);
        let together = |a: usize, b: usize| atomic(&parts[a], &parts[b]);
        let groups = components(&shadows, &work.scope, &always, &together, self.budget)?;
        Ok(groups.iter().map(|group| separate::rejoin(group, &parts, &work.pieces)).collect())
    }

    /// Whether the loops of pieces with this loop type are separated: where that is asked for, and with a bound on copies also where
    /// nothing is asked for and several statements share a loop.
    fn separates(&self, loop_type: LoopType, work: &Work<'_>) -> bool {
        let scheduled = matches!(work.origin, Origin::Member(..)) && work.pieces.len() > 1;
        loop_type == LoopType::Separate || (scheduled && self.spare.is_some())
    }

    /// The pieces with the loop type of the member, cut where it differs between parts of the iterations.
    fn typed(&self, scope: &Scope, pieces: Vec<Piece>, member: &PlanMember) -> Result<Vec<Piece>> {
        let mut result = Vec::with_capacity(pieces.len());
        let mut images = self.outer_rows(scope);
        images.extend(units(scope.n() + 1, 1));
        for mut piece in pieces {
            piece.repeats |= !scope.outer.is_empty() && piece.loop_type != LoopType::Atomic;
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
        if !member.regions.is_empty() {
            // A piece that is in no region but one has only its loop type.
            let mut kept = Vec::with_capacity(result.len());
            for piece in result {
                if !piece.system.and(&scope.known).is_empty(self.budget)? {
                    kept.push(piece);
                }
            }
            return Ok(kept);
        }
        Ok(result)
    }

    /// The pieces that are not plainly empty, with their shadows on the scope and the first unknown.
    pub(super) fn shadows(&self, scope: &Scope, pieces: Vec<Piece>) -> Result<(Vec<Piece>, Vec<System>)> {
        let mut kept = Vec::with_capacity(pieces.len());
        let mut shadows = Vec::with_capacity(pieces.len());
        for mut piece in pieces {
            if !piece.solve(self.budget)? {
                continue;
            }
            let found = projection(&piece.system, scope.n() + 1, &scope.known, self.budget)?;
            let Some((mut shadow, exact)) = found else { continue };
            // The last unknown has no loops inside that make up for a bound that is weak over the integers.
            let t = shadow.n;
            let unit = |row: &Row| row[t].is_zero() || row[t].is_unit();
            let exact = exact && (piece.n_unknown > 1 || shadow.ineqs.iter().all(unit));
            if exact || self.tighten(scope, &piece, &mut shadow)? {
                kept.push(piece);
                shadows.push(shadow);
            }
        }
        Ok((kept, shadows))
    }

    /// Moves the constraints of a shadow that the elimination of unknowns has made too weak to the integer points of the piece, and
    /// writes down what leaves the iterator one value. False if there are no such points.
    fn tighten(&self, scope: &Scope, piece: &Piece, shadow: &mut System) -> Result<bool> {
        let t = shadow.n;
        if piece.n_unknown > MOST_SEARCHED {
            return Ok(true);
        }
        let all = piece.system.and(&scope.known);
        let least = |row: &Row| {
            let mut row = row.clone();
            row.resize(all.n + 1, Int::zero());
            min_integer(all.n, &all.eqs, &all.ineqs, &row, self.budget)
        };
        let mut more = Vec::new();
        for row in &mut shadow.ineqs {
            let low = match least(row)? {
                IntOptimum::Empty => return Ok(false),
                IntOptimum::Unbounded => continue,
                IntOptimum::Bounded(low) => low,
            };
            if low.is_positive() {
                row[0] -= &low;
            }
            if row[t].is_zero() {
                continue;
            }
            let mut opposite = negated(row);
            if let IntOptimum::Bounded(high) = least(&opposite)? {
                // The row is between 0 and -high.
                opposite[0] -= &high;
                if -high < row[t].abs() {
                    more.push(opposite);
                }
            }
        }
        shadow.ineqs.append(&mut more);
        Ok(shadow.equate() == Plain::Unknown)
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

/// Whether two pieces belong together because their statement has one loop.
fn atomic(a: &Piece, b: &Piece) -> bool {
    a.stmt == b.stmt && a.loop_type == LoopType::Atomic && b.loop_type == LoopType::Atomic
}
