//! Facts about values and instructions that need no analysis.

use super::buffer;
use super::ffi;
use super::function::demangled;
use super::handles::{Block, SourceLocation, Type, Value};
use super::opcode::{IntPredicate, Opcode};
use llvm_sys::core;
use std::ptr;

/// One use of a value: which user, and as which of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    /// The instruction or constant that uses the value.
    pub user: Value,
    /// The number of the operand.
    pub operand: u32,
}

/// A load or store instruction, taken apart.
#[derive(Clone, Copy, Debug)]
pub struct MemoryAccess {
    /// The address.
    pub pointer: Value,
    /// The stored value; `None` for loads.
    pub stored: Option<Value>,
    /// The type of what is loaded or stored.
    pub ty: Type,
    /// The promised alignment of the address, in bytes.
    pub align: u64,
    /// Volatile accesses must stay as they are.
    pub volatile: bool,
    /// Atomic accesses must stay as they are.
    pub atomic: bool,
}

/// Flags on arithmetic that let LLVM assume something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArithmeticFlags {
    /// The result is poison when it wraps as an unsigned number.
    pub nuw: bool,
    /// The result is poison when it wraps as a signed number.
    pub nsw: bool,
    /// The result is poison when a division or right shift loses bits.
    pub exact: bool,
    /// Address arithmetic stays inside one object.
    pub inbounds: bool,
    /// The operands of this `or` have no bit in common (so it is an addition).
    pub disjoint: bool,
    /// The operand of this conversion is not negative.
    pub nneg: bool,
    /// Floating-point operations may be reassociated.
    pub reassoc: bool,
    /// No operand or result is a NaN.
    pub nnan: bool,
    /// No operand or result is infinite.
    pub ninf: bool,
    /// The sign of zero does not matter.
    pub nsz: bool,
    /// A division may become a multiplication with the reciprocal.
    pub arcp: bool,
    /// Operations may be fused.
    pub contract: bool,
    /// Functions may be approximated.
    pub afn: bool,
}

const MAY_READ: u32 = 1;
const MAY_WRITE: u32 = 2;
const SIDE_EFFECTS: u32 = 4;
const MAY_THROW: u32 = 8;
const VOLATILE: u32 = 16;
const ATOMIC: u32 = 32;
const PURE_CALL: u32 = 64;
const NO_RETURN: u32 = 128;
const ERRNO_CALL: u32 = 256;

/// Two words, low first, as one signed number.
pub(super) fn signed(words: [u64; 2]) -> i128 {
    ((u128::from(words[1]) << 64) | u128::from(words[0])).cast_signed()
}

impl Value {
    /// The instruction kind; `None` for everything that is not an instruction.
    pub fn opcode(self) -> Option<Opcode> {
        // SAFETY: a handle points to a live value; the opcode is asked of instructions only.
        unsafe {
            let instruction = core::LLVMIsAInstruction(self.raw());
            (!instruction.is_null()).then(|| Opcode::from_raw(core::LLVMGetInstructionOpcode(instruction)))
        }
    }

    /// Whether it is an instruction of that kind.
    pub fn is(self, opcode: Opcode) -> bool {
        self.opcode() == Some(opcode)
    }

    /// Whether it is an instruction.
    pub fn is_instruction(self) -> bool {
        // SAFETY: a handle points to a live value.
        unsafe { !core::LLVMIsAInstruction(self.raw()).is_null() }
    }

    /// Whether it is an argument of a function.
    pub fn is_argument(self) -> bool {
        // SAFETY: a handle points to a live value.
        unsafe { !core::LLVMIsAArgument(self.raw()).is_null() }
    }

    /// The number of the argument, from 0.
    pub fn argument_index(self) -> Option<usize> {
        if !self.is_argument() {
            return None;
        }
        // SAFETY: the value is an argument, so it has a parent function with parameters.
        let parameters = unsafe {
            let function = core::LLVMGetParamParent(self.raw());
            let mut parameters = vec![ptr::null_mut(); core::LLVMCountParams(function) as usize];
            core::LLVMGetParams(function, parameters.as_mut_ptr());
            parameters
        };
        parameters.iter().position(|&parameter| parameter == self.raw())
    }

    /// Whether it is a constant of any kind (globals included).
    pub fn is_constant(self) -> bool {
        // SAFETY: a handle points to a live value.
        unsafe { core::LLVMIsConstant(self.raw()) != 0 }
    }

    /// Whether it is a constant without any address in it: a number, null, undef.
    pub fn is_plain_constant(self) -> bool {
        // SAFETY: a handle points to a live value.
        unsafe {
            let value = self.raw();
            !core::LLVMIsAConstantInt(value).is_null()
                || !core::LLVMIsAConstantFP(value).is_null()
                || !core::LLVMIsAUndefValue(value).is_null()
        }
    }

    /// Whether it is a global variable, function or alias: the address of one object, the same all the time.
    pub fn is_global(self) -> bool {
        // SAFETY: a handle points to a live value.
        unsafe { !core::LLVMIsAGlobalValue(self.raw()).is_null() }
    }

    /// Whether it is undef or poison.
    pub fn is_undef(self) -> bool {
        // SAFETY: a handle points to a live value; poison is a kind of undef for this question.
        unsafe { !core::LLVMIsAUndefValue(self.raw()).is_null() }
    }

    /// The type of the value.
    pub fn ty(self) -> Type {
        // SAFETY: a handle points to a live value, and every value has a type.
        let raw = unsafe { core::LLVMTypeOf(self.raw()) };
        Type::from_raw(raw).unwrap_or_else(|| unreachable!("every value has a type"))
    }

    /// A constant integer as a signed number; `None` when it is not one or needs more than 128 bits.
    pub fn constant_int(self) -> Option<i128> {
        let mut words = [0u64; 2];
        // SAFETY: a handle points to a live value; the buffer has room for the two words.
        let found = unsafe { ffi::tessera_constant_int(self.raw(), words.as_mut_ptr()) };
        (found != 0).then(|| signed(words))
    }

    /// The name in the IR; empty when it has none (Clang keeps none by default).
    pub fn name(self) -> String {
        let mut length = 0usize;
        // SAFETY: a handle points to a live value; the name is `length` bytes owned by the value and copied at once.
        let bytes = unsafe {
            let start = core::LLVMGetValueName2(self.raw(), &raw mut length);
            if length == 0 { &[] } else { std::slice::from_raw_parts(start.cast::<u8>(), length) }
        };
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// The name of the source variable that holds the value, where debug information says so.
    pub fn variable_name(self) -> Option<String> {
        // SAFETY: a handle points to a live value.
        let name = buffer::text(|out, capacity| unsafe { ffi::tessera_variable_name(self.raw(), out, capacity) });
        (!name.is_empty()).then_some(name)
    }

    /// A name that a user can recognise: the source variable, else the name in the IR, else what the value is.
    pub fn user_name(self) -> String {
        if let Some(name) = self.variable_name() {
            return name;
        }
        let name = self.name();
        if !name.is_empty() {
            return name;
        }
        if let Some(value) = self.constant_int() {
            return value.to_string();
        }
        self.description()
    }

    /// What remarks call the value: the source variable, else what the value is. Names that LLVM gave to its own values mean nothing to
    /// a user.
    pub fn source_name(self) -> String {
        let is_of_source = self.opcode().is_none_or(|opcode| opcode == Opcode::Alloca);
        let name = if is_of_source { self.name() } else { String::new() };
        self.variable_name().or(Some(name).filter(|name| !name.is_empty())).unwrap_or_else(|| self.description())
    }

    fn description(self) -> String {
        match (self.argument_index(), self.opcode()) {
            (Some(index), _) => format!("argument {}", index + 1),
            (None, Some(Opcode::Load)) => "a loaded value".to_string(),
            (None, Some(Opcode::Call)) => "the result of a call".to_string(),
            (None, Some(Opcode::Alloca)) => "a local variable".to_string(),
            _ => "a computed value".to_string(),
        }
    }

    /// The operands, in order. Metadata, tokens and blocks are among them where the instruction has such operands.
    pub fn operands(self) -> Vec<Value> {
        // SAFETY: a handle points to a live value.
        let raw =
            buffer::items(ptr::null_mut(), |out, capacity| unsafe { ffi::tessera_operands(self.raw(), out, capacity) });
        raw.into_iter().filter_map(Value::from_raw).collect()
    }

    /// One operand.
    pub fn operand(self, index: usize) -> Option<Value> {
        self.operands().get(index).copied()
    }

    /// The block that this operand value is.
    pub fn as_block(self) -> Option<Block> {
        // SAFETY: a handle points to a live value; it is asked whether it is a block first.
        unsafe {
            if core::LLVMValueIsBasicBlock(self.raw()) == 0 {
                return None;
            }
            Block::from_raw(core::LLVMValueAsBasicBlock(self.raw()))
        }
    }

    /// The block that the instruction stands in.
    pub fn parent(self) -> Option<Block> {
        if !self.is_instruction() {
            return None;
        }
        // SAFETY: the value is an instruction.
        Block::from_raw(unsafe { core::LLVMGetInstructionParent(self.raw()) })
    }

    /// All uses; those of a global or another constant may be in other functions (see [`Analyses::users_here`]). In the order of LLVM's use list (the same on every run).
    pub fn uses(self) -> Vec<Use> {
        let mut indices = Vec::new();
        // SAFETY: a handle points to a live value; both buffers have room for `capacity` items.
        let users = buffer::items(ptr::null_mut(), |out, capacity| unsafe {
            indices.resize(capacity, 0);
            ffi::tessera_uses(self.raw(), out, indices.as_mut_ptr(), capacity)
        });
        users
            .into_iter()
            .zip(indices)
            .filter_map(|(user, operand)| Some(Use { user: Value::from_raw(user)?, operand }))
            .collect()
    }

    /// Of a comparison of floating-point numbers: whether it holds where the first is less than the second, and where it is greater. `None` where it
    /// is something else than an order.
    pub fn float_order(self) -> Option<[bool; 2]> {
        use llvm_sys::LLVMRealPredicate as Predicate;
        self.is(Opcode::FCmp).then_some(())?;
        // SAFETY: the handle is live, and was just checked to be a comparison of floating-point numbers.
        match unsafe { core::LLVMGetFCmpPredicate(self.raw()) } {
            Predicate::LLVMRealOLT | Predicate::LLVMRealOLE | Predicate::LLVMRealULT | Predicate::LLVMRealULE => {
                Some([true, false])
            }
            Predicate::LLVMRealOGT | Predicate::LLVMRealOGE | Predicate::LLVMRealUGT | Predicate::LLVMRealUGE => {
                Some([false, true])
            }
            _ => None,
        }
    }

    /// The predicate of an integer comparison.
    pub fn int_predicate(self) -> Option<IntPredicate> {
        if !self.is(Opcode::ICmp) {
            return None;
        }
        // SAFETY: the value is an integer comparison.
        Some(IntPredicate::from_raw(unsafe { core::LLVMGetICmpPredicate(self.raw()) }))
    }

    /// A load or store, taken apart; `None` for all other values.
    pub fn memory_access(self) -> Option<MemoryAccess> {
        let operands = self.operands();
        let (stored, pointer) = match self.opcode()? {
            Opcode::Load => (None, *operands.first()?),
            Opcode::Store => (Some(*operands.first()?), *operands.get(1)?),
            _ => return None,
        };
        // SAFETY: the value is a load or a store, and these have an alignment.
        let align = u64::from(unsafe { core::LLVMGetAlignment(self.raw()) });
        let facts = self.facts();
        Some(MemoryAccess {
            pointer,
            stored,
            ty: stored.unwrap_or(self).ty(),
            align,
            volatile: facts & VOLATILE != 0,
            atomic: facts & ATOMIC != 0,
        })
    }

    /// The incoming values of a phi, in order; empty for other values.
    pub fn phi_incoming(self) -> Vec<(Value, Block)> {
        if !self.is(Opcode::Phi) {
            return Vec::new();
        }
        // SAFETY: the value is a phi and the indices are below its count.
        unsafe {
            (0..core::LLVMCountIncoming(self.raw()))
                .filter_map(|index| {
                    let value = Value::from_raw(core::LLVMGetIncomingValue(self.raw(), index))?;
                    let block = Block::from_raw(core::LLVMGetIncomingBlock(self.raw(), index))?;
                    Some((value, block))
                })
                .collect()
        }
    }

    /// The value that a phi has when control comes from that block.
    pub fn phi_value_from(self, block: Block) -> Option<Value> {
        self.phi_incoming().into_iter().find(|&(_, from)| from == block).map(|(value, _)| value)
    }

    fn facts(self) -> u32 {
        // SAFETY: a handle points to a live value.
        unsafe { ffi::tessera_instruction_facts(self.raw()) }
    }

    /// Whether the instruction may read memory.
    pub fn may_read(self) -> bool {
        self.facts() & MAY_READ != 0
    }

    /// Whether the instruction may write memory.
    pub fn may_write(self) -> bool {
        self.facts() & MAY_WRITE != 0
    }

    /// Whether the instruction may write memory, unwind or not return.
    pub fn has_side_effects(self) -> bool {
        self.facts() & SIDE_EFFECTS != 0
    }

    /// Whether the instruction may unwind.
    pub fn may_throw(self) -> bool {
        self.facts() & MAY_THROW != 0
    }

    /// Whether it is a call that touches no memory, always returns, does not unwind and is not convergent: its result
    /// depends on its arguments alone and it may be executed in any order or not at all.
    pub fn is_pure_call(self) -> bool {
        self.facts() & PURE_CALL != 0
    }

    /// Whether it is a call that would be pure ([`Value::is_pure_call`]) if it did not set `errno` on some errors.
    pub fn is_errno_call(self) -> bool {
        self.facts() & ERRNO_CALL != 0
    }

    /// Whether it is a call that never returns.
    pub fn is_no_return_call(self) -> bool {
        self.facts() & NO_RETURN != 0
    }

    /// Whether the instruction may be executed where it was not before, with any operands that its operands' types allow
    /// (no trap, no side effect, no undefined behaviour; the result may be poison).
    pub fn is_safe_to_speculate(self) -> bool {
        // SAFETY: a handle points to a live value.
        unsafe { ffi::tessera_is_safe_to_speculate(self.raw()) != 0 }
    }

    /// The flags on arithmetic.
    pub fn flags(self) -> ArithmeticFlags {
        // SAFETY: a handle points to a live value.
        let bits = unsafe { ffi::tessera_instruction_flags(self.raw()) };
        let has = |bit: u32| bits & (1 << bit) != 0;
        ArithmeticFlags {
            nuw: has(0),
            nsw: has(1),
            exact: has(2),
            inbounds: has(3),
            disjoint: has(4),
            nneg: has(5),
            reassoc: has(8),
            nnan: has(9),
            ninf: has(10),
            nsz: has(11),
            arcp: has(12),
            contract: has(13),
            afn: has(14),
        }
    }

    /// Whether this is the null pointer.
    pub fn is_null_pointer(self) -> bool {
        // SAFETY: a handle points to a live value.
        unsafe { ffi::tessera_is_null_pointer(self.raw()) != 0 }
    }

    /// The name of the intrinsic that is called, without type suffix (`llvm.fmuladd`).
    pub fn intrinsic_name(self) -> Option<String> {
        // SAFETY: a handle points to a live value.
        let name = buffer::text(|out, capacity| unsafe { ffi::tessera_intrinsic_name(self.raw(), out, capacity) });
        (!name.is_empty()).then_some(name)
    }

    /// The name of the function that is called directly.
    pub fn called_name(self) -> Option<String> {
        // SAFETY: a handle points to a live value.
        let name = buffer::text(|out, capacity| unsafe { ffi::tessera_called_name(self.raw(), out, capacity) });
        (!name.is_empty()).then_some(name)
    }

    /// The name of the function that is called directly, as the source spells it: `memset` for LLVM's own version of it.
    pub fn callee_user_name(self) -> Option<String> {
        if let Some(name) = self.intrinsic_name() {
            let name = name.strip_prefix("llvm.").unwrap_or(&name);
            return Some(name.split('.').next().unwrap_or(name).to_string());
        }
        self.called_name().map(|name| demangled(&name))
    }

    /// Where the instruction comes from.
    pub fn debug_location(self) -> Option<SourceLocation> {
        // SAFETY: a handle points to a live value.
        location(|at, out, capacity, length| unsafe {
            ffi::tessera_debug_location(self.raw(), at, out, capacity, length)
        })
    }

    /// The value as IR prints it, on one line.
    pub fn text(self) -> String {
        // SAFETY: a handle points to a live value.
        buffer::text(|out, capacity| unsafe { ffi::tessera_value_text(self.raw(), 0, out, capacity) })
    }

    /// The value as IR names it where it is an operand (`%i`, `%7`, `42`).
    pub fn as_operand_text(self) -> String {
        // SAFETY: a handle points to a live value.
        buffer::text(|out, capacity| unsafe { ffi::tessera_value_text(self.raw(), 1, out, capacity) })
    }
}

/// Asks for a location: `fill(line and column, buffer, capacity, length)` returns 0 when there is none.
pub(super) fn location(
    mut fill: impl FnMut(*mut u32, *mut std::ffi::c_char, usize, *mut usize) -> i32,
) -> Option<SourceLocation> {
    let mut at = [0u32; 2];
    let mut found = false;
    let file = buffer::text(|out, capacity| {
        let mut length = 0usize;
        found = fill(at.as_mut_ptr(), out, capacity, &raw mut length) != 0;
        length
    });
    found.then(|| SourceLocation { file, line: at[0], column: at[1] })
}
