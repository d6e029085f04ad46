//! Any text as YAML of every composite object: read or refused; a schedule tree reads back equal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tessera_polyhedral::Error;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::flow::{AccessInfo, FlowInfo};
use tessera_polyhedral::scheduler::ScheduleConstraints;

/// Work per text and type.
const LIMIT: u64 = 100_000;

fn check<T>(text: &str, result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::Parse(e)) => {
            assert!(e.line >= 1 && e.column >= 1, "{e} in {text}");
            None
        }
        Err(_) => None,
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Some(tree) = check(text, ScheduleTree::from_yaml(text, &Budget::new(LIMIT))) {
        let printed = tree.to_yaml();
        if let Err(Error::Parse(e)) = ScheduleTree::from_yaml(&printed, &Budget::new(100 * LIMIT)) {
            panic!("{text} printed as {printed}: {e}");
        }
    }
    check(text, ScheduleConstraints::parse(text, &Budget::new(LIMIT)));
    check(text, AccessInfo::parse(text, &Budget::new(LIMIT)));
    check(text, FlowInfo::parse(text, &Budget::new(LIMIT)));
});
