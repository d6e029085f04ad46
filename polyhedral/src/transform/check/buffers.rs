//! Do redirects and copies make sense, and is every buffer as large as what is touched in it?
//!
//! Names are unique; a redirect is about an access of the SCoP that touches one element per instance, and about each instance once; a
//! copy moves one element of the array of its buffer; elements fit; places are inside their buffer, which has bounds; and copies touch no
//! element of memory that the program does not certainly touch: there might be no memory, or it might belong to others. What a
//! statement with branches reads, and what is perhaps written, is not certain.

use crate::budget::Budget;
use crate::error::Result;
use crate::flow::AccessKind;
use crate::relation::{Map, Set, UnionSet};
use crate::scop::{Access, Storage};
use crate::space::{DimKind, Space};

use super::super::placement::{Buffer, CopyStatement, Direction, Redirect};
use super::{Defect, Draft};

/// What is wrong with the buffers of a draft.
pub(super) fn defect(draft: &Draft<'_>, budget: &Budget) -> Result<Option<Defect>> {
    let what = match names(draft) {
        Some(what) => Some(what),
        None => match unbounded(draft, budget)? {
            Some(what) => Some(what),
            None => redirects(draft, budget)?,
        },
    };
    match what {
        Some(what) => Ok(Some(Defect::Buffer { what })),
        None => Ok(copies(draft, budget)?.map(|what| Defect::Copies { what })),
    }
}

fn names(draft: &Draft<'_>) -> Option<String> {
    let (scop, placement) = (draft.scop, &draft.placement);
    for (position, buffer) in placement.buffers.iter().enumerate() {
        let name = &buffer.name;
        let again = placement.buffers[..position].iter().any(|other| other.name == *name);
        if again || scop.array(name).is_some() {
            return Some(format!("two arrays or buffers are called {name}"));
        }
        let Some(array) = scop.array(&buffer.array) else {
            return Some(format!("{name} is for {}, which is no array", buffer.array));
        };
        if scop.arrays[array].element != buffer.element {
            return Some(format!("{name} has other elements than {}", buffer.array));
        }
        if buffer.places.space().range_tuple().name().map_or("", |tuple| tuple) != name {
            return Some(format!("the places of {name} are those of another buffer: {}", buffer.places));
        }
        let mut layout = buffer.layout.clone();
        layout.sort_unstable();
        if !layout.iter().copied().eq(0..buffer.places.space().dim(DimKind::Out)) {
            return Some(format!("the layout of {name} is no order of its dimensions"));
        }
        if buffer.panel.is_some_and(|panel| panel == 0 || layout.is_empty()) {
            return Some(format!("{name} has panels without places"));
        }
    }
    for (position, copy) in placement.copies.iter().enumerate() {
        let name = &copy.statement;
        let again = placement.copies[..position].iter().any(|other| other.statement == *name);
        if again || scop.statement(name).is_some() || scop.array(name).is_some() || placement.buffer(name).is_some() {
            return Some(format!("two statements, copies or arrays are called {name}"));
        }
    }
    None
}

fn unbounded(draft: &Draft<'_>, budget: &Budget) -> Result<Option<String>> {
    for buffer in &draft.placement.buffers {
        if !buffer.places.is_bounded(budget)? {
            return Ok(Some(format!("{} has no bounds: {}", buffer.name, buffer.places)));
        }
    }
    Ok(None)
}

/// Whether all places of a map are in a buffer.
fn inside(draft: &Draft<'_>, map: &Map, buffer: &Buffer, budget: &Budget) -> Result<bool> {
    if map.space().range_tuple() != buffer.places.space().range_tuple() {
        return Ok(false);
    }
    map.intersect_params(&draft.scop.context, budget)?.range(budget)?.is_subset(&buffer.places, budget)
}

fn redirects(draft: &Draft<'_>, budget: &Budget) -> Result<Option<String>> {
    let (scop, placement) = (draft.scop, &draft.placement);
    for (position, redirect) in placement.redirects.iter().enumerate() {
        let Redirect { statement, access, to } = redirect;
        let name = format!("{statement}.{access}");
        let Some(owner) = scop.statement(statement).map(|s| &scop.statements[s]) else {
            return Ok(Some(format!("{statement} is no statement")));
        };
        let Some(original) = owner.accesses.get(*access) else {
            return Ok(Some(format!("{name} is no access")));
        };
        let Some(buffer) = placement.buffer(redirect.buffer()) else {
            return Ok(Some(format!("{name} goes to {}, which is no buffer", redirect.buffer())));
        };
        if scop.array_of(original).map(|array| &scop.arrays[array].name) != Some(&buffer.array) {
            return Ok(Some(format!("{name} goes to {}, which is for {}", buffer.name, buffer.array)));
        }
        if to.space().domain_tuple() != Some(owner.domain.space().range_tuple()) {
            return Ok(Some(format!("the redirect of {name} is one of another statement")));
        }
        let known = to.intersect_params(&scop.context, budget)?;
        let instances = known.domain(budget)?;
        let relation = original.relation.intersect_domain(&owner.domain, budget)?;
        if !instances.is_subset(&relation.domain(budget)?, budget)? {
            return Ok(Some(format!("{name} is redirected where it touches nothing")));
        }
        if !known.is_single_valued(budget)? || !relation.is_single_valued(budget)? {
            return Ok(Some(format!("{name} is redirected where it touches several elements or places")));
        }
        for other in placement.redirects[..position].iter().filter(|o| o.statement == *statement && o.access == *access)
        {
            if !other.to.domain(budget)?.is_disjoint(&instances, budget)? {
                return Ok(Some(format!("{name} is redirected twice")));
            }
        }
        if !inside(draft, &known, buffer, budget)? {
            return Ok(Some(format!("{name} touches places outside of {}: {}", buffer.name, buffer.places)));
        }
    }
    Ok(None)
}

fn copies(draft: &Draft<'_>, budget: &Budget) -> Result<Option<String>> {
    let scheduled = scheduled(draft, budget)?;
    // Copies of one array ask about the same elements.
    let mut asked: Vec<(bool, Set)> = Vec::new();
    for copy in &draft.placement.copies {
        let CopyStatement { statement: name, direction, element, place } = copy;
        let Some(buffer) = draft.placement.buffer(copy.buffer()) else {
            return Ok(Some(format!("{name} copies to or from {}, which is no buffer", copy.buffer())));
        };
        if copy.array() != buffer.array || element.space().domain_tuple() != place.space().domain_tuple() {
            return Ok(Some(format!("{name} copies between {} and {}", copy.array(), buffer.name)));
        }
        let instances = scheduled.extract(&element.space().domain());
        let (element, place) =
            (element.intersect_domain(&instances, budget)?, place.intersect_domain(&instances, budget)?);
        if !element.is_single_valued(budget)? || !place.is_single_valued(budget)? {
            return Ok(Some(format!("an instance of {name} copies several elements")));
        }
        if !inside(draft, &place, buffer, budget)? {
            return Ok(Some(format!("{name} touches places outside of {}: {}", buffer.name, buffer.places)));
        }
        let elements = element.range(budget)?;
        // A scalar is no memory.
        if is_scalar(draft, &elements) {
            continue;
        }
        let written = *direction == Direction::Out;
        let known = match asked.iter().find(|(other, known)| *other == written && known.space() == elements.space()) {
            Some((_, known)) => known.clone(),
            None => {
                let known = touched(draft, elements.space(), written, budget)?;
                asked.push((written, known.clone()));
                known
            }
        };
        if !elements.is_subset(&known, budget)? {
            let others = elements.subtract(&known, budget)?;
            return Ok(Some(format!("{name} touches elements that the program may not touch: {others}")));
        }
    }
    Ok(None)
}

/// The instances of copies that the tree has.
fn scheduled(draft: &Draft<'_>, budget: &Budget) -> Result<UnionSet> {
    let flat = draft.tree.flatten(budget)?.into_iter();
    let copies = flat.filter(|entry| draft.placement.copy(&entry.stmt).is_some());
    UnionSet::from_members(copies.map(|entry| entry.domain))?.intersect_params(&draft.scop.context, budget)
}

/// Whether some elements are those of a scalar.
fn is_scalar(draft: &Draft<'_>, elements: &Set) -> bool {
    let array = elements.space().range_tuple().name().and_then(|name| draft.scop.array(name));
    array.is_some_and(|array| draft.scop.arrays[array].storage == Storage::Scalar)
}

/// The elements of one array, in the space of its elements, that the program certainly touches, or writes.
fn touched(draft: &Draft<'_>, space: &Space, written: bool, budget: &Budget) -> Result<Set> {
    let mut all = Set::empty(space.clone());
    for statement in &draft.scop.statements {
        let certain = |access: &&Access| match access.kind {
            AccessKind::Read => !written && !statement.branches,
            AccessKind::MustWrite => true,
            AccessKind::MayWrite => false,
        };
        let wanted = statement.accesses.iter().filter(certain);
        for access in wanted.filter(|access| access.relation.space().range_tuple() == space.range_tuple()) {
            all = all.union(&access.relation.intersect_domain(&statement.domain, budget)?.range(budget)?)?;
        }
    }
    all.coalesce(budget)
}
