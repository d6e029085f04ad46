//! How the library and the compiler number loops.

use crate::model::scop::Order;

/// The loops of a region in preorder, which is how the library numbers them.
#[derive(Clone, Debug)]
pub struct Numbering(Vec<usize>);

impl Numbering {
    /// The numbering of the loops of a program.
    pub fn new(order: &[Order]) -> Self {
        let mut loops = Vec::new();
        collect(order, &mut loops);
        Self(loops)
    }

    /// The loops of the region that the library calls so.
    pub fn of_region(&self, loops: &[usize]) -> Vec<usize> {
        loops.iter().filter_map(|l| self.0.get(*l).copied()).collect()
    }

    /// What the library calls a loop of the region.
    pub fn of_library(&self, index: usize) -> Option<usize> {
        self.0.iter().position(|l| *l == index)
    }
}

fn collect(nodes: &[Order], loops: &mut Vec<usize>) {
    for node in nodes {
        if let Order::Loop { index, body } = node {
            loops.push(*index);
            collect(body, loops);
        }
    }
}
