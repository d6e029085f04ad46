//! A machine that executes orders of SCoPs: the judge of passes, of the strategy and of the check, with which it shares
//! only the interpreter of generated code.
//!
//! It knows what statements touch, not what they compute. So a statement writes a number made of its name, its instance and
//! all numbers that it has read: `S[3]` of `for i: A[i] = A[i - 1] + B[i]` writes `hash("S", 3, A[2], B[3])`. Two orders that
//! leave the same numbers in memory have handed on the same values from write to read.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use tessera_polyhedral::affine::PwMultiAff;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{AstBuild, AstError, AstUnit, interpret};
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::relation::Map;
use tessera_polyhedral::schedule::{Cursor, LoopType, Node, ScheduleTree};
use tessera_polyhedral::scop::{Reduction, Scop, Storage};
use tessera_polyhedral::space::{DimKind, Space};
use tessera_polyhedral::transform::Placement;

use super::budget;

/// A place of memory or of a buffer.
pub(crate) type Location = (String, Vec<i64>);

/// What is where; what is missing is as it was before the program.
pub(crate) type Memory = HashMap<Location, u64>;

/// An instance: the statement and the values of its dimensions.
pub(crate) type Instance = (String, Vec<i64>);

/// Small numbers.
pub(crate) fn numbers(point: &[Int]) -> Vec<i64> {
    point.iter().map(|x| x.to_i64().unwrap()).collect()
}

/// What is left in memory, and how many instances were executed; nothing if a place outside of a buffer was touched, or
/// there is no code.
pub(crate) type Outcome = Option<(Memory, usize)>;

/// Values of the parameters, in the order of the SCoP's context.
pub(crate) type Params = Vec<i64>;

/// A machine for the statements of a SCoP.
pub(crate) struct Machine<'m> {
    scop: &'m Scop,
    /// Per statement and access, the elements.
    accesses: Vec<Vec<Elements>>,
}

/// A relation from instances to elements or places.
struct Elements {
    name: String,
    map: Map,
    /// The map as a function, if it is one.
    function: Option<PwMultiAff>,
    /// The parameters of the map, as positions in those of the SCoP.
    params: Vec<usize>,
}

impl Elements {
    fn new(scop: &Scop, map: &Map) -> Elements {
        let function = PwMultiAff::from_map(map, &budget()).ok();
        let name = map.space().range_tuple().name().unwrap().to_string();
        Elements { name, function, params: positions(scop, map.space()), map: map.clone() }
    }

    /// What an instance touches.
    fn at(&self, params: &[i64], point: &[i64]) -> Vec<Location> {
        let own: Vec<i64> = self.params.iter().map(|position| params[*position]).collect();
        let numbers = |point: &[Int]| point.iter().map(|x| x.to_i64().unwrap()).collect::<Vec<i64>>();
        let images = match &self.function {
            Some(function) => {
                let at: Vec<Int> = own.iter().chain(point).copied().map(Int::from).collect();
                function.eval(&at, &budget()).unwrap().iter().map(|image| numbers(image)).collect()
            }
            None => {
                let fix = |map: Map, (kind, dim, value)| map.fix(kind, dim, &Int::from(value)).unwrap();
                let params = own.iter().enumerate().map(|(dim, value)| (DimKind::Param, dim, *value));
                let dims = point.iter().enumerate().map(|(dim, value)| (DimKind::In, dim, *value));
                let at = params.chain(dims).fold(self.map.clone(), fix);
                let images = at.range(&budget()).unwrap().points(&budget()).unwrap();
                images.iter().map(|image| numbers(&image[own.len()..])).collect::<Vec<_>>()
            }
        };
        images.into_iter().map(|image| (self.name.clone(), image)).collect()
    }
}

/// The parameters of a space, as positions in those of a SCoP.
fn positions(scop: &Scop, space: &Space) -> Vec<usize> {
    let position = |name| scop.context.space().param_index(name).unwrap();
    space.param_names().iter().map(|name| position(name)).collect()
}

/// Where accesses to buffers go, and what copies move.
struct Buffers<'p> {
    placement: &'p Placement,
    /// Statement and access, and the places.
    redirects: Vec<(&'p str, usize, Elements)>,
    /// The copy, what it reads and what it writes.
    copies: HashMap<&'p str, (Elements, Elements)>,
}

impl<'p> Buffers<'p> {
    fn new(scop: &Scop, placement: &'p Placement) -> Buffers<'p> {
        let redirects = placement.redirects.iter();
        let redirects = redirects.map(|one| (one.statement.as_str(), one.access, Elements::new(scop, &one.to)));
        let copies = placement.copies.iter().map(|copy| {
            let ends = (Elements::new(scop, copy.source()), Elements::new(scop, copy.destination()));
            (copy.statement.as_str(), ends)
        });
        Buffers { placement, redirects: redirects.collect(), copies: copies.collect() }
    }
}

impl<'m> Machine<'m> {
    pub(crate) fn new(scop: &'m Scop) -> Machine<'m> {
        let of_statement = |accesses: &[tessera_polyhedral::scop::Access]| {
            accesses.iter().map(|access| Elements::new(scop, &access.relation)).collect()
        };
        Machine { accesses: scop.statements.iter().map(|s| of_statement(&s.accesses)).collect(), scop }
    }

    /// What the order of the program computes, for some values of the parameters.
    pub(crate) fn expected(&self, sizes: &[Params]) -> Vec<Outcome> {
        self.outcomes(&self.scop.schedule, &Placement::default(), sizes)
    }

    /// What a tree computes with some buffers.
    pub(crate) fn outcomes(&self, tree: &ScheduleTree, placement: &Placement, sizes: &[Params]) -> Vec<Outcome> {
        let build = AstBuild::new().with_context(self.scop.context.clone());
        let unit = match build.build(tree, &budget()) {
            // What a step after `jam` makes of the points of a block need not be a fixed number.
            Err(AstError::CannotUnroll { .. }) => build.build(&rolled(tree), &budget()),
            other => other,
        };
        // For trees that are damaged enough there is no code.
        let Ok(unit) = unit else { return vec![None; sizes.len()] };
        let buffers = Buffers::new(self.scop, placement);
        sizes.iter().map(|params| self.run(&unit, &buffers, params)).collect()
    }

    fn run(&self, unit: &AstUnit, buffers: &Buffers<'_>, params: &[i64]) -> Outcome {
        let position = |name| self.scop.context.space().param_index(name).unwrap();
        let values: Vec<Int> = unit.params.iter().map(|name| Int::from(params[position(name)])).collect();
        let events = interpret(unit, &values, &budget()).unwrap();
        let events = events.into_iter().map(|event| (event.stmt.to_string(), numbers(&event.point)));
        self.after(events, buffers, params)
    }

    /// What some instances compute, one after the other.
    pub(crate) fn after_events(
        &self,
        events: impl Iterator<Item = Instance>,
        placement: &Placement,
        params: &[i64],
    ) -> Outcome {
        self.after(events, &Buffers::new(self.scop, placement), params)
    }

    /// What instances touch, and whether they (perhaps) write there.
    pub(crate) fn touches<'t>(
        &'t self,
        placement: &'t Placement,
        params: &'t [i64],
    ) -> impl Fn(&Instance) -> Vec<(Location, bool)> + 't {
        let buffers = Buffers::new(self.scop, placement);
        move |instance| {
            let run = Run { machine: self, buffers: &buffers, params, memory: HashMap::new(), is_outside: false };
            let mut all = Vec::new();
            match self.scop.statement(&instance.0) {
                Some(number) => {
                    for (k, access) in self.scop.statements[number].accesses.iter().enumerate() {
                        let is_write = access.kind != AccessKind::Read;
                        let locations = run.locations(number, k, &instance.1);
                        all.extend(locations.into_iter().map(|location| (location, is_write)));
                    }
                }
                None => {
                    if let Some((from, to)) = buffers.copies.get(instance.0.as_str()) {
                        all.extend(from.at(params, &instance.1).into_iter().map(|location| (location, false)));
                        all.extend(to.at(params, &instance.1).into_iter().map(|location| (location, true)));
                    }
                }
            }
            all
        }
    }

    /// Executes instances on a memory, one after the other.
    pub(crate) fn execute_on(&self, memory: Memory, instances: &[Instance], params: &[i64]) -> Memory {
        let placement = Placement::default();
        let buffers = Buffers::new(self.scop, &placement);
        let mut run = Run { machine: self, buffers: &buffers, params, memory, is_outside: false };
        for (stmt, point) in instances {
            run.execute(self.scop.statement(stmt).unwrap(), point);
        }
        run.memory
    }

    /// What counts of a memory at the end.
    pub(crate) fn outcome(&self, memory: Memory, executed: usize) -> Outcome {
        Some((self.left_in(memory, &Placement::default()), executed))
    }

    /// What is left of a memory: without what is dead, and what is as it was before.
    fn left_in(&self, mut memory: Memory, placement: &Placement) -> Memory {
        memory.retain(|location, value| !self.is_dead(&location.0, placement) && *value != unknown(location));
        memory
    }

    /// The SCoP.
    pub(crate) fn scop(&self) -> &'m Scop {
        self.scop
    }

    fn after(&self, events: impl Iterator<Item = Instance>, buffers: &Buffers<'_>, params: &[i64]) -> Outcome {
        let mut run = Run { machine: self, buffers, params, memory: HashMap::new(), is_outside: false };
        let mut executed = 0;
        for (stmt, point) in events {
            match self.scop.statement(&stmt) {
                Some(statement) => {
                    executed += 1;
                    run.execute(statement, &point);
                }
                None => run.copy(&stmt, &point)?,
            }
        }
        (!run.is_outside).then(|| (self.left_in(run.memory, buffers.placement), executed))
    }

    /// Buffers and scalars are dead afterwards.
    fn is_dead(&self, name: &str, placement: &Placement) -> bool {
        match self.scop.array(name) {
            Some(array) => self.scop.arrays[array].storage == Storage::Scalar,
            None => placement.buffer(name).is_some(),
        }
    }
}

/// What was never written is a number of its own.
pub(crate) fn unknown(location: &Location) -> u64 {
    let mut hasher = DefaultHasher::new();
    location.hash(&mut hasher);
    hasher.finish()
}

/// One execution.
struct Run<'r> {
    machine: &'r Machine<'r>,
    buffers: &'r Buffers<'r>,
    params: &'r [i64],
    memory: Memory,
    /// Whether a place outside of a buffer was touched.
    is_outside: bool,
}

impl Run<'_> {
    fn is_inside(&self, (name, place): &Location) -> bool {
        let Some(buffer) = self.buffers.placement.buffer(name) else { return true };
        let params = positions(self.machine.scop, buffer.places.space()).into_iter().map(|k| self.params[k]);
        let point: Vec<Int> = params.chain(place.iter().copied()).map(Int::from).collect();
        buffer.places.contains(&point, &budget()).unwrap()
    }

    fn read(&mut self, location: &Location) -> u64 {
        self.is_outside |= !self.is_inside(location);
        self.memory.get(location).copied().unwrap_or_else(|| unknown(location))
    }

    fn write(&mut self, location: Location, value: u64) {
        self.is_outside |= !self.is_inside(&location);
        self.memory.insert(location, value);
    }

    /// Where an access of an instance goes.
    fn locations(&self, statement: usize, access: usize, point: &[i64]) -> Vec<Location> {
        let name = &self.machine.scop.statements[statement].name;
        for (_, _, to) in self.buffers.redirects.iter().filter(|(s, a, _)| s == name && *a == access) {
            let places = to.at(self.params, point);
            if !places.is_empty() {
                return places;
            }
        }
        self.machine.accesses[statement][access].at(self.params, point)
    }

    fn execute(&mut self, number: usize, point: &[i64]) {
        let statement = &self.machine.scop.statements[number];
        let mut seen = DefaultHasher::new();
        (&statement.name, point).hash(&mut seen);
        // Whether writes happen that may not happen: in half of the instances.
        let happens = seen.finish().is_multiple_of(2);
        for (k, access) in statement.accesses.iter().enumerate() {
            let locations = self.locations(number, k, point);
            let reduction =
                statement.reduction.as_ref().filter(|reduction| [reduction.read, reduction.write].contains(&k));
            match (access.kind, reduction) {
                // The old value goes into the new one as it is.
                (AccessKind::Read, Some(_)) => {}
                (AccessKind::Read, None) => locations.iter().for_each(|location| self.read(location).hash(&mut seen)),
                (AccessKind::MayWrite, _) if !happens => {}
                (_, Some(reduction)) => {
                    let old = self.locations(number, reduction.read, point);
                    for (location, old) in locations.into_iter().zip(old) {
                        let value = reduced(reduction, self.read(&old), seen.finish());
                        self.write(location, value);
                    }
                }
                (_, None) => {
                    let mut value = seen.clone();
                    k.hash(&mut value);
                    locations.into_iter().for_each(|location| self.write(location, value.finish()));
                }
            }
        }
    }

    fn copy(&mut self, statement: &str, point: &[i64]) -> Option<()> {
        let (source, destination) = self.buffers.copies.get(statement)?;
        let (from, to) = (source.at(self.params, point).pop()?, destination.at(self.params, point).pop()?);
        let value = self.read(&from);
        self.write(to, value);
        Some(())
    }
}

/// What a reduction makes of an old value: the order of updates of one kind does not matter, that of two kinds does.
fn reduced(reduction: &Reduction, old: u64, value: u64) -> u64 {
    if reduction.kind.starts_with("sum") { old.wrapping_add(value) } else { old.max(value) }
}

/// The same order with loops instead of copies.
fn rolled(tree: &ScheduleTree) -> ScheduleTree {
    let mut plain = |cursor: Cursor| match cursor.node() {
        Node::Band(..) => {
            cursor.update_band(|_, members| members.iter_mut().for_each(|m| m.loop_type = LoopType::Default))
        }
        _ => Ok(cursor),
    };
    tree.cursor().map_bottom_up(&mut plain).unwrap().into_tree()
}

/// Small values of the parameters that the context of a SCoP allows: all the same, and each larger than the one before it.
pub(crate) fn sizes(scop: &Scop) -> Vec<Params> {
    let depth = scop.statements.iter().map(|statement| statement.domain.space().dim(DimKind::Out)).max();
    let n = scop.context.space().param_names().len();
    let with = |some: &[i64]| {
        let all = some
            .iter()
            .flat_map(|least| [0, 1].map(|step| (0..n as i64).map(|k| least + step * k).collect::<Params>()));
        let is_allowed = |params: &Params| {
            let point: Vec<Int> = params.iter().copied().map(Int::from).collect();
            scop.context.contains(&point, &budget()).unwrap()
        };
        let mut all: Vec<Params> = all.filter(is_allowed).collect();
        all.sort();
        all.dedup();
        all
    };
    // A machine for a statement in four loops has much to do.
    let small = with(if depth > Some(3) { &[1, 2, 4, 5] } else { &[1, 2, 4, 6, 9] });
    // Contexts may ask for more.
    if small.is_empty() { with(&[20, 33]) } else { small }
}
