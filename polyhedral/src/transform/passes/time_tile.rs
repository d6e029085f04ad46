//! `time_tile(S@k, sizes = [...], skews = [...], shifts = [[...], ...])`: several iterations of an outer loop over the same rows of data
//! while they are in the cache.
//!
//! ```text
//! for t:                                  for tiles of t, tiles of (row + skew t + shift):
//!   for i: for j: b[i][j] = f(a[..])        for t in the tile:
//!   for i: for j: a[i][j] = f(b[..])          for i with 2 t + i in the tile: for j: b[i][j] = f(a[..])
//!                                             for i with 2 t + i + 1 in the tile: for j: a[i][j] = f(b[..])
//! ```
//!
//! The *row* of a statement is the subscript, or the first subscripts, of the element of memory that it writes. `sizes` are those of
//! tiles of the loop, then of each dimension of rows that is tiled; `skews` are one per such dimension, and `shifts` are one list each, with
//! a number per statement of the band, in the order of the program. Inside a tile everything runs in the old order. Legal if no dependence
//! leads to a smaller `row + skew t + shift` (D. Wonnacott, "Achieving Scalable Locality with Time Skewing", 2002; Y. Song and Z. Li,
//! "New Tiling Techniques to Improve Cache Temporal Locality", PLDI 1999).

use crate::affine::Aff;
use crate::arith::Int;
use crate::budget::Budget;
use crate::schedule::{Band, EditError, Member, Node};
use crate::scop::Statement;
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::bad;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "time_tile",
    meaning: "tiles an outer loop and the rows of data that statements write, skewed",
    sites: 1,
    arguments: &[
        Argument {
            name: "sizes",
            kind: Kind::Integers,
            optional: false,
            meaning: "of a tile: iterations of the loop, then rows, per dimension",
        },
        Argument {
            name: "skews",
            kind: Kind::Integers,
            optional: false,
            meaning: "by how many rows tiles move per iteration, per dimension",
        },
        Argument {
            name: "shifts",
            kind: Kind::ListsOfIntegers,
            optional: false,
            meaning: "by how many rows each statement is moved, per dimension",
        },
    ],
    apply,
};

fn apply<'m>(draft: &Draft<'m>, step: &Step, _: &Budget) -> Result<Draft<'m>, EditError> {
    let cursor = draft.band_at(&step.sites[0])?;
    let Node::Band(band, _) = cursor.node() else { return bad("the site is no band") };
    let [time] = band.members() else { return bad("the band has more than one member") };
    let scop = draft.scop();
    let statements: Vec<&Statement> = scop.statements.iter().filter(|s| time.function(&s.name).is_some()).collect();
    let (sizes, skews) = (step.integers("sizes").unwrap_or_default(), step.integers("skews").unwrap_or_default());
    let shifts = step.lists_of_integers("shifts").unwrap_or_default();
    let fits = sizes.len() == skews.len() + 1
        && shifts.len() == skews.len()
        && shifts.iter().all(|shifts| shifts.len() == statements.len());
    if !fits || sizes.iter().any(|size| *size < 1) {
        return bad(format!(
            "sizes are positive numbers, one more than skews; shifts are one list per skew, of {} numbers",
            statements.len()
        ));
    }
    let mut members = vec![Vec::new(); sizes.len()];
    for (position, statement) in statements.iter().enumerate() {
        let Some(counter) = time.get(&statement.name) else { return bad("the band is piecewise") };
        members[0].push(counter.floor_div(&Int::from(sizes[0])));
        let Some(row) = scop.row(statement).filter(|row| row.len() >= skews.len()) else {
            return bad(format!("{} writes no row of {} dimensions", statement.name, skews.len()));
        };
        for (dimension, member) in members[1..].iter_mut().enumerate() {
            let shift = Aff::constant(row[dimension].space().clone(), &Int::from(shifts[dimension][position]));
            let moved = row[dimension].add(&counter.scale(&Int::from(skews[dimension])))?.add(&shift)?;
            member.push(moved.floor_div(&Int::from(sizes[dimension + 1])));
        }
    }
    let members = members.into_iter().map(Member::new).collect::<Result<Vec<_>, _>>()?;
    Ok(draft.with_tree(cursor.insert_band(Band::new(members).with_permutable(true))?.into_tree()))
}
