//! Recorded requests to a real Qdrant with their responses, in `recorded/`: the backend must still send
//! the same requests and read the responses in the same way, where there is no server.
//!
//! `UPDATE_EXPECT=1` with `QDRANT_TEST_URL` records anew, through a go-between.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use kenning_model::RepoPath;
use kenning_store::backends::{Backend, CollectionInfo, Connection, WriterStart, find};
use kenning_store::code::{
    Changes, FileUpdate, Filter, GrepLimits, IndexSettings, Pattern, Stamp, Touch, Vector,
};
use serde_json::{Value, json};

use crate::corpus::{Corpus, terms};

/// Requests with their answers, in the order in which they were made.
type Pairs = Arc<Mutex<Vec<Value>>>;

/// Whom requests go to.
#[derive(Clone)]
enum Behind {
    /// A server, without `http://`; what is said is added to the pairs.
    Server(String),
    /// The pairs themselves, each once; and the mark that the writer has put on the collection last.
    Pairs(Arc<Mutex<String>>),
}

/// Stands for the mark of a writer, which is another each time.
const MARK: &str = "the mark of the writer";

/// Puts `new` in place of every mark, and says which the last one was.
fn exchange_marks(value: &mut Value, new: &str) -> Option<String> {
    match value {
        Value::Object(fields) => {
            let mut last = None;
            for (name, value) in fields {
                if name == "writer" && value.is_string() {
                    last = value.as_str().map(str::to_string);
                    *value = Value::from(new);
                } else {
                    last = exchange_marks(value, new).or(last);
                }
            }
            last
        }
        Value::Array(values) => {
            let marks = values.iter_mut();
            marks.fold(None, |last, value| exchange_marks(value, new).or(last))
        }
        _ => None,
    }
}

#[test]
fn a_recorded_qdrant_is_understood() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/backends/recorded/qdrant.json");
    let file = std::env::var("QDRANT_RECORDING").map_or(file, PathBuf::from);
    let server = std::env::var("QDRANT_TEST_URL").ok();
    // Blessing everything else must not need a server.
    if let (Some(_), Some(server)) = (std::env::var_os("UPDATE_EXPECT"), server) {
        let server = server.trim_start_matches("http://").to_string();
        let pairs = Pairs::default();
        let seen = scenario(&*backend(&Behind::Server(server), &pairs));
        let recorded = json!({ "seen": seen, "pairs": *pairs.lock().unwrap() });
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, format!("{recorded:#}\n")).unwrap();
        return;
    }
    let text = std::fs::read_to_string(&file).expect("a recording is part of the repository");
    let mut recorded: Value = serde_json::from_str(&text).unwrap();
    let pairs = recorded["pairs"].as_array_mut().map(std::mem::take).unwrap();
    let pairs: Pairs = Arc::new(Mutex::new(pairs));
    let seen = scenario(&*backend(&Behind::Pairs(Arc::default()), &pairs));
    assert_eq!(Value::from(seen), recorded["seen"]);
    assert!(pairs.lock().unwrap().is_empty(), "not all was said again");
}

/// Everything that is asked of a server, once, and what comes of it.
fn scenario(backend: &dyn Backend) -> Vec<String> {
    let corpus = Corpus::read();
    let settings = IndexSettings { dimension: 4, ..corpus.settings() };
    let file = |name: &str, text: &str, mark: u8| {
        let mut file = corpus.file(name, text);
        file.hash = [mark; 32];
        for content in &mut file.contents {
            let embedding = content.embedding.as_mut().unwrap();
            embedding.vector = Vector::quantise(&[0.5, f32::from(mark) / 10.0, 0.25, -0.5]);
        }
        file
    };
    let card = CollectionInfo {
        advertised_url: None,
        name: "recorded".to_string(),
        root: "/recorded".to_string(),
    };
    let _ = backend.remove(&card.name);
    let apply = |changes: Changes| {
        let mut intake = backend.write(&card, &settings, WriterStart::Update).unwrap();
        intake.apply(&changes).unwrap();
        intake.publish().unwrap();
    };
    let updated = |files: Vec<FileUpdate>| Changes { updated: files, ..Changes::default() };
    apply(updated(vec![
        file("src/kettle.rs", "/// Boils water.\npub fn boil() {}\n", 1),
        file("src/tea.rs", "/// Tea wants water that boils.\nfn tea() { boil() }\n", 2),
    ]));
    apply(updated(vec![file("src/tea.rs", "/// No tea without a kettle.\nfn tea() {}\n", 3)]));
    apply(Changes {
        touched: vec![Touch {
            stamp: Stamp { path: RepoPath::new("src/kettle.rs").unwrap(), size: 9, modified_ns: 9 },
            package: Some("kitchen".to_string()),
        }],
        ..Changes::default()
    });
    let seen = questions(backend, &card.name);
    let mut draft = backend.write(&card, &settings, WriterStart::Rebuild).unwrap();
    draft.apply(&updated(vec![file("a.rs", "fn a() {}\n", 4)])).unwrap();
    draft.publish().unwrap();
    backend.remove(&card.name).unwrap();
    seen
}

fn questions(backend: &dyn Backend, name: &str) -> Vec<String> {
    let shelf = backend.open(name).unwrap();
    let view = shelf.view().unwrap();
    let filters = [
        Filter::default(),
        Filter {
            globs: vec!["src/**/*.rs".to_string()],
            packages: vec!["kitchen".to_string()],
            ..Filter::default()
        },
    ];
    let mut seen = Vec::new();
    let mut note = |what: &str, numbers: &[u32]| {
        let chunks = view.chunks(numbers).unwrap();
        let places = chunks.iter().map(|chunk| chunk.path.to_string());
        seen.push(format!("{what}: {}", places.collect::<Vec<_>>().join(", ")));
    };
    for filter in &filters {
        let asked = terms("water that boils in a kettle");
        let vector = [0.5, 0.1, 0.25, -0.5];
        let (words, meaning) = view.search_both(&asked, &vector, filter, 5).unwrap();
        let numbers = |hits: &[kenning_store::code::Hit]| {
            hits.iter().map(|hit| hit.chunk).collect::<Vec<_>>()
        };
        note("words", &numbers(&words));
        note("meaning", &numbers(&meaning));
        note("list", &view.list(filter, 5).unwrap());
        let found = view.find_text(&Pattern::exact("kettle"), filter, GrepLimits::NONE).unwrap();
        note("text", &found.iter().map(|one| one.chunk).collect::<Vec<_>>());
    }
    let defined = view.definitions("TEA", &filters[0], 5).unwrap();
    note("tea", &defined[0].chunks);
    let asked: Vec<u32> = terms("water kettle").iter().map(|(term, _)| *term).collect();
    let occurrences = view.occurrences(&asked, &[0..1, 1..2]).unwrap();
    seen.extend(occurrences.iter().map(|one| format!("{:.3} {:?}", one.idf, one.in_ranges)));
    let stats = view.stats().unwrap();
    seen.push(format!("{} files, {} chunks, {} vectors", stats.files, stats.chunks, stats.vectors));
    seen
}

/// A Qdrant as the backend sees it: somebody on this machine who listens.
fn backend(behind: &Behind, pairs: &Pairs) -> Arc<dyn Backend> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (behind, pairs) = (behind.clone(), pairs.clone());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (behind, pairs) = (behind.clone(), pairs.clone());
            std::thread::spawn(move || serve(stream, &behind, &pairs));
        }
    });
    let connection = Connection { url, ..Connection::default() };
    (find("qdrant").unwrap().connect)(&connection).unwrap()
}

fn serve(stream: TcpStream, behind: &Behind, pairs: &Pairs) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut writer = stream;
    loop {
        let (head, body) = message(&mut reader)?;
        let mut words = head.split_whitespace();
        let (method, path) = (words.next()?, words.next()?);
        let mut request: Value = serde_json::from_slice(&body).unwrap_or_default();
        let mark = exchange_marks(&mut request, MARK);
        let (status, response) = match behind {
            Behind::Server(server) => {
                let (status, response) = forward(server, method, path, &body)?;
                let mut recorded = response.clone();
                exchange_marks(&mut recorded, MARK);
                pairs.lock().unwrap().push(json!({
                    "method": method, "path": path, "request": request,
                    "status": status, "response": recorded,
                }));
                (status, response)
            }
            Behind::Pairs(last) => {
                let mut last = last.lock().unwrap();
                *last = mark.unwrap_or_else(|| std::mem::take(&mut *last));
                let mut pairs = pairs.lock().unwrap();
                let is_it = |pair: &Value| {
                    pair["method"] == method && pair["path"] == path && pair["request"] == request
                };
                if pairs.first().is_some_and(is_it) {
                    let mut pair = pairs.remove(0);
                    exchange_marks(&mut pair["response"], &last);
                    (pair["status"].as_u64()?, pair["response"].take())
                } else {
                    let what = format!("not recorded: {method} {path} {request}");
                    (400, json!({ "status": { "error": what } }))
                }
            }
        };
        let text = response.to_string();
        let length = text.len();
        write!(writer, "HTTP/1.1 {status} Said\r\ncontent-length: {length}\r\n\r\n{text}").ok()?;
    }
}

/// The first line and the body of a request or an answer.
fn message(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let mut head = String::new();
    reader.read_line(&mut head).ok().filter(|read| *read > 0)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let line = line.trim().to_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn forward(server: &str, method: &str, path: &str, body: &[u8]) -> Option<(u64, Value)> {
    let mut stream = TcpStream::connect(server).ok()?;
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(body).ok()?;
    let (head, body) = message(&mut BufReader::new(stream))?;
    let status = head.split_whitespace().nth(1)?.parse().ok()?;
    let mut answer: Value = serde_json::from_slice(&body).unwrap_or_default();
    // How long it took, and what it cost, is another each time.
    if let Some(answer) = answer.as_object_mut() {
        answer.remove("time");
        answer.remove("usage");
    }
    Some((status, answer))
}
