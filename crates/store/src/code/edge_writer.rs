//! The edges of files at rest: the writing of resolved edges, and the choice of the files to
//! resolve again. The resolver makes the edges.
//!
//! A file is resolved again if it has no row in `edges`, or if a dirty name is among its
//! `reference_names` or `name_deps`. The row of the key [`RESOLVED_KEY`] in `metadata` describes
//! what all edges were resolved with; if it differs, all files are resolved again.
//!
//!   edges_blob = zstd of:
//!     files     = count, file id…                    the files that targets lie in
//!     edges     = count, edge…
//!     edge      = reference index − last, confidence (1 byte), reason (1 byte),
//!                 target count, target…
//!     relations = count, relation…
//!     relation  = heritage index + 1 or 0, subject target, base target
//!     target    = index into files, symbol ordinal + 1 or 0, hash (4 bytes, if a symbol)
//!
//! Numbers are varints.

use std::collections::BTreeSet;

use foldhash::HashSet;

use rusqlite::{Connection, OptionalExtension, ToSql, params};

use super::enum_codes::{NAME_BYTES, StoredEnum, name_hash};
use super::error::{StatementError, StoreResult};
use super::file_blob;
use super::snapshot::Snapshot;
use super::varint::{ByteReader, Malformed, put_number};
use super::writer::Writer;
use crate::StoreError;
use kenning_model::{
    Confidence, Edge, EdgeTarget, FileEdges, Reason, Reference, Relation, SymbolKey,
};

/// The edges of one file in stored form, with the names and files that they depend on.
#[derive(Debug, PartialEq, Eq)]
pub struct ResolvedFile {
    file: i64,
    edges: Vec<u8>,
    /// The files that edges lead into.
    targets: BTreeSet<i64>,
    /// Hashes of the names that resolution looked up, beyond those that the file itself mentions. A
    /// change of one of them makes the file stale.
    name_deps: BTreeSet<u32>,
    /// Hashes of definitions that the file mentions under another name, such as an import with
    /// `as`.
    aliases: BTreeSet<u32>,
}

impl ResolvedFile {
    /// Packs the edges. Expensive, so the parallel resolvers call it and not the one writer.
    /// `touched` has every name that was looked up. `aliased` has the names of definitions that the
    /// file mentions under another.
    pub fn new<'n>(
        file: i64,
        edges: &FileEdges,
        references: &[Reference],
        touched: impl Iterator<Item = &'n str>,
        aliased: &[String],
    ) -> ResolvedFile {
        let mentioned: HashSet<&str> =
            references.iter().map(|reference| reference.name.as_str()).collect();
        let hashes: HashSet<u32> = mentioned.iter().map(|name| name_hash(name)).collect();
        // Two names may share a hash, and then the file is found under it anyway.
        let beyond = |name: &str| {
            if mentioned.contains(name) {
                None
            } else {
                Some(name_hash(name)).filter(|name| !hashes.contains(name))
            }
        };
        ResolvedFile {
            file,
            edges: pack_edges(edges),
            targets: target_files(edges),
            name_deps: touched.filter_map(beyond).collect(),
            aliases: aliased.iter().filter_map(|name| beyond(name)).collect(),
        }
    }
}

/// The metadata key for the state that all edges were resolved with: the packages, a space, and the
/// mark of rules and compilers. The mark is empty if no compiler's index was used.
const RESOLVED_KEY: &str = "graph";

impl Snapshot<'_> {
    /// True if the edges are as the files make them. They are not while a run resolves names, and
    /// after one that was stopped there.
    pub fn are_edges_current(&self) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM metadata WHERE key = ?)
                   AND NOT EXISTS (SELECT 1 FROM dirty_names)";
        self.run(|connection| Ok(connection.query_row(sql, [RESOLVED_KEY], |row| row.get(0))?))
    }
}

impl Writer {
    /// The files whose edges are not known, or may have changed: all of them if what packages can
    /// use is not as it was.
    pub fn stale_edges(&mut self, packages: &str) -> Result<Vec<i64>, StoreError> {
        let found = list_stale_files(&self.connection, packages);
        found.map_err(|failure| failure.with_path(&self.path))
    }

    /// True if the edges are as the files and packages of the last resolution make them, by rules and
    /// compilers that have this mark.
    pub fn are_edges_current(&mut self, rules: &str) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM metadata WHERE key = ? AND value LIKE '% ' || ?)
                   AND NOT EXISTS (SELECT 1 FROM dirty_names)";
        let about = [RESOLVED_KEY, rules];
        let is_current = self.connection.query_row(sql, about, |row| row.get(0));
        is_current.map_err(|error| StatementError::from(error).with_path(&self.path))
    }

    /// Replaces the edges of these files, in one transaction.
    pub fn put_edges(&mut self, files: &[ResolvedFile]) -> Result<(), StoreError> {
        if files.is_empty() {
            return Ok(());
        }
        self.run(|transaction| {
            for file in files {
                remove_edges(transaction, file.file)?;
            }
            insert_edges(transaction, files)
        })
    }

    /// Records that the edges of all files are current: forgets the dirty names and stores
    /// `packages` as the state.
    pub fn mark_edges_current(&mut self, packages: &str) -> Result<(), StoreError> {
        self.run(|transaction| {
            transaction.execute("DELETE FROM dirty_names", [])?;
            let note = "INSERT OR REPLACE INTO metadata VALUES (?, ?)";
            transaction.execute(note, [RESOLVED_KEY, packages])?;
            Ok(())
        })
    }
}

/// True if any file was ever resolved. Before that, no name needs to become dirty.
pub fn has_any_edges(connection: &Connection) -> StoreResult<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM edges)";
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}

/// True if the edges depend on files and packages alone: no compiler's index was used.
pub fn depend_on_files_only(connection: &Connection) -> StoreResult<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM metadata WHERE key = ? AND value LIKE '% ')";
    Ok(connection.query_row(sql, [RESOLVED_KEY], |row| row.get(0))?)
}

/// Returns the ids of the files to resolve.
fn list_stale_files(connection: &Connection, packages: &str) -> StoreResult<Vec<i64>> {
    let note =
        connection.query_row("SELECT value FROM metadata WHERE key = ?", [RESOLVED_KEY], |row| {
            row.get::<_, String>(0)
        });
    let which = match note.optional()? {
        // Crossed, so that the few names are looked up and not the many rows read.
        Some(note) if note == packages => {
            "SELECT id FROM files WHERE id NOT IN (SELECT file FROM edges)
             UNION SELECT file FROM dirty_names CROSS JOIN reference_names USING (name_hash)
             UNION SELECT file FROM dirty_names CROSS JOIN name_deps USING (name_hash)"
        }
        _ => "SELECT id FROM files",
    };
    let mut statement = connection.prepare_cached(which)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Removes the edges of a file and all index rows that they have. The row itself lists those, so no
/// table is scanned.
pub fn remove_edges(connection: &Connection, file: i64) -> StoreResult<()> {
    let sql = "DELETE FROM edges WHERE file = ? RETURNING dep_names, edges_blob";
    let mut take = connection.prepare_cached(sql)?;
    let taken: Option<(Vec<u8>, Vec<u8>)> =
        take.query_row([file], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((names, packed)) = taken else {
        return Ok(());
    };
    let mut reached =
        connection.prepare_cached("DELETE FROM incoming_files WHERE target = ? AND file = ?")?;
    for target in target_files(&unpack_edges(&packed)?) {
        reached.execute(params![target, file])?;
    }
    let mut name_deps =
        connection.prepare_cached("DELETE FROM name_deps WHERE name_hash = ? AND file = ?")?;
    let mut aliases =
        connection.prepare_cached("DELETE FROM aliases WHERE name_hash = ? AND file = ?")?;
    // The hash may be in `name_deps`, in `aliases` or in both; a deletion of a missing row costs a
    // lookup.
    for [a, b, c] in names.as_chunks::<NAME_BYTES>().0 {
        let name = u32::from_le_bytes([*a, *b, *c, 0]);
        name_deps.execute(params![name, file])?;
        aliases.execute(params![name, file])?;
    }
    Ok(())
}

/// Inserts the rows of files that have none.
fn insert_edges(connection: &Connection, files: &[ResolvedFile]) -> StoreResult<()> {
    let mut edges = connection.prepare_cached("INSERT INTO edges VALUES (?, ?, ?)")?;
    for file in files {
        let names: Vec<u8> = file
            .name_deps
            .union(&file.aliases)
            .flat_map(|name| name.to_le_bytes().into_iter().take(NAME_BYTES))
            .collect();
        edges.execute(params![file.file, file.edges, names])?;
    }
    insert_pairs(connection, "incoming_files", files, |file| &file.targets)?;
    insert_pairs(connection, "name_deps", files, |file| &file.name_deps)?;
    insert_pairs(connection, "aliases", files, |file| &file.aliases)
}

/// Inserts the pairs of all files in the order of the table. Each page is then written once, and
/// not once per file.
fn insert_pairs<T: Copy + Ord + ToSql>(
    connection: &Connection,
    table: &str,
    files: &[ResolvedFile],
    said: impl Fn(&ResolvedFile) -> &BTreeSet<T>,
) -> StoreResult<()> {
    let mut pairs: Vec<(T, i64)> =
        files.iter().flat_map(|file| said(file).iter().map(|&one| (one, file.file))).collect();
    pairs.sort_unstable();
    let mut insert = connection.prepare_cached(&format!("INSERT INTO {table} VALUES (?, ?)"))?;
    for (one, file) in pairs {
        insert.execute(params![one, file])?;
    }
    Ok(())
}

/// Returns the files that edges or relations lead into.
fn target_files(edges: &FileEdges) -> BTreeSet<i64> {
    let calls = edges.edges.iter().flat_map(|edge| &edge.targets);
    let kinds = edges.relations.iter().map(|relation| &relation.base);
    calls.chain(kinds).map(|target| target.file).collect()
}

/// Encodes edges; see the module's header for the format.
fn pack_edges(edges: &FileEdges) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Most targets of a file are in few files.
    let mut files: Vec<i64> = Vec::new();
    let mut body = Vec::new();
    let mut target = |body: &mut Vec<u8>, target: &EdgeTarget| {
        let known = files.iter().position(|file| *file == target.file);
        let place = known.unwrap_or_else(|| {
            files.push(target.file);
            files.len() - 1
        });
        let ordinal = target.symbol.map_or(0, |symbol| symbol.ordinal + 1);
        put_number(body, place as u32);
        put_number(body, ordinal);
        if let Some(symbol) = target.symbol {
            body.extend(symbol.hash.to_le_bytes());
        }
    };
    put_number(&mut body, edges.edges.len() as u32);
    let mut last = 0;
    for edge in &edges.edges {
        put_number(&mut body, edge.reference - last);
        last = edge.reference;
        body.extend([edge.confidence.code(), edge.reason.code()]);
        put_number(&mut body, edge.targets.len() as u32);
        for one in &edge.targets {
            target(&mut body, one);
        }
    }
    put_number(&mut body, edges.relations.len() as u32);
    for relation in &edges.relations {
        put_number(&mut body, relation.heritage.map_or(0, |place| place + 1));
        target(&mut body, &relation.subject);
        target(&mut body, &relation.base);
    }
    put_number(&mut bytes, files.len() as u32);
    for file in files {
        // SQLite assigns ids from 1 upwards, far below 2³².
        put_number(&mut bytes, file as u32);
    }
    bytes.extend(body);
    file_blob::compress(&bytes)
}

/// Decodes edges.
pub(super) fn unpack_edges(packed: &[u8]) -> Result<FileEdges, Malformed> {
    let bytes = file_blob::decompress(packed)?;
    let mut unpacker = ByteReader::new(&bytes);
    let files: Vec<u32> =
        (0..unpacker.read_count()?).map(|_| unpacker.read_number()).collect::<Result<_, _>>()?;
    let mut found = FileEdges::default();
    let mut reference = 0_u32;
    for _ in 0..unpacker.read_count()? {
        reference = reference.wrapping_add(unpacker.read_number()?);
        let [confidence, reason] = *unpacker.read_bytes(2)? else {
            return Err(Malformed);
        };
        let targets = (0..unpacker.read_count()?).map(|_| unpack_target(&mut unpacker, &files));
        found.edges.push(Edge {
            reference,
            targets: targets.collect::<Result<_, _>>()?,
            confidence: Confidence::from_code(confidence)?,
            reason: Reason::from_code(reason)?,
        });
    }
    for _ in 0..unpacker.read_count()? {
        found.relations.push(Relation {
            heritage: unpacker.read_number()?.checked_sub(1),
            subject: unpack_target(&mut unpacker, &files)?,
            base: unpack_target(&mut unpacker, &files)?,
        });
    }
    Ok(found)
}

fn unpack_target(unpacker: &mut ByteReader, files: &[u32]) -> Result<EdgeTarget, Malformed> {
    let file = *files.get(unpacker.read_number()? as usize).ok_or(Malformed)?;
    let ordinal = unpacker.read_number()?.checked_sub(1);
    let symbol = match ordinal {
        None => None,
        Some(ordinal) => {
            let bytes = unpacker.read_bytes(4)?;
            let array = <[u8; 4]>::try_from(bytes).map_err(|_| Malformed)?;
            let hash = u32::from_le_bytes(array);
            Some(SymbolKey { hash, ordinal })
        }
    };
    Ok(EdgeTarget { file: file.into(), symbol })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_come_back_and_damage_is_no_panic() {
        let target = |file, ordinal: Option<u32>| EdgeTarget {
            file,
            symbol: ordinal.map(|ordinal| SymbolKey { hash: 77, ordinal }),
        };
        let edges = FileEdges {
            edges: vec![
                Edge {
                    reference: 3,
                    targets: vec![target(9, Some(0)), target(4000, Some(2))],
                    confidence: Confidence::High,
                    reason: Reason::Import,
                },
                Edge {
                    reference: 300,
                    targets: vec![target(9, None)],
                    confidence: Confidence::Low,
                    reason: Reason::UniqueName,
                },
            ],
            relations: vec![
                Relation {
                    heritage: Some(0),
                    subject: target(1, Some(1)),
                    base: target(9, Some(5)),
                },
                Relation { heritage: None, subject: target(1, Some(1)), base: target(9, Some(6)) },
            ],
        };
        let packed = pack_edges(&edges);
        assert_eq!(unpack_edges(&packed).unwrap(), edges);
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            let _ = unpack_edges(&damaged);
            assert!(unpack_edges(&packed[..at]).is_err());
        }
    }
}
