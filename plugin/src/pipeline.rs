//! The phases of one run, in order.

use crate::entry::Mode;
use crate::host::Host;
use crate::options::Options;
use crate::phase::Phase;
use crate::report::{Place, Remark};

/// What the host should do after a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunResult {
    /// Clean up the changed function at once.
    pub cleanup: bool,
}

/// Runs all phases on the function of the host.
pub fn run(host: &Host<'_>, _options: &Options, _mode: Mode) -> RunResult {
    for phase in Phase::ALL {
        host.enter(phase);
    }
    for nest in host.analyses().top_level_loops() {
        host.remark(Remark::missed("NotTransformed", Place::Loop(nest), "loop nest not transformed"));
    }
    RunResult::default()
}
