//! `--format compact`: a line for each hit, for readers who skim and for agents that pay by the
//! token. The line has the signature of the definition.

use super::command_wording::word_for_terminal;
use super::sanitize::escape_controls;
use crate::front::hit_view::{AnswerView, HitView};

/// The most characters of a definition.
const WIDTH: usize = 100;

/// Formats the hits and the notice.
pub fn format_lines(answer: &AnswerView) -> String {
    let notice = answer
        .notice
        .map(|notice| format!("notice: {}", escape_controls(&word_for_terminal(notice))));
    let lines = answer.add_notice(answer.hits.iter().map(format_line).collect(), notice);
    if lines.is_empty() { "nothing found".to_string() } else { lines.join("\n") }
}

/// Formats one hit: place, kind, name and the text of the definition's line.
fn format_line(hit: &HitView) -> String {
    let definition: String = signature(hit).chars().take(WIDTH).collect();
    let symbol = hit.symbol.unwrap_or_default();
    let name = match hit.scope.unwrap_or_default() {
        "" => symbol.to_string(),
        scope => format!("{scope}.{symbol}"),
    };
    let stale = if hit.is_stale { "  (stale)" } else { "" };
    let place = format!("{}:{}", hit.path, hit.definition_line());
    let parts =
        [place.as_str(), hit.kind, &name, &definition].into_iter().filter(|part| !part.is_empty());
    // A file may be called anything; a terminal must not obey it.
    let line = parts.collect::<Vec<_>>().join("  ") + stale;
    escape_controls(&line)
}

/// Returns the line of the definition, and the lines after it until its brackets are closed: a
/// signature often has a line for each parameter. The brace that opens the body is left out.
fn signature(hit: &HitView) -> String {
    /// The output cuts a longer signature anyway.
    const MAX_LINES: usize = 12;
    let (first, _) = hit.definition();
    let mut signature = String::new();
    for line in hit.content.lines().skip(first).take(MAX_LINES) {
        let gap = if signature.is_empty() || signature.ends_with(['(', '[']) { "" } else { " " };
        signature += &format!("{gap}{}", line.trim());
        let count = |signs: [char; 2]| signature.matches(signs).count();
        if count(['(', '[']) <= count([')', ']']) {
            break;
        }
    }
    signature.trim_end_matches([' ', '{']).replace(",)", ")").replace(", )", ")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_where_the_definition_is() {
        let hits = [
            HitView {
                path: "a.rs",
                start_line: 3,
                kind: "method",
                symbol: Some("run"),
                scope: Some("Job"),
                content: "/// Lets it run.\n#[must_use]\n    pub fn run(\n        how: &[u8],\n    ) {\n",
                ..HitView::default()
            },
            HitView {
                path: "b\u{1b}[31m.md",
                start_line: 7,
                kind: "section",
                symbol: Some("Words"),
                language: "markdown",
                content: "\n# Words\nWords.\n",
                is_stale: true,
                ..HitView::default()
            },
        ];
        let answer = AnswerView { hits: hits.to_vec(), notice: Some("old"), is_weak: false };
        assert_eq!(
            format_lines(&answer),
            "a.rs:5  method  Job.run  pub fn run(how: &[u8])\nb [31m.md:8  section  Words  # Words  (stale)\nnotice: old"
        );
        let weak = format_lines(&AnswerView { is_weak: true, ..answer });
        assert!(weak.starts_with("notice: old\na.rs:5"), "{weak}");
        assert_eq!(format_lines(&AnswerView::default()), "nothing found");
    }
}
