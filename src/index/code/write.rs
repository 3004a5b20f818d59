//! Runs a plan: files are read in batches on all cores while the batch before is stored, one
//! transaction each. Vectors that cost money or time are looked up before they are made.

use std::collections::{BTreeMap, HashMap};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rayon::prelude::*;

use super::plan::{Plan, Task};
use super::read::{self, Outcome, Prepared};
use super::{Build, Report};
use crate::embed::{EmbedError, Purpose};
use crate::index::IndexError;
use crate::model::Progress;
use crate::store::code::{Changes, Embedding, EmbeddingKey, Skip, Vector, Writer};

/// Few enough that memory stays small, many enough that a transaction is worth its cost.
const BATCH_FILES: usize = 256;
const BATCH_BYTES: u64 = 4 << 20;

pub fn run(
    build: &Build,
    plan: Plan,
    writer: &mut Writer,
    notes: BTreeMap<String, String>,
    progress: &dyn Progress,
) -> Result<Report, IndexError> {
    let Plan {
        read,
        removed,
        moved_home,
        skipped,
        unchanged,
        unchanged_chunks,
        problems,
    } = plan;
    let mut run = Run {
        build,
        writer,
        progress,
        done: 0,
        total: read.len(),
        skipped,
        report: Report {
            files: unchanged,
            chunks: unchanged_chunks,
            removed: removed.len(),
            unchanged,
            problems,
            ..Report::default()
        },
    };
    let first = Changes {
        removed,
        touched: moved_home,
        ..Changes::default()
    };
    if !first.removed.is_empty() || !first.touched.is_empty() {
        run.writer.apply(&first)?;
    }
    run.read_and_store(&read)?;
    run.finish(notes)
}

struct Run<'r, 'a> {
    build: &'r Build<'a>,
    writer: &'r mut Writer,
    progress: &'r dyn Progress,
    done: usize,
    total: usize,
    skipped: Vec<Skip>,
    report: Report,
}

type ReadBatch = Result<Vec<Outcome>, EmbedError>;

impl Run<'_, '_> {
    fn read_and_store(&mut self, tasks: &[Task]) -> Result<(), IndexError> {
        let (build, progress) = (self.build, self.progress);
        // One batch may wait while one is stored and one is read.
        let (sender, receiver) = sync_channel(1);
        std::thread::scope(|scope| {
            scope.spawn(move || read_batches(build, tasks, progress, sender));
            self.store_batches(receiver)
        })
    }

    /// Dropping the receiver, on an error, ends the reading.
    fn store_batches(&mut self, batches: Receiver<ReadBatch>) -> Result<(), IndexError> {
        for batch in batches {
            let batch = batch?;
            self.done += batch.len();
            self.store(batch)?;
            self.progress
                .report("indexing files", self.done, Some(self.total));
            if self.progress.is_cancelled() {
                return Err(IndexError::Cancelled);
            }
        }
        if self.progress.is_cancelled() {
            return Err(IndexError::Cancelled);
        }
        Ok(())
    }

    fn store(&mut self, batch: Vec<Outcome>) -> Result<(), IndexError> {
        let mut changes = Changes::default();
        let mut prepared = Vec::new();
        for outcome in batch {
            match outcome {
                Outcome::Updated(file) => prepared.push(*file),
                Outcome::Same { touch, chunks } => {
                    self.report.unchanged += 1;
                    self.report.files += 1;
                    self.report.chunks += chunks;
                    changes.touched.push(touch);
                }
                Outcome::Skipped(skip) => {
                    changes.removed.push(skip.stamp.path.clone());
                    self.skipped.push(skip);
                }
                Outcome::Gone => {}
                Outcome::Failed(problem) => {
                    changes.removed.push(problem.path.clone());
                    self.report.problems.push(problem);
                }
            }
        }
        self.embed(&mut prepared)?;
        for file in prepared {
            match file.is_new {
                true => self.report.added += 1,
                false => self.report.changed += 1,
            }
            self.report.files += 1;
            self.report.chunks += file.update.facts.chunks.len();
            self.report
                .problems
                .extend(file.update.facts.problems.iter().cloned());
            changes.updated.push(file.update);
        }
        self.writer.apply(&changes)?;
        Ok(())
    }

    /// Gives every chunk that has none its vector: the one that is kept under its text, else a new
    /// one. One text is embedded once, however often it occurs.
    fn embed(&mut self, files: &mut [Prepared]) -> Result<(), IndexError> {
        let mut wanted: Vec<(EmbeddingKey, &str)> = Vec::new();
        for file in files.iter() {
            wanted.extend(file.texts.iter().map(|text| (key(text), text.as_str())));
        }
        if wanted.is_empty() {
            let made: usize = files.iter().map(|file| file.update.contents.len()).sum();
            self.report.embedded += made;
            return Ok(());
        }
        let keys: Vec<EmbeddingKey> = wanted.iter().map(|(key, _)| *key).collect();
        let known = self.writer.embeddings(&keys)?;
        let mut vectors: HashMap<EmbeddingKey, Vector> = HashMap::new();
        let mut missing: Vec<(EmbeddingKey, &str)> = Vec::new();
        for ((key, text), known) in wanted.iter().zip(known) {
            match known {
                Some(vector) => {
                    vectors.insert(*key, vector);
                }
                None => missing.push((*key, text)),
            }
        }
        missing.sort_unstable();
        missing.dedup_by_key(|(key, _)| *key);
        self.report.embedded += missing.len();
        self.report.reused += wanted.len() - missing.len();
        let texts: Vec<&str> = missing.iter().map(|(_, text)| *text).collect();
        if !texts.is_empty() {
            let embedder = self.build.embedder;
            let made = embedder.embed(&texts, Purpose::Document, self.progress)?;
            for (index, (key, _)) in missing.iter().enumerate() {
                vectors.insert(*key, Vector::quantise(made.row(index)));
            }
        }
        for file in files {
            let contents = file.update.contents.iter_mut();
            for (content, text) in contents.zip(&file.texts) {
                let key = key(text);
                let vector = vectors.get(&key).cloned();
                content.embedding = vector.map(|vector| Embedding {
                    vector,
                    key: Some(key),
                });
            }
        }
        Ok(())
    }

    fn finish(mut self, notes: BTreeMap<String, String>) -> Result<Report, IndexError> {
        self.skipped.sort();
        for skip in &self.skipped {
            *self.report.skipped.entry(skip.reason.clone()).or_default() += 1;
        }
        self.writer.apply(&Changes {
            skipped: Some(self.skipped),
            notes,
            ..Changes::default()
        })?;
        Ok(self.report)
    }
}

fn read_batches(
    build: &Build,
    mut tasks: &[Task],
    progress: &dyn Progress,
    sender: SyncSender<ReadBatch>,
) {
    while !tasks.is_empty() && !progress.is_cancelled() {
        let mut bytes = 0;
        let fits = |task: &&Task| {
            bytes += task.stamp.size;
            bytes <= BATCH_BYTES
        };
        let count = tasks.iter().take(BATCH_FILES).take_while(fits).count();
        let (batch, rest) = tasks.split_at(count.max(1));
        tasks = rest;
        let outcomes = batch.par_iter().map(|task| read::read(build, task));
        let outcomes: ReadBatch = outcomes.collect();
        // Nobody listens any more after an error.
        if sender.send(outcomes).is_err() {
            return;
        }
    }
}

fn key(text: &str) -> EmbeddingKey {
    let hash = blake3::hash(text.as_bytes());
    let mut key = EmbeddingKey::default();
    key.copy_from_slice(&hash.as_bytes()[..16]);
    key
}
