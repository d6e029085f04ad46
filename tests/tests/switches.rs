//! Each transformation can be switched off: what remarks and code say then. That the results stay the same is tested by the
//! random loop nests, which run under all these options.

use std::fs;
use tessera_tests::host::{Compilation, Host, Product, Remarks};
use tessera_tests::plugin::Plugin;
use tessera_tests::process::Failure;
use tessera_tests::sources::SUM_IN_A_VARIABLE;

/// A product with the sum in the element behind another statement.
const SUM_IN_THE_ELEMENT: &str = "\
void element(int n, double *restrict c, const double *restrict a, const double *restrict b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i * n + j] *= 3;
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
}
";

/// The end of the domain of our alias scopes. (LLVM's vectoriser has a domain of its own, for what it checks at run time.)
const OUR_SCOPES: &str = "!\"tessera\"}";

/// The remarks about `scalar` and `element`, the IR, and everything that was printed.
fn compile(options: &str) -> Result<([String; 2], String, String), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (source, ir) = (folder.path().join("product.c"), folder.path().join("product.ll"));
    fs::write(&source, [SUM_IN_A_VARIABLE, SUM_IN_THE_ELEMENT].concat()).expect("the source can be written");
    let build = Compilation::with(Host::Clang, &plugin, options).remarks(Remarks::All);
    let log = build.compile(&source, Product::Ir, &ir)?;
    let mut remarks = log.lines().filter(|line| line.contains("remark: loop nest")).map(str::to_owned);
    let mut next = || remarks.next().expect("one remark for each nest");
    Ok(([next(), next()], fs::read_to_string(&ir).expect("the IR can be read"), log.clone()))
}

/// Whether a remark names the sizes of tiles, the inner ones of which are these: multiples of the register tile that the machine has registers for.
fn has_tiles(remark: &str, inner: &str) -> bool {
    [128, 126].iter().any(|outer| remark.contains(&format!("tiled {outer}x{inner}")))
}

#[test]
fn everything_is_on() -> Result<(), Failure> {
    let ([scalar, element], ir, _) = compile("")?;
    assert!(scalar.contains("scalars copied for each tile"), "{scalar}");
    let expected = "separated from its neighbours, interchanged to order 1,3,2, tiled ";
    assert!(element.contains(expected) && has_tiles(&element, "192x256"), "{element}");
    assert!(ir.contains("llvm.access.group") && ir.contains(OUR_SCOPES));
    Ok(())
}

#[test]
fn each_transformation_can_be_switched_off() -> Result<(), Failure> {
    for (option, word) in [
        ("interchange=off", "interchanged"),
        ("tiling=off", "tiled"),
        ("distribution=off", "separated"),
        ("copies=off", "copied"),
        ("reorder=off", "transformed"),
    ] {
        for remark in compile(option)?.0 {
            assert!(!remark.contains(word), "{option}: {remark}");
        }
    }
    let ([_, element], ..) = compile("tiling=off")?;
    // How many is up to the machine's vector registers.
    assert!(
        element.contains("interchanged to order 1,3,2, ") && element.contains("x1 iterations side by side;"),
        "{element}"
    );
    let ([_, element], ..) = compile("tiling=off;jam=off")?;
    assert!(element.contains("separated from its neighbours, interchanged to order 1,3,2;"), "{element}");
    let ([_, element], ..) = compile("interchange=off;min-bytes=0")?;
    assert!(element.contains("separated from its neighbours, tiled 128x64x512;"), "{element}");
    Ok(())
}

#[test]
fn full_tiles_have_their_own_code() -> Result<(), Failure> {
    for (switch, expected) in [("full-tiles=off", 0), ("full-tiles=on", 1)] {
        let (_, _, log) = compile(&format!("print;tile=8;copies=off;{switch}"))?;
        let full = log.matches("for (int c5 = 8 * c2; c5 <= 8 * c2 + 7; c5 += 1)").count();
        assert_eq!(full, expected, "{switch}: {log}");
    }
    Ok(())
}

/// The one remark about a function.
fn remark(source: &str) -> Result<String, Failure> {
    Ok(remark_and_ir(source)?.0)
}

fn remark_and_ir(source: &str) -> Result<(String, String), Failure> {
    remark_with(source, "")
}

fn remark_with(source: &str, options: &str) -> Result<(String, String), Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, ir) = (folder.path().join("nest.c"), folder.path().join("nest.ll"));
    fs::write(&file, source).expect("the source can be written");
    let build = Compilation::with(Host::Clang, &plugin, options).remarks(Remarks::All);
    let log = build.compile(&file, Product::Ir, &ir)?;
    let remark = log.lines().find(|line| line.contains("remark: loop nest")).expect("a remark").to_owned();
    Ok((remark, fs::read_to_string(&ir).expect("the IR can be read")))
}

/// A loop that clears a row of known length is vectorised, and not unrolled as a whole.
#[test]
fn known_lengths_make_no_long_code() -> Result<(), Failure> {
    let (text, ir) = remark_and_ir(
        "void product(double (*restrict c)[448], double (*restrict a)[448], double (*restrict b)[448]) {
            for (int i = 0; i < 448; i++)
                for (int j = 0; j < 448; j++) {
                    c[i][j] = 0;
                    for (int k = 0; k < 448; k++)
                        c[i][j] += a[i][k] * b[k][j];
                }
        }",
    )?;
    assert!(text.contains("separated from its neighbours"), "{text}");
    let clearing = ir.lines().filter(|line| line.contains("store <") && line.contains(" zeroinitializer, ")).count();
    assert!((1..=16).contains(&clearing), "{clearing} stores");
    Ok(())
}

/// Rows of a matrix times each other: copied transposed, tile by tile, the rows of one factor are what the innermost loop runs along. Without
/// copies the innermost loop, which runs along lines, is cut into short pieces, so that the processor begins the next sum while it waits.
#[test]
fn sums_along_rows_are_transposed_or_run_in_short_pieces() -> Result<(), Failure> {
    let source = "void rows(long n, long m, double *restrict c, const double *restrict a) {
            for (long i = 0; i < n; i++)
                for (long j = 0; j < n; j++)
                    for (long k = 0; k < m; k++)
                        c[i * n + j] += a[i * m + k] * a[j * m + k];
        }";
    let text = remark(source)?;
    assert!(text.contains("interchanged to order 1,3,2, tiled ") && has_tiles(&text, "64x512"), "{text}");
    assert!(text.contains("copied in the order in which they are read"), "{text}");
    for option in ["packing=off", "copies=off"] {
        let (text, _) = remark_with(source, option)?;
        assert!(text.contains("3 loops: tiled 128x64x32;"), "{option}: {text}");
    }
    Ok(())
}

/// A sum in an element that may overlap what is added is worth new code in the old order; one that may not is in a register already.
#[test]
fn sums_in_elements_are_kept_in_registers() -> Result<(), Failure> {
    let text = remark(
        "void times(long m, long n, double *q, const double *a, const double *p) {
            for (long i = 0; i < m; i++)
                for (long j = 0; j < i; j++)
                    q[i] += a[i * n + j] * p[j];
        }",
    )?;
    assert!(text.contains("transformed: 1 loop: an element kept in a register; guarded by: no overlap of"), "{text}");
    let text = remark(
        "void dot(long n, double *restrict q, const double *a, const double *p) {
            for (long j = 0; j < n; j++)
                q[0] += a[j] * p[j];
        }",
    )?;
    assert!(text.contains("left as it is: no order is expected to be faster"), "{text}");
    Ok(())
}

/// Sums of rows wait for each other; those of eight rows do not. What is left over, and short rows, run as before.
#[test]
fn sums_of_rows_run_side_by_side() -> Result<(), Failure> {
    let source = |body: &str| {
        format!(
            "void times(long m, long n, double *restrict q, const double *restrict a, const double *restrict p) {{
                for (long i = 0; i < m; i++) {{ {body} }}
            }}"
        )
    };
    let jammed = "transformed: 2 loops: 8 iterations of the outer one side by side in the inner one";
    let scheduled = "transformed: 2 loops: in an order of the scheduler";
    let left = "left as it is: no order is expected to be faster";
    for (body, expected) in [
        ("for (long j = 0; j < n; j++) q[i] += a[i * n + j] * p[j];", jammed),
        ("double s = 0; for (long j = 0; j < n; j++) s += a[i * n + j] * p[j]; q[i] = s;", jammed),
        // One pass over the matrix for both.
        (
            "double s = 0; for (long j = 0; j < n; j++) s += a[i * n + j] * p[j];
          for (long j = 0; j < n; j++) q[j] += a[i * n + j] * s;",
            jammed,
        ),
        // The length depends on the row: short pieces of several rows one after the other.
        ("double s = 0; for (long j = 0; j < i; j++) s += a[i * n + j] * p[j]; q[i] = s;", scheduled),
        // One sum over all rows.
        ("double s = 0; for (long j = 0; j < n; j++) q[0] += a[i * n + j] * p[j];", left),
        // An addition takes as long as a store.
        ("double s = 0; for (long j = 0; j < n; j++) { s += p[i * n + j]; q[i * n + j] = s; }", left),
    ] {
        let text = remark(&source(body))?;
        assert!(text.contains(expected), "{body}: {text}");
    }
    Ok(())
}

/// A store to a byte might change where bytes are and how many there are; a store to a float cannot. Behind the guard the loop is one
/// for vectors, unless its iterations depend on each other.
#[test]
fn loops_over_what_stores_might_change_become_vectors() -> Result<(), Failure> {
    let source = |element: &str, body: &str| {
        format!(
            "struct block {{ long n; {element} *p; }};
            void change(struct block *b) {{ for (long i = 0; i < b->n; i++) b->p[i{body}; }}"
        )
    };
    let vectors = "transformed: 1 loop: in the old order, so that it can be vectorised; guarded by: no change of where";
    let left = "left as it is: no order is expected to be faster";
    for (element, body, expected) in [
        ("unsigned char", "] = 255 - b->p[i]", vectors),
        ("long", "] += 3", vectors),
        ("float", "] += 3", left),
        ("unsigned char", " + 1] = b->p[i] + 1", left),
        ("unsigned char", " * 7] = 0", left),
        ("long", "] /= 3", left),
    ] {
        let text = remark(&source(element, body))?;
        assert!(text.contains(expected), "{element} {body}: {text}");
    }
    Ok(())
}

/// A vectoriser gives up where it would have to check many sums for wrap-around; the guard checks them together.
#[test]
fn loops_with_many_wrapping_subscripts_become_vectors() -> Result<(), Failure> {
    let source = |taps: usize| {
        let terms: Vec<String> = (0..taps).map(|k| format!("in[(y + {k}) * w + x + {k}]")).collect();
        format!(
            "void filter(unsigned h, unsigned w, unsigned char *out, const unsigned char *in) {{
                for (unsigned y = 0; y < h; y++)
                    for (unsigned x = 0; x < w; x++)
                        out[y * w + x] = ({}) >> 4;
            }}",
            terms.join(" + ")
        )
    };
    let text = remark(&source(20))?;
    assert!(text.contains("in the old order, so that it can be vectorised"), "{text}");
    let text = remark(&source(5))?;
    assert!(text.contains("left as it is: no order is expected to be faster"), "{text}");
    Ok(())
}

/// A number of iterations that is a product of what is known before the nest is one more parameter.
#[test]
fn products_of_bounds_in_memory_are_parameters() -> Result<(), Failure> {
    let text = remark(
        "struct image { int h, w; unsigned char *p; };
        void negative(struct image *image) {
            for (int i = 0; i < image->h * image->w; i++)
                image->p[i] = 255 - image->p[i];
        }",
    )?;
    assert!(text.contains("in the old order, so that it can be vectorised"), "{text}");
    Ok(())
}

/// Without `simplify` the sum of the second product is a scalar, and is treated like that of the first one.
#[test]
fn without_simplification_scalars_stay() -> Result<(), Failure> {
    let ([_, element], ..) = compile("simplify=off")?;
    assert!(element.contains("scalars copied for each tile"), "{element}");
    Ok(())
}

#[test]
fn without_hints_the_code_says_nothing_about_accesses() -> Result<(), Failure> {
    let ([scalar, element], ir, _) = compile("hints=off")?;
    assert!(scalar.contains("transformed") && element.contains("transformed"), "{scalar}\n{element}");
    assert!(!ir.contains("llvm.access.group") && !ir.contains(OUR_SCOPES) && !ir.contains("parallel_accesses"));
    Ok(())
}

#[test]
fn new_code_in_the_old_order() -> Result<(), Failure> {
    for remark in compile("reorder=off;unprofitable")?.0 {
        assert!(remark.contains("loop nest transformed: 2 loops: in the old order"), "{remark}");
    }
    Ok(())
}

/// A cell holds one value after the other: with live ranges in their order the loops stay, too.
/// All columns of a row wait for column k, which is divided like the others.
const PIVOT: &str = "void pivot(long n, long m, long k, double *restrict a) {
            for (long i = 0; i < n; i++)
                for (long j = 0; j < m; j++)
                    a[i * m + j] = a[i * m + j] / a[i * m + k];
        }";

#[test]
fn loops_are_cut_where_all_iterations_wait_for_one() -> Result<(), Failure> {
    let (text, ir) = remark_and_ir(PIVOT)?;
    assert!(text.contains("cut at an iteration that the others depend on"), "{text}");
    assert!(ir.contains("fdiv <"), "the parts are vectorised");
    let (text, ir) = remark_with(PIVOT, "split=off")?;
    assert!(!text.contains("cut at") && !ir.contains("fdiv <"), "{text}");
    Ok(())
}

#[test]
fn live_ranges_keep_their_order_where_that_is_asked_for() -> Result<(), Failure> {
    let nest = |body: &str| {
        format!(
            "void nest(int n, double *b, const double *a, double *cell) {{
                for (int j = 0; j < n; j++)
                    for (int i = 0; i < n; i++) {{ {body} }}
            }}"
        )
    };
    let whole = nest("*cell = a[i * n + j] * 2; b[i * n + j] = *cell + 1;");
    let (text, ir) = remark_and_ir(&whole)?;
    assert!(text.contains("interchanged to order 2,1, live ranges of cell reordered"), "{text}");
    // The loop carries order dependences, and the compiler is not told otherwise.
    assert!(!ir.contains("llvm.access.group"), "{ir}");
    let text = remark_with(&whole, "live-ranges=off")?.0;
    assert!(text.contains("its dependences exclude every order that would pay"), "{text}");
    for torn in [
        "b[i * n + j] = *cell; *cell = a[i * n + j];",
        "if (i <= j) *cell = a[i * n + j]; b[i * n + j] = *cell;",
        "if (a[i * n + j] > 0) *cell = a[i * n + j]; b[i * n + j] = *cell;",
        "*cell = *cell * 0.5 + a[i * n + j]; b[i * n + j] = *cell;",
        "if (j + i < n) { *cell = a[i * n + j]; b[i * n + j] = *cell; }",
    ] {
        let text = remark(&nest(torn))?;
        assert!(!text.contains("interchanged") && !text.contains("live ranges"), "{torn}: {text}");
    }
    Ok(())
}
