//! Runs a plan. Files are read in batches on all cores, while the batch before is stored, each in
//! one transaction.
//!
//! The order of writes matters: replica first, local file second, metadata last. An interrupted
//! build therefore never claims more than it stored. Vectors that cost money or time are looked up
//! before they are made.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rayon::prelude::*;

use crate::indexing::IndexError;
use crate::indexing::extract_file::{self, FileOutcome, PreparedFile, PreviousState};
use crate::indexing::plan::{Plan, ReadTask};
use crate::indexing::replica::Replica;
use crate::indexing::{BUILT_NS, CodeBuild, CodeReport, INDEXED_AT, PackageDirectories};
use kenning_embed::{EmbedError, Purpose};
use kenning_model::{ProblemList, Progress, RepoPath};
use kenning_store::code::{Changes, Embedding, EmbeddingKey, PreviousIndex, Skip, Vector, Writer};

/// The bounds of a batch, in files and bytes. Small batches bound memory and the loss on
/// cancellation; large ones amortize the cost of a transaction.
const BATCH_FILES: usize = 256;
const BATCH_BYTES: u64 = 4 << 20;

/// The state of one build while it writes.
pub struct IndexRun<'r, 'a> {
    build: &'r CodeBuild<'a>,
    packages: &'r PackageDirectories,
    known: &'r PreviousIndex,
    writer: &'r mut Writer,
    replica: &'r mut Replica,
    progress: &'r dyn Progress,
    done: usize,
    total: usize,
    skipped: Vec<Skip>,
    /// Problems of paths that could not be walked or read.
    read_errors: ProblemList,
    /// The obstacles, and the problems of files that were read.
    problems: ProblemList,
    /// True if anything was written. Only then does the time of the build have to be stored.
    has_changes: bool,
    report: CodeReport,
}

/// The outcomes of a batch in the order of its files. Only a failing embedder makes the whole batch
/// fail.
type ReadBatch = Result<Vec<FileOutcome>, EmbedError>;

impl<'r, 'a> IndexRun<'r, 'a> {
    /// Creates the state of a build. Nothing is read or written yet.
    pub fn new(
        build: &'r CodeBuild<'a>,
        packages: &'r PackageDirectories,
        known: &'r PreviousIndex,
        (writer, replica): (&'r mut Writer, &'r mut Replica),
        progress: &'r dyn Progress,
    ) -> IndexRun<'r, 'a> {
        IndexRun {
            build,
            packages,
            known,
            writer,
            replica,
            progress,
            done: 0,
            total: 0,
            skipped: Vec::new(),
            read_errors: ProblemList::default(),
            problems: ProblemList::default(),
            has_changes: false,
            report: CodeReport::default(),
        }
    }

    /// Runs a plan to its end.
    ///
    /// Reads, stores, removes, and writes the metadata last. On an error, complete batches stay
    /// stored.
    pub fn run_plan(
        mut self,
        plan: Plan,
        notes: BTreeMap<String, String>,
    ) -> Result<CodeReport, IndexError> {
        self.report = CodeReport {
            files: plan.unchanged,
            chunks: plan.unchanged_chunks,
            removed: plan.removed.len(),
            unchanged: plan.unchanged,
            drops_secrets: plan.drops_secrets,
            ..CodeReport::default()
        };
        self.problems.extend(plan.problems.iter().cloned());
        self.read_errors.extend(plan.problems);
        self.skipped = plan.skipped;
        self.total = plan.read.len();
        self.read_and_store(&plan.read)?;
        // Single files that vanished are skipped. If the whole root vanished, nothing is removed;
        // this check therefore precedes the removal.
        IndexError::check_root_exists(self.build.root)?;
        self.apply_changes(&Changes {
            removed: plan.removed,
            touched: plan.changed_package,
            ..Changes::default()
        })?;
        self.finish(notes)
    }

    /// Writes a batch to the replica and to the local file. An empty batch is not written, because
    /// each write raises the generation.
    fn apply_changes(&mut self, changes: &Changes) -> Result<(), IndexError> {
        let is_empty =
            changes.removed.is_empty() && changes.touched.is_empty() && changes.updated.is_empty();
        if !is_empty {
            self.has_changes = true;
            self.replica.apply(changes)?;
            self.writer.apply(changes)?;
        }
        Ok(())
    }

    /// Reads on a second thread while this one stores. The scope joins the reader before it
    /// returns, also on an error.
    fn read_and_store(&mut self, tasks: &[ReadTask]) -> Result<(), IndexError> {
        if tasks.is_empty() {
            return Ok(());
        }
        let (build, homes, progress) = (self.build, self.packages, self.progress);
        // One batch may wait while one is stored and one is read.
        let (sender, receiver) = sync_channel(1);
        std::thread::scope(|scope| {
            scope.spawn(move || read_batches(build, homes, tasks, progress, sender));
            self.store_batches(receiver)
        })
    }

    /// Stores batches as they arrive. On an error, the receiver is dropped, which ends the reader.
    fn store_batches(&mut self, batches: Receiver<ReadBatch>) -> Result<(), IndexError> {
        for batch in batches {
            let batch = batch?;
            self.done += batch.len();
            self.store_batch(batch)?;
            self.progress.report("indexing files", self.done, Some(self.total));
            if self.progress.is_cancelled() {
                return Err(IndexError::Cancelled);
            }
        }
        if self.progress.is_cancelled() {
            return Err(IndexError::Cancelled);
        }
        Ok(())
    }

    /// Sorts the outcomes into changes and counts, and stores them in one transaction.
    fn store_batch(&mut self, batch: Vec<FileOutcome>) -> Result<(), IndexError> {
        let mut changes = Changes::default();
        let mut prepared = Vec::new();
        for outcome in batch {
            match outcome {
                FileOutcome::Updated(file) => prepared.push(*file),
                FileOutcome::Same { touch, chunks } => {
                    self.report.unchanged += 1;
                    self.report.files += 1;
                    self.report.chunks += chunks;
                    changes.touched.push(touch);
                }
                FileOutcome::Skipped(skip, past) => {
                    self.drop_indexed(&skip.stamp.path, past, &mut changes);
                    let is_secret = kenning_secrets::is_secret_reason(&skip.reason);
                    self.report.drops_secrets |= is_secret && past == PreviousState::Indexed;
                    self.skipped.push(skip);
                    self.has_changes = true;
                }
                FileOutcome::Gone => {}
                FileOutcome::Failed(problem, past) => {
                    self.drop_indexed(&problem.path, past, &mut changes);
                    self.problems.push(problem.clone());
                    self.read_errors.push(problem);
                }
            }
        }
        self.embed_chunks(&mut prepared)?;
        for file in prepared {
            if file.is_new {
                self.report.added += 1
            } else {
                self.report.changed += 1
            }
            self.report.files += 1;
            self.report.chunks += file.update.facts.chunks.len();
            self.problems.extend(file.update.facts.problems.iter().cloned());
            changes.updated.push(file.update);
        }
        self.apply_changes(&changes)
    }

    /// Removes a file from the index and counts it, if the previous build indexed it.
    fn drop_indexed(&mut self, path: &RepoPath, past: PreviousState, changes: &mut Changes) {
        if past == PreviousState::Indexed {
            changes.removed.push(path.clone());
            self.report.removed += 1;
        }
    }

    /// Sets the vector of every chunk that has none: the stored one with the same text, else a new
    /// one. Equal texts are embedded once.
    ///
    /// Chunks of a local embedder already have their vectors, because making them is cheaper than a
    /// lookup.
    fn embed_chunks(&mut self, files: &mut [PreparedFile]) -> Result<(), IndexError> {
        let mut wanted: Vec<(EmbeddingKey, &str)> = Vec::new();
        for file in files.iter() {
            wanted.extend(file.texts.iter().map(|text| (embedding_key(text), text.as_str())));
        }
        if wanted.is_empty() {
            let made: usize = files.iter().map(|file| file.update.contents.len()).sum();
            self.report.embedded += made;
            return Ok(());
        }
        let keys: Vec<EmbeddingKey> = wanted.iter().map(|(key, _)| *key).collect();
        let known = self.stored_embeddings(&keys)?;
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
                let key = embedding_key(text);
                let vector = vectors.get(&key).cloned();
                content.embedding = vector.map(|vector| Embedding { vector, key: Some(key) });
            }
        }
        Ok(())
    }

    /// Looks up stored embeddings by key: first in this collection, then in those of other
    /// checkouts.
    ///
    /// A checkout that cannot be read only costs money, so its error is logged and not returned.
    fn stored_embeddings(&self, keys: &[EmbeddingKey]) -> Result<Vec<Option<Vector>>, IndexError> {
        let mut known = self.writer.embeddings(keys)?;
        for relative in self.build.other_checkouts {
            let places = known.iter().enumerate();
            let missing: Vec<usize> =
                places.filter(|(_, vector)| vector.is_none()).map(|(place, _)| place).collect();
            if missing.is_empty() {
                break;
            }
            let asked: Vec<EmbeddingKey> = missing.iter().map(|place| keys[*place]).collect();
            match self.writer.embeddings_of(relative, &asked) {
                Ok(found) => {
                    for (place, vector) in missing.into_iter().zip(found) {
                        known[place] = vector;
                    }
                }
                Err(error) => tracing::debug!("nothing from {}: {error}", relative.display()),
            }
        }
        Ok(known)
    }

    /// Writes skips, read errors and metadata, if they differ from what is stored.
    fn finish(mut self, notes: BTreeMap<String, String>) -> Result<CodeReport, IndexError> {
        self.skipped.sort();
        for skip in &self.skipped {
            *self.report.skipped.entry(skip.reason.clone()).or_default() += 1;
        }
        let obstacles = std::mem::take(&mut self.read_errors).into_problems();
        self.report.problems = std::mem::take(&mut self.problems).into_problems();
        // A run that found no change leaves the index alone. New times alone are no reason to
        // write.
        let is_known = |(name, value): (&String, &String)| {
            let is_time = [BUILT_NS, INDEXED_AT].contains(&name.as_str());
            match self.known.metadata.get(name) {
                Some(known) => known == value || is_time,
                None => false,
            }
        };
        if self.has_changes && !self.build.embedder.is_local() {
            self.writer.trim_embeddings()?;
        }
        self.replica.remove_strays()?;
        let is_as_stored = !self.has_changes
            && self.skipped == self.known.skips
            && obstacles == self.known.read_errors
            && notes.iter().all(is_known);
        if !is_as_stored {
            let last = Changes {
                skipped: Some(self.skipped),
                read_errors: Some(obstacles),
                metadata: notes,
                ..Changes::default()
            };
            self.replica.apply(&last)?;
            self.writer.apply(&last)?;
        }
        Ok(self.report)
    }
}

/// The number of files between two progress reports. Each report is a message to the client, which
/// should not cost more than the files.
const READ_BETWEEN_REPORTS: usize = 8;

/// Reads the files of all tasks and sends the batches in order. It runs until the tasks end, the
/// build is cancelled, or the receiver is gone.
fn read_batches(
    build: &CodeBuild,
    homes: &PackageDirectories,
    mut tasks: &[ReadTask],
    progress: &dyn Progress,
    sender: SyncSender<ReadBatch>,
) {
    let (total, done) = (tasks.len(), AtomicUsize::new(0));
    while !tasks.is_empty() && !progress.is_cancelled() {
        let mut bytes = 0;
        let fits = |task: &&ReadTask| {
            bytes += task.stamp.size;
            bytes <= BATCH_BYTES
        };
        // A file larger than a whole batch still forms one, or the loop would never end.
        let count = tasks.iter().take(BATCH_FILES).take_while(fits).count();
        let (batch, rest) = tasks.split_at(count.max(1));
        tasks = rest;
        let outcomes: ReadBatch = batch
            .par_iter()
            .map(|task| {
                let outcome = extract_file::read_file(build, homes, task, progress);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                if done.is_multiple_of(READ_BETWEEN_REPORTS) || done == total {
                    progress.report("reading files", done, Some(total));
                }
                outcome
            })
            .collect();
        // The receiver is dropped after an error.
        if sender.send(outcomes).is_err() {
            return;
        }
    }
}

/// Returns the key of a text's vector: the first 16 bytes of its BLAKE3 hash.
fn embedding_key(text: &str) -> EmbeddingKey {
    let hash = blake3::hash(text.as_bytes());
    let mut key = EmbeddingKey::default();
    key.copy_from_slice(&hash.as_bytes()[..16]);
    key
}
