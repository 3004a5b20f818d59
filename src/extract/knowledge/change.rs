//! The files of a change beside its deltas: prose by its headings, and lists of tasks.

use super::markdown::{Form, Markdown};
use crate::model::{Document, RepoPath, Section, Task};

/// A file of prose: its title and its sections of the second level.
pub fn parse_document(path: &RepoPath, text: &str) -> Document {
    let markdown = Markdown::read(text);
    let headings = markdown
        .headings
        .iter()
        .filter(|heading| heading.level <= 2 && !heading.is_listed && heading.form == Form::Hashes);
    let headings: Vec<_> = headings.collect();
    let title = headings.iter().find(|heading| heading.level == 1);
    let ends = headings.iter().skip(1).map(|heading| heading.lines.start);
    let ends = ends.chain([markdown.lines.len()]);
    let sections = headings
        .iter()
        .zip(ends)
        .filter(|(heading, _)| heading.level == 2)
        .map(|(heading, end)| Section {
            heading: heading.text.clone(),
            line: heading.lines.start as u32 + 1,
            text: markdown.text(heading.lines.end..end),
        });
    Document {
        path: path.clone(),
        title: title.map(|heading| heading.text.clone()),
        sections: sections.collect(),
        text: markdown.text(0..markdown.lines.len()),
    }
}

/// The tasks of a `tasks.md`: bullets with a box.
pub fn parse_tasks(text: &str) -> Vec<Task> {
    let markdown = Markdown::read(text);
    let mut tasks: Vec<Task> = Vec::new();
    let mut headings = markdown.headings.iter().peekable();
    let mut group = String::new();
    let mut is_open = false;
    for (index, line) in markdown.lines.iter().enumerate() {
        if let Some(heading) = headings.next_if(|heading| heading.lines.contains(&index)) {
            group = heading.text.clone();
            is_open = false;
        } else if let Some((is_done, text)) = boxed(line).filter(|_| !markdown.is_literal(index)) {
            tasks.push(task(text, is_done, index as u32 + 1, &group));
            is_open = true;
        } else if line.trim().is_empty() || !line.starts_with([' ', '\t']) {
            is_open = false;
        } else if let Some(task) = tasks.last_mut().filter(|_| is_open) {
            task.text += "\n";
            task.text += line.trim();
        }
    }
    tasks
}

fn boxed(line: &str) -> Option<(bool, &str)> {
    let rest = line.trim_start().strip_prefix(['-', '*', '+'])?;
    let rest = rest.trim_start().strip_prefix('[')?;
    let (mark, text) = rest.split_once(']')?;
    match mark {
        "x" | "X" => Some((true, text.trim())),
        " " | "" => Some((false, text.trim())),
        _ => None,
    }
}

fn task(text: &str, is_done: bool, line: u32, group: &str) -> Task {
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
        let sections = document.sections.iter();
        let sections: Vec<_> = sections
            .map(|section| {
                (
                    section.heading.as_str(),
                    section.line,
                    section.text.as_str(),
                )
            })
            .collect();
        assert_eq!(
            sections,
            [
                ("Why", 3, "Because.\n\n### More\nWords."),
                ("What Changes", 8, "```\n## not a heading\n```")
            ]
        );
        assert_eq!(document.section("why").map(|section| section.line), Some(3));
    }

    #[test]
    fn tasks_have_numbers_groups_and_wrapped_lines() {
        let tasks = parse_tasks(
            "## 1. Core\n- [x] 1.1 Parse\n- [ ] 1.2. Write\n  and test\n  * [X] done\n\n\
             ```\n- [ ] no\n```\n## 2. Rest\n- [ ]\n- [link](x)\n",
        );
        let tasks: Vec<_> = tasks
            .iter()
            .map(|task| {
                let number = task.number.as_deref().unwrap_or("-");
                let mark = if task.is_done { 'x' } else { ' ' };
                format!(
                    "{}: {} [{mark}] {number} {:?}",
                    task.line, task.group, task.text
                )
            })
            .collect();
        assert_eq!(
            tasks,
            [
                "2: 1. Core [x] 1.1 \"Parse\"",
                "3: 1. Core [ ] 1.2 \"Write\\nand test\"",
                "5: 1. Core [x] - \"done\"",
                "11: 2. Rest [ ] - \"\"",
            ]
        );
    }
}
