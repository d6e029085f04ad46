//! Structural verification of schedule trees.

use std::fmt;

use crate::budget::Budget;
use crate::error::Result;

use super::instances::Instances;
use super::tree::{Node, Path, ScheduleTree};

/// A rule that a schedule tree breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The node.
    pub path: Path,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "schedule node at {:?}: {}", self.path, self.what)
    }
}

impl ScheduleTree {
    /// The rules that the tree breaks; none for a well-formed tree. Checked are: one domain at the root (below contexts at
    /// most); sequences and sets have children, all of them filters, which are disjoint and cover the instances that reach
    /// the node; bands have an expression for every statement that reaches them.
    pub fn verify(&self, budget: &Budget) -> Result<Vec<Defect>> {
        let mut defects = Vec::new();
        match self.domain() {
            None => defects.push(Defect { path: Path::new(), what: "there is no domain at the root".into() }),
            Some(domain) => check(self.root(), true, domain, &mut Path::new(), &mut defects, budget)?,
        }
        Ok(defects)
    }
}

fn check(
    node: &Node,
    top: bool,
    active: &Instances,
    path: &mut Path,
    defects: &mut Vec<Defect>,
    budget: &Budget,
) -> Result<()> {
    let mut below = active.clone();
    let mut report = |what: String| defects.push(Defect { path: path.clone(), what });
    match node {
        Node::Domain(..) if !top => report("a domain below the root".into()),
        Node::Filter(filter, _) => below = active.intersect(filter, budget)?,
        Node::Band(band, _) => {
            for (position, member) in band.members().iter().enumerate() {
                for (stmt, set) in active.iter() {
                    let function = member.function(stmt).filter(|f| f.space().has_equal_tuples(set.space()));
                    let total = match function {
                        None => set.is_empty(budget)?,
                        Some(function) => {
                            function.as_total().is_some() || set.is_subset(&function.domain()?, budget)?
                        }
                    };
                    if !total {
                        report(format!("member {position} has no expression for {stmt}, which reaches the band"));
                    }
                }
            }
        }
        Node::Sequence(children) | Node::Set(children) => {
            if children.is_empty() {
                report(format!("a {} without children", node.kind()));
            }
            let mut covered = Instances::new();
            for child in children {
                let Node::Filter(filter, _) = &**child else {
                    report(format!("a child of a {} is a {}, not a filter", node.kind(), child.kind()));
                    continue;
                };
                let part = active.intersect(filter, budget)?;
                for (stmt, set) in part.iter() {
                    if let Some(before) = covered.get(stmt)
                        && !before.is_disjoint(set, budget)?
                    {
                        report(format!("instances of {stmt} pass two filters"));
                    }
                    covered.add(set.clone())?;
                }
            }
            for (stmt, set) in active.iter() {
                let missing = match covered.get(stmt) {
                    Some(part) => !set.is_subset(part, budget)?,
                    None => !set.is_empty(budget)?,
                };
                if missing {
                    report(format!("instances of {stmt} pass no filter and would not be executed"));
                }
            }
        }
        _ => {}
    }
    let top = top && matches!(node, Node::Context(..));
    for (index, child) in node.children().iter().enumerate() {
        path.push(index);
        check(child, top, &below, path, defects, budget)?;
        path.pop();
    }
    Ok(())
}
