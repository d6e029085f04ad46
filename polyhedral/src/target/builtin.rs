//! The targets that are built in, as texts.

use crate::error::Result;

use super::Target;

const TEXTS: [(&str, &str); 4] = [
    ("generic", include_str!("generic.yaml")),
    ("avx2", include_str!("avx2.yaml")),
    ("avx512", include_str!("avx512.yaml")),
    ("neon", include_str!("neon.yaml")),
];

impl Target {
    /// The names of the built-in targets.
    pub fn builtins() -> impl Iterator<Item = &'static str> {
        TEXTS.iter().map(|(name, _)| *name)
    }

    /// The text of a built-in target, with the comments that explain it.
    pub fn builtin_text(name: &str) -> Option<&'static str> {
        TEXTS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// A built-in target; nothing if there is none of that name.
    pub fn builtin(name: &str) -> Option<Result<Target>> {
        Target::builtin_text(name).map(Target::parse)
    }
}
