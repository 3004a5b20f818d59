//! `watch_codebase`: starts, stops and inspects the watch of a repository. A watch lives in the
//! server process and ends with it; the command line has `ken watch` instead.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::resolve_root;
use crate::engine::{WatchMode, WatchStart, WatchState, WatchStatus};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a [`WatchCodebaseReply`]. Actions can be repeated: none of them fails because it
/// was done before.
pub static OP: OpEntry = OpEntry {
    name: "watch_codebase",
    family: Family::Code,
    origin: Origin::Contract,
    summary: "Watch a codebase for changes and auto-update its index, for as long as this server \
              runs. `start` also catches up with what changed before; `status` says what is \
              watched and what was updated.",
    effect: OpEffect::Updates,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<WatchCodebaseReply>(),
    examples: &["ken watch-codebase . status"],
    run,
};

/// The most files in a reply; the rest is counted.
const SHOWN_FILES: usize = 100;

/// The schema of the contract.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": { "type": "string", "description": "Path to codebase root" },
            "action": {
                "type": "string",
                "enum": ["start", "stop", "status"],
                "description": "What to do"
            }
        },
        "required": ["path", "action"]
    })
}

#[derive(Deserialize)]
struct WatchCodebaseArgs {
    path: String,
    action: WatchAction,
}

/// The value of `action`.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WatchAction {
    /// Starts a watch, and catches up first.
    Start,
    /// Stops it.
    Stop,
    /// Reports on it.
    Status,
}

/// The reply of `watch_codebase`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchCodebaseReply {
    /// The root.
    pub path: PathBuf,
    /// True if a watch runs after the call.
    pub watching: bool,
    /// The outcome of `start` or `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Cow<'static, str>>,
    /// The counts of a watch that `stop` ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_stats: Option<WatchStats>,
    /// The state, for `status`.
    #[serde(flatten)]
    pub status: Option<WatchDetails>,
    /// The indexed files, for `status`.
    #[serde(flatten)]
    pub files: Option<WatchedFiles>,
}

/// The state of a running watch.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchDetails {
    /// `indexing` or `idle`.
    pub state: Cow<'static, str>,
    /// The counts since the start.
    pub stats: WatchStats,
    /// `events` or `polling`.
    pub mode: Cow<'static, str>,
    /// The reason for polling, such as a watch limit of the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode_reason: Option<String>,
}

/// The counts since a watch began.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchStats {
    /// Index runs since the watch began.
    pub runs: usize,
    /// Files added by these runs.
    pub files_added: usize,
    /// Files changed by these runs.
    pub files_changed: usize,
    /// Files removed by these runs.
    pub files_removed: usize,
    /// Runs that failed.
    pub errors: usize,
    /// The last failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// The end of the last run, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<String>,
}

/// The files of an index that is watched.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchedFiles {
    /// All indexed files.
    pub file_count: usize,
    /// True if there are more than are listed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub files_omitted: bool,
    /// The first of them.
    pub files: Vec<String>,
}

impl WatchCodebaseReply {
    /// A reply with only the fields that every action has.
    fn new(root: &Path, watching: bool) -> WatchCodebaseReply {
        WatchCodebaseReply {
            path: root.to_path_buf(),
            watching,
            message: None,
            session_stats: None,
            status: None,
            files: None,
        }
    }
}

/// Runs the action. The path need not be indexed yet: `start` indexes it.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let WatchCodebaseArgs { path, action } = args.parse()?;
    let root = resolve_root(call, &path)?;
    let reply = match action {
        WatchAction::Start => start_watch(call, &root),
        WatchAction::Stop => stop_watch(call, &root),
        WatchAction::Status => watch_status(call, &root),
    };
    Ok(Reply::object(reply?))
}

/// Starts a watch. A second start of the same root is not an error.
fn start_watch(call: &Call, root: &Path) -> Result<WatchCodebaseReply, OpError> {
    let message = match call.engine.watch(root)? {
        WatchStart::Started => "watching for changes",
        WatchStart::AlreadyRunning => "already watching",
    };
    Ok(WatchCodebaseReply { message: Some(message.into()), ..WatchCodebaseReply::new(root, true) })
}

/// Stops a watch and returns its counts. Stopping what is not watched is not an error.
fn stop_watch(call: &Call, root: &Path) -> Result<WatchCodebaseReply, OpError> {
    let ended = call.engine.unwatch(root)?;
    let message = if ended.is_some() { "stopped watching" } else { "was not watching" };
    Ok(WatchCodebaseReply {
        message: Some(message.into()),
        session_stats: ended.map(|state| watch_stats(&state)),
        ..WatchCodebaseReply::new(root, false)
    })
}

/// Describes the watch, if there is one.
fn watch_status(call: &Call, root: &Path) -> Result<WatchCodebaseReply, OpError> {
    let Some(WatchStatus { state, mode }) = call.engine.watch_status(root)? else {
        return Ok(WatchCodebaseReply::new(root, false));
    };
    let (mode, mode_reason) = match mode {
        WatchMode::Events => ("events", None),
        WatchMode::Polling { reason } => ("polling", Some(reason)),
    };
    Ok(WatchCodebaseReply {
        status: Some(WatchDetails {
            state: if state.is_indexing { "indexing" } else { "idle" }.into(),
            stats: watch_stats(&state),
            mode: mode.into(),
            mode_reason,
        }),
        files: watched_files(call, root)?,
        ..WatchCodebaseReply::new(root, true)
    })
}

/// Lists the indexed files; `None` before the first run ends, when there may be no index yet.
fn watched_files(call: &Call, root: &Path) -> Result<Option<WatchedFiles>, OpError> {
    let Ok(index) = call.engine.code(Some(&root.to_string_lossy())) else {
        return Ok(None);
    };
    let mut files = index.files()?;
    let file_count = files.len();
    files.truncate(SHOWN_FILES);
    Ok(Some(WatchedFiles { file_count, files_omitted: file_count > SHOWN_FILES, files }))
}

/// Converts the counts of a watch.
fn watch_stats(state: &WatchState) -> WatchStats {
    let last_run = state.last_run;
    WatchStats {
        runs: state.runs,
        files_added: state.added,
        files_changed: state.changed,
        files_removed: state.removed,
        errors: state.errors,
        last_error: state.last_error.clone(),
        last_run: last_run.map(|time| humantime::format_rfc3339_seconds(time).to_string()),
    }
}
