//! The meaning leg: vectors of one byte per dimension, kept in pages, and a scan over all of them.
//!
//! A vector is rounded to whole numbers from −127 to 127 times a scale of its own. The question is
//! rounded more finely (±2047), so nearly all of the error is the rows'; nothing is rescored.

use super::bitmap::Bitmap;
use super::dot::dot_rows;
use super::packing::Malformed;
use super::top::{Hit, Top};

/// The greatest dimension whose products fit 32 bits: 2047 × 127 × 8192 < 2³¹.
pub const MAX_DIMENSION: usize = 8192;

/// Rows of a full page: with 256 dimensions, a megabyte.
pub const PAGE_ROWS: usize = 4096;

/// An embedding as it is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vector {
    pub scale: f32,
    pub values: Vec<i8>,
}

impl Vector {
    pub fn quantise(exact: &[f32]) -> Vector {
        let (scale, values) = rounded(exact, 127.0);
        let values = values.map(|value| value as i8).collect();
        Vector { scale, values }
    }

    pub fn restore(&self) -> Vec<f32> {
        let values = self.values.iter();
        values.map(|value| f32::from(*value) * self.scale).collect()
    }
}

/// A question as the scan wants it.
pub struct VectorQuery {
    pub(super) scale: f32,
    pub(super) values: Vec<i16>,
}

impl VectorQuery {
    pub fn new(exact: &[f32]) -> VectorQuery {
        let (scale, values) = rounded(exact, 2047.0);
        let values = values.map(|value| value as i16).collect();
        VectorQuery { scale, values }
    }

    pub fn dimension(&self) -> usize {
        self.values.len()
    }
}

/// The scale, and each value as a whole number from −`largest` to `largest`. What is no number
/// counts as nothing.
fn rounded(exact: &[f32], largest: f32) -> (f32, impl Iterator<Item = f32> + '_) {
    let finite = |value: f32| if value.is_finite() { value } else { 0.0 };
    let reach = exact
        .iter()
        .fold(0.0f32, |reach, value| reach.max(finite(*value).abs()));
    let scale = reach / largest;
    let factor = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    let values = exact.iter().map(move |value| {
        let value = (finite(*value) * factor).round();
        value.clamp(-largest, largest)
    });
    (scale, values)
}

/// Some thousand vectors with the chunks they belong to, as they lie in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorPage {
    pub chunks: Vec<u32>,
    pub scales: Vec<f32>,
    pub values: Vec<i8>,
}

impl VectorPage {
    pub fn push(&mut self, chunk: u32, scale: f32, values: &[i8]) {
        self.chunks.push(chunk);
        self.scales.push(scale);
        self.values.extend_from_slice(values);
    }

    /// Each row: chunk, scale, values.
    pub fn rows(&self) -> impl Iterator<Item = (u32, f32, &[i8])> {
        let dimension = self.values.len() / self.chunks.len().max(1);
        let rows = self.values.chunks_exact(dimension.max(1));
        let heads = self.chunks.iter().zip(&self.scales);
        heads
            .zip(rows)
            .map(|((chunk, scale), values)| (*chunk, *scale, values))
    }

    /// All chunks, then all scales, then all values; little end first.
    pub fn to_bytes(&self) -> Vec<u8> {
        let chunks = self.chunks.iter().flat_map(|chunk| chunk.to_le_bytes());
        let scales = self.scales.iter().flat_map(|scale| scale.to_le_bytes());
        let values = self.values.iter().map(|value| *value as u8);
        chunks.chain(scales).chain(values).collect()
    }

    pub fn from_bytes(bytes: &[u8], dimension: usize) -> Result<VectorPage, Malformed> {
        let row = dimension + 8;
        let rows = bytes.len() / row;
        if rows * row != bytes.len() {
            return Err(Malformed);
        }
        let (chunks, rest) = bytes.split_at(rows * 4);
        let (scales, values) = rest.split_at(rows * 4);
        let scale = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
        Ok(VectorPage {
            chunks: chunks
                .as_chunks()
                .0
                .iter()
                .map(|bytes| u32::from_le_bytes(*bytes))
                .collect(),
            scales: scales.as_chunks().0.iter().map(scale).collect(),
            values: values.iter().map(|byte| *byte as i8).collect(),
        })
    }

    /// How well the row at this place answers.
    pub fn score(&self, row: usize, query: &VectorQuery) -> f32 {
        let dimension = query.dimension();
        let mut product = [0];
        let values = &self.values[row * dimension..(row + 1) * dimension];
        dot_rows(&query.values, values, &mut product);
        product[0] as f32 * self.scales[row] * query.scale
    }

    /// Offers every allowed chunk of the page to `top`.
    pub fn scan(&self, query: &VectorQuery, allowed: &Bitmap, top: &mut Top) {
        const GROUP: usize = 32;
        let dimension = query.dimension();
        let mut space = [0i32; GROUP];
        for (group, chunks) in self.chunks.chunks(GROUP).enumerate() {
            if !chunks.iter().any(|chunk| allowed.contains(*chunk)) {
                continue;
            }
            let first = group * GROUP;
            let products = &mut space[..chunks.len()];
            let rows = first * dimension..(first + chunks.len()) * dimension;
            dot_rows(&query.values, &self.values[rows], products);
            let scales = &self.scales[first..];
            for ((product, scale), chunk) in products.iter().zip(scales).zip(chunks) {
                let score = *product as f32 * scale * query.scale;
                if score >= top.threshold() && allowed.contains(*chunk) {
                    top.offer(Hit {
                        chunk: *chunk,
                        score,
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalog::Catalog;
    use super::super::testing::Random;
    use super::*;

    fn unit(random: &mut Random, dimension: usize) -> Vec<f32> {
        let values: Vec<f32> = (0..dimension).map(|_| random.signed()).collect();
        let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
        values.iter().map(|value| value / length).collect()
    }

    #[test]
    fn a_scan_finds_what_a_naive_dot_product_finds() {
        let mut random = Random::new(7);
        let dimension = 96;
        let rows: Vec<Vec<f32>> = (0..500).map(|_| unit(&mut random, dimension)).collect();
        let mut page = VectorPage::default();
        let mut allowed = Bitmap::default();
        for (chunk, row) in (1000..).zip(&rows) {
            let vector = Vector::quantise(row);
            page.push(chunk, vector.scale, &vector.values);
            if chunk % 3 != 0 {
                allowed.insert(chunk);
            }
        }
        let page = VectorPage::from_bytes(&page.to_bytes(), dimension).unwrap();
        for _ in 0..20 {
            let question = unit(&mut random, dimension);
            let catalog = Catalog::default();
            let mut top = Top::new(10, &catalog);
            page.scan(&VectorQuery::new(&question), &allowed, &mut top);
            let hits = top.into_hits();
            let exact = |chunk: u32| -> f32 {
                let row = &rows[chunk as usize - 1000];
                row.iter().zip(&question).map(|(a, b)| a * b).sum()
            };
            let mut best: Vec<f32> = (1000..1500)
                .filter(|chunk| allowed.contains(*chunk))
                .map(exact)
                .collect();
            best.sort_by(|a, b| b.total_cmp(a));
            assert_eq!(hits.len(), 10);
            for (hit, best) in hits.iter().zip(best) {
                assert!(allowed.contains(hit.chunk));
                assert!((hit.score - exact(hit.chunk)).abs() < 0.01);
                assert!((hit.score - best).abs() < 0.01);
            }
        }
    }

    #[test]
    fn odd_vectors_do_no_harm() {
        for exact in [
            vec![0.0; 4],
            vec![f32::NAN, 1.0, f32::INFINITY, -1.0],
            vec![],
        ] {
            let vector = Vector::quantise(&exact);
            assert_eq!(vector.restore().len(), exact.len());
            assert!(vector.restore().iter().all(|value| value.is_finite()));
        }
        assert_eq!(VectorPage::from_bytes(&[0; 13], 4), Err(Malformed));
    }
}
