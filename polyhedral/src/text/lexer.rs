//! Tokens of isl's notation, with their positions.
//!
//! A token borrows nothing: it is a kind and a range of bytes of the text. Lines and columns are computed only when an
//! error is reported.

use crate::error::ParseError;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tok {
    Word,
    Number,
    And,
    Or,
    Not,
    Implies,
    Exists,
    True,
    False,
    Mod,
    Floor,
    Ceil,
    Floord,
    Ceild,
    Min,
    Max,
    Infinity,
    NotANumber,
    Arrow,
    Le,
    Lt,
    Ge,
    Gt,
    Eq,
    Ne,
    LexLe,
    LexLt,
    LexGe,
    LexGt,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    LParen,
    RParen,
    Comma,
    Semicolon,
    Colon,
    Question,
    Plus,
    Minus,
    Star,
    Power,
    Slash,
    SlashSlash,
    Percent,
    End,
}

impl Tok {
    /// Whether the token is a word of the notation; its meaning does not depend on upper and lower case.
    pub(super) fn is_keyword(self) -> bool {
        (Tok::And as u8..=Tok::NotANumber as u8).contains(&(self as u8))
    }
}

/// A token: its kind and its bytes in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Tok,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// The longest text that is read.
const MAX_TEXT: usize = 1 << 30;

/// The most characters of a line that an error shows.
const EXCERPT: usize = 100;

fn keyword(word: &str) -> Tok {
    const WORDS: [(&str, Tok); 18] = [
        ("or", Tok::Or),
        ("and", Tok::And),
        ("not", Tok::Not),
        ("mod", Tok::Mod),
        ("min", Tok::Min),
        ("max", Tok::Max),
        ("nan", Tok::NotANumber),
        ("true", Tok::True),
        ("ceil", Tok::Ceil),
        ("false", Tok::False),
        ("floor", Tok::Floor),
        ("ceild", Tok::Ceild),
        ("infty", Tok::Infinity),
        ("exists", Tok::Exists),
        ("exist", Tok::Exists),
        ("floord", Tok::Floord),
        ("implies", Tok::Implies),
        ("infinity", Tok::Infinity),
    ];
    if !(2..=8).contains(&word.len()) {
        return Tok::Word;
    }
    WORDS.iter().find(|(text, _)| word.eq_ignore_ascii_case(text)).map_or(Tok::Word, |(_, kind)| *kind)
}

fn starts_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'' | '.' | '$')
}

/// The symbol at the start of a text, and its length.
fn symbol(bytes: &[u8]) -> Option<(Tok, usize)> {
    let next = |k: usize| bytes.get(k).copied().unwrap_or(0);
    Some(match (next(0), next(1), next(2)) {
        (b'-', b'>', _) => (Tok::Arrow, 2),
        (b'<', b'<', b'=') => (Tok::LexLe, 3),
        (b'<', b'<', _) => (Tok::LexLt, 2),
        (b'<', b'=', _) => (Tok::Le, 2),
        (b'<', b'>', _) => (Tok::Ne, 2),
        (b'<', ..) => (Tok::Lt, 1),
        (b'>', b'>', b'=') => (Tok::LexGe, 3),
        (b'>', b'>', _) => (Tok::LexGt, 2),
        (b'>', b'=', _) => (Tok::Ge, 2),
        (b'>', ..) => (Tok::Gt, 1),
        (b'=', b'=', _) => (Tok::Eq, 2),
        (b'=', ..) => (Tok::Eq, 1),
        (b'!', b'=', _) => (Tok::Ne, 2),
        (b'!', ..) => (Tok::Not, 1),
        (b'&', b'&', _) => (Tok::And, 2),
        (b'&', ..) => (Tok::And, 1),
        (b'|', b'|', _) => (Tok::Or, 2),
        (b'|', ..) => (Tok::Or, 1),
        (b'*', b'*', _) => (Tok::Power, 2),
        (b'^', ..) => (Tok::Power, 1),
        (b'*', ..) => (Tok::Star, 1),
        (b'[', ..) => (Tok::LBracket, 1),
        (b']', ..) => (Tok::RBracket, 1),
        (b'{', ..) => (Tok::LBrace, 1),
        (b'}', ..) => (Tok::RBrace, 1),
        (b'(', ..) => (Tok::LParen, 1),
        (b')', ..) => (Tok::RParen, 1),
        (b',', ..) => (Tok::Comma, 1),
        (b';', ..) => (Tok::Semicolon, 1),
        (b':', ..) => (Tok::Colon, 1),
        (b'?', ..) => (Tok::Question, 1),
        (b'+', ..) => (Tok::Plus, 1),
        (b'-', ..) => (Tok::Minus, 1),
        (b'/', b'/', _) => (Tok::SlashSlash, 2),
        (b'/', ..) => (Tok::Slash, 1),
        (b'%', ..) => (Tok::Percent, 1),
        _ => return None,
    })
}

/// The end of the run of characters from `start` on that satisfy a condition.
fn run(text: &str, start: usize, keep: impl Fn(char) -> bool) -> usize {
    text[start..].find(|c| !keep(c)).map_or(text.len(), |length| start + length)
}

/// Splits a text into tokens; the last one is [`Tok::End`]. Comments run from `#` to the end of the line.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Box<ParseError>> {
    if text.len() > MAX_TEXT {
        return Err(error_at(text, 0, 0, "a text of at most one gibibyte".into()));
    }
    let bytes = text.as_bytes();
    let mut result = Vec::with_capacity(text.len() / 2 + 1);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
            at += 1;
            continue;
        }
        if byte == b'#' {
            at = run(text, at, |c| c != '\n');
            continue;
        }
        let start = at;
        let kind = if byte.is_ascii_digit() {
            at = run(text, start, |c| c.is_ascii_digit());
            Tok::Number
        } else if let Some((kind, length)) = symbol(&bytes[start..]) {
            at += length;
            kind
        } else {
            let Some(c) = text[start..].chars().next() else { break };
            if c.is_whitespace() {
                at += c.len_utf8();
                continue;
            }
            if !starts_word(c) {
                return Err(error_at(text, start, start + c.len_utf8(), "a name, a number or a symbol".into()));
            }
            at = run(text, start, continues_word);
            keyword(&text[start..at])
        };
        result.push(Token { kind, start: start as u32, end: at as u32 });
    }
    result.push(Token { kind: Tok::End, start: text.len() as u32, end: text.len() as u32 });
    result.shrink_to_fit();
    Ok(result)
}

/// A place in a text, for a message.
pub(crate) struct TextPosition {
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The column in characters, counted from 1.
    pub(crate) column: usize,
    /// The text there, shortened.
    pub(crate) found: String,
    /// The line of the text around the place, and under it a line that marks the place with `^`.
    pub(crate) excerpt: String,
}

/// The place of a range of bytes, whose ends must be boundaries of characters.
pub(crate) fn place(text: &str, start: usize, end: usize) -> TextPosition {
    let before = &text[..start];
    let line_start = before.rfind('\n').map_or(0, |k| k + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |k| start + k);
    let line = 1 + before.bytes().filter(|b| *b == b'\n').count();
    let column = 1 + text[line_start..start].chars().count();
    // The part of the line around the place.
    let skip = (column - 1).saturating_sub(EXCERPT / 2);
    let shown: String = text[line_start..line_end].chars().skip(skip).take(EXCERPT).collect();
    let shown = shown.replace(['\t', '\r'], " ");
    let found: String = text[start..end].chars().take(EXCERPT).collect();
    let width = found.lines().next().map_or(0, |l| l.chars().count()).clamp(1, EXCERPT / 2);
    let caret = format!("{}{}", " ".repeat(column - 1 - skip), "^".repeat(width));
    TextPosition { line, column, found, excerpt: format!("{shown}\n{caret}") }
}

/// The error that something else was expected at a range of bytes.
pub(crate) fn error_at(text: &str, start: usize, end: usize, expected: String) -> Box<ParseError> {
    let TextPosition { line, column, found, excerpt } = place(text, start, end);
    Box::new(ParseError { line, column, expected, found, excerpt })
}
