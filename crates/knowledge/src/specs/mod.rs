//! Questions about specs: which requirement or scenario a name means, what is wrong with a spec or
//! a change, which requirements a question is about, and which code a requirement is about.

mod lookup;
mod search;
mod snippet;
mod validate;

pub use lookup::{find_requirement, find_requirements, find_scenario, find_scenarios, nearest};
pub use search::{RetrieverWeights, SpecHit, SpecSearch, THRESHOLD};
pub use snippet::snippet;
pub use validate::{Severity, SpecFinding, validate_change, validate_spec};
