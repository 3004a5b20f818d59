//! Recognizes test files by the conventions for names of directories and files. Marks inside of a
//! file, such as attributes, are the business of [`code`](crate::code).

use super::{LANGS, is_prose};
use kenning_model::RepoPath;

/// Names of directories that hold tests in any language, in lower case.
const TEST_DIRECTORIES: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "__test__",
    "__mocks__",
    "spec",
    "specs",
    "testdata",
    "testing",
    "androidtest",
    "unittest",
    "unittests",
    "uitests",
    "e2e",
    "testfixtures",
    "integrationtest",
];

/// The names of test files in one language, beyond `TEST_ENDINGS`, which all share.
#[derive(Clone, Copy)]
pub struct TestFileNames {
    /// Whole names, with their extension.
    pub file_names: &'static [&'static str],
    /// Names without their extension.
    pub stems: &'static [&'static str],
    /// Beginnings of names without their extension.
    pub prefixes: &'static [&'static str],
    /// Endings in camel case, before the extension. A small letter or a digit precedes them.
    pub camel_endings: &'static [&'static str],
}

impl TestFileNames {
    /// No names but the common ones.
    pub(super) const COMMON: TestFileNames =
        TestFileNames { file_names: &[], stems: &[], prefixes: &[], camel_endings: &[] };

    /// The names of a language that writes the names of its files in camel case.
    pub(super) const CAMEL: TestFileNames =
        TestFileNames { camel_endings: CAMEL_ENDINGS, ..TestFileNames::COMMON };

    /// True if a file with this name, and this stem before its extension, is a test.
    fn matches(&self, name: &str, stem: &str) -> bool {
        let is_camel = self.camel_endings.iter().any(|end| {
            let before = stem.strip_suffix(end);
            before.is_some_and(|before| {
                before.is_empty() || before.ends_with(|c: char| c.is_lowercase() || c.is_numeric())
            })
        });
        is_camel
            || self.file_names.contains(&name)
            || self.stems.contains(&stem)
            || self.prefixes.iter().any(|prefix| stem.starts_with(prefix))
    }
}

/// Endings of test files before the extension, in every language. Each begins with a separator, so
/// that `latest` is no test.
const TEST_ENDINGS: &[&str] =
    &["_test", "_tests", ".test", ".tests", ".spec", "_spec", "-test", "-spec", ".e2e"];

/// Endings of test files in languages that write file names in camel case.
const CAMEL_ENDINGS: &[&str] = &["Test", "Tests", "TestCase", "Spec", "Specs", "IT"];

/// Extensions of languages in camel case that have no folder here.
const OTHER_CAMEL_EXTENSIONS: &[&str] = &["groovy", "fs", "vb"];

/// True if a file holds tests, by its directories or by its name.
pub fn is_test_path(path: &RepoPath) -> bool {
    let file = path.file_name();
    let directories = path.as_str().len() - file.len();
    let mut segments = path.as_str()[..directories].split('/');
    // Specs that people write are no tests.
    !is_prose(path) && segments.any(is_test_directory) || is_test_file(file)
}

/// True if a directory holds tests, by its name.
fn is_test_directory(name: &str) -> bool {
    let lower = name.to_lowercase();
    // `FooTests`, `Foo.Tests`, `commonTest`.
    let is_camel = ["Tests", "Test"].iter().any(|end| {
        let before = name.strip_suffix(end);
        before.is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || c == '.'))
    });
    TEST_DIRECTORIES.contains(&lower.as_str()) || is_camel
}

/// True if a file holds tests, by its name alone.
fn is_test_file(name: &str) -> bool {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let mut languages = LANGS.iter().filter(|language| language.extensions.contains(&extension));
    languages.any(|language| language.test_files.matches(name, stem))
        || OTHER_CAMEL_EXTENSIONS.contains(&extension) && TestFileNames::CAMEL.matches(name, stem)
        || !extension.is_empty() && TEST_ENDINGS.iter().any(|end| stem.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventions() {
        let tests = [
            "tests/it/main.rs",
            "src/a/tests.rs",
            "pkg/a_test.go",
            "a/__tests__/b.js",
            "a/b.spec.ts",
            "a/b.test.tsx",
            "Tests/NIOTests/ChannelTests.swift",
            "App/FooTests.swift",
            "conftest.py",
            "app/test_auth.py",
            "spec/models/user_spec.rb",
            "src/test/java/a/B.java",
            "a/FooTest.kt",
            "Foo.Tests/Bar.cs",
            "src/commonTest/kotlin/A.kt",
            "test/a_test.exs",
            "lib/a_test.dart",
        ];
        let others = [
            "specs/auth/spec.md",
            "openspec/specs/billing/spec.md",
            "src/main.rs",
            "src/contest.py",
            "src/latest.go",
            "src/Latest.swift",
            "a/testimony.ts",
            "Sources/XCTestDynamicOverlay/A.swift",
            "attest.rb",
            "src/protest.ts",
            "MANIFEST",
            "a/best.kt",
        ];
        let is_test = |path: &&&str| is_test_path(&RepoPath::new(path).unwrap());
        assert_eq!(tests.iter().find(|path| !is_test(path)), None);
        assert_eq!(others.iter().find(is_test), None);
    }
}
