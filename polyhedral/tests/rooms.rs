//! The rooms of the library: no module at the top imports one that stands above it in the table of ARCHITECTURE.md.

use crate::rooms_support::{architecture, upward};

#[test]
fn no_room_imports_one_above_it() {
    let manifest = env!("CARGO_MANIFEST_DIR");
    let table = architecture(manifest, "## polyhedral: from the ground up", "\n## ");
    let row = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    let rooms: Vec<String> = table.lines().filter_map(row).collect();
    let found = upward(manifest, &rooms, &[("phase", "trace")], &["lib", "bin"]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
