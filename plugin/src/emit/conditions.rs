//! What a guard has computed: conditions that must all hold, and what each of them is about.

use crate::host::{Edit, Editor, Value};

/// What a condition is about; positions are those of the plan of the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// A parameter is small enough.
    Parameter(usize),
    /// Some nest has an iteration.
    AnyWork,
    /// Enough iterations.
    Work,
    /// Enough values of a counter for the new order to pay.
    Need(usize),
    /// Enough bytes.
    Data,
    /// A recorded assumption on a range.
    Range(usize),
    /// A subscript lies inside of its row.
    Shape(usize),
    /// Arrays do not wrap around the address space.
    Distances,
    /// Bytes that are kept.
    Protected(usize),
    /// Tables of pointers to rows are not written.
    Tables,
    /// Two arrays do not overlap.
    Pair(usize, usize),
    /// What was read before the nest is what the nest would read.
    Unchanged,
    /// No number was too large on the way.
    Intermediate,
    /// There is memory for copies.
    Room,
}

/// Conditions on which the new code depends.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    all: Vec<(Subject, Value)>,
}

impl Conditions {
    /// Adds a condition.
    pub(super) fn push(&mut self, subject: Subject, holds: Value) {
        self.all.push((subject, holds));
    }

    /// Those about some subjects, and the others.
    pub(super) fn split(&self, is_of: impl Fn(Subject) -> bool) -> (Self, Self) {
        let (all, others) = self.all.iter().partition(|(subject, _)| is_of(*subject));
        (Self { all }, Self { all: others })
    }

    /// The same, but for pairs of arrays that may lie side by side instead.
    pub(super) fn or_beside(&self, editor: &Editor<'_>, beside: &[((usize, usize), Value)]) -> Edit<Self> {
        let instead = |(subject, holds): &(Subject, Value)| {
            let found = beside.iter().find(|((left, right), _)| *subject == Subject::Pair(*left, *right));
            let holds = found.map_or(Ok(*holds), |(_, also)| editor.either(*holds, *also))?;
            Ok((*subject, holds))
        };
        Ok(Self { all: self.all.iter().map(instead).collect::<Edit<_>>()? })
    }

    /// Those that are not known to hold.
    pub(super) fn open(&self) -> impl Iterator<Item = (Subject, Value)> {
        self.all.iter().copied().filter(|(_, holds)| holds.constant_int().is_none_or(|holds| holds == 0))
    }

    /// Whether one of them is known not to hold.
    pub(super) fn cannot_hold(&self) -> bool {
        self.all.iter().any(|(_, holds)| holds.constant_int() == Some(0))
    }

    /// Whether all of them hold, computed at the editor's position.
    pub(super) fn all(&self, editor: &Editor<'_>) -> Edit<Value> {
        self.all.iter().try_fold(editor.const_bool(true)?, |result, (_, holds)| editor.both(result, *holds))
    }
}
