//! Servers that are not there or not as they should be: what happened, and what to do.

use kenning::store::StoreError;
use kenning::store::backends::{BACKENDS, Connection, find};

fn remedy(backend: &str, connection: Connection) -> String {
    let entry = find(backend).unwrap();
    let outcome = (entry.connect)(&connection).and_then(|backend| backend.collections());
    match outcome.err().unwrap() {
        StoreError::Server { what, remedy, .. } => format!("{what}; {remedy}"),
        other => panic!("{other}"),
    }
}

fn at(url: &str) -> Connection {
    Connection {
        url: url.to_string(),
        ..Connection::default()
    }
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
