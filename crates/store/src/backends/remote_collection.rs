//! A collection on a server, and one view of it: the numbering of chunks, the detection of
//! concurrent changes, and the caching of the file list. The queries of [`View`] are in
//! `remote_view`.
//!
//! A server identifies a chunk by its file's path and its ordinal. A view assigns numbers on first
//! sight: each file gets as many consecutive numbers as it has chunks. They are valid within the
//! view only.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::remote_api::{
    ChunkRow, CollectionState, FileRow, PartRow, Records, Retrieval, Selection, Server, StoredPart,
};
use super::{CollectionReader, View, filter_pushdown, remote_grep};
use crate::StoreError;
use crate::code::{
    FileRecord, Filter, GrepLimits, Hit, Located, Pattern, Stamp, SymbolRecord, unpack_symbols,
    unpack_text,
};
use kenning_model::RepoPath;

/// A collection on a server.
pub struct RemoteCollection {
    server: Arc<dyn Server>,
    name: String,
    /// The cached list of all files, of the state for which it was last read.
    files: Mutex<Option<CachedFileList>>,
}

/// The list of all files of one state.
struct CachedFileList {
    location: String,
    generation: u64,
    files: Arc<[FileRow]>,
}

impl RemoteCollection {
    /// Opens a collection. Fails if there is none of that name.
    pub fn open(server: Arc<dyn Server>, name: &str) -> Result<RemoteCollection, StoreError> {
        let _ = server.begin(name)?;
        Ok(RemoteCollection { server, name: name.to_string(), files: Mutex::default() })
    }
}

impl CollectionReader for RemoteCollection {
    fn view(&self) -> Result<Box<dyn View + '_>, StoreError> {
        let (head, records) = self.server.begin(&self.name)?;
        Ok(Box::new(RemoteView { collection: self, head, records, numbers: RefCell::default() }))
    }
}

/// One state of a remote collection, for one request.
pub(super) struct RemoteView<'s> {
    collection: &'s RemoteCollection,
    pub(super) head: CollectionState,
    pub(super) records: Box<dyn Records + 's>,
    pub(super) numbers: RefCell<ChunkNumbers>,
}

/// The chunk numbers of one view. Servers have no such numbers, so a view assigns them.
#[derive(Default)]
pub(super) struct ChunkNumbers {
    next: u32,
    /// The number of each file's first chunk, by path.
    first: HashMap<String, u32>,
    /// The version of each file that this view has met, by path.
    versions: HashMap<String, String>,
    /// By the number of a file's first chunk.
    pub(super) paths: HashMap<u32, String>,
    pub(super) chunks: HashMap<u32, ChunkRow>,
}

impl ChunkNumbers {
    /// Returns the numbers of the chunks of a file; assigns them on first use.
    pub(super) fn assign_file(&mut self, path: &str, count: u32) -> Range<u32> {
        let first = match self.first.get(path) {
            Some(first) => *first,
            None => {
                let first = self.next;
                // A file without chunks takes a number too, so that it differs from the next file.
                self.next += count.max(1);
                self.first.insert(path.to_string(), first);
                self.paths.insert(first, path.to_string());
                first
            }
        };
        first..first + count
    }

    /// Returns the number of a chunk, and remembers its row.
    fn assign_chunk(&mut self, row: ChunkRow) -> u32 {
        let number = self.assign_file(&row.path, row.count).start + row.ordinal;
        self.chunks.insert(number, row);
        number
    }
}

impl RemoteView<'_> {
    /// Returns all files, by path. Asks the server once per state: the list is shared by the views
    /// of a collection.
    pub(super) fn all_files(&self) -> Result<Arc<[FileRow]>, StoreError> {
        let lock = || self.collection.files.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |known: &&CachedFileList| {
            known.location == self.head.location && known.generation == self.head.generation
        };
        if let Some(known) = lock().as_ref().filter(is_same) {
            return Ok(known.files.clone());
        }
        let mut rows = self.records.files()?;
        rows.sort_by(|a, b| a.path.cmp(&b.path));
        let files: Arc<[FileRow]> = rows.into();
        *lock() = Some(CachedFileList {
            location: self.head.location.clone(),
            generation: self.head.generation,
            files: files.clone(),
        });
        Ok(files)
    }

    /// Translates a filter into the selection that the server applies. Text conditions are searched
    /// first and become a list of chunks.
    pub(super) fn selection(&self, filter: &Filter) -> Result<Selection, StoreError> {
        let mut selection = filter_pushdown::translate_filter(filter, || self.all_files())?;
        if !filter.texts.is_empty() {
            let mut only = Vec::new();
            for wanted in &filter.texts {
                let pattern = Pattern::exact(wanted);
                for (row, _) in
                    remote_grep::find_text(self, &pattern, &selection, GrepLimits::NONE)?
                {
                    only.push((row.path, row.ordinal));
                }
            }
            only.sort();
            only.dedup();
            selection.only = Some(only);
        }
        Ok(selection)
    }

    /// Fails if a file changed since this view first saw it. A server without snapshots may replace
    /// it between two requests, and parts of two versions must not be combined.
    pub(super) fn check_version(&self, path: &str, version: &str) -> Result<(), StoreError> {
        let mut numbers = self.numbers.borrow_mut();
        match numbers.versions.get(path) {
            Some(known) if known == version => Ok(()),
            Some(_) => Err(self.changed_error()),
            None => {
                let (path, version) = (path.to_string(), version.to_string());
                numbers.versions.insert(path, version);
                Ok(())
            }
        }
    }

    /// Returns the error for a collection that changed. Drops the cached file list, so that a retry
    /// reads the new one.
    fn changed_error(&self) -> StoreError {
        let files = self.collection.files.lock();
        *files.unwrap_or_else(PoisonError::into_inner) = None;
        StoreError::Changed { name: self.collection.name.clone() }
    }

    /// Checks the version of a chunk and returns its number.
    pub(super) fn number_chunk(&self, row: ChunkRow) -> Result<u32, StoreError> {
        self.check_version(&row.path, &row.version)?;
        Ok(self.numbers.borrow_mut().assign_chunk(row))
    }

    /// Reads one stored part of these files, by path. Fails if a file that this view has met is
    /// gone.
    pub(super) fn read_parts(
        &self,
        paths: &[&str],
        piece: StoredPart,
    ) -> Result<Vec<PartRow>, StoreError> {
        let mut pieces = self.records.parts(paths, piece)?;
        for piece in &pieces {
            self.check_version(&piece.path, &piece.version)?;
        }
        pieces.sort();
        let is_there =
            |path: &str| pieces.binary_search_by(|one| one.path.as_str().cmp(path)).is_ok();
        let numbers = self.numbers.borrow();
        let is_known = |path: &str| numbers.versions.get(path).is_some_and(|one| !one.is_empty());
        if paths.iter().any(|path| is_known(path) && !is_there(path)) {
            Err(self.changed_error())
        } else {
            Ok(pieces)
        }
    }

    /// Runs retrievers and returns one ranked list each.
    pub(super) fn search(
        &self,
        legs: &[Retrieval],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Vec<Hit>>, StoreError> {
        for leg in legs {
            let wanted = self.head.settings.dimension as usize;
            if let Retrieval::Vector(vector) = leg
                && vector.len() != wanted
            {
                let found = vector.len();
                let what = format!("a question of {found} dimensions among vectors of {wanted}");
                return Err(StoreError::InvalidArgument { what });
            }
        }
        let selection = self.selection(filter)?;
        let found = self.records.search(legs, &selection, limit)?.into_iter();
        found.map(|hits| self.rank_hits(hits, limit)).collect()
    }

    /// Sorts hits by score, then by path and ordinal, as the embedded store does, and numbers them.
    fn rank_hits(
        &self,
        mut hits: Vec<(ChunkRow, f32)>,
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        hits.sort_by(|(a, score), (b, other)| {
            let by_score = other.total_cmp(score);
            by_score.then_with(|| (&a.path, a.ordinal).cmp(&(&b.path, b.ordinal)))
        });
        hits.truncate(limit);
        let hits = hits.into_iter();
        hits.map(|(row, score)| {
            let chunk = self.number_chunk(row)?;
            Ok(Hit { chunk, score })
        })
        .collect()
    }

    /// Converts a row of a file.
    pub(super) fn file_record(&self, row: FileRow) -> Result<FileRecord, StoreError> {
        self.check_version(&row.path, &row.version)?;
        let chunks = self.numbers.borrow_mut().assign_file(&row.path, row.chunks);
        Ok(FileRecord {
            stamp: Stamp {
                path: RepoPath::new(&row.path).ok_or_else(|| self.damaged_error(&row.path))?,
                size: row.size,
                modified_ns: row.modified_ns,
            },
            hash: row.hash,
            language: row.language,
            is_test: row.is_test,
            package: row.package,
            chunks,
        })
    }

    /// Returns the error for a stored file that cannot be read.
    pub(super) fn damaged_error(&self, path: &str) -> StoreError {
        StoreError::Damaged {
            path: PathBuf::from(&self.collection.name),
            what: format!("what is kept of {path} cannot be read"),
        }
    }

    /// Decompresses a part that a server returned.
    pub(super) fn decompress_text(&self, path: &str, packed: &[u8]) -> Result<Vec<u8>, StoreError> {
        unpack_text(packed).map_err(|_| self.damaged_error(path))
    }

    /// Returns the definitions of these files.
    pub(super) fn symbols_in_files(&self, paths: &[&str]) -> Result<Vec<SymbolRecord>, StoreError> {
        let mut found = Vec::new();
        for PartRow { path, packed, .. } in self.read_parts(paths, StoredPart::Symbols)? {
            let symbols = unpack_symbols(&packed).map_err(|_| self.damaged_error(&path))?;
            let repo_path = RepoPath::new(&path).ok_or_else(|| self.damaged_error(&path))?;
            found.extend(symbols.into_iter().map(|fact| Located { path: repo_path.clone(), fact }));
        }
        Ok(found)
    }
}

impl RemoteView<'_> {
    /// Returns the chunks that show a definition's name. If some are named after it, only those.
    pub(super) fn chunks_showing(
        &self,
        symbol: &SymbolRecord,
        rows: &[ChunkRow],
    ) -> Result<Vec<u32>, StoreError> {
        let line = symbol.fact.line;
        let is_there = |row: &&ChunkRow| {
            row.path == symbol.path.as_str()
                && (row.span.start_line..=row.span.end_line).contains(&line)
        };
        let is_called_so = |row: &ChunkRow| row.symbol.as_ref() == Some(&symbol.fact.name);
        let there: Vec<&ChunkRow> = rows.iter().filter(is_there).collect();
        let some_are_called_so = there.iter().any(|row| is_called_so(row));
        let shown = there.into_iter().filter(|row| is_called_so(row) || !some_are_called_so);
        shown.map(|row| self.number_chunk(row.clone())).collect()
    }
}
