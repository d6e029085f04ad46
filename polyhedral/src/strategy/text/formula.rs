//! Formulas: numbers of a strategy that depend on the machine, and the conditions of `when`.
//!
//! ```text
//! formula    = both { "or" both }
//! both       = negated { "and" negated }
//! negated    = "not" negated | comparison
//! comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
//! sum        = product { ( "+" | "-" ) product }
//! product    = factor { ( "*" | "/" ) factor }
//! factor     = INTEGER | FACT | "-" factor | "(" formula ")" | ( "min" | "max" ) "(" formula { "," formula } ")"
//! ```
//!
//! A formula is a number or a condition, which is known when it has been read. `or` between numbers is a default: `l3 / 4 or 262144` is a
//! quarter of the third cache, or 262144 where there is none. Between conditions it means what it says. `/` rounds down.
//!
//! Example: on a machine with 32 KiB in the first cache, `l1 / (8 * 64)` is 64.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::target::Target;
use crate::text::error_at;
use crate::transform::Reader;

/// A name, and what it stands for; nothing where a machine has no such thing.
type Fact = (&'static str, fn(&Target) -> Option<u64>);

/// What a formula may ask a machine for.
const FACTS: [Fact; 12] = [
    // Bytes.
    ("l1", |target| cache(target, 0)),
    ("l2", |target| cache(target, 1)),
    ("l3", |target| cache(target, 2)),
    ("line", |target| target.caches.first().map(|cache| cache.line)),
    ("page", |target| target.pages.first().map(|pages| pages.page)),
    ("vector", |target| Some(u64::from(target.vectors.bits / 8))),
    // Numbers.
    ("registers", |target| Some(u64::from(target.vectors.registers))),
    ("scalars", |target| Some(u64::from(target.scalar_registers))),
    ("misses", |target| Some(target.misses as u64)),
    ("threads", |target| Some(u64::from(target.threads))),
    // 1 or 0.
    ("masks", |target| Some(u64::from(target.vectors.masks))),
    ("fma", |target| Some(u64::from(target.vectors.fma))),
];

fn cache(target: &Target, level: usize) -> Option<u64> {
    target.caches.get(level).map(|cache| cache.bytes)
}

/// A symbol, and when it holds.
type Comparison = (&'static str, fn(&i64, &i64) -> bool);

/// Longer symbols before those that they begin with.
const COMPARISONS: [Comparison; 6] =
    [("<=", i64::le), (">=", i64::ge), ("==", i64::eq), ("!=", i64::ne), ("<", i64::lt), (">", i64::gt)];

/// The most operations in a formula, so that whatever goes through one needs little of the stack.
const MOST: usize = 64;

/// A formula, and where it stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Formula {
    kind: Kind,
    place: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Number(i64),
    /// One of [`FACTS`], by its position.
    Fact(usize),
    Negative(Box<Formula>),
    /// `+`, `-`, `*` or `/`.
    Arithmetic(char, Box<[Formula; 2]>),
    Least(Vec<Formula>),
    Greatest(Vec<Formula>),
    /// A number, and another one for machines where the first is not known.
    Default(Box<[Formula; 2]>),
    /// One of [`COMPARISONS`], by its position.
    Comparison(usize, Box<[Formula; 2]>),
    Not(Box<Formula>),
    And(Box<[Formula; 2]>),
    Or(Box<[Formula; 2]>),
}

/// Why a formula has no value on a machine.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// Where in the text.
    pub(super) place: Range<usize>,
    /// What would have been right there.
    pub(super) expected: String,
    /// Whether a default would do.
    pub(super) is_unknown: bool,
}

impl Problem {
    /// The problem as an error in the text.
    pub(super) fn in_text(self, text: &str) -> Error {
        Error::Parse(*error_at(text, self.place.start, self.place.end, self.expected))
    }
}

/// The names of all facts.
pub(super) fn facts() -> String {
    FACTS.map(|(name, _)| name).join(", ")
}

/// Whether a word is the name of a fact.
pub(super) fn is_fact(word: &str) -> bool {
    FACTS.iter().any(|(name, _)| *name == word)
}

impl Formula {
    pub(super) fn is_condition(&self) -> bool {
        matches!(self.kind, Kind::Comparison(..) | Kind::Not(_) | Kind::And(_) | Kind::Or(_))
    }

    /// Whether the value may be another one on another machine.
    pub(super) fn asks(&self) -> bool {
        match &self.kind {
            Kind::Number(_) => false,
            Kind::Fact(_) => true,
            Kind::Negative(inner) | Kind::Not(inner) => inner.asks(),
            Kind::Arithmetic(_, both) | Kind::Comparison(_, both) => both.iter().any(Formula::asks),
            Kind::Default(both) | Kind::And(both) | Kind::Or(both) => both.iter().any(Formula::asks),
            Kind::Least(all) | Kind::Greatest(all) => all.iter().any(Formula::asks),
        }
    }

    /// The value on a machine, 1 or 0 for a condition. Without a machine no fact is known. `and` and `or` look at their right side only if the
    /// left one does not decide, so that `vector > 0 and l1 / vector > 64` asks nothing of machines without vectors.
    pub(super) fn value(&self, target: Option<&Target>) -> std::result::Result<i64, Problem> {
        let fail = |expected: &str| {
            Err(Problem { place: self.place.clone(), expected: expected.to_owned(), is_unknown: false })
        };
        let too_large = || fail("a formula whose values are numbers of at most 64 bits");
        let of = |all: &[Formula]| -> std::result::Result<Vec<i64>, Problem> {
            all.iter().map(|formula| formula.value(target)).collect()
        };
        match &self.kind {
            Kind::Number(number) => Ok(*number),
            Kind::Fact(fact) => {
                let (name, of) = FACTS[*fact];
                match target.and_then(of) {
                    Some(value) => i64::try_from(value).or_else(|_| too_large()),
                    None => Err(Problem {
                        place: self.place.clone(),
                        expected: format!("a fact that is known on this machine, or a default: {name} or NUMBER"),
                        is_unknown: true,
                    }),
                }
            }
            Kind::Negative(inner) => inner.value(target)?.checked_neg().map_or_else(too_large, Ok),
            Kind::Arithmetic(symbol, both) => {
                let [left, right] = [both[0].value(target)?, both[1].value(target)?];
                let value = match symbol {
                    '+' => left.checked_add(right),
                    '-' => left.checked_sub(right),
                    '*' => left.checked_mul(right),
                    _ if right == 0 => return fail("a divisor other than 0, such as max(1, ...)"),
                    _ => left.checked_div(right).map(|value| {
                        let is_rounded_up = left % right != 0 && (left < 0) != (right < 0);
                        value - i64::from(is_rounded_up)
                    }),
                };
                value.map_or_else(too_large, Ok)
            }
            Kind::Least(all) => of(all).map(|values| values.into_iter().min().unwrap_or(0)),
            Kind::Greatest(all) => of(all).map(|values| values.into_iter().max().unwrap_or(0)),
            Kind::Default(both) => match both[0].value(target) {
                Err(problem) if problem.is_unknown => both[1].value(target),
                known => known,
            },
            Kind::Comparison(symbol, both) => {
                let (_, holds) = COMPARISONS[*symbol];
                Ok(i64::from(holds(&both[0].value(target)?, &both[1].value(target)?)))
            }
            Kind::Not(inner) => Ok(1 - inner.value(target)?),
            Kind::And(both) => {
                if both[0].value(target)? == 0 {
                    Ok(0)
                } else {
                    both[1].value(target)
                }
            }
            Kind::Or(both) => {
                if both[0].value(target)? == 1 {
                    Ok(1)
                } else {
                    both[1].value(target)
                }
            }
        }
    }

    fn of_two(kind: impl Fn(Box<[Formula; 2]>) -> Kind, left: Formula, right: Formula) -> Formula {
        let place = left.place.start..right.place.end;
        Formula { kind: kind(Box::new([left, right])), place }
    }
}

/// Reads a number.
pub(super) fn number(reader: &mut Reader<'_>) -> Result<Formula> {
    let mut formulas = Formulas { reader, size: 0 };
    let formula = formulas.formula()?;
    let formula = formulas.as_number(formula)?;
    reader.at = formula.place.end;
    Ok(formula)
}

/// Reads a condition.
pub(super) fn condition(reader: &mut Reader<'_>) -> Result<Formula> {
    let mut formulas = Formulas { reader, size: 0 };
    let formula = formulas.formula()?;
    formulas.as_condition(formula)
}

/// Goes past a word if it is the next one.
pub(super) fn take_word(reader: &mut Reader<'_>, word: &str) -> bool {
    reader.skip();
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
    let found = reader.rest().strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_in_word));
    if found {
        reader.at += word.len();
    }
    found
}

/// Reads one formula.
struct Formulas<'r, 't> {
    reader: &'r mut Reader<'t>,
    /// The number of operations that have been read.
    size: usize,
}

impl Formulas<'_, '_> {
    fn at<T>(&mut self, formula: &Formula, expected: &str) -> Result<T> {
        self.reader.at = formula.place.end;
        self.reader.fail_from(formula.place.start, expected)
    }

    fn as_number(&mut self, formula: Formula) -> Result<Formula> {
        if formula.is_condition() { self.at(&formula, "a number, not a condition") } else { Ok(formula) }
    }

    fn as_condition(&mut self, formula: Formula) -> Result<Formula> {
        match formula.is_condition() {
            true => Ok(formula),
            false => self.at(&formula, "a condition such as registers >= 32"),
        }
    }

    fn grow(&mut self) -> Result<()> {
        self.size += 1;
        if self.size > MOST { self.reader.fail(&format!("a formula of at most {MOST} operations")) } else { Ok(()) }
    }

    fn formula(&mut self) -> Result<Formula> {
        let mut left = self.both()?;
        while take_word(self.reader, "or") {
            self.grow()?;
            let right = self.both()?;
            left = match (left.is_condition(), right.is_condition()) {
                (true, true) => Formula::of_two(Kind::Or, left, right),
                (false, false) => Formula::of_two(Kind::Default, left, right),
                _ => {
                    let mixed = Formula::of_two(Kind::Default, left, right);
                    return self.at(&mixed, "`or` between two conditions, or between two numbers in parentheses");
                }
            };
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Formula> {
        let mut left = self.negated()?;
        while take_word(self.reader, "and") {
            self.grow()?;
            let right = self.negated()?;
            left = Formula::of_two(Kind::And, self.as_condition(left)?, self.as_condition(right)?);
        }
        Ok(left)
    }

    fn negated(&mut self) -> Result<Formula> {
        self.reader.skip();
        let start = self.reader.at;
        if !take_word(self.reader, "not") {
            return self.comparison();
        }
        self.grow()?;
        let inner = self.negated()?;
        let inner = self.as_condition(inner)?;
        let place = start..inner.place.end;
        Ok(Formula { kind: Kind::Not(Box::new(inner)), place })
    }

    fn comparison(&mut self) -> Result<Formula> {
        let left = self.sum()?;
        self.reader.skip();
        let rest = self.reader.rest();
        let Some(symbol) = COMPARISONS.iter().position(|(symbol, _)| rest.starts_with(symbol)) else {
            return if rest.starts_with('=') { self.reader.fail("`==`, which compares") } else { Ok(left) };
        };
        self.reader.at += COMPARISONS[symbol].0.len();
        self.grow()?;
        let right = self.sum()?;
        let (left, right) = (self.as_number(left)?, self.as_number(right)?);
        Ok(Formula::of_two(|both| Kind::Comparison(symbol, both), left, right))
    }

    fn sum(&mut self) -> Result<Formula> {
        self.arithmetic(['+', '-'], Formulas::product)
    }

    fn product(&mut self) -> Result<Formula> {
        self.arithmetic(['*', '/'], Formulas::factor)
    }

    /// Operands with one of two symbols between them, from the left to the right.
    fn arithmetic(&mut self, symbols: [char; 2], operand: fn(&mut Self) -> Result<Formula>) -> Result<Formula> {
        let mut left = operand(self)?;
        while let Some(symbol) = symbols.into_iter().find(|symbol| self.reader.take(*symbol)) {
            self.grow()?;
            let right = operand(self)?;
            let (first, second) = (self.as_number(left)?, self.as_number(right)?);
            left = Formula::of_two(|both| Kind::Arithmetic(symbol, both), first, second);
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Formula> {
        self.reader.skip();
        let start = self.reader.at;
        let kind = self.kind(start)?;
        Ok(Formula { kind, place: start..self.reader.at })
    }

    fn kind(&mut self, start: usize) -> Result<Kind> {
        if self.reader.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(Kind::Number(self.reader.integer()?));
        }
        if self.reader.take('-') {
            self.grow()?;
            let inner = self.factor()?;
            return Ok(Kind::Negative(Box::new(self.as_number(inner)?)));
        }
        if self.reader.take('(') {
            self.grow()?;
            let inner = self.formula()?;
            self.reader.expect(')')?;
            return Ok(inner.kind);
        }
        let word = self.reader.word(|c| c.is_alphanumeric() || c == '_');
        if let Some(fact) = FACTS.iter().position(|(name, _)| *name == word) {
            return Ok(Kind::Fact(fact));
        }
        let of: fn(Vec<Formula>) -> Kind = match word.as_str() {
            "min" => Kind::Least,
            "max" => Kind::Greatest,
            _ => {
                let expected = format!("a number, min(...), max(...) or a fact: {}", facts());
                return if word.is_empty() {
                    self.reader.fail(&expected)
                } else {
                    self.reader.fail_from(start, expected)
                };
            }
        };
        self.reader.expect('(')?;
        let mut all = Vec::new();
        loop {
            self.grow()?;
            let formula = self.formula()?;
            all.push(self.as_number(formula)?);
            if !self.reader.take(',') {
                self.reader.expect(')')?;
                return Ok(of(all));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, of: fn(&mut Reader<'_>) -> Result<Formula>) -> Result<Formula> {
        let mut reader = Reader::new(text);
        let formula = of(&mut reader)?;
        assert_eq!(reader.start_of_next(), None, "{text}");
        Ok(formula)
    }

    fn value(text: &str, target: Option<&str>) -> std::result::Result<i64, String> {
        let target = target.map(|name| Target::builtin(name).unwrap().unwrap());
        let formula = read(text, number).map_err(|error| error.to_string())?;
        formula.value(target.as_ref()).map_err(|problem| problem.in_text(text).to_string())
    }

    #[test]
    fn numbers_are_computed_from_left_to_right_and_rounded_down() {
        for (text, expected) in [
            ("1 + 2 * 3 - 4", 3),
            ("(1 + 2) * 3", 9),
            ("20 / 3 / 2", 3),
            ("-7 / 2", -4),
            ("7 / -2", -4),
            ("-8 / 2", -4),
            ("10 - 3 - 2", 5),
            ("min(3, 2 + 4, 9) * max(1)", 3),
            ("max(1, min(8, 5)) # a comment", 5),
            ("2-1", 1),
            ("l3 or 5", 5),
            ("l3 / 4 or l2 or 7", 7),
            ("min(l1 or 3, 2)", 2),
        ] {
            assert_eq!(value(text, None), Ok(expected), "{text}");
        }
    }

    #[test]
    fn facts_are_those_of_the_machine() {
        for (text, [avx2, avx512, neon]) in [
            ("l1", [32768, 32768, 65536]),
            ("l2 / 1024", [512, 1024, 512]),
            ("l3 or 1", [16777216; 3]),
            ("line + page", [4160; 3]),
            ("vector", [32, 64, 16]),
            ("registers", [16, 32, 32]),
            ("scalars", [16, 16, 31]),
            ("misses * threads", [12, 16, 12]),
            ("masks * 10 + fma", [1, 11, 1]),
            ("min(l1 / 512, l2 / 8192)", [64, 64, 64]),
        ] {
            let found = ["avx2", "avx512", "neon"].map(|target| value(text, Some(target)).unwrap());
            assert_eq!(found, [avx2, avx512, neon], "{text}");
        }
    }

    #[test]
    fn conditions_are_decided_from_the_left() {
        let target = Target::builtin("avx2").unwrap().unwrap();
        for (text, expected) in [
            ("l1 < 32769", true),
            ("l1 <= 32767", false),
            ("l1 == 32 * 1024 and not registers != 16", true),
            ("1 > 2 or 2 >= 2 and 3 < 2", false),
            ("(1 > 2 or 2 >= 2) and 3 > 2", true),
            ("(l3 or 0) > 0", true),
            ("vector > 0 or 1 / 0 > 2", true),
            ("vector == 0 and 1 / 0 > 2", false),
        ] {
            let condition = read(text, condition).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(condition.value(Some(&target)).unwrap(), i64::from(expected), "{text}");
        }
    }

    #[test]
    fn what_has_no_value_has_a_place() {
        for (text, expected) in [
            (
                "1 +\n l3 * 2",
                "line 2, column 2: expected a fact that is known on this machine, or a default: l3 or NUMBER",
            ),
            ("2 * (3 / (1 - 1))", "line 1, column 5: expected a divisor other than 0"),
            ("(1 / 0) or 3", "expected a divisor other than 0"),
            ("9223372036854775807 + 1", "expected a formula whose values are numbers of at most 64 bits"),
            ("(0 - 9223372036854775807 - 1) / -1", "expected a formula whose values are numbers of at most 64 bits"),
            ("99999999999999999999", "line 1, column 1: expected a number"),
            ("l4 + 1", "line 1, column 1: expected a number, min(...), max(...) or a fact: l1, l2, l3, line"),
            ("1 + ", "found the end of the text"),
            ("1 < 2", "expected a number, not a condition, found `1 < 2`"),
            ("1 + (1 < 2)", "expected a number, not a condition, found `(1 < 2)`"),
            ("l3 or 1 < 2", "expected `or` between two conditions, or between two numbers in parentheses"),
            ("1 and 2", "expected a condition such as registers >= 32, found `1`"),
            ("1 = 2", "expected `==`, which compares, found `=`"),
            ("min()", "line 1, column 5: expected a number, min(...)"),
            ("min(1", "expected `)`, found the end of the text"),
        ] {
            let found = value(text, None).unwrap_err();
            assert!(found.contains(expected), "{text}: {found}");
        }
        for text in ["(".repeat(100_000), "1+".repeat(100_000), "- ".repeat(100_000), "not ".repeat(100_000)] {
            assert!(value(&text, None).unwrap_err().contains("a formula of at most 64 operations"));
        }
        let found = read("3", condition).unwrap_err().to_string();
        assert!(found.contains("line 1, column 1: expected a condition"), "{found}");
    }
}
