//! Sums that stay in memory only because the compiler cannot exclude that arrays overlap.
//!
//! In `for j: q[i] += a[i][j] * p[j]` the element `q[i]` is loaded and stored in every iteration if a store to it might hit `a`
//! or `p`: an addition waits for the store before it, some twelve cycles instead of four. The guard knows better, so the same
//! order in new code lets the compiler keep the element in a register. That pays where nothing better does.

use super::applied::Applied;
use crate::model::poly::Sym;
use crate::model::scop::{Access, AccessKind, Order, Scop, Storage, statements_of};

/// The innermost loops in which an element could live in a register if arrays did not overlap.
pub(super) fn kept(scop: &Scop) -> Vec<Applied> {
    let mut found = Vec::new();
    walk(scop, &scop.order, &mut found);
    found
}

fn walk(scop: &Scop, nodes: &[Order], found: &mut Vec<Applied>) {
    for node in nodes {
        let Order::Loop { index, body } = node else { continue };
        if body.iter().all(|inner| matches!(inner, Order::Statement(_))) {
            if has_element(scop, *index, &statements_of(body)) {
                found.push(Applied { in_registers: true, ..Applied::unchanged(node) });
            }
        } else {
            walk(scop, body, found);
        }
    }
}

/// Whether the loop reads and stores one element in all its iterations, where the program did so, while it touches something that
/// might overlap it.
fn has_element(scop: &Scop, index: usize, statements: &[usize]) -> bool {
    let statements = || statements.iter().map(|s| &scop.statements[*s]);
    let accesses = || statements().flat_map(|statement| &statement.accesses);
    let stays = |access: &Access| access.offset.symbols().all(|symbol| symbol != Sym::Iv(index));
    let is_alone =
        |own: &Access| accesses().filter(|other| other.array == own.array).all(|other| other.offset == own.offset);
    let is_read = |own: &Access| accesses().any(|other| other.kind == AccessKind::Read && other.array == own.array);
    let is_disturbed = |own: &Access| {
        let other = |pair: &(usize, usize)| match *pair {
            (a, b) if a == own.array => Some(b),
            (a, b) if b == own.array => Some(a),
            _ => None,
        };
        scop.may_overlap.iter().filter_map(other).any(|array| accesses().any(|access| access.array == array))
    };
    let candidates =
        statements().flat_map(|statement| statement.accesses.iter().map(move |access| (statement, access)));
    let is_memory = |access: &Access| matches!(scop.arrays[access.array].storage, Storage::Memory(_));
    candidates
        .filter(|(_, access)| is_memory(access))
        .filter(|(statement, access)| access.kind == AccessKind::Write && scop.is_in_place(statement, access))
        .any(|(_, access)| stays(access) && is_alone(access) && is_read(access) && is_disturbed(access))
}
