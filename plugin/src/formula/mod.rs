//! Polynomials over counters and parameters, and conditions on them: what detection reads out of IR, and what models are made of.
//!
//! Values without handles to IR, apart from the loads and values that parameters stand for; sets are made of them in `model::sets`.

pub mod condition;
pub mod poly;
