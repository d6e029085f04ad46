//! Strides that are hidden behind two names of one quotient.
//!
//! With `0 <= i - 14 t <= 13` and `0 <= i - 14 b - 896 e <= 13` both `t` and `b + 64 e` are `floor(i / 14)`: the difference of the two, `14 (b +
//! 64 e - t)`, is between -13 and 13, so it is 0. No constraint says so, and the loop over `t` would go through all values instead of every 64th
//! one. This happens where blocks of a device share tiles: `b` is the block.

use crate::arith::Int;
use crate::relation::{Row, gcd};

use super::piece::Piece;
use super::system::System;

/// What two constraints say about an iterator, the held unknown of a piece, that an equality can: the equality, or nothing.
pub(super) fn equality(piece: &Piece) -> Option<Row> {
    let (system, t) = (&piece.system, piece.first_unknown());
    let is_quotient = |row: &&Row| row[t].is_positive() && !row[t].is_one();
    for row in system.ineqs.iter().filter(is_quotient) {
        let Some(width) = width(system, row) else { continue };
        for other in system.ineqs.iter().filter(|other| other[t].is_zero()) {
            let is_same = |sum: &Row| gcd(&sum[1..]) == row[t] && row[1..].iter().any(|x| !row[t].divides(x));
            let sum: Row = row.iter().zip(other.iter()).map(|(one, other)| one + other).collect();
            if !is_same(&sum) {
                continue;
            }
            let Some(other_width) = self::width(system, other) else { continue };
            // The sum is between 0 and the sum of the widths, and `divisor * quotient + constant`.
            let divisor = &row[t];
            let least = (-&sum[0]).div_ceil(divisor);
            let greatest = (&(&width + &other_width) - &sum[0]).div_floor(divisor);
            if least == greatest {
                let mut result: Row = sum.iter().map(|x| x.div_floor(divisor)).collect();
                result[0] = -&least;
                return Some(result);
            }
        }
    }
    None
}

/// How great a constraint `row >= 0` can get, if another one says that.
fn width(system: &System, row: &Row) -> Option<Int> {
    let is_opposite = |other: &&Row| (1..row.len()).all(|k| (&row[k] + &other[k]).is_zero());
    system.ineqs.iter().filter(is_opposite).map(|other| &row[0] + &other[0]).min()
}
