//! Indexing runs beside what they find: what a run writes, what it counts, what it says of files
//! that it could not read, what two of them do to each other.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::support::{KEN, Tree, settle, wait_for};

fn small() -> Tree {
    let tree = Tree::new(&[
        ("Cargo.toml", "[package]\nname = \"sample\"\nversion = \"1.0.0\"\n"),
        ("src/parser.rs", "pub fn parse_header(text: &str) -> Header {\n    todo(text)\n}\n"),
        ("src/writer.rs", "pub fn write_body(out: &mut Vec<u8>) {\n    out.push(1);\n}\n"),
        ("logo.bin2", "\0\u{1}"),
        ("specs/auth/spec.md", "# Auth\n\n### Requirement: Login\n\nIt SHALL log in.\n"),
    ]);
    settle(&tree.root());
    tree
}

/// Every file of the collection but the locks: when it was changed, and what it says.
fn stored(tree: &Tree) -> BTreeMap<String, (SystemTime, Vec<u8>)> {
    let folder = tree.home().join("collections/repo");
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = entries.map(|entry| {
        let name = entry.file_name().into_string().unwrap();
        let modified = entry.metadata().unwrap().modified().unwrap();
        (name, (modified, std::fs::read(entry.path()).unwrap()))
    });
    // An empty log is as good as none; what readers share by memory is not stored.
    files
        .filter(|(name, _)| !name.ends_with(".lock") && !name.ends_with("-shm"))
        .filter(|(name, (_, bytes))| !name.ends_with("-wal") || !bytes.is_empty())
        .collect()
}

fn counts(statistics: &Value) -> [u64; 4] {
    ["added", "changed", "removed", "unchanged"].map(|name| statistics[name].as_u64().unwrap())
}

#[test]
fn a_run_that_finds_nothing_new_writes_nothing() {
    let tree = small();
    let first = tree.ken_json(&["index"]);
    let before = stored(&tree);
    let again = tree.ken_json(&["index"]);
    assert_eq!(counts(&again), [0, 0, 0, 4], "{again}");
    assert_eq!(again["skippedByReason"], first["skippedByReason"]);
    assert_eq!(again["packages"], 1);
    assert_eq!(again["specs"], 1);
    let after = stored(&tree);
    for (name, file) in &before {
        assert_eq!(after.get(name).map(|file| file.0), Some(file.0), "{name}");
        assert!(after[name].1 == file.1, "{name}");
    }
    // One file that changed is one that is read, and everything else stays.
    tree.write("src/writer.rs", "pub fn write_footer() {}\n");
    assert_eq!(counts(&tree.ken_json(&["index"])), [0, 1, 0, 3]);
    // Nor is there a log that the next run would have to read.
    let log = tree.home().join("collections/repo/code.db-wal");
    assert_eq!(log.metadata().map_or(0, |log| log.len()), 0);
    // Read again, because it changed so shortly before, and written down that it was.
    assert_eq!(counts(&tree.ken_json(&["index"])), [0, 0, 0, 4]);
    assert!(stored(&tree)["code.db"].1 != after["code.db"].1);
}

#[test]
fn what_is_passed_over_now_is_counted_as_removed() {
    let tree = small();
    tree.ken(&["index"]);
    tree.write_bytes("src/writer.rs", b"\0 no text any more");
    let statistics = tree.ken_json(&["index"]);
    assert_eq!(counts(&statistics), [0, 0, 1, 3], "{statistics}");
    assert_eq!(statistics["skippedByReason"]["binary"], 2);
    tree.write("src/parser.rs", &"x".repeat(1_100_000));
    let statistics = tree.ken_json(&["index"]);
    assert_eq!(counts(&statistics), [0, 0, 1, 2], "{statistics}");
    assert_eq!(counts(&tree.ken_json(&["index"]))[..3], [0, 0, 0]);
}

/// A name that is not text is a problem of the walk, and of no file that is indexed.
#[cfg(target_os = "linux")]
#[test]
fn what_could_not_be_looked_at_is_in_the_status() {
    use std::os::unix::ffi::OsStrExt;
    let tree = small();
    let name = std::ffi::OsStr::from_bytes(b"caf\xE9.rs");
    std::fs::write(tree.root().join(name), "fn coffee() {}\n").unwrap();
    let statistics = tree.ken_json(&["index"]);
    let problem = "caf\u{FFFD}.rs: its name is not valid UTF-8; the file is left out";
    assert_eq!(statistics["problems"], json!([problem]));
    let status = tree.ken_json(&["status", "--skipped"]);
    assert_eq!(status["problemList"], json!([problem]));
    settle(&tree.root());
    tree.ken(&["index"]);
    let before = stored(&tree);
    tree.ken(&["index"]);
    assert!(stored(&tree) == before);
    std::fs::remove_file(tree.root().join(name)).unwrap();
    tree.ken(&["index"]);
    assert_eq!(tree.ken_json(&["status"])["problems"], 0);
}

#[test]
fn another_checkout_below_the_root_is_left_out() {
    let tree = small();
    tree.write("trees/fix/.git", "gitdir: /elsewhere/.git/worktrees/fix\n");
    tree.write("trees/fix/src/parser.rs", "pub fn parse_header() {}\n");
    tree.write("trees/fix/Cargo.toml", "[package]\nname = \"copy\"\n");
    let statistics = tree.ken_json(&["index"]);
    assert_eq!(statistics["files"], 4, "{statistics}");
    assert_eq!(statistics["packages"], 1);
    assert_eq!(statistics["skippedByReason"]["another checkout"], 1);
}

#[test]
fn two_runs_at_the_same_time_make_one_index() {
    let tree = Tree::new(&[]);
    for number in 0..120 {
        let text = format!("pub fn function_{number}() -> u32 {{\n    {number}\n}}\n");
        tree.write(&format!("src/file_{number}.rs"), &text);
    }
    let run = || {
        let mut command = tree.command(KEN, &["index", "--json"]);
        command.stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let mut both = [run(), run()];
    let mut added = 0;
    for child in &mut both {
        let mut text = String::new();
        std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut text).unwrap();
        assert!(wait_for(child).success());
        let statistics: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(statistics["files"], 120);
        added += statistics["added"].as_u64().unwrap();
    }
    assert_eq!(added, 120, "each file is read by one of them");
    let answer = tree.ken_json(&["search", "function_77"]);
    assert_eq!(answer["results"][0]["path"], "src/file_77.rs");
    assert_eq!(tree.ken_json(&["status"])["files"], 120);
}

/// In a checkout below the repository that it is of, what is indexed above is another state of the
/// code.
#[test]
fn within_another_checkout_the_one_around_it_is_not_meant() {
    let tree = small();
    tree.ken(&["index"]);
    tree.write("trees/fix/.git", "gitdir: /elsewhere/.git/worktrees/fix\n");
    tree.write("trees/fix/src/fix.rs", "pub fn only_in_the_fix() {}\n");
    let mut command = tree.command(KEN, &["search", "only_in_the_fix", "--json"]);
    let inside = tree.root().join("trees/fix/src");
    let output = command.current_dir(inside).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["results"][0]["path"], "src/fix.rs", "{answer}");
}

#[test]
fn an_empty_folder_is_looked_at_again() {
    let tree = Tree::new(&[]);
    let answer = tree.ken_json(&["search", "later"]);
    assert_eq!(answer["results"], json!([]));
    tree.write("a.py", "def later():\n    pass\n");
    let answer = tree.ken_json(&["search", "later"]);
    assert_eq!(answer["results"][0]["symbol"], "later", "{answer}");
}

#[test]
fn new_files_are_news() {
    let tree = small();
    tree.ken(&["index"]);
    assert_eq!(tree.ken_json(&["status"])["changedFiles"], 0);
    tree.write("src/new.rs", "fn new() {}\n");
    tree.write("src/writer.rs", "fn other() {}\n");
    tree.write("Cargo.lock", "");
    std::fs::remove_file(tree.root().join("src/parser.rs")).unwrap();
    assert_eq!(tree.ken_json(&["status"])["changedFiles"], 3);
    tree.ken(&["index"]);
    assert_eq!(tree.ken_json(&["status"])["changedFiles"], 0);
}

#[test]
fn a_name_that_only_tests_have_is_told() {
    let tree = small();
    tree.write("tests/it.rs", "fn check_the_header() {}\n");
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["search", "check_the_header"]);
    let notice = answer["notice"].as_str().unwrap_or_default();
    assert!(notice.contains("include_tests"), "{answer}");
    let answer = tree.ken_json(&["search", "check_the_header", "--include-tests"]);
    assert_eq!(answer["results"][0]["symbol"], "check_the_header");
    assert_eq!(answer["notice"], Value::Null);
    let answer = tree.ken_json(&["search", "parse_header"]);
    assert_eq!(answer["notice"], Value::Null);
}

#[test]
fn a_name_that_a_filter_hides_is_told_as_hidden() {
    let tree = small();
    tree.ken(&["index"]);
    for filter in [["--file-filter", "docs/**"], ["--language", "python"], ["--kind", "struct"]] {
        let answer = tree.ken_json(&[&["search", "parse_header"][..], &filter].concat());
        let notice = answer["notice"].as_str().unwrap_or_default();
        assert!(notice.contains("filters"), "{filter:?} {answer}");
        assert!(!notice.contains("include_tests"), "{filter:?} {answer}");
    }
}

#[test]
fn small_things_that_share_a_piece_are_found_by_their_kind() {
    let tree = small();
    tree.write(
        "src/shapes.rs",
        "pub struct Corner {\n    pub left: f32,\n    pub top: f32,\n}\n\n\
         pub fn stretched(it: f32) -> f32 {\n    it * 2.0\n}\n\n\
         pub enum Turn {\n    Left,\n    Right,\n}\n",
    );
    tree.ken(&["index"]);
    let ask = |question: &str, kind: &str| {
        let filters = ["--kind", kind, "--file-filter", "src/shapes.rs"];
        let answer = tree.ken_json(&[&["search", question][..], &filters].concat());
        let first = &answer["results"][0];
        assert_eq!(answer["notice"], Value::Null, "{answer}");
        [&first["symbol"], &first["kind"]].map(|part| part.as_str().unwrap_or_default().to_string())
    };
    assert_eq!(ask("Corner", "struct"), ["Corner", "struct"]);
    assert_eq!(ask("stretched", "function"), ["stretched", "function"]);
    assert_eq!(ask("Turn", "enum"), ["Turn", "enum"]);
    // Whatever the piece is called after, what was asked for is shown.
    assert_eq!(ask("left and right turn", "enum"), ["Turn", "enum"]);
}

#[test]
fn a_page_that_a_search_finds_damaged_is_made_anew() {
    let tree = small();
    tree.ken(&["index"]);
    let database = tree.home().join("collections/repo/code.db");
    let connection = rusqlite::Connection::open(&database).unwrap();
    let damaged = connection.execute("UPDATE file_blobs SET text_blob = x'A5A5A5A5'", []);
    assert!(damaged.unwrap() > 0);
    drop(connection);
    let draft = database.with_extension("db.draft");
    std::fs::write(&draft, "left by a rebuild that was killed").unwrap();
    let output = tree.run(KEN, &["search", "parse_header"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("ken index"), "{said}");
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["search", "parse_header"]);
    assert_eq!(answer["results"][0]["symbol"], "parse_header", "{answer}");
    assert!(!draft.exists());
    assert_eq!(tree.ken_json(&["index"])["added"], 0);
}

#[test]
fn packages_that_cannot_be_read_are_read_anew() {
    let tree = small();
    tree.ken(&["index"]);
    let database = tree.home().join("collections/repo/packages.db");
    std::fs::write(&database, [0xA5; 3000]).unwrap();
    tree.ken(&["index"]);
    tree.ken(&["list-packages"]);
}

#[test]
fn filters_that_only_tests_pass_say_so() {
    let tree = small();
    tree.write("tests/it.rs", "fn check_the_header() {}\n");
    tree.ken(&["index"]);
    let question = ["search", "header", "--file-filter", "tests/**"];
    let answer = tree.ken_json(&question);
    let notice = answer["notice"].as_str().unwrap_or_default();
    assert!(notice.contains("include_tests"), "{answer}");
}

#[test]
fn a_misspelt_name_is_answered_with_the_nearest() {
    let tree = small();
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["search", "prase_header"]);
    assert_eq!(answer["results"][0]["symbol"], "parse_header", "{answer}");
    let notice = answer["notice"].as_str().unwrap_or_default();
    assert!(notice.contains("this answers \"parse_header\""), "{notice}");
    // A name that is mentioned may be a library's, which nothing here defines.
    tree.write("src/user.rs", "fn user() {\n    parse_heater();\n}\n");
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["search", "parse_heater"]);
    assert_eq!(answer["results"][0]["path"], "src/user.rs", "{answer}");
    let notice = answer["notice"].as_str().unwrap_or_default();
    assert!(notice.contains("did you mean \"parse_header\""), "{notice}");
}

#[test]
fn a_part_of_an_indexed_root_is_pointed_to_it() {
    let tree = small();
    tree.ken(&["index"]);
    let part = tree.root().join("src");
    let output = tree.run(KEN, &["search", "parse_header", "--path", part.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("Index not found"), "{said}");
    assert!(said.contains("src/**"), "{said}");
}

#[test]
fn nothing_is_said_of_what_is_found() {
    let tree = small();
    tree.ken(&["index"]);
    for question in ["parse_header", "where is the header parsed"] {
        let answer = tree.ken_json(&["search", question]);
        assert_eq!(answer["notice"], Value::Null, "{answer}");
    }
}
