//! Strides that are hidden behind two names of one quotient.
//!
//! With `0 <= i - 14 t <= 13` and `0 <= i - 14 b - 896 e <= 13` both `t` and `b + 64 e` are `floor(i / 14)`: the difference of the two, `14 (b +
//! 64 e - t)`, is between -13 and 13, so it is 0. No constraint says so, and the loop over `t` would go through all values instead of every 64th
//! one. This happens where blocks of a device share tiles: `b` is the block.

use crate::relation::{Row, gcd};

use super::piece::Piece;

/// What two constraints say about an iterator, the held unknown of a piece, that an equality can: the equality, or nothing.
pub(super) fn equality(piece: &Piece) -> Option<Row> {
    let (system, t) = (&piece.system, piece.first_unknown());
    for row in system.ineqs.iter().filter(|row| row[t].is_positive() && !row[t].is_one()) {
        let divisor = &row[t];
        if row[1..].iter().all(|x| divisor.divides(x)) {
            continue;
        }
        let Some(width) = system.widths(row).min() else { continue };
        for other in system.ineqs.iter().filter(|other| other[t].is_zero()) {
            // Between 0 and the sum of the widths, and `divisor * quotient + constant`.
            let sum: Row = row.iter().zip(other.iter()).map(|(one, other)| one + other).collect();
            if gcd(&sum[1..]) != *divisor {
                continue;
            }
            let Some(other_width) = system.widths(other).min() else { continue };
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
