//! What the plugin prints of a SCoP is what the library reads: all kernels of the corpus, and their dependences.

use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::{Map, UnionMap};
use tessera_polyhedral::scop::Scop;
use tessera_tests::plugin::{Plugin, workspace};
use tessera_tests::process::Run;

/// What the option `print` writes for a file of the corpus.
fn printed(plugin: &Plugin, source: &std::path::Path) -> String {
    let output = Run::new("clang-22")
        .env("TESSERA", "print")
        .args(["-O3", "-w", "-std=gnu17", "-c", "-o", "/dev/null"])
        .arg(format!("-fpass-plugin={}", plugin.path().display()))
        .arg(source)
        .output();
    output.unwrap_or_else(|failure| panic!("{failure}")).stderr
}

/// The relations that the comments of a print give as dependences, SCoP by SCoP.
fn dependences(text: &str) -> Vec<Vec<String>> {
    let documents = text.split("---\n").skip(1);
    let lines = documents.map(|document| document.lines().filter_map(|line| line.strip_prefix("# dependence: ")));
    lines.map(|lines| lines.map(str::to_owned).collect()).collect()
}

#[test]
fn the_library_reads_what_is_printed() {
    let plugin = Plugin::locate().unwrap_or_else(|failure| panic!("{failure}"));
    let (mut scops, mut pairs) = (0, 0);
    for form in ["flat", "c99"] {
        let folder = workspace().join("tests/corpus").join(form);
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut sources: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        sources.retain(|source| source.extension().is_some_and(|extension| extension == "c"));
        sources.sort();
        for source in sources {
            let text = printed(&plugin, &source);
            let name = source.display();
            let budget = Budget::new(500_000_000);
            let read = Scop::parse_all(&text, &budget).unwrap_or_else(|error| panic!("{name}: {error:#}\n{text}"));
            let expected = dependences(&text);
            assert_eq!(read.len(), expected.len(), "{name}: a SCoP for every document");
            for (scop, expected) in read.iter().zip(expected) {
                assert_eq!(scop.to_string().parse::<Scop>().as_ref(), Ok(scop), "{name}");
                assert!(text.contains(&scop.to_string()), "{name}: printed again, {} is another text", scop.name);
                let found = scop.dependences(&budget).unwrap_or_else(|error| panic!("{name}: {error}"));
                let ordered = found.merged.iter().filter(|dependence| !dependence.reduction);
                let found: Vec<Map> = ordered.map(|dependence| dependence.map.clone()).collect();
                assert_eq!(found.len(), expected.len(), "{name}");
                for (map, text) in found.iter().zip(&expected) {
                    let told =
                        UnionMap::parse(text, &budget).and_then(|map| map.intersect_params(&scop.context, &budget));
                    let told = told.unwrap_or_else(|error| panic!("{name}: {error}"));
                    let found = UnionMap::from_members([map.clone()]).unwrap_or_else(|error| panic!("{error}"));
                    assert_eq!(told.is_equal(&found, &budget), Ok(true), "{name}: {text}");
                    pairs += 1;
                }
                scops += 1;
            }
        }
    }
    println!("{scops} SCoPs, {pairs} dependences");
    assert!(scops >= 60 && pairs >= 100, "{scops} SCoPs with {pairs} dependences: too few to tell anything");
}
