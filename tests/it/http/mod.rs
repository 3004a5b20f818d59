//! `ken http` as its callers see it: the real binary, over real sockets.

mod access;
mod confinement;
mod document;
mod jobs;
mod load;
mod mcp;
mod process;
mod routes;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use crate::support::{KEN, PATIENCE, Tree, until, wait_for};

const RETRY: &str = "\
/// Sends a request again until the server answers.
pub fn send_with_retries(request: &Request) -> Response {
    transport.send(request)
}
";

const TOKENS: &str = "\
/// Cuts a query into tokens.
pub fn tokenize(query: &str) -> Vec<&str> {
    query.split(' ').collect()
}
";

/// Indexed as `shop`.
pub fn indexed() -> Tree {
    let tree = Tree::new(&[("src/retry.rs", RETRY), ("src/search/tokens.rs", TOKENS)]);
    tree.ken(&["index", "--name", "shop"]);
    tree
}

/// Somebody who calls a server.
#[derive(Clone, Copy)]
pub struct Caller {
    pub address: SocketAddr,
}

impl std::ops::Deref for Server {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

/// A running `ken http`.
pub struct Server {
    child: Child,
    caller: Caller,
    /// The lines of its stderr before the one that says where it listens, and after it.
    before: Vec<String>,
    said: Receiver<String>,
}

impl Server {
    pub fn start(tree: &Tree, arguments: &[&str], variables: &[(&str, &str)]) -> Server {
        let arguments = [&["http", "--port", "0"], arguments].concat();
        let mut command = tree.command(KEN, &arguments);
        command.stdin(Stdio::null()).envs(variables.iter().copied());
        Server::spawn(command)
    }

    /// Waits until it listens.
    pub fn spawn(mut command: Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, said) = channel();
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let mut before = Vec::new();
        let address = loop {
            let Ok(line) = said.recv_timeout(PATIENCE) else {
                panic!("it never listened: {before:?}");
            };
            match line.rsplit_once("listening on http://") {
                Some((_, address)) => break address.parse().unwrap(),
                None => before.push(line),
            }
        };
        Server { child, caller: Caller { address }, before, said }
    }

    pub fn stdin(&mut self) -> std::process::ChildStdin {
        self.child.stdin.take().unwrap()
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let kill = Command::new("kill").args([&format!("-{name}"), &id]).status();
        assert!(kill.unwrap().success());
    }

    /// Waits for the end: its status, stdout, and the rest of stderr.
    pub fn finish(mut self) -> (ExitStatus, String, String) {
        let mut stdout = String::new();
        let mut pipe = self.child.stdout.take().unwrap();
        pipe.read_to_string(&mut stdout).unwrap();
        let status = wait_for(&mut self.child);
        let said: Vec<String> = self.said.iter().collect();
        (status, stdout, said.join("\n"))
    }
}

impl Caller {
    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], "")
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &[("content-type", "application/json")], &body.to_string())
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut connection = self.begin(method, path, headers, body.len());
        // A request that is refused for its head is answered before the body is read.
        let _ = connection.write_all(body.as_bytes());
        read(connection)
    }

    /// Sends the head of a request whose body is to come.
    pub fn begin(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        length: usize,
    ) -> TcpStream {
        let mut connection = self.connect();
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            head += &format!("host: {}\r\n", self.address);
        }
        let is_chunked = headers.iter().any(|(name, _)| *name == "transfer-encoding");
        if !is_chunked {
            head += &format!("content-length: {length}\r\n");
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        connection.write_all(format!("{head}\r\n").as_bytes()).unwrap();
        connection
    }

    pub fn connect(&self) -> TcpStream {
        let connection = TcpStream::connect(self.address).unwrap();
        connection.set_read_timeout(Some(PATIENCE)).unwrap();
        connection
    }

    /// Returns the value of a gauge of the metrics.
    pub fn gauge(&self, name: &str) -> u64 {
        let text = self.get("/metrics").text();
        let value = text.lines().find_map(|line| line.strip_prefix(name));
        value.unwrap_or_else(|| panic!("no {name} in {text}")).trim().parse().unwrap()
    }

    /// Waits until the bodies of so many requests are on their way.
    pub fn wait_for_bodies(&self, count: u64) {
        until("so many bodies are on their way", || {
            self.gauge("ken_http_requests_arriving") == count
        });
    }

    /// Waits until so many requests are under way.
    pub fn wait_for_requests(&self, count: u64) {
        until("so many requests are under way", || {
            self.gauge("ken_http_requests_in_flight") == count
        });
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        let text = self.text();
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{}: {text}", self.status))
    }

    /// The body of a success.
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        assert_eq!(self.header("content-type"), "application/json");
        self.json()
    }

    /// The body of a failure with this status.
    pub fn problem(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["status"], status);
        assert!(problem["detail"].is_string() && problem["title"].is_string());
        problem
    }
}

/// Reads an answer to the end of the connection.
pub fn read(mut connection: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    connection.read_to_end(&mut bytes).unwrap();
    parse(&bytes)
}

pub fn parse(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head: {:?}", String::from_utf8_lossy(bytes)));
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_string()))
        .collect();
    let is_chunked =
        headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let body = &bytes[end + 4..];
    Answer { status, headers, body: if is_chunked { unchunked(body) } else { body.to_vec() } }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        body.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 4 + size..];
    }
    body
}
