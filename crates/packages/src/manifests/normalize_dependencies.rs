//! Helpers for the dependency lists of several ecosystems: their order, and the stored form of a
//! kind. Each ecosystem decides itself which package a dependency means.

use std::collections::HashSet;

use kenning_model::{Dependency, Package};

/// Sorts the dependencies by kind, otherwise as declared, and keeps the first of each name and
/// kind. A dependency of a package on itself is dropped; some declare one to reach their own tests.
pub fn normalize_dependencies(package: &mut Package) {
    let own_name = &package.name;
    let own_path = &package.path;
    let is_self = |dependency: &Dependency| {
        dependency.name == *own_name && dependency.internal.as_ref() == Some(own_path)
    };
    let mut seen = HashSet::new();
    package.dependencies.retain(|dependency| {
        !is_self(dependency) && seen.insert((dependency.name.clone(), dependency.kind))
    });
    package.dependencies.sort_by_key(|dependency| dependency.kind);
}

/// Stores a [`DepKind`](kenning_model::DepKind) by its name, for `#[serde(with = "kind_text")]`.
pub mod kind_text {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    use kenning_model::DepKind;

    /// Writes the name of a kind.
    pub fn serialize<S: Serializer>(kind: &DepKind, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(kind.as_str())
    }

    /// Reads the name of a kind; any other text is an error.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DepKind, D::Error> {
        let text = String::deserialize(deserializer)?;
        DepKind::parse(&text).ok_or_else(|| D::Error::custom(format!("no kind is {text:?}")))
    }
}
