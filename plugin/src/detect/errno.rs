//! Mathematical functions that set `errno`.
//!
//! Without `-fno-math-errno` the compiler must assume that `sqrt` writes `errno`. Such calls can be moved all the same if nobody
//! can tell:
//! - every call is executed exactly as often as before: its value reaches a store of its own block, so that it belongs to a
//!   statement that is executed when the block is;
//! - all calls of the nest report the same error, so that their order does not matter (C17 7.12: a domain error is `EDOM`, a
//!   range error is `ERANGE`);
//! - nothing in the nest can read or write `errno` as memory: no access to an `int`, or to bytes, which may alias it.

use crate::detect::pure::is_pure;
use crate::host::{Opcode, Type, TypeKind, Value};
use crate::reasons::{Reason, Rejection};

/// How many instructions between a call and the store of its value are followed.
const MAX_STEPS: usize = 32;

/// The error that a function reports, if it can be only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Error {
    Domain,
    Range,
}

/// The only error that a function of the C library reports, by the name of its `double` form.
fn error_of(name: &str) -> Option<Error> {
    match name {
        "sqrt" | "sin" | "cos" | "tan" | "acos" | "asin" | "fmod" => Some(Error::Domain),
        "exp" | "exp2" | "expm1" | "sinh" | "cosh" => Some(Error::Range),
        _ => None,
    }
}

/// The calls and accesses of a nest.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Value>,
    /// Some access could be one to `errno`.
    may_alias: bool,
}

impl Calls {
    /// Notes a load or store of a value of that type.
    pub(super) fn see_access(&mut self, ty: Type) {
        let is_other = match ty.kind() {
            TypeKind::Float | TypeKind::Double | TypeKind::OtherFloat | TypeKind::Pointer(_) => true,
            TypeKind::Int(bits) => bits >= 64,
            _ => false,
        };
        self.may_alias |= !is_other;
    }

    /// Notes an access to bytes of any type.
    pub(super) fn see_bytes(&mut self) {
        self.may_alias = true;
    }

    /// Notes a call that writes nothing but `errno`.
    pub(super) fn see_call(&mut self, call: Value) {
        self.calls.push(call);
    }

    /// Whether all of them can be moved.
    pub(super) fn check(&self) -> Result<(), Rejection> {
        let mut known = None;
        for &call in &self.calls {
            let callee = call.called_name().unwrap_or_else(|| "a function pointer".to_owned());
            let error = error_of(&callee).or_else(|| error_of(callee.strip_suffix(['f', 'l'])?));
            let same = error.is_some() && known.is_none_or(|known| Some(known) == error);
            if !same || self.may_alias || !is_stored_in_its_block(call) {
                return Err(Rejection::at(Reason::Call { callee }, call.debug_location()));
            }
            known = error;
        }
        Ok(())
    }
}

/// Whether a store of the call's block stores something computed from its value in that block.
fn is_stored_in_its_block(call: Value) -> bool {
    let block = call.parent();
    let mut seen = vec![call];
    let mut at = 0;
    while at < seen.len() && at < MAX_STEPS {
        for user in seen[at].uses().into_iter().map(|u| u.user) {
            if user.parent() != block || seen.contains(&user) {
                continue;
            }
            if user.is(Opcode::Store) && user.operands().first() == Some(&seen[at]) {
                return true;
            }
            if is_pure(user) {
                seen.push(user);
            }
        }
        at += 1;
    }
    false
}
