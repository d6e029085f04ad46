//! Where the time of a compilation goes: seconds and units of the budget, by nest and phase. The option `time` prints the table when the
//! passes over a module are done.
//!
//! The phases are spans (`tessera_polyhedral::trace`). A run over a function has a [`Collector`] of its own, which is the subscriber of the
//! thread of the run while it lasts: nothing is installed for the process, so that compilers that use `tracing` themselves (rustc does, with a
//! copy of its own) and runs on other threads see nothing of it.
//!
//! Invariant: a row has what its phase took without the phases inside it. So the rows of a nest add up to the nest, and all rows to the
//! whole.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tessera_polyhedral::trace::{TARGET, UNITS};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The field of a span that says which nest it and what is inside it belong to.
pub const NEST: &str = "nest";

/// What something took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// On the clock.
    pub time: Duration,
    /// Of the budget.
    pub units: u64,
}

impl Cost {
    fn add(&mut self, other: Cost) {
        self.time += other.time;
        self.units = self.units.saturating_add(other.units);
    }

    fn without(self, other: Cost) -> Cost {
        Cost { time: self.time.saturating_sub(other.time), units: self.units.saturating_sub(other.units) }
    }
}

/// The costs of phases, in the order in which the phases came first.
type Phases = Vec<(&'static str, Cost)>;

/// The table: nests in the order in which they came, with their phases.
#[derive(Clone, Debug, Default)]
pub struct Times {
    nests: Vec<(String, Phases)>,
}

fn add(phases: &mut Phases, phase: &'static str, cost: Cost) {
    match phases.iter_mut().find(|(known, _)| *known == phase) {
        Some((_, total)) => total.add(cost),
        None => phases.push((phase, cost)),
    }
}

impl Times {
    /// Whether nothing was collected.
    pub fn is_empty(&self) -> bool {
        self.nests.is_empty()
    }

    fn add(&mut self, nest: &str, phase: &'static str, cost: Cost) {
        // Most spans belong to the nest of the one before.
        match self.nests.iter_mut().rev().find(|(known, _)| known == nest) {
            Some((_, phases)) => add(phases, phase, cost),
            None => self.nests.push((nest.to_owned(), vec![(phase, cost)])),
        }
    }

    /// Adds the nests of another table, which come after these.
    pub fn append(&mut self, mut other: Times) {
        self.nests.append(&mut other.nests);
    }
}

/// One line per nest and phase, and one for all phases of a nest; then the same for all nests together.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "tessera: time by nest and phase\n   seconds        units  phase         nest")?;
        let mut line = |phase: &str, nest: &str, cost: Cost| {
            writeln!(f, "{:10.6} {:12}  {phase:12}  {nest}", cost.time.as_secs_f64(), cost.units)
        };
        let mut block = |nest: &str, phases: &Phases| {
            let mut total = Cost::default();
            for (phase, cost) in phases {
                total.add(*cost);
                line(phase, nest, *cost)?;
            }
            line("all", nest, total)
        };
        let mut all = Phases::new();
        for (nest, phases) in &self.nests {
            block(nest, phases)?;
            for (phase, cost) in phases {
                add(&mut all, phase, *cost);
            }
        }
        block("all nests", &all)
    }
}

/// What is known about a span.
struct Span {
    phase: &'static str,
    nest: Option<String>,
    units: u64,
}

/// A span that was entered and not left.
struct Open {
    span: u64,
    start: Instant,
    /// What the spans inside it took.
    inside: Cost,
}

#[derive(Default)]
struct State {
    /// The spans that exist, by number from 1 on. They are nested, so that the last one that was made ends first.
    spans: Vec<Span>,
    open: Vec<Open>,
    times: Times,
}

impl State {
    fn span(&mut self, id: u64) -> Option<&mut Span> {
        self.spans.get_mut(usize::try_from(id).ok()?.checked_sub(1)?)
    }

    fn leave(&mut self, id: u64, now: Instant) {
        if self.open.last().is_none_or(|open| open.span != id) {
            return;
        }
        let Some(open) = self.open.pop() else { return };
        let Some(span) = self.span(id) else { return };
        let (phase, units) = (span.phase, span.units);
        let whole = Cost { time: now.duration_since(open.start), units };
        if let Some(around) = self.open.last_mut() {
            around.inside.add(whole);
        }
        let State { spans, times, .. } = self;
        let up_to = usize::try_from(id).unwrap_or(usize::MAX).min(spans.len());
        let nest = spans[..up_to].iter().rev().find_map(|span| span.nest.as_deref());
        times.add(nest.unwrap_or("no nest"), phase, whole.without(open.inside));
    }
}

/// Collects the spans of one run, on its thread.
#[derive(Default)]
pub struct Collector(Mutex<State>);

impl Collector {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is locked; a table that lacks something would be no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was collected so far.
    pub fn times(&self) -> Times {
        self.state().times.clone()
    }
}

impl Visit for Span {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == NEST {
            self.nest = Some(value.to_owned());
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == UNITS {
            self.units = value;
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.target() == TARGET
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::DEBUG)
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut span = Span { phase: attributes.metadata().name(), nest: None, units: 0 };
        attributes.record(&mut span);
        let spans = &mut self.state().spans;
        spans.push(span);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, id: &Id, values: &Record<'_>) {
        if let Some(span) = self.state().span(id.into_u64()) {
            values.record(span);
        }
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, id: &Id) {
        let start = Instant::now();
        self.state().open.push(Open { span: id.into_u64(), start, inside: Cost::default() });
    }

    fn exit(&self, id: &Id) {
        let now = Instant::now();
        self.state().leave(id.into_u64(), now);
    }

    fn try_close(&self, id: Id) -> bool {
        let mut state = self.state();
        if usize::try_from(id.into_u64()) == Ok(state.spans.len()) {
            state.spans.pop();
        }
        true
    }
}
