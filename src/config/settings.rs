//! The table of settings: one row each, with its default.
//!
//! To add a setting, add a row to [`SETTINGS`], and a default if it has one. Flags, variables,
//! files, `ken config` and the reference page follow the table.

use std::path::PathBuf;

use toml::Value;

use super::ProcessEnv;
use kenning_model::redact;

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// The dotted key in `kenning.toml`. The variable is `KEN_` and the key in capitals.
    pub key: &'static str,
    pub shape: SettingShape,
    pub summary: &'static str,
    pub authority: Authority,
}

/// The authority that a setting needs. A new setting is closed to repositories until its row opens
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// The user alone: keys, addresses, where data is kept, who may call.
    User,
    /// A repository whose value the user approved with `ken trust`.
    TrustedRepository,
    /// Any repository, within the rule. Beyond the rule it needs trust.
    AnyRepository(Narrowing),
}

/// The rule by which an untrusted repository may change a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrowing {
    /// Its items are added to the user's list.
    AddsToList,
    /// Its number counts only if it is lower than the user's.
    LowersLimit,
    /// Its paths count only if they stay inside the root.
    PathsInsideRoot,
    /// Its items count only if the user's list is empty or has them.
    SelectsFromList,
    /// Its tables describe the repository's own packages.
    PackageRules,
}

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingShape {
    Text,
    Path,
    Number,
    List,
    /// Text that no output shows.
    Secret,
    /// `[[key]]` tables with these fields.
    Tables(&'static [&'static str]),
}

/// The order is that of `ken config` and of the reference page. Summaries are shown to users.
pub const SETTINGS: &[Setting] = &[
    Setting::new("home", SettingShape::Path, "where indexes are kept, one folder per collection"),
    Setting::new(
        "log",
        SettingShape::Text,
        "what is logged to stderr: error, warn, info, debug, or per module",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "backend",
        SettingShape::Text,
        "where searches go: embedded (files under `home`), qdrant or postgres (--backend)",
    ),
    Setting::new(
        "qdrant.url",
        SettingShape::Text,
        "the REST address of Qdrant; of a cluster, several with commas",
    ),
    Setting::new("qdrant.key", SettingShape::Secret, "the key for Qdrant"),
    Setting::new(
        "qdrant.shards",
        SettingShape::Number,
        "into how many parts a new collection is divided (default: 1)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "qdrant.replicas",
        SettingShape::Number,
        "how many nodes have each part (default: 1)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "postgres.url",
        SettingShape::Secret,
        "the address of PostgreSQL, with its user and password",
    ),
    Setting::new(
        "index.exclude",
        SettingShape::List,
        "directory names or globs to skip, in addition to what git ignores",
    )
    .narrowed_by_any_repository(Narrowing::AddsToList),
    Setting::new(
        "index.max_file_size",
        SettingShape::Number,
        "larger files are reported and skipped, in bytes",
    )
    .narrowed_by_any_repository(Narrowing::LowersLimit),
    Setting::new("index.max_files", SettingShape::Number, "a tree with more files is refused")
        .narrowed_by_any_repository(Narrowing::LowersLimit),
    Setting::new(
        "index.refresh_ms",
        SettingShape::Number,
        "how long a question waits for the index to catch up with changed files, in milliseconds; 0 turns the check off",
    ),
    Setting::new(
        "index.on_demand",
        SettingShape::Text,
        "index a repository on the first question about it: on or off (default: on for commands and `--toolsets agent`, off for other servers)",
    ),
    Setting::new(
        "index.watch",
        SettingShape::Text,
        "servers watch the repository and update its index after changes: on or off",
    ),
    Setting::new(
        "index.other_file_systems",
        SettingShape::Text,
        "read file systems that are mounted below the root: on or off",
    ),
    Setting::new(
        "index.secrets",
        SettingShape::List,
        "globs of files to index although they look like secrets; `**` for all",
    ),
    Setting::new(
        "hook.search",
        SettingShape::Text,
        "on or off: the search hook of `ken install --hook` adds facts to an agent's searches",
    ),
    Setting::new(
        "graph.scip",
        SettingShape::List,
        "SCIP indexes of compilers to take edges from (default: index.scip in the root)",
    )
    .narrowed_by_any_repository(Narrowing::PathsInsideRoot),
    Setting::new(
        "packages.db",
        SettingShape::Path,
        "where `shire build` puts its database (default: .shire/index.db)",
    )
    .narrowed_by_any_repository(Narrowing::PathsInsideRoot),
    Setting::new(
        "packages.manifests",
        SettingShape::List,
        "the manifest file names to read (default: all that are known)",
    )
    .narrowed_by_any_repository(Narrowing::SelectsFromList),
    Setting::new(
        "packages.custom",
        SettingShape::Tables(&[
            "name",
            "kind",
            "requires",
            "paths",
            "exclude",
            "max_depth",
            "name_prefix",
        ]),
        "rules that make directories packages by the files they hold",
    )
    .narrowed_by_any_repository(Narrowing::PackageRules),
    Setting::new(
        "packages.describe",
        SettingShape::Tables(&["name", "description"]),
        "descriptions that replace a package's own",
    )
    .narrowed_by_any_repository(Narrowing::PackageRules),
    Setting::new(
        "skills.directories",
        SettingShape::List,
        "more folders of skills, before all others (--skill-dir)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "skills.home",
        SettingShape::Path,
        "where the user's skills are found: in .agents/skills and the like below it",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "skills.claude_config",
        SettingShape::Path,
        "Claude Code's folder (default: CLAUDE_CONFIG_DIR, else .claude at home)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "skills.refresh_ms",
        SettingShape::Number,
        "how often a server looks for changed skills on its own; 0 for never",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "skills.events",
        SettingShape::Text,
        "whether a server listens for file events to see changes at once: on or off",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "skills.description_limit",
        SettingShape::Number,
        "characters for the list of skills in the tool's description; 0 for no limit \
                  (default: none, but 2048 for clients that are known to cut there)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "specs.folder",
        SettingShape::Path,
        "where specs lie, beside the folders that are found without set-up",
    )
    .narrowed_by_any_repository(Narrowing::PathsInsideRoot),
    Setting::new(
        "specs.changes",
        SettingShape::Path,
        "where changes of specs lie, beside the folders that are found without set-up",
    )
    .narrowed_by_any_repository(Narrowing::PathsInsideRoot),
    Setting::new(
        "embedding.provider",
        SettingShape::Text,
        "who makes the vectors (default: static; `ken providers` lists them)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "embedding.model",
        SettingShape::Text,
        "the model of `embedding.provider` (default: the provider's own)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "embedding.dimension",
        SettingShape::Number,
        "how long its vectors are (default: as the model makes them)",
    )
    .set_by_trusted_repository(),
    Setting::new("embedding.models", SettingShape::Path, "where local models lie, one folder each")
        .set_by_trusted_repository(),
    Setting::new(
        "embedding.batch_size",
        SettingShape::Number,
        "texts in a request (default: the provider's own)",
    )
    .set_by_trusted_repository(),
    Setting::new("embedding.batch_bytes", SettingShape::Number, "bytes of text in a request")
        .set_by_trusted_repository(),
    Setting::new("embedding.concurrency", SettingShape::Number, "requests under way at a time")
        .set_by_trusted_repository(),
    Setting::new("embedding.timeout_ms", SettingShape::Number, "how long a request may take")
        .set_by_trusted_repository(),
    Setting::new("embedding.retries", SettingShape::Number, "how often a request is tried again")
        .set_by_trusted_repository(),
    Setting::new(
        "embedding.retry_delay_ms",
        SettingShape::Number,
        "the wait before the first retry; doubled before each further one",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "search.weights",
        SettingShape::List,
        "weights of ranking signals that replace the built-in ones, each `name=number`",
    )
    .set_by_trusted_repository(),
    Setting::new("ollama.url", SettingShape::Text, "where Ollama listens"),
    Setting::new("ollama.model", SettingShape::Text, "the model for `ollama`")
        .set_by_trusted_repository(),
    Setting::new(
        "openai.url",
        SettingShape::Text,
        "any service that speaks OpenAI's embeddings API",
    ),
    Setting::new("openai.key", SettingShape::Secret, "the key for `openai`"),
    Setting::new("openai.model", SettingShape::Text, "the model for `openai`")
        .set_by_trusted_repository(),
    Setting::new("openai.dimension", SettingShape::Number, "how long the vectors of `openai` are")
        .set_by_trusted_repository(),
    Setting::new("voyage.url", SettingShape::Text, "where Voyage AI listens"),
    Setting::new("voyage.key", SettingShape::Secret, "the key for `voyage`"),
    Setting::new("voyage.model", SettingShape::Text, "the model for `voyage`")
        .set_by_trusted_repository(),
    Setting::new(
        "reranker.url",
        SettingShape::Text,
        "a service that orders the best results of a search again (`/rerank`)",
    ),
    Setting::new("reranker.key", SettingShape::Secret, "the key for `reranker`"),
    Setting::new("reranker.model", SettingShape::Text, "the model for `reranker`")
        .set_by_trusted_repository(),
    Setting::new("mlx.url", SettingShape::Text, "where the MLX server listens"),
    Setting::new("mlx.key", SettingShape::Secret, "the key for `mlx`, if it wants one"),
    Setting::new("mlx.model", SettingShape::Text, "the model for `mlx`")
        .set_by_trusted_repository(),
    Setting::new(
        "swift_embeddings.model",
        SettingShape::Text,
        "the model for `swift-embeddings`, a folder in `embedding.models`",
    )
    .set_by_trusted_repository(),
    Setting::new("http.host", SettingShape::Text, "the address that `ken http` listens on"),
    Setting::new("http.port", SettingShape::Number, "its port; 0 for any that is free"),
    Setting::new(
        "http.token",
        SettingShape::Secret,
        "what callers must show as `Authorization: Bearer …`; needed beyond loopback",
    ),
    Setting::new(
        "http.advertise",
        SettingShape::Text,
        "the address at which other machines reach this one's `ken http`: with a server of \
         collections, they pass on what only this machine can answer",
    ),
    Setting::new(
        "http.hosts",
        SettingShape::List,
        "names under which callers may address it, beside loopback's",
    ),
    Setting::new(
        "http.origins",
        SettingShape::List,
        "origins of web pages that may call it, beside loopback's",
    ),
    Setting::new("http.max_body", SettingShape::Number, "the longest request, in bytes"),
    Setting::new(
        "http.concurrency",
        SettingShape::Number,
        "the most requests at a time; more are refused with 429 and Retry-After",
    ),
    Setting::new("http.timeout_ms", SettingShape::Number, "how long a question may take"),
    Setting::new(
        "http.drain_ms",
        SettingShape::Number,
        "how long requests in flight may take after the server is asked to stop",
    ),
    Setting::new(
        "mcp.enabled",
        SettingShape::Text,
        "whether `ken http` serves MCP beside it: true or false",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "mcp.transport",
        SettingShape::Text,
        "the MCP transport of `ken http`: stdio, or http for /mcp alone",
    )
    .set_by_trusted_repository(),
    Setting::new("mcp.server_name", SettingShape::Text, "the server name that MCP clients see")
        .set_by_trusted_repository(),
    Setting::new(
        "mcp.server_version",
        SettingShape::Text,
        "the version that it shows there (default: its own)",
    )
    .set_by_trusted_repository(),
];

impl Setting {
    /// A setting that only the user may set.
    const fn new(key: &'static str, shape: SettingShape, summary: &'static str) -> Setting {
        Setting { key, shape, summary, authority: Authority::User }
    }

    /// Opens the setting to repositories whose value the user approved.
    const fn set_by_trusted_repository(mut self) -> Setting {
        self.authority = Authority::TrustedRepository;
        self
    }

    /// Opens the setting to every repository, within a rule.
    const fn narrowed_by_any_repository(mut self, rule: Narrowing) -> Setting {
        self.authority = Authority::AnyRepository(rule);
        self
    }

    /// Describes the authority for the reference page.
    pub fn authority_text(&self) -> &'static str {
        match self.authority {
            Authority::User => "you",
            Authority::TrustedRepository => "you; a trusted repository",
            Authority::AnyRepository(Narrowing::AddsToList) => "you; a repository adds to it",
            Authority::AnyRepository(Narrowing::LowersLimit) => "you; a repository lowers it",
            Authority::AnyRepository(Narrowing::PathsInsideRoot) => {
                "you; a repository, inside its root"
            }
            Authority::AnyRepository(Narrowing::SelectsFromList) => {
                "you; a repository selects from your list"
            }
            Authority::AnyRepository(Narrowing::PackageRules) => {
                "you; a repository, for its own packages"
            }
        }
    }

    /// Returns the value for display: secrets hidden, passwords removed from addresses.
    pub fn redact_value(&self, value: &Value) -> Value {
        match self.shape {
            SettingShape::Secret => Value::from(redact::HIDDEN),
            _ => match value.as_str() {
                Some(text) if self.is_address() => {
                    Value::from(redact::hide_setting_credentials(text))
                }
                Some(text) => Value::from(redact::hide_credentials(text).into_owned()),
                None => value.clone(),
            },
        }
    }

    /// True if its value is an address, which may hold a name and a password.
    pub fn is_address(&self) -> bool {
        self.key.ends_with(".url") || self.key == "http.advertise"
    }
}

/// Directories of third-party packages and build output that git may not ignore.
const EXCLUDED: [&str; 7] =
    ["node_modules", "bower_components", "vendor", "third_party", "target", "Pods", "Carthage"];

/// Returns the default of a setting; `None` if it has none, or if the system lacks the directory it
/// depends on.
pub fn default_value(setting: &Setting, process_env: &ProcessEnv) -> Option<Value> {
    match setting.key {
        "home" => path_value(process_env.data_directory.clone()),
        // The MCP library warns of every error that a client is answered with.
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
