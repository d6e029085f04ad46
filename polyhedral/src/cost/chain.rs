//! How long operations wait for each other.
//!
//! A chain leads from a value that a statement reads to one that it writes, and the next instance reads that. All instances along a chain
//! run one after the other, `latency` cycles each. Between two of them the loops inside the one that carries the chain run: so many chains
//! go side by side. In a product in the order `i, j, k` there is one chain, in `i, k, j` there are `n`.
//!
//! Where the innermost loop carries the chain and is short, the processor is in the next run before the last one has finished: as many chains
//! run side by side as fit into its window.

use crate::budget::Budget;
use crate::error::Result;
use crate::scop::{Chain, DependenceKind, OperationKind};

use super::body::{Bodies, Cost, Group, INTERLEAVED};
use super::carried::{Within, is_carried};

/// Any distance.
const ANY: i64 = 1 << 40;

impl Bodies<'_> {
    /// Cycles for the longest chain through a group whose bodies cost that much.
    pub(super) fn chain(&self, group: &Group, cost: &Cost, budget: &Budget) -> Result<f64> {
        let mut longest: f64 = 0.0;
        for index in &group.occurrences {
            let statement = &self.scop.statements[self.nest.occurrences[*index].statement];
            for chain in &statement.chains {
                longest = longest.max(self.of_chain(group, *index, chain, cost, budget)?);
            }
        }
        Ok(longest)
    }

    fn of_chain(&self, group: &Group, index: usize, chain: &Chain, cost: &Cost, budget: &Budget) -> Result<f64> {
        let occurrence = &self.nest.occurrences[index];
        let own = occurrence.statement;
        let pair = self.dependences.pairs.iter().find(|pair| {
            let ends = (pair.dependence.source, pair.dependence.sink);
            pair.kind == DependenceKind::Flow && ends == (own, own) && (pair.from, pair.to) == (chain.to, chain.from)
        });
        let (Some(pair), mut latency) = (pair, self.latency(chain)) else { return Ok(0.0) };
        let carried = |level: usize, most: i64| {
            let number = occurrence.levels[level].number;
            is_carried(&pair.dependence.map, (occurrence, occurrence), number, (most, Within::Loops), budget)
        };
        let moving: Vec<usize> = (0..occurrence.levels.len()).filter(|k| occurrence.levels[*k].trips > 1.0).collect();
        let group_level = group.number.and_then(|number| occurrence.level_of(number));
        // The innermost loop that carries it: there the next instance comes soonest.
        let mut inside = 1.0;
        for (position, level) in moving.iter().enumerate().rev() {
            if !carried(*level, ANY)? {
                inside *= occurrence.levels[*level].trips;
                continue;
            }
            let mut distance = 1;
            while distance < 8 && !carried(*level, distance)? {
                distance *= 2;
            }
            let trips = occurrence.levels[*level].trips;
            let mut beside = inside * distance as f64;
            // Members inside the loop are copies in its body.
            let is_copied = group_level.is_some_and(|own| own < *level);
            if let Some(lanes) = cost.lanes {
                match group_level == Some(*level) {
                    true => beside *= lanes * INTERLEAVED.min((trips / lanes).max(1.0)),
                    false if is_copied => beside *= lanes,
                    false => {}
                }
            }
            if group_level != Some(*level) && !is_copied {
                // Between two instances the value is in memory.
                let element = self.scop.arrays[pair.array].element;
                latency += self.target.cost("load", element).latency + self.target.cost("store", element).latency;
            }
            let goes_on = match position.checked_sub(1).map(|outer| moving[outer]) {
                Some(outer) => carried(outer, ANY)?,
                None => true,
            };
            if !goes_on {
                // A run through a full tile; the last one may be shorter.
                let own = occurrence.levels[*level].full.map_or(trips, |(_, tile, _)| tile);
                let iterations = if is_copied { 1.0 } else { own * inside };
                let run = iterations * cost.instructions / cost.lanes.unwrap_or(1.0);
                beside *= (self.target.window / run.max(1.0)).max(1.0);
            }
            return Ok(occurrence.instances() * latency / beside);
        }
        Ok(0.0)
    }

    fn latency(&self, chain: &Chain) -> f64 {
        let of = |kind: &str, element| self.target.cost(kind, element).latency;
        let each = chain.through.iter().map(|operation| {
            let one = match operation.kind {
                OperationKind::MultiplyAdd if !self.target.vectors.fma => {
                    of("mul", operation.element) + of("add", operation.element)
                }
                _ => of(operation.kind.name(), operation.element),
            };
            f64::from(operation.times) * one
        });
        each.sum()
    }
}
