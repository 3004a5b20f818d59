//! Packages and what they depend on, in the words that every ecosystem shares. Only data: the
//! parsers and the linkers are in `kenning_packages`.

use std::collections::BTreeMap;
use std::fmt;

use super::RepoPath;

/// One package of the repository. Identity is [`PackageKey`]: an npm `shared` and a cargo `shared`
/// are two packages, and so are two of one name in two directories.
#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// The ecosystem: `npm`, `cargo`, `go`, …, or the kind that a custom rule names.
    pub kind: String,
    /// Go: the full module path. Maven: `group:artifact`. Gradle: `group:project-path` or the
    /// project path. Everything else: the manifest's name, else the directory's.
    pub name: String,
    /// The directory that the package lives in.
    pub path: RepoPath,
    /// The file that declares it.
    pub manifest: RepoPath,
    pub version: Option<String>,
    pub description: Option<String>,
    /// Values that only this ecosystem has, such as `{"go_workspace": true}`.
    pub metadata: BTreeMap<String, serde_json::Value>,
    pub dependencies: Vec<Dependency>,
    /// The names by which code imports its files, where these are not their paths.
    pub modules: Vec<ModuleName>,
}

/// A name that code imports files by, as `exports` of npm and `paths` of TypeScript declare it. A
/// `*` in the name matches any text, which replaces the `*` in the paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleName {
    pub name: String,
    /// Paths from the root of the repository as written, the likeliest first. They may lack an
    /// extension, name a directory, or name a file that a build will write.
    pub paths: Vec<String>,
    /// The directory whose files may import by this name; `None` for all.
    pub within: Option<String>,
}

impl Package {
    /// A package in the directory of its manifest, without dependencies.
    pub fn new(kind: &str, name: impl Into<String>, manifest: &RepoPath) -> Package {
        Package {
            kind: kind.to_string(),
            name: name.into(),
            path: manifest.parent(),
            manifest: manifest.clone(),
            version: None,
            description: None,
            metadata: BTreeMap::new(),
            dependencies: Vec::new(),
            modules: Vec::new(),
        }
    }

    /// The identity of the package.
    pub fn key(&self) -> PackageKey {
        PackageKey { kind: self.kind.clone(), name: self.name.clone(), path: self.path.clone() }
    }
}

/// The identity of a package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageKey {
    pub kind: String,
    pub name: String,
    pub path: RepoPath,
}

/// One declared dependency of a package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dependency {
    /// The name of the package that is meant: renames and aliases are already resolved, so that
    /// it equals the `name` of an internal target.
    pub name: String,
    pub kind: DepKind,
    /// As written, after workspace inheritance, catalogs and properties are resolved.
    pub version_req: Option<String>,
    /// The directory of the package of this repository that it resolves to (same ecosystem, same
    /// name); `None` for an external dependency.
    pub internal: Option<RepoPath>,
}

/// Why a dependency is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DepKind {
    Runtime,
    Dev,
    Peer,
    Build,
    Optional,
}

impl DepKind {
    /// Every kind.
    pub const ALL: [DepKind; 5] =
        [DepKind::Runtime, DepKind::Dev, DepKind::Peer, DepKind::Build, DepKind::Optional];

    /// The word for the kind in answers and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            DepKind::Runtime => "runtime",
            DepKind::Dev => "dev",
            DepKind::Peer => "peer",
            DepKind::Build => "build",
            DepKind::Optional => "optional",
        }
    }

    /// The kind of that word; case counts.
    pub fn parse(text: &str) -> Option<DepKind> {
        DepKind::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

impl fmt::Display for DepKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
