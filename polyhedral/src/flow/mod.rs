//! Dependence analysis: which instance of which statement gets its value, or the right to write, from which other.
//!
//! # The question
//!
//! Given are accesses of statement instances to array elements in three roles: *sinks*, whose dependences are looked for; *sources*,
//! which happen certainly (must) or possibly (may); and *kills*, which end the life of a value; and the order of the
//! instances, as a map to points in time or as a schedule tree. An answer is a set of triples (source, sink, element) with the source
//! strictly before the sink and no kill in between ([`AccessInfo::compute_flow`]). The choice
//! of the roles makes it any of the usual analyses ([`Accesses`] has them by name):
//!
//! | sink | source | kill | result |
//! | --- | --- | --- | --- |
//! | reads | writes | | memory-based flow dependences |
//! | reads | writes (must and may) | pure kills | value-based flow dependences, and what is live-in |
//! | writes | reads, writes | must-writes | anti and output dependences without those that others imply |
//! | must-writes, kills | writes | | writes that do not reach the end |
//!
//! # Example
//!
//! ```
//! # use tessera_polyhedral::budget::Budget;
//! # use tessera_polyhedral::relation::UnionMap;
//! # use tessera_polyhedral::flow::AccessInfo;
//! # let budget = Budget::new(50_000_000);
//! // for i in 0..n: { S: t = f(i);  T: g(t) }
//! let input = "{ sink: \"[n] -> { T[i] -> t[] : 0 <= i < n }\", must_source: \"[n] -> { S[i] -> t[] : 0 <= i < n }\",
//!   schedule_map: \"{ S[i] -> [i, 0]; T[i] -> [i, 1] }\" }";
//! let flow = AccessInfo::parse(input, &budget)?.compute_flow(&budget)?;
//! let expected = UnionMap::parse("[n] -> { S[i] -> T[i] : 0 <= i < n }", &budget)?;
//! assert!(flow.must_dependence(&budget)?.is_equal(&expected, &budget)?);
//! assert!(flow.may_no_source().is_empty(&budget)?);
//! # Ok::<(), tessera_polyhedral::Error>(())
//! ```
//!
//! # Parts
//!
//! `times` turns the order into time vectors, `site` accesses into rows, `pairs` builds the systems of a sink and a source, `engine`
//! decides which dependences there are, `result` puts them together. [`memory_dependences`] is the older, access by
//! access form for callers that want every pair of accesses apart.

mod accesses;
mod engine;
mod filters;
mod input;
mod memory;
mod pairs;
mod read;
mod result;
mod site;
mod strictly_before;
mod times;

pub use accesses::{Accesses, Reordering, untagged};
pub use filters::Filter;
pub use input::{AccessInfo, AccessOrder};
pub use memory::{Access, AccessKind, Dependence, Dependences, carried_at, distance_bounds, memory_dependences};
pub use result::{Flow, FlowInfo};
