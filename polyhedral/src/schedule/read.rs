//! Reading schedule trees from YAML.
//!
//! The form is that of isl, block or flow style: a mapping per node with one of the keys `domain`, `context`, `filter`,
//! `sequence`, `set`, `schedule`, `mark`, `guard`, `extension`, `expansion` (with `contraction`) and, where the node
//! has one child, `child`. A band (`schedule`) takes `permutable`, `coincident` and `options`. A node `leaf`, or a
//! missing child, is a leaf.

use std::str::FromStr;
use std::sync::Arc;

use crate::affine::{MultiUnionPwAff, UnionPwAff, UnionPwMultiAff};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Set, UnionMap, UnionSet};
use crate::space::{Space, Tuple};
use crate::text::{Document, PARSE_BUDGET, Yaml, YamlValue, map, set};

use super::{Band, Expansion, Instances, Member, Node, ScheduleTree};

/// The keys of all nodes.
const KEYS: [&str; 16] = [
    "domain",
    "context",
    "guard",
    "filter",
    "sequence",
    "set",
    "schedule",
    "mark",
    "extension",
    "expansion",
    "contraction",
    "child",
    "permutable",
    "coincident",
    "options",
    "leaf",
];

/// The keys that say which kind of node it is.
const KINDS: [&str; 11] =
    ["domain", "context", "guard", "filter", "sequence", "set", "schedule", "mark", "extension", "expansion", "leaf"];

struct Reader<'d, 'a, 'b> {
    document: &'d Document<'a>,
    budget: &'b Budget,
}

impl ScheduleTree {
    /// Reads a schedule tree from YAML in the form that isl prints, block or flow style. The budget pays for the sets.
    pub fn from_yaml(text: &str, budget: &Budget) -> Result<ScheduleTree> {
        let (document, root) = Document::parse(text)?;
        tree(&document, &root, budget)
    }
}

/// The schedule tree at a node of a document.
pub(crate) fn tree(document: &Document<'_>, root: &Yaml, budget: &Budget) -> Result<ScheduleTree> {
    let reader = Reader { document, budget };
    let node = reader.node(root)?;
    let mut top = &node;
    while let Node::Context(_, child) = top {
        top = child;
    }
    match top {
        Node::Domain(..) | Node::Extension(..) => Ok(ScheduleTree::from_root(node)),
        _ => reader.document.error(root, "a domain (or an extension) at the root"),
    }
}

impl FromStr for ScheduleTree {
    type Err = Error;

    fn from_str(text: &str) -> Result<ScheduleTree> {
        ScheduleTree::from_yaml(text, &Budget::new(PARSE_BUDGET))
    }
}

impl Reader<'_, '_, '_> {
    fn node(&self, yaml: &Yaml) -> Result<Node> {
        if let YamlValue::Scalar(text) = &yaml.value {
            if matches!(text.as_str(), "leaf" | "" | "~" | "null") {
                return Ok(Node::Leaf);
            }
            return self.document.error(yaml, "a node of a schedule tree");
        }
        let fields = self.document.fields(yaml, "a node of a schedule tree", &KEYS)?;
        for (k, (name, key, _)) in fields.iter().enumerate() {
            if fields[..k].iter().any(|(known, ..)| known == name) {
                return self.document.error(key, "a key that does not yet occur");
            }
        }
        let get = |name: &str| fields.iter().find(|(key, ..)| *key == name).map(|(_, _, value)| *value);
        let mut kinds = fields.iter().filter(|(key, ..)| KINDS.contains(key));
        let Some((kind, _, value)) = kinds.next() else {
            return self.document.error(yaml, &format!("a node with one of the keys {}", KINDS.join(", ")));
        };
        if let Some((_, key, _)) = kinds.next() {
            return self.document.error(key, &format!("only one kind of node (this is already a {kind})"));
        }
        let allowed: &[&str] = match *kind {
            "schedule" => &["schedule", "permutable", "coincident", "options", "child"],
            "expansion" => &["contraction", "expansion", "child"],
            "sequence" | "set" | "leaf" => &[kind],
            _ => &[kind, "child"],
        };
        if let Some((_, key, _)) = fields.iter().find(|(key, ..)| !allowed.contains(key)) {
            return self.document.error(key, &format!("one of the keys of a {kind} node: {}", allowed.join(", ")));
        }
        let child = || match get("child") {
            Some(child) => self.node(child).map(Arc::new),
            None => Ok(Arc::new(Node::Leaf)),
        };
        Ok(match *kind {
            "domain" => Node::Domain(self.instances(value)?, child()?),
            "filter" => Node::Filter(self.instances(value)?, child()?),
            "context" => Node::Context(self.context(value)?, child()?),
            "guard" => Node::Guard(self.context(value)?, child()?),
            "extension" => Node::Extension(self.map(value)?, child()?),
            "expansion" => {
                let expansion = self.map(value)?;
                let contraction = match get("contraction") {
                    Some(yaml) => self
                        .document
                        .read(yaml, "a union of functions", |text| UnionPwMultiAff::parse(text, self.budget))?,
                    None => return self.document.error(yaml, "the key contraction beside expansion"),
                };
                Node::Expansion(Expansion { contraction, expansion }, child()?)
            }
            "mark" => Node::mark(self.document.scalar(value, "the name of a mark")?, (*child()?).clone()),
            "sequence" => Node::Sequence(self.children(value)?),
            "set" => Node::Set(self.children(value)?),
            "schedule" => {
                let band = self.band(value, get("permutable"), get("coincident"))?;
                let band = match get("options") {
                    Some(yaml) => self.document.read(yaml, "options", |text| {
                        band.clone().with_options(&UnionSet::parse(text, self.budget)?, self.budget)
                    })?,
                    None => band,
                };
                Node::Band(band, child()?)
            }
            _ => Node::Leaf,
        })
    }

    fn map(&self, yaml: &Yaml) -> Result<UnionMap> {
        map(self.document, yaml, self.budget)
    }

    fn children(&self, yaml: &Yaml) -> Result<Vec<Arc<Node>>> {
        let list = self.document.list(yaml, "a list of filters")?;
        if list.is_empty() {
            return self.document.error(yaml, "at least one filter");
        }
        let mut result = Vec::with_capacity(list.len());
        for child in list {
            let node = self.node(child)?;
            if !matches!(node, Node::Filter(..)) {
                return self.document.error(child, "a filter");
            }
            result.push(Arc::new(node));
        }
        Ok(result)
    }

    fn instances(&self, yaml: &Yaml) -> Result<Instances> {
        Instances::from_union_set(&set(self.document, yaml, self.budget)?)
    }

    fn context(&self, yaml: &Yaml) -> Result<Set> {
        self.document.read(yaml, "a set of parameters", |text| Set::parse(text, self.budget))
    }

    fn band(&self, value: &Yaml, permutable: Option<&Yaml>, coincident: Option<&Yaml>) -> Result<Band> {
        let mut members = match &value.value {
            // The functions of the members one by one.
            YamlValue::List(_) => {
                let functions =
                    self.document.read_all(value, "a function", |text| UnionPwAff::parse(text, self.budget))?;
                let space = Space::set_of(&Space::params::<&str>(&[]), Tuple::anonymous(functions.len()));
                members(&MultiUnionPwAff::new(space, functions)?)?
            }
            _ => self
                .document
                .read(value, "a partial schedule", |text| members(&MultiUnionPwAff::parse(text, self.budget)?))?,
        };
        if let Some(yaml) = coincident {
            let flags = self.document.list(yaml, "a list of 0 and 1")?;
            // As for isl, flags that are missing are 0.
            if flags.len() > members.len() {
                return self.document.error(yaml, &format!("at most {} flags, one per member", members.len()));
            }
            for (member, flag) in members.iter_mut().zip(flags) {
                member.coincident = self.document.flag(flag)?;
            }
        }
        let permutable = match permutable {
            Some(flag) => self.document.flag(flag)?,
            None => false,
        };
        Ok(Band::new(members).with_permutable(permutable))
    }
}

/// The members of `[n] -> Name[{ S[i] -> [(i)]; ... }, ...]`: one function per statement and member.
fn members(schedule: &MultiUnionPwAff) -> Result<Vec<Member>> {
    Ok(Band::from_schedule(schedule)?.members().to_vec())
}
