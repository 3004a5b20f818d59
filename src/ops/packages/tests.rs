//! Every operation of the family, by its arguments and its reply, over one small repository.

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::engine::testing::{Shop, shop};
use crate::ops::{Call, ErrorKind, Silent, find};

/// `web` needs `ui` and `core`, `ui` needs `core`, and `cart` needs `ui`, which needs `cart` for its tests. React comes
/// from outside in two versions. A crate is called `core`, too; `docs` stands alone, and `broken` cannot be read.
const FILES: &[(&str, &str)] = &[
    ("package.json", r#"{"name": "shop", "private": true, "workspaces": ["packages/*"]}"#),
    (
        "packages/web/package.json",
        r#"{"name": "web", "version": "1.2.0", "description": "The customer site",
            "dependencies": {"ui": "workspace:*", "core": "workspace:*", "react": "^18.0.0"},
            "devDependencies": {"vitest": "^2"}}"#,
    ),
    ("packages/web/index.js", "import { Button } from 'ui';\n"),
    (
        "packages/ui/package.json",
        r#"{"name": "ui", "version": "0.3.0", "description": "Buttons and forms",
            "dependencies": {"core": "workspace:*"}, "devDependencies": {"cart": "workspace:*"},
            "peerDependencies": {"react": ">=17"}}"#,
    ),
    ("packages/ui/index.js", "import { cents } from 'core';\nimport { Cart } from 'cart';\n"),
    (
        "packages/cart/package.json",
        r#"{"name": "cart", "version": "1.0.0", "dependencies": {"ui": "workspace:*", "react": "^16.0.0"}}"#,
    ),
    ("packages/cart/index.js", "import { Form } from 'ui';\n"),
    (
        "packages/core/package.json",
        r#"{"name": "core", "version": "2.0.0", "description": "Money and dates"}"#,
    ),
    ("packages/docs/package.json", r#"{"name": "docs", "version": "0.0.1"}"#),
    ("packages/broken/package.json", r#"{"name": "broken","#),
    ("tools/lint/Cargo.toml", "[package]\nname = \"core\"\nversion = \"0.1.0\"\n"),
];

fn repository() -> Shop {
    shop(FILES)
}

/// Calls an operation by its name. The text of the reply has one line for each row; an error has its kind.
fn ask(shop: &Shop, operation: &str, arguments: &Value) -> String {
    let call = Call::new(&shop.engine, &Silent);
    let text = match find(operation).unwrap().call(&call, arguments) {
        Ok(reply) => reply.contents().0,
        Err(error) => return format!("{:?}: {error}\n", error.kind),
    };
    match serde_json::from_str::<Value>(&text) {
        Ok(Value::Array(rows)) => rows.iter().map(|row| format!("{row}\n")).collect(),
        Ok(Value::Object(fields)) => fields.iter().map(render).collect(),
        _ => format!("{}\n", text.trim_end()),
    }
}

fn render((name, value): (&String, &Value)) -> String {
    match value {
        Value::Array(rows) => {
            let rows = rows.iter().map(|row| format!("  {row}\n"));
            format!("{name}:\n{}", rows.collect::<String>())
        }
        _ => format!("{name}: {value}\n"),
    }
}

fn check(shop: &Shop, operation: &str, arguments: Value, expected: Expect) {
    expected.assert_eq(&ask(shop, operation, &arguments));
}

#[test]
fn list_packages() {
    let shop = repository();
    check(
        &shop,
        "list_packages",
        json!({}),
        expect![[r#"
            {"name":"cart","path":"packages/cart","kind":"npm","version":"1.0.0","description":null,"metadata":null}
            {"name":"core","path":"tools/lint","kind":"cargo","version":"0.1.0","description":null,"metadata":null}
            {"name":"core","path":"packages/core","kind":"npm","version":"2.0.0","description":"Money and dates","metadata":null}
            {"name":"docs","path":"packages/docs","kind":"npm","version":"0.0.1","description":null,"metadata":null}
            {"name":"shop","path":"","kind":"npm","version":null,"description":null,"metadata":null}
            {"name":"ui","path":"packages/ui","kind":"npm","version":"0.3.0","description":"Buttons and forms","metadata":null}
            {"name":"web","path":"packages/web","kind":"npm","version":"1.2.0","description":"The customer site","metadata":null}
        "#]],
    );
    check(
        &shop,
        "list_packages",
        json!({"kind": "cargo"}),
        expect![[r#"
            {"name":"core","path":"tools/lint","kind":"cargo","version":"0.1.0","description":null,"metadata":null}
        "#]],
    );
    check(&shop, "list_packages", json!({"kind": "maven"}), expect![""]);
}

#[test]
fn get_package() {
    let shop = repository();
    check(
        &shop,
        "get_package",
        json!({"name": "web"}),
        expect![[r#"
            name: "web"
            path: "packages/web"
            kind: "npm"
            version: "1.2.0"
            description: "The customer site"
            metadata: null
        "#]],
    );
    // Both packages of the name, unless a kind picks one.
    check(
        &shop,
        "get_package",
        json!({"name": "core"}),
        expect![[r#"
            {"name":"core","path":"tools/lint","kind":"cargo","version":"0.1.0","description":null,"metadata":null}
            {"name":"core","path":"packages/core","kind":"npm","version":"2.0.0","description":"Money and dates","metadata":null}
        "#]],
    );
    check(
        &shop,
        "get_package",
        json!({"name": "core", "kind": "cargo"}),
        expect![[r#"
            name: "core"
            path: "tools/lint"
            kind: "cargo"
            version: "0.1.0"
            description: null
            metadata: null
        "#]],
    );
    check(
        &shop,
        "get_package",
        json!({"name": "core", "kind": "maven"}),
        expect![[r#"
            Package 'core' not found
        "#]],
    );
    check(
        &shop,
        "get_package",
        json!({"name": "wbe"}),
        expect![[r#"
            Package 'wbe' not found
        "#]],
    );
}

#[test]
fn search_packages() {
    let shop = repository();
    check(
        &shop,
        "search_packages",
        json!({"query": "customer"}),
        expect![[r#"
            {"name":"web","path":"packages/web","kind":"npm","version":"1.2.0","description":"The customer site","metadata":null}
        "#]],
    );
    // Words match as prefixes, and one is enough.
    check(
        &shop,
        "search_packages",
        json!({"query": "butt nonsense"}),
        expect![[r#"
            {"name":"ui","path":"packages/ui","kind":"npm","version":"0.3.0","description":"Buttons and forms","metadata":null}
        "#]],
    );
    check(&shop, "search_packages", json!({"query": "nonsense"}), expect![""]);
    check(
        &shop,
        "search_packages",
        json!({"query": "  "}),
        expect![[r#"
            Search query must not be empty
        "#]],
    );
}

#[test]
fn package_dependencies() {
    let shop = repository();
    check(
        &shop,
        "package_dependencies",
        json!({"name": "web"}),
        expect![[r#"
            {"package":"web","dependency":"core","dep_kind":"runtime","version_req":"*","is_internal":true}
            {"package":"web","dependency":"react","dep_kind":"runtime","version_req":"^18.0.0","is_internal":false}
            {"package":"web","dependency":"ui","dep_kind":"runtime","version_req":"*","is_internal":true}
            {"package":"web","dependency":"vitest","dep_kind":"dev","version_req":"^2","is_internal":false}
        "#]],
    );
    check(
        &shop,
        "package_dependencies",
        json!({"name": "ui", "internal_only": true}),
        expect![[r#"
            {"package":"ui","dependency":"cart","dep_kind":"dev","version_req":"*","is_internal":true}
            {"package":"ui","dependency":"core","dep_kind":"runtime","version_req":"*","is_internal":true}
        "#]],
    );
    check(&shop, "package_dependencies", json!({"name": "core"}), expect![""]);
    check(
        &shop,
        "package_dependencies",
        json!({"name": "react"}),
        expect![[r#"
            Package 'react' not found
        "#]],
    );
}

#[test]
fn package_dependents() {
    let shop = repository();
    check(
        &shop,
        "package_dependents",
        json!({"name": "core"}),
        expect![[r#"
            {"package":"ui","dependency":"core","dep_kind":"runtime","version_req":"*","is_internal":true}
            {"package":"web","dependency":"core","dep_kind":"runtime","version_req":"*","is_internal":true}
        "#]],
    );
    // An external package has dependents, too.
    check(
        &shop,
        "package_dependents",
        json!({"name": "react"}),
        expect![[r#"
            {"package":"cart","dependency":"react","dep_kind":"runtime","version_req":"^16.0.0","is_internal":false}
            {"package":"ui","dependency":"react","dep_kind":"peer","version_req":">=17","is_internal":false}
            {"package":"web","dependency":"react","dep_kind":"runtime","version_req":"^18.0.0","is_internal":false}
        "#]],
    );
    check(&shop, "package_dependents", json!({"name": "docs"}), expect![""]);
    check(
        &shop,
        "package_dependents",
        json!({"name": "react", "kind": "cargo"}),
        expect![[r#"
            Package 'react' not found
        "#]],
    );
}

#[test]
fn dependency_graph() {
    let shop = repository();
    check(
        &shop,
        "dependency_graph",
        json!({"name": "cart"}),
        expect![[r#"
            {"from":"cart","to":"react","dep_kind":"runtime"}
            {"from":"cart","to":"ui","dep_kind":"runtime"}
            {"from":"ui","to":"cart","dep_kind":"dev"}
            {"from":"ui","to":"core","dep_kind":"runtime"}
            {"from":"ui","to":"react","dep_kind":"peer"}
        "#]],
    );
    check(
        &shop,
        "dependency_graph",
        json!({"name": "cart", "depth": 1}),
        expect![[r#"
            {"from":"cart","to":"react","dep_kind":"runtime"}
            {"from":"cart","to":"ui","dep_kind":"runtime"}
        "#]],
    );
    check(
        &shop,
        "dependency_graph",
        json!({"name": "web", "internal_only": true}),
        expect![[r#"
            {"from":"web","to":"core","dep_kind":"runtime"}
            {"from":"web","to":"ui","dep_kind":"runtime"}
            {"from":"ui","to":"cart","dep_kind":"dev"}
            {"from":"ui","to":"core","dep_kind":"runtime"}
            {"from":"cart","to":"ui","dep_kind":"runtime"}
        "#]],
    );
    check(&shop, "dependency_graph", json!({"name": "web", "depth": 0}), expect![""]);
    check(
        &shop,
        "dependency_graph",
        json!({"name": "nowhere"}),
        expect![[r#"
            Package 'nowhere' not found
        "#]],
    );
}

#[test]
fn package_path() {
    let shop = repository();
    check(
        &shop,
        "package_path",
        json!({"from": "cart", "to": "core"}),
        expect![[r#"
            found: true
            hops: 2
            path: "cart → ui → core"
        "#]],
    );
    check(
        &shop,
        "package_path",
        json!({"from": "web", "to": "vitest"}),
        expect![[r#"
            found: true
            hops: 1
            path: "web →(dev) vitest"
        "#]],
    );
    check(
        &shop,
        "package_path",
        json!({"from": "core", "to": "web"}),
        expect![[r#"
            found: false
            hops: 0
            path: "core does not need web, directly or through others"
        "#]],
    );
    check(
        &shop,
        "package_path",
        json!({"from": "web", "to": "web"}),
        expect![[r#"
            found: true
            hops: 0
            path: "web"
        "#]],
    );
    check(
        &shop,
        "package_path",
        json!({"from": "web", "to": "nowhere"}),
        expect![[r#"
            Package 'nowhere' not found
        "#]],
    );
}

#[test]
fn package_impact() {
    let shop = repository();
    check(
        &shop,
        "package_impact",
        json!({"name": "core"}),
        expect![[r#"
            affected_count: 3
            affected:
              {"name":"ui","kind":"npm","path":"packages/ui","distance":1,"chain":"ui → core"}
              {"name":"web","kind":"npm","path":"packages/web","distance":1,"chain":"web → core"}
              {"name":"cart","kind":"npm","path":"packages/cart","distance":2,"chain":"cart → ui → core"}
            left_out: 0
        "#]],
    );
    check(
        &shop,
        "package_impact",
        json!({"name": "core", "kind": "cargo"}),
        expect![[r#"
            affected_count: 0
            affected:
            left_out: 0
        "#]],
    );
    check(
        &shop,
        "package_impact",
        json!({"name": "react", "limit": 1}),
        expect![[r#"
            affected_count: 3
            affected:
              {"name":"cart","kind":"npm","path":"packages/cart","distance":1,"chain":"cart → react"}
            left_out: 2
        "#]],
    );
    check(
        &shop,
        "package_impact",
        json!({"name": "nowhere"}),
        expect![[r#"
            Package 'nowhere' not found
        "#]],
    );
}

#[test]
fn package_cycles() {
    let shop = repository();
    check(
        &shop,
        "package_cycles",
        json!({}),
        expect![[r#"
            {"kind":"dev-only","circle":"cart → ui →(dev) cart","member_count":2,"members":["cart","ui"]}
        "#]],
    );
    check(&shop, "package_cycles", json!({"kind": "cargo"}), expect![""]);
}

#[test]
fn package_health() {
    let shop = repository();
    check(
        &shop,
        "package_health",
        json!({}),
        expect![[r#"
            package_count: 7
            cycle_count: 1
            orphan_count: 1
            orphans:
              {"name":"docs","kind":"npm","path":"packages/docs"}
            most_depended_on:
              {"name":"core","kind":"npm","path":"packages/core","dependents":2}
              {"name":"ui","kind":"npm","path":"packages/ui","dependents":2}
              {"name":"cart","kind":"npm","path":"packages/cart","dependents":1}
            duplicate_names:
            version_conflict_count: 1
            breaking_conflict_count: 1
            version_conflicts:
              {"kind":"npm","name":"react","breaking":true,"requirements":[{"version_req":">=17","packages":["ui"]},{"version_req":"^16.0.0","packages":["cart"]},{"version_req":"^18.0.0","packages":["web"]}]}
        "#]],
    );
    // `web` declares `core` and mentions it in no source.
    check(
        &shop,
        "package_health",
        json!({"unused": true, "limit": 1}),
        expect![[r#"
            package_count: 7
            cycle_count: 1
            orphan_count: 1
            orphans:
              {"name":"docs","kind":"npm","path":"packages/docs"}
            most_depended_on:
              {"name":"core","kind":"npm","path":"packages/core","dependents":2}
            duplicate_names:
            version_conflict_count: 1
            breaking_conflict_count: 1
            version_conflicts:
              {"kind":"npm","name":"react","breaking":true,"requirements":[{"version_req":">=17","packages":["ui"]},{"version_req":"^16.0.0","packages":["cart"]},{"version_req":"^18.0.0","packages":["web"]}]}
            unused_count: 1
            unused_internal_dependencies:
              {"package":"web","path":"packages/web","dependency":"core"}
        "#]],
    );
}

#[test]
fn package_graph() {
    let shop = repository();
    check(
        &shop,
        "package_graph",
        json!({"format": "mermaid"}),
        expect![[r#"
            ---
            title: "Packages"
            ---
            flowchart LR
              n0["cart<br/><small>1.0.0</small>"]
              n1["core<br/><small>0.1.0</small>"]
              n2["core<br/><small>2.0.0</small>"]
              n3["docs<br/><small>0.0.1</small>"]
              n4["shop"]
              n5["ui<br/><small>0.3.0</small>"]
              n6["web<br/><small>1.2.0</small>"]
              n0 --> n5
              n5 -.-> n0
              n5 --> n2
              n6 --> n2
              n6 --> n5
              classDef group0 stroke:#0072b2,stroke-width:2px
              class n0,n2,n3,n4,n5,n6 group0
              classDef group1 stroke:#e69f00,stroke-width:2px
              class n1 group1
              linkStyle 0,1 stroke:#d1242f,stroke-width:2px
        "#]],
    );
    check(
        &shop,
        "package_graph",
        json!({"name": "web", "depth": 1, "external": true, "format": "dot"}),
        expect![[r##"
            digraph "What web needs" {
              rankdir=LR;
              label="What web needs";
              labelloc=t;
              node [shape=box, style="rounded", fontname="Helvetica", fontsize=11];
              edge [fontname="Helvetica", fontsize=9, color="#6e7781"];
              "npm core packages/core" [label="core\n2.0.0", color="#0072b2"];
              "npm ui packages/ui" [label="ui\n0.3.0", color="#0072b2"];
              "npm web packages/web" [label="web\n1.2.0", color="#0072b2", penwidth=2.5];
              "external npm react" [label="react", color="#e69f00", style="rounded,dashed", fontcolor="#6e7781"];
              "external npm vitest" [label="vitest", color="#e69f00", style="rounded,dashed", fontcolor="#6e7781"];
              "npm web packages/web" -> "npm core packages/core";
              "npm web packages/web" -> "external npm react";
              "npm web packages/web" -> "npm ui packages/ui";
              "npm web packages/web" -> "external npm vitest" [style=dashed];
            }
        "##]],
    );
    check(
        &shop,
        "package_graph",
        json!({"name": "nowhere"}),
        expect![[r#"
            Package 'nowhere' not found
        "#]],
    );
}

#[test]
fn index_status() {
    let shop = repository();
    let status = ask(&shop, "index_status", &json!({}));
    // Times, the commit and the root differ from run to run.
    let fixed = |line: &&str| {
        let varying = ["indexed_at", "total_duration_ms", "root", "git_commit", "current_commit"];
        !varying.iter().any(|name| line.starts_with(name))
    };
    let lines: Vec<&str> = status.lines().filter(fixed).collect();
    expect![[r#"
                package_count: "7"
                manifest_count: "8"
                changed_manifests: 0
                problem_count: 1
                problems:
                  "packages/broken/package.json:1: EOF while parsing a value at line 1 column 18""#]]
            .assert_eq(&lines.join("\n"));
}

/// Arguments are checked against the schema of each operation before it runs.
#[test]
fn arguments_are_checked() {
    let shop = repository();
    let call = Call::new(&shop.engine, &Silent);
    for (operation, arguments) in [
        ("get_package", json!({})),
        ("get_package", json!({"name": 7})),
        ("search_packages", json!({"query": ["web"]})),
        ("dependency_graph", json!({"name": "web", "depth": -1})),
        ("package_path", json!({"from": "web"})),
        ("package_impact", json!({"name": "web", "limit": 0})),
        ("package_graph", json!({"format": "painting"})),
    ] {
        let error = find(operation).unwrap().call(&call, &arguments).unwrap_err();
        assert_eq!(error.kind, ErrorKind::BadArgument, "{operation} {arguments}: {error}");
    }
}

#[test]
fn a_repository_without_packages() {
    let shop = shop(&[("src/a.rs", "fn a() {}\n")]);
    check(&shop, "list_packages", json!({}), expect![""]);
    check(
        &shop,
        "get_package",
        json!({"name": "web"}),
        expect![[r#"
                Package 'web' not found
    "#]],
    );
    check(
        &shop,
        "package_health",
        json!({}),
        expect![[r#"
            package_count: 0
            cycle_count: 0
            orphan_count: 0
            orphans:
            most_depended_on:
            duplicate_names:
            version_conflict_count: 0
            breaking_conflict_count: 0
            version_conflicts:
        "#]],
    );
}

#[test]
fn names_that_two_packages_of_an_ecosystem_share() {
    let shop = shop(&[
        ("a/package.json", r#"{"name": "twin", "version": "1.0.0"}"#),
        ("b/package.json", r#"{"name": "twin", "version": "2.0.0"}"#),
    ]);
    check(
        &shop,
        "package_health",
        json!({"limit": 1}),
        expect![[r#"
            package_count: 2
            cycle_count: 0
            orphan_count: 2
            orphans:
              {"name":"twin","kind":"npm","path":"a"}
            most_depended_on:
            duplicate_names:
              {"kind":"npm","name":"twin","paths":["a","b"]}
            version_conflict_count: 0
            breaking_conflict_count: 0
            version_conflicts:
        "#]],
    );
}

#[test]
fn side_trees_are_labelled_and_last() {
    let conflict = |name: &str, needs: &str, version: &str| {
        format!(r#"{{"name": "{name}", "dependencies": {{"{needs}": "*", "react": "{version}"}}}}"#)
    };
    let (a, b) = (
        conflict("alpha-box", "beta-box", "^16.0.0"),
        conflict("beta-box", "alpha-box", "^17.0.0"),
    );
    let files = [
        ("package.json", r#"{"name": "shop", "private": true, "workspaces": ["**"]}"#),
        ("test/fixtures/alpha/package.json", &*a),
        ("test/fixtures/beta/package.json", &*b),
        ("zeta/package.json", r#"{"name": "zeta-box"}"#),
    ];
    let shop = shop(&files);
    check(
        &shop,
        "package_cycles",
        json!({}),
        expect![[r#"
        {"kind":"hard","circle":"alpha-box → beta-box → alpha-box","member_count":2,"members":["alpha-box","beta-box"],"tree":"fixture"}
    "#]],
    );
    check(
        &shop,
        "search_packages",
        json!({"query": "box alpha"}),
        expect![[r#"
        {"name":"zeta-box","path":"zeta","kind":"npm","version":null,"description":null,"metadata":null}
        {"name":"alpha-box","path":"test/fixtures/alpha","kind":"npm","version":null,"description":null,"metadata":null,"tree":"fixture"}
        {"name":"beta-box","path":"test/fixtures/beta","kind":"npm","version":null,"description":null,"metadata":null,"tree":"fixture"}
    "#]],
    );
    check(
        &shop,
        "package_health",
        json!({}),
        expect![[r#"
        package_count: 4
        side_tree_package_count: 2
        cycle_count: 0
        orphan_count: 1
        orphans:
          {"name":"zeta-box","kind":"npm","path":"zeta"}
        most_depended_on:
          {"name":"alpha-box","kind":"npm","path":"test/fixtures/alpha","tree":"fixture","dependents":1}
          {"name":"beta-box","kind":"npm","path":"test/fixtures/beta","tree":"fixture","dependents":1}
        duplicate_names:
        version_conflict_count: 0
        breaking_conflict_count: 0
        version_conflicts:
          {"kind":"npm","name":"react","breaking":true,"requirements":[{"version_req":"^16.0.0","packages":["alpha-box"]},{"version_req":"^17.0.0","packages":["beta-box"]}],"tree":"fixture"}
    "#]],
    );
}
