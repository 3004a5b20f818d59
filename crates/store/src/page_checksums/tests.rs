//! Damaged pages and frames of the log are not read, and healthy ones always are.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::*;

fn create(path: &Path) -> Connection {
    let connection = open(path, OpenFlags::default()).unwrap();
    prepare_new(&connection).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)").unwrap();
    connection
}

fn fill(connection: &Connection, rows: usize) {
    connection.execute_batch("BEGIN").unwrap();
    for row in 0..rows {
        connection.execute("INSERT INTO t (text) VALUES (?)", [format!("{row:0100}")]).unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
}

/// Reads every row, with a memory map or without.
fn read_all(path: &Path, map: &str) -> rusqlite::Result<String> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.execute_batch(&format!("PRAGMA mmap_size = {map}"))?;
    connection.query_row("SELECT group_concat(text) FROM t", [], |row| row.get(0))
}

/// SQLite reads the pages of a long value past its cache, and not to their ends.
#[test]
fn long_values_are_read_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let connection = create(&path);
    for bytes in [3000, 4088, 4092, 9000, 81_000] {
        connection.execute("INSERT INTO t (text) VALUES (?)", [vec![b'x'; bytes]]).unwrap();
    }
    connection.close().unwrap();
    let read = |map: &str| -> rusqlite::Result<Vec<usize>> {
        let connection = open(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.execute_batch(&format!("PRAGMA mmap_size = {map}"))?;
        let mut select = connection.prepare("SELECT text FROM t ORDER BY id")?;
        let rows = select.query_map([], |row| Ok(row.get_ref(0)?.as_blob().unwrap().len()))?;
        rows.collect()
    };
    let healthy = fs::read(&path).unwrap();
    for map in ["0", "1000000000"] {
        assert_eq!(read(map).unwrap(), [3000, 4088, 4092, 9000, 81_000]);
        let mut damaged = healthy.clone();
        let end = damaged.len();
        damaged[end - 2 * PAGE_BYTES + 1000] ^= 1;
        fs::write(&path, damaged).unwrap();
        assert!(is_mismatch(&read(map).unwrap_err()), "map {map}");
        fs::write(&path, &healthy).unwrap();
    }
}

/// Every page in turn: a flipped bit, zeros, and the content of another page.
#[test]
fn no_damaged_page_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let connection = create(&path);
    fill(&connection, 300);
    connection.close().unwrap();
    let healthy = fs::read(&path).unwrap();
    let text = read_all(&path, "0").unwrap();
    assert_eq!(count_damaged_pages(&path).unwrap(), 0);
    let pages = healthy.len() / PAGE_BYTES;
    assert!(pages > 5, "{pages}");
    for page in 0..pages {
        let other = (page + 1) % pages * PAGE_BYTES;
        let own = page * PAGE_BYTES..(page + 1) * PAGE_BYTES;
        let mut flipped = healthy[own.clone()].to_vec();
        flipped[page * 37 % PAGE_BYTES] ^= 1 << (page % 8);
        let replacements =
            [flipped, vec![0; PAGE_BYTES], healthy[other..other + PAGE_BYTES].to_vec()];
        for (kind, replacement) in replacements.into_iter().enumerate() {
            let mut damaged = healthy.clone();
            damaged[own.clone()].copy_from_slice(&replacement);
            fs::write(&path, damaged).unwrap();
            for map in ["0", "1000000000"] {
                assert!(read_all(&path, map).is_err(), "page {page}, kind {kind}, map {map}");
            }
            assert_eq!(count_damaged_pages(&path).unwrap(), 1);
            assert!(has_valid_page(&path));
        }
    }
    fs::write(&path, &healthy).unwrap();
    assert_eq!(read_all(&path, "1000000000").unwrap(), text);
}

/// A connection that has read a page notices when the page is damaged later.
#[test]
fn a_page_is_verified_again_when_the_file_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let writer = create(&path);
    fill(&writer, 300);
    writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let reader = open(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    // A cache of one page, so that each question fetches its pages again.
    reader.execute_batch("PRAGMA mmap_size = 1000000000; PRAGMA cache_size = 1").unwrap();
    let ask = || reader.query_row("SELECT max(text) FROM t", [], |row| row.get::<_, String>(0));
    assert!(ask().is_ok());
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.write_all_at(&[0x55; 9], 3 * PAGE_BYTES as u64 + 2000).unwrap();
    let error = ask().unwrap_err();
    assert!(is_mismatch(&error), "{error}");
}

#[test]
fn a_damaged_frame_of_the_log_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let writer = create(&path);
    fill(&writer, 50);
    writer.execute_batch("PRAGMA cache_size = 0").unwrap();
    let count = || writer.query_row("SELECT max(text) FROM t", [], |row| row.get::<_, String>(0));
    assert!(count().is_ok());
    let log = folder.path().join("a.db-wal");
    let whole = fs::read(&log).unwrap();
    let file = fs::File::options().write(true).open(&log).unwrap();
    let frames = (whole.len() - 32) / (24 + PAGE_BYTES);
    for frame in 0..frames {
        let damaged = [whole[32 + frame * (24 + PAGE_BYTES) + 24 + 700] ^ 4];
        file.write_all_at(&damaged, (32 + frame * (24 + PAGE_BYTES) + 24 + 700) as u64).unwrap();
    }
    let error = count().unwrap_err();
    assert!(is_mismatch(&error), "{error}");
}

/// A transaction that does not fit the cache writes pages to the log twice and reads them back.
#[test]
fn long_transactions_read_their_own_frames() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let connection = create(&path);
    connection.execute_batch("PRAGMA cache_size = 4; PRAGMA wal_autocheckpoint = 20").unwrap();
    fill(&connection, 400);
    for round in 0..5 {
        connection.execute_batch("BEGIN").unwrap();
        for id in 1..400 {
            let text = format!("{round}-{id:0120}");
            connection
                .execute(
                    "UPDATE t SET text = ? WHERE id = ?",
                    rusqlite::params![text, id * 7 % 400],
                )
                .unwrap();
        }
        let end = if round % 2 == 0 { "COMMIT" } else { "ROLLBACK" };
        connection.execute_batch(end).unwrap();
        let check: String =
            connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
    }
    connection.execute_batch("DELETE FROM t WHERE id > 20; VACUUM").unwrap();
    connection.close().unwrap();
    assert_eq!(count_damaged_pages(&path).unwrap(), 0);
}

#[test]
fn a_database_without_checksums_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain.db");
    let plain = Connection::open(&path).unwrap();
    plain.execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1)").unwrap();
    plain.close().unwrap();
    let before = fs::read(&path).unwrap();
    let connection = open(&path, OpenFlags::default()).unwrap();
    assert!(connection.execute_batch("INSERT INTO t VALUES (2)").is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(!has_valid_page(&path));
}

/// Readers with a memory map beside a writer that empties its log after each commit.
#[test]
fn readers_beside_a_writer_see_whole_pages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let writer = create(&path);
    fill(&writer, 300);
    writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    std::thread::scope(|scope| {
        for reader in 0..2 {
            let path = &path;
            scope.spawn(move || {
                let connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
                connection.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
                connection
                    .execute_batch("PRAGMA mmap_size = 1000000000; PRAGMA cache_size = 4")
                    .unwrap();
                for round in 0..300 {
                    let sum = connection.query_row("SELECT sum(length(text)) FROM t", [], |row| {
                        row.get::<_, i64>(0)
                    });
                    assert!(sum.is_ok(), "reader {reader}, round {round}: {sum:?}");
                }
            });
        }
        for round in 0..60 {
            let change = "UPDATE t SET text = text || ? WHERE id % 7 = ?";
            writer.execute(change, rusqlite::params!["x", round % 7]).unwrap();
            let _ = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    });
}
