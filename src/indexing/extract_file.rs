//! Turns one file on disk into the update that the store takes. It runs on all cores at once.
//!
//! It reads, checks for secrets, extracts facts and makes the vectors of a local embedder. It
//! writes nothing, and no content of a file can make it fail.

use std::panic::AssertUnwindSafe;

use crate::indexing::chunk_fields::{self, EmbeddedPath};
use crate::indexing::plan::ReadTask;
use crate::indexing::{CodeBuild, PackageDirectories, REFERENCE_LENGTH};
use kenning_embed::{EmbedError, Purpose};
use kenning_lang::skip_rules::{self, SkipReason as Reason};
use kenning_lang::{code, languages};
use kenning_model::{CodeFacts, Problem, Progress, RepoPath, Silent};
use kenning_source::{self as source, SourceReading};
use kenning_store::code::{ChunkContent, Embedding, FileBlob, FileUpdate, Skip, Touch, Vector};

/// The outcome of reading one file.
///
/// A skipped or failed file that the previous build indexed has to be removed from the index.
pub enum FileOutcome {
    Updated(Box<PreparedFile>),
    /// The file was read, and its content equals what is stored.
    Same {
        touch: Touch,
        chunks: usize,
    },
    Skipped(Skip, PreviousState),
    /// The file vanished after the walk, or the build was cancelled. The next run handles it.
    Gone,
    Failed(Problem, PreviousState),
}

/// The state in the previous index of a file that this build does not index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreviousState {
    Indexed,
    Unknown,
}

/// A file ready to be stored, except perhaps for its vectors.
pub struct PreparedFile {
    pub update: FileUpdate,
    /// The text to embed for each chunk; empty if the chunks have their vectors.
    pub texts: Vec<String>,
    pub is_new: bool,
}

/// The checks run from cheap to expensive. A file whose hash is unchanged is never parsed.
///
/// The error is the embedder's; everything else about a file is an outcome.
pub fn read_file(
    build: &CodeBuild,
    homes: &PackageDirectories,
    task: &ReadTask,
    progress: &dyn Progress,
) -> Result<FileOutcome, EmbedError> {
    let stamp = task.stamp.clone();
    let package = homes.package_of(&stamp.path).map(str::to_string);
    let (hash, text, problem) =
        match source::read_source(build.root, &stamp.path, build.rules.max_file_size) {
            SourceReading::Text { hash, text, problem } => (hash, text, problem),
            SourceReading::Binary => return Ok(skip_outcome(task, &Reason::Binary.to_string())),
            SourceReading::Gone => return Ok(FileOutcome::Gone),
            SourceReading::Failed(problem) => {
                return Ok(FileOutcome::Failed(problem, previous_state(task)));
            }
        };
    // This precedes the comparison: an unchanged file may be a secret under changed rules.
    if let Some(secret) = build.rules.secrets.by_content(&stamp.path, &text) {
        return Ok(skip_outcome(task, &secret.to_string()));
    }
    if let Some((known, chunks)) = task.known
        && known == hash
    {
        let touch = Touch { stamp, package };
        return Ok(FileOutcome::Same { touch, chunks });
    }
    if let Some(reason) = skip_rules::skip_reason(&stamp.path, &text) {
        return Ok(skip_outcome(task, &reason.to_string()));
    }
    let Some(mut facts) = extract_facts(&stamp.path, &text, progress) else {
        return Ok(FileOutcome::Gone);
    };
    facts.problems.extend(problem);
    let (contents, texts) = chunk_contents(build, task, &facts, &text)?;
    let update = FileUpdate {
        hash,
        is_test: languages::is_test_path(&stamp.path),
        package,
        packed: FileBlob::new(&text, &facts),
        facts,
        contents,
        stamp,
    };
    Ok(FileOutcome::Updated(Box::new(PreparedFile { update, texts, is_new: task.known.is_none() })))
}

/// Extracts the facts of a file; `None` if the build was cancelled meanwhile.
///
/// Extraction should not panic. If it does, the file is indexed as plain text with a problem, and
/// the rest goes on.
fn extract_facts(path: &RepoPath, text: &str, progress: &dyn Progress) -> Option<CodeFacts> {
    let is_wanted = || !progress.is_cancelled();
    let read = || code::read_while(path, text, &is_wanted);
    std::panic::catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| {
        Some(CodeFacts {
            language: "text",
            problems: vec![Problem::new(path, "reading it failed; this is a mistake in Kenning")],
            ..CodeFacts::default()
        })
    })
}

/// Returns the outcome for a file that is skipped for this reason.
fn skip_outcome(task: &ReadTask, reason: &str) -> FileOutcome {
    let skip = Skip { stamp: task.stamp.clone(), reason: reason.to_string() };
    FileOutcome::Skipped(skip, previous_state(task))
}

/// A task with a known hash is a file that the previous build indexed.
fn previous_state(task: &ReadTask) -> PreviousState {
    match task.known {
        Some(_) => PreviousState::Indexed,
        None => PreviousState::Unknown,
    }
}

/// Returns the terms of each chunk, with its vector if the embedder is local. Otherwise it also
/// returns the texts, to be embedded in batches.
fn chunk_contents(
    build: &CodeBuild,
    task: &ReadTask,
    facts: &CodeFacts,
    text: &str,
) -> Result<(Vec<ChunkContent>, Vec<String>), EmbedError> {
    // A remote embedder is paid per text and keyed by text, so a moved file must not change the
    // text.
    let is_cheap = build.embedder.is_local();
    let place = if is_cheap { EmbeddedPath::Path } else { EmbeddedPath::FileName };
    let path = &task.stamp.path;
    let body = |span: kenning_model::Span| {
        let range = span.start_byte as usize..span.end_byte as usize;
        text.get(range).unwrap_or_default()
    };
    let mut contents = Vec::with_capacity(facts.chunks.len());
    let mut texts = Vec::with_capacity(facts.chunks.len());
    for chunk in &facts.chunks {
        let text = body(chunk.span);
        contents.push(ChunkContent {
            terms: chunk_fields::weigh_terms(path, chunk, text, REFERENCE_LENGTH),
            embedding: None,
        });
        texts.push(chunk_fields::embedding_text(path, chunk, text, place));
    }
    if !is_cheap || texts.is_empty() {
        return Ok((contents, texts));
    }
    let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = build.embedder.embed(&borrowed, Purpose::Document, &Silent)?;
    for (index, content) in contents.iter_mut().enumerate() {
        let vector = Vector::quantise(vectors.row(index));
        content.embedding = Some(Embedding { vector, key: None });
    }
    Ok((contents, Vec::new()))
}
