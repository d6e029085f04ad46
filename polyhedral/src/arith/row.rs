//! [`Row`]: a vector of integers, `[constant | coefficients]`, and the few loops over such vectors.
//!
//! An entry takes one machine word, and a row of up to [`INLINE`] entries lies in the object itself: constraint systems
//! of ordinary loop nests are copied, sorted and rewritten all the time, and then need no allocation per row.

use std::cmp::Ordering;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

use smallvec::SmallVec;

use super::{Int, gcd_u64};

/// How many entries a row holds without an allocation.
const INLINE: usize = 12;

/// One constraint, or one numerator of an integer division. A vector of integers: it dereferences to a slice.
///
/// Most rows lie in the object and have only numbers in words. Such a row has nothing to free, and is copied without a look at each entry.
#[derive(Default, PartialEq, Eq, Hash)]
pub struct Row(ManuallyDrop<SmallVec<[Int; INLINE]>>);

impl Row {
    /// The row without entries.
    pub fn new() -> Row {
        Row::default()
    }

    /// The row without entries and with room for `n`.
    pub fn with_capacity(n: usize) -> Row {
        Row(ManuallyDrop::new(SmallVec::with_capacity(n)))
    }

    /// Appends an entry.
    pub fn push(&mut self, value: Int) {
        self.0.push(value);
    }

    /// Cuts the row at the end, or fills it up there.
    pub fn resize(&mut self, n: usize, value: Int) {
        self.0.resize(n, value);
    }

    /// Cuts the row at the end, if it is longer.
    pub fn truncate(&mut self, n: usize) {
        self.0.truncate(n);
    }

    /// Inserts an entry at a position. Panics if the position is behind the end.
    pub fn insert(&mut self, at: usize, value: Int) {
        self.0.insert(at, value);
    }

    /// Removes the entry at a position; the later ones move up. Panics if there is none.
    pub fn remove(&mut self, at: usize) -> Int {
        self.0.remove(at)
    }

    /// Removes the entry at a position; the last one takes its place. Panics if there is none.
    pub fn swap_remove(&mut self, at: usize) -> Int {
        self.0.swap_remove(at)
    }

    /// Inserts `n` zeros before a position. Panics if the position is behind the end.
    pub fn insert_zeros(&mut self, at: usize, n: usize) {
        self.0.insert_many(at, std::iter::repeat_n(Int::zero(), n));
    }

    /// Appends the entries of a slice.
    pub fn extend_from_slice(&mut self, entries: &[Int]) {
        self.0.extend(entries.iter().cloned());
    }
}

impl Clone for Row {
    #[inline]
    fn clone(&self) -> Row {
        Row::from(&self[..])
    }
}

impl Drop for Row {
    #[inline]
    fn drop(&mut self) {
        if self.0.spilled() || !Int::are_words(&self.0) {
            drop(std::mem::take(&mut *self.0));
        }
    }
}

impl Deref for Row {
    type Target = [Int];

    #[inline]
    fn deref(&self) -> &[Int] {
        &self.0
    }
}

impl DerefMut for Row {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Int] {
        &mut self.0
    }
}

impl AsRef<[Int]> for Row {
    fn as_ref(&self) -> &[Int] {
        self
    }
}

impl PartialOrd for Row {
    fn partial_cmp(&self, other: &Row) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Row {
    fn cmp(&self, other: &Row) -> Ordering {
        self[..].cmp(&other[..])
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl From<Vec<Int>> for Row {
    fn from(entries: Vec<Int>) -> Row {
        entries.into_iter().collect()
    }
}

impl<const N: usize> From<[Int; N]> for Row {
    fn from(entries: [Int; N]) -> Row {
        entries.into_iter().collect()
    }
}

impl From<&[Int]> for Row {
    fn from(entries: &[Int]) -> Row {
        if entries.len() <= INLINE && Int::are_words(entries) {
            let copy = std::array::from_fn(|k| entries.get(k).map_or_else(Int::zero, Int::copy_of_word));
            return Row(ManuallyDrop::new(SmallVec::from_buf_and_len(copy, entries.len())));
        }
        entries.iter().cloned().collect()
    }
}

impl From<&Row> for Row {
    fn from(row: &Row) -> Row {
        row.clone()
    }
}

impl FromIterator<Int> for Row {
    fn from_iter<I: IntoIterator<Item = Int>>(entries: I) -> Row {
        let entries = entries.into_iter();
        // No spare room: long rows are kept as they are.
        let mut row = Row::with_capacity(entries.size_hint().0);
        row.0.extend(entries);
        row
    }
}

impl IntoIterator for Row {
    type Item = Int;
    type IntoIter = smallvec::IntoIter<[Int; INLINE]>;

    fn into_iter(mut self) -> Self::IntoIter {
        std::mem::take(&mut *self.0).into_iter()
    }
}

impl Extend<Int> for Row {
    fn extend<I: IntoIterator<Item = Int>>(&mut self, entries: I) {
        self.0.extend(entries);
    }
}

impl<'a> IntoIterator for &'a Row {
    type Item = &'a Int;
    type IntoIter = std::slice::Iter<'a, Int>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Row {
    type Item = &'a mut Int;
    type IntoIter = std::slice::IterMut<'a, Int>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

/// The row of `n` zeros.
pub(crate) fn zeros(n: usize) -> Row {
    Row(ManuallyDrop::new(SmallVec::from_elem(Int::zero(), n)))
}

/// The greatest common divisor of some entries; zero if all are zero.
pub(crate) fn gcd(entries: &[Int]) -> Int {
    let mut g: u64 = 0;
    for (at, x) in entries.iter().enumerate() {
        match x.to_i64() {
            Some(0) => {}
            Some(x) => {
                g = if g == 0 { x.unsigned_abs() } else { gcd_u64(g, x.unsigned_abs()) };
                if g == 1 {
                    return Int::one();
                }
            }
            None => return entries[at..].iter().fold(Int::from(g), |g, x| g.gcd(x)),
        }
    }
    Int::from(g)
}

/// Whether two rows of one length are the negations of each other.
pub(crate) fn are_opposite(a: &[Int], b: &[Int]) -> bool {
    a.iter().zip(b).all(|(x, y)| match (x.to_i64(), y.to_i64()) {
        (Some(x), Some(y)) => x.checked_neg() == Some(y),
        _ => (x + y).is_zero(),
    })
}

/// One step of a hash: entries beyond 64 bits are all hashed alike.
#[inline]
fn mix(hash: u64, word: i64) -> u64 {
    (hash ^ word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
}

/// A hash of some entries, which continues another one.
pub(crate) fn hash(start: u64, entries: &[Int]) -> u64 {
    entries.iter().fold(start, |hash, x| mix(hash, x.to_i64().unwrap_or(0)))
}

/// A hash of the coefficients of a row that is the same for opposite ones.
pub(crate) fn direction_key(coefficients: &[Int]) -> u64 {
    let negate = coefficients.iter().find(|x| !x.is_zero()).is_some_and(Int::is_negative);
    coefficients.iter().fold(0, |hash, x| {
        // The negation of the least number has more bits.
        let word = x.to_i64().filter(|x| *x != i64::MIN).unwrap_or(0);
        mix(hash, if negate { word.wrapping_neg() } else { word })
    })
}

/// Whether all entries are zero.
pub(crate) fn all_zero(entries: &[Int]) -> bool {
    entries.iter().all(Int::is_zero)
}

/// `row += factor * other`; `other` may be shorter.
pub(crate) fn add_scaled(row: &mut [Int], factor: &Int, other: &[Int]) {
    if factor.is_zero() {
        return;
    }
    for (x, y) in row.iter_mut().zip(other) {
        if !y.is_zero() {
            x.add_mul(factor, y);
        }
    }
}

/// Multiplies every entry.
pub(crate) fn scale(row: &mut [Int], factor: &Int) {
    if factor.is_one() {
        return;
    }
    for x in row {
        if !x.is_zero() {
            *x = &*x * factor;
        }
    }
}

/// Divides every entry by a common divisor.
pub(crate) fn div_exact(row: &mut [Int], divisor: &Int) {
    if divisor.is_one() {
        return;
    }
    for x in row {
        if !x.is_zero() {
            *x = x.div_exact(divisor);
        }
    }
}

/// Negates every entry.
pub(crate) fn negate(row: &mut [Int]) {
    for x in row {
        *x = -&*x;
    }
}

/// The negated row.
pub(crate) fn negated(row: &[Int]) -> Row {
    row.iter().map(|x| -x).collect()
}

/// Of the inequality `row >= 0`, the negation `-row - 1 >= 0`.
pub(crate) fn complement(row: &[Int]) -> Row {
    let mut result = negated(row);
    result[0] -= 1;
    result
}

/// The value of a row at a point; the point has no entry for the constant and covers at least the nonzero columns.
pub(crate) fn eval(row: &[Int], point: &[Int]) -> Int {
    let mut value = row[0].clone();
    for (c, x) in row[1..].iter().zip(point) {
        value.add_mul(c, x);
    }
    value
}

/// Moves columns: entry `i` of the row becomes entry `map[i]` of a row of `n` columns.
pub(crate) fn remap(row: &[Int], map: &[usize], n: usize) -> Row {
    let mut result = zeros(n);
    for (x, &to) in row.iter().zip(map) {
        if !x.is_zero() {
            result[to] = x.clone();
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rug::Integer;

    /// Entries around every border between a number in a word and a large one, with many zeros, ones and common
    /// divisors.
    fn entry() -> impl Strategy<Value = Integer> {
        let near = |c: i128| (-3i128..4).prop_map(move |d| Integer::from(c + d));
        prop_oneof![
            6 => (-4i64..5).prop_map(Integer::from),
            2 => (-40i64..40).prop_map(|x| Integer::from(x * 6)),
            1 => any::<i64>().prop_map(Integer::from),
            1 => any::<i32>().prop_map(Integer::from),
            1 => near(1 << 31),
            1 => near(-(1 << 31)),
            1 => near(1 << 61),
            1 => near(1 << 62),
            1 => near(-(1 << 62)),
            1 => near(1 << 63),
            1 => near(-(1 << 63)),
            1 => near(1 << 100),
        ]
    }

    /// Rows shorter and longer than what lies in the object.
    fn entries() -> impl Strategy<Value = Vec<Integer>> {
        proptest::collection::vec(entry(), 1..INLINE + 5)
    }

    fn row(entries: &[Integer]) -> Row {
        entries.iter().map(|x| Int::from_big(x.clone())).collect()
    }

    fn numbers(row: &[Int]) -> Vec<Integer> {
        row.iter().map(Int::to_big).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn combinations_agree_with_gmp(a in entries(), b in entries(), f in entry()) {
            let factor = Int::from_big(f.clone());
            let mut sum = row(&a);
            add_scaled(&mut sum, &factor, &row(&b));
            let expected: Vec<Integer> =
                a.iter().enumerate().map(|(k, x)| x + Integer::from(&f * b.get(k).unwrap_or(&Integer::new()))).collect();
            prop_assert_eq!(numbers(&sum), expected);

            let mut scaled = row(&a);
            scale(&mut scaled, &factor);
            prop_assert_eq!(numbers(&scaled), a.iter().map(|x| Integer::from(x * &f)).collect::<Vec<_>>());
            if f != 0 {
                div_exact(&mut scaled, &factor);
                prop_assert_eq!(&scaled, &row(&a));
            }

            let mut negative = row(&a);
            negate(&mut negative);
            prop_assert_eq!(&negative, &negated(&row(&a)));
            prop_assert_eq!(numbers(&negative), a.iter().map(|x| Integer::from(-x)).collect::<Vec<_>>());
            prop_assert!(are_opposite(&negative, &row(&a)));
            prop_assert_eq!(are_opposite(&row(&a), &row(&a)), a.iter().all(|x| *x == 0));
            prop_assert_eq!(numbers(&complement(&row(&a)))[0].clone(), Integer::from(-&a[0]) - 1);
            prop_assert_eq!(direction_key(&negative), direction_key(&row(&a)));

            let products = a[1..].iter().zip(&b).map(|(x, y)| Integer::from(x * y));
            prop_assert_eq!(eval(&row(&a), &row(&b)).to_big(), a[0].clone() + products.sum::<Integer>());
            let divisor = a.iter().fold(Integer::new(), |g, x| g.gcd(x));
            prop_assert_eq!(gcd(&row(&a)).to_big(), divisor);
            prop_assert_eq!(all_zero(&row(&a)), a.iter().all(|x| *x == 0));
        }

        #[test]
        fn edits_agree_with_vectors(a in entries(), b in entries(), at in 0usize..INLINE + 5, n in 0usize..6) {
            let at = at % a.len();
            let (mut edited, mut expected) = (row(&a), a.clone());
            edited.insert(at, Int::from_big(b[0].clone()));
            expected.insert(at, b[0].clone());
            edited.insert_zeros(at, n);
            expected.splice(at..at, std::iter::repeat_n(Integer::new(), n));
            edited.extend_from_slice(&row(&b));
            expected.extend(b.iter().cloned());
            prop_assert_eq!(edited.remove(at).to_big(), expected.remove(at));
            prop_assert_eq!(edited.swap_remove(at).to_big(), expected.swap_remove(at));
            edited.resize(a.len() + n, Int::one());
            expected.resize(a.len() + n, Integer::from(1));
            prop_assert_eq!(numbers(&edited), expected.clone());
            edited.truncate(at);
            expected.truncate(at);
            edited.push(Int::from_big(b[0].clone()));
            expected.push(b[0].clone());
            prop_assert_eq!(numbers(&edited.clone()), expected.clone());
            prop_assert_eq!(edited.clone().into_iter().map(|x| x.to_big()).collect::<Vec<_>>(), expected);

            prop_assert_eq!(row(&a).cmp(&row(&b)), a.cmp(&b));
            prop_assert_eq!(row(&a) == row(&b), a == b);
            let map: Vec<usize> = (0..a.len()).map(|k| 2 * k + 1).collect();
            let moved = numbers(&remap(&row(&a), &map, 2 * a.len()));
            let places: Vec<Integer> = (0..2 * a.len()).map(|k| if k % 2 == 1 { a[k / 2].clone() } else { Integer::new() }).collect();
            prop_assert_eq!(moved, places);
        }
    }
}
