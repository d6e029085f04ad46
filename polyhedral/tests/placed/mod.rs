//! Random programs whose values have reasons to move (scalars, cells, elements that are used again, writes that may not
//! happen, reductions), and a machine that executes drafts: memory, buffers, copies. It is the judge of the check, and
//! shares with it only the interpreter of generated code.

pub(crate) mod damage;

use std::collections::HashMap;
use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, interpret};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Map;
use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::scop::Scop;
use tessera_polyhedral::space::DimKind;
use tessera_polyhedral::transform::{Draft, Placement};

use super::random_trees::Random;
use super::random_trees::nests::{rolled, schedule};

pub(crate) fn budget() -> Budget {
    Budget::new(2_000_000_000)
}

/// Whether a write happens, and what it does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// A number made of all that was read.
    Value,
    /// The same in some instances, nothing in others.
    Sometimes,
    /// A number is added to the element, which is also the first that is read.
    Sum,
}

/// A statement of two loops.
pub(crate) struct Statement {
    pub(crate) name: String,
    /// Array and subscript `[constant, i, j]`, the last one the write. Arrays with small letters have no dimensions.
    accesses: Vec<(&'static str, [i64; 3])>,
    effect: Effect,
}

/// A program.
pub(crate) struct Program {
    pub(crate) text: String,
    pub(crate) statements: Vec<Statement>,
}

/// A place of memory or of a buffer.
type Location = (String, Vec<i64>);

/// What is left in memory, and how many instances were executed; nothing if a place outside of a buffer was touched, or
/// there is no code.
pub(crate) type Outcome = Option<(HashMap<Location, u64>, usize)>;

fn accesses(random: &mut Random, effect: Effect, diagonal: bool) -> Vec<(&'static str, [i64; 3])> {
    let access = |random: &mut Random| {
        let array = *random.pick(if diagonal { &["A", "A", "A", "s", "t"] } else { &["A", "A", "B", "s", "t"] });
        let [i, j] = if diagonal { [1, 1] } else { [random.range(0, 1), random.range(-1, 1)] };
        let subscript = [random.range(-1, 1), i, j];
        (array, if array.chars().all(char::is_lowercase) { [0; 3] } else { subscript })
    };
    let mut all: Vec<_> = (0..random.range(1, 2)).map(|_| access(random)).collect();
    let written = access(random);
    if effect == Effect::Sum {
        // The sum is of something else.
        all.retain(|(array, _)| *array != written.0);
        all.insert(0, written);
    }
    all.push(written);
    all
}

/// Draws a program; with `apart` one of several nests, the first of which uses elements again in another iteration of
/// both loops.
pub(crate) fn program(random: &mut Random, apart: bool) -> Program {
    let mut statements: Vec<Statement> = (0..random.range(1 + i64::from(apart), 3))
        .map(|s| {
            // Elements that are used again in another iteration of both loops: their order decides.
            let diagonal = random.chance(35) || (apart && s == 0);
            let effect = *random.pick(&[Effect::Value, Effect::Value, Effect::Value, Effect::Sometimes, Effect::Sum]);
            Statement { name: format!("S{s}"), accesses: accesses(random, effect, diagonal), effect }
        })
        .collect();
    // A value that is written and read in one iteration.
    if statements.len() > 1 && !apart && random.chance(60) {
        let cell = (*random.pick(&["s", "t"]), [0; 3]);
        statements[0].effect = Effect::Value;
        if let Some(last) = statements[0].accesses.last_mut() {
            *last = cell;
        }
        if statements[1].effect != Effect::Sum {
            statements[1].accesses[0] = cell;
        }
    }
    let mut text = String::from("scop: \"random\"\ncontext: \"[n] -> { : n >= 1 }\"\narrays:\n");
    for (array, storage) in [("A", "memory"), ("B", "memory"), ("s", "scalar"), ("t", "memory")] {
        let _ = writeln!(text, "- {{ array: \"{array}\", element: i64, storage: {storage} }}");
    }
    text += "statements:\n";
    let mut domains = Vec::new();
    for Statement { name, accesses, effect } in &statements {
        let bound = random.pick(&["0 <= j < n", "0 <= j <= i", "i <= j < n"]);
        domains.push(format!("{name}[i, j] : 0 <= i < n and {bound}"));
        let domain = &domains[domains.len() - 1];
        let _ = writeln!(text, "- statement: \"{name}\"\n  domain: \"[n] -> {{ {domain} }}\"\n  accesses:");
        for (number, (array, [c, i, j])) in accesses.iter().enumerate() {
            let kind = match effect {
                _ if number + 1 < accesses.len() => "read",
                Effect::Sometimes => "may-write",
                Effect::Value | Effect::Sum => "write",
            };
            let scalar = array.chars().all(char::is_lowercase);
            let subscript = if scalar { String::new() } else { format!("{c} + {i} i + {j} j") };
            let _ = writeln!(text, "  - {{ {kind}: \"{{ {name}[i, j] -> {array}[{subscript}] }}\" }}");
        }
        if *effect == Effect::Sum {
            let write = accesses.len() - 1;
            let _ = writeln!(text, "  reduction: {{ kind: \"sum i64\", read: 0, write: {write} }}");
        }
    }
    let names: Vec<&str> = statements.iter().map(|statement| statement.name.as_str()).collect();
    let shared = if apart { 0 } else { *random.pick(&[0, 0, 1, 2]) };
    text += &schedule(shared, &names, &domains.join("; "));
    Program { text, statements }
}

/// The image of a point, where there is one.
fn image(map: &Map, n: i64, point: &[i64]) -> Option<Vec<i64>> {
    let mut at = map.clone();
    if let Some(position) = map.space().param_index("n") {
        at = at.fix(DimKind::Param, position, &Int::from(n)).unwrap();
    }
    for (dim, value) in point.iter().enumerate() {
        at = at.fix(DimKind::In, dim, &Int::from(*value)).unwrap();
    }
    let found = at.sample(&budget()).unwrap()?;
    let first = found.len() - map.space().dim(DimKind::Out);
    Some(found[first..].iter().map(|x| x.to_i64().unwrap()).collect())
}

/// Memory and buffers of one execution.
struct Machine<'m> {
    placement: &'m Placement,
    n: i64,
    memory: HashMap<Location, u64>,
    /// Known images.
    images: HashMap<(usize, Vec<i64>), Option<Vec<i64>>>,
    /// Whether a place outside of a buffer was touched.
    outside: bool,
}

impl Machine<'_> {
    fn image(&mut self, map: &Map, point: &[i64]) -> Option<Vec<i64>> {
        let n = self.n;
        let key = (std::ptr::from_ref(map) as usize, point.to_vec());
        self.images.entry(key).or_insert_with(|| image(map, n, point)).clone()
    }

    fn is_inside(&self, (name, place): &Location) -> bool {
        let Some(buffer) = self.placement.buffer(name) else { return true };
        let params = buffer.places.space().param_names().iter().map(|_| self.n);
        let point: Vec<Int> = params.chain(place.iter().copied()).map(Int::from).collect();
        buffer.places.contains(&point, &budget()).unwrap()
    }

    fn read(&mut self, location: &Location) -> u64 {
        self.outside |= !self.is_inside(location);
        // What was never written is a number of its own.
        let unknown = || {
            let mut hasher = DefaultHasher::new();
            location.hash(&mut hasher);
            hasher.finish()
        };
        self.memory.get(location).copied().unwrap_or_else(unknown)
    }

    fn write(&mut self, location: Location, value: u64) {
        self.outside |= !self.is_inside(&location);
        self.memory.insert(location, value);
    }

    fn location(&mut self, statement: &Statement, number: usize, point: &[i64]) -> Location {
        let placement = self.placement;
        for redirect in placement.redirects_of(&statement.name, number) {
            if let Some(place) = self.image(&redirect.to, point) {
                return (redirect.buffer().to_owned(), place);
            }
        }
        let (array, [c, i, j]) = statement.accesses[number];
        let scalar = array.chars().all(char::is_lowercase);
        (array.to_owned(), if scalar { Vec::new() } else { vec![c + i * point[0] + j * point[1]] })
    }

    fn execute(&mut self, statement: &Statement, point: &[i64]) {
        let mut hasher = DefaultHasher::new();
        (&statement.name, point).hash(&mut hasher);
        let happens = hasher.finish().is_multiple_of(2);
        let write = statement.accesses.len() - 1;
        let locations: Vec<Location> = (0..=write).map(|number| self.location(statement, number, point)).collect();
        let first = usize::from(statement.effect == Effect::Sum);
        for location in &locations[first..write] {
            self.read(location).hash(&mut hasher);
        }
        let value = hasher.finish();
        match statement.effect {
            Effect::Value => self.write(locations[write].clone(), value),
            Effect::Sometimes if !happens => {}
            Effect::Sometimes => self.write(locations[write].clone(), value),
            Effect::Sum => {
                let sum = self.read(&locations[0]).wrapping_add(value);
                self.write(locations[write].clone(), sum);
            }
        }
    }
}

/// What a tree computes with some buffers.
pub(crate) fn execute(program: &Program, scop: &Scop, tree: &ScheduleTree, placement: &Placement, n: i64) -> Outcome {
    // For trees that are damaged enough there is no code.
    let unit = AstBuild::new().with_context(scop.context.clone()).build(&rolled(tree), &budget()).ok()?;
    let params: Vec<Int> = unit.params.iter().map(|_| Int::from(n)).collect();
    let mut machine = Machine { placement, n, memory: HashMap::new(), images: HashMap::new(), outside: false };
    let mut executed = 0;
    for event in interpret(&unit, &params, &budget()).unwrap() {
        let point: Vec<i64> = event.point.iter().map(|x| x.to_i64().unwrap()).collect();
        if let Some(statement) = program.statements.iter().find(|statement| *statement.name == *event.stmt) {
            executed += 1;
            machine.execute(statement, &point);
            continue;
        }
        let copy = placement.copy(&event.stmt)?;
        let (from, to) = (machine.image(copy.source(), &point)?, machine.image(copy.destination(), &point)?);
        let name = |map: &Map| map.space().range_tuple().name().unwrap().to_string();
        let value = machine.read(&(name(copy.source()), from));
        machine.write((name(copy.destination()), to), value);
    }
    // Buffers and scalars are dead afterwards; what memory holds that was never written is not a result.
    let dead = |name: &str| name == "s" || placement.buffer(name).is_some();
    let mut memory = machine.memory;
    memory.retain(|location, value| {
        let mut hasher = DefaultHasher::new();
        location.hash(&mut hasher);
        !dead(&location.0) && *value != hasher.finish()
    });
    (!machine.outside).then_some((memory, executed))
}

/// The sizes at which programs are executed.
pub(crate) const SIZES: [i64; 2] = [1, 4];

/// What a draft computes.
pub(crate) fn outcomes(program: &Program, draft: &Draft<'_>) -> Vec<Outcome> {
    SIZES.iter().map(|n| execute(program, draft.scop(), draft.tree(), draft.placement(), *n)).collect()
}
