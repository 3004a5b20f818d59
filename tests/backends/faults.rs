//! Servers that are not there or not as they should be: what happened, and what to do.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kenning_store::StoreError;
use kenning_store::backends::{BACKENDS, Connection, find};

fn remedy(backend: &str, connection: Connection) -> String {
    let entry = find(backend).unwrap();
    let outcome = (entry.connect)(&connection).and_then(|backend| backend.collections());
    match outcome.err().unwrap() {
        StoreError::Server { what, remedy, .. } => format!("{what}; {remedy}"),
        other => panic!("{other}"),
    }
}

fn at(url: &str) -> Connection {
    Connection { url: url.to_string(), ..Connection::default() }
}

#[test]
fn a_server_that_is_down_is_told_from_a_wrong_address() {
    let down = remedy("postgres", at("postgres://nobody@127.0.0.1:9/x"));
    assert!(down.contains("check that PostgreSQL is up"), "{down}");
    let wrong = remedy("postgres", at("not an address"));
    assert!(wrong.contains("postgres://user"), "{wrong}");
    let down = remedy("qdrant", at("http://127.0.0.1:9"));
    assert!(down.contains("check that Qdrant is up"), "{down}");
    let wrong = remedy("qdrant", at("localhost:6333"));
    assert!(wrong.contains("http://localhost:6333"), "{wrong}");
}

#[test]
fn every_backend_has_a_name_of_its_own() {
    let mut names: Vec<&str> = BACKENDS.iter().map(|entry| entry.name).collect();
    assert_eq!(names[0], "embedded");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), BACKENDS.len());
    assert!(BACKENDS.iter().all(|entry| !entry.summary.is_empty()));
}

/// A server of one answer after another, as Qdrant would give them; the last is repeated.
fn answering(answers: Vec<(u16, &'static str)>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while reader.read_line(&mut line).unwrap() > 0 && line != "\r\n" {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            std::io::copy(&mut reader.take(length), &mut std::io::sink()).unwrap();
            let number = counted.fetch_add(1, Ordering::SeqCst).min(answers.len() - 1);
            let (status, body) = answers[number];
            let head = format!("HTTP/1.1 {status} So\r\nconnection: close\r\n");
            let answer = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
            // The client may have given up waiting.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (url, asked)
}

const NO_COLLECTIONS: &str = r#"{"result":{"points":[],"next_page_offset":null}}"#;

fn collections(url: &str) -> Result<usize, StoreError> {
    let backend = (find("qdrant").unwrap().connect)(&at(url))?;
    Ok(backend.collections()?.len())
}

#[test]
fn a_server_that_cannot_now_is_asked_again() {
    let busy = (503, r#"{"status":{"error":"not ready"}}"#);
    let (url, asked) = answering(vec![busy, busy, (200, NO_COLLECTIONS)]);
    assert_eq!(collections(&url).unwrap(), 0);
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[test]
fn of_several_nodes_the_next_is_asked() {
    let (url, asked) = answering(vec![(200, NO_COLLECTIONS)]);
    assert_eq!(collections(&format!("http://127.0.0.1:9,{url}")).unwrap(), 0);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[test]
fn what_is_refused_is_not_asked_again() {
    let (url, asked) = answering(vec![(401, r#"{"status":{"error":"no"}}"#)]);
    let refused = collections(&url).unwrap_err().to_string();
    assert!(refused.contains("401"), "{refused}");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

/// A wrong address at which somebody else answers must not look like a Qdrant that is empty.
#[test]
fn somebody_else_is_told_from_an_empty_server() {
    for (status, body) in [
        (200, "<html>hello</html>"),
        (200, "{}"),
        (200, "[1]"),
        (302, ""),
        (404, "not here"),
        (404, r#"{"status":404}"#),
        (404, r#"{"status":"nowhere"}"#),
    ] {
        let (url, _) = answering(vec![(status, body)]);
        match collections(&url) {
            Err(StoreError::Server { what, remedy, .. }) => {
                assert!(remedy.contains("QDRANT_URL"), "{what}; {remedy}");
            }
            other => panic!("{status} {body}: {other:?}"),
        }
    }
}
