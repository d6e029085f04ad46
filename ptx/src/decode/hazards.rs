//! Right PTX that `ptxas` translates wrongly: what [`crate::Module::warnings`] reports.
//!
//! Two patterns are known, both found by random kernels that a device computed otherwise than this emulator and the
//! host, and confirmed in the machine code that `ptxas` 12.9 and 13.0 write for `sm_80` and `sm_90`:
//!
//! * A store of the low bits of a register that a floating-point instruction wrote. `ptxas` inserts a conversion of the
//!   number to an integer of the stored width (`F2I`), at all levels of optimisation.
//! * `mul.hi.u32`, `cvt.u64.u32` of its result (or `mov.b64` of it and zero), and `sub.s64` of something from that
//!   (or `neg.s64` and `add.s64`). `ptxas` negates the low word, adds it in `IMAD.HI`, and adds the carry to the
//!   inverted high word: where the low word is zero, there is no carry, and the result is too small by 2^32. Unsigned
//!   division by some constants (87, for example) is `mul.hi.u32` without a shift.
//!
//! Registers count, not their single values: a register that is written by several instructions is reported if one of
//! them fits.

use std::collections::HashSet;

use crate::code::Slot;
use crate::error::{Error, Place};

#[derive(Default)]
pub(super) struct Hazards {
    /// Registers that a floating-point instruction writes.
    floats: HashSet<Slot>,
    /// Registers of which a store takes only the low bits.
    narrowed: Vec<(Slot, Place)>,
    /// Registers that `mul.hi.u32` writes.
    high_products: HashSet<Slot>,
    /// Destinations and sources of `cvt.u64.u32`.
    widened: Vec<(Slot, Slot)>,
    /// Registers that a subtraction of 64 bits takes something from.
    minuends: Vec<(Slot, Place)>,
    /// Registers that `neg.s64` writes.
    negated: HashSet<Slot>,
    /// Operands of sums of 64 bits.
    sums: Vec<([Slot; 2], Place)>,
}

impl Hazards {
    pub(super) fn float(&mut self, slot: Slot) {
        self.floats.insert(slot);
    }

    pub(super) fn narrow_store(&mut self, slot: Slot, place: Place) {
        self.narrowed.push((slot, place));
    }

    pub(super) fn high_product(&mut self, slot: Slot) {
        self.high_products.insert(slot);
    }

    pub(super) fn widening(&mut self, d: Slot, a: Slot) {
        self.widened.push((d, a));
    }

    pub(super) fn minuend(&mut self, slot: Slot, place: Place) {
        self.minuends.push((slot, place));
    }

    pub(super) fn negation(&mut self, slot: Slot) {
        self.negated.insert(slot);
    }

    pub(super) fn sum(&mut self, a: Slot, b: Slot, place: Place) {
        self.sums.push(([a, b], place));
    }

    /// All warnings of a function, in the order of the text.
    pub(super) fn warnings(&self) -> Vec<Error> {
        let stores = self.narrowed.iter().filter(|(slot, _)| self.floats.contains(slot)).map(|&(_, place)| {
            let message =
                "the low bits of a floating-point result are stored: `ptxas` converts the number to an integer";
            Error::new(place, message)
        });
        let products: HashSet<Slot> =
            self.widened.iter().filter(|(_, a)| self.high_products.contains(a)).map(|&(d, _)| d).collect();
        let sums = self.sums.iter().flat_map(|&([a, b], place)| [([a, b], place), ([b, a], place)]);
        let sums = sums.filter(|([_, other], _)| self.negated.contains(other)).map(|([a, _], place)| (a, place));
        let minuends = self.minuends.iter().copied().chain(sums);
        let differences = minuends.filter(|(slot, _)| products.contains(slot)).map(|(_, place)| {
            let message = "a subtraction from a widened `mul.hi.u32`: `ptxas` loses the carry where the low word of the \
                           subtrahend is zero";
            Error::new(place, message)
        });
        let mut all: Vec<Error> = stores.chain(differences).collect();
        all.sort_by_key(|warning| warning.place);
        all
    }
}
