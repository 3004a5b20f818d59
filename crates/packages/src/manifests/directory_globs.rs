//! Matches directories against a list of glob patterns, relative to the directory that states them:
//! workspace members, path repositories. It does not handle file names or ignore rules.
//!
//! A pattern cannot match outside of the stating directory. Patterns come from the repository, so
//! their number and length are bounded.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use kenning_model::RepoPath;

/// The longest pattern that is tried: a glob compiles to a regular expression, and a hostile one
/// must not cost its size many times over.
const MAX_PATTERN: usize = 250;

/// The most patterns that one list may have, for the same reason.
const MAX_PATTERNS: usize = 5_000;

/// The starts of extended shell globs, which some tools support and `globset` does not. They are
/// reported rather than matched literally.
const EXTENDED_GLOB_STARTS: &[&str] = &["@(", "+(", "?(", "*(", "!("];

/// Directories below one root: those that a pattern includes and none excludes.
pub struct DirectoryGlobs {
    root: RepoPath,
    include: GlobSet,
    exclude: GlobSet,
}

impl DirectoryGlobs {
    /// Compiles `patterns`. Those with a leading `!` exclude, at any position. Also returns an
    /// error for each pattern that is left out.
    pub fn new<'p>(
        root: &RepoPath,
        patterns: impl IntoIterator<Item = &'p str>,
    ) -> (DirectoryGlobs, Vec<String>) {
        let mut include = GlobSetBuilder::new();
        let mut exclude = GlobSetBuilder::new();
        let mut complaints = Vec::new();
        let mut patterns = patterns.into_iter();
        for pattern in patterns.by_ref().take(MAX_PATTERNS) {
            let (builder, positive) = match pattern.strip_prefix('!') {
                Some(rest) => (&mut exclude, rest),
                None => (&mut include, pattern),
            };
            match compile_pattern(positive) {
                Ok(Some(glob)) => {
                    builder.add(glob);
                }
                Ok(None) => {}
                Err(complaint) => complaints.push(complaint),
            }
        }
        if patterns.next().is_some() {
            complaints.push(format!("only its first {MAX_PATTERNS} patterns are used"));
        }
        let mut build = |builder: GlobSetBuilder| {
            builder.build().unwrap_or_else(|error| {
                complaints.push(format!("its patterns cannot be read: {error}"));
                GlobSet::empty()
            })
        };
        let globs =
            DirectoryGlobs { root: root.clone(), include: build(include), exclude: build(exclude) };
        (globs, complaints)
    }

    /// True if a pattern includes the directory and none excludes it. The order of patterns does
    /// not matter.
    pub fn matches(&self, directory: &RepoPath) -> bool {
        if !directory.is_within(&self.root) {
            return false;
        }
        let relative = &directory.as_str()[self.root.as_str().len()..];
        let inside = entry_path(relative.trim_start_matches('/'));
        self.include.is_match(&inside) && !self.exclude.is_match(&inside)
    }
}

/// Compiles one pattern. `Ok(None)` if it climbs out of the directory that states it, which no tool
/// follows.
fn compile_pattern(pattern: &str) -> Result<Option<Glob>, String> {
    if pattern.len() > MAX_PATTERN {
        let start: String = pattern.chars().take(40).collect();
        return Err(format!("the pattern `{start}…` is too long"));
    }
    let is_extended = EXTENDED_GLOB_STARTS.iter().any(|start| pattern.contains(start));
    if is_extended {
        return Err(format!("the pattern `{pattern}` is of an unsupported kind"));
    }
    let Some(directory) = RepoPath::new(pattern) else {
        return Ok(None);
    };
    GlobBuilder::new(&entry_path(directory.as_str()))
        .literal_separator(true)
        .build()
        .map(Some)
        .map_err(|error| format!("the pattern `{pattern}` cannot be read: {}", error.kind()))
}

/// A path inside of `directory`. Tools look for a manifest in each directory, so `packages/**`
/// means `packages` too. Matching an entry instead of the directory gives the same result.
fn entry_path(directory: &str) -> String {
    match directory {
        "" => "_".to_string(),
        directory => format!("{directory}/_"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    const DIRECTORIES: &[&str] = &[
        "",
        "packages",
        "packages/a",
        "packages/b",
        "packages/b/deep",
        "packages-old/a",
        "tools/x",
    ];

    fn check_at(root: &str, patterns: &[&str], expected: Expect) {
        let root = RepoPath::new(root).expect("inside");
        let (globs, complaints) = DirectoryGlobs::new(&root, patterns.iter().copied());
        let matching = DIRECTORIES
            .iter()
            .filter(|directory| globs.matches(&RepoPath::new(directory).expect("inside")));
        let mut lines: Vec<String> = matching.map(|directory| format!("[{directory}]")).collect();
        lines.extend(complaints);
        expected.assert_eq(&lines.join(" "));
    }

    fn check(patterns: &[&str], expected: Expect) {
        check_at("", patterns, expected);
    }

    #[test]
    fn patterns_as_npm_and_pnpm_read_them() {
        check(&["packages/*"], expect!["[packages/a] [packages/b]"]);
        check(&["packages/**"], expect!["[packages] [packages/a] [packages/b] [packages/b/deep]"]);
        check(&["packages/**/*"], expect!["[packages/a] [packages/b] [packages/b/deep]"]);
        check(&["./packages/*/"], expect!["[packages/a] [packages/b]"]);
        check(&["/packages/a"], expect!["[packages/a]"]);
        check(&["packages\\a"], expect!["[packages/a]"]);
        check(&["packages"], expect!["[packages]"]);
        check(&["."], expect!["[]"]);
        check(&["*"], expect!["[packages]"]);
        check(
            &["**"],
            expect![
                "[] [packages] [packages/a] [packages/b] [packages/b/deep] [packages-old/a] [tools/x]"
            ],
        );
        check(&["packages/{a,b}", "too*/?"], expect!["[packages/a] [packages/b] [tools/x]"]);
        check(&["packages/[a]"], expect!["[packages/a]"]);
        check(&[], expect![""]);
    }

    #[test]
    fn exclusions_win_wherever_they_stand() {
        check(&["packages/*", "!packages/a"], expect!["[packages/b]"]);
        check(&["!packages/a/", "packages/*"], expect!["[packages/b]"]);
        check(&["packages/**", "!**/b/**"], expect!["[packages] [packages/a]"]);
        check(
            &["packages/**", "!packages"],
            expect!["[packages/a] [packages/b] [packages/b/deep]"],
        );
    }

    #[test]
    fn relative_to_the_root_that_states_them() {
        check_at("packages", &["*"], expect!["[packages/a] [packages/b]"]);
        check_at("packages/b", &[".", "*", "../a"], expect!["[packages/b] [packages/b/deep]"]);
    }

    #[test]
    fn hostile_and_unsupported_patterns() {
        check(
            &["packages/@(a|b)", "packages/b"],
            expect!["[packages/b] the pattern `packages/@(a|b)` is of an unsupported kind"],
        );
        check(
            &["packages/[", "packages/b"],
            expect![
                "[packages/b] the pattern `packages/[` cannot be read: unclosed character class; missing ']'"
            ],
        );
        check(
            &["{{", "packages/b"],
            expect![
                "[packages/b] the pattern `{{` cannot be read: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"
            ],
        );
        let nested = "{".repeat(120) + "packages/a" + &"}".repeat(120);
        check(&[nested.as_str(), "packages/b"], expect!["[packages/a] [packages/b]"]);
        let stars = "*".repeat(100_000);
        check(
            &[stars.as_str(), "packages/b"],
            expect![
                "[packages/b] the pattern `****************************************…` is too long"
            ],
        );
        check(
            &vec!["packages/*"; 5_001],
            expect!["[packages/a] [packages/b] only its first 5000 patterns are used"],
        );
        check(
            &["**/".repeat(80).as_str()],
            expect![
                "[] [packages] [packages/a] [packages/b] [packages/b/deep] [packages-old/a] [tools/x]"
            ],
        );
        check(&["*?".repeat(120).as_str(), "../elsewhere", "\0"], expect![""]);
    }
}
