//! Wavefronts: from a band without coincident members to an outer sequential loop and coincident loops inside.
//!
//! All distances of a dependence in a permutable band are at least zero. Where the sum of some members has distance zero, so
//! has each of them. So with the sum as a band of its own outside, these members carry nothing any more and all but one of them, which the others and
//! the sum determine, become coincident loops inside. The price is a loop with larger coefficients.
//!
//! Source: U. Bondhugula et al., *A Practical Automatic Polyhedral Parallelizer and Locality Optimizer*, 2008, section 5.3;
//! S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, section 6.1.4.

use crate::affine::PwAff;
use crate::budget::Budget;
use crate::error::Result as Computed;
use crate::schedule::{Band, EditError, Member, Node, ScheduleTree};

use super::ScheduleConstraints;

/// The tree with the band at `path` replaced by a wavefront over its first `n` members: a band with their sum, and in it a
/// permutable band of the members from the second on, of which the first `n - 1` are coincident.
///
/// The new coincidence flags are set only if all coincidence constraints are validity constraints; otherwise a sum of zero proves nothing about
/// them and the flags stay as they are.
/// Errors: no band there; a band that is not permutable; `n` less than 2 or more than there are members; the budget.
/// Exact; apart from the comparison of the constraints the cost is linear.
pub fn wavefront(
    tree: &ScheduleTree,
    path: &[usize],
    n: usize,
    constraints: &ScheduleConstraints,
    budget: &Budget,
) -> Result<ScheduleTree, EditError> {
    let node = tree.node(path).ok_or_else(|| EditError::NoSuchNode { path: path.to_vec() })?;
    let Node::Band(band, child) = node else {
        return Err(EditError::NotABand { path: path.to_vec(), found: node.kind() });
    };
    if !band.permutable {
        return Err(EditError::NotPermutable { path: path.to_vec() });
    }
    if n < 2 || n > band.len() {
        return Err(EditError::BadArgument {
            what: format!("a wavefront over {n} members; the band has {}, and at least 2 are needed", band.len()),
        });
    }
    let proves = constraints.coincidence.is_subset(&constraints.validity, budget)?;
    let outer = Band::new(vec![sum(&band.members()[..n], budget)?]);
    let inner = band.members()[1..].iter().enumerate().map(|(k, member)| {
        let coincident = member.coincident || (proves && k + 1 < n);
        member.clone().with_coincident(coincident)
    });
    let inner = Band::new(inner.collect()).with_permutable(true);
    let inner = Node::Band(inner, child.clone());
    tree.replace(path, Node::band(outer, inner))
}

/// The sum of some members.
fn sum(members: &[Member], budget: &Budget) -> Computed<Member> {
    let mut sums: Vec<PwAff> = Vec::new();
    for (name, first) in members.iter().take(1).flat_map(Member::exprs) {
        let mut total = first.clone();
        for member in &members[1..] {
            if let Some(function) = member.function(name) {
                total = total.add(function, budget)?;
            }
        }
        sums.push(total);
    }
    Member::piecewise(sums)
}
