//! Innermost loops in vectors.
//!
//! ```text
//! for j in 0 .. n:                                    for j in 0 .. n & -8 in steps of 8:
//!   C[i][j] = C[i][j] + A[i][k] * B[k][j]        =>     C[i][j .. j + 8] = C[i][j .. j + 8] + splat(A[i][k]) * B[k][j .. j + 8]
//!   ...                                               if n & 4: the same for 4 of them
//!                                                     if n & 2: for 2; if n & 1: for one
//! ```
//!
//! The compiler makes vectors of the loops that it is given, and what it does as well is left to it. Register tiles it does not do as well: their
//! body is large, and what is left of a row is done one by one. Here it is vectors of half the width, of a quarter and so on, each of which
//! a rest needs at most once. (Products of floats with 37 columns ran 1.2 times as fast, with 300 columns 1.1 times; doubles with 60 x 70 x 80:
//! 1.2 times.) What tiles leave over is done one by one, since it is little.
//!
//! Masks would need one vector for all of a rest. They do not pay: the next iteration of the loop around loads what was stored, and a processor does
//! not forward what was stored under a mask (products of triangles ran at 0.4 to 0.6 of the speed).
//!
//! A value is a vector if it depends on the loop's counter, else one number, which is made a vector where an operation needs one. All parts of the
//! loop share what is the same in all iterations: it is computed once, in front of them. Operations are those of the program, with their
//! flags, and each lane computes what its iteration would compute.
//!
//! Invariants: the loop is coincident, so that no lane needs what another one computes; memory is touched only by vectors whose lanes are
//! iterations of the loop, in loads and stores of elements side by side, or of whole records (see `records`). What is the same in all iterations is read in front of them only from arrays
//! that the body does not write, or where there are several iterations: what one iteration writes and all read would be what another one
//! needs.

use super::lanes::collect;
use super::numbering::Numbering;
use super::records::Field;
use super::statement::Run;
use super::sum::Sum;
use super::{Emitter, Iterations, contains_loop};
use crate::emit::scopes::Placed;
use crate::formula::poly::Sym;
use crate::host::{Edit, EditError, IntOp, IntPredicate, Type, TypeKind, Value};
use crate::model::scop::{Access, Op, Operand, Scop, Statement, Storage};
use std::collections::HashMap;
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{Ast, Expr, For, IterId};
use tessera_polyhedral::flow::AccessKind;

/// So many statements side by side are a tile, but more are too much code.
const TILE: std::ops::RangeInclusive<usize> = 4..=64;

/// The most lanes: a rest needs a piece of code for each power of two below.
const MOST_LANES: u32 = 16;

/// How the statements of an innermost loop run: as vectors of so many iterations, which may be one.
#[derive(Clone)]
pub(super) struct Lanes {
    iter: IterId,
    pub(super) count: u32,
    /// Whether what is the same in all of them is computed now, in front of the loop.
    is_before: bool,
    /// What was computed there.
    same: Numbering,
    /// Vectors of one number each, of so many lanes or more. Only looked up.
    splats: HashMap<Value, Value>,
}

/// How an access moves from one iteration to the next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    Stays,
    ByElement,
    /// It is this field of one record after the other.
    ByRecord(Field),
    Otherwise,
}

impl Motion {
    /// Whether what neighbouring iterations touch lies side by side.
    fn is_side_by_side(self) -> bool {
        matches!(self, Motion::ByElement | Motion::ByRecord(_))
    }
}

impl Emitter<'_, '_, '_> {
    /// How many iterations of a loop make a vector; `None` if it is left to the compiler.
    pub(super) fn vector_lanes(&self, node: &For) -> Option<u32> {
        let is_of_host = self.kernel.is_none() && self.visitor.is_none() && self.job.hints;
        let is_free = node.coincident && node.step.is_one() && self.pragmas.of(node.iter).is_empty();
        if !is_of_host || !is_free || contains_loop(&node.body) || !is_flat(&node.body) {
            return None;
        }
        let mut instances = Vec::new();
        collect(&node.body, &mut instances);
        let is_tile = TILE.contains(&instances.len());
        let is_left_over = self.left_over.contains(&node.iter) && instances.len() < *TILE.start();
        if !is_tile && !is_left_over {
            return None;
        }
        let mut bytes = 1;
        for (name, args) in &instances {
            let statement = self.scop.statement(name)?;
            let is_in_panels = args.iter().any(|arg| is_panel(arg, node.iter));
            if is_in_panels && !is_multiple(&node.lower, MOST_LANES.into()) {
                return None;
            }
            bytes = bytes.max(widest(self.scop, statement, args, node.iter)?);
        }
        if !self.has_whole_records(&instances, node.iter) {
            return None;
        }
        let lanes = self.scopes.editor.analyses().vector_bits() / (8 * bytes);
        (lanes > 1 && lanes <= MOST_LANES && lanes.is_power_of_two()).then_some(lanes)
    }

    /// Builds a loop in vectors of so many iterations.
    pub(super) fn loop_in_vectors(&mut self, node: &For, all: &Iterations, lanes: u32) -> Edit<()> {
        if all.not_empty.value.constant_int().is_some_and(|value| value != 0) {
            return self.vectors_of(node, all, lanes);
        }
        self.fork(all.not_empty, [Some(&node.body), None], &mut |emitter, _| emitter.vectors_of(node, all, lanes))
    }

    /// The same where there are iterations.
    fn vectors_of(&mut self, node: &For, all: &Iterations, lanes: u32) -> Edit<()> {
        self.vector = Some(Lanes::new(node.iter, lanes));
        self.compute_same(&node.body, false)?;
        let vector = self.vector.take().ok_or_else(no_vector)?;
        let (one, none) = (self.word(1)?, self.word(0)?);
        let distance = self.scopes.modular(IntOp::Sub, all.last, all.first)?;
        let count = self.scopes.modular(IntOp::Add, distance, one)?;
        let whole = self.scopes.modular(IntOp::And, count, self.word(-i128::from(lanes))?)?;
        let (behind, last) = self.cut(all, whole)?;
        let range = self.scopes.range(behind);
        let is_filled = self.scopes.compare(IntPredicate::Sle, self.word(lanes.into())?, count)?;
        if is_filled.value.constant_int() != Some(0) {
            self.vector = Some(vector.clone());
            self.iterate(node, &Iterations { last, not_empty: is_filled, ..*all })?;
            self.vector = None;
        }
        let is_one_by_one = self.left_over.contains(&node.iter) && count.value.constant_int().is_none();
        let (mut first, mut narrow) = (behind, if is_one_by_one { 0 } else { lanes / 2 });
        while narrow > 0 {
            let part = self.scopes.modular(IntOp::And, count, self.word(narrow.into())?)?;
            let is_there = self.scopes.compare(IntPredicate::Ne, part, none)?;
            if is_there.value.constant_int() != Some(0) {
                self.if_any(node, all, is_there, first, Lanes { count: narrow, ..vector.clone() })?;
                first = self.scopes.modular(IntOp::Add, first, part)?;
                self.scopes.set_range(first.value, range);
            }
            narrow /= 2;
        }
        // What tiles leave over.
        if is_one_by_one {
            let not_empty = self.scopes.compare(IntPredicate::Sle, first, all.last)?;
            self.vector = Some(Lanes { count: 1, ..vector });
            self.iterate(node, &Iterations { first, not_empty, ..*all })?;
            self.vector = None;
        }
        Ok(())
    }

    /// Builds one vector of a loop's iterations from `first` on, where a condition holds.
    fn if_any(&mut self, node: &For, all: &Iterations, condition: Placed, first: Placed, vector: Lanes) -> Edit<()> {
        self.fork(condition, [Some(&node.body), None], &mut |emitter, body| {
            let counter = if all.from_zero { emitter.scopes.int(IntOp::Add, first, all.lower)? } else { first };
            emitter.counted = all.from_zero.then_some((counter.value, all.lower, first));
            emitter.iters.insert(node.iter, counter);
            emitter.vector = Some(vector.clone());
            emitter.node(body)?;
            emitter.vector = None;
            emitter.iters.remove(&node.iter);
            emitter.counted = None;
            Ok(())
        })
    }

    /// How the lanes of an access of the present instance lie side by side; nothing if they do not, or there are none.
    pub(super) fn in_vectors(&self, statement: &Statement, access: &Access) -> Option<Motion> {
        let moves = |vector: &Lanes| motion(self.scop, statement, access, &self.instance, vector.iter);
        self.vector.as_ref().map(moves).filter(|motion| motion.is_side_by_side())
    }

    /// What was loaded and computed in front of the present loop in vectors.
    pub(super) fn before(&self) -> Option<&Numbering> {
        self.vector.as_ref().map(|vector| &vector.same)
    }

    /// Where what is loaded and computed in front of a loop in vectors is noted.
    pub(super) fn noted_before(&mut self) -> Option<&mut Numbering> {
        self.vector.as_mut().filter(|vector| vector.is_before).map(|vector| &mut vector.same)
    }

    /// Computes what is the same in all iterations of the present loop in vectors, which has some: with reads of arrays that the body writes
    /// only where there are several iterations.
    pub(super) fn compute_same(&mut self, body: &Ast, is_several: bool) -> Edit<()> {
        let Some(vector) = self.vector.as_mut() else { return Ok(()) };
        vector.is_before = true;
        let iter = vector.iter;
        let (scop, mut instances) = (self.scop, Vec::new());
        collect(body, &mut instances);
        let known: Vec<(&Statement, &[Expr])> =
            instances.into_iter().filter_map(|(name, args)| Some((scop.statement(name)?, args))).collect();
        let writes = |array: usize| {
            let mut accesses = known.iter().flat_map(|(statement, _)| &statement.accesses);
            accesses.any(|access| access.array == array && access.kind != AccessKind::Read)
        };
        let none = self.word(0)?;
        for (statement, args) in &known {
            self.present(statement, args);
            let places = args.iter().map(|arg| if arg.involves(iter) { Ok(none) } else { self.expr(arg) });
            let places = places.collect::<Edit<Vec<_>>>()?;
            let mut run = Run::new(statement, &places);
            for op in &statement.body {
                match op {
                    Op::Read { access, .. } => {
                        let access = &statement.accesses[*access];
                        let stays = motion(scop, statement, access, args, iter) == Motion::Stays;
                        if stays && (is_several || !writes(access.array)) {
                            self.operation(&mut run, op)?;
                        }
                    }
                    Op::Compute { operands, .. } if operands.iter().all(|operand| run.knows(operand)) => {
                        self.operation(&mut run, op)?;
                    }
                    Op::Compute { operands, .. } => {
                        for operand in operands.iter().filter(|operand| run.knows(operand)) {
                            let value = self.operand(statement, operand, &places, &run.results)?;
                            if !value.ty().is_pointer() {
                                self.in_lanes(value)?;
                            }
                        }
                    }
                    Op::Write { value, .. } if run.knows(value) => {
                        let value = self.operand(statement, value, &places, &run.results)?;
                        self.in_lanes(value)?;
                    }
                    _ => {}
                }
            }
        }
        self.vector.iter_mut().for_each(|vector| vector.is_before = false);
        Ok(())
    }

    /// Operands of an operation: vectors if one of them is, but for a function that is called.
    pub(super) fn alike(&mut self, operands: &mut [Value]) -> Edit<()> {
        if self.vector.is_some() && operands.iter().any(|operand| operand.ty().lanes().is_some()) {
            for operand in operands.iter_mut().filter(|operand| !operand.ty().is_pointer()) {
                *operand = self.in_lanes(*operand)?;
            }
        }
        Ok(())
    }

    /// A value as a vector.
    pub(super) fn in_lanes(&mut self, value: Value) -> Edit<Value> {
        let Some(vector) = self.vector.as_mut().filter(|_| value.ty().lanes().is_none()) else { return Ok(value) };
        let (known, count) = (vector.splats.get(&value).copied(), vector.count);
        self.scopes.at_end();
        let splat = match known {
            Some(known) if known.ty().lanes().is_some_and(|(lanes, _)| lanes == count) => return Ok(known),
            Some(wide) => self.scopes.editor.shuffle(wide, wide, &(0..count as usize).collect::<Vec<_>>())?,
            None => self.scopes.editor.splat(value, count)?,
        };
        vector.splats.insert(value, splat);
        Ok(splat)
    }

    /// What an instruction computes of these operands, lane by lane; `None` if they are no vectors.
    pub(super) fn computed_in_lanes(&self, instruction: Value, operands: &[Value]) -> Edit<Option<Value>> {
        let lanes = self.vector.as_ref().and_then(|_| operands.iter().find_map(|operand| operand.ty().lanes()));
        lanes.map(|(lanes, _)| self.scopes.editor.widened(instruction, operands, lanes)).transpose()
    }

    /// Reads elements side by side.
    pub(super) fn read_lanes(&mut self, statement: &Statement, access: &Access, args: &[Placed]) -> Edit<Value> {
        let editor = self.scopes.editor;
        let (element, align) = self.element_of(access)?;
        let vector = self.vector.as_ref().ok_or_else(no_vector)?;
        let ty = editor.vector_type(element, vector.count)?;
        if let Some(place) = self.accumulator(statement, access) {
            self.scopes.at_end();
            return editor.load(ty, place, self.cell_align(ty));
        }
        let pointer = self.address(statement, access, args)?;
        self.numbering.enter(self.scopes.block());
        // No promise about the values of the program's load goes with the vector.
        if let Some(known) = self.numbering.loaded((access.array, pointer, ty), None, |_| false) {
            return Ok(known);
        }
        let load = match self.strip_mask() {
            Some(mask) => editor.masked_load(ty, pointer, mask, align)?,
            None => editor.load(ty, pointer, align)?,
        };
        self.describe(load, access)?;
        self.numbering.load(access.array, pointer, None, load);
        self.touch(statement, access, None);
        Ok(load)
    }

    /// Writes elements side by side.
    pub(super) fn write_lanes(
        &mut self,
        statement: &Statement,
        access: &Access,
        args: &[Placed],
        value: Value,
    ) -> Edit<()> {
        let editor = self.scopes.editor;
        if let Some(place) = self.accumulator(statement, access) {
            let value = self.in_lanes(value)?;
            self.scopes.at_end();
            editor.store(value, place, self.cell_align(value.ty()))?;
            return Ok(());
        }
        let pointer = self.address(statement, access, args)?;
        let value = self.in_lanes(value)?;
        self.scopes.at_end();
        self.numbering.enter(self.scopes.block());
        let (_, align) = self.element_of(access)?;
        let store = editor.store(value, pointer, align)?;
        if let Some(before) = self.numbering.store(access.array, pointer, value, store) {
            editor.discard_store(before)?;
            self.forget(before);
        }
        self.touch(statement, access, Some(store));
        self.describe(store, access)
    }

    /// The type of the element that an access touches, and its alignment.
    pub(super) fn element_of(&self, access: &Access) -> Edit<(Type, u64)> {
        let model = access.instruction.and_then(Value::memory_access).ok_or_else(no_vector)?;
        let is_buffer = matches!(self.scop.arrays[access.array].storage, Storage::Buffer(_));
        Ok((model.ty, if is_buffer { self.unit_align(access.array) } else { model.align }))
    }

    /// Tells later passes of a vector what the program says of its elements, and what the guard has checked.
    pub(super) fn describe(&self, vector: Value, access: &Access) -> Edit<()> {
        let editor = self.scopes.editor;
        let is_buffer = matches!(self.scop.arrays[access.array].storage, Storage::Buffer(_));
        let original = access.instruction.filter(|_| !is_buffer);
        if let Some(tbaa) = original.and_then(|original| editor.metadata(original, "tbaa")) {
            editor.set_metadata(vector, "tbaa", Some(tbaa))?;
        }
        self.annotate(vector, access.array)
    }
}

impl Lanes {
    /// Of the iterations of a loop.
    pub(super) fn new(iter: IterId, count: u32) -> Self {
        Self { iter, count, is_before: false, same: Numbering::default(), splats: HashMap::new() }
    }

    /// How many iterations there are at once.
    pub(super) fn step(&self) -> Int {
        Int::from(i64::from(self.count))
    }
}

pub(super) fn no_vector() -> EditError {
    EditError::new("a vector of what is no element")
}

/// Whether a body is statements one after the other.
fn is_flat(body: &Ast) -> bool {
    match body {
        Ast::Block(parts) => parts.iter().all(is_flat),
        Ast::User { .. } => true,
        _ => false,
    }
}

/// The bytes of the widest value that an instance of a statement has in each lane; `None` if it has something that is not in vectors here.
fn widest(scop: &Scop, statement: &Statement, args: &[Expr], iter: IterId) -> Option<u32> {
    let dimension = |index: usize| statement.dim(index).and_then(|position| args.get(position));
    let is_moved =
        |symbol: Sym| matches!(symbol, Sym::Iv(index) if dimension(index).is_some_and(|arg| arg.involves(iter)));
    // Which values are vectors.
    let (mut vectors, mut bytes) = (Vec::new(), 1);
    let mut see = |ty: Type| -> Option<()> {
        bytes = bytes.max(lane_bytes(ty)?);
        Some(())
    };
    let is_vector = |vectors: &[Value], operand: &Operand| match operand {
        Operand::Result(value) => Some(vectors.contains(value)),
        Operand::Invariant(value) => value.ty().lanes().is_none().then_some(false),
        Operand::Affine(poly, _) => (!poly.symbols().any(is_moved)).then_some(false),
    };
    for op in &statement.body {
        match op {
            // Vectors of the program are no lanes.
            Op::Read { result: value, .. } | Op::Compute { instruction: value, .. } if value.ty().lanes().is_some() => {
                return None;
            }
            Op::Read { access, result } => {
                let access = &statement.accesses[*access];
                match motion(scop, statement, access, args, iter) {
                    Motion::Stays => {}
                    Motion::ByElement | Motion::ByRecord(_) => {
                        see(element_type(scop, access)?)?;
                        vectors.push(*result);
                    }
                    Motion::Otherwise => return None,
                }
            }
            Op::Compute { instruction, operands } => {
                let is_any = operands.iter().map(|operand| is_vector(&vectors, operand)).collect::<Option<Vec<_>>>()?;
                if is_any.contains(&true) {
                    if !instruction.can_widen() {
                        return None;
                    }
                    see(instruction.ty())?;
                    vectors.push(*instruction);
                }
            }
            Op::Write { access, value } => {
                is_vector(&vectors, value)?;
                let access = &statement.accesses[*access];
                if !motion(scop, statement, access, args, iter).is_side_by_side() {
                    return None;
                }
                see(element_type(scop, access)?)?;
            }
            Op::Combine { .. } | Op::LiveOut { .. } | Op::Label { .. } | Op::Phi { .. } | Op::Jump { .. } => {
                return None;
            }
        }
    }
    Some(bytes)
}

/// The bytes of a lane of a vector of such values; those of conditions are of any width.
pub(super) fn lane_bytes(ty: Type) -> Option<u32> {
    match ty.kind() {
        TypeKind::Float => Some(4),
        TypeKind::Double => Some(8),
        TypeKind::Int(bits) if matches!(bits, 1 | 8 | 16 | 32 | 64) => Some(bits.div_ceil(8)),
        _ => None,
    }
}

/// The type of the one element that an access of the program touches; `None` where a lane of that type is not that element.
fn element_type(scop: &Scop, access: &Access) -> Option<Type> {
    let model = access.instruction?.memory_access()?;
    let bytes = i128::from(lane_bytes(model.ty).filter(|_| model.ty.int_bits() != Some(1))?);
    (access.count * scop.arrays[access.array].unit == bytes).then_some(model.ty)
}

/// How an access of an instance moves from one iteration of a loop to the next.
pub(super) fn motion(scop: &Scop, statement: &Statement, access: &Access, args: &[Expr], iter: IterId) -> Motion {
    let array = &scop.arrays[access.array];
    let arg = |symbol: &Sym| match symbol {
        Sym::Iv(index) => {
            statement.dim(*index).and_then(|position| args.get(position)).filter(|arg| arg.involves(iter))
        }
        Sym::Param(_) => None,
    };
    if access.entries.iter().any(|entry| entry.symbols().any(|symbol| arg(&symbol).is_some())) {
        return Motion::Otherwise;
    }
    let (mut moves, mut distance) = (false, Some(0i128));
    for (monomial, coefficient) in access.offset.terms() {
        let moving: Vec<&Expr> = monomial.iter().filter_map(arg).collect();
        let Some(first) = moving.first() else { continue };
        moves = true;
        if moving.iter().all(|arg| is_panel(arg, iter)) {
            continue;
        }
        let step = if monomial.len() == 1 { step_of(first, iter) } else { None };
        distance = distance.zip(step).and_then(|(sum, step)| sum.checked_add(step.checked_mul(coefficient)?));
    }
    match array.storage {
        Storage::Scalar(..) if moves || access.kind != AccessKind::Read => Motion::Otherwise,
        _ if !moves => Motion::Stays,
        _ if distance == Some(access.count * array.unit) => Motion::ByElement,
        _ => match Field::of(scop, access) {
            Some(field) if distance == Some(field.fields() * array.unit) => Motion::ByRecord(field),
            _ => Motion::Otherwise,
        },
    }
}

/// Whether an expression is the same in all lanes of a vector, which begins at a multiple of their number: the number of a panel of many vectors.
fn is_panel(expr: &Expr, iter: IterId) -> bool {
    let (Expr::FloorDiv(place, places) | Expr::Div(place, places)) = expr else { return false };
    let is_whole = places.to_i64().is_some_and(|places| places % i64::from(MOST_LANES) == 0);
    let first = Expr::Sub(place.clone(), Box::new(Expr::Iter(iter)));
    // The counter itself is gone then, if it is there once.
    is_whole && step_of(&first, iter) == Some(0) && is_multiple(&first, MOST_LANES.into())
}

/// Whether an expression is a sum of multiples of a number.
fn is_multiple(expr: &Expr, number: i128) -> bool {
    let mut sum = Sum::default();
    sum.add(expr, 1).is_some() && sum.constant % number == 0 && sum.terms.values().all(|factor| factor % number == 0)
}

/// By how much an expression grows from one iteration of a loop to the next, if that is always the same.
fn step_of(expr: &Expr, iter: IterId) -> Option<i128> {
    let mut sum = Sum::default();
    sum.add(expr, 1)?;
    let own = sum.terms.remove(&Expr::Iter(iter)).unwrap_or(0);
    (!sum.terms.keys().any(|term| term.involves(iter))).then_some(own)
}
