//! The fundamental types of PTX, as they follow an instruction (`.u32`) or a declaration.
//!
//! A value in a register is kept in 64 bits, zero-extended from the width of the register, whatever its type is:
//! [`Type::bits`] says the width, [`Type::class`] how the bits are read.

/// How the bits of a type are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// A truth value.
    Predicate,
    /// Only bits (`.b32`): fits every type of the same width.
    Untyped,
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// A floating-point number.
    Float,
}

macro_rules! types {
    ($($name:ident $text:literal $bits:literal $class:ident,)*) => {
        /// A fundamental type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Type { $($name,)* }

        impl Type {
            /// The type with this name, which is written without its dot.
            pub(crate) fn named(name: &str) -> Option<Type> {
                match name { $($text => Some(Type::$name),)* _ => None }
            }

            /// Its name, without a dot.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Type::$name => $text,)* }
            }

            /// Its width in bits; 1 for predicates.
            pub(crate) fn bits(self) -> u32 {
                match self { $(Type::$name => $bits,)* }
            }

            pub(crate) fn class(self) -> Class {
                match self { $(Type::$name => Class::$class,)* }
            }
        }
    };
}

types! {
    Pred "pred" 1 Predicate,
    B8 "b8" 8 Untyped,
    B16 "b16" 16 Untyped,
    B32 "b32" 32 Untyped,
    B64 "b64" 64 Untyped,
    U8 "u8" 8 Unsigned,
    U16 "u16" 16 Unsigned,
    U32 "u32" 32 Unsigned,
    U64 "u64" 64 Unsigned,
    S8 "s8" 8 Signed,
    S16 "s16" 16 Signed,
    S32 "s32" 32 Signed,
    S64 "s64" 64 Signed,
    U16x2 "u16x2" 32 Unsigned,
    S16x2 "s16x2" 32 Signed,
    F16 "f16" 16 Float,
    BF16 "bf16" 16 Float,
    F16x2 "f16x2" 32 Float,
    BF16x2 "bf16x2" 32 Float,
    F32 "f32" 32 Float,
    F64 "f64" 64 Float,
}

impl Type {
    /// Its width in bytes; 1 for predicates.
    pub(crate) fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether a register declared with this type may stand where an instruction wants `wanted`: the same width, and
    /// one of them has no type, or both are integers, or both are floating-point numbers. Registers of 16-bit floats
    /// are declared with `.b16`.
    pub(crate) fn fits(self, wanted: Type) -> bool {
        let kind = |class| match class {
            Class::Predicate => 0,
            Class::Untyped => 1,
            Class::Unsigned | Class::Signed => 2,
            Class::Float => 3,
        };
        let (a, b) = (kind(self.class()), kind(wanted.class()));
        self.bits() == wanted.bits() && (a == b || (a == 1 && b != 0) || (b == 1 && a != 0))
    }

    /// Whether it is an integer or only bits.
    pub(crate) fn is_integer(self) -> bool {
        matches!(self.class(), Class::Untyped | Class::Unsigned | Class::Signed)
    }

    /// Whether it is a signed integer.
    pub(crate) fn is_signed(self) -> bool {
        self.class() == Class::Signed
    }

    /// Whether it is a float of 16 bits, or two of them in one register.
    pub(crate) fn is_half(self) -> bool {
        matches!(self, Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2)
    }

    /// Whether it is a floating-point number.
    pub(crate) fn is_float(self) -> bool {
        self.class() == Class::Float
    }
}

/// The low `bits` bits of `value`.
#[inline(always)]
pub(crate) fn truncate(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// The low `bits` bits of `value`, with sign.
#[inline(always)]
pub(crate) fn sign_extend(value: u64, bits: u32) -> u64 {
    if bits >= 64 || bits == 0 { value } else { (((value << (64 - bits)) as i64) >> (64 - bits)) as u64 }
}
