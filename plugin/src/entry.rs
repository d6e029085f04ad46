//! One run of the pass over one function: options, the big stack, panic containment, remarks.
//!
//! Invariant: whatever goes wrong, the function that the host gets back is what was committed last. An internal error
//! becomes a remark that names the phase; the function, or the rest of it, is left unchanged.

use crate::host::{Remark, RemarkLocation};
use crate::host::{Session, print_error};
use crate::options::{Door, OptionError, Options, Position};
use crate::phase::{Fault, InternalErrors, Phase};
use crate::pipeline::{self, Mode};
use crate::times::{Collector, Times};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use tessera_polyhedral::strategy::BUILTIN;

/// The configuration of one instance of the pass.
#[derive(Debug)]
pub struct Config {
    options: Result<Options, (Door, OptionError)>,
    mode: Mode,
    complained: AtomicBool,
    /// The machines that were printed.
    printed_targets: Mutex<Vec<String>>,
    times: Mutex<Times>,
}

impl Config {
    /// Reads the three doors. Prints the table of options and the built-in strategy when asked, once for the process.
    pub fn new(parameters: &str, command_line: &str, mode: Mode) -> Self {
        let environment = std::env::var_os("TESSERA").unwrap_or_default();
        let environment = environment.to_string_lossy();
        let options = Options::from_doors(&[
            (Door::Environment, &environment),
            (Door::CommandLine, command_line),
            (Door::PassParameters, parameters),
        ]);
        if options.as_ref().is_ok_and(|options| options.help) {
            static HELP: Once = Once::new();
            HELP.call_once(|| print_error(&Options::help_text()));
        }
        if options.as_ref().is_ok_and(|options| options.print_strategy) {
            static STRATEGY: Once = Once::new();
            STRATEGY.call_once(|| print_error(BUILTIN));
        }
        Self {
            options,
            mode,
            complained: AtomicBool::new(false),
            printed_targets: Mutex::default(),
            times: Mutex::default(),
        }
    }

    /// Where in the default pipeline the pass stands; nowhere if it would do nothing at all. A wrong option is reported from the
    /// default place.
    pub fn position(&self) -> Option<Position> {
        match &self.options {
            Ok(options) => (!options.disable).then_some(options.position),
            Err(_) => Some(Position::default()),
        }
    }

    /// Prints a machine, once for all functions that are compiled for it.
    fn print_target(&self, target: String) {
        // Only a panic while the list is held could poison it; it is a list of texts in any case.
        let mut printed = self.printed_targets.lock().unwrap_or_else(PoisonError::into_inner);
        if !printed.contains(&target) {
            print_error(&target);
            printed.push(target);
        }
    }

    /// The phase to panic in, for tests.
    pub fn fault(&self) -> Option<Phase> {
        match self.options.as_ref().ok()?.fault? {
            Fault::Panic(phase) => Some(phase),
            Fault::Emission | Fault::InvalidCode => None,
        }
    }
}

/// The passes over a module are done.
impl Drop for Config {
    fn drop(&mut self) {
        let times = self.times.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !times.is_empty() {
            print_error(&times.to_string());
        }
    }
}

/// What the host has to know after a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The function was changed.
    pub changed: bool,
    /// The compiler should clean up the changed function at once.
    pub cleanup: bool,
}

/// Runs the pipeline on the session's function.
pub fn run(session: &mut Session, config: &Config, function_name: &str) -> Outcome {
    let options = match &config.options {
        Ok(options) => options,
        Err((door, error)) => {
            complain(session, config, *door, error);
            session.flush(false, InternalErrors::Remark);
            return Outcome::default();
        }
    };
    let is_selected = options.only.as_ref().is_none_or(|text| function_name.contains(text.as_str()));
    if options.disable || !is_selected {
        return Outcome::default();
    }
    let mut cleanup = false;
    let collector = options.time.then(|| Arc::new(Collector::default()));
    let result = session.on_big_stack(|host| {
        let work = || pipeline::run(host, options, config.mode);
        match &collector {
            Some(collector) => tracing::subscriber::with_default(collector.clone(), work),
            None => work(),
        }
    });
    if let Some(collector) = collector {
        config.times.lock().unwrap_or_else(PoisonError::into_inner).append(collector.times());
    }
    match result {
        Ok(result) => {
            cleanup = result.cleanup;
            if let Some(target) = result.target {
                config.print_target(target);
            }
            if let Some(mistake) = result.mistake {
                if !config.complained.swap(true, Ordering::Relaxed) {
                    print_error(&format!("tessera: {mistake}; functions for it are left alone\n"));
                }
                session.remark(Remark::missed("WrongOption", RemarkLocation::Function, mistake));
            }
            if session.has_uncommitted_edits() {
                session.roll_back();
                session.remark(internal_error(session, "the pipeline left edits uncommitted"));
            }
        }
        Err(panic) => {
            session.roll_back();
            session.remark(internal_error(session, &panic.to_string()));
        }
    }
    session.flush(options.remarks, options.internal_errors);
    let changed = session.committed();
    Outcome { changed, cleanup: changed && cleanup }
}

fn internal_error(session: &Session, what: &str) -> Remark {
    let phase = session.phase().map_or("start", |phase| phase.name());
    let rest = if session.committed() { "the rest of the function" } else { "function" };
    let message = format!("internal error in phase {phase}: {what}; {rest} left unchanged");
    session.internal_error(&message);
    Remark::missed("InternalError", RemarkLocation::Function, message)
}

/// Reports a wrong option string. The environment may be shared by many compilations, so a mistake there is no error of
/// this one; a mistake on the command line is.
fn complain(session: &Session, config: &Config, door: Door, error: &OptionError) {
    let message = format!("in {door}: {error}");
    if door == Door::Environment {
        static PRINTED: Once = Once::new();
        PRINTED.call_once(|| print_error(&format!("tessera: {message}; nothing is optimized\n")));
        session.remark(Remark::missed("WrongOption", RemarkLocation::Function, message));
    } else if !config.complained.swap(true, Ordering::Relaxed) {
        session.emit_error(&message);
    }
}
