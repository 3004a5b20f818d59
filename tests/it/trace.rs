//! From requirements to code and back, over a small repository: a teahouse that has a till.

use serde_json::Value;

use crate::support::{Client, KEN, Tree};

const BREWING: &str = "# Brewing

## Purpose
How tea is made.

## Requirements

### Requirement: Heat the water
The kettle SHALL bring water to the temperature of the tea with `boil_water`.

#### Scenario: Empty kettle
- **WHEN** the kettle holds no water
- **THEN** heating is refused with \"the kettle is empty\"

### Requirement: Steep the leaves
Tea leaves SHALL steep for the number of seconds that the tea wants.

#### Scenario: Too long
- **WHEN** the leaves steep for longer
- **THEN** the tea is bitter

### Requirement: Night shift telegraph
Zeppelins SHALL moor at the observatory mast whenever a telegraph clerk raises the semaphore.

#### Scenario: Fog
- **WHEN** fog hides the mast
- **THEN** the zeppelin drifts to another observatory
";

fn teahouse() -> Tree {
    let tree = Tree::new(&[
        ("specs/brewing/spec.md", BREWING),
        (
            "src/kettle.rs",
            "/// Brings the water in the kettle to a temperature.
pub fn boil_water(kettle: &mut Kettle, temperature: u32) -> Result<(), String> {
    if kettle.water == 0 {
        return Err(\"the kettle is empty\".to_string());
    }
    kettle.temperature = temperature;
    Ok(())
}
",
        ),
        (
            "src/leaves.rs",
            "/// Lets the leaves steep for the seconds that the tea wants.
pub fn steep_leaves(tea: &mut Tea, seconds: u32) {
    tea.steeped += seconds;
    if tea.steeped > tea.wanted_seconds {
        tea.taste = Taste::Bitter;
    }
}
",
        ),
        (
            "src/till.rs",
            "/// Adds up the prices of a bill.
pub fn total(prices: &[u32]) -> u32 {
    prices.iter().sum()
}
",
        ),
        (
            "tests/kettle.rs",
            "#[test]
fn an_empty_kettle_is_not_heated() {
    let mut kettle = Kettle { water: 0, temperature: 20 };
    assert!(boil_water(&mut kettle, 90).is_err());
}
",
        ),
    ]);
    tree.ken(&["index"]);
    tree
}

fn first<'a>(answer: &'a Value, list: &str) -> &'a Value {
    &answer[list].as_array().unwrap_or_else(|| panic!("{answer}"))[0]
}

fn reasons(place: &Value) -> String {
    place["reasons"].to_string()
}

#[test]
fn a_requirement_leads_to_its_code_and_its_tests() {
    let tree = teahouse();
    let answer = tree.ken_json(&["specs", "trace", "brewing", "--requirement", "heat the water"]);
    assert_eq!(answer["line"], 8, "{answer}");
    let code = first(&answer, "code");
    assert_eq!(code["path"], "src/kettle.rs", "{answer}");
    assert_eq!((&code["symbol"], &code["kind"]), (&"boil_water".into(), &"function".into()));
    assert!(reasons(code).contains("defines `boil_water`"), "{code}");
    let test = first(&answer, "tests");
    assert_eq!(test["path"], "tests/kettle.rs", "{answer}");
    assert!(reasons(test).contains("Empty kettle"), "{test}");
    let places = answer["code"].as_array().unwrap();
    let scores: Vec<f64> = places.iter().map(|one| one["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(places.iter().all(|one| one["path"] != "specs/brewing/spec.md"), "{answer}");
    assert!(places.iter().all(|one| one["path"] != "src/till.rs"), "{answer}");
}

#[test]
fn a_scenario_leads_to_the_test_of_its_name() {
    let tree = teahouse();
    let answer = tree.ken_json(&[
        "trace",
        "brewing",
        "--requirement",
        "Heat the water",
        "--scenario",
        "empty kettle",
    ]);
    assert_eq!(answer["scenario"], "Empty kettle");
    assert_eq!(answer["line"], 11, "{answer}");
    assert_eq!(first(&answer, "tests")["symbol"], "an_empty_kettle_is_not_heated");
    assert!(reasons(first(&answer, "code")).contains("the kettle is empty"), "{answer}");
}

#[test]
fn a_requirement_about_nothing_in_the_code_leads_nowhere() {
    let tree = teahouse();
    let answer = tree.ken_json(&["trace", "brewing", "--requirement", "Night shift telegraph"]);
    assert_eq!(answer["code"], serde_json::json!([]), "{answer}");
    assert_eq!(answer["tests"], serde_json::json!([]), "{answer}");
    assert!(answer["note"].as_str().unwrap().contains("search_code"), "{answer}");
}

#[test]
fn a_whole_spec_is_traced_at_once() {
    let tree = teahouse();
    let answer = tree.ken_json(&["specs", "trace", "brewing"]);
    let lines = answer["requirements"].as_array().unwrap();
    let names: Vec<&Value> = lines.iter().map(|line| &line["requirement"]).collect();
    assert_eq!(names, ["Heat the water", "Steep the leaves", "Night shift telegraph"]);
    assert!(lines[0]["code"][0].as_str().unwrap().starts_with("src/kettle.rs:2 boil_water ("));
    assert!(lines[1]["code"][0].as_str().unwrap().starts_with("src/leaves.rs:2 steep_leaves ("));
}

#[test]
fn a_file_and_a_symbol_lead_back_to_requirements() {
    let tree = teahouse();
    for arguments in
        [["--file", "src/leaves.rs"], ["--file", "./src/leaves.rs"], ["--symbol", "steep_leaves"]]
    {
        let answer = tree.ken_json(&[&["specs", "trace"][..], &arguments].concat());
        let found = answer["requirements"].as_array().unwrap();
        assert_eq!(found[0]["requirement"], "Steep the leaves", "{answer}");
        assert_eq!(found[0]["line"], 15, "{answer}");
        assert_eq!(found[0]["at"], "src/leaves.rs:2", "{answer}");
        let names = found.iter().map(|one| &one["requirement"]);
        assert!(!names.collect::<Vec<_>>().contains(&&"Night shift telegraph".into()));
    }
    let till = tree.ken_json(&["trace", "--file", "src/till.rs"]);
    assert_eq!(till["requirements"], serde_json::json!([]), "{till}");
    assert!(till["note"].is_string(), "{till}");
}

#[test]
fn coverage_counts_and_names_what_is_missing() {
    let tree = teahouse();
    let answer = tree.ken_json(&["specs", "coverage"]);
    let expected = serde_json::json!(
        {"requirements": 3, "with_code": 2, "with_tests": 1, "with_neither": 1});
    assert_eq!(answer["totals"], expected, "{answer}");
    assert_eq!(answer["specs"][0]["spec_id"], "brewing");
    assert_eq!(answer["specs"][0]["with_code"], 2);
    let lacking = answer["uncovered"].as_array().unwrap();
    let lacking: Vec<(&str, String)> = lacking
        .iter()
        .map(|one| (one["requirement"].as_str().unwrap(), one["lacks"].to_string()))
        .collect();
    assert_eq!(
        lacking,
        [
            ("Steep the leaves", r#"["tests"]"#.to_string()),
            ("Night shift telegraph", r#"["code","tests"]"#.to_string()),
        ]
    );
    let shown = tree.ken(&["specs", "coverage"]);
    assert!(shown.contains("Night shift telegraph"), "{shown}");
    let one = tree.ken_json(&["specs-coverage", "--spec-id", "brewing"]);
    assert_eq!(one["totals"], answer["totals"]);
}

#[test]
fn without_an_index_of_the_code_it_says_what_to_do() {
    let tree = Tree::new(&[("specs/brewing/spec.md", BREWING)]);
    for arguments in [&["specs", "trace", "brewing"][..], &["specs", "coverage"]] {
        let mut command = tree.command(KEN, arguments);
        let output = command.env("KEN_INDEX_ON_DEMAND", "off").output().unwrap();
        assert!(!output.status.success());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("→ run `ken index`"), "{said}");
    }
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let answer = client.call("trace", serde_json::json!({"spec_id": "brewing"})).unwrap();
    assert_eq!(answer["isError"], true, "{answer}");
    assert!(answer.to_string().contains("index_codebase"), "{answer}");
}

#[test]
fn bad_questions_are_refused_with_a_way_on() {
    let tree = teahouse();
    for (arguments, expected) in [
        (&["trace"][..], "exactly one of"),
        (&["trace", "brewing", "--file", "src/till.rs"], "exactly one of"),
        (&["trace", "brewing", "--scenario", "Fog"], "needs its `requirement`"),
        (&["trace", "--file", "src/till.rs", "--requirement", "Fog"], "its `spec_id`"),
        (&["trace", "brewin"], "did you mean \"brewing\""),
        (&["trace", "brewing", "--requirement", "Heat water"], "Heat the water"),
        (
            &["trace", "brewing", "--requirement", "Heat the water", "--scenario", "Fog"],
            "Empty kettle",
        ),
        (&["trace", "--file", "src/nowhere.rs"], "not in the code index"),
        (&["trace", "--file", "../../outside.rs"], "not in the code index"),
        (&["trace", "--symbol", "nobody_wrote_this"], "not in the code index"),
    ] {
        let output = tree.run(KEN, arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}

/// Definitions that share a chunk, owners that end alike, and tests that are called by a sentence.
fn workshop() -> Tree {
    let tree = Tree::new(&[
        (
            "specs/brewing/spec.md",
            "# Brewing\n\n## Purpose\nHow tea is made.\n\n## Requirements\n\n\
             ### Requirement: Refuse an empty kettle\n\
             Heating SHALL be refused with `boil` if the kettle holds no water.\n\n\
             #### Scenario: Empty kettle\n- **WHEN** the kettle holds no water\n\
             - **THEN** heating is refused with \"the kettle is empty\"\n",
        ),
        (
            "src/kettle.rs",
            "pub struct Kettle { water: u32 }\n\npub struct TeaKettle { leaves: u32 }\n\n\
             impl Kettle {\n    pub fn fill(&mut self) { self.water += 1; }\n\n\
             \x20   /// Refuses to heat an empty kettle that holds no water.\n\
             \x20   pub fn boil(&self) -> Result<(), String> {\n\
             \x20       if self.water == 0 { return Err(\"the kettle is empty\".to_string()); }\n\
             \x20       Ok(())\n    }\n}\n\n\
             impl TeaKettle {\n    pub fn steep(&self) -> u32 { self.leaves }\n}\n",
        ),
        (
            "tests/kettle.rs",
            "mod tests {\n    use super::*;\n\n\
             \x20   #[test]\n    fn filling_adds_one() { Kettle { water: 0 }.fill(); }\n\n\
             \x20   #[test]\n    fn an_empty_kettle_is_refused() {\n\
             \x20       assert!(Kettle { water: 0 }.boil().is_err(), \"holds no water\");\n    }\n}\n",
        ),
        (
            "web/kettle.test.ts",
            "describe('kettle', () => {\n  it('pours tea', () => { pour(); });\n\n\
             \x20 it('is refused if the empty kettle holds no water', () => {\n\
             \x20   expect(() => boil(kettle)).toThrow('the kettle is empty');\n  });\n});\n",
        ),
    ]);
    tree.ken(&["index"]);
    tree
}

fn symbols(answer: &Value, list: &str) -> Vec<String> {
    let places = answer[list].as_array().unwrap().iter();
    let named = places.map(|place| place["symbol"].as_str().unwrap_or("-").to_string());
    named.collect()
}

#[test]
fn a_place_is_called_by_what_is_meant_in_it() {
    let tree = workshop();
    let requirement = "Refuse an empty kettle";
    let answer = tree.ken_json(&["trace", "brewing", "--requirement", requirement]);
    assert_eq!(symbols(&answer, "code")[0], "boil", "{answer}");
    let tests = symbols(&answer, "tests");
    for name in ["an_empty_kettle_is_refused", "is refused if the empty kettle holds no water"] {
        assert!(tests.iter().any(|known| known == name), "{tests:?}: {answer}");
    }
}

#[test]
fn a_definition_within_a_larger_chunk_is_found_and_owners_are_whole_names() {
    let tree = workshop();
    let spoken =
        |symbol: &str| tree.ken_json(&["trace", "--symbol", symbol])["requirements"].clone();
    assert_eq!(spoken("Kettle.boil")[0]["requirement"], "Refuse an empty kettle");
    assert_eq!(spoken("boil")[0]["symbol"], "boil");
    let output = tree.run(KEN, &["trace", "--symbol", "TeaKettle.boil"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("a definition of TeaKettle.boil"), "{stderr}");
}

#[test]
fn both_directions_agree() {
    let tree = workshop();
    let requirement = "Refuse an empty kettle";
    let forth = tree.ken_json(&["trace", "brewing", "--requirement", requirement]);
    for (list, path) in [("code", "src/kettle.rs"), ("tests", "web/kettle.test.ts")] {
        let places = forth[list].as_array().unwrap();
        let place = places.iter().find(|place| place["path"] == path).unwrap();
        let back = tree.ken_json(&["trace", "--file", path]);
        let speaking = first(&back, "requirements");
        let scores = [place, speaking].map(|one| one["score"].as_f64().unwrap());
        // The file may have a better place than the first of the list.
        assert!(scores[1] >= scores[0], "{path}: {scores:?}");
        let better = forth["tests"].as_array().unwrap().iter().chain(places);
        let is_there = better.map(|one| one["score"].as_f64().unwrap()).any(|one| one == scores[1]);
        assert!(is_there, "{path}: {scores:?} {forth}");
    }
}

#[test]
fn what_comes_near_is_shown_and_what_changed_is_marked() {
    let tree = teahouse();
    let answer = tree.ken_json(&["trace", "brewing", "--requirement", "Night shift telegraph"]);
    assert_eq!(answer["code"].as_array().unwrap().len(), 0, "{answer}");
    // Unrelated code is not listed as near either.
    assert_eq!(answer.get("near_code"), None, "{answer}");
    tree.write(
        "specs/selling/spec.md",
        "# Selling\n\n### Requirement: Round the bill\nThe prices of a bill SHALL be rounded to full coins \
         before anybody pays them at the counter of the house.\n",
    );
    let answer = tree.ken_json(&["trace", "selling", "--requirement", "Round the bill"]);
    assert_eq!(answer["code"].as_array().unwrap().len(), 0, "{answer}");
    let near = first(&answer, "near_code");
    assert_eq!(near["path"], "src/till.rs", "{answer}");
    let back = tree.ken_json(&["trace", "--file", "src/till.rs"]);
    assert_eq!(back["requirements"].as_array().unwrap().len(), 0, "{back}");
    let speaking = first(&back, "near");
    assert_eq!(speaking["requirement"], "Round the bill", "{back}");
    assert_eq!(speaking["score"], near["score"], "{back}");
    let place = |tree: &Tree| {
        let requirement = ["trace", "brewing", "--requirement", "Heat the water"];
        let answer = tree.ken_json(&[&requirement[..], &UNCHECKED].concat());
        first(&answer, "code").clone()
    };
    assert_eq!(place(&tree).get("stale"), None);
    tree.write("src/kettle.rs", "// moved\n");
    assert_eq!(place(&tree)["stale"], true);
    let back = tree.ken_json(&["trace", "--file", "src/kettle.rs", UNCHECKED[0], UNCHECKED[1]]);
    assert_eq!(first(&back, "requirements")["stale"], true, "{back}");
}

/// Leaves the index as it is.
const UNCHECKED: [&str; 2] = ["--set", "index.refresh_ms=0"];

/// Without the check of the tree, code is as it was indexed. An answer says so once another commit
/// is checked out.
#[test]
fn another_commit_is_told() {
    let tree = teahouse();
    let git = |arguments: &[&str]| {
        let mut command = tree.command("git", &["-c", "user.name=a", "-c", "user.email=a@b"]);
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "one"]);
    tree.ken(&["index"]);
    let notice = || {
        let requirement = ["trace", "brewing", "--requirement", "Heat the water"];
        let answer = tree.ken_json(&[&requirement[..], &UNCHECKED].concat());
        answer["notice"].as_str().map(str::to_string)
    };
    assert_eq!(notice(), None);
    git(&["commit", "-q", "--allow-empty", "-m", "two"]);
    let told = notice().expect("another commit is checked out");
    assert!(told.contains("the code index is of commit"), "{told}");
    assert!(
        tree.ken_json(&["specs", "coverage", UNCHECKED[0], UNCHECKED[1]])["notice"].is_string()
    );
}
