//! What the metadata of the old loops says: the user's pragmas about unrolling and vectorisation, promises about accesses, and
//! source lines for code that stands for a whole loop.

use super::buffer;
use super::edit::Editor;
use super::ffi;
use super::handles::{Loop, Metadata, Value};
use llvm_sys::core;
use std::ptr;

/// One property of a loop, like `llvm.loop.unroll.count` with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopProperty {
    /// The node, which may be part of the metadata of several loops.
    pub node: Metadata,
    /// Its name.
    pub name: String,
    /// Its number or truth value, if it has one.
    pub value: Option<i64>,
}

impl Loop {
    /// The properties of the loop.
    pub fn properties(self) -> Vec<LoopProperty> {
        // SAFETY: a handle points to a live loop of this run.
        let raw = buffer::items(ptr::null_mut(), |out, capacity| unsafe {
            ffi::tessera_loop_properties(self.raw(), out, capacity)
        });
        let property = |raw| {
            let node = Metadata::from_raw(raw)?;
            // SAFETY: the node is a live property, which begins with its name.
            let (name, value) = unsafe {
                let name = buffer::text(|out, capacity| ffi::tessera_property_name(raw, out, capacity));
                (name, ffi::tessera_property_value(raw, -1))
            };
            Some(LoopProperty { node, name, value: (value >= 0).then_some(value) })
        };
        raw.into_iter().filter_map(property).collect()
    }

    /// Whether a load or store is one of those that, as the metadata promises, carry no dependences among each other in this loop.
    pub fn is_parallel_access(self, access: Value) -> bool {
        // SAFETY: both handles are live in this run; the access is asked for its metadata only if it is an instruction.
        access.is_instruction() && unsafe { ffi::tessera_is_parallel_access(self.raw(), access.raw()) != 0 }
    }
}

impl Editor<'_> {
    /// Gives new instructions the source line of the loop as a whole.
    pub fn set_debug_location_of_loop(&self, l: Loop) {
        // SAFETY: the context, the loop and the builder are live; null removes the location.
        unsafe {
            let location = ffi::tessera_loop_debug_location(self.context, l.raw());
            core::LLVMSetCurrentDebugLocation2(self.builder.as_mut_ptr(), location);
        }
    }
}
