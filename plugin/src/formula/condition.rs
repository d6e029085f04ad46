//! Conditions over induction variables and parameters, in disjunctive normal form.

use crate::formula::poly::{Poly, Sym};
use crate::reasons::Reason;

/// One affine constraint over the integers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Constraint {
    /// The polynomial is at least zero.
    NonNegative(Poly),
    /// The polynomial is zero.
    Zero(Poly),
}

impl Constraint {
    /// The affine polynomial that is constrained.
    pub fn poly(&self) -> &Poly {
        match self {
            Self::NonNegative(poly) | Self::Zero(poly) => poly,
        }
    }

    /// True or false if the constraint has no variables.
    fn decide(&self) -> Option<bool> {
        let value = self.poly().as_constant()?;
        Some(match self {
            Self::NonNegative(_) => value >= 0,
            Self::Zero(_) => value == 0,
        })
    }
}

/// A union of conjunctions of constraints. No disjunct means "never", an empty disjunct means "always".
///
/// Invariants: constraints are affine, sorted and without duplicates inside a disjunct; at most
/// [`Dnf::MAX_DISJUNCTS`] disjuncts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dnf {
    disjuncts: Vec<Vec<Constraint>>,
}

impl Dnf {
    /// More alternatives than this are refused as [`Reason::TooComplex`].
    pub const MAX_DISJUNCTS: usize = 12;

    /// The condition that always holds.
    pub fn always() -> Self {
        Self { disjuncts: vec![Vec::new()] }
    }

    /// The condition that never holds.
    pub fn never() -> Self {
        Self { disjuncts: Vec::new() }
    }

    /// A single constraint.
    pub fn constraint(constraint: Constraint) -> Self {
        match constraint.decide() {
            Some(true) => Self::always(),
            Some(false) => Self::never(),
            None => Self { disjuncts: vec![vec![constraint]] },
        }
    }

    /// `left <= right`.
    pub fn le(left: &Poly, right: &Poly) -> Result<Self, Reason> {
        let difference = right.sub(left).ok_or(Reason::TooLarge)?;
        Ok(Self::constraint(Constraint::NonNegative(difference)))
    }

    /// `left < right`.
    pub fn lt(left: &Poly, right: &Poly) -> Result<Self, Reason> {
        Self::le(&left.add(&Poly::one()).ok_or(Reason::TooLarge)?, right)
    }

    /// `left == right`.
    pub fn eq(left: &Poly, right: &Poly) -> Result<Self, Reason> {
        let difference = right.sub(left).ok_or(Reason::TooLarge)?;
        Ok(Self::constraint(Constraint::Zero(difference)))
    }

    /// `left != right`.
    pub fn ne(left: &Poly, right: &Poly) -> Result<Self, Reason> {
        Self::lt(left, right)?.or(&Self::lt(right, left)?)
    }

    /// The disjuncts; each is a conjunction.
    pub fn disjuncts(&self) -> &[Vec<Constraint>] {
        &self.disjuncts
    }

    /// Both hold.
    pub fn and(&self, other: &Self) -> Result<Self, Reason> {
        let mut disjuncts = Vec::new();
        for left in &self.disjuncts {
            for right in &other.disjuncts {
                let mut both = [left.as_slice(), right.as_slice()].concat();
                both.sort();
                both.dedup();
                disjuncts.push(both);
            }
        }
        Self::limited(disjuncts)
    }

    /// At least one holds.
    pub fn or(&self, other: &Self) -> Result<Self, Reason> {
        Self::limited([self.disjuncts.as_slice(), other.disjuncts.as_slice()].concat())
    }

    /// A symbol replaced by a polynomial.
    pub fn substitute(&self, symbol: Sym, value: &Poly) -> Result<Self, Reason> {
        self.map(|poly| poly.substitute(symbol, value).ok_or(Reason::TooLarge))
    }

    /// Every constrained polynomial replaced by what a function makes of it.
    pub fn map(&self, change: impl Fn(&Poly) -> Result<Poly, Reason>) -> Result<Self, Reason> {
        let mut disjuncts = Vec::with_capacity(self.disjuncts.len());
        'disjuncts: for disjunct in &self.disjuncts {
            let mut all = Vec::with_capacity(disjunct.len());
            for constraint in disjunct {
                let changed = match constraint {
                    Constraint::NonNegative(poly) => Constraint::NonNegative(change(poly)?),
                    Constraint::Zero(poly) => Constraint::Zero(change(poly)?),
                };
                match changed.decide() {
                    Some(true) => {}
                    Some(false) => continue 'disjuncts,
                    None => all.push(changed),
                }
            }
            all.sort();
            all.dedup();
            disjuncts.push(all);
        }
        Self::limited(disjuncts)
    }

    /// Whether a polynomial is zero wherever the condition holds, as far as its equalities tell.
    pub fn makes_zero(&self, poly: &Poly) -> bool {
        *poly == Poly::zero() || self.disjuncts.iter().all(|disjunct| vanishes_under(poly, disjunct) == Some(true))
    }

    fn limited(mut disjuncts: Vec<Vec<Constraint>>) -> Result<Self, Reason> {
        disjuncts.sort();
        disjuncts.dedup();
        if disjuncts.iter().any(Vec::is_empty) {
            return Ok(Self::always());
        }
        if disjuncts.len() > Self::MAX_DISJUNCTS { Err(Reason::TooComplex) } else { Ok(Self { disjuncts }) }
    }
}

fn vanishes_under(poly: &Poly, disjunct: &[Constraint]) -> Option<bool> {
    let mut equalities: Vec<Poly> = Vec::new();
    for (position, constraint) in disjunct.iter().enumerate() {
        let opposite = |other: &Constraint| constraint.poly().scale(-1).as_ref() == Some(other.poly());
        if matches!(constraint, Constraint::Zero(_)) || disjunct[position + 1..].iter().any(opposite) {
            equalities.push(constraint.poly().clone());
        }
    }
    let mut rest = poly.clone();
    while let Some(equality) = equalities.pop() {
        let Some((symbol, value)) = solved(&equality) else { continue };
        rest = rest.substitute(symbol, &value)?;
        for other in &mut equalities {
            *other = other.substitute(symbol, &value)?;
        }
    }
    Some(rest == Poly::zero())
}

/// A symbol that `poly == 0` determines, and its value: the last one with the coefficient 1 or -1.
fn solved(poly: &Poly) -> Option<(Sym, Poly)> {
    let unit = |(monomial, coefficient): (&Vec<Sym>, i128)| match monomial.as_slice() {
        [symbol] if coefficient.abs() == 1 => Some((*symbol, coefficient)),
        _ => None,
    };
    let (symbol, coefficient) = poly.terms().filter_map(unit).last()?;
    let own = Poly::symbol(symbol).scale(coefficient)?;
    Some((symbol, poly.sub(&own)?.scale(-coefficient)?))
}
