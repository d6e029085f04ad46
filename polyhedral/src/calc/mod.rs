//! A calculator for sets and relations: statements in the syntax of iscc, results in isl's notation.
//!
//! ```
//! use tessera_polyhedral::calc::Calculator;
//! let mut calculator = Calculator::new(10_000_000);
//! let mut printed = Vec::new();
//! calculator.run("R := { [i] -> [i + 1] : 0 <= i < 9 }; dom R - ran R;", &mut |line| printed.push(line)).unwrap();
//! assert_eq!(printed, ["{ [i = 0] }"]);
//! ```
//!
//! A statement is `name := expression`, `print expression` or an expression, whose value is printed. It ends with `;`
//! or with the line, unless the line stops inside a bracket or beside an operator. As in iscc, all binary operators
//! bind equally and from left to right, except that comparisons (`=`, `<=`, ...) come last; names of functions
//! (`dom R`) and what stands behind an operand (`R^-1`, `R(S)`) bind tighter. The manual page `docs/polycalc.md` lists
//! every operator and function.
//!
//! No input or output: results go to a callback, files are read through [`Files`]. Every statement has a [`Budget`] of
//! its own. Everything wrong in a text is a [`CalcError`] with line and column.
//!
//! Syntax and meaning follow S. Verdoolaege, "Counting Affine Calculator and Applications", IMPACT 2011.

mod codegen;
mod counts;
mod dependences;
mod error;
mod eval;
mod functions;
mod operators;
mod parser;
mod token;
mod value;

use std::collections::BTreeMap;

use crate::budget::Budget;

pub use error::CalcError;
pub use functions::{Function, functions};
pub use parser::is_complete;
pub use value::Value;

/// The deepest nesting of `source` statements.
const MAX_SOURCES: usize = 16;

/// Where `source`, `read` and `parse_file` get their texts from.
pub trait Files {
    /// The content of a file, or why it cannot be read.
    fn read(&mut self, name: &str) -> Result<String, String>;
}

/// No files at all.
struct NoFiles;

impl Files for NoFiles {
    fn read(&mut self, _: &str) -> Result<String, String> {
        Err("files cannot be read here".into())
    }
}

/// The state of a calculation: the variables. See the module documentation.
pub struct Calculator {
    variables: BTreeMap<String, Value>,
    limit: u64,
    files: Box<dyn Files>,
    sources: usize,
}

impl Calculator {
    /// A calculator without variables and files; every statement may spend `limit` units (see [`Budget`]).
    pub fn new(limit: u64) -> Calculator {
        Calculator { variables: BTreeMap::new(), limit, files: Box::new(NoFiles), sources: 0 }
    }

    /// The same calculator with access to files.
    pub fn with_files(self, files: impl Files + 'static) -> Calculator {
        Calculator { files: Box::new(files), ..self }
    }

    /// The names of the variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().map(String::as_str)
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.variables.get(name)
    }

    /// Executes all statements of a text, in order; everything printed goes to `print`, without a line end. At the
    /// first error the rest is left out; what was assigned and printed before stays. A syntax error anywhere is found
    /// before anything runs.
    pub fn run(&mut self, text: &str, print: &mut dyn FnMut(String)) -> Result<(), CalcError> {
        for statement in parser::parse(text)? {
            let budget = Budget::new(self.limit);
            self.execute(text, &statement, &budget, print)?;
        }
        Ok(())
    }
}
