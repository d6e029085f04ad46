//! Row lengths that a triangular loop hides.
//!
//! The compiler counts the iterations of every loop from zero. With constant sizes all that it leaves of
//!
//! ```text
//! for i < 1000: for k = i + 1 to 999: A[i][k] * B[k][j]
//! ```
//!
//! is `1001 i + k' + 1` for the place in `A`: rows of 1001 elements, for all that these strides say. Where another array (`B`) is subscripted
//! by `i + k'`, as the loop's bound is, that is what the program counts; with `k = k' + i` the place is `1000 i + k - 1`. (Sizes that are
//! parameters keep `n i` and `i` apart.)
//!
//! Invariant: both shapes are right, as long as subscripts stay inside them: the one that is taken has shorter rows, which hold all that the
//! program touches. What is recovered are subscripts of the compiler's counters.

use super::array_shapes::{Split, holds_all};
use super::delinearize::{self, ByteAccess, Rows, Shape};
use super::statements::{Draft, RawAccess, Target};
use crate::formula::poly::{Poly, Sym};
use crate::reasons::Reason;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::space::Space;

/// A loop that the program counts from a multiple of an outer counter.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Triangle {
    inner: Sym,
    outer: Sym,
    factor: i128,
}

/// A shape with shorter rows for the accesses at some places of a draft (statement, access), all of one base, if a triangular loop hides it.
pub(super) fn shorter_rows(
    draft: &Draft,
    base: usize,
    places: &[(usize, usize)],
    known: &Shape,
    params: &Space,
    budget: &Budget,
) -> Result<Option<Split>, Reason> {
    let Some(length) = row_length(known) else { return Ok(None) };
    for triangle in triangles(draft, base) {
        let Some(split) = with(draft, places, triangle) else { continue };
        if row_length(&split.0).is_some_and(|other| other < length)
            && split.0.unit == known.unit
            && split.0.sizes.len() == known.sizes.len()
            && holds_all(draft, places, &split, params, budget)?
        {
            return Ok(Some(split));
        }
    }
    Ok(None)
}

/// The elements of a row, if all inner sizes are constants.
fn row_length(shape: &Shape) -> Option<i128> {
    let sizes: Option<Vec<i128>> = shape.sizes.iter().map(Poly::as_constant).collect();
    sizes.filter(|sizes| !sizes.is_empty())?.into_iter().try_fold(1i128, i128::checked_mul)
}

/// The triangular loops of a draft that other arrays than a base are subscripted by as the bound says, and none only by the compiler's counter.
fn triangles(draft: &Draft, base: usize) -> Vec<Triangle> {
    let mut found: Vec<Triangle> = Vec::new();
    for statement in &draft.statements {
        let [constraints] = statement.root.domain.disjuncts() else { continue };
        let loops = &statement.root.loops;
        for (depth, inner) in loops.iter().enumerate() {
            for outer in &loops[..depth] {
                let (inner, outer) = (Sym::Iv(*inner), Sym::Iv(*outer));
                let steps = constraints.iter().map(|c| (c.poly().coefficient(inner), c.poly().coefficient(outer)));
                let factors = steps.filter(|(step, moves)| *step != 0 && *moves != 0 && moves % step == 0);
                for triangle in factors.map(|(step, moves)| Triangle { inner, outer, factor: moves / step }) {
                    if !found.contains(&triangle) && is_meant(draft, base, triangle) {
                        found.push(triangle);
                    }
                }
            }
        }
    }
    found
}

fn is_meant(draft: &Draft, base: usize, triangle: Triangle) -> bool {
    let accesses = draft.statements.iter().flat_map(|statement| &statement.accesses);
    let others = accesses.filter(|access| access.target != Target::Memory(base));
    let steps =
        others.map(|access| (access.offset.coefficient(triangle.inner), access.offset.coefficient(triangle.outer)));
    let steps: Vec<(i128, i128)> = steps.filter(|(step, _)| *step != 0).collect();
    steps.iter().any(|(step, moves)| *moves == triangle.factor * step) && steps.iter().all(|(_, moves)| *moves != 0)
}

/// The shape that accesses have if the inner counter contains the multiple of the outer one.
fn with(draft: &Draft, places: &[(usize, usize)], triangle: Triangle) -> Option<Split> {
    let Triangle { inner, outer, factor } = triangle;
    let part = Poly::symbol(outer).scale(factor)?;
    let (ahead, back) = (Poly::symbol(inner).sub(&part)?, Poly::symbol(inner).add(&part)?);
    let raw = places.iter().map(|(s, a)| &draft.statements[*s].accesses[*a]);
    let offsets: Vec<(Poly, &RawAccess)> =
        raw.map(|access| Some((access.offset.substitute(inner, &ahead)?, access))).collect::<Option<_>>()?;
    let accesses: Vec<ByteAccess<'_>> =
        offsets.iter().map(|(offset, access)| ByteAccess { offset, bytes: access.bytes }).collect();
    let (shape, mut split) = delinearize::recover(&accesses, Rows::Products, "").ok()?;
    for subscript in split.iter_mut().flatten() {
        *subscript = subscript.substitute(inner, &back)?;
    }
    Some((shape, split))
}
