//! Lexicographic minima that are not trivial.
//!
//! Zero solves every homogeneous problem. A *region* is a list of linear forms of which some must be non-zero: the rows
//! of a statement must be linearly independent of the earlier ones. The search solves the problem without regard to
//! regions; if all forms of some region are zero, it distinguishes the cases
//!
//! ```text
//! f_0 >= 1;  f_0 <= -1;  f_0 = 0 and f_1 >= 1;  f_0 = 0 and f_1 <= -1;  ...
//! ```
//!
//! and goes on in each. After a first solution the remaining cases are only of interest if they are *better*, which
//! means here that the first significant objective that is not yet zero becomes zero. That is deliberately not
//! exhaustive: a solution whose significant objectives are as good is not looked for. When all significant objectives
//! are zero, the search ends.
//!
//! Source: S. Verdoolaege, G. Janssens, *Scheduling for PPCG*, 2017, section 6.5.4.

use crate::arith::Int;
use crate::budget::Budget;

use super::number::{Number, Stop};
use super::tableau::{Linear, Tableau};

/// Forms that must not all be zero.
pub(super) type Region = Vec<Linear>;

struct Search<'p, N> {
    regions: &'p [Region],
    /// Unknowns that should become zero, the most important first.
    significant: &'p [usize],
    best: Option<(Vec<Int>, usize)>,
    budget: &'p Budget,
    marker: std::marker::PhantomData<N>,
}

/// The least integral point found on which no region is trivial. `significant` are the unknowns that matter.
pub(super) fn nontrivial_minimum<N: Number>(
    tableau: Tableau<N>,
    regions: &[Region],
    significant: &[usize],
    budget: &Budget,
) -> Result<Option<Vec<Int>>, Stop> {
    let mut search = Search { regions, significant, best: None, budget, marker: std::marker::PhantomData };
    search.visit(tableau)?;
    Ok(search.best.map(|(point, _)| point))
}

impl<N: Number> Search<'_, N> {
    /// The number of significant objectives that are zero before the first one that is not.
    fn n_zero(&self) -> Option<usize> {
        self.best.as_ref().map(|(_, n)| *n)
    }

    /// Looks for solutions in a tableau. Whether the search is over.
    fn visit(&mut self, mut tableau: Tableau<N>) -> Result<bool, Stop> {
        if !tableau.solve(true, self.budget)? {
            return Ok(false);
        }
        let trivial = self.regions.iter().find(|region| region.iter().all(|f| is_zero(f, &tableau)));
        let Some(region) = trivial else {
            let n = self.significant.iter().position(|&u| !tableau.is_zero(u)).unwrap_or(self.significant.len());
            self.best = Some((tableau.point().0, n));
            return Ok(n == self.significant.len());
        };
        let mut known = self.n_zero();
        for (k, form) in region.iter().enumerate() {
            for positive in [true, false] {
                if self.n_zero() != known {
                    known = self.n_zero();
                    for &u in &self.significant[..=known.unwrap_or(0)] {
                        let mut zero = Linear::new(0);
                        zero.add(u, Int::one());
                        tableau.add_eq(&zero, self.budget)?;
                    }
                    if !tableau.solve(true, self.budget)? {
                        return Ok(false);
                    }
                }
                let mut case = tableau.clone();
                let mut bound = if positive { form.clone() } else { form.negated() };
                bound.constant -= 1;
                case.add_ineq(&bound, self.budget)?;
                if self.visit(case)? {
                    return Ok(true);
                }
            }
            if k + 1 < region.len() {
                tableau.add_eq(form, self.budget)?;
                if !tableau.solve(true, self.budget)? {
                    return Ok(false);
                }
            }
        }
        Ok(false)
    }
}

fn is_zero<N: Number>(form: &Linear, tableau: &Tableau<N>) -> bool {
    let mut sum = form.constant.clone();
    for (u, c) in &form.terms {
        sum.add_mul(c, &tableau.value(*u).0);
    }
    sum.is_zero()
}
