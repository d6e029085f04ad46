//! Catches panics of a run and keeps them out of the user's build log.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// A caught panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panic {
    message: String,
    place: Option<String>,
}

impl Panic {
    /// A failure that is not a panic, but has the same consequences.
    pub(super) fn message(message: &str) -> Self {
        Self { message: message.to_string(), place: None }
    }

    pub(super) fn unknown() -> Self {
        Self::message("an unknown error")
    }
}

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.place {
            Some(place) => write!(f, " ({place})"),
            None => Ok(()),
        }
    }
}

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static CAUGHT: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

fn text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_string());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic without message".into())
}

/// Installs the hook that stays silent for threads inside [`catch`]; all other threads keep the hook they had. The plugin
/// has its own copy of the standard library, so the host's hook is not touched.
pub(crate) fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if CATCHING.get() {
                let place = info.location().map(|location| format!("{}:{}", location.file(), location.line()));
                let caught = Panic { message: text(info.payload()).replace('\n', " "), place };
                CAUGHT.with(|slot| *slot.borrow_mut() = Some(caught));
            } else {
                previous(info);
            }
        }));
    });
}

/// Runs `work`; a panic becomes an error with its message and place.
pub(crate) fn catch<R>(work: impl FnOnce() -> R) -> Result<R, Panic> {
    let before = CATCHING.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(before);
    outcome.map_err(|payload| {
        let caught = CAUGHT.with(|slot| slot.borrow_mut().take());
        caught.unwrap_or_else(|| Panic { message: text(&*payload), place: None })
    })
}
