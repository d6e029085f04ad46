//! Hulls, equalities and boundedness.

use super::Arg::{Lattice, Map, Set, UMap, USet};
use super::T::{A, B};
use super::{Answer, Call, Judge, Operation, operations};
use crate::isl::{self, Give1, Kind, Object, Test1};
use crate::value::Value;

operations! {
    "set.affine_hull" "affine hull" (Set(A)) basic(isl_set_affine_hull Set)
        |x, b| x[0].set()?.affine_hull(b), Judge::TightHull;
    "map.affine_hull" "affine hull" (Map(A, B)) basic(isl_map_affine_hull Map)
        |x, b| x[0].map()?.affine_hull(b), Judge::TightHull;
    "uset.affine_hull" "affine hull" (USet) give1(isl_union_set_affine_hull UnionSet)
        |x, b| x[0].union_set()?.affine_hull(b), Judge::TightHull;
    "umap.affine_hull" "affine hull" (UMap) give1(isl_union_map_affine_hull UnionMap)
        |x, b| x[0].union_map()?.affine_hull(b), Judge::TightHull;
    "set.simple_hull" "simple hull" (Set(A)) basic(isl_set_simple_hull Set)
        |x, b| x[0].set()?.simple_hull(b), Judge::Hull;
    "map.simple_hull" "simple hull" (Map(A, B)) basic(isl_map_simple_hull Map)
        |x, b| x[0].map()?.simple_hull(b), Judge::Hull;
    "umap.simple_hull" "simple hull" (UMap) give1(isl_union_map_simple_hull UnionMap)
        |x, b| x[0].union_map()?.simple_hull(b), Judge::Hull;
    "set.unshifted_simple_hull" "simple hull" (Set(A)) basic(isl_set_unshifted_simple_hull Set)
        |x, b| x[0].set()?.unshifted_simple_hull(b), Judge::Hull;
    "set.polyhedral_hull" "convex hull" (Set(A)) basic(isl_set_polyhedral_hull Set)
        |x, b| x[0].set()?.polyhedral_hull(b), Judge::Hull;
    "lattice.polyhedral_hull" "convex hull" (Lattice) basic(isl_set_polyhedral_hull Set)
        |x, b| x[0].set()?.polyhedral_hull(b), Judge::Facets;
    "set.convex_hull" "convex hull" (Set(A)) basic(isl_set_convex_hull Set)
        |x, b| x[0].set()?.convex_hull(b), Judge::Hull;
    "map.convex_hull" "convex hull" (Map(A, B)) basic(isl_map_convex_hull Map)
        |x, b| x[0].map()?.convex_hull(b), Judge::Hull;
    "set.detect_equalities" "detect equalities" (Set(A)) give1(isl_set_detect_equalities Set)
        |x, b| x[0].set()?.detect_equalities(b);
    "map.detect_equalities" "detect equalities" (Map(A, B)) give1(isl_map_detect_equalities Map)
        |x, b| x[0].map()?.detect_equalities(b);
    "set.is_bounded" "is_bounded" (Set(A)) custom(is_bounded) |x, b| x[0].set()?.is_bounded(b);
}

/// isl's own test looks at the rational shape with its quantified variables, and finds some empty and some bounded sets
/// unbounded; so every disjunct with a point is asked about after these variables are eliminated.
fn is_bounded<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    let isl = x[0].isl();
    // SAFETY: the functions have these signatures.
    unsafe {
        let (empty, bounded) =
            (isl.function::<Test1>("isl_set_is_empty")?, isl.function::<Test1>("isl_set_is_bounded")?);
        let without = isl.function::<Give1>("isl_set_remove_divs")?;
        for part in x[0].disjuncts()? {
            if isl.truth(empty(part.keep()))? {
                continue;
            }
            let part = isl.object(Kind::Set, without(part.take()))?;
            if !isl.truth(bounded(part.keep()))? {
                return Ok(Answer::Bool(false));
            }
        }
        Ok(Answer::Bool(true))
    }
}
