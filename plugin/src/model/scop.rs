//! The static control part as plain data.
//!
//! Everything after detection works on this: statements with their domains and accesses, arrays with their shapes,
//! the order in which the program runs them, and the assumptions under which all of it is true.
//! The only things that tie it to the compiler are opaque handles in [`Op`], which `emit` clones.

use crate::detect::region::Region;
use crate::detect::scev::{Assumption, InvariantLoad, Param, unique_name};
use crate::formula::condition::Dnf;
use crate::formula::poly::Poly;
use crate::host::{Block, Opcode, SourceLocation, Type, Value};
use crate::model::protected::Protected;
use crate::model::row_tables::{Level, Table, Visit};
use crate::model::time::Time;
use tessera_polyhedral::ast::{AstBuild, AstOptions};
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::relation::Set;

/// Where an array lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Program memory that starts at this pointer, which does not change inside the region.
    Memory(Value),
    /// Rows of program memory, behind pointers in a table that starts at this pointer, which does not change inside the region.
    Rows(Value),
    /// A scalar carried between statements: one cell per PHI or escaping value, of this type.
    Scalar(Value, Type),
    /// Memory of the new code, with copies of elements of this type (see `optimise::placed`).
    Buffer(Type),
}

impl Storage {
    /// The pointer from before the region that memory of the program is addressed from.
    pub fn pointer(self) -> Option<Value> {
        match self {
            Storage::Memory(pointer) | Storage::Rows(pointer) => Some(pointer),
            Storage::Scalar(..) | Storage::Buffer(_) => None,
        }
    }
}

/// One array (or scalar cell) of the region.
#[derive(Clone, Debug)]
pub struct Array {
    /// The name shown to users, unique in the region.
    pub name: String,
    /// What remarks call it.
    pub known_as: String,
    /// Where it lives.
    pub storage: Storage,
    /// The tables that lead to a row, if there are any: one leading dimension each.
    pub levels: Vec<Level>,
    /// Bytes per element of the model.
    pub unit: i128,
    /// The sizes of all dimensions but the outermost (of a row), in elements: polynomials over parameters only.
    pub sizes: Vec<Poly>,
    /// Of a scalar: how many private copies the new code has of it (see `optimise::expand`). Of a buffer: how many elements. 1 for others.
    pub copies: u64,
    /// Of a buffer: how its accesses find the elements of the array itself, where copies do not pay.
    pub in_place: Option<InPlace>,
    /// Of a buffer whose size depends on parameters: its bytes, of which `copies` elements are the most.
    pub bytes: Option<Poly>,
    /// Of a scalar: whether there is one copy for each of the iterations that the strategy runs side by side (not a user's own steps).
    pub is_jammed: bool,
}

impl Array {
    /// One element, and nothing of what new code adds.
    pub fn new((name, known_as): (String, String), storage: Storage, unit: i128) -> Array {
        let (levels, sizes) = Default::default();
        Array { name, known_as, storage, levels, unit, sizes, copies: 1, in_place: None, bytes: None, is_jammed: false }
    }
}

/// A number in the addresses of a buffer that is another one where elements are not copied, but used in place.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Of the copies.
    pub copied: Poly,
    /// Of the array.
    pub in_place: Poly,
}

/// An array whose elements may be used in place of their copies.
#[derive(Clone, Copy, Debug)]
pub struct InPlace {
    /// The array.
    pub array: usize,
    /// What is known of the alignment of its elements.
    pub align: u64,
}

/// One memory access of a statement.
#[derive(Clone, Debug)]
pub struct Access {
    /// Index of the array.
    pub array: usize,
    /// Read or write.
    pub kind: AccessKind,
    /// One affine subscript per dimension (none for a scalar), over the statement's induction variables.
    pub subscripts: Vec<Poly>,
    /// Number of consecutive elements touched, starting at the subscripts, in the innermost dimension.
    pub count: i128,
    /// Of the tables that lead to the row: distance of the entry from the start, in bytes.
    pub entries: Vec<Poly>,
    /// Distance in bytes from the array's base, or from the start of the row.
    pub offset: Poly,
    /// Whether the program has it, in this statement and no other.
    pub is_original: bool,
    /// The load or store whose type, alignment and metadata the new access takes; `None` for scalars.
    pub instruction: Option<Value>,
    /// The source line.
    pub location: Option<SourceLocation>,
}

impl Access {
    /// Of one element of a buffer, with these subscripts, so many bytes from its start.
    pub fn of_buffer(array: usize, kind: AccessKind, (subscripts, offset): (Vec<Poly>, Poly)) -> Access {
        let (count, entries, is_original, instruction, location) = (1, Vec::new(), false, None, None);
        Access { array, kind, subscripts, count, entries, offset, is_original, instruction, location }
    }
}

/// Where an operation's input comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A value from before the region, or a constant.
    Invariant(Value),
    /// An integer computed from induction variables and parameters, truncated to the type of the value it replaces.
    Affine(Poly, Type),
    /// The result of an earlier operation of the same statement that stands for this original value.
    Result(Value),
}

/// One step of a statement's body.
#[derive(Clone, Debug)]
pub enum Op {
    /// Reads `accesses[access]`; the result stands for `result`.
    Read {
        /// Index into the statement's accesses.
        access: usize,
        /// The original value it stands for.
        result: Value,
    },
    /// A side-effect free instruction, to be cloned with new operands.
    Compute {
        /// The original instruction, which the clone stands for.
        instruction: Value,
        /// One per operand of the instruction.
        operands: Vec<Operand>,
    },
    /// What two values are together, as parts of a reduction. From here on, the result stands for `result`.
    Combine {
        /// The operation.
        combination: Combination,
        /// The original value it stands for.
        result: Value,
        /// The values.
        operands: [Operand; 2],
    },
    /// Writes `value` to `accesses[access]`.
    Write {
        /// Index into the statement's accesses.
        access: usize,
        /// What is written.
        value: Operand,
    },
    /// Makes `value` available after the region in place of `escaping`.
    LiveOut {
        /// The original value that is used after the region.
        escaping: Value,
        /// What it is.
        value: Operand,
    },
    /// The operations that follow up to the next jump are those of a block of a subregion, or of all that comes behind it.
    Label {
        /// The original block.
        block: Block,
        /// Whether it is where the ways of the subregion have met again.
        exit: bool,
    },
    /// At a label: one of several values, by where control came from.
    Phi {
        /// The original PHI, which the result stands for.
        phi: Value,
        /// The values by the original block of the jump.
        incoming: Vec<(Block, Operand)>,
    },
    /// Goes on at a label that follows: the second target, if there is one, where the condition does not hold. With cases the
    /// condition is an integer, and the first target is that for all other numbers.
    Jump {
        /// The original block that ends here.
        from: Block,
        /// What decides, if there are several targets.
        condition: Option<Operand>,
        /// The numbers that lead to the targets after the first; empty for a branch.
        cases: Vec<i128>,
        /// The original blocks that it leads to: one or two, or one more than there are cases.
        targets: Vec<Block>,
    },
}

/// An operation whose order does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// Additions and subtractions.
    Sum,
    /// Multiplications.
    Product,
    /// Bitwise "and".
    And,
    /// Bitwise "or".
    Or,
    /// Bitwise "exclusive or".
    Xor,
    /// The smaller signed integer.
    SignedMinimum,
    /// The larger signed integer.
    SignedMaximum,
    /// The smaller unsigned integer.
    UnsignedMinimum,
    /// The larger unsigned integer.
    UnsignedMaximum,
    /// The smaller floating-point number, where none is a NaN and the sign of zero does not matter.
    FloatMinimum,
    /// The larger floating-point number, where none is a NaN and the sign of zero does not matter.
    FloatMaximum,
}

/// What a statement does if all it does is `x = x op e`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The operation.
    pub combination: Combination,
    /// The type of the element.
    pub ty: Type,
    /// The access that reads the element.
    pub read: usize,
    /// The access that writes it.
    pub write: usize,
    /// The operations from the old value to the new one.
    pub chain: Vec<Value>,
}

/// A statement: code that executes atomically for each point of its domain, in a straight line but for the jumps of subregions.
#[derive(Clone, Debug)]
pub struct Statement {
    /// `S0`, `S1`, ...
    pub name: String,
    /// The loops around it, outermost first; its iteration vector is their induction variables.
    pub loops: Vec<usize>,
    /// Its iterations. The set's tuple is the statement's name.
    pub domain: Set,
    /// The iterations as a condition on induction variables, without what is known about parameters.
    pub condition: Dnf,
    /// When an instance executes in the original program.
    pub time: Time,
    /// What it does, in order.
    pub body: Vec<Op>,
    /// What it touches.
    pub accesses: Vec<Access>,
    /// What it is if it is a reduction; `simplify` finds out.
    pub reduction: Option<Reduction>,
    /// The source line.
    pub location: Option<SourceLocation>,
}

/// Copies of elements of an array to a buffer, or back, one per instance: a statement of new code alone.
#[derive(Clone, Debug)]
pub struct Pack {
    /// The name of the statement in the new order.
    pub name: String,
    /// The numbers by which the two accesses know its arguments, as if they were counters of loops.
    pub dims: Vec<usize>,
    /// Where an element is.
    pub from: Access,
    /// Where it goes.
    pub to: Access,
    /// What it is.
    pub ty: Type,
    /// What is known about the alignment of its address in the array.
    pub align: u64,
}

/// The original order of a region: loops and statements as they stand in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// A loop around a sequence.
    Loop {
        /// The region's index of the loop.
        index: usize,
        /// The body in order.
        body: Vec<Order>,
    },
    /// A statement, by index.
    Statement(usize),
}

/// The statements below some nodes, in order.
pub fn statements_of(nodes: &[Order]) -> Vec<usize> {
    let mut result = Vec::new();
    for node in nodes {
        match node {
            Order::Statement(s) => result.push(*s),
            Order::Loop { body, .. } => result.extend(statements_of(body)),
        }
    }
    result
}

/// A condition that the guard checks: "for all points of `domain`, `low <= poly <= high`".
#[derive(Clone, Debug)]
pub struct Check {
    /// The assumption as detection recorded it.
    pub assumption: Assumption,
    /// The points it ranges over: the iterations of its place.
    pub domain: Set,
    /// The loops whose induction variables are the dimensions of `domain`.
    pub loops: Vec<usize>,
}

/// "For all points of `domain`, `0 <= subscript` and `subscript + count <= size`."
#[derive(Clone, Debug)]
pub struct ShapeCheck {
    /// Indices of the arrays that are accessed so.
    pub arrays: Vec<usize>,
    /// The subscript of an inner dimension.
    pub subscript: Poly,
    /// Elements touched there.
    pub count: i128,
    /// The size of that dimension.
    pub size: Poly,
    /// The points it ranges over.
    pub domain: Set,
    /// The loops whose induction variables are the dimensions of `domain`.
    pub loops: Vec<usize>,
}

/// A static control part.
#[derive(Clone, Debug)]
pub struct Scop {
    /// Function and, if known, line.
    pub name: String,
    /// The same with the number of the loop in the function instead of the line.
    pub numbered: String,
    /// The loops and blocks it was made from.
    pub region: Region,
    /// The parameters.
    pub params: Vec<Param>,
    /// The width of addresses in bits.
    pub address_bits: u32,
    /// The loads that are executed before the region; each after the one that its address depends on.
    pub invariants: Vec<InvariantLoad>,
    /// The bytes that they read, which must be shown not to be written.
    pub protected: Vec<Protected>,
    /// What is known about the parameters without any check: a set with parameters only.
    pub context: Set,
    /// The arrays.
    pub arrays: Vec<Array>,
    /// The statements.
    pub statements: Vec<Statement>,
    /// What new code copies to buffers.
    pub packs: Vec<Pack>,
    /// Numbers that new code chooses once: parameters behind those of `params`.
    pub chosen: Vec<Chosen>,
    /// The original order.
    pub order: Vec<Order>,
    /// Assumptions on ranges of values.
    pub checks: Vec<Check>,
    /// Assumptions on shapes of arrays.
    pub shapes: Vec<ShapeCheck>,
    /// What is read from tables of rows before the region.
    pub visits: Vec<Visit>,
    /// These tables.
    pub tables: Vec<Table>,
    /// Pairs of arrays, by index, that must be shown not to overlap at run time.
    pub may_overlap: Vec<(usize, usize)>,
    /// The source line of the nest.
    pub location: Option<SourceLocation>,
}

impl Op {
    /// Where its inputs come from, in order. What a read or a write accesses is not among them.
    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        let operands: Vec<&Operand> = match self {
            Op::Compute { operands, .. } => operands.iter().collect(),
            Op::Combine { operands, .. } => operands.iter().collect(),
            Op::Write { value, .. } | Op::LiveOut { value, .. } => vec![value],
            Op::Phi { incoming, .. } => incoming.iter().map(|(_, value)| value).collect(),
            Op::Jump { condition, .. } => condition.iter().collect(),
            Op::Read { .. } | Op::Label { .. } => Vec::new(),
        };
        operands.into_iter()
    }

    /// The same, to be changed.
    pub fn operands_mut(&mut self) -> impl Iterator<Item = &mut Operand> {
        let operands: Vec<&mut Operand> = match self {
            Op::Compute { operands, .. } => operands.iter_mut().collect(),
            Op::Combine { operands, .. } => operands.iter_mut().collect(),
            Op::Write { value, .. } | Op::LiveOut { value, .. } => vec![value],
            Op::Phi { incoming, .. } => incoming.iter_mut().map(|(_, value)| value).collect(),
            Op::Jump { condition, .. } => condition.iter_mut().collect(),
            Op::Read { .. } | Op::Label { .. } => Vec::new(),
        };
        operands.into_iter()
    }
}

impl Statement {
    /// The dimension of its iteration vector that is the induction variable of a loop, if that is around it.
    pub fn dim(&self, index: usize) -> Option<usize> {
        self.loops.iter().position(|l| *l == index)
    }

    /// Whether all operations execute, one after the other.
    pub fn is_straight(&self) -> bool {
        !self.body.iter().any(|op| matches!(op, Op::Jump { .. }))
    }
}

impl Scop {
    /// The statement of a name, as instances in an order know it.
    pub fn statement(&self, name: &str) -> Option<&Statement> {
        self.statements.iter().find(|statement| statement.name == name)
    }

    /// Generates code in the context of the nest.
    pub fn ast_build(&self) -> AstBuild {
        AstBuild::new().with_options(AstOptions::for_new_order()).with_context(self.context.clone())
    }

    /// An index that no loop has, nor any after it: loops of the program come first, then those of the model alone.
    pub fn next_loop(&self) -> usize {
        let used = self.statements.iter().flat_map(|statement| &statement.loops).map(|l| l + 1);
        used.max().unwrap_or(0).max(self.region.loops.len())
    }

    /// Whether an access is a load or store of the program that stands where its statement is: not what a scalar became, nor moved.
    pub fn is_in_place(&self, statement: &Statement, access: &Access) -> bool {
        let opcode = match access.kind {
            AccessKind::Read => Opcode::Load,
            AccessKind::MustWrite | AccessKind::MayWrite => Opcode::Store,
        };
        let Some(instruction) = access.instruction.filter(|instruction| instruction.is(opcode)) else { return false };
        let block = instruction.parent().and_then(|block| self.region.block_index(block));
        block.is_some_and(|block| self.region.blocks[block].loops == statement.loops)
    }

    /// Forgets what is assumed about the shape of arrays that nothing writes: which of their elements are the same decides nothing.
    pub fn forget_unneeded_shapes(&mut self) {
        let written: Vec<bool> = (0..self.arrays.len()).map(|array| self.is_written(array)).collect();
        self.shapes.retain_mut(|check| {
            check.arrays.retain(|array| written[*array]);
            !check.arrays.is_empty()
        });
    }

    /// Forgets what must lie apart from arrays that no statement touches: a statement whose domain is empty goes, and its arrays stay.
    pub fn forget_untouched_arrays(&mut self) {
        let touched: Vec<bool> = (0..self.arrays.len()).map(|array| self.is_used(array)).collect();
        self.may_overlap.retain(|(left, right)| touched[*left] && touched[*right]);
        self.protected.iter_mut().for_each(|bytes| bytes.arrays.retain(|array| touched[*array]));
        self.tables.iter_mut().for_each(|table| table.written.retain(|array| touched[*array]));
    }

    /// A name like this one that no array has.
    pub fn array_name(&self, wanted: &str) -> String {
        unique_name(wanted, self.arrays.iter().map(|array| array.name.as_str()))
    }

    /// An array as users know it; several that have no name of their own are numbered.
    pub fn label(&self, array: usize) -> String {
        let own = &self.arrays[array].known_as;
        match (0..array).filter(|other| self.arrays[*other].known_as == *own).count() {
            0 => own.clone(),
            before => format!("{own} ({})", before + 1),
        }
    }

    /// True if the array is memory of the program.
    pub fn is_memory(&self, array: usize) -> bool {
        matches!(self.arrays[array].storage, Storage::Memory(_) | Storage::Rows(_))
    }

    /// True if some statement touches the array, or some copy.
    pub fn is_used(&self, array: usize) -> bool {
        let of_statements = self.statements.iter().flat_map(|statement| &statement.accesses);
        let of_packs = self.packs.iter().flat_map(|pack| [&pack.from, &pack.to]);
        of_statements.chain(of_packs).any(|access| access.array == array)
    }

    /// The base pointers and the operands that statements take from before the region. Some are computed inside, from values that
    /// do not change there.
    pub fn values_from_before(&self) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::new();
        for (index, array) in self.arrays.iter().enumerate() {
            if let Storage::Memory(base) | Storage::Rows(base) = array.storage
                && self.is_used(index)
            {
                values.push(base);
            }
        }
        for op in self.statements.iter().flat_map(|statement| &statement.body) {
            values.extend(op.operands().filter_map(|operand| match operand {
                Operand::Invariant(value) => Some(*value),
                _ => None,
            }));
        }
        values
    }

    /// True if some statement writes the array.
    pub fn is_written(&self, array: usize) -> bool {
        self.statements
            .iter()
            .flat_map(|statement| &statement.accesses)
            .any(|access| access.array == array && access.kind != AccessKind::Read)
    }
}
