//! Stores of a register tile come last in its body.
//!
//! ```text
//! for j:                                        for j:
//!   load C[i][j]; ...; store C[i][j]              load C[i][j]; load C[i + 1][j]; ...
//!   load C[i + 1][j]; ...; store C[i + 1][j]  =>  ...
//!   ...                                           store C[i][j]; store C[i + 1][j]; ...
//! ```
//!
//! Processors compare the last 12 bits of the address of a load with those of stores that are on their way, and wait where they agree. Where rows are a multiple of
//! 4 KiB apart, all loads of such a body agree with all stores. With the stores last, the next loads are a vector further on. (Products of 512 x 512
//! doubles, AVX-512: 29 GFLOP/s as on the left, 50 as on the right; 500 x 500: 47 both.)
//!
//! Invariants: a store moves behind another access only if that is to another array, or to an element that certainly is another one (what is known of
//! subscripts are sums that differ in a constant alone). Arrays do not overlap where new code runs: the guard has seen to that.

use super::Emitter;
use super::contains_loop;
use super::kept::Element;
use super::lanes::collect;
use crate::host::{Edit, Value};
use crate::model::scop::{Access, Op, Statement};
use tessera_polyhedral::ast::{Ast, For};

/// So many statements side by side are a tile.
const LEAST: usize = 8;

/// The smallest elements, in bytes: rows of narrower ones are a multiple of 4 KiB apart less often. (Products of 1024 x 1024 floats: 60 GFLOP/s
/// without, 95 with.)
const LEAST_BYTES: i128 = 4;

/// An access in the body of a loop.
pub(super) struct Touched {
    array: usize,
    /// What is known of the place.
    element: Option<Element>,
    store: Option<Value>,
}

impl Touched {
    /// Whether the two certainly touch different places.
    fn is_apart(&self, other: &Touched) -> bool {
        let (Some(a), Some(b)) = (&self.element, &other.element) else { return self.array != other.array };
        self.array != other.array || a.subscripts.iter().zip(&b.subscripts).any(|(a, b)| a.is_apart(b))
    }
}

impl Emitter<'_, '_, '_> {
    /// Whether the body of a loop is a register tile in a straight line.
    pub(super) fn is_tile(&self, node: &For) -> bool {
        let is_flat = |ast: &Ast| match ast {
            Ast::Block(parts) => parts.iter().all(|part| matches!(part, Ast::User { .. })),
            _ => false,
        };
        let is_of_host = self.kernel.is_none() && self.visitor.is_none();
        // What waits for the iteration before has other things to wait for (adi: 0.96 of the speed).
        if !is_of_host || !node.coincident || contains_loop(&node.body) || !is_flat(&node.body) {
            return false;
        }
        let mut instances = Vec::new();
        collect(&node.body, &mut instances);
        let is_straight = |name: &str| {
            let statement = self.scop.statement(name);
            let is_plain = |op: &Op| matches!(op, Op::Read { .. } | Op::Compute { .. } | Op::Write { .. });
            let is_wide = |access: &Access| self.scop.arrays[access.array].unit >= LEAST_BYTES;
            statement.is_some_and(|one| one.body.iter().all(is_plain) && one.accesses.iter().all(is_wide))
        };
        instances.len() >= LEAST && instances.iter().all(|(name, _)| is_straight(name))
    }

    /// Takes note of an access of the present instance, in the body of a tile.
    pub(super) fn touch(&mut self, statement: &Statement, access: &Access, store: Option<Value>) {
        let element = self.touched.as_ref().and_then(|_| self.element(statement, access, &self.instance));
        self.note(Touched { array: access.array, element, store });
    }

    /// The same of an access to all fields of the record that the program's access touches one field of.
    pub(super) fn touch_record(&mut self, statement: &Statement, access: &Access, store: Option<Value>) {
        let element = self.touched.as_ref().and_then(|_| self.record(statement, access, &self.instance));
        self.note(Touched { array: access.array, element, store });
    }

    fn note(&mut self, access: Touched) {
        if let Some(touched) = &mut self.touched {
            touched.push(access);
        }
    }

    /// A store was taken out again.
    pub(super) fn forget(&mut self, store: Value) {
        self.touched.iter_mut().for_each(|all| all.retain(|touched| touched.store != Some(store)));
    }

    /// Moves the stores of a body to its end, in their order, where nothing behind them touches the same place.
    pub(super) fn stores_last(&mut self, touched: &[Touched]) -> Edit<()> {
        self.scopes.at_end();
        for (position, one) in touched.iter().enumerate() {
            let Some(store) = one.store else { continue };
            if touched[position + 1..].iter().all(|later| one.is_apart(later)) {
                self.scopes.editor.move_here(store)?;
            }
        }
        Ok(())
    }
}
