//! Bits: logic, shifts and fields.
//!
//! Shift amounts are unsigned 32-bit numbers and are clamped: a shift by the width or more moves all bits out.

use super::integer::Integer;
use crate::types::{sign_extend, truncate};

pub(crate) fn and(a: u64, b: u64) -> u64 {
    a & b
}

pub(crate) fn or(a: u64, b: u64) -> u64 {
    a | b
}

pub(crate) fn xor(a: u64, b: u64) -> u64 {
    a ^ b
}

/// Not, of `BITS` bits; predicates have one.
pub(crate) fn not<const BITS: u32>(a: u64) -> u64 {
    truncate(!a, BITS)
}

pub(crate) fn cnot(a: u64) -> u64 {
    u64::from(a == 0)
}

pub(crate) fn shl<const BITS: u32>(a: u64, amount: u64) -> u64 {
    let amount = amount as u32;
    if amount >= BITS { 0 } else { truncate(a << amount, BITS) }
}

/// To the right, with zeros or with the sign, as the type says.
pub(crate) fn shr<T: Integer>(a: u64, amount: u64) -> u64 {
    let amount = (amount as u32).min(T::BITS);
    // In 128 bits a shift by the whole width is defined, and keeps the sign.
    T::narrow(T::of(a).wide() >> amount).bits()
}

pub(crate) fn popc(a: u64) -> u64 {
    u64::from(a.count_ones())
}

pub(crate) fn clz<const BITS: u32>(a: u64) -> u64 {
    u64::from(a.leading_zeros() - (64 - BITS))
}

pub(crate) fn brev<const BITS: u32>(a: u64) -> u64 {
    a.reverse_bits() >> (64 - BITS)
}

/// The position of the most significant bit that differs from the sign (that is one, for unsigned types); all ones
/// where there is none. `SHIFT` asks for the left shift that would bring it to the top.
pub(crate) fn bfind<T: Integer, const SHIFT: bool>(a: u64) -> u64 {
    let value = T::of(a);
    let bits = if value < T::ZERO { truncate(!a, T::BITS) } else { value.bits() };
    if bits == 0 {
        return 0xffff_ffff;
    }
    let position = 63 - bits.leading_zeros();
    u64::from(if SHIFT { T::BITS - 1 - position } else { position })
}

/// Position and length of a field: their low eight bits for values of 32 bits. PTX allows no more than 255; devices
/// look at all bits for values of 64.
fn field(position: u64, length: u64, bits: u32) -> (u32, u32) {
    if bits == 64 { (position as u32, length as u32) } else { ((position & 0xff) as u32, (length & 0xff) as u32) }
}

/// The field of `length` bits at `position`. Bits behind the end of the value repeat its sign, or are zero.
pub(crate) fn bfe<T: Integer>(a: u64, position: u64, length: u64) -> u64 {
    let value = T::of(a);
    let (position, length) = field(position, length, T::BITS);
    if length == 0 {
        return 0;
    }
    let shifted = value.wide() >> position.min(127);
    if length >= T::BITS {
        return T::narrow(shifted).bits();
    }
    let field = truncate(shifted as u64, length);
    if !T::SIGNED {
        return T::of(field).bits();
    }
    // The sign is the last bit of the field, or that of the value where the field reaches behind its end.
    let last = position.saturating_add(length - 1).min(T::BITS - 1);
    let sign = (value.bits() >> last) & 1;
    let extended = if sign == 1 { field | !truncate(u64::MAX, length) } else { field };
    T::of(extended).bits()
}

/// `b` with the low `length` bits of `a` at `position`.
pub(crate) fn bfi<const BITS: u32>(a: u64, b: u64, position: u64, length: u64) -> u64 {
    let (position, length) = field(position, length, BITS);
    if position >= BITS || length == 0 {
        return b;
    }
    let mask = truncate(truncate(u64::MAX, length.min(64)) << position, BITS);
    (b & !mask) | ((a << position) & mask)
}

/// One bit per bit of the operands, looked up in `table`.
pub(crate) fn lop3(a: u64, b: u64, c: u64, table: u8) -> u64 {
    let mut result = 0;
    for row in 0..8 {
        if table >> row & 1 == 1 {
            let a = if row & 4 != 0 { a } else { !a };
            let b = if row & 2 != 0 { b } else { !b };
            let c = if row & 1 != 0 { c } else { !c };
            result |= a & b & c;
        }
    }
    truncate(result, 32)
}

fn byte(a: u64, b: u64, selector: u64) -> u64 {
    let all = truncate(a, 32) | b << 32;
    let value = all >> ((selector & 7) * 8) & 0xff;
    if selector & 8 == 0 {
        value
    } else if value & 0x80 != 0 {
        0xff
    } else {
        0
    }
}

fn bytes(a: u64, b: u64, selectors: [u64; 4]) -> u64 {
    (0..4).map(|i| byte(a, b, selectors[i]) << (8 * i)).sum()
}

/// Four bytes of eight, each chosen by four bits of `selectors`.
pub(crate) fn prmt(a: u64, b: u64, selectors: u64) -> u64 {
    bytes(a, b, [selectors & 15, selectors >> 4 & 15, selectors >> 8 & 15, selectors >> 12 & 15])
}

pub(crate) fn prmt_f4e(a: u64, b: u64, c: u64) -> u64 {
    let s = c & 3;
    bytes(a, b, [s, s + 1, s + 2, s + 3])
}

pub(crate) fn prmt_b4e(a: u64, b: u64, c: u64) -> u64 {
    let s = c & 3;
    bytes(a, b, [s, (s + 7) & 7, (s + 6) & 7, (s + 5) & 7])
}

pub(crate) fn prmt_rc8(a: u64, b: u64, c: u64) -> u64 {
    bytes(a, b, [c & 3; 4])
}

pub(crate) fn prmt_ecl(a: u64, b: u64, c: u64) -> u64 {
    let s = c & 3;
    bytes(a, b, [s, s.max(1), s.max(2), 3])
}

pub(crate) fn prmt_ecr(a: u64, b: u64, c: u64) -> u64 {
    let s = c & 3;
    bytes(a, b, [0, s.min(1), s.min(2), s])
}

pub(crate) fn prmt_rc16(a: u64, b: u64, c: u64) -> u64 {
    let s = (c & 1) * 2;
    bytes(a, b, [s, s + 1, s, s + 1])
}

/// The amount of a funnel shift, clamped to 32 or taken modulo 32.
fn funnel_amount<const WRAP: bool>(c: u64) -> u32 {
    if WRAP { c as u32 & 31 } else { (c as u32).min(32) }
}

/// The high half of `b:a` shifted to the left.
pub(crate) fn shf_left<const WRAP: bool>(a: u64, b: u64, c: u64) -> u64 {
    let all = u128::from(truncate(a, 32) | b << 32);
    truncate((all << funnel_amount::<WRAP>(c) >> 32) as u64, 32)
}

/// The low half of `b:a` shifted to the right.
pub(crate) fn shf_right<const WRAP: bool>(a: u64, b: u64, c: u64) -> u64 {
    let all = truncate(a, 32) | b << 32;
    truncate(all >> funnel_amount::<WRAP>(c), 32)
}

/// The low `b` bits of `a`, with sign or zero.
pub(crate) fn szext<T: Integer, const WRAP: bool>(a: u64, b: u64) -> u64 {
    let bits = funnel_amount::<WRAP>(b);
    if bits == 0 {
        return 0;
    }
    let low = truncate(a, bits);
    truncate(if T::SIGNED { sign_extend(low, bits) } else { low }, 32)
}

/// `b` ones at position `a`.
pub(crate) fn bmsk<const WRAP: bool>(a: u64, b: u64) -> u64 {
    let (position, length) = (funnel_amount::<WRAP>(a), funnel_amount::<WRAP>(b));
    truncate(truncate(u64::MAX, length) << position, 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_clamp() {
        assert_eq!(shl::<32>(1, 31), 0x8000_0000);
        assert_eq!(shl::<32>(1, 32), 0);
        assert_eq!(shl::<64>(1, 1 << 33), 1);
        assert_eq!(shr::<i32>(0x8000_0000, 99), 0xffff_ffff);
        assert_eq!(shr::<u32>(0x8000_0000, 32), 0);
        assert_eq!(shr::<i64>(1 << 63, 64), u64::MAX);
        assert_eq!(shr::<i16>(0x8000, 4), 0xf800);
    }

    #[test]
    fn fields() {
        assert_eq!(bfe::<u32>(0xabcd_1234, 8, 8), 0x12);
        assert_eq!(bfe::<i32>(0xabcd_f234, 8, 8), 0xffff_fff2);
        assert_eq!(bfe::<i32>(0x8000_0000, 28, 16), 0xffff_fff8);
        assert_eq!(bfe::<i32>(0x8000_0000, 200, 3), 0xffff_ffff);
        assert_eq!(bfe::<u64>(u64::MAX, 60, 64), 15);
        assert_eq!(bfi::<32>(0xff, 0, 28, 8), 0xf000_0000);
        assert_eq!(bfi::<64>(5, 0, 32, 255), 5 << 32);
        assert_eq!(bfind::<i32, false>(0xffff_fff0), 3);
        assert_eq!(bfind::<u32, true>(1), 31);
        assert_eq!(bfind::<i64, false>(u64::MAX), 0xffff_ffff);
    }

    #[test]
    fn bytes_and_tables() {
        assert_eq!(prmt(0x4433_2211, 0x8877_6655, 0x0123), 0x1122_3344);
        assert_eq!(prmt(0x4433_2211, 0x8877_6655, 0x000f), 0x1111_11ff);
        assert_eq!(prmt_rc16(0x4433_2211, 0, 1), 0x4433_4433);
        assert_eq!(prmt_b4e(0x4433_2211, 0x8877_6655, 0), 0x6677_8811);
        assert_eq!(lop3(0xf0f0, 0xff00, 0xaaaa, 0x80), 0xf0f0 & 0xff00 & 0xaaaa);
        assert_eq!(lop3(0xf0f0, 0xff00, 0xaaaa, 0x96), 0xf0f0 ^ 0xff00 ^ 0xaaaa);
        assert_eq!(shf_left::<true>(0x8000_0000, 1, 1), 3);
        assert_eq!(shf_left::<false>(7, 1, 40), 7);
        assert_eq!(shf_right::<false>(7, 9, 32), 9);
        assert_eq!(szext::<i32, false>(0x80, 8), 0xffff_ff80);
        assert_eq!(bmsk::<false>(4, 8), 0xff0);
    }
}
