//! Lines for `ken serve`: after each batch of nonsense it must still answer a ping.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use kenning_testing::Random;
use serde_json::{Value, json};

use crate::corpus::Corpus;
use crate::mutation::mutate;

/// The name for `--target`.
pub const NAME: &str = "server";

/// The lines between two pings.
const BATCH: u64 = 50;

/// The extent of a run.
pub struct Bounds {
    pub seed: u64,
    pub messages: u64,
    pub until: Option<Instant>,
}

/// Messages that are mutated.
const MESSAGES: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"search_code","arguments":{"query":"x","limit":3}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_specs","arguments":{},"_meta":{"progressToken":1}}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"spec://a/b"}}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"explore","arguments":{"query":"x"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    r#"[{"jsonrpc":"2.0","id":5,"method":"ping"},{"jsonrpc":"2.0","id":6,"method":"ping"}]"#,
    r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
];

/// Sends mutated messages to one server. Returns the number of failures.
pub fn run(bounds: &Bounds) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ken"));
    command.arg("serve").current_dir(folder.path()).env("KEN_HOME", folder.path().join("home"));
    command.env("HOME", folder.path());
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = pipes.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let hello = json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "fuzz", "version": "1"}}});
    writeln!(input, "{hello}").unwrap();
    let mut is_alive = read_until(&mut output, "hello");
    writeln!(input, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).unwrap();
    let corpus = Corpus::of_texts(MESSAGES);
    let mut random = Random::new(bounds.seed);
    let mut messages = 0;
    while is_alive
        && messages < bounds.messages
        && bounds.until.is_none_or(|until| Instant::now() < until)
    {
        let mut batch = Vec::new();
        for _ in 0..BATCH {
            let seed = corpus.choose(&mut random).bytes.clone();
            batch.extend(mutate(&seed, &corpus, &mut random));
            batch.push(b'\n');
        }
        messages += BATCH;
        let id = format!("ping-{messages}");
        let ping = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
        let sent = input.write_all(&batch).and_then(|()| writeln!(input, "{ping}"));
        is_alive = sent.is_ok() && read_until(&mut output, &id);
    }
    drop(input);
    let status = server.wait().unwrap();
    if is_alive && status.success() {
        println!("{NAME}: {messages} executions");
        return 0;
    }
    println!("{NAME}: no answer after {messages} messages of seed {}; {status}", bounds.seed);
    1
}

/// Reads answers up to the one of this id. Returns false at the end of the output.
fn read_until(output: &mut impl BufRead, id: &str) -> bool {
    let mut line = String::new();
    loop {
        line.clear();
        if output.read_line(&mut line).unwrap_or(0) == 0 {
            return false;
        }
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] == id {
            return true;
        }
    }
}
