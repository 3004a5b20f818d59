//! Source trees on disk: walking them, reading their files, watching them for changes, and reading
//! the state of their git repository.
//!
//! Nothing here parses source code. Nothing follows a link out of a root, opens a special file, or
//! runs a program that a repository names.

mod base_commit_diff;
pub mod disk;
mod git_command;
mod git_diff;
mod git_history;
mod git_index;
mod git_repository;
mod hidden_files;
mod list_dir;
mod reftable;
pub mod skills;
mod system_limits;
#[cfg(test)]
mod testing;
mod text_reader;
mod unrun_git_filters;
mod walk;
mod walk_bounds;
mod walk_cache;
mod walk_filter;
mod watch;

pub use crate::disk::{has_recent_change, is_file_or_absent, resolve_without_trust, stays_inside};
pub use base_commit_diff::{BaseChange, BaseDiff, BaseError, diff_base};
pub use git_command::GitHost;
pub use git_diff::{ChangedFile, Hunk, LineRange, diff_work_tree, read_committed};
pub use git_history::{LineCommit, LineHistory, LinesOfFile, line_history};
pub use git_repository::{head_commit, is_work_tree, repository, toplevel};
pub use list_dir::{IrregularKind, Listing, list_directories, list_files};
pub use system_limits::{free_space, is_writable, watch_limit};
pub use text_reader::{
    Contents, ReadOutcome, SourceReading, read_source, read_text, read_whole, stamp,
};
pub use walk::{
    CLOCK_TICK_NS, FoundFile, PruneReason, Survey, check_directory, nanoseconds, real_path,
    real_path_or_gone, stat, survey, survey_one,
};
pub use walk_bounds::{FileSystems, WalkBounds, WalkError};
pub use walk_cache::survey_cached;
pub use walk_filter::{HiddenNames, WalkFilter};
pub use watch::{Batch, Mode, Reach, Watch, WatchMethod, WatchSettings, WatchTarget};
