//! Parsers of the texts that facts carry: types and expressions.
//!
//! Contract: pure functions that resolve nothing and cannot fail. One grammar serves all languages,
//! because they differ little in what resolution needs; text that it does not know becomes
//! `Unknown`. Nesting is bounded. The resolver caches results by text.
//!
//! ```text
//! a?.load(b).c             // Member(Call(Member(a, load), b), c)
//! Promise<Page[]>          // Named(Promise, [List(Page)])
//! ```

pub(crate) mod brackets;
pub(crate) mod expression;
pub(crate) mod type_expr;
