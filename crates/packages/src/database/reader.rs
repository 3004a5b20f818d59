//! Reads a published package database: whole, or by search. It never writes.
//!
//! Values that a person may have edited by hand are read leniently. An unknown kind, broken JSON or
//! an odd path falls back to a default.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Row};

use super::{DatabaseContents, ManifestRecord, ManifestStamp, schema};
use kenning_model::{DepKind, Dependency, ModuleName, Package, PackageKey, Problem, RepoPath};
use kenning_store::{StoreError, page_checksums};

/// Manifest records, problems and metadata.
pub type BuildState = (Vec<ManifestRecord>, Vec<Problem>, BTreeMap<String, String>);

/// One published state. It stays valid even when a newer one is renamed over it, because the open
/// file keeps its inode.
pub struct PackageReader {
    path: PathBuf,
    connection: Connection,
}

impl PackageReader {
    /// Opens a database. Fails for a missing file, for any format but the current one, and for a
    /// damaged page: the file is small, and who opens it can still choose another.
    pub fn open(path: &Path) -> Result<PackageReader, StoreError> {
        let damaged = page_checksums::count_damaged_pages(path);
        if let Ok(pages @ 1..) = damaged
            && schema::can_start_draft(path)
        {
            let what = format!("{pages} pages have wrong checksums");
            return Err(StoreError::Damaged { path: path.to_path_buf(), what });
        }
        Ok(PackageReader { path: path.to_path_buf(), connection: schema::open_published(path)? })
    }

    /// Reads everything that queries need.
    pub fn read_contents(&self) -> Result<DatabaseContents, StoreError> {
        self.run_query(|connection| {
            Ok(DatabaseContents {
                packages: read_packages(connection)?,
                stamps: read_stamps(connection)?,
                problems: read_problems(connection)?,
                meta: read_meta(connection)?,
            })
        })
    }

    /// Reads the state that the next build starts from.
    pub fn read_build_state(&self) -> Result<BuildState, StoreError> {
        self.run_query(|connection| {
            Ok((read_manifests(connection)?, read_problems(connection)?, read_meta(connection)?))
        })
    }

    /// Returns the directory and name of each package, in the order of
    /// [`DatabaseContents::packages`]. It is much cheaper than the whole contents.
    pub fn package_directories(&self) -> Result<Vec<(RepoPath, String)>, StoreError> {
        self.run_query(|connection| {
            let mut statement =
                connection.prepare("SELECT path, name FROM packages ORDER BY name, kind, path")?;
            let rows = statement.query_map([], |row| Ok((read_path(row, 0)?, row.get(1)?)))?;
            rows.collect()
        })
    }

    /// Returns the packages that best match `words`, best first. Each word matches as a prefix, and
    /// one match is enough.
    pub fn search(&self, words: &[&str], limit: usize) -> Result<Vec<PackageKey>, StoreError> {
        if words.is_empty() {
            return Ok(Vec::new());
        }
        // In FTS5 a quoted string is never syntax, whatever it contains.
        let quoted: Vec<String> =
            words.iter().map(|word| format!("\"{}\"*", word.replace('"', "\"\""))).collect();
        self.run_query(|connection| search_fts(connection, &quoted.join(" OR "), limit))
    }

    /// Runs a query and adds the path of the database to its error.
    fn run_query<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        query(&self.connection).map_err(|source| StoreError::sql(&self.path, source))
    }
}

/// Reads all packages with their dependencies: two queries, not one per package. Dependencies keep
/// the order of insertion.
pub fn read_packages(connection: &Connection) -> rusqlite::Result<Vec<Package>> {
    let mut dependencies: HashMap<i64, Vec<Dependency>> = HashMap::new();
    let mut statement = connection.prepare(
        "SELECT package_id, dependency, dep_kind, version_req, target_path
         FROM dependencies ORDER BY rowid",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let kind: String = row.get(2)?;
        let target: Option<String> = row.get(4)?;
        dependencies.entry(row.get(0)?).or_default().push(Dependency {
            name: row.get(1)?,
            kind: DepKind::parse(&kind).unwrap_or(DepKind::Runtime),
            version_req: row.get(3)?,
            internal: target.and_then(|path| RepoPath::new(&path)),
        });
    }
    connection
        .prepare(
            "SELECT id, kind, name, path, manifest, version, description, metadata, modules
             FROM packages ORDER BY name, kind, path",
        )?
        .query_map([], |row| {
            let dependencies = dependencies.remove(&row.get(0)?);
            read_package(row, dependencies.unwrap_or_default())
        })?
        .collect()
}

/// Builds a package from a row of `read_packages`.
fn read_package(row: &Row, dependencies: Vec<Dependency>) -> rusqlite::Result<Package> {
    let metadata_json: Option<String> = row.get(7)?;
    let metadata = metadata_json.and_then(|json| serde_json::from_str(&json).ok());
    let kept: Option<String> = row.get(8)?;
    Ok(Package {
        kind: row.get(1)?,
        name: row.get(2)?,
        path: read_path(row, 3)?,
        manifest: read_path(row, 4)?,
        version: row.get(5)?,
        description: row.get(6)?,
        metadata: metadata.unwrap_or_default(),
        dependencies,
        modules: kept.map(|kept| parse_modules(&kept)).unwrap_or_default(),
    })
}

/// Parses the JSON that `encode_modules` in `writer.rs` writes.
fn parse_modules(kept: &str) -> Vec<ModuleName> {
    let parts: Vec<(String, Vec<String>, Option<String>)> =
        serde_json::from_str(kept).unwrap_or_default();
    parts.into_iter().map(|(name, paths, within)| ModuleName { name, paths, within }).collect()
}

/// Reads the problems by place.
pub fn read_problems(connection: &Connection) -> rusqlite::Result<Vec<Problem>> {
    connection
        .prepare("SELECT path, line, message FROM problems ORDER BY path, line, message")?
        .query_map([], |row| {
            Ok(Problem { path: read_path(row, 0)?, line: row.get(1)?, message: row.get(2)? })
        })?
        .collect()
}

/// Reads the metadata. The table has the name that shire's users know.
pub fn read_meta(connection: &Connection) -> rusqlite::Result<BTreeMap<String, String>> {
    connection
        .prepare("SELECT key, value FROM shire_meta")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}

/// Reads the stamps of all manifests.
fn read_stamps(connection: &Connection) -> rusqlite::Result<Vec<ManifestStamp>> {
    connection
        .prepare("SELECT path, size, modified_ns FROM manifests ORDER BY path")?
        .query_map([], |row| {
            Ok(ManifestStamp {
                path: read_path(row, 0)?,
                size: row.get::<_, i64>(1)? as u64,
                modified_ns: row.get(2)?,
            })
        })?
        .collect()
}

/// Reads the records of all manifests, with their facts.
pub fn read_manifests(connection: &Connection) -> rusqlite::Result<Vec<ManifestRecord>> {
    connection
        .prepare(
            "SELECT kind, path, size, modified_ns, hash, facts, problems
             FROM manifests ORDER BY kind, path",
        )?
        .query_map([], |row| {
            let path = read_path(row, 1)?;
            let problems: String = row.get(6)?;
            Ok(ManifestRecord {
                kind: row.get(0)?,
                size: row.get::<_, i64>(2)? as u64,
                modified_ns: row.get(3)?,
                hash: row.get(4)?,
                facts: row.get(5)?,
                problems: unpack_problems(&path, &problems),
                path,
            })
        })?
        .collect()
}

/// A manifest's problems are kept as `[[line, message], …]`; the path is the manifest's own.
fn unpack_problems(path: &RepoPath, json: &str) -> Vec<Problem> {
    let rows: Vec<(Option<u32>, String)> = serde_json::from_str(json).unwrap_or_default();
    rows.into_iter().map(|(line, message)| Problem { path: path.clone(), line, message }).collect()
}

/// Runs a full-text query. The weights are those of name, description, path and words of the name;
/// ties prefer short names.
fn search_fts(
    connection: &Connection,
    query: &str,
    limit: usize,
) -> rusqlite::Result<Vec<PackageKey>> {
    connection
        .prepare_cached(
            "SELECT packages.kind, packages.name, packages.path
             FROM packages_fts JOIN packages ON packages.id = packages_fts.rowid
             WHERE packages_fts MATCH ?1
             ORDER BY bm25(packages_fts, 10.0, 2.0, 4.0, 6.0), length(packages.name),
                      packages.name, packages.kind, packages.path
             LIMIT ?2",
        )?
        .query_map((query, limit as i64), |row| {
            Ok(PackageKey { kind: row.get(0)?, name: row.get(1)?, path: read_path(row, 2)? })
        })?
        .collect()
}

/// Reads a path. Stored paths are normalized; one that is not was edited by hand and becomes the
/// root.
fn read_path(row: &Row, column: usize) -> rusqlite::Result<RepoPath> {
    let text: String = row.get(column)?;
    Ok(RepoPath::new(&text).unwrap_or_default())
}
