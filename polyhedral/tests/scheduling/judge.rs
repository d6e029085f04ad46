//! An independent judge of schedules: every instance and every pair is looked at one by one.

use std::collections::{BTreeMap, BTreeSet};

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::schedule::{Node, ScheduleTree};

/// A statement instance.
pub(crate) type Instance = (String, Vec<i64>);

/// What a schedule is judged by, for one value of the parameters.
#[derive(Default)]
pub(crate) struct Facts {
    pub(crate) params: Vec<(String, i64)>,
    pub(crate) instances: Vec<Instance>,
    /// Pairs that must be in this order, by index of instance.
    pub(crate) validity: Vec<(usize, usize)>,
    /// Live ranges: pairs that must stay together, or else the conditional pairs that touch them hold.
    pub(crate) conditions: Vec<(usize, usize)>,
    /// Pairs that must be in this order if some condition that touches them is separated.
    pub(crate) conditional: Vec<(usize, usize)>,
    /// Pairs that coincident members must not separate.
    pub(crate) coincidence: Vec<(usize, usize)>,
}

/// What is left of the live ranges at a node.
struct Live {
    conditions: Vec<(usize, usize)>,
    conditional: Vec<(usize, usize)>,
}

impl Live {
    /// The conditional pairs that hold because a condition that touches them is separated.
    fn imposed(&self, separated: &dyn Fn(&(usize, usize)) -> bool) -> Vec<(usize, usize)> {
        let open: Vec<_> = self.conditions.iter().filter(|c| separated(c)).collect();
        let touched = |p: &&(usize, usize)| open.iter().any(|c| c.0 == p.1 || c.1 == p.0);
        self.conditional.iter().filter(touched).copied().collect()
    }

    /// What is left inside; pairs that hold anyway are left out.
    fn within(&self, kept: &dyn Fn(&(usize, usize)) -> bool, validity: &[(usize, usize)]) -> Live {
        let filter = |pairs: &[(usize, usize)]| -> Vec<_> { pairs.iter().filter(|p| kept(p)).copied().collect() };
        let mut conditional = filter(&self.conditional);
        conditional.retain(|p| !validity.contains(p));
        Live { conditions: filter(&self.conditions), conditional }
    }
}

impl Facts {
    /// What is wrong with a tree, if anything is: pairs out of order or not in order, instances of one statement at one
    /// place, flags that do not hold.
    pub(crate) fn complaint(&self, tree: &ScheduleTree) -> Option<String> {
        let all: Vec<usize> = (0..self.instances.len()).collect();
        let keys = vec![Vec::new(); all.len()];
        let live = Live { conditions: self.conditions.clone(), conditional: self.conditional.clone() };
        self.visit(tree.root(), &all, &keys, &self.validity, &self.coincidence, &live).err()
    }

    fn values(&self, node: &tessera_polyhedral::schedule::Member, i: usize) -> Result<i64, String> {
        let (stmt, point) = &self.instances[i];
        let aff = node.get(stmt).ok_or_else(|| format!("no expression for {stmt}"))?;
        let mut arguments: Vec<Int> = Vec::new();
        for name in aff.space().param_names() {
            let value = self.params.iter().find(|(n, _)| **n == **name).ok_or("a parameter without value")?.1;
            arguments.push(Int::from(value));
        }
        arguments.extend(point.iter().map(|&x| Int::from(x)));
        aff.eval(&arguments).and_then(|v| v.to_i64()).ok_or_else(|| format!("no value for {stmt}"))
    }

    fn visit(
        &self,
        node: &Node,
        active: &[usize],
        keys: &[Vec<i64>],
        validity: &[(usize, usize)],
        coincidence: &[(usize, usize)],
        live: &Live,
    ) -> Result<(), String> {
        match node {
            Node::Domain(_, child) | Node::Context(_, child) | Node::Filter(_, child) | Node::Mark(_, child) => {
                self.visit(child, active, keys, validity, coincidence, live)
            }
            Node::Band(band, child) => {
                let mut value: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
                for &i in active {
                    let row = band.members().iter().map(|m| self.values(m, i)).collect::<Result<_, _>>()?;
                    value.insert(i, row);
                }
                let difference = |&(a, b): &(usize, usize)| -> Vec<i64> {
                    value[&a].iter().zip(&value[&b]).map(|(x, y)| y - x).collect()
                };
                let imposed = live.imposed(&|pair| difference(pair).iter().any(|&x| x != 0));
                let validity = &[validity, &imposed].concat()[..];
                let name = |i: usize| format!("{:?}", self.instances[i]);
                for pair in validity {
                    let d = difference(pair);
                    if band.permutable && d.iter().any(|&x| x < 0) {
                        return Err(format!("permutable, but {} -> {} has {d:?}", name(pair.0), name(pair.1)));
                    }
                    if d.iter().find(|&&x| x != 0).is_some_and(|&x| x < 0) {
                        return Err(format!("{} -> {} has {d:?}", name(pair.0), name(pair.1)));
                    }
                }
                for pair in coincidence {
                    let d = difference(pair);
                    for (member, &x) in band.members().iter().zip(&d) {
                        if member.coincident && x != 0 {
                            return Err(format!("coincident, but {} -> {} has {d:?}", name(pair.0), name(pair.1)));
                        }
                    }
                }
                let same = |pair: &&(usize, usize)| difference(pair).iter().all(|&x| x == 0);
                let validity: Vec<_> = validity.iter().filter(same).copied().collect();
                let coincidence: Vec<_> = coincidence.iter().filter(same).copied().collect();
                let mut keys = keys.to_vec();
                for (&i, row) in &value {
                    keys[i].extend(row);
                }
                let live = live.within(&|pair| same(&pair), &validity);
                self.visit(child, active, &keys, &validity, &coincidence, &live)
            }
            Node::Sequence(children) | Node::Set(children) => {
                let mut at: BTreeMap<usize, usize> = BTreeMap::new();
                for (position, child) in children.iter().enumerate() {
                    let Node::Filter(filter, _) = &**child else { return Err("a child that is no filter".into()) };
                    for &i in active {
                        if filter.get(&self.instances[i].0).is_some() && at.insert(i, position).is_some() {
                            return Err("an instance passes two filters".into());
                        }
                    }
                }
                if at.len() != active.len() {
                    return Err("an instance passes no filter".into());
                }
                let ordered = matches!(node, Node::Sequence(_));
                let imposed = live.imposed(&|(a, b)| at[a] != at[b]);
                let validity = &[validity, &imposed].concat()[..];
                for (a, b) in validity {
                    if at[a] != at[b] && (!ordered || at[a] > at[b]) {
                        return Err(format!("{:?} -> {:?} across children", self.instances[*a], self.instances[*b]));
                    }
                }
                for (position, child) in children.iter().enumerate() {
                    let here: Vec<usize> = active.iter().copied().filter(|i| at[i] == position).collect();
                    let inside = |p: &&(usize, usize)| at[&p.0] == position && at[&p.1] == position;
                    let validity: Vec<_> = validity.iter().filter(inside).copied().collect();
                    let coincidence: Vec<_> = coincidence.iter().filter(inside).copied().collect();
                    let live = live.within(&|pair| inside(&pair), &validity);
                    self.visit(child, &here, keys, &validity, &coincidence, &live)?;
                }
                Ok(())
            }
            Node::Leaf => {
                if let Some((a, b)) = validity.first() {
                    return Err(format!("{:?} -> {:?} are not ordered", self.instances[*a], self.instances[*b]));
                }
                let mut seen = BTreeSet::new();
                for &i in active {
                    if !seen.insert((&self.instances[i].0, &keys[i])) {
                        return Err(format!("{:?} runs together with another instance", self.instances[i]));
                    }
                }
                Ok(())
            }
            #[allow(unreachable_patterns, reason = "kinds of nodes that the scheduler does not make")]
            _ => Err("an unexpected kind of node".into()),
        }
    }
}
