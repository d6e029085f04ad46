//! The device that a process uses: its driver, what it costs, and what is kept between sessions.
//!
//! Sessions of many threads share it. Each has a stream of its own while it lasts, so they wait for each other only where
//! the device does. Streams, memory and modules are never destroyed before the program ends, and not then either: the
//! driver cleans up by itself.
//!
//! Every lock is held for a few instructions, but that of a module, which is held while its PTX is translated.

#![expect(unsafe_code, reason = "pinned memory is reached by pointer")]

use std::ffi::CStr;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::decide::Costs;
use crate::driver::{self, DeviceAddress, Driver, DriverError, Stream};
use crate::environment;
use crate::mode::Mode;
use crate::nest::Nests;
use crate::pool::{Pool, class};
use crate::reason::Reason;
use crate::transfer::MOST_WORKERS;
use crate::{cache, calibrate};

/// Pinned memory is taken from all programs of the machine: the pool keeps this much at most.
const PINNED_IDLE: usize = 128 << 20;

/// Memory on the device.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) address: DeviceAddress,
    class: usize,
}

/// Memory on the host that the device copies to by itself.
#[derive(Debug)]
pub(crate) struct Pinned {
    pub(crate) address: NonNull<u8>,
    class: usize,
}

// SAFETY: the pointer is to memory that this value owns, as a box does, and any thread may use such memory.
unsafe impl Send for Pinned {}

/// The device that a process uses.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) driver: Box<dyn Driver>,
    /// The process that opened the driver. In its forks the driver does not work.
    pub(crate) pid: u32,
    pub(crate) costs: Costs,
    pub(crate) nests: Nests,
    /// How many threads make a large copy.
    pub(crate) workers: usize,
    context_number: Option<u64>,
    memory: Mutex<Pool<Buffer>>,
    pinned: Mutex<Pool<Pinned>>,
    streams: Mutex<Vec<Stream>>,
}

/// Locks; a thread that panicked with the lock left nothing half done, as the pools are changed by single calls.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// Opens the driver that the mode asks for, and measures the device unless that was done before.
    pub(crate) fn start(mode: Mode) -> Result<Device, Reason> {
        let begun = Instant::now();
        let driver = driver::open(mode, environment::variable(c"TESSERA_RT_DRIVER").as_deref())?;
        // The program's own libraries want memory too.
        let idle = usize::try_from(driver.facts().memory_bytes / 8).unwrap_or(usize::MAX);
        let mut device = Device {
            context_number: driver.context_number()?,
            driver,
            pid: std::process::id(),
            costs: Costs::ASSUMED,
            nests: Nests::default(),
            workers: std::thread::available_parallelism().map_or(1, usize::from).min(MOST_WORKERS),
            memory: Mutex::new(Pool::new(idle)),
            pinned: Mutex::new(Pool::new(PINNED_IDLE)),
            streams: Mutex::new(Vec::new()),
        };
        if mode.emulate {
            // Nobody asks what an emulator costs.
            return Ok(device);
        }
        let folder = environment::cache_folder();
        let file = folder.as_deref().map(|folder| cache::of_device(folder, device.driver.facts()));
        device.costs = match file.as_deref().and_then(cache::read) {
            Some(costs) => costs,
            None => {
                let costs = device.within(|| calibrate::measure(&device))?;
                let costs = Costs { start: begun.elapsed().as_secs_f64(), ..costs };
                keep(file.as_deref(), &costs);
                costs
            }
        };
        keep(folder.as_deref().map(cache::last).as_deref(), &device.costs);
        Ok(device)
    }

    /// Runs calls of the driver in the device's context, and makes the program's context current again, also after a panic.
    pub(crate) fn within<T>(&self, calls: impl FnOnce() -> Result<T, Reason>) -> Result<T, Reason> {
        struct Leave<'a>(&'a dyn Driver);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                // Only after a panic, which switches the device off anyway.
                let _ = self.0.leave();
            }
        }
        self.driver.enter()?;
        let leave = Leave(self.driver.as_ref());
        let result = calls();
        std::mem::forget(leave);
        match (result, self.driver.leave()) {
            (Ok(value), Ok(())) => Ok(value),
            (Err(reason), Ok(())) => Err(reason),
            // The first error is the cause, unless the second is the one that breaks the context.
            (Err(reason), Err(_)) if !reason.leaves_device_usable() => Err(reason),
            (_, Err(error)) => Err(error.into()),
        }
    }

    /// Fails unless the context is the one that the device's handles belong to.
    pub(crate) fn check_context(&self) -> Result<(), Reason> {
        if self.driver.context_number()? == self.context_number { Ok(()) } else { Err(Reason::ContextReplaced) }
    }

    /// Memory for this many bytes. Where there is none, what the pool keeps is given back, and the driver is asked once more.
    pub(crate) fn take_memory(&self, bytes: usize) -> Result<Buffer, DriverError> {
        if self.driver.has_exact_buffers() {
            return Ok(Buffer { address: self.driver.allocate(bytes)?, class: bytes });
        }
        // A driver takes a tenth of a second to find out that there cannot be so much.
        let class = class(bytes)
            .filter(|class| *class as u64 <= self.driver.facts().memory_bytes)
            .ok_or(DriverError::out_of_memory("cuMemAlloc", bytes))?;
        if let Some((class, buffer)) = lock(&self.memory).take(class) {
            return Ok(Buffer { class, ..buffer });
        }
        let address = self.driver.allocate(class).or_else(|error| {
            let idle = lock(&self.memory).drain();
            if !error.is_out_of_memory() || idle.is_empty() {
                return Err(error);
            }
            for buffer in idle {
                self.driver.free(buffer.address)?;
            }
            self.driver.allocate(class)
        })?;
        Ok(Buffer { address, class })
    }

    /// Takes memory back that no work uses any more.
    pub(crate) fn give_memory(&self, buffer: Buffer) -> Result<(), DriverError> {
        if self.driver.has_exact_buffers() {
            return self.driver.free(buffer.address);
        }
        let evicted = lock(&self.memory).give(buffer.class, buffer);
        evicted.into_iter().try_for_each(|buffer| self.driver.free(buffer.address))
    }

    /// Pinned memory for this many bytes; `None` where there is none.
    pub(crate) fn take_pinned(&self, bytes: usize) -> Result<Option<Pinned>, DriverError> {
        let Some(class) = class(bytes) else { return Ok(None) };
        if let Some((class, pinned)) = lock(&self.pinned).take(class) {
            return Ok(Some(Pinned { class, ..pinned }));
        }
        match self.driver.allocate_pinned(class) {
            Ok(address) => Ok(Some(Pinned { address, class })),
            Err(error) if error.is_out_of_memory() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes pinned memory back that no copy uses any more.
    pub(crate) fn give_pinned(&self, pinned: Pinned) -> Result<(), DriverError> {
        let evicted = lock(&self.pinned).give(pinned.class, pinned);
        evicted.into_iter().try_for_each(|pinned| self.driver.free_pinned(pinned.address))
    }

    /// A stream that nobody uses.
    pub(crate) fn take_stream(&self) -> Result<Stream, DriverError> {
        let idle = lock(&self.streams).pop();
        idle.map_or_else(|| self.driver.create_stream(), Ok)
    }

    /// Takes a stream back that has no work.
    pub(crate) fn give_stream(&self, stream: Stream) {
        lock(&self.streams).push(stream);
    }

    /// Translates PTX text with one kernel, for measurements.
    pub(crate) fn load_one(&self, ptx: &CStr, name: &CStr) -> Result<driver::Function, Reason> {
        let module = self.driver.load(ptx).map_err(|(error, log)| Reason::Ptx(error, log))?;
        Ok(self.driver.function(module, name)?)
    }
}

fn keep(file: Option<&Path>, costs: &Costs) {
    if let Some(file) = file {
        cache::write(file, costs);
    }
}
