//! [`Instance`]: one instance of a statement in a question about several.

use crate::formula::condition::Dnf;
use crate::formula::poly::{Poly, Sym};
use crate::model::OTHER;
use crate::model::scop::Statement;
use crate::model::time::Time;
use crate::reasons::Reason;

/// An instance of a statement: its own induction variables get names by the `tag`, those of `shared` loops do not, so that
/// instances of one question agree on these.
pub(crate) struct Instance<'s> {
    /// The statement.
    pub(crate) statement: &'s Statement,
    /// The loops in whose iteration all instances are.
    pub(crate) shared: &'s [usize],
    /// Another number for each instance of the question.
    pub(crate) tag: usize,
}

impl Instance<'_> {
    /// A polynomial over the statement's loops.
    pub(crate) fn rename(&self, poly: &Poly) -> Poly {
        poly.rename(|symbol| match symbol {
            Sym::Iv(l) if !self.shared.contains(&l) => Sym::Iv(l + self.tag * OTHER),
            other => other,
        })
    }

    /// When it executes.
    pub(crate) fn time(&self) -> Time {
        self.statement.time.iter().map(|poly| self.rename(poly)).collect()
    }

    /// Its own induction variables.
    pub(crate) fn dims(&self) -> Vec<Sym> {
        let own = self.statement.loops.iter().filter(|l| !self.shared.contains(l));
        own.map(|l| Sym::Iv(l + self.tag * OTHER)).collect()
    }

    /// Whether it executes.
    pub(crate) fn condition(&self) -> Result<Dnf, Reason> {
        self.statement.condition.map(|poly| Ok(self.rename(poly)))
    }
}
