//! Metadata that tells later passes what is known: alias scopes, access groups, loop hints, branch weights.

use super::edit::{Edit, EditError, Editor};
use super::ffi;
use super::handles::{Metadata, Value};
use super::journal::Undo;
use llvm_sys::core;
use llvm_sys::prelude::LLVMMetadataRef;
use std::ptr;

/// A property of a loop, put on its latch branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopHint {
    /// A property without value (`llvm.loop.unroll.disable`).
    Flag(&'static str),
    /// A property with a truth value (`llvm.loop.vectorize.enable`).
    Bool(&'static str, bool),
    /// A property with a number (`llvm.loop.unroll.count`).
    Int(&'static str, i32),
    /// A property of an old loop.
    Kept(Metadata),
    /// The accesses in these groups carry no dependence in this loop (`llvm.loop.parallel_accesses`).
    ParallelAccesses(Vec<Metadata>),
    /// The loop is part of a piece of new code, named by a node that is different from all others (see `shim/outline.cpp`).
    Code(Metadata),
}

fn node(raw: LLVMMetadataRef) -> Edit<Metadata> {
    Metadata::from_raw(raw).ok_or_else(|| EditError::new("LLVM made no metadata"))
}

fn raws(nodes: &[Metadata]) -> Vec<LLVMMetadataRef> {
    nodes.iter().map(|node| node.raw()).collect()
}

impl Editor<'_> {
    /// A new alias domain, different from all others.
    pub fn alias_domain(&self, name: &str) -> Edit<Metadata> {
        // SAFETY: the LLVM context is live; the name is passed with its length.
        node(unsafe { ffi::tessera_alias_domain(self.llvm_context(), name.as_ptr().cast(), name.len()) })
    }

    /// A new alias scope in a domain, different from all others.
    pub fn alias_scope(&self, domain: Metadata, name: &str) -> Edit<Metadata> {
        // SAFETY: the LLVM context and the node are live; the name is passed with its length.
        node(unsafe { ffi::tessera_alias_scope(self.llvm_context(), domain.raw(), name.as_ptr().cast(), name.len()) })
    }

    /// Declares a scope at the editor's position. Passes that copy the declaration together with the accesses (unrolling
    /// of a loop around both, inlining) then give the copy a scope of its own, so that the promise is made for one
    /// execution of the declaration at a time.
    pub fn declare_scope(&self, scope: Metadata) -> Edit<()> {
        let mut existed = 0;
        // SAFETY: the function is live; the flag is written.
        let raw = unsafe { ffi::tessera_scope_declaration(self.function().raw(), &raw mut existed) };
        let declaration = Value::from_raw(raw).ok_or_else(|| EditError::new("LLVM made no declaration"))?;
        if existed == 0 {
            self.log(Undo::CreatedGlobal(declaration));
        }
        if self.position().is_none() {
            return Err(EditError::new("no position to build at"));
        }
        // SAFETY: the builder is positioned; the declaration is that of the intrinsic and the node a live scope.
        let call = unsafe { ffi::tessera_declare_scope(self.builder.as_mut_ptr(), raw, scope.raw()) };
        self.created(call)?;
        Ok(())
    }

    /// Says that the access belongs to `scopes` and overlaps no access of `no_alias`, beside what it says already.
    pub fn add_alias_scopes(&self, access: Value, scopes: &[Metadata], no_alias: &[Metadata]) -> Edit<()> {
        require_instruction(access)?;
        self.log_metadata(access, self.metadata_kind("alias.scope"));
        self.log_metadata(access, self.metadata_kind("noalias"));
        let (scopes, no_alias) = (raws(scopes), raws(no_alias));
        // SAFETY: the handle is a live instruction; both lists are passed with their lengths and hold live nodes.
        unsafe {
            ffi::tessera_add_alias_scopes(
                access.raw(),
                scopes.as_ptr(),
                scopes.len(),
                no_alias.as_ptr(),
                no_alias.len(),
            );
        }
        Ok(())
    }

    /// Removes alias scopes that came with a copied instruction: they may hold within one iteration of the old loops only.
    pub fn clear_alias_scopes(&self, access: Value) -> Edit<()> {
        self.set_metadata(access, "alias.scope", None)?;
        self.set_metadata(access, "noalias", None)
    }

    /// A new node without properties, different from all others: an access group, or the name of a piece of code.
    pub fn distinct_node(&self) -> Edit<Metadata> {
        // SAFETY: the LLVM context is live.
        node(unsafe { ffi::tessera_access_group(self.llvm_context()) })
    }

    /// Puts an access into a group, beside those it is in already.
    pub fn add_access_group(&self, access: Value, group: Metadata) -> Edit<()> {
        require_instruction(access)?;
        self.log_metadata(access, self.metadata_kind("llvm.access.group"));
        // SAFETY: the handle is a live instruction and the group a live node.
        unsafe { ffi::tessera_add_access_group(access.raw(), group.raw()) };
        Ok(())
    }

    /// Sets the properties of the loop whose latch ends in this branch.
    pub fn set_loop_hints(&self, latch_branch: Value, hints: &[LoopHint]) -> Edit<()> {
        let mut properties = Vec::with_capacity(hints.len());
        for hint in hints {
            let (name, kind, value, nodes): (&str, i32, i64, Vec<LLVMMetadataRef>) = match hint {
                LoopHint::Kept(property) => {
                    properties.push(property.raw());
                    continue;
                }
                LoopHint::Flag(name) => (name, 0, 0, Vec::new()),
                LoopHint::Int(name, value) => (name, 1, i64::from(*value), Vec::new()),
                LoopHint::Bool(name, value) => (name, 2, i64::from(*value), Vec::new()),
                LoopHint::Code(piece) => ("tessera.code", 3, 0, vec![piece.raw()]),
                LoopHint::ParallelAccesses(groups) => ("llvm.loop.parallel_accesses", 3, 0, raws(groups)),
            };
            // SAFETY: the LLVM context is live; the name and the nodes are passed with their lengths.
            let property = unsafe {
                ffi::tessera_loop_property(
                    self.llvm_context(),
                    name.as_ptr().cast(),
                    name.len(),
                    kind,
                    value,
                    nodes.as_ptr(),
                    nodes.len(),
                )
            };
            properties.push(node(property)?.raw());
        }
        // SAFETY: the LLVM context is live; the properties are passed with their length.
        let id = unsafe { ffi::tessera_loop_id(self.llvm_context(), properties.as_ptr(), properties.len()) };
        self.set_metadata(latch_branch, "llvm.loop", Some(node(id)?))
    }

    /// Says how often each side of a conditional branch is taken, relative to the other.
    pub fn set_branch_weights(&self, branch: Value, on_true: u32, on_false: u32) -> Edit<()> {
        // SAFETY: the LLVM context is live.
        let weights = node(unsafe { ffi::tessera_branch_weights(self.llvm_context(), on_true, on_false) })?;
        self.set_metadata(branch, "prof", Some(weights))
    }

    /// The metadata of that kind on an instruction.
    pub fn metadata(&self, instruction: Value, kind: &str) -> Option<Metadata> {
        if !instruction.is_instruction() {
            return None;
        }
        // SAFETY: the handle is a live instruction.
        Metadata::from_raw(unsafe { ffi::tessera_get_metadata(instruction.raw(), self.metadata_kind(kind)) })
    }

    /// Sets or removes metadata of an instruction.
    pub fn set_metadata(&self, instruction: Value, kind: &str, value: Option<Metadata>) -> Edit<()> {
        require_instruction(instruction)?;
        let kind = self.metadata_kind(kind);
        self.log_metadata(instruction, kind);
        let raw = value.map_or(ptr::null_mut(), Metadata::raw);
        // SAFETY: the handle is a live instruction; the node is live or null, which removes the metadata.
        unsafe { ffi::tessera_set_metadata(instruction.raw(), kind, raw) };
        Ok(())
    }

    fn metadata_kind(&self, name: &str) -> u32 {
        // SAFETY: the LLVM context is live; the name is passed with its length.
        unsafe {
            core::LLVMGetMDKindIDInContext(
                self.llvm_context(),
                name.as_ptr().cast(),
                u32::try_from(name.len()).unwrap_or(u32::MAX),
            )
        }
    }
}

fn require_instruction(value: Value) -> Edit<()> {
    if value.is_instruction() { Ok(()) } else { Err(EditError::new("only instructions have metadata")) }
}
