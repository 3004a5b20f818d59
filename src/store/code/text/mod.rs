//! Finding text as it stands in the files: a literal or a regular expression, line by line, as grep
//! does. The lexicon says in which files it may be; the files themselves say whether it is.

mod find;
mod needs;
mod pattern;
mod word;

pub use find::{Bounds, TextMatch, chunks_with};
pub use needs::Needs;
pub use pattern::{BadPattern, Pattern};
pub use word::NamingFile;
