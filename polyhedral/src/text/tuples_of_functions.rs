//! Reading [`MultiUnionPwAff`], whose tuples stand around the functions.
//!
//! ```text
//! object = [ "[" param, ... "]" "->" ] ( tuple | "(" tuple ":" "{" disjunct; ... "}" ")" )
//! tuple  = [ name ] "[" ( tuple "->" tuple | "{" disjunct; ... "}", ... ) "]"
//! ```

use std::str::FromStr;

use crate::affine::{MultiUnionPwAff, UnionPwAff};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::space::{Space, Tuple};

use super::lexer::Tok;
use super::lower::Evaluator;
use super::parser::{Parsed, Parser};
use super::read::from_str;
use super::syntax::{Disjunct, Param};

/// A tuple with functions as entries.
struct Functions<'a> {
    name: &'a str,
    body: Body<'a>,
}

enum Body<'a> {
    Flat(Vec<Vec<Disjunct<'a>>>),
    Nested(Box<(Functions<'a>, Functions<'a>)>),
}

/// A whole text.
struct Text<'a> {
    params: Vec<Param<'a>>,
    tuple: Functions<'a>,
    domain: Option<Vec<Disjunct<'a>>>,
}

impl<'a> Parser<'a> {
    fn functions_object(&mut self) -> Parsed<Text<'a>> {
        let params = if self.starts_params() { self.params()? } else { Vec::new() };
        let parenthesized = self.accept(Tok::LParen);
        let tuple = self.functions()?;
        let mut domain = None;
        if parenthesized {
            if self.accept(Tok::Colon) {
                domain = Some(self.braces()?);
            }
            self.expect(Tok::RParen, "`)`")?;
        }
        self.end()?;
        Ok(Text { params, tuple, domain })
    }

    /// Whether the bracket here begins a list of parameters: whether an arrow follows the bracket that closes it.
    fn starts_params(&self) -> bool {
        let mut depth = 0usize;
        let mut k = 0;
        loop {
            match self.peek_at(k) {
                Tok::LBracket => depth += 1,
                Tok::RBracket if depth == 1 => return self.peek_at(k + 1) == Tok::Arrow,
                Tok::RBracket if depth > 1 => depth -= 1,
                Tok::LBrace | Tok::End => return false,
                _ if depth == 0 => return false,
                _ => {}
            }
            k += 1;
        }
    }

    fn functions(&mut self) -> Parsed<Functions<'a>> {
        self.nested(|p| {
            let name = p.name().unwrap_or_default();
            p.expect(Tok::LBracket, "a tuple `[...]`")?;
            let body = if p.is(Tok::LBracket) || p.is(Tok::Word) {
                let first = p.functions()?;
                p.expect(Tok::Arrow, "`->`")?;
                Body::Nested(Box::new((first, p.functions()?)))
            } else {
                let mut entries = Vec::new();
                while !p.is(Tok::RBracket) {
                    entries.push(p.braces()?);
                    if !p.accept(Tok::Comma) {
                        break;
                    }
                }
                Body::Flat(entries)
            };
            p.expect(Tok::RBracket, "`]`")?;
            Ok(Functions { name, body })
        })
    }
}

impl<'a> Evaluator<'a, '_> {
    /// The tuple; its functions are appended.
    fn tuple_of(
        &mut self,
        text: &Functions<'a>,
        params: &[Param<'a>],
        functions: &mut Vec<UnionPwAff>,
    ) -> Result<Tuple> {
        let tuple = match &text.body {
            Body::Nested(pair) => {
                let first = self.tuple_of(&pair.0, params, functions)?;
                let second = self.tuple_of(&pair.1, params, functions)?;
                Tuple::nest(&first, &second)
            }
            Body::Flat(entries) => {
                for entry in entries {
                    functions.push(self.union_pw_aff(entry, params)?);
                }
                Tuple::anonymous(entries.len())
            }
        };
        Ok(tuple.with_name(text.name))
    }
}

impl MultiUnionPwAff {
    /// Reads a tuple of functions over many spaces in isl notation, for instance
    /// `[n] -> A[{ S[i] -> [(i)]; T[j] -> [(n)] }, { S[i] -> [(0)]; T[j] -> [(1)] }]`, or `(A[] : { S[i] : i > 0 })`
    /// with an explicit domain.
    pub fn parse(text: &str, budget: &Budget) -> Result<MultiUnionPwAff> {
        let mut parser = Parser::new(text).map_err(|e| *e)?;
        let object = parser.functions_object().map_err(|e| *e)?;
        let mut evaluator = Evaluator::of(parser, budget);
        evaluator.declare(&object.params)?;
        let mut functions = Vec::new();
        let tuple = evaluator.tuple_of(&object.tuple, &object.params, &mut functions)?;
        let function = MultiUnionPwAff::new(Space::set_of(&evaluator.params, tuple), functions)?;
        match &object.domain {
            Some(domain) => function.intersect_domain(&evaluator.union_set(domain, &object.params)?, budget),
            None => Ok(function),
        }
    }
}

from_str!(MultiUnionPwAff);
