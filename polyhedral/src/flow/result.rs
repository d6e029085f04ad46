//! [`Flow`]: the dependences of accesses, as unions over all statements and arrays.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{self, Conjunction, Map, UnionMap};
use crate::space::{DimKind, Space};

use super::engine;
use super::input::AccessInfo;
use super::site::{Role, Site, append, append_divs, sites};
use super::times::Times;

/// The result of dependence analysis as plain data, to be printed and read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowInfo {
    /// `source -> [sink -> element]` for sources that are certain.
    pub must_dependence: UnionMap,
    /// All of `source -> [sink -> element]`, certain or not.
    pub may_dependence: UnionMap,
    /// The sinks without any source.
    pub must_no_source: UnionMap,
    /// The sinks that may have no source.
    pub may_no_source: UnionMap,
}

/// The result of a dependence analysis: see [`AccessInfo::compute_flow`].
#[derive(Clone, Debug)]
pub struct Flow {
    /// `source -> [sink -> element]`.
    may: UnionMap,
    must: UnionMap,
    may_no_source: UnionMap,
}

impl AccessInfo {
    /// The dependences between accesses: triples of an instance `i` of a source, an instance `k` of a sink and an element that both
    /// touch, `i` strictly before `k`, such that no kill of the element is strictly between them. A must-source is also a
    /// kill. Without kills these are the memory-based dependences, and with only must-sources the value-based ones.
    ///
    /// A dependence is *certain* if its source is a must-source and no other access to the element is at the same time as the source, or
    /// unordered with it, or between it and the sink.
    ///
    /// Instances at equal times, and in different children of a set node, are unordered: none is before the other. Accesses by
    /// instances without a time are ignored. An access may be tagged, `[S[..] -> R[..]] -> A[..]`, with a schedule of `S[..]`. What
    /// is both a may-source and a must-source (or a kill and a must-source) is a must-source.
    ///
    /// Exact for all quasi-affine accesses and schedules. Cost: for every pair of accesses to one array and every common loop one
    /// parametric integer program; what is behind a complete kill costs nothing.
    ///
    /// Errors: the budget; a schedule map that gives an instance several times or different tuples; a schedule tree
    /// with an extension that runs instances several times; a kill without a last instance before some sink (an unbounded domain).
    pub fn compute_flow(&self, budget: &Budget) -> Result<Flow> {
        let mut times = Times::new(&self.order, budget)?;
        let mut params = times.params(self.sink.params_space().clone());
        for access in [&self.must_source, &self.may_source, &self.kill] {
            params = params.align_params(access.params_space());
        }
        times.align(&params);
        let align = |access: &UnionMap| access.align_params(&params);
        let (sink, must) = (align(&self.sink), align(&self.must_source));
        let (may, kill) =
            (without(&align(&self.may_source), &must, budget)?, without(&align(&self.kill), &must, budget)?);

        let mut sources: Vec<Site> = Vec::new();
        for (role, access) in [(Role::Must, &must), (Role::May, &may), (Role::Kill, &kill)] {
            for map in access.members() {
                sources.extend(sites(role, map, &times, budget)?);
            }
        }
        let mut flow = Collector::new(&params);
        for map in sink.members() {
            for site in sites(Role::Sink, map, &times, budget)? {
                let element = map.space().range_tuple();
                let possible = sources.iter().enumerate().filter(|(_, source)| source.space.range_tuple() == element);
                let found = engine::dependences(&site, possible, budget)?;
                flow.add(&site, &sources, found)?;
            }
        }
        // Without kills nothing is cut in pieces: the parts are the pairs of two accesses at one level, and stay that.
        let cut = !must.is_plainly_empty() || !kill.is_plainly_empty();
        flow.finish(cut, budget)
    }
}

/// The pairs of `all` that are not in `some`; no work where they touch different things.
fn without(all: &UnionMap, some: &UnionMap, budget: &Budget) -> Result<UnionMap> {
    if all.is_plainly_empty() || some.is_plainly_empty() { Ok(all.clone()) } else { all.subtract(some, budget) }
}

/// Relations under construction.
struct Collector {
    params: Space,
    may: Vec<Map>,
    must: Vec<Map>,
    open: Vec<Map>,
}

impl Collector {
    fn new(params: &Space) -> Collector {
        Collector { params: params.clone(), may: Vec::new(), must: Vec::new(), open: Vec::new() }
    }

    fn add(&mut self, sink: &Site, sources: &[Site], found: engine::Found) -> Result<()> {
        for (list, pairs) in [(&mut self.may, found.may), (&mut self.must, found.must)] {
            for (index, map) in pairs {
                if let Some(source) = sources.get(index)
                    && source.role.is_source()
                {
                    list.push(full(sink, source, &map)?);
                }
            }
        }
        let parts = found.open.iter().map(|part| access(sink, part)).collect();
        self.open.push(Map::from_conjunctions(sink.space.clone(), parts)?);
        Ok(())
    }

    fn finish(self, cut: bool, budget: &Budget) -> Result<Flow> {
        let union = |maps: Vec<Map>| -> Result<UnionMap> {
            let mut all = UnionMap::empty(&self.params);
            for map in maps.into_iter().filter(|map| !map.is_plainly_empty()) {
                all = all.add(&map)?;
            }
            if cut { all.coalesce(budget) } else { Ok(all) }
        };
        let (may, must) = (union(self.may)?, union(self.must)?);
        let may_no_source = union(self.open)?;
        Ok(Flow { may, must, may_no_source })
    }
}

/// `source -> [sink -> element]` of pairs of variables `sink -> source`.
fn full(sink: &Site, source: &Site, pairs: &Map) -> Result<Map> {
    let params = sink.space.params_space();
    let wrapped = sink.space.wrap();
    let domain = Space::set_of(&params, source.space.domain().range_tuple().clone());
    let space = Space::map(&domain, &wrapped);
    let n_element = sink.space.dim(DimKind::Out);
    let (n_param, n_source, n_sink) = (params.param_names().len(), source.n_instance(), sink.n_instance());
    let parts = pairs.conjunctions().iter().map(|part| {
        let mut result = Conjunction::universe(space.clone());
        let first_source = 1 + n_param;
        let first_sink = first_source + n_source;
        let first_element = first_sink + n_sink;
        // Variables of the sink beyond the instance are the element.
        let mut map: Vec<usize> = (0..=n_param).collect();
        map.extend((0..sink.n()).map(|k| first_sink + k));
        let sink_map = map.clone();
        map.extend((0..n_source).map(|k| first_source + k));
        for _ in n_source..source.n() {
            map.push(result.add_existential());
        }
        append(&mut result, part, &map);
        define_element(&mut result, sink, &sink_map, first_element, n_element);
        result.simplify()
    });
    Map::from_conjunctions(space.clone(), parts.collect())
}

/// `sink -> element` of a part of the sinks.
fn access(sink: &Site, part: &Conjunction) -> Conjunction {
    let mut result = Conjunction::universe(sink.space.clone());
    let (n_param, n_sink) = (sink.n_param(), sink.n_instance());
    let map: Vec<usize> = (0..1 + n_param + sink.n()).collect();
    append(&mut result, part, &map);
    define_element(&mut result, sink, &map, 1 + n_param + n_sink, sink.space.dim(DimKind::Out));
    result.simplify()
}

/// Equates columns with the element of a site, unless they are its variables already.
fn define_element(result: &mut Conjunction, site: &Site, map: &[usize], first: usize, n: usize) {
    if site.n() > site.n_instance() {
        return;
    }
    let full = append_divs(result, &site.divs, map);
    for (k, row) in site.element.iter().enumerate().take(n) {
        let mut row = relation::remap(row, &full, result.n_col());
        row[first + k] -= &Int::one();
        result.add_eq(row);
    }
}

impl Flow {
    /// All dependences, certain or not: `source -> sink`.
    pub fn may_dependence(&self, budget: &Budget) -> Result<UnionMap> {
        self.may.range_factor_domain(budget)
    }

    /// The certain dependences: `source -> sink`.
    pub fn must_dependence(&self, budget: &Budget) -> Result<UnionMap> {
        self.must.range_factor_domain(budget)
    }

    /// All dependences with the element: `source -> [sink -> element]`.
    pub fn full_may_dependence(&self) -> &UnionMap {
        &self.may
    }

    /// The certain dependences with the element: `source -> [sink -> element]`.
    pub fn full_must_dependence(&self) -> &UnionMap {
        &self.must
    }

    /// The sinks (with their elements) that no kill is before: they may see what was there before the program. Sources may be
    /// before them.
    pub fn may_no_source(&self) -> &UnionMap {
        &self.may_no_source
    }

    /// The sinks (with their elements) that no source and no kill is before. Exact; found by subtracting the sinks of all dependences,
    /// which for memory-based dependences costs more than the analysis.
    pub fn must_no_source(&self, budget: &Budget) -> Result<UnionMap> {
        if self.may_no_source.is_plainly_empty() || self.may.is_plainly_empty() {
            return Ok(self.may_no_source.clone());
        }
        // Pairs with a source are gone from the open ones unless the source is uncertain.
        let sourced = self.may.range(budget)?.unwrap()?;
        self.may_no_source.subtract(&sourced, budget)?.coalesce(budget)
    }

    /// The same as plain data, to be printed.
    pub fn info(&self, budget: &Budget) -> Result<FlowInfo> {
        Ok(FlowInfo {
            must_dependence: self.must.clone(),
            may_dependence: self.may.clone(),
            must_no_source: self.must_no_source(budget)?,
            may_no_source: self.may_no_source.clone(),
        })
    }
}
