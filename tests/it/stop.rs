//! Stopping: every command ends soon after SIGINT or SIGTERM, whatever it is inside of, and the
//! next run goes on as if nothing had happened. And what is never waited for: pipes and devices
//! where a file should be.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{
    Client, KEN, PATIENCE, SHIRE, SPOX, Tree, poll, until, wait_until_signals_are_caught,
};

/// Each signal, and the code that a command ends with.
const SIGNALS: [(&str, i32); 2] = [("INT", 130), ("TERM", 143)];

/// A second is promised; a loaded machine gets ten.
const SOON: Duration = Duration::from_secs(10);

/// A command that runs, and what it says on stderr.
struct Running {
    child: Child,
    said: Receiver<String>,
}

impl Running {
    fn start(mut command: Command) -> Running {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, said) = channel();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        wait_until_signals_are_caught(child.id());
        Running { child, said }
    }

    fn wait_until_it_says(&self, words: &str) {
        loop {
            let line = self.said.recv_timeout(PATIENCE).expect(words);
            if line.contains(words) {
                return;
            }
        }
    }

    /// Ends it, and checks with which code; what it said.
    fn stop(mut self, signal: &str, code: i32) -> String {
        kill(self.child.id(), signal);
        let status = ends_soon(&mut self.child);
        let said: Vec<String> = self.said.iter().collect();
        let said = said.join("\n");
        assert_eq!(status, Some(code), "{signal}: {said}");
        said
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn kill(process: u32, signal: &str) {
    let sent = Command::new("kill").args([&format!("-{signal}"), &process.to_string()]).status();
    assert!(sent.unwrap().success());
}

/// The code that it ends with; `None` if by a signal.
fn ends_soon(child: &mut Child) -> Option<i32> {
    let status = poll(SOON, || child.try_wait().unwrap());
    status.expect("it ends").code()
}

/// Waits until a process has used the processor for a while, or has ended.
fn wait_until_busy(process: u32) {
    const TICKS: u64 = 30;
    let path = format!("/proc/{process}/stat");
    until("it is busy", || {
        let Ok(text) = std::fs::read_to_string(&path) else { return true };
        let mut fields = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
        let state = fields.next();
        let times: Vec<u64> = fields.skip(10).take(2).filter_map(|one| one.parse().ok()).collect();
        state == Some("Z") || times.iter().sum::<u64>() >= TICKS
    });
}

fn pipe(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A provider of embeddings that takes every question and never answers.
struct Mute {
    url: String,
    asked: Receiver<TcpStream>,
}

impl Mute {
    fn start() -> Mute {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (sender, asked) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if sender.send(stream).is_err() {
                    return;
                }
            }
        });
        Mute { url, asked }
    }

    fn serve(&self, command: &mut Command) {
        command
            .env("KEN_EMBEDDING_PROVIDER", "openai")
            .env("KEN_OPENAI_URL", &self.url)
            .env("KEN_OPENAI_KEY", "none")
            .env("KEN_OPENAI_MODEL", "mute")
            .env("KEN_OPENAI_DIMENSION", "8");
    }

    /// Waits for a question, which stays open as long as what comes back.
    fn wait(&self) -> TcpStream {
        self.asked.recv_timeout(PATIENCE).expect("nobody asked")
    }
}

fn small() -> Tree {
    Tree::new(&[
        ("src/one.rs", "pub fn one() -> u32 { two::two() }\n"),
        ("src/two.rs", "pub fn two() -> u32 { 2 }\n"),
        ("Cargo.toml", "[package]\nname = \"small\"\nversion = \"0.1.0\"\n"),
    ])
}

/// The index status without times, sizes and commits.
fn counts(tree: &Tree) -> Value {
    let mut status = tree.ken_json(&["status"]);
    let status = status.as_object_mut().unwrap();
    for name in ["indexedAt", "indexBytes", "indexedCommit", "currentCommit"] {
        status.remove(name);
    }
    assert!(!status.contains_key("incomplete"), "{status:?}");
    Value::from_iter(status.clone())
}

/// The next run brings the index to where an undisturbed one would have brought it.
fn converges(tree: &Tree) {
    tree.ken(&["index"]);
    let after = counts(tree);
    tree.ken(&["index", "--force"]);
    assert_eq!(after, counts(tree));
}

/// The system's library opens the user's git configuration, which waits for a writer for ever.
#[test]
fn stuck_while_it_walks() {
    let tree = small();
    let config = tree.user().join(".gitconfig");
    pipe(&config);
    for (signal, code) in SIGNALS {
        let running = Running::start(tree.command(KEN, &["index"]));
        let said = running.stop(signal, code);
        assert!(said.contains("cancelled"), "{said}");
    }
    std::fs::remove_file(config).unwrap();
    converges(&tree);
}

#[test]
fn stuck_reading_its_input() {
    let tree = small();
    for (signal, code) in SIGNALS {
        // Its standard input is a pipe that stays open.
        Running::start(tree.command(KEN, &["refresh"])).stop(signal, code);
    }
}

/// A megabyte on which the grammar of Java tries every way to read it.
#[test]
fn inside_of_a_parser() {
    let tree = small();
    tree.write("src/Hostile.java", &format!("class A {{ {} }}", "A<".repeat(400_000)));
    for (signal, code) in SIGNALS {
        let running = Running::start(tree.command(KEN, &["index", "--force"]));
        wait_until_busy(running.child.id());
        running.stop(signal, code);
    }
    tree.remove("src/Hostile.java");
    converges(&tree);
}

#[test]
fn while_a_provider_does_not_answer() {
    let tree = small();
    let mute = Mute::start();
    for (signal, code) in SIGNALS {
        let mut command = tree.command(KEN, &["index"]);
        mute.serve(&mut command);
        let running = Running::start(command);
        let _open = mute.wait();
        let said = running.stop(signal, code);
        let reason = if signal == "INT" { "interrupted" } else { "asked to terminate" };
        assert!(said.contains(reason) && said.contains("the next run continues"), "{said}");
        // Asked for its dimension, it does not answer either, and nobody looks up meanwhile.
        let mut command = tree.command(KEN, &["index"]);
        mute.serve(&mut command);
        command.env_remove("KEN_OPENAI_DIMENSION");
        let running = Running::start(command);
        let _open = mute.wait();
        running.stop(signal, code);
    }
    tree.ken(&["index", "--force", "--provider", "static"]);
    converges(&tree);
}

#[test]
fn while_it_waits_for_another() {
    let tree = small();
    let mute = Mute::start();
    let mut command = tree.command(KEN, &["index"]);
    mute.serve(&mut command);
    let holder = Running::start(command);
    let _open = mute.wait();
    for (signal, code) in SIGNALS {
        let mut command = tree.command(KEN, &["index"]);
        mute.serve(&mut command);
        let waiting = Running::start(command);
        waiting.wait_until_it_says("another build is running");
        waiting.stop(signal, code);
    }
    holder.stop("TERM", 143);
    tree.ken(&["index", "--force", "--provider", "static"]);
    converges(&tree);
}

/// Many lines of two letters in no order, and an expression for which each place in them is another
/// state.
fn slow_to_search() -> (Tree, Value) {
    let tree = Tree::new(&[]);
    let mut random: u32 = 7;
    let mut letter = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if random >> 30 & 1 == 0 { 'a' } else { 'b' }
    };
    for number in 0..100 {
        let line =
            |_| format!("let it = \"{}\";\n", (0..180).map(|_| letter()).collect::<String>());
        tree.write(&format!("src/f{number}.rs"), &(0..600).map(line).collect::<String>());
    }
    tree.ken(&["index", "--name", "slow"]);
    let query = json!({
        "textQuery": "[ab]*a[ab]{150}[0-9]", "mode": "regex", "collectionName": "slow",
    });
    (tree, query)
}

#[test]
fn inside_of_a_regular_expression() {
    let (tree, query) = slow_to_search();
    for (signal, code) in SIGNALS {
        let arguments = ["call", "search_code_fulltext", &query.to_string()];
        let running = Running::start(tree.command(KEN, &arguments));
        wait_until_busy(running.child.id());
        running.stop(signal, code);
    }
}

/// Whenever the signal comes, while files are read, stored or resolved, the next run completes the
/// index.
#[test]
fn at_any_moment_of_indexing() {
    let tree = Tree::new(&[]);
    for number in 0..150 {
        let next = (number + 1) % 150;
        let body = format!(
            "pub struct S{number};\nimpl S{number} {{ pub fn call(&self) -> u32 {{ f{next}() }} }}\n\
             pub fn f{number}() -> u32 {{ S{next}.call() }}\n"
        );
        tree.write(&format!("src/f{number}.rs"), &body.repeat(3));
    }
    tree.ken(&["index"]);
    let undisturbed = counts(&tree);
    for (round, delay) in [0, 40, 120, 250, 400, 700, 1100].into_iter().enumerate() {
        let (signal, code) = SIGNALS[round % 2];
        let mut running = Running::start(tree.command(KEN, &["index", "--force"]));
        let started = Instant::now();
        until("it is time, or over", || {
            let is_over = running.child.try_wait().unwrap().is_some();
            is_over || started.elapsed() >= Duration::from_millis(delay)
        });
        if running.child.try_wait().unwrap().is_none() {
            kill(running.child.id(), signal);
        }
        let status = ends_soon(&mut running.child);
        // It may have been done.
        assert!(status == Some(code) || status == Some(0), "{delay} ms: {status:?}");
        tree.ken(&["index"]);
        assert_eq!(counts(&tree), undisturbed, "{delay} ms");
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let tree = small();
    pipe(&tree.user().join(".gitconfig"));
    let running = Running::start(tree.command(KEN, &["index"]));
    kill(running.child.id(), "TERM");
    running.stop("TERM", 143);
}

#[test]
fn the_other_commands() {
    let tree = small();
    pipe(&tree.user().join(".gitconfig"));
    for (signal, code) in SIGNALS {
        for (binary, arguments) in [
            (SHIRE, &["build"][..]),
            (KEN, &["search", "two"]),
            (KEN, &["call", "index_codebase", "{\"path\": \".\"}"]),
        ] {
            let running = Running::start(tree.command(binary, arguments));
            running.stop(signal, code);
        }
    }
}

#[test]
fn servers_end_with_zero() {
    let tree = small();
    let mute = Mute::start();
    tree.write(
        "openspec/specs/a/spec.md",
        "# A\n\n## Requirements\n\n### Requirement: One\nIt SHALL be.\n",
    );
    tree.ken(&["index"]);
    tree.shire_build();
    for (signal, _) in SIGNALS {
        for (binary, arguments) in
            [(KEN, &["serve"][..]), (SPOX, &["mcp", "serve"]), (SHIRE, &["serve"])]
        {
            let said = Running::start(tree.command(binary, arguments)).stop(signal, 0);
            assert!(said.contains("shut down"), "{said}");
        }
        let watch = Running::start(tree.command(KEN, &["watch"]));
        watch.wait_until_it_says("watching");
        let said = watch.stop(signal, 0);
        assert!(said.contains("stopped") || said.contains("shut down"), "{said}");
        // In the middle of a run.
        let mut command = tree.command(KEN, &["watch"]);
        mute.serve(&mut command);
        let watch = Running::start(command);
        let _open = mute.wait();
        watch.stop(signal, 0);
    }
    tree.ken(&["index", "--force", "--provider", "static"]);
    converges(&tree);
}

#[test]
fn a_server_with_a_question_that_never_ends() {
    let (tree, query) = slow_to_search();
    for (signal, _) in SIGNALS {
        let mut client = Client::connect(tree.command(KEN, &["serve"]));
        let id =
            client.post("tools/call", json!({"name": "search_code_fulltext", "arguments": query}));
        wait_until_busy(client.id());
        client.signal(signal);
        let asked = Instant::now();
        let (status, rest, said) = client.finish();
        assert!(asked.elapsed() < SOON, "{said}");
        assert_eq!(status.code(), Some(0), "{said}");
        assert!(said.contains("shut down"), "{said}");
        let answer = rest.iter().find(|message| message["id"] == id);
        let answer = answer.unwrap_or_else(|| panic!("no answer: {rest:?} {said}"));
        assert!(answer.to_string().contains("cancelled"), "{answer}");
    }
}

#[test]
fn a_server_with_a_job() {
    let tree = small();
    for (signal, _) in SIGNALS {
        let mute = Mute::start();
        let mut command = tree.command(KEN, &["http", "--port", "0"]);
        mute.serve(&mut command);
        let running = Running::start(command);
        let address = loop {
            let line = running.said.recv_timeout(PATIENCE).unwrap();
            if let Some((_, address)) = line.rsplit_once("http://") {
                break address.to_string();
            }
        };
        let body = json!({ "path": tree.root() }).to_string();
        let mut stream = TcpStream::connect(&address).unwrap();
        let head = format!(
            "POST /indexer/index HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
             connection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
        let _open = mute.wait();
        let said = running.stop(signal, 0);
        assert!(said.contains("shut down"), "{said}");
    }
    tree.ken(&["index", "--force", "--provider", "static"]);
    converges(&tree);
}

/// A pipe or a device stands where a file should be: each is refused at once and named.
#[test]
fn pipes_and_devices_are_never_opened() {
    for (path, target, code, words) in [
        ("kenning.toml", None, 2, "a pipe"),
        ("shire.toml", None, 2, "a pipe"),
        ("kenning.toml", Some("/dev/zero"), 2, "a device"),
        (".gitignore", None, 2, ".gitignore"),
        (".gitignore", Some("/dev/zero"), 2, ".gitignore"),
        ("src/.ignore", None, 0, ""),
        ("src/main.rs", None, 0, ""),
        ("src/main.rs", Some("/proc/kmsg"), 0, ""),
        ("package.json", None, 0, ""),
        (".git/HEAD", None, 0, ""),
        (".git/index", None, 0, ""),
        ("openspec/specs/a/spec.md", None, 0, ""),
        (".claude/skills/a/SKILL.md", None, 0, ""),
        (".claude/skills/a", Some("/proc"), 0, ""),
        ("index.scip", None, 0, ""),
    ] {
        let tree = small();
        let place = tree.root().join(path);
        match target {
            None => pipe(&place),
            Some(target) => {
                std::fs::create_dir_all(place.parent().unwrap()).unwrap();
                std::os::unix::fs::symlink(target, &place).unwrap();
            }
        }
        for arguments in [&["index"][..], &["skills", "list"]] {
            let output = ended(tree.command(KEN, arguments));
            let is_index = arguments == ["index"];
            let said = String::from_utf8_lossy(&output.1).into_owned();
            if is_index {
                assert_eq!(output.0, Some(code), "{path} {arguments:?}: {said}");
                assert!(said.contains(words), "{path} {arguments:?}: {said}");
            }
        }
    }
}

/// Runs a command that must end by itself; its code and what it said on stderr.
fn ended(mut command: Command) -> (Option<i32>, Vec<u8>) {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let reading = std::thread::spawn(move || {
        let mut said = Vec::new();
        let _ = stderr.read_to_end(&mut said);
        said
    });
    let status = poll(PATIENCE, || child.try_wait().unwrap()).unwrap_or_else(|| {
        let _ = child.kill();
        panic!("it hangs: {command:?}")
    });
    (status.code(), reading.join().unwrap())
}

#[test]
fn a_pseudo_file_system_is_no_root() {
    let tree = small();
    for root in ["/proc", "/proc/self", "/sys"] {
        if !Path::new(root).is_dir() {
            continue;
        }
        let refused = tree.run(KEN, &["index", root]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(1), "{said}");
        assert!(said.contains("pseudo file system"), "{said}");
    }
    assert!(!tree.home().exists() || std::fs::read_dir(tree.home()).unwrap().next().is_none());
}

#[test]
fn a_tree_with_too_many_files_is_refused_and_leaves_nothing() {
    let tree = small();
    let limited = |limit: &str| {
        let output = tree.run(KEN, &["index", "--set", &format!("index.max_files={limit}")]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (code, said) = limited("2");
    assert_eq!(code, Some(2), "{said}");
    for words in ["more than 2 files", "index.max_files", "index.exclude", "smaller root"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let collections = tree.home().join("collections");
    let left: Vec<_> = std::fs::read_dir(collections).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    // The existing index stays as it was.
    tree.ken(&["index"]);
    let before = counts(&tree);
    tree.write("src/three.rs", "pub fn three() -> u32 { 3 }\n");
    assert_eq!(limited("2").0, Some(2));
    assert_eq!(limited("3").0, Some(2));
    let mut after = counts(&tree);
    after["changedFiles"] = before["changedFiles"].clone();
    assert_eq!(after, before);
    assert_eq!(limited("4").0, Some(0));
}

/// An index that was begun for a folder and not finished is no wish to have it finished by whoever
/// asks in a folder below.
#[test]
fn an_unfinished_index_above_is_not_resumed_below() {
    let tree = small();
    tree.write("part/src/inner.rs", "pub fn inner() -> u32 { 7 }\n");
    let mute = Mute::start();
    let mut command = tree.command(KEN, &["index"]);
    mute.serve(&mut command);
    let running = Running::start(command);
    let _open = mute.wait();
    running.stop("TERM", 143);
    let mut command = tree.command(KEN, &["search", "inner", "--json"]);
    command.current_dir(tree.root().join("part"));
    let output = command.stdin(Stdio::null()).output().unwrap();
    let roots = tree.ken_json(&["collections"]).to_string();
    let part = tree.root().join("part").display().to_string();
    let is_own = output.status.success() && roots.contains(&part);
    assert!(is_own, "the index above was resumed: {roots}");
}
