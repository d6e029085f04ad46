//! YAML as a tree with places: what the readers of composite objects work on.
//!
//! Block and flow style are both read (the events come from `saphyr-parser`). Anchors, aliases and tags are refused: no object
//! needs them. A scalar that holds a text in isl's notation is read in place: an error inside it is reported with the line and
//! column in the whole text, as far as the scalar is written without escapes.

use saphyr_parser::{Event, Parser};

use crate::error::{Error, ParseError, Result};

use super::lexer::{error_at, place};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 200;

/// A node of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Yaml {
    /// The characters of the node in the text; only the start for mappings and lists.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) value: YamlValue,
}

/// The content of a node.
#[derive(Clone, Debug)]
pub(crate) enum YamlValue {
    Scalar(String),
    List(Vec<Yaml>),
    Map(Vec<(Yaml, Yaml)>),
}

/// A text with its tree.
pub(crate) struct Document<'a> {
    text: &'a str,
}

impl<'a> Document<'a> {
    /// The tree of a text that holds exactly one document.
    pub(crate) fn parse(text: &'a str) -> Result<(Document<'a>, Yaml)> {
        let document = Document { text };
        let mut stack: Vec<(Yaml, Option<Yaml>)> = Vec::new();
        let mut root: Option<Yaml> = None;
        for event in Parser::new_from_str(text) {
            let (event, span) = match event {
                Ok(event) => event,
                Err(error) => return document.fail(error.marker().index(), None, &format!("YAML ({})", error.info())),
            };
            let (start, end) = (span.start.index(), span.end.index());
            let open = |value: YamlValue| Yaml { start, end: start, value };
            let complete = match event {
                Event::Scalar(text, _, 0, None) => Yaml { start, end, value: YamlValue::Scalar(text.into_owned()) },
                Event::SequenceStart(0, None) => {
                    stack.push((open(YamlValue::List(Vec::new())), None));
                    continue;
                }
                Event::MappingStart(0, None) => {
                    stack.push((open(YamlValue::Map(Vec::new())), None));
                    continue;
                }
                Event::SequenceEnd | Event::MappingEnd => match stack.pop() {
                    Some((node, _)) => node,
                    None => continue,
                },
                Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) | Event::Alias(_) => {
                    return document.fail(start, None, "a node without anchor, alias or tag");
                }
                Event::DocumentStart(_) if root.is_some() => return document.fail(start, None, "only one document"),
                _ => continue,
            };
            if stack.len() > MAX_DEPTH {
                return document.fail(start, None, "fewer than 200 nested levels");
            }
            let Some((parent, key)) = stack.last_mut() else {
                root = Some(complete);
                continue;
            };
            match &mut parent.value {
                YamlValue::List(list) => list.push(complete),
                YamlValue::Map(pairs) => match key.take() {
                    Some(key) => pairs.push((key, complete)),
                    None => *key = Some(complete),
                },
                YamlValue::Scalar(_) => {}
            }
        }
        match root {
            Some(root) => Ok((document, root)),
            None => document.fail(text.chars().count(), None, "a YAML mapping"),
        }
    }

    /// The byte of a character.
    fn byte(&self, index: usize) -> usize {
        self.text.char_indices().nth(index).map_or(self.text.len(), |(k, _)| k)
    }

    /// The error that something else was expected at some characters.
    fn fail<T>(&self, start: usize, end: Option<usize>, expected: &str) -> Result<T> {
        let first = self.byte(start);
        let last = match end {
            Some(end) => self.byte(end).max(first),
            None => first + self.text[first..].chars().next().map_or(0, char::len_utf8),
        };
        Err((*error_at(self.text, first, last, expected.into())).into())
    }

    /// The error that something else was expected at a node.
    pub(crate) fn error<T>(&self, node: &Yaml, expected: &str) -> Result<T> {
        self.fail(node.start, (node.end > node.start).then_some(node.end), expected)
    }

    /// The pairs of a mapping with their keys; every key must be one of a list and occur once.
    pub(crate) fn fields<'y>(
        &self,
        node: &'y Yaml,
        what: &str,
        keys: &[&str],
    ) -> Result<Vec<(&'y str, &'y Yaml, &'y Yaml)>> {
        let YamlValue::Map(pairs) = &node.value else { return self.error(node, what) };
        let mut result: Vec<(&str, &Yaml, &Yaml)> = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            let YamlValue::Scalar(name) = &key.value else { return self.error(key, "a key") };
            if !keys.contains(&name.as_str()) {
                return self.error(key, &format!("one of the keys {}", keys.join(", ")));
            }
            if result.iter().any(|(known, ..)| known == name) {
                return self.error(key, "a key that does not yet occur");
            }
            result.push((name, key, value));
        }
        Ok(result)
    }

    /// The text of a scalar.
    pub(crate) fn scalar<'y>(&self, node: &'y Yaml, expected: &str) -> Result<&'y str> {
        match &node.value {
            YamlValue::Scalar(text) => Ok(text),
            _ => self.error(node, expected),
        }
    }

    /// The truth value of a scalar `0` or `1`.
    pub(crate) fn flag(&self, node: &Yaml) -> Result<bool> {
        match self.scalar(node, "0 or 1")? {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => self.error(node, "0 or 1"),
        }
    }

    /// The entries of a list.
    pub(crate) fn list<'y>(&self, node: &'y Yaml, expected: &str) -> Result<&'y [Yaml]> {
        match &node.value {
            YamlValue::List(list) => Ok(list),
            _ => self.error(node, expected),
        }
    }

    /// Reads the text of a scalar; errors are moved to their place in the whole text.
    pub(crate) fn read<T>(&self, node: &Yaml, expected: &str, read: impl FnOnce(&str) -> Result<T>) -> Result<T> {
        let content = self.scalar(node, expected)?;
        read(content).map_err(|error| self.moved(node, content, error))
    }

    fn moved(&self, node: &Yaml, content: &str, error: Error) -> Error {
        let inner = match error {
            Error::Parse(inner) => inner,
            // What is wrong with the object as a whole is said at its scalar.
            Error::SpaceMismatch { .. } | Error::WrongShape { .. } | Error::OutOfRange { .. } => {
                let (first, last) = (self.byte(node.start), self.byte(node.end));
                return Error::Parse(*error_at(self.text, first, last, format!("another object ({error})")));
            }
            other => return other,
        };
        let (first, last) = (self.byte(node.start), self.byte(node.end));
        let written = self.text.get(first..last).unwrap_or("");
        let outer = place(self.text, first, first);
        let Some(offset) = written.find(content) else {
            return Error::Parse(ParseError { line: outer.line, column: outer.column, ..inner });
        };
        // The byte of the error inside the content, from its line and column.
        let line_start = content.split('\n').take(inner.line - 1).map(|l| l.len() + 1).sum::<usize>();
        let in_line = content.get(line_start..).unwrap_or("");
        let column = in_line.char_indices().nth(inner.column - 1).map_or(in_line.len(), |(k, _)| k);
        let at = (first + offset + line_start + column).min(self.text.len());
        let end = (at + inner.found.len()).min(self.text.len());
        if !self.text.is_char_boundary(at) || !self.text.is_char_boundary(end) {
            return Error::Parse(ParseError { line: outer.line, column: outer.column, ..inner });
        }
        let ParseError { expected, found, .. } = inner;
        let moved = *error_at(self.text, at, end, expected);
        Error::Parse(ParseError { found, ..moved })
    }
}

/// A scalar in double quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
