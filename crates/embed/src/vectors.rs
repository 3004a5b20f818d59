//! Rows of normalized vectors in one allocation.

/// `len` rows of `dimension` numbers each. A row has length 1, so a dot product is a cosine; a row
/// of zeros (a text in which the model knows nothing) stays as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    dimension: usize,
    values: Vec<f32>,
}

impl Vectors {
    /// Returns an empty list.
    pub fn new(dimension: usize) -> Vectors {
        assert!(dimension > 0, "a vector has at least one number");
        Vectors { dimension, values: Vec::new() }
    }

    /// Returns an empty list with room for `rows` rows.
    pub fn with_capacity(dimension: usize, rows: usize) -> Vectors {
        let mut vectors = Vectors::new(dimension);
        vectors.values.reserve(dimension * rows);
        vectors
    }

    /// Adds a row of any length but zero, brought to length 1.
    pub fn push(&mut self, row: &[f32]) {
        assert_eq!(row.len(), self.dimension, "rows of one dimension");
        // In f64, because the squares of a long row of small numbers vanish in f32.
        let square: f64 = row.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        let scale = if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
        let scaled = row.iter().map(|x| (f64::from(*x) * scale) as f32);
        self.values.extend(scaled);
    }

    /// Adds the rows of another, which must have the same dimension.
    pub fn append(&mut self, mut other: Vectors) {
        assert_eq!(other.dimension, self.dimension, "rows of one dimension");
        self.values.append(&mut other.values);
    }

    /// Returns the length of each row.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.values.len() / self.dimension
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns one row.
    pub fn row(&self, index: usize) -> &[f32] {
        &self.values[index * self.dimension..][..self.dimension]
    }

    /// Iterates over the rows.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimension)
    }

    /// Row after row.
    #[cfg(test)]
    pub fn into_flat(self) -> Vec<f32> {
        self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_brought_to_length_one() {
        let mut vectors = Vectors::new(2);
        vectors.push(&[3.0, 4.0]);
        vectors.push(&[0.0, 0.0]);
        vectors.push(&[1e-30, 0.0]);
        assert_eq!(vectors.len(), 3);
        assert_eq!(vectors.row(0), [0.6, 0.8]);
        assert_eq!(vectors.row(1), [0.0, 0.0]);
        assert_eq!(vectors.row(2), [1.0, 0.0]);
    }

    #[test]
    fn appended_rows_follow() {
        let mut first = Vectors::new(1);
        first.push(&[2.0]);
        let mut second = Vectors::new(1);
        second.push(&[-7.0]);
        first.append(second);
        assert_eq!(first.into_flat(), [1.0, -1.0]);
    }
}
