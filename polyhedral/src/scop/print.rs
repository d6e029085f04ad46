//! SCoPs as text, in the form that [`Scop::parse`](super::Scop::parse) reads.

use std::fmt::{self, Display, Formatter};

use crate::flow::AccessKind;
use crate::text::quoted;

use super::{Assumption, Operation, Scop, Statement, Storage};

/// A list in flow style, its elements in quotes.
fn list(items: impl IntoIterator<Item = impl Display>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| quoted(&item.to_string())).collect();
    format!("[ {} ]", items.join(", "))
}

/// YAML in block style; parts that are empty are left out. The text is deterministic, and reading it gives an equal
/// value.
impl Display for Scop {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "scop: {}", quoted(&self.name))?;
        writeln!(f, "context: {}", quoted(&self.context.to_string()))?;
        writeln!(f, "arrays:")?;
        for array in &self.arrays {
            write!(f, "- {{ array: {}, element: {}, unit: {}", quoted(&array.name), array.element, array.unit)?;
            match array.storage {
                Storage::Memory => write!(f, ", storage: memory")?,
                Storage::Rows(n) => write!(f, ", storage: rows, levels: {n}")?,
                Storage::Scalar => write!(f, ", storage: scalar")?,
            }
            if !array.sizes.is_empty() {
                write!(f, ", sizes: {}", list(&array.sizes))?;
            }
            writeln!(f, " }}")?;
        }
        writeln!(f, "statements:")?;
        for statement in &self.statements {
            self.statement_text(statement, f)?;
        }
        if !self.promises.is_empty() {
            writeln!(f, "promises:")?;
        }
        for promise in &self.promises {
            let accesses = promise.accesses.iter().map(|(s, access)| format!("{}.{access}", self.statements[*s].name));
            writeln!(f, "- {{ depth: {}, accesses: {} }}", promise.depth, list(accesses))?;
        }
        if !self.assumptions.is_empty() {
            writeln!(f, "assumptions:")?;
        }
        for assumption in &self.assumptions {
            writeln!(f, "- {{ {assumption} }}")?;
        }
        writeln!(f, "schedule:")?;
        for line in self.schedule.to_yaml().lines() {
            writeln!(f, "  {line}")?;
        }
        Ok(())
    }
}

impl Scop {
    fn statement_text(&self, statement: &Statement, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "- statement: {}", quoted(&statement.name))?;
        writeln!(f, "  domain: {}", quoted(&statement.domain.to_string()))?;
        if !statement.accesses.is_empty() {
            writeln!(f, "  accesses:")?;
        }
        for access in &statement.accesses {
            let kind = match access.kind {
                AccessKind::Read => "read",
                AccessKind::MustWrite => "write",
                AccessKind::MayWrite => "may-write",
            };
            writeln!(f, "  - {{ {kind}: {} }}", quoted(&access.relation.to_string()))?;
        }
        if !statement.operations.is_empty() {
            writeln!(f, "  operations: {}", list(&statement.operations))?;
        }
        if !statement.chains.is_empty() {
            writeln!(f, "  chains:")?;
        }
        for chain in &statement.chains {
            let through: &[Operation] = &chain.through;
            writeln!(f, "  - {{ from: {}, to: {}, through: {} }}", chain.from, chain.to, list(through))?;
        }
        if let Some(reduction) = &statement.reduction {
            let kind = quoted(&reduction.kind);
            writeln!(f, "  reduction: {{ kind: {kind}, read: {}, write: {} }}", reduction.read, reduction.write)?;
        }
        if statement.branches {
            writeln!(f, "  branches: 1")?;
        }
        Ok(())
    }
}

/// The pairs of a mapping.
impl Display for Assumption {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Assumption::Apart(a, b) => write!(f, "apart: {}", list([a, b])),
            Assumption::Range { value, low, high } => {
                write!(f, "value: {}", quoted(&value.to_string()))?;
                let bounds = [("low", low), ("high", high)];
                bounds
                    .iter()
                    .filter_map(|(key, bound)| Some((key, bound.as_ref()?)))
                    .try_for_each(|(key, bound)| write!(f, ", {key}: {bound}"))
            }
            Assumption::Protected { bytes, array } => {
                write!(f, "protected: {}, from: {}", quoted(bytes), quoted(array))
            }
            Assumption::Rows(array) => write!(f, "rows: {}", quoted(array)),
        }
    }
}
