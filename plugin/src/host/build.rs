//! Building instructions at the editor's position.
//!
//! Integer arithmetic goes through inkwell; what inkwell panics on (types it does not know) goes through LLVM's C API.
//! Operands are checked first: LLVM itself checks nothing in release builds. Operations on constants give constants.

use super::edit::{Edit, EditError, Editor, c_name, inkwell_block, operand_index, require_type};
use super::ffi;
use super::handles::{Block, Type, Value};
use super::journal::Undo;
use super::opcode::{IntPredicate, Opcode};
use inkwell::types::IntType;
use inkwell::values::{AsValueRef, IntValue};
use llvm_sys::core;

/// An integer operation on two operands of one type, named as LLVM names its instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
}

/// The widest integer type of LLVM.
const MAX_BITS: u32 = 1 << 23;

pub(super) fn as_int<'a>(value: Value) -> Edit<IntValue<'a>> {
    if value.ty().int_bits().is_none() {
        return Err(EditError::new(format!("{} is not an integer", value.ty().text())));
    }
    // SAFETY: the handle is a live value of integer type.
    Ok(unsafe { IntValue::new(value.raw()) })
}

impl<'a> Editor<'a> {
    // ---- types and constants ----

    /// The integer type of that width.
    pub fn int_type(&self, bits: u32) -> Edit<Type> {
        if bits == 0 || bits > MAX_BITS {
            return Err(EditError::new(format!("there is no integer type of {bits} bits")));
        }
        // SAFETY: the LLVM context is live and the width is one that LLVM has.
        Type::from_raw(unsafe { core::LLVMIntTypeInContext(self.llvm_context(), bits) })
            .ok_or_else(|| EditError::new("LLVM made no type"))
    }

    /// The width of counters and distances: that of addresses in the default address space.
    pub fn word_bits(&self) -> u32 {
        self.analyses().index_bits(0)
    }

    /// The constant of the width of counters and distances.
    pub fn const_word(&self, value: i128) -> Edit<Value> {
        self.const_int(self.word_bits(), value)
    }

    /// The same of any number modulo 2^w.
    pub fn const_residue(&self, value: i128) -> Edit<Value> {
        self.const_word(value.rem_euclid(1 << self.word_bits()))
    }

    /// The constant of that width; an error when the value fits neither as signed nor as unsigned number.
    pub fn const_int(&self, bits: u32, value: i128) -> Edit<Value> {
        if bits < 128 && (value < -(1i128 << (bits.max(1) - 1)) || (bits < 127 && value >= 1i128 << bits)) {
            return Err(EditError::new(format!("{value} does not fit into {bits} bits")));
        }
        let ty = self.int_type(bits)?;
        let low = value.cast_unsigned() as u64;
        let high = (value.cast_unsigned() >> 64) as u64;
        let sign = if value < 0 { u64::MAX } else { 0 };
        let words: Vec<u64> = (0..bits.div_ceil(64))
            .map(|index| match index {
                0 => low,
                1 => high,
                _ => sign,
            })
            .collect();
        // SAFETY: the type is a live integer type.
        let int_type = unsafe { IntType::new(ty.raw()) };
        Value::from_raw(int_type.const_int_arbitrary_precision(&words).as_value_ref())
            .ok_or_else(|| EditError::new("LLVM made no constant"))
    }

    /// A constant of type `i1`.
    pub fn const_bool(&self, value: bool) -> Edit<Value> {
        self.const_int(1, i128::from(value))
    }

    /// The poison value of a type.
    pub fn poison(&self, ty: Type) -> Edit<Value> {
        // SAFETY: the type is live.
        Value::from_raw(unsafe { core::LLVMGetPoison(ty.raw()) }).ok_or_else(|| EditError::new("LLVM made no constant"))
    }

    // ---- integers ----

    /// An integer operation without flags. Division by zero and shifts beyond the width are the caller's to avoid.
    pub fn int_op(&self, op: IntOp, a: Value, b: Value, hint: &str) -> Edit<Value> {
        require_type(b, a.ty(), "the second operand")?;
        let (x, y) = (as_int(a)?, as_int(b)?);
        let name = self.fresh_name(hint);
        let result = match op {
            IntOp::Add => self.builder.build_int_add(x, y, &name),
            IntOp::Sub => self.builder.build_int_sub(x, y, &name),
            IntOp::Mul => self.builder.build_int_mul(x, y, &name),
            IntOp::UDiv => self.builder.build_int_unsigned_div(x, y, &name),
            IntOp::SDiv => self.builder.build_int_signed_div(x, y, &name),
            IntOp::URem => self.builder.build_int_unsigned_rem(x, y, &name),
            IntOp::SRem => self.builder.build_int_signed_rem(x, y, &name),
            IntOp::And => self.builder.build_and(x, y, &name),
            IntOp::Or => self.builder.build_or(x, y, &name),
            IntOp::Xor => self.builder.build_xor(x, y, &name),
            IntOp::Shl => self.builder.build_left_shift(x, y, &name),
            IntOp::LShr => self.builder.build_right_shift(x, y, false, &name),
            IntOp::AShr => self.builder.build_right_shift(x, y, true, &name),
        };
        self.created(result?.as_value_ref())
    }

    /// `a + b`, wrapping.
    pub fn add(&self, a: Value, b: Value) -> Edit<Value> {
        self.int_op(IntOp::Add, a, b, "add")
    }

    /// `a - b`, wrapping.
    pub fn sub(&self, a: Value, b: Value) -> Edit<Value> {
        self.int_op(IntOp::Sub, a, b, "sub")
    }

    /// `a * b`, wrapping.
    pub fn mul(&self, a: Value, b: Value) -> Edit<Value> {
        self.int_op(IntOp::Mul, a, b, "mul")
    }

    /// Bitwise and; conjunction of conditions.
    pub fn and(&self, a: Value, b: Value) -> Edit<Value> {
        self.int_op(IntOp::And, a, b, "and")
    }

    /// Conjunction, without instructions for what is known.
    pub fn both(&self, a: Value, b: Value) -> Edit<Value> {
        match (a.constant_int(), b.constant_int()) {
            (Some(0), _) | (_, Some(0)) => self.const_bool(false),
            (Some(_), _) => Ok(b),
            (_, Some(_)) => Ok(a),
            _ => self.and(a, b),
        }
    }

    /// Disjunction, without instructions for what is known.
    pub fn either(&self, a: Value, b: Value) -> Edit<Value> {
        match (a.constant_int(), b.constant_int()) {
            (Some(0), _) => Ok(b),
            (_, Some(0)) => Ok(a),
            (Some(_), _) | (_, Some(_)) => self.const_bool(true),
            _ => self.or(a, b),
        }
    }

    /// Bitwise or; disjunction of conditions.
    pub fn or(&self, a: Value, b: Value) -> Edit<Value> {
        self.int_op(IntOp::Or, a, b, "or")
    }

    /// Puts "no wrap" flags on an integer operation that was just built; constants are left alone.
    pub fn set_wrap_flags(&self, value: Value, nuw: bool, nsw: bool) {
        if value.is_instruction() {
            // SAFETY: the handle is a live instruction; other kinds than wrapping arithmetic are left alone.
            unsafe { ffi::tessera_set_wrap_flags(value.raw(), i32::from(nuw), i32::from(nsw)) };
        }
    }

    /// Compares two integers or two pointers of one type.
    pub fn icmp(&self, predicate: IntPredicate, a: Value, b: Value) -> Edit<Value> {
        require_type(b, a.ty(), "the second operand")?;
        if a.ty().int_bits().is_none() && !a.ty().is_pointer() {
            return Err(EditError::new(format!("{} cannot be compared", a.ty().text())));
        }
        self.require_position()?;
        let name = c_name(&self.fresh_name("cmp"))?;
        // SAFETY: the builder is positioned; both operands are integers or pointers of one type.
        let raw =
            unsafe { core::LLVMBuildICmp(self.builder.as_mut_ptr(), predicate.raw(), a.raw(), b.raw(), name.as_ptr()) };
        self.created(raw)
    }

    /// `condition ? a : b`.
    pub fn select(&self, condition: Value, a: Value, b: Value) -> Edit<Value> {
        require_type(condition, self.int_type(1)?, "the condition")?;
        require_type(b, a.ty(), "the second choice")?;
        self.require_position()?;
        if let Some(value) = condition.constant_int() {
            return Ok(if value != 0 { a } else { b });
        }
        let name = c_name(&self.fresh_name("select"))?;
        // SAFETY: the builder is positioned; the condition is an i1 and the choices have one type.
        let raw = unsafe {
            core::LLVMBuildSelect(self.builder.as_mut_ptr(), condition.raw(), a.raw(), b.raw(), name.as_ptr())
        };
        self.created(raw)
    }

    /// The smaller of two signed integers.
    pub fn smin(&self, a: Value, b: Value) -> Edit<Value> {
        self.select(self.icmp(IntPredicate::Slt, a, b)?, a, b)
    }

    /// The larger of two signed integers.
    pub fn smax(&self, a: Value, b: Value) -> Edit<Value> {
        self.select(self.icmp(IntPredicate::Sgt, a, b)?, a, b)
    }

    /// The value in more bits, as signed number. Equal widths give the value itself; fewer bits are an error.
    pub fn sext(&self, value: Value, bits: u32) -> Edit<Value> {
        self.resize(value, bits, true, false)
    }

    /// The value in more bits, as unsigned number. Equal widths give the value itself; fewer bits are an error.
    pub fn zext(&self, value: Value, bits: u32) -> Edit<Value> {
        self.resize(value, bits, false, false)
    }

    /// The low bits. Equal widths give the value itself; more bits are an error.
    pub fn trunc(&self, value: Value, bits: u32) -> Edit<Value> {
        self.resize(value, bits, false, true)
    }

    /// The value in any width: sign-extended or truncated.
    pub fn sext_or_trunc(&self, value: Value, bits: u32) -> Edit<Value> {
        let width = value.ty().int_bits().unwrap_or(bits);
        self.resize(value, bits, true, bits < width)
    }

    fn resize(&self, value: Value, bits: u32, is_signed: bool, truncate: bool) -> Edit<Value> {
        let operand = as_int(value)?;
        let width = value.ty().int_bits().unwrap_or(0);
        if width == bits {
            return Ok(value);
        }
        if truncate != (bits < width) {
            return Err(EditError::new(format!("{width} bits cannot become {bits} this way")));
        }
        // SAFETY: the type is a live integer type.
        let ty = unsafe { IntType::new(self.int_type(bits)?.raw()) };
        let result = if truncate {
            self.builder.build_int_truncate(operand, ty, &self.fresh_name("trunc"))
        } else if is_signed {
            self.builder.build_int_s_extend(operand, ty, &self.fresh_name("sext"))
        } else {
            self.builder.build_int_z_extend(operand, ty, &self.fresh_name("zext"))
        };
        self.created(result?.as_value_ref())
    }

    /// The address as an integer of that width.
    pub fn ptrtoint(&self, pointer: Value, bits: u32) -> Edit<Value> {
        require_pointer(pointer)?;
        self.require_position()?;
        let name = c_name(&self.fresh_name("address"))?;
        let ty = self.int_type(bits)?;
        // SAFETY: the builder is positioned; the operand is a pointer and the type an integer type.
        let raw = unsafe { core::LLVMBuildPtrToInt(self.builder.as_mut_ptr(), pointer.raw(), ty.raw(), name.as_ptr()) };
        self.created(raw)
    }

    /// The value, or some fixed value where it is undef or poison.
    pub fn freeze(&self, value: Value) -> Edit<Value> {
        self.require_position()?;
        let name = c_name(&self.fresh_name("freeze"))?;
        // SAFETY: the builder is positioned and the value is live.
        let raw = unsafe { core::LLVMBuildFreeze(self.builder.as_mut_ptr(), value.raw(), name.as_ptr()) };
        self.created(raw)
    }

    // ---- memory ----

    /// The pointer moved by `offset` bytes. `inbounds` promises that both stay inside one object.
    pub fn byte_offset(&self, pointer: Value, offset: Value, inbounds: bool) -> Edit<Value> {
        require_pointer(pointer)?;
        as_int(offset)?;
        self.require_position()?;
        let name = c_name(&self.fresh_name("gep"))?;
        let byte = self.int_type(8)?;
        let mut indices = [offset.raw()];
        let build = if inbounds { core::LLVMBuildInBoundsGEP2 } else { core::LLVMBuildGEP2 };
        // SAFETY: the builder is positioned; a pointer is indexed with one integer over i8.
        let raw = unsafe {
            build(self.builder.as_mut_ptr(), byte.raw(), pointer.raw(), indices.as_mut_ptr(), 1, name.as_ptr())
        };
        self.created(raw)
    }

    /// Loads a value. `align` is in bytes, a power of two.
    pub fn load(&self, ty: Type, pointer: Value, align: u64) -> Edit<Value> {
        require_pointer(pointer)?;
        self.require_position()?;
        let align = alignment(align)?;
        let name = c_name(&self.fresh_name("load"))?;
        // SAFETY: the builder is positioned; the operand is a pointer; the result is a load, which has an alignment.
        let raw = unsafe {
            let load = core::LLVMBuildLoad2(self.builder.as_mut_ptr(), ty.raw(), pointer.raw(), name.as_ptr());
            core::LLVMSetAlignment(load, align);
            load
        };
        self.created(raw)
    }

    /// Stores a value. `align` is in bytes, a power of two.
    pub fn store(&self, value: Value, pointer: Value, align: u64) -> Edit<Value> {
        require_pointer(pointer)?;
        self.require_position()?;
        let align = alignment(align)?;
        // SAFETY: the builder is positioned; the target is a pointer; the result is a store, which has an alignment.
        let raw = unsafe {
            let store = core::LLVMBuildStore(self.builder.as_mut_ptr(), value.raw(), pointer.raw());
            core::LLVMSetAlignment(store, align);
            store
        };
        self.created(raw)
    }

    /// Copies so many bytes, a word, from `from` to `to`, which do not overlap. Both are aligned to so many bytes, a power of two.
    pub fn copy_bytes(&self, to: (Value, u64), from: (Value, u64), bytes: Value) -> Edit<Value> {
        require_pointer(to.0)?;
        require_pointer(from.0)?;
        require_type(bytes, self.int_type(self.word_bits())?, "the number of bytes")?;
        self.require_position()?;
        let (to_align, from_align) = (alignment(to.1)?, alignment(from.1)?);
        // SAFETY: the builder is positioned; the operands are two pointers with alignments that are powers of two, and a word.
        let raw = unsafe {
            let builder = self.builder.as_mut_ptr();
            core::LLVMBuildMemCpy(builder, to.0.raw(), to_align, from.0.raw(), from_align, bytes.raw())
        };
        self.created(raw)
    }

    /// Moves a store that was built since the last commit to the editor's position, which must be behind it in the same block.
    pub fn move_here(&self, store: Value) -> Edit<()> {
        self.require_position()?;
        if !store.is(Opcode::Store) {
            return Err(EditError::new("only stores are moved"));
        }
        // SAFETY: the builder is positioned; the instruction is a live store, which has no users, and keeps its operands and its life.
        unsafe {
            core::LLVMInstructionRemoveFromParent(store.raw());
            core::LLVMInsertIntoBuilder(self.builder.as_mut_ptr(), store.raw());
        }
        Ok(())
    }

    /// Takes a store out again that was built since the last commit.
    pub fn discard_store(&self, store: Value) -> Edit<()> {
        match store.is(Opcode::Store) && self.discard(store) {
            true => Ok(()),
            false => Err(EditError::new("only stores of this run can be taken out")),
        }
    }

    /// The type of vectors of so many elements, which are numbers.
    pub fn vector_type(&self, element: Type, lanes: u32) -> Edit<Type> {
        if lanes == 0 || !(element.is_float() || element.int_bits().is_some()) {
            return Err(EditError::new(format!("there is no vector of {lanes} {}", element.text())));
        }
        // SAFETY: the element's type is live and one of numbers, of which vectors can be made.
        Type::from_raw(unsafe { core::LLVMVectorType(element.raw(), lanes) })
            .ok_or_else(|| EditError::new("LLVM made no type"))
    }

    /// A vector of lanes of two others of one type, which are counted through both.
    pub fn shuffle(&self, a: Value, b: Value, lanes: &[usize]) -> Edit<Value> {
        require_type(b, a.ty(), "the second vector")?;
        let (count, _) = a.ty().lanes().ok_or_else(|| EditError::new("no vector to take lanes of"))?;
        self.require_position()?;
        if lanes.is_empty() || lanes.iter().any(|lane| *lane >= 2 * count as usize) {
            return Err(EditError::new("there are no such lanes"));
        }
        let numbers = lanes.iter().map(|lane| self.const_int(32, *lane as i128));
        let mut numbers = numbers.map(|number| number.map(Value::raw)).collect::<Edit<Vec<_>>>()?;
        let name = c_name(&self.fresh_name("lanes"))?;
        // SAFETY: the builder is positioned; both operands are vectors of one type, and the mask is a constant vector of numbers of their lanes.
        let raw = unsafe {
            let mask = core::LLVMConstVector(numbers.as_mut_ptr(), numbers.len() as u32);
            core::LLVMBuildShuffleVector(self.builder.as_mut_ptr(), a.raw(), b.raw(), mask, name.as_ptr())
        };
        self.created(raw)
    }

    /// The type of so many elements side by side.
    pub fn array_type(&self, element: Type, n: u64) -> Edit<Type> {
        // SAFETY: the element's type is live, and one of values in memory: callers have loads of it.
        Type::from_raw(unsafe { core::LLVMArrayType2(element.raw(), n) })
            .ok_or_else(|| EditError::new("LLVM made no type"))
    }

    /// The constant of a type whose bits are all zero.
    pub fn zero(&self, ty: Type) -> Edit<Value> {
        // SAFETY: the type is live; it is one of a value.
        Value::from_raw(unsafe { core::LLVMConstNull(ty.raw()) }).ok_or_else(|| EditError::new("LLVM made no constant"))
    }

    /// Room for a value in the function's frame, made in the entry block. The position does not change.
    pub fn alloca(&self, ty: Type, hint: &str) -> Edit<Value> {
        let kept = self.position();
        let entry = *self.function().blocks().first().ok_or_else(|| EditError::new("the function has no body"))?;
        match entry.instructions().first() {
            Some(&first) => self.before(first)?,
            None => self.at_end(entry),
        }
        let name = c_name(&self.fresh_name(hint))?;
        // SAFETY: the builder is positioned; the type is live.
        let raw = unsafe { core::LLVMBuildAlloca(self.builder.as_mut_ptr(), ty.raw(), name.as_ptr()) };
        let place = self.created(raw)?;
        self.restore_position(kept)?;
        Ok(place)
    }

    // ---- control ----

    /// Branches to a block.
    pub fn br(&self, target: Block) -> Edit<Value> {
        self.require_open_block()?;
        let branch = self.builder.build_unconditional_branch(inkwell_block(target))?;
        self.created(branch.as_value_ref())
    }

    /// Branches to one of two blocks.
    pub fn cond_br(&self, condition: Value, on_true: Block, on_false: Block) -> Edit<Value> {
        require_type(condition, self.int_type(1)?, "the condition")?;
        self.require_open_block()?;
        let (on_true, on_false) = (inkwell_block(on_true), inkwell_block(on_false));
        let branch = self.builder.build_conditional_branch(as_int(condition)?, on_true, on_false)?;
        self.created(branch.as_value_ref())
    }

    /// Marks the end of the block as never reached.
    pub fn unreachable(&self) -> Edit<Value> {
        self.require_open_block()?;
        let end = self.builder.build_unreachable()?;
        self.created(end.as_value_ref())
    }

    // ---- copies ----

    /// A copy of an instruction with flags, metadata and source line; operands that are instructions or arguments are replaced
    /// by what `remap` gives for them. Phis and terminators cannot be copied.
    pub fn clone_instruction(&self, instruction: Value, mut remap: impl FnMut(Value) -> Edit<Value>) -> Edit<Value> {
        let is_terminator = instruction.parent().and_then(Block::terminator) == Some(instruction);
        if !instruction.is_instruction() || instruction.is(Opcode::Phi) || is_terminator {
            return Err(EditError::new("only plain instructions can be copied"));
        }
        self.require_position()?;
        let mut replaced = Vec::new();
        for (index, operand) in instruction.operands().into_iter().enumerate() {
            if operand.is_instruction() || operand.is_argument() {
                let new = remap(operand)?;
                require_type(new, operand.ty(), "the replacement of an operand")?;
                replaced.push((operand_index(index)?, new));
            }
        }
        let has_name = !instruction.name().is_empty();
        let name = c_name(&if has_name { self.fresh_name(&instruction.name()) } else { String::new() })?;
        // SAFETY: the handle is a live instruction; its copy gets operands of the same types and a place in a live block.
        let raw = unsafe {
            let copy = core::LLVMInstructionClone(instruction.raw());
            for (index, operand) in replaced {
                ffi::tessera_set_operand(copy, index, operand.raw());
            }
            core::LLVMInsertIntoBuilderWithName(self.builder.as_mut_ptr(), copy, name.as_ptr());
            ffi::tessera_copy_debug_location(instruction.raw(), copy);
            copy
        };
        self.created(raw)
    }

    /// Removes flags and metadata that make a result poison or undefined from an instruction that was built in this run: for
    /// copies that are executed where the original was not.
    pub fn drop_poison_flags(&self, instruction: Value) -> Edit<()> {
        if !instruction.is_instruction() {
            return Ok(());
        }
        // SAFETY: the handle is a live instruction.
        unsafe { ffi::tessera_drop_poison_flags(instruction.raw()) };
        Ok(())
    }

    /// Removes from a floating-point operation that was built in this run all that lets its result be another one.
    pub fn make_exact(&self, instruction: Value) -> Edit<()> {
        if !instruction.is_instruction() {
            return Ok(());
        }
        // SAFETY: the handle is a live instruction.
        unsafe { ffi::tessera_clear_fast_math_flags(instruction.raw()) };
        self.set_metadata(instruction, "fpmath", None)
    }

    // ---- checks ----

    fn require_position(&self) -> Edit<()> {
        match self.position() {
            Some(_) => Ok(()),
            None => Err(EditError::new("no position to build at")),
        }
    }

    pub(super) fn require_open_block(&self) -> Edit<()> {
        let block = self.current_block().ok_or_else(|| EditError::new("no position to build at"))?;
        match block.terminator() {
            Some(_) => Err(EditError::new(format!("block {} has a terminator already", block.name()))),
            None => Ok(()),
        }
    }

    /// Sets metadata of an instruction and writes down what it was.
    pub(super) fn log_metadata(&self, instruction: Value, kind: u32) {
        // SAFETY: the handle is a live instruction.
        let old = unsafe { ffi::tessera_get_metadata(instruction.raw(), kind) };
        self.log(Undo::Metadata { instruction, kind, old: super::handles::Metadata::from_raw(old) });
    }
}

pub(super) fn require_pointer(value: Value) -> Edit<()> {
    if value.ty().is_pointer() {
        return Ok(());
    }
    Err(EditError::new(format!("{} is not a pointer", value.ty().text())))
}

pub(super) fn alignment(bytes: u64) -> Edit<u32> {
    u32::try_from(bytes)
        .ok()
        .filter(|bytes| bytes.is_power_of_two())
        .ok_or_else(|| EditError::new(format!("{bytes} is not an alignment")))
}
