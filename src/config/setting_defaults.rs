//! The defaults of settings. Some depend on the directories of the system.

use std::path::PathBuf;

use toml::Value;

use super::ProcessEnv;
use super::settings::Setting;

/// Directories of third-party packages and build output that git may not ignore.
const EXCLUDED: [&str; 7] =
    ["node_modules", "bower_components", "vendor", "third_party", "target", "Pods", "Carthage"];

/// Returns the default of a setting; `None` if it has none, or if the system lacks the directory it
/// depends on.
pub fn default_value(setting: &Setting, process_env: &ProcessEnv) -> Option<Value> {
    match setting.key {
        "home" => path_value(process_env.data_directory.clone()),
        // The MCP library logs a warning for every error that it returns to a client.
        "log" => Some(Value::from("warn,rmcp=error")),
        "index.exclude" => Some(Value::from(EXCLUDED.to_vec())),
        "skills.home" => path_value(process_env.home_directory.clone()),
        "skills.claude_config" => path_value(claude_directory(process_env)),
        "skills.refresh_ms" => Some(Value::from(30_000)),
        "skills.events" => Some(Value::from("on")),
        "index.max_file_size" => Some(Value::from(1_048_576)),
        "index.max_files" => Some(Value::from(1_000_000)),
        "index.refresh_ms" => Some(Value::from(2_000)),
        "index.watch" => Some(Value::from("on")),
        "hook.search" => Some(Value::from("on")),
        "index.other_file_systems" => Some(Value::from("off")),
        "http.host" => Some(Value::from("127.0.0.1")),
        "http.port" => Some(Value::from(3000)),
        "http.max_body" => Some(Value::from(4_194_304)),
        "http.concurrency" => Some(Value::from(256)),
        "http.timeout_ms" => Some(Value::from(30_000)),
        "http.drain_ms" => Some(Value::from(10_000)),
        "mcp.timeout_ms" => Some(Value::from(30_000)),
        "mcp.enabled" => Some(Value::from("false")),
        "mcp.transport" => Some(Value::from("stdio")),
        "mcp.server_name" => Some(Value::from("code-indexer")),
        "embedding.models" => {
            let path = process_env.data_directory.as_ref()?.join("models");
            Some(Value::from(path.to_string_lossy().as_ref()))
        }
        _ => None,
    }
}

/// Returns the default as the reference page shows it: that of a user on Linux.
pub fn usual_default(setting: &Setting) -> Option<String> {
    let process_env = ProcessEnv {
        data_directory: Some(PathBuf::from("~/.local/share/kenning")),
        home_directory: Some(PathBuf::from("~")),
        ..ProcessEnv::default()
    };
    let value = default_value(setting, &process_env)?;
    Some(match value.as_str() {
        Some(text) => text.to_string(),
        None => value.to_string(),
    })
}

/// Converts a path; `None` stays `None`.
fn path_value(path: Option<PathBuf>) -> Option<Value> {
    Some(Value::from(path?.to_string_lossy().as_ref()))
}

/// Returns Claude Code's folder. A relative `CLAUDE_CONFIG_DIR` resolves against the working
/// directory.
fn claude_directory(process_env: &ProcessEnv) -> Option<PathBuf> {
    let moved = process_env.variables.get("CLAUDE_CONFIG_DIR");
    match moved.filter(|moved| !moved.is_empty()) {
        Some(moved) => Some(process_env.working_directory.join(moved)),
        None => Some(process_env.home_directory.as_ref()?.join(".claude")),
    }
}
