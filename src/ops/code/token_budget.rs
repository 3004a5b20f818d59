//! Lists cut to a budget of tokens. The cut is by rows, best first; how a row looks is decided
//! elsewhere.
//!
//! Tokens are estimated from bytes. An exact count would need the tokenizer of each model, and the
//! estimate errs on the safe side.

use serde::Serialize;

/// The budget in tokens if the caller names none.
pub const DEFAULT_BUDGET: usize = 3000;

/// Bytes per token of paths and names, which tokenizers split finer than code.
const BYTES_PER_TOKEN: usize = 3;

/// Returns the first rows that fit. One is returned in any case, because an empty answer costs
/// another question.
///
/// The size of a row is that of its compact JSON, plus one byte for the comma. Rows are serialised
/// once here and once at the wire; the lists are short.
pub fn take_fitting<T: Serialize>(mut rows: Vec<T>, budget: usize) -> Vec<T> {
    let room = budget.saturating_mul(BYTES_PER_TOKEN);
    let mut spent: usize = 0;
    let fitting = rows.iter().take_while(|row| {
        let text = serde_json::to_string(row).unwrap_or_default();
        spent = spent.saturating_add(text.len() + 1);
        spent <= room
    });
    let fitting = fitting.count().max(1);
    rows.truncate(fitting);
    rows
}

/// The budget in tokens of a list with an explicit limit: no answer may fill a context.
const LIMIT_BUDGET: usize = 20_000;

/// Returns the budget of a list. An explicit budget wins. An explicit limit alone means that the
/// caller wants so many rows, up to a bound.
pub fn effective_budget(budget: Option<usize>, limit: Option<usize>) -> usize {
    match (budget, limit) {
        (Some(budget), _) => budget,
        (None, Some(_)) => LIMIT_BUDGET,
        (None, None) => DEFAULT_BUDGET,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_and_at_least_one() {
        let rows = vec!["a".repeat(10); 5];
        for (budget, expected) in [(0, 1), (4, 1), (9, 2), (100, 5), (usize::MAX, 5)] {
            assert_eq!(take_fitting(rows.clone(), budget).len(), expected, "{budget}");
        }
        assert!(take_fitting(Vec::<String>::new(), 1).is_empty());
        assert_eq!(effective_budget(None, Some(3)), LIMIT_BUDGET);
        assert_eq!(
            (effective_budget(Some(7), Some(3)), effective_budget(None, None)),
            (7, DEFAULT_BUDGET)
        );
    }
}
