//! TypeScript's rules for `unused`. They also serve TSX.

use crate::languages::{UsageRules, javascript};
use kenning_model::Symbol;

/// Adds overrides and ambient declarations to the rules of JavaScript.
pub(in crate::languages) const USAGE: UsageRules = UsageRules {
    override_words: &["override"],
    is_used_by_text: is_ambient,
    ..javascript::unused_rules::USAGE
};

/// True if a declaration is in a `declare global` or `declare module` block. Such a block extends
/// declarations of others.
fn is_ambient(text: &str, symbol: &Symbol) -> bool {
    let start = symbol.span.start_byte as usize;
    let blocks = ["declare global", "declare module"];
    blocks.iter().any(|block| {
        let mut places = text.match_indices(block);
        places.any(|(at, _)| {
            let inner = text.get(at..start).unwrap_or_default();
            let depth = inner.bytes().fold(0i32, |depth, byte| match byte {
                b'{' => depth + 1,
                // The block has ended, so later braces do not count.
                b'}' if depth == 1 => i32::MIN / 2,
                b'}' => depth - 1,
                _ => depth,
            });
            depth > 0
        })
    })
}
