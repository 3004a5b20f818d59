//! Questions in plain words: one answer of `code_research` has the source and its relations, within
//! a budget.

use serde_json::{Value, json};

use crate::support::{Client, KEN, Tree};

const RETRY: &str = "\
use crate::backoff::pause_before_retry;

/// Sends a request, and retries it when the server is busy.
pub fn send_with_retry(request: &str) -> bool {
    for attempt in 0..3 {
        if try_once(request) {
            return true;
        }
        pause_before_retry(attempt);
    }
    false
}

fn try_once(request: &str) -> bool {
    !request.is_empty()
}

#[cfg(test)]
mod tests {
    #[test]
    fn sends_again() {
        assert!(super::send_with_retry(\"x\"));
    }
}
";

const BACKOFF: &str = "\
/// Waits longer before each retry.
pub fn pause_before_retry(attempt: u32) {
    std::thread::sleep(std::time::Duration::from_millis(1 << attempt));
}
";

const MAIN: &str = "\
mod backoff;
mod retry;

fn main() {
    retry::send_with_retry(\"hello\");
}
";

fn tree() -> Tree {
    Tree::new(&[
        ("Cargo.toml", "[package]\nname = \"sample\"\nversion = \"1.0.0\"\n"),
        ("src/main.rs", MAIN),
        ("src/retry.rs", RETRY),
        ("src/backoff.rs", BACKOFF),
    ])
}

fn serve(tree: &Tree, toolset: &[&str]) -> Client {
    let output = tree.run(KEN, &["index"]);
    assert!(output.status.success());
    Client::connect(tree.command(KEN, &[&["serve"], toolset].concat()))
}

fn lines(answer: &Value, field: &str) -> String {
    let lines = answer[field].as_array().map(Vec::as_slice).unwrap_or_default();
    lines.iter().map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_free_question_is_answered_with_source_and_relations() {
    let tree = tree();
    let mut client = serve(&tree, &[]);
    let question = json!({"query": "where are busy requests sent again with a retry"});
    let answer = client.answer("code_research", question);
    let files = answer["code"].as_array().unwrap();
    let definitions = |path: &str| {
        let file = files.iter().find(|file| file["path"] == path);
        let file = file.unwrap_or_else(|| panic!("no {path}: {answer}"));
        file["definitions"].as_array().unwrap().clone()
    };
    let retry = definitions("src/retry.rs");
    let sender = retry.iter().find(|one| one["symbol"] == "send_with_retry").unwrap();
    let whole: Vec<&str> = RETRY.lines().skip(2).take(10).collect();
    assert_eq!(sender["content"], whole.join("\n"), "{answer}");
    assert_eq!(sender["lines"], "3-12", "{answer}");
    // It is named nowhere in the question: the graph leads to it.
    assert_eq!(definitions("src/backoff.rs")[0]["symbol"], "pause_before_retry");
    assert!(lines(&answer, "calls").contains("send_with_retry → pause_before_retry 9"), "{answer}");
    assert!(lines(&answer, "tests").starts_with("src/retry.rs: "), "{answer}");
}

#[test]
fn an_agent_gets_the_same_as_text() {
    let tree = tree();
    let mut client = serve(&tree, &["--toolsets", "agent"]);
    let question = json!({"query": "where are busy requests sent again with a retry"});
    let result = client.call("code_research", question).unwrap();
    assert!(result.get("structuredContent").is_none(), "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    let source = "@@ send_with_retry 3-12\n/// Sends a request, and retries it";
    assert!(text.contains(source), "{text}");
    assert_eq!(text.matches("pub fn send_with_retry").count(), 1, "{text}");
}

#[test]
fn an_answer_keeps_to_its_budget() {
    let body: String = (0..90).map(|n| format!("    let retry_{n} = request + {n};\n")).collect();
    let functions: Vec<String> =
        (0..40).map(|n| format!("pub fn retry_request_{n}(request: u32) {{\n{body}}}\n")).collect();
    let tree = Tree::new(&[("src/lib.rs", &functions.concat())]);
    let mut client = serve(&tree, &["--toolsets", "agent"]);
    for budget in [500, 2000, 6000] {
        let question = json!({"query": "how does a request retry work", "budget": budget});
        let text = client.text("code_research", question);
        assert!(text.len() < budget * 4, "{budget}: {}", text.len());
        assert!(text.contains("… lines "), "{text}");
        // The largest budget shows a part of every definition that was found.
        assert!(budget == 6000 || text.contains("raise `budget`"), "{text}");
    }
}

#[test]
fn a_pasted_report_is_a_free_question() {
    let tree = tree();
    let mut client = serve(&tree, &[]);
    let report = "Requests are lost\n\nWhen our server is busy, the program that uses \
                  `pause_before_retry` gives up. I expected that what calls it would retry the \
                  request until it is sent, but three attempts are made and then nothing happens \
                  at all, without any message.";
    let answer = client.answer("code_research", json!({ "query": report }));
    assert_eq!(answer["walk"], "search", "{answer}");
    assert!(answer["code"].as_array().is_some_and(|code| !code.is_empty()), "{answer}");
}

#[test]
fn a_question_about_something_else_has_a_short_answer() {
    let tree = tree();
    let mut client = serve(&tree, &["--toolsets", "agent"]);
    for question in ["how are kafka topics partitioned", "oauth tokens", "render templates as html"]
    {
        let text = client.text("code_research", json!({ "query": question }));
        let word = question.split(' ').find(|word| word.len() > 4).unwrap();
        assert!(text.contains(&format!("{word:?}")), "{text}");
        assert!(text.len() < 1000 && !text.contains("@@ "), "{question}: {text}");
    }
}

#[test]
fn a_long_class_is_its_matching_members() {
    let members: String = (0..60)
        .map(|n| format!("    def step_{n}(self):\n        value = {n}\n        return value\n\n"))
        .collect();
    let store = format!(
        "class Store:\n    \"\"\"Keeps rows.\"\"\"\n\n{members}    def purge_expired(self):\n        \
         return drop(self)\n"
    );
    let tree = Tree::new(&[("store.py", &store)]);
    let mut client = serve(&tree, &["--toolsets", "agent"]);
    let text =
        client.text("code_research", json!({ "query": "how does the store purge expired rows" }));
    assert!(text.contains("@@ Store.purge_expired"), "{text}");
    assert!(text.contains("@@ Store 1-245\nclass Store:\n… lines 2-245"), "{text}");
    // A question about the class itself gets its outline.
    let text = client.text("code_research", json!({ "query": "Store" }));
    assert!(text.contains("    def step_7(self):\n… lines"), "{text}");
    assert!(!text.contains("value = 7"), "{text}");
}

#[test]
fn a_declared_module_is_its_file() {
    let tree = tree();
    let mut client = serve(&tree, &["--toolsets", "agent"]);
    let text = client.text("code_research", json!({ "query": "where is backoff defined" }));
    let note = "backoff is declared at src/main.rs:1; src/backoff.rs is the module";
    assert!(text.contains(note), "{text}");
    assert!(text.contains("defines pause_before_retry  function  line 2"), "{text}");
    let text = client.text("search_code", json!({ "query": "backoff" }));
    assert!(text.starts_with("@@ src/backoff.rs:"), "{text}");
}

#[test]
fn code_that_runs_comes_before_constants() {
    let names = ["ALPHA", "BETA", "GAMMA", "DELTA"];
    let constants: String = names.iter().map(|name| format!("{name} = 'upload part'\n")).collect();
    let parser = "def parse_upload(part):\n    return part.split()\n";
    let tree = Tree::new(&[("upload.py", &format!("{constants}\n{parser}"))]);
    let mut client = serve(&tree, &[]);
    let answer = client
        .answer("code_research", json!({ "query": "how is an upload part parsed", "budget": 200 }));
    let first = &answer["code"][0]["definitions"];
    let names: Vec<&str> =
        first.as_array().unwrap().iter().map(|one| one["symbol"].as_str().unwrap_or("")).collect();
    assert!(names.contains(&"parse_upload"), "{answer}");
    assert!(lines(&answer, "leftOut").contains("upload.py: DELTA"), "{answer}");
}
