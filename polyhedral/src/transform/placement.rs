//! Where values live while new code runs: buffers beside the arrays, copies between both, and which accesses go to a buffer.
//!
//! ```text
//! for i: { S: x = A[i]; R: B[i] = x }          buffer   x_private[i], 0 <= i < n
//!                                              redirect access 1 of S: S[i] -> x_private[i]
//!                                              redirect access 0 of R: R[i] -> x_private[i]
//!                                              copy     x_out[n - 1]: x_private[n - 1] -> x
//! ```
//!
//! A *redirect* says that in some instances an access touches a place of a buffer instead of the element of its array. The instances are
//! those that the map has, not those below a node of the tree: every instance runs once, so both say the same, and a map stays
//! true when the tree changes. A *copy* is a statement that the tree introduces by an extension node; each of its instances moves one
//! element to one place, or back.
//!
//! Nothing here is proved. That the whole makes sense, that places are inside their buffers, and that every value gets to those who
//! read it is what the [check](super::check) is for.

use std::fmt::{self, Display, Formatter};

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Map, Set, UnionMap};
use crate::scop::{Element, Scop};
use crate::space::{DimKind, Tuple};
use crate::text::quoted;

use super::need::Need;

/// What memory a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferKind {
    /// Of one thread, dead afterwards, small: registers, or a place in the frame.
    Private,
    /// Memory that is allocated for it, with elements side by side as they are used.
    Packed,
}

/// Memory beside the arrays of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The name of its tuple.
    pub name: String,
    /// The array whose elements it holds.
    pub array: String,
    /// What one place holds.
    pub element: Element,
    /// What memory it is.
    pub kind: BufferKind,
    /// Its places, `[n] -> { T[i, j] : .. }`: what is touched has to be inside. Bounded for all values of the parameters.
    pub places: Set,
    /// The dimensions of its places, the one that moves slowest through memory first.
    pub layout: Vec<usize>,
    /// How many places along the dimension that moves fastest make a panel: panels lie one behind the other, and the layout is that of one panel.
    pub panel: Option<u64>,
    /// Copies pay only where all of these hold: elsewhere accesses may as well touch the elements themselves, and nothing is copied. Nothing writes
    /// the array then, and places lie in the order of its elements.
    pub copied_if: Vec<Need>,
}

/// Where a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the array to the buffer.
    In,
    /// From the buffer to the array.
    Out,
}

/// Copies between an array and a buffer: a statement without any computation. Its instances are those of an extension node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyStatement {
    /// The name of its tuple.
    pub statement: String,
    /// Which way.
    pub direction: Direction,
    /// `C[..] -> A[..]`: the element of every instance.
    pub element: Map,
    /// `C[..] -> T[..]`: its place.
    pub place: Map,
}

/// An access that goes to a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The statement.
    pub statement: String,
    /// Which of its accesses, by number.
    pub access: usize,
    /// `S[..] -> T[..]`: the instances that are redirected, and the place of each.
    pub to: Map,
}

/// All buffers of a draft, and what goes there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// What is moved.
    pub copies: Vec<CopyStatement>,
    /// What is redirected.
    pub redirects: Vec<Redirect>,
}

/// The name of the tuple that a map leads to; empty if it has none.
fn target(map: &Map) -> &str {
    map.space().range_tuple().name().map_or("", |name| name)
}

impl CopyStatement {
    /// The array.
    pub fn array(&self) -> &str {
        target(&self.element)
    }

    /// The buffer.
    pub fn buffer(&self) -> &str {
        target(&self.place)
    }

    /// What is read.
    pub fn source(&self) -> &Map {
        if self.direction == Direction::In { &self.element } else { &self.place }
    }

    /// What is written.
    pub fn destination(&self) -> &Map {
        if self.direction == Direction::In { &self.place } else { &self.element }
    }
}

impl Redirect {
    /// The buffer.
    pub fn buffer(&self) -> &str {
        target(&self.to)
    }
}

impl Placement {
    /// Whether everything is where the program has it.
    pub fn is_empty(&self) -> bool {
        self.buffers.is_empty() && self.copies.is_empty() && self.redirects.is_empty()
    }

    /// A buffer by name.
    pub fn buffer(&self, name: &str) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }

    /// A copy by the name of its statement.
    pub fn copy(&self, statement: &str) -> Option<&CopyStatement> {
        self.copies.iter().find(|copy| copy.statement == statement)
    }

    /// Whether the array has a copy or an access that goes elsewhere.
    pub fn touches(&self, array: &str) -> bool {
        self.buffers.iter().any(|buffer| buffer.array == array) || self.copies.iter().any(|copy| copy.array() == array)
    }

    /// The redirects of an access.
    pub fn redirects_of<'p>(&'p self, statement: &'p str, access: usize) -> impl Iterator<Item = &'p Redirect> {
        self.redirects.iter().filter(move |redirect| redirect.statement == statement && redirect.access == access)
    }

    /// What an access of the instances of its statement's domain touches: the elements of the array that are left to it, if there are any,
    /// then places of buffers. Exact.
    pub fn locations(&self, scop: &Scop, statement: usize, access: usize, budget: &Budget) -> Result<Vec<Map>> {
        let owner = &scop.statements[statement];
        let original = owner.accesses[access].relation.intersect_domain(&owner.domain, budget)?;
        let original = original.intersect_params(&scop.context, budget)?;
        let mut rest = original.clone();
        let mut moved = Vec::new();
        for redirect in self.redirects_of(&owner.name, access) {
            let instances = redirect.to.domain(budget)?;
            rest = rest.subtract_domain(&instances, budget)?;
            let reached = original.domain(budget)?;
            moved.push(redirect.to.intersect_domain(&reached, budget)?);
        }
        let all = std::iter::once(rest).chain(moved);
        all.filter_map(|map| map.is_empty(budget).map(|empty| (!empty).then_some(map)).transpose()).collect()
    }

    /// Whether a statement may count as a reduction: its read and its write touch the same places.
    pub fn keeps_reduction(&self, scop: &Scop, statement: usize, budget: &Budget) -> Result<bool> {
        let Some(reduction) = &scop.statements[statement].reduction else { return Ok(false) };
        let read = self.locations(scop, statement, reduction.read, budget)?;
        let write = self.locations(scop, statement, reduction.write, budget)?;
        UnionMap::from_members(read)?.is_equal(&UnionMap::from_members(write)?, budget)
    }

    /// A name with that beginning that neither the SCoP nor a buffer or copy has.
    pub fn fresh(&self, scop: &Scop, start: &str) -> String {
        let is_taken = |name: &str| {
            scop.array(name).is_some()
                || scop.statement(name).is_some()
                || self.buffer(name).is_some()
                || self.copy(name).is_some()
        };
        let mut name = start.to_owned();
        let mut number = 1;
        while is_taken(&name) {
            number += 1;
            name = format!("{start}{number}");
        }
        name
    }
}

/// The same relation to a tuple with a name.
pub(super) fn named(map: &Map, name: &str) -> Result<Map> {
    let n = map.space().dim(DimKind::Out);
    let tuple = Tuple::anonymous(n).with_name(name);
    map.with_space(&map.space().with_tuple(DimKind::Out, tuple))
}

/// YAML in block style, as the text of a SCoP; nothing where there are no buffers. Deterministic.
impl Display for Placement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.buffers.is_empty() {
            writeln!(f, "buffers:")?;
        }
        for buffer in &self.buffers {
            let kind = if buffer.kind == BufferKind::Private { "private" } else { "packed" };
            write!(f, "- {{ buffer: {}, array: {}", quoted(&buffer.name), quoted(&buffer.array))?;
            write!(f, ", element: {}, kind: {kind}, places: {}", buffer.element, quoted(&buffer.places.to_string()))?;
            let layout: Vec<String> = buffer.layout.iter().map(ToString::to_string).collect();
            write!(f, ", layout: [{}]", layout.join(", "))?;
            if let Some(panel) = buffer.panel {
                write!(f, ", panel: {panel}")?;
            }
            if let Some(first) = buffer.copied_if.first() {
                let loops: Vec<String> = buffer.copied_if.iter().map(|need| need.counter.to_string()).collect();
                write!(f, ", loops: [{}], least: {}", loops.join(", "), first.least)?;
            }
            writeln!(f, " }}")?;
        }
        if !self.copies.is_empty() {
            writeln!(f, "copies:")?;
        }
        for copy in &self.copies {
            let direction = if copy.direction == Direction::In { "in" } else { "out" };
            write!(f, "- {{ copy: {}, direction: {direction}", quoted(&copy.statement))?;
            write!(f, ", element: {}", quoted(&copy.element.to_string()))?;
            writeln!(f, ", place: {} }}", quoted(&copy.place.to_string()))?;
        }
        if !self.redirects.is_empty() {
            writeln!(f, "redirects:")?;
        }
        for redirect in &self.redirects {
            let access = quoted(&format!("{}.{}", redirect.statement, redirect.access));
            writeln!(f, "- {{ access: {access}, to: {} }}", quoted(&redirect.to.to_string()))?;
        }
        Ok(())
    }
}
