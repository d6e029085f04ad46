//! A schedule tree as loops with trip counts.
//!
//! Every member of a band is a loop for the statements that pass it. A statement sees its loops as steps along *directions*: linear forms of
//! its dimensions. In
//!
//! ```text
//! band S -> [floor(i/32), floor(j/64)]
//!   band S -> [j, i]
//! ```
//!
//! there are two directions, `i` and `j`; the outer members go along them in steps of 32 and 64, the inner ones by one. A member that adds
//! nothing to what outer ones have fixed (`i` below `t` and `t + i`) runs once. As many independent directions as dimensions are new
//! coordinates of the statement, in which boxes are what loops run over. From outside to inside every loop is set to the middle of
//! its range, and the box of the rest becomes smaller: triangles have the trip counts of their middle, tiles their average size.
//!
//! Invariant: `boxes` of an occurrence has one box before every level and one after the last; along an occurrence's levels the trip counts
//! multiply to its number of instances.

use crate::affine::Aff;
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::Set;
use crate::schedule::{LoopType, Node, ScheduleTree};

use super::facts::{Direction, StatementFacts, direction};
use super::linear::{combination, inverse};
use super::sizes::{DEFAULT_SIZE, Values};
use super::system::{Interval, System, of_set};

/// A loop of the new order.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    /// Loops right below, in order.
    pub(super) loops: Vec<usize>,
    /// Occurrences right below.
    pub(super) occurrences: Vec<usize>,
    /// Whether it is written as copies of its body.
    pub(super) is_unrolled: bool,
    /// Whether it runs over the points of a tile.
    pub(super) is_in_tiles: bool,
    /// How often its body runs each time: the most of all occurrences.
    pub(super) trips: f64,
}

/// One loop as an occurrence sees it.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) number: usize,
    /// The number of the first loop of its band.
    pub(super) band: usize,
    /// The direction along which it goes, if it moves at all.
    pub(super) direction: Option<usize>,
    /// The distance of two iterations along the direction.
    pub(super) step: f64,
    pub(super) trips: f64,
    /// What of all tiles are full ones with so many iterations, and how many iterations the last one has, if this goes through tiles.
    pub(super) full: Option<(f64, f64, f64)>,
    /// Whether an outer level goes along the direction in larger steps.
    pub(super) is_in_tile: bool,
    /// The member as it is written.
    pub(super) member: Option<Aff>,
}

/// A statement at a leaf.
#[derive(Clone, Debug)]
pub(super) struct Occurrence {
    pub(super) statement: usize,
    pub(super) levels: Vec<Level>,
    /// `x = matrix f`: the dimensions of the statement from the coordinates along its directions.
    pub(super) matrix: Vec<Vec<f64>>,
    pub(super) boxes: Vec<Vec<Interval>>,
    /// The share of the points of the boxes that are instances.
    pub(super) density: f64,
    /// The filters around it, if the statement occurs more than once: its instances are those in all of them.
    pub(super) filters: Vec<Set>,
}

impl Occurrence {
    /// The number of instances.
    pub(super) fn instances(&self) -> f64 {
        self.levels.iter().map(|level| level.trips).product::<f64>() * self.density
    }

    /// The level that a loop is.
    pub(super) fn level_of(&self, number: usize) -> Option<usize> {
        self.levels.iter().position(|level| level.number == number)
    }
}

/// All loops of a tree; the first one is around everything and runs once.
#[derive(Clone, Debug)]
pub(super) struct Nest {
    pub(super) loops: Vec<Loop>,
    pub(super) occurrences: Vec<Occurrence>,
}

/// A statement on the way to its leaf.
#[derive(Clone)]
struct Active<'t> {
    statement: usize,
    filters: Vec<&'t Set>,
    members: Vec<(usize, usize, Option<&'t Aff>)>,
}

impl Nest {
    /// The loops of a tree over statements with those names.
    pub(super) fn new(
        tree: &ScheduleTree,
        names: &[&str],
        facts: &[StatementFacts],
        values: &Values,
        budget: &Budget,
    ) -> Result<Nest> {
        let outermost =
            Loop { loops: Vec::new(), occurrences: Vec::new(), is_unrolled: false, is_in_tiles: false, trips: 1.0 };
        let mut nest = Nest { loops: vec![outermost], occurrences: Vec::new() };
        let active: Vec<Active<'_>> =
            (0..names.len()).map(|statement| Active { statement, filters: Vec::new(), members: Vec::new() }).collect();
        nest.visit(tree.root(), 0, &active, names, facts, values, budget)?;
        let mut times = vec![0; names.len()];
        nest.occurrences.iter().for_each(|occurrence| times[occurrence.statement] += 1);
        for occurrence in nest.occurrences.iter_mut().filter(|occurrence| times[occurrence.statement] < 2) {
            occurrence.filters.clear();
        }
        for occurrence in &nest.occurrences {
            for level in occurrence.levels.iter().filter(|level| level.is_in_tile) {
                nest.loops[level.number].is_in_tiles = true;
            }
        }
        for number in 0..nest.loops.len() {
            let trips = nest.occurrences.iter().filter_map(|o| Some(o.levels[o.level_of(number)?].trips));
            nest.loops[number].trips = if number == 0 { 1.0 } else { trips.fold(0.0, f64::max) };
        }
        Ok(nest)
    }

    fn add(&mut self, parent: usize, is_unrolled: bool) -> usize {
        self.loops.push(Loop {
            loops: Vec::new(),
            occurrences: Vec::new(),
            is_unrolled,
            is_in_tiles: false,
            trips: 1.0,
        });
        let number = self.loops.len() - 1;
        self.loops[parent].loops.push(number);
        number
    }

    #[expect(clippy::too_many_arguments, reason = "a walk: all but the first three stay the same")]
    fn visit<'t>(
        &mut self,
        node: &'t Node,
        parent: usize,
        active: &[Active<'t>],
        names: &[&str],
        facts: &[StatementFacts],
        values: &Values,
        budget: &Budget,
    ) -> Result<()> {
        budget.spend(10 + active.len() as u64)?;
        let mut parent = parent;
        let mut below: Vec<Active<'t>> = Vec::new();
        match node {
            Node::Domain(instances, _) | Node::Filter(instances, _) => {
                let is_domain = matches!(node, Node::Domain(..));
                for one in active {
                    let Some(set) = instances.get(names[one.statement]) else { continue };
                    let mut one = one.clone();
                    // The domain of the statement is known already.
                    if !is_domain && !set.is_plainly_universe() {
                        one.filters.push(set);
                    }
                    below.push(one);
                }
            }
            Node::Band(band, _) => {
                below = active.to_vec();
                let first = self.loops.len();
                for member in band.members() {
                    parent = self.add(parent, member.loop_type == LoopType::Unroll);
                    for one in &mut below {
                        let function = member.function(names[one.statement]);
                        let aff = function.and_then(|f| f.as_total().or(f.pieces().first().map(|(_, aff)| aff)));
                        one.members.push((parent, first, aff));
                    }
                }
            }
            Node::Leaf => {
                for one in active {
                    self.finish(one, parent, facts, values);
                }
                return Ok(());
            }
            _ => below = active.to_vec(),
        }
        for child in node.children() {
            self.visit(child, parent, &below, names, facts, values, budget)?;
        }
        Ok(())
    }

    /// Adds a statement that has arrived at its leaf.
    fn finish(&mut self, active: &Active<'_>, parent: usize, facts: &[StatementFacts], values: &Values) {
        let facts = &facts[active.statement];
        let mut course = Course { directions: Vec::new(), is_fixed: Vec::new() };
        let mut levels = Vec::new();
        for (number, band, member) in &active.members {
            let place = match member {
                Some(aff) => course.place(&direction(aff, values)),
                None => None,
            };
            let (direction, step) = place.map_or((None, 1.0), |(direction, step)| (Some(direction), step));
            let member = member.cloned();
            levels.push(Level {
                number: *number,
                band: *band,
                direction,
                step,
                trips: 1.0,
                full: None,
                is_in_tile: false,
                member,
            });
        }
        // What the schedule leaves open runs innermost.
        let mut parent = parent;
        for dim in 0..facts.dims {
            let unit = (0..facts.dims).map(|k| if k == dim { 1.0 } else { 0.0 }).collect();
            if let Some((direction, step)) = course.place(&Direction { form: unit, step: 1.0 }) {
                parent = self.add(parent, false);
                levels.push(Level {
                    number: parent,
                    band: parent,
                    direction: Some(direction),
                    step,
                    trips: 1.0,
                    full: None,
                    is_in_tile: false,
                    member: None,
                });
            }
        }
        let Some(matrix) = inverse(&course.directions) else { return };
        let mut parts: Vec<System> = facts.domain.clone();
        let filters = active.filters.iter().filter_map(|set| of_set(set, values).into_iter().next());
        for filter in filters {
            parts.iter_mut().for_each(|part| part.add(&filter));
        }
        let n = facts.dims;
        let instances = in_order_of_dimensions(&parts, n);
        let parts: Vec<System> = parts.iter().map(|part| part.substituted(&matrix)).collect();
        let filters = active.filters.iter().map(|set| (*set).clone()).collect();
        let mut occurrence =
            Occurrence { statement: active.statement, levels, matrix, boxes: Vec::new(), density: 1.0, filters };
        occurrence.run(&parts);
        // However skewed the boxes are, there are as many instances.
        if let Some(instances) = instances {
            let trips: f64 = occurrence.levels.iter().map(|level| level.trips).product();
            occurrence.density = if trips > 0.0 { instances / trips } else { 0.0 };
        }
        self.loops[parent].occurrences.push(self.occurrences.len());
        self.occurrences.push(occurrence);
    }
}

/// The number of instances if one loop per dimension runs over them, in order; nothing without dimensions.
fn in_order_of_dimensions(parts: &[System], dims: usize) -> Option<f64> {
    let unit = |dim: usize| (0..dims).map(|k| if k == dim { 1.0 } else { 0.0 }).collect();
    let level = |direction: usize| Level {
        number: 0,
        band: 0,
        direction: Some(direction),
        step: 1.0,
        trips: 1.0,
        full: None,
        is_in_tile: false,
        member: None,
    };
    let mut plain = Occurrence {
        statement: 0,
        levels: (0..dims).map(level).collect(),
        matrix: (0..dims).map(unit).collect(),
        boxes: Vec::new(),
        density: 1.0,
        filters: Vec::new(),
    };
    plain.run(parts);
    (dims > 0).then(|| plain.instances())
}

/// The directions along which the members so far go.
struct Course {
    directions: Vec<Vec<f64>>,
    /// Whether a member has gone along it in steps of one.
    is_fixed: Vec<bool>,
}

impl Course {
    /// Along which direction a member goes, and in which steps; nothing if outer members fix it.
    fn place(&mut self, member: &Direction) -> Option<(usize, f64)> {
        let fixed: Vec<usize> = (0..self.directions.len()).filter(|k| self.is_fixed[*k]).collect();
        let open: Vec<usize> = (0..self.directions.len()).filter(|k| !self.is_fixed[*k]).collect();
        let vectors = |numbers: &[usize]| -> Vec<&[f64]> { numbers.iter().map(|k| &*self.directions[*k]).collect() };
        if combination(&member.form, &vectors(&fixed)).is_some() {
            return None;
        }
        let mut found = None;
        for k in &open {
            let with: Vec<usize> = fixed.iter().copied().chain([*k]).collect();
            if let Some(factors) = combination(&member.form, &vectors(&with)) {
                found = factors.last().map(|factor| (*k, member.step / factor.abs()));
                break;
            }
        }
        let all: Vec<usize> = (0..self.directions.len()).collect();
        if found.is_none()
            && let Some(factors) = combination(&member.form, &vectors(&all))
        {
            let strongest = open.iter().max_by(|a, b| factors[**a].abs().total_cmp(&factors[**b].abs()));
            found = strongest.map(|k| (*k, member.step / factors[*k].abs().max(1e-3)));
        }
        let (direction, step) = found.unwrap_or_else(|| {
            self.directions.push(member.form.clone());
            self.is_fixed.push(false);
            (self.directions.len() - 1, member.step)
        });
        let step = step.max(1.0);
        self.is_fixed[direction] |= step <= 1.0;
        Some((direction, step))
    }
}

impl Occurrence {
    /// Sets trip counts and boxes: every level at the middle of its range, from the outermost to the innermost.
    fn run(&mut self, parts: &[System]) {
        let n = self.matrix.len();
        let unlimited = |mut bounds: Vec<Interval>| {
            for bound in &mut bounds {
                if !bound.low.is_finite() {
                    bound.low = if bound.high.is_finite() { bound.high - DEFAULT_SIZE + 1.0 } else { 0.0 };
                }
                if !bound.high.is_finite() {
                    bound.high = bound.low + DEFAULT_SIZE - 1.0;
                }
            }
            bounds
        };
        // The largest part stands for all of them, which have as many instances as their boxes together.
        let mut whole: Vec<(f64, &System, Vec<Interval>)> = Vec::new();
        for part in parts {
            let mut bounds = vec![Interval::ALL; n];
            part.tighten(&mut bounds);
            let bounds = unlimited(bounds);
            let size: f64 = bounds.iter().map(|bound| bound.count()).product();
            whole.push((size * part.density, part, bounds));
        }
        let total: f64 = whole.iter().map(|(size, ..)| size).sum();
        let Some((own, part, mut bounds)) = whole.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)) else {
            self.boxes = vec![vec![Interval::point(0.0); n]; self.levels.len() + 1];
            self.density = 0.0;
            return;
        };
        self.density = part.density * if own > 0.0 { total / own } else { 0.0 };
        let mut tiles: Vec<Option<(f64, f64)>> = vec![None; n];
        let mut is_tiled = vec![false; n];
        for level in &mut self.levels {
            self.boxes.push(bounds.clone());
            let Some(direction) = level.direction else { continue };
            level.is_in_tile = is_tiled[direction];
            is_tiled[direction] |= level.step > 1.0;
            let range = bounds[direction].count().max(if own > 0.0 { 1e-3 } else { 0.0 });
            let trips = (range / level.step - 1e-7).ceil().max(if range > 0.0 { 1.0 } else { 0.0 });
            level.trips = if level.step <= 1.0 { range } else { trips };
            if level.step <= 1.0
                && let Some((tile, outer)) = tiles[direction]
            {
                let full = (outer / tile + 1e-7).floor();
                let share = full * tile / outer.max(1.0);
                level.full = Some((share, tile, (outer - full * tile).max(0.0)));
            }
            if level.step > 1.0 && trips > 1.0 {
                tiles[direction] = Some((level.step, range));
            }
            if level.trips > 1.0 {
                let middle = bounds[direction].middle();
                let half = (range / level.trips - 1.0).max(0.0) / 2.0;
                bounds[direction] = Interval { low: middle - half, high: middle + half };
                part.tighten(&mut bounds);
            }
        }
        self.boxes.push(bounds);
    }
}
