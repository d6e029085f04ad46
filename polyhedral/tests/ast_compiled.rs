//! Generated C, compiled and run: what the program executes is what the interpreter says, instance by instance.
//!
//! The random relations of `ast_relation_random` become functions of one program, which is compiled with the compilers
//! that are installed, in both styles of divisions. Without gcc and clang the test fails and says what to install.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use crate::random_relations::case;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, AstUnit, CStyle, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Set, UnionMap};

const VALUES: [i64; 3] = [2, 3, 5];

/// The definitions that any of the functions needs; a macro may be defined several times the same way.
const START: &str = "#include <stdio.h>\n#define S0(...) call(0, (int[]){0, ##__VA_ARGS__}, sizeof((int[]){0, ##__VA_ARGS__}))\n\
                     #define S1(...) call(1, (int[]){0, ##__VA_ARGS__}, sizeof((int[]){0, ##__VA_ARGS__}))\n\
                     #define S2(...) call(2, (int[]){0, ##__VA_ARGS__}, sizeof((int[]){0, ##__VA_ARGS__}))\n\
                     static void call(int s, const int *x, unsigned long size) {\n  printf(\"S%d\", s);\n  \
                     for (unsigned long k = 1; k < size / sizeof(int); k++) printf(\" %d\", x[k]);\n  printf(\"\\n\");\n}\n";

/// The code of a random case and what it executes for each value of the parameter.
fn unit(seed: u64) -> Option<(AstUnit, Vec<String>)> {
    let case = case(seed);
    let budget = Budget::new(400_000_000);
    let schedule = UnionMap::parse(&case.text, &budget).unwrap();
    let options = case.options.as_deref().map(|text| UnionMap::parse(text, &budget).unwrap());
    let context = "[n] -> { : n >= 2 }".parse::<Set>().unwrap();
    let build = AstBuild::new().with_context(context).with_options(case.switches);
    let unit = build.build_relation(&schedule, options.as_ref(), &budget).ok()?;
    let mut traces = Vec::new();
    for n in VALUES {
        let events = interpret(&unit, &vec![Int::from(n); unit.params.len()], &Budget::new(300_000)).ok()?;
        let mut trace = String::new();
        for event in events {
            let point: String = event.point.iter().map(|x| format!(" {x}")).collect();
            writeln!(trace, "{}{point}", event.stmt).unwrap();
        }
        traces.push(trace);
    }
    Some((unit, traces))
}

#[test]
fn compiled_programs_execute_what_the_interpreter_says() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|x| x.parse().ok()).unwrap_or(default);
    let (first, count) = (number("FIRST", 0), number("COUNT", 60));
    let units: Vec<(u64, AstUnit, Vec<String>)> =
        (first..first + count).filter_map(|seed| unit(seed).map(|(unit, traces)| (seed, unit, traces))).collect();
    assert!(10 * units.len() as u64 >= 9 * count, "only {} of {count} cases", units.len());
    let mut expected = String::new();
    for (seed, _, traces) in &units {
        for (n, trace) in VALUES.iter().zip(traces) {
            write!(expected, "case {seed} {n}\n{trace}").unwrap();
        }
    }
    let folder = std::env::temp_dir().join(format!("tessera-ast-compiled-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let styles = [
        CStyle::default(),
        CStyle { iterator: "long".into(), unsigned: Some("unsigned long".into()), ..CStyle::default() },
    ];
    for (index, style) in styles.iter().enumerate() {
        let (mut text, mut main) = (START.to_owned(), String::new());
        for (seed, unit, _) in &units {
            let code = unit.to_c(style);
            writeln!(text, "{}static void case_{seed}(int n) {{\n{code}}}", unit.macros()).unwrap();
            for n in VALUES {
                writeln!(main, "  printf(\"case {seed} {n}\\n\"); case_{seed}({n});").unwrap();
            }
        }
        write!(text, "int main(void) {{\n{main}  return 0;\n}}\n").unwrap();
        let source = folder.join(format!("cases{index}.c"));
        fs::write(&source, text).unwrap();
        for compiler in ["gcc", "clang-22"] {
            let program = folder.join(format!("cases{index}-{compiler}"));
            // Signed overflow and divisions that C does not define stop the program.
            let flags = ["-O1", "-w", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-o"];
            let output = Command::new(compiler).args(flags).arg(&program).arg(&source).output();
            let output = output.unwrap_or_else(|e| panic!("{compiler}: {e}; scripts/setup installs it"));
            assert!(output.status.success(), "{compiler}: {}", String::from_utf8_lossy(&output.stderr));
            let run = Command::new(&program).output().unwrap();
            assert!(run.status.success(), "{compiler}: {:?} in {}", run.status, source.display());
            let found = String::from_utf8(run.stdout).unwrap();
            if found != expected {
                let line = found.lines().zip(expected.lines()).position(|(a, b)| a != b);
                let line = line.unwrap_or(found.lines().count().min(expected.lines().count()));
                let before = expected.lines().take(line + 1).filter(|l| l.starts_with("case")).last();
                panic!("{compiler}: line {line} of {before:?} differs; see {}", source.display());
            }
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    println!("{} programs in 2 styles with 2 compilers", units.len());
}
