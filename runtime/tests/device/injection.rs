//! A driver that fails at each of its calls in turn. Whatever call fails, with whatever answer, once or from then on: the
//! program's results are right, no array is replaced by half, and the trace says which call it was.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{programs, scenario};

/// Answers after which the device can be used, answers after which it cannot, and one that nobody knows.
const CODES: &[&str] = &["1", "2", "4", "218", "700", "719", "999", "31415"];

/// How many runs there are per call.
enum Answers {
    /// All answers, of this call only and of all from it on.
    All(&'static [&'static str]),
    /// One of the answers, in turn.
    InTurn(&'static [&'static str]),
}

/// Runs a scenario with the failure at every call from 1 on; returns how many runs there were and how many of them had
/// nests on the host.
fn at_every_call(
    name: &str,
    test: &str,
    answers: &Answers,
    variables: &[(&str, &str)],
    nests: Option<u64>,
) -> (usize, usize) {
    let count = programs().folder.join(format!("{test}-count"));
    let counted = [("TESSERA_RT", "device,trace"), ("STUB_COUNT", count.to_str().unwrap())];
    scenario(name, test, &[&counted[..], variables].concat()).counts();
    if variables.is_empty() {
        // The first run measured the device, this one knows.
        scenario(name, test, &counted).counts();
    }
    let calls: usize = fs::read_to_string(&count).unwrap().trim().parse().unwrap();
    let runs: Vec<(usize, &str, &str)> = (1..=calls)
        .flat_map(|call| match answers {
            Answers::All(codes) => {
                codes.iter().flat_map(|code| ["0", "1"].map(|sticky| (call, *code, sticky))).collect()
            }
            Answers::InTurn(codes) => vec![(call, codes[call % codes.len()], "0")],
        })
        .collect();
    let (next, on_host) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some((call, code, sticky)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let call = call.to_string();
                    let failing = [
                        ("TESSERA_RT", "device,trace"),
                        ("STUB_FAIL_AT", &*call),
                        ("STUB_CODE", *code),
                        ("STUB_STICKY", *sticky),
                    ];
                    let outcome = scenario(name, test, &[&failing[..], variables].concat());
                    let (device, host) = outcome.counts();
                    if let Some(nests) = nests {
                        assert_eq!(device + host, nests, "{}", outcome.errors);
                    }
                    if host > 0 {
                        outcome.says(&format!(" answers {code}"));
                        on_host.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let on_host = on_host.into_inner();
    eprintln!("{test}: {calls} calls, {} runs with a failure, {on_host} of them with nests on the host", runs.len());
    (runs.len(), on_host)
}

#[test]
fn results_are_right_whatever_call_fails() {
    let (runs, on_host) = at_every_call("nests", "every_call", &Answers::All(CODES), &[], Some(12));
    // A failure that no nest notices is one of giving memory back, or a lack of pinned memory.
    assert!(runs > 1000 && on_host * 10 > runs * 9, "{on_host} of {runs}");
}

#[test]
fn results_are_right_whatever_call_fails_while_the_device_is_measured() {
    // A cache that cannot be written: every run measures.
    let (runs, on_host) = at_every_call(
        "nests",
        "measuring",
        &Answers::InTurn(&["719", "2"]),
        &[("XDG_CACHE_HOME", "/dev/null")],
        Some(12),
    );
    assert!(runs > 400 && on_host * 10 > runs * 9, "{on_host} of {runs}");
}

#[test]
fn results_are_right_whatever_call_fails_in_large_copies() {
    let (runs, on_host) = at_every_call("large", "large_copies", &Answers::InTurn(&["719", "2"]), &[], Some(3));
    assert!(runs > 100 && on_host * 10 > runs * 7, "{on_host} of {runs}");
}

#[test]
fn results_are_right_whatever_call_fails_where_only_changed_bytes_are_stored() {
    let (runs, on_host) = at_every_call("changed", "changed_calls", &Answers::All(&["2", "700"]), &[], Some(3));
    assert!(runs > 150 && on_host * 10 > runs * 8, "{on_host} of {runs}");
}

#[test]
fn results_are_right_whatever_call_fails_where_memory_is_given_twice() {
    let (runs, on_host) = at_every_call("twice", "twice_calls", &Answers::InTurn(&["719", "2"]), &[], Some(13));
    assert!(runs > 100 && on_host * 10 > runs * 8, "{on_host} of {runs}");
}

#[test]
fn refused_requests_beside_failures() {
    at_every_call("refused", "refused_calls", &Answers::All(&["2", "700"]), &[], None);
    at_every_call("refused_twice", "refused_twice_calls", &Answers::InTurn(&["2", "700"]), &[], None);
}

#[test]
fn threads_beside_failures() {
    let (mut runs, mut on_host) = (0, 0);
    for (code, sticky) in [("2", "0"), ("2", "1"), ("719", "0"), ("4", "1")] {
        for call in (1..20).map(|step: usize| (step * step * 97).to_string()) {
            let failing =
                [("TESSERA_RT", "device"), ("STUB_FAIL_AT", &*call), ("STUB_CODE", code), ("STUB_STICKY", sticky)];
            let (device, host) = scenario("threads", "failing_threads", &failing).counts();
            assert_eq!(device + host, 4800);
            runs += 1;
            on_host += u32::from(host > 0);
        }
    }
    eprintln!("failing_threads: {runs} runs with a failure, {on_host} of them with nests on the host");
    assert!(on_host * 10 > runs * 7);
}
