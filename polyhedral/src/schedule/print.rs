//! Printing schedule trees: a compact drawing for people, and YAML in the manner of isl.

use std::fmt;

use crate::affine::{Aff, PwAff};

use super::band::{Band, Member};
use super::instances::Instances;
use super::options;
use super::tree::{Node, ScheduleTree};

/// The compact drawing: one line per node, children indented, leaves left out. Example:
///
/// ```text
/// domain { S[i, j] : 0 <= i < n and 0 <= j < n }
///   band (permutable)
///     S -> [i, j]  coincident [1, 1]
/// ```
impl fmt::Display for ScheduleTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        draw(self.root(), 0, f)
    }
}

fn draw(node: &Node, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let indent = 2 * depth;
    match node {
        Node::Domain(instances, _) => writeln!(f, "{:indent$}domain {instances}", "")?,
        Node::Context(set, _) => writeln!(f, "{:indent$}context {set}", "")?,
        Node::Guard(set, _) => writeln!(f, "{:indent$}guard {set}", "")?,
        Node::Extension(map, _) => writeln!(f, "{:indent$}extension {map}", "")?,
        Node::Expansion(expansion, _) => writeln!(f, "{:indent$}expansion {}", "", expansion.expansion)?,
        Node::Filter(instances, _) => writeln!(f, "{:indent$}filter {}", "", short(instances))?,
        Node::Sequence(_) => writeln!(f, "{:indent$}sequence", "")?,
        Node::Set(_) => writeln!(f, "{:indent$}set", "")?,
        Node::Band(band, _) => draw_band(band, indent, f)?,
        Node::Mark(name, _) => writeln!(f, "{:indent$}mark {name}", "")?,
        Node::Leaf => {}
    }
    node.children().iter().try_for_each(|child| draw(child, depth + 1, f))
}

/// Instances of a filter: only the names where everything passes.
fn short(instances: &Instances) -> String {
    let parts: Vec<String> = instances
        .iter()
        .map(|(name, set)| if set.is_plainly_universe() { format!("{name}[..]") } else { body(&set.to_string()) })
        .collect();
    format!("{{ {} }}", parts.join("; "))
}

fn draw_band(band: &Band, indent: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let permutable = if band.permutable { " (permutable)" } else { "" };
    writeln!(f, "{:indent$}band{permutable}", "")?;
    let Some(first) = band.members().first() else { return Ok(()) };
    for (stmt, _) in first.exprs() {
        let exprs: Vec<String> = band
            .members()
            .iter()
            .map(|member| member.function(stmt).map_or_else(|| "?".to_owned(), function))
            .collect();
        writeln!(f, "{:indent$}  {stmt} -> [{}]", "", exprs.join(", "))?;
    }
    if band.members().iter().any(|member| member.coincident) {
        writeln!(f, "{:indent$}  coincident {}", "", flags(band.members()))?;
    }
    match options::text(band) {
        Some(options) => writeln!(f, "{:indent$}  options {options}", ""),
        None => Ok(()),
    }
}

fn flags(members: &[Member]) -> String {
    let flags: Vec<&str> = members.iter().map(|member| if member.coincident { "1" } else { "0" }).collect();
    format!("[{}]", flags.join(", "))
}

/// The text between the braces of a printed set or function.
pub(super) fn body(text: &str) -> String {
    match (text.find('{'), text.rfind('}')) {
        (Some(start), Some(end)) if start < end => text[start + 1..end].trim().to_owned(),
        _ => text.to_owned(),
    }
}

/// The printed function without its space: one expression, or all pieces in braces.
fn function(function: &PwAff) -> String {
    match function.as_total() {
        Some(aff) => expression(aff),
        None => format!("{{ {} }}", body(&function.to_string())),
    }
}

/// The printed expression without its space.
fn expression(aff: &Aff) -> String {
    let text = body(&aff.to_string());
    let value = text.rsplit_once("->").map_or(text.as_str(), |(_, value)| value).trim().to_owned();
    let inner = value.strip_prefix('[').and_then(|v| v.strip_suffix(']')).unwrap_or(&value);
    let bare = inner.strip_prefix('(').and_then(|v| v.strip_suffix(')'));
    match bare {
        Some(bare) if balanced(bare) => bare.to_owned(),
        _ => inner.to_owned(),
    }
}

/// Whether every closing parenthesis has its opening one before it.
fn balanced(text: &str) -> bool {
    let mut depth = 0i64;
    for c in text.chars() {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// Prints the instances as one union set, for instance `[n] -> { S[i] : 0 <= i < n; T[] }`.
impl fmt::Display for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut params: Vec<&str> = Vec::new();
        for (_, set) in self.iter() {
            for name in set.space().param_names() {
                if !params.contains(&&**name) {
                    params.push(name);
                }
            }
        }
        if !params.is_empty() {
            write!(f, "[{}] -> ", params.join(", "))?;
        }
        let parts: Vec<String> = self.iter().map(|(_, set)| body(&set.to_string())).filter(|s| !s.is_empty()).collect();
        write!(f, "{{ {} }}", parts.join("; "))
    }
}

impl ScheduleTree {
    /// The tree in the YAML form that isl prints: one mapping per node with the keys `domain`, `context`, `filter`,
    /// `sequence`, `set`, `schedule`, `permutable`, `coincident`, `options`, `mark`, `guard`, `extension`,
    /// `contraction`, `expansion` and `child`. Leaves are left out.
    pub fn to_yaml(&self) -> String {
        let mut out = String::new();
        yaml(self.root(), 0, true, &mut out);
        out
    }
}

/// Writes a node as a YAML mapping; the first line is indented only if `indent_first`.
fn yaml(node: &Node, depth: usize, indent_first: bool, out: &mut String) {
    let pad = " ".repeat(depth);
    let mut lines: Vec<String> = Vec::new();
    match node {
        Node::Domain(instances, _) => lines.push(format!("domain: \"{instances}\"")),
        Node::Context(set, _) => lines.push(format!("context: \"{set}\"")),
        Node::Guard(set, _) => lines.push(format!("guard: \"{set}\"")),
        Node::Extension(map, _) => lines.push(format!("extension: \"{map}\"")),
        Node::Expansion(expansion, _) => {
            lines.push(format!("contraction: \"{}\"", expansion.contraction));
            lines.push(format!("expansion: \"{}\"", expansion.expansion));
        }
        Node::Filter(instances, _) => lines.push(format!("filter: \"{instances}\"")),
        Node::Sequence(_) => lines.push("sequence:".to_owned()),
        Node::Set(_) => lines.push("set:".to_owned()),
        Node::Band(band, _) => {
            let mut params: Vec<&str> = Vec::new();
            let mut members: Vec<String> = Vec::new();
            for member in band.members() {
                let mut exprs = Vec::new();
                for (_, function) in member.exprs() {
                    exprs.push(body(&function.to_string()));
                    for name in function.space().param_names() {
                        if !params.contains(&&**name) {
                            params.push(name);
                        }
                    }
                }
                members.push(format!("{{ {} }}", exprs.join("; ")));
            }
            let prefix = if params.is_empty() { String::new() } else { format!("[{}] -> ", params.join(", ")) };
            lines.push(format!("schedule: \"{prefix}[{}]\"", members.join(", ")));
            if band.permutable {
                lines.push("permutable: 1".to_owned());
            }
            if band.members().iter().any(|member| member.coincident) {
                lines.push(format!("coincident: {}", flags(band.members())));
            }
            if let Some(options) = options::text(band) {
                lines.push(format!("options: \"{options}\""));
            }
        }
        Node::Mark(name, _) => lines.push(format!("mark: \"{name}\"")),
        Node::Leaf => return,
    }
    for (index, line) in lines.iter().enumerate() {
        if index > 0 || indent_first {
            out.push_str(&pad);
        }
        out.push_str(line);
        out.push('\n');
    }
    match node {
        Node::Sequence(children) | Node::Set(children) => {
            for child in children {
                out.push_str(&pad);
                out.push_str("- ");
                yaml(child, depth + 2, false, out);
            }
        }
        _ => {
            for child in node.children().iter().filter(|child| !matches!(***child, Node::Leaf)) {
                out.push_str(&pad);
                out.push_str("child:\n");
                yaml(child, depth + 2, true, out);
            }
        }
    }
}
