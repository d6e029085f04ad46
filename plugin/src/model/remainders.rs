//! Remainders that are known before the region: `__builtin_assume(n % 8 == 0)`, `if (n & 7) return;`, `assert!(n % 6 == 1)`.
//!
//! They are facts about parameters like others, and go into the context only: domains, and so dependences,
//! do without them.

use crate::detect::region::Region;
use crate::detect::scev::{Place, Reader};
use crate::formula::poly::{Poly, Sym};
use crate::host::{Analyses, Block, IntPredicate, Opcode, Value};
use crate::model::sets::{Frame, library_error};
use crate::reasons::Reason;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::space::{DimKind, Space};

/// The greatest modulus that is looked at.
const MAX_MODULUS: i128 = 1 << 20;

/// How many facts are kept.
const MAX_REMAINDERS: usize = 8;

/// How deep conditions are taken apart.
const MAX_DEPTH: usize = 6;

/// Stands for the quotient; no parameter has this index.
const QUOTIENT: Sym = Sym::Iv(usize::MAX);

/// A polynomial of parameters that is `residue` modulo `modulus`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remainder {
    poly: Poly,
    modulus: i128,
    residue: i128,
    /// Whether that is only so if the polynomial is not negative: the program divides what its bits mean without a sign.
    unsigned: bool,
}

/// Adds what a value of `block`, which dominates the region, says about remainders if it is true or false.
pub(super) fn read(
    host: &Analyses<'_>,
    reader: &mut Reader<'_, '_>,
    region: &Region,
    block: Block,
    (condition, truth): (Value, bool),
    found: &mut Vec<Remainder>,
) {
    let mut open = vec![(condition, truth, 0)];
    while let Some((condition, truth, depth)) = open.pop() {
        if depth > MAX_DEPTH || found.len() >= MAX_REMAINDERS {
            return;
        }
        let operands = condition.operands();
        match (condition.opcode(), operands.as_slice()) {
            (Some(opcode @ (Opcode::And | Opcode::Or)), [left, right]) if (opcode == Opcode::And) == truth => {
                open.extend([(*left, truth, depth + 1), (*right, truth, depth + 1)]);
            }
            // `select a, b, false` for "and", `select a, true, b` for "or".
            (Some(Opcode::Select), [first, then, otherwise]) => {
                let second = match (truth, then.constant_int(), otherwise.constant_int()) {
                    (true, _, Some(0)) => then,
                    (false, Some(one), _) if one != 0 => otherwise,
                    _ => continue,
                };
                open.extend([(*first, truth, depth + 1), (*second, truth, depth + 1)]);
            }
            (Some(Opcode::Xor), [value, one]) if one.constant_int().is_some_and(|c| c != 0) => {
                open.push((*value, !truth, depth + 1));
            }
            (Some(Opcode::ICmp), [left, right]) => {
                let equal = match condition.int_predicate() {
                    Some(IntPredicate::Eq) => truth,
                    Some(IntPredicate::Ne) => !truth,
                    _ => continue,
                };
                if let Some(residue) = right.constant_int()
                    && let Some((value, form)) = remainder_of(*left)
                    && let Some((modulus, residue, unsigned)) = form.residue(residue, equal)
                {
                    found.extend(fact(host, reader, region, block, value, (modulus, residue, unsigned)));
                }
            }
            // A truth value that is the last bit.
            (Some(Opcode::Trunc), [value]) if condition.ty().int_bits() == Some(1) => {
                found.extend(fact(host, reader, region, block, *value, (2, i128::from(truth), false)));
            }
            _ => {}
        }
    }
}

/// How a remainder is computed.
enum Form {
    /// The bits below a power of two.
    Low(i128),
    /// The bits below a power of two, moved to the top of so many bits.
    Shifted(i128),
    Unsigned(i128),
    Signed(i128),
}

impl Form {
    /// The modulus and the residue where the result is, or is not, a constant; and whether the sign matters.
    fn residue(&self, result: i128, equal: bool) -> Option<(i128, i128, bool)> {
        let (modulus, residue, unsigned) = match *self {
            Form::Low(modulus) => (modulus, result.rem_euclid(modulus), false),
            Form::Shifted(modulus) if result == 0 => (modulus, 0, false),
            Form::Unsigned(modulus) if (0..modulus).contains(&result) => {
                (modulus, result, modulus & (modulus - 1) != 0)
            }
            // Other results than zero say which sign the value has.
            Form::Signed(modulus) if result.abs() < modulus => (modulus, result.rem_euclid(modulus), false),
            _ => return None,
        };
        if !(2..=MAX_MODULUS).contains(&modulus) {
            return None;
        }
        match (equal, modulus, self) {
            (true, ..) => Some((modulus, residue, unsigned)),
            // Not even is odd.
            (false, 2, Form::Low(_) | Form::Unsigned(_)) => Some((2, 1 - residue, unsigned)),
            (false, 2, Form::Signed(_) | Form::Shifted(_)) if result == 0 => Some((2, 1, unsigned)),
            _ => None,
        }
    }
}

/// The value whose remainder another value is.
fn remainder_of(value: Value) -> Option<(Value, Form)> {
    let operands = value.operands();
    let bits = value.ty().int_bits()?;
    let power = |bits: u32| (1..=62).contains(&bits).then(|| 1i128 << bits);
    match (value.opcode()?, operands.as_slice()) {
        (Opcode::And, [of, mask]) => {
            let mask = mask.constant_int()?;
            (mask > 0 && mask < i128::from(i64::MAX) && mask & (mask + 1) == 0).then_some((*of, Form::Low(mask + 1)))
        }
        (Opcode::Trunc, [of]) => Some((*of, Form::Low(power(bits)?))),
        (Opcode::Shl, [of, by]) => {
            let by = u32::try_from(by.constant_int()?).ok()?;
            Some((*of, Form::Shifted(power(bits.checked_sub(by)?)?)))
        }
        (Opcode::URem, [of, by]) => Some((*of, Form::Unsigned(by.constant_int().filter(|by| *by > 0)?))),
        (Opcode::SRem, [of, by]) => {
            let by = by.constant_int()?.checked_abs()?;
            Some((*of, Form::Signed(by)))
        }
        (Opcode::ZExt | Opcode::Freeze, [of]) => remainder_of(*of),
        _ => None,
    }
}

fn fact(
    host: &Analyses<'_>,
    reader: &mut Reader<'_, '_>,
    region: &Region,
    block: Block,
    value: Value,
    (modulus, residue, unsigned): (i128, i128, bool),
) -> Option<Remainder> {
    let mark = reader.mark();
    let scev = host.scev_at_scope(value, host.loop_of(block))?;
    let poly = reader.poly(scev, Place::Before, region).ok();
    if reader.mark() != mark {
        reader.reset(mark);
        return None;
    }
    let poly = poly.filter(|poly| poly.is_affine() && poly.is_invariant() && poly.as_constant().is_none())?;
    Some(Remainder { poly, modulus, residue, unsigned })
}

/// The context with the remainders that hold in it.
pub(super) fn add(context: &Set, remainders: &[Remainder], params: &Space, budget: &Budget) -> Result<Set, Reason> {
    let mut result = context.clone();
    let frame = Frame::new(params, "", vec![QUOTIENT]);
    for Remainder { poly, modulus, residue, unsigned } in remainders {
        if *unsigned {
            let plain = Frame::new(params, "", Vec::new());
            let minus = poly.scale(-1).and_then(|poly| poly.sub(&Poly::one())).ok_or(Reason::TooLarge)?;
            let negative = Set::universe(plain.space().clone()).add_ineq(&plain.row(&minus)?);
            if !context.intersect(&negative, budget).and_then(|set| set.is_empty(budget)).map_err(library_error)? {
                continue;
            }
        }
        let quotient = Poly::symbol(QUOTIENT).scale(*modulus);
        let rest = Poly::constant(*residue).and_then(|residue| poly.sub(&residue));
        let difference = rest.zip(quotient).and_then(|(rest, quotient)| rest.sub(&quotient)).ok_or(Reason::TooLarge)?;
        let known = Set::universe(frame.space().clone()).add_eq(&frame.row(&difference)?);
        let known = known.project_out(DimKind::Out, 0, 1, budget).map_err(library_error)?;
        result = result.intersect(&known, budget).map_err(library_error)?;
    }
    Ok(result)
}
