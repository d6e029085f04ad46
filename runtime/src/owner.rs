//! The one static of the library: which state the device is in, and who may start it.
//!
//! ```text
//! unstarted -> starting -> ready -> off
//!     \___________\______________/
//! ```
//!
//! *Unstarted*: no session has been worth the start yet; no library was loaded. *Starting*: one thread opens the driver;
//! others take the host path, or wait for it where the user forces the device. *Ready*: sessions run. *Off*: never again in
//! this process, for a reason that is kept for traces. `off, quietly` is off with nobody to tell: then `tessera_rt_begin`
//! reads one number and returns.
//!
//! # Why a static, and why without locks
//!
//! A process has one driver, and generated code has no place for a handle. All fields are atomic and none is ever waited
//! for: a fork copies whatever state there is, and the child could wait for a thread that it does not have. States carry
//! the number of the process that starts, so that a child knows that nobody will finish. What is published is never freed,
//! so that a thread that runs while the program exits finds it.

#![expect(unsafe_code, reason = "values that are published once are reached by pointer")]

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::Duration;

use crate::abi::{ABI_VERSION, Estimate, OLDEST_ABI_VERSION};
use crate::decide::{self, Corrections, Costs};
use crate::device::{Device, lock};
use crate::environment;
use crate::host_times::HostTimes;
use crate::mode::Mode;
use crate::nest::Description;
use crate::reason::Reason;
use crate::session::Session;
use crate::{cache, trace};

/// The owner of everything in this process.
pub(crate) static OWNER: Owner = Owner::new();

/// A value that is set at most once and never freed.
struct Once<T>(AtomicPtr<T>);

impl<T> Once<T> {
    const fn new() -> Once<T> {
        Once(AtomicPtr::new(null_mut()))
    }

    fn get(&self) -> Option<&'static T> {
        // SAFETY: the pointer is null or comes from `Box::into_raw` in `publish`, and nothing frees it.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Sets the value unless another thread has. Returns the value that holds, and whether it is this one.
    fn publish(&self, value: T) -> (&'static T, bool) {
        let new = Box::into_raw(Box::new(value));
        match self.0.compare_exchange(null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: `new` was made by `Box::into_raw`, and nothing frees it from now on.
            Ok(_) => (unsafe { &*new }, true),
            Err(old) => {
                // SAFETY: `new` was made by `Box::into_raw` above, and no one else has seen it.
                drop(unsafe { Box::from_raw(new) });
                // SAFETY: `old` was published before, and nothing frees it.
                (unsafe { &*old }, false)
            }
        }
    }
}

/// What the environment says, and what is known of the device before it is started.
struct Settings {
    mode: Mode,
    assumed: Costs,
    host_times: HostTimes,
}

// States: the lowest byte says which, the others hold the process that starts.
const UNSTARTED: u64 = 0;
const STARTING: u64 = 1;
const READY: u64 = 2;
const OFF: u64 = 3;
const OFF_QUIETLY: u64 = 4;

/// The state of the device in this process.
pub(crate) struct Owner {
    state: AtomicU64,
    settings: Once<Settings>,
    device: Once<Device>,
    why_off: Once<String>,
    /// Nanoseconds that the device would have saved so far.
    missed: AtomicU64,
    /// Whether the sentence about versions was written.
    version_said: AtomicBool,
}

impl Owner {
    const fn new() -> Owner {
        Owner {
            state: AtomicU64::new(UNSTARTED),
            settings: Once::new(),
            device: Once::new(),
            why_off: Once::new(),
            missed: AtomicU64::new(0),
            version_said: AtomicBool::new(false),
        }
    }

    /// Whether every nest runs on the host and nobody wants to know.
    pub(crate) fn is_off_quietly(&self) -> bool {
        self.state.load(Ordering::Relaxed) == OFF_QUIETLY
    }

    /// Whether the user wants to know.
    pub(crate) fn traces(&self) -> bool {
        self.settings().mode.trace
    }

    /// Says once that code and library do not fit.
    pub(crate) fn refuse_version(&self, code: u32) {
        if self.version_said.swap(true, Ordering::Relaxed) {
            return;
        }
        let (age, advice) = if code > ABI_VERSION {
            ("old", "install the libtessera_rt.so of the compiler that made the program")
        } else {
            ("new", "compile the program again, or install the libtessera_rt.so of the compiler that made it")
        };
        trace::line(format_args!(
            "code was compiled for interface {code}, and this libtessera_rt.so, which has interfaces {OLDEST_ABI_VERSION} to {ABI_VERSION}, is too {age} for it: its nests run on the host; {advice}"
        ));
    }

    /// Never uses the device again in this process.
    pub(crate) fn switch_off(&self, reason: &Reason) {
        let (_, first) = self.why_off.publish(format!("the device is off: {reason}"));
        let traces = self.traces();
        self.state.store(if traces { OFF } else { OFF_QUIETLY }, Ordering::Release);
        if first && traces {
            trace::line(format_args!("device off: {reason}"));
        }
    }

    /// A session for the nest, or `None` for the host path; says why where the user wants to know.
    pub(crate) fn begin(&'static self, nest: &Description<'_>, estimate: Option<&Estimate>) -> Option<Session> {
        match self.try_begin(nest, estimate) {
            Ok(session) => Some(session),
            Err(reason) => {
                if !reason.leaves_device_usable() && !matches!(reason, Reason::Off(_)) {
                    self.switch_off(&reason);
                }
                if self.traces() {
                    trace::line(format_args!("nest {}: host: {reason}", nest.name().to_string_lossy()));
                }
                None
            }
        }
    }

    /// The time for an estimate of a nest that runs on the host next; 0 where it is of no interest.
    pub(crate) fn host_begins(&self, estimate: &Estimate) -> u64 {
        let settings = self.settings();
        let decides = !settings.mode.forced() && self.state.load(Ordering::Relaxed) & 0xff < OFF;
        if decides { settings.host_times.begin(estimate) } else { 0 }
    }

    /// The host has run a nest.
    pub(crate) fn host_done(&self, nest: usize, estimate: &Estimate) {
        self.settings().host_times.done(nest, estimate);
    }

    fn try_begin(&'static self, nest: &Description<'_>, estimate: Option<&Estimate>) -> Result<Session, Reason> {
        let settings = self.settings();
        let forced = settings.mode.forced();
        if settings.mode.host {
            self.switch_off(&Reason::Asked);
        }
        let host = match estimate {
            Some(estimate) if !forced => settings.host_times.factor(nest.key(), estimate),
            _ => 1.0,
        };
        let corrections = Corrections { host, device: 1.0 };
        let device = self.device(settings, estimate, corrections)?;
        let model = if forced {
            None
        } else {
            let estimate = estimate.ok_or(Reason::NoEstimate)?;
            Some((estimate, decide::gain(&device.costs, estimate, corrections)?))
        };
        if std::process::id() != device.pid {
            return Err(Reason::Forked);
        }
        device.check_context()?;
        let nest = device.nests.get(nest);
        if let Some((estimate, gain)) = model {
            let loaded = nest.is_loaded();
            let mut experience = lock(&nest.experience);
            if experience.rest > 0 {
                experience.rest -= 1;
                return Err(Reason::Resting(experience.rest));
            }
            let corrections = Corrections { device: experience.slowness, ..corrections };
            decide::gain(&device.costs, estimate, corrections).inspect_err(|_| experience.fade())?;
            if !loaded {
                experience.missed += gain;
                if experience.missed < decide::load_seconds(nest.ptx_bytes()) {
                    return Err(Reason::NotYet);
                }
            }
        }
        let expected = model.and_then(|(estimate, _)| decide::device_seconds(&device.costs, estimate));
        Session::begin(device, nest, expected)
    }

    /// The device, which is started where that pays.
    fn device(
        &'static self,
        settings: &Settings,
        estimate: Option<&Estimate>,
        corrections: Corrections,
    ) -> Result<&'static Device, Reason> {
        let forced = settings.mode.forced();
        loop {
            let state = self.state.load(Ordering::Acquire);
            match state & 0xff {
                READY => return self.device.get().ok_or(Reason::Panic),
                OFF | OFF_QUIETLY => return Err(self.off()),
                STARTING if state >> 8 != u64::from(std::process::id()) => return Err(Reason::Forked),
                STARTING if forced => std::thread::sleep(Duration::from_micros(50)),
                STARTING => return Err(Reason::Starting),
                _ => {
                    if !forced {
                        self.worth_starting(&settings.assumed, estimate, corrections)?;
                    }
                    let starting = STARTING | u64::from(std::process::id()) << 8;
                    if self.state.compare_exchange(UNSTARTED, starting, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                        return self.start(settings);
                    }
                }
            }
        }
    }

    /// Opens the driver. This thread has set the state to starting.
    fn start(&'static self, settings: &Settings) -> Result<&'static Device, Reason> {
        let device = match Device::start(settings.mode) {
            Ok(device) => self.device.publish(device).0,
            Err(reason) => {
                self.switch_off(&reason);
                return Err(self.off());
            }
        };
        if settings.mode.trace && settings.mode.emulate {
            let facts = device.driver.facts();
            trace::line(format_args!("device {}: {} bytes of memory", facts.name, facts.memory_bytes));
        } else if settings.mode.trace {
            let (facts, costs) = (device.driver.facts(), &device.costs);
            trace::line(format_args!(
                "device {}, CUDA {}.{}: start {:.0} ms, session {:.1} us, launch {:.1} us, copy {:.1} us, to the device {:.1} GB/s ({:.1} in large arrays), back {:.1} GB/s ({:.1})",
                facts.name,
                facts.driver_version / 1000,
                facts.driver_version % 1000 / 10,
                costs.start * 1e3,
                costs.session * 1e6,
                costs.launch * 1e6,
                costs.copy * 1e6,
                costs.upload / 1e9,
                costs.large_upload / 1e9,
                costs.download / 1e9,
                costs.large_download / 1e9,
            ));
        }
        self.state.store(READY, Ordering::Release);
        Ok(device)
    }

    /// Whether what the device would have saved so far is worth its start.
    fn worth_starting(
        &self,
        assumed: &Costs,
        estimate: Option<&Estimate>,
        corrections: Corrections,
    ) -> Result<(), Reason> {
        let gain = decide::gain(assumed, estimate.ok_or(Reason::NoEstimate)?, corrections)?;
        // A sum of hundreds of years is not reached: each term is capped at a day, and the start is a minute at most.
        let gain = (gain.min(86_400.0) * 1e9) as u64;
        let missed = self.missed.fetch_add(gain, Ordering::Relaxed).saturating_add(gain);
        if (missed as f64) < assumed.start * 1e9 { Err(Reason::NotYet) } else { Ok(()) }
    }

    fn off(&self) -> Reason {
        Reason::Off(self.why_off.get().cloned().unwrap_or_default())
    }

    /// What the environment says; read at the first call.
    fn settings(&self) -> &'static Settings {
        if let Some(settings) = self.settings.get() {
            return settings;
        }
        let text = environment::variable(c"TESSERA_RT").unwrap_or_default();
        let text = text.to_string_lossy();
        let (mode, unknown) = Mode::parse(&text);
        let assumed = environment::cache_folder().and_then(|folder| cache::read(&cache::last(&folder)));
        let (settings, first) = self.settings.publish(Settings {
            mode,
            assumed: assumed.unwrap_or(Costs::ASSUMED),
            host_times: HostTimes::new(),
        });
        if first && !unknown.is_empty() {
            trace::line(format_args!(
                "TESSERA_RT knows host, device, emulate and trace, and not {}: ignored",
                unknown.join(", ")
            ));
        }
        settings
    }
}
