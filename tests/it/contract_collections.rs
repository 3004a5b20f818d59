//! The scenarios of the collections contract, under their own names, over a real server. Those of
//! the process (both servers, settings, shutdown) are in `http.rs`, with the door that they are about.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::{Client, KEN, Tree};

const RETRY: &str = "\
/** Sends a request again until the server answers, with a growing pause between attempts. */
export async function sendWithRetries(request: Request): Promise<Response> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const response = await transport.send(request);
        if (response.ok) return response;
        await pause(BASE_DELAY * 2 ** attempt);
    }
    throw new Error('gave up');
}
";

const SEARCH: &str = "\
/** Finds documents by their words. */
export function searchDocuments(query: string, options: SearchOptions): Document[] {
    const parsedUrl = parseUrl(query);
    return index.lookup(parsedUrl).slice(0, options.limit);
}
";

const TOKENS: &str = "\
/** Cuts a query into tokens. */
export function tokenize(query: string): string[] {
    return query.split(' ');
}
";

const SESSIONS: &str = "\
/// Opens a session on the database: takes a connection from the pool of connections.
pub fn open_session(pool: &Pool) -> Session {
    Session::on(pool.take_connection())
}
";

const LOGIN: &str = "\
/// Opens a session for the user who logs in: checks the password, sets a cookie.
pub fn open_session(user: &User, password: &str) -> Session {
    Session::of(user.verify(password), Cookie::fresh())
}
";

const TESTS: &str = "\
#[test]
fn sessions_open() {
    open_session(&pool());
}
";

fn tree() -> Tree {
    Tree::new(&[
        ("package.json", r#"{"name": "shop", "version": "1.0.0"}"#),
        ("src/net/retry.ts", RETRY),
        ("src/options.ts", "export interface SearchOptions { limit: number }\n"),
        ("src/search/search.ts", SEARCH),
        ("src/search/tokens.ts", TOKENS),
        ("src/search/deep/more.ts", "export const DEPTH = 3;\n"),
        ("db/sessions.rs", SESSIONS),
        ("web/login.rs", LOGIN),
        ("tests/sessions.rs", TESTS),
    ])
}

fn serve(tree: &Tree) -> Client {
    tree.ken(&["index", "--name", "shop"]);
    connect(tree)
}

fn connect(tree: &Tree) -> Client {
    Client::connect(tree.command(KEN, &["serve", "--profile", "code-indexer"]))
}

fn ask(client: &mut Client, tool: &str, arguments: Value) -> Vec<Value> {
    let mut arguments = arguments;
    if arguments.get("collectionName").is_none() {
        arguments["collectionName"] = "shop".into();
    }
    let answer = client.answer(tool, arguments);
    answer.as_array().unwrap().clone()
}

fn text<'a>(hit: &'a Value, field: &str) -> &'a str {
    hit[field].as_str().unwrap_or_else(|| panic!("no {field} in {hit}"))
}

fn paths(hits: &[Value]) -> Vec<&str> {
    hits.iter().map(|hit| text(hit, "filePath")).collect()
}

fn refusal(client: &mut Client, tool: &str, arguments: Value) -> (i64, String) {
    let error = client.call(tool, arguments).unwrap_err();
    let message = error["message"].as_str().unwrap().to_string();
    (error["code"].as_i64().unwrap(), message)
}

// Requirement: Tool Discovery

#[test]
fn list_available_tools() {
    let tree = tree();
    let mut client = connect(&tree);
    assert_eq!(client.server["serverInfo"]["name"], "code-indexer");
    let listed = client.request("tools/list", json!({})).unwrap();
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| text(tool, "name")).collect();
    assert_eq!(names, ["search_code_semantic", "search_code_fulltext", "search_code_by_payload"]);
    let expected = [
        (json!(["query", "collectionName"]), vec!["prompt", "top_k"]),
        (json!(["textQuery", "collectionName"]), vec!["payload", "top_k"]),
        (json!(["collectionName", "payload"]), vec!["top_k"]),
    ];
    for (tool, (required, optional)) in tools.iter().zip(expected) {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["required"], required);
        for name in optional {
            assert!(schema["properties"][name].is_object(), "{name}: {schema}");
        }
        assert_eq!(schema["properties"]["collectionName"]["type"], "string");
        assert_eq!(schema["properties"]["top_k"]["default"], 10);
    }
}

// Requirement: Semantic Search Tool

#[test]
fn execute_semantic_search() {
    let tree = tree();
    let mut client = serve(&tree);
    let query = "how are failed requests sent again";
    let hits = ask(&mut client, "search_code_semantic", json!({"query": query}));
    let first = &hits[0];
    assert_eq!(text(first, "filePath"), "src/net/retry.ts");
    assert!(first["score"].is_number(), "{first}");
    assert_eq!(first["collectionName"], "shop");
    assert_eq!(first["language"], "typescript");
    assert_eq!(first["kind"], "function");
    assert_eq!(first["symbol"], "sendWithRetries");
    assert_eq!(first["package"], "shop");
    assert_eq!(first["startLine"], 1);
    assert_eq!(first["endLine"], 9);
    assert!(text(first, "text").contains("BASE_DELAY * 2 ** attempt"));
    // The fields that code-indexer stores, in its own spelling.
    for (name, twin) in [
        ("file_path", "filePath"),
        ("start_line", "startLine"),
        ("end_line", "endLine"),
        ("symbol_name", "symbol"),
        ("symbol_kind", "kind"),
        ("repo", "collectionName"),
    ] {
        assert_eq!(first[name], first[twin], "{name}");
    }
    assert_eq!(first["is_exported"], true);

    let one = json!({"query": query, "top_k": 1});
    assert_eq!(ask(&mut client, "search_code_semantic", one).len(), 1);
    let respelled = json!({"query": query, "collection_name": "shop", "topK": 2});
    let found = client.answer("search_code_semantic", respelled);
    assert_eq!(found.as_array().unwrap().len(), 2);
    let huge = json!({"query": query, "top_k": 1_000_000});
    assert!(ask(&mut client, "search_code_semantic", huge).len() > 1);
}

#[test]
fn a_prompt_decides_between_equals_and_does_not_hurt() {
    let tree = tree();
    let mut client = serve(&tree);
    let mut first = |query: &str, prompt: Option<&str>| {
        let mut arguments = json!({"query": query});
        if let Some(prompt) = prompt {
            arguments["prompt"] = prompt.into();
        }
        let hits = ask(&mut client, "search_code_semantic", arguments);
        text(&hits[0], "filePath").to_string()
    };
    let ambiguous = "where is a session opened";
    let database = "I am fixing a leak in the connection pool of the database";
    let cookies = "I am looking at password checks and cookies of the login";
    assert_eq!(first(ambiguous, Some(database)), "db/sessions.rs");
    assert_eq!(first(ambiguous, Some(cookies)), "web/login.rs");
    for (query, best) in [
        ("how are failed requests sent again", "src/net/retry.ts"),
        ("cut a query into tokens", "src/search/tokens.ts"),
        ("searchDocuments", "src/search/search.ts"),
        ("take a connection from the pool", "db/sessions.rs"),
        ("check the password of a user", "web/login.rs"),
    ] {
        assert_eq!(first(query, None), best);
        for prompt in
            [database, cookies, "retries", "documents and limits", "Answer briefly, please."]
        {
            assert_eq!(first(query, Some(prompt)), best, "{query} for {prompt}");
        }
    }
}

#[test]
fn semantic_search_with_invalid_parameters() {
    let tree = tree();
    let mut client = serve(&tree);
    for (arguments, words) in [
        (json!({"collectionName": "shop"}), "`query` is required"),
        (json!({"query": "x"}), "`collectionName` is required"),
        (json!({"query": 7, "collectionName": "shop"}), "`query` must be a string"),
        (json!({"query": " ", "collectionName": "shop"}), "`query` must not be empty"),
        (json!({"query": "x", "collectionName": " "}), "`collectionName` must not be empty"),
        (json!({"query": "x", "collectionName": "shop", "top_k": 0}), "`top_k` must be at least 1"),
        (json!({"query": "x", "collectionName": "shop", "top_k": 1.5}), "`top_k` must be a whole"),
    ] {
        let (code, message) = refusal(&mut client, "search_code_semantic", arguments);
        assert_eq!(code, -32602, "{message}");
        assert!(message.contains(words), "{message}");
    }
}

/// A service that takes the last of the texts for the best, and notes what it is asked.
fn backwards_reranker() -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<Value>>> = Arc::default();
    let noted = asked.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let Some(body) = body_of(&stream) else {
                continue;
            };
            let count = body["documents"].as_array().unwrap().len();
            noted.lock().unwrap().push(body);
            let results = (0..count).map(|at| json!({"index": at, "relevance_score": at}));
            let answer = json!({"results": results.collect::<Vec<_>>()}).to_string();
            let length = answer.len();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close");
            let _ = write!(stream, "{head}\r\ncontent-type: application/json\r\n\r\n{answer}");
        }
    });
    (url, asked)
}

/// The JSON that somebody sends.
fn body_of(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(given) = line.strip_prefix("content-length:") {
            length = given.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// The same scenario: "apply reranking if enabled".
#[test]
fn execute_semantic_search_with_reranking() {
    let tree = tree();
    let question = json!({"query": "send a request again", "prompt": "I look at the network"});
    let mut client = serve(&tree);
    let plain = ask(&mut client, "search_code_semantic", question.clone());
    assert_eq!(paths(&plain)[0], "src/net/retry.ts");

    let (url, asked) = backwards_reranker();
    let reranked = |url: &str| {
        let mut command = tree.command(KEN, &["serve", "--profile", "code-indexer"]);
        command
            .env("RERANKER_URL", url)
            .env("RERANKER_MODEL_NAME", "second-reader")
            .env("EMBEDDING_RETRIES", "0");
        Client::connect(command)
    };
    let mut client = reranked(&url);
    let hits = ask(&mut client, "search_code_semantic", question.clone());
    assert_eq!(hits.len(), plain.len());
    assert_eq!(paths(&hits).last(), Some(&"src/net/retry.ts"));
    assert!(
        hits.iter().map(|hit| hit["score"].as_f64().unwrap()).is_sorted_by(|a, b| a >= b),
        "{hits:?}"
    );
    let noted = asked.lock().unwrap().clone();
    assert_eq!(noted.len(), 1, "{noted:?}");
    // The question as it was asked, without what it is wanted for.
    assert_eq!(noted[0]["query"], "send a request again");
    assert_eq!(noted[0]["model"], "second-reader");
    let documents = noted[0]["documents"].as_array().unwrap();
    let best = documents[0].as_str().unwrap();
    assert!(best.starts_with("src/net/retry.ts\n") && best.contains("sendWithRetries"), "{best}");

    // Its best are among those that there is room for, though they were behind before.
    let mut few = question.clone();
    few["top_k"] = json!(1);
    let best = ask(&mut client, "search_code_semantic", few);
    assert_eq!(paths(&best), [paths(&hits)[0]]);

    // A service that is not there leaves the order as it is.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap();
    let nowhere = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    let mut client = reranked(&nowhere);
    let hits = ask(&mut client, "search_code_semantic", question);
    assert_eq!(paths(&hits), paths(&plain));
}

// Requirement: Full-Text Search Tool

#[test]
fn execute_full_text_search() {
    let tree = tree();
    let mut client = serve(&tree);
    let mut find = |query: &str, mode: &str| {
        let arguments = json!({"textQuery": query, "mode": mode});
        ask(&mut client, "search_code_fulltext", arguments)
    };
    // Exactly, a phrase with signs in it, and a part of a word.
    for query in ["parsedUrl", "slice(0, options.limit)", "arsedUr"] {
        let hits = find(query, "exact");
        assert_eq!(paths(&hits), ["src/search/search.ts"], "{query}");
        assert!(text(&hits[0], "text").contains(query));
        assert_eq!(hits[0]["match"], "exact");
        assert_eq!(hits[0]["symbol"], "searchDocuments");
        assert!(hits[0]["score"].as_f64().unwrap() > 0.5);
    }
    assert_eq!(find("slice(0, options.limit)", "exact")[0]["matchLines"], json!([4]));
    assert_eq!(find("PARSEDURL", "exact").len(), 0);
    // Nearer matches come first: as written, whatever its capitals, the parts of a name.
    assert_eq!(find("PARSEDURL", "text")[0]["match"], "ignoring case");
    let hits = find("parsed url", "text");
    assert_eq!(paths(&hits), ["src/search/search.ts"]);
    assert_eq!(hits[0]["match"], "words");
    assert_eq!(find("nowhere to be found", "text").len(), 0);
    let hits = find(r"^export (async )?function \w+Documents", "regex");
    assert_eq!(paths(&hits), ["src/search/search.ts"]);
    // Where it is defined comes before where it is used.
    let hits = find("tokenize", "text");
    assert_eq!(hits[0]["symbol"], "tokenize");
}

#[test]
fn full_text_search_with_payload_filters() {
    let tree = tree();
    let mut client = serve(&tree);
    let mut find = |payload: Value| {
        let arguments = json!({"textQuery": "query", "payload": payload});
        ask(&mut client, "search_code_fulltext", arguments)
    };
    assert!(find(json!({})).len() >= 2);
    for (payload, expected) in [
        (json!({"language": "typescript", "symbol": "tokenize"}), vec!["src/search/tokens.ts"]),
        (json!({"language": ["rust", "go"]}), vec![]),
        (json!({"filePath": "src/search/se*.ts"}), vec!["src/search/search.ts"]),
        (json!({"file_path": "/src/search/tokens.ts"}), vec!["src/search/tokens.ts"]),
        (json!({"endLine": {"gte": 5}, "kind": "function"}), vec!["src/search/search.ts"]),
        (json!({"colour": "blue"}), vec![]),
    ] {
        assert_eq!(paths(&find(payload.clone())), expected, "{payload}");
    }
    let (code, message) = refusal(
        &mut client,
        "search_code_fulltext",
        json!({"textQuery": "x", "collectionName": "shop", "payload": {"language": 3}}),
    );
    assert_eq!(code, -32602, "{message}");
    let (code, message) = refusal(
        &mut client,
        "search_code_fulltext",
        json!({"textQuery": "(", "collectionName": "shop", "mode": "regex"}),
    );
    assert_eq!(code, -32602, "{message}");
    assert!(message.contains("unclosed group"), "{message}");
}

/// Many match the text, few the filter; the few are found all the same.
#[test]
fn filters_apply_before_the_cut() {
    let tree = Tree::new(&[]);
    for number in 0..600 {
        let text = format!("pub fn common_{number}() {{ shared_words(); }}\n");
        tree.write(&format!("src/a{number:03}.rs"), &text);
    }
    for number in 0..12 {
        let text = format!("def common_{number}():\n    shared_words()\n");
        tree.write(&format!("src/z{number:02}.py"), &text);
    }
    let mut client = serve(&tree);
    let payload = json!({"language": "python"});
    let arguments = json!({"textQuery": "shared_words", "payload": payload});
    let hits = ask(&mut client, "search_code_fulltext", arguments);
    assert_eq!(hits.len(), 10);
    assert!(hits.iter().all(|hit| hit["language"] == "python"));
}

// Requirement: Payload Search Tool

#[test]
fn execute_payload_search() {
    let tree = tree();
    let mut client = serve(&tree);
    let mut find = |payload: Value, top_k: Value| {
        let arguments = json!({"payload": payload, "top_k": top_k});
        ask(&mut client, "search_code_by_payload", arguments)
    };
    for (payload, expected) in [
        (json!({"symbol": "tokenize"}), vec!["src/search/tokens.ts"]),
        (json!({"symbol_name": "open_session"}), vec!["db/sessions.rs", "web/login.rs"]),
        (json!({"symbolName": "open_session", "path": "web"}), vec!["web/login.rs"]),
        (json!({"kind": "interface"}), vec!["src/options.ts"]),
        (json!({"kind": "function", "isExported": false}), vec![]),
        (json!({"text": "MAX_ATTEMPTS"}), vec!["src/net/retry.ts"]),
        (json!({"isTest": true}), vec!["tests/sessions.rs"]),
        (json!({"repository": "another"}), vec![]),
        (json!({"colour": "blue"}), vec![]),
    ] {
        let hits = find(payload.clone(), Value::Null);
        assert_eq!(paths(&hits), expected, "{payload}");
        assert!(hits.iter().all(|hit| !text(hit, "text").is_empty()));
    }
    assert_eq!(find(json!({"language": "rust"}), json!(1)).len(), 1);
    let (code, message) = refusal(
        &mut client,
        "search_code_by_payload",
        json!({"collectionName": "shop", "payload": {}}),
    );
    assert_eq!(code, -32602, "{message}");
    let (code, message) =
        refusal(&mut client, "search_code_by_payload", json!({"collectionName": "shop"}));
    assert_eq!(code, -32602, "{message}");
    assert!(message.contains("`payload` is required"), "{message}");
}

#[test]
fn search_by_file_path_pattern() {
    let tree = tree();
    let mut client = serve(&tree);
    let arguments = json!({"payload": {"filePath": "/src/search/*"}});
    let hits = ask(&mut client, "search_code_by_payload", arguments);
    let mut found = paths(&hits);
    found.dedup();
    assert_eq!(found, ["src/search/search.ts", "src/search/tokens.ts"]);
    // All of the code: what is shown makes up the files.
    let shown: String = hits.iter().map(|hit| text(hit, "text")).collect();
    for line in SEARCH.lines().chain(TOKENS.lines()) {
        assert!(shown.contains(line), "{line}");
    }
    let arguments = json!({"payload": {"filePath": "src/search/**"}});
    let hits = ask(&mut client, "search_code_by_payload", arguments);
    assert!(paths(&hits).contains(&"src/search/deep/more.ts"));
}

// Requirement: Error Handling

#[test]
fn service_error_during_tool_execution() {
    let tree = tree();
    let mut client = serve(&tree);
    for (tool, arguments) in [
        ("search_code_semantic", json!({"query": "x", "collectionName": "nobody"})),
        ("search_code_fulltext", json!({"textQuery": "x", "collectionName": "nobody"})),
        ("search_code_by_payload", json!({"payload": {"kind": "x"}, "collectionName": "nobody"})),
    ] {
        let error = client.call(tool, arguments).unwrap_err();
        assert_eq!(error["code"], -32001, "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("'nobody' not found"), "{message}");
        assert!(message.contains("there are shop"), "{message}");
        assert_eq!(error["data"]["collections"], json!(["shop"]));
    }
    // A path is an address too.
    let arguments = json!({"query": "x", "collectionName": tree.root()});
    assert!(!client.answer("search_code_semantic", arguments).as_array().unwrap().is_empty());

    // The texts are damaged behind the server's back. The index is there, and can be opened.
    let database = tree.home().join("collections/shop/code.db");
    let database = rusqlite::Connection::open(database).unwrap();
    let damaged = database.execute("UPDATE file_blobs SET text_blob = x'A5A5A5A5'", []);
    assert_eq!(damaged.unwrap(), 9);
    let mut client = connect(&tree);
    let arguments = json!({"textQuery": "tokenize", "collectionName": "shop", "mode": "exact"});
    let (code, message) = refusal(&mut client, "search_code_fulltext", arguments);
    assert_eq!(code, -32603, "{message}");
    // The message is that of the store.
    assert!(message.contains("code.db is damaged: "), "{message}");
    // Questions that need no text are answered.
    let arguments = json!({"query": "x", "collectionName": "nobody"});
    let (code, message) = refusal(&mut client, "search_code_semantic", arguments);
    assert_eq!(code, -32001, "{message}");
}

#[test]
fn several_collections_in_one_question() {
    let tree = tree();
    tree.write("other/src/again.ts", &RETRY.replace("sendWithRetries", "resend"));
    let other = tree.root().join("other");
    tree.ken(&["index", other.to_str().unwrap(), "--name", "second"]);
    let mut client = serve(&tree);
    let arguments = json!({"textQuery": "BASE_DELAY", "collectionName": "shop, second",
        "mode": "exact", "payload": {"filePath": "src/**"}});
    let hits = ask(&mut client, "search_code_fulltext", arguments);
    let mut found: Vec<&str> = hits.iter().map(|hit| text(hit, "collectionName")).collect();
    found.sort_unstable();
    assert_eq!(found, ["second", "shop"]);
}

// Requirement: Testing. The unit tests of the handlers stand with them, in `src/ops/collections`;
// this is the protocol as a client sees it.

#[test]
fn integration_test_mcp_protocol() {
    let tree = tree();
    tree.ken(&["index", "--name", "shop"]);
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let command = tree.command(KEN, &["serve", "--profile", "code-indexer"]);
        let mut client = Client::connect_as(command, version);
        assert_eq!(client.tool_names().len(), 3);
        let result = client
            .call(
                "search_code_by_payload",
                json!({
                "collectionName": "shop", "payload": {"symbol": "tokenize"}}),
            )
            .unwrap();
        let shown: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(result["structuredContent"]["results"], shown);
        let error = client.call("search_code_semantic", json!({})).unwrap_err();
        assert_eq!(error["code"], -32602);
    }
}

/// The same from a shell.
#[test]
fn the_command_line_has_the_three() {
    let tree = tree();
    tree.ken(&["index", "--name", "shop"]);
    let hits =
        tree.ken_json(&["search-code-semantic", "cut", "a", "query", "into", "tokens", "shop"]);
    assert_eq!(hits[0]["filePath"], "src/search/tokens.ts");
    let hits = tree.ken_json(&[
        "search-code-fulltext",
        "query",
        "shop",
        "--payload",
        r#"{"symbol": "tokenize"}"#,
    ]);
    assert_eq!(hits.as_array().unwrap().len(), 1);
    let shown = tree.ken(&["search-code-by-payload", "shop", r#"{"symbol": "tokenize"}"#]);
    assert!(shown.starts_with("src/search/tokens.ts:2  function  tokenize"), "{shown}");
    assert!(shown.contains("return query.split(' ');"), "{shown}");
}
