//! One run of the pass over one function: the owner of the journal, the remarks and the current phase.

use super::analyses::Analyses;
use super::device::DeviceModule;
use super::edit::Editor;
use super::ffi::{self, ContextRef};
use super::handles::{Function, Loop, SourceLocation, Value};
use super::journal::{Journal, Undo};
use super::panics::{self, Panic};
use super::remark::{Remark, RemarkKind, RemarkLocation};
use crate::phase::{InternalErrors, Phase};
use std::cell::{Cell, RefCell};
use std::ptr;
use std::rc::Rc;

/// Sizes to try for the stack that a run works on. The host's own threads may have 2 MiB only; address space that is not touched costs
/// nothing.
const STACK_SIZES: [usize; 3] = [512 << 20, 64 << 20, 8 << 20];

/// The function attribute that keeps later runs (full LTO links run the pass again) from a transformed function.
const DONE: &str = "tessera-done";

/// One run. Lives on the host's stack while the host waits.
pub struct Session {
    context: ContextRef,
    journal: RefCell<Journal>,
    remarks: RefCell<Vec<Remark>>,
    /// Remarks up to here describe what was committed.
    settled_remarks: Cell<usize>,
    printed: RefCell<String>,
    internal_errors: RefCell<Vec<String>>,
    phase: Cell<Option<Phase>>,
    fault: Option<Phase>,
    committed: Cell<bool>,
    /// The modules for devices: kept to the end, like all that handles point to.
    modules: RefCell<Vec<Rc<DeviceModule>>>,
}

impl Session {
    /// `context` must be live until the session is dropped.
    pub(crate) fn new(context: ContextRef, fault: Option<Phase>) -> Self {
        Self {
            context,
            journal: RefCell::default(),
            remarks: RefCell::default(),
            settled_remarks: Cell::new(0),
            printed: RefCell::default(),
            internal_errors: RefCell::default(),
            phase: Cell::new(None),
            fault,
            committed: Cell::new(false),
            modules: RefCell::default(),
        }
    }

    /// Runs `work` on a big stack of its own, on this thread: on a machine whose processors are all busy, a thread per function waits a
    /// millisecond for its turn, which was three times what the work itself takes. A panic in it is caught; the edits it left are not
    /// undone yet. The error is a sentence.
    ///
    /// Handles cannot leave in what `work` returns, as they are not `Send`.
    pub fn on_big_stack<R: Send>(&mut self, work: impl FnOnce(&Host<'_>) -> R) -> Result<R, Panic> {
        panics::install_hook();
        let session: &Session = self;
        let mut work = Some(work);
        for size in STACK_SIZES {
            let run = || panics::catch(|| work.take().map(|work| work(&Host { session })));
            // The outer panic is that of a stack that there is no memory for.
            match panics::catch(|| stacker::grow(size, run)) {
                Err(_) => continue,
                Ok(Ok(Some(result))) => return Ok(result),
                Ok(Err(panic)) => return Err(panic),
                Ok(Ok(None)) => return Err(Panic::unknown()),
            }
        }
        Err(Panic::message("there is no memory for the stack of the analysis"))
    }

    /// The phase that was entered last.
    pub fn phase(&self) -> Option<Phase> {
        self.phase.get()
    }

    /// Whether edits were committed.
    pub fn committed(&self) -> bool {
        self.committed.get()
    }

    /// Whether the function differs from what was committed.
    pub fn has_uncommitted_edits(&self) -> bool {
        self.journal.borrow().len() != 0
    }

    /// Undoes all edits since the last commit and takes back what was claimed about them.
    pub fn roll_back(&mut self) {
        self.journal.get_mut().undo_to(0);
        let settled = self.settled_remarks.get();
        let mut index = 0;
        self.remarks.get_mut().retain(|remark| {
            index += 1;
            index <= settled || remark.kind == RemarkKind::Missed
        });
    }

    /// Adds a remark.
    pub fn remark(&self, remark: Remark) {
        self.remarks.borrow_mut().push(remark);
    }

    /// Writes down an internal error, whatever becomes of it as a remark.
    pub fn internal_error(&self, message: &str) {
        self.internal_errors.borrow_mut().push(message.to_string());
    }

    /// Makes the compilation fail with that message.
    pub fn emit_error(&self, message: &str) {
        // SAFETY: the context is live as long as the session.
        unsafe { emit_error(self.context, message) };
    }

    /// The analyses, for the host's thread. Handles must not be kept beyond the session.
    pub(crate) fn analyses(&self) -> Analyses<'_> {
        Analyses::new(self.context)
    }

    /// Gives the remarks and printed text to the compiler, and prints the remarks too if `echo` says so; what becomes of internal
    /// errors beside their remarks, `internal` says. On the host's thread, after the run.
    pub fn flush(&mut self, echo: bool, internal: InternalErrors) {
        let function = self.analyses().function();
        for error in self.internal_errors.take() {
            let text = format!("in function '{}': {error}", function.user_name());
            if internal >= InternalErrors::Print {
                self.printed.get_mut().push_str(&format!("tessera: {text}\n"));
            }
            if internal == InternalErrors::Error {
                self.emit_error(&text);
            }
        }
        for remark in self.remarks.take() {
            let (at_loop, at_instruction) = match remark.place {
                RemarkLocation::Function => (None, None),
                RemarkLocation::Loop(l) => (Some(l), None),
                RemarkLocation::Instruction(value) => (None, Some(value)),
                RemarkLocation::InLoop(l, value) => (Some(l), Some(value)),
                RemarkLocation::Source(l, location) => (Some(l), instruction_at(function, &location)),
            };
            let location = at_instruction.and_then(Value::debug_location);
            let location = location.or_else(|| at_loop.and_then(Loop::location)).or_else(|| function.debug_location());
            let text = match &location {
                Some(_) => remark.message,
                None => format!("in function '{}': {}", function.user_name(), remark.message),
            };
            if echo && remark.kind != RemarkKind::Analysis {
                let place = location.map_or(String::new(), |at| format!("{}:{}:{}: ", at.file, at.line, at.column));
                self.printed.get_mut().push_str(&format!("{place}remark: {text} [tessera]\n"));
            }
            let kind = match remark.kind {
                RemarkKind::Passed => 0,
                RemarkKind::Missed => 1,
                RemarkKind::Analysis => 2,
            };
            // SAFETY: the context is live; strings are passed with their lengths; the handles are of this run, or null.
            unsafe {
                ffi::tessera_remark(
                    self.context,
                    kind,
                    remark.name.as_ptr().cast(),
                    remark.name.len(),
                    text.as_ptr().cast(),
                    text.len(),
                    at_loop.map_or(ptr::null_mut(), |l| l.raw()),
                    at_instruction.map_or(ptr::null_mut(), Value::raw),
                );
            }
        }
        let printed = self.printed.take();
        if !printed.is_empty() {
            print_error(&printed);
        }
    }
}

/// The first instruction that comes from that place in the source.
fn instruction_at(function: Function, location: &SourceLocation) -> Option<Value> {
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    instructions.into_iter().find(|instruction| instruction.debug_location().as_ref() == Some(location))
}

impl Drop for Session {
    fn drop(&mut self) {
        self.journal.get_mut().free_detached();
    }
}

/// Makes the compilation fail with that message.
///
/// # Safety
/// The context is live.
pub(crate) unsafe fn emit_error(context: ContextRef, message: &str) {
    // SAFETY: the context is live, as the caller promises; the text is passed with its length.
    unsafe { ffi::tessera_emit_error(context, message.as_ptr().cast(), message.len()) };
}

/// Writes to the host's error stream.
pub(crate) fn print_error(text: &str) {
    // SAFETY: the text is passed with its length.
    unsafe { ffi::tessera_print_error(text.as_ptr().cast(), text.len()) };
}

/// What the phases of one run work with. Borrowed from the session, during the run.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    session: &'a Session,
}

impl<'a> Host<'a> {
    /// The analyses of the function.
    pub fn analyses(&self) -> Analyses<'a> {
        Analyses::new(self.session.context)
    }

    /// A new editor, positioned nowhere. All editors of a run share one journal.
    pub fn editor(&self) -> Editor<'a> {
        Editor::new(self.session, self.session.context)
    }

    /// Enters a phase: internal errors are reported with its name. Panics when the hidden option `fault` names it.
    #[track_caller]
    pub fn enter(&self, phase: Phase) {
        self.session.phase.set(Some(phase));
        assert!(self.session.fault != Some(phase), "fault injected by the option fault={phase}");
    }

    /// Whether anybody sees remarks that are analyses.
    pub fn shows_analyses(&self) -> bool {
        // SAFETY: the context is live during the run.
        unsafe { ffi::tessera_shows_analyses(self.session.context) != 0 }
    }

    /// Adds a remark; the compiler gets it when the run is over.
    pub fn remark(&self, remark: Remark) {
        self.session.remark(remark);
    }

    /// Writes down an internal error.
    pub fn internal_error(&self, message: &str) {
        self.session.internal_error(message);
    }

    /// Prints to the compiler's error stream when the run is over.
    pub fn print(&self, text: &str) {
        self.session.printed.borrow_mut().push_str(text);
    }
}

impl Session {
    /// Keeps a module for a device until the run is over.
    pub(super) fn keep(&self, module: DeviceModule) -> Rc<DeviceModule> {
        let module = Rc::new(module);
        self.modules.borrow_mut().push(module.clone());
        module
    }

    pub(super) fn log(&self, edit: Undo) {
        self.journal.borrow_mut().push(edit);
    }

    /// See [`Journal::discard`].
    pub(super) fn discard(&self, instruction: Value) -> bool {
        self.journal.borrow_mut().discard(instruction)
    }

    pub(super) fn edits(&self) -> usize {
        self.journal.borrow().len()
    }

    pub(super) fn undo_to(&self, length: usize) {
        self.journal.borrow_mut().undo_to(length);
    }

    pub(super) fn commit(&self) {
        self.journal.borrow_mut().commit();
        self.settled_remarks.set(self.remarks.borrow().len());
        self.committed.set(true);
        let function = self.analyses().function();
        // SAFETY: the function is live; the name is passed with its length.
        unsafe { ffi::tessera_add_function_attribute(function.raw(), DONE.as_ptr().cast(), DONE.len()) };
    }
}
