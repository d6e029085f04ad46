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

mod bulk;
mod operands;
mod roots;
mod subregions;

use crate::detect::pure::is_pure;
use crate::detect::region::Region;
use crate::detect::scev::{Entry, ProgramPoint, Reader};
use crate::formula::condition::Dnf;
use crate::formula::poly::Poly;
use crate::host::{Analyses, Opcode, SourceLocation, Value};
use crate::model::scop::{Op, Operand};
use crate::model::time::Time;
use crate::reasons::{Reason, Rejection, in_words};

/// What a root does with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// A store instruction.
    Store(Value),
    /// A cell takes a value: the PHI or cut value, and what is written.
    Cell(Value, Value),
    /// A value is used after the region.
    LiveOut(Value),
    /// One element of a range that a call writes.
    Bulk(Value),
    /// A subregion is executed, by index: its stores, and the values of its exit's PHIs for their cells.
    Subregion(usize),
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
    pub place: ProgramPoint,
    /// The region's block that it ends in; `None` for edges between loops.
    pub block: Option<usize>,
}

/// An access before shapes are known.
#[derive(Clone, Debug)]
pub struct RawAccess {
    /// Index into [`Draft::bases`] for memory, or the cell.
    pub target: Target,
    /// The entries of tables that lead to the row it is in.
    pub entries: Vec<Entry>,
    /// When the program has read them.
    pub entered: Time,
    /// True for a write.
    pub is_write: bool,
    /// False if it is inside of a subregion.
    pub is_certain: bool,
    /// Distance in bytes from the base, or from the start of the row (zero for cells).
    pub offset: Poly,
    /// Bytes touched.
    pub bytes: i128,
    /// The load or store.
    pub instruction: Option<Value>,
}

/// The start of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base {
    /// A pointer from before the region.
    pub pointer: Value,
    /// How many entries of tables lead from there to the rows of the array; 0 if it starts there.
    pub depth: usize,
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
#[derive(Clone, Debug)]
pub struct Draft {
    /// Where memory starts.
    pub bases: Vec<Base>,
    /// Statements in order of execution.
    pub statements: Vec<DraftStatement>,
    /// What parameters say about each other, which no domain says.
    pub known: Dnf,
}

/// Rank of what a statement does behind the instructions of its own block.
const AFTER_BLOCK: usize = usize::MAX;

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
    bases: Vec<Base>,
    /// The calls that write ranges, in the order of their loops.
    bulk: Vec<Value>,
    /// PHIs of the exits of subregions whose cells something reads.
    demanded: Vec<Value>,
}

type Result<T> = std::result::Result<T, Rejection>;

impl<'b, 'h, 'a> Builder<'b, 'h, 'a> {
    /// A builder for a region whose structure is known.
    pub fn new(host: &'h Analyses<'a>, region: &'b Region, reader: &'b mut Reader<'h, 'a>) -> Self {
        let (roots, cuts, merges, bases, bulk, demanded) = Default::default();
        Self { host, region, reader, roots, cuts, merges, bases, bulk, demanded }
    }

    /// Makes a load or another value a cell from now on. In place of a value that is only computed inside of a subregion,
    /// those become cells that it was computed for.
    pub fn cut(&mut self, value: Value) {
        let inside = self.block_of(value).and_then(|b| self.region.blocks[b].subregion);
        let values = match inside {
            None => vec![value],
            Some(k) if self.region.subregions[k].inline => self.chosen_values(k),
            Some(_) => Vec::new(),
        };
        for value in values {
            if !self.cuts.contains(&value) {
                self.cuts.push(value);
            }
        }
    }

    /// Merges the roots of these kinds, and everything between them, from now on.
    pub fn merge(&mut self, first: RootKind, last: RootKind) {
        if !self.merges.contains(&(first, last)) {
            self.merges.push((first, last));
        }
    }

    /// Builds all statements under the cuts and merges asked for so far; adds cuts for values that leave a loop. What is known to be
    /// a row of a table may depend on what has been read before.
    pub fn build(&mut self) -> Result<Draft> {
        loop {
            let (cuts, tables) = (self.cuts.len(), self.reader.tables.len());
            let result = self.try_build();
            let has_cut = result.is_err() && self.cuts.len() > cuts;
            if !has_cut && self.reader.tables.len() == tables {
                return result;
            }
        }
    }

    fn try_build(&mut self) -> Result<Draft> {
        self.bases.clear();
        self.roots.clear();
        self.bulk.clear();
        self.demanded.clear();
        self.collect_roots()?;
        self.apply_merges();
        if self.roots.len() > 4 * MAX_STATEMENTS {
            return Err(Reason::TooComplex.into());
        }
        // Start from what is visible outside and pull in the cells that are read.
        let mut built: Vec<Option<DraftStatement>> = vec![None; self.roots.len()];
        let mut needed: Vec<usize> = (0..self.roots.len())
            .filter(|index| self.roots[*index].kinds.iter().any(|kind| self.is_visible(kind)))
            .collect();
        while let Some(index) = needed.pop() {
            if built[index].is_some() {
                continue;
            }
            let statement = self.statement(index)?;
            let mut complete = true;
            for access in statement.accesses.iter().filter(|access| !access.is_write) {
                let Target::Cell(cell) = access.target else { continue };
                let first = !self.demanded.contains(&cell);
                if first {
                    self.demanded.push(cell);
                }
                for (other, root) in self.roots.iter().enumerate() {
                    if root.kinds.iter().any(|kind| matches!(kind, RootKind::Cell(written, _) if *written == cell)) {
                        needed.push(other);
                    }
                    if root.kinds.iter().any(|kind| matches!(kind, RootKind::Subregion(k) if self.gives(*k, cell))) {
                        // It may have been built without this value, or have just been so.
                        if first {
                            built[other] = None;
                            complete = complete && other != index;
                        }
                        needed.push(other);
                    }
                }
            }
            built[index] = Some(statement).filter(|_| complete);
        }
        let statements: Vec<DraftStatement> = built.into_iter().flatten().collect();
        let operations: usize = statements.iter().map(|statement| statement.body.len()).sum();
        if statements.len() > MAX_STATEMENTS || operations > MAX_OPERATIONS {
            return Err(Reason::TooComplex.into());
        }
        if !statements.iter().any(|s| s.body.iter().any(|op| matches!(op, Op::Write { .. } | Op::LiveOut { .. }))) {
            return Err(Reason::NoStatement.into());
        }
        Ok(Draft { bases: self.bases.clone(), statements, known: self.reader.quotients(self.region) })
    }

    fn statement(&mut self, index: usize) -> Result<DraftStatement> {
        let root = self.roots[index].clone();
        let mut tree = Tree {
            root: &root,
            ops: Vec::new(),
            accesses: Vec::new(),
            loads: Vec::new(),
            done: Vec::new(),
            pieces: Vec::new(),
        };
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
                RootKind::Bulk(call) => {
                    writes.extend(self.bulk_statement(&mut tree, call)?.into_iter().map(|op| (order, op)));
                }
                RootKind::Subregion(k) => {
                    let (ops, values) = self.subregion(&mut tree, k)?;
                    writes.extend(ops.into_iter().map(|op| ((1, AFTER_BLOCK), op)));
                    for phi in values {
                        let access = tree.accesses.len();
                        tree.accesses.push(cell_access(phi, true));
                        writes.push((order, Op::Write { access, value: Operand::Result(phi) }));
                    }
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
        let mut body: Vec<Op> = ops.into_iter().map(|(_, op)| op).collect();
        let new = number_in_order(&mut body, tree.accesses.len());
        let mut accesses: Vec<_> = tree.accesses.into_iter().enumerate().collect();
        accesses.sort_by_key(|(old, _)| new[*old]);
        let accesses = accesses.into_iter().map(|(_, access)| access).collect();
        let loads = tree.loads.into_iter().map(|(access, time)| (new[access], time)).collect();
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

    /// What the user calls the memory that starts at `base`.
    pub fn name_of(&self, base: Value) -> String {
        self.reader.holder(base).source_name()
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

/// Numbers the accesses of a body in the order in which it first makes them; the new numbers of the old ones. Those that it does not make
/// come last.
fn number_in_order(body: &mut [Op], n_access: usize) -> Vec<usize> {
    let mut new = vec![None; n_access];
    let mut next = 0..n_access;
    for op in body {
        if let Op::Read { access, .. } | Op::Write { access, .. } = op {
            let number = new[*access].or_else(|| next.next());
            new[*access] = number;
            *access = number.unwrap_or(*access);
        }
    }
    // As many numbers are left as there are accesses without one.
    new.into_iter().map(|number| number.or_else(|| next.next()).unwrap_or(n_access)).collect()
}

struct Tree<'r> {
    root: &'r Root,
    ops: Vec<((usize, usize), Op)>,
    accesses: Vec<RawAccess>,
    loads: Vec<(usize, Time)>,
    done: Vec<Value>,
    /// The subregions under construction: the operations of each of their blocks, with their place in it.
    pieces: Vec<(usize, Vec<Piece>)>,
}

/// The operations of a block, with their place in it.
type Piece = Vec<(usize, Op)>;

/// The source line of a root.
pub fn root_location(root: &Root) -> Option<SourceLocation> {
    root.kinds.iter().find_map(|kind| match kind {
        RootKind::Store(value) | RootKind::Bulk(value) | RootKind::Cell(value, _) | RootKind::LiveOut(value) => {
            value.debug_location()
        }
        RootKind::Subregion(_) => None,
    })
}

fn is_pure_or_load(value: Value) -> bool {
    value.is(Opcode::Load) || is_pure(value)
}

fn cell_access(cell: Value, is_write: bool) -> RawAccess {
    RawAccess {
        target: Target::Cell(cell),
        entries: Vec::new(),
        entered: Time::new(),
        is_write,
        is_certain: true,
        offset: Poly::zero(),
        bytes: 1,
        instruction: None,
    }
}

fn constant(value: i128) -> std::result::Result<Poly, Reason> {
    Poly::constant(value).ok_or(Reason::TooLarge)
}
