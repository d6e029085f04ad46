//! Memory-based dependences: which statement instances touch the same array element in which order.
//!
//! Two instances depend on each other if both access one element, at least one of them writes, and one runs strictly
//! before the other. Memory-based means that writes in between are not looked at: the result is a superset of the
//! dataflow, and sufficient (and for reuse of memory necessary) for the legality of a schedule. Accesses that may or
//! may not happen count as happening.
//!
//! Instances at the same point in time are unordered: no dependence joins them.
//!
//! Example: `for i < n: A[i] = A[i - 1]` has the flow dependence `[n] -> { S[i] -> S[i + 1] : 0 <= i <= n - 2 }`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Map, UnionMap};
use crate::space::{DimKind, Name, Space, Tuple};

use super::strictly_before::{AffineTime, strictly_before};

/// What an access does to the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// The value may be read.
    Read,
    /// The element may be written.
    MayWrite,
    /// The element is written in every instance of the relation's domain.
    MustWrite,
}

/// One access of one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The statement.
    pub stmt: Name,
    /// `S[..] -> A[..]`, restricted to the domain of the statement. Accesses to different tuples never meet.
    pub relation: Map,
    /// What the access does.
    pub kind: AccessKind,
}

impl Access {
    fn writes(&self) -> bool {
        self.kind != AccessKind::Read
    }
}

/// One dependence: from the instances of an earlier access to those of a later one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// The index of the earlier access.
    pub source: usize,
    /// The index of the later access.
    pub target: usize,
    /// `S[..] -> T[..]`: the pairs of instances, not empty.
    pub relation: Map,
}

/// All memory-based dependences of a program, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependences {
    /// Write before read.
    pub flow: Vec<Dependence>,
    /// Read before write.
    pub anti: Vec<Dependence>,
    /// Write before write.
    pub output: Vec<Dependence>,
}

impl Dependences {
    /// All dependences, flow first, then anti, then output.
    pub fn iter(&self) -> impl Iterator<Item = &Dependence> {
        self.flow.iter().chain(&self.anti).chain(&self.output)
    }

    /// All dependences as one relation between instances.
    pub fn union(&self, budget: &Budget) -> Result<UnionMap> {
        UnionMap::from_members(self.iter().map(|d| d.relation.clone()))?.coalesce(budget)
    }
}

/// Computes the memory-based dependences of some accesses.
///
/// `schedule` maps every statement that accesses something to its time `S[..] -> [t0, .., tk]`, all of one length; the
/// order is lexicographic. Instances without time have no dependences. Exact; every relation returned is not empty and
/// reduced. Cost: for every pair of accesses to one array, one of which writes, one integer emptiness test per
/// dimension of time.
///
/// Errors: the budget; a schedule with times of different lengths or with two maps for one statement.
pub fn memory_dependences(accesses: &[Access], schedule: &UnionMap, budget: &Budget) -> Result<Dependences> {
    let times = Times::new(schedule)?;
    let mut earlier = Earlier::new(&times, budget)?;
    let mut result = Dependences::default();
    // What a statement reads and writes again is asked about once: the number of the first access that touches the same elements.
    let is_same = |a: &Access, b: &Access| a.stmt == b.stmt && a.relation.is_plainly_equal(&b.relation);
    let first: Vec<usize> = (0..accesses.len())
        .map(|k| accesses[..k].iter().position(|known| is_same(known, &accesses[k])).unwrap_or(k))
        .collect();
    let mut known: HashMap<(usize, usize), Map> = HashMap::new();
    for (s, source) in accesses.iter().enumerate() {
        for (t, target) in accesses.iter().enumerate() {
            let list = match (source.writes(), target.writes()) {
                (true, false) => &mut result.flow,
                (false, true) => &mut result.anti,
                (true, true) => &mut result.output,
                (false, false) => continue,
            };
            if source.relation.space().range_tuple() != target.relation.space().range_tuple() {
                continue;
            }
            let relation = match known.entry((first[s], first[t])) {
                Entry::Occupied(entry) => entry.get().clone(),
                Entry::Vacant(entry) => {
                    let pairs = times.ordered_pairs(&source.relation, &target.relation, &mut earlier, budget)?;
                    entry.insert(pairs).clone()
                }
            };
            if !relation.is_plainly_empty() {
                list.push(Dependence { source: s, target: t, relation });
            }
        }
    }
    Ok(result)
}

/// The schedule, one map per statement, with times of one length.
struct Times<'a> {
    schedule: &'a UnionMap,
    length: usize,
}

impl<'a> Times<'a> {
    fn new(schedule: &'a UnionMap) -> Result<Times<'a>> {
        let mut length = None;
        let mut seen: Vec<&Tuple> = Vec::new();
        for map in schedule.members() {
            let n = map.space().dim(DimKind::Out);
            if *length.get_or_insert(n) != n {
                return Err(bad_schedule(format!("times of {n} and of {} dimensions", length.unwrap_or(n))));
            }
            let Some(domain) = map.space().domain_tuple() else { continue };
            if seen.contains(&domain) {
                return Err(bad_schedule(format!("two maps for the statement {domain}")));
            }
            seen.push(domain);
        }
        Ok(Times { schedule, length: length.unwrap_or(0) })
    }

    /// The time of the statement instances that an access relation is about, with one unnamed tuple for all statements.
    fn of(&self, access: &Map) -> Result<Option<Map>> {
        let domain = access.space().domain_tuple();
        let Some(map) = self.schedule.members().find(|m| m.space().domain_tuple() == domain) else {
            return Ok(None);
        };
        let space = map.space().with_tuple(DimKind::Out, Tuple::anonymous(self.length));
        Ok(Some(map.with_space(&space)?))
    }

    /// The pairs of a source and a target instance that touch one element, the source strictly first.
    fn ordered_pairs(&self, source: &Map, target: &Map, earlier: &mut Earlier, budget: &Budget) -> Result<Map> {
        let pairs = source.apply_range(&target.reverse(), budget)?;
        let mut result = Map::empty(pairs.space().clone());
        if pairs.is_plainly_empty() || pairs.is_empty(budget)? {
            return Ok(result);
        }
        if let (Some(first), Some(second)) = (earlier.affine_time(source), earlier.affine_time(target)) {
            return strictly_before(first, second, &pairs, budget);
        }
        for before in earlier.of(self, source, target, budget)? {
            let ordered = pairs.intersect(before, budget)?;
            if !ordered.is_empty(budget)? {
                result = result.union(&ordered)?;
            }
        }
        result.coalesce(budget)
    }

    /// Which instances of one statement run strictly before which of another, one relation per dimension of time: equal
    /// before it, less in it. Nothing for a statement without time.
    fn before(&self, source: &Map, target: &Map, budget: &Budget) -> Result<Vec<Map>> {
        let (Some(first), Some(second)) = (self.of(source)?, self.of(target)?) else { return Ok(Vec::new()) };
        let later = second.reverse();
        let anonymous = Space::set_of(first.space(), Tuple::anonymous(self.length));
        let mut order = Map::universe(Space::map(&anonymous, &anonymous));
        let mut result = Vec::with_capacity(self.length);
        for k in 0..self.length {
            result.push(first.apply_range(&order.order_lt(k, k)?, budget)?.apply_range(&later, budget)?);
            order = order.equate(k, k)?;
        }
        Ok(result)
    }
}

/// What is known about the order of instances, statement by statement: all their accesses share it.
struct Earlier {
    /// The times that are affine functions.
    affine: HashMap<Tuple, AffineTime>,
    /// For other statements: [`Times::before`] for every pair that has been asked for.
    before: Vec<((Tuple, Tuple), Vec<Map>)>,
}

impl Earlier {
    fn new(times: &Times<'_>, budget: &Budget) -> Result<Earlier> {
        let mut affine = HashMap::new();
        for map in times.schedule.members() {
            if let Some(statement) = map.space().domain_tuple()
                && let Some(time) = AffineTime::new(map, budget)?
            {
                affine.insert(statement.clone(), time);
            }
        }
        Ok(Earlier { affine, before: Vec::new() })
    }

    /// The time of the statement of an access.
    fn affine_time(&self, access: &Map) -> Option<&AffineTime> {
        self.affine.get(access.space().domain_tuple()?)
    }

    fn of(&mut self, times: &Times<'_>, source: &Map, target: &Map, budget: &Budget) -> Result<&[Map]> {
        let tuple = |access: &Map| access.space().domain_tuple().cloned().unwrap_or_else(|| Tuple::anonymous(0));
        let key = (tuple(source), tuple(target));
        let known = self.before.iter().position(|(pair, _)| *pair == key);
        let place = match known {
            Some(place) => place,
            None => {
                self.before.push((key, times.before(source, target, budget)?));
                self.before.len() - 1
            }
        };
        Ok(&self.before[place].1)
    }
}

fn bad_schedule(what: String) -> Error {
    Error::OutOfRange { operation: "compute dependences", what }
}

/// The part of a dependence relation that one dimension of time carries: both instances have equal times before it and
/// the source is strictly earlier in it. `depth` counts from zero.
pub fn carried_at(dependence: &Map, schedule: &UnionMap, depth: usize, budget: &Budget) -> Result<Map> {
    let times = Times::new(schedule)?;
    let nothing = Map::empty(dependence.space().clone());
    let (Some(first), Some(second)) = (times.of(dependence)?, times.of(&dependence.reverse())?) else {
        return Ok(nothing);
    };
    let anonymous = Space::set_of(first.space(), Tuple::anonymous(times.length));
    let mut order = Map::universe(Space::map(&anonymous, &anonymous));
    for k in 0..depth.min(times.length) {
        order = order.equate(k, k)?;
    }
    let order = order.order_lt(depth, depth)?;
    dependence.intersect(&first.apply_range(&order, budget)?.apply_range(&second.reverse(), budget)?, budget)
}

/// The least and greatest time difference `t(target) - t(source)` of a dependence in every dimension of time; nothing
/// for a side without bound (over all parameter values). An empty relation has no entries.
pub fn distance_bounds(
    dependence: &Map,
    schedule: &UnionMap,
    budget: &Budget,
) -> Result<Vec<(Option<Int>, Option<Int>)>> {
    use crate::affine::Aff;
    use crate::lp::IntOptimum;
    let times = Times::new(schedule)?;
    let (Some(first), Some(second)) = (times.of(dependence)?, times.of(&dependence.reverse())?) else {
        return Ok(Vec::new());
    };
    let distances = dependence.apply_domain(&first, budget)?.apply_range(&second, budget)?.deltas(budget)?;
    let mut result = Vec::new();
    for k in 0..times.length {
        let aff = Aff::var(distances.space().clone(), k)?;
        let (least, greatest) = (distances.min_aff(&aff, budget)?, distances.max_aff(&aff, budget)?);
        let value = |optimum| if let IntOptimum::Bounded(value) = optimum { Some(value) } else { None };
        if least == IntOptimum::Empty {
            return Ok(Vec::new());
        }
        result.push((value(least), value(greatest)));
    }
    Ok(result)
}
