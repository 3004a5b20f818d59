//! The list of settings: one row each, and what each is when nobody says.

use std::path::PathBuf;

use toml::Value;

use super::Surroundings;
use crate::model::redact;

/// One thing that a user can set.
#[derive(Debug)]
pub struct Setting {
    /// The dotted key in `kenning.toml`. The variable is `KEN_` and the key in capitals.
    pub key: &'static str,
    pub shape: Shape,
    pub summary: &'static str,
}

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Text,
    Path,
    Number,
    List,
    /// Text that no output shows.
    Secret,
    /// `[[key]]` tables with these fields.
    Tables(&'static [&'static str]),
}

pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "home",
        shape: Shape::Path,
        summary: "where indexes are kept, one folder per collection",
    },
    Setting {
        key: "log",
        shape: Shape::Text,
        summary: "what is logged to stderr: error, warn, info, debug, or per module",
    },
    Setting::new(
        "backend",
        Shape::Text,
        "where searches go: embedded (files under `home`), qdrant or postgres (--backend)",
    ),
    Setting::new(
        "qdrant.url",
        Shape::Text,
        "the REST address of Qdrant; of a cluster, several with commas",
    ),
    Setting::new("qdrant.key", Shape::Secret, "the key for Qdrant"),
    Setting::new(
        "qdrant.shards",
        Shape::Number,
        "into how many parts a new collection is divided (default: 1)",
    ),
    Setting::new("qdrant.replicas", Shape::Number, "how many nodes have each part (default: 1)"),
    Setting::new(
        "postgres.url",
        Shape::Secret,
        "the address of PostgreSQL, with its user and password",
    ),
    Setting {
        key: "index.exclude",
        shape: Shape::List,
        summary: "directory names or globs left out beside what git ignores",
    },
    Setting {
        key: "index.max_file_size",
        shape: Shape::Number,
        summary: "larger files are reported and skipped, in bytes",
    },
    Setting::new(
        "index.secrets",
        Shape::List,
        "globs of files to index although they look like secrets; `**` for all",
    ),
    Setting {
        key: "graph.scip",
        shape: Shape::List,
        summary: "SCIP indexes of compilers to take edges from (default: index.scip in the root)",
    },
    Setting {
        key: "packages.db",
        shape: Shape::Path,
        summary: "where `shire build` puts its database (default: .shire/index.db)",
    },
    Setting {
        key: "packages.manifests",
        shape: Shape::List,
        summary: "the manifest file names to read (default: all that are known)",
    },
    Setting {
        key: "packages.custom",
        shape: Shape::Tables(&[
            "name",
            "kind",
            "requires",
            "paths",
            "exclude",
            "max_depth",
            "name_prefix",
        ]),
        summary: "rules that make directories packages by the files they hold",
    },
    Setting {
        key: "packages.describe",
        shape: Shape::Tables(&["name", "description"]),
        summary: "descriptions that replace a package's own",
    },
    Setting {
        key: "skills.directories",
        shape: Shape::List,
        summary: "more folders of skills, before all others (--skill-dir)",
    },
    Setting {
        key: "skills.home",
        shape: Shape::Path,
        summary: "where the user's skills are found: in .agents/skills and the like below it",
    },
    Setting {
        key: "skills.claude_config",
        shape: Shape::Path,
        summary: "Claude Code's folder (default: CLAUDE_CONFIG_DIR, else .claude at home)",
    },
    Setting {
        key: "skills.refresh_ms",
        shape: Shape::Number,
        summary: "how often a server looks for changed skills on its own; 0 for never",
    },
    Setting {
        key: "skills.events",
        shape: Shape::Text,
        summary: "whether a server listens for file events to see changes at once: on or off",
    },
    Setting {
        key: "skills.description_limit",
        shape: Shape::Number,
        summary: "characters for the list of skills in the tool's description; 0 for no limit \
                  (default: none, but 2048 for clients that are known to cut there)",
    },
    Setting {
        key: "specs.folder",
        shape: Shape::Path,
        summary: "where specs lie, beside the folders that are found without set-up",
    },
    Setting::new(
        "specs.changes",
        Shape::Path,
        "where changes of specs lie, beside the folders that are found without set-up",
    ),
    Setting::new(
        "embedding.provider",
        Shape::Text,
        "who makes the vectors (default: static; `ken providers` lists them)",
    ),
    Setting::new(
        "embedding.model",
        Shape::Text,
        "the model of `embedding.provider` (default: the provider's own)",
    ),
    Setting::new(
        "embedding.dimension",
        Shape::Number,
        "how long its vectors are (default: as the model makes them)",
    ),
    Setting::new("embedding.models", Shape::Path, "where local models lie, one folder each"),
    Setting::new(
        "embedding.batch_size",
        Shape::Number,
        "texts in a request (default: the provider's own)",
    ),
    Setting::new("embedding.batch_bytes", Shape::Number, "bytes of text in a request"),
    Setting::new("embedding.concurrency", Shape::Number, "requests under way at a time"),
    Setting::new("embedding.timeout_ms", Shape::Number, "how long a request may take"),
    Setting::new("embedding.retries", Shape::Number, "how often a request is tried again"),
    Setting::new(
        "embedding.retry_delay_ms",
        Shape::Number,
        "the wait before the first retry; doubled before each further one",
    ),
    Setting::new(
        "search.weights",
        Shape::List,
        "weights of ranking signals that replace the built-in ones, each `name=number`",
    ),
    Setting::new("ollama.url", Shape::Text, "where Ollama listens"),
    Setting::new("ollama.model", Shape::Text, "the model for `ollama`"),
    Setting::new("openai.url", Shape::Text, "any service that speaks OpenAI's embeddings API"),
    Setting::new("openai.key", Shape::Secret, "the key for `openai`"),
    Setting::new("openai.model", Shape::Text, "the model for `openai`"),
    Setting::new("openai.dimension", Shape::Number, "how long the vectors of `openai` are"),
    Setting::new("voyage.url", Shape::Text, "where Voyage AI listens"),
    Setting::new("voyage.key", Shape::Secret, "the key for `voyage`"),
    Setting::new("voyage.model", Shape::Text, "the model for `voyage`"),
    Setting::new(
        "reranker.url",
        Shape::Text,
        "a service that orders the best results of a search again (`/rerank`)",
    ),
    Setting::new("reranker.key", Shape::Secret, "the key for `reranker`"),
    Setting::new("reranker.model", Shape::Text, "the model for `reranker`"),
    Setting::new("mlx.url", Shape::Text, "where the MLX server listens"),
    Setting::new("mlx.key", Shape::Secret, "the key for `mlx`, if it wants one"),
    Setting::new("mlx.model", Shape::Text, "the model for `mlx`"),
    Setting::new(
        "swift_embeddings.model",
        Shape::Text,
        "the model for `swift-embeddings`, a folder in `embedding.models`",
    ),
    Setting::new("http.host", Shape::Text, "the address that `ken http` listens on"),
    Setting::new("http.port", Shape::Number, "its port; 0 for any that is free"),
    Setting::new(
        "http.token",
        Shape::Secret,
        "what callers must show as `Authorization: Bearer …`; needed beyond loopback",
    ),
    Setting::new(
        "http.advertise",
        Shape::Text,
        "the address at which other machines reach this one's `ken http`: with a server of \
         collections, they pass on what only this machine can answer",
    ),
    Setting::new(
        "http.hosts",
        Shape::List,
        "names under which callers may address it, beside loopback's",
    ),
    Setting::new(
        "http.origins",
        Shape::List,
        "origins of web pages that may call it, beside loopback's",
    ),
    Setting::new("http.max_body", Shape::Number, "the longest request, in bytes"),
    Setting::new(
        "http.concurrency",
        Shape::Number,
        "requests that may be under way; more are told to come back",
    ),
    Setting::new("http.timeout_ms", Shape::Number, "how long a question may take"),
    Setting::new(
        "http.drain_ms",
        Shape::Number,
        "how long what is in flight may take when the server is stopped",
    ),
    Setting::new(
        "mcp.enabled",
        Shape::Text,
        "whether `ken http` serves MCP beside it: true or false",
    ),
    Setting::new("mcp.transport", Shape::Text, "how it does: stdio, or http for /mcp alone"),
    Setting::new("mcp.server_name", Shape::Text, "what it calls itself there"),
    Setting::new(
        "mcp.server_version",
        Shape::Text,
        "the version that it shows there (default: its own)",
    ),
];

impl Setting {
    const fn new(key: &'static str, shape: Shape, summary: &'static str) -> Setting {
        Setting { key, shape, summary }
    }

    /// What may be said of a value.
    pub fn shown(&self, value: &Value) -> Value {
        match self.shape {
            Shape::Secret => Value::from(redact::HIDDEN),
            _ => match value.as_str() {
                Some(text) if self.is_address() => Value::from(redact::address_setting(text)),
                Some(text) => Value::from(redact::addresses(text).into_owned()),
                None => value.clone(),
            },
        }
    }

    /// Says whether its value is an address, which may hold a name and a password.
    pub fn is_address(&self) -> bool {
        self.key.ends_with(".url") || self.key == "http.advertise"
    }

    /// Whether only the user may set it: where indexes are kept, what is secret, whom to tell
    /// the secret, and who may call. A repository is other people's work.
    pub fn is_for_the_user(&self) -> bool {
        let is_address = self.key.ends_with(".url") || self.key.starts_with("http.");
        let is_named = matches!(self.key, "home" | "backend" | "index.secrets");
        is_named || self.shape == Shape::Secret || is_address
    }
}

/// Directories that hold other people's packages or build output, where git does not say so.
const EXCLUDED: [&str; 7] =
    ["node_modules", "bower_components", "vendor", "third_party", "target", "Pods", "Carthage"];

pub fn default_value(setting: &Setting, surroundings: &Surroundings) -> Option<Value> {
    match setting.key {
        "home" => path(surroundings.data_directory.clone()),
        // The MCP library warns of every error that a client is answered with.
        "log" => Some(Value::from("warn,rmcp=error")),
        "index.exclude" => Some(Value::from(EXCLUDED.to_vec())),
        "skills.home" => path(surroundings.home_directory.clone()),
        "skills.claude_config" => path(claude_config(surroundings)),
        "skills.refresh_ms" => Some(Value::from(30_000)),
        "skills.events" => Some(Value::from("on")),
        "index.max_file_size" => Some(Value::from(1_048_576)),
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
            let path = surroundings.data_directory.as_ref()?.join("models");
            Some(Value::from(path.to_string_lossy().as_ref()))
        }
        _ => None,
    }
}

/// The default as a page for everybody can show it: of a user on Linux.
pub fn usual_default(setting: &Setting) -> Option<String> {
    let surroundings = Surroundings {
        data_directory: Some(PathBuf::from("~/.local/share/kenning")),
        home_directory: Some(PathBuf::from("~")),
        ..Surroundings::default()
    };
    let value = default_value(setting, &surroundings)?;
    Some(match value.as_str() {
        Some(text) => text.to_string(),
        None => value.to_string(),
    })
}

fn path(path: Option<PathBuf>) -> Option<Value> {
    Some(Value::from(path?.to_string_lossy().as_ref()))
}

fn claude_config(surroundings: &Surroundings) -> Option<PathBuf> {
    let moved = surroundings.variables.get("CLAUDE_CONFIG_DIR");
    match moved.filter(|moved| !moved.is_empty()) {
        Some(moved) => Some(surroundings.working_directory.join(moved)),
        None => Some(surroundings.home_directory.as_ref()?.join(".claude")),
    }
}
