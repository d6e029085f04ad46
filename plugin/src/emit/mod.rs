//! New IR beside the old: guard, new code, and the switch between both.
//!
//! ```text
//!      entering                     entering
//!         |                            |
//!         |                      tessera.check --------.    enough work
//!         |                            |               |
//!         |           ==>        tessera.guard --------|    parameters small enough, assumptions hold, arrays apart
//!         |                            |               |
//!         |                     (tessera.buffer) ------|    memory for copies
//!         |                            |               |
//!         |                      tessera.entry   tessera.original
//!         |                         new code           |
//!      old loop                        |            old loop
//!         |                            '-- tessera.join'
//!       exit                                 exit
//! ```
//!
//! With a plan for a device it is asked first, between the guard and the new code (`session`); where it has done the nest, control goes on at
//! the join. There may be no new code then: what the device does not do is for the old loop.
//!
//! The old loop is not changed; values that are used after it get a PHI in `tessera.join`. Everything is written to the
//! editor's journal: if verification fails, all of it is taken back and the function is what it was.

pub mod checked_arithmetic;
pub mod code;
mod conditions;
mod copies;
mod debug_locations;
mod extremes;
pub mod frame;
pub mod guard;
pub mod guard_code;
mod hints;
mod interval;
pub mod invariant;
mod kernel;
mod magnitude;
pub mod params;
mod row_check_code;
mod row_checks;
mod row_list;
mod row_ranges;
pub mod scopes;
mod session;
mod side_by_side;
mod trace;
mod transfers;

use crate::device::DevicePlan;
use crate::host::{Block, Edit, EditError, Editor, Value};
use crate::model::scop::{Op, Scop, Storage};
use code::{Emitter, Scalars};
use conditions::Subject;
use copies::Buffer;
use frame::Frame;
use guard::GuardPlan;
use guard_code::GuardCode;
use row_check_code::RowsCode;
use session::SessionCode;
use std::collections::HashMap;
use tessera_polyhedral::ast::AstUnit;

/// Everything that emission needs for one region, computed before any IR is built.
#[derive(Debug)]
pub struct Job {
    /// The model.
    pub scop: Scop,
    /// The new code, if there is any beside that for a device.
    pub unit: Option<AstUnit>,
    /// The same nest on a device.
    pub device: Option<DevicePlan>,
    /// What is checked at run time.
    pub guard: GuardPlan,
    /// Whether later passes are told what the guard has checked.
    pub hints: bool,
    /// Whether the new code becomes a function of its own at the end of the pipeline.
    pub outline: bool,
    /// The width in bits of vectors for innermost loops that compute much with what they load, if the compiler prefers narrower ones.
    pub wide: Option<u32>,
    /// Whether innermost loops run along rows of tiles across time, of which there are many short ones: `shim/counters.cpp` leaves them as they are.
    pub short_rows: bool,
    /// Whether calls that are too short for the new code may lead to a copy of the function as it was.
    pub original: bool,
    /// How the nest is called where the program says which code it runs; `None` if it does not.
    pub trace: Option<String>,
}

/// Why emission did nothing although nothing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emitted {
    /// New code was built and switched in.
    Done,
    /// The guard is known to fail: too little work.
    NeverWorthwhile,
    /// The guard is known to fail: an assumption cannot hold.
    NeverValid,
    /// The function's frame has no room.
    NoRoom,
}

/// How often there is too little work, for each time that there is enough. Short calls are the ones that a spilled register costs
/// much. Where both are equally likely, the deeper loops of the new code get the registers, and what the old ones need is spilled in
/// front of them (measured: 270 instead of 170 ns for six arrays). With 2000, stencils and products of tiny matrices
/// measured up to 1.15 times slower than with 31.
const SMALL: u32 = 31;

/// Builds and switches in the code of one region. `replaced` maps values that earlier regions of the function hand on
/// to the PHIs that now stand for them, and is extended; so are the places in the function's frame. On an error or an outcome
/// other than `Done` the caller rolls back.
pub fn emit(editor: &Editor<'_>, job: &Job, replaced: &mut HashMap<Value, Value>, frame: &Frame) -> Edit<Emitted> {
    let scop = &job.scop;
    if !frame.begin(editor, job)? {
        return Ok(Emitted::NoRoom);
    }
    let root = &scop.region.loops[0];
    let inside: Vec<Block> = scop.region.blocks.iter().map(|block| block.handle).collect();
    // Earlier regions may have put blocks into the edges that lead in and out.
    let entering = only(root.header.predecessors().into_iter().filter(|block| !inside.contains(block)))
        .ok_or_else(|| EditError::new("the region has no single entering edge"))?;
    let exit = only(root.exiting.successors().into_iter().filter(|block| !inside.contains(block)))
        .ok_or_else(|| EditError::new("the region has no single exit edge"))?;

    editor.set_debug_location_of_loop(root.handle);
    let check = editor.create_block("check", Some(entering))?;
    let guard = editor.create_block("guard", Some(check))?;
    let entry = job.unit.is_some().then(|| editor.create_block("entry", Some(guard))).transpose()?;
    let original = editor.create_block("original", Some(entry.unwrap_or(guard)))?;
    let join = editor.create_block("join", Some(root.exiting))?;
    let needs_buffer = entry.is_some() && copies::are_needed(scop);
    let of_host = match entry {
        Some(_) if needs_buffer => editor.create_block("heap", Some(guard))?,
        Some(entry) => entry,
        None => original,
    };
    // Whether the host's new order pays is asked where the device has not done the nest.
    let gains = match (&job.device, entry) {
        (Some(_), Some(_)) => editor.create_block("gains", Some(guard))?,
        _ => of_host,
    };
    let checked = if job.device.is_some() { editor.create_block("device", Some(guard))? } else { of_host };

    editor.at_end(check);
    let mut known = replaced.clone();
    let unchanged = invariant::load(editor, scop, &mut known)?;
    let values = scop.params.iter().map(|p| params::value(editor, scop, p, &mut known)).collect::<Edit<Vec<_>>>()?;
    let params: Vec<Value> = values.iter().map(|value| value.word).collect();
    let guard_code = GuardCode::new(editor, &job.guard, &params);
    let worthwhile = match job.device {
        Some(_) => guard_code.enough_work(&job.guard)?,
        None => guard_code.worthwhile(scop, &job.guard)?,
    };
    if worthwhile.cannot_hold() {
        return Ok(Emitted::NeverWorthwhile);
    }
    let gate = trace::branch(editor, job, &worthwhile, guard, original)?;
    // A profile knows better, and what it takes for rare is compiled for size.
    if let Some(gate) = gate.filter(|_| !editor.function().has_profile()) {
        editor.set_branch_weights(gate, 1, SMALL)?;
    }

    editor.at_end(guard);
    for value in scop.values_from_before() {
        invariant::value(editor, scop, value, &mut known)?;
    }
    let outside = |value: Value| known.get(&value).copied().unwrap_or(value);
    let base = |array: usize| match scop.arrays[array].storage {
        Storage::Memory(pointer) | Storage::Rows(pointer) | Storage::Scalar(pointer, _) => outside(pointer),
        // The guard knows no buffers.
        Storage::Buffer(_) => outside(scop.region.loops[0].header.as_value()),
    };
    let bounds = match &job.guard.rows {
        Some(rows) => guard_code.bounds(rows)?,
        None => Vec::new(),
    };
    let mut valid = guard_code.valid(scop, (&job.guard, &values), base, outside)?;
    valid.push(Subject::Unchanged, unchanged);
    if valid.cannot_hold() {
        return Ok(Emitted::NeverValid);
    }
    let rows = job.guard.rows.as_ref().filter(|rows| !rows.is_static());
    let first = rows.map(|_| editor.create_block("rows", Some(guard))).transpose()?;
    // What lies between the rows of an array is copied to a device and back with it.
    let may_be_beside = job.device.is_none() && guard_code.knows_side_by_side();
    if may_be_beside && !job.guard.side_by_side.is_empty() {
        // All else comes first, so that passes know it of the new code on both ways there.
        let (pairs, others) = valid.split(|subject| matches!(subject, Subject::Pair(..)));
        let apart = editor.create_block("apart", Some(guard))?;
        trace::branch(editor, job, &others, apart, original)?;
        editor.at_end(apart);
        if job.trace.is_none() {
            let beside = editor.create_block("beside", Some(apart))?;
            trace::branch(editor, job, &pairs, first.unwrap_or(checked), beside)?;
            editor.at_end(beside);
        }
        valid = pairs.or_beside(editor, &guard_code.side_by_side(&job.guard, base)?)?;
        valid.push(Subject::Intermediate, guard_code.not_failed()?);
    }
    trace::branch(editor, job, &valid, first.unwrap_or(checked), original)?;
    match rows.zip(first) {
        None => {}
        Some((rows, first)) => {
            let original = trace::rows_refused(editor, job, first, original)?;
            let code = RowsCode { guard: &guard_code, scop, plan: &job.guard, known: &known, bounds, original, frame };
            code.check(job, rows, first, &params, checked)?;
        }
    }

    let mut asked = None;
    if let Some(device) = &job.device {
        let code = SessionCode { editor, job, device, params: &params, known: &known, frame };
        asked = Some(code.build(check, checked, gains, join)?);
        if gains != of_host {
            editor.at_end(gains);
            let conditions = guard_code.gains(scop, &job.guard)?;
            trace::branch(editor, job, &conditions, of_host, original)?;
        }
    }
    let mut live_out = Vec::new();
    let mut end = None;
    if let (Some(unit), Some(entry)) = (&job.unit, entry) {
        editor.at_end(of_host);
        let is_copied = match scop.chosen.is_empty() {
            true => None,
            false => Some(guard_code.is_copied(&job.guard)?),
        };
        let buffer = match needs_buffer {
            true => Some(Buffer::get(&guard_code, (job, is_copied), of_host, entry, original)?),
            false => None,
        };
        editor.at_end(entry);
        trace::runs(editor, job)?;
        let scalars = Scalars { frame, buffer: buffer.as_ref() };
        let emitter = Emitter::new(editor, entry, (job, unit), &params, &known, &scalars)?;
        let (mut last, values) = emitter.run()?;
        match &buffer {
            Some(buffer) => last = buffer.give_back(editor, last, join)?,
            None => {
                editor.at_end(last);
                editor.br(join)?;
            }
        }
        (live_out, end) = (values, Some(last));
    }
    let mut outgoing = Vec::new();
    for op in scop.statements.iter().flat_map(|statement| &statement.body) {
        let Op::LiveOut { escaping, .. } = op else { continue };
        let of_device = asked.as_ref().map(|asked| (asked.end, &asked.results));
        let ways = end.map(|end| (end, &live_out)).into_iter().chain(of_device);
        let values = ways.map(|(end, values)| {
            let known = values.iter().find(|(known, _)| known == escaping);
            known.map(|(_, value)| (*value, end))
        });
        let values = values.collect::<Option<Vec<_>>>();
        outgoing
            .push((*escaping, values.ok_or_else(|| EditError::new("a value used after the nest was not computed"))?));
    }
    editor.at_end(original);
    let old = editor.br(root.header)?;
    if job.original {
        // `shim/original.cpp` reads it.
        editor.set_metadata(old, "tessera.original", Some(editor.distinct_node()?))?;
        if job.guard.is_for_short_calls() {
            editor.set_metadata(old, "tessera.short", Some(editor.distinct_node()?))?;
        }
    }
    let last = match asked {
        Some(asked) => asked.tell(editor, join)?,
        None => join,
    };
    editor.at_end(last);
    editor.br(exit)?;

    // Now lead control through the new blocks.
    let terminator = |block: Block| block.terminator().ok_or_else(|| EditError::new("a block without terminator"));
    editor.redirect(terminator(entering)?, root.header, check)?;
    for phi in root.header.phis() {
        editor.replace_incoming_block(phi, entering, original)?;
    }
    editor.redirect(terminator(root.exiting)?, exit, join)?;
    for phi in exit.phis() {
        editor.replace_incoming_block(phi, root.exiting, last)?;
    }
    for (escaping, values) in outgoing {
        let phi = editor.phi(join, escaping.ty(), "out")?;
        editor.add_incoming(phi, escaping, root.exiting)?;
        for (value, end) in values {
            editor.add_incoming(phi, value, end)?;
        }
        editor.replace_uses(escaping, phi, |usage| {
            let outside = usage.user.parent().is_some_and(|block| !inside.contains(&block));
            usage.user != phi && outside && !scop.region.early_uses.contains(&usage)
        })?;
        replaced.insert(escaping, phi);
        // A PHI of one value is that value for scalar evolution, so that a later nest may know it as what is computed in this one.
        let mut value = escaping;
        while let [(only, _)] = value.phi_incoming()[..]
            && only.parent().is_some_and(|block| inside.contains(&block))
        {
            replaced.insert(only, phi);
            value = only;
        }
    }
    Ok(Emitted::Done)
}

/// Makes the code that was built last invalid: a PHI with a value from a block that does not lead to it. For the tests of what
/// happens then.
pub fn invalidate(editor: &Editor<'_>) -> Edit<()> {
    let phis = editor.function().blocks().into_iter().flat_map(|block| block.phis());
    let phi = phis.last().ok_or_else(|| EditError::new("no PHI to make invalid"))?;
    let (value, _) = phi.phi_incoming().first().copied().ok_or_else(|| EditError::new("a PHI without values"))?;
    let entry = editor.function().blocks().first().copied().ok_or_else(|| EditError::new("no block"))?;
    editor.add_incoming(phi, value, entry)
}

fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}
