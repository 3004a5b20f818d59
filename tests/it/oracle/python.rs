//! Python: single requirements, against the `packaging` library that comes with pip. Which packages
//! are of the repository has no such judge: pip asks an index for every name.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::random::Random;
use super::{Edge, Facts, assert_same, find_program, kenning, say_unchecked};
use crate::support::Tree;

const WHAT: &str = "python requirements against packaging";

/// Reads requirements, a JSON list; prints for each its name, what it asks for, or null.
const PROGRAM: &str = "
import json, sys
from pip._vendor.packaging.requirements import InvalidRequirement, Requirement
from pip._vendor.packaging.utils import canonicalize_name

def read(text):
    try:
        it = Requirement(text)
    except InvalidRequirement:
        return None
    return [canonicalize_name(it.name), it.url or ','.join(sorted(map(str, it.specifier)))]

json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)
";

fn find_python() -> Option<PathBuf> {
    let python = find_program("python3", WHAT)?;
    let mut command = Command::new(&python);
    let has_pip = command.args(["-I", "-c", "import pip._vendor.packaging.utils"]).output();
    if has_pip.unwrap().status.success() {
        return Some(python);
    }
    say_unchecked(WHAT, "this Python has no pip");
    None
}

fn theirs(python: &PathBuf, requirements: &[String]) -> Facts {
    let mut child = Command::new(python)
        .args(["-I", "-c", PROGRAM])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = json!(requirements).to_string();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let answers: Vec<Option<(String, String)>> = serde_json::from_slice(&output.stdout).unwrap();
    let edges = answers.into_iter().flatten();
    Facts { edges: edges.map(|(name, asked)| edge(name, asked)).collect(), ..Facts::default() }
}

fn edge(name: String, asked: String) -> Edge {
    Edge {
        from: String::new(),
        name,
        requirement: Some(asked).filter(|asked| !asked.is_empty()),
        kind: "runtime".to_string(),
        internal: None,
    }
}

/// Kenning's facts, with names and versions as `packaging` prints them.
fn ours(tree: &Tree) -> Facts {
    let mut facts = kenning(tree, "python");
    facts.packages.clear();
    for edge in &mut facts.edges {
        edge.name = edge.name.to_lowercase().replace(['_', '.'], "-");
        while edge.name.contains("--") {
            edge.name = edge.name.replace("--", "-");
        }
        let Some(written) = edge.requirement.take_if(|written| !written.contains("://")) else {
            continue;
        };
        let written = written.replace(char::is_whitespace, "");
        let mut parts: Vec<&str> = written.split(',').filter(|part| !part.is_empty()).collect();
        parts.sort_unstable();
        edge.requirement = Some(parts.join(","));
    }
    facts
}

const SPECIFIERS: &[&str] = &[
    "",
    ">=1.0",
    " >= 1.0 , < 2",
    "==1.*",
    "~=1.4.2",
    "!=1.5,>1",
    "===1.0.post1",
    "(>=2.8.1)",
    " (>=1,<2)",
    "<=2!1.0",
    ">1.0a1",
    "==1.0+local.1",
    " @ https://example.com/a-1.0.zip",
    "@ git+https://example.com/a.git@main#egg=a",
    "==v1.2",
    ">=1,<2,!=1.5.*",
];

const EXTRAS: &[&str] = &["", "", "[a]", "[a,b-c]", " [ a , b ] ", "[]"];

const MARKERS: &[&str] = &[
    "",
    "",
    " ; python_version < '3.9'",
    " ; os_name == 'nt' and (extra == \"x\" or sys_platform != 'win32')",
    " ; 'linux' in sys_platform",
];

const NAMES: &[&str] =
    &["plain", "Mixed.Case_Name", "a--b", "x", "with.dots", "d1g1t5", "Under__Score"];

/// Texts that are no requirements. Mistakes of which Kenning keeps a part are not among them.
const OTHERS: &[&str] = &[
    "-leading",
    "trailing-",
    "two words",
    ">=1",
    "",
    "name[unclosed",
    "name @",
    "näme",
    "name==1.0 extra",
    "name ~ 1",
    "a b>=1",
    "name=1.0",
];

#[test]
fn requirements() {
    let Some(python) = find_python() else { return };
    let mut random = Random::new(7);
    let generated = (0..400).map(|number| {
        let name = random.pick(NAMES);
        let (extras, specifier) = (random.pick(EXTRAS), random.pick(SPECIFIERS));
        format!("{name}{number}{extras}{specifier}{}", random.pick(MARKERS))
    });
    let others = OTHERS.iter().map(|text| text.to_string());
    let requirements: Vec<String> = generated.chain(others).collect();
    let list: Value = json!(requirements);
    let tree = Tree::new(&[(
        "pyproject.toml",
        &format!("[project]\nname = 'a'\nversion = '1'\ndependencies = {list}\n"),
    )]);
    assert_same("packaging", &theirs(&python, &requirements), &ours(&tree));
}
