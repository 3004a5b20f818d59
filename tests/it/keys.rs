//! Configured keys, and passwords in configured addresses, are shown nowhere: each is set to a canary, real
//! commands run at the most talkative level against a service that repeats what it was sent, and then
//! everything that was said, answered and stored is searched.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::Stdio;

use serde_json::json;

use crate::http::Server;
use crate::support::{Client, KEN, Tree, holds};

/// In every canary.
const MARK: &str = "Zk2Vx9Wp4Lm8";

fn canary(setting: &str) -> String {
    format!("canary{MARK}{}", setting.replace('.', ""))
}

/// A service that refuses everything, and repeats the head of the request.
fn parrot(status: u16) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut reader = BufReader::new(&stream);
                let mut head = String::new();
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                        break;
                    }
                    if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap_or(0);
                    }
                    head += &line;
                }
                let mut body = vec![0; length];
                let _ = reader.read_exact(&mut body);
                let body = json!({"error": {"message": format!("you sent {head}")}}).to_string();
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {status} No\r\ncontent-type: application/json\r\n\
                     content-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                let _ = (&stream).write_all(answer.as_bytes());
            });
        }
    });
    address.to_string()
}

/// A PostgreSQL that asks for the password in the clear and repeats it in its refusal.
fn postgres_parrot() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut startup = [0; 4];
                let _ = stream.read_exact(&mut startup);
                let mut rest = vec![0; u32::from_be_bytes(startup) as usize - 4];
                let _ = stream.read_exact(&mut rest);
                let _ = stream.write_all(b"R\0\0\0\x08\0\0\0\x03");
                let mut sent = [0; 512];
                let length = stream.read(&mut sent).unwrap_or(0);
                let password = String::from_utf8_lossy(&sent[..length]);
                let password: String = password.chars().filter(char::is_ascii_graphic).collect();
                let fields = format!("SFATAL\0C28P01\0Mno entry with {password}\0\0");
                let length = (fields.len() as u32 + 4).to_be_bytes();
                let _ = stream.write_all(&[b"E", &length[..], fields.as_bytes()].concat());
            });
        }
    });
    address.to_string()
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Plain,
    User,
    Query,
}

/// Every secret setting and every setting that is an address.
fn settings(host: &str, form: Form) -> BTreeMap<String, String> {
    let secrets = ["qdrant", "openai", "voyage", "reranker", "mlx"];
    let addresses = ["qdrant", "openai", "voyage", "reranker", "mlx", "ollama"];
    let address = |name: &str| match form {
        Form::Plain => format!("http://{host}"),
        Form::User => format!("http://me:{}@{host}", canary(name)),
        Form::Query => format!("http://{host}/v1?api_key={}", canary(name)),
    };
    let variable = |name: &str, field: &str| format!("KEN_{}_{field}", name.to_uppercase());
    let keys = secrets.map(|name| (variable(name, "KEY"), canary(&format!("{name}.key"))));
    let urls = addresses.map(|name| (variable(name, "URL"), address(&format!("{name}.url"))));
    let others = [
        ("KEN_POSTGRES_URL".into(), format!("postgres://me:{}@{host}/db", canary("postgres"))),
        ("KEN_HTTP_TOKEN".into(), canary("http.token")),
        ("KEN_HTTP_ADVERTISE".into(), address("http.advertise")),
        ("KEN_LOG".into(), "trace".into()),
        ("KEN_EMBEDDING_RETRIES".into(), "1".into()),
        ("KEN_EMBEDDING_RETRY_DELAY_MS".into(), "1".into()),
        ("KEN_EMBEDDING_TIMEOUT_MS".into(), "3000".into()),
    ];
    keys.into_iter().chain(urls).chain(others).collect()
}

fn check(what: &str, said: &[u8]) {
    assert!(!holds(said, MARK), "{what}: {}", String::from_utf8_lossy(said));
}

fn tree() -> Tree {
    Tree::new(&[
        ("src/lib.rs", "/// Opens the door.\npub fn open() {}\n"),
        ("Cargo.toml", "[package]\nname = \"door\"\nversion = \"1.0.0\"\n"),
    ])
}

/// Runs a command; it need not succeed.
fn run(tree: &Tree, settings: &BTreeMap<String, String>, arguments: &[&str]) -> String {
    let mut command = tree.command(KEN, arguments);
    let output = command.envs(settings).stdin(Stdio::null()).output().unwrap();
    check(&format!("ken {arguments:?}, stdout"), &output.stdout);
    check(&format!("ken {arguments:?}, stderr"), &output.stderr);
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

const QUESTIONS: [&[&str]; 9] = [
    &["config"],
    &["config", "--json"],
    &["status"],
    &["overview"],
    &["doctor"],
    &["doctor", "--json"],
    &["providers"],
    &["providers", "--json"],
    &["search", "open the door", "--json"],
];

#[test]
fn no_command_shows_a_key() {
    for (status, form) in [(401, Form::User), (500, Form::Query)] {
        let tree = tree();
        let settings = settings(&parrot(status), form);
        run(&tree, &settings, &["index", "-vv"]);
        for question in QUESTIONS {
            run(&tree, &settings, &[question, &["-vv"]].concat());
            run(&tree, &settings, question);
        }
        check("the store", &tree.stored_bytes());
    }
}

#[test]
fn no_refusal_of_a_provider_shows_a_key() {
    for status in [401, 500] {
        let host = parrot(status);
        for form in [Form::Plain, Form::User, Form::Query] {
            for provider in ["openai", "voyage", "mlx", "ollama"] {
                let tree = tree();
                let mut settings = settings(&host, form);
                settings.insert("KEN_EMBEDDING_PROVIDER".into(), provider.into());
                let said = run(&tree, &settings, &["index", "-vvv"]);
                assert!(said.contains(provider), "{said}");
                run(&tree, &settings, &["doctor"]);
                check("the store", &tree.stored_bytes());
            }
        }
    }
    // The refusal was repeated at all.
    let mut settings = settings(&parrot(401), Form::Plain);
    settings.insert("KEN_EMBEDDING_PROVIDER".into(), "openai".into());
    let said = run(&tree(), &settings, &["index"]);
    assert!(said.contains("Bearer [hidden]"), "{said}");
}

#[test]
fn no_failure_of_a_server_of_collections_shows_a_key() {
    for form in [Form::Plain, Form::User, Form::Query] {
        for (backend, status) in [("qdrant", 401), ("qdrant", 404), ("postgres", 401)] {
            let tree = tree();
            let host = if backend == "postgres" { postgres_parrot() } else { parrot(status) };
            let mut settings = settings(&host, form);
            settings.insert("KEN_BACKEND".into(), backend.into());
            let said = run(&tree, &settings, &["index", "-vv"]);
            assert!(said.contains(backend), "{said}");
            run(&tree, &settings, &["doctor", "--json"]);
            check("the store", &tree.stored_bytes());
        }
    }
    // A connection string that is none is not quoted.
    for wrong in ["postgres://me:PW@host:port/db", "host=h password=PW nonsense=1", "PW"] {
        let mut settings = settings("127.0.0.1:9", Form::Plain);
        settings.insert("KEN_BACKEND".into(), "postgres".into());
        let wrong = wrong.replace("PW", &canary("postgres.url"));
        settings.insert("KEN_POSTGRES_URL".into(), wrong);
        run(&tree(), &settings, &["index", "-vv"]);
    }
}

#[test]
fn no_server_shows_a_key() {
    let tree = tree();
    tree.ken(&["index"]);
    let settings = settings(&parrot(401), Form::Query);
    let variables: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let server = Server::start(&tree, &["-vv"], &variables);
    let token = format!("Bearer {}", canary("http.token"));
    let json = ("content-type", "application/json");
    let html = ("accept", "text/html");
    let right = ("authorization", token.as_str());
    let wrong = format!("{token}x");
    for path in
        ["/", "/status", "/?part=about", "/?q=open", "/openapi.json", "/metrics", "/healthz"]
    {
        for headers in [[right, html], [right, json], [("authorization", &wrong), html]] {
            check(path, &server.ask("GET", path, &headers, "").body);
        }
    }
    for operation in ["doctor", "providers", "status", "overview", "collections"] {
        let path = format!("/api/{operation}");
        check(&path, &server.ask("POST", &path, &[right, json], "{}").body);
    }
    let index = json!({"path": tree.root(), "provider": "openai"}).to_string();
    let refused = server.ask("POST", "/api/index_codebase", &[right, json], &index);
    assert!(refused.text().contains("openai"), "{}", refused.text());
    check("index_codebase", &refused.body);
    server.signal("TERM");
    let (_, stdout, stderr) = server.finish();
    check("stdout of ken http", stdout.as_bytes());
    check("stderr of ken http", stderr.as_bytes());

    let mut command = tree.command(KEN, &["serve", "-vv"]);
    command.envs(&settings);
    let mut client = Client::connect(command);
    for (tool, arguments) in [
        ("doctor", json!({})),
        ("providers", json!({})),
        ("status", json!({})),
        ("search_code", json!({"query": "open"})),
        ("index_codebase", json!({"path": tree.root(), "provider": "openai"})),
        ("index_codebase", json!({"path": tree.root(), "provider": "voyage"})),
    ] {
        let answer = format!("{:?}", client.call(tool, arguments));
        check(tool, answer.as_bytes());
    }
    check("the store", &tree.stored_bytes());
}
