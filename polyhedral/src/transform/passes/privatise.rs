//! `privatise(S@k, array = x, sizes = [...])`: what a scalar, or an element, holds in an iteration of a band gets a place of its own.
//!
//! ```text
//! for i:                               for i:
//!   S: x = A[i]                          S: x_private[i] = A[i]
//!   R: B[i] = x                  =>      R: B[i] = x_private[i]
//!                                      x = x_private[n - 1]                      if x is used afterwards
//! ```
//!
//! The place of an access is the iteration (the members of the band), then the element. With `sizes`, iterations that are a multiple of
//! so many apart share a place: the sizes of tiles, if the band is that of the points of a tile. What is written in a band and used behind it is
//! written back: of each element the place of the last iteration that writes it.
//!
//! With `outer = 1` the last member of the bands around counts as if it were the first one of the band: `for k: for i: { x = A[i, k]; .. }` gets the places
//! `x_private[k, i]`. A size of 0 is a place for each iteration along that member. What is used behind the band cannot have such places.
//!
//! What it is good for: iterations no longer wait for each other, and parts of the band can run as loops of their own. Legal if
//! nothing that is read in an iteration was written in another, and no two values that are needed at one time share a place.
//! D. Padua and M. Wolfe, "Advanced Compiler Optimizations for Supercomputers", CACM 1986 (scalar expansion); P. Tu and D. Padua,
//! "Automatic Array Privatization", LCPC 1993.

use crate::budget::Budget;
use crate::flow::AccessKind;
use crate::relation::{Map, UnionMap};
use crate::schedule::{EditError, Node};
use crate::scop::Storage;
use crate::space::DimKind;
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::bad;
use crate::transform::passes::moved::{Move, Use, array_in_place, of_statement, points, projection, uses};
use crate::transform::placement::{BufferKind, Direction};
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "privatise",
    meaning: "gives what an array or scalar holds in an iteration of a band a place of its own",
    sites: 1,
    arguments: &[
        Argument { name: "array", kind: Kind::Array, optional: false, meaning: "the array or scalar" },
        Argument {
            name: "sizes",
            kind: Kind::Integers,
            optional: true,
            meaning: "how many places there are along each member; one per iteration where it is left out, or 0",
        },
        Argument {
            name: "outer",
            kind: Kind::Integer,
            optional: true,
            meaning: "how many members of the bands around count as members; none where it is left out",
        },
    ],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, budget: &Budget) -> Result<Draft<'m>, EditError> {
    let cursor = draft.band_at(&step.sites[0])?;
    let Node::Band(band, _) = cursor.node() else { return bad("the site is no band") };
    let array = array_in_place(draft, step)?;
    let outer = match step.integer("outer").map_or(Ok(0), usize::try_from) {
        Ok(outer) if outer <= cursor.schedule_depth() => outer,
        _ => {
            return bad(format!(
                "outer is a number of members of the bands around, which are {}",
                cursor.schedule_depth()
            ));
        }
    };
    let (depth, members) = (cursor.schedule_depth() - outer, band.len() + outer);
    let shared = shared_places(step, members, budget)?;
    let all = uses(draft, &cursor, array, budget)?;
    let Some(below) = cursor.child(0) else { return bad("there is nothing below the band") };
    let times = below.prefix_schedule(budget)?;
    let time = |one: &Use| -> Result<Map, EditError> {
        let statement = draft.scop().statements[one.statement].domain.space().range_tuple();
        let time = of_statement(&times, statement, depth + members);
        Ok(time.project_onto_dims(DimKind::Out, depth, members, budget)?.with_anonymous_range()?)
    };
    let mut moved = Move::new(draft, array, "private");
    for one in &all {
        let iteration = time(one)?.apply_range(&shared, budget)?;
        let place = iteration.flat_range_product(&one.elements.with_anonymous_range()?, budget)?;
        let place = place.intersect_domain(&one.elements.domain(budget)?, budget)?;
        moved.redirect(draft, one, &place)?;
    }
    let mut tree = draft.tree().clone();
    if used_behind(draft, array, &all, budget)? {
        if outer > 0 {
            return bad("what is used behind the band has places for its own members only");
        }
        // The last iteration that writes an element, for each iteration of the outer bands: `[p.., e..] -> [t..]`.
        let mut last: Option<Map> = None;
        for one in &all {
            match draft.scop().statements[one.statement].accesses[one.access].kind {
                AccessKind::Read => continue,
                AccessKind::MayWrite => return bad("an element is used behind the band that may not be written there"),
                AccessKind::MustWrite => {}
            }
            let writes = one.with_outer(budget)?.reverse().apply_range(&time(one)?, budget)?;
            last = Some(match last {
                Some(known) => known.union(&writes)?,
                None => writes,
            });
        }
        if let Some(last) = last {
            let last = last.lexmax(budget)?.coalesce(budget)?;
            let name = moved.placement.fresh(draft.scop(), &format!("{}_out", draft.scop().arrays[array].name));
            let (n, outer) = (last.space().dim(DimKind::In), depth);
            let points = points(&last, &name);
            let subscripts = projection(&points, outer..n, budget)?;
            let element = Map::with_space(
                &subscripts,
                &subscripts.space().with_tuple(DimKind::Out, all[0].elements.space().range_tuple().clone()),
            )?;
            let iteration = projection(&points, n..n + members, budget)?.apply_range(&shared, budget)?;
            let place = iteration.flat_range_product(&subscripts, budget)?;
            let graft = moved.copy(Direction::Out, &points, outer, &element, &place, budget)?;
            tree = cursor.graft_after(&graft, budget)?.into_tree();
        }
    }
    let placement = moved.finish(draft, array, BufferKind::Private, budget)?;
    Ok(draft.with_tree(tree).with_placement(placement))
}

/// From iterations to those that stand for them: `[t0, t1] -> [t0 mod 8, t1 mod 256]`.
fn shared_places(step: &Step, members: usize, budget: &Budget) -> Result<Map, EditError> {
    let sizes = step.integers("sizes");
    if sizes.as_ref().is_some_and(|sizes| sizes.len() != members || sizes.iter().any(|size| *size < 0)) {
        return bad(format!("sizes are {members} numbers, one per member of the band, none of them negative"));
    }
    let old: Vec<String> = (0..members).map(|k| format!("t{k}")).collect();
    let new: Vec<String> = match &sizes {
        None => old.clone(),
        Some(sizes) => {
            let place = |(t, size): (&String, &i64)| if *size == 0 { t.clone() } else { format!("{t} mod {size}") };
            old.iter().zip(sizes).map(place).collect()
        }
    };
    Ok(Map::parse(&format!("{{ [{}] -> [{}] }}", old.join(", "), new.join(", ")), budget)?)
}

/// Whether what is written there may be read by other instances, or after the program.
fn used_behind(draft: &Draft<'_>, array: usize, uses: &[Use], budget: &Budget) -> Result<bool, EditError> {
    let scop = draft.scop();
    if scop.arrays[array].storage != Storage::Scalar {
        return Ok(true);
    }
    for (s, statement) in scop.statements.iter().enumerate() {
        for (number, access) in statement.accesses.iter().enumerate() {
            if scop.array_of(access) != Some(array) || access.kind == AccessKind::MustWrite {
                continue;
            }
            let all = access.relation.intersect_domain(&statement.domain, budget)?;
            let all = UnionMap::from_members([all.intersect_params(&scop.context, budget)?])?;
            let here = uses.iter().filter(|one| one.statement == s && one.access == number);
            let here = UnionMap::from_members(here.map(|one| one.elements.clone()))?;
            if !all.is_subset(&here, budget)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
