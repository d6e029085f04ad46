//! Integer emptiness of small systems, decided in machine words by exact eliminations alone.
//!
//! Most systems that loop nests give have unit coefficients and end after a few steps, each exact over the integers:
//! - an equality with a unit coefficient is substituted; one whose coefficients have a divisor that the constant lacks
//!   has no solution;
//! - an inequality is divided by the common divisor of its coefficients, the constant rounded down;
//! - a variable whose lower bounds, or whose upper bounds, all have coefficient 1 (or are missing) is eliminated by the
//!   method of Fourier and Motzkin; of parallel inequalities the tighter one stays, opposite ones can contradict.
//!
//! Where no step applies, or the system grows, [`super::search`] decides what is left of it; where a number does not fit, the whole. The rows
//! lie in one flat vector; nothing else is allocated.
//!
//! Sources: as in [`super::system`].

use smallvec::SmallVec;

use super::system::System;
use crate::arith::{Int, Row, gcd_u64};
use crate::budget::{Budget, Exhausted};

/// By how many rows one elimination may make the system larger.
const GROWTH: i64 = 6;

/// Systems with more numbers than this are left to the search, whose steps cost less per row.
const MAX_SIZE: usize = 4096;

/// What the quick steps find out.
pub(super) enum Found {
    /// Whether there is no integer solution.
    Empty(bool),
    /// This system has an integer solution if and only if the one that was asked about does.
    Left(System),
    /// Nothing.
    Nothing,
}

/// Whether a system has no integer solution, as far as the quick steps tell.
pub(super) fn is_empty<'a>(
    n: usize,
    eqs: &'a [Row],
    ineqs: impl Iterator<Item = &'a Row> + Clone,
    budget: &Budget,
) -> Result<Found, Exhausted> {
    let Some(mut system) = Words::new(n + 1, eqs, ineqs) else { return Ok(Found::Nothing) };
    for _ in 0..n + eqs.len() + 2 {
        budget.spend(1 + system.len() as u64 / 4)?;
        match system.step() {
            Answer::Progress => {}
            Answer::Empty => return Ok(Found::Empty(true)),
            Answer::Solvable => return Ok(Found::Empty(false)),
            Answer::Stuck => break,
            Answer::Overflow => return Ok(Found::Nothing),
        }
    }
    Ok(Found::Left(system.left()))
}

enum Answer {
    Progress,
    Empty,
    Solvable,
    /// No step applies; the system is whole.
    Stuck,
    /// A number did not fit in the middle of a step.
    Overflow,
}

/// What a row says once it is divided by the divisor of its coefficients.
enum Tight {
    Bound,
    True,
    False,
}

/// Rows `[constant | coefficients]` of one width: the equalities first, then the inequalities. Every number lies in `-2^62 .. 2^62`, so that
/// sums of two fit in a word.
struct Words {
    width: usize,
    n_eq: usize,
    rows: SmallVec<[i64; 256]>,
    /// The signs of the coefficients of each variable, once there are no equalities left.
    signs: SmallVec<[Signs; 24]>,
}

/// How many coefficients of a variable are positive, negative, and which of them are no units.
#[derive(Clone, Copy, Default)]
struct Signs {
    lower: i64,
    upper: i64,
    large_lower: i64,
    large_upper: i64,
}

/// Whether a number lies in `-2^62 .. 2^62`: the two highest bits are equal.
fn is_narrow(x: i64) -> bool {
    (x ^ (x << 1)) >= 0
}

/// Adds a multiple of another row to a row. Whether the numbers fit.
fn add_multiple(row: &mut [i64], factor: i64, other: &[i64]) -> bool {
    let mut fits = true;
    for (x, y) in row.iter_mut().zip(other) {
        let sum = scaled(*y, factor).and_then(|product| x.checked_add(product));
        fits &= sum.is_some_and(is_narrow);
        *x = sum.unwrap_or(0);
    }
    fits
}

/// A product, if it fits in a word.
fn scaled(x: i64, factor: i64) -> Option<i64> {
    if x == 0 { Some(0) } else { x.checked_mul(factor) }
}

impl Words {
    fn new<'a>(width: usize, eqs: &'a [Row], ineqs: impl Iterator<Item = &'a Row> + Clone) -> Option<Words> {
        if (eqs.len() + ineqs.clone().count()) * width > MAX_SIZE {
            return None;
        }
        let mut rows = SmallVec::with_capacity((eqs.len() + ineqs.clone().count()) * width);
        for row in eqs.iter().chain(ineqs) {
            let start = rows.len();
            let mut fits = true;
            rows.extend(row.iter().map(|x| {
                let word = x.to_i64().filter(|x| is_narrow(*x));
                fits &= word.is_some();
                word.unwrap_or(0)
            }));
            if !fits || rows.len() != start + width {
                return None;
            }
        }
        Some(Words { width, n_eq: eqs.len(), rows, signs: SmallVec::new() })
    }

    /// The system without the variables that are gone.
    fn left(&self) -> System {
        let columns = (0..self.width).filter(|&k| k == 0 || (0..self.len()).any(|r| self.row(r)[k] != 0));
        let columns: SmallVec<[usize; 24]> = columns.collect();
        let row = |r: usize| columns.iter().map(|&k| Int::from(self.row(r)[k])).collect();
        let eqs = (0..self.n_eq).map(row).collect();
        System::from_rows(columns.len() - 1, eqs, (self.n_eq..self.len()).map(row).collect())
    }

    fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    fn row(&self, r: usize) -> &[i64] {
        &self.rows[r * self.width..(r + 1) * self.width]
    }

    /// Removes row `r`; the last row takes its place.
    fn remove(&mut self, r: usize) {
        let last = self.rows.len() - self.width;
        self.rows.copy_within(last.., r * self.width);
        self.rows.truncate(last);
    }

    /// Appends `alpha * r + beta * s`. Whether the numbers fit.
    fn push_combination(&mut self, r: usize, alpha: i64, s: usize, beta: i64) -> bool {
        let at = self.rows.len();
        self.rows.resize(at + self.width, 0);
        let (old, new) = self.rows.split_at_mut(at);
        let (left, right) = (&old[r * self.width..(r + 1) * self.width], &old[s * self.width..(s + 1) * self.width]);
        if alpha == 1 && beta == 1 {
            // The highest bit says whether a sum is not narrow.
            let mut wide = 0;
            for ((sum, x), y) in new.iter_mut().zip(left).zip(right) {
                *sum = x + y;
                wide |= *sum ^ (*sum << 1);
            }
            return wide >= 0;
        }
        let mut fits = true;
        for ((sum, x), y) in new.iter_mut().zip(left).zip(right) {
            let value = scaled(*x, alpha).zip(scaled(*y, beta)).and_then(|(x, y)| x.checked_add(y));
            fits &= value.is_some_and(is_narrow);
            *sum = value.unwrap_or(0);
        }
        fits
    }

    /// The greatest common divisor of the coefficients of a row.
    fn divisor(&self, r: usize) -> u64 {
        let mut g = 0;
        for &x in &self.row(r)[1..] {
            if x != 0 {
                g = gcd_u64(g, x.unsigned_abs());
                if g == 1 {
                    break;
                }
            }
        }
        g
    }

    /// Brings inequality `r` to its normal form.
    fn tighten(&mut self, r: usize) -> Tight {
        let g = self.divisor(r) as i64;
        let row = &mut self.rows[r * self.width..(r + 1) * self.width];
        match g {
            0 if row[0] < 0 => Tight::False,
            0 => Tight::True,
            1 => Tight::Bound,
            _ => {
                row[0] = row[0].div_euclid(g);
                row[1..].iter_mut().for_each(|x| *x /= g);
                Tight::Bound
            }
        }
    }

    fn step(&mut self) -> Answer {
        if self.n_eq > 0 { self.substitute() } else { self.eliminate() }
    }

    /// Removes the last equality by means of a variable with a unit coefficient.
    fn substitute(&mut self) -> Answer {
        let e = self.n_eq - 1;
        let g = self.divisor(e) as i64;
        if g == 0 || self.row(e)[0] % g != 0 {
            if g == 0 && self.row(e)[0] == 0 {
                self.drop_equality(e);
                return Answer::Progress;
            }
            return Answer::Empty;
        }
        self.rows[e * self.width..(e + 1) * self.width].iter_mut().for_each(|x| *x /= g);
        let Some(column) = (1..self.width).find(|&k| self.row(e)[k].abs() == 1) else { return Answer::Stuck };
        let pivot: SmallVec<[i64; 32]> = SmallVec::from_slice(self.row(e));
        for (_, row) in self.rows.chunks_exact_mut(self.width).enumerate().filter(|(r, _)| *r != e) {
            let factor = -row[column] * pivot[column];
            if factor != 0 && !add_multiple(row, factor, &pivot) {
                return Answer::Overflow;
            }
        }
        self.drop_equality(e);
        Answer::Progress
    }

    /// Removes equality `e`, the last one.
    fn drop_equality(&mut self, e: usize) {
        self.remove(e);
        self.n_eq = e;
    }

    /// Counts the signs of the rows.
    fn count_signs(&mut self) {
        self.signs = SmallVec::from_elem(Signs::default(), self.width - 1);
        for r in 0..self.len() {
            self.count_row(r, 1);
        }
    }

    /// Counts the signs of a row that comes (1) or goes (-1).
    fn count_row(&mut self, r: usize, by: i64) {
        let row = &self.rows[r * self.width + 1..(r + 1) * self.width];
        for (signs, &x) in self.signs.iter_mut().zip(row) {
            if x > 0 {
                signs.lower += by;
                signs.large_lower += if x > 1 { by } else { 0 };
            } else if x < 0 {
                signs.upper += by;
                signs.large_upper += if x < -1 { by } else { 0 };
            }
        }
    }

    /// Eliminates the variable that makes the system smallest, if there is one for which that is exact.
    fn eliminate(&mut self) -> Answer {
        if self.signs.is_empty() {
            self.count_signs();
        }
        let mut best: Option<(i64, usize)> = None;
        for (at, signs) in self.signs.iter().enumerate() {
            let Signs { lower, upper, large_lower, large_upper } = *signs;
            let growth = lower * upper - lower - upper;
            let is_exact = large_lower == 0 || large_upper == 0;
            if lower + upper > 0 && is_exact && best.is_none_or(|(b, _)| growth < b) {
                best = Some((growth, at + 1));
                // Bounds on one side alone go away.
                if lower == 0 || upper == 0 {
                    break;
                }
            }
        }
        let Some((growth, column)) = best else {
            // No row has a coefficient: each is true, or the system has none; otherwise no variable qualifies.
            let constant = (0..self.len()).all(|r| self.divisor(r) == 0);
            return match constant {
                true if (0..self.len()).all(|r| self.row(r)[0] >= 0) => Answer::Solvable,
                true => Answer::Empty,
                false => Answer::Stuck,
            };
        };
        if growth > GROWTH {
            return Answer::Stuck;
        }
        let old = self.len();
        let (mut lower, mut upper): (SmallVec<[usize; 16]>, SmallVec<[usize; 16]>) = Default::default();
        for (r, row) in self.rows.chunks_exact(self.width).enumerate() {
            match row[column] {
                0 => {}
                x if x > 0 => lower.push(r),
                _ => upper.push(r),
            }
        }
        for &low in &lower {
            let a = self.row(low)[column];
            for &high in &upper {
                let b = self.row(high)[column];
                if !self.push_combination(low, -b, high, a) {
                    return Answer::Overflow;
                }
                if !self.admit_last() {
                    return Answer::Empty;
                }
            }
        }
        for r in (0..old).rev() {
            if self.row(r)[column] != 0 {
                self.count_row(r, -1);
                self.remove(r);
            }
        }
        Answer::Progress
    }

    /// Brings the last row to its normal form and merges it with the others. Whether there is no contradiction.
    fn admit_last(&mut self) -> bool {
        let last = self.len() - 1;
        match self.tighten(last) {
            Tight::False => return false,
            Tight::True => {
                self.remove(last);
                return true;
            }
            Tight::Bound => {}
        }
        let (others, new) = self.rows.split_at(last * self.width);
        let Some(first) = (1..self.width).find(|&k| new[k] != 0) else { return true };
        let mut parallel = None;
        for (r, old) in others.chunks_exact(self.width).enumerate() {
            if old[first] == new[first] {
                if old[1..] == new[1..] {
                    parallel = Some((r, old[0].min(new[0])));
                    break;
                }
            } else if old[first] == -new[first]
                && old[0] + new[0] < 0
                && old[1..].iter().zip(&new[1..]).all(|(x, y)| *x == -y)
            {
                return false;
            }
        }
        if let Some((r, constant)) = parallel {
            self.rows[r * self.width] = constant;
            self.remove(last);
            return true;
        }
        self.count_row(last, 1);
        true
    }
}
