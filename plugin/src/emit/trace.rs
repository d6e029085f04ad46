//! Where control goes, said by the program itself: for each execution of a nest whether its new code runs or its old loops, and
//! which condition does not hold then.
//!
//! Invariants: without a trace the only thing built here is one branch; with it the conditions are tested one after the other,
//! after all of them were computed.

use super::Job;
use super::conditions::{Conditions, Subject};
use crate::detect::scev::names;
use crate::host::{Block, Edit, Editor, Value};
use tessera_polyhedral::transform::{Need, Short};

/// Ends the block at the editor's position: goes on at `to` if all conditions hold, at `original` otherwise. Without a trace the result
/// is the branch, unless its condition is known.
pub(super) fn branch(
    editor: &Editor<'_>,
    job: &Job,
    conditions: &Conditions,
    to: Block,
    original: Block,
) -> Edit<Option<Value>> {
    if job.trace.is_none() {
        let all = conditions.all(editor)?;
        let branch = editor.cond_br(all, to, original)?;
        return Ok(all.constant_int().is_none().then_some(branch));
    }
    for (subject, holds) in conditions.open() {
        let here = editor.current_block();
        let next = editor.create_block("holds", here)?;
        let refused = refused(editor, job, &sentence(job, subject), next, original)?;
        editor.cond_br(holds, next, refused)?;
        editor.at_end(next);
    }
    editor.br(to)?;
    Ok(None)
}

/// Where the loops that look at rows leave to.
pub(super) fn rows_refused(editor: &Editor<'_>, job: &Job, looked: Block, original: Block) -> Edit<Block> {
    match job.trace {
        Some(_) => refused(editor, job, "rows overlap, are too short, or are in no order", looked, original),
        None => Ok(original),
    }
}

/// Says at the editor's position that new code runs.
pub(super) fn runs(editor: &Editor<'_>, job: &Job) -> Edit<()> {
    match &job.trace {
        Some(nest) => editor.write_text(&format!("tessera: {nest}: new code\n")),
        None => Ok(()),
    }
}

/// A block that says why the old loops run, and leads to them.
fn refused(editor: &Editor<'_>, job: &Job, why: &str, after: Block, original: Block) -> Edit<Block> {
    let nest = job.trace.as_deref().unwrap_or_default();
    let kept = editor.position();
    let block = editor.create_block("refused", Some(after))?;
    editor.at_end(block);
    editor.write_text(&format!("tessera: {nest}: old loops: {why}\n"))?;
    editor.br(original)?;
    editor.restore_position(kept)?;
    Ok(block)
}

/// What it means that a condition does not hold.
fn sentence(job: &Job, subject: Subject) -> String {
    let scop = &job.scop;
    let array = |index: usize| scop.label(index);
    match subject {
        Subject::Parameter(index) => {
            format!("{} is beyond 2^{}", scop.params[index].name, job.guard.limit_bits)
        }
        Subject::AnyWork => "no iterations".to_owned(),
        Subject::Work => "too few iterations (option min-work)".to_owned(),
        Subject::Need(index) => {
            let Need { counter, least, instead } = job.guard.needs[index].need;
            let instead = instead.map_or(String::new(), |Short { least, counter, most }| {
                format!(", or than {least} with at most {most} of i{counter}")
            });
            format!("i{counter} takes fewer than {least} values{instead}: too few for the new order (option min-work)")
        }
        Subject::Data => "too little data (option min-bytes)".to_owned(),
        Subject::Range(index) => {
            let assumed = &scop.checks[index].assumption;
            let range = match assumed.high {
                i128::MAX => format!("at least {}", assumed.low),
                high => format!("from {} to {high}", assumed.low),
            };
            format!("{} is not {range} in every iteration", assumed.poly.display(names(&scop.params)))
        }
        Subject::Shape(index) => {
            let check = &scop.shapes[index];
            let (subscript, size) =
                (check.subscript.display(names(&scop.params)), check.size.display(names(&scop.params)));
            let arrays: Vec<String> = check.arrays.iter().map(|index| array(*index)).collect();
            format!("a subscript of {} leaves its row: {subscript}, of {size}", arrays.join(", "))
        }
        Subject::Distances => "an array as large as the address space".to_owned(),
        Subject::Protected(index) => format!("a store may change where {} is kept", scop.protected[index].name),
        Subject::Tables => "a store may change a table of pointers to rows".to_owned(),
        Subject::Pair(left, right) => format!("{} and {} may overlap", array(left), array(right)),
        Subject::Unchanged => "what is read before the nest may change in it".to_owned(),
        Subject::Intermediate => "a number is too large on the way to a check".to_owned(),
        Subject::Room => "no memory for copies (malloc)".to_owned(),
    }
}
