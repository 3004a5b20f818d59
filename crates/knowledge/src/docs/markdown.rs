//! A Markdown file as lines, plus the two facts that only a Markdown parser can tell. Those are the
//! headings, and the lines that are literal: code, HTML and front matter.
//!
//! Spec parsing works by line, because findings need line numbers and texts are shown as written. A
//! rendered tree would lose both. Inline markup is not interpreted.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};

/// The lines of one file, with its headings and literal lines.
pub struct Markdown {
    /// Without line ends, whichever the file has.
    pub lines: Vec<String>,
    pub headings: Vec<Heading>,
    /// One flag per line of `lines`.
    is_literal: Vec<bool>,
    /// Where a code fence begins that never ends, 1-based.
    pub open_fence: Option<u32>,
}

/// One heading outside of block quotes.
#[derive(Debug, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: usize,
    /// Its text, including inline Markdown.
    pub text: String,
    /// The lines that it takes, 0-based.
    pub lines: Range<usize>,
    pub form: HeadingForm,
    /// True if it is inside a list.
    pub is_in_list: bool,
}

/// The two ways in which Markdown writes a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadingForm {
    /// `## Text`
    Hashes,
    /// Text with a line of `=` or `-` below it.
    Underlined,
}

impl Markdown {
    /// Parses a file. Line ends of any kind and a byte order mark are accepted. Cannot fail: every
    /// text is Markdown.
    pub fn parse(text: &str) -> Markdown {
        let text =
            text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n").replace('\r', "\n");
        let mut markdown = Markdown {
            lines: text.lines().map(str::to_string).collect(),
            headings: Vec::new(),
            is_literal: Vec::new(),
            open_fence: None,
        };
        markdown.is_literal = vec![false; markdown.lines.len()];
        let front = count_front_matter_lines(&markdown.lines);
        markdown.mark_literal(0..front);
        markdown.scan_blocks(&blank_first_lines(text, front));
        markdown
    }

    /// True if the line is code, HTML or front matter.
    pub fn is_literal(&self, line: usize) -> bool {
        self.is_literal.get(line).copied().unwrap_or(false)
    }

    /// The lines as text, without blank lines and rules at both ends.
    pub fn text(&self, range: Range<usize>) -> String {
        let range = self.trim_range(range);
        self.lines[range].iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
    }

    /// Shrinks a range of lines until neither end is a blank line or a rule. Rules inside of
    /// literal text count as text.
    pub fn trim_range(&self, mut range: Range<usize>) -> Range<usize> {
        let is_empty = |line: usize| {
            let text = self.lines[line].trim();
            text.is_empty() || !self.is_literal(line) && is_rule(text)
        };
        while range.start < range.end && is_empty(range.start) {
            range.start += 1;
        }
        while range.start < range.end && is_empty(range.end - 1) {
            range.end -= 1;
        }
        range
    }

    /// Runs the Markdown parser over `text` and records headings, literal lines and an unclosed
    /// fence. `text` must have the line structure of `self.lines`.
    fn scan_blocks(&mut self, text: &str) {
        let starts = line_starts(text);
        let line_of = |offset: usize| starts.partition_point(|start| *start <= offset) - 1;
        let mut lists = 0usize;
        let mut quotes = 0usize;
        for (event, range) in Parser::new(text).into_offset_iter() {
            // A block's range may include its final newline, so the last line is that of the byte
            // before.
            let last = range.end.saturating_sub(1).max(range.start);
            let lines = line_of(range.start)..line_of(last) + 1;
            match event {
                Event::Start(Tag::List(_)) => lists += 1,
                Event::End(TagEnd::List(_)) => lists -= 1,
                Event::Start(Tag::BlockQuote(_)) => quotes += 1,
                Event::End(TagEnd::BlockQuote(_)) => quotes -= 1,
                // A quoted heading is a quotation of another document, not structure of this one.
                Event::Start(Tag::Heading { level, .. }) if quotes == 0 => {
                    let source = &text[range];
                    let is_listed = lists > 0;
                    self.headings.push(build_heading(level, source, lines, is_listed));
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    if matches!(kind, CodeBlockKind::Fenced(_)) && is_unclosed_fence(text, &range) {
                        self.open_fence = Some(lines.start as u32 + 1);
                    }
                    self.mark_literal(lines);
                }
                Event::Start(Tag::HtmlBlock) => self.mark_literal(lines),
                _ => {}
            }
        }
    }

    /// Marks lines as literal; the range may reach past the end of the file.
    fn mark_literal(&mut self, lines: Range<usize>) {
        let end = lines.end.min(self.is_literal.len());
        self.is_literal[lines.start.min(end)..end].fill(true);
    }
}

/// Returns the number of lines of the front matter, both marks included; 0 if there is none.
///
/// Only the first line of a file opens one, and only before a field. A rule uses the same dashes,
/// and the text between two rules is Markdown. A heading of level 2 before the closing mark shows
/// that the mark is missing.
fn count_front_matter_lines(lines: &[String]) -> usize {
    let mut lines = lines.iter().map(|line| line.trim_end());
    if lines.next() != Some("---") {
        return 0;
    }
    let mut numbered = lines.enumerate();
    let has_fields = numbered.next().is_some_and(|(_, line)| is_field(line));
    let end = numbered.find(|(_, line)| matches!(*line, "---" | "...") || line.starts_with("##"));
    match end {
        Some((index, mark)) if has_fields && !mark.starts_with('#') => index + 2,
        _ => 0,
    }
}

/// True for `key: value` and `key:`.
fn is_field(line: &str) -> bool {
    let key = line.split_once(':').filter(|(key, value)| {
        let is_spaced = value.is_empty() || value.starts_with(' ');
        is_spaced && !key.is_empty() && !key.starts_with(['#', '-', ' '])
    });
    key.is_some_and(|(key, _)| !key.contains(' '))
}

/// Replaces the first `count` lines by blanks, so that all byte offsets and line numbers stay. The
/// Markdown parser would read front matter as an underlined heading.
fn blank_first_lines(mut text: String, count: usize) -> String {
    let end = line_starts(&text).get(count).copied().unwrap_or(text.len());
    let blank: String = text[..end]
        .bytes()
        .map(|byte| match byte {
            b'\n' => '\n',
            _ => ' ',
        })
        .collect();
    text.replace_range(..end, &blank);
    text
}

/// True for a thematic break: three or more of one of `-`, `*` and `_`, perhaps spaced.
fn is_rule(text: &str) -> bool {
    let marks: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    marks.len() >= 3 && ['-', '*', '_'].iter().any(|mark| marks.iter().all(|c| c == mark))
}

/// The byte offsets at which lines start; the first is 0.
fn line_starts(text: &str) -> Vec<usize> {
    let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(breaks).collect()
}

/// Builds a heading from its source. Runs of white space in its text become one blank.
fn build_heading(
    level: HeadingLevel,
    source: &str,
    lines: Range<usize>,
    is_listed: bool,
) -> Heading {
    let source = source.trim();
    let form = if source.starts_with('#') { HeadingForm::Hashes } else { HeadingForm::Underlined };
    let text = match form {
        HeadingForm::Hashes => strip_closing_hashes(source.trim_start_matches('#').trim()),
        // The last line is the underline. If it is the only line, the file is cut off there.
        HeadingForm::Underlined => source.rsplit_once('\n').map_or(source, |(text, _)| text),
    };
    Heading {
        level: level as usize,
        text: text.split_whitespace().collect::<Vec<_>>().join(" "),
        lines,
        form,
        is_in_list: is_listed,
    }
}

/// Strips the closing hashes of `## Text ##`. In `## C#` the hash is not set off by a blank, so it
/// stays.
fn strip_closing_hashes(text: &str) -> &str {
    let stripped = text.trim_end_matches('#');
    if stripped.len() < text.len() && (stripped.is_empty() || stripped.ends_with([' ', '\t'])) {
        stripped.trim_end()
    } else {
        text
    }
}

/// True if a fenced block reaches the end of the file without a closing fence.
fn is_unclosed_fence(text: &str, block: &Range<usize>) -> bool {
    if block.end < text.trim_end().len() {
        return false;
    }
    let block = &text[block.clone()];
    let mut lines = block.trim_end().lines();
    let opening = lines.next().unwrap_or_default().trim_start();
    let mark = opening.chars().next().unwrap_or('`');
    let length = opening.chars().take_while(|c| *c == mark).count();
    let is_closing = |line: &str| {
        let line = line.trim_start_matches([' ', '\t', '>']).trim_end();
        line.len() >= length && line.chars().all(|c| c == mark)
    };
    !lines.next_back().is_some_and(is_closing)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(usize, &str, usize)]) {
        let markdown = Markdown::parse(text);
        let headings = markdown.headings.iter();
        let found: Vec<_> = headings
            .map(|heading| (heading.level, heading.text.as_str(), heading.lines.start))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn headings_are_where_markdown_has_them() {
        check("# A\n\n## B ##\n###C\n", &[(1, "A", 0), (2, "B", 2)]);
        check("\u{feff}# A\r\n\r\n## `B`\r\n", &[(1, "A", 0), (2, "`B`", 2)]);
        check("## C#\n   ### D\n    #### E\n", &[(2, "C#", 0), (3, "D", 1)]);
        check("Title\n=====\n", &[(1, "Title", 0)]);
        check("---\ntitle: x\n---\n# A\n", &[(1, "A", 3)]);
        check("> # quoted\n\n- # listed\n", &[(1, "listed", 2)]);
    }

    #[test]
    fn headings_in_code_and_comments_are_none() {
        check("```md\n# A\n```\n~~~\n# B\n~~~\n# C\n", &[(1, "C", 6)]);
        check("<!--\n# A\n\n# B\n-->\n# C\n", &[(1, "C", 5)]);
        check("- item\n  ```\n  # A\n  ```\n# B\n", &[(1, "B", 4)]);
    }

    /// A rule with text right below it opens no block of metadata, wherever it stands.
    #[test]
    fn only_fields_at_the_very_beginning_are_front_matter() {
        check("# A\n\n---\nText.\n\n### B\n\n---\n", &[(1, "A", 0), (3, "B", 5)]);
        check("---\nText.\n\n### B\n\n---\n", &[(3, "B", 3)]);
        check("---\na: b\n### B\n\n---\n", &[(3, "B", 2)]);
        check("\n---\na: b\n---\n# A\n", &[(2, "a: b", 2), (1, "A", 4)]);
        check("---\na: b\n# c\n\nd:\n  - e\n...\n# A\n", &[(1, "A", 7)]);
        check("---\na: ä\n---\n# Ä\n", &[(1, "Ä", 3)]);
        check("---\na: b\n", &[]);
        check("---\n", &[]);
    }

    #[test]
    fn a_fence_that_never_ends_is_noticed() {
        for (text, expected) in [
            ("a\n```\nb\n", Some(2)),
            ("a\n```\nb\n```\n", None),
            ("```\n``", Some(1)),
            ("- a\n  ```\n  b\n\nc\n", None),
            ("````\n```\n", Some(1)),
            ("```", Some(1)),
        ] {
            assert_eq!(Markdown::parse(text).open_fence, expected, "{text:?}");
        }
    }

    #[test]
    fn text_has_no_blank_edges() {
        let markdown = Markdown::parse("\n  a  \n\n b\n\n---\n\n");
        assert_eq!(markdown.text(0..markdown.lines.len()), "  a\n\n b");
    }
}
