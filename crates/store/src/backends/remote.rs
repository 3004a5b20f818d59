//! A collection on a server, and one state of it: which chunk has which number, what is asked of the
//! server and in which words. The questions themselves are answered in `answers`.
//!
//! Chunks get numbers here, as they come: a file gets as many as it has chunks when it is first seen.
//! They are this view's own; on the server a chunk goes by its file's path and its place in it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::remote_api::{
    ChunkRow, FileRow, Head, Leg, PieceRow, Records, Selection, Server, StoredPart,
};
use super::{CollectionReader, View, filter_pushdown, text};
use crate::StoreError;
use crate::code::{
    Bounds, FileRecord, Filter, Hit, Located, Pattern, Stamp, SymbolRecord, unpack_symbols,
    unpack_text,
};
use kenning_model::RepoPath;

/// A collection on a server.
pub struct RemoteShelf {
    server: Arc<dyn Server>,
    name: String,
    /// The cached list of all files, of the state for which it was last read.
    files: Mutex<Option<CachedFileList>>,
}

struct CachedFileList {
    place: String,
    generation: u64,
    files: Arc<[FileRow]>,
}

impl RemoteShelf {
    /// Fails if there is no such collection.
    pub fn open(server: Arc<dyn Server>, name: &str) -> Result<RemoteShelf, StoreError> {
        let _ = server.begin(name)?;
        Ok(RemoteShelf { server, name: name.to_string(), files: Mutex::default() })
    }
}

impl CollectionReader for RemoteShelf {
    fn view(&self) -> Result<Box<dyn View + '_>, StoreError> {
        let (head, records) = self.server.begin(&self.name)?;
        Ok(Box::new(RemoteView { shelf: self, head, records, numbers: RefCell::default() }))
    }
}

pub(super) struct RemoteView<'s> {
    shelf: &'s RemoteShelf,
    pub(super) head: Head,
    pub(super) records: Box<dyn Records + 's>,
    pub(super) numbers: RefCell<Numbers>,
}

/// The chunk numbers of one view. Servers have no such numbers, so a view assigns them.
#[derive(Default)]
pub(super) struct Numbers {
    next: u32,
    first: HashMap<String, u32>,
    /// The version of each file that this view has met, by path.
    versions: HashMap<String, String>,
    /// By the number of a file's first chunk.
    pub(super) paths: HashMap<u32, String>,
    pub(super) chunks: HashMap<u32, ChunkRow>,
}

impl Numbers {
    /// Returns the numbers of the chunks of a file; assigns them on first use.
    pub(super) fn of_file(&mut self, path: &str, count: u32) -> Range<u32> {
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

    fn of_chunk(&mut self, row: ChunkRow) -> u32 {
        let number = self.of_file(&row.path, row.count).start + row.ordinal;
        self.chunks.insert(number, row);
        number
    }
}

impl RemoteView<'_> {
    /// All files, by path, asked for once for each state.
    pub(super) fn all_files(&self) -> Result<Arc<[FileRow]>, StoreError> {
        let lock = || self.shelf.files.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |known: &&CachedFileList| {
            known.place == self.head.place && known.generation == self.head.generation
        };
        if let Some(known) = lock().as_ref().filter(is_same) {
            return Ok(known.files.clone());
        }
        let mut files = self.records.files()?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let files: Arc<[FileRow]> = files.into();
        *lock() = Some(CachedFileList {
            place: self.head.place.clone(),
            generation: self.head.generation,
            files: files.clone(),
        });
        Ok(files)
    }

    /// Translates a filter into the selection that the server applies. Text conditions are searched
    /// first and become a list of chunks.
    pub(super) fn selection(&self, filter: &Filter) -> Result<Selection, StoreError> {
        let mut selection = filter_pushdown::selection(filter, || self.all_files())?;
        if !filter.texts.is_empty() {
            let mut only = Vec::new();
            for wanted in &filter.texts {
                let pattern = Pattern::exact(wanted);
                for (row, _) in text::find(self, &pattern, &selection, Bounds::NONE)? {
                    only.push((row.path, row.ordinal));
                }
            }
            only.sort();
            only.dedup();
            selection.only = Some(only);
        }
        Ok(selection)
    }

    /// Fails if a file is not what it was when this view first met it. A server without snapshots may
    /// replace it between two requests; what belongs to two states of it must not be put together.
    pub(super) fn meet(&self, path: &str, version: &str) -> Result<(), StoreError> {
        let mut numbers = self.numbers.borrow_mut();
        match numbers.versions.get(path) {
            Some(known) if known == version => Ok(()),
            Some(_) => Err(self.changed()),
            None => {
                let (path, version) = (path.to_string(), version.to_string());
                numbers.versions.insert(path, version);
                Ok(())
            }
        }
    }

    /// Returns the error for a collection that changed. Drops the cached file list, so that a retry
    /// reads the new one.
    fn changed(&self) -> StoreError {
        let files = self.shelf.files.lock();
        *files.unwrap_or_else(PoisonError::into_inner) = None;
        StoreError::Changed { name: self.shelf.name.clone() }
    }

    pub(super) fn numbered(&self, row: ChunkRow) -> Result<u32, StoreError> {
        self.meet(&row.path, &row.version)?;
        Ok(self.numbers.borrow_mut().of_chunk(row))
    }

    /// Reads one stored part of these files, by path. Fails if a file that this view has met is
    /// gone.
    pub(super) fn pieces(
        &self,
        paths: &[&str],
        piece: StoredPart,
    ) -> Result<Vec<PieceRow>, StoreError> {
        let mut pieces = self.records.pieces(paths, piece)?;
        for piece in &pieces {
            self.meet(&piece.path, &piece.version)?;
        }
        pieces.sort();
        let is_there =
            |path: &str| pieces.binary_search_by(|one| one.path.as_str().cmp(path)).is_ok();
        let numbers = self.numbers.borrow();
        let is_known = |path: &str| numbers.versions.get(path).is_some_and(|one| !one.is_empty());
        if paths.iter().any(|path| is_known(path) && !is_there(path)) {
            Err(self.changed())
        } else {
            Ok(pieces)
        }
    }

    pub(super) fn search(
        &self,
        legs: &[Leg],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Vec<Hit>>, StoreError> {
        for leg in legs {
            let wanted = self.head.settings.dimension as usize;
            if let Leg::Meaning(vector) = leg
                && vector.len() != wanted
            {
                let found = vector.len();
                let what = format!("a question of {found} dimensions among vectors of {wanted}");
                return Err(StoreError::Refused { what });
            }
        }
        let selection = self.selection(filter)?;
        let found = self.records.search(legs, &selection, limit)?;
        let found = found.into_iter();
        found.map(|hits| self.ranked(hits, limit)).collect()
    }

    /// Equal scores by path and place, as everywhere.
    fn ranked(&self, mut hits: Vec<(ChunkRow, f32)>, limit: usize) -> Result<Vec<Hit>, StoreError> {
        hits.sort_by(|(a, score), (b, other)| {
            let by_score = other.total_cmp(score);
            by_score.then_with(|| (&a.path, a.ordinal).cmp(&(&b.path, b.ordinal)))
        });
        hits.truncate(limit);
        let hits = hits.into_iter();
        hits.map(|(row, score)| {
            let chunk = self.numbered(row)?;
            Ok(Hit { chunk, score })
        })
        .collect()
    }

    pub(super) fn record(&self, row: FileRow) -> Result<FileRecord, StoreError> {
        self.meet(&row.path, &row.version)?;
        let chunks = self.numbers.borrow_mut().of_file(&row.path, row.chunks);
        Ok(FileRecord {
            stamp: Stamp {
                path: RepoPath::new(&row.path).ok_or_else(|| self.damaged(&row.path))?,
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
    pub(super) fn damaged(&self, path: &str) -> StoreError {
        StoreError::Damaged {
            path: PathBuf::from(&self.shelf.name),
            what: format!("what is kept of {path} cannot be read"),
        }
    }

    pub(super) fn unpacked(&self, path: &str, packed: &[u8]) -> Result<Vec<u8>, StoreError> {
        unpack_text(packed).map_err(|_| self.damaged(path))
    }

    pub(super) fn defined_in(&self, paths: &[&str]) -> Result<Vec<SymbolRecord>, StoreError> {
        let mut found = Vec::new();
        for PieceRow { path, packed, .. } in self.pieces(paths, StoredPart::Symbols)? {
            let symbols = unpack_symbols(&packed).map_err(|_| self.damaged(&path))?;
            let repo_path = RepoPath::new(&path).ok_or_else(|| self.damaged(&path))?;
            found.extend(symbols.into_iter().map(|fact| Located { path: repo_path.clone(), fact }));
        }
        Ok(found)
    }
}

impl RemoteView<'_> {
    /// The chunks that show a definition's name: those that are called by it, where there are some.
    pub(super) fn showing(
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
        shown.map(|row| self.numbered(row.clone())).collect()
    }
}
