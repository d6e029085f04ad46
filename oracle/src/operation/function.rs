//! Operations on quasi-affine functions.

use super::Arg::{Aff, Constant, Map, MultiAff, Positive, PwAff, Set, Val};
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
