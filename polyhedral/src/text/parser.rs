//! The grammar of isl's notation: tokens to a syntax tree. What names mean is decided in [`super::eval`].
//!
//! ```text
//! object    = [ "[" name, ... "]" "->" ] "{" [ disjunct ";" ... ] "}"
//! disjunct  = [ tuple [ "->" tuple ] ] [ ":" [ formula ] ]
//! tuple     = [ name ] "[" ( tuple "->" tuple | entry, ... ) "]"
//! entry     = "*" | name | name "=" expr | expr
//! formula   = conjunction { ("or" | "||" | "|") conjunction } [ "implies" formula ]
//! conjunction = atom { ("and" | "&&" | "&") atom }
//! atom      = "not" atom | "!" atom | "exists" ... | "true" | "false" | "(" formula ")" | exprs { op exprs }
//! expr      = [ "-" ] term { ("+" | "-") term }
//! term      = factor { "*" factor | factor | "/" number }
//! factor    = primary { ("mod" | "%") number }
//! primary   = number | name | "(" expr ")" | "floor" "(" expr ")" | "ceil" ... | "floord" "(" expr "," number ")" | "min" "(" ...
//! ```

use crate::arith::Int;
use crate::error::ParseError;

use super::lexer::{Located, Token, describe, tokens};

/// The deepest nesting of parentheses, brackets and negations that is read.
const MAX_DEPTH: usize = 200;

/// A position in the text: the index of a token.
pub(super) type At = usize;

/// An arithmetic expression.
#[derive(Clone, Debug)]
pub(super) enum Expr {
    Number(Int),
    Name(String, At),
    Add(Box<Expr>, Box<Expr>),
    Sub(Box<Expr>, Box<Expr>),
    Neg(Box<Expr>),
    Mul(Box<Expr>, Box<Expr>, At),
    /// Rational division by a positive constant.
    Div(Box<Expr>, Int),
    Mod(Box<Expr>, Int),
    Floor(Box<Expr>),
    Ceil(Box<Expr>),
    Min(Vec<Expr>),
    Max(Vec<Expr>),
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Le,
    Lt,
    Ge,
    Gt,
    Eq,
    Ne,
}

/// A Presburger formula.
#[derive(Clone, Debug)]
pub(super) enum Formula {
    True,
    False,
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Not(Box<Formula>),
    Exists(Vec<(String, Option<Expr>)>, Box<Formula>),
    /// `lists[0] ops[0] lists[1] ops[1] ...`, each comparison between all pairs.
    Compare(Vec<Vec<Expr>>, Vec<Op>),
}

/// One entry of a tuple.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// `*`
    Any,
    /// `i = e`, or `i`
    Named(String, At, Option<Expr>),
    Expr(Expr),
}

/// A tuple as written.
#[derive(Clone, Debug)]
pub(super) struct TupleText {
    pub(super) name: String,
    pub(super) body: TupleBody,
}

/// What is between the brackets of a tuple.
#[derive(Clone, Debug)]
pub(super) enum TupleBody {
    Flat(Vec<Entry>),
    Nested(Box<(TupleText, TupleText)>),
}

/// One disjunct of an object.
#[derive(Clone, Debug)]
pub(super) struct Disjunct {
    pub(super) at: At,
    /// No tuple: only parameters; one: a set; two: a map.
    pub(super) tuples: Vec<TupleText>,
    pub(super) formula: Formula,
}

/// A whole text.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) params: Vec<String>,
    pub(super) disjuncts: Vec<Disjunct>,
}

pub(super) struct Parser {
    tokens: Vec<Located>,
    next: usize,
    depth: usize,
}

type Parsed<T> = Result<T, ParseError>;

/// Words that cannot be names of variables.
const RESERVED: [&str; 14] =
    ["and", "or", "not", "exists", "true", "false", "mod", "implies", "floor", "ceil", "floord", "ceild", "min", "max"];

impl Parser {
    pub(super) fn new(text: &str) -> Parsed<Parser> {
        Ok(Parser { tokens: tokens(text)?, next: 0, depth: 0 })
    }

    /// The error that something else was expected at a token.
    pub(super) fn error(&self, at: At, expected: impl Into<String>) -> ParseError {
        let located = &self.tokens[at.min(self.tokens.len() - 1)];
        ParseError {
            line: located.line,
            column: located.column,
            expected: expected.into(),
            found: describe(&located.token),
        }
    }

    fn fail<T>(&self, expected: &str) -> Parsed<T> {
        Err(self.error(self.next, expected))
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.next].token
    }

    fn peek_at(&self, offset: usize) -> &Token {
        &self.tokens[(self.next + offset).min(self.tokens.len() - 1)].token
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Token::Symbol(s) if *s == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(w) if w == word)
    }

    fn advance(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    fn accept(&mut self, symbols: &[&str], words: &[&str]) -> bool {
        let found = symbols.iter().any(|s| self.is_symbol(s)) || words.iter().any(|w| self.is_word(w));
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.accept(&[symbol], &[]) { Ok(()) } else { self.fail(&format!("`{symbol}`")) }
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.fail("fewer than 200 nested levels");
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn name(&mut self) -> Option<String> {
        match self.peek() {
            Token::Word(word) if !RESERVED.contains(&word.as_str()) => {
                let word = word.clone();
                self.advance();
                Some(word)
            }
            _ => None,
        }
    }

    fn number(&mut self) -> Parsed<Int> {
        let negative = self.accept(&["-"], &[]);
        match self.peek() {
            Token::Number(number) => {
                let number = number.clone();
                self.advance();
                Ok(if negative { -number } else { number })
            }
            _ => self.fail("a number"),
        }
    }

    /// A positive number, as a divisor must be.
    fn divisor(&mut self) -> Parsed<Int> {
        let at = self.next;
        let parenthesized = self.accept(&["("], &[]);
        let number = self.number()?;
        if parenthesized {
            self.expect(")")?;
        }
        if number.is_positive() { Ok(number) } else { Err(self.error(at, "a positive number")) }
    }

    /// The whole text.
    pub(super) fn object(&mut self) -> Parsed<Object> {
        let mut params = Vec::new();
        if self.accept(&["["], &[]) {
            while !self.is_symbol("]") {
                match self.name() {
                    Some(name) => params.push(name),
                    None => return self.fail("the name of a parameter"),
                }
                if !self.accept(&[","], &[]) {
                    break;
                }
            }
            self.expect("]")?;
            self.expect("->")?;
        }
        self.expect("{")?;
        let mut disjuncts = Vec::new();
        while !self.is_symbol("}") {
            disjuncts.push(self.disjunct()?);
            if !self.accept(&[";"], &[]) {
                break;
            }
        }
        self.expect("}")?;
        if *self.peek() != Token::End {
            return self.fail("the end of the text");
        }
        Ok(Object { params, disjuncts })
    }

    fn disjunct(&mut self) -> Parsed<Disjunct> {
        let at = self.next;
        let mut tuples = Vec::new();
        if !self.is_symbol(":") {
            tuples.push(self.tuple()?);
            if self.accept(&["->"], &[]) {
                tuples.push(self.tuple()?);
            }
        }
        let mut formula = Formula::True;
        if self.accept(&[":"], &[]) && !self.is_symbol(";") && !self.is_symbol("}") {
            formula = self.formula()?;
        } else if tuples.is_empty() && at == self.next {
            return self.fail("a tuple or `:`");
        }
        Ok(Disjunct { at, tuples, formula })
    }

    fn tuple(&mut self) -> Parsed<TupleText> {
        self.nested(|p| {
            let name = p.name().unwrap_or_default();
            if !p.accept(&["["], &[]) {
                return p.fail("a tuple `[...]`");
            }
            let body = if p.starts_tuple() {
                let first = p.tuple()?;
                p.expect("->")?;
                TupleBody::Nested(Box::new((first, p.tuple()?)))
            } else {
                let mut entries = Vec::new();
                while !p.is_symbol("]") {
                    entries.push(p.entry()?);
                    if !p.accept(&[","], &[]) {
                        break;
                    }
                }
                TupleBody::Flat(entries)
            };
            p.expect("]")?;
            Ok(TupleText { name, body })
        })
    }

    fn starts_tuple(&self) -> bool {
        self.is_symbol("[") || (matches!(self.peek(), Token::Word(_)) && matches!(self.peek_at(1), Token::Symbol("[")))
    }

    fn entry(&mut self) -> Parsed<Entry> {
        if self.accept(&["*"], &[]) {
            return Ok(Entry::Any);
        }
        let (start, at) = (self.next, self.next);
        if let Some(name) = self.name() {
            if self.accept(&["="], &[]) {
                return Ok(Entry::Named(name, at, Some(self.expr()?)));
            }
            if self.is_symbol(",") || self.is_symbol("]") {
                return Ok(Entry::Named(name, at, None));
            }
        }
        self.next = start;
        Ok(Entry::Expr(self.expr()?))
    }

    fn formula(&mut self) -> Parsed<Formula> {
        self.nested(|p| {
            let mut parts = vec![p.conjunction()?];
            while p.accept(&["||", "|"], &["or"]) {
                parts.push(p.conjunction()?);
            }
            let left = if parts.len() == 1 { parts.swap_remove(0) } else { Formula::Or(parts) };
            if p.accept(&[], &["implies"]) {
                let right = p.formula()?;
                return Ok(Formula::Or(vec![Formula::Not(Box::new(left)), right]));
            }
            Ok(left)
        })
    }

    fn conjunction(&mut self) -> Parsed<Formula> {
        let mut parts = vec![self.atom()?];
        while self.accept(&["&&", "&"], &["and"]) {
            parts.push(self.atom()?);
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Formula::And(parts) })
    }

    fn atom(&mut self) -> Parsed<Formula> {
        if self.accept(&["!"], &["not"]) {
            return self.nested(|p| Ok(Formula::Not(Box::new(p.atom()?))));
        }
        if self.accept(&[], &["exists"]) {
            return self.nested(Parser::exists);
        }
        if self.accept(&[], &["true"]) {
            return Ok(Formula::True);
        }
        if self.accept(&[], &["false"]) {
            return Ok(Formula::False);
        }
        if self.is_symbol("(") && self.parenthesis_is_formula() {
            self.advance();
            let formula = self.formula()?;
            self.expect(")")?;
            return Ok(formula);
        }
        self.comparison()
    }

    /// Whether the parenthesis that opens here encloses a formula: whether a word or symbol of formulas is inside.
    fn parenthesis_is_formula(&self) -> bool {
        let mut depth = 0;
        for located in &self.tokens[self.next..] {
            match &located.token {
                Token::Symbol("(") => depth += 1,
                Token::Symbol(")") => {
                    depth -= 1;
                    if depth == 0 {
                        return false;
                    }
                }
                Token::Symbol(
                    "<=" | ">=" | "==" | "!=" | "<>" | "<" | ">" | "=" | "&&" | "||" | "!" | "&" | "|" | "?",
                ) => return true,
                Token::Word(w)
                    if matches!(w.as_str(), "and" | "or" | "not" | "exists" | "true" | "false" | "implies") =>
                {
                    return true;
                }
                Token::End => return false,
                _ => {}
            }
        }
        false
    }

    fn exists(&mut self) -> Parsed<Formula> {
        let parenthesized = self.accept(&["("], &[]);
        let mut variables = Vec::new();
        loop {
            let Some(name) = self.name() else { return self.fail("the name of a quantified variable") };
            let definition = if self.accept(&["="], &[]) { Some(self.expr()?) } else { None };
            variables.push((name, definition));
            if !self.accept(&[","], &[]) {
                break;
            }
        }
        self.expect(":")?;
        let body = if parenthesized && self.is_symbol(")") { Formula::True } else { self.formula()? };
        if parenthesized {
            self.expect(")")?;
        }
        Ok(Formula::Exists(variables, Box::new(body)))
    }

    fn comparison(&mut self) -> Parsed<Formula> {
        let mut lists = vec![self.expr_list()?];
        let mut ops = Vec::new();
        while let Some(op) = self.comparison_operator() {
            ops.push(op);
            lists.push(self.expr_list()?);
        }
        if ops.is_empty() {
            return self.fail("a comparison");
        }
        Ok(Formula::Compare(lists, ops))
    }

    fn comparison_operator(&mut self) -> Option<Op> {
        let Token::Symbol(symbol) = self.peek() else { return None };
        let op = match *symbol {
            "<=" => Op::Le,
            "<" => Op::Lt,
            ">=" => Op::Ge,
            ">" => Op::Gt,
            "=" | "==" => Op::Eq,
            "!=" | "<>" => Op::Ne,
            _ => return None,
        };
        self.advance();
        Some(op)
    }

    fn expr_list(&mut self) -> Parsed<Vec<Expr>> {
        let mut list = vec![self.expr()?];
        while self.accept(&[","], &[]) {
            list.push(self.expr()?);
        }
        Ok(list)
    }

    fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| {
            let mut sum = if p.accept(&["-"], &[]) { Expr::Neg(Box::new(p.term()?)) } else { p.term()? };
            loop {
                if p.accept(&["+"], &[]) {
                    let sign = p.accept(&["-"], &[]);
                    let term = p.term()?;
                    let term = if sign { Expr::Neg(Box::new(term)) } else { term };
                    sum = Expr::Add(Box::new(sum), Box::new(term));
                } else if p.accept(&["-"], &[]) {
                    sum = Expr::Sub(Box::new(sum), Box::new(p.term()?));
                } else {
                    return Ok(sum);
                }
            }
        })
    }

    fn term(&mut self) -> Parsed<Expr> {
        let mut product = self.factor()?;
        loop {
            let at = self.next;
            if self.accept(&["*"], &[]) {
                let factor =
                    if self.accept(&["-"], &[]) { Expr::Neg(Box::new(self.factor()?)) } else { self.factor()? };
                product = Expr::Mul(Box::new(product), Box::new(factor), at);
            } else if self.accept(&["/"], &[]) {
                product = Expr::Div(Box::new(product), self.divisor()?);
            } else if matches!(product, Expr::Number(_)) && self.starts_implicit_factor() {
                product = Expr::Mul(Box::new(product), Box::new(self.factor()?), at);
            } else {
                return Ok(product);
            }
        }
    }

    /// Whether what follows a number multiplies it, as in `2i` and `2(i + j)`.
    fn starts_implicit_factor(&self) -> bool {
        match self.peek() {
            Token::Symbol("(") => true,
            Token::Word(w) => {
                !RESERVED.contains(&w.as_str())
                    || matches!(w.as_str(), "floor" | "ceil" | "floord" | "ceild" | "min" | "max")
            }
            _ => false,
        }
    }

    fn factor(&mut self) -> Parsed<Expr> {
        let mut value = self.primary()?;
        while self.accept(&["%"], &["mod"]) {
            value = Expr::Mod(Box::new(value), self.divisor()?);
        }
        Ok(value)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let at = self.next;
        if let Token::Number(number) = self.peek() {
            let number = number.clone();
            self.advance();
            return Ok(Expr::Number(number));
        }
        if self.accept(&["("], &[]) {
            let expr = self.expr()?;
            self.expect(")")?;
            return Ok(expr);
        }
        for (word, ceil) in [("floor", false), ("ceil", true)] {
            if self.accept(&[], &[word]) {
                self.expect("(")?;
                let argument = Box::new(self.expr()?);
                self.expect(")")?;
                return Ok(if ceil { Expr::Ceil(argument) } else { Expr::Floor(argument) });
            }
        }
        for (word, ceil) in [("floord", false), ("ceild", true)] {
            if self.accept(&[], &[word]) {
                self.expect("(")?;
                let numerator = self.expr()?;
                self.expect(",")?;
                let quotient = Box::new(Expr::Div(Box::new(numerator), self.divisor()?));
                self.expect(")")?;
                return Ok(if ceil { Expr::Ceil(quotient) } else { Expr::Floor(quotient) });
            }
        }
        for (word, max) in [("min", false), ("max", true)] {
            if self.accept(&[], &[word]) {
                self.expect("(")?;
                let arguments = self.expr_list()?;
                self.expect(")")?;
                return Ok(if max { Expr::Max(arguments) } else { Expr::Min(arguments) });
            }
        }
        match self.name() {
            Some(name) => Ok(Expr::Name(name, at)),
            None => self.fail("an expression"),
        }
    }
}
