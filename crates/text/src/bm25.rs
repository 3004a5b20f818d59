//! How much a word says about a chunk: the half that is fixed when the chunk is written, and the
//! half that depends on all chunks and is taken when a question is asked.
//!
//! **What is exact.** The score of a chunk is Σ idf(term) × weight(term, chunk). The number of
//! chunks and of chunks with a term are those of the snapshot, deleted chunks not counted, so a
//! collection that grew by updates scores like one built at once.
//!
//! **What is approximated.** (1) Lengths are measured against a fixed reference, not against the
//! mean of the collection, so that a new file does not change the weights of all others. With the
//! mean `A` and the reference `L` this is *exactly* BM25 with other parameters,
//! k1' = k1 (1 − b + b A/L) and b' = (b A/L) / (1 − b + b A/L), times a factor that is the same for
//! all chunks: the ranking is a BM25 ranking whatever `A` is. As the chunker aims at one size, A/L
//! stays near 1; at A = 1.5 L the parameters are k1' = 1.65, b' = 0.82 instead of 1.2 and 0.75.
//! (2) A weight is kept in one byte, in steps of [`WEIGHT_STEP`]: an error of at most half a step,
//! below 1 % for a term that occurs once in a chunk of the reference length.

/// Saturation: how soon further occurrences stop to matter.
pub const K1: f32 = 1.2;
/// How much a chunk's length matters.
pub const B: f32 = 0.75;

/// One byte reaches to 2.55; a BM25 weight stays below k1 + 1 = 2.2.
pub const WEIGHT_STEP: f32 = 0.01;

/// The weight of a term that occurs `frequency` times (occurrences in a weighty field may count
/// more than once) in a chunk of `length` terms, where `reference_length` is an ordinary length.
pub fn weight(frequency: f32, length: f32, reference_length: f32) -> f32 {
    let norm = K1 * (1.0 - B + B * length / reference_length);
    frequency * (K1 + 1.0) / (frequency + norm)
}

/// How rare a term is that `holding` of `chunks` chunks have. Never negative.
pub fn idf(chunks: u32, holding: u32) -> f32 {
    let (chunks, holding) = (chunks as f32, holding as f32);
    (1.0 + (chunks - holding + 0.5).max(0.5) / (holding + 0.5)).ln()
}

/// A weight as it is stored. A term that is there at all never becomes zero.
pub fn quantise(weight: f32) -> u8 {
    (weight / WEIGHT_STEP).round().clamp(1.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_reference_is_another_k1_and_b() {
        let (mean, reference) = (150.0, 100.0);
        let ratio = mean / reference;
        let k1 = K1 * (1.0 - B + B * ratio);
        let b = B * ratio / (1.0 - B + B * ratio);
        for (frequency, length) in [(1.0, 20.0), (3.0, 150.0), (9.0, 700.0)] {
            let classic = frequency / (frequency + k1 * (1.0 - b + b * length / mean));
            let ours = weight(frequency, length, reference) / (K1 + 1.0);
            assert!((classic - ours).abs() < 1e-6, "{classic} {ours}");
        }
    }

    #[test]
    fn one_byte_is_enough() {
        for step in 1..220 {
            let weight = step as f32 * 0.00999;
            let kept = f32::from(quantise(weight)) * WEIGHT_STEP;
            assert!((kept - weight).abs() <= WEIGHT_STEP / 2.0 + 1e-6);
        }
        assert_eq!(quantise(0.0001), 1);
        assert_eq!(quantise(f32::MAX), 255);
        assert!(idf(10, 10) > 0.0 && idf(10, 1) > idf(10, 9));
    }
}
