//! Text search: reads the candidate files in path order until enough matches are found. Path order
//! makes the answer independent of the order of indexing.
//!
//! Reading from SQLite and matching overlap: while a batch is matched on all cores, this thread
//! reads the next one.

use std::sync::OnceLock;
use std::time::Instant;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use rusqlite::Connection;

use super::super::bitmap::Bitmap;
use super::super::error::{StatementError, StoreResult};
use super::super::file_blob;
use super::super::file_filter::{FileEntry, FileTable, Filter};
use super::super::generation::Generation;
use super::super::snapshot::Snapshot;
use super::pattern::Pattern;
use crate::StoreError;
use kenning_model::time_limit;

/// A chunk with a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextMatch {
    pub chunk: u32,
    /// The lines of the file in which a match begins, from 1.
    pub lines: Vec<u32>,
}

/// The limits of one search.
#[derive(Clone, Copy, Debug)]
pub struct GrepLimits {
    /// Stop after this many chunks.
    pub chunks: usize,
    /// Fail after this time. Only regular expressions are interrupted; literals are fast.
    pub deadline: Option<Instant>,
}

impl GrepLimits {
    pub const NONE: GrepLimits = GrepLimits { chunks: usize::MAX, deadline: None };
}

/// Files that are read before the next look at how much is found: few at first, for a text that is
/// everywhere, then enough to keep all cores busy.
// The number of files in the first batch is small, for a text that occurs everywhere. Batches
// double up to a size that keeps all cores busy.
const FIRST_BATCH: usize = 16;
const LARGEST_BATCH: usize = 512;

/// Fewer files are not worth a second thread.
const FEW: usize = 24;

impl Snapshot<'_> {
    /// The chunks with a match, by path and place. A line that two chunks show belongs to the
    /// shorter one.
    pub fn find_text(
        &self,
        pattern: &Pattern,
        filter: &Filter,
        bounds: GrepLimits,
    ) -> Result<Vec<TextMatch>, StoreError> {
        self.run(|connection| {
            let generation = &self.generation;
            let allowed = generation.allowed_chunks(connection, filter)?;
            let deadlines = bounds.deadline.into_iter().chain(time_limit::deadline());
            let bounds = GrepLimits { deadline: deadlines.min(), ..bounds };
            find_matches(connection, generation, pattern, &allowed, bounds)
        })
    }
}

/// All chunks among `allowed` that have this text.
pub fn chunks_with(
    connection: &Connection,
    generation: &Generation,
    text: &str,
    allowed: &Bitmap,
) -> StoreResult<Bitmap> {
    let pattern = Pattern::exact(text);
    let mut chunks = Bitmap::default();
    for found in find_matches(connection, generation, &pattern, allowed, GrepLimits::NONE)? {
        chunks.insert(found.chunk);
    }
    Ok(chunks)
}

/// Searches the allowed chunks of the candidate files.
fn find_matches(
    connection: &Connection,
    generation: &Generation,
    pattern: &Pattern,
    allowed: &Bitmap,
    bounds: GrepLimits,
) -> StoreResult<Vec<TextMatch>> {
    let candidates = candidates(connection, generation, pattern)?;
    let file_table = generation.file_table(connection)?;
    let files: Vec<(i64, &FileEntry)> =
        select_files(&file_table, candidates.as_ref(), allowed).collect();
    let mut found = Vec::new();
    let mut batches = growing_batches(&files);
    let mut next = batches.next();
    let mut texts = read_blobs(connection, next)?;
    while let Some(batch) = next {
        next = batches.next();
        let (lines, upcoming) =
            search_while(pattern, &texts, bounds.deadline, || read_blobs(connection, next));
        for ((_, file), lines) in batch.iter().zip(lines?) {
            if !lines.is_empty() {
                found.extend(assign_to_chunks(connection, file, &lines, allowed)?);
            }
        }
        if found.len() >= bounds.chunks {
            break;
        }
        texts = upcoming?;
    }
    found.truncate(bounds.chunks);
    Ok(found)
}

/// Returns the first chunks of the files that may match; `None` if the pattern gives no literal to
/// look up, so that any file may.
fn candidates(
    connection: &Connection,
    generation: &Generation,
    pattern: &Pattern,
) -> StoreResult<Option<Bitmap>> {
    let lexicons = generation.lexicons(connection)?;
    let mut all = Bitmap::default();
    for loaded in &generation.segments {
        let files = pattern.required.candidate_files(connection, &lexicons, &loaded.segment)?;
        match files {
            Some(files) => all.unite(&files),
            None => return Ok(None),
        }
    }
    Ok(Some(all))
}

/// Returns the candidate files that have an allowed chunk, by path.
fn select_files<'c>(
    file_table: &'c FileTable,
    candidates: Option<&'c Bitmap>,
    allowed: &'c Bitmap,
) -> impl Iterator<Item = (i64, &'c FileEntry)> {
    file_table.files_by_path().filter(move |(_, file)| {
        let chunks = file.chunks();
        candidates.is_none_or(|candidates| candidates.contains(chunks.start))
            && allowed.has_any_in(chunks)
    })
}

/// Splits the files into batches that double in size.
fn growing_batches<F>(files: &[F]) -> impl Iterator<Item = &[F]> {
    let mut rest = files;
    let mut size = FIRST_BATCH;
    std::iter::from_fn(move || {
        let (batch, behind) = rest.split_at(size.min(rest.len()));
        rest = behind;
        size = (size * 2).min(LARGEST_BATCH);
        (!batch.is_empty()).then_some(batch)
    })
}

/// Reads the compressed texts of a batch.
fn read_blobs(
    connection: &Connection,
    files: Option<&[(i64, &FileEntry)]>,
) -> StoreResult<Vec<Vec<u8>>> {
    let files = files.unwrap_or_default();
    let mut select = connection.prepare_cached("SELECT blob FROM text_blobs WHERE file = ?")?;
    let mut texts = Vec::with_capacity(files.len());
    for (id, _) in files {
        texts.push(select.query_row([id], |row| row.get(0))?);
    }
    Ok(texts)
}

/// Returns the matching lines of each text, and the result of `meanwhile`, which runs on this
/// thread. Few texts are searched on this thread too.
fn search_while<T>(
    pattern: &Pattern,
    texts: &[Vec<u8>],
    deadline: Option<Instant>,
    meanwhile: impl FnOnce() -> T,
) -> (StoreResult<Vec<Vec<u32>>>, T) {
    let one = |text: &mut Vec<u8>, packed: &Vec<u8>| -> StoreResult<Vec<u32>> {
        file_blob::decompress_text(packed, text)?;
        let lines = pattern.matching_lines(text, deadline);
        lines.map_err(|too_late| StatementError::InvalidArgument(too_late.to_string()))
    };
    let Some(threads) = search_pool().filter(|_| texts.len() >= FEW) else {
        let mut text = Vec::new();
        let lines = texts.iter().map(|packed| one(&mut text, packed)).collect();
        return (lines, meanwhile());
    };
    let mut lines = Ok(Vec::new());
    let other = threads.in_place_scope(|scope| {
        scope.spawn(|_| {
            let texts = texts.par_iter();
            lines = texts.map_init(Vec::new, |text, packed| one(text, packed)).collect();
        });
        meanwhile()
    });
    (lines, other)
}

/// Returns the thread pool of text searches; `None` on a single core. In the shared pool a search
/// would wait behind files that are being indexed.
fn search_pool() -> Option<&'static ThreadPool> {
    static THREADS: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let made = THREADS.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let named = ThreadPoolBuilder::new().thread_name(|_| "ken text".to_string());
        (cores > 1).then(|| named.num_threads(cores).build().ok())?
    });
    made.as_ref()
}

/// Assigns matching lines to the chunks that show them. A line that several chunks show belongs to
/// the shortest. Lines in no allowed chunk are dropped.
fn assign_to_chunks(
    connection: &Connection,
    file: &FileEntry,
    lines: &[u32],
    allowed: &Bitmap,
) -> StoreResult<Vec<TextMatch>> {
    let mut select = connection.prepare_cached(
        "SELECT id, start_line, end_line FROM chunks WHERE id >= ? AND id < ?
         ORDER BY start_line, id",
    )?;
    let chunks = file.chunks();
    let rows: Vec<(u32, u32, u32)> = select
        .query_map([chunks.start, chunks.end], |row| {
            Ok((row.get::<_, u32>(0)?, row.get::<_, u32>(1)?, row.get::<_, u32>(2)?))
        })?
        .collect::<rusqlite::Result<_>>()?;
    let mut found: Vec<TextMatch> = Vec::new();
    for line in lines {
        let shown = rows
            .iter()
            .filter(|(id, start, end)| allowed.contains(*id) && (*start..=*end).contains(line));
        let Some((chunk, ..)) = shown.min_by_key(|(_, start, end)| end - start) else {
            continue;
        };
        match found.iter_mut().find(|one| one.chunk == *chunk) {
            Some(known) => known.lines.push(*line),
            None => found.push(TextMatch { chunk: *chunk, lines: vec![*line] }),
        }
    }
    Ok(found)
}
