//! Recognizes test files by the languages' conventions for the names of directories and files.

use kenning_model::RepoPath;

/// Directories that hold tests, in any language.
const DIRECTORIES: &[&str] = &[
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

/// Whole names of files, with their extension.
const FILES: &[&str] = &["conftest.py", "test_helper.rb", "spec_helper.rb", "test_helper.exs"];

/// How files end that people write for people.
const PROSE: &[&str] = &[".md", ".markdown", ".mdx", ".rst", ".adoc", ".txt"];

/// How a file's name ends before its extension, of words in lower case with a border before.
const ENDINGS: &[&str] =
    &["_test", "_tests", ".test", ".tests", ".spec", "_spec", "-test", "-spec", ".e2e"];

/// How it ends in languages that write names in camel case.
const CAMEL_ENDINGS: &[&str] = &["Test", "Tests", "TestCase", "Spec", "Specs", "IT"];

const CAMEL_EXTENSIONS: &[&str] = &[
    "swift", "java", "kt", "kts", "scala", "groovy", "cs", "fs", "vb", "php", "m", "mm", "hs",
    "cpp", "cc", "h",
];

/// True if the conventions of its language make this a file of tests.
pub fn is_test_path(path: &RepoPath) -> bool {
    let file = path.file_name();
    let directories = path.as_str().len() - file.len();
    let mut segments = path.as_str()[..directories].split('/');
    // Specs that people write are no tests.
    let is_prose = PROSE.iter().any(|end| file.to_lowercase().ends_with(end));
    !is_prose && segments.any(is_test_directory) || is_test_file(file)
}

fn is_test_directory(name: &str) -> bool {
    let lower = name.to_lowercase();
    // `FooTests` of Swift, `Foo.Tests` of .NET, `commonTest` of Kotlin.
    let is_camel = ["Tests", "Test"].iter().any(|end| {
        let before = name.strip_suffix(end);
        before.is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || c == '.'))
    });
    DIRECTORIES.contains(&lower.as_str()) || is_camel
}

fn is_test_file(name: &str) -> bool {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    // `test_auth.py`; but `test_` begins words of other languages too.
    let is_python = extension == "py" && stem.starts_with("test_");
    let is_camel = CAMEL_EXTENSIONS.contains(&extension)
        && CAMEL_ENDINGS.iter().any(|end| {
            let before = stem.strip_suffix(end);
            before.is_some_and(|before| {
                before.is_empty() || before.ends_with(|c: char| c.is_lowercase() || c.is_numeric())
            })
        });
    let is_rust = extension == "rs" && matches!(stem, "test" | "tests");
    FILES.contains(&name)
        || is_python
        || is_camel
        || is_rust
        || !extension.is_empty() && ENDINGS.iter().any(|end| stem.ends_with(end))
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
