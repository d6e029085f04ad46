//! Connected components of graphs.

/// The strongly connected components of a graph with `n` nodes, in topological order: edges lead from earlier
/// components to later ones. Nodes within a component are ascending; among components that no path orders, the one with
/// the least node comes first as far as the edges allow it. Linear, apart from sorting.
///
/// Source: R. Tarjan, *Depth-First Search and Linear Graph Algorithms*, 1972; A. Kahn, *Topological Sorting of Large
/// Networks*, 1962.
pub(super) fn strongly_connected(n: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut next = vec![Vec::new(); n];
    for &(a, b) in edges {
        next[a].push(b);
    }
    let mut tarjan = Tarjan {
        next: &next,
        index: vec![usize::MAX; n],
        low: vec![0; n],
        on_stack: vec![false; n],
        stack: Vec::new(),
        count: 0,
        found: Vec::new(),
    };
    for v in 0..n {
        if tarjan.index[v] == usize::MAX {
            tarjan.visit(v);
        }
    }
    let mut components = tarjan.found;
    components.iter_mut().for_each(|c| c.sort_unstable());
    let mut of = vec![0; n];
    for (i, c) in components.iter().enumerate() {
        c.iter().for_each(|&v| of[v] = i);
    }
    let mut waiting = vec![0usize; components.len()];
    for &(a, b) in edges {
        if of[a] != of[b] {
            waiting[of[b]] += 1;
        }
    }
    let mut ready: std::collections::BTreeSet<(usize, usize)> =
        (0..components.len()).filter(|&i| waiting[i] == 0).map(|i| (components[i][0], i)).collect();
    let mut order = Vec::with_capacity(components.len());
    while let Some((_, i)) = ready.pop_first() {
        for &v in &components[i] {
            for &w in &next[v] {
                let j = of[w];
                if j != i {
                    waiting[j] -= 1;
                    if waiting[j] == 0 {
                        ready.insert((components[j][0], j));
                    }
                }
            }
        }
        order.push(i);
    }
    order.into_iter().map(|i| std::mem::take(&mut components[i])).collect()
}

struct Tarjan<'g> {
    next: &'g [Vec<usize>],
    index: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    count: usize,
    found: Vec<Vec<usize>>,
}

impl Tarjan<'_> {
    /// Depth-first search from a node, without recursion.
    fn visit(&mut self, root: usize) {
        let mut path = vec![(root, 0usize)];
        self.open(root);
        while let Some((v, at)) = path.last_mut() {
            let v = *v;
            if let Some(&w) = self.next[v].get(*at) {
                *at += 1;
                if self.index[w] == usize::MAX {
                    self.open(w);
                    path.push((w, 0));
                } else if self.on_stack[w] {
                    self.low[v] = self.low[v].min(self.index[w]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                self.low[*parent] = self.low[*parent].min(self.low[v]);
            }
            if self.low[v] == self.index[v] {
                let at = self.stack.iter().rposition(|&w| w == v).unwrap_or(0);
                let component: Vec<usize> = self.stack.drain(at..).collect();
                component.iter().for_each(|&w| self.on_stack[w] = false);
                self.found.push(component);
            }
        }
    }

    fn open(&mut self, v: usize) {
        self.index[v] = self.count;
        self.low[v] = self.count;
        self.count += 1;
        self.stack.push(v);
        self.on_stack[v] = true;
    }
}

/// The connected components of a graph, directions disregarded, each ascending and in the order of their least nodes.
pub(super) fn weakly_connected(n: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut parent: Vec<usize> = (0..n).collect();
    fn root(parent: &mut [usize], mut v: usize) -> usize {
        while parent[v] != v {
            parent[v] = parent[parent[v]];
            v = parent[v];
        }
        v
    }
    for &(a, b) in edges {
        let (a, b) = (root(&mut parent, a), root(&mut parent, b));
        let (low, high) = (a.min(b), a.max(b));
        parent[high] = low;
    }
    let mut components: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
    for v in 0..n {
        components.entry(root(&mut parent, v)).or_default().push(v);
    }
    components.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_in_topological_order() {
        let edges = [(3, 1), (1, 3), (3, 0), (2, 2)];
        assert_eq!(strongly_connected(4, &edges), [vec![1, 3], vec![0], vec![2]]);
        assert_eq!(weakly_connected(5, &edges), [vec![0, 1, 3], vec![2], vec![4]]);
    }
}
