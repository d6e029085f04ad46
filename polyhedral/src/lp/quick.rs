//! Integer emptiness of small systems, decided in machine words by exact eliminations alone.
//!
//! Most systems that loop nests give have unit coefficients and end after a few steps, each exact over the integers:
//! - an equality with a unit coefficient is substituted; one whose coefficients have a divisor that the constant lacks
//!   has no solution;
//! - an inequality is divided by the common divisor of its coefficients, the constant rounded down;
//! - a variable whose lower bounds, or whose upper bounds, all have coefficient 1 (or are missing) is eliminated by the
//!   method of Fourier and Motzkin; of parallel inequalities the tighter one stays, opposite ones can contradict.
//!
//! Where no step applies, a number does not fit, or the system grows, there is no answer, and [`super::search`]
//! decides. The rows lie in one flat vector; nothing else is allocated.
//!
//! Sources: as in [`super::system`].

use smallvec::SmallVec;

use crate::arith::{Row, gcd_u64};
use crate::budget::{Budget, Exhausted};

/// By how many rows one elimination may make the system larger.
const GROWTH: i64 = 6;

/// Systems with more numbers than this are left to the search, whose steps cost less per row.
const MAX_SIZE: usize = 4096;

/// Whether a system has no integer solution; nothing if the quick steps do not tell.
pub(super) fn is_empty<'a>(
    n: usize,
    eqs: &'a [Row],
    ineqs: impl Iterator<Item = &'a Row> + Clone,
    budget: &Budget,
) -> Result<Option<bool>, Exhausted> {
    let Some(mut system) = Words::new(n + 1, eqs, ineqs) else { return Ok(None) };
    for _ in 0..n + eqs.len() + 2 {
        budget.spend(1 + system.len() as u64 / 4)?;
        match system.step() {
            Answer::Progress => {}
            Answer::Empty => return Ok(Some(true)),
            Answer::Solvable => return Ok(Some(false)),
            Answer::Unknown => return Ok(None),
        }
    }
    Ok(None)
}

enum Answer {
    Progress,
    Empty,
    Solvable,
    Unknown,
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
        Some(Words { width, n_eq: eqs.len(), rows })
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

    /// Replaces row `r` by the sum of it and `factor` times row `s`. Whether the numbers fit.
    fn add_multiple(&mut self, r: usize, factor: i64, s: usize) -> bool {
        let (at, from) = (r * self.width, s * self.width);
        let mut fits = true;
        for k in 0..self.width {
            let sum = scaled(self.rows[from + k], factor).and_then(|product| self.rows[at + k].checked_add(product));
            match sum {
                Some(x) if is_narrow(x) => self.rows[at + k] = x,
                _ => fits = false,
            }
        }
        fits
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
        let Some(column) = (1..self.width).find(|&k| self.row(e)[k].abs() == 1) else { return Answer::Unknown };
        let sign = self.row(e)[column];
        for r in (0..self.len()).filter(|&r| r != e) {
            let factor = self.row(r)[column];
            if factor != 0 && !self.add_multiple(r, -factor * sign, e) {
                return Answer::Unknown;
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

    /// The signs of the coefficients of each variable.
    fn signs(&self) -> SmallVec<[Signs; 24]> {
        let mut signs: SmallVec<[Signs; 24]> = SmallVec::from_elem(Signs::default(), self.width - 1);
        for row in self.rows.chunks_exact(self.width) {
            for (signs, x) in signs.iter_mut().zip(&row[1..]) {
                signs.lower += i64::from(*x > 0);
                signs.upper += i64::from(*x < 0);
                signs.large_lower += i64::from(*x > 1);
                signs.large_upper += i64::from(*x < -1);
            }
        }
        signs
    }

    /// Eliminates the variable that makes the system smallest, if there is one for which that is exact.
    fn eliminate(&mut self) -> Answer {
        let mut best: Option<(i64, usize)> = None;
        for (at, signs) in self.signs().iter().enumerate() {
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
                false => Answer::Unknown,
            };
        };
        if growth > GROWTH {
            return Answer::Unknown;
        }
        let old = self.len();
        for low in 0..old {
            let a = self.row(low)[column];
            for high in 0..old {
                let b = self.row(high)[column];
                if a <= 0 || b >= 0 {
                    continue;
                }
                if !self.push_combination(low, -b, high, a) {
                    return Answer::Unknown;
                }
                if !self.admit_last() {
                    return Answer::Empty;
                }
            }
        }
        for r in (0..old).rev() {
            if self.row(r)[column] != 0 {
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
        let Some(first) = (1..self.width).find(|&k| self.row(last)[k] != 0) else { return true };
        for r in 0..last {
            let (old, new) = (self.row(r), self.row(last));
            if old[first] == new[first] {
                if old[1..] == new[1..] {
                    let constant = old[0].min(new[0]);
                    self.rows[r * self.width] = constant;
                    self.remove(last);
                    return true;
                }
            } else if old[first] == -new[first]
                && old[0] + new[0] < 0
                && old[1..].iter().zip(&new[1..]).all(|(x, y)| *x == -y)
            {
                return false;
            }
        }
        true
    }
}
