//! The repository as it lies on the disk: which files there are, what they say, what git knows.
//! Knows nothing of what the files mean.

mod diff;
mod git;
mod list;
mod read;
pub mod skills;
mod walk;
mod watch;

pub use diff::{ChangedFile, Hunk, Lines, uncommitted};
pub use git::{head_commit, repository, toplevel};
pub use list::list_files;
pub use read::{Contents, Reading, SourceReading, read_source, read_text};
pub use walk::{
    FoundFile, Survey, Walk, check_directory, find_files, real_path, real_path_or_gone, stat,
    survey,
};
pub use watch::{Batch, Means, Mode, Reach, Target, Watch, WatchSettings};
