//! Tests of the parts of a `search_code` answer other than code: outlines of large types, and words
//! for questions that have no answer.

use serde_json::{Value, json};

use crate::support::{KEN, Tree};

fn small() -> Tree {
    Tree::new(&[
        ("src/parser.rs", "pub fn parse_header(text: &str) -> Header {\n    todo(text)\n}\n"),
        ("README.md", "# Sample\n\nReads headers.\n"),
    ])
}

fn results(answer: &Value) -> Vec<Value> {
    answer["results"].as_array().unwrap().clone()
}

/// Returns the exit code and the message of a command that fails.
fn refusal(tree: &Tree, arguments: &[&str]) -> (i32, String) {
    let output = tree.run(KEN, arguments);
    let text = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), text)
}

/// A type that is too large for one chunk.
fn large_type() -> String {
    let method = |number: usize| {
        let line =
            format!("        self.total += self.weigh_{number}(\"a line that takes room\");\n");
        format!(
            "    pub fn step_{number}(&mut self) -> u64 {{\n{}        0\n    }}\n\n",
            line.repeat(6)
        )
    };
    let methods: String = (0..6).map(method).collect();
    format!(
        "/// Plans the work of a day.\npub struct DayPlanner {{\n    total: u64,\n}}\n\n\
         /// How a day is planned.\nimpl DayPlanner {{\n{methods}}}\n"
    )
}

#[test]
fn a_large_type_is_shown_with_its_members_and_only_once() {
    let tree = small();
    tree.write("src/planner.rs", &large_type());
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["search", "how a day is planned", "--kind", "extension"]);
    let hits = results(&answer);
    let outlined: Vec<&Value> = hits.iter().filter(|hit| hit["outline"].is_array()).collect();
    assert_eq!(outlined.len(), 1, "{answer}");
    let outline = outlined[0]["outline"].as_array().unwrap();
    assert_eq!(outline.len(), 6, "{answer}");
    assert_eq!(outline[0], "8: pub fn step_0(&mut self) -> u64");
    // The content is the source, byte for byte.
    let content = outlined[0]["content"].as_str().unwrap();
    assert!(large_type().contains(content), "{content}");
    assert!(content.starts_with("/// How a day is planned.\nimpl DayPlanner {"));
    // No two results repeat lines.
    for (place, one) in hits.iter().enumerate() {
        for other in &hits[place + 1..] {
            let lines =
                |hit: &Value| [&hit["startLine"], &hit["endLine"]].map(|n| n.as_u64().unwrap());
            let (one, other) = (lines(one), lines(other));
            assert!(one[1] < other[0] || other[1] < one[0], "{answer}");
        }
    }
    let text = tree.ken(&["search", "how a day is planned"]);
    assert!(text.contains("·  8: pub fn step_0"), "{text}");
    // A collection that is asked by its name tells them too.
    let name = tree.ken_json(&["collections"])[0]["name"].clone();
    let asked = ["search-code-semantic", "how a day is planned", name.as_str().unwrap()];
    let pieces = tree.ken_json(&asked);
    let mut pieces = pieces.as_array().unwrap().iter();
    let outlined = pieces.find(|piece| piece["outline"].is_array());
    assert_eq!(outlined.unwrap()["outline"], json!(outline));
}

#[test]
fn a_question_that_cannot_be_answered_is_told_why() {
    let tree = small();
    tree.ken(&["index"]);
    let (code, text) = refusal(&tree, &["search", "???"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("no words"), "{text}");
    let (code, text) = refusal(&tree, &["search", "parse", "--file-filter", ""]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("leave it out"), "{text}");
    let nothing = tree.ken_json(&["search", "parse", "--language", "rsut"]);
    assert_eq!(nothing["results"], json!([]));
    let notice = nothing["notice"].as_str().unwrap();
    assert!(notice.contains("the languages here are markdown, rust"), "{notice}");
    let nothing = tree.ken_json(&["search", "parse", "--file-filter", "lib/**"]);
    let notice = nothing["notice"].as_str().unwrap();
    assert!(notice.contains("passes file_filter"), "{notice}");
    assert!(tree.ken_json(&["search", "parse"])["notice"].is_null());
}

#[test]
fn a_collection_that_is_not_there_is_told_from_one_that_is() {
    let tree = small();
    tree.ken(&["index"]);
    for arguments in [
        ["search", "parse", "--path", "/nonexistent"].as_slice(),
        &["forget", "rpo"],
        &["status", "--path", "rpo"],
    ] {
        let (_, text) = refusal(&tree, arguments);
        assert!(text.contains("is not indexed here"), "{arguments:?}: {text}");
        assert!(text.contains("repo"), "{arguments:?}: {text}");
    }
    // A directory that could be indexed is another matter.
    let elsewhere = tempfile::tempdir().unwrap();
    let path = elsewhere.path().to_str().unwrap();
    let (_, text) = refusal(&tree, &["search", "parse", "--path", path]);
    assert!(text.contains("Index not found"), "{text}");
    let (_, text) = refusal(&tree, &["index", "--name", "other"]);
    assert!(text.contains("ken forget repo"), "{text}");
}

/// A report about one function, as it would be pasted.
const REPORT: &str = "Reminders for guests without an address are lost

Steps: create a party with two guests, leave the address of the second guest empty, and send the
reminders. Expected: the guest is listed as unreachable. Actual: the whole mailing stops.

    Traceback (most recent call last):
      File \"party/mailing.py\", line 7, in send_reminders
    ValueError: guest has no usable address";

#[test]
fn a_report_is_answered_with_functions() {
    let tree = small();
    let function = |name: &str, line: &str| format!("    def {name}(self):\n        {line}\n\n");
    let mailing = [
        "class Mailing:\n    guests = []\n\n".to_string(),
        function("send_reminders", "self.deliver([one.address for one in self.guests])"),
        function("deliver", "raise ValueError(\"guest has no usable address\")"),
        function("count_stamps", "return 3"),
    ];
    tree.write("party/mailing.py", &mailing.concat());
    tree.write("party/cake.py", "def bake(flour):\n    return flour\n");
    tree.ken(&["index"]);
    let places = |arguments: &[&str]| -> Vec<String> {
        let answer = tree.ken_json(arguments);
        let place = |hit: &Value| format!("{}-{}", hit["startLine"], hit["endLine"]);
        let of_mailing = results(&answer).into_iter();
        let of_mailing = of_mailing.filter(|hit| hit["path"] == "party/mailing.py");
        of_mailing.map(|hit| place(&hit)).collect()
    };
    // Each function is a result. The functions of the stack trace and of the message come first.
    let mut found = places(&["search", REPORT]);
    found.truncate(2);
    found.sort();
    assert_eq!(found, ["4-5", "7-8"]);
    // A question is answered with pieces, unless functions are asked for.
    let question = ["search", "reminders for guests"];
    assert!(!places(&question).contains(&"4-5".to_string()));
    let functions = [&question[..], &["--granularity", "function"]].concat();
    assert_eq!(places(&functions)[0], "4-5");
    let pieces = places(&["search", REPORT, "--granularity", "chunk"]);
    assert!(!pieces.contains(&"4-5".to_string()), "{pieces:?}");
    // The parts of a score add up to it.
    let answer = tree.ken_json(&["search", REPORT, "--explain"]);
    for hit in results(&answer) {
        let parts: f64 = hit["why"].as_object().unwrap().values().filter_map(Value::as_f64).sum();
        assert!((parts - hit["score"].as_f64().unwrap()).abs() < 0.02, "{hit}");
    }
}

/// A server that goes on while others forget what it knew and give the name to another root.
#[test]
fn a_name_that_got_another_root_means_that_root() {
    let tree = small();
    let other = tempfile::tempdir().unwrap();
    let other = other.path().canonicalize().unwrap();
    std::fs::write(other.join("only_there.rs"), "pub fn only_there() {}\n").unwrap();
    tree.ken(&["index", "--name", "shared"]);
    let mut server = crate::support::Client::connect(tree.command(KEN, &["serve"]));
    let question = json!({"query": "parse_header", "path": "shared"});
    let answer = server.answer("search_code", question);
    assert_eq!(answer["results"][0]["path"], "src/parser.rs");
    tree.ken(&["forget", "shared"]);
    tree.ken(&["index", other.to_str().unwrap(), "--name", "shared"]);
    let question = json!({"query": "only_there", "path": "shared"});
    let answer = server.answer("search_code", question);
    assert_eq!(answer["results"][0]["path"], "only_there.rs");
    assert!(answer["results"][0]["stale"].is_null(), "{answer}");
    server.close_input();
    server.finish();
}

/// However an index came about, it ranks alike.
#[test]
fn an_index_that_grew_ranks_like_one_that_was_made_at_once() {
    let tree = small();
    let text = |number: usize| {
        format!("pub fn retry_{number}(count: u32) -> bool {{\n    count < 3\n}}\n")
    };
    for number in (0..140).rev() {
        tree.write(&format!("src/m{number:03}/retry.rs"), &text(number));
        if number % 20 == 0 {
            tree.ken(&["index"]);
        }
    }
    for number in [3, 77, 130] {
        tree.write(&format!("src/m{number:03}/retry.rs"), "pub fn other() {}\n");
        tree.ken(&["index"]);
        tree.write(&format!("src/m{number:03}/retry.rs"), &text(number));
        tree.ken(&["index"]);
    }
    tree.remove("src/m050/retry.rs");
    tree.ken(&["index"]);
    let ask = || {
        let questions = ["retry count", "retry_77", "how headers are read"];
        questions.map(|question| {
            let words = tree.ken_json(&["search", question, "--semantic-weight", "0"]);
            let both = tree.ken_json(&["search", question, "--limit", "5"]);
            (results(&words), results(&both))
        })
    };
    let grown = ask();
    tree.ken(&["index", "--force"]);
    assert_eq!(grown, ask());
    assert_eq!(grown[0].0.len(), 10);
}

/// Rules that change are heeded by the next run, for what was read under others too.
#[test]
fn other_settings_change_what_is_indexed() {
    let tree = small();
    tree.write("src/long.rs", &format!("pub fn long() {{}}\n// {}\n", "x".repeat(3000)));
    let files = |settings: &str| {
        tree.write("kenning.toml", settings);
        tree.ken_json(&["index"])
    };
    assert_eq!(files("")["files"], 4);
    let limited = files("[index]\nmax_file_size = 2000\n");
    assert_eq!((&limited["files"], &limited["removed"]), (&json!(3), &json!(1)));
    assert_eq!(limited["skippedByReason"]["too large"], 1);
    let excluded = files("[index]\nexclude = [\"src\"]\n");
    assert_eq!((&excluded["files"], &excluded["removed"]), (&json!(2), &json!(1)));
    let again = files("");
    assert_eq!((&again["files"], &again["added"]), (&json!(4), &json!(2)));
    assert_eq!(tree.ken_json(&["search", "long"])["results"][0]["path"], "src/long.rs");
}

#[test]
fn a_path_finds_its_file() {
    let tree = small();
    for number in 0..40 {
        let text = format!("use crate::url;\n\npub fn rs_{number}(url: &str, src: &str) {{}}\n");
        tree.write(&format!("src/used_{number}.rs"), &text);
    }
    tree.write("src/url.rs", "pub struct Address;\n\nimpl Address {}\n");
    tree.ken(&["index"]);
    for asked in ["src/url.rs", "url.rs"] {
        let answer = tree.ken_json(&["search", asked]);
        assert_eq!(results(&answer)[0]["path"], "src/url.rs", "{asked}");
    }
}

#[test]
fn a_weight_of_no_signal_is_refused() {
    let tree = small();
    tree.ken(&["index"]);
    let setting = "search.weights=[\"file nme=1\"]";
    let (_, said) = refusal(&tree, &["search", "parse", "--set", setting]);
    assert!(said.contains("file nme") && said.contains("file coherence"), "{said}");
}

/// A trait, and types that have one of its name.
fn shared_name() -> Tree {
    let kind = |name: &str| {
        format!(
            "pub struct {name};\n\nimpl Source for {name} {{\n    type Decoder = {name}Decoder;\n\n    \
             fn decoder(self) -> Self::Decoder {{\n        {name}Decoder::new(self)\n    }}\n}}\n"
        )
    };
    let core = "/// Reads values one after the other, from whatever holds them.\npub trait Decoder: Sized {\n    \
                fn read(self) -> u64;\n}\n";
    Tree::new(&[
        ("src/a_decoder.rs", &kind("Text")),
        ("src/b_decoder.rs", &kind("Bytes")),
        ("src/c_decoder.rs", &kind("Lines")),
        ("src/values.rs", core),
    ])
}

#[test]
fn a_bare_name_means_what_stands_for_itself() {
    let tree = shared_name();
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["search", "Decoder"]);
    let first = &results(&answer)[0];
    assert_eq!(first["path"], "src/values.rs", "{answer}");
    let listed = tree.ken_json(&["search-symbols", "Decoder"]);
    assert_eq!(listed["symbols"][0]["kind"], "trait", "{listed}");
    let shown = tree.ken_json(&["get-symbol", "Decoder"]);
    let kinds: Vec<&Value> = shown["definitions"].as_array().unwrap().iter().collect();
    assert_eq!(kinds.len(), 4, "{shown}");
    assert_eq!(kinds[0]["kind"], "trait", "{shown}");
}

#[test]
fn a_member_is_named_with_what_it_belongs_to() {
    let functions = |owner: &str, names: [&str; 3]| -> String {
        let function = |name: &str| {
            format!(
                "/** Sets the status and the location header. */\n{owner}.{name} = function (url) {{\n  \
                 this.status(302); this.header('Location', url);\n}};\n\n"
            )
        };
        names.map(function).concat()
    };
    let tree = Tree::new(&[
        ("lib/response.js", &functions("res", ["move", "leave", "send"])),
        ("lib/redirection.js", &functions("app", ["forward", "send", "go"])),
    ]);
    tree.ken(&["index"]);
    let question = "how res.send sets the location header and the status";
    let answer = tree.ken_json(&["search", question, "--explain"]);
    let named = results(&answer).into_iter().filter(|hit| {
        let why = hit["why"].as_object().unwrap();
        why.contains_key("defined name in the question")
    });
    let places: Vec<String> = named.map(|hit| hit["path"].to_string()).collect();
    assert_eq!(places, ["\"lib/response.js\""], "{answer}");
}

/// A message leads to where it is written, however much else is about its words.
#[test]
fn a_pasted_message_finds_where_it_is_printed() {
    let about = "pub fn index_with(index: usize, cannot: bool) -> usize {\n    // index with what cannot be an index\n    \
                 index + usize::from(cannot)\n}\n";
    let tree = Tree::new(&[
        ("src/index.rs", about),
        ("src/index_with.rs", &about.replace("index_with", "with_index")),
        (
            "src/values.rs",
            "pub fn get(value: &Value, key: &Key) -> Result<Value> {\n    let kind = value.kind();\n    \
             fail(format!(\"Cannot index {kind} with {key}\"))\n}\n",
        ),
    ]);
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["search", "Cannot index number with string", "--explain"]);
    assert_ne!(results(&answer)[0]["path"], "src/values.rs", "two words in a row are chance");
    let answer = tree.ken_json(&["search", "error: Cannot index {kind} with", "--explain"]);
    let first = &results(&answer)[0];
    assert_eq!(first["path"], "src/values.rs", "{answer}");
    assert!(first["why"]["message"].as_f64().unwrap() > 0.5, "{answer}");
}
