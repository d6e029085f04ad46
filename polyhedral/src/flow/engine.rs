//! The dependences of one sink: level by level, from the latest possible sources to the earliest.
//!
//! A part of the sinks is *open* while no access that kills (a must-source or a kill) has been found before it. At
//! every level, from the deepest, the last instance of every killing access is computed by parametric integer
//! programming for each open part. These are dependences if no other killing access of that level is later; may-sources
//! of the level are dependences as far as no killing instance is later. What got a killing instance is closed:
//! everything at outer levels is earlier and hidden. So nothing is ever subtracted from the possible pairs themselves,
//! the bulk of the work is done on few, small systems, and sources behind the first complete kill are not looked at.
//!
//! Sources that the schedule does not order (equal times, different children of a set) do not hide each other.
//!
//! Sources: P. Feautrier, *Dataflow Analysis of Array and Scalar References*, IJPP 20(1), 1991 (levels, the last source
//! by parametric integer programming); S. Verdoolaege, *High-Level Loop Transformations and Polyhedral Compilation*,
//! 2017 (sinks, sources and kills, may-sources).

use crate::affine::Aff;
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Conjunction, Map, Set};
use crate::schedule::TimeDim;
use crate::space::{Space, Tuple};

use super::pairs::{Last, Pair};
use super::site::{Role, Site};

/// What was found for one sink. Relations go from the variables of the sink to those of the source.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The index of the source and the pairs, for all sources.
    pub(super) may: Vec<(usize, Map)>,
    /// The same for sources that are certain: the last access to the element, whatever happens.
    pub(super) must: Vec<(usize, Map)>,
    /// The sinks that no killing access is before.
    pub(super) open: Vec<Conjunction>,
}

/// A possible source.
struct Candidate<'s> {
    index: usize,
    role: Role,
    pair: Pair<'s>,
}

/// A killing access with its last instances at a level.
struct Kill<'c, 's> {
    candidate: &'c Candidate<'s>,
    last: Vec<Last>,
    /// For each of them, the sinks for which no other killing access of the level is later.
    alive: Vec<Set>,
}

/// The analysis of one sink.
pub(super) struct Engine<'s> {
    sink: &'s Site,
    candidates: Vec<Candidate<'s>>,
    /// Whether to tell certain dependences from others.
    certain: bool,
    /// The sinks that have an uncertain source.
    tainted: Set,
    found: Found,
}

/// The dependences of one sink on sources that touch elements in the same space, given with their indices.
pub(super) fn dependences<'s>(
    sink: &'s Site,
    sources: impl Iterator<Item = (usize, &'s Site)>,
    budget: &Budget,
) -> Result<Found> {
    let mut candidates = Vec::new();
    for (index, source) in sources {
        let pair = Pair::new(sink, source);
        // One test instead of one per level.
        if pair.levels.is_empty() || (pair.levels.len() > 1 && !pair.meets(budget)?) {
            continue;
        }
        candidates.push(Candidate { index, role: source.role, pair });
    }
    let certain = candidates.iter().any(|c| c.role == Role::Must);
    let tainted = Set::empty(sink.condition.space().clone());
    let mut engine = Engine { sink, candidates, certain, tainted, found: Found::default() };
    engine.run(budget)?;
    Ok(engine.found)
}

impl Engine<'_> {
    fn run(&mut self, budget: &Budget) -> Result<()> {
        let candidates = std::mem::take(&mut self.candidates);
        let mut open = vec![self.sink.condition.clone()];
        for level in (0..self.sink.time.len()).rev() {
            let here: Vec<&Candidate<'_>> = candidates.iter().filter(|c| c.pair.levels.contains(&level)).collect();
            if here.is_empty() {
                continue;
            }
            let mut next = Vec::new();
            for part in open {
                next.extend(self.level(part, level, &here, budget)?);
            }
            open = next;
            if open.is_empty() {
                break;
            }
        }
        self.found.open = open;
        Ok(())
    }

    /// The dependences at a level of one open part; returns what stays open.
    fn level(
        &mut self,
        part: Conjunction,
        level: usize,
        here: &[&Candidate<'_>],
        budget: &Budget,
    ) -> Result<Vec<Conjunction>> {
        let mut kills: Vec<Kill<'_, '_>> = Vec::new();
        for candidate in here.iter().copied().filter(|c| c.role.kills()) {
            let last = candidate.pair.last(&part, level, budget)?;
            if !last.is_empty() {
                let alive = last.iter().map(|l| Set::from_conjunction(l.domain.clone())).collect();
                kills.push(Kill { candidate, last, alive });
            }
        }
        compare(&mut kills, level, budget)?;
        let uncertain = self.may_sources(&part, level, here, &kills, budget)?;
        for (k, kill) in kills.iter().enumerate() {
            for (last, alive) in kill.last.iter().zip(&kill.alive) {
                if alive.is_plainly_empty() || kill.candidate.role != Role::Must {
                    continue;
                }
                self.must_source(kill.candidate, level, last, alive, &kills, k, &uncertain, budget)?;
            }
        }
        if self.certain {
            self.tainted = self.tainted.union(&uncertain)?;
        }
        if kills.is_empty() {
            return Ok(vec![part]);
        }
        let mut rest = Set::from_conjunction(part);
        for last in kills.iter().flat_map(|kill| &kill.last) {
            rest = rest.subtract(&Set::from_conjunction(last.domain.clone()), budget)?;
        }
        Ok(rest.conjunctions().to_vec())
    }

    /// The dependences on may-sources of a level; returns their sinks (if anybody wants to know them).
    fn may_sources(
        &mut self,
        part: &Conjunction,
        level: usize,
        here: &[&Candidate<'_>],
        kills: &[Kill<'_, '_>],
        budget: &Budget,
    ) -> Result<Set> {
        let mut sinks = Set::empty(part.space().clone());
        for candidate in here.iter().copied().filter(|c| c.role == Role::May) {
            let frame = candidate.pair.at(part, level);
            let pairs = frame.conjunction.clone().simplify();
            if pairs.is_empty(budget)? {
                continue;
            }
            let mut pairs = Map::from_conjunction(pairs);
            for last in kills.iter().flat_map(|kill| &kill.last) {
                for hidden in candidate.pair.hidden(&frame, level, last) {
                    let hidden = hidden.simplify();
                    if !hidden.is_empty(budget)? {
                        pairs = pairs.subtract(&Map::from_conjunction(hidden), budget)?;
                    }
                }
            }
            if pairs.is_plainly_empty() {
                continue;
            }
            if self.certain {
                sinks = sinks.union(&pairs.domain(budget)?)?;
            }
            self.found.may.push((candidate.index, pairs));
        }
        Ok(sinks)
    }

    /// The dependences on the last instances of a must-source.
    #[expect(clippy::too_many_arguments, reason = "the state of one level, used once")]
    fn must_source(
        &mut self,
        candidate: &Candidate<'_>,
        level: usize,
        last: &Last,
        alive: &Set,
        kills: &[Kill<'_, '_>],
        own: usize,
        uncertain: &Set,
        budget: &Budget,
    ) -> Result<()> {
        let pair = &candidate.pair;
        let graph = |sinks: &Set| -> Result<Map> {
            let params = sinks.space().params_space();
            let (n_sink, n_source) = (pair.sink.n(), pair.source.n());
            let space = Space::map_of(&params, Tuple::anonymous(n_sink), Tuple::anonymous(n_source));
            let parts = sinks.conjunctions().iter().map(|part| pair.graph(part, level, last).simplify());
            Map::from_conjunctions(space, parts.collect())
        };
        let pairs = graph(alive)?;
        if !pairs.is_plainly_empty() {
            self.found.may.push((candidate.index, pairs.clone()));
        }
        let mut others: Vec<&Set> = Vec::new();
        for (_, kill) in kills.iter().enumerate().filter(|(k, _)| *k != own) {
            others.extend(kill.alive.iter().filter(|set| !set.is_plainly_empty()));
        }
        others.extend([uncertain, &self.tainted].into_iter().filter(|set| !set.is_plainly_empty()));
        let mut certain = alive.clone();
        for other in &others {
            certain = certain.subtract(other, budget)?;
        }
        let mut pairs = if others.is_empty() { pairs } else { graph(&certain)? };
        if last.source.is_none() {
            // Several instances at one time: none of them is certain.
            let range = pairs.space().range();
            let another = Map::lex_lt(&range)?.union(&Map::lex_gt(&range)?)?;
            pairs = pairs.subtract(&pairs.apply_range(&another, budget)?, budget)?;
        }
        if !pairs.is_plainly_empty() {
            self.found.must.push((candidate.index, pairs));
        }
        Ok(())
    }
}

/// Takes from every last instance the sinks for which another killing access of the level is later.
fn compare(kills: &mut [Kill<'_, '_>], level: usize, budget: &Budget) -> Result<()> {
    for a in 0..kills.len() {
        for b in 0..kills.len() {
            if a == b {
                continue;
            }
            for i in 0..kills[a].last.len() {
                for j in 0..kills[b].last.len() {
                    let (mine, other) = (&kills[a].last[i], &kills[b].last[j]);
                    let both = Set::from_conjunction(mine.domain.clone())
                        .intersect(&Set::from_conjunction(other.domain.clone()), budget)?;
                    if both.is_plainly_empty() || kills[a].alive[i].is_plainly_empty() {
                        continue;
                    }
                    // Where the two go apart, they are in children of one node: of the same kind for both.
                    let dims = &kills[a].candidate.pair.source.dims[level..];
                    for earlier in earlier(&mine.time, &other.time, dims, &both, budget)? {
                        kills[a].alive[i] = kills[a].alive[i].subtract(&earlier, budget)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// The parts of a domain where one time is before another.
fn earlier(a: &[Aff], b: &[Aff], dims: &[TimeDim], domain: &Set, budget: &Budget) -> Result<Vec<Set>> {
    let mut result = Vec::new();
    let mut equal = domain.clone();
    for ((a, b), dim) in a.iter().zip(b).zip(dims) {
        if let Some(difference) = b.sub(a)?.constant_value() {
            if difference.is_zero() {
                continue;
            }
            if *dim == TimeDim::Ordered && difference > Int::zero() {
                result.push(equal);
            }
            return Ok(result);
        }
        if *dim == TimeDim::Ordered {
            let less = equal.intersect(&a.lt_set(b)?, budget)?;
            if !less.is_empty(budget)? {
                result.push(less);
            }
        }
        equal = equal.intersect(&a.eq_set(b)?, budget)?;
        if equal.is_empty(budget)? {
            return Ok(result);
        }
    }
    Ok(result)
}
