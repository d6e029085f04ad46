//! One member of a permutable band: the integer program of Pluto.
//!
//! Wanted is a row per statement such that every validity constraint has a distance that is not negative, coincidence
//! constraints (while they are asked for) have distance zero, and the distances of proximity constraints are bounded by
//! one affine function `u(n) = m . n + m0` of the parameters that is as small as possible. The rows of all statements
//! that need the most further rows must be independent of their earlier ones. The objective, lexicographically:
//! `sum |m|`, `m0`, the sum of the coefficients of parameters, the sum of the absolute values of the coefficients of
//! coordinates, the coefficients themselves.
//!
//! Zero solves all constraints, so the same tableau serves for all members of a band; only the search for a
//! solution that is not trivial is repeated.
//!
//! Sources: U. Bondhugula et al., *A Practical Automatic Polyhedral Parallelizer and Locality Optimizer*, 2008;
//! S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, sections 6.4 and 6.5.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::arith::{Int, Row};
use crate::budget::Budget;
use crate::error::{Error, Result};

use super::cone::Cone;
use super::layout::Layout;
use super::number::{Number, Stop};
use super::options::Options;
use super::search::{Region, nontrivial_minimum};
use super::tableau::{Linear, Tableau};

/// A constraint as the program sees it.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) source: usize,
    pub(super) sink: usize,
    pub(super) validity: bool,
    pub(super) coincidence: bool,
    pub(super) proximity: bool,
    /// The distance must be zero, whatever is given up.
    pub(super) local: bool,
    pub(super) cone: Rc<Cone>,
}

/// What the program must know about a statement.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// The number of coordinates.
    pub(super) n: usize,
    /// Bounds on the absolute values of the coefficients.
    pub(super) bounds: Vec<Option<Int>>,
}

/// The integer program of a band.
pub(super) struct Program {
    layout: Layout,
    n_unknown: usize,
    definitions: Vec<(usize, Linear)>,
    eqs: Vec<Linear>,
    ineqs: Vec<Linear>,
    /// The tableau of all constraints in machine words, if they fit, and without limits, if that was needed.
    small: Option<Tableau<i64>>,
    big: Option<Tableau<Int>>,
}

/// The unknowns of the objectives.
const SUM_M: usize = 0;
const M0: usize = 1;
const SUM_PARAMS: usize = 2;
const SUM_COORDINATES: usize = 3;
const FIRST: usize = 4;

impl Program {
    /// The program of some constraints. With `coincidence`, coincidence constraints must have distance zero.
    pub(super) fn new(
        n_param: usize,
        targets: &[Target],
        links: &[Link],
        coincidence: bool,
        options: &Options,
    ) -> Program {
        let layout = Layout::new(n_param, options.parametric, targets.iter().map(|t| t.n), FIRST + 2 * n_param);
        let mut sum_m = Linear::new(0);
        (FIRST..FIRST + 2 * n_param).for_each(|u| sum_m.add(u, Int::one()));
        let definitions =
            vec![(SUM_M, sum_m), (SUM_PARAMS, layout.sum_of_params()), (SUM_COORDINATES, layout.sum_of_coordinates())];
        let n_unknown = layout.end();
        let mut builder = Builder { layout: &layout, n_param, eqs: BTreeSet::new(), ineqs: BTreeSet::new() };
        for link in links {
            builder.link(link, coincidence);
        }
        let (eqs, mut ineqs) = (builder.eqs, builder.ineqs);
        for (s, target) in targets.iter().enumerate() {
            limits(&layout, s, n_param, target, options, &mut ineqs);
        }
        Program {
            n_unknown,
            definitions,
            eqs: eqs.into_iter().collect(),
            ineqs: ineqs.into_iter().collect(),
            small: None,
            big: None,
            layout,
        }
    }

    /// The best rows, one per statement, for which no statement with `directions` has zero in all of them. Nothing if
    /// there are none.
    pub(super) fn solve(
        &mut self,
        directions: &[Option<&[Vec<Int>]>],
        budget: &Budget,
    ) -> Result<Option<Vec<Vec<Int>>>> {
        let regions: Vec<Region> = directions
            .iter()
            .enumerate()
            .filter_map(|(s, rows)| {
                let form = |row: &Vec<Int>| {
                    let mut form = Linear::new(0);
                    self.layout.add_direction(&mut form, s, row, 1);
                    form
                };
                rows.map(|rows| rows.iter().map(form).collect())
            })
            .collect();
        let point = match self.in_words(&regions, budget) {
            Err(Stop::Overflow) => self.without_limits(&regions, budget),
            result => result,
        };
        match point {
            Ok(point) => Ok(point.map(|p| (0..directions.len()).map(|s| self.layout.row(s, &p)).collect())),
            Err(Stop::Exhausted(e)) => Err(Error::Exhausted(e)),
            Err(Stop::Overflow) => Err(super::statement::refused("numbers without limits do not overflow".into())),
        }
    }

    fn in_words(&mut self, regions: &[Region], budget: &Budget) -> std::result::Result<Option<Vec<Int>>, Stop> {
        if self.big.is_some() {
            return Err(Stop::Overflow);
        }
        let tableau = match self.small.take() {
            Some(tableau) => tableau,
            None => self.tableau::<i64>(budget)?,
        };
        self.small = Some(tableau.clone());
        nontrivial_minimum(tableau, regions, &[SUM_M, M0], budget)
    }

    fn without_limits(&mut self, regions: &[Region], budget: &Budget) -> std::result::Result<Option<Vec<Int>>, Stop> {
        let tableau = match self.big.take() {
            Some(tableau) => tableau,
            None => self.tableau::<Int>(budget)?,
        };
        self.big = Some(tableau.clone());
        nontrivial_minimum(tableau, regions, &[SUM_M, M0], budget)
    }

    fn tableau<N: Number>(&self, budget: &Budget) -> std::result::Result<Tableau<N>, Stop> {
        let mut tableau = Tableau::new(self.n_unknown, &self.definitions)?;
        for form in &self.eqs {
            tableau.add_eq(form, budget)?;
        }
        for form in &self.ineqs {
            tableau.add_ineq(form, budget)?;
        }
        Ok(tableau)
    }
}

/// Collects constraints, each once.
struct Builder<'l> {
    layout: &'l Layout,
    n_param: usize,
    eqs: BTreeSet<Linear>,
    ineqs: BTreeSet<Linear>,
}

impl Builder<'_> {
    fn link(&mut self, link: &Link, coincidence: bool) {
        let zero = link.local || (coincidence && link.coincidence);
        let distance = |g: &Row, factor: i64| self.layout.distance(link.source, link.sink, g, factor);
        if zero {
            let forms: Vec<Linear> = link.cone.span().iter().map(|g| distance(g, 1)).collect();
            self.eqs.extend(forms.into_iter().filter(|f| !f.terms.is_empty()));
            return;
        }
        if link.validity {
            let eqs: Vec<Linear> = link.cone.lines.iter().map(|g| distance(g, 1)).collect();
            let ineqs: Vec<Linear> = link.cone.rays.iter().map(|g| distance(g, 1)).collect();
            self.eqs.extend(eqs.into_iter().filter(|f| !f.terms.is_empty()));
            self.ineqs.extend(ineqs.into_iter().filter(|f| !f.terms.is_empty()));
        }
        if link.proximity {
            let factors: &[i64] = if link.validity { &[-1] } else { &[-1, 1] };
            for &factor in factors {
                for (rows, equality) in [(&link.cone.lines, true), (&link.cone.rays, false)] {
                    for g in rows {
                        let mut form = self.layout.distance(link.source, link.sink, g, factor);
                        self.add_bound(&mut form, g);
                        if equality {
                            self.eqs.insert(form);
                        } else {
                            self.ineqs.insert(form);
                        }
                    }
                }
            }
        }
    }

    /// Adds `u(n)` at a generator.
    fn add_bound(&self, form: &mut Linear, generator: &Row) {
        form.add(M0, generator[0].clone());
        for k in 0..self.n_param {
            form.add(FIRST + 2 * k, -&generator[1 + k]);
            form.add(FIRST + 2 * k + 1, generator[1 + k].clone());
        }
    }
}

/// The limits on the coefficients of a statement.
fn limits(layout: &Layout, s: usize, n_param: usize, target: &Target, options: &Options, ineqs: &mut BTreeSet<Linear>) {
    for (k, bound) in target.bounds.iter().enumerate() {
        let Some(bound) = bound else { continue };
        let (negative, positive) = layout.coordinate(s, k);
        for (up, down) in [(negative, positive), (positive, negative)] {
            let mut form = Linear::new(0);
            form.constant = bound.clone();
            form.add(up, Int::from(-1));
            form.add(down, Int::one());
            ineqs.insert(form);
        }
    }
    let limit = |unknown: usize, limit: u32| {
        let mut form = Linear::new(i64::from(limit));
        form.add(unknown, Int::from(-1));
        form
    };
    if let Some(max) = options.max_coefficient {
        ineqs.extend((0..n_param).filter_map(|k| layout.param(s, k)).map(|u| limit(u, max)));
    }
    if let Some(max) = options.max_constant_term {
        ineqs.insert(limit(layout.constant(s), max));
    }
}
