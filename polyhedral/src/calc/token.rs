//! Tokens of the calculator. A whole object in isl's notation, `[n] -> { ... }`, is one token.

use super::error::CalcError;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tok {
    Name,
    Number,
    /// `"..."`, with the quotes.
    Text,
    /// `{ ... }` or `[...] -> { ... }`.
    Object,
    /// One of [`SYMBOLS`].
    Symbol(&'static str),
    End,
}

/// A token: its kind, its bytes, and whether a line ended since the token before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Tok,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) after_line: bool,
}

/// All symbols; a longer one stands before its prefixes.
const SYMBOLS: [&str; 28] = [
    "<<=", ">>=", ":=", "->", "<<", ">>", "<=", ">=", "==", "!=", "^+", "^", "=", "<", ">", "+", "-", "*", "/", "%",
    "@", ".", "(", ")", "[", "]", ",", ";",
];

type Scanned<T> = Result<T, Box<CalcError>>;

/// Splits a text into tokens; the last one is [`Tok::End`]. Comments run from `#` to the end of the line.
pub(super) fn tokens(text: &str) -> Scanned<Vec<Token>> {
    let mut result = Vec::new();
    let mut at = 0;
    let mut after_line = true;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            after_line |= c == '\n';
            at += c.len_utf8();
            continue;
        }
        if c == '#' {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
            continue;
        }
        let (kind, end) = token(text, at, c)?;
        result.push(Token { kind, start: at, end, after_line });
        after_line = false;
        at = end;
    }
    result.push(Token { kind: Tok::End, start: text.len(), end: text.len(), after_line: true });
    Ok(result)
}

fn token(text: &str, at: usize, first: char) -> Scanned<(Tok, usize)> {
    let rest = &text[at..];
    if first.is_alphabetic() || first == '_' {
        let length = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\''))).unwrap_or(rest.len());
        return Ok((Tok::Name, at + length));
    }
    if first.is_ascii_digit() {
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        return Ok((Tok::Number, at + length));
    }
    if first == '"' {
        return match rest[1..].find('"') {
            Some(length) => Ok((Tok::Text, at + length + 2)),
            None => Err(CalcError::at(text, at, text.len(), "this string has no end: `\"` is missing")),
        };
    }
    if first == '{' {
        return Ok((Tok::Object, braces(text, at)?));
    }
    if first == '['
        && let Some(open) = object_after_params(rest)
    {
        return Ok((Tok::Object, braces(text, at + open)?));
    }
    match SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
        Some(symbol) => Ok((Tok::Symbol(symbol), at + symbol.len())),
        None => Err(CalcError::at(text, at, at + first.len_utf8(), format!("`{first}` does not belong here"))),
    }
}

/// The end of the braces that open at a byte; comments inside are skipped.
fn braces(text: &str, open: usize) -> Scanned<usize> {
    let mut depth = 0usize;
    let mut comment = false;
    for (k, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'\n' => comment = false,
            _ if comment => {}
            b'#' => comment = true,
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Ok(k + 1);
                }
            }
            _ => {}
        }
    }
    Err(CalcError::at(text, open, open + 1, "this `{` has no `}`"))
}

/// If a text starts with `[names] -> {`, the position of the brace.
fn object_after_params(text: &str) -> Option<usize> {
    let close = text.find(']')?;
    let inside = text.get(1..close)?;
    if inside.contains(['{', '[', ';', '"']) || inside.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let skip = |at: usize| at + text[at..].len() - text[at..].trim_start().len();
    let arrow = skip(close + 1);
    if !text[arrow..].starts_with("->") {
        return None;
    }
    let brace = skip(arrow + 2);
    text[brace..].starts_with('{').then_some(brace)
}
