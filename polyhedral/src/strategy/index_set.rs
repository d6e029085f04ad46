//! Which innermost loops are cut at an iteration that all others depend on, or that depends on all others (see the pass `split_index_set`)?
//!
//! In `for j: p[i][j] = min(p[i][j], p[i][k] + p[k][j])` iterations do not wait for each other, but for the one that writes `p[i][k]`,
//! and that one waits for those that have read it. So nothing is vectorised. Cut at `j = k` the loop becomes three: those in front of it, that
//! one, and those behind it, and the first and the last have independent iterations. The order stays as it is. (Measured, shortest paths
//! between all pairs with AVX-512: 1.4x with 20 nodes, 4.9x with 100, 5.4x with 400.)
//!
//! A loop is cut if
//! - its iterations depend on each other when all outer loops stand still, and each of these dependences begins, or each ends, at one value
//!   of the counter: a function of parameters and outer counters, the same for all;
//! - vectors can do the rest: elements side by side or the same for all iterations, no branches unless the machine can mask lanes.
//!
//! It is the last thing that is tried, for nests in which nothing else was found.

use crate::arith::{Int, Row};
use crate::error::Result;
use crate::flow::AccessKind;
use crate::relation::{Map, Relation, Set, UnionSet};
use crate::scop::{Dependence, ElementKind, OperationKind};
use crate::space::DimKind;
use crate::transform::{Need, Value};

use super::program::{Part, is_innermost, statements_of};
use super::search::Search;
use super::{Failure, Transformation};

/// A value of a loop's counter: a constant, parameters and counters of the loops around it, with their coefficients.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cut {
    constant: Int,
    params: Vec<(String, Int)>,
    /// By the position of the loop.
    counters: Vec<Int>,
}

impl Search<'_, '_> {
    /// Cuts innermost loops in a part, which has so many bands above it.
    pub(super) fn cut_inside(&mut self, part: &Part, above: usize) -> std::result::Result<(), Failure> {
        let Part::Loop { index, body } = part else { return Ok(()) };
        if !is_innermost(body) {
            return body.iter().try_for_each(|inner| self.cut_inside(inner, above + 1));
        }
        let statements = statements_of(body);
        if !statements.iter().all(|s| self.suits_vectors(*s, *index)) {
            return Ok(());
        }
        let Some(cut) = self.cut(*index, &statements)? else { return Ok(()) };
        let before = self.draft.clone();
        let mut cuts = 0;
        // Behind the value first: from then on the site means the part in front.
        for relation in ["<=", "<"] {
            let parts = statements.iter().map(|s| self.in_front(*s, *index, relation, &cut)).collect::<Vec<_>>();
            let params = cut.params.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
            let first = UnionSet::parse(&format!("[{params}] -> {{ {} }}", parts.join("; ")), self.budget)?;
            let first = Value::Text(first.to_string());
            cuts += usize::from(self.takes("split_index_set", (statements[0], above), [("first", first)])?);
        }
        if cuts == 0 {
            self.draft = before;
            return Ok(());
        }
        let nest =
            Transformation { loops: vec![*index], order: vec![0], statements, cut: true, ..Transformation::default() };
        self.done(nest, Some(Need::at_least(*index, self.options.strategy.split)))
    }

    /// The instances of a statement at values of the counter in front of a cut, in isl notation.
    fn in_front(&self, statement: usize, index: usize, relation: &str, cut: &Cut) -> String {
        let around = &self.program.around[statement];
        let counter = |l: usize| self.program.dim(statement, l).map_or_else(|| "0".to_owned(), |dim| format!("i{dim}"));
        let counters = around.iter().zip(&cut.counters).map(|(l, factor)| (counter(*l), factor));
        let params = cut.params.iter().map(|(name, factor)| (name.clone(), factor));
        let terms: Vec<String> = params.chain(counters).map(|(name, factor)| format!(" + {factor} {name}")).collect();
        let instance = self.instance(statement);
        format!("{instance} : {} {relation} {}{}", counter(index), cut.constant, terms.concat())
    }

    /// Where the loop is to be cut so that iterations of each part are independent; nothing if they are anyway, or if there is no such
    /// value.
    fn cut(&self, index: usize, statements: &[usize]) -> Result<Option<Cut>> {
        let mut possible: Option<Vec<Cut>> = None;
        for dependence in &self.dependences.merged {
            if !statements.contains(&dependence.source) || !statements.contains(&dependence.sink) {
                continue;
            }
            let Some(map) = self.carried(dependence, index)? else { return Ok(None) };
            for part in map.conjunctions() {
                let part = Map(Relation::from_parts(map.space().clone(), [part.clone()]));
                if part.is_empty(self.budget)? {
                    continue;
                }
                let source = self.value(dependence.source, index, &part.domain(self.budget)?)?;
                let sink = self.value(dependence.sink, index, &part.range(self.budget)?)?;
                let ends: Vec<Cut> = source.into_iter().chain(sink).collect();
                possible = Some(match possible {
                    Some(known) => known.into_iter().filter(|cut| ends.contains(cut)).collect(),
                    None => ends,
                });
            }
        }
        Ok(possible.and_then(|cuts| cuts.into_iter().next()))
    }

    /// The pairs of a dependence that differ in a loop and agree on all loops around it; nothing if the statements do not have the same
    /// loops in the same dimensions.
    fn carried(&self, dependence: &Dependence, index: usize) -> Result<Option<Map>> {
        let mut map = dependence.map.clone();
        let around = &self.program.around[dependence.source];
        if *around != self.program.around[dependence.sink] {
            return Ok(None);
        }
        for l in around {
            let (Some(a), Some(b)) = (self.program.dim(dependence.source, *l), self.program.dim(dependence.sink, *l))
            else {
                return Ok(None);
            };
            map = if *l == index { map.order_lt(a, b)? } else { map.equate(a, b)? };
        }
        Ok(Some(map))
    }

    /// The only value of a loop's counter in some instances of a statement, where there is one for each iteration of the loops around.
    fn value(&self, statement: usize, index: usize, instances: &Set) -> Result<Option<Cut>> {
        let Some(dim) = self.program.dim(statement, index) else { return Ok(None) };
        let hull = instances.affine_hull(self.budget)?;
        let space = hull.space();
        let first = space.offset(DimKind::Out);
        let [hull] = hull.conjunctions() else { return Ok(None) };
        let is_it = |row: &&Row| row[first + dim].is_unit() && row[space.n_col()..].iter().all(Int::is_zero);
        let Some(row) = hull.eqs().iter().find(is_it) else { return Ok(None) };
        // Of `c + x = 0` the value is -c, of `c - x = 0` it is c.
        let factor = -&row[first + dim];
        let at = |column: usize| &row[column] * &factor;
        let params = space.param_names().iter().enumerate();
        let params = params.map(|(k, name)| (name.to_string(), at(1 + k))).filter(|(_, factor)| !factor.is_zero());
        let around = &self.program.around[statement];
        let mut counters = vec![Int::zero(); around.len()];
        for other in (0..space.dim(DimKind::Out)).filter(|other| *other != dim && !row[first + *other].is_zero()) {
            let Some(position) = around.iter().position(|l| self.program.dim(statement, *l) == Some(other)) else {
                return Ok(None);
            };
            counters[position] = at(first + other);
        }
        Ok(Some(Cut { constant: at(0), params: params.collect(), counters }))
    }

    /// Whether vectors can do what a statement does in iterations of a loop that are independent.
    fn suits_vectors(&self, statement: usize, index: usize) -> bool {
        let (scop, own) = (self.scop, &self.scop.statements[statement]);
        let side_by_side =
            own.accesses.iter().all(|access| match self.program.stride(scop, statement, access, index) {
                Some(0) => access.kind == AccessKind::Read,
                Some(bytes) => scop.memory_of(access).is_some_and(|array| bytes == i128::from(array.unit)),
                None => false,
            });
        let one_by_one = own.operations.iter().any(|operation| match operation.kind {
            OperationKind::Call(_) | OperationKind::Other(_) | OperationKind::Remainder => true,
            OperationKind::Divide => operation.element.kind == ElementKind::Integer,
            _ => false,
        });
        side_by_side && !one_by_one && (self.options.masks || !own.branches)
    }
}
