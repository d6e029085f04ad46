//! The common band of some clusters (see [`cluster`](super::cluster)): a program in which every cluster is one
//! statement.
//!
//! The coordinates of that statement are the members of the cluster's band. Constraints between clusters are mapped to
//! these coordinates; those within a cluster are known in them already, each once, and are mapped on when clusters
//! become one, so that the work for a fusion does not grow with all that was fused before.

use std::rc::Rc;

use crate::arith::{Int, Row, dot};
use crate::error::Result;
use crate::space::Space;

use super::cluster::{Clustering, Fused, Within};
use super::conditional::violated_conditions;
use super::cone::Cone;
use super::graph::{Edge, Graph, Kinds};
use super::statement::Statement;

impl Clustering<'_> {
    /// A common band of some clusters; nothing if there is none.
    pub(super) fn fused(&self, joined: &[usize]) -> Result<Option<Fused>> {
        let graph = &self.graph;
        let position = |s: usize| joined.binary_search(&self.of[s]).ok();
        let mut small = Graph { statements: Vec::new(), edges: Vec::new(), band_start: 0 };
        let params = graph.statements[0].space.params_space();
        for &c in joined {
            small.statements.push(Statement::of_coordinates(&params, self.clusters[c].flags.len()));
        }
        for (at, &c) in joined.iter().enumerate() {
            small.edges.extend(
                self.clusters[c].within.iter().map(|(kinds, cone)| Edge::of_cone(at, at, *kinds, cone.clone())),
            );
        }
        let mut origin = Vec::new();
        for (index, edge) in graph.edges.iter().enumerate() {
            if let (Some(source), Some(sink)) = (position(edge.source), position(edge.sink))
                && (self.conditional || source != sink)
            {
                let cone = self.image(edge, source == sink)?;
                small.edges.push(Edge::of_cone(source, sink, edge.kinds, Rc::new(cone)));
                origin.push(index);
            }
        }
        // A cluster with rows to come below its band must not be padded with rows that are zero.
        let most = joined.iter().map(|&c| self.clusters[c].flags.len()).max().unwrap_or(0);
        let short = joined.iter().filter(|&&c| self.missing(c) > 0).map(|&c| self.clusters[c].flags.len()).min();
        let limit = short.map_or(most, |n| n.min(most));
        loop {
            small.statements.iter_mut().for_each(|s| s.truncate(0));
            let flags = small.extend_band_to(limit, self.driver.options, self.driver.budget)?;
            if flags.is_empty() {
                return Ok(None);
            }
            let statements = self.composed(joined, &small);
            if !self.conditional {
                let within = self.within(&small)?;
                return Ok(Some(Fused { statements, flags, within }));
            }
            let mut whole = graph.clone();
            whole.edges.iter_mut().for_each(|e| e.local = false);
            for (edge, &index) in small.edges.iter().zip(&origin) {
                whole.edges[index].local = edge.local;
            }
            statements.iter().for_each(|(s, scheduled)| whole.statements[*s] = scheduled.clone());
            let mut chosen: Vec<usize> = joined.iter().flat_map(|&c| self.clusters[c].statements.clone()).collect();
            chosen.sort_unstable();
            let violated = violated_conditions(&whole.restricted(&chosen), self.driver.budget)?;
            if violated.is_empty() {
                return Ok(Some(Fused { statements, flags, within: Vec::new() }));
            }
            // `restricted` keeps the order of the edges, and so does `origin`.
            violated.into_iter().for_each(|e| small.edges[e].local = true);
        }
    }

    /// The constraints within the cluster that the clusters of `small` become by its rows.
    fn within(&self, small: &Graph) -> Result<Vec<Within>> {
        let first = 1 + self.graph.n_param();
        let mut within = Vec::new();
        for edge in &small.edges {
            let (f, g) = (&small.statements[edge.source].rows, &small.statements[edge.sink].rows);
            let cone = edge.cone(self.driver.budget)?;
            let image = cone.map(|generator| {
                let mut row = Row::from(&generator[..first]);
                if edge.source == edge.sink {
                    row.extend(f.iter().map(|r| dot(&r[first..], &generator[first..])));
                } else {
                    let split = first + small.statements[edge.source].n;
                    let value = |r: &Vec<Int>, at: &[Int]| dot(&r[..first], &generator[..first]) + dot(&r[first..], at);
                    let pairs = f.iter().zip(g);
                    row.extend(pairs.map(|(f, g)| value(g, &generator[split..]) - value(f, &generator[first..split])));
                }
                row
            });
            add_within(&mut within, edge.kinds, Rc::new(image));
        }
        Ok(within)
    }

    /// The cone of an edge in the coordinates of the bands of its clusters.
    pub(super) fn image(&self, edge: &Edge, same_cluster: bool) -> Result<Cone> {
        let graph = &self.graph;
        let n_param = graph.n_param();
        let first = 1 + n_param;
        let cone = edge.cone(self.driver.budget)?;
        let (source, sink) = (&graph.statements[edge.source], &graph.statements[edge.sink]);
        let (f, g) = (&source.rows[graph.band_start..], &sink.rows[graph.band_start..]);
        Ok(cone.map(|generator| {
            let mut row = Row::from(&generator[..first]);
            if edge.source == edge.sink {
                row.extend(f.iter().map(|r| dot(&r[first..], &generator[first..])));
                return row;
            }
            let split = first + source.n;
            let x = |r: &Vec<Int>| dot(&r[..first], &generator[..first]) + dot(&r[first..], &generator[first..split]);
            let y = |r: &Vec<Int>| dot(&r[..first], &generator[..first]) + dot(&r[first..], &generator[split..]);
            if same_cluster {
                row.extend(f.iter().zip(g).map(|(f, g)| y(g) - x(f)));
            } else {
                row.extend(f.iter().map(x));
                row.extend(g.iter().map(y));
            }
            row
        }))
    }

    /// The statements of the clusters with rows composed of the rows of the clusters in `small` and those of their
    /// bands, as far as these rows change.
    fn composed(&self, joined: &[usize], small: &Graph) -> Vec<(usize, Statement)> {
        let graph = &self.graph;
        let first = 1 + graph.n_param();
        let mut result = Vec::new();
        for (position, &c) in joined.iter().enumerate() {
            let outer = &small.statements[position].rows;
            let unit =
                |k: usize| (0..first + outer.len()).map(move |j| if j == first + k { Int::one() } else { Int::zero() });
            if outer.len() == self.clusters[c].flags.len()
                && outer.iter().enumerate().all(|(k, r)| unit(k).eq(r.iter().cloned()))
            {
                continue;
            }
            for &s in &self.clusters[c].statements {
                let mut statement = graph.statements[s].clone();
                let band = statement.rows.split_off(graph.band_start);
                for outer in outer {
                    let mut row: Vec<Int> = vec![Int::zero(); first + statement.n];
                    row[..first].clone_from_slice(&outer[..first]);
                    for (factor, inner) in outer[first..].iter().zip(&band) {
                        row.iter_mut().zip(inner).for_each(|(x, y)| x.add_mul(factor, y));
                    }
                    statement.rows.push(row);
                }
                statement.update_directions();
                result.push((s, statement));
            }
        }
        result
    }
}

/// Adds a constraint unless it is there already.
pub(super) fn add_within(list: &mut Vec<Within>, kinds: Kinds, cone: Rc<Cone>) {
    if !list.iter().any(|(k, c)| *k == kinds && *c == cone) {
        list.push((kinds, cone));
    }
}

impl Statement {
    /// A stand-in for a cluster: a statement of which only the number of coordinates matters.
    fn of_coordinates(params: &Space, n: usize) -> Statement {
        let space = Space::set::<String>(params, "", &vec![String::new(); n]);
        let mut result = Statement {
            space,
            n,
            content: 0,
            compression: None,
            sizes: vec![None; n],
            rows: Vec::new(),
            directions: Vec::new(),
        };
        result.update_directions();
        result
    }
}
