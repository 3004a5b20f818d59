//! The house rules that a machine can hold: who may use whom, who may print, how long is too long.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kenning_lang::languages::{LANGS, Language};

/// Layer → the layers that it may use. `ARCHITECTURE.md` draws the same table.
const MAY_USE: &[(&str, &[&str])] = &[
    ("config", &[]),
    ("indexing", &[]),
    ("search", &[]),
    ("graph", &[]),
    ("engine", &["config", "indexing", "search", "graph"]),
    ("ops", &["engine", "indexing", "search", "graph"]),
    ("front", &["ops", "engine", "config"]),
];

/// The most lines of a file, without its tests.
const MAX_LINES: usize = 500;
const MAX_FUNCTION_LINES: usize = 60;

struct Source {
    path: String,
    /// Without the tests at its end.
    code: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = sources_below(root, "src");
    sources.extend(sources_below(root, "crates"));
    assert!(sources.len() > 40, "the sources were not found");
    sources
}

fn sources_below(root: &Path, folder: &str) -> Vec<Source> {
    let mut open = vec![root.join(folder)];
    let mut sources = Vec::new();
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap().flatten() {
            let path: PathBuf = entry.path();
            if path.is_dir() {
                // Fixtures are samples of languages and not code of ours.
                if path.file_name().is_none_or(|name| name != "fixtures") {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
                let code = code.split("#[cfg(test)]\npub(crate) mod testing").next().unwrap();
                let path = path.strip_prefix(root).unwrap().to_str().unwrap();
                sources.push(Source {
                    path: path.replace('\\', "/"),
                    code: code.to_string(),
                    text: text.clone(),
                });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

fn is_test_only(source: &Source) -> bool {
    let names = ["/tests.rs", "/testing.rs", "/fuzz.rs", "/corpus.rs"];
    source.path.contains("/tests/") || names.iter().any(|name| source.path.ends_with(name))
}

/// The layers that a file mentions, as `crate::layer`.
fn used_layers(code: &str) -> Vec<&str> {
    let mentions = code.split("crate::").skip(1);
    let names = mentions.map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    });
    names.collect()
}

#[test]
fn layers_use_only_what_lies_below() {
    let allowed: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    for source in sources().into_iter().filter(|source| source.path.starts_with("src/")) {
        let mut segments = source.path.split('/').skip(1);
        let layer = segments.next().unwrap();
        let Some(may_use) = allowed.get(layer) else {
            assert!(matches!(layer, "lib.rs" | "bin"), "{}: in no layer", source.path);
            continue;
        };
        assert!(!source.text.contains("crate::{"), "{}: one `use` a layer", source.path);
        // `src/layer/file.rs` is two modules deep: more steps up than one lead out of the layer.
        let depth = source.path.trim_end_matches("/mod.rs").split('/').count() - 1;
        let chain = "super::".repeat(depth);
        assert!(!source.code.contains(&chain), "{}: {chain} leaves the layer", source.path);
        for used in used_layers(&source.text) {
            let is_layer = allowed.contains_key(used);
            assert!(
                !is_layer || used == layer || may_use.contains(&used),
                "{}: `{layer}` may not use `{used}`",
                source.path
            );
        }
    }
}

/// Looks at `tests/` too: a test that spins takes the processor from what it waits for.
#[test]
fn waiting_is_no_spinning() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["src", "crates", "tests"] {
        for source in sources_below(root, folder) {
            // The file measures time, and waits for nothing.
            let is_clock = source.path.ends_with("packages/src/manifests/fuzz.rs");
            let spins = ["yield_now(", "spin_loop("].iter().any(|name| {
                let mut lines = source.text.lines();
                lines.any(|line| line.contains(name) && !line.contains('"'))
            });
            if spins && !is_clock {
                found.push(source.path);
            }
        }
    }
    assert_eq!(found, [""; 0], "wait with `poll` of tests/it/poll.rs, or with a channel");
}

fn only(what: &str, is_allowed: impl Fn(&str) -> bool, patterns: &[&str]) {
    for source in sources().iter().filter(|source| !is_test_only(source)) {
        for pattern in patterns {
            assert!(
                is_allowed(&source.path) || !source.code.contains(pattern),
                "{}: {pattern} ({what})",
                source.path
            );
        }
    }
}

#[test]
fn only_the_command_line_prints() {
    let printing = ["println!", "eprintln!", "print!(", "dbg!"];
    only(
        "only front/cli/printing.rs prints",
        |path| path == "src/front/cli/printing.rs" || path.starts_with("src/bin"),
        &printing,
    );
    // The bar and the completion scripts hold no text of a repository; `tracing` escapes the log.
    let own_text = ["completions_and_man.rs", "log.rs", "printing.rs", "progress.rs"];
    only(
        "what is printed passes through front/cli/printing.rs",
        |path| {
            !path.starts_with("src/front/cli") || own_text.iter().any(|name| path.ends_with(name))
        },
        &["stdout().lock", "stderr().lock", "(std::io::stderr()", "stdout().write"],
    );
}

/// A width in a format string panics beyond 65,535. A text of a repository may be longer.
#[test]
fn widths_are_no_arguments_of_format_strings() {
    for source in sources().iter().filter(|source| !is_test_only(source)) {
        let lines = source.code.lines();
        let found = lines.filter(|line| line.contains('{')).find(|line| line.contains("$}"));
        assert_eq!(found, None, "{}: pad with `pad_to` of front/cli/table.rs", source.path);
    }
}

#[test]
fn only_config_reads_the_environment() {
    let is_allowed = |path: &str| path.starts_with("src/config") || path.starts_with("src/bin");
    only("only config reads it", is_allowed, &["env::var", "env::current_dir", "env::args"]);
}

#[test]
fn only_source_and_store_touch_the_disk() {
    let is_allowed = |path: &str| {
        let layers = [
            "crates/source",
            "crates/store",
            "crates/packages/src/database",
            "crates/knowledge/src/spec_index_file.rs",
            "src/config",
            "src/front/cli",
        ];
        let is_weights = path == "crates/embed/src/bert/model_files.rs";
        is_weights || layers.iter().any(|layer| path.starts_with(layer))
    };
    only("only source and store touch it", is_allowed, &["fs::", "File::open", "File::create"]);
}

#[test]
fn only_embed_and_backends_open_sockets() {
    // The HTTP door listens; it connects to nobody.
    let is_allowed = |path: &str| {
        let layers = ["crates/embed", "crates/store/src/backends", "src/front/http"];
        layers.iter().any(|layer| path.starts_with(layer))
    };
    only(
        "only embed and store/backends open one, and the HTTP door listens",
        is_allowed,
        &["TcpStream", "TcpListener", "ureq"],
    );
}

/// A repository must not decide what runs, so whoever starts a program takes care of it: git in one
/// file, the commands of MCP clients in one, the user's pager, and `shire` and `spox`, which start
/// `ken`.
#[test]
fn few_files_start_programs() {
    let allowed = [
        "crates/source/src/git_command.rs",
        "src/front/cli/background_update.rs",
        "src/front/cli/client_command.rs",
        "src/front/cli/pager.rs",
        "src/bin/exec_shim/mod.rs",
    ];
    let starts = |line: &str| {
        let is_import = line.contains("process::{") || line.contains("process::*");
        let names = ["process::Command", "CommandExt", "posix_spawn", "libc::", "rustix::process"];
        is_import && (line.contains("Command") || line.contains('*'))
            || names.iter().any(|name| line.contains(name))
            // The module under another name.
            || line.contains("use std::process;")
            || line.contains("std::process as")
            || line.contains("std::{") && line.contains("process")
    };
    let mut found: Vec<String> = Vec::new();
    for source in sources().into_iter().filter(|source| !is_test_only(source)) {
        if source.code.lines().any(starts) {
            found.push(source.path);
        }
    }
    found.retain(|path| !allowed.contains(&path.as_str()));
    assert_eq!(found, [""; 0], "start a program");
}

#[test]
fn only_front_is_async() {
    // The driver of PostgreSQL has a runtime of its own, and wants a stream for it.
    let is_stream = |path: &str| path == "crates/store/src/backends/postgres/tls.rs";
    let is_allowed = |path: &str| path.starts_with("src/front") || is_stream(path);
    only(
        "only front is async",
        is_allowed,
        &["async fn", "tokio", ".await;", ".await?", ".await.", ".await)", ".await,"],
    );
}

#[test]
fn exactly_one_file_knows_the_mcp_library() {
    let is_allowed = |path: &str| path == "src/front/mcp/server.rs";
    only("one file knows it", is_allowed, &["rmcp::", "use rmcp"]);
}

#[test]
fn wire_types_live_in_ops() {
    for source in sources() {
        let is_model = source.path.starts_with("crates/model/");
        assert!(!is_model || !source.code.contains("Serialize"), "{}", source.path);
    }
}

/// Formats, and a letter: their names are words of everyday and seldom a test on a language.
const FORMATS: &[&str] = &["c", "css", "html", "json", "markdown", "sql", "toml", "yaml"];

/// Files and folders that may name a language outside of its folder, each with the reason. An entry
/// that no longer needs to be here fails the test.
const NAMING_LANGUAGES: &[(&str, &str)] = &[
    ("crates/embed/src/bert/mod.rs", "an alias of a provider is called like a language"),
    (
        "crates/lang/src/languages/java/resolution_rules.rs",
        "source roots are called like languages",
    ),
    (
        "crates/lang/src/languages/javascript/resolution_rules.rs",
        "imports name files of the family",
    ),
    ("crates/lang/src/languages/typescript/mod.rs", "a program that runs it is called `tsx`"),
    ("src/front/cli/hook.rs", "a tool of agents is called like a shell"),
    ("crates/packages/src/manifests/", "ecosystems are called like their languages"),
];

/// The literals that stand for a language: its name and its extensions.
fn literals_of(language: &Language) -> impl Iterator<Item = String> {
    let extensions = language.extensions.iter().map(|extension| format!("\".{extension}\""));
    extensions.chain([format!("\"{}\"", language.name)])
}

/// The first literal in a source that stands for a language other than that of its folder.
fn language_literal(source: &Source) -> Option<String> {
    let folder = source.path.strip_prefix("crates/lang/src/languages/");
    let folder = folder.and_then(|rest| rest.split('/').next());
    let own = LANGS.iter().filter(|language| Some(language.name) == folder);
    let own: BTreeSet<String> = own.flat_map(|language| literals_of(language)).collect();
    let lines = source.code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let lines: Vec<&str> = lines.collect();
    let languages = LANGS.iter().filter(|language| !FORMATS.contains(&language.name));
    let mut literals = languages.flat_map(|language| literals_of(language));
    literals.find(|one| !own.contains(one) && lines.iter().any(|line| line.contains(one)))
}

#[test]
fn languages_are_named_in_their_folders_only() {
    let mut needed = BTreeSet::new();
    for source in sources().iter().filter(|source| !is_test_only(source)) {
        let Some(literal) = language_literal(source) else {
            continue;
        };
        let mut entries = NAMING_LANGUAGES.iter();
        let entry = entries.find(|(path, _)| source.path.starts_with(path));
        assert!(
            entry.is_some(),
            "{}: {literal} belongs in the folder of its language: add a hook to `Language`",
            source.path
        );
        needed.extend(entry.map(|(path, _)| *path));
    }
    let mut entries = NAMING_LANGUAGES.iter().map(|(path, _)| path);
    assert_eq!(entries.find(|path| !needed.contains(*path)), None, "remove it from the list");
}

#[test]
fn every_file_says_what_it_is() {
    for source in sources() {
        assert!(source.text.starts_with("//! "), "{}: no `//!` header", source.path);
    }
}

#[test]
fn files_and_functions_are_short() {
    for source in sources().iter().filter(|source| !is_test_only(source)) {
        let lines = source.code.lines().count();
        assert!(lines <= MAX_LINES, "{}: {lines} lines before its tests", source.path);
        let mut function: Option<(usize, usize, &str)> = None;
        for (number, line) in source.code.lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let begins = ["fn ", "pub fn ", "async fn ", "const fn "];
            let is_head = begins.iter().any(|begin| line.trim_start().starts_with(begin))
                || line.trim_start().starts_with("pub") && line.contains(" fn ");
            if is_head && function.is_none() && !line.trim_end().ends_with(';') {
                function = Some((number, indent, line));
            } else if let Some((_, depth, _)) = function
                && indent == depth
                && line.trim_start().starts_with(')')
                && line.trim_end().ends_with(';')
            {
                // A method that a trait only declares, over several lines.
                function = None;
            } else if let Some((start, depth, head)) = function
                && indent == depth
                && line.trim_start().starts_with('}')
            {
                let length = number - start + 1;
                assert!(length <= MAX_FUNCTION_LINES, "{}: {length} lines: {head}", source.path);
                function = None;
            }
        }
    }
}

/// The map of `ARCHITECTURE.md` has a heading for each crate and each directory of the program, and
/// none for others.
#[test]
fn the_map_matches_the_directories() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    for parent in ["src", "crates"] {
        let link = format!("[`{parent}/");
        let mut headings: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("### "))
            .flat_map(|line| line.split(&link).skip(1))
            .filter_map(|rest| rest.split("/`]").next())
            .collect();
        headings.sort_unstable();
        let mut directories: Vec<String> = std::fs::read_dir(root.join(parent))
            .unwrap()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        directories.sort();
        assert_eq!(headings, directories);
    }
}
