//! What was done to a nest.

use super::loops::Numbering;
use crate::model::scop::{Order, statements_of};
use tessera_polyhedral::strategy;
use tessera_polyhedral::transform::{Need, Short};

/// What new code in the old order is good for (see `old_order`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldOrder {
    /// An element that stays can live in a register.
    Registers,
    /// The compiler can vectorise an innermost loop.
    Vectors,
}

/// A transformation that was applied, for remarks and for what the guard asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transformation {
    /// What the library did, with the region's own numbers of loops.
    pub nest: strategy::Transformation,
    /// What new code in the old order gains, where that is all.
    pub old_order: Option<OldOrder>,
}

impl Transformation {
    /// What the library did to a nest, with the region's own numbers of loops.
    pub(super) fn new(nest: &strategy::Transformation, numbering: &Numbering) -> Transformation {
        let loops = numbering.of_region(&nest.loops);
        Transformation { nest: strategy::Transformation { loops, ..nest.clone() }, old_order: None }
    }

    /// A nest that gets new code in its old order.
    pub fn unchanged(node: &Order) -> Transformation {
        let (loops, body) = perfect_chain(node);
        let order = (0..loops.len()).collect();
        let statements = statements_of(body);
        let nest = strategy::Transformation { statements, loops, order, ..strategy::Transformation::default() };
        Transformation { nest, old_order: None }
    }
}

/// What a new order needs, with the region's own numbers of loops.
pub(super) fn need_of_region(need: Need, numbering: &Numbering) -> Option<Need> {
    let number = |counter| numbering.of_region(&[counter]).first().copied();
    let instead = match need.instead {
        Some(short) => Some(Short { counter: number(short.counter)?, ..short }),
        None => None,
    };
    Some(Need { counter: number(need.counter)?, instead, ..need })
}

/// The loops that have only one loop as their body, and the body of the last of them.
fn perfect_chain(node: &Order) -> (Vec<usize>, &[Order]) {
    let mut loops = Vec::new();
    let mut current = node;
    while let Order::Loop { index, body } = current {
        loops.push(*index);
        match body.as_slice() {
            [only @ Order::Loop { .. }] => current = only,
            _ => return (loops, body),
        }
    }
    (loops, &[])
}
