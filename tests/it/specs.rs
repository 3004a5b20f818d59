//! The specs family beyond its contract, and regressions.

use serde_json::{Value, json};

use crate::support::{Client, KEN, SPOX, Tree};

fn spec(requirement: &str) -> String {
    format!(
        "# T\n\n## Purpose\n\nA purpose that is long enough to say what this spec is for.\n\n\
         ## Requirements\n\n### Requirement: {requirement}\n\nIt SHALL do it.\n\n\
         #### Scenario: Usual\n- **WHEN** asked\n- **THEN** it does\n"
    )
}

/// Everything that the files of a change say can be had.
#[test]
fn a_change_is_told_whole() {
    let tree = Tree::new(&[
        (
            "openspec/changes/c/proposal.md",
            "Status: draft\n\n# C\n\nBy the team.\n\n## Why\n\nBecause.\n",
        ),
        (
            "openspec/changes/c/tasks.md",
            "Ask before you begin.\n\n## 1. All\n- [ ] 1.1 Do it\n\nThen rest.\n",
        ),
        (
            "openspec/changes/c/specs/a/spec.md",
            "## ADDED Requirements\n### Requirement: R\nIt SHALL.\n\n#### Scenario: S\n- **WHEN** x\n\
             - **THEN** y\n\n## Notes\nMind the gap.\n",
        ),
    ]);
    let change = tree.ken_json(&["specs", "change", "c"]);
    assert_eq!(change["proposal"]["preamble"], "Status: draft\n\nBy the team.");
    assert_eq!(change["tasks"]["notes"], "Ask before you begin.\n\nThen rest.");
    let delta = &change["deltas"][0];
    assert_eq!(
        delta["items"][0]["text"],
        "It SHALL.\n\n#### Scenario: S\n- **WHEN** x\n- **THEN** y"
    );
    let notes = json!([{"heading": "Notes", "text": "Mind the gap."}]);
    assert_eq!(delta["other_sections"], notes);
    // For people, too.
    let shown = tree.ken(&["specs", "change", "c"]);
    assert!(shown.contains("\n      - **WHEN** x\n"), "{shown}");
}

#[test]
fn mistakes_in_deltas_are_told() {
    let tree = Tree::new(&[
        ("openspec/changes/c/proposal.md", "## Why\nx\n## What Changes\ny\n"),
        ("openspec/changes/c/tasks.md", "- [ ] 1.1 x\n"),
        (
            "openspec/changes/c/specs/a/spec.md",
            "## ADDED Requirements\n### Requirement: R\nIt SHALL.\n####Scenario: S\n- **WHEN** x\n",
        ),
    ]);
    let output = tree.run(KEN, &["specs", "validate-change", "c", "--json"]);
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    let errors = verdict["errors"].as_array().unwrap();
    let is_told = |error: &Value| {
        let description = error["description"].as_str().unwrap();
        error["line"] == 4 && description.contains("a blank is missing")
    };
    assert!(errors.iter().any(is_told), "{verdict}");
    // A change of documentation says that it changes no spec.
    tree.remove("openspec/changes/c/specs/a/spec.md");
    let verdict = |tree: &Tree| {
        let output = tree.run(KEN, &["specs", "validate-change", "c"]);
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(verdict(&tree).contains("there is no delta"));
    tree.write("openspec/changes/c/.openspec.yaml", "skip_specs: true\n");
    assert!(!verdict(&tree).contains("there is no delta"));
}

/// Another root has its own settings.
#[test]
fn the_only_indexed_root_is_read_as_it_is_configured() {
    let tree = Tree::new(&[("docs/what/auth/spec.md", &spec("Sign in"))]);
    tree.write("kenning.toml", "[specs]\nfolder = \"docs/what\"\n");
    tree.ken(&["index"]);
    std::fs::create_dir_all(tree.home().join("elsewhere")).unwrap();
    let mut command = tree.command(KEN, &["list-specs", "--json"]);
    let output = command.current_dir(tree.home().join("elsewhere")).output();
    let answer: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    assert_eq!(answer["specs"][0]["id"], "auth", "{answer}");
}

#[test]
fn what_cannot_be_read_was_not_removed() {
    let tree = Tree::new(&[
        ("specs/a/spec.md", &spec("Heat the water")),
        ("specs/b/spec.md", &spec("Pour the water")),
    ]);
    tree.run(SPOX, &["index"]);
    tree.write_bytes("specs/a/spec.md", b"\xff\xff");
    tree.remove("specs/b/spec.md");
    let stale = &tree.ken_json(&[
        "specs",
        "search",
        "heat",
        "water",
        "--set",
        "index.refresh_ms=0",
    ])["stale"];
    assert_eq!((&stale["unreadable"], &stale["removed"]), (&json!(["a"]), &json!(["b"])));
}

#[test]
fn an_address_may_have_an_id_of_several_segments() {
    let tree = Tree::new(&[
        ("specs/auth/tokens/spec.md", &spec("Expire/renew")),
        ("specs/auth/spec.md", &spec("Sign in")),
    ]);
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let mut read = |uri: &str| {
        let answer = client.request("resources/read", json!({"uri": uri}));
        answer.map(|answer| answer["contents"][0]["text"].as_str().unwrap().to_string())
    };
    for uri in ["spec://auth/tokens", "spec://auth%2Ftokens"] {
        assert_eq!(read(uri).unwrap(), spec("Expire/renew"), "{uri}");
    }
    assert!(read("spec://auth/Sign%20in").unwrap().starts_with("### Requirement: Sign in"));
    for uri in ["spec://auth/tokens/Expire%2Frenew", "spec://auth%2Ftokens/expire%2frenew"] {
        assert!(read(uri).unwrap().starts_with("### Requirement: Expire"), "{uri}");
    }
    for uri in ["spec://auth/nope", "spec://nope/tokens"] {
        let error = read(uri).unwrap_err();
        assert!(error["message"].as_str().unwrap().contains("not found"), "{error}");
    }
}

/// Names should not occur twice, but what does must be reachable.
#[test]
fn each_of_several_scenarios_of_one_name_can_be_had() {
    let text =
        spec("R") + "\n#### Scenario: Usual\n- **WHEN** asked again\n- **THEN** it does so again\n";
    let tree = Tree::new(&[("specs/a/spec.md", &text)]);
    let mut client = Client::connect(tree.command(SPOX, &["mcp", "serve"]));
    let mut ask = |more: Value| {
        let mut arguments = json!({"spec_id": "a", "requirement": "R", "scenario": "Usual"});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.call("get_scenario", arguments).unwrap()
    };
    let first = ask(json!({}));
    assert_eq!(first["structuredContent"]["when"], "asked");
    assert_eq!(first["structuredContent"]["occurrences"], 2);
    assert_eq!(first, ask(json!({"occurrence": 1})));
    assert_eq!(ask(json!({"occurrence": 2}))["structuredContent"]["when"], "asked again");
    assert_eq!(ask(json!({"occurrence": 3}))["isError"], true);
    // A name that nobody has: what there is, and no wild guess.
    let refused = ask(json!({"scenario": "zzz"}));
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("its scenarios are \"Usual\", \"Usual\""), "{text}");
    assert!(!text.contains("did you mean"), "{text}");
}

#[test]
fn commands_are_typed_and_hinted_as_commands() {
    let tree = Tree::new(&[("specs/auth/spec.md", &spec("Sign in"))]);
    for arguments in [
        &["specs", "validate", "auth"][..],
        &["specs", "validate", "--spec-id", "auth"],
        &["validate-spec", "auth", "--strict"],
    ] {
        let shown = tree.ken(arguments);
        assert!(shown.contains("1 spec: 0 errors, 0 warnings"), "{shown}");
    }
    let output = tree.run(KEN, &["specs", "requirements", "zzz"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("`ken specs list` shows"), "{stderr}");
    tree.write("skills/a/SKILL.md", "---\nname: a\ndescription: x\n---\nDo.\n");
    assert_eq!(tree.ken_json(&["skills", "validate", "skills/a"])["checked"], 1);
}

#[test]
fn changes_lie_where_the_configuration_says() {
    let tree = Tree::new(&[
        ("docs/how/faster/proposal.md", "# Faster\n"),
        ("kenning.toml", "[specs]\nchanges = \"docs/how\"\n"),
    ]);
    let listed = tree.ken_json(&["specs", "changes"]);
    assert_eq!(listed["changes"][0]["id"], "faster", "{listed}");
    let mut client = Client::connect(tree.command(KEN, &["serve", "--toolsets", "specs"]));
    let answer = client.answer("get_change", json!({"change_id": "faster"}));
    assert_eq!(answer["title"], "Faster");
    // One that is named and is not there is told.
    tree.write("kenning.toml", "[specs]\nchanges = \"docs/gone\"\n");
    let listed = tree.ken_json(&["specs", "changes"]);
    let problems = listed["problems"].to_string();
    assert!(problems.contains("docs/gone: there is no such folder"), "{listed}");
}
