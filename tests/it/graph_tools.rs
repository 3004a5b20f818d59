//! The tools on the code graph, through the real binary: what they list, what they leave out and
//! say so, and what they answer to a name that is none or too many.

use serde_json::{Value, json};

use crate::support::{Client, KEN, Tree};

const CORE: &str = "\
pub trait Store {
    fn load(&self, key: &str) -> String;
}

pub struct Disk;

impl Store for Disk {
    fn load(&self, key: &str) -> String {
        read_block(key)
    }
}

fn read_block(key: &str) -> String {
    key.to_string()
}

fn forgotten() -> u32 {
    forgotten()
}

fn spoken_of() {}

pub fn open_disk() -> Disk {
    Disk
}
";

const APP: &str = "\
use core_store::{Disk, Store, open_disk};

pub fn start() -> String {
    let disk = open_disk();
    show(&disk)
}

fn show(disk: &Disk) -> String {
    // Not `spoken_of`, which is only named.
    disk.load(\"title\")
}

fn main() {
    start();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts() {
        let title = start();
        assert_eq!(title, \"title\");
    }
}
";

fn tree() -> Tree {
    let tree = Tree::new(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"core\", \"app\"]\n"),
        ("core/Cargo.toml", "[package]\nname = \"core-store\"\nversion = \"1.0.0\"\n"),
        ("core/src/lib.rs", CORE),
        (
            "app/Cargo.toml",
            "[package]\nname = \"app\"\nversion = \"1.0.0\"\n\n[dependencies]\n\
             core-store = { path = \"../core\" }\n",
        ),
        ("app/src/main.rs", APP),
    ]);
    tree.ken(&["index"]);
    tree
}

/// `symbol path:line`, in order.
fn places(rows: &Value) -> Vec<String> {
    let rows = rows.as_array().unwrap().iter();
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_string();
    rows.map(|row| {
        let (symbol, path) = (text(row, "symbol"), text(row, "path"));
        format!("{symbol} {path}:{}", row["line"])
    })
    .collect()
}

#[test]
fn what_calls_itself_is_a_caller() {
    let tree = Tree::new(&[]);
    tree.write(
        "a.rs",
        "pub fn walk(left: usize) {\n    walk(left - 1)\n}\n\npub fn start() {\n    walk(3)\n}\n",
    );
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["callers", "walk"]);
    assert_eq!(places(&answer["callers"]), ["start a.rs:5", "walk a.rs:1"], "{answer}");
}

#[test]
fn a_caller_of_two_definitions_of_a_name_is_one_of_each() {
    let tree = Tree::new(&[]);
    let class = |name: &str| format!("export class {name} {{\n  open() {{}}\n}}\n");
    tree.write("a.ts", &(class("Door") + &class("Lid")));
    let uses = "import { Door, Lid } from './a';\n\
                export function use(door: Door, lid: Lid) {\n  door.open();\n  lid.open();\n}\n";
    tree.write("b.ts", uses);
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["callers", "open"]);
    let rows = answer["callers"].as_array().unwrap().iter();
    let rows: Vec<Value> =
        rows.map(|row| json!([row["symbol"], row["calls"], row["at"]])).collect();
    assert_eq!(
        rows,
        [json!(["use", "a.ts:2 Door.open", [3]]), json!(["use", "a.ts:5 Lid.open", [4]])],
        "{answer}"
    );
}

#[test]
fn the_end_of_a_path_will_do_if_only_one_file_ends_so() {
    let tree = tree();
    let answer = tree.ken_json(&["get-file-symbols", "src/main.rs", "--kind", "function"]);
    assert_eq!(answer["file"], "app/src/main.rs", "{answer}");
    let answer = tree.ken_json(&["impact", "--file", "main.rs"]);
    assert!(answer["changed"].to_string().contains("app/src/main.rs"), "{answer}");
    tree.write("tool/src/main.rs", "fn main() {}\n");
    tree.ken(&["index"]);
    let root = tree.root();
    let serve = ["serve", "--root", root.to_str().unwrap()];
    let mut client = Client::connect(tree.command(KEN, &serve));
    let error = client.call("get_file_symbols", json!({"file": "main.rs"})).unwrap();
    assert_eq!(error["isError"], true, "{error}");
    let error = error.to_string();
    for file in ["app/src/main.rs", "tool/src/main.rs", "more of the path"] {
        assert!(error.contains(file), "{error}");
    }
    // A part of a name is no end of a path.
    let error = client.call("get_file_symbols", json!({"file": "ain.rs"})).unwrap();
    assert!(error.to_string().contains("not in the index"), "{error}");
}

/// A base's own is called whatever the type at hand is, and what extends a type mentions it.
#[test]
fn super_dispatches_to_nobody_and_bases_are_mentioned() {
    let tree = Tree::new(&[]);
    let class = |name: &str, body: &str| {
        format!("export class {name} extends Animal {{\n  speak() {{ {body} }}\n}}\n")
    };
    let animal = "export class Animal {\n  speak() {}\n  #hush() { this.speak() }\n}\n";
    let dog = class("Dog", "super.speak();");
    tree.write("a.ts", &(animal.to_string() + &dog + &class("Cat", "")));
    tree.write("b.ts", "export function $of() {}\nexport function of() {}\n");
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["callers", "Cat.speak"]);
    assert_eq!(places(&answer["callers"]), ["Animal.#hush a.ts:3"], "{answer}");
    let answer = tree.ken_json(&["callers", "Animal.speak"]);
    assert_eq!(places(&answer["callers"]), ["Animal.#hush a.ts:3", "Dog.speak a.ts:6"], "{answer}");
    let answer = tree.ken_json(&["find-references", "Animal"]);
    let lines = answer["references"].as_array().unwrap().iter();
    let lines: Vec<&Value> = lines.map(|row| &row["line"]).collect();
    assert_eq!(lines, [5, 8], "{answer}");
    let answer = tree.ken_json(&["get-symbol", "Animal.#hush"]);
    assert_eq!(answer["definitions"][0]["line"], 3, "{answer}");
    let answer = tree.ken_json(&["search-code", "$of", "--limit", "1"]);
    assert_eq!(answer["results"][0]["path"], "b.ts", "{answer}");
}

/// Editors and agents have nothing else.
#[test]
fn a_path_from_the_root_of_the_system_will_do() {
    let tree = tree();
    let whole = tree.root().join("app/src/main.rs");
    let whole = whole.to_str().unwrap();
    let answer = tree.ken_json(&["get-file-symbols", whole]);
    assert_eq!(answer["file"], "app/src/main.rs", "{answer}");
    let answer = tree.ken_json(&["get-symbol", &format!("{whole}:main")]);
    assert_eq!(answer["definitions"][0]["path"], "app/src/main.rs", "{answer}");
    for whole in [whole, tree.root().join("app/**").to_str().unwrap()] {
        let answer = tree.ken_json(&["search-code", "main", "--file-filter", whole]);
        let found = &answer["results"][0]["path"];
        assert_eq!(found, "app/src/main.rs", "{answer}");
    }
}

#[test]
fn members_are_of_the_type_that_is_asked_about() {
    let tree = Tree::new(&[]);
    tree.write("old/a.ts", "export class Kind {\n  old() {}\n}\n");
    let many: String = (0..60).map(|one| format!("  new{one}() {{}}\n")).collect();
    tree.write("new/a.ts", &format!("export class Kind {{\n{many}}}\n"));
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["get-symbol", "Kind"]);
    let [new, old] = answer["definitions"].as_array().unwrap().as_slice() else {
        panic!("{answer}");
    };
    assert_eq!(old["members"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(new["members"].as_array().unwrap().len(), 40, "{answer}");
    assert_eq!(new["moreMembers"], 20, "{answer}");
}

#[test]
fn callers_and_callees_at_every_depth() {
    let tree = tree();
    let answer = tree.ken_json(&["callers", "open_disk"]);
    assert_eq!(places(&answer["callers"]), ["start app/src/main.rs:3"], "{answer}");
    let caller = &answer["callers"][0];
    assert_eq!(caller["at"], json!([4]), "{answer}");
    assert!(caller["confidence"] == "high" && caller["reason"].is_string());
    let answer = tree.ken_json(&["callers", "open_disk", "--depth", "2"]);
    assert_eq!(
        places(&answer["callers"]),
        ["start app/src/main.rs:3", "main app/src/main.rs:13", "tests.starts app/src/main.rs:22"],
        "{answer}"
    );
    assert_eq!(answer["callers"][1]["calls"], "start", "{answer}");
    assert_eq!(answer["callers"][2]["test"], true, "{answer}");
    let answer = tree.ken_json(&["callers", "open_disk", "--depth", "2", "--skip-tests"]);
    assert_eq!(answer["callers"].as_array().unwrap().len(), 2, "{answer}");
    assert_eq!(answer["leftOut"], json!(["1 place in tests"]), "{answer}");
    let answer = tree.ken_json(&["callees", "start", "--depth", "3"]);
    let callees = places(&answer["callees"]);
    for place in [
        "open_disk core/src/lib.rs:23",
        "show app/src/main.rs:8",
        "Disk.load core/src/lib.rs:8",
        "read_block core/src/lib.rs:13",
    ] {
        assert!(callees.contains(&place.to_string()), "{place}: {answer}");
    }
}

#[test]
fn references_and_implementations() {
    let tree = tree();
    let answer = tree.ken_json(&["find-references", "Disk", "--only", "type"]);
    let rows = answer["references"].as_array().unwrap();
    let inside = |name: &str| {
        let mut rows = rows.iter();
        rows.any(|row| row["inside"] == name && row["path"] == "app/src/main.rs")
    };
    assert!(inside("show"), "{answer}");
    assert!(rows.iter().all(|row| row["as"] == "type"), "{answer}");
    let answer = tree.ken_json(&["implementations", "Store"]);
    let found = &answer["implementations"][0];
    assert_eq!(found["symbol"], "Disk", "{answer}");
    assert_eq!(found["how"], "direct", "{answer}");
    assert_eq!(found["declaredAt"], "core/src/lib.rs:7", "{answer}");
    let answer = tree.ken_json(&["implementations", "Store.load"]);
    let members = places(&answer["implementations"]);
    assert_eq!(members, ["Disk.load core/src/lib.rs:8"], "{answer}");
}

#[test]
fn symbols_of_a_name_a_file_and_a_package() {
    let tree = tree();
    let answer = tree.ken_json(&["search-symbols", "disk"]);
    let found = places(&answer["symbols"]);
    assert_eq!(found[0], "Disk core/src/lib.rs:5", "{answer}");
    assert!(found.contains(&"open_disk core/src/lib.rs:23".to_string()));
    let answer = tree.ken_json(&["search-symbols", "disk", "--kind", "function"]);
    assert_eq!(answer["count"], 1, "{answer}");
    let answer = tree.ken_json(&["get-symbol", "app/src/main.rs:9"]);
    let show = &answer["definitions"][0];
    assert_eq!(show["symbol"], "show", "{answer}");
    assert_eq!(show["callers"], 1, "{answer}");
    assert!(show["content"].as_str().unwrap().contains("disk.load"));
    let answer = tree.ken_json(&["get-file-symbols", "core/src/lib.rs", "--kind", "function"]);
    let rows = answer["symbols"].as_array().unwrap().iter();
    let names: Vec<&str> = rows.map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read_block", "forgotten", "spoken_of", "open_disk"]);
    let answer = tree.ken_json(&["get-package-symbols", "core-store", "--kind", "function"]);
    assert_eq!(places(&answer["symbols"]), ["open_disk core/src/lib.rs:23"]);
    let arguments = ["get-package-symbols", "core-store", "--kind", "function", "--all"];
    assert_eq!(tree.ken_json(&arguments)["count"], 4);
}

#[test]
fn impact_crosses_packages_and_names_the_tests() {
    let tree = tree();
    let answer = tree.ken_json(&["impact", "open_disk"]);
    let affected = places(&answer["affected"]);
    assert_eq!(affected[0], "start app/src/main.rs:3", "{answer}");
    assert_eq!(answer["packages"], json!({"app": 2}), "{answer}");
    let why = answer["affected"][0]["why"].as_str().unwrap();
    assert!(why.contains("direct") && why.contains("another package"), "{why}");
    assert_eq!(answer["affected"][0]["chain"], "start → open_disk");
    assert_eq!(places(&answer["tests"]), ["tests.starts app/src/main.rs:22"]);
    // A requirement changes what fulfils it.
    let answer = tree.ken_json(&["impact", "Store.load", "--depth", "1"]);
    let affected = places(&answer["affected"]);
    assert!(affected.contains(&"Disk.load core/src/lib.rs:8".to_string()), "{answer}");
    let answer = tree.ken_json(&["impact", "--file", "core/src/lib.rs"]);
    assert!(places(&answer["affected"]).contains(&"show app/src/main.rs:8".to_string()));
}

fn git(tree: &Tree, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    let mut command = tree.command("git", &[&identity, arguments].concat());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn impact_of_the_uncommitted_change() {
    let tree = tree();
    let output = tree.run(KEN, &["impact"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && stderr.contains("git cannot list"), "{stderr}");
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "first"]] {
        git(&tree, arguments);
    }
    let answer = tree.ken_json(&["impact"]);
    assert_eq!(answer["note"], "no definition has changed", "{answer}");
    // Lines above it make every later line another one.
    let changed = CORE.replace("    key.to_string()\n", "    key.trim().to_string()\n");
    tree.write("core/src/lib.rs", &format!("// A line.\n// Another.\n\n{changed}"));
    let check = |answer: Value| {
        let affected = places(&answer["affected"]);
        let fulfils = affected.iter().any(|place| place.starts_with("Disk.load "));
        assert!(fulfils, "{answer}");
        let changed = places(&answer["changed"]);
        assert!(changed[0].starts_with("read_block "), "{answer}");
        assert_eq!(changed.len(), 1, "{answer}");
    };
    // Both before the change is indexed and after.
    check(tree.ken_json(&["impact"]));
    tree.ken(&["index"]);
    check(tree.ken_json(&["impact"]));
}

#[test]
fn unused_is_certain_or_says_why_not() {
    let tree = tree();
    let answer = tree.ken_json(&["unused"]);
    assert_eq!(places(&answer["unused"]), ["forgotten core/src/lib.rs:17"], "{answer}");
    let maybe = tree.ken_json(&["unused", "--maybe"]);
    assert_eq!(
        places(&maybe["unused"]),
        ["Store.load core/src/lib.rs:2", "spoken_of core/src/lib.rs:21"],
        "{maybe}"
    );
    let left_out = answer["leftOut"].as_array().unwrap();
    assert!(left_out.contains(&json!("2 definitions that some text names; set `maybe`")));
}

#[test]
fn unused_leaves_out_what_others_find() {
    let tree = tree();
    tree.write(
        "app/Views.swift",
        "struct Main_Previews: PreviewProvider {}\nstruct Kept: Odd {}\nprotocol Odd {}\n",
    );
    tree.write(
        "app/app.py",
        "@app.route('/')\ndef index():\n    pass\n\ndef handed():\n    pass\n\ndef left():\n    pass\n",
    );
    tree.write("app/run.py", "start(handed)\n");
    tree.ken(&["index"]);
    let unused = |flag: &[&str]| {
        let answer = tree.ken_json(&[&["unused"], flag].concat());
        let mut found = places(&answer["unused"]);
        found.retain(|place| place.contains(" app/"));
        found
    };
    assert_eq!(unused(&[]), ["Kept app/Views.swift:2"]);
    assert_eq!(unused(&["--public"]), ["left app/app.py:8"]);
    assert_eq!(unused(&["--maybe"]), ["handed app/app.py:5"]);
}

#[test]
fn objects_that_are_written_out_are_called_through_their_types() {
    let tree = Tree::new(&[]);
    tree.write(
        "a.ts",
        "type Factory = Readonly<{\n  create(n: number): string\n}>\n\
         export const Node: Factory = {\n  create(n) {\n    return ''\n  },\n}\n",
    );
    tree.write(
        "b.ts",
        "import { Node } from './a'\nexport function use() {\n  Node.create(1)\n}\n",
    );
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["callers", "Node.create"]);
    assert_eq!(places(&answer["callers"]), ["use b.ts:2"], "{answer}");
    let answer = tree.ken_json(&["implementations", "Factory.create"]);
    let found = places(&answer["implementations"]);
    assert_eq!(found, ["Node.create a.ts:5"], "{answer}");
}

#[test]
fn abstract_members_are_fulfilled_by_constants_of_an_enum() {
    let tree = tree();
    tree.write(
        "app/St.java",
        "enum St {\n  A { boolean run(int t) { return true; } },\n  B { boolean run(int t) { return false; } };\n  abstract boolean run(int t);\n}\n",
    );
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["implementations", "St.run"]);
    assert_eq!(
        places(&answer["implementations"]),
        ["St.A.run app/St.java:2", "St.B.run app/St.java:3"],
        "{answer}"
    );
}

#[test]
fn places_and_labels_that_mean_nothing_say_what_is_near() {
    let tree = tree();
    tree.write(
        "app/Mail.swift",
        "struct Mail {\n  func send(to name: String) {}\n  func send(all: Bool) {}\n}\n",
    );
    tree.write("docs/guide.md", "# Disk\n\nHow to.\n\n## open_disk\n\nMore.\n");
    tree.ken(&["index"]);
    for (arguments, said) in [
        (
            ["callers", "core/src/lib.rs:12"],
            "no definition stands around line 12 of core/src/lib.rs; near it: core/src/lib.rs:5 Disk",
        ),
        (["callers", "nowhere.rs:1"], "\"nowhere.rs\" is not in the index"),
        (["callers", "Mail.send(from:)"], "there is Mail.send(to:), Mail.send(all:)"),
        (["callers", ""], "an empty name means nothing"),
        (["callers", "  "], "an empty name means nothing"),
        (["implementations", ""], "an empty name means nothing"),
    ] {
        let output = tree.run(KEN, &arguments);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && stderr.contains(said), "{arguments:?}: {stderr}");
    }
    // A part of a path is enough where one file ends so.
    let answer = tree.ken_json(&["callers", "main.rs:3"]);
    assert_eq!(answer["definitions"][0]["symbol"], "start", "{answer}");
    tree.write("core/src/main.rs", "fn main() {}\n");
    tree.ken(&["index"]);
    // Where several files end so, the line of each is meant.
    let answer = tree.ken_json(&["callers", "main.rs:1"]);
    let paths = answer["definitions"].as_array().unwrap().iter().map(|one| &one["path"]);
    assert!(paths.clone().any(|path| path == "core/src/main.rs"), "{answer}");
    let output = tree.run(KEN, &["callers", "main.rs:100"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let said = "2 files end in the path of \"main.rs:100\": app/src/main.rs, core/src/main.rs";
    assert!(stderr.contains(said), "{stderr}");
    // Headings have names, but code comes first, and is meant if it has the name as well.
    let answer = tree.ken_json(&["search-symbols", "disk"]);
    let found = answer["symbols"].as_array().unwrap();
    assert_eq!(found[0]["path"], "core/src/lib.rs", "{answer}");
    assert_eq!(found.last().unwrap()["path"], "docs/guide.md", "{answer}");
    let answer = tree.ken_json(&["callers", "open_disk"]);
    assert_eq!(answer["definitions"].as_array().unwrap().len(), 1, "{answer}");
}

#[test]
fn the_impact_of_a_file_is_asked_for_by_its_path() {
    let tree = tree();
    let by_name = tree.ken_json(&["impact", "core/src/lib.rs"]);
    let by_flag = tree.ken_json(&["impact", "--file", "core/src/lib.rs"]);
    assert_eq!(by_name, by_flag);
    assert!(by_name["affectedCount"].as_u64() > Some(0), "{by_name}");
    let by_ending = tree.ken_json(&["impact", "main.rs"]);
    assert_eq!(by_ending["changed"][0]["path"], "app/src/main.rs", "{by_ending}");
}

#[test]
fn unknown_and_ambiguous_names_say_what_to_ask() {
    let tree = tree();
    let output = tree.run(KEN, &["callers", "opendisk2"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && stderr.contains("open_disk"), "{stderr}");
    let output = tree.run(KEN, &["get-file-symbols", "lib/src/lib.rs"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("core/src/lib.rs"), "{stderr}");
    // Two of a name: both, told apart.
    tree.write("app/src/other.rs", "pub fn show() {}\npub fn all() { show(); }\n");
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["callers", "show"]);
    assert_eq!(answer["definitions"].as_array().unwrap().len(), 2, "{answer}");
    let calls: Vec<&str> = answer["callers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["calls"].as_str().unwrap())
        .collect();
    assert_eq!(calls, ["app/src/main.rs:8 show", "app/src/other.rs:1 show"]);
    // Many: the likeliest, and how to name another.
    let many: Vec<String> = (0..20)
        .map(|n| format!("pub struct T{n};\nimpl T{n} {{ pub fn make() {{}} }}\n"))
        .collect();
    tree.write("app/src/many.rs", &many.concat());
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["callers", "make"]);
    let note = answer["note"].as_str().unwrap();
    assert!(note.contains("20 definitions") && note.contains("Type.member"), "{note}");
    assert!(tree.run(KEN, &["callers", "T7.make"]).status.success());
}

#[test]
fn prompts_lead_through_the_tools_that_are_served() {
    let tree = tree();
    let root = tree.root();
    let root = root.to_str().unwrap();
    let mut client = Client::connect(tree.command(KEN, &["serve", "--root", root]));
    assert!(client.server["capabilities"]["prompts"].is_object());
    let listed = client.request("prompts/list", json!({})).unwrap();
    let prompts = listed["prompts"].as_array().unwrap();
    let names: Vec<&str> = prompts.iter().map(|one| one["name"].as_str().unwrap()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    let all = [
        "explore",
        "explore-area",
        "explore-package",
        "impact-analysis",
        "onboard",
        "understand-dependency",
    ];
    assert_eq!(sorted, all);
    let ask = |client: &mut Client, name: &str, arguments: Value| {
        client.request("prompts/get", json!({"name": name, "arguments": arguments}))
    };
    let given = json!({"from": "app", "to": "core-store"});
    let got = ask(&mut client, "understand-dependency", given).unwrap();
    let text = got["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.starts_with("Explain why app depends on core-store."), "{text}");
    assert!(text.contains("package_path from app to core-store"), "{text}");
    for (name, arguments) in [("explore", json!({})), ("no-such", json!({}))] {
        let error = ask(&mut client, name, arguments).unwrap_err();
        assert_eq!(error["code"], -32602, "{error}");
    }
    // The originals' profiles have none.
    let arguments = ["serve", "--profile", "swiftindex", "--root", root];
    let mut client = Client::connect(tree.command(KEN, &arguments));
    assert!(client.server["capabilities"]["prompts"].is_null());
    let error = ask(&mut client, "onboard", json!({})).unwrap_err();
    assert_eq!(error["code"], -32601, "{error}");
}

#[test]
fn impact_ends_at_a_call_of_one_of_many_implementations() {
    let kinds = ["Alpha", "Beta", "Gamma", "Delta"];
    let types = kinds.map(|kind| {
        format!(
            "type {kind} struct{{}}\n\nfunc (k {kind}) Make() int {{ return check{kind}() }}\n\n\
             func check{kind}() int {{ return 1 }}\n\n\
             func New{kind}() int {{ return useMaker({kind}{{}}) }}\n\n"
        )
    });
    let tree = Tree::new(&[
        ("go.mod", "module example.com/web\n"),
        (
            "web.go",
            &format!(
                "package web\n\ntype Maker interface {{\n\tMake() int\n}}\n\n\
                 func useMaker(m Maker) int {{ return m.Make() }}\n\n{}",
                types.concat()
            ),
        ),
    ]);
    tree.ken(&["index"]);
    let answer = tree.ken_json(&["impact", "checkAlpha"]);
    let affected = answer["affected"].as_array().unwrap().iter();
    let names: Vec<&str> = affected.map(|row| row["symbol"].as_str().unwrap()).collect();
    assert_eq!(names, ["Alpha.Make", "useMaker"], "{answer}");
    let left_out = answer["leftOut"].to_string();
    assert!(left_out.contains("may mean other implementations"), "{answer}");
    let answer = tree.ken_json(&["impact", "checkAlpha", "--confidence", "low"]);
    assert!(answer.to_string().contains("NewBeta"), "{answer}");
}
