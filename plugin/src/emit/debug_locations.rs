//! Source lines of new code: the line of what it stands for, so that debuggers and profilers show the user's own lines. The
//! guard and the loops themselves have the line of the nest.

use crate::host::{Editor, Value};
use crate::model::scop::{Op, Operand, Scop, Statement};

/// Gives what is built from now on the line of the operation, or of the nest where the operation has none.
pub(super) fn enter(editor: &Editor<'_>, scop: &Scop, statement: &Statement, op: &Op) {
    let result = |operand: &Operand| match operand {
        Operand::Result(value) => Some(*value),
        Operand::Invariant(_) | Operand::Affine(..) => None,
    };
    let candidates: [Option<Value>; 2] = match op {
        Op::Read { access, result } => [statement.accesses[*access].instruction, Some(*result)],
        Op::Compute { instruction, .. } => [Some(*instruction), None],
        Op::Combine { result, .. } => [Some(*result), None],
        Op::Write { access, value } => [statement.accesses[*access].instruction, result(value)],
        Op::LiveOut { escaping, value } => [Some(*escaping), result(value)],
        Op::Label { .. } => [None, None],
        Op::Phi { phi, .. } => [Some(*phi), None],
        Op::Jump { from, .. } => [from.terminator(), None],
    };
    match candidates.into_iter().flatten().find(|value| value.debug_location().is_some()) {
        Some(value) => editor.set_debug_location_of(Some(value)),
        None => leave(editor, scop),
    }
}

/// Gives what is built from now on the line of the nest.
pub(super) fn leave(editor: &Editor<'_>, scop: &Scop) {
    editor.set_debug_location_of_loop(scop.region.loops[0].handle);
}
