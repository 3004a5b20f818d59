//! The scenarios of the code contract that are about `code_research`, under their own names, over a
//! real `ken serve`.

use serde_json::{Value, json};

use crate::support::{Client, KEN, Tree};

const PROTOCOL: &str = "\
/// Whoever can prove who they are.
public protocol Authenticatable {
    func authenticate(password: String) -> Bool
}

public protocol Administrating: Authenticatable {
    func revoke()
}
";

const TYPES: &str = "\
public struct User: Authenticatable {
    public func authenticate(password: String) -> Bool {
        return password == stored
    }
}

public final class Operator: Administrating {
    public func authenticate(password: String) -> Bool { return true }
    public func revoke() {}
}

public struct Robot {
    let key: String
}

public struct Pair<A> {
    let first: A
}
";

const EXTENSIONS: &str = "\
extension Robot: Authenticatable {
    public func authenticate(password: String) -> Bool {
        return password == key
    }
}

extension Pair: Authenticatable where A: Authenticatable {
    public func authenticate(password: String) -> Bool {
        return first.authenticate(password: password)
    }
}
";

const GATE: &str = "\
public struct Gate {
    let user: User

    func open(password: String) -> Bool {
        return user.authenticate(password: password)
    }
}

public struct House {
    let gate: Gate

    func enter(password: String) -> Bool {
        return gate.open(password: password)
    }
}

public func visit(house: House) -> Bool {
    return house.enter(password: \"secret\")
}

public func holiday(house: House) -> Bool {
    return visit(house: house)
}
";

const TESTS: &str = "\
import XCTest

final class GateTests: XCTestCase {
    func testGate() {
        let gate = Gate(user: User())
        XCTAssertTrue(gate.open(password: \"x\"))
    }
}
";

fn tree() -> Tree {
    Tree::new(&[
        ("Sources/Auth/Authenticatable.swift", PROTOCOL),
        ("Sources/Auth/Types.swift", TYPES),
        ("Sources/Auth/Extensions.swift", EXTENSIONS),
        ("Sources/House/Gate.swift", GATE),
        ("Tests/HouseTests/GateTests.swift", TESTS),
    ])
}

fn serve(tree: &Tree) -> Client {
    let root = tree.root();
    let root = root.to_str().unwrap();
    let arguments = ["serve", "--profile", "swiftindex", "--root", root];
    let mut client = Client::connect(tree.command(KEN, &arguments));
    client.answer("index_codebase", json!({ "path": root }));
    client
}

fn research(client: &mut Client, arguments: Value) -> Value {
    client.answer("code_research", arguments)
}

fn outline(answer: &Value) -> Vec<&str> {
    let lines = answer["outline"].as_array().unwrap();
    lines.iter().map(|line| line.as_str().unwrap()).collect()
}

/// The line of the outline that speaks of a definition at this place.
fn line_of<'a>(answer: &'a Value, name: &str, place: &str) -> &'a str {
    let lines = outline(answer);
    let found = lines.into_iter().find(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.contains(&name) && line.contains(place)
    });
    found.unwrap_or_else(|| panic!("no {name} at {place}: {answer}"))
}

// Requirement: code_research Tool

#[test]
fn research_protocol_implementations() {
    let tree = tree();
    let mut client = serve(&tree);
    let question = json!({"query": "all implementations of Authenticatable"});
    let answer = research(&mut client, question);
    assert_eq!(answer["walk"], "implementations", "{answer}");
    for (name, place, how) in [
        ("User", "Sources/Auth/Types.swift:1", "[direct]"),
        ("Operator", "Sources/Auth/Types.swift:7", "[inherited]"),
        ("Robot", "Sources/Auth/Types.swift:12", "[extension]"),
        ("Pair", "Sources/Auth/Types.swift:16", "[conditional]"),
    ] {
        let line = line_of(&answer, name, place);
        assert!(line.contains(how), "{line}");
    }
    // Where an extension says so is another place than where the type is.
    let robot = line_of(&answer, "Robot", "Types.swift:12");
    assert!(robot.contains("Sources/Auth/Extensions.swift:1"), "{robot}");
    let house = outline(&answer);
    assert!(!house.iter().any(|line| line.contains("House")), "{house:?}");
}

#[test]
fn research_with_depth() {
    let tree = tree();
    let mut client = serve(&tree);
    let levels = ["Gate.open", "House.enter", "visit"];
    for depth in 1..=3 {
        let question = json!({"query": "what uses User.authenticate", "depth": depth});
        let answer = research(&mut client, question);
        assert_eq!(answer["walk"], "references", "{answer}");
        for (level, name) in levels.iter().enumerate() {
            let is_there = outline(&answer).iter().any(|line| line.contains(name));
            assert_eq!(is_there, level < depth, "{name} at depth {depth}: {answer}");
        }
    }
    let question = json!({"query": "what uses User.authenticate", "depth": 3});
    let answer = research(&mut client, question);
    let graph = answer["dependencyGraph"].as_array().unwrap();
    let edge = "Sources/House/Gate.swift → Sources/Auth/Types.swift";
    let has_edge = |line: &Value| line.as_str().unwrap().starts_with(edge);
    assert!(graph.iter().any(has_edge), "{answer}");
    for depth in [0, 4] {
        let question = json!({"query": "what uses User", "depth": depth});
        let error = client.call("code_research", question).unwrap_err();
        assert_eq!(error["code"], -32602, "{error}");
    }
}

#[test]
fn research_call_graph() {
    let tree = tree();
    let mut client = serve(&tree);
    let question = json!({"query": "what calls authenticate()", "depth": 3});
    let answer = research(&mut client, question);
    assert_eq!(answer["walk"], "callers", "{answer}");
    let gate = line_of(&answer, "Gate.open", "Sources/House/Gate.swift:4");
    assert!(gate.contains("calls at 5"), "{gate}");
    assert!(gate.contains("[high: "), "{gate}");
    line_of(&answer, "House.enter", "Sources/House/Gate.swift:12");
    line_of(&answer, "visit", "Sources/House/Gate.swift:17");
    let chains = answer["chains"].as_array().unwrap();
    let chain = "visit (Sources/House/Gate.swift:17) → \
                 House.enter (Sources/House/Gate.swift:12) → \
                 Gate.open (Sources/House/Gate.swift:4) → \
                 User.authenticate (Sources/Auth/Types.swift:2)";
    let has_chain = |line: &Value| line.as_str().unwrap().starts_with(chain);
    assert!(chains.iter().any(has_chain), "{answer}");
}

// Requirement: Progress Reporting

#[test]
fn search_progress() {
    let tree = tree();
    let mut client = serve(&tree);
    let parameters = json!({
        "name": "code_research",
        "arguments": {"query": "what calls User.authenticate", "depth": 3},
        "_meta": {"progressToken": "p"},
    });
    client.request("tools/call", parameters).unwrap();
    let told = client.notifications.iter();
    let told = told.filter(|message| message["params"]["progressToken"] == "p");
    let hops: Vec<(f64, f64)> = told
        .map(|message| {
            let number = |name: &str| message["params"][name].as_f64().unwrap();
            (number("progress"), number("total"))
        })
        .collect();
    assert_eq!(hops, [(1.0, 3.0), (2.0, 3.0), (3.0, 3.0)]);
}

// Requirement: Error Handling

#[test]
fn research_without_index() {
    let tree = tree();
    let root = tree.root();
    let arguments = ["serve", "--profile", "swiftindex", "--root", root.to_str().unwrap()];
    let mut client = Client::connect(tree.command(KEN, &arguments));
    let error = client.call("code_research", json!({"query": "x"}));
    let error = error.unwrap_err();
    assert_eq!(error["code"], -32000, "{error}");
    assert!(error["message"].as_str().unwrap().starts_with("Index not found"));
    assert_eq!(error["data"]["suggestion"], "Run index_codebase first");
}

// Beyond the scenarios: what the answer owes its reader.

#[test]
fn each_question_takes_its_walk() {
    let tree = tree();
    let mut client = serve(&tree);
    for (query, walk, name) in [
        ("what does House.enter call", "callees", "→ Gate.open"),
        ("what does House depend on", "dependencies", "→ Gate "),
        ("what does Operator implement", "supertypes", "→ Administrating"),
        ("where is Gate defined", "definition", "Gate  struct"),
        ("House.enter", "overview", "← visit"),
        ("who checks the secret password at the door", "search", "authenticate"),
    ] {
        let answer = research(&mut client, json!({ "query": query }));
        assert_eq!(answer["walk"], walk, "{query}: {answer}");
        let text = outline(&answer).join("\n");
        assert!(text.contains(name), "{query}: {text}");
    }
}

#[test]
fn research_reads_the_lines_and_leaves_out_tests_until_asked() {
    let tree = tree();
    let mut client = serve(&tree);
    let question = json!({"query": "what calls Gate.open"});
    let answer = research(&mut client, question);
    let text = answer.to_string();
    assert!(!text.contains("testGate"), "{answer}");
    assert!(text.contains("1 place in tests; set `include_tests`"), "{answer}");
    let read = answer["read"].as_array().unwrap();
    let passage = read.iter().find(|one| one["startLine"] == 12).unwrap();
    let content = "    func enter(password: String) -> Bool {\n        \
                   return gate.open(password: password)\n    }";
    assert_eq!(passage["content"], content, "{answer}");
    let question = json!({"query": "what calls Gate.open", "include_tests": true});
    let answer = research(&mut client, question);
    line_of(&answer, "GateTests.testGate", "Tests/HouseTests/GateTests.swift:4");
}

#[test]
fn research_keeps_to_its_budget_and_says_what_it_left_out() {
    let callers: Vec<String> =
        (0..400).map(|n| format!("fn caller_number_{n}() {{ busy(); }}\n")).collect();
    let text = format!("pub fn busy() {{}}\n{}", callers.concat());
    let tree = Tree::new(&[("src/lib.rs", &text)]);
    let mut client = serve(&tree);
    let ask = |client: &mut Client, budget: usize| {
        research(client, json!({"query": "what calls busy", "budget": budget}))
    };
    for budget in [300, 3000] {
        let answer = ask(&mut client, budget);
        assert!(answer.to_string().len() < budget * 4, "{budget}: {answer}");
        let left_out = answer["leftOut"][0].as_str().unwrap();
        assert!(left_out.ends_with("lines of the outline; raise `budget`"), "{answer}");
    }
    let whole = ask(&mut client, 50_000);
    assert_eq!(outline(&whole).len(), 401, "{whole}");
}

#[test]
fn an_unknown_name_gets_its_neighbours_and_a_foreign_one_its_mentions() {
    let tree = tree();
    let mut client = serve(&tree);
    let answer = research(&mut client, json!({"query": "what calls authentikate()"}));
    assert_eq!(answer["walk"], "search", "{answer}");
    let note = answer["note"].as_str().unwrap();
    assert!(note.contains("authentikate") && note.contains("authenticate"), "{note}");
    let question = json!({"query": "who calls XCTAssertTrue()", "include_tests": true});
    let answer = research(&mut client, question);
    assert_eq!(answer["walk"], "mentions", "{answer}");
    line_of(&answer, "GateTests.testGate", "GateTests.swift:4");
    let answer = research(&mut client, json!({"query": "subclasses of XCTestCase"}));
    line_of(&answer, "GateTests", "GateTests.swift:3");
}

#[test]
fn a_caller_that_was_told_before_is_told_again_in_short() {
    let text = "\
fn bottom() {}
fn left() { bottom(); }
fn right() { bottom(); left(); }
fn again() { again(); bottom(); }
";
    let tree = Tree::new(&[("src/lib.rs", text)]);
    let mut client = serve(&tree);
    let question = json!({"query": "what calls bottom", "depth": 2});
    let answer = research(&mut client, question);
    let lines = outline(&answer);
    let told: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let expected = [
        "bottom  function  src/lib.rs:1",
        "  ← left  function  src/lib.rs:2, calls at 2  [high: same file]",
        "    ← right  function  src/lib.rs:3, calls at 3  [high: same file]  see below",
        "  ← right  function  src/lib.rs:3, calls at 3  [high: same file]",
        "  ← again  function  src/lib.rs:4, calls at 4  [high: same file]",
        "    ← again  function  src/lib.rs:4, calls at 4  [high: same file]  see above",
    ];
    assert_eq!(told, expected, "{answer}");
}

#[test]
fn implementations_are_those_of_types_and_not_of_methods_of_the_name() {
    let text = "\
package render

type Render interface { Render(code int) error }
type JSON struct{}
func (j JSON) Render(code int) error { return nil }
type Other struct{}
func (o Other) Render() error { return nil }
";
    let tree = Tree::new(&[("render.go", text)]);
    let mut client = serve(&tree);
    let answer = research(&mut client, json!({"query": "implementations of Render"}));
    let lines = outline(&answer);
    let expected = ["Render  interface  render.go:3", "  ← JSON  struct  render.go:4  [direct]"];
    assert_eq!(lines, expected, "{answer}");
    let listed = tree.ken_json(&["implementations", "Render"]);
    assert_eq!(listed["count"], 1, "{listed}");
}

#[test]
fn requirements_are_told_apart_by_their_labels() {
    let text = "\
protocol Sending {
    func send(to name: String)
    func send(after delay: Int)
}
struct Mail: Sending {
    func send(to name: String) {}
    func send(after delay: Int) {}
}
func run(sending: Sending) {
    sending.send(to: \"a\")
}
";
    let tree = Tree::new(&[("Sources/A/Mail.swift", text)]);
    let mut client = serve(&tree);
    let question = json!({"query": "what calls Mail.send(to:)"});
    let answer = research(&mut client, question);
    line_of(&answer, "run", "Mail.swift:9");
    let question = json!({"query": "what calls Mail.send(after:)"});
    let answer = research(&mut client, question);
    assert!(!answer["outline"].to_string().contains("run"), "{answer}");
    // Labels that nothing has are not passed over in silence.
    let question = json!({"query": "what calls Mail.send(by:)"});
    let answer = research(&mut client, question);
    let note = answer["note"].as_str().unwrap();
    for part in ["labels of Mail.send(by:)", "Mail.send(to:)", "2 definitions"] {
        assert!(note.contains(part), "{note}");
    }
}

#[test]
fn a_hit_is_told_with_the_line_of_its_name() {
    let body: String = (0..300).map(|n| format!("    let step_{n} = {n} * 2;\n")).collect();
    let text = format!(
        "/// Long before the point.\nfn enormous() {{\n{body}    let zebra_crossing_painter = 1;\n}}\n"
    );
    let tree = Tree::new(&[("src/lib.rs", &text)]);
    let mut client = serve(&tree);
    let question = json!({"query": "where is the zebra crossing painter set"});
    let answer = research(&mut client, question);
    assert_eq!(answer["walk"], "search", "{answer}");
    line_of(&answer, "enormous", "src/lib.rs:2");
}
