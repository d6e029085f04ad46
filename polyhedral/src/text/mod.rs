//! isl's textual notation for sets, maps, unions of them and quasi-affine functions, both ways.
//!
//! Examples: `[n] -> { S[i, j] -> A[i + 1] : 0 <= i < n and j mod 2 = 0 }`, `{ S[i]; T[] }`, `{ [i] -> [(floor((i)/32))] }`.
//!
//! Reading: every object has `parse(text, budget)` and implements `FromStr` (with a budget of [`PARSE_BUDGET`] units). Errors
//! carry line, column, what was expected and the offending text. Writing: every object implements `Display`;
//! the text is deterministic, and reading it gives an equal object.

mod compare;
mod functions;
mod grammar;
mod lexer;
mod lower;
mod object;
mod parser;
mod pieces;
mod polynomials;
mod print_functions;
mod printer;
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
mod yaml_schedule;

pub use object::Object;
pub(crate) use printer::{column_names, conditions};
pub use read::PARSE_BUDGET;
pub(crate) use yaml::{Document, Yaml, quoted};
pub use yaml_objects::{AccessInfo, AccessOrder, FlowInfo, ScheduleConstraints};
pub(crate) use yaml_schedule::tree as schedule_tree;

pub(crate) use lexer::{error_at, place};
pub(crate) use polynomials::looks_like_polynomial;
