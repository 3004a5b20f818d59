//! Whole states, whoever writes, dies or rebuilds.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::sidecar_files::with_suffix;
use kenning_model::time_limit::{self, TimeLimit};

/// All files of generation `number` say `number`, so a reader can tell a mixture.
fn numbered(number: u32) -> Changes {
    let text = number.to_string();
    updated((0..6).map(|file| update(&format!("{file}.rs"), vec![saying(7, &text); 3])).collect())
}

fn check_whole(snapshot: &Snapshot) {
    let hits = snapshot.search_terms(&[(7, 1.0)], &Filter::default(), 99).unwrap();
    let ids: Vec<u32> = hits.iter().map(|hit| hit.chunk).collect();
    let texts = texts(snapshot, &ids);
    let listed: Vec<u32> =
        snapshot.files().unwrap().into_iter().flat_map(|file| file.chunks).collect();
    let expected = if snapshot.generation() == 0 { 0 } else { 18 };
    assert_eq!((ids.len(), texts.len(), listed.len()), (expected, expected, expected));
    assert!(ids.iter().all(|id| listed.contains(id)));
    let number = snapshot.generation().to_string();
    assert!(texts.iter().all(|text| *text == number));
}

#[test]
fn readers_see_whole_generations_while_one_writes() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    let reader = Reader::open(&home.database).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut newest = 0;
                while !is_done.load(Ordering::Relaxed) {
                    let snapshot = reader.snapshot().unwrap();
                    check_whole(&snapshot);
                    assert!(snapshot.generation() >= newest);
                    newest = snapshot.generation();
                }
            });
        }
        for number in 1..=150 {
            writer.apply(&numbered(number)).unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
    });
    check_whole(&reader.snapshot().unwrap());
    assert_eq!(reader.snapshot().unwrap().generation(), 150);
}

#[test]
fn a_question_that_has_taken_its_time_reads_no_more() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    writer.apply(&numbered(1)).unwrap();
    let reader = Reader::open(&home.database).unwrap();
    let snapshot = reader.snapshot().unwrap();
    let over = Arc::new(TimeLimit::new(Duration::ZERO));
    let outcome = time_limit::run_within(&over, || snapshot.files());
    assert!(matches!(outcome, Err(StoreError::Cancelled)), "{outcome:?}");
    check_whole(&snapshot);
}

const VICTIM: &str = "KEN_TEST_KILLED_WRITER";

/// Does nothing but in the process that [`a_killed_writer_leaves_the_last_generation`] starts.
#[test]
fn a_writer_to_be_killed() {
    let Some(path) = std::env::var_os(VICTIM) else {
        return;
    };
    let mut writer = Writer::open(Path::new(&path), &settings(), &AllNamesDirty, &Silent).unwrap();
    let reader = Reader::open(Path::new(&path)).unwrap();
    let first = reader.snapshot().unwrap().generation() as u32;
    for number in first + 1.. {
        writer.apply(&numbered(number)).unwrap();
    }
}

#[test]
fn a_killed_writer_leaves_the_last_generation() {
    let home = home();
    drop(Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap());
    let reader = Reader::open(&home.database).unwrap();
    let mut random = Random::new(12);
    for _ in 0..12 {
        let before = reader.snapshot().unwrap().generation();
        let until = before + 1 + random.next_below(25_u64);
        let mut victim = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "code::tests::states::a_writer_to_be_killed"])
            .env(VICTIM, &home.database)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        loop {
            let snapshot = reader.snapshot().unwrap();
            check_whole(&snapshot);
            assert_eq!(victim.try_wait().unwrap(), None, "it ended by itself");
            if snapshot.generation() >= until {
                break;
            }
        }
        victim.kill().unwrap();
        victim.wait().unwrap();
        check_whole(&reader.snapshot().unwrap());
        check_whole(&Reader::open(&home.database).unwrap().snapshot().unwrap());
        // The lock went with its holder, and the next writer goes on from there.
        let mut writer =
            Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
        let next = reader.snapshot().unwrap().generation() + 1;
        assert_eq!(writer.apply(&numbered(next as u32)).unwrap(), next);
        check_whole(&reader.snapshot().unwrap());
    }
}

#[test]
fn a_refused_transaction_changes_nothing() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    writer.apply(&numbered(1)).unwrap();
    let mut bad = numbered(2);
    let vector = Vector::quantise(&[1.0]);
    bad.updated[5].contents[2].embedding = Some(Embedding { vector, key: None });
    let error = writer.apply(&bad).unwrap_err();
    assert!(error.to_string().contains("1 dimensions among vectors of 8"), "{error}");
    let reader = Reader::open(&home.database).unwrap();
    check_whole(&reader.snapshot().unwrap());
    assert_eq!(writer.apply(&numbered(2)).unwrap(), 2);
    check_whole(&reader.snapshot().unwrap());
}

#[test]
fn a_rebuild_replaces_the_file_under_a_reader() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    let key = [9; 16];
    let vector = Vector::quantise(&[1.0; DIMENSION]);
    let mut first = numbered(1);
    first.updated[0].contents[0].embedding =
        Some(Embedding { vector: vector.clone(), key: Some(key) });
    writer.apply(&first).unwrap();
    assert_eq!(writer.embeddings(&[key, [1; 16]]).unwrap(), [Some(vector.clone()), None]);
    drop(writer);
    let reader = Reader::open(&home.database).unwrap();
    check_whole(&reader.snapshot().unwrap());

    let other = IndexSettings { chunker: "2".to_string(), ..settings() };
    let error = Writer::open(&home.database, &other, &AllNamesDirty, &Silent).err().unwrap();
    assert!(matches!(error, StoreError::OtherSettings { .. }), "{error}");
    for round in 0..3 {
        let mut draft = Writer::rebuild(&home.database, &other, &AllNamesDirty, &Silent).unwrap();
        assert_eq!(draft.adopt_embeddings(&home.database).unwrap(), 1);
        for number in 1..=2 + round {
            draft.apply(&numbered(number)).unwrap();
        }
        let before = reader.snapshot().unwrap();
        check_whole(&before);
        let before = before.generation();
        draft.publish().unwrap();
        let snapshot = reader.snapshot().unwrap();
        check_whole(&snapshot);
        assert_eq!(snapshot.generation(), before + 1);
        assert_eq!(snapshot.settings(), &other);
        assert_eq!(snapshot.embeddings(&[key]).unwrap(), [Some(vector.clone())]);
    }
    let mut writer = Writer::open(&home.database, &other, &AllNamesDirty, &Silent).unwrap();
    writer.apply(&numbered(5)).unwrap();
    check_whole(&reader.snapshot().unwrap());
    // A draft that was left behind is nobody's.
    drop(writer);
    drop(Writer::rebuild(&home.database, &other, &AllNamesDirty, &Silent).unwrap());
    check_whole(&Reader::open(&home.database).unwrap().snapshot().unwrap());
}

#[cfg(unix)]
#[test]
fn where_nothing_can_be_made_beside_it_the_file_alone_is_read() {
    let home = home();
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    writer.apply(&numbered(1)).unwrap();
    drop(writer);
    // In the way of what SQLite would share, as if the directory could not be written.
    let in_the_way = with_suffix(&home.database, "-shm");
    std::os::unix::fs::symlink("/nowhere/at/all", &in_the_way).unwrap();
    let reader = Reader::open(&home.database).unwrap();
    check_whole(&reader.snapshot().unwrap());
    std::fs::remove_file(&in_the_way).unwrap();
    let mut writer = Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap();
    writer.apply(&numbered(2)).unwrap();
    let snapshot = reader.snapshot().unwrap();
    check_whole(&snapshot);
    assert_eq!(snapshot.generation(), 2);
}

#[test]
fn other_files_are_refused_and_spared() {
    let home = home();
    let missing = Reader::open(&home.database).err().unwrap();
    assert!(matches!(missing, StoreError::Missing { .. }), "{missing}");
    std::fs::write(&home.database, "my only copy").unwrap();
    for error in [
        Reader::open(&home.database).err().unwrap(),
        Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).err().unwrap(),
    ] {
        assert!(matches!(error, StoreError::WrongFormat { .. }), "{error}");
    }
    assert_eq!(std::fs::read_to_string(&home.database).unwrap(), "my only copy");
}

#[test]
fn another_format_version_is_refused() {
    let home = home();
    drop(Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).unwrap());
    let flags = rusqlite::OpenFlags::default();
    let database = crate::page_checksums::open(&home.database, flags).unwrap();
    database.pragma_update(None, "user_version", 1).unwrap();
    drop(database);
    for error in [
        Reader::open(&home.database).err().unwrap(),
        Writer::open(&home.database, &settings(), &AllNamesDirty, &Silent).err().unwrap(),
    ] {
        assert!(error.needs_rebuild(), "{error}");
        assert!(error.to_string().contains("version 1"), "{error}");
    }
}
