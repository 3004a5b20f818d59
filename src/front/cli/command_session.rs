//! The session of a command: its root, its settings, its output form and its log. Each way to open
//! a session treats invalid settings differently, because a command that diagnoses them must start
//! all the same.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::render::OutputForm;
use super::{CommandError, log, printing};
use crate::config::{Config, ProcessEnv, Refusal};
use crate::engine::{Engine, EngineError, Target, enclosing_root};
use crate::ops::OpError;

/// Adds the flags that every command takes.
pub fn global_flags(command: Command) -> Command {
    command
        .arg(
            Arg::new("root")
                .long("root")
                .value_name("DIR")
                .global(true)
                .value_parser(value_parser!(PathBuf))
                .help("The repository (default: the working directory)"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Answer in JSON"),
        )
        .arg(
            Arg::new("set")
                .long("set")
                .value_name("KEY=VALUE")
                .global(true)
                .action(ArgAction::Append)
                .help("Set one setting for this command (`ken config` lists them)"),
        )
        .arg(
            Arg::new("backend")
                .long("backend")
                .value_name("NAME")
                .global(true)
                .help("The search backend: embedded, qdrant or postgres (docs/scaling.md)"),
        )
        .arg(
            Arg::new("verbose")
                .short('v')
                .long("verbose")
                .global(true)
                .action(ArgAction::Count)
                .help("Log more on stderr; twice for debug output"),
        )
}

/// The flag of commands that read skills.
pub fn skill_dir_flag() -> Arg {
    Arg::new("skill-dir")
        .long("skill-dir")
        .value_name("DIR")
        .action(ArgAction::Append)
        .help("A further folder of skills, which takes precedence (may be repeated)")
}

/// Returns the output form. `--json` may stand before or after any subcommand.
pub fn output_form(matches: &ArgMatches) -> OutputForm {
    let here = matches.try_get_one::<bool>("json").ok().flatten();
    match (here, matches.subcommand()) {
        (Some(true), _) => OutputForm::Json,
        (_, Some((_, matches))) => output_form(matches),
        (_, None) => OutputForm::People,
    }
}

/// The engine and the output form of one command.
pub struct CommandSession {
    /// The engine of the root.
    pub engine: Arc<Engine>,
    /// The form of replies and errors.
    pub form: OutputForm,
}

/// The treatment of invalid settings.
#[derive(Clone, Copy)]
enum InvalidSettings {
    /// Any invalid setting is an error.
    Refused,
    /// Skipped in files of the repository, refused elsewhere.
    SkippedInRepository,
    /// Invalid settings are ignored.
    Skipped,
}

impl CommandSession {
    /// Reads the settings and starts logging. `root` is the root that the command names, if any.
    pub fn open(
        matches: &ArgMatches,
        root: Option<PathBuf>,
    ) -> Result<CommandSession, CommandError> {
        let session = CommandSession::open_with_database(matches, root, None)?;
        session.warn_of_refusals();
        Ok(session)
    }

    /// Opens a session for a command that asks a question. A repository without an index is indexed
    /// first, unless `index.on_demand` is off.
    pub fn open_to_ask(matches: &ArgMatches) -> Result<CommandSession, CommandError> {
        let mut session = CommandSession::open(matches, None)?;
        if let Some(engine) = Arc::get_mut(&mut session.engine) {
            engine.index_on_demand_by_default();
        }
        Ok(session)
    }

    /// Opens a session for one package database, if given. Does not warn of refused settings.
    pub fn open_with_database(
        matches: &ArgMatches,
        root: Option<PathBuf>,
        database: Option<PathBuf>,
    ) -> Result<CommandSession, CommandError> {
        let surroundings = ProcessEnv::from_process();
        CommandSession::load(matches, root, database, &surroundings, InvalidSettings::Refused)
    }

    /// Opens a session with the valid settings only, for commands that diagnose settings or do not
    /// need them. [`CommandSession::warn_of_problems`] prints the invalid ones.
    pub fn open_anyway(matches: &ArgMatches) -> Result<CommandSession, CommandError> {
        CommandSession::load(
            matches,
            None,
            None,
            &ProcessEnv::from_process(),
            InvalidSettings::Skipped,
        )
    }

    /// Opens a session for `ken trust`, which must also work if a file of the repository is broken.
    pub fn open_for_trust(
        matches: &ArgMatches,
        root: Option<PathBuf>,
    ) -> Result<CommandSession, CommandError> {
        let surroundings = ProcessEnv::from_process();
        let session =
            CommandSession::load(matches, root, None, &surroundings, InvalidSettings::Skipped)?;
        session.warn_of_problems();
        Ok(session)
    }

    /// Opens a session for a server. If a file of the repository is broken, it warns and serves.
    pub fn open_to_serve(
        matches: &ArgMatches,
        database: Option<PathBuf>,
    ) -> Result<CommandSession, CommandError> {
        let surroundings = ProcessEnv::from_process();
        let session = CommandSession::load(
            matches,
            None,
            database,
            &surroundings,
            InvalidSettings::SkippedInRepository,
        )?;
        session.warn_of_problems();
        session.warn_of_refusals();
        Ok(session)
    }

    /// Asks on a terminal before a root that is far more than a project is indexed. Without a
    /// terminal, or after a no, indexing refuses it with an error that says how to name it.
    pub fn confirm_root(&self) {
        let root = self.engine.config().root();
        let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        let Some(reason) = self.engine.broad_root(root).filter(|_| is_terminal) else {
            return;
        };
        let question = format!("{} {reason}. Index all of it? [y/N]", root.display());
        printing::print_question(&question);
        let mut answer = String::new();
        let _ = std::io::stdin().read_line(&mut answer);
        if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
            self.engine.allow_root(root);
        }
    }

    /// One line on stderr that names the settings of the repository that were ignored.
    fn warn_of_refusals(&self) {
        let config = self.engine.config();
        let mut keys: Vec<&str> =
            config.refusals().iter().map(|refusal| refusal.setting.key).collect();
        keys.dedup();
        if keys.is_empty() {
            return;
        }
        let remedy = if config.refusals().iter().any(Refusal::can_be_trusted) {
            "`ken doctor` says why; `ken trust` approves what a repository may set"
        } else {
            "`ken doctor` says why"
        };
        let list = keys.join(", ");
        printing::print_message(&format!(
            "warning: the repository's own configuration sets {list}: ignored. {remedy}"
        ));
    }

    /// Prints the invalid settings on stderr.
    pub fn warn_of_problems(&self) {
        for problem in self.engine.config().problems() {
            printing::print_message(&format!(
                "warning: {problem}\n  It is ignored until you fix it, and a repository whose file is \
                 broken is not indexed. `ken config --help` lists the settings"
            ));
        }
    }

    /// Opens a session for the repository that encloses `folder`, as if started there.
    pub fn open_around(
        matches: &ArgMatches,
        folder: PathBuf,
    ) -> Result<CommandSession, CommandError> {
        let mut surroundings = ProcessEnv::from_process();
        surroundings.working_directory = folder;
        CommandSession::load(matches, None, None, &surroundings, InvalidSettings::Refused)
    }

    /// Reads the settings, starts logging and builds the engine.
    fn load(
        matches: &ArgMatches,
        root: Option<PathBuf>,
        database: Option<PathBuf>,
        surroundings: &ProcessEnv,
        faults: InvalidSettings,
    ) -> Result<CommandSession, CommandError> {
        let explicit = matches.get_one::<PathBuf>("root").cloned();
        let named = root.or_else(|| explicit.clone());
        let folder = named.as_ref().unwrap_or(&surroundings.working_directory);
        let start = canonical_path(folder)?;
        let flags = flag_settings(matches)?;
        let load = |root: &Path| {
            let config = match faults {
                InvalidSettings::Refused => Config::load(root, &flags, surroundings),
                InvalidSettings::SkippedInRepository => {
                    Config::load_for_server(root, &flags, surroundings)
                }
                InvalidSettings::Skipped => Ok(Config::load_valid(root, &flags, surroundings)),
            };
            config.map_err(|error| OpError::from(EngineError::Config(error)))
        };
        // The enclosing root depends on settings, and the settings on the root: load, find the
        // root, load again.
        let mut config = load(&start)?;
        if named.is_none() {
            let root = enclosing_root(&config);
            if root != start {
                config = load(&root)?;
            }
        }
        let verbosity = matches.get_count("verbose");
        let started = log::start_logging(config.text("log").unwrap_or("error"), verbosity);
        match (started, faults) {
            // An invalid log setting must not stop a command that diagnoses settings.
            (Err(error), InvalidSettings::Skipped) => {
                printing::print_message(&format!("warning: {error}"));
                log::start_logging("warn", verbosity)?;
            }
            (started, _) => started?,
        }
        let root = config.root().to_path_buf();
        // A root that the user names is used as it is. Without one, an enclosing index may answer.
        let target = match (database, named) {
            (Some(database), _) => Target::Database(database),
            (None, Some(_)) => Target::Root(root),
            (None, None) => Target::Nearest(root),
        };
        let engine = Engine::new(config, target);
        // Naming a broad root, such as the home directory, is the permission to index it.
        if let Some(root) = explicit {
            engine.allow_root(&root);
        }
        Ok(CommandSession { engine: Arc::new(engine), form: output_form(matches) })
    }
}

/// Canonicalises a path that the user typed.
fn canonical_path(path: &Path) -> Result<PathBuf, OpError> {
    path.canonicalize().map_err(|error| {
        OpError::bad_argument(format!("{}: {error}", path.display()))
            .hint("give the path of a directory that exists")
    })
}

/// Collects the settings that flags set: `--set`, `--skill-dir`, `--backend`, and those of `ken
/// http`.
fn flag_settings(matches: &ArgMatches) -> Result<Vec<(String, String)>, OpError> {
    let given = matches.get_many::<String>("set").into_iter().flatten();
    let set = given
        .map(|text| {
            let (key, value) = text.split_once('=').ok_or_else(|| {
                OpError::bad_argument(format!("--set {text}: no `=` between key and value"))
            })?;
            Ok((key.trim().to_string(), value.to_string()))
        })
        .collect::<Result<Vec<_>, OpError>>();
    let backend = matches
        .try_get_one::<String>("backend")
        .ok()
        .flatten()
        .map(|name| ("backend".to_string(), name.clone()));
    let directories = list_flag(matches, "skill-dir", "skills.directories")
        .into_iter()
        .chain(list_flag(matches, super::http::ALLOW_ROOT, "http.roots"));
    Ok(set?.into_iter().chain(directories).chain(http_settings(matches)).chain(backend).collect())
}

/// Converts the flags of `ken http` to settings.
fn http_settings(matches: &ArgMatches) -> impl Iterator<Item = (String, String)> {
    super::http::FLAGS.iter().filter_map(|(flag, key)| {
        let value = matches.try_get_one::<String>(flag).ok().flatten()?;
        Some((key.to_string(), value.clone()))
    })
}

/// Converts a flag that may be repeated to its setting.
fn list_flag(matches: &ArgMatches, flag: &str, key: &str) -> Option<(String, String)> {
    let named: toml::Value =
        matches.try_get_many::<String>(flag).ok().flatten()?.cloned().collect::<Vec<_>>().into();
    Some((key.to_string(), named.to_string()))
}
