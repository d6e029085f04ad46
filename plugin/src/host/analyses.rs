//! What the host's analyses say about the function: loops, dominators, ScalarEvolution, aliasing, sizes. What it says about
//! the processor is in `machine`.
//!
//! The analyses describe the function as it was when the run began. Blocks and instructions made since are unknown to
//! them: such blocks are in no loop and dominate nothing.

use super::buffer;
use super::ffi::{self, ContextRef};
use super::handles::{Block, Function, Loop, Scev, Type, Value};
use super::opcode::IntPredicate;
use super::value::signed;
use llvm_sys::prelude::LLVMValueRef;
use std::marker::PhantomData;
use std::ptr;

/// The analyses of one run. `Copy`, so that it can be kept anywhere during the run.
#[derive(Clone, Copy)]
pub struct Analyses<'a> {
    context: ContextRef,
    run: PhantomData<&'a ()>,
}

fn loop_pointer(scope: Option<Loop>) -> *mut std::ffi::c_void {
    scope.map_or(ptr::null_mut(), Loop::raw)
}

impl Analyses<'_> {
    /// `context` must be the shim's context of the current run, which outlives the value.
    pub(super) fn new(context: ContextRef) -> Self {
        Self { context, run: PhantomData }
    }

    pub(super) fn context(&self) -> ContextRef {
        self.context
    }

    /// The function of this run.
    pub fn function(&self) -> Function {
        // SAFETY: the context is live for `'a`.
        let raw = unsafe { ffi::tessera_function(self.context) };
        Function::from_raw(raw).unwrap_or_else(|| unreachable!("a run has a function"))
    }

    /// The instructions of this function that use a value, at most so many. The uses of globals are those of all functions of the module:
    /// what is in another one neither dominates anything here nor may stand in an operand here.
    pub fn users_here(&self, value: Value, most: usize) -> Vec<Value> {
        let function = self.function();
        let users = value.uses().into_iter().map(|usage| usage.user);
        users.filter(|user| user.parent().and_then(Block::function) == Some(function)).take(most).collect()
    }

    /// The outermost loops, in program order.
    pub fn top_level_loops(&self) -> Vec<Loop> {
        // SAFETY: the context is live for `'a`.
        let raw = buffer::items(ptr::null_mut(), |out, capacity| unsafe {
            ffi::tessera_top_level_loops(self.context, out, capacity)
        });
        raw.into_iter().filter_map(Loop::from_raw).collect()
    }

    /// The place of a loop among the loops of the function: 2.1 for the first loop in the second one.
    pub fn number_of(&self, inner: Loop) -> String {
        let mut numbers = Vec::new();
        let mut current = Some(inner);
        while let Some(inner) = current {
            current = inner.parent();
            let among = current.map_or_else(|| self.top_level_loops(), Loop::children);
            numbers.extend(among.iter().position(|other| *other == inner).map(|index| (index + 1).to_string()));
        }
        numbers.reverse();
        numbers.join(".")
    }

    /// The innermost loop that contains the block.
    pub fn loop_of(&self, block: Block) -> Option<Loop> {
        // SAFETY: the context is live for `'a`; LoopInfo looks the block up by address only.
        Loop::from_raw(unsafe { ffi::tessera_loop_of(self.context, block.raw()) })
    }

    /// The blocks of a loop and of those inside it, in reverse post-order: the header first, every block after its
    /// predecessors except along back edges.
    pub fn loop_blocks(&self, l: Loop) -> Vec<Block> {
        // SAFETY: the context is live for `'a` and the loop is one of its loops.
        let raw = buffer::items(ptr::null_mut(), |out, capacity| unsafe {
            ffi::tessera_loop_blocks(self.context, l.raw(), out, capacity)
        });
        raw.into_iter().filter_map(Block::from_raw).collect()
    }

    /// Whether every path to `b` passes through `a` (a block dominates itself; an unreachable `b` is dominated by all).
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        // SAFETY: the context is live for `'a`; the tree looks blocks up by address.
        unsafe { ffi::tessera_dominates(self.context, a.raw(), b.raw()) != 0 }
    }

    /// Whether the value is available at the start of the block. Arguments and constants always are.
    pub fn value_dominates_block(&self, value: Value, block: Block) -> bool {
        // SAFETY: the context is live for `'a`, and the value is of its function.
        unsafe { ffi::tessera_value_dominates_block(self.context, value.raw(), block.raw()) != 0 }
    }

    /// Whether control can reach the block at all.
    pub fn is_reachable(&self, block: Block) -> bool {
        // SAFETY: the context is live for `'a`.
        unsafe { ffi::tessera_is_reachable(self.context, block.raw()) != 0 }
    }

    /// The expression of a value; `None` when it is neither an integer nor a pointer.
    pub fn scev(&self, value: Value) -> Option<Scev> {
        // SAFETY: the context is live for `'a` and the value is of its function.
        Scev::from_raw(unsafe { ffi::tessera_scev(self.context, value.raw()) })
    }

    /// The expression of a value as seen from inside `scope` (`None`: from the function's body), where recurrences of
    /// finished loops are replaced by their last values when these are computable.
    pub fn scev_at_scope(&self, value: Value, scope: Option<Loop>) -> Option<Scev> {
        let expression = self.scev(value)?;
        Some(self.at_scope(expression, scope))
    }

    /// Like [`Self::scev_at_scope`], for an expression.
    pub fn at_scope(&self, expression: Scev, scope: Option<Loop>) -> Scev {
        // SAFETY: the context is live for `'a`; expression and loop are of this run.
        let raw = unsafe { ffi::tessera_scev_at_scope(self.context, expression.raw(), loop_pointer(scope)) };
        Scev::from_raw(raw).unwrap_or(expression)
    }

    /// How often the back edge of the loop is taken, over all its exits; `CouldNotCompute` when not known exactly.
    pub fn backedge_taken_count(&self, l: Loop) -> Scev {
        // SAFETY: the context is live for `'a` and the loop is one of its loops.
        let raw = unsafe { ffi::tessera_backedge_taken_count(self.context, l.raw()) };
        Scev::from_raw(raw).unwrap_or_else(|| unreachable!("ScalarEvolution never answers null"))
    }

    /// How often the back edge is taken before the loop is left through that exiting block, if it is left there.
    pub fn exit_count(&self, l: Loop, exiting: Block) -> Scev {
        // SAFETY: the context is live for `'a`; loop and block are of its function.
        let raw = unsafe { ffi::tessera_exit_count(self.context, l.raw(), exiting.raw()) };
        Scev::from_raw(raw).unwrap_or_else(|| unreachable!("ScalarEvolution never answers null"))
    }

    /// The width of the expression in bits (of addresses: of the pointer); 0 for `CouldNotCompute`.
    pub fn scev_bits(&self, expression: Scev) -> u32 {
        // SAFETY: the context is live for `'a`; the expression is of this run.
        unsafe { ffi::tessera_scev_bits(self.context, expression.raw()) }
    }

    /// The pointer that an address expression is computed from.
    pub fn pointer_base(&self, address: Scev) -> Option<Scev> {
        // SAFETY: the context is live for `'a`; the expression is of this run.
        Scev::from_raw(unsafe { ffi::tessera_scev_pointer_base(self.context, address.raw()) })
    }

    /// `a - b`; `None` when the types differ or two addresses have different bases.
    pub fn minus(&self, a: Scev, b: Scev) -> Option<Scev> {
        // SAFETY: the context is live for `'a`; the expressions are of this run; the shim checks the types.
        Scev::from_raw(unsafe { ffi::tessera_scev_minus(self.context, a.raw(), b.raw()) })
    }

    /// The quotient of two expressions of the same integer type as unsigned numbers, rounded down.
    pub fn quotient(&self, a: Scev, b: Scev) -> Option<Scev> {
        // SAFETY: expressions live as long as the run.
        Scev::from_raw(unsafe { ffi::tessera_scev_quotient(self.context, a.raw(), b.raw()) })
    }

    /// The product of two expressions of the same integer type.
    pub fn product(&self, a: Scev, b: Scev) -> Option<Scev> {
        // SAFETY: expressions live as long as the run.
        Scev::from_raw(unsafe { ffi::tessera_scev_product(self.context, a.raw(), b.raw()) })
    }

    /// Whether the expression has one value during all iterations of the loop.
    pub fn is_loop_invariant(&self, expression: Scev, l: Loop) -> bool {
        // SAFETY: the context is live for `'a`; expression and loop are of this run.
        unsafe { ffi::tessera_scev_is_invariant(self.context, expression.raw(), l.raw()) != 0 }
    }

    /// The expression rewritten with the facts that hold whenever the loop is entered.
    pub fn with_loop_guards(&self, expression: Scev, l: Loop) -> Scev {
        // SAFETY: the context is live for `'a`; expression and loop are of this run.
        let raw = unsafe { ffi::tessera_scev_with_guards(self.context, expression.raw(), l.raw()) };
        Scev::from_raw(raw).unwrap_or(expression)
    }

    /// Whether the comparison of two loop-invariant expressions is known to hold whenever the loop is entered.
    pub fn is_guarded(&self, l: Loop, predicate: IntPredicate, a: Scev, b: Scev) -> bool {
        // SAFETY: the context is live for `'a`; the handles are of this run; the shim checks types and invariance.
        unsafe { ffi::tessera_scev_guarded(self.context, l.raw(), predicate.raw(), a.raw(), b.raw()) != 0 }
    }

    fn range(&self, expression: Scev, is_signed: bool) -> Option<(i128, i128)> {
        let mut words = [0u64; 4];
        // SAFETY: the context is live for `'a`; the buffer has room for four words.
        let found = unsafe {
            ffi::tessera_scev_range(self.context, expression.raw(), i32::from(is_signed), words.as_mut_ptr())
        };
        (found != 0).then(|| (signed([words[0], words[1]]), signed([words[2], words[3]])))
    }

    /// Bounds of the expression as a signed number; `None` beyond 128 bits.
    pub fn signed_range(&self, expression: Scev) -> Option<(i128, i128)> {
        self.range(expression, true)
    }

    /// Bounds of the expression as an unsigned number; `None` beyond 127 bits.
    pub fn unsigned_range(&self, expression: Scev) -> Option<(i128, i128)> {
        self.range(expression, false)
    }

    /// Whether nothing that can be addressed from `a` overlaps anything that can be addressed from `b`, in any
    /// iterations of any loops. `false` means "not known".
    pub fn no_alias(&self, a: Value, b: Value) -> bool {
        self.are_apart(a, ptr::null_mut(), b, ptr::null_mut())
    }

    /// Like [`Self::no_alias`] for the bases of two access instructions, also using their type-based tags.
    pub fn no_alias_accesses(&self, base_a: Value, access_a: Value, base_b: Value, access_b: Value) -> bool {
        self.are_apart(base_a, access_a.raw(), base_b, access_b.raw())
    }

    fn are_apart(&self, a: Value, access_a: LLVMValueRef, b: Value, access_b: LLVMValueRef) -> bool {
        if !a.ty().is_pointer() || !b.ty().is_pointer() {
            return false;
        }
        // SAFETY: the context is live for `'a`; the values are pointers of its function, the accesses null or live.
        unsafe { ffi::tessera_no_alias(self.context, a.raw(), access_a, b.raw(), access_b) != 0 }
    }

    /// Whether so many bytes from the pointer on can be read right before the instruction, without trapping.
    pub fn is_dereferenceable(&self, pointer: Value, bytes: u64, at: Value) -> bool {
        if !pointer.ty().is_pointer() || !at.is_instruction() {
            return false;
        }
        // SAFETY: the context is live for `'a`; pointer and instruction are of its function.
        unsafe { ffi::tessera_is_dereferenceable(self.context, pointer.raw(), bytes, at.raw()) != 0 }
    }

    /// Whether a pointer cannot be null, or is poison if it is.
    pub fn is_non_null(&self, pointer: Value) -> bool {
        // SAFETY: the context is live for `'a`; the pointer is of its function.
        pointer.ty().is_pointer() && unsafe { ffi::tessera_is_non_null(self.context, pointer.raw()) != 0 }
    }

    fn size(&self, ty: Type, kind: i32) -> Option<u64> {
        // SAFETY: the context is live for `'a`; the type is of its LLVM context.
        u64::try_from(unsafe { ffi::tessera_type_size(self.context, ty.raw(), kind) }).ok()
    }

    /// The distance of two such values in an array, in bytes; `None` for types without a fixed size.
    pub fn alloc_size(&self, ty: Type) -> Option<u64> {
        self.size(ty, 0)
    }

    /// How many bytes a store of the type may write; `None` for types without a fixed size.
    pub fn store_size(&self, ty: Type) -> Option<u64> {
        self.size(ty, 1)
    }

    /// The alignment that the ABI asks for, in bytes.
    pub fn abi_align(&self, ty: Type) -> Option<u64> {
        self.size(ty, 2)
    }

    /// The width of address arithmetic in that address space, in bits.
    pub fn index_bits(&self, address_space: u32) -> u32 {
        // SAFETY: the context is live for `'a`.
        unsafe { ffi::tessera_index_bits(self.context, address_space) }
    }

    /// Whether addresses of that space have no stable integer value.
    pub fn is_non_integral(&self, address_space: u32) -> bool {
        // SAFETY: the context is live for `'a`.
        unsafe { ffi::tessera_is_non_integral(self.context, address_space) != 0 }
    }

    /// The width of addresses of that space where they are plain integers: a pointer is an address and nothing else, and has the width of
    /// address arithmetic.
    pub fn integer_address_bits(&self, address_space: u32) -> Option<u32> {
        let bits = self.index_bits(address_space);
        // SAFETY: the context is live for `'a`.
        let pointer_bits = unsafe { ffi::tessera_pointer_bits(self.context, address_space) };
        (pointer_bits == bits && !self.is_non_integral(address_space)).then_some(bits)
    }

    /// The target as the module names it (`x86_64-pc-linux-gnu`); empty when it does not.
    pub fn triple(&self) -> String {
        // SAFETY: the context is live for `'a`.
        buffer::text(|out, capacity| unsafe { ffi::tessera_triple(self.context, out, capacity) })
    }

    /// Whether a value is neither undefined nor poison, whatever the program does: right before the instruction `at` or, without one,
    /// always.
    pub fn is_defined(&self, value: Value, at: Option<Value>) -> bool {
        let at = at.filter(|at| at.is_instruction()).map_or(ptr::null_mut(), Value::raw);
        // SAFETY: the context is live for `'a`; the value is of its function, the instruction null or one that the analyses know.
        unsafe { ffi::tessera_is_defined(self.context, value.raw(), at) != 0 }
    }
}
