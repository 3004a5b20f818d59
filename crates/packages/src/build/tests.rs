//! Builds over small trees: what each build reports, and what the database says afterwards.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use expect_test::{Expect, expect};

use super::*;
use crate::database::{DatabaseVersion, PackageReader};
use kenning_model::Silent;

/// A repository, and the database beside it.
struct Repository {
    directory: tempfile::TempDir,
    rules: PackageRules,
    mode: BuildMode,
    now: SystemTime,
}

/// Long enough after the last write that a build may trust the times of files.
const LATER: Duration = Duration::from_secs(60);

const WEB: &str = r#"{"name": "web", "version": "1.0.0", "dependencies": {"core": "workspace:*", "react": "^18"}}"#;
const CORE: &str = r#"{"name": "core", "version": "2.0.0", "description": "Money and dates"}"#;
const LINT: &str = "[package]\nname = \"lint\"\nversion = \"0.1.0\"\n";

impl Repository {
    fn new(files: &[(&str, &str)]) -> Repository {
        let repository = Repository {
            directory: tempfile::tempdir().unwrap(),
            rules: PackageRules { max_file_size: 1 << 20, ..PackageRules::default() },
            mode: BuildMode::Incremental,
            now: SystemTime::now() + LATER,
        };
        std::fs::create_dir_all(repository.root()).unwrap();
        for (path, text) in files {
            repository.write(path, text);
        }
        repository
    }

    /// `web` needs `core`; `lint` is of another ecosystem.
    fn monorepo() -> Repository {
        Repository::new(&[
            ("package.json", r#"{"private": true, "workspaces": ["packages/*"]}"#),
            ("packages/web/package.json", WEB),
            ("packages/core/package.json", CORE),
            ("tools/lint/Cargo.toml", LINT),
        ])
    }

    fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join("repository")
    }

    fn database(&self) -> PathBuf {
        self.directory.path().join("index.db")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Writes a file and gives it the time that it had.
    fn write_unnoticed(&self, path: &str, text: &str) {
        let modified = self.root().join(path).metadata().unwrap().modified().unwrap();
        self.write(path, text);
        let file = std::fs::File::options().append(true).open(self.root().join(path)).unwrap();
        file.set_modified(modified).unwrap();
    }

    fn build_with(&self, progress: &dyn Progress) -> Result<PackageReport, BuildError> {
        let (root, database) = (self.root(), self.database());
        let (rules, mode, now) = (&self.rules, self.mode, self.now);
        build_packages(
            &PackageBuild { root: &root, database: &database, rules, mode, now },
            progress,
        )
    }

    /// The report of a build.
    fn build(&self) -> String {
        let report = self.build_with(&Silent).unwrap();
        let Difference { added, updated, removed } = report.difference;
        let mut text = format!(
            "{} packages: {added} added, {updated} updated, {removed} removed; {} manifests parsed, {} unchanged\n",
            report.packages, report.parsed, report.unchanged
        );
        for problem in report.problems {
            writeln!(text, "problem: {problem}").unwrap();
        }
        text
    }

    /// The packages in the database.
    fn packages(&self) -> String {
        let mut text = String::new();
        for package in
            PackageReader::open(&self.database()).unwrap().read_contents().unwrap().packages
        {
            let version = package.version.as_deref().unwrap_or("-");
            let about = package.description.as_deref().unwrap_or("-");
            let (kind, name, path) = (&package.kind, &package.name, &package.path);
            writeln!(text, "{kind} {name} {version} ({path}) {about}").unwrap();
            for dependency in &package.dependencies {
                let place = dependency.internal.as_ref().map_or("outside", |path| path.as_str());
                let wanted = dependency.version_req.as_deref().unwrap_or("-");
                writeln!(text, "  needs {} {wanted} from {place}", dependency.name).unwrap();
            }
        }
        text
    }

    /// Builds, and checks the report and the packages after it.
    fn check(&self, expected: Expect) {
        let report = self.build();
        expected.assert_eq(&(report + &self.packages()));
    }

    /// Builds, and checks only the report.
    fn check_report(&self, expected: Expect) {
        expected.assert_eq(&self.build());
    }
}

#[test]
fn the_first_build_reads_everything() {
    Repository::monorepo().check(expect![[r#"
        4 packages: 4 added, 0 updated, 0 removed; 4 manifests parsed, 0 unchanged
        npm core 2.0.0 (packages/core) Money and dates
        cargo lint 0.1.0 (tools/lint) -
        npm repository - () -
        npm web 1.0.0 (packages/web) -
          needs core * from packages/core
          needs react ^18 from outside
    "#]]);
}

#[test]
fn an_unchanged_tree_is_not_read_or_written() {
    let repository = Repository::monorepo();
    repository.build();
    let published = DatabaseVersion::read(&repository.database());
    repository.check_report(expect![[r#"
        4 packages: 0 added, 0 updated, 0 removed; 0 manifests parsed, 4 unchanged
    "#]]);
    assert_eq!(DatabaseVersion::read(&repository.database()), published);
}

/// A database of the first format is upgraded even if nothing else changed: readers refuse it until
/// then.
#[test]
fn a_database_of_an_older_format_is_published_anew() {
    let repository = Repository::monorepo();
    repository.build();
    let connection = rusqlite::Connection::open(repository.database()).unwrap();
    let downgrade = "ALTER TABLE packages DROP COLUMN modules; PRAGMA user_version = 1;";
    connection.execute_batch(downgrade).unwrap();
    drop(connection);
    assert!(PackageReader::open(&repository.database()).is_err());
    repository.build();
    assert!(PackageReader::open(&repository.database()).is_ok());
}

#[test]
fn only_a_changed_manifest_is_parsed() {
    let repository = Repository::monorepo();
    repository.build();
    repository.write("packages/core/package.json", r#"{"name": "core", "version": "2.1.0"}"#);
    repository.check(expect![[r#"
        4 packages: 0 added, 1 updated, 0 removed; 1 manifests parsed, 3 unchanged
        npm core 2.1.0 (packages/core) -
        cargo lint 0.1.0 (tools/lint) -
        npm repository - () -
        npm web 1.0.0 (packages/web) -
          needs core * from packages/core
          needs react ^18 from outside
    "#]]);
}

#[test]
fn packages_come_and_go() {
    let repository = Repository::monorepo();
    repository.build();
    repository.write("packages/ui/package.json", r#"{"name": "ui"}"#);
    std::fs::remove_file(repository.root().join("packages/core/package.json")).unwrap();
    // The dependency of `web` is no longer a package of the repository.
    repository.check(expect![[r#"
        4 packages: 1 added, 1 updated, 1 removed; 1 manifests parsed, 3 unchanged
        problem: packages/web/package.json: `core` is `workspace:*`, and its workspace has no such package
        cargo lint 0.1.0 (tools/lint) -
        npm repository - () -
        npm ui - (packages/ui) -
        npm web 1.0.0 (packages/web) -
          needs core * from outside
          needs react ^18 from outside
    "#]]);
}

#[test]
fn size_and_time_are_trusted_only_after_the_clock_has_ticked() {
    let repository = Repository::monorepo();
    repository.build();
    let (old, new) = (CORE, CORE.replace("2.0.0", "3.0.0"));
    assert_eq!(old.len(), new.len());
    repository.write_unnoticed("packages/core/package.json", &new);
    repository.check_report(expect![[r#"
        4 packages: 0 added, 0 updated, 0 removed; 0 manifests parsed, 4 unchanged
    "#]]);

    // A build in the same moment as the write cannot tell an edit by time, so it reads the file.
    let repository = Repository { now: SystemTime::now(), ..Repository::monorepo() };
    repository.build();
    repository.write_unnoticed("packages/core/package.json", &new);
    repository.check_report(expect![[r#"
        4 packages: 0 added, 1 updated, 0 removed; 1 manifests parsed, 3 unchanged
    "#]]);
}

#[test]
fn a_touched_manifest_is_read_and_not_parsed() {
    let repository = Repository::monorepo();
    repository.build();
    let path = repository.root().join("packages/core/package.json");
    let file = std::fs::File::options().append(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - LATER).unwrap();
    let published = || DatabaseVersion::read(&repository.database());
    let first = published();
    repository.check_report(expect![[r#"
        4 packages: 0 added, 0 updated, 0 removed; 0 manifests parsed, 4 unchanged
    "#]]);
    // Its new time is stored, so that the next build need not read it.
    let second = published();
    assert_ne!(second, first);
    repository.build();
    assert_eq!(published(), second);
}

#[test]
fn a_manifest_that_breaks_keeps_its_facts() {
    let repository = Repository::monorepo();
    repository.build();
    repository.write("packages/core/package.json", r#"{"name": "core","#);
    repository.check(expect![[r#"
        4 packages: 0 added, 0 updated, 0 removed; 1 manifests parsed, 3 unchanged
        problem: packages/core/package.json: its last good state is kept until it can be read again
        problem: packages/core/package.json:1: EOF while parsing a value at line 1 column 16
        npm core 2.0.0 (packages/core) Money and dates
        cargo lint 0.1.0 (tools/lint) -
        npm repository - () -
        npm web 1.0.0 (packages/web) -
          needs core * from packages/core
          needs react ^18 from outside
    "#]]);
    // The problem is reported until the manifest is readable again.
    repository.check_report(expect![[r#"
        4 packages: 0 added, 0 updated, 0 removed; 0 manifests parsed, 4 unchanged
        problem: packages/core/package.json: its last good state is kept until it can be read again
        problem: packages/core/package.json:1: EOF while parsing a value at line 1 column 16
    "#]]);
    repository.write("packages/core/package.json", CORE);
    repository.check_report(expect![[r#"
        4 packages: 0 added, 0 updated, 0 removed; 1 manifests parsed, 3 unchanged
    "#]]);
}

#[test]
fn a_manifest_that_was_never_readable_declares_nothing() {
    let repository = Repository::new(&[
        ("a/package.json", r#"{"name": "a","#),
        ("b/package.json", r#"{"name": "b"}"#),
    ]);
    repository.check(expect![[r#"
        1 packages: 1 added, 0 updated, 0 removed; 2 manifests parsed, 0 unchanged
        problem: a/package.json:1: EOF while parsing a value at line 1 column 13
        npm b - (b) -
    "#]]);
}

#[test]
fn a_manifest_over_the_limit_is_a_problem() {
    let mut repository = Repository::monorepo();
    repository.rules.max_file_size = 80;
    repository.check(expect![[r#"
        3 packages: 3 added, 0 updated, 0 removed; 4 manifests parsed, 0 unchanged
        problem: packages/web/package.json: 92 bytes, above the limit of 80 (index.max_file_size)
        npm core 2.0.0 (packages/core) Money and dates
        cargo lint 0.1.0 (tools/lint) -
        npm repository - () -
    "#]]);
}

#[test]
fn a_fresh_build_reads_everything_again() {
    let mut repository = Repository::monorepo();
    repository.build();
    repository.mode = BuildMode::Fresh;
    repository.check_report(expect![[r#"
        4 packages: 4 added, 0 updated, 0 removed; 4 manifests parsed, 0 unchanged
    "#]]);
}

#[test]
fn a_listed_manifest_stands_for_its_ecosystem() {
    let mut repository = Repository::monorepo();
    repository.rules.manifests = vec!["Cargo.toml".to_string()];
    repository.check(expect![[r#"
        1 packages: 1 added, 0 updated, 0 removed; 1 manifests parsed, 0 unchanged
        cargo lint 0.1.0 (tools/lint) -
    "#]]);
    // Other rules give other packages, although no manifest changed.
    repository.rules.manifests = vec!["package.json".to_string()];
    repository.check(expect![[r#"
        3 packages: 3 added, 0 updated, 1 removed; 3 manifests parsed, 0 unchanged
        npm core 2.0.0 (packages/core) Money and dates
        npm repository - () -
        npm web 1.0.0 (packages/web) -
          needs core * from packages/core
          needs react ^18 from outside
    "#]]);
}

#[test]
fn excluded_folders_are_not_read() {
    let mut repository = Repository::monorepo();
    repository.rules.exclude = vec!["tools".to_string()];
    repository.check_report(expect![[r#"
        3 packages: 3 added, 0 updated, 0 removed; 3 manifests parsed, 0 unchanged
    "#]]);
}

#[test]
fn descriptions_are_replaced() {
    let mut repository = Repository::new(&[("package.json", CORE)]);
    let described = [("core".to_string(), "The heart".to_string())];
    repository.rules.descriptions = described.into();
    repository.check(expect![[r#"
        1 packages: 1 added, 0 updated, 0 removed; 1 manifests parsed, 0 unchanged
        npm core 2.0.0 () The heart
    "#]]);
}

#[test]
fn custom_rules_find_folders_without_a_manifest() {
    let mut repository = Repository::monorepo();
    repository.write("jobs/nightly/job.yaml", "every: night\n");
    repository.write("tools/lint/job.yaml", "every: day\n");
    repository.rules.custom = vec![CustomRule {
        name: "jobs".to_string(),
        kind: "job".to_string(),
        requires: vec!["job.yaml".to_string()],
        name_prefix: Some("job:".to_string()),
        ..CustomRule::default()
    }];
    // A folder that a manifest declares is left alone.
    repository.check(expect![[r#"
        5 packages: 5 added, 0 updated, 0 removed; 4 manifests parsed, 0 unchanged
        npm core 2.0.0 (packages/core) Money and dates
        job job:jobs/nightly - (jobs/nightly) -
        cargo lint 0.1.0 (tools/lint) -
        npm repository - () -
        npm web 1.0.0 (packages/web) -
          needs core * from packages/core
          needs react ^18 from outside
    "#]]);
    repository.write("jobs/weekly/job.yaml", "every: week\n");
    repository.check_report(expect![[r#"
        6 packages: 1 added, 0 updated, 0 removed; 4 manifests parsed, 0 unchanged
    "#]]);
}

#[test]
fn credentials_are_not_stored() {
    let repository = Repository::new(&[(
        "package.json",
        r#"{"name": "a", "dependencies": {"b": "https://user:opensesame@example.org/b.tgz"}}"#,
    )]);
    repository.check(expect![[r#"
        1 packages: 1 added, 0 updated, 0 removed; 1 manifests parsed, 0 unchanged
        npm a - () -
          needs b https://example.org/b.tgz from outside
    "#]]);
    let stored = std::fs::read(repository.database()).unwrap();
    assert!(!String::from_utf8_lossy(&stored).contains("opensesame"));
}

/// Says at once that nobody waits for the result.
struct Cancelled;

impl Progress for Cancelled {
    fn report(&self, _: &str, _: usize, _: Option<usize>) {}

    fn is_cancelled(&self) -> bool {
        true
    }
}

#[test]
fn a_cancelled_build_leaves_the_last_state() {
    let repository = Repository::monorepo();
    repository.build();
    let packages = repository.packages();
    repository.write("packages/core/package.json", r#"{"name": "core", "version": "9.0.0"}"#);
    let outcome = repository.build_with(&Cancelled);
    assert!(matches!(outcome, Err(BuildError::Cancelled)), "{outcome:?}");
    assert_eq!(repository.packages(), packages);
}

#[test]
fn a_root_that_is_no_folder_is_an_error() {
    let repository = Repository::new(&[]);
    std::fs::remove_dir(repository.root()).unwrap();
    let outcome = repository.build_with(&Silent);
    assert!(matches!(outcome, Err(BuildError::Root { .. })), "{outcome:?}");
}

#[test]
fn an_unreadable_database_is_built_again() {
    let repository = Repository::monorepo();
    repository.build();
    let mut bytes = std::fs::read(repository.database()).unwrap();
    // Behind the first page, which says whose file it is: a file of somebody else is never replaced.
    bytes[4096..].fill(0xff);
    std::fs::write(repository.database(), bytes).unwrap();
    repository.check_report(expect![[r#"
        4 packages: 4 added, 0 updated, 0 removed; 4 manifests parsed, 0 unchanged
    "#]]);
}

#[test]
fn changed_manifests_are_counted() {
    let repository = Repository::monorepo();
    repository.build();
    let stamps =
        PackageReader::open(&repository.database()).unwrap().read_contents().unwrap().stamps;
    let count = || count_stale_manifests(&repository.root(), &stamps);
    assert_eq!(count(), 0);
    repository.write("packages/core/package.json", r#"{"name": "core"}"#);
    assert_eq!(count(), 1);
    std::fs::remove_file(repository.root().join("tools/lint/Cargo.toml")).unwrap();
    assert_eq!(count(), 2);
}

#[test]
fn manifests_are_known_by_name() {
    for name in ["package.json", "Cargo.toml", "go.mod", "pom.xml", "requirements-dev.txt"] {
        assert!(is_manifest_name(name), "{name}");
    }
    for name in ["package.rs", "Cargo.lock", "README.md", ""] {
        assert!(!is_manifest_name(name), "{name}");
    }
}
