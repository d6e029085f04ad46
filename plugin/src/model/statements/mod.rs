//! From instructions to statements.
//!
//! A statement begins at a *root*: a store, the value that a PHI takes along one edge, or a value used after the
//! region. Its body is the tree of side-effect free instructions that the root needs, down to loads, induction
//! variables, values from before the region, and *cells*. A cell is a scalar that the program carries between
//! statements: a PHI that is no induction variable, or a value that must not be recomputed. Cells are arrays
//! without dimensions; nothing about them is hidden from dependence analysis.
//!
//! A load may belong to a statement that executes later than the load did (LICM hoists loads into outer loops, GVN
//! keeps them in registers). That is *forwarding*; it is legal only if nothing writes the element in between, which is
//! decided exactly, by the emptiness of a set over both iteration vectors. Where it is not legal, statements of one
//! block are merged and execute in the original instruction order; across blocks the loaded value becomes a cell.
//!
//! Invariants: every store of the region belongs to exactly one statement; the order of the statements' times is the
//! order in which the program writes memory; the operations inside a statement read before they write wherever the
//! program did.

mod roots;

use crate::detect::condition::Dnf;
use crate::detect::reasons::{Reason, Rejection, in_words};
use crate::detect::region::{Item, Region};
use crate::detect::scev::{Place, Reader};
use crate::host::{AccessKind, Analyses, Opcode, SourceLocation, Value};
use crate::model::poly::{Poly, Sym};
use crate::model::scop::{Op, Operand};
use crate::model::time::Time;

/// What a root does with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// A store instruction.
    Store(Value),
    /// A cell takes a value: the PHI or cut value, and what is written.
    Cell(Value, Value),
    /// A value is used after the region.
    LiveOut(Value),
}

/// The beginning of a statement.
#[derive(Clone, Debug)]
pub struct Root {
    /// What it does; more than one if statements were merged.
    pub kinds: Vec<RootKind>,
    /// The loops around it.
    pub loops: Vec<usize>,
    /// When it executes.
    pub time: Time,
    /// For which iterations.
    pub domain: Dnf,
    /// Where its SCEV expressions are read.
    pub place: Place,
    /// The region's block that it ends in; `None` for edges between loops.
    pub block: Option<usize>,
}

/// An access before shapes are known.
#[derive(Clone, Debug)]
pub struct RawAccess {
    /// Index into [`Draft::bases`] for memory, or the cell.
    pub target: Target,
    /// True for a write.
    pub is_write: bool,
    /// Distance from the base in bytes (zero for cells).
    pub offset: Poly,
    /// Bytes touched.
    pub bytes: i128,
    /// The load or store.
    pub instruction: Option<Value>,
}

/// What an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Memory, by index into [`Draft::bases`].
    Memory(usize),
    /// A cell.
    Cell(Value),
}

/// A statement before shapes are known.
#[derive(Clone, Debug)]
pub struct DraftStatement {
    /// Where it comes from.
    pub root: Root,
    /// Its operations in order.
    pub body: Vec<Op>,
    /// Its accesses.
    pub accesses: Vec<RawAccess>,
    /// Forwarded loads: index of the access and the time at which the program loaded.
    pub loads: Vec<(usize, Time)>,
}

/// All statements of a region before shapes are known.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// Base pointers of memory.
    pub bases: Vec<Value>,
    /// Statements in order of execution.
    pub statements: Vec<DraftStatement>,
}

/// Position inside a block at which PHI writes along its outgoing edges happen.
const END_OF_BLOCK: i128 = 1 << 20;

/// Limits of one region.
const MAX_STATEMENTS: usize = 48;
const MAX_OPERATIONS: usize = 600;

/// Collects roots and builds statements.
pub struct Builder<'b, 'h, 'a> {
    host: &'h Analyses<'a>,
    region: &'b Region,
    reader: &'b mut Reader<'h, 'a>,
    roots: Vec<Root>,
    /// Values that are cells although they are no PHIs.
    cuts: Vec<Value>,
    /// Pairs of roots (by their first kind) to be merged with everything between.
    merges: Vec<(RootKind, RootKind)>,
    bases: Vec<Value>,
}

type Result<T> = std::result::Result<T, Rejection>;

impl<'b, 'h, 'a> Builder<'b, 'h, 'a> {
    /// A builder for a region whose structure is known.
    pub fn new(host: &'h Analyses<'a>, region: &'b Region, reader: &'b mut Reader<'h, 'a>) -> Self {
        Self { host, region, reader, roots: Vec::new(), cuts: Vec::new(), merges: Vec::new(), bases: Vec::new() }
    }

    /// Makes a load or another value a cell from now on.
    pub fn cut(&mut self, value: Value) {
        if !self.cuts.contains(&value) {
            self.cuts.push(value);
        }
    }

    /// Merges the roots of these kinds, and everything between them, from now on.
    pub fn merge(&mut self, first: RootKind, last: RootKind) {
        if !self.merges.contains(&(first, last)) {
            self.merges.push((first, last));
        }
    }

    /// Builds all statements under the cuts and merges asked for so far; adds cuts for values that leave a loop.
    pub fn build(&mut self) -> Result<Draft> {
        loop {
            let cuts = self.cuts.len();
            match self.try_build() {
                Err(_) if self.cuts.len() > cuts => continue,
                result => return result,
            }
        }
    }

    fn try_build(&mut self) -> Result<Draft> {
        self.bases.clear();
        self.roots.clear();
        self.collect_roots()?;
        self.apply_merges();
        if self.roots.len() > 4 * MAX_STATEMENTS {
            return Err(Reason::TooComplex.into());
        }
        // Start from what is visible outside and pull in the cells that are read.
        let mut built: Vec<Option<DraftStatement>> = vec![None; self.roots.len()];
        let mut needed: Vec<usize> = (0..self.roots.len())
            .filter(|index| self.roots[*index].kinds.iter().any(|kind| !matches!(kind, RootKind::Cell(..))))
            .collect();
        while let Some(index) = needed.pop() {
            if built[index].is_some() {
                continue;
            }
            let statement = self.statement(index)?;
            for access in statement.accesses.iter().filter(|access| !access.is_write) {
                let Target::Cell(cell) = access.target else { continue };
                for (other, root) in self.roots.iter().enumerate() {
                    if root.kinds.iter().any(|kind| matches!(kind, RootKind::Cell(written, _) if *written == cell)) {
                        needed.push(other);
                    }
                }
            }
            built[index] = Some(statement);
        }
        let statements: Vec<DraftStatement> = built.into_iter().flatten().collect();
        let operations: usize = statements.iter().map(|statement| statement.body.len()).sum();
        if statements.len() > MAX_STATEMENTS || operations > MAX_OPERATIONS {
            return Err(Reason::TooComplex.into());
        }
        if !statements.iter().any(|s| s.body.iter().any(|op| matches!(op, Op::Write { .. } | Op::LiveOut { .. }))) {
            return Err(Reason::NoStatement.into());
        }
        Ok(Draft { bases: self.bases.clone(), statements })
    }

    fn statement(&mut self, index: usize) -> Result<DraftStatement> {
        let root = self.roots[index].clone();
        let mut tree = Tree { root: &root, ops: Vec::new(), accesses: Vec::new(), loads: Vec::new(), done: Vec::new() };
        let mut writes = Vec::new();
        for (number, kind) in root.kinds.iter().enumerate() {
            let order = (2usize, number);
            match *kind {
                RootKind::Store(store) => {
                    let stored =
                        store.memory_access().and_then(|access| access.stored).ok_or_else(|| self.strange(store))?;
                    let value = self.operand(&mut tree, stored, None)?;
                    let access = self.memory_access(&mut tree, store)?;
                    let order = (1, self.instruction_index(store));
                    writes.push((order, Op::Write { access, value }));
                }
                RootKind::Cell(cell, value) => {
                    let value = self.operand(&mut tree, value, Some(cell))?;
                    let access = tree.accesses.len();
                    tree.accesses.push(cell_access(cell, true));
                    let order = if self.cuts.contains(&cell) { (1, self.instruction_index(cell)) } else { order };
                    writes.push((order, Op::Write { access, value }));
                }
                RootKind::LiveOut(escaping) => {
                    let value = self.operand(&mut tree, escaping, None)?;
                    writes.push((order, Op::LiveOut { escaping, value }));
                }
            }
        }
        let mut ops = tree.ops;
        ops.extend(writes);
        // Stable: operations of one rank stay in the order in which they were needed.
        ops.sort_by_key(|(order, _)| *order);
        let body = ops.into_iter().map(|(_, op)| op).collect();
        let (accesses, loads) = (tree.accesses, tree.loads);
        Ok(DraftStatement { root, body, accesses, loads })
    }

    fn strange(&self, value: Value) -> Rejection {
        let what = format!("{} of an unusual form", value.opcode().map_or("an operation", in_words));
        Rejection::at(Reason::Instruction { what }, value.debug_location())
    }

    fn instruction_index(&self, instruction: Value) -> usize {
        let block = instruction.parent();
        let all = block.map(|block| block.instructions()).unwrap_or_default();
        all.iter().position(|other| *other == instruction).unwrap_or(0)
    }

    /// The order of an operation inside the statement: those of the root's own block in instruction order, after all
    /// others.
    fn rank(&self, root: &Root, instruction: Value) -> (usize, usize) {
        let own = root.block.map(|b| self.region.blocks[b].handle);
        let block = instruction.parent();
        if own.is_some() && own == block { (1, self.instruction_index(instruction)) } else { (0, 0) }
    }

    /// The operand that stands for `value` in the statement, adding what computes it. `writing` is the cell that the
    /// root writes, which therefore must be computed and not read if it is a cut.
    fn operand(&mut self, tree: &mut Tree<'_>, value: Value, writing: Option<Value>) -> Result<Operand> {
        let Some(block) = value.parent() else { return Ok(Operand::Invariant(value)) };
        let Some(b) = self.region.block_index(block) else { return Ok(Operand::Invariant(value)) };
        if tree.done.contains(&value) {
            return Ok(Operand::Result(value));
        }
        let loops = self.region.blocks[b].loops.clone();
        let inside = loops.len() <= tree.root.loops.len() && tree.root.loops[..loops.len()] == loops[..];
        if !inside {
            return self.exit_value(tree, value, &loops);
        }
        if self.cuts.contains(&value) && writing != Some(value) {
            return Ok(self.read_cell(tree, value, value));
        }
        let location = value.debug_location();
        match value.opcode() {
            Some(Opcode::Phi) => {
                let incoming = value.phi_incoming();
                if let [(only, _)] = incoming.as_slice() {
                    return self.operand(tree, *only, None);
                }
                if let Some(poly) = self.induction(value, tree.root.place) {
                    return Ok(Operand::Affine(poly, value.ty()));
                }
                Ok(self.read_cell(tree, value, value))
            }
            Some(Opcode::Load) => {
                let access = self.memory_access(tree, value)?;
                let time = self.time_of(b, value)?;
                tree.loads.push((access, time));
                tree.ops.push((self.rank(tree.root, value), Op::Read { access, result: value }));
                tree.done.push(value);
                Ok(Operand::Result(value))
            }
            // A frozen value is one value: computing it again could choose another one.
            Some(Opcode::Freeze) if writing != Some(value) => {
                self.cut(value);
                Err(Rejection::at(Reason::Scalar, location))
            }
            _ if is_pure(value) => {
                if tree.ops.len() > MAX_OPERATIONS {
                    return Err(Rejection::at(Reason::TooComplex, location));
                }
                let mut operands = Vec::new();
                for operand in value.operands() {
                    operands.push(self.operand(tree, operand, None)?);
                }
                tree.ops.push((self.rank(tree.root, value), Op::Compute { instruction: value, operands }));
                tree.done.push(value);
                Ok(Operand::Result(value))
            }
            _ => Err(self.strange(value)),
        }
    }

    fn read_cell(&mut self, tree: &mut Tree<'_>, cell: Value, result: Value) -> Operand {
        if !tree.done.contains(&result) {
            let access = tree.accesses.len();
            tree.accesses.push(cell_access(cell, false));
            tree.ops.push(((0, 0), Op::Read { access, result }));
            tree.done.push(result);
        }
        Operand::Result(result)
    }

    /// A value computed in a loop that has ended when the root executes.
    fn exit_value(&mut self, tree: &mut Tree<'_>, value: Value, loops: &[usize]) -> Result<Operand> {
        let host = self.host;
        if self.cuts.contains(&value) {
            return Ok(self.read_cell(tree, value, value));
        }
        let common = loops.iter().zip(&tree.root.loops).take_while(|(a, b)| a == b).count();
        let ended = loops[common];
        let scope = self.region.loops[ended].parent.map(|parent| self.region.loops[parent].handle);
        let scope = scope.or_else(|| self.region.loops[0].handle.parent());
        if value.ty().int_bits().is_some_and(|bits| bits <= 64)
            && let Some(scev) = host.scev_at_scope(value, scope)
        {
            let known = self.reader.assumptions.len();
            match self.reader.poly(scev, tree.root.place, self.region) {
                Ok(poly) if poly.symbols().all(|s| !matches!(s, Sym::Iv(l) if !tree.root.loops.contains(&l))) => {
                    return Ok(Operand::Affine(poly, value.ty()));
                }
                _ => self.reader.assumptions.truncate(known),
            }
        }
        let current = &self.region.loops[ended];
        let header = current.header;
        let (rotated, latch) = (current.exiting == current.latch, current.latch);
        let in_header = value.parent() == Some(header);
        // A PHI with one incoming value (LCSSA) in an inner loop's exit.
        if value.is(Opcode::Phi)
            && let [(only, _)] = value.phi_incoming().as_slice()
            && !in_header
        {
            return self.operand(tree, *only, None);
        }
        if current.exiting == header && !rotated && in_header && self.is_phi_cell(value) {
            return Ok(self.read_cell(tree, value, value));
        }
        if rotated {
            let phis = header.instructions().into_iter().take_while(|v| v.is(Opcode::Phi));
            for phi in phis {
                let carries = phi.phi_incoming().iter().any(|(v, block)| *block == latch && *v == value);
                if carries && self.is_phi_cell(phi) {
                    return Ok(self.read_cell(tree, phi, value));
                }
            }
        }
        // Any other value: keep the last one computed, and start again with that cell.
        if !value.is(Opcode::Phi) && is_pure_or_load(value) {
            self.cut(value);
        }
        Err(Rejection::at(Reason::Scalar, value.debug_location()))
    }

    fn is_phi_cell(&mut self, value: Value) -> bool {
        value.is(Opcode::Phi) && self.is_cell(value)
    }

    fn memory_access(&mut self, tree: &mut Tree<'_>, instruction: Value) -> Result<usize> {
        let host = self.host;
        let location = instruction.debug_location();
        let reject = |reason| Rejection::at(reason, location.clone());
        let access = instruction.memory_access().ok_or_else(|| self.strange(instruction))?;
        if access.volatile || access.atomic {
            return Err(reject(Reason::OrderedAccess));
        }
        let pointer = access.pointer;
        let block = instruction.parent().ok_or_else(|| self.strange(instruction))?;
        let scope = host.loop_of(block);
        let unknown = |value: Value| reject(Reason::Access { array: value.source_name() });
        let scev = host.scev_at_scope(pointer, scope).ok_or_else(|| unknown(pointer))?;
        let shown = host.pointer_base(scev).and_then(|base| base.unknown_value()).unwrap_or(pointer);
        let b = self.region.block_index(block).ok_or_else(|| self.strange(instruction))?;
        let address = self.reader.address(scev, Place::Block(b), self.region);
        let (base, offset) = address.map_err(|reason| match reason {
            Reason::ChangingBase => reject(reason),
            _ => unknown(shown),
        })?;
        let loops = &self.region.blocks[b].loops;
        if offset.symbols().any(|s| matches!(s, Sym::Iv(l) if !loops.contains(&l))) {
            return Err(unknown(base));
        }
        let bytes = host.store_size(access.ty).ok_or_else(|| self.strange(instruction))?;
        if bytes == 0 {
            return Err(self.strange(instruction));
        }
        let index = self.bases.iter().position(|other| *other == base).unwrap_or_else(|| {
            self.bases.push(base);
            self.bases.len() - 1
        });
        tree.accesses.push(RawAccess {
            target: Target::Memory(index),
            is_write: access.kind == AccessKind::Write,
            offset,
            bytes: i128::from(bytes),
            instruction: Some(instruction),
        });
        Ok(tree.accesses.len() - 1)
    }

    /// When an instruction of block `b` executes.
    fn time_of(&self, b: usize, instruction: Value) -> Result<Time> {
        let loops = &self.region.blocks[b].loops;
        let mut time = vec![Poly::zero()];
        for (depth, index) in loops.iter().enumerate() {
            time.push(Poly::symbol(Sym::Iv(*index)));
            let item = match loops.get(depth + 1) {
                Some(inner) => Item::Loop(*inner),
                None => Item::Block(b),
            };
            let position = self.region.loops[*index].items.iter().position(|other| *other == item);
            let position = position.ok_or(Reason::Internal { message: "a block without a position".into() })?;
            time.push(constant(4 * (position as i128) + 2)?);
        }
        time.push(constant(self.instruction_index(instruction) as i128)?);
        Ok(time)
    }

    /// The number of parameters met so far.
    pub fn param_count(&self) -> usize {
        self.reader.params.len()
    }

    /// The region's block that holds an instruction.
    pub fn block_of(&self, instruction: Value) -> Option<usize> {
        instruction.parent().and_then(|block| self.region.block_index(block))
    }
}

struct Tree<'r> {
    root: &'r Root,
    ops: Vec<((usize, usize), Op)>,
    accesses: Vec<RawAccess>,
    loads: Vec<(usize, Time)>,
    done: Vec<Value>,
}

/// The source line of a root.
pub fn root_location(root: &Root) -> Option<SourceLocation> {
    root.kinds.iter().find_map(|kind| match kind {
        RootKind::Store(value) | RootKind::Cell(value, _) | RootKind::LiveOut(value) => value.debug_location(),
    })
}

/// An instruction whose result depends on its operands alone and which does nothing else, or nothing but set `errno` in a
/// way that `detect::errno` has looked at.
pub fn is_pure(value: Value) -> bool {
    let Some(opcode) = value.opcode() else { return false };
    match opcode {
        Opcode::Call => value.is_pure_call() || value.is_errno_call(),
        Opcode::Phi | Opcode::Load | Opcode::Store | Opcode::Alloca | Opcode::Fence | Opcode::Other => false,
        _ => !opcode.is_terminator() && !value.may_read() && !value.may_write() && !value.has_side_effects(),
    }
}

fn is_pure_or_load(value: Value) -> bool {
    value.is(Opcode::Load) || is_pure(value)
}

fn cell_access(cell: Value, is_write: bool) -> RawAccess {
    RawAccess { target: Target::Cell(cell), is_write, offset: Poly::zero(), bytes: 1, instruction: None }
}

fn constant(value: i128) -> std::result::Result<Poly, Reason> {
    Poly::constant(value).ok_or(Reason::TooLarge)
}
