//! What dependences say about an order of loops and of parts of a nest.
//!
//! `D` stands for the dependences whose instances agree on all loops around the nest. A set of loops is permutable if no pair of
//! `D` has a negative distance along any of them (Wolf and Lam 1991); a nest may be distributed over two parts of its body
//! if no pair of `D` leads from the later part to the earlier one. Dependences between instances of reductions count only
//! where it matters whether iterations may run at the same time.

use super::nest::{Result, Search};
use crate::model::sets::library_error;
use tessera_polyhedral::relation::{Comparison, Map};
use tessera_polyhedral::scop::Dependence;
use tessera_polyhedral::space::DimKind;

impl Search<'_> {
    /// For each of `n` loops below `depth` others, whether its iterations depend on each other when the rest stands still.
    pub(super) fn carries(&self, relevant: &[Dependence], depth: usize, n: usize) -> Result<Vec<bool>> {
        let mut carries = vec![false; n];
        for (d, flag) in carries.iter_mut().enumerate() {
            for dependence in relevant {
                *flag = *flag || self.carried_alone(&dependence.map, depth, n, depth + d)?;
            }
        }
        Ok(carries)
    }

    /// Dependences among `statements` between instances that agree on the first `depth` loops.
    pub(super) fn between(&self, statements: &[usize], depth: usize) -> Result<Vec<Dependence>> {
        self.fixed_between(&self.dependences.merged, statements, depth)
    }

    /// Those of some dependences that are among `statements`, between instances that agree on the first `depth` loops.
    pub(super) fn fixed_between<'d>(
        &self,
        dependences: impl IntoIterator<Item = &'d Dependence>,
        statements: &[usize],
        depth: usize,
    ) -> Result<Vec<Dependence>> {
        let mut inside = Vec::new();
        for dependence in dependences {
            if statements.contains(&dependence.source) && statements.contains(&dependence.sink) {
                let map = self.fixed(&dependence.map, depth)?;
                if !map.is_empty(self.budget).map_err(library_error)? {
                    inside.push(Dependence { map, ..*dependence });
                }
            }
        }
        Ok(inside)
    }

    /// The pairs that agree on the first `depth` loops.
    fn fixed(&self, map: &Map, depth: usize) -> Result<Map> {
        let mut map = map.clone();
        for d in 0..depth {
            map = map.equate(d, d).map_err(library_error)?;
        }
        Ok(map)
    }

    /// Some pair has a negative distance along loop `d`.
    pub(super) fn may_go_back(&self, map: &Map, d: usize) -> Result<bool> {
        let back = map.compare_dims(DimKind::In, d, Comparison::Gt, DimKind::Out, d).map_err(library_error)?;
        Ok(!back.is_empty(self.budget).map_err(library_error)?)
    }

    /// Some pair differs along loop `d` while all other loops of the nest agree.
    fn carried_alone(&self, map: &Map, depth: usize, n: usize, d: usize) -> Result<bool> {
        let mut map = map.clone();
        for other in (depth..depth + n).filter(|other| *other != d) {
            map = map.equate(other, other).map_err(library_error)?;
        }
        let ahead = map.order_lt(d, d).map_err(library_error)?;
        Ok(!ahead.is_empty(self.budget).map_err(library_error)? || self.may_go_back(&map, d)?)
    }

    /// Whether a dependence of `D` leads from one of the statements `from` to one of `to`.
    pub(super) fn leads_back(&self, from: &[usize], to: &[usize], depth: usize) -> Result<bool> {
        for dependence in &self.dependences.merged {
            if !dependence.reduction && from.contains(&dependence.source) && to.contains(&dependence.sink) {
                let map = self.fixed(&dependence.map, depth)?;
                if !map.is_empty(self.budget).map_err(library_error)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether iterations of a loop depend on each other when all other loops around these statements stand still.
    pub(super) fn waits(&self, statements: &[usize], index: usize) -> Result<bool> {
        let relevant = self.dependences.merged.iter();
        for dependence in relevant.filter(|d| statements.contains(&d.source) && statements.contains(&d.sink)) {
            let loops = &self.scop.statements[dependence.source].loops;
            if self.scop.statements[dependence.sink].loops != *loops {
                return Ok(true);
            }
            let mut map = dependence.map.clone();
            for d in (0..loops.len()).filter(|d| loops[*d] != index) {
                map = map.equate(d, d).map_err(library_error)?;
            }
            let Some(d) = loops.iter().position(|l| *l == index) else { return Ok(true) };
            // The order of the program is that of this loop where all others agree.
            let later = map.order_lt(d, d).map_err(library_error)?;
            if !later.is_empty(self.budget).map_err(library_error)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
