//! The nouns of Kenning: plain data that every layer shares. Nothing here reads or writes,
//! and all that it judges is which of two names is more like a third, and which of two definitions a name
//! means.

mod build_mode;
mod code;
mod definition_rank;
mod fnv;
mod go_library;
mod graph;
mod package;
mod path;
mod problem;
mod progress;
pub mod redact;
mod resolution;
mod skill;
mod spec;

pub use build_mode::BuildMode;
pub use code::{
    Binding, BindingKind, Chunk, ChunkKind, CodeFacts, Heritage, HeritageKind, Reference,
    ReferenceKind, Span, Symbol, Visibility, is_exported,
};
pub use definition_rank::DefinitionRank;
pub use fnv::fnv;
pub use go_library::{find_go_interfaces, go_interface_methods, go_type_methods, split_go_method};
pub use graph::{
    Confidence, Edge, EdgeTarget, FileEdges, Reason, Relation, SymbolKey, symbol_keys,
    symbol_parents,
};
pub use package::{DepKind, Dependency, ModuleName, Package, PackageKey};
pub use path::RepoPath;
pub use problem::{Problem, ProblemList};
pub use progress::{Progress, Silent};
pub use resolution::{
    FileFacts, Fingerprints, GraphFile, LookupKey, folded_hash, methods_key, name_hash,
    required_key,
};
pub use skill::{Skill, SkillProblem, SkillTier};
pub use spec::{
    Change, Clause, Delta, Document, Keyword, Operation, Requirement, Scenario, Section, Spec, Task,
};
