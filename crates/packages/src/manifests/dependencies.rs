//! Helpers for the dependency lists of several ecosystems: their order, and the stored form of a
//! kind. Each ecosystem decides itself which package a dependency means.

use std::collections::HashSet;

use kenning_model::{Dependency, Package};

/// Orders the dependencies by kind, otherwise as declared, and keeps the first of each name and
/// kind. A package that names itself, as some do to get at their own tests, does not depend on
/// itself.
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

/// For `#[serde(with = "kind_text")]`: a kind is stored by its name.
pub mod kind_text {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    use kenning_model::DepKind;

    pub fn serialize<S: Serializer>(kind: &DepKind, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(kind.as_str())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DepKind, D::Error> {
        let text = String::deserialize(deserializer)?;
        DepKind::parse(&text).ok_or_else(|| D::Error::custom(format!("no kind is {text:?}")))
    }
}
