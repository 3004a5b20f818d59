//! The repository as it lies on the disk: which files there are, what they say, what git knows.
//! Knows nothing of what the files mean.

mod bounds;
mod diff;
mod filtered;
mod git;
mod git_command;
mod hidden;
mod list;
mod machine;
mod read;
mod reftable;
mod remembered;
pub mod skills;
#[cfg(test)]
mod testing;
mod tracked;
mod walk;
mod want;
mod watch;

pub use bounds::{Bounds, FileSystems, WalkError};
pub use diff::{ChangedFile, Hunk, Lines, committed_text, uncommitted};
pub use git::{head_commit, is_work_tree, repository, toplevel};
pub use git_command::GitHost;
pub use list::{Listing, Other, list_directories, list_files};
pub use machine::{free_space, is_writable, watch_limit};
pub use read::{Contents, Reading, SourceReading, read_source, read_text, read_whole, stamp};
pub use remembered::survey_again;
pub use walk::{
    CLOCK_TICK_NS, FoundFile, Pruned, Survey, check_directory, nanoseconds, real_path,
    real_path_or_gone, stat, survey, survey_one,
};
pub use want::{HiddenNames, Want};
pub use watch::{Batch, Means, Mode, Reach, Target, Watch, WatchSettings};
