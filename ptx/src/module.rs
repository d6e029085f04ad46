//! A PTX module, read and decoded.
//!
//! A [`Module`] is independent of any device: addresses of variables get their values when a device loads it.

use crate::code::Function;
use crate::decode;
use crate::error::Error;
use crate::parser;
use crate::syntax::Space;

/// A variable of a module in `.global`, `.const` or `.shared`.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) space: Space,
    /// Zero for `name[]`, which is dynamic shared memory.
    pub(crate) bytes: u64,
    pub(crate) align: u64,
    pub(crate) external: bool,
    pub(crate) initial: Vec<Initial>,
}

/// A part of an initial value; what no part covers is zero.
#[derive(Debug)]
pub(crate) enum Initial {
    Bytes { at: u64, bytes: Vec<u8> },
    Address { at: u64, target: usize, offset: u64 },
}

/// A module that can be loaded on a [`crate::Device`].
#[derive(Debug)]
pub struct Module {
    pub(crate) version: (u32, u32),
    pub(crate) target: String,
    pub(crate) variables: Vec<Variable>,
    pub(crate) functions: Vec<Function>,
    pub(crate) warnings: Vec<Error>,
}

impl Module {
    /// Reads and decodes a PTX text.
    ///
    /// ```
    /// let text = "
    /// .version 6.0
    /// .target sm_70
    /// .address_size 64
    /// .visible .entry nothing(.param .u64 p) { ret; }";
    /// let module = tessera_ptx::Module::parse(text)?;
    /// assert_eq!(module.kernels().collect::<Vec<_>>(), ["nothing"]);
    /// # Ok::<(), tessera_ptx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What is not PTX, and every instruction, modifier and directive that is not known, with its line.
    pub fn parse(text: &str) -> Result<Module, Error> {
        decode::module(&parser::parse(text)?)
    }

    /// What is right PTX, and executed here as PTX says, but translated wrongly by `ptxas`.
    ///
    /// Two such things are known, in `ptxas` 12.9 and 13.0 for `sm_80` and `sm_90` and in the driver 580.159 of an NVIDIA
    /// H100.
    ///
    /// * A store of the low bits of a register that a floating-point instruction wrote, such as `cvt.rn.f32.u32 %r1,
    ///   %r2; st.global.b16 [%rd1], %r1;`: the number is stored as an integer, clamped to 16 bits, at all levels of
    ///   optimisation. LLVM writes this for the truncation of the bits of a number; with a `mov.b32` or a
    ///   `cvt.u16.u32` between the two, the result is right.
    /// * `mul.hi.u32 %r1, %r2, %r3; cvt.u64.u32 %rd1, %r1; sub.s64 %rd3, %rd1, %rd2;`: the result is too small by 2^32
    ///   where the low word of `%rd2` is zero, at all levels but the lowest. LLVM writes this for a difference whose
    ///   minuend is the quotient of an unsigned number and some constants.
    ///
    /// ```
    /// let text = "
    /// .version 6.0
    /// .target sm_70
    /// .address_size 64
    /// .visible .entry k(.param .u64 p) {
    ///     .reg .b32 %r<3>; .reg .b64 %rd<2>;
    ///     ld.param.u64 %rd1, [p];
    ///     mov.u32 %r1, %tid.x;
    ///     cvt.rn.f32.u32 %r2, %r1;
    ///     st.global.b16 [%rd1], %r2;
    ///     ret;
    /// }";
    /// let module = tessera_ptx::Module::parse(text)?;
    /// assert_eq!(module.warnings()[0].place.line, 10);
    /// # Ok::<(), tessera_ptx::Error>(())
    /// ```
    pub fn warnings(&self) -> &[Error] {
        &self.warnings
    }

    /// `.version`, as major and minor number.
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// `.target`, such as `sm_70`.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The names of its kernels, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().filter(|f| f.is_kernel).map(|f| f.name.as_str())
    }

    /// The sizes in bytes of the parameters of a kernel, in order.
    pub fn parameters(&self, kernel: &str) -> Option<Vec<usize>> {
        let function = self.functions.iter().find(|f| f.is_kernel && f.name == kernel)?;
        Some(function.parameters.iter().map(|p| p.bytes as usize).collect())
    }
}
