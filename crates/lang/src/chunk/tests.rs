//! Tests of chunking: which pieces are merged or cut, and the names of the chunks.

use expect_test::{Expect, expect};

use super::*;
use crate::code;
use kenning_model::RepoPath;

/// The chunks of a file, a line each: lines, kind, name, and for a header its outline.
fn check(path: &str, text: &str, expected: Expect) {
    let facts = code::read(&RepoPath::new(path).unwrap(), text);
    expected.assert_eq(&render(text, &facts.chunks));
}

fn render(text: &str, chunks: &[Chunk]) -> String {
    let lines = chunks.iter().map(|chunk| {
        let (start, end) = (chunk.span.start_line, chunk.span.end_line);
        let name = chunk.symbol.as_deref().unwrap_or("-");
        let test = if chunk.is_test { " test" } else { "" };
        let outline = chunk.outline.as_ref();
        let outline = outline.map(|text| format!(" | {}", text.replace('\n', " / ")));
        let outline = outline.unwrap_or_default();
        format!("{start}-{end} {:?} {name}{test}{outline}\n", chunk.kind)
    });
    // Headers lie over other chunks; the rest tiles the text.
    let mut end = 0;
    for chunk in chunks.iter().filter(|chunk| chunk.outline.is_none()) {
        assert_eq!(chunk.span.start_byte, end, "a gap or an overlap");
        end = chunk.span.end_byte;
    }
    assert_eq!(end as usize, text.len(), "the end of the text is in no chunk");
    lines.collect()
}

/// A function whose body has so many statements of about 40 bytes.
fn function(name: &str, statements: usize) -> String {
    let body = "    total += weigh(\"a statement of a line\");\n".repeat(statements);
    format!("fn {name}() {{\n{body}}}\n")
}

#[test]
fn an_empty_file_has_no_chunks() {
    check("a.rs", "", expect![""]);
    check("a.txt", "", expect![""]);
}

#[test]
fn small_neighbours_are_one_chunk() {
    let text = ["one", "two", "three"].map(|name| function(name, 1)).join("\n");
    check(
        "a.rs",
        &text,
        expect![[r#"
            1-11 Function three
        "#]],
    );
}

#[test]
fn a_definition_of_some_size_stands_alone() {
    let text = [function("small", 1), function("large", 12), function("little", 1)].join("\n");
    check(
        "a.rs",
        &text,
        expect![[r#"
            1-4 Function small
            5-19 Function large
            20-22 Function little
        "#]],
    );
}

#[test]
fn small_neighbours_are_merged_up_to_a_size() {
    let text: String = (0..12).map(|number| function(&format!("f{number}"), 5) + "\n").collect();
    check(
        "a.rs",
        &text,
        expect![[r#"
            1-48 Function f0
            49-96 Function f10
        "#]],
    );
}

#[test]
fn a_function_that_is_too_large_is_cut_between_statements() {
    check(
        "a.rs",
        &function("long", 100),
        expect![[r#"
            1-36 Function long
            37-71 Function long
            72-102 Function long
        "#]],
    );
}

#[test]
fn a_type_that_is_too_large_also_has_a_header() {
    let methods: String = (0..3).map(|number| function(&format!("step{number}"), 15)).collect();
    check(
        "a.rs",
        &format!("struct Plan;\n\nimpl Plan {{\n{methods}}}\n"),
        expect![[r#"
            1-3 Struct Plan
            3-3 Extension Plan | impl Plan /   fn step0() /   fn step1() /   fn step2()
            4-20 Method step0
            21-37 Method step1
            38-55 Method step2
        "#]],
    );
    check(
        "a.py",
        &python_class(3, 20),
        expect![[r#"
            1-1 Class Plan | class Plan /   def step0(self) /   def step1(self) /   def step2(self)
            1-3 Class Plan
            4-25 Method step0
            26-47 Method step1
            48-69 Method step2
        "#]],
    );
}

fn python_class(methods: usize, statements: usize) -> String {
    let body = "        self.total += weigh('a statement of a line')\n".repeat(statements);
    let methods = (0..methods).map(|number| format!("    def step{number}(self):\n{body}\n"));
    format!("class Plan:\n    \"\"\"Plans a day.\"\"\"\n\n{}", methods.collect::<String>())
}

#[test]
fn comments_and_attributes_stay_with_their_definition() {
    let lead = "/// Says what it is for.\n#[inline]\n";
    let text = format!("{}\n{lead}{}", function("first", 12), function("second", 12));
    check(
        "a.rs",
        &text,
        expect![[r#"
            1-15 Function first
            16-31 Function second
        "#]],
    );
}

#[test]
fn tests_are_apart_from_code() {
    let tests = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn one_works() {\n        super::one();\n    }\n}\n";
    check(
        "src/a.rs",
        &format!("{}\n{tests}", function("one", 1)),
        expect![[r#"
            1-4 Function one
            5-11 Module tests test
        "#]],
    );
    // In a file of tests everything is one.
    check(
        "tests/a.rs",
        &function("helper", 1),
        expect![[r#"
            1-3 Function helper test
        "#]],
    );
}

#[test]
fn a_file_without_definitions() {
    check(
        "a.rs",
        "// Only a comment.\n// And another.\n",
        expect![[r#"
            1-2 Comment -
        "#]],
    );
    check(
        "a.rs",
        "// A comment.\nuse std::fmt;\n",
        expect![[r#"
            1-2 File -
        "#]],
    );
}

#[test]
fn a_line_that_is_too_long_is_cut() {
    let line = format!("const TEXT: &str = \"{}\";\n", "ä".repeat(2000));
    check(
        "a.rs",
        &line,
        expect![[r#"
            1-1 Constant TEXT
            1-1 Constant TEXT
            1-1 Constant TEXT
            1-1 Constant TEXT
        "#]],
    );
    check(
        "a.txt",
        &"x".repeat(4000),
        expect![[r#"
            1-1 Document -
            1-1 Document -
            1-1 Document -
        "#]],
    );
}

#[test]
fn plain_text_is_cut_between_paragraphs() {
    let paragraph = |lines: usize| "A line of a paragraph about something.\n".repeat(lines);
    let text = [paragraph(20), paragraph(20), paragraph(2), paragraph(2)].join("\n");
    check(
        "notes.txt",
        &text,
        expect![[r#"
            1-21 Document -
            22-47 Document -
        "#]],
    );
    check(
        "notes.txt",
        &text.replace('\n', "\r\n"),
        expect![[r#"
            1-21 Document -
            22-47 Document -
        "#]],
    );
    // One that is too large is cut between lines.
    check(
        "notes.txt",
        &paragraph(100),
        expect![[r#"
            1-46 Document -
            47-92 Document -
            93-100 Document -
        "#]],
    );
}

#[test]
fn lines_are_counted_from_one() {
    let lines = LineIndex::new("one\ntwo\n\nfour");
    let places = [0, 3, 4, 8, 9, 13, 99].map(|byte| lines.line_of(byte));
    assert_eq!(places, [1, 1, 2, 3, 4, 4, 4]);
    assert_eq!([0, 5, 8, 12].map(|byte| lines.line_start(byte)), [0, 4, 8, 9]);
    assert_eq!(lines.line_starts_between(0, 9), [4, 8]);
    assert_eq!(lines.line_starts_between(4, 99), [8, 9]);
    assert_eq!(lines.line_starts_between(9, 4), [0; 0]);
    let span = lines.span(4, 8);
    assert_eq!((span.start_line, span.end_line), (2, 2), "the end of a line is on it");
}

/// The sums are kept for blocks, so each border of a block is a place for a mistake.
#[test]
fn weight_counts_all_but_white_space() {
    let text = "ab c\t\n  déf ".repeat(40);
    let lines = LineIndex::new(&text);
    let bytes = text.as_bytes();
    let count = |start: usize, end: usize| {
        bytes[start..end].iter().filter(|byte| !byte.is_ascii_whitespace()).count()
    };
    for start in 0..text.len() {
        for end in (start..text.len() + 1).step_by(7) {
            let weight = lines.weight(start as u32, end as u32);
            assert_eq!(weight as usize, count(start, end), "{start}..{end}");
        }
    }
    assert_eq!(lines.weight(0, u32::MAX) as usize, count(0, text.len()));
    assert_eq!(lines.weight(9, 3), 0);
    assert_eq!(LineIndex::new("").weight(0, 9), 0);
}
