//! AST to IR: loops, conditions, statements.

mod accumulators;
mod device;
mod expressions;
mod in_place;
mod kept;
mod lanes;
mod late_stores;
mod left_over;
pub(super) mod live_out;
mod numbering;
mod pack;
pub(super) mod places;
mod records;
mod short;
mod speculate;
mod statement;
mod strips;
mod sum;
mod transposed;
mod vectors;
mod wide;

use crate::emit::Job;
use crate::emit::copies::Buffer;
use crate::emit::frame::Frame;
use crate::emit::hints::LoopPragmas;
use crate::emit::interval::Interval;
use crate::emit::scopes::{Placed, Scopes};
use crate::formula::poly::Sym;
use crate::host::{Block, Edit, EditError, IntOp, IntPredicate, LoopHint, Metadata, Opcode, Value};
use crate::model::scop::{Access, Op, Scop, Statement, Storage};
use numbering::Numbering;
use std::collections::{BTreeSet, HashMap, HashSet};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{Ast, AstUnit, Cond, Expr, For, IterId};
use tessera_polyhedral::space::Name;

/// So many iterations of a loop in which elements stay have a copy of the body each: what they load, they wait for together.
const KEPT_COPIES: i32 = 4;

/// Most iterations for each of which there may be a copy of the body.
const MOST_COPIES: i128 = 32;

/// So many accesses in an iteration are work enough.
const MANY_ACCESSES: usize = 24;

/// What the generated code needs to know about one array.
struct ArrayCode {
    /// The base pointer, or the cell's place in the frame; `None` for arrays that no statement touches any more.
    base: Option<Placed>,
    /// The places of copies with known numbers, if they are variables of their own.
    variables: Vec<Placed>,
    scope: Option<Metadata>,
    others: Vec<Metadata>,
}

/// Where the scalars of a nest live.
pub(super) struct Scalars<'s> {
    pub(super) frame: &'s Frame,
    /// That of those with copies.
    pub(super) buffer: Option<&'s Buffer>,
}

/// Iterations of a loop that follow each other.
#[derive(Clone, Copy)]
struct Iterations {
    /// The first value of the counter, and the last one.
    first: Placed,
    last: Placed,
    /// Whether there are any.
    not_empty: Placed,
    /// The bounds of the loop's iterator.
    lower: Placed,
    upper: Placed,
    /// Whether the counter is the distance from the lower bound, not the iterator.
    from_zero: bool,
    /// How many of them make a vector, if that is more than the compiler prefers.
    lanes: Option<i32>,
}

/// What is done at the instances of a guard's loops.
pub(super) trait Visitor<'e, 'a> {
    /// Builds the code of one instance.
    fn visit(&self, scopes: &mut Scopes<'e, 'a>, name: &str, args: &[Placed]) -> Edit<()>;
    /// What to tell the compiler about the loops.
    fn hints(&self) -> Vec<LoopHint>;
}

/// A parameter of code beside those of the model.
pub(super) struct Word {
    pub(super) name: Name,
    pub(super) value: Value,
    pub(super) range: Option<Interval>,
}

/// What code of a kernel needs to know.
pub(super) struct KernelCode<'k> {
    /// The model that it is made from.
    pub(super) scop: &'k Scop,
    /// The values of the host's loops, the block and the thread.
    pub(super) words: Vec<Word>,
    /// What stands for the base pointers of arrays, and the places of scalars, by index.
    pub(super) bases: Vec<Option<Value>>,
    /// The statements at which threads wait for each other.
    pub(super) barriers: &'k [Name],
    /// The position of the first number of a thread among all parameters; the others follow.
    pub(super) threads: usize,
    /// How many threads a block has along each dimension.
    pub(super) block: &'k [i64],
    /// The loops that all threads of a block reach together.
    pub(super) uniform: BTreeSet<IterId>,
    /// Whether a product and the sum after it are one operation on the host.
    pub(super) fuses: bool,
}

/// Emits one region's code.
pub struct Emitter<'e, 'a, 's> {
    scopes: Scopes<'e, 'a>,
    scop: &'s Scop,
    job: &'s Job,
    unit: &'s AstUnit,
    visitor: Option<&'s dyn Visitor<'e, 'a>>,
    /// What there is to know of the kernel that is built, if it is one.
    kernel: Option<&'s KernelCode<'s>>,
    /// Parameters of the region as words, in the scop's order, and those of a kernel behind them.
    params: Vec<Placed>,
    /// Whether elements are copied that may be used in place, if the code now is not for these copies alone.
    is_copied: Option<Placed>,
    /// Parameters in the AST's order, as indices of these.
    ast_params: Vec<usize>,
    arrays: Vec<ArrayCode>,
    iters: HashMap<IterId, Placed>,
    /// The counter of an innermost loop whose first value is known outside of the loop around it, with that value and what is added.
    counted: Option<(Value, Placed, Placed)>,
    groups: Vec<Metadata>,
    /// What the present block has computed.
    numbering: Numbering,
    /// The elements that stay in variables for the present loops, in a kernel.
    kept: Vec<kept::Kept>,
    /// The elements that stay in vectors for the present loop.
    accumulators: Option<accumulators::Accumulators>,
    /// What is added to the addresses of numbers that are read for every vector again: zero, but nobody knows. With the addresses so far.
    replica: Option<(Value, HashMap<Value, Value>)>,
    /// What the threads of a block load together for the present loop.
    strips: Option<strips::Strips>,
    /// The memory that threads of a block share, with its size in bytes.
    shared: Option<(Value, i64)>,
    /// How the present loop runs without its conditions, in a kernel.
    speculation: Option<speculate::Speculation>,
    /// The arguments of the present instance, in a kernel and in a register tile.
    instance: Vec<Expr>,
    /// What the body of a register tile touches, in a loop over one.
    touched: Option<Vec<late_stores::Touched>>,
    /// The number of the copy that the present instance addresses, by array, where copies are variables of their own.
    numbers: Vec<(usize, u64)>,
    /// How the present innermost loop runs in vectors, if it does.
    vector: Option<vectors::Lanes>,
    /// The statements of the present innermost loop that must not become lanes of a vector.
    scattered: Vec<String>,
    /// The innermost loops that do what register tiles leave over.
    left_over: HashSet<IterId>,
    /// Whether the present loops copy element by element what could be transposed in registers if there were more of it.
    is_one_by_one: bool,
    /// The name of the piece of new code, where it is to become a function of its own.
    piece: Option<Metadata>,
    /// Whether some loop so far runs in vectors wider than those that the compiler prefers.
    is_wide: bool,
    pragmas: LoopPragmas,
    /// The alias scope of the tables that lead to rows.
    tables: Option<Metadata>,
    /// The outermost scope from which on it is certain that the next statement is executed.
    certain: usize,
    /// Values from before the region that an earlier region of the function replaced.
    replaced: &'s HashMap<Value, Value>,
    /// What the region hands on: original value and its replacement.
    live_out: Vec<(Value, Value)>,
    /// The places of values that are handed on, but computed inside of loops or conditions.
    result_places: Vec<(Value, Value)>,
}

impl<'e, 'a, 's> Emitter<'e, 'a, 's> {
    /// An emitter that starts in `block`. `params` are the parameters' values as words, in the scop's order; `scalars` tells where
    /// scalars live.
    pub(super) fn new(
        editor: &'e crate::host::Editor<'a>,
        block: Block,
        (job, unit): (&'s Job, &'s AstUnit),
        params: &[Value],
        replaced: &'s HashMap<Value, Value>,
        scalars: &Scalars<'_>,
    ) -> Edit<Self> {
        let mut emitter = Self::of_unit(editor, block, job, unit, params, replaced)?;
        emitter.pragmas = LoopPragmas::new(&job.scop, unit);
        if job.hints {
            emitter.left_over = left_over::left_over(&unit.body);
        }
        emitter.piece = if job.outline { Some(editor.distinct_node()?) } else { None };
        emitter.choose(scalars.buffer.and_then(|buffer| buffer.is_copied))?;
        emitter.prepare_arrays(scalars)?;
        for value in live_out::nested(&job.scop, unit) {
            let place = scalars.frame.place(editor, value.ty(), "result")?;
            emitter.result_places.push((value, place));
        }
        Ok(emitter)
    }

    /// The same emitter for loops of the guard, whose instances `visitor` builds.
    pub(super) fn visited_by(self, visitor: &'s dyn Visitor<'e, 'a>) -> Self {
        Self { visitor: Some(visitor), ..self }
    }

    /// An emitter of a kernel, whose own parameters come behind those of the model. The editor builds the kernel.
    pub(super) fn of_kernel(
        editor: &'e crate::host::Editor<'a>,
        block: Block,
        (job, unit): (&'s Job, &'s AstUnit),
        params: &[Value],
        replaced: &'s HashMap<Value, Value>,
        kernel: &'s KernelCode<'s>,
    ) -> Edit<Self> {
        let mut emitter = Self::of_names(editor, block, (job, unit), params, &kernel.words, replaced)?;
        (emitter.kernel, emitter.scop) = (Some(kernel), kernel.scop);
        emitter.prepare_kernel_arrays(kernel)?;
        Ok(emitter)
    }

    /// An emitter of another unit than the job's, over the same parameters; arrays are not prepared.
    pub(super) fn of_unit(
        editor: &'e crate::host::Editor<'a>,
        block: Block,
        job: &'s Job,
        unit: &'s AstUnit,
        params: &[Value],
        replaced: &'s HashMap<Value, Value>,
    ) -> Edit<Self> {
        Self::of_names(editor, block, (job, unit), params, &[], replaced)
    }

    fn of_names(
        editor: &'e crate::host::Editor<'a>,
        block: Block,
        (job, unit): (&'s Job, &'s AstUnit),
        params: &[Value],
        words: &[Word],
        replaced: &'s HashMap<Value, Value>,
    ) -> Edit<Self> {
        let scop = &job.scop;
        let own = words.iter().map(|word| word.value);
        let params: Vec<Placed> = params.iter().copied().chain(own).map(|value| Placed { value, scope: 0 }).collect();
        let names: Vec<&str> =
            scop.params.iter().map(|param| param.name.as_str()).chain(words.iter().map(|word| &*word.name)).collect();
        let ast_params = unit
            .params
            .iter()
            .map(|name| {
                let position = names.iter().position(|other| *other == &**name);
                position.ok_or_else(|| EditError::new(format!("the parameter {name} has no value")))
            })
            .collect::<Edit<Vec<_>>>()?;
        let mut scopes = Scopes::new(editor, block);
        for (param, range) in params.iter().zip(&job.guard.params) {
            scopes.set_range(param.value, Some(*range));
        }
        for word in words {
            scopes.set_range(word.value, word.range);
        }
        Ok(Self {
            scopes,
            scop,
            job,
            unit,
            visitor: None,
            kernel: None,
            params,
            is_copied: None,
            ast_params,
            arrays: Vec::new(),
            iters: HashMap::new(),
            counted: None,
            groups: Vec::new(),
            numbering: Numbering::default(),
            kept: Vec::new(),
            accumulators: None,
            replica: None,
            speculation: None,
            strips: None,
            shared: None,
            instance: Vec::new(),
            touched: None,
            numbers: Vec::new(),
            vector: None,
            scattered: Vec::new(),
            left_over: HashSet::new(),
            is_one_by_one: false,
            piece: None,
            is_wide: false,
            pragmas: LoopPragmas::default(),
            tables: None,
            certain: 0,
            replaced,
            live_out: Vec::new(),
            result_places: Vec::new(),
        })
    }

    /// Goes on in another block.
    pub(super) fn continue_in(&mut self, block: Block) {
        self.scopes.continue_in(block);
    }

    /// Emits everything; returns the block in which it ends, and what the region hands on.
    pub fn run(mut self) -> Edit<(Block, Vec<(Value, Value)>)> {
        self.node(&self.unit.body)?;
        let live_out = self.handed_on()?;
        Ok((self.scopes.block(), live_out))
    }

    fn prepare_arrays(&mut self, scalars: &Scalars<'_>) -> Edit<()> {
        let editor = self.scopes.editor;
        let domain = editor.alias_domain("tessera")?;
        let mut scopes = Vec::new();
        for array in &self.scop.arrays {
            scopes.push(match array.storage {
                // Those with copies are addressed by subscripts.
                Storage::Scalar(..) if array.copies == 1 => None,
                _ if self.job.hints => Some(editor.alias_scope(domain, &array.name)?),
                _ => None,
            });
        }
        if self.job.hints && !self.scop.visits.is_empty() {
            self.tables = Some(editor.alias_scope(domain, "tables")?);
        }
        self.scopes.at_end();
        for scope in scopes.iter().flatten().chain(&self.tables) {
            editor.declare_scope(*scope)?;
        }
        let in_frame = places::in_frame(self.scop, self.unit);
        for (index, array) in self.scop.arrays.iter().enumerate() {
            let mut variables = Vec::new();
            let base = match array.storage {
                _ if !self.scop.is_used(index) => None,
                Storage::Memory(pointer) | Storage::Rows(pointer) => Some(self.outside(pointer)),
                Storage::Scalar(_, ty) => match (in_frame[index], scalars.buffer) {
                    (Some(places), _) => {
                        for _ in 0..places.variables {
                            let value = scalars.frame.place(editor, ty, &array.name)?;
                            variables.push(Placed { value, scope: 0 });
                        }
                        let array_type = places.array.map(|n| editor.array_type(ty, n)).transpose()?;
                        array_type.map(|ty| scalars.frame.place(editor, ty, &array.name)).transpose()?
                    }
                    (None, Some(buffer)) if array.copies > 1 => buffer.place(index),
                    (None, _) => Some(scalars.frame.place(editor, ty, &array.name)?),
                },
                Storage::Buffer(_) => match (scalars.buffer.and_then(|buffer| buffer.place(index)), array.in_place) {
                    (Some(copies), Some(in_place)) => Some(self.either_base(copies, in_place.array)?),
                    (copies, _) => copies,
                },
            };
            let others = scopes.iter().enumerate().filter(|(other, _)| *other != index).filter_map(|(_, s)| *s);
            self.arrays.push(ArrayCode {
                base: base.map(|value| Placed { value, scope: 0 }),
                variables,
                scope: scopes[index],
                others: others.chain(self.tables).collect(),
            });
        }
        Ok(())
    }

    fn outside(&self, value: Value) -> Value {
        self.replaced.get(&value).copied().unwrap_or(value)
    }

    fn node(&mut self, ast: &Ast) -> Edit<()> {
        if self.copies_perhaps(ast)? {
            return Ok(());
        }
        match ast {
            Ast::Block(parts) => parts.iter().try_for_each(|part| self.node(part)),
            Ast::Mark(name, inner) => {
                if &**name == strips::STRIP && self.strips.is_some() {
                    self.load_strip()?;
                }
                match &**name {
                    transposed::BLOCK => return self.transposed_block(inner),
                    transposed::ONE_BY_ONE => {
                        self.is_one_by_one = true;
                        self.node(inner)?;
                        self.is_one_by_one = false;
                        return Ok(());
                    }
                    _ => {}
                }
                self.node(inner)
            }
            Ast::If { cond, then, otherwise } => self.branch(cond, then, otherwise.as_deref()),
            Ast::For(node) => self.for_loop(node),
            Ast::User { stmt, args } => {
                if let Some(visitor) = self.visitor {
                    let args = args.iter().map(|arg| self.expr(arg)).collect::<Edit<Vec<_>>>()?;
                    return visitor.visit(&mut self.scopes, stmt, &args);
                }
                if self.kernel.is_some_and(|kernel| kernel.barriers.contains(stmt)) {
                    return self.wait();
                }
                let scop = self.scop;
                if let Some(pack) = scop.packs.iter().find(|pack| *pack.name == **stmt) {
                    let args = args.iter().map(|arg| self.expr(arg)).collect::<Edit<Vec<_>>>()?;
                    return self.pack(pack, &args);
                }
                let statement = scop.statement(stmt);
                let statement = statement.ok_or_else(|| EditError::new(format!("no statement {stmt}")))?;
                self.present(statement, args);
                let args = args.iter().map(|arg| self.expr(arg)).collect::<Edit<Vec<_>>>()?;
                self.statement(statement, &args)
            }
        }
    }

    /// Begins with an instance of a statement.
    fn present(&mut self, statement: &Statement, args: &[Expr]) {
        let numbered = (0..self.arrays.len()).filter(|array| !self.arrays[*array].variables.is_empty());
        let number = |array| Some((array, places::number(self.scop, statement, array, args)?));
        self.numbers = numbered.filter_map(number).collect();
        if self.kernel.is_some() || self.touched.is_some() || self.vector.is_some() {
            self.instance.clear();
            self.instance.extend_from_slice(args);
        }
    }

    fn branch(&mut self, cond: &Cond, then: &Ast, otherwise: Option<&Ast>) -> Edit<()> {
        let condition = self.cond(cond)?;
        self.fork(condition, [Some(then), otherwise], &mut |emitter, part| emitter.node(part))
    }

    /// Builds what `build` makes of the first part where a condition holds, of the second one where it does not.
    fn fork(
        &mut self,
        condition: Placed,
        [then, otherwise]: [Option<&Ast>; 2],
        build: &mut dyn FnMut(&mut Self, &Ast) -> Edit<()>,
    ) -> Edit<()> {
        let editor = self.scopes.editor;
        let then_block = editor.create_block("then", Some(self.scopes.block()))?;
        let join = editor.create_block("endif", Some(then_block))?;
        let else_block = match otherwise {
            Some(_) => editor.create_block("else", Some(then_block))?,
            None => join,
        };
        self.scopes.at_end();
        let gate = editor.cond_br(condition.value, then_block, else_block)?;
        self.scopes.open(gate, then_block);
        let certain = std::mem::replace(&mut self.certain, self.scopes.depth());
        then.map_or(Ok(()), |then| build(self, then))?;
        self.scopes.at_end();
        editor.br(join)?;
        if let Some(otherwise) = otherwise {
            self.scopes.close(else_block);
            self.scopes.open(gate, else_block);
            build(self, otherwise)?;
            self.scopes.at_end();
            editor.br(join)?;
        }
        self.certain = certain;
        self.scopes.close(join);
        Ok(())
    }

    fn for_loop(&mut self, node: &For) -> Edit<()> {
        if let Some(blocks) = self.in_blocks(node) {
            return self.node(&blocks);
        }
        if self.copied_row(node)? {
            return Ok(());
        }
        if self.loop_with_kept(node)? || self.strip_of_vectors(node)? || self.loop_with_accumulators(node)? {
            return Ok(());
        }
        self.plain_loop(node)
    }

    fn plain_loop(&mut self, node: &For) -> Edit<()> {
        let lower = self.expr(&node.lower)?;
        let upper = node.upper.as_ref().ok_or_else(|| EditError::new("a loop without end"))?;
        let upper = self.expr(upper)?;
        let not_empty = self.scopes.compare(IntPredicate::Sle, lower, upper)?;
        // A loop over the points of a tile counts from zero, and addresses start at the tile: the code generator keeps what is the same
        // in all rows in registers then (measured with products of matrices in i, k, j: 0.7 of the speed without).
        let from_zero = self.visitor.is_none()
            && !contains_loop(&node.body)
            && lower.value.constant_int().is_none()
            && lower.scope < self.scopes.depth();
        let (first, last) = match from_zero {
            true => (self.scopes.constant(&Int::zero())?, self.scopes.int(IntOp::Sub, upper, lower)?),
            false => (lower, upper),
        };
        let all = Iterations { first, last, not_empty, lower, upper, from_zero, lanes: None };
        if let Some(wide) = self.wide(node) {
            return self.wide_loop(node, &all, &wide);
        }
        match self.vector_lanes(node) {
            Some(lanes) => self.loop_in_vectors(node, &all, lanes),
            None if node.coincident && self.jams_records(node) => {
                self.iterate(&For { coincident: false, ..node.clone() }, &all)
            }
            None => self.iterate(node, &all),
        }
    }

    /// Builds a loop for some of its iterations.
    fn iterate(&mut self, node: &For, iterations: &Iterations) -> Edit<()> {
        let editor = self.scopes.editor;
        let Iterations { first: begin, last: end, not_empty, lower, upper, from_zero, lanes } = *iterations;
        let step_of = self.vector.as_ref().map_or_else(|| node.step.clone(), vectors::Lanes::step);
        let (step, is_vector) = (self.scopes.constant(&step_of)?, self.vector.is_some());
        let entering = self.scopes.block();
        let header = editor.create_block("loop", Some(entering))?;
        let exit = editor.create_block("endloop", Some(header))?;
        // Where pointers to rows are read once for all iterations, if there are any, and what is the same in all vectors is computed.
        let reads_rows = self.visitor.is_none() && !self.scop.visits.is_empty();
        let certain = self.certain;
        let before = if reads_rows || is_vector { Some(editor.create_block("row", Some(entering))?) } else { None };
        self.scopes.at_end();
        let first = before.unwrap_or(header);
        let mut gate = match not_empty.value.constant_int() {
            Some(value) if value != 0 => editor.br(first)?,
            _ => editor.cond_br(not_empty.value, first, exit)?,
        };
        if let Some(before) = before {
            self.scopes.open(gate, before);
            self.certain = self.scopes.depth();
            if !step_of.is_one() {
                self.compute_same(&node.body, true)?;
            }
            self.scopes.at_end();
            gate = editor.br(header)?;
        }
        let iterator = editor.phi(header, editor.int_type(self.scopes.word)?, &node.name)?;
        editor.add_incoming(iterator, begin.value, before.unwrap_or(entering))?;
        self.certain = self.scopes.depth();
        self.scopes.open(gate, header);
        let scope = self.scopes.depth();
        let own = Placed { value: iterator, scope };
        let range_of = |low: Placed, high: Placed| {
            let ranges = self.scopes.range(low).zip(self.scopes.range(high));
            ranges.map(|((low, _), (_, high))| (low, high))
        };
        // A counter is in the loop only between its bounds; the next one is computed once behind them.
        let (counted, range) = (range_of(begin, end), range_of(lower, upper));
        let last = counted.zip(step_of.to_i64()).map(|((_, high), step)| high + i128::from(step));
        if last.is_none_or(|last| last >= 1 << (self.scopes.word - 1)) {
            return Err(EditError::too_large());
        }
        self.scopes.set_range(iterator, counted);
        let counter = if from_zero { self.scopes.int(IntOp::Add, own, lower)? } else { own };
        self.scopes.set_range(counter.value, range);
        self.counted = from_zero.then_some((counter.value, lower, own));
        self.iters.insert(node.iter, counter);
        let is_of_host = self.kernel.is_none();
        let is_parallel = node.coincident && self.job.hints && is_of_host && !is_vector;
        let group = if is_parallel { Some(editor.distinct_node()?) } else { None };
        self.groups.extend(group);
        // Independent iterations become vectors themselves.
        if self.visitor.is_none() && is_of_host && !contains_loop(&node.body) && !node.coincident {
            self.note_scattered(&node.body);
        }
        self.touched = self.is_tile(node).then(Vec::new);
        self.node(&node.body)?;
        if let Some(touched) = self.touched.take() {
            self.stores_last(&touched)?;
        }
        self.scattered.clear();
        if group.is_some() {
            self.groups.pop();
        }
        self.iters.remove(&node.iter);
        self.counted = None;
        let latch = self.scopes.block();
        self.scopes.at_end();
        let next = editor.int_op(IntOp::Add, iterator, step.value, "next")?;
        editor.set_wrap_flags(next, false, true);
        let goes_on = if step_of.is_one() {
            editor.icmp(IntPredicate::Slt, iterator, end.value)?
        } else {
            editor.icmp(IntPredicate::Sle, next, end.value)?
        };
        let back = editor.cond_br(goes_on, header, exit)?;
        editor.add_incoming(iterator, next, latch)?;
        let mut hints = self.pragmas.of(node.iter);
        let has_pragmas = !hints.is_empty();
        hints.extend(group.map(|group| LoopHint::ParallelAccesses(vec![group])));
        if let Some(visitor) = self.visitor {
            hints = visitor.hints();
        } else if contains_loop(&node.body) || !has_pragmas && node.coincident && is_long(lower.value, upper.value) {
            // Copies of whole inner loops cost compile time and gain nothing; nor do copies of all iterations of a vectorised one.
            hints.push(LoopHint::Flag("llvm.loop.unroll.disable"));
        } else if self.kept.is_empty() && self.waits(node) {
            // That has time for counting, and copies of the body cost compile time.
            hints.push(LoopHint::Flag("llvm.loop.unroll.disable"));
        }
        if is_vector {
            hints.push(LoopHint::Int("llvm.loop.isvectorized", 1));
            hints.push(LoopHint::Flag(match self.has_rows_at_known_distances(node) {
                true => "llvm.loop.unroll.runtime.disable",
                false => "llvm.loop.unroll.disable",
            }));
        } else if transposed::is_over_blocks(node) || self.is_one_by_one && !contains_loop(&node.body) {
            // These are vectors already, and what is not in blocks is little.
            hints.push(LoopHint::Bool("llvm.loop.vectorize.enable", false));
            hints.push(LoopHint::Flag("llvm.loop.unroll.disable"));
        } else if !has_pragmas && self.left_over.contains(&node.iter) {
            hints.push(match is_short(node) {
                true => LoopHint::Bool("llvm.loop.vectorize.enable", false),
                false => LoopHint::Int("llvm.loop.interleave.count", 1),
            });
            hints.push(LoopHint::Flag("llvm.loop.unroll.runtime.disable"));
        }
        if !self.kept.is_empty() && !contains_loop(&node.body) {
            hints.push(LoopHint::Int("llvm.loop.unroll.count", KEPT_COPIES));
        }
        hints.extend(lanes.map(|lanes| LoopHint::Int("llvm.loop.vectorize.width", lanes)));
        self.is_wide |= lanes.is_some();
        if self.is_wide {
            hints.push(LoopHint::Flag("tessera.wide"));
        }
        if self.job.short_rows && self.piece.is_some() && !contains_loop(&node.body) {
            hints.push(LoopHint::Flag("tessera.short_rows"));
        }
        hints.extend(self.piece.map(LoopHint::Code));
        if !hints.is_empty() {
            editor.set_loop_hints(back, &hints)?;
        }
        self.certain = certain;
        self.scopes.close(exit);
        if before.is_some() {
            self.scopes.close(exit);
        }
        Ok(())
    }
}

impl Emitter<'_, '_, '_> {
    /// Whether an innermost loop waits: for the one statement of the iteration before, for divisions, or for memory. Not rows of tiles, since the
    /// processor begins with the next one while it waits, nor what goes across rows, which takes more operations than that (of a triangular solve
    /// and of a factorisation ran 0.8 and 0.94 times as fast without copies of the body).
    fn waits(&self, node: &For) -> bool {
        let mut instances = Vec::new();
        lanes::collect(&node.body, &mut instances);
        let (mut is_chain, mut divides, mut accesses) =
            (instances.len() == 1 && !short::is_row_of_tile(node), false, 0);
        for (name, args) in instances {
            let Some(statement) = self.scop.statement(name) else {
                continue;
            };
            divides |= statement.body.iter().any(|op| match op {
                Op::Compute { instruction, .. } => {
                    [Opcode::FDiv, Opcode::SDiv, Opcode::UDiv].iter().any(|opcode| instruction.is(*opcode))
                }
                _ => false,
            });
            let moves = |index: usize| statement.dim(index).is_some_and(|position| args[position].involves(node.iter));
            let is_moved = |access: &&Access| {
                let mut symbols = access.entries.iter().chain([&access.offset]).flat_map(|part| part.symbols());
                symbols.any(|symbol| matches!(symbol, Sym::Iv(index) if moves(index)))
            };
            is_chain &= !lanes::is_scattered_along(self.scop, statement, moves);
            accesses += statement.accesses.iter().filter(is_moved).count();
        }
        divides || !node.coincident && (is_chain || accesses > MANY_ACCESSES)
    }

    /// Whether rows that a loop goes along are as far from each other as a number says. If it has few iterations, copies of all of them let
    /// later passes see that no two rows are the same, and keep in registers what the loop around it changes. Where the distance is a
    /// parameter copies gain nothing (a factorisation by Cholesky ran 0.88 times as fast with them), and it takes later passes long to find
    /// out whether there are few iterations.
    fn has_rows_at_known_distances(&self, node: &For) -> bool {
        let mut instances = Vec::new();
        lanes::collect(&node.body, &mut instances);
        let mut statements = instances.iter().filter_map(|(name, _)| self.scop.statement(name));
        statements.all(|statement| {
            let mut accesses = statement.accesses.iter();
            accesses.all(|access| !access.offset.symbols().any(|symbol| matches!(symbol, Sym::Param(_))))
        })
    }
}

/// Whether a loop has at most a few iterations, but not a number of them that the compiler sees.
fn is_short(node: &For) -> bool {
    let is_number = |bound: &Expr| matches!(bound, Expr::Const(_));
    let upper = node.upper.as_ref().filter(|upper| !(is_number(&node.lower) && is_number(upper)));
    node.step.is_one() && upper.is_some_and(|upper| short::is_short(&node.lower, upper))
}

/// Whether a loop has a known number of iterations that is too great to have a copy of the body for each.
fn is_long(lower: Value, upper: Value) -> bool {
    let bounds = lower.constant_int().zip(upper.constant_int());
    bounds.is_some_and(|(lower, upper)| upper - lower >= MOST_COPIES)
}

fn contains_loop(ast: &Ast) -> bool {
    matches!(ast, Ast::For(_)) || ast.children().any(contains_loop)
}
