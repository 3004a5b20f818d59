//! The files of one generation in memory, and the filters that are made from them. A glob is tried
//! on each path once per generation; after that a filter is a set of chunk ids.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rusqlite::{Connection, Row};

use super::bitmap::Bitmap;
use super::codes::Code;
use super::failure::{Failure, Outcome};
use crate::model::ChunkKind;

/// Which chunks may answer. An empty list lets all through; members of a list are alternatives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Globs over whole paths; `*` stays within a segment, `**` does not.
    pub globs: Vec<String>,
    pub languages: Vec<String>,
    pub packages: Vec<String>,
    pub kinds: Vec<ChunkKind>,
    pub tests: Tests,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tests {
    #[default]
    Included,
    Excluded,
    Only,
}

impl Filter {
    pub fn is_open(&self) -> bool {
        *self == Filter::default()
    }
}

#[derive(Clone, Debug)]
struct CatalogFile {
    path: String,
    language: String,
    is_test: bool,
    package: Option<String>,
    first_chunk: u32,
    kinds: Vec<u8>,
}

impl CatalogFile {
    fn read(row: &Row) -> rusqlite::Result<(i64, CatalogFile)> {
        let file = CatalogFile {
            path: row.get(1)?,
            language: row.get(2)?,
            is_test: row.get(3)?,
            package: row.get(4)?,
            first_chunk: row.get(5)?,
            kinds: row.get(6)?,
        };
        Ok((row.get(0)?, file))
    }

    fn chunks(&self) -> Range<u32> {
        self.first_chunk..self.first_chunk + self.kinds.len() as u32
    }
}

#[derive(Clone, Debug, Default)]
pub struct Catalog {
    generation: u64,
    files: HashMap<i64, CatalogFile>,
}

impl Catalog {
    /// The catalog of the connection's snapshot: `before`, with what changed since.
    pub fn load(connection: &Connection, generation: u64, before: &Catalog) -> Outcome<Catalog> {
        let mut files = before.files.clone();
        if !files.is_empty() {
            let mut ids =
                connection.prepare_cached("SELECT id FROM files INDEXED BY files_by_generation")?;
            let ids = ids.query_map([], |row| row.get(0))?;
            let ids: HashSet<i64> = ids.collect::<rusqlite::Result<_>>()?;
            files.retain(|id, _| ids.contains(id));
        }
        let mut select = connection.prepare_cached(
            "SELECT id, path, language, is_test, package, first_chunk, kinds
             FROM files WHERE generation > ?",
        )?;
        let changed = select.query_map([before.generation as i64], CatalogFile::read)?;
        for entry in changed {
            let (id, file) = entry?;
            files.insert(id, file);
        }
        Ok(Catalog { generation, files })
    }

    pub fn select(&self, filter: &Filter) -> Outcome<Bitmap> {
        let globs = compile(&filter.globs)?;
        let kinds: Vec<u8> = filter.kinds.iter().map(|kind| kind.code()).collect();
        let mut selected = Bitmap::default();
        let is_selected = |file: &&CatalogFile| {
            let is_named = |names: &[String], name: Option<&str>| {
                names.is_empty() || name.is_some_and(|name| names.iter().any(|one| one == name))
            };
            let is_tested = match filter.tests {
                Tests::Included => true,
                Tests::Excluded => !file.is_test,
                Tests::Only => file.is_test,
            };
            is_tested
                && is_named(&filter.languages, Some(&file.language))
                && is_named(&filter.packages, file.package.as_deref())
                && globs
                    .as_ref()
                    .is_none_or(|globs| globs.is_match(&file.path))
        };
        for file in self.files.values().filter(is_selected) {
            if kinds.is_empty() {
                selected.insert_range(file.chunks());
            } else {
                let chunks = file.chunks().zip(&file.kinds);
                let fitting = chunks.filter(|(_, kind)| kinds.contains(kind));
                fitting.for_each(|(id, _)| selected.insert(id));
            }
        }
        Ok(selected)
    }
}

fn compile(globs: &[String]) -> Outcome<Option<GlobSet>> {
    if globs.is_empty() {
        return Ok(None);
    }
    let refused = |error: globset::Error| Failure::Refused(format!("not a glob: {error}"));
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(
            GlobBuilder::new(glob)
                .literal_separator(true)
                .build()
                .map_err(refused)?,
        );
    }
    Ok(Some(set.build().map_err(refused)?))
}
