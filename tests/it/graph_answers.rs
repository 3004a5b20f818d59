//! Answers of the graph tools where edges alone would mislead: about names that are read and
//! not called, inherited members, overloads, types by their members, and files.

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
    assert_eq!(
        answer["unresolved"],
        json!([
            { "path": "web.go", "mentions": ["13: r.Use(Strip)"] },
            { "path": "more.go", "mentions": ["3: var all = []any{Strip}"] },
        ]),
        "{answer}"
    );
    assert_eq!(answer["unresolvedCount"], 2, "{answer}");
    for arguments in [["callers", "Strip"], ["impact", "Strip"]] {
        let answer = tree.ken_json(&arguments);
        assert_eq!(answer["unresolvedCount"], 2, "{arguments:?}: {answer}");
        assert_eq!(answer["unresolved"][1]["path"], "more.go", "{arguments:?}: {answer}");
    }
    let answer = tree.ken_json(&["code-research", "what uses Strip"]);
    assert_eq!(answer["unresolved"][0], "? web.go  13: r.Use(Strip)", "{answer}");
    let answer = tree.ken_json(&["impact", "Box.Key"]);
    assert_eq!(answer["unresolvedCount"], 1, "{answer}");
    // A parameter of its name is no member.
    tree.write("other.go", "package web\n\nfunc Other(Key string) {}\n");
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["find-references", "Box.Key"]);
    assert_eq!(answer["unresolvedCount"], 1, "{answer}");
    // Only what is asked for.
    let answer = tree.ken_json(&["find-references", "Strip", "--only", "call"]);
    assert!(answer["unresolved"].is_null(), "{answer}");
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
    let expected = json!([{ "path": "a.ts", "mentions": ["4: run(open);"] }]);
    assert_eq!(answer["unresolved"], expected, "{answer}");
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
    // Many definitions of a name are answered, the first of them, and the others are named.
    let answer = tree.ken_json(&["callers", "make"]);
    assert_eq!(answer["definitions"].as_array().unwrap().len(), 12, "{answer}");
    let note = answer["note"].as_str().unwrap();
    assert!(note.contains("14 definitions are called make"), "{note}");
    assert!(note.contains("Types.java:41 T13.make"), "{note}");
}

/// Every spelling of a name means the same definition.
#[test]
fn names_are_read_as_people_write_them() {
    let tree = indexed(&[
        ("go.mod", "module example.org/gin\n"),
        (
            "context.go",
            "package gin\n\ntype Context struct{}\n\nfunc (c *Context) Next() {}\n\n\
             func run(c *Context) {\n\tc.Next()\n}\n",
        ),
        ("tree.go", "package gin\n\ntype Other struct{}\n\nfunc (o Other) Next() {}\n"),
    ]);
    for name in [
        "Context.Next",
        "(*Context).Next",
        "func (c *Context) Next()",
        "gin.Context.Next",
        "gin.(*Context).Next",
        "example.org/gin.(*Context).Next",
        "Context#Next",
        "Context::Next",
        "Context->Next()",
        "c.Next()",
        "context.go:5",
        "context.go:5:17",
        "context.go#L5",
        "./context.go:5",
    ] {
        let answer = tree.ken_json(&["callers", name]);
        assert_eq!(places(&answer["definitions"]), ["Context.Next context.go:5"], "{name}");
        assert_eq!(places(&answer["callers"]), ["run context.go:7"], "{name}: {answer}");
        for command in ["callees", "get-symbol", "find-references", "impact"] {
            let key = if command == "impact" { "changed" } else { "definitions" };
            let answer = tree.ken_json(&[command, name]);
            assert_eq!(answer[key][0]["symbol"], "Context.Next", "{command} {name}: {answer}");
        }
    }
}

/// A prototype and its definition are one, and so are definitions for several platforms.
#[test]
fn declarations_of_one_definition_are_one() {
    let tree = indexed(&[
        ("src/sds.h", "int sdsnew(const char *init);\n"),
        ("src/sds.c", "#include \"sds.h\"\nint sdsnew(const char *init) {\n    return 0;\n}\n"),
        ("src/main.c", "#include \"sds.h\"\nint start(void) {\n    return sdsnew(\"a\");\n}\n"),
        ("deps/sds.h", "int sdsnew(const char *init);\n"),
        ("deps/sds.c", "#include \"sds.h\"\nint sdsnew(const char *init) {\n    return 1;\n}\n"),
        ("os/open_linux.go", "package os\n\nfunc open() {}\n"),
        ("os/open_windows.go", "package os\n\nfunc open() {}\n"),
        ("os/use.go", "package os\n\nfunc use() {\n\topen()\n}\n"),
    ]);
    let answer = tree.ken_json(&["callers", "sdsnew"]);
    assert_eq!(
        places(&answer["definitions"]),
        ["sdsnew src/sds.c:2", "sdsnew deps/sds.c:2"],
        "{answer}"
    );
    assert_eq!(places(&answer["callers"])[0], "start src/main.c:2", "{answer}");
    let answer = tree.ken_json(&["callees", "start"]);
    assert_eq!(places(&answer["callees"])[0], "sdsnew src/sds.c:2", "{answer}");
    let answer = tree.ken_json(&["callers", "src/sds.h:1"]);
    assert_eq!(places(&answer["definitions"]), ["sdsnew src/sds.c:2"], "{answer}");
    let answer = tree.ken_json(&["callers", "open"]);
    assert_eq!(places(&answer["definitions"]), ["open os/open_linux.go:3"], "{answer}");
    assert_eq!(places(&answer["callers"]), ["use os/use.go:3"], "{answer}");
}

/// A name that nothing defines is answered with the lines that contain it.
#[test]
fn a_name_without_a_definition_is_answered_with_its_lines() {
    let tree = indexed(&[
        ("a.ts", "export function run(x) {\n  libraryCall(x);\n  x.open();\n}\n"),
        ("b.ts", "class Box {\n  open() {}\n}\n"),
        ("gen.ts", "// Code generated by a tool. DO NOT EDIT.\nlibraryCall(1);\n"),
    ]);
    let expected = json!([{ "path": "a.ts", "calls": ["2: libraryCall(x);"] }]);
    for command in ["callers", "find-references", "impact"] {
        let answer = tree.ken_json(&[command, "libraryCall"]);
        assert_eq!(answer["unresolved"], expected, "{command}: {answer}");
        assert_eq!(answer["skippedFiles"], json!(["gen.ts (generated)"]), "{command}: {answer}");
        let note = answer["note"].as_str().unwrap();
        assert!(note.starts_with("nothing here defines libraryCall"), "{note}");
    }
    // The only caller is unresolved: the answer begins with that.
    let answer = tree.ken_json(&["callers", "Box.open"]);
    if answer["callers"].as_array().unwrap().is_empty() {
        let note = answer["note"].as_str().unwrap();
        assert!(note.starts_with("no caller outside of tests is resolved"), "{note}");
        assert_eq!(answer["unresolved"][0]["calls"][0], "3: x.open();", "{answer}");
    }
}

const STORE: &str = "\
class Store:
    def persist(self):
        return write_row(self)


class Cache:
    def persist(self):
        return 2


def write_row(row):
    return row


def helper():
    return 1
";

/// A tree in which receivers without a type hide a caller and a test.
fn hidden_callers() -> Tree {
    indexed(&[
        ("store.py", STORE),
        ("app.py", "def handle(store):\n    store.persist()\n"),
        ("tests/test_store.py", "def test_store(thing):\n    thing.helper()\n"),
    ])
}

/// A change of several definitions lists the unresolved calls of all their names.
#[test]
fn a_changed_file_lists_the_calls_that_may_reach_it() {
    let tree = hidden_callers();
    let answer = tree.ken_json(&["impact", "store.py"]);
    let expected = json!([
        { "path": "app.py", "calls": ["2: store.persist()"] },
        { "path": "tests/test_store.py", "test": true, "calls": ["2: thing.helper()"] },
    ]);
    assert_eq!(answer["unresolved"], expected, "{answer}");
    let note = answer["note"].as_str().unwrap();
    assert!(note.starts_with("no caller outside of tests is resolved, but 1 call"), "{note}");
    assert!(note.contains("of persist is unresolved"), "{note}");
    assert!(note.contains("no test is resolved, but 1 call in tests is"), "{note}");
}

/// One unresolved edge hides everything behind it, on every level.
#[test]
fn a_walk_that_ends_at_an_unresolved_call_says_so() {
    let tree = hidden_callers();
    let expected = "the walk ends at Store.persist (1 call): these calls of its name";
    for arguments in [
        &["callers", "write_row", "--depth", "2"][..],
        &["impact", "write_row"],
        &["research", "what calls write_row"],
    ] {
        let answer = tree.ken_json(arguments);
        let note = answer["note"].as_str().unwrap_or_default();
        assert!(note.starts_with(expected), "{arguments:?}: {answer}");
        assert!(answer["unresolved"][0].to_string().contains("app.py"), "{arguments:?}: {answer}");
    }
    // The last level has no callers, because nobody asked for them.
    let answer = tree.ken_json(&["callers", "write_row"]);
    assert!(answer["note"].is_null() && answer["unresolved"].is_null(), "{answer}");
}

#[test]
fn unresolved_calls_in_tests_may_cover_a_definition() {
    let tree = hidden_callers();
    let answer = tree.ken_json(&["research", "what tests cover helper"]);
    let note = answer["note"].as_str().unwrap_or_default();
    assert!(note.starts_with("no test is resolved, but 1 call in tests"), "{answer}");
    assert_eq!(answer["unresolved"], json!(["? tests/test_store.py  2: thing.helper()"]));
}

/// The exact capitals win. Others are answered only if nothing has these, and the answer says so.
#[test]
fn names_in_other_capitals_are_the_last_resort() {
    let tree = indexed(&[
        ("go.mod", "module example.org/a\n"),
        (
            "a.go",
            "package a\n\ntype Fault struct{}\n\nfunc (f Fault) Error() string { return \"\" }\n\n\
             func Open() {}\n\nfunc open() {}\n\nfunc Close() {}\n",
        ),
    ]);
    let answer = tree.ken_json(&["implementations", "error"]);
    assert_eq!(places(&answer["implementations"]), ["Fault a.go:3"], "{answer}");
    for (name, expected, note) in [
        ("open", "open a.go:9", Value::Null),
        ("Open", "Open a.go:7", Value::Null),
        ("close", "Close a.go:11", json!("nothing here is written \"close\": this is about Close")),
    ] {
        let answer = tree.ken_json(&["callers", name]);
        assert_eq!(places(&answer["definitions"]), [expected], "{answer}");
        assert_eq!(answer["note"], note, "{answer}");
    }
}

/// Tests come last and are counted, so that a limit cuts them first.
#[test]
fn tests_come_after_other_callers() {
    let tree = indexed(&[
        ("a.py", "def run():\n    pass\n"),
        (
            "b/test_a.py",
            "from a import run\n\n\ndef test_one():\n    run()\n\n\n\
                         def test_two():\n    run()\n",
        ),
        ("c.py", "from a import run\n\n\ndef start():\n    run()\n"),
        ("d.py", "from c import start\n\n\ndef main():\n    start()\n"),
    ]);
    let answer = tree.ken_json(&["callers", "run", "--depth", "2", "--limit", "3"]);
    let expected = ["start c.py:4", "main d.py:4", "test_one b/test_a.py:4"];
    assert_eq!(places(&answer["callers"]), expected, "{answer}");
    assert_eq!(answer["testCount"], 2, "{answer}");
    let left_out = "1 more, all in tests; raise `limit` or `budget`";
    assert_eq!(answer["leftOut"], json!([left_out]), "{answer}");
    let answer = tree.ken_json(&["find-references", "run", "--only", "call", "--limit", "1"]);
    assert_eq!(answer["references"][0]["path"], "c.py", "{answer}");
    assert_eq!((&answer["count"], &answer["testCount"]), (&json!(3), &json!(2)), "{answer}");
    assert_eq!(answer["leftOut"][0], "2 more, all in tests; raise `limit`", "{answer}");
    // People read flags.
    let text = tree.ken(&["callers", "run", "--limit", "1"]);
    assert!(text.contains("raise `--limit` or `--budget`"), "{text}");
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
