//! Array shapes from strides.
//!
//! All a compiler keeps of `A[i][j]` is `base + 8*n*i + 8*j`. The strides of the induction variables tell the shape:
//! for one array, the parametric factors `n*m`, `m` that multiply induction variables, sorted by degree, form a chain
//! in which each divides the one before; the quotients are the sizes of the inner dimensions, and the cofactors are
//! the subscripts. Constant strides (`8000*i + 8*j`) are treated the same way after them.
//!
//! Where rows are longer than a parameter says (`A[n + 2][m + 2]`: a grid with a border), an induction variable is multiplied by a sum,
//! `8*m*i + 16*i + 8*j`. The sums form a chain of their own ([`Rows::Sums`]), and polynomial division makes the subscripts. A diagonal of a square
//! array looks the same (`A[i][i + j]` is `8*(n + 1)*i + 8*j`): which of both shapes is right is for the caller to see, from the iterations.
//!
//! What is left at the end may go in steps of some elements: records of so many (`re` and `im` of complex numbers), whose fields are a last dimension.
//!
//! The recovered shape is an assumption, not a fact: that every inner subscript lies inside its dimension is checked at
//! run time (or discharged at compile time) for all iterations. Under it, two accesses touch the same byte exactly if
//! their subscripts are equal, because the mixed-radix representation is unique. Types in address computations are
//! never consulted. Compare "Optimistic Delinearization of Parametrically Sized Arrays" (Grosser et al., ICS 2015).

use crate::formula::poly::{Monomial, Poly, Sym, gcd};
use crate::reasons::Reason;
use std::collections::BTreeMap;

/// Strides of more elements are rows.
const LARGEST_RECORD: i128 = 64;

/// The shape of one array: the element size and the sizes of its inner dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bytes per element.
    pub unit: i128,
    /// Sizes of all dimensions but the outermost, in elements.
    pub sizes: Vec<Poly>,
}

/// One access as shape recovery sees it.
#[derive(Clone, Debug)]
pub struct ByteAccess<'p> {
    /// Distance from the base in bytes.
    pub offset: &'p Poly,
    /// Bytes touched.
    pub bytes: i128,
}

fn params_of(monomial: &Monomial) -> (Monomial, Monomial) {
    monomial.iter().partition(|symbol| matches!(symbol, Sym::Param(_)))
}

/// `a / b` as multisets; `None` if `b` is not contained in `a`.
fn cofactor(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let mut rest = a.clone();
    for symbol in b {
        let position = rest.iter().position(|other| other == symbol)?;
        rest.remove(position);
    }
    Some(rest)
}

/// What a row's length may be made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Products of parameters.
    Products,
    /// Sums of such products, as they multiply induction variables.
    Sums,
}

/// How many elements a step of a subscript is: a factor times a polynomial of parameters without a common factor.
struct Stride {
    factor: i128,
    params: Poly,
}

/// Recovers the shape that all accesses to one array have in common.
///
/// Fails with [`Reason::Access`] if the strides form no chain, or if a subscript is not affine in it. [`Rows::Sums`] fails also where no
/// sum of parameters multiplies an induction variable: the shape is that of [`Rows::Products`] then.
pub fn recover(accesses: &[ByteAccess<'_>], rows: Rows, array: &str) -> Result<(Shape, Vec<Vec<Poly>>), Reason> {
    let reject = || Reason::Access { array: array.to_owned() };
    let mut unit = 0;
    for access in accesses {
        unit = gcd(unit, access.bytes);
        for (_, coefficient) in access.offset.terms() {
            unit = gcd(unit, coefficient);
        }
    }
    if unit == 0 {
        return Err(reject());
    }
    let scaled: Vec<Poly> = accesses.iter().map(|access| access.offset.divide_exact(unit)).collect();

    let mut strides = match rows {
        Rows::Products => products(&scaled),
        Rows::Sums => sums(&scaled),
    }
    .ok_or_else(reject)?;
    let mut split: Vec<Vec<Poly>> =
        scaled.iter().map(|poly| split_parametric(poly, &strides)).collect::<Option<_>>().ok_or_else(reject)?;
    let inner: Vec<Poly> = split.iter().map(|dims| dims[dims.len() - 1].clone()).collect();
    // A loop over blocks of a row goes in steps that rows are no multiples of.
    let divides_rows = |step: &i128| strides.last().is_none_or(|row| row.factor % step == 0);
    let constants: Vec<i128> = constant_strides(&inner).into_iter().filter(divides_rows).collect();
    let record = record(inner.iter().zip(accesses.iter().map(|access| access.bytes / unit))).filter(divides_rows);
    for dims in &mut split {
        let last = dims.pop().ok_or_else(reject)?;
        dims.extend(split_constant(&last, &constants).ok_or(Reason::TooLarge)?);
        if let Some(size) = record {
            let last = dims.pop().ok_or_else(reject)?;
            let field = Poly::constant(last.constant_term().rem_euclid(size));
            let number = field.as_ref().and_then(|field| last.sub(field)).ok_or(Reason::TooLarge)?;
            dims.extend([number.divide_exact(size)].into_iter().chain(field));
        }
    }
    let constants = constants.into_iter().chain(record);
    strides.extend(constants.map(|factor| Stride { factor, params: Poly::one() }));
    if split.iter().flatten().any(|subscript| !subscript.is_affine()) {
        return Err(reject());
    }

    strides.push(Stride { factor: 1, params: Poly::one() });
    let sizes = strides.windows(2).map(|pair| {
        let rest = quotient(&pair[0].params, &pair[1].params).ok_or_else(reject)?;
        if pair[0].factor % pair[1].factor != 0 {
            return Err(reject());
        }
        rest.scale(pair[0].factor / pair[1].factor).ok_or(Reason::TooLarge)
    });
    let sizes = sizes.collect::<Result<Vec<Poly>, _>>()?;
    for dims in &mut split {
        count_from_the_start(dims, &sizes).ok_or(Reason::TooLarge)?;
    }
    Ok((Shape { unit, sizes }, split))
}

/// Loops that run backwards through rows of `n` leave `n*n - n*i - j - 1`, which is `(n - i)*n + (-j - 1)` as well as
/// `(n - 1 - i)*n + (n - 1 - j)`. Where an inner subscript cannot but be negative, it is meant to be that of the row before. (Where a row is a
/// product of parameters, as in `a[i][n * m - j]`, the subscript would not be affine any more, and stays.)
fn count_from_the_start(dims: &mut [Poly], sizes: &[Poly]) -> Option<()> {
    for (position, size) in sizes.iter().enumerate().rev() {
        let subscript = &dims[position + 1];
        let falls = subscript.terms().all(|(_, coefficient)| coefficient < 0);
        if falls && subscript.constant_term() < 0 && size.is_affine() {
            dims[position + 1] = subscript.add(size)?;
            dims[position] = dims[position].sub(&Poly::one())?;
        }
    }
    Some(())
}

/// `a / b`; `None` if a remainder is left.
fn quotient(a: &Poly, b: &Poly) -> Option<Poly> {
    let (quotient, rest) = divide(a, 1, b, |_| true)?;
    (rest == Poly::zero()).then_some(quotient)
}

/// The quotient of a polynomial and a factor times a polynomial of parameters, made of terms that are wanted, and the remainder. `None` if
/// numbers get too large.
fn divide(poly: &Poly, factor: i128, divisor: &Poly, wanted: impl Fn(&Monomial) -> bool) -> Option<(Poly, Poly)> {
    let (lead, of_lead) = leading(divisor)?;
    let (mut quotient, mut rest) = (Poly::zero(), poly.clone());
    loop {
        let terms = rest.terms().filter_map(|(monomial, coefficient)| {
            let step = factor.checked_mul(of_lead)?;
            let other = cofactor(monomial, &lead).filter(&wanted)?;
            (coefficient % step == 0).then_some((monomial, other, coefficient / step))
        });
        let Some((_, other, coefficient)) = terms.max_by_key(|(monomial, ..)| (monomial.len(), *monomial)) else {
            return Some((quotient, rest));
        };
        // Every round takes the greatest term away and adds smaller ones only.
        let term = Poly::term(other, coefficient)?;
        rest = rest.sub(&term.mul(divisor)?.scale(factor)?)?;
        quotient = quotient.add(&term)?;
    }
}

/// The greatest term: that of most factors, and of those the last in order (graded reverse lexicographic order, which products keep).
fn leading(poly: &Poly) -> Option<(Monomial, i128)> {
    let greatest = poly.terms().max_by_key(|(monomial, _)| (monomial.len(), *monomial));
    greatest.map(|(monomial, coefficient)| (monomial.clone(), coefficient))
}

/// The parameter products that multiply induction variables, as a chain. `None` if they form none.
fn products(scaled: &[Poly]) -> Option<Vec<Stride>> {
    let mut strides: Vec<Stride> = Vec::new();
    for (monomial, _) in scaled.iter().flat_map(Poly::terms) {
        let (params, ivs) = params_of(monomial);
        let params = Poly::term(params, 1)?;
        if !ivs.is_empty() && params != Poly::one() && !strides.iter().any(|other| other.params == params) {
            strides.push(Stride { factor: 0, params });
        }
    }
    for stride in &mut strides {
        for (monomial, coefficient) in scaled.iter().flat_map(Poly::terms) {
            if Poly::term(params_of(monomial).0, 1)? == stride.params {
                stride.factor = gcd(stride.factor, coefficient);
            }
        }
    }
    chain(strides)
}

/// The sums of parameter products that multiply induction variables, as a chain. `None` if they form none, or if there are none but products.
fn sums(scaled: &[Poly]) -> Option<Vec<Stride>> {
    let mut strides: Vec<Stride> = Vec::new();
    for poly in scaled {
        let mut steps: BTreeMap<Monomial, Poly> = BTreeMap::new();
        for (monomial, coefficient) in poly.terms() {
            let (params, ivs) = params_of(monomial);
            let step = steps.entry(ivs).or_default();
            *step = step.add(&Poly::term(params, coefficient)?)?;
        }
        for (ivs, step) in steps {
            match ivs.len() {
                0 => continue,
                1 => {}
                _ => return None,
            }
            if step.as_constant().is_some() {
                continue;
            }
            let (content, (_, lead)) = (step.content(), leading(&step)?);
            let params = step.divide_exact(content * lead.signum());
            match strides.iter_mut().find(|other| other.params == params) {
                Some(known) => known.factor = gcd(known.factor, content),
                None => strides.push(Stride { factor: content, params }),
            }
        }
    }
    if strides.iter().all(|stride| stride.params.terms().count() == 1) {
        return None;
    }
    chain(strides)
}

/// The strides from the largest to the smallest, if each is a multiple of the next.
fn chain(mut strides: Vec<Stride>) -> Option<Vec<Stride>> {
    let degree =
        |stride: &Stride| leading(&stride.params).map(|(monomial, _)| (std::cmp::Reverse(monomial.len()), monomial));
    strides.sort_by_cached_key(degree);
    for pair in strides.windows(2) {
        quotient(&pair[0].params, &pair[1].params)?;
    }
    // A factor must be a multiple of the next one's, or the chain breaks: give up the common factors then.
    let chained = strides.windows(2).all(|pair| pair[1].factor != 0 && pair[0].factor % pair[1].factor == 0);
    if !chained {
        for stride in &mut strides {
            stride.factor = 1;
        }
    }
    Some(strides)
}

/// The subscripts of one access: one per stride and a last one for what is left.
fn split_parametric(poly: &Poly, strides: &[Stride]) -> Option<Vec<Poly>> {
    let mut rest = poly.clone();
    let mut subscripts = Vec::new();
    for Stride { factor, params } in strides {
        // Only an affine cofactor makes a subscript.
        let subscript;
        (subscript, rest) = divide(&rest, *factor, params, |cofactor| cofactor.len() <= 1)?;
        subscripts.push(subscript);
    }
    subscripts.push(rest);
    Some(subscripts)
}

/// The constant strides of the innermost part, largest first, each a multiple of the next, without the smallest.
fn constant_strides(inner: &[Poly]) -> Vec<i128> {
    let mut strides: Vec<i128> = inner
        .iter()
        .flat_map(Poly::terms)
        .filter(|(monomial, _)| matches!(monomial.as_slice(), [Sym::Iv(_)]))
        .map(|(_, coefficient)| coefficient.abs())
        .collect();
    strides.sort_unstable_by(|a, b| b.cmp(a));
    strides.dedup();
    let smallest = strides.pop();
    // A loop that goes along a diagonal moves by a row and a little more: that is no row length of its own.
    let is_diagonal = |stride: i128| {
        let rows = strides.iter().filter(|row| **row >= 8 && **row < stride);
        rows.map(|row| (stride % row, row)).any(|(rest, row)| rest != 0 && rest * 8 <= *row)
    };
    // A stride counts as a dimension only if it is clearly larger than what it must contain.
    let mut chain: Vec<i128> = Vec::new();
    for &stride in strides.iter().filter(|stride| !is_diagonal(**stride)) {
        let divides = smallest.is_some_and(|s| stride % s == 0) && chain.last().is_none_or(|last| last % stride == 0);
        if divides && stride >= 8 {
            chain.push(stride);
        }
    }
    chain
}

/// How many elements a record has, if that is what induction variables go along: their strides are its multiples, and each access (an offset
/// and so many elements) lies in one.
fn record<'p>(accesses: impl Iterator<Item = (&'p Poly, i128)> + Clone) -> Option<i128> {
    let is_counter = |monomial: &Monomial| matches!(monomial.as_slice(), [Sym::Iv(_)]);
    let mut size = 0;
    for (monomial, stride) in accesses.clone().flat_map(|(poly, _)| poly.terms()) {
        if is_counter(monomial) {
            size = gcd(size, stride);
        } else if !monomial.is_empty() {
            return None;
        }
    }
    let lies_in_one = |(poly, count): (&Poly, i128)| poly.constant_term().rem_euclid(size) + count <= size;
    ((2..=LARGEST_RECORD).contains(&size) && { accesses }.all(lies_in_one)).then_some(size)
}

fn split_constant(poly: &Poly, strides: &[i128]) -> Option<Vec<Poly>> {
    let mut rest = poly.clone();
    let mut subscripts = Vec::new();
    for stride in strides {
        let mut subscript = Poly::zero();
        for (monomial, _) in poly.terms() {
            let part = match monomial.as_slice() {
                // Offsets like -n + 1 belong to the previous row: round to the nearest multiple.
                [] => {
                    let constant = rest.constant_term();
                    (constant + stride / 2).div_euclid(*stride)
                }
                // Loops that run backwards from a parameter on have it here, too: `40*n - 40*i + j`.
                [symbol] => rest.coefficient(*symbol) / stride,
                _ => 0,
            };
            subscript = subscript.add(&Poly::term(monomial.clone(), part)?)?;
        }
        rest = rest.sub(&subscript.scale(*stride)?)?;
        subscripts.push(subscript);
    }
    subscripts.push(rest);
    Some(subscripts)
}
