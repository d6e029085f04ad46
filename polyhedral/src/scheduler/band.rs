//! Permutable bands: as many members as possible, one after the other, under the same constraints.
//!
//! A band starts with coincidence asked for. Where there is no further member, coincidence is given up for the rest of
//! the band; where it is forced for the first member and there is none, the band stays empty. A member that is found
//! while coincidence is asked for is coincident, so coincident members come first.
//!
//! Conditional validity constraints are not part of the program. After each member those that it violates are looked
//! for; if one is adjacent to a condition that is not at one point, that condition is made local (its distance is
//! forced to zero) and the band starts again. There are finitely many conditions, so that ends.
//!
//! Source: S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, sections 6.4 and 6.6.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;

use super::conditional::violated_conditions;
use super::graph::{COINCIDENCE, CONDITIONAL, Graph, PROXIMITY, VALIDITY};
use super::options::Options;
use super::pluto::{Link, Program, Target};

impl Graph {
    /// The constraints of the graph as the integer program sees them.
    fn links(&self, budget: &Budget) -> Result<Vec<Link>> {
        let mut links = Vec::with_capacity(self.edges.len());
        for edge in &self.edges {
            let (validity, coincidence, proximity) = (edge.is(VALIDITY), edge.is(COINCIDENCE), edge.is(PROXIMITY));
            if validity || coincidence || proximity || edge.local {
                links.push(Link {
                    source: edge.source,
                    sink: edge.sink,
                    validity,
                    coincidence,
                    proximity,
                    local: edge.local,
                    cone: edge.cone(budget)?,
                });
            }
        }
        Ok(links)
    }

    fn targets(&self, options: &Options) -> Vec<Target> {
        self.statements.iter().map(|s| Target { n: s.n, bounds: bounds(&s.sizes, options) }).collect()
    }

    /// The directions of the statements that need the most further rows.
    fn directions(&self) -> Vec<Option<&[Vec<Int>]>> {
        let most = self.missing();
        self.statements.iter().map(|s| (s.missing() == most).then_some(&s.directions[..])).collect()
    }

    /// Adds members to the present band until no statement needs a further row or no member is found. Gives the
    /// coincidence flags of the members.
    pub(super) fn extend_band(&mut self, options: &Options, budget: &Budget) -> Result<Vec<bool>> {
        self.edges.iter_mut().for_each(|e| e.local = false);
        let check = self.edges.iter().any(|e| e.is(CONDITIONAL));
        self.members(usize::MAX, check, options, budget)
    }

    /// As [`Graph::extend_band`], with at most `limit` members, without regard to conditional validity. Conditions that
    /// are marked as local are kept so.
    pub(super) fn extend_band_to(&mut self, limit: usize, options: &Options, budget: &Budget) -> Result<Vec<bool>> {
        self.members(limit, false, options, budget)
    }

    fn members(&mut self, limit: usize, check: bool, options: &Options, budget: &Budget) -> Result<Vec<bool>> {
        let has_coincidence = self.edges.iter().any(|e| e.is(COINCIDENCE));
        let targets = self.targets(options);
        let mut coincidence = has_coincidence;
        let mut flags = Vec::new();
        let mut program: Option<Program> = None;
        while self.missing() > 0 && flags.len() < limit {
            let mut current = match program.take() {
                Some(program) => program,
                None => Program::new(self.n_param(), &targets, &self.links(budget)?, coincidence, options),
            };
            let Some(rows) = current.solve(&self.directions(), budget)? else {
                if coincidence && !(options.outer_coincidence && flags.is_empty()) {
                    coincidence = false;
                    continue;
                }
                break;
            };
            for (statement, row) in self.statements.iter_mut().zip(rows) {
                statement.push(row);
            }
            flags.push(coincidence || !has_coincidence);
            program = Some(current);
            if check {
                let now_local = violated_conditions(self, budget)?;
                if !now_local.is_empty() {
                    now_local.into_iter().for_each(|e| self.edges[e].local = true);
                    let start = self.band_start;
                    self.statements.iter_mut().for_each(|s| s.truncate(start));
                    flags.clear();
                    coincidence = has_coincidence;
                    program = None;
                }
            }
        }
        Ok(flags)
    }
}

/// The bounds on the coefficients of a statement: the option, and for every coordinate half the extent of any other
/// one.
pub(super) fn bounds(sizes: &[Option<Int>], options: &Options) -> Vec<Option<Int>> {
    let half = |size: &Int| (size + 1).div_floor(&Int::from(2));
    (0..sizes.len())
        .map(|k| {
            let others = sizes.iter().enumerate().filter(|(j, _)| *j != k).filter_map(|(_, size)| size.as_ref());
            let option = options.max_coefficient.map(Int::from);
            others.filter(|size| size.is_positive()).map(half).chain(option).min()
        })
        .collect()
}
