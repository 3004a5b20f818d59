//! Recognizes files that look like secrets: private keys, tokens, passwords in settings. The
//! functions look only at a path and a text. The answer names the kind of secret and never quotes
//! it.
//!
//! A name decides where it can (`names`). Otherwise the content does: key blocks and the tokens
//! of known services (`token_scan`), and settings such as `api_key: …` (`config_scan`). Programs are
//! never judged by content: a search that hides source code because of a test key would be wrong
//! too often.
//!
//! ```
//! use kenning_model::RepoPath;
//! use kenning_secrets::SecretRules;
//!
//! let rules = SecretRules::new(&["fixtures/".to_string()]);
//! assert!(rules.by_name(&RepoPath::new("deploy/id_rsa").unwrap()).is_some());
//! assert!(rules.by_name(&RepoPath::new("fixtures/id_rsa").unwrap()).is_none());
//! ```

mod config_scan;
mod file_name_rules;
mod token_scan;
mod value_entropy;

use std::fmt;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use file_name_rules::NameVerdict;
use kenning_lang::languages::{self, LanguageRole};
use kenning_model::RepoPath;

/// The version of the rules. Raise it when a rule changes: files that were indexed or skipped under
/// the old rules are read again.
const VERSION: u32 = 2;

/// The kind of secret that a file seems to hold. Its `Display` form is shown as the reason of a
/// skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretKind {
    PrivateKey,
    KeyStore,
    Environment,
    Credentials,
    TerraformState,
    Token,
    /// A setting such as `password` or `api_key` with a value that is no placeholder.
    Setting,
}

impl fmt::Display for SecretKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            SecretKind::PrivateKey => "private key",
            SecretKind::KeyStore => "key store",
            SecretKind::Environment => "environment file",
            SecretKind::Credentials => "credentials",
            SecretKind::TerraformState => "Terraform state",
            SecretKind::Token => "access token",
            SecretKind::Setting => "password or key in a setting",
        };
        write!(formatter, "{REASON_PREFIX}: {kind}")
    }
}

/// The beginning of every reason that this crate gives.
const REASON_PREFIX: &str = "looks like a secret";

/// True if a skip with this reason came from this crate.
pub fn is_secret_reason(reason: &str) -> bool {
    reason.starts_with(REASON_PREFIX)
}

pub use file_name_rules::hidden_names;
pub use token_scan::mask_tokens;

/// The rules, with the files that the user admits although they look like secrets.
#[derive(Clone, Debug, Default)]
pub struct SecretRules {
    patterns: Vec<String>,
    admitted_globs: GlobSet,
    problems: Vec<String>,
}

/// Compiled globs cannot be compared; the patterns that they come from can.
impl PartialEq for SecretRules {
    fn eq(&self, other: &SecretRules) -> bool {
        self.patterns == other.patterns
    }
}

impl Eq for SecretRules {}

impl SecretRules {
    /// Compiles the rules, which exempt the files that a pattern matches. `*` stays within a
    /// segment and `**` does not. A pattern without `/` matches at any depth, and a directory
    /// matches everything below it.
    pub fn new(patterns: &[String]) -> SecretRules {
        let mut builder = GlobSetBuilder::new();
        let mut problems = Vec::new();
        for pattern in patterns {
            let trimmed = pattern.trim_start_matches("./").trim_matches('/');
            let path = if pattern.trim_end_matches('/').contains('/') {
                trimmed.to_string()
            } else {
                format!("**/{trimmed}")
            };
            for glob in [path.clone(), format!("{path}/**")] {
                match GlobBuilder::new(&glob).literal_separator(true).build() {
                    Ok(glob) => {
                        builder.add(glob);
                    }
                    Err(error) => {
                        problems.push(format!("index.secrets, {pattern:?}: {}", error.kind()))
                    }
                }
            }
        }
        let admitted_globs = builder.build().unwrap_or_else(|error| {
            problems.push(format!("index.secrets: {error}"));
            GlobSet::empty()
        });
        problems.dedup();
        SecretRules { patterns: patterns.to_vec(), admitted_globs, problems }
    }

    /// The patterns that are not valid, in words. They are ignored otherwise.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// A text that changes whenever a file may be judged differently than before.
    pub fn fingerprint(&self) -> String {
        format!("{VERSION}\n{}", self.patterns.join("\n"))
    }

    /// Judges a file by its name alone. `None` also if only the content can tell.
    pub fn by_name(&self, path: &RepoPath) -> Option<SecretKind> {
        match file_name_rules::match_name_rule(path, classify_file(path, "")) {
            Some((kind, NameVerdict::Final)) if !self.admits(path) => Some(kind),
            _ => None,
        }
    }

    /// Judges a file with this content, by its name too.
    pub fn by_content(&self, path: &RepoPath, text: &str) -> Option<SecretKind> {
        let found = judge_file(path, text)?;
        (!self.admits(path)).then_some(found)
    }

    /// True if the content of such a file has to be known before it is judged. Source code is the
    /// bulk of a tree and does not depend on it.
    pub fn depends_on_content(&self, path: &RepoPath) -> bool {
        classify_file(path, "") != FileClass::Program
    }

    /// True if the user admits this file.
    fn admits(&self, path: &RepoPath) -> bool {
        self.admitted_globs.is_match(path.as_str())
    }
}

/// Judges a file by name and content, without the user's exceptions.
fn judge_file(path: &RepoPath, text: &str) -> Option<SecretKind> {
    let class = classify_file(path, text);
    if class == FileClass::Program {
        return None;
    }
    let named = file_name_rules::match_name_rule(path, class);
    let is_named = match named {
        Some((_, NameVerdict::Final)) => true,
        Some((_, NameVerdict::UnlessPublicKey)) => !token_scan::is_public_key(text),
        Some((_, NameVerdict::UnlessTemplate)) => !config_scan::is_template(text),
        Some((_, NameVerdict::IfAnyValue)) => {
            config_scan::has_secret_setting(text, config_scan::SecretThreshold::AnyValue)
        }
        None => false,
    };
    match named {
        Some((kind, _)) if is_named => Some(kind),
        _ => token_scan::find_token(text, class).or_else(|| {
            let holds_settings =
                class == FileClass::Config && !file_name_rules::is_machine_data(path);
            let found = holds_settings
                && config_scan::has_secret_setting(text, config_scan::SecretThreshold::Random);
            found.then_some(SecretKind::Setting)
        }),
    }
}

/// The class of a file. It decides which rules for content apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileClass {
    /// Source code, which is not judged by its content.
    Program,
    /// Prose, and whatever is not known.
    Prose,
    /// Settings and plain text.
    Config,
}

/// Returns the class of a file by its name. `text` tells a script that has no extension; it may be
/// empty.
fn classify_file(path: &RepoPath, text: &str) -> FileClass {
    let name = path.file_name().to_ascii_lowercase();
    let extension = file_name_rules::extension(&name);
    // Scripts of a shell are mostly settings: `export AWS_SECRET_ACCESS_KEY=…`. No language here
    // reads those of fish.
    if languages::is_settings_file(path) || extension == "fish" {
        return FileClass::Config;
    }
    match languages::role_by_path(path) {
        Some(LanguageRole::Program) => FileClass::Program,
        Some(LanguageRole::Config) => FileClass::Config,
        Some(LanguageRole::Prose) => FileClass::Prose,
        None if text.starts_with("#!") => FileClass::Program,
        None => file_name_rules::class_of_extension(extension),
    }
}

#[cfg(test)]
mod tests;
