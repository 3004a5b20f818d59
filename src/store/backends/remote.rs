//! Answers every question of a [`View`] out of what a [`Server`] holds, so that all servers rank,
//! filter and find text alike, and like the embedded store.
//!
//! Chunks get numbers here, as they come: a file gets as many as it has chunks when it is first seen.
//! They are this view's own; on the server a chunk goes by its file's path and its place in it.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::server::{ChunkRow, FileRow, Head, Leg, Piece, Records, Selection, Server};
use super::{Shelf, View, selection, text};
use crate::model::{Problem, RepoPath};
use crate::store::StoreError;
use crate::store::code::{
    Bounds, ChunkRecord, Definition, FileRecord, Filter, Hit, Located, Occurrences, Pattern,
    Settings, Skip, Stamp, Stats, SymbolRecord, TextMatch, folded_hash, unpack_symbols,
    unpack_text,
};

/// A collection on a server.
pub struct RemoteShelf {
    server: Arc<dyn Server>,
    name: String,
    /// The files of the newest state that somebody wanted all of.
    files: Mutex<Option<Known>>,
}

struct Known {
    place: String,
    generation: u64,
    files: Arc<[FileRow]>,
}

impl RemoteShelf {
    /// Fails if there is no such collection.
    pub fn open(server: Arc<dyn Server>, name: &str) -> Result<RemoteShelf, StoreError> {
        let _ = server.begin(name)?;
        Ok(RemoteShelf {
            server,
            name: name.to_string(),
            files: Mutex::default(),
        })
    }
}

impl Shelf for RemoteShelf {
    fn view(&self) -> Result<Box<dyn View + '_>, StoreError> {
        let (head, records) = self.server.begin(&self.name)?;
        Ok(Box::new(RemoteView {
            shelf: self,
            head,
            records,
            numbers: RefCell::default(),
        }))
    }
}

pub(super) struct RemoteView<'s> {
    shelf: &'s RemoteShelf,
    head: Head,
    pub(super) records: Box<dyn Records + 's>,
    numbers: RefCell<Numbers>,
}

#[derive(Default)]
struct Numbers {
    next: u32,
    first: HashMap<String, u32>,
    paths: HashMap<u32, String>,
    chunks: HashMap<u32, ChunkRow>,
}

impl Numbers {
    /// Of the chunks of a file.
    fn of_file(&mut self, path: &str, count: u32) -> Range<u32> {
        let first = match self.first.get(path) {
            Some(first) => *first,
            None => {
                let first = self.next;
                // A file without chunks has a number too, or it could not be told from the next.
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
        let lock = || {
            self.shelf
                .files
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let is_same = |known: &&Known| {
            known.place == self.head.place && known.generation == self.head.generation
        };
        if let Some(known) = lock().as_ref().filter(is_same) {
            return Ok(known.files.clone());
        }
        let mut files = self.records.files()?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let files: Arc<[FileRow]> = files.into();
        *lock() = Some(Known {
            place: self.head.place.clone(),
            generation: self.head.generation,
            files: files.clone(),
        });
        Ok(files)
    }

    /// What the server is asked to let through.
    pub(super) fn selection(&self, filter: &Filter) -> Result<Selection, StoreError> {
        let mut selection = selection::selection(filter, || self.all_files())?;
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

    fn numbered(&self, row: ChunkRow) -> u32 {
        self.numbers.borrow_mut().of_chunk(row)
    }

    fn search(
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
        Ok(found
            .into_iter()
            .map(|hits| self.ranked(hits, limit))
            .collect())
    }

    /// Equal scores by path and place, as everywhere.
    fn ranked(&self, mut hits: Vec<(ChunkRow, f32)>, limit: usize) -> Vec<Hit> {
        hits.sort_by(|(a, score), (b, other)| {
            let by_score = other.total_cmp(score);
            by_score.then_with(|| (&a.path, a.ordinal).cmp(&(&b.path, b.ordinal)))
        });
        hits.truncate(limit);
        let hits = hits.into_iter();
        hits.map(|(row, score)| Hit {
            chunk: self.numbered(row),
            score,
        })
        .collect()
    }

    fn record(&self, row: FileRow) -> Option<FileRecord> {
        let chunks = self.numbers.borrow_mut().of_file(&row.path, row.chunks);
        Some(FileRecord {
            stamp: Stamp {
                path: RepoPath::new(&row.path)?,
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

    /// What is not as it was stored.
    fn damaged(&self, path: &str) -> StoreError {
        StoreError::Damaged {
            path: PathBuf::from(&self.shelf.name),
            what: format!("what is kept of {path} cannot be read"),
        }
    }

    pub(super) fn unpacked(&self, path: &str, packed: &[u8]) -> Result<Vec<u8>, StoreError> {
        unpack_text(packed).map_err(|_| self.damaged(path))
    }

    fn defined_in(&self, paths: &[&str]) -> Result<Vec<SymbolRecord>, StoreError> {
        let mut pieces = self.records.pieces(paths, Piece::Symbols)?;
        pieces.sort();
        let mut found = Vec::new();
        for (path, packed) in pieces {
            let symbols = unpack_symbols(&packed).map_err(|_| self.damaged(&path))?;
            let repo_path = RepoPath::new(&path).ok_or_else(|| self.damaged(&path))?;
            found.extend(symbols.into_iter().map(|fact| Located {
                path: repo_path.clone(),
                fact,
            }));
        }
        Ok(found)
    }
}

impl View for RemoteView<'_> {
    fn settings(&self) -> &Settings {
        &self.head.settings
    }

    fn notes(&self) -> Result<BTreeMap<String, String>, StoreError> {
        Ok(self.head.notes.clone())
    }

    fn stats(&self) -> Result<Stats, StoreError> {
        let files = self.all_files()?;
        let size = self.records.size()?;
        let sum =
            |number: fn(&FileRow) -> u32| files.iter().map(|row| u64::from(number(row))).sum();
        Ok(Stats {
            generation: self.head.generation,
            files: files.len() as u64,
            chunks: sum(|row| row.chunks),
            symbols: sum(|row| row.symbols),
            vectors: size.vectors,
            segments: 1,
            bytes: size.bytes,
        })
    }

    fn files(&self) -> Result<Vec<FileRecord>, StoreError> {
        let files = self.all_files()?;
        let records = files.iter().cloned();
        Ok(records.filter_map(|row| self.record(row)).collect())
    }

    fn file(&self, path: &RepoPath) -> Result<Option<FileRecord>, StoreError> {
        let rows = self.records.files_at(&[path.as_str()])?;
        Ok(rows.into_iter().next().and_then(|row| self.record(row)))
    }

    fn skips(&self) -> Result<Vec<Skip>, StoreError> {
        Ok(self.records.overview()?.skips)
    }

    fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        let mut problems = self.records.problems()?;
        problems.extend(self.records.overview()?.obstacles);
        problems.sort();
        Ok(problems)
    }

    fn search_terms(
        &self,
        terms: &[(u32, f32)],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        let mut found = self.search(&[Leg::Words(terms)], filter, limit)?;
        Ok(found.pop().unwrap_or_default())
    }

    fn search_vector(
        &self,
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        let mut found = self.search(&[Leg::Meaning(vector)], filter, limit)?;
        Ok(found.pop().unwrap_or_default())
    }

    fn search_both(
        &self,
        terms: &[(u32, f32)],
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<(Vec<Hit>, Vec<Hit>), StoreError> {
        let legs = [Leg::Words(terms), Leg::Meaning(vector)];
        let mut found = self.search(&legs, filter, limit)?.into_iter();
        let mut next = || found.next().unwrap_or_default();
        Ok((next(), next()))
    }

    fn occurrences(
        &self,
        terms: &[u32],
        files: &[Range<u32>],
    ) -> Result<Vec<Occurrences>, StoreError> {
        let numbers = self.numbers.borrow();
        let path = |file: &Range<u32>| numbers.paths.get(&file.start).map(String::as_str);
        let paths: Vec<&str> = files.iter().filter_map(path).collect();
        let rarities = self.records.rarities(terms)?;
        let holding = self.records.files_holding(terms, &paths)?;
        let terms = rarities.into_iter().zip(holding);
        let found = terms.map(|(rarity, holding)| {
            let has = |file| path(file).is_some_and(|path| holding.iter().any(|one| one == path));
            Occurrences {
                rarity,
                within: files.iter().map(has).collect(),
            }
        });
        Ok(found.collect())
    }

    fn list(&self, filter: &Filter, limit: usize) -> Result<Vec<u32>, StoreError> {
        let selection = self.selection(filter)?;
        let rows = self
            .records
            .list(&selection, limit, &|| self.all_files())?
            .into_iter();
        Ok(rows.map(|row| self.numbered(row)).collect())
    }

    fn chunks(&self, numbers: &[u32]) -> Result<Vec<ChunkRecord>, StoreError> {
        let mut known = self.numbers.borrow_mut();
        let mut chunks = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some(row) = known.chunks.get(number).cloned() else {
                continue;
            };
            let of_file = known.of_file(&row.path, row.count);
            chunks.push(ChunkRecord {
                id: *number,
                of_file,
                path: RepoPath::new(&row.path).ok_or_else(|| self.damaged(&row.path))?,
                language: row.language,
                package: row.package,
                kind: row.kind,
                is_test: row.is_test,
                symbol: row.symbol,
                scope: row.scope,
                signature: row.signature,
                span: row.span,
            });
        }
        Ok(chunks)
    }

    fn texts(&self, chunks: &[ChunkRecord]) -> Result<Vec<String>, StoreError> {
        let mut paths: Vec<&str> = chunks.iter().map(|chunk| chunk.path.as_str()).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut texts: HashMap<String, Vec<u8>> = HashMap::new();
        for (path, packed) in self.records.pieces(&paths, Piece::Text)? {
            let text = self.unpacked(&path, &packed)?;
            texts.insert(path, text);
        }
        let text = |chunk: &ChunkRecord| {
            let path = chunk.path.as_str();
            let range = chunk.span.start_byte as usize..chunk.span.end_byte as usize;
            let bytes = texts.get(path).and_then(|text| text.get(range));
            let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
            Ok(text.ok_or_else(|| self.damaged(path))?.to_string())
        };
        chunks.iter().map(text).collect()
    }

    fn are_headers(&self, chunks: &[ChunkRecord]) -> Result<Vec<bool>, StoreError> {
        let numbers = self.numbers.borrow();
        let row = |chunk: &ChunkRecord| numbers.chunks.get(&chunk.id);
        let chunks = chunks.iter();
        Ok(chunks
            .map(|one| row(one).is_some_and(|row| row.is_header))
            .collect())
    }

    fn definitions(
        &self,
        name: &str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Definition>, StoreError> {
        let mut paths = self.records.files_defining(folded_hash(name), limit)?;
        paths.sort();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let mut symbols = self.defined_in(&paths)?;
        let folded = name.to_lowercase();
        symbols.retain(|symbol| symbol.fact.name.to_lowercase() == folded);
        let mut rows = self.records.chunks_of(&paths, &self.selection(filter)?)?;
        rows.sort_by(|a, b| (&a.path, a.ordinal).cmp(&(&b.path, b.ordinal)));
        let found = symbols.into_iter().map(|symbol| Definition {
            chunks: self.showing(&symbol, &rows),
            symbol,
        });
        Ok(found.collect())
    }

    fn symbols_in(&self, path: &RepoPath) -> Result<Vec<SymbolRecord>, StoreError> {
        self.defined_in(&[path.as_str()])
    }

    fn find_text(
        &self,
        pattern: &Pattern,
        filter: &Filter,
        bounds: Bounds,
    ) -> Result<Vec<TextMatch>, StoreError> {
        let found = text::find(self, pattern, &self.selection(filter)?, bounds)?;
        let found = found.into_iter().map(|(row, lines)| TextMatch {
            chunk: self.numbered(row),
            lines,
        });
        Ok(found.collect())
    }
}

impl RemoteView<'_> {
    /// The chunks that show a definition's name: those that are called by it, where there are some.
    fn showing(&self, symbol: &SymbolRecord, rows: &[ChunkRow]) -> Vec<u32> {
        let line = symbol.fact.line;
        let is_there = |row: &&ChunkRow| {
            row.path == symbol.path.as_str()
                && (row.span.start_line..=row.span.end_line).contains(&line)
        };
        let is_called_so = |row: &ChunkRow| row.symbol.as_ref() == Some(&symbol.fact.name);
        let there: Vec<&ChunkRow> = rows.iter().filter(is_there).collect();
        let some_are_called_so = there.iter().any(|row| is_called_so(row));
        let shown = there
            .into_iter()
            .filter(|row| is_called_so(row) || !some_are_called_so);
        shown.map(|row| self.numbered(row.clone())).collect()
    }
}
