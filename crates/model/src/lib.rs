//! The nouns of Kenning: plain data that every layer shares. Nothing here reads or writes files,
//! and nothing here is serialized: the store and the operations have formats of their own.
//!
//! The few functions compute keys and hashes, rank the definitions of a name, and hide secrets in
//! messages. Orders of variants and values of hashes are stored in indexes; do not change them.

mod build_mode;
mod code;
mod definition_rank;
mod fnv;
mod graph;
mod package;
mod problem;
mod progress;
pub mod redact;
mod repo_path;
mod resolution;
mod skill;
mod spec;
pub mod time_limit;

pub use build_mode::BuildMode;
pub use code::{
    Binding, BindingKind, Chunk, ChunkKind, CodeFacts, Heritage, HeritageKind, Reference,
    ReferenceKind, Span, Symbol, Visibility, is_exported,
};
pub use definition_rank::DefinitionRank;
pub use fnv::fnv;
pub use graph::{
    Confidence, Edge, EdgeTarget, FileEdges, Reason, Relation, SymbolKey, symbol_keys,
    symbol_parents,
};
pub use package::{DepKind, Dependency, ModuleName, Package, PackageKey};
pub use problem::{Problem, ProblemList};
pub use progress::{Progress, Silent};
pub use repo_path::RepoPath;
pub use resolution::{
    FileFacts, Fingerprints, GraphFile, LookupKey, folded_hash, methods_key, name_hash,
    required_key,
};
pub use skill::{Skill, SkillProblem, SkillTier};
pub use spec::{
    Change, Clause, Delta, Document, Keyword, Operation, Requirement, Scenario, Section, Spec, Task,
};
