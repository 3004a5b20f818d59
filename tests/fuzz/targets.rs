//! The parsers and decoders that are tried. To add one: a function and a line in [`TARGETS`].

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use kenning::config::{Config, ProcessEnv};
use kenning::search::ParsedQuery;
use kenning_knowledge::docs;
use kenning_model::RepoPath;
use kenning_packages::manifests::{MANIFESTS, Repo};
use kenning_resolve::CompilerIndex;
use kenning_store::code::{Pattern, compile_globs, read_as_every_blob};

/// One parser, or several that read the same files.
pub struct Target {
    pub name: &'static str,
    /// Accepts the names of the files that are mutated.
    pub files: fn(&str) -> bool,
    /// Reads one input. It may not panic.
    pub run: fn(&str, &[u8]),
}

pub const TARGETS: &[Target] = &[
    Target { name: "manifests", files: is_manifest, run: read_manifest },
    Target { name: "code", files: is_code, run: read_code },
    Target { name: "specs", files: is_prose, run: read_spec },
    Target { name: "skills", files: is_prose, run: read_skill },
    Target { name: "plugins", files: |name| name.ends_with(".json"), run: read_plugins },
    Target { name: "queries", files: is_prose, run: read_query },
    Target { name: "patterns", files: is_code, run: read_pattern },
    Target { name: "globs", files: |name| name.ends_with("ignore"), run: read_globs },
    Target { name: "blobs", files: is_code, run: read_blobs },
    Target { name: "scip", files: |name| name.ends_with(".scip"), run: read_scip },
    Target { name: "config", files: |name| name.ends_with(".toml"), run: read_config },
];

fn is_manifest(name: &str) -> bool {
    let all = MANIFESTS.iter().flat_map(|manifest| manifest.files());
    all.into_iter().any(|glob| match glob.strip_prefix('*') {
        Some(end) => name.ends_with(end),
        None => name == *glob,
    })
}

fn is_prose(name: &str) -> bool {
    name.ends_with(".md")
}

/// Every text has chunks, so any file will do; the extension chooses the grammar.
fn is_code(name: &str) -> bool {
    !name.ends_with(".png") && !name.ends_with(".bin") && name.contains('.')
}

fn path_of(name: &str) -> RepoPath {
    RepoPath::new(name).unwrap_or_default()
}

/// Every ecosystem reads it, whatever its name: a file can have any content.
fn read_manifest(name: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let path = path_of(name);
    for manifest in MANIFESTS {
        let parsed = manifest.parse_erased(&path, &text);
        let facts = parsed.facts.into_iter().map(|facts| (path.clone(), facts));
        manifest.link_erased(&Repo { root_name: "root" }, &facts.collect::<Vec<_>>());
    }
}

fn read_code(name: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let facts = kenning_lang::code::read(&path_of(name), &text);
    for chunk in &facts.chunks {
        let range = chunk.span.start_byte as usize..chunk.span.end_byte as usize;
        assert!(text.get(range).is_some(), "a chunk ends within a character");
    }
}

fn read_spec(name: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    docs::parse_spec("fuzz", &path_of(name), &text);
    docs::parse_document(&path_of(name), &text);
    docs::parse_tasks(&text);
    docs::skips_specs(&text);
}

fn read_skill(_: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = docs::parse_skill(&text);
    docs::check_skill("fuzz", &text);
    docs::parse_frontmatter(&text);
}

fn read_plugins(_: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = docs::parse_installed_plugins(&text);
    let _ = docs::parse_enabled_plugins(&text);
    let _ = docs::parse_marketplace_locations(&text);
    let _ = docs::parse_catalog_skills(&text, "fuzz");
    let _ = docs::parse_manifest_skills(&text);
}

fn read_query(_: &str, bytes: &[u8]) {
    ParsedQuery::new(&String::from_utf8_lossy(bytes));
}

/// The first line is the pattern, and the rest is the text.
fn read_pattern(_: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let deadline = Some(Instant::now() + Duration::from_secs(5));
    let patterns =
        [Ok(Pattern::exact(first)), Pattern::ignoring_case(first), Pattern::expression(first)];
    for pattern in patterns.into_iter().flatten() {
        let _ = pattern.matching_lines(rest.as_bytes(), deadline);
    }
}

fn read_globs(_: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let globs: Vec<String> = text.lines().map(str::to_string).collect();
    if let Ok(Some(globs)) = compile_globs(&globs) {
        globs.is_match("src/lib.rs");
    }
}

fn read_blobs(_: &str, bytes: &[u8]) {
    read_as_every_blob(bytes);
}

thread_local! {
    /// A folder for targets that read from the disk.
    static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

/// Writes a file of the folder and returns its path.
fn write_file(name: &str, bytes: &[u8]) -> PathBuf {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| tempfile::tempdir().unwrap());
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    })
}

/// Without a real index, the input is one document that the bytes interrupt.
fn read_scip(_: &str, bytes: &[u8]) {
    let mut index = sample_scip();
    let at = bytes.first().map_or(0, |first| usize::from(*first) % (index.len() + 1));
    index.splice(at..at, bytes.iter().copied().take(40));
    for content in [bytes, &index] {
        let file = write_file("index.scip", content);
        let root = file.parent().unwrap().to_path_buf();
        CompilerIndex::read(&root, &[file], &|_| None, &mut Vec::new());
    }
}

/// An index with the root of a project and one document with one definition.
fn sample_scip() -> Vec<u8> {
    let field =
        |number: u8, content: &[u8]| [&[(number << 3) | 2, content.len() as u8], content].concat();
    let occurrence =
        [field(1, &[1, 2, 3]), field(2, b"rust cargo a 1 f()."), vec![3 << 3, 1]].concat();
    let document = [field(1, b"src/lib.rs"), field(2, &occurrence)].concat();
    [field(1, &field(3, b"file:///root")), field(2, &document)].concat()
}

fn read_config(_: &str, bytes: &[u8]) {
    let file = write_file("kenning.toml", bytes);
    let _ = Config::load(file.parent().unwrap(), &[], &ProcessEnv::default());
}
