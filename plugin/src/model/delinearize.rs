//! Array shapes from strides.
//!
//! All a compiler keeps of `A[i][j]` is `base + 8*n*i + 8*j`. The strides of the induction variables tell the shape:
//! for one array, the parametric factors `n*m`, `m` that multiply induction variables, sorted by degree, form a chain
//! in which each divides the one before; the quotients are the sizes of the inner dimensions, and the cofactors are
//! the subscripts. Constant strides (`8000*i + 8*j`) are treated the same way after them.
//!
//! The recovered shape is an assumption, not a fact: that every inner subscript lies inside its dimension is checked at
//! run time (or discharged at compile time) for all iterations. Under it, two accesses touch the same byte exactly if
//! their subscripts are equal, because the mixed-radix representation is unique. Types in address computations are
//! never consulted. Compare "Optimistic Delinearization of Parametrically Sized Arrays" (Grosser et al., ICS 2015).

use crate::formula::poly::{Monomial, Poly, Sym, gcd};
use crate::reasons::Reason;

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
fn quotient(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let mut rest = a.clone();
    for symbol in b {
        let position = rest.iter().position(|other| other == symbol)?;
        rest.remove(position);
    }
    Some(rest)
}

/// Recovers the shape that all accesses to one array have in common.
///
/// Fails with [`Reason::Access`] if the strides form no chain, or if a subscript is not affine in it.
pub fn recover(accesses: &[ByteAccess<'_>], array: &str) -> Result<(Shape, Vec<Vec<Poly>>), Reason> {
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
    let scaled: Vec<Poly> = accesses
        .iter()
        .map(|access| {
            let mut result = Poly::zero();
            for (monomial, coefficient) in access.offset.terms() {
                result = result.add(&Poly::term(monomial.clone(), coefficient / unit)?)?;
            }
            Some(result)
        })
        .collect::<Option<_>>()
        .ok_or(Reason::TooLarge)?;

    let mut strides = parametric_strides(&scaled).ok_or_else(reject)?;
    let mut split: Vec<Vec<Poly>> =
        scaled.iter().map(|poly| split_parametric(poly, &mut strides)).collect::<Option<_>>().ok_or_else(reject)?;
    let inner: Vec<Poly> = split.iter().map(|dims| dims[dims.len() - 1].clone()).collect();
    let constants = constant_strides(&inner);
    for dims in &mut split {
        let last = dims.pop().ok_or_else(reject)?;
        dims.extend(split_constant(&last, &constants).ok_or(Reason::TooLarge)?);
    }
    strides.extend(constants.iter().map(|stride| (*stride, Monomial::new())));
    if split.iter().flatten().any(|subscript| !subscript.is_affine()) {
        return Err(reject());
    }

    let mut sizes = Vec::new();
    for (position, (factor, params)) in strides.iter().enumerate() {
        let (next_factor, next_params) = strides.get(position + 1).cloned().unwrap_or((1, Monomial::new()));
        let rest = quotient(params, &next_params).ok_or_else(reject)?;
        if factor % next_factor != 0 {
            return Err(reject());
        }
        sizes.push(Poly::term(rest, factor / next_factor).ok_or(Reason::TooLarge)?);
    }
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

/// The parameter products that multiply induction variables, largest degree first, with the common factor of their
/// coefficients. `None` if they form no chain.
fn parametric_strides(scaled: &[Poly]) -> Option<Vec<(i128, Monomial)>> {
    let mut strides: Vec<(i128, Monomial)> = Vec::new();
    for (monomial, _) in scaled.iter().flat_map(Poly::terms) {
        let (params, ivs) = params_of(monomial);
        if !ivs.is_empty() && !params.is_empty() && !strides.iter().any(|(_, other)| *other == params) {
            strides.push((0, params));
        }
    }
    strides.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.1.cmp(&b.1)));
    for pair in strides.windows(2) {
        quotient(&pair[0].1, &pair[1].1)?;
    }
    for (factor, stride) in &mut strides {
        for (monomial, coefficient) in scaled.iter().flat_map(Poly::terms) {
            if params_of(monomial).0 == *stride {
                *factor = gcd(*factor, coefficient);
            }
        }
    }
    // A factor must be a multiple of the next one's, or the chain breaks: give up the common factors then.
    let chained = strides.windows(2).all(|pair| pair[1].0 != 0 && pair[0].0 % pair[1].0 == 0);
    if !chained {
        for (factor, _) in &mut strides {
            *factor = 1;
        }
    }
    Some(strides)
}

/// The subscripts of one access: one per stride and a last one for what is left.
fn split_parametric(poly: &Poly, strides: &mut [(i128, Monomial)]) -> Option<Vec<Poly>> {
    let mut subscripts = vec![Poly::zero(); strides.len() + 1];
    for (monomial, coefficient) in poly.terms() {
        let (params, ivs) = params_of(monomial);
        let place = strides.iter().enumerate().find_map(|(position, (factor, stride))| {
            let rest = quotient(&params, stride)?;
            // Only an affine cofactor makes a subscript.
            (rest.len() + ivs.len() <= 1 && coefficient % factor == 0).then_some((position, *factor, rest))
        });
        let (position, factor, rest) = place.unwrap_or((strides.len(), 1, params));
        let term = Poly::term([rest, ivs].concat(), coefficient / factor)?;
        subscripts[position] = subscripts[position].add(&term)?;
    }
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
                [Sym::Iv(_)] => rest.coefficient(monomial[0]) / stride,
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
