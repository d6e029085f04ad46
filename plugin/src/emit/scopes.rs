//! Integer and address arithmetic placed as far out as its operands allow.
//!
//! Generated code computes the same row addresses and bounds again and again. LICM runs before the place in the pipeline
//! where the vectoriser takes our loops over, so invariant arithmetic must be born outside of loops. Each value knows the
//! *scope* (loop body or branch) whose iterators it depends on; an operation is placed in the innermost scope of its
//! operands, before the branch that enters the next inner scope, and is remembered there.
//!
//! Invariants:
//! - A value of scope `i` dominates everything emitted while scope `i` is open. Only arithmetic that can neither trap nor touch memory is
//!   placed this way, so it may run although the inner scope is not entered; loads only in a scope that is known to execute them.
//! - Of every number the interval is known that holds it: of parameters the guard has checked it, of a loop's counter its bounds say it,
//!   and of results it follows. An operation says that it does not wrap (`nsw`) where its interval fits its width, and nowhere else; a bound
//!   or a condition that might not fit refuses the nest. So nothing here is undefined, also where it is computed further out than needed.
//! - Loops count, and distances are computed, in words: as wide as addresses, the width of what they are added to. Numbers that a statement computes with are
//!   built in the width that it has for them: a residue modulo 2^w is the sum, difference or product of the residues of the operands.

use super::interval::{self, Interval};
use crate::host::{Block, Edit, EditError, Editor, IntOp, IntPredicate, Value};
use std::collections::HashMap;
use tessera_polyhedral::arith::Int;

/// A value and the innermost scope it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placed {
    /// The value: an integer or a pointer.
    pub value: Value,
    /// The scope.
    pub scope: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Int(IntOp, Value, Value, bool),
    Compare(IntPredicate, Value, Value),
    Select(Value, Value, Value),
    Offset(Value, Value),
    Load(Value),
    Resize(Value, u32),
}

/// An addition, subtraction or multiplication of words.
#[derive(Clone, Copy)]
struct Wide {
    op: IntOp,
    left: Placed,
    right: Placed,
}

/// A sum of multiples of words and a constant, modulo 2^w.
#[derive(Debug, Default)]
pub struct Linear {
    /// Every word once, with its factor, which may be zero.
    pub terms: Vec<(Placed, i128)>,
    /// What is added.
    pub constant: i128,
}

#[derive(Default)]
struct Scope {
    /// The branch that enters the next inner scope.
    gate: Option<Value>,
    // Only looked up, never iterated: the order of entries cannot influence the output.
    known: HashMap<Key, Value>,
}

/// Builds arithmetic at the right depth; owns the current block.
pub struct Scopes<'e, 'a> {
    /// The editor underneath.
    pub editor: &'e Editor<'a>,
    /// The width of loop counters and of distances between addresses.
    pub word: u32,
    block: Block,
    scopes: Vec<Scope>,
    /// How sums, differences and products were computed, by their values. Only looked up.
    wide: HashMap<Value, Wide>,
    /// The intervals of what is no constant. Only looked up.
    ranges: HashMap<Value, Interval>,
}

impl<'e, 'a> Scopes<'e, 'a> {
    /// Starts in `block`, which becomes scope 0.
    pub fn new(editor: &'e Editor<'a>, block: Block) -> Self {
        Self {
            editor,
            word: editor.word_bits(),
            block,
            scopes: vec![Scope::default()],
            wide: HashMap::new(),
            ranges: HashMap::new(),
        }
    }

    /// The block that code is appended to.
    pub fn block(&self) -> Block {
        self.block
    }

    /// The innermost open scope.
    pub fn depth(&self) -> usize {
        self.scopes.len() - 1
    }

    /// Positions the editor at the end of the current block.
    pub fn at_end(&self) {
        self.editor.at_end(self.block);
    }

    /// Goes on in another block of the same scope.
    pub fn continue_in(&mut self, block: Block) {
        self.block = block;
    }

    /// Opens a scope that `gate` (the terminator of the current block) enters at `block`.
    pub fn open(&mut self, gate: Value, block: Block) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.gate = Some(gate);
        }
        self.scopes.push(Scope::default());
        self.block = block;
    }

    /// Closes the innermost scope and goes on in `block`.
    pub fn close(&mut self, block: Block) {
        self.scopes.pop();
        if let Some(scope) = self.scopes.last_mut() {
            scope.gate = None;
        }
        self.block = block;
    }

    fn place(&self, scope: usize) -> Edit<()> {
        match self.scopes.get(scope).and_then(|s| s.gate) {
            Some(gate) => self.editor.before(gate),
            None => {
                self.editor.at_end(self.block);
                Ok(())
            }
        }
    }

    fn remembered(&mut self, scope: usize, key: Key, build: impl FnOnce(&Editor<'a>) -> Edit<Value>) -> Edit<Placed> {
        if let Some(value) = self.scopes[scope].known.get(&key) {
            return Ok(Placed { value: *value, scope });
        }
        self.place(scope)?;
        let value = build(self.editor)?;
        self.scopes[scope].known.insert(key, value);
        Ok(Placed { value, scope })
    }

    /// A constant.
    pub fn constant(&self, value: &Int) -> Edit<Placed> {
        let value = value.to_i64().ok_or_else(EditError::too_large)?;
        Ok(Placed { value: self.editor.const_word(i128::from(value))?, scope: 0 })
    }

    /// What is known of a number; `None` for nothing.
    pub fn range(&self, of: Placed) -> Option<Interval> {
        of.value.constant_int().map(|value| (value, value)).or_else(|| self.ranges.get(&of.value).copied())
    }

    /// Says where a parameter or a counter lies.
    pub fn set_range(&mut self, of: Value, range: Option<Interval>) {
        self.ranges.extend(range.map(|range| (of, range)));
    }

    /// An operation on two numbers of the AST (bounds, tile counters, iterators), which are integers: one that might not fit is refused.
    pub fn int(&mut self, op: IntOp, a: Placed, b: Placed) -> Edit<Placed> {
        if self.result(op, a, b).is_some_and(|range| !fits(range, a)) {
            return Err(EditError::too_large());
        }
        self.modular(op, a, b)
    }

    /// An operation on two numbers modulo 2^w; marked as not wrapping where it is known not to.
    pub fn modular(&mut self, op: IntOp, a: Placed, b: Placed) -> Edit<Placed> {
        if let Some(simple) = self.neutral(op, a, b) {
            return Ok(simple);
        }
        let is_ring = matches!(op, IntOp::Add | IntOp::Sub | IntOp::Mul);
        let range = self.result(op, a, b).filter(|range| fits(*range, a));
        let no_wrap = is_ring && range.is_some();
        let result = self.remembered(a.scope.max(b.scope), Key::Int(op, a.value, b.value, no_wrap), |editor| {
            let value = editor.int_op(op, a.value, b.value, "n")?;
            if no_wrap && value.is_instruction() {
                editor.set_wrap_flags(value, false, true);
            }
            Ok(value)
        })?;
        self.set_range(result.value, range);
        if is_ring {
            self.wide.insert(result.value, Wide { op, left: a, right: b });
        }
        Ok(result)
    }

    /// The interval of a result over the integers, which need not fit.
    fn result(&self, op: IntOp, a: Placed, b: Placed) -> Option<Interval> {
        interval::of_result(op, self.range(a)?, self.range(b)?)
    }

    /// The residue modulo 2^`bits` of a number, computed in `bits` bits as far as the way it was computed allows.
    pub fn residue(&mut self, of: Placed, bits: u32) -> Edit<Placed> {
        match of.value.ty().int_bits() {
            Some(width) if width < bits => {
                let key = Key::Resize(of.value, bits);
                return self.remembered(of.scope, key, |editor| editor.sext(of.value, bits));
            }
            Some(width) if width > bits => {}
            _ => return Ok(of),
        }
        if let Some(Wide { op, left, right }) = self.wide.get(&of.value).copied().filter(|_| !of.value.is_constant()) {
            let (left, right) = (self.residue(left, bits)?, self.residue(right, bits)?);
            return self.modular(op, left, right);
        }
        self.remembered(of.scope, Key::Resize(of.value, bits), |editor| editor.sext_or_trunc(of.value, bits))
    }

    /// Adds `factor` times a word to a sum of words that are no sums themselves, modulo 2^w: where a sum is known to have been computed
    /// from others, those are counted. Nothing where a factor leaves 128 bits.
    pub fn expand(&self, of: Placed, factor: i128, sum: &mut Linear) -> Option<()> {
        if let Some(value) = of.value.constant_int() {
            sum.constant = sum.constant.checked_add(value.checked_mul(factor)?)?;
            return Some(());
        }
        match self.wide.get(&of.value) {
            Some(Wide { op: IntOp::Add, left, right }) => {
                self.expand(*left, factor, sum)?;
                self.expand(*right, factor, sum)
            }
            Some(Wide { op: IntOp::Sub, left, right }) => {
                self.expand(*left, factor, sum)?;
                self.expand(*right, factor.checked_neg()?, sum)
            }
            Some(Wide { op: IntOp::Mul, left, right }) if left.value.constant_int().is_some() => {
                self.expand(*right, factor.checked_mul(left.value.constant_int()?)?, sum)
            }
            Some(Wide { op: IntOp::Mul, left, right }) if right.value.constant_int().is_some() => {
                self.expand(*left, factor.checked_mul(right.value.constant_int()?)?, sum)
            }
            _ => match sum.terms.iter_mut().find(|(value, _)| value.value == of.value) {
                Some((_, known)) => {
                    *known = known.checked_add(factor)?;
                    Some(())
                }
                None => {
                    sum.terms.push((of, factor));
                    Some(())
                }
            },
        }
    }

    fn neutral(&self, op: IntOp, a: Placed, b: Placed) -> Option<Placed> {
        let (left, right) = (a.value.constant_int(), b.value.constant_int());
        match op {
            IntOp::Add if left == Some(0) => Some(b),
            IntOp::Add | IntOp::Sub if right == Some(0) => Some(a),
            IntOp::Mul if left == Some(1) => Some(b),
            IntOp::Mul | IntOp::SDiv if right == Some(1) => Some(a),
            _ => None,
        }
    }

    /// A comparison of two words.
    pub fn compare(&mut self, predicate: IntPredicate, a: Placed, b: Placed) -> Edit<Placed> {
        self.remembered(a.scope.max(b.scope), Key::Compare(predicate, a.value, b.value), |editor| {
            editor.icmp(predicate, a.value, b.value)
        })
    }

    /// A choice between two words.
    pub fn select(&mut self, condition: Placed, a: Placed, b: Placed) -> Edit<Placed> {
        let scope = condition.scope.max(a.scope).max(b.scope);
        let result = self.remembered(scope, Key::Select(condition.value, a.value, b.value), |editor| {
            editor.select(condition.value, a.value, b.value)
        })?;
        let range = self.range(a).zip(self.range(b));
        self.set_range(result.value, range.map(|((a, b), (c, d))| (a.min(c), b.max(d))));
        Ok(result)
    }

    /// The larger or smaller of two values.
    pub fn extremum(&mut self, maximum: bool, a: Placed, b: Placed) -> Edit<Placed> {
        let predicate = if maximum { IntPredicate::Sgt } else { IntPredicate::Slt };
        let condition = self.compare(predicate, a, b)?;
        let result = self.select(condition, a, b)?;
        let range = self.range(a).zip(self.range(b));
        self.set_range(
            result.value,
            range.map(|((a, b), (c, d))| if maximum { (a.max(c), b.max(d)) } else { (a.min(c), b.min(d)) }),
        );
        Ok(result)
    }

    /// `floor(a / divisor)` for a positive constant divisor.
    pub fn floor_div(&mut self, a: Placed, divisor: &Int) -> Edit<Placed> {
        let value = divisor.to_i64().filter(|d| *d > 0).ok_or_else(|| EditError::new("a divisor out of range"))?;
        if value == 1 {
            return Ok(a);
        }
        if value.count_ones() == 1 {
            let shift = self.constant(&Int::from(i64::from(value.trailing_zeros())))?;
            return self.int(IntOp::AShr, a, shift);
        }
        // Division truncates towards zero: move negative dividends down first.
        let zero = self.constant(&Int::zero())?;
        let back = self.constant(&Int::from(value - 1))?;
        let divisor = self.constant(divisor)?;
        let lowered = self.int(IntOp::Sub, a, back)?;
        let negative = self.compare(IntPredicate::Slt, a, zero)?;
        let dividend = self.select(negative, lowered, a)?;
        self.int(IntOp::SDiv, dividend, divisor)
    }

    /// The pointer that is read from memory which the new code does not write, in a scope not outside of `certain`: the outermost
    /// scope in which the program would read it. Answers whether it is a new one.
    pub fn load_pointer(&mut self, from: Placed, align: u64, certain: usize) -> Edit<(Placed, bool)> {
        let scope = from.scope.max(certain);
        let known = (0..=scope).rev().find_map(|scope| {
            let value = self.scopes.get(scope)?.known.get(&Key::Load(from.value))?;
            Some(Placed { value: *value, scope })
        });
        if let Some(known) = known {
            return Ok((known, false));
        }
        let read = |editor: &Editor<'a>| editor.load(from.value.ty(), from.value, align);
        Ok((self.remembered(scope, Key::Load(from.value), read)?, true))
    }

    /// A pointer moved by a number of bytes.
    pub fn offset(&mut self, pointer: Placed, bytes: Placed) -> Edit<Placed> {
        if bytes.value.constant_int() == Some(0) {
            return Ok(pointer);
        }
        self.remembered(pointer.scope.max(bytes.scope), Key::Offset(pointer.value, bytes.value), |editor| {
            editor.byte_offset(pointer.value, bytes.value, false)
        })
    }
}

/// Whether an interval fits the width of a number.
fn fits(range: Interval, like: Placed) -> bool {
    let bits = like.value.ty().int_bits().filter(|bits| (1..=64).contains(bits));
    bits.is_some_and(|bits| interval::fits(range, bits))
}
