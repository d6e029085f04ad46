//! Scalar evolution to polynomials: the reading side of detection.
//!
//! Scalar evolution speaks machine arithmetic modulo 2^w. A [`Poly`] speaks integers. They agree for addresses
//! whatever happens (addition and multiplication commute with the remainder modulo 2^64), so assumptions arise only
//! where a value is *looked at as an integer*: in a sign or zero extension, a comparison, a minimum or maximum, a
//! division, and a trip count. Each such place records an [`Assumption`]: "for every execution of this place the
//! integer value lies in this interval". Assumptions that cannot be discharged at compile time become part of the
//! run-time guard (`emit`); if one fails there, the original loop runs.
//!
//! By induction over the execution order of the modelled program, if all assumptions hold over the *modelled*
//! domains then the modelled domains are the executed ones: the first deviation would have to be a violated assumption.

mod agree;
mod assume;
mod cases;
mod comparisons;
mod conditions;
mod distance;
mod division;
mod invariant;
mod null;
mod overflow;
mod params;
mod phases;
mod recurrence_values;
mod row_addresses;
mod surroundings;
mod switches;

use distance::{has_address, is_address};
pub use invariant::InvariantLoad;
pub use params::names;
pub use row_addresses::{Address, Entry, RowAssumption};
pub use surroundings::Surroundings;

use crate::detect::first_iteration::IterationPhase;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Analyses, CheckedArithmetic, Opcode, Scev, ScevKind, Value};
use crate::reasons::Reason;
use std::collections::HashSet;

/// Where a parameter's value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamSource {
    /// An IR value that is defined before the region.
    Value(Value),
    /// A scalar-evolution expression over such values, to be computed before the region.
    Expression(Scev),
}

/// A value that does not change inside the region, seen as a signed integer of its width.
#[derive(Clone, Debug)]
pub struct Param {
    /// Where the value comes from.
    pub source: ParamSource,
    /// Width in bits.
    pub bits: u32,
    /// The name shown to users.
    pub name: String,
    /// Smallest and largest signed value that the compiler already knows.
    pub range: (i128, i128),
    /// Whether the value is never undefined or poison in front of the region. Otherwise the range is what the value would have
    /// if the program looked at it, and one that it does not look at may be any.
    pub is_certain: bool,
}

impl Param {
    /// Smallest and largest signed value of the type.
    pub fn type_range(&self) -> (i128, i128) {
        signed_range(self.bits)
    }
}

/// No upper limit: larger than any value that the guard's arithmetic can take.
pub const UNLIMITED: i128 = i128::MAX;

/// A program point whose execution domain bounds an assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramPoint {
    /// Every execution of a block, by the region's block index.
    Block(usize),
    /// Every time a loop is entered, by the region's loop index.
    LoopEntry(usize),
    /// Every iteration of a loop but the last, by the region's loop index.
    Continues(usize),
    /// Once, before the region.
    Before,
}

/// "Whenever `place` executes, `low <= poly <= high`."
#[derive(Clone, Debug)]
pub struct Assumption {
    /// The value that is assumed to be in range.
    pub poly: Poly,
    /// Smallest allowed value.
    pub low: i128,
    /// Largest allowed value; [`UNLIMITED`] if there is none.
    pub high: i128,
    /// Where it must hold.
    pub place: ProgramPoint,
}

/// How much had been recorded at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    params: usize,
    assumptions: usize,
    row_assumptions: usize,
}

/// Reads scalar evolution expressions into polynomials, collecting parameters and assumptions.
pub struct Reader<'h, 'a> {
    host: &'h Analyses<'a>,
    /// The parameters met so far; their order is the order of first use.
    pub params: Vec<Param>,
    keys: Vec<Scev>,
    /// The assumptions recorded so far.
    pub assumptions: Vec<Assumption>,
    /// Those about numbers in tables of rows.
    pub row_assumptions: Vec<RowAssumption>,
    /// The loads that stand for values from before the region.
    pub invariants: Vec<InvariantLoad>,
    /// The tables from which rows are read that are not always the same: where they start, and how many entries lead there.
    pub tables: Vec<(Value, usize)>,
    /// Values of the region that are known not to be fixed. Only looked up.
    varying: HashSet<Value>,
    /// What the stores of the region compute their addresses from. Only looked up.
    stored: Option<HashSet<Value>>,
    steps: usize,
    /// PHIs whose edges are being compared, each for the sake of the one before.
    nesting: usize,
    /// The loops in whose first iteration, or in whose others, expressions are read.
    phases: Vec<(usize, IterationPhase)>,
    /// The loop of which it would have had to be known.
    undecided: Option<usize>,
    /// PHIs whose change from one iteration to the next is looked for.
    carried: Vec<Value>,
}

/// Expressions are read as trees although they are graphs; beyond this many nodes a region is refused.
const MAX_STEPS: usize = 100_000;

fn signed_range(bits: u32) -> (i128, i128) {
    (-(1i128 << (bits.clamp(1, 64) - 1)), (1i128 << (bits.clamp(1, 64) - 1)) - 1)
}

fn unsigned_range(bits: u32) -> (i128, i128) {
    (0, (1i128 << bits.min(64)) - 1)
}

impl<'h, 'a> Reader<'h, 'a> {
    /// A reader with no parameters yet.
    pub fn new(host: &'h Analyses<'a>) -> Self {
        Self {
            host,
            params: Vec::new(),
            keys: Vec::new(),
            assumptions: Vec::new(),
            row_assumptions: Vec::new(),
            invariants: Vec::new(),
            tables: Vec::new(),
            varying: HashSet::new(),
            stored: None,
            steps: 0,
            nesting: 0,
            phases: Vec::new(),
            undecided: None,
            carried: Vec::new(),
        }
    }

    /// The integer value of `scev` as a polynomial. Exact under the assumptions recorded, for the use that the
    /// caller makes of it: as a residue modulo 2^w without more, as an integer after [`Reader::assume_range`].
    pub fn poly(&mut self, scev: Scev, place: ProgramPoint, region: &impl Surroundings) -> Result<Poly, Reason> {
        let read = |reader: &mut Self| reader.poly_in_phase(scev, place, region);
        self.in_any_phase((place, region), read, |index, first, later| phases::united(index, &first, &later))
    }

    fn poly_in_phase(&mut self, scev: Scev, place: ProgramPoint, region: &impl Surroundings) -> Result<Poly, Reason> {
        let host = self.host;
        self.step()?;
        match scev.kind() {
            ScevKind::Constant => scev.constant().and_then(Poly::constant).ok_or(Reason::TooLarge),
            // The distance of two addresses is small, the addresses are not.
            ScevKind::Add if scev.operands().into_iter().any(has_address) => {
                let mark = self.mark();
                self.param(scev, region).or_else(|_| {
                    self.reset(mark);
                    self.sum_with_addresses(scev, place, region)
                })
            }
            ScevKind::Add => {
                let mut sum = Poly::zero();
                for operand in scev.operands() {
                    sum = sum.add(&self.poly(operand, place, region)?).ok_or(Reason::TooLarge)?;
                }
                Ok(sum)
            }
            ScevKind::Mul => {
                let mut product = Poly::one();
                for operand in scev.operands() {
                    product = product.mul(&self.poly(operand, place, region)?).ok_or(Reason::TooLarge)?;
                }
                Ok(product)
            }
            ScevKind::AddRec => {
                let handle = scev.recurrence_loop().ok_or(Reason::Scalar)?;
                let Some(index) = region.loop_index(handle) else {
                    return self.outer_recurrence(scev, handle, region);
                };
                let operands = scev.operands();
                let [start, step] = operands.as_slice() else { return Err(Reason::Scalar) };
                let start = self.poly(*start, place, region)?;
                let step = self.poly(*step, place, region)?;
                if !step.is_invariant() || !region.is_around(index, place) {
                    return Err(Reason::Scalar);
                }
                let moved = step.mul(&Poly::symbol(Sym::Iv(index))).ok_or(Reason::TooLarge)?;
                start.add(&moved).ok_or(Reason::TooLarge)
            }
            ScevKind::SignExtend => {
                let inner = self.inner(scev)?;
                let poly = self.poly(inner, place, region)?;
                self.assume_range(&poly, signed_range(host.scev_bits(inner)), place);
                Ok(poly)
            }
            ScevKind::ZeroExtend => {
                let inner = self.inner(scev)?;
                // A truth value counts 0 or 1, but read as a number of one bit it would be 0 or -1.
                if host.scev_bits(inner) == 1 && self.is_computable_before(inner, region) {
                    return self.param(scev, region);
                }
                let poly = self.poly(inner, place, region)?;
                self.assume_range(&poly, unsigned_range(host.scev_bits(inner)), place);
                Ok(poly)
            }
            // A truncation keeps the residue; whoever looks at it as an integer assumes the range.
            ScevKind::Truncate => {
                let inner = self.inner(scev)?;
                self.poly(inner, place, region)
            }
            ScevKind::UDiv => self.quotient(scev, place, region),
            _ => {
                if let Some(inner) = self.frozen(scev, region) {
                    self.poly(inner, place, region)
                } else if let Some(checked) = self.checked(scev, region) {
                    self.checked_result(checked, place, region)
                } else if let Some((known, index, outer)) = scev.unknown_value().and_then(|phi| region.recurrence(phi))
                {
                    self.recurrence(known, index, outer, place, region)
                } else if let Some((phi, index)) =
                    scev.unknown_value().and_then(|phi| Some((phi, region.is_carried(phi)?)))
                {
                    self.carried_value(phi, index, place, region)
                } else {
                    let agreed = scev.unknown_value().and_then(|value| self.agreed_value(value, place, region));
                    agreed.map_or_else(|| self.param(scev, region), Ok)
                }
            }
        }
    }

    /// What a `freeze` inside the region freezes. Its value is that of the operand, or any value if the operand is poison;
    /// the value that the polynomial gives (over parameters that are frozen themselves) is one of those.
    fn frozen(&self, scev: Scev, region: &impl Surroundings) -> Option<Scev> {
        let value = scev.unknown_value().filter(|value| value.is(Opcode::Freeze))?;
        value.parent().filter(|block| region.contains(*block))?;
        self.host.scev(*value.operands().first()?)
    }

    /// The checked arithmetic inside the region of which `scev` is the result.
    fn checked(&self, scev: Scev, region: &impl Surroundings) -> Option<CheckedArithmetic> {
        let value = scev.unknown_value()?;
        value.parent().filter(|block| region.contains(*block))?;
        value.checked_result()
    }

    fn step(&mut self) -> Result<(), Reason> {
        self.steps += 1;
        if self.steps > MAX_STEPS { Err(Reason::TooComplex) } else { Ok(()) }
    }

    fn inner(&self, scev: Scev) -> Result<Scev, Reason> {
        scev.operands().first().copied().ok_or(Reason::Scalar)
    }

    /// The signed integer value of `scev` (of its own width).
    pub fn signed(&mut self, scev: Scev, place: ProgramPoint, region: &impl Surroundings) -> Result<Poly, Reason> {
        let poly = self.poly(scev, place, region)?;
        self.assume_range(&poly, signed_range(self.host.scev_bits(scev)), place);
        Ok(poly)
    }

    /// The unsigned integer value of `scev` (of its own width).
    pub fn unsigned(&mut self, scev: Scev, place: ProgramPoint, region: &impl Surroundings) -> Result<Poly, Reason> {
        if let Some(constant) = self.unsigned_constant(scev) {
            return Poly::constant(constant).ok_or(Reason::TooLarge);
        }
        let poly = self.poly(scev, place, region)?;
        self.assume_range(&poly, unsigned_range(self.host.scev_bits(scev)), place);
        Ok(poly)
    }

    /// A constant read as a number without sign.
    fn unsigned_constant(&self, scev: Scev) -> Option<i128> {
        let (constant, bits) = (scev.constant()?, self.host.scev_bits(scev));
        (bits <= 64).then(|| constant.rem_euclid(1i128 << bits))
    }

    /// Records an assumption unless it holds for every value of the parameters' types.
    pub fn assume_range(&mut self, poly: &Poly, (low, high): (i128, i128), place: ProgramPoint) {
        if self.holds_by_type(poly, (low, high)) {
            return;
        }
        let assumption = Assumption { poly: poly.clone(), low, high, place };
        if !self
            .assumptions
            .iter()
            .any(|a| a.poly == assumption.poly && a.low == low && a.high == high && a.place == place)
        {
            self.assumptions.push(assumption);
        }
    }

    fn holds_by_type(&self, poly: &Poly, (low, high): (i128, i128)) -> bool {
        if !poly.is_affine() || !poly.is_invariant() {
            return false;
        }
        let bounds = self.bounds(poly);
        low <= bounds.0 && bounds.1 <= high
    }

    /// The present extent of the tables, for [`Reader::reset`].
    pub fn mark(&self) -> Mark {
        let (assumptions, row_assumptions) = (self.assumptions.len(), self.row_assumptions.len());
        Mark { params: self.params.len(), assumptions, row_assumptions }
    }

    /// Forgets everything added since `mark`.
    pub fn reset(&mut self, mark: Mark) {
        self.params.truncate(mark.params);
        self.keys.truncate(mark.params);
        self.assumptions.truncate(mark.assumptions);
        self.row_assumptions.truncate(mark.row_assumptions);
    }

    /// What is read, if that needs no parameter and no assumption that is not there yet.
    pub fn read_known<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Reason>) -> Option<T> {
        let mark = self.mark();
        let found = read(self).ok();
        if self.mark() == mark {
            return found;
        }
        self.reset(mark);
        None
    }
}

/// Whether a counter occurs that has no value at a place.
fn is_foreign(poly: &Poly, place: ProgramPoint, region: &impl Surroundings) -> bool {
    poly.symbols().any(|symbol| matches!(symbol, Sym::Iv(l) if !region.is_around(l, place)))
}

/// `wanted`, made an identifier of the set notation and different from all `taken` names.
pub fn unique_name<'n>(wanted: &str, taken: impl Iterator<Item = &'n str> + Clone) -> String {
    let mut clean: String =
        wanted.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if !clean.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        clean.insert(0, 'p');
    }
    let mut name = clean.clone();
    let mut number = 1;
    while taken.clone().any(|other| other == name) {
        name = format!("{clean}_{number}");
        number += 1;
    }
    name
}
