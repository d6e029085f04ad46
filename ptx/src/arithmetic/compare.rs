//! Comparisons: `setp` and `set`.
//!
//! An ordered comparison with a NaN is false, an unordered one (`ltu`) is true.

use super::Binary;
use super::float::Float;
use super::integer::Integer;
use super::rounding::HALF;
use crate::types::Type;

fn integer<T: Integer, const TEST: u8>(a: u64, b: u64) -> u64 {
    let (a, b) = (T::of(a), T::of(b));
    u64::from(match TEST {
        0 => a == b,
        1 => a != b,
        2 => a < b,
        3 => a <= b,
        4 => a > b,
        _ => a >= b,
    })
}

fn float<T: Float, const TEST: u8, const UNORDERED: bool>(a: u64, b: u64) -> u64 {
    let (a, b) = (T::of(a), T::of(b));
    u64::from(if a.is_nan() || b.is_nan() {
        UNORDERED
    } else {
        match TEST {
            0 => a == b,
            1 => a != b,
            2 => a < b,
            3 => a <= b,
            4 => a > b,
            5 => a >= b,
            // `num` and `nan`.
            6 => true,
            _ => false,
        }
    })
}

/// Halves compare as the doubles that they are.
fn half<const TEST: u8, const UNORDERED: bool>(a: u64, b: u64) -> u64 {
    let double = |half: u64| HALF.to_double(half & 0xffff).to_bits();
    float::<f64, TEST, UNORDERED>(double(a), double(b))
}

/// The comparison `name` of operands of type `ty`, if there is such a one.
pub(crate) fn comparison(name: &str, ty: Type) -> Option<Binary> {
    if ty.is_float() {
        return float_comparison(name, ty);
    }
    let unsigned = ty.class() == crate::types::Class::Unsigned;
    let untyped = ty.class() == crate::types::Class::Untyped;
    let test = match name {
        "eq" => 0,
        "ne" => 1,
        "lt" if !untyped => 2,
        "le" if !untyped => 3,
        "gt" if !untyped => 4,
        "ge" if !untyped => 5,
        "lo" if unsigned => 2,
        "ls" if unsigned => 3,
        "hi" if unsigned => 4,
        "hs" if unsigned => 5,
        _ => return None,
    };
    fn of<T: Integer>(test: u8) -> Binary {
        match test {
            0 => integer::<T, 0>,
            1 => integer::<T, 1>,
            2 => integer::<T, 2>,
            3 => integer::<T, 3>,
            4 => integer::<T, 4>,
            _ => integer::<T, 5>,
        }
    }
    Some(match ty {
        Type::B16 | Type::U16 => of::<u16>(test),
        Type::B32 | Type::U32 => of::<u32>(test),
        Type::B64 | Type::U64 => of::<u64>(test),
        Type::S16 => of::<i16>(test),
        Type::S32 => of::<i32>(test),
        Type::S64 => of::<i64>(test),
        _ => return None,
    })
}

fn float_comparison(name: &str, ty: Type) -> Option<Binary> {
    macro_rules! table {
        ($($text:literal $test:literal $unordered:literal,)*) => {
            match (name, ty) {
                $(($text, Type::F32) => Some(float::<f32, $test, $unordered> as Binary),
                ($text, Type::F64) => Some(float::<f64, $test, $unordered> as Binary),
                ($text, Type::F16) => Some(half::<$test, $unordered> as Binary),)*
                _ => None,
            }
        };
    }
    table! {
        "eq" 0 false, "ne" 1 false, "lt" 2 false, "le" 3 false, "gt" 4 false, "ge" 5 false,
        "equ" 0 true, "neu" 1 true, "ltu" 2 true, "leu" 3 true, "gtu" 4 true, "geu" 5 true,
        "num" 6 false, "nan" 7 true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordered_and_unordered() {
        let nan = u64::from(f32::NAN.to_bits());
        let one = u64::from(1f32.to_bits());
        for (name, same, with_nan) in [
            ("eq", 1, 0),
            ("ne", 0, 0),
            ("lt", 0, 0),
            ("le", 1, 0),
            ("gtu", 0, 1),
            ("geu", 1, 1),
            ("neu", 0, 1),
            ("equ", 1, 1),
            ("num", 1, 0),
            ("nan", 0, 1),
        ] {
            let compare = comparison(name, Type::F32).unwrap();
            assert_eq!((compare(one, one), compare(one, nan)), (same, with_nan), "{name}");
        }
        assert!(comparison("lo", Type::S32).is_none());
        assert!(comparison("lt", Type::B32).is_none());
        assert_eq!(comparison("lt", Type::S16).unwrap()(0xffff, 0), 1);
        assert_eq!(comparison("lo", Type::U16).unwrap()(0xffff, 0), 0);
        assert_eq!(comparison("lt", Type::F16).unwrap()(0x8000, 0x0001), 1);
    }
}
