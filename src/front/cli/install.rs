//! `ken install`: adds Kenning to the MCP clients on this machine, and removes it again.
//! `atomic_edit` changes files, `client_command` runs a client's own command, and `install_report`
//! shows the outcome.
//!
//! It changes nothing that it could not undo: it keeps a backup, and an uninstall deletes only
//! files that it created.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::agent_files::{AGENT_FILES, NOTE};
use super::atomic_edit::{Backup, back_up, diff_lines, find_traces, remove_file, replace_text};
use super::client_command::{self, ALREADY_LISTED, ClientOutcome, NOT_LISTED, fill_template};
use super::command_session::CommandSession;
use super::install_report::{FileOutcome, InstallChange, InstallOutcome, RunMode, show_report};
use super::{CommandError, CommandResult, Exit};
use crate::config::ProcessEnv;
use crate::config::clients::{
    self, CLIENTS, Client, ClientHook, ClientPaths, HookPurpose, InstallScope, SERVER_NAME,
    SHARED_NOTES, ServerEntry,
};
use crate::ops::OpError;
use kenning_source::disk;

/// The hooks: what the report calls each, and the reason where a client cannot have it.
const HOOKS: &[(HookPurpose, &str, &str)] = &[
    (
        HookPurpose::Refresh,
        "hook",
        "it has no hooks that see every edit; `ken watch` does the same",
    ),
    (HookPurpose::Search, "search hook", "it has no hooks that can add to a search"),
];

/// Declares `ken install`.
pub fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let names = CLIENTS.iter().map(|client| client.name);
    Command::new("install")
        .about("Add Kenning to the MCP clients on this machine, or remove it")
        .arg(
            Arg::new("client")
                .value_parser(clap::builder::PossibleValuesParser::new(names))
                .action(ArgAction::Append)
                .help("The clients to change (default: all that are found)"),
        )
        .arg(
            Arg::new("toolsets")
                .long("toolsets")
                .value_name("A,B")
                .default_value("agent")
                .help("The tools that agents see: agent (six), all, or families, as in `ken serve`"),
        )
        .arg(flag("project", "Write to the project's own files, for everybody who works on it"))
        .arg(flag("user", "Write to your own files, for all your projects (the default)").conflicts_with("project"))
        .arg(flag("uninstall", "Remove what it added: servers, hooks, notes, skill and subagent"))
        .arg(
            flag("note", "Also tell agents when to ask: a note in AGENTS.md or CLAUDE.md, a skill, a subagent")
                .visible_alias("notes"),
        )
        .arg(flag("hook", "Also add hooks: refresh the index after edits, add facts to searches"))
        .arg(flag("dry-run", "Show what would change, and change nothing"))
        .after_help(
            "Examples:\n  ken install\n  ken install cursor --dry-run\n  ken install claude-code --project --note\n  \
             ken install claude-code --hook\n  ken install --uninstall",
        )
}

/// Runs `ken install`. One failing client does not stop the others.
pub fn install(matches: &ArgMatches) -> CommandResult {
    let surroundings = ProcessEnv::from_process();
    let session = CommandSession::open_anyway(matches)?;
    session.warn_of_problems();
    let root = session.engine.config().root();
    let job = InstallJob {
        places: ClientPaths::new(&surroundings, root),
        surroundings: &surroundings,
        root: root.to_path_buf(),
        toolsets: matches.get_one::<String>("toolsets").cloned().unwrap_or_default(),
        scope: if matches.get_flag("project") { InstallScope::Project } else { InstallScope::User },
        is_removal: matches.get_flag("uninstall"),
        run: if matches.get_flag("dry-run") { RunMode::Dry } else { RunMode::Real },
        backups: RefCell::default(),
    };
    let clients = job.chosen_clients(matches)?;
    let mut done: Vec<InstallOutcome> =
        clients.iter().map(|client| job.install_client(client)).collect();
    // An uninstall removes the hooks too, so that nothing of Kenning remains.
    if matches.get_flag("hook") || job.is_removal {
        done.extend(clients.iter().flat_map(|client| job.install_hooks(client)));
    }
    let is_note_named = matches.get_flag("note");
    if job.is_removal && (is_note_named || !job.is_needed_by_others(&clients)) {
        done.extend(job.remove_notes());
    } else if is_note_named {
        done.extend(job.add_notes(&clients));
    }
    let has_failed = done.iter().any(|done| done.failure.is_some());
    show_report(&done, job.run, session.form)?;
    Ok(if has_failed { Exit::Failed } else { Exit::Ok })
}

/// One run over the chosen clients.
struct InstallJob<'s> {
    /// The folders and programs of the clients.
    places: ClientPaths<'s>,
    /// The environment, to run git.
    surroundings: &'s ProcessEnv,
    /// The repository, for `--project`.
    root: PathBuf,
    /// The tools that the server lists.
    toolsets: String,
    /// The user's files or the project's.
    scope: InstallScope,
    /// True for `--uninstall`.
    is_removal: bool,
    /// Real or dry.
    run: RunMode,
    /// The backup of each file that this run changed, so that a second change of a file makes no
    /// second one.
    backups: RefCell<BTreeMap<PathBuf, Backup>>,
}

impl InstallJob<'_> {
    /// The clients that were named, else all that are present.
    fn chosen_clients(&self, matches: &ArgMatches) -> Result<Vec<&'static Client>, CommandError> {
        if let Some(names) = matches.get_many::<String>("client") {
            return Ok(names.filter_map(|name| Client::find(name)).collect());
        }
        let present: Vec<&Client> =
            CLIENTS.iter().filter(|client| client.is_present(&self.places)).collect();
        if present.is_empty() {
            let known: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
            let message = format!("no MCP client was found; name one of {}", known.join(", "));
            return Err(OpError::bad_argument(message).into());
        }
        Ok(present)
    }

    /// Adds or removes the server of one client: by its own command if possible, else in its file.
    fn install_client(&self, client: &'static Client) -> InstallOutcome {
        let server = self.server_entry(client);
        let file = client.list_file(self.scope, &self.places, &self.root);
        if let Some(done) = self.run_own_command(client, &server, file.as_deref()) {
            return done;
        }
        let Some(file) = file else {
            let problem = "there is no home directory".to_string();
            return InstallOutcome::failure(client.title, String::new(), problem);
        };
        self.edit_file(client.title, &file, |text| {
            let edited = if self.is_removal {
                clients::remove_server(text, client.shape, SERVER_NAME)
            } else {
                clients::add_server(text, client.shape, &server)
            };
            edited.map_err(|error| error.to_string())
        })
    }

    /// Adds or removes the hooks of a client, and says which it cannot have.
    fn install_hooks(&self, client: &'static Client) -> Vec<InstallOutcome> {
        let mut done = Vec::new();
        for (purpose, what, why) in HOOKS {
            let what = format!("{}, {what}", client.title);
            let mut hooks = client.hooks.iter();
            match hooks.find(|hook| hook.entry.purpose == *purpose) {
                Some(hook) => done.extend(self.install_hook(&what, hook)),
                None if self.is_removal => {}
                None => {
                    let place = client.name.to_string();
                    done.push(InstallOutcome::new(&what, place, InstallChange::Impossible(why)));
                }
            }
        }
        done
    }

    /// Adds or removes one hook; `None` if there is none to remove.
    fn install_hook(&self, what: &str, hook: &ClientHook) -> Option<InstallOutcome> {
        let file = hook.hook_file(self.scope, &self.places, &self.root)?;
        if self.is_removal && !file.exists() {
            return None;
        }
        let command = clients::command_line(&self.program(), hook.entry.purpose);
        let done = self.edit_file(what, &file, |text| {
            let edited = if self.is_removal {
                clients::remove_hook(text, hook.entry)
            } else {
                clients::add_hook(text, hook.entry, &command)
            };
            edited.map_err(|error| error.to_string())
        });
        (!self.is_removal || !done.is_unchanged()).then_some(done)
    }

    /// The program to start. A file of the user names this very program; one of the project names
    /// `ken`, which others have elsewhere.
    fn program(&self) -> String {
        let here = std::env::current_exe().ok().and_then(|path| path.to_str().map(str::to_string));
        let program = match self.scope {
            InstallScope::User => here,
            InstallScope::Project => None,
        };
        program.unwrap_or_else(|| "ken".to_string())
    }

    /// The entry of the server in a client's list.
    fn server_entry(&self, client: &Client) -> ServerEntry {
        let mut arguments = ["serve", "--toolsets", &self.toolsets].map(str::to_string).to_vec();
        if let Some(workspace) = client.workspace {
            arguments.extend(["--root".to_string(), workspace.to_string()]);
        }
        ServerEntry { name: SERVER_NAME.to_string(), command: self.program(), arguments }
    }

    /// Adds the note to the file that each client reads, once for each file.
    fn add_notes(&self, clients: &[&Client]) -> Vec<InstallOutcome> {
        let mut names: Vec<&str> = clients.iter().map(|one| self.note_file(one)).collect();
        names.sort_unstable();
        names.dedup();
        let noted = names.into_iter().map(|name| {
            self.edit_file("note for agents", &self.root.join(name), |text| {
                Ok(clients::add_note(text, NOTE))
            })
        });
        noted.chain(self.add_agent_files(clients)).collect()
    }

    /// Adds the skill, and the profile of a subagent for clients that have them.
    fn add_agent_files(&self, clients: &[&Client]) -> Vec<InstallOutcome> {
        let wanted =
            AGENT_FILES.iter().filter(|file| clients.iter().any(|client| file.is_for(client.name)));
        let done = wanted.map(|file| {
            self.edit_file(file.title, &self.root.join(file.path), |text| file.replace(text))
        });
        done.collect()
    }

    /// The file with notes for a client. A file of its own may include the shared one; then the
    /// shared one gets the note.
    fn note_file(&self, client: &Client) -> &'static str {
        let text = disk::read_text(&self.root.join(client.notes), clients::MAX_BYTES)
            .ok()
            .flatten()
            .unwrap_or_default();
        if text.contains(&format!("@{SHARED_NOTES}")) { SHARED_NOTES } else { client.notes }
    }

    /// Removes the note from all files that may have it: which of them exist may have changed
    /// since.
    fn remove_notes(&self) -> Vec<InstallOutcome> {
        let names: BTreeSet<&str> = CLIENTS.iter().map(|client| client.notes).collect();
        let files =
            names.into_iter().map(|name| self.root.join(name)).filter(|file| file.is_file());
        let done = files.map(|file| {
            self.edit_file("note for agents", &file, |text| Ok(clients::remove_note(text)))
        });
        let files = AGENT_FILES.iter().map(|file| {
            self.edit_file(file.title, &self.root.join(file.path), |text| file.remove(text))
        });
        done.chain(files).filter(|done| !done.is_unchanged()).collect()
    }

    /// True if a client that is not among these lists Kenning: the note is for it, too.
    fn is_needed_by_others(&self, clients: &[&Client]) -> bool {
        let is_other = |client: &&Client| clients.iter().all(|one| one.name != client.name);
        let mut others = CLIENTS.iter().filter(is_other);
        others.any(|client| client.has_server(SERVER_NAME, &self.places, &self.root))
    }

    /// Runs the client's own command; `None` if it has none that fits. An entry that exists is
    /// edited in the file: a client would refuse, or lose what its owner set beside the command.
    fn run_own_command(
        &self,
        client: &Client,
        server: &ServerEntry,
        file: Option<&Path>,
    ) -> Option<InstallOutcome> {
        let own = client.own_command.as_ref().filter(|_| self.scope == InstallScope::User)?;
        let program = self.places.program(client.program)?;
        let is_listed = file.is_some_and(|file| client.is_listed_in(file, SERVER_NAME));
        let (template, already) = match self.is_removal {
            true => (own.remove?, NOT_LISTED),
            false if is_listed => return None,
            false => (own.add, ALREADY_LISTED),
        };
        let arguments = fill_template(template, server);
        let place = format!("{} {}", client.program, arguments.join(" "));
        let run = || match self.run {
            RunMode::Dry => ClientOutcome::Done,
            RunMode::Real => client_command::run_client(&program, &arguments, already),
        };
        let mut ran = run();
        // It is in a list that we do not know, with an unknown command: remove and add it.
        if let (ClientOutcome::Already, false, Some(remove)) = (&ran, self.is_removal, own.remove) {
            // It is in a list that we do not know, with who knows which command.
            ran = match client_command::run_client(
                &program,
                &fill_template(remove, server),
                NOT_LISTED,
            ) {
                ClientOutcome::Failed(said) => ClientOutcome::Failed(said),
                ClientOutcome::Done | ClientOutcome::Already => run(),
            };
        }
        Some(match ran {
            ClientOutcome::Done => InstallOutcome::new(client.title, place, InstallChange::Command),
            ClientOutcome::Already => InstallOutcome::new(client.title, place, InstallChange::None),
            ClientOutcome::Failed(said) => InstallOutcome::failure(client.title, place, said),
        })
    }

    /// Changes the text of one file and reports the outcome. Refuses a link that leads outside of
    /// the repository.
    fn edit_file(
        &self,
        what: &str,
        file: &Path,
        change: impl FnOnce(&str) -> Result<String, String>,
    ) -> InstallOutcome {
        let place = file.display().to_string();
        // A repository could link its settings file to any file of the user.
        if file.starts_with(&self.root) && !disk::stays_inside(&self.root, file) {
            let problem = "a link that leads out of the repository; it was not changed";
            return InstallOutcome::failure(what, place, problem.to_string());
        }
        let before = match disk::read_text(file, clients::MAX_BYTES) {
            Ok(text) => text.unwrap_or_default(),
            Err(error) => return InstallOutcome::failure(what, place, error.to_string()),
        };
        let after = match change(&before) {
            Ok(after) => after,
            Err(problem) => return InstallOutcome::failure(what, place, problem),
        };
        if after == before || self.is_removal && before.is_empty() {
            return InstallOutcome::new(what, place, InstallChange::None);
        }
        // A symbolic link is never deleted: its target is written instead, as others may manage it.
        // An uninstall deletes a file that held only our entry, and only if it did not exist
        // before.
        let is_bare = self.is_removal && clients::is_without_content(&after);
        let is_over = is_bare && !file.is_symlink() && !self.existed_before(file);
        let end = if is_over { FileOutcome::Gone } else { FileOutcome::Changed };
        let kept = match (self.run, end) {
            (RunMode::Dry, _) => Ok(Backup::NotNeeded),
            (RunMode::Real, FileOutcome::Gone) => self.delete_file(file),
            (RunMode::Real, FileOutcome::Changed) => self.write_file(file, &after),
        };
        let (kept, failure) = match kept {
            Ok(kept) => (kept, None),
            Err(error) => (Backup::NotNeeded, Some(error.to_string())),
        };
        let change = InstallChange::File { difference: diff_lines(&before, &after), end, kept };
        InstallOutcome { failure, ..InstallOutcome::new(what, place, change) }
    }

    /// True if the file existed before Kenning: an earlier run has a backup of it, or git has it.
    fn existed_before(&self, file: &Path) -> bool {
        let (backup, is_in_git) = find_traces(file, self.surroundings);
        let of_this_run = self.backups.borrow().get(file).cloned();
        let is_of_this_run =
            |backup: &PathBuf| of_this_run == Some(Backup::Created(backup.clone()));
        is_in_git || backup.is_some_and(|backup| !is_of_this_run(&backup))
    }

    /// Backs the file up, unless this run did so before, and replaces its text.
    fn write_file(&self, file: &Path, after: &str) -> std::io::Result<Backup> {
        let known = self.backups.borrow().get(file).cloned();
        let kept = match known {
            Some(kept) => kept,
            None => back_up(file, self.surroundings)?,
        };
        self.backups.borrow_mut().insert(file.to_path_buf(), kept.clone());
        replace_text(file, after)?;
        Ok(kept)
    }

    /// Deletes a file that held only Kenning's text, together with a backup that this run made.
    fn delete_file(&self, file: &Path) -> std::io::Result<Backup> {
        if let Some(Backup::Created(backup)) = self.backups.borrow_mut().remove(file) {
            fs::remove_file(backup)?;
        }
        let home = self.places.home().unwrap_or(&self.root);
        remove_file(file, &[&self.root, home])?;
        Ok(Backup::NotNeeded)
    }
}
