//! Conditions over polynomials become sets of the polyhedral library.
//!
//! A [`Frame`] fixes which symbols are the dimensions, in order; parameters keep their index. Every question that
//! detection and modelling ask ("can these two points touch the same element?") is a set in some frame, possibly of
//! the concatenated iteration vectors of two statements.

use crate::formula::condition::{Constraint, Dnf};
use crate::formula::poly::{Poly, Sym};
use crate::reasons::Reason;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::error::Error;
use tessera_polyhedral::relation::{Conjunction, Set};
use tessera_polyhedral::space::Space;

/// The error of the library as a reason to leave a nest alone.
pub fn library_error(error: Error) -> Reason {
    match error {
        Error::Exhausted(exhausted) => Reason::Budget { limit: exhausted.limit },
        other => Reason::Internal { message: other.to_string() },
    }
}

/// The dimensions of a set: the tuple's name and which symbol each dimension stands for.
#[derive(Clone, Debug)]
pub struct Frame {
    space: Space,
    dims: Vec<Sym>,
}

impl Frame {
    /// A frame with the given parameters and dimensions. Dimensions are named `i0`, `i1`, ...
    pub fn new(params: &Space, name: &str, dims: Vec<Sym>) -> Self {
        let names: Vec<String> = (0..dims.len()).map(|position| format!("i{position}")).collect();
        Self { space: Space::set(params, name, &names), dims }
    }

    /// A frame whose dimensions are the induction variables of these loops.
    pub fn of_loops(params: &Space, name: &str, loops: &[usize]) -> Self {
        Self::new(params, name, loops.iter().map(|index| Sym::Iv(*index)).collect())
    }

    /// The space of the sets made in this frame.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The symbols of the dimensions.
    pub fn dims(&self) -> &[Sym] {
        &self.dims
    }

    /// The constraint row `[constant | params | dims]` of an affine polynomial.
    pub fn row(&self, poly: &Poly) -> Result<Vec<Int>, Reason> {
        let n_param = self.space.param_names().len();
        let mut row = vec![Int::from(0i64); 1 + n_param + self.dims.len()];
        for (monomial, coefficient) in poly.terms() {
            let column = match monomial.as_slice() {
                [] => 0,
                [Sym::Param(index)] if *index < n_param => 1 + index,
                [symbol] => {
                    let position = self.dims.iter().position(|dim| dim == symbol);
                    1 + n_param + position.ok_or_else(|| foreign(symbol))?
                }
                _ => return Err(Reason::Internal { message: "a product where an affine expression is needed".into() }),
            };
            row[column] = Int::from(coefficient);
        }
        Ok(row)
    }

    /// The points that satisfy a condition.
    pub fn set(&self, condition: &Dnf) -> Result<Set, Reason> {
        let mut result = Set::empty(self.space.clone());
        for disjunct in condition.disjuncts() {
            let mut conjunction = Conjunction::universe(self.space.clone());
            for constraint in disjunct {
                let row = self.row(constraint.poly())?;
                match constraint {
                    Constraint::NonNegative(_) => conjunction.add_ineq(row),
                    Constraint::Zero(_) => conjunction.add_eq(row),
                }
            }
            result = result.union(&Set::from_conjunction(conjunction)).map_err(library_error)?;
        }
        Ok(result)
    }
}

fn foreign(symbol: &Sym) -> Reason {
    Reason::Internal { message: format!("{symbol:?} is not a dimension here") }
}
