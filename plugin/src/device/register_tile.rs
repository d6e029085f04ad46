//! Which kernels take a tile of registers per thread: several points of two loops in the innermost loop.
//!
//! ```text
//! for i, j: for k: C[i][j] += A[i][k] * B[k][j]        two loads per multiplication, and 12 for 32 of them with 8 x 4 points per thread
//! ```
//!
//! Loads limit such kernels, not operations: a multiprocessor loads one value for two operations on doubles at best, and for four on
//! floats. So points pay where statements in loops below touch elements that stay along one of both loops. It does not pay where the bounds of these
//! loops depend on the point: then every copy has its own condition in the innermost loop, and sums cannot stay in registers.
//!
//! V. Volkov and J. Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", SC 2008.

use super::obstacle::Obstacle;
use crate::formula::poly::{Poly, Sym};
use crate::model::scop::{Scop, Statement};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::schedule::{Cursor, Node};
use tessera_polyhedral::space::DimKind;

/// The points of a thread along both loops.
pub(super) const POINTS: [i64; 2] = [8, 4];

/// The most copies of operations in an innermost loop.
const MOST: usize = 1024;

/// Whether the threads of a kernel take points of the two members of the band at a node. `statements` are those that the kernel executes.
pub(super) fn pays(scop: &Scop, site: &Cursor, statements: &[&Statement], budget: &Budget) -> Result<bool, Obstacle> {
    let Node::Band(band, _) = site.node() else { return Ok(false) };
    let copies = usize::try_from(POINTS[0] * POINTS[1]).unwrap_or(usize::MAX);
    let [first, second] = band.members() else { return Ok(false) };
    let (mut alone, mut together, mut deep) = (0, 0, false);
    for statement in statements {
        if statement.body.len().saturating_mul(copies) > MOST || !statement.is_straight() {
            return Ok(false);
        }
        let dims = [first, second].map(|member| member.dimension(&statement.name));
        let [Some(i), Some(j)] = dims else { return Ok(false) };
        let others = (0..statement.loops.len()).filter(|dim| ![i, j].contains(dim));
        let (inner, outer): (Vec<usize>, Vec<usize>) = others.partition(|dim| has_loop(site, &statement.name, *dim));
        if outer.iter().any(|dim| *dim > i.max(j)) {
            return Ok(false);
        }
        if inner.is_empty() {
            continue;
        }
        if !is_product(statement, [i, j], &inner, budget)? {
            return Ok(false);
        }
        deep = true;
        let mut known: Vec<&Poly> = Vec::new();
        for access in statement.accesses.iter().filter(|access| scop.is_memory(access.array)) {
            if known.contains(&&access.offset) {
                continue;
            }
            known.push(&access.offset);
            let moves = |dim: usize| access.offset.symbols().any(|symbol| symbol == Sym::Iv(statement.loops[dim]));
            let factor = |dim: usize, points: i64| if moves(dim) { points } else { 1 };
            let inside = inner.iter().any(|dim| moves(*dim));
            // What does not move in the innermost loop is in a register either way.
            if inside {
                alone += POINTS[0] * POINTS[1];
                together += factor(i, POINTS[0]) * factor(j, POINTS[1]);
            }
        }
    }
    Ok(deep && 2 * together <= alone)
}

/// Whether a band below a node is the loop over a dimension of a statement: in a skewed order one outside of the node may be.
fn has_loop(site: &Cursor, statement: &str, dim: usize) -> bool {
    let mut is_loop = |cursor: &Cursor| match cursor.node() {
        Node::Band(band, _) => band.members().iter().any(|member| member.dimension(statement) == Some(dim)),
        _ => false,
    };
    site.children().iter().any(|below| below.find(&mut is_loop).is_some())
}

/// Whether the inner loops of a statement have the same values at all points of two outer ones.
fn is_product(statement: &Statement, points: [usize; 2], inner: &[usize], budget: &Budget) -> Result<bool, Obstacle> {
    let domain = &statement.domain;
    let free = |set: Set, dim: &usize| -> Result<Set, Obstacle> {
        let set = set.project_out(DimKind::Out, *dim, 1, budget)?.insert_dims(DimKind::Out, *dim, 1)?;
        Ok(set.with_space(domain.space())?)
    };
    let of_points = inner.iter().try_fold(domain.clone(), free)?;
    let of_inner = points.iter().try_fold(domain.clone(), free)?;
    Ok(of_points.intersect(&of_inner, budget)?.is_equal(domain, budget)?)
}
