//! Parses the files of a change that are not deltas: `proposal.md`, `design.md` and `tasks.md`.
//!
//! Prose is split at its headings, and task lists are read bullet by bullet. Parsing never fails:
//! text that fits nowhere becomes a preamble, a section or notes. Checking what a change must
//! contain is the job of `specs::validate`.

use super::markdown::{HeadingForm, Markdown};
use kenning_model::{Document, RepoPath, Section, Task};

/// Parses a prose file into its title, the text before its sections, and its sections.
///
/// The first heading of level 1 is the title. All other headings of level 1 and 2 open sections;
/// deeper ones are part of a section's text.
pub fn parse_document(path: &RepoPath, text: &str) -> Document {
    let markdown = Markdown::parse(text);
    let headings: Vec<_> = markdown
        .headings
        .iter()
        .filter(|heading| {
            heading.level <= 2 && !heading.is_in_list && heading.form == HeadingForm::Hashes
        })
        .collect();
    let title = headings.iter().position(|heading| heading.level == 1);
    let ends =
        headings.iter().skip(1).map(|heading| heading.lines.start).chain([markdown.lines.len()]);
    let first = headings.first().map(|heading| heading.lines.start);
    let mut preamble = markdown.text(0..first.unwrap_or(markdown.lines.len()));
    let mut sections = Vec::new();
    for (number, (heading, end)) in headings.iter().zip(ends).enumerate() {
        if Some(number) == title {
            append_paragraph(&mut preamble, &markdown.text(heading.lines.end..end))
        } else {
            sections.push(Section {
                heading: heading.text.clone(),
                line: heading.lines.start as u32 + 1,
                text: markdown.text(heading.lines.end..end),
            })
        }
    }
    Document {
        path: path.clone(),
        title: title.map(|at| headings[at].text.clone()),
        preamble,
        sections,
        text: markdown.text(0..markdown.lines.len()),
    }
}

/// Appends `more` as a paragraph of its own, unless one of the two is empty.
fn append_paragraph(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

/// Parses a `tasks.md`. Returns its tasks, which are bullets with a check box, and all other text
/// as notes.
///
/// Indented lines below a task belong to it, up to the next blank or unindented line. A heading
/// names the group of the tasks below it.
pub fn parse_tasks(text: &str) -> (Vec<Task>, String) {
    let markdown = Markdown::parse(text);
    let mut tasks: Vec<Task> = Vec::new();
    let mut notes: Vec<&str> = Vec::new();
    let mut headings = markdown.headings.iter().peekable();
    let mut group = String::new();
    let mut is_open = false;
    // `is_open` is true while a following indented line still belongs to the last task.
    for (index, line) in markdown.lines.iter().enumerate() {
        if let Some(heading) = headings.next_if(|heading| heading.lines.contains(&index)) {
            group = heading.text.clone();
            is_open = false;
        } else if let Some((is_done, text)) =
            parse_checkbox(line).filter(|_| !markdown.is_literal(index))
        {
            tasks.push(build_task(text, is_done, index as u32 + 1, &group));
            is_open = true;
        } else if line.trim().is_empty() || !line.starts_with([' ', '\t']) {
            is_open = false;
            notes.push(line.trim_end());
        } else if let Some(task) = tasks.last_mut().filter(|_| is_open) {
            task.text += "\n";
            task.text += line.trim();
        } else {
            notes.push(line.trim_end());
        }
    }
    // One blank line is as good as several.
    notes.dedup_by(|a, b| a.is_empty() && b.is_empty());
    (tasks, notes.join("\n").trim_matches('\n').to_string())
}

/// Returns true if a change's `.openspec.yaml` states that it changes no spec.
///
/// The file is scanned by line and not parsed as YAML. Only an unindented key counts, and a comment
/// behind the value is ignored.
pub fn skips_specs(text: &str) -> bool {
    let said = text
        .lines()
        .find_map(|line| line.strip_prefix("skip_specs:"))
        .and_then(|value| value.split('#').next());
    said.is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
}

/// Parses `- [x] text`. Returns true for a ticked box, and the text; `None` if the line is no task.
fn parse_checkbox(line: &str) -> Option<(bool, &str)> {
    let rest = line.trim_start().strip_prefix(['-', '*', '+'])?.trim_start().strip_prefix('[')?;
    let (mark, text) = rest.split_once(']')?;
    // Other marks, such as `[-]`, make no task.
    match mark {
        "x" | "X" => Some((true, text.trim())),
        " " | "" => Some((false, text.trim())),
        _ => None,
    }
}

/// Builds a task. A leading `1.`, `1.2` or `1.2.` is its number and not part of its text.
fn build_task(text: &str, is_done: bool, line: u32, group: &str) -> Task {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let number = first.trim_end_matches('.');
    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || c == '.');
    Task {
        number: is_number.then(|| number.to_string()),
        text: if is_number { rest.trim() } else { text }.to_string(),
        is_done,
        line,
        group: group.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> RepoPath {
        RepoPath::new("changes/a/proposal.md").unwrap()
    }

    #[test]
    fn a_document_has_a_title_and_sections() {
        let document = parse_document(
            &path(),
            "# Change: A\r\n\r\n## Why\r\nBecause.\r\n\r\n### More\r\nWords.\r\n## What Changes\r\n\
             ```\r\n## not a heading\r\n```\r\n",
        );
        assert_eq!(document.title.as_deref(), Some("Change: A"));
        let sections: Vec<_> = document
            .sections
            .iter()
            .map(|section| (section.heading.as_str(), section.line, section.text.as_str()))
            .collect();
        assert_eq!(
            sections,
            [
                ("Why", 3, "Because.\n\n### More\nWords."),
                ("What Changes", 8, "```\n## not a heading\n```")
            ]
        );
        assert_eq!(document.section("why").map(|section| section.line), Some(3));
        assert_eq!(document.preamble, "");
    }

    #[test]
    fn nothing_of_a_document_is_lost() {
        let document = parse_document(
            &path(),
            "---\nid: x\n---\nZero.\n# A\nOne.\n\n## Why\nTwo.\n# B\nThree.\n",
        );
        assert_eq!(document.preamble, "---\nid: x\n---\nZero.\n\nOne.");
        let sections: Vec<_> =
            document.sections.iter().map(|one| (one.heading.as_str(), one.text.as_str())).collect();
        assert_eq!(sections, [("Why", "Two."), ("B", "Three.")]);
        assert_eq!(parse_document(&path(), "Only words.").preamble, "Only words.");
    }

    #[test]
    fn a_change_may_say_that_it_changes_no_spec() {
        for (text, expected) in [
            ("schema: x\nskip_specs: true\n", true),
            ("skip_specs: True # docs only", true),
            ("skip_specs: false", false),
            ("a:\n  skip_specs: true", false),
            ("", false),
        ] {
            assert_eq!(skips_specs(text), expected, "{text}");
        }
    }

    #[test]
    fn tasks_have_numbers_groups_and_wrapped_lines() {
        let (tasks, notes) = parse_tasks(
            "Do it.\n\n\n- plain\n## 1. Core\n- [x] 1.1 Parse\n- [ ] 1.2. Write\n  and test\n  * [X] done\n\n\
             ```\n- [ ] no\n```\n## 2. Rest\n- [ ]\n- [link](x)\n",
        );
        let tasks: Vec<_> = tasks
            .iter()
            .map(|task| {
                let number = task.number.as_deref().unwrap_or("-");
                let mark = if task.is_done { 'x' } else { ' ' };
                format!("{}: {} [{mark}] {number} {:?}", task.line, task.group, task.text)
            })
            .collect();
        assert_eq!(
            tasks,
            [
                "6: 1. Core [x] 1.1 \"Parse\"",
                "7: 1. Core [ ] 1.2 \"Write\\nand test\"",
                "9: 1. Core [x] - \"done\"",
                "15: 2. Rest [ ] - \"\"",
            ]
        );
        assert_eq!(notes, "Do it.\n\n- plain\n\n```\n- [ ] no\n```\n- [link](x)");
    }
}
