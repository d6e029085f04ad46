//! [`Graph`]: the statements and the constraints between them.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::arith::{Int, Row};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Conjunction, Map, UnionMap};
use crate::space::{DimKind, Space};

use super::ScheduleConstraints;
use super::cone::Cone;
use super::options::Options;
use super::statement::{Statement, refused};

/// The kinds of constraints, as bits.
pub(super) type Kinds = u8;
/// The second instance must not be before the first.
pub(super) const VALIDITY: Kinds = 1;
/// Both instances should be at the same point.
pub(super) const COINCIDENCE: Kinds = 2;
/// Both instances should be close.
pub(super) const PROXIMITY: Kinds = 4;
/// Where the instances are not at the same point, adjacent conditional validity constraints hold.
pub(super) const CONDITION: Kinds = 8;
/// As validity, if some adjacent condition holds.
pub(super) const CONDITIONAL: Kinds = 16;

/// One conjunction of a constraint in compressed coordinates.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) relation: Conjunction,
    cone: OnceCell<Rc<Cone>>,
}

impl Part {
    pub(super) fn new(relation: Conjunction) -> Part {
        Part { relation, cone: OnceCell::new() }
    }

    /// The generators of a part of an edge: over differences if both instances are of one statement, else over pairs.
    fn cone(&self, same: bool, sizes: &[Option<Int>], budget: &Budget) -> Result<Rc<Cone>> {
        if let Some(cone) = self.cone.get() {
            return Ok(cone.clone());
        }
        let cone = if same {
            Cone::of_differences(&self.relation, sizes, budget)?
        } else {
            Cone::of_pairs(&self.relation, budget)?
        };
        Ok(self.cone.get_or_init(|| Rc::new(cone)).clone())
    }
}

/// Constraints of some kinds between the instances of two statements.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) source: usize,
    pub(super) sink: usize,
    pub(super) kinds: Kinds,
    pub(super) parts: Vec<Part>,
    /// The conditions with tags, in compressed coordinates: `[S[x] -> tag] -> [T[y] -> tag]`; without tags if there are none.
    pub(super) conditions: Vec<Map>,
    /// The conditional validity constraints, likewise.
    pub(super) conditional: Vec<Map>,
    /// The distance is forced to zero in the present band.
    pub(super) local: bool,
    /// For a statement and itself: the extents of its instances, as far as they are to be used.
    sizes: Rc<Vec<Option<Int>>>,
    joined: OnceCell<Rc<Cone>>,
}

impl Edge {
    /// Whether the edge is of one of some kinds.
    pub(super) fn is(&self, kinds: Kinds) -> bool {
        self.kinds & kinds != 0
    }

    /// The generators of one part.
    pub(super) fn part_cone(&self, part: &Part, budget: &Budget) -> Result<Rc<Cone>> {
        part.cone(self.source == self.sink, &self.sizes, budget)
    }

    /// The generators of all parts together.
    pub(super) fn cone(&self, budget: &Budget) -> Result<Rc<Cone>> {
        if let Some(cone) = self.joined.get() {
            return Ok(cone.clone());
        }
        let cones: Vec<Rc<Cone>> = self.parts.iter().map(|p| self.part_cone(p, budget)).collect::<Result<_>>()?;
        let cone = match cones.as_slice() {
            [cone] => cone.clone(),
            _ => Rc::new(Cone::join(cones.iter().map(|c| &**c))),
        };
        Ok(self.joined.get_or_init(|| cone).clone())
    }

    /// The row `f(sink) - f(source)` over the columns of the cone.
    pub(super) fn distance(&self, source: &[Int], sink: &[Int], n_param: usize) -> Row {
        let first = 1 + n_param;
        if self.source == self.sink {
            let mut row: Row = (0..first).map(|_| Int::zero()).collect();
            row.extend_from_slice(&sink[first..]);
            return row;
        }
        let mut row: Row = source[..first].iter().zip(&sink[..first]).map(|(a, b)| b - a).collect();
        row.extend(source[first..].iter().map(|x| -x));
        row.extend_from_slice(&sink[first..]);
        row
    }

    /// The row of a distance over the columns of the parts' relations.
    fn over_pairs(&self, distance: &Row, n_param: usize) -> Row {
        if self.source != self.sink {
            return distance.clone();
        }
        let first = 1 + n_param;
        let mut row = Row::from(&distance[..first]);
        row.extend(distance[first..].iter().map(|x| -x));
        row.extend_from_slice(&distance[first..]);
        row
    }

    /// Drops the pairs that a row of the schedule orders; `distance` is its distance, nowhere negative unless the edge may be
    /// violated. Pairs with another distance than zero disappear.
    pub(super) fn keep_zero_distance(&mut self, distance: &Row, n_param: usize, budget: &Budget) -> Result<()> {
        let mut kept = Vec::with_capacity(self.parts.len());
        let mut changed = false;
        for part in std::mem::take(&mut self.parts) {
            let range = self.part_cone(&part, budget)?.range(distance);
            if range.zero {
                kept.push(part);
                continue;
            }
            changed = true;
            if range.positive {
                continue;
            }
            let row = self.over_pairs(distance, n_param);
            let map = Map::from_conjunction(part.relation).add_eq(&row);
            for conjunction in map.conjunctions() {
                if !conjunction.is_empty(budget)? {
                    kept.push(Part::new(conjunction.clone()));
                }
            }
        }
        self.parts = kept;
        if changed {
            self.joined = OnceCell::new();
        }
        Ok(())
    }

    /// The same pairs as other parts. Bounds on the extents of a statement count from now on.
    pub(super) fn split_into(&mut self, parts: Vec<Conjunction>) {
        self.parts = parts.into_iter().map(Part::new).collect();
        self.sizes = Rc::default();
        self.joined = OnceCell::new();
    }

    /// A constraint that is known only by its generators.
    pub(super) fn of_cone(source: usize, sink: usize, kinds: Kinds, cone: Rc<Cone>) -> Edge {
        Edge {
            source,
            sink,
            kinds,
            parts: Vec::new(),
            conditions: Vec::new(),
            conditional: Vec::new(),
            local: false,
            sizes: Rc::default(),
            joined: OnceCell::from(cone),
        }
    }

    /// Whether no pairs are left.
    pub(super) fn is_gone(&self) -> bool {
        self.parts.is_empty()
    }
}

/// Statements, and edges between them by index.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) statements: Vec<Statement>,
    pub(super) edges: Vec<Edge>,
    /// The number of rows of the schedule when the present band was begun.
    pub(super) band_start: usize,
}

impl Graph {
    /// The number of parameters.
    pub(super) fn n_param(&self) -> usize {
        self.statements.first().map_or(0, Statement::n_param)
    }

    /// The greatest number of rows that a statement still needs.
    pub(super) fn missing(&self) -> usize {
        self.statements.iter().map(Statement::missing).max().unwrap_or(0)
    }

    /// The number of rows of the schedule.
    pub(super) fn n_rows(&self) -> usize {
        self.statements.first().map_or(0, |s| s.rows.len())
    }

    /// The graph of schedule constraints.
    pub(super) fn new(constraints: &ScheduleConstraints, options: &Options, budget: &Budget) -> Result<Graph> {
        let relations = [
            (VALIDITY, &constraints.validity),
            (COINCIDENCE, &constraints.coincidence),
            (PROXIMITY, &constraints.proximity),
            (CONDITION, &constraints.condition),
            (CONDITIONAL, &constraints.conditional_validity),
        ];
        let mut params = constraints.domain.params_space().clone();
        for (_, relation) in &relations {
            params = params.align_params(relation.params_space());
        }
        params = params.align_params(constraints.context.space());
        let mut statements: Vec<Statement> = Vec::new();
        let mut names = HashMap::new();
        let context = constraints.context.align_params(&params);
        for set in constraints.domain.align_params(&params).members() {
            if set.is_empty(budget)? {
                continue;
            }
            let space = set.space();
            if let Some(name) = space.range_tuple().name().cloned().or_else(|| Some("".into()))
                && names.insert(name.clone(), statements.len()).is_some()
            {
                return Err(refused(format!("two statements have the name `{name}`; give every statement its own")));
            }
            statements.push(Statement::new(set, &context, options.treat_coalescing, budget)?);
        }
        let mut graph = Graph { statements, edges: Vec::new(), band_start: 0 };
        let mut known: HashMap<(usize, usize), Vec<usize>> = HashMap::new();
        for (kind, relation) in relations {
            let relation: UnionMap = relation.align_params(&params);
            for map in relation.members() {
                graph.add_relation(kind, map, &mut known, budget)?;
            }
        }
        graph.sort();
        Ok(graph)
    }

    /// The statement of a space.
    fn find(&self, space: &Space) -> Option<usize> {
        self.statements.iter().position(|s| s.space.has_equal_tuples(space))
    }

    fn add_relation(
        &mut self,
        kind: Kinds,
        map: &Map,
        known: &mut HashMap<(usize, usize), Vec<usize>>,
        budget: &Budget,
    ) -> Result<()> {
        let conditional = kind & (CONDITION | CONDITIONAL) != 0;
        let is_tagged = conditional && map.domain_is_wrapping() && map.range_is_wrapping();
        let plain =
            if is_tagged { map.domain_factor_domain(budget)?.range_factor_domain(budget)? } else { map.clone() };
        let (Some(source), Some(sink)) = (self.find(&plain.space().domain()), self.find(&plain.space().range())) else {
            return Ok(());
        };
        let plain = if source == sink { without_identity(&plain, budget)? } else { plain };
        let plain = self.statements[source].compress(&plain, DimKind::In, budget)?;
        let plain = self.statements[sink].compress(&plain, DimKind::Out, budget)?;
        let parts: Vec<Part> = plain.conjunctions().iter().map(|c| Part::new(c.clone())).collect();
        let candidates = known.entry((source, sink)).or_default();
        let same = |edge: &Edge| {
            edge.parts.len() == parts.len() && edge.parts.iter().zip(&parts).all(|(a, b)| a.relation == b.relation)
        };
        let index = match candidates.iter().copied().find(|&i| same(&self.edges[i])) {
            Some(index) => index,
            None => {
                let mut alive = Vec::with_capacity(parts.len());
                for part in parts {
                    if !part.relation.is_empty(budget)? {
                        alive.push(part);
                    }
                }
                if alive.is_empty() {
                    return Ok(());
                }
                candidates.push(self.edges.len());
                self.edges.push(Edge {
                    source,
                    sink,
                    kinds: 0,
                    parts: alive,
                    conditions: Vec::new(),
                    conditional: Vec::new(),
                    local: false,
                    sizes: if source == sink { Rc::new(self.statements[source].sizes.clone()) } else { Rc::default() },
                    joined: OnceCell::new(),
                });
                self.edges.len() - 1
            }
        };
        let edge = &mut self.edges[index];
        edge.kinds |= kind;
        if kind == CONDITION {
            edge.conditions.push(map.clone());
        } else if kind == CONDITIONAL {
            edge.conditional.push(map.clone());
        }
        Ok(())
    }

    /// The graph of some statements (by index, ascending) and of the edges between them.
    pub(super) fn restricted(&self, chosen: &[usize]) -> Graph {
        let position = |s: usize| chosen.binary_search(&s).ok();
        let statements = chosen.iter().map(|&s| self.statements[s].clone()).collect();
        let edges = self
            .edges
            .iter()
            .filter_map(|e| {
                let (source, sink) = (position(e.source)?, position(e.sink)?);
                Some(Edge { source, sink, ..e.clone() })
            })
            .collect();
        Graph { statements, edges, band_start: self.band_start }
    }
}

/// A relation without the pairs of an instance and itself, which order nothing and would only be in the way.
fn without_identity(map: &Map, budget: &Budget) -> Result<Map> {
    let identity = Map::identity(&map.space().domain())?;
    if map.is_disjoint(&identity, budget)? { Ok(map.clone()) } else { map.subtract(&identity, budget) }
}
