//! A unified diff of replaced words. Lines are replaced and never added or removed, so both sides
//! of a hunk have the same lines.

use std::fmt::Write;

use crate::graph::{FileNameSites, NameSite};

/// The number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// Writes the patch that replaces a name at the chosen places.
pub fn write_patch(
    files: &[&FileNameSites],
    old_name: &str,
    new_name: &str,
    is_changed: impl Fn(&NameSite) -> bool,
) -> String {
    let mut patch = String::new();
    for file in files {
        let starts: Vec<usize> =
            file.sites.iter().filter(|site| is_changed(site)).map(|site| site.start).collect();
        if !starts.is_empty() {
            write_file(&mut patch, file, &starts, old_name, new_name);
        }
    }
    patch
}

/// Writes the hunks of one file. `starts` are the offsets of the replaced words, ascending.
fn write_file(
    patch: &mut String,
    file: &FileNameSites,
    starts: &[usize],
    old_name: &str,
    new_name: &str,
) {
    let path = &file.path;
    let _ = write!(patch, "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n");
    let lines: Vec<&str> = file.text.split_inclusive('\n').collect();
    let new_lines = replace_in_lines(&lines, starts, old_name, new_name);
    let changed: Vec<usize> = (0..lines.len()).filter(|&at| new_lines[at].is_some()).collect();
    for hunk in changed.chunk_by(|one, next| next - one <= 2 * CONTEXT) {
        let first = hunk[0].saturating_sub(CONTEXT);
        let end = (hunk[hunk.len() - 1] + CONTEXT + 1).min(lines.len());
        let count = end - first;
        let _ = writeln!(patch, "@@ -{0},{count} +{0},{count} @@", first + 1);
        let mut at = first;
        while at < end {
            // Changed lines that follow each other are removed together, then added together.
            let run = new_lines[at..end].iter().take_while(|line| line.is_some()).count();
            if run == 0 {
                write_line(patch, ' ', lines[at]);
                at += 1;
                continue;
            }
            for line in &lines[at..at + run] {
                write_line(patch, '-', line);
            }
            for line in new_lines[at..at + run].iter().flatten() {
                write_line(patch, '+', line);
            }
            at += run;
        }
    }
}

/// Returns the new text of each line that changes.
fn replace_in_lines(
    lines: &[&str],
    starts: &[usize],
    old_name: &str,
    new_name: &str,
) -> Vec<Option<String>> {
    let mut new_lines = Vec::with_capacity(lines.len());
    let mut line_start = 0;
    let mut open = starts;
    for line in lines {
        let line_end = line_start + line.len();
        let inside = open.partition_point(|start| *start < line_end);
        let (here, later) = open.split_at(inside);
        open = later;
        // From the end, so that earlier offsets stay right.
        let new_line = here.iter().rev().fold(line.to_string(), |mut text, start| {
            let at = start - line_start;
            text.replace_range(at..at + old_name.len(), new_name);
            text
        });
        new_lines.push((!here.is_empty()).then_some(new_line));
        line_start = line_end;
    }
    new_lines
}

/// Writes a line of a hunk, and says if the file ends without a line break.
fn write_line(patch: &mut String, mark: char, line: &str) {
    let _ = write!(patch, "{mark}{line}");
    if !line.ends_with('\n') {
        patch.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::NameCertainty;
    use kenning_model::RepoPath;

    /// Replaces every `a` by `long`.
    fn patch_of(text: &str) -> String {
        let sites = text.match_indices('a').map(|(start, _)| NameSite {
            start,
            line: 1,
            certainty: NameCertainty::Certain,
        });
        let file = FileNameSites {
            path: RepoPath::new("x.rs").unwrap(),
            text: text.to_string(),
            sites: sites.collect(),
        };
        write_patch(&[&file], "a", "long", |_| true)
    }

    #[test]
    fn neighbouring_changes_share_a_hunk() {
        let text = "1\na a\na\n4\n5\n6\n7\n8\n9\n10\n11\n12\na";
        let expected = "\
diff --git a/x.rs b/x.rs
--- a/x.rs
+++ b/x.rs
@@ -1,6 +1,6 @@
 1
-a a
-a
+long long
+long
 4
 5
 6
@@ -10,4 +10,4 @@
 10
 11
 12
-a
\\ No newline at end of file
+long
\\ No newline at end of file
";
        assert_eq!(patch_of(text), expected);
        assert_eq!(patch_of("b\n"), "");
    }
}
