//! The summary of an index run in one line. `-v` shows the whole table; `--json` serves scripts.

use std::time::Duration;

use crate::front::human_format::{count_noun, format_duration, group_digits};
use crate::ops::code::index_codebase::IndexCodebaseReply;

/// Formats `222 files, 3,477 chunks, 12 packages in 2.6 s; 9 skipped (ken status --skipped)`.
pub fn summarize_run(run: &IndexCodebaseReply) -> String {
    let mut what =
        vec![count_noun(run.files, "file") + &format_changes(run), count_noun(run.chunks, "chunk")];
    for (count, noun) in [(run.packages, "package"), (run.specs.unwrap_or(0), "spec")] {
        what.extend((count > 0).then(|| count_noun(count, noun)));
    }
    let time = Duration::from_millis(run.duration_ms);
    let skipped = Some(run.skipped)
        .filter(|count| *count > 0)
        .map(|count| format!("{} skipped", group_digits(count)));
    let problems = Some(run.problem_count)
        .filter(|count| *count > 0)
        .map(|count| count_noun(count, "problem"));
    let notes: Vec<String> = skipped.into_iter().chain(problems).collect();
    let less = if notes.is_empty() {
        String::new()
    } else {
        format!("; {} (ken status --skipped)", notes.join(", "))
    };
    format!("{} in {}{less}", what.join(", "), format_duration(time))
}

/// Formats the changes of an incremental run; empty if no file was unchanged, as in a first run.
fn format_changes(run: &IndexCodebaseReply) -> String {
    if run.unchanged == 0 {
        return String::new();
    }
    let changes: Vec<String> =
        [(run.added, "added"), (run.changed, "changed"), (run.removed, "removed")]
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{} {name}", group_digits(count)))
            .collect();
    if changes.is_empty() {
        " (none changed)".to_string()
    } else {
        format!(" ({})", changes.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_one_line() {
        for (run, expected) in [
            (
                IndexCodebaseReply {
                    files: 222,
                    chunks: 3477,
                    added: 222,
                    skipped: 9,
                    packages: 12,
                    duration_ms: 2600,
                    ..IndexCodebaseReply::default()
                },
                "222 files, 3,477 chunks, 12 packages in 2.6 s; 9 skipped (ken status --skipped)",
            ),
            (
                IndexCodebaseReply {
                    files: 1,
                    chunks: 1,
                    unchanged: 1,
                    specs: Some(1),
                    duration_ms: 90,
                    ..IndexCodebaseReply::default()
                },
                "1 file (none changed), 1 chunk, 1 spec in 0.1 s",
            ),
            (
                IndexCodebaseReply {
                    files: 9,
                    chunks: 12,
                    added: 1,
                    changed: 2,
                    unchanged: 6,
                    skipped: 1,
                    packages: 1,
                    problem_count: 1,
                    duration_ms: 61_000,
                    ..IndexCodebaseReply::default()
                },
                "9 files (1 added, 2 changed), 12 chunks, 1 package in 1 min 1 s; \
                 1 skipped, 1 problem (ken status --skipped)",
            ),
        ] {
            assert_eq!(summarize_run(&run), expected);
        }
    }
}
