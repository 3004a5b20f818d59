//! Invalidation: the edges that an edit makes stale.
//!
//! Contract:
//!
//! - An edge may only depend on facts under names that its file looked up. [`fingerprints()`]
//!   covers every such fact, so an edit that changes no fingerprint of a name changes no edge of a
//!   file that only looked up that name.
//! - [`can_keep_edges`] recognizes edits that only move facts. The edges of the edited file then
//!   stay valid as well.
//! - [`lookup_keys()`] are the keys under which the store finds a file when facts load lazily.
//! - All three are pure functions of the facts, linear in their number but for a sort. Storing them
//!   and spreading the dirty set is left to the index.
//!
//! ```text
//! function load(): Page {}     // edit 1: add a comment above: can_keep_edges is true
//! function load(): View {}     // edit 2: the fingerprint of `load` changes; files that looked up
//!                              // `load` are resolved again
//! ```

mod facts_diff;
mod fingerprints;
mod lookup_keys;

pub use facts_diff::can_keep_edges;
pub use fingerprints::fingerprints;
pub use lookup_keys::lookup_keys;
