//! `last A before B under S` and `any A before B under S`: dependence analysis in the calculator.

use crate::budget::Budget;
use crate::flow::{AccessInfo, AccessOrder};
use crate::relation::UnionMap;

use super::operators::{Failure, Outcome};
use super::value::Value;

/// The accesses `source` before the accesses `sink` to the same element, under a schedule map.
///
/// With `last` only the last one before each: the list of the dependences and of the sinks that have none. Otherwise all of them.
pub(super) fn dependences(last: bool, operands: [&Value; 3], budget: &Budget) -> Outcome {
    let [source, sink, schedule] = operands;
    let source = relation(source, "before `before`")?;
    let nothing = UnionMap::empty(source.params_space());
    let (must_source, may_source) = if last { (source, nothing.clone()) } else { (nothing.clone(), source) };
    let info = AccessInfo {
        sink: relation(sink, "behind `before`")?,
        must_source,
        may_source,
        kill: nothing,
        order: AccessOrder::Map(relation(schedule, "behind `under`")?),
    };
    let flow = info.compute_flow(budget)?;
    Ok(if last {
        Value::List(vec![flow.may_dependence(budget)?.into(), flow.may_no_source().clone().into()])
    } else {
        flow.may_dependence(budget)?.into()
    })
}

fn relation(value: &Value, place: &str) -> Result<UnionMap, Failure> {
    match value {
        Value::Map(map) => Ok(map.clone()),
        nothing if nothing.is_nothing() => Ok(UnionMap::default()),
        other => Err(Failure::Message(format!("expected a map {place}, found a {}", other.type_name()))),
    }
}
