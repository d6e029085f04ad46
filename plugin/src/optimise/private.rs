//! Arrays whose elements have places of their own for some iterations, in the model.
//!
//! The library says for every access which place it touches, as a function of the instance, and what is written back behind the iterations. Subscripts
//! of places that are dimensions of the instance stay that; others are further arguments of statements, which code generation computes as expressions of
//! the loops around ([`Places`]).
//!
//! ```text
//! row[p] in S(q, p), 16 iterations of q:     row_private[q mod 16][p]     S(q, p)  =>  S(q, p, q mod 16), which touches P + 8 (n a2 + p)
//!                                            row_out(t, p, q): row[p] = row_private[q mod 16][p]
//! ```
//!
//! Scalars between statements have such places as well, if nothing is written back.
//!
//! Nothing is decided here, as in [`super::placed`].

use super::Result;
use super::placed::{Places, at_place, element, instances, room};
use crate::formula::poly::{Poly, Sym};
use crate::model::scop::{Access, Pack, Scop};
use crate::model::sets::library_error;
use tessera_polyhedral::affine::{Aff, MultiPwAff, PwAff, PwMultiAff};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::error::Error;
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::relation::Map;
use tessera_polyhedral::space::DimKind;
use tessera_polyhedral::transform::{Buffer, Direction, Placement};

/// Adds a buffer with such places to the model. False, and the model is of no use, if it cannot say where its elements are, or if the buffer is filled
/// from the array.
pub(super) fn private(
    (new, places): (&mut Scop, &mut Places),
    placement: &Placement,
    buffer: &Buffer,
    budget: &Budget,
) -> Result<bool> {
    let found = element(new, placement, buffer);
    let Some((room, ty)) = room(new, placement, (buffer, None), budget)? else { return Ok(false) };
    for copy in placement.copies.iter().filter(|copy| copy.buffer() == buffer.name) {
        let (Direction::Out, Some(found)) = (copy.direction, &found) else { return Ok(false) };
        let n = copy.place.space().dim(DimKind::In);
        let mut dims: Vec<usize> = (0..n).collect();
        let (from, of_from) = subscripts(&copy.place, &mut dims, n, budget).map_err(library_error)?;
        let next = n + of_from.len();
        let (to, of_to) = subscripts(&copy.element, &mut dims, next, budget).map_err(library_error)?;
        places.add(&copy.statement, &[of_from, of_to].concat());
        let (from, to) = (at_place(&room, AccessKind::Read, from)?, found.access(AccessKind::MustWrite, to)?);
        new.packs.push(Pack { name: copy.statement.clone(), dims, from, to, ty, align: found.align });
    }
    let mut known: Vec<(usize, &Map, Vec<Poly>)> = Vec::new();
    for redirect in placement.redirects.iter().filter(|redirect| redirect.buffer() == buffer.name) {
        let Some((s, [domain, redirected])) = instances(new, redirect, budget)? else { return Ok(false) };
        if places.is_divided(&redirect.statement) || !domain.is_subset(&redirected, budget).map_err(library_error)? {
            return Ok(false);
        }
        let own = match known.iter().find(|(other, to, _)| *other == s && **to == redirect.to) {
            Some((.., own)) => own.clone(),
            None => {
                let next = new.next_loop();
                let statement = &mut new.statements[s];
                let (own, arguments) =
                    subscripts(&redirect.to, &mut statement.loops, next, budget).map_err(library_error)?;
                places.add(&statement.name, &arguments);
                known.push((s, &redirect.to, own.clone()));
                own
            }
        };
        let access = &mut new.statements[s].accesses[redirect.access];
        let own = at_place(&room, access.kind, own)?;
        *access = Access { instruction: access.instruction, location: access.location.clone(), ..own };
    }
    Ok(true)
}

/// What a relation leads to, over the symbols `dims` of an instance's dimensions. What is no dimension is a further argument, with a symbol from `next` on.
fn subscripts(
    relation: &Map,
    dims: &mut Vec<usize>,
    next: usize,
    budget: &Budget,
) -> std::result::Result<(Vec<Poly>, Vec<PwAff>), Error> {
    let function = MultiPwAff::from_pw_multi_aff(&PwMultiAff::from_map(relation, budget)?)?;
    let (mut subscripts, mut arguments) = (Vec::new(), Vec::new());
    for component in function.components() {
        let symbol = match dimension(component)? {
            Some(dim) => dims[dim],
            None => {
                arguments.push(component.clone());
                dims.push(next + arguments.len() - 1);
                next + arguments.len() - 1
            }
        };
        subscripts.push(Poly::symbol(Sym::Iv(symbol)));
    }
    Ok((subscripts, arguments))
}

/// The dimension that a function is.
fn dimension(function: &PwAff) -> std::result::Result<Option<usize>, Error> {
    let n = function.space().dim(DimKind::Out);
    let is = |own: &Aff, dim: usize| Ok::<_, Error>(*own == Aff::var(own.space().clone(), dim)?);
    for dim in 0..n {
        let mut all = !function.pieces().is_empty();
        for (_, own) in function.pieces() {
            all = all && is(own, dim)?;
        }
        if all {
            return Ok(Some(dim));
        }
    }
    Ok(None)
}
