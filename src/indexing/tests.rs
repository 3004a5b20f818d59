//! Builds through an embedder whose vectors cost something, and builds that do not go as planned.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::indexing::*;
use kenning_embed::{EmbedError, Identity, Purpose, Vectors};
use kenning_model::{RepoPath, Silent};
use kenning_store::code::Reader;

/// Charges for every text, and remembers which.
struct Paid {
    identity: Identity,
    asked: Mutex<Vec<String>>,
}

impl Paid {
    fn new(model: &str, dimension: usize) -> Paid {
        Paid {
            identity: Identity {
                provider: "paid".to_string(),
                model: model.to_string(),
                dimension,
            },
            asked: Mutex::default(),
        }
    }

    /// Returns the number of texts that were embedded since the last call.
    fn bill(&self) -> usize {
        std::mem::take(&mut *self.asked.lock().unwrap()).len()
    }
}

impl Embedder for Paid {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn embed(
        &self,
        texts: &[&str],
        _purpose: Purpose,
        _progress: &dyn Progress,
    ) -> Result<Vectors, EmbedError> {
        let mut vectors = Vectors::new(self.identity.dimension);
        for text in texts {
            let hash = blake3::hash(text.as_bytes());
            let row = hash.as_bytes().iter().map(|byte| f32::from(*byte) - 127.5);
            vectors.push(&row.take(self.identity.dimension).collect::<Vec<f32>>());
        }
        let mut asked = self.asked.lock().unwrap();
        asked.extend(texts.iter().map(|text| text.to_string()));
        Ok(vectors)
    }
}

struct Repository {
    directory: tempfile::TempDir,
}

impl Repository {
    fn new(files: &[(&str, &str)]) -> Repository {
        let repository = Repository { directory: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(repository.root()).unwrap();
        for (path, text) in files {
            repository.write(path, text);
        }
        repository
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    fn database(&self) -> PathBuf {
        self.directory.path().join("code.db")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn build(&self, embedder: &Paid) -> CodeReport {
        self.try_build(embedder, &[], &Silent).unwrap()
    }

    fn try_build(
        &self,
        embedder: &Paid,
        relatives: &[PathBuf],
        progress: &dyn Progress,
    ) -> Result<CodeReport, IndexError> {
        let rules = CodeRules { max_file_size: 100_000, ..CodeRules::default() };
        let build = CodeBuild {
            root: &self.root(),
            database: &self.database(),
            rules: &rules,
            embedder,
            mode: BuildMode::Incremental,
            other_checkouts: relatives,
            now: SystemTime::now(),
            scip_indexes: &[],
            metadata: BTreeMap::new(),
            replica: None,
        };
        let begun = begin_build(&build, progress)?;
        let survey = source::survey_one(build.root, begun.walk_filter(), &rules.bounds, progress)?;
        let packages = PackageInputs {
            directories: PackageDirectories::default(),
            have_changed: false,
            load_all: &|| Ok(Vec::new()),
        };
        begun.finish(&packages, &survey, progress)
    }

    fn are_edges_settled(&self) -> bool {
        let reader = Reader::open(&self.database()).unwrap();
        reader.snapshot().unwrap().are_edges_current().unwrap()
    }

    fn files(&self) -> usize {
        let reader = Reader::open(&self.database()).unwrap();
        reader.snapshot().unwrap().files().unwrap().len()
    }
}

/// A function that is large enough for a chunk of its own.
fn function(name: &str) -> String {
    let line = format!("    let {name} = compute_{name}({name}_before, {name}_after);\n");
    format!("fn {name}() {{\n{}}}\n\n", line.repeat(12))
}

fn counts(report: &CodeReport) -> [usize; 4] {
    [report.added, report.changed, report.removed, report.unchanged]
}

#[test]
fn what_was_paid_for_is_not_paid_for_again() {
    let paid = Paid::new("one", 16);
    let text = ["alpha", "beta", "gamma"].map(function).concat();
    let repository = Repository::new(&[("src/a.rs", &text)]);
    let report = repository.build(&paid);
    assert_eq!((report.embedded, paid.bill()), (3, 3));
    // One function of three is another now; then the file moves; then it is back.
    let changed = text.replace("compute_beta", "calculate_beta");
    repository.write("src/a.rs", &changed);
    let report = repository.build(&paid);
    assert_eq!((report.embedded, report.reused, paid.bill()), (1, 2, 1));
    std::fs::create_dir(repository.root().join("lib")).unwrap();
    let moved = repository.root().join("lib/a.rs");
    std::fs::rename(repository.root().join("src/a.rs"), moved).unwrap();
    let report = repository.build(&paid);
    assert_eq!(counts(&report), [1, 0, 1, 0]);
    assert_eq!((report.embedded, report.reused, paid.bill()), (0, 3, 0));
    repository.write("lib/a.rs", &text);
    assert_eq!((repository.build(&paid).embedded, paid.bill()), (0, 0));
}

#[test]
fn another_model_embeds_everything_and_mixes_nothing() {
    let (one, two) = (Paid::new("one", 16), Paid::new("two", 24));
    let repository = Repository::new(&[("a.rs", &function("alpha")), ("b.rs", &function("beta"))]);
    repository.build(&one);
    let report = repository.build(&two);
    assert_eq!(counts(&report), [2, 0, 0, 0]);
    assert_eq!((one.bill(), two.bill()), (2, 2));
    let reader = Reader::open(&repository.database()).unwrap();
    let snapshot = reader.snapshot().unwrap();
    assert_eq!(snapshot.settings().model, "two");
    assert_eq!(snapshot.stats().unwrap().vectors, 2);
    let found = snapshot.search_vector(&[0.1; 24], &Default::default(), 9);
    assert_eq!(found.unwrap().len(), 2);
}

#[test]
fn another_checkout_pays_for_the_difference() {
    let paid = Paid::new("one", 16);
    let files = [("a.rs", function("alpha")), ("b.rs", function("beta"))];
    let files = [("a.rs", files[0].1.as_str()), ("b.rs", files[1].1.as_str())];
    let first = Repository::new(&files);
    first.build(&paid);
    let second = Repository::new(&files);
    second.write("c.rs", &function("gamma"));
    paid.bill();
    let relatives = [first.database()];
    let report = second.try_build(&paid, &relatives, &Silent).unwrap();
    assert_eq!(counts(&report), [1, 0, 0, 2]);
    assert_eq!(paid.bill(), 1);
    assert_eq!(first.files(), 2);
    // Later vectors are shared as well, but not those of another model.
    first.write("d.rs", &function("delta"));
    second.write("d.rs", &function("delta"));
    first.build(&paid);
    assert_eq!(paid.bill(), 1);
    second.try_build(&paid, &relatives, &Silent).unwrap();
    assert_eq!(paid.bill(), 0);
    let other = Paid::new("two", 16);
    second.try_build(&other, &relatives, &Silent).unwrap();
    assert_eq!(other.bill(), 4);
}

#[test]
fn vectors_that_nobody_uses_are_not_kept_for_ever() {
    let paid = Paid::new("one", 16);
    let repository = Repository::new(&[]);
    let functions = |round: usize| {
        let names = (0..400).map(|number| format!("name_{round}_{number}"));
        names.map(|name| function(&name)).collect::<String>()
    };
    for round in 0..14 {
        for part in 0..2 {
            let text = functions(round * 2 + part);
            let text = &text[..text.len().min(99_000)];
            repository.write(&format!("{part}.txt"), text);
        }
        repository.build(&paid);
    }
    let chunks = repository.build(&paid).chunks;
    let mut writer =
        Writer::open(&repository.database(), &index_settings(&paid), &INVALIDATION, &Silent)
            .unwrap();
    let sql = "SELECT count(*) FROM embeddings";
    let database = rusqlite::Connection::open(repository.database()).unwrap();
    let kept: i64 = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert!(kept as usize <= 2 * chunks + 1000, "{kept} for {chunks} chunks");
    assert_eq!(writer.trim_embeddings().unwrap(), 0);
    drop(writer);
    // Vectors in use are still there.
    paid.bill();
    repository.write("3.txt", "another file");
    repository.build(&paid);
    assert_eq!(paid.bill(), 1);
}

/// Wants nothing more as soon as so many files were stored.
struct Impatient {
    after: usize,
    stored: AtomicUsize,
}

impl Progress for Impatient {
    fn report(&self, stage: &str, done: usize, _total: Option<usize>) {
        if stage == "indexing files" {
            self.stored.store(done, Ordering::Relaxed);
        }
    }

    fn is_cancelled(&self) -> bool {
        self.stored.load(Ordering::Relaxed) >= self.after
    }
}

#[test]
fn a_build_that_is_cancelled_keeps_what_is_whole() {
    let paid = Paid::new("one", 16);
    let repository = Repository::new(&[]);
    for number in 0..700 {
        let name = format!("name{number}");
        repository.write(&format!("{name}.rs"), &format!("fn {name}() {{}}\n"));
    }
    let progress = Impatient { after: 1, stored: AtomicUsize::new(0) };
    let cancelled = repository.try_build(&paid, &[], &progress);
    assert!(matches!(cancelled, Err(IndexError::Cancelled)));
    let kept = repository.files();
    assert!((1..700).contains(&kept), "{kept}");
    assert_eq!(kept, progress.stored.load(Ordering::Relaxed));
    let bought = paid.bill();
    let report = repository.build(&paid);
    assert_eq!(counts(&report), [700 - kept, 0, 0, kept]);
    assert_eq!(repository.files(), 700);
    // Vectors that were not stored are made again; at most the batch that was under way.
    assert!(paid.bill() >= 700 - bought);
}

/// Takes the tree away as soon as it is asked whether to go on.
struct Vanishing(PathBuf);

impl Progress for Vanishing {
    fn report(&self, _stage: &str, _done: usize, _total: Option<usize>) {}

    fn is_cancelled(&self) -> bool {
        let _ = std::fs::remove_dir_all(&self.0);
        false
    }
}

#[test]
fn a_tree_that_vanishes_while_it_is_read_is_a_failure_and_costs_nothing() {
    let paid = Paid::new("one", 16);
    let repository = Repository::new(&[("a.rs", "fn a() {}\n"), ("b.rs", "fn b() {}\n")]);
    repository.build(&paid);
    // One file to be read, one to be removed.
    repository.write("a.rs", "fn a_new() {}\n");
    std::fs::remove_file(repository.root().join("b.rs")).unwrap();
    let vanishing = Vanishing(repository.root());
    let outcome = repository.try_build(&paid, &[], &vanishing);
    let Err(IndexError::Vanished { path }) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(path, repository.root());
    assert_eq!(repository.files(), 2);
}

/// Wants nothing more when so many files have been looked at since names are resolved.
struct Leaving {
    is_resolving: AtomicBool,
    looks: AtomicUsize,
    after: usize,
}

impl Progress for Leaving {
    fn report(&self, stage: &str, _done: usize, _total: Option<usize>) {
        if stage == "resolving names" {
            self.is_resolving.store(true, Ordering::Relaxed);
        }
    }

    fn is_cancelled(&self) -> bool {
        let is_resolving = self.is_resolving.load(Ordering::Relaxed);
        is_resolving && self.looks.fetch_add(1, Ordering::Relaxed) >= self.after
    }
}

#[test]
fn resolving_names_stops_when_nobody_wants_it() {
    let paid = Paid::new("one", 16);
    // In the middle of loading, and in the middle of resolving.
    for after in [30, 150] {
        let repository = Repository::new(&[]);
        for number in 0..100 {
            let text = format!("fn name{number}() {{ name0() }}\n");
            repository.write(&format!("f{number}.rs"), &text);
        }
        let progress =
            Leaving { is_resolving: AtomicBool::new(false), looks: AtomicUsize::new(0), after };
        let cancelled = repository.try_build(&paid, &[], &progress);
        assert!(matches!(cancelled, Err(IndexError::Cancelled)), "after {after}");
        assert!(!repository.are_edges_settled(), "and whoever asks is told");
        let report = repository.build(&paid);
        assert_eq!(counts(&report), [0, 0, 0, 100], "the files were stored");
        assert_eq!(report.graph.resolved, 100, "and are resolved now");
        assert!(repository.are_edges_settled());
    }
}

#[test]
fn damage_that_shows_while_writing_is_mended() {
    let paid = Paid::new("one", 16);
    let repository = Repository::new(&[("a.rs", &function("alpha")), ("b.rs", &function("beta"))]);
    repository.build(&paid);
    damage(&repository.database());
    repository.write("a.rs", &function("gamma"));
    let report = repository.build(&paid);
    assert_eq!(counts(&report), [2, 0, 0, 0], "it was built anew");
    assert_eq!(repository.files(), 2);
    let reader = Reader::open(&repository.database()).unwrap();
    let snapshot = reader.snapshot().unwrap();
    let path = RepoPath::new("a.rs").unwrap();
    assert_eq!(snapshot.symbols_in(&path).unwrap()[0].fact.name, "gamma");
}

/// Writes nonsense into the file blobs. Nothing reads them before the file is replaced.
fn damage(database: &Path) {
    run_sql(database, "UPDATE file_blobs SET symbols_blob = x'00112233'");
}

/// Changes a database behind the store's back.
fn run_sql(database: &Path, sql: &str) {
    let flags = rusqlite::OpenFlags::default();
    let connection = kenning_store::page_checksums::open(database, flags).unwrap();
    connection.execute_batch(sql).unwrap();
}

/// An index of another format version cannot be read, so everything is read again.
#[test]
fn another_format_is_rebuilt() {
    let paid = Paid::new("one", 16);
    let repository = Repository::new(&[("a.rs", &function("alpha"))]);
    repository.build(&paid);
    run_sql(&repository.database(), "PRAGMA user_version = 1");
    assert!(Reader::open(&repository.database()).is_err());
    let report = repository.build(&paid);
    assert_eq!(counts(&report), [1, 0, 0, 0], "it was rebuilt");
    assert_eq!(repository.files(), 1);
}

/// A disk that is full today may not be tomorrow: the index is worth waiting for.
#[test]
fn what_is_no_damage_is_an_error_and_costs_nothing() {
    let paid = Paid::new("one", 16);
    let repository = Repository::new(&[("a.rs", &function("alpha"))]);
    repository.build(&paid);
    let fail = "CREATE TRIGGER full BEFORE INSERT ON files BEGIN SELECT RAISE(FAIL, 'full'); END";
    run_sql(&repository.database(), fail);
    repository.write("b.rs", &function("beta"));
    let failed = repository.try_build(&paid, &[], &Silent);
    assert!(matches!(failed, Err(IndexError::Store(_))));
    assert_eq!(repository.files(), 1);
}
