//! Structural verification of schedule trees.
//!
//! | rule | what must hold |
//! | --- | --- |
//! | V1 | the children of sequences and sets are filters |
//! | V2 | these are disjoint on the instances that reach the node |
//! | V3 | and cover them |
//! | V4 | a band has a value for every instance that reaches it |
//! | V5 | sequences and sets have children |
//! | V6 | the root is a domain, below contexts at most, and there is no other domain |
//! | V8 | contexts, guards, extensions and `isolate` options refer to as many outer members as there are |
//! | V9 | only the domain and contexts introduce parameters |
//! | V10 | an extension introduces instances that are not there yet |
//! | V11 | flags agree with dependences ([`ScheduleTree::verify_flags`]) |
//!
//! V7, which edits are possible above an anchored subtree, is checked by the edits.

use std::fmt;

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{UnionMap, UnionSet};
use crate::space::{DimKind, Name, Space};

use super::cursor::Cursor;
use super::insert::instance;
use super::instances::{Instances, statement_name};
use super::tree::{Node, Path, ScheduleTree};

/// A rule that a schedule tree breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The node.
    pub path: Path,
    /// The rule: "V1" to "V11".
    pub rule: &'static str,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "schedule node at {:?}: {} ({})", self.path, self.what, self.rule)
    }
}

impl ScheduleTree {
    /// The rules of the module documentation that the tree breaks, without V11; none for a well-formed tree. Exact;
    /// witnesses are named.
    pub fn verify(&self, budget: &Budget) -> Result<Vec<Defect>> {
        let mut check = Check { defects: Vec::new(), budget };
        let mut params = Vec::new();
        match (self.domain(), self.root()) {
            (Some(_), _) | (None, Node::Extension(..)) => {}
            _ => check.report(&self.cursor(), "V6", "there is no domain at the root".into()),
        }
        check.node(&self.cursor(), true, &UnionSet::default(), &mut params)?;
        Ok(check.defects)
    }

    /// The flags that claim more than dependences allow (rule V11).
    pub fn verify_flags(&self, validity: &UnionMap, coincidence: &UnionMap, budget: &Budget) -> Result<Vec<Defect>> {
        let mut defects = Vec::new();
        for flags in self.true_flags(validity, coincidence, budget)? {
            let Some(Node::Band(band, _)) = self.node(&flags.path) else { continue };
            let mut report = |what: String| defects.push(Defect { path: flags.path.clone(), rule: "V11", what });
            if band.permutable && !flags.permutable {
                report("the band is not permutable: a member has a negative distance".into());
            }
            for (position, member) in band.members().iter().enumerate() {
                if member.coincident && flags.coincident.get(position) == Some(&false) {
                    report(format!("member {position} is not coincident: it has a distance that is not zero"));
                }
            }
        }
        Ok(defects)
    }
}

struct Check<'b> {
    defects: Vec<Defect>,
    budget: &'b Budget,
}

fn collect(params: &mut Vec<Name>, space: &Space) {
    for name in space.param_names() {
        if !params.contains(name) {
            params.push(name.clone());
        }
    }
}

impl Check<'_> {
    fn report(&mut self, cursor: &Cursor, rule: &'static str, what: String) {
        self.defects.push(Defect { path: cursor.path().to_vec(), rule, what });
    }

    /// V9 for something at a node.
    fn bound(&mut self, cursor: &Cursor, params: &[Name], space: &Space) {
        for name in space.param_names() {
            if !params.contains(name) {
                let what = format!("the {} introduces the parameter {name}; only a context can", cursor.node().kind());
                let defect = Defect { path: cursor.path().to_vec(), rule: "V9", what };
                if !self.defects.contains(&defect) {
                    self.defects.push(defect);
                }
            }
        }
    }

    /// V8: a set or relation about as many members as there are above.
    fn depth(&mut self, cursor: &Cursor, found: usize) {
        let depth = cursor.schedule_depth();
        if found != depth {
            let kind = cursor.node().kind();
            self.report(cursor, "V8", format!("the {kind} is about {found} outer band members, but there are {depth}"));
        }
    }

    fn node(&mut self, cursor: &Cursor, top: bool, active: &UnionSet, params: &mut Vec<Name>) -> Result<()> {
        let budget = self.budget;
        let known = params.len();
        let mut below = active.clone();
        match cursor.node() {
            Node::Domain(instances, _) => {
                if !top {
                    self.report(cursor, "V6", "a domain below the root".into());
                }
                instances.iter().for_each(|(_, set)| collect(params, set.space()));
                below = instances.to_union_set()?;
            }
            Node::Context(set, _) => {
                collect(params, set.space());
                if set.space().dim(DimKind::Out) > 0 {
                    self.depth(cursor, set.space().dim(DimKind::Out));
                }
            }
            Node::Guard(set, _) => {
                self.bound(cursor, params, set.space());
                if set.space().dim(DimKind::Out) > 0 {
                    self.depth(cursor, set.space().dim(DimKind::Out));
                }
            }
            Node::Filter(filter, _) => {
                filter.iter().for_each(|(_, set)| self.bound(cursor, params, set.space()));
                below = active.intersect(&filter.to_union_set()?, budget)?;
            }
            Node::Extension(extension, _) => {
                if cursor.path().is_empty() {
                    collect(params, extension.params_space());
                } else {
                    self.bound(cursor, params, extension.params_space());
                    extension.members().for_each(|map| self.depth(cursor, map.space().dim(DimKind::In)));
                }
                let added = extension.range(budget)?;
                if let Some(witness) = instance(&active.intersect(&added, budget)?, budget).map_err(plain)? {
                    self.report(cursor, "V10", format!("{witness} is scheduled already"));
                }
                below = active.union(&added)?;
            }
            Node::Expansion(expansion, _) => {
                let members = expansion.members(budget)?;
                let lost = active.subtract(&members.range(budget)?, budget)?;
                if let Some(witness) = instance(&lost, budget).map_err(plain)? {
                    self.report(cursor, "V3", format!("{witness} is expanded to nothing"));
                }
                below = active.apply(&members.reverse()?, budget)?;
            }
            Node::Band(..) => self.band(cursor, active, params)?,
            Node::Sequence(children) | Node::Set(children) => {
                if children.is_empty() {
                    self.report(cursor, "V5", format!("a {} without children", cursor.node().kind()));
                }
                self.branches(cursor, active)?;
            }
            Node::Mark(..) | Node::Leaf => {}
        }
        let top = top && matches!(cursor.node(), Node::Context(..));
        for child in cursor.children() {
            self.node(&child, top, &below, params)?;
        }
        params.truncate(known);
        Ok(())
    }

    fn band(&mut self, cursor: &Cursor, active: &UnionSet, params: &[Name]) -> Result<()> {
        let Node::Band(band, _) = cursor.node() else { return Ok(()) };
        if let Some(isolate) = &band.isolate {
            self.depth(cursor, isolate.space().dim(DimKind::In));
        }
        for (position, member) in band.members().iter().enumerate() {
            for set in active.members() {
                let stmt = statement_name(set.space());
                let function = member.function(&stmt).filter(|f| f.space().has_equal_tuples(set.space()));
                if let Some(function) = function {
                    self.bound(cursor, params, function.space());
                    if function.as_total().is_some() {
                        continue;
                    }
                }
                let missing = match function {
                    Some(function) => set.subtract(&function.domain()?, self.budget)?,
                    None => set.clone(),
                };
                let missing = UnionSet::from_members([missing])?;
                if let Some(witness) = instance(&missing, self.budget).map_err(plain)? {
                    let what = format!("member {position} has no expression for {witness}, which reaches the band");
                    self.report(cursor, "V4", what);
                }
            }
        }
        Ok(())
    }

    fn branches(&mut self, cursor: &Cursor, active: &UnionSet) -> Result<()> {
        let budget = self.budget;
        let mut parts: Vec<UnionSet> = Vec::new();
        let mut rest = active.clone();
        let mut filters = true;
        for (position, child) in cursor.node().children().iter().enumerate() {
            let Node::Filter(filter, _) = &**child else {
                filters = false;
                let (kind, found) = (cursor.node().kind(), child.kind());
                self.report(cursor, "V1", format!("child {position} of a {kind} is a {found}, not a filter"));
                continue;
            };
            let part = active.intersect(&of(filter)?, budget)?;
            for (earlier, other) in parts.iter().enumerate() {
                if let Some(witness) = instance(&part.intersect(other, budget)?, budget).map_err(plain)? {
                    self.report(cursor, "V2", format!("{witness} passes filters {earlier} and {position}"));
                }
            }
            rest = rest.subtract(&part, budget)?;
            parts.push(part);
        }
        if filters && let Some(witness) = instance(&rest, budget).map_err(plain)? {
            self.report(cursor, "V3", format!("{witness} passes no filter and would not be executed"));
        }
        Ok(())
    }
}

fn of(instances: &Instances) -> Result<UnionSet> {
    instances.to_union_set()
}

/// The error of a relation behind that of an edit.
fn plain(error: super::edit::EditError) -> crate::error::Error {
    match error {
        super::edit::EditError::Relation(error) => error,
        other => crate::error::Error::OutOfRange { operation: "verify a schedule tree", what: other.to_string() },
    }
}
