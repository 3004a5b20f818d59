//! A repository to work on, and the real binaries to work with.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

pub use crate::poll::{PATIENCE, poll, until};

pub const KEN: &str = env!("CARGO_BIN_EXE_ken");
pub const SHIRE: &str = env!("CARGO_BIN_EXE_shire");
pub const SPOX: &str = env!("CARGO_BIN_EXE_spox");

/// A repository in a temporary folder, with a `KEN_HOME` of its own beside it.
pub struct Tree {
    directory: tempfile::TempDir,
}

impl Tree {
    pub fn new(files: &[(&str, &str)]) -> Tree {
        let tree = Tree { directory: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(tree.root()).unwrap();
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    /// A small monorepo: `web` needs `ui` and `core`, `ui` needs `core`; react comes from outside.
    pub fn monorepo() -> Tree {
        Tree::new(&[
            ("package.json", r#"{"name": "shop", "private": true, "workspaces": ["packages/*"]}"#),
            (
                "packages/web/package.json",
                r#"{"name": "web", "version": "1.2.0", "description": "The customer site",
                    "dependencies": {"ui": "workspace:*", "core": "workspace:*", "react": "^18.0.0"},
                    "devDependencies": {"vitest": "^2"}}"#,
            ),
            (
                "packages/ui/package.json",
                r#"{"name": "ui", "version": "0.3.0", "description": "Buttons and forms",
                    "dependencies": {"core": "workspace:*"}, "peerDependencies": {"react": ">=17"}}"#,
            ),
            (
                "packages/core/package.json",
                r#"{"name": "core", "version": "2.0.0", "description": "Money, dates and the cart"}"#,
            ),
            ("tools/lint/Cargo.toml", "[package]\nname = \"core\"\nversion = \"0.1.0\"\n"),
        ])
    }

    pub fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join("repo")
    }

    pub fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// The home of whoever runs the binaries.
    pub fn user(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join("user")
    }

    pub fn write_at_home(&self, path: &str, text: &str) {
        let path = self.user().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn write(&self, path: &str, text: &str) {
        self.write_bytes(path, text.as_bytes());
    }

    pub fn write_bytes(&self, path: &str, bytes: &[u8]) {
        // Joined to the root, such a path would leave it.
        assert!(Path::new(path).is_relative(), "{path}");
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.root().join(path)).unwrap();
    }

    pub fn command(&self, binary: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary);
        command
            .args(arguments)
            .current_dir(self.root())
            .env("KEN_HOME", self.home())
            .env("HOME", self.user())
            .env_remove("CLAUDE_CONFIG_DIR")
            .env("XDG_CONFIG_HOME", self.directory.path().join("config"))
            .env_remove("KEN_LOG");
        command
    }

    pub fn run(&self, binary: &str, arguments: &[&str]) -> Output {
        self.command(binary, arguments).stdin(Stdio::null()).output().unwrap()
    }

    /// Runs `ken` and returns stdout; panics with everything it said if it failed.
    pub fn ken(&self, arguments: &[&str]) -> String {
        let output = self.run(KEN, arguments);
        assert!(
            output.status.success(),
            "ken {arguments:?}: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn ken_json(&self, arguments: &[&str]) -> Value {
        let arguments = [arguments, &["--json"]].concat();
        serde_json::from_str(&self.ken(&arguments)).unwrap()
    }

    /// `shire build`, which must succeed.
    pub fn shire_build(&self) -> String {
        let output = self.run(SHIRE, &["build"]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{stderr}");
        stderr
    }

    /// All bytes under `KEN_HOME`.
    pub fn stored_bytes(&self) -> Vec<u8> {
        bytes_below(&self.home())
    }

    pub fn database(&self) -> PathBuf {
        self.root().join(".shire/index.db")
    }

    /// A connected `shire serve`.
    pub fn shire(&self) -> Client {
        Client::connect(self.command(SHIRE, &["serve"]))
    }
}

/// The bytes of every file below a folder.
fn bytes_below(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A run that failed early has stored nothing.
    for entry in std::fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        if entry.path().is_dir() {
            bytes.extend(bytes_below(&entry.path()))
        } else {
            bytes.extend(std::fs::read(entry.path()).unwrap_or_default())
        }
    }
    bytes
}

/// Sets the times of all files back by an hour, so that no run reads one again to be sure.
pub fn settle(path: &Path) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            settle(&entry.unwrap().path());
        }
    } else {
        let file = File::options().append(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }
}

/// Looks for a text among bytes, in whatever case.
pub fn holds(bytes: &[u8], text: &str) -> bool {
    let (bytes, text) = (bytes.to_ascii_lowercase(), text.to_ascii_lowercase());
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// An MCP client over the pipes of a real server process.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Answers that arrived while another was waited for.
    early: HashMap<u64, Value>,
    pub notifications: Vec<Value>,
    pub server: Value,
    next_id: u64,
}

impl Client {
    pub fn connect(command: Command) -> Client {
        Client::connect_as(command, "2025-06-18")
    }

    /// The lifecycle with `initialize`.
    pub fn connect_as(command: Command, version: &str) -> Client {
        Client::greet(command, version, "test")
    }

    /// As a client that calls itself so.
    pub fn connect_named(command: Command, name: &str) -> Client {
        Client::greet(command, "2025-06-18", name)
    }

    fn greet(command: Command, version: &str, name: &str) -> Client {
        let mut client = Client::start(command);
        let parameters = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": name, "version": "1"},
        });
        client.server = client.request("initialize", parameters).unwrap();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// A process that has not been spoken to.
    pub fn start(mut command: Command) -> Client {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                // Anything but JSON on stdout breaks every client: let it fail loudly.
                let message = serde_json::from_str(&line).unwrap_or_else(|_| json!({"junk": line}));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client {
            stdin: child.stdin.take(),
            child,
            messages,
            early: HashMap::new(),
            notifications: Vec::new(),
            server: Value::Null,
            next_id: 0,
        }
    }

    pub fn send(&mut self, message: &Value) {
        self.send_raw(&message.to_string());
    }

    pub fn send_raw(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("input is open");
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// Sends the beginning of a line.
    pub fn send_part(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().expect("input is open");
        stdin.write_all(text.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// Sends without waiting; returns the id to wait for.
    pub fn post(&mut self, method: &str, parameters: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        id
    }

    /// The next message of any kind; `None` when the server has closed its output.
    pub fn receive(&mut self) -> Option<Value> {
        match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => {
                assert!(message.get("junk").is_none(), "not JSON-RPC: {message}");
                assert_eq!(message["jsonrpc"], "2.0", "{message}");
                Some(message)
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the server did not answer"),
        }
    }

    pub fn wait(&mut self, id: u64) -> Result<Value, Value> {
        loop {
            if let Some(answer) = self.early.remove(&id) {
                return match answer.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(answer["result"].clone()),
                };
            }
            let message = self.receive().expect("the server closed its output");
            match message.get("id").and_then(Value::as_u64) {
                Some(id) if message.get("method").is_none() => {
                    self.early.insert(id, message);
                }
                _ => self.notifications.push(message),
            }
        }
    }

    /// Waits for a notification, and forgets those before it.
    pub fn wait_for_notification(&mut self, method: &str) -> Value {
        loop {
            let arrived: Vec<Value> = self.notifications.drain(..).collect();
            if let Some(position) = arrived.iter().position(|told| told["method"] == method) {
                self.notifications.extend_from_slice(&arrived[position + 1..]);
                return arrived[position].clone();
            }
            let message = self.receive().expect("the server closed its output");
            match message.get("id").and_then(Value::as_u64) {
                Some(id) if message.get("method").is_none() => {
                    self.early.insert(id, message);
                }
                _ => self.notifications.push(message),
            }
        }
    }

    pub fn request(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        let id = self.post(method, parameters);
        self.wait(id)
    }

    /// Calls a tool; the whole result, or the JSON-RPC error.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Value> {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool and parses the text of its result as JSON. If the text is compact, returns the
    /// structured content, which the call asks for.
    pub fn answer(&mut self, tool: &str, arguments: Value) -> Value {
        let parameters = json!({
            "name": tool, "arguments": arguments, "_meta": {"kenning/structuredContent": true},
        });
        let result = self.request("tools/call", parameters).unwrap();
        assert_ne!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let structured = &result["structuredContent"];
        serde_json::from_str(text).unwrap_or_else(|_| {
            assert!(structured.is_object(), "{tool}: not JSON: {text}");
            structured.clone()
        })
    }

    /// Calls a tool and returns the text of its result.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).unwrap();
        assert_ne!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_string()
    }

    pub fn tool_names(&mut self) -> Vec<String> {
        let listed = self.request("tools/list", json!({})).unwrap();
        let tools = listed["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_string()).collect()
    }

    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    #[cfg(unix)]
    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap();
        assert!(status.success());
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Until then a signal ends the process as it ends any other. The system tells.
    pub fn wait_until_signals_are_caught(&self) {
        wait_until_signals_are_caught(self.child.id());
    }

    /// Waits for the process to end; its status, what it still said, and stderr.
    pub fn finish(mut self) -> (ExitStatus, Vec<Value>, String) {
        let mut rest: Vec<Value> = Vec::new();
        while let Some(message) = self.receive() {
            rest.push(message);
        }
        let status = wait_for(&mut self.child);
        let mut stderr = String::new();
        let mut pipe = self.child.stderr.take().unwrap();
        pipe.read_to_string(&mut stderr).unwrap();
        (status, rest, stderr)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until a process catches SIGTERM, or has ended.
pub fn wait_until_signals_are_caught(process: u32) {
    const SIGTERM_BIT: u64 = 1 << 14;
    let path = format!("/proc/{process}/status");
    until("signals are caught", || {
        let Ok(status) = std::fs::read_to_string(&path) else { return true };
        let line = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = line.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
        mask.is_some_and(|mask| mask & SIGTERM_BIT != 0)
    });
}

pub fn wait_for(child: &mut Child) -> ExitStatus {
    poll(PATIENCE, || child.try_wait().unwrap()).expect("the process ends")
}

/// Every file below `directory` with its size and time, to see whether anything was written.
pub fn listing(directory: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).unwrap().flatten() {
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                open.push(entry.path());
            }
            let modified = metadata.modified().unwrap();
            lines.push(format!("{:?} {} {modified:?}", entry.path(), metadata.len()));
        }
    }
    lines.sort();
    lines
}
