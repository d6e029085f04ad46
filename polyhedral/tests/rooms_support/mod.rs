//! What the tests of rooms share: the order of the rooms of a crate as ARCHITECTURE.md gives it, and the imports against it.

use std::fs;
use std::path::{Path, PathBuf};

/// The text of ARCHITECTURE.md from one mark on, up to another.
pub(crate) fn architecture(manifest: &str, from: &str, to: &str) -> String {
    let path = Path::new(manifest).join("../ARCHITECTURE.md");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let start = text.find(from).unwrap_or_else(|| panic!("ARCHITECTURE.md does not have {from:?}")) + from.len();
    let end = text[start..].find(to).unwrap_or_else(|| panic!("ARCHITECTURE.md does not have {to:?} after {from:?}"));
    text[start..start + end].to_owned()
}

/// Adds the Rust files in a folder and below.
pub(crate) fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.extend(path.extension().is_some_and(|extension| extension == "rs").then_some(path)),
        }
    }
    found.sort();
}

/// The imports of the crate that lead from a room to one above it. `rooms` has the top modules of the crate, the lowest first;
/// `elsewhere` the names at the root of the crate that stand for something in a room (exported macros), with the room; `outside` the files
/// and folders of `src` that are no rooms.
///
/// An import is any `crate::room` in code, tests inside the sources too; comments do not count. That a room calls a method whose `impl`
/// is written in a room above does not show in the text.
pub(crate) fn upward(manifest: &str, rooms: &[String], elsewhere: &[(&str, &str)], outside: &[&str]) -> Vec<String> {
    let root = Path::new(manifest).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 100, "{} files", files.len());
    let height = |name: &str| rooms.iter().position(|room| room == name);
    let mut seen = vec![false; rooms.len()];
    let mut found = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&root).expect("a file of the crate");
        let names: Vec<&str> = inside.iter().filter_map(|name| name.to_str()).collect();
        let room = names[0].trim_end_matches(".rs");
        if outside.contains(&room) {
            continue;
        }
        let own = height(room).unwrap_or_else(|| panic!("{room} has no place among the rooms"));
        seen[own] = true;
        // `super` of the file that is the room leads out of it, and so on.
        let depth = names.len() - usize::from(names.last() == Some(&"mod.rs")) - 1;
        let text = fs::read_to_string(&file).expect("a text");
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for (at, _) in line.match_indices("crate::").filter(|(at, _)| !line[..*at].ends_with('$')) {
                let rest = &line[at + "crate::".len()..];
                let name = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
                let name = elsewhere.iter().find(|(other, _)| *other == name).map_or(name, |(_, room)| room);
                let other = height(name).unwrap_or_else(|| panic!("{}: no room: {}", inside.display(), line.trim()));
                if other > own {
                    found.push(format!("{}: {}", inside.display(), line.trim()));
                }
            }
            let import = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("use ").unwrap_or_default();
            let mut path = import;
            let mut steps = 0;
            while let Some(rest) = path.strip_prefix("super::") {
                (path, steps) = (rest, steps + 1);
            }
            assert!(steps <= depth, "{}: leaves its room without its name: {}", inside.display(), line.trim());
        }
    }
    let without: Vec<&String> = rooms.iter().zip(&seen).filter(|(_, seen)| !**seen).map(|(room, _)| room).collect();
    assert!(without.is_empty(), "rooms without a file: {without:?}");
    found
}
