//! Exit codes, as the manual documents them. Scripts depend on them, so they never change.

use std::process::ExitCode;

use crate::ops::ErrorKind;

/// The outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Success, also of a search that finds nothing.
    Ok,
    /// A failure, or an unknown name.
    Failed,
    /// Wrong arguments or settings; repeating the command does not help.
    Usage,
    /// Nothing is indexed; a script may run `ken index`.
    NoIndex,
    /// A provider or backend does not answer; a script may retry.
    ProviderUnavailable,
    /// Ended by a signal: 128 plus its number, as shells report it.
    Stopped(u8),
}

/// The table of codes for `--help` and the manual.
pub const TABLE: &str = "Exit codes: 0 ok, 1 failed or not found, 2 wrong usage or configuration, \
                         3 no index, 4 embedding provider unavailable, 130 interrupted, 143 \
                         terminated. A server that is stopped ends with 0.";

impl Exit {
    /// The exit code of an error.
    pub fn from_error_kind(kind: ErrorKind) -> Exit {
        match kind {
            ErrorKind::BadArgument | ErrorKind::Ambiguous => Exit::Usage,
            ErrorKind::NoIndex => Exit::NoIndex,
            ErrorKind::ProviderUnavailable | ErrorKind::Conflict => Exit::ProviderUnavailable,
            ErrorKind::NotFound | ErrorKind::Busy | ErrorKind::Cancelled | ErrorKind::Internal => {
                Exit::Failed
            }
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Ok => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::NoIndex => 3,
            Exit::ProviderUnavailable => 4,
            Exit::Stopped(code) => code,
        })
    }
}
