//! The subject of a test: a backend, and a collection of its own on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use kenning_store::backends::{
    BACKENDS, Backend, CollectionInfo, CollectionReader, Connection, WriterStart,
};
use kenning_store::code::{Changes, IndexSettings};

/// The variable of each backend that has the address of one for tests.
const VARIABLES: &[(&str, &str)] =
    &[("postgres", "POSTGRES_TEST_URL"), ("qdrant", "QDRANT_TEST_URL")];

pub struct Subject {
    pub name: &'static str,
    pub backend: Arc<dyn Backend>,
    pub url: String,
    _home: Option<tempfile::TempDir>,
}

/// The embedded store first, and then every server that was named.
pub fn subjects() -> Vec<Subject> {
    let entries = BACKENDS.iter().filter_map(|entry| {
        let variable = VARIABLES.iter().find(|(name, _)| *name == entry.name);
        let (url, home) = match variable {
            None => {
                let home = tempfile::tempdir().unwrap();
                (home.path().to_str().unwrap().to_string(), Some(home))
            }
            Some((_, variable)) => match std::env::var(variable) {
                Ok(url) => (url, None),
                Err(_) => {
                    eprintln!("{}: left out, as {variable} names none", entry.name);
                    return None;
                }
            },
        };
        let connection = Connection {
            url: url.clone(),
            key: std::env::var("QDRANT_TEST_API_KEY").ok(),
            shards: number("QDRANT_TEST_SHARDS"),
            replicas: number("QDRANT_TEST_REPLICAS"),
        };
        Some(Subject {
            name: entry.name,
            backend: (entry.connect)(&connection).unwrap(),
            url,
            _home: home,
        })
    });
    entries.collect()
}

fn number(variable: &str) -> Option<u32> {
    std::env::var(variable).ok()?.parse().ok()
}

impl Subject {
    /// One that was connected to in another way.
    pub fn at(name: &'static str, backend: Arc<dyn Backend>, url: String) -> Subject {
        Subject { name, backend, url, _home: None }
    }

    /// A collection that is gone when it is dropped.
    pub fn collection(&self) -> Lent<'_> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("suite-{}-{number}", std::process::id());
        Lent {
            subject: self,
            card: CollectionInfo { advertised_url: None, root: format!("/suite/{name}"), name },
        }
    }
}

pub struct Lent<'s> {
    pub subject: &'s Subject,
    pub card: CollectionInfo,
}

impl Lent<'_> {
    pub fn apply(&self, settings: &IndexSettings, changes: &Changes) {
        let mut intake = self.begin(settings, WriterStart::Update);
        intake.apply(changes).unwrap();
        intake.publish().unwrap();
    }

    pub fn begin(
        &self,
        settings: &IndexSettings,
        begin: WriterStart,
    ) -> Box<dyn kenning_store::backends::CollectionWriter> {
        self.subject.backend.write(&self.card, settings, begin).unwrap()
    }

    pub fn open(&self) -> Box<dyn CollectionReader> {
        self.subject.backend.open(&self.card.name).unwrap()
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // A test that failed before it stored anything has nothing to remove.
        let _ = self.subject.backend.remove(&self.card.name);
    }
}
