//! `watch_codebase`: an index that follows its repository.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::resolve_root;
use crate::engine::{Started, WatchMode, WatchState, WatchStatus};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

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

/// More files than this are counted and not listed.
const SHOWN_FILES: usize = 100;

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

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WatchAction {
    Start,
    Stop,
    Status,
}

/// The reply of `watch_codebase`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchCodebaseReply {
    pub path: PathBuf,
    pub watching: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Cow<'static, str>>,
    /// The counts of a watch that `stop` ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_stats: Option<WatchStats>,
    #[serde(flatten)]
    pub status: Option<WatchDetails>,
    #[serde(flatten)]
    pub files: Option<WatchedFiles>,
}

/// The state of a running watch.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchDetails {
    pub state: Cow<'static, str>,
    pub stats: WatchStats,
    pub mode: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode_reason: Option<String>,
}

/// The counts since a watch began.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchStats {
    pub runs: usize,
    pub files_added: usize,
    pub files_changed: usize,
    pub files_removed: usize,
    pub errors: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<String>,
}

/// The files of an index that is watched.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchedFiles {
    pub file_count: usize,
    /// True if there are more than are listed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub files_omitted: bool,
    pub files: Vec<String>,
}

impl WatchCodebaseReply {
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

fn start_watch(call: &Call, root: &Path) -> Result<WatchCodebaseReply, OpError> {
    let message = match call.engine.watch(root)? {
        Started::Now => "watching for changes",
        Started::Before => "already watching",
    };
    Ok(WatchCodebaseReply { message: Some(message.into()), ..WatchCodebaseReply::new(root, true) })
}

fn stop_watch(call: &Call, root: &Path) -> Result<WatchCodebaseReply, OpError> {
    let ended = call.engine.unwatch(root)?;
    let message = if ended.is_some() { "stopped watching" } else { "was not watching" };
    Ok(WatchCodebaseReply {
        message: Some(message.into()),
        session_stats: ended.map(|state| watch_stats(&state)),
        ..WatchCodebaseReply::new(root, false)
    })
}

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
