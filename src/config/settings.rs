//! The table of settings: one row each.
//!
//! To add a setting, add a row to [`SETTINGS`], and a default to `setting_defaults` if it has one.
//! Flags, variables, files, `ken config` and the reference page follow the table.

use toml::Value;

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
    Setting::new(
        "home",
        SettingShape::Path,
        "the folder of all indexes, with one folder per collection",
    ),
    Setting::new(
        "log",
        SettingShape::Text,
        "the log level on stderr: error, warn, info, debug, or one per module",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "backend",
        SettingShape::Text,
        "the search backend: embedded (files under `home`), qdrant or postgres (--backend)",
    ),
    Setting::new(
        "qdrant.url",
        SettingShape::Text,
        "the REST address of Qdrant; several with commas for a cluster",
    ),
    Setting::new("qdrant.key", SettingShape::Secret, "the key for Qdrant"),
    Setting::new(
        "qdrant.shards",
        SettingShape::Number,
        "the number of shards of a new collection (default: 1)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "qdrant.replicas",
        SettingShape::Number,
        "the number of copies of each shard (default: 1)",
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
        "the largest file that is indexed, in bytes; larger ones are skipped and reported",
    )
    .narrowed_by_any_repository(Narrowing::LowersLimit),
    Setting::new(
        "index.max_files",
        SettingShape::Number,
        "the most files of a repository; a larger one is refused",
    )
    .narrowed_by_any_repository(Narrowing::LowersLimit),
    Setting::new(
        "index.refresh_ms",
        SettingShape::Number,
        "the longest wait of a question for changed files to be indexed, in milliseconds; 0 turns the check off",
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
        "index file systems that are mounted below the root: on or off",
    ),
    Setting::new(
        "index.secrets",
        SettingShape::List,
        "globs of files to index although they look like secrets; `**` for all",
    ),
    Setting::new(
        "hook.search",
        SettingShape::Text,
        "let the search hook of `ken install --hook` add facts to an agent's searches: on or off",
    ),
    Setting::new(
        "graph.scip",
        SettingShape::List,
        "SCIP indexes of compilers, as a source of exact edges (default: index.scip in the root)",
    )
    .narrowed_by_any_repository(Narrowing::PathsInsideRoot),
    Setting::new(
        "packages.db",
        SettingShape::Path,
        "the database that `shire build` writes (default: .shire/index.db)",
    )
    .narrowed_by_any_repository(Narrowing::PathsInsideRoot),
    Setting::new(
        "packages.manifests",
        SettingShape::List,
        "the names of manifest files to read (default: all known ones)",
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
        "rules for packages of your own: a directory with certain files is a package",
    )
    .narrowed_by_any_repository(Narrowing::PackageRules),
    Setting::new(
        "packages.describe",
        SettingShape::Tables(&["name", "description"]),
        "descriptions of packages, in place of those in their manifests",
    )
    .narrowed_by_any_repository(Narrowing::PackageRules),
    Setting::new(
        "skills.directories",
        SettingShape::List,
        "further folders of skills, which take precedence (--skill-dir)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "skills.home",
        SettingShape::Path,
        "the home directory for your own skills, such as .agents/skills below it",
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
        "the interval at which a server looks for changed skills, in milliseconds; 0 for never",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "skills.events",
        SettingShape::Text,
        "let a server use file events to see changed skills at once: on or off",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "skills.description_limit",
        SettingShape::Number,
        "the most characters of the skill list in the tool's description; 0 for no limit \
                  (default: none; 2048 for clients that are known to cut longer ones)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "specs.folder",
        SettingShape::Path,
        "a folder of specs, in addition to the folders that are found automatically",
    )
    .narrowed_by_any_repository(Narrowing::PathsInsideRoot),
    Setting::new(
        "specs.changes",
        SettingShape::Path,
        "a folder of spec changes, in addition to the folders that are found automatically",
    )
    .narrowed_by_any_repository(Narrowing::PathsInsideRoot),
    Setting::new(
        "embedding.provider",
        SettingShape::Text,
        "the embedding provider (default: static; `ken providers` lists all)",
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
        "the number of dimensions of its vectors (default: the model's own)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "embedding.models",
        SettingShape::Path,
        "the folder of local models, one folder each",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "embedding.batch_size",
        SettingShape::Number,
        "the number of texts in a request (default: the provider's own)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "embedding.batch_bytes",
        SettingShape::Number,
        "the most bytes of text in a request",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "embedding.concurrency",
        SettingShape::Number,
        "the number of concurrent requests",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "embedding.timeout_ms",
        SettingShape::Number,
        "the time limit of a request, in milliseconds",
    )
    .set_by_trusted_repository(),
    Setting::new("embedding.retries", SettingShape::Number, "the number of retries of a request")
        .set_by_trusted_repository(),
    Setting::new(
        "embedding.retry_delay_ms",
        SettingShape::Number,
        "the delay before the first retry, in milliseconds; it doubles with each retry",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "search.weights",
        SettingShape::List,
        "weights of ranking signals, each `name=number`, in place of the built-in ones",
    )
    .set_by_trusted_repository(),
    Setting::new("ollama.url", SettingShape::Text, "the address of Ollama"),
    Setting::new("ollama.model", SettingShape::Text, "the model for `ollama`")
        .set_by_trusted_repository(),
    Setting::new(
        "openai.url",
        SettingShape::Text,
        "the address of a service with OpenAI's embeddings API",
    ),
    Setting::new("openai.key", SettingShape::Secret, "the key for `openai`"),
    Setting::new("openai.model", SettingShape::Text, "the model for `openai`")
        .set_by_trusted_repository(),
    Setting::new(
        "openai.dimension",
        SettingShape::Number,
        "the number of dimensions of the vectors of `openai`",
    )
    .set_by_trusted_repository(),
    Setting::new("voyage.url", SettingShape::Text, "the address of Voyage AI"),
    Setting::new("voyage.key", SettingShape::Secret, "the key for `voyage`"),
    Setting::new("voyage.model", SettingShape::Text, "the model for `voyage`")
        .set_by_trusted_repository(),
    Setting::new(
        "reranker.url",
        SettingShape::Text,
        "the address of a service that reranks the best results of a search (`/rerank`)",
    ),
    Setting::new("reranker.key", SettingShape::Secret, "the key for `reranker`"),
    Setting::new("reranker.model", SettingShape::Text, "the model for `reranker`")
        .set_by_trusted_repository(),
    Setting::new("mlx.url", SettingShape::Text, "the address of the MLX server"),
    Setting::new("mlx.key", SettingShape::Secret, "the key for `mlx`, if it needs one"),
    Setting::new("mlx.model", SettingShape::Text, "the model for `mlx`")
        .set_by_trusted_repository(),
    Setting::new(
        "swift_embeddings.model",
        SettingShape::Text,
        "the model for `swift-embeddings`, a folder in `embedding.models`",
    )
    .set_by_trusted_repository(),
    Setting::new("http.host", SettingShape::Text, "the address that `ken http` listens on"),
    Setting::new(
        "http.port",
        SettingShape::Number,
        "the port that `ken http` listens on; 0 for any free port",
    ),
    Setting::new(
        "http.token",
        SettingShape::Secret,
        "the token that callers send as `Authorization: Bearer …`; required beyond loopback",
    ),
    Setting::new(
        "http.advertise",
        SettingShape::Text,
        "the address of this machine's `ken http` for other machines that share its backend: \
         they forward questions that only this machine can answer",
    ),
    Setting::new(
        "http.hosts",
        SettingShape::List,
        "host names under which callers may address it, in addition to loopback's",
    ),
    Setting::new(
        "http.origins",
        SettingShape::List,
        "origins of web pages that may call it, in addition to loopback's",
    ),
    Setting::new(
        "http.roots",
        SettingShape::List,
        "directories that callers may index, watch and name, in addition to the served root \
         (--allow-root)",
    ),
    Setting::new("http.max_body", SettingShape::Number, "the largest request body, in bytes"),
    Setting::new(
        "http.concurrency",
        SettingShape::Number,
        "the most concurrent requests; further ones get 429 with Retry-After",
    ),
    Setting::new(
        "http.timeout_ms",
        SettingShape::Number,
        "the time limit of a question, in milliseconds",
    ),
    Setting::new(
        "http.drain_ms",
        SettingShape::Number,
        "the time for running requests to end after a stop, in milliseconds",
    ),
    Setting::new("mcp.enabled", SettingShape::Text, "let `ken http` serve MCP too: true or false")
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
        "the server version that MCP clients see (default: Kenning's own)",
    )
    .set_by_trusted_repository(),
    Setting::new(
        "mcp.timeout_ms",
        SettingShape::Number,
        "the time limit of a question on standard input, in milliseconds",
    ),
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
