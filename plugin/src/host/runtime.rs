//! What code of the host needs to use the run-time library: its functions, constants that describe a nest, and numbers for estimates.
//!
//! The functions are those of `runtime/include/tessera_rt.h`. References are weak: a program that is linked without the library has null in
//! their place, and asks before it calls.

use super::build::as_int;
use super::edit::{Edit, EditError, Editor, c_name, require_type};
use super::ffi;
use super::handles::{Type, Value};
use super::journal::Undo;
use llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use llvm_sys::{LLVMLinkage, LLVMUnnamedAddr, core};

/// A function of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuntimeFunction {
    /// `session = begin(nest, estimate)`
    Begin,
    /// `address = array(session, start, bytes, flags)`
    Array,
    /// `address = rectangle(session, start, bytes of a row, rows, bytes from row to row, flags)`
    Rectangle,
    /// `is going on = launch(session, kernel, grid, block, bytes of shared memory, parameters)`
    Launch,
    /// `is done = end(session)`
    End,
    /// `host done(nest, estimate)`
    HostDone,
}

/// What a parameter or a result is.
#[derive(Clone, Copy)]
enum Kind {
    Nothing,
    Pointer,
    Number(u32),
}

/// What the library gets to know about a nest.
#[derive(Clone, Debug)]
pub struct NestConstant<'n> {
    /// The version of the interface.
    pub abi: u32,
    /// What traces call it.
    pub name: &'n str,
    /// The text of the kernels.
    pub ptx: &'n str,
    /// Their names in it.
    pub kernels: Vec<&'n str>,
}

impl RuntimeFunction {
    fn name(self) -> &'static str {
        match self {
            Self::Begin => "tessera_rt_begin",
            Self::Array => "tessera_rt_array",
            Self::Rectangle => "tessera_rt_rectangle",
            Self::Launch => "tessera_rt_launch",
            Self::End => "tessera_rt_end",
            Self::HostDone => "tessera_rt_host_done",
        }
    }

    /// The result, and the parameters.
    fn signature(self) -> (Kind, &'static [Kind]) {
        use Kind::{Nothing, Number, Pointer};
        match self {
            Self::Begin => (Pointer, &[Pointer, Pointer]),
            Self::Array => (Number(64), &[Pointer, Pointer, Number(64), Number(32)]),
            Self::Rectangle => (Number(64), &[Pointer, Pointer, Number(64), Number(64), Number(64), Number(32)]),
            Self::Launch => (Number(32), &[Pointer, Number(32), Pointer, Pointer, Number(32), Pointer]),
            Self::End => (Number(32), &[Pointer]),
            Self::HostDone => (Nothing, &[Pointer, Pointer]),
        }
    }
}

impl Editor<'_> {
    /// Whether the program has the library, as an `i1`.
    pub fn has_runtime(&self) -> Edit<Value> {
        self.is_not_null(self.runtime_function(RuntimeFunction::Begin)?)
    }

    /// Calls a function of the library.
    pub fn call_runtime(&self, function: RuntimeFunction, operands: &[Value]) -> Edit<Value> {
        self.require_open_block()?;
        let declared = self.runtime_function(function)?;
        let (_, parameters) = function.signature();
        if parameters.len() != operands.len() {
            return Err(EditError::new("a call with other operands than the function has parameters"));
        }
        for (kind, operand) in parameters.iter().zip(operands) {
            require_type(*operand, self.kind(*kind)?, "an operand of a call")?;
        }
        // What is nothing has no name.
        let has_result = !matches!(function.signature().0, Kind::Nothing);
        let name = c_name(&if has_result { self.fresh_name("device") } else { String::new() })?;
        self.call_function(declared, operands, &name)
    }

    /// The address of a new constant that will describe a nest: see [`Self::describe_nest`].
    pub fn new_nest(&self) -> Edit<Value> {
        let (pointer, number, long) = (self.pointer_type()?, self.int_type(32)?, self.int_type(64)?);
        let mut fields = [number, number, pointer, pointer, long, pointer].map(Type::raw);
        // SAFETY: the LLVM context and the types are live.
        let ty = unsafe { core::LLVMStructTypeInContext(self.llvm_context(), fields.as_mut_ptr(), 6, 0) };
        self.new_constant(ty, "nest")
    }

    /// Says what a constant of [`Self::new_nest`] describes.
    pub fn describe_nest(&self, constant: Value, nest: &NestConstant<'_>) -> Edit<()> {
        let name = self.c_text(nest.name)?;
        let ptx = self.c_text(nest.ptx)?;
        let kernels = nest.kernels.iter().map(|kernel| self.c_text(kernel)).collect::<Edit<Vec<_>>>()?;
        let count = i128::try_from(kernels.len()).map_err(|_| EditError::new("too many kernels"))?;
        let length = i128::try_from(nest.ptx.len()).map_err(|_| EditError::new("a text of that length"))?;
        let kernels = self.constant_array(self.pointer_type()?, &kernels, "kernels")?;
        let fields = [
            self.const_int(32, i128::from(nest.abi))?,
            self.const_int(32, count)?,
            name,
            ptx,
            self.const_int(64, length)?,
            kernels,
        ];
        let mut raw = fields.map(Value::raw);
        // SAFETY: the LLVM context and the constants are live.
        let fields = unsafe { core::LLVMConstStructInContext(self.llvm_context(), raw.as_mut_ptr(), 6, 0) };
        self.initialise(constant, fields)
    }

    /// The address of some constant numbers of 32 bits.
    pub fn constant_numbers(&self, numbers: &[u32]) -> Edit<Value> {
        let items = numbers.iter().map(|number| self.const_int(32, i128::from(*number))).collect::<Edit<Vec<_>>>()?;
        self.constant_array(self.int_type(32)?, &items, "numbers")
    }

    /// The null pointer.
    pub fn null_pointer(&self) -> Edit<Value> {
        // SAFETY: the type is live.
        Value::from_raw(unsafe { core::LLVMConstNull(self.pointer_type()?.raw()) })
            .ok_or_else(|| EditError::new("LLVM made no constant"))
    }

    /// A pointer type of the default address space.
    pub fn pointer_type(&self) -> Edit<Type> {
        // SAFETY: the LLVM context is live.
        Type::from_raw(unsafe { core::LLVMPointerTypeInContext(self.llvm_context(), 0) })
            .ok_or_else(|| EditError::new("LLVM made no type"))
    }

    // ---- floating-point numbers ----

    /// A constant of type `double`.
    pub fn double(&self, value: f64) -> Edit<Value> {
        // SAFETY: the LLVM context is live, and so is its type.
        Value::from_raw(unsafe { core::LLVMConstReal(core::LLVMDoubleTypeInContext(self.llvm_context()), value) })
            .ok_or_else(|| EditError::new("LLVM made no constant"))
    }

    /// A signed integer as a number of type `double`.
    pub fn to_double(&self, integer: Value) -> Edit<Value> {
        as_int(integer)?;
        self.require_open_block()?;
        // SAFETY: the builder is positioned and the operand an integer.
        let raw = unsafe {
            let ty = core::LLVMDoubleTypeInContext(self.llvm_context());
            core::LLVMBuildSIToFP(self.builder.as_mut_ptr(), integer.raw(), ty, c"".as_ptr())
        };
        self.created(raw)
    }

    /// The product of two floating-point numbers of one type, rounded.
    pub fn product(&self, a: Value, b: Value) -> Edit<Value> {
        self.two_floats(a, b)?;
        // SAFETY: the builder is positioned and the operands are numbers of one type.
        self.created(unsafe { core::LLVMBuildFMul(self.builder.as_mut_ptr(), a.raw(), b.raw(), c"".as_ptr()) })
    }

    /// The sum of two floating-point numbers of one type, rounded.
    pub fn sum(&self, a: Value, b: Value) -> Edit<Value> {
        self.two_floats(a, b)?;
        // SAFETY: the builder is positioned and the operands are numbers of one type.
        self.created(unsafe { core::LLVMBuildFAdd(self.builder.as_mut_ptr(), a.raw(), b.raw(), c"".as_ptr()) })
    }

    fn two_floats(&self, a: Value, b: Value) -> Edit<()> {
        self.require_open_block()?;
        if !a.ty().is_float() {
            return Err(EditError::new("an operand that is no floating-point number"));
        }
        require_type(b, a.ty(), "the second operand")
    }

    // ---- what they are made of ----

    fn kind(&self, kind: Kind) -> Edit<Type> {
        match kind {
            // SAFETY: the LLVM context is live.
            Kind::Nothing => Type::from_raw(unsafe { core::LLVMVoidTypeInContext(self.llvm_context()) })
                .ok_or_else(|| EditError::new("LLVM made no type")),
            Kind::Pointer => self.pointer_type(),
            Kind::Number(bits) => self.int_type(bits),
        }
    }

    /// The function of the module, declared if need be. An error where the program has something else of that name.
    fn runtime_function(&self, function: RuntimeFunction) -> Edit<Value> {
        let (result, parameters) = function.signature();
        let result = self.kind(result)?.raw();
        let parameters = parameters.iter().map(|kind| self.kind(*kind).map(Type::raw)).collect::<Edit<Vec<_>>>()?;
        let mut parameters: Vec<LLVMTypeRef> = parameters;
        let count = u32::try_from(parameters.len()).map_err(|_| EditError::new("too many parameters"))?;
        let name = c_name(function.name())?;
        // SAFETY: the function is live and so is its module; the types are of its context and the name ends in zero. The
        // known value is a function where its type is asked for.
        unsafe {
            let ty = core::LLVMFunctionType(result, parameters.as_mut_ptr(), count, 0);
            let module = core::LLVMGetGlobalParent(self.function().raw());
            if let Some(known) = Value::from_raw(core::LLVMGetNamedFunction(module, name.as_ptr())) {
                if core::LLVMGlobalGetValueType(known.raw()) == ty {
                    return Ok(known);
                }
                return Err(EditError::new(format!("the program has another function {}", function.name())));
            }
            if !core::LLVMGetNamedGlobal(module, name.as_ptr()).is_null() {
                return Err(EditError::new(format!("the program has a variable {}", function.name())));
            }
            let declared = core::LLVMAddFunction(module, name.as_ptr(), ty);
            core::LLVMSetLinkage(declared, LLVMLinkage::LLVMExternalWeakLinkage);
            let nounwind = core::LLVMGetEnumAttributeKindForName(c"nounwind".as_ptr(), 8);
            let nounwind = core::LLVMCreateEnumAttribute(self.llvm_context(), nounwind, 0);
            core::LLVMAddAttributeAtIndex(declared, llvm_sys::LLVMAttributeFunctionIndex, nounwind);
            let declared = Value::from_raw(declared).ok_or_else(|| EditError::new("LLVM declared no function"))?;
            self.log(Undo::CreatedGlobal(declared));
            Ok(declared)
        }
    }

    /// The address of a constant text that ends in a zero byte.
    fn c_text(&self, text: &str) -> Edit<Value> {
        let text = c_name(text)?;
        let bytes = text.as_bytes_with_nul();
        // SAFETY: the function is live; the text is passed with its length.
        let raw = unsafe { ffi::tessera_create_text(self.function().raw(), bytes.as_ptr().cast(), bytes.len()) };
        let text = Value::from_raw(raw).ok_or_else(|| EditError::new("LLVM made no text"))?;
        self.log(Undo::CreatedGlobal(text));
        Ok(text)
    }

    fn constant_array(&self, ty: Type, items: &[Value], hint: &str) -> Edit<Value> {
        for item in items {
            require_type(*item, ty, "an item of a constant")?;
        }
        let mut raw: Vec<LLVMValueRef> = items.iter().map(|item| item.raw()).collect();
        // SAFETY: the type and the constants of that type are live.
        let constant = unsafe { core::LLVMConstArray2(ty.raw(), raw.as_mut_ptr(), raw.len() as u64) };
        // SAFETY: the constant is live.
        let global = self.new_constant(unsafe { core::LLVMTypeOf(constant) }, hint)?;
        self.initialise(global, constant)?;
        Ok(global)
    }

    /// The address of a new constant of the module, without a value.
    fn new_constant(&self, ty: LLVMTypeRef, hint: &str) -> Edit<Value> {
        let name = c_name(&format!("tessera.{hint}"))?;
        // SAFETY: the function is live and so is its module; the type is live; the name ends in zero.
        let global = unsafe {
            let module = core::LLVMGetGlobalParent(self.function().raw());
            let global = core::LLVMAddGlobal(module, ty, name.as_ptr());
            core::LLVMSetGlobalConstant(global, 1);
            core::LLVMSetUnnamedAddress(global, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
            global
        };
        let global = Value::from_raw(global).ok_or_else(|| EditError::new("LLVM made no constant"))?;
        self.log(Undo::CreatedGlobal(global));
        Ok(global)
    }

    /// Gives a constant of [`Self::new_constant`] its value.
    fn initialise(&self, global: Value, value: LLVMValueRef) -> Edit<()> {
        // SAFETY: the handle is a live global variable, as its type is compared; the value is a live constant.
        unsafe {
            let is_variable = !core::LLVMIsAGlobalVariable(global.raw()).is_null();
            if !is_variable || core::LLVMGlobalGetValueType(global.raw()) != core::LLVMTypeOf(value) {
                return Err(EditError::new("a value that is not of the constant's type"));
            }
            core::LLVMSetInitializer(global.raw(), value);
            core::LLVMSetLinkage(global.raw(), LLVMLinkage::LLVMPrivateLinkage);
        }
        self.log(Undo::Initialised(global));
        Ok(())
    }
}
