//! The summary of an index run in one line. `-v` shows the whole table; `--json` serves scripts.

use std::time::Duration;

use serde_json::Value;

use crate::front::human::{counted, duration, grouped};

/// `222 files, 3,477 chunks, 12 packages in 2.6 s; 9 passed over (ken status --skipped)`.
pub fn indexed(statistics: &Value) -> String {
    let number = |name: &str| statistics[name].as_u64().unwrap_or(0);
    let mut what = vec![
        counted(number("files"), "file") + &changes(&number),
        counted(number("chunks"), "chunk"),
    ];
    for (name, noun) in [("packages", "package"), ("specs", "spec")] {
        let count = Some(number(name)).filter(|count| *count > 0);
        what.extend(count.map(|count| counted(count, noun)));
    }
    let time = Duration::from_millis(number("durationMs"));
    let skipped = Some(number("skipped")).filter(|count| *count > 0);
    let skipped = skipped.map(|count| format!("{} passed over", grouped(count)));
    let problems = Some(number("problemCount")).filter(|count| *count > 0);
    let problems = problems.map(|count| counted(count, "problem"));
    let less: Vec<String> = skipped.into_iter().chain(problems).collect();
    let less = if less.is_empty() {
        String::new()
    } else {
        format!("; {} (ken status --skipped)", less.join(", "))
    };
    format!("{} in {}{less}", what.join(", "), duration(time))
}

/// Formats the counts of changed files of an incremental run; empty if no file was unchanged.
fn changes(number: &impl Fn(&str) -> u64) -> String {
    if number("unchanged") == 0 {
        return String::new();
    }
    let changes = ["added", "changed", "removed"].map(|name| (number(name), name));
    let changes = changes.iter().filter(|(count, _)| *count > 0);
    let changes: Vec<String> =
        changes.map(|(count, name)| format!("{} {name}", grouped(*count))).collect();
    if changes.is_empty() {
        " (none changed)".to_string()
    } else {
        format!(" ({})", changes.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_run_is_one_line() {
        for (statistics, expected) in [
            (
                json!({"files": 222, "chunks": 3477, "added": 222, "changed": 0, "removed": 0,
                       "unchanged": 0, "skipped": 9, "packages": 12, "durationMs": 2600}),
                "222 files, 3,477 chunks, 12 packages in 2.6 s; 9 passed over (ken status --skipped)",
            ),
            (
                json!({"files": 1, "chunks": 1, "added": 0, "changed": 0, "removed": 0,
                       "unchanged": 1, "skipped": 0, "packages": 0, "specs": 1, "durationMs": 90}),
                "1 file (none changed), 1 chunk, 1 spec in 0.1 s",
            ),
            (
                json!({"files": 9, "chunks": 12, "added": 1, "changed": 2, "removed": 0,
                       "unchanged": 6, "skipped": 1, "packages": 1, "problemCount": 1,
                       "durationMs": 61_000}),
                "9 files (1 added, 2 changed), 12 chunks, 1 package in 1 min 1 s; \
                 1 passed over, 1 problem (ken status --skipped)",
            ),
        ] {
            assert_eq!(indexed(&statistics), expected);
        }
    }
}
