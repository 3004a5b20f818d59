//! The first questions, over small trees of several ecosystems.

use serde_json::{Value, json};

use crate::engine::testing::shop;
use crate::ops::{Call, Silent, find};

/// Paths with their texts.
type Files<'t> = &'t [(&'t str, &'t str)];

/// Returns the outline of a question, or the walk if it is another one.
fn ask(files: Files, question: &str) -> String {
    let shop = shop(files);
    let call = Call::new(&shop.engine, &Silent);
    let reply = find("code_research").unwrap().call(&call, &json!({"query": question})).unwrap();
    let reply: Value = serde_json::from_str(&reply.contents().0).unwrap();
    if reply["walk"] != "orientation" {
        return reply["walk"].to_string();
    }
    let lines = reply["outline"].as_array().unwrap().iter();
    lines.map(|line| line.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

#[test]
fn first_questions_are_answered_from_the_repository() {
    let table: &[(Files, &str, &[&str])] = &[
        (
            &[("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/main.rs", "fn main() {}\n")],
            "how does it start",
            &["functions that start a program", "  main  function  src/main.rs:1"],
        ),
        (
            &[
                ("Cargo.toml", "[package]\nname = \"a\"\n"),
                ("src/main.rs", "fn main() {\n    run()\n}\n\nfn run() {}\n"),
                ("benches/b.rs", "fn main() {}\n"),
                ("UPGRADING.md", "```rust\nfn old() {\n    run()\n    main()\n}\n```\n"),
            ],
            "how does it start",
            &[
                "functions that start a program",
                "  main  function  src/main.rs:1 → run",
                "programs in examples, tools and benchmarks",
                "  main  function  benches/b.rs:1",
            ],
        ),
        (
            &[(
                "package.json",
                "{\n  \"name\": \"a\",\n  \"scripts\": {\n    \"start\": \"node a.js\"\n  }\n}\n",
            )],
            "how does it start",
            &[
                "commands and targets",
                "  package.json:4  \"start\": \"node a.js\"",
                "lines of manifests about the library",
                "  package.json:2  \"name\": \"a\",",
            ],
        ),
        (
            &[
                ("Dockerfile", "FROM scratch\nENTRYPOINT [\"/a\"]\n"),
                ("cmd/a/main.go", "package main\n\nfunc main() {}\n"),
            ],
            "where is the entry point",
            &[
                "functions that start a program",
                "  main  function  cmd/a/main.go:3",
                "commands and targets",
                "  Dockerfile:2  ENTRYPOINT [\"/a\"]",
            ],
        ),
        (
            &[
                ("go.mod", "module a\n"),
                ("a.go", "package a\n"),
                ("net/a_test.go", "package net\n"),
            ],
            "how is it tested",
            &["commands", "  go test ./...  (go.mod)", "test folders", "  net/  1 test file"],
        ),
        (
            &[
                ("settings.toml", "a = 1\n"),
                ("a.py", "import os\n\nclass AppConfig:\n    pass\n\nport = os.environ['PORT']\n"),
            ],
            "what can be configured",
            &[
                "types with settings, the most used first",
                "  AppConfig  class  a.py:3",
                "reads of the environment",
                "  a.py:6  port = os.environ['PORT']",
                "setting files",
                "  settings.toml",
            ],
        ),
        (
            &[
                ("lib/shop.js", "class Shop {\n  open() {}\n}\nfunction sell(shop) {}\n"),
                ("lib/shop.d.ts", "export type ShopOptions = { port: number }\n"),
                ("lib/defaults.js", "const defaultOptions = { port: 1 }\n"),
                ("examples/a.js", "const exampleDefaultOptions = {}\n"),
                ("cli.py", "p.add_argument('--port')\np.add_argument('--host')\n"),
            ],
            "what options are there",
            &[
                "types with settings, the most used first",
                "  ShopOptions  typealias  lib/shop.d.ts:1",
                "default settings",
                "  defaultOptions  constant  lib/defaults.js:1",
                "options of the command line",
                "  cli.py:1  p.add_argument('--port')  (and 1 more)",
            ],
        ),
        (
            &[
                (
                    "README.md",
                    "# Shop\n\n```sh\nget shop\n```\n\n```js\nlet a = new Shop()\nsell(a)\n```\n",
                ),
                ("package.json", "{\n  \"name\": \"shop\",\n  \"main\": \"lib/shop.js\"\n}\n"),
                ("lib/shop.js", "class Shop {\n  open() {}\n}\nfunction sell(shop) {}\n"),
            ],
            "how does it start",
            &[
                "commands and targets",
                "  package.json:3  \"main\": \"lib/shop.js\"",
                "definitions that README.md:8 uses",
                "  Shop  class  lib/shop.js:1",
                "  sell  function  lib/shop.js:4",
                "lines of manifests about the library",
                "  package.json:2  \"name\": \"shop\",",
            ],
        ),
        (
            &[("Makefile", "all:\n\ntest:\n\tgo test\n"), ("a.c", "int a;\n")],
            "how do I run the tests",
            &["commands", "  make test  (Makefile)", "lines of manifests", "  Makefile:3  test:"],
        ),
        (&[("a.py", "x = 1\n")], "how does it start", &["\"search\""]),
    ];
    for (files, question, expected) in table {
        assert_eq!(ask(files, question), expected.join("\n"), "{files:?}");
    }
}
