//! Knowledge that people write down in Markdown beside the code, as facts.

mod change;
mod markdown;
mod spec;

pub use change::{parse_document, parse_tasks};
pub use spec::parse_spec;
