//! Normal form of integer divisions: reduced, merged, ordered.
//!
//! Facts used, for integers x, q and positive integers d, b:
//! - `floor((d k + r) / d) = k + floor(r / d)` for an integer-valued `k`;
//! - `floor((g r + c) / (g d)) = floor((r + floor(c / g)) / d)`;
//! - `floor(-s / d) = -floor((s + d - 1) / d)`;
//! - `floor((floor(a / b) + r) / d) = floor((a + b r) / (b d))`.

use smallvec::SmallVec;

use crate::arith::{Int, gcd_u64};
use crate::space::Space;

use super::conjunction::Div;
use super::row::{self, Row};

/// The local columns of a system together with all rows that use them.
pub(super) struct Columns<'a> {
    /// The number of columns before the locals.
    pub(super) base: usize,
    pub(super) locals: &'a mut Vec<Option<Div>>,
    pub(super) groups: [&'a mut Vec<Row>; 2],
}

impl Columns<'_> {
    fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        let divs = self.locals.iter_mut().filter_map(|d| d.as_mut().map(|d| &mut d.row));
        self.groups.iter_mut().flat_map(|g| g.iter_mut()).chain(divs)
    }

    /// Replaces the variable of a column by an integer-valued expression (which may contain the variable itself: the
    /// new meaning of the column).
    pub(super) fn substitute(&mut self, column: usize, value: &[Int]) {
        for row in self.rows_mut() {
            let factor = std::mem::take(&mut row[column]);
            row::add_scaled(row, &factor, value);
        }
    }

    /// Removes the column of a local that no row uses.
    pub(super) fn remove_local(&mut self, pos: usize) {
        let column = self.base + pos;
        self.locals.remove(pos);
        for row in self.rows_mut() {
            debug_assert!(row[column].is_zero());
            row.remove(column);
        }
    }

    /// Removes the columns of some locals that no row uses, and empties the list.
    pub(super) fn remove_locals(&mut self, gone: &mut SmallVec<[usize; 16]>) {
        gone.sort_unstable_by(|a, b| b.cmp(a));
        for pos in gone.drain(..) {
            self.remove_local(pos);
        }
    }

    /// Brings all known divisions to normal form: see the module documentation.
    pub(super) fn normalize(&mut self) {
        if self.locals.is_empty() {
            return;
        }
        loop {
            let mut changed = false;
            let mut pos = 0;
            while pos < self.locals.len() {
                let before = self.locals.len();
                changed |= self.normalize_one(pos);
                pos += usize::from(self.locals.len() == before);
            }
            changed |= self.merge_equal();
            if !changed {
                break;
            }
        }
        self.remove_unused();
        self.order();
    }

    /// Normalises the definition of one local; removes the local if it turns out to be affine.
    fn normalize_one(&mut self, pos: usize) -> bool {
        if self.is_normal(pos) {
            return false;
        }
        let Some(mut div) = self.locals[pos].take() else { return false };
        let (column, n) = (self.base + pos, self.base + self.locals.len());
        let mut changed = false;
        // A division inside the numerator with coefficient one.
        while let Some((k, inner)) = (0..self.locals.len())
            .filter(|&k| k != pos && div.row[self.base + k].is_one())
            .find_map(|k| self.locals[k].as_ref().map(|inner| (k, inner)))
        {
            div.row[self.base + k] = Int::zero();
            row::scale(&mut div.row, &inner.den);
            row::add_scaled(&mut div.row, &Int::one(), &inner.row);
            div.den *= &inner.den;
            changed = true;
        }
        let g = row::gcd(&div.row[1..]).gcd(&div.den);
        if !g.is_one() {
            div.row[0] = div.row[0].div_floor(&g);
            row::div_exact(&mut div.row[1..], &g);
            div.den = div.den.div_exact(&g);
            changed = true;
        }
        // The integer part of every coefficient moves out: x = value + floor(rest / den).
        let mut value = row::zeros(n);
        for (c, x) in div.row.iter_mut().enumerate() {
            let mut quotient = x.div_floor(&div.den);
            let mut rest = x.rem_floor(&div.den);
            if c > 0 && &rest + &rest > div.den {
                rest -= &div.den;
                quotient += 1;
            }
            value[c] = quotient;
            *x = rest;
        }
        let leading = div.row[1..].iter().find(|x| !x.is_zero());
        match leading {
            None => {
                // The constant is in [0, den): the division is zero.
                self.substitute(column, &value);
                self.remove_local(pos);
                return true;
            }
            Some(x) if x.is_negative() => {
                div.row = row::negated(&div.row);
                div.row[0] += &div.den - 1;
                value[column] = Int::from(-1);
                changed = true;
            }
            Some(_) => {
                changed |= !row::all_zero(&value);
                value[column] = Int::one();
            }
        }
        if changed {
            self.substitute(column, &value);
        }
        self.locals[pos] = Some(div);
        changed
    }

    /// Whether a local is no division, or certainly one in normal form.
    fn is_normal(&self, pos: usize) -> bool {
        let Some(div) = &self.locals[pos] else { return true };
        let Some(den) = div.den.to_i64() else { return false };
        let (mut divisor, mut is_leading) = (den.unsigned_abs(), true);
        for (column, x) in div.row.iter().enumerate() {
            let Some(x) = x.to_i64() else { return false };
            if column == 0 {
                if x < 0 || x >= den {
                    return false;
                }
                continue;
            }
            if x == 0 {
                continue;
            }
            let is_rest = i128::from(x) * 2 <= i128::from(den) && i128::from(x) * 2 > -i128::from(den);
            let of = column.checked_sub(self.base).filter(|k| *k != pos);
            if !is_rest || is_leading && x < 0 || x == 1 && of.is_some_and(|k| self.locals[k].is_some()) {
                return false;
            }
            is_leading = false;
            divisor = if divisor == 1 { 1 } else { gcd_u64(divisor, x.unsigned_abs()) };
        }
        divisor == 1 && !is_leading
    }

    fn merge_equal(&mut self) -> bool {
        for l in 1..self.locals.len() {
            if self.locals[l].is_none() {
                continue;
            }
            if let Some(k) = (0..l).find(|&k| self.locals[k] == self.locals[l]) {
                self.locals[l] = None;
                let mut value = row::zeros(self.base + self.locals.len());
                value[self.base + k] = Int::one();
                self.substitute(self.base + l, &value);
                self.remove_local(l);
                self.merge_equal();
                return true;
            }
        }
        false
    }

    /// Removes the locals that no constraint uses, directly or through another division.
    fn remove_unused(&mut self) {
        let n = self.locals.len();
        let mut used: Vec<bool> =
            (0..n).map(|k| self.groups.iter().any(|g| g.iter().any(|r| !r[self.base + k].is_zero()))).collect();
        loop {
            let next = (0..n).find(|&k| {
                let by_used = |d: &Div| !d.row[self.base + k].is_zero();
                !used[k] && (0..n).any(|l| used[l] && self.locals[l].as_ref().is_some_and(by_used))
            });
            match next {
                Some(k) => used[k] = true,
                None => break,
            }
        }
        for k in (0..n).rev().filter(|&k| !used[k]) {
            // Only unused locals use it: it goes with its column, and so do they.
            let column = self.base + k;
            for row in self.rows_mut() {
                row[column] = Int::zero();
            }
            self.remove_local(k);
        }
    }

    /// Whether [`Columns::order`] would leave all locals where they are.
    fn is_ordered(&self) -> bool {
        let n = self.locals.len();
        (0..n).all(|step| {
            // The divisions that could come next: they use only what comes before this place.
            let ready = |k: usize| {
                let div = self.locals[k].as_ref()?;
                row::all_zero(&div.row[self.base + step..self.base + n]).then_some((&div.den, &div.row))
            };
            match ready(step) {
                Some(first) => (step + 1..n).filter_map(ready).all(|other| first <= other),
                None => {
                    let is_next = self.locals[step].is_none() || self.locals[step..].iter().all(Option::is_some);
                    is_next && (step + 1..n).all(|k| ready(k).is_none())
                }
            }
        })
    }

    /// Orders the locals: known divisions first, each after those it uses, otherwise by definition; then existentials.
    fn order(&mut self) {
        if self.is_ordered() {
            return;
        }
        let n = self.locals.len();
        let mut order: Vec<usize> = Vec::with_capacity(n);
        let mut place = vec![usize::MAX; n];
        while order.len() < n {
            let mut best: Option<(Int, Row, usize)> = None;
            for k in (0..n).filter(|&k| place[k] == usize::MAX) {
                let Some(div) = &self.locals[k] else { continue };
                if (0..n).any(|l| place[l] == usize::MAX && !div.row[self.base + l].is_zero()) {
                    continue;
                }
                let map: Vec<usize> = (0..self.base).chain(place.iter().map(|&p| self.base + p.min(n - 1))).collect();
                let key = (div.den.clone(), row::remap(&div.row, &map, self.base + n), k);
                if best.as_ref().is_none_or(|b| key < *b) {
                    best = Some(key);
                }
            }
            // Existentials follow in their present order; so does anything that depends on them.
            let next = match best {
                Some((_, _, k)) => k,
                None => match (0..n).find(|&k| place[k] == usize::MAX && self.locals[k].is_none()) {
                    Some(k) => k,
                    None => match (0..n).find(|&k| place[k] == usize::MAX) {
                        Some(k) => k,
                        None => break,
                    },
                },
            };
            place[next] = order.len();
            order.push(next);
        }
        if order.iter().enumerate().all(|(a, &b)| a == b) {
            return;
        }
        let map: Vec<usize> = (0..self.base).chain(place.iter().map(|&p| self.base + p)).collect();
        let total = self.base + n;
        for row in self.rows_mut() {
            *row = row::remap(row, &map, total);
        }
        let mut old: Vec<Option<Div>> = std::mem::take(self.locals);
        *self.locals = order.iter().map(|&k| old[k].take()).collect();
    }
}

/// Normalises the divisions of a single expression `row` over `[constant | params | dims | divs]`.
pub(crate) fn normalize_divs(space: &Space, divs: &mut Vec<Div>, row: &mut Row) {
    if divs.is_empty() {
        return;
    }
    let mut locals: Vec<Option<Div>> = std::mem::take(divs).into_iter().map(Some).collect();
    let (mut rows, mut none) = (vec![std::mem::take(row)], Vec::new());
    Columns { base: space.n_col(), locals: &mut locals, groups: [&mut rows, &mut none] }.normalize();
    *row = rows.swap_remove(0);
    divs.extend(locals.into_iter().flatten());
}
