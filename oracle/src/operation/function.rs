//! Operations on quasi-affine functions.

use super::Arg::PwAff;
use super::T::A;
use super::{Call, Judge, Operation, operations};
use crate::isl::Kind;
use crate::value::Value;

operations! {
    "pwaff.to_map" "function" (PwAff(A)) give1(isl_map_from_pw_aff Map) |x, b| x[0].pw_aff()?.to_map(b);
    "pwaff.add" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_add PwAff)
        |x, b| x[0].pw_aff()?.add(x[1].pw_aff()?, b);
    "pwaff.min" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_min PwAff)
        |x, b| x[0].pw_aff()?.min(x[1].pw_aff()?, b);
    "pwaff.max" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_max PwAff)
        |x, b| x[0].pw_aff()?.max(x[1].pw_aff()?, b);
    "pwaff.lt" "function" (PwAff(A), PwAff(A)) give2(isl_pw_aff_lt_set Set)
        |x, b| x[0].pw_aff()?.lt_set(x[1].pw_aff()?, b);
}
