//! Modules for a device: kernels that are built beside the function of the run, and their text in the language PTX.
//!
//! ```text
//! module  = editor.device_module(architecture)         an empty module in the context of the host
//! kernel  = module.kernel("kernel0", types)            a function without blocks
//! builder = editor.of_kernel(module, kernel)           builds it like any function
//! text    = module.compile()                           verified, optimised and translated
//! ```
//!
//! What is compiled is a copy of the module, so that handles to what was built stay valid; the module itself is freed with the session.
//! Nothing of it is in the module of the host, and nothing of the host's module may be used in it: only constants without addresses.

use super::edit::{Edit, EditError, Editor, c_name};
use super::ffi;
use super::handles::{Function, Type, Value};
use super::journal::{Journal, Undo};
use crate::options::Architecture;
use llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef};
use llvm_sys::target_machine::{
    LLVMCodeGenFileType, LLVMCodeGenOptLevel, LLVMCodeModel, LLVMCreateTargetDataLayout, LLVMCreateTargetMachine,
    LLVMDisposeTargetMachine, LLVMGetTargetFromTriple, LLVMRelocMode, LLVMTargetMachineEmitToMemoryBuffer,
    LLVMTargetMachineRef,
};
use llvm_sys::transforms::pass_builder::{LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses};
use llvm_sys::{analysis, core, debuginfo, error, target};
use std::cell::RefCell;
use std::ffi::{CStr, c_char};
use std::ptr;
use std::rc::Rc;
use std::sync::Once;

/// The machine of all devices.
const TRIPLE: &CStr = c"nvptx64-nvidia-cuda";

/// LLVM's number of the calling convention of kernels.
const KERNEL_CONVENTION: u32 = 71;

/// The address space of memory that the host and all threads know.
const GLOBAL_MEMORY: u32 = 1;

/// The address space of memory that the threads of a block share.
const SHARED_MEMORY: u32 = 3;

/// A module for a device.
#[derive(Debug)]
pub struct DeviceModule {
    context: LLVMContextRef,
    module: LLVMModuleRef,
    machine: LLVMTargetMachineRef,
    journal: RefCell<Journal>,
}

/// A number by which a thread knows its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelIndex {
    /// Of the block in the grid, along `x`, `y` or `z`.
    Block(usize),
    /// Of the thread in its block.
    Thread(usize),
}

/// Asks LLVM for what it knows about devices, once per process.
fn has_target() -> bool {
    static READY: Once = Once::new();
    // SAFETY: the function takes nothing, and runs once; whether there is such a target it says every time.
    READY.call_once(|| unsafe { ffi::tessera_initialise_device() });
    // SAFETY: the function only looks.
    unsafe { ffi::tessera_has_device() != 0 }
}

/// The text of a message of LLVM, which is freed.
///
/// # Safety
/// The message is null, or LLVM allocated it for its caller.
unsafe fn message(raw: *mut c_char) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises, a C string that is ours.
    unsafe {
        let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
        core::LLVMDisposeMessage(raw);
        text
    }
}

impl<'a> Editor<'a> {
    /// A new module for devices of an architecture. An error where this LLVM knows none.
    pub fn device_module(&self, architecture: Architecture) -> Edit<Rc<DeviceModule>> {
        Ok(self.session.keep(DeviceModule::new(self.llvm_context(), architecture)?))
    }

    /// The type of pointers to memory of the device.
    pub fn device_pointer(&self) -> Edit<Type> {
        // SAFETY: the LLVM context is live.
        Type::from_raw(unsafe { core::LLVMPointerTypeInContext(self.llvm_context(), GLOBAL_MEMORY) })
            .ok_or_else(|| EditError::new("LLVM made no type"))
    }

    /// Where the thread is, as a word that is not negative.
    pub fn kernel_index(&self, index: KernelIndex) -> Edit<Value> {
        const AXES: [&str; 3] = ["x", "y", "z"];
        let (register, axis) = match index {
            KernelIndex::Block(axis) => ("ctaid", axis),
            KernelIndex::Thread(axis) => ("tid", axis),
        };
        let axis = AXES.get(axis).ok_or_else(|| EditError::new("a place in more than three dimensions"))?;
        let number = self.plain_intrinsic(&format!("llvm.nvvm.read.ptx.sreg.{register}.{axis}"), &[])?;
        self.zext(number, self.word_bits())
    }

    /// All threads of a block wait for each other here.
    pub fn barrier(&self) -> Edit<()> {
        let number = self.const_int(32, 0)?;
        self.plain_intrinsic("llvm.nvvm.barrier.cta.sync.aligned.all", &[number]).map(|_| ())
    }

    /// Memory that the threads of a block share: so many elements of a type, at a multiple of 16 bytes.
    pub fn shared_memory(&self, element: Type, count: u64) -> Edit<Value> {
        self.device_variable(self.array_type(element, count)?, SHARED_MEMORY)
    }

    /// A place in the device's memory that can be loaded where there is nothing to load: eight bytes, all zero.
    pub fn nothing(&self) -> Edit<Value> {
        self.device_variable(self.int_type(64)?, GLOBAL_MEMORY)
    }

    /// A variable of the kernel's module.
    fn device_variable(&self, ty: Type, space: u32) -> Edit<Value> {
        if !self.is_of_kernel() {
            return Err(EditError::new("a variable of a device in the host's module"));
        }
        // SAFETY: the function is live and so is its module; the type is live; the name ends in zero, and LLVM makes it a new one.
        let raw = unsafe {
            let module = core::LLVMGetGlobalParent(self.function().raw());
            let global = core::LLVMAddGlobalInAddressSpace(module, ty.raw(), c"own".as_ptr(), space);
            let is_shared = space == SHARED_MEMORY;
            core::LLVMSetInitializer(
                global,
                if is_shared { core::LLVMGetUndef(ty.raw()) } else { core::LLVMConstNull(ty.raw()) },
            );
            core::LLVMSetLinkage(global, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
            core::LLVMSetAlignment(global, 16);
            global
        };
        Value::from_raw(raw).ok_or_else(|| EditError::new("LLVM made no variable"))
    }

    /// A call of an intrinsic that is for no types in particular.
    fn plain_intrinsic(&self, name: &str, operands: &[Value]) -> Edit<Value> {
        if self.position().is_none() || !self.is_of_kernel() {
            return Err(EditError::new("no position in a kernel to build at"));
        }
        let mut raw: Vec<_> = operands.iter().map(|operand| operand.raw()).collect();
        let count = u32::try_from(raw.len()).map_err(|_| EditError::new("too many operands"))?;
        // SAFETY: the function is live and so is its module; the intrinsic is one of the two above, which have no types of
        // their own and take these operands; the builder is positioned.
        let call = unsafe {
            let module = core::LLVMGetGlobalParent(self.function().raw());
            let id = core::LLVMLookupIntrinsicID(name.as_ptr().cast(), name.len());
            if id == 0 {
                return Err(EditError::new("LLVM does not know its own intrinsic"));
            }
            let declaration = core::LLVMGetIntrinsicDeclaration(module, id, ptr::null_mut(), 0);
            let signature = core::LLVMGlobalGetValueType(declaration);
            let builder = self.builder.as_mut_ptr();
            core::LLVMBuildCall2(builder, signature, declaration, raw.as_mut_ptr(), count, c"".as_ptr())
        };
        self.created(call)
    }

    /// Ends a kernel.
    pub fn return_nothing(&self) -> Edit<()> {
        self.require_open_block()?;
        self.builder.build_return(None)?;
        Ok(())
    }
}

impl DeviceModule {
    fn new(context: LLVMContextRef, architecture: Architecture) -> Edit<Self> {
        if !has_target() {
            return Err(EditError::new("this compiler's LLVM has no code generator for devices"));
        }
        let (name, features) = (c_name(architecture.name)?, c_name(architecture.ptx)?);
        // SAFETY: all texts end in zero; what LLVM hands out is checked and freed; the context is live, and so is the
        // module that is made in it.
        unsafe {
            let (mut found, mut complaint) = (ptr::null_mut(), ptr::null_mut());
            if LLVMGetTargetFromTriple(TRIPLE.as_ptr(), &raw mut found, &raw mut complaint) != 0 {
                return Err(EditError::new(message(complaint)));
            }
            let machine = LLVMCreateTargetMachine(
                found,
                TRIPLE.as_ptr(),
                name.as_ptr(),
                features.as_ptr(),
                LLVMCodeGenOptLevel::LLVMCodeGenLevelAggressive,
                LLVMRelocMode::LLVMRelocDefault,
                LLVMCodeModel::LLVMCodeModelDefault,
            );
            if machine.is_null() {
                return Err(EditError::new("LLVM made no machine for devices"));
            }
            let module = core::LLVMModuleCreateWithNameInContext(c"tessera.device".as_ptr(), context);
            core::LLVMSetTarget(module, TRIPLE.as_ptr());
            let layout = LLVMCreateTargetDataLayout(machine);
            target::LLVMSetModuleDataLayout(module, layout);
            target::LLVMDisposeTargetData(layout);
            Ok(Self { context, module, machine, journal: RefCell::default() })
        }
    }

    /// A new kernel without code, with parameters of these types.
    pub fn kernel(&self, name: &str, parameters: &[Type]) -> Edit<Function> {
        let name = c_name(name)?;
        let mut types: Vec<_> = parameters.iter().map(|ty| ty.raw()).collect();
        let count = u32::try_from(types.len()).map_err(|_| EditError::new("too many parameters"))?;
        // SAFETY: the module and its context are live, the types are of the context; the name ends in zero.
        let raw = unsafe {
            let nothing = core::LLVMVoidTypeInContext(self.context);
            let ty = core::LLVMFunctionType(nothing, types.as_mut_ptr(), count, 0);
            let function = core::LLVMAddFunction(self.module, name.as_ptr(), ty);
            core::LLVMSetFunctionCallConv(function, KERNEL_CONVENTION);
            function
        };
        Function::from_raw(raw).ok_or_else(|| EditError::new("LLVM made no function"))
    }

    /// Promises of a pointer parameter of a kernel that nothing which is written through another one is reached through it; and, if it
    /// `is_only_read`, that nothing is written through it. Then the device may keep what it loads in a cache that nobody keeps up to date.
    pub fn promise_apart(&self, kernel: Function, parameter: usize, is_only_read: bool) -> Edit<()> {
        let is_pointer = kernel.arguments().get(parameter).is_some_and(|argument| argument.ty().is_pointer());
        let index = u32::try_from(parameter + 1).map_err(|_| EditError::new("too many parameters"))?;
        if !is_pointer {
            return Err(EditError::new("a parameter that is no pointer"));
        }
        let names: &[&CStr] = if is_only_read { &[c"noalias", c"readonly"] } else { &[c"noalias"] };
        for name in names {
            // SAFETY: the function is live and has that parameter, a pointer; the name ends in zero, and its length is passed.
            unsafe {
                let kind = core::LLVMGetEnumAttributeKindForName(name.as_ptr(), name.count_bytes());
                let attribute = core::LLVMCreateEnumAttribute(self.context, kind, 0);
                core::LLVMAddAttributeAtIndex(kernel.raw(), index, attribute);
            }
        }
        Ok(())
    }

    /// Tells the assembler how many threads a block of a kernel has, along `x`, `y` and `z`, and how many blocks a multiprocessor is to hold at
    /// least: so many registers a thread may have.
    pub fn bound(&self, kernel: Function, threads: [i64; 3], blocks: i64) {
        let [x, y, z] = threads;
        for (name, value) in [("nvvm.maxntid", format!("{x},{y},{z}")), ("nvvm.minctasm", blocks.to_string())] {
            let length = |text: &str| u32::try_from(text.len()).unwrap_or(0);
            // SAFETY: the function and its context are live; both texts are passed with their lengths and copied.
            unsafe {
                let attribute = core::LLVMCreateStringAttribute(
                    self.context,
                    name.as_ptr().cast(),
                    length(name),
                    value.as_ptr().cast(),
                    length(&value),
                );
                core::LLVMAddAttributeAtIndex(kernel.raw(), llvm_sys::LLVMAttributeFunctionIndex, attribute);
            }
        }
    }

    /// The PTX text of all kernels. The error is a sentence, and always about a mistake of our own.
    pub fn compile(&self) -> Edit<String> {
        // SAFETY: the module and the machine are live. The copy is freed on every way out, and so is what LLVM hands out.
        unsafe {
            let copy = core::LLVMCloneModule(self.module);
            let result = self.translated(copy);
            core::LLVMDisposeModule(copy);
            result
        }
    }

    /// # Safety
    /// The module is a live copy of this one that nobody else knows.
    unsafe fn translated(&self, copy: LLVMModuleRef) -> Edit<String> {
        // SAFETY: as the caller promises; what LLVM hands out is freed.
        unsafe {
            debuginfo::LLVMStripModuleDebugInfo(copy);
            let mut complaint = ptr::null_mut();
            let quiet = analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let is_broken = analysis::LLVMVerifyModule(copy, quiet, &raw mut complaint) != 0;
            let complaint = message(complaint);
            if is_broken {
                return Err(EditError::new(format!("the code for the device was rejected: {}", complaint.trim())));
            }
            let options = LLVMCreatePassBuilderOptions();
            let failed = LLVMRunPasses(copy, c"default<O3>".as_ptr(), self.machine, options);
            LLVMDisposePassBuilderOptions(options);
            if !failed.is_null() {
                let text = error::LLVMGetErrorMessage(failed);
                let sentence = CStr::from_ptr(text).to_string_lossy().into_owned();
                error::LLVMDisposeErrorMessage(text);
                return Err(EditError::new(sentence));
            }
            let (mut complaint, mut buffer) = (ptr::null_mut(), ptr::null_mut());
            let kind = LLVMCodeGenFileType::LLVMAssemblyFile;
            let failed =
                LLVMTargetMachineEmitToMemoryBuffer(self.machine, copy, kind, &raw mut complaint, &raw mut buffer);
            if failed != 0 || buffer.is_null() {
                return Err(EditError::new(message(complaint)));
            }
            let (start, length) = (core::LLVMGetBufferStart(buffer), core::LLVMGetBufferSize(buffer));
            let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length);
            let text = String::from_utf8_lossy(bytes).into_owned();
            core::LLVMDisposeMemoryBuffer(buffer);
            Ok(text)
        }
    }

    pub(super) fn log(&self, edit: Undo) {
        self.journal.borrow_mut().push(edit);
    }

    pub(super) fn discard(&self, instruction: Value) -> bool {
        self.journal.borrow_mut().discard(instruction)
    }
}

impl Drop for DeviceModule {
    fn drop(&mut self) {
        self.journal.get_mut().free_detached();
        // SAFETY: both were made by `new` and are freed here only; the context of the host outlives the run.
        unsafe {
            core::LLVMDisposeModule(self.module);
            LLVMDisposeTargetMachine(self.machine);
        }
    }
}
