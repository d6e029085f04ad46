//! One union coalesced by both libraries: isl is asked for the number of its disjuncts and whether our result is the
//! same set; points in a box are compared, too.

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::space::DimKind;

use crate::isl::{Failure, Isl, Kind};

use super::points::{REACH, box_points, contains};

/// How one pair went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Disjuncts of the operand as we read it, of our result and of the result of isl's best build.
    Counts {
        /// Before.
        before: usize,
        /// Ours.
        ours: usize,
        /// The fewest of isl's builds; an empty set counts as one.
        isl: usize,
    },
    /// Isl's limit was reached.
    IslGaveUp,
    /// Our result is not the same set, or there is none.
    Wrong(String),
}

/// Coalesces a union with both libraries and compares.
pub fn compare(builds: &[&Isl], text: &str) -> Outcome {
    let budget = Budget::new(100_000_000);
    let wrong = |why: String| Outcome::Wrong(format!("{text}: {why}"));
    let set = match Set::parse(text, &budget) {
        Ok(set) => set,
        Err(error) => return wrong(error.to_string()),
    };
    let ours = match set.coalesce(&budget) {
        Ok(ours) => ours,
        Err(error) => return wrong(error.to_string()),
    };
    let n = set.space().dim(DimKind::Param) + set.space().dim(DimKind::Out);
    for p in box_points(n, if n > 2 { 4 } else { REACH }) {
        if contains(&ours, &p) != contains(&set, &p) {
            return wrong(format!("{ours} differs at {p:?}"));
        }
    }
    let mut least = usize::MAX;
    for isl in builds {
        isl.set_limit(2_000_000);
        let answer = (|| {
            let theirs = isl.read(Kind::Set, text)?;
            let mine = isl.read(Kind::Set, &ours.to_string())?;
            if !mine.is_equal(&theirs)? {
                return Ok(None);
            }
            // SAFETY: the function takes a set and gives one.
            let coalesced = unsafe { isl.give1("isl_set_coalesce", Kind::Set, &theirs) }?;
            coalesced.n_disjuncts().map(Some)
        })();
        match answer {
            Ok(Some(n)) => least = least.min(n),
            Ok(None) => return wrong(format!("{} finds {ours} different", isl.name())),
            Err(Failure::Quota) => return Outcome::IslGaveUp,
            Err(failure) => return wrong(failure.to_string()),
        }
    }
    Outcome::Counts { before: set.conjunctions().len(), ours: ours.conjunctions().len(), isl: least.max(1) }
}
