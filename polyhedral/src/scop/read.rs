//! SCoPs from text.

use std::str::FromStr;

use crate::budget::Budget;
use crate::count::UnionPwQPolynomial;
use crate::error::{Error, Result};
use crate::flow::AccessKind;
use crate::relation::{Map, Set};
use crate::schedule::tree_of_yaml;
use crate::text::{Document, PARSE_BUDGET, Yaml};

use super::{
    Access, Array, Assumption, Chain, Element, Operation, Promise, Reduction, Scop, ScopPart, Statement, Storage,
};

/// A mapping with its fields.
struct Fields<'y> {
    node: &'y Yaml,
    fields: Vec<(&'y str, &'y Yaml, &'y Yaml)>,
}

struct Reader<'d, 'a, 'b> {
    document: &'d Document<'a>,
    budget: &'b Budget,
}

impl Scop {
    /// Reads a SCoP as `Display` prints it. Errors say line, column and what was expected; the invariants of the module are checked.
    /// The budget pays for the sets.
    pub fn parse(text: &str, budget: &Budget) -> Result<Scop> {
        let (document, root) = Document::parse(text)?;
        let reader = Reader { document: &document, budget };
        let keys = ["scop", "context", "arrays", "statements", "promises", "assumptions", "schedule"];
        let all = reader.fields(&root, "a SCoP: a YAML mapping", &keys)?;
        let arrays = reader.each(all.get("arrays"), |array| reader.array(array))?;
        let statements = reader.each(all.get("statements"), |statement| reader.statement(statement))?;
        let scop = Scop {
            name: reader.string(reader.need(&all, "scop")?)?,
            context: match all.get("context") {
                Some(context) => reader.set(context)?,
                None => Set::universe(crate::space::Space::params::<&str>(&[])),
            },
            promises: reader.each(all.get("promises"), |promise| reader.promise(promise, &statements))?,
            assumptions: reader.each(all.get("assumptions"), |assumption| reader.assumption(assumption))?,
            schedule: tree_of_yaml(&document, reader.need(&all, "schedule")?, budget)?,
            arrays,
            statements,
        };
        match scop.verify().first() {
            None => Ok(scop),
            Some(defect) => {
                document.error(part(&root, defect.part), &format!("another {} ({defect})", defect.part.kind()))
            }
        }
    }
}

/// The node of a part in the text of a SCoP; the nearest one around it where there is none.
fn part(root: &Yaml, part: ScopPart) -> &Yaml {
    let entry = |list: &str, index: usize| root.get(list).and_then(|list| list.entry(index));
    let node = match part {
        ScopPart::Array(index) => entry("arrays", index),
        ScopPart::Statement(index) => entry("statements", index),
        ScopPart::Access { statement, access } => entry("statements", statement).map(|statement| {
            statement.get("accesses").and_then(|accesses| accesses.entry(access)).unwrap_or(statement)
        }),
        ScopPart::Promise(index) => entry("promises", index),
        ScopPart::Assumption(index) => entry("assumptions", index),
        ScopPart::Schedule => root.get("schedule"),
    };
    node.unwrap_or(root)
}

impl Scop {
    /// Reads all SCoPs of a text in which a line `---` stands before each but perhaps the first, as `print<tessera>` prints them. Lines
    /// of errors count from the start of the text.
    pub fn parse_all(text: &str, budget: &Budget) -> Result<Vec<Scop>> {
        let mut result = Vec::new();
        let mut current = String::new();
        let (mut before, mut any) = (0, false);
        for line in text.lines().chain(["---"]) {
            if line.trim_end() == "---" {
                if any {
                    result.push(Scop::parse(&format!("{}{current}", "\n".repeat(before)), budget)?);
                }
                before += current.lines().count() + 1;
                current.clear();
                any = false;
            } else {
                any |= !line.trim().is_empty() && !line.trim_start().starts_with('#');
                current.push_str(line);
                current.push('\n');
            }
        }
        Ok(result)
    }
}

impl FromStr for Scop {
    type Err = Error;

    fn from_str(text: &str) -> Result<Scop> {
        Scop::parse(text, &Budget::new(PARSE_BUDGET))
    }
}

impl<'y> Fields<'y> {
    fn get(&self, key: &str) -> Option<&'y Yaml> {
        self.fields.iter().find(|(name, ..)| *name == key).map(|(_, _, value)| *value)
    }
}

impl Reader<'_, '_, '_> {
    fn fields<'y>(&self, node: &'y Yaml, what: &str, keys: &[&str]) -> Result<Fields<'y>> {
        let fields = self.document.fields(node, what, keys)?;
        for (index, (name, key, _)) in fields.iter().enumerate() {
            if fields[..index].iter().any(|(known, ..)| known == name) {
                return self.document.error(key, "a key that does not yet occur");
            }
        }
        Ok(Fields { node, fields })
    }

    fn need<'y>(&self, fields: &Fields<'y>, key: &str) -> Result<&'y Yaml> {
        match fields.get(key) {
            Some(value) => Ok(value),
            None => self.document.error(fields.node, &format!("the key {key}")),
        }
    }

    /// What becomes of the elements of a list; nothing where there is none.
    fn each<T>(&self, node: Option<&Yaml>, read: impl Fn(&Yaml) -> Result<T>) -> Result<Vec<T>> {
        node.map_or(Ok(Vec::new()), |node| self.document.list(node, "a list")?.iter().map(read).collect())
    }

    fn string(&self, node: &Yaml) -> Result<String> {
        self.document.scalar(node, "a text").map(str::to_owned)
    }

    fn number<T: FromStr>(&self, node: &Yaml) -> Result<T> {
        match self.document.scalar(node, "a number")?.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.document.error(node, "a number"),
        }
    }

    fn set(&self, node: &Yaml) -> Result<Set> {
        self.document.read(node, "a set in quotes", |text| Set::parse(text, self.budget))
    }

    fn polynomial(&self, node: &Yaml) -> Result<UnionPwQPolynomial> {
        self.document.read(node, "a polynomial in quotes", |text| UnionPwQPolynomial::parse(text, self.budget))
    }

    fn element(&self, node: &Yaml) -> Result<Element> {
        let what = "an element such as f64, i32, ptr64, bytes24 or f32x4 (floats of 16, 32, 64, 80 or 128 bits)";
        match Element::parse(self.document.scalar(node, what)?) {
            Some(element) => Ok(element),
            None => self.document.error(node, what),
        }
    }

    fn operation(&self, node: &Yaml) -> Result<Operation> {
        let what =
            "an operation such as \"add f64\", \"convert f64 from i32\", \"call sin f64\" or \"mul i32 times 2\"";
        match Operation::parse(self.document.scalar(node, what)?) {
            Some(operation) => Ok(operation),
            None => self.document.error(node, what),
        }
    }

    fn array(&self, node: &Yaml) -> Result<Array> {
        let all = self.fields(node, "an array", &["array", "element", "unit", "storage", "levels", "sizes"])?;
        let element = self.element(self.need(&all, "element")?)?;
        let storage = self.need(&all, "storage")?;
        let levels = all.get("levels");
        let storage = match (self.document.scalar(storage, "memory, rows or scalar")?, levels) {
            ("memory", None) => Storage::Memory,
            ("scalar", None) => Storage::Scalar,
            ("rows", Some(levels)) => Storage::Rows(self.number(levels)?),
            ("rows", None) => return self.document.error(node, "the key levels"),
            ("memory" | "scalar", Some(levels)) => {
                return self.document.error(levels, "levels only with storage: rows");
            }
            _ => return self.document.error(storage, "memory, rows or scalar"),
        };
        Ok(Array {
            name: self.string(self.need(&all, "array")?)?,
            element,
            unit: match all.get("unit") {
                Some(unit) => self.number(unit)?,
                None => u64::from(element.bits * element.lanes).div_ceil(8),
            },
            storage,
            sizes: self.each(all.get("sizes"), |size| self.polynomial(size))?,
        })
    }

    fn access(&self, node: &Yaml) -> Result<Access> {
        let all = self.fields(node, "an access", &["read", "write", "may-write"])?;
        let [(kind, _, relation)] = all.fields.as_slice() else {
            return self.document.error(node, "one of the keys read, write, may-write");
        };
        let kind = match *kind {
            "read" => AccessKind::Read,
            "write" => AccessKind::MustWrite,
            _ => AccessKind::MayWrite,
        };
        let relation = self.document.read(relation, "a map in quotes", |text| Map::parse(text, self.budget))?;
        Ok(Access { kind, relation })
    }

    fn statement(&self, node: &Yaml) -> Result<Statement> {
        let keys = ["statement", "domain", "accesses", "operations", "chains", "reduction", "branches"];
        let all = self.fields(node, "a statement", &keys)?;
        let reduction = match all.get("reduction") {
            None => None,
            Some(reduction) => {
                let fields = self.fields(reduction, "a reduction", &["kind", "read", "write"])?;
                Some(Reduction {
                    kind: self.string(self.need(&fields, "kind")?)?,
                    read: self.number(self.need(&fields, "read")?)?,
                    write: self.number(self.need(&fields, "write")?)?,
                })
            }
        };
        Ok(Statement {
            name: self.string(self.need(&all, "statement")?)?,
            domain: self.set(self.need(&all, "domain")?)?,
            accesses: self.each(all.get("accesses"), |access| self.access(access))?,
            operations: self.each(all.get("operations"), |operation| self.operation(operation))?,
            chains: self.each(all.get("chains"), |chain| {
                let fields = self.fields(chain, "a chain", &["from", "to", "through"])?;
                Ok(Chain {
                    from: self.number(self.need(&fields, "from")?)?,
                    to: self.number(self.need(&fields, "to")?)?,
                    through: self.each(fields.get("through"), |operation| self.operation(operation))?,
                })
            })?,
            reduction,
            branches: all.get("branches").map_or(Ok(false), |flag| self.document.flag(flag))?,
        })
    }

    fn promise(&self, node: &Yaml, statements: &[Statement]) -> Result<Promise> {
        let all = self.fields(node, "a promise", &["depth", "accesses"])?;
        let accesses = self.each(all.get("accesses"), |access| {
            let what = "a statement and the number of an access, such as \"S1.0\"";
            let text = self.document.scalar(access, what)?;
            let found = text.rsplit_once('.').and_then(|(name, number)| {
                let statement = statements.iter().position(|statement| statement.name == name)?;
                Some((statement, number.parse().ok()?))
            });
            found.map_or_else(|| self.document.error(access, what), Ok)
        })?;
        Ok(Promise { depth: self.number(self.need(&all, "depth")?)?, accesses })
    }

    fn assumption(&self, node: &Yaml) -> Result<Assumption> {
        let keys = ["apart", "value", "low", "high", "protected", "from", "rows"];
        let all = self.fields(node, "an assumption", &keys)?;
        let names: Vec<&str> = all.fields.iter().map(|(key, ..)| *key).collect();
        let bound = |key| all.get(key).map(|bound| self.number(bound)).transpose();
        let text = |key| self.string(self.need(&all, key)?);
        Ok(match names.as_slice() {
            ["apart"] => match self.each(all.get("apart"), |array| self.string(array))?.as_slice() {
                [a, b] => Assumption::Apart(a.clone(), b.clone()),
                _ => return self.document.error(node, "two arrays"),
            },
            ["rows"] => Assumption::Rows(text("rows")?),
            ["protected", "from"] => Assumption::Protected { bytes: text("protected")?, array: text("from")? },
            ["value", ..] if names[1..].iter().all(|key| matches!(*key, "low" | "high")) => Assumption::Range {
                value: self.polynomial(self.need(&all, "value")?)?,
                low: bound("low")?,
                high: bound("high")?,
            },
            _ => return self.document.error(node, "apart; or value, low and high; or protected and from; or rows"),
        })
    }
}
