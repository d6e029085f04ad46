//! How long data takes on its way between the levels of the memory.
//!
//! For every cache there is a level of loops at which data fits: what one iteration of a loop touches stays until the next iteration, if it
//! fits. Such a loop, with all that is in it, fetches everything it touches once; loops outside of it fetch that again in every iteration. So the
//! traffic of a loop is
//!
//! ```text
//! traffic(loop) = lines touched by the loop                      if what one iteration touches fits
//!                 trips * sum of the traffic of what is inside   otherwise
//! ```
//!
//! with a soft edge between both, since caches are never used perfectly. Data that fits as a whole is taken to be there already.
//!
//! In a product in the order `i, k, j` an iteration of `i` touches all of `B`: where that fits into the second cache it is fetched once from
//! behind it, and where not, `n` times. With tiles that is `n / size` times.
//!
//! A line costs its size over the bandwidth of the level that it comes from, and a little more if it is written. The first line of a run of neighbours
//! also costs the latency, over the number of lines that can be under way: nothing has announced it. Address translation is a cache
//! of pages in the same way.

use crate::budget::Budget;
use crate::error::Result;
use crate::target::Target;

use super::footprint::{Grid, Moved, Touched, together};
use super::nest::Nest;

/// A cache with the costs of what it does not hold.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) name: String,
    grid: Grid,
    /// Cycles per line that is read.
    line: f64,
    /// Cycles per run of lines.
    run: f64,
}

/// How much longer a line takes that is written: it goes back while others come. (Measured: sums of columns against columns of partial sums,
/// 1.2 in memory, 1.0 to 1.3 in caches.)
const WRITTEN: f64 = 1.25;

/// How much longer the first line of a run takes that is only written: stores leave in order, fewer are under way. (Measured:
/// transpositions that store along columns against those that load along columns, 1.4 to 1.9.)
const UNREAD: f64 = 2.0;

/// The caches of a target, each with the name of what is behind it, and address translation as `pages`.
pub(super) fn levels(target: &Target) -> Vec<Level> {
    let mut result = Vec::new();
    for (index, cache) in target.caches.iter().enumerate() {
        let (name, latency, throughput) = match target.caches.get(index + 1) {
            Some(next) => (next.name.as_str(), next.latency, next.throughput),
            None => ("memory", target.memory.latency, target.memory.throughput),
        };
        let line = cache.line as f64;
        result.push(Level {
            name: name.to_owned(),
            grid: Grid { bytes: cache.bytes as f64, line, ways: cache.ways as f64 },
            line: line / throughput,
            run: latency / target.misses,
        });
    }
    for pages in &target.pages {
        let page = pages.page as f64;
        result.push(Level {
            name: "pages".to_owned(),
            grid: Grid { bytes: page * pages.entries as f64, line: page, ways: 0.0 },
            line: pages.miss,
            run: 0.0,
        });
    }
    result
}

impl Level {
    /// The share of data that stays where so many lines take places: all up to 0.7 of the size, nothing above 1.2 of it.
    fn kept(&self, occupied: f64) -> f64 {
        ((1.2 - occupied * self.grid.line / self.grid.bytes) / 0.5).clamp(0.0, 1.0)
    }

    fn cost(&self, touched: &Touched) -> f64 {
        let lines = touched.lines(self.grid);
        let both = if touched.written && self.run > 0.0 { WRITTEN } else { 1.0 };
        let waiting = if touched.written && !touched.read { UNREAD } else { 1.0 };
        both * lines.fetched * self.line + waiting * lines.starts * self.run
    }
}

/// Traffic of a nest at one level.
pub(super) struct Traffic<'n> {
    pub(super) nest: &'n Nest,
    /// The accesses of every occurrence.
    pub(super) accesses: &'n [Vec<Moved>],
    pub(super) level: &'n Level,
    pub(super) budget: &'n Budget,
}

impl Traffic<'_> {
    /// Cycles of every occurrence, of all its instances.
    pub(super) fn of_all(&self) -> Result<Vec<f64>> {
        let densities = self.nest.occurrences.iter().map(|occurrence| occurrence.density.min(1.0));
        Ok(self.of_loop(0)?.iter().zip(densities).map(|(cycles, density)| cycles * density).collect())
    }

    /// What a loop touches: all of it, or one iteration.
    fn touched(&self, number: usize, is_one_iteration: bool) -> Result<Vec<Touched>> {
        let occurrences = self.nest.occurrences.iter().enumerate().filter_map(|(index, occurrence)| {
            let from = if number == 0 { 0 } else { occurrence.level_of(number)? + usize::from(is_one_iteration) };
            Some((index, occurrence, from))
        });
        let all = occurrences.flat_map(|(index, occurrence, from)| {
            self.accesses[index].iter().map(move |access| access.touched(index, occurrence, from))
        });
        together(all, self.budget)
    }

    /// Cycles per occurrence for one run of a loop.
    fn of_loop(&self, number: usize) -> Result<Vec<f64>> {
        let none = vec![0.0; self.nest.occurrences.len()];
        let own = &self.nest.loops[number];
        let body = self.touched(number, true)?;
        let occupied: f64 = body.iter().map(|touched| touched.lines(self.level.grid).occupied).sum();
        let kept = self.level.kept(occupied);
        let mut once = none.clone();
        if number != 0 && kept > 0.0 {
            for touched in self.touched(number, false)? {
                once[touched.occurrence] += self.level.cost(&touched);
            }
        }
        if kept >= 1.0 {
            return Ok(once);
        }
        let mut again = none;
        for inner in &own.loops {
            for (sum, cycles) in again.iter_mut().zip(self.of_loop(*inner)?) {
                *sum += cycles;
            }
        }
        for index in &own.occurrences {
            let occurrence = &self.nest.occurrences[*index];
            let last = occurrence.levels.len();
            let all = self.accesses[*index].iter().map(|access| access.touched(*index, occurrence, last));
            again[*index] += together(all, self.budget)?.iter().map(|touched| self.level.cost(touched)).sum::<f64>();
        }
        for (index, cycles) in again.iter_mut().enumerate() {
            // A loop of several occurrences may run longer than this one is in it.
            let occurrence = &self.nest.occurrences[index];
            let trips = occurrence.level_of(number).map_or(1.0, |level| occurrence.levels[level].trips);
            *cycles = kept * once[index].min(*cycles * trips) + (1.0 - kept) * *cycles * trips;
        }
        Ok(again)
    }
}
