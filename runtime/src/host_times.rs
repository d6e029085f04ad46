//! How long nests take on the host, measured: it corrects what the compiler expects.
//!
//! A compiler estimates the time of loops without knowing the machine, the caches or what else runs, and may err by a
//! factor of several. When a nest is sent to the host, [`crate::abi::tessera_rt_begin`] notes the time in the estimate, and
//! after the loops the program calls [`crate::abi::tessera_rt_host_done`]. The time over the estimate is the nest's
//! *factor*, by which later estimates of the nest are multiplied, whatever their sizes. Nests that are too short for the
//! clock to matter are not measured.
//!
//! Nobody ever waits for the table: where another thread has it, or had it while this process was forked, a measurement is
//! lost and a factor is 1.
//!
//! Example: a nest is estimated at 1 ms and takes 5 ms. Its next execution, estimated at 3 ms, counts as 15 ms.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Instant;

use crate::abi::Estimate;
use crate::decide;

/// Nests that are estimated to be shorter are not measured: two looks at the clock take 50 ns.
const SHORTEST: f64 = 5e-6;

/// Estimates do not err by more, but measurements may.
const LARGEST_FACTOR: f64 = 30.0;

/// The factors of nests, by the address of their description.
#[derive(Debug)]
pub(crate) struct HostTimes {
    clock: Instant,
    factors: Mutex<HashMap<usize, f64>>,
}

impl HostTimes {
    /// No measurement yet.
    pub(crate) fn new() -> HostTimes {
        HostTimes { clock: Instant::now(), factors: Mutex::new(HashMap::new()) }
    }

    /// The time, for an estimate of a nest that runs on the host next; 0 where it is not measured.
    pub(crate) fn begin(&self, estimate: &Estimate) -> u64 {
        // An odd number is not 0.
        if long_enough(estimate).is_some() { self.nanoseconds() | 1 } else { 0 }
    }

    /// The host has run a nest whose estimate had the time from [`HostTimes::begin`].
    pub(crate) fn done(&self, nest: usize, estimate: &Estimate) {
        let seconds = self.nanoseconds().saturating_sub(estimate.begun) as f64 * 1e-9;
        self.measured(nest, estimate, seconds);
    }

    fn measured(&self, nest: usize, estimate: &Estimate, seconds: f64) {
        let Some(expected) = long_enough(estimate) else { return };
        let factor = (seconds / expected).clamp(1.0 / LARGEST_FACTOR, LARGEST_FACTOR);
        if let Ok(mut factors) = self.factors.try_lock() {
            factors.entry(nest).and_modify(|old| *old += 0.25 * (factor - *old)).or_insert(factor);
        }
    }

    /// By what the nest's estimate is to be multiplied.
    pub(crate) fn factor(&self, nest: usize, estimate: &Estimate) -> f64 {
        if long_enough(estimate).is_none() {
            return 1.0;
        }
        self.factors.try_lock().ok().and_then(|factors| factors.get(&nest).copied()).unwrap_or(1.0)
    }

    fn nanoseconds(&self) -> u64 {
        u64::try_from(self.clock.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// The seconds that a nest is estimated to take on the host, where it is measured.
fn long_enough(estimate: &Estimate) -> Option<f64> {
    decide::host_seconds(estimate).filter(|seconds| *seconds >= SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::HostTimes;
    use crate::abi::Estimate;
    use crate::decide::tests::NONE;

    #[test]
    fn factors_follow_measurements() {
        let (times, estimate) = (HostTimes::new(), Estimate { host_seconds: 1e-3, ..NONE });
        assert_eq!(times.factor(8, &estimate), 1.0);
        times.measured(8, &estimate, 5e-3);
        assert_eq!(times.factor(8, &estimate), 5.0);
        assert_eq!(times.factor(16, &estimate), 1.0);
        times.measured(8, &estimate, 1e-3);
        assert_eq!(times.factor(8, &estimate), 4.0);
        times.measured(16, &estimate, 1e3);
        assert_eq!(times.factor(16, &estimate), 30.0);
    }

    #[test]
    fn an_estimate_of_operations_is_corrected_as_well() {
        let (times, estimate) = (HostTimes::new(), Estimate { operations: 4e6, ..NONE });
        times.measured(8, &estimate, 2e-3);
        assert!((times.factor(8, &estimate) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn short_nests_are_not_measured() {
        let (times, estimate) = (HostTimes::new(), Estimate { host_seconds: 1e-6, ..NONE });
        assert_eq!(times.begin(&estimate), 0);
        times.measured(8, &estimate, 1.0);
        assert_eq!(times.factor(8, &estimate), 1.0);
        assert_eq!(times.begin(&Estimate { host_seconds: f64::NAN, operations: f64::NAN, ..NONE }), 0);
        assert_ne!(times.begin(&Estimate { host_seconds: 1.0, ..NONE }), 0);
    }

    #[test]
    fn nobody_waits_for_the_table() {
        let (times, estimate) = (HostTimes::new(), Estimate { host_seconds: 1.0, ..NONE });
        let held = times.factors.lock().unwrap();
        times.measured(8, &estimate, 2.0);
        assert_eq!(times.factor(8, &estimate), 1.0);
        drop(held);
    }
}
