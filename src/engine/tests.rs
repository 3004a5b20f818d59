//! What `query` spares when it looks for what nobody uses, told by what `extract` reads: the two meet in no layer
//! below this one.

use crate::extract::code;
use crate::model::{RepoPath, symbol_parents};
use crate::query::graph::spared::{Place, is_ambient, is_registered};

/// The names of a file that are looked at, and those of them that are given to someone.
fn check(path: &str, text: &str, looked_at: &[&str], given: &[&str]) {
    let path = RepoPath::new(path).unwrap();
    let facts = code::read(&path, text);
    let parents = symbol_parents(&facts.symbols);
    let mut left: Vec<&str> = Vec::new();
    let mut registered: Vec<&str> = Vec::new();
    for (symbol, parent) in facts.symbols.iter().zip(&parents) {
        let place = Place {
            path: &path,
            language: facts.language,
            symbol,
            parent: parent.map(|parent| &facts.symbols[parent as usize]),
            symbols: &facts.symbols,
        };
        if place.is_spared() {
            continue;
        }
        left.push(&symbol.name);
        if is_registered(text, facts.language, symbol) || is_ambient(text, facts.language, symbol) {
            registered.push(&symbol.name);
        }
    }
    assert_eq!(left, looked_at, "{path}");
    assert_eq!(registered, given, "{path}");
}

#[test]
fn what_others_call_is_spared() {
    check(
        "a.cs",
        "class Program {\n  static void Main() {}\n  [Obsolete]\n  void Run() {}\n  [HttpGet(\"a\")]\n  void Get() {}\n}",
        &["Program", "Run", "Get"],
        &["Get"],
    );
    check(
        "a.rs",
        "#[bench]\nfn fast() {}\n/// Doc.\n#[inline]\nfn helper() {}\nfn _assert() {}\nfn main() {}",
        &["fast", "helper"],
        &["fast"],
    );
    check(
        "a.py",
        "@app.route('/')\ndef index():\n  pass\n@staticmethod\ndef make():\n  pass\n",
        &["index", "make"],
        &["index"],
    );
    check(
        "a.swift",
        "func == (a: A, b: A) -> Bool { true }\n@available(iOS 14, *)\nstruct A {}\n@objc func tap() {}\n",
        &["A", "tap"],
        &["tap"],
    );
    check(
        "A.java",
        "class A {\n  @Override public void run() {}\n  @Deprecated void old() {}\n  @Bean void bean() {}\n}",
        &["A", "old", "bean"],
        &["bean"],
    );
    check("a.d.ts", "declare function f(): void;", &[], &[]);
}

#[test]
fn members_of_objects_are_spared() {
    check(
        "a.ts",
        "declare global { interface Window { a: 1 } }\nexport const config = { outExtensions: (ctx) => 1, redirects() {} };\nexport default { postBuild() {} };\nscript.onerror = () => {};\nclass A { [Symbol.iterator]() {} run() {} }\nfunction B() {}\nB.help = () => {};\ninterface Own { b: 1 }\n",
        &["Window", "a", "config", "A", "run", "B", "help", "Own", "b"],
        &["Window", "a"],
    );
}
