//! `ken install`: puts Kenning into the lists of the MCP clients that are here, and takes it out again.
//! `atomic_edit` changes files, `client_command` runs a client's own command, and `install_report`
//! shows the outcome.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::atomic_edit::{Kept, difference, keep, rewrite, take_away, traces};
use super::client_command::{self, GONE, LISTED, Ran, fill};
use super::context::Session;
use super::install_report::{Change, Done, End, Run, show};
use super::{CommandResult, Exit, Failure};
use crate::config::ProcessEnv;
use crate::config::clients::{
    self, CLIENTS, Client, ClientPaths, InstallScope, SERVER_NAME, SHARED_NOTES, ServerEntry,
};
use crate::ops::OpError;
use kenning_source::disk;

const NOTE: &str = "\
## Finding your way: Kenning

This repository is indexed by Kenning (MCP server `kenning`, command `ken`). Before grep and before \
reading files one by one: `search_code` for a question or a name, `package_dependencies` and \
`package_impact` for who needs whom, `search_specs` for what is demanded, `suggest_skills` for how it is \
done here. Answers say path and lines; read those.";

pub fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let names = CLIENTS.iter().map(|client| client.name);
    Command::new("install")
        .about("Add Kenning to the MCP clients on this machine, or take it out")
        .arg(
            Arg::new("client")
                .value_parser(clap::builder::PossibleValuesParser::new(names))
                .action(ArgAction::Append)
                .help("Which clients (default: all that are found)"),
        )
        .arg(flag("project", "In the project's own files, for everybody who works on it"))
        .arg(flag("user", "In your own files, for all your projects (the default)").conflicts_with("project"))
        .arg(flag("uninstall", "Take it out again"))
        .arg(flag("note", "Also tell agents about it in AGENTS.md or CLAUDE.md"))
        .arg(flag("hook", "Also refresh the index after edits, in clients that have hooks"))
        .arg(flag("dry-run", "Show what would change, and change nothing"))
        .after_help(
            "Examples:\n  ken install\n  ken install cursor --dry-run\n  ken install claude-code --project --note\n  \
             ken install claude-code --hook\n  ken install --uninstall",
        )
}

pub fn install(matches: &ArgMatches) -> CommandResult {
    let surroundings = ProcessEnv::from_process();
    let session = Session::open_anyway(matches)?;
    session.warn();
    let root = session.engine.config().root();
    let job = Job {
        places: ClientPaths::new(&surroundings, root),
        surroundings: &surroundings,
        root: root.to_path_buf(),
        scope: if matches.get_flag("project") { InstallScope::Project } else { InstallScope::User },
        is_removal: matches.get_flag("uninstall"),
        run: if matches.get_flag("dry-run") { Run::Dry } else { Run::Real },
        kept: RefCell::default(),
    };
    let clients = job.chosen(matches)?;
    let mut done: Vec<Done> = clients.iter().map(|client| job.client(client)).collect();
    // An uninstall removes the hooks too, so that nothing of Kenning remains.
    if matches.get_flag("hook") || job.is_removal {
        done.extend(clients.iter().filter_map(|client| job.hook(client)));
    }
    let is_note_named = matches.get_flag("note");
    if job.is_removal && (is_note_named || !job.is_needed_by_others(&clients)) {
        done.extend(job.notes_away());
    } else if is_note_named {
        done.extend(job.notes(&clients));
    }
    let has_failed = done.iter().any(|done| done.failure.is_some());
    show(&done, job.run, session.form)?;
    Ok(if has_failed { Exit::Failed } else { Exit::Ok })
}

struct Job<'s> {
    places: ClientPaths<'s>,
    surroundings: &'s ProcessEnv,
    root: PathBuf,
    scope: InstallScope,
    is_removal: bool,
    run: Run,
    /// The place of the text that each file had before this run.
    kept: RefCell<BTreeMap<PathBuf, Kept>>,
}

impl Job<'_> {
    fn chosen(&self, matches: &ArgMatches) -> Result<Vec<&'static Client>, Failure> {
        if let Some(names) = matches.get_many::<String>("client") {
            return Ok(names.filter_map(|name| Client::find(name)).collect());
        }
        let present = CLIENTS.iter().filter(|client| client.is_present(&self.places));
        let present: Vec<&Client> = present.collect();
        if present.is_empty() {
            let known: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
            let message = format!("no MCP client was found; name one of {}", known.join(", "));
            return Err(OpError::bad_argument(message).into());
        }
        Ok(present)
    }

    fn client(&self, client: &'static Client) -> Done {
        let server = self.server(client);
        let file = client.list_file(self.scope, &self.places, &self.root);
        if let Some(done) = self.by_own_command(client, &server, file.as_deref()) {
            return done;
        }
        let Some(file) = file else {
            let problem = "there is no home directory".to_string();
            return Done::failed(client.title, String::new(), problem);
        };
        self.edit(client.title, &file, |text| {
            let edited = if self.is_removal {
                clients::remove_server(text, client.shape, SERVER_NAME)
            } else {
                clients::add_server(text, client.shape, &server)
            };
            edited.map_err(|error| error.to_string())
        })
    }

    /// `None` if there is none and none is wanted.
    fn hook(&self, client: &'static Client) -> Option<Done> {
        let what = format!("{}, hook", client.title);
        let Some(hook) = &client.hook else {
            let why = "it has no hooks that see every edit; `ken watch` does the same";
            let place = client.name.to_string();
            let done = Done::new(&what, place, Change::Impossible(why));
            return (!self.is_removal).then_some(done);
        };
        let file = hook.hook_file(self.scope, &self.places, &self.root)?;
        if self.is_removal && !file.exists() {
            return None;
        }
        let command = clients::command_line(&self.program());
        let done = self.edit(&what, &file, |text| {
            let edited = if self.is_removal {
                clients::remove_hook(text, hook.shape)
            } else {
                clients::add_hook(text, hook.shape, &command)
            };
            edited.map_err(|error| error.to_string())
        });
        (!self.is_removal || !done.is_nothing()).then_some(done)
    }

    /// A file of the user's names this very program; one of the project's, whatever others have.
    fn program(&self) -> String {
        let here = std::env::current_exe().ok();
        let here = here.and_then(|path| path.to_str().map(str::to_string));
        let program = match self.scope {
            InstallScope::User => here,
            InstallScope::Project => None,
        };
        program.unwrap_or_else(|| "ken".to_string())
    }

    fn server(&self, client: &Client) -> ServerEntry {
        let mut arguments = vec!["serve".to_string()];
        if let Some(workspace) = client.workspace {
            arguments.extend(["--root".to_string(), workspace.to_string()]);
        }
        ServerEntry { name: SERVER_NAME.to_string(), command: self.program(), arguments }
    }

    /// In the file that each client reads, once.
    fn notes(&self, clients: &[&Client]) -> Vec<Done> {
        let mut names: Vec<&str> = clients.iter().map(|one| self.note_file(one)).collect();
        names.sort_unstable();
        names.dedup();
        let noted = names.into_iter().map(|name| {
            self.edit("note for agents", &self.root.join(name), |text| {
                Ok(clients::add_note(text, NOTE))
            })
        });
        noted.collect()
    }

    /// A file of a client's own may include the one that the others read.
    fn note_file(&self, client: &Client) -> &'static str {
        let text = disk::read_text(&self.root.join(client.notes), clients::MAX_BYTES);
        let text = text.ok().flatten().unwrap_or_default();
        if text.contains(&format!("@{SHARED_NOTES}")) { SHARED_NOTES } else { client.notes }
    }

    /// It may be in any of the files: which of them exist may have changed since.
    fn notes_away(&self) -> Vec<Done> {
        let names: BTreeSet<&str> = CLIENTS.iter().map(|client| client.notes).collect();
        let files = names.into_iter().map(|name| self.root.join(name));
        let files = files.filter(|file| file.is_file());
        let done = files
            .map(|file| self.edit("note for agents", &file, |text| Ok(clients::remove_note(text))));
        done.filter(|done| !done.is_nothing()).collect()
    }

    /// True if a client that is not among these lists Kenning: the note is for it, too.
    fn is_needed_by_others(&self, clients: &[&Client]) -> bool {
        let is_other = |client: &&Client| clients.iter().all(|one| one.name != client.name);
        let mut others = CLIENTS.iter().filter(is_other);
        others.any(|client| client.has_server(SERVER_NAME, &self.places, &self.root))
    }

    /// `None` if there is none that fits. What the file lists already is changed in the file: a client
    /// would refuse, or lose what its owner set beside the command.
    fn by_own_command(
        &self,
        client: &Client,
        server: &ServerEntry,
        file: Option<&Path>,
    ) -> Option<Done> {
        let own = client.own_command.as_ref();
        let own = own.filter(|_| self.scope == InstallScope::User)?;
        let program = self.places.program(client.program)?;
        let is_listed = file.is_some_and(|file| client.is_listed_in(file, SERVER_NAME));
        let (template, already) = match self.is_removal {
            true => (own.remove?, GONE),
            false if is_listed => return None,
            false => (own.add, LISTED),
        };
        let arguments = fill(template, server);
        let place = format!("{} {}", client.program, arguments.join(" "));
        let run = || match self.run {
            Run::Dry => Ran::Done,
            Run::Real => client_command::run(&program, &arguments, already),
        };
        let mut ran = run();
        if let (Ran::Already, false, Some(remove)) = (&ran, self.is_removal, own.remove) {
            // It is in a list that we do not know, with who knows which command.
            ran = match client_command::run(&program, &fill(remove, server), GONE) {
                Ran::Failed(said) => Ran::Failed(said),
                Ran::Done | Ran::Already => run(),
            };
        }
        Some(match ran {
            Ran::Done => Done::new(client.title, place, Change::Command),
            Ran::Already => Done::new(client.title, place, Change::None),
            Ran::Failed(said) => Done::failed(client.title, place, said),
        })
    }

    fn edit(
        &self,
        what: &str,
        file: &Path,
        change: impl FnOnce(&str) -> Result<String, String>,
    ) -> Done {
        let place = file.display().to_string();
        if file.starts_with(&self.root) && !disk::stays_inside(&self.root, file) {
            let problem = "a link that leads outside of the repository; it was left as it is";
            return Done::failed(what, place, problem.to_string());
        }
        let before = match disk::read_text(file, clients::MAX_BYTES) {
            Ok(text) => text.unwrap_or_default(),
            Err(error) => return Done::failed(what, place, error.to_string()),
        };
        let after = match change(&before) {
            Ok(after) => after,
            Err(problem) => return Done::failed(what, place, problem),
        };
        if after == before || self.is_removal && before.is_empty() {
            return Done::new(what, place, Change::None);
        }
        // A symbolic link is never deleted: its target is written instead, as others may manage it.
        let is_bare = self.is_removal && clients::is_without_content(&after);
        let is_over = is_bare && !file.is_symlink() && !self.was_there(file);
        let end = if is_over { End::Gone } else { End::Changed };
        let kept = match (self.run, end) {
            (Run::Dry, _) => Ok(Kept::Nothing),
            (Run::Real, End::Gone) => self.take_away(file),
            (Run::Real, End::Changed) => self.write(file, &after),
        };
        let (kept, failure) = match kept {
            Ok(kept) => (kept, None),
            Err(error) => (Kept::Nothing, Some(error.to_string())),
        };
        let change = Change::File { difference: difference(&before, &after), end, kept };
        Done { failure, ..Done::new(what, place, change) }
    }

    /// True if the file existed before Kenning: an earlier run has a backup of it, or git has it.
    fn was_there(&self, file: &Path) -> bool {
        let (backup, is_in_git) = traces(file, self.surroundings);
        let of_this_run = self.kept.borrow().get(file).cloned();
        let is_of_this_run = |backup: &PathBuf| of_this_run == Some(Kept::Beside(backup.clone()));
        is_in_git || backup.is_some_and(|backup| !is_of_this_run(&backup))
    }

    fn write(&self, file: &Path, after: &str) -> std::io::Result<Kept> {
        let known = self.kept.borrow().get(file).cloned();
        let kept = match known {
            Some(kept) => kept,
            None => keep(file, self.surroundings)?,
        };
        self.kept.borrow_mut().insert(file.to_path_buf(), kept.clone());
        rewrite(file, after)?;
        Ok(kept)
    }

    /// Deletes a file that held only Kenning's text, together with a backup that this run made.
    fn take_away(&self, file: &Path) -> std::io::Result<Kept> {
        if let Some(Kept::Beside(backup)) = self.kept.borrow_mut().remove(file) {
            fs::remove_file(backup)?;
        }
        let home = self.places.home().unwrap_or(&self.root);
        take_away(file, &[&self.root, home])?;
        Ok(Kept::Nothing)
    }
}
