//! Sets and maps in isl's notation. The rooms of functions and of quasi-polynomials print theirs with the same texts of
//! tuples, columns and conditions.
//!
//! Every conjunction is one disjunct `tuple : constraints`. A dimension that an equality defines by earlier columns is
//! printed as that expression inside its tuple. Constraints are grouped by the last column that they use, a lower and
//! an upper bound of one column form a chain `0 <= i < n`. Divisions with known definition are written out as
//! `floor((...)/d)`, or as `mod` in a stride. Existentials are called `e0`, `e1`, ...

use std::fmt;

use crate::arith::Int;
use crate::space::{DimKind, Space, Tuple};

use super::row::{self, Row};
use super::{Conjunction, Map, Relation, Set, UnionMap, UnionSet};

/// The texts of all columns; entry 0 (the constant) is unused.
pub(crate) struct Columns {
    pub(crate) texts: Vec<String>,
    /// Whether a coefficient needs a `*` before the text.
    compound: Vec<bool>,
}

impl Columns {
    /// The names of parameters and dimensions: unnamed dimensions are numbered, repeated names get primes.
    pub(crate) fn of_space(space: &Space) -> Columns {
        let mut texts = vec![String::new()];
        for kind in [DimKind::Param, DimKind::In, DimKind::Out] {
            let letter = if kind == DimKind::Out && space.is_map() { 'o' } else { 'i' };
            for pos in 0..space.dim(kind) {
                let name = match space.dim_name(kind, pos) {
                    Some(name) => name.to_string(),
                    None => format!("{letter}{pos}"),
                };
                texts.push(unused(name, &texts));
            }
        }
        let compound = vec![false; texts.len()];
        Columns { texts, compound }
    }

    pub(crate) fn push_div(&mut self, row: &[Int], den: &Int) {
        let text = format!("floor(({})/{den})", self.expr(row));
        self.texts.push(text);
        self.compound.push(true);
    }

    fn push_existential(&mut self) {
        let number = self.texts.iter().filter(|t| t.starts_with('e')).count();
        self.texts.push(unused(format!("e{number}"), &self.texts));
        self.compound.push(false);
    }

    fn term(&self, column: usize, size: &Int) -> String {
        let text = &self.texts[column];
        match (size.is_one(), self.compound[column]) {
            (true, _) => text.clone(),
            (false, true) => format!("{size}*{text}"),
            (false, false) => format!("{size}{text}"),
        }
    }

    /// The expression of a row: positive terms, negative terms, constant.
    pub(crate) fn expr(&self, row: &[Int]) -> String {
        let mut result = String::new();
        let mut add = |negative: bool, text: &str| {
            match (result.is_empty(), negative) {
                (true, true) => result.push('-'),
                (true, false) => {}
                (false, true) => result.push_str(" - "),
                (false, false) => result.push_str(" + "),
            }
            result.push_str(text);
        };
        let constant_first = row[0].is_positive() && !row[1..].iter().any(Int::is_positive);
        if constant_first {
            add(false, &row[0].to_string());
        }
        for negative in [false, true] {
            for (column, x) in row.iter().enumerate().skip(1) {
                if !x.is_zero() && x.is_negative() == negative {
                    add(negative, &self.term(column, &x.abs()));
                }
            }
        }
        if !constant_first && !row[0].is_zero() {
            add(row[0].is_negative(), &row[0].abs().to_string());
        }
        if result.is_empty() { "0".into() } else { result }
    }
}

/// A name that is not in the list: with as many primes as it takes.
fn unused(mut name: String, taken: &[String]) -> String {
    while taken.contains(&name) {
        name.push('\'');
    }
    name
}

/// One printed constraint: the column it is about, the text, and whether it uses existentials.
struct Constraint {
    column: usize,
    text: String,
    existential: bool,
}

/// The printing of one conjunction.
pub(crate) struct Printer<'a> {
    conjunction: &'a Conjunction,
    columns: Columns,
    /// For each column, the index of the equality that defines it inside its tuple.
    defined: Vec<Option<usize>>,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(conjunction: &'a Conjunction) -> Printer<'a> {
        let mut columns = Columns::of_space(conjunction.space());
        for pos in 0..conjunction.n_local() {
            match conjunction.div(pos) {
                Some(div) => columns.push_div(&div.row[..columns.texts.len()], &div.den),
                None => columns.push_existential(),
            }
        }
        let mut printer = Printer { conjunction, columns, defined: Vec::new() };
        printer.defined = printer.definitions();
        printer
    }

    /// The equalities that define a dimension of a tuple by earlier columns.
    fn definitions(&self) -> Vec<Option<usize>> {
        let c = self.conjunction;
        let base = c.space().n_col();
        let mut result = vec![None; base];
        // The last column that a local depends on; existentials depend on everything.
        let mut reach = Vec::with_capacity(c.n_local());
        for pos in 0..c.n_local() {
            let last = c.div(pos).map_or(base, |d| self.reach(&d.row, &reach));
            reach.push(last);
        }
        for (index, eq) in c.eqs().iter().enumerate() {
            let Some(column) = (c.space().offset(DimKind::In)..base).rev().find(|&k| !eq[k].is_zero()) else {
                continue;
            };
            let mut rest = eq.clone();
            rest[column] = Int::zero();
            if eq[column].is_unit() && self.reach(&rest, &reach) < column && result[column].is_none() {
                result[column] = Some(index);
            }
        }
        result
    }

    fn reach(&self, row: &Row, locals: &[usize]) -> usize {
        let base = self.conjunction.space().n_col();
        let column = |k: usize| if k < base { k } else { locals.get(k - base).copied().unwrap_or(base) };
        (1..row.len()).filter(|&k| !row[k].is_zero()).map(column).max().unwrap_or(0)
    }

    /// A tuple whose first dimension has the given column.
    fn tuple(&self, tuple: &Tuple, first: usize) -> String {
        let name = tuple.name().map_or("", |n| n);
        if let Some((a, b)) = tuple.factors() {
            return format!("{name}[{} -> {}]", self.tuple(&a, first), self.tuple(&b, first + a.len()));
        }
        let entries: Vec<String> =
            (0..tuple.len()).map(|k| self.entry(first + k, tuple.dim_name(k).is_some())).collect();
        format!("{name}[{}]", entries.join(", "))
    }

    fn entry(&self, column: usize, named: bool) -> String {
        let Some(index) = self.defined[column] else { return self.columns.texts[column].clone() };
        let mut value = self.conjunction.eqs()[index].clone();
        if value[column].is_positive() {
            value = value.iter().map(|x| -x).collect();
        }
        value[column] = Int::zero();
        let value = self.columns.expr(&value);
        let used = (0..self.conjunction.n_local())
            .filter_map(|k| self.conjunction.div(k).map(|d| &d.row))
            .chain(self.conjunction.ineqs())
            .chain(self.conjunction.eqs().iter().enumerate().filter(|(k, _)| *k != index).map(|(_, r)| r))
            .any(|r| !r[column].is_zero());
        if named || used { format!("{} = {value}", self.columns.texts[column]) } else { value }
    }

    pub(crate) fn tuples(&self) -> String {
        let space = self.conjunction.space();
        let range = || self.tuple(space.range_tuple(), space.offset(DimKind::Out));
        match space.domain_tuple() {
            Some(domain) => format!("{} -> {}", self.tuple(domain, space.offset(DimKind::In)), range()),
            None if space.is_params() => String::new(),
            None => range(),
        }
    }

    fn uses_existential(&self, row: &Row) -> bool {
        let base = self.conjunction.space().n_col();
        (0..self.conjunction.n_local()).any(|k| self.conjunction.div(k).is_none() && !row[base + k].is_zero())
    }

    /// The column that a constraint is about: the last dimension or parameter, or else the last local.
    fn subject(&self, row: &Row) -> usize {
        let base = self.conjunction.space().n_col();
        let last = |range: std::ops::Range<usize>| range.rev().find(|&k| !row[k].is_zero());
        last(1..base).or_else(|| last(base..row.len())).unwrap_or(0)
    }

    fn equality(&self, row: &Row) -> Constraint {
        let column = self.subject(row);
        let existential = self.uses_existential(row);
        let text = self.stride(row).unwrap_or_else(|| {
            let mut rest = row.clone();
            if rest[column].is_positive() {
                rest = rest.iter().map(|x| -x).collect();
            }
            let subject = if column == 0 { "0".into() } else { self.columns.term(column, &row[column].abs()) };
            rest[column] = if column == 0 { rest[0].clone() } else { Int::zero() };
            format!("{subject} = {}", self.columns.expr(&rest))
        });
        Constraint { column, text, existential }
    }

    /// `lin - d q + k = 0` with `q = floor((lin + c) / d)` as `lin mod d = -k mod d`.
    fn stride(&self, row: &Row) -> Option<String> {
        let base = self.conjunction.space().n_col();
        let mut locals = (0..self.conjunction.n_local()).filter(|&k| !row[base + k].is_zero()).rev();
        let pos = locals.next()?;
        let div = self.conjunction.div(pos)?;
        let row: Row = if row[base + pos].is_positive() { row.iter().map(|x| -x).collect() } else { row.clone() };
        if -&row[base + pos] != div.den {
            return None;
        }
        let same = (1..row.len()).all(|k| k == base + pos || row[k] == div.row[k]);
        let offset = &div.row[0] - &row[0];
        if !same || offset.is_negative() || offset >= div.den {
            return None;
        }
        let mut linear = row;
        linear[base + pos] = Int::zero();
        let remainder = (-&linear[0]).rem_floor(&div.den);
        linear[0] = Int::zero();
        Some(format!("({}) mod {} = {remainder}", self.columns.expr(&linear), div.den))
    }

    /// The constraints of all inequalities: bounds of one column with one coefficient are paired.
    fn inequalities(&self) -> Vec<Constraint> {
        let mut result = Vec::new();
        let mut rows: Vec<(usize, Int, &Row)> = Vec::new();
        for row in self.conjunction.ineqs() {
            let column = self.subject(row);
            let coefficient = if column == 0 { Int::zero() } else { row[column].clone() };
            rows.push((column, coefficient, row));
        }
        rows.sort_by(|a, b| (a.0, a.1.abs()).cmp(&(b.0, b.1.abs())).then_with(|| a.2.cmp(b.2)));
        let mut done = vec![false; rows.len()];
        for i in 0..rows.len() {
            if done[i] {
                continue;
            }
            let (column, coefficient, row) = &rows[i];
            let existential = self.uses_existential(row);
            if *column == 0 {
                let text = format!("0 <= {}", self.columns.expr(row));
                result.push(Constraint { column: 0, text, existential });
                continue;
            }
            let partner = (i + 1..rows.len()).find(|&j| {
                !done[j]
                    && rows[j].0 == *column
                    && rows[j].1 == -coefficient
                    && self.uses_existential(rows[j].2) == existential
            });
            let subject = self.columns.term(*column, &coefficient.abs());
            let text = match partner {
                Some(j) => {
                    done[j] = true;
                    let (low, up) = if coefficient.is_positive() { (*row, rows[j].2) } else { (rows[j].2, *row) };
                    let ((l, l_strict), (u, u_strict)) = (self.bound(low, *column), self.bound(up, *column));
                    let sign = |strict| if strict { "<" } else { "<=" };
                    format!("{l} {} {subject} {} {u}", sign(l_strict), sign(u_strict))
                }
                None => {
                    let (bound, strict) = self.bound(row, *column);
                    let direction = if coefficient.is_positive() { ">" } else { "<" };
                    format!("{subject} {direction}{} {bound}", if strict { "" } else { "=" })
                }
            };
            result.push(Constraint { column: *column, text, existential });
        }
        result
    }

    /// The bound that an inequality gives for a column, and whether it is printed as strict.
    fn bound(&self, row: &Row, column: usize) -> (String, bool) {
        let lower = row[column].is_positive();
        let mut bound: Row = if lower { row.iter().map(|x| -x).collect() } else { row.clone() };
        bound[column] = Int::zero();
        let strict = bound[0] == Int::from(if lower { 1 } else { -1 }) && !row::all_zero(&bound[1..]);
        if strict {
            bound[0] = Int::zero();
        }
        (self.columns.expr(&bound), strict)
    }

    fn constraints(&self) -> String {
        let mut list: Vec<Constraint> = self
            .conjunction
            .eqs()
            .iter()
            .enumerate()
            .filter(|(k, _)| !self.defined.contains(&Some(*k)))
            .map(|(_, row)| self.equality(row))
            .collect();
        list.extend(self.inequalities());
        list.sort_by_key(|c| c.column);
        let join = |existential: bool| {
            let texts: Vec<&str> =
                list.iter().filter(|c| c.existential == existential).map(|c| c.text.as_str()).collect();
            texts.join(" and ")
        };
        let (plain, inner) = (join(false), join(true));
        if inner.is_empty() {
            return plain;
        }
        let base = self.conjunction.space().n_col();
        let names: Vec<&str> = (0..self.conjunction.n_local())
            .filter(|&k| self.conjunction.div(k).is_none())
            .map(|k| self.columns.texts[base + k].as_str())
            .collect();
        let and = if plain.is_empty() { "" } else { " and " };
        format!("{plain}{and}exists ({}: {inner})", names.join(", "))
    }

    /// The constraints over the names of the dimensions, without definitions inside the tuples.
    pub(crate) fn condition(mut self) -> String {
        self.defined.fill(None);
        self.constraints()
    }

    fn disjunct(&self) -> String {
        let (tuples, constraints) = (self.tuples(), self.constraints());
        match (tuples.is_empty(), constraints.is_empty()) {
            (false, true) => tuples,
            (false, false) => format!("{tuples} : {constraints}"),
            (true, true) => ":".into(),
            (true, false) => format!(": {constraints}"),
        }
    }
}

pub(crate) fn params(space: &Space) -> String {
    match space.param_names() {
        [] => String::new(),
        names => format!("[{}] -> ", names.join(", ")),
    }
}

pub(super) fn disjuncts(relation: &Relation) -> Vec<String> {
    if relation.parts().is_empty() {
        let nothing = Conjunction::universe(relation.space().clone());
        let tuples = Printer::new(&nothing).tuples();
        return vec![if tuples.is_empty() { ": false".into() } else { format!("{tuples} : false") }];
    }
    relation.parts().iter().map(|p| Printer::new(p).disjunct()).collect()
}

pub(crate) fn object(f: &mut fmt::Formatter<'_>, space: &Space, disjuncts: &[String]) -> fmt::Result {
    write!(f, "{}{{ {} }}", params(space), disjuncts.join("; "))
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        object(f, self.space(), &disjuncts(self.relation()))
    }
}

impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        object(f, self.space(), &disjuncts(self.relation()))
    }
}

impl fmt::Display for Conjunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        object(f, self.space(), &[Printer::new(self).disjunct()])
    }
}

impl fmt::Display for UnionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all: Vec<String> = self.members().flat_map(|m| disjuncts(m.relation())).collect();
        // A set of all parameters has no text of its own: other readers expect a condition between `:` and `;`.
        all.sort_by_key(|text| text == ":");
        object(f, self.params_space(), &all)
    }
}

impl fmt::Display for UnionMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.members().flat_map(|m| disjuncts(m.relation())).collect();
        object(f, self.params_space(), &all)
    }
}

/// The text of the tuple of a set space, and the names of all columns (that of the constant is empty).
pub(crate) fn column_names(space: &Space) -> (String, Vec<String>) {
    (Printer::new(&Conjunction::universe(space.clone())).tuples(), Columns::of_space(space).texts)
}

/// The constraints of every conjunction of a set, over the names of the dimensions of a space with the same columns:
/// without definitions inside the tuple. No constraints are an empty text.
pub(crate) fn conditions(space: &Space, set: &Set) -> Vec<String> {
    let text = |c: &Conjunction| {
        let c = c.clone().with_space(space.clone());
        let mut printer = Printer::new(&c);
        printer.defined.fill(None);
        printer.constraints()
    };
    set.conjunctions().iter().map(text).collect()
}
