//! Settings from five places: flags over environment over files of the repository over the user's
//! file over defaults. The only module that reads the environment.
//!
//! [`SETTINGS`] is the whole list, and each row says who may set it. Files of a repository may only
//! narrow what Kenning does; [`Config::refusals`] lists what else they tried. A value knows where
//! it came from, and `ken config` prints both.
//!
//! The strict direction protects the user: a checkout cannot widen its own rights.

pub mod clients;
mod env_and_flags;
mod error;
mod files;
mod foreign_env;
mod program_lookup;
mod repository_policy;
mod setting_defaults;
mod settings;
pub mod trust;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

pub use env_and_flags::variable_name;
pub use error::ConfigError;
pub use foreign_env::FOREIGN_VARIABLES;
pub use repository_policy::{Refusal, RefusalReason};
pub use setting_defaults::usual_default;
pub use settings::{Authority, Narrowing, SETTINGS, Setting, SettingShape};

use repository_policy::AssignmentEffect;
use toml::Value;

use kenning_model::redact;

/// The settings in force, each with its origin.
#[derive(Clone)]
pub struct Config {
    root: PathBuf,
    flags: Vec<(String, String)>,
    process_env: ProcessEnv,
    values: BTreeMap<&'static str, (Value, Origin)>,
    /// Items that files of the repository add to lists, beside what `values` has.
    additions: BTreeMap<&'static str, Vec<(Value, PathBuf)>>,
    refusals: Vec<Refusal>,
}

/// Prints the settings as `ken config` does, with secrets hidden. A derived `Debug` would leak keys
/// into logs.
impl fmt::Debug for Config {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.entries().map(|(setting, value, origin)| (setting.key, (value, origin)));
        formatter.debug_map().entries(entries).finish()
    }
}

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Flag,
    Environment(String),
    File(PathBuf),
    /// A file of the repository, with a value that the user approved by `ken trust`.
    TrustedFile(PathBuf),
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Flag => formatter.write_str("command line"),
            Origin::Environment(name) => write!(formatter, "environment {name}"),
            Origin::File(path) => write!(formatter, "{}", path.display()),
            Origin::TrustedFile(path) => write!(formatter, "{} (trusted)", path.display()),
            Origin::Default => formatter.write_str("default"),
        }
    }
}

/// The environment of the process. [`ProcessEnv::from_process`] reads it; tests build their own.
///
/// No other module reads the environment.
#[derive(Clone, Default)]
pub struct ProcessEnv {
    pub variables: BTreeMap<String, String>,
    pub user_config: Option<PathBuf>,
    pub data_directory: Option<PathBuf>,
    pub home_directory: Option<PathBuf>,
    pub working_directory: PathBuf,
    pub temporary_directory: PathBuf,
    /// Directories with programs, as `PATH` lists them.
    pub search_path: OsString,
    /// `NEEDED_BY_PROGRAMS`, those that are set.
    pub needed_by_programs: Vec<(&'static str, OsString)>,
}

/// Variables without which a program may not start: on Windows, and on macOS, whose `git` is a stub
/// that looks for the real one. All others are kept from programs.
const NEEDED_BY_PROGRAMS: [&str; 2] = ["SystemRoot", "DEVELOPER_DIR"];

impl ProcessEnv {
    /// Reads the environment of this process.
    pub fn from_process() -> ProcessEnv {
        // A variable that is not Unicode cannot hold any value of ours.
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        ProcessEnv {
            variables: variables.collect(),
            user_config: dirs::config_dir().map(|path| path.join("kenning").join("config.toml")),
            data_directory: dirs::data_dir().map(|path| path.join("kenning")),
            home_directory: dirs::home_dir(),
            // A working directory that was deleted is reported when it is used.
            working_directory: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            temporary_directory: std::path::absolute(std::env::temp_dir()).unwrap_or_default(),
            search_path: std::env::var_os("PATH").unwrap_or_default(),
            needed_by_programs: NEEDED_BY_PROGRAMS
                .iter()
                .filter_map(|name| Some((*name, std::env::var_os(name)?)))
                .collect(),
        }
    }
}

/// True if the user wants no colour (no-color.org).
pub fn is_colour_unwanted() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

impl Config {
    /// Reads everything for the repository at `root`. `flags` are `key=value` settings of the
    /// command line, values in TOML or bare text.
    ///
    /// It fails with the first error. Refused values of the repository are no errors; see
    /// [`Config::refusals`].
    pub fn load(
        root: &Path,
        flags: &[(String, String)],
        process_env: &ProcessEnv,
    ) -> Result<Config, ConfigError> {
        let (config, mut errors) = Config::read_layers(root, flags, process_env);
        if errors.is_empty() { Ok(config) } else { Err(errors.remove(0)) }
    }

    /// Reads the valid settings and skips the invalid ones, for commands that diagnose settings.
    pub fn load_valid(root: &Path, flags: &[(String, String)], process_env: &ProcessEnv) -> Config {
        Config::read_layers(root, flags, process_env).0
    }

    /// Reads the settings for a server. A mistake in a file of the repository is skipped, so that
    /// the server can still answer. The user's own settings must be valid, because they decide who
    /// may call and where indexes are.
    pub fn load_for_server(
        root: &Path,
        flags: &[(String, String)],
        process_env: &ProcessEnv,
    ) -> Result<Config, ConfigError> {
        let (config, errors) = Config::read_layers(root, flags, process_env);
        let is_the_users = |error: &ConfigError| match error.origin() {
            Origin::File(path) => Some(path) == process_env.user_config.as_ref(),
            _ => true,
        };
        match errors.into_iter().find(is_the_users) {
            Some(error) => Err(error),
            None => Ok(config),
        }
    }

    /// Reads all layers and returns what is valid, with all errors. A layer with an error is
    /// skipped as a whole.
    fn read_layers(
        root: &Path,
        flags: &[(String, String)],
        process_env: &ProcessEnv,
    ) -> (Config, Vec<ConfigError>) {
        let mut config = Config {
            root: root.to_path_buf(),
            flags: flags.to_vec(),
            process_env: process_env.clone(),
            values: BTreeMap::new(),
            additions: BTreeMap::new(),
            refusals: Vec::new(),
        };
        let mut errors = Vec::new();
        let mut sort_out = |layers: Vec<Result<Layer, ConfigError>>| -> Vec<Layer> {
            let read = layers.into_iter().filter_map(|layer| match layer {
                Ok(layer) => Some(layer),
                Err(error) => {
                    errors.push(error);
                    None
                }
            });
            read.collect()
        };
        let user_layers = process_env.user_config.iter().map(|path| files::read_own_file(path));
        let of_user = sort_out(user_layers.collect());
        let foreign =
            files::FOREIGN_FILES.iter().map(|foreign| files::read_foreign_file(foreign, root));
        let of_repository = sort_out(foreign.chain([files::read_repository_file(root)]).collect());
        let mut assignments = env_and_flags::read_environment(&process_env.variables);
        assignments.push(env_and_flags::read_flags(flags));
        let of_process = sort_out(assignments);
        // From the weakest to the strongest: each layer overrides the ones before.
        config.add_defaults();
        of_user.into_iter().for_each(|layer| config.apply_layer(layer));
        let home = config.home_with_layers(&of_process);
        let approvals = trust::load_approvals(home.as_deref(), root).unwrap_or_else(|error| {
            errors.push(error);
            Default::default()
        });
        of_repository
            .into_iter()
            .for_each(|layer| config.apply_repository_layer(layer, &approvals));
        of_process.into_iter().for_each(|layer| config.apply_layer(layer));
        (config, errors)
    }

    /// Sets the defaults, which every other layer overrides.
    fn add_defaults(&mut self) {
        for setting in SETTINGS {
            if let Some(value) = setting_defaults::default_value(setting, &self.process_env) {
                self.values.insert(setting.key, (value, Origin::Default));
            }
        }
    }

    /// Returns the `home` that will be in force after these layers.
    ///
    /// Approvals are stored there, and must be known before the repository's layers are judged.
    fn home_with_layers(&self, layers: &[Layer]) -> Option<PathBuf> {
        let mut config = self.clone();
        layers.iter().for_each(|layer| config.apply_layer(layer.clone()));
        config.path("home")
    }

    /// Returns the values in files of the repository that are ignored, in the order of the files.
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// Messages about invalid settings, read again from the files.
    ///
    /// A server may run for days, and the user may have fixed or broken a file meanwhile.
    pub fn problems(&self) -> Vec<String> {
        let (_, errors) = Config::read_layers(&self.root, &self.flags, &self.process_env);
        errors.iter().map(ToString::to_string).collect()
    }

    /// Returns the environment that the settings were read from.
    pub fn process_env(&self) -> &ProcessEnv {
        &self.process_env
    }

    /// Loads the settings for another repository, with the same flags and environment.
    pub fn for_root(&self, root: &Path) -> Result<Config, ConfigError> {
        Config::load(root, &self.flags, &self.process_env)
    }

    /// Returns the files of the repository that add items to a list.
    pub fn files_adding_to(&self, key: &str) -> Vec<&Path> {
        let added = self.additions.get(key).into_iter().flatten();
        let mut files: Vec<&Path> = added.map(|(_, file)| file.as_path()).collect();
        files.dedup();
        files
    }

    /// Returns every setting that has a value, in the order of [`SETTINGS`], with secrets hidden.
    pub fn entries(&self) -> impl Iterator<Item = (&'static Setting, Value, &Origin)> {
        SETTINGS.iter().filter_map(|setting| {
            let (value, origin) = self.values.get(setting.key)?;
            let value = if self.additions.contains_key(setting.key) {
                Value::from(self.list(setting.key))
            } else {
                setting.redact_value(value)
            };
            Some((setting, value, origin))
        })
    }

    /// Returns the repository that this configuration is for.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The process's working directory. Relative paths on the command line resolve against it.
    pub fn working_directory(&self) -> &Path {
        &self.process_env.working_directory
    }

    /// Returns a text setting. The key must be one of [`SETTINGS`], as for all getters below.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.value(key)?.as_str()
    }

    /// Returns a number setting; `None` if it is not set.
    pub fn number(&self, key: &str) -> Option<u64> {
        u64::try_from(self.value(key)?.as_integer()?).ok()
    }

    /// Returns a list setting, with the items that the repository adds.
    pub fn list(&self, key: &str) -> Vec<String> {
        let items = self.value(key).and_then(Value::as_array).into_iter().flatten();
        let added = self.additions.get(key).into_iter().flatten().map(|(item, _)| item);
        let all = items.chain(added);
        all.filter_map(|item| Some(item.as_str()?.to_string())).collect()
    }

    /// Returns the list without its default, that is, only items that were set.
    pub fn list_without_default(&self, key: &str) -> Vec<String> {
        if self.origin(key) != Origin::Default {
            return self.list(key);
        }
        let added = self.additions.get(key).into_iter().flatten();
        added.filter_map(|(item, _)| Some(item.as_str()?.to_string())).collect()
    }

    /// Returns the tables of a `[[key]]` setting, in order.
    pub fn tables(&self, key: &str) -> Vec<&toml::Table> {
        let items = self.value(key).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_table).collect()
    }

    /// Returns the source of a setting's value.
    pub fn origin(&self, key: &str) -> Origin {
        let value = self.values.get(key);
        value.map_or(Origin::Default, |(_, origin)| origin.clone())
    }

    /// Returns a path setting. A relative path resolves against the place where it was written.
    ///
    /// That is the working directory for flags and variables, the root for files of the repository,
    /// else the folder of the file.
    pub fn path(&self, key: &str) -> Option<PathBuf> {
        Some(self.base_directory(key).join(self.text(key)?))
    }

    /// Returns a list of paths, resolved like [`Config::path`].
    pub fn paths(&self, key: &str) -> Vec<PathBuf> {
        let base = self.base_directory(key);
        let paths = self.list(key).into_iter();
        paths.map(|path| base.join(path)).collect()
    }

    /// Returns the directory that relative paths of this setting resolve against.
    fn base_directory(&self, key: &str) -> PathBuf {
        match self.origin(key) {
            Origin::Flag | Origin::Environment(_) => self.process_env.working_directory.clone(),
            Origin::File(file) if !file.starts_with(&self.root) => {
                file.parent().map(Path::to_path_buf).unwrap_or_default()
            }
            Origin::File(_) | Origin::TrustedFile(_) | Origin::Default => self.root.clone(),
        }
    }

    /// Returns the value in force. An unknown key is a bug, which debug builds report.
    fn value(&self, key: &str) -> Option<&Value> {
        debug_assert!(SETTINGS.iter().any(|setting| setting.key == key), "{key}");
        self.values.get(key).map(|(value, _)| value)
    }

    /// Sets the values of a layer. It is for layers of the user, which may set everything.
    fn apply_layer(&mut self, layer: Layer) {
        for Assignment { setting, value, origin, .. } in layer {
            remember_secrets(setting.key, &value);
            self.values.insert(setting.key, (value, origin));
            // A list from the environment or a flag replaces the repository's additions.
            self.additions.remove(setting.key);
        }
    }

    /// Sets the values of a repository's layer, as far as they are allowed.
    fn apply_repository_layer(&mut self, layer: Layer, approvals: &trust::Approvals) {
        for assignment in layer {
            let key = assignment.setting.key;
            match repository_policy::judge_assignment(
                assignment,
                &self.root,
                approvals,
                &self.values,
            ) {
                AssignmentEffect::Replace(value, origin) => {
                    remember_secrets(key, &value);
                    self.values.insert(key, (value, origin));
                }
                AssignmentEffect::Add(items, file) => {
                    let items = items.into_iter().map(|item| (item, file.clone()));
                    self.additions.entry(key).or_default().extend(items);
                }
                AssignmentEffect::Refuse(refusal) => self.refusals.push(refusal),
            }
        }
    }
}

/// Registers keys, and passwords in addresses, so that logs and messages hide them from now on.
fn remember_secrets(key: &str, value: &Value) {
    let Some(setting) = SETTINGS.iter().find(|setting| setting.key == key) else {
        return;
    };
    let Some(text) = value.as_str() else {
        return;
    };
    if setting.shape == SettingShape::Secret {
        redact::remember_key(text);
    }
    if setting.shape == SettingShape::Secret || setting.is_address() {
        redact::remember_credentials(text);
    }
}

/// Returns a text of a log or another program without the configured secrets.
pub fn redact_text(text: &str) -> std::borrow::Cow<'_, str> {
    redact::hide_secrets(text)
}

/// True if the directory has a configuration file that marks a root.
///
/// A folder without git counts as a root if it has one of these files.
pub fn is_configured(directory: &Path) -> bool {
    const MARKS: [&str; 5] = [
        "kenning.toml",
        "shire.toml",
        ".spox/config.toml",
        "openspec/project.md",
        "openspec/config.yaml",
    ];
    MARKS.iter().any(|name| directory.join(name).is_file())
}

/// One value that a file, a variable or a flag sets.
#[derive(Clone, Debug)]
struct Assignment {
    setting: &'static Setting,
    value: Value,
    origin: Origin,
    /// The line of a file.
    line: Option<usize>,
}

/// The values of one source, in the order of the file.
type Layer = Vec<Assignment>;

#[cfg(test)]
mod tests {
    use super::*;

    struct Places {
        root: tempfile::TempDir,
        process_env: ProcessEnv,
    }

    fn places(files: &[(&str, &str)], variables: &[(&str, &str)]) -> Places {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let owned = |(a, b): &(&str, &str)| (a.to_string(), b.to_string());
        let process_env = ProcessEnv {
            variables: variables.iter().map(owned).collect(),
            user_config: Some(root.path().join("user/config.toml")),
            data_directory: Some(PathBuf::from("/data/kenning")),
            home_directory: Some(PathBuf::from("/home/somebody")),
            working_directory: root.path().to_path_buf(),
            ..ProcessEnv::default()
        };
        Places { root, process_env }
    }

    fn load(places: &Places, flags: &[(&str, &str)]) -> Result<Config, String> {
        let flags: Vec<_> = flags.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        Config::load(places.root.path(), &flags, &places.process_env)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_repository_may_lower_a_ceiling_and_not_raise_it() {
        let files = |user: u64, repository: u64| {
            let user = format!("[index]\nmax_files = {user}\n");
            let repository = format!("[index]\nmax_files = {repository}\n");
            places(&[("user/config.toml", &user), ("kenning.toml", &repository)], &[])
        };
        let limit = |places: &Places| load(places, &[]).unwrap().number("index.max_files");
        assert_eq!(limit(&places(&[], &[])), Some(1_000_000));
        assert_eq!(limit(&files(100, 50)), Some(50));
        assert_eq!(limit(&files(100, 200)), Some(100));
        assert_eq!(
            limit(&places(&[("kenning.toml", "index.max_files = 2000000")], &[])),
            Some(1_000_000)
        );
        let raised = places(&[("user/config.toml", "index.max_files = 2000000")], &[]);
        assert_eq!(limit(&raised), Some(2_000_000));
    }

    #[test]
    fn each_layer_wins_over_the_one_below() {
        let files = [
            ("user/config.toml", "[index]\nmax_file_size = 7\n"),
            ("kenning.toml", "[index]\nmax_file_size = 2\n"),
        ];
        let size = |places: &Places, flags: &[(&str, &str)]| {
            load(places, flags).unwrap().number("index.max_file_size")
        };
        assert_eq!(size(&places(&[], &[]), &[]), Some(1_048_576));
        assert_eq!(size(&places(&files[..1], &[]), &[]), Some(7));
        assert_eq!(size(&places(&files, &[]), &[]), Some(2));
        let variables = [("KEN_INDEX_MAX_FILE_SIZE", "3")];
        assert_eq!(size(&places(&files, &variables), &[]), Some(3));
        let flags = [("index.max_file_size", "4")];
        assert_eq!(size(&places(&files, &variables), &flags), Some(4));
    }

    #[test]
    fn an_unknown_key_names_the_nearest() {
        let places = places(&[("kenning.toml", "[index]\nexlude = []\n")], &[]);
        let error = load(&places, &[]).unwrap_err();
        assert!(error.contains("unknown key `index.exlude`"), "{error}");
        assert!(error.contains("did you mean `index.exclude`?"), "{error}");
    }

    #[test]
    fn a_key_like_no_other_gets_no_guess() {
        let places = places(&[("kenning.toml", "zzzz = 1\n")], &[]);
        let error = load(&places, &[]).unwrap_err();
        assert!(error.ends_with("unknown key `zzzz`"), "{error}");
    }

    #[test]
    fn what_is_right_can_be_had_without_what_is_wrong() {
        let places = places(
            &[("kenning.toml", "exlude = 3\n"), ("user/config.toml", "log = 'info'\n")],
            &[("KEN_HOME", "/there"), ("KEN_INDEX_MAX_FILE_SIZE", "big")],
        );
        let (root, process_env) = (places.root.path(), &places.process_env);
        let config = Config::load_valid(root, &[], process_env);
        assert_eq!(config.text("log"), Some("info"));
        assert_eq!(config.path("home"), Some(PathBuf::from("/there")));
        assert_eq!(config.number("index.max_file_size"), Some(1_048_576));
        let problems = config.problems().join("\n");
        assert!(problems.contains("did you mean `index.exclude`?"), "{problems}");
        assert!(problems.contains("KEN_INDEX_MAX_FILE_SIZE"), "{problems}");
    }

    #[test]
    fn a_server_passes_over_what_a_repository_gets_wrong_and_nothing_else() {
        let serve = |files: &[(&str, &str)], variables: &[(&str, &str)]| {
            let places = places(files, variables);
            let (root, process_env) = (places.root.path(), &places.process_env);
            let config = Config::load_for_server(root, &[], process_env);
            config.map_err(|error| error.to_string())
        };
        let broken = ("kenning.toml", "[index\n");
        let own = ("user/config.toml", "http.token = 'abc'\n");
        let config = serve(&[broken, own], &[]).unwrap();
        assert_eq!(config.text("http.token"), Some("abc"));
        assert!(serve(&[("shire.toml", "db_path = 3\n")], &[]).is_ok());
        let error = serve(&[("user/config.toml", "http.tokn = 'abc'\n")], &[]).unwrap_err();
        assert!(error.contains("line 1"), "{error}");
        assert!(serve(&[broken], &[("KEN_INDEX_MAX_FILE_SIZE", "big")]).is_err());
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        for (text, line) in [
            ("log = 'info'\n\n[index]\n# more\nexlude = []\n", 5),
            ("[index]\nexclude = 3\n", 2),
            ("\nindex.exclude = 3\n", 2),
            ("[index]\n\n[indx]\na = 1\n", 3),
            ("[[packages.custom]]\nname = 'a'\nkid = 'go'\n", 3),
            ("a = 1\n[index\n", 2),
        ] {
            let places = places(&[("kenning.toml", text)], &[]);
            let error = load(&places, &[]).unwrap_err();
            let wanted = format!("kenning.toml: line {line}: ");
            assert!(error.contains(&wanted), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_wrong_type_says_what_is_expected() {
        let places = places(&[("kenning.toml", "[index]\nexclude = 3\n")], &[]);
        let error = load(&places, &[]).unwrap_err();
        assert!(error.contains("`index.exclude` must be a list of strings"), "{error}");
    }

    #[test]
    fn files_of_the_originals_are_read() {
        let places = places(
            &[
                (
                    "shire.toml",
                    "db_path = 'x.db'\n[discovery]\nexclude = ['out']\n\
                     [[discovery.custom]]\nname = 'a'\nkind = 'go'\nrequires = ['main.go']\n\
                     [[packages]]\nname = 'old'\ndescription = 'Gone soon'\n[symbols]\nx = 1\n",
                ),
                (".spox/config.toml", "[paths]\nspec_folder = 'requirements/'\n"),
                (".swiftindex.toml", "[indexing]\nexclude = ['Pods']\nmax_file_size = 9\n"),
            ],
            &[],
        );
        let config = load(&places, &[]).unwrap();
        assert_eq!(config.path("packages.db"), Some(places.root.path().join("x.db")));
        assert_eq!(config.list_without_default("index.exclude"), ["Pods", "out"]);
        assert_eq!(config.number("index.max_file_size"), Some(9));
        assert_eq!(config.tables("packages.custom").len(), 1);
        assert_eq!(config.tables("packages.describe").len(), 1);
        assert_eq!(config.text("specs.folder"), Some("requirements/"));
    }

    #[test]
    fn a_relative_path_is_meant_from_where_it_was_written() {
        let mut places =
            places(&[("kenning.toml", "[packages]\ndb = 'own.db'\n")], &[("KEN_HOME", "here")]);
        places.process_env.working_directory = PathBuf::from("/somewhere");
        let config = load(&places, &[]).unwrap();
        assert_eq!(config.path("home"), Some(PathBuf::from("/somewhere/here")));
        assert_eq!(config.path("packages.db"), Some(places.root.path().join("own.db")));
    }

    #[test]
    fn claude_codes_folder_can_be_moved() {
        let folder = |variables: &[(&str, &str)]| {
            let mut places = places(&[], variables);
            places.process_env.working_directory = PathBuf::from("/somewhere");
            load(&places, &[]).unwrap().path("skills.claude_config")
        };
        assert_eq!(folder(&[]), Some(PathBuf::from("/home/somebody/.claude")));
        let moved = [("CLAUDE_CONFIG_DIR", "/else/claude")];
        assert_eq!(folder(&moved), Some(PathBuf::from("/else/claude")));
        let relative = [("CLAUDE_CONFIG_DIR", "claude")];
        assert_eq!(folder(&relative), Some(PathBuf::from("/somewhere/claude")));
    }

    #[test]
    fn secrets_are_never_shown() {
        let variables = [("OPENAI_API_KEY", "sk-1")];
        let good = places(&[("user/config.toml", "voyage.key = 'sk-2'")], &variables);
        let config = load(&good, &[("mlx.key", "sk-3")]).unwrap();
        assert_eq!(config.text("openai.key"), Some("sk-1"));
        assert_eq!(config.text("voyage.key"), Some("sk-2"));
        assert_eq!(config.text("mlx.key"), Some("sk-3"));
        let entries: Vec<_> = config.entries().collect();
        for shown in [format!("{config:?}"), format!("{entries:?}")] {
            assert!(shown.contains("[hidden]") && !shown.contains("sk-"), "{shown}");
        }
        let url =
            places(&[("user/config.toml", "qdrant.url = 'http://me:sk-4@h?token=sk-5'")], &[]);
        let shown = format!("{:?}", load(&url, &[("ollama.url", "me:sk-6@h")]).unwrap());
        assert!(shown.contains("http://[hidden]@h?token=[hidden]"), "{shown}");
        assert!(shown.contains("[hidden]@h") && !shown.contains("sk-"), "{shown}");
        for broken in ["voyage.key = 1234", "voyage.key = 1234 5", "voyage.key = '1234"] {
            let error = load(&places(&[("user/config.toml", broken)], &[]), &[]).unwrap_err();
            assert!(!error.contains("1234"), "{error}");
        }
    }

    #[test]
    fn variables_of_other_programs_are_weaker_than_ours() {
        let url = |variables: &[(&str, &str)]| {
            let config = load(&places(&[], variables), &[]).unwrap();
            config.text("openai.url").map(str::to_string)
        };
        let theirs = ("OPENAI_BASE_URL", "http://a");
        let originals = ("EMBEDDING_URL", "http://b");
        let ours = ("KEN_OPENAI_URL", "http://c");
        assert_eq!(url(&[theirs]).as_deref(), Some("http://a"));
        assert_eq!(url(&[originals, theirs]).as_deref(), Some("http://b"));
        assert_eq!(url(&[ours, theirs, originals]).as_deref(), Some("http://c"));
    }

    #[test]
    fn a_mistyped_table_names_the_nearest() {
        let places = places(&[("kenning.toml", "[indx]\nexclude = []\n")], &[]);
        let error = load(&places, &[]).unwrap_err();
        assert!(error.contains("did you mean `index`?"), "{error}");
    }

    #[test]
    fn broken_toml_says_which_file() {
        let places = places(&[("kenning.toml", "[index\n")], &[]);
        let error = load(&places, &[]).unwrap_err();
        assert!(error.contains("kenning.toml"), "{error}");
    }
}
