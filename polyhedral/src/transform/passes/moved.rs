//! What passes that give values other places have in common: who uses an array below a node, and copies as trees.

use crate::affine::{Aff, MultiAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::lp::IntOptimum;
use crate::relation::{Map, Set, UnionMap, UnionSet};
use crate::schedule::{Band, Cursor, EditError, Member, Node, ScheduleTree};
use crate::space::{DimKind, Space, Tuple};
use crate::transform::passes::bad;
use crate::transform::placement::{Buffer, BufferKind, CopyStatement, Direction, Placement, Redirect, named};
use crate::transform::{Draft, Need, Step};

/// Sides of boxes that are longer than this are none of tiles.
const LONGEST: i64 = 1 << 24;

/// An access to the array by instances that reach a node.
pub(super) struct Use {
    /// The statement.
    pub(super) statement: usize,
    /// The access.
    pub(super) access: usize,
    /// `S[..] -> A[..]` for these instances.
    pub(super) elements: Map,
    /// `S[..] -> [..]`: the members of the outer bands.
    pub(super) outer: Map,
}

impl Use {
    /// The members of the outer bands with the element: `S[..] -> [p.., e..]`.
    pub(super) fn with_outer(&self, budget: &Budget) -> Result<Map, EditError> {
        Ok(self.outer.flat_range_product(&self.elements.with_anonymous_range()?, budget)?.with_anonymous_range()?)
    }
}

/// The number of the array that a step names.
pub(super) fn array(draft: &Draft<'_>, step: &Step) -> Result<usize, EditError> {
    let name = step.name("array").unwrap_or("");
    match draft.scop().array(name) {
        Some(array) => Ok(array),
        None => bad(format!("there is no array {name}")),
    }
}

/// The number of the array that a step names, all of which is still where the program has it.
pub(super) fn array_in_place(draft: &Draft<'_>, step: &Step) -> Result<usize, EditError> {
    let array = array(draft, step)?;
    let name = &draft.scop().arrays[array].name;
    match draft.placement().touches(name) {
        true => bad(format!("{name} has a buffer already")),
        false => Ok(array),
    }
}

/// The member of a union in the space from a statement to a tuple without name.
pub(super) fn of_statement(maps: &UnionMap, statement: &Tuple, dims: usize) -> Map {
    maps.extract(&Space::map_of(maps.params_space(), statement.clone(), Tuple::anonymous(dims)))
}

/// All uses of an array by the instances that reach a node; an error if one of them touches several elements, or if there are none.
pub(super) fn uses(draft: &Draft<'_>, cursor: &Cursor, array: usize, budget: &Budget) -> Result<Vec<Use>, EditError> {
    let scop = draft.scop();
    let instances = cursor.domain(budget)?.intersect_params(&scop.context, budget)?;
    let outer = cursor.prefix_relation(budget)?;
    let depth = cursor.schedule_depth();
    let mut found = Vec::new();
    for (s, statement) in scop.statements.iter().enumerate() {
        let here = instances.extract(statement.domain.space());
        if here.is_empty(budget)? {
            continue;
        }
        for (number, access) in statement.accesses.iter().enumerate() {
            if scop.array_of(access) != Some(array) {
                continue;
            }
            if !access.relation.intersect_domain(&statement.domain, budget)?.is_single_valued(budget)? {
                return bad(format!("access {number} of {} touches several elements", statement.name));
            }
            let elements = access.relation.intersect_domain(&here, budget)?;
            let outer = of_statement(&outer, statement.domain.space().range_tuple(), depth);
            found.push(Use { statement: s, access: number, elements, outer });
        }
    }
    if found.is_empty() {
        return bad(format!("no statement there touches {}", scop.arrays[array].name));
    }
    Ok(found)
}

/// The same elements in fewer pieces, if that is possible.
pub(super) fn in_one_piece(elements: Map, budget: &Budget) -> Result<Map, EditError> {
    if elements.conjunctions().len() < 2 {
        return Ok(elements);
    }
    let hull = elements.simple_hull(budget)?;
    Ok(if hull.is_subset(&elements, budget)? { hull } else { elements })
}

/// The relation from points to some of their dimensions, in a tuple without name.
pub(super) fn projection(points: &Set, dims: std::ops::Range<usize>, budget: &Budget) -> Result<Map, EditError> {
    let space = points.space();
    let range = Space::set_of(&space.params_space(), Tuple::anonymous(dims.len()));
    let components = dims.map(|dim| Aff::var(space.clone(), dim)).collect::<Result<Vec<_>, _>>()?;
    let map = MultiAff::new(Space::map(space, &range), components)?.to_map()?;
    Ok(map.intersect_domain(points, budget)?)
}

/// The points `C[a.., b..]` of the pairs of a relation.
pub(super) fn points(pairs: &Map, name: &str) -> Set {
    pairs.wrap().flatten().with_tuple_name(DimKind::Out, name)
}

/// A buffer in the making, with all that goes there.
pub(super) struct Move {
    /// The new placement.
    pub(super) placement: Placement,
    /// The name of the buffer.
    pub(super) buffer: String,
    /// The dimensions of places, the slowest first; empty for their own order.
    layout: Vec<usize>,
    panel: Option<u64>,
    copied_if: Vec<Need>,
    places: Vec<Map>,
}

impl Move {
    /// A buffer with that ending for an array.
    pub(super) fn new(draft: &Draft<'_>, array: usize, ending: &str) -> Move {
        let placement = draft.placement().clone();
        let buffer = placement.fresh(draft.scop(), &format!("{}_{ending}", draft.scop().arrays[array].name));
        Move { placement, buffer, layout: Vec::new(), panel: None, copied_if: Vec::new(), places: Vec::new() }
    }

    /// The same with this order of the dimensions of places, which are those of elements.
    pub(super) fn with_layout(self, layout: Vec<usize>) -> Move {
        Move { layout, ..self }
    }

    /// The same in panels of so many places along the dimension that moves fastest.
    pub(super) fn with_panel(self, panel: Option<u64>) -> Move {
        Move { panel, ..self }
    }

    /// The same with copies that pay only where these hold.
    pub(super) fn copied_if(self, copied_if: Vec<Need>) -> Move {
        Move { copied_if, ..self }
    }

    /// An access goes to the buffer.
    pub(super) fn redirect(&mut self, draft: &Draft<'_>, one: &Use, place: &Map) -> Result<(), EditError> {
        let to = named(place, &self.buffer)?;
        self.places.push(to.clone());
        let statement = draft.scop().statements[one.statement].name.clone();
        self.placement.redirects.push(Redirect { statement, access: one.access, to });
        Ok(())
    }

    /// Copies of some elements, one per point: the tree of them, to be grafted where the schedule has `depth` members: the first
    /// dimensions of the points. They go through the buffer place by place, panel by panel.
    pub(super) fn copy(
        &mut self,
        direction: Direction,
        points: &Set,
        depth: usize,
        element: &Map,
        place: &Map,
        budget: &Budget,
    ) -> Result<ScheduleTree, EditError> {
        let place = named(place, &self.buffer)?;
        self.places.push(place.clone());
        let statement = points.space().range_tuple().name().map_or_else(String::new, |name| name.to_string());
        self.placement.copies.push(CopyStatement { statement, direction, element: element.clone(), place });
        let extension = UnionMap::from_members([projection(points, 0..depth, budget)?.reverse()])?;
        let n = points.space().dim(DimKind::Out);
        let dims: Vec<usize> = match self.layout.is_empty() {
            true => (depth..n).collect(),
            false => self.layout.iter().map(|dim| depth + dim).collect(),
        };
        let subscript = |dim: usize| Aff::var(points.space().clone(), dim);
        let fastest = dims.last().copied().zip(self.panel);
        let panels = fastest.map(|(dim, panel)| Ok(subscript(dim)?.floor_div(&Int::from(panel))));
        let all = panels.into_iter().chain(dims.into_iter().map(subscript));
        let members = all.map(|one| Member::new([one?]));
        let members = members.collect::<Result<Vec<_>, crate::error::Error>>()?;
        let below = if members.is_empty() { Node::leaf() } else { Node::band(Band::new(members), Node::leaf()) };
        Ok(ScheduleTree::from_root(Node::extension(extension, below)))
    }

    /// The placement, with a buffer of the places that are used.
    pub(super) fn finish(
        mut self,
        draft: &Draft<'_>,
        array: usize,
        kind: BufferKind,
        budget: &Budget,
    ) -> Result<Placement, EditError> {
        let used = self.places.iter().map(|map| map.range(budget)).collect::<Result<Vec<_>, _>>()?;
        let used = UnionSet::from_members(used)?.coalesce(budget)?;
        let Some(places) = used.members().next() else { return bad("nothing is moved") };
        // Memory is allocated for a box, and that there is a place in a box is easily said.
        let boxed = if kind == BufferKind::Packed { places.box_hull(budget)? } else { places.clone() };
        let is_small = kind != BufferKind::Packed || has_short_sides(&boxed, budget)?;
        let places = if is_small && boxed.is_bounded(budget)? { boxed } else { places.clone() };
        let places = match is_small && places.conjunctions().len() == 1 {
            true => places,
            false => in_sides(&places, budget)?.unwrap_or(places),
        };
        let array = &draft.scop().arrays[array];
        self.placement.buffers.push(Buffer {
            name: self.buffer,
            array: array.name.clone(),
            element: array.element,
            kind,
            layout: match self.layout.is_empty() {
                true => (0..places.space().dim(DimKind::Out)).collect(),
                false => self.layout,
            },
            panel: self.panel,
            places,
            copied_if: self.copied_if,
        });
        Ok(self.placement)
    }
}

/// The least box with sides that are functions of parameters, as far as each side has plain ones; nothing if some side has none.
fn in_sides(places: &Set, budget: &Budget) -> Result<Option<Set>, EditError> {
    let n = places.space().dim(DimKind::Out);
    let mut all = Set::universe(places.space().clone());
    for dim in 0..n {
        let side = places.forget_dims(DimKind::Out, dim + 1, n - dim - 1, budget)?;
        let side = side.forget_dims(DimKind::Out, 0, dim, budget)?.coalesce(budget)?;
        let side = side.simple_hull(budget)?;
        for conjunction in side.conjunctions() {
            let n_col = side.space().n_col();
            for row in conjunction.ineqs().iter().filter(|row| row[n_col..].iter().all(Int::is_zero)) {
                all = all.add_ineq(&row[..n_col]);
            }
            for row in conjunction.eqs().iter().filter(|row| row[n_col..].iter().all(Int::is_zero)) {
                all = all.add_eq(&row[..n_col]);
            }
        }
    }
    Ok(all.is_bounded(budget)?.then_some(all))
}

/// Whether a box has no side that only the type of a parameter bounds.
fn has_short_sides(boxed: &Set, budget: &Budget) -> Result<bool, EditError> {
    for dim in 0..boxed.space().dim(DimKind::Out) {
        let last = boxed.max_aff(&Aff::var(boxed.space().clone(), dim)?, budget)?;
        if !matches!(last, IntOptimum::Bounded(last) if last < LONGEST) {
            return Ok(false);
        }
    }
    Ok(true)
}
