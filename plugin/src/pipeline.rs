//! The phases of one run, in order.
//!
//! All nests of a function are analysed and planned first, while the compiler's analyses are valid; then the new code of
//! all of them is built, the function is verified once, and the edits are committed. Nothing in between touches IR.

use crate::detect::detect;
use crate::detect::reasons::{Reason, Rejection};
use crate::detect::scev::Reader;
use crate::detect::target;
use crate::emit::frame::Frame;
use crate::emit::guard::{GuardPlan, Widths, Worth};
use crate::emit::{self, Job, Outcome};
use crate::entry::Mode;
use crate::host::{EditError, Editor, Host, Loop, Value};
use crate::machine::Machine;
use crate::model::sets::library_error;
use crate::model::{self, scop::Scop};
use crate::optimise::{self, Plan, Wishes};
use crate::options::Options;
use crate::phase::{Fault, Phase};
use crate::report::{Place, Remark, print, summary};
use crate::simplify::simplify;
use std::collections::HashMap;
use tessera_polyhedral::ast::{AstBuild, AstError};
use tessera_polyhedral::budget::Budget;

/// What the host should do after a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunResult {
    /// Clean up the changed function at once.
    pub cleanup: bool,
    /// The machine that the function is compiled for as text, where the user wants to see it.
    pub target: Option<String>,
}

/// One run over one function.
struct Run<'r, 'a> {
    host: &'r Host<'a>,
    options: &'r Options,
    mode: Mode,
    budget: Budget,
    machine: Machine<'a>,
}

/// What becomes of one outermost nest.
struct Nest {
    root: Loop,
    /// Why it cannot be transformed as a whole.
    refusal: Option<Rejection>,
    /// The nest itself or, if it is refused, nests inside it.
    planned: Vec<Planned>,
}

/// A nest for which there is a plan.
struct Planned {
    root: Loop,
    job: Job,
    /// What the plan does.
    what: String,
}

/// Runs all phases on the function of the host.
pub fn run(host: &Host<'_>, options: &Options, mode: Mode) -> RunResult {
    let machine = Machine::new(host.analyses(), options.target.clone());
    let run = Run { host, options, mode, budget: Budget::new(options.budget), machine };
    let target = options.print_target.then(|| match run.machine.target() {
        Ok(target) => target.to_string(),
        Err(error) => format!("# {error}\n"),
    });
    host.enter(Phase::Detect);
    let nests = host.analyses().top_level_loops().into_iter().map(|root| run.consider(root)).collect();
    RunResult { cleanup: run.build(nests), target }
}

impl Run<'_, '_> {
    /// Plans a nest or, if it is refused, the nests inside it.
    fn consider(&self, root: Loop) -> Nest {
        let mut planned = Vec::new();
        let refusal = self.consider_inside(root, &mut planned);
        if self.mode == Mode::Print
            && let Some(rejection) = &refusal
            && planned.is_empty()
        {
            self.host.print(&print::rejection(&self.host.analyses(), root, rejection));
        }
        Nest { root, refusal, planned }
    }

    /// Adds the plan for `root` or for nests inside it; the answer is why `root` itself was refused.
    fn consider_inside(&self, root: Loop, planned: &mut Vec<Planned>) -> Option<Rejection> {
        match self.plan(root) {
            Ok(Some((job, what))) => {
                planned.push(Planned { root, job, what });
                None
            }
            Ok(None) => None,
            Err(mut rejection) => {
                self.note(&rejection.reason);
                if !matches!(rejection.reason, Reason::Budget { .. } | Reason::Unprofitable | Reason::Dependences) {
                    for child in root.children() {
                        // Only nests of nests can profit.
                        if !child.children().is_empty()
                            && let Some(inner) = self.consider_inside(child, planned)
                            && inner.reason.is_internal()
                        {
                            // Nothing else is as much worth telling.
                            rejection = inner;
                        }
                    }
                }
                Some(rejection)
            }
        }
    }

    /// Writes an internal error down, whatever the nest's remark will be about.
    fn note(&self, reason: &Reason) {
        if reason.is_internal() {
            self.host.internal_error(&reason.to_string());
        }
    }

    /// Everything from detection to the AST for one nest. `None` in printing mode.
    fn plan(&self, nest: Loop) -> Result<Option<(Job, String)>, Rejection> {
        let (host, budget) = (self.host, &self.budget);
        let analyses = host.analyses();
        host.enter(Phase::Detect);
        if analyses.function().is_size_optimised() && !self.options.unprofitable {
            return Err(Reason::OptimisedForSize.into());
        }
        target::check(&analyses)?;
        let mut reader = Reader::new(&analyses);
        let region = detect(&analyses, &mut reader, nest)?;
        host.enter(Phase::Model);
        let mut scop = model::build(&analyses, reader, region, budget)?;
        host.enter(Phase::Simplify);
        if self.options.simplify {
            simplify(&mut scop, budget)?;
        }
        scop.forget_unneeded_shapes();
        scop.forget_untouched_arrays();
        host.enter(Phase::Optimise);
        let wishes = Wishes::new(self.options).with_heap(analyses.heap().is_some());
        let plan = optimise::plan(&scop, &wishes, budget)?;
        if self.mode == Mode::Print || self.options.print {
            host.print(&print::scop(&scop, &plan, budget));
        }
        if self.mode == Mode::Print {
            return Ok(None);
        }
        self.finish(scop, plan).map(Some)
    }

    /// How the program calls a nest: by its function, and its place in the source as far as it is known.
    fn nest_name(&self, scop: &Scop) -> String {
        let function = self.host.analyses().function().name();
        match scop.region.loops[0].handle.location() {
            Some(location) => format!("{location}: in {function}"),
            None => format!("in {function}"),
        }
    }

    /// Whether the program can say which code a nest runs. What the C library calls `fwrite` may be something else in it.
    fn can_say(&self, nest: &str) -> bool {
        let can = self.host.editor().can_write_text();
        if !can {
            self.host.print(&format!(
                "tessera: {nest}: says nothing, as the program has an `fwrite` or `write` of its own\n"
            ));
        }
        can
    }

    fn finish(&self, scop: Scop, plan: Plan) -> Result<(Job, String), Rejection> {
        let Some(tree) = &plan.tree else {
            return Err(plan.refusal.unwrap_or(Reason::Unprofitable).into());
        };
        let build = AstBuild::new().with_context(scop.context.clone());
        let unit = build.build(tree, &self.budget).map_err(|error| match error {
            AstError::Relation(error) => library_error(error),
            error => Reason::Internal { message: error.to_string() },
        })?;
        let footprint = if self.options.unprofitable { 0 } else { self.options.min_bytes };
        let worth = Worth { min_work: self.options.min_work, footprint };
        let widths = Widths::new(&self.host.analyses(), &scop);
        let guard = GuardPlan::new(&scop, &plan.applied, worth, (&unit, &widths), &self.budget)?;
        let message = summary::applied(&scop, &plan);
        let hints = self.options.hints;
        let trace = self.options.trace.then(|| self.nest_name(&scop)).filter(|nest| self.can_say(nest));
        Ok((Job { scop: plan.expanded.unwrap_or(scop), unit, guard, hints, trace }, message))
    }

    /// Builds the code of all plans, verifies it, commits it, and tells the user about every nest; whether the function should be
    /// cleaned up.
    fn build(&self, mut nests: Vec<Nest>) -> bool {
        if self.mode == Mode::Print {
            return false;
        }
        let editor = self.host.editor();
        let start = editor.checkpoint();
        let mut replaced = HashMap::new();
        let mut frame = Frame::default();
        if nests.iter().any(|nest| !nest.planned.is_empty()) {
            self.host.enter(Phase::Emit);
            for nest in &mut nests {
                self.emit(&editor, nest, &mut replaced, &mut frame);
            }
            self.host.enter(Phase::Verify);
        }
        let mut changed = nests.iter().any(|nest| !nest.planned.is_empty());
        if changed
            && self.options.verify
            && let Err(message) = editor.verify()
        {
            editor.roll_back_to(start);
            changed = false;
            let message = message.lines().collect::<Vec<_>>().join("; ");
            self.note(&Reason::Verifier { message: message.clone() });
            for nest in nests.iter_mut().filter(|nest| !nest.planned.is_empty()) {
                nest.planned.clear();
                nest.refusal = Some(Reason::Verifier { message: message.clone() }.into());
            }
        }
        for nest in &nests {
            self.tell(nest);
        }
        if changed {
            editor.commit();
        }
        changed && self.options.cleanup
    }

    /// Builds the code of the plans of one outermost nest; those for which that does not work are taken out again.
    fn emit(&self, editor: &Editor<'_>, nest: &mut Nest, replaced: &mut HashMap<Value, Value>, frame: &mut Frame) {
        for planned in std::mem::take(&mut nest.planned) {
            let checkpoint = editor.checkpoint();
            let (known, places) = (replaced.clone(), frame.clone());
            let mut outcome = emit::emit(editor, &planned.job, replaced, frame);
            match self.options.fault {
                Some(Fault::Emission) => outcome = outcome.and(Err(EditError::new("fault injected"))),
                Some(Fault::InvalidCode) => {
                    outcome = outcome.and_then(|done| emit::invalidate(editor).map(|()| done));
                }
                _ => {}
            }
            let refusal = match outcome {
                Ok(Outcome::Done) => {
                    nest.planned.push(planned);
                    continue;
                }
                Ok(Outcome::NeverWorthwhile) => Reason::Unprofitable,
                Ok(Outcome::NeverValid) => Reason::ContradictoryAssumptions,
                Ok(Outcome::NoRoom) => Reason::Room,
                Err(error) if error.is_too_large() => Reason::TooLarge,
                Err(error) => Reason::Internal { message: error.to_string() },
            };
            editor.roll_back_to(checkpoint);
            (*replaced, *frame) = (known, places);
            self.note(&refusal);
            if nest.refusal.is_none() || refusal.is_internal() {
                nest.refusal = Some(refusal.into());
            }
        }
    }

    /// Every outermost nest gets exactly one remark, at its own line unless the reason has a better one.
    fn tell(&self, nest: &Nest) {
        let remark = match (&nest.refusal, nest.planned.as_slice()) {
            (None, []) => return,
            (None, planned) => {
                let what: Vec<&str> = planned.iter().map(|planned| planned.what.as_str()).collect();
                Remark::passed("LoopTransformed", Place::Loop(nest.root), summary::whole(&what.join("; ")))
            }
            (Some(rejection), []) => {
                let place = match &rejection.location {
                    Some(location) => Place::Source(nest.root, location.clone()),
                    None => Place::Loop(nest.root),
                };
                let message = format!("loop nest left as it is: {}", rejection.reason);
                Remark::missed(rejection.reason.name(), place, message)
            }
            (Some(rejection), planned) => {
                let done: Vec<(Loop, &str)> =
                    planned.iter().map(|planned| (planned.root, planned.what.as_str())).collect();
                let message = summary::inner(&done, &rejection.reason);
                Remark::passed("InnerLoopsTransformed", Place::Loop(nest.root), message)
            }
        };
        self.host.remark(remark);
    }
}

/// Exhausted budgets of the AST generator and others are the same reason to the user.
impl From<tessera_polyhedral::Error> for Rejection {
    fn from(error: tessera_polyhedral::Error) -> Self {
        library_error(error).into()
    }
}
