//! Scalars of the dialect of [`super::yaml_reader`]: texts in isl's notation without quotes, words, quotes, blocks of
//! lines.

use super::yaml::Yaml;
use super::yaml_reader::{Around, Parsed, Reader, is_word};

impl Reader<'_> {
    pub(super) fn quoted_end(&self, at: usize) -> Option<usize> {
        let quote = self.text[at..].chars().next()?;
        let mut chars = self.text[at + 1..].char_indices().peekable();
        while let Some((k, c)) = chars.next() {
            if c == '\\' && quote == '"' {
                chars.next();
            } else if c == quote {
                match chars.peek() {
                    Some((_, '\'')) if quote == '\'' => drop(chars.next()),
                    _ => return Some(at + 1 + k + 1),
                }
            }
        }
        None
    }

    /// Whether the brace here opens a mapping. `rat:` begins an object, one that is refused later.
    pub(super) fn is_mapping(&self, at: usize) -> bool {
        let inner = self.after_blanks(at + 1);
        self.key_at(inner).is_some_and(|end| &self.text[inner..end] != "rat")
    }

    /// Whether the bracket here belongs to an object; see the module documentation.
    pub(super) fn is_object(&self, at: usize) -> bool {
        let arrow_after = |open: usize| {
            let end = self.group_end(open).ok()?;
            let arrow = self.after_blanks(end);
            self.text[arrow..].starts_with("->").then(|| self.after_blanks(arrow + 2))
        };
        let inner = self.after_blanks(at + 1);
        let rest = &self.text[inner..];
        match rest.chars().next() {
            Some('{') => !self.is_mapping(inner),
            // `[[n] -> { }, ...]` is a list, `[[{ }] -> [{ }]]` an object.
            Some('[') => arrow_after(inner).is_some_and(|range| !self.text[range..].starts_with('{')),
            Some('(') => true,
            Some(c) if c == ']' || c.is_alphabetic() || c == '_' => {
                let after = self.after_blanks(inner + rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
                c != ']' && self.text[after..].starts_with('[') || arrow_after(at).is_some()
            }
            _ => false,
        }
    }

    /// The end of the balanced brackets that open at a place; the error where they do not balance.
    fn group_end(&self, open: usize) -> Parsed<usize> {
        let mut closing: Vec<char> = Vec::new();
        let mut at = open;
        while let Some(c) = self.text[at..].chars().next() {
            match c {
                '#' => {
                    at = self.line_end(at);
                    continue;
                }
                '(' => closing.push(')'),
                '[' => closing.push(']'),
                '{' => closing.push('}'),
                ')' | ']' | '}' => {
                    let expected = closing.pop();
                    if expected != Some(c) {
                        return self.error(at, &format!("`{}`", expected.unwrap_or(c)));
                    }
                    if closing.is_empty() {
                        return Ok(at + 1);
                    }
                }
                _ => {}
            }
            at += c.len_utf8();
        }
        self.error(at, &format!("`{}`", closing.pop().unwrap_or(')')))
    }

    /// A text in isl's notation without quotes: it ends with its last bracket, on whatever line.
    pub(super) fn object(&mut self) -> Parsed<Yaml> {
        let start = self.at;
        loop {
            let rest = self.rest();
            let name = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let group = self.after_blanks(self.at + name);
            if !self.text[group..].starts_with(['(', '[', '{']) {
                return self.fail("`{`");
            }
            self.at = self.group_end(group)?;
            let arrow = self.after_blanks(self.at);
            if !self.text[arrow..].starts_with("->") {
                return Ok(self.node(start, self.text[start..self.at].to_owned()));
            }
            self.at = self.after_blanks(arrow + 2);
        }
    }

    /// A word, a number, or several of them on one line; `L[...]` is an object.
    pub(super) fn plain(&mut self, is_flow: bool) -> Parsed<Yaml> {
        let start = self.at;
        let rest = self.rest();
        let word = start + rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if self.text[self.after_blanks(word)..].starts_with('[') && !rest.starts_with(|c: char| c.is_ascii_digit()) {
            return self.object();
        }
        // As for isl, a key may follow on the same line.
        let next = word + self.text[word..].find(|c| !matches!(c, ' ' | '\t')).unwrap_or(self.text.len() - word);
        let mut end = word;
        if self.key_at(next).is_none() {
            let line = &self.text[start..self.line_end(start)];
            let stop = |(k, c): (usize, char)| {
                c == '#' && line[..k].ends_with([' ', '\t']) || is_flow && matches!(c, ',' | ']' | '}')
            };
            end = start + line.char_indices().find(|p| stop(*p)).map_or(line.len(), |(k, _)| k);
        }
        let text = self.text[start..end].trim_end();
        self.at = start + text.len();
        Ok(self.node(start, text.to_owned()))
    }

    pub(super) fn quoted(&mut self) -> Parsed<Yaml> {
        let start = self.at;
        let quote = self.peek().unwrap_or('"');
        let Some(end) = self.quoted_end(start) else { return self.fail(&format!("text that ends with `{quote}`")) };
        let inner = &self.text[start + 1..end - 1];
        let content = if quote == '\'' { inner.replace("''", "'") } else { self.unescaped(inner, start + 1)? };
        self.at = end;
        Ok(self.node(start, content))
    }

    /// The content of double quotes. A backslash at the end of a line joins it with the next.
    fn unescaped(&self, inner: &str, start: usize) -> Parsed<String> {
        let mut result = String::with_capacity(inner.len());
        let mut rest = inner;
        while let Some(k) = rest.find('\\') {
            result.push_str(&rest[..k]);
            rest = &rest[k + 1..];
            let place = start + inner.len() - rest.len();
            let Some(c) = rest.chars().next() else { break };
            rest = &rest[c.len_utf8()..];
            let digits = match c {
                'x' => 2,
                'u' => 4,
                'U' => 8,
                _ => 0,
            };
            let code = rest.get(..digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
            result.push(match c {
                '\n' | '\r' => {
                    rest = rest.trim_start();
                    continue;
                }
                'n' => '\n',
                't' | '\t' => '\t',
                'r' => '\r',
                '0' => '\0',
                ' ' | '"' | '\\' | '/' => c,
                'x' | 'u' | 'U' => match code.and_then(char::from_u32) {
                    Some(c) => c,
                    None => return self.error(place, "the number of a character"),
                },
                _ => return self.error(place, "an escape: one of \\n \\t \\r \\0 \\\" \\\\ \\/ \\x \\u \\U"),
            });
            rest = &rest[digits..];
        }
        result.push_str(rest);
        Ok(result)
    }

    /// `|` or `>` and the deeper lines that follow. Line ends are kept by both: isl's notation does not tell them from
    /// spaces.
    pub(super) fn block(&mut self, around: Around) -> Parsed<Yaml> {
        let outer = match around {
            Around::Mapping(column) | Around::List(column) => Some(column),
            Around::Nothing | Around::Flow => None,
        };
        let header = self.text[self.at + 1..self.line_end(self.at)].trim();
        if !header.trim_start_matches(['+', '-']).trim_start_matches(|c: char| c.is_ascii_digit()).is_empty()
            && !header.starts_with('#')
        {
            return self.fail("a block of lines");
        }
        let start = (self.line_end(self.at) + 1).min(self.text.len());
        let mut end = start;
        for line in self.text[start..].split_inclusive('\n') {
            let indent = line.len() - line.trim_start().len();
            let column = self.column(end + indent);
            if !line.trim().is_empty() && outer.is_some_and(|outer| outer.reaches(column)) {
                break;
            }
            end += line.len();
        }
        let text = self.text[start..end].trim();
        let start = start + self.text[start..end].find(text).unwrap_or(0);
        self.at = start + text.len();
        Ok(self.node(start, text.to_owned()))
    }
}
