//! [`Aff`]: one quasi-affine expression over the parameters and dimensions of a space.
//!
//! The value is `(c0 + sum ci xi + sum dk qk) / den`, where each `qk` is an integer division `floor(row / den)` of such an
//! expression. `x mod m` is `x - m floor(x / m)`. Invariants: `den >= 1` and has no common factor with all of the
//! coefficients; divisions are normalised, used and different from each other, each uses only earlier ones.

use crate::arith::Int;
use crate::error::{Error, Result};
use crate::relation::{self, Conjunction, Div, Row, Set};
use crate::space::{DimKind, Space};

use super::MultiAff;

/// A quasi-affine expression over a set space, or over a space of only parameters. An immutable value.
///
/// Example: `{ S[i, j] -> [(i + 2*floor((j)/32))] }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aff {
    space: Space,
    divs: Vec<Div>,
    row: Row,
    den: Int,
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

    fn normalize(&mut self) {
        relation::normalize_divs(&self.space, &mut self.divs, &mut self.row);
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
        (self.den.is_one() && relation::all_zero(&self.row[1..])).then(|| self.row[0].clone())
    }

    /// Whether some dimension of a kind, from `first` on, `n` of them, takes part (also inside divisions).
    pub fn involves(&self, kind: DimKind, first: usize, n: usize) -> bool {
        let start = self.space.offset(kind) + first;
        let uses = |row: &Row| row.iter().skip(start).take(n).any(|x| !x.is_zero());
        kind != DimKind::Local && (uses(&self.row) || self.divs.iter().any(|d| uses(&d.row)))
    }

    /// Both expressions over one list of parameters and one list of divisions: `(space, divs, left row, right row)`.
    fn aligned(&self, operation: &'static str, other: &Aff) -> Result<(Space, Vec<Div>, Row, Row)> {
        if !self.space.has_equal_tuples(&other.space) {
            return Err(relation::mismatch(operation, &self.space, &other.space));
        }
        let left = self.align_params(&self.space.align_params(&other.space));
        let right = other.align_params(&left.space);
        let base = left.space.n_col();
        let n = base + left.divs.len() + right.divs.len();
        let map: Vec<usize> = (0..base).chain((0..right.divs.len()).map(|k| base + left.divs.len() + k)).collect();
        let mut divs = left.divs;
        for div in &mut divs {
            div.row.resize(n, Int::zero());
        }
        divs.extend(right.divs.iter().map(|d| Div { row: relation::remap(&d.row, &map, n), den: d.den.clone() }));
        let mut row = left.row;
        row.resize(n, Int::zero());
        Ok((left.space, divs, row, relation::remap(&right.row, &map, n)))
    }

    /// The same expression with at least the parameters of `params`, those of `params` first.
    pub fn align_params(&self, params: &Space) -> Aff {
        let all = params.align_params(&self.space);
        if self.space.has_equal_params(&all) {
            return self.clone();
        }
        let graph = self.as_conjunction().align_params(&all);
        Aff::from_conjunction(graph, self.den.clone())
    }

    /// The numerator as the only equality of a conjunction: a carrier for column operations.
    fn as_conjunction(&self) -> Conjunction {
        let mut c = Conjunction::universe(self.space.clone());
        for div in &self.divs {
            c.add_div(Row::from(&div.row[..c.n_col()]), div.den.clone());
        }
        c.add_eq(self.row.clone());
        c
    }

    fn from_conjunction(c: Conjunction, den: Int) -> Aff {
        let divs = (0..c.n_local()).filter_map(|k| c.div(k).cloned()).collect();
        Aff::from_parts(c.space().clone(), divs, c.eqs()[0].clone(), den)
    }

    /// The sum.
    pub fn add(&self, other: &Aff) -> Result<Aff> {
        self.combine("add", other, &Int::one())
    }

    /// The difference.
    pub fn sub(&self, other: &Aff) -> Result<Aff> {
        self.combine("subtract", other, &Int::from(-1))
    }

    fn combine(&self, operation: &'static str, other: &Aff, sign: &Int) -> Result<Aff> {
        let (space, divs, mut left, right) = self.aligned(operation, other)?;
        let den = self.den.lcm(&other.den);
        relation::scale(&mut left, &den.div_exact(&self.den));
        relation::add_scaled(&mut left, &(den.div_exact(&other.den) * sign), &right);
        Ok(Aff::from_parts(space, divs, left, den))
    }

    /// The negation.
    pub fn neg(&self) -> Aff {
        self.scale(&Int::from(-1))
    }

    /// The product with an integer.
    pub fn scale(&self, factor: &Int) -> Aff {
        let mut result = self.clone();
        if factor.is_zero() {
            return Aff::zero(result.space);
        }
        relation::scale(&mut result.row, factor);
        result.normalize();
        result
    }

    /// The quotient by a positive integer, as a rational value. Panics if `divisor` is not positive.
    pub fn scale_down(&self, divisor: &Int) -> Aff {
        Aff::from_parts(self.space.clone(), self.divs.clone(), self.row.clone(), &self.den * divisor)
    }

    /// The sum with an integer.
    pub fn add_constant(&self, value: &Int) -> Aff {
        let mut result = self.clone();
        result.row[0].add_mul(value, &self.den);
        result.normalize();
        result
    }

    /// The greatest integer that is at most the value.
    pub fn floor(&self) -> Aff {
        if self.den.is_one() {
            return self.clone();
        }
        let mut divs = self.divs.clone();
        divs.push(Div { row: self.row.clone(), den: self.den.clone() });
        let mut row = relation::zeros(self.row.len());
        row.push(Int::one());
        Aff::from_parts(self.space.clone(), divs, row, Int::one())
    }

    /// `floor(self / divisor)`. Panics if `divisor` is not positive.
    pub fn floor_div(&self, divisor: &Int) -> Aff {
        self.scale_down(divisor).floor()
    }

    /// `ceil(self / divisor)`. Panics if `divisor` is not positive.
    pub fn ceil_div(&self, divisor: &Int) -> Aff {
        self.neg().floor_div(divisor).neg()
    }

    /// `self - modulus * floor(self / modulus)`, in `[0, modulus)`. Panics if `modulus` is not positive.
    pub fn rem(&self, modulus: &Int) -> Result<Aff> {
        self.sub(&self.floor_div(modulus).scale(modulus))
    }

    /// The value at the point `[params | dims]`; nothing if it is not an integer or the point has another length.
    pub fn eval(&self, point: &[Int]) -> Option<Int> {
        if point.len() + 1 != self.space.n_col() {
            return None;
        }
        let mut values = point.to_vec();
        for div in &self.divs {
            values.push(relation::eval(&div.row, &values).div_floor(&div.den));
        }
        let numerator = relation::eval(&self.row, &values);
        self.den.divides(&numerator).then(|| numerator.div_exact(&self.den))
    }

    fn compare(&self, operation: &'static str, other: &Aff, offset: i64, equality: bool) -> Result<Set> {
        let mut difference = self.combine(operation, other, &Int::from(-1))?;
        // The numerator decides the sign: the denominator is positive.
        difference.row[0] += offset;
        let mut c = difference.as_conjunction();
        if !equality {
            let rows = c.take_eqs();
            for row in rows {
                c.add_ineq(row);
            }
        }
        Ok(Set::from_conjunction(c))
    }

    /// The points where both have the same value.
    pub fn eq_set(&self, other: &Aff) -> Result<Set> {
        self.compare("compare", other, 0, true)
    }

    /// The points where the values differ (two disjoint conjunctions).
    pub fn ne_set(&self, other: &Aff) -> Result<Set> {
        self.lt_set(other)?.union(&self.gt_set(other)?)
    }

    /// The points where `self >= other`.
    pub fn ge_set(&self, other: &Aff) -> Result<Set> {
        self.compare("compare", other, 0, false)
    }

    /// The points where `self > other`.
    pub fn gt_set(&self, other: &Aff) -> Result<Set> {
        self.compare("compare", other, -1, false)
    }

    /// The points where `self <= other`.
    pub fn le_set(&self, other: &Aff) -> Result<Set> {
        other.ge_set(self)
    }

    /// The points where `self < other`.
    pub fn lt_set(&self, other: &Aff) -> Result<Set> {
        other.gt_set(self)
    }

    /// The expression after the dimensions are replaced by the components of `function`, whose values must be integers
    /// where divisions are involved. The range of `function` must be the tuple of this expression.
    pub fn pullback(&self, function: &MultiAff) -> Result<Aff> {
        if *function.space().range_tuple() != *self.space.range_tuple() {
            return Err(relation::mismatch("substitute", &self.space, function.space()));
        }
        let domain = function.domain_space().align_params(&self.space);
        let mut values: Vec<Aff> = Vec::with_capacity(self.row.len());
        values.push(Aff::constant(domain.clone(), &Int::one()));
        for name in self.space.param_names() {
            values.push(Aff::param_named(domain.clone(), name)?);
        }
        values.extend(function.affs().iter().cloned());
        for div in &self.divs {
            let value = Aff::linear_combination(&domain, &div.row, &values)?;
            values.push(value.floor_div(&div.den));
        }
        Ok(Aff::linear_combination(&domain, &self.row, &values)?.scale_down(&self.den))
    }

    fn linear_combination(domain: &Space, row: &[Int], values: &[Aff]) -> Result<Aff> {
        let mut sum = Aff::zero(domain.clone());
        for (coefficient, value) in row.iter().zip(values) {
            if !coefficient.is_zero() {
                sum = sum.add(&value.scale(coefficient))?;
            }
        }
        Ok(sum)
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
}
