//! The driver: from a graph of constraints to the nodes of a tree.
//!
//! ```text
//! connected components          a set node, each on its own
//!   clusters, or the component as a whole
//!     a permutable band         complete: order what is left; else: drop what is carried, go on inside
//!     no band                   strong components one after the other; or one row that carries constraints
//! ```
//!
//! Constraints with distance zero in a band stay for the nodes inside; all others are dropped there.
//!
//! Source: S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, sections 6.1 and 6.6.

use crate::arith::{Int, gcd_of};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::Set;
use crate::schedule::{Band, Instances, Member, Node};

use super::carry::carrying_rows;
use super::components::{strongly_connected, weakly_connected};
use super::conditional::{imposed_by_separation, now_unconditional};
use super::graph::{COINCIDENCE, CONDITIONAL, Graph, VALIDITY};
use super::options::{Algorithm, Options};
use super::statement::refused;

/// What every step needs.
#[derive(Clone, Copy)]
pub(super) struct Driver<'o> {
    pub(super) options: &'o Options,
    pub(super) budget: &'o Budget,
}

impl Driver<'_> {
    /// The node that schedules a graph below its present rows.
    pub(super) fn schedule(self, mut graph: Graph) -> Result<Node> {
        graph.band_start = graph.n_rows();
        if graph.statements.is_empty() {
            return Ok(Node::Leaf);
        }
        if self.options.algorithm == Algorithm::Feautrier && graph.edges.iter().any(|e| e.is(VALIDITY)) {
            let strong = graph.strong_components();
            return self.carry(graph, strong.len(), false);
        }
        if self.options.serialize_sccs {
            let strong = graph.strong_components();
            if strong.len() > 1 {
                return self.components(&graph, &strong, true);
            }
        } else {
            let weak = graph.weak_components();
            if weak.len() > 1 {
                return self.components(&graph, &weak, false);
            }
        }
        let strong = graph.strong_components();
        if strong.len() > 1 && !self.options.whole_component {
            return self.clusters(graph, strong);
        }
        self.whole(graph, &strong)
    }

    /// Schedules components apart, in a sequence if they are ordered.
    pub(super) fn components(self, graph: &Graph, components: &[Vec<usize>], ordered: bool) -> Result<Node> {
        let mut of = vec![0; graph.statements.len()];
        components.iter().enumerate().for_each(|(c, members)| members.iter().for_each(|&s| of[s] = c));
        let imposed = imposed_by_separation(graph, &of, self.budget)?;
        let separated = graph.with_validity(&imposed);
        let mut children = Vec::with_capacity(components.len());
        for component in components {
            let part = separated.as_ref().unwrap_or(graph).restricted(component);
            let filter = part.instances()?;
            children.push(Node::filter(filter, self.schedule(part)?));
        }
        Ok(if ordered { Node::sequence(children) } else { Node::set(children) })
    }

    /// A band for the graph as a whole.
    fn whole(self, mut graph: Graph, strong: &[Vec<usize>]) -> Result<Node> {
        let flags = graph.extend_band(self.options, self.budget)?;
        if graph.missing() > 0 && self.options.maximize_band_depth && strong.len() > 1 {
            return self.split(graph, strong);
        }
        self.finish(graph, flags)
    }

    /// Splits a graph whose band is too short into the longest row of strong components that has a full band together,
    /// and the rest.
    fn split(self, mut graph: Graph, strong: &[Vec<usize>]) -> Result<Node> {
        let start = graph.band_start;
        graph.statements.iter_mut().for_each(|s| s.truncate(start));
        let prefix = |n: usize| {
            let mut chosen: Vec<usize> = strong[..n].concat();
            chosen.sort_unstable();
            chosen
        };
        let mut n = 1;
        while n + 1 < strong.len() {
            let mut part = graph.restricted(&prefix(n + 1));
            part.extend_band(self.options, self.budget)?;
            if part.missing() > 0 {
                break;
            }
            n += 1;
        }
        let first = prefix(n);
        let rest: Vec<usize> = (0..graph.statements.len()).filter(|s| first.binary_search(s).is_err()).collect();
        self.components(&graph, &[first, rest], true)
    }

    /// Goes on from a finished band, whose members have the given coincidence flags.
    pub(super) fn finish(self, graph: Graph, flags: Vec<bool>) -> Result<Node> {
        if graph.missing() == 0 {
            return self.innermost(graph, &flags);
        }
        if !flags.is_empty() {
            return self.nested(graph, &flags, true);
        }
        let strong = graph.strong_components();
        if strong.len() > 1 {
            return self.components(&graph, &strong, true);
        }
        self.carry(graph, strong.len(), true)
    }

    /// A band and what the graph needs below it.
    fn nested(self, mut graph: Graph, flags: &[bool], permutable: bool) -> Result<Node> {
        let band = graph.band(flags, permutable)?;
        graph.drop_carried(self.budget)?;
        Ok(Node::band(band, self.schedule(graph)?))
    }

    /// A band below which no statement needs a row: only the order of statements is left.
    fn innermost(self, mut graph: Graph, flags: &[bool]) -> Result<Node> {
        let band = if flags.is_empty() { None } else { Some(graph.band(flags, true)?) };
        graph.drop_carried(self.budget)?;
        let inner = self.order(graph)?;
        Ok(match band {
            Some(band) => Node::band(band, inner),
            None => inner,
        })
    }

    /// The order of statements whose instances all other nodes have separated.
    fn order(self, mut graph: Graph) -> Result<Node> {
        graph.band_start = graph.n_rows();
        // Rows that are complete separate all instances of one statement.
        graph.edges.retain(|e| e.is(VALIDITY | CONDITIONAL) && e.source != e.sink);
        if graph.edges.is_empty() {
            return Ok(Node::Leaf);
        }
        let strong = graph.strong_components();
        if strong.len() < graph.statements.len() {
            return self.carry(graph, strong.len(), true);
        }
        let mut children = Vec::with_capacity(strong.len());
        for component in &strong {
            children.push(Node::filter(graph.restricted(component).instances()?, Node::Leaf));
        }
        Ok(Node::sequence(children))
    }

    /// A row that carries constraints, and what the graph needs below it.
    fn carry(self, mut graph: Graph, n_strong: usize, fallback: bool) -> Result<Node> {
        let mut rows = carrying_rows(&graph, fallback, self.options, self.budget)?;
        if rows.is_none() {
            if n_strong > 1 {
                return self.components(&graph, &graph.strong_components(), true);
            }
            graph.split_levels(self.budget)?;
            rows = carrying_rows(&graph, fallback, self.options, self.budget)?;
        }
        if rows.is_none() {
            graph.split_to_integral(self.budget)?;
            rows = carrying_rows(&graph, fallback, self.options, self.budget)?;
        }
        let Some(mut rows) = rows else {
            if self.options.outer_coincidence {
                // Coincidence constraints can contradict each other; a solution need not satisfy them.
                let options = Options { outer_coincidence: false, ..self.options.clone() };
                return Driver { options: &options, ..self }.schedule(graph);
            }
            return Err(refused(graph.stuck()));
        };
        let most = graph.missing();
        let is_trivial = |(statement, row): (&super::statement::Statement, &Vec<Int>)| {
            let linear = &row[1 + statement.n_param()..];
            statement.missing() == most && statement.directions.iter().all(|d| crate::arith::dot(d, linear).is_zero())
        };
        if most > 0 && n_strong > 1 && graph.statements.iter().zip(&rows).any(is_trivial) {
            return self.components(&graph, &graph.strong_components(), true);
        }
        if self.options.split_scaled && rows.len() > 1 {
            // Rounding can lose what only the constants carried; something must be left.
            let scaled = rows.clone();
            unscale(&mut rows);
            if !graph.carries_something(&rows, self.budget)? {
                rows = scaled;
            }
        }
        if !graph.carries_something(&rows, self.budget)? {
            return Err(refused(graph.stuck()));
        }
        for (statement, row) in graph.statements.iter_mut().zip(rows) {
            statement.push(row);
        }
        self.nested(graph, &[false], false)
    }
}

/// Divides rows by the common factor of all coefficients of coordinates and parameters; constants are rounded down.
fn unscale(rows: &mut [Vec<Int>]) {
    let g = rows.iter().fold(Int::zero(), |g, row| g.gcd(&gcd_of(&row[1..])));
    if g.is_zero() || g.is_one() {
        return;
    }
    for row in rows {
        row.iter_mut().for_each(|x| *x = x.div_floor(&g));
    }
}

impl Graph {
    /// The strong components under (conditional) validity, in topological order.
    pub(super) fn strong_components(&self) -> Vec<Vec<usize>> {
        let edges = self.edges.iter().filter(|e| e.is(VALIDITY | CONDITIONAL));
        let edges: Vec<(usize, usize)> = edges.map(|e| (e.source, e.sink)).collect();
        strongly_connected(self.statements.len(), &edges)
    }

    /// The components connected by any constraint.
    fn weak_components(&self) -> Vec<Vec<usize>> {
        let edges: Vec<(usize, usize)> = self.edges.iter().map(|e| (e.source, e.sink)).collect();
        weakly_connected(self.statements.len(), &edges)
    }

    /// All instances of the statements, as a filter.
    pub(super) fn instances(&self) -> Result<Instances> {
        Instances::from_sets(self.statements.iter().map(|s| Set::universe(s.space.clone())))
    }

    /// The present band as a node of a tree.
    fn band(&self, flags: &[bool], permutable: bool) -> Result<Band> {
        let mut members = Vec::with_capacity(flags.len());
        for (k, &coincident) in flags.iter().enumerate() {
            let functions = self.statements.iter().map(|s| s.function(&s.rows[self.band_start + k]));
            members.push(Member::new(functions)?.with_coincident(coincident));
        }
        Ok(Band::new(members).with_permutable(permutable))
    }

    /// The same graph with some edges as validity constraints too; nothing if there are none to change.
    pub(super) fn with_validity(&self, edges: &[usize]) -> Option<Graph> {
        if edges.is_empty() {
            return None;
        }
        let mut graph = self.clone();
        edges.iter().for_each(|&e| graph.edges[e].kinds |= VALIDITY);
        Some(graph)
    }

    /// Drops what the present band carries.
    pub(super) fn drop_carried(&mut self, budget: &Budget) -> Result<()> {
        if self.edges.iter().any(|e| e.is(CONDITIONAL)) {
            for index in now_unconditional(self, budget)? {
                self.edges[index].kinds |= VALIDITY;
            }
        }
        let n_param = self.n_param();
        for edge in &mut self.edges {
            let (source, sink) = (&self.statements[edge.source], &self.statements[edge.sink]);
            for row in self.band_start..source.rows.len() {
                let distance = edge.distance(&source.rows[row], &sink.rows[row], n_param);
                edge.keep_zero_distance(&distance, n_param, budget)?;
            }
        }
        self.edges.retain(|e| !e.is_gone());
        Ok(())
    }

    /// Whether rows, one per statement, order all pairs of some part of a constraint.
    fn carries_something(&self, rows: &[Vec<Int>], budget: &Budget) -> Result<bool> {
        for edge in self.edges.iter().filter(|e| e.is(VALIDITY | CONDITIONAL | COINCIDENCE)) {
            let distance = edge.distance(&rows[edge.source], &rows[edge.sink], self.n_param());
            for part in &edge.parts {
                if edge.part_cone(part, budget)?.range(&distance).positive {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// What to tell if no constraint can be carried.
    fn stuck(&self) -> String {
        let names: Vec<String> = self.statements.iter().map(|s| s.space.range_tuple().to_string()).collect();
        format!(
            "no affine row carries any of the constraints that are left between {}; they contradict each other, or \
             relate instances that are not in the domain",
            names.join(", ")
        )
    }
}
