//! Incremental fusion: clusters of strong components.
//!
//! Every strong component gets a band of its own. Then pairs of clusters that a proximity constraint connects are fused, those
//! with the most equalities between their coordinates first: a program like that of a band is solved in which every
//! cluster is one statement whose coordinates are the members of its band. The result is accepted if it has members, loses
//! no depth and no coincidence (as far as the options ask for that), and brings the ends of some proximity constraint close together
//! in all members. Where fusing two clusters needs others between them, these join too.
//!
//! Clusters are tried in passes: first only fusion that loses no coincident member, so that where one statement could join either of two
//! others it joins the one that leaves it parallel; then what the options allow; and last, a constraint some of whose members stay far
//! apart because one end is at a fixed point counts as close.
//!
//! Source: S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, section 7.3.

use crate::arith::{Int, Row, dot};
use crate::error::Result;
use crate::schedule::Node;
use crate::space::Space;

use super::components::strongly_connected;
use super::conditional::{imposed_by_separation, violated_conditions};
use super::cone::Cone;
use super::driver::Driver;
use super::graph::{CONDITIONAL, Edge, Graph, PROXIMITY, VALIDITY};
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
struct Cluster {
    statements: Vec<usize>,
    flags: Vec<bool>,
}

/// The state of the fusion of a graph. The statements of the graph have the rows of the bands of their clusters.
struct Clustering<'d> {
    driver: Driver<'d>,
    graph: Graph,
    clusters: Vec<Cluster>,
    /// The cluster of every statement.
    of: Vec<usize>,
    /// By edge: the weight of a proximity constraint.
    weights: Vec<usize>,
    /// By edge: fusion along it was tried.
    tried: Vec<bool>,
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
            clusters.push(Cluster { statements, flags });
        }
        let tried = vec![false; graph.edges.len()];
        Ok(Clustering { driver, graph, clusters, of, weights, tried })
    }

    /// How many rows the statements of a cluster still need below its band.
    fn missing(&self, c: usize) -> usize {
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
        let Some((statements, flags)) = self.fused(&joined)? else { return Ok(()) };
        if !self.is_accepted(&joined, &statements, &flags, pass)? {
            return Ok(());
        }
        // The fused cluster takes the place of the first one; the others become empty.
        let mut all: Vec<usize> = Vec::new();
        for &c in &joined {
            all.append(&mut self.clusters[c].statements);
        }
        all.sort_unstable();
        for (s, scheduled) in statements {
            self.graph.statements[s] = scheduled;
            self.of[s] = joined[0];
        }
        self.clusters[joined[0]] = Cluster { statements: all, flags };
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

    /// The statements of some clusters with the rows of a common band, and its coincidence flags; nothing if there is no common band.
    #[expect(clippy::type_complexity, reason = "a list of statements by index and the flags")]
    fn fused(&self, joined: &[usize]) -> Result<Option<(Vec<(usize, Statement)>, Vec<bool>)>> {
        let graph = &self.graph;
        let position = |s: usize| joined.binary_search(&self.of[s]).ok();
        let mut small = Graph { statements: Vec::new(), edges: Vec::new(), band_start: 0 };
        let params = graph.statements[0].space.params_space();
        for &c in joined {
            small.statements.push(Statement::of_coordinates(&params, self.clusters[c].flags.len()));
        }
        let mut origin = Vec::new();
        for (index, edge) in graph.edges.iter().enumerate() {
            if let (Some(source), Some(sink)) = (position(edge.source), position(edge.sink)) {
                let cone = self.image(edge, source == sink)?;
                small.edges.push(edge.between(source, sink, cone));
                origin.push(index);
            }
        }
        // A cluster with rows to come below its band must not be padded with rows that are zero.
        let most = joined.iter().map(|&c| self.clusters[c].flags.len()).max().unwrap_or(0);
        let short = joined.iter().filter(|&&c| self.missing(c) > 0).map(|&c| self.clusters[c].flags.len()).min();
        let limit = short.map_or(most, |n| n.min(most));
        let check = small.edges.iter().any(|e| e.is(CONDITIONAL));
        small.edges.iter_mut().for_each(|e| e.local = false);
        loop {
            small.statements.iter_mut().for_each(|s| s.truncate(0));
            let flags = small.extend_band_to(limit, self.driver.options, self.driver.budget)?;
            if flags.is_empty() {
                return Ok(None);
            }
            let statements = self.composed(joined, &small);
            if check {
                let mut whole = graph.clone();
                whole.edges.iter_mut().for_each(|e| e.local = false);
                for (edge, &index) in small.edges.iter().zip(&origin) {
                    whole.edges[index].local = edge.local;
                }
                let mut chosen: Vec<usize> = statements.iter().map(|(s, _)| *s).collect();
                chosen.sort_unstable();
                statements.iter().for_each(|(s, scheduled)| whole.statements[*s] = scheduled.clone());
                let part = whole.restricted(&chosen);
                let violated = violated_conditions(&part, self.driver.budget)?;
                if !violated.is_empty() {
                    // `restricted` keeps the order of the edges, and so does `origin`.
                    violated.into_iter().for_each(|e| small.edges[e].local = true);
                    continue;
                }
            }
            return Ok(Some((statements, flags)));
        }
    }

    /// The cone of an edge in the coordinates of the bands of its clusters.
    fn image(&self, edge: &Edge, same_cluster: bool) -> Result<Cone> {
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

    /// The statements of the clusters with rows composed of the rows of the clusters in `small` and those of their bands.
    fn composed(&self, joined: &[usize], small: &Graph) -> Vec<(usize, Statement)> {
        let graph = &self.graph;
        let first = 1 + graph.n_param();
        let mut result = Vec::new();
        for (position, &c) in joined.iter().enumerate() {
            for &s in &self.clusters[c].statements {
                let mut statement = graph.statements[s].clone();
                let band = statement.rows.split_off(graph.band_start);
                for outer in &small.statements[position].rows {
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

    /// Whether a common band is good enough.
    fn is_accepted(
        &self,
        joined: &[usize],
        statements: &[(usize, Statement)],
        flags: &[bool],
        pass: Pass,
    ) -> Result<bool> {
        let options = self.driver.options;
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
        let scheduled = |s: usize| statements.iter().find(|(t, _)| *t == s).map(|(_, statement)| statement);
        for (index, edge) in self.graph.edges.iter().enumerate() {
            if !edge.is(PROXIMITY) || self.of[edge.source] == self.of[edge.sink] {
                continue;
            }
            if let (Some(source), Some(sink)) = (scheduled(edge.source), scheduled(edge.sink))
                && self.graph.is_close(
                    edge,
                    self.weights[index],
                    (source, sink),
                    pass == Pass::Fixed,
                    self.driver.budget,
                )?
            {
                return Ok(true);
            }
        }
        Ok(false)
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
