//! Schedules in a short form for comparisons.

use tessera_polyhedral::affine::Aff;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::UnionMap;
use tessera_polyhedral::schedule::{Band, ScheduleTree};
use tessera_polyhedral::scheduler::{Options, ScheduleConstraints, schedule};

pub(crate) fn budget() -> Budget {
    Budget::new(2_000_000_000)
}

/// Constraints where the same relation is validity, proximity and coincidence.
pub(crate) fn constraints(domain: &str, dependences: &str) -> ScheduleConstraints {
    let mut result = ScheduleConstraints::parse(&format!("domain: \"{domain}\""), &budget()).unwrap();
    let relation = UnionMap::parse(dependences, &budget()).unwrap();
    result.validity = relation.clone();
    result.proximity = relation.clone();
    result.coincidence = relation;
    result
}

pub(crate) fn run(constraints: &ScheduleConstraints, options: &Options) -> ScheduleTree {
    schedule(constraints, options, &budget()).unwrap()
}

/// The text of an expression without its space.
pub(crate) fn text(aff: &Aff) -> String {
    let text = aff.to_string();
    let value = text.rsplit_once("->").map_or(text.as_str(), |(_, value)| value);
    value.chars().filter(|c| !" {}[]()".contains(*c)).collect()
}

/// Members of a band as `S:i T:j` with the statements in order, and the flags.
pub(crate) fn shown(band: &Band) -> String {
    let members: Vec<String> = band
        .members()
        .iter()
        .map(|m| {
            m.exprs()
                .map(|(name, aff)| format!("{name}:{}", text(aff.as_total().unwrap())))
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    let flags: String = band.members().iter().map(|m| if m.coincident { '1' } else { '0' }).collect();
    let kind = if band.permutable { "permutable" } else { "ordered" };
    format!("{} / {kind} {flags}", members.join(" / "))
}

pub(crate) fn bands(tree: &ScheduleTree) -> Vec<String> {
    tree.bands().iter().map(|(_, band)| shown(band)).collect()
}

/// The greatest coefficient of a variable in all bands.
pub(crate) fn greatest_coefficient(tree: &ScheduleTree) -> i64 {
    let mut greatest = 0;
    for (_, band) in tree.bands() {
        for (_, aff) in band.members().iter().flat_map(|m| m.exprs()) {
            let aff = aff.as_total().unwrap();
            let first = 1 + aff.space().param_names().len();
            let coefficients = aff.row()[first..].iter().filter_map(|x| x.to_i64());
            greatest = coefficients.map(i64::abs).chain([greatest]).max().unwrap_or(0);
        }
    }
    greatest
}
