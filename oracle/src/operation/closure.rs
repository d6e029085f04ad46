//! Transitive closures, powers and the number of points.

use super::Arg::{Map, Pos, Set, UMap};
use super::T::A;
use super::{Answer, Call, Judge, Operation, operations};
use crate::isl::{self, Kind, Object, P};
use crate::value::Value;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::error::Result;
use tessera_polyhedral::relation::{Map as OurMap, Set as OurSet};
use tessera_polyhedral::space::DimKind;

operations! {
    "map.transitive_closure" "transitive closure" (Map(A, A))
        custom(|x| flagged(x, "isl_map_transitive_closure", Kind::Map))
        |x, b| x[0].map()?.transitive_closure(b), Judge::Closure;
    "umap.transitive_closure" "transitive closure" (UMap)
        custom(|x| flagged(x, "isl_union_map_transitive_closure", Kind::UnionMap))
        |x, b| x[0].union_map()?.transitive_closure(b), Judge::Closure;
    "map.power" "transitive closure" (Map(A, A)) custom(|x| flagged(x, "isl_map_power", Kind::Map))
        |x, b| x[0].map()?.power(b), Judge::Closure;
    "map.reaching_path_lengths" "transitive closure" (Map(A, A))
        custom(|x| flagged(x, "isl_map_reaching_path_lengths", Kind::Map))
        |x, b| lengths(x[0].map()?, b), Judge::Closure;
    "map.fixed_power" "transitive closure" (Map(A, A), Pos) custom(fixed_power)
        |x, b| x[0].map()?.fixed_power(1 + x[1].number() % 4, b);
    "set.count" "count" (Set(A)) custom(count) |x, b| count_ours(x[0].set()?, b);
}

/// isl forgets the name of the tuple.
fn lengths(map: &OurMap, budget: &Budget) -> Result<(OurMap, bool)> {
    let (lengths, exact) = map.reaching_path_lengths(budget)?;
    Ok((lengths.flatten_domain().with_tuple_name(DimKind::In, ""), exact))
}

type WithFlag = unsafe extern "C" fn(P, *mut i32) -> P;

fn flagged<'l>(x: &[Object<'l>], name: &'static str, kind: Kind) -> isl::Result<Answer<'l>> {
    let isl = x[0].isl();
    let mut exact = 0;
    // SAFETY: the functions have this signature.
    let ptr = unsafe { isl.function::<WithFlag>(name)?(x[0].take(), &raw mut exact) };
    Ok(Answer::Flagged(isl.object(kind, ptr)?, exact == 1))
}

fn fixed_power<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    let isl = x[0].isl();
    let exponent = isl.read(Kind::Val, &(1 + x[1].number() % 4).to_string())?;
    // SAFETY: the function has this signature.
    Ok(Answer::Object(unsafe { isl.give2("isl_map_fixed_power_val", Kind::Map, &x[0], &exponent)? }))
}

/// Points are counted inside this box, for parameters that are all 3.
const BOX: (i64, i64) = (-3, 4);
const PARAMETER: i64 = 3;

type Bound = unsafe extern "C" fn(P, i32, u32, P) -> P;

fn count<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    let isl = x[0].isl();
    let f = isl.functions();
    let value = |v: i64| isl.read(Kind::Val, &v.to_string());
    // SAFETY: the functions have these signatures, and the dimensions exist.
    unsafe {
        let bounded = |set: Object<'l>, bound: Bound, kind: i32, pos: i32, v: i64| {
            isl.object(Kind::Set, bound(set.take(), kind, pos.unsigned_abs(), value(v)?.take()))
        };
        let mut set = isl.object(Kind::Set, x[0].take())?;
        for pos in 0..(f.isl_set_dim)(set.keep(), isl::OUT) {
            set = bounded(set, f.isl_set_lower_bound_val, isl::OUT, pos, BOX.0)?;
            set = bounded(set, f.isl_set_upper_bound_val, isl::OUT, pos, BOX.1)?;
        }
        let n = (f.isl_set_dim)(set.keep(), isl::PARAM);
        for pos in 0..n {
            set = bounded(set, f.isl_set_fix_val, isl::PARAM, pos, PARAMETER)?;
        }
        set = isl.object(Kind::Set, (f.isl_set_project_out)(set.take(), isl::PARAM, 0, n.unsigned_abs()))?;
        Ok(Answer::Object(isl.give1("isl_set_count_val", Kind::Val, &set)?))
    }
}

fn count_ours(set: &OurSet, budget: &Budget) -> Result<Int> {
    let mut set = set.clone();
    for pos in 0..set.space().dim(DimKind::Out) {
        set =
            set.lower_bound(DimKind::Out, pos, &Int::from(BOX.0))?.upper_bound(DimKind::Out, pos, &Int::from(BOX.1))?;
    }
    let params = vec![Int::from(PARAMETER); set.space().dim(DimKind::Param)];
    set.count_at(&params, budget)
}
