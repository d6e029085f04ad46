//! New code in functions of its own, and copies of functions as they were: which nests and functions get one, and what the compiler,
//! the linker and the debugger see of it. That results stay the same is tested by the random loop nests, which run with and without.

use std::fs;
use tessera_tests::host::{Compilation, Host, Product};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::{Failure, Run};

const TWO_NESTS: &str = "\
double two(int n, double *restrict c, const double *restrict a, const double *restrict b) {
    double last = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i * n + j] *= 3;
            for (int k = 0; k < n; k++) {
                last = a[i * n + k] * b[k * n + j];
                c[i * n + j] += last;
            }
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c[i] += a[j * n + i] * b[j] * last;
    return last;
}
";

/// The IR at the end of the pipeline.
fn ir(host: Host, source: &str, options: &str, flags: &[&str]) -> Result<String, Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = if host == Host::ClangCpp { "nests.cpp" } else { "nests.c" };
    let (path, product) = (folder.path().join(name), folder.path().join("nests.ll"));
    fs::write(&path, source).expect("the source can be written");
    Compilation::with(host, &plugin, options).flags(flags).compile(&path, Product::Ir, &product)?;
    Ok(fs::read_to_string(&product).expect("the IR can be read"))
}

/// The definitions of functions of new code.
fn outlined(ir: &str) -> Vec<&str> {
    ir.lines().filter(|line| line.starts_with("define internal") && line.contains(".tessera")).collect()
}

/// The attributes of a function.
fn attributes<'i>(ir: &'i str, definition: &str) -> &'i str {
    let number = definition.split_whitespace().find(|word| word.starts_with('#')).expect("a group of attributes");
    let group = format!("attributes {number} = ");
    ir.lines().find(|line| line.starts_with(&group)).expect("the group is written out")
}

#[test]
fn each_nest_gets_a_function_that_is_not_put_back() -> Result<(), Failure> {
    let with = ir(Host::Clang, TWO_NESTS, "", &[])?;
    let functions = outlined(&with);
    assert_eq!(functions.len(), 2, "{functions:?}");
    for function in functions {
        let attributes = attributes(&with, function);
        assert!(attributes.contains(" noinline ") && !attributes.contains("inlinehint"), "{attributes}");
        assert!(attributes.contains("\"target-cpu\""), "{attributes}");
    }
    assert_eq!(with.matches("call void @two.tessera").count(), 2, "{with}");
    let without = ir(Host::Clang, TWO_NESTS, "outline=off", &[])?;
    assert!(outlined(&without).is_empty() && !without.contains("tessera.code"), "{without}");
    Ok(())
}

/// Arrays and bounds are known, so the guard is, too: there are no old loops that could lose anything.
#[test]
fn a_function_without_old_loops_stays_whole() -> Result<(), Failure> {
    let source = "\
static double a[200][200], b[200][200];
double c[200][200];
void fixed(void) {
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < 200; j++)
            for (int k = 0; k < 200; k++)
                c[i][j] += a[i][k] * b[k][j];
}
void fill(double x) {
    for (int i = 0; i < 200; i++)
        a[i][i] = b[i][i] = x;
}
";
    let ir = ir(Host::Clang, source, "", &[])?;
    assert!(ir.contains("tessera.code"), "{ir}");
    assert!(outlined(&ir).is_empty(), "{:?}", outlined(&ir));
    Ok(())
}

/// The old loops of both nests do nothing that anybody sees and go away; then nothing is between the two pieces of new code.
#[test]
fn one_piece_does_not_take_the_next_one_along() -> Result<(), Failure> {
    let source = "\
typedef unsigned _BitInt(37) bits37;
struct sizes { long n, m, ld; };
bits37 two(int rounds, int times, const struct sizes *sizes, void *const *arrays) {
    unsigned n = (unsigned)sizes->n, m = (unsigned)sizes->m, ld = (unsigned)sizes->ld;
    bits37 *a = arrays[0], *b = arrays[1], sum = 1;
    for (int round = 0; round < rounds; round++)
        for (int time = 0; time < times; time++) {
            for (unsigned i = 1; i < m; i += 1)
                a[2 * (i * ld + m)] += b[2 * (((long)n - 2) * (long)ld + (long)i)];
            unsigned first = 1;
            for (unsigned i = 1; i <= m + 1 - 1; i += 1) {
                int is_first = first != 0;
                first = 0;
                if (!is_first) {
                    unsigned inner = 1;
                    for (unsigned j = i + 2; j < m; j += 1) {
                        int is_inner = inner != 0;
                        inner = 0;
                        if (is_inner)
                            j += 0;
                    }
                }
            }
            sum += first ? 3 : 2;
        }
    return sum + 2;
}
";
    for flags in [&[][..], &["-fsanitize=memory"]] {
        let ir = ir(Host::Clang, source, "unprofitable;min-work=0", flags)?;
        assert!(ir.contains("tessera.code"), "{ir}");
    }
    Ok(())
}

/// The linker keeps one of several equal templates, and must not keep the new code of another one.
#[test]
fn new_code_of_a_template_goes_with_it() -> Result<(), Failure> {
    let source = "\
template <class T> [[gnu::noinline]] void product(int n, T *__restrict c, const T *__restrict a, const T *__restrict b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}
void twice(int n, double *c, const double *a, const double *b) {
    product(n, c, a, b);
    product(n, c, b, a);
}
";
    let ir = ir(Host::ClangCpp, source, "", &[])?;
    let functions = outlined(&ir);
    assert_eq!(functions.len(), 1, "{functions:?}");
    assert!(functions[0].contains("comdat($_Z7product"), "{}", functions[0]);
    Ok(())
}

/// A call in a function with debug information needs a place, and the new function an entry of its own.
#[test]
fn debug_information_stays_consistent() -> Result<(), Failure> {
    let with = ir(Host::Clang, TWO_NESTS, "", &["-g"])?;
    let functions = outlined(&with);
    assert_eq!(functions.len(), 2, "{functions:?}");
    assert!(functions.iter().all(|function| function.contains("!dbg")), "{functions:?}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (text, object) = (folder.path().join("nests.ll"), folder.path().join("nests.o"));
    fs::write(&text, &with).expect("the IR can be written");
    Run::new("clang-22").args(["-c", "-o"]).arg(&object).arg(&text).output()?;
    Run::new("llvm-dwarfdump-22").arg("--verify").arg(&object).output()?;
    Ok(())
}

/// The whole-program link sees the module again, with its inliner.
#[test]
fn a_link_with_optimisation_keeps_the_function() -> Result<(), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (nest, main) = (folder.path().join("nest.c"), folder.path().join("main.c"));
    fs::write(&nest, TWO_NESTS).expect("the source can be written");
    let caller = "\
double two(int, double *, const double *, const double *);
int printf(const char *, ...);
static double c[90000], a[90000], b[90000];
int main(void) {
    for (int i = 0; i < 90000; i++) a[i] = i % 17, b[i] = i % 13, c[i] = i % 11;
    double last = two(300, c, a, b);
    for (int i = 0; i < 90000; i += 3001) last = last * 0.5 + c[i];
    printf(\"%a\\n\", last);
}
";
    fs::write(&main, caller).expect("the source can be written");
    let mut printed = Vec::new();
    for (name, with) in [("plain", false), ("tessera", true)] {
        let program = folder.path().join(name);
        let mut run = Run::new("clang-22").args(["-O2", "-flto", "-fuse-ld=lld", "-o"]).arg(&program);
        if with {
            run = run.arg(format!("-fpass-plugin={}", plugin.path().display()));
        }
        run.arg(&nest).arg(&main).output()?;
        printed.push(Run::new(&program).output()?.stdout);
        let names = Run::new("llvm-nm-22").arg(&program).output()?.stdout;
        let found = String::from_utf8_lossy(&names).matches("two.tessera").count();
        assert_eq!(found, if with { 2 } else { 0 }, "{}", String::from_utf8_lossy(&names));
    }
    assert_eq!(printed[0], printed[1]);
    Ok(())
}

const PRODUCT: &str = "\
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
";

/// A function of which a product is part, compiled with debug information.
fn around_product(before: &str, after: &str) -> Result<String, Failure> {
    let source = format!(
        "struct big {{ int numbers[20]; }};
int told(int);
int product(int n, double *restrict c, const double *restrict a, const double *restrict b{before}{PRODUCT}{after}"
    );
    ir(Host::Clang, &source, "", &["-g"])
}

/// The body of a function.
fn body<'i>(ir: &'i str, name: &str) -> &'i str {
    let line = ir.lines().find(|line| line.starts_with("define ") && line.contains(&format!("@{name}(")));
    let start = ir.find(line.expect("the function is defined")).expect("the line is there");
    &ir[start..start + ir[start..].find("\n}").expect("the function ends")]
}

#[test]
fn a_guard_leads_to_the_function_as_it_was() -> Result<(), Failure> {
    let ir = around_product(") {\n", "    return n;\n}\n")?;
    let definition = ir.lines().find(|line| line.starts_with("define internal") && line.contains("@product.original("));
    let attributes = attributes(&ir, definition.expect("there is a copy"));
    assert!(attributes.contains(" noinline "), "{attributes}");
    let own = body(&ir, "product");
    assert!(own.contains("@product.original(") && own.contains("call void @product.tessera("), "{own}");
    // The old loops are gone from the function, and there is no new code in the copy.
    assert!(!ir.contains("!tessera.original"), "{ir}");
    assert!(!own.contains("fmul") && !own.contains("llvm.fmuladd"), "{own}");
    assert!(!body(&ir, "product.original").contains("tessera"), "{ir}");
    Ok(())
}

/// `k` may have no iterations: the compiler makes loops of their own for that. The copy has them; the function calls it in that case, too.
#[test]
fn a_case_without_the_nest_is_left_to_the_copy() -> Result<(), Failure> {
    let source = "\
void scaled(int n, int m, double x, double *restrict c, const double *restrict a, const double *restrict b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i * n + j] *= x;
            for (int k = 0; k < m; k++)
                c[i * n + j] += a[i * m + k] * b[k * n + j];
        }
}
";
    let ir = ir(Host::Clang, source, "", &[])?;
    let own = body(&ir, "scaled");
    assert!(own.contains("@scaled.original(") && own.contains("call void @scaled.tessera("), "{own}");
    assert!(!own.contains("fmul") && !own.contains("!llvm.loop"), "{own}");
    let copy = body(&ir, "scaled.original");
    // The case is there: without it, there are the three loops of the product alone, scaling and adding.
    assert!(copy.matches("!llvm.loop").count() > 3 && copy.contains("fmul"), "{copy}");
    Ok(())
}

/// Loop strength reduction has nothing to gain from counters of new code whose addresses the processor adds up, and takes long to find out.
#[test]
fn counters_of_new_innermost_loops_are_hidden() -> Result<(), Failure> {
    let ir = around_product(") {\n", "    return n;\n}\n")?;
    let new = body(&ir, "product.tessera");
    assert!(new.contains("= freeze i64 "), "{new}");
    assert!(!body(&ir, "product.original").contains("= freeze i64 "), "{ir}");
    Ok(())
}

/// The host's passes over a function with a nest, and other code behind it: which ran over what, and what was left out.
fn passes(after: &str) -> Result<String, Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, product) = (folder.path().join("paths.c"), folder.path().join("paths.o"));
    let source = format!(
        "void paths(long n, double *restrict path, double *restrict c, const double *restrict a) {{
    for (long k = 0; k < n; k++)
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++) {{
                double way = path[i * n + k] + path[k * n + j];
                path[i * n + j] = way < path[i * n + j] ? way : path[i * n + j];
            }}
{after}}}
"
    );
    fs::write(&path, source).expect("the source can be written");
    let flags = ["-Xclang", "-fdebug-pass-manager"];
    Compilation::with(Host::Clang, &plugin, "").flags(&flags).compile(&path, Product::Object, &product)
}

/// Whether a line says that a pass did something with a function.
fn says(log: &str, what: &str, pass: &str, function: &str) -> bool {
    let start = format!("{what} pass: {pass} on {function}");
    log.lines().any(|line| line == start || line.starts_with(&format!("{start} (")))
}

#[test]
fn passes_without_anything_to_do_are_left_out_for_new_code_alone() -> Result<(), Failure> {
    let log = passes("")?;
    for pass in ["SLPVectorizerPass", "LoopLoadEliminationPass"] {
        assert!(says(&log, "Skipping", pass, "paths"), "{log}");
        assert!(says(&log, "Running", pass, "paths.original"), "{log}");
    }
    assert!(log.contains("Skipping pass: LoopDeletionPass on loop"), "{log}");
    // Also where loops that give them nothing to do stand beside new code.
    let log = passes("    for (long i = 0; i < n; i++)\n        c[i] = a[i] * 2;\n")?;
    for pass in ["SLPVectorizerPass", "LoopLoadEliminationPass"] {
        assert!(says(&log, "Skipping", pass, "paths"), "{log}");
    }
    // The user's own code around a nest has all passes.
    let log = passes("    for (int i = 1; a[i] > 0; i++)\n        c[i] = a[i] + c[i - 1];\n")?;
    assert!(says(&log, "Running", "LoopLoadEliminationPass", "paths"), "{log}");
    let log = passes("    c[0] = a[0] + 1, c[1] = a[1] + 1, c[2] = a[2] + 1, c[3] = a[3] + 1;\n")?;
    assert!(says(&log, "Running", "SLPVectorizerPass", "paths"), "{log}");
    Ok(())
}

/// A call before the nest must not happen twice: there is no copy that would begin again. The old loops move alone.
#[test]
fn what_comes_before_a_nest_happens_once() -> Result<(), Failure> {
    // Once with a size that is known only behind the call.
    for before in ["int before = told(n);", "int before = n = told(n);"] {
        let ir = around_product(&format!(") {{\n    {before}\n"), "    return before;\n}\n")?;
        let own = body(&ir, "product");
        let calls = |name: &str| own.matches(name).count();
        assert_eq!([calls("@told("), calls("@product.original("), calls("@product.tessera(")], [1, 1, 1], "{own}");
        assert!(own.contains("br i1") && !own.contains("phi double") && !own.contains("fmul"), "{own}");
        let old = body(&ir, "product.original");
        assert!(!old.contains("@told(") && (old.contains("fmul") || old.contains("llvm.fmuladd")), "{old}");
        assert!(!ir.contains("tessera-mixed"), "{ir}");
    }
    Ok(())
}

/// The instructions of a function by what they do.
fn instructions<'i>(ir: &'i str, name: &str) -> Vec<&'i str> {
    let what = |line: &'i str| line.split_once(" = ").map_or(line, |(_, what)| what).trim().split(' ').next();
    body(ir, name).lines().filter(|line| line.starts_with("  ")).filter_map(what).collect()
}

/// The order of uses is part of it: passes walk it.
#[test]
fn the_copy_is_compiled_as_if_there_were_no_new_code() -> Result<(), Failure> {
    let product = format!("void product(int n, double *c, const double *a, const double *b) {{\n{PRODUCT}}}\n");
    let (plain, with) = (ir(Host::Clang, &product, "enabled=off", &[])?, ir(Host::Clang, &product, "", &[])?);
    assert_eq!(instructions(&plain, "product"), instructions(&with, "product.original"));
    Ok(())
}

/// Arguments that a call copies, and lists of arguments, cannot be handed on to a copy.
#[test]
fn functions_that_cannot_be_copied_give_their_old_loops_away() -> Result<(), Failure> {
    for arguments in [", struct big by_value) {\n", ", ...) {\n"] {
        let ir = around_product(arguments, "    return n;\n}\n")?;
        let own = body(&ir, "product");
        assert!(own.contains("@product.original(") && !own.contains("fmul"), "{own}");
        assert!(!body(&ir, "product.original").contains("@product.tessera"), "{ir}");
    }
    Ok(())
}

#[test]
fn the_old_loops_of_several_nests_move_and_off_means_off() -> Result<(), Failure> {
    let with = ir(Host::Clang, TWO_NESTS, "", &["-g"])?;
    let own = body(&with, "two");
    assert_eq!(own.matches("@two.original").count(), 2, "{own}");
    assert!(!own.contains("!llvm.loop") && own.matches("@two.tessera").count() == 2, "{own}");
    assert!(!ir(Host::Clang, TWO_NESTS, "original=off", &[])?.contains(".original"));
    Ok(())
}

/// The compiler unrolls a loop that runs down because it knows that it begins above zero; behind a guard it must know that, too.
#[test]
fn old_loops_that_run_down_are_unrolled_as_before() -> Result<(), Failure> {
    let source = "\
int told(int);
int filter(int n, float *restrict a, const float *restrict x) {
    int before = told(n);
    for (int i = 0; i < n; i++) {
        float last = 0, second = 0;
        for (int j = n - 1; j >= 0; j--) {
            a[i * n + j] = 0.5f * x[i * n + j] + 0.25f * last + 0.125f * second;
            second = last;
            last = a[i * n + j];
        }
    }
    return before;
}
";
    let flags = ["-ffp-contract=off"];
    let products = |ir: &str, name: &str| body(ir, name).matches("fmul float").count();
    let (plain, with) = (ir(Host::Clang, source, "enabled=off", &flags)?, ir(Host::Clang, source, "", &flags)?);
    let before = products(&plain, "filter");
    assert!(before >= 9, "{plain}");
    assert_eq!(products(&with, "filter.original"), before, "{with}");
    Ok(())
}

/// What only an assumption asks for is passed to no function, and no counter is kept for it.
#[test]
fn functions_of_pieces_know_nothing_of_assumptions() -> Result<(), Failure> {
    let source = "\
int told(int);
int product(int n, int length, double *restrict c, const double *restrict a, const double *restrict b) {
    int before = told(n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                __builtin_assume(i * n + k < length);
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
    return before;
}
";
    let with = ir(Host::Clang, source, "", &["-fno-discard-value-names"])?;
    for name in ["product.original", "product.tessera"] {
        let own = body(&with, name);
        assert!(!own.contains("%length") && !own.contains("llvm.assume"), "{own}");
    }
    Ok(())
}
