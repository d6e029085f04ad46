//! Arrays of which new code reads copies, in the model.
//!
//! The library's placement says which accesses go to buffers, and which statements copy elements there. Buffers become arrays of the model, and
//! what an access goes to is a place in one: the distance of its element from the first one in the buffer. The subscripts of that one are the same
//! in an iteration of the bands around the copies, so that they are further arguments of statements, which code generation computes as expressions of
//! the loops around ([`Hooks`]).
//!
//! ```text
//! P[k][j] = A[j][k] in tiles of 64 x 512:     S3(i, j, k)  =>  S3(i, j, k, 512 tj, 64 tk), which reads P + 8 (520 (k - 64 tk) + j - 512 tj)
//! ```
//!
//! Where copies pay only if loops are long, the address is that of the copy or that of the element itself: strides, and what the subscripts of the first
//! element count for, are chosen once (`Scop::chosen`), as `s` and `t` in `P + s (k - 64 tk) + 8 (j - 512 tj) + t 64 tk + u 512 tj`; `P` is the base of
//! the copies or that of the array. Without a condition, all is copied always.
//!
//! Of a buffer in panels there is one more argument, as `q = floor(j / 32)` in `P + 8 (32 (k - 64 tk) + j - 512 tj) + 32 s (q - 512 tj / 32)`, where
//! a panel has `32 s + 8 * 32` bytes. Elements in place have no panels: `s` is nothing for them.
//!
//! Nothing is decided here: what the library found is proved by its check. But the model must be able to say where an element of the array is, given
//! its subscripts, and what its type is; where it is not, nothing is copied.

use super::Result;
use super::private::private;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Opcode, Type, TypeKind, Value};
use crate::model::scop::{Access, Array, Chosen, InPlace, Op, Pack, Scop, Statement, Storage};
use crate::model::sets::library_error;
use crate::reasons::Reason;
use std::collections::HashMap;
use tessera_polyhedral::affine::{Aff, MultiPwAff, PwAff, PwMultiAff};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{Ast, AstError, AstHooks, Cond, Expr, Position};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::error::Error;
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::lp::IntOptimum;
use tessera_polyhedral::relation::{Map, Set, UnionMap, UnionSet};
use tessera_polyhedral::schedule::{Cursor, Node};
use tessera_polyhedral::space::{DimKind, Name, Space, Tuple};
use tessera_polyhedral::transform::{Buffer, BufferKind, CopyStatement, Direction, Draft, Placement, Redirect};

/// The most bytes of a buffer.
const MOST_BYTES: i128 = 8 << 20;

/// Rows of a buffer whose length is a multiple of so many bytes begin in few sets of the first cache: they are made a line longer.
const NEAR: i128 = 512;
const LINE: i128 = 64;

/// Further arguments of statements and copies: the first subscripts in buffers, in terms of members of the outer bands, for each access that goes to
/// one, or subscripts that are functions of the instance.
#[derive(Clone, Debug, Default)]
pub struct Places {
    arguments: HashMap<String, Vec<PwAff>>,
    /// Statements of which only some instances read from buffers, with these instances and the statements that they are in the model.
    some: HashMap<String, Vec<(Set, String)>>,
}

/// Appends these subscripts to the arguments of statements and copies while an AST is generated.
#[derive(Debug)]
pub struct Hooks<'p> {
    places: &'p Places,
    budget: &'p Budget,
    /// The arguments that were asked for last, where, and what they are there: copies of a statement side by side have the same.
    last: Vec<(&'p PwAff, Position, Expr)>,
}

impl Places {
    /// Whether nothing goes to a buffer.
    pub fn is_empty(&self) -> bool {
        self.arguments.is_empty()
    }

    /// The callbacks for the generation of an AST.
    pub fn hooks<'p>(&'p self, budget: &'p Budget) -> Hooks<'p> {
        Hooks { places: self, budget, last: Vec::new() }
    }

    /// Whether some instances of a statement are those of another one in the model.
    pub(super) fn is_divided(&self, statement: &str) -> bool {
        self.some.contains_key(statement)
    }

    pub(super) fn add(&mut self, statement: &str, arguments: &[PwAff]) {
        self.arguments.entry(statement.to_owned()).or_default().extend_from_slice(arguments);
    }
}

impl AstHooks for Hooks<'_> {
    fn at_domain(&mut self, position: &Position, node: Ast) -> std::result::Result<Ast, AstError> {
        let Ast::User { stmt, args } = node else { return Ok(node) };
        let Some(some) = self.places.some.get(&*stmt) else {
            return self.with_arguments(position, stmt, args);
        };
        let mut others = Vec::new();
        let mut last = None;
        for (instances, name) in some {
            let condition = position.condition(instances, self.budget)?;
            if condition == Cond::False {
                continue;
            }
            let from_buffers = self.with_arguments(position, Name::from(name.as_str()), args.clone())?;
            if condition == Cond::True {
                last = Some(from_buffers);
                break;
            }
            others.push((condition, from_buffers));
        }
        let last = match last {
            Some(last) => last,
            None => self.with_arguments(position, stmt, args)?,
        };
        Ok(others.into_iter().rev().fold(last, |otherwise, (cond, then)| Ast::If {
            cond,
            then: Box::new(then),
            otherwise: Some(Box::new(otherwise)),
        }))
    }
}

impl<'p> Hooks<'p> {
    fn with_arguments(
        &mut self,
        position: &Position,
        stmt: Name,
        mut args: Vec<Expr>,
    ) -> std::result::Result<Ast, AstError> {
        let places = self.places;
        for argument in places.arguments.get(&*stmt).into_iter().flatten() {
            args.push(self.argument(position, argument)?);
        }
        Ok(Ast::User { stmt, args })
    }

    fn argument(&mut self, position: &Position, argument: &'p PwAff) -> std::result::Result<Expr, AstError> {
        let known = self.last.iter_mut().find(|(of, ..)| std::ptr::eq(*of, argument));
        if let Some((_, place, expr)) = &known
            && place.agrees(position, argument.space())
        {
            return Ok(expr.clone());
        }
        let expr = position.expr(argument, self.budget)?;
        match known {
            Some(known) => (known.1, known.2) = (position.clone(), expr.clone()),
            None => self.last.push((argument, position.clone(), expr.clone())),
        }
        Ok(expr)
    }
}

/// A buffer of the model.
pub(super) struct Room {
    pub(super) array: usize,
    /// Bytes between neighbours along each dimension of its places, over parameters.
    pub(super) strides: Vec<Poly>,
    /// The first place along each dimension.
    first: Vec<i128>,
    /// Where it is in panels.
    panels: Option<Panels>,
}

/// Panels one behind the other.
struct Panels {
    /// The dimension along which places are cut into panels.
    dim: usize,
    /// How many places along it a panel has.
    places: u64,
    /// How many more bytes a panel has than its places along the dimension would have side by side, for each of these.
    more: Poly,
}

/// The model with buffers, and the places of what goes there; nothing if it cannot say where elements are.
pub fn placed(scop: &Scop, draft: &Draft<'_>, budget: &Budget) -> Result<Option<(Scop, Places)>> {
    let placement = draft.placement();
    let (mut new, mut places) = (scop.clone(), Places::default());
    for buffer in &placement.buffers {
        if buffer.kind == BufferKind::Private {
            match private((&mut new, &mut places), placement, buffer, budget)? {
                true => continue,
                false => return Ok(None),
            }
        }
        let mut next = new.next_loop();
        let mut copies = placement.copies.iter().filter(|copy| copy.buffer() == buffer.name);
        let (Some(copy), None) = (copies.next(), copies.next()) else { return Ok(None) };
        if copy.direction != Direction::In {
            return Ok(None);
        }
        let Some(first) = first(draft, buffer, copy, budget).map_err(library_error)? else { return Ok(None) };
        let panel = buffer.panel.filter(|panel| begins_panels(&first, buffer, *panel));
        let Some((room, ty)) = room(&mut new, placement, (buffer, panel), budget)? else { return Ok(None) };
        let Some(found) = element(scop, placement, buffer) else { return Ok(None) };
        let either = if buffer.copied_if.is_empty() { None } else { either(&mut new, &room, &found)? };
        new.packs.push(pack(copy, found, (&room, ty), &mut next)?);
        places.add(&copy.statement, first.components());
        if let Some(panels) = &room.panels {
            places.add(&copy.statement, &[panels.panel(&copy.element, budget).map_err(library_error)?]);
        }
        for redirect in placement.redirects.iter().filter(|redirect| redirect.buffer() == buffer.name) {
            let Some(s) = reader(&mut new, &mut places, redirect, budget)? else { return Ok(None) };
            places.add(&new.statements[s].name, first.components());
            if let Some(panels) = &room.panels {
                let owner = draft.scop().statement(&redirect.statement).map(|s| &draft.scop().statements[s]);
                let Some(owner) = owner else { return Ok(None) };
                let element = owner.accesses[redirect.access].relation.intersect_domain(&owner.domain, budget);
                let panel = element.and_then(|element| panels.panel(&element, budget)).map_err(library_error)?;
                places.add(&new.statements[s].name, &[panel]);
            }
            let dims: Vec<usize> = (next..next + room.arguments()).collect();
            next += dims.len();
            let statement = &mut new.statements[s];
            statement.loops.extend(&dims);
            let access = &mut statement.accesses[redirect.access];
            let own = in_buffer(&room, &access.subscripts, &dims)?;
            let own = match &either {
                Some(either) => Access { offset: either.offset(&own.subscripts, &dims)?, ..own },
                None => own,
            };
            *access = Access { instruction: access.instruction, location: access.location.clone(), ..own };
        }
    }
    Ok(Some((new, places)))
}

/// The statement of a redirect, with all its instances and those that are redirected.
pub(super) fn instances(scop: &Scop, redirect: &Redirect, budget: &Budget) -> Result<Option<(usize, [Set; 2])>> {
    let Some(s) = scop.statements.iter().position(|other| other.name == redirect.statement) else { return Ok(None) };
    let domain = scop.statements[s].domain.intersect_params(&scop.context, budget).map_err(library_error)?;
    Ok(Some((s, [domain, redirect.to.domain(budget).map_err(library_error)?])))
}

/// The statement of the model that reads from a buffer: the one of the program, or where only some of its instances do, another one for these.
/// Nothing if some of them read from other buffers as well and others do not, or if somebody behind the nest wants what the statement has computed
/// last.
fn reader(new: &mut Scop, places: &mut Places, redirect: &Redirect, budget: &Budget) -> Result<Option<usize>> {
    let of = |scop: &Scop, name: &str| scop.statements.iter().position(|other| other.name == name);
    let Some((s, [domain, instances])) = instances(new, redirect, budget)? else { return Ok(None) };
    if domain.is_subset(&instances, budget).map_err(library_error)? {
        return Ok(Some(s));
    }
    let known = places.some.entry(redirect.statement.clone()).or_default();
    for (own, name) in known.iter() {
        let own = own.intersect(&domain, budget).map_err(library_error)?;
        if own.is_equal(&instances, budget).map_err(library_error)? {
            return Ok(of(new, name));
        }
        if !own.is_disjoint(&instances, budget).map_err(library_error)? {
            return Ok(None);
        }
    }
    if new.statements[s].body.iter().any(|op| matches!(op, Op::LiveOut { .. })) {
        return Ok(None);
    }
    // What all instances have in common is no condition.
    let instances = instances.gist(&domain, budget).map_err(library_error)?;
    let name = format!("{}_{}", redirect.statement, redirect.buffer());
    let tuple = |set: Set| set.with_tuple_name(DimKind::Out, &name);
    let own =
        Statement { name: name.clone(), domain: tuple(new.statements[s].domain.clone()), ..new.statements[s].clone() };
    new.statements.push(own);
    known.push((instances, name.clone()));
    // It has what the other one has so far.
    let arguments = places.arguments.get(&redirect.statement).cloned().unwrap_or_default();
    places.add(&name, &arguments);
    Ok(Some(new.statements.len() - 1))
}

/// The subscripts of the element in the first place of a buffer, in terms of the members of the bands around the copies; nothing if that is not
/// how places are counted, everywhere.
fn first(
    draft: &Draft<'_>,
    buffer: &Buffer,
    copy: &CopyStatement,
    budget: &Budget,
) -> std::result::Result<Option<MultiPwAff>, Error> {
    let (scop, cursors) = (draft.scop(), draft.tree().cursors());
    let mut found = None;
    for cursor in &cursors {
        let Node::Extension(all, _) = cursor.node() else { continue };
        let is_copy = |map: &&Map| map.space().range_tuple().name().is_some_and(|name| **name == *copy.statement);
        if let Some(map) = all.members().find(is_copy) {
            found = Some((cursor, map.intersect_params(&scop.context, budget)?));
        }
    }
    let Some((cursor, copies)) = found else { return Ok(None) };
    let mut first = copies.apply_range(
        &copy.element.with_anonymous_range()?.sum(&copy.place.with_anonymous_range()?.neg(), budget)?,
        budget,
    )?;
    let (mut depth, mut outer) = (cursor.schedule_depth(), cursor.prefix_relation(budget)?);
    let of_statement = |outer: &UnionMap, depth: usize, statement: &Tuple| {
        outer.extract(&Space::map_of(outer.params_space(), statement.clone(), Tuple::anonymous(depth)))
    };
    let redirects: Vec<&Redirect> =
        draft.placement().redirects.iter().filter(|redirect| redirect.buffer() == buffer.name).collect();
    for redirect in &redirects {
        let Some(statement) = redirect.to.space().domain_tuple() else { return Ok(None) };
        let here = of_statement(&outer, depth, statement).domain(budget)?;
        if redirect.to.intersect_params(&scop.context, budget)?.domain(budget)?.is_subset(&here, budget)? {
            continue;
        }
        // Who reads elsewhere has the first members in common.
        let common = |depth: usize| first.project_out(DimKind::In, depth, cursor.schedule_depth() - depth, budget);
        while depth > 0 && common(depth - 1)?.is_single_valued(budget)? {
            depth -= 1;
        }
        first = common(depth)?;
        if depth > shared(draft, cursor, &redirects, budget)? {
            return Ok(None);
        }
        let all = cursor.prefix_schedule(budget)?;
        outer = all.map_members(|map| map.project_onto_dims(DimKind::Out, 0, depth, budget)?.with_anonymous_range())?;
        break;
    }
    for redirect in redirects {
        let Some(statement) = scop.statement(&redirect.statement).map(|s| &scop.statements[s]) else { return Ok(None) };
        let outer = of_statement(&outer, depth, statement.domain.space().range_tuple());
        let element = statement.accesses[redirect.access]
            .relation
            .with_anonymous_range()?
            .intersect_domain(&statement.domain, budget)?;
        let element = element.intersect_params(&scop.context, budget)?;
        let place = element.sum(&outer.apply_range(&first, budget)?.neg(), budget)?;
        let goes_there = redirect.to.with_anonymous_range()?;
        // What goes there goes to that place.
        if !goes_there.intersect_params(&scop.context, budget)?.is_subset(&place, budget)? {
            return Ok(None);
        }
    }
    if !first.is_single_valued(budget)? {
        return Ok(None);
    }
    let first = PwMultiAff::from_map(&first, budget)?;
    // Where it is not defined there are no copies, so that nobody asks.
    Ok(Some(match first.pieces() {
        [(_, only)] => MultiPwAff::from_multi_aff(only)?,
        _ => MultiPwAff::from_pw_multi_aff(&first)?,
    }))
}

/// How many members of bands all have in common who read from a buffer, and a node.
fn shared(
    draft: &Draft<'_>,
    cursor: &Cursor,
    redirects: &[&Redirect],
    budget: &Budget,
) -> std::result::Result<usize, Error> {
    let readers =
        redirects.iter().map(|redirect| redirect.to.domain(budget)).collect::<std::result::Result<Vec<_>, _>>()?;
    let (readers, mut around) = (UnionSet::from_members(readers)?, cursor.clone());
    for leaf in draft.tree().cursors().iter().filter(|cursor| matches!(cursor.node(), Node::Leaf)) {
        if !leaf.domain(budget)?.is_disjoint(&readers, budget)? {
            around = around.shared_ancestor(leaf);
        }
    }
    Ok(around.schedule_depth())
}

/// Whether the first element in a buffer begins a panel of so many places in every iteration of the bands around the copies.
fn begins_panels(first: &MultiPwAff, buffer: &Buffer, panel: u64) -> bool {
    let Some(first) = buffer.layout.last().and_then(|dim| first.components().get(*dim)) else { return false };
    let [(_, first)] = first.pieces() else { return false };
    let (panel, space) = (Int::from(panel), first.space());
    let kinds = [DimKind::Param, DimKind::Out];
    let terms = kinds.into_iter().flat_map(|kind| (0..space.dim(kind)).map(move |dim| first.coefficient(kind, dim)));
    let mut all = terms.chain([first.constant_term().clone()]);
    first.divs().is_empty() && first.denominator().is_one() && all.all(|term| panel.divides(&term))
}

impl Room {
    /// How many further arguments tell where the first place of a buffer and the panel are.
    fn arguments(&self) -> usize {
        self.strides.len() + usize::from(self.panels.is_some())
    }
}

impl Panels {
    /// The number of the panel that the element of an instance is in, counted from the first subscript on.
    fn panel(&self, element: &Map, budget: &Budget) -> std::result::Result<PwAff, Error> {
        let subscript = PwMultiAff::from_map(&element.with_anonymous_range()?, budget)?.component(self.dim)?;
        Ok(match subscript.pieces() {
            // Nobody asks where there is no element.
            [(_, only)] => PwAff::from_aff(only.floor_div(&Int::from(self.places))),
            _ => subscript.floor_div(&Int::from(self.places)),
        })
    }

    /// What the first subscript along the dimension and the number of a panel count for in an offset, beside all else.
    fn factors(&self) -> Result<[Poly; 2]> {
        let (of_first, of_panel) = (self.more.scale(-1), self.more.scale(i128::from(self.places)));
        of_first.zip(of_panel).map(|(of_first, of_panel)| [of_first, of_panel]).ok_or(Reason::TooLarge)
    }
}

/// Adds an array for a buffer, perhaps in panels, to the model. Nothing if it is too large, if its size is no plain function of the parameters, or if what goes there
/// has no plain type.
pub(super) fn room(
    new: &mut Scop,
    placement: &Placement,
    (buffer, panel): (&Buffer, Option<u64>),
    budget: &Budget,
) -> Result<Option<(Room, Type)>> {
    let Some(array) = new.arrays.iter().find(|array| array.name == buffer.array) else { return Ok(None) };
    let unit = array.unit;
    let Some(ty) = element_type(new, placement, buffer) else { return Ok(None) };
    let (mut strides, mut first) = (vec![Poly::zero(); buffer.layout.len()], vec![0; buffer.layout.len()]);
    let mut total = Poly::constant(unit).ok_or(Reason::TooLarge)?;
    // The dimension with panels, how many places one has, and how many of them there are. What lies in a panel for each of its places.
    let (mut in_panels, mut rows) = (None, Poly::one());
    for (position, dim) in buffer.layout.iter().enumerate().rev() {
        let Some((low, mut extent)) = extent(new, &buffer.places, *dim, budget)? else { return Ok(None) };
        first[*dim] = low;
        strides[*dim] = total.clone();
        if let Some(panel) = panel.filter(|_| position + 1 == buffer.layout.len() && low == 0)
            && let Some(all) = extent.as_constant().filter(|all| *all > i128::from(panel))
        {
            let places = Poly::constant(i128::from(panel)).ok_or(Reason::TooLarge)?;
            in_panels = Some((*dim, panel, (all + i128::from(panel) - 1) / i128::from(panel)));
            extent = places;
        } else {
            rows = rows.mul(&extent).ok_or(Reason::TooLarge)?;
        }
        total = total.mul(&extent).ok_or(Reason::TooLarge)?;
        let known = total.as_constant();
        if known.is_some_and(|total| total > MOST_BYTES) {
            return Ok(None);
        }
        let is_apart = position > 0 && in_panels.is_none();
        if is_apart && known.is_none_or(|total| total % NEAR == 0) && LINE % unit == 0 {
            let line = Poly::constant(LINE).ok_or(Reason::TooLarge)?;
            total = total.add(&line).ok_or(Reason::TooLarge)?;
        }
    }
    let mut panels = None;
    if let Some((dim, places, number)) = in_panels {
        let more = rows.sub(&Poly::one()).and_then(|others| others.scale(unit));
        let (Some(more), Some(all)) = (more, total.scale(number)) else { return Err(Reason::TooLarge) };
        panels = Some(Panels { dim, places, more });
        if all.as_constant().is_some_and(|all| all > MOST_BYTES) {
            return Ok(None);
        }
        total = all;
    }
    let (most, bytes) = match total.as_constant() {
        Some(bytes) => (bytes, None),
        None => (MOST_BYTES, Some(total)),
    };
    let copies = u64::try_from(most / unit).map_err(|_| Reason::TooLarge)?;
    let names = (buffer.name.clone(), array.known_as.clone());
    new.arrays.push(Array { copies, bytes, ..Array::new(names, Storage::Buffer(ty), unit) });
    Ok(Some((Room { array: new.arrays.len() - 1, strides, first, panels }, ty)))
}

/// The least and the greatest value of a dimension, for all values of the parameters.
pub fn range(places: &Set, dim: usize, budget: &Budget) -> Result<[Option<i128>; 2]> {
    let counter = Aff::var(places.space().clone(), dim).map_err(library_error)?;
    let number = |optimum: IntOptimum| match optimum {
        IntOptimum::Bounded(value) => value.to_i64().map(i128::from),
        _ => None,
    };
    let first = number(places.min_aff(&counter, budget).map_err(library_error)?);
    Ok([first, number(places.max_aff(&counter, budget).map_err(library_error)?)])
}

/// The first place along a dimension, and how many there are: numbers for all values of the parameters, the latter perhaps a function of these. Nothing if there
/// are no such numbers.
pub fn extent(scop: &Scop, places: &Set, dim: usize, budget: &Budget) -> Result<Option<(i128, Poly)>> {
    let [low, last] = range(places, dim, budget)?;
    let Some(low) = low else { return Ok(None) };
    let most = last.map(|last| last + 1 - low);
    // A number of 32 bits has a greatest value that says nothing.
    if most.is_some_and(|most| most <= MOST_BYTES) {
        return Ok(most.and_then(Poly::constant).map(|most| (low, most)));
    }
    let last = places.dim_max(dim, budget).map_err(library_error)?;
    let Some(((_, first), others)) = last.pieces().split_first() else { return Ok(None) };
    if others.iter().any(|(_, other)| other != first) || !first.denominator().is_one() || !first.divs().is_empty() {
        return Ok(None);
    }
    let term = |value: &Int, of: Poly| of.scale(i128::from(value.to_i64()?));
    let constant = term(first.constant_term(), Poly::one());
    let mut extent = constant.zip(Poly::constant(1 - low)).and_then(|(last, more)| last.add(&more));
    for (number, name) in first.space().param_names().iter().enumerate() {
        let Some(param) = scop.params.iter().position(|param| param.name.as_str() == &**name) else { return Ok(None) };
        let own = term(&first.coefficient(DimKind::Param, number), Poly::symbol(Sym::Param(param)));
        extent = extent.zip(own).and_then(|(extent, own)| extent.add(&own));
    }
    Ok(extent.map(|extent| (low, extent)))
}

/// The accesses that go to a buffer.
fn redirected<'s>(
    scop: &'s Scop,
    placement: &'s Placement,
    buffer: &'s Buffer,
) -> impl Iterator<Item = Option<&'s Access>> {
    placement.redirects.iter().filter(|redirect| redirect.buffer() == buffer.name).map(|redirect| {
        let statement = scop.statement(&redirect.statement);
        statement.and_then(|statement| statement.accesses.get(redirect.access))
    })
}

/// Whether an instruction copies or fills many bytes.
fn is_bulk(instruction: Value) -> bool {
    instruction.is(Opcode::Call)
}

/// The type of what goes to a buffer: one for all, as large as an element.
fn element_type(scop: &Scop, placement: &Placement, buffer: &Buffer) -> Option<Type> {
    let mut found = None;
    for access in redirected(scop, placement, buffer) {
        let access = access?;
        if let Storage::Scalar(_, ty) = scop.arrays[access.array].storage {
            let is_element = bits(ty).is_some_and(|bits| bits == 8 * scop.arrays[access.array].unit);
            if !is_element || *found.get_or_insert(ty) != ty {
                return None;
            }
            continue;
        }
        let instruction = access.instruction?;
        if is_bulk(instruction) && access.count == 1 {
            // Of any type: bits are moved.
            continue;
        }
        let is_plain = instruction.is(Opcode::Load) || instruction.is(Opcode::Store);
        let ty = instruction.memory_access().filter(|_| is_plain)?.ty;
        let is_element = bits(ty)? == 8 * scop.arrays[access.array].unit && access.count == 1;
        if !is_element || *found.get_or_insert(ty) != ty {
            return None;
        }
    }
    found
}

/// How many bits a plain type has.
fn bits(ty: Type) -> Option<i128> {
    match ty.kind() {
        TypeKind::Int(bits) => Some(i128::from(bits)),
        TypeKind::Half | TypeKind::BFloat => Some(16),
        TypeKind::Float => Some(32),
        TypeKind::Double => Some(64),
        _ => None,
    }
}

/// Where an element of an array is.
pub(super) struct Element {
    array: usize,
    /// The subscripts, as symbols of the next two.
    dims: Vec<usize>,
    entries: Vec<Poly>,
    offset: Poly,
    pub(super) align: u64,
}

impl Element {
    /// An access to the element with these subscripts.
    pub(super) fn access(&self, kind: AccessKind, subscripts: Vec<Poly>) -> Result<Access> {
        // Names that no subscript has.
        let used = subscripts.iter().flat_map(Poly::symbols).filter_map(|symbol| match symbol {
            Sym::Iv(index) => Some(index),
            Sym::Param(_) => None,
        });
        let free = used.chain(self.dims.iter().copied()).max().map_or(0, |last| last + 1);
        let with = |poly: &Poly| -> Option<Poly> {
            let position = |index: usize| self.dims.iter().position(|dim| *dim == index);
            let renamed = poly.rename(|symbol| match symbol {
                Sym::Iv(index) => position(index).map_or(symbol, |position| Sym::Iv(free + position)),
                Sym::Param(_) => symbol,
            });
            let mut all = subscripts.iter().enumerate();
            all.try_fold(renamed, |poly, (position, subscript)| poly.substitute(Sym::Iv(free + position), subscript))
        };
        let entries = self.entries.iter().map(with).collect::<Option<_>>();
        let (Some(entries), Some(offset)) = (entries, with(&self.offset)) else { return Err(Reason::TooLarge) };
        Ok(Access {
            array: self.array,
            kind,
            subscripts,
            count: 1,
            entries,
            offset,
            is_original: false,
            instruction: None,
            location: None,
        })
    }
}

/// Where the elements are that go to a buffer, in terms of their subscripts: the same for all accesses.
pub(super) fn element(scop: &Scop, placement: &Placement, buffer: &Buffer) -> Option<Element> {
    let first = scop.next_loop();
    let mut found: Option<Element> = None;
    for access in redirected(scop, placement, buffer) {
        let access = access?;
        // LLVM makes calls of loops that copy, and has none for memory in segments.
        let pointer = scop.arrays[access.array].storage.pointer();
        if pointer.is_some_and(|pointer| matches!(pointer.ty().kind(), TypeKind::Pointer(space) if space != 0)) {
            return None;
        }
        let dims: Vec<usize> = (first..first + access.subscripts.len()).collect();
        let mut own = Element {
            array: access.array,
            entries: access.entries.clone(),
            offset: access.offset.clone(),
            align: match access.instruction? {
                call if is_bulk(call) => 1,
                instruction => instruction.memory_access()?.align,
            },
            dims,
        };
        let mut subscripts = access.subscripts.clone();
        for position in 0..subscripts.len() {
            // e = x + rest, so that x = e - rest.
            let subscript = subscripts[position].clone();
            let mut counters = subscript.symbols().filter(|symbol| matches!(symbol, Sym::Iv(index) if *index < first));
            let Some(symbol) = counters.find(|symbol| subscript.coefficient(*symbol) == 1) else { continue };
            let rest = subscript.sub(&Poly::symbol(symbol))?;
            let value = Poly::symbol(Sym::Iv(own.dims[position])).sub(&rest)?;
            if rest.symbols().any(|other| other == symbol) {
                return None;
            }
            for poly in own.entries.iter_mut().chain([&mut own.offset]).chain(&mut subscripts) {
                *poly = poly.substitute(symbol, &value)?;
            }
        }
        // The fields of a record lie side by side.
        if let (Some(dim), Some(field)) = (own.dims.last(), access.subscripts.last().and_then(Poly::as_constant)) {
            let distance = Poly::symbol(Sym::Iv(*dim)).sub(&Poly::constant(field)?)?;
            own.offset = own.offset.add(&distance.scale(scop.arrays[access.array].unit)?)?;
        }
        let is_old = |symbol: Sym| matches!(symbol, Sym::Iv(index) if !own.dims.contains(&index));
        if own.entries.iter().chain([&own.offset]).any(|poly| poly.symbols().any(is_old)) {
            return None;
        }
        match &mut found {
            None => found = Some(own),
            Some(known) if known.entries == own.entries && known.offset == own.offset => {
                known.align = known.align.min(own.align);
            }
            Some(_) => return None,
        }
    }
    found
}

/// The address of a copy, or of the element in place, as distance from a base that is chosen as well.
struct Either {
    /// What a step along each dimension of the buffer counts for.
    strides: Vec<Poly>,
    /// What each subscript of the first element counts for.
    first: Vec<Poly>,
    /// What the number of the panel counts for.
    panel: Option<Poly>,
    /// The rest.
    rest: Poly,
}

impl Either {
    /// For the distances from the first element, whose subscripts these symbols stand for, and the last one of them for the panel.
    fn offset(&self, distances: &[Poly], first: &[usize]) -> Result<Poly> {
        let mut offset = self.rest.clone();
        if let (Some(panel), Some(argument)) = (&self.panel, first.last()) {
            let part = Poly::symbol(Sym::Iv(*argument)).mul(panel);
            offset = part.and_then(|part| offset.add(&part)).ok_or(Reason::TooLarge)?;
        }
        for ((distance, stride), (dim, own)) in distances.iter().zip(&self.strides).zip(first.iter().zip(&self.first)) {
            for part in [distance.mul(stride), Poly::symbol(Sym::Iv(*dim)).mul(own)] {
                offset = part.and_then(|part| offset.add(&part)).ok_or(Reason::TooLarge)?;
            }
        }
        Ok(offset)
    }
}

/// Chooses between the copies in a buffer, which is the last array, and the elements in place; nothing if their addresses do not look alike.
fn either(new: &mut Scop, room: &Room, element: &Element) -> Result<Option<Either>> {
    let is_plain = element.entries.is_empty() && room.first.iter().all(|first| *first == 0);
    if !is_plain || !matches!(new.arrays[element.array].storage, Storage::Memory(_)) {
        return Ok(None);
    }
    let (mut own, mut rest) = (vec![Poly::zero(); element.dims.len()], Poly::zero());
    for (monomial, coefficient) in element.offset.terms() {
        let is_counter = |symbol: &&Sym| matches!(symbol, Sym::Iv(_));
        let others: Vec<Sym> = monomial.iter().copied().filter(|symbol| !is_counter(&symbol)).collect();
        let term = Poly::term(others, coefficient).ok_or(Reason::TooLarge)?;
        let mut counters = monomial.iter().filter(is_counter);
        let sum = match (counters.next(), counters.next()) {
            (None, _) => &mut rest,
            (Some(counter), None) => {
                let Some(dim) = element.dims.iter().position(|dim| Sym::Iv(*dim) == *counter) else { return Ok(None) };
                &mut own[dim]
            }
            _ => return Ok(None),
        };
        *sum = sum.add(&term).ok_or(Reason::TooLarge)?;
    }
    let mut choose = |copied: Poly, in_place: Poly| {
        if copied == in_place {
            return copied;
        }
        new.chosen.push(Chosen { copied, in_place });
        Poly::symbol(Sym::Param(new.params.len() + new.chosen.len() - 1))
    };
    let strides = room.strides.iter().zip(&own).map(|(copied, own)| choose(copied.clone(), own.clone())).collect();
    let mut factors = vec![Poly::zero(); own.len()];
    let mut panel = None;
    if let Some(panels) = &room.panels {
        let [of_first, of_panel] = panels.factors()?;
        factors[panels.dim] = of_first;
        panel = Some(choose(of_panel, Poly::zero()));
    }
    let first = factors.into_iter().zip(&own).map(|(copied, own)| choose(copied, own.clone())).collect();
    let rest = choose(Poly::zero(), rest);
    new.arrays[room.array].in_place = Some(InPlace { array: element.array, align: element.align });
    Ok(Some(Either { strides, first, rest, panel }))
}

/// A copy: its arguments are the members of the outer bands, the subscripts of the element, and those of the first one.
fn pack(copy: &CopyStatement, element: Element, (room, ty): (&Room, Type), next: &mut usize) -> Result<Pack> {
    let n = copy.element.space().dim(DimKind::In);
    let mut fresh = |n: usize| -> Vec<usize> {
        *next += n;
        (*next - n..*next).collect()
    };
    let (own, first) = (fresh(n), fresh(room.arguments()));
    let subscripts: Vec<Poly> = own[n - element.dims.len()..].iter().map(|dim| Poly::symbol(Sym::Iv(*dim))).collect();
    let to = Access { kind: AccessKind::MustWrite, ..in_buffer(room, &subscripts, &first)? };
    let from = element.access(AccessKind::Read, subscripts)?;
    Ok(Pack { name: copy.statement.clone(), dims: [own, first].concat(), from, to, ty, align: element.align })
}

/// A read from a buffer: of the element with these subscripts, where the first one has those that the symbols stand for, and the last one is the panel.
fn in_buffer(room: &Room, subscripts: &[Poly], first: &[usize]) -> Result<Access> {
    let place = |(subscript, first): (&Poly, &usize)| subscript.sub(&Poly::symbol(Sym::Iv(*first)));
    let places: Option<Vec<Poly>> = subscripts.iter().zip(first).map(place).collect();
    let mut access = at_place(room, AccessKind::Read, places.ok_or(Reason::TooLarge)?)?;
    if let (Some(panels), Some(argument)) = (&room.panels, first.last()) {
        for (symbol, factor) in [first[panels.dim], *argument].into_iter().zip(panels.factors()?) {
            let part = Poly::symbol(Sym::Iv(symbol)).mul(&factor);
            access.offset = part.and_then(|part| access.offset.add(&part)).ok_or(Reason::TooLarge)?;
        }
    }
    Ok(access)
}

/// An access to a place of a buffer.
pub(super) fn at_place(room: &Room, kind: AccessKind, places: Vec<Poly>) -> Result<Access> {
    let mut offset = Poly::zero();
    for ((place, stride), first) in places.iter().zip(&room.strides).zip(&room.first) {
        let distance = Poly::constant(*first).and_then(|first| place.sub(&first));
        let part = distance.and_then(|distance| distance.mul(stride));
        offset = part.and_then(|part| offset.add(&part)).ok_or(Reason::TooLarge)?;
    }
    Ok(Access {
        array: room.array,
        kind,
        subscripts: places,
        count: 1,
        entries: Vec::new(),
        offset,
        is_original: false,
        instruction: None,
        location: None,
    })
}
