//! Decides which settings the files of a repository may change.
//!
//! A repository is untrusted input: cloning it must not change where data goes or which services
//! are called. By itself it may only narrow what Kenning does. Everything else is refused unless
//! the user trusts that very value.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use toml::Value;

use super::settings::{Authority, Narrowing, Setting};
use super::trust::Approvals;
use super::{Assignment, Origin};
use kenning_source::disk;

/// A value in a file of the repository that is ignored, with the reason.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub setting: &'static Setting,
    pub value: Value,
    pub file: PathBuf,
    pub line: Option<usize>,
    pub reason: RefusalReason,
}

/// The display form explains the reason to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalReason {
    /// No repository may set it, trusted or not.
    UserOnly,
    /// It needs the user's approval.
    Untrusted,
    /// The user approved another value of it.
    ChangedSinceTrusted,
    /// A limit that is not lower than the user's.
    NotLower,
    /// A path that leaves the root, or leads into `.git`.
    OutsideRoot,
    /// Items that the user's list does not have.
    NotSelected,
}

impl Refusal {
    /// True if the user may approve this value with `ken trust`.
    pub fn can_be_trusted(&self) -> bool {
        self.reason != RefusalReason::UserOnly
    }

    /// Returns the value for display, with secrets hidden.
    pub fn redacted_value(&self) -> Value {
        self.setting.redact_value(&self.value)
    }
}

impl fmt::Display for RefusalReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            RefusalReason::UserOnly => {
                "only you may set it, in your own config.toml, the environment or a flag"
            }
            RefusalReason::Untrusted => "a repository may set it only if you trust it",
            RefusalReason::ChangedSinceTrusted => {
                "you trusted another value; run `ken trust` to approve this one"
            }
            RefusalReason::NotLower => "a repository may only lower it, unless you trust it",
            RefusalReason::OutsideRoot => "the path leads outside of the repository, or into .git",
            RefusalReason::NotSelected => "it has items that your own list does not have",
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: ", self.file.display())?;
        if let Some(line) = self.line {
            write!(formatter, "line {line}: ")?;
        }
        write!(formatter, "`{}` is ignored: {}", self.setting.key, self.reason)
    }
}

/// The effect of one assignment in a file of the repository.
pub enum AssignmentEffect {
    /// It replaces the current value.
    Replace(Value, Origin),
    /// Its items are added to the current list.
    Add(Vec<Value>, PathBuf),
    Refuse(Refusal),
}

/// Decides on one assignment. `current` are the values of the user and the defaults.
///
/// The checks run from strict to lenient: user-only settings, then approvals, then the rule of the
/// setting.
///
/// It is pure, except that paths are resolved on disk to see where links lead.
pub fn judge_assignment(
    assignment: Assignment,
    root: &Path,
    approvals: &Approvals,
    current: &BTreeMap<&'static str, (Value, Origin)>,
) -> AssignmentEffect {
    let Assignment { setting, value, origin, line } = assignment;
    let Origin::File(file) = origin else {
        return AssignmentEffect::Replace(value, origin);
    };
    let refuse = |value: Value, reason: RefusalReason| {
        let changed = approvals.has_key(&file, setting.key) && reason != RefusalReason::UserOnly;
        let reason = if changed { RefusalReason::ChangedSinceTrusted } else { reason };
        AssignmentEffect::Refuse(Refusal { setting, value, file: file.clone(), line, reason })
    };
    if setting.authority == Authority::User {
        return refuse(value, RefusalReason::UserOnly);
    }
    if approvals.has_value(&file, setting.key, &value) {
        return AssignmentEffect::Replace(value, Origin::TrustedFile(file));
    }
    let Authority::AnyRepository(rule) = setting.authority else {
        return refuse(value, RefusalReason::Untrusted);
    };
    let current = current.get(setting.key).map(|(value, _)| value);
    match check_narrowing(rule, &value, root, current) {
        Err(reason) => refuse(value, reason),
        Ok(()) if rule == Narrowing::AddsToList => {
            AssignmentEffect::Add(value.as_array().cloned().unwrap_or_default(), file)
        }
        Ok(()) => AssignmentEffect::Replace(value, Origin::File(file)),
    }
}

/// Checks that a value stays within a rule.
///
/// `current` is the value before this assignment. The error is the reason for a refusal.
fn check_narrowing(
    rule: Narrowing,
    value: &Value,
    root: &Path,
    current: Option<&Value>,
) -> Result<(), RefusalReason> {
    let is_allowed = match rule {
        Narrowing::AddsToList => true,
        Narrowing::LowersLimit => {
            let limit = current.and_then(Value::as_integer);
            let lower = value.as_integer();
            return if limit.is_none_or(|limit| lower.is_some_and(|lower| lower <= limit)) {
                Ok(())
            } else {
                Err(RefusalReason::NotLower)
            };
        }
        Narrowing::SelectsFromList => {
            let all = current.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let mut chosen = value.as_array().into_iter().flatten();
            return if all.is_empty() || chosen.all(|item| all.contains(item)) {
                Ok(())
            } else {
                Err(RefusalReason::NotSelected)
            };
        }
        Narrowing::PathsInsideRoot => text_items(value).all(|path| stays_inside(root, path)),
        Narrowing::PackageRules => {
            let tables = value.as_array().into_iter().flatten().filter_map(Value::as_table);
            let mut paths = tables.filter_map(|table| table.get("paths")).flat_map(text_items);
            paths.all(|path| stays_inside(root, path))
        }
    };
    if is_allowed { Ok(()) } else { Err(RefusalReason::OutsideRoot) }
}

/// Returns the text itself, or the texts of a list.
fn text_items(value: &Value) -> impl Iterator<Item = &str> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    value.as_str().into_iter().chain(items.iter().filter_map(Value::as_str))
}

/// True if the path is relative, has no `..`, does not lead into `.git`, and no link on its way
/// leaves the root.
///
/// `.git` is excluded because its hooks and configuration are executed by git.
fn stays_inside(root: &Path, path: &str) -> bool {
    let is_plain = |part: Component| match part {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
        Component::CurDir => true,
        Component::ParentDir | Component::RootDir | Component::Prefix(_) => false,
    };
    if !Path::new(path).components().all(is_plain) {
        return false;
    }
    let target = root.join(path);
    let real = target.ancestors().find_map(|ancestor| ancestor.canonicalize().ok());
    disk::stays_inside(root, &target) && !real.is_some_and(|real| is_git_directory(&real, root))
}

/// True if the resolved path has a `.git` component below the root. Case is ignored, as on macOS
/// and Windows.
fn is_git_directory(real: &Path, root: &Path) -> bool {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let below = real.strip_prefix(root).unwrap_or(real);
    below.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ProcessEnv, SETTINGS, SettingShape, trust};

    /// The settings that a repository may change without trust. A change that adds a key
    /// must argue why a stranger may set it; every other setting is closed.
    const OPEN: [&str; 10] = [
        "index.exclude",
        "index.max_file_size",
        "index.max_files",
        "graph.scip",
        "packages.db",
        "packages.manifests",
        "packages.custom",
        "packages.describe",
        "specs.folder",
        "specs.changes",
    ];

    struct Repository {
        directory: tempfile::TempDir,
        variables: BTreeMap<String, String>,
    }

    impl Repository {
        fn new(files: &[(&str, &str)]) -> Repository {
            let directory = tempfile::tempdir().unwrap();
            let repository = Repository { directory, variables: BTreeMap::new() };
            std::fs::create_dir(repository.root()).unwrap();
            for (path, text) in files {
                repository.write(path, text);
            }
            repository
        }

        fn root(&self) -> PathBuf {
            self.directory.path().canonicalize().unwrap().join("root")
        }

        fn home(&self) -> PathBuf {
            self.directory.path().join("home")
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.root().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        fn load(&self) -> Config {
            let process_env = ProcessEnv {
                variables: self.variables.clone(),
                user_config: Some(self.directory.path().join("user/config.toml")),
                data_directory: Some(self.home()),
                home_directory: Some(self.directory.path().join("person")),
                working_directory: self.root(),
                ..ProcessEnv::default()
            };
            Config::load(&self.root(), &[], &process_env).unwrap()
        }

        fn trust(&self) {
            trust::approve(&self.home(), &self.root(), self.load().refusals()).unwrap();
        }
    }

    fn reasons(config: &Config) -> Vec<(&'static str, RefusalReason)> {
        let refusals = config.refusals().iter();
        refusals.map(|refusal| (refusal.setting.key, refusal.reason)).collect()
    }

    /// A value that differs from every default.
    fn sample(shape: SettingShape) -> Value {
        match shape {
            SettingShape::Text | SettingShape::Path | SettingShape::Secret => {
                Value::from("/tmp/of-a-stranger")
            }
            SettingShape::Number => Value::from(987_654_321),
            SettingShape::List => Value::from(vec!["/tmp/of-a-stranger"]),
            SettingShape::Tables(fields) => {
                let row = fields.iter().map(|field| (field.to_string(), Value::from("x")));
                Value::from(vec![Value::Table(row.collect())])
            }
        }
    }

    #[test]
    fn a_repository_changes_no_setting_but_the_open_ones() {
        let untouched = Repository::new(&[]).load();
        let kept: BTreeMap<&str, Value> =
            untouched.entries().map(|(setting, value, _)| (setting.key, value)).collect();
        for setting in SETTINGS {
            let line = format!("{} = {}\n", setting.key, sample(setting.shape));
            let repository = Repository::new(&[("kenning.toml", &line)]);
            let config = repository.load();
            let is_open = matches!(setting.authority, Authority::AnyRepository(_));
            assert_eq!(is_open, OPEN.contains(&setting.key), "{}", setting.key);
            if is_open {
                continue;
            }
            let refused: Vec<&str> = reasons(&config).iter().map(|(key, _)| *key).collect();
            assert_eq!(refused, [setting.key]);
            assert!(config.refusals()[0].line == Some(1), "{}", setting.key);
            for (other, value, origin) in config.entries() {
                assert!(
                    !matches!(origin, Origin::File(_) | Origin::TrustedFile(_)),
                    "{} is set by the repository",
                    other.key
                );
                let is_place = matches!(other.shape, SettingShape::Path);
                assert!(is_place || kept.get(other.key) == Some(&value), "{}", other.key);
            }
        }
    }

    #[test]
    fn every_key_of_another_programs_file_is_judged_alike() {
        let repository = Repository::new(&[
            (
                ".swiftindex.toml",
                "[embedding]\nprovider = 'openai'\nmodel = 'm'\ndimension = 3\nbatch_size = 1\n\
                 [logging]\nlevel = 'trace'\n[indexing]\nmax_file_size = 99999999\n",
            ),
            ("shire.toml", "db_path = '../other.db'\n"),
            (".spox/config.toml", "[paths]\nspec_folder = '/etc'\n"),
        ]);
        let config = repository.load();
        assert_eq!(
            reasons(&config),
            [
                ("index.max_file_size", RefusalReason::NotLower),
                ("log", RefusalReason::Untrusted),
                ("embedding.provider", RefusalReason::Untrusted),
                ("embedding.model", RefusalReason::Untrusted),
                ("embedding.dimension", RefusalReason::Untrusted),
                ("embedding.batch_size", RefusalReason::Untrusted),
                ("specs.folder", RefusalReason::OutsideRoot),
                ("packages.db", RefusalReason::OutsideRoot),
            ]
        );
        assert_eq!(config.text("embedding.provider"), None);
        assert_eq!(config.path("packages.db"), None);
    }

    #[test]
    fn excludes_are_added_and_limits_only_fall() {
        let repository = Repository::new(&[
            ("kenning.toml", "[index]\nexclude = ['a']\nmax_file_size = 5\n"),
            ("shire.toml", "[discovery]\nexclude = ['b']\nmanifests = ['Cargo.toml']\n"),
        ]);
        let config = repository.load();
        let excluded = config.list("index.exclude");
        for name in ["node_modules", "a", "b"] {
            assert!(excluded.iter().any(|one| one == name), "{excluded:?}");
        }
        assert_eq!(config.list_without_default("index.exclude"), ["b", "a"]);
        assert_eq!(config.number("index.max_file_size"), Some(5));
        assert_eq!(config.list("packages.manifests"), ["Cargo.toml"]);
        assert_eq!(reasons(&config), []);

        let strict = Repository::new(&[(
            "kenning.toml",
            "[index]\nexclude = []\nmax_file_size = 6\n[packages]\nmanifests = ['go.mod']\n",
        )]);
        let user = strict.directory.path().join("user");
        std::fs::create_dir(&user).unwrap();
        let text = "[index]\nexclude = ['mine']\nmax_file_size = 5\n[packages]\nmanifests = ['Cargo.toml']\n";
        std::fs::write(user.join("config.toml"), text).unwrap();
        let config = strict.load();
        assert_eq!(config.list("index.exclude"), ["mine"]);
        assert_eq!(config.number("index.max_file_size"), Some(5));
        assert_eq!(config.list("packages.manifests"), ["Cargo.toml"]);
        assert_eq!(
            reasons(&config),
            [
                ("index.max_file_size", RefusalReason::NotLower),
                ("packages.manifests", RefusalReason::NotSelected)
            ]
        );
    }

    #[test]
    fn what_the_user_sets_is_stronger_than_what_a_repository_adds() {
        let mut repository =
            Repository::new(&[("kenning.toml", "[index]\nexclude = ['a']\nmax_file_size = 5\n")]);
        repository.variables.insert("KEN_INDEX_EXCLUDE".to_string(), "b".to_string());
        repository.variables.insert("KEN_INDEX_MAX_FILE_SIZE".to_string(), "9".to_string());
        let config = repository.load();
        assert_eq!(config.list("index.exclude"), ["b"]);
        assert_eq!(config.number("index.max_file_size"), Some(9));
    }

    #[test]
    fn paths_stay_inside_the_root() {
        let repository = Repository::new(&[("docs/x", ""), (".git/config", "")]);
        let root = repository.root();
        let outside = repository.directory.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        for inside in ["docs", "./docs/", "docs/new/deep.db", "new"] {
            assert!(stays_inside(&root, inside), "{inside}");
        }
        for out in
            ["../outside", "/etc", "docs/../../outside", ".git", ".git/hooks/x", ".GIT/config"]
        {
            assert!(!stays_inside(&root, out), "{out}");
        }
        #[cfg(unix)]
        for (link, target) in [
            ("link", outside.as_path()),
            ("dangling", Path::new("/nowhere/at/all")),
            ("gitlink", Path::new(".git")),
        ] {
            std::os::unix::fs::symlink(target, root.join(link)).unwrap();
            assert!(!stays_inside(&root, link), "{link}");
            assert!(!stays_inside(&root, &format!("{link}/x.db")), "{link}/x.db");
        }
    }

    #[test]
    fn trust_approves_what_is_written_now_and_nothing_else() {
        let repository = Repository::new(&[(
            "kenning.toml",
            "[embedding]\nprovider = 'ollama'\n[index]\nmax_file_size = 9999999\n[openai]\nkey = 'k'\n",
        )]);
        repository.trust();
        let config = repository.load();
        assert_eq!(config.text("embedding.provider"), Some("ollama"));
        assert_eq!(config.number("index.max_file_size"), Some(9_999_999));
        let origin = config.origin("embedding.provider").to_string();
        assert!(origin.ends_with("kenning.toml (trusted)"), "{origin}");
        assert_eq!(reasons(&config), [("openai.key", RefusalReason::UserOnly)]);
        let stored = std::fs::read_to_string(repository.home().join("trusted.toml")).unwrap();
        assert!(!stored.contains("openai"), "{stored}");

        repository.write("kenning.toml", "[embedding]\nprovider = 'openai'\nmodel = 'm'\n");
        let config = repository.load();
        assert_eq!(config.text("embedding.provider"), None);
        assert_eq!(
            reasons(&config),
            [
                ("embedding.model", RefusalReason::Untrusted),
                ("embedding.provider", RefusalReason::ChangedSinceTrusted)
            ]
        );
        repository.trust();
        assert_eq!(repository.load().text("embedding.provider"), Some("openai"));
        let withdrawn = trust::withdraw(&repository.home(), &repository.root()).unwrap();
        assert_eq!(withdrawn.len(), 3);
        assert_eq!(repository.load().text("embedding.provider"), None);
    }

    #[test]
    fn trust_in_one_repository_is_none_in_another() {
        let repository = Repository::new(&[("kenning.toml", "[embedding]\nprovider = 'ollama'\n")]);
        repository.trust();
        let copy = repository.directory.path().join("copy");
        std::fs::create_dir(&copy).unwrap();
        std::fs::copy(repository.root().join("kenning.toml"), copy.join("kenning.toml")).unwrap();
        let other = repository.load().for_root(&copy).unwrap();
        assert_eq!(other.text("embedding.provider"), None);
    }

    #[test]
    fn a_broken_list_of_approvals_is_an_error_that_names_it() {
        let repository = Repository::new(&[]);
        std::fs::create_dir(repository.home()).unwrap();
        std::fs::write(repository.home().join("trusted.toml"), "[[trusted]]\nroot = 1\n").unwrap();
        let process_env =
            ProcessEnv { data_directory: Some(repository.home()), ..ProcessEnv::default() };
        let error = Config::load(&repository.root(), &[], &process_env).unwrap_err().to_string();
        assert!(error.contains("trusted.toml"), "{error}");
    }
}
