//! Scalars whose value lies in memory all along.
//!
//! GVN keeps what one iteration has loaded or stored for the next one:
//!
//! ```c
//! for (j = 1; j < n; j++) a[j] = f(a[j - 1], a[j + 1]);      for (left = a[0], j = 1; j < n; j++)
//!                                                       =>       a[j] = left = f(left, a[j + 1]);
//! ```
//!
//! As a cell, `left` orders all iterations of everything that reads it, and it is no element of an array that could be one (see `anchor`):
//! its place moves on with `j`. But wherever it is read it is the same as `a[j - 1]`, which says what really depends on what. This is the
//! way back; it costs loads that the compiler had saved, so it is for nests that gain nothing otherwise.
//!
//! A cell can be reloaded if, with `o` the loops outside and `l` the loop that carries it,
//! 1. it has two writers, one in each iteration of `o` (the first value, before the loop) and one in each of `o, l` (the next value), each
//!    executed whenever a value of it is read;
//! 2. what they write has just been loaded from, or is stored to, an element of one array: `X(f0(o))` and `X(f(o, l))`, with
//!    `f(o, -1) = f0(o)`. So the value read in iteration `l` is that of `X(f(o, l - 1))` when it was written;
//! 3. every reader is inside the loop, before the next value is written;
//! 4. nothing writes that element between the writer and the reader.
//!
//! All is decided exactly over the union of iteration vectors, or by equal polynomials. A load of the type that was loaded or stored there
//! gives the same bits, and it touches no element that the program does not touch.

use super::anchor::Home;
use super::impossible;
use crate::formula::condition::{Constraint, Dnf};
use crate::formula::poly::{Poly, Sym};
use crate::model::instance::Instance;
use crate::model::same_element;
use crate::model::scop::{Access, Op, Operand, Scop, Statement, Storage};
use crate::model::sets::{Frame, library_error};
use crate::model::time::{Time, before};
use crate::reasons::Reason;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::space::DimKind;

/// An element for another value of a loop's counter.
fn moved(element: &Home, symbol: Sym, value: &Poly) -> Option<Home> {
    let substitute = |poly: &Poly| poly.substitute(symbol, value);
    let subscripts = element.subscripts.iter().map(substitute).collect::<Option<Vec<_>>>()?;
    Some(Home { subscripts, offset: substitute(&element.offset)?, ..element.clone() })
}

/// The parts of a cell's life.
struct Life<'s> {
    scop: &'s Scop,
    cell: usize,
    first: &'s Statement,
    next: &'s Statement,
    /// The loop that carries it.
    carrier: usize,
    /// The element that holds the value which is read in an iteration of the carrier.
    image: Home,
}

/// Replaces all reads of a cell by loads, if that is possible, and removes what writes it.
pub(super) fn reload(scop: &mut Scop, cell: usize, budget: &Budget) -> Result<bool, Reason> {
    let Some(life) = Life::of(scop, cell)? else { return Ok(false) };
    for statement in &scop.statements {
        if statement.body.iter().any(|op| is_read(op, statement, cell)) && !life.may_load(statement, budget)? {
            return Ok(false);
        }
    }
    let image = life.image;
    load_instead(scop, cell, &image);
    Ok(true)
}

/// Replaces all reads of a cell by loads of an element, and removes what writes it.
pub(super) fn load_instead(scop: &mut Scop, cell: usize, image: &Home) {
    for statement in &mut scop.statements {
        let is_cell: Vec<bool> = statement.accesses.iter().map(|access| access.array == cell).collect();
        statement.body.retain(|op| !matches!(op, Op::Write { access, .. } if is_cell[*access]));
        for op in &mut statement.body {
            let Op::Read { access, .. } = op else { continue };
            if is_cell[*access] {
                let load = image.instead_of(&statement.accesses[*access]);
                statement.accesses.push(load);
                *access = statement.accesses.len() - 1;
            }
        }
    }
}

fn is_read(op: &Op, statement: &Statement, cell: usize) -> bool {
    matches!(op, Op::Read { access, .. } if statement.accesses[*access].array == cell)
}

/// What a statement stores to an array: the accesses, by index, and the values.
pub(super) fn stores(statement: &Statement, array: usize) -> impl Iterator<Item = (usize, &Operand)> {
    statement.body.iter().filter_map(move |op| match op {
        Op::Write { access, value } if statement.accesses[*access].array == array => Some((*access, value)),
        _ => None,
    })
}

/// What a statement writes to the cell; nothing if it does so not at all, not certainly, or twice.
pub(super) fn written(statement: &Statement, cell: usize) -> Option<&Operand> {
    let mut writes = stores(statement, cell);
    let (access, value) = writes.next()?;
    let is_certain = statement.is_straight() && statement.accesses[access].kind == AccessKind::MustWrite;
    (is_certain && writes.next().is_none()).then_some(value)
}

/// The element that holds what a statement writes to the cell, when it has been executed.
pub(super) fn image(scop: &Scop, statement: &Statement, cell: usize) -> Option<Home> {
    let Storage::Scalar(_, ty) = scop.arrays[cell].storage else { return None };
    let value = written(statement, cell)?;
    let Operand::Result(wanted) = value else { return None };
    statement.body.iter().find_map(|op| {
        // What is loaded must not be overwritten, what is stored must be the only store.
        let (access, most) = match op {
            Op::Read { access, result } if result == wanted => (*access, 0),
            Op::Write { access, value: stored } if stored == value => (*access, 1),
            _ => return None,
        };
        let Access { array, kind, subscripts, count, offset, instruction, .. } = &statement.accesses[access];
        let instruction = instruction.filter(|own| own.memory_access().is_some_and(|access| access.ty == ty))?;
        let is_plain = matches!(scop.arrays[*array].storage, Storage::Memory(_)) && *kind != AccessKind::MayWrite;
        (is_plain && stores(statement, *array).count() == most).then(|| Home {
            array: *array,
            subscripts: subscripts.clone(),
            count: *count,
            entries: Vec::new(),
            offset: offset.clone(),
            instruction: Some(instruction),
        })
    })
}

impl<'s> Life<'s> {
    /// The life of a cell whose writers and elements are as conditions 1 and 2 want them.
    fn of(scop: &'s Scop, cell: usize) -> Result<Option<Life<'s>>, Reason> {
        let writes = |statement: &&Statement| {
            statement.accesses.iter().any(|access| access.array == cell && access.kind != AccessKind::Read)
        };
        let mut writers: Vec<&Statement> = scop.statements.iter().filter(writes).collect();
        writers.sort_by_key(|statement| statement.loops.len());
        let [first, next] = writers[..] else { return Ok(None) };
        let Some((&carrier, outer)) = next.loops.split_last() else { return Ok(None) };
        if first.loops != outer {
            return Ok(None);
        }
        let (Some(before), Some(after)) = (image(scop, first, cell), image(scop, next, cell)) else { return Ok(None) };
        let counter = Sym::Iv(carrier);
        let last = Poly::symbol(counter).sub(&Poly::one()).ok_or(Reason::TooLarge)?;
        let Some(image) = moved(&after, counter, &last) else { return Ok(None) };
        let Some(begin) = moved(&image, counter, &Poly::zero()) else { return Ok(None) };
        Ok(begin.is_same(&before).then_some(Life { scop, cell, first, next, carrier, image }))
    }

    /// Whether a statement that reads the cell may load the element instead.
    fn may_load(&self, reader: &Statement, budget: &Budget) -> Result<bool, Reason> {
        let depth = self.next.loops.len();
        if reader.loops.len() < depth || reader.loops[..depth] != self.next.loops {
            return Ok(false);
        }
        Ok(self.is_before_next(reader, budget)?
            && self.has_writers(reader, budget)?
            && self.is_undisturbed(reader, budget)?)
    }

    /// Reads come before the next value is written in an iteration, behind the first value, and before the statement's own stores.
    fn is_before_next(&self, reader: &Statement, budget: &Budget) -> Result<bool, Reason> {
        let reads = reader.body.iter().enumerate().filter(|(_, op)| is_read(op, reader, self.cell));
        let last = reads.map(|(position, _)| position).next_back().unwrap_or(0);
        let stores_before = reader.body[..last].iter().any(|op| match op {
            Op::Write { access, .. } => {
                let array = reader.accesses[*access].array;
                array == self.image.array || array == self.cell
            }
            _ => false,
        });
        if stores_before {
            return Ok(false);
        }
        let instance = |statement: &'s Statement, shared: &'s [usize], tag: usize| Instance { statement, shared, tag };
        let outer = &self.next.loops[..self.next.loops.len() - 1];
        let read = Instance { statement: reader, shared: &self.next.loops, tag: 1 };
        let next = instance(self.next, &self.next.loops, 2);
        let late = before(&next.time(), &read.time())?;
        if !impossible(self.scop, &self.next.loops, &[&read, &next], &[late], budget)? {
            return Ok(false);
        }
        let read = Instance { statement: reader, shared: outer, tag: 1 };
        let first = instance(self.first, outer, 2);
        let early = before(&read.time(), &first.time())?;
        impossible(self.scop, outer, &[&read, &first], &[early], budget)
    }

    /// Both writers execute whenever their values are read.
    fn has_writers(&self, reader: &Statement, budget: &Budget) -> Result<bool, Reason> {
        let loops = &self.next.loops;
        let frame = Frame::of_loops(&self.scop.context.space().params_space(), "", loops);
        let counter = Poly::symbol(Sym::Iv(self.carrier));
        let last = counter.sub(&Poly::one()).ok_or(Reason::TooLarge)?;
        let shifted =
            self.next.condition.map(|poly| poly.substitute(Sym::Iv(self.carrier), &last).ok_or(Reason::TooLarge))?;
        let extra = reader.loops.len() - loops.len();
        let domain = reader.domain.with_tuple_name(DimKind::Out, "");
        let read = domain.project_out(DimKind::Out, loops.len(), extra, budget).map_err(library_error)?;
        let later = frame.set(&Dnf::le(&Poly::one(), &counter)?)?;
        let at_first = frame.set(&Dnf::constraint(Constraint::Zero(counter)))?;
        Ok(self.covers(&read.intersect(&later, budget).map_err(library_error)?, &frame.set(&shifted)?, budget)?
            && self.covers(
                &read.intersect(&at_first, budget).map_err(library_error)?,
                &frame.set(&self.first.condition)?,
                budget,
            )?)
    }

    fn covers(&self, wanted: &Set, given: &Set, budget: &Budget) -> Result<bool, Reason> {
        let missed = wanted.subtract(given, budget).and_then(|set| set.intersect_params(&self.scop.context, budget));
        missed.and_then(|missed| missed.is_empty(budget)).map_err(library_error)
    }

    /// Nothing writes the element between the writer and the reader.
    fn is_undisturbed(&self, reader: &Statement, budget: &Budget) -> Result<bool, Reason> {
        let counter = Poly::symbol(Sym::Iv(self.carrier));
        let last = counter.sub(&Poly::one()).ok_or(Reason::TooLarge)?;
        let moved = |time: &Time| {
            let moved = time.iter().map(|poly| poly.substitute(Sym::Iv(self.carrier), &last));
            moved.collect::<Option<Time>>().ok_or(Reason::TooLarge)
        };
        let sources = [
            (moved(&self.next.time)?, Dnf::le(&Poly::one(), &counter)?),
            (self.first.time.clone(), Dnf::constraint(Constraint::Zero(counter.clone()))),
        ];
        let read = Instance { statement: reader, shared: &self.next.loops, tag: 1 };
        for other in &self.scop.statements {
            let stores = |access: &&Access| access.array == self.image.array && access.kind != AccessKind::Read;
            for store in other.accesses.iter().filter(stores) {
                let meeting = Instance { statement: other, shared: &[], tag: 2 };
                let subscripts: Vec<Poly> = store.subscripts.iter().map(|poly| meeting.rename(poly)).collect();
                let same = same_element(&self.image.subscripts, self.image.count, &subscripts, store.count)?;
                let ahead = before(&meeting.time(), &read.time())?;
                for (written, when) in &sources {
                    let after = before(written, &meeting.time())?;
                    let conditions = [same.clone(), when.clone(), after, ahead.clone()];
                    if !impossible(self.scop, &self.next.loops, &[&read, &meeting], &conditions, budget)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }
}
