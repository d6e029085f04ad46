//! isl's textual notation for sets, maps, unions of them and quasi-affine functions: its reader; and YAML.
//!
//! Examples: `[n] -> { S[i, j] -> A[i + 1] : 0 <= i < n and j mod 2 = 0 }`, `{ S[i]; T[] }`, `{ [i] -> [(floor((i)/32))] }`.
//!
//! Reading: every object has `parse(text, budget)` and implements `FromStr` (with a budget of [`PARSE_BUDGET`] units). Errors
//! carry line, column, what was expected and the offending text. Writing: every object implements `Display`, in the room of the
//! object; that text is deterministic, and reading it gives an equal object.
//!
//! Here are the notation and what all YAML has in common. The rooms above read their own objects with it: schedule trees, the input
//! of dependence analysis and of the scheduler, SCoPs, targets.

mod compare;
mod functions;
mod grammar;
mod lexer;
mod lower;
mod object;
mod parser;
mod pieces;
mod polynomials;
mod read;
mod shared_names;
mod syntax;
mod tuples;
mod tuples_of_functions;
mod value;
mod yaml;
mod yaml_objects;
mod yaml_reader;
mod yaml_scalars;

pub use object::Object;
pub use read::PARSE_BUDGET;
pub(crate) use yaml::{Document, Yaml, YamlValue, quoted};
pub(crate) use yaml_objects::{from_str, line, line_of_map, map, set};

pub(crate) use lexer::{error_at, place};
pub(crate) use polynomials::looks_like_polynomial;
