//! One block at a time: the threads run in turns, and barriers let them go on.
//!
//! A turn of a thread ends when it waits, when it has ended, or after [`TURN`] instructions, so that threads which spin
//! until another one writes make progress. Every order of the instructions of different threads is one that a device
//! may choose; this one is always the same.
//!
//! A barrier of the block counts warps. `bar.sync` is aligned: all threads of a warp must execute the same instruction.

use crate::code::{Op, Reduction};
use crate::fault::{Fault, FaultKind};
use crate::launch::{Launch, Stats};
use crate::memory::Memory;
use crate::races::{Clocks, Shadow};
use crate::thread::{State, Thread, Waiting};

/// Instructions of one turn of a thread.
const TURN: u64 = 1 << 10;

/// Everything that a thread sees besides itself.
pub(crate) struct Environment<'l, 'm> {
    pub(crate) launch: &'l Launch<'m>,
    pub(crate) memory: &'l mut Memory,
    /// The buffer of the last access.
    pub(crate) hint: usize,
    pub(crate) shared: Vec<u8>,
    /// With checks: whether a byte was written.
    pub(crate) shared_written: Vec<bool>,
    pub(crate) block_id: [u32; 3],
    pub(crate) block_index: u32,
    /// The line of the current instruction, with checks.
    pub(crate) line: u32,
    /// Whether undefined values are followed.
    pub(crate) undefined: bool,
    pub(crate) clocks: Clocks,
    pub(crate) global_shadows: Vec<Shadow>,
    pub(crate) shared_shadow: Shadow,
}

/// Warps that have arrived at a barrier without waiting.
#[derive(Clone, Default)]
struct Arrived {
    threads: u32,
    clocks: Vec<u32>,
}

/// A launch that is under way.
pub(crate) struct Machine<'l, 'm> {
    environment: Environment<'l, 'm>,
    threads: Vec<Thread>,
    arrived: Vec<Arrived>,
    steps: u64,
    stats: Stats,
}

/// A fault and the thread that it concerns.
type Faulty = (usize, FaultKind);

impl<'l, 'm> Machine<'l, 'm> {
    pub(crate) fn new(launch: &'l Launch<'m>, memory: &'l mut Memory, steps: u64) -> Machine<'l, 'm> {
        let environment = Environment {
            launch,
            memory,
            hint: 0,
            shared: Vec::new(),
            shared_written: Vec::new(),
            block_id: [0; 3],
            block_index: 0,
            line: 0,
            undefined: launch.tracks_undefined(),
            clocks: Clocks::default(),
            global_shadows: Vec::new(),
            shared_shadow: Shadow::default(),
        };
        let threads = (0..launch.threads()).map(|_| Thread::new()).collect();
        Machine { environment, threads, arrived: Vec::new(), steps, stats: Stats::default() }
    }

    /// Runs all blocks.
    pub(crate) fn run(mut self) -> Result<Stats, Fault> {
        let launch = self.environment.launch;
        let [nx, ny, nz] = launch.grid;
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let index = (u64::from(z) * u64::from(ny) + u64::from(y)) * u64::from(nx) + u64::from(x);
                    self.environment.block_index = index as u32;
                    self.environment.block_id = [x, y, z];
                    let result = if launch.has_checks() { self.block::<true>() } else { self.block::<false>() };
                    if let Err((thread, kind)) = result {
                        return Err(self.fault(thread, kind));
                    }
                    self.stats.blocks += 1;
                    self.stats.threads += self.threads.len() as u64;
                }
            }
        }
        Ok(self.stats)
    }

    fn fault(&self, thread: usize, kind: FaultKind) -> Fault {
        let launch = self.environment.launch;
        let function = |index: usize| launch.module.functions.get(index);
        let line = self.threads.get(thread).and_then(|t| function(t.function)?.lines.get(t.pc).copied());
        Fault {
            kernel: function(launch.kernel).map_or(String::new(), |f| f.name.clone()),
            line,
            block: Some(self.environment.block_id),
            thread: Some(launch.tid(thread as u32)),
            kind,
        }
    }

    fn block<const CHECK: bool>(&mut self) -> Result<(), Faulty> {
        let environment = &mut self.environment;
        let launch = environment.launch;
        environment.shared.clear();
        environment.shared.resize(launch.shared_bytes, 0);
        if environment.undefined {
            environment.shared_written.clear();
            environment.shared_written.resize(launch.shared_bytes, false);
        }
        environment.clocks.reset(self.threads.len().div_ceil(32));
        if environment.block_index.is_multiple_of(64) {
            environment.shared_shadow.clear();
        }
        self.arrived.clear();
        self.arrived.resize(16, Arrived::default());
        for (index, thread) in self.threads.iter_mut().enumerate() {
            thread.start(launch, environment.block_id, index as u32);
        }
        loop {
            let mut progress = false;
            for warp in 0..self.threads.len().div_ceil(32) {
                loop {
                    progress |= self.turns::<CHECK>(warp)?;
                    if !self.warp_instructions(warp)? {
                        break;
                    }
                    progress = true;
                }
            }
            if self.threads.iter().all(|t| t.state == State::Done) {
                return Ok(());
            }
            progress |= self.barriers()?;
            if !progress {
                return Err(self.stuck());
            }
        }
    }

    /// The numbers of the threads of a warp.
    pub(crate) fn warp_threads(&self, warp: usize) -> std::ops::Range<usize> {
        warp * 32..(warp * 32 + 32).min(self.threads.len())
    }

    pub(crate) fn threads(&self) -> &[Thread] {
        &self.threads
    }

    pub(crate) fn threads_mut(&mut self) -> &mut [Thread] {
        &mut self.threads
    }

    /// Gives every thread of a warp that is ready one turn.
    fn turns<const CHECK: bool>(&mut self, warp: usize) -> Result<bool, Faulty> {
        let mut progress = false;
        for index in self.warp_threads(warp) {
            let thread = &mut self.threads[index];
            if thread.state != State::Ready {
                continue;
            }
            progress = true;
            let turn = TURN.min(self.steps);
            if turn == 0 {
                return Err((index, FaultKind::Steps(self.stats.instructions)));
            }
            let executed = self.environment.run::<CHECK>(thread, index as u32, turn).map_err(|kind| (index, kind))?;
            self.steps -= executed;
            self.stats.instructions += executed;
        }
        Ok(progress)
    }

    /// The operation that a waiting thread stands at.
    pub(crate) fn operation(&self, thread: usize) -> Option<&'m Op> {
        let thread = self.threads.get(thread)?;
        let function = self.environment.launch.module.functions.get(thread.function)?;
        function.code.get(thread.pc).map(|i| &i.op)
    }

    /// A synchronisation of a whole warp, for the detection of races.
    pub(crate) fn synchronise_warp(&mut self, warp: usize) {
        self.environment.clocks.synchronise(&[warp], &[]);
    }

    /// Lets threads go on whose barrier is complete.
    fn barriers(&mut self) -> Result<bool, Faulty> {
        let mut progress = false;
        for warp in 0..self.threads.len().div_ceil(32) {
            self.check_alignment(warp)?;
            progress |= self.arrive(warp);
        }
        for id in 0..16 {
            progress |= self.barrier(id)?;
        }
        Ok(progress)
    }

    /// The barrier that a thread waits at.
    fn waiting(&self, thread: usize) -> Option<Waiting> {
        match self.threads[thread].state {
            State::Barrier(waiting) => Some(waiting),
            _ => None,
        }
    }

    /// Where no thread of a warp can go on and one waits at an aligned barrier, all must wait at the same one.
    fn check_alignment(&self, warp: usize) -> Result<(), Faulty> {
        let checks = self.environment.launch.checks;
        if !checks.barriers {
            return Ok(());
        }
        let range = self.warp_threads(warp);
        let Some(first) = range.clone().find(|&t| self.waiting(t).is_some_and(|w| w.aligned)) else { return Ok(()) };
        if range.clone().any(|t| matches!(self.threads[t].state, State::Ready | State::Warp)) {
            return Ok(());
        }
        for other in range {
            let here = &self.threads[first];
            let there = &self.threads[other];
            let tid = self.environment.launch.tid(other as u32);
            match there.state {
                State::Done if checks.exits => {
                    let what = format!("thread {tid:?} of the same warp has exited");
                    return Err((first, FaultKind::DivergentBarrier(what)));
                }
                State::Barrier(_) if (there.function, there.pc) != (here.function, here.pc) => {
                    let function = self.environment.launch.module.functions.get(there.function);
                    let line = function.and_then(|f| f.lines.get(there.pc)).copied().unwrap_or(0);
                    let what = format!("thread {tid:?} of the same warp waits in line {line}");
                    return Err((first, FaultKind::DivergentBarrier(what)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether all threads of a warp that have not exited wait at barrier `id`.
    fn warp_waits(&self, warp: usize, id: u32, arrive: bool) -> bool {
        let mut some = false;
        for thread in self.warp_threads(warp) {
            match self.threads[thread].state {
                State::Done => {}
                State::Barrier(w) if w.id == id && w.arrive == arrive => some = true,
                _ => return false,
            }
        }
        some
    }

    /// A whole warp at `bar.arrive` is counted and goes on.
    fn arrive(&mut self, warp: usize) -> bool {
        let range = self.warp_threads(warp);
        let Some(id) = range.clone().find_map(|t| self.waiting(t).filter(|w| w.arrive).map(|w| w.id)) else {
            return false;
        };
        if !self.warp_waits(warp, id, true) {
            return false;
        }
        let arrived = &mut self.arrived[id as usize];
        arrived.threads += 32;
        self.environment.clocks.arrive(warp, &mut arrived.clocks);
        for thread in &mut self.threads[range] {
            if thread.state != State::Done {
                thread.state = State::Ready;
                thread.pc += 1;
            }
        }
        true
    }

    /// Completes barrier `id` if enough threads wait at it.
    fn barrier(&mut self, id: u32) -> Result<bool, Faulty> {
        let waits = |t: usize| self.waiting(t).filter(|w| w.id == id && !w.arrive);
        let Some((first, here)) = (0..self.threads.len()).find_map(|t| Some((t, waits(t)?))) else {
            return Ok(false);
        };
        let other = (0..self.threads.len()).find(|&t| waits(t).is_some_and(|w| w.threads != here.threads));
        if let Some(other) = other {
            let what = format!("barrier {id} is waited at for different numbers of threads");
            return Err((other, FaultKind::DivergentBarrier(what)));
        }
        let warps: Vec<usize> =
            (0..self.threads.len().div_ceil(32)).filter(|&w| self.warp_waits(w, id, false)).collect();
        let complete = match here.threads {
            Some(wanted) => {
                let there = warps.len() as u32 * 32 + self.arrived[id as usize].threads;
                if there > wanted {
                    let what = format!("{there} threads are at barrier {id}, which is for {wanted}");
                    return Err((first, FaultKind::DivergentBarrier(what)));
                }
                there == wanted
            }
            None => {
                let exited = self.threads.iter().position(|t| t.state == State::Done);
                let all = (0..self.threads.len()).all(|t| waits(t).is_some() || self.threads[t].state == State::Done);
                if let Some(exited) = exited.filter(|_| all && self.environment.launch.checks.exits) {
                    let tid = self.environment.launch.tid(exited as u32);
                    let what = format!("thread {tid:?} of the block has exited");
                    return Err((first, FaultKind::DivergentBarrier(what)));
                }
                all
            }
        };
        if !complete {
            return Ok(false);
        }
        let arrived = std::mem::take(&mut self.arrived[id as usize]);
        self.environment.clocks.synchronise(&warps, &arrived.clocks);
        self.stats.barriers += 1;
        let members: Vec<(usize, Waiting)> =
            warps.iter().flat_map(|&w| self.warp_threads(w)).filter_map(|t| Some((t, self.waiting(t)?))).collect();
        let values: Vec<bool> = members.iter().filter_map(|(_, w)| Some(w.reduction?.2)).collect();
        for (index, waiting) in members {
            let thread = &mut self.threads[index];
            if let Some((kind, d, _)) = waiting.reduction {
                let value = match kind {
                    Reduction::Count => values.iter().filter(|v| **v).count() as u64,
                    Reduction::All => u64::from(values.iter().all(|v| *v)),
                    Reduction::Any => u64::from(values.iter().any(|v| *v)),
                };
                thread.set(d, value);
            }
            thread.state = State::Ready;
            thread.pc += 1;
        }
        Ok(true)
    }

    /// Why nobody can go on.
    fn stuck(&self) -> Faulty {
        let first = self.threads.iter().position(|t| t.state != State::Done).unwrap_or(0);
        let tid = |t: usize| self.environment.launch.tid(t as u32);
        let kind = match self.threads[first].state {
            State::Barrier(waiting) => {
                let other = self
                    .threads
                    .iter()
                    .position(|t| !matches!(t.state, State::Barrier(w) if w.id == waiting.id && !w.arrive));
                let what = match other.map(|t| (t, self.threads[t].state)) {
                    Some((t, State::Barrier(w))) => format!("thread {:?} waits at barrier {}", tid(t), w.id),
                    Some((t, State::Done)) => format!("thread {:?} has exited", tid(t)),
                    Some((t, _)) => format!("thread {:?} waits for threads of its warp", tid(t)),
                    None => "too few threads reach it".to_owned(),
                };
                FaultKind::DivergentBarrier(format!("nobody can pass barrier {}: {what}", waiting.id))
            }
            _ => FaultKind::Deadlock(format!("thread {:?} waits for threads of its warp that do not come", tid(first))),
        };
        (first, kind)
    }
}
