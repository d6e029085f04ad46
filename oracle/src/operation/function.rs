//! Operations on quasi-affine functions.

use super::Arg::{
    Aff, Constant, MUPwAff, Map, MultiAff, MultiPwAff, Positive, PwAff, PwMultiAff, Set, UPwAff, UPwMultiAff, USet, Val,
};
use super::T::{A, AB, B, C, P};
use super::{Answer, Call, Judge, Operation, ok, operations};
use crate::isl::{self, Kind, Object};
use crate::value::Value;
use tessera_polyhedral::affine::PwAff as OurPwAff;

operations! {
    "aff.text" "function" (Aff(A)) custom(same) |x, _b| ok(x[0].aff()?.clone());
    "aff.add" "function" (Aff(A), Aff(A)) give2(isl_aff_add Aff) |x, _b| x[0].aff()?.add(x[1].aff()?);
    "aff.sub" "function" (Aff(A), Aff(A)) give2(isl_aff_sub Aff) |x, _b| x[0].aff()?.sub(x[1].aff()?);
    "aff.neg" "function" (Aff(A)) give1(isl_aff_neg Aff) |x, _b| ok(x[0].aff()?.neg());
    "aff.floor" "function" (Aff(A)) give1(isl_aff_floor Aff) |x, _b| ok(x[0].aff()?.floor());
    "aff.ceil" "function" (Aff(A)) give1(isl_aff_ceil Aff) |x, _b| ok(x[0].aff()?.ceil());
    "aff.scale" "function" (Aff(A), Val) give2(isl_aff_scale_val Aff) |x, _b| ok(x[0].aff()?.scale(x[1].int()?));
    "aff.scale_down" "function" (Aff(A), Positive) give2(isl_aff_scale_down_val Aff)
        |x, _b| ok(x[0].aff()?.scale_down(x[1].int()?));
    "aff.mod" "function" (Aff(A), Positive) give2(isl_aff_mod_val Aff) |x, _b| x[0].aff()?.rem(x[1].int()?);
    "aff.floor_div" "function" (Aff(A), Positive) custom(floor_div) |x, _b| ok(x[0].aff()?.floor_div(x[1].int()?));
    "aff.eq_set" "function" (Aff(A), Aff(A)) give2(isl_aff_eq_set Set) |x, _b| x[0].aff()?.eq_set(x[1].aff()?);
    "aff.ne_set" "function" (Aff(A), Aff(A)) give2(isl_aff_ne_set Set) |x, _b| x[0].aff()?.ne_set(x[1].aff()?);
    "aff.le_set" "function" (Aff(A), Aff(A)) give2(isl_aff_le_set Set) |x, _b| x[0].aff()?.le_set(x[1].aff()?);
    "aff.gt_set" "function" (Aff(A), Aff(A)) give2(isl_aff_gt_set Set) |x, _b| x[0].aff()?.gt_set(x[1].aff()?);
    "aff.pullback" "function" (Aff(B), MultiAff(A, B)) give2(isl_aff_pullback_multi_aff Aff)
        |x, _b| x[0].aff()?.pullback(x[1].multi_aff()?);
    "aff.gist" "function" (Aff(A), Set(A)) give2(isl_aff_gist Aff)
        |x, b| x[0].aff()?.gist(x[1].set()?, b), Judge::Gist("isl_pw_aff_intersect_domain");

    "pwaff.text" "function" (PwAff(A)) custom(same) |x, _b| ok(x[0].pw_aff()?.clone());
    "pwaff.to_map" "function" (PwAff(A)) give1(isl_map_from_pw_aff Map) |x, b| x[0].pw_aff()?.to_map(b);
    "pwaff.domain" "function" (PwAff(A)) give1(isl_pw_aff_domain Set) |x, _b| x[0].pw_aff()?.domain();
    "pwaff.add" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_add PwAff)
        |x, b| x[0].pw_aff()?.add(x[1].pw_aff()?, b);
    "pwaff.sub" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_sub PwAff)
        |x, b| x[0].pw_aff()?.sub(x[1].pw_aff()?, b);
    "pwaff.mul" "function" (PwAff(A), Constant(A)) give2(isl_pw_aff_mul PwAff)
        |x, b| x[0].pw_aff()?.mul(x[1].pw_aff()?, b);
    "pwaff.div" "function" (PwAff(A), Constant(A)) give2(isl_pw_aff_div PwAff)
        |x, b| x[0].pw_aff()?.div(x[1].pw_aff()?, b);
    "pwaff.tdiv_q" "function" (PwAff(A), Constant(A)) give2(isl_pw_aff_tdiv_q PwAff)
        |x, b| x[0].pw_aff()?.tdiv_q(x[1].pw_aff()?, b);
    "pwaff.tdiv_r" "function" (PwAff(A), Constant(A)) give2(isl_pw_aff_tdiv_r PwAff)
        |x, b| x[0].pw_aff()?.tdiv_r(x[1].pw_aff()?, b);
    "pwaff.min" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_min PwAff)
        |x, b| x[0].pw_aff()?.min(x[1].pw_aff()?, b);
    "pwaff.max" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_max PwAff)
        |x, b| x[0].pw_aff()?.max(x[1].pw_aff()?, b);
    "pwaff.union_add" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_union_add PwAff)
        |x, b| x[0].pw_aff()?.union_add(x[1].pw_aff()?, b);
    "pwaff.union_min" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_union_min PwAff)
        |x, b| x[0].pw_aff()?.union_min(x[1].pw_aff()?, b);
    "pwaff.union_max" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_union_max PwAff)
        |x, b| x[0].pw_aff()?.union_max(x[1].pw_aff()?, b);
    "pwaff.select" "function" (PwAff(A), PwAff(A), PwAff(A)) give3(isl_pw_aff_cond PwAff)
        |x, b| OurPwAff::select(x[0].pw_aff()?, x[1].pw_aff()?, x[2].pw_aff()?, b);
    "pwaff.neg" "function" (PwAff(A)) give1(isl_pw_aff_neg PwAff) |x, _b| ok(x[0].pw_aff()?.neg());
    "pwaff.floor" "function" (PwAff(A)) give1(isl_pw_aff_floor PwAff) |x, _b| ok(x[0].pw_aff()?.floor());
    "pwaff.ceil" "function" (PwAff(A)) give1(isl_pw_aff_ceil PwAff) |x, _b| ok(x[0].pw_aff()?.ceil());
    "pwaff.scale" "function" (PwAff(A), Val) give2(isl_pw_aff_scale_val PwAff)
        |x, _b| ok(x[0].pw_aff()?.scale(x[1].int()?));
    "pwaff.mod" "function" (PwAff(A), Positive) give2(isl_pw_aff_mod_val PwAff) |x, _b| x[0].pw_aff()?.rem(x[1].int()?);
    "pwaff.eq_set" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_eq_set Set)
        |x, b| x[0].pw_aff()?.eq_set(x[1].pw_aff()?, b);
    "pwaff.ne_set" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_ne_set Set)
        |x, b| x[0].pw_aff()?.ne_set(x[1].pw_aff()?, b);
    "pwaff.le_set" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_le_set Set)
        |x, b| x[0].pw_aff()?.le_set(x[1].pw_aff()?, b);
    "pwaff.lt_set" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_lt_set Set)
        |x, b| x[0].pw_aff()?.lt_set(x[1].pw_aff()?, b);
    "pwaff.ge_set" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_ge_set Set)
        |x, b| x[0].pw_aff()?.ge_set(x[1].pw_aff()?, b);
    "pwaff.gt_set" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_gt_set Set)
        |x, b| x[0].pw_aff()?.gt_set(x[1].pw_aff()?, b);
    "pwaff.eq_map" "function" (PwAff(A), PwAff(B)) give2(isl_pw_aff_eq_map Map)
        |x, b| x[0].pw_aff()?.eq_map(x[1].pw_aff()?, b);
    "pwaff.lt_map" "function" (PwAff(A), PwAff(B)) give2(isl_pw_aff_lt_map Map)
        |x, b| x[0].pw_aff()?.lt_map(x[1].pw_aff()?, b);
    "pwaff.non_zero_set" "function" (PwAff(A)) give1(isl_pw_aff_non_zero_set Set) |x, b| x[0].pw_aff()?.non_zero_set(b);
    "pwaff.non_negative_set" "function" (PwAff(A)) give1(isl_pw_aff_nonneg_set Set)
        |x, b| x[0].pw_aff()?.non_negative_set(b);
    "pwaff.positive_set" "function" (PwAff(A)) give1(isl_pw_aff_pos_set Set) |x, b| x[0].pw_aff()?.positive_set(b);
    "pwaff.intersect_domain" "function" (PwAff(A), Set(A)) give2(isl_pw_aff_intersect_domain PwAff)
        |x, b| x[0].pw_aff()?.intersect_domain(x[1].set()?, b);
    "pwaff.subtract_domain" "function" (PwAff(A), Set(A)) give2(isl_pw_aff_subtract_domain PwAff)
        |x, b| x[0].pw_aff()?.subtract_domain(x[1].set()?, b);
    "pwaff.intersect_params" "function" (PwAff(A), Set(P)) give2(isl_pw_aff_intersect_params PwAff)
        |x, b| x[0].pw_aff()?.intersect_params(x[1].set()?, b);
    "pwaff.gist" "function" (PwAff(A), Set(A)) give2(isl_pw_aff_gist PwAff)
        |x, b| x[0].pw_aff()?.gist(x[1].set()?, b), Judge::Gist("isl_pw_aff_intersect_domain");
    "pwaff.coalesce" "function" (PwAff(A)) give1(isl_pw_aff_coalesce PwAff) |x, b| x[0].pw_aff()?.coalesce(b);
    "pwaff.pullback" "function" (PwAff(B), MultiAff(A, B)) give2(isl_pw_aff_pullback_multi_aff PwAff)
        |x, b| x[0].pw_aff()?.pullback(x[1].multi_aff()?, b);
    "pwaff.is_equal" "function" (PwAff(A), PwAff(A)) test2(isl_pw_aff_is_equal)
        |x, b| x[0].pw_aff()?.is_equal(x[1].pw_aff()?, b);

    "maff.text" "function" (MultiAff(A, B)) custom(same) |x, _b| ok(x[0].multi_aff()?.clone());
    "maff.to_map" "function" (MultiAff(A, B)) give1(isl_map_from_multi_aff Map) |x, _b| x[0].multi_aff()?.to_map();
    "maff.add" "function" (MultiAff(A, B), MultiAff(A, B)) give2(isl_multi_aff_add MultiAff)
        |x, _b| x[0].multi_aff()?.add(x[1].multi_aff()?);
    "maff.sub" "function" (MultiAff(A, B), MultiAff(A, B)) give2(isl_multi_aff_sub MultiAff)
        |x, _b| x[0].multi_aff()?.sub(x[1].multi_aff()?);
    "maff.pullback" "function" (MultiAff(B, C), MultiAff(A, B)) give2(isl_multi_aff_pullback_multi_aff MultiAff)
        |x, _b| x[0].multi_aff()?.pullback(x[1].multi_aff()?);
    "maff.lex_lt_set" "function" (MultiAff(A, B), MultiAff(A, B)) give2(isl_multi_aff_lex_lt_set Set)
        |x, b| x[0].multi_aff()?.lex_lt_set(x[1].multi_aff()?, b);
    "maff.lex_ge_set" "function" (MultiAff(A, B), MultiAff(A, B)) give2(isl_multi_aff_lex_ge_set Set)
        |x, b| x[0].multi_aff()?.lex_ge_set(x[1].multi_aff()?, b);
    "maff.preimage_set" "function" (Set(B), MultiAff(A, B)) give2(isl_set_preimage_multi_aff Set)
        |x, b| x[0].set()?.preimage(x[1].multi_aff()?, b);
    "maff.preimage_domain" "function" (Map(B, C), MultiAff(A, B)) give2(isl_map_preimage_domain_multi_aff Map)
        |x, b| x[0].map()?.preimage_domain(x[1].multi_aff()?, b);
    "maff.preimage_range" "function" (Map(C, B), MultiAff(A, B)) give2(isl_map_preimage_range_multi_aff Map)
        |x, b| x[0].map()?.preimage_range(x[1].multi_aff()?, b);
    "pma.text" "function" (PwMultiAff(A, B)) custom(same) |x, _b| ok(x[0].pw_multi_aff()?.clone());
    "pma.to_map" "function" (PwMultiAff(A, B)) give1(isl_map_from_pw_multi_aff Map) |x, b| x[0].pw_multi_aff()?.to_map(b);
    "pma.domain" "function" (PwMultiAff(A, B)) give1(isl_pw_multi_aff_domain Set) |x, _b| x[0].pw_multi_aff()?.domain();
    "pma.add" "function" (PwMultiAff(A, B), PwMultiAff(A, B)) give2(isl_pw_multi_aff_add PwMultiAff) |x, b| x[0].pw_multi_aff()?.add(x[1].pw_multi_aff()?, b);
    "pma.sub" "function" (PwMultiAff(A, B), PwMultiAff(A, B)) give2(isl_pw_multi_aff_sub PwMultiAff) |x, b| x[0].pw_multi_aff()?.sub(x[1].pw_multi_aff()?, b);
    "pma.union_add" "function" (PwMultiAff(A, B), PwMultiAff(A, B)) give2(isl_pw_multi_aff_union_add PwMultiAff) |x, b| x[0].pw_multi_aff()?.union_add(x[1].pw_multi_aff()?, b);
    "pma.union_lexmin" "function" (PwMultiAff(A, B), PwMultiAff(A, B)) give2(isl_pw_multi_aff_union_lexmin PwMultiAff) |x, b| x[0].pw_multi_aff()?.union_lexmin(x[1].pw_multi_aff()?, b);
    "pma.union_lexmax" "function" (PwMultiAff(A, B), PwMultiAff(A, B)) give2(isl_pw_multi_aff_union_lexmax PwMultiAff) |x, b| x[0].pw_multi_aff()?.union_lexmax(x[1].pw_multi_aff()?, b);
    "pma.range_product" "function" (PwMultiAff(A, B), PwMultiAff(A, C)) give2(isl_pw_multi_aff_range_product PwMultiAff) |x, b| x[0].pw_multi_aff()?.range_product(x[1].pw_multi_aff()?, b);
    "pma.flat_range_product" "function" (PwMultiAff(A, B), PwMultiAff(A, C)) give2(isl_pw_multi_aff_flat_range_product PwMultiAff) |x, b| x[0].pw_multi_aff()?.flat_range_product(x[1].pw_multi_aff()?, b);
    "pma.product" "function" (PwMultiAff(A, B), PwMultiAff(B, C)) give2(isl_pw_multi_aff_product PwMultiAff) |x, b| x[0].pw_multi_aff()?.product(x[1].pw_multi_aff()?, b);
    "pma.pullback" "function" (PwMultiAff(B, C), PwMultiAff(A, B)) give2(isl_pw_multi_aff_pullback_pw_multi_aff PwMultiAff) |x, b| x[0].pw_multi_aff()?.pullback_pw(x[1].pw_multi_aff()?, b);
    "pma.intersect_domain" "function" (PwMultiAff(A, B), Set(A)) give2(isl_pw_multi_aff_intersect_domain PwMultiAff) |x, b| x[0].pw_multi_aff()?.intersect_domain(x[1].set()?, b);
    "pma.subtract_domain" "function" (PwMultiAff(A, B), Set(A)) give2(isl_pw_multi_aff_subtract_domain PwMultiAff) |x, b| x[0].pw_multi_aff()?.subtract_domain(x[1].set()?, b);
    "pma.gist" "function" (PwMultiAff(A, B), Set(A)) give2(isl_pw_multi_aff_gist PwMultiAff) |x, b| x[0].pw_multi_aff()?.gist(x[1].set()?, b), Judge::Gist("isl_pw_multi_aff_intersect_domain");
    "pma.coalesce" "function" (PwMultiAff(A, B)) give1(isl_pw_multi_aff_coalesce PwMultiAff) |x, b| x[0].pw_multi_aff()?.coalesce(b);
    "pma.is_equal" "function" (PwMultiAff(A, B), PwMultiAff(A, B)) test2(isl_pw_multi_aff_is_equal) |x, b| x[0].pw_multi_aff()?.is_equal(x[1].pw_multi_aff()?, b);
    "pma.preimage_set" "function" (Set(B), PwMultiAff(A, B)) give2(isl_set_preimage_pw_multi_aff Set) |x, b| x[0].set()?.preimage_pw(x[1].pw_multi_aff()?, b), Judge::EqualOrEmpty;
    "pma.preimage_domain" "function" (Map(B, C), PwMultiAff(A, B)) give2(isl_map_preimage_domain_pw_multi_aff Map) |x, b| x[0].map()?.preimage_domain_pw(x[1].pw_multi_aff()?, b), Judge::EqualOrEmpty;
    "pma.preimage_range" "function" (Map(C, B), PwMultiAff(A, B)) give2(isl_map_preimage_range_pw_multi_aff Map) |x, b| x[0].map()?.preimage_range_pw(x[1].pw_multi_aff()?, b), Judge::EqualOrEmpty;
    "pma.pullback_aff" "function" (PwAff(B), PwMultiAff(A, B)) give2(isl_pw_aff_pullback_pw_multi_aff PwAff) |x, b| x[0].pw_aff()?.pullback_pw(x[1].pw_multi_aff()?, b);
    "mpa.text" "function" (MultiPwAff(A, B)) custom(same) |x, _b| ok(x[0].multi_pw_aff()?.clone());
    "mpa.to_map" "function" (MultiPwAff(A, B)) give1(isl_map_from_multi_pw_aff Map) |x, b| x[0].multi_pw_aff()?.to_map(b);
    "mpa.domain" "function" (MultiPwAff(A, B)) give1(isl_multi_pw_aff_domain Set) |x, b| x[0].multi_pw_aff()?.domain(b);
    "mpa.add" "function" (MultiPwAff(A, B), MultiPwAff(A, B)) give2(isl_multi_pw_aff_add MultiPwAff) |x, b| x[0].multi_pw_aff()?.add(x[1].multi_pw_aff()?, b);
    "mpa.sub" "function" (MultiPwAff(A, B), MultiPwAff(A, B)) give2(isl_multi_pw_aff_sub MultiPwAff) |x, b| x[0].multi_pw_aff()?.sub(x[1].multi_pw_aff()?, b);
    "mpa.min" "function" (MultiPwAff(A, B), MultiPwAff(A, B)) give2(isl_multi_pw_aff_min MultiPwAff) |x, b| x[0].multi_pw_aff()?.min(x[1].multi_pw_aff()?, b);
    "mpa.max" "function" (MultiPwAff(A, B), MultiPwAff(A, B)) give2(isl_multi_pw_aff_max MultiPwAff) |x, b| x[0].multi_pw_aff()?.max(x[1].multi_pw_aff()?, b);
    "mpa.range_product" "function" (MultiPwAff(A, B), MultiPwAff(A, C)) give2(isl_multi_pw_aff_range_product MultiPwAff) |x, b| x[0].multi_pw_aff()?.range_product(x[1].multi_pw_aff()?, b);
    "mpa.pullback" "function" (MultiPwAff(B, C), MultiAff(A, B)) give2(isl_multi_pw_aff_pullback_multi_aff MultiPwAff) |x, b| x[0].multi_pw_aff()?.pullback(x[1].multi_aff()?, b);
    "mpa.intersect_domain" "function" (MultiPwAff(A, B), Set(A)) give2(isl_multi_pw_aff_intersect_domain MultiPwAff) |x, b| x[0].multi_pw_aff()?.intersect_domain(x[1].set()?, b);
    "mpa.to_pma" "function" (MultiPwAff(A, B)) give1(isl_pw_multi_aff_from_multi_pw_aff PwMultiAff) |x, b| x[0].multi_pw_aff()?.to_pw_multi_aff(b);
    "upa.text" "function" (UPwAff) custom(same) |x, _b| ok(x[0].union_pw_aff()?.clone());
    "upa.add" "function" (UPwAff, UPwAff) give2(isl_union_pw_aff_add UnionPwAff) |x, b| x[0].union_pw_aff()?.add(x[1].union_pw_aff()?, b);
    "upa.sub" "function" (UPwAff, UPwAff) give2(isl_union_pw_aff_sub UnionPwAff) |x, b| x[0].union_pw_aff()?.sub(x[1].union_pw_aff()?, b);
    "upa.union_add" "function" (UPwAff, UPwAff) give2(isl_union_pw_aff_union_add UnionPwAff) |x, b| x[0].union_pw_aff()?.union_add(x[1].union_pw_aff()?, b);
    "upa.zero_set" "function" (UPwAff) give1(isl_union_pw_aff_zero_union_set UnionSet) |x, b| x[0].union_pw_aff()?.zero_set(b);
    "upa.intersect_domain" "function" (UPwAff, USet) give2(isl_union_pw_aff_intersect_domain UnionPwAff) |x, b| x[0].union_pw_aff()?.intersect_domain(x[1].union_set()?, b);
    "upma.text" "function" (UPwMultiAff) custom(same) |x, _b| ok(x[0].union_pw_multi_aff()?.clone());
    "upma.to_map" "function" (UPwMultiAff) give1(isl_union_map_from_union_pw_multi_aff UnionMap) |x, b| x[0].union_pw_multi_aff()?.to_union_map(b);
    "upma.add" "function" (UPwMultiAff, UPwMultiAff) give2(isl_union_pw_multi_aff_add UnionPwMultiAff) |x, b| x[0].union_pw_multi_aff()?.add(x[1].union_pw_multi_aff()?, b);
    "upma.sub" "function" (UPwMultiAff, UPwMultiAff) give2(isl_union_pw_multi_aff_sub UnionPwMultiAff) |x, b| x[0].union_pw_multi_aff()?.sub(x[1].union_pw_multi_aff()?, b);
    "upma.union_add" "function" (UPwMultiAff, UPwMultiAff) give2(isl_union_pw_multi_aff_union_add UnionPwMultiAff) |x, b| x[0].union_pw_multi_aff()?.union_add(x[1].union_pw_multi_aff()?, b);
    "upma.flat_range_product" "function" (UPwMultiAff, UPwMultiAff) give2(isl_union_pw_multi_aff_flat_range_product UnionPwMultiAff) |x, b| x[0].union_pw_multi_aff()?.flat_range_product(x[1].union_pw_multi_aff()?, b);
    "upma.pullback" "function" (UPwMultiAff, UPwMultiAff) give2(isl_union_pw_multi_aff_pullback_union_pw_multi_aff UnionPwMultiAff) |x, b| x[0].union_pw_multi_aff()?.pullback(x[1].union_pw_multi_aff()?, b);
    "upma.intersect_domain" "function" (UPwMultiAff, USet) give2(isl_union_pw_multi_aff_intersect_domain UnionPwMultiAff) |x, b| x[0].union_pw_multi_aff()?.intersect_domain(x[1].union_set()?, b);
    "upma.subtract_domain" "function" (UPwMultiAff, USet) give2(isl_union_pw_multi_aff_subtract_domain UnionPwMultiAff) |x, b| x[0].union_pw_multi_aff()?.subtract_domain(x[1].union_set()?, b);
    "mupa.text" "function" (MUPwAff) custom(same) |x, _b| ok(x[0].multi_union_pw_aff()?.clone());
    "mupa.add" "function" (MUPwAff, MUPwAff) give2(isl_multi_union_pw_aff_add MultiUnionPwAff) |x, b| x[0].multi_union_pw_aff()?.add(x[1].multi_union_pw_aff()?, b);
    "mupa.to_map" "function" (MUPwAff) give1(isl_union_map_from_multi_union_pw_aff UnionMap) |x, b| x[0].multi_union_pw_aff()?.to_union_map(b);
    "maff.text_nested" "function" (MultiAff(AB, C)) custom(same) |x, _b| ok(x[0].multi_aff()?.clone());
}

fn same<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    Ok(Answer::Object(x[0].isl().object(x[0].kind(), x[0].take())?))
}

fn floor_div<'l>(x: &[Object<'l>]) -> isl::Result<Answer<'l>> {
    let isl = x[0].isl();
    // SAFETY: the functions have these signatures.
    unsafe {
        let quotient = isl.give2("isl_aff_scale_down_val", Kind::Aff, &x[0], &x[1])?;
        Ok(Answer::Object(isl.give1("isl_aff_floor", Kind::Aff, &quotient)?))
    }
}
