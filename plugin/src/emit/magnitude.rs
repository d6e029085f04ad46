//! How large parameters may be, so that no operation of the new code leaves the words that it computes with.
//!
//! The library bounds all operands and results of an AST for given ranges of its parameters (`AstUnit::widths`). From the greatest limit
//! on, 2^40, limits are tried until all of them are words; the guard checks the one that is found. In 64 bits nearly always the first one
//! does, in 32 bits it is one near 2^28.

use crate::model::PARAM_LIMIT_BITS;
use crate::model::scop::Scop;
use crate::reasons::Reason;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstUnit, Range};

/// Less than this number is not worth new code.
const LEAST_LIMIT_BITS: u32 = 12;

/// The greatest `k` such that the code of some ASTs keeps to words of so many bits where all parameters lie within +-2^k. `ranges` gives
/// the values of the parameters under a limit.
pub(super) fn limit_bits(
    scop: &Scop,
    units: &[&AstUnit],
    word: u32,
    ranges: impl Fn(u32) -> Vec<(i128, i128)>,
) -> Result<u32, Reason> {
    for limit_bits in (LEAST_LIMIT_BITS..=PARAM_LIMIT_BITS.min(word - 2)).rev() {
        let known = ranges(limit_bits);
        let reach = units.iter().try_fold(1i128 << limit_bits, |reach, unit| {
            let values = unit.params.iter().map(|name| {
                let index = scop.params.iter().position(|param| param.name.as_str() == &**name)?;
                let (low, high) = known.get(index)?;
                Some(Range::new(Int::from(i64::try_from(*low).ok()?), Int::from(i64::try_from(*high).ok()?)))
            });
            let all = unit.widths(&values.collect::<Option<Vec<_>>>()?).all?;
            let ends = [all.low.to_i64()?, all.high.to_i64()?];
            Some(ends.into_iter().fold(reach, |reach, end| reach.max(i128::from(end).abs())))
        });
        if reach.is_some_and(|reach| reach < 1 << (word - 1)) {
            return Ok(limit_bits);
        }
    }
    Err(Reason::TooLarge)
}
