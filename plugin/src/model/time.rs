//! Execution times of the original program: lexicographic vectors of positions and induction variables.
//!
//! A point inside loops `l0, l1, ...` has the time `[p0, iv(l0), p1, iv(l1), ..., pk, instruction]`, where `pi` is
//! the position of the next item in the body of the loop before it. Two points of one region are compared
//! lexicographically, the shorter vector padded with zeros; equal vectors are the same point.

use crate::detect::condition::{Constraint, Dnf};
use crate::detect::reasons::Reason;
use crate::model::poly::Poly;

/// A lexicographic time vector.
pub type Time = Vec<Poly>;

/// The condition `left < right`, lexicographically.
pub fn before(left: &Time, right: &Time) -> Result<Dnf, Reason> {
    let zero = Poly::zero();
    let mut result = Dnf::never();
    let mut equal = Dnf::always();
    for position in 0..left.len().max(right.len()) {
        let (a, b) = (left.get(position).unwrap_or(&zero), right.get(position).unwrap_or(&zero));
        result = result.or(&equal.and(&Dnf::lt(a, b)?)?)?;
        let difference = a.sub(b).ok_or(Reason::TooLarge)?;
        equal = equal.and(&Dnf::constraint(Constraint::Zero(difference)))?;
        if equal == Dnf::never() {
            break;
        }
    }
    Ok(result)
}
