//! Texts for users: what was done to a nest and why not, in a sentence, and the model of a nest in isl notation.

pub mod print;
pub mod summary;
