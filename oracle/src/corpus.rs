//! The corpus: kernels as text files in `corpus/`, and the operands that arise when they are analysed and transformed.
//!
//! A file gives the context, the domains, the reads, the writes and a schedule of a kernel in isl notation. From them
//! PollyISL derives what a compiler works with: pairs of accesses to one element, memory-based and value-based
//! dependences, the same in schedule space, live-in instances, tiled scanning sets and their projections, separations
//! of statements, footprints of tiles. Every step becomes a [`Case`]: the operation and its operands as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::isl::{self, Isl, Kind, Object};
use crate::operation::{self, Answer, Operation};

use Kind::{Map, Set, UnionMap, UnionSet};

/// At most so many members of a union become cases of their own, per kernel and step.
const MEMBERS: usize = 5;
/// At most so many cases per kernel and operation.
const PER_OPERATION: usize = 3;

/// What is timed.
#[derive(Clone, Copy)]
pub enum Work {
    /// An operation of the table.
    Operation(&'static Operation),
    /// Reading the text.
    Parse(Kind),
    /// Writing the text.
    Print(Kind),
}

/// One thing to time.
#[derive(Clone)]
pub struct Case {
    /// Kernel, step and number: `gemm/raw.3`.
    pub name: String,
    /// What is done.
    pub work: Work,
    /// The operands.
    pub operands: Vec<String>,
}

impl Case {
    /// The row of the table that the case belongs to.
    pub fn class(&self) -> &'static str {
        match self.work {
            Work::Operation(operation) => operation.class,
            Work::Parse(_) => "parse",
            Work::Print(_) => "print",
        }
    }

    /// What is done, as text.
    pub fn operation(&self) -> &'static str {
        match self.work {
            Work::Operation(operation) => operation.name,
            Work::Parse(_) => "parse",
            Work::Print(_) => "print",
        }
    }

    /// The types of the operands.
    pub fn kinds(&self) -> Vec<Kind> {
        match self.work {
            Work::Operation(operation) => operation.kinds(),
            Work::Parse(kind) | Work::Print(kind) => vec![kind],
        }
    }
}

/// The text files of the corpus, sorted.
pub fn files() -> std::io::Result<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.sort();
    Ok(files)
}

/// All cases of all kernels.
pub fn cases(isl: &Isl) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for file in files().map_err(|e| format!("the corpus: {e}"))? {
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let kernel = Kernel::read(isl, &text).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut derivation = Derivation { kernel: name, cases: Vec::new(), seen: BTreeSet::new() };
        derivation.all(isl, &kernel).map_err(|e| format!("{}: {e}", file.display()))?;
        cases.append(&mut derivation.thinned());
    }
    Ok(cases)
}

struct Kernel<'l> {
    context: Object<'l>,
    domain: Object<'l>,
    read: Object<'l>,
    write: Object<'l>,
    schedule: Object<'l>,
    /// The number of dimensions of the schedule.
    depth: usize,
}

impl<'l> Kernel<'l> {
    fn read(isl: &'l Isl, text: &str) -> Result<Kernel<'l>, String> {
        let mut entries: Vec<(&str, String)> = Vec::new();
        for line in text.lines().filter(|l| !l.starts_with('#')) {
            match line.split_once(": ") {
                Some((key, rest)) if !line.starts_with(' ') => entries.push((key, rest.into())),
                _ => entries.last_mut().ok_or("a line before the first entry")?.1.push_str(line),
            }
        }
        let entry = |key: &str, kind: Kind| {
            let text = entries.iter().find(|e| e.0 == key).ok_or(format!("no entry `{key}`"))?;
            isl.read(kind, &text.1).map_err(|e| format!("{key}: {e}"))
        };
        let domain = entry("domain", UnionSet)?;
        let restricted = |key: &str| {
            let map = entry(key, UnionMap)?;
            give("umap.intersect_domain", &[&map, &domain]).map_err(|e| format!("{key}: {e}"))
        };
        let schedule = restricted("schedule")?;
        let first = schedule.members().map_err(|e| e.to_string())?;
        let first = first.first().ok_or("an empty schedule")?;
        // SAFETY: the object is a map.
        let depth = unsafe { (isl.functions().isl_map_dim)(first.keep(), isl::OUT) };
        Ok(Kernel {
            context: entry("context", Set)?,
            read: restricted("read")?,
            write: restricted("write")?,
            domain,
            schedule,
            depth: depth.unsigned_abs() as usize,
        })
    }
}

/// Another reference to an object.
fn again<'l>(object: &Object<'l>) -> isl::Result<Object<'l>> {
    object.isl().object(object.kind(), object.take())
}

/// The object that an operation of the table gives.
fn give<'l>(name: &str, operands: &[&Object<'l>]) -> isl::Result<Object<'l>> {
    let operation = operation::find(name).ok_or(isl::Failure::Error(format!("no operation {name}")))?;
    let operands = operands.iter().map(|o| again(o)).collect::<isl::Result<Vec<_>>>()?;
    match operation.run_isl(&operands)? {
        Answer::Object(object) => Ok(object),
        _ => Err(isl::Failure::Error(format!("{name} gives no object"))),
    }
}

struct Derivation {
    kernel: String,
    cases: Vec<Case>,
    seen: BTreeSet<(&'static str, Vec<String>)>,
}

impl Derivation {
    fn push(&mut self, step: &str, work: Work, operands: Vec<String>) {
        let mut case = Case { name: String::new(), work, operands };
        if self.seen.insert((case.operation(), case.operands.clone())) {
            case.name = format!("{}/{step}.{}", self.kernel, self.cases.len());
            self.cases.push(case);
        }
    }

    /// The cases, at most [`PER_OPERATION`] of each operation, evenly spread.
    fn thinned(self) -> Vec<Case> {
        let mut counts: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
        for case in &self.cases {
            counts.entry(case.operation()).or_default().0 += 1;
        }
        let mut keep = |case: &Case| {
            let Some((all, seen)) = counts.get_mut(case.operation()) else { return true };
            let n = PER_OPERATION.min(*all);
            *seen += 1;
            *seen * n / *all != (*seen - 1) * n / *all
        };
        self.cases.into_iter().filter(|case| keep(case)).collect()
    }

    /// A case of an operation.
    fn case(&mut self, step: &str, name: &str, operands: &[&Object<'_>]) -> isl::Result<()> {
        let operation = operation::find(name).ok_or(isl::Failure::Error(format!("no operation {name}")))?;
        self.push(step, Work::Operation(operation), operands.iter().map(|o| o.to_string()).collect());
        Ok(())
    }

    /// A case of an operation whose result is needed.
    fn step<'l>(&mut self, step: &str, name: &str, operands: &[&Object<'l>]) -> isl::Result<Object<'l>> {
        self.case(step, name, operands)?;
        give(name, operands)
    }

    fn text(&mut self, step: &str, object: &Object<'_>) {
        self.push(step, Work::Parse(object.kind()), vec![object.to_string()]);
        self.push(step, Work::Print(object.kind()), vec![object.to_string()]);
    }

    fn all(&mut self, isl: &Isl, k: &Kernel<'_>) -> isl::Result<()> {
        for (step, object) in [("domain", &k.domain), ("read", &k.read), ("write", &k.write), ("schedule", &k.schedule)]
        {
            self.text(step, object);
        }
        self.text("context", &k.context);
        // SAFETY: the function takes two union maps.
        let earlier = unsafe { isl.give2("isl_union_map_lex_lt_union_map", UnionMap, &k.schedule, &k.schedule)? };
        self.text("earlier", &earlier);
        let raw = self.dependences("raw", k, &k.write, &k.read, &earlier)?;
        let war = self.dependences("war", k, &k.read, &k.write, &earlier)?;
        let waw = self.dependences("waw", k, &k.write, &k.write, &earlier)?;
        self.values(k, &raw, &waw)?;
        let mut all = self.step("legal", "umap.union", &[&raw, &war])?;
        all = self.step("legal", "umap.union", &[&all, &waw])?;
        let all = self.step("legal", "umap.coalesce", &[&all])?;
        self.legality(isl, k, &all)?;
        self.scanning(isl, k)
    }

    /// The pairs of instances that access one element, the first of them earlier.
    fn dependences<'l>(
        &mut self,
        step: &str,
        k: &Kernel<'l>,
        first: &Object<'l>,
        second: &Object<'l>,
        earlier: &Object<'l>,
    ) -> isl::Result<Object<'l>> {
        let back = self.step(step, "umap.reverse", &[second])?;
        let pairs = self.step(step, "umap.apply_range", &[first, &back])?;
        let result = self.step(step, "umap.intersect", &[&pairs, earlier])?;
        self.case(step, "umap.is_empty", &[&result])?;
        let result = self.step(step, "umap.coalesce", &[&result])?;
        self.text(step, &result);
        for name in ["umap.domain", "umap.range", "umap.deltas", "umap.is_empty", "umap.lexmin", "umap.lexmax"] {
            self.case(step, name, &[&result])?;
        }
        self.case(step, "umap.is_subset", &[&result, earlier])?;
        self.case(step, "umap.is_subset", &[&result, &pairs])?;
        self.case(step, "umap.intersect_domain", &[&pairs, &k.domain])?;
        self.case(step, "umap.intersect_range", &[&pairs, &k.domain])?;
        self.case(step, "umap.intersect_params", &[&result, &k.context])?;
        let orders = earlier.members()?;
        for pairs in some(pairs.members()?) {
            for order in &orders {
                if let Ok(both) = give("map.intersect", &[&pairs, order]) {
                    self.case(step, "map.intersect", &[&pairs, order])?;
                    self.case(step, "map.is_empty", &[&both])?;
                }
            }
        }
        for member in some(result.members()?) {
            self.map(step, &member)?;
        }
        Ok(result)
    }

    /// The questions that one dependence relation gets.
    fn map(&mut self, step: &str, map: &Object<'_>) -> isl::Result<()> {
        for name in [
            "map.is_empty",
            "map.is_single_valued",
            "map.is_injective",
            "map.coalesce",
            "map.reverse",
            "map.remove_redundancies",
            "map.compute_divs",
            "map.lexmin",
            "map.lexmax",
            "map.affine_hull",
            "map.simple_hull",
            "map.detect_equalities",
        ] {
            self.case(step, name, &[map])?;
        }
        self.text(step, map);
        let domain = self.step(step, "map.domain", &[map])?;
        let range = self.step(step, "map.range", &[map])?;
        self.case(step, "map.intersect_domain", &[map, &domain])?;
        self.case(step, "map.intersect_range", &[map, &range])?;
        self.case(step, "set.apply", &[&domain, map])?;
        self.set(step, &domain)?;
        if let Ok(deltas) = give("map.deltas", &[map]) {
            self.case(step, "map.deltas", &[map])?;
            self.set(step, &deltas)?;
            self.case(step, "set.is_disjoint", &[&domain, &range])?;
            self.case(step, "set.intersect", &[&domain, &range])?;
            self.case(step, "set.subtract", &[&domain, &range])?;
            let square = self.step(step, "map.apply_range", &[map, map])?;
            self.case(step, "map.is_subset", &[&square, map])?;
            let both = self.step(step, "map.intersect", &[&square, map])?;
            self.case(step, "map.is_equal", &[&both, map])?;
            let rest = self.step(step, "map.subtract", &[map, &square])?;
            self.case(step, "map.coalesce", &[&rest])?;
        }
        Ok(())
    }

    /// The questions that one set gets.
    fn set(&mut self, step: &str, set: &Object<'_>) -> isl::Result<()> {
        for name in [
            "set.is_empty",
            "set.coalesce",
            "set.remove_redundancies",
            "set.compute_divs",
            "set.params",
            "set.lexmin",
            "set.lexmax",
        ] {
            self.case(step, name, &[set])?;
        }
        self.case(step, "set.project_last", &[set])?;
        self.case(step, "set.project_first", &[set])?;
        for name in ["set.affine_hull", "set.simple_hull", "set.detect_equalities"] {
            self.case(step, name, &[set])?;
        }
        // SAFETY: the object is a set.
        let n = unsafe { (set.isl().functions().isl_set_dim)(set.keep(), isl::OUT) };
        for name in ["set.dim_min", "set.dim_max"].into_iter().filter(|_| n > 0) {
            if let Some(extreme) = operation::find(name) {
                self.push(step, Work::Operation(extreme), vec![set.to_string(), "0".into()]);
            }
        }
        if let Some(fix) = operation::find("set.fix_param") {
            self.push(step, Work::Operation(fix), vec![set.to_string(), "64".into(), "0".into()]);
        }
        self.case(step, "set.complement", &[set])
    }

    /// Value-based dependences, by subtracting what is overwritten in between; live-in instances.
    fn values(&mut self, k: &Kernel<'_>, raw: &Object<'_>, waw: &Object<'_>) -> isl::Result<()> {
        let step = "values";
        for (sink, source) in [(&k.read, &k.write), (&k.write, &k.write)] {
            self.case(step, "flow.value_based", &[sink, source, &k.schedule])?;
            self.case(step, "flow.memory_based", &[sink, source, &k.schedule])?;
        }
        self.case(step, "flow.live_in", &[&k.read, &k.write, &k.schedule])?;
        let kills = self.step(step, "umap.apply_range", &[waw, raw])?;
        let kills = self.step(step, "umap.coalesce", &[&kills])?;
        let exact = self.step(step, "umap.subtract", &[raw, &kills])?;
        let exact = self.step(step, "umap.coalesce", &[&exact])?;
        self.case(step, "umap.is_equal", &[&exact, raw])?;
        self.case(step, "umap.is_subset", &[raw, &exact])?;
        for member in some(exact.members()?) {
            self.map(step, &member)?;
        }
        // The last write before each read, by date.
        let sources = self.step(step, "umap.reverse", &[raw])?;
        let dates = self.step(step, "umap.apply_range", &[&sources, &k.schedule])?;
        self.case(step, "umap.lexmax", &[&dates])?;
        for map in some(dates.members()?) {
            self.case(step, "map.lexmax", &[&map])?;
        }
        let readers = self.step(step, "umap.range", &[&exact])?;
        let live = self.step(step, "uset.subtract", &[&k.domain, &readers])?;
        let live = self.step(step, "uset.coalesce", &[&live])?;
        let sources = self.step(step, "uset.apply", &[&live, &k.read])?;
        self.case(step, "uset.coalesce", &[&sources])?;
        for set in some(live.members()?) {
            self.set(step, &set)?;
        }
        Ok(())
    }

    /// The dependences in schedule space: under the given schedule, and under one with the last two dimensions
    /// exchanged.
    fn legality(&mut self, isl: &Isl, k: &Kernel<'_>, all: &Object<'_>) -> isl::Result<()> {
        let step = "legal";
        let n = k.depth;
        let names: Vec<String> = (0..n).map(|d| format!("t{d}")).collect();
        let mut exchanged = names.clone();
        exchanged.swap(n.saturating_sub(1), n.saturating_sub(2));
        let exchange = isl.read(UnionMap, &format!("{{ [{}] -> [{}] }}", names.join(", "), exchanged.join(", ")))?;
        let other = self.step(step, "umap.apply_range", &[&k.schedule, &exchange])?;
        let primes: Vec<String> = names.iter().map(|d| format!("{d}'")).collect();
        let later = format!("{{ [{0}] -> [{1}] : [{0}] << [{1}] }}", names.join(", "), primes.join(", "));
        let later = isl.read(UnionMap, &later.replace(": [", ": ").replace("] <<", " <<").replace("<< [", "<< "));
        for schedule in [&k.schedule, &other] {
            let timed = self.step(step, "umap.apply_domain", &[all, schedule])?;
            let timed = self.step(step, "umap.apply_range", &[&timed, schedule])?;
            let timed = self.step(step, "umap.coalesce", &[&timed])?;
            let deltas = self.step(step, "umap.deltas", &[&timed])?;
            let deltas = self.step(step, "uset.coalesce", &[&deltas])?;
            for set in deltas.members()? {
                self.set(step, &set)?;
            }
            if let Ok(later) = &later {
                self.case(step, "umap.is_subset", &[&timed, later])?;
                self.case(step, "umap.subtract", &[&timed, later])?;
            }
        }
        Ok(())
    }

    /// Scanning sets as code generation asks for them: plain and tiled by 32.
    fn scanning(&mut self, isl: &Isl, k: &Kernel<'_>) -> isl::Result<()> {
        let n = k.depth;
        let names: Vec<String> = (0..n).map(|d| format!("t{d}")).collect();
        let tiles: Vec<String> = (0..n).map(|d| format!("floor(t{d}/32)")).collect();
        let tile = format!("{{ [{}] -> [{}, {}] }}", names.join(", "), tiles.join(", "), names.join(", "));
        let tile = isl.read(UnionMap, &tile)?;
        let tiled = self.step("tiled", "umap.apply_range", &[&k.schedule, &tile])?;
        self.text("tiled", &tiled);
        for (step, schedule) in [("scan", &k.schedule), ("tiled", &tiled)] {
            let sets = some(schedule.members()?);
            let mut scans = Vec::new();
            for map in &sets {
                let mut scan = self.step(step, "map.range", &[map])?;
                scans.push(again(&scan)?);
                for _ in 0..n.min(4) {
                    self.set(step, &scan)?;
                    let projected = self.step(step, "set.project_last", &[&scan])?;
                    let known = self.step(step, "set.gist_params", &[&projected, &k.context])?;
                    self.case(step, "set.intersect_params", &[&projected, &k.context])?;
                    self.text(step, &known);
                    scan = projected;
                }
            }
            self.separate(step, &scans)?;
            // Footprints: the elements that each date accesses.
            let dates = self.step(step, "umap.reverse", &[schedule])?;
            let footprint = self.step(step, "umap.apply_range", &[&dates, &k.write])?;
            for map in some(footprint.members()?).into_iter().take(2) {
                self.case(step, "map.is_injective", &[&map])?;
                let touched = self.step(step, "map.range", &[&map])?;
                self.set(step, &touched)?;
                self.case(step, "map.domain", &[&map])?;
            }
        }
        Ok(())
    }

    /// Statements that share loops: what is common, what is not.
    fn separate(&mut self, step: &str, scans: &[Object<'_>]) -> isl::Result<()> {
        for pair in scans.windows(2) {
            let (mut a, mut b) = (again(&pair[0])?, again(&pair[1])?);
            for _ in 0..3 {
                self.case(step, "set.is_disjoint", &[&a, &b])?;
                let both = self.step(step, "set.intersect", &[&a, &b])?;
                let rest = self.step(step, "set.subtract", &[&a, &b])?;
                self.case(step, "set.coalesce", &[&rest])?;
                let whole = self.step(step, "set.union", &[&rest, &both])?;
                self.case(step, "set.coalesce", &[&whole])?;
                self.case(step, "set.is_equal", &[&whole, &a])?;
                self.case(step, "set.is_subset", &[&both, &b])?;
                self.case(step, "set.gist", &[&a, &b])?;
                let union = self.step(step, "set.union", &[&a, &b])?;
                self.case(step, "set.coalesce", &[&union])?;
                (a, b) = (give("set.project_last", &[&a])?, give("set.project_last", &[&b])?);
            }
        }
        Ok(())
    }
}

/// Some of the members, evenly spread: the larger kernels have a hundred of the same kind.
fn some<T>(mut members: Vec<T>) -> Vec<T> {
    let every = members.len().div_ceil(MEMBERS).max(1);
    let mut number = 0;
    members.retain(|_| {
        number += 1;
        (number - 1) % every == 0
    });
    members
}

/// Reads a case from a line `name TAB operation TAB type TAB operands...`.
pub fn parse_line(line: &str) -> Option<Case> {
    let mut parts = line.split('\t');
    let (name, what, kind) = (parts.next()?, parts.next()?, parts.next()?);
    let kind = [Set, Map, UnionSet, UnionMap].into_iter().find(|k| format!("{k:?}") == kind)?;
    let work = match what {
        "parse" => Work::Parse(kind),
        "print" => Work::Print(kind),
        _ => Work::Operation(operation::find(what)?),
    };
    Some(Case { name: name.into(), work, operands: parts.map(String::from).collect() })
}

/// The opposite of [`parse_line`].
pub fn line(case: &Case) -> String {
    format!("{}\t{}\t{:?}\t{}", case.name, case.operation(), case.kinds()[0], case.operands.join("\t"))
}
