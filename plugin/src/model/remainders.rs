//! Remainders that are known before the region: `__builtin_assume(n % 8 == 0)`, `if (n & 7) return;`, `assert!(n % 6 == 1)`.
//!
//! They are facts about parameters like others, and go into the context only: domains, and so dependences,
//! do without them. A remainder of a number without sign is one of the integer that the model knows only where that is not negative. That may be
//! something that the guard checks, so the checks are made first, and nothing here makes one superfluous.

use crate::detect::region::Region;
use crate::detect::scev::{ProgramPoint, Reader};
use crate::formula::poly::{Poly, Sym, gcd};
use crate::host::{Analyses, Block, IntPredicate, Opcode, Value};
use crate::model::scop::Check;
use crate::model::sets::{Frame, library_error};
use crate::model::violations::violations;
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

/// A number is `residue` modulo `modulus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    modulus: i128,
    residue: i128,
    /// Whether that is only so if the number is not negative: the program divides what its bits mean without a sign.
    unsigned: bool,
    /// Whether the number is not negative: `n % 8 == 5` says so of a number with sign, as `-3 % 8` is -3.
    natural: bool,
}

impl Class {
    /// What is true of numbers of either class: 0 or 4 modulo 8 is 0 modulo 4; 1 or 4 modulo 8 is nothing in common.
    fn join(self, other: Class) -> Class {
        let modulus = gcd(gcd(self.modulus, other.modulus), (self.residue - other.residue).abs());
        // Signs do not matter to the last bits.
        let unsigned = (self.unsigned || other.unsigned) && !is_power(modulus);
        let natural = self.natural && other.natural;
        Class { modulus, residue: self.residue.rem_euclid(modulus), unsigned, natural }
    }
}

fn is_power(number: i128) -> bool {
    number > 0 && number & (number - 1) == 0
}

/// A polynomial of parameters and the class it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remainder {
    poly: Poly,
    class: Class,
}

/// The values that are certainly true or false where another one is: both operands of an "and" that is true, of an "or" that is false.
pub(super) fn parts(condition: Value, truth: bool) -> Vec<(Value, bool)> {
    let mut parts = Vec::new();
    let mut open = vec![(condition, truth, 0)];
    while let Some((condition, truth, depth)) = open.pop() {
        let operands = condition.operands();
        let both = match (condition.opcode(), operands.as_slice()) {
            _ if depth >= MAX_DEPTH => None,
            (Some(opcode @ (Opcode::And | Opcode::Or)), [left, right]) if (opcode == Opcode::And) == truth => {
                Some((*left, *right))
            }
            // `select a, b, false` for "and", `select a, true, b` for "or".
            (Some(Opcode::Select), [first, then, otherwise]) => {
                match (truth, then.constant_int(), otherwise.constant_int()) {
                    (true, _, Some(0)) => Some((*first, *then)),
                    (false, Some(one), _) if one != 0 => Some((*first, *otherwise)),
                    _ => None,
                }
            }
            (Some(Opcode::Xor), [value, one]) if one.constant_int().is_some_and(|c| c != 0) => {
                open.push((*value, !truth, depth + 1));
                continue;
            }
            _ => None,
        };
        match both {
            Some((left, right)) => open.extend([(right, truth, depth + 1), (left, truth, depth + 1)]),
            None => parts.push((condition, truth)),
        }
    }
    parts
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
    let operands = condition.operands();
    let classes = match (condition.opcode(), operands.as_slice()) {
        (Some(Opcode::ICmp), [left, right]) => {
            let equal = match condition.int_predicate() {
                Some(IntPredicate::Eq) => truth,
                Some(IntPredicate::Ne) => !truth,
                _ => return,
            };
            let Some(number) = right.constant_int() else { return };
            classes(*left, &[number], equal)
        }
        // A truth value that is the last bit.
        (Some(Opcode::Trunc), [value]) if condition.ty().int_bits() == Some(1) => {
            vec![(*value, Class { modulus: 2, residue: i128::from(truth), unsigned: false, natural: false })]
        }
        _ => return,
    };
    add_facts(host, reader, region, block, &classes, found);
}

/// Adds what it says about remainders that a `switch` at the end of `block`, which dominates the region, has led to `target`.
/// (`n % 8 == 0 || n % 8 == 4` becomes one.)
pub(super) fn read_switch(
    host: &Analyses<'_>,
    reader: &mut Reader<'_, '_>,
    region: &Region,
    (block, target): (Block, Block),
    found: &mut Vec<Remainder>,
) {
    let Some(switch) = block.terminator().and_then(Value::switch).filter(|switch| switch.default != target) else {
        return;
    };
    let cases = switch.cases.iter().filter(|(_, to)| *to == target);
    let numbers: Vec<i128> = cases.map(|(number, _)| *number).collect();
    add_facts(host, reader, region, block, &classes(switch.value, &numbers, true), found);
}

fn add_facts(
    host: &Analyses<'_>,
    reader: &mut Reader<'_, '_>,
    region: &Region,
    block: Block,
    classes: &[(Value, Class)],
    found: &mut Vec<Remainder>,
) {
    for (value, class) in classes {
        if found.len() < MAX_REMAINDERS {
            found.extend(fact(host, reader, region, block, *value, *class));
        }
    }
}

/// The values that are in some class if a value is one of some numbers, or is not the only one.
fn classes(value: Value, numbers: &[i128], equal: bool) -> Vec<(Value, Class)> {
    let mut result = Vec::new();
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        match (value.opcode(), value.operands().as_slice()) {
            // `n % 4 == 0 && n % 6 == 0` becomes `(n & 3 | n % 6) == 0`.
            (Some(Opcode::Or), [left, right]) if equal && numbers == [0] && depth < MAX_DEPTH => {
                open.extend([(*right, depth + 1), (*left, depth + 1)]);
            }
            _ => {
                let Some((of, form)) = remainder_of(value) else { continue };
                let all: Option<Vec<Class>> = numbers.iter().map(|number| form.class(*number, equal)).collect();
                let joined = all.and_then(|all| all.into_iter().reduce(Class::join));
                let says_something = |class: &Class| class.natural || class.modulus > 1;
                let joined = joined.filter(|class| class.modulus <= MAX_MODULUS && says_something(class));
                result.extend(joined.map(|class| (of, class)));
            }
        }
    }
    result
}

/// How a remainder is computed.
enum Form {
    /// The bits below a power of two.
    Low(i128),
    /// Some bits of so many: those below a power of two, and others, as the sign.
    Masked(i128, u32),
    /// The bits below a power of two, moved to the top of so many bits.
    Shifted(i128),
    Unsigned(i128),
    Signed(i128),
}

impl Form {
    /// The class of the number where the result is, or is not, a constant.
    fn class(&self, result: i128, equal: bool) -> Option<Class> {
        let class = |modulus: i128, residue: i128| Class { modulus, residue, unsigned: false, natural: false };
        let known = match *self {
            Form::Low(modulus) => class(modulus, result.rem_euclid(modulus)),
            // `n % 8 == 5` of a number with sign becomes `(n & 0x80000007) == 5`.
            Form::Masked(mask, bits) if equal => {
                let modulus = 1 << mask.trailing_ones().min(62);
                let sign = 1 << (bits - 1);
                let natural = mask & sign != 0 && result & sign == 0;
                Class { natural, ..class(modulus, result.rem_euclid(modulus)) }
            }
            Form::Shifted(modulus) if result == 0 => class(modulus, 0),
            Form::Unsigned(modulus) if (0..modulus).contains(&result) => {
                Class { unsigned: !is_power(modulus), ..class(modulus, result) }
            }
            // Other results than zero say which sign the value has.
            Form::Signed(modulus) if result.abs() < modulus => {
                Class { natural: result > 0, ..class(modulus, result.rem_euclid(modulus)) }
            }
            _ => return None,
        };
        match (equal, known.modulus, self) {
            (true, ..) => Some(known),
            // Not even is odd.
            (false, 2, Form::Low(_) | Form::Unsigned(_)) => Some(Class { residue: 1 - known.residue, ..known }),
            (false, 2, Form::Signed(_) | Form::Shifted(_)) if result == 0 => Some(Class { residue: 1, ..known }),
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
            let is_low = mask > 0 && mask < i128::from(i64::MAX) && is_power(mask + 1);
            let form =
                if is_low { Some(Form::Low(mask + 1)) } else { (bits <= 64).then_some(Form::Masked(mask, bits)) };
            form.map(|form| (*of, form))
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
    class: Class,
) -> Option<Remainder> {
    let scev = host.scev_at_scope(value, host.loop_of(block))?;
    let poly = reader.read_known(|reader| reader.poly(scev, ProgramPoint::Before, region));
    let poly = poly.filter(|poly| poly.is_affine() && poly.is_invariant() && poly.as_constant().is_none())?;
    Some(Remainder { poly, class })
}

/// The context with the remainders that hold in it. `limited` is what else is known where new code runs, and `checks` what the guard checks.
pub(super) fn add(
    context: &Set,
    remainders: &[Remainder],
    params: &Space,
    (limited, checks): (&Set, &[Check]),
    budget: &Budget,
) -> Result<Set, Reason> {
    let mut result = context.clone();
    let plain = Frame::new(params, "", Vec::new());
    for Remainder { poly, .. } in remainders.iter().filter(|remainder| remainder.class.natural) {
        let natural = Set::universe(plain.space().clone()).add_ineq(&plain.row(poly)?);
        result = result.intersect(&natural, budget).map_err(library_error)?;
    }
    let frame = Frame::new(params, "", vec![QUOTIENT]);
    for Remainder { poly, class } in remainders.iter().filter(|remainder| remainder.class.modulus > 1) {
        if class.unsigned {
            let minus = poly.scale(-1).and_then(|poly| poly.sub(&Poly::one())).ok_or(Reason::TooLarge)?;
            let negative = Set::universe(plain.space().clone()).add_ineq(&plain.row(&minus)?);
            if !never_runs(&result.intersect(&negative, budget).map_err(library_error)?, limited, checks, budget)? {
                continue;
            }
        }
        let quotient = Poly::symbol(QUOTIENT).scale(class.modulus);
        let rest = Poly::constant(class.residue).and_then(|residue| poly.sub(&residue));
        let difference = rest.zip(quotient).and_then(|(rest, quotient)| rest.sub(&quotient)).ok_or(Reason::TooLarge)?;
        let known = Set::universe(frame.space().clone()).add_eq(&frame.row(&difference)?);
        let known = known.project_out(DimKind::Out, 0, 1, budget).map_err(library_error)?;
        result = result.intersect(&known, budget).map_err(library_error)?;
    }
    Ok(result)
}

/// Whether new code runs for none of some parameters: the guard checks something about parameters that is wrong for all of them.
fn never_runs(some: &Set, limited: &Set, checks: &[Check], budget: &Budget) -> Result<bool, Reason> {
    let mut left = some.intersect(limited, budget).map_err(library_error)?;
    for check in checks.iter().filter(|check| check.loops.is_empty() && check.assumption.poly.is_affine()) {
        let frame = Frame::of_loops(limited.space(), "", &check.loops);
        let wrong = violations(&check.assumption, &check.domain, &frame, budget)?;
        left = left.subtract(&wrong, budget).map_err(library_error)?;
    }
    left.is_empty(budget).map_err(library_error)
}
