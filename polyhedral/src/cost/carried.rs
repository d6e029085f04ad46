//! Which loops carry a dependence: exact questions about pairs of instances.
//!
//! A loop carries a dependence if some pair of it has the same values in all loops outside and different ones in this loop. Flags of band
//! members say less: they are about bands, and inner loops of a skewed band carry nothing although their members are not coincident.
//! Outer members with divisions (tiles) are left out of the question; what they would say follows from the members inside them.

use crate::affine::Aff;
use crate::arith::Int;
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::Map;
use crate::space::DimKind;

use super::nest::Occurrence;

/// What is the same for both instances of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// The values of all loops outside.
    Loops,
    /// Those of all bands outside: what the flags of a member speak of, and what new code tells a compiler.
    Bands,
}

/// Whether a dependence from one occurrence to another has pairs with the same values in all levels outside of a loop around both and
/// a difference between 1 and `most` in that loop. True also where the members cannot say.
pub(super) fn is_carried(
    map: &Map,
    (source, sink): (&Occurrence, &Occurrence),
    number: usize,
    (most, within): (i64, Within),
    budget: &Budget,
) -> Result<bool> {
    let (Some(from), Some(to)) = (source.level_of(number), sink.level_of(number)) else { return Ok(false) };
    let mut rest = map.clone();
    for filter in &source.filters {
        rest = rest.intersect_domain(filter, budget)?;
    }
    for filter in &sink.filters {
        rest = rest.intersect_range(filter, budget)?;
    }
    let (band, all) = (source.levels[from].band, within == Within::Loops);
    for (a, b) in source.levels[..from].iter().zip(&sink.levels[..to]).filter(|(a, _)| all || a.band != band) {
        if let (Some(a), Some(b)) = (&a.member, &b.member)
            && let Some((aligned, row)) = difference(&rest, a, b)
        {
            rest = aligned.add_eq(&row);
        }
    }
    let (Some(a), Some(b)) = (&source.levels[from].member, &sink.levels[to].member) else {
        return Ok(!rest.is_empty(budget)?);
    };
    let Some((aligned, mut row)) = difference(&rest, a, b) else { return Ok(!rest.is_empty(budget)?) };
    row[0] = &row[0] - &Int::one();
    rest = aligned.add_ineq(&row);
    row.iter_mut().for_each(|entry| *entry = -&*entry);
    row[0] = &row[0] + &Int::new(most - 1);
    rest = rest.add_ineq(&row);
    Ok(!rest.is_empty(budget)?)
}

/// `b(sink) - a(source)` as a row over the columns of a relation from source to sink, which gets the parameters that it lacks; nothing
/// for expressions with divisions.
fn difference(map: &Map, a: &Aff, b: &Aff) -> Option<(Map, Vec<Int>)> {
    if !a.divs().is_empty() || !b.divs().is_empty() || !a.denominator().is_one() || !b.denominator().is_one() {
        return None;
    }
    let map = map.align_params(a.space()).align_params(b.space());
    let space = map.space();
    let mut row = vec![Int::zero(); space.n_col()];
    for (aff, kind, sign) in [(a, DimKind::In, -1), (b, DimKind::Out, 1)] {
        let (own, sign) = (aff.space(), Int::new(sign));
        row[0] = &row[0] + &(&sign * aff.constant_term());
        for (k, name) in own.param_names().iter().enumerate() {
            let column = space.offset(DimKind::Param) + space.param_index(name)?;
            row[column] = &row[column] + &(&sign * &aff.coefficient(DimKind::Param, k));
        }
        for k in 0..own.dim(DimKind::Out) {
            let column = space.offset(kind) + k;
            row[column] = &row[column] + &(&sign * &aff.coefficient(DimKind::Out, k));
        }
    }
    Some((map, row))
}
