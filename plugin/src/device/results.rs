//! Values that are used behind a nest: on a device they are written to places of their own, which are copied to the host at the end.
//!
//! ```text
//! for i: s += a[i] * b[i]            for i: s += a[i] * b[i]
//! result = s                   =>    place[0] = s
//! ```
//!
//! Invariant: what the statements compute stays the same.

use super::obstacle::Obstacle;
use super::support::bytes_of;
use crate::formula::poly::Poly;
use crate::host::Value;
use crate::model::scop::{Access, Array, Op, Scop, Storage};
use tessera_polyhedral::flow::AccessKind;

/// A value that is used behind the nest.
#[derive(Clone, Copy, Debug)]
pub struct DeviceResult {
    /// The value of the program.
    pub escaping: Value,
    /// The array of the model that holds it: one element.
    pub array: usize,
}

/// The model with places for such values; `None` where there are none.
pub(super) fn with_places(scop: &Scop) -> Result<Option<(Scop, Vec<DeviceResult>)>, Obstacle> {
    let mut placed = scop.clone();
    let mut results = Vec::new();
    for statement in &mut placed.statements {
        for op in &mut statement.body {
            let Op::LiveOut { escaping, value } = &*op else { continue };
            let (escaping, ty) = (*escaping, escaping.ty());
            let name = scop.array_name(&format!("result_{}", results.len()));
            let unit = bytes_of(ty).ok_or_else(|| Obstacle::LiveOut { ty: ty.text() })?;
            let array = placed.arrays.len();
            placed.arrays.push(Array::new((name.clone(), name), Storage::Buffer(ty), unit));
            let write = Op::Write { access: statement.accesses.len(), value: value.clone() };
            statement.accesses.push(Access::of_buffer(
                array,
                AccessKind::MustWrite,
                (vec![Poly::zero()], Poly::zero()),
            ));
            *op = write;
            results.push(DeviceResult { escaping, array });
        }
    }
    Ok((!results.is_empty()).then_some((placed, results)))
}
