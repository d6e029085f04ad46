//! The rooms of the plugin: no module at the top imports one that stands above it in the list of ARCHITECTURE.md.

#[path = "../../polyhedral/tests/rooms_support/mod.rs"]
mod rooms_support;

use rooms_support::{architecture, sources, upward};
use std::path::Path;

#[test]
fn no_room_imports_one_above_it() {
    let manifest = env!("CARGO_MANIFEST_DIR");
    let list = architecture(manifest, "No module at the top imports one above it. From below:", "(");
    let rooms: Vec<String> = list.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let found = upward(manifest, &rooms, &[], &["lib"]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Handles to the host's code must not outlive a run; they cannot, as long as nothing lasts longer that could hold one.
#[test]
fn only_panics_have_thread_local_storage() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&source, &mut files);
    files.retain(|file| std::fs::read_to_string(file).expect("the file can be read").contains("thread_local!"));
    assert_eq!(files, [source.join("host/panics.rs")]);
}
