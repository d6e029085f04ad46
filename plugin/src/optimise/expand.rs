//! Scalars with a private copy for each point of a tile, in the model.
//!
//! The expansion is part of the model: statements get the numbers of the tiles as further dimensions, and the copy that an
//! instance uses is the subscript `[i - 8 ti][j - 256 tj]`. So the copies that different tiles share are dependences like all
//! others, and the check of the final schedule covers them. Which scalars may and should have copies is the subject of
//! [`tessera_polyhedral::strategy::expandable`].

use super::loops::Numbering;
use crate::formula::condition::{Constraint, Dnf};
use crate::formula::poly::{Poly, Sym};
use crate::host::TypeKind;
use crate::model::scop::{Scop, Storage};
use crate::model::sets::{Frame, library_error};
use crate::reasons::Reason;
use tessera_polyhedral::space::DimKind;
use tessera_polyhedral::strategy::{Copies, Expandable};

/// The most bytes that the copies of one nest may take. They are in a buffer of `malloc` (`emit::copies`), never in the frame.
const MOST_BYTES: i128 = 32 << 10;

/// The model with copies of scalars in these nests, so many along the two innermost loops, or as many as are jammed; nothing if there is
/// no nest in which they have room.
pub fn expand(
    scop: &Scop,
    numbering: &Numbering,
    found: &[&Expandable],
    shape: [i64; 2],
) -> Result<Option<(Scop, Vec<Copies>)>, Reason> {
    let mut expanded = scop.clone();
    let mut copies = Vec::new();
    for nest in found {
        copies.extend(apply(&mut expanded, numbering, nest, shape, scop.next_loop() + 2 * copies.len())?);
    }
    Ok((!copies.is_empty()).then_some((expanded, copies)))
}

/// Changes the model: dimensions for the tiles, and subscripts for the copies. The new loops are numbered from `first`.
/// Nothing, and no change, if the copies would take too much room.
fn apply(
    scop: &mut Scop,
    numbering: &Numbering,
    found: &Expandable,
    shape: [i64; 2],
    first: usize,
) -> Result<Option<Copies>, Reason> {
    let line = [match found.jam {
        Some(jam) => jam.factor,
        None => shape[0].checked_mul(shape[1]).ok_or(Reason::TooLarge)?,
    }];
    let sizes: &[i64] = if found.tail.len() == 1 { &line } else { &shape };
    let copies = sizes.iter().try_fold(1i64, |product, size| product.checked_mul(*size)).ok_or(Reason::TooLarge)?;
    let bytes: i128 = found.scalars.iter().map(|cell| scop.arrays[*cell].unit * i128::from(copies)).sum();
    let plain = found.scalars.iter().all(|cell| match scop.arrays[*cell].storage {
        Storage::Scalar(_, ty) => {
            !matches!(ty.kind(), TypeKind::Vector | TypeKind::Array | TypeKind::Struct | TypeKind::Other)
        }
        Storage::Memory(_) | Storage::Rows(_) | Storage::Buffer(_) => false,
    });
    if bytes > MOST_BYTES || !plain {
        return Ok(None);
    }
    let tiles: Vec<usize> = (first..first + sizes.len()).collect();
    // i - size * tile, for each tiled loop.
    let mut inside = Vec::new();
    for ((index, tile), size) in numbering.of_region(&found.tail).iter().zip(&tiles).zip(sizes) {
        let start = Poly::symbol(Sym::Iv(*tile)).scale(i128::from(*size));
        let place = start.and_then(|start| Poly::symbol(Sym::Iv(*index)).sub(&start));
        inside.push(place.ok_or(Reason::TooLarge)?);
    }
    let mut in_tile = Dnf::always();
    for (place, size) in inside.iter().zip(sizes) {
        let last = Poly::constant(i128::from(size - 1)).and_then(|last| last.sub(place)).ok_or(Reason::TooLarge)?;
        in_tile = in_tile.and(&Dnf::constraint(Constraint::NonNegative(place.clone())))?;
        in_tile = in_tile.and(&Dnf::constraint(Constraint::NonNegative(last)))?;
    }
    let params = scop.context.space().params_space();
    for s in &found.statements {
        let statement = &mut scop.statements[*s];
        let depth = statement.loops.len();
        statement.loops.extend(&tiles);
        statement.condition = statement.condition.and(&in_tile)?;
        let frame = Frame::of_loops(&params, &statement.name, &statement.loops);
        let mut domain = statement.domain.insert_dims(DimKind::Out, depth, tiles.len()).map_err(library_error)?;
        for constraint in in_tile.disjuncts().iter().flatten() {
            domain = domain.add_ineq(&frame.row(constraint.poly())?);
        }
        statement.domain = domain;
        for access in statement.accesses.iter_mut().filter(|access| found.scalars.contains(&access.array)) {
            let unit = scop.arrays[access.array].unit;
            let mut position = Poly::zero();
            for (place, size) in inside.iter().zip(sizes) {
                position = position.scale(i128::from(*size)).and_then(|p| p.add(place)).ok_or(Reason::TooLarge)?;
            }
            access.offset = position.scale(unit).ok_or(Reason::TooLarge)?;
            access.subscripts = inside.clone();
        }
    }
    for cell in &found.scalars {
        scop.arrays[*cell].copies = copies.unsigned_abs();
        scop.arrays[*cell].is_jammed = found.jam.is_some();
    }
    let (chain, tail, sizes) = (found.chain.clone(), found.tail.clone(), sizes.to_vec());
    Ok(Some(Copies { chain, tail, sizes, jam: found.jam }))
}
