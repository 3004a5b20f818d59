//! The files of one generation in memory, and the evaluation of file-level filters over them. A
//! glob is matched against each path once per filter and generation; after that a filter is a set
//! of chunk ids.
//!
//! The table is loaded incrementally: rows of the generations since the last load are read, the
//! others are taken over from the table before.

use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rusqlite::{Connection, Row};

use super::bitmap::Bitmap;
use super::enum_codes::{is_header, kind_and_test};
use super::error::{StatementError, StoreResult};
use super::extra_kinds;
use super::row_mapping::path_from_row;
use super::varint::Malformed;
use crate::StoreError;
use kenning_model::{ChunkKind, RepoPath};

/// The conditions on the chunks of an answer. An empty list matches all; the members of a list are
/// alternatives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Globs over whole paths; `*` stays within a segment, `**` does not.
    pub globs: Vec<String>,
    pub languages: Vec<String>,
    pub packages: Vec<String>,
    /// The kinds of the symbols that chunks are named after.
    pub chunk_kinds: Vec<ChunkKind>,
    /// The kinds of any symbols in chunks. Servers know only the kind that a chunk is named after.
    pub defining: Vec<ChunkKind>,
    pub tests: Tests,
    /// Names of what chunks define, exactly.
    pub symbols: Vec<String>,
    /// Enclosing scopes, exactly.
    pub scopes: Vec<String>,
    pub start_lines: Vec<RangeInclusive<u32>>,
    pub end_lines: Vec<RangeInclusive<u32>>,
    /// Text that chunks have in them.
    pub texts: Vec<String>,
    pub exported: Exported,
}

/// The condition on test code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tests {
    #[default]
    Included,
    Excluded,
    Only,
}

/// The condition on the visibility of the symbol that a chunk defines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Exported {
    #[default]
    Either,
    Only,
    Not,
}

impl Filter {
    /// True if the filter has no condition.
    pub fn matches_all(&self) -> bool {
        *self == Filter::default()
    }

    fn accepts_test(&self, is_test: bool) -> bool {
        match self.tests {
            Tests::Included => true,
            Tests::Excluded => !is_test,
            Tests::Only => is_test,
        }
    }

    /// True if a symbol of this kind is among those that the chunk has to contain.
    pub fn accepts_symbol_kind(&self, kind: ChunkKind) -> bool {
        self.defining.is_empty() || self.defining.contains(&kind)
    }

    /// True if a chunk that is named after a symbol of this kind is wanted.
    pub fn accepts_kind(&self, kind: ChunkKind) -> bool {
        self.chunk_kinds.is_empty() || self.chunk_kinds.contains(&kind)
    }
}

/// One file of the file table.
#[derive(Clone, Debug)]
pub struct FileEntry {
    id: i64,
    pub path: RepoPath,
    pub language: Arc<str>,
    pub package: Option<Arc<str>>,
    first_chunk: u32,
    kinds: Box<[u8]>,
    extra_kinds: Option<Box<[u8]>>,
}

impl FileEntry {
    /// Reads the columns of the query in [`FileTable::load`].
    fn from_row(row: &Row, names: &mut Interner) -> StoreResult<FileEntry> {
        let text = |column: usize| -> StoreResult<Option<&str>> {
            Ok(row.get_ref(column)?.as_str_or_null().map_err(|_| Malformed)?)
        };
        let kinds = row.get_ref(5)?.as_blob().map_err(|_| Malformed)?;
        let held = row.get_ref(6)?.as_blob_or_null().map_err(|_| Malformed)?;
        Ok(FileEntry {
            id: row.get(0)?,
            path: path_from_row(row, 1)?,
            language: names.intern(text(2)?.unwrap_or_default()),
            package: text(3)?.map(|name| names.intern(name)),
            first_chunk: row.get(4)?,
            kinds: kinds.into(),
            extra_kinds: held.map(Box::from),
        })
    }

    /// Its number in the store.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// True if one of its chunks is the header of a type.
    pub fn has_header(&self, chunk: u32) -> bool {
        self.code(chunk).is_some_and(is_header)
    }

    /// Returns the code of one of its chunks; see `enum_codes`.
    pub fn code(&self, chunk: u32) -> Option<u8> {
        let place = chunk.checked_sub(self.first_chunk)?;
        self.kinds.get(place as usize).copied()
    }

    /// Returns the ids of its chunks, which are consecutive.
    pub fn chunks(&self) -> Range<u32> {
        self.first_chunk..self.first_chunk.saturating_add(self.kinds.len() as u32)
    }
}

/// Shares equal strings: thousands of files have few languages and packages.
#[derive(Default)]
struct Interner(HashSet<Arc<str>>);

impl Interner {
    fn intern(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.0.get(name) {
            return known.clone();
        }
        let name: Arc<str> = name.into();
        self.0.insert(name.clone());
        name
    }
}

/// All files of one generation.
#[derive(Clone, Debug, Default)]
pub struct FileTable {
    generation: u64,
    /// By their chunks.
    files: Vec<FileEntry>,
    /// Their places in the order of the paths, made when it is first wanted.
    order: OnceLock<Vec<usize>>,
}

impl FileTable {
    /// Loads the table of the connection's generation: `before`, with the rows that changed since.
    /// Removed files are found by comparing ids, which an index on `generation` lists without
    /// touching the rows.
    pub fn load(
        connection: &Connection,
        generation: u64,
        before: &FileTable,
    ) -> StoreResult<FileTable> {
        // Somebody else may have seen a later generation already, which tells nothing of this one.
        let nothing = FileTable::default();
        let before = if before.generation <= generation { before } else { &nothing };
        let mut select = connection.prepare_cached(
            "SELECT id, path, language, package, first_chunk, chunk_kinds, extra_kinds
             FROM files WHERE generation > ?",
        )?;
        let mut rows = select.query([before.generation as i64])?;
        let mut files = Vec::new();
        let mut names = Interner::default();
        while let Some(row) = rows.next()? {
            files.push(FileEntry::from_row(row, &mut names)?);
        }
        if !before.files.is_empty() {
            let mut select =
                connection.prepare_cached("SELECT id FROM files INDEXED BY files_by_generation")?;
            let mut ids: HashSet<i64> =
                select.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            for changed in &files {
                ids.remove(&changed.id);
            }
            let kept = before.files.iter().filter(|file| ids.contains(&file.id));
            files.extend(kept.cloned());
        }
        // Nearly sorted, as files get their chunks in the order in which they are stored.
        files.sort_by_key(|file| (file.first_chunk, file.kinds.len()));
        Ok(FileTable { generation, files, order: OnceLock::new() })
    }

    /// Iterates over all files with their ids, by path. The order is sorted on first use and kept.
    pub fn files_by_path(&self) -> impl Iterator<Item = (i64, &FileEntry)> {
        let order = self.order.get_or_init(|| {
            let mut order: Vec<usize> = (0..self.files.len()).collect();
            order.sort_unstable_by(|a, b| self.files[*a].path.cmp(&self.files[*b].path));
            order
        });
        let files = order.iter().map(|place| &self.files[*place]);
        files.map(|file| (file.id, file))
    }

    /// Returns the file that contains a chunk, alive or not. A binary search over first chunks.
    pub fn find_file(&self, chunk: u32) -> Option<&FileEntry> {
        // If several files begin at the same chunk, all but the last are empty.
        let after = self.files.partition_point(|file| file.first_chunk <= chunk);
        let file = self.files.get(after.checked_sub(1)?)?;
        file.chunks().contains(&chunk).then_some(file)
    }

    /// Returns the chunks of the files that match globs, languages and packages, and whose kinds
    /// match. Alive or not; the caller intersects with the alive bitset.
    pub fn select_chunks(&self, filter: &Filter) -> StoreResult<Bitmap> {
        let globs = build_glob_set(&filter.globs)?;
        let mut selected = Bitmap::default();
        let is_selected = |file: &&FileEntry| {
            let is_named = |names: &[String], name: Option<&str>| {
                names.is_empty() || name.is_some_and(|name| names.iter().any(|one| one == name))
            };
            is_named(&filter.languages, Some(&file.language))
                && is_named(&filter.packages, file.package.as_deref())
                // A path may have the very signs that make a glob: `app/[id]/page.tsx`.
                && globs.as_ref().is_none_or(|globs| {
                    let path = file.path.as_str();
                    globs.is_match(path) || filter.globs.iter().any(|glob| glob == path)
                })
        };
        for file in self.files.iter().filter(is_selected) {
            let is_any_kind = filter.chunk_kinds.is_empty() && filter.defining.is_empty();
            if is_any_kind && filter.tests == Tests::Included {
                selected.insert_range(file.chunks());
                continue;
            }
            let extra_kinds = file.extra_kinds.as_deref().unwrap_or_default();
            let held = extra_kinds::find_chunks(extra_kinds, &filter.defining)?;
            for ((id, place), code) in file.chunks().zip(0u32..).zip(file.kinds.iter()) {
                let (kind, is_test) = kind_and_test(*code)?;
                let is_defining =
                    filter.accepts_symbol_kind(kind) || held.binary_search(&place).is_ok();
                if is_defining && filter.accepts_kind(kind) && filter.accepts_test(is_test) {
                    selected.insert(id);
                }
            }
        }
        Ok(selected)
    }
}

/// Compiles globs for callers that have no file table.
pub fn compile_globs(globs: &[String]) -> Result<Option<GlobSet>, StoreError> {
    build_glob_set(globs).map_err(|failure| failure.with_path(Path::new("")))
}

/// Compiles globs in which `*` does not cross `/`; `None` if there are none.
fn build_glob_set(globs: &[String]) -> StoreResult<Option<GlobSet>> {
    if globs.is_empty() {
        return Ok(None);
    }
    let refused =
        |error: globset::Error| StatementError::InvalidArgument(format!("not a glob: {error}"));
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(GlobBuilder::new(glob).literal_separator(true).build().map_err(refused)?);
    }
    Ok(Some(set.build().map_err(refused)?))
}
