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

/// Rows `[constant | coefficients]` of one width: the equalities first, then the inequalities.
struct Words {
    width: usize,
    n_eq: usize,
    rows: SmallVec<[i64; 256]>,
}

impl Words {
    fn new<'a>(width: usize, eqs: &'a [Row], ineqs: impl Iterator<Item = &'a Row> + Clone) -> Option<Words> {
        if (eqs.len() + ineqs.clone().count()) * width > MAX_SIZE {
            return None;
        }
        let mut rows = SmallVec::new();
        for row in eqs.iter().chain(ineqs) {
            for x in row {
                // The most negative word is left out, so that every number can be negated.
                rows.push(x.to_i64().filter(|&x| x != i64::MIN)?);
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

    /// Appends a copy of row `r`.
    fn copy_row(&mut self, r: usize) {
        for k in r * self.width..(r + 1) * self.width {
            let x = self.rows[k];
            self.rows.push(x);
        }
    }

    /// Replaces row `r` by `alpha * r + beta * s`. Whether the numbers fit.
    fn combine(&mut self, r: usize, alpha: i64, s: usize, beta: i64) -> bool {
        let (at, from) = (r * self.width, s * self.width);
        for k in 0..self.width {
            let sum = self.rows[at + k]
                .checked_mul(alpha)
                .zip(self.rows[from + k].checked_mul(beta))
                .and_then(|(x, y)| x.checked_add(y))
                .filter(|&x| x != i64::MIN);
            match sum {
                Some(x) => self.rows[at + k] = x,
                None => return false,
            }
        }
        true
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
            if factor != 0 && !self.combine(r, 1, e, -factor * sign) {
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

    /// Eliminates the variable that makes the system smallest, if there is one for which that is exact.
    fn eliminate(&mut self) -> Answer {
        let mut best: Option<(i64, usize)> = None;
        for column in 1..self.width {
            let (mut lower, mut upper, mut lower_units, mut upper_units) = (0i64, 0i64, true, true);
            for x in self.rows.iter().skip(column).step_by(self.width) {
                if *x > 0 {
                    lower += 1;
                    lower_units &= *x == 1;
                } else if *x < 0 {
                    upper += 1;
                    upper_units &= *x == -1;
                }
            }
            let growth = lower * upper - lower - upper;
            if lower + upper > 0 && (lower_units || upper_units) && best.is_none_or(|(b, _)| growth < b) {
                best = Some((growth, column));
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
                let sum = self.len();
                self.copy_row(low);
                if !self.combine(sum, -b, high, a) {
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
        for r in 0..last {
            let (old, new) = (self.row(r), self.row(last));
            if old[1..] == new[1..] {
                let constant = old[0].min(new[0]);
                self.rows[r * self.width] = constant;
                self.remove(last);
                return true;
            }
            if old[1..].iter().zip(&new[1..]).all(|(x, y)| *x == -y)
                && old[0].checked_add(new[0]).is_some_and(|w| w < 0)
            {
                return false;
            }
        }
        true
    }
}
