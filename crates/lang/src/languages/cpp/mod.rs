//! C++. Headers named `.h` are of C unless they contain words that only C++ has.

mod resolution_rules;
mod test_fixtures;

use super::c::preprocessor::blank_preprocessor;
use super::c::{USAGE, prepare_source, static_visibility};
use super::{BASE, DeclarationHead, Language, Redeclarations, TestFileNames, UsageRules};
use kenning_model::{ChunkKind, Visibility};

/// The language. Its query extends that of C.
pub static CPP: Language = Language {
    name: "cpp",
    extensions: &[
        "cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "tpp", "inl", "cu", "cuh", "h",
    ],
    claims_file: Some(is_cpp),
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    query: concat!(include_str!("query.scm"), include_str!("../c/query.scm")),
    separators: &["::"],
    visibility,
    test_marks: &["TEST(", "TEST_F(", "TEST_P(", "TYPED_TEST("],
    prepare_source: Some(prepare_tests_and_source),
    simplifications: &[blank_preprocessor],
    usage: UsageRules {
        // The framework of Arduino calls both.
        entry_points: &["setup", "loop"],
        override_words: &["override"],
        ..USAGE
    },
    test_files: TestFileNames::CAMEL,
    generated_endings: &[".pb.cc"],
    directory_stems: &["main"],
    redeclarations: Redeclarations::Prototypes,
    resolution: &resolution_rules::RULES,
    ..BASE
};

/// Rewrites the tests of fixtures, and what the grammar of C misreads as well.
fn prepare_tests_and_source(text: &str) -> Option<String> {
    let tests = test_fixtures::rewrite_fixture_tests(text);
    prepare_source(tests.as_deref().unwrap_or(text)).or(tests)
}

/// Members of a class are private until a label says otherwise.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    match (declaration.section, declaration.parent) {
        (Some("private"), Some(_)) => Visibility::Private,
        (Some("protected"), Some(_)) => Visibility::Internal,
        (None, Some((ChunkKind::Class, _))) => Visibility::Private,
        (_, Some((ChunkKind::Class | ChunkKind::Struct, _))) => Visibility::Public,
        _ => static_visibility(declaration),
    }
}

/// True for every extension but `.h`: no other language claims those. A header must have a line
/// that begins with a word of C++.
fn is_cpp(path: &str, text: &str) -> bool {
    let words = ["class ", "namespace ", "template", "public:", "private:", "using ", "constexpr "];
    !path.ends_with(".h")
        || text.lines().any(|line| words.iter().any(|word| line.trim_start().starts_with(word)))
}
