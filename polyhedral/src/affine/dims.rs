//! Changes of the arguments of piecewise functions: dimensions and parameters that nothing uses come and go.

use crate::error::{Error, Result};
use crate::relation::{self, Row, Set};
use crate::space::{DimKind, Space};

use super::{Expression, Piecewise};

/// Whether a constraint or division of a set uses a column.
fn uses(set: &Set, column: usize) -> bool {
    let in_row = |row: &Row| !row[column].is_zero();
    set.conjunctions().iter().any(|c| {
        c.eqs().iter().any(in_row)
            || c.ineqs().iter().any(in_row)
            || (0..c.n_local()).any(|k| c.div(k).is_some_and(|d| in_row(&d.row)))
    })
}

/// The places of the columns that stay, in order.
fn places(kept: impl Iterator<Item = bool>) -> Vec<Option<usize>> {
    let mut next = 0;
    let mut place = |keep: bool| {
        let place = keep.then_some(next);
        next += usize::from(keep);
        place
    };
    kept.map(&mut place).collect()
}

impl<E: Expression> Piecewise<E> {
    /// Whether some dimension or parameter of the arguments takes part, in a condition or a value.
    pub fn involves(&self, kind: DimKind, first: usize, n: usize) -> bool {
        let offset = self.domain_space().offset(kind);
        self.pieces().iter().any(|(set, expression)| {
            expression.involves(kind, first, n) || (first..first + n).any(|k| uses(set, offset + k))
        })
    }

    /// The same function with `n` dimensions, which it does not use, inserted before dimension `pos` of the arguments.
    pub fn insert_dims(&self, pos: usize, n: usize) -> Result<Piecewise<E>> {
        let arguments = self.domain_space();
        if !arguments.is_set() || pos > arguments.dim(DimKind::Out) {
            return Err(relation::out_of_range("insert dimensions", self.space(), DimKind::Out, pos));
        }
        let at = arguments.offset(DimKind::Out) + pos;
        let map: Vec<Option<usize>> = (0..arguments.n_col()).map(|c| Some(if c < at { c } else { c + n })).collect();
        let arguments = arguments.insert_dims(DimKind::Out, pos, n);
        Ok(self.remapped(E::with_argument_space(self.space(), &arguments), &map))
    }

    /// The same function without `n` dimensions (kind `Out`) or parameters of the arguments. Error: it uses them.
    pub fn drop_dims(&self, kind: DimKind, first: usize, n: usize) -> Result<Piecewise<E>> {
        let operation = "drop dimensions";
        let arguments = self.domain_space();
        relation::check_dims(operation, &arguments, kind, first, n)?;
        if self.involves(kind, first, n) {
            return Err(Error::OutOfRange {
                operation,
                what: format!("a function in the space {} uses them", self.space()),
            });
        }
        let at = arguments.offset(kind) + first;
        let map = places((0..arguments.n_col()).map(|c| c < at || c >= at + n));
        let arguments = arguments.drop_dims(kind, first, n);
        Ok(self.remapped(E::with_argument_space(self.space(), &arguments), &map))
    }

    /// The same function as one of only the parameters. Error: it uses a dimension of the arguments.
    pub fn project_on_params(&self) -> Result<Piecewise<E>> {
        let n = self.domain_space().dim(DimKind::Out);
        let bare = if n > 0 { self.drop_dims(DimKind::Out, 0, n)? } else { self.clone() };
        let params = bare.space().params_space();
        let map: Vec<Option<usize>> = (0..params.n_col()).map(Some).collect();
        Ok(bare.remapped(E::with_argument_space(bare.space(), &params), &map))
    }

    /// The same function without the parameters that nothing uses.
    pub fn drop_unused_params(&self) -> Piecewise<E> {
        let names = self.space().param_names();
        let kept: Vec<bool> = (0..names.len()).map(|k| self.involves(DimKind::Param, k, 1)).collect();
        if kept.iter().all(|&k| k) {
            return self.clone();
        }
        let list: Vec<&str> = names.iter().zip(&kept).filter(|(_, k)| **k).map(|(n, _)| &**n).collect();
        let space = self.space().with_params_of(&Space::params(&list));
        let n = self.domain_space().n_col();
        let map = places((0..n).map(|c| c == 0 || kept.get(c - 1).copied().unwrap_or(true)));
        self.remapped(space, &map)
    }
}
