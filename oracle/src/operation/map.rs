//! Operations on maps.

use super::Arg::{Map, Set};
use super::T::{A, AB, ABc, AbC, B, BC, C, P, Zip};
use super::{Answer, Call, Judge, Operation, ok, operations};
use crate::isl::{self, Kind, Object};
use crate::value::Value;

operations! {
    "map.text" "text" (Map(A, B)) custom(same) |x, _b| ok(x[0].map()?.clone());
    "map.text_nested" "text" (Map(AB, C)) custom(same) |x, _b| ok(x[0].map()?.clone());
    "map.intersect" "intersect" (Map(A, B), Map(A, B)) give2(isl_map_intersect Map)
        |x, b| x[0].map()?.intersect(x[1].map()?, b);
    "map.intersect_params" "intersect params" (Map(A, B), Set(P)) give2(isl_map_intersect_params Map)
        |x, b| x[0].map()?.intersect_params(x[1].set()?, b);
    "map.intersect_domain" "intersect domain/range" (Map(A, B), Set(A)) give2(isl_map_intersect_domain Map)
        |x, b| x[0].map()?.intersect_domain(x[1].set()?, b);
    "map.intersect_range" "intersect domain/range" (Map(A, B), Set(B)) give2(isl_map_intersect_range Map)
        |x, b| x[0].map()?.intersect_range(x[1].set()?, b);
    "map.union" "union" (Map(A, B), Map(A, B)) give2(isl_map_union Map) |x, _b| x[0].map()?.union(x[1].map()?);
    "map.subtract" "subtract" (Map(A, B), Map(A, B)) give2(isl_map_subtract Map)
        |x, b| x[0].map()?.subtract(x[1].map()?, b);
    "map.complement" "subtract" (Map(A, B)) give1(isl_map_complement Map) |x, b| x[0].map()?.complement(b);
    "map.subtract_domain" "subtract" (Map(A, B), Set(A)) give2(isl_map_subtract_domain Map)
        |x, b| x[0].map()?.subtract_domain(x[1].set()?, b);
    "map.subtract_range" "subtract" (Map(A, B), Set(B)) give2(isl_map_subtract_range Map)
        |x, b| x[0].map()?.subtract_range(x[1].set()?, b);
    "map.apply_range" "apply_range" (Map(A, B), Map(B, C)) give2(isl_map_apply_range Map)
        |x, b| x[0].map()?.apply_range(x[1].map()?, b);
    "map.apply_domain" "apply_range" (Map(A, B), Map(A, C)) give2(isl_map_apply_domain Map)
        |x, b| x[0].map()?.apply_domain(x[1].map()?, b);
    "map.domain" "domain/range" (Map(A, B)) give1(isl_map_domain Set) |x, b| x[0].map()?.domain(b);
    "map.range" "domain/range" (Map(A, B)) give1(isl_map_range Set) |x, b| x[0].map()?.range(b);
    "map.params" "project" (Map(A, B)) give1(isl_map_params Set) |x, b| x[0].map()?.params(b);
    "map.reverse" "reverse" (Map(A, B)) give1(isl_map_reverse Map) |x, _b| ok(x[0].map()?.reverse());
    "map.is_empty" "is_empty" (Map(A, B)) test1(isl_map_is_empty) |x, b| x[0].map()?.is_empty(b);
    "map.is_subset" "is_subset" (Map(A, B), Map(A, B)) test2(isl_map_is_subset)
        |x, b| x[0].map()?.is_subset(x[1].map()?, b);
    "map.is_strict_subset" "is_subset" (Map(A, B), Map(A, B)) test2(isl_map_is_strict_subset)
        |x, b| x[0].map()?.is_strict_subset(x[1].map()?, b);
    "map.is_equal" "is_equal" (Map(A, B), Map(A, B)) test2(isl_map_is_equal)
        |x, b| x[0].map()?.is_equal(x[1].map()?, b);
    "map.is_disjoint" "is_disjoint" (Map(A, B), Map(A, B)) test2(isl_map_is_disjoint)
        |x, b| x[0].map()?.is_disjoint(x[1].map()?, b);
    "map.is_single_valued" "is_single_valued" (Map(A, B)) test1(isl_map_is_single_valued)
        |x, b| x[0].map()?.is_single_valued(b);
    "map.is_injective" "is_single_valued" (Map(A, B)) test1(isl_map_is_injective) |x, b| x[0].map()?.is_injective(b);
    "map.is_bijective" "is_single_valued" (Map(A, B)) test1(isl_map_is_bijective) |x, b| x[0].map()?.is_bijective(b);
    "map.is_identity" "is_single_valued" (Map(A, A)) test1(isl_map_is_identity) |x, b| x[0].map()?.is_identity(b);
    "map.coalesce" "coalesce" (Map(A, B)) give1(isl_map_coalesce Map) |x, b| x[0].map()?.coalesce(b), Judge::Coalesce;
    "map.gist" "gist" (Map(A, B), Map(A, B)) give2(isl_map_gist Map)
        |x, b| x[0].map()?.gist(x[1].map()?, b), Judge::Gist("isl_map_intersect");
    "map.gist_params" "gist" (Map(A, B), Set(P)) give2(isl_map_gist_params Map)
        |x, b| x[0].map()?.gist_params(x[1].set()?, b), Judge::Gist("isl_map_intersect_params");
    "map.gist_domain" "gist" (Map(A, B), Set(A)) give2(isl_map_gist_domain Map)
        |x, b| x[0].map()?.gist_domain(x[1].set()?, b), Judge::Gist("isl_map_intersect_domain");
    "map.gist_range" "gist" (Map(A, B), Set(B)) give2(isl_map_gist_range Map)
        |x, b| x[0].map()?.gist_range(x[1].set()?, b), Judge::Gist("isl_map_intersect_range");
    "map.deltas" "deltas" (Map(A, A)) give1(isl_map_deltas Set) |x, b| x[0].map()?.deltas(b);
    "map.deltas_map" "deltas" (Map(A, A)) give1(isl_map_deltas_map Map) |x, _b| x[0].map()?.deltas_map();
    "map.remove_redundancies" "remove_redundancies" (Map(A, B)) give1(isl_map_remove_redundancies Map)
        |x, b| x[0].map()?.remove_redundancies(b), Judge::Coalesce;
    "map.compute_divs" "compute_divs" (Map(A, B)) give1(isl_map_compute_divs Map)
        |x, b| x[0].map()?.make_divs_explicit(b);
    "map.product" "product" (Map(A, B), Map(B, C)) give2(isl_map_product Map)
        |x, b| x[0].map()?.product(x[1].map()?, b);
    "map.range_product" "product" (Map(A, B), Map(A, C)) give2(isl_map_range_product Map)
        |x, b| x[0].map()?.range_product(x[1].map()?, b);
    "map.flat_range_product" "product" (Map(A, B), Map(A, C)) give2(isl_map_flat_range_product Map)
        |x, b| x[0].map()?.flat_range_product(x[1].map()?, b);
    "map.domain_product" "product" (Map(A, C), Map(B, C)) give2(isl_map_domain_product Map)
        |x, b| x[0].map()?.domain_product(x[1].map()?, b);
    "map.flat_domain_product" "product" (Map(A, C), Map(B, C)) give2(isl_map_flat_domain_product Map)
        |x, b| x[0].map()?.flat_domain_product(x[1].map()?, b);
    "map.flat_product" "product" (Map(A, B), Map(B, C)) give2(isl_map_flat_product Map)
        |x, b| x[0].map()?.flat_product(x[1].map()?, b);
    "map.wrap" "nesting" (Map(A, B)) give1(isl_map_wrap Set) |x, _b| ok(x[0].map()?.wrap());
    "map.curry" "nesting" (Map(AB, C)) give1(isl_map_curry Map) |x, _b| x[0].map()?.curry();
    "map.uncurry" "nesting" (Map(A, BC)) give1(isl_map_uncurry Map) |x, _b| x[0].map()?.uncurry();
    "map.range_curry" "nesting" (Map(A, AbC)) give1(isl_map_range_curry Map) |x, _b| x[0].map()?.range_curry();
    "map.zip" "nesting" (Map(AB, BC)) give1(isl_map_zip Map) |x, _b| x[0].map()?.zip();
    "map.flatten" "nesting" (Map(AB, ABc)) give1(isl_map_flatten Map) |x, _b| ok(x[0].map()?.flatten());
    "map.flatten_domain" "nesting" (Map(AB, BC)) give1(isl_map_flatten_domain Map) |x, _b| ok(x[0].map()?.flatten_domain());
    "map.flatten_range" "nesting" (Map(AB, BC)) give1(isl_map_flatten_range Map) |x, _b| ok(x[0].map()?.flatten_range());
    "map.domain_map" "nesting" (Map(A, B)) give1(isl_map_domain_map Map) |x, _b| ok(x[0].map()?.domain_map());
    "map.range_map" "nesting" (Map(A, B)) give1(isl_map_range_map Map) |x, _b| ok(x[0].map()?.range_map());
    "map.factor_domain" "nesting" (Map(AB, BC)) give1(isl_map_factor_domain Map) |x, b| x[0].map()?.factor_domain(b);
    "map.factor_range" "nesting" (Map(AB, BC)) give1(isl_map_factor_range Map) |x, b| x[0].map()?.factor_range(b);
    "map.domain_factor_domain" "nesting" (Map(AB, C)) give1(isl_map_domain_factor_domain Map)
        |x, b| x[0].map()?.domain_factor_domain(b);
    "map.domain_factor_range" "nesting" (Map(AB, C)) give1(isl_map_domain_factor_range Map)
        |x, b| x[0].map()?.domain_factor_range(b);
    "map.range_factor_domain" "nesting" (Map(A, BC)) give1(isl_map_range_factor_domain Map)
        |x, b| x[0].map()?.range_factor_domain(b);
    "map.range_factor_range" "nesting" (Map(A, BC)) give1(isl_map_range_factor_range Map)
        |x, b| x[0].map()?.range_factor_range(b);
    "map.intersect_range_factor_domain" "nesting" (Map(A, BC), Map(A, B)) give2(isl_map_intersect_range_factor_domain Map)
        |x, b| x[0].map()?.intersect_range_factor_domain(x[1].map()?, b);
    "map.intersect_range_factor_range" "nesting" (Map(A, BC), Map(A, C)) give2(isl_map_intersect_range_factor_range Map)
        |x, b| x[0].map()?.intersect_range_factor_range(x[1].map()?, b);
    "map.intersect_domain_factor_domain" "nesting" (Map(AB, C), Map(A, C))
        give2(isl_map_intersect_domain_factor_domain Map)
        |x, b| x[0].map()?.intersect_domain_factor_domain(x[1].map()?, b);
    "map.intersect_domain_factor_range" "nesting" (Map(AB, C), Map(B, C)) give2(isl_map_intersect_domain_factor_range Map)
        |x, b| x[0].map()?.intersect_domain_factor_range(x[1].map()?, b);
    "map.sum" "order" (Map(A, B), Map(A, B)) give2(isl_map_sum Map) |x, b| x[0].map()?.sum(x[1].map()?, b);
    "map.neg" "order" (Map(A, B)) give1(isl_map_neg Map) |x, _b| ok(x[0].map()?.neg());
    "map.wrapped_zip" "nesting" (Set(Zip)) give1(isl_set_unwrap Map) |x, _b| x[0].set()?.unwrap();
}

fn same<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    Ok(Answer::Object(x[0].isl().object(x[0].kind(), x[0].take())?))
}
