//! What the device costs, measured: a few milliseconds, once per device and driver version.
//!
//! Times are those that a session sees: a copy to the device counts until it is there, a copy back until the bytes lie in an ordinary array.
//! The least of a few repetitions is taken, as everything else that happens on a machine adds to a time. What kernels reach is not measured but computed from
//! the device's clocks (`Facts`).

use std::ffi::CStr;
use std::ptr::null;
use std::time::Instant;

use crate::decide::Costs;
use crate::device::Device;
use crate::driver::{DriverError, Extent, Shape};
use crate::reason::Reason;

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

/// Bytes of a copy whose time is all latency, and of one whose time is almost none.
const SMALL: usize = 4 << 10;
const LARGE: usize = 4 << 20;

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
        driver.synchronize(stream)
    };
    let one_launch = least(8, || launches(1))?;
    let many_launches = least(2, || launches(65))?;

    let mut host = vec![1u8; LARGE];
    let buffer = device.take_memory(LARGE)?;
    let pinned = device.take_pinned(LARGE)?;
    let shape = |bytes| Shape { row_bytes: bytes, rows: 1, pitch: bytes };
    let address = buffer.address;
    let upload = |bytes: usize, host: &[u8]| {
        // SAFETY: both sides have at least `LARGE` bytes, and the stream is synchronised before the host's are used otherwise.
        unsafe { driver.upload(address, host.as_ptr(), shape(bytes), stream) }?;
        driver.synchronize(stream)
    };
    let (small_upload, large_upload) = (least(4, || upload(SMALL, &host))?, least(3, || upload(LARGE, &host))?);
    let mut download = |bytes: usize| {
        let to = pinned.as_ref().map_or(host.as_mut_ptr(), |pinned| pinned.address.as_ptr());
        // SAFETY: both sides have at least `LARGE` bytes, and the stream is synchronised before the host's are used otherwise.
        unsafe { driver.download(to, address, shape(bytes), stream) }?;
        driver.synchronize(stream)?;
        if let Some(pinned) = &pinned {
            // SAFETY: both have at least `LARGE` bytes and are different allocations; the copy into the pinned one is complete.
            unsafe { std::ptr::copy_nonoverlapping(pinned.address.as_ptr(), host.as_mut_ptr(), bytes) };
        }
        Ok(())
    };
    let (small_download, large_download) = (least(4, || download(SMALL))?, least(3, || download(LARGE))?);
    if let Some(pinned) = pinned {
        device.give_pinned(pinned)?;
    }
    device.give_memory(buffer)?;
    device.give_stream(stream);

    let rate = |large: f64, small: f64| (LARGE - SMALL) as f64 / (large - small).max(1e-9);
    let facts = driver.facts();
    let costs = Costs {
        // Half as much again for what is not measured here: locks, looking things up, switching contexts.
        session: 1.5 * one_launch,
        launch: (many_launches - one_launch).max(0.0) / 64.0,
        copy: small_upload.max(small_download),
        upload: rate(large_upload, small_upload),
        download: rate(large_download, small_download),
        operations: facts.operations,
        doubles: facts.doubles,
        memory: facts.memory_rate,
        ..Costs::ASSUMED
    };
    let limited = |value: f64, least: f64, most: f64| if value.is_nan() { least } else { value.clamp(least, most) };
    Ok(Costs {
        launch: limited(costs.launch, 1e-7, 1e-3),
        copy: limited(costs.copy, 1e-7, 1e-2),
        session: limited(costs.session, 1e-6, 1e-1),
        upload: limited(costs.upload, 1e7, 1e12),
        download: limited(costs.download, 1e7, 1e12),
        operations: limited(costs.operations, 1e9, 1e16),
        doubles: limited(costs.doubles, 1e8, 1e16),
        memory: limited(costs.memory, 1e9, 1e14),
        ..costs
    })
}

/// The least time of some runs, in seconds.
fn least(runs: usize, mut run: impl FnMut() -> Result<(), DriverError>) -> Result<f64, DriverError> {
    let mut least = f64::INFINITY;
    for _ in 0..runs {
        let begun = Instant::now();
        run()?;
        least = least.min(begun.elapsed().as_secs_f64());
    }
    Ok(least)
}
