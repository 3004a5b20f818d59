//! Helpers that the tests of several crates share. Only a dev-dependency; never part of the program.

/// Random numbers from a fixed seed (SplitMix64): the same numbers on every machine, and no crate.
///
/// ```
/// let mut random = kenning_testing::Random::new(7);
/// assert!(random.next_below(10_usize) < 10);
/// ```
pub struct Random {
    state: u64,
}

impl Random {
    /// Starts the sequence of this seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// Returns the next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`, or zero if `limit` is zero.
    pub fn next_below<N: TryInto<u64> + TryFrom<u64>>(&mut self, limit: N) -> N {
        let limit = limit.try_into().unwrap_or(0).max(1);
        match N::try_from(self.next_u64() % limit) {
            Ok(number) => number,
            Err(_) => unreachable!("a number below the limit fits the limit's type"),
        }
    }

    /// Returns a number from -1 (inclusive) to 1 (exclusive).
    pub fn next_signed(&mut self) -> f32 {
        (self.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}
