//! The programs that start MCP servers: the files in which each lists its servers and hooks, and
//! the formats.
//!
//! `edit` and `hooks` compute the new text of such a file. Nothing is written here; `ken install`
//! writes.
//!
//! To add a client, add a row to [`CLIENTS`].

mod edit;
mod hooks;

use std::path::{Path, PathBuf};

use super::ProcessEnv;
use kenning_source::disk;

pub use edit::{EditError, add_note, add_server, is_without_content, remove_note, remove_server};
pub use hooks::{HookEntry, HookPurpose, HookShape, add_hook, command_line, remove_hook};

/// The largest file that is read. Some clients store their whole history beside the servers.
pub const MAX_BYTES: u64 = 1 << 28;

/// The name of Kenning in a client's list of servers.
pub const SERVER_NAME: &str = "kenning";

/// Every client that `ken install` knows.
pub static CLIENTS: &[Client] = &[
    Client {
        name: "claude-code",
        title: "Claude Code",
        shape: ListFormat::Servers { key: "mcpServers", typed: true },
        user: |places| Some(places.claude_directory()?.join(".claude.json")),
        project: ".mcp.json",
        program: "claude",
        own_command: Some(OwnCommand {
            add: &["mcp", "add", "--scope", "user", "NAME", "--", "COMMAND"],
            remove: Some(&["mcp", "remove", "--scope", "user", "NAME"]),
        }),
        traces: &[".claude", ".claude.json"],
        hooks: &[
            ClientHook {
                user: |places| Some(places.claude_settings_directory()?.join("settings.json")),
                project: ".claude/settings.json",
                entry: HookEntry {
                    shape: HookShape::Matched {
                        event: "PostToolUse",
                        matcher: "Edit|MultiEdit|Write|NotebookEdit",
                    },
                    purpose: HookPurpose::Refresh,
                },
            },
            ClientHook {
                user: |places| Some(places.claude_settings_directory()?.join("settings.json")),
                project: ".claude/settings.json",
                entry: HookEntry {
                    shape: HookShape::Matched { event: "PostToolUse", matcher: "Grep|Read|Bash" },
                    purpose: HookPurpose::Search,
                },
            },
        ],
        notes: "CLAUDE.md",
        workspace: None,
    },
    Client {
        name: "cursor",
        title: "Cursor",
        shape: ListFormat::Servers { key: "mcpServers", typed: false },
        user: |places| Some(places.home?.join(".cursor/mcp.json")),
        project: ".cursor/mcp.json",
        program: "cursor",
        own_command: None,
        traces: &[".cursor"],
        hooks: &[
            ClientHook {
                user: |places| Some(places.home?.join(".cursor/hooks.json")),
                project: ".cursor/hooks.json",
                entry: HookEntry {
                    shape: HookShape::Plain { event: "afterFileEdit", matcher: None },
                    purpose: HookPurpose::Refresh,
                },
            },
            ClientHook {
                user: |places| Some(places.home?.join(".cursor/hooks.json")),
                project: ".cursor/hooks.json",
                entry: HookEntry {
                    shape: HookShape::Plain {
                        event: "postToolUse",
                        matcher: Some("Grep|Read|Shell"),
                    },
                    purpose: HookPurpose::Search,
                },
            },
        ],
        notes: SHARED_NOTES,
        workspace: Some("${workspaceFolder}"),
    },
    Client {
        name: "vscode",
        title: "VS Code",
        shape: ListFormat::Servers { key: "servers", typed: true },
        user: |places| Some(places.application_directory()?.join("Code/User/mcp.json")),
        project: ".vscode/mcp.json",
        program: "code",
        own_command: None,
        traces: &[".vscode", ".config/Code", "Library/Application Support/Code"],
        hooks: &[],
        notes: SHARED_NOTES,
        workspace: Some("${workspaceFolder}"),
    },
    Client {
        name: "codex",
        title: "Codex",
        shape: ListFormat::Toml,
        user: |places| Some(places.codex_directory()?.join("config.toml")),
        project: ".codex/config.toml",
        program: "codex",
        own_command: Some(OwnCommand {
            add: &["mcp", "add", "NAME", "--", "COMMAND"],
            remove: Some(&["mcp", "remove", "NAME"]),
        }),
        traces: &[".codex"],
        // Its hooks miss some edits, so no hook refreshes the index.
        hooks: &[ClientHook {
            user: |places| Some(places.codex_directory()?.join("hooks.json")),
            project: ".codex/hooks.json",
            entry: HookEntry {
                shape: HookShape::Matched { event: "PostToolUse", matcher: "Bash" },
                purpose: HookPurpose::Search,
            },
        }],
        notes: SHARED_NOTES,
        workspace: None,
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        shape: ListFormat::Servers { key: "mcpServers", typed: false },
        user: |places| Some(places.home?.join(".gemini/settings.json")),
        project: ".gemini/settings.json",
        program: "gemini",
        own_command: Some(OwnCommand {
            add: &["mcp", "add", "--scope", "user", "NAME", "COMMAND"],
            remove: Some(&["mcp", "remove", "--scope", "user", "NAME"]),
        }),
        traces: &[".gemini"],
        hooks: &[
            ClientHook {
                user: |places| Some(places.home?.join(".gemini/settings.json")),
                project: ".gemini/settings.json",
                entry: HookEntry {
                    shape: HookShape::Matched { event: "AfterTool", matcher: "write_file|replace" },
                    purpose: HookPurpose::Refresh,
                },
            },
            ClientHook {
                user: |places| Some(places.home?.join(".gemini/settings.json")),
                project: ".gemini/settings.json",
                entry: HookEntry {
                    shape: HookShape::Matched {
                        event: "AfterTool",
                        matcher: "search_file_content|grep_search|read_file|run_shell_command",
                    },
                    purpose: HookPurpose::Search,
                },
            },
        ],
        notes: SHARED_NOTES,
        workspace: None,
    },
    Client {
        name: "opencode",
        title: "OpenCode",
        shape: ListFormat::OpenCode,
        user: |places| Some(places.xdg_directory()?.join("opencode/opencode.json")),
        project: "opencode.json",
        program: "opencode",
        // Its own command asks questions in some versions, and none removes a server.
        own_command: None,
        traces: &[".config/opencode"],
        hooks: &[],
        notes: SHARED_NOTES,
        workspace: None,
    },
];

/// The notes file that most agents read.
pub const SHARED_NOTES: &str = "AGENTS.md";

/// A program that starts MCP servers.
pub struct Client {
    /// The name on the command line: `ken install NAME`.
    pub name: &'static str,
    pub title: &'static str,
    pub shape: ListFormat,
    /// The user's list; `None` if there is no home.
    user: fn(&ClientPaths) -> Option<PathBuf>,
    /// The project's list, below its root.
    project: &'static str,
    /// The name of its executable.
    pub program: &'static str,
    pub own_command: Option<OwnCommand>,
    /// Paths below the home directory that show that the client is in use.
    traces: &'static [&'static str],
    /// The hooks that the client supports.
    pub hooks: &'static [ClientHook],
    /// The project's file with notes for agents that the client reads.
    pub notes: &'static str,
    /// The placeholder for the open folder, for clients that start servers in another directory.
    pub workspace: Option<&'static str>,
}

/// The shape of a list of servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFormat {
    /// JSON with a key that holds servers by name; `typed` ones say that they are `stdio`.
    Servers { key: &'static str, typed: bool },
    /// JSON with `mcp`, where a command and its arguments are one list.
    OpenCode,
    /// TOML with `[mcp_servers.NAME]`.
    Toml,
}

/// The files in which a client lists a hook, and the hook.
pub struct ClientHook {
    user: fn(&ClientPaths) -> Option<PathBuf>,
    project: &'static str,
    pub entry: HookEntry,
}

impl ClientHook {
    /// Returns the file that lists the hook; `None` if there is no home.
    pub fn hook_file(
        &self,
        scope: InstallScope,
        places: &ClientPaths,
        root: &Path,
    ) -> Option<PathBuf> {
        match scope {
            InstallScope::User => (self.user)(places),
            InstallScope::Project => Some(root.join(self.project)),
        }
    }
}

/// The client's own command to change the user's list. `NAME` and `COMMAND` are placeholders.
pub struct OwnCommand {
    pub add: &'static [&'static str],
    pub remove: Option<&'static [&'static str]>,
}

/// A server to be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEntry {
    pub name: String,
    pub command: String,
    pub arguments: Vec<String>,
}

/// The list of servers to change: the user's or the project's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallScope {
    User,
    Project,
}

/// The directories in which clients of this machine keep their files.
///
/// Paths depend on variables of the clients, so they are computed from the process's environment.
pub struct ClientPaths<'s> {
    home: Option<&'s Path>,
    /// The repository at hand.
    root: &'s Path,
    process_env: &'s ProcessEnv,
}

impl<'s> ClientPaths<'s> {
    /// Creates the lookup for one repository.
    pub fn new(process_env: &'s ProcessEnv, root: &'s Path) -> ClientPaths<'s> {
        ClientPaths { home: process_env.home_directory.as_deref(), root, process_env }
    }

    /// Returns the user's home directory.
    pub fn home(&self) -> Option<&'s Path> {
        self.home
    }

    /// Returns a variable as a path; an empty one counts as unset.
    fn variable(&self, name: &str) -> Option<PathBuf> {
        let value = self.process_env.variables.get(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    }

    /// Returns the folder of `.claude.json`, which is not the folder of the settings by default.
    fn claude_directory(&self) -> Option<PathBuf> {
        let named = self.variable("CLAUDE_CONFIG_DIR");
        named.or_else(|| self.home.map(Path::to_path_buf))
    }

    /// Returns the folder of Claude Code's settings.
    fn claude_settings_directory(&self) -> Option<PathBuf> {
        let named = self.variable("CLAUDE_CONFIG_DIR");
        named.or_else(|| Some(self.home?.join(".claude")))
    }

    /// Returns the folder of Codex.
    fn codex_directory(&self) -> Option<PathBuf> {
        let named = self.variable("CODEX_HOME");
        named.or_else(|| Some(self.home?.join(".codex")))
    }

    /// Returns the folder of settings by the XDG rules.
    fn xdg_directory(&self) -> Option<PathBuf> {
        let named = self.variable("XDG_CONFIG_HOME");
        named.or_else(|| Some(self.home?.join(".config")))
    }

    /// Returns the directory in which graphical programs keep their settings.
    fn application_directory(&self) -> Option<PathBuf> {
        match std::env::consts::OS {
            "macos" => Some(self.home?.join("Library/Application Support")),
            "windows" => self.variable("APPDATA"),
            _ => self.xdg_directory(),
        }
    }

    /// Finds a program of this machine, but never one inside the repository.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        self.process_env.program(name, self.root)
    }
}

impl Client {
    /// Finds a client by its name on the command line, ignoring case.
    pub fn find(name: &str) -> Option<&'static Client> {
        CLIENTS.iter().find(|client| client.name.eq_ignore_ascii_case(name))
    }

    /// Returns the file that lists the servers of this scope; `None` if there is no home.
    pub fn list_file(
        &self,
        scope: InstallScope,
        places: &ClientPaths,
        root: &Path,
    ) -> Option<PathBuf> {
        let file = match scope {
            InstallScope::User => (self.user)(places)?,
            InstallScope::Project => root.join(self.project),
        };
        Some(match self.shape {
            ListFormat::OpenCode => self.prefer_commented_file(file),
            ListFormat::Servers { .. } | ListFormat::Toml => file,
        })
    }

    /// Returns `opencode.jsonc` instead if it exists, because OpenCode reads it too. Keeps `file`
    /// if only that one lists Kenning.
    fn prefer_commented_file(&self, file: PathBuf) -> PathBuf {
        let commented = file.with_extension("jsonc");
        let is_in_other =
            || self.is_listed_in(&file, SERVER_NAME) && !self.is_listed_in(&commented, SERVER_NAME);
        if commented.is_file() && !is_in_other() { commented } else { file }
    }

    /// True if the user's list or the project's has a server of that name.
    pub fn has_server(&self, server: &str, places: &ClientPaths, root: &Path) -> bool {
        let scopes = [InstallScope::User, InstallScope::Project].into_iter();
        let mut files = scopes.filter_map(|scope| self.list_file(scope, places, root));
        files.any(|file| self.is_listed_in(&file, server))
    }

    /// True if the list in that file has a server of that name.
    pub fn is_listed_in(&self, file: &Path, server: &str) -> bool {
        disk::read_text(file, MAX_BYTES).ok().flatten().is_some_and(|text| {
            let without = remove_server(&text, self.shape, server);
            without.is_ok_and(|without| without != text)
        })
    }

    /// Returns the errors that prevent reading its lists, each with the file's path.
    pub fn problems(&self, places: &ClientPaths, root: &Path) -> Vec<String> {
        let scopes = [InstallScope::User, InstallScope::Project].into_iter();
        let files = scopes.filter_map(|scope| self.list_file(scope, places, root));
        let problems = files.filter_map(|file| {
            let problem = match disk::read_text(&file, MAX_BYTES) {
                Ok(text) => remove_server(&text?, self.shape, SERVER_NAME).err()?.to_string(),
                Err(error) => error.to_string(),
            };
            Some(format!("{}: {problem}", file.display()))
        });
        problems.collect()
    }

    /// True if it seems to be used here: it can be started, or has left something.
    pub fn is_present(&self, places: &ClientPaths) -> bool {
        let has_left = |home: &Path| self.traces.iter().any(|trace| home.join(trace).exists());
        places.program(self.program).is_some() || places.home.is_some_and(has_left)
    }
}
