//! The memory dependences of a model, as relations between statement instances.

use crate::detect::reasons::Reason;
use crate::model::poly::{Poly, Sym};
use crate::model::scop::{Access, AccessKind, Order, Scop, Statement};
use crate::model::sets::{Frame, library_error};
use crate::optimise::parallel;
use tessera_polyhedral::affine::{Aff, MultiAff};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow;
use tessera_polyhedral::relation::{Conjunction, Map, UnionMap};
use tessera_polyhedral::space::{DimKind, Space};

/// Instances of `source` that must run before instances of `sink`, or at least not at the same time.
#[derive(Clone, Debug)]
pub struct Dependence {
    /// Index of the earlier statement.
    pub source: usize,
    /// Index of the later statement.
    pub sink: usize,
    /// Which instances: `source[..] -> sink[..]`.
    pub map: Map,
    /// Both only add to the same elements (or the like): they need an order, but any order will do.
    pub reduction: bool,
}

/// What kind of accesses a pair consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A write before a read.
    Flow,
    /// A read before a write.
    Anti,
    /// A write before a write.
    Output,
}

/// The dependence between two accesses to one array.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Index of the array.
    pub array: usize,
    /// What the accesses do.
    pub kind: Kind,
    /// The instances.
    pub dependence: Dependence,
}

/// The dependences of a model.
#[derive(Clone, Debug)]
pub struct Dependences {
    /// One relation per pair of statements, those of reductions apart.
    pub merged: Vec<Dependence>,
    /// The same, access by access.
    pub pairs: Vec<Pair>,
}

/// The space of a statement's instances.
pub fn statement_space(scop: &Scop, statement: &Statement) -> Space {
    Frame::of_loops(&scop.context.space().params_space(), &statement.name, &statement.loops).space().clone()
}

/// An access as a relation from instances to elements, without the domain.
pub fn access_relation(scop: &Scop, statement: &Statement, access: &Access) -> Result<Map, Reason> {
    let params = scop.context.space().params_space();
    let frame = Frame::of_loops(&params, &statement.name, &statement.loops);
    let names: Vec<String> = (0..access.subscripts.len()).map(|dim| format!("a{dim}")).collect();
    let elements = Space::set(&params, &scop.arrays[access.array].name, &names);
    let space = Space::map(frame.space(), &elements);
    let mut conjunction = Conjunction::universe(space.clone());
    let first = space.offset(DimKind::Out);
    for (dim, subscript) in access.subscripts.iter().enumerate() {
        let mut row = frame.row(subscript)?;
        row.resize(space.n_col(), Int::zero());
        let negated: Vec<Int> = row.iter().map(|entry| -entry).collect();
        if dim + 1 == access.subscripts.len() && access.count > 1 {
            // subscript <= element < subscript + count
            let mut low = negated;
            low[first + dim] = Int::one();
            let mut high = row;
            high[first + dim] = Int::from(-1i64);
            high[0] = &high[0] + &Int::from(access.count - 1);
            conjunction.add_ineq(low);
            conjunction.add_ineq(high);
        } else {
            let mut equal = row;
            equal[first + dim] = Int::from(-1i64);
            conjunction.add_eq(equal);
        }
    }
    Ok(Map::from_conjunction(conjunction))
}

/// The original schedule of every statement as time vectors of one length.
pub fn original_schedule(scop: &Scop) -> Result<Vec<Map>, Reason> {
    let mut times: Vec<Vec<Poly>> = vec![Vec::new(); scop.statements.len()];
    fn walk(order: &[Order], prefix: &[Poly], times: &mut [Vec<Poly>]) {
        for (position, node) in order.iter().enumerate() {
            let here = [prefix, &[Poly::constant(position as i128).unwrap_or_default()]].concat();
            match node {
                Order::Statement(statement) => times[*statement] = here,
                Order::Loop { index, body } => {
                    let inner = [here.as_slice(), &[Poly::symbol(Sym::Iv(*index))]].concat();
                    walk(body, &inner, times);
                }
            }
        }
    }
    walk(&scop.order, &[], &mut times);
    let length = times.iter().map(Vec::len).max().unwrap_or(0);
    let params = scop.context.space().params_space();
    let names: Vec<String> = (0..length).map(|dim| format!("t{dim}")).collect();
    let range = Space::set(&params, "", &names);
    scop.statements
        .iter()
        .zip(&mut times)
        .map(|(statement, time)| {
            time.resize(length, Poly::zero());
            let frame = Frame::of_loops(&params, &statement.name, &statement.loops);
            let affs = time
                .iter()
                .map(|poly| Ok(Aff::from_row(frame.space().clone(), frame.row(poly)?, Int::one())))
                .collect::<Result<Vec<_>, Reason>>()?;
            let map = Space::map(frame.space(), &range);
            MultiAff::new(map, affs).and_then(|multi| multi.to_map()).map_err(library_error)
        })
        .collect()
}

/// All memory dependences (flow, anti and output) of the original order. Exact, but for those that the program promises not to
/// have.
pub fn dependences(scop: &Scop, budget: &Budget) -> Result<Dependences, Reason> {
    let schedule = UnionMap::from_members(original_schedule(scop)?).map_err(library_error)?;
    let mut accesses = Vec::new();
    let mut origins = Vec::new();
    for (s, statement) in scop.statements.iter().enumerate() {
        for (position, access) in statement.accesses.iter().enumerate() {
            let relation = access_relation(scop, statement, access)?
                .intersect_domain(&statement.domain, budget)
                .map_err(library_error)?;
            let kind = match access.kind {
                AccessKind::Read => flow::AccessKind::Read,
                AccessKind::Write => flow::AccessKind::MustWrite,
                AccessKind::MayWrite => flow::AccessKind::MayWrite,
            };
            accesses.push(flow::Access { stmt: statement.name.as_str().into(), relation, kind });
            origins.push((s, position));
        }
    }
    let found = flow::memory_dependences(&accesses, &schedule, budget).map_err(library_error)?;
    let mut result = Dependences { merged: Vec::new(), pairs: Vec::new() };
    let flow = found.flow.iter().map(|pair| (Kind::Flow, pair));
    let anti = found.anti.iter().map(|pair| (Kind::Anti, pair));
    let output = found.output.iter().map(|pair| (Kind::Output, pair));
    for (kind, pair) in flow.chain(anti).chain(output) {
        let (source, sink) = (origins[pair.source].0, origins[pair.target].0);
        let access = |(s, position): (usize, usize)| (&scop.statements[s], &scop.statements[s].accesses[position]);
        let (from, to) = (access(origins[pair.source]), access(origins[pair.target]));
        let relation = parallel::without_promised(scop, from, to, &pair.relation, budget)?;
        if relation.is_empty(budget).map_err(library_error)? {
            continue;
        }
        let reduction = is_reduction(scop, origins[pair.source], origins[pair.target]);
        let dependence = Dependence { source, sink, map: relation.clone(), reduction };
        result.pairs.push(Pair { array: from.1.array, kind, dependence });
        match result.merged.iter_mut().find(|d| d.source == source && d.sink == sink && d.reduction == reduction) {
            Some(known) => {
                let both = known.map.union(&relation).and_then(|map| map.coalesce(budget));
                known.map = both.map_err(library_error)?;
            }
            None => result.merged.push(Dependence { source, sink, map: relation, reduction }),
        }
    }
    Ok(result)
}

/// Whether two accesses, by statement and position, are those of reductions of one kind.
fn is_reduction(scop: &Scop, source: (usize, usize), sink: (usize, usize)) -> bool {
    let kind = |(s, access): (usize, usize)| {
        let reduction = scop.statements[s].reduction.as_ref();
        reduction.filter(|r| r.read == access || r.write == access).map(|r| (r.combination, r.ty))
    };
    kind(source).is_some() && kind(source) == kind(sink)
}
