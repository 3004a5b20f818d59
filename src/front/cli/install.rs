//! `ken install`: puts Kenning into the lists of the MCP clients that are here, and takes it out again.
//! How a file is changed is in `rewrite`.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};

use super::render::{self, Form};
use super::rewrite::{Backup, difference, rewrite};
use super::session::Session;
use super::{Exit, Failure, Outcome};
use crate::config::Surroundings;
use crate::config::clients::{self, CLIENTS, Client, NAME, Places, Scope, ServerEntry};
use crate::ops::OpError;

const NOTE: &str = "\
## Finding your way: Kenning

This repository is indexed by Kenning (MCP server `kenning`, command `ken`). Before grep and before \
reading files one by one: `search_code` for a question or a name, `package_dependencies` and \
`package_impact` for who needs whom, `search_specs` for what is demanded, `suggest_skills` for how it is \
done here. Answers say path and lines; read those.";

/// Where a note for agents goes: the first that exists, else the first.
const NOTE_FILES: &[&str] = &["AGENTS.md", "CLAUDE.md"];

pub fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .help(help)
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

pub fn install(matches: &ArgMatches) -> Outcome {
    let surroundings = Surroundings::real();
    let session = Session::open_anyway(matches)?;
    session.warn();
    let job = Job {
        places: Places::new(&surroundings),
        root: session.engine.config().root().to_path_buf(),
        scope: match matches.get_flag("project") {
            true => Scope::Project,
            false => Scope::User,
        },
        is_removal: matches.get_flag("uninstall"),
        is_dry: matches.get_flag("dry-run"),
        kept: RefCell::default(),
    };
    let clients = job.chosen(matches)?;
    let mut done: Vec<Done> = clients.iter().map(|client| job.client(client)).collect();
    // Whoever takes Kenning out wants nothing of it to be left.
    if matches.get_flag("hook") || job.is_removal {
        done.extend(clients.iter().filter_map(|client| job.hook(client)));
    }
    if matches.get_flag("note") {
        done.push(job.note());
    }
    let has_failed = done.iter().any(|done| done.failure.is_some());
    show(&done, session.form)?;
    Ok(if has_failed { Exit::Failed } else { Exit::Ok })
}

struct Job<'s> {
    places: Places<'s>,
    root: PathBuf,
    scope: Scope,
    is_removal: bool,
    is_dry: bool,
    /// Files of which the text before this run is kept beside them.
    kept: RefCell<BTreeSet<PathBuf>>,
}

/// What became of one file or command.
struct Done {
    what: String,
    place: String,
    change: Change,
    failure: Option<String>,
}

enum Change {
    None,
    /// A file, as lines that go and lines that come.
    File {
        difference: String,
    },
    Command,
    /// What was asked for cannot be had there.
    Impossible(&'static str),
}

impl Job<'_> {
    fn chosen(&self, matches: &ArgMatches) -> Result<Vec<&'static Client>, Failure> {
        if let Some(names) = matches.get_many::<String>("client") {
            return Ok(names.filter_map(|name| Client::find(name)).collect());
        }
        let present = CLIENTS
            .iter()
            .filter(|client| client.is_present(&self.places));
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
        if let (Scope::User, Some(own)) = (self.scope, &client.own_command)
            && let Some(program) = self.places.program(client.program)
        {
            let template = match self.is_removal {
                true => own.remove,
                false => Some(own.add),
            };
            if let Some(template) = template {
                return self.own_command(client, &program, &fill(template, &server));
            }
        }
        let Some(file) = client.file(self.scope, &self.places, &self.root) else {
            return failed(
                client.title,
                String::new(),
                "there is no home directory".to_string(),
            );
        };
        self.edit(client.title, &file, |text| {
            let edited = match self.is_removal {
                true => clients::without(text, client.shape, NAME),
                false => clients::with(text, client.shape, &server),
            };
            edited.map_err(|error| error.to_string())
        })
    }

    /// `None` if there is none and none is wanted.
    fn hook(&self, client: &'static Client) -> Option<Done> {
        let what = format!("{}, hook", client.title);
        let Some(hook) = &client.hook else {
            let why = "it has no hooks that see every edit; `ken watch` does the same";
            return (!self.is_removal).then(|| Done {
                what,
                place: client.name.to_string(),
                change: Change::Impossible(why),
                failure: None,
            });
        };
        let file = hook.file(self.scope, &self.places, &self.root)?;
        if self.is_removal && !file.exists() {
            return None;
        }
        let command = clients::command_line(&self.program());
        let done = self.edit(&what, &file, |text| {
            let edited = match self.is_removal {
                true => clients::without_hook(text, hook.shape),
                false => clients::with_hook(text, hook.shape, &command),
            };
            edited.map_err(|error| error.to_string())
        });
        let is_nothing = matches!(done.change, Change::None) && done.failure.is_none();
        (!self.is_removal || !is_nothing).then_some(done)
    }

    /// A file of the user's names this very program; one of the project's, whatever others have.
    fn program(&self) -> String {
        let here = std::env::current_exe().ok();
        let here = here.and_then(|path| path.to_str().map(str::to_string));
        let program = match self.scope {
            Scope::User => here,
            Scope::Project => None,
        };
        program.unwrap_or_else(|| "ken".to_string())
    }

    fn server(&self, client: &Client) -> ServerEntry {
        let mut arguments = vec!["serve".to_string()];
        if let Some(workspace) = client.workspace {
            arguments.extend(["--root".to_string(), workspace.to_string()]);
        }
        ServerEntry {
            name: NAME.to_string(),
            command: self.program(),
            arguments,
        }
    }

    fn note(&self) -> Done {
        let existing = NOTE_FILES
            .iter()
            .find(|name| self.root.join(name).is_file());
        let file = self.root.join(existing.unwrap_or(&NOTE_FILES[0]));
        self.edit("note for agents", &file, |text| {
            Ok(match self.is_removal {
                true => clients::without_note(text),
                false => clients::with_note(text, NOTE),
            })
        })
    }

    fn own_command(&self, client: &Client, program: &Path, arguments: &[String]) -> Done {
        let place = format!("{} {}", client.program, arguments.join(" "));
        let failure = match self.is_dry {
            true => None,
            false => run(program, arguments, self.is_removal),
        };
        Done {
            what: client.title.to_string(),
            place,
            change: Change::Command,
            failure,
        }
    }

    fn edit(
        &self,
        what: &str,
        file: &Path,
        change: impl FnOnce(&str) -> Result<String, String>,
    ) -> Done {
        let place = file.display().to_string();
        let before = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return failed(what, place, error.to_string()),
        };
        let after = match change(&before) {
            Ok(after) => after,
            Err(problem) => return failed(what, place, problem),
        };
        if after == before || self.is_removal && before.is_empty() {
            return Done {
                what: what.to_string(),
                place,
                change: Change::None,
                failure: None,
            };
        }
        let written = match self.is_dry {
            true => Ok(()),
            false => {
                let is_first = self.kept.borrow_mut().insert(file.to_path_buf());
                let backup = match is_first {
                    true => Backup::Kept,
                    false => Backup::KeptBefore,
                };
                rewrite(file, &after, backup)
            }
        };
        Done {
            what: what.to_string(),
            place,
            change: Change::File {
                difference: difference(&before, &after),
            },
            failure: written.err().map(|error| error.to_string()),
        }
    }
}

fn failed(what: &str, place: String, failure: String) -> Done {
    Done {
        what: what.to_string(),
        place,
        change: Change::None,
        failure: Some(failure),
    }
}

fn fill(template: &[&str], server: &ServerEntry) -> Vec<String> {
    let mut filled = Vec::new();
    for word in template {
        match *word {
            "NAME" => filled.push(server.name.clone()),
            "COMMAND" => {
                filled.push(server.command.clone());
                filled.extend(server.arguments.iter().cloned());
            }
            word => filled.push(word.to_string()),
        }
    }
    filled
}

/// Why it failed, if it did. A client that says that the server is already there, or already gone, has
/// done what was wanted.
fn run(program: &Path, arguments: &[String], is_removal: bool) -> Option<String> {
    let output = Process::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(error) => return Some(error.to_string()),
    };
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).trim().to_string();
    let is_done_already = match is_removal {
        true => said.contains("not found") || said.contains("No MCP server"),
        false => said.contains("already exists"),
    };
    (!output.status.success() && !is_done_already).then_some(said)
}

fn show(done: &[Done], form: Form) -> Result<(), Failure> {
    if form == Form::Json {
        let lines: Vec<Value> = done.iter().map(json_line).collect();
        let text = serde_json::to_string_pretty(&lines).unwrap_or_default();
        return render::print(&text);
    }
    for done in done {
        let outcome = match (&done.failure, &done.change) {
            (Some(problem), _) => format!("failed: {problem}"),
            (None, Change::None) => "nothing to change".to_string(),
            (None, Change::Command) => "by its own command".to_string(),
            (None, Change::Impossible(why)) => why.to_string(),
            (None, Change::File { .. }) => "changed".to_string(),
        };
        render::print(&format!("{}: {outcome}\n  {}", done.what, done.place))?;
        if let Change::File { difference } = &done.change {
            let indented = difference.lines().map(|line| format!("    {line}"));
            render::print(&indented.collect::<Vec<_>>().join("\n"))?;
        }
    }
    Ok(())
}

fn json_line(done: &Done) -> Value {
    let (change, difference) = match &done.change {
        Change::None => ("none", None),
        Change::Command => ("command", None),
        Change::Impossible(_) => ("impossible", None),
        Change::File { difference } => ("file", Some(difference)),
    };
    json!({
        "client": done.what, "place": done.place, "change": change,
        "difference": difference, "failure": done.failure,
    })
}
