//! Finding text as it stands in the files: a literal or a regular expression, line by line, as grep
//! does. The lexicon says in which files it may be; the files themselves say whether it is.

mod find;
mod pattern;
mod required_literals;
mod word_files;

pub use find::{Bounds, TextMatch, chunks_with};
pub use pattern::{BadPattern, Pattern};
pub use required_literals::Needs;
pub use word_files::NamingFile;
