//! Targets from text.

use std::str::FromStr;

use crate::error::{Error, Result};
use crate::scop::Element;
use crate::text::{Document, Yaml};

use super::{Cache, KINDS, Loops, Memory, OperationCost, Pages, Target, Vectors};

/// A mapping with its fields, read by key.
struct Fields<'y, 'd, 'a> {
    document: &'d Document<'a>,
    node: &'y Yaml,
    fields: Vec<(&'y str, &'y Yaml, &'y Yaml)>,
}

impl Target {
    /// Reads a target as `Display` prints it. Errors say line, column and what was expected; the invariants of the
    /// module are checked.
    pub fn parse(text: &str) -> Result<Target> {
        let (document, root) = Document::parse(text)?;
        let keys = [
            "target",
            "threads",
            "issue",
            "window",
            "misses",
            "caches",
            "memory",
            "pages",
            "vectors",
            "scalars",
            "loops",
            "operations",
        ];
        let all = Fields::new(&document, &root, "a target: a YAML mapping", &keys)?;
        let of = |key: &str, what: &str, keys: &[&str]| Fields::new(&document, all.need(key)?, what, keys);
        let memory = of("memory", "a mapping with latency and throughput", &["latency", "throughput"])?;
        let vector_keys = ["bits", "registers", "fma", "masks", "gather", "scatter"];
        let vectors = of("vectors", "a mapping with bits, registers, fma and masks", &vector_keys)?;
        let loops = of("loops", "a mapping with iteration, entry and vector", &["iteration", "entry", "vector"])?;
        let target = Target {
            name: document.scalar(all.need("target")?, "a name")?.to_owned(),
            threads: match all.get("threads") {
                Some(_) => all.whole("threads", 1)?,
                None => 1,
            },
            issue: all.positive("issue")?,
            window: all.positive("window")?,
            misses: all.positive("misses")?,
            caches: all.each("caches", |node| cache(&document, node))?,
            memory: Memory { latency: memory.number("latency")?, throughput: memory.positive("throughput")? },
            pages: all.each("pages", |node| pages(&document, node))?,
            vectors: Vectors {
                bits: vectors.whole("bits", 0)?,
                registers: vectors.whole("registers", 0)?,
                fma: document.flag(vectors.need("fma")?)?,
                masks: document.flag(vectors.need("masks")?)?,
                gather: vectors.get("gather").map(|_| vectors.number("gather")).transpose()?,
                scatter: vectors.get("scatter").map(|_| vectors.number("scatter")).transpose()?,
            },
            scalar_registers: of("scalars", "a mapping with registers", &["registers"])?.whole("registers", 1)?,
            loops: Loops {
                iteration: loops.number("iteration")?,
                entry: loops.number("entry")?,
                vector: loops.number("vector")?,
            },
            operations: all.each("operations", |node| operation(&document, node))?,
        };
        match target.defect() {
            None => Ok(target),
            Some(defect) => document.error(&root, &format!("another target ({defect})")),
        }
    }
}

impl FromStr for Target {
    type Err = Error;

    fn from_str(text: &str) -> Result<Target> {
        Target::parse(text)
    }
}

fn cache(document: &Document<'_>, node: &Yaml) -> Result<Cache> {
    let all = Fields::new(document, node, "a cache", &["cache", "bytes", "line", "ways", "latency", "throughput"])?;
    Ok(Cache {
        name: document.scalar(all.need("cache")?, "a name")?.to_owned(),
        bytes: all.whole("bytes", 1)?,
        line: all.whole("line", 1)?,
        ways: all.whole("ways", 1)?,
        latency: all.number("latency")?,
        throughput: all.positive("throughput")?,
    })
}

fn pages(document: &Document<'_>, node: &Yaml) -> Result<Pages> {
    let all = Fields::new(document, node, "a level of address translation", &["entries", "page", "miss"])?;
    Ok(Pages { entries: all.whole("entries", 1)?, page: all.whole("page", 1)?, miss: all.number("miss")? })
}

fn operation(document: &Document<'_>, node: &Yaml) -> Result<OperationCost> {
    let keys = ["operation", "elements", "latency", "scalar", "vector"];
    let all = Fields::new(document, node, "the costs of an operation", &keys)?;
    let kind = all.need("operation")?;
    let name = document.scalar(kind, "the kind of an operation")?;
    if !KINDS.contains(&name) {
        return document.error(kind, &format!("one of the kinds {}", KINDS.join(", ")));
    }
    Ok(OperationCost {
        operation: name.to_owned(),
        elements: all.each("elements", |node| {
            let what = "an element such as f64 or i32";
            match Element::parse(document.scalar(node, what)?) {
                Some(element) if element.lanes == 1 => Ok(element),
                _ => document.error(node, what),
            }
        })?,
        latency: all.number("latency")?,
        scalar: all.positive("scalar")?,
        vector: all.get("vector").map(|_| all.positive("vector")).transpose()?,
    })
}

impl<'y, 'd, 'a> Fields<'y, 'd, 'a> {
    fn new(document: &'d Document<'a>, node: &'y Yaml, what: &str, keys: &[&str]) -> Result<Fields<'y, 'd, 'a>> {
        let fields = document.fields(node, what, keys)?;
        for (index, (name, key, _)) in fields.iter().enumerate() {
            if fields[..index].iter().any(|(known, ..)| known == name) {
                return document.error(key, "a key that does not yet occur");
            }
        }
        Ok(Fields { document, node, fields })
    }

    fn get(&self, key: &str) -> Option<&'y Yaml> {
        self.fields.iter().find(|(name, ..)| *name == key).map(|(_, _, value)| *value)
    }

    fn need(&self, key: &str) -> Result<&'y Yaml> {
        match self.get(key) {
            Some(value) => Ok(value),
            None => self.document.error(self.node, &format!("the key {key}")),
        }
    }

    /// What becomes of the elements of a list; nothing where there is none.
    fn each<T>(&self, key: &str, read: impl Fn(&Yaml) -> Result<T>) -> Result<Vec<T>> {
        self.get(key).map_or(Ok(Vec::new()), |node| self.document.list(node, "a list")?.iter().map(read).collect())
    }

    /// A decimal number that is not negative: digits, and perhaps a point and digits.
    fn number(&self, key: &str) -> Result<f64> {
        let node = self.need(key)?;
        let what = "a number such as 4 or 0.5";
        let text = self.document.scalar(node, what)?;
        let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        match text.parse::<f64>() {
            Ok(number) if plain && number.is_finite() => Ok(number),
            _ => self.document.error(node, what),
        }
    }

    fn positive(&self, key: &str) -> Result<f64> {
        match self.number(key)? {
            number if number > 0.0 => Ok(number),
            _ => self.document.error(self.need(key)?, "a number that is greater than 0"),
        }
    }

    /// An integer that is at least `low`.
    fn whole<T: FromStr + PartialOrd + From<u8>>(&self, key: &str, low: u8) -> Result<T> {
        let node = self.need(key)?;
        let text = self.document.scalar(node, "an integer")?;
        match text.parse::<T>() {
            Ok(number) if text.bytes().all(|byte| byte.is_ascii_digit()) && number >= T::from(low) => Ok(number),
            _ => self.document.error(node, &format!("an integer that is at least {low}")),
        }
    }
}
