//! [`SharedNames`]: the names and flat tuples of one text, each kept once.
//!
//! A text with many disjuncts has the same tuples over and over, and what is read from it keeps them.

use std::collections::BTreeSet;

use crate::space::{Name, Tuple};

/// So many tuples are compared with a new one, those that came last.
const RECENT: usize = 64;

#[derive(Default)]
pub(super) struct SharedNames {
    names: BTreeSet<Name>,
    tuples: Vec<Tuple>,
}

impl SharedNames {
    /// The shared name; nothing for an empty one.
    fn name(&mut self, text: &str) -> Option<Name> {
        if text.is_empty() {
            return None;
        }
        if let Some(known) = self.names.get(text) {
            return Some(known.clone());
        }
        let name = Name::from(text);
        self.names.insert(name.clone());
        Some(name)
    }

    /// The flat tuple of some names. An empty string stands for "no name".
    pub(super) fn tuple(&mut self, name: &str, dims: &[&str]) -> Tuple {
        let name = self.name(name);
        let dims: Vec<Option<Name>> = dims.iter().map(|d| self.name(d)).collect();
        let recent = self.tuples.len().saturating_sub(RECENT);
        if let Some(known) = self.tuples[recent..].iter().rev().find(|t| t.is_of_names(name.as_ref(), &dims)) {
            return known.clone();
        }
        let tuple = Tuple::of_names(name, dims);
        self.tuples.push(tuple.clone());
        tuple
    }
}
