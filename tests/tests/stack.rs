//! Room for new code: at most 1 KiB of a function's frame, everything else from `malloc`, taken while new code runs and given back;
//! where there is no `malloc`, no copies of scalars. `programs` runs `stack.c` and `odd.c` of the corpus besides.

use std::path::{Path, PathBuf};
use tessera_tests::corpus;
use tessera_tests::host::{Compilation, Host, Language, Product, Remarks};
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::{Failure, Run};

/// What new code may take of a frame.
const LIMIT: u64 = 1 << 10;

/// A nest whose scalar gets copies.
const PRODUCT: &str = "
void product(long n, double *c, const double *a, const double *b, double alpha) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            double sum = 0;
            for (long k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = alpha * sum + 0.5 * c[i * n + j];
        }
}
";

/// A nest with an array that is copied transposed.
const TRANSPOSED: &str = "
void product(long n, double *c, const double *a, const double *b, double alpha) {
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++)
            for (long k = 0; k < n; k++)
                c[i * n + j] += alpha * a[i * n + k] * b[j * n + k];
}
";

/// Calls the nest and prints a sum.
const MAIN: &str = "
#include <stdio.h>
enum { N = 60 };
static double a[N * N], b[N * N], c[N * N];
extern int mallocs, frees;
__attribute__((optnone, noinline)) int main(void) {
    double sum = 0;
    for (int i = 0; i < N * N; i++) { a[i] = i % 7; b[i] = i % 11; c[i] = i % 13; }
    int before = mallocs, given = frees;
    for (int times = 0; times < 3; times++)
        product(N, c, a, b, 0.125);
    int taken = mallocs - before;
    given = frees - given;
    for (int i = 0; i < N * N; i++)
        sum = sum * 0.99 + c[i];
    printf(\"%a\\n\", sum);
    fprintf(stderr, \"%d %d\\n\", taken, given);
    return 0;
}
";

fn failed(what: &str) -> impl Fn(std::io::Error) -> Failure + '_ {
    move |error| Failure::new(what, error.to_string())
}

/// A folder with files.
fn folder(files: &[(&str, &str)]) -> Result<tempfile::TempDir, Failure> {
    let folder = tempfile::tempdir().map_err(failed("a temporary folder"))?;
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).map_err(failed(name))?;
    }
    Ok(folder)
}

/// The bytes of each type that an `alloca` of the corpus has.
fn size_of(ty: &str) -> u64 {
    if let Some((count, element)) = ty.strip_prefix('[').and_then(|ty| ty.strip_suffix(']')?.split_once(" x ")) {
        return count.parse::<u64>().expect("a number of elements") * size_of(element);
    }
    if let Some((count, element)) = ty.strip_prefix('<').and_then(|ty| ty.strip_suffix('>')?.split_once(" x ")) {
        return (count.parse::<u64>().expect("a number of elements") * size_of(element)).next_power_of_two();
    }
    match ty {
        "half" => 2,
        "float" => 4,
        "double" | "ptr" => 8,
        "x86_fp80" | "fp128" => 16,
        _ => match ty.strip_prefix('i').and_then(|bits| bits.parse::<u64>().ok()) {
            Some(bits @ ..=64) => bits.div_ceil(8).next_power_of_two(),
            Some(bits) => bits.div_ceil(128) * 16,
            None => panic!("the size of {ty}"),
        },
    }
}

/// Name and bytes of the frame that each function of a file of IR has of Tessera.
fn frames(ir: &str) -> Vec<(String, u64)> {
    let mut frames: Vec<(String, u64)> = Vec::new();
    for line in ir.lines() {
        if line.starts_with("define ") {
            frames.push((line.split('(').next().unwrap_or(line).to_string(), 0));
        } else if let Some((name, what)) = line.trim().split_once(" = alloca ")
            && name.starts_with("%tessera")
            && let Some((_, bytes)) = frames.last_mut()
        {
            *bytes += size_of(what.split(", align").next().unwrap_or(what));
        }
    }
    frames
}

/// What clang makes of a C program at the start of the pipeline's last part, without the plugin.
fn prepared(source: &Path, to: &Path) -> Result<(), Failure> {
    let flags = ["-O1", "-std=c17", "-march=x86-64-v3", "-fno-discard-value-names", "-fno-unroll-loops", "-w"];
    Run::new("clang-22").args(flags).args(["-S", "-emit-llvm"]).arg(source).arg("-o").arg(to).output().map(|_| ())
}

#[test]
fn no_function_has_more_than_a_kibibyte_of_new_code() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = folder(&[])?;
    let (input, output) = (folder.path().join("in.ll"), folder.path().join("out.ll"));
    let (mut functions, mut places) = (0, 0);
    for program in corpus::programs()?.into_iter().filter(|program| program.language == Language::C) {
        prepared(&program.source, &input)?;
        for options in ["unprofitable;min-work=0;cleanup=off;tile=32", "min-work=0;cleanup=off;simplify=off"] {
            Run::new("opt-22")
                .arg(format!("-load-pass-plugin={}", plugin.path().display()))
                .arg(format!("-passes=loop-simplify,lcssa,tessera<{options}>"))
                .arg("-S")
                .arg(&input)
                .arg("-o")
                .arg(&output)
                .output()?;
            for (name, bytes) in frames(&std::fs::read_to_string(&output).map_err(failed("the IR"))?) {
                functions += 1;
                places += u64::from(bytes > 0);
                assert!(bytes <= LIMIT, "{}: {name}: {bytes} bytes with {options}", program.source.display());
            }
        }
    }
    assert!(functions > 300 && places > 30, "{functions} functions, {places} with places");
    Ok(())
}

/// Compiles a file of the folder with the plugin; gives what it says.
fn compiled(folder: &Path, source: &str, to: &str, flags: &[&str]) -> Result<String, Failure> {
    let plugin = Plugin::locate()?;
    let build = Compilation::with(Host::Clang, &plugin, "").flags(flags).remarks(Remarks::All);
    build.compile(&folder.join(source), Product::Object, &folder.join(to))
}

fn has_copies(log: &str) -> bool {
    log.contains("scalars copied") || log.contains("copied in the order in which")
}

#[test]
fn there_are_no_copies_without_malloc() -> Result<(), Failure> {
    [PRODUCT, TRANSPOSED].into_iter().try_for_each(there_are_no_copies_in)
}

fn there_are_no_copies_in(product: &str) -> Result<(), Failure> {
    let allocator = |definition: &str| format!("#include <stddef.h>\n{definition}\n{product}");
    let defined = "static char room[99999]; static size_t used;\n\
                   void *malloc(size_t n) { return room + (used += n + 15 & -16ul); }\nvoid free(void *p) { (void)p; }";
    let wrong = "int malloc(int n) { return n; }";
    let cases: [(&str, String, &[&str], bool); 10] = [
        ("plain", product.to_string(), &[], true),
        ("used", format!("#include <stdlib.h>\nvoid *get(void) {{ return malloc(7); }}\n{product}"), &[], true),
        ("freestanding", product.to_string(), &["-ffreestanding"], false),
        ("no malloc", product.to_string(), &["-fno-builtin-malloc"], false),
        ("no free", product.to_string(), &["-fno-builtin-free"], false),
        ("kernel", product.to_string(), &["-mcmodel=kernel"], false),
        ("an allocator", allocator(defined), &["-w"], false),
        (
            "an allocator of other sizes",
            allocator("void *aligned_alloc(size_t a, size_t n) { (void)a; return n ? NULL : NULL; }"),
            &["-w"],
            false,
        ),
        ("another malloc", format!("{wrong}\n{product}"), &["-w"], false),
        ("interposed", allocator("void *__wrap_malloc(size_t n) { (void)n; return 0; }"), &["-w"], false),
    ];
    for (name, text, flags, expected) in cases {
        let folder = folder(&[("product.c", &text)])?;
        let log = compiled(folder.path(), "product.c", "product.o", flags)?;
        assert_eq!(has_copies(&log), expected, "{name}: {log}");
    }
    Ok(())
}

#[test]
fn there_are_no_copies_for_targets_that_may_have_no_malloc() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = folder(&[("product.c", PRODUCT)])?;
    let mut compiled = 0;
    let targets =
        [("i386-unknown-linux-gnu", false), ("x86_64-unknown-none-elf", false), ("x86_64-unknown-linux-musl", true)];
    for (target, expected) in targets {
        let log = Run::new("clang-22")
            .args(["-O3", "-c", "-Rpass=tessera", &format!("--target={target}")])
            .arg(format!("-fpass-plugin={}", plugin.path().display()))
            .arg(folder.path().join("product.c"))
            .arg("-o")
            .arg(folder.path().join("product.o"))
            .output()?
            .stderr;
        assert_eq!(has_copies(&log), expected, "{target}: {log}");
        compiled += 1;
    }
    assert_eq!(compiled, 3);
    Ok(())
}

/// The two programs that plain clang and clang with the plugin make of a nest and `rest`, with the same flags for the linker.
fn linked(product: &str, rest: &str, linking: &[&str]) -> Result<(tempfile::TempDir, [PathBuf; 2]), Failure> {
    let folder = folder(&[("product.c", product), ("rest.c", rest)])?;
    let place = |name: &str| folder.path().join(name);
    // What stands around the nest is compiled plainly.
    Run::new("clang-22")
        .args(["-O1", "-fno-builtin", "-c"])
        .arg(place("rest.c"))
        .arg("-o")
        .arg(place("rest.o"))
        .output()?;
    let plain = Compilation::plain(Host::Clang);
    plain.compile(&place("product.c"), Product::Object, &place("plain.o"))?;
    let log = compiled(folder.path(), "product.c", "new.o", &[])?;
    assert!(has_copies(&log), "{log}");
    let programs = ["plain", "new"].map(&place);
    for program in &programs {
        let object = program.with_extension("o");
        Run::new("clang-22").args(linking).arg(object).arg(place("rest.o")).arg("-o").arg(program).output()?;
    }
    Ok((folder, programs))
}

/// An allocator in another file that counts, and that may have nothing to give.
fn counting(gives: bool) -> String {
    format!(
        "#include <stddef.h>
         static _Alignas(64) char room[1 << 22];
         static size_t used;
         int mallocs, frees;
         void *malloc(size_t n) {{
             mallocs++;
             if (!{} || used + n + 16 > sizeof room) return 0;
             void *p = room + used;
             used += (n + 15) & ~(size_t)15;
             return p;
         }}
         void free(void *p) {{ frees += p != 0; }}
         void *calloc(size_t m, size_t n) {{ (void)m, (void)n; return 0; }}
         void *realloc(void *p, size_t n) {{ (void)p, (void)n; return 0; }}",
        i32::from(gives)
    )
}

#[test]
fn what_is_taken_is_given_back_and_old_loops_run_where_there_is_nothing() -> Result<(), Failure> {
    let declared = format!("void product(long n, double *c, const double *a, const double *b, double alpha);\n{MAIN}");
    let cases = [PRODUCT, TRANSPOSED].map(|nest| [(nest, true, "3 3"), (nest, false, "3 0")]);
    for (nest, gives, expected) in cases.into_iter().flatten() {
        let rest = format!("{}\n{declared}", counting(gives));
        let (_folder, [plain, new]) = linked(nest, &rest, &[])?;
        let (plain, new) = (Run::new(plain).output()?, Run::new(new).output()?);
        assert_eq!(plain.stdout, new.stdout);
        assert_eq!(plain.stderr.trim(), "0 0");
        assert_eq!(new.stderr.trim(), expected, "gives: {gives}");
    }
    Ok(())
}

#[test]
fn a_program_without_library_links_and_runs() -> Result<(), Failure> {
    let rest = "
        enum { N = 60 };
        static double a[N * N], b[N * N], c[N * N];
        void product(long n, double *c, const double *a, const double *b, double alpha);
        __attribute__((optnone, noinline)) static void leave(int code) {
            __asm__ volatile(\"syscall\" : : \"a\"(60), \"D\"(code) : \"rcx\", \"r11\", \"memory\");
        }
        __attribute__((optnone, force_align_arg_pointer)) void _start(void) {
            for (int i = 0; i < N * N; i++) { a[i] = i % 7; b[i] = i % 11; c[i] = i % 13; }
            product(N, c, a, b, 0.125);
            double sum = 0;
            for (int i = 0; i < N * N; i++) sum += c[i];
            leave((int)(long)sum & 127);
        }";
    let status = |program: &Path| {
        let output = std::process::Command::new(program).output().map_err(failed("a program without library"))?;
        Ok::<_, Failure>(output.status.code())
    };
    for linking in [["-nostdlib", "-static", "-no-pie"], ["-nostdlib", "-static-pie", "-Wl,--no-undefined"]] {
        let (_folder, [plain, new]) = linked(PRODUCT, rest, &linking)?;
        let code = status(&plain)?;
        assert!(code.is_some_and(|code| code > 0), "{code:?}");
        assert_eq!(status(&new)?, code, "{linking:?}");
    }
    Ok(())
}

#[test]
fn scalars_of_odd_types_have_copies() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = folder(&[])?;
    let options = "unprofitable;min-work=0;tile=7";
    let build = Compilation::with(Host::Clang, &plugin, options).remarks(Remarks::All);
    let source = workspace().join("tests/programs/c/odd.c");
    let log = build.compile(&source, Product::Object, &folder.path().join("odd.o"))?;
    let copied = log.lines().filter(|line| has_copies(line)).count();
    assert!(copied >= 15, "{copied} nests with copies\n{log}");
    Ok(())
}
