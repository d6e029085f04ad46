//! The dialect of YAML in which composite objects are written: text to tree ([`super::yaml`]).
//!
//! It is what isl reads, and YAML where isl reads less; `docs/polycalc.md` describes it for users.
//!
//! ```text
//! document = [ "---" ] value [ "..." ]
//! value    = quoted | object | "{" key ":" value "," ... "}" | "[" value "," ... "]" | mapping | list | block | word
//! mapping  = { key ":" value }                       keys in one column, or deeper
//! list     = { "-" value }
//! object   = { [ name ] group "->" } [ name ] group  a text in isl's notation; group = balanced ( ), [ ] or { }
//! ```
//!
//! What begins with `{` is a mapping if a key and a colon follow, else an object: `{ a: 1 }` and `{ A[a] }`,
//! `{ : a > 1 }`. What begins with `[` is an object if an arrow follows its end or it holds objects, `[n] -> { }` and
//! `[{ S[] -> [(0)] }]`, else a list. A tab counts as one column, and as up to eight: a key belongs to the innermost
//! mapping that begins no deeper in both counts.
//!
//! Recursion is bounded by [`MAX_DEPTH`]; the time is linear in the text times that depth.

use crate::error::{ParseError, Result};

use super::lexer::error_at;
use super::yaml::{Yaml, YamlValue};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 200;

/// A column: in characters, and with tabs that reach to the next multiple of eight.
#[derive(Clone, Copy)]
pub(super) struct Column {
    characters: usize,
    tabbed: usize,
}

impl Column {
    pub(super) fn reaches(self, other: Column) -> bool {
        self.characters >= other.characters && self.tabbed >= other.tabbed
    }

    fn nearly_reaches(self, other: Column) -> bool {
        self.characters >= other.characters || self.tabbed >= other.tabbed
    }
}

/// What a value stands in.
#[derive(Clone, Copy)]
pub(super) enum Around {
    Nothing,
    /// `{ }` or `[ ]`.
    Flow,
    /// A mapping in this column.
    Mapping(Column),
    /// A list with its dashes in this column.
    List(Column),
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    depth: usize,
}

/// The tree of a text that holds exactly one document.
pub(super) fn read(text: &str) -> Result<Yaml> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    Ok(reader.document().map_err(|error| *error)?)
}

pub(super) type Parsed<T> = std::result::Result<T, Box<ParseError>>;

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '\'' | '$')
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Parsed<Yaml> {
        self.at = if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        self.skip();
        while self.peek() == Some('%') {
            self.at = self.line_end(self.at);
            self.skip();
        }
        if self.marker("---") {
            self.at += 3;
            self.skip();
        }
        if self.ends() {
            return self.fail("a YAML mapping");
        }
        let result = self.value(Around::Nothing)?;
        self.skip();
        if self.marker("---") {
            return self.fail("only one document");
        }
        if self.marker("...") {
            self.at += 3;
            self.skip();
        }
        match self.peek() {
            None => Ok(result),
            Some(_) if matches!(result.value, YamlValue::Map(_)) => {
                self.fail("a key in the column of the first key, or the end of the text")
            }
            Some(_) => self.fail("the end of the text"),
        }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn error<T>(&self, start: usize, expected: &str) -> Parsed<T> {
        let length = self.text[start..].chars().next().map_or(0, char::len_utf8);
        Err(error_at(self.text, start, start + length, expected.into()))
    }

    pub(super) fn fail<T>(&self, expected: &str) -> Parsed<T> {
        self.error(self.at, expected)
    }

    pub(super) fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |length| at + length)
    }

    /// The first place from `at` on that is neither white space nor in a comment.
    pub(super) fn after_blanks(&self, mut at: usize) -> usize {
        loop {
            at += self.text[at..].find(|c: char| !c.is_whitespace()).unwrap_or(self.text.len() - at);
            if !self.text[at..].starts_with('#') {
                return at;
            }
            at = self.line_end(at);
        }
    }

    pub(super) fn skip(&mut self) {
        self.at = self.after_blanks(self.at);
    }

    /// Whether a marker of documents stands here, at the beginning of a line.
    fn marker(&self, marker: &str) -> bool {
        let after = self.rest().strip_prefix(marker);
        let begins = self.at == 0 || self.text[..self.at].ends_with(['\n', '\u{feff}']);
        begins && after.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    }

    fn ends(&self) -> bool {
        self.rest().is_empty() || self.marker("---") || self.marker("...")
    }

    pub(super) fn column(&self, at: usize) -> Column {
        let start = self.text[..at].rfind('\n').map_or(0, |k| k + 1);
        let mut column = Column { characters: 0, tabbed: 0 };
        for c in self.text[start..at].chars().filter(|c| *c != '\u{feff}') {
            column.characters += 1;
            column.tabbed = if c == '\t' { column.tabbed / 8 * 8 + 8 } else { column.tabbed + 1 };
        }
        column
    }

    /// Whether an entry of a list begins here.
    fn is_item(&self) -> bool {
        let next = self.rest().strip_prefix('-').map(|rest| rest.chars().next());
        match next {
            Some(None) => true,
            Some(Some(c)) => c.is_whitespace() || c.is_alphabetic() || matches!(c, '"' | '\'' | '{' | '['),
            None => false,
        }
    }

    /// The end of the key at a place, if a key with its colon is there.
    pub(super) fn key_at(&self, at: usize) -> Option<usize> {
        let rest = &self.text[at..];
        let end = match rest.chars().next()? {
            '"' | '\'' => self.quoted_end(at)?,
            c if c.is_alphabetic() || c == '_' => at + rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => return None,
        };
        self.text[self.after_blanks(end)..].starts_with(':').then_some(end)
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.fail("fewer than 200 nested levels");
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    pub(super) fn node(&self, start: usize, text: String) -> Yaml {
        Yaml { start, end: self.at, value: YamlValue::Scalar(text) }
    }

    /// The value that begins after white space and comments; nothing is an empty scalar.
    fn value(&mut self, around: Around) -> Parsed<Yaml> {
        let before = self.at;
        self.skip();
        let is_new_line = self.text[before..self.at].contains('\n');
        let is_missing = self.ends()
            || match around {
                Around::Nothing => false,
                Around::Flow => matches!(self.peek(), Some(',' | ']' | '}')),
                // As for isl, in whatever column: nothing else can begin like this.
                _ if self.peek().is_some_and(|c| "{[(\"'".contains(c)) && self.key_at(self.at).is_none() => false,
                Around::Mapping(key) if is_new_line => {
                    let column = self.column(self.at);
                    !(if self.is_item() { column.reaches(key) } else { column.nearly_reaches(key) })
                }
                Around::List(dash) if is_new_line => {
                    let column = self.column(self.at);
                    !column.nearly_reaches(dash) || self.is_item() && dash.reaches(column)
                }
                Around::Mapping(_) | Around::List(_) => false,
            };
        if is_missing {
            let start = self.at;
            self.at = before;
            return Ok(Yaml { start, end: start, value: YamlValue::Scalar(String::new()) });
        }
        let is_flow = matches!(around, Around::Flow);
        let start = self.at;
        if !is_flow && self.key_at(start).is_some() {
            return self.nested(|r| r.mapping(matches!(around, Around::Nothing)));
        }
        if !is_flow && self.is_item() {
            return self.nested(Self::list);
        }
        match self.peek() {
            Some('"' | '\'') => self.quoted(),
            Some('{') if self.is_mapping(start) => self.nested(Self::flow_mapping),
            Some('[') if !self.is_object(start) => self.nested(Self::flow_list),
            Some('{' | '[' | '(') => self.object(),
            Some('|' | '>') if !is_flow => self.block(around),
            Some('&' | '*' | '!') => self.fail("a node without anchor, alias or tag"),
            Some(c) if is_word(c) => self.plain(is_flow),
            _ => self.fail("a value"),
        }
    }

    fn key(&mut self) -> Parsed<Yaml> {
        let start = self.at;
        let Some(end) = self.key_at(start) else { return self.fail("a key and a colon") };
        let key = if self.rest().starts_with(['"', '\'']) {
            self.quoted()?
        } else {
            self.at = end;
            self.node(start, self.text[start..end].to_owned())
        };
        self.at = self.after_blanks(end) + 1;
        Ok(key)
    }

    fn mapping(&mut self, is_root: bool) -> Parsed<Yaml> {
        let start = self.at;
        let first = self.column(start);
        let mut pairs = Vec::new();
        loop {
            let key = self.key()?;
            pairs.push((key, self.value(Around::Mapping(first))?));
            let before = self.at;
            self.skip();
            // As for isl, a key on the same line belongs to the innermost mapping.
            let belongs = !self.text[before..self.at].contains('\n') || {
                let column = self.column(self.at);
                column.reaches(first) || is_root && column.nearly_reaches(first)
            };
            if self.ends() || !belongs || self.is_item() || matches!(self.peek(), Some(',' | ']' | '}')) {
                // Whatever is around sees the end of the line, too.
                self.at = before;
                return Ok(Yaml { start, end: start, value: YamlValue::Map(pairs) });
            }
        }
    }

    fn list(&mut self) -> Parsed<Yaml> {
        let start = self.at;
        let dash = self.column(start);
        let (mut items, mut end) = (Vec::new(), start);
        while !self.ends() && self.is_item() && self.column(self.at).reaches(dash) {
            self.at += 1;
            items.push(self.value(Around::List(dash))?);
            end = self.at;
            self.skip();
        }
        self.at = end;
        Ok(Yaml { start, end: start, value: YamlValue::List(items) })
    }

    /// A comma, or the end of something in brackets.
    fn goes_on(&mut self, close: char) -> Parsed<bool> {
        self.skip();
        match self.peek() {
            Some(',') => self.at += 1,
            Some(c) if c == close => {}
            _ => return self.fail(&format!("`,` or `{close}`")),
        }
        self.skip();
        let ends = self.peek() == Some(close);
        self.at += usize::from(ends);
        Ok(!ends)
    }

    fn flow_mapping(&mut self) -> Parsed<Yaml> {
        let start = self.at;
        self.at += 1;
        self.skip();
        let mut pairs = Vec::new();
        loop {
            let key = self.key()?;
            pairs.push((key, self.value(Around::Flow)?));
            if !self.goes_on('}')? {
                return Ok(Yaml { start, end: start, value: YamlValue::Map(pairs) });
            }
        }
    }

    fn flow_list(&mut self) -> Parsed<Yaml> {
        let start = self.at;
        self.at += 1;
        self.skip();
        let mut items = Vec::new();
        let mut goes_on = self.peek() != Some(']');
        self.at += usize::from(!goes_on);
        while goes_on {
            items.push(self.value(Around::Flow)?);
            goes_on = self.goes_on(']')?;
        }
        Ok(Yaml { start, end: start, value: YamlValue::List(items) })
    }
}
