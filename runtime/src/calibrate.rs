//! What the device costs, measured: some tens of milliseconds, once per device and driver version.
//!
//! Times are those that a session sees: a copy to the device counts until it is there, a copy back until the bytes lie in
//! an ordinary array. The least of a few repetitions is taken, as everything else that happens on a machine adds to a time.
//! What kernels reach is not measured but computed from the device's clocks (`Facts`).

#![expect(unsafe_code, reason = "copies to and from the device")]

use std::ffi::CStr;
use std::ptr::null;
use std::time::Instant;

use crate::decide::Costs;
use crate::device::Device;
use crate::driver::{Extent, Shape};
use crate::plain::Plain;
use crate::reason::Reason;
use crate::transfer::{self, LARGE};

/// A kernel that does nothing, for every device since 2017.
const EMPTY: &CStr = c"
.version 6.0
.target sm_50
.address_size 64
.visible .entry tessera_rt_empty()
{
    ret;
}
";

/// Bytes of a copy whose time is all latency, of one whose time is almost none, and of one that several threads make.
const SMALL: usize = 4 << 10;
const MEDIUM: usize = 4 << 20;
const HUGE: usize = 4 * LARGE;

/// Measures the device. The start is for the caller to add.
/// Called in the device's context.
pub(crate) fn measure(device: &Device) -> Result<Costs, Reason> {
    let driver = device.driver.as_ref();
    let stream = device.take_stream()?;
    let empty = device.load_one(EMPTY, c"tessera_rt_empty")?;
    let one = Extent { grid: [1; 3], block: [32, 1, 1], shared_bytes: 0 };
    let launches = |count: usize| {
        for _ in 0..count {
            // SAFETY: the kernel has no parameters.
            unsafe { driver.launch(empty, one, null(), stream) }?;
        }
        Ok(driver.synchronize(stream)?)
    };
    let one_launch = least(8, || launches(1))?;
    let many_launches = least(2, || launches(65))?;

    let mut host = vec![1u8; HUGE];
    let buffer = device.take_memory(HUGE)?;
    let pinned = device.take_pinned(MEDIUM)?.ok_or(Reason::NoPinnedMemory)?;
    let mut staging = Plain::new(HUGE).ok_or(Reason::NoStaging(HUGE))?;
    let address = buffer.address;
    let upload = |bytes: usize| {
        // SAFETY: both sides have at least `HUGE` bytes, and the stream is synchronised before the host's are used otherwise.
        unsafe { driver.upload(address, host.as_ptr(), Shape::row(bytes), bytes, stream) }?;
        Ok(driver.synchronize(stream)?)
    };
    let (small_upload, medium_upload) = (least(4, || upload(SMALL))?, least(3, || upload(MEDIUM))?);
    let huge_upload = least(4, || {
        // SAFETY: both sides have `HUGE` bytes, and the stream is synchronised before the host's are used otherwise.
        unsafe { transfer::upload(device, address, host.as_ptr(), Shape::row(HUGE), HUGE, stream) }?;
        Ok(driver.synchronize(stream)?)
    })?;
    let mut download = |bytes: usize| {
        // SAFETY: both sides have at least `MEDIUM` bytes, and the stream is synchronised before the host's are used otherwise.
        unsafe { driver.download(pinned.address.as_ptr(), address, Shape::row(bytes), stream) }?;
        driver.synchronize(stream)?;
        // SAFETY: both have at least `MEDIUM` bytes and are different allocations; the copy into the pinned one is complete.
        unsafe { std::ptr::copy_nonoverlapping(pinned.address.as_ptr(), host.as_mut_ptr(), bytes) };
        Ok(())
    };
    let (small_download, medium_download) = (least(4, || download(SMALL))?, least(3, || download(MEDIUM))?);
    let huge_download = least(4, || {
        // SAFETY: both sides have `HUGE` bytes, and no kernel runs.
        unsafe { transfer::download(device, staging.address(), address, Shape::row(HUGE), stream) }?;
        // SAFETY: both have `HUGE` bytes and are different allocations.
        unsafe { transfer::unpack(device.workers, staging.address(), host.as_mut_ptr(), Shape::row(HUGE)) };
        Ok(())
    })?;
    device.give_pinned(pinned)?;
    device.give_memory(buffer)?;
    device.give_stream(stream);

    let rate = |medium: f64, small: f64| (MEDIUM - SMALL) as f64 / (medium - small).max(1e-9);
    let facts = driver.facts();
    let limited = |value: f64, least: f64, most: f64| if value.is_nan() { least } else { value.clamp(least, most) };
    Ok(Costs {
        launch: limited((many_launches - one_launch).max(0.0) / 64.0, 1e-7, 1e-3),
        copy: limited(small_upload.max(small_download), 1e-7, 1e-2),
        // Half as much again for what is not measured here: locks, looking things up, switching contexts.
        session: limited(1.5 * one_launch, 1e-6, 1e-1),
        upload: limited(rate(medium_upload, small_upload), 1e7, 1e12),
        large_upload: limited(HUGE as f64 / huge_upload, 1e7, 1e12),
        download: limited(rate(medium_download, small_download), 1e7, 1e12),
        large_download: limited(HUGE as f64 / huge_download, 1e7, 1e12),
        operations: limited(facts.operations, 1e9, 1e16),
        doubles: limited(facts.doubles, 1e8, 1e16),
        memory: limited(facts.memory_rate, 1e9, 1e14),
        ..Costs::ASSUMED
    })
}

/// The least time of some runs, in seconds.
fn least(runs: usize, mut run: impl FnMut() -> Result<(), Reason>) -> Result<f64, Reason> {
    let mut least = f64::INFINITY;
    for _ in 0..runs {
        let begun = Instant::now();
        run()?;
        least = least.min(begun.elapsed().as_secs_f64());
    }
    Ok(least)
}
