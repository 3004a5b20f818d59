//! The store as its users see it, against naive versions of itself.

mod facts;
mod searching;
mod states;
mod texts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::StoreError;
use kenning_model::{
    Chunk, ChunkKind, CodeFacts, Heritage, HeritageKind, Problem, Reference, ReferenceKind,
    RepoPath, Silent, Span, Symbol, Visibility,
};
use kenning_testing::Random;

const DIMENSION: usize = 8;

fn settings() -> IndexSettings {
    IndexSettings {
        provider: "static".to_string(),
        model: "tiny".to_string(),
        dimension: DIMENSION as u32,
        chunker: "1".to_string(),
        reference_length: 20.0,
    }
}

fn repo_path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

/// A chunk of a file to be: what it says, and what the store is told of it.
#[derive(Clone, Debug)]
struct Piece {
    text: String,
    content: ChunkContent,
}

fn chunk(start_byte: usize, end_byte: usize) -> Chunk {
    Chunk {
        kind: ChunkKind::Function,
        symbol: None,
        scope: None,
        line: None,
        signature: None,
        doc: None,
        outline: None,
        is_test: false,
        span: Span {
            start_line: 1,
            end_line: 9,
            start_byte: start_byte as u32,
            end_byte: end_byte as u32,
        },
    }
}

fn update(path: &str, pieces: Vec<Piece>) -> FileUpdate {
    let mut text = String::new();
    let mut chunks = Vec::new();
    for piece in &pieces {
        let start = text.len();
        text.push_str(&piece.text);
        chunks.push(chunk(start, text.len()));
    }
    let contents = pieces.into_iter().map(|piece| piece.content);
    FileUpdate {
        stamp: Stamp { path: repo_path(path), size: 1, modified_ns: 2 },
        hash: [3; 32],
        is_test: false,
        package: None,
        facts: CodeFacts { language: "rust", chunks, ..CodeFacts::default() },
        packed: FileBlob::new(&text, &CodeFacts::default()),
        contents: contents.collect(),
    }
}

fn texts(snapshot: &Snapshot, ids: &[u32]) -> Vec<String> {
    let chunks = snapshot.chunks(ids).unwrap();
    snapshot.texts(&chunks).unwrap()
}

fn updated(updated: Vec<FileUpdate>) -> Changes {
    Changes { updated, ..Changes::default() }
}

/// One chunk that says `term`.
fn saying(term: u32, text: &str) -> Piece {
    let content = ChunkContent { terms: vec![(term, 1.0)], embedding: None };
    Piece { text: text.to_string(), content }
}

struct Home {
    _directory: tempfile::TempDir,
    database: PathBuf,
}

fn home() -> Home {
    let directory = tempfile::tempdir().unwrap();
    let database = directory.path().join("code.db");
    Home { _directory: directory, database }
}
