//! SCoPs in isl notation, for `print<tessera>` and the option `print`.

use crate::detect::scev::names;
use crate::device::DevicePlan;
use crate::host::{Analyses, Loop};
use crate::model::data;
use crate::model::row_tables::Purpose;
use crate::model::scop::Scop;
use crate::optimise::Plan;
use crate::reasons::Rejection;
use std::fmt::Write;
use tessera_polyhedral::budget::Budget;

/// A nest that is no SCoP: why.
pub fn rejection(analyses: &Analyses<'_>, nest: Loop, rejection: &Rejection) -> String {
    let function = analyses.function().name();
    let line = rejection.location.clone().or_else(|| nest.location());
    let place = line.map_or(String::new(), |location| format!(", line {}", location.line));
    format!("no scop: {function}{place}: {}: {}\n", rejection.reason.name(), rejection.reason)
}

/// A SCoP as data, in the form that the library reads, with what was found out about it in comments: how tables of rows are read,
/// dependences, schedule and code.
pub fn scop(scop: &Scop, plan: &Plan, budget: &Budget) -> String {
    let mut comments = String::new();
    // Writing to a string cannot fail; a failure would only shorten the print.
    let _ = write_comments(&mut comments, scop, plan, budget);
    let comments: Vec<String> = comments.lines().map(|line| format!("# {line}").trim_end().to_owned()).collect();
    match data::assumptions(scop, budget) {
        Ok(assumptions) => {
            let data = tessera_polyhedral::scop::Scop { assumptions, ..plan.data.clone() };
            format!("---\n{data}{}\n", comments.join("\n"))
        }
        Err(reason) => format!("---\n{}# assumptions: {reason}\n{}\n", plan.data, comments.join("\n")),
    }
}

/// The steps to the order of a nest on a device, the code of the host and of the kernels, in comments.
pub fn device(plan: &DevicePlan) -> String {
    let text = format!("{}{}", plan.mapped.log, plan.program);
    let lines = text.lines().map(|line| format!("#   {line}").trim_end().to_owned() + "\n");
    format!("# device: {}\n{}", plan.summary(), lines.collect::<String>())
}

fn write_comments(text: &mut String, scop: &Scop, plan: &Plan, budget: &Budget) -> std::fmt::Result {
    for (index, visit) in scop.visits.iter().enumerate() {
        match &visit.purpose {
            Purpose::Rows(array) => writeln!(text, "rows of {}: {}", scop.arrays[*array].name, visit.name)?,
            Purpose::Numbers { checks, .. } => {
                for check in checks {
                    let a = &check.assumption;
                    let (rest, sign) = (a.rest.display(names(&scop.params)), if a.sign < 0 { '-' } else { '+' });
                    let domain =
                        check.domain.gist_params(&scop.context, budget).unwrap_or_else(|_| check.domain.clone());
                    writeln!(text, "assumption: {} <= {rest} {sign} {} <= {} on {domain}", a.low, visit.name, a.high)?;
                }
            }
        }
        for table in scop.tables.iter().filter(|table| table.visit == index) {
            for written in &table.written {
                let written = &scop.arrays[*written].name;
                writeln!(text, "assumption: table {} of {} is not in {written}", table.level, visit.name)?;
            }
        }
        writeln!(text, "{} known at: {}", visit.name, visit.first)?;
    }
    for dependence in &plan.dependences {
        let what = if dependence.reduction { "reduction" } else { "dependence" };
        let map = dependence.map.coalesce(budget).and_then(|map| map.gist_params(&scop.context, budget));
        match map {
            Ok(map) => writeln!(text, "{what}: {map}")?,
            Err(error) => writeln!(text, "{what}: {error}")?,
        }
    }
    match &plan.tree {
        None => {
            if let Some(reason) = &plan.refusal {
                writeln!(text, "schedule after: unchanged: {}: {reason}", reason.name())?;
            }
        }
        Some(tree) => {
            if !plan.log.steps.is_empty() {
                write!(text, "log:\n{}", plan.log)?;
            }
            writeln!(text, "schedule after:\n{tree}")?;
            text.push_str(&plan.buffers);
            match scop.ast_build().build_with(tree, &mut plan.places.hooks(budget), budget) {
                Ok(unit) => writeln!(text, "code:\n{unit}")?,
                Err(error) => writeln!(text, "code: {error}")?,
            }
        }
    }
    Ok(())
}
