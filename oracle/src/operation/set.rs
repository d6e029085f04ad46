//! Operations on sets.

use tessera_polyhedral::error::Result;
use tessera_polyhedral::relation::Set as OurSet;
use tessera_polyhedral::space::DimKind;

use super::Arg::{Map, Pieces, Pos, Set, Val};
use super::T::{A, AB, B, P};
use super::{Answer, Call, Judge, Operation, ok, operations, pick};
use crate::isl::{self, Kind, Object};
use crate::value::Value;

operations! {
    "set.text" "text" (Set(A)) custom(same) |x, _b| ok(x[0].set()?.clone());
    "set.text_nested" "text" (Set(AB)) custom(same) |x, _b| ok(x[0].set()?.clone());
    "set.round_trip" "text" (Set(A)) custom(same) |x, b| OurSet::parse(&x[0].to_string(), b);
    "set.intersect" "intersect" (Set(A), Set(A)) give2(isl_set_intersect Set)
        |x, b| x[0].set()?.intersect(x[1].set()?, b);
    "set.intersect_params" "intersect params" (Set(A), Set(P)) give2(isl_set_intersect_params Set)
        |x, b| x[0].set()?.intersect_params(x[1].set()?, b);
    "set.union" "union" (Set(A), Set(A)) give2(isl_set_union Set) |x, _b| x[0].set()?.union(x[1].set()?);
    "set.subtract" "subtract" (Set(A), Set(A)) give2(isl_set_subtract Set)
        |x, b| x[0].set()?.subtract(x[1].set()?, b);
    "set.complement" "subtract" (Set(A)) give1(isl_set_complement Set) |x, b| x[0].set()?.complement(b);
    "set.apply" "apply" (Set(A), Map(A, B)) give2(isl_set_apply Set) |x, b| x[0].set()?.apply(x[1].map()?, b);
    "set.params" "project" (Set(A)) give1(isl_set_params Set) |x, b| x[0].set()?.params(b);
    "set.project_last" "project" (Set(A)) custom(|x| project(x, true)) |x, b| project_ours(x[0].set()?, true, b);
    "set.project_first" "project" (Set(A)) custom(|x| project(x, false)) |x, b| project_ours(x[0].set()?, false, b);
    "set.fix_param" "fix" (Set(A), Val, Pos) custom(|x| bound(x, isl::PARAM, "isl_set_fix_val"))
        |x, _b| bound_ours(x, DimKind::Param, OurSet::fix);
    "set.fix" "fix" (Set(A), Val, Pos) custom(|x| bound(x, isl::OUT, "isl_set_fix_val"))
        |x, _b| bound_ours(x, DimKind::Out, OurSet::fix);
    "set.lower_bound" "fix" (Set(A), Val, Pos) custom(|x| bound(x, isl::OUT, "isl_set_lower_bound_val"))
        |x, _b| bound_ours(x, DimKind::Out, OurSet::lower_bound);
    "set.upper_bound" "fix" (Set(A), Val, Pos) custom(|x| bound(x, isl::OUT, "isl_set_upper_bound_val"))
        |x, _b| bound_ours(x, DimKind::Out, OurSet::upper_bound);
    "set.is_empty" "is_empty" (Set(A)) test1(isl_set_is_empty) |x, b| x[0].set()?.is_empty(b);
    "set.is_subset" "is_subset" (Set(A), Set(A)) test2(isl_set_is_subset) |x, b| x[0].set()?.is_subset(x[1].set()?, b);
    "set.is_strict_subset" "is_subset" (Set(A), Set(A)) test2(isl_set_is_strict_subset)
        |x, b| x[0].set()?.is_strict_subset(x[1].set()?, b);
    "set.is_equal" "is_equal" (Set(A), Set(A)) test2(isl_set_is_equal) |x, b| x[0].set()?.is_equal(x[1].set()?, b);
    "set.is_disjoint" "is_disjoint" (Set(A), Set(A)) test2(isl_set_is_disjoint)
        |x, b| x[0].set()?.is_disjoint(x[1].set()?, b);
    "set.is_singleton" "is_single_valued" (Set(A)) test1(isl_set_is_singleton) |x, b| x[0].set()?.is_singleton(b);
    "set.sample" "sample" (Set(A)) custom(same)
        |x, b| x[0].set().and_then(|set| Ok((set.space().clone(), set.sample(b)?))), Judge::Sample;
    "set.coalesce" "coalesce" (Set(A)) give1(isl_set_coalesce Set) |x, b| x[0].set()?.coalesce(b), Judge::Coalesce;
    "pieces.coalesce" "coalesce" (Pieces) give1(isl_set_coalesce Set)
        |x, b| x[0].set()?.coalesce(b), Judge::Coalesce;
    "set.remove_redundancies" "remove_redundancies" (Set(A)) give1(isl_set_remove_redundancies Set)
        |x, b| x[0].set()?.remove_redundancies(b), Judge::Coalesce;
    "set.make_disjoint" "make_disjoint" (Set(A)) give1(isl_set_make_disjoint Set)
        |x, b| x[0].set()?.make_disjoint(b), Judge::Disjoint;
    "set.compute_divs" "compute_divs" (Set(A)) give1(isl_set_compute_divs Set) |x, b| x[0].set()?.make_divs_explicit(b);
    "set.gist" "gist" (Set(A), Set(A)) give2(isl_set_gist Set)
        |x, b| x[0].set()?.gist(x[1].set()?, b), Judge::Gist("isl_set_intersect");
    "set.gist_params" "gist" (Set(A), Set(P)) give2(isl_set_gist_params Set)
        |x, b| x[0].set()?.gist_params(x[1].set()?, b), Judge::Gist("isl_set_intersect_params");
    "set.product" "product" (Set(A), Set(B)) give2(isl_set_product Set) |x, b| x[0].set()?.product(x[1].set()?, b);
    "set.flat_product" "product" (Set(A), Set(B)) give2(isl_set_flat_product Set)
        |x, b| x[0].set()?.flat_product(x[1].set()?, b);
    "set.flatten" "nesting" (Set(AB)) give1(isl_set_flatten Set) |x, _b| ok(x[0].set()?.flatten());
    "set.unwrap" "nesting" (Set(AB)) give1(isl_set_unwrap Map) |x, _b| x[0].set()?.unwrap();
    "set.identity" "nesting" (Set(A)) give1(isl_set_identity Map) |x, _b| x[0].set()?.identity();
    "set.sum" "order" (Set(A), Set(A)) give2(isl_set_sum Set) |x, b| x[0].set()?.sum(x[1].set()?, b);
    "set.neg" "order" (Set(A)) give1(isl_set_neg Set) |x, _b| ok(x[0].set()?.neg());
    "set.lex_lt" "order" (Set(A), Set(A)) give2(isl_set_lex_lt_set Map) |x, b| x[0].set()?.lex_lt(x[1].set()?, b);
    "set.lex_le" "order" (Set(A), Set(A)) give2(isl_set_lex_le_set Map) |x, b| x[0].set()?.lex_le(x[1].set()?, b);
    "set.lex_gt" "order" (Set(A), Set(A)) give2(isl_set_lex_gt_set Map) |x, b| x[0].set()?.lex_gt(x[1].set()?, b);
    "set.lex_ge" "order" (Set(A), Set(A)) give2(isl_set_lex_ge_set Map) |x, b| x[0].set()?.lex_ge(x[1].set()?, b);
}

fn same<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    Ok(Answer::Object(x[0].isl().object(x[0].kind(), x[0].take())?))
}

/// The number of dimensions of a kind.
fn dim(set: &Object<'_>, kind: i32) -> usize {
    // SAFETY: the object is a set.
    usize::try_from(unsafe { (set.isl().functions().isl_set_dim)(set.keep(), kind) }).unwrap_or_default()
}

fn project<'l>(x: &[Object<'l>], last: bool) -> isl::Result<Answer<'l>> {
    let f = x[0].isl().functions();
    let n = dim(&x[0], isl::OUT);
    if n == 0 {
        return same(x);
    }
    let first = if last { n.saturating_sub(1) } else { 0 };
    // SAFETY: the operand is a set, and the dimension exists; a name of 0 is no name.
    let ptr = unsafe {
        let set = (f.isl_set_project_out)(x[0].take(), isl::OUT, first as u32, 1);
        (f.isl_set_reset_tuple_id)(set)
    };
    Ok(Answer::Object(x[0].isl().object(Kind::Set, ptr)?))
}

fn project_ours(set: &OurSet, last: bool, budget: &tessera_polyhedral::budget::Budget) -> Result<OurSet> {
    let n = set.space().dim(DimKind::Out);
    if n == 0 {
        return Ok(set.clone());
    }
    // isl forgets the name of a tuple that loses a dimension; we keep it.
    let first = if last { n.saturating_sub(1) } else { 0 };
    Ok(set.project_out(DimKind::Out, first, 1, budget)?.with_tuple_name(DimKind::Out, ""))
}

type WithVal = unsafe extern "C" fn(isl::P, i32, u32, isl::P) -> isl::P;

/// Bounds the dimension that `x[2]` picks by `x[1]`. The parameters are those that both sides see: the text's.
fn bound<'l>(x: &[Object<'l>], kind: i32, function: &'static str) -> isl::Result<Answer<'l>> {
    let Some(pos) = pick(x[2].number(), dim(&x[0], kind)) else { return same(x) };
    // SAFETY: the three functions have this signature.
    let ptr = unsafe { x[0].isl().function::<WithVal>(function)?(x[0].take(), kind, pos as u32, x[1].take()) };
    Ok(Answer::Object(x[0].isl().object(Kind::Set, ptr)?))
}

type Bound = fn(&OurSet, DimKind, usize, &tessera_polyhedral::arith::Int) -> Result<OurSet>;

fn bound_ours(x: &[Value], kind: DimKind, f: Bound) -> Result<OurSet> {
    let set = x[0].set()?;
    match pick(x[2].number(), set.space().dim(kind)) {
        Some(pos) => f(set, kind, pos, x[1].int()?),
        None => Ok(set.clone()),
    }
}
