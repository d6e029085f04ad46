//! The search for an array element in which a cell can live. The conditions are those of the parent module's comment.

use super::{Together, impossible};
use crate::formula::condition::Dnf;
use crate::formula::poly::{Poly, Sym};
use crate::host::Value;
use crate::model::instance::Instance;
use crate::model::scop::{Access, Op, Operand, Scop, Statement, Storage};
use crate::model::sets::{Frame, library_error};
use crate::model::time::before;
use crate::model::{limits, same_element};
use crate::reasons::Reason;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::space::DimKind;

/// The element that replaces a cell, as an access of any statement inside the loops it depends on.
#[derive(Clone, Debug)]
pub(super) struct Home {
    /// The array.
    pub(super) array: usize,
    /// The element, over the loops common to all users of the cell.
    pub(super) subscripts: Vec<Poly>,
    /// How many model elements the value covers.
    pub(super) count: i128,
    /// The entries of tables that lead to its row, in bytes.
    pub(super) entries: Vec<Poly>,
    /// Distance in bytes from the array's base, or from the start of the row.
    pub(super) offset: Poly,
    /// The anchor store: gives type and alignment. `None` if the array is another cell.
    pub(super) instruction: Option<Value>,
}

impl Home {
    /// Whether it is the element of another access in every iteration.
    pub(super) fn is_same(&self, other: &Home) -> bool {
        self.array == other.array
            && self.count == other.count
            && self.subscripts == other.subscripts
            && self.entries == other.entries
            && self.offset == other.offset
    }

    /// What an access touches.
    pub(super) fn of(access: &Access) -> Home {
        Home {
            array: access.array,
            subscripts: access.subscripts.clone(),
            count: access.count,
            entries: access.entries.clone(),
            offset: access.offset.clone(),
            instruction: access.instruction,
        }
    }

    /// Whether it depends on no loops but some.
    pub(super) fn is_fixed_in(&self, loops: &[usize]) -> bool {
        let mut symbols = self.subscripts.iter().flat_map(Poly::symbols).chain(self.offset.symbols());
        symbols.all(|symbol| !matches!(symbol, Sym::Iv(l) if !loops.contains(&l)))
    }

    /// The access to it in place of one to the cell.
    pub(super) fn instead_of(&self, access: &Access) -> Access {
        Access {
            array: self.array,
            kind: access.kind,
            subscripts: self.subscripts.clone(),
            count: self.count,
            entries: self.entries.clone(),
            offset: self.offset.clone(),
            is_original: false,
            instruction: self.instruction,
            location: access.location.clone(),
        }
    }
}

/// The statements that touch a cell, and the loops around all of them.
pub(super) fn users_of(scop: &Scop, cell: usize) -> (Vec<usize>, Vec<usize>) {
    let users: Vec<usize> = (0..scop.statements.len())
        .filter(|s| scop.statements[*s].accesses.iter().any(|access| access.array == cell))
        .collect();
    let mut common = users.first().map_or_else(Vec::new, |first| scop.statements[*first].loops.clone());
    for user in &users {
        let shared = common.iter().zip(&scop.statements[*user].loops).take_while(|(a, b)| a == b).count();
        common.truncate(shared);
    }
    (users, common)
}

/// Finds a home for the cell `cell`; `None` if there is none.
pub(super) fn find_home(scop: &Scop, cell: usize, budget: &Budget) -> Result<Option<Home>, Reason> {
    let (users, common) = users_of(scop, cell);
    let in_memory = |target: &Access| scop.is_memory(target.array);
    let mut anchors: Vec<(Kind, usize, &Access)> = Vec::new();
    for (s, statement) in scop.statements.iter().enumerate() {
        for (position, op) in statement.body.iter().enumerate() {
            let Op::Write { access, value } = op else { continue };
            let target = &statement.accesses[*access];
            if target.kind != AccessKind::MustWrite || target.array == cell {
                continue;
            }
            let kind = anchor_kind(statement, cell, position, value);
            anchors.extend(kind.filter(|kind| *kind == Kind::StoresCell || in_memory(target)).map(|k| (k, s, target)));
        }
    }
    // A store beside every write of the cell becomes one with it; the last store of the value is one less. A place in memory
    // comes before one in another cell.
    anchors.sort_by_key(|(kind, _, target)| (!in_memory(target), *kind));
    for (kind, anchor, target) in anchors {
        let candidate = Candidate { scop, cell, users: &users, common: &common, anchor, target, kind };
        if candidate.is_home(budget)? {
            return Ok(Some(Home::of(target)));
        }
    }
    Ok(None)
}

/// How an anchor relates to the cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// It writes the same value to the cell.
    SameValue,
    /// It reads the cell and stores that value.
    StoresCell,
    /// It is the last to read the cell, and stores something else: the cell is dead and the element free from then on.
    Overwrites,
}

fn anchor_kind(statement: &Statement, cell: usize, position: usize, value: &Operand) -> Option<Kind> {
    let is_cell = |access: usize| statement.accesses[access].array == cell;
    let direct = statement.body.iter().find_map(|op| match op {
        Op::Read { access, result } if *value == Operand::Result(*result) && is_cell(*access) => Some(Kind::StoresCell),
        Op::Write { access, value: written } if written == value && is_cell(*access) => Some(Kind::SameValue),
        _ => None,
    });
    let reads = |ops: &[Op]| ops.iter().any(|op| matches!(op, Op::Read { access, .. } if is_cell(*access)));
    let last = reads(&statement.body[..position]) && !reads(&statement.body[position..]);
    direct.or_else(|| last.then_some(Kind::Overwrites))
}

struct Candidate<'s> {
    scop: &'s Scop,
    cell: usize,
    users: &'s [usize],
    common: &'s [usize],
    anchor: usize,
    target: &'s Access,
    kind: Kind,
}

impl Candidate<'_> {
    fn is_home(&self, budget: &Budget) -> Result<bool, Reason> {
        let statement = &self.scop.statements[self.anchor];
        let Storage::Scalar(_, ty) = self.scop.arrays[self.cell].storage else { return Ok(false) };
        let stored_type = match self.scop.arrays[self.target.array].storage {
            Storage::Memory(_) | Storage::Rows(_) => {
                self.target.instruction.and_then(Value::memory_access).map(|access| access.ty)
            }
            Storage::Scalar(_, ty) | Storage::Buffer(ty) => Some(ty),
        };
        let fixed = Home::of(self.target).is_fixed_in(self.common);
        let writes_cell = self.writers().any(|writer| writer == self.anchor);
        let once = self.kind == Kind::SameValue || (statement.loops == self.common && !writes_cell);
        if stored_type != Some(ty) || !fixed || !once {
            return Ok(false);
        }
        let inside = statement.loops.len() >= self.common.len() && statement.loops[..self.common.len()] == *self.common;
        if !inside || !self.reads_other_elements(budget)? || !self.always_reached(budget)? {
            return Ok(false);
        }
        let finished = self.written_before_anchor(budget)?
            && (self.kind != Kind::Overwrites || self.read_before_anchor(budget)?);
        Ok(finished && self.undisturbed(budget)?)
    }

    /// What the anchor itself touches in the array lies beside its element.
    fn reads_other_elements(&self, budget: &Budget) -> Result<bool, Reason> {
        let anchor = self.instance(self.anchor, 1);
        for access in &anchor.statement.accesses {
            if access.array == self.target.array && !std::ptr::eq(access, self.target) {
                let subscripts: Vec<Poly> = access.subscripts.iter().map(|poly| anchor.rename(poly)).collect();
                let same = same_element(&self.target.subscripts, self.target.count, &subscripts, access.count)?;
                if !self.is_impossible(&[&anchor], &[same], budget)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Nothing reads the cell after the anchor.
    fn read_before_anchor(&self, budget: &Budget) -> Result<bool, Reason> {
        for &reader in self.users.iter().filter(|user| **user != self.anchor) {
            let (read, anchor) = (self.instance(reader, 1), self.instance(self.anchor, 2));
            let late = before(&anchor.time(), &read.time())?;
            if !self.is_impossible(&[&read, &anchor], &[late], budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn writers(&self) -> impl Iterator<Item = usize> + '_ {
        self.users.iter().copied().filter(|s| {
            let accesses = &self.scop.statements[*s].accesses;
            accesses.iter().any(|access| access.array == self.cell && access.kind != AccessKind::Read)
        })
    }

    fn instance<'x>(&'x self, statement: usize, tag: usize) -> Instance<'x> {
        Instance { statement: &self.scop.statements[statement], shared: self.common, tag }
    }

    /// The iterations of the common loops in which a statement executes at all.
    fn reached(&self, statement: usize, budget: &Budget) -> Result<Set, Reason> {
        let statement = &self.scop.statements[statement];
        let extra = statement.loops.len() - self.common.len();
        statement
            .domain
            .with_tuple_name(DimKind::Out, "")
            .project_out(DimKind::Out, self.common.len(), extra, budget)
            .map_err(library_error)
    }

    /// The anchor executes whenever the cell's life begins.
    fn always_reached(&self, budget: &Budget) -> Result<bool, Reason> {
        let anchored = self.reached(self.anchor, budget)?;
        let mut assumed = None;
        for writer in self.writers().filter(|writer| *writer != self.anchor) {
            let missed = self.reached(writer, budget)?.subtract(&anchored, budget).map_err(library_error)?;
            if missed.is_empty(budget).map_err(library_error)? {
                continue;
            }
            let assumed = match &assumed {
                Some(known) => known,
                None => assumed.insert(assumed_parameters(self.scop, budget)?),
            };
            let missed = missed.intersect_params(assumed, budget).map_err(library_error)?;
            if !missed.is_empty(budget).map_err(library_error)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// No write to the cell comes after the anchor (for anchors that store repeatedly: after the first of them, unless
    /// it is the anchor's own).
    fn written_before_anchor(&self, budget: &Budget) -> Result<bool, Reason> {
        for writer in self.writers() {
            if writer == self.anchor {
                continue;
            }
            if self.kind == Kind::SameValue && self.scop.statements[writer].loops != self.common {
                return Ok(false);
            }
            let (write, anchor) = (self.instance(writer, 1), self.instance(self.anchor, 2));
            let late = before(&anchor.time(), &write.time())?;
            if !self.is_impossible(&[&write, &anchor], &[late], budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Nothing else touches the element during the cell's life.
    fn undisturbed(&self, budget: &Budget) -> Result<bool, Reason> {
        let mut ends: Vec<usize> = self.users.to_vec();
        if !ends.contains(&self.anchor) {
            ends.push(self.anchor);
        }
        for (t, other) in self.scop.statements.iter().enumerate() {
            for access in other.accesses.iter().filter(|access| access.array == self.target.array) {
                let own = t == self.anchor && std::ptr::eq(access, self.target);
                // The anchor's own store is what the element is for; in other iterations of the common loops it must
                // not meet this life, which the order of the program excludes: lives of one cell never overlap.
                if own {
                    continue;
                }
                let meeting = Instance { statement: other, shared: &[], tag: 2 };
                let subscripts: Vec<Poly> = access.subscripts.iter().map(|poly| meeting.rename(poly)).collect();
                let same = same_element(&self.target.subscripts, self.target.count, &subscripts, access.count)?;
                for begin in self.writers() {
                    let write = self.instance(begin, 1);
                    let conditions = [same.clone(), before(&write.time(), &meeting.time())?];
                    let met = Together::new(self.scop, self.common).with(&[&write, &meeting], &conditions, budget)?;
                    // Most do not meet it at all after the write, whatever is the last user.
                    if met.are_impossible(budget)? {
                        continue;
                    }
                    for end in &ends {
                        let last = self.instance(*end, 3);
                        let early = before(&meeting.time(), &last.time())?;
                        if !met.with(&[&last], &[early], budget)?.are_impossible(budget)? {
                            return Ok(false);
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    fn is_impossible(&self, instances: &[&Instance<'_>], conditions: &[Dnf], budget: &Budget) -> Result<bool, Reason> {
        impossible(self.scop, self.common, instances, conditions, budget)
    }
}

/// The values of the parameters for which the guard lets the new code run, as far as assumptions on parameters alone tell:
/// each holds, or its place is never reached.
fn assumed_parameters(scop: &Scop, budget: &Budget) -> Result<Set, Reason> {
    let params = scop.context.space().params_space();
    let limits = limits(scop.params.len(), &params)?;
    let mut result = scop.context.intersect(&limits, budget).map_err(library_error)?;
    let frame = Frame::new(&params, "", Vec::new());
    for check in &scop.checks {
        let assumption = &check.assumption;
        if !assumption.poly.is_invariant() || !assumption.poly.is_affine() {
            continue;
        }
        let (Some(low), Some(high)) = (Poly::constant(assumption.low), Poly::constant(assumption.high)) else {
            continue;
        };
        let inside = Dnf::le(&low, &assumption.poly)?.and(&Dnf::le(&assumption.poly, &high)?)?;
        let outside = Set::universe(frame.space().clone()).subtract(&frame.set(&inside)?, budget);
        let place = check.domain.with_tuple_name(DimKind::Out, "");
        let reached = place.project_out(DimKind::Out, 0, check.loops.len(), budget).map_err(library_error)?;
        let broken = outside.and_then(|set| set.intersect(&reached, budget));
        result = broken.and_then(|broken| result.subtract(&broken, budget)).map_err(library_error)?;
    }
    Ok(result)
}
