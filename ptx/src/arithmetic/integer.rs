//! Integer arithmetic of 16, 32 and 64 bits, which wraps as in PTX.

/// An integer type of PTX.
pub(crate) trait Integer: Copy + Ord {
    const BITS: u32;
    const SIGNED: bool;
    const ZERO: Self;
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
    fn wide(self) -> i128;
    /// The low bits of `value`.
    fn narrow(value: i128) -> Self;
}

macro_rules! integers {
    ($($ty:ty, $unsigned:ty;)*) => {$(
        impl Integer for $ty {
            const BITS: u32 = <$ty>::BITS;
            const SIGNED: bool = <$ty>::MIN != 0;
            const ZERO: $ty = 0;
            #[inline(always)]
            fn of(bits: u64) -> $ty {
                bits as $ty
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                u64::from(self as $unsigned)
            }
            #[inline(always)]
            fn wide(self) -> i128 {
                i128::from(self)
            }
            #[inline(always)]
            fn narrow(value: i128) -> $ty {
                value as $ty
            }
        }
    )*};
}
integers! { i8, u8; u8, u8; i16, u16; u16, u16; i32, u32; u32, u32; i64, u64; u64, u64; }

#[inline(always)]
fn low<T: Integer>(value: i128) -> u64 {
    T::narrow(value).bits()
}

pub(crate) fn add<T: Integer>(a: u64, b: u64) -> u64 {
    T::of(a.wrapping_add(b)).bits()
}

pub(crate) fn sub<T: Integer>(a: u64, b: u64) -> u64 {
    T::of(a.wrapping_sub(b)).bits()
}

pub(crate) fn mul_lo<T: Integer>(a: u64, b: u64) -> u64 {
    T::of(a.wrapping_mul(b)).bits()
}

pub(crate) fn mul_hi<T: Integer>(a: u64, b: u64) -> u64 {
    // Products of two u64 may have all 128 bits: the wrapped product of their i128 has the same bits.
    let product = T::of(a).wide().wrapping_mul(T::of(b).wide()) as u128;
    low::<T>((product >> T::BITS) as i128)
}

/// The whole product of 16-bit or 32-bit operands, in twice their width.
pub(crate) fn mul_wide<T: Integer>(a: u64, b: u64) -> u64 {
    let product = T::of(a).wide() * T::of(b).wide();
    crate::types::truncate(product as u64, 2 * T::BITS)
}

pub(crate) fn mad_lo<T: Integer>(a: u64, b: u64, c: u64) -> u64 {
    T::of(a.wrapping_mul(b).wrapping_add(c)).bits()
}

pub(crate) fn mad_hi<T: Integer>(a: u64, b: u64, c: u64) -> u64 {
    add::<T>(mul_hi::<T>(a, b), c)
}

pub(crate) fn mad_wide<T: Integer>(a: u64, b: u64, c: u64) -> u64 {
    crate::types::truncate(mul_wide::<T>(a, b).wrapping_add(c), 2 * T::BITS)
}

/// The low or (`HIGH`) the high 32 of the 48 bits of a product of 24-bit integers.
fn product24<T: Integer, const HIGH: bool>(a: u64, b: u64) -> u64 {
    let part = |x: u64| {
        let low = x & 0xff_ffff;
        if T::SIGNED { crate::types::sign_extend(low, 24) as i64 } else { low as i64 }
    };
    let product = part(a).wrapping_mul(part(b));
    low::<T>(i128::from(if HIGH { product >> 16 } else { product }))
}

pub(crate) fn mul24_lo<T: Integer>(a: u64, b: u64) -> u64 {
    product24::<T, false>(a, b)
}

pub(crate) fn mul24_hi<T: Integer>(a: u64, b: u64) -> u64 {
    product24::<T, true>(a, b)
}

pub(crate) fn mad24_lo<T: Integer>(a: u64, b: u64, c: u64) -> u64 {
    add::<T>(product24::<T, false>(a, b), c)
}

pub(crate) fn mad24_hi<T: Integer>(a: u64, b: u64, c: u64) -> u64 {
    add::<T>(product24::<T, true>(a, b), c)
}

/// The quotient, rounded towards zero. A divisor of zero gives all ones, which PTX leaves open; with checks it is
/// an undefined value.
pub(crate) fn div<T: Integer>(a: u64, b: u64) -> u64 {
    let divisor = T::of(b).wide();
    low::<T>(if divisor == 0 { -1 } else { T::of(a).wide() / divisor })
}

/// The remainder, with the sign of the dividend; the dividend itself for a divisor of zero.
pub(crate) fn rem<T: Integer>(a: u64, b: u64) -> u64 {
    let divisor = T::of(b).wide();
    if divisor == 0 { T::of(a).bits() } else { low::<T>(T::of(a).wide() % divisor) }
}

pub(crate) fn min<T: Integer>(a: u64, b: u64) -> u64 {
    T::of(a).min(T::of(b)).bits()
}

pub(crate) fn max<T: Integer>(a: u64, b: u64) -> u64 {
    T::of(a).max(T::of(b)).bits()
}

pub(crate) fn abs<T: Integer>(a: u64) -> u64 {
    low::<T>(T::of(a).wide().abs())
}

pub(crate) fn neg<T: Integer>(a: u64) -> u64 {
    T::of(a.wrapping_neg()).bits()
}

/// `c` plus the absolute difference of `a` and `b`.
pub(crate) fn sad<T: Integer>(a: u64, b: u64, c: u64) -> u64 {
    let difference = (T::of(a).wide() - T::of(b).wide()).abs();
    low::<T>(T::of(c).wide() + difference)
}

/// `add.sat.s32`.
pub(crate) fn add_saturating(a: u64, b: u64) -> u64 {
    u64::from((a as i32).saturating_add(b as i32) as u32)
}

/// `sub.sat.s32`.
pub(crate) fn sub_saturating(a: u64, b: u64) -> u64 {
    u64::from((a as i32).saturating_sub(b as i32) as u32)
}

/// `mad.hi.sat.s32`.
pub(crate) fn mad_hi_saturating(a: u64, b: u64, c: u64) -> u64 {
    add_saturating(mul_hi::<i32>(a, b), c)
}

/// One of two increments of atomics: `(a >= b) ? 0 : a + 1`.
pub(crate) fn increment(a: u64, b: u64) -> u64 {
    let (a, b) = (a as u32, b as u32);
    u64::from(if a >= b { 0 } else { a + 1 })
}

/// `(a == 0 || a > b) ? b : a - 1`.
pub(crate) fn decrement(a: u64, b: u64) -> u64 {
    let (a, b) = (a as u32, b as u32);
    u64::from(if a == 0 || a > b { b } else { a - 1 })
}

/// The sum with carry in, and the carry out.
pub(crate) fn add_carry<T: Integer>(a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = u128::from(T::of(a).bits()) + u128::from(T::of(b).bits()) + u128::from(carry & 1);
    (T::of(sum as u64).bits(), ((sum >> T::BITS) & 1) as u64)
}

/// The difference with borrow in, and the borrow out.
pub(crate) fn sub_carry<T: Integer>(a: u64, b: u64, borrow: u64) -> (u64, u64) {
    let difference = i128::from(T::of(a).bits()) - i128::from(T::of(b).bits()) - i128::from(borrow & 1);
    (T::of(difference as u64).bits(), u64::from(difference < 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products() {
        assert_eq!(mul_hi::<u64>(u64::MAX, u64::MAX), u64::MAX - 1);
        assert_eq!(mul_hi::<i64>(u64::MAX, u64::MAX), 0);
        assert_eq!(mul_hi::<i32>(0x8000_0000, 2), 0xffff_ffff);
        assert_eq!(mul_wide::<i16>(0xffff, 3), 0xffff_fffd);
        assert_eq!(mul_wide::<u32>(0xffff_ffff, 0xffff_ffff), 0xffff_fffe_0000_0001);
        assert_eq!(mul24_hi::<u32>(0xff_ffff, 0xff_ffff), 0xffff_fe00);
        assert_eq!(mul24_lo::<i32>(0xff_ffff, 5), 0xffff_fffb);
    }

    #[test]
    fn quotients() {
        assert_eq!(div::<i32>(0x8000_0000, 0xffff_ffff), 0x8000_0000);
        assert_eq!(div::<i16>(0xfff9, 2), 0xfffd);
        assert_eq!(rem::<i64>((-7i64) as u64, 2), (-1i64) as u64);
        assert_eq!(rem::<i32>(0x8000_0000, 0xffff_ffff), 0);
    }

    #[test]
    fn carries() {
        assert_eq!(add_carry::<u64>(u64::MAX, 0, 1), (0, 1));
        assert_eq!(sub_carry::<u32>(0, 0, 1), (0xffff_ffff, 1));
        assert_eq!(sad::<i32>(0xffff_fffe, 3, 10), 15);
        assert_eq!(abs::<i32>(0x8000_0000), 0x8000_0000);
        assert_eq!(increment(5, 5), 0);
        assert_eq!(decrement(0, 5), 5);
    }
}
