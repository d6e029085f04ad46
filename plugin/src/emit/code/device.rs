//! What is different in the code of a kernel: arrays are in the device's memory, operations give the bits of the host, threads wait for each
//! other.
//!
//! Invariant: nothing that is built here has a flag that lets a floating-point result be another one, or that makes a result undefined (parts of
//! reductions are other numbers than the program's), nor a part of the host's module in it.

use super::statement::VALUES;
use super::{ArrayCode, Emitter, KernelCode};
use crate::device::sizes::element_align;
use crate::device::support::{EXTREMA, INTRINSICS};
use crate::emit::code::numbering::Numbering;
use crate::emit::scopes::Placed;
use crate::host::{Edit, EditError, IntOp, IntPredicate, Opcode, Type, Value};
use crate::model::scop::{Access, Combination};

impl Emitter<'_, '_, '_> {
    /// The arrays of a kernel: the guard has checked that they do not overlap.
    pub(super) fn prepare_kernel_arrays(&mut self, kernel: &KernelCode<'_>) -> Edit<()> {
        let editor = self.scopes.editor;
        let domain = editor.alias_domain("tessera")?;
        let mut scopes = Vec::new();
        self.scopes.at_end();
        for (array, base) in self.scop.arrays.iter().zip(&kernel.bases) {
            let scope = match base {
                Some(_) if self.job.hints => Some(editor.alias_scope(domain, &array.name)?),
                _ => None,
            };
            scope.iter().try_for_each(|scope| editor.declare_scope(*scope))?;
            scopes.push(scope);
        }
        for (index, base) in kernel.bases.iter().enumerate() {
            let others = scopes.iter().enumerate().filter(|(other, _)| *other != index).filter_map(|(_, s)| *s);
            self.arrays.push(ArrayCode {
                base: base.map(|value| Placed { value, scope: 0 }),
                variables: Vec::new(),
                scope: scopes[index],
                others: others.collect(),
            });
        }
        Ok(())
    }

    /// All threads of the block wait here. What others have stored until then is not what was loaded before.
    pub(super) fn wait(&mut self) -> Edit<()> {
        self.scopes.at_end();
        self.numbering = Numbering::default();
        self.scopes.editor.barrier()
    }

    /// What an instruction of the host computes, with the same bits.
    pub(super) fn on_device(&self, instruction: Value, operands: &[Value], fuses: bool) -> Edit<Value> {
        let editor = self.scopes.editor;
        if !instruction.is(Opcode::Call) {
            let copy = self.copied(instruction, operands)?;
            editor.make_exact(copy)?;
            editor.drop_poison_flags(copy)?;
            return Ok(copy);
        }
        let name = instruction.intrinsic_name().unwrap_or_default();
        let Some(name) = INTRINSICS.into_iter().chain(EXTREMA).find(|known| *known == name) else {
            return Err(EditError::new(format!("a call of {name} on a device")));
        };
        let ty = instruction.ty();
        match (name, operands) {
            ("llvm.fmuladd", [a, b, c, ..]) if !fuses => editor.sum(editor.product(*a, *b)?, *c),
            ("llvm.fma" | "llvm.fmuladd", [a, b, c, ..]) => editor.intrinsic("llvm.fma", ty, &[*a, *b, *c], "fma"),
            // What it gives for the least number is a matter of a flag, and any will do where that is not defined.
            ("llvm.abs", [a, ..]) => {
                let zero = editor.const_int(ty.int_bits().unwrap_or(0), 0)?;
                let negative = editor.icmp(IntPredicate::Slt, *a, zero)?;
                editor.select(negative, editor.int_op(IntOp::Sub, zero, *a, "negated")?, *a)
            }
            ("llvm.sqrt" | "llvm.fabs", [a, ..]) => editor.intrinsic(name, ty, &[*a], "device"),
            (_, [a, b, ..]) => editor.intrinsic(name, ty, &[*a, *b], "device"),
            _ => Err(EditError::new(format!("a call of {name} without operands"))),
        }
    }

    /// What two parts of a reduction are together.
    pub(super) fn combined(&self, combination: Combination, a: Value, b: Value) -> Edit<Value> {
        let editor = self.scopes.editor;
        let is_float = a.ty().is_float();
        let first_if = |predicate| editor.select(editor.icmp(predicate, a, b)?, a, b);
        match combination {
            Combination::Sum if is_float => editor.sum(a, b),
            Combination::Product if is_float => editor.product(a, b),
            Combination::Sum => editor.add(a, b),
            Combination::Product => editor.mul(a, b),
            Combination::And => editor.and(a, b),
            Combination::Or => editor.int_op(IntOp::Or, a, b, "or"),
            Combination::Xor => editor.int_op(IntOp::Xor, a, b, "xor"),
            Combination::SignedMinimum => first_if(IntPredicate::Slt),
            Combination::SignedMaximum => first_if(IntPredicate::Sgt),
            Combination::UnsignedMinimum => first_if(IntPredicate::Ult),
            Combination::UnsignedMaximum => first_if(IntPredicate::Ugt),
            Combination::FloatMinimum => editor.intrinsic("llvm.minnum", a.ty(), &[a, b], "least"),
            Combination::FloatMaximum => editor.intrinsic("llvm.maxnum", a.ty(), &[a, b], "greatest"),
        }
    }

    /// A load or store in the device's memory, where an array begins at another address than on the host.
    pub(super) fn access_on_device(
        &self,
        access: &Access,
        (original, ty): (Value, Type),
        pointer: Value,
        value: Option<Value>,
    ) -> Edit<Value> {
        let editor = self.scopes.editor;
        let align = element_align(self.scop, access);
        let copy = match value {
            None => editor.load(ty, pointer, align)?,
            Some(value) => editor.store(value, pointer, align)?,
        };
        for kind in ["tbaa"].iter().chain(&VALUES) {
            if let Some(node) = editor.metadata(original, kind) {
                editor.set_metadata(copy, kind, Some(node))?;
            }
        }
        Ok(copy)
    }
}
