//! What the tools on the code graph say where edges alone would mislead: of names that are read and
//! not called, of members that are inherited, of overloads, of types by their members, of files.

use serde_json::{Value, json};

use crate::support::{KEN, Tree};

/// `symbol path:line`, in order.
fn places(rows: &Value) -> Vec<String> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| {
        let (symbol, path) = (&row["symbol"], &row["path"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        format!("{} {}:{}", text(symbol), text(path), row["line"])
    })
    .collect()
}

fn said(answer: &Value) -> String {
    let said = answer["leftOut"].as_array();
    let said = said.map(|said| said.iter().filter_map(Value::as_str).collect::<Vec<_>>());
    said.unwrap_or_default().join("\n")
}

fn indexed(files: &[(&str, &str)]) -> Tree {
    let tree = Tree::new(files);
    tree.ken(&["index"]);
    tree
}

const HANDLERS: &str = "\
package web

type Box struct {
	Key string
}

// Strip is a middleware.
func Strip(next string) string {
	return next
}

func Setup(r Router, box Box) string {
	r.Use(Strip)
	return box.Key
}
";

#[test]
fn what_is_read_or_passed_on_is_told_of_by_its_name() {
    let tree = indexed(&[
        ("go.mod", "module example.org/web\n"),
        ("web.go", HANDLERS),
        ("more.go", "package web\n\nvar all = []any{Strip}\n"),
        ("README.md", "# Strip\n\nUse Strip.\n"),
    ]);
    let answer = tree.ken_json(&["find-references", "Strip"]);
    assert_eq!(answer["count"], 0, "{answer}");
    let named = answer["named"].as_array().unwrap().iter();
    let named: Vec<Value> =
        named.map(|row| json!([row["path"], row["line"], row["inside"], row["text"]])).collect();
    assert_eq!(
        named,
        [
            json!(["web.go", 13, "Setup", "r.Use(Strip)"]),
            json!(["more.go", 3, "all", "var all = []any{Strip}"]),
        ],
        "{answer}"
    );
    assert_eq!(answer["named"][0]["confidence"], "low", "{answer}");
    assert_eq!(answer["namedCount"], 2, "{answer}");
    let caveat = "2 other lines in 2 files name it without an edge; reads and uses as a value are no \
                  edges, and search_code_fulltext lists such lines";
    for arguments in [["callers", "Strip"], ["impact", "Strip"]] {
        let answer = tree.ken_json(&arguments);
        assert!(said(&answer).contains(caveat), "{arguments:?}: {answer}");
    }
    let answer = tree.ken_json(&["code-research", "what uses Strip"]);
    assert!(said(&answer).contains(caveat), "{answer}");
    let answer = tree.ken_json(&["impact", "Box.Key"]);
    assert!(said(&answer).contains("1 other line in 1 file names it"), "{answer}");
    // A parameter of its name is no member.
    tree.write("other.go", "package web\n\nfunc Other(Key string) {}\n");
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["find-references", "Box.Key"]);
    assert_eq!(answer["namedCount"], 1, "{answer}");
    // Only what is asked for.
    let answer = tree.ken_json(&["find-references", "Strip", "--only", "call"]);
    assert!(answer["named"].is_null(), "{answer}");
}

#[test]
fn lines_that_have_an_edge_are_not_told_of_again() {
    let tree = indexed(&[(
        "a.ts",
        "export function open() {}\nexport function use() {\n  open();\n  run(open);\n}\n\
         class Lid { open() {} }\n",
    )]);
    let answer = tree.ken_json(&["find-references", "a.ts:1"]);
    assert_eq!(answer["references"][0]["line"], 3, "{answer}");
    let named = answer["named"].as_array().unwrap();
    assert!(named.len() == 1 && named[0]["line"] == 4, "{answer}");
}

const COOKIES: &str = "\
public class CookieUtil {
    static void apply(String to) {}
}
";

#[test]
fn a_type_changes_with_its_members() {
    let tree = indexed(&[
        ("CookieUtil.java", COOKIES),
        ("Web.java", "class Web {\n    void run() { CookieUtil.apply(\"x\"); }\n}\n"),
    ]);
    let answer = tree.ken_json(&["impact", "CookieUtil"]);
    assert_eq!(places(&answer["affected"]), ["Web.run Web.java:2"], "{answer}");
    assert_eq!(places(&answer["changed"]), ["CookieUtil CookieUtil.java:1"]);
    assert_eq!(answer["affected"][0]["chain"], "Web.run → CookieUtil", "{answer}");
}

const QUERIES: &str = "\
export class QueryCreator {
  selectFrom(table: string) {}
  deleteFrom(table: string) {}
}
export class Kysely extends QueryCreator {
  destroy() {}
}
export function ask(db: Kysely) {
  db.selectFrom('a');
}
";

#[test]
fn inherited_members_are_meant_and_a_type_comes_before_a_folder() {
    let tree = indexed(&[
        ("kysely/a.ts", QUERIES),
        ("kysely/b.ts", "export class Other {\n  selectFrom() {}\n  insertInto() {}\n}\n"),
    ]);
    let answer = tree.ken_json(&["callers", "Kysely.selectFrom"]);
    assert_eq!(
        places(&answer["definitions"]),
        ["QueryCreator.selectFrom kysely/a.ts:2"],
        "{answer}"
    );
    assert_eq!(places(&answer["callers"]), ["ask kysely/a.ts:8"]);
    assert_eq!(answer["note"], "Kysely.selectFrom is inherited from QueryCreator", "{answer}");
    for (name, expected) in [
        ("Kysely.insertInto", "Kysely has no member \"insertInto\" here, nor inherits one"),
        ("Kysely.insertInto", "of that name there is Other.insertInto"),
        ("Kysely.selectFrm", "Kysely.selectFrom"),
    ] {
        let output = tree.run(KEN, &["callers", name]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && stderr.contains(expected), "{name}: {stderr}");
    }
    // A folder is meant if no type is.
    let answer = tree.ken_json(&["callers", "kysely.insertInto"]);
    assert_eq!(places(&answer["definitions"]), ["Other.insertInto kysely/b.ts:3"]);
}

#[test]
fn overloads_are_one_and_many_types_a_choice() {
    let overloads: Vec<String> = (0..15)
        .map(|n| {
            let parameters: Vec<String> = (0..n).map(|one| format!("int p{one}")).collect();
            format!("    static void parse({}) {{}}\n", parameters.join(", "))
        })
        .collect();
    let types: Vec<String> =
        (0..14).map(|n| format!("class T{n} {{\n    void make(int n{n}) {{}}\n}}\n")).collect();
    let jsoup = format!("public class Jsoup {{\n{}}}\n", overloads.concat());
    let tree = indexed(&[
        ("Jsoup.java", &jsoup),
        ("Types.java", &types.concat()),
        (
            "Use.java",
            "class Use {\n    void run() {\n        Jsoup.parse();\n        Jsoup.parse(1);\n    }\n}\n",
        ),
    ]);
    let answer = tree.ken_json(&["callers", "Jsoup.parse"]);
    let rows = answer["callers"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{answer}");
    assert_eq!(rows[0]["at"], json!([3, 4]), "{answer}");
    assert_eq!(rows[0]["calls"], "Jsoup.java:2 Jsoup.parse and 1 more", "{answer}");
    let output = tree.run(KEN, &["callers", "make"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    for place in ["Types.java:2 T0.make", "Types.java:41 T13.make", "int n13"] {
        assert!(stderr.contains(place), "{place}: {stderr}");
    }
}

#[test]
fn code_outside_of_definitions_has_a_name() {
    let tree = indexed(&[("a.py", "def run():\n    pass\n\n\nrun()\n")]);
    let answer = tree.ken_json(&["callers", "run"]);
    let caller = &answer["callers"][0];
    assert_eq!(caller["symbol"], "(top level)", "{answer}");
    assert_eq!(caller["kind"], "file", "{answer}");
    let answer = tree.ken_json(&["get-file-symbols", "a.py", "--callers"]);
    let caller = &answer["symbols"][0]["calledBy"][0];
    assert_eq!(caller["symbol"], "(top level)", "{answer}");
}

#[test]
fn research_knows_files_and_tests() {
    let tree = indexed(&[
        ("src/parse.ts", "export function parseTable() {}\nfunction own() {}\n"),
        (
            "src/app.ts",
            "import { parseTable } from './parse';\nexport function app() {\n  parseTable();\n}\n",
        ),
        (
            "test/app.test.ts",
            "import { app } from '../src/app';\nfunction testApp() {\n  app();\n}\n",
        ),
    ]);
    for question in [
        "what depends on src/parse.ts",
        "what uses parse.ts",
        "what breaks if I change src/parse.ts",
    ] {
        let answer = tree.ken_json(&["code-research", question]);
        let outline = answer["outline"].to_string();
        assert!(outline.contains("app  function  src/app.ts:2"), "{answer}");
        assert!(!outline.contains("own "), "{answer}");
        assert_eq!(answer["walk"], "references", "{answer}");
    }
    for question in ["what tests cover parseTable", "tests of parseTable"] {
        let answer = tree.ken_json(&["code-research", question]);
        let outline = answer["outline"].to_string();
        assert!(outline.contains("testApp"), "{answer}");
        assert!(!outline.contains("← app "), "{answer}");
        assert_eq!(answer["walk"], "tests", "{answer}");
    }
}

#[test]
fn outlines_keep_to_a_budget_and_say_how_to_go_on() {
    let many: Vec<String> = (0..400)
        .map(|n| format!("export function function_number_{n}(argument: string): string {{ return argument; }}\n"))
        .collect();
    let tree =
        indexed(&[("package.json", "{\"name\": \"many\"}\n"), ("src/many.ts", &many.concat())]);
    let answer = tree.ken_json(&["get-file-symbols", "src/many.ts"]);
    assert_eq!(answer["count"], 400, "{answer}");
    let size = answer.to_string().len();
    assert!((5_000..10_000).contains(&size), "{size}");
    let shown = answer["symbols"].as_array().unwrap().len();
    let next = shown + 1;
    assert_eq!(
        answer["leftOut"],
        format!(
            "{} more; set `first_line` to {next}, raise `budget`, or narrow by `kind`",
            400 - shown
        )
    );
    let next = next.to_string();
    let rest = tree.ken_json(&["get-file-symbols", "src/many.ts", "--first-line", &next]);
    assert_eq!(rest["symbols"][0]["name"], format!("function_number_{shown}"), "{rest}");
    let all = tree.ken_json(&["get-file-symbols", "src/many.ts", "--budget", "40000"]);
    assert_eq!(all["symbols"].as_array().unwrap().len(), 400);
    assert!(all["leftOut"].is_null());
    let package = tree.ken_json(&["get-package-symbols", "many"]);
    assert!(package.to_string().len() < 10_000, "{package}");
    assert_eq!(package["count"], 400, "what manifests say is no name: {package}");
    let shown = package["symbols"].as_array().unwrap().len();
    let skip = shown.to_string();
    let rest = tree.ken_json(&["get-package-symbols", "many", "--offset", &skip]);
    assert_eq!(rest["symbols"][0]["symbol"], format!("function_number_{shown}"), "{rest}");
    let asked = tree.ken_json(&["get-package-symbols", "many", "--limit", "300"]);
    assert_eq!(asked["symbols"].as_array().unwrap().len(), 300);
    let unused = tree.ken_json(&["unused", "--public"]);
    assert!(unused.to_string().len() < 10_000, "{unused}");
}

#[test]
fn types_of_other_libraries_are_known_by_their_whole_name() {
    let tree = indexed(&[
        ("go.mod", "module example.org/web\n"),
        (
            "web.go",
            "package web\n\nimport \"net/http\"\n\ntype Router interface {\n\thttp.Handler\n}\n\n\
             type Mux struct{}\n\n\
             func (m *Mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {}\n\n\
             type Odd struct{}\n\nfunc (o Odd) ServeHTTP(w int) {}\n",
        ),
        ("cmd/a.go", "package main\n\ntype Handler func(n int)\n"),
    ]);
    let answer = tree.ken_json(&["implementations", "http.Handler"]);
    assert_eq!(places(&answer["implementations"]), ["Router web.go:5", "Mux web.go:9"], "{answer}");
    let answer = tree.ken_json(&["implementations", "Handler"]);
    let note = answer["note"].as_str().unwrap_or_default();
    assert!(note.contains("http.Handler"), "{answer}");
    let output = tree.run(KEN, &["implementations", "tls.Verifier"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("without naming it are not known"), "{stderr}");
}

#[test]
fn what_fulfils_an_interface_without_a_name_is_spoken_of() {
    let tree = indexed(&[(
        "Job.java",
        "interface Job {\n    void run();\n}\nclass Named implements Job {\n    public void run() {}\n}\n\
         class Use {\n    Job made() {\n        return new Job() { public void run() {} };\n    }\n}\n",
    )]);
    let answer = tree.ken_json(&["implementations", "Job"]);
    assert_eq!(answer["count"], 2, "{answer}");
    assert_eq!(answer["note"], "lambdas that stand for it are not listed", "{answer}");
}
