//! The grammar of isl's notation: tokens to a syntax tree ([`super::syntax`]).
//!
//! ```text
//! object    = [ "[" param, ... "]" "->" ] "{" [ disjunct ";" ... ] "}"
//! param     = name [ "=" values ]
//! disjunct  = [ tuple [ "->" tuple ] ] [ ":" [ formula ] ]
//! ```
//!
//! Tuples and the values of parameters are in [`super::tuples`], formulas and expressions in [`super::grammar`].
//! Recursion is bounded: every level of parentheses, brackets and negations counts, and [`MAX_DEPTH`] levels are read.
//! Chains (`a + b + ...`, `a and b and ...`) are lists in the tree, so its depth is bounded too, and with it the
//! recursion of everything that walks or drops a tree.

use crate::arith::Int;
use crate::error::ParseError;

use super::lexer::{Tok, Token, error_at, tokens};
use super::syntax::{At, Disjunct, Formula, Object, Param};

/// The deepest nesting of parentheses, brackets and negations that is read.
const MAX_DEPTH: usize = 200;

/// The most digits of a number that is read.
const MAX_DIGITS: usize = 10_000;

pub(super) struct Parser<'a> {
    text: &'a str,
    pub(super) tokens: Vec<Token>,
    pub(super) next: usize,
    depth: usize,
}

pub(super) type Parsed<T> = Result<T, Box<ParseError>>;

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Parsed<Parser<'a>> {
        Ok(Parser { text, tokens: tokens(text)?, next: 0, depth: 0 })
    }

    /// The error that something else was expected at a token.
    pub(super) fn error(&self, at: At, expected: impl Into<String>) -> Box<ParseError> {
        let end = self.text.len();
        let (start, end) = self.tokens.get(at).map_or((end, end), |t| (t.start as usize, t.end as usize));
        error_at(self.text, start, end, expected.into())
    }

    pub(super) fn fail<T>(&self, expected: &str) -> Parsed<T> {
        Err(self.error(self.next, expected))
    }

    pub(super) fn peek(&self) -> Tok {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, offset: usize) -> Tok {
        self.tokens.get(self.next + offset).map_or(Tok::End, |t| t.kind)
    }

    pub(super) fn is(&self, kind: Tok) -> bool {
        self.peek() == kind
    }

    pub(super) fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn accept(&mut self, kind: Tok) -> bool {
        let found = self.is(kind);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: Tok, symbol: &str) -> Parsed<()> {
        if self.accept(kind) { Ok(()) } else { self.fail(symbol) }
    }

    /// Parses something that may contain the same kind of thing again.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Parser<'a>) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.fail("fewer than 200 nested levels");
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// The text of the present token.
    pub(super) fn word(&self) -> &'a str {
        self.tokens.get(self.next).map_or("", |t| &self.text[t.start as usize..t.end as usize])
    }

    /// A name of a variable or parameter; words of the notation are none.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        if !self.is(Tok::Word) {
            return None;
        }
        let word = self.word();
        self.advance();
        Some(word)
    }

    /// The number at the present token.
    pub(super) fn number(&mut self) -> Parsed<Int> {
        let digits = self.word();
        if digits.len() > MAX_DIGITS {
            return self.fail("a number of at most 10000 digits");
        }
        match digits.parse() {
            Ok(number) => {
                self.advance();
                Ok(number)
            }
            Err(_) => self.fail("a number"),
        }
    }

    /// The whole text.
    pub(super) fn object(&mut self) -> Parsed<Object<'a>> {
        let params = self.params()?;
        let disjuncts = self.braces()?;
        self.end()?;
        Ok(Object { params, disjuncts })
    }

    /// The end of the text.
    pub(super) fn end(&self) -> Parsed<()> {
        if self.is(Tok::End) { Ok(()) } else { self.fail("the end of the text") }
    }

    /// `[n, m] ->`, or nothing.
    pub(super) fn params(&mut self) -> Parsed<Vec<Param<'a>>> {
        let mut params: Vec<Param<'a>> = Vec::new();
        if !self.accept(Tok::LBracket) {
            return Ok(params);
        }
        let mut seen = std::collections::BTreeSet::new();
        while !self.is(Tok::RBracket) {
            let at = self.next;
            let Some(name) = self.name() else { return self.fail("the name of a parameter") };
            if !seen.insert(name) {
                return Err(self.error(at, "a parameter that is not yet declared"));
            }
            let values = if self.accept(Tok::Eq) { Some(self.values()?) } else { None };
            params.push(Param { name, values });
            if !self.accept(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::RBracket, "`]`")?;
        self.expect(Tok::Arrow, "`->`")?;
        Ok(params)
    }

    /// `{ disjunct; ... }`.
    pub(super) fn braces(&mut self) -> Parsed<Vec<Disjunct<'a>>> {
        self.open()?;
        let mut disjuncts = Vec::new();
        while let Some(disjunct) = self.next_disjunct()? {
            disjuncts.push(disjunct);
        }
        Ok(disjuncts)
    }

    /// The `{` before disjuncts.
    pub(super) fn open(&mut self) -> Parsed<()> {
        self.expect(Tok::LBrace, "`{`")?;
        if self.is(Tok::Word) && self.word().eq_ignore_ascii_case("rat") && self.peek_at(1) == Tok::Colon {
            return self.fail("an integer object: rational sets and relations (`rat:`) are not supported");
        }
        Ok(())
    }

    /// The next disjunct with the `;` behind it, or the `}` behind the last one.
    pub(super) fn next_disjunct(&mut self) -> Parsed<Option<Disjunct<'a>>> {
        if self.accept(Tok::RBrace) {
            return Ok(None);
        }
        let disjunct = self.disjunct()?;
        if !self.accept(Tok::Semicolon) && !self.is(Tok::RBrace) {
            return self.fail("`}`");
        }
        Ok(Some(disjunct))
    }

    fn disjunct(&mut self) -> Parsed<Disjunct<'a>> {
        let at = self.next;
        let mut tuples = Vec::new();
        if !self.is(Tok::Colon) {
            tuples.push(self.tuple()?);
            if self.accept(Tok::Arrow) {
                tuples.push(self.tuple()?);
            }
        }
        let mut formula = Formula::True;
        if self.accept(Tok::Colon) && !self.is(Tok::Semicolon) && !self.is(Tok::RBrace) {
            formula = self.formula()?;
        }
        Ok(Disjunct { at, tuples, formula })
    }
}
