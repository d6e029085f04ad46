//! `polycalc schedule`: computes a schedule tree from schedule constraints, as isl's program `isl_schedule` does.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgAction, Args, ValueEnum};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::error::Error;
use tessera_polyhedral::relation::UnionMap;
use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::scheduler::{Algorithm, Fusion, Options, ScheduleConstraints, schedule, schedule_chains};

use crate::input;
use crate::tree::Form;

/// The values of `--schedule-algorithm`.
#[derive(Clone, Copy, ValueEnum)]
enum AlgorithmName {
    Isl,
    Feautrier,
}

/// The values of `--schedule-fuse`.
#[derive(Clone, Copy, ValueEnum)]
enum FusionName {
    /// Fuse what is connected (isl's name for `smart` without `--schedule-whole-component`)
    Max,
    /// No fusion between strong components (isl's name for `none`)
    Min,
    /// No fusion between strong components
    None,
    /// Fuse step by step where nothing is lost
    Smart,
    /// Schedule connected statements as a whole
    Whole,
}

macro_rules! switches {
    ($($field:ident $no:ident $long:literal $no_long:literal $help:literal;)+) => {
        /// Switches of isl: each with its opposite `--no-...`; the last one counts.
        #[derive(Args)]
        struct Switches {
            $(
                #[doc = $help]
                #[arg(long = $long, overrides_with = stringify!($no), action = ArgAction::SetTrue)]
                $field: bool,
                #[arg(long = $no_long, overrides_with = stringify!($field), action = ArgAction::SetTrue, hide = true)]
                $no: bool,
            )+
        }

        impl Switches {
            fn apply(&self, options: &mut Options) {
                $(if self.$field || self.$no {
                    options.$field = self.$field;
                })+
            }
        }
    };
}

switches! {
    outer_coincidence no_outer_coincidence "schedule-outer-coincidence" "no-schedule-outer-coincidence"
        "The first member of every band must be coincident [off]";
    maximize_band_depth no_maximize_band_depth "schedule-maximize-band-depth" "no-schedule-maximize-band-depth"
        "Give up fusion rather than members of a band [off]";
    maximize_coincidence no_maximize_coincidence "schedule-maximize-coincidence" "no-schedule-maximize-coincidence"
        "Give up fusion rather than coincident members [off]";
    split_scaled no_split_scaled "schedule-split-scaled" "no-schedule-split-scaled"
        "Divide rows that carry constraints by their common factor [on]";
    treat_coalescing no_treat_coalescing "schedule-treat-coalescing" "no-schedule-treat-coalescing"
        "Avoid rows that traverse two loops one after the other [on]";
    whole_component no_whole_component "schedule-whole-component" "no-schedule-whole-component"
        "Schedule connected statements as a whole instead of step by step [off]";
    serialize_sccs no_serialize_sccs "schedule-serialize-sccs" "no-schedule-serialize-sccs"
        "No fusion between strong components [off]";
    carry_self_first no_carry_self_first "schedule-carry-self-first" "no-schedule-carry-self-first"
        "Carry constraints of statements on themselves first [on]";
    parametric no_parametric "schedule-parametric" "no-schedule-parametric"
        "Parameters may occur in rows of the schedule [on]";
    separate_components no_separate_components "schedule-separate-components" "no-schedule-separate-components"
        "With `--print map`: components that are not ordered have different points in time [on]";
    verify no_verify "verify" "no-verify"
        "Check the result against the validity constraints [on]";
}

/// The arguments of `polycalc schedule`.
#[derive(Args)]
pub(super) struct Arguments {
    /// The file with the constraints in YAML; standard input if it is missing or `-`
    file: Option<PathBuf>,
    /// The greatest coefficient of a variable or parameter, -1 for no limit
    #[arg(long = "schedule-max-coefficient", value_name = "N", allow_hyphen_values = true, default_value_t = -1)]
    max_coefficient: i64,
    /// The greatest constant term, -1 for no limit
    #[arg(long = "schedule-max-constant-term", value_name = "N", allow_hyphen_values = true, default_value_t = -1)]
    max_constant_term: i64,
    /// How a dimension of the schedule is found
    #[arg(long = "schedule-algorithm", value_enum, default_value = "isl")]
    algorithm: AlgorithmName,
    /// How much is fused
    #[arg(long = "schedule-fuse", value_enum)]
    fuse: Option<FusionName>,
    #[command(flatten)]
    switches: Switches,
    /// The original schedule, as a tree in YAML or a map: chains of statements that it always runs one after the other are scheduled as
    /// one, and their order is kept
    #[arg(long, value_name = "FILE")]
    group_chains: Option<PathBuf>,
    /// Print a drawing for people instead of YAML
    #[arg(long, overrides_with = "print")]
    draw: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = Form::Yaml, overrides_with = "draw")]
    print: Form,
    /// The most elementary operations that may be taken
    #[arg(long, value_name = "N", default_value_t = 5_000_000_000)]
    budget: u64,
}

/// The meaning of a limit: -1 is none.
fn limit(name: &str, value: i64) -> Result<Option<u32>, String> {
    match value {
        -1 => Ok(None),
        _ => u32::try_from(value).map(Some).map_err(|_| format!("{name} must be -1 or from 0 to {}", u32::MAX)),
    }
}

impl Arguments {
    fn options(&self) -> Result<Options, String> {
        let mut options = match self.fuse {
            None | Some(FusionName::Max | FusionName::Smart) => Options::default(),
            Some(FusionName::Min | FusionName::None) => Options::default().with_fusion(Fusion::None),
            Some(FusionName::Whole) => Options::default().with_fusion(Fusion::Max),
        };
        self.switches.apply(&mut options);
        options.max_coefficient = limit("--schedule-max-coefficient", self.max_coefficient)?;
        options.max_constant_term = limit("--schedule-max-constant-term", self.max_constant_term)?;
        options.algorithm = match self.algorithm {
            AlgorithmName::Isl => Algorithm::Isl,
            AlgorithmName::Feautrier => Algorithm::Feautrier,
        };
        Ok(options)
    }

    fn result(&self) -> Result<String, String> {
        let options = self.options()?;
        let (name, text) = input::read(self.file.as_deref())?;
        let budget = Budget::new(self.budget);
        let constraints = ScheduleConstraints::parse(&text, &budget).map_err(|e| match &e {
            Error::Parse(e) => format!("{name}: {e:#}"),
            e => format!("{name}: {e}"),
        })?;
        let error = |e: Error| format!("{name}: {e}");
        let tree = match &self.group_chains {
            None => schedule(&constraints, &options, &budget).map_err(error)?,
            Some(path) => {
                let original = original(path, &budget)?;
                schedule_chains(&constraints, &original, &options, &budget).map_err(error)?
            }
        };
        Ok(match self.print {
            _ if self.draw => tree.to_string(),
            Form::Drawing => tree.to_string(),
            Form::Yaml => tree.to_yaml(),
            Form::Map if options.separate_components => tree.to_map(&budget).map_err(error)?.to_string(),
            Form::Map => tree.to_map_with_joint_components(&budget).map_err(error)?.to_string(),
        })
    }
}

/// A schedule from a file: a tree in YAML, or a map to points in time.
fn original(path: &Path, budget: &Budget) -> Result<ScheduleTree, String> {
    let (name, text) = input::read(Some(path))?;
    let error = |e: Error| format!("{name}: {e:#}");
    if text.contains("domain") {
        return ScheduleTree::from_yaml(&text, budget).map_err(error);
    }
    let map = UnionMap::parse(text.trim(), budget).map_err(error)?;
    ScheduleTree::from_kelly(&map, budget).map_err(error)
}

/// Runs the subcommand.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    match arguments.result() {
        Ok(text) => {
            super::print(text.trim_end());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("polycalc: {error}");
            ExitCode::FAILURE
        }
    }
}
