//! Which of some pairs of instances run strictly one after the other, where the times of both are affine functions.
//!
//! A pair is ordered by the first component of time in which both differ. One relation per component says that, and then it is work to find
//! out that one relation would have done. Here the components behind are asked first: where they order all pairs that are equal up to them,
//! "less or equal" in a component says everything, and where they order none, "less" does.
//!
//! ```text
//! for t: for i: A[i] = A[i - 1]      S[t, i] -> S[t', i + 1]       t < t', or t = t' and i < i + 1, which always holds:  t <= t'
//! for t: for i: A[i] = A[i + 1]      S[t, i] -> S[t', i - 1]       t < t', or t = t' and i < i - 1, which never holds:   t < t'
//! ```

use crate::affine::{Aff, PwMultiAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{self, Conjunction, Map, Row, Set};
use crate::space::DimKind;

/// The time of the instances of one statement: an affine function without divisions per component.
#[derive(Clone, Debug)]
pub(super) struct AffineTime {
    /// The instances that have a time.
    domain: Set,
    /// The time.
    affs: Vec<Aff>,
}

/// Which of the pairs in a conjunction have the source strictly first.
enum Ordered {
    All,
    These(Vec<Conjunction>),
}

impl AffineTime {
    /// The time that a map `S[..] -> [t0, .., tk]` gives; nothing where it is no such function.
    pub(super) fn new(map: &Map, budget: &Budget) -> Result<Option<AffineTime>> {
        let function = match PwMultiAff::from_map(map, budget) {
            Ok(function) => function,
            Err(Error::Exhausted(reason)) => return Err(Error::Exhausted(reason)),
            // Not a function.
            Err(_) => return Ok(None),
        };
        let [(domain, time)] = function.pieces() else { return Ok(None) };
        let affs = time.affs().to_vec();
        let is_plain = affs.iter().all(|aff| aff.divs().is_empty() && aff.denominator().is_one());
        Ok(is_plain.then(|| AffineTime { domain: domain.clone(), affs }))
    }
}

/// The pairs `S[..] -> T[..]` with a source that is strictly before the target. Exact; nothing in it is empty.
pub(super) fn strictly_before(source: &AffineTime, target: &AffineTime, pairs: &Map, budget: &Budget) -> Result<Map> {
    let pairs = pairs.intersect_domain(&source.domain, budget)?.intersect_range(&target.domain, budget)?;
    let space = pairs.space();
    let (params, n_col) = (space.params_space(), space.n_col());
    let (first, second) = (space.offset(DimKind::In), space.offset(DimKind::Out));
    let columns = |dims: usize, n: usize| -> Vec<usize> { (0..first).chain(dims..dims + n).collect() };
    let sources = columns(first, space.dim(DimKind::In));
    let targets = columns(second, space.dim(DimKind::Out));
    let mut differences = Vec::with_capacity(source.affs.len());
    for (earlier, later) in source.affs.iter().zip(&target.affs) {
        let mut row = relation::remap(later.align_params(&params).row(), &targets, n_col);
        let earlier = relation::remap(earlier.align_params(&params).row(), &sources, n_col);
        relation::add_scaled(&mut row, &Int::from(-1), &earlier);
        differences.push(row);
    }
    let mut found = Vec::new();
    for part in pairs.conjunctions() {
        match ordered(part, &differences, budget)? {
            Ordered::All if part.is_empty(budget)? => {}
            Ordered::All => found.push(part.clone()),
            Ordered::These(parts) => found.extend(parts),
        }
    }
    Map::from_conjunctions(space.clone(), found)?.coalesce(budget)
}

/// The pairs for which the first of some differences that is not zero is positive. `All` is said of no pairs, too.
fn ordered(pairs: &Conjunction, differences: &[Row], budget: &Budget) -> Result<Ordered> {
    let Some((difference, behind)) = differences.split_first() else { return Ok(Ordered::These(Vec::new())) };
    match pairs.sign_of(difference) {
        Some(sign) if sign > 0 => return Ok(Ordered::All),
        Some(0) => return ordered(pairs, behind, budget),
        Some(_) => return Ok(Ordered::These(Vec::new())),
        None => {}
    }
    let with = |add: &dyn Fn(&mut Conjunction, Row)| {
        let mut pairs = pairs.clone();
        let mut row = difference.clone();
        row.resize(pairs.n_col(), Int::zero());
        add(&mut pairs, row);
        pairs.simplify()
    };
    let equal = with(&|pairs, row| pairs.add_eq(row));
    let equal = if equal.is_plainly_empty() { Ordered::These(Vec::new()) } else { ordered(&equal, behind, budget)? };
    let (least, mut found) = match equal {
        Ordered::All => (0, Vec::new()),
        Ordered::These(parts) => (1, parts),
    };
    let less = with(&|pairs, mut row| {
        row[0] -= least;
        pairs.add_ineq(row);
    });
    if !less.is_plainly_empty() && !less.is_empty(budget)? {
        found.insert(0, less);
    }
    Ok(Ordered::These(found))
}
