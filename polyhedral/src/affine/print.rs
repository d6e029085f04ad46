//! Writing quasi-affine functions in isl's notation.
//!
//! A piece is `tuple -> tuple : condition`; the condition of several conjunctions is `(...) or (...)`. Entries of a
//! tuple of piecewise expressions are `(value : condition; ...)`, or the value alone where it is total.

use std::fmt;

use crate::relation::{Columns, Conjunction, Printer, Set, object, params};
use crate::space::{Space, Tuple};

use super::{Aff, MultiAff, MultiPwAff, MultiUnionPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff};

/// The text of an expression in parentheses, over the columns of a space.
fn aff_text(aff: &Aff) -> String {
    let mut columns = Columns::of_space(aff.space());
    for div in aff.divs() {
        columns.push_div(&div.row[..columns.texts.len()], &div.den);
    }
    let numerator = columns.expr(aff.row());
    if aff.denominator().is_one() { format!("({numerator})") } else { format!("(({numerator})/{})", aff.denominator()) }
}

/// `tuple -> ` of the arguments of a function; nothing for only parameters.
fn arguments(space: &Space) -> String {
    if space.is_params() {
        return String::new();
    }
    let universe = Conjunction::universe(space.clone());
    format!("{} -> ", Printer::new(&universe).tuples())
}

/// A tuple with given texts as entries.
fn tuple_text(tuple: &Tuple, entries: &[String]) -> String {
    let name = tuple.name().map_or("", |n| n);
    match tuple.factors() {
        Some((a, b)) => {
            let (first, second) = entries.split_at(a.len().min(entries.len()));
            format!("{name}[{} -> {}]", tuple_text(&a, first), tuple_text(&b, second))
        }
        None => format!("{name}[{}]", entries.join(", ")),
    }
}

/// The condition of a set; empty for the universe.
fn condition(set: &Set) -> String {
    let texts: Vec<String> = set.conjunctions().iter().map(|c| Printer::new(c).condition()).collect();
    match texts.as_slice() {
        [] => "false".into(),
        [one] => one.clone(),
        list if list.iter().any(String::is_empty) => String::new(),
        list => list.iter().map(|t| format!("({t})")).collect::<Vec<_>>().join(" or "),
    }
}

/// `text`, or `text : condition`.
fn restricted(text: &str, condition: &str) -> String {
    if condition.is_empty() { text.to_string() } else { format!("{text} : {condition}") }
}

/// The pieces of a function to one value.
fn pieces(function: &PwAff) -> Vec<String> {
    let arguments = arguments(function.space());
    let text = |(set, aff): &(Set, Aff)| {
        // Everything is written over the names of the arguments in the space of the function.
        let set = set.with_space(function.space()).unwrap_or_else(|_| set.clone());
        let aff = aff.with_space(function.space()).unwrap_or_else(|_| aff.clone());
        restricted(&format!("{arguments}[{}]", aff_text(&aff)), &condition(&set))
    };
    function.pieces().iter().map(text).collect()
}

fn multi_text(function: &MultiAff) -> String {
    let values: Vec<String> = function.affs().iter().map(aff_text).collect();
    format!("{}{}", arguments(&function.domain_space()), tuple_text(function.space().range_tuple(), &values))
}

fn multi_pieces(function: &PwMultiAff) -> Vec<String> {
    let space = function.domain_space();
    let text = |(set, value): &(Set, MultiAff)| {
        let set = set.with_space(&space).unwrap_or_else(|_| set.clone());
        let value = value.with_space(function.space()).unwrap_or_else(|_| value.clone());
        restricted(&multi_text(&value), &condition(&set))
    };
    function.pieces().iter().map(text).collect()
}

/// An entry of a tuple of piecewise expressions.
fn component(function: &PwAff) -> String {
    if let Some(aff) = function.as_total() {
        return aff_text(aff);
    }
    if function.pieces().is_empty() {
        return "((0) : false)".into();
    }
    let space = function.space();
    let text = |(set, aff): &(Set, Aff)| {
        let set = set.with_space(space).unwrap_or_else(|_| set.clone());
        let aff = aff.with_space(space).unwrap_or_else(|_| aff.clone());
        let condition = condition(&set);
        format!("{} : {}", aff_text(&aff), if condition.is_empty() { "true" } else { &condition })
    };
    let pieces: Vec<String> = function.pieces().iter().map(text).collect();
    format!("({})", pieces.join("; "))
}

impl fmt::Display for Aff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        object(f, self.space(), &[format!("{}[{}]", arguments(self.space()), aff_text(self))])
    }
}

impl fmt::Display for MultiAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        object(f, self.space(), &[multi_text(self)])
    }
}

impl fmt::Display for PwAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pieces().is_empty() {
            return object(f, self.space(), &[format!("{}[(0)] : false", arguments(self.space()))]);
        }
        object(f, self.space(), &pieces(self))
    }
}

impl fmt::Display for PwMultiAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pieces().is_empty() {
            let nothing = multi_text(&MultiAff::zero(self.space().clone()));
            return object(f, self.space(), &[format!("{nothing} : false")]);
        }
        object(f, self.space(), &multi_pieces(self))
    }
}

impl fmt::Display for MultiPwAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = self.domain_space();
        let named = |function: &PwAff| function.with_space(&space).unwrap_or_else(|_| function.clone());
        let entries: Vec<String> = self.components().iter().map(|c| component(&named(c))).collect();
        let text = format!("{}{}", arguments(&space), tuple_text(self.space().range_tuple(), &entries));
        let condition = match self.explicit_domain() {
            Some(domain) => condition(&domain.with_space(&space).unwrap_or_else(|_| domain.clone())),
            None => String::new(),
        };
        object(f, self.space(), &[restricted(&text, &condition)])
    }
}

impl fmt::Display for UnionPwAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.members().flat_map(pieces).collect();
        object(f, self.params_space(), &all)
    }
}

impl fmt::Display for UnionPwMultiAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.members().flat_map(multi_pieces).collect();
        object(f, self.params_space(), &all)
    }
}

impl fmt::Display for MultiUnionPwAff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = |c: &UnionPwAff| format!("{{ {} }}", c.members().flat_map(pieces).collect::<Vec<_>>().join("; "));
        let entries: Vec<String> = self.components().iter().map(entry).collect();
        let tuple = tuple_text(self.space().range_tuple(), &entries);
        match self.explicit_domain() {
            Some(domain) => {
                let domain = domain.align_params(self.space()).to_string();
                let sets = domain.find('{').map_or("{ }", |start| &domain[start..]);
                write!(f, "{}({tuple} : {sets})", params(self.space()))
            }
            None => write!(f, "{}{tuple}", params(self.space())),
        }
    }
}
