//! How a strategy is read: steps, and which of them are there on which machine.
//!
//! ```text
//! strategy  = parts { "nest" TEXT script }
//! parts     = { ( step | guard | choice ) [";"] }
//! step      = NAME "(" [ NAME "=" argument { "," NAME "=" argument } ] ")"
//! guard     = "when" formula "{" parts "}" [ "else" ( "{" parts "}" | guard ) ]
//! choice    = "either" "{" parts "}" "or" "{" parts "}" { "or" "{" parts "}" }
//! argument  = formula | WORD | "[" [ argument { "," argument } ] "]"
//! ```
//!
//! Invariant: whatever conditions hold, and whatever is chosen, no step is there twice.

use std::ops::Range;

use crate::error::Result;
use crate::target::Target;
use crate::transform::{Item, Reader, Script, Value};

use super::formula::{Formula, Problem, condition, is_fact, number, take_word};
use super::steps::{TACTICS, Tactic};

/// The deepest nesting of lists, and of guards and choices.
const MAX_DEPTH: usize = 8;

/// A piece of a strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A step.
    Step(Written),
    /// Pieces for machines where a condition holds, and others for all others.
    When {
        /// The condition.
        condition: Formula,
        /// What is there if it holds.
        then: Vec<Part>,
        /// What is there otherwise.
        otherwise: Vec<Part>,
    },
    /// Pieces of which one is taken for each SCoP, and where they stand.
    Either(Vec<Vec<Part>>, Range<usize>),
}

/// A step as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Written {
    /// What it is.
    pub(super) tactic: Tactic,
    /// Where it stands.
    pub(super) place: Range<usize>,
    /// The arguments by name, and where they stand.
    pub(super) arguments: Vec<(&'static str, Argument, Range<usize>)>,
}

/// What stands behind the name of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    /// A number.
    Number(Formula),
    /// A word.
    Word(String),
    /// Several of them.
    List(Vec<Argument>),
}

impl Argument {
    /// The same with numbers in the place of formulas.
    pub(super) fn value(&self, target: Option<&Target>) -> std::result::Result<Value, Problem> {
        match self {
            Argument::Number(formula) => formula.value(target).map(Value::Integer),
            Argument::Word(word) => Ok(Value::Name(word.clone())),
            Argument::List(all) => all
                .iter()
                .map(|argument| argument.value(target))
                .collect::<std::result::Result<_, _>>()
                .map(Value::List),
        }
    }

    fn asks(&self) -> bool {
        match self {
            Argument::Number(formula) => formula.asks(),
            Argument::Word(_) => false,
            Argument::List(all) => all.iter().any(Argument::asks),
        }
    }
}

impl Part {
    /// Whether it may be something else on another machine.
    pub(super) fn asks(&self) -> bool {
        match self {
            Part::Step(step) => step.arguments.iter().any(|(_, argument, _)| argument.asks()),
            Part::When { condition, then, otherwise } => {
                condition.asks() || then.iter().chain(otherwise).any(Part::asks)
            }
            // Estimates for the machine choose.
            Part::Either(..) => true,
        }
    }
}

/// Scripts for single nests, by their names.
pub(super) type Scripts = Vec<(String, Script)>;

/// Reads a strategy: its parts, and the scripts for single nests.
pub(super) fn read(text: &str) -> Result<(Vec<Part>, Scripts)> {
    let mut reader = Reader::new(text);
    let parts = Grammar { reader: &mut reader, seen: Vec::new(), depth: 0 }.parts()?;
    let mut scripts: Scripts = Vec::new();
    while let Some(start) = reader.start_of_next() {
        match reader.item()? {
            Item::Nest(name) if scripts.iter().any(|(known, _)| *known == name) => {
                return reader.fail_from(start, format!("a nest that does not yet occur, instead of {name}"));
            }
            Item::Nest(name) => scripts.push((name, Script::default())),
            Item::Step(step) => match scripts.last_mut() {
                Some((_, script)) => script.steps.push(step),
                None => return reader.fail_from(start, "nest \"NAME\" before the steps for it"),
            },
        }
        reader.take(';');
    }
    Ok((parts, scripts))
}

struct Grammar<'r, 't> {
    reader: &'r mut Reader<'t>,
    /// The steps that may be there already.
    seen: Vec<Tactic>,
    /// The number of guards and choices around.
    depth: usize,
}

impl Grammar<'_, '_> {
    /// Everything up to a brace, a header of a nest or the end.
    fn parts(&mut self) -> Result<Vec<Part>> {
        let mut parts = Vec::new();
        while let Some(start) = self.reader.start_of_next() {
            if self.reader.rest().starts_with('}') && self.depth > 0 {
                break;
            }
            if take_word(self.reader, "nest") {
                let is_header = self.reader.take('"');
                if !is_header {
                    return self.reader.fail("the name of a nest between quotes");
                }
                if self.depth > 0 {
                    return self.reader.fail_from(start, "`}` before steps for single nests");
                }
                self.reader.at = start;
                break;
            }
            parts.push(if take_word(self.reader, "when") {
                self.guard()?
            } else if take_word(self.reader, "either") {
                self.choice(start)?
            } else {
                Part::Step(self.step(start)?)
            });
            self.reader.take(';');
        }
        Ok(parts)
    }

    fn block(&mut self) -> Result<Vec<Part>> {
        self.reader.expect('{')?;
        let parts = self.parts()?;
        self.reader.expect('}')?;
        Ok(parts)
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.reader.fail("fewer guards inside each other");
        }
        Ok(())
    }

    /// What follows `either`. A step may be in several pieces: only one of them is taken.
    fn choice(&mut self, start: usize) -> Result<Part> {
        self.deeper()?;
        let before = self.seen.clone();
        let (mut all, mut seen) = (Vec::new(), Vec::new());
        loop {
            self.seen.clone_from(&before);
            all.push(self.block()?);
            seen.append(&mut self.seen);
            if !take_word(self.reader, "or") {
                break;
            }
        }
        if all.len() < 2 {
            return self.reader.fail("or { ... }: another choice");
        }
        self.seen = seen;
        self.depth -= 1;
        Ok(Part::Either(all, start..self.reader.at))
    }

    /// What follows `when`. A step may be on both sides: only one of them is there.
    fn guard(&mut self) -> Result<Part> {
        self.deeper()?;
        let condition = condition(self.reader)?;
        let before = self.seen.clone();
        let then = self.block()?;
        let seen = std::mem::replace(&mut self.seen, before);
        let otherwise = match take_word(self.reader, "else") {
            true if take_word(self.reader, "when") => vec![self.guard()?],
            true => self.block()?,
            false => Vec::new(),
        };
        self.seen.extend(seen);
        self.depth -= 1;
        Ok(Part::When { condition, then, otherwise })
    }

    fn step(&mut self, start: usize) -> Result<Written> {
        let name = self.reader.name("the name of a step")?;
        let Some((name, tactic, arguments)) = TACTICS.iter().find(|(known, ..)| *known == name) else {
            let known: Vec<&str> = TACTICS.iter().map(|(name, ..)| *name).collect();
            return self
                .reader
                .fail_from(start, format!("a step of a strategy: {}; or when, or either", known.join(", ")));
        };
        let mut step = Written { tactic: *tactic, place: start..start, arguments: Vec::new() };
        self.reader.expect('(')?;
        while !self.reader.take(')') {
            if !step.arguments.is_empty() && !self.reader.take(',') {
                return self.reader.fail("`,` or `)`");
            }
            self.reader.skip();
            let start = self.reader.at;
            let word = self.reader.name("an argument such as sizes = [32]")?;
            let end = self.reader.at;
            if self.reader.take('@') {
                return self
                    .reader
                    .fail_from(start, format!("{name} without sites: a strategy says what is tried everywhere"));
            }
            self.reader.at = end;
            let Some(argument) = arguments.iter().find(|argument| **argument == word) else {
                let expected = match arguments.is_empty() {
                    true => format!("{name} without arguments"),
                    false => format!("an argument of {name}: {}", arguments.join(", ")),
                };
                return self.reader.fail_from(start, expected);
            };
            if step.arguments.iter().any(|(known, ..)| known == argument) {
                return self.reader.fail_from(start, "an argument that does not yet occur");
            }
            self.reader.expect('=')?;
            let value = self.argument(0)?;
            step.arguments.push((argument, value, start..self.reader.at));
        }
        step.place.end = self.reader.at;
        if self.seen.contains(tactic) {
            return self.reader.fail_from(start, format!("{name} only once"));
        }
        self.seen.push(*tactic);
        Ok(step)
    }

    fn argument(&mut self, depth: usize) -> Result<Argument> {
        if depth > MAX_DEPTH {
            return self.reader.fail("fewer nested lists");
        }
        if self.reader.take('[') {
            let mut all = Vec::new();
            while !self.reader.take(']') {
                if !all.is_empty() && !self.reader.take(',') {
                    return self.reader.fail("`,` or `]`");
                }
                all.push(self.argument(depth + 1)?);
            }
            return Ok(Argument::List(all));
        }
        // A word stands for itself where it is no fact and has no operator behind it; `max` is a word, `max(` the beginning of a formula.
        self.reader.skip();
        let start = self.reader.at;
        let word = self.reader.word(|c| c.is_alphanumeric() || c == '_');
        let end = self.reader.at;
        let is_word = word.starts_with(|c: char| !c.is_ascii_digit()) && !is_fact(&word);
        if is_word && self.reader.start_of_next().is_some() && self.reader.rest().starts_with([',', ')', ']']) {
            self.reader.at = end;
            return Ok(Argument::Word(word));
        }
        self.reader.at = start;
        Ok(Argument::Number(number(self.reader)?))
    }
}
