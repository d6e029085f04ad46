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

use crate::budget::Budget;
use crate::relation::{Row, UnionMap};
use crate::schedule::ScheduleTree;

use super::cond::Cond;
use super::error::AstError;
use super::known_at::KnownAt;
use super::nested::Nested;
use super::node::{Ast, AstUnit};
use super::options::AstOptions;
use super::parting::MOST_PARTINGS;
use super::piece::Piece;
use super::plan::{Input, Plan, PlanMember, Values};
use super::position::{AstHooks, Position};
use super::scope::Scope;
use super::tidy::tidy;
use super::{full_tiles, iftree, relation, specialise, translate};

pub(super) type Result<T> = std::result::Result<T, AstError>;

/// AST generation with its options.
///
/// ```text
/// let ast = AstBuild::new().with_context(context).build(&tree, &budget)?;
/// println!("{ast}");
/// ```
#[derive(Clone, Debug, Default)]
pub struct AstBuild {
    context: Option<crate::relation::Set>,
    options: AstOptions,
}

impl AstBuild {
    /// Generation without assumptions.
    pub fn new() -> AstBuild {
        AstBuild::default()
    }

    /// Assumes constraints on the parameters: they are never tested in the AST. The set may be a parameter set or any set, of
    /// which only the projection on the parameters counts.
    pub fn with_context(self, context: crate::relation::Set) -> AstBuild {
        AstBuild { context: Some(context), ..self }
    }

    /// Generation with other switches.
    pub fn with_options(self, options: AstOptions) -> AstBuild {
        AstBuild { options, ..self }
    }

    /// Generates the AST of a schedule tree: it executes every instance of the domain exactly once, in an order that agrees
    /// with the tree. An error if a loop would be unbounded, the tree is malformed or the budget runs out. The number of
    /// linear programs grows with the number of loops times the square of the number of different statement domains.
    pub fn build(&self, tree: &ScheduleTree, budget: &Budget) -> Result<AstUnit> {
        generate(&translate::translate(tree, self.context.as_ref(), budget)?, &self.options, None, budget)
    }

    /// The same with callbacks at loops and statement instances.
    pub fn build_with(&self, tree: &ScheduleTree, hooks: &mut dyn AstHooks, budget: &Budget) -> Result<AstUnit> {
        generate(&translate::translate(tree, self.context.as_ref(), budget)?, &self.options, Some(hooks), budget)
    }

    /// Generates the AST of a schedule relation from instances to time vectors: every instance is executed at each of its times,
    /// in the lexicographic order of times. The relation may be any union of Presburger relations: piecewise, with
    /// existentials, with many instances at one time or many times for one instance. Time vectors of different spaces are not
    /// ordered.
    ///
    /// `options` go from time vectors to `atomic[x]`, `separate[x]` and `unroll[x]`: how component `x` is generated for those
    /// times.
    pub fn build_relation(&self, schedule: &UnionMap, options: Option<&UnionMap>, budget: &Budget) -> Result<AstUnit> {
        generate(&relation::translate(schedule, self.context.as_ref(), options, budget)?, &self.options, None, budget)
    }
}

fn generate<'a>(
    input: &'a Input,
    options: &'a AstOptions,
    hooks: Option<&'a mut (dyn AstHooks + 'a)>,
    budget: &'a Budget,
) -> Result<AstUnit> {
    let _phase = crate::phase!("ast", budget);
    let n_param = input.params.len();
    let spare = options.max_copies.map(|most| most.saturating_sub(input.pieces.len()));
    let mut builder = Builder {
        input,
        options,
        hooks,
        budget,
        n_iter: 0,
        spare,
        partings: MOST_PARTINGS,
        nested: Nested::new(n_param),
    };
    let mut scope = Scope::new(n_param);
    let mut pieces = input.pieces.clone();
    let mut possible = builder.assume(&mut scope, &mut pieces, &input.context)?;
    // Context nodes above everything else hold for all of the code.
    let mut plan = &input.plan;
    while let Plan::Context(assumed, child) = plan
        && possible
    {
        possible = builder.assume(&mut scope, &mut pieces, assumed)?;
        plan = child;
    }
    let mut context = scope.clone();
    context.known = context.known.and(&input.scoped);
    let body = if possible {
        let next: Next<'_> = &|builder, scope, pieces| builder.node(plan, scope, pieces);
        builder.guarded(scope, pieces, next)?
    } else {
        Ast::Block(Vec::new())
    };
    let n_iter = builder.n_iter;
    let outside = KnownAt::at(&context, n_param, options, budget)?;
    let body = iftree::nest(tidy(body, input.once, options), outside.clone(), options)?;
    let body = specialise::specialise(body, outside)?;
    Ok(AstUnit { params: input.params.clone(), n_iter, body })
}

/// What is generated at a position: a continuation.
pub(super) type Next<'n> = &'n dyn Fn(&mut Builder<'_>, Scope, Vec<Piece>) -> Result<Ast>;

/// Where a loop comes from.
#[derive(Clone, Copy)]
pub(super) enum Origin<'p> {
    /// A member of a band, with what orders the instances after it.
    Member(&'p PlanMember, Below<'p>),
    /// A dimension or integer division of a statement at a leaf.
    Instance,
}

/// What is below a member of a band: the members after it, and the child of the band.
#[derive(Clone, Copy)]
pub(super) struct Below<'p> {
    pub(super) members: &'p [PlanMember],
    pub(super) child: &'p Plan,
}

/// The state of one generation.
pub(super) struct Builder<'a> {
    pub(super) input: &'a Input,
    pub(super) options: &'a AstOptions,
    pub(super) hooks: Option<&'a mut dyn AstHooks>,
    pub(super) budget: &'a Budget,
    pub(super) n_iter: usize,
    /// How many more copies of statements may come about by separation or unrolling; nothing: any number.
    pub(super) spare: Option<usize>,
    /// How often loops may still be parted by conditions.
    pub(super) partings: usize,
    /// What the loops generated so far in the body of the innermost enclosing loop enforce.
    pub(super) nested: Nested,
}

impl Builder<'_> {
    /// Generates a node of the tree for pieces that have been refined.
    pub(super) fn node(&mut self, plan: &Plan, scope: Scope, pieces: Vec<Piece>) -> Result<Ast> {
        if pieces.is_empty() {
            return Ok(Ast::Block(Vec::new()));
        }
        match plan {
            Plan::Leaf => self.leaf(scope, pieces),
            Plan::Band { .. } => self.member(plan, 0, scope, pieces),
            Plan::Sequence(children, _) => {
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
                let (mut scope, mut pieces) = (scope, pieces);
                if !self.assume(&mut scope, &mut pieces, assumed)? {
                    return Ok(Ast::Block(Vec::new()));
                }
                self.guarded(scope, pieces, &|builder, scope, pieces| builder.node(child, scope, pieces))
            }
            Plan::Guard(parts, child) => {
                let (mut scope, mut pieces) = (scope, pieces);
                let cond = self.enforce(&mut scope, &mut pieces, parts)?;
                if cond == Cond::False {
                    return Ok(Ast::Block(Vec::new()));
                }
                let next: Next<'_> = &|builder, scope, pieces| builder.node(child, scope, pieces);
                let body = self.guarded(scope, pieces, next)?;
                // The parts of a guard are disjoint, so that at most one of the copies runs.
                Ok(match cond {
                    Cond::Or(parts) if !self.options.allow_or => {
                        Ast::block(parts.into_iter().map(|part| Ast::guarded(part, body.clone())).collect())
                    }
                    cond => Ast::guarded(cond, body),
                })
            }
            Plan::Extension(extension, child) => {
                let mut pieces = pieces;
                pieces.extend(self.extended(&scope, &pieces, extension)?);
                self.guarded(scope, pieces, &|builder, scope, pieces| builder.node(child, scope, pieces))
            }
            Plan::Expansion(expansion, child) => {
                let mut new = Vec::new();
                for piece in &pieces {
                    for (stmt, parts) in expansion.get(&piece.stmt).into_iter().flatten() {
                        let n_dim = self.input.stmts[*stmt].n_dim;
                        new.extend(parts.iter().map(|part| piece.expand(*stmt, n_dim, part, self.input.params.len())));
                    }
                }
                self.guarded(scope, new, &|builder, scope, pieces| builder.node(child, scope, pieces))
            }
            Plan::Mark(name, child) => {
                let body = self.node(child, scope, pieces)?;
                Ok(if body.is_empty() { body } else { Ast::Mark(name.clone(), Box::new(body)) })
            }
        }
    }

    /// The pieces with the given members as their held unknowns.
    fn points<'p>(
        &self,
        members: impl DoubleEndedIterator<Item = &'p PlanMember>,
        pieces: &[Piece],
    ) -> Result<Vec<Piece>> {
        let mut points = pieces.to_vec();
        for member in members.rev() {
            points = self.evaluate(points, member)?;
            points.iter_mut().for_each(Piece::hold_target);
        }
        for piece in &mut points {
            piece.solve(self.budget)?;
        }
        Ok(points)
    }

    /// The pieces with the value of a band member as their target; pieces with a piecewise value are cut.
    pub(super) fn evaluate(&self, pieces: Vec<Piece>, member: &PlanMember) -> Result<Vec<Piece>> {
        let n_param = self.input.params.len();
        let mut result = Vec::with_capacity(pieces.len());
        for mut piece in pieces {
            let functions = match &member.values {
                Values::Functions(functions) => functions,
                Values::Time(position) => {
                    piece.target = Some(piece.times[*position].clone());
                    result.push(piece);
                    continue;
                }
            };
            let Some(values) = functions.get(&piece.stmt) else {
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

    /// Generates the members of a band from `index` on, then what is below.
    fn member(&mut self, plan: &Plan, index: usize, scope: Scope, pieces: Vec<Piece>) -> Result<Ast> {
        let Plan::Band { members, full_tiles, child } = plan else { return self.node(plan, scope, pieces) };
        let Some(member) = members.get(index) else {
            let next: Next<'_> = &|builder, scope, pieces| builder.node(child, scope, pieces);
            let below = if *full_tiles && self.options.allow_else { point_members(child) } else { Vec::new() };
            if !below.is_empty() {
                let points = self.points(below.into_iter(), &pieces)?;
                return full_tiles::full_tiles(self, scope, pieces, &points, next);
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
        let outer = scope.outer.len();
        // A member that has the same known value for all instances separates nothing.
        let same = pieces.iter().all(|piece| match (&piece.target, &pieces[0].target) {
            (Some(a), Some(b)) => piece.is_known(a) && a[..=scope.n()] == b[..=scope.n()],
            _ => false,
        });
        if same {
            for piece in &mut pieces {
                let value = piece.target.take();
                if scope.outer.len() == outer {
                    scope.outer.extend(value.map(|row| Row::from(&row[..=scope.n()])));
                }
            }
            return next(self, scope, pieces);
        }
        for piece in &mut pieces {
            piece.hold_target();
        }
        let below = Below { members: &members[index + 1..], child };
        self.loops(scope, pieces, Origin::Member(member, below), next)
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
                self.executes(&scope)?;
                let args = piece.point.iter().map(|row| scope.expr(row)).collect();
                let stmt = self.input.stmts[piece.stmt].name.clone();
                let mut node = Ast::User { stmt: stmt.clone(), args };
                if let Some(hooks) = &mut self.hooks {
                    let at = Some((stmt, piece.point.clone()));
                    node = hooks.at_domain(&Position::new(&self.input.params, &scope, self.options, at, None), node)?;
                }
                parts.push(node);
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

/// The members of the bands from a node on that are one another's only children.
fn point_members(mut plan: &Plan) -> Vec<&PlanMember> {
    let mut result = Vec::new();
    while let Plan::Band { members, child, .. } = plan {
        result.extend(members);
        plan = child;
    }
    result
}

/// Makes room in all pieces for the new last column of a scope that now has `n` columns.
pub(super) fn insert_scope_column(pieces: &mut [Piece], n: usize) {
    for piece in pieces {
        piece.insert_column(n);
    }
}
