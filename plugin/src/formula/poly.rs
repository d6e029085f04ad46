//! Integer polynomials over induction variables and parameters.
//!
//! Every address, bound and condition that detection reads out of scalar evolution becomes a [`Poly`].
//! Affine expressions are the polynomials of degree one; products of a parameter with an induction variable
//! (`i * lda`) are what delinearisation (`model::delinearize`) turns into subscripts, and what run-time guards evaluate.
//!
//! Invariants: no stored coefficient is zero; monomials are sorted and so are the symbols inside one; every
//! coefficient stays below 2^90 in magnitude, there are at most 64 terms of at most 8 factors, and an operation that would exceed it answers `None`.
//! The value of a polynomial is an integer, not a machine word: where the program computes modulo 2^w, detection
//! records the assumption under which both agree.

use std::cmp::Ordering;
use std::collections::BTreeMap;

/// One variable of a polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sym {
    /// The canonical induction variable (0, 1, 2, ...) of a loop of the region, by the loop's index.
    Iv(usize),
    /// A value that does not change inside the region, by its index in the parameter table.
    Param(usize),
}

/// A product of symbols, sorted; empty for the constant term.
pub type Monomial = Vec<Sym>;

/// The greatest common divisor, never negative.
pub fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// A polynomial with integer coefficients. See the module comment for its invariants.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Poly {
    terms: BTreeMap<Monomial, i128>,
}

const LIMIT: i128 = 1 << 90;
const MAX_TERMS: usize = 64;
const MAX_FACTORS: usize = 8;

impl Poly {
    /// The polynomial with no terms.
    pub fn zero() -> Self {
        Self::default()
    }

    /// A constant; `None` if it is too large.
    pub fn constant(value: i128) -> Option<Self> {
        Self::term(Vec::new(), value)
    }

    /// The constant 1.
    pub fn one() -> Self {
        Self { terms: BTreeMap::from([(Vec::new(), 1)]) }
    }

    /// A single symbol.
    pub fn symbol(symbol: Sym) -> Self {
        Self { terms: BTreeMap::from([(vec![symbol], 1)]) }
    }

    /// `coefficient` times the product of `monomial`; `None` if the coefficient is too large.
    pub fn term(mut monomial: Monomial, coefficient: i128) -> Option<Self> {
        monomial.sort_unstable();
        let mut result = Self::zero();
        result.add_term(monomial, coefficient)?;
        Some(result)
    }

    fn add_term(&mut self, monomial: Monomial, coefficient: i128) -> Option<()> {
        let sum = self.terms.get(&monomial).copied().unwrap_or(0).checked_add(coefficient)?;
        if sum.abs() >= LIMIT {
            return None;
        }
        if monomial.len() > MAX_FACTORS || self.terms.len() >= MAX_TERMS {
            return None;
        }
        if sum == 0 {
            self.terms.remove(&monomial);
        } else {
            self.terms.insert(monomial, sum);
        }
        Some(())
    }

    /// The terms in a fixed order: monomial and non-zero coefficient.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, i128)> {
        self.terms.iter().map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    /// Whether the value falls (`Less`) or grows (`Greater`) as the innermost of its loops goes on, judged by the signs of the
    /// coefficients as if parameters were positive; `None` if it does both or neither. A guess, not a proof.
    pub fn direction(&self) -> Option<Ordering> {
        // A loop's index is larger than that of the loops around it.
        let innermost = self.symbols().filter(|symbol| matches!(symbol, Sym::Iv(_))).max()?;
        let moving = self.terms().filter(|(monomial, _)| monomial.contains(&innermost));
        let mut signs = moving.map(|(_, coefficient)| coefficient.cmp(&0));
        let first = signs.next()?;
        signs.all(|sign| sign == first).then_some(first)
    }

    /// The sum; `None` if a coefficient becomes too large.
    pub fn add(&self, other: &Self) -> Option<Self> {
        let mut result = self.clone();
        for (monomial, coefficient) in other.terms() {
            result.add_term(monomial.clone(), coefficient)?;
        }
        Some(result)
    }

    /// The difference; `None` if a coefficient becomes too large.
    pub fn sub(&self, other: &Self) -> Option<Self> {
        self.add(&other.scale(-1)?)
    }

    /// Every coefficient times `factor`; `None` if one becomes too large.
    pub fn scale(&self, factor: i128) -> Option<Self> {
        let mut result = Self::zero();
        for (monomial, coefficient) in self.terms() {
            result.add_term(monomial.clone(), coefficient.checked_mul(factor)?)?;
        }
        Some(result)
    }

    /// The product; `None` if a coefficient becomes too large.
    pub fn mul(&self, other: &Self) -> Option<Self> {
        let mut result = Self::zero();
        for (left, a) in self.terms() {
            for (right, b) in other.terms() {
                let mut monomial = [left.as_slice(), right.as_slice()].concat();
                monomial.sort_unstable();
                result.add_term(monomial, a.checked_mul(b)?)?;
            }
        }
        Some(result)
    }

    /// The value if the polynomial is a constant.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// The constant term.
    pub fn constant_term(&self) -> i128 {
        self.terms.get(&Vec::new()).copied().unwrap_or(0)
    }

    /// The coefficient of a single symbol (of the monomial of degree one).
    pub fn coefficient(&self, symbol: Sym) -> i128 {
        self.terms.get(&vec![symbol]).copied().unwrap_or(0)
    }

    /// True if no term multiplies two symbols.
    pub fn is_affine(&self) -> bool {
        self.terms.keys().all(|monomial| monomial.len() <= 1)
    }

    /// True if no induction variable occurs.
    pub fn is_invariant(&self) -> bool {
        self.symbols().all(|symbol| matches!(symbol, Sym::Param(_)))
    }

    /// All symbols that occur, with repetition.
    pub fn symbols(&self) -> impl Iterator<Item = Sym> {
        self.terms.keys().flatten().copied()
    }

    /// The largest number of symbols multiplied in one term.
    pub fn degree(&self) -> usize {
        self.terms.keys().map(Vec::len).max().unwrap_or(0)
    }

    /// Groups the terms by their parameter part: `i*n + n + 2*j + 3` gives `n -> i + 1` and `1 -> 2*j + 3`,
    /// where `keep_affine` decides for a term without induction variables and with exactly one parameter whether it
    /// stays in the affine group of the empty monomial.
    pub fn by_parameters(&self, keep_affine: impl Fn(&Monomial) -> bool) -> BTreeMap<Monomial, Poly> {
        let mut groups: BTreeMap<Monomial, Poly> = BTreeMap::new();
        for (monomial, coefficient) in self.terms() {
            let (params, ivs): (Monomial, Monomial) = monomial.iter().partition(|s| matches!(s, Sym::Param(_)));
            let (key, rest) = if ivs.is_empty() && keep_affine(&params) { (Vec::new(), params) } else { (params, ivs) };
            let group = groups.entry(key).or_default();
            group.terms.insert(rest, coefficient);
        }
        groups
    }
}

impl Poly {
    /// The greatest common divisor of all coefficients; zero for the zero polynomial.
    pub fn content(&self) -> i128 {
        self.terms().fold(0, |sum, (_, coefficient)| gcd(sum, coefficient))
    }

    /// Every coefficient divided by a common divisor.
    pub fn divide_exact(&self, divisor: i128) -> Self {
        Self { terms: self.terms.iter().map(|(monomial, c)| (monomial.clone(), c / divisor)).collect() }
    }

    /// A symbol replaced by a polynomial; `None` if a coefficient becomes too large.
    pub fn substitute(&self, symbol: Sym, value: &Self) -> Option<Self> {
        let mut result = Self::zero();
        for (monomial, coefficient) in self.terms() {
            let (replaced, kept): (Monomial, Monomial) = monomial.iter().partition(|other| **other == symbol);
            let mut term = Self::term(kept, coefficient)?;
            for _ in replaced {
                term = term.mul(value)?;
            }
            result = result.add(&term)?;
        }
        Some(result)
    }

    /// Every symbol replaced by another one.
    pub fn rename(&self, rename: impl Fn(Sym) -> Sym) -> Self {
        let mut result = Self::zero();
        for (monomial, coefficient) in self.terms() {
            let mut renamed: Monomial = monomial.iter().map(|symbol| rename(*symbol)).collect();
            renamed.sort_unstable();
            *result.terms.entry(renamed).or_insert(0) += coefficient;
        }
        result.terms.retain(|_, coefficient| *coefficient != 0);
        result
    }
}

impl Poly {
    /// The polynomial as text, with parameters by the names that `name` knows and induction variables as `i0`, `i1`, ...
    pub fn display<'n>(&self, name: impl Fn(usize) -> Option<&'n str>) -> String {
        let mut text = String::new();
        for (monomial, coefficient) in self.terms() {
            let factors: Vec<String> = monomial
                .iter()
                .map(|symbol| match symbol {
                    Sym::Iv(index) => format!("i{index}"),
                    Sym::Param(index) => name(*index).map_or_else(|| format!("p{index}"), str::to_owned),
                })
                .collect();
            let sign = match (text.is_empty(), coefficient < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let size = coefficient.abs();
            let body = match (size, factors.is_empty()) {
                (_, true) => size.to_string(),
                (1, false) => factors.join("*"),
                (_, false) => format!("{size}*{}", factors.join("*")),
            };
            text = format!("{text}{sign}{body}");
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}
