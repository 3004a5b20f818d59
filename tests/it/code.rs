//! The code index as its users live with it: increments, moves, worktrees, odd files, crashes.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{KEN, Tree, until, wait_for};

fn small() -> Tree {
    Tree::new(&[
        (
            "src/parser.rs",
            "/// Reads a header.\npub fn parse_header(text: &str) -> Header {\n    todo(text)\n}\n",
        ),
        ("src/writer.rs", "pub fn write_body(out: &mut Vec<u8>) {\n    out.push(1);\n}\n"),
        ("README.md", "# Sample\n\nReads headers, writes bodies.\n"),
    ])
}

fn results(answer: &Value) -> Vec<Value> {
    answer["results"].as_array().unwrap().clone()
}

fn first_path(tree: &Tree, query: &str) -> String {
    let answer = tree.ken_json(&["search", query]);
    let first = results(&answer).first().cloned().unwrap_or_default();
    first["path"].as_str().unwrap_or_default().to_string()
}

fn counts(statistics: &Value) -> [u64; 4] {
    ["added", "changed", "removed", "unchanged"].map(|name| statistics[name].as_u64().unwrap())
}

#[test]
fn a_search_indexes_first_if_need_be() {
    let tree = small();
    assert_eq!(first_path(&tree, "parse_header"), "src/parser.rs");
    let text = tree.ken(&["search", "parse", "the", "header"]);
    assert!(text.contains("src/parser.rs:2  function  parse_header"), "{text}");
    assert!(text.contains("    2  pub fn parse_header"), "{text}");
}

#[test]
fn only_what_changed_is_read_again() {
    let tree = small();
    assert_eq!(counts(&tree.ken_json(&["index"])), [3, 0, 0, 0]);
    assert_eq!(counts(&tree.ken_json(&["index"])), [0, 0, 0, 3]);
    tree.write("src/writer.rs", "pub fn write_footer() {}\n");
    tree.remove("README.md");
    assert_eq!(counts(&tree.ken_json(&["index"])), [0, 1, 1, 1]);
    assert_eq!(first_path(&tree, "write_footer"), "src/writer.rs");
    let gone = results(&tree.ken_json(&["search", "write_body"]));
    assert!(gone.iter().all(|hit| hit["symbol"] != "write_body"), "{gone:?}");
    // The same content with another time is not news.
    tree.write("src/writer.rs", "pub fn write_footer() {}\n");
    assert_eq!(counts(&tree.ken_json(&["index"])), [0, 0, 0, 2]);
    assert_eq!(counts(&tree.ken_json(&["index", "--force"])), [2, 0, 0, 0]);
}

#[test]
fn a_change_of_the_same_length_within_one_tick_of_the_clock_is_seen() {
    let tree = small();
    for round in 0..5 {
        let text = format!("pub fn write_body{round}() {{}}\n");
        tree.write("src/writer.rs", &text);
        tree.ken(&["index"]);
        assert_eq!(first_path(&tree, &format!("write_body{round}")), "src/writer.rs");
    }
}

#[test]
fn what_is_passed_over_is_said() {
    let tree = small();
    tree.write_bytes("logo.bin2", b"\0\x01\x02");
    tree.write("Cargo.lock", "");
    tree.write("web/app.min.js", "a");
    tree.write("web/bundle.js", &"var a=1;".repeat(2000));
    tree.write("api/b.pb.go", "package b\n");
    tree.write("node_modules/left-pad/index.js", "module.exports = 1\n");
    tree.write("big.txt", &"x".repeat(1_100_000));
    tree.write(".gitignore", "out/\n");
    tree.write("out/secret.rs", "fn secret() {}\n");
    tree.write(".kenignore", "ignored.rs\n");
    tree.write("ignored.rs", "fn ignored() {}\n");
    tree.write_bytes("latin.rs", b"// caf\xE9\nfn latin() {}\n");
    tree.write_bytes(
        "wide.rs",
        &b"\xFF\xFE"[..]
            .iter()
            .copied()
            .chain("fn wide() {}\n".encode_utf16().flat_map(u16::to_le_bytes))
            .collect::<Vec<u8>>(),
    );
    let statistics = tree.ken_json(&["index"]);
    assert_eq!(
        statistics["skippedByReason"],
        json!({"binary": 1, "generated": 1, "lock file": 1, "minified": 2, "too large": 1,
               "vendored tree": 1})
    );
    assert_eq!(statistics["problems"], json!(["latin.rs:1: not valid UTF-8"]));
    assert_eq!(first_path(&tree, "latin"), "latin.rs");
    assert_eq!(first_path(&tree, "wide"), "wide.rs");
    let status = tree.ken_json(&["status", "--skipped"]);
    let skipped = status["skippedFiles"].as_array().unwrap();
    assert!(skipped.contains(&json!({"path": "node_modules", "reason": "vendored tree"})));
    assert_eq!(status["skipped"]["minified"], 2);
    assert_eq!(status["files"], 5, "{status}");
    // Skipped files are not read again by each run, and are still counted.
    let again = tree.ken_json(&["index"]);
    assert_eq!(again["skippedByReason"], statistics["skippedByReason"]);
}

#[cfg(unix)]
#[test]
fn links_and_closed_files_do_no_harm() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let tree = small();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("outside.rs"), "fn outside() {}\n").unwrap();
    symlink(outside.path(), tree.root().join("link")).unwrap();
    symlink(tree.root(), tree.root().join("src/loop")).unwrap();
    tree.write("src/closed.rs", "fn closed() {}\n");
    let closed = tree.root().join("src/closed.rs");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let statistics = tree.ken_json(&["index"]);
    let is_open_to_all = std::fs::read(&closed).is_ok();
    let expected = if is_open_to_all { 4 } else { 3 };
    assert_eq!(statistics["files"], expected, "{statistics}");
    if !is_open_to_all {
        assert_eq!(statistics["problemCount"], 1, "{statistics}");
    }
}

#[test]
fn tests_inside_a_file_are_tests() {
    let tree = small();
    tree.write(
        "src/clock.rs",
        "pub fn tick() -> u64 {\n    advance_by_one_second()\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn ticking_moves_the_clock_forward() {\n        assert_eq!(super::tick(), 1);\n    }\n}\n",
    );
    let find = |include: &[&str]| {
        let arguments = [&["search", "ticking moves the clock forward"], include].concat();
        results(&tree.ken_json(&arguments))
    };
    assert!(find(&[]).iter().all(|hit| hit["isTest"] != true));
    assert!(find(&["--include-tests"]).iter().any(|hit| hit["isTest"] == true));
}

#[test]
fn filters_by_language_kind_and_budget() {
    let tree = small();
    tree.write("web/parser.ts", "export function parseHeader(text: string) {\n  return text\n}\n");
    tree.ken(&["index"]);
    let ask = |more: &[&str]| {
        let arguments = [&["search", "parse", "header"], more].concat();
        let found = results(&tree.ken_json(&arguments));
        let paths = found.iter().map(|hit| hit["path"].as_str().unwrap().to_string());
        paths.collect::<Vec<String>>()
    };
    assert_eq!(ask(&["--language", "typescript"]), ["web/parser.ts"]);
    assert!(ask(&["--kind", "section"]).iter().all(|path| path == "README.md"));
    assert_eq!(ask(&["--budget", "1"]).len(), 1);
    let wrong = tree.run(KEN, &["search", "x", "--kind", "nonsense"]);
    assert!(!wrong.status.success());
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("function"));
}

#[test]
fn a_stale_answer_says_so() {
    let tree = small();
    tree.ken(&["index"]);
    tree.write("src/parser.rs", "pub fn parse_header() {\n    other()\n}\n\n// longer\n");
    let answer = tree.ken_json(&["search", "parse_header", "--set", "index.refresh_ms=0"]);
    assert_eq!(results(&answer)[0]["stale"], true, "{answer}");
    assert_eq!(tree.ken_json(&["status"])["changedFiles"], 1);
    let answer = tree.ken_json(&["search", "parse_header"]);
    assert_eq!(results(&answer)[0].get("stale"), None, "{answer}");
    assert_eq!(tree.ken_json(&["status"])["changedFiles"], 0);
}

#[test]
fn another_checkout_starts_from_what_is_known() {
    let tree = small();
    let run = |arguments: &[&str]| {
        let mut command = tree.command("git", arguments);
        command.env("GIT_AUTHOR_NAME", "a").env("GIT_AUTHOR_EMAIL", "a@b");
        command.env("GIT_COMMITTER_NAME", "a").env("GIT_COMMITTER_EMAIL", "a@b");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    run(&["init", "-q"]);
    run(&["add", "-A"]);
    run(&["commit", "-q", "-m", "first"]);
    tree.ken(&["index"]);
    let other = tree.root().with_file_name("other");
    run(&["worktree", "add", "-q", other.to_str().unwrap()]);
    std::fs::write(other.join("src/writer.rs"), "pub fn only_here() {}\n").unwrap();
    std::fs::remove_file(other.join("src/parser.rs")).unwrap();
    let statistics = tree.ken_json(&["index", other.to_str().unwrap()]);
    assert_eq!(counts(&statistics), [0, 1, 0, 1], "{statistics}");
    // Each is searched for itself.
    let here = tree.ken_json(&["search", "only_here", "--root", other.to_str().unwrap()]);
    assert_eq!(results(&here)[0]["symbol"], "only_here");
    assert_eq!(first_path(&tree, "write_body"), "src/writer.rs");
    // A branch that is switched costs the difference.
    run(&["checkout", "-q", "-b", "side"]);
    tree.write("src/extra.rs", "pub fn extra() {}\n");
    run(&["add", "-A"]);
    run(&["commit", "-q", "-m", "extra"]);
    assert_eq!(counts(&tree.ken_json(&["index"]))[0], 1);
    run(&["checkout", "-q", "-"]);
    let back = tree.ken_json(&["index"]);
    assert_eq!(counts(&back)[..3], [0, 0, 1], "{back}");
}

#[test]
fn a_damaged_index_is_made_anew() {
    let tree = small();
    tree.ken(&["index"]);
    let database = tree.home().join("collections/repo/code.db");
    std::fs::write(&database, "this is no database at all, but long enough to be looked at")
        .unwrap();
    let unchecked = ["search", "parse_header", "--path", "repo", "--set", "index.refresh_ms=0"];
    let output = tree.run(KEN, &unchecked);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("ken index"));
    // Without that setting, a question rebuilds it by itself.
    assert_eq!(first_path(&tree, "parse_header"), "src/parser.rs");
    assert_eq!(counts(&tree.ken_json(&["index"])), [0, 0, 0, 3]);
    assert_eq!(first_path(&tree, "parse_header"), "src/parser.rs");
}

#[test]
fn one_thread_and_eight_make_the_same_index() {
    let files: Vec<(String, String)> = (0..300)
        .map(|n| {
            (
                format!("src/m{}/f{n}.rs", n % 7),
                format!("/// Does thing {n}.\npub fn thing{n}() {{ helper{n}() }}\n"),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    let tree = Tree::new(&files);
    let answers: Vec<String> = ["1", "8"]
        .map(|threads| {
            let mut command = tree.command(KEN, &["index", "--force"]);
            let status = command.env("RAYON_NUM_THREADS", threads).stdout(Stdio::null()).status();
            assert!(status.unwrap().success());
            tree.ken(&["search", "does the thing", "--limit", "50", "--json"])
        })
        .into();
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn an_indexing_run_that_is_killed_leaves_an_index_that_opens() {
    let files: Vec<(String, String)> = (0..1500)
        .map(|n| {
            let text = format!("pub fn thing{n}() {{ helper{n}() }}\n");
            (format!("src/f{n}.rs"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    let tree = Tree::new(&files);
    // The state that a reader sees, if there is one yet.
    let known = || {
        let status = tree.run(KEN, &["status", "--json"]);
        let status: Option<Value> = serde_json::from_slice(&status.stdout).ok();
        status.and_then(|status| status["files"].as_u64())
    };
    let mut seen = 0;
    while seen < 1500 {
        let mut command = tree.command(KEN, &["index"]);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // Killed as soon as a reader sees more than before; the last run may end by itself.
        until("a reader sees more", || {
            child.try_wait().unwrap().is_some() || known().unwrap_or(0) > seen
        });
        let _ = child.kill();
        wait_for(&mut child);
        let now = known().unwrap_or(0);
        assert!(now > seen, "{now} after {seen}: committed files were lost");
        seen = now;
    }
    let statistics = tree.ken_json(&["index"]);
    assert_eq!(statistics["files"], 1500, "{statistics}");
    assert_eq!(first_path(&tree, "thing1234"), "src/f1234.rs");
}

#[test]
fn an_index_that_is_not_whole_says_so_and_is_finished_by_a_search() {
    let files: Vec<(String, String)> =
        (0..1200).map(|n| (format!("f{n}.rs"), format!("pub fn thing{n}() {{}}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    let tree = Tree::new(&files);
    let status = || {
        let status = tree.run(KEN, &["status", "--json"]);
        serde_json::from_slice::<Value>(&status.stdout).unwrap_or_default()
    };
    let mut command = tree.command(KEN, &["index"]);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    until("a reader sees something", || {
        child.try_wait().unwrap().is_some() || status()["files"].as_u64() > Some(0)
    });
    let _ = child.kill();
    wait_for(&mut child);
    if status()["files"] != 1200 {
        assert_eq!(status()["incomplete"], true);
        let unchecked = "index.refresh_ms=0";
        let partial = tree.ken_json(&["search-code", "thing7", "--set", unchecked]);
        assert_eq!(partial["incomplete"], true, "{partial}");
        // A name that is not found may be in the files that are not indexed yet.
        let missed = tree.run(KEN, &["callers", "nowhere_at_all", "--set", unchecked]);
        let missed = String::from_utf8_lossy(&missed.stderr);
        assert!(missed.contains("indexing did not end"), "{missed}");
    }
    let answer = tree.ken_json(&["search", "thing1199"]);
    assert_eq!(results(&answer)[0]["path"], "f1199.rs", "{answer}");
    assert!(answer.get("incomplete").is_none(), "{answer}");
}

#[test]
fn a_search_is_about_here_and_not_about_the_only_other_index() {
    let tree = small();
    tree.ken(&["index"]);
    let other = tree.root().with_file_name("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("b.rs"), "pub fn elsewhere() {}\n").unwrap();
    let mut command = tree.command(KEN, &["search", "parse_header", "--json"]);
    let output = command.current_dir(&other).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(results(&answer).iter().all(|hit| hit["path"] == "b.rs"), "{answer}");
}

#[test]
fn a_repository_that_is_not_indexed_is_not_answered_for_by_another() {
    let tree = small();
    tree.ken(&["index"]);
    let other = tree.root().with_file_name("other");
    std::fs::create_dir_all(other.join(".git")).unwrap();
    std::fs::write(other.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let there = |arguments: &[&str]| {
        let output = tree.command(KEN, arguments).current_dir(&other).output();
        let output = output.unwrap();
        let said = [output.stdout, output.stderr].concat();
        String::from_utf8(said).unwrap()
    };
    let overview: Value = serde_json::from_str(&there(&["overview", "--json"])).unwrap();
    assert_eq!(overview["code"], "not indexed", "{overview}");
    assert_eq!(overview["packages"], "not indexed", "{overview}");
    let said = there(&["callers", "parse_header", "--set", "index.on_demand=off"]);
    assert!(said.contains("ken index"), "{said}");
    let said = there(&["callers", "parse_header"]);
    assert!(said.contains("nothing here defines"), "{said}");
}

#[test]
fn settings_that_change_are_heeded() {
    let tree = small();
    tree.write("big.txt", &"large words\n".repeat(100_000));
    assert_eq!(tree.ken_json(&["index"])["skippedByReason"]["too large"], 1);
    let statistics = tree.ken_json(&["index", "--set", "index.max_file_size=5000000"]);
    assert_eq!(statistics["skipped"], 0, "{statistics}");
    tree.write("kenning.toml", "[index]\nexclude = [\"src\"]\n");
    let statistics = tree.ken_json(&["index"]);
    assert_eq!(statistics["removed"], 3, "{statistics}");
    // swift-index's word for its default.
    let mut command = tree.command(KEN, &["index", "--json"]);
    let output = command.env("KEN_EMBEDDING_PROVIDER", "auto").output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn words_only_and_meaning_only_are_the_ends_of_the_scale() {
    let tree = small();
    tree.ken(&["index"]);
    // A word that stands nowhere finds nothing by words, and something by meaning.
    let ask = |weight: &str| {
        results(&tree.ken_json(&["search", "deserialise", "--semantic-weight", weight]))
    };
    assert_eq!(ask("0").len(), 0);
    assert!(!ask("1").is_empty());
}

#[test]
fn readers_are_answered_while_the_index_is_made() {
    let tree = small();
    tree.ken(&["index"]);
    for n in 0..800 {
        tree.write(&format!("src/f{n}.rs"), &format!("pub fn thing{n}() {{}}\n"));
    }
    let mut command = tree.command(KEN, &["index"]);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let mut asked = 0;
    while child.try_wait().unwrap().is_none() {
        assert_eq!(first_path(&tree, "parse_header"), "src/parser.rs");
        asked += 1;
    }
    assert!(asked > 0);
}

#[test]
fn collections_are_listed_and_forgotten() {
    let tree = small();
    tree.ken(&["index", "--name", "sample"]);
    let listed = tree.ken_json(&["collections"]);
    assert_eq!(listed[0]["name"], "sample");
    assert_eq!(listed[0]["files"], 3);
    tree.ken(&["forget", "sample"]);
    assert_eq!(tree.ken_json(&["collections"]), json!([]));
    assert!(tree.root().join("src/parser.rs").exists());
    let unknown = tree.run(KEN, &["forget", "sample"]);
    assert_eq!(unknown.status.code(), Some(3), "{unknown:?}");
}

#[test]
fn a_second_reader_orders_the_best_and_one_that_fails_changes_nothing() {
    let tree = small();
    let plain = tree.ken_json(&["search", "read a header"]);
    let reread = tree.ken_json(&["search", "read a header", "--rerank", "--explain"]);
    assert_eq!(results(&reread).len(), results(&plain).len());
    let why = &results(&reread)[0]["why"];
    assert!(why["reranker"].is_number(), "{why}");
    let mut command = tree.command(KEN, &["search", "read a header", "--rerank", "--json"]);
    let output = command.env("RERANKER_URL", "http://127.0.0.1:9/v1").output();
    let failed: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    let notice = failed["notice"].as_str().unwrap();
    assert!(notice.starts_with("not reranked: reranker cannot be reached"), "{notice}");
    assert_eq!(results(&failed), results(&plain));
}

#[test]
fn the_model_says_what_it_is() {
    let tree = small();
    let model = tree.ken_json(&["model"]);
    assert_eq!(model["name"], "kenning-static");
    assert_eq!(model["blake3"].as_str().map(str::len), Some(64));
    assert!(model["data"].as_str().is_some_and(|data| !data.is_empty()), "{model}");
}

#[test]
fn pages_of_results_follow_each_other() {
    let file = |n: usize| (format!("src/f{n}.rs"), format!("pub fn retry_{n}() {{}}\n"));
    let files: Vec<(String, String)> = (0..9).map(file).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    let tree = Tree::new(&files);
    let page = |limit: &str, offset: &str| {
        let arguments = ["search", "retry", "--limit", limit, "--offset", offset];
        tree.ken_json(&arguments)
    };
    let paths = |answer: &Value| -> Vec<Value> {
        let results = results(answer).into_iter();
        results.map(|result| result["path"].clone()).collect()
    };
    let all = paths(&page("9", "0"));
    let pages = ["0", "3", "6"].map(|offset| paths(&page("3", offset)));
    assert_eq!((all.len(), pages.concat()), (9, all));
    let beyond = page("3", "9");
    assert_eq!(beyond["notice"], "there are no results after the first 9", "{beyond}");
    let far = tree.run(KEN, &["search", "retry", "--offset", "9999"]);
    assert_eq!(far.status.code(), Some(2));
}
