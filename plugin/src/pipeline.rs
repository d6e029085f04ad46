//! The phases of one run, in order.
//!
//! All nests of a function are analysed and planned first, while the compiler's analyses are valid; then the new code of
//! all of them is built, the function is verified once, and the edits are committed. Nothing in between touches IR.

use crate::detect::detect;
use crate::detect::reasons::{Reason, Rejection};
use crate::detect::scev::Reader;
use crate::emit::guard::GuardPlan;
use crate::emit::{self, Job, Outcome};
use crate::entry::Mode;
use crate::host::{Host, Loop};
use crate::model::sets::library_error;
use crate::model::{self, scop::Scop};
use crate::optimise::{self, Plan, Wishes};
use crate::options::Options;
use crate::phase::Phase;
use crate::report::{Place, Remark, print, summary};
use crate::simplify::simplify;
use std::collections::HashMap;
use tessera_polyhedral::ast::AstBuild;
use tessera_polyhedral::budget::Budget;

/// What the host should do after a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunResult {
    /// Clean up the changed function at once.
    pub cleanup: bool,
}

/// One run over one function.
struct Run<'r, 'a> {
    host: &'r Host<'a>,
    options: &'r Options,
    mode: Mode,
    budget: Budget,
    jobs: Vec<(Loop, Job, String)>,
}

/// Runs all phases on the function of the host.
pub fn run(host: &Host<'_>, options: &Options, mode: Mode) -> RunResult {
    let mut run = Run { host, options, mode, budget: Budget::new(options.budget), jobs: Vec::new() };
    host.enter(Phase::Detect);
    for nest in host.analyses().top_level_loops() {
        run.consider(nest);
    }
    run.build()
}

impl Run<'_, '_> {
    /// Plans a nest or, if it is refused, the nests inside it. Every outermost nest gets one remark, now or when its
    /// code has been built.
    fn consider(&mut self, nest: Loop) {
        let before = self.jobs.len();
        let Some(rejection) = self.consider_inside(nest) else { return };
        if self.jobs.len() == before {
            self.refuse(nest, &rejection);
        }
    }

    /// Like `consider`, but answers why `nest` itself was refused instead of telling the user.
    fn consider_inside(&mut self, nest: Loop) -> Option<Rejection> {
        match self.plan(nest) {
            Ok(Some((job, message))) => {
                self.jobs.push((nest, job, message));
                None
            }
            Ok(None) => None,
            Err(rejection) => {
                if !matches!(rejection.reason, Reason::Budget { .. } | Reason::Unprofitable | Reason::Dependences) {
                    for child in nest.children() {
                        // Only nests of nests can profit.
                        if !child.children().is_empty() {
                            self.consider_inside(child);
                        }
                    }
                }
                Some(rejection)
            }
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
        let mut reader = Reader::new(&analyses);
        let region = detect(&analyses, &mut reader, nest)?;
        host.enter(Phase::Model);
        let mut scop = model::build(&analyses, reader, region, budget)?;
        host.enter(Phase::Simplify);
        simplify(&mut scop, budget)?;
        host.enter(Phase::Optimise);
        let wishes = Wishes { tiles: self.options.tile.clone(), unprofitable: self.options.unprofitable };
        let plan = optimise::plan(&scop, &wishes, budget)?;
        if self.mode == Mode::Print || self.options.print {
            host.print(&print::scop(&scop, &plan, budget));
        }
        if self.mode == Mode::Print {
            return Ok(None);
        }
        self.finish(scop, plan).map(Some)
    }

    fn finish(&self, scop: Scop, plan: Plan) -> Result<(Job, String), Rejection> {
        let Some(tree) = &plan.tree else {
            return Err(plan.refusal.unwrap_or(Reason::Unprofitable).into());
        };
        let build = AstBuild::new().with_context(scop.context.clone());
        let unit = build.build(tree, &self.budget).map_err(|error| Reason::Internal { message: error.to_string() })?;
        let nests: Vec<Vec<usize>> = plan.applied.iter().map(|applied| applied.statements.clone()).collect();
        let guard = GuardPlan::new(&scop, &nests, self.options.min_work, &self.budget)?;
        let message = summary::applied(&scop, &plan);
        Ok((Job { scop: plan.expanded.unwrap_or(scop), unit, guard }, message))
    }

    /// Builds the code of all jobs, verifies it, and commits it.
    fn build(mut self) -> RunResult {
        let jobs = std::mem::take(&mut self.jobs);
        if jobs.is_empty() {
            return RunResult::default();
        }
        let (host, editor) = (self.host, self.host.editor());
        host.enter(Phase::Emit);
        let start = editor.checkpoint();
        let mut replaced = HashMap::new();
        let mut done = Vec::new();
        for (nest, job, message) in &jobs {
            let checkpoint = editor.checkpoint();
            let known = replaced.clone();
            let refusal = match emit::emit(&editor, job, &mut replaced) {
                Ok(Outcome::Done) => None,
                Ok(Outcome::NeverWorthwhile) => Some(Reason::Unprofitable),
                Ok(Outcome::NeverValid) => Some(Reason::ContradictoryAssumptions),
                Err(error) => Some(Reason::Internal { message: error.to_string() }),
            };
            match refusal {
                None => done.push((*nest, message)),
                Some(reason) => {
                    editor.roll_back_to(checkpoint);
                    replaced = known;
                    self.refuse(*nest, &reason.into());
                }
            }
        }
        host.enter(Phase::Verify);
        if done.is_empty() {
            return RunResult::default();
        }
        if self.options.verify
            && let Err(message) = editor.verify()
        {
            editor.roll_back_to(start);
            for (nest, _) in done {
                let message = message.lines().collect::<Vec<_>>().join("; ");
                self.refuse(nest, &Reason::Verifier { message }.into());
            }
            return RunResult::default();
        }
        for (nest, message) in done {
            host.remark(Remark::passed("LoopTransformed", Place::Loop(nest), message.clone()));
        }
        editor.commit();
        RunResult { cleanup: true }
    }

    fn refuse(&self, nest: Loop, rejection: &Rejection) {
        if self.mode == Mode::Print {
            self.host.print(&print::rejection(&self.host.analyses(), nest, rejection));
            return;
        }
        let place = match &rejection.location {
            Some(location) => Place::Source(nest, location.clone()),
            None => Place::Loop(nest),
        };
        let message = format!("loop nest left as it is: {}", rejection.reason);
        self.host.remark(Remark::missed(rejection.reason.name(), place, message));
    }
}

/// Exhausted budgets of the AST generator and others are the same reason to the user.
impl From<tessera_polyhedral::Error> for Rejection {
    fn from(error: tessera_polyhedral::Error) -> Self {
        library_error(error).into()
    }
}
