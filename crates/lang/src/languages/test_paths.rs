//! Recognizes test files by the conventions for names of directories and files. Marks inside of a
//! file, such as attributes, are the business of [`code`](crate::code).

use super::{LANGS, by_path, is_prose};
use kenning_model::RepoPath;

/// Names of directories that hold tests in any language, in lower case.
const TEST_DIRECTORIES: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "__test__",
    "__mocks__",
    "testdata",
    "androidtest",
    "unittest",
    "unittests",
    "uitests",
    "e2e",
    "testfixtures",
    "integrationtest",
];

/// Directories of specs in the sense of test frameworks, in lower case. In languages without such a
/// framework, they hold code about specifications.
const SPEC_DIRECTORIES: &[&str] = &["spec", "specs"];

/// A directory of tests only at the root. Inside of sources, it is a module or package with helpers
/// for the tests of other projects.
const ROOT_TEST_DIRECTORY: &str = "testing";

/// Directories below which a build compiles the product. Below them, `test` is the name of a module
/// or package.
const PRODUCT_SOURCES: &str = "src/main/";

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
    /// True if a directory `spec` holds tests.
    pub has_spec_directories: bool,
}

impl TestFileNames {
    /// No names but the common ones.
    pub(super) const COMMON: TestFileNames = TestFileNames {
        file_names: &[],
        stems: &[],
        prefixes: &[],
        camel_endings: &[],
        has_spec_directories: true,
    };

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
    // Specs that people write are no tests.
    !is_prose(path) && is_in_test_directory(path) || is_test_file(file)
}

/// True if a directory of a path holds tests.
fn is_in_test_directory(path: &RepoPath) -> bool {
    let directories = path.as_str().rsplit_once('/').map_or("", |(directories, _)| directories);
    // The part before the sources of the product still counts: `tests/app/src/main/`.
    let whole = format!("{directories}/");
    let start = whole.find(PRODUCT_SOURCES).filter(|at| *at == 0 || whole[..*at].ends_with('/'));
    let judged = &whole[..start.unwrap_or(whole.len())];
    let language = by_path(path);
    let has_specs = language.is_none_or(|language| language.test_files.has_spec_directories);
    let mut segments = judged.split('/').enumerate();
    segments.any(|(place, name)| {
        let lower = name.to_lowercase();
        is_test_directory(name, &lower)
            || place == 0 && lower == ROOT_TEST_DIRECTORY
            || has_specs && SPEC_DIRECTORIES.contains(&lower.as_str())
    })
}

/// True if a directory holds tests in every language, by its name.
fn is_test_directory(name: &str, lower: &str) -> bool {
    // `FooTests`, `Foo.Tests`, `commonTest`.
    let is_camel = ["Tests", "Test"].iter().any(|end| {
        let before = name.strip_suffix(end);
        before.is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || c == '.'))
    });
    TEST_DIRECTORIES.contains(&lower) || is_camel
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
            "testing/a.py",
            "pkg/a/testing/a_test.go",
            "tests/app/src/main/java/A.java",
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
            // Helpers that users import.
            "web/testing/client.py",
            "packages/core/testing/src/bed.ts",
            "src/testing/mod.rs",
            "core/src/main/java/org/a/test/Runner.java",
            "pkg/spec/schema.go",
        ];
        let is_test = |path: &&&str| is_test_path(&RepoPath::new(path).unwrap());
        assert_eq!(tests.iter().find(|path| !is_test(path)), None);
        assert_eq!(others.iter().find(is_test), None);
    }
}
