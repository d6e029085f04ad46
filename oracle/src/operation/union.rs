//! Operations on unions of sets and maps over several spaces.

use super::Arg::{Set, UMap, UNested, USet, UWrapped};
use super::T::P;
use super::{Answer, Call, Judge, Operation, ok, operations};
use crate::isl::{self, Kind, Object};
use crate::value::Value;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::error::Result;
use tessera_polyhedral::relation::{Map, UnionMap};

operations! {
    "uset.text" "text" (USet) custom(same) |x, _b| ok(x[0].union_set()?.clone());
    "umap.text" "text" (UMap) custom(same) |x, _b| ok(x[0].union_map()?.clone());
    "uset.union" "union" (USet, USet) give2(isl_union_set_union UnionSet)
        |x, _b| x[0].union_set()?.union(x[1].union_set()?);
    "umap.union" "union" (UMap, UMap) give2(isl_union_map_union UnionMap)
        |x, _b| x[0].union_map()?.union(x[1].union_map()?);
    "uset.intersect" "intersect" (USet, USet) give2(isl_union_set_intersect UnionSet)
        |x, b| x[0].union_set()?.intersect(x[1].union_set()?, b);
    "umap.intersect" "intersect" (UMap, UMap) give2(isl_union_map_intersect UnionMap)
        |x, b| x[0].union_map()?.intersect(x[1].union_map()?, b);
    "umap.intersect_domain" "intersect domain/range" (UMap, USet) give2(isl_union_map_intersect_domain UnionMap)
        |x, b| x[0].union_map()?.intersect_domain(x[1].union_set()?, b);
    "umap.intersect_range" "intersect domain/range" (UMap, USet) give2(isl_union_map_intersect_range UnionMap)
        |x, b| x[0].union_map()?.intersect_range(x[1].union_set()?, b);
    "umap.intersect_params" "intersect params" (UMap, Set(P)) give2(isl_union_map_intersect_params UnionMap)
        |x, b| x[0].union_map()?.intersect_params(x[1].set()?, b);
    "uset.intersect_params" "intersect params" (USet, Set(P)) give2(isl_union_set_intersect_params UnionSet)
        |x, b| x[0].union_set()?.intersect_params(x[1].set()?, b);
    "uset.subtract" "subtract" (USet, USet) give2(isl_union_set_subtract UnionSet)
        |x, b| x[0].union_set()?.subtract(x[1].union_set()?, b);
    "umap.subtract" "subtract" (UMap, UMap) give2(isl_union_map_subtract UnionMap)
        |x, b| x[0].union_map()?.subtract(x[1].union_map()?, b);
    "umap.subtract_domain" "subtract" (UMap, USet) give2(isl_union_map_subtract_domain UnionMap)
        |x, b| x[0].union_map()?.subtract_domain(x[1].union_set()?, b);
    "umap.subtract_range" "subtract" (UMap, USet) give2(isl_union_map_subtract_range UnionMap)
        |x, b| x[0].union_map()?.subtract_range(x[1].union_set()?, b);
    "umap.apply_range" "apply_range" (UMap, UMap) give2(isl_union_map_apply_range UnionMap)
        |x, b| x[0].union_map()?.apply_range(x[1].union_map()?, b);
    "umap.apply_domain" "apply_range" (UMap, UMap) give2(isl_union_map_apply_domain UnionMap)
        |x, b| x[0].union_map()?.apply_domain(x[1].union_map()?, b);
    "uset.apply" "apply" (USet, UMap) give2(isl_union_set_apply UnionSet)
        |x, b| x[0].union_set()?.apply(x[1].union_map()?, b);
    "umap.domain" "domain/range" (UMap) give1(isl_union_map_domain UnionSet) |x, b| x[0].union_map()?.domain(b);
    "umap.range" "domain/range" (UMap) give1(isl_union_map_range UnionSet) |x, b| x[0].union_map()?.range(b);
    "umap.params" "project" (UMap) give1(isl_union_map_params Set) |x, b| x[0].union_map()?.params(b);
    "uset.params" "project" (USet) give1(isl_union_set_params Set) |x, b| x[0].union_set()?.params(b);
    "umap.reverse" "reverse" (UMap) give1(isl_union_map_reverse UnionMap) |x, _b| x[0].union_map()?.reverse();
    "umap.is_empty" "is_empty" (UMap) test1(isl_union_map_is_empty) |x, b| x[0].union_map()?.is_empty(b);
    "uset.is_empty" "is_empty" (USet) test1(isl_union_set_is_empty) |x, b| x[0].union_set()?.is_empty(b);
    "uset.is_subset" "is_subset" (USet, USet) test2(isl_union_set_is_subset)
        |x, b| x[0].union_set()?.is_subset(x[1].union_set()?, b);
    "umap.is_subset" "is_subset" (UMap, UMap) test2(isl_union_map_is_subset)
        |x, b| x[0].union_map()?.is_subset(x[1].union_map()?, b);
    "umap.is_strict_subset" "is_subset" (UMap, UMap) test2(isl_union_map_is_strict_subset)
        |x, b| x[0].union_map()?.is_strict_subset(x[1].union_map()?, b);
    "uset.is_strict_subset" "is_subset" (USet, USet) test2(isl_union_set_is_strict_subset)
        |x, b| x[0].union_set()?.is_strict_subset(x[1].union_set()?, b);
    "uset.is_equal" "is_equal" (USet, USet) test2(isl_union_set_is_equal)
        |x, b| x[0].union_set()?.is_equal(x[1].union_set()?, b);
    "umap.is_equal" "is_equal" (UMap, UMap) test2(isl_union_map_is_equal)
        |x, b| x[0].union_map()?.is_equal(x[1].union_map()?, b);
    "umap.is_disjoint" "is_disjoint" (UMap, UMap) test2(isl_union_map_is_disjoint)
        |x, b| x[0].union_map()?.is_disjoint(x[1].union_map()?, b);
    "uset.is_disjoint" "is_disjoint" (USet, USet) test2(isl_union_set_is_disjoint)
        |x, b| x[0].union_set()?.is_disjoint(x[1].union_set()?, b);
    "umap.is_single_valued" "is_single_valued" (UMap) test1(isl_union_map_is_single_valued)
        |x, b| x[0].union_map()?.is_single_valued(b);
    "umap.is_injective" "is_single_valued" (UMap) test1(isl_union_map_is_injective)
        |x, b| x[0].union_map()?.is_injective(b);
    "umap.is_bijective" "is_single_valued" (UMap) test1(isl_union_map_is_bijective)
        |x, b| x[0].union_map()?.is_bijective(b);
    "umap.is_identity" "is_single_valued" (UMap) custom(is_identity)
        |x, b| x[0].union_map()?.is_identity(b);
    "uset.coalesce" "coalesce" (USet) give1(isl_union_set_coalesce UnionSet)
        |x, b| x[0].union_set()?.coalesce(b), Judge::Coalesce;
    "umap.coalesce" "coalesce" (UMap) give1(isl_union_map_coalesce UnionMap)
        |x, b| x[0].union_map()?.coalesce(b), Judge::Coalesce;
    "uset.compute_divs" "compute_divs" (USet) give1(isl_union_set_compute_divs UnionSet)
        |x, b| x[0].union_set()?.make_divs_explicit(b);
    "umap.compute_divs" "compute_divs" (UMap) give1(isl_union_map_compute_divs UnionMap)
        |x, b| x[0].union_map()?.make_divs_explicit(b);
    "uset.gist" "gist" (USet, USet) give2(isl_union_set_gist UnionSet)
        |x, b| x[0].union_set()?.gist(x[1].union_set()?, b), Judge::Gist("isl_union_set_intersect");
    "umap.gist" "gist" (UMap, UMap) give2(isl_union_map_gist UnionMap)
        |x, b| x[0].union_map()?.gist(x[1].union_map()?, b), Judge::Gist("isl_union_map_intersect");
    "umap.gist_params" "gist" (UMap, Set(P)) give2(isl_union_map_gist_params UnionMap)
        |x, b| x[0].union_map()?.gist_params(x[1].set()?, b), Judge::Gist("isl_union_map_intersect_params");
    "umap.gist_domain" "gist" (UMap, USet) give2(isl_union_map_gist_domain UnionMap)
        |x, b| x[0].union_map()?.gist_domain(x[1].union_set()?, b), Judge::Gist("isl_union_map_intersect_domain");
    "umap.gist_range" "gist" (UMap, USet) give2(isl_union_map_gist_range UnionMap)
        |x, b| x[0].union_map()?.gist_range(x[1].union_set()?, b), Judge::Gist("isl_union_map_intersect_range");
    "umap.deltas" "deltas" (UMap) give1(isl_union_map_deltas UnionSet) |x, b| x[0].union_map()?.deltas(b);
    "umap.deltas_map" "deltas" (UMap) give1(isl_union_map_deltas_map UnionMap) |x, _b| x[0].union_map()?.deltas_map();
    "uset.product" "product" (USet, USet) give2(isl_union_set_product UnionSet)
        |x, b| x[0].union_set()?.product(x[1].union_set()?, b);
    "umap.product" "product" (UMap, UMap) give2(isl_union_map_product UnionMap)
        |x, b| x[0].union_map()?.product(x[1].union_map()?, b);
    "umap.range_product" "product" (UMap, UMap) give2(isl_union_map_range_product UnionMap)
        |x, b| x[0].union_map()?.range_product(x[1].union_map()?, b);
    "umap.domain_product" "product" (UMap, UMap) give2(isl_union_map_domain_product UnionMap)
        |x, b| x[0].union_map()?.domain_product(x[1].union_map()?, b);
    "umap.flat_range_product" "product" (UMap, UMap) give2(isl_union_map_flat_range_product UnionMap)
        |x, b| x[0].union_map()?.flat_range_product(x[1].union_map()?, b);
    "umap.wrap" "nesting" (UMap) give1(isl_union_map_wrap UnionSet) |x, _b| x[0].union_map()?.wrap();
    "uset.unwrap" "nesting" (UWrapped) give1(isl_union_set_unwrap UnionMap) |x, _b| x[0].union_set()?.unwrap();
    "umap.zip" "nesting" (UNested) give1(isl_union_map_zip UnionMap) |x, _b| x[0].union_map()?.zip();
    "umap.curry" "nesting" (UNested) give1(isl_union_map_curry UnionMap) |x, _b| x[0].union_map()?.curry();
    "umap.uncurry" "nesting" (UNested) give1(isl_union_map_uncurry UnionMap) |x, _b| x[0].union_map()?.uncurry();
    "uset.identity" "nesting" (USet) give1(isl_union_set_identity UnionMap) |x, _b| x[0].union_set()?.identity();
    "umap.universe" "nesting" (UMap) custom(universe) |x, b| universe_ours(x[0].union_map()?, b);
    "umap.domain_map" "nesting" (UMap) give1(isl_union_map_domain_map UnionMap) |x, _b| x[0].union_map()?.domain_map();
    "umap.range_map" "nesting" (UMap) give1(isl_union_map_range_map UnionMap) |x, _b| x[0].union_map()?.range_map();
    "umap.from_domain_and_range" "product" (USet, USet) give2(isl_union_map_from_domain_and_range UnionMap)
        |x, b| UnionMap::from_domain_and_range(x[0].union_set()?, x[1].union_set()?, b);
}

fn same<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    Ok(Answer::Object(x[0].isl().object(x[0].kind(), x[0].take())?))
}

/// The universes of the spaces that have a point: isl and we recognise different empty members without a search.
fn universe<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    let isl = x[0].isl();
    // SAFETY: the functions have these signatures.
    unsafe {
        let mut result = isl.give2("isl_union_map_subtract", Kind::UnionMap, &x[0], &x[0])?;
        for member in x[0].members()? {
            if !isl.truth(isl.function::<isl::Test1>("isl_map_is_empty")?(member.keep()))? {
                let all = isl.give1("isl_union_map_from_map", Kind::UnionMap, &member)?;
                let all = isl.give1("isl_union_map_universe", Kind::UnionMap, &all)?;
                result = isl.give2("isl_union_map_union", Kind::UnionMap, &result, &all)?;
            }
        }
        Ok(Answer::Object(result))
    }
}

fn universe_ours(union: &UnionMap, budget: &Budget) -> Result<UnionMap> {
    let mut members: Vec<Map> = Vec::new();
    for member in union.members() {
        if !member.is_empty(budget)? {
            members.push(member.clone());
        }
    }
    Ok(UnionMap::from_members(members)?.universe())
}

/// By definition: isl's own test refuses empty members between different spaces.
fn is_identity<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    let isl = x[0].isl();
    // SAFETY: the functions have these signatures.
    unsafe {
        let domain = isl.give1("isl_union_map_domain", Kind::UnionSet, &x[0])?;
        let identity = isl.give1("isl_union_set_identity", Kind::UnionMap, &domain)?;
        Ok(Answer::Bool(identity.is_equal(&x[0])?))
    }
}
