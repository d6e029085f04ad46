//! One execution of a nest on the device.
//!
//! A session is in one of two states: it goes on, or it has failed with a [`Reason`]. The first error decides; every later
//! call does nothing. At the end the results of all arrays are copied to *staging* memory of the host, the stream is waited
//! for, and only when everything has succeeded they are copied from there into the arrays, which cannot fail. So an error
//! at any moment leaves the arrays as they were.
//!
//! Staging has a price: a result is copied once more, at the rate at which the host copies. Small results (`device`) are
//! staged in pinned memory, large ones (`transfer`) in ordinary memory by several threads.
//!
//! Where only changed bytes are to be stored, a copy of the array is made on the host first, its *snapshot*, from which the
//! device gets it: the array itself may change meanwhile. The result is compared with the snapshot at the end.
//!
//! An error that may have broken the context, such as an illegal address in a kernel, switches the device off for the
//! process, and nothing of the session is given back: the context can only be left alone. After other errors the stream is
//! waited for, so that no copy still reads the arrays or writes staging, and memory and stream go back to their pools.

#![expect(unsafe_code, reason = "arrays of the program are reached by pointer")]

use std::ffi::c_void;
use std::sync::Arc;
use std::time::Instant;

use crate::abi::{TESSERA_RT_CHANGED, TESSERA_RT_IN, TESSERA_RT_OUT, TESSERA_RT_OVERWRITTEN, TESSERA_RT_UNCERTAIN};
use crate::device::{Buffer, Device, Pinned, lock};
use crate::driver::{Extent, Shape, Stream};
use crate::nest::{Kernel, Nest};
use crate::owner::OWNER;
use crate::plain::Plain;
use crate::readable;
use crate::reason::Reason;
use crate::trace;
use crate::transfer::{self, LARGE};

/// An array of the program and its memory on the device.
#[derive(Debug)]
struct Array {
    /// Which of the program's arrays it was first: those that are given twice count twice.
    number: usize,
    host: *mut u8,
    /// Empty where nothing of it is on the host.
    shape: Shape,
    /// All flags that it was given with.
    flags: u32,
    buffer: Buffer,
    copied_in: bool,
    /// Without gaps. The driver may read it until the stream was synchronised.
    snapshot: Option<Plain>,
}

impl Array {
    fn copies_out(&self) -> bool {
        self.is_on_host() && self.flags & TESSERA_RT_OUT != 0
    }

    fn is_on_host(&self) -> bool {
        self.shape.bytes() > 0
    }

    /// Whether the addresses from its first to its last byte overlap those of the other.
    fn overlaps(&self, host: *mut u8, shape: Shape) -> bool {
        let (first, second) = (self.host.addr(), host.addr());
        self.is_on_host() && first < second + shape.span() && second < first + self.shape.span()
    }
}

/// Whether an array with these flags is copied in.
fn copies_in(flags: u32) -> bool {
    // Bytes that no kernel writes are copied back too: without a promise that there are none, they must be right.
    flags & TESSERA_RT_IN != 0 || flags & (TESSERA_RT_OUT | TESSERA_RT_OVERWRITTEN) == TESSERA_RT_OUT
}

/// Memory of the host that holds results before they replace an array.
#[derive(Debug)]
enum Staging {
    /// For small results, which the driver copies in the order of the stream.
    Pinned(Pinned),
    /// For large ones, which come through lanes.
    Plain(Plain),
}

impl Staging {
    fn address(&mut self) -> *mut u8 {
        match self {
            Staging::Pinned(pinned) => pinned.address.as_ptr(),
            Staging::Plain(plain) => plain.address(),
        }
    }
}

/// One execution of a nest on the device.
#[derive(Debug)]
pub(crate) struct Session {
    device: &'static Device,
    nest: Arc<Nest>,
    kernels: Arc<[Kernel]>,
    stream: Stream,
    arrays: Vec<Array>,
    failed: Option<Reason>,
    launches: u64,
    /// Arrays that the program gave, those that were given twice among them.
    given: usize,
    bytes_in: usize,
    begun: Instant,
    /// Where traces are written: when the arrays were on the device, and when the kernels were done.
    phases: [Option<Instant>; 2],
    /// Seconds that the model expects.
    expected: Option<f64>,
}

impl Session {
    /// Loads the nest's kernels unless that was done, and takes a stream.
    pub(crate) fn begin(device: &'static Device, nest: Arc<Nest>, expected: Option<f64>) -> Result<Session, Reason> {
        let begun = Instant::now();
        let begin = device.within(|| Ok((nest.kernels(device)?, device.take_stream()?)));
        let (kernels, stream) = begin.inspect_err(|_| lock(&nest.experience).failed())?;
        Ok(Session {
            device,
            nest,
            kernels,
            stream,
            arrays: Vec::new(),
            failed: None,
            launches: 0,
            given: 0,
            bytes_in: 0,
            begun,
            phases: [None; 2],
            expected,
        })
    }

    /// The session has failed, unless it had before.
    pub(crate) fn fail(&mut self, reason: Reason) {
        self.failed.get_or_insert(reason);
    }

    /// Whether calls of the driver make sense: nothing failed, and this is the process that opened it. That it is another one
    /// outweighs any error from before.
    fn goes_on(&mut self) -> bool {
        if std::process::id() != self.device.pid {
            self.failed = Some(Reason::Forked);
        }
        self.failed.is_none()
    }

    /// Brings an array to the device; its address there, or 0.
    ///
    /// # Safety
    ///
    /// The rows at `host` are readable, and writable where they are copied back, until the session ends, and do not change; with
    /// `TESSERA_RT_CHANGED`, bytes may that no kernel writes. With `TESSERA_RT_UNCERTAIN` only if all can be read now.
    pub(crate) unsafe fn array(&mut self, host: *mut u8, shape: Option<Shape>, flags: u32) -> u64 {
        if !self.goes_on() {
            return 0;
        }
        // SAFETY: the same contract.
        match unsafe { self.try_array(host, shape, flags) } {
            Ok(address) => address,
            Err(reason) => {
                self.fail(reason);
                0
            }
        }
    }

    /// # Safety
    ///
    /// As [`Session::array`].
    unsafe fn try_array(&mut self, host: *mut u8, shape: Option<Shape>, flags: u32) -> Result<u64, Reason> {
        let number = self.given;
        self.given += 1;
        let shape = shape.ok_or(Reason::BadArray(number))?;
        let both = TESSERA_RT_IN | TESSERA_RT_OUT;
        if flags & TESSERA_RT_CHANGED != 0 && flags & both != both {
            return Err(Reason::BadFlags(number));
        }
        let on_host = flags & both != 0 && shape.bytes() > 0;
        if on_host && flags & TESSERA_RT_UNCERTAIN != 0 && host.is_null() {
            return Err(Reason::Unreadable(number));
        }
        if on_host && (host.is_null() || host.addr().checked_add(shape.span()).is_none()) {
            return Err(Reason::BadArray(number));
        }
        if on_host && flags & TESSERA_RT_UNCERTAIN != 0 && !readable::is_readable(host, shape) {
            return Err(Reason::Unreadable(number));
        }
        let flags = flags & !TESSERA_RT_UNCERTAIN;
        let same = if on_host { self.find_same(number, host, shape, flags)? } else { None };
        let device = self.device;
        device.within(|| {
            let index = match same {
                Some(index) => index,
                None => {
                    let buffer = device.take_memory(shape.span())?;
                    let shape = if on_host { shape } else { Shape::row(0) };
                    // From here on the buffer is given back by the end, whatever happens.
                    self.arrays.push(Array { number, host, shape, flags, buffer, copied_in: false, snapshot: None });
                    self.arrays.len() - 1
                }
            };
            // SAFETY: the same contract.
            unsafe { self.copy_in(index, number, flags) }?;
            Ok(self.arrays[index].buffer.address.0)
        })
    }

    /// The array that was given with the same memory before. Fails where other memory overlaps this and one of the two is
    /// copied back, or where the flags do not go together.
    fn find_same(&self, number: usize, host: *mut u8, shape: Shape, flags: u32) -> Result<Option<usize>, Reason> {
        let mut same = None;
        for (index, other) in self.arrays.iter().enumerate().filter(|(_, other)| other.overlaps(host, shape)) {
            let is_written = other.copies_out() || flags & TESSERA_RT_OUT != 0;
            let is_same = other.host == host && other.shape == shape;
            let go_together =
                !is_written || matches!(other.flags & flags, common if common == flags || common == other.flags);
            if is_same && go_together {
                same = Some(index);
            } else if is_written {
                return Err(Reason::Overlap(other.number, number));
            }
        }
        Ok(same)
    }

    /// Copies an array to the device as these flags ask for, unless that was done for others. Called in the device's context.
    ///
    /// # Safety
    ///
    /// As [`Session::array`].
    unsafe fn copy_in(&mut self, index: usize, number: usize, flags: u32) -> Result<(), Reason> {
        let device = self.device;
        let array = &mut self.arrays[index];
        array.flags |= flags;
        let has_snapshot = array.snapshot.is_some() || flags & TESSERA_RT_CHANGED == 0;
        if !array.is_on_host() || !copies_in(flags) || array.copied_in && has_snapshot {
            return Ok(());
        }
        if self.launches > 0 && array.number != number {
            // Results would be overwritten.
            return Err(Reason::Overlap(array.number, number));
        }
        if array.copied_in {
            // The first copy must not come last.
            device.driver.synchronize(self.stream)?;
        }
        array.copied_in = true;
        let (shape, address) = (array.shape, array.buffer.address);
        let (mut from, mut pitch) = (array.host, shape.pitch);
        if array.flags & TESSERA_RT_CHANGED != 0 {
            let plain = array.snapshot.insert(Plain::new(shape.bytes()).ok_or(Reason::NoStaging(shape.bytes()))?);
            // What other threads write meanwhile may be copied half. No kernel writes there, so it is not stored again.
            // SAFETY: the caller promises rows that are readable, and the snapshot has room for them.
            unsafe { transfer::pack(device.workers, from, plain.address(), shape) };
            (from, pitch) = (plain.address(), shape.row_bytes);
        }
        self.bytes_in += shape.bytes();
        // SAFETY: the caller promises rows that are readable and stay, as does a snapshot until the stream was synchronised; the
        // buffer has room for the span, and no kernel uses it yet.
        unsafe { transfer::upload(device, address, from, shape, pitch, self.stream) }
    }

    /// Launches a kernel; whether the session goes on.
    ///
    /// # Safety
    ///
    /// `parameters` points to one pointer to a value for each parameter of the kernel.
    pub(crate) unsafe fn launch(
        &mut self,
        kernel: u32,
        grid: [u32; 3],
        block: [u32; 3],
        shared_bytes: u32,
        parameters: *const *const c_void,
    ) -> bool {
        if !self.goes_on() {
            return false;
        }
        if grid.contains(&0) || block.contains(&0) {
            return true;
        }
        let device = self.device;
        if self.launches == 0
            && let Err(reason) = device.within(|| self.ends_phase(0))
        {
            self.fail(reason);
            return false;
        }
        let launched = match self.kernels.get(kernel as usize) {
            None => Err(Reason::KernelIndex(kernel)),
            Some(kernel) => device.within(|| {
                let function = kernel.with_shared_bytes(device, shared_bytes)?;
                // SAFETY: the caller promises a value for each parameter.
                unsafe {
                    device.driver.launch(function, Extent { grid, block, shared_bytes }, parameters, self.stream)
                }?;
                Ok(())
            }),
        };
        match launched {
            Ok(()) => self.launches += 1,
            Err(reason) => {
                if OWNER.traces() {
                    trace::line(format_args!(
                        "nest {}: kernel {}, grid {grid:?}, block {block:?}, {shared_bytes} bytes shared: {reason}",
                        self.nest.name(),
                        self.nest.kernel_name(kernel)
                    ));
                }
                self.fail(reason);
            }
        }
        self.failed.is_none()
    }

    /// Replaces the arrays by the results; whether that was done. Nothing on the host was changed otherwise.
    ///
    /// # Safety
    ///
    /// The arrays that are copied back can be written.
    pub(crate) unsafe fn end(mut self) -> bool {
        let device = self.device;
        let mut copies = Vec::new();
        if self.goes_on() {
            match device.within(|| self.download()) {
                Ok(complete) => copies = complete,
                Err(reason) => self.fail(reason),
            }
        }
        for (index, staging) in &mut copies {
            let Array { host, shape, ref mut snapshot, .. } = self.arrays[*index];
            let after = staging.address();
            // SAFETY: the caller promises rows that can be written; staging and snapshot have them all without gaps, and are our
            // own.
            unsafe {
                match snapshot {
                    None => transfer::unpack(device.workers, after, host, shape),
                    Some(before) => transfer::unpack_changed(device.workers, after, before.address(), host, shape),
                }
            };
        }
        let seconds = self.begun.elapsed().as_secs_f64();
        let complete = self.failed.is_none();
        match &self.failed {
            None => lock(&self.nest.experience).succeeded(seconds, self.expected),
            // The locks of the process before the fork may be held by threads that this one does not have.
            Some(Reason::Forked) => {}
            Some(_) => lock(&self.nest.experience).failed(),
        }
        if OWNER.traces() {
            let name = self.nest.name();
            match &self.failed {
                None => trace::line(format_args!(
                    "nest {name}: device: {} launches, {} arrays{}, {} bytes in, {} bytes out, {:.1} us, {:.1} us of them kernels",
                    self.launches,
                    self.arrays.len(),
                    match self.arrays.iter().filter(|array| array.shape.rows > 1).count() {
                        0 => String::new(),
                        number => format!(" ({number} by rows)"),
                    },
                    self.bytes_in,
                    self.arrays
                        .iter()
                        .filter(|array| array.copies_out())
                        .map(|array| array.shape.bytes())
                        .sum::<usize>(),
                    seconds * 1e6,
                    self.kernel_seconds() * 1e6
                )),
                Some(reason) => trace::line(format_args!(
                    "nest {name}: host, after {} launches and {:.1} us on the device: {reason}",
                    self.launches,
                    seconds * 1e6
                )),
            }
        }
        self.clean_up(copies);
        complete
    }

    /// Waits for the device and notes the time, where traces are written: they say how long copies and kernels took.
    fn ends_phase(&mut self, phase: usize) -> Result<(), Reason> {
        if OWNER.traces() {
            self.device.driver.synchronize(self.stream)?;
            self.phases[phase] = Some(Instant::now());
        }
        Ok(())
    }

    /// Seconds that kernels took, where they are known.
    fn kernel_seconds(&self) -> f64 {
        let [Some(first), Some(last)] = self.phases else { return 0.0 };
        last.duration_since(first).as_secs_f64()
    }

    /// Copies the results to staging memory, and waits for everything.
    fn download(&mut self) -> Result<Vec<(usize, Staging)>, Reason> {
        self.ends_phase(1)?;
        let device = self.device;
        let mut copies = Vec::new();
        let started =
            self.arrays.iter().enumerate().filter(|(_, array)| array.copies_out()).try_for_each(|(index, array)| {
                let mut staging = device.take_staging(array.shape.bytes())?;
                let to = staging.address();
                let is_small = matches!(staging, Staging::Pinned(_));
                copies.push((index, staging));
                if is_small {
                    // SAFETY: staging has room for the rows and stays until the stream is synchronised below; the buffer
                    // has the span.
                    unsafe { device.driver.download(to, array.buffer.address, array.shape, self.stream) }?;
                }
                Ok(())
            });
        // Also after an error: earlier copies still write staging.
        if let Err(error) = device.driver.synchronize(self.stream) {
            // Nobody knows what still writes.
            std::mem::forget(copies);
            return Err(started.err().unwrap_or(error.into()));
        }
        if let Err(reason) = started {
            for (_, staging) in copies {
                device.give_staging(staging)?;
            }
            return Err(reason);
        }
        // The kernels are done, and all small results are there.
        let large = copies.iter_mut().filter(|(_, staging)| matches!(staging, Staging::Plain(_))).try_for_each(
            |(index, staging)| {
                let array = &self.arrays[*index];
                // SAFETY: staging has room for the rows; the buffer has the span, and no kernel runs.
                unsafe { transfer::download(device, staging.address(), array.buffer.address, array.shape, self.stream) }
            },
        );
        if let Err(reason) = large {
            // As above.
            std::mem::forget(copies);
            return Err(reason);
        }
        Ok(copies)
    }

    /// Gives everything back, or leaves it alone where that is all that can be done.
    fn clean_up(self, copies: Vec<(usize, Staging)>) {
        let Session { device, stream, arrays, failed, .. } = self;
        match &failed {
            Some(Reason::Forked) => return,
            Some(reason) if !reason.leaves_device_usable() => {
                // Nobody knows what still reads snapshots.
                std::mem::forget(arrays);
                return OWNER.switch_off(reason);
            }
            _ => {}
        }
        let given = device.within(|| {
            if failed.is_some()
                && let Err(error) = device.driver.synchronize(stream)
            {
                // As above.
                std::mem::forget(arrays);
                return Err(error.into());
            }
            device.give_stream(stream);
            for array in arrays {
                device.give_memory(array.buffer)?;
            }
            for (_, staging) in copies {
                device.give_staging(staging)?;
            }
            Ok(())
        });
        // Results that are complete stay so; but what cannot be freed today cannot be trusted tomorrow.
        if let Err(reason) = given {
            OWNER.switch_off(&reason);
        }
    }
}

impl Device {
    /// Memory of the host for results: pinned where they are small.
    fn take_staging(&self, bytes: usize) -> Result<Staging, Reason> {
        if bytes < LARGE
            && let Some(pinned) = self.take_pinned(bytes)?
        {
            return Ok(Staging::Pinned(pinned));
        }
        Ok(Staging::Plain(Plain::new(bytes).ok_or(Reason::NoStaging(bytes))?))
    }

    fn give_staging(&self, staging: Staging) -> Result<(), Reason> {
        match staging {
            Staging::Pinned(pinned) => Ok(self.give_pinned(pinned)?),
            Staging::Plain(_) => Ok(()),
        }
    }
}
