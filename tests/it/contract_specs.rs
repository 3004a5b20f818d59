//! Every scenario of the specs contract, under its own name, over a real `spox mcp serve`.

use serde_json::{Value, json};

use crate::support::{Client, KEN, SPOX, Tree};

const BREWING: &str = "# Brewing\n\n## Purpose\n\nHow coffee is made from beans and hot water.\n\n\
    ## Requirements\n\n### Requirement: Heat the water\n\nThe kettle SHALL bring water to 94 degrees.\n\n\
    #### Scenario: Cold water\n\n- **WHEN** the kettle is switched on\n- **AND** the water is cold\n\
    - **THEN** the heating element is powered\n  until the thermostat reports 94 degrees\n\
    - **AND** a lamp glows\n\n#### Scenario: Empty kettle\n\n- **GIVEN** a kettle without water\n\
    - **WHEN** it is switched on\n- **THEN** it switches itself off:\n  - at once\n  - with a click\n\n\
    ### Requirement: Grind the beans\n\nThe mill SHALL grind beans to the chosen coarseness.\n\n\
    #### Scenario: Hopper is empty\n\n- **WHEN** no beans are left\n- **THEN** the mill stops\n";

const BILLING: &str = "## ADDED Requirements\n\n### Requirement: Monthly invoice\n\n\
    Each customer MUST receive one invoice a month, with every purchase on it.\n\n\
    #### Scenario: Customer without purchases\n\n- **WHEN** a month passes without a purchase\n\
    - **THEN** no invoice is sent\n";

/// Two specs: one in each layout.
fn tree() -> Tree {
    Tree::new(&[("specs/brewing/spec.md", BREWING), ("openspec/specs/billing/spec.md", BILLING)])
}

fn serve(tree: &Tree) -> Client {
    Client::connect(tree.command(SPOX, &["mcp", "serve"]))
}

fn index(tree: &Tree) -> String {
    let output = tree.run(SPOX, &["index"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

/// The text of a result that must be an error.
fn refusal(client: &mut Client, tool: &str, arguments: Value) -> String {
    let result = client.call(tool, arguments).unwrap();
    assert_eq!(result["isError"], true, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap().to_string();
    assert!(result["structuredContent"]["error"]["message"].is_string());
    assert!(result["structuredContent"]["error"]["code"].is_i64());
    text
}

fn found(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap().iter();
    results.map(|hit| hit["requirement"].as_str().unwrap()).collect()
}

// Requirement: MCP Interface Layer

/// That a tool calls the core and nothing else decides is held by the layers (`tidy`); here: the
/// server and the command line, two doors to the same core, answer the same.
#[test]
fn mcp_delegates_to_core() {
    let tree = tree();
    let mut client = serve(&tree);
    let calls = [
        ("list_specs", json!({}), vec!["list-specs"]),
        (
            "get_spec_requirements",
            json!({"spec_id": "brewing"}),
            vec!["get-spec-requirements", "brewing"],
        ),
        (
            "get_scenario",
            json!({"spec_id": "brewing", "requirement": "Grind the beans"}),
            vec!["get-scenario", "brewing", "Grind the beans"],
        ),
    ];
    for (tool, arguments, command) in calls {
        let result = client.call(tool, arguments).unwrap();
        let text = result["content"][0]["text"].as_str().unwrap();
        let answer: Value = serde_json::from_str(text).unwrap();
        assert_eq!(answer, tree.ken_json(&command), "{tool}");
        assert_eq!(answer, result["structuredContent"], "{tool}");
    }
}

#[test]
fn mcp_handles_errors_from_core() {
    let tree = tree();
    let mut client = serve(&tree);
    let text = refusal(&mut client, "get_spec_requirements", json!({"spec_id": "brewng"}));
    assert!(text.contains("Spec 'brewng' not found"), "{text}");
    assert!(text.contains("did you mean \"brewing\"?"), "{text}");
}

// Requirement: MCP Server Protocol

#[test]
fn server_responds_to_initialize() {
    let mut client = serve(&tree());
    assert!(client.server["capabilities"]["tools"].is_object());
    let tools = client.tool_names();
    let contract = ["list_specs", "get_spec_requirements", "get_scenario", "search_specs"];
    assert_eq!(tools, contract);
}

#[test]
fn server_info() {
    let client = serve(&tree());
    assert_eq!(client.server["serverInfo"]["name"], "spox");
    let instructions = client.server["instructions"].as_str().unwrap();
    assert!(instructions.contains("list_specs"), "{instructions}");
}

// Requirement: List Specs Tool

#[test]
fn list_all_specs() {
    let answer = serve(&tree()).answer("list_specs", json!({}));
    assert_eq!(
        answer,
        json!({"specs": [
            {"id": "billing", "title": "billing", "purpose": "", "requirement_count": 1},
            {"id": "brewing", "title": "Brewing",
             "purpose": "How coffee is made from beans and hot water.", "requirement_count": 2},
        ]})
    );
}

#[test]
fn list_all_specs_reports_what_cannot_be_read() {
    let tree = tree();
    tree.write_bytes("specs/broken/spec.md", b"# Broken\n\xff\xfe\n");
    let answer = serve(&tree).answer("list_specs", json!({}));
    assert_eq!(answer["specs"].as_array().unwrap().len(), 2);
    let problems = answer["problems"].as_array().unwrap();
    assert_eq!(problems, &[json!("specs/broken/spec.md:2: not valid UTF-8")]);
}

#[test]
fn list_all_specs_of_a_configured_folder() {
    let tree = Tree::new(&[
        (".spox/config.toml", "[paths]\nspec_folder = \"docs/what/\"\n"),
        ("docs/what/brewing/spec.md", BREWING),
        ("src/deep/code.txt", ""),
    ]);
    let mut command = tree.command(SPOX, &["mcp", "serve"]);
    command.current_dir(tree.root().join("src/deep"));
    let answer = Client::connect(command).answer("list_specs", json!({}));
    assert_eq!(answer["specs"][0]["id"], "brewing");
    let tree = Tree::new(&[
        ("kenning.toml", "[specs]\nfolder = \"docs\"\n"),
        ("docs/brewing/spec.md", BREWING),
    ]);
    let answer = serve(&tree).answer("list_specs", json!({}));
    assert_eq!(answer["specs"][0]["id"], "brewing");
}

#[test]
fn no_specs_found() {
    let tree = Tree::new(&[("specs/mission.md", "# Mission\n")]);
    let answer = serve(&tree).answer("list_specs", json!({}));
    assert_eq!(answer, json!({"specs": []}));
    let answer = serve(&Tree::new(&[])).answer("list_specs", json!({}));
    assert_eq!(answer, json!({"specs": []}));
}

// Requirement: Get Spec Requirements Tool

#[test]
fn get_requirements_for_existing_spec() {
    let tree = tree();
    let mut client = serve(&tree);
    let answer = client.answer("get_spec_requirements", json!({"spec_id": "brewing"}));
    assert_eq!(
        answer,
        json!({"spec_id": "brewing", "requirements": [
            {"name": "Heat the water", "scenario_count": 2},
            {"name": "Grind the beans", "scenario_count": 1},
        ]})
    );
    let answer = client.answer("get_spec_requirements", json!({"spec_id": "billing"}));
    assert_eq!(
        answer["requirements"],
        json!([{"name": "Monthly invoice", "scenario_count": 1, "operation": "ADDED"}])
    );
    // Read from the file as it is now, not as it was.
    tree.write("specs/brewing/spec.md", "### Requirement: Only one\n");
    let answer = client.answer("get_spec_requirements", json!({"spec_id": "brewing"}));
    assert_eq!(answer["requirements"], json!([{"name": "Only one", "scenario_count": 0}]));
}

#[test]
fn spec_not_found() {
    let tree = tree();
    tree.write("secret/spec.md", "# Secret\n");
    let mut client = serve(&tree);
    for id in ["nope", "", "../secret", "..", "brewing/../brewing", "/etc"] {
        let text = refusal(&mut client, "get_spec_requirements", json!({"spec_id": id}));
        assert!(text.contains(&format!("Spec '{id}' not found")), "{text}");
    }
}

// Requirement: Get Scenario Tool

#[test]
fn get_specific_scenario() {
    let tree = tree();
    let mut client = serve(&tree);
    let answer = client.answer(
        "get_scenario",
        json!({"spec_id": "brewing", "requirement": "Heat the water", "scenario": "Empty kettle"}),
    );
    assert_eq!(
        answer,
        json!({
            "spec_id": "brewing",
            "requirement": "Heat the water",
            "requirement_description": "The kettle SHALL bring water to 94 degrees.",
            "name": "Empty kettle",
            "given": "a kettle without water",
            "when": "it is switched on",
            "then": ["it switches itself off:\n- at once\n- with a click"],
            "path": "specs/brewing/spec.md",
            "line": 21,
            "other_scenarios": ["Cold water"],
        })
    );
}

#[test]
fn get_first_scenario_by_default() {
    let tree = tree();
    let mut client = serve(&tree);
    let arguments = json!({"spec_id": "brewing", "requirement": "heat THE water"});
    let answer = client.answer("get_scenario", arguments);
    assert_eq!(answer["name"], "Cold water");
    assert_eq!(answer["when"], "the kettle is switched on\nAND the water is cold");
    assert_eq!(
        answer["then"],
        json!([
            "the heating element is powered\nuntil the thermostat reports 94 degrees",
            "a lamp glows"
        ])
    );
}

#[test]
fn scenario_not_found() {
    let tree = tree();
    tree.write("specs/bare/spec.md", "### Requirement: Bare\nText.\n");
    let mut client = serve(&tree);
    let ask = |requirement: &str, scenario: &str| json!({"spec_id": "brewing", "requirement": requirement, "scenario": scenario});
    let text = refusal(&mut client, "get_scenario", ask("Heat the water", "Cold watr"));
    assert!(text.contains("Scenario 'Cold watr' not found"), "{text}");
    assert!(text.contains("did you mean \"Cold water\"?"), "{text}");
    let text = refusal(&mut client, "get_scenario", ask("Heat", "Cold water"));
    assert!(text.contains("Requirement 'Heat' not found"), "{text}");
    let bare = json!({"spec_id": "bare", "requirement": "Bare"});
    let text = refusal(&mut client, "get_scenario", bare);
    assert!(text.contains("Scenario not found"), "{text}");
}

// Requirement: Search Specs Tool

#[test]
fn search_with_query() {
    let tree = tree();
    let said = index(&tree);
    assert!(said.contains("2 specs (3 requirements, 4 scenarios; 7 embedded)"), "{said}");
    let mut client = serve(&tree);
    let arguments = json!({"query": "how hot does the kettle make the water"});
    let answer = client.answer("search_specs", arguments);
    assert_eq!(found(&answer)[0], "Heat the water", "{answer}");
    let results = answer["results"].as_array().unwrap();
    for result in results {
        assert!(result["spec_id"].is_string() && result["snippet"].is_string(), "{result}");
    }
    let scores = results.iter().map(|result| result["score"].as_f64().unwrap());
    assert!(scores.is_sorted_by(|a, b| a >= b), "{answer}");
    assert_eq!(answer.get("stale"), None);
    // A requirement is found by the text of its scenario, and the hit names the scenario.
    let answer = client.answer("search_specs", json!({"query": "the lamp glows", "top_k": 1}));
    assert_eq!(found(&answer), ["Heat the water"], "{answer}");
    assert_eq!(answer["results"][0]["scenario"], "Cold water");
    assert!(answer["results"][0]["snippet"].as_str().unwrap().contains("lamp"));
}

#[test]
fn search_says_when_the_index_is_stale() {
    let tree = tree();
    index(&tree);
    let mut unchecked = tree.command(SPOX, &["mcp", "serve"]);
    unchecked.env("KEN_INDEX_REFRESH_MS", "0");
    let mut client = Client::connect(unchecked);
    tree.write("specs/brewing/spec.md", &BREWING.replace("94", "96"));
    tree.write("specs/cups/spec.md", "### Requirement: Wash the cups\nCups SHALL be washed.\n");
    tree.remove("openspec/specs/billing/spec.md");
    let query = json!({"query": "grind the beans"});
    let stale = client.answer("search_specs", query.clone())["stale"].clone();
    assert_eq!(stale["changed"], json!(["brewing"]), "{stale}");
    assert_eq!(stale["added"], json!(["cups"]), "{stale}");
    assert_eq!(stale["removed"], json!(["billing"]), "{stale}");
    assert!(stale["remedy"].as_str().unwrap().contains("spox index"));
    // Only what is new is embedded, and a server that runs sees the new index at once.
    let said = index(&tree);
    assert!(said.contains("2 specs (3 requirements, 3 scenarios; 3 embedded)"), "{said}");
    let answer = client.answer("search_specs", query);
    assert_eq!(answer.get("stale"), None, "{answer}");
    let answer = client.answer("search_specs", json!({"query": "wash cups"}));
    assert_eq!(found(&answer)[0], "Wash the cups");
    assert!(index(&tree).contains("0 embedded"));
}

#[test]
fn search_brings_its_index_up_to_date() {
    let tree = tree();
    index(&tree);
    let mut client = serve(&tree);
    tree.write("specs/cups/spec.md", "### Requirement: Wash the cups\nCups SHALL be washed.\n");
    tree.remove("openspec/specs/billing/spec.md");
    let answer = client.answer("search_specs", json!({"query": "wash cups"}));
    assert_eq!(found(&answer)[0], "Wash the cups");
    assert_eq!(answer.get("stale"), None, "{answer}");
}

#[test]
fn search_with_no_index() {
    let tree = tree();
    let mut client = serve(&tree);
    let text = refusal(&mut client, "search_specs", json!({"query": "water"}));
    assert!(text.contains("Index not found"), "{text}");
    assert!(text.contains("spox index"), "{text}");
    // A file that is no index, or half of one, is no index either. With checks, it is rebuilt.
    index(&tree);
    let answer = client.answer("search_specs", json!({"query": "hot water in the kettle"}));
    assert!(!found(&answer).is_empty());
    let file = tree.home().join("collections/repo/specs.index");
    let bytes = std::fs::read(&file).unwrap();
    let mut unchecked = tree.command(SPOX, &["mcp", "serve"]);
    unchecked.env("KEN_INDEX_REFRESH_MS", "0");
    let mut unchecked = Client::connect(unchecked);
    for cut in [0, 5, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&file, &bytes[..cut]).unwrap();
        let text = refusal(&mut unchecked, "search_specs", json!({"query": "water"}));
        assert!(text.contains("spox index"), "{text}");
        let answer = client.answer("search_specs", json!({"query": "hot water in the kettle"}));
        assert!(!found(&answer).is_empty(), "{cut}: {answer}");
    }
}

#[test]
fn search_with_empty_results() {
    let tree = tree();
    index(&tree);
    let mut client = serve(&tree);
    // One side of the threshold: questions about nothing in these specs.
    for query in [
        "xyzzy plugh frobnicate",
        "quantum chromodynamics of neutron stars",
        "kubernetes ingress controller certificates",
        "!!! ???",
        "搜索",
        "the",
        "a",
        "how is it",
    ] {
        let answer = client.answer("search_specs", json!({"query": query}));
        assert_eq!(answer["results"], json!([]), "{query}: {answer}");
    }
    // The other side: questions in words of their own.
    for (query, expected) in [
        ("kettle gets switched on while it holds no water", "Heat the water"),
        ("mill runs out of beans", "Grind the beans"),
        ("bill for each customer every month", "Monthly invoice"),
    ] {
        let answer = client.answer("search_specs", json!({"query": query}));
        assert_eq!(found(&answer).first(), Some(&expected), "{query}: {answer}");
    }
}

// Requirement: Graceful Degradation

#[test]
fn search_where_there_are_no_specs_says_so_before_and_after_indexing() {
    let tree = Tree::new(&[("src/a.rs", "fn a() {}\n")]);
    for _ in 0..2 {
        let output = tree.run(KEN, &["search-specs", "water"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("there are no specs here"), "{said}");
        assert!(said.contains("openspec/") && !said.contains("ken index"), "{said}");
        tree.ken(&["index"]);
    }
}

#[test]
fn server_without_index() {
    let tree = tree();
    let mut client = serve(&tree);
    assert_eq!(client.answer("list_specs", json!({}))["specs"].as_array().unwrap().len(), 2);
    client.answer("get_spec_requirements", json!({"spec_id": "brewing"}));
    let arguments = json!({"spec_id": "billing", "requirement": "Monthly invoice"});
    client.answer("get_scenario", arguments);
    let text = refusal(&mut client, "search_specs", json!({"query": "water"}));
    assert!(text.contains("Index not found"), "{text}");
    // Reading never writes.
    assert!(!tree.home().exists());
}

// Errors of the family, from the table in the contracts' README.

#[test]
fn bad_arguments_are_results_that_the_model_can_read() {
    let tree = tree();
    index(&tree);
    let mut client = serve(&tree);
    for (tool, arguments, words) in [
        ("get_spec_requirements", json!({}), "`spec_id` is required"),
        ("get_spec_requirements", json!({"spec_id": 3}), "`spec_id` must be a string"),
        ("get_scenario", json!({"spec_id": "brewing"}), "`requirement` is required"),
        ("search_specs", json!({}), "`query` is required"),
        ("search_specs", json!({"query": " "}), "`query` must not be empty"),
        ("search_specs", json!({"query": "x", "top_k": 0}), "`top_k` must be at least 1"),
    ] {
        let text = refusal(&mut client, tool, arguments.clone());
        assert!(text.contains(words), "{tool} {arguments}: {text}");
    }
    let arguments = json!({"query": "water", "top_k": 1_000_000});
    client.answer("search_specs", arguments);
}

// Beyond the contract

#[test]
fn ken_index_refreshes_the_specs_too() {
    let tree = tree();
    let report = tree.ken_json(&["index"]);
    assert_eq!(report["specs"], 2, "{report}");
    let mut client = Client::connect(tree.command(KEN, &["serve", "--toolsets", "specs"]));
    let answer = client.answer("search_specs", json!({"query": "grinding beans"}));
    assert_eq!(found(&answer)[0], "Grind the beans");
    let without = Tree::monorepo();
    assert_eq!(without.ken_json(&["index"])["specs"], Value::Null);
    assert!(!without.home().join("collections/repo/specs.index").exists());
}

/// A tool without an address works on the working directory, else on the only indexed root.
#[test]
fn the_only_indexed_root_is_meant_elsewhere() {
    let tree = tree();
    index(&tree);
    std::fs::create_dir_all(tree.home().join("elsewhere")).unwrap();
    let mut command = tree.command(SPOX, &["mcp", "serve"]);
    command.current_dir(tree.home().join("elsewhere"));
    let mut client = Client::connect(command);
    let answer = client.answer("search_specs", json!({"query": "grinding beans"}));
    assert_eq!(found(&answer)[0], "Grind the beans");
    assert_eq!(answer.get("stale"), None, "{answer}");
    // But whoever indexes there means there.
    let mut command = tree.command(SPOX, &["index"]);
    let output = command.current_dir(tree.home().join("elsewhere")).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("Indexed 0 specs"), "{said}");
}

#[test]
fn specs_are_resources() {
    let tree = tree();
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let listed = client.request("resources/list", json!({})).unwrap();
    let uris = listed["resources"].as_array().unwrap().iter();
    let uris: Vec<&str> = uris.map(|one| one["uri"].as_str().unwrap()).collect();
    assert!(uris.contains(&"spec://billing") && uris.contains(&"spec://brewing"), "{listed}");
    let mut read = |uri: &str| {
        let answer = client.request("resources/read", json!({"uri": uri}));
        answer.map(|answer| answer["contents"][0]["text"].as_str().unwrap().to_string())
    };
    assert_eq!(read("spec://brewing").unwrap(), BREWING);
    let requirement = read("spec://brewing/Grind%20the%20beans").unwrap();
    assert!(requirement.starts_with("### Requirement: Grind the beans"), "{requirement}");
    assert!(requirement.ends_with("the mill stops"), "{requirement}");
    for uri in ["spec://nope", "spec://brewing/nope", "spec://..%2Fsecret"] {
        let error = read(uri).unwrap_err();
        assert!(error["message"].as_str().unwrap().contains("not found"), "{error}");
    }
}

fn change() -> Tree {
    let tree = tree();
    tree.write(
        "specs/_changes/add-milk/proposal.md",
        "# Change: Add milk\n\n## Why\n\nMost people who drink coffee in the morning want milk in it.\n\n\
         ## What Changes\n\n- A jug.\n\n## Impact\n\n- brewing\n",
    );
    tree.write(
        "specs/_changes/add-milk/tasks.md",
        "## 1. Jug\n- [x] 1.1 Buy one\n- [ ] 1.2 Fill it\n",
    );
    tree.write(
        "specs/_changes/add-milk/specs/brewing/spec.md",
        "## ADDED Requirements\n### Requirement: Froth\nMilk SHALL be frothed.\n#### Scenario: Hot\n\
         - **WHEN** steam\n- **THEN** froth\n## RENAMED Requirements\n\
         - FROM: `### Requirement: Heat the water`\n- TO: `### Requirement: Boil`\n",
    );
    tree.write("openspec/changes/archive/old/proposal.md", "# Archived\n");
    tree
}

#[test]
fn changes_are_listed_and_shown() {
    let tree = change();
    assert_eq!(
        tree.ken_json(&["specs", "changes"]),
        json!({"changes": [{"id": "add-milk", "title": "Add milk",
            "task_progress": {"completed": 1, "total": 2}, "specs": ["brewing"]}]})
    );
    let whole = tree.ken_json(&["specs", "change", "add-milk"]);
    assert_eq!(whole["proposal"]["what_changes"], "- A jug.");
    assert_eq!(whole["proposal"]["other_sections"][0]["heading"], "Impact");
    assert_eq!(whole["tasks"]["tasks"][1]["number"], "1.2");
    let deltas = tree.ken_json(&["get-change", "add-milk", "--section", "deltas"]);
    assert_eq!(
        deltas["deltas"],
        json!([{"capability": "brewing", "items": [
            {"operation": "ADDED", "name": "Froth", "scenarios": ["Hot"],
             "text": "Milk SHALL be frothed.\n#### Scenario: Hot\n- **WHEN** steam\n- **THEN** froth"},
            {"operation": "RENAMED", "name": "Boil", "renamed_from": "Heat the water",
             "scenarios": []},
        ], "other_sections": [{"heading": "RENAMED Requirements",
            "text": "- FROM: `### Requirement: Heat the water`\n- TO: `### Requirement: Boil`"}]}])
    );
    assert_eq!(deltas.get("proposal"), None);
}

#[test]
fn validation_has_lines_and_an_exit_code() {
    let tree = change();
    let verdict = |arguments: &[&str]| {
        let output = tree.run(KEN, &[arguments, &["--json"]].concat());
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.success(), answer["valid"] == true, "{answer}");
        answer
    };
    assert_eq!(verdict(&["specs", "validate-change"])["valid"], true);
    assert_eq!(verdict(&["specs", "validate", "--spec-id", "billing"])["valid"], false);
    let answer = verdict(&["validate-spec", "--spec-id", "brewing"]);
    assert_eq!(answer["valid"], true, "{answer}");
    assert_eq!(
        answer["warnings"],
        json!([{"file": "specs/brewing/spec.md", "line": 3,
                "description": "the purpose is shorter than 50 characters"}])
    );
    assert_eq!(verdict(&["validate-spec", "--spec-id", "brewing", "--strict"])["valid"], false);
    tree.write(
        "specs/brewing/spec.md",
        &BREWING.replace("#### Scenario: Hopper", "####Scenario: Hopper"),
    );
    let answer = verdict(&["validate-spec", "--spec-id", "brewing"]);
    assert_eq!(answer["errors"][0]["line"], 33, "{answer}");
    tree.write(
        "specs/_changes/add-milk/specs/brewing/spec.md",
        "## MODIFIED Requirements\n### Requirement: Tea\n",
    );
    let answer = verdict(&["validate-change", "--change-id", "add-milk"]);
    let errors = answer["errors"].as_array().unwrap();
    assert!(errors.iter().any(|error| error["line"] == 2), "{answer}");
}

#[test]
fn spox_speaks_as_its_users_know_it() {
    let tree = change();
    let say = |arguments: &[&str]| {
        let output = tree.run(SPOX, arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code().unwrap(), text)
    };
    let specs = "Specs:\n- billing  1 requirements\n- brewing  2 requirements\n";
    assert_eq!(say(&["spec", "list"]), (0, specs.to_string()));
    let changes = "Changes:\n- add-milk  1/2 tasks\n";
    assert_eq!(say(&["change", "list"]), (0, changes.to_string()));
    assert_eq!(say(&["spec", "show", "brewing"]), (0, BREWING.to_string()));
    let (code, shown) = say(&["change", "show", "add-milk", "--deltas-only"]);
    assert!(code == 0 && shown.contains("Froth") && !shown.contains("jug"), "{shown}");
    let (code, shown) = say(&["spec", "validate", "billing"]);
    assert_eq!(code, 1);
    assert!(
        shown.contains("openspec/specs/billing/spec.md:1: error: there is no `## Purpose`"),
        "{shown}"
    );
    let (code, shown) = say(&["change", "validate", "add-milk"]);
    assert_eq!((code, shown.as_str()), (0, "1 change: 0 errors, 0 warnings\n"));
    assert_eq!(say(&["spec", "show", "nope"]).0, 1);
    let empty = Tree::new(&[]);
    let output = empty.run(SPOX, &["spec", "list"]);
    assert_eq!(output.stdout, b"No specs found.\n");
    let output = empty.run(SPOX, &["change", "list"]);
    assert_eq!(output.stdout, b"No active changes.\n");
}
