//! Does every read get the value that it gets in the program, and is memory the same afterwards?
//!
//! The value-based flow of data (from the last write before a read to the read) is computed twice: for the program in its own order, and for
//! the new code in the order of the tree, with accesses where redirects send them and copies as statements that write
//! what they read. A copy is an identity: what reads its value reads the value that it has read. Both must be the same relation from reads
//! to *values*. A value is a write of a statement (with the element, where it writes several), or an element as it was before the
//! program; a place of a buffer that nothing was written to is neither, and never the same. After all, a virtual statement reads every
//! element that is written and still visible afterwards: what gets there is what is left in memory.
//!
//! ```text
//! S: x = A[i]      x_in: T = x      R: B[i] = T[i]        R.0 <- x_in <- S.1, so R.0 reads S.1: as in the program
//! ```
//!
//! That is enough: by induction over time every instance reads the same values, and so computes the same.
//!
//! - Reassociation: the updates of a *reduction* do not replace what was there. They are sources that do not end the life of others, so
//!   that a reader gets the set of all updates since the last write, in any order. How updates of one kind see each other is not
//!   compared; how those of different kinds do is.
//! - A write that may not happen is a source of that kind, too, but it also counts as a read of what was there before, so that the
//!   order of such writes is compared.
//! - Chains of copies: that each copy has a value is a system of equations `value(copy) = values of its sources`, whose sources are
//!   earlier, so that it has one solution. Short chains are followed. For others there is a guess, the last write to the element
//!   in the new order, which is the solution if it satisfies the equations.
//!
//! Exact but for accesses that may touch several elements, whose flow is compared as a whole, and for chains of copies for which the
//! guess is wrong: then a draft that is right may be refused, never the other way round. Cost: two value-based analyses of the arrays in
//! question, a third one for long chains.
//!
//! Sources: P. Feautrier, "Dataflow Analysis of Array and Scalar References", IJPP 1991; the comparison of two programs by what each
//! read gets, through copies: S. Verdoolaege, G. Janssens, M. Bruynooghe, "Equivalence Checking of Static Affine Programs Using Widening
//! to Handle Recurrences", CAV 2009.

use crate::budget::Budget;
use crate::error::Result;
use crate::flow::{AccessInfo, AccessKind, AccessOrder};
use crate::relation::{Map, UnionMap};
use crate::space::Tuple;

use super::events::{Accessed, Events};
use super::{Defect, Draft};

/// How many steps of copies are followed before the guess: each step doubles the length.
const STEPS: usize = 3;

/// What is read that the program does not read, in some arrays.
pub(super) fn defect(draft: &Draft<'_>, arrays: &[usize], budget: &Budget) -> Result<Option<Defect>> {
    let events = Events::new(draft, arrays, budget)?;
    if let Some(defect) = events.mixed_up(budget)? {
        return Ok(Some(defect));
    }
    if let Some(defect) = events.race(budget)? {
        return Ok(Some(defect));
    }
    let values = Values { draft, events: &events, budget };
    let old = values.of_program()?;
    let Some(new) = values.of_draft()? else {
        let what = "values pass through copies in a way that is not understood".to_owned();
        return Ok(Some(Defect::Copies { what }));
    };
    for member in old.members().chain(new.members()) {
        let [old, new] = [&old, &new].map(|values| values.extract(member.space()));
        let (lost, wrong) = (old.subtract(&new, budget)?, new.subtract(&old, budget)?);
        let differs = !lost.is_empty(budget)? || !wrong.is_empty(budget)?;
        if differs {
            let reader = member.space().domain_tuple().map_or_else(String::new, |tuple| events.name_of(tuple));
            let what = match lost.is_empty(budget)? {
                false => format!("it lacks {lost}"),
                true => format!("it gets {wrong}"),
            };
            return Ok(Some(Defect::Values { reader, what }));
        }
    }
    Ok(None)
}

struct Values<'v> {
    draft: &'v Draft<'v>,
    events: &'v Events<'v>,
    budget: &'v Budget,
}

/// Who reads and who writes.
struct Roles {
    sink: UnionMap,
    must: UnionMap,
    may: UnionMap,
}

impl Values<'_> {
    /// The values of all reads of the program.
    fn of_program(&self) -> Result<UnionMap> {
        let mut roles = self.nothing();
        for access in &self.events.accesses {
            roles.add(access, std::slice::from_ref(&access.original), true, self.budget)?;
        }
        roles.sink = roles.sink.union(&self.events.final_reads()?)?;
        let values = self.flow(roles, self.events.program_order()?)?;
        self.without_reassociated(&values)
    }

    /// The values of all reads of the new code; nothing if those of copies are not found.
    fn of_draft(&self) -> Result<Option<UnionMap>> {
        let mut roles = self.nothing();
        for access in &self.events.accesses {
            roles.add(access, &access.now, true, self.budget)?;
        }
        roles.sink = roles.sink.union(&self.events.final_reads()?)?;
        for (read, write, _) in &self.events.copies {
            roles.sink = roles.sink.add(read)?;
            roles.must = roles.must.add(write)?;
        }
        let values = self.flow(roles, self.events.draft_order()?)?;
        let (of_copies, of_others) = values
            .members()
            .partition::<Vec<_>, _>(|map| map.space().domain_tuple().is_some_and(|tuple| self.events.is_copy(tuple)));
        let of_others = UnionMap::from_members(of_others.into_iter().cloned())?;
        let of_copies = UnionMap::from_members(of_copies.into_iter().cloned())?;
        let Some(of_copies) = self.resolved(of_copies)? else { return Ok(None) };
        let values = self.through(&of_others, &of_copies)?;
        Ok(Some(self.without_reassociated(&values)?))
    }

    fn nothing(&self) -> Roles {
        let nothing = UnionMap::empty(&self.draft.scop.context.space().params_space());
        Roles { sink: nothing.clone(), must: nothing.clone(), may: nothing }
    }

    /// From reads to values, some of which are still copies.
    fn flow(&self, roles: Roles, order: AccessOrder) -> Result<UnionMap> {
        let kill = UnionMap::empty(roles.sink.params_space());
        let info = AccessInfo { sink: roles.sink, must_source: roles.must, may_source: roles.may, kill, order };
        let found = info.compute_flow(self.budget)?;
        let mut values = UnionMap::empty(found.may_no_source().params_space());
        for map in found.full_may_dependence().members() {
            // source -> [sink -> element]
            let source = map.space().domain_tuple().cloned().unwrap_or_default();
            let Some((sink, _)) = map.space().range_tuple().factors() else { continue };
            let mut value = map.reverse();
            if !self.events.is_function(&source) {
                let Some(access) = value.space().domain().unwrap() else { continue };
                value = value.range_product(&Map::universe(access).range_map(), self.budget)?;
            }
            if self.events.is_function(&sink) {
                value = value.domain_factor_domain(self.budget)?;
            }
            values = values.add(&value)?;
        }
        for map in found.may_no_source().members() {
            let sink = map.space().domain_tuple().cloned().unwrap_or_default();
            values = values.add(&if self.events.is_function(&sink) { map.clone() } else { map.range_map() })?;
        }
        values.coalesce(self.budget)
    }

    /// Values and copies apart.
    fn split(&self, values: &UnionMap) -> Result<(UnionMap, UnionMap)> {
        let mut parts = (UnionMap::empty(values.params_space()), UnionMap::empty(values.params_space()));
        for map in values.members() {
            let part = if self.events.is_copy(map.space().range_tuple()) { &mut parts.1 } else { &mut parts.0 };
            *part = part.add(map)?;
        }
        Ok(parts)
    }

    /// The same with the values of copies in their place.
    fn through(&self, values: &UnionMap, copies: &UnionMap) -> Result<UnionMap> {
        let (done, pending) = self.split(values)?;
        if pending.is_plainly_empty() {
            return Ok(done);
        }
        done.union(&pending.apply_range(copies, self.budget)?)?.coalesce(self.budget)
    }

    /// The values of copies without other copies; nothing if they are not found.
    fn resolved(&self, sources: UnionMap) -> Result<Option<UnionMap>> {
        let mut values = sources.clone();
        for _ in 0..STEPS {
            if self.split(&values)?.1.is_empty(self.budget)? {
                return Ok(Some(self.split(&values)?.0));
            }
            values = self.through(&values, &values)?;
        }
        let mut roles = self.nothing();
        for access in &self.events.accesses {
            roles.add(access, std::slice::from_ref(&access.original), false, self.budget)?;
        }
        for (_, _, element) in &self.events.copies {
            roles.sink = roles.sink.add(element)?;
        }
        let guess = self.flow(roles, self.events.draft_order()?)?;
        let solves = self.through(&sources, &guess)?.is_equal(&guess, self.budget)?;
        Ok(solves.then_some(guess))
    }

    /// The same without what reads of reductions get from updates of their kind.
    fn without_reassociated(&self, values: &UnionMap) -> Result<UnionMap> {
        let kind = |tuple: &Tuple| self.events.access(tuple).and_then(|access| access.reduction.as_deref());
        let kept = values.members().filter(|map| {
            let reader = map.space().domain_tuple().and_then(kind);
            reader.is_none() || reader != kind(map.space().range_tuple())
        });
        let kept = UnionMap::from_members(kept.cloned())?;
        Ok(kept.align_params(values.params_space()))
    }
}

impl Roles {
    /// Adds an access.
    fn add(&mut self, access: &Accessed, maps: &[Map], reads: bool, budget: &Budget) -> Result<()> {
        for map in maps {
            let tagged = access.tagged(map, budget)?;
            if reads && access.kind != AccessKind::MustWrite {
                self.sink = self.sink.add(&access.tagged(&access.foreign(map, budget)?, budget)?)?;
            }
            let list = match access.kind {
                AccessKind::Read => continue,
                AccessKind::MustWrite if access.reduction.is_none() => &mut self.must,
                AccessKind::MustWrite | AccessKind::MayWrite => &mut self.may,
            };
            *list = list.add(&tagged)?;
        }
        Ok(())
    }
}
