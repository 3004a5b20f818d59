//! The files of one generation in memory, and the filters that are made from them. A glob is tried
//! on each path once per generation; after that a filter is a set of chunk ids.

use std::collections::{HashMap, HashSet};
use std::ops::{Range, RangeInclusive};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rusqlite::{Connection, Row};

use super::bitmap::Bitmap;
use super::codes::kind_and_test;
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tests {
    #[default]
    Included,
    Excluded,
    Only,
}

/// Whether what a chunk defines can be used from elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Exported {
    #[default]
    Either,
    Only,
    Not,
}

impl Filter {
    pub fn is_open(&self) -> bool {
        *self == Filter::default()
    }

    fn fits(&self, (kind, is_test): (ChunkKind, bool)) -> bool {
        let is_tested = match self.tests {
            Tests::Included => true,
            Tests::Excluded => !is_test,
            Tests::Only => is_test,
        };
        is_tested && (self.kinds.is_empty() || self.kinds.contains(&kind))
    }
}

#[derive(Clone, Debug)]
pub struct CatalogFile {
    path: String,
    language: String,
    package: Option<String>,
    first_chunk: u32,
    kinds: Vec<u8>,
}

impl CatalogFile {
    fn read(row: &Row) -> rusqlite::Result<(i64, CatalogFile)> {
        let file = CatalogFile {
            path: row.get(1)?,
            language: row.get(2)?,
            package: row.get(3)?,
            first_chunk: row.get(4)?,
            kinds: row.get(5)?,
        };
        Ok((row.get(0)?, file))
    }

    pub fn chunks(&self) -> Range<u32> {
        self.first_chunk..self.first_chunk + self.kinds.len() as u32
    }
}

#[derive(Clone, Debug, Default)]
pub struct Catalog {
    generation: u64,
    files: HashMap<i64, CatalogFile>,
    /// Ids in the order of the paths.
    order: Vec<i64>,
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
            "SELECT id, path, language, package, first_chunk, kinds
             FROM files WHERE generation > ?",
        )?;
        let changed = select.query_map([before.generation as i64], CatalogFile::read)?;
        for entry in changed {
            let (id, file) = entry?;
            files.insert(id, file);
        }
        let mut order: Vec<i64> = files.keys().copied().collect();
        order.sort_unstable_by(|a, b| files[a].path.cmp(&files[b].path));
        Ok(Catalog {
            generation,
            files,
            order,
        })
    }

    /// Every file with its id, in the order of the paths.
    pub fn by_path(&self) -> impl Iterator<Item = (i64, &CatalogFile)> {
        self.order.iter().map(|id| (*id, &self.files[id]))
    }

    pub fn select(&self, filter: &Filter) -> Outcome<Bitmap> {
        let globs = compile(&filter.globs)?;
        let mut selected = Bitmap::default();
        let is_selected = |file: &&CatalogFile| {
            let is_named = |names: &[String], name: Option<&str>| {
                names.is_empty() || name.is_some_and(|name| names.iter().any(|one| one == name))
            };
            is_named(&filter.languages, Some(&file.language))
                && is_named(&filter.packages, file.package.as_deref())
                // A path may have the very signs that make a glob: `app/[id]/page.tsx`.
                && globs.as_ref().is_none_or(|globs| {
                    globs.is_match(&file.path) || filter.globs.contains(&file.path)
                })
        };
        for file in self.files.values().filter(is_selected) {
            if filter.kinds.is_empty() && filter.tests == Tests::Included {
                selected.insert_range(file.chunks());
                continue;
            }
            for (id, code) in file.chunks().zip(&file.kinds) {
                if filter.fits(kind_and_test(*code)?) {
                    selected.insert(id);
                }
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
