//! Counting the points of sets and the images of points under maps, exactly and for all values of the parameters.
//!
//! The number of points of a bounded set is a piecewise *quasi-polynomial* of the parameters: a polynomial with rational
//! coefficients in the parameters and in integer divisions of them. [`Set::card`](crate::relation::Set::card) computes it by
//! symbolic summation (see `sum`): sums of powers between affine bounds are Faulhaber's polynomials, where bounds compete the
//! set is split, where integer divisions depend on the variable it is split into residue classes. So boxes, triangles and
//! tiles of any size cost what their shape costs, not what they contain.
//! [`Set::count`](crate::relation::Set::count) is the same for fixed parameters, a number. [`PwQPolynomial::sum`] and
//! [`Map::sum_over_images`](crate::relation::Map::sum_over_images) sum the values of such a function in the same way.
//!
//! Sources: P. Clauss, *Counting Solutions to Linear and Nonlinear Constraints through Ehrhart Polynomials*, ICS 1996;
//! W. Pugh, *Counting Solutions to Presburger Formulas: How and Why*, PLDI 1994; R. Graham, D. Knuth, O. Patashnik,
//! *Concrete Mathematics*, section 6.5 (sums of powers).

mod arithmetic;
mod cardinality;
mod polynomial;
mod print;
mod quasi;
mod sum;
mod weighted;

pub(crate) use polynomial::{Polynomial, Var};
pub use quasi::{PwQPolynomial, QPolynomial, UnionPwQPolynomial};
