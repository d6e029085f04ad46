//! Scalars with a place for every iteration of the outermost loop, so that what computes them and what uses them can be in different kernels.
//!
//! ```text
//! for i                                      for i: T[i] = 0; for j: T[i] += A[i][j] * x[j]             a thread per i
//!   t = 0; for j: t += A[i][j] * x[j]   =>   for j: for i: y[j] += A[i][j] * T[i]                       a thread per j
//!   for j: y[j] += A[i][j] * t
//! ```
//!
//! The model gets the places; the scheduler finds the order. Invariant: the library has proved that each iteration computes what it reads, and
//! nothing reads the scalar behind the loop (`privatise`).

use super::mapping::step;
use super::obstacle::Obstacle;
use super::support::bytes_of;
use crate::formula::poly::{Poly, Sym};
use crate::model::scop::{Access, Array, Scop, Statement, Storage};
use crate::optimise::placed::extent;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::scop::Scop as Data;
use tessera_polyhedral::transform::Draft;

type Result<T> = std::result::Result<T, Obstacle>;

/// The model, described as `data`, with places for the iterations of outermost loops in place of scalars; `None` where no scalar is one of several
/// statements in such a loop alone.
pub(super) fn expanded(scop: &Scop, data: &Data, budget: &Budget) -> Result<Option<Scop>> {
    let mut new = scop.clone();
    let mut draft = None;
    for array in (0..scop.arrays.len()).filter(|array| scop.is_used(*array)) {
        let Storage::Scalar(_, ty) = scop.arrays[array].storage else { continue };
        let touches = |statement: &&Statement| statement.accesses.iter().any(|access| access.array == array);
        let users: Vec<&Statement> = scop.statements.iter().filter(touches).collect();
        let Some(outermost) = users.first().and_then(|user| user.loops.first()) else { continue };
        if users.len() < 2 || users.iter().any(|user| user.loops.first() != Some(outermost)) {
            continue;
        }
        let Some((first, count)) = iterations(scop, &users, budget)? else { continue };
        let draft = match &draft {
            Some(draft) => draft,
            None => draft.insert(Draft::new(data, budget)?),
        };
        let name = &scop.arrays[array].name;
        match step(draft, &format!("privatise({}@0, array = {name})", users[0].name), budget) {
            Ok(private) if private.placement().copies.is_empty() => {}
            Err(Obstacle::Budget) => return Err(Obstacle::Budget),
            _ => continue,
        }
        let internal = || Obstacle::Mapping { what: "an offset out of range".to_owned() };
        let unit = bytes_of(ty).ok_or_else(internal)?;
        let names = (new.array_name(&format!("{name}_of_iterations")), scop.arrays[array].known_as.clone());
        let bytes = Some(count.scale(unit).ok_or_else(internal)?);
        new.arrays.push(Array { bytes, ..Array::new(names, Storage::Buffer(ty), unit) });
        let place = new.arrays.len() - 1;
        let number = Poly::constant(first).and_then(|first| Poly::symbol(Sym::Iv(*outermost)).sub(&first));
        let number = number.ok_or_else(internal)?;
        let offset = number.scale(unit).ok_or_else(internal)?;
        for access in new.statements.iter_mut().flat_map(|statement| &mut statement.accesses) {
            if access.array == array {
                *access = Access::of_buffer(place, access.kind, (vec![number.clone()], offset.clone()));
            }
        }
    }
    Ok((new.arrays.len() > scop.arrays.len()).then_some(new))
}

/// The first iteration of the outermost loop of some statements, and how many there are at most, if all have the same.
fn iterations(scop: &Scop, users: &[&Statement], budget: &Budget) -> Result<Option<(i128, Poly)>> {
    let mut known = None;
    for user in users {
        let domain = user.domain.intersect_params(&scop.context, budget)?;
        if domain.is_empty(budget)? {
            continue;
        }
        let own = extent(scop, &domain, 0, budget)?;
        if own.is_none() || known.get_or_insert_with(|| own.clone()) != &own {
            return Ok(None);
        }
    }
    Ok(known.flatten())
}
