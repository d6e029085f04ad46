//! Which side is faster: a pure function of what the compiler estimates and what was measured of the device.
//!
//! The time of a session on the device is modelled as
//!
//! ```text
//!   session                                  begin, synchronise, end
//! + arrays * copy                            fixed part of each copy
//! + bytes_in / upload + bytes_out / download through this library, staging included; large arrays are faster
//! + launches * launch                        kernels in a row
//! + max(operations / rate, traffic / memory) what the kernels do, with few threads at a lower rate
//! ```
//!
//! and the host's is the compiler's `host_seconds`. The device is chosen where [`MARGIN`] times its time is less than the
//! host's: the estimate errs, and a program must not become slower because of it. What is measured of a nest on either side
//! corrects later estimates ([`Corrections`]).
//!
//! # What has to be paid first
//!
//! A driver that starts takes some tenths of a second, and PTX that is translated some milliseconds. Nobody knows how often
//! a program will run a nest. The rule is that of renting skis: what could have been gained is added up, and when it
//! exceeds the price, the price is paid. So a program loses at most what it could have won, and a program that never could
//! have won never pays.
//!
//! Example: a nest takes 20 ms on the host and 2 ms on the device, whose start takes 300 ms. A single execution with a gain
//! of 0.3 s or more would start the device at once; this one starts it at the 18th.

use crate::abi::Estimate;
use crate::reason::Reason;
use crate::transfer::LARGE;

/// How much faster the device must be by the estimate.
pub(crate) const MARGIN: f64 = 1.25;

/// Operations per second of the host, where the compiler gave no time: one core with short vectors.
const HOST_OPERATIONS: f64 = 4e9;

/// Operations per second of one thread of the device, of which others are not in the way: it waits for its own results and
/// for memory.
const THREAD_OPERATIONS: f64 = 2e8;

/// How many numbers [`Costs`] has.
pub(crate) const COUNT: usize = 11;

/// What is known of a device: times in seconds, rates per second. All are positive and finite.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Costs {
    /// From the first call to a usable device.
    pub(crate) start: f64,
    /// A session with one empty kernel and no array.
    pub(crate) session: f64,
    /// One more kernel in a session.
    pub(crate) launch: f64,
    /// The fixed part of copying an array.
    pub(crate) copy: f64,
    /// Bytes from the host's arrays to the device.
    pub(crate) upload: f64,
    /// The same for arrays of [`LARGE`] bytes or more.
    pub(crate) large_upload: f64,
    /// Bytes from the device to the host's arrays.
    pub(crate) download: f64,
    /// The same for arrays of [`LARGE`] bytes or more.
    pub(crate) large_download: f64,
    /// Operations of kernels, as kernels reach them.
    pub(crate) operations: f64,
    /// Operations on double precision.
    pub(crate) doubles: f64,
    /// Bytes between the device's memory and its processors.
    pub(crate) memory: f64,
}

impl Costs {
    /// What is assumed of a device that nobody has measured: one of the middle class behind a PCI Express 3 bus.
    /// Decides only whether it is worth the time to start the driver and look.
    pub(crate) const ASSUMED: Costs = Costs {
        start: 0.4,
        session: 40e-6,
        launch: 4e-6,
        copy: 10e-6,
        upload: 5e9,
        large_upload: 8e9,
        download: 4e9,
        large_download: 6e9,
        operations: 1e12,
        doubles: 2e11,
        memory: 2e11,
    };

    /// Names and values in the order of the file in which they are kept.
    pub(crate) fn fields(&self) -> [(&'static str, f64); COUNT] {
        [
            ("start", self.start),
            ("session", self.session),
            ("launch", self.launch),
            ("copy", self.copy),
            ("upload", self.upload),
            ("large_upload", self.large_upload),
            ("download", self.download),
            ("large_download", self.large_download),
            ("operations", self.operations),
            ("doubles", self.doubles),
            ("memory", self.memory),
        ]
    }

    /// The costs with these values, in the order of [`Costs::fields`].
    pub(crate) fn from_values(values: [f64; COUNT]) -> Costs {
        let [start, session, launch, copy, upload, large_upload, download, large_download, operations, doubles, memory] =
            values;
        Costs {
            start,
            session,
            launch,
            copy,
            upload,
            large_upload,
            download,
            large_download,
            operations,
            doubles,
            memory,
        }
    }

    /// Whether every number can be what it claims to be. Times from a nanosecond to a minute, rates from a megabyte per
    /// second on.
    pub(crate) fn plausible(&self) -> bool {
        let times = [self.start, self.session, self.launch, self.copy];
        let copies = [self.upload, self.large_upload, self.download, self.large_download];
        let kernels = [self.operations, self.doubles, self.memory];
        times.iter().all(|time| (1e-9..=60.0).contains(time))
            && copies.iter().chain(&kernels).all(|rate| (1e6..=1e18).contains(rate))
    }
}

/// The seconds of a session on the device by the model; `None` where the estimate has a number that makes no sense.
pub(crate) fn device_seconds(costs: &Costs, estimate: &Estimate) -> Option<f64> {
    let Estimate {
        operations,
        doubles,
        traffic,
        bytes_in,
        bytes_out,
        launches,
        arrays,
        threads,
        host_seconds: _,
        begun: _,
    } = *estimate;
    let numbers = [operations, doubles, traffic, bytes_in, bytes_out, launches, arrays, threads];
    if !numbers.iter().all(|number| *number >= 0.0 && *number < f64::INFINITY) {
        return None;
    }
    let large = bytes_in + bytes_out >= arrays * LARGE as f64;
    let (upload, download) =
        if large { (costs.large_upload, costs.large_download) } else { (costs.upload, costs.download) };
    let all_threads = (operations - doubles).max(0.0) / costs.operations + doubles / costs.doubles;
    let compute = if threads > 0.0 { all_threads.max(operations / (threads * THREAD_OPERATIONS)) } else { all_threads };
    Some(
        fixed_seconds(costs, estimate) + bytes_in / upload + bytes_out / download + compute.max(traffic / costs.memory),
    )
}

/// The part of [`device_seconds`] that sizes do not change.
fn fixed_seconds(costs: &Costs, estimate: &Estimate) -> f64 {
    costs.session + estimate.arrays * costs.copy + estimate.launches * costs.launch
}

/// The seconds of the host path.
pub(crate) fn host_seconds(estimate: &Estimate) -> Option<f64> {
    if estimate.host_seconds.is_finite() && estimate.host_seconds > 0.0 {
        return Some(estimate.host_seconds);
    }
    (estimate.operations.is_finite() && estimate.operations >= 0.0).then_some(estimate.operations / HOST_OPERATIONS)
}

/// What was measured of a nest: times over those of the estimate and of the model. 1 where nothing was measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Corrections {
    /// Of the host's loops.
    pub(crate) host: f64,
    /// Of sessions on the device.
    pub(crate) device: f64,
}

/// The seconds that the device saves beyond the margin, which are more than 0; otherwise the reason to take the host.
pub(crate) fn gain(costs: &Costs, estimate: &Estimate, corrections: Corrections) -> Result<f64, Reason> {
    let host = corrections.host * host_seconds(estimate).ok_or(Reason::NoEstimate)?;
    // Most executions of most nests are small, and end here.
    let fixed = corrections.device * fixed_seconds(costs, estimate);
    if host < MARGIN * fixed {
        return Err(Reason::Slower { host, device: fixed });
    }
    let device = corrections.device * device_seconds(costs, estimate).ok_or(Reason::NoEstimate)?;
    let gain = host - MARGIN * device;
    if gain > 0.0 { Ok(gain) } else { Err(Reason::Slower { host, device }) }
}

/// What is assumed of the driver's compiler: the seconds that PTX text takes to translate and load.
pub(crate) fn load_seconds(ptx_bytes: usize) -> f64 {
    // Measured on an NVIDIA H100 with driver 580: 7 to 32 ms for 129 to 5656 bytes, and 0.2 ms where the driver has it in
    // its own cache.
    7e-3 + 4e-6 * ptx_bytes as f64
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Corrections, Costs, MARGIN, device_seconds, gain, host_seconds};
    use crate::abi::Estimate;
    use crate::reason::Reason;

    /// Nothing is known.
    pub(crate) const NONE: Estimate = Estimate {
        operations: 0.0,
        doubles: 0.0,
        traffic: 0.0,
        bytes_in: 0.0,
        bytes_out: 0.0,
        launches: 0.0,
        arrays: 0.0,
        threads: 0.0,
        host_seconds: 0.0,
        begun: 0,
    };

    const PLAIN: Corrections = Corrections { host: 1.0, device: 1.0 };

    /// Two operations per element and 12 bytes moved: never worth the way to the device.
    #[test]
    fn saxpy_stays_on_the_host_at_every_size() {
        for n in [0.0, 1.0, 1e3, 1e6, 1e9] {
            let saxpy = Estimate {
                operations: 2.0 * n,
                traffic: 12.0 * n,
                bytes_in: 8.0 * n,
                bytes_out: 4.0 * n,
                launches: 1.0,
                arrays: 2.0,
                host_seconds: 12.0 * n / 10e9,
                ..NONE
            };
            assert!(gain(&Costs::ASSUMED, &saxpy, PLAIN).is_err(), "{n}");
        }
    }

    /// `n` operations per element: from some size on the device wins, and stays.
    #[test]
    fn matrix_product_moves_to_the_device_once() {
        let mut sides = Vec::new();
        for exponent in 0..14 {
            let n = 2f64.powi(exponent);
            let product = Estimate {
                operations: 2.0 * n * n * n,
                traffic: 8.0 * n * n * n / 16.0,
                bytes_in: 8.0 * n * n,
                bytes_out: 4.0 * n * n,
                launches: 1.0,
                arrays: 3.0,
                host_seconds: 2.0 * n * n * n / 50e9,
                ..NONE
            };
            sides.push(gain(&Costs::ASSUMED, &product, PLAIN).is_ok());
        }
        assert!(!sides[0] && sides[13], "{sides:?}");
        assert!(sides.is_sorted(), "{sides:?}");
    }

    /// Copies are paid once for many steps.
    #[test]
    fn time_steps_amortise_copies() {
        let steps = |steps: f64| Estimate {
            operations: 5.0 * 1e7 * steps,
            traffic: 8.0 * 1e7 * steps,
            bytes_in: 4e7,
            bytes_out: 4e7,
            launches: steps,
            arrays: 2.0,
            host_seconds: 8.0 * 1e7 / 10e9 * steps,
            ..NONE
        };
        assert!(gain(&Costs::ASSUMED, &steps(1.0), PLAIN).is_err());
        assert!(gain(&Costs::ASSUMED, &steps(100.0), PLAIN).is_ok());
    }

    /// A wavefront with a few threads is slow on any device.
    #[test]
    fn few_threads_stay_on_the_host() {
        let few = Estimate { operations: 1e9, launches: 1000.0, host_seconds: 0.5, threads: 1.0, ..NONE };
        assert!(gain(&Costs::ASSUMED, &few, PLAIN).is_err());
        assert!(gain(&Costs::ASSUMED, &Estimate { threads: 1e5, ..few }, PLAIN).is_ok());
    }

    #[test]
    fn numbers_that_make_no_sense_mean_the_host() {
        for wrong in [f64::NAN, f64::INFINITY, -1.0] {
            let estimate = Estimate { host_seconds: 100.0, bytes_in: wrong, ..NONE };
            assert_eq!(device_seconds(&Costs::ASSUMED, &estimate), None);
            assert_eq!(gain(&Costs::ASSUMED, &estimate, PLAIN), Err(Reason::NoEstimate));
        }
        assert_eq!(host_seconds(&Estimate { operations: f64::NAN, ..NONE }), None);
    }

    #[test]
    fn measured_times_move_a_nest() {
        let estimate = Estimate { operations: 1e11, launches: 1.0, host_seconds: 2.0, ..NONE };
        let device = device_seconds(&Costs::ASSUMED, &estimate).unwrap();
        assert!(gain(&Costs::ASSUMED, &estimate, PLAIN).is_ok());
        let slow = Corrections { device: 2.0 / device / MARGIN * 1.01, ..PLAIN };
        assert!(gain(&Costs::ASSUMED, &estimate, slow).is_err());
        assert!(gain(&Costs::ASSUMED, &estimate, Corrections { host: 1.1, ..slow }).is_ok());
    }

    #[test]
    fn assumptions_are_plausible_and_garbage_is_not() {
        assert!(Costs::ASSUMED.plausible());
        assert!(!Costs { upload: f64::NAN, ..Costs::ASSUMED }.plausible());
        assert!(!Costs { start: -1.0, ..Costs::ASSUMED }.plausible());
        assert!(!Costs { memory: 0.0, ..Costs::ASSUMED }.plausible());
    }

    #[test]
    fn values_and_fields_are_in_one_order() {
        let values = Costs::ASSUMED.fields().map(|(_, value)| value);
        assert_eq!(Costs::from_values(values), Costs::ASSUMED);
    }
}
