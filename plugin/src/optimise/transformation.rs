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

/// A transformation that was applied, for remarks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transformation {
    /// The loops of the nest, as indices of the region, in the original order.
    pub loops: Vec<usize>,
    /// The statements in it.
    pub statements: Vec<usize>,
    /// The new order as positions in `loops`.
    pub order: Vec<usize>,
    /// The positions in the new order of loops that run backwards.
    pub backwards: Vec<usize>,
    /// Tile sizes in the new order; empty if not tiled.
    pub tiles: Vec<i64>,
    /// Whether the nest was separated from others by distribution.
    pub distributed: bool,
    /// Whether scalars have a private copy for each iteration of a tile.
    pub expanded: bool,
    /// What new code in the old order gains, where that is all.
    pub old_order: Option<OldOrder>,
    /// Of a nest that is tiled across its outer loop: by how much the data moves with that loop, per dimension (see
    /// `time_tiling`). Empty for others.
    pub skews: Vec<i64>,
    /// Whether all that was done is to cut a nest into tiles whose rows are long anyway: that gains nothing where the data stay in a
    /// cache.
    pub only_tiled: bool,
    /// The arrays whose values the nest computes and uses in another order, each as a whole.
    pub reordered: Vec<usize>,
    /// How many iterations of the outer one of two loops are jammed into the inner one.
    pub jammed: Option<i64>,
    /// How many iterations of each loop, in the new order, run side by side in the innermost one; empty if that is one of all.
    pub register_tile: Vec<i64>,
    /// Whether a loop was cut at an iteration that the others depend on.
    pub cut: bool,
    /// Whether the user has given steps for this nest alone.
    pub scripted: bool,
    /// Whether the whole order is one of the library's scheduler.
    pub rescheduled: bool,
}

impl Transformation {
    /// What the library did to a nest, with the region's own numbers of loops.
    pub(super) fn new(nest: &strategy::Transformation, numbering: &Numbering) -> Transformation {
        let nest = nest.clone();
        Transformation {
            loops: numbering.of_region(&nest.loops),
            statements: nest.statements,
            order: nest.order,
            backwards: nest.backwards,
            tiles: nest.tiles,
            distributed: nest.distributed,
            expanded: nest.expanded,
            old_order: None,
            skews: nest.skews,
            only_tiled: nest.only_tiled,
            reordered: nest.reordered,
            jammed: nest.jammed,
            register_tile: nest.register_tile,
            cut: nest.cut,
            scripted: nest.scripted,
            rescheduled: nest.rescheduled,
        }
    }

    /// A nest that gets new code in its old order.
    pub(super) fn unchanged(node: &Order) -> Transformation {
        let (loops, body) = perfect_chain(node);
        let order = (0..loops.len()).collect();
        Transformation { statements: statements_of(body), loops, order, ..Transformation::default() }
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
