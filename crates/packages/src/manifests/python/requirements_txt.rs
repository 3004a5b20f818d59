//! Parses `requirements*.txt` as pip does. Files that `-r` and `-c` name are not followed: those
//! called `requirements*.txt` are read by themselves.

use super::PythonDeclaration;
use super::requirement::PythonRequirement;
use crate::manifests::ParsedManifest;
use crate::manifests::line_errors::LineErrors;
use kenning_model::RepoPath;

/// Parses a file. If more lines are wrong than right, it is prose and has no facts.
pub fn parse(path: &RepoPath, text: &str) -> ParsedManifest<PythonDeclaration> {
    let mut requirements = Vec::new();
    let mut bad_lines = LineErrors::default();
    for (line, text) in logical_lines(text) {
        let Some(text) = requirement_text(&text) else {
            continue;
        };
        match PythonRequirement::parse_line(text) {
            Some(requirement) => requirements.push(requirement),
            None => bad_lines.add(line, "this is not a requirement".to_string()),
        }
    }
    // Requirements in the sense of project management are written to files of this name as well, in
    // prose.
    let is_prose = bad_lines.count() > requirements.len();
    let mut declaration = PythonDeclaration { is_package: true, ..PythonDeclaration::default() };
    if is_for_development(path.file_name()) {
        declaration.dev = requirements;
    } else {
        declaration.runtime = requirements;
    }
    ParsedManifest {
        facts: (!is_prose).then_some(declaration),
        problems: bad_lines.into_problem(path).into_iter().collect(),
    }
}

/// Joins lines that end with `\` and strips comments. Each has the number of its first line.
fn logical_lines(text: &str) -> Vec<(u32, String)> {
    let mut lines = Vec::new();
    let mut open: Option<(u32, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let (first, mut logical) = open.take().unwrap_or((index as u32 + 1, String::new()));
        let is_comment = line.trim_start().starts_with('#');
        // pip ignores a backslash at the end of a comment line.
        match line.strip_suffix('\\') {
            Some(start) if !is_comment => {
                logical.push_str(start);
                open = Some((first, logical));
            }
            _ => {
                logical.push_str(strip_comment(line));
                lines.push((first, logical));
            }
        }
    }
    lines.extend(open);
    lines
}

/// Strips a comment. A `#` begins one only at the start or after a blank, because URLs have it too.
fn strip_comment(line: &str) -> &str {
    let mut hashes = line.match_indices('#').map(|(at, _)| at);
    let comment = hashes.find(|&at| at == 0 || line[..at].ends_with(char::is_whitespace));
    &line[..comment.unwrap_or(line.len())]
}

/// The requirement of a line, without options such as `--hash`. `None` if the line has only
/// options.
fn requirement_text(line: &str) -> Option<&str> {
    let line = line.trim();
    let requirement = match line.strip_prefix('-') {
        Some(option) => ["-editable", "e"].iter().find_map(|name| {
            let value = option.strip_prefix(name)?.strip_prefix(['=', ' ', '\t'])?;
            Some(value.trim_start())
        })?,
        None => line,
    };
    // Options such as `--hash` follow a blank; a dash inside of a name does not.
    let options = requirement.find(" -").unwrap_or(requirement.len());
    Some(requirement[..options].trim_end()).filter(|text| !text.is_empty())
}

/// True for `requirements-dev.txt`, `requirements_test.txt`, `requirements.docs.txt` and the like.
/// pip has no such convention; these words are those in use.
fn is_for_development(file_name: &str) -> bool {
    const PURPOSES: [&str; 26] = [
        "bench",
        "benchmark",
        "benchmarks",
        "check",
        "checks",
        "ci",
        "debug",
        "dev",
        "develop",
        "development",
        "devel",
        "doc",
        "docs",
        "documentation",
        "format",
        "formatting",
        "lint",
        "linting",
        "local",
        "mypy",
        "style",
        "test",
        "testing",
        "tests",
        "types",
        "typing",
    ];
    let name = file_name.to_ascii_lowercase();
    let purpose = name.trim_start_matches("requirements").trim_end_matches(".txt");
    let mut words = purpose.split(|char: char| !char.is_ascii_alphanumeric());
    words.any(|word| PURPOSES.contains(&word))
}
