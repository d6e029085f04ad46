//! Dependence analysis. Its operands are the accesses and the schedule of a program, which random relations are not: these operations
//! are for the corpus only ([`find`](super::find) knows them, [`all`](super::all) does not); random programs are judged by
//! enumeration in the tests of the library.

use super::Arg::UMap;
use super::{Answer, Call, Judge, Operation, operations};
use crate::isl::{self, Give1, Give2, Kind, Object, P};
use crate::value::Value;
use tessera_polyhedral::error::Result;
use tessera_polyhedral::flow::{AccessInfo, AccessOrder};
use tessera_polyhedral::relation::UnionMap;
use tessera_polyhedral::space::Space;

operations! {
    // Sinks, must-sources, schedule.
    "flow.value_based" "dataflow" (UMap, UMap, UMap) custom(value_based)
        |x, b| info(x, Role::Must)?.compute_flow(b).map(|flow| flow.full_may_dependence().clone());
    "flow.live_in" "dataflow" (UMap, UMap, UMap) custom(live_in)
        |x, b| info(x, Role::Must)?.compute_flow(b).map(|flow| flow.may_no_source().clone());
    // Sinks, may-sources, schedule.
    "flow.memory_based" "memory-based dependences" (UMap, UMap, UMap) custom(memory_based)
        |x, b| info(x, Role::May)?.compute_flow(b).map(|flow| flow.full_may_dependence().clone());
}

/// What the sources are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Must,
    May,
}

fn info(x: &[Value], role: Role) -> Result<AccessInfo> {
    let nothing = UnionMap::empty(&Space::params::<&str>(&[]));
    let sources = x[1].union_map()?.clone();
    let (must_source, may_source) = match role {
        Role::Must => (sources, nothing.clone()),
        Role::May => (nothing.clone(), sources),
    };
    let (sink, order) = (x[0].union_map()?.clone(), AccessOrder::Map(x[2].union_map()?.clone()));
    Ok(AccessInfo { sink, must_source, may_source, kill: nothing, order })
}

fn analyse<'l>(x: &[Object<'l>], set: &'static str, get: &'static str) -> isl::Result<Answer<'l>> {
    let isl = x[0].isl();
    // SAFETY: isl declares these functions with these signatures; a flow is freed after it has been asked.
    unsafe {
        let from: Give1 = isl.function("isl_union_access_info_from_sink")?;
        let sources: Give2 = isl.function(set)?;
        let schedule: Give2 = isl.function("isl_union_access_info_set_schedule_map")?;
        let compute: Give1 = isl.function("isl_union_access_info_compute_flow")?;
        let ask: Give1 = isl.function(get)?;
        let free: Give1 = isl.function("isl_union_flow_free")?;
        let access: P = schedule(sources(from(x[0].take()), x[1].take()), x[2].take());
        let flow = compute(access);
        if flow.is_null() {
            return Err(isl.failure());
        }
        let result = isl.object(Kind::UnionMap, ask(flow));
        free(flow);
        Ok(Answer::Object(result?))
    }
}

fn value_based<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    analyse(x, "isl_union_access_info_set_must_source", "isl_union_flow_get_full_may_dependence")
}

fn live_in<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    analyse(x, "isl_union_access_info_set_must_source", "isl_union_flow_get_may_no_source")
}

fn memory_based<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    analyse(x, "isl_union_access_info_set_may_source", "isl_union_flow_get_full_may_dependence")
}
