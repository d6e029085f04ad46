//! The options of a band for AST generation, as isl writes them: a union of sets.
//!
//! `{ separate[x] }` gives member `x` a loop type (`atomic`, `separate`, `unroll`), `isolate[[outer] -> [members]]`
//! singles out a part of the band, and `[isolate[] -> unroll[x]]` gives a member a loop type in that part.
//! `separation_class[[x] -> [class]]`, isl's older way to keep full tiles apart, is dropped: it changes the form of the
//! code and not its meaning. Here the loop types are fields of the members; this module goes from one form to the
//! other.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Set, UnionSet};
use crate::space::{DimKind, Name, Tuple};

use super::band::{Band, LoopType, Member};
use super::print::body;

/// The word for a loop type; nothing for the default.
fn word(loop_type: LoopType) -> Option<&'static str> {
    match loop_type {
        LoopType::Default => None,
        LoopType::Atomic => Some("atomic"),
        LoopType::Separate => Some("separate"),
        LoopType::Unroll => Some("unroll"),
    }
}

/// The options as a union of sets; nothing if all are default.
pub(super) fn text(band: &Band) -> Option<String> {
    let mut parts = Vec::new();
    let mut params = String::new();
    if let Some(isolate) = &band.isolate {
        let set = isolate.wrap();
        let tuple = set.space().range_tuple().with_name("isolate");
        let named = set.with_space(&set.space().with_tuple(DimKind::Out, tuple)).unwrap_or(set);
        let names: Vec<&str> = named.space().param_names().iter().map(|name| &**name).collect();
        if !names.is_empty() {
            params = format!("[{}] -> ", names.join(", "));
        }
        parts.push(body(&named.to_string()));
    }
    for (position, member) in band.members().iter().enumerate() {
        parts.extend(word(member.loop_type).map(|word| format!("{word}[{position}]")));
        parts.extend(word(member.isolate_loop_type).map(|word| format!("[isolate[] -> {word}[{position}]]")));
    }
    if parts.is_empty() { None } else { Some(format!("{params}{{ {} }}", parts.join("; "))) }
}

impl Band {
    /// The same band with the options of a union of sets in isl's form, without `separation_class`. An error for
    /// options that do not exist here, for a member with two loop types, and for an `isolate` option that does not fit
    /// the number of members.
    pub fn with_options(self, options: &UnionSet, budget: &Budget) -> Result<Band> {
        let mut members = self.members().to_vec();
        let mut isolate = None;
        for set in options.members() {
            let tuple = set.space().range_tuple();
            if is_separation_class(tuple) {
                continue;
            }
            if tuple.name().is_some_and(|name| &**name == "isolate") {
                let bare = Tuple::nest_of(tuple).ok_or_else(|| wrong(set))?;
                let map = set.with_space(&set.space().with_tuple(DimKind::Out, bare))?.unwrap()?;
                if map.space().dim(DimKind::Out) != members.len() {
                    return Err(wrong(set));
                }
                isolate = Some(map);
                continue;
            }
            let inner = match tuple.factors() {
                Some((first, second)) if first.name().is_some_and(|name| &**name == "isolate") && first.is_empty() => {
                    Some(second)
                }
                _ => None,
            };
            let loop_type = kind(inner.as_ref().unwrap_or(tuple).name()).ok_or_else(|| wrong(set))?;
            if set.space().dim(DimKind::Out) != 1 {
                return Err(wrong(set));
            }
            for (position, member) in members.iter_mut().enumerate() {
                if set.fix(DimKind::Out, 0, &Int::from(position))?.is_empty(budget)? {
                    continue;
                }
                let place = if inner.is_some() { &mut member.isolate_loop_type } else { &mut member.loop_type };
                if *place != LoopType::Default {
                    return Err(wrong(set));
                }
                *place = loop_type;
            }
        }
        let mut band = self.with_members(members);
        band.isolate = isolate;
        Ok(band)
    }
}

fn kind(name: Option<&Name>) -> Option<LoopType> {
    match &**name? {
        "atomic" => Some(LoopType::Atomic),
        "separate" => Some(LoopType::Separate),
        "unroll" => Some(LoopType::Unroll),
        _ => None,
    }
}

/// Whether options of this space are separation classes, `separation_class[[x] -> [class]]`, which are ignored.
pub(crate) fn is_separation_class(tuple: &Tuple) -> bool {
    let factors = tuple.factors();
    tuple.name().is_some_and(|name| &**name == "separation_class")
        && factors.is_some_and(|(member, class)| member.len() == 1 && class.len() == 1)
}

fn wrong(set: &Set) -> Error {
    Error::OutOfRange {
        operation: "set the options of a band",
        what: format!(
            "{set} is not one of atomic[x], separate[x], unroll[x] (at most one per member), \
             isolate[[outer members] -> [members of the band]], and [isolate[] -> atomic[x]]"
        ),
    }
}

impl Member {
    /// Whether the AST generator gets any option for this member.
    pub fn has_options(&self) -> bool {
        self.loop_type != LoopType::Default || self.isolate_loop_type != LoopType::Default
    }
}
