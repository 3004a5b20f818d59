//! Go: `go.mod` and `go.work`, with replacements, tools and workspaces.
//!
//! `go.sum` and `vendor/modules.txt` are not read: they state what was fetched, not what is
//! declared. Versions are kept as written and never compared.

mod link;

use serde::{Deserialize, Serialize};

use super::line_errors::LineErrors;
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use kenning_model::{Problem, RepoPath};

/// The ecosystem of Go modules.
pub struct Go;

/// The facts of a `go.mod` or a `go.work`. The two share their syntax and half of their directives.
#[derive(Serialize, Deserialize, Default)]
pub struct GoFile {
    module: Option<String>,
    /// The language version of the `go` directive.
    go: Option<String>,
    require: Vec<Require>,
    replace: Vec<Replace>,
    /// Paths of the commands that the module uses while it is worked on: packages, not modules.
    tools: Vec<String>,
    /// The directories of a workspace's modules.
    uses: Vec<String>,
}

/// One `require` directive.
#[derive(Serialize, Deserialize)]
struct Require {
    path: String,
    version: String,
    /// True if it has the comment `// indirect`: no package of this module imports it.
    indirect: bool,
}

/// `replace path version => by by_version`; each version may be missing.
#[derive(Serialize, Deserialize)]
struct Replace {
    path: String,
    version: Option<String>,
    by: String,
    by_version: Option<String>,
}

impl Ecosystem for Go {
    type Facts = GoFile;
    const KIND: &'static str = "go";
    const FILES: &'static [&'static str] = &["go.mod", "go.work"];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<GoFile> {
        let mut facts = GoFile::default();
        let mut bad_lines = LineErrors::default();
        facts.read_lines(text, &mut bad_lines);
        let mut problems: Vec<Problem> = bad_lines.into_problem(path).into_iter().collect();
        // A file that gives nothing keeps its last good facts.
        let useful = match path.file_name() {
            "go.work" => problems.is_empty() || !facts.uses.is_empty(),
            // An empty `go.mod` is a known way to keep a directory out of the module around it.
            _ => facts.module.is_some() || is_blank(text),
        };
        if !useful && problems.is_empty() {
            problems.push(Problem::new(path, "there is no module directive"));
        }
        ParsedManifest { facts: useful.then_some(facts), problems }
    }

    fn link(&self, _repo: &Repo, files: &[(RepoPath, GoFile)]) -> LinkedEcosystem {
        link::link(files)
    }

    // Imports are quoted, and packages below a module extend its path.
    fn mentions(&self, name: &str) -> Option<Vec<String>> {
        Some(vec![format!("\"{name}\""), format!("\"{name}/")])
    }
}

impl GoFile {
    /// Reads the directives line by line. A block `verb ( … )` applies its verb to each line. A
    /// line that is not understood is recorded and skipped.
    fn read_lines(&mut self, text: &str, bad_lines: &mut LineErrors) {
        let mut block: Option<String> = None;
        for (index, line) in text.lines().enumerate() {
            let Some((words, comment)) = split_words(line) else {
                bad_lines.add(index as u32 + 1, "a string is not closed".to_string());
                continue;
            };
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let understood = match (block.as_deref(), words.as_slice()) {
                (_, []) => true,
                (None, [_, "(", ")"]) => true,
                (None, [verb, "("]) => {
                    block = Some(verb.to_string());
                    true
                }
                (None, [verb, arguments @ ..]) => self.apply_directive(verb, arguments, comment),
                (Some(_), [")"]) => {
                    block = None;
                    true
                }
                (Some(verb), arguments) => self.apply_directive(verb, arguments, comment),
            };
            if !understood {
                bad_lines.add(index as u32 + 1, "this line is not understood".to_string());
            }
        }
        if let Some(verb) = block {
            let line = text.lines().count() as u32;
            bad_lines.add(line, format!("the block `{verb} (` is not closed"));
        }
    }

    /// Applies one directive. Returns false if it is none that Go knows.
    fn apply_directive(&mut self, verb: &str, arguments: &[&str], comment: &str) -> bool {
        let is_bracket = |word: &&str| word.len() == 1 && word.contains(is_punctuation);
        if arguments.iter().any(is_bracket) {
            // Only `retract` takes version ranges, which have brackets.
            return verb == "retract";
        }
        match (verb, arguments) {
            ("module", [path]) => self.module = Some(path.to_string()),
            ("go", [version]) => self.go = Some(version.to_string()),
            ("require", [path, version]) => self.require.push(Require {
                path: path.to_string(),
                version: version.to_string(),
                indirect: is_indirect(comment),
            }),
            ("replace", arguments) => match Replace::new(arguments) {
                Some(replace) => self.replace.push(replace),
                None => return false,
            },
            ("tool", [path]) => self.tools.push(path.to_string()),
            ("use", [directory]) => self.uses.push(directory.to_string()),
            ("exclude" | "retract" | "toolchain" | "godebug" | "ignore", [_, ..]) => {}
            _ => return false,
        }
        true
    }
}

impl Replace {
    /// Parses the arguments of `replace`; `None` without an arrow.
    fn new(words: &[&str]) -> Option<Replace> {
        let arrow = words.iter().position(|word| *word == "=>")?;
        let (path, version) = parse_path_and_version(&words[..arrow])?;
        let (by, by_version) = parse_path_and_version(&words[arrow + 1..])?;
        Some(Replace { path, version, by, by_version })
    }
}

/// Parses `path` or `path version`.
fn parse_path_and_version(words: &[&str]) -> Option<(String, Option<String>)> {
    match words {
        [path] => Some((path.to_string(), None)),
        [path, version] => Some((path.to_string(), Some(version.to_string()))),
        _ => None,
    }
}

/// True if a file has only comments and blank lines.
fn is_blank(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    lines.all(|line| line.is_empty() || line.starts_with("//"))
}

/// True for the comment `// indirect`, or `// indirect; and more`. Go marks requirements that only
/// other modules import.
fn is_indirect(comment: &str) -> bool {
    let mut words = comment.split_whitespace();
    match (words.next(), words.next()) {
        (Some("indirect"), None) => true,
        (first, _) => first == Some("indirect;"),
    }
}

/// More words than any directive has. The rest of such a line is dropped.
const MAX_WORDS: usize = 16;

/// Splits a line into words and the comment behind them. Brackets and commas are words of their
/// own, and quotes are stripped. `None` if a string is not closed.
fn split_words(line: &str) -> Option<(Vec<String>, &str)> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            return Some((words, comment));
        }
        let length = match first {
            '"' | '`' => quoted_length(rest, first)?,
            _ if is_punctuation(first) => first.len_utf8(),
            _ => plain_length(rest),
        };
        words.push(unquote(&rest[..length]));
        if words.len() == MAX_WORDS {
            break;
        }
        rest = rest[length..].trim_start();
    }
    Some((words, ""))
}

/// The length of an unquoted word.
fn plain_length(text: &str) -> usize {
    let end = text.char_indices().find(|&(at, char)| {
        char.is_whitespace() || is_punctuation(char) || text[at..].starts_with("//")
    });
    end.map_or(text.len(), |(at, _)| at)
}

/// The characters that Go's parser treats as tokens of their own.
fn is_punctuation(char: char) -> bool {
    matches!(char, '(' | ')' | '[' | ']' | '{' | '}' | ',')
}

/// The length of a string with its quotes; `None` if it is not closed. Backquoted strings have no
/// escapes.
fn quoted_length(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            _ if char == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Strips the quotes of a word. Module paths contain nothing that Go escapes but `\` and `"`.
fn unquote(word: &str) -> String {
    if let Some(raw) = word.strip_prefix('`') {
        raw.trim_end_matches('`').to_string()
    } else if word.starts_with('"') {
        let inner = &word[1..word.len() - 1];
        inner.replace("\\\"", "\"").replace("\\\\", "\\")
    } else {
        word.to_string()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::render;
    use super::*;

    fn check(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&render(&Go, files));
    }

    #[test]
    fn every_directive() {
        check(
            &[(
                "go.mod",
                r#"// Deprecated: use another.
module "example.com/me/mod/v2" // the name

go 1.22.3
toolchain go1.23.0
godebug default=go1.21

require example.com/one v1.0.0
require (
	"example.com/two" v2.3.4+incompatible
	example.com/three/v3 v3.0.0-20240101000000-abcdef012345 // indirect
	`example.com/four` v0.1.0//no space
	// example.com/commented v1.0.0
)
require ()

exclude example.com/two v2.0.0
exclude (
	example.com/two v2.0.1
)
retract [v1.0.0, v1.9.9] // a mistake
retract (
	v2.0.0
	[v2.1.0, v2.2.0]
)
ignore ./node_modules
"#,
            )],
            expect![[r#"
                example.com/me/mod/v2 () go="1.22.3"
                  -> example.com/one v1.0.0
                  -> example.com/two v2.3.4+incompatible
                  -> example.com/three/v3 v3.0.0-20240101000000-abcdef012345
                  -> example.com/four v0.1.0
            "#]],
        );
    }

    #[test]
    fn tools_are_for_development() {
        check(
            &[(
                "go.mod",
                "module example.com/a
tool example.com/tools/cmd/one
tool (
	example.com/both/cmd/two
	example.com/a/cmd/own
	example.com/unknown/cmd
)
require (
	example.com/tools v0.1.0 // indirect
	example.com/both v0.2.0
)",
            )],
            expect![[r#"
                example.com/a ()
                  -> example.com/both v0.2.0
                  -> example.com/both v0.2.0 (dev)
                  -> example.com/tools v0.1.0 (dev)
                  -> example.com/unknown/cmd (dev)
            "#]],
        );
    }

    #[test]
    fn replacements() {
        check(
            &[
                (
                    "app/go.mod",
                    "module example.com/app
require (
	example.com/lib v0.0.0
	example.com/other-name v1.0.0
	example.com/pinned v1.0.0
	example.com/free v1.0.0
	example.com/forked v1.0.0
	example.com/moved v1.0.0
	example.com/lost v1.0.0
	example.com/outside v1.0.0
)
replace example.com/lib => ../lib
replace example.com/other-name => ../lib/
replace (
	example.com/pinned => example.com/pinned v1.5.0
	example.com/pinned v1.0.0 => ../lib
	example.com/free v1.1.0 => ../lib
	example.com/forked => example.com/fork v1.2.0
	example.com/moved => example.com/lib v1.3.0
	example.com/lost => ./lost
	example.com/outside => ../../outside
	example.com/unused => ./unused
)",
                ),
                ("lib/go.mod", "module example.com/lib\ngo 1.21"),
            ],
            expect![[r#"
                example.com/app (app)
                  -> example.com/lib v0.0.0 [lib]
                  -> example.com/lib v1.0.0 [lib]
                  -> example.com/free v1.0.0
                  -> example.com/forked v1.2.0
                  -> example.com/lib v1.3.0 [lib]
                  -> example.com/lost v1.0.0
                  -> example.com/outside v1.0.0
                example.com/lib (lib) go="1.21"
                problem: app/go.mod: replace `example.com/lost`: there is no module in `./lost`
            "#]],
        );
    }

    #[test]
    fn workspaces() {
        check(
            &[
                (
                    "go.work",
                    "go 1.22
use (
	./a
	b
	./missing
	../outside
)
replace example.com/c => ./c
replace example.com/x => example.com/x v9.0.0",
                ),
                (
                    "a/go.mod",
                    "module example.com/a
require (
	example.com/b v1.0.0
	example.com/c v1.0.0
	example.com/d v1.0.0
	example.com/x v1.0.0
)
replace example.com/b => ../elsewhere
replace example.com/x => example.com/x v8.0.0",
                ),
                ("b/go.mod", "module example.com/b\nreplace example.com/d => ../c"),
                ("c/go.mod", "module example.com/c\nrequire example.com/x v1.0.0"),
            ],
            expect![[r#"
                example.com/a (a) go_workspace=true
                  -> example.com/b v1.0.0 [b]
                  -> example.com/c v1.0.0 [c]
                  -> example.com/x v9.0.0
                example.com/b (b) go_workspace=true
                example.com/c (c)
                  -> example.com/x v1.0.0
                problem: go.work: use: there is no module in `./missing`
            "#]],
        );
    }

    #[test]
    fn the_nearest_of_one_name_and_of_workspaces() {
        check(
            &[
                ("go.work", "use ./one/lib\nuse ./two/lib\nuse ./one/app\nuse ./two/app"),
                ("two/go.work", "use ./lib\nuse ./app"),
                ("one/app/go.mod", "module example.com/one\nrequire example.com/lib v1.0.0"),
                ("one/lib/go.mod", "module example.com/lib1"),
                ("three/app/go.mod", "module example.com/three\nrequire example.com/lib v1.0.0"),
                ("three/lib/go.mod", "module example.com/lib"),
                ("two/app/go.mod", "module example.com/two\nrequire example.com/lib v1.0.0"),
                ("two/lib/go.mod", "module example.com/lib"),
            ],
            expect![[r#"
                example.com/one (one/app) go_workspace=true
                  -> example.com/lib v1.0.0 [two/lib]
                example.com/lib1 (one/lib) go_workspace=true
                example.com/three (three/app)
                  -> example.com/lib v1.0.0 [three/lib]
                example.com/lib (three/lib)
                example.com/two (two/app) go_workspace=true
                  -> example.com/lib v1.0.0 [two/lib]
                example.com/lib (two/lib) go_workspace=true
            "#]],
        );
    }

    #[test]
    fn files_that_declare_nothing_are_no_problem() {
        for file in [("go.mod", ""), ("go.mod", "// only a fence\n"), ("go.work", "go 1.22")] {
            assert_eq!(render(&Go, &[file]).trim(), "");
        }
    }

    #[test]
    fn malformed_files() {
        for (text, expected) in [
            (
                "go 1.22\n",
                expect![[r#"
                problem: go.mod: there is no module directive
            "#]],
            ),
            (
                "module a\nrequire b\nrequire c v1\nfrobnicate d\n)\nreplace x y",
                expect![[r#"
                    a ()
                      -> c v1
                    problem: go.mod:2: this line is not understood (and 3 more)
                "#]],
            ),
            (
                "module a\nrequire (\n\tb v1.0.0\n\tc",
                expect![[r#"
                    a ()
                      -> b v1.0.0
                    problem: go.mod:4: this line is not understood (and 1 more)
                "#]],
            ),
            (
                "module \"a\\\"b\"\nrequire \"b v1\nrequire `c v1",
                expect![[r#"
                    a"b ()
                    problem: go.mod:2: a string is not closed (and 1 more)
                "#]],
            ),
            (
                "{\"name\": \"not go\"}",
                expect![[r#"
                problem: go.mod:1: this line is not understood
            "#]],
            ),
            (
                &"(".repeat(100_000),
                expect![[r#"
                problem: go.mod:1: this line is not understood
            "#]],
            ),
            (
                &"require (\n".repeat(100_000),
                expect![[r#"
                    problem: go.mod:2: this line is not understood (and 99999 more)
                "#]],
            ),
            (
                &"\"\\é".repeat(100_000),
                expect![[r#"
                problem: go.mod:1: this line is not understood
            "#]],
            ),
        ] {
            check(&[("go.mod", text)], expected);
        }
        check(
            &[("go.work", "use ./a ./b")],
            expect![[r#"
            problem: go.work:1: this line is not understood
        "#]],
        );
    }
}
