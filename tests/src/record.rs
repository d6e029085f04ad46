//! Optimisation records, as clang, opt and rustc write them: what the plugin says about each loop nest.

/// One remark.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// The line in the source; 0 if the record has none.
    pub line: u64,
    /// Whether a nest was transformed.
    pub transformed: bool,
    /// The stable name of the reason.
    pub name: String,
    /// The linkage name of the function.
    pub function: String,
    /// The sentence.
    pub message: String,
}

/// The name of the remarks that give the steps of a transformation; they come on top of the one for each nest.
pub const STEPS: &str = "LoopSteps";

/// The remarks of the plugin about nests in a record, in its order, without the [`STEPS`].
pub fn remarks(record: &str) -> Vec<Remark> {
    record.split("--- !").skip(1).filter_map(remark).filter(|remark| remark.name != STEPS).collect()
}

/// The steps of the transformed nests in a record, in its order.
pub fn steps(record: &str) -> Vec<Remark> {
    record.split("--- !").skip(1).filter_map(remark).filter(|remark| remark.name == STEPS).collect()
}

/// Reads one entry of a record; `None` when it is of another pass.
fn remark(entry: &str) -> Option<Remark> {
    let field = |name: &str| entry.lines().find_map(|line| Some(line.trim_start().strip_prefix(name)?.trim()));
    if field("Pass:") != Some("tessera") {
        return None;
    }
    let line = field("DebugLoc:").and_then(|place| place.split_once("Line: ")?.1.split(',').next()?.parse().ok());
    // A long sentence goes on in the next lines; the words are what counts.
    let arguments = entry.split_once("- String:").map_or("", |(_, rest)| rest);
    let words: Vec<&str> = arguments.split("\n...").next().unwrap_or("").split_whitespace().collect();
    let message = words.join(" ").trim_matches(['\'', '"']).replace("''", "'");
    Some(Remark {
        line: line.unwrap_or(0),
        transformed: entry.starts_with("Passed"),
        name: field("Name:").unwrap_or("").to_string(),
        function: field("Function:").unwrap_or("").trim_matches(['\'', '"']).to_string(),
        message,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_an_entry() {
        let entry = "--- !Missed\nPass:            tessera\nName:            Call\nDebugLoc:        { File: 'a.c', Line: 7, \
                     Column: 5 }\nFunction:        f\nArgs:\n  - String:          'loop nest left as\n      it''s'\n...\n";
        let [remark] = remarks(entry).try_into().expect("one remark");
        assert_eq!((remark.line, remark.transformed, remark.function.as_str()), (7, false, "f"));
        assert_eq!((remark.name.as_str(), remark.message.as_str()), ("Call", "loop nest left as it's"));
        assert!(remarks(&entry.replace("tessera", "licm")).is_empty());
    }
}
