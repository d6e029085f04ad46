//! `polycalc codegen`: C from a schedule.
//!
//! With marks of kernels in the tree it is the code of the kernels and of the host, in the style of CUDA.
//!
//! The input is what isl's code generator reads: a schedule tree in YAML; or a schedule relation, and after it, if
//! wanted, a context (a parameter set) and options (a relation from time vectors to `atomic[x]`, `separate[x]` and
//! `unroll[x]`).

use std::path::PathBuf;

use tessera_polyhedral::ast::{AstBuild, AstOptions, CStyle, SeparationBounds};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::device::{Program, sites};
use tessera_polyhedral::relation::{Set, UnionMap};
use tessera_polyhedral::schedule::ScheduleTree;

use crate::input;

/// The arguments of `polycalc codegen`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The file with the schedule; standard input if it is missing or `-`
    file: Option<PathBuf>,
    /// What may be assumed about the parameters, in isl's notation
    #[arg(long, value_name = "SET")]
    context: Option<String>,
    /// The option for all loops of a schedule relation that comes without options
    #[arg(long, value_enum)]
    loops: Option<Loops>,
    /// The test of a loop is a conjunction of constraints without divisions (isl's atomic-upper-bound, off)
    #[arg(long)]
    no_atomic_upper_bound: bool,
    /// Every division is a floor (isl's prefer-pdiv, off)
    #[arg(long)]
    no_prefer_pdiv: bool,
    /// Conditions that the bounds of inner loops enforce are tested outside of them (isl's exploit-nested-bounds, off)
    #[arg(long)]
    no_exploit_nested_bounds: bool,
    /// Of those conditions the ones on parameters alone are tested outside
    #[arg(long)]
    invariant_conditions_outside: bool,
    /// Loops with a stride keep it (isl's scale-strides, off)
    #[arg(long)]
    no_scale_strides: bool,
    /// No `else` (isl's allow-else, off)
    #[arg(long)]
    no_allow_else: bool,
    /// No disjunctions in conditions (isl's allow-or, off)
    #[arg(long)]
    no_allow_or: bool,
    /// Which bounds of a loop its separation cuts along
    #[arg(long, value_enum, default_value_t = Bounds::Implicit)]
    separation_bounds: Bounds,
    /// Instances with the same time stay in one loop
    #[arg(long)]
    group_coscheduled: bool,
    /// The most copies of statements that separation and unrolling may lead to; loops are then separated where that
    /// pays
    #[arg(long, value_name = "N")]
    max_copies: Option<usize>,
    /// The type of iterators
    #[arg(long, value_name = "TYPE", default_value = "int")]
    iterator_type: String,
    /// The unsigned type of the same width, for divisions whose dividend is known not to be negative
    #[arg(long, value_name = "TYPE")]
    unsigned: Option<String>,
    /// Print the schedule before the code, as a comment
    #[arg(long)]
    show_schedule: bool,
    /// Leave out the definitions of `floord`, `mod`, `min` and `max`
    #[arg(long)]
    no_macros: bool,
    /// The most elementary operations to take
    #[arg(long, value_name = "N", default_value_t = 5_000_000_000)]
    budget: u64,
}

/// Bounds for separation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Bounds {
    /// Those that are written down for the loop
    Explicit,
    /// Those too that follow from constraints on inner loops
    Implicit,
}

impl Arguments {
    fn style(&self) -> CStyle {
        CStyle { iterator: self.iterator_type.clone(), unsigned: self.unsigned.clone(), ..CStyle::default() }
    }

    fn options(&self) -> AstOptions {
        AstOptions {
            atomic_upper_bound: !self.no_atomic_upper_bound,
            prefer_pdiv: !self.no_prefer_pdiv,
            exploit_nested_bounds: !self.no_exploit_nested_bounds,
            invariant_conditions_outside: self.invariant_conditions_outside,
            scale_strides: !self.no_scale_strides,
            allow_else: !self.no_allow_else,
            allow_or: !self.no_allow_or,
            separation_bounds: match self.separation_bounds {
                Bounds::Explicit => SeparationBounds::Explicit,
                Bounds::Implicit => SeparationBounds::Implicit,
            },
            group_coscheduled: self.group_coscheduled,
            max_copies: self.max_copies,
            ..AstOptions::default()
        }
    }
}

/// How loops are generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Loops {
    /// No statement is duplicated
    Atomic,
    /// The same statements in every iteration of a loop
    Separate,
    /// No loops
    Unroll,
}

/// Runs the subcommand: the code.
pub(crate) fn run(arguments: &Arguments) -> Result<String, String> {
    let budget = Budget::new(arguments.budget);
    let (name, text) = input::read(arguments.file.as_deref())?;
    input::note_ignored(&name, &text);
    let error = |e| format!("{name}: {e:#}");
    let mut context = match &arguments.context {
        Some(text) => Some(Set::parse(text, &budget).map_err(|e| format!("--context: {e:#}"))?),
        None => None,
    };
    let mut shown = String::new();
    let unit = if is_yaml(&text) {
        let tree = ScheduleTree::from_yaml(&text, &budget).map_err(error)?;
        shown += &tree.to_string();
        if !sites(&tree).map_err(|e| format!("{name}: {e}"))?.is_empty() {
            let program = Program::new(&tree, context.as_ref(), &arguments.options(), &budget);
            let program = program.map_err(|e| format!("{name}: {e}"))?;
            let macros = if arguments.no_macros { String::new() } else { program.macros() };
            return Ok(with_schedule(arguments, &shown, &(macros + &program.to_cuda(&arguments.style()))));
        }
        builder(context, arguments).build(&tree, &budget)
    } else {
        let mut objects = objects(&text).into_iter();
        let schedule = objects.next().ok_or_else(|| format!("{name}: there is no schedule"))?;
        let schedule = UnionMap::parse(schedule, &budget).map_err(error)?;
        if let Some(text) = objects.next() {
            let set = Set::parse(text, &budget).map_err(error)?;
            context = Some(match context {
                None => set,
                Some(context) => context.intersect(&set, &budget).map_err(error)?,
            });
        }
        let options = match objects.next() {
            Some(text) => Some(UnionMap::parse(text, &budget).map_err(error)?),
            None => arguments.loops.map(|loops| uniform(&schedule, loops, &budget)).transpose().map_err(error)?,
        };
        if let Some(more) = objects.next() {
            return Err(format!("{name}: after schedule, context and options there is more: {more}"));
        }
        shown += &format!("{schedule}\n");
        builder(context, arguments).build_relation(&schedule, options.as_ref(), &budget)
    };
    let unit = unit.map_err(|e| format!("{name}: {e}"))?;
    let macros = if arguments.no_macros { String::new() } else { unit.macros() };
    Ok(with_schedule(arguments, &shown, &(macros + &unit.to_c(&arguments.style()))))
}

/// Code behind the schedule as a comment, if that is wanted.
fn with_schedule(arguments: &Arguments, schedule: &str, code: &str) -> String {
    let lines = schedule.lines().filter(|_| arguments.show_schedule);
    lines.map(|line| format!("// {line}\n")).collect::<String>() + code
}

fn builder(context: Option<Set>, arguments: &Arguments) -> AstBuild {
    let build = AstBuild::new().with_options(arguments.options());
    match context {
        Some(context) => build.with_context(context),
        None => build,
    }
}

/// Whether a text is a schedule tree: its first word is the key of a node.
fn is_yaml(text: &str) -> bool {
    let mut rest = text.trim_start();
    while rest.starts_with('#') || rest.starts_with("---") {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    let rest = rest.trim_start_matches(['{', '"', '\'', ' ', '\n', '\t']);
    let word: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
    let after = rest[word.len()..].trim_start_matches(['"', '\'']).trim_start();
    matches!(&*word, "domain" | "context" | "extension") && after.starts_with(':')
}

/// The objects of a text, `[parameters] -> { ... }`, without comments.
fn objects(text: &str) -> Vec<&str> {
    let mut result = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    let mut in_comment = false;
    for (at, c) in text.char_indices() {
        in_comment = c == '#' || in_comment && c != '\n';
        match c {
            _ if in_comment => {}
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    result.push(text[start..=at].trim());
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    let rest = text[start..].trim();
    if rest.lines().any(|line| !line.trim_start().is_empty() && !line.trim_start().starts_with('#')) {
        result.push(rest);
    }
    result
}

/// One option for all components of all time vectors.
fn uniform(schedule: &UnionMap, loops: Loops, budget: &Budget) -> tessera_polyhedral::Result<UnionMap> {
    let word = match loops {
        Loops::Atomic => "atomic",
        Loops::Separate => "separate",
        Loops::Unroll => "unroll",
    };
    let times = schedule.range(budget)?.universe();
    let types = tessera_polyhedral::relation::UnionSet::parse(&format!("{{ {word}[x] }}"), budget)?;
    UnionMap::from_domain_and_range(&times, &types, budget)
}
