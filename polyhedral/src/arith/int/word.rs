//! [`Word`]: what an [`Int`](super::Int) is made of, one machine word. Either the number itself, of one bit less than
//! the word has, or the address of a shared GMP integer.
//!
//! Invariant: a number that fits in the word is never behind an address. `enum-ptr` keeps the tag in the lowest bit: 0
//! says that the other bits are the number, so that sums and products of numbers are those of words, and so are their
//! overflows.

use std::sync::Arc;

use enum_ptr::{Compact, EnumPtr, ShiftIsize};
use rug::Integer;

use View::{Big, Small};

/// See [`Word`]; `Number` comes first and so has tag 0.
#[derive(Clone, EnumPtr)]
#[enum_ptr(borrow)]
#[repr(C, usize)]
enum Repr {
    #[enum_ptr(skip)]
    #[expect(dead_code, reason = "the bits are read as they are")]
    Number(ShiftIsize<1>),
    Address(Arc<Integer>),
}

/// A number in one machine word, or the address of a larger one; see the module documentation.
#[derive(Clone)]
pub(super) struct Word(Compact<Repr>);

/// What a [`Word`] holds. `Big` may still fit in 64 bits, but not in the word.
pub(super) enum View<'a> {
    Small(i64),
    Big(&'a Integer),
}

impl Word {
    /// A number that fits in the word, twice: what the word is.
    #[inline]
    fn from_twice(bits: isize) -> Word {
        debug_assert!(bits & 1 == 0);
        Word(Repr::Number(ShiftIsize::new(bits >> 1)).into())
    }

    /// Any number of 64 bits.
    #[inline]
    pub(super) fn new(value: i64) -> Word {
        match isize::try_from(value).ok().and_then(|v| v.checked_mul(2)) {
            Some(bits) => Word::from_twice(bits),
            None => Word::large(Integer::from(value)),
        }
    }

    /// A number that does not fit in the word.
    #[cold]
    fn large(value: Integer) -> Word {
        Word(Repr::Address(Arc::new(value)).into())
    }

    /// Any number.
    pub(super) fn from_big(value: Integer) -> Word {
        match value.to_isize().and_then(|v| v.checked_mul(2)) {
            Some(bits) => Word::from_twice(bits),
            None => Word::large(value),
        }
    }

    /// The bits: twice the number, or an odd address.
    #[inline]
    fn bits(&self) -> isize {
        self.0.as_raw_data() as isize
    }

    /// The number, if it fits in the word.
    #[inline]
    pub(super) fn small(&self) -> Option<i64> {
        let bits = self.bits();
        (bits & 1 == 0).then_some((bits >> 1) as i64)
    }

    /// Whether all of some numbers fit in the word.
    #[inline]
    pub(super) fn are_small<'a>(words: impl Iterator<Item = &'a Word>) -> bool {
        words.fold(0, |bits, word| bits | word.bits()) & 1 == 0
    }

    /// A copy of a number that fits in the word.
    #[inline]
    pub(super) fn copy_of_small(&self) -> Word {
        debug_assert!(self.small().is_some());
        Word::from_twice(self.bits())
    }

    #[inline]
    pub(super) fn view(&self) -> View<'_> {
        match self.small() {
            Some(value) => Small(value),
            None => self.view_large(),
        }
    }

    #[cold]
    fn view_large(&self) -> View<'_> {
        match self.0.borrow() {
            ReprRef::Number(_) => Small((self.bits() >> 1) as i64),
            ReprRef::Address(value) => Big(value),
        }
    }

    /// Whether two words hold the same small number.
    #[inline]
    pub(super) fn is(&self, value: i8) -> bool {
        self.bits() == isize::from(value) * 2
    }

    /// The sum of numbers in words, if it fits in one.
    #[inline]
    pub(super) fn add(&self, other: &Word) -> Option<Word> {
        let (a, b) = (self.bits(), other.bits());
        if (a | b) & 1 != 0 {
            return None;
        }
        a.checked_add(b).map(Word::from_twice)
    }

    /// The difference of numbers in words, if it fits in one.
    #[inline]
    pub(super) fn sub(&self, other: &Word) -> Option<Word> {
        let (a, b) = (self.bits(), other.bits());
        if (a | b) & 1 != 0 {
            return None;
        }
        a.checked_sub(b).map(Word::from_twice)
    }

    /// The product of numbers in words, if it fits in one.
    #[inline]
    pub(super) fn mul(&self, other: &Word) -> Option<Word> {
        let (a, b) = (self.bits(), other.bits());
        if (a | b) & 1 != 0 {
            return None;
        }
        (a >> 1).checked_mul(b).map(Word::from_twice)
    }

    /// `self + a * b` for numbers in words, if it and the product fit in one.
    #[inline]
    pub(super) fn add_mul(&self, a: &Word, b: &Word) -> Option<Word> {
        let (c, a, b) = (self.bits(), a.bits(), b.bits());
        if (a | b | c) & 1 != 0 {
            return None;
        }
        (a >> 1).checked_mul(b).and_then(|p| c.checked_add(p)).map(Word::from_twice)
    }

    /// `self - a * b` for numbers in words, if it and the product fit in one.
    #[inline]
    pub(super) fn sub_mul(&self, a: &Word, b: &Word) -> Option<Word> {
        let (c, a, b) = (self.bits(), a.bits(), b.bits());
        if (a | b | c) & 1 != 0 {
            return None;
        }
        (a >> 1).checked_mul(b).and_then(|p| c.checked_sub(p)).map(Word::from_twice)
    }

    /// The negation of a number in a word, if it fits in one.
    #[inline]
    pub(super) fn neg(&self) -> Option<Word> {
        let bits = self.bits();
        if bits & 1 != 0 {
            return None;
        }
        bits.checked_neg().map(Word::from_twice)
    }
}

impl PartialEq for Word {
    #[inline]
    fn eq(&self, other: &Word) -> bool {
        let (a, b) = (self.bits(), other.bits());
        a == b || (a & b & 1 == 1 && self.is_same_large(other))
    }
}

impl Word {
    #[cold]
    fn is_same_large(&self, other: &Word) -> bool {
        matches!((self.view(), other.view()), (Big(a), Big(b)) if a == b)
    }
}
