//! Helpers that the tests of this folder share.

use crate::search::SearchHit;
use kenning_model::{ChunkKind, RepoPath, Span};
use kenning_store::code::ChunkRecord;

/// Returns a hit for a function in this file, with this score.
pub fn found(path: &str, score: f32) -> SearchHit {
    SearchHit {
        chunk: ChunkRecord {
            id: 0,
            file_chunks: 0..1,
            path: RepoPath::new(path).unwrap(),
            language: "rust".to_string(),
            package: None,
            kind: ChunkKind::Function,
            is_test: path.starts_with("tests/"),
            symbol: None,
            scope: None,
            line: None,
            span: Span::default(),
        },
        score,
        retriever_scores: Default::default(),
        reasons: Vec::new(),
    }
}
