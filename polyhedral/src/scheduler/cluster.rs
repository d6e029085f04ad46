//! Incremental fusion: clusters of strong components.
//!
//! Every strong component gets a band of its own. Then pairs of clusters that a proximity constraint connects are
//! fused, those with the most equalities between their coordinates first: a program like that of a band is solved in
//! which every cluster is one statement whose coordinates are the members of its band. The result is accepted if it has
//! members, loses no depth and no coincidence (as far as the options ask for that), and brings the ends of some
//! proximity constraint close together in all members. Where fusing two clusters needs others between them, these join
//! too.
//!
//! Clusters are tried in passes: first only fusion that loses no coincident member, so that where one statement could
//! join either of two others it joins the one that leaves it parallel; then what the options allow; and last, a
//! constraint some of whose members stay far apart because one end is at a fixed point counts as close.
//!
//! Source: S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, section 7.3.

use std::rc::Rc;

use crate::error::Result;
use crate::schedule::Node;

use super::components::strongly_connected;
use super::conditional::imposed_by_separation;
use super::cone::Cone;
use super::driver::Driver;
use super::fuse::add_within;
use super::graph::{CONDITIONAL, Edge, Graph, Kinds, PROXIMITY, VALIDITY};
use super::statement::Statement;

/// What fusion is accepted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Only what loses no coincident member.
    Coincident,
    /// What the options allow.
    Close,
    /// Also where a member stays far apart because one end is at a fixed point.
    Fixed,
}

/// Statements (of the whole graph, ascending) with a common band.
pub(super) struct Cluster {
    pub(super) statements: Vec<usize>,
    pub(super) flags: Vec<bool>,
    /// The constraints within the cluster in the coordinates of its band, each once; not kept where there are
    /// conditional ones.
    pub(super) within: Vec<Within>,
}

/// The kinds of a constraint between two instances in one cluster, and its cone over the differences of the members of
/// the band.
pub(super) type Within = (Kinds, Rc<Cone>);

/// The state of the fusion of a graph. The statements of the graph have the rows of the bands of their clusters.
pub(super) struct Clustering<'d> {
    pub(super) driver: Driver<'d>,
    pub(super) graph: Graph,
    pub(super) clusters: Vec<Cluster>,
    /// The cluster of every statement.
    pub(super) of: Vec<usize>,
    /// By edge: the weight of a proximity constraint.
    weights: Vec<usize>,
    /// By edge: fusion along it was tried.
    tried: Vec<bool>,
    /// Whether there are conditional constraints, so that every edge must be known by itself.
    pub(super) conditional: bool,
}

/// A common band of some clusters.
pub(super) struct Fused {
    /// The statements whose rows change, by index.
    pub(super) statements: Vec<(usize, Statement)>,
    pub(super) flags: Vec<bool>,
    pub(super) within: Vec<Within>,
}

impl Driver<'_> {
    /// Schedules strong components on their own and fuses them where that loses nothing.
    pub(super) fn clusters(self, graph: Graph, strong: Vec<Vec<usize>>) -> Result<Node> {
        let mut clustering = Clustering::new(self, graph, strong)?;
        for pass in [Pass::Coincident, Pass::Close, Pass::Fixed] {
            if pass == Pass::Close && self.options.maximize_coincidence {
                continue;
            }
            clustering.tried.fill(false);
            while let Some(edge) = clustering.next_edge() {
                clustering.fuse_along(edge, pass)?;
            }
        }
        let Clustering { mut graph, clusters, of, .. } = clustering;
        // Conditions between clusters are given up here; what they make unconditional, a band may have violated.
        let mut again = vec![false; clusters.len()];
        for edge in imposed_by_separation(&graph, &of, self.budget)? {
            graph.edges[edge].kinds |= VALIDITY;
            again[of[graph.edges[edge].source]] |= !graph.is_respected(&graph.edges[edge], self.budget)?;
        }
        let edges = graph.edges.iter().filter(|e| e.is(VALIDITY | CONDITIONAL));
        let edges: Vec<(usize, usize)> = edges.map(|e| (of[e.source], of[e.sink])).collect();
        let mut children = Vec::with_capacity(clusters.len());
        for component in strongly_connected(clusters.len(), &edges) {
            for c in component {
                let cluster = &clusters[c];
                let mut part = graph.restricted(&cluster.statements);
                let filter = part.instances()?;
                let node = if again[c] {
                    part.statements.iter_mut().for_each(|s| s.truncate(graph.band_start));
                    self.schedule(part)?
                } else {
                    self.finish(part, cluster.flags.clone())?
                };
                children.push((filter, node));
            }
        }
        if children.len() == 1 {
            return Ok(children.pop().map_or(Node::Leaf, |(_, node)| node));
        }
        Ok(Node::sequence(children.into_iter().map(|(filter, node)| Node::filter(filter, node)).collect()))
    }
}

impl<'d> Clustering<'d> {
    fn new(driver: Driver<'d>, mut graph: Graph, strong: Vec<Vec<usize>>) -> Result<Clustering<'d>> {
        let weights: Vec<usize> = graph
            .edges
            .iter()
            .map(|e| if e.is(PROXIMITY) { graph.weight(e, driver.budget) } else { Ok(0) })
            .collect::<Result<_>>()?;
        let mut of = vec![0; graph.statements.len()];
        let mut clusters = Vec::with_capacity(strong.len());
        for (c, statements) in strong.into_iter().enumerate() {
            let mut part = graph.restricted(&statements);
            let flags = part.extend_band(driver.options, driver.budget)?;
            for (&s, scheduled) in statements.iter().zip(part.statements) {
                of[s] = c;
                graph.statements[s] = scheduled;
            }
            clusters.push(Cluster { statements, flags, within: Vec::new() });
        }
        let tried = vec![false; graph.edges.len()];
        let conditional = graph.edges.iter().any(|e| e.is(CONDITIONAL));
        let mut result = Clustering { driver, graph, clusters, of, weights, tried, conditional };
        if !conditional {
            for index in 0..result.graph.edges.len() {
                let edge = &result.graph.edges[index];
                let (c, d, kinds) = (result.of[edge.source], result.of[edge.sink], edge.kinds);
                if c == d {
                    let cone = Rc::new(result.image(edge, true)?);
                    add_within(&mut result.clusters[c].within, kinds, cone);
                }
            }
        }
        Ok(result)
    }

    /// How many rows the statements of a cluster still need below its band.
    pub(super) fn missing(&self, c: usize) -> usize {
        self.clusters[c].statements.iter().map(|&s| self.graph.statements[s].missing()).max().unwrap_or(0)
    }

    /// The best proximity constraint that is left between two clusters.
    fn next_edge(&self) -> Option<usize> {
        let can_fuse = |c: usize| !self.clusters[c].flags.is_empty() || self.missing(c) == 0;
        let candidates = self.graph.edges.iter().enumerate().filter(|(index, edge)| {
            let (a, b) = (self.of[edge.source], self.of[edge.sink]);
            edge.is(PROXIMITY) && !self.tried[*index] && a != b && can_fuse(a) && can_fuse(b)
        });
        let key = |(index, edge): &(usize, &Edge)| {
            let distance = self.of[edge.source].abs_diff(self.of[edge.sink]);
            (std::cmp::Reverse(self.weights[*index]), distance, *index)
        };
        candidates.min_by_key(key).map(|(index, _)| index)
    }

    /// The clusters that must be fused if those of an edge are, ascending.
    fn closure(&self, edge: usize) -> Vec<usize> {
        let pair = (self.of[self.graph.edges[edge].source], self.of[self.graph.edges[edge].sink]);
        let edges = self.graph.edges.iter().filter(|e| e.is(VALIDITY | CONDITIONAL));
        let mut edges: Vec<(usize, usize)> = edges.map(|e| (self.of[e.source], self.of[e.sink])).collect();
        edges.extend([pair, (pair.1, pair.0)]);
        let components = strongly_connected(self.clusters.len(), &edges);
        components.into_iter().find(|c| c.contains(&pair.0)).unwrap_or_default()
    }

    /// Tries to fuse the clusters of an edge.
    fn fuse_along(&mut self, edge: usize, pass: Pass) -> Result<()> {
        self.tried[edge] = true;
        let joined = self.closure(edge);
        let within = |e: &Edge| joined.contains(&self.of[e.source]) && joined.contains(&self.of[e.sink]);
        let rejected = self.graph.edges.iter().enumerate().any(|(index, e)| {
            index != edge && e.is(PROXIMITY) && self.tried[index] && within(e) && self.of[e.source] != self.of[e.sink]
        });
        let can_fuse = |&c: &usize| !self.clusters[c].flags.is_empty() || self.missing(c) == 0;
        if rejected || !joined.iter().all(can_fuse) {
            return Ok(());
        }
        let Some(fused) = self.fused(&joined)? else { return Ok(()) };
        if !self.is_accepted(&joined, &fused, pass)? {
            return Ok(());
        }
        // The fused cluster takes the place of the first one; the others become empty.
        let mut all: Vec<usize> = Vec::new();
        for &c in &joined {
            all.append(&mut self.clusters[c].statements);
        }
        all.sort_unstable();
        all.iter().for_each(|&s| self.of[s] = joined[0]);
        for (s, scheduled) in fused.statements {
            self.graph.statements[s] = scheduled;
        }
        self.clusters[joined[0]] = Cluster { statements: all, flags: fused.flags, within: fused.within };
        let mut position = vec![usize::MAX; self.clusters.len()];
        let mut kept = Vec::with_capacity(self.clusters.len());
        for (c, cluster) in std::mem::take(&mut self.clusters).into_iter().enumerate() {
            if !cluster.statements.is_empty() {
                position[c] = kept.len();
                kept.push(cluster);
            }
        }
        self.clusters = kept;
        self.of.iter_mut().for_each(|c| *c = position[*c]);
        Ok(())
    }

    /// Whether a common band is good enough.
    fn is_accepted(&self, joined: &[usize], fused: &Fused, pass: Pass) -> Result<bool> {
        let (options, flags) = (self.driver.options, &fused.flags);
        let most = |count: &dyn Fn(&Cluster) -> usize| joined.iter().map(|&c| count(&self.clusters[c])).max();
        if options.maximize_band_depth && most(&|c| c.flags.len()) > Some(flags.len()) {
            return Ok(false);
        }
        let coincident = |flags: &[bool]| flags.iter().filter(|f| **f).count();
        let keep = options.maximize_coincidence || pass == Pass::Coincident;
        if keep && most(&|c| coincident(&c.flags)) > Some(coincident(flags)) {
            return Ok(false);
        }
        // Whatever the options say: fusion must not lose depth and coincidence at once.
        if most(&|c| c.flags.len()) > Some(flags.len()) && most(&|c| coincident(&c.flags)) > Some(coincident(flags)) {
            return Ok(false);
        }
        let scheduled = |s: usize| match fused.statements.iter().find(|(t, _)| *t == s) {
            Some((_, statement)) => statement,
            None => &self.graph.statements[s],
        };
        let is_joined = |s: usize| joined.binary_search(&self.of[s]).is_ok();
        for (index, edge) in self.graph.edges.iter().enumerate() {
            if !edge.is(PROXIMITY) || self.of[edge.source] == self.of[edge.sink] {
                continue;
            }
            if is_joined(edge.source) && is_joined(edge.sink) {
                let ends = (scheduled(edge.source), scheduled(edge.sink));
                let fixed = pass == Pass::Fixed;
                if self.graph.is_close(edge, self.weights[index], ends, fixed, self.driver.budget)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
