//! The parts of a release agree: the crate, the registry's `server.json`, the bundle's
//! manifest and the workflows. The registry's and the bundle's files are generated;
//! `UPDATE_EXPECT=1 cargo test` renews them.

use std::path::Path;
use std::process::Command;

use expect_test::expect_file;
use serde_json::{Value, json};

const VERSION: &str = env!("CARGO_PKG_VERSION");
const DESCRIPTION: &str = env!("CARGO_PKG_DESCRIPTION");

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

/// One way to get the server. `runner` is the command that installs and starts a package.
fn registry_package(registry: &str, runner: Option<&str>) -> Value {
    json!({
        "registryType": registry,
        "identifier": env!("CARGO_PKG_NAME"),
        "version": VERSION,
        "runtimeHint": runner.unwrap_or("ken"),
        "transport": { "type": "stdio" },
        "packageArguments": [
            { "type": "positional", "value": "serve" },
            {
                "type": "named",
                "name": "--root",
                "description": "The repository to answer about; the working directory if left out",
                "format": "filepath",
                "isRequired": false,
            },
        ],
    })
}

/// For the MCP registry. Who owns the name is filled in when a release is made.
#[test]
fn the_entry_for_the_registry_is_fresh() {
    // Longer ones are refused.
    assert!(DESCRIPTION.chars().count() <= 100, "{DESCRIPTION}");
    let entry = json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": "io.github.OWNER/kenning",
        "title": "Kenning",
        "description": DESCRIPTION,
        "version": VERSION,
        "packages": [
            registry_package("npm", Some("npx")),
            registry_package("pypi", Some("uvx")),
            registry_package("cargo", None),
        ],
    });
    expect_file!["../../server.json"].assert_eq(&pretty(&entry));
}

/// Returns the first sentence of a summary.
fn first_sentence(summary: &str) -> &str {
    let end = summary.find(". ").map_or(summary.len(), |end| end + 1);
    &summary[..end]
}

#[test]
fn the_manifest_of_the_bundle_is_fresh() {
    let tools = kenning::ops::ALL.iter();
    let tools = tools.map(|op| json!({"name": op.name, "description": first_sentence(op.summary)}));
    let manifest = json!({
        "manifest_version": "0.3",
        "name": env!("CARGO_PKG_NAME"),
        "display_name": "Kenning",
        "version": VERSION,
        "description": DESCRIPTION,
        "author": { "name": "The Kenning maintainers" },
        "license": env!("CARGO_PKG_LICENSE"),
        "keywords": ["mcp", "code-search", "dependencies", "specs", "agents"],
        "server": {
            "type": "binary",
            "entry_point": "server/ken",
            "mcp_config": {
                "command": "${__dirname}/server/ken",
                "args": ["serve", "--root", "${user_config.repository}"],
                "env": {},
            },
        },
        "user_config": {
            "repository": {
                "type": "directory",
                "title": "Repository",
                "description": "The folder to answer about. Its index is kept in your data folder, never in it.",
                "required": true,
            },
        },
        "compatibility": { "platforms": ["darwin", "linux", "win32"] },
        "tools": tools.collect::<Vec<_>>(),
    });
    expect_file!["../../mcpb/manifest.json"].assert_eq(&pretty(&manifest));
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn the_crate_says_what_a_registry_asks_for() {
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let package = manifest["package"].as_table().unwrap();
    for key in
        ["description", "license", "readme", "keywords", "categories", "rust-version", "include"]
    {
        assert!(package.contains_key(key), "no {key}");
    }
    let keywords = package["keywords"].as_array().unwrap();
    let is_fit = |word: &toml::Value| word.as_str().is_some_and(|word| word.len() <= 20);
    assert!(keywords.len() <= 5 && keywords.iter().all(is_fit));
}

/// The files of a crate as `cargo package` would publish it.
fn packaged_files(package: &str) -> Vec<String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let listed = Command::new(cargo)
        .args(["package", "--list", "--allow-dirty", "--offline", "-p", package])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&listed.stderr);
    assert!(listed.status.success(), "{errors}");
    String::from_utf8(listed.stdout).unwrap().lines().map(str::to_string).collect()
}

/// The crate has all files that are compiled in, and none that only developers need.
#[test]
fn the_crate_has_what_it_needs_and_no_more() {
    let files = packaged_files("kenning");
    for needed in ["src/lib.rs", "README.md", "LICENSE", "Cargo.lock"] {
        assert!(files.iter().any(|file| file == needed), "{needed} is left out");
    }
    let model = "models/kenning-static.bin";
    assert!(
        packaged_files("kenning-embed").iter().any(|file| file == model),
        "{model} is left out"
    );
    for folder in ["bench/", "training/", "tests/", "docs/images/", ".ci/", ".github/"] {
        let found = files.iter().find(|file| file.starts_with(folder));
        assert_eq!(found, None);
    }
}

/// Parses a workflow. Each job names its runner, each step does something, and each action has a
/// version.
fn workflow(name: &str) -> (String, Value) {
    let text = read(&format!(".github/workflows/{name}"));
    let workflow: Value = serde_saphyr::from_str(&text).unwrap();
    for (job, declared) in workflow["jobs"].as_object().unwrap() {
        assert!(declared["runs-on"].is_string(), "{name}: {job}");
        for step in declared["steps"].as_array().unwrap() {
            let action = step["uses"].as_str();
            let has_version = action.is_none_or(|action| action.contains("@v"));
            assert!(has_version && (action.is_some() || step["run"].is_string()), "{name}: {step}");
        }
    }
    (text, workflow)
}

/// The workflow parses, builds for every system that the README names, and calls what there is.
#[test]
fn the_release_workflow_is_whole() {
    let (text, workflow) = workflow("release.yml");
    let targets = workflow["jobs"]["build"]["strategy"]["matrix"]["include"].as_array();
    let targets = targets.unwrap().iter().map(|one| one["target"].as_str().unwrap());
    let targets: Vec<&str> = targets.collect();
    assert_eq!(
        targets,
        [
            "x86_64-unknown-linux-gnu",
            "aarch64-unknown-linux-gnu",
            "x86_64-unknown-linux-musl",
            "x86_64-apple-darwin",
            "aarch64-apple-darwin",
            "x86_64-pc-windows-msvc",
        ]
    );
    assert!(text.contains("python3 .ci/pack"));
    let pack = read(".ci/pack");
    assert!(pack.contains("mcpb/manifest.json"));
    for target in targets {
        assert!(pack.contains(&format!("\"{target}\": (")), "{target} has no package");
    }
}

/// The packages of npm and PyPI have the version of the crate, and PyPI finds its name in the
/// README.
#[test]
fn the_packages_agree_with_the_crate() {
    let package: Value = serde_json::from_str(&read("npm/package.json")).unwrap();
    assert_eq!(package["version"], VERSION);
    let project: toml::Table = read("pyproject.toml").parse().unwrap();
    assert_eq!(project["project"]["name"].as_str(), Some(env!("CARGO_PKG_NAME")));
    assert_eq!(package["mcpName"], "io.github.OWNER/kenning");
    assert!(read("README.md").contains("mcp-name: io.github.OWNER/kenning"));
}

/// Pull requests run the script that contributors run.
#[test]
fn the_ci_workflow_runs_the_ci_script() {
    let (_, workflow) = workflow("ci.yml");
    let triggers = workflow["on"].as_object().unwrap();
    assert!(triggers.contains_key("pull_request"), "{triggers:?}");
    assert_eq!(triggers["push"]["branches"], json!(["main"]));
    let steps = workflow["jobs"]["run"]["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["run"] == ".ci/run"), "{steps:?}");
}

/// The exit code of `.ci/run --yardsticks` where no yardstick is installed, and its output.
#[cfg(unix)]
fn look_for_yardsticks(ci: &str) -> (Option<i32>, String) {
    let programs = tempfile::tempdir().unwrap();
    let dirname = crate::oracle::find_program("dirname", "yardsticks").unwrap();
    std::os::unix::fs::symlink(dirname, programs.path().join("dirname")).unwrap();
    let output = Command::new("/bin/bash")
        .args([".ci/run", "--yardsticks"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", programs.path())
        .env("CI", ci)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

#[cfg(unix)]
#[test]
fn a_missing_yardstick_is_listed_and_fails_in_ci() {
    let (code, local) = look_for_yardsticks("");
    assert_eq!(code, Some(0), "{local}");
    let (code, in_ci) = look_for_yardsticks("true");
    assert_eq!(code, Some(1), "{in_ci}");
    for text in [&local, &in_ci] {
        for yardstick in ["Maven", "ripgrep", "Chromium", "Node"] {
            assert!(text.contains(&format!("\n  {yardstick} is not installed: ")), "{text}");
        }
    }
    assert!(local.contains("\nleft out:\n"), "{local}");
}
