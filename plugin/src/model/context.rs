//! What is known about the parameters before the region: their types, and the branches that lead to it.

use crate::detect::condition::Dnf;
use crate::detect::reasons::Reason;
use crate::detect::region::{Region, branch_operand};
use crate::detect::scev::{Place, Reader};
use crate::host::{Analyses, Block, Opcode};
use crate::model::poly::{Poly, Sym};

/// How many branches above the region are looked at.
const MAX_BRANCHES: usize = 24;

/// The facts as a condition over parameters. Conditions that would need an assumption of their own, or mention values
/// that the region does not use, are not facts about its parameters and are left out.
pub(super) fn known_facts(host: &Analyses<'_>, reader: &mut Reader<'_, '_>, region: &Region) -> Result<Dnf, Reason> {
    let mut facts = Dnf::always();
    for (index, param) in reader.params.iter().enumerate() {
        let (low, high) = param.range;
        let symbol = Poly::symbol(Sym::Param(index));
        // Ranges as wide as 64 bits say nothing worth the constraint.
        if let Some(low) = Poly::constant(low).filter(|_| low > -(1 << 62)) {
            facts = facts.and(&Dnf::le(&low, &symbol)?)?;
        }
        if let Some(high) = Poly::constant(high).filter(|_| high < 1 << 62) {
            facts = facts.and(&Dnf::le(&symbol, &high)?)?;
        }
    }
    let root = &region.loops[0];
    // `block` always dominates the region, so an edge that is its only way in has been taken.
    let mut edge = Some((root.entering, root.header));
    let mut block = root.entering;
    for _ in 0..MAX_BRANCHES {
        if let Some((origin, target)) = edge
            && let Some(fact) = edge_fact(host, reader, region, origin, target)
            // A fact with alternatives may make the context too complex; it is only a help.
            && fact.disjuncts().len() == 1
            && let Ok(both) = facts.and(&fact)
        {
            facts = both;
        }
        edge = block.single_predecessor().map(|above| (above, block));
        match edge.map(|(above, _)| above).or_else(|| dominator_above(host, block)) {
            Some(above) => block = above,
            None => break,
        }
    }
    Ok(facts)
}

/// The nearest block that dominates `block`, looked for among its predecessors' chains.
fn dominator_above(host: &Analyses<'_>, block: Block) -> Option<Block> {
    let mut candidate = *block.predecessors().first()?;
    for _ in 0..MAX_BRANCHES {
        if candidate != block && host.dominates(candidate, block) {
            return Some(candidate);
        }
        candidate = *candidate.predecessors().first()?;
    }
    None
}

fn edge_fact(
    host: &Analyses<'_>,
    reader: &mut Reader<'_, '_>,
    region: &Region,
    block: Block,
    target: Block,
) -> Option<Dnf> {
    let terminator = block.terminator()?;
    let successors = block.successors();
    if !terminator.is(Opcode::Br) || successors.len() != 2 || successors[0] == successors[1] {
        return None;
    }
    let mark = reader.mark();
    let condition = branch_operand(terminator)?;
    let truth = successors[0] == target;
    let fact = reader.condition(condition, truth, host.loop_of(block), Place::Before, region).ok();
    if reader.mark() == mark {
        return fact;
    }
    reader.reset(mark);
    None
}
