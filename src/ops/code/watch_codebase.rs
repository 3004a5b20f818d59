//! `watch_codebase`: an index that follows its repository.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::root_of;
use crate::engine::{Started, WatchMode, WatchState, WatchStatus};
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply};

pub const OP: OpEntry = OpEntry {
    name: "watch_codebase",
    family: Family::Code,
    origin: Origin::Contract,
    summary: "Watch a codebase for changes and auto-update its index, for as long as this server \
              runs. `start` also catches up with what changed before; `status` says what is \
              watched and what was updated.",
    effect: Effect::Updates,
    schema,
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
    action: Action,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Start,
    Stop,
    Status,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let WatchCodebaseArgs { path, action } = args.parse()?;
    let root = root_of(call, &path)?;
    let reply = match action {
        Action::Start => start(call, &root),
        Action::Stop => stop(call, &root),
        Action::Status => status(call, &root),
    };
    Ok(Reply::Object(reply?))
}

fn start(call: &Call, root: &Path) -> Result<Value, OpError> {
    let message = match call.engine.watch(root)? {
        Started::Now => "watching for changes",
        Started::Before => "already watching",
    };
    Ok(json!({ "path": root, "watching": true, "message": message }))
}

fn stop(call: &Call, root: &Path) -> Result<Value, OpError> {
    Ok(match call.engine.unwatch(root)? {
        Some(state) => json!({
            "path": root, "watching": false, "message": "stopped watching",
            "sessionStats": stats(&state),
        }),
        None => json!({ "path": root, "watching": false, "message": "was not watching" }),
    })
}

fn status(call: &Call, root: &Path) -> Result<Value, OpError> {
    let Some(WatchStatus { state, mode }) = call.engine.watch_status(root)? else {
        return Ok(json!({ "path": root, "watching": false }));
    };
    let mut shown = json!({
        "path": root,
        "watching": true,
        "state": if state.is_indexing { "indexing" } else { "idle" },
        "stats": stats(&state),
    });
    match mode {
        WatchMode::Events => shown["mode"] = "events".into(),
        WatchMode::Polling { reason } => {
            shown["mode"] = "polling".into();
            shown["modeReason"] = reason.into();
        }
    }
    // Before the first run ends there may be no index yet.
    let address = root.to_string_lossy();
    if let Ok(index) = call.engine.code(Some(&address)) {
        let mut files = index.files()?;
        shown["fileCount"] = files.len().into();
        if files.len() > SHOWN_FILES {
            files.truncate(SHOWN_FILES);
            shown["filesOmitted"] = true.into();
        }
        shown["files"] = files.into();
    }
    Ok(shown)
}

fn stats(state: &WatchState) -> Value {
    let mut stats = json!({
        "runs": state.runs,
        "filesAdded": state.added,
        "filesChanged": state.changed,
        "filesRemoved": state.removed,
        "errors": state.errors,
    });
    if let Some(error) = &state.last_error {
        stats["lastError"] = error.as_str().into();
    }
    if let Some(time) = state.last_run {
        stats["lastRun"] = humantime::format_rfc3339_seconds(time).to_string().into();
    }
    stats
}
