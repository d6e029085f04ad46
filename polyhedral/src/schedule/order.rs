//! The order that a schedule tree defines, executable for two concrete instances.
//!
//! This is the definition of the meaning of a tree, written independently of AST generation and of the flat schedule,
//! so that both can be checked against it.

use std::cmp::Ordering;

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::Set;
use crate::space::{Name, Space};

use super::instances::{Instances, statement_name};
use super::tree::{Node, ScheduleTree};

/// The order in which a tree executes two instances, given as statement name and values of the dimensions, for given
/// parameter values (by name). `None` means unordered, which includes an instance with itself.
///
/// An error if a needed parameter has no value or an instance reaches a sequence and passes none of its filters.
/// Instances are not checked to be in the domain. Cost: linear in the number of nodes on the way, with an evaluation of
/// the filters.
pub fn order(
    tree: &ScheduleTree,
    params: &[(Name, Int)],
    first: (&str, &[Int]),
    second: (&str, &[Int]),
    budget: &Budget,
) -> Result<Option<Ordering>> {
    let mut node = tree.root();
    let (mut a, mut b) = (Chain::new(tree, params, first, budget)?, Chain::new(tree, params, second, budget)?);
    loop {
        let (first, second) = (a.now(), b.now());
        match node {
            Node::Domain(_, child)
            | Node::Context(_, child)
            | Node::Guard(_, child)
            | Node::Filter(_, child)
            | Node::Mark(_, child) => {
                node = child;
            }
            Node::Extension(..) => {
                let what = "an extension introduces instances that may run several times".to_owned();
                return Err(missing(what));
            }
            Node::Expansion(_, child) => {
                // Below, the instances stand for themselves.
                a.expand();
                b.expand();
                node = child;
            }
            Node::Band(band, child) => {
                for member in band.members() {
                    let value = |(stmt, point): (&str, &[Int])| {
                        let function = member
                            .function(stmt)
                            .ok_or_else(|| missing(format!("no expression for {stmt} in a band")))?;
                        let values = arguments(function.space(), params, point)?;
                        function.eval(&values, budget)?.ok_or_else(|| missing(format!("no value for {stmt} in a band")))
                    };
                    match value(first)?.cmp(&value(second)?) {
                        Ordering::Equal => {}
                        decided => return Ok(Some(decided)),
                    }
                }
                node = child;
            }
            Node::Sequence(children) | Node::Set(children) => {
                let position = |(stmt, point): (&str, &[Int])| -> Result<usize> {
                    for (index, child) in children.iter().enumerate() {
                        match &**child {
                            Node::Filter(instances, _) if passes(instances, params, stmt, point, budget)? => {
                                return Ok(index);
                            }
                            _ => {}
                        }
                    }
                    Err(missing(format!("an instance of {stmt} passes no filter of a {}", node.kind())))
                };
                let (i, k) = (position(first)?, position(second)?);
                if i != k {
                    let ordered = matches!(node, Node::Sequence(_));
                    return Ok(ordered.then(|| i.cmp(&k)));
                }
                node = &children[i];
            }
            Node::Leaf => return Ok(None),
        }
    }
}

/// An instance and its representatives at the expansions above it, itself first.
struct Chain(Vec<(Name, Vec<Int>)>);

impl Chain {
    fn new(
        tree: &ScheduleTree,
        params: &[(Name, Int)],
        (stmt, point): (&str, &[Int]),
        budget: &Budget,
    ) -> Result<Chain> {
        let mut chain = vec![(Name::from(stmt), point.to_vec())];
        let mut expansions = Vec::new();
        for (_, node) in tree.nodes() {
            if let Node::Expansion(expansion, _) = node {
                expansions.push(expansion);
            }
        }
        // From the bottom up, every expansion that knows the instance replaces it.
        for expansion in expansions.into_iter().rev() {
            let mut next = None;
            if let Some((stmt, point)) = chain.last() {
                for function in expansion.contraction.members() {
                    if statement_name(&function.domain_space()) == *stmt {
                        let values = arguments(&function.domain_space(), params, point)?;
                        if let Some(group) = function.eval(&values, budget)? {
                            next = Some((statement_name(&function.space().range()), group));
                        }
                    }
                }
            }
            chain.extend(next);
        }
        Ok(Chain(chain))
    }

    fn now(&self) -> (&str, &[Int]) {
        self.0.last().map_or(("", &[]), |(stmt, point)| (&**stmt, point.as_slice()))
    }

    fn expand(&mut self) {
        if self.0.len() > 1 {
            self.0.pop();
        }
    }
}

fn missing(what: String) -> Error {
    Error::OutOfRange { operation: "compare instances", what }
}

/// The point `[params | dims]` for a function or set in `space`.
pub(super) fn arguments(space: &Space, params: &[(Name, Int)], point: &[Int]) -> Result<Vec<Int>> {
    let mut values = Vec::with_capacity(space.param_names().len() + point.len());
    for name in space.param_names() {
        let found = params.iter().find(|(known, _)| known == name);
        values.push(found.ok_or_else(|| missing(format!("parameter {name} has no value")))?.1.clone());
    }
    values.extend(point.iter().cloned());
    Ok(values)
}

fn passes(instances: &Instances, params: &[(Name, Int)], stmt: &str, point: &[Int], budget: &Budget) -> Result<bool> {
    let Some(set) = instances.get(stmt) else { return Ok(false) };
    contains(set, params, point, budget)
}

fn contains(set: &Set, params: &[(Name, Int)], point: &[Int], budget: &Budget) -> Result<bool> {
    set.contains(&arguments(set.space(), params, point)?, budget)
}
