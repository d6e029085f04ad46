//! One thread: its slots, its private memory, and where it stands.

use crate::code::{Function, Reduction, Slot};
use crate::launch::Launch;

/// What a thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Ready,
    /// It waits at a barrier of the block.
    Barrier(Waiting),
    /// It waits for the other threads of an instruction of its warp.
    Warp,
    Done,
}

/// The barrier that a thread waits at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) id: u32,
    /// The number of threads that it names, if it names one.
    pub(crate) threads: Option<u32>,
    pub(crate) aligned: bool,
    /// `bar.arrive`: it waits for its warp only.
    pub(crate) arrive: bool,
    /// `bar.red`: the destination and the predicate of this thread.
    pub(crate) reduction: Option<(Reduction, Slot, bool)>,
}

/// Where a function returns to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Return {
    pub(crate) function: usize,
    pub(crate) pc: usize,
    pub(crate) base: usize,
    pub(crate) local_base: usize,
    pub(crate) param_base: usize,
}

/// Memory of one thread.
#[derive(Debug, Default)]
pub(crate) struct Private {
    pub(crate) local: Vec<u8>,
    /// With checks: whether a byte was written.
    pub(crate) local_written: Vec<bool>,
    pub(crate) local_base: usize,
    pub(crate) params: Vec<u8>,
    /// With checks: whether a byte is not known to be undefined.
    pub(crate) params_written: Vec<bool>,
    pub(crate) param_base: usize,
}

/// Alignment of the local variables and parameters of a function.
const FRAME_ALIGN: usize = 256;

/// That a register was never written; other values are those of `access::origin`.
pub(crate) const NEVER: u32 = 1;

/// One thread.
#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) state: State,
    pub(crate) function: usize,
    pub(crate) pc: usize,
    pub(crate) base: usize,
    pub(crate) slots: Vec<u64>,
    /// With checks: zero for slots that are defined, else why they are not.
    pub(crate) undefined: Vec<u32>,
    pub(crate) stack: Vec<Return>,
    pub(crate) private: Private,
}

impl Thread {
    pub(crate) fn new() -> Thread {
        Thread {
            state: State::Done,
            function: 0,
            pc: 0,
            base: 0,
            slots: Vec::new(),
            undefined: Vec::new(),
            stack: Vec::new(),
            private: Private::default(),
        }
    }

    /// Makes it the thread number `index` of block `block` at the beginning of the kernel.
    pub(crate) fn start(&mut self, launch: &Launch<'_>, block: [u32; 3], index: u32) {
        self.state = State::Ready;
        self.slots.clear();
        self.undefined.clear();
        self.stack.clear();
        let private = &mut self.private;
        private.local.clear();
        private.local_written.clear();
        private.params.clear();
        private.params.extend_from_slice(&launch.params);
        private.params_written.clear();
        if launch.tracks_undefined() {
            private.params_written.resize(launch.params.len(), true);
        }
        private.local_base = 0;
        private.param_base = 0;
        self.enter(launch, launch.kernel, 0, block, index);
    }

    /// Puts the frame of a function on top; the frame of its parameters begins at `param_base`.
    pub(crate) fn enter(
        &mut self,
        launch: &Launch<'_>,
        function: usize,
        param_base: usize,
        block: [u32; 3],
        index: u32,
    ) {
        let Some(body) = launch.module.functions.get(function) else { return };
        let Some(template) = launch.templates.get(function).and_then(Option::as_ref) else { return };
        self.function = function;
        self.pc = 0;
        self.base = self.slots.len();
        self.slots.extend_from_slice(&template.values);
        for &(slot, special) in &template.specials {
            if let Some(value) = self.slots.get_mut(self.base + slot as usize) {
                *value = launch.special(special, block, index);
            }
        }
        let private = &mut self.private;
        private.local_base = private.local.len().next_multiple_of(FRAME_ALIGN);
        private.local.resize(private.local_base + body.local_bytes as usize, 0);
        private.param_base = param_base;
        let end = (param_base + body.param_bytes as usize).max(private.params.len());
        private.params.resize(end, 0);
        if launch.tracks_undefined() {
            self.undefined.extend_from_slice(&template.undefined);
            private.local_written.resize(private.local.len(), false);
            // LLVM stores only those bytes of a result that callers look at.
            private.params_written.resize(end, true);
        }
    }

    /// Where the parameters of a callee begin.
    pub(crate) fn next_params(&self, body: &Function) -> usize {
        (self.private.param_base + body.param_bytes as usize).next_multiple_of(FRAME_ALIGN)
    }

    /// Takes the frame on top away.
    pub(crate) fn leave(&mut self, to: Return) {
        self.slots.truncate(self.base);
        self.undefined.truncate(self.base.min(self.undefined.len()));
        let private = &mut self.private;
        private.local.truncate(private.local_base);
        private.local_written.truncate(private.local_base);
        private.params.truncate(private.param_base);
        private.params_written.truncate(private.param_base);
        self.function = to.function;
        self.pc = to.pc;
        self.base = to.base;
        private.local_base = to.local_base;
        private.param_base = to.param_base;
    }

    /// A slot of the frame on top.
    pub(crate) fn get(&self, slot: Slot) -> u64 {
        self.slots.get(self.base + slot as usize).copied().unwrap_or(0)
    }

    /// Writes a slot of the frame on top, unless it is none.
    pub(crate) fn set(&mut self, slot: Slot, value: u64) {
        if let Some(place) = self.slots.get_mut(self.base.saturating_add(slot as usize)) {
            *place = value;
        }
        if let Some(place) = self.undefined.get_mut(self.base.saturating_add(slot as usize)) {
            *place = 0;
        }
    }
}
