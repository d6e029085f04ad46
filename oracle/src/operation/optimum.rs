//! Lexicographic optima and extreme values.

use super::Arg::{Aff, Map, Pos, Set, UMap, USet, Wide};
use super::T::{A, B};
use super::{Answer, Call, Judge, Operation, operations, pick};
use crate::isl::{self, Failure, Kind, Object, P};
use crate::value::Value;
use tessera_polyhedral::lp::IntOptimum;
use tessera_polyhedral::space::DimKind;

operations! {
    "set.lexmin" "lexmin/lexmax" (Set(A)) give1(isl_set_lexmin Set) |x, b| x[0].set()?.lexmin(b);
    "set.lexmax" "lexmin/lexmax" (Set(A)) give1(isl_set_lexmax Set) |x, b| x[0].set()?.lexmax(b);
    "wide.lexmin" "lexmin/lexmax" (Wide) give1(isl_set_lexmin Set) |x, b| x[0].set()?.lexmin(b);
    "wide.lexmax" "lexmin/lexmax" (Wide) give1(isl_set_lexmax Set) |x, b| x[0].set()?.lexmax(b);
    "map.lexmin" "lexmin/lexmax" (Map(A, B)) give1(isl_map_lexmin Map) |x, b| x[0].map()?.lexmin(b);
    "map.lexmax" "lexmin/lexmax" (Map(A, B)) give1(isl_map_lexmax Map) |x, b| x[0].map()?.lexmax(b);
    "uset.lexmin" "lexmin/lexmax" (USet) give1(isl_union_set_lexmin UnionSet) |x, b| x[0].union_set()?.lexmin(b);
    "umap.lexmin" "lexmin/lexmax" (UMap) give1(isl_union_map_lexmin UnionMap) |x, b| x[0].union_map()?.lexmin(b);
    "umap.lexmax" "lexmin/lexmax" (UMap) give1(isl_union_map_lexmax UnionMap) |x, b| x[0].union_map()?.lexmax(b);
    "map.lexmin_function" "lexmin/lexmax" (Map(A, B)) give1(isl_map_lexmin_pw_multi_aff PwMultiAff)
        |x, b| x[0].map()?.lexmin_pw_multi_aff(b);
    "set.dim_min" "dim_min/dim_max" (Set(A), Pos) custom(|x| extreme(x, "isl_set_dim_min")) |x, b| dim_min_ours(x, false, b);
    "set.dim_max" "dim_min/dim_max" (Set(A), Pos) custom(|x| extreme(x, "isl_set_dim_max")) |x, b| dim_min_ours(x, true, b);
    "set.min_aff" "min/max of a function" (Set(A), Aff(A)) keep2(isl_set_min_val Val)
        |x, b| x[0].set()?.min_aff(x[1].aff()?, b).map(|v| optimum(v, "-infty"));
    "set.max_aff" "min/max of a function" (Set(A), Aff(A)) keep2(isl_set_max_val Val)
        |x, b| x[0].set()?.max_aff(x[1].aff()?, b).map(|v| optimum(v, "infty"));
}

fn optimum(value: IntOptimum, unbounded: &str) -> String {
    match value {
        IntOptimum::Bounded(value) => value.to_string(),
        IntOptimum::Unbounded => unbounded.into(),
        IntOptimum::Empty => "NaN".into(),
    }
}

type Extreme = unsafe extern "C" fn(P, i32) -> P;

fn extreme<'l>(x: &[Object<'l>], name: &'static str) -> isl::Result<Answer<'l>> {
    let isl = x[0].isl();
    // SAFETY: the functions have these signatures.
    unsafe {
        let n = (isl.functions().isl_set_dim)(x[0].keep(), isl::OUT);
        let Some(pos) = pick(x[1].number(), usize::try_from(n).unwrap_or_default()) else {
            return Err(Failure::Error("no dimension".into()));
        };
        let ptr = isl.function::<Extreme>(name)?(x[0].take(), pos as i32);
        Ok(Answer::Object(isl.object(Kind::PwAff, ptr)?))
    }
}

fn dim_min_ours(
    x: &[Value],
    maximum: bool,
    budget: &tessera_polyhedral::budget::Budget,
) -> tessera_polyhedral::error::Result<tessera_polyhedral::affine::PwAff> {
    let set = x[0].set()?;
    // Without dimensions both sides refuse.
    let pos = pick(x[1].number(), set.space().dim(DimKind::Out)).unwrap_or(usize::MAX);
    if maximum { set.dim_max(pos, budget) } else { set.dim_min(pos, budget) }
}
