//! SCoPs in isl notation, for `print<tessera>` and the option `print`.

use crate::detect::reasons::Rejection;
use crate::host::{Analyses, Loop};
use crate::model::rows::Purpose;
use crate::model::scop::{AccessKind, Scop};
use crate::optimise::Plan;
use crate::optimise::dependences::access_relation;
use std::fmt::Write;
use tessera_polyhedral::ast::AstBuild;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;

/// A nest that is no SCoP: why.
pub fn rejection(analyses: &Analyses<'_>, nest: Loop, rejection: &Rejection) -> String {
    let function = analyses.function().name();
    let line = rejection.location.clone().or_else(|| nest.location());
    let place = line.map_or(String::new(), |location| format!(", line {}", location.line));
    format!("no scop: {function}{place}: {}: {}\n", rejection.reason.name(), rejection.reason)
}

/// Everything about a SCoP: parameters, domains, accesses, dependences, schedule before and after, code.
pub fn scop(scop: &Scop, plan: &Plan, budget: &Budget) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail; a failure would only shorten the print.
    let _ = write_scop(&mut text, scop, plan, budget);
    text
}

fn write_scop(text: &mut String, scop: &Scop, plan: &Plan, budget: &Budget) -> std::fmt::Result {
    writeln!(text, "scop: {}", scop.name)?;
    writeln!(text, "context: {}", scop.context)?;
    for (index, array) in scop.arrays.iter().enumerate() {
        let sizes: String = array.sizes.iter().map(|size| format!("[{}]", size.display(&scop.params))).collect();
        if scop.is_used(index) {
            writeln!(text, "array: {}[]{sizes}, {} bytes each", array.name, array.unit)?;
        }
    }
    for statement in &scop.statements {
        writeln!(text, "domain: {}", without_context(&statement.domain, scop, budget))?;
    }
    for statement in &scop.statements {
        for access in &statement.accesses {
            let kind = match access.kind {
                AccessKind::Read => "read",
                AccessKind::Write => "write",
                AccessKind::MayWrite => "may-write",
            };
            match access_relation(scop, statement, access) {
                Ok(map) => writeln!(text, "{kind}: {map}")?,
                Err(reason) => writeln!(text, "{kind}: {reason}")?,
            }
        }
    }
    for check in &scop.checks {
        let a = &check.assumption;
        writeln!(
            text,
            "assumption: {} <= {} <= {} on {}",
            a.low,
            a.poly.display(&scop.params),
            a.high,
            without_context(&check.domain, scop, budget)
        )?;
    }
    for check in &scop.shapes {
        let (subscript, size) = (check.subscript.display(&scop.params), check.size.display(&scop.params));
        let domain = without_context(&check.domain, scop, budget);
        writeln!(text, "assumption: 0 <= {subscript}, {subscript} + {} <= {size} on {domain}", check.count)?;
    }
    for (a, b) in &scop.may_overlap {
        writeln!(text, "assumption: {} and {} do not overlap", scop.arrays[*a].name, scop.arrays[*b].name)?;
    }
    for bytes in &scop.protected {
        for array in &bytes.arrays {
            let (low, end, written) = (bytes.low, bytes.end, &scop.arrays[*array].name);
            writeln!(text, "assumption: bytes {low} to {end} at {} are not in {written}", bytes.name)?;
        }
    }
    for (index, visit) in scop.visits.iter().enumerate() {
        match &visit.purpose {
            Purpose::Rows(array) if scop.is_written(*array) => {
                writeln!(text, "assumption: rows of {} do not overlap: {}", scop.arrays[*array].name, visit.name)?;
            }
            Purpose::Rows(array) => writeln!(text, "rows of {}: {}", scop.arrays[*array].name, visit.name)?,
            Purpose::Numbers { checks, .. } => {
                for check in checks {
                    let a = &check.assumption;
                    let (rest, sign) = (a.rest.display(&scop.params), if a.sign < 0 { '-' } else { '+' });
                    let domain = without_context(&check.domain, scop, budget);
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
        writeln!(text, "known at: {}", visit.first)?;
    }
    for dependence in &plan.dependences {
        let what = if dependence.reduction { "reduction" } else { "dependence" };
        let map = dependence.map.coalesce(budget).and_then(|map| map.gist_params(&scop.context, budget));
        match map {
            Ok(map) => writeln!(text, "{what}: {map}")?,
            Err(error) => writeln!(text, "{what}: {error}")?,
        }
    }
    writeln!(text, "schedule before:\n{}", plan.original)?;
    match &plan.tree {
        None => {
            if let Some(reason) = &plan.refusal {
                writeln!(text, "schedule after: unchanged: {}: {reason}", reason.name())?;
            }
        }
        Some(tree) => {
            writeln!(text, "schedule after:\n{tree}")?;
            match AstBuild::new().with_context(scop.context.clone()).build(tree, budget) {
                Ok(unit) => writeln!(text, "code:\n{unit}")?,
                Err(error) => writeln!(text, "code: {error}")?,
            }
        }
    }
    Ok(())
}

/// The set without what the context says already; the set itself if the budget does not suffice.
fn without_context(set: &Set, scop: &Scop, budget: &Budget) -> Set {
    set.gist_params(&scop.context, budget).unwrap_or_else(|_| set.clone())
}
