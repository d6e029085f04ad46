//! Calls where a size is far too large, and no loop over it runs: `for (i < n) for (j < m)` with `n = 0` ends at once whatever `m` is. New
//! code must not count to `m` either.
//!
//! Whether the loops of a case run that often is found by interval arithmetic over sizes and counters, which only ever overestimates.

use super::super::random::Random;
use super::super::tree::{Affine, Call, Integer, Item, Loop, Post};
use super::Interval;
use super::LEADING;

/// The most iterations of all loops of a call.
const MOST: i64 = 1 << 16;

/// The name of the size that is too large, and the values of all names.
struct Idle<'s> {
    huge: &'s str,
    names: Vec<(String, Interval)>,
    /// Numbers that the kernel computes with stay within.
    numbers: Interval,
}

/// A call for a body whose sizes and other numbers lie in an interval, with `n` or `m` at its end; nothing if every such call would run
/// too long. Calls that have something to do are preferred, and come from another call.
pub(super) fn call(seed: u64, body: &[Item], numbers: Interval, like: &Call) -> Option<Call> {
    let far = numbers.1 / 2;
    let mut found = Vec::new();
    for small in [0, 1, 2, 3, 7] {
        for (n, m, huge) in [(small, far, "m"), (far, small, "n")] {
            let names = [("n", n), ("m", m), ("ld", LEADING)].map(|(name, value)| (name.to_string(), (value, value)));
            let mut idle = Idle { huge, names: names.to_vec(), numbers };
            if let Some(work) = idle.work(body) {
                found.push((work > 0, n, m));
            }
        }
    }
    let mut random = Random::new(seed ^ 0x1d1e);
    if found.iter().any(|(works, ..)| *works) && random.chance(80) {
        found.retain(|(works, ..)| *works);
    }
    if found.is_empty() {
        return None;
    }
    let (_, n, m) = *random.pick(&found);
    Some(Call { n, m, ld: LEADING, ..like.clone() })
}

impl Idle<'_> {
    /// The most iterations of all loops of a body, and statements outside of them; nothing if there are too many, or something but the bounds
    /// of loops depends on the large size.
    fn work(&mut self, items: &[Item]) -> Option<i64> {
        let mut total = 0;
        for item in items {
            total += match item {
                Item::Loop(l) => self.loop_work(l)?,
                Item::If { condition, then, otherwise } => {
                    self.is_free_of_huge(condition)?;
                    1 + self.work(then)?.max(self.work(otherwise)?)
                }
                Item::Sum { start, body, .. } => {
                    self.is_free_of_huge(start)?;
                    1 + self.work(body)?
                }
                other => self.is_free_of_huge(other).map(|()| 1)?,
            };
        }
        (total <= MOST).then_some(total)
    }

    fn loop_work(&mut self, l: &Loop) -> Option<i64> {
        let (from, to) = (self.interval(&l.from)?, self.interval(&l.to)?);
        if let Some(also) = &l.also {
            self.interval(also)?;
        }
        // A narrow counter does not begin where the loop says.
        let (least, greatest) = match l.integer {
            Integer::Byte => (0, i64::from(u8::MAX)),
            Integer::SignedByte => (i64::from(i8::MIN), i64::from(i8::MAX)),
            Integer::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
            Integer::UnsignedShort => (0, i64::from(u16::MAX)),
            Integer::Int | Integer::Long | Integer::Unsigned | Integer::Size => self.numbers,
        };
        if from.0.min(to.0) < least || from.1.max(to.1) > greatest {
            return None;
        }
        let count = to.1.checked_sub(from.0)?;
        if count <= 0 {
            return Some(0);
        }
        // What counts from the huge number on is no subscript.
        if to.1 > MOST {
            is_free_of(&l.body, &l.variable)?;
        }
        self.names.push((l.variable.clone(), (from.0, to.1 - 1)));
        let body = self.work(&l.body);
        self.names.pop();
        body?.max(1).checked_mul(count).filter(|work| *work <= MOST)
    }

    /// Nothing where a number leaves what the kernel can compute with.
    fn interval(&self, affine: &Affine) -> Option<Interval> {
        let mut result = (affine.constant, affine.constant);
        for (factor, term) in &affine.terms {
            let (_, (low, high)) = self.names.iter().find(|(name, _)| name == term)?;
            let ends = (low.checked_mul(*factor)?, high.checked_mul(*factor)?);
            result = (result.0.checked_add(ends.0.min(ends.1))?, result.1.checked_add(ends.0.max(ends.1))?);
            if result.0 < self.numbers.0 || result.1 > self.numbers.1 {
                return None;
            }
        }
        match affine.post {
            None => Some(result),
            Some(Post::Divide(_) | Post::ShiftRight(_)) => Some((result.0.min(0), result.1)),
            Some(Post::Places(_)) => Some((result.0.min(0), result.1.checked_add(1)?)),
            Some(Post::Remainder(by) | Post::And(by)) => Some((result.0.min(0), by)),
        }
    }

    fn is_free_of_huge(&self, part: &impl std::fmt::Debug) -> Option<()> {
        is_free_of(part, &self.huge)
    }
}

/// Whether a part does not mention a name, by its text: names stand in it in quotes.
fn is_free_of(part: &impl std::fmt::Debug, name: &impl std::fmt::Debug) -> Option<()> {
    (!format!("{part:?}").contains(&format!("{name:?}"))).then_some(())
}
