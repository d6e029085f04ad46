//! Why a nest runs on the host: every way in which the device is not used, as a value with a sentence.

use std::fmt;

use crate::driver::DriverError;

/// Why a nest runs on the host.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Reason {
    /// `TESSERA_RT=host`.
    Asked,
    /// By the estimates the device is not faster, margin included.
    Slower {
        /// Seconds of the host.
        host: f64,
        /// Seconds of the device.
        device: f64,
    },
    /// The device would be faster, but by less than it costs to start it. Later nests may still tip the scales.
    NotYet,
    /// The code gave no estimates.
    NoEstimate,
    /// The driver library cannot be loaded; the text is the loader's.
    NoLibrary(String),
    /// The driver library lacks a function.
    NoSymbol(&'static str),
    /// The driver is older than the oldest one that is supported; its version as it reports it.
    OldDriver(i32),
    /// The driver works, and there is no device.
    NoDevice,
    /// A call of the driver failed.
    Driver(DriverError),
    /// The driver does not take the nest's PTX text; with the log of its compiler, if it has one.
    Ptx(DriverError, String),
    /// The PTX text has no kernel of this name.
    NoKernel(String, DriverError),
    /// A kernel's index is not in the nest's table.
    KernelIndex(u32),
    /// This process is a fork of the one that uses the device.
    Forked,
    /// Another thread is starting the device.
    Starting,
    /// Memory of two arrays overlaps, one of them is written, and they are not one array.
    Overlap(usize, usize),
    /// An array's address or shape makes no sense.
    BadArray(usize),
    /// An array has the flag for changed bytes and is not both copied in and back.
    BadFlags(usize),
    /// An array, of which the program may touch only a part, cannot be read.
    Unreadable(usize),
    /// There is not enough memory on the host for a copy of an array: its results, or what it was before.
    NoStaging(usize),
    /// The driver has no pinned memory.
    NoPinnedMemory,
    /// The nest failed before, and is tried again after this many executions.
    Resting(u32),
    /// The program has replaced the context that the device's handles belong to.
    ContextReplaced,
    /// The device was switched off, for this reason.
    Off(String),
    /// An error of this library.
    Panic,
}

impl From<DriverError> for Reason {
    fn from(error: DriverError) -> Reason {
        Reason::Driver(error)
    }
}

impl Reason {
    /// Whether the device can be used after this: an error that concerned one request only, as opposed to one after which
    /// the context may be unusable. What is not known to be harmless is not.
    pub(crate) fn leaves_device_usable(&self) -> bool {
        match self {
            Reason::Driver(error) | Reason::Ptx(error, _) | Reason::NoKernel(_, error) => error.concerns_one_request(),
            Reason::ContextReplaced | Reason::Off(_) | Reason::Panic => false,
            _ => true,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Asked => write!(f, "TESSERA_RT=host asks for it"),
            Reason::Slower { host, device } => write!(
                f,
                "the device would not be faster: {:.1} us, and {:.1} us for the host",
                device * 1e6,
                host * 1e6
            ),
            Reason::NotYet => write!(f, "the device would be faster, but by less than its start costs so far"),
            Reason::NoEstimate => {
                write!(f, "the code has no estimate of its time (TESSERA_RT=device runs it on the device)")
            }
            Reason::NoLibrary(error) => write!(f, "there is no CUDA driver: {error}"),
            Reason::NoSymbol(symbol) => {
                write!(f, "the CUDA driver has no function {symbol}: it is too old, or no driver")
            }
            Reason::OldDriver(version) => {
                write!(
                    f,
                    "the CUDA driver is too old: it supports CUDA {}.{}, and 10.0 is the oldest that will do",
                    version / 1000,
                    version % 1000 / 10
                )
            }
            Reason::NoDevice => write!(f, "there is no CUDA device"),
            Reason::Driver(error) => write!(f, "{error}"),
            Reason::Ptx(error, log) if log.is_empty() => write!(f, "the driver refuses the PTX text: {error}"),
            Reason::Ptx(error, log) => write!(f, "the driver refuses the PTX text: {error}: {log}"),
            Reason::NoKernel(name, error) => write!(f, "the PTX text has no kernel {name}: {error}"),
            Reason::KernelIndex(index) => write!(f, "there is no kernel number {index} in the nest's table"),
            Reason::Forked => write!(f, "this process is a fork of the one that uses the device"),
            Reason::Starting => write!(f, "another thread is starting the device"),
            Reason::Overlap(first, second) => {
                write!(f, "arrays {first} and {second} overlap, and one of them is written")
            }
            Reason::BadArray(index) => {
                write!(f, "array {index} has no memory on the host, or a size that does not fit")
            }
            Reason::BadFlags(index) => write!(f, "array {index} has the flag CHANGED without IN and OUT"),
            Reason::Unreadable(index) => {
                write!(f, "array {index}, of which the program may touch only a part, cannot be read as a whole")
            }
            Reason::NoStaging(bytes) => write!(f, "the host has no {bytes} bytes for the copy of an array"),
            Reason::NoPinnedMemory => write!(f, "the driver has no pinned memory"),
            Reason::Resting(left) => write!(f, "it failed before, and is tried again after {left} more executions"),
            Reason::ContextReplaced => write!(f, "the program has reset the device"),
            Reason::Off(why) => write!(f, "{why}"),
            Reason::Panic => write!(f, "an internal error of libtessera_rt"),
        }
    }
}
