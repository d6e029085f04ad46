//! What makes no sense in a SCoP, and where.
//!
//! [`Scop::parse`] points at the part of the text; a SCoP that was built otherwise can be checked with [`Scop::verify`]. Example: with
//!
//! ```text
//! arrays:
//! - { array: "A", element: f64, storage: memory, sizes: [ "[n] -> { n }" ] }
//! ```
//!
//! an access `{ S[i] -> A[i] }` is a defect, as `A` has two dimensions: the outermost, whose size nobody needs to know, and one of `n`.

use std::fmt;

use crate::flow::AccessKind;

use super::{Assumption, Scop, Storage};

/// A part of a SCoP, by its position in the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopPart {
    /// An array.
    Array(usize),
    /// A statement.
    Statement(usize),
    /// An access of a statement.
    Access {
        /// The statement.
        statement: usize,
        /// Its access.
        access: usize,
    },
    /// A promise.
    Promise(usize),
    /// An assumption.
    Assumption(usize),
    /// The schedule.
    Schedule,
}

impl ScopPart {
    /// What users call such a part.
    pub fn kind(self) -> &'static str {
        match self {
            ScopPart::Array(_) => "array",
            ScopPart::Statement(_) => "statement",
            ScopPart::Access { .. } => "access",
            ScopPart::Promise(_) => "promise",
            ScopPart::Assumption(_) => "assumption",
            ScopPart::Schedule => "schedule",
        }
    }
}

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// Where.
    pub part: ScopPart,
    /// A sentence that says what, with the names of the parts.
    pub message: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Scop {
    /// What breaks the invariants of the module, in the order of the parts; empty if nothing does. No sets are computed.
    pub fn verify(&self) -> Vec<Defect> {
        let mut defects = Vec::new();
        self.verify_arrays(&mut defects);
        self.verify_statements(&mut defects);
        self.verify_promises(&mut defects);
        self.verify_assumptions(&mut defects);
        self.verify_schedule(&mut defects);
        defects
    }

    fn verify_arrays(&self, defects: &mut Vec<Defect>) {
        for (index, array) in self.arrays.iter().enumerate() {
            let mut defect = |message| defects.push(Defect { part: ScopPart::Array(index), message });
            let name = &array.name;
            if self.array(name) != Some(index) {
                defect(format!("two arrays are called {name}"));
            }
            if array.unit == 0 {
                defect(format!("elements of {name} have no distance"));
            }
            if array.storage == Storage::Scalar && !array.sizes.is_empty() {
                defect(format!("{name} is a scalar and has dimensions"));
            }
        }
    }

    fn verify_statements(&self, defects: &mut Vec<Defect>) {
        let mut subscripts = vec![None; self.arrays.len()];
        for (index, statement) in self.statements.iter().enumerate() {
            let mut defect = |message| defects.push(Defect { part: ScopPart::Statement(index), message });
            let name = &statement.name;
            if self.statement(name) != Some(index) {
                defect(format!("two statements are called {name}"));
            }
            if statement.domain.space().range_tuple().name().map_or("", |tuple| tuple) != name {
                defect(format!("the domain of {name} is one of another statement: {}", statement.domain));
            }
            let n = statement.accesses.len();
            let chains = statement.chains.iter().map(|chain| ("chain", chain.from, chain.to));
            let reduction = statement.reduction.iter().map(|reduction| ("reduction", reduction.read, reduction.write));
            for (what, from, to) in chains.chain(reduction) {
                let is = |access: usize, reads: bool| {
                    access < n && (statement.accesses[access].kind == AccessKind::Read) == reads
                };
                if !is(from, true) || !is(to, false) {
                    defect(format!("a {what} of {name} goes from access {from} to access {to}: no read and write"));
                }
            }
            for access in 0..n {
                if let Some(message) = self.defect_of_access(index, access, &mut subscripts) {
                    defects.push(Defect { part: ScopPart::Access { statement: index, access }, message });
                }
            }
        }
    }

    /// What is wrong with an access. `subscripts` are the numbers of subscripts that earlier accesses have, by array.
    fn defect_of_access(&self, statement: usize, number: usize, subscripts: &mut [Option<usize>]) -> Option<String> {
        let statement = &self.statements[statement];
        let (name, access) = (&statement.name, &statement.accesses[number]);
        let space = access.relation.space();
        if space.domain_tuple() != Some(statement.domain.space().range_tuple()) {
            return Some(format!("access {number} of {name} is one of another statement: {}", access.relation));
        }
        let Some(index) = self.array_of(access) else {
            return Some(format!("access {number} of {name} leads to no array of the SCoP: {}", access.relation));
        };
        let array = &self.arrays[index];
        let n = space.range_tuple().len();
        let dimensions = match array.storage {
            Storage::Memory if !array.sizes.is_empty() => Some(array.sizes.len() + 1),
            Storage::Rows(levels) if !array.sizes.is_empty() => Some(levels + array.sizes.len() + 1),
            // Scalars may have copies, addressed by subscripts.
            Storage::Memory | Storage::Rows(_) | Storage::Scalar => None,
        };
        let array = &array.name;
        if let Some(dimensions) = dimensions.filter(|dimensions| *dimensions != n) {
            return Some(format!(
                "{array} has {dimensions} dimensions and {n} subscripts in access {number} of {name}"
            ));
        }
        (*subscripts[index].get_or_insert(n) != n)
            .then(|| format!("{array} is accessed with different numbers of subscripts, here by {name}"))
    }

    fn verify_promises(&self, defects: &mut Vec<Defect>) {
        for (index, promise) in self.promises.iter().enumerate() {
            for (s, access) in &promise.accesses {
                if self.statements.get(*s).is_none_or(|statement| *access >= statement.accesses.len()) {
                    let message = format!("a promise is about access {access} of statement {s}, which does not exist");
                    defects.push(Defect { part: ScopPart::Promise(index), message });
                }
            }
        }
    }

    fn verify_assumptions(&self, defects: &mut Vec<Defect>) {
        for (index, assumption) in self.assumptions.iter().enumerate() {
            let names: Vec<&String> = match assumption {
                Assumption::Apart(a, b) => vec![a, b],
                Assumption::Protected { array, .. } | Assumption::Rows(array) => vec![array],
                Assumption::Range { .. } => Vec::new(),
            };
            for name in names.into_iter().filter(|name| self.array(name).is_none()) {
                let message = format!("an assumption is about {name}, which is no array of the SCoP");
                defects.push(Defect { part: ScopPart::Assumption(index), message });
            }
        }
    }

    fn verify_schedule(&self, defects: &mut Vec<Defect>) {
        let scheduled: Vec<_> = self
            .schedule
            .domain()
            .map(|instances| instances.iter().map(|(name, _)| name.clone()).collect())
            .unwrap_or_default();
        let mut defect = |message| defects.push(Defect { part: ScopPart::Schedule, message });
        for name in scheduled.iter().filter(|name| self.statement(name).is_none()) {
            defect(format!("the schedule has {name}, which is no statement of the SCoP"));
        }
        for statement in &self.statements {
            if !scheduled.iter().any(|name: &crate::space::Name| **name == *statement.name) {
                defect(format!("the schedule lacks {}", statement.name));
            }
        }
    }
}
