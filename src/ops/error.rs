//! The only error that an entry point sees: its kind, a message, and what to do next.
//!
//! The conversion from [`EngineError`] chooses the kind and the hint of a failure of the engine;
//! operations make errors about their arguments themselves. The kind decides the exit code, the HTTP status and the JSON-RPC code.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::engine::{EmbedError, EngineError, StoreError};
use crate::indexing::{IndexError, WalkError};
use kenning_model::redact;

/// The error of an operation. Message and hint are redacted when they are set, so no entry point
/// can print a key.
#[derive(Clone, Debug, PartialEq)]
pub struct OpError {
    /// Decides how each entry point reports the error.
    pub kind: ErrorKind,
    /// One sentence without a period. The contracts fix the wording of some.
    pub message: String,
    /// The next step, as a sentence without an end.
    pub hint: Option<String>,
    /// Details for programs, such as suggestions.
    pub details: Option<Box<ErrorDetails>>,
}

/// The details of an error for programs. On the wire it is the object `data`, which has only the
/// fields that are set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ErrorDetails {
    /// The path that the error is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The enclosing root that is indexed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The address without a resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Similar names, best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestions: Option<Vec<String>>,
    /// The number of matches, shown or not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// The things that share the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matches: Option<Vec<String>>,
    /// The known collections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collections: Option<Vec<String>>,
    /// The scenarios of the requirement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenarios: Option<Vec<String>>,
    /// The providers that could make vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available_providers: Option<Vec<String>>,
    /// The next step, in a contract's words. MCP fills in the hint if it is unset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

impl ErrorDetails {
    /// Details with the path that the error is about.
    pub fn of_path(path: impl fmt::Display) -> ErrorDetails {
        ErrorDetails { path: Some(path.to_string()), ..ErrorDetails::default() }
    }

    /// Details with similar names, best first.
    pub fn of_suggestions<T: Into<String>>(names: impl IntoIterator<Item = T>) -> ErrorDetails {
        ErrorDetails { suggestions: text_list(names), ..ErrorDetails::default() }
    }

    /// Details with the things that share the name.
    pub fn of_matches<T: Into<String>>(names: impl IntoIterator<Item = T>) -> ErrorDetails {
        ErrorDetails { matches: text_list(names), ..ErrorDetails::default() }
    }

    /// Converts the details to JSON, for the wire.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("all fields are texts, numbers and lists")
    }
}

/// Collects the texts of a list field.
fn text_list<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Option<Vec<String>> {
    Some(texts.into_iter().map(Into::into).collect())
}

/// The kind of a failure. Each family's wire convention and each exit code depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller must change the arguments or the settings.
    BadArgument,
    /// The arguments are fine, but nothing has that name.
    NotFound,
    /// Several things have that name; the data lists them.
    Ambiguous,
    /// Nothing is indexed that could answer, or the index is of another format or model.
    NoIndex,
    /// An embedding provider or a backend does not answer.
    ProviderUnavailable,
    /// A writer replaced the index during the call. A retry succeeds.
    Conflict,
    /// Another process holds the lock of the index.
    Busy,
    /// The caller, a signal or a deadline stopped the work.
    Cancelled,
    /// A defect, or a failure of the disk. Entry points log it.
    Internal,
}

/// Errors of other programs may quote a key that they were given. `new` and `hint` redact it.
impl OpError {
    /// Creates an error without a hint.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> OpError {
        let message = redact::hide_secrets(&message.into()).into_owned();
        OpError { kind, message, hint: None, details: None }
    }

    /// Creates an error about the arguments.
    pub fn bad_argument(message: impl Into<String>) -> OpError {
        OpError::new(ErrorKind::BadArgument, message)
    }

    /// Creates an error that is no mistake of the caller.
    pub fn internal(message: impl Into<String>) -> OpError {
        OpError::new(ErrorKind::Internal, message)
    }

    /// Creates the error for missing vectors. `available` lists the providers that could make some.
    pub fn embedding(error: &EmbedError, available: &[&str]) -> OpError {
        let kind = match error {
            EmbedError::Cancelled => return OpError::new(ErrorKind::Cancelled, error.to_string()),
            EmbedError::UnknownProvider { .. } | EmbedError::Setting { .. } => {
                ErrorKind::BadArgument
            }
            _ => ErrorKind::ProviderUnavailable,
        };
        let others = match available {
            [] => "no provider is available; `ken providers` says why".to_string(),
            available => format!("available: {}", available.join(", ")),
        };
        let hint = match error.remedy() {
            Some(remedy) => format!("{remedy}; {others}"),
            None => others,
        };
        OpError::new(kind, error.to_string()).hint(hint).details(ErrorDetails {
            available_providers: text_list(available.iter().copied()),
            ..ErrorDetails::default()
        })
    }

    /// Sets the next step.
    pub fn hint(mut self, hint: impl Into<String>) -> OpError {
        self.hint = Some(redact::hide_secrets(&hint.into()).into_owned());
        self
    }

    /// Sets the details.
    pub fn details(mut self, details: ErrorDetails) -> OpError {
        self.details = Some(Box::new(details));
        self
    }
}

/// The contract's words first, then the remedy: many clients show the model nothing else.
impl fmt::Display for OpError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(formatter, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for OpError {}

impl From<EngineError> for OpError {
    fn from(error: EngineError) -> OpError {
        let message = error.to_string();
        if let Some((kind, hint)) = classify_environment_error(&error) {
            return OpError::new(kind, message).hint(hint);
        }
        match error {
            EngineError::NoPackageIndex { .. } => OpError::new(ErrorKind::NoIndex, message)
                .hint("run `ken index` (or `shire build`) in the repository first"),
            EngineError::NoCodeIndex { path } => no_code_index_error(message, &path),
            EngineError::PartOfIndex { path, root } => part_of_index_error(message, &path, &root),
            EngineError::NoSuchCollection { path, known, .. } => {
                no_such_collection_error(message, &path, known)
            }
            EngineError::NoCollection { known, .. } => no_collection_error(message, known),
            EngineError::NotInIndex { .. } => OpError::new(ErrorKind::NotFound, message)
                .hint("search_code finds files and names; if it is new, run index_codebase (or `ken index`) first"),
            EngineError::ModelMismatch { .. } => OpError::new(ErrorKind::NoIndex, message)
                .hint("run index_codebase (or `ken index`) to embed it again"),
            EngineError::UnreadableIndex(_) => OpError::new(ErrorKind::NoIndex, message)
                .hint("run `ken index` (or `shire build`) to rebuild it"),
            EngineError::Embedding { source, available } => OpError::embedding(&source, &available),
            EngineError::SpecNotFound { nearest, .. } => not_found_error(message, "list_specs", nearest),
            EngineError::ChangeNotFound { nearest, .. } => {
                not_found_error(message, "list_changes", nearest)
            }
            EngineError::SpecUnreadable { .. } => OpError::internal(message),
            EngineError::NoSpecIndex { .. }
            | EngineError::UnreadableSpecIndex(_)
            | EngineError::SpecModelMismatch { .. } => OpError::new(ErrorKind::NoIndex, message)
                .hint("run `ken index` (or `spox index`) in the repository to build it"),
            EngineError::Config(_) => {
                OpError::bad_argument(message).hint("`ken config --help` lists the settings")
            }
            EngineError::Index(IndexError::Cancelled) | EngineError::Store(StoreError::Cancelled) => {
                OpError::new(ErrorKind::Cancelled, message)
            }
            EngineError::Index(IndexError::Root { path, .. }) => {
                OpError::new(ErrorKind::NotFound, message)
                    .hint("give the path of a directory that you can read")
                    .details(ErrorDetails::of_path(path.display()))
            }
            EngineError::Store(refused) if refused.is_refusal() => OpError::bad_argument(message),
            EngineError::Store(named) if named.existing_name().is_some() => {
                OpError::internal(message).hint(rename_hint(named.existing_name()))
            }
            EngineError::OutsideOfRoots { .. } => OpError::bad_argument(message)
                .hint("start the server with --allow-root DIRECTORY to allow more"),
            EngineError::NoSpecs
            | EngineError::NoSkillFile(_)
            | EngineError::LargeSkillFile(_)
            | EngineError::SkillFile(_)
            | EngineError::NoSuchBackend { .. }
            | EngineError::BroadRoot { .. }
            | EngineError::UnsafeDatabase { .. }
            | EngineError::GraphNotLocal { .. }
            | EngineError::NoHome
            | EngineError::Index(_)
            | EngineError::Store(_) => OpError::internal(message),
        }
    }
}

/// Returns the kind and the remedy of an error around the engine: a backend, a lock, a file.
fn classify_environment_error(error: &EngineError) -> Option<(ErrorKind, String)> {
    classify_backend_error(error)
        .or_else(|| classify_lock_error(error))
        .or_else(|| classify_file_error(error))
}

/// Returns the kind and the remedy of an error of a collection's backend, local or remote.
fn classify_backend_error(error: &EngineError) -> Option<(ErrorKind, String)> {
    match error {
        EngineError::NoSuchBackend { known, .. } => {
            let hint = format!("choose one of {}", known.join(", "));
            Some((ErrorKind::BadArgument, hint))
        }
        EngineError::GraphNotLocal { .. } => {
            let hint = "run `ken index` here, in a checkout of the repository, or ask the machine \
                        that indexes it";
            Some((ErrorKind::NoIndex, hint.to_string()))
        }
        EngineError::Store(StoreError::Changed { .. }) => {
            let hint = "it is being indexed; ask again";
            Some((ErrorKind::Conflict, hint.to_string()))
        }
        EngineError::Store(StoreError::Server { remedy, .. })
        | EngineError::Index(IndexError::Store(StoreError::Server { remedy, .. })) => {
            Some((ErrorKind::ProviderUnavailable, remedy.clone()))
        }
        EngineError::Store(error) | EngineError::Index(IndexError::Store(error))
            if error.is_damage() =>
        {
            let hint = "run `ken index`, which rebuilds it";
            Some((ErrorKind::Internal, hint.to_string()))
        }
        _ => None,
    }
}

/// Returns the kind and the remedy if another process is writing the same index.
fn classify_lock_error(error: &EngineError) -> Option<(ErrorKind, String)> {
    match error {
        EngineError::Store(StoreError::Busy { .. })
        | EngineError::Index(IndexError::Store(StoreError::Busy { .. })) => {
            let hint = "nothing was lost; try again when it is done";
            Some((ErrorKind::Busy, hint.to_string()))
        }
        _ => None,
    }
}

/// Returns the kind and the remedy of an error about the tree, specs or skills on the disk.
fn classify_file_error(error: &EngineError) -> Option<(ErrorKind, String)> {
    let (kind, hint) = match error {
        EngineError::UnsafeDatabase { .. } => {
            let hint = "remove the link or pipe that is there, or name another database with --db";
            (ErrorKind::BadArgument, hint)
        }
        EngineError::BroadRoot { .. } => {
            let hint = "index one repository below it; to index all of it, name it in a terminal \
                        with `ken index --root DIR`";
            (ErrorKind::BadArgument, hint)
        }
        EngineError::NoSpecs => (ErrorKind::NotFound, super::specs::WHERE_THEY_LIVE),
        EngineError::NoSkillFile(_) => {
            let hint = "skills/get lists the files of a skill";
            (ErrorKind::NotFound, hint)
        }
        EngineError::Index(IndexError::Vanished { .. }) => {
            let hint = "index it again when it is back, or drop its index with `ken forget`";
            (ErrorKind::NotFound, hint)
        }
        EngineError::Index(IndexError::Walk(WalkError::TooMany { .. })) => {
            let hint = "name a smaller root, list what is not to be indexed under index.exclude, or raise \
                        index.max_files in your own configuration";
            (ErrorKind::BadArgument, hint)
        }
        EngineError::Index(IndexError::Walk(WalkError::IgnoreFile { .. })) => {
            (ErrorKind::BadArgument, "remove it, or put a regular file in its place")
        }
        EngineError::Store(StoreError::Io { source, .. })
        | EngineError::Index(IndexError::Store(StoreError::Io { source, .. }))
            if source.kind() == std::io::ErrorKind::PermissionDenied =>
        {
            let hint = "indexes are kept there: fix its permissions, or set KEN_HOME to a folder that can be written";
            (ErrorKind::Internal, hint)
        }
        EngineError::LargeSkillFile(_) => {
            let hint = "read it from the skill's base directory instead";
            (ErrorKind::BadArgument, hint)
        }
        _ => return None,
    };
    Some((kind, hint.to_string()))
}

/// The error for a root without an index. The contract fixes the suggestion.
fn no_code_index_error(message: String, path: &Path) -> OpError {
    OpError::new(ErrorKind::NoIndex, message)
        .hint("run index_codebase (or `ken index`) first")
        .details(ErrorDetails {
            suggestion: Some("Run index_codebase first".to_string()),
            ..ErrorDetails::of_path(path.display())
        })
}

/// The error for a path or name that is no collection, with all known names.
fn no_such_collection_error(message: String, path: &Path, known: Vec<String>) -> OpError {
    OpError::new(ErrorKind::NoIndex, message)
        .hint(collection_hint(&known))
        .details(ErrorDetails { collections: Some(known), ..ErrorDetails::of_path(path.display()) })
}

/// The error for a directory that is indexed only as a part of an enclosing root. The hint shows
/// how to search that part of the enclosing index.
fn part_of_index_error(message: String, path: &Path, root: &Path) -> OpError {
    let below = path.strip_prefix(root).unwrap_or(path).display();
    let hint = format!(
        "{below} is a part of {}, which is indexed: leave `path` out and give the `file_filter` \
         \"{below}/**\"; to index the part by itself, run index_codebase (or `ken index`) on it",
        root.display()
    );
    OpError::new(ErrorKind::NoIndex, message).hint(hint).details(ErrorDetails {
        root: Some(root.display().to_string()),
        ..ErrorDetails::of_path(path.display())
    })
}

/// The hint for an unknown collection: the known ones, or how to make the first.
fn collection_hint(known: &[String]) -> String {
    match known {
        [] => "nothing is indexed yet; run index_codebase (or `ken index`) with the path of a \
               directory"
            .to_string(),
        known => format!("give one of {}, or the path of its root", list_names(known)),
    }
}

/// The hint for a root that is already indexed under another name.
fn rename_hint(name: Option<&str>) -> String {
    let name = name.unwrap_or_default();
    format!(
        "leave the name out to bring that index up to date, or run `ken forget {name}` first to \
         index it under another name"
    )
}

/// Joins names for a message; beyond ten, the rest is counted.
fn list_names(names: &[String]) -> String {
    const SHOWN: usize = 10;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>();
    let shown = shown.join(", ");
    match names.len().checked_sub(SHOWN + 1) {
        Some(more) => format!("{shown} and {} more (`ken collections`)", more + 1),
        None => shown,
    }
}

/// The error of the collections family for an unknown collection, with all known names as data.
fn no_collection_error(message: String, known: Vec<String>) -> OpError {
    let hint = match known.as_slice() {
        [] => "none is indexed yet; run index_codebase (or `ken index`) first".to_string(),
        known => {
            format!("there are {}; index_codebase (or `ken index`) makes more", known.join(", "))
        }
    };
    OpError::new(ErrorKind::NotFound, message)
        .hint(hint)
        .details(ErrorDetails { collections: Some(known), ..ErrorDetails::default() })
}

impl From<StoreError> for OpError {
    fn from(error: StoreError) -> OpError {
        EngineError::from(error).into()
    }
}

/// The error for a name without a match, with similar names. `list` is the operation that lists
/// what there is.
pub fn not_found_error(message: String, list: &str, nearest: Vec<String>) -> OpError {
    let hint = match nearest.as_slice() {
        [] => format!("{list} shows what there is"),
        [first, ..] => format!("did you mean {first:?}? {list} shows what there is"),
    };
    OpError::new(ErrorKind::NotFound, message)
        .hint(hint)
        .details(ErrorDetails::of_suggestions(nearest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unavailable_provider_says_which_are_not() {
        let error = EmbedError::Unavailable {
            provider: "voyage".to_string(),
            why: "no key is set".to_string(),
            remedy: "set VOYAGE_API_KEY".to_string(),
        };
        let available = vec!["static", "ollama"];
        let error = OpError::from(EngineError::Embedding { source: error, available });
        assert_eq!(error.kind, ErrorKind::ProviderUnavailable);
        assert_eq!(
            error.to_string(),
            "the embedding provider voyage is unavailable: no key is set; \
             set VOYAGE_API_KEY; available: static, ollama"
        );
        let available = vec!["static".to_string(), "ollama".to_string()];
        assert_eq!(error.details.unwrap().available_providers, Some(available));
    }

    #[test]
    fn somebody_else_at_work_is_no_failure_of_ours() {
        let busy = || StoreError::Busy { path: "code.db".into(), holder: "process 7".to_string() };
        for error in [EngineError::Store(busy()), EngineError::Index(IndexError::Store(busy()))] {
            let error = OpError::from(error);
            assert_eq!(error.kind, ErrorKind::Busy);
            assert_eq!(
                error.to_string(),
                "another process is writing code.db (process 7); nothing was lost; try again when \
                 it is done"
            );
        }
    }

    #[test]
    fn what_the_user_mistyped_is_a_bad_argument() {
        let error =
            EmbedError::UnknownProvider { name: "opnai".to_string(), known: vec!["openai"] };
        let error = OpError::embedding(&error, &[]);
        assert_eq!(error.kind, ErrorKind::BadArgument);
        let cancelled = OpError::embedding(&EmbedError::Cancelled, &[]);
        assert_eq!(cancelled.kind, ErrorKind::Cancelled);
    }
}
