//! Chooses the lines of a chunk that show why it was found. The caller formats them. The web page
//! has an excerpt of its own, which prefers the head.

use std::ops::Range;

use crate::front::query_highlight::QueryWords;

/// A chunk that exceeds the limit by at most this many lines is shown whole.
const FEW: usize = 4;

/// Returns one or two ranges of about `most` lines: the window with the most words of the query,
/// and always the line of the definition.
pub fn best_ranges(
    lines: &[&str],
    own: usize,
    most: usize,
    words: &QueryWords,
) -> Vec<Range<usize>> {
    if lines.len() <= most + FEW {
        return Vec::from_iter(Some(0..lines.len()));
    }
    let hits: Vec<usize> = lines.iter().map(|line| words.count_in(line)).collect();
    // The definition's line gets a bonus: another window must have at least two more matches.
    let score = |start: usize| {
        let window = start..start + most;
        let inside: usize = hits[window.clone()].iter().sum();
        let bonus = if window.contains(&own) { 3 } else { 0 };
        (2 * inside + bonus, start == own)
    };
    // Takes the last of equal windows: lines after a match explain more than lines before it.
    let starts = 0..=lines.len() - most;
    let start = starts.max_by_key(|start| score(*start)).unwrap_or(0);
    let (last, definition) = (start + most - 1, own..own + 1);
    if (start..=last).contains(&own) {
        return Vec::from_iter(Some(start..last + 1));
    }
    // The definition's line takes one line of the budget, so the window loses its poorer end.
    let window = if hits[start] < hits[last] { start + 1..last + 1 } else { start..last };
    if own < start { vec![definition, window] } else { vec![window, definition] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_lines_are_where_the_words_are() {
        let mut lines = vec!["x"; 40];
        lines[30] = "retry the request";
        lines[31] = "retry";
        let check = |lines: &[&str], question: &str, own: usize, expected: &[(usize, usize)]| {
            let best: Vec<_> = best_ranges(lines, own, 8, &QueryWords::new(question))
                .iter()
                .map(|range| (range.start, range.end))
                .collect();
            assert_eq!(best, expected, "{question} {own}");
        };
        check(&lines, "retry request", 4, &[(4, 5), (30, 37)]);
        check(&lines, "retry request", 38, &[(30, 37), (38, 39)]);
        check(&lines, "nothing", 4, &[(4, 12)]);
        check(&lines, "nothing", 39, &[(32, 40)]);
        check(&lines[..12], "x", 1, &[(0, 12)]);
        check(&lines[..13], "y", 1, &[(1, 9)]);
    }
}
