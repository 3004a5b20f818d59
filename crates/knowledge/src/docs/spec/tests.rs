//! Specs as people write them, and what must come out.

use expect_test::{Expect, expect};

use super::*;

fn parse(text: &str) -> (Spec, Vec<Problem>) {
    parse_spec("sample", &RepoPath::new("specs/sample/spec.md").unwrap(), text)
}

fn render(text: &str) -> String {
    let (spec, problems) = parse(text);
    let mut out = format!("{} | {:?}\n", spec.title, spec.purpose);
    for section in &spec.sections {
        out += &format!("{} section {:?} {:?}\n", section.line, section.heading, section.text);
    }
    for requirement in &spec.requirements {
        let operation = requirement.operation.map_or("", Operation::as_str);
        out += &format!(
            "{}-{} {operation}[{}] {:?}\n",
            requirement.line, requirement.last_line, requirement.name, requirement.description
        );
        if let Some(old) = &requirement.renamed_from {
            out += &format!("  was [{old}]\n");
        }
        for scenario in &requirement.scenarios {
            out +=
                &format!("  {} <{}> {:?}\n", scenario.line, scenario.name, scenario.introduction);
            for clause in &scenario.clauses {
                out += &format!("    {} {:?}\n", clause.keyword.as_str(), clause.text);
            }
        }
        if !requirement.notes.is_empty() {
            out += &format!("  notes {:?}\n", requirement.notes);
        }
    }
    for problem in problems {
        out += &format!("! {problem}\n");
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&render(text));
    // Line ends and a byte order mark change nothing.
    let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(render(&windows), render(text));
}

#[test]
fn a_spec_with_everything() {
    check(
        "# Brewing\n\nIntro.\n\n## Purpose\n\nCoffee,\nhot.\n\n## Requirements\n\n\
         ### Requirement: Heat\n\nThe kettle SHALL heat.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\
         #### Scenario: Cold water\n\n- **GIVEN** water\n- **WHEN** it is cold\n- **AND** the lid is shut\n\
         - **THEN** it heats\n  until it boils:\n  - bubbles\n- **BUT** not longer\n\n---\n\n\
         ### Requirement: Pour\nIt SHALL pour.\n\n## Notes\nWords.\n### Deeper\nMore.\n",
        expect![[r#"
            Brewing | "Coffee,\nhot."
            1 section "" "Intro."
            35 section "Notes" "Words.\n### Deeper\nMore."
            12-28 [Heat] "The kettle SHALL heat.\n\n| a | b |\n|---|---|\n| 1 | 2 |"
              20 <Cold water> ""
                GIVEN "water"
                WHEN "it is cold"
                AND "the lid is shut"
                THEN "it heats\nuntil it boils:\n- bubbles"
                BUT "not longer"
            32-33 [Pour] "It SHALL pour."
        "#]],
    );
}

#[test]
fn headings_in_code_are_text() {
    check(
        "## Requirements\n### Requirement: Format\nLike this:\n```md\n### Requirement: Not one\n\
         #### Scenario: Neither\n```\n#### Scenario: Real\n- **WHEN** a\n  ```\n  - **THEN** no\n  ```\n\
         - **THEN** b\n",
        expect![[r#"
            sample | ""
            2-13 [Format] "Like this:\n```md\n### Requirement: Not one\n#### Scenario: Neither\n```"
              8 <Real> ""
                WHEN "a\n```\n- **THEN** no\n```"
                THEN "b"
        "#]],
    );
}

#[test]
fn any_case_any_level_any_colon() {
    check(
        "Title\n=====\n## PURPOSE\nP\n## requirements\n### REQUIREMENT： `A` ###\nText\n---\n\
         ##### scenario : b\n- when x\n###### Aside\ny\n",
        expect![[r#"
            Title | "P"
            6-12 [`A`] "Text"
              9 <b> ""
                WHEN "x\n###### Aside\ny"
        "#]],
    );
}

#[test]
fn deltas_and_renames() {
    check(
        "## ADDED Requirements\n### Requirement: A\nText.\n## MODIFIED Requirements\n### Requirement: B\n\
         ## REMOVED Requirements\n### Requirement: C\n**Reason**: old.\n- `### Requirement: D`\n\
         ## RENAMED Requirements\n- FROM: `### Requirement: E`\n- TO: `### Requirement: F`\n\
         - **FROM:** G\n- **TO:** H\n### Requirement: I → J\n### Requirement: L\n- FROM: K\n- TO: L\n\
         ## Other\n### Requirement: Plain\n",
        expect![[r#"
            sample | ""
            10 section "RENAMED Requirements" "- FROM: `### Requirement: E`\n- TO: `### Requirement: F`\n- **FROM:** G\n- **TO:** H"
            19 section "Other" ""
            2-3 ADDED[A] "Text."
            5-5 MODIFIED[B] ""
            7-9 REMOVED[C] "**Reason**: old.\n- `### Requirement: D`"
            11-12 RENAMED[F] ""
              was [E]
            13-14 RENAMED[H] ""
              was [G]
            15-15 RENAMED[J] ""
              was [I]
            16-18 RENAMED[L] "- FROM: K\n- TO: L"
              was [K]
            20-20 [Plain] ""
        "#]],
    );
    check(
        "## REMOVED Requirements\n- `### Requirement: D`\n- ### Requirement: E\n",
        expect![[r#"
            sample | ""
            1 section "REMOVED Requirements" "- `### Requirement: D`"
            2-2 REMOVED[D] ""
            3-3 REMOVED[E] ""
        "#]],
    );
}

#[test]
fn notes_and_strays_are_kept() {
    check(
        "# T\n## Overview\nO\n## Requirements\nBefore.\n#### Scenario: Stray\n- **WHEN** a\n\
         ### Requirement: A\n#### Scenario: One\nFirst.\n- **WHEN** b\n#### Remarks\nR\n\
         #### Scenario: Two\n- **THEN** c\n### Aside\nA\n# Second title\nS\n",
        expect![[r#####"
            T | ""
            2 section "Overview" "O"
            4 section "Requirements" "Before.\n#### Scenario: Stray\n- **WHEN** a"
            16 section "Aside" "A"
            18 section "Second title" "S"
            8-15 [A] ""
              9 <One> "First."
                WHEN "b"
              14 <Two> ""
                THEN "c"
              notes "#### Remarks\nR"
            ! specs/sample/spec.md:6: this scenario stands under no requirement
        "#####]],
    );
}

#[test]
fn an_open_fence_is_a_problem() {
    check(
        "### Requirement: A\n```\n### Requirement: B\n",
        expect![[r#"
            sample | ""
            1-3 [A] "```\n### Requirement: B"
            ! specs/sample/spec.md:2: this code fence never ends, so everything below it is code
        "#]],
    );
}

#[test]
fn a_heading_without_a_blank_is_a_problem() {
    check(
        "### Requirement: A\n####Scenario: B\n- **WHEN** c\n",
        expect![[r#####"
            sample | ""
            1-3 [A] "####Scenario: B\n- **WHEN** c"
            ! specs/sample/spec.md:2: this is no heading: a blank is missing behind the #
        "#####]],
    );
}

/// Whatever a line says, it is somewhere in what comes out.
#[test]
fn no_line_is_lost() {
    let pieces = [
        "# Title one",
        "## Purpose",
        "## Requirements",
        "## ADDED Requirements",
        "## Own words",
        "### Requirement: Alpha",
        "#### Scenario: Beta",
        "#### Remark",
        "### Aside",
        "- **WHEN** it rains",
        "- **AND** it pours",
        "  wrapped words",
        "  - nested bullet",
        "| cell | other |",
        "plain words",
        "```",
        "    indented code",
        "> quoted words",
        "",
        "<!-- comment -->",
        "Under\n---",
        "1. **THEN** x",
        "---",
        "---\nright below",
        "field: value",
        "***",
    ];
    // A generator of our own: the same files in every run.
    let mut state = 7u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for _ in 0..2000 {
        let lines: Vec<&str> = (0..next(30)).map(|_| pieces[next(pieces.len())]).collect();
        let text = lines.join("\n");
        let found = render(&text);
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            let is_grammar = ["Purpose", "Requirements", "Requirement", "Scenario", "ADDED"];
            assert!(
                is_grammar.contains(&word) || found.contains(word),
                "{word:?} is lost:\n{text}\n---\n{found}"
            );
        }
        let requirements = parse(&text).0.requirements.len();
        assert_eq!(requirements, headings_outside_fences(&lines), "{text}");
    }
}

/// Counted without a Markdown parser: a fence is the only one of the pieces that hides a heading.
fn headings_outside_fences(lines: &[&str]) -> usize {
    let mut is_code = false;
    let mut count = 0;
    for line in lines {
        is_code ^= *line == "```";
        count += usize::from(!is_code && line.starts_with("### Requirement:"));
    }
    count
}

#[test]
fn a_rule_above_a_sentence_hides_nothing() {
    check(
        "## Requirements\n### Requirement: A\nText.\n\n---\nMore of A.\n### Requirement: B\nText.\n\n---\n\
         ### Requirement: C\nText.\n",
        expect![[r#"
            sample | ""
            2-6 [A] "Text.\n\n---\nMore of A."
            7-8 [B] "Text."
            11-12 [C] "Text."
        "#]],
    );
}

#[test]
fn nonsense_is_survived() {
    let long = "### Requirement: ".repeat(20_000);
    let deep = "- ".repeat(5_000) + "**WHEN** x";
    let fences = "```\n".repeat(9_999);
    for text in
        ["", "\0", "\u{feff}", "#", "####", "### Requirement:", "```", &long, &deep, &fences]
    {
        parse(text);
        parse(&format!("### Requirement: A\n#### Scenario:\n{text}"));
    }
}
