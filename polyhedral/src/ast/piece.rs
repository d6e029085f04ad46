//! [`Piece`]: the instances of one statement that are still to be generated, as one conjunction.
//!
//! The columns of a piece are those of the [`Scope`] it lives in, followed by *unknowns*: the dimensions of the statement and
//! the integer divisions of its constraints that are not yet functions of the scope. Generation turns unknowns into scope
//! columns one by one, by loops or by substitution; every step is exact over the integers, so what remains always
//! describes the same instances. A piece is only meaningful together with its scope: constraints that the scope guarantees
//! are dropped.

use crate::arith::Int;
use crate::budget::{Budget, Exhausted};
use crate::relation::{Row, add_scaled, all_zero, gcd, negated, zeros};
use crate::schedule::LoopType;

use super::plan::{Part, Value, units};
use super::scope::Scope;
use super::system::{Dropping, Plain, System};

/// See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The index of the statement.
    pub(super) stmt: usize,
    /// The number of unknowns, which are the last columns.
    pub(super) n_unknown: usize,
    /// The number of leading unknowns (0 or 1) that must stay unknowns for the moment: the iterator of the next loop.
    pub(super) held: usize,
    pub(super) system: System,
    /// The value of each dimension of the statement as an affine row.
    pub(super) point: Vec<Row>,
    /// For a part of a piece that was cut into several: the position of that piece in the list of pieces before the cuts.
    pub(super) origin: usize,
    /// The value of the band member that is being generated.
    pub(super) target: Option<Row>,
    /// The time vector, if the input is a schedule relation.
    pub(super) times: Vec<Row>,
    /// How the loop over the held unknown is generated.
    pub(super) loop_type: LoopType,
    /// Whether a member of an outer band lets the code of the statement come about several times: one that is not atomic.
    pub(super) repeats: bool,
    /// The held unknown has been shifted down by this number: the value of the band member is this much more.
    pub(super) shift: Int,
}

impl Piece {
    /// The instances of one part of a domain outside all loops: all dimensions and locals are unknown. The first `n_dim`
    /// dimensions of the part are those of the statement, the next `n_time` are the time vector.
    pub(super) fn new(stmt: usize, n_dim: usize, n_time: usize, part: &Part, n_param: usize) -> Piece {
        let n = part.system.n;
        let mut point = units(1 + n_param, n_dim + n_time);
        for row in &mut point {
            row.resize(n + 1, Int::zero());
        }
        let times = point.split_off(n_dim);
        let system = part.system.clone();
        Piece { system, n_unknown: n - n_param, point, times, ..Piece::blank(stmt, 0) }
    }

    /// A piece without constraints and dimensions in a scope with `n_scope` columns.
    pub(super) fn blank(stmt: usize, n_scope: usize) -> Piece {
        Piece {
            stmt,
            n_unknown: 0,
            held: 0,
            system: System::universe(n_scope),
            point: Vec::new(),
            origin: 0,
            target: None,
            times: Vec::new(),
            loop_type: LoopType::Default,
            repeats: false,
            shift: Int::zero(),
        }
    }

    /// Adds the constraints of a part whose columns stand for the given rows over the columns of the piece, and after those
    /// for locals, which become unknowns.
    pub(super) fn constrain(&mut self, part: &Part, images: &[Row]) {
        let locals: Vec<usize> = (0..part.n_local).map(|_| self.add_unknown()).collect();
        let n_col = self.system.n + 1;
        let image = |row: &Row| {
            let mut result = zeros(n_col);
            result[0] = row[0].clone();
            let (outer, inner) = row[1..].split_at(images.len());
            for (x, value) in outer.iter().zip(images) {
                add_scaled(&mut result, x, value);
            }
            for (x, &column) in inner.iter().zip(&locals) {
                result[column] += x;
            }
            result
        };
        let eqs: Vec<Row> = part.system.eqs.iter().map(image).collect();
        let ineqs: Vec<Row> = part.system.ineqs.iter().map(image).collect();
        self.system.eqs.extend(eqs);
        self.system.ineqs.extend(ineqs);
    }

    /// The instances of another statement that the instances of this one stand for: `part` relates the dimensions of this
    /// statement to `n_dim` dimensions of the other.
    pub(super) fn expand(&self, stmt: usize, n_dim: usize, part: &Part, n_param: usize) -> Piece {
        let mut piece = self.clone();
        piece.stmt = stmt;
        let columns: Vec<usize> = (0..n_dim).map(|_| piece.add_unknown()).collect();
        let mut images = units(1, n_param);
        images.extend(piece.point.iter().cloned());
        piece.point = columns.iter().flat_map(|&column| units(column, 1)).collect();
        images.extend(piece.point.iter().cloned());
        for row in &mut piece.point {
            row.resize(piece.system.n + 1, Int::zero());
        }
        piece.constrain(part, &images);
        piece
    }

    /// The piece restricted to one part of a filter.
    pub(super) fn intersect(&self, part: &Part, n_param: usize) -> Piece {
        let mut piece = self.clone();
        let locals: Vec<usize> = (0..part.n_local).map(|_| piece.add_unknown()).collect();
        let eqs: Vec<Row> = part.system.eqs.iter().map(|row| piece.translate(row, &locals, n_param)).collect();
        let ineqs: Vec<Row> = part.system.ineqs.iter().map(|row| piece.translate(row, &locals, n_param)).collect();
        piece.system.eqs.extend(eqs);
        piece.system.ineqs.extend(ineqs);
        piece
    }

    /// The row of a quasi-affine value; its integer divisions become unknowns with their definitions.
    pub(super) fn evaluate(&mut self, value: &Value, n_param: usize) -> Row {
        let locals: Vec<usize> = value.divs.iter().map(|_| self.add_unknown()).collect();
        for ((row, den), &column) in value.divs.iter().zip(&locals) {
            let mut lower = self.translate(row, &locals, n_param);
            if let Some(mut quotient) = self.known_quotient(&lower, den) {
                quotient[column] -= 1;
                self.system.eqs.push(quotient);
                continue;
            }
            lower[column] -= den;
            let mut upper = negated(&lower);
            upper[0] += den - 1;
            self.system.ineqs.push(lower);
            self.system.ineqs.push(upper);
        }
        self.translate(&value.row, &locals, n_param)
    }

    /// The quotient of a row by a number, rounded down, if a pair of constraints says what it is in terms of unknowns: `b + 8 e` for
    /// `i` and 32 where `0 <= i - 32 b - 256 e <= 31`. So a filter on tiles, which says that, becomes a stride of the loop over tiles.
    fn known_quotient(&self, row: &[Int], den: &Int) -> Option<Row> {
        let first = self.first_unknown();
        self.system.ineqs.iter().find_map(|lower| {
            let rest: Row = row.iter().zip(lower.iter()).map(|(x, y)| x - y).collect();
            if all_zero(&rest[first..]) || !rest.iter().all(|x| den.divides(x)) {
                return None;
            }
            let is_short = |upper: &&Row| {
                (1..upper.len()).all(|i| (&upper[i] + &lower[i]).is_zero()) && &upper[0] + &lower[0] < *den
            };
            self.system.ineqs.iter().find(is_short)?;
            Some(rest.iter().map(|x| x.div_exact(den)).collect())
        })
    }

    /// A row over `[1 | params | dims | locals]` of the statement as a row over the columns of the piece.
    fn translate(&self, row: &[Int], locals: &[usize], n_param: usize) -> Row {
        let mut result = zeros(self.system.n + 1);
        add_scaled(&mut result, &Int::one(), &row[..=n_param]);
        let (dims, rest) = row[1 + n_param..].split_at(self.point.len());
        for (x, value) in dims.iter().zip(&self.point) {
            add_scaled(&mut result, x, value);
        }
        for (x, &column) in rest.iter().zip(locals) {
            result[column] += x;
        }
        result
    }

    /// All rows over the columns of the piece.
    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.system.rows_mut().chain(self.point.iter_mut()).chain(self.target.iter_mut()).chain(self.times.iter_mut())
    }

    /// The column of the first unknown.
    pub(super) fn first_unknown(&self) -> usize {
        self.system.n + 1 - self.n_unknown
    }

    /// Inserts a column of zeros before column `at`.
    pub(super) fn insert_column(&mut self, at: usize) {
        self.system.n += 1;
        for row in self.rows_mut() {
            row.insert(at, Int::zero());
        }
    }

    /// Adds an unknown after the others and returns its column.
    pub(super) fn add_unknown(&mut self) -> usize {
        let at = self.system.n + 1;
        self.insert_column(at);
        self.n_unknown += 1;
        at
    }

    /// Makes the value of the band member, the target, a new first unknown that is held.
    pub(super) fn hold_target(&mut self) {
        let Some(mut row) = self.target.take() else { return };
        let t = self.first_unknown();
        self.insert_column(t);
        self.n_unknown += 1;
        self.held += 1;
        row.insert(t, Int::from(-1));
        self.system.eqs.push(row);
    }

    /// Moves an unknown before all other unknowns.
    pub(super) fn move_to_front(&mut self, column: usize) {
        let front = self.first_unknown();
        for row in self.rows_mut() {
            row[front..=column].rotate_right(1);
        }
    }

    /// Whether a row mentions no unknown.
    pub(super) fn is_known(&self, row: &[Int]) -> bool {
        all_zero(&row[self.first_unknown()..])
    }

    /// Lets a column stand for what it stood for minus a constant.
    pub(super) fn shift_column(&mut self, column: usize, shift: &Int) {
        for row in self.rows_mut() {
            let factor = row[column].clone();
            row[0].add_mul(&factor, shift);
        }
    }

    /// Lets a column stand for the quotient by `step` of what it stood for minus `offset`, a row over the columns before it.
    pub(super) fn scale_column(&mut self, column: usize, offset: &[Int], step: &Int) {
        for row in self.rows_mut() {
            let factor = row[column].clone();
            add_scaled(row, &factor, offset);
            row[column] = &factor * step;
        }
    }

    /// Replaces an unknown by an affine row that does not mention it, and removes its column.
    pub(super) fn substitute(&mut self, column: usize, value: &[Int]) {
        for row in self.rows_mut() {
            let factor = std::mem::take(&mut row[column]);
            add_scaled(row, &factor, value);
            row.remove(column);
        }
        self.system.n -= 1;
        self.n_unknown -= 1;
    }

    /// Substitutes unknowns that an equality defines with coefficient 1 or -1 (except those that are held), and normalises.
    /// False if the piece is plainly empty.
    pub(super) fn solve(&mut self, budget: &Budget) -> Result<bool, Exhausted> {
        loop {
            if self.system.equate() == Plain::Contradiction {
                return Ok(false);
            }
            let first = self.first_unknown() + self.held;
            let found = self.system.eqs.iter().enumerate().find_map(|(index, row)| {
                let offset = row[first..].iter().position(Int::is_unit)?;
                Some((index, first + offset))
            });
            let Some((index, column)) = found else { return Ok(true) };
            budget.spend((self.system.eqs.len() + self.system.ineqs.len()) as u64)?;
            let mut value = self.system.eqs.swap_remove(index);
            if value[column].is_positive() {
                value = negated(&value);
            }
            value[column] = Int::zero();
            self.substitute(column, &value);
        }
    }

    /// An unknown that the scope determines: its column, and the numerator and denominator (possibly 1) of its value.
    pub(super) fn determined(&self) -> Option<(usize, Row, Int)> {
        (self.first_unknown() + self.held..=self.system.n).find_map(|column| {
            let (row, den) = quotient(&self.system, column, self.first_unknown())?;
            Some((column, row, den))
        })
    }

    /// Makes a sum of unknowns that the scope determines, where no single one is determined, an unknown of its own in place of one of
    /// them: `i + j` where `0 <= row - 4 i - 4 j <= 3`. False if there is none.
    pub(super) fn combine(&mut self) -> bool {
        let first = self.first_unknown() + self.held;
        let sum = |row: &Row, width: Option<&Int>| -> Option<Row> {
            let unknown = &row[first..];
            let g = gcd(unknown);
            let several = unknown.iter().filter(|x| !x.is_zero()).count() > 1;
            let free = row[first - self.held..first].iter().all(Int::is_zero);
            let few = width.is_none_or(|width| *width < g);
            if !several || !free || !few || g.is_one() || !unknown.iter().any(|x| x.abs() == g) {
                return None;
            }
            Some(unknown.iter().map(|x| x.div_exact(&g)).collect())
        };
        let equal = self.system.eqs.iter().find_map(|row| sum(row, None));
        let found = equal.or_else(|| {
            self.system.ineqs.iter().find_map(|upper| {
                let width = self.system.widths(upper).next()?;
                sum(upper, Some(&width))
            })
        });
        let Some(factors) = found else { return false };
        let column = self.add_unknown();
        let mut row = zeros(self.system.n + 1);
        row[first..column].clone_from_slice(&factors);
        row[column] = Int::from(-1);
        self.system.eqs.push(row);
        true
    }

    /// The constraints that mention no unknown, cut to the columns of the scope: equalities, then inequalities.
    pub(super) fn known_rows(&self) -> (Vec<Row>, Vec<Row>) {
        let first = self.first_unknown();
        let select = |rows: &[Row]| -> Vec<Row> {
            rows.iter().filter(|row| self.is_known(row)).map(|row| Row::from(&row[..first])).collect()
        };
        (select(&self.system.eqs), select(&self.system.ineqs))
    }

    /// Puts in the values of scope columns that the scope knows.
    pub(super) fn substitute_values(&mut self, values: &[(usize, Row)]) {
        for (column, value) in values {
            for row in self.rows_mut().filter(|row| !row[*column].is_zero()) {
                // The coefficient in the value is 1 or -1.
                let factor = -(&row[*column] * &value[*column]);
                add_scaled(row, &factor, value);
            }
        }
    }

    /// Drops constraints that the scope guarantees or that the others imply. False if the piece is empty.
    pub(super) fn reduce(&mut self, scope: &Scope, budget: &Budget) -> Result<bool, Exhausted> {
        let all = scope.known.and(&self.system);
        let Some(dropping) = Dropping::new(&all, budget)? else { return Ok(false) };
        if !dropping.has_integer_point() && all.is_empty(budget)? || scope.excludes(&all, budget)? {
            return Ok(false);
        }
        let mut context = scope.known.clone();
        if !scope.alternatives.is_empty() {
            // What follows from all alternatives goes like what follows from the scope, and is not said anywhere else.
            let (eqs, ineqs) = self.known_rows();
            for row in eqs {
                if scope.alternatives_imply(&row, budget)? && scope.alternatives_imply(&negated(&row), budget)? {
                    context.eqs.push(row);
                }
            }
            for row in ineqs {
                if scope.alternatives_imply(&row, budget)? {
                    context.ineqs.push(row);
                }
            }
        }
        let n_eq = self.system.eqs.len();
        let mut eqs = Vec::new();
        for row in std::mem::take(&mut self.system.eqs) {
            if !self.is_known(&row) || !context.implies_eq(&row[..=context.n], budget)? {
                eqs.push(row);
            }
        }
        self.system.eqs = eqs;
        // What defines an unknown stays: without it the unknown would be searched for where its definition is known.
        let definitions = self.definitions();
        let candidate = |row: &[Int]| !definitions.iter().any(|known| known[..] == *row);
        if scope.alternatives.is_empty() && self.system.eqs.len() == n_eq {
            let first = scope.known.ineqs.len();
            self.system.drop_implied_of(dropping, first, candidate, budget)?;
            return Ok(true);
        }
        let n = self.system.n;
        context.insert_columns(context.n + 1, n - context.n);
        self.system.drop_implied(&context, candidate, budget)?;
        Ok(true)
    }

    /// The inequalities that leave an unknown one value at most once the other columns are known: `0 <= row - den x < den`.
    fn definitions(&self) -> Vec<Row> {
        let first = self.first_unknown();
        let mut result = Vec::new();
        for upper in self.system.ineqs.iter().filter(|row| !self.is_known(row)) {
            for width in self.system.widths(upper) {
                if upper[first..].iter().any(|x| x.abs() > width) {
                    result.push(upper.clone());
                }
            }
        }
        result
    }
}

/// If the constraints force a column to one value over the columns before `first` (exclusive of the constant), that value
/// as a numerator and a positive denominator, rounded down: from an equality `den x = row`, or from two inequalities
/// `0 <= row - den x <= c` with `c < den`.
pub(super) fn quotient(system: &System, column: usize, first: usize) -> Option<(Row, Int)> {
    let only =
        |row: &Row| !row[column].is_zero() && (first..row.len()).all(|other| other == column || row[other].is_zero());
    let numerator = |row: &Row| {
        let mut row = row.clone();
        row[column] = Int::zero();
        row.truncate(first);
        row
    };
    if let Some(row) = system.eqs.iter().find(|row| only(row)) {
        // row = num + a x == 0, so x = -num / a.
        let value = if row[column].is_positive() { negated(row) } else { row.clone() };
        return Some((numerator(&value), row[column].abs()));
    }
    for upper in system.ineqs.iter().filter(|row| row[column].is_negative() && only(row)) {
        let den = upper[column].abs();
        if system.widths(upper).any(|width| width < den) {
            return Some((numerator(upper), den));
        }
    }
    None
}
