//! Queries on specs: lookup by name, validation of specs and changes, search for requirements, and
//! snippets of results.

mod lookup;
mod search;
mod snippet;
mod validate;

pub use lookup::{find_requirement, find_requirements, find_scenario, find_scenarios, nearest};
pub use search::{RetrieverWeights, SpecHit, SpecSearch, THRESHOLD};
pub use snippet::snippet;
pub use validate::{Severity, SpecFinding, validate_change, validate_spec};
