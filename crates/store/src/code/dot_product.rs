//! Dot products of one query with many rows, with the best instructions of the processor. One of
//! two files of the store with `unsafe` code; the other is `page_checksums/vfs.rs`.
//!
//! Each loop is written plainly, and the compiler turns it into vector code: for the least that a
//! target promises (SSE2 on x86-64, NEON on ARM64, whatever it is elsewhere), and once more for
//! AVX2, which is looked for when the program runs. Where a scan spends most of its time, AVX2 is
//! spelt out.

#![allow(unsafe_code)]

/// The dot product of `query` with each row of `rows`, one after another in `products`.
/// `rows` holds `products.len()` rows of `query.len()` values.
pub fn dot_rows(query: &[i16], rows: &[i8], products: &mut [i32]) {
    debug_assert_eq!(rows.len(), query.len() * products.len());
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the function needs AVX2, which this processor was just found to have. It takes
        // and returns slices like any other function.
        return unsafe { dot_rows_avx2(query, rows, products) };
    }
    dot_rows_plain(query, rows, products);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_rows_avx2(query: &[i16], rows: &[i8], products: &mut [i32]) {
    dot_rows_plain(query, rows, products);
}

// Loops over numbers, not over iterators: what iterators call is compiled without AVX2 and then not
// always made part of the loop, which costs a third of the time.
#[inline(always)]
fn dot_rows_plain(query: &[i16], rows: &[i8], products: &mut [i32]) {
    let dimension = query.len();
    let mut row = 0;
    while row < products.len() {
        products[row] = dot(query, &rows[row * dimension..(row + 1) * dimension]);
        row += 1;
    }
}

/// The same with rows of four bits a value: of each byte the lower half times `query.0`, and the
/// upper half times `query.1`, which are of one length and from −127 to 127.
pub fn dot_halves(query: (&[i8], &[i8]), rows: &[u8], products: &mut [i32]) {
    debug_assert_eq!(rows.len(), query.0.len() * products.len());
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: as above.
        return unsafe { dot_halves_avx2(query, rows, products) };
    }
    dot_halves_plain(query, rows, products);
}

fn dot_halves_plain(query: (&[i8], &[i8]), rows: &[u8], products: &mut [i32]) {
    let width = query.0.len();
    let mut row = 0;
    while row < products.len() {
        products[row] = dot_half(query, &rows[row * width..(row + 1) * width]);
        row += 1;
    }
}

/// By the instruction that multiplies bytes in pairs, which no compiler finds by itself: 64 values
/// in six instructions. Four rows at a time, so that the question is read once for them and their
/// sums are added up together.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_halves_avx2(query: (&[i8], &[i8]), rows: &[u8], products: &mut [i32]) {
    let width = query.0.len();
    let together = products.len() / ROWS * ROWS;
    let mut row = 0;
    while row < together {
        let four = &rows[row * width..(row + ROWS) * width];
        products[row..row + ROWS].copy_from_slice(&dot_four_halves(query, four));
        row += ROWS;
    }
    dot_halves_plain(query, &rows[row * width..], &mut products[row..]);
}

#[cfg(target_arch = "x86_64")]
const ROWS: usize = 4;

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn dot_four_halves(query: (&[i8], &[i8]), rows: &[u8]) -> [i32; ROWS] {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256, _mm256_loadu_si256,
        _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi8, _mm256_set1_epi16,
        _mm256_setzero_si256, _mm256_srli_epi16,
    };
    const LANES: usize = 32;
    /// A lane of 16 bits gets from each block two sums of two products: 4 × 4 × 127 × 15 < 2¹⁵.
    const BLOCKS: usize = 4;
    let width = query.0.len();
    assert!(query.1.len() == width && rows.len() == ROWS * width);
    let blocks = width / LANES;
    let (lower_half, ones) = (_mm256_set1_epi8(15), _mm256_set1_epi16(1));
    let mut totals = [_mm256_setzero_si256(); ROWS];
    let mut at = 0;
    while at < blocks {
        let mut sums = [_mm256_setzero_si256(); ROWS];
        let end = if at + BLOCKS < blocks { at + BLOCKS } else { blocks };
        while at < end {
            // SAFETY: the question's halves are `width` bytes long and the rows four times that, as
            // was just asserted, and block `at` of `width` ends within it. Aligned or not.
            let load = |bytes: *const u8, row: usize| unsafe {
                _mm256_loadu_si256(bytes.add(row * width + at * LANES).cast::<__m256i>())
            };
            let low = load(query.0.as_ptr().cast::<u8>(), 0);
            let high = load(query.1.as_ptr().cast::<u8>(), 0);
            let mut row = 0;
            while row < ROWS {
                let bytes = load(rows.as_ptr(), row);
                let lower = _mm256_and_si256(bytes, lower_half);
                let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), lower_half);
                let products = _mm256_add_epi16(
                    _mm256_maddubs_epi16(lower, low),
                    _mm256_maddubs_epi16(upper, high),
                );
                sums[row] = _mm256_add_epi16(sums[row], products);
                row += 1;
            }
            at += 1;
        }
        let mut row = 0;
        while row < ROWS {
            totals[row] = _mm256_add_epi32(totals[row], _mm256_madd_epi16(sums[row], ones));
            row += 1;
        }
    }
    let mut products = sums_of_lanes(totals);
    let rest = blocks * LANES;
    let mut row = 0;
    while rest < width && row < ROWS {
        let of_row = &rows[row * width + rest..(row + 1) * width];
        products[row] += dot_half((&query.0[rest..], &query.1[rest..]), of_row);
        row += 1;
    }
    products
}

/// Returns the sum of the lanes of each row.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn sums_of_lanes([a, b, c, d]: [std::arch::x86_64::__m256i; ROWS]) -> [i32; ROWS] {
    use std::arch::x86_64::{
        _mm_add_epi32, _mm_storeu_si128, _mm256_castsi256_si128, _mm256_extracti128_si256,
        _mm256_hadd_epi32,
    };
    let halves = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
    let whole =
        _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
    let mut sums = [0i32; ROWS];
    // SAFETY: 16 bytes are written to an array of 16 bytes.
    unsafe { _mm_storeu_si128(sums.as_mut_ptr().cast(), whole) };
    sums
}

/// The same, in whatever way the compiler finds.
#[inline(always)]
fn dot_half((low, high): (&[i8], &[i8]), row: &[u8]) -> i32 {
    let mut sum = 0i32;
    let mut at = 0;
    while at < row.len() && at < low.len() && at < high.len() {
        sum += low[at] as i32 * (row[at] & 15) as i32;
        sum += high[at] as i32 * (row[at] >> 4) as i32;
        at += 1;
    }
    sum
}

/// Sixteen at a time, which is one AVX2 register of `i16`.
#[inline(always)]
fn dot(query: &[i16], row: &[i8]) -> i32 {
    const LANES: usize = 16;
    let (query_lanes, query_rest) = query.as_chunks::<LANES>();
    let (row_lanes, row_rest) = row.as_chunks::<LANES>();
    let mut sum = 0i32;
    let mut at = 0;
    while at < query_lanes.len() && at < row_lanes.len() {
        let (query, row) = (&query_lanes[at], &row_lanes[at]);
        let mut lane = 0;
        while lane < LANES {
            sum = sum.wrapping_add(query[lane] as i32 * row[lane] as i32);
            lane += 1;
        }
        at += 1;
    }
    let mut at = 0;
    while at < query_rest.len() && at < row_rest.len() {
        sum = sum.wrapping_add(query_rest[at] as i32 * row_rest[at] as i32);
        at += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_testing::Random;

    #[test]
    fn every_version_multiplies_alike() {
        let mut random = Random::new(6);
        for dimension in [1, 3, 15, 16, 17, 31, 32, 100, 256, 384, 1536] {
            let query: Vec<i16> =
                (0..dimension).map(|_| random.next_below(4095) as i16 - 2047).collect();
            let count = 9;
            let values = dimension * count;
            let rows: Vec<i8> = (0..values).map(|_| random.next_below(255) as i8).collect();
            let naive: Vec<i32> = (0..count)
                .map(|row| {
                    let row = &rows[row * dimension..(row + 1) * dimension];
                    let products = query.iter().zip(row);
                    products.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
                })
                .collect();
            let mut products = vec![0; count];
            dot_rows(&query, &rows, &mut products);
            assert_eq!(products, naive);
            dot_rows_plain(&query, &rows, &mut products);
            assert_eq!(products, naive);
        }
    }

    #[test]
    fn halves_multiply_as_by_a_loop() {
        let mut random = Random::new(8);
        for width in [1, 8, 15, 16, 17, 50, 128, 768] {
            let half = |random: &mut Random| -> Vec<i8> {
                let value = |random: &mut Random| (random.next_below(255) as i16 - 127) as i8;
                (0..width).map(|_| value(random)).collect()
            };
            let (low, high) = (half(&mut random), half(&mut random));
            let rows: Vec<u8> = (0..width * 5).map(|_| random.next_below(256) as u8).collect();
            let naive: Vec<i32> = rows
                .chunks(width)
                .map(|row| {
                    let all = row.iter().zip(low.iter().zip(&high)).map(|(byte, (low, high))| {
                        i32::from(*low) * i32::from(byte & 15)
                            + i32::from(*high) * i32::from(byte >> 4)
                    });
                    all.sum()
                })
                .collect();
            let mut products = vec![0; 5];
            dot_halves((&low, &high), &rows, &mut products);
            assert_eq!(products, naive);
            dot_halves_plain((&low, &high), &rows, &mut products);
            assert_eq!(products, naive);
        }
    }

    #[test]
    fn the_largest_values_do_not_overflow() {
        let mut products = [0];
        for value in [-127, 127] {
            let query = vec![value; 4096];
            dot_halves((&query, &query), &[0xff; 4096], &mut products);
            assert_eq!(products[0], i32::from(value) * 15 * 8192);
        }
        let dimension = super::super::vector_page_format::MAX_DIMENSION;
        let query = vec![2047; dimension];
        dot_rows(&query, &vec![-127; dimension], &mut products);
        assert_eq!(i64::from(products[0]), -2047 * 127 * dimension as i64);
    }
}
