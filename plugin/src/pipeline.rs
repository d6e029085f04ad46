//! The phases of one run, in order.
//!
//! All nests of a function are analysed and planned first, while the compiler's analyses are valid; then the new code of
//! all of them is built, the function is verified once, and the edits are committed. Nothing in between touches IR.

use crate::detect::detect;
use crate::detect::scev::Reader;
use crate::detect::target;
use crate::device::obstacle::Obstacle;
use crate::device::{self, Asked, DevicePlan};
use crate::emit::frame::Frame;
use crate::emit::guard::{self, GuardPlan, Widths, Worth};
use crate::emit::{self, Emitted, Job};
use crate::host::{EditError, Editor, Host, Loop, Remark, RemarkLocation, Value};
use crate::machine::Machine;
use crate::model::data::describe;
use crate::model::sets::library_error;
use crate::model::{self, scop::Scop};
use crate::optimise::transformation::Transformation;
use crate::optimise::{self, Plan, ScheduleOptions};
use crate::options::{GpuUse, Options};
use crate::phase::{Fault, Phase};
use crate::reasons::{Reason, Rejection};
use crate::report::{print, summary};
use crate::simplify::{remove_impossible_statements, simplify};
use std::collections::HashMap;
use std::sync::Arc;
use tessera_polyhedral::ast::{AstError, AstUnit};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::phase;
use tessera_polyhedral::strategy::Strategy;
use tessera_polyhedral::transform::Script;

/// What an instance of the pass is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Transform.
    Transform,
    /// Print the SCoPs to standard error and change nothing.
    Print,
}

/// What the host should do after a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunResult {
    /// Clean up the changed function at once.
    pub cleanup: bool,
    /// The machine that the function is compiled for as text, where the user wants to see it.
    pub target: Option<String>,
    /// What is wrong with an option for this machine; nothing was done then.
    pub mistake: Option<String>,
}

/// One run over one function.
struct Run<'r, 'a> {
    host: &'r Host<'a>,
    options: &'r Options,
    mode: Mode,
    budget: Budget,
    machine: Machine<'a>,
    /// The user's strategy for this machine.
    strategy: Arc<Strategy>,
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
    /// What the plan does on the host, if it does anything there.
    what: Option<String>,
    /// The steps from the old order to the new one.
    log: Script,
}

impl Planned {
    /// What the plan does.
    fn what(&self) -> String {
        let device = self.job.device.as_ref().map(DevicePlan::summary);
        device.into_iter().chain(self.what.clone()).collect::<Vec<_>>().join("; ")
    }
}

/// Runs all phases on the function of the host.
pub fn run(host: &Host<'_>, options: &Options, mode: Mode) -> RunResult {
    let machine = Machine::new(host.analyses(), options.target.clone());
    let target = options.print_target.then(|| match machine.target() {
        Ok(target) => target.to_string(),
        Err(error) => format!("# {error}\n"),
    });
    let strategy = match machine.strategy(&options.strategy) {
        Ok(strategy) => strategy,
        Err(error) => {
            let mistake =
                Some(format!("option 'strategy' says nothing for this machine (target=print shows it): {error}"));
            return RunResult { target, mistake, ..RunResult::default() };
        }
    };
    let run = Run { host, options, mode, budget: Budget::new(options.budget), machine, strategy };
    let _phase = phase!("other", &run.budget, nest = format!("in {}", host.analyses().function().user_name()).as_str());
    host.enter(Phase::Detect);
    let nests = host.analyses().top_level_loops().into_iter().map(|root| run.consider(root)).collect();
    RunResult { cleanup: run.build(nests), target, mistake: None }
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
            Ok(Some(plan)) => {
                planned.push(plan);
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
    fn plan(&self, nest: Loop) -> Result<Option<Planned>, Rejection> {
        let (host, budget) = (self.host, &self.budget);
        let analyses = host.analyses();
        let _phase = phase!("other", budget, nest = self.place(nest).as_str());
        host.enter(Phase::Detect);
        let phase = phase!("detect", budget);
        if analyses.function().is_size_optimised() && !self.options.unprofitable {
            return Err(Reason::OptimisedForSize.into());
        }
        target::check(&analyses)?;
        let mut reader = Reader::new(&analyses);
        let region = detect(&analyses, &mut reader, nest)?;
        drop(phase);
        host.enter(Phase::Model);
        let phase = phase!("model", budget);
        let mut scop = model::build(&analyses, reader, region, budget)?;
        drop(phase);
        host.enter(Phase::Simplify);
        let phase = phase!("simplify", budget);
        remove_impossible_statements(&mut scop, budget)?;
        if self.options.simplify {
            simplify(&mut scop, budget)?;
        }
        scop.forget_unneeded_shapes();
        scop.forget_untouched_arrays();
        drop(phase);
        host.enter(Phase::Optimise);
        let phase = phase!("optimise", budget);
        let schedule_options =
            ScheduleOptions::new(self.options, self.strategy.clone()).with_heap(analyses.heap().is_some());
        // Where addresses have 32 bits new code counts in words of 32 bits, and the ranges of counters of blocks of iterations are not known
        // well enough to prove that they stay in them (`TooLarge`): no register tiles there.
        let registers = if analyses.index_bits(0) < 64 { 0 } else { self.machine.vector_registers() };
        let schedule_options = schedule_options.with_vectors(
            self.machine.has_masks(),
            (registers, analyses.vector_bits()),
            self.machine.has_fma(),
        );
        let mut plan = optimise::plan(&scop, &schedule_options, &self.machine, budget)?;
        if let Some(reloaded) = plan.reloaded.take() {
            scop = reloaded;
        }
        if let Some(complaint) = &plan.complaint {
            host.remark(Remark::missed("ScriptNotTaken", RemarkLocation::Loop(nest), complaint.as_str()));
        }
        drop(phase);
        let device = self.plan_device(nest, &scop, &plan);
        if self.mode == Mode::Print || self.options.print {
            let _phase = phase!("print", budget);
            host.print(&print::scop(&scop, &plan, budget));
            host.print(&device.as_ref().map(print::device).unwrap_or_default());
        }
        if self.mode == Mode::Print {
            return Ok(None);
        }
        self.finish(nest, (scop, plan, device)).map(Some)
    }

    /// How the program calls a nest: by its function, and its place in the source as far as it is known.
    fn nest_name(&self, scop: &Scop) -> String {
        let function = self.host.analyses().function().name();
        match scop.region.loops[0].handle.location() {
            Some(location) => format!("{location}: in {function}"),
            None => format!("in {function}"),
        }
    }

    /// How the table of times calls a nest: by its place in the source or, where that is not known, its place among the loops of the
    /// function, such as 2.1 for the first loop in the second one.
    fn place(&self, nest: Loop) -> String {
        let function = self.host.analyses().function().user_name();
        if let Some(location) = nest.location() {
            return format!("{location}: in {function}");
        }
        format!("loop {} in {function}", self.host.analyses().number_of(nest))
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

    fn finish(&self, root: Loop, (scop, plan, device): (Scop, Plan, Option<DevicePlan>)) -> Result<Planned, Rejection> {
        let code = match &plan.tree {
            Some(tree) => {
                let found = match plan.places.is_empty() {
                    true => scop.ast_build().build(tree, &self.budget),
                    false => scop.ast_build().build_with(tree, &mut plan.places.hooks(&self.budget), &self.budget),
                };
                Some(found.map_err(|error| match error {
                    AstError::Relation(error) => library_error(error),
                    error => Reason::Internal { message: error.to_string() },
                })?)
            }
            None => None,
        };
        if code.is_none() && device.is_none() {
            return Err(plan.refusal.unwrap_or(Reason::Unprofitable).into());
        }
        let always = self.options.gpu.when == GpuUse::Always && device.is_some();
        let footprint = if self.options.unprofitable || always { 0 } else { self.options.min_bytes };
        let widths = Widths::new(&self.host.analyses(), &scop);
        let phase = phase!("guard", &self.budget);
        let unchanged: Vec<Transformation> = match code {
            Some(_) => Vec::new(),
            None => scop.order.iter().map(Transformation::unchanged).collect(),
        };
        let applied = if code.is_some() { &plan.applied } else { &unchanged };
        let second = if applied.iter().any(guard::is_in_three_dimensions) { self.machine.second_cache() } else { None };
        let far = guard::far(&scop, second, footprint);
        let worth = Worth { min_work: if always { 0 } else { self.options.min_work }, footprint, far };
        let units: Vec<&AstUnit> = code.iter().chain(device.as_ref().map(|device| &device.program.host)).collect();
        let guard =
            GuardPlan::new(&scop, (applied, &plan.needs, &plan.copied_if), worth, (&units, &widths), &self.budget)?;
        drop(phase);
        let what = code.is_some().then(|| summary::applied(&scop, &plan));
        let Options { hints, outline, .. } = *self.options;
        let trace = self.options.trace.then(|| self.nest_name(&scop)).filter(|nest| self.can_say(nest));
        // What a copy does is not said for every nest, and a device is asked in none.
        let original = self.options.original && !self.options.trace && self.options.gpu.when == GpuUse::Off;
        let wide = self.machine.wide_vectors();
        let short_rows = plan.applied.iter().any(|applied| !applied.nest.skews.is_empty());
        let scop = plan.expanded.unwrap_or(scop);
        let job = Job { scop, unit: code, device, guard, hints, outline, wide, short_rows, original, trace };
        Ok(Planned { root, job, what, log: plan.log })
    }

    /// The plan for a device, if the user wants one and there is one; else the user is told why not.
    fn plan_device(&self, root: Loop, scop: &Scop, plan: &Plan) -> Option<DevicePlan> {
        let gpu = self.options.gpu;
        if gpu.when == GpuUse::Off {
            return None;
        }
        let _phase = phase!("device", &self.budget);
        // Other nests of the function want something of the budget, too.
        let name = self.nest_name(scop);
        let analyses = self.host.analyses();
        let asked = Asked {
            gpu,
            time_tiling: self.options.tiling && self.options.time_tiling,
            parts: self.options.gpu_parts,
            rows: self.options.gpu_rows,
        };
        let planned = self.budget.share(self.budget.remaining() / 2, |own| match plan.expanded {
            Some(_) => {
                let data = describe(scop, own)?;
                device::plan(&analyses, (scop, name), &data, asked, own)
            }
            None => device::plan(&analyses, (scop, name), &plan.data, asked, own),
        });
        match planned.unwrap_or(Err(Obstacle::Budget)) {
            Ok(device) => Some(device),
            Err(obstacle) => {
                self.not_on_device(root, &obstacle.to_string());
                None
            }
        }
    }

    /// Tells the user why a nest is not compiled for a device.
    fn not_on_device(&self, root: Loop, why: &str) {
        let message = format!("loop nest not compiled for a device: {why}");
        self.host.remark(Remark::missed("NotForDevice", RemarkLocation::Loop(root), message));
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
        let phase = changed.then(|| phase!("verify", &self.budget));
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
        drop(phase);
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
        for mut planned in std::mem::take(&mut nest.planned) {
            let checkpoint = editor.checkpoint();
            let (known, places) = (replaced.clone(), frame.clone());
            let _phase = phase!("emit", &self.budget, nest = self.place(planned.root).as_str());
            let mut refusal = self.emit_one(editor, &planned.job, replaced, frame);
            if let Some(reason) = refusal.as_ref().filter(|_| planned.job.device.is_some()) {
                // Once more without the device, if there is anything else.
                self.not_on_device(planned.root, &reason.to_string());
                self.note(reason);
                planned.job.device = None;
                if planned.job.unit.is_some() {
                    editor.roll_back_to(checkpoint);
                    (*replaced, *frame) = (known.clone(), places.clone());
                    refusal = self.emit_one(editor, &planned.job, replaced, frame);
                }
            }
            let Some(refusal) = refusal else {
                nest.planned.push(planned);
                continue;
            };
            editor.roll_back_to(checkpoint);
            (*replaced, *frame) = (known, places);
            self.note(&refusal);
            if nest.refusal.is_none() || refusal.is_internal() {
                nest.refusal = Some(refusal.into());
            }
        }
    }

    /// Builds the code of one plan; why that does not work.
    fn emit_one(
        &self,
        editor: &Editor<'_>,
        job: &Job,
        replaced: &mut HashMap<Value, Value>,
        frame: &mut Frame,
    ) -> Option<Reason> {
        let mut outcome = emit::emit(editor, job, replaced, frame);
        match self.options.fault {
            Some(Fault::Emission) => outcome = outcome.and(Err(EditError::new("fault injected"))),
            Some(Fault::InvalidCode) => {
                outcome = outcome.and_then(|done| emit::invalidate(editor).map(|()| done));
            }
            _ => {}
        }
        match outcome {
            Ok(Emitted::Done) => None,
            Ok(Emitted::NeverWorthwhile) => Some(Reason::Unprofitable),
            Ok(Emitted::NeverValid) => Some(Reason::ContradictoryAssumptions),
            Ok(Emitted::NoRoom) => Some(Reason::Room),
            Err(error) if error.is_too_large() => Some(Reason::TooLarge),
            Err(error) => Some(Reason::Internal { message: error.to_string() }),
        }
    }

    /// Every outermost nest gets exactly one remark, at its own line unless the reason has a better one. The steps of what was transformed are
    /// told to those who want analyses.
    fn tell(&self, nest: &Nest) {
        let remark = match (&nest.refusal, nest.planned.as_slice()) {
            (None, []) => return,
            (None, planned) => {
                let what: Vec<String> = planned.iter().map(Planned::what).collect();
                Remark::passed("LoopTransformed", RemarkLocation::Loop(nest.root), summary::whole(&what.join("; ")))
            }
            (Some(rejection), []) => {
                let place = match &rejection.location {
                    Some(location) => RemarkLocation::Source(nest.root, location.clone()),
                    None => RemarkLocation::Loop(nest.root),
                };
                let message = format!("loop nest left as it is: {}", rejection.reason);
                Remark::missed(rejection.reason.name(), place, message)
            }
            (Some(rejection), planned) => {
                let done: Vec<(Loop, String)> = planned.iter().map(|planned| (planned.root, planned.what())).collect();
                let message = summary::inner(&done, &rejection.reason);
                Remark::passed("InnerLoopsTransformed", RemarkLocation::Loop(nest.root), message)
            }
        };
        self.host.remark(remark);
        if self.host.shows_analyses() {
            for planned in &nest.planned {
                let on_device = planned.job.device.iter().map(|device| ("steps for the device", &device.mapped.log));
                for (what, log) in [("steps", &planned.log)].into_iter().chain(on_device) {
                    Remark::steps(RemarkLocation::Loop(planned.root), what, log)
                        .into_iter()
                        .for_each(|remark| self.host.remark(remark));
                }
            }
        }
    }
}

/// Exhausted budgets of the AST generator and others are the same reason to the user.
impl From<tessera_polyhedral::Error> for Rejection {
    fn from(error: tessera_polyhedral::Error) -> Self {
        library_error(error).into()
    }
}
