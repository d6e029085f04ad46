//! What the host computes before it asks for the device: which bytes of each array are copied, how many blocks have something to do, and how
//! much work there is. All are expressions of the parameters, for the same generator of code that loops have.
//!
//! # Bytes
//!
//! An array is copied from the first byte that the nest touches to the last one: bytes beyond need not be memory of the program. The first
//! element is the one with the least subscripts, in the order of a dictionary, the last one that with the greatest. That is right where one
//! element has the greatest values of all subscripts (a rectangle, and most triangles); or where subscripts stay in their rows, so that the order
//! of addresses is the same. The guard checks that for arrays that are written; for others (`A[i - 1][j]`, `A[i][j - 1]`, only read) it is
//! checked before the device is asked.
//!
//! Bytes in between that the nest does not touch are read, and never changed on the host. Where elements with the least and greatest values of all
//! subscripts are touched, the array is a rectangle, and its rows can be copied without what lies between them (`A[i][j]` for some columns `j`).
//!
//! What kernels write all of need not be as it was ([`Written`]): it is copied to the device only where something of it is read before, and the host
//! takes all of it.
//!
//! What is touched under a condition on data may not be there at all: in `if (x[i] > 0) y[i] = z[i]`, `z` may be shorter than `x`, or null. Where
//! the first or last element is such a one, the run-time library is asked to look first whether the bytes can be read.

use super::obstacle::Obstacle;
use crate::formula::poly::Poly;
use crate::host::{Analyses, Opcode, TypeKind, Value};
use crate::model::data::access_relation;
use crate::model::scop::{Access, Op, Scop, Statement, Storage};
use tessera_polyhedral::affine::PwAff;
use tessera_polyhedral::ast::{AstOptions, Cond, Expr, Position};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::device::{Program, ThreadOrder};
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::relation::{Set, UnionSet};
use tessera_polyhedral::schedule::{Node, ScheduleTree};
use tessera_polyhedral::scop::{ElementKind, Operation, OperationKind, Scop as Data};
use tessera_polyhedral::space::DimKind;
use tessera_polyhedral::transform::{live_in, rectangle};

type Result<T> = std::result::Result<T, Obstacle>;

/// What kernels write of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Nothing.
    Nothing,
    /// Perhaps not all of what is copied: the rest must be on the host what it was.
    Some,
    /// Every byte of the rectangle, for certain.
    All,
    /// Every byte of the rectangle, for certain, and nothing is read before.
    Overwritten,
}

/// An array that kernels touch.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Its index in the model.
    pub array: usize,
    /// The subscripts of the first element.
    pub first: Vec<Expr>,
    /// The subscripts of the last element.
    pub last: Vec<Expr>,
    /// Whether any is touched.
    pub is_touched: Cond,
    /// What a step of each subscript is in bytes.
    pub strides: Vec<Poly>,
    /// What nothing else checks: that no stride is negative.
    pub needs_strides: bool,
    /// The least and greatest values of inner subscripts with the sizes that they must stay in, where nothing else checks that.
    pub inside: Vec<(Expr, Expr, Poly)>,
    /// The bytes of an element; of what is no array of the host, all bytes, unless parameters say how many.
    pub unit: i128,
    /// Of what is no array of the host: all bytes, where parameters say how many.
    pub bytes: Option<Poly>,
    /// What addresses must be multiples of on the device.
    pub align: u64,
    /// Whether nothing but a look at the base pointer says that they are.
    pub needs_alignment: bool,
    /// Whether the first element has the least values of all subscripts, and the last one the greatest.
    pub is_rectangle: bool,
    /// What kernels write of it.
    pub written: Written,
    /// Whether the program may touch fewer bytes than these, by conditions on data.
    pub is_uncertain: bool,
}

/// How often a statement is executed, and what it does.
#[derive(Clone, Debug)]
pub struct Work {
    /// The numbers of values of its counters.
    pub counts: Vec<Expr>,
    /// Its operations.
    pub operations: u32,
    /// Those on double precision.
    pub doubles: u32,
}

/// How a kernel is launched.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// Along each dimension of the grid: the greatest number of blocks with something to do, if that is known.
    pub needed: Vec<Option<Expr>>,
    /// The numbers of values of the host's loops around it.
    pub launches: Vec<Expr>,
}

/// All of it.
#[derive(Clone, Debug)]
pub struct Sizes {
    /// The arrays.
    pub transfers: Vec<Transfer>,
    /// The statements that have instances.
    pub work: Vec<Work>,
    /// The kernels, in the order of the program.
    pub blocks: Vec<Blocks>,
}

impl Transfer {
    /// Whether it is no array of the host: places in the device's memory for a scalar, a result or parts of a reduction.
    pub fn is_of_device(&self) -> bool {
        self.strides.is_empty()
    }

    /// Places of so many bytes on the device, or of as many as parameters say.
    fn of_device(array: usize, unit: i128, bytes: Option<Poly>) -> Transfer {
        Transfer {
            array,
            first: Vec::new(),
            last: Vec::new(),
            is_touched: Cond::True,
            strides: Vec::new(),
            needs_strides: false,
            inside: Vec::new(),
            unit,
            bytes,
            align: 1,
            needs_alignment: false,
            is_rectangle: false,
            written: Written::Nothing,
            is_uncertain: false,
        }
    }

    /// Whether kernels write it.
    pub fn is_written(&self) -> bool {
        self.written != Written::Nothing
    }

    /// Whether it is copied to the device.
    pub fn is_copied_in(&self) -> bool {
        !self.is_of_device() && self.written != Written::Overwritten
    }
}

impl Sizes {
    /// Those of a program for a model, which is described as `data`. Parameters of expressions are those of the model, in its order. How much
    /// work there is says `original`: the model and its data before reductions are taken apart.
    pub fn new(
        host: &Analyses<'_>,
        (scop, data): (&Scop, &Data),
        original: (&Scop, &Data),
        (tree, program): (&ScheduleTree, &Program),
        budget: &Budget,
    ) -> Result<Sizes> {
        let names: Vec<&str> = scop.params.iter().map(|param| param.name.as_str()).collect();
        let position = Position::outside(&names, Some(&scop.context), AstOptions::default(), budget)?;
        let place = Place { host, scop, data, position, budget };
        let mut transfers = Vec::new();
        for array in (0..scop.arrays.len()).filter(|array| scop.is_used(*array)) {
            transfers.extend(place.transfer(array)?);
        }
        let mut work = Vec::new();
        for (statement, data) in original.0.statements.iter().zip(&original.1.statements) {
            let domain = statement.domain.intersect_params(&scop.context, budget)?;
            if domain.is_empty(budget)? {
                continue;
            }
            let counts = (0..statement.loops.len()).map(|dim| place.count(&domain, dim)).collect::<Result<_>>()?;
            let is_real = |kind: &OperationKind| !matches!(kind, OperationKind::Address | OperationKind::Convert(_));
            let number = |is_double: bool| {
                let all = data.operations.iter().filter(|operation| is_real(&operation.kind));
                let of = all.filter(|operation| !is_double || is_double_precision(operation));
                of.map(|operation| operation.times).fold(0, u32::saturating_add)
            };
            work.push(Work { counts, operations: number(false), doubles: number(true) });
        }
        let blocks = program.kernels.iter().map(|kernel| place.blocks(tree, &kernel.order));
        Ok(Sizes { transfers, work, blocks: blocks.collect::<Result<_>>()? })
    }
}

/// The place in front of the nest.
struct Place<'p> {
    host: &'p Analyses<'p>,
    scop: &'p Scop,
    data: &'p Data,
    position: Position,
    budget: &'p Budget,
}

impl Place<'_> {
    fn expr(&self, function: &PwAff) -> Result<Expr> {
        Ok(self.position.expr(function, self.budget)?)
    }

    /// The number of values of a dimension, if there are any.
    fn count(&self, set: &Set, dim: usize) -> Result<Expr> {
        let (low, high) = (set.dim_min(dim, self.budget)?, set.dim_max(dim, self.budget)?);
        Ok(Expr::sum(vec![(1i64.into(), self.expr(&high)?), ((-1i64).into(), self.expr(&low)?)], 1i64.into()))
    }

    /// What is copied of an array; nothing if no instance touches it.
    fn transfer(&self, array: usize) -> Result<Option<Transfer>> {
        let (scop, budget) = (self.scop, self.budget);
        if !scop.is_memory(array) {
            let known = &scop.arrays[array];
            let bytes = match known.storage {
                Storage::Buffer(_) => known.unit * i128::from(known.copies),
                _ => 8,
            };
            return Ok(Some(Transfer::of_device(array, bytes, known.bytes.clone())));
        }
        let refused = || Obstacle::Extent { array: scop.label(array) };
        let strides = strides(scop, array).ok_or_else(refused)?;
        let [mut touched, mut certain, mut overwritten]: [Option<Set>; 3] = [const { None }; 3];
        let mut is_uncertain = false;
        let (mut align, mut needs_alignment, mut is_written) = (1, false, false);
        for statement in &scop.statements {
            let conditional = conditional(statement);
            for (number, access) in statement.accesses.iter().enumerate().filter(|(_, access)| access.array == array) {
                if !is_at_subscripts(&access.offset, &access.subscripts, &strides) {
                    return Err(refused());
                }
                align = align.max(element_align(scop, access));
                needs_alignment |= access.instruction.is_some_and(|instruction| instruction.is(Opcode::Call));
                is_written |= access.kind != AccessKind::Read;
                let elements = self.elements(statement, access)?;
                let with = |known: Option<Set>| match known {
                    Some(known) => known.union(&elements),
                    None => Ok(elements.clone()),
                };
                if access.kind == AccessKind::MustWrite && !conditional[number] && self.is_whole(access) {
                    overwritten = Some(with(overwritten)?);
                }
                match conditional[number] {
                    true => is_uncertain = true,
                    false => certain = Some(with(certain)?),
                }
                touched = Some(with(touched)?);
            }
        }
        let Some(touched) = touched else { return Ok(None) };
        let touched = touched.coalesce(budget)?;
        if touched.is_empty(budget)? {
            return Ok(None);
        }
        let corners = [self.corner(&touched, true)?, self.corner(&touched, false)?];
        let is_rectangle = corners.iter().all(|(_, is_of_all)| *is_of_all);
        let [(first, _), (last, _)] = corners;
        let is_uncertain = is_uncertain && !self.reaches(certain, &touched)?;
        let mut inside = Vec::new();
        if !is_rectangle && !is_written {
            for (dim, size) in (1..).zip(&scop.arrays[array].sizes) {
                let (low, high) = (touched.dim_min(dim, budget)?, touched.dim_max(dim, budget)?);
                inside.push((self.expr(&low)?, self.expr(&high)?, size.clone()));
            }
        }
        let is_touched = self.position.condition(&touched.params(budget)?, budget)?;
        let written = match overwritten {
            _ if !is_written => Written::Nothing,
            Some(overwritten) if is_rectangle => self.written(array, &touched, &overwritten)?,
            _ => Written::Some,
        };
        let (unit, needs_strides) = (scop.arrays[array].unit, !is_written);
        let needs_alignment = needs_alignment && align > 1;
        Ok(Some(Transfer {
            array,
            first,
            last,
            is_touched,
            strides,
            needs_strides,
            inside,
            unit,
            bytes: None,
            align,
            needs_alignment,
            is_rectangle,
            written,
            is_uncertain,
        }))
    }

    fn elements(&self, statement: &Statement, access: &Access) -> Result<Set> {
        let relation = access_relation(self.scop, statement, access)?;
        let domain = statement.domain.intersect_params(&self.scop.context, self.budget)?;
        let elements = relation.intersect_domain(&domain, self.budget)?.range(self.budget)?;
        Ok(elements.coalesce(self.budget)?)
    }

    /// Whether an access touches all bytes of its elements.
    fn is_whole(&self, access: &Access) -> bool {
        let Some(model) = access.instruction.and_then(Value::memory_access) else { return false };
        let bytes = self.scop.arrays[access.array].unit.checked_mul(access.count);
        bytes.is_some() && self.host.store_size(model.ty).map(i128::from) == bytes
    }

    /// What is written of an array, of which these elements are touched, and those certainly overwritten.
    fn written(&self, array: usize, touched: &Set, overwritten: &Set) -> Result<Written> {
        let budget = self.budget;
        let all = rectangle(touched, budget)?;
        if !all.is_subset(&overwritten.coalesce(budget)?, budget)? {
            return Ok(Written::Some);
        }
        let name = &self.scop.arrays[array].name;
        let read_before = budget.share(budget.remaining() / 4, |own| live_in(self.data, name, own));
        Ok(match read_before {
            Ok(Ok(elements)) if elements.is_empty(budget)? => Written::Overwritten,
            _ => Written::All,
        })
    }

    /// Whether some elements have the first and the last one of all.
    fn reaches(&self, elements: Option<Set>, all: &Set) -> Result<bool> {
        let budget = self.budget;
        let Some(elements) = elements else { return Ok(false) };
        let elements = elements.coalesce(budget)?;
        if !all.params(budget)?.is_subset(&elements.params(budget)?, budget)? {
            return Ok(false);
        }
        for (own, other) in
            [(elements.lexmin(budget)?, all.lexmin(budget)?), (elements.lexmax(budget)?, all.lexmax(budget)?)]
        {
            for dim in 0..all.space().dim(DimKind::Out) {
                if !own.dim_max(dim, budget)?.is_equal(&other.dim_max(dim, budget)?, budget)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The subscripts of the first or the last element, in the order of a dictionary, and whether it has the least or greatest values of all.
    fn corner(&self, touched: &Set, is_first: bool) -> Result<(Vec<Expr>, bool)> {
        let budget = self.budget;
        let n = touched.space().dim(DimKind::Out);
        let extreme = if is_first { touched.lexmin(budget)? } else { touched.lexmax(budget)? };
        let (mut subscripts, mut is_of_all) = (Vec::new(), true);
        for dim in 0..n {
            let own = extreme.dim_max(dim, budget)?;
            let alone = if is_first { touched.dim_min(dim, budget)? } else { touched.dim_max(dim, budget)? };
            is_of_all = is_of_all && own.is_equal(&alone, budget)?;
            subscripts.push(self.expr(&own)?);
        }
        Ok((subscripts, is_of_all))
    }

    fn blocks(&self, tree: &ScheduleTree, order: &ThreadOrder) -> Result<Blocks> {
        let budget = self.budget;
        let unknown = || Obstacle::Mapping { what: "a kernel has no place in the tree".to_owned() };
        let mark = tree.cursor_at(&order.site.path).ok_or_else(unknown)?;
        let mut launches = Vec::new();
        let points = self.points(&mark.prefix_relation(budget)?.range(budget)?)?;
        if let Some(points) = &points {
            for dim in 0..order.host.len() {
                launches.push(self.count(points, dim)?);
            }
        }
        let mut needed = Vec::new();
        let mut below = mark.child(0);
        while let Some(cursor) = below.clone().filter(|cursor| matches!(cursor.node(), Node::Mark(..))) {
            below = cursor.child(0);
        }
        let tiles = match below.and_then(|band| band.child(0)) {
            Some(inside) if !order.launch().members.is_empty() => {
                // Only what the kernel executes comes by here.
                self.points(&inside.prefix_relation(budget)?.range(budget)?)?
            }
            _ => None,
        };
        for member in &order.launch().members {
            let dim = order.host.len() + member;
            needed.push(match &tiles {
                Some(tiles) if tiles.upper_bound(DimKind::Out, dim, &(-1i64).into())?.is_empty(budget)? => {
                    let last = self.expr(&tiles.dim_max(dim, budget)?)?;
                    Some(Expr::sum(vec![(1i64.into(), last)], 1i64.into()))
                }
                _ => None,
            });
        }
        Ok(Blocks { needed, launches })
    }

    /// The only set of unnamed points, in the context.
    fn points(&self, all: &UnionSet) -> Result<Option<Set>> {
        let mut members = all.members();
        let (Some(only), None) = (members.next(), members.next()) else { return Ok(None) };
        let points = only.intersect_params(&self.scop.context, self.budget)?.coalesce(self.budget)?;
        Ok(if points.is_empty(self.budget)? { None } else { Some(points) })
    }
}

/// Of each access of a statement: whether an instance may go without it.
fn conditional(statement: &Statement) -> Vec<bool> {
    let is_choice = |op: &Op| matches!(op, Op::Jump { condition: Some(_), .. });
    let certain = statement.body.iter().take_while(|op| !is_choice(op));
    let mut conditional = vec![statement.body.iter().any(is_choice); statement.accesses.len()];
    for op in certain {
        if let Op::Read { access, .. } | Op::Write { access, .. } = op {
            conditional[*access] = false;
        }
    }
    conditional
}

fn is_double_precision(operation: &Operation) -> bool {
    (operation.element.kind, operation.element.bits) == (ElementKind::Float, 64)
}

/// The bytes of a step of each subscript of an array; nothing where a number is too large.
fn strides(scop: &Scop, array: usize) -> Option<Vec<Poly>> {
    let array = &scop.arrays[array];
    let mut stride = Poly::constant(array.unit)?;
    let mut strides = vec![stride.clone()];
    for size in array.sizes.iter().rev() {
        stride = stride.mul(size)?;
        strides.push(stride.clone());
    }
    strides.reverse();
    Some(strides)
}

/// Whether a distance is that of these subscripts.
fn is_at_subscripts(offset: &Poly, subscripts: &[Poly], strides: &[Poly]) -> bool {
    if subscripts.len() != strides.len() {
        return false;
    }
    let distance = subscripts
        .iter()
        .zip(strides)
        .try_fold(Poly::zero(), |sum, (subscript, stride)| sum.add(&subscript.mul(stride)?));
    distance.is_some_and(|distance| distance == *offset)
}

/// What the address of an access is a multiple of, as far as its type asks for it. Copies of many bytes at once promise nothing: elements of
/// the array are taken to lie at multiples of their size, which the host looks at ([`Transfer::needs_alignment`]).
pub fn element_align(scop: &Scop, access: &Access) -> u64 {
    let Some(instruction) = access.instruction else { return 1 };
    match instruction.memory_access() {
        None => {
            u64::try_from(scop.arrays[access.array].unit).ok().filter(|unit| matches!(unit, 1 | 2 | 4 | 8)).unwrap_or(1)
        }
        Some(model) => model.align.min(match model.ty.kind() {
            TypeKind::Int(bits) => u64::from(bits.div_ceil(8)),
            TypeKind::Float => 4,
            _ => 8,
        }),
    }
}
