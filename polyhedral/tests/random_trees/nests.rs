//! Orders of statements of two loops, and what is done to them so that they can be executed.

use tessera_polyhedral::schedule::{Cursor, LoopType, Node, ScheduleTree};

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

/// The same order with loops instead of copies, which need not be possible for all values of parameters.
pub(crate) fn rolled(tree: &ScheduleTree) -> ScheduleTree {
    let mut plain = |cursor: Cursor| match cursor.node() {
        Node::Band(..) => {
            cursor.update_band(|_, members| members.iter_mut().for_each(|m| m.loop_type = LoopType::Default))
        }
        _ => Ok(cursor),
    };
    tree.cursor().map_bottom_up(&mut plain).unwrap().into_tree()
}
