//! What goes wrong when a kernel is launched or runs.
//!
//! A [`Fault`] names the kernel, the line of the PTX, the block and the thread, and says in [`FaultKind`] what
//! happened. The first fault ends a launch.

use std::fmt;

/// A place in memory that a fault talks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// `.global`: buffers and variables of the module.
    Global,
    /// `.const`.
    Const,
    /// `.shared`: one memory per block.
    Shared,
    /// `.local`: one memory per thread.
    Local,
    /// Parameters of kernels and functions.
    Param,
}

impl fmt::Display for MemoryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MemoryKind::Global => "global",
            MemoryKind::Const => "constant",
            MemoryKind::Shared => "shared",
            MemoryKind::Local => "local",
            MemoryKind::Param => "parameter",
        })
    }
}

/// What one of the two accesses of a race did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// It read.
    Read,
    /// It wrote.
    Write,
    /// It was an atomic, or a volatile or relaxed write.
    Atomic,
}

impl fmt::Display for AccessKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Atomic => "atomic",
        })
    }
}

/// Why a value is not defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nothing was written to its register.
    Nowhere,
    /// It was loaded in this line from memory that nothing was written to.
    Memory(MemoryKind, u32),
    /// It is the result of the division of an integer by zero in this line. The division itself is no fault: LLVM
    /// moves divisions before the branch that guards them.
    Division(u32),
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The module has no such kernel.
    NoKernel,
    /// An argument is missing, is one too many, or has another size than its parameter.
    Arguments(String),
    /// The grid or the block is empty or larger than the limits, or than what the kernel says about itself.
    Geometry(String),
    /// Static and dynamic shared memory together exceed the limit.
    SharedMemory {
        /// The bytes that the launch needs.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The variables of a function in local memory exceed the limit.
    LocalMemory {
        /// The bytes that the function needs.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// An access to bytes that belong to no buffer or variable.
    OutOfBounds {
        /// The memory.
        memory: MemoryKind,
        /// The address, in this memory.
        address: u64,
        /// The bytes of the access.
        bytes: u64,
    },
    /// An access at an address that is not a multiple of its size.
    Misaligned {
        /// The memory.
        memory: MemoryKind,
        /// The address, in this memory.
        address: u64,
        /// The bytes of the access.
        bytes: u64,
    },
    /// A write to constant memory or to a parameter of a kernel.
    ReadOnly {
        /// The memory.
        memory: MemoryKind,
        /// The address.
        address: u64,
    },
    /// Two threads access a byte, at least one of them writes, and nothing orders them.
    Race {
        /// The memory.
        memory: MemoryKind,
        /// The byte.
        address: u64,
        /// What this thread does.
        access: AccessKind,
        /// What the other thread did.
        other: AccessKind,
        /// The block of the other thread, as its linear index.
        other_block: u64,
        /// The other thread, as its linear index in the block.
        other_thread: u32,
        /// The line of the other access.
        other_line: u32,
    },
    /// A byte is read with `.nc`, as a constant, and written in the same launch.
    NotConstant {
        /// The byte.
        address: u64,
        /// What this thread does.
        access: AccessKind,
        /// The block of the thread that made the other access, as its linear index.
        other_block: u64,
        /// That thread, as its linear index in the block.
        other_thread: u32,
        /// The line of the other access.
        other_line: u32,
    },
    /// A barrier that not all threads execute that must.
    DivergentBarrier(String),
    /// A register is used whose value is not defined.
    Undefined {
        /// The name of the register.
        register: String,
        /// Why its value is not defined.
        origin: Origin,
    },
    /// The launch executed more instructions than it may.
    Steps(u64),
    /// No thread can go on.
    Deadlock(String),
    /// `trap`.
    Trap,
    /// The index of `brx.idx` is not in its list.
    JumpIndex(u64),
    /// Calls are nested too deeply, or local memory is used up.
    StackOverflow,
    /// An instruction of a warp whose result is not defined.
    Warp(String),
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::NoKernel => write!(f, "the module has no such kernel"),
            FaultKind::Arguments(what) | FaultKind::Geometry(what) => f.write_str(what),
            FaultKind::SharedMemory { bytes, limit } => {
                write!(f, "it needs {bytes} bytes of shared memory, and may use {limit}")
            }
            FaultKind::LocalMemory { bytes, limit } => {
                write!(f, "it needs {bytes} bytes of local memory, and may use {limit}")
            }
            FaultKind::OutOfBounds { memory, address, bytes } => {
                write!(f, "{bytes} bytes at {address:#x} in {memory} memory are out of bounds")
            }
            FaultKind::Misaligned { memory, address, bytes } => {
                write!(f, "{bytes} bytes at {address:#x} in {memory} memory are misaligned")
            }
            FaultKind::ReadOnly { memory, address } => {
                write!(f, "a write at {address:#x} in {memory} memory, which is read-only")
            }
            FaultKind::Race { memory, address, access, other, other_block, other_thread, other_line } => write!(
                f,
                "race: this {access} of the byte at {address:#x} in {memory} memory is not ordered with the {other} of \
                 block {other_block}, thread {other_thread} in line {other_line}"
            ),
            FaultKind::NotConstant { address, access, other_block, other_thread, other_line } => {
                let (this, other) = match access {
                    AccessKind::Read => ("read as a constant", "written"),
                    _ => ("written", "read as a constant"),
                };
                write!(
                    f,
                    "the byte at {address:#x} in global memory is {this}, and {other} by block {other_block}, thread \
                     {other_thread} in line {other_line}"
                )
            }
            FaultKind::DivergentBarrier(what) => write!(f, "divergent barrier: {what}"),
            FaultKind::Undefined { register, origin } => match origin {
                Origin::Nowhere => write!(f, "`{register}` is read before it is written"),
                Origin::Memory(memory, line) => {
                    write!(f, "`{register}` is used, which line {line} loaded from uninitialised {memory} memory")
                }
                Origin::Division(line) => {
                    write!(f, "`{register}` is used, which comes from a division by zero in line {line}")
                }
            },
            FaultKind::Steps(limit) => write!(f, "more than {limit} instructions were executed: an endless loop?"),
            FaultKind::Deadlock(what) => write!(f, "deadlock: {what}"),
            FaultKind::Trap => write!(f, "trap"),
            FaultKind::JumpIndex(index) => write!(f, "there is no target number {index}"),
            FaultKind::StackOverflow => write!(f, "calls are nested too deeply"),
            FaultKind::Warp(what) => f.write_str(what),
        }
    }
}

/// A fault, and where it happened. What concerns a launch as a whole has no line and no thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kernel.
    pub kernel: String,
    /// The line of the PTX.
    pub line: Option<u32>,
    /// The block (`%ctaid`).
    pub block: Option<[u32; 3]>,
    /// The thread (`%tid`).
    pub thread: Option<[u32; 3]>,
    /// What happened.
    pub kind: FaultKind,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel `{}`", self.kernel)?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some([x, y, z]) = self.block {
            write!(f, ", block ({x}, {y}, {z})")?;
        }
        if let Some([x, y, z]) = self.thread {
            write!(f, ", thread ({x}, {y}, {z})")?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl std::error::Error for Fault {}
