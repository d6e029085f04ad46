//! What a compilation tells those who ask for more: the steps that transformed each nest (`-Rpass-analysis=tessera`), which lead to
//! the same order again when they are replayed on the printed SCoP; and where its time went (`TESSERA=time`).

use std::fs;
use std::sync::Arc;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::strategy::with_free_loops;
use tessera_polyhedral::transform::{Draft, Script};
use tessera_tests::plugin::{Plugin, polycalc};
use tessera_tests::process::{Failure, Run};
use tessera_tests::record;
use tessera_tests::sources::SUM_IN_A_VARIABLE;

/// Behind a product: two nests that are transformed, in one function; one that no other order pays for; and one that is no SCoP.
const REST: &str = "\
void two(int n, double *restrict c, const double *restrict a, const double *restrict b) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i * n + j] *= 3;
            for (int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            c[i] += a[j * n + i] * b[j];
}
void none(int n, double *x, int *p) {
    for (int i = 0; i < n; i++)
        x[i] = x[i] * 3 + 1;
    for (int i = 0; i < n; i++)
        while (p[i] > 0) p[i] /= 2;
}
";

/// What is printed for the source under these options.
fn compile(options: &str, flags: &[&str]) -> Result<String, Failure> {
    let plugin = Plugin::locate()?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = folder.path().join("nests.c");
    fs::write(&source, [SUM_IN_A_VARIABLE, REST].concat()).expect("the source can be written");
    let run = Run::new("clang-22").env("TESSERA", options).args(["-O3", "-c", "-o", "/dev/null"]).args(flags);
    let run = run.arg(format!("-fpass-plugin={}", plugin.path().display()));
    Ok(run.arg(&source).output()?.stderr)
}

/// A printed SCoP that was transformed.
struct Printed {
    scop: Scop,
    /// As it was printed.
    text: String,
    log: String,
    tree: String,
}

fn printed(text: &str, budget: &Budget) -> Vec<Printed> {
    let mut all = Vec::new();
    for document in text.split("---\n").skip(1) {
        let comment = |line: &str| line.strip_prefix('#').map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned());
        let comments: Vec<String> =
            document.lines().map_while(|line| Some(comment(line).unwrap_or_default())).collect();
        let between = |from: &str, to: &str| {
            let lines = comments.iter().skip_while(|line| *line != from).skip(1).take_while(|line| *line != to);
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        let (log, tree) = (between("log:", "schedule after:"), between("schedule after:", "code:"));
        if !log.is_empty() {
            let scop = Scop::parse(document, budget).unwrap_or_else(|error| panic!("{error:#}\n{document}"));
            all.push(Printed { scop, text: document.to_owned(), log, tree: tree.trim_end().to_owned() });
        }
    }
    all
}

/// A tree without what is only known about it: which bands are permutable, which loops are free.
fn order(tree: &str) -> String {
    let lines = tree.lines().filter(|line| !line.trim_start().starts_with("coincident "));
    lines.map(|line| format!("{}\n", line.replace(" (permutable)", ""))).collect()
}

#[test]
fn steps_in_remarks_can_be_replayed() -> Result<(), Failure> {
    let text = compile("print", &["-gline-tables-only", "-fno-caret-diagnostics", "-Rpass-analysis=tessera"])?;
    let steps: Vec<&str> =
        text.lines().filter_map(|line| line.split_once(": remark: steps: ")).map(|(_, rest)| rest).collect();
    let steps: Vec<&str> = steps.iter().filter_map(|line| line.strip_suffix(" [-Rpass-analysis=tessera]")).collect();
    let told = without_remarks(&text);
    let budget = Budget::new(2_000_000_000);
    let nests = printed(&told, &budget);
    assert_eq!((nests.len(), steps.len()), (3, 3), "{text}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (nest, steps) in nests.iter().zip(steps) {
        assert_eq!(nest.log.trim_end(), steps.replace("; ", "\n"), "the remark has the log");
        let script = Script::parse(steps).unwrap_or_else(|error| panic!("{error:#}\n{steps}"));
        let dependences = Arc::new(nest.scop.dependences(&budget).expect("dependences"));
        let draft = Draft::with_dependences(&nest.scop, dependences.clone());
        let draft = draft.run(&script, &budget).unwrap_or_else(|error| panic!("{error}\n{steps}"));
        let tree = with_free_loops(draft.tree(), &nest.scop, &dependences, &budget).expect("flags");
        // Behind the tree come the buffers, if there are some.
        let (order_of_nest, buffers) = nest.tree.split_once("\n\n").unwrap_or((&nest.tree, ""));
        assert_eq!(tree.to_string().trim_end(), order_of_nest, "{steps}");
        assert_eq!(draft.placement().to_string().trim_end(), buffers, "{steps}");
        // The same without a program of one's own.
        let (scop, file) = (folder.path().join("nest.scop"), folder.path().join("steps"));
        fs::write(&scop, &nest.text).expect("the SCoP can be written");
        fs::write(&file, steps).expect("the steps can be written");
        let output = Run::new(polycalc()?).args(["optimise", "--script"]).arg(&file).arg(&scop).output()?.stdout;
        let output = String::from_utf8_lossy(&output).into_owned();
        let replayed = output[output.find("domain ").unwrap_or_default()..].split("\n\n").next().unwrap_or_default();
        let replayed = replayed.split("\nbuffers:").next().unwrap_or_default();
        assert_eq!(order(replayed), order(order_of_nest), "{output}");
    }
    Ok(())
}

fn without_remarks(text: &str) -> String {
    text.lines().filter(|line| !line.contains(": remark: ")).map(|line| format!("{line}\n")).collect()
}

/// The remarks about steps that were not taken.
fn complaints(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains(": the steps for nest ")).collect()
}

/// The steps of every nest, given back in a file, lead to the same trees: with copies of scalars and without, by line and by number.
#[test]
fn logs_are_replayed_by_the_plugin() -> Result<(), Failure> {
    let budget = Budget::new(2_000_000_000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("mine.strategy");
    let options = format!("print;tactics={}", file.display());
    for flags in [&["-Rpass-missed=tessera", "-gline-tables-only", "-fno-caret-diagnostics"][..], &[]] {
        let told = without_remarks(&compile("print", flags)?);
        let nests = printed(&told, &budget);
        assert_eq!(nests.len(), 3, "{told}");
        assert!(nests.iter().any(|nest| nest.log.contains("copies(shape = ")), "{told}");
        let scripts: String = nests.iter().map(|nest| format!("nest \"{}\"\n{}", nest.scop.name, nest.log)).collect();
        fs::write(&file, scripts).expect("the steps can be written");
        let told = compile(&options, flags)?;
        assert_eq!(complaints(&told), [""; 0]);
        let replayed = printed(&without_remarks(&told), &budget);
        assert_eq!(replayed.len(), 3, "{told}");
        for (nest, again) in nests.iter().zip(&replayed) {
            assert_eq!((&nest.log, &nest.tree), (&again.log, &again.tree));
        }
    }
    // Without steps a nest stays, and what cannot be done is told.
    let flags = ["-Rpass-missed=tessera", "-Rpass=tessera", "-fno-caret-diagnostics"];
    for (steps, expected) in [
        ("", "loop nest left as it is"),
        ("reverse(S1@2, member = 0)", "are not taken: reverse(S1@2, member = 0) is refused"),
        ("polish()", "are not taken: there is no pass polish"),
        (
            "pack(S1@0, array = argument_2)",
            "are not taken: pack or privatise does not apply: new code has no such buffers",
        ),
    ] {
        let source = "void f(int n, double *restrict c, const double *restrict a, const double *restrict b) {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    c[i * n + j] *= 3;
                    for (int k = 0; k < n; k++) c[i * n + j] += a[i * n + k] * b[k * n + j];
                }
        }";
        fs::write(&file, format!("nest \"f, loop 1\"\n{steps}\n")).expect("the steps can be written");
        let path = folder.path().join("f.c");
        fs::write(&path, source).expect("the source can be written");
        let run = Run::new("clang-22").env("TESSERA", &format!("tactics={}", file.display()));
        let run = run.args(["-O3", "-c", "-o", "/dev/null"]).args(flags).arg(&path);
        let run = run.arg(format!("-fpass-plugin={}", Plugin::locate()?.path().display()));
        let told = run.output()?.stderr;
        assert!(told.contains(expected), "{steps}: {told}");
        assert_eq!(told.contains("loop nest transformed"), !steps.is_empty(), "{steps}: {told}");
    }
    Ok(())
}

#[test]
fn steps_are_for_those_who_ask() -> Result<(), Failure> {
    for flags in [&["-Rpass=tessera", "-Rpass-missed=tessera"][..], &[]] {
        assert!(!compile("remarks", flags)?.contains("steps: "), "{flags:?}");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("record.yaml");
    let flag = format!("-foptimization-record-file={}", file.display());
    compile("", &["-gline-tables-only", "-fsave-optimization-record", &flag])?;
    let text = fs::read_to_string(&file).expect("a record");
    let steps = record::steps(&text);
    assert_eq!(steps.iter().map(|remark| remark.line).collect::<Vec<_>>(), [3, 12, 18], "{steps:?}");
    let scripts = steps.iter().map(|remark| Script::parse(remark.message.trim_start_matches("steps: ")));
    assert!(scripts.into_iter().all(|script| script.is_ok_and(|script| !script.steps.is_empty())), "{steps:?}");
    Ok(())
}

/// A line of the table of times: microseconds, units, phase, nest.
type Line = (u64, u64, String, String);

fn times(text: &str) -> Vec<Line> {
    let (_, table) = text.split_once("tessera: time by nest and phase\n").unwrap_or_else(|| panic!("no table: {text}"));
    assert_eq!(table.matches("tessera: time by").count(), 0, "one table");
    let lines = table.lines().skip(1).map(|line| {
        let mut words = line.split_whitespace();
        let mut word = || words.next().unwrap_or_else(|| panic!("a short line: {line}"));
        let (seconds, units, phase) = (word().replace('.', ""), word(), word());
        let nest = line.split_once(phase).map_or("", |(_, nest)| nest.trim());
        let number = |text: &str| text.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
        (number(&seconds), number(units), phase.to_owned(), nest.to_owned())
    });
    lines.collect()
}

#[test]
fn times_add_up() -> Result<(), Failure> {
    let lines = times(&compile("time", &["-gline-tables-only"])?);
    let of = |nest: &str| lines.iter().filter(|line| line.3.ends_with(nest)).collect::<Vec<_>>();
    let mut nests: Vec<&str> = lines.iter().map(|line| line.3.as_str()).collect();
    nests.dedup();
    for nest in
        ["nests.c:3:5: in scalar", "nests.c:12:5: in two", "nests.c:18:5: in two", "nests.c:23:5: in none", "in scalar"]
    {
        assert!(nests.iter().any(|known| known.ends_with(nest)), "{nest}: {nests:?}");
    }
    let phases = |nest| of(nest).iter().map(|line| line.2.as_str()).collect::<Vec<_>>();
    let all = [
        "detect",
        "model",
        "simplify",
        "dependences",
        "strategy",
        "check",
        "optimise",
        "ast",
        "guard",
        "emit",
        "other",
        "all",
    ];
    for phase in all {
        assert!(phases("nests.c:12:5: in two").contains(&phase), "{phase}: {lines:?}");
    }
    assert!(!phases("nests.c:23:5: in none").contains(&"emit") && phases(": in none").contains(&"detect"));
    assert!(lines.iter().any(|line| line.2 == "verify" && line.3 == "in two"));
    // Rows of a nest add up to the nest: units exactly, times but for the digits that are not printed.
    for nest in &nests {
        let rows: Vec<&Line> = lines.iter().filter(|line| line.3 == *nest).collect();
        let (sum, total): (Vec<&Line>, Vec<&Line>) = rows.iter().partition(|line| line.2 != "all");
        assert_eq!(total.len(), 1, "{nest}");
        assert_eq!(sum.iter().map(|line| line.1).sum::<u64>(), total[0].1, "{nest}");
        let time = sum.iter().map(|line| line.0).sum::<u64>();
        assert!(time.abs_diff(total[0].0) <= 1 + sum.len() as u64, "{nest}: {time} {total:?}");
    }
    let (whole, parts): (Vec<&Line>, Vec<&Line>) =
        lines.iter().filter(|line| line.2 == "all").partition(|line| line.3 == "all nests");
    assert_eq!(whole[0].1, parts.iter().map(|line| line.1).sum::<u64>());
    assert!(whole[0].0.abs_diff(parts.iter().map(|line| line.0).sum()) <= 1 + parts.len() as u64);
    assert!(whole[0].1 > 100_000, "{whole:?}");
    // Work does not depend on the clock.
    let work = |lines: &[Line]| lines.iter().map(|line| (line.1, line.2.clone(), line.3.clone())).collect::<Vec<_>>();
    let again = times(&compile("time", &["-gline-tables-only"])?);
    let place = |line: &(u64, String, String)| (line.0, line.1.clone(), line.2.rsplit('/').next().map(str::to_owned));
    let (one, two): (Vec<_>, Vec<_>) =
        (work(&lines).iter().map(place).collect(), work(&again).iter().map(place).collect());
    assert_eq!(one, two);
    Ok(())
}

#[test]
fn without_debug_information_nests_are_counted() -> Result<(), Failure> {
    let lines = times(&compile("time;only=two", &[])?);
    for nest in ["loop 1 in two", "loop 2 in two", "in two", "all nests"] {
        assert!(lines.iter().any(|line| line.3 == nest), "{nest}: {lines:?}");
    }
    assert!(!lines.iter().any(|line| line.3.contains("scalar")));
    assert_eq!(compile("", &[])?, "", "nothing without the option");
    Ok(())
}
