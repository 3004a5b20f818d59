//! Parses one requirement as PEP 508, pip, PDM and Hatch write it.
//!
//! Extras and environment markers are skipped: they state when a package is needed, not which.
//! (`pep508_rs` would overflow the stack on nested markers, and rewrites versions that are wanted
//! as written.)

use serde::{Deserialize, Serialize};

/// One requirement.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct PythonRequirement {
    /// `None` if only a directory is given. The package there then has the name.
    pub name: Option<String>,
    /// The version specifier or the URL, as written.
    pub version_req: Option<String>,
    pub source: RequirementSource,
}

/// The source of a required package.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub enum RequirementSource {
    /// No source is stated: a package of the repository, or an index.
    Unsaid,
    /// A member of the same uv workspace.
    Workspace,
    /// A directory, relative to that of the file.
    Directory(String),
    /// A URL, a version control system, an index, or an archive.
    Elsewhere,
}

impl RequirementSource {
    /// The source of a path: a directory, or an archive.
    pub fn from_path(path: &str) -> RequirementSource {
        if archive_stem(path).is_some() {
            RequirementSource::Elsewhere
        } else {
            RequirementSource::Directory(path.to_string())
        }
    }

    /// The more specific of two sources; one inside of the repository wins.
    pub fn prefer_local(self, other: RequirementSource) -> RequirementSource {
        match (&self, &other) {
            (RequirementSource::Workspace | RequirementSource::Directory(_), _)
            | (_, RequirementSource::Unsaid) => self,
            _ => other,
        }
    }
}

impl PythonRequirement {
    /// Parses `name[extras] >=1; marker` or `name @ url; marker`. `None` if the text is no
    /// requirement.
    pub fn parse_named(text: &str) -> Option<PythonRequirement> {
        let text = text.trim();
        let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '.');
        let (name, rest) = text.split_at(text.find(|char| !is_name(char)).unwrap_or(text.len()));
        // PEP 508 names begin and end with a letter or a digit.
        let edges = [name.chars().next()?, name.chars().next_back()?];
        if !edges.iter().all(char::is_ascii_alphanumeric) {
            return None;
        }
        let rest = skip_extras(rest.trim_start())?;
        let (version_req, source) = match rest.strip_prefix('@') {
            Some(url) => parse_url(first_word(url)?),
            None => (parse_specifier(rest)?, RequirementSource::Unsaid),
        };
        Some(PythonRequirement { name: Some(name.to_string()), version_req, source })
    }

    /// Parses a line of `requirements.txt`, which may also be `./directory[extras]`, an archive, or
    /// `git+https://host/name.git@ref#egg=name`.
    pub fn parse_line(text: &str) -> Option<PythonRequirement> {
        let text = text.trim();
        if is_url(text) {
            return first_word(text).map(PythonRequirement::from_url);
        }
        let named = if text.starts_with(['.', '/', '\\']) {
            None
        } else {
            PythonRequirement::parse_named(text)
        };
        named.or_else(|| PythonRequirement::from_path(text))
    }

    /// The requirement of a URL. Its name comes from `#egg=`, else from the file or the repository.
    fn from_url(url: &str) -> PythonRequirement {
        let (version_req, source) = parse_url(url);
        let name = match &source {
            RequirementSource::Directory(_) => parse_egg_name(url),
            _ => Some(parse_egg_name(url).unwrap_or_else(|| url_name(url))),
        };
        PythonRequirement { name, version_req, source }
    }

    /// Parses a path. `None` if the text can hardly be one.
    fn from_path(text: &str) -> Option<PythonRequirement> {
        let whole = text.split(';').next().unwrap_or_default().trim_end();
        let path = match whole.split_once('[') {
            Some((path, extras)) if extras.ends_with(']') => path,
            _ => whole,
        };
        // Without a separator it could only be a name, and it is not one; with a space, hardly
        // anything but prose.
        let is_path = path.starts_with('.') || path.contains(['/', '\\']);
        if !is_path || path.contains(char::is_whitespace) {
            return None;
        }
        let source = RequirementSource::from_path(path);
        let name = Some(archive_name(path)).filter(|_| source == RequirementSource::Elsewhere);
        Some(PythonRequirement { name, version_req: None, source })
    }
}

/// The URL before a marker.
fn first_word(text: &str) -> Option<&str> {
    let word = text.split_whitespace().next()?;
    Some(word.trim_end_matches(';'))
}

/// Returns the text behind the extras `[a, b]`, if there are any. `None` if their bracket is not
/// closed.
fn skip_extras(text: &str) -> Option<&str> {
    match text.strip_prefix('[') {
        Some(extras) => extras.split_once(']').map(|(_, rest)| rest.trim_start()),
        None => Some(text),
    }
}

/// Parses the version specifier before a marker. The outer `None` means that the text is none, the
/// inner one that it is empty.
fn parse_specifier(text: &str) -> Option<Option<String>> {
    let specifier = text.split(';').next().unwrap_or_default().trim();
    let inner = specifier.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let text = inner.unwrap_or(specifier).trim();
    if text.is_empty() {
        return Some(None);
    }
    let is_clause = |clause: &str| {
        let mut operators = OPERATORS.iter();
        let version = operators.find_map(|operator| clause.trim().strip_prefix(operator));
        version.is_some_and(|version| version.split_whitespace().count() == 1)
    };
    let mut clauses = text.trim_end_matches(',').split(',');
    clauses.all(is_clause).then(|| Some(text.to_string()))
}

/// The operators of PEP 440. Longer ones come first, because some begin like others.
const OPERATORS: [&str; 8] = ["===", "==", "~=", "!=", "<=", ">=", "<", ">"];

/// Returns the version and the source that a URL gives. The URL itself is the version, unless it
/// only names a directory.
fn parse_url(url: &str) -> (Option<String>, RequirementSource) {
    match classify_url(url) {
        RequirementSource::Directory(path) => (None, RequirementSource::Directory(path)),
        source => (Some(url.to_string()), source),
    }
}

/// Returns the source of the URL behind `name @`. PDM and Hatch have placeholders for the project's
/// own directory.
fn classify_url(url: &str) -> RequirementSource {
    const PROJECT: [&str; 4] =
        ["file:///${PROJECT_ROOT}", "file://${PROJECT_ROOT}", "{root:uri}", "{root}"];
    let path = url.split('#').next().unwrap_or_default();
    if let Some(rest) = PROJECT.iter().find_map(|start| path.strip_prefix(start)) {
        return RequirementSource::from_path(rest.trim_start_matches('/'));
    }
    match path.strip_prefix("file:") {
        Some(path) if !path.starts_with('/') => RequirementSource::from_path(path),
        None if path.starts_with("./") || path.starts_with("../") => {
            RequirementSource::from_path(path)
        }
        _ => RequirementSource::Elsewhere,
    }
}

/// True for `https:`, `git+ssh:`, `file:` and the like.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let is_scheme = |char: char| char.is_ascii_alphanumeric() || char == '+';
    // One letter would be a drive of Windows.
    scheme.len() > 1
        && scheme.chars().all(is_scheme)
        && (rest.starts_with("//") || scheme == "file")
}

/// The name in `#egg=name`.
fn parse_egg_name(url: &str) -> Option<String> {
    let fragment = url.split_once('#')?.1;
    let egg = fragment.split('&').find_map(|part| part.strip_prefix("egg="))?;
    let name = egg.split('[').next().unwrap_or_default();
    (!name.is_empty()).then(|| name.to_string())
}

/// The name of the archive or the repository that a URL leads to.
fn url_name(url: &str) -> String {
    let path = url.split(['#', '?']).next().unwrap_or_default();
    if archive_stem(path).is_some() {
        return archive_name(path);
    }
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().split('@').next();
    let trimmed = last.unwrap_or_default().trim_end_matches(".git");
    let name = if trimmed.is_empty() { url } else { trimmed };
    name.to_string()
}

/// The name in `name-1.0-py3-none-any.whl` or `name-1.0.tar.gz`.
fn archive_name(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = archive_stem(file).unwrap_or(file);
    let mut dashes = stem.match_indices('-').map(|(at, _)| at);
    let before_version =
        dashes.find(|at| stem[at + 1..].starts_with(|char: char| char.is_ascii_digit()));
    stem[..before_version.unwrap_or(stem.len())].to_string()
}

/// The path of an archive without its extension; `None` for any other path.
fn archive_stem(path: &str) -> Option<&str> {
    const ENDINGS: [&str; 6] = [".whl", ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"];
    ENDINGS.iter().find_map(|ending| path.strip_suffix(ending))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(lines: &[&str], expected: Expect) {
        let mut outcome = String::new();
        for line in lines {
            let read = match PythonRequirement::parse_line(line) {
                Some(read) => format!("{:?} {:?} {:?}", read.name, read.version_req, read.source),
                None => "not a requirement".to_string(),
            };
            outcome += &format!("{line}\n  {}\n", read.replace("Some", ""));
        }
        expected.assert_eq(&outcome);
    }

    #[test]
    fn names_and_versions() {
        check(
            &[
                "requests",
                "Foo.Bar_baz",
                "a>=1,<2",
                "a >= 1.0 , != 1.5.* ; python_version < '3.9' and (os_name == 'nt')",
                "a[b,c]==1.0+local",
                "a [b] (>=1)",
                "a~=1.0;extra=='x'",
                "a===weird",
                "a>=1,",
                "a==${VERSION}",
            ],
            expect![[r#"
                requests
                  ("requests") None Unsaid
                Foo.Bar_baz
                  ("Foo.Bar_baz") None Unsaid
                a>=1,<2
                  ("a") (">=1,<2") Unsaid
                a >= 1.0 , != 1.5.* ; python_version < '3.9' and (os_name == 'nt')
                  ("a") (">= 1.0 , != 1.5.*") Unsaid
                a[b,c]==1.0+local
                  ("a") ("==1.0+local") Unsaid
                a [b] (>=1)
                  ("a") (">=1") Unsaid
                a~=1.0;extra=='x'
                  ("a") ("~=1.0") Unsaid
                a===weird
                  ("a") ("===weird") Unsaid
                a>=1,
                  ("a") (">=1,") Unsaid
                a==${VERSION}
                  ("a") ("==${VERSION}") Unsaid
            "#]],
        );
    }

    #[test]
    fn urls() {
        check(
            &[
                "a @ https://example.com/a-1.0.zip ; os_name == 'nt'",
                "a[x]@git+https://example.com/b.git@main#subdirectory=c",
                "a @ file:///home/me/a",
                "a @ file:../a",
                "a @ file:///${PROJECT_ROOT}/../a",
                "a @ {root:uri}/libs/a",
                "a @ ./libs/a",
                "a @ https://example.com/a; os_name == 'nt'",
                "git+https://example.com/me/b.git@v1.0",
                "git+ssh://git@example.com/me/b#egg=c[x]&subdirectory=d",
                "https://example.com/some-name-1.2.tar.gz; os_name == 'nt'",
                "https://example.com/some_name-1.2-py3-none-any.whl#sha256=abc",
                "file:../a#egg=a",
                "https://example.com/",
            ],
            expect![[r#"
                a @ https://example.com/a-1.0.zip ; os_name == 'nt'
                  ("a") ("https://example.com/a-1.0.zip") Elsewhere
                a[x]@git+https://example.com/b.git@main#subdirectory=c
                  ("a") ("git+https://example.com/b.git@main#subdirectory=c") Elsewhere
                a @ file:///home/me/a
                  ("a") ("file:///home/me/a") Elsewhere
                a @ file:../a
                  ("a") None Directory("../a")
                a @ file:///${PROJECT_ROOT}/../a
                  ("a") None Directory("../a")
                a @ {root:uri}/libs/a
                  ("a") None Directory("libs/a")
                a @ ./libs/a
                  ("a") None Directory("./libs/a")
                a @ https://example.com/a; os_name == 'nt'
                  ("a") ("https://example.com/a") Elsewhere
                git+https://example.com/me/b.git@v1.0
                  ("b") ("git+https://example.com/me/b.git@v1.0") Elsewhere
                git+ssh://git@example.com/me/b#egg=c[x]&subdirectory=d
                  ("c") ("git+ssh://git@example.com/me/b#egg=c[x]&subdirectory=d") Elsewhere
                https://example.com/some-name-1.2.tar.gz; os_name == 'nt'
                  ("some-name") ("https://example.com/some-name-1.2.tar.gz") Elsewhere
                https://example.com/some_name-1.2-py3-none-any.whl#sha256=abc
                  ("some_name") ("https://example.com/some_name-1.2-py3-none-any.whl#sha256=abc") Elsewhere
                file:../a#egg=a
                  ("a") None Directory("../a")
                https://example.com/
                  ("example.com") ("https://example.com/") Elsewhere
            "#]],
        );
    }

    #[test]
    fn paths() {
        check(
            &[
                ".",
                "./libs/a[x,y]",
                "../a ; os_name == 'nt'",
                "libs/a",
                "/absolute/a",
                "./wheels/some_name-1.0-py3-none-any.whl",
            ],
            expect![[r#"
                .
                  None None Directory(".")
                ./libs/a[x,y]
                  None None Directory("./libs/a")
                ../a ; os_name == 'nt'
                  None None Directory("../a")
                libs/a
                  None None Directory("libs/a")
                /absolute/a
                  None None Directory("/absolute/a")
                ./wheels/some_name-1.0-py3-none-any.whl
                  ("some_name") None Elsewhere
            "#]],
        );
    }

    #[test]
    fn nonsense() {
        check(
            &[
                "",
                "-a",
                "a-",
                "a b",
                "a 1.0",
                "a=1",
                "a>=",
                "a>=1 2",
                "a[b",
                "a @",
                "ünicode",
                "The system shall start/stop",
                "<<<<<<< HEAD",
                "=======",
            ],
            expect![[r#"

                  not a requirement
                -a
                  not a requirement
                a-
                  not a requirement
                a b
                  not a requirement
                a 1.0
                  not a requirement
                a=1
                  not a requirement
                a>=
                  not a requirement
                a>=1 2
                  not a requirement
                a[b
                  not a requirement
                a @
                  not a requirement
                ünicode
                  not a requirement
                The system shall start/stop
                  not a requirement
                <<<<<<< HEAD
                  not a requirement
                =======
                  not a requirement
            "#]],
        );
        let nested = format!("a; {}", "(".repeat(100_000));
        assert!(PythonRequirement::parse_line(&nested).is_some());
    }
}
