//! Which copies of scalars become registers.
//!
//! Where eight iterations of a loop run side by side, a scalar has eight copies, `s[i - 8 t]`. In blocks of eight the subscript is a number,
//! so that each copy can be a variable of its own, which later passes keep in a register; in the rows that are left over behind the blocks
//! it is known only when the program runs. An array that is addressed like that once is memory everywhere, so they have one of their own.
//!
//! ```text
//! for t: { s0 = 0; ... s7 = 0; for j: { s0 += A[8 t][j]; ... s7 += A[8 t + 7][j] } }
//! for i = 8 * (n / 8) to n - 1: { s[i % 8] = 0; for j: s[i % 8] += A[i][j] }
//! ```
//!
//! Variables instead of one array also keep LLVM from making a vector of the eight, where their rows would have to be gathered.
//!
//! Invariant: no value goes from a variable to the array or back. A copy lives in one iteration of the loop that is jammed
//! (`strategy::expandable`), and a block does not share iterations with what is left over; each of both parts has all statements that
//! access the scalar, and addresses it in one way. Where the code is not of that form, there is one array.

use super::lanes::is_scattered_along;
use super::sum::Sum;
use crate::emit::copies;
use crate::formula::poly::{Poly, Sym};
use crate::model::scop::{Scop, Statement};
use tessera_polyhedral::ast::{Ast, AstUnit, Expr};

/// How a part of the code addresses the copies of a scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Way {
    /// Not at all.
    None,
    /// Only by numbers, or only by numbers that are known when the program runs (`true`), in these statements.
    One(bool, Vec<String>),
    /// In parts that have all statements each, one way per part.
    Apart,
    /// Otherwise.
    Mixed,
}

/// Where the copies of a scalar are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) struct Places {
    /// So many variables for those with known numbers.
    pub(in crate::emit) variables: u64,
    /// An array of so many for the others, or for all.
    pub(in crate::emit) array: Option<u64>,
}

/// The places of the copies of each array of the model in the function's frame; nothing for arrays that have none there.
pub(in crate::emit) fn in_frame(scop: &Scop, unit: &AstUnit) -> Vec<Option<Places>> {
    let of_array = |array: usize| {
        let copies = copies::in_frame(scop, array)?;
        let way = if scop.arrays[array].is_jammed && is_scattered(scop, array) {
            way(scop, array, &unit.body)
        } else {
            Way::Mixed
        };
        Some(match way {
            Way::One(false, _) => Places { variables: copies, array: None },
            Way::Apart => Places { variables: copies, array: Some(copies) },
            _ => Places { variables: 0, array: Some(copies) },
        })
    };
    (0..scop.arrays.len()).map(of_array).collect()
}

/// Whether a statement that accesses the copies of a scalar accesses arrays at places that are not side by side for neighbouring copies.
fn is_scattered(scop: &Scop, array: usize) -> bool {
    scop.statements.iter().any(|statement| {
        let offsets = statement.accesses.iter().filter(|access| access.array == array).map(|access| &access.offset);
        // The subscript is `i - 8 t`.
        let jammed =
            offsets.flat_map(|offset| offset.terms()).find_map(|(monomial, coefficient)| match monomial.as_slice() {
                [Sym::Iv(index)] if coefficient > 0 => Some(*index),
                _ => None,
            });
        jammed.is_some_and(|jammed| is_scattered_along(scop, statement, |index| index == jammed))
    })
}

/// The number of the copy that an instance addresses, if it is the same whenever it runs.
pub(super) fn number(scop: &Scop, statement: &Statement, array: usize, args: &[Expr]) -> Option<u64> {
    let access = statement.accesses.iter().find(|access| access.array == array)?;
    let bytes = known(statement, &access.offset, args)?;
    u64::try_from(bytes / scop.arrays[array].unit).ok()
}

fn way(scop: &Scop, array: usize, ast: &Ast) -> Way {
    match ast {
        Ast::User { stmt, args } => {
            let statement = scop.statement(stmt);
            match statement {
                Some(statement) if statement.accesses.iter().any(|access| access.array == array) => {
                    Way::One(number(scop, statement, array, args).is_none(), vec![statement.name.clone()])
                }
                _ => Way::None,
            }
        }
        Ast::Block(parts) => together(scop, array, parts.iter().map(|part| way(scop, array, part))),
        Ast::If { then, otherwise, .. } => {
            let parts = std::iter::once(&**then).chain(otherwise.as_deref());
            together(scop, array, parts.map(|part| way(scop, array, part)))
        }
        Ast::Mark(_, inner) => way(scop, array, inner),
        Ast::For(node) => way(scop, array, &node.body),
    }
}

/// The way of a sequence.
fn together(scop: &Scop, array: usize, parts: impl Iterator<Item = Way>) -> Way {
    let mut statements: [Vec<String>; 2] = [Vec::new(), Vec::new()];
    let mut n_apart = 0;
    for part in parts {
        match part {
            Way::None => {}
            Way::One(computed, names) => statements[usize::from(computed)].extend(names),
            Way::Apart => n_apart += 1,
            Way::Mixed => return Way::Mixed,
        }
    }
    let has_all = |names: &[String]| {
        let mut users = scop.statements.iter().filter(|s| s.accesses.iter().any(|access| access.array == array));
        users.all(|statement| names.contains(&statement.name))
    };
    let [numbers, computed] = &statements;
    match (n_apart, numbers.is_empty(), computed.is_empty()) {
        (0, true, true) => Way::None,
        (0, false, true) => Way::One(false, statements[0].clone()),
        (0, true, false) => Way::One(true, statements[1].clone()),
        (0, false, false) if has_all(numbers) && has_all(computed) => Way::Apart,
        (1, true, true) => Way::Apart,
        _ => Way::Mixed,
    }
}

/// A distance that is the same for all values of what the arguments are made of.
fn known(statement: &Statement, distance: &Poly, args: &[Expr]) -> Option<i128> {
    let sum = Sum::of(distance, statement, args, |_| None)?;
    sum.terms.is_empty().then_some(sum.constant)
}
