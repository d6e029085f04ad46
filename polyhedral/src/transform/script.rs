//! Scripts: passes with their sites and arguments as text.
//!
//! ```text
//! script   = { step [";"] }
//! step     = NAME "(" [ argument { "," argument } ] ")"
//! argument = SITE | NAME "=" value
//! value    = INTEGER | NAME | SITE | TEXT | "[" [ value { "," value } ] "]"
//! SITE     = STATEMENT "@" INTEGER
//! TEXT     = `"` characters other than `"` `"`
//! ```
//!
//! A `#` begins a comment that ends with the line. Names are letters, digits, `_` and `-`, and begin with a letter or `_`.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::text::error_at;

/// A band: the one with that number, the outermost counting 0, of those that schedule a statement. Example: `S1@0`. Where instances of the
/// statement are in several places of the tree, the first of them is meant, and with `S1@0.1` the second.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The statement.
    pub statement: String,
    /// The number of the band.
    pub band: usize,
    /// Which of the places where the tree has instances of the statement, in order.
    pub copy: usize,
}

/// An argument of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Integer(i64),
    /// A word: a statement, a choice.
    Name(String),
    /// A band.
    Site(Site),
    /// What is between quotes: a set.
    Text(String),
    /// Several values.
    List(Vec<Value>),
}

/// A pass with its site and arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The name of the pass.
    pub pass: String,
    /// The sites, in order.
    pub sites: Vec<Site>,
    /// The arguments by name, in order.
    pub arguments: Vec<(String, Value)>,
}

/// Steps in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The steps.
    pub steps: Vec<Step>,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.statement, self.band)?;
        if self.copy > 0 { write!(f, ".{}", self.copy) } else { Ok(()) }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Integer(number) => number.fmt(f),
            Value::Name(name) => name.fmt(f),
            Value::Site(site) => site.fmt(f),
            Value::Text(text) => write!(f, "\"{text}\""),
            Value::List(values) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", values.join(", "))
            }
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sites = self.sites.iter().map(ToString::to_string);
        let arguments = self.arguments.iter().map(|(name, value)| format!("{name} = {value}"));
        let all: Vec<String> = sites.chain(arguments).collect();
        write!(f, "{}({})", self.pass, all.join(", "))
    }
}

/// One step per line.
impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}

impl Value {
    /// The numbers of a list.
    pub(crate) fn integers(&self) -> Option<Vec<i64>> {
        let Value::List(values) = self else { return None };
        values.iter().map(|value| if let Value::Integer(number) = value { Some(*number) } else { None }).collect()
    }

    /// The numbers of a list of lists.
    pub(crate) fn lists_of_integers(&self) -> Option<Vec<Vec<i64>>> {
        let Value::List(lists) = self else { return None };
        lists.iter().map(Value::integers).collect()
    }

    /// A list of numbers.
    pub(crate) fn list(numbers: impl IntoIterator<Item = i64>) -> Value {
        Value::List(numbers.into_iter().map(Value::Integer).collect())
    }
}

impl Step {
    /// A step with at most one site.
    pub(crate) fn new(
        pass: &str,
        site: impl Into<Option<Site>>,
        arguments: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Step {
        let arguments = arguments.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Step { pass: pass.to_owned(), sites: site.into().into_iter().collect(), arguments }
    }

    /// An argument by name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.arguments.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// An argument that is a number.
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Some(Value::Integer(number)) => Some(*number),
            _ => None,
        }
    }

    /// An argument that is a list of numbers.
    pub fn integers(&self, name: &str) -> Option<Vec<i64>> {
        self.get(name)?.integers()
    }

    /// An argument that is a list of lists of numbers.
    pub fn lists_of_integers(&self, name: &str) -> Option<Vec<Vec<i64>>> {
        self.get(name)?.lists_of_integers()
    }

    /// An argument that is a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// An argument that is a word.
    pub fn name(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(Value::Name(word)) => Some(word),
            _ => None,
        }
    }
}

impl Script {
    /// How many copies of scalars it was made for, along the two innermost loops: what its first step, `copies`, says.
    pub fn copies(&self) -> Option<[i64; 2]> {
        let first = self.steps.first().filter(|step| step.pass == "copies")?;
        first.integers("shape")?.try_into().ok()
    }

    /// The same for so many copies.
    pub fn with_copies(mut self, shape: [i64; 2]) -> Script {
        self.steps.insert(0, Step::new("copies", None, [("shape", Value::list(shape))]));
        self
    }

    /// Reads a script. Errors say line, column and what was expected.
    pub fn parse(text: &str) -> Result<Script> {
        let mut steps = Vec::new();
        let mut reader = Reader::new(text);
        while let Some(start) = reader.start_of_next() {
            match reader.item()? {
                Item::Step(step) => steps.push(step),
                Item::Nest(_) => return reader.fail_from(start, "a step: a script is about one nest"),
            }
            reader.take(';');
        }
        Ok(Script { steps })
    }
}

/// What a text of steps is made of.
pub(crate) enum Item {
    /// `nest "NAME"`: what follows is about this nest alone.
    Nest(String),
    /// A step.
    Step(Step),
}

impl FromStr for Script {
    type Err = Error;

    fn from_str(text: &str) -> Result<Script> {
        Script::parse(text)
    }
}

/// The deepest nesting of lists.
const MAX_DEPTH: usize = 8;

/// Goes through a text of steps, or of what is made of their tokens.
pub(crate) struct Reader<'t> {
    text: &'t str,
    /// The byte of the next character.
    pub(crate) at: usize,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str) -> Reader<'t> {
        Reader { text, at: 0 }
    }

    /// The byte where the next token begins; nothing at the end of the text.
    pub(crate) fn start_of_next(&mut self) -> Option<usize> {
        self.skip();
        (self.at < self.text.len()).then_some(self.at)
    }

    /// What is still to be read.
    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Skips white space and comments.
    pub(crate) fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let comment =
                if rest[blank..].starts_with('#') { rest[blank..].find('\n').unwrap_or(rest.len() - blank) } else { 0 };
            if blank + comment == 0 {
                return;
            }
            self.at += blank + comment;
        }
    }

    /// Goes past a character if it is the next one.
    pub(crate) fn take(&mut self, expected: char) -> bool {
        self.skip();
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len_utf8();
        }
        found
    }

    pub(crate) fn fail<T>(&self, expected: &str) -> Result<T> {
        let end = self.at + self.rest().chars().next().map_or(0, char::len_utf8);
        Err((*error_at(self.text, self.at, end, expected.into())).into())
    }

    /// Fails at what was read since `start`.
    pub(crate) fn fail_from<T>(&self, start: usize, expected: impl Into<String>) -> Result<T> {
        Err((*error_at(self.text, start, self.at, expected.into())).into())
    }

    pub(crate) fn expect(&mut self, expected: char) -> Result<()> {
        if self.take(expected) { Ok(()) } else { self.fail(&format!("`{expected}`")) }
    }

    /// The longest word of characters of some kind; empty if the next character is none.
    pub(crate) fn word(&mut self, allowed: impl Fn(char) -> bool) -> String {
        let rest = self.rest();
        let end = rest.find(|c| !allowed(c)).unwrap_or(rest.len());
        let word = rest[..end].to_owned();
        self.at += end;
        word
    }

    pub(crate) fn name(&mut self, what: &str) -> Result<String> {
        self.skip();
        if !self.rest().starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return self.fail(what);
        }
        Ok(self.word(|c| c.is_alphanumeric() || c == '_' || c == '-'))
    }

    pub(crate) fn integer<T: FromStr>(&mut self) -> Result<T> {
        let start = self.at;
        let sign = if self.rest().starts_with('-') { 1 } else { 0 };
        self.at += sign;
        self.word(|c| c.is_ascii_digit());
        match self.text[start..self.at].parse() {
            Ok(number) => Ok(number),
            Err(_) => {
                self.at = start;
                self.fail("a number")
            }
        }
    }

    pub(crate) fn item(&mut self) -> Result<Item> {
        let pass = self.name("the name of a pass")?;
        if pass == "nest" && self.take('"') {
            let name = self.word(|c| c != '"');
            self.expect('"')?;
            return Ok(Item::Nest(name));
        }
        self.step(pass).map(Item::Step)
    }

    /// What follows the name of a pass.
    fn step(&mut self, pass: String) -> Result<Step> {
        self.expect('(')?;
        let mut step = Step { pass, sites: Vec::new(), arguments: Vec::new() };
        while !self.take(')') {
            let is_first = step.sites.is_empty() && step.arguments.is_empty();
            if !is_first && !self.take(',') {
                return self.fail("`,` or `)`");
            }
            self.skip();
            let start = self.at;
            let name = self.name("a site such as S1@0, or an argument such as sizes = [32]")?;
            if self.take('@') {
                if !step.arguments.is_empty() {
                    self.at = start;
                    return self.fail("sites before arguments");
                }
                step.sites.push(self.site(name)?);
                continue;
            }
            if step.get(&name).is_some() {
                self.at = start;
                return self.fail("an argument that does not yet occur");
            }
            self.expect('=')?;
            let value = self.value(0)?;
            step.arguments.push((name, value));
        }
        Ok(step)
    }

    /// What follows the `@` of a site.
    fn site(&mut self, statement: String) -> Result<Site> {
        let band = self.integer()?;
        let copy = if self.rest().starts_with('.') && self.take('.') { self.integer()? } else { 0 };
        Ok(Site { statement, band, copy })
    }

    fn value(&mut self, depth: usize) -> Result<Value> {
        self.skip();
        if depth > MAX_DEPTH {
            return self.fail("fewer nested lists");
        }
        if self.take('[') {
            let mut values = Vec::new();
            while !self.take(']') {
                if !values.is_empty() && !self.take(',') {
                    return self.fail("`,` or `]`");
                }
                values.push(self.value(depth + 1)?);
            }
            return Ok(Value::List(values));
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            return Ok(Value::Integer(self.integer()?));
        }
        if self.take('"') {
            let text = self.word(|c| c != '"');
            self.expect('"')?;
            return Ok(Value::Text(text));
        }
        let name = self.name("a number, a word, a site, a text between quotes or a list")?;
        if self.take('@') { self.site(name).map(Value::Site) } else { Ok(Value::Name(name)) }
    }
}
