//! Quasi-affine functions: affine expressions with rational coefficients and integer divisions ([`Aff`]), tuples of them
//! ([`MultiAff`]) and piecewise ones ([`PwAff`]).

mod aff;
mod multi;
mod pw;

pub use aff::Aff;
pub use multi::MultiAff;
pub use pw::PwAff;
