//! The grammar of tuples and of the values that their entries say: tokens to a syntax tree.
//!
//! ```text
//! tuple     = [ name ] "[" ( tuple "->" tuple | entry, ... ) "]"
//! entry     = "*" | name | [ name "=" ] values
//! values    = expr [ ":" [ expr ] ] | expr ":" formula { ";" expr ":" formula } | "(" expr ":" [ expr ] ")"
//! ```

use super::grammar::{Any, Lists};
use super::lexer::Tok;
use super::parser::{Parsed, Parser};
use super::syntax::{Entry, Expr, Formula, TupleBody, TupleText, Values};

impl<'a> Parser<'a> {
    /// `Name[...]`; the name may be a word of the notation.
    pub(super) fn tuple(&mut self) -> Parsed<TupleText<'a>> {
        self.nested(|p| {
            let mut name = "";
            if p.is(Tok::Word) || p.peek().is_keyword() {
                name = p.word();
                p.advance();
            }
            if !p.accept(Tok::LBracket) {
                return p.fail(if name.is_empty() { "a tuple `[...]`" } else { "`[`" });
            }
            let body = if p.starts_tuple() {
                let first = p.tuple()?;
                p.expect(Tok::Arrow, "`->`")?;
                TupleBody::Nested(Box::new((first, p.tuple()?)))
            } else {
                let mut entries = Vec::new();
                while !p.is(Tok::RBracket) {
                    entries.push(p.entry()?);
                    if !p.accept(Tok::Comma) {
                        break;
                    }
                }
                TupleBody::Flat(entries)
            };
            p.expect(Tok::RBracket, "`]`")?;
            Ok(TupleText { name, body })
        })
    }

    /// Whether `[A[..] -> B[..]]` follows the bracket: a tuple and not an entry such as `[i/2]`.
    fn starts_tuple(&self) -> bool {
        if (self.is(Tok::Word) || self.peek().is_keyword()) && self.peek_at(1) == Tok::LBracket {
            return true;
        }
        if !self.is(Tok::LBracket) {
            return false;
        }
        // `[[...] ->` against `[[i/2], ...]`: what follows the inner bracket decides.
        let mut depth = 0usize;
        for (k, token) in self.tokens.iter().enumerate().skip(self.next) {
            match token.kind {
                Tok::LBracket => depth += 1,
                Tok::RBracket => {
                    depth -= 1;
                    if depth == 0 {
                        return self.tokens.get(k + 1).is_some_and(|t| t.kind == Tok::Arrow);
                    }
                }
                Tok::LBrace | Tok::RBrace | Tok::End => return false,
                _ => {}
            }
        }
        false
    }

    fn entry(&mut self) -> Parsed<Entry<'a>> {
        if self.is(Tok::Star) {
            self.advance();
            return Ok(Entry::Any);
        }
        let at = self.next;
        if self.is(Tok::Word) {
            match self.peek_at(1) {
                Tok::Comma | Tok::RBracket => {
                    let name = self.word();
                    self.advance();
                    return Ok(Entry::Named(name, at, None));
                }
                Tok::Eq => {
                    let name = self.word();
                    self.advance();
                    self.advance();
                    return Ok(Entry::Named(name, at, Some(self.values()?)));
                }
                _ => {}
            }
        }
        Ok(Entry::Values(self.values()?))
    }

    /// What stands behind `name =`, or alone in a tuple.
    pub(super) fn values(&mut self) -> Parsed<Values<'a>> {
        let start = self.next;
        if let Some(range) = self.parenthesized_range() {
            return Ok(range);
        }
        self.next = start;
        let first = self.expr()?;
        if !self.accept(Tok::Colon) {
            return Ok(Values::One(first));
        }
        match self.last_or_condition()? {
            Ok(condition) => Ok(Values::One(Expr::Pieces(self.pieces(first, condition)?))),
            Err(last) => Ok(Values::From(first, last)),
        }
    }

    /// `( e : f )` or `( e : )` as a whole entry.
    fn parenthesized_range(&mut self) -> Option<Values<'a>> {
        if !self.accept(Tok::LParen) {
            return None;
        }
        let first = self.expr().ok()?;
        if !self.accept(Tok::Colon) {
            return None;
        }
        let last = self.last_or_condition().ok()?.err()?;
        let ends = self.accept(Tok::RParen) && matches!(self.peek(), Tok::Comma | Tok::RBracket);
        ends.then_some(Values::From(first, last))
    }

    /// What follows `e :` in a tuple: a condition, or (`Err`) the last value of a range, possibly left out. As for isl,
    /// a list behind an operator belongs to the condition: `[e : a > 0, 2]` has one entry, and is given where `a > 0`
    /// and `a > 2`.
    fn last_or_condition(&mut self) -> Parsed<Result<Formula<'a>, Option<Expr<'a>>>> {
        if matches!(self.peek(), Tok::Comma | Tok::RBracket | Tok::RParen) {
            return Ok(Err(None));
        }
        let at = self.next;
        Ok(match self.any(Lists::Later)? {
            Any::Formula(condition) => Ok(condition),
            last => Err(Some(self.to_expr(last, at)?)),
        })
    }

    /// The values with conditions of which the first has been read.
    pub(super) fn pieces(&mut self, first: Expr<'a>, condition: Formula<'a>) -> Parsed<Vec<(Expr<'a>, Formula<'a>)>> {
        let mut pieces = Vec::new();
        let (mut value, mut condition) = (first, condition);
        loop {
            match value {
                // A value that has conditions itself holds where both do.
                Expr::Pieces(inner) => {
                    pieces.extend(inner.into_iter().map(|(value, c)| (value, Formula::And(vec![c, condition.clone()]))))
                }
                value => pieces.push((value, condition)),
            }
            if !self.accept(Tok::Semicolon) {
                return Ok(pieces);
            }
            value = self.expr()?;
            self.expect(Tok::Colon, "`:`")?;
            let at = self.next;
            let any = self.any(Lists::Later)?;
            condition = self.to_formula(any, at)?;
        }
    }
}
