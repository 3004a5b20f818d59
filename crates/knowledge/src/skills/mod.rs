//! Questions on the skills that there are: which one a name means, which ones suit a task.

mod rank;
mod resolve;
mod semantic;

pub use rank::{Ranked, Ranker, blend, ranked};
pub use resolve::{Resolved, resolve, similar_names};
pub use semantic::Meaning;
