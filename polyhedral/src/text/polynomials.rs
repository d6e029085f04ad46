//! Reading quasi-polynomials: `[n] -> { S[i] -> (1/2 * n * i + floor((i)/2)^2) : 0 <= i < n; 3 : n > 0 }`.
//!
//! The tuple and the condition of a piece are read as the set that they are, with everything else blanked out; the
//! polynomial between them has a grammar of its own:
//!
//! ```text
//! sum    = [ "-" ] term { ("+" | "-") term }
//! term   = factor { [ "*" ] factor | "/" number }
//! factor = ( number | name | "(" sum ")" | "floor" "(" sum ")" | "[" sum "]" ) [ "^" number ]
//! ```

use std::str::FromStr;

use crate::arith::{Int, Rational};
use crate::budget::Budget;
use crate::count::{Polynomial, PwQPolynomial, QPolynomial, UnionPwQPolynomial, Var};
use crate::error::{Error, Result};
use crate::relation::{Set, UnionSet};
use crate::space::{DimKind, Space};

use super::lexer::{Tok, Token, error_at, tokens};
use super::read::PARSE_BUDGET;

/// The deepest nesting of parentheses.
const MAX_DEPTH: usize = 100;

/// The greatest exponent.
const MAX_EXPONENT: u32 = 1000;

/// A piece: where its tuple, its polynomial and its condition are, as ranges of tokens.
struct Piece {
    tuple: std::ops::Range<usize>,
    value: std::ops::Range<usize>,
    condition: std::ops::Range<usize>,
}

/// The tokens of a text, and the pieces between its braces.
struct Outline<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// The tokens before the opening brace.
    head: usize,
    pieces: Vec<Piece>,
}

impl<'a> Outline<'a> {
    fn of(text: &'a str) -> Result<Outline<'a>> {
        let tokens = tokens(text).map_err(|e| *e)?;
        let head = tokens.iter().position(|t| t.kind == Tok::LBrace).unwrap_or(tokens.len() - 1);
        let mut outline = Outline { text, tokens, head, pieces: Vec::new() };
        if outline.kind(head) != Tok::LBrace {
            return outline.error(head, "`{`");
        }
        let mut at = head + 1;
        while outline.kind(at) != Tok::RBrace {
            let piece = outline.piece(at)?;
            at = piece.condition.end;
            outline.pieces.push(piece);
            match outline.kind(at) {
                Tok::Semicolon => at += 1,
                Tok::RBrace => {}
                _ => return outline.error(at, "`;` or `}`"),
            }
        }
        if outline.kind(at + 1) != Tok::End {
            return outline.error(at + 1, "the end of the text");
        }
        Ok(outline)
    }

    fn kind(&self, at: usize) -> Tok {
        self.tokens.get(at).map_or(Tok::End, |t| t.kind)
    }

    fn error<T>(&self, at: usize, expected: &str) -> Result<T> {
        let end = self.text.len() as u32;
        let token = self.tokens.get(at).copied().unwrap_or(Token { kind: Tok::End, start: end, end });
        Err(Error::Parse(*error_at(self.text, token.start as usize, token.end as usize, expected.into())))
    }

    /// The token behind the bracket that closes the one at `at`.
    fn closed(&self, at: usize) -> Result<usize> {
        let mut depth = 0usize;
        for k in at..self.tokens.len() {
            match self.kind(k) {
                Tok::LBracket | Tok::LParen => depth += 1,
                Tok::RBracket | Tok::RParen => depth = depth.saturating_sub(1),
                Tok::End => break,
                _ => {}
            }
            if depth == 0 {
                return Ok(k + 1);
            }
        }
        self.error(at, "a bracket that is closed")
    }

    /// Whether a name stands there: of a tuple, if a bracket follows. Words of the notation can be one.
    fn is_name(&self, at: usize) -> bool {
        self.kind(at) == Tok::Word || self.kind(at).is_keyword()
    }

    fn piece(&self, start: usize) -> Result<Piece> {
        let bracket = start + usize::from(self.is_name(start));
        let mut value = start;
        let mut tuple = start..start;
        if self.kind(bracket) == Tok::LBracket {
            let end = self.closed(bracket)?;
            if self.kind(end) == Tok::Arrow {
                (tuple, value) = (start..end, end + 1);
            }
        }
        let mut end = value;
        while !matches!(self.kind(end), Tok::Colon | Tok::Semicolon | Tok::RBrace | Tok::End) {
            end += 1;
        }
        let mut stop = end;
        while !matches!(self.kind(stop), Tok::Semicolon | Tok::RBrace | Tok::End) {
            stop += 1;
        }
        Ok(Piece { tuple, value: value..end, condition: end..stop })
    }

    /// The set on which a piece is given.
    fn set(&self, piece: &Piece, budget: &Budget) -> Result<Set> {
        budget.spend(self.text.len() as u64)?;
        let kept = |k: usize| k <= self.head || piece.tuple.contains(&k) || piece.condition.contains(&k);
        let last = self.tokens.iter().rposition(|t| t.kind == Tok::RBrace).unwrap_or_default();
        let mut text = String::with_capacity(self.text.len() + 1);
        let mut at = 0;
        let blank = |text: &mut String, gap: &str| text.extend(gap.chars().map(|c| if c == '\n' { c } else { ' ' }));
        for (k, token) in self.tokens.iter().enumerate() {
            let (start, end) = (token.start as usize, token.end as usize);
            blank(&mut text, self.text.get(at..start).unwrap_or_default());
            let word = self.text.get(start..end).unwrap_or_default();
            if kept(k) || k == last {
                text.push_str(word)
            } else {
                blank(&mut text, word)
            }
            // A piece without tuple and condition holds for all parameters.
            if k == self.head && piece.tuple.is_empty() && piece.condition.is_empty() {
                text.push(':');
            }
            at = end;
        }
        Set::parse(&text, budget).map_err(|error| match error {
            // The same place in the text as it is.
            Error::Parse(e) => {
                let line = self.text.split('\n').take(e.line - 1).map(|l| l.len() + 1).sum::<usize>();
                let rest = self.text.get(line..).unwrap_or_default();
                let start = line + rest.char_indices().nth(e.column - 1).map_or(rest.len(), |(k, _)| k);
                let end = start + e.found.len();
                let end = if self.text.is_char_boundary(end) && end <= self.text.len() { end } else { start };
                Error::Parse(*error_at(self.text, start.min(self.text.len()), end.min(self.text.len()), e.expected))
            }
            other => other,
        })
    }
}

struct Reader<'a, 'b> {
    outline: &'b Outline<'a>,
    space: &'b Space,
    at: usize,
    end: usize,
    depth: usize,
    budget: &'b Budget,
}

impl Reader<'_, '_> {
    fn kind(&self) -> Tok {
        if self.at < self.end { self.outline.kind(self.at) } else { Tok::End }
    }

    fn word(&self) -> &str {
        let token = self.outline.tokens[self.at];
        &self.outline.text[token.start as usize..token.end as usize]
    }

    fn fail<T>(&self, expected: &str) -> Result<T> {
        self.outline.error(self.at, expected)
    }

    fn expect(&mut self, kind: Tok, expected: &str) -> Result<()> {
        if self.kind() != kind {
            return self.fail(expected);
        }
        self.at += 1;
        Ok(())
    }

    fn number(&mut self) -> Result<Int> {
        if self.kind() != Tok::Number {
            return self.fail("a number");
        }
        match self.word().parse() {
            Ok(number) => {
                self.at += 1;
                Ok(number)
            }
            Err(_) => self.fail("an integer"),
        }
    }

    fn sum(&mut self) -> Result<Polynomial> {
        if self.depth >= MAX_DEPTH {
            return self.fail("fewer than 100 nested parentheses");
        }
        self.depth += 1;
        let mut result = Polynomial::default();
        let mut sign = Rational::from(1);
        if self.kind() == Tok::Minus {
            self.at += 1;
            sign = Rational::from(-1);
        }
        loop {
            let term = self.term()?;
            self.budget.spend(1 + term.n_terms() as u64)?;
            result.add_scaled(&term, &sign);
            sign = match self.kind() {
                Tok::Plus => Rational::from(1),
                Tok::Minus => Rational::from(-1),
                _ => break,
            };
            self.at += 1;
        }
        self.depth -= 1;
        Ok(result)
    }

    fn term(&mut self) -> Result<Polynomial> {
        let mut result = self.factor()?;
        loop {
            match self.kind() {
                Tok::Star => {
                    self.at += 1;
                    result = result.mul(&self.factor()?, self.budget)?;
                }
                Tok::Slash => {
                    self.at += 1;
                    let start = self.at;
                    let divisor = self.number()?;
                    if divisor.is_zero() {
                        return self.outline.error(start, "a divisor other than zero");
                    }
                    let mut scaled = Polynomial::default();
                    scaled.add_scaled(&result, &Rational::new(Int::one(), divisor));
                    result = scaled;
                }
                Tok::Word | Tok::Number | Tok::LParen | Tok::LBracket | Tok::Floor => {
                    result = result.mul(&self.factor()?, self.budget)?;
                }
                _ => return Ok(result),
            }
        }
    }

    fn factor(&mut self) -> Result<Polynomial> {
        let base = match self.kind() {
            Tok::Number => Polynomial::constant(Rational::from(self.number()?)),
            Tok::Word => {
                let Some(column) = self.column() else { return self.fail("a dimension or a declared parameter") };
                self.at += 1;
                Polynomial::variable(Var::Column(column))
            }
            Tok::LParen => {
                self.at += 1;
                let inner = self.sum()?;
                self.expect(Tok::RParen, "an operator or `)`")?;
                inner
            }
            Tok::Floor => {
                self.at += 1;
                self.expect(Tok::LParen, "`(`")?;
                let inner = self.rounded_down()?;
                self.expect(Tok::RParen, "an operator or `)`")?;
                inner
            }
            Tok::LBracket => {
                self.at += 1;
                let inner = self.rounded_down()?;
                self.expect(Tok::RBracket, "an operator or `]`")?;
                inner
            }
            _ => return self.fail("a number, a name, `floor` or `(`"),
        };
        if self.kind() != Tok::Power {
            return Ok(base);
        }
        self.at += 1;
        let start = self.at;
        let exponent = self.number()?.to_i64().and_then(|e| u32::try_from(e).ok()).filter(|e| *e <= MAX_EXPONENT);
        let Some(exponent) = exponent else { return self.outline.error(start, "an exponent of at most 1000") };
        let mut result = Polynomial::integer(1);
        for _ in 0..exponent {
            result = result.mul(&base, self.budget)?;
        }
        Ok(result)
    }

    fn rounded_down(&mut self) -> Result<Polynomial> {
        let start = self.at;
        let inner = self.sum()?;
        match inner.as_affine(self.space.n_col()) {
            Some((numerator, denominator)) => Ok(Polynomial::floor(&numerator, &denominator)),
            None => self.outline.error(start, "an affine expression without divisions, divided by a number"),
        }
    }

    fn column(&self) -> Option<usize> {
        let word = self.word();
        for kind in [DimKind::Out, DimKind::Param] {
            let named = |pos: &usize| self.space.dim_name(kind, *pos).is_some_and(|name| **name == *word);
            if let Some(pos) = (0..self.space.dim(kind)).find(named) {
                return Some(self.space.offset(kind) + pos);
            }
        }
        None
    }
}

/// Whether a text between braces begins like a quasi-polynomial, and not like a set or map.
pub(crate) fn looks_like_polynomial(text: &str) -> bool {
    let Ok(outline) = Outline::of(text) else { return false };
    let Some(piece) = outline.pieces.first() else { return false };
    let start = piece.value.start;
    let tuple = match outline.kind(start) {
        Tok::LBracket => true,
        _ if outline.is_name(start) => {
            outline.kind(start + 1) == Tok::LBracket
                || (piece.tuple.is_empty() && outline.kind(start + 1) == Tok::Colon && {
                    let token = outline.tokens[start];
                    &text[token.start as usize..token.end as usize] == "rat"
                })
        }
        _ => piece.value.is_empty(),
    };
    !tuple
}

impl UnionPwQPolynomial {
    /// Reads a piecewise quasi-polynomial in isl's notation. Where pieces overlap, their values are added.
    pub fn parse(text: &str, budget: &Budget) -> Result<UnionPwQPolynomial> {
        let outline = Outline::of(text)?;
        let mut result: Option<UnionPwQPolynomial> = None;
        for piece in &outline.pieces {
            let set = outline.set(piece, budget)?;
            let (at, end) = (piece.value.start, piece.value.end);
            let mut reader = Reader { outline: &outline, space: set.space(), at, end, depth: 0, budget };
            let value = reader.sum()?;
            if reader.at != end {
                return reader.fail("an operator, `:`, `;` or `}`");
            }
            let function = PwQPolynomial::on(&set, &QPolynomial::from_parts(set.space().clone(), value))?;
            let sum = result.unwrap_or_else(|| UnionPwQPolynomial::empty(set.space()));
            result = Some(sum.add(&function, budget)?);
        }
        match result {
            Some(result) => Ok(result),
            None => Ok(UnionPwQPolynomial::empty(UnionSet::parse(text, budget)?.params_space())),
        }
    }
}

/// Through `parse` with a budget of [`PARSE_BUDGET`] units.
impl FromStr for UnionPwQPolynomial {
    type Err = Error;

    fn from_str(text: &str) -> Result<UnionPwQPolynomial> {
        UnionPwQPolynomial::parse(text, &Budget::new(PARSE_BUDGET))
    }
}
