//! Questions on the skills that there are: which one a name means, which ones suit a task.

mod meaning;
mod rank;
mod resolve;
mod words;

pub use meaning::Meaning;
pub use rank::{Ranked, Ranker, blend, ranked};
pub use resolve::{Resolved, resolve, similar_names};
