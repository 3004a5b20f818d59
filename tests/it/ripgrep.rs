//! Full text against ripgrep, on a real tree: this repository's own source. Whatever `rg` finds in
//! the files that are indexed is found, and nothing else. What is looked for is partly chosen for being
//! awkward, and partly drawn from the source itself; `bench/text/run.py` does the latter on large trees.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use kenning::config::{Config, ProcessEnv};
use kenning::engine::{Engine, Filter, IndexRequest, Target, TestVisibility, TextMode, TextQuery};
use kenning_model::Silent;

use crate::oracle::find_program;

/// Where a match begins: path and line.
type Places = BTreeSet<(String, u32)>;

const LITERALS: &[&str] = &[
    "fn ",
    "pub fn open",
    "Snapshot",
    "napsho",
    "=> {",
    "::<",
    "});",
    "#[test]",
    "größe",
    "日本",
    "r\"^",
    "\\n",
    "e.g",
    "TODO",
    "unwrap()",
    "\"name\": \"",
    "KEN_HOME",
    "0x6B65_6E63",
    "  ",
    "\t",
    "no such text, it is to be hoped",
];

const EXPRESSIONS: &[&str] = &[
    r"fn \w+_tests?\b",
    r"^use (std|crate)::",
    r"(?i)SNAPSHOT",
    r"(?i)task|k[a-z]+n",
    r"impl<.*> \w+ for",
    r"\bself\s*\.\s*run\b",
    r"[^\x00-\x7f]+",
    r"^\s*$",
    r"unwrap_or(_else|_default)?\(",
    r"a{3,}|z{3,}",
    r".{140,}",
    r"\}\)$",
];

/// Searches these files with ripgrep.
fn by_ripgrep(root: &Path, files: &[String], flags: &[&str], pattern: &str) -> Places {
    let output = Command::new("rg")
        .args(["--no-config", "--no-heading", "--with-filename", "--line-number"])
        .args(["--color=never", "--text", "--null"])
        .args(flags)
        .args(["-e", pattern, "--"])
        .args(files)
        .current_dir(root)
        .output()
        .unwrap();
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)), "rg {pattern:?}: {code:?}");
    let mut places = Places::new();
    for line in output.stdout.split(|byte| *byte == b'\n') {
        let Some(end) = line.iter().position(|byte| *byte == 0) else {
            continue;
        };
        let path = String::from_utf8(line[..end].to_vec()).unwrap();
        let rest = &line[end + 1..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(&rest[..digits]).unwrap();
        places.insert((path, number.parse().unwrap()));
    }
    places
}

fn by_us(engine: &Engine, mode: TextMode, text: &str) -> Places {
    let index = engine.code(None).unwrap();
    let query = TextQuery { text, mode, filter: Filter::default(), tests: None, limit: usize::MAX };
    let found = engine.search_text(&index, &query).unwrap();
    let places = found.into_iter().flat_map(|found| {
        let path = found.assembled.hit.chunk.path.to_string();
        found.lines.into_iter().map(move |line| (path.clone(), line))
    });
    places.collect()
}

fn indexed(root: PathBuf, home: &Path) -> Engine {
    let flags = [("home".to_string(), home.display().to_string())];
    let config = Config::load(&root, &flags, &ProcessEnv::default()).unwrap();
    let engine = Engine::new(config, Target::Root(root.clone()));
    let request = IndexRequest { tests: TestVisibility::Shown, ..IndexRequest::update(&root) };
    engine.index(&request, &Silent).unwrap();
    engine
}

#[test]
fn text_is_found_where_ripgrep_finds_it() {
    if find_program("rg", "full text").is_none() {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let root = root.canonicalize().unwrap();
    let home = tempfile::tempdir().unwrap();
    let engine = indexed(root.clone(), home.path());
    let files = engine.code(None).unwrap().files().unwrap();
    assert!(files.len() > 200);
    let mut some = 0;
    let (literals, expressions) = drawn(&root, &files);
    assert!(literals.len() > 20 && expressions.len() > 15);
    for literal in LITERALS.iter().copied().chain(literals.iter().map(|text| &**text)) {
        let expected = by_ripgrep(&root, &files, &["--fixed-strings"], literal);
        some += usize::from(!expected.is_empty());
        let found = by_us(&engine, TextMode::Exact, literal);
        assert!(found == expected, "{literal:?}: {}", difference(&found, &expected));
    }
    let expressions = expressions.iter().map(|text| &**text);
    for expression in EXPRESSIONS.iter().copied().chain(expressions) {
        let expected = by_ripgrep(&root, &files, &[], expression);
        some += usize::from(!expected.is_empty());
        let found = by_us(&engine, TextMode::Expression, expression);
        assert!(found == expected, "{expression:?}: {}", difference(&found, &expected));
    }
    assert!(some > 24, "most of what is looked for should be there");
}

/// Texts that are there, cut out of lines anywhere, and expressions around names.
fn drawn(root: &Path, files: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut literals, mut expressions) = (Vec::new(), Vec::new());
    for (number, file) in files.iter().enumerate().step_by(files.len() / 30) {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| line.trim().len() > 8).collect();
        let Some(line) = lines.get(number * 31 % lines.len().max(1)) else {
            continue;
        };
        let letters: Vec<char> = line.chars().collect();
        let start = number * 7 % (letters.len() - 4);
        let end = (start + 3 + number % 20).min(letters.len());
        literals.push(letters[start..end].iter().collect());
        let is_part = |letter: char| !letter.is_alphanumeric() && letter != '_';
        let mut names = line.split(is_part).filter(|name| name.len() > 3);
        if let (Some(first), Some(second)) = (names.next(), names.next()) {
            let half: String = first.chars().take(first.chars().count() / 2).collect();
            expressions.push(match number % 6 {
                0 => format!(r"{half}\w+"),
                1 => format!(r"\b{second}\b"),
                2 => format!("(?i){first}"),
                3 => format!("{first}|{second}"),
                4 => format!("{first}.*{second}"),
                _ => format!(r"^\s*{first}\W"),
            });
        }
    }
    literals.retain(|text: &String| !text.trim().is_empty());
    (literals, expressions)
}

fn difference(found: &Places, expected: &Places) -> String {
    let only_us: Vec<_> = found.difference(expected).take(5).collect();
    let only_ripgrep: Vec<_> = expected.difference(found).take(5).collect();
    format!("only here: {only_us:?}; only ripgrep: {only_ripgrep:?}")
}
