//! The command line as a person or a script meets it.

use serde_json::{Value, json};

use crate::support::{Client, KEN, SHIRE, SPOX, Tree};

fn code(tree: &Tree, binary: &str, arguments: &[&str]) -> (i32, String, String) {
    let output = tree.run(binary, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn every_operation_is_a_command_with_help_and_examples() {
    let tree = Tree::new(&[]);
    for op in kenning::ops::ALL {
        let help = tree.ken(&[&op.command(), "--help"]);
        assert!(help.contains("Examples:"), "{}: {help}", op.name);
        for example in op.examples {
            assert!(help.contains(example), "{}: {help}", op.name);
        }
    }
}

/// A short command takes the global flags and shows how it is called.
#[test]
fn every_short_command_works_with_the_global_flags() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    let root = tree.root().display().to_string();
    for (name, _) in kenning::ops::SHORT_COMMANDS {
        let help = tree.ken(&[name, "--help"]);
        assert!(help.contains(&format!("Usage: ken {name}")), "{name}: {help}");
        if ["watch", "edges"].contains(name) {
            continue;
        }
        let question = if *name == "index" { root.as_str() } else { "web" };
        let (exit, _, stderr) = code(&tree, KEN, &[name, question, "--root", &root, "--json"]);
        assert!(exit <= 1, "{name}: {exit} {stderr}");
    }
}

#[test]
fn the_examples_of_every_operation_parse() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    for example in kenning::ops::ALL.iter().flat_map(|op| op.examples) {
        let words = shell_words(example.strip_prefix("ken ").unwrap());
        let (exit, _, stderr) = code(&tree, KEN, &words);
        assert_ne!(exit, 2, "{example}: {stderr}");
    }
}

/// As a shell would split it; examples use no quotes but single ones.
pub fn shell_words(line: &str) -> Vec<&str> {
    let quoted = line.split('\'').enumerate();
    quoted
        .flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        })
        .collect()
}

#[test]
fn a_command_and_a_call_give_one_answer() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    let by_command = tree.ken_json(&["package-dependencies", "web", "--internal-only"]);
    let arguments = r#"{"name": "web", "internal_only": true}"#;
    let by_call = tree.ken_json(&["call", "package_dependencies", arguments]);
    assert_eq!(by_command, by_call);
    assert_eq!(by_command.as_array().unwrap().len(), 2);
}

#[test]
fn exit_codes_are_as_documented() {
    let tree = Tree::monorepo();
    let without_index = ["list-packages", "--set", "index.on_demand=off"];
    assert_eq!(code(&tree, KEN, &without_index).0, 3, "no index");
    tree.ken(&["index"]);
    assert_eq!(code(&tree, KEN, &["list-packages"]).0, 0, "ok");
    assert_eq!(code(&tree, KEN, &["get-package", "nope"]).0, 1, "not found");
    assert_eq!(code(&tree, KEN, &["get-package"]).0, 2, "a missing argument");
    assert_eq!(code(&tree, KEN, &["frobnicate"]).0, 2, "an unknown command");
    assert_eq!(code(&tree, KEN, &["call", "get_package", "{}"]).0, 2, "a bad argument");
    assert_eq!(code(&tree, KEN, &["call", "get_package", "{"]).0, 2, "not JSON");
    assert_eq!(code(&tree, KEN, &["index", "/nowhere"]).0, 2, "no such directory");
    assert_eq!(code(&tree, KEN, &["serve", "--profile", "shyre"]).0, 2, "an unknown profile");
}

#[test]
fn errors_say_what_to_do_next() {
    let tree = Tree::monorepo();
    let off = "index.on_demand=off";
    let (_, stdout, stderr) = code(&tree, KEN, &["list-packages", "--set", off]);
    assert_eq!(stdout, "");
    assert!(stderr.contains("ken index"), "{stderr}");
    let (_, stdout, _) = code(&tree, KEN, &["list-packages", "--json", "--set", off]);
    let error: Value = serde_json::from_str(&stdout).unwrap();
    assert!(error["error"]["hint"].as_str().unwrap().contains("ken index"));
}

#[test]
fn what_is_not_found_is_an_error() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    let (exit, stdout, stderr) = code(&tree, KEN, &["get-package", "cor"]);
    assert_eq!((exit, stdout.as_str()), (1, ""));
    assert!(stderr.starts_with("error: Package 'cor' not found\n"), "{stderr}");
}

#[test]
fn groups_of_commands_have_examples() {
    let tree = Tree::new(&[]);
    for (group, example) in [("specs", "ken specs list"), ("skills", "ken skills list")] {
        let help = tree.ken(&[group, "--help"]);
        assert!(help.contains(&format!("Examples:\n  {example}")), "{help}");
    }
}

#[test]
fn output_to_a_pipe_has_no_colour() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    for arguments in [&["list-packages"][..], &["package-health"], &["--help"]] {
        let text = tree.ken(arguments);
        assert!(!text.contains('\x1b'), "{text:?}");
    }
}

#[test]
fn hostile_names_do_not_reach_the_terminal() {
    let tree = Tree::new(&[("composer.json", r#"{"name": "a/\u001b[31mred\u0007"}"#)]);
    tree.ken(&["index"]);
    let text = tree.ken(&["list-packages"]);
    assert!(!text.contains(['\x1b', '\x07']), "{text:?}");
}

#[test]
fn config_shows_values_and_origins() {
    let tree = Tree::new(&[("kenning.toml", "[index]\nmax_file_size = 5\n")]);
    let rows = tree.ken_json(&["config", "--set", "log=error"]);
    let row = |key: &str| {
        let rows = rows.as_array().unwrap();
        rows.iter().find(|row| row["key"] == key).unwrap().clone()
    };
    assert_eq!(row("index.max_file_size")["value"], 5);
    let origin = row("index.max_file_size")["origin"].as_str().unwrap().to_string();
    assert!(origin.ends_with("kenning.toml"), "{origin}");
    assert_eq!(row("log")["origin"], "command line");
    assert_eq!(row("home")["origin"], "environment KEN_HOME");
    assert_eq!(row("index.exclude")["origin"], "default");
}

#[test]
fn an_unknown_setting_is_an_error_that_names_the_nearest() {
    let tree = Tree::new(&[("kenning.toml", "[index]\nexlude = []\n")]);
    let (exit, _, stderr) = code(&tree, KEN, &["config"]);
    assert_eq!(exit, 2);
    assert!(stderr.contains("index.exclude"), "{stderr}");
}

/// Line 2 has a mistake.
const BROKEN: (&str, &str) = ("kenning.toml", "[index]\nexlude = []\n");

#[test]
fn settings_are_shown_as_far_as_they_are_right() {
    let tree = Tree::new(&[BROKEN]);
    let (exit, stdout, stderr) = code(&tree, KEN, &["config"]);
    assert_eq!(exit, 2);
    assert!(stdout.contains("index.max_file_size"), "{stdout}");
    let place = "kenning.toml: line 2: unknown key `index.exlude`";
    assert!(stderr.contains(place), "{stderr}");
}

#[test]
fn a_broken_file_of_the_repository_does_not_silence_a_server() {
    let tree = Tree::new(&[("a.rs", "fn first() {}\n")]);
    tree.ken(&["index"]);
    tree.write(BROKEN.0, BROKEN.1);
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let found = client.text("search_code", json!({ "query": "first" }));
    assert!(found.contains("a.rs"), "{found}");
    // A broken file may have settings about indexing, so indexing is refused.
    let index = json!({ "path": "." });
    let refused = client.call("index_codebase", index.clone()).unwrap_err();
    let refused = refused["message"].as_str().unwrap().to_string();
    assert!(refused.contains("kenning.toml: line 2"), "{refused}");
    let settings = client.text("doctor", json!({}));
    assert!(settings.contains("kenning.toml: line 2"), "{settings}");
    tree.remove(BROKEN.0);
    client.call("index_codebase", index).unwrap();
    client.close_input();
    let (status, _, stderr) = client.finish();
    assert!(status.success(), "{stderr}");
    assert!(stderr.contains("warning: ") && stderr.contains("kenning.toml: line 2"), "{stderr}");
}

#[test]
fn what_the_user_sets_wrong_stops_a_server() {
    let tree = Tree::new(&[]);
    for server in ["serve", "http"] {
        let mut command = tree.command(KEN, &[server]);
        let output = command.env("KEN_HTTP_PORT", "many").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{server}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            stderr.contains("KEN_HTTP_PORT") && stderr.contains("ken config --help"),
            "{stderr}"
        );
    }
}

#[test]
fn completions_and_the_manual_know_every_operation() {
    let tree = Tree::new(&[]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = tree.ken(&["completions", shell]);
        for op in kenning::ops::ALL {
            assert!(script.contains(&op.command()), "{shell}: {}", op.name);
        }
    }
    let manual = tree.ken(&["man"]);
    assert!(manual.contains("ken\\-packages(1)") || manual.contains("ken-packages(1)"), "{manual}");
    let pages = tree.root().join("man");
    tree.ken(&["man", "--dir", pages.to_str().unwrap()]);
    assert!(pages.join("ken-packages-search.1").exists());
}

#[test]
fn state_stays_out_of_the_repository() {
    let tree = Tree::monorepo();
    let before = crate::support::listing(&tree.root());
    tree.ken(&["index"]);
    tree.ken(&["list-packages"]);
    assert_eq!(crate::support::listing(&tree.root()), before);
    assert!(tree.home().join("collections/repo/packages.db").exists());
}

#[test]
fn a_question_from_a_subfolder_or_elsewhere_finds_the_index() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    for directory in [tree.root().join("packages/web"), std::env::temp_dir()] {
        let output = tree
            .command(KEN, &["get-package", "web", "--json"])
            .current_dir(directory)
            .output()
            .unwrap();
        let package: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(package["path"], "packages/web");
    }
}

#[test]
fn questions_beyond_the_contract() {
    let tree = Tree::monorepo();
    tree.write(
        "packages/core/package.json",
        r#"{"name": "core", "version": "2.0.0", "devDependencies": {"web": "workspace:*"}}"#,
    );
    tree.write("packages/web/index.js", "import { Button } from 'ui'\n");
    tree.ken(&["index"]);
    let path = tree.ken_json(&["package-path", "shop", "core"]);
    assert_eq!(path["found"], false);
    let path = tree.ken_json(&["package-path", "ui", "vitest"]);
    assert_eq!(path["path"], "ui → core →(dev) web →(dev) vitest");
    let impact = tree.ken_json(&["package-impact", "core", "--kind", "npm"]);
    let affected = impact["affected"].as_array().unwrap();
    let affected: Vec<_> = affected.iter().map(|a| (&a["name"], &a["distance"])).collect();
    assert_eq!(affected, [(&json!("ui"), &json!(1)), (&json!("web"), &json!(1))]);
    let cycles = tree.ken_json(&["package-cycles"]);
    assert_eq!(cycles[0]["kind"], "dev-only");
    assert_eq!(cycles[0]["circle"], "core →(dev) web → core");
    let health = tree.ken_json(&["package-health", "--unused"]);
    assert_eq!(health["version_conflicts"][0]["name"], "react");
    let unused = health["unused_internal_dependencies"].as_array().unwrap();
    let unused: Vec<String> = unused
        .iter()
        .map(|row| format!("{} {}", row["package"], row["dependency"]).replace('"', ""))
        .collect();
    assert_eq!(unused, ["core web", "ui core", "web core"]);
}

#[test]
fn the_thin_binaries_are_named_and_documented() {
    let tree = Tree::new(&[]);
    for (binary, words) in [(SHIRE, ["build", "serve"]), (SPOX, ["mcp", "spox mcp serve"])] {
        let (exit, help, _) = code(&tree, binary, &["--help"]);
        assert_eq!(exit, 0);
        assert!(words.iter().all(|word| help.contains(word)), "{help}");
    }
}

#[test]
fn settings_of_the_repository_hold_in_its_subfolders() {
    let tree = Tree::monorepo();
    tree.write("shire.toml", "db_path = 'kept/here.db'\n");
    tree.shire_build();
    assert!(tree.root().join("kept/here.db").exists());
    let output = tree
        .command(KEN, &["list-packages", "--json"])
        .current_dir(tree.root().join("packages/web"))
        .output()
        .unwrap();
    let packages: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(packages.as_array().unwrap().len(), 5);
}

#[test]
fn indexing_from_a_subfolder_renews_the_index_around_it() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    let mut command = tree.command(KEN, &["index"]);
    command.current_dir(tree.root().join("packages/web"));
    assert!(command.output().unwrap().status.success());
    let collections = std::fs::read_dir(tree.home().join("collections")).unwrap();
    assert_eq!(collections.count(), 1);
}

#[test]
fn a_relative_home_is_meant_from_the_shell() {
    let tree = Tree::monorepo();
    let mut command = tree.command(KEN, &["index", tree.root().to_str().unwrap()]);
    let elsewhere = tempfile::tempdir().unwrap();
    command.env("KEN_HOME", "mine").current_dir(elsewhere.path());
    assert!(command.output().unwrap().status.success());
    assert!(elsewhere.path().join("mine/collections/repo/packages.db").exists());
    assert!(!tree.root().join("mine").exists());
}

#[test]
fn a_foreign_database_does_not_hide_our_own() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    std::fs::create_dir_all(tree.root().join(".shire")).unwrap();
    std::fs::write(tree.database(), "not a database").unwrap();
    assert_eq!(tree.ken_json(&["list-packages"]).as_array().unwrap().len(), 5);
}

#[test]
fn a_usage_error_is_json_too() {
    let tree = Tree::new(&[]);
    let (exit, stdout, _) = code(&tree, KEN, &["get-package", "--json"]);
    assert_eq!(exit, 2);
    let error: Value = serde_json::from_str(&stdout).unwrap();
    assert!(error["error"]["message"].as_str().unwrap().contains("NAME"), "{error}");
}

#[test]
fn the_graph_is_written_in_every_format() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    let draw = |format: &str| tree.ken(&["package-graph", "--format", format]);
    assert!(draw("svg").starts_with("<svg"));
    assert!(draw("dot").starts_with("digraph"));
    assert!(draw("mermaid").contains("flowchart"));
    let graph: Value = serde_json::from_str(&draw("json")).unwrap();
    assert_eq!(graph["nodes"].as_array().unwrap().len(), 5);
}

#[test]
fn names_that_several_packages_share_are_answered_once() {
    let tree = Tree::new(&[
        ("a/composer.json", r#"{"name": "acme/core"}"#),
        ("b/composer.json", r#"{"name": "acme/core"}"#),
        ("c/composer.json", r#"{"name": "acme/app", "require": {"acme/core": "*"}}"#),
    ]);
    tree.ken(&["index"]);
    let impact = tree.ken_json(&["package-impact", "acme/core"]);
    assert_eq!(impact["affected_count"], 1, "{impact}");
    let edges = tree.ken_json(&["dependency-graph", "acme/app"]);
    assert_eq!(edges.as_array().unwrap().len(), 1);
}

#[test]
fn a_collection_keeps_its_name() {
    let tree = Tree::monorepo();
    tree.ken(&["index", "--name", "Shop"]);
    tree.ken(&["index", "--name", "shop"]);
    let (exit, _, stderr) = code(&tree, KEN, &["index", "--name", "other"]);
    assert_eq!(exit, 1);
    assert!(stderr.contains("shop"), "{stderr}");
}

#[test]
fn ken_alone_says_what_there_is_and_what_to_do() {
    let tree = Tree::new(&[
        ("src/a.rs", "pub fn alpha() {}\n"),
        ("Cargo.toml", "[package]\nname = \"a\"\nversion = \"1.0.0\"\n"),
    ]);
    let text = tree.ken(&[]);
    assert!(text.contains("not indexed") && text.contains("ken index"), "{text}");
    tree.ken(&["index"]);
    let overview = tree.ken_json(&["overview"]);
    assert!(overview["code"].as_str().unwrap().starts_with("2 files"), "{overview}");
    assert_eq!(overview["packages"], "1 package");
    assert_eq!(overview["next"].as_array().map(Vec::len), Some(3));
    tree.write("src/a.rs", "pub fn beta() {}\n\n");
    let text = tree.ken(&["--set", "index.refresh_ms=0"]);
    assert!(text.contains("1 file changed since"), "{text}");
    let text = tree.ken(&[]);
    assert!(text.contains("no known file has changed since"), "{text}");
}

#[test]
fn the_doctor_names_what_is_wrong_and_what_to_do() {
    let tree = Tree::new(&[("src/a.rs", "pub fn alpha() {}\n")]);
    let find = |findings: &Value, check: &str| -> Value {
        let findings = findings.as_array().unwrap().iter();
        let mut found = findings.filter(|finding| finding["check"] == check);
        found.next().unwrap().clone()
    };
    let before = tree.ken_json(&["doctor"]);
    assert_eq!(find(&before, "code index")["remedy"], "ken index");
    assert_eq!(find(&before, "embedding provider")["verdict"], "good");
    assert_eq!(find(&before, "disk")["verdict"].as_str().map(str::len), Some(4));
    tree.ken(&["index"]);
    let after = tree.ken_json(&["doctor"]);
    assert_eq!(find(&after, "code index")["verdict"], "good");
    let clients = tree.user().join(".cursor/mcp.json");
    std::fs::create_dir_all(clients.parent().unwrap()).unwrap();
    std::fs::write(&clients, "{}").unwrap();
    let without = find(&tree.ken_json(&["doctor"]), "MCP clients");
    assert!(without["says"].as_str().unwrap().contains("Cursor"), "{without}");
    tree.ken(&["install", "cursor"]);
    let with = find(&tree.ken_json(&["doctor"]), "MCP clients");
    assert!(!with["says"].as_str().unwrap().contains("not known to Cursor"), "{with}");
}

#[test]
fn an_indexing_run_is_told_in_a_line() {
    let tree = Tree::new(&[("src/a.rs", "pub fn alpha() {}\n"), ("pixel.png", "\0\0")]);
    let line = tree.ken(&["index"]);
    assert!(line.starts_with("1 file, 1 chunk in "), "{line}");
    let end = "; 1 skipped (ken status --skipped)\n";
    assert!(line.ends_with(end), "{line}");
    let again = tree.ken(&["index"]);
    assert!(again.starts_with("1 file (none changed), "), "{again}");
    assert_eq!(again.lines().count(), 1, "{again}");
    let table = tree.ken(&["index", "-v"]);
    assert!(table.contains("skippedByReason"), "{table}");
}

#[test]
fn a_search_where_nothing_is_says_so() {
    let tree = Tree::new(&[]);
    let (exit, stdout, _) = code(&tree, KEN, &["search", "anything"]);
    assert_eq!(exit, 0);
    assert!(stdout.contains("nothing is indexed here"), "{stdout}");
    assert!(stdout.contains("ken status --skipped"), "{stdout}");
}

#[test]
fn a_compact_search_is_a_line_for_each_result() {
    let tree = Tree::new(&[("src/a.rs", "/// Sends it again.\npub fn retry_request() {}\n")]);
    let text = tree.ken(&["search", "retry_request", "--format", "compact"]);
    assert_eq!(text, "src/a.rs:2  function  retry_request  pub fn retry_request() {}\n");
    let json = tree.ken_json(&["search", "retry_request", "--format", "compact"]);
    assert_eq!(json["results"][0]["startLine"], 1, "{json}");
}

#[test]
fn guesses_are_near_or_not_made() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    for (arguments, expected) in [
        (&["serch"][..], "'search'"),
        (&["call", "serch"], "did you mean `ken search`?"),
        (&["get-package", "cor"], "did you mean core?"),
        (&["callers", "workspacs"], "did you mean \"workspaces\"?"),
        (&["--set", "exlude=3", "status"], "did you mean `index.exclude`?"),
        (&["get-file-symbols", "ui/packge.json"], "package.json\"?"),
    ] {
        let (exit, _, stderr) = code(&tree, KEN, arguments);
        assert_ne!(exit, 0, "{arguments:?}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
    for arguments in [
        &["zzzz"][..],
        &["call", "zzzz"],
        &["get-package", "zzzz"],
        &["--set", "zzzz=3", "status"],
        &["get-file-symbols", "zzzz"],
        &["callers", "frobnicate"],
    ] {
        let (exit, _, stderr) = code(&tree, KEN, arguments);
        assert_ne!(exit, 0, "{arguments:?}");
        let is_guess = stderr.contains("did you mean") || stderr.contains("tip:");
        assert!(!is_guess, "{arguments:?}: {stderr}");
    }
    let (_, _, stderr) = code(&tree, KEN, &["serch"]);
    assert!(!stderr.contains("'serve'"), "{stderr}");
}

#[test]
fn the_doctor_works_where_files_are_broken() {
    let tree = Tree::new(&[("kenning.toml", "[index]\nexlude = []\n")]);
    tree.write_at_home(".cursor/mcp.json", "{ \"mcpServers\": ");
    let (exit, stdout, _) = code(&tree, KEN, &["doctor", "--json"]);
    assert_eq!(exit, 1, "something is bad");
    let findings: Value = serde_json::from_str(&stdout).unwrap();
    let finding = |check: &str| {
        let mut all = findings.as_array().unwrap().iter();
        all.find(|one| one["check"] == check).unwrap().clone()
    };
    for (check, says, remedy) in [
        ("settings", "did you mean `index.exclude`?", "ken config --help"),
        ("MCP clients", ".cursor/mcp.json: it cannot be read", "by hand"),
    ] {
        let finding = finding(check);
        assert_eq!(finding["verdict"], "bad", "{finding}");
        assert!(finding["says"].as_str().unwrap().contains(says), "{finding}");
        assert!(finding["remedy"].as_str().unwrap().contains(remedy), "{finding}");
    }
    assert_eq!(finding("disk")["verdict"], "good", "{findings}");
    // Everybody else says what is wrong, and does nothing.
    assert_eq!(code(&tree, KEN, &["status"]).0, 2);
}
