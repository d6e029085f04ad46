//! Quasi-affine functions: affine expressions with rational coefficients and integer divisions.
//!
//! | | one value | a tuple of values |
//! | --- | --- | --- |
//! | total | [`Aff`] | [`MultiAff`] |
//! | piecewise, the pieces shared by all components | [`PwAff`] | [`PwMultiAff`] |
//! | over several spaces of arguments | [`UnionPwAff`] | [`UnionPwMultiAff`] (several tuples of the result), [`MultiUnionPwAff`] |
//!
//! All are partial functions with exact rational values. Binary operations are defined where both operands are; those whose
//! name begins with `union` where one of them is. Parameters are aligned by name.

mod aff;
mod aff_arith;
mod compare;
mod component;
mod dims;
mod expression;
mod from_map;
mod gist;
mod graph;
mod lexopt;
mod multi;
mod multi_aff;
mod multi_pw_aff;
mod multi_union_pw_aff;
mod optima;
mod optimum;
mod piecewise;
mod preimage;
mod print;
mod products;
mod pw_aff;
mod pw_multi_aff;
mod reduce;
mod substitution;
mod union;
mod union_ops;

pub use aff::Aff;
pub use component::Component;
pub use expression::Expression;
pub use multi::{Multi, MultiPwAff, MultiUnionPwAff};
pub use multi_aff::MultiAff;
pub use piecewise::{Piecewise, PwAff};
pub use pw_multi_aff::PwMultiAff;
pub use union::{UnionPiecewise, UnionPwAff, UnionPwMultiAff};
