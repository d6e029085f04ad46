//! isl's dependence analysis, all four results.

use super::functions::{Give1, Give2, P};
use super::{Isl, Kind, Object, Result};

/// The accesses and the order of a program, as texts of union maps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowInput {
    /// Sinks.
    pub sink: String,
    /// Must-sources.
    pub must_source: String,
    /// May-sources.
    pub may_source: String,
    /// Kills.
    pub kill: String,
    /// Points in time of the instances.
    pub schedule: String,
}

impl Isl {
    /// Must- and may-dependences with the element, and the sinks that must- and may-sources leave open.
    pub fn flow(&self, input: &FlowInput) -> Result<[Object<'_>; 4]> {
        let read = |text: &str| self.read(Kind::UnionMap, text);
        let (sink, schedule) = (read(&input.sink)?, read(&input.schedule)?);
        let (must, may, kill) = (read(&input.must_source)?, read(&input.may_source)?, read(&input.kill)?);
        // SAFETY: isl declares these functions with these signatures; they take their arguments, apart from those that
        // ask the flow, which is freed after they have.
        unsafe {
            let from: Give1 = self.function("isl_union_access_info_from_sink")?;
            let mut access: P = from(sink.take());
            for (name, object) in [
                ("isl_union_access_info_set_must_source", &must),
                ("isl_union_access_info_set_may_source", &may),
                ("isl_union_access_info_set_kill", &kill),
                ("isl_union_access_info_set_schedule_map", &schedule),
            ] {
                access = self.function::<Give2>(name)?(access, object.take());
            }
            let flow = self.function::<Give1>("isl_union_access_info_compute_flow")?(access);
            if flow.is_null() {
                return Err(self.failure());
            }
            let get = |name: &'static str| -> Result<Object<'_>> {
                self.object(Kind::UnionMap, self.function::<Give1>(name)?(flow))
            };
            let results = (
                get("isl_union_flow_get_full_must_dependence"),
                get("isl_union_flow_get_full_may_dependence"),
                get("isl_union_flow_get_must_no_source"),
                get("isl_union_flow_get_may_no_source"),
            );
            self.function::<Give1>("isl_union_flow_free")?(flow);
            Ok([results.0?, results.1?, results.2?, results.3?])
        }
    }
}
