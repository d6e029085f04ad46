//! Remainders of a dividend that is known not to be negative, and sums that are shorter with them.
//!
//! `a mod d` becomes the truncating remainder `a' % d` of some `a'` that is congruent to `a` and proved not to be negative: `a`
//! itself, or `a` plus as many `d` as its least value needs, or a known constraint `h >= 0` with the coefficients of `a` modulo `d`, plus a constant; with the opposite
//! coefficients it becomes `d - 1 - (a' % d)`. A remainder that occurs already is used again. (Section 6.2 of the TOPLAS paper.)

use crate::arith::Int;
use crate::budget::Exhausted;
use crate::relation::{Row, add_scaled, gcd, negated};

use super::expr::Expr;
use super::known_at::KnownAt;
use super::system::Minimum;

type Result<T> = std::result::Result<T, Exhausted>;

impl KnownAt<'_> {
    /// For a sum with a term `f d floor(a / d)`: the sum with `f a - f (a mod d)` instead, if that remainder is one of a dividend that
    /// is not negative, and either it is computed anyway, or the division is not one of such a dividend, or the sum has fewer terms.
    pub(super) fn with_remainder(&mut self, sum: &Expr) -> Result<Option<Expr>> {
        if !self.prefer_pdiv {
            return Ok(None);
        }
        let mut terms = Vec::new();
        let constant = sum.linear_terms(&Int::one(), &mut terms);
        for (position, (factor, term)) in terms.iter().enumerate() {
            let (Expr::FloorDiv(a, divisor) | Expr::Mod(a, divisor)) = term else { continue };
            let is_division = matches!(term, Expr::FloorDiv(..));
            if let Some(quotient) = self.constant_quotient(a, divisor)? {
                let mut rest = terms.clone();
                rest.remove(position);
                let constant = match is_division {
                    true => &constant + factor * &quotient,
                    false => &constant + a.linear_terms(factor, &mut rest) - factor * &(&quotient * divisor),
                };
                return Ok(Some(self.expr(&Expr::sum(merged(rest), constant))?));
            }
            if !is_division || !divisor.divides(factor) {
                continue;
            }
            let times = factor.div_exact(divisor);
            let mut rest = terms.clone();
            rest.swap_remove(position);
            let mut constant = &constant + a.linear_terms(&times, &mut rest);
            let merged = merged(rest);
            let remainder = match self.shared_remainder(a, divisor)? {
                Some(shared) => shared,
                None => {
                    let row = self.row(a)?;
                    let fewer = merged.len() + 1 < terms.len();
                    if (self.holds(&row)? && !fewer) || merged.len() + 1 > terms.len() {
                        continue;
                    }
                    self.remainder(a, divisor)?
                }
            };
            if remainder.contains_mod() {
                continue;
            }
            let mut parts = Vec::new();
            constant += remainder.linear_terms(&-&times, &mut parts);
            let merged = merged.iter().map(|(factor, term)| Ok((factor.clone(), self.expr(term)?)));
            let merged = merged.collect::<Result<Vec<_>>>()?;
            return Ok(Some(Expr::sum(parts.into_iter().chain(merged).collect(), constant)));
        }
        Ok(None)
    }

    /// The quotient of a sum of parameters, rounded down, if only one is possible: 0 for `t / 32` where `0 <= t < 32`, the number of a
    /// thread.
    pub(super) fn constant_quotient(&mut self, a: &Expr, divisor: &Int) -> Result<Option<Int>> {
        let mut terms = Vec::new();
        a.linear_terms(&Int::one(), &mut terms);
        if !terms.iter().all(|(_, term)| matches!(term, Expr::Param(_))) {
            return Ok(None);
        }
        let row = self.row(a)?;
        let Minimum::AtLeast(least) = self.known.minimum_rational(&row, self.budget)? else { return Ok(None) };
        let quotient = least.div_floor(divisor);
        let mut rest = negated(&row);
        rest[0] += &(&quotient * divisor) + divisor - 1;
        Ok(self.holds(&rest)?.then_some(quotient))
    }

    /// The quotient of an iterator, perhaps with a number, rounded down, in terms of what bounds it from below: `t` for `i / 32` where `32 t <= i <= 32 t + 31`, the number of a tile; and
    /// `t / 2` where `16 t <= i <= 16 t + 15`, as no multiple of 32 lies in between.
    pub(super) fn quotient_of_bound(&self, row: &Row, divisor: &Int) -> Result<Option<Expr>> {
        let mut row = row.clone();
        row.resize(self.known.n + 1, Int::zero());
        let mut own = (1..row.len()).filter(|column| !row[*column].is_zero());
        let (Some(column), None) = (own.next(), own.next()) else { return Ok(None) };
        let &Expr::Iter(iter) = &self.keys[column - 1] else { return Ok(None) };
        for bound in &self.known.ineqs {
            // What the row is at least.
            let least: Row = bound.iter().zip(row.iter()).map(|(bound, own)| own - bound).collect();
            let mut terms = (1..least.len()).filter(|column| !least[*column].is_zero());
            let (Some(column), None) = (terms.next(), terms.next()) else { continue };
            if self.keys[column - 1].involves(iter) {
                continue;
            }
            let common = gcd(&least).gcd(divisor);
            let (unit, constant) = match common == least[column].gcd(divisor) {
                true => (common, least[0].clone()),
                // Between multiples of the divisor.
                false if divisor.divides(&least[column]) => (divisor.clone(), &least[0].div_floor(divisor) * divisor),
                false => continue,
            };
            if unit.is_one() {
                continue;
            }
            let mut above = negated(&row);
            above[column] += &least[column];
            above[0] += &(&constant + &unit) - Int::one();
            if self.holds(&above)? {
                let term = (least[column].div_exact(&unit), self.keys[column - 1].clone());
                let sum = Expr::sum(vec![term], constant.div_exact(&unit));
                let rest = divisor.div_exact(&unit);
                return Ok(Some(if rest.is_one() { sum } else { Expr::FloorDiv(Box::new(sum), rest) }));
            }
        }
        Ok(None)
    }

    pub(super) fn remainder(&mut self, a: &Expr, divisor: &Int) -> Result<Expr> {
        if !self.prefer_pdiv {
            return Ok(Expr::Mod(Box::new(self.expr(a)?), divisor.clone()));
        }
        if let Some(quotient) = self.constant_quotient(a, divisor)? {
            let mut terms = Vec::new();
            let constant = a.linear_terms(&Int::one(), &mut terms);
            return self.expr(&Expr::sum(terms, constant - quotient * divisor));
        }
        match self.shared_remainder(a, divisor)? {
            Some(shared) => Ok(shared),
            None => self.own_remainder(a, divisor),
        }
    }

    /// A remainder that occurs already, or one that differs from it by a known number.
    fn shared_remainder(&mut self, a: &Expr, divisor: &Int) -> Result<Option<Expr>> {
        let row = self.row(a)?;
        let known: Vec<Expr> =
            self.keys.iter().filter(|key| matches!(key, Expr::Mod(_, d) if d == divisor)).cloned().collect();
        for key in known {
            let Expr::Mod(x, _) = &key else { continue };
            let mut distance = row.clone();
            let other = self.row(x)?;
            distance.resize(other.len().max(row.len()), Int::zero());
            add_scaled(&mut distance, &Int::from(-1), &other);
            if distance[1..].iter().any(|x| !divisor.divides(x)) {
                continue;
            }
            let more = distance[0].rem_floor(divisor);
            // r + more wraps around the divisor, or does not.
            let mut wraps = self.row(&key)?;
            wraps[0] += &more - divisor;
            let mut stays = negated(&wraps);
            stays[0] -= 1;
            let constant = if more.is_zero() || self.holds(&stays)? {
                more
            } else if self.holds(&wraps)? {
                more - divisor
            } else {
                continue;
            };
            let own = self.own_remainder(x, divisor)?;
            return Ok(Some(Expr::sum(vec![(Int::one(), own)], constant)));
        }
        Ok(None)
    }

    /// For a comparison of `(x + c) mod d` alone that says that the sum wraps around `d`, or that it does not: the same as a comparison of `x
    /// mod d`, if `x` is not negative.
    pub(super) fn without_offset(&mut self, expr: &Expr) -> Result<Option<Expr>> {
        let mut terms = Vec::new();
        let constant = expr.linear_terms(&Int::one(), &mut terms);
        let [(factor, Expr::Mod(a, divisor))] = terms.as_slice() else { return Ok(None) };
        let mut inner = Vec::new();
        let offset = a.linear_terms(&Int::one(), &mut inner);
        if !offset.is_positive() || offset >= *divisor {
            return Ok(None);
        }
        let x = Expr::sum(inner, Int::zero());
        let row = self.row(&x)?;
        if !self.holds(&row)? {
            return Ok(None);
        }
        let remainder = Expr::Mod(Box::new(x), divisor.clone());
        Ok(if factor.is_negative() {
            // f ((x + c) mod d) <= k, which is c - 1: x mod d >= d - c.
            let most = constant.div_floor(&-factor);
            (most == &offset - 1).then(|| Expr::sum(vec![(Int::one(), remainder)], &offset - divisor))
        } else {
            let least = (-constant).div_ceil(factor);
            (least == offset).then(|| Expr::sum(vec![(Int::from(-1), remainder)], divisor - 1 - &offset))
        })
    }

    fn own_remainder(&mut self, a: &Expr, divisor: &Int) -> Result<Expr> {
        let row = self.row(a)?;
        let inner = self.expr(a)?;
        if self.holds(&row)? {
            return Ok(Expr::Rem(Box::new(inner), divisor.clone()));
        }
        let candidates: Vec<Row> = self.known.ineqs.clone();
        for opposite in [false, true] {
            for known in &candidates {
                let mut distance = row.clone();
                distance.resize(known.len().max(row.len()), Int::zero());
                add_scaled(&mut distance, &Int::from(if opposite { 1 } else { -1 }), known);
                if distance[1..].iter().any(|x| !divisor.divides(x)) {
                    continue;
                }
                // known + k is congruent to a, or to -a - 1.
                let mut dividend = known.clone();
                dividend[0] +=
                    if opposite { (-&distance[0] - 1).rem_floor(divisor) } else { distance[0].rem_floor(divisor) };
                let Some(dividend) = self.plain(&dividend) else { continue };
                let rest = Expr::Rem(Box::new(dividend), divisor.clone());
                return Ok(if opposite { Expr::sum(vec![(Int::from(-1), rest)], divisor - 1) } else { rest });
            }
        }
        for opposite in [false, true] {
            let mut dividend = row.clone();
            if opposite {
                dividend = negated(&dividend);
                dividend[0] -= 1;
            }
            let Minimum::AtLeast(least) = self.known.minimum_rational(&dividend, self.budget)? else { continue };
            dividend[0] += (-least).div_ceil(divisor).max(Int::zero()) * divisor;
            let Some(dividend) = self.plain(&dividend) else { continue };
            let rest = Expr::Rem(Box::new(dividend), divisor.clone());
            return Ok(if opposite { Expr::sum(vec![(Int::from(-1), rest)], divisor - 1) } else { rest });
        }
        Ok(Expr::Mod(Box::new(inner), divisor.clone()))
    }

    /// A row as an expression, if it mentions no division and at most three terms.
    fn plain(&self, row: &[Int]) -> Option<Expr> {
        let mut terms = Vec::new();
        for (factor, key) in row[1..].iter().zip(&self.keys).filter(|(factor, _)| !factor.is_zero()) {
            if !matches!(key, Expr::Param(_) | Expr::Iter(_)) {
                return None;
            }
            terms.push((factor.clone(), key.clone()));
        }
        (terms.len() <= 3).then(|| Expr::sum(terms, row[0].clone()))
    }
}

/// A sum with every term once.
fn merged(terms: Vec<(Int, Expr)>) -> Vec<(Int, Expr)> {
    let mut merged: Vec<(Int, Expr)> = Vec::with_capacity(terms.len());
    for (factor, term) in terms {
        match merged.iter_mut().find(|(_, known)| *known == term) {
            Some((known, _)) => *known += factor,
            None => merged.push((factor, term)),
        }
    }
    merged.retain(|(factor, _)| !factor.is_zero());
    merged
}
