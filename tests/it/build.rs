//! Building the package database on real trees: what changes, what stays, what breaks.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{SHIRE, Tree};

fn build(tree: &Tree, arguments: &[&str]) -> Value {
    let arguments = [&["build", "--json"], arguments].concat();
    let output = tree.run(SHIRE, &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn counts(report: &Value) -> Vec<u64> {
    let keys = ["added", "updated", "removed", "manifests_read"];
    keys.map(|key| report[key].as_u64().unwrap()).to_vec()
}

#[test]
fn only_what_changed_is_read_again() {
    let tree = Tree::monorepo();
    assert_eq!(counts(&build(&tree, &[])), [5, 0, 0, 5]);
    assert_eq!(counts(&build(&tree, &[])), [0, 0, 0, 0]);
    tree.write("packages/ui/package.json", r#"{"name": "ui", "version": "0.4.0"}"#);
    assert_eq!(counts(&build(&tree, &[])), [0, 1, 0, 1]);
    tree.write("packages/new/package.json", r#"{"name": "new"}"#);
    assert_eq!(counts(&build(&tree, &[])), [1, 0, 0, 1]);
    tree.remove("tools/lint/Cargo.toml");
    assert_eq!(counts(&build(&tree, &[])), [0, 0, 1, 0]);
    let kinds = tree.shire().answer("list_packages", json!({"kind": "cargo"}));
    assert_eq!(kinds, json!([]));
}

#[test]
fn the_same_content_at_another_time_is_not_a_change() {
    let tree = Tree::monorepo();
    build(&tree, &[]);
    let text = std::fs::read_to_string(tree.root().join("package.json")).unwrap();
    tree.write("package.json", &text);
    assert_eq!(counts(&build(&tree, &[])), [0, 0, 0, 0]);
}

#[test]
fn a_change_within_one_tick_of_the_clock_is_seen() {
    let tree = Tree::new(&[("composer.json", r#"{"name": "a/one"}"#)]);
    build(&tree, &[]);
    let path = tree.root().join("composer.json");
    let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
    tree.write("composer.json", r#"{"name": "a/two"}"#);
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(modified).unwrap();
    assert_eq!(counts(&build(&tree, &[])), [1, 0, 1, 1]);
}

#[test]
fn a_manifest_that_breaks_keeps_its_last_good_facts() {
    let tree = Tree::monorepo();
    build(&tree, &[]);
    tree.write("packages/core/package.json", r#"{"name": "core", "version": "#);
    let report = build(&tree, &[]);
    assert_eq!(report["packages"], 5);
    let problems = report["problems"].to_string();
    assert!(problems.contains("packages/core/package.json"), "{problems}");
    let mut client = tree.shire();
    let arguments = json!({"name": "core", "kind": "npm"});
    assert_eq!(client.answer("get_package", arguments)["version"], "2.0.0");
    // Still reported by a build that reads nothing.
    let report = build(&tree, &[]);
    assert!(report["problems"].to_string().contains("packages/core/package.json"));
    tree.write("packages/core/package.json", r#"{"name": "core", "version": "3.0.0"}"#);
    let report = build(&tree, &[]);
    assert_eq!(report["problems"], json!([]));
}

#[test]
fn bad_files_never_stop_the_rest() {
    let tree = Tree::monorepo();
    tree.write("bad/json/package.json", "{");
    tree.write("bad/toml/Cargo.toml", "[package\n");
    tree.write_bytes("bad/utf8/composer.json", b"{\"name\": \"\xff\"}");
    tree.write("bad/huge/package.json", &" ".repeat(2_000_000));
    let report = build(&tree, &[]);
    assert_eq!(report["packages"], 5);
    let problems = report["problems"].as_array().unwrap();
    for path in ["bad/json", "bad/toml", "bad/utf8", "bad/huge"] {
        let reported = problems.iter().any(|line| line.as_str().unwrap().contains(path));
        assert!(reported, "{path}: {problems:?}");
    }
}

#[test]
fn force_reads_everything_and_forgets_what_vanished() {
    let tree = Tree::monorepo();
    build(&tree, &[]);
    tree.remove("packages/ui/package.json");
    let report = build(&tree, &["--force"]);
    assert_eq!(report["packages"], 4);
    assert_eq!(report["manifests_read"], 4);
}

#[test]
fn settings_that_matter_cause_a_new_link() {
    let tree = Tree::monorepo();
    build(&tree, &[]);
    tree.write(
        "shire.toml",
        "[[packages]]\nname = \"ui\"\ndescription = \"Old forms\"\n\
         [[discovery.custom]]\nname = \"jobs\"\nkind = \"job\"\nrequires = [\"job.yml\"]\n",
    );
    tree.write("jobs/nightly/job.yml", "");
    assert_eq!(build(&tree, &[])["packages"], 6);
    let mut client = tree.shire();
    assert_eq!(client.answer("get_package", json!({"name": "ui"}))["description"], "Old forms");
    let job = client.answer("get_package", json!({"name": "jobs/nightly"}));
    assert_eq!(job["metadata"], json!({"custom_rule": "jobs"}));
    tree.remove("jobs/nightly/job.yml");
    assert_eq!(build(&tree, &[])["packages"], 5);
}

#[test]
fn a_file_of_somebody_else_is_not_overwritten() {
    let tree = Tree::monorepo();
    tree.write("notes.db", "my only copy");
    let output = tree.run(SHIRE, &["build", "--db", "notes.db"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(tree.root().join("notes.db")).unwrap(), "my only copy");
}

/// The original shire leaves a write-ahead log; SQLite would replay it into whatever stands there.
#[test]
fn what_the_original_left_beside_its_database_does_no_harm() {
    let tree = Tree::monorepo();
    tree.write("unrelated", "");
    std::fs::create_dir_all(tree.root().join(".shire")).unwrap();
    let original = rusqlite::Connection::open(tree.database()).unwrap();
    original
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE shire_meta (key TEXT PRIMARY KEY, value TEXT);
             CREATE TABLE packages (name TEXT PRIMARY KEY, path TEXT);
             PRAGMA wal_checkpoint(TRUNCATE);
             INSERT INTO packages VALUES ('old', 'gone');",
        )
        .unwrap();
    assert!(tree.root().join(".shire/index.db-wal").exists());
    build(&tree, &[]);
    drop(original);
    let ours = rusqlite::Connection::open(tree.database()).unwrap();
    let sound: String = ours.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    let query = "SELECT count(*) FROM packages WHERE name = 'old'";
    let count: i64 = ours.query_row(query, [], |row| row.get(0)).unwrap();
    assert_eq!(count, 0);
}

/// A file that is too large is not read; once it fits, it is.
#[test]
fn what_could_not_be_read_is_tried_again() {
    let tree = Tree::monorepo();
    let modified = |path: &str| {
        let path = tree.root().join(path);
        std::fs::metadata(path).unwrap().modified().unwrap()
    };
    let arguments = ["--set", "index.max_file_size=100"];
    assert_eq!(build(&tree, &arguments)["packages"], 3);
    let before = modified("packages/web/package.json");
    assert_eq!(build(&tree, &[])["packages"], 5);
    assert_eq!(modified("packages/web/package.json"), before);
    assert_eq!(build(&tree, &[])["problems"], json!([]));
}

#[test]
fn a_root_that_is_renamed_names_its_packages_anew() {
    let tree = Tree::new(&[("composer.json", "{}")]);
    build(&tree, &[]);
    assert_eq!(tree.shire().answer("list_packages", json!({}))[0]["name"], "repo");
    let renamed = tree.root().with_file_name("other");
    std::fs::rename(tree.root(), &renamed).unwrap();
    let output = tree.command(SHIRE, &["build"]).current_dir(&renamed).output().unwrap();
    assert!(output.status.success());
    let mut command = tree.command(SHIRE, &["serve"]);
    command.current_dir(&renamed);
    let mut client = crate::support::Client::connect(command);
    assert_eq!(client.answer("list_packages", json!({}))[0]["name"], "other");
}

/// The same tree gives the same database, whatever the number of threads.
#[test]
fn one_thread_and_many_write_the_same() {
    let tree = Tree::monorepo();
    for n in 0..40 {
        let json = format!(r#"{{"name": "acme/p{n}", "require": {{"acme/p{}": "*"}}}}"#, n / 2);
        tree.write(&format!("php/p{n}/composer.json"), &json);
    }
    let dump = |threads: &str| -> Vec<String> {
        let name = format!("{threads}.db");
        let mut command = tree.command(SHIRE, &["build", "--db", &name]);
        command.env("RAYON_NUM_THREADS", threads);
        assert!(command.output().unwrap().status.success());
        let connection = rusqlite::Connection::open(tree.root().join(name)).unwrap();
        let rows = |query: &str| -> Vec<String> {
            let mut statement = connection.prepare(query).unwrap();
            let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
            rows.map(Result::unwrap).collect()
        };
        let packages = "SELECT id || kind || name || path || ifnull(version, '') FROM packages
                        ORDER BY id";
        let dependencies = "SELECT package_id || dependency || dep_kind || ifnull(target_path, '')
                            FROM dependencies ORDER BY rowid";
        [rows(packages), rows(dependencies)].concat()
    };
    assert_eq!(dump("1"), dump("8"));
}

#[test]
fn a_damaged_database_is_built_anew() {
    let tree = Tree::monorepo();
    build(&tree, &[]);
    let mut bytes = std::fs::read(tree.database()).unwrap();
    let end = bytes.len();
    bytes[4096..end].fill(0x5A);
    std::fs::write(tree.database(), &bytes).unwrap();
    let output = tree.run(SHIRE, &["serve"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(build(&tree, &[])["packages"], 5);
    assert_eq!(tree.shire().answer("list_packages", json!({})).as_array().unwrap().len(), 5);
}

#[test]
fn builds_at_the_same_time_wait_for_each_other() {
    let tree = Tree::monorepo();
    build(&tree, &[]);
    tree.write("packages/new/package.json", r#"{"name": "new"}"#);
    let start = || {
        let mut command = tree.command(SHIRE, &["build"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let builds: Vec<_> = (0..6).map(|_| start()).collect();
    for child in builds {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(build(&tree, &[])["packages"], 6);
}

#[test]
fn the_database_answers_sqlite3() {
    let tree = Tree::monorepo();
    build(&tree, &[]);
    let connection = rusqlite::Connection::open(tree.database()).unwrap();
    let query = "SELECT p.name FROM packages_fts f JOIN packages p ON p.id = f.rowid
                 WHERE packages_fts MATCH 'customer'";
    let name: String = connection.query_row(query, [], |row| row.get(0)).unwrap();
    assert_eq!(name, "web");
    let query = "SELECT count(*) FROM dependencies WHERE is_internal = 1";
    let count: i64 = connection.query_row(query, [], |row| row.get(0)).unwrap();
    assert_eq!(count, 3);
    let query = "SELECT value FROM shire_meta WHERE key = 'package_count'";
    let count: String = connection.query_row(query, [], |row| row.get(0)).unwrap();
    assert_eq!(count, "5");
}

/// Builds are killed at many different moments; whatever is there afterwards opens and is whole.
#[cfg(unix)]
#[test]
fn kill_9_leaves_the_last_state_or_the_next() {
    let files: Vec<(String, String)> = (0..300)
        .map(|n| (format!("p{n}/composer.json"), format!(r#"{{"name": "acme/p{n}"}}"#)))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    let tree = Tree::new(&files);
    build(&tree, &[]);
    for round in 0..30u64 {
        tree.write("p0/composer.json", &format!(r#"{{"name": "acme/p0", "version": "{round}"}}"#));
        let mut child = tree
            .command(SHIRE, &["build", "--force"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Spread over the time that a build takes, without asserting anything about it.
        std::thread::sleep(std::time::Duration::from_micros(round * 1_500));
        let _ = child.kill();
        child.wait().unwrap();
        let packages = tree.shire().answer("list_packages", json!({}));
        assert_eq!(packages.as_array().unwrap().len(), 300, "round {round}");
    }
    assert_eq!(build(&tree, &[])["packages"], 300);
}
