//! Compiles the C++ shim against the headers of LLVM 22 and links no LLVM: every LLVM symbol binds to the libLLVM of the
//! compiler that loads the plugin. `LLVM_SYS_221_PREFIX` names another LLVM 22 than the one on `PATH`.

use std::process::Command;

/// Asks llvm-config one question; stops the build with a sentence when it is missing or too old.
fn llvm_config(program: &str, question: &str) -> String {
    let output = match Command::new(program).arg(question).output() {
        Ok(output) if output.status.success() => output,
        Ok(output) => panic!("{program} {question} failed: {}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            panic!("cannot run {program} ({error}): install llvm-22 and llvm-22-dev, or set LLVM_SYS_221_PREFIX")
        }
    };
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_SYS_221_PREFIX");
    let program = std::env::var("LLVM_SYS_221_PREFIX")
        .map(|prefix| format!("{prefix}/bin/llvm-config"))
        .unwrap_or_else(|_| "llvm-config-22".to_string());
    let version = llvm_config(&program, "--version");
    assert!(version.starts_with("22."), "{program} is LLVM {version}; Tessera needs the headers of LLVM 22");

    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .include(llvm_config(&program, "--includedir"))
        .files(
            [
                "registration",
                "early",
                "counters",
                "idle_passes",
                "outline",
                "original",
                "generated",
                "values",
                "vectors",
                "loops",
                "scev",
                "edit",
                "heap",
                "row_list",
                "device",
                "machine",
            ]
            .map(|name| format!("shim/{name}.cpp")),
        )
        // NDEBUG in every profile: the layout of some LLVM structs depends on it.
        .define("NDEBUG", None)
        .define("_GNU_SOURCE", None)
        .define("__STDC_CONSTANT_MACROS", None)
        .define("__STDC_FORMAT_MACROS", None)
        .define("__STDC_LIMIT_MACROS", None)
        // The host's LLVM has no type information and catches no exceptions.
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-fvisibility=hidden")
        .flag("-fvisibility-inlines-hidden")
        .flag("-Wno-unused-parameter")
        // Drawings in comments of LLVM.
        .flag("-Wno-comment")
        .pic(true)
        .compile("tessera_shim");

    // Only the test executables link LLVM; the plugin itself never does.
    let libraries = llvm_config(&program, "--libdir");
    // Hosts may unload plugins at exit while one of their threads still runs the destructors of this library's
    // thread-local values: stay mapped (rustc crashed at exit now and then without it).
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    for argument in [format!("-L{libraries}"), "-lLLVM-22".to_string(), format!("-Wl,-rpath,{libraries}")] {
        println!("cargo:rustc-link-arg-tests={argument}");
    }
}
