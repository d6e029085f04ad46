//! An order of the statements that does not depend on their names.
//!
//! Many lexicographic minima are only unique because the statements come in some order. So that a schedule does not
//! change when statements are renumbered, they are sorted by what they are: by their place in the order of strong
//! components, and then by *colours*. The first colour of a statement is made of its instances; then the colours of the
//! ends of the edges and the constraints are mixed in, round by round, until no more statements can be told apart.
//! Statements with equal colours are, as far as this can see, interchangeable; among those the names decide.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use crate::relation::Conjunction;

use super::components::strongly_connected;
use super::graph::{CONDITIONAL, Edge, Graph, VALIDITY};

/// The hash of Fowler, Noll and Vo: the same on every machine and in every version.
struct Fnv(u64);

impl Fnv {
    fn of(value: &impl Hash) -> u64 {
        let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
        value.hash(&mut hasher);
        // Sums of hashes are used: spread the bits.
        let mut x = hasher.0;
        x ^= x >> 32;
        x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x ^ (x >> 29)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// A number made of the constraints of a conjunction and not of its space.
fn content(c: &Conjunction) -> u64 {
    let sum = |hashes: &mut dyn Iterator<Item = u64>| hashes.fold(0u64, u64::wrapping_add);
    let eqs = sum(&mut c.eqs().iter().map(Fnv::of));
    let ineqs = sum(&mut c.ineqs().iter().map(Fnv::of));
    let locals: Vec<_> = (0..c.n_local()).map(|k| c.div(k)).collect();
    Fnv::of(&(eqs, ineqs, locals))
}

impl Graph {
    /// Brings statements and edges in an order that depends on names only where nothing else tells them apart.
    pub(super) fn sort(&mut self) {
        let n = self.statements.len();
        let parts = |edge: &Edge| edge.parts.iter().map(|p| content(&p.relation)).fold(0u64, u64::wrapping_add);
        let contents: Vec<u64> = self.edges.iter().map(|e| Fnv::of(&(e.kinds, parts(e)))).collect();
        let mut colours: Vec<u64> = self.statements.iter().map(|s| Fnv::of(&(s.n, &s.sizes, s.content))).collect();
        let classes = |colours: &[u64]| colours.iter().collect::<BTreeSet<_>>().len();
        let mut known = classes(&colours);
        while known < n {
            let mut next: Vec<u64> = colours.iter().map(Fnv::of).collect();
            for (edge, content) in self.edges.iter().zip(&contents) {
                let (a, b) = (edge.source, edge.sink);
                next[a] = next[a].wrapping_add(Fnv::of(&(1, content, colours[b])));
                next[b] = next[b].wrapping_add(Fnv::of(&(2, content, colours[a])));
            }
            colours = next;
            let now = classes(&colours);
            if now <= known {
                break;
            }
            known = now;
        }
        let edges = self.edges.iter().filter(|e| e.is(VALIDITY | CONDITIONAL));
        let edges: Vec<(usize, usize)> = edges.map(|e| (e.source, e.sink)).collect();
        // Components in topological order, which is unique where the graph decides it; levels elsewhere.
        let mut level = vec![0usize; n];
        let components = strongly_connected(n, &edges);
        let mut of = vec![0; n];
        components.iter().enumerate().for_each(|(c, members)| members.iter().for_each(|&s| of[s] = c));
        for component in &components {
            let from = edges.iter().filter(|(a, b)| component.contains(b) && !component.contains(a));
            let lowest = from.map(|(a, _)| level[*a] + 1).max().unwrap_or(0);
            component.iter().for_each(|&s| level[s] = lowest);
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| {
            let key = |s: usize| (level[s], self.statements[s].n, colours[s]);
            key(a).cmp(&key(b)).then(a.cmp(&b))
        });
        let mut position = vec![0; n];
        order.iter().enumerate().for_each(|(p, &s)| position[s] = p);
        let mut statements: Vec<_> = std::mem::take(&mut self.statements).into_iter().map(Some).collect();
        self.statements = order.iter().filter_map(|&s| statements[s].take()).collect();
        for edge in &mut self.edges {
            (edge.source, edge.sink) = (position[edge.source], position[edge.sink]);
        }
        let mut keyed: Vec<(u64, Edge)> = contents.into_iter().zip(std::mem::take(&mut self.edges)).collect();
        keyed.sort_by_key(|(content, e)| (e.source, e.sink, *content));
        self.edges = keyed.into_iter().map(|(_, e)| e).collect();
    }
}

/// A number made of the instances of a statement and not of its name.
pub(super) fn set_content(parts: &[Conjunction]) -> u64 {
    parts.iter().map(content).fold(0u64, u64::wrapping_add)
}
