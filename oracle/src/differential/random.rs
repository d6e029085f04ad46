//! A small deterministic generator (splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
//! OOPSLA 2014).

/// The state.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Seeded; nearby seeds give unrelated sequences.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..n`; 0 for `n = 0`.
    pub fn below(&mut self, n: usize) -> usize {
        let high = (u128::from(self.bits()) * n as u128) >> 64;
        high as usize
    }

    /// A number in `low..=high`.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1).unsigned_abs() as usize) as i64
    }

    /// True in `percent` of the cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list that is not empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}
