//! Execution times of the original program: lexicographic vectors of positions and induction variables.
//!
//! A point inside loops `l0, l1, ...` has the time `[p0, iv(l0), p1, iv(l1), ..., pk, instruction]`, where `pi` is
//! the position of the next item in the body of the loop before it. Two points of one region are compared
//! lexicographically, the shorter vector padded with zeros; equal vectors are the same point.

use crate::detect::region::{Item, Region};
use crate::formula::condition::{Constraint, Dnf};
use crate::formula::poly::{Poly, Sym};
use crate::host::Value;
use crate::reasons::Reason;

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

/// When an earlier instruction has been executed, seen from an instruction of block `b`: at its own time, unless that depends on loops
/// that have ended by then.
pub fn of_earlier(region: &Region, earlier: Value, b: usize, instruction: Value) -> Result<Time, Reason> {
    let block = earlier.parent().and_then(|block| region.block_index(block));
    match block.filter(|block| region.blocks[*block].loops.iter().all(|l| region.blocks[b].loops.contains(l))) {
        Some(block) => of_instruction(region, block, earlier),
        None => of_instruction(region, b, instruction),
    }
}

/// When an instruction of block `b` executes.
pub fn of_instruction(region: &Region, b: usize, instruction: Value) -> Result<Time, Reason> {
    let constant = |value: usize| Poly::constant(value as i128).ok_or(Reason::TooLarge);
    let loops = &region.blocks[b].loops;
    let mut time = vec![Poly::zero()];
    for (depth, index) in loops.iter().enumerate() {
        time.push(Poly::symbol(Sym::Iv(*index)));
        let item = match loops.get(depth + 1) {
            Some(inner) => Item::Loop(*inner),
            None => Item::Block(b),
        };
        let position = region.loops[*index].items.iter().position(|other| *other == item);
        let position = position.ok_or(Reason::Internal { message: "a block without a position".into() })?;
        time.push(constant(4 * position + 2)?);
    }
    let all = region.blocks[b].handle.instructions();
    time.push(constant(all.iter().position(|other| *other == instruction).unwrap_or(0))?);
    Ok(time)
}
