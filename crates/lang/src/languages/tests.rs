//! Tests every language by the same table: its query compiles, and its fixture matches its golden
//! outline. No text in a file of the language does harm.

use expect_test::expect_file;

use super::*;
use crate::code::{self, testing::render};
use kenning_model::Chunk;

/// Adding a language adds `NAME/fixtures/NAME.EXTENSION`; `UPDATE_EXPECT=1` writes its outline.
fn fixture(language: &Language) -> (RepoPath, String) {
    let extension = language.extensions[0];
    let name = format!("{}.{extension}", language.name);
    let path = fixture_path(language, extension);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("no fixture {path}"));
    (RepoPath::new(&name).unwrap(), text)
}

/// The path of the fixture, or of its outline, in the folder of the language.
pub(crate) fn fixture_path(language: &Language, extension: &str) -> String {
    let (root, name) = (env!("CARGO_MANIFEST_DIR"), language.name);
    format!("{root}/src/languages/{name}/fixtures/{name}.{extension}")
}

#[test]
fn queries_compile() {
    let errors: Vec<String> = LANGS
        .iter()
        .filter_map(|language| {
            let error = code::check_query(language).err()?;
            Some(format!("{}: {error}", language.name))
        })
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn fixtures_read_as_their_outlines_say() {
    for language in LANGS {
        let (path, text) = fixture(language);
        let golden = fixture_path(language, "outline");
        let facts = code::read(&path, &text);
        assert_eq!(facts.language, language.name);
        expect_file![golden].assert_eq(&render(&facts));
    }
}

/// Fixtures whole, in pieces, with other ends of lines, and mangled.
#[test]
fn chunks_tile_every_text() {
    for language in LANGS {
        let (path, text) = fixture(language);
        let crlf = text.replace('\n', "\r\n");
        let one_line = text.replace('\n', " ");
        let many = text.repeat(20);
        let shouted = text.replace(['(', '{'], "[");
        for variant in [&text, &crlf, &one_line, &many, &shouted] {
            check_tiling(&path, variant);
        }
        for part in 1..16 {
            let end = (0..=text.len() * part / 16).rev().find(|&at| text.is_char_boundary(at));
            check_tiling(&path, &text[..end.unwrap()]);
            check_tiling(&path, &text[end.unwrap()..]);
        }
    }
}

/// A search may exclude tests, and must not lose the code that they test.
#[test]
fn small_code_is_apart_from_its_tests() {
    let code = "use std::fmt;\n\npub fn open() {}\n\npub fn shut() {}\n\n";
    let tests = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn opens() {\n        super::open();\n    }\n}\n";
    let path = RepoPath::new("src/door.rs").unwrap();
    let read = |text: &str| -> Vec<(bool, u32, u32)> {
        let chunks = code::read(&path, text).chunks.into_iter();
        let place = |chunk: Chunk| (chunk.is_test, chunk.span.start_line, chunk.span.end_line);
        chunks.map(place).collect()
    };
    assert_eq!(read(&format!("{code}{tests}")), [(false, 1, 6), (true, 7, 13)]);
    // A declaration alone is not worth a chunk.
    assert_eq!(read(&format!("{code}#[cfg(test)]\nmod tests;\n")), [(false, 1, 8)]);
}

/// Asserts that the chunks of a text tile it, and that none is too heavy.
pub(super) fn check_tiling(path: &RepoPath, text: &str) {
    let facts = code::read(path, text);
    let mut end = 0;
    for chunk in facts.chunks.iter().filter(|chunk| chunk.outline.is_none()) {
        assert_eq!(chunk.span.start_byte, end, "{path}: {chunk:?}");
        end = chunk.span.end_byte;
        assert!(text.is_char_boundary(end as usize));
        let words: usize = text[chunk.span.start_byte as usize..end as usize]
            .bytes()
            .filter(|byte| !byte.is_ascii_whitespace())
            .count();
        assert!(words <= 1500, "{path}: {words} in {chunk:?}");
    }
    assert_eq!(end as usize, text.len(), "{path}");
}

/// On the stack of an ordinary thread, with a bound on time that only a quadratic reader misses.
#[test]
fn nonsense_does_no_harm() {
    let texts = [
        String::new(),
        "\u{feff}".to_string(),
        "\0\0\0".repeat(100),
        "(".repeat(100_000),
        "{".repeat(100_000),
        "[".repeat(100_000),
        "a.b(".repeat(400),
        "/*".repeat(2_000),
        "\"".repeat(2_001),
        "`${".repeat(400),
        "if a { ".repeat(400),
        "ä€𝄞".repeat(2_000),
        "x ".repeat(5_000),
        "#if A\n".repeat(1_000),
        "- ".repeat(1_000),
        "# a\n".repeat(1_000),
        "<a>".repeat(1_000),
        "<a ".repeat(1_000),
        "'".repeat(2_001),
        "$(".repeat(400),
        "<<A\n".repeat(500),
        "a: b\n".repeat(1_000),
        "@a ".repeat(1_000),
    ];
    let work = move || {
        for language in LANGS {
            let path = RepoPath::new(&format!("a.{}", language.extensions[0])).unwrap();
            for text in &texts {
                check_tiling(&path, text);
            }
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(work);
    thread.unwrap().join().unwrap();
}

#[test]
fn ten_megabytes_of_nonsense_become_windows() {
    let text = "let x = { ( [ \"".repeat(10 * 1024 * 1024 / 15);
    check_tiling(&RepoPath::new("a.swift").unwrap(), &text);
    check_tiling(&RepoPath::new("a.unknown").unwrap(), &text);
}

/// The sample that tells sense from nonsense ends in the middle of a type.
#[test]
fn a_long_file_of_sense_is_parsed_and_one_of_nonsense_is_not() {
    let members = |member: &str| member.repeat(90_000 / member.len());
    let swift =
        format!("class Large {{\n{}}}\n", members("  func a(b: Int) -> Int { return b + 1 }\n"));
    let csharp = format!(
        "namespace N {{ public static class Large {{\n{}}} }}\n",
        members("  public static int A(int b) { return b + 1; }\n")
    );
    let elixir =
        format!("defmodule Large do\n{}end\n", members("  def a(b) do\n    b + 1\n  end\n"));
    for (path, text) in [("a.swift", &swift), ("a.cs", &csharp), ("a.ex", &elixir)] {
        let facts = crate::code::read(&RepoPath::new(path).unwrap(), text);
        assert_eq!(facts.problems, [], "{path}");
        assert!(facts.symbols.len() > 1000, "{path}: {}", facts.symbols.len());
    }
    for text in [members("<a>"), members("\" "), members("@ ) ")] {
        let facts = crate::code::read(&RepoPath::new("a.swift").unwrap(), &text);
        assert_eq!(facts.symbols, []);
    }
}

#[test]
fn languages_are_known_by_name_and_by_first_line() {
    let check = |path: &str, text: &str, expected: Option<&str>| {
        let found =
            detect_language(&RepoPath::new(path).unwrap(), text).map(|language| language.name);
        assert_eq!(found, expected, "{path}");
    };
    check("a/b.swift", "", Some("swift"));
    check("a/B.TSX", "", Some("tsx"));
    check("bin/run", "#!/usr/bin/env -S python3.12 -u\n", Some("python"));
    check("bin/run", "#!/usr/bin/node\n", Some("javascript"));
    check("LICENSE", "Apache", None);
}

#[test]
fn languages_have_other_names_at_code_blocks() {
    for (word, expected) in [
        ("rust", Some("rust")),
        ("rs", Some("rust")),
        ("jsx", Some("javascript")),
        ("zsh", Some("bash")),
        ("console", Some("bash")),
        ("C++", Some("cpp")),
        ("yml", Some("yaml")),
        ("c", Some("c")),
        ("klingon", None),
    ] {
        assert_eq!(by_alias(word).map(|language| language.name), expected, "{word}");
    }
}

/// The parser tries every way to read endless operators, which takes seconds. A caller must be able
/// to cancel that.
#[test]
fn a_cancelled_read_ends_early() {
    let text = "<a>".repeat(1024 * 1024 / 3);
    let path = RepoPath::new("a.swift").unwrap();
    let asked = std::cell::Cell::new(0);
    let is_wanted = || {
        asked.set(asked.get() + 1);
        asked.get() < 3
    };
    assert_eq!(code::read_while(&path, &text, &is_wanted), None);
    assert!(asked.get() < 20, "{}", asked.get());
    let short = "func a() {}";
    let facts = code::read_while(&path, short, &|| true);
    assert_eq!(facts, Some(code::read(&path, short)));
}

#[test]
fn file_names_are_distinct_from_members() {
    for (text, expected) in [
        ("src/url.rs", true),
        ("url.rs", true),
        ("login", false),
        ("Session.login()", false),
        ("Context.JSON", false),
    ] {
        assert_eq!(is_file_name(text), expected, "{text}");
    }
}

#[test]
fn lost_definitions_are_reported() {
    let lost = "fun first() = 1\nclass A ( { [ <\n  fun b() {\n  fun c() {\n  fun d() {\n";
    let facts = testing::read("a.kt", lost);
    let problems: Vec<String> = facts.problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            "a.kt:2: the grammar did not understand all of lines 2 to 5; what they define may be missing"
        ]
    );
    for small in ["fun a() = 1 +\nfun b() = 2\n", "fun a() { b( }\nfun c() {}\n"] {
        assert_eq!(testing::read("a.kt", small).problems, [], "{small}");
    }
}
