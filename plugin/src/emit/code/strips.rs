//! What the threads of a block load together, in memory that they share.
//!
//! ```text
//! for k:                                         for K in steps of 32:
//!   x0 += A[i][k] * B[k][j]                        barrier
//!   x1 += A[i][k] * B[k][j + 32]                   thread by thread: As[..] = A[..][K ..], Bs[..] = B[K ..][..]
//!   ...                                   =>       barrier
//!                                                  for k in K .. K + 32:
//!                                                    x0 += As[..] * Bs[..]; x1 += As[..] * Bs[..]; ...
//! ```
//!
//! In a loop with a tile of registers every thread loads `A[i][k]` that all threads with the same `i` load, too. Here each element is loaded once
//! per block and strip of iterations. Only elements that move with the thread along few dimensions of the block, in loops that all threads
//! reach together, of arrays that the kernel does not write.
//!
//! A thread loads what thread `u` would load in iteration `K + q`: the same expressions with `u` in place of the own number. So nothing
//! has to be known of the shape of what is loaded. Neighbours load neighbours: along `q` where the last subscript moves with the loop, else along
//! the thread. The rows of shared memory, one per iteration, are 16 bytes longer than they need to be, so that rows begin in different banks.
//!
//! Copies may have conditions. Whether an element is loaded by some thread is asked of the thread where conditions hold if they hold anywhere
//! (the first or the last one along each dimension: conditions are inequalities, and all of one direction). What nobody loads is zero, from
//! a place that is there for that; what is computed with it is never stored ([`kept`](super::kept)). Behind the last iteration of the loop
//! its elements are loaded once more.
//!
//! (Measured on an H100, products of 4096 x 4096 with 8 x 4 points per thread: 19 TFLOP/s in f32 without, 33 with strips; 12 and 17 in f64. To
//! load the next strip into registers before the present one is used gained nothing: 32 and 17.)
//!
//! Invariants: every place that is loaded is one that some thread of the block loads in some iteration of the loop; all threads of a block reach
//! the barriers (`uniform`); between two barriers shared memory is only written, or only read.
//!
//! S. Verdoolaege et al., "Polyhedral Parallel Code Generation for CUDA", TACO 2013, section 5; V. Volkov and J. Demmel, "Benchmarking GPUs to
//! Tune Dense Linear Algebra", SC 2008.

use super::Emitter;
use super::kept::{Element, kept_type};
use super::speculate::Loaded;
use super::sum::Sum;
use crate::device::sizes::element_align;
use crate::emit::scopes::Placed;
use crate::host::{Edit, EditError, IntOp, IntPredicate, Type, TypeKind, Value};
use crate::model::scop::{Access, Statement};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{Ast, Cond, Expr, For, IterId};
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::space::Name;

/// The mark where a strip is loaded.
pub(super) const STRIP: &str = "strip";

/// The iterations of a strip, the best first.
const STRIPS: [i64; 3] = [32, 16, 8];

/// The most bytes of shared memory that a kernel may have without asking the driver.
const MOST_BYTES: i64 = 48 << 10;

/// So many threads at least load the same element, or it is not worth while.
const LEAST_SHARED: i64 = 4;

/// The first iteration of the strip, and the iteration in it.
const FIRST: IterId = IterId(usize::MAX - 1);
const INSIDE: IterId = IterId(usize::MAX);

/// The elements that copies of one access load.
struct Family {
    access: usize,
    /// The dimensions of the block with which they move.
    dims: Vec<usize>,
    /// Whether the last subscript moves with the loop.
    is_along: bool,
    ty: Type,
    bytes: i64,
    copies: Vec<Loaded>,
    /// Where its part of the shared memory begins, in bytes.
    start: i64,
}

/// What is loaded for a loop, with the memory for it.
pub(super) struct Strips {
    plan: Plan,
    /// The shared memory, and a place for what does not exist.
    shared: Value,
    nothing: Value,
}

/// What is loaded for a loop.
struct Plan {
    statement: usize,
    families: Vec<Family>,
    /// The iterations of a strip.
    length: i64,
    /// The copies of the statement, in terms of the strip.
    users: Vec<Ast>,
    /// The number of a thread, along each dimension, where conditions hold if they hold for any.
    extreme: Vec<i64>,
    /// The last iteration of the loop.
    last: Expr,
}

/// An element that a thread loads: iteration `q` of the strip, as thread `u` would do it.
struct Share {
    q: Placed,
    u: Placed,
    /// Which of the copies, where threads load for several at once.
    part: Option<Placed>,
    /// These copies.
    copies: std::ops::Range<usize>,
}

/// How the threads of a block share what they load for the copies of a family.
struct Turns {
    /// How often each of them loads something for the same copies.
    turns: i64,
    /// For how many copies they load something at once.
    together: i64,
}

impl Plan {
    /// How many iterations there are from the first one of the strip to the last one of the loop, less one.
    fn rest(&self) -> Expr {
        Expr::Sub(Box::new(self.last.clone()), Box::new(Expr::Iter(FIRST)))
    }
}

impl Family {
    /// How many different elements threads load in one iteration for one copy.
    fn values(&self, block: &[i64]) -> i64 {
        self.dims.iter().map(|dim| block[*dim]).product()
    }

    /// Whether neighbours load neighbours, so that they read neighbours from shared memory, too.
    fn has_lanes(&self, block: &[i64]) -> bool {
        self.dims.contains(&(block.len() - 1))
    }

    /// How threads load a strip; nothing where its elements do not come out even.
    fn turns(&self, length: i64, block: &[i64]) -> Option<Turns> {
        let (elements, threads) = (length * self.values(block), block.iter().product::<i64>());
        if elements % threads == 0 {
            return Some(Turns { turns: elements / threads, together: 1 });
        }
        let together = threads / elements;
        (threads % elements == 0 && self.count() % together == 0).then_some(Turns { turns: 1, together })
    }

    /// The bytes of a strip.
    fn strip_bytes(&self, length: i64, block: &[i64]) -> i64 {
        length.saturating_mul(self.row(block)).saturating_mul(self.bytes)
    }

    fn count(&self) -> i64 {
        i64::try_from(self.copies.len()).unwrap_or(i64::MAX)
    }

    /// The elements of a row of shared memory.
    fn row(&self, block: &[i64]) -> i64 {
        self.values(block).saturating_mul(self.count()).saturating_add(16 / self.bytes)
    }
}

/// The expression with another one in place of an iterator; nothing where it is part of something else than a sum.
fn replaced(expr: &Expr, iter: IterId, by: &Expr) -> Option<Expr> {
    let both = |a: &Expr, b: &Expr| Some((Box::new(replaced(a, iter, by)?), Box::new(replaced(b, iter, by)?)));
    match expr {
        Expr::Iter(own) if *own == iter => Some(by.clone()),
        Expr::Add(a, b) => both(a, b).map(|(a, b)| Expr::Add(a, b)),
        Expr::Sub(a, b) => both(a, b).map(|(a, b)| Expr::Sub(a, b)),
        Expr::Neg(a) => replaced(a, iter, by).map(|a| Expr::Neg(Box::new(a))),
        Expr::Mul(factor, a) => replaced(a, iter, by).map(|a| Expr::Mul(factor.clone(), Box::new(a))),
        other => (!other.involves(iter)).then(|| other.clone()),
    }
}

/// Notes in which direction an inequality looks along each thread; nothing for other conditions on threads, or two directions.
fn directions(cond: &Cond, threads: &[Option<usize>], known: &mut [i128]) -> Option<()> {
    let involves = |sum: &Sum, position: usize| sum.terms.keys().any(|term| mentions(term, position));
    match cond {
        Cond::True | Cond::False => Some(()),
        Cond::And(parts) | Cond::Or(parts) => parts.iter().try_for_each(|part| directions(part, threads, known)),
        Cond::Ge(expr) | Cond::Eq(expr) | Cond::Divides(_, expr) => {
            let mut sum = Sum::default();
            sum.add(expr, 1)?;
            for (dim, position) in threads.iter().enumerate() {
                let Some(position) = *position else { continue };
                let own = sum.terms.remove(&Expr::Param(position)).unwrap_or(0).signum();
                let is_inequality = matches!(cond, Cond::Ge(_));
                if involves(&sum, position) || own != 0 && (!is_inequality || known[dim] == -own) {
                    return None;
                }
                if own != 0 {
                    known[dim] = own;
                }
            }
            Some(())
        }
    }
}

/// Whether an expression may have a parameter in it: selections are not looked into.
fn mentions(expr: &Expr, position: usize) -> bool {
    expr.any(&|part| *part == Expr::Param(position) || matches!(part, Expr::Select(..)))
}

impl Emitter<'_, '_, '_> {
    /// What threads load together for a loop of a kernel; nothing where that is not possible or does not pay.
    pub(super) fn strips_of(&mut self, node: &For) -> Edit<Option<Strips>> {
        let (Some(kernel), Some(plan)) = (self.kernel, self.planned(node)) else { return Ok(None) };
        let editor = self.scopes.editor;
        let bytes = plan.families.iter().map(|family| family.strip_bytes(plan.length, kernel.block)).sum::<i64>();
        // The loops of a kernel use the same memory one after the other.
        let shared = match self.shared {
            Some((shared, size)) if size >= bytes => shared,
            Some(_) => return Ok(None),
            None => {
                let count = u64::try_from(bytes).map_err(|_| EditError::new("a negative size"))?;
                let shared = editor.shared_memory(editor.int_type(8)?, count)?;
                self.shared = Some((shared, bytes));
                shared
            }
        };
        Ok(Some(Strips { plan, shared, nothing: editor.nothing()? }))
    }

    fn planned(&self, node: &For) -> Option<Plan> {
        let kernel = self.kernel.filter(|kernel| kernel.uniform.contains(&node.iter))?;
        let block = kernel.block;
        let all: i64 = block.iter().product();
        let is_small = |n: i64| n > 0 && n & (n - 1) == 0;
        if !node.step.is_one() || node.test.is_some() || all < 32 || !block.iter().all(|n| is_small(*n)) {
            return None;
        }
        let (number, found) = self.copies_of_one(node)?;
        let statement = &self.scop.statements[number];
        let position = |dim: usize| self.ast_params.iter().position(|param| *param == kernel.threads + dim);
        let threads: Vec<Option<usize>> = (0..block.len()).map(position).collect();
        let mut sides = vec![0; block.len()];
        let now = Expr::Add(Box::new(Expr::Iter(FIRST)), Box::new(Expr::Iter(INSIDE)));
        let (mut families, mut users): (Vec<Family>, Vec<Ast>) = (Vec::new(), Vec::new());
        for copy in &found {
            copy.above.iter().try_for_each(|cond| directions(cond, &threads, &mut sides))?;
            let condition = copy.condition();
            let args = copy.args.iter().map(|arg| replaced(arg, node.iter, &now)).collect::<Option<Vec<_>>>()?;
            for (access_number, access) in statement.accesses.iter().enumerate() {
                let element = self.element(statement, access, &args)?;
                if self.is_kept(&element) {
                    continue;
                }
                if access.kind != AccessKind::Read || self.writes(&self.unit.body, access.array) {
                    return None;
                }
                let dims = self.moving_dims(&element, &threads)?;
                let is_along = element.subscripts.last()?.terms.contains_key(&Expr::Iter(INSIDE));
                let ty = kept_type(self.scop, access)?;
                let bytes = match ty.kind() {
                    TypeKind::Int(64) | TypeKind::Double => 8,
                    TypeKind::Int(32) | TypeKind::Float => 4,
                    _ => return None,
                };
                let same = |family: &&mut Family| family.access == access_number && family.dims == dims;
                let family = match families.iter_mut().find(same) {
                    Some(family) => family,
                    None => {
                        let (dims, copies) = (dims.clone(), Vec::new());
                        families.push(Family { access: access_number, dims, is_along, ty, bytes, copies, start: 0 });
                        families.last_mut()?
                    }
                };
                Loaded::note(&mut family.copies, element, &args, &condition);
            }
            users.push(Ast::User { stmt: Name::from(statement.name.as_str()), args });
        }
        let shared = |family: &Family| all / family.values(block);
        if families.is_empty() || families.iter().any(|family| shared(family) < LEAST_SHARED) {
            return None;
        }
        let fits = |length: &i64| {
            let bytes = families.iter().map(|family| family.strip_bytes(*length, block)).sum::<i64>();
            bytes <= MOST_BYTES && families.iter().all(|family| family.turns(*length, block).is_some())
        };
        let length = STRIPS.into_iter().find(fits)?;
        // Rows are multiples of 16 bytes.
        let mut start = 0;
        for family in &mut families {
            family.start = start;
            start += family.strip_bytes(length, block);
        }
        let extreme = sides.iter().zip(block).map(|(side, size)| if *side > 0 { size - 1 } else { 0 }).collect();
        let last = node.upper.clone()?;
        Some(Plan { statement: number, families, length, users, extreme, last })
    }

    /// The dimensions of the block with which an element moves, if it also moves with the iterations of a strip, and in no other way than as
    /// a sum.
    fn moving_dims(&self, element: &Element, threads: &[Option<usize>]) -> Option<Vec<usize>> {
        let terms = || element.subscripts.iter().flat_map(|sum| sum.terms.keys());
        let moves = |what: &Expr| terms().any(|term| term == what);
        if !moves(&Expr::Iter(INSIDE)) || !moves(&Expr::Iter(FIRST)) {
            return None;
        }
        let mut dims = Vec::new();
        for (dim, position) in threads.iter().enumerate() {
            let Some(position) = *position else { continue };
            if moves(&Expr::Param(position)) {
                dims.push(dim);
            }
            if terms().any(|term| *term != Expr::Param(position) && mentions(term, position)) {
                return None;
            }
        }
        let nested = |term: &Expr| {
            let is_own = matches!(term, Expr::Iter(_));
            !is_own && (term.involves(INSIDE) || term.involves(FIRST))
        };
        (!terms().any(nested)).then_some(dims)
    }

    /// Whether a statement in some code writes an array.
    fn writes(&self, ast: &Ast, array: usize) -> bool {
        match ast {
            Ast::User { stmt, .. } => self
                .scop
                .statements
                .iter()
                .filter(|statement| statement.name.as_str() == &**stmt)
                .flat_map(|statement| &statement.accesses)
                .any(|access| access.array == array && access.kind != AccessKind::Read),
            other => other.children().any(|part| self.writes(part, array)),
        }
    }

    /// Builds a loop strip by strip.
    pub(super) fn strip_loop(&mut self, node: &For, strips: Strips) -> Edit<()> {
        let plan = &strips.plan;
        let length = Int::from(plan.length);
        let inner = For {
            iter: INSIDE,
            name: Name::from("q"),
            lower: Expr::constant(0),
            upper: Some(Expr::min(vec![Expr::Const(&length - 1), plan.rest()])),
            trip_count: None,
            degenerate: false,
            body: Box::new(Ast::block(plan.users.clone())),
            ..node.clone()
        };
        let body = Ast::Mark(Name::from(STRIP), Box::new(Ast::For(inner)));
        let outer = For { iter: FIRST, step: length, trip_count: None, body: Box::new(body), ..node.clone() };
        self.strips = Some(strips);
        self.plain_loop(&outer)?;
        self.strips = None;
        Ok(())
    }

    /// Where the present instance finds what threads have loaded together.
    pub(super) fn strip_place(&mut self, statement: &Statement, access: &Access) -> Edit<Option<Value>> {
        let Some(strips) = self.strips.take() else { return Ok(None) };
        let unknown = || EditError::new("a load that nobody foresaw");
        let element = self.element(statement, access, &self.instance).ok_or_else(unknown)?;
        let of_copy = |family: &Family| family.copies.iter().position(|copy| copy.element == element);
        let found = strips.plan.families.iter().find_map(|family| Some((family, of_copy(family)?)));
        let (family, copy) = found.ok_or_else(unknown)?;
        let copy = self.scopes.constant(&Int::from(copy))?;
        let (inside, thread) = (self.expr(&Expr::Iter(INSIDE))?, self.thread_number(&family.dims)?);
        let place = self.shared_place(strips.shared, family, (inside, thread, copy))?;
        self.strips = Some(strips);
        Ok(Some(place))
    }

    /// The number of the present thread among those that differ along some dimensions of the block, the last of which counts fastest.
    fn thread_number(&mut self, dims: &[usize]) -> Edit<Placed> {
        let Some(kernel) = self.kernel else { return Err(EditError::new("a thread outside of a kernel")) };
        let mut number = self.scopes.constant(&Int::zero())?;
        for dim in dims {
            number = self.times(number, kernel.block[*dim])?;
            number = self.scopes.int(IntOp::Add, number, self.params[kernel.threads + dim])?;
        }
        Ok(number)
    }

    /// The place in shared memory of what thread `u` loads in iteration `q` of the strip for a copy.
    fn shared_place(&mut self, shared: Value, family: &Family, (q, u, copy): (Placed, Placed, Placed)) -> Edit<Value> {
        let Some(kernel) = self.kernel else { return Err(EditError::new("a strip outside of a kernel")) };
        let (block, bytes) = (kernel.block, family.bytes);
        let (of_copy, of_thread) =
            if family.has_lanes(block) { (family.values(block), 1) } else { (1, family.count()) };
        let start = self.scopes.constant(&Int::from(family.start))?;
        let copy = self.times(copy, of_copy * bytes)?;
        let mut distance = self.scopes.int(IntOp::Add, start, copy)?;
        for part in [self.times(u, of_thread * bytes)?, self.times(q, family.row(block) * bytes)?] {
            distance = self.scopes.int(IntOp::Add, part, distance)?;
        }
        let pointer = self.scopes.offset(Placed { value: shared, scope: 0 }, distance)?;
        self.scopes.at_end();
        Ok(pointer.value)
    }

    fn times(&mut self, value: Placed, factor: i64) -> Edit<Placed> {
        let factor = self.scopes.constant(&Int::from(factor))?;
        self.scopes.int(IntOp::Mul, value, factor)
    }

    /// The quotient and the remainder by a number.
    fn parts(&mut self, value: Placed, number: i64) -> Edit<(Placed, Placed)> {
        let quotient = self.scopes.floor_div(value, &Int::from(number))?;
        let product = self.times(quotient, number)?;
        let rest = self.scopes.int(IntOp::Sub, value, product)?;
        self.scopes.set_range(rest.value, Some((0, i128::from(number) - 1)));
        Ok((quotient, rest))
    }

    /// Loads a strip.
    pub(super) fn load_strip(&mut self) -> Edit<()> {
        let Some(strips) = self.strips.take() else { return Ok(()) };
        let editor = self.scopes.editor;
        self.wait()?;
        // All loads first: they wait for memory together.
        let mut loaded = Vec::new();
        for family in &strips.plan.families {
            for share in self.shares(family, strips.plan.length)? {
                loaded.push((family, self.loaded(&strips, family, &share)?, share));
            }
        }
        for (family, value, share) in loaded {
            let mut copy = self.scopes.constant(&Int::from(share.copies.start))?;
            if let Some(part) = share.part {
                copy = self.scopes.int(IntOp::Add, part, copy)?;
            }
            let place = self.shared_place(strips.shared, family, (share.q, share.u, copy))?;
            editor.store(value, place, family.bytes.unsigned_abs())?;
        }
        self.strips = Some(strips);
        self.wait()
    }

    /// Loads one element, as another thread would.
    fn loaded(&mut self, strips: &Strips, family: &Family, share: &Share) -> Edit<Value> {
        let Some(kernel) = self.kernel else { return Err(EditError::new("a strip outside of a kernel")) };
        let (editor, scop) = (self.scopes.editor, self.scop);
        let statement = &scop.statements[strips.plan.statement];
        let access = &statement.accesses[family.access];
        let rest = self.expr(&strips.plan.rest())?;
        let inside = self.scopes.extremum(false, share.q, rest)?;
        self.iters.insert(INSIDE, inside);
        let before = self.params.clone();
        for (dim, extreme) in strips.plan.extreme.iter().enumerate() {
            self.params[kernel.threads + dim] = self.scopes.constant(&Int::from(*extreme))?;
        }
        let mut left = share.u;
        for dim in family.dims.iter().rev() {
            let (more, value) = self.parts(left, kernel.block[*dim])?;
            self.params[kernel.threads + dim] = value;
            left = more;
        }
        let mut chosen = None;
        for (number, copy) in family.copies[share.copies.clone()].iter().enumerate() {
            let pointer = self.existing_place((statement, access), copy, strips.nothing)?;
            chosen = Some(match (chosen, share.part) {
                (Some(other), Some(part)) => {
                    let number = self.scopes.constant(&Int::from(number))?;
                    let is_own = self.scopes.compare(IntPredicate::Eq, part, number)?;
                    self.scopes.at_end();
                    editor.select(is_own.value, pointer, other)?
                }
                _ => pointer,
            });
        }
        self.params = before;
        self.iters.remove(&INSIDE);
        let pointer = chosen.ok_or_else(|| EditError::new("a family without copies"))?;
        self.scopes.at_end();
        editor.load(family.ty, pointer, element_align(scop, access))
    }

    /// The elements of a strip that the present thread loads for a family, in order.
    fn shares(&mut self, family: &Family, length: i64) -> Edit<Vec<Share>> {
        let Some(kernel) = self.kernel else { return Ok(Vec::new()) };
        let block = kernel.block;
        let Some(Turns { turns, together }) = family.turns(length, block) else {
            return Err(EditError::new("a strip that does not come out even"));
        };
        let (all, values) = (block.iter().product::<i64>(), family.values(block));
        let own = self.thread_number(&(0..block.len()).collect::<Vec<_>>())?;
        let step = usize::try_from(together).map_err(|_| EditError::new("too many copies"))?;
        let mut shares = Vec::new();
        for turn in 0..turns {
            let first = self.scopes.constant(&Int::from(turn * all))?;
            let number = self.scopes.int(IntOp::Add, own, first)?;
            let (part, number) = match together {
                1 => (None, number),
                _ => self.parts(number, length * values).map(|(part, rest)| (Some(part), rest))?,
            };
            let (q, u) = match family.is_along {
                true => self.parts(number, length).map(|(u, q)| (q, u))?,
                false => self.parts(number, values)?,
            };
            for start in (0..family.copies.len()).step_by(step) {
                shares.push(Share { q, u, part, copies: start..start + step });
            }
        }
        Ok(shares)
    }

    /// The address of what is loaded for a copy, or of nothing where no thread has it.
    fn existing_place(
        &mut self,
        (statement, access): (&Statement, &Access),
        copy: &Loaded,
        nothing: Value,
    ) -> Edit<Value> {
        let args = copy.args.iter().map(|arg| self.expr(arg)).collect::<Edit<Vec<_>>>()?;
        let pointer = self.memory_address(&statement.loops, access, &args)?;
        let exists = copy.exists();
        if exists == Cond::True {
            return Ok(pointer);
        }
        let exists = self.cond(&exists)?;
        self.scopes.at_end();
        self.scopes.editor.select(exists.value, pointer, nothing)
    }
}
