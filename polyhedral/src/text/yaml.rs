//! YAML as a tree with places: what the readers of composite objects work on.
//!
//! [`super::yaml_reader`] makes the tree. A scalar that holds a text in isl's notation is read in place: an error
//! inside it is reported with the line and column in the whole text, as far as the scalar is written without escapes.

use crate::error::{Error, ParseError, Result};

use super::lexer::{error_at, place};
use super::yaml_reader;

/// A node of the tree.
#[derive(Clone, Debug)]
pub(crate) struct Yaml {
    /// The bytes of the node in the text; only the start for mappings and lists.
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

impl Yaml {
    /// The value of a key of a mapping.
    pub(crate) fn get(&self, key: &str) -> Option<&Yaml> {
        let YamlValue::Map(pairs) = &self.value else { return None };
        let is_key = |node: &Yaml| matches!(&node.value, YamlValue::Scalar(name) if name == key);
        pairs.iter().find(|(name, _)| is_key(name)).map(|(_, value)| value)
    }

    /// An entry of a list.
    pub(crate) fn entry(&self, index: usize) -> Option<&Yaml> {
        let YamlValue::List(list) = &self.value else { return None };
        list.get(index)
    }
}

/// A text with its tree.
pub(crate) struct Document<'a> {
    text: &'a str,
}

impl<'a> Document<'a> {
    /// The tree of a text that holds exactly one document.
    pub(crate) fn parse(text: &'a str) -> Result<(Document<'a>, Yaml)> {
        Ok((Document { text }, yaml_reader::read(text)?))
    }

    /// The error that something else was expected at a node.
    pub(crate) fn error<T>(&self, node: &Yaml, expected: &str) -> Result<T> {
        let first = self.text[node.start..].chars().next().map_or(0, char::len_utf8);
        Err((*error_at(self.text, node.start, node.end.max(node.start + first), expected.into())).into())
    }

    /// The pairs of a mapping with their keys, each of them one of a list. Whether a key may occur twice is left to the
    /// caller.
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

    /// The truth value of a number: whether it is not 0.
    pub(crate) fn flag(&self, node: &Yaml) -> Result<bool> {
        let text = self.scalar(node, "0 or 1")?;
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
            return self.error(node, "0 or 1");
        }
        Ok(text.bytes().any(|b| b != b'0'))
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

    /// Reads the text of a scalar, or the texts of a list of them.
    pub(crate) fn read_all<T>(
        &self,
        node: &Yaml,
        expected: &str,
        mut read: impl FnMut(&str) -> Result<T>,
    ) -> Result<Vec<T>> {
        let nodes = if let YamlValue::List(list) = &node.value { list } else { std::slice::from_ref(node) };
        nodes.iter().map(|node| self.read(node, expected, &mut read)).collect()
    }

    fn moved(&self, node: &Yaml, content: &str, error: Error) -> Error {
        let inner = match error {
            Error::Parse(inner) => inner,
            // What is wrong with the object as a whole is said at its scalar.
            Error::SpaceMismatch { .. } | Error::WrongShape { .. } | Error::OutOfRange { .. } => {
                let (first, last) = (node.start, node.end);
                return Error::Parse(*error_at(self.text, first, last, format!("another object ({error})")));
            }
            other => return other,
        };
        let (first, last) = (node.start, node.end);
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
