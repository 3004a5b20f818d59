//! Quantized vectors: six bits per dimension, in pages. `vector_scan` searches them.
//!
//! An embedding is first rounded to −127…127 times a scale of its own ([`Vector`]); this form goes
//! through the cache and over the wire. In a page each value has 64 steps (six bits). The upper
//! four bits and the lower two lie apart, so that a scan can read the upper ones alone. The query
//! is rounded more finely (±2047), so nearly all of the error is the rows', and nothing is
//! rescored. Six bits rank as eight do; fewer begin to cost (`docs/ranking.md`).
//!
//!   page  = chunk ids (u32 each), scales (f32 each), upper bits, lower bits    little-endian
//!   upper = per row ⌈d/2⌉ bytes: byte i has value i in its low and value i + ⌈d/2⌉ in its high half
//!   lower = per row ⌈d/4⌉ bytes: byte i has the values i, i + q, i + 2q, i + 3q, q = ⌈d/4⌉

use super::dot_product::dot_rows;
use super::varint::Malformed;

/// The greatest dimension whose products fit 32 bits, whatever a row of bytes holds: 2047 × 127 × 8192 < 2³¹.
pub const MAX_DIMENSION: usize = 8192;

/// Rows of a full page: with 256 dimensions, three quarters of a megabyte.
pub const PAGE_ROWS: usize = 4096;

/// An embedding as it is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vector {
    pub scale: f32,
    pub values: Vec<i8>,
}

impl Vector {
    /// Rounds a vector. Values that are not finite count as 0.
    pub fn quantise(exact: &[f32]) -> Vector {
        let (scale, values) = round_to_scale(exact, 127.0);
        let values = values.map(|value| value as i8).collect();
        Vector { scale, values }
    }

    /// Returns the vector, as exactly as it was stored.
    pub fn restore(&self) -> Vec<f32> {
        let values = self.values.iter();
        values.map(|value| f32::from(*value) * self.scale).collect()
    }
}

/// A query vector, rounded for the scan.
pub struct VectorQuery {
    pub(super) scale: f32,
    pub(super) values: Vec<i16>,
}

impl VectorQuery {
    pub fn new(exact: &[f32]) -> VectorQuery {
        let (scale, values) = round_to_scale(exact, 2047.0);
        let values: Vec<i16> = values.map(|value| value as i16).collect();
        VectorQuery { scale, values }
    }

    pub fn dimension(&self) -> usize {
        self.values.len()
    }
}

/// Returns the scale, and each value as a whole number from −`largest` to `largest`. Values that
/// are not finite become 0.
fn round_to_scale(exact: &[f32], largest: f32) -> (f32, impl Iterator<Item = f32> + '_) {
    let finite = |value: f32| if value.is_finite() { value } else { 0.0 };
    let reach = exact.iter().fold(0.0f32, |reach, value| reach.max(finite(*value).abs()));
    let scale = reach / largest;
    let factor = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    let values = exact.iter().map(move |value| {
        let value = (finite(*value) * factor).round();
        value.clamp(-largest, largest)
    });
    (scale, values)
}

/// The steps that a value of a page has to both sides of nothing.
// A value has this many steps on each side of zero: 2 × 32 = six bits.
const STEPS: i32 = 32;

/// The step with the least error for normally distributed values, as a fraction of their root mean
/// square. Values beyond 3.3 times that are clipped.
const USUAL_STEP: f32 = 0.104;

/// A row of a page.
#[derive(Clone, Copy)]
pub struct VectorRow<'p> {
    pub chunk: u32,
    /// The size of a step.
    pub scale: f32,
    /// The upper four bits of each value, byte by byte one in the lower half and the one half a row
    /// further in the upper.
    upper: &'p [u8],
    /// The lower two bits of each value, byte by byte those of four that are a quarter of a row apart.
    lower: &'p [u8],
}

/// Some thousand vectors with the chunks they belong to, as they lie in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorPage {
    pub chunks: Vec<u32>,
    pub scales: Vec<f32>,
    pub upper: Vec<u8>,
    lower: Vec<u8>,
}

/// Returns the bytes that a row's upper and lower bits take.
fn row_widths(dimension: usize) -> (usize, usize) {
    (dimension.div_ceil(2), dimension.div_ceil(4))
}

impl VectorPage {
    /// Appends a vector, converted from eight bits to six.
    pub fn push(&mut self, chunk: u32, vector: &Vector) {
        let values = &vector.values;
        let step = best_step(values);
        let level = |at: usize| values.get(at).map_or(0, |value| step_index(*value, step));
        let (upper, lower) = row_widths(values.len());
        self.chunks.push(chunk);
        self.scales.push(step * vector.scale);
        let pairs = (0..upper).map(|at| level(at) >> 2 | level(at + upper) >> 2 << 4);
        self.upper.extend(pairs);
        let quarters = (0..lower).map(|at| {
            let bits = |place: usize| (level(at + place * lower) & 3) << (2 * place);
            bits(0) | bits(1) | bits(2) | bits(3)
        });
        self.lower.extend(quarters);
    }

    /// Appends a row of another page without conversion, so that merging pages loses nothing.
    pub fn push_row(&mut self, row: VectorRow) {
        self.chunks.push(row.chunk);
        self.scales.push(row.scale);
        self.upper.extend_from_slice(row.upper);
        self.lower.extend_from_slice(row.lower);
    }

    /// Iterates over the rows.
    pub fn rows(&self) -> impl Iterator<Item = VectorRow<'_>> {
        (0..self.chunks.len()).map(|at| self.row(at))
    }

    fn row(&self, at: usize) -> VectorRow<'_> {
        let count = self.chunks.len();
        let (upper, lower) = (self.upper.len() / count, self.lower.len() / count);
        VectorRow {
            chunk: self.chunks[at],
            scale: self.scales[at],
            upper: &self.upper[at * upper..(at + 1) * upper],
            lower: &self.lower[at * lower..(at + 1) * lower],
        }
    }

    /// Encodes the page; see the module's header.
    pub fn to_bytes(&self) -> Vec<u8> {
        let chunks = self.chunks.iter().flat_map(|chunk| chunk.to_le_bytes());
        let scales = self.scales.iter().flat_map(|scale| scale.to_le_bytes());
        let mut bytes: Vec<u8> = chunks.chain(scales).collect();
        bytes.extend_from_slice(&self.upper);
        bytes.extend_from_slice(&self.lower);
        bytes
    }

    /// Decodes a page. Fails if the length does not fit the dimension.
    pub fn from_bytes(bytes: &[u8], dimension: usize) -> Result<VectorPage, Malformed> {
        let (upper, lower) = row_widths(dimension);
        let row = 8 + upper + lower;
        let rows = bytes.len() / row;
        if rows * row != bytes.len() {
            return Err(Malformed);
        }
        let (chunks, rest) = bytes.split_at(rows * 4);
        let (scales, rest) = rest.split_at(rows * 4);
        let (upper, lower) = rest.split_at(rows * upper);
        let chunk = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
        let scale = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
        Ok(VectorPage {
            chunks: chunks.as_chunks().0.iter().map(chunk).collect(),
            scales: scales.as_chunks().0.iter().map(scale).collect(),
            upper: upper.to_vec(),
            lower: lower.to_vec(),
        })
    }

    /// Returns the dot product of a row with the query. `space` is a scratch buffer.
    pub fn score(&self, at: usize, query: &VectorQuery, space: &mut Vec<i8>) -> f32 {
        let row = self.row(at);
        row.unpack(query.dimension(), space);
        let mut product = [0];
        dot_rows(&query.values, space, &mut product);
        product[0] as f32 * row.scale * query.scale
    }
}

impl VectorRow<'_> {
    /// Restores each value as a number of steps, from −32 to 31.
    fn unpack(&self, dimension: usize, values: &mut Vec<i8>) {
        values.clear();
        let upper = |half: u8| (half << 2) as i8 - STEPS as i8;
        values.extend(self.upper.iter().map(|byte| upper(byte & 15)));
        values.extend(self.upper.iter().map(|byte| upper(byte >> 4)));
        values.truncate(dimension);
        for (place, values) in values.chunks_mut(self.lower.len().max(1)).enumerate() {
            for (value, byte) in values.iter_mut().zip(self.lower) {
                *value += (byte >> (2 * place) & 3) as i8;
            }
        }
    }
}

/// Returns the step of a value, from 0 to 63.
fn step_index(value: i8, step: f32) -> u8 {
    // The nearest, so that nothing stays nothing.
    // Rounds to the nearest, so that 0 stays exactly 0.
    let from_below = f32::from(value) / step + STEPS as f32 + 0.5;
    (from_below as i32).clamp(0, 2 * STEPS - 1) as u8
}

/// Returns the step size with the smaller squared error: the one that suits normally distributed
/// values, or the one that reaches the largest value.
fn best_step(values: &[i8]) -> f32 {
    let squares: f32 = values.iter().map(|value| f32::from(*value).powi(2)).sum();
    let mean = (squares / values.len().max(1) as f32).sqrt();
    let largest = values.iter().map(|value| value.unsigned_abs()).max();
    let reach = f32::from(largest.unwrap_or_default());
    let error = |step: f32| -> f32 {
        let restored = |value: i8| (f32::from(step_index(value, step)) - STEPS as f32) * step;
        let errors = values.iter().map(|value| restored(*value) - f32::from(*value));
        errors.map(|error| error * error).sum()
    };
    let usual = (mean * USUAL_STEP).max(f32::MIN_POSITIVE);
    let widest = (reach / (STEPS - 1) as f32).max(f32::MIN_POSITIVE);
    if error(widest) < error(usual) { widest } else { usual }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_testing::Random;

    #[test]
    fn a_row_says_what_its_vector_says() {
        let mut random = Random::new(7);
        for dimension in [1, 2, 3, 5, 96, 97, 98, 99, 256] {
            let mut unit = || -> Vec<f32> {
                let values: Vec<f32> = (0..dimension).map(|_| random.next_signed()).collect();
                let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
                values.iter().map(|value| value / length).collect()
            };
            let vectors: Vec<Vec<f32>> = (0..50).map(|_| unit()).collect();
            let mut page = VectorPage::default();
            for (chunk, vector) in (1000..).zip(&vectors) {
                page.push(chunk, &Vector::quantise(vector));
            }
            let read = VectorPage::from_bytes(&page.to_bytes(), dimension).unwrap();
            assert_eq!(read, page);
            let mut joined = VectorPage::default();
            page.rows().for_each(|row| joined.push_row(row));
            assert_eq!(joined, page);
            let question = unit();
            let query = VectorQuery::new(&question);
            for (at, vector) in vectors.iter().enumerate() {
                let exact: f32 = vector.iter().zip(&question).map(|(a, b)| a * b).sum();
                let score = page.score(at, &query, &mut Vec::new());
                assert!((score - exact).abs() < 0.03, "{dimension}: {score} {exact}");
            }
        }
    }

    /// One value that is far from the others is not cut off.
    #[test]
    fn odd_vectors_are_restored() {
        let mut alone = vec![0.0; 256];
        alone[7] = 1.0;
        let mut page = VectorPage::default();
        page.push(1, &Vector::quantise(&alone));
        let score = page.score(0, &VectorQuery::new(&alone), &mut Vec::new());
        assert!((score - 1.0).abs() < 0.05, "{score}");
        for exact in [vec![0.0; 4], vec![f32::NAN, 1.0, f32::INFINITY, -1.0], vec![]] {
            let vector = Vector::quantise(&exact);
            assert_eq!(vector.restore().len(), exact.len());
            assert!(vector.restore().iter().all(|value| value.is_finite()));
            let mut page = VectorPage::default();
            page.push(1, &vector);
            assert!(page.scales.iter().all(|scale| scale.is_finite()));
        }
        assert_eq!(VectorPage::from_bytes(&[0; 12], 4), Err(Malformed));
    }
}
