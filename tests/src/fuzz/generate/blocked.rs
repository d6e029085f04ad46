//! Loops that whoever wrote the program has cut into blocks already:
//!
//! ```c
//! for (int jj = 0; jj < n; jj += 8)
//!     for (int i = 0; i < n; i++)
//!         for (int j = jj; j < jj + 8 && j < n; j++)
//!             for (int k = 0; k < m; k++)
//!                 a[i][j] += 2 * b[i][k] * c[k][j];
//! ```
//!
//! Subscripts go in steps of a block then, of which a row is no multiple. Some leave the last block out where it is not a whole one
//! (`jj < n - 7`).

use super::super::tree::{Affine, Form, Item, Loop};
use super::Generator;

impl Generator {
    /// A nest, some of whose loops are cut into blocks: the loops over blocks are around it.
    pub(super) fn blocked(&mut self, mut nest: Item) -> Item {
        for _ in 0..self.random.between(1, 3) {
            let (block, size) = (format!("i{}", self.loops), *self.random.pick(&[2, 3, 4, 4, 8, 8]));
            let leaves_rest = self.random.chance(25);
            let mut ways = Vec::new();
            ways_to_loops(&nest, &mut Vec::new(), &mut ways);
            if ways.is_empty() {
                break;
            }
            let Some(inner) = loop_at(&mut nest, self.random.pick::<Vec<usize>>(&ways)) else { break };
            let integer = inner.integer;
            let mut outer = Loop { step: size, variable: block.clone(), body: Vec::new(), ..inner.clone() };
            let widened = self.mixed || inner.from.widened || inner.to.widened;
            inner.from = Affine::name(&block, widened);
            let whole = std::mem::replace(&mut inner.to, Affine { constant: size, ..Affine::name(&block, widened) });
            if leaves_rest && integer.is_signed() && self.parameter.is_signed() {
                outer.to.constant -= size - 1;
            } else {
                inner.also = Some(Affine { widened: whole.widened || widened, ..whole });
            }
            self.loops += 1;
            outer.body = vec![nest];
            nest = Item::Loop(outer);
        }
        nest
    }
}

/// The ways to all loops that count in ones up to sizes, from constants on: which item of each body.
fn ways_to_loops(item: &Item, way: &mut Vec<usize>, ways: &mut Vec<Vec<usize>>) {
    if let Item::Loop(l) = item {
        let is_plain =
            |bound: &Affine| bound.post.is_none() && bound.terms.iter().all(|(_, name)| name == "n" || name == "m");
        if l.form == Form::Less && l.step == 1 && l.also.is_none() && is_plain(&l.from) && is_plain(&l.to) {
            ways.push(way.clone());
        }
        for (at, inner) in l.body.iter().enumerate() {
            way.push(at);
            ways_to_loops(inner, way, ways);
            way.pop();
        }
    }
}

fn loop_at<'i>(item: &'i mut Item, way: &[usize]) -> Option<&'i mut Loop> {
    let Item::Loop(l) = item else { return None };
    match way.split_first() {
        None => Some(l),
        Some((at, rest)) => loop_at(l.body.get_mut(*at)?, rest),
    }
}
