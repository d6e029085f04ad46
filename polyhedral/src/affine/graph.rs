//! Graphs of total functions as relations.

use crate::arith::row;
use crate::error::Result;
use crate::relation::{Conjunction, Map, Relation};
use crate::space::DimKind;

use super::MultiAff;

/// The graph of a function: `den * out = numerator` for every component.
pub(super) fn graph(function: &MultiAff) -> Result<Relation> {
    let space = function.space().clone();
    let domain = function.domain_space();
    let mut c = Conjunction::universe(space.clone());
    let arguments = domain.n_col();
    for (pos, aff) in function.affs().iter().enumerate() {
        let shift = c.n_col();
        let mut map: Vec<usize> = (0..arguments).collect();
        map.extend((0..aff.divs().len()).map(|k| shift + k));
        for (k, div) in aff.divs().iter().enumerate() {
            c.add_div(row::remap(&div.row, &map[..arguments + k], shift + k), div.den.clone());
        }
        let mut row = row::remap(aff.row(), &map, c.n_col());
        row[space.offset(DimKind::Out) + pos] -= aff.denominator();
        c.add_eq(row);
    }
    Ok(Relation::from_parts(space, [c]))
}

impl Map {
    /// The graph of a function. Points where a component is not an integer have no image.
    pub fn from_multi_aff(function: &MultiAff) -> Result<Map> {
        Ok(Map(graph(function)?))
    }
}
