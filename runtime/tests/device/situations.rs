//! Whole programs in all situations that a run time meets: without driver, device or memory, with threads, forks, other
//! contexts, and beside a driver that refuses things. Results are compared bit for bit by the programs themselves.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{self, programs, run, scenario};

const DEVICE: (&str, &str) = ("TESSERA_RT", "device,trace");

/// A scenario with the device forced; how many nests ran where.
fn on_device(name: &str) -> (u64, u64) {
    scenario(name, name, &[DEVICE]).counts()
}

#[test]
fn every_nest_runs_on_the_device() {
    assert_eq!(on_device("nests"), (12, 0));
    assert_eq!(on_device("large"), (3, 0));
}

#[test]
fn only_changed_bytes_are_stored() {
    assert_eq!(on_device("changed"), (3, 0));
    assert_eq!(on_device("large_changed"), (2, 0));
    assert_eq!(in_emulator("changed").counts(), (3, 0));
    assert_eq!(scenario("changed", "changed", &[("TESSERA_RT", "host")]).counts(), (0, 3));
}

#[test]
fn other_threads_may_write_elements_that_no_kernel_writes() {
    assert_eq!(on_device("changed_threads"), (200, 0));
    assert_eq!(in_emulator("changed_threads").counts(), (200, 0));
}

#[test]
fn memory_that_is_given_twice_is_one_array() {
    assert_eq!(on_device("twice"), (13, 0));
    assert_eq!(in_emulator("twice").counts(), (13, 0));
}

#[test]
fn memory_that_is_given_twice_and_is_not_one_array_is_refused() {
    for outcome in [scenario("refused_twice", "refused_twice", &[DEVICE]), in_emulator("refused_twice")] {
        assert_eq!(outcome.counts(), (9, 0));
        assert_eq!(
            outcome.errors.matches("us on the device: arrays 0 and 1 overlap, and one of them is written").count(),
            5
        );
        assert_eq!(
            outcome.errors.matches("us on the device: arrays 1 and 2 overlap, and one of them is written").count(),
            1
        );
        assert_eq!(outcome.errors.matches("array 0 has the flag CHANGED without IN and OUT").count(), 3);
    }
}

#[test]
fn without_a_driver_every_nest_runs_on_the_host() {
    for (variable, reason) in [
        (
            ("TESSERA_RT_DRIVER", "/nowhere/libcuda.so.1"),
            "there is no CUDA driver: /nowhere/libcuda.so.1: cannot open shared object file",
        ),
        (("STUB_VERSION", "9020"), "the CUDA driver is too old: it supports CUDA 9.2"),
        (("STUB_DEVICES", "0"), "there is no CUDA device"),
        (("STUB_MEMORY", "0"), "cuMemAlloc answers 2 (CUDA_ERROR_OUT_OF_MEMORY)"),
        (("TESSERA_RT", "host,device,trace"), "TESSERA_RT=host asks for it"),
    ] {
        let outcome = scenario("nests", "without_a_driver", &[DEVICE, variable]);
        assert_eq!(outcome.counts(), (0, 12), "{reason}");
        outcome.says(reason);
    }
}

const EMULATE: (&str, &str) = ("TESSERA_RT", "emulate,trace");

/// A scenario in the emulator, without any driver.
fn in_emulator(name: &str) -> support::Outcome {
    let ptx = support::sources().join(if name == "faulty" { "faulty.ptx" } else { "kernels.ptx" });
    let variables = [EMULATE, ("TESSERA_RT_DRIVER", "/nowhere/libcuda.so.1"), ("TEST_PTX", ptx.to_str().unwrap())];
    scenario(name, &format!("emulated_{name}"), &variables)
}

#[test]
fn every_nest_runs_in_the_emulator() {
    let outcome = in_emulator("nests");
    assert_eq!(outcome.counts(), (12, 0));
    outcome.says("device PTX emulator: ");
    outcome.says("nest sessions.c: device: 6 launches, 2 arrays, 3108 bytes in, 3108 bytes out");
    for (name, nests) in [("few_threads", 120), ("forks", 1), ("fork_first", 12), ("unended", 2)] {
        assert_eq!(in_emulator(name).counts(), (nests, 0), "{name}");
    }
}

#[test]
fn kernels_with_a_fault_run_on_the_host() {
    let outcome = in_emulator("faulty");
    assert_eq!(outcome.counts(), (5, 4));
    for fault in [
        "kernel racy, grid [1, 1, 1], block [64, 1, 1], 0 bytes shared: the emulator: kernel `racy`, line ",
        "race: this write of the byte at ",
        "kernel `beyond`, line ",
        "thread (50, 0, 0): 4 bytes at ",
        "in global memory are out of bounds",
        "kernel `hasty`, line ",
        "in shared memory is not ordered with the ",
        "kernel `unwritten`, line ",
        "from uninitialised shared memory",
    ] {
        outcome.says(fault);
    }
    // The emulator goes on, other than a device with a broken context.
    let outcome = in_emulator("illegal");
    assert_eq!(outcome.counts(), (13, 0));
    outcome.says("4 bytes at 0x10 in global memory are out of bounds");
}

#[test]
fn what_cannot_be_done_is_refused_in_the_emulator() {
    let outcome = in_emulator("refused");
    assert_eq!(outcome.counts(), (7, 0));
    for reason in [
        "nest bad: host: the driver refuses the PTX text: the emulator: line 1, column 1: ",
        "nest missing: host: the PTX text has no kernel nobody: the emulator: there is no such kernel",
        "the emulator: the device has no 35184372088832 bytes left",
        "arrays 0 and 1 overlap, and one of them is written",
        "a block of 4096 threads along axis 0, where 1024 are possible",
    ] {
        outcome.says(reason);
    }
}

/// A driver that lacks one of its functions, for each of them.
#[test]
fn a_driver_without_a_function_is_no_driver() {
    let folder = programs().folder.join("without");
    fs::create_dir_all(&folder).unwrap();
    let object = folder.join("stub.o");
    support::compile(
        &support::sources().join("stub_driver.c"),
        &object,
        &["-c", "-fPIC", "-fvisibility=hidden"].map(OsStr::new),
    );
    let listed = Command::new("llvm-nm-22")
        .args(["--defined-only", "--extern-only", "--format=just-symbols"])
        .arg(&object)
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    // What only the test programs call, and what not all drivers have.
    let others = ["cuCtxCreate_v2", "cuCtxGetCurrent", "cuDevicePrimaryCtxReset_v2", "cuCtxGetId"];
    let mut missed = 0;
    for function in listed.lines().filter(|name| name.starts_with("cu")) {
        let (without, driver) = (folder.join("without.o"), folder.join(format!("lib{function}.so")));
        let rename = format!("--redefine-sym={function}=nothing_of_this_name");
        assert!(Command::new("llvm-objcopy-22").arg(rename).args([&object, &without]).status().unwrap().success());
        support::compile(&without, &driver, &["-shared", "-lpthread"].map(OsStr::new));
        let outcome =
            scenario("nests", "without_a_function", &[DEVICE, ("TESSERA_RT_DRIVER", driver.to_str().unwrap())]);
        if others.contains(&function) {
            assert_eq!(outcome.counts(), (12, 0), "{function}");
        } else {
            assert_eq!(outcome.counts(), (0, 12), "{function}");
            outcome.says(&format!("the CUDA driver has no function {function}"));
            missed += 1;
        }
    }
    assert_eq!(missed, 24);
}

#[test]
fn too_little_memory_for_some_nests() {
    let mut both = 0;
    for kilobytes in [1, 4, 8, 16, 32, 64, 100, 128] {
        // Measurements need memory too: they come from the cache.
        scenario("nests", "little_memory", &[DEVICE]).counts();
        let outcome = scenario("nests", "little_memory", &[DEVICE, ("STUB_MEMORY", &(kilobytes * 1024).to_string())]);
        let (device, host) = outcome.counts();
        assert_eq!(device + host, 12);
        if host > 0 {
            outcome.says("cuMemAlloc answers 2 (CUDA_ERROR_OUT_OF_MEMORY)");
        }
        both += u32::from(device > 0 && host > 0);
    }
    assert!(both >= 3, "{both}");
}

#[test]
fn memory_that_ran_out_is_there_again() {
    // Measured before with more.
    scenario("nests", "exhaust", &[DEVICE]).counts();
    let outcome = scenario("exhaust", "exhaust", &[DEVICE, ("STUB_MEMORY", "67108864")]);
    assert_eq!(outcome.counts(), (4, 0));
    outcome.says("CUDA_ERROR_OUT_OF_MEMORY) for 1048576 bytes");
    assert_eq!(outcome.output.matches("arrays of 1048576 bytes").count(), 3, "{}", outcome.output);
}

#[test]
fn what_cannot_be_done_is_refused_and_the_rest_goes_on() {
    let outcome = scenario("refused", "refused", &[DEVICE]);
    assert_eq!(outcome.counts(), (7, 0));
    for reason in [
        "nest bad: host: the driver refuses the PTX text: cuModuleLoadDataEx answers 218 (CUDA_ERROR_INVALID_PTX): ptxas stub, line 1: no .version; ptxas fatal: giving up",
        "nest missing: host: the PTX text has no kernel nobody",
        "CUDA_ERROR_OUT_OF_MEMORY) for 35184372088832 bytes",
        "arrays 0 and 1 overlap, and one of them is written",
        "array 0 has no memory on the host, or a size that does not fit",
        "there is no kernel number 77",
        "kernel reverse, grid [1, 1, 1], block [4096, 4096, 1], 0 bytes shared: cuLaunchKernel answers 1 (CUDA_ERROR_INVALID_VALUE)",
    ] {
        outcome.says(reason);
    }
}

#[test]
fn a_kernel_that_breaks_the_context_switches_the_device_off() {
    let outcome = scenario("illegal", "illegal", &[DEVICE]);
    assert_eq!(outcome.counts(), (1, 12));
    outcome.says("device off: cuStreamSynchronize answers 700 (CUDA_ERROR_ILLEGAL_ADDRESS)");
}

#[test]
fn many_threads_use_the_device_at_once() {
    assert_eq!(on_device("threads"), (4800, 0));
}

#[test]
fn forks_run_on_the_host_and_never_block() {
    for (name, nests) in [("forks", 1), ("fork_threads", 3601), ("fork_threads", 3601), ("fork_threads", 3601)] {
        let outcome = scenario(name, "forks", &[DEVICE]);
        assert_eq!(outcome.counts(), (nests, 0));
        assert!(!outcome.errors.contains("stub: a call in a fork"), "{}", outcome.errors);
    }
}

#[test]
fn a_fork_before_the_first_session_has_its_own_device() {
    assert_eq!(on_device("fork_first"), (12, 0));
}

#[test]
fn programs_may_end_in_the_middle() {
    assert_eq!(on_device("unended"), (2, 0));
    for _ in 0..5 {
        on_device("exiting");
    }
}

#[test]
fn the_context_of_the_program_stays_current() {
    assert_eq!(on_device("context"), (12, 0));
}

#[test]
fn a_reset_of_the_device_is_noticed() {
    let outcome = scenario("reset", "reset", &[DEVICE]);
    assert_eq!(outcome.counts(), (6, 6));
    outcome.says("the program has reset the device");
}

#[test]
fn other_interfaces_are_refused_with_one_sentence() {
    let outcome = scenario("versions", "versions", &[("TESSERA_RT", "device")]);
    assert_eq!(outcome.counts(), (1, 0));
    outcome.says(
        "code was compiled for interface 5, and this libtessera_rt.so, which has interfaces 2 to 4, is too old for it",
    );
    assert_eq!(outcome.errors.matches("tessera_rt: ").count(), 1, "{}", outcome.errors);
}

#[test]
fn nests_are_decided_by_their_estimates() {
    let outcome = scenario("choice", "choice", &[]);
    assert_eq!(outcome.counts(), (12, 0));
    // 0.4 s are assumed for a start, and 50 ms are saved by each session.
    assert!(outcome.output.contains("first session of a nest of 50 ms: 8\n"), "{}", outcome.output);
    // The second process knows what the start of the stub costs.
    let measured = fs::read_to_string(programs().folder.join("runs/choice/cache/tessera/last")).unwrap();
    let start: f64 = measured.lines().find_map(|line| line.strip_prefix("start ")).unwrap().parse().unwrap();
    let outcome = scenario("choice", "choice", &[]);
    let expected = format!("first session of a nest of 50 ms: {}\n", (start / 0.05) as u32);
    assert!(outcome.output.contains(&expected), "{start}: {}", outcome.output);
    let outcome = scenario("choice", "choice", &[("TESSERA_RT", "trace")]);
    outcome.says("host: the device would not be faster: ");
    outcome.says("host: the code has no estimate of its time");
}

#[test]
fn nests_that_fail_rest_and_text_is_translated_when_that_is_paid_back() {
    let outcome = scenario("patience", "patience", &[]);
    assert_eq!(outcome.counts(), (1, 0));
    // After 1, 3, 7, ... executions on the host: 9 of 1000.
    assert!(outcome.output.contains("sessions of 1000 that fail: 9\n"), "{}", outcome.output);
    // 7 ms and 4 us per byte: 40 ms, of which each execution would save almost 4.
    assert!(outcome.output.contains("first session of a nest of 4 ms: 10\n"), "{}", outcome.output);
}

#[test]
fn measured_times_of_the_host_correct_estimates() {
    let outcome = scenario("experience", "experience", &[]);
    assert_eq!(outcome.counts(), (1, 0));
    // By the estimate, a megabyte takes longer to copy than the nest on the host.
    assert!(outcome.output.contains("first session of a nest of 20 ms instead of 20 us: 1\n"), "{}", outcome.output);
}

#[test]
fn programs_with_weak_references_start_without_the_library() {
    let source = support::sources().join("weak.c");
    let program = programs().folder.join("weak");
    support::compile(&source, &program, &[]);
    let absent = run(&program, &[], "weak", &[DEVICE]);
    assert_eq!((absent.succeeded, &*absent.output), (true, "host\n"), "{}", absent.errors);
    let present = run(&program, &[], "weak", &[DEVICE, ("LD_PRELOAD", support::library().to_str().unwrap())]);
    assert_eq!((present.succeeded, &*present.output), (true, "device\n"), "{}", present.errors);
}

#[test]
fn unknown_words_are_warned_of_once() {
    let outcome = scenario("nests", "words", &[("TESSERA_RT", "gpu,device")]);
    assert_eq!(outcome.counts(), (12, 0));
    outcome.says("TESSERA_RT knows host, device, emulate and trace, and not gpu: ignored");
    assert_eq!(outcome.errors.matches("tessera_rt: ").count(), 1, "{}", outcome.errors);
}

#[test]
fn the_cache_may_be_anything() {
    let folder = programs().folder.join("runs/cache");
    let cache = folder.join("cache/tessera");
    assert_eq!(scenario("nests", "cache", &[DEVICE]).counts(), (12, 0));
    let files: Vec<_> = fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    for garbage in ["", "garbage", "tessera costs 1\nstart NaN\n"] {
        for file in &files {
            fs::write(file, garbage).unwrap();
        }
        assert_eq!(scenario("nests", "cache", &[DEVICE]).counts(), (12, 0));
    }
    // Nobody can write, there is a folder in the place of a file, or no folder is named at all.
    fs::remove_file(&files[0]).unwrap();
    fs::create_dir(&files[0]).unwrap();
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o555)).unwrap();
    assert_eq!(scenario("nests", "cache", &[DEVICE]).counts(), (12, 0));
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).unwrap();
    for home in [("XDG_CACHE_HOME", ""), ("XDG_CACHE_HOME", "relative"), ("XDG_CACHE_HOME", "/dev/null")] {
        assert_eq!(scenario("nests", "cache", &[DEVICE, home]).counts(), (12, 0));
    }
}

#[test]
fn the_library_can_be_unloaded() {
    let library = support::library();
    let outcome = run(&programs().unload, &[library.to_str().unwrap()], "unload", &[DEVICE]);
    assert!(outcome.succeeded, "{}", outcome.errors);
    assert_eq!(outcome.output, "device device\n".repeat(5));
}
