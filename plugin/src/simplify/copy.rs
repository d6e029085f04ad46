//! Scalars that have what an element has, and are stored to it again.
//!
//! Where an array is not known to be another one, GVN keeps the sum that an inner loop stores in each iteration for the next run of that loop:
//!
//! ```c
//! for (r = 0; r < R; r++)                  for (sum = a[i], r = 0; r < R; r++, sum = a[i])
//!   for (t = 0; t < T; t++)          =>      for (a[i] = sum, t = 0; t < T; t++)
//!     a[i] += f(r, t);                         a[i] += f(r, t);
//! ```
//!
//! (the sum of the inner loop lives in `a[i]` already, see `anchor`). As a cell, `sum` orders all of it, and lies between the loops. But it is `a[i]` whenever it is read, so
//! that the store changes nothing, and both can go.
//!
//! A cell is such a copy of the element `X(o)`, with `o` the loops around all its users, if
//! 1. whoever reads it stores it to `X(o)` and does nothing else with it;
//! 2. whoever writes it has just loaded the value from `X(o)`, or stores it there, too, or another statement of the same iteration has done so, with no store to `X(o)` at all between
//!    them; and
//! 3. between any other store to the element and a reader that comes behind it there is one of these writers.
//!
//! Whenever the cell is read it is what `X(o)` is then: so it was when the last writer wrote it, and what has been stored to `X(o)` since are copies of the cell. All is decided exactly
//! over the union of iteration vectors.

use super::anchor::{Home, users_of};
use super::reload::{image, load_instead, stores, written};
use super::{Together, impossible, library_error};
use crate::formula::condition::Dnf;
use crate::formula::poly::Poly;
use crate::host::{Type, Value};
use crate::model::instance::Instance;
use crate::model::same_element;
use crate::model::scop::{Access, Op, Operand, Scop, Statement, Storage};
use crate::model::time::before;
use crate::reasons::Reason;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::space::DimKind;

/// A statement that writes the cell, and the one that has given the element the same value: itself, or one before it.
struct Writer {
    statement: usize,
    equal: usize,
}

/// A cell and the element that it is a copy of.
struct Copy<'s> {
    scop: &'s Scop,
    element: Home,
    /// The loops around all users.
    common: Vec<usize>,
    readers: Vec<usize>,
    writers: Vec<Writer>,
}

/// Removes a cell that is a copy of an element; whether it is one.
pub(super) fn remove_copy(scop: &mut Scop, cell: usize, budget: &Budget) -> Result<bool, Reason> {
    if !matches!(scop.arrays[cell].storage, Storage::Scalar(..)) {
        return Ok(false);
    }
    let Some(copy) = Copy::of(scop, cell, budget)? else { return Ok(false) };
    if !copy.has_equal_values(budget)? || !copy.is_undisturbed(budget)? {
        return Ok(false);
    }
    let element = copy.element;
    load_instead(scop, cell, &element);
    Ok(true)
}

/// The type of what an access loads or stores.
fn stored_type(access: &Access) -> Option<Type> {
    access.instruction.and_then(Value::memory_access).map(|access| access.ty)
}

/// The element to which a statement stores all that it reads of a cell; nothing if it does anything else with it.
fn stored_again(statement: &Statement, (cell, ty): (usize, Type)) -> Option<Home> {
    let mut element: Option<Home> = None;
    let is_cell = |access: usize| statement.accesses[access].array == cell;
    for op in &statement.body {
        let Op::Read { access, result } = op else { continue };
        if !is_cell(*access) {
            continue;
        }
        let is_it = |operand: &Operand| *operand == Operand::Result(*result);
        for user in &statement.body {
            let target = match user {
                Op::Write { access, value } if is_it(value) => &statement.accesses[*access],
                Op::LiveOut { value, .. } if is_it(value) => return None,
                Op::Compute { operands, .. } if operands.iter().any(is_it) => return None,
                Op::Combine { operands, .. } if operands.iter().any(is_it) => return None,
                _ => continue,
            };
            let own = Home::of(target);
            if stored_type(target) != Some(ty) {
                return None;
            }
            if element.as_ref().is_some_and(|known| !known.is_same(&own)) {
                return None;
            }
            element = Some(own);
        }
    }
    let writes = |array: usize| stores(statement, array).count();
    // What is stored there must not have been changed by the statement itself.
    element.filter(|own| statement.is_straight() && writes(cell) == 0 && writes(own.array) == 1)
}

impl<'s> Copy<'s> {
    /// A cell whose readers and writers are as conditions 1 and 2 want them.
    fn of(scop: &'s Scop, cell: usize, budget: &Budget) -> Result<Option<Copy<'s>>, Reason> {
        let Storage::Scalar(_, ty) = scop.arrays[cell].storage else { return Ok(None) };
        let (users, common) = users_of(scop, cell);
        let touches = |s: usize, is_read: bool| {
            let accesses = &scop.statements[s].accesses;
            accesses.iter().any(|access| access.array == cell && (access.kind == AccessKind::Read) == is_read)
        };
        let (readers, others): (Vec<usize>, Vec<usize>) = users.into_iter().partition(|s| touches(*s, true));
        let mut element: Option<Home> = None;
        for reader in &readers {
            let Some(own) = stored_again(&scop.statements[*reader], (cell, ty)) else { return Ok(None) };
            if element.as_ref().is_some_and(|known| !known.is_same(&own)) {
                return Ok(None);
            }
            element = Some(own);
        }
        let Some(element) = element else { return Ok(None) };
        let is_plain = matches!(scop.arrays[element.array].storage, Storage::Memory(_))
            && element.entries.is_empty()
            && element.is_fixed_in(&common);
        if !is_plain {
            return Ok(None);
        }
        let mut writers = Vec::new();
        for statement in others {
            let Some(equal) = Copy::equal(scop, cell, &element, statement, budget)? else { return Ok(None) };
            writers.push(Writer { statement, equal });
        }
        Ok(Some(Copy { scop, element, common, readers, writers }))
    }

    /// The statement that has given the element, or loaded from it, what a statement writes to the cell.
    fn equal(
        scop: &Scop,
        cell: usize,
        element: &Home,
        writer: usize,
        budget: &Budget,
    ) -> Result<Option<usize>, Reason> {
        let own = &scop.statements[writer];
        let Some(value) = written(own, cell) else { return Ok(None) };
        if image(scop, own, cell).is_some_and(|image| image.is_same(element)) {
            return Ok(Some(writer));
        }
        for (s, other) in scop.statements.iter().enumerate() {
            let mut stores = stores(other, element.array);
            let (Some((access, stored)), None) = (stores.next(), stores.next()) else { continue };
            let access = &other.accesses[access];
            let is_same = other.loops == own.loops
                && other.is_straight()
                && stored == value
                && access.kind == AccessKind::MustWrite
                && Home::of(access).is_same(element)
                && stored_type(access) == element.instruction.and_then(Value::memory_access).map(|access| access.ty);
            if !is_same {
                continue;
            }
            // Both execute in the same iterations, this one after that.
            let [a, b] = [own, other].map(|one| one.domain.with_tuple_name(DimKind::Out, ""));
            let is_covered = |a: &Set, b: &Set| a.subtract(b, budget).and_then(|missed| missed.is_empty(budget));
            let is_equal = is_covered(&a, &b).and_then(|covered| Ok(covered && is_covered(&b, &a)?));
            if before(&other.time, &own.time)? == Dnf::always() && is_equal.map_err(library_error)? {
                return Ok(Some(s));
            }
        }
        Ok(None)
    }

    /// Between a writer and the statement that has given the element its value nothing is stored to the element, by readers neither.
    fn has_equal_values(&self, budget: &Budget) -> Result<bool, Reason> {
        for writer in self.writers.iter().filter(|writer| writer.equal != writer.statement) {
            let (write, equal) = (self.instance(writer.statement, 3), self.instance(writer.equal, 3));
            for other in &self.scop.statements {
                for (meeting, same) in self.stores(other)? {
                    let after = before(&equal.time(), &meeting.time())?;
                    let conditions = [same, after, before(&meeting.time(), &write.time())?];
                    if !impossible(self.scop, &self.common, &[&write, &meeting], &conditions, budget)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// The stores of a statement to the array, each as an instance with the condition that it is the element.
    fn stores<'x>(&self, other: &'x Statement) -> Result<Vec<(Instance<'x>, Dnf)>, Reason> {
        let stores = |access: &&Access| access.array == self.element.array && access.kind != AccessKind::Read;
        let with_condition = |store: &Access| {
            let meeting = Instance { statement: other, shared: &[], tag: 2 };
            let subscripts: Vec<Poly> = store.subscripts.iter().map(|poly| meeting.rename(poly)).collect();
            let same = same_element(&self.element.subscripts, self.element.count, &subscripts, store.count)?;
            Ok((meeting, same))
        };
        other.accesses.iter().filter(stores).map(with_condition).collect()
    }

    /// Between a store to the element, other than those of equal values, and a reader there is a writer.
    fn is_undisturbed(&self, budget: &Budget) -> Result<bool, Reason> {
        let statements = &self.scop.statements;
        for (m, other) in statements.iter().enumerate() {
            if self.readers.contains(&m) || self.writers.iter().any(|writer| writer.equal == m) {
                continue;
            }
            for (meeting, same) in self.stores(other)? {
                for reader in &self.readers {
                    let read = self.instance(*reader, 1);
                    let together = Together::new(self.scop, &self.common);
                    let conditions = [same.clone(), before(&meeting.time(), &read.time())?];
                    let met = together.with(&[&read, &meeting], &conditions, budget)?;
                    let known = met.dims.len();
                    let mut left = met.points.clone();
                    for writer in &self.writers {
                        let (write, equal) = (self.instance(writer.statement, 3), self.instance(writer.equal, 3));
                        let between = [before(&meeting.time(), &equal.time())?, before(&write.time(), &read.time())?];
                        let covered = met.with(&[&write], &between, budget)?;
                        let more = covered.dims.len() - known;
                        let covered =
                            covered.points.project_out(DimKind::Out, known, more, budget).map_err(library_error)?;
                        left = left.subtract(&covered, budget).map_err(library_error)?;
                    }
                    let left = left.intersect_params(&self.scop.context, budget).map_err(library_error)?;
                    if !left.is_empty(budget).map_err(library_error)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn instance<'x>(&'x self, statement: usize, tag: usize) -> Instance<'x> {
        Instance { statement: &self.scop.statements[statement], shared: &self.common, tag }
    }
}
