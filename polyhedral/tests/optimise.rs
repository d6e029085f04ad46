//! The optimiser on SCoPs in text: every pass alone, the thirty kernels, small programs that show one decision of the strategy each, and
//! mistakes.
//!
//! `tests/optimise` has the files, `support/case_file.rs` says how they look. Whatever comes of a run is also executed, on small sizes and
//! with small tiles, and has to leave in memory what the program leaves there. `UPDATE=1` writes the results anew.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tessera_polyhedral::ast::AstOptions;
use tessera_polyhedral::cost::{Model, Sizes};
use tessera_polyhedral::device::{self, Program};
use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::strategy::{self, Copies, Jam, SearchOptions, Source};
use tessera_polyhedral::target::Target;
use tessera_polyhedral::transform::{Draft, PASSES, Script, Step, Value, check_claims};

use crate::support::budget;
use crate::support::case_file::{CaseFile, Part, Run, folder};
use crate::support::device::execute;
use crate::support::machine::{Machine, Outcome, Params, sizes};

/// What a run is about, beside the SCoP.
struct Options {
    target: Target,
    sizes: Sizes,
    search: SearchOptions,
    /// Nests whose scalars have copies already.
    copies: Vec<Copies>,
    /// Whether live ranges of memory may be reordered, also by scripts.
    live_ranges: bool,
    /// What the file says that the run changes, if it is not the tree.
    changes: Option<String>,
}

impl Options {
    /// Reads lines `name = value`, whose values are those of scripts:
    ///
    /// | option | what |
    /// | --- | --- |
    /// | `target` | the built-in machine (`avx512`) |
    /// | `sizes` | of parameters, for the estimates: `"n=200"` |
    /// | `tiles`, `unprofitable = yes` | as users option |
    /// | `without` | search that are off: `[tiling, jam]` |
    /// | `registers` | how many vector registers there are, if not as many as the target has |
    /// | `copies` | see [`copies_of`] |
    /// | `changes` | `nothing`, or `log` where the order stays; every other run must change the order or add buffers |
    fn parse(text: &str) -> Options {
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        let script =
            Script::parse(&format!("options({})", lines.join(", "))).unwrap_or_else(|e| panic!("{e:#}\n{text}"));
        let step = &script.steps[0];
        let name = step.name("target").unwrap_or("avx512");
        let target = Target::builtin(name).unwrap_or_else(|| panic!("no target {name}")).unwrap();
        let vector_registers = step.integer("registers").map(|number| u32::try_from(number).unwrap());
        let mut search = SearchOptions {
            masks: target.vectors.masks,
            fma: target.vectors.fma,
            vector_registers: vector_registers.unwrap_or(target.vectors.registers),
            vector_bits: target.vectors.bits,
            tiles: step.integers("tiles").unwrap_or_default().into_iter().map(i64::unsigned_abs).collect(),
            ..SearchOptions::default()
        };
        let (mut copies, mut changes) = (Vec::new(), None);
        for (name, value) in &step.arguments {
            match (name.as_str(), value) {
                ("target" | "registers" | "tiles" | "sizes", _) => {}
                ("unprofitable", Value::Name(yes)) if yes == "yes" => search.unprofitable = true,
                ("changes", Value::Name(what)) if ["nothing", "log"].contains(&what.as_str()) => {
                    changes = Some(what.clone());
                }
                ("without", Value::List(words)) => words.iter().for_each(|word| *switch(&mut search, word) = false),
                ("copies", _) => copies.push(copies_of(step)),
                _ => panic!("no option {name} = {value}"),
            }
        }
        let sizes = Sizes::parse(step.text("sizes").unwrap_or_default()).unwrap_or_else(|e| panic!("{e:#}"));
        Options { target, sizes, live_ranges: search.live_ranges, search, copies, changes }
    }
}

/// The option with a name.
fn switch<'w>(search: &'w mut SearchOptions, word: &Value) -> &'w mut bool {
    match word.to_string().as_str() {
        "interchange" => &mut search.interchange,
        "tiling" => &mut search.tiling,
        "full_tiles" => &mut search.full_tiles,
        "time_tiling" => &mut search.time_tiling,
        "distribution" => &mut search.distribution,
        "live_ranges" => &mut search.live_ranges,
        "jam" => &mut search.jam,
        "split" => &mut search.split,
        "packing" => &mut search.packing,
        other => panic!("no option {other}"),
    }
}

/// The option `copies = [[loops around], [tiled loops], [sizes]]`, with `[iterations, inner loop, how often it must run]` where the copies are
/// for iterations side by side.
fn copies_of(step: &Step) -> Copies {
    let lists = step.lists_of_integers("copies").unwrap_or_default();
    let number = |number: &i64| usize::try_from(*number).unwrap();
    let jam = match lists.get(3).map(Vec::as_slice) {
        Some([factor, inner, long]) => Some(Jam { factor: *factor, inner: number(inner), long: long.unsigned_abs() }),
        _ => None,
    };
    let [chain, tail, sizes, ..] = lists.as_slice() else { panic!("copies are at least three lists") };
    let loops = |list: &[i64]| list.iter().map(number).collect();
    Copies { chain: loops(chain), tail: loops(tail), sizes: sizes.clone(), jam }
}

/// What comes of a run.
#[derive(Default)]
struct Found {
    /// The parts of the result.
    result: Vec<Part>,
    /// The passes that were taken.
    passes: BTreeSet<String>,
    /// Whether there is a step at all.
    has_steps: bool,
    /// Whether there is a new order, or a buffer.
    is_new: bool,
    /// What is changed, if it is not what the file says.
    complaint: Option<String>,
}

/// Does what a run says; else the message.
fn found(run: &Run) -> Result<Found, String> {
    let options = Options::parse(&run.options);
    let mut search = options.search.clone();
    if let Some(text) = run.given("strategy") {
        let strategy = Source::parse(text).and_then(|source| source.on(Some(&options.target)));
        search.strategy = strategy.map_err(|error| format!("{error:#}"))?;
    }
    let script = run.given("script").map(Script::parse).transpose().map_err(|error| format!("{error:#}"))?;
    let scops = Scop::parse_all(&run.scop, &budget()).map_err(|error| format!("{error:#}"))?;
    assert!(!scops.is_empty(), "no SCoP");
    let mut found = Found::default();
    for (number, scop) in scops.iter().enumerate() {
        let original = Draft::new(scop, &budget()).unwrap().with_live_ranges(options.live_ranges);
        let draft = match &script {
            Some(script) => original.run(script, &budget()).map_err(|error| error.to_string())?,
            None => planned(scop, &options, &search)?,
        };
        judge(&original, &draft);
        let log = Script { steps: draft.log().to_vec() };
        found.passes.extend(log.steps.iter().map(|step| step.pass.clone()));
        found.has_steps |= !log.steps.is_empty();
        found.is_new |= draft.tree() != original.tree() || !draft.placement().is_empty();
        let number = if scops.len() > 1 { format!(" {}", number + 1) } else { String::new() };
        let mut add = |name: &str, text: String| found.result.push(Part { name: format!("{name}{number}"), text });
        add("log", format!("{}{log}", wanted_copies(scop, &search)));
        add("estimate", estimates(&original, &draft, &options));
        add("tree", draft.tree().to_string().lines().skip(1).map(|line| format!("{}\n", &line[2..])).collect());
        if !draft.placement().is_empty() {
            add("buffers", draft.placement().to_string());
        }
        if !device::sites(draft.tree()).unwrap().is_empty() {
            let program = Program::new(draft.tree(), Some(&scop.context), &AstOptions::default(), &budget()).unwrap();
            add("kernels", program.to_string());
        }
    }
    let changes = match (found.has_steps, found.is_new) {
        (false, _) => "nothing",
        (true, false) => "log",
        (true, true) => "order",
    };
    let expected = options.changes.as_deref().unwrap_or("order");
    if changes != expected {
        found.complaint = Some(format!("the option `changes` says {expected}, but it is {changes}"));
    }
    Ok(found)
}

/// What the strategy makes of a SCoP, as `polycalc optimise` asks it.
fn planned<'s>(scop: &'s Scop, options: &Options, search: &SearchOptions) -> Result<Draft<'s>, String> {
    let dependences = Arc::new(scop.dependences(&budget()).unwrap());
    let plan = match &options.copies[..] {
        [] => strategy::plan_on(scop, &dependences, search, Some(&options.target), &budget()),
        copies => strategy::plan(scop, &dependences, copies, search, &budget()),
    };
    let plan = plan.map_err(|e| e.to_string())?;
    let draft = plan.ok_or("nothing that passes the check")?.draft;
    let flagged = draft.clone().with_true_flags(&budget()).unwrap();
    // Flags are those that dependences allow; the rest is the same.
    let free = |tree| strategy::with_free_loops(tree, scop, &dependences, &budget()).unwrap();
    assert_eq!(free(draft.tree()), free(flagged.tree()));
    Ok(flagged)
}

/// The scalars that should have copies first, as a comment.
fn wanted_copies(scop: &Scop, search: &SearchOptions) -> String {
    let nests = strategy::expandable(scop, search, &budget()).unwrap();
    let scalars = nests.iter().flat_map(|nest| &nest.scalars).map(|array| scop.arrays[*array].name.as_str());
    let scalars: Vec<&str> = scalars.collect();
    if scalars.is_empty() { String::new() } else { format!("# copies would help: {}\n", scalars.join(", ")) }
}

/// Cycles of the order of the program and of the new one.
fn estimates(original: &Draft<'_>, draft: &Draft<'_>, options: &Options) -> String {
    let (scop, dependences) = (original.scop(), original.dependences());
    let model = Model::new(scop, dependences, &options.target, &options.sizes, &budget()).unwrap();
    let estimate = |draft: &Draft<'_>| model.estimate(draft.tree(), &budget()).unwrap();
    let (old, new) = (estimate(original), estimate(draft));
    let mut text = format!("{:<8} before after\n", options.target.name);
    for ((part, old), (_, new)) in old.lines().zip(new.lines()) {
        let _ = writeln!(text, "{part:<8} {old:<6.1e} {new:.1e}");
    }
    text
}

/// The largest tile with which orders are executed: of the sizes that the machine executes, some have several such tiles.
const TILE: i64 = 4;

/// The log leads to the same draft again, flags claim what is so, and the new order computes what the program computes, with tiles as they are
/// and with smaller ones.
fn judge(original: &Draft<'_>, draft: &Draft<'_>) {
    let scop = original.scop();
    let log = Script { steps: draft.log().to_vec() };
    let text: Script = log.to_string().parse().unwrap();
    let replayed = original.run(&text, &budget()).unwrap();
    let all = |draft: &Draft<'_>| (draft.tree().clone(), draft.placement().clone(), draft.needs().to_vec());
    assert_eq!(all(&replayed), all(draft), "{log}");
    assert_eq!(check_claims(draft, &budget()).unwrap(), None, "{log}");
    let mut small = log.clone();
    for step in small.steps.iter_mut().filter(|step| ["tile", "time_tile"].contains(&step.pass.as_str())) {
        for (_, value) in step.arguments.iter_mut().filter(|(name, _)| name == "sizes") {
            let Value::List(sizes) = value else { continue };
            sizes.iter_mut().for_each(|size| {
                if let Value::Integer(size) = size {
                    *size = (*size).min(TILE);
                }
            });
        }
    }
    let (machine, sizes) = (Machine::new(scop), sizes(scop));
    let expected = machine.expected(&sizes);
    assert!(expected.iter().all(Option::is_some), "{}: no code", scop.name);
    assert!(expected.iter().flatten().any(|(memory, _)| !memory.is_empty()), "{}: nothing is computed", scop.name);
    for log in if small == log { vec![log] } else { vec![log, small] } {
        let draft = original.run(&log, &budget()).unwrap_or_else(|error| panic!("{error}\n{log}"));
        on_device(&machine, &draft, &sizes, &expected);
        let found = machine.outcomes(draft.tree(), draft.placement(), &sizes);
        for ((found, expected), size) in found.iter().zip(&expected).zip(&sizes) {
            assert!(found == expected, "{size:?}: another result\n{log}{}", draft.tree());
        }
    }
}

/// If there are kernels: a device that runs blocks and threads in different orders computes the same.
fn on_device(machine: &Machine<'_>, draft: &Draft<'_>, sizes: &[Params], expected: &[Outcome]) {
    if device::sites(draft.tree()).unwrap().is_empty() {
        return;
    }
    let context = &draft.scop().context;
    let program = Program::new(draft.tree(), Some(context), &AstOptions::default(), &budget()).unwrap();
    for kernel in &program.kernels {
        assert_eq!(kernel.divergent_barrier(), None, "{program}");
    }
    // Backwards, forwards, and something between.
    for step in [0, 1, 7] {
        let mut last = 0;
        let mut chance = |n: usize| {
            last += step;
            if step == 0 { n - 1 } else { last % n }
        };
        for (params, expected) in sizes.iter().zip(expected) {
            let found = execute(machine, &program, draft.placement(), params, &mut chance);
            let found = found.unwrap_or_else(|what| panic!("{what}\n{program}"));
            assert!(found == *expected, "{params:?}: another result on a device\n{program}");
        }
    }
}

/// The files of a folder with what comes of their runs. Every result has to be the one in the file.
fn checked(name: &str) -> Vec<(CaseFile, Vec<Result<Found, String>>)> {
    let mut paths: Vec<PathBuf> = entries(&folder().join(name));
    paths.sort();
    let (mut all, mut differences) = (Vec::new(), String::new());
    for path in paths {
        assert!(path.extension().is_some_and(|extension| extension == "case"), "{}: no case", path.display());
        println!("{}", path.display());
        let file = CaseFile::read(&path);
        let found: Vec<_> = file.runs.iter().map(found).collect();
        let results = found.iter().map(|found| match found {
            Ok(found) => found.result.clone(),
            Err(message) => vec![Part { name: "error".to_owned(), text: format!("{}\n", message.trim_end()) }],
        });
        let results: Vec<Vec<Part>> = results.collect();
        for (number, found) in found.iter().enumerate() {
            if let Ok(Found { complaint: Some(complaint), .. }) = found {
                let _ = writeln!(differences, "{}, run {}: {complaint}", path.display(), number + 1);
            }
        }
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, file.with_results(&results)).unwrap();
        } else {
            for (number, (run, result)) in file.runs.iter().zip(&results).enumerate() {
                if run.expected != *result {
                    let _ = writeln!(differences, "{}, run {}:", path.display(), number + 1);
                    differences += &difference(&run.expected, result);
                }
            }
        }
        all.push((file, found));
    }
    assert!(
        differences.is_empty(),
        "\n{differences}\nlines with - are those of the files, lines with + what comes of them. If that is better:\n\
         UPDATE=1 cargo test --release -p tessera-polyhedral --test library optimise::"
    );
    all
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The lines in which two results differ, below the names of their parts.
fn difference(expected: &[Part], found: &[Part]) -> String {
    let lines = |parts: &[Part]| {
        let text = parts.iter().map(|part| format!("== {}\n{}", part.name, part.text)).collect::<String>();
        text.lines().map(str::to_owned).collect::<Vec<String>>()
    };
    let (old, new) = (lines(expected), lines(found));
    // How many lines are the same from here on.
    let mut same = vec![vec![0; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let skipped = same[i + 1][j].max(same[i][j + 1]);
            same[i][j] = if old[i] == new[j] { same[i + 1][j + 1] + 1 } else { skipped };
        }
    }
    let (mut i, mut j) = (0, 0);
    let (mut text, mut part) = (String::new(), None);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            if old[i].starts_with("== ") {
                part = Some(&old[i]);
            }
            (i, j) = (i + 1, j + 1);
            continue;
        }
        if let Some(part) = part.take() {
            let _ = writeln!(text, "    {part}");
        }
        if j == new.len() || i < old.len() && same[i + 1][j] >= same[i][j + 1] {
            let _ = writeln!(text, "  - {}", old[i]);
            i += 1;
        } else {
            let _ = writeln!(text, "  + {}", new[j]);
            j += 1;
        }
    }
    text
}

/// The names of files without endings.
fn stems(all: &[(CaseFile, Vec<Result<Found, String>>)]) -> Vec<String> {
    all.iter().map(|(file, _)| file.path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn there_are_only_folders_with_tests() {
    let mut names: Vec<_> = entries(&folder()).iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    names.sort();
    assert_eq!(names, ["errors", "kernels", "passes", "programs"]);
}

/// Every pass has a file of its name, whose runs take it.
#[test]
fn passes() {
    let all = checked("passes");
    assert_eq!(stems(&all), PASSES.iter().map(|pass| pass.name).collect::<Vec<_>>());
    for ((file, runs), pass) in all.iter().zip(PASSES) {
        for run in runs {
            let found = run.as_ref().unwrap_or_else(|message| panic!("{}: {message}", file.path.display()));
            assert!(found.passes.contains(pass.name), "{}: a run without the pass", file.path.display());
        }
    }
}

/// The thirty kernels of PolyBench, as the plugin hands them on.
#[test]
fn kernels() {
    let all = checked("kernels");
    assert_eq!(all.len(), 30);
    for (file, runs) in &all {
        for run in runs {
            assert!(run.is_ok(), "{}: an error", file.path.display());
        }
    }
    let changed = all.iter().filter(|(_, runs)| runs.iter().flatten().any(|found| found.is_new)).count();
    assert!(changed > 20, "{changed} kernels get a new order");
}

/// What the strategy does with small programs.
#[test]
fn programs() {
    let all = checked("programs");
    assert!(all.len() >= 20, "{} programs", all.len());
    let mut passes = BTreeSet::new();
    for (file, runs) in &all {
        for run in runs {
            let found = run.as_ref().unwrap_or_else(|message| panic!("{}: {message}", file.path.display()));
            passes.extend(found.passes.iter().map(String::as_str));
        }
    }
    // What the strategy has steps for.
    for pass in
        ["interchange", "tile", "isolate", "distribute", "time_tile", "jam", "split_index_set", "reschedule", "expose"]
    {
        assert!(passes.contains(pass), "no program shows {pass}");
    }
}

/// Mistakes, and what the check refuses: every pass has a file of its name, whose first run names the pass.
#[test]
fn errors() {
    let all = checked("errors");
    let names = stems(&all);
    for pass in PASSES {
        assert!(names.iter().any(|name| name == pass.name), "no mistakes with {}", pass.name);
    }
    for ((file, runs), name) in all.iter().zip(&names) {
        for run in runs {
            let Err(message) = run else { panic!("{}: no error", file.path.display()) };
            let is_pass = PASSES.iter().any(|pass| pass.name == name);
            assert!(!is_pass || message.starts_with(&format!("{name}(")), "{name}: {message}");
        }
    }
}
