//! Packages: manifests of every ecosystem, the links between packages, the database that holds them,
//! and the questions about the package graph.

pub mod build;
pub mod custom_packages;
pub mod database;
mod error;
pub mod manifests;
pub mod query;

pub use error::BuildError;
