//! Orders of statements of two loops.

/// The text of the schedule of statements `name[i, j]`: all in one nest (`shared` is 2), in one outer loop, or one nest
/// after the other.
pub(crate) fn schedule(shared: usize, names: &[&str], domains: &str) -> String {
    let band = |k: &str, some: &[&str]| {
        let members: Vec<String> = some.iter().map(|name| format!("{name}[i, j] -> [({k})]")).collect();
        format!("schedule: \"[{{ {} }}]\"\n", members.join("; "))
    };
    let mut text = format!("schedule:\n  domain: \"[n] -> {{ {domains} }}\"\n  child:\n");
    if let [name] = names {
        return text + "    " + &band("i", &[name]) + "    child:\n      " + &band("j", &[name]);
    }
    let mut indent = "    ".to_owned();
    for k in ["i", "j"].into_iter().take(shared) {
        text += &format!("{indent}{}{indent}child:\n", band(k, names));
        indent += "  ";
    }
    text += &format!("{indent}sequence:\n");
    for name in names {
        text += &format!("{indent}- filter: \"{{ {name}[i, j] }}\"\n");
        let mut inner = format!("{indent}  ");
        for k in ["i", "j"].into_iter().skip(shared) {
            text += &format!("{inner}child:\n{inner}  {}", band(k, &[name]));
            inner += "  ";
        }
    }
    text
}
