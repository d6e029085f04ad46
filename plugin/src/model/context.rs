//! What is known about the parameters before the region: their types, the branches that lead to it, and what the program
//! tells the compiler to assume.

use crate::detect::region::{Region, branch_operand};
use crate::detect::scev::{ProgramPoint, Reader};
use crate::formula::condition::Dnf;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Analyses, Block, Opcode, Value};
use crate::model::remainders::{self, Remainder};
use crate::reasons::Reason;

/// How many branches above the region are looked at.
const MAX_BRANCHES: usize = 24;

/// How many instructions above the region are looked at for assumptions.
const MAX_INSTRUCTIONS: usize = 1000;

/// The facts as a condition over parameters. Conditions that would need an assumption of their own, or mention values
/// that the region does not use, are not facts about its parameters and are left out.
pub(super) fn known_facts(
    host: &Analyses<'_>,
    reader: &mut Reader<'_, '_>,
    region: &Region,
) -> Result<(Dnf, Vec<Remainder>), Reason> {
    let (mut facts, mut known) = (Dnf::always(), Vec::new());
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
    let mut instructions = 0;
    for _ in 0..MAX_BRANCHES {
        let mut found = Vec::new();
        if let Some((origin, target)) = edge {
            remainders::read_switch(host, reader, region, (origin, target), &mut known);
            found.extend(edge_condition(origin, target).map(|condition| (origin, condition)));
        }
        if instructions < MAX_INSTRUCTIONS {
            let all = block.instructions();
            instructions += all.len();
            let assumed = all.into_iter().filter_map(assumed_condition);
            found.extend(assumed.map(|condition| (block, (condition, true))));
        }
        // What one part does not say the others do: `n % 8 == 5 && n > 0`.
        let parts = found.iter().flat_map(|(origin, (condition, truth))| {
            remainders::parts(*condition, *truth).into_iter().map(|part| (*origin, part))
        });
        for (origin, condition) in parts {
            remainders::read(host, reader, region, origin, condition, &mut known);
            // A fact with alternatives may make the context too complex; it is only a help.
            if let Some(fact) = fact(host, reader, region, origin, condition)
                && fact.disjuncts().len() == 1
                && let Ok(both) = facts.and(&fact)
            {
                facts = both;
            }
        }
        edge = block.single_predecessor().map(|above| (above, block));
        match edge.map(|(above, _)| above).or_else(|| dominator_above(host, block)) {
            Some(above) => block = above,
            None => break,
        }
    }
    Ok((facts, known))
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

/// The condition of a branch that went to `target`, and whether it is true.
fn edge_condition(block: Block, target: Block) -> Option<(Value, bool)> {
    let terminator = block.terminator()?;
    let successors = block.successors();
    if !terminator.is(Opcode::Br) || successors.len() != 2 || successors[0] == successors[1] {
        return None;
    }
    Some((branch_operand(terminator)?, successors[0] == target))
}

/// What `llvm.assume` is told.
fn assumed_condition(instruction: Value) -> Option<Value> {
    let called = instruction.is(Opcode::Call) && instruction.intrinsic_name().as_deref() == Some("llvm.assume");
    instruction.operands().first().copied().filter(|_| called)
}

/// That a value of `block`, which dominates the region, is true or false.
fn fact(
    host: &Analyses<'_>,
    reader: &mut Reader<'_, '_>,
    region: &Region,
    block: Block,
    (condition, truth): (Value, bool),
) -> Option<Dnf> {
    reader.read_known(|reader| reader.condition(condition, truth, host.loop_of(block), ProgramPoint::Before, region))
}
