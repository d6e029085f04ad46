//! Generated code after a C compiler: its size, and how many instructions it executes, ours beside isl's.
//!
//! The cases are those of Figures 7 to 10 of T. Grosser, S. Verdoolaege, A. Cohen, "Polyhedral AST generation is more
//! than scanning polyhedra", TOPLAS 2015, with the statements and compiler flags of its Tables I and II. A case is a
//! function `kernel` with the parameters as arguments; a driver calls it for some values. The size is that of the
//! symbol (`nm -S`); instructions are counted inside the function over all calls (`valgrind --tool=callgrind`).

use std::fs;
use std::path::Path;
use std::process::Command;

use tessera_polyhedral::ast::CStyle;

use crate::generation::{Input, Schedule, ours, theirs};
use crate::isl::Isl;

type Result<T> = std::result::Result<T, String>;

/// A case.
pub struct Case {
    /// What is generated.
    pub input: Input,
    /// The parameters of the function.
    pub params: &'static [&'static str],
    /// Arrays and statements.
    pub statements: &'static str,
    /// The calls.
    pub calls: &'static str,
    /// Whether the code has loops, so that vectorising and unrolling compilers make a difference.
    pub loops: bool,
}

/// Arrays with room on both sides of what is used.
const LINES: &str = "int a[4096], b[4096];\n#define S0(x) a[(x) + 1024]++\n#define S1(x) b[(x) + 1024]++\n";
const PLANES: &str = "int a[256][256], b[256][256], c[256][256];\n#define S0(x, y) a[x][y]++\n#define S1(x, y) b[x][y]++\n\
                      #define S2(x, y) c[x][y]++\n";
const ONE: &str = "int a[4096];\n#define S(x) a[(x) + 1024]++\n";
const TWO: &str = "int a[4][4096];\n#define S(x, y) a[x][(y) + 1024]++\n";

/// The cases of the tables.
pub fn cases() -> Vec<Case> {
    let case = |name: &str, schedule: &str, options: Option<&str>, context: &str| Input {
        family: "compiled",
        name: name.into(),
        schedule: Schedule::Relation(schedule.into(), options.map(str::to_owned)),
        context: context.into(),
    };
    let strided = "[n] -> { S0[i] -> [i] : exists a : 1 <= i <= n and i = 4a; \
                   S1[i] -> [i] : exists a : 1 <= i <= n and i = 4a + 2 }";
    let youcefn = "[n, m] -> { S0[i, j] -> [i, j, 0] : i = j and 1 <= i <= n; \
                   S1[i, j] -> [i, j, 1] : 1 <= i <= n and i <= j <= n; S2[i, j] -> [i, j, 2] : 1 <= i <= m and j = n }";
    let existentials = "{ S[i] -> [i] : exists a, b : i = 2a + 3b and 0 <= a < 3 and 0 <= b and 0 <= i < 8 }";
    let bounds = "[t1, t2] -> { S[i, j] -> [i, j] : exists a, b : 0 <= i <= 1 and t1 = j + 128a and 0 <= j + 2b < 128 and \
                  510 <= t2 + 2b <= 514 and 0 <= 2b - t2 <= 5 }";
    let block = "[t1] -> { : 0 <= t1 < 128 }";
    let all_t1 = "for (int t = 0; t < 128; t++) kernel(t);";
    let all_t = "for (int t = 0; t < 128; t++) for (int u = 254; u <= 256; u++) kernel(t, u);";
    let t_context = "[t1, t2] -> { : 0 <= t1 < 128 and 254 <= t2 <= 256 }";
    let new = |input, params, statements, calls, loops| Case { input, params, statements, calls, loops };
    vec![
        new(
            case("Fig. 7 strided", strided, Some("{ [i] -> separate[x] }"), "{ : }"),
            &["n"],
            LINES,
            "kernel(100);",
            true,
        ),
        new(
            case("Fig. 8 youcefn", youcefn, Some("{ [i, j, k] -> separate[x] }"), "[n, m] -> { : n >= 2 and m >= n }"),
            &["n", "m"],
            PLANES,
            "kernel(100, 150);",
            true,
        ),
        new(
            case(
                "Fig. 9 modulo simple",
                "[n] -> { S[i] -> [i] : 0 <= i < 128 and (i - n) mod 128 = 0 }",
                None,
                "[n] -> { : n >= 0 }",
            ),
            &["n"],
            ONE,
            "for (int t = 0; t < 256; t++) kernel(t);",
            false,
        ),
        new(
            case(
                "Fig. 9 modulo shifted",
                "[t1] -> { S[i] -> [i] : 7 <= i <= 134 and (i - t1) mod 128 = 0 }",
                None,
                block,
            ),
            &["t1"],
            ONE,
            all_t1,
            false,
        ),
        new(
            case(
                "Fig. 9 modulo conditional",
                "[t1] -> { S[i] -> [i] : 7 <= i <= 130 and (i - t1) mod 128 = 0 }",
                None,
                block,
            ),
            &["t1"],
            ONE,
            all_t1,
            false,
        ),
        new(case("Fig. 10 two variables", existentials, None, "{ : }"), &[], ONE, "kernel();", false),
        new(
            case("Fig. 10 two variables unrolled", existentials, Some("{ [i] -> unroll[x] }"), "{ : }"),
            &[],
            ONE,
            "kernel();",
            false,
        ),
        new(case("Fig. 10 multiple bounds", bounds, None, t_context), &["t1", "t2"], TWO, all_t, false),
        new(
            case("Fig. 10 multiple bounds unrolled", bounds, Some("{ [i, j] -> unroll[x] }"), t_context),
            &["t1", "t2"],
            TWO,
            all_t,
            false,
        ),
    ]
}

/// A compiler with its flags beyond those that all runs have.
pub struct Compiler {
    /// What it is called in tables.
    pub name: &'static str,
    program: &'static str,
    flags: &'static [&'static str],
    /// Whether the run makes a difference only for loops.
    for_loops: bool,
}

/// The compilers: as they are, without vectorisation, and also without unrolling.
pub const COMPILERS: &[Compiler] = &[
    Compiler { name: "clang", program: "clang-22", flags: &[], for_loops: false },
    Compiler { name: "gcc", program: "gcc", flags: &[], for_loops: false },
    Compiler {
        name: "clang no vec",
        program: "clang-22",
        flags: &["-fno-vectorize", "-fno-slp-vectorize"],
        for_loops: true,
    },
    Compiler { name: "gcc no vec", program: "gcc", flags: &["-fno-tree-vectorize"], for_loops: true },
    Compiler {
        name: "clang no vec, no unroll",
        program: "clang-22",
        flags: &["-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"],
        for_loops: true,
    },
    Compiler {
        name: "gcc no vec, no unroll",
        program: "gcc",
        flags: &["-fno-tree-vectorize", "-fno-unroll-loops"],
        for_loops: true,
    },
];

impl Compiler {
    /// Whether a run with this compiler says something about a case.
    pub fn fits(&self, case: &Case) -> bool {
        case.loops || !self.for_loops
    }
}

const FLAGS: &[&str] = &["-O3", "-std=gnu99", "-march=corei7-avx", "-mtune=corei7-avx", "-fno-inline", "-g", "-w"];

/// Definitions of the functions that isl's code uses.
const MACROS: &str = "#define floord(n, d) (((n) < 0) ? -((-(n) + (d) - 1) / (d)) : (n) / (d))\n\
                      #define min(x, y) ((x) < (y) ? (x) : (y))\n#define max(x, y) ((x) > (y) ? (x) : (y))\n";

/// What a compiler makes of some code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// Bytes of the function.
    pub size: u64,
    /// Instructions inside the function, over all calls.
    pub instructions: u64,
}

/// The code of both sides: ours, isl's. Ours is printed with unsigned divisions where the dividend is known not to be
/// negative.
pub fn codes(isl: &Isl, case: &Case) -> Result<(String, String)> {
    let (unit, _) = ours(&case.input, 1)?;
    let style = CStyle { unsigned: Some("unsigned".into()), ..CStyle::default() };
    let own = unit.macros() + &function(case, &unit.to_c(&style));
    let (code, _) = theirs(isl, &case.input, 1)?;
    Ok((own, MACROS.to_owned() + &function(case, &code)))
}

fn function(case: &Case, code: &str) -> String {
    let params: Vec<String> = case.params.iter().map(|name| format!("int {name}")).collect();
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    format!("void kernel({params})\n{{\n{code}}}\n")
}

/// Compiles and runs some code in a folder.
pub fn measure(case: &Case, code: &str, compiler: &Compiler, folder: &Path) -> Result<(Measure, String)> {
    let file = |name: &str| folder.join(name);
    let write = |name: &str, text: &str| fs::write(file(name), text).map_err(|e| format!("{name}: {e}"));
    write("kernel.c", &format!("{}{code}", case.statements.replace("int a", "extern int a")))?;
    let params: Vec<&str> = case.params.iter().map(|_| "int").collect();
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let arrays: String = case.statements.lines().filter(|line| !line.starts_with('#')).collect();
    // The sum over all elements, weighted by their places, tells different executions apart.
    let main = format!(
        "#include <stdio.h>\n{arrays}\nvoid kernel({params});\nint main(void) {{\n{}\nlong s = 0;\n\
         for (unsigned k = 0; k < sizeof a / sizeof(int); k++) s = s * 31 + ((int *)a)[k];\n{}printf(\"%ld\\n\", s);\n}}\n",
        case.calls,
        if arrays.contains("b[") {
            "for (unsigned k = 0; k < sizeof b / sizeof(int); k++) s = s * 37 + ((int *)b)[k];\n"
        } else {
            ""
        }
    );
    write("main.c", &main)?;
    let run = |program: &str, args: &[&str]| -> Result<(String, String)> {
        let output = Command::new(program).args(args).current_dir(folder).output();
        let output = output.map_err(|e| format!("{program}: {e}; scripts/setup installs what is needed"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if !output.status.success() {
            return Err(format!("{program} {}: {}\n{code}", args.join(" "), text(&output.stderr)));
        }
        Ok((text(&output.stdout), text(&output.stderr)))
    };
    let flags: Vec<&str> = FLAGS.iter().chain(compiler.flags).copied().collect();
    run(compiler.program, &[&flags[..], &["-c", "kernel.c", "-o", "kernel.o"]].concat())?;
    run(compiler.program, &["-O1", "-w", "main.c", "kernel.o", "-o", "program"])?;
    let (symbols, _) = run("nm", &["-S", "kernel.o"])?;
    let size = symbols.lines().find(|line| line.ends_with(" kernel")).and_then(|line| line.split_whitespace().nth(1));
    let size = size.and_then(|hex| u64::from_str_radix(hex, 16).ok()).ok_or("nm does not list the function")?;
    let valgrind = ["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=kernel", "./program"];
    let (result, log) = run("valgrind", &valgrind)?;
    let collected = log.lines().find_map(|line| line.split_once("Collected :")).map(|(_, number)| number.trim());
    let instructions = collected.and_then(|number| number.parse().ok()).ok_or_else(|| format!("no count in {log}"))?;
    Ok((Measure { size, instructions }, result))
}
