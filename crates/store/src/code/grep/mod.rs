//! Finds text in the files as grep does: a literal or a regular expression, line by line. The word
//! index narrows the search to candidate files, whose text is then matched.

mod find;
mod pattern;
mod required_literals;
mod word_files;

pub use find::{GrepLimits, TextMatch, chunks_with};
pub use pattern::{BadPattern, Pattern};
pub use required_literals::RequiredLiterals;
pub use word_files::FileWithWord;
