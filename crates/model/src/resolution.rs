//! Data that name resolution and the store exchange: the files to resolve and their facts. Keys and
//! fingerprints tell which edges an edit makes invalid. The rules are in `kenning_resolve`; the
//! store only stores the hashes.

use std::collections::HashSet;

use crate::{Binding, CodeFacts, Heritage, Reference, RepoPath, Symbol, fnv};

/// A file whose references may be resolved, and to which others may lead.
pub struct GraphFile {
    pub id: i64,
    pub path: RepoPath,
    pub language: String,
    pub package: Option<String>,
    /// The hash of the bytes on disk when they were read; `modified_ns` is their mtime.
    pub hash: Vec<u8>,
    pub modified_ns: i64,
}

/// The facts of a file that the resolution of its references depends on.
#[derive(Clone, Copy, Debug)]
pub struct FileFacts<'f> {
    pub language: &'f str,
    pub symbols: &'f [Symbol],
    pub references: &'f [Reference],
    pub bindings: &'f [Binding],
    pub heritage: &'f [Heritage],
}

impl<'f> From<&'f CodeFacts> for FileFacts<'f> {
    fn from(facts: &'f CodeFacts) -> FileFacts<'f> {
        FileFacts {
            language: facts.language,
            symbols: &facts.symbols,
            references: &facts.references,
            bindings: &facts.bindings,
            heritage: &facts.heritage,
        }
    }
}

/// Per-name fingerprints of a file's facts: the hash of a name with the hash of one fact about it.
pub type Fingerprints = HashSet<(u32, u64)>;

/// A key by which the files that define something are looked up.
#[derive(Clone, Copy, Debug)]
pub enum LookupKey<'n> {
    /// Files that define something of this name.
    Name(&'n str),
    /// Files that define members of a type of this name outside of its braces.
    OutOfLineMembers(&'n str),
    /// Files with a structural interface that requires a member of this name.
    RequiredMember(&'n str),
}

impl LookupKey<'_> {
    /// Returns the stored form of the key. Two keys may share one.
    pub fn hash(self) -> u32 {
        match self {
            LookupKey::Name(name) => folded_hash(name),
            LookupKey::OutOfLineMembers(name) => name_hash(&methods_key(name)),
            LookupKey::RequiredMember(name) => name_hash(&required_key(name)),
        }
    }
}

/// Returns the dependency key of all methods of the types of this name. The zero byte keeps it
/// apart from every name.
pub fn methods_key(type_name: &str) -> String {
    format!("{type_name}\0methods")
}

/// Returns the dependency key of all interfaces that require a member of this name.
pub fn required_key(name: &str) -> String {
    format!("{name}\0asked")
}

/// Returns the hash by which a name's definitions are found. Case does not count.
pub fn folded_hash(name: &str) -> u32 {
    name_hash(&name.to_lowercase())
}

/// Returns the hash by which a name's references are found. It has 23 bits, which tables store in
/// three bytes. In a large repository one name in a hundred shares its hash, so compare the names
/// too.
pub fn name_hash(name: &str) -> u32 {
    let hash = fnv(name.as_bytes());
    (hash ^ hash >> 32) as u32 >> (u32::BITS - NAME_BITS)
}

/// The number of bits of a name hash.
const NAME_BITS: u32 = 23;
