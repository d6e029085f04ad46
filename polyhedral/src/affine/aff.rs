//! [`Aff`]: one quasi-affine expression over the parameters and dimensions of a space.
//!
//! The value is `(c0 + sum ci xi + sum dk qk) / den`, where each `qk` is an integer division `floor(row / den)` of such
//! an expression. `x mod m` is `x - m floor(x / m)`. Invariants: `den >= 1` and has no common factor with all of the
//! coefficients; divisions are normalised, used and different from each other, each uses only earlier ones.

use crate::arith::{Int, Rational};
use crate::error::{Error, Result};
use crate::relation::{self, Conjunction, Div, Row};
use crate::space::{DimKind, Space};

use super::expression::remap_row;

/// A quasi-affine expression over a set space, or over a space of only parameters. An immutable value.
///
/// Example: `{ S[i, j] -> [(i + 2*floor((j)/32))] }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aff {
    pub(super) space: Space,
    pub(super) divs: Vec<Div>,
    pub(super) row: Row,
    pub(super) den: Int,
}

impl Aff {
    /// The constant zero.
    pub fn zero(space: Space) -> Aff {
        let row = relation::zeros(space.n_col());
        Aff { space, divs: Vec::new(), row, den: Int::one() }
    }

    /// A constant.
    pub fn constant(space: Space, value: &Int) -> Aff {
        let mut result = Aff::zero(space);
        result.row[0] = value.clone();
        result
    }

    /// A constant that can be a fraction.
    pub fn constant_fraction(space: Space, value: &Rational) -> Aff {
        let mut result = Aff::constant(space, value.numerator());
        result.den = value.denominator().clone();
        result
    }

    /// Dimension `pos` of the tuple.
    pub fn var(space: Space, pos: usize) -> Result<Aff> {
        Aff::dim(space, DimKind::Out, pos)
    }

    /// Parameter number `pos`.
    pub fn param(space: Space, pos: usize) -> Result<Aff> {
        Aff::dim(space, DimKind::Param, pos)
    }

    /// The parameter of a name.
    pub fn param_named(space: Space, name: &str) -> Result<Aff> {
        let pos = space.param_index(name).ok_or_else(|| Error::OutOfRange {
            operation: "form an affine expression",
            what: format!("{space} has no parameter {name}"),
        })?;
        Aff::dim(space, DimKind::Param, pos)
    }

    fn dim(space: Space, kind: DimKind, pos: usize) -> Result<Aff> {
        relation::check_dims("form an affine expression", &space, kind, pos, 1)?;
        let column = space.offset(kind) + pos;
        let mut result = Aff::zero(space);
        result.row[column] = Int::one();
        Ok(result)
    }

    /// The expression `row / den` with `row` over `[constant | params | dims]`. Missing columns count as zero.
    /// Panics if the row is too long or `den` is not positive.
    pub fn from_row(space: Space, row: impl Into<Row>, den: Int) -> Aff {
        Aff::from_parts(space, Vec::new(), row.into(), den)
    }

    /// The expression `row / den` with `row` over `[constant | params | dims | divs]`.
    pub(crate) fn from_parts(space: Space, divs: Vec<Div>, row: Row, den: Int) -> Aff {
        assert!(den.is_positive(), "the denominator of an affine expression must be positive");
        assert!(row.len() <= space.n_col() + divs.len(), "a row with too many columns");
        let mut result = Aff { space, divs, row, den };
        let n = result.space.n_col() + result.divs.len();
        result.row.resize(n, Int::zero());
        for div in &mut result.divs {
            div.row.resize(n, Int::zero());
        }
        result.normalize();
        result
    }

    pub(super) fn normalize(&mut self) {
        relation::normalize_divs(&self.space, &mut self.divs, &mut self.row);
        if self.den.is_one() {
            return;
        }
        let g = relation::gcd(&self.row).gcd(&self.den);
        relation::div_exact(&mut self.row, &g);
        self.den = self.den.div_exact(&g);
    }

    /// The space of the arguments: a set space or a space of only parameters.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The numerator over `[constant | params | dims | divs]`.
    pub fn row(&self) -> &[Int] {
        &self.row
    }

    /// The common denominator, at least one.
    pub fn denominator(&self) -> &Int {
        &self.den
    }

    /// The constant term of the numerator.
    pub fn constant_term(&self) -> &Int {
        &self.row[0]
    }

    /// The coefficient of a parameter or dimension (or division, kind `Local`) in the numerator; zero if there is none.
    pub fn coefficient(&self, kind: DimKind, pos: usize) -> Int {
        let limit = if kind == DimKind::Local { self.divs.len() } else { self.space.dim(kind) };
        if pos < limit { self.row[self.space.offset(kind) + pos].clone() } else { Int::zero() }
    }

    /// The integer divisions; each may use the earlier ones.
    pub fn divs(&self) -> &[Div] {
        &self.divs
    }

    /// The value, if it does not depend on anything and is an integer.
    pub fn constant_value(&self) -> Option<Int> {
        (self.den.is_one() && self.is_constant()).then(|| self.row[0].clone())
    }

    /// Whether the value depends on nothing, as far as the normal form shows.
    pub fn is_constant(&self) -> bool {
        relation::all_zero(&self.row[1..])
    }

    /// The value, if it does not depend on anything.
    pub fn constant_rational(&self) -> Option<Rational> {
        self.is_constant().then(|| Rational::new(self.row[0].clone(), self.den.clone()))
    }

    /// Whether some dimension of a kind, from `first` on, `n` of them, takes part (also inside divisions).
    pub fn involves(&self, kind: DimKind, first: usize, n: usize) -> bool {
        let start = self.space.offset(kind) + first;
        let uses = |row: &Row| row.iter().skip(start).take(n).any(|x| !x.is_zero());
        kind != DimKind::Local && (uses(&self.row) || self.divs.iter().any(|d| uses(&d.row)))
    }

    /// The same expression with at least the parameters of `params`, those of `params` first.
    pub fn align_params(&self, params: &Space) -> Aff {
        let all = params.params_space().align_params(&self.space);
        if self.space.has_equal_params(&all) {
            return self.clone();
        }
        let space = self.space.with_params_of(&all);
        let mut map = vec![Some(0)];
        map.extend(self.space.param_names().iter().map(|name| space.param_index(name).map(|k| 1 + k)));
        let (from, to) = (self.space.offset(DimKind::In), space.offset(DimKind::In));
        map.extend((from..self.space.n_col()).map(|c| Some(c - from + to)));
        self.remap_columns(space, &map)
    }

    /// Moves the columns of the arguments: column `c` becomes column `map[c]` in `space`; columns without a place must
    /// be unused.
    pub(super) fn remap_columns(&self, space: Space, map: &[Option<usize>]) -> Aff {
        let mut full = map.to_vec();
        let base = space.n_col();
        full.extend((0..self.divs.len()).map(|k| Some(base + k)));
        let n = base + self.divs.len();
        let move_div = |d: &Div| Div { row: remap_row(&d.row, &full, n), den: d.den.clone() };
        let divs: Vec<Div> = self.divs.iter().map(move_div).collect();
        let row = remap_row(&self.row, &full, n);
        if divs.is_empty() {
            return Aff { space, divs, row, den: self.den.clone() };
        }
        // Another order of the columns can change the order and the signs of the divisions.
        Aff::from_parts(space, divs, row, self.den.clone())
    }

    /// The numerator as the only equality of a conjunction: a carrier for column operations.
    pub(super) fn as_conjunction(&self) -> Conjunction {
        let mut c = Conjunction::universe(self.space.clone());
        for div in &self.divs {
            c.add_div(Row::from(&div.row[..c.n_col()]), div.den.clone());
        }
        c.add_eq(self.row.clone());
        c
    }

    /// The value at the point `[params | dims]`; nothing if it is not an integer or the point has another length.
    pub fn eval(&self, point: &[Int]) -> Option<Int> {
        let value = self.eval_rational(point)?;
        value.is_integer().then(|| value.numerator().clone())
    }

    /// The value at the point `[params | dims]`; nothing if the point has another length.
    pub fn eval_rational(&self, point: &[Int]) -> Option<Rational> {
        if point.len() + 1 != self.space.n_col() {
            return None;
        }
        let mut values = point.to_vec();
        for div in &self.divs {
            values.push(relation::eval(&div.row, &values).div_floor(&div.den));
        }
        Some(Rational::new(relation::eval(&self.row, &values), self.den.clone()))
    }

    /// The same expression over a space with the same number of parameters and dimensions, for instance other names.
    pub fn with_space(&self, space: &Space) -> Result<Aff> {
        if space.is_map()
            || space.dim(DimKind::Param) != self.space.dim(DimKind::Param)
            || space.dim(DimKind::Out) != self.space.dim(DimKind::Out)
        {
            return Err(relation::mismatch("rename", &self.space, space));
        }
        Ok(Aff { space: space.clone(), ..self.clone() })
    }

    /// The same expression with `n` dimensions, which it does not use, inserted before dimension `pos` of the
    /// arguments.
    pub fn insert_dims(&self, pos: usize, n: usize) -> Result<Aff> {
        let operation = "insert dimensions";
        if !self.space.is_set() || pos > self.space.dim(DimKind::Out) {
            return Err(relation::out_of_range(operation, &self.space, DimKind::Out, pos));
        }
        let space = self.space.insert_dims(DimKind::Out, pos, n);
        let at = self.space.offset(DimKind::Out) + pos;
        let map: Vec<Option<usize>> = (0..self.space.n_col()).map(|c| Some(if c < at { c } else { c + n })).collect();
        Ok(self.remap_columns(space, &map))
    }

    /// The same expression without `n` dimensions or parameters of the arguments, which it must not use.
    pub fn drop_dims(&self, kind: DimKind, first: usize, n: usize) -> Result<Aff> {
        let operation = "drop dimensions";
        relation::check_dims(operation, &self.space, kind, first, n)?;
        if self.involves(kind, first, n) {
            return Err(Error::OutOfRange { operation, what: format!("the expression {self} uses them") });
        }
        let at = self.space.offset(kind) + first;
        let place = |c: usize| match c {
            c if c < at => Some(c),
            c if c < at + n => None,
            c => Some(c - n),
        };
        let map: Vec<Option<usize>> = (0..self.space.n_col()).map(place).collect();
        Ok(self.remap_columns(self.space.drop_dims(kind, first, n), &map))
    }
}
