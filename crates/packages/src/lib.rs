//! Packages: the manifests of every ecosystem, the links between packages, the database that holds
//! them, and queries on the package graph.
//!
//! Data flows one way. [`manifests`] parses and links, and [`build`] drives it over a tree.
//! [`mod@database`] stores the result, and [`query`] answers from it. [`custom_packages`] adds
//! packages that no manifest declares.

pub mod build;
pub mod custom_packages;
pub mod database;
mod error;
pub mod manifests;
pub mod query;

pub use error::BuildError;
