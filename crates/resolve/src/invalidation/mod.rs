//! Invalidation: which edges an edit makes wrong.
//!
//! Contract: an edge may only depend on facts under the names that its file looked up. The
//! fingerprints of a file cover every such fact, so an edit that changes none of a name's fingerprints
//! changes no edge of another file.

mod facts_diff;
mod fingerprints;
mod lookup_keys;

pub use facts_diff::can_keep_edges;
pub use fingerprints::fingerprints;
pub use lookup_keys::lookup_keys;
