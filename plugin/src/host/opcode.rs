//! Instruction kinds and comparison predicates, named as in the LLVM language reference.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

/// What an instruction (or constant expression) does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Opcode {
    Ret,
    Br,
    Switch,
    Unreachable,
    Add,
    FAdd,
    Sub,
    FSub,
    Mul,
    FMul,
    UDiv,
    SDiv,
    FDiv,
    URem,
    SRem,
    FRem,
    FNeg,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    Alloca,
    Load,
    Store,
    GetElementPtr,
    Trunc,
    ZExt,
    SExt,
    FPToUI,
    FPToSI,
    UIToFP,
    SIToFP,
    FPTrunc,
    FPExt,
    PtrToInt,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
    ICmp,
    FCmp,
    Phi,
    Call,
    Select,
    Freeze,
    ExtractElement,
    InsertElement,
    ShuffleVector,
    ExtractValue,
    InsertValue,
    Fence,
    AtomicCmpXchg,
    AtomicRMW,
    /// Anything else: invoke, landing pads, indirect branches, ...
    Other,
}

impl Opcode {
    pub(super) fn from_raw(raw: LLVMOpcode) -> Self {
        use LLVMOpcode as L;
        match raw {
            L::LLVMRet => Self::Ret,
            L::LLVMBr => Self::Br,
            L::LLVMSwitch => Self::Switch,
            L::LLVMUnreachable => Self::Unreachable,
            L::LLVMAdd => Self::Add,
            L::LLVMFAdd => Self::FAdd,
            L::LLVMSub => Self::Sub,
            L::LLVMFSub => Self::FSub,
            L::LLVMMul => Self::Mul,
            L::LLVMFMul => Self::FMul,
            L::LLVMUDiv => Self::UDiv,
            L::LLVMSDiv => Self::SDiv,
            L::LLVMFDiv => Self::FDiv,
            L::LLVMURem => Self::URem,
            L::LLVMSRem => Self::SRem,
            L::LLVMFRem => Self::FRem,
            L::LLVMFNeg => Self::FNeg,
            L::LLVMShl => Self::Shl,
            L::LLVMLShr => Self::LShr,
            L::LLVMAShr => Self::AShr,
            L::LLVMAnd => Self::And,
            L::LLVMOr => Self::Or,
            L::LLVMXor => Self::Xor,
            L::LLVMAlloca => Self::Alloca,
            L::LLVMLoad => Self::Load,
            L::LLVMStore => Self::Store,
            L::LLVMGetElementPtr => Self::GetElementPtr,
            L::LLVMTrunc => Self::Trunc,
            L::LLVMZExt => Self::ZExt,
            L::LLVMSExt => Self::SExt,
            L::LLVMFPToUI => Self::FPToUI,
            L::LLVMFPToSI => Self::FPToSI,
            L::LLVMUIToFP => Self::UIToFP,
            L::LLVMSIToFP => Self::SIToFP,
            L::LLVMFPTrunc => Self::FPTrunc,
            L::LLVMFPExt => Self::FPExt,
            L::LLVMPtrToInt | L::LLVMPtrToAddr => Self::PtrToInt,
            L::LLVMIntToPtr => Self::IntToPtr,
            L::LLVMBitCast => Self::BitCast,
            L::LLVMAddrSpaceCast => Self::AddrSpaceCast,
            L::LLVMICmp => Self::ICmp,
            L::LLVMFCmp => Self::FCmp,
            L::LLVMPHI => Self::Phi,
            L::LLVMCall => Self::Call,
            L::LLVMSelect => Self::Select,
            L::LLVMFreeze => Self::Freeze,
            L::LLVMExtractElement => Self::ExtractElement,
            L::LLVMInsertElement => Self::InsertElement,
            L::LLVMShuffleVector => Self::ShuffleVector,
            L::LLVMExtractValue => Self::ExtractValue,
            L::LLVMInsertValue => Self::InsertValue,
            L::LLVMFence => Self::Fence,
            L::LLVMAtomicCmpXchg => Self::AtomicCmpXchg,
            L::LLVMAtomicRMW => Self::AtomicRMW,
            _ => Self::Other,
        }
    }

    /// Whether the instruction ends its block. `Other` is not included: ask the block for its terminator.
    pub fn is_terminator(self) -> bool {
        matches!(self, Self::Ret | Self::Br | Self::Switch | Self::Unreachable)
    }

    /// Whether its result, where that is a floating-point number, is rounded.
    pub fn rounds(self) -> bool {
        let of_numbers = matches!(self, Self::FAdd | Self::FSub | Self::FMul | Self::FDiv | Self::FRem);
        of_numbers || matches!(self, Self::FPTrunc | Self::UIToFP | Self::SIToFP | Self::Call)
    }

    /// Whether it is a binary operation on integers.
    pub fn is_integer_binary(self) -> bool {
        matches!(
            self,
            Self::Add
                | Self::Sub
                | Self::Mul
                | Self::UDiv
                | Self::SDiv
                | Self::URem
                | Self::SRem
                | Self::Shl
                | Self::LShr
                | Self::AShr
                | Self::And
                | Self::Or
                | Self::Xor
        )
    }

    /// Whether it is an arithmetic operation on floating-point numbers.
    pub fn is_float_arithmetic(self) -> bool {
        matches!(self, Self::FAdd | Self::FSub | Self::FMul | Self::FDiv | Self::FRem | Self::FNeg)
    }

    /// Whether it converts one scalar type to another.
    pub fn is_cast(self) -> bool {
        matches!(
            self,
            Self::Trunc
                | Self::ZExt
                | Self::SExt
                | Self::FPToUI
                | Self::FPToSI
                | Self::UIToFP
                | Self::SIToFP
                | Self::FPTrunc
                | Self::FPExt
                | Self::PtrToInt
                | Self::IntToPtr
                | Self::BitCast
                | Self::AddrSpaceCast
        )
    }
}

/// How an integer comparison compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IntPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

impl IntPredicate {
    pub(super) fn from_raw(raw: LLVMIntPredicate) -> Self {
        match raw {
            LLVMIntPredicate::LLVMIntEQ => Self::Eq,
            LLVMIntPredicate::LLVMIntNE => Self::Ne,
            LLVMIntPredicate::LLVMIntUGT => Self::Ugt,
            LLVMIntPredicate::LLVMIntUGE => Self::Uge,
            LLVMIntPredicate::LLVMIntULT => Self::Ult,
            LLVMIntPredicate::LLVMIntULE => Self::Ule,
            LLVMIntPredicate::LLVMIntSGT => Self::Sgt,
            LLVMIntPredicate::LLVMIntSGE => Self::Sge,
            LLVMIntPredicate::LLVMIntSLT => Self::Slt,
            LLVMIntPredicate::LLVMIntSLE => Self::Sle,
        }
    }

    pub(super) fn raw(self) -> LLVMIntPredicate {
        match self {
            Self::Eq => LLVMIntPredicate::LLVMIntEQ,
            Self::Ne => LLVMIntPredicate::LLVMIntNE,
            Self::Ugt => LLVMIntPredicate::LLVMIntUGT,
            Self::Uge => LLVMIntPredicate::LLVMIntUGE,
            Self::Ult => LLVMIntPredicate::LLVMIntULT,
            Self::Ule => LLVMIntPredicate::LLVMIntULE,
            Self::Sgt => LLVMIntPredicate::LLVMIntSGT,
            Self::Sge => LLVMIntPredicate::LLVMIntSGE,
            Self::Slt => LLVMIntPredicate::LLVMIntSLT,
            Self::Sle => LLVMIntPredicate::LLVMIntSLE,
        }
    }

    /// The predicate that holds exactly when this one does not.
    pub fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Ugt => Self::Ule,
            Self::Uge => Self::Ult,
            Self::Ult => Self::Uge,
            Self::Ule => Self::Ugt,
            Self::Sgt => Self::Sle,
            Self::Sge => Self::Slt,
            Self::Slt => Self::Sge,
            Self::Sle => Self::Sgt,
        }
    }

    /// Of an order: whether the right side is the larger one, and by how much at least.
    pub fn order(self) -> Option<(bool, i128)> {
        match self {
            Self::Eq | Self::Ne => None,
            Self::Slt | Self::Ult => Some((true, 1)),
            Self::Sle | Self::Ule => Some((true, 0)),
            Self::Sgt | Self::Ugt => Some((false, 1)),
            Self::Sge | Self::Uge => Some((false, 0)),
        }
    }

    /// The predicate with the operands exchanged.
    pub fn swapped(self) -> Self {
        match self {
            Self::Eq | Self::Ne => self,
            Self::Ugt => Self::Ult,
            Self::Uge => Self::Ule,
            Self::Ult => Self::Ugt,
            Self::Ule => Self::Uge,
            Self::Sgt => Self::Slt,
            Self::Sge => Self::Sle,
            Self::Slt => Self::Sgt,
            Self::Sle => Self::Sge,
        }
    }

    /// Whether it compares the operands as signed numbers (false for equality).
    pub fn is_signed(self) -> bool {
        matches!(self, Self::Sgt | Self::Sge | Self::Slt | Self::Sle)
    }

    /// Whether it compares the operands as unsigned numbers (false for equality).
    pub fn is_unsigned(self) -> bool {
        matches!(self, Self::Ugt | Self::Uge | Self::Ult | Self::Ule)
    }
}
