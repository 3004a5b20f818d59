//! FNV-1a, the hash of stored keys. It is short, fast for names, and the same on every machine and
//! in every version. It does not resist deliberate collisions.

/// Returns the 64-bit FNV-1a hash of `bytes`. Indexes store its values, so it must never change.
pub fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As its authors publish them.
    #[test]
    fn the_values_are_those_of_the_standard() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
