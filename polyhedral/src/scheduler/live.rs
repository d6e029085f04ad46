//! Which conditional validity constraints a finished tree makes binding, found by going through the tree.
//!
//! At every node the conditions (live ranges) whose ends are still together are known. A band or a list of filters
//! separates some; the conditional constraints that touch those and are not yet decided must hold. A constraint that is
//! decided before that is free. What must hold can then be given to the legality test like any dependence. This looks
//! only at the tree and shares nothing with the way in which the scheduler treats live ranges.

use crate::arith::{Int, Row};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Map, UnionMap};
use crate::schedule::{Band, Node, ScheduleTree};
use crate::space::{DimKind, Name, Space};

use super::statement::refused;

/// The conditional validity constraints (without tags) that hold in a tree because some condition that touches them is
/// separated. Exact for trees whose bands have one affine expression per statement and whose filters keep whole
/// statements.
pub(super) fn imposed_constraints(
    tree: &ScheduleTree,
    conditions: &UnionMap,
    conditional: &UnionMap,
    budget: &Budget,
) -> Result<Vec<Map>> {
    let mut walk = Walk { found: Vec::new(), budget };
    walk.visit(tree.root(), conditions.members().cloned().collect(), conditional.members().cloned().collect())?;
    walk.found.into_iter().map(|map| untagged(&map, budget)).collect()
}

struct Walk<'b> {
    found: Vec<Map>,
    budget: &'b Budget,
}

impl Walk<'_> {
    fn visit(&mut self, node: &Node, conditions: Vec<Map>, conditional: Vec<Map>) -> Result<()> {
        if conditions.is_empty() || conditional.is_empty() {
            return Ok(());
        }
        match node {
            Node::Band(band, child) => {
                let mut open = Vec::new();
                for map in &conditions {
                    for side in [1, -1] {
                        for row in distances(band, map.space())? {
                            let mut row: Row = row.iter().map(|x| x * &Int::from(side)).collect();
                            row[0] -= 1;
                            open.push(map.add_ineq(&row));
                        }
                    }
                }
                self.impose(&open, &conditional)?;
                let together = |maps: Vec<Map>| -> Result<Vec<Map>> {
                    let mut result = Vec::new();
                    for mut map in maps {
                        for row in distances(band, map.space())? {
                            map = map.add_eq(&row);
                        }
                        if !map.is_plainly_empty() {
                            result.push(map);
                        }
                    }
                    Ok(result)
                };
                self.visit(child, together(conditions)?, together(conditional)?)
            }
            Node::Sequence(children) | Node::Set(children) => {
                let child_of = |name: &Name| {
                    let keeps = |child: &Node| matches!(child, Node::Filter(filter, _) if filter.get(name).is_some());
                    children.iter().position(|child| keeps(child))
                };
                let ends = |map: &Map| {
                    let (source, sink) = statements(map.space());
                    (child_of(&source), child_of(&sink))
                };
                let is_open = |map: &&Map| {
                    let (a, b) = ends(map);
                    a != b
                };
                let open: Vec<Map> = conditions.iter().filter(is_open).cloned().collect();
                self.impose(&open, &conditional)?;
                for (position, child) in children.iter().enumerate() {
                    let here = |maps: &[Map]| -> Vec<Map> {
                        maps.iter().filter(|m| ends(m) == (Some(position), Some(position))).cloned().collect()
                    };
                    self.visit(child, here(&conditions), here(&conditional))?;
                }
                Ok(())
            }
            _ => {
                node.children().iter().try_for_each(|child| self.visit(child, conditions.clone(), conditional.clone()))
            }
        }
    }

    /// Notes the constraints that touch separated conditions.
    fn impose(&mut self, open: &[Map], conditional: &[Map]) -> Result<()> {
        for condition in open {
            if condition.is_empty(self.budget)? {
                continue;
            }
            let (b, c) = (condition.domain(self.budget)?, condition.range(self.budget)?);
            for constraint in conditional {
                let space = constraint.space();
                if space.range().has_equal_tuples(b.space()) {
                    self.found.push(constraint.intersect_range(&b, self.budget)?);
                }
                if space.domain().has_equal_tuples(c.space()) {
                    self.found.push(constraint.intersect_domain(&c, self.budget)?);
                }
            }
        }
        Ok(())
    }
}

/// A relation between tagged instances without the tags; any other relation as it is.
fn untagged(map: &Map, budget: &Budget) -> Result<Map> {
    if map.domain_is_wrapping() && map.range_is_wrapping() {
        map.domain_factor_domain(budget)?.range_factor_domain(budget)
    } else {
        Ok(map.clone())
    }
}

/// The names of the statements at both ends of a space of pairs, tagged or not.
fn statements(space: &Space) -> (Name, Name) {
    let name = |kind: DimKind| {
        let tuple = space.tuple(kind).cloned().unwrap_or_default();
        let plain = tuple.factors().map_or(tuple, |(instance, _)| instance);
        plain.name().cloned().unwrap_or_else(|| "".into())
    };
    (name(DimKind::In), name(DimKind::Out))
}

/// The differences of the members of a band over the columns of a space of pairs.
fn distances(band: &Band, space: &Space) -> Result<Vec<Row>> {
    let (source, sink) = statements(space);
    let mut rows = Vec::with_capacity(band.len());
    for member in band.members() {
        let (Some(f), Some(g)) = (member.get(&source), member.get(&sink)) else {
            return Err(refused(format!("a band has no affine expression for {source} or {sink}")));
        };
        let mut row: Row = (0..space.n_col()).map(|_| Int::zero()).collect();
        for (function, kind, sign) in [(f, DimKind::In, -1), (g, DimKind::Out, 1)] {
            let own = function.space();
            row[0] += function.constant_term() * &Int::from(sign);
            for (k, name) in own.param_names().iter().enumerate() {
                let value = function.coefficient(DimKind::Param, k);
                match space.param_index(name) {
                    Some(at) => row[1 + at] += value * Int::from(sign),
                    None if value.is_zero() => {}
                    None => return Err(refused(format!("the constraints do not know the parameter {name}"))),
                }
            }
            for k in 0..own.dim(DimKind::Out) {
                row[space.offset(kind) + k] += function.coefficient(DimKind::Out, k) * Int::from(sign);
            }
        }
        rows.push(row);
    }
    Ok(rows)
}
