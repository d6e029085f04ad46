//! Sums in vector registers: elements that stay while a loop runs around a strip of vectors.
//!
//! ```text
//! for k:                                                    x0 = C[i][j .. j + 8]; x1 = C[i][j + 8 .. j + 16]
//!   for j' in j .. j + 16:                                  for k:
//!     C[i][j'] = C[i][j'] + A[i][k] * B[k][j']       =>       x0 = x0 + splat(A[i][k]) * B[k][j .. j + 8]
//!                                                             x1 = x1 + splat(A[i][k]) * B[k][j + 8 .. j + 16]
//!                                                           C[i][j .. j + 8] = x0; C[i][j + 8 .. j + 16] = x1
//! ```
//!
//! The loop may have others inside, down to the strip: a sum over rows, columns and channels of a window stays while all of these run.
//!
//! Later passes cannot do that: for them `C[i][j]` and `C[i + 1][j]` may be one place, since nothing says what a row's length is. Here subscripts are
//! known, and elements with different subscripts are different places. Each vector gets a variable in the frame, which later passes turn into a register.
//!
//! The inner loop has a constant number of iterations, some whole vectors, and is written as these. (Where only one of several bounds says so, the new code looks, and
//! has the plain loop beside it.) All elements that it touches of an array that it writes
//! move with it element by element and stay in the loop around; any two vectors are the same, or have no element in common. Every iteration
//! touches all of them, and there is one: so they may be read in front of the loop and written behind it.
//!
//! A strip that fills one vector at most, no one knows whether all of it, is one vector under a mask, where a processor has such accesses: columns that are left over. What lies behind the strip is neither read
//! nor written; lanes that are left out compute with zeros, which no operation in vectors traps on (integers are not divided there). (A mask in the loop around does not pay where elements are stored there: see [`vectors`](super::vectors).)

use super::Emitter;
use super::kept::Element;
use super::lanes::collect;
use super::short;
use super::vectors::{Lanes, Motion, lane_bytes, motion};
use crate::emit::scopes::Placed;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Edit, EditError, IntOp, IntPredicate, LaneAccess, Type, Value};
use crate::model::scop::{Access, Op, Statement};
use std::collections::HashMap;
use tessera_polyhedral::ast::{Ast, Expr, For, IterId};
use tessera_polyhedral::flow::AccessKind;

/// The most vectors that stay in a loop: more would not find registers.
const MOST: usize = 32;

/// The bits of vectors whose operations take operands in memory that they repeat in all lanes, on x86.
const MEMORY_OPERANDS: u32 = 512;

/// So many vector registers have processors on which a store under a mask costs no more than another one (on x86, AVX-512).
const MASKED: u32 = 32;

/// Elements that stay in vectors, and the part of the strip that is written now.
pub(super) struct Accumulators {
    strip: IterId,
    /// The first iteration of the strip.
    first: Expr,
    lanes: u32,
    part: u32,
    parts: u32,
    /// What is added to the addresses of the numbers that are the same in all lanes, per part: zero, but nobody knows.
    zeros: Vec<Value>,
    /// By element of the first iteration of the strip, the variables of all parts.
    places: Vec<(Element, Vec<Value>)>,
    /// Which lanes there are, as conditions, if not all.
    mask: Option<Value>,
}

/// Loops with a strip of vectors inside.
struct Shape<'a> {
    /// The loops in which elements stay, the outermost first, each the body of the one before.
    loops: Vec<&'a For>,
    strip: &'a For,
    /// The first iteration of a whole strip.
    first: &'a Expr,
    lanes: u32,
    parts: u32,
    /// Whether the strip may end in front of the last lane.
    is_partial: bool,
    /// One access to each element that stays, with whether it is written.
    staying: Vec<Staying<'a>>,
}

struct Staying<'a> {
    element: Element,
    /// Its type and alignment.
    ty: Type,
    align: u64,
    access: (&'a Statement, &'a Access, &'a [Expr]),
    is_written: bool,
}

impl<'s> Emitter<'_, '_, 's> {
    /// Builds a loop around a strip of vectors whose elements stay in registers; `false` where it is no such loop.
    pub(super) fn loop_with_accumulators(&mut self, node: &For) -> Edit<bool> {
        let Some(shape) = self.shape(node) else { return Ok(false) };
        // A whole strip has iterations; another one may have none.
        let strip = Some(shape.strip).filter(|_| shape.is_partial);
        let loops: Vec<&For> = shape.loops.iter().copied().chain(strip).collect();
        self.with_iterations(&loops, &mut |emitter| {
            if shape.first == &shape.strip.lower {
                return emitter.with_accumulators(node, &shape);
            }
            // Whether the strip is whole can be seen only here.
            let (first, begin) = (emitter.expr(shape.first)?, emitter.expr(&shape.strip.lower)?);
            let is_whole = emitter.scopes.compare(IntPredicate::Sle, begin, first)?;
            let mut builds = [true, false].into_iter();
            emitter.fork(is_whole, [Some(&node.body), Some(&node.body)], &mut |emitter, _| match builds.next() {
                Some(true) => emitter.with_accumulators(node, &shape),
                _ => emitter.plain_loop(node),
            })
        })?;
        Ok(true)
    }

    /// Builds something where all of some loops have iterations.
    pub(super) fn with_iterations(&mut self, loops: &[&For], build: &mut dyn FnMut(&mut Self) -> Edit<()>) -> Edit<()> {
        let Some((node, others)) = loops.split_first() else { return build(self) };
        let lower = self.expr(&node.lower)?;
        let upper = node.upper.as_ref().ok_or_else(|| EditError::new("a loop without end"))?;
        let upper = self.expr(upper)?;
        let not_empty = self.scopes.compare(IntPredicate::Sle, lower, upper)?;
        self.fork(not_empty, [Some(&node.body), None], &mut |emitter, _| emitter.with_iterations(others, build))
    }

    /// The same where all loops have iterations and the strip is whole.
    fn with_accumulators(&mut self, node: &For, shape: &Shape<'_>) -> Edit<()> {
        let &Shape { ref loops, strip, first, lanes, parts, is_partial, ref staying } = shape;
        let editor = self.scopes.editor;
        let mask = if is_partial { Some(self.lanes_of(strip, lanes)?) } else { None };
        let mut places = Vec::new();
        for one in staying {
            let ty = editor.vector_type(one.ty, lanes)?;
            let own = (0..parts).map(|_| editor.alloca(ty, "sum")).collect::<Edit<Vec<_>>>()?;
            places.push((one.element.clone(), own));
        }
        for (one, (_, own)) in staying.iter().zip(&places) {
            self.move_vectors((loops, strip.iter), one, (first, lanes, mask), own, true)?;
        }
        let mut zeros: Vec<Value> = Vec::new();
        if self.reads_again(strip, lanes) {
            self.scopes.at_end();
            for _ in 0..parts {
                let last = zeros.last().copied();
                zeros.push(editor.opaque(last.unwrap_or(self.word(0)?.value))?);
            }
        }
        let first = first.clone();
        self.accumulators = Some(Accumulators {
            strip: strip.iter,
            first: first.clone(),
            lanes,
            part: 0,
            parts,
            zeros,
            places: places.clone(),
            mask,
        });
        self.plain_loop(node)?;
        self.accumulators = None;
        for (one, (_, own)) in staying.iter().zip(&places).filter(|(one, _)| one.is_written) {
            self.move_vectors((loops, strip.iter), one, (&first, lanes, mask), own, false)?;
        }
        Ok(())
    }

    /// Builds the strip of vectors whose elements stay; `false` where it is no such loop.
    pub(super) fn strip_of_vectors(&mut self, node: &For) -> Edit<bool> {
        let Some(all) = self.accumulators.as_ref().filter(|all| all.strip == node.iter) else { return Ok(false) };
        let (lanes, parts, first) = (all.lanes, all.parts, all.first.clone());
        let first = self.expr(&first)?;
        let mut vector: Option<Lanes> = None;
        for part in 0..parts {
            let zero = self.accumulators.as_ref().and_then(|all| all.zeros.get(part as usize)).copied();
            if vector.is_none() || zero.is_some() {
                self.vector = Some(Lanes::new(node.iter, lanes));
                self.replica = zero.map(|zero| (zero, HashMap::new()));
                self.compute_same(&node.body, true)?;
                vector = self.vector.take();
            }
            let counter = self.part_of(first, lanes, part)?;
            self.iters.insert(node.iter, counter);
            self.accumulators.iter_mut().for_each(|all| all.part = part);
            self.vector = vector.clone();
            self.node(&node.body)?;
            self.vector = None;
            self.iters.remove(&node.iter);
        }
        self.replica = None;
        Ok(true)
    }

    /// The address at which a number is read that is the same in all lanes: for each vector of a strip another one, as far as anybody knows.
    pub(super) fn read_again(&mut self, pointer: Value) -> Edit<Value> {
        let Some((zero, known)) = self.replica.as_mut() else { return Ok(pointer) };
        if let Some(known) = known.get(&pointer) {
            return Ok(*known);
        }
        self.scopes.at_end();
        let again = self.scopes.editor.byte_offset(pointer, *zero, false)?;
        known.insert(pointer, again);
        Ok(again)
    }

    /// Whether numbers that are the same in all lanes are read for every vector again, as an operand in memory that an operation repeats in all lanes: where there are such
    /// operands, and nothing is fused. Multiplications and additions of their own keep all units busy of which a load into all lanes needs one. (Zen 4, AVX-512, a
    /// product of doubles in the first cache: 46 GFLOP/s, and 57 with such operands; fused 57 without.)
    fn reads_again(&self, strip: &For, lanes: u32) -> bool {
        let analyses = self.scopes.editor.analyses();
        let mut instances = Vec::new();
        collect(&strip.body, &mut instances);
        let mut statements = instances.iter().filter_map(|(name, _)| self.scop.statement(name));
        let is_fused = |op: &Op| match op {
            Op::Compute { instruction, .. } => {
                matches!(instruction.intrinsic_name().as_deref(), Some("llvm.fma" | "llvm.fmuladd"))
                    || instruction.flags().contract
            }
            _ => false,
        };
        let is_wide = |op: &Op| match op {
            Op::Read { result, .. } => {
                lane_bytes(result.ty()).is_some_and(|bytes| 8 * bytes * lanes == MEMORY_OPERANDS)
            }
            _ => true,
        };
        analyses.triple().starts_with("x86_64")
            && statements.all(|one| one.body.iter().all(|op| is_wide(op) && !is_fused(op)))
    }

    /// The variable that has what an access of the present instance touches, in the present part of the strip.
    pub(super) fn accumulator(&self, statement: &Statement, access: &Access) -> Option<Value> {
        let all = self.accumulators.as_ref()?;
        if !all.places.iter().any(|(element, _)| element.array == access.array) {
            return None;
        }
        let element = self.element(statement, access, &self.instance)?;
        let (_, places) = all.places.iter().find(|(known, _)| *known == element)?;
        places.get(all.part as usize).copied()
    }

    /// Which lanes of the present strip there are, if not all.
    pub(super) fn strip_mask(&self) -> Option<Value> {
        self.accumulators.as_ref()?.mask
    }

    /// Which lanes of a vector are iterations of a strip that begins with the first one.
    fn lanes_of(&mut self, strip: &For, lanes: u32) -> Edit<Value> {
        let upper = strip.upper.as_ref().ok_or_else(|| EditError::new("a strip without end"))?;
        let (first, last) = (self.expr(&strip.lower)?, self.expr(upper)?);
        let distance = self.scopes.int(IntOp::Sub, last, first)?;
        let one = self.word(1)?;
        let count = self.scopes.int(IntOp::Add, distance, one)?;
        self.scopes.at_end();
        self.scopes.editor.first_lanes(count.value, lanes)
    }

    fn part_of(&mut self, first: Placed, lanes: u32, part: u32) -> Edit<Placed> {
        let distance = self.word(i128::from(lanes) * i128::from(part))?;
        self.scopes.int(IntOp::Add, first, distance)
    }

    /// Moves all vectors of an element between memory and their variables.
    fn move_vectors(
        &mut self,
        (loops, strip): (&[&For], IterId),
        one: &Staying<'_>,
        (first, lanes, mask): (&Expr, u32, Option<Value>),
        places: &[Value],
        is_in: bool,
    ) -> Edit<()> {
        let (statement, access, args) = one.access;
        let editor = self.scopes.editor;
        let first = self.expr(first)?;
        let (ty, zero) = (editor.vector_type(one.ty, lanes)?, Expr::constant(0));
        for (part, place) in (0u32..).zip(places) {
            let counter = self.part_of(first, lanes, part)?;
            self.iters.insert(strip, counter);
            // The element does not depend on the iterations of the loops around.
            let moves = |arg: &Expr| loops.iter().any(|node| arg.involves(node.iter));
            let args = args.iter().map(|arg| self.expr(if moves(arg) { &zero } else { arg }));
            let args = args.collect::<Edit<Vec<Placed>>>();
            self.iters.remove(&strip);
            let pointer = self.memory_address(&statement.loops, access, &args?)?;
            self.scopes.at_end();
            let own = self.cell_align(ty);
            let moved = match is_in {
                true => {
                    let value = match mask {
                        Some(mask) => editor.masked_load(ty, pointer, mask, one.align)?,
                        None => editor.load(ty, pointer, one.align)?,
                    };
                    editor.store(value, *place, own)?;
                    value
                }
                false => {
                    let value = editor.load(ty, *place, own)?;
                    match mask {
                        Some(mask) => editor.masked_store(value, pointer, mask, one.align)?,
                        None => editor.store(value, pointer, one.align)?,
                    }
                }
            };
            self.describe(moved, access)?;
        }
        Ok(())
    }

    /// What stays in a loop around a strip of vectors, if it is one.
    fn shape<'n>(&self, node: &'n For) -> Option<Shape<'n>>
    where
        's: 'n,
    {
        if self.accumulators.is_some() {
            return None;
        }
        let (mut loops, mut strip) = (vec![node], only_loop(&node.body)?);
        while let Some(inner) = only_loop(&strip.body) {
            loops.push(strip);
            strip = inner;
        }
        let depends = |expr: &Expr| loops.iter().any(|node| expr.involves(node.iter));
        let is_plain = |node: &&For| {
            node.step.is_one() && self.pragmas.of(node.iter).is_empty() && !node.upper.as_ref().is_none_or(depends)
        };
        if !loops.iter().all(|node| is_plain(node) && !depends(&node.lower)) {
            return None;
        }
        let lanes = self.vector_lanes(strip)?;
        let upper = strip.upper.as_ref()?;
        let exact = short::exact_count(&strip.lower, upper).filter(|(_, count)| count % i128::from(lanes) == 0);
        let (first, count, is_partial) = match exact {
            Some((first, count)) => (first, count, false),
            None if self.is_partial(strip, lanes) => (&strip.lower, lanes.into(), true),
            None => return None,
        };
        let parts = u32::try_from(count).ok()? / lanes;
        if depends(&strip.lower) || depends(upper) && is_partial {
            return None;
        }
        let mut instances = Vec::new();
        collect(&strip.body, &mut instances);
        let scop: &'s _ = self.scop;
        let mut accesses = Vec::new();
        for (name, args) in instances {
            let statement = scop.statement(name)?;
            let mut motions = statement.accesses.iter().map(|one| motion(scop, statement, one, args, strip.iter));
            // What is read by record is more than the lanes.
            if is_partial && !motions.all(|motion| matches!(motion, Motion::Stays | Motion::ByElement)) {
                return None;
            }
            accesses.extend(statement.accesses.iter().map(|access| (statement, access, args)));
        }
        let is_written = |array: usize| {
            accesses.iter().any(|(_, access, _)| access.array == array && access.kind != AccessKind::Read)
        };
        let mut staying: Vec<Staying<'n>> = Vec::new();
        for (statement, access, args) in accesses.iter().copied().filter(|(_, access, _)| is_written(access.array)) {
            let element = self.element(statement, access, args)?;
            let moves = motion(scop, statement, access, args, strip.iter);
            let mut terms = element.subscripts.iter().flat_map(|sum| sum.terms.keys());
            let place = || access.subscripts.iter().chain(&access.entries).chain([&access.offset]);
            let uses = |l: usize| place().flat_map(Poly::symbols).any(|symbol| symbol == Sym::Iv(l));
            // Its address is computed outside of the loops.
            let is_fixed = || statement.loops.iter().zip(args).all(|(l, arg)| !depends(arg) || !uses(*l));
            if moves != Motion::ByElement
                || !is_fixed()
                || terms.any(|term| depends(term) || term.involves(strip.iter) && *term != Expr::Iter(strip.iter))
            {
                return None;
            }
            let writes = access.kind != AccessKind::Read;
            match staying.iter_mut().find(|one| one.element == element) {
                Some(known) => known.is_written |= writes,
                None => {
                    let is_clear = |one: &Staying<'_>| {
                        one.element.array != access.array || one.element.is_apart_along(&element, strip.iter, count)
                    };
                    if !staying.iter().all(is_clear) {
                        return None;
                    }
                    let (ty, align) = self.element_of(access).ok()?;
                    staying.push(Staying { element, ty, align, access: (statement, access, args), is_written: writes });
                }
            }
        }
        let is_some = !staying.is_empty() && staying.len() * parts as usize <= MOST;
        is_some.then_some(Shape { loops, strip, first, lanes, parts, is_partial, staying })
    }

    /// Whether a strip fills one vector at most, and may be one under a mask.
    fn is_partial(&self, strip: &For, lanes: u32) -> bool {
        let analyses = self.scopes.editor.analyses();
        let has_masks = analyses.has_lane_access(LaneAccess::Masked, analyses.vector_bits());
        let has_cheap_ones = has_masks && analyses.vector_registers() >= MASKED;
        has_cheap_ones && strip.upper.as_ref().is_some_and(|upper| short::is_at_most(&strip.lower, upper, lanes.into()))
    }
}

impl Element {
    /// Whether two elements have different places whichever iterations of a loop of so many touch them.
    fn is_apart_along(&self, other: &Element, iter: IterId, count: i128) -> bool {
        self.subscripts.iter().zip(&other.subscripts).any(|(a, b)| {
            let is_moved = [a, b].map(|sum| sum.terms.contains_key(&Expr::Iter(iter)));
            a.terms == b.terms
                && match is_moved {
                    [false, false] => a.constant != b.constant,
                    _ => {
                        a.terms.get(&Expr::Iter(iter)) == Some(&1)
                            && a.constant.checked_sub(b.constant).is_some_and(|distance| distance.abs() >= count)
                    }
                }
        })
    }
}

/// The loop that a body is.
fn only_loop(body: &Ast) -> Option<&For> {
    match body {
        Ast::For(inner) => Some(inner),
        Ast::Block(parts) => match parts.as_slice() {
            [part] => only_loop(part),
            _ => None,
        },
        _ => None,
    }
}
