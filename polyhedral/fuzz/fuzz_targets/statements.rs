//! Any text as a program of the calculator: executed, or refused with a place.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tessera_polyhedral::calc::{Calculator, is_complete};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = is_complete(text);
    if let Err(e) = Calculator::new(100_000).run(text, &mut |_| {}) {
        assert!(e.line >= 1 && e.line <= text.split('\n').count() && e.column >= 1, "{e}");
    }
});
