//! The grammar of the calculator.
//!
//! ```text
//! program    = { statement (";" | end of line) }
//! statement  = [ name ":=" | "print" ] comparison
//! comparison = chain [ ("=" | "==" | "!=" | "<=" | "<" | ">=" | ">") chain ]
//! chain      = operand { operator operand }
//! operator   = "+" | "-" | "*" | "/" | "%" | "." | "@" | "->" | "<<" | "<<=" | ">>" | ">>=" | "cross" | "before" | ...
//! operand    = function operand | ("last" | "any") operand "before" operand "under" operand | primary { "^+" | "^" ["-"] number | "(" comparison, ... ")" | "[" number "]" }
//! primary    = object | name | number | text | "-" operand | "(" [ comparison, ... ] ")"
//! ```
//!
//! Names of functions and operators are no names of variables. Recursion is bounded.

use super::error::CalcError;
use super::functions::{find_function, find_missing, find_word_operator};
use super::token::{Tok, Token, tokens};

/// The deepest nesting of parentheses and functions.
const MAX_DEPTH: usize = 100;

/// A range of bytes of the text.
pub(super) type Span = (usize, usize);

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Object(Span),
    Name(Span),
    Number(Span),
    Text(Span),
    List(Vec<Node>),
    /// Operators from left to right, each with its right operand.
    Chain(Box<Node>, Vec<(&'static str, Span, Node)>),
    /// A function of the table and its argument.
    Function(&'static str, Span, Box<Node>),
    Negative(Span, Box<Node>),
    /// `last A before B under S`, or `any` for `last`: sources, sinks, schedule.
    Dependences {
        last: bool,
        span: Span,
        operands: Box<[Node; 3]>,
    },
    /// What stands behind an operand, from left to right.
    Postfix(Box<Node>, Vec<(Span, Postfix)>),
}

/// An operation behind its operand.
#[derive(Clone, Debug)]
pub(super) enum Postfix {
    Closure,
    /// `^exponent`, or `^-exponent`.
    Power {
        of_inverse: bool,
        exponent: Span,
    },
    Apply(Vec<Node>),
    Index(Span),
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    Assign(String, Node),
    Print(Node),
    /// `source "file"`.
    Source(Span),
    /// `help`, or `help name`.
    Help(Option<Span>),
}

type Parsed<T> = Result<T, Box<CalcError>>;

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

/// All statements of a text.
pub(super) fn parse(text: &str) -> Result<Vec<Statement>, CalcError> {
    let mut parser = match tokens(text) {
        Ok(tokens) => Parser { text, tokens, next: 0, depth: 0 },
        Err(error) => return Err(*error),
    };
    parser.program().map_err(|error| *error)
}

/// Whether a text is whole: no open bracket, string or operator at its end. Errors of other kinds count as whole.
pub fn is_complete(text: &str) -> bool {
    let Ok(tokens) = tokens(text) else {
        return !(text.matches('{').count() > text.matches('}').count() || text.matches('"').count() % 2 == 1);
    };
    let depth = tokens.iter().fold(0i64, |depth, token| match token.kind {
        Tok::Symbol("(" | "[") => depth + 1,
        Tok::Symbol(")" | "]") => depth - 1,
        _ => depth,
    });
    let last = tokens.iter().rev().nth(1);
    let open = match last.map(|t| t.kind) {
        Some(Tok::Symbol(symbol)) => !matches!(symbol, ")" | "]" | ";" | "^+"),
        _ => false,
    };
    depth <= 0 && !open
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens.get(self.next).or(self.tokens.last()).copied().unwrap_or(Token {
            kind: Tok::End,
            start: 0,
            end: 0,
            after_line: true,
        })
    }

    fn kind(&self) -> Tok {
        self.token().kind
    }

    fn kind_at(&self, offset: usize) -> Tok {
        self.tokens.get(self.next + offset).map_or(Tok::End, |t| t.kind)
    }

    fn span(&self) -> Span {
        (self.token().start, self.token().end)
    }

    fn word(&self) -> &str {
        let (start, end) = self.span();
        &self.text[start..end]
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        self.next = (self.next + 1).min(self.tokens.len());
        span
    }

    fn is(&self, symbol: &'static str) -> bool {
        self.kind() == Tok::Symbol(symbol)
    }

    fn accept(&mut self, symbol: &'static str) -> bool {
        let found = self.is(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn fail<T>(&self, expected: &str) -> Parsed<T> {
        let (start, end) = self.span();
        let found = match self.text.get(start..end) {
            Some(found) if !found.is_empty() => {
                let short: String = found.chars().take(40).collect();
                let dots = if short.len() < found.len() { "..." } else { "" };
                format!("`{short}{dots}`")
            }
            _ => "the end of the text".into(),
        };
        Err(CalcError::at(self.text, start, end, format!("expected {expected}, found {found}")))
    }

    fn program(&mut self) -> Parsed<Vec<Statement>> {
        let mut result = Vec::new();
        loop {
            while self.accept(";") {}
            if self.kind() == Tok::End {
                return Ok(result);
            }
            result.push(self.statement()?);
            if !self.token().after_line && !self.is(";") {
                return self.fail("an operator, `;` or the end of the line");
            }
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        if self.kind() == Tok::Name {
            match self.word() {
                "print" => {
                    self.advance();
                    return Ok(Statement::Print(self.comparison()?));
                }
                "source" => {
                    self.advance();
                    if self.kind() != Tok::Text {
                        return self.fail("the name of a file in quotes");
                    }
                    return Ok(Statement::Source(self.advance()));
                }
                "help" => {
                    self.advance();
                    let topic = !self.token().after_line
                        && matches!(self.kind(), Tok::Name | Tok::Text | Tok::Symbol(_))
                        && !self.is(";");
                    return Ok(Statement::Help(topic.then(|| self.advance())));
                }
                _ => {}
            }
            if self.kind_at(1) == Tok::Symbol(":=") {
                let name = self.word().to_owned();
                self.refuse_missing()?;
                if find_function(&name).is_some() || find_word_operator(&name).is_some() {
                    return self.fail("a name that is not that of a function");
                }
                self.advance();
                self.advance();
                return Ok(Statement::Assign(name, self.comparison()?));
            }
        }
        Ok(Statement::Print(self.comparison()?))
    }

    /// One more level of recursion.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.fail("fewer than 100 nested levels");
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn comparison(&mut self) -> Parsed<Node> {
        self.nested(|p| {
            let mut left = p.chain()?;
            while let Tok::Symbol(op @ ("=" | "==" | "!=" | "<=" | "<" | ">=" | ">")) = p.kind() {
                let span = p.advance();
                let right = p.chain()?;
                let node = Node::Chain(Box::new(left), vec![(op, span, right)]);
                if matches!(p.kind(), Tok::Symbol("=" | "==" | "!=" | "<=" | "<" | ">=" | ">")) {
                    return p.fail("parentheses around one of two comparisons");
                }
                left = node;
            }
            Ok(left)
        })
    }

    /// The binary operator at the present token.
    fn operator(&self) -> Option<&'static str> {
        match self.kind() {
            Tok::Symbol(op @ ("+" | "-" | "*" | "/" | "%" | "." | "@" | "->" | "<<" | "<<=" | ">>" | ">>=")) => {
                Some(op)
            }
            Tok::Name => find_word_operator(self.word()),
            _ => None,
        }
    }

    fn chain(&mut self) -> Parsed<Node> {
        let first = self.operand()?;
        let mut rest = Vec::new();
        while let Some(op) = self.operator() {
            let span = self.advance();
            rest.push((op, span, self.operand()?));
        }
        Ok(if rest.is_empty() { first } else { Node::Chain(Box::new(first), rest) })
    }

    /// The error for what iscc has and this calculator does not have yet.
    fn refuse_missing(&self) -> Parsed<()> {
        match find_missing(self.word()) {
            Some(why) if self.kind() == Tok::Name => {
                let (start, end) = self.span();
                Err(CalcError::at(self.text, start, end, format!("`{}` is not available yet: {why}", self.word())))
            }
            _ => Ok(()),
        }
    }

    fn operand(&mut self) -> Parsed<Node> {
        self.refuse_missing()?;
        if self.is("-") {
            let span = self.advance();
            return self.nested(|p| Ok(Node::Negative(span, Box::new(p.operand()?))));
        }
        if self.kind() == Tok::Name
            && let Some((name, words)) = self.function()
        {
            let start = self.advance();
            let mut end = start;
            for _ in 1..words {
                end = self.advance();
            }
            return self.nested(|p| Ok(Node::Function(name, (start.0, end.1), Box::new(p.operand()?))));
        }
        if self.kind() == Tok::Name && matches!(self.word(), "last" | "any") && self.starts_operand(1) {
            let last = self.word() == "last";
            let start = self.advance();
            return self.nested(|p| {
                let source = p.operand()?;
                p.keyword("before")?;
                let sink = p.operand()?;
                let under = p.keyword("under")?;
                let operands = Box::new([source, sink, p.operand()?]);
                Ok(Node::Dependences { last, span: (start.0, under.1), operands })
            });
        }
        let first = self.primary()?;
        let mut rest = Vec::new();
        while let Some(postfix) = self.postfix()? {
            rest.push(postfix);
        }
        Ok(if rest.is_empty() { first } else { Node::Postfix(Box::new(first), rest) })
    }

    /// Whether the token there can begin an operand.
    fn starts_operand(&self, offset: usize) -> bool {
        matches!(self.kind_at(offset), Tok::Object | Tok::Name | Tok::Symbol("("))
    }

    fn keyword(&mut self, word: &str) -> Parsed<Span> {
        if self.kind() == Tok::Name && self.word() == word {
            return Ok(self.advance());
        }
        self.fail(&format!("`{word}`"))
    }

    fn postfix(&mut self) -> Parsed<Option<(Span, Postfix)>> {
        let Tok::Symbol(symbol) = self.kind() else { return Ok(None) };
        if self.token().after_line && matches!(symbol, "(" | "[") {
            return Ok(None);
        }
        let span = self.span();
        let postfix = match symbol {
            "^+" => {
                self.advance();
                Postfix::Closure
            }
            "^" => {
                self.advance();
                let of_inverse = self.accept("-");
                if self.kind() != Tok::Number {
                    return self.fail("`^-1`, `^+` or a number");
                }
                Postfix::Power { of_inverse, exponent: self.advance() }
            }
            "(" => {
                self.advance();
                Postfix::Apply(self.list(")")?)
            }
            "[" => {
                self.advance();
                if self.kind() != Tok::Number {
                    return self.fail("a number");
                }
                let index = self.advance();
                if !self.accept("]") {
                    return self.fail("`]`");
                }
                Postfix::Index(index)
            }
            _ => return Ok(None),
        };
        Ok(Some((span, postfix)))
    }

    /// The function whose name starts here, and how many words it has (`affine hull`).
    fn function(&self) -> Option<(&'static str, usize)> {
        let mut words = String::new();
        let mut found = None;
        for k in 0..3 {
            let token = self.tokens.get(self.next + k)?;
            if token.kind != Tok::Name {
                break;
            }
            if k > 0 {
                words.push('_');
            }
            words.push_str(self.text.get(token.start..token.end)?);
            if let Some(name) = find_function(&words) {
                found = Some((name, k + 1));
            }
        }
        found
    }

    fn primary(&mut self) -> Parsed<Node> {
        Ok(match self.kind() {
            Tok::Object => Node::Object(self.advance()),
            Tok::Number => Node::Number(self.advance()),
            Tok::Text => Node::Text(self.advance()),
            Tok::Name if find_word_operator(self.word()).is_none() => Node::Name(self.advance()),
            Tok::Symbol("(") => {
                self.advance();
                let mut list = self.list(")")?;
                if list.len() == 1 { list.swap_remove(0) } else { Node::List(list) }
            }
            _ => return self.fail("a set, a map, a name or `(`"),
        })
    }

    /// Expressions with commas between them, up to a closing bracket.
    fn list(&mut self, close: &'static str) -> Parsed<Vec<Node>> {
        let mut list = Vec::new();
        while !self.is(close) {
            list.push(self.comparison()?);
            if !self.accept(",") {
                break;
            }
        }
        if !self.accept(close) {
            return self.fail(&format!("`{close}`"));
        }
        Ok(list)
    }
}
