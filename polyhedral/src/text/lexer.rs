//! Tokens of isl's notation, with their positions.

use crate::arith::Int;
use crate::error::ParseError;

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name, or one of the words of the notation.
    Word(String),
    Number(Int),
    /// One of the symbols of [`SYMBOLS`].
    Symbol(&'static str),
    End,
}

/// A token and where it starts, both counted from 1, in characters.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub(super) token: Token,
    pub(super) line: usize,
    pub(super) column: usize,
}

/// All symbols; a longer one stands before its prefixes.
const SYMBOLS: [&str; 29] = [
    "->", "<=", ">=", "==", "!=", "&&", "||", "<>", "[", "]", "{", "}", "(", ")", ",", ";", ":", "=", "<", ">", "+",
    "-", "*", "/", "%", "!", "&", "|", "?",
];

fn starts_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'' | '.' | '$')
}

/// The text of a token, for error messages.
pub(super) fn describe(token: &Token) -> String {
    match token {
        Token::Word(word) => word.clone(),
        Token::Number(number) => number.to_string(),
        Token::Symbol(symbol) => (*symbol).to_string(),
        Token::End => String::new(),
    }
}

/// Splits a text into tokens; the last one is [`Token::End`]. Comments run from `#` to the end of the line.
pub(super) fn tokens(text: &str) -> Result<Vec<Located>, ParseError> {
    let mut result = Vec::new();
    let (mut line, mut column) = (1, 1);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if c.is_whitespace() {
            c.len_utf8()
        } else if c == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            let (token, length) = token(rest).ok_or_else(|| ParseError {
                line,
                column,
                expected: "a name, a number or a symbol".into(),
                found: c.to_string(),
            })?;
            result.push(Located { token, line, column });
            length
        };
        for c in rest[..length].chars() {
            if c == '\n' {
                (line, column) = (line + 1, 1);
            } else {
                column += 1;
            }
        }
        rest = &rest[length..];
    }
    result.push(Located { token: Token::End, line, column });
    Ok(result)
}

/// The first token of a text that does not start with white space, and its length in bytes.
fn token(rest: &str) -> Option<(Token, usize)> {
    let first = rest.chars().next()?;
    if starts_word(first) {
        let length = rest.find(|c| !continues_word(c)).unwrap_or(rest.len());
        return Some((Token::Word(rest[..length].to_string()), length));
    }
    if first.is_ascii_digit() {
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        return Some((Token::Number(rest[..length].parse().ok()?), length));
    }
    let symbol = SYMBOLS.iter().find(|s| rest.starts_with(**s))?;
    Some((Token::Symbol(symbol), symbol.len()))
}
