//! The modifiers of one instruction, taken from the left.
//!
//! `mul.wide.s32` has the modifiers `wide` and `s32`: a decoder takes those that it knows, in PTX's order, and
//! [`Modifiers::end`] turns what is left into an error that names it.

use crate::error::{Error, Place};
use crate::types::Type;

pub(super) struct Modifiers<'s> {
    place: Place,
    opcode: &'s str,
    all: &'s [&'s str],
    at: usize,
}

impl<'s> Modifiers<'s> {
    pub(super) fn new(place: Place, opcode: &'s str, all: &'s [&'s str]) -> Self {
        Modifiers { place, opcode, all, at: 0 }
    }

    /// The instruction as it is written.
    pub(super) fn whole(&self) -> String {
        let mut text = self.opcode.to_owned();
        for modifier in self.all {
            text.push('.');
            text.push_str(modifier);
        }
        text
    }

    /// The next modifier.
    pub(super) fn peek(&self) -> &'s str {
        self.all.get(self.at).copied().unwrap_or("")
    }

    /// Takes the next modifier.
    pub(super) fn take(&mut self) -> &'s str {
        let modifier = self.peek();
        self.at += 1;
        modifier
    }

    /// Takes the next modifier if it is this one.
    pub(super) fn accept(&mut self, name: &str) -> bool {
        let is = self.peek() == name;
        self.at += usize::from(is);
        is
    }

    /// Takes the next modifier if it is one of these.
    pub(super) fn accept_any(&mut self, names: &[&str]) -> Option<&'s str> {
        let next = self.peek();
        let is = names.contains(&next);
        self.at += usize::from(is);
        is.then_some(next)
    }

    /// Takes the next modifier, which must be this one.
    pub(super) fn expect(&mut self, name: &str) -> Result<(), Error> {
        if self.accept(name) { Ok(()) } else { Err(self.unknown()) }
    }

    /// Takes the next modifier, which must be one of these.
    pub(super) fn expect_any(&mut self, names: &[&str]) -> Result<&'s str, Error> {
        self.accept_any(names).ok_or_else(|| self.unknown())
    }

    /// The error for the next modifier.
    pub(super) fn unknown(&self) -> Error {
        let message = match self.all.get(self.at) {
            Some(&modifier) if matches!(modifier, "approx" | "full") => {
                format!("`{}`: `.{modifier}` is an approximation, whose results PTX leaves open", self.whole())
            }
            Some(&"ftz") => format!("`{}`: `.ftz` flushes subnormal numbers, which IEEE 754 keeps", self.whole()),
            Some(modifier) => format!("`{}`: unknown modifier `.{modifier}`", self.whole()),
            None => format!("`{}`: a modifier is missing", self.whole()),
        };
        Error::new(self.place, message)
    }

    /// Takes a type.
    pub(super) fn ty(&mut self) -> Result<Type, Error> {
        match Type::named(self.peek()) {
            Some(ty) => {
                self.at += 1;
                Ok(ty)
            }
            None => Err(self.unknown()),
        }
    }

    /// There must be no modifier left.
    pub(super) fn end(&self) -> Result<(), Error> {
        if self.at < self.all.len() { Err(self.unknown()) } else { Ok(()) }
    }
}
