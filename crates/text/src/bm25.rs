//! BM25: the weight of a term in a document, and how rare the term is.
//!
//! The store ranks code in two halves. [`weight`] is fixed when a chunk is written; [`idf`] depends
//! on all chunks and is computed for each query. Specs and skills are few, so
//! [`crate::bm25_index`] keeps them in memory.
//!
//! **Exact.** The score of a chunk is Σ idf(term) × weight(term, chunk). The number of
//! chunks and of chunks with a term are those of the snapshot, deleted chunks not counted, so a
//! collection that grew by updates scores like one built at once.
//!
//! **Approximated.** (1) Lengths are measured against a fixed reference, not against the
//! mean of the collection, so that a new file does not change the weights of all others. With the
//! mean `A` and the reference `L` this is *exactly* BM25 with other parameters,
//! k1' = k1 (1 − b + b A/L) and b' = (b A/L) / (1 − b + b A/L), times a factor that is the same for
//! all chunks: the ranking is a BM25 ranking whatever `A` is. As the chunker aims at one size, A/L
//! stays near 1; at A = 1.5 L the parameters are k1' = 1.65, b' = 0.82 instead of 1.2 and 0.75.
//! (2) A weight is stored in one byte, in steps of [`WEIGHT_STEP`]: an error of at most half a step,
//! below 1 % for a term that occurs once in a chunk of the reference length.

/// The parameters of BM25.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Saturation: the smaller, the sooner further occurrences of a term stop to count.
    pub k1: f32,
    /// Length normalization, from 0 (none) to 1 (full).
    pub b: f32,
}

/// The usual parameters. Code and skills are ranked with them.
pub const STANDARD: Parameters = Parameters { k1: 1.2, b: 0.75 };

impl Parameters {
    /// Returns the share of a term's inverse document frequency that a document earns, from 0 to
    /// below 1. `frequency` counts the term, weighted by field.
    ///
    /// ```
    /// use kenning_text::bm25::STANDARD;
    ///
    /// let once = STANDARD.saturate(1.0, 100.0, 100.0);
    /// let often = STANDARD.saturate(9.0, 100.0, 100.0);
    /// assert!(once < often && often < 2.0 * once);
    /// assert!(STANDARD.saturate(1.0, 300.0, 100.0) < once);
    /// ```
    pub fn saturate(self, frequency: f32, length: f32, mean_length: f32) -> f32 {
        frequency / (frequency + self.norm(length, mean_length))
    }

    fn norm(self, length: f32, mean_length: f32) -> f32 {
        self.k1 * (1.0 - self.b + self.b * length / mean_length)
    }
}

/// One byte reaches to 2.55; a BM25 weight stays below k1 + 1 = 2.2.
pub const WEIGHT_STEP: f32 = 0.01;

/// Returns the weight of a term that occurs `frequency` times in a chunk of `length` terms.
/// Occurrences in an important field may count more than once. `reference_length` is an ordinary
/// length.
pub fn weight(frequency: f32, length: f32, reference_length: f32) -> f32 {
    // Not `saturate` times k1 + 1, which rounds differently: stored weights must not change.
    frequency * (STANDARD.k1 + 1.0) / (frequency + STANDARD.norm(length, reference_length))
}

/// Returns the inverse document frequency of a term that `holding` of `documents` documents have.
/// It is never negative.
///
/// ```
/// use kenning_text::bm25::idf;
///
/// assert!(idf(1000, 3) > idf(1000, 700));
/// assert!(idf(10, 10) > 0.0);
/// ```
pub fn idf(documents: u32, holding: u32) -> f32 {
    let (documents, holding) = (documents as f32, holding as f32);
    (1.0 + (documents - holding + 0.5).max(0.5) / (holding + 0.5)).ln()
}

/// Returns the weight as one byte. It is never zero, because a chunk with the term must be found.
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
        let growth = 1.0 - STANDARD.b + STANDARD.b * ratio;
        let other = Parameters { k1: STANDARD.k1 * growth, b: STANDARD.b * ratio / growth };
        for (frequency, length) in [(1.0, 20.0), (3.0, 150.0), (9.0, 700.0)] {
            let classic = other.saturate(frequency, length, mean);
            let ours = weight(frequency, length, reference) / (STANDARD.k1 + 1.0);
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
