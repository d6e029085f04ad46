//! Any text as every type: read or refused with a place; what is printed reads back equal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tessera_polyhedral::Error;
use tessera_polyhedral::affine::{Aff, MultiAff, PwAff};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Map, Set, UnionMap, UnionSet};

/// Work per text and type.
const LIMIT: u64 = 100_000;

fn check<T>(text: &str, result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::Parse(e)) => {
            assert!(e.line >= 1 && e.line <= text.split('\n').count() && e.column >= 1, "{e}");
            None
        }
        Err(_) => None,
    }
}

macro_rules! round_trip {
    ($Type:ident, $text:expr) => {
        if let Some(value) = check($text, $Type::parse($text, &Budget::new(LIMIT))) {
            let printed = value.to_string();
            match $Type::parse(&printed, &Budget::new(100 * LIMIT)) {
                Ok(again) => {
                    let equal = again.is_equal(&value, &Budget::new(10 * LIMIT)).unwrap_or(true);
                    assert!(equal, "{} printed as {printed}", $text);
                }
                Err(Error::Parse(e)) => panic!("{} printed as {printed}: {e}", $text),
                Err(_) => {}
            }
        }
    };
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    round_trip!(Set, text);
    round_trip!(Map, text);
    round_trip!(UnionSet, text);
    round_trip!(UnionMap, text);
    check(text, Aff::parse(text, &Budget::new(LIMIT)));
    check(text, MultiAff::parse(text, &Budget::new(LIMIT)));
    check(text, PwAff::parse(text, &Budget::new(LIMIT)));
});
