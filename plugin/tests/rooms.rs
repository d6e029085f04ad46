//! The rooms of the plugin: no module at the top imports one that stands above it.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms, the lowest first. `ARCHITECTURE.md` says what each is for.
const ROOMS: [&str; 17] = [
    "position", "phase", "options", "host", "machine", "reasons", "formula", "detect", "model", "simplify", "optimise",
    "emit", "report", "times", "pipeline", "entry", "exports",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.extend(path.extension().is_some_and(|extension| extension == "rs").then_some(path)),
        }
    }
}

#[test]
fn no_room_imports_one_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 100, "{} files", files.len());
    let mut upward = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&root).expect("a file of the plugin");
        let room = inside.iter().next().and_then(|name| name.to_str()).unwrap_or_default().trim_end_matches(".rs");
        if room == "lib" {
            continue;
        }
        let own = ROOMS.iter().position(|known| *known == room).unwrap_or_else(|| panic!("{room} is no room"));
        let text = fs::read_to_string(&file).expect("a text");
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for (at, _) in line.match_indices("crate::") {
                let rest = &line[at + "crate::".len()..];
                let other = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
                if line[..at].ends_with("$") {
                    continue;
                }
                let other = ROOMS
                    .iter()
                    .position(|known| *known == other)
                    .unwrap_or_else(|| panic!("{}: {line}", inside.display()));
                if other > own {
                    upward.push(format!("{}: {}", inside.display(), line.trim()));
                }
            }
        }
    }
    assert!(upward.is_empty(), "{}", upward.join("\n"));
}
