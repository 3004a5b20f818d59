//! The repository as it lies on the disk: which files there are, what they say, what git knows.
//! Knows nothing of what the files mean.

mod git;
mod list;
mod read;
mod walk;

pub use git::{head_commit, toplevel};
pub use list::list_files;
pub use read::{Contents, Reading, read_text};
pub use walk::{FoundFile, Walk, check_directory, find_files, stat};
