//! Every scenario of the packages contract, under its own name, over a real `shire serve`.

use serde_json::{Value, json};

use crate::support::{SHIRE, Tree, listing};

fn names(packages: &Value) -> Vec<&str> {
    let packages = packages.as_array().unwrap();
    packages.iter().map(|package| package["name"].as_str().unwrap()).collect()
}

fn built() -> Tree {
    let tree = Tree::monorepo();
    tree.shire_build();
    tree
}

// Requirement: Server lifecycle

#[test]
fn start_with_existing_index() {
    let tree = built();
    let before = listing(&tree.root().join(".shire"));
    let mut client = tree.shire();
    assert_eq!(client.server["serverInfo"]["name"], "shire");
    assert_eq!(client.answer("list_packages", json!({})).as_array().unwrap().len(), 5);
    client.close_input();
    let (status, _, _) = client.finish();
    assert!(status.success());
    // Read-only means: nothing written, neither in the database nor beside it.
    assert_eq!(listing(&tree.root().join(".shire")), before);
}

#[cfg(unix)]
#[test]
fn start_with_existing_index_in_a_folder_that_cannot_be_written() {
    use std::os::unix::fs::PermissionsExt;

    let tree = built();
    let folder = tree.root().join(".shire");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).unwrap();
    let mut client = tree.shire();
    assert_eq!(client.answer("get_package", json!({"name": "web"}))["kind"], "npm");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn start_without_index() {
    let tree = Tree::monorepo();
    let output = tree.run(SHIRE, &["serve"]);
    assert_eq!(output.status.code(), Some(3));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("shire build"), "{stderr}");
    assert!(!tree.root().join(".shire").exists());
}

// Requirement: search_packages tool

#[test]
fn search_by_keyword() {
    let tree = built();
    let mut client = tree.shire();
    let found = client.answer("search_packages", json!({"query": "customer"}));
    assert_eq!(
        found,
        json!([{"name": "web", "path": "packages/web", "kind": "npm", "version": "1.2.0",
                "description": "The customer site", "metadata": null}])
    );
    // Ranked: the name counts for more than the path, and one word of several is enough.
    let found = client.answer("search_packages", json!({"query": "ui nonsense"}));
    assert_eq!(names(&found)[0], "ui");
    let found = client.answer("search_packages", json!({"query": "butt"}));
    assert_eq!(names(&found), ["ui"]);
}

#[test]
fn search_by_keyword_returns_at_most_20() {
    let packages: Vec<(String, String)> = (0..30)
        .map(|n| (format!("p{n}/composer.json"), format!(r#"{{"name": "acme/tool{n}"}}"#)))
        .collect();
    let packages: Vec<(&str, &str)> = packages.iter().map(|(a, b)| (&**a, &**b)).collect();
    let tree = Tree::new(&packages);
    tree.shire_build();
    let found = tree.shire().answer("search_packages", json!({"query": "acme"}));
    assert_eq!(found.as_array().unwrap().len(), 20);
}

#[test]
fn empty_query() {
    let tree = built();
    let mut client = tree.shire();
    for query in ["", "  \t\n"] {
        let text = client.text("search_packages", json!({"query": query}));
        assert_eq!(text, "Search query must not be empty");
    }
}

#[test]
fn special_characters_in_query() {
    let tree = built();
    let mut client = tree.shire();
    for query in [
        "\"",
        "web\"",
        "(",
        "ui AND",
        "NOT",
        "a*b",
        "name:web",
        "^web",
        "NEAR(",
        "{}",
        "-web",
        "'",
        "ui OR",
        "\0",
        "日本",
        "%",
        "col : x",
        "\\",
        "+",
        "packages/web",
    ] {
        let result = client.call("search_packages", json!({"query": query})).unwrap();
        assert_ne!(result["isError"], true, "{query:?}: {result}");
    }
    let found = client.answer("search_packages", json!({"query": "\"web\" AND (site"}));
    assert_eq!(names(&found)[0], "web");
}

// Requirement: get_package tool

#[test]
fn package_exists() {
    let tree = built();
    let package = tree.shire().answer("get_package", json!({"name": "web"}));
    assert_eq!(
        package,
        json!({"name": "web", "path": "packages/web", "kind": "npm", "version": "1.2.0",
               "description": "The customer site", "metadata": null})
    );
}

#[test]
fn package_exists_in_two_ecosystems() {
    let tree = built();
    let mut client = tree.shire();
    let both = client.answer("get_package", json!({"name": "core"}));
    let kinds: Vec<_> = both.as_array().unwrap().iter().map(|p| p["kind"].clone()).collect();
    assert_eq!(kinds, ["cargo", "npm"]);
    let one = client.answer("get_package", json!({"name": "core", "kind": "cargo"}));
    assert_eq!(one["path"], "tools/lint");
}

#[test]
fn package_not_found() {
    let tree = built();
    let mut client = tree.shire();
    let result = client.call("get_package", json!({"name": "nope"})).unwrap();
    assert_ne!(result["isError"], true);
    assert_eq!(result["content"][0]["text"], "Package 'nope' not found");
}

// Requirement: package_dependencies tool

fn dependency(dependency: &str, kind: &str, version: &str, internal: bool) -> Value {
    json!({"package": "web", "dependency": dependency, "dep_kind": kind, "version_req": version,
           "is_internal": internal})
}

#[test]
fn all_dependencies() {
    let tree = built();
    let found = tree.shire().answer("package_dependencies", json!({"name": "web"}));
    assert_eq!(
        found,
        json!([
            dependency("core", "runtime", "*", true),
            dependency("react", "runtime", "^18.0.0", false),
            dependency("ui", "runtime", "*", true),
            dependency("vitest", "dev", "^2", false),
        ])
    );
}

#[test]
fn internal_only() {
    let tree = built();
    let arguments = json!({"name": "web", "internal_only": true});
    let found = tree.shire().answer("package_dependencies", arguments);
    assert_eq!(
        found,
        json!([dependency("core", "runtime", "*", true), dependency("ui", "runtime", "*", true)])
    );
}

// Requirement: package_dependents tool

#[test]
fn find_dependents() {
    let tree = built();
    let mut client = tree.shire();
    let dependents = |found: &Value| -> Vec<String> {
        let found = found.as_array().unwrap().iter();
        found.map(|row| row["package"].as_str().unwrap().to_string()).collect()
    };
    let found = client.answer("package_dependents", json!({"name": "core"}));
    assert_eq!(dependents(&found), ["ui", "web"]);
    let found = client.answer("package_dependents", json!({"name": "react"}));
    assert_eq!(dependents(&found), ["ui", "web"]);
    let found = client.answer("package_dependents", json!({"name": "web"}));
    assert_eq!(found, json!([]));
}

// Requirement: dependency_graph tool

#[test]
fn graph_query() {
    let tree = built();
    let mut client = tree.shire();
    let arguments = json!({"name": "web", "depth": 1, "internal_only": true});
    let edge = |from: &str, to: &str| json!({"from": from, "to": to, "dep_kind": "runtime"});
    assert_eq!(
        client.answer("dependency_graph", arguments),
        json!([edge("web", "core"), edge("web", "ui")])
    );
    // A depth beyond 20 is clamped, not refused.
    let arguments = json!({"name": "web", "depth": 1000, "internal_only": true});
    assert_eq!(
        client.answer("dependency_graph", arguments),
        json!([edge("web", "core"), edge("web", "ui"), edge("ui", "core")])
    );
}

#[test]
fn graph_query_stops_at_depth_20() {
    let files: Vec<(String, String)> = (0..30)
        .map(|n| {
            let next = format!(r#""acme/p{}": "*""#, n + 1);
            let json = format!(r#"{{"name": "acme/p{n}", "require": {{{next}}}}}"#);
            (format!("p{n}/composer.json"), json)
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    let tree = Tree::new(&files);
    tree.shire_build();
    let arguments = json!({"name": "acme/p0", "depth": 25, "internal_only": true});
    let edges = tree.shire().answer("dependency_graph", arguments);
    assert_eq!(edges.as_array().unwrap().len(), 20);
}

// Requirement: list_packages tool

#[test]
fn unfiltered() {
    let tree = built();
    let found = tree.shire().answer("list_packages", json!({}));
    assert_eq!(names(&found), ["core", "core", "shop", "ui", "web"]);
}

#[test]
fn filtered_by_kind() {
    let tree = built();
    let found = tree.shire().answer("list_packages", json!({"kind": "npm"}));
    assert_eq!(names(&found), ["core", "shop", "ui", "web"]);
}

// Requirement: index_status tool

#[test]
fn status_query() {
    let tree = built();
    let mut client = tree.shire();
    let status = client.answer("index_status", json!({}));
    assert_eq!(status["package_count"], "5");
    assert!(status["indexed_at"].as_str().unwrap().ends_with('Z'));
    assert_eq!(status["git_commit"], Value::Null);
    assert_eq!(status["changed_manifests"], 0);
    // Honest about what happened since.
    tree.write("packages/core/package.json", r#"{"name": "core", "version": "9.9.9"}"#);
    let status = client.answer("index_status", json!({}));
    assert_eq!(status["changed_manifests"], 1);
}

// Errors of the family, from the table in the contracts' README.

#[test]
fn bad_arguments_are_invalid_params() {
    let tree = built();
    let mut client = tree.shire();
    for (tool, arguments) in [
        ("search_packages", json!({})),
        ("get_package", json!({"name": 3})),
        ("dependency_graph", json!({"name": "web", "depth": "deep"})),
        ("dependency_graph", json!({"name": "web", "depth": -1})),
        ("package_dependencies", json!({"name": "web", "internal_only": "yes"})),
    ] {
        let error = client.call(tool, arguments.clone()).unwrap_err();
        assert_eq!(error["code"], -32602, "{tool} {arguments}: {error}");
    }
}

#[test]
fn no_index_is_a_result_with_the_remedy() {
    let tree = Tree::monorepo();
    let command = tree.command(crate::support::KEN, &["serve", "--toolsets", "packages"]);
    let mut client = crate::support::Client::connect(command);
    let result = client.call("list_packages", json!({})).unwrap();
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("ken index"), "{text}");
    assert!(result["structuredContent"]["error"]["message"].is_string());
    // The server sees an index that is built while it runs.
    tree.ken(&["index"]);
    assert_eq!(client.answer("list_packages", json!({})).as_array().unwrap().len(), 5);
}

#[test]
fn structured_content_carries_the_same_facts() {
    let tree = built();
    let mut client = tree.shire();
    let result = client.call("list_packages", json!({"kind": "cargo"})).unwrap();
    let text = result["content"][0]["text"].as_str().unwrap();
    let from_text: Value = serde_json::from_str(text).unwrap();
    assert_eq!(result["structuredContent"]["results"], from_text);
}
