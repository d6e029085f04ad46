//! What an estimate needs of a SCoP whatever its order is: domains and accesses with numbers for all parameters.

use crate::affine::{Aff, PwMultiAff};
use crate::arith::{Int, Rational};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::flow::AccessKind;
use crate::scop::{Access, Array, Scop, Storage};
use crate::space::DimKind;

use super::linear::primitive;
use super::sizes::Values;
use super::system::{Interval, System, float, of_set};

/// The distance in bytes of rows that lie anywhere. No power of two: they do not compete for places in a cache.
const ROW_SOMEWHERE: f64 = 4_264_000.0;

/// A linear function of the dimensions of a statement, up to an error: what divisions round off.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    pub(super) coefficients: Vec<f64>,
    pub(super) constant: f64,
    pub(super) rounding: Interval,
}

/// An access to memory.
#[derive(Clone, Debug)]
pub(super) struct AccessFacts {
    /// The number of the access in its statement.
    pub(super) access: usize,
    pub(super) array: usize,
    pub(super) writes: bool,
    pub(super) subscripts: Vec<Linear>,
    /// The distance in bytes of neighbours in every subscript.
    pub(super) strides: Vec<f64>,
    /// The size of an element in bytes.
    pub(super) unit: f64,
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) struct StatementFacts {
    pub(super) dims: usize,
    pub(super) domain: Vec<System>,
    /// The accesses to memory; those to scalars are registers.
    pub(super) places: Vec<AccessFacts>,
    /// The widest lane that it computes with or accesses, in bits; nothing where something is no lane.
    pub(super) widest: Option<u32>,
}

impl StatementFacts {
    pub(super) fn new(scop: &Scop, statement: usize, values: &Values, budget: &Budget) -> Result<StatementFacts> {
        let own = &scop.statements[statement];
        let mut places = Vec::new();
        for (number, access) in own.accesses.iter().enumerate() {
            let array = scop.array_of(access).filter(|array| scop.arrays[*array].storage != Storage::Scalar);
            if let Some(array) = array {
                places.push(place(access, number, array, &scop.arrays[array], values, budget)?);
            }
        }
        let of_arrays = own.accesses.iter().filter_map(|access| Some(scop.arrays[scop.array_of(access)?].element));
        let of_operations = own.operations.iter().map(|operation| operation.element);
        let widest = of_arrays.chain(of_operations).try_fold(8, |widest, element| {
            (element.lanes == 1 && element.bits <= 64).then(|| element.bits.next_power_of_two().max(widest))
        });
        let dims = own.domain.space().dim(DimKind::Out);
        Ok(StatementFacts { dims, domain: of_set(&own.domain, values), places, widest })
    }
}

fn place(
    access: &Access,
    number: usize,
    array: usize,
    shape: &Array,
    values: &Values,
    budget: &Budget,
) -> Result<AccessFacts> {
    let n = access.relation.space().range_tuple().len();
    let subscripts = match PwMultiAff::from_map(&access.relation, budget) {
        Ok(function) => function.pieces().first().map(|(_, functions)| {
            functions.affs().iter().map(|subscript| linear(subscript, values)).collect::<Vec<Linear>>()
        }),
        Err(Error::Exhausted(exhausted)) => return Err(exhausted.into()),
        // Several elements at once: what a single one costs.
        Err(_) => None,
    };
    let unknown = Linear { coefficients: Vec::new(), constant: 0.0, rounding: Interval::point(0.0) };
    Ok(AccessFacts {
        access: number,
        array,
        writes: access.kind != AccessKind::Read,
        subscripts: subscripts.unwrap_or_else(|| vec![unknown; n]),
        strides: strides(shape, n, values, budget)?,
        unit: shape.unit.max(1) as f64,
    })
}

/// The distances of neighbours in every subscript.
fn strides(array: &Array, n: usize, values: &Values, budget: &Budget) -> Result<Vec<f64>> {
    let levels = if let Storage::Rows(levels) = array.storage { levels.min(n) } else { 0 };
    let mut strides = vec![ROW_SOMEWHERE; n];
    let mut stride = array.unit.max(1) as f64;
    for k in (levels..n).rev() {
        strides[k] = stride;
        let size = (k > levels).then(|| array.sizes.get(k - levels - 1)).flatten();
        stride *= match size.and_then(|size| size.members().first()) {
            Some(size) => {
                let names = size.space().param_names();
                let point: Vec<Int> = names.iter().map(|name| Int::new(values.get(name) as i64)).collect();
                match point.len() + 1 == size.space().n_col() {
                    true => rational(&size.eval(&point, budget)?).max(1.0),
                    false => ROW_SOMEWHERE,
                }
            }
            None => ROW_SOMEWHERE,
        };
    }
    Ok(strides)
}

fn rational(value: &Rational) -> f64 {
    float(value.numerator()) / float(value.denominator())
}

/// A quasi-affine expression with divisions taken for quotients.
pub(super) fn linear(aff: &Aff, values: &Values) -> Linear {
    let mut divisions: Vec<Linear> = Vec::with_capacity(aff.divs().len());
    for div in aff.divs() {
        let mut quotient = of_row(aff, &div.row, &div.den, &divisions, values);
        let remainder = 1.0 - 1.0 / float(&div.den);
        quotient.rounding = quotient.rounding.plus(Interval { low: -remainder, high: 0.0 });
        divisions.push(quotient);
    }
    of_row(aff, aff.row(), aff.denominator(), &divisions, values)
}

fn of_row(aff: &Aff, row: &[Int], den: &Int, divisions: &[Linear], values: &Values) -> Linear {
    let space = aff.space();
    let (params, dims) = (space.offset(DimKind::Param), space.offset(DimKind::Out));
    let n = space.dim(DimKind::Out);
    let scale = 1.0 / float(den);
    let mut result = Linear {
        coefficients: (0..n).map(|k| float(&row[dims + k]) * scale).collect(),
        constant: float(&row[0]) * scale,
        rounding: Interval::point(0.0),
    };
    for (k, name) in space.param_names().iter().enumerate().filter(|(k, _)| !row[params + k].is_zero()) {
        result.constant += float(&row[params + k]) * scale * values.get(name);
    }
    for (division, factor) in divisions.iter().zip(&row[space.n_col()..]).filter(|(_, factor)| !factor.is_zero()) {
        let factor = float(factor) * scale;
        for (own, other) in result.coefficients.iter_mut().zip(&division.coefficients) {
            *own += factor * other;
        }
        result.constant += factor * division.constant;
        result.rounding = result.rounding.plus(division.rounding.scaled(factor));
    }
    result
}

/// A member of a band as a direction and a step: its value changes whenever the direction's value has grown by that much.
#[derive(Clone, Debug)]
pub(super) struct Direction {
    /// Coefficients of the statement's dimensions, without common divisor.
    pub(super) form: Vec<f64>,
    pub(super) step: f64,
}

/// The direction of an expression: that of its plain part if it has one (`i - 32*floor(i/32)` runs along `i`), else that of its
/// divisions (`floor(i/32)` runs along `i` in steps of 32, `floor(i/32) + floor(j/32)` along `i + j`).
pub(super) fn direction(aff: &Aff, values: &Values) -> Direction {
    let space = aff.space();
    let dims = space.offset(DimKind::Out);
    let plain: Vec<f64> = (0..space.dim(DimKind::Out)).map(|k| float(&aff.row()[dims + k])).collect();
    if plain.iter().any(|a| *a != 0.0) || aff.divs().is_empty() {
        return Direction { form: primitive(&plain), step: 1.0 };
    }
    // The steps of nested divisions multiply.
    let mut steps: Vec<f64> = Vec::new();
    for div in aff.divs() {
        let inner = steps.iter().zip(&div.row[space.n_col()..]).filter(|(_, factor)| !factor.is_zero());
        steps.push(inner.map(|(step, _)| *step).fold(1.0, f64::max) * float(&div.den));
    }
    let used = steps.iter().zip(&aff.row()[space.n_col()..]).filter(|(_, factor)| !factor.is_zero());
    let step = used.map(|(step, _)| *step).fold(1.0, f64::max);
    let quotient = linear(aff, values);
    let smallest = quotient.coefficients.iter().filter(|a| **a != 0.0).fold(f64::INFINITY, |low, a| low.min(a.abs()));
    let scaled: Vec<f64> = quotient.coefficients.iter().map(|a| if *a == 0.0 { 0.0 } else { a / smallest }).collect();
    Direction { form: primitive(&scaled), step }
}
