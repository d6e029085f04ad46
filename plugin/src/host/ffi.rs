//! Raw declarations of the C++ shim (`plugin/shim/`), one line each, in the order of its files.
//!
//! Functions that fill a buffer return how many items there are and write at most `capacity` of them; see
//! [`super::buffer`] for the one place that drives them.

use llvm_sys::LLVMIntPredicate;
use llvm_sys::prelude::{
    LLVMBasicBlockRef, LLVMBuilderRef, LLVMContextRef, LLVMMetadataRef, LLVMTypeRef, LLVMValueRef,
};
use std::ffi::{c_char, c_int, c_uint, c_void};

/// The shim's `Context`: what one run of the pass may ask LLVM.
#[repr(C)]
pub(crate) struct RawContext {
    _opaque: [u8; 0],
}

pub(crate) type ContextRef = *mut RawContext;

unsafe extern "C" {
    // registration.cpp
    pub(crate) fn tessera_register(builder: *mut c_void);
    pub(super) fn tessera_demangle(name: *const c_char, length: usize, buffer: *mut c_char, capacity: usize) -> usize;
    pub(super) fn tessera_emit_error(context: ContextRef, text: *const c_char, length: usize);
    pub(super) fn tessera_print_error(text: *const c_char, length: usize);
    pub(super) fn tessera_shows_analyses(context: ContextRef) -> c_int;
    pub(super) fn tessera_remark(
        context: ContextRef,
        kind: c_int,
        name: *const c_char,
        name_length: usize,
        text: *const c_char,
        text_length: usize,
        at_loop: *mut c_void,
        at_instruction: LLVMValueRef,
    );

    // loops.cpp
    pub(super) fn tessera_function(context: ContextRef) -> LLVMValueRef;
    pub(super) fn tessera_top_level_loops(context: ContextRef, buffer: *mut *mut c_void, capacity: usize) -> usize;
    pub(super) fn tessera_loop_children(l: *mut c_void, buffer: *mut *mut c_void, capacity: usize) -> usize;
    pub(super) fn tessera_loop_of(context: ContextRef, block: LLVMBasicBlockRef) -> *mut c_void;
    pub(super) fn tessera_loop_header(l: *mut c_void) -> LLVMBasicBlockRef;
    pub(super) fn tessera_loop_parent(l: *mut c_void) -> *mut c_void;
    pub(super) fn tessera_loop_depth(l: *mut c_void) -> c_uint;
    pub(super) fn tessera_loop_latch(l: *mut c_void) -> LLVMBasicBlockRef;
    pub(super) fn tessera_loop_predecessor(l: *mut c_void) -> LLVMBasicBlockRef;
    pub(super) fn tessera_loop_preheader(l: *mut c_void) -> LLVMBasicBlockRef;
    pub(super) fn tessera_loop_contains(l: *mut c_void, block: LLVMBasicBlockRef) -> c_int;
    pub(super) fn tessera_loop_blocks(
        context: ContextRef,
        l: *mut c_void,
        buffer: *mut LLVMBasicBlockRef,
        capacity: usize,
    ) -> usize;
    pub(super) fn tessera_loop_exit_edges(l: *mut c_void, buffer: *mut LLVMBasicBlockRef, capacity: usize) -> usize;
    pub(super) fn tessera_loop_location(
        l: *mut c_void,
        line_column: *mut u32,
        buffer: *mut c_char,
        capacity: usize,
        length: *mut usize,
    ) -> c_int;
    pub(super) fn tessera_loop_debug_location(context: ContextRef, l: *mut c_void) -> LLVMMetadataRef;
    pub(super) fn tessera_loop_properties(l: *mut c_void, buffer: *mut LLVMMetadataRef, capacity: usize) -> usize;
    pub(super) fn tessera_property_name(property: LLVMMetadataRef, buffer: *mut c_char, capacity: usize) -> usize;
    pub(super) fn tessera_property_value(property: LLVMMetadataRef, default: i64) -> i64;
    pub(super) fn tessera_is_parallel_access(l: *mut c_void, access: LLVMValueRef) -> c_int;
    pub(super) fn tessera_dominates(context: ContextRef, a: LLVMBasicBlockRef, b: LLVMBasicBlockRef) -> c_int;
    pub(super) fn tessera_value_dominates_block(
        context: ContextRef,
        value: LLVMValueRef,
        block: LLVMBasicBlockRef,
    ) -> c_int;
    pub(super) fn tessera_is_reachable(context: ContextRef, block: LLVMBasicBlockRef) -> c_int;
    pub(super) fn tessera_no_alias(
        context: ContextRef,
        a: LLVMValueRef,
        access_a: LLVMValueRef,
        b: LLVMValueRef,
        access_b: LLVMValueRef,
    ) -> c_int;
    pub(super) fn tessera_is_dereferenceable(
        context: ContextRef,
        pointer: LLVMValueRef,
        bytes: u64,
        at: LLVMValueRef,
    ) -> c_int;
    pub(super) fn tessera_is_null_pointer(value: LLVMValueRef) -> c_int;
    pub(super) fn tessera_is_non_null(context: ContextRef, pointer: LLVMValueRef) -> c_int;
    pub(super) fn tessera_type_size(context: ContextRef, ty: LLVMTypeRef, kind: c_int) -> i64;
    pub(super) fn tessera_index_bits(context: ContextRef, address_space: c_uint) -> c_uint;
    pub(super) fn tessera_is_non_integral(context: ContextRef, address_space: c_uint) -> c_int;
    pub(super) fn tessera_pointer_bits(context: ContextRef, address_space: c_uint) -> c_uint;
    pub(super) fn tessera_triple(context: ContextRef, buffer: *mut c_char, capacity: usize) -> usize;
    pub(super) fn tessera_is_defined(context: ContextRef, value: LLVMValueRef, at: LLVMValueRef) -> c_int;

    // scev.cpp
    pub(super) fn tessera_scev(context: ContextRef, value: LLVMValueRef) -> *const c_void;
    pub(super) fn tessera_scev_at_scope(context: ContextRef, s: *const c_void, l: *mut c_void) -> *const c_void;
    pub(super) fn tessera_backedge_taken_count(context: ContextRef, l: *mut c_void) -> *const c_void;
    pub(super) fn tessera_exit_count(context: ContextRef, l: *mut c_void, exiting: LLVMBasicBlockRef) -> *const c_void;
    pub(super) fn tessera_scev_kind(s: *const c_void) -> c_uint;
    pub(super) fn tessera_scev_operands(s: *const c_void, buffer: *mut *const c_void, capacity: usize) -> usize;
    pub(super) fn tessera_scev_constant(s: *const c_void, words: *mut u64) -> c_int;
    pub(super) fn tessera_scev_unknown(s: *const c_void) -> LLVMValueRef;
    pub(super) fn tessera_scev_loop(s: *const c_void) -> *mut c_void;
    pub(super) fn tessera_scev_flags(s: *const c_void) -> c_uint;
    pub(super) fn tessera_scev_bits(context: ContextRef, s: *const c_void) -> c_uint;
    pub(super) fn tessera_scev_is_pointer(s: *const c_void) -> c_int;
    pub(super) fn tessera_scev_pointer_base(context: ContextRef, s: *const c_void) -> *const c_void;
    pub(super) fn tessera_scev_minus(context: ContextRef, a: *const c_void, b: *const c_void) -> *const c_void;
    pub(super) fn tessera_scev_quotient(context: ContextRef, a: *const c_void, b: *const c_void) -> *const c_void;
    pub(super) fn tessera_scev_product(context: ContextRef, a: *const c_void, b: *const c_void) -> *const c_void;
    pub(super) fn tessera_scev_is_invariant(context: ContextRef, s: *const c_void, l: *mut c_void) -> c_int;
    pub(super) fn tessera_scev_with_guards(context: ContextRef, s: *const c_void, l: *mut c_void) -> *const c_void;
    pub(super) fn tessera_scev_range(context: ContextRef, s: *const c_void, signed: c_int, words: *mut u64) -> c_int;
    pub(super) fn tessera_scev_guarded(
        context: ContextRef,
        l: *mut c_void,
        predicate: LLVMIntPredicate,
        a: *const c_void,
        b: *const c_void,
    ) -> c_int;
    pub(super) fn tessera_scev_text(s: *const c_void, buffer: *mut c_char, capacity: usize) -> usize;

    // values.cpp
    pub(super) fn tessera_instruction_facts(value: LLVMValueRef) -> c_uint;
    pub(super) fn tessera_is_safe_to_speculate(value: LLVMValueRef) -> c_int;
    pub(super) fn tessera_instruction_flags(value: LLVMValueRef) -> c_uint;
    pub(super) fn tessera_constant_int(value: LLVMValueRef, words: *mut u64) -> c_int;
    pub(super) fn tessera_intrinsic_name(value: LLVMValueRef, buffer: *mut c_char, capacity: usize) -> usize;
    pub(super) fn tessera_called_name(value: LLVMValueRef, buffer: *mut c_char, capacity: usize) -> usize;
    pub(super) fn tessera_variable_name(value: LLVMValueRef, buffer: *mut c_char, capacity: usize) -> usize;
    pub(super) fn tessera_debug_location(
        value: LLVMValueRef,
        line_column: *mut u32,
        buffer: *mut c_char,
        capacity: usize,
        length: *mut usize,
    ) -> c_int;
    pub(super) fn tessera_function_location(
        function: LLVMValueRef,
        line_column: *mut u32,
        buffer: *mut c_char,
        capacity: usize,
        length: *mut usize,
    ) -> c_int;
    pub(super) fn tessera_uses(
        value: LLVMValueRef,
        users: *mut LLVMValueRef,
        indices: *mut c_uint,
        capacity: usize,
    ) -> usize;
    pub(super) fn tessera_operands(value: LLVMValueRef, buffer: *mut LLVMValueRef, capacity: usize) -> usize;
    pub(super) fn tessera_successors(
        block: LLVMBasicBlockRef,
        buffer: *mut LLVMBasicBlockRef,
        capacity: usize,
    ) -> usize;
    pub(super) fn tessera_predecessors(
        block: LLVMBasicBlockRef,
        buffer: *mut LLVMBasicBlockRef,
        capacity: usize,
    ) -> usize;
    pub(super) fn tessera_block_name(block: LLVMBasicBlockRef, buffer: *mut c_char, capacity: usize) -> usize;
    pub(super) fn tessera_value_text(
        value: LLVMValueRef,
        as_operand: c_int,
        buffer: *mut c_char,
        capacity: usize,
    ) -> usize;
    pub(super) fn tessera_has_attribute(function: LLVMValueRef, name: *const c_char, length: usize) -> c_int;
    pub(super) fn tessera_attribute_text(
        function: LLVMValueRef,
        name: *const c_char,
        name_length: usize,
        buffer: *mut c_char,
        capacity: usize,
    ) -> usize;
    pub(super) fn tessera_function_facts(function: LLVMValueRef) -> c_uint;
    pub(super) fn tessera_has_name(function: LLVMValueRef, name: *const c_char, length: usize) -> c_int;
    pub(super) fn tessera_verify(function: LLVMValueRef, buffer: *mut c_char, capacity: usize) -> usize;

    // edit.cpp
    pub(super) fn tessera_llvm_context(context: ContextRef) -> LLVMContextRef;
    pub(super) fn tessera_detach_instruction(value: LLVMValueRef);
    pub(super) fn tessera_delete_detached(value: LLVMValueRef);
    pub(super) fn tessera_detach_block(block: LLVMBasicBlockRef);
    pub(super) fn tessera_delete_block(block: LLVMBasicBlockRef);
    pub(super) fn tessera_create_block(
        function: LLVMValueRef,
        after: LLVMBasicBlockRef,
        name: *const c_char,
        length: usize,
    ) -> LLVMBasicBlockRef;
    pub(super) fn tessera_phi_pop_incoming(phi: LLVMValueRef);
    pub(super) fn tessera_phi_set_block(phi: LLVMValueRef, index: c_uint, block: LLVMBasicBlockRef);
    pub(super) fn tessera_use_position(user: LLVMValueRef, index: c_uint) -> usize;
    pub(super) fn tessera_restore_operand(user: LLVMValueRef, index: c_uint, operand: LLVMValueRef, position: usize);
    pub(super) fn tessera_set_operand(user: LLVMValueRef, index: c_uint, operand: LLVMValueRef);
    pub(super) fn tessera_get_metadata(value: LLVMValueRef, kind: c_uint) -> LLVMMetadataRef;
    pub(super) fn tessera_set_metadata(value: LLVMValueRef, kind: c_uint, node: LLVMMetadataRef);
    pub(super) fn tessera_copy_debug_location(from: LLVMValueRef, to: LLVMValueRef);
    pub(super) fn tessera_drop_poison_flags(value: LLVMValueRef);
    pub(super) fn tessera_clear_fast_math_flags(value: LLVMValueRef);
    pub(super) fn tessera_set_wrap_flags(value: LLVMValueRef, unsigned: c_int, signed: c_int);
    pub(super) fn tessera_alias_domain(context: LLVMContextRef, name: *const c_char, length: usize) -> LLVMMetadataRef;
    pub(super) fn tessera_alias_scope(
        context: LLVMContextRef,
        domain: LLVMMetadataRef,
        name: *const c_char,
        length: usize,
    ) -> LLVMMetadataRef;
    pub(super) fn tessera_access_group(context: LLVMContextRef) -> LLVMMetadataRef;
    pub(super) fn tessera_scope_declaration(function: LLVMValueRef, existed: *mut c_int) -> LLVMValueRef;
    pub(super) fn tessera_declare_scope(
        builder: LLVMBuilderRef,
        declaration: LLVMValueRef,
        scope: LLVMMetadataRef,
    ) -> LLVMValueRef;
    pub(super) fn tessera_forget_initialiser(value: LLVMValueRef);
    pub(super) fn tessera_erase_global(global: LLVMValueRef);
    pub(super) fn tessera_has_text_output(function: LLVMValueRef) -> c_int;
    pub(super) fn tessera_text_output(
        function: LLVMValueRef,
        stream: *mut LLVMValueRef,
        created: *mut LLVMValueRef,
    ) -> LLVMValueRef;
    pub(super) fn tessera_create_text(function: LLVMValueRef, text: *const c_char, length: usize) -> LLVMValueRef;
    pub(super) fn tessera_build_write(
        builder: LLVMBuilderRef,
        declaration: LLVMValueRef,
        text: LLVMValueRef,
        length: usize,
        stream: LLVMValueRef,
    ) -> LLVMValueRef;
    pub(super) fn tessera_add_alias_scopes(
        value: LLVMValueRef,
        scopes: *const LLVMMetadataRef,
        scope_count: usize,
        no_alias: *const LLVMMetadataRef,
        no_alias_count: usize,
    );
    pub(super) fn tessera_add_access_group(value: LLVMValueRef, group: LLVMMetadataRef);
    pub(super) fn tessera_loop_property(
        context: LLVMContextRef,
        name: *const c_char,
        length: usize,
        kind: c_int,
        value: i64,
        nodes: *const LLVMMetadataRef,
        count: usize,
    ) -> LLVMMetadataRef;
    pub(super) fn tessera_loop_id(
        context: LLVMContextRef,
        properties: *const LLVMMetadataRef,
        count: usize,
    ) -> LLVMMetadataRef;
    pub(super) fn tessera_branch_weights(context: LLVMContextRef, on_true: u32, on_false: u32) -> LLVMMetadataRef;
    pub(super) fn tessera_add_function_attribute(function: LLVMValueRef, name: *const c_char, length: usize);

    // row_list.cpp
    pub(super) fn tessera_may_add_functions(context: ContextRef) -> c_int;
    pub(super) fn tessera_function_of_text(
        user: LLVMValueRef,
        text: *const c_char,
        length: usize,
        name: *const c_char,
        name_length: usize,
        existed: *mut c_int,
    ) -> LLVMValueRef;

    // heap.cpp
    pub(super) fn tessera_heap(context: ContextRef) -> c_int;
    pub(super) fn tessera_heap_declaration(function: LLVMValueRef, is_free: c_int, existed: *mut c_int)
    -> LLVMValueRef;
    pub(super) fn tessera_build_malloc(
        builder: LLVMBuilderRef,
        declaration: LLVMValueRef,
        bytes: LLVMValueRef,
        name: *const c_char,
        length: usize,
    ) -> LLVMValueRef;
    pub(super) fn tessera_build_free(
        builder: LLVMBuilderRef,
        declaration: LLVMValueRef,
        memory: LLVMValueRef,
    ) -> LLVMValueRef;
    pub(super) fn tessera_mask_declaration(function: LLVMValueRef, existed: *mut c_int) -> LLVMValueRef;
    pub(super) fn tessera_build_mask(
        builder: LLVMBuilderRef,
        declaration: LLVMValueRef,
        memory: LLVMValueRef,
        align: u64,
    ) -> LLVMValueRef;

    // vectors.cpp
    pub(super) fn tessera_can_widen(instruction: LLVMValueRef) -> c_int;
    pub(super) fn tessera_widen(
        builder: LLVMBuilderRef,
        instruction: LLVMValueRef,
        operands: *const LLVMValueRef,
        count: usize,
        created: *mut LLVMValueRef,
    ) -> LLVMValueRef;

    // device.cpp
    pub(super) fn tessera_has_device() -> c_int;
    pub(super) fn tessera_initialise_device();

    // machine.cpp
    pub(super) fn tessera_vector_bits(context: ContextRef) -> c_uint;
    pub(super) fn tessera_has_vectors_of(context: ContextRef, bits: c_uint, lanes: c_uint) -> c_int;
    pub(super) fn tessera_registers(context: ContextRef, is_vector: c_int) -> c_uint;
    pub(super) fn tessera_cache_line(context: ContextRef) -> c_uint;
    pub(super) fn tessera_lane_access(context: ContextRef, kind: c_int, bits: c_uint) -> c_int;
    pub(super) fn tessera_operation_cost(
        context: ContextRef,
        operation: c_int,
        is_float: c_int,
        bits: c_uint,
        lanes: c_uint,
    ) -> i64;
}
