//! What tests of the scheduler share.

pub(crate) mod judge;
pub(crate) mod scop;
pub(crate) mod shown;
