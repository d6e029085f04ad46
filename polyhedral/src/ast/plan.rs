//! [`Plan`]: a schedule tree translated to plain rows, the input of the generator.
//!
//! Statements are numbered, parameters are brought to one list, every set is a list of *disjoint* conjunctions without
//! undefined existentials, so that generating each conjunction once executes each instance once. Translation also checks
//! what generation relies on: every band has an expression for every statement that reaches it.

use std::collections::{BTreeMap, BTreeSet};

use crate::affine::Aff;
use crate::arith::Int;
use crate::budget::Budget;
use crate::relation::{Conjunction, Row, Set, remap};
use crate::schedule::{Instances, LoopType, Node, ScheduleTree};
use crate::space::{DimKind, Name, Space};

use super::error::AstError;
use super::node::MemberId;
use super::system::System;

/// A statement of the tree.
#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub(super) name: Name,
    pub(super) n_dim: usize,
}

/// One conjunction over `[1 | params | dims | locals]`, the definitions of the locals included.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) system: System,
    pub(super) n_local: usize,
}

/// A quasi-affine value: `row` over `[1 | params | dims | divs]`.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) row: Row,
    /// Numerators (over the same columns) and denominators; each uses only earlier divisions.
    pub(super) divs: Vec<(Row, Int)>,
}

/// A piecewise value: on each of some disjoint parts (nothing stands for everywhere) one value.
pub(super) type Cases = Vec<(Option<Vec<Part>>, Value)>;

/// One member of a band.
#[derive(Clone, Debug)]
pub(super) struct PlanMember {
    pub(super) id: MemberId,
    /// The values for each statement that reaches the band, on disjoint parts of it; nothing for one value everywhere.
    pub(super) values: BTreeMap<usize, Cases>,
    pub(super) coincident: bool,
    pub(super) loop_type: LoopType,
    pub(super) name: Option<Name>,
}

/// A node of the translated tree.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    Leaf,
    /// Assumed constraints: a conjunction over the parameters.
    Context(System, Box<Plan>),
    /// For each statement that passes: the parts of the filter, or nothing if all instances pass.
    Filter(BTreeMap<usize, Option<Vec<Part>>>, Box<Plan>),
    /// Children in order (those of set nodes too).
    Sequence(Vec<Plan>),
    Band {
        members: Vec<PlanMember>,
        isolate: bool,
        child: Box<Plan>,
    },
    Mark(Name, Box<Plan>),
}

/// A translated schedule tree.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) params: Vec<Name>,
    pub(super) stmts: Vec<Stmt>,
    /// The instances of each statement, as disjoint parts.
    pub(super) domain: Vec<Vec<Part>>,
    pub(super) context: System,
    pub(super) plan: Plan,
}

/// Translates a tree. `context` holds additional assumptions about the parameters.
pub(super) fn translate(tree: &ScheduleTree, context: Option<&Set>, budget: &Budget) -> Result<Input, AstError> {
    let domain = tree.domain().ok_or_else(|| AstError::Malformed { what: "there is no domain at the root".into() })?;
    let mut params: Vec<Name> = Vec::new();
    let mut collect = |space: &Space| {
        for name in space.param_names() {
            if !params.contains(name) {
                params.push(name.clone());
            }
        }
    };
    for (_, set) in domain.iter() {
        collect(set.space());
    }
    if let Some(context) = context {
        collect(context.space());
    }
    for (_, node) in tree.nodes() {
        match node {
            Node::Context(set, _) => collect(set.space()),
            Node::Filter(instances, _) => instances.iter().for_each(|(_, set)| collect(set.space())),
            Node::Band(band, _) => {
                for member in band.members() {
                    member.exprs().for_each(|(_, function)| collect(function.space()));
                }
            }
            _ => {}
        }
    }
    let stmts: Vec<Stmt> =
        domain.iter().map(|(name, set)| Stmt { name: name.clone(), n_dim: set.space().dim(DimKind::Out) }).collect();
    let translator = Translator { params: &params, stmts: &stmts, budget };
    let parts = domain.iter().map(|(_, set)| translator.parts(set)).collect::<Result<Vec<_>, _>>()?;
    let mut assumed = System::universe(params.len());
    if let Some(context) = context {
        assumed = assumed.and(&translator.assumptions(context)?);
    }
    let reaching: BTreeSet<usize> = (0..stmts.len()).collect();
    let mut n_band = 0;
    let plan = translator.node(tree.root(), true, &reaching, &mut n_band)?;
    Ok(Input { domain: parts, context: assumed, plan, params: params.clone(), stmts: stmts.clone() })
}

struct Translator<'a> {
    params: &'a [Name],
    stmts: &'a [Stmt],
    budget: &'a Budget,
}

impl Translator<'_> {
    /// Where the columns of a set space with `n_local` locals go when the parameters are aligned.
    fn columns(&self, space: &Space, n_local: usize) -> (Vec<usize>, usize) {
        let mut map = vec![0];
        for name in space.param_names() {
            map.push(1 + self.params.iter().position(|p| p == name).unwrap_or(0));
        }
        let rest = space.dim(DimKind::Out) + n_local;
        map.extend((0..rest).map(|k| 1 + self.params.len() + k));
        (map, 1 + self.params.len() + rest)
    }

    fn part(&self, conjunction: &Conjunction) -> Part {
        let n_local = conjunction.n_local();
        let (map, n_col) = self.columns(conjunction.space(), n_local);
        let translate = |rows: &[Row]| rows.iter().map(|row| remap(row, &map, n_col)).collect();
        let eqs = translate(conjunction.eqs());
        let ineqs = translate(&conjunction.solver_ineqs());
        Part { system: System { n: n_col - 1, eqs, ineqs }, n_local }
    }

    /// The set as disjoint conjunctions whose locals are all defined.
    fn parts(&self, set: &Set) -> Result<Vec<Part>, AstError> {
        let explicit = set.make_divs_explicit(self.budget)?.coalesce(self.budget)?;
        let mut done: Option<Set> = None;
        let mut parts = Vec::new();
        for conjunction in explicit.conjunctions() {
            let one = Set::from_conjunction(conjunction.clone());
            let new = match &done {
                None => one.clone(),
                Some(done) => one.subtract(done, self.budget)?.make_divs_explicit(self.budget)?,
            };
            parts.extend(new.conjunctions().iter().map(|c| self.part(c)));
            done = Some(match done {
                None => one,
                Some(done) => done.union(&one)?,
            });
        }
        Ok(parts)
    }

    /// What a context guarantees, as one conjunction over the parameters. Of a union, only the constraints that all of its
    /// parts share are used: assuming less is always right.
    fn assumptions(&self, context: &Set) -> Result<System, AstError> {
        let n = self.params.len();
        let set = context.to_params(self.budget)?;
        let parts: Vec<System> =
            set.conjunctions().iter().filter(|c| c.n_local() == 0).map(|c| self.part(c).system).collect();
        if parts.len() != set.conjunctions().len() || parts.is_empty() {
            // Locals (divisibility of parameters) are left to run-time conditions.
            return Ok(System::universe(n));
        }
        let Some((first, rest)) = parts.split_first() else { return Ok(System::universe(n)) };
        let mut shared = System::universe(n);
        for row in super::project::as_inequalities(first) {
            let mut all = true;
            for part in rest {
                all = all && part.implies(&row, self.budget)?;
            }
            if all {
                shared.ineqs.push(row);
            }
        }
        if rest.is_empty() {
            shared = first.clone();
        }
        Ok(shared)
    }

    fn value(&self, aff: &Aff) -> Value {
        let aff = aff.floor();
        let (map, n_col) = self.columns(aff.space(), aff.divs().len());
        let divs = aff.divs().iter().map(|div| (remap(&div.row, &map, n_col), div.den.clone())).collect();
        Value { row: remap(aff.row(), &map, n_col), divs }
    }

    fn filter(
        &self,
        instances: &Instances,
        reaching: &BTreeSet<usize>,
    ) -> Result<BTreeMap<usize, Option<Vec<Part>>>, AstError> {
        let mut result = BTreeMap::new();
        for &index in reaching {
            let stmt = &self.stmts[index];
            let Some(set) = instances.get(&stmt.name) else { continue };
            if set.space().dim(DimKind::Out) != stmt.n_dim {
                let what = format!("a filter has another space for statement {}: {}", stmt.name, set.space());
                return Err(AstError::Malformed { what });
            }
            let parts = if set.is_plainly_universe() { None } else { Some(self.parts(set)?) };
            result.insert(index, parts);
        }
        Ok(result)
    }

    fn node(&self, node: &Node, top: bool, reaching: &BTreeSet<usize>, n_band: &mut usize) -> Result<Plan, AstError> {
        Ok(match node {
            Node::Domain(_, child) if top => self.node(child, false, reaching, n_band)?,
            Node::Domain(..) => {
                let what = "a domain node below the root".to_owned();
                return Err(AstError::Malformed { what });
            }
            Node::Context(set, _) if set.space().dim(DimKind::Out) > 0 => {
                let what = "a context with constraints on outer band members".to_owned();
                return Err(AstError::Unsupported { what });
            }
            Node::Context(set, child) => {
                let below = self.node(child, top, reaching, n_band)?;
                Plan::Context(self.assumptions(set)?, Box::new(below))
            }
            Node::Filter(instances, child) => {
                let parts = self.filter(instances, reaching)?;
                let passing = parts.keys().copied().collect();
                Plan::Filter(parts, Box::new(self.node(child, false, &passing, n_band)?))
            }
            Node::Sequence(children) | Node::Set(children) => {
                let mut plans = Vec::with_capacity(children.len());
                for child in children {
                    if !matches!(**child, Node::Filter(..)) {
                        let what = format!("a child of a {} is a {}, not a filter", node.kind(), child.kind());
                        return Err(AstError::Malformed { what });
                    }
                    plans.push(self.node(child, false, reaching, n_band)?);
                }
                Plan::Sequence(plans)
            }
            Node::Guard(..) | Node::Extension(..) | Node::Expansion(..) => {
                return Err(AstError::Unsupported { what: format!("a node of the kind {}", node.kind()) });
            }
            Node::Band(band, child) => {
                let number = *n_band;
                *n_band += 1;
                if band.isolate.is_some() {
                    return Err(AstError::Unsupported { what: format!("the option isolate of band {number}") });
                }
                if band.members().iter().any(|member| member.loop_type == LoopType::Unroll) {
                    return Err(AstError::Unsupported { what: format!("the option unroll of band {number}") });
                }
                let mut members = Vec::with_capacity(band.len());
                for (position, member) in band.members().iter().enumerate() {
                    let mut values = BTreeMap::new();
                    for &index in reaching {
                        let stmt = &self.stmts[index];
                        let function = member.function(&stmt.name);
                        let function =
                            function.filter(|f| f.space().dim(DimKind::Out) == stmt.n_dim).ok_or_else(|| {
                                AstError::MissingExpression { stmt: stmt.name.clone(), band: number, member: position }
                            })?;
                        let mut parts = Vec::with_capacity(function.pieces().len());
                        for (set, aff) in function.pieces() {
                            let part = if set.is_plainly_universe() { None } else { Some(self.parts(set)?) };
                            parts.push((part, self.value(aff)));
                        }
                        values.insert(index, parts);
                    }
                    members.push(PlanMember {
                        id: MemberId { band: number, member: position },
                        values,
                        coincident: member.coincident,
                        loop_type: member.loop_type,
                        name: member.name.clone(),
                    });
                }
                let child = self.node(child, false, reaching, n_band)?;
                Plan::Band { members, isolate: band.isolate_full_tiles, child: Box::new(child) }
            }
            Node::Mark(name, child) => Plan::Mark(name.clone(), Box::new(self.node(child, false, reaching, n_band)?)),
            Node::Leaf => Plan::Leaf,
        })
    }
}
