//! Programming languages: bytes to facts. Pure and total: nothing here touches the disk or the
//! network, and the clock only ends a parse that takes seconds. A broken file yields the facts so
//! far plus [`Problem`](kenning_model::Problem)s.
//!
//! [`languages`] describes every language as data, [`code`] reads one file by that description, and
//! [`skip_rules`] recognizes files that are not worth reading. References stay as written:
//! `kenning_resolve` decides what they refer to.
//!
//! ```
//! let path = kenning_model::RepoPath::new("door.rs").unwrap();
//! let facts = kenning_lang::code::read(&path, "pub fn open() {}\n");
//! assert_eq!(facts.symbols[0].name, "open");
//! ```

pub mod brackets;
mod chunk;
pub mod code;
pub mod languages;
pub mod skip_rules;
