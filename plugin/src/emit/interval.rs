//! Intervals of integers, for arithmetic whose results have to fit a width.

use crate::host::IntOp;

/// A closed interval.
pub(super) type Interval = (i128, i128);

/// Whether all numbers of an interval are signed numbers of so many bits, at most 64.
pub(super) fn fits((low, high): Interval, bits: u32) -> bool {
    let half = 1i128 << (bits - 1);
    -half <= low && high < half
}

/// What contains all results of an operation over the integers; `None` where that is not known, or beyond 128 bits.
pub(super) fn of_result(op: IntOp, (a, b): Interval, (c, d): Interval) -> Option<Interval> {
    match op {
        IntOp::Add => Some((a.checked_add(c)?, b.checked_add(d)?)),
        IntOp::Sub => Some((a.checked_sub(d)?, b.checked_sub(c)?)),
        IntOp::Mul => {
            let corners = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
            Some((*corners.iter().min()?, *corners.iter().max()?))
        }
        IntOp::AShr if c == d && (0..64).contains(&c) => Some((a >> c, b >> c)),
        IntOp::SDiv if c == d && c > 0 => Some((a / c, b / c)),
        _ => None,
    }
}
