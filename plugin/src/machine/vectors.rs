//! Vectors as the host has them: a built-in target with other registers, and what operations on these cost.
//!
//! The built-in targets say how many operations on a register of *their* width begin per cycle. The host may prefer another width
//! (narrower ones on many processors with AVX-512; wider ones on those with AVX and no AVX2), and an architecture without a
//! built-in target has vectors of its own. The host's costs are no times, but their ratios tell
//!
//! - how many times as long an operation takes on a register of the preferred width as on one of the built-in target's,
//! - and whether there is such an operation at all: where a vector costs no less than its lanes one by one, compilers leave it alone.

use crate::host::{Analyses, LaneAccess, Operation};
use tessera_polyhedral::scop::{Element, ElementKind};
use tessera_polyhedral::target::{KINDS, OperationCost, Target, Vectors};

/// The operations of targets that the host knows the costs of. Others (conversions, addresses, loads) follow the width alone.
const KNOWN: [(&str, Operation); 10] = [
    ("add", Operation::Add),
    ("mul", Operation::Mul),
    ("fma", Operation::Fma),
    ("div", Operation::Div),
    ("sqrt", Operation::Sqrt),
    ("minmax", Operation::MinMax),
    ("logic", Operation::Logic),
    ("shift", Operation::Shift),
    ("compare", Operation::Compare),
    ("select", Operation::Select),
];

fn known(operation: &str) -> Option<Operation> {
    KNOWN.iter().find(|(name, _)| *name == operation).map(|(_, operation)| *operation)
}

/// The elements that vectors are made of.
const ELEMENTS: [Element; 6] = [
    Element { kind: ElementKind::Float, bits: 32, lanes: 1 },
    Element { kind: ElementKind::Float, bits: 64, lanes: 1 },
    Element { kind: ElementKind::Integer, bits: 8, lanes: 1 },
    Element { kind: ElementKind::Integer, bits: 16, lanes: 1 },
    Element { kind: ElementKind::Integer, bits: 32, lanes: 1 },
    Element { kind: ElementKind::Integer, bits: 64, lanes: 1 },
];

/// Narrower registers are no vectors: a word is as wide.
const NARROWEST: u32 = 128;

/// What a multiplication and addition in one costs at most where the processor has it; elsewhere it is a call.
const MOST_FMA: i64 = 4;

/// The host's cost of a whole register; nothing where it cannot tell.
fn register(host: &Analyses<'_>, operation: Operation, element: Element, bits: u32) -> Option<f64> {
    lanes(host, operation, element, bits / element.bits)
}

fn lanes(host: &Analyses<'_>, operation: Operation, element: Element, lanes: u32) -> Option<f64> {
    let cost = host.operation_cost(operation, element.kind == ElementKind::Float, element.bits, lanes)?;
    // Small integers, far from what a float cannot hold.
    Some(cost as f64)
}

/// Whether a multiplication and addition is one operation, of numbers one by one.
pub(super) fn has_fma(host: &Analyses<'_>) -> bool {
    ELEMENTS.iter().filter(|element| element.kind == ElementKind::Float).all(|element| {
        let cost = host.operation_cost(Operation::Fma, true, element.bits, 1);
        cost.is_some_and(|cost| cost <= MOST_FMA)
    })
}

/// Whether the host prefers registers of 256 bits or more, on which integers are added at once.
pub(super) fn has_wide_integers(host: &Analyses<'_>) -> bool {
    let element = ELEMENTS[5];
    let cost = |bits| register(host, Operation::Add, element, bits);
    host.vector_bits() >= 256 && cost(256).zip(cost(128)).is_some_and(|(wide, narrow)| wide <= narrow)
}

/// Whether vectors as wide as the host prefers have lanes that can be switched off.
pub(super) fn has_masks(host: &Analyses<'_>) -> bool {
    host.has_lane_access(LaneAccess::Masked, width(host))
}

/// How many vector registers there are.
pub(super) fn registers(host: &Analyses<'_>) -> u32 {
    if width(host) == 0 { 0 } else { host.vector_registers() }
}

/// The width of the widest vector registers, where the host prefers narrower ones. On x86 with 64 bits, 32 registers are those of AVX-512.
pub(super) fn wider(host: &Analyses<'_>) -> Option<u32> {
    const AVX512: u32 = 512;
    let is_x86 = host.triple().starts_with("x86_64");
    (is_x86 && (NARROWEST..AVX512).contains(&width(host)) && host.vector_registers() >= 32).then_some(AVX512)
}

/// The width of the vector registers that the host prefers; 0 if there are none.
fn width(host: &Analyses<'_>) -> u32 {
    Some(host.vector_bits()).filter(|bits| *bits >= NARROWEST).unwrap_or(0)
}

/// Gives a target the host's vectors. `is_of_another`: the built-in target is of another architecture, so that it says nothing about which
/// operations have vectors here.
pub(super) fn fit(target: &mut Target, host: &Analyses<'_>, is_of_another: bool) {
    let bits = width(host);
    let old = target.vectors;
    target.vectors = Vectors {
        bits,
        registers: registers(host),
        fma: has_fma(host),
        masks: has_masks(host),
        gather: old.gather.or(is_of_another.then_some(2.0)).filter(|_| host.has_lane_access(LaneAccess::Gather, bits)),
        scatter: old
            .scatter
            .or(is_of_another.then_some(2.0))
            .filter(|_| host.has_lane_access(LaneAccess::Scatter, bits)),
    };
    if bits == 0 {
        for cost in &mut target.operations {
            cost.vector = None;
        }
        // What was told apart by vectors only is one.
        target.operations = regrouped(target, host, |_, cost| cost.vector);
    } else if bits != old.bits || is_of_another {
        let vector = |element, cost: &OperationCost| vector(host, element, cost, (bits, old.bits), is_of_another);
        target.operations = regrouped(target, host, vector);
    }
}

/// How many operations on a register begin per cycle, where `cost` says how many on one of the old width.
fn vector(
    host: &Analyses<'_>,
    element: Element,
    cost: &OperationCost,
    (bits, old): (u32, u32),
    is_of_another: bool,
) -> Option<f64> {
    let by_width = f64::from(old) / f64::from(bits);
    let Some(operation) = known(&cost.operation) else {
        return cost.vector.map(|vector| rounded((vector * by_width).min(cost.scalar)));
    };
    let whole = register(host, operation, element, bits);
    if is_of_another {
        let (whole, one) = (whole?, lanes(host, operation, element, 1)?);
        let count = f64::from(bits / element.bits);
        return (whole > 0.0 && whole < count * one).then(|| {
            let slower = (whole / one.max(1.0)).max(1.0);
            rounded(cost.vector.unwrap_or(cost.scalar).min(cost.scalar / slower))
        });
    }
    let ratio = match (whole, register(host, operation, element, old)) {
        (Some(new), Some(old)) if new > 0.0 && old > 0.0 => old / new,
        _ => by_width,
    };
    cost.vector.map(|vector| rounded((vector * ratio).min(cost.scalar)))
}

/// Two digits: more would claim to know more.
fn rounded(number: f64) -> f64 {
    let digits = 1.0 - number.abs().log10().floor();
    let scale = 10f64.powf(digits.clamp(0.0, 12.0));
    (number * scale).round() / scale
}

/// The operations of a target with other costs for vectors, one entry for all elements of a kind that cost the same. The entry of most
/// elements is the last one of its kind, and is for all others, too. Elements that have no such operation (a square root of integers) are
/// left out.
fn regrouped(
    target: &Target,
    host: &Analyses<'_>,
    vector: impl Fn(Element, &OperationCost) -> Option<f64>,
) -> Vec<OperationCost> {
    let mut operations = Vec::new();
    for kind in KINDS {
        if !target.operations.iter().any(|cost| cost.operation == kind) {
            continue;
        }
        let mut groups: Vec<OperationCost> = Vec::new();
        let has = |element: &Element| known(kind).is_none_or(|operation| lanes(host, operation, *element, 1).is_some());
        for element in ELEMENTS.into_iter().filter(has) {
            let old = target.cost(kind, element);
            let cost = OperationCost { vector: vector(element, &old), elements: Vec::new(), ..old };
            let like = |group: &&mut OperationCost| OperationCost { elements: Vec::new(), ..(*group).clone() } == cost;
            match groups.iter_mut().find(like) {
                Some(group) => group.elements.push(element),
                None => groups.push(OperationCost { elements: vec![element], ..cost }),
            }
        }
        // Stable: of groups of one size the last stays the last.
        groups.sort_by_key(|group| group.elements.len());
        if let Some(last) = groups.last_mut() {
            last.elements.clear();
        }
        operations.append(&mut groups);
    }
    operations
}
