//! Trims the lines of a definition to the parts that matter. A cut is always between statements:
//! a statement that spans several lines is kept or left out as a whole.
//!
//! The structure comes from the indentation. A parse tree would be exact, but the index stores
//! text, and indentation serves every language, broken files too.

use std::ops::Range;

/// The lines of a definition, each with its weight for the question.
pub struct WeightedLines<'t> {
    /// The lines, the first of which begins the definition.
    pub lines: Vec<&'t str>,
    /// The weight of each line; zero for a line that says nothing about the question.
    pub weights: Vec<f32>,
    /// The index of the line with the name: comments and attributes may precede it.
    pub name_line: usize,
}

/// The longest header of a definition, such as a list of parameters.
const MAX_HEADER: usize = 24;

/// The lines of a comment before a definition that are kept if the definition is trimmed.
const COMMENT_LINES: usize = 3;

/// A gap of so many lines is kept: a marker would cost as much.
const SMALLEST_GAP: usize = 2;

/// A block of so many lines is kept as a whole if its head matters.
const SMALL_BLOCK: usize = 5;

/// Returns the ranges of lines to show, in order: the header, and at most `most` lines of the body.
pub fn trim_to_statements(text: &WeightedLines, most: usize) -> Vec<Range<usize>> {
    let count = text.lines.len();
    if count <= most.max(1) {
        return std::iter::once(0..count).collect();
    }
    let tree = StatementTree::new(text);
    let mut kept = vec![false; count];
    let comment = 0..text.name_line.min(COMMENT_LINES);
    for line in comment.chain(text.name_line..tree.body) {
        kept[line] = true;
    }
    let mut order: Vec<usize> = (tree.body..count).collect();
    // Lines without weight follow in their order, so that the rest of the budget is filled from the
    // top.
    order.sort_by(|a, b| text.weights[*b].total_cmp(&text.weights[*a]).then(a.cmp(b)));
    let mut spent = 0;
    for line in order {
        let mut wanted: Vec<usize> = tree.whole_statement(line);
        wanted.retain(|line| !kept[*line]);
        if wanted.is_empty() || spent + wanted.len() > most {
            continue;
        }
        spent += wanted.len();
        for line in wanted {
            kept[line] = true;
        }
    }
    close_small_gaps(text, &mut kept);
    to_ranges(&kept)
}

/// Keeps gaps that are as short as their marker would be, and drops blank lines at the borders.
fn close_small_gaps(text: &WeightedLines, kept: &mut [bool]) {
    let mut gap = 0..0;
    for line in 0..kept.len() {
        if !kept[line] {
            gap.end = line + 1;
            continue;
        }
        if gap.len() <= SMALLEST_GAP && gap.start > 0 {
            kept[gap.clone()].fill(true);
        }
        gap = line + 1..line + 1;
    }
    for line in 0..kept.len() {
        let is_blank = text.lines[line].trim().is_empty();
        let is_border = line + 1 == kept.len() || !kept[line + 1] || line == 0 || !kept[line - 1];
        if is_blank && is_border {
            kept[line] = false;
        }
    }
}

/// Converts flags to ranges.
fn to_ranges(kept: &[bool]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for line in (0..kept.len()).filter(|line| kept[*line]) {
        match ranges.last_mut() {
            Some(last) if last.end == line => last.end = line + 1,
            _ => ranges.push(line..line + 1),
        }
    }
    ranges
}

/// The statements of a definition by indentation.
struct StatementTree {
    /// The first line after the header.
    body: usize,
    /// The enclosing line of each line; `None` at the top level of the body.
    parents: Vec<Option<usize>>,
    /// The line after the last one of the statement that begins at each line.
    ends: Vec<usize>,
    /// The line that closes the statement of each line, such as a lone bracket.
    closers: Vec<Option<usize>>,
    /// True for a line that opens a block of statements, between which a cut may be.
    opens_block: Vec<bool>,
}

impl StatementTree {
    fn new(text: &WeightedLines) -> StatementTree {
        let lines = &text.lines;
        let indents = indents(lines);
        let limit = (text.name_line + MAX_HEADER).min(lines.len());
        let opener = (text.name_line..limit).find(|line| is_block_opener(lines[*line]));
        let mut tree = StatementTree {
            body: opener.unwrap_or(text.name_line) + 1,
            parents: vec![None; lines.len()],
            ends: (1..=lines.len()).collect(),
            closers: vec![None; lines.len()],
            opens_block: lines.iter().map(|line| is_block_opener(line)).collect(),
        };
        let mut open: Vec<usize> = Vec::new();
        for line in tree.body..lines.len() {
            let mut closed = None;
            while let Some(above) = open.pop_if(|above| indents[*above] >= indents[line]) {
                tree.ends[above] = line;
                closed = Some(above);
            }
            let opener = closed.filter(|above| {
                indents[*above] == indents[line] && *above + 1 < line && is_closer(lines[line])
            });
            match opener {
                Some(opener) => {
                    tree.ends[opener] = line + 1;
                    tree.closers[opener] = Some(line);
                    tree.parents[line] = Some(opener);
                }
                None => tree.parents[line] = open.last().copied(),
            }
            open.push(line);
        }
        for above in open {
            tree.ends[above] = lines.len();
        }
        tree
    }

    /// Returns the lines that are needed to show a line: its statement, and the heads of the blocks
    /// around it with their closing lines.
    fn whole_statement(&self, line: usize) -> Vec<usize> {
        let mut statement = line;
        let mut enclosing: Vec<usize> = Vec::new();
        let mut above = self.parents[line];
        while let Some(at) = above {
            if self.opens_block[at] {
                enclosing.push(at);
            } else {
                // A line within a call or a list belongs to the statement around it.
                statement = at;
                enclosing.clear();
            }
            above = self.parents[at];
        }
        let is_short = self.ends[statement] - statement <= SMALL_BLOCK;
        let mut wanted: Vec<usize> = if is_short || !self.opens_block[statement] {
            (statement..self.ends[statement]).collect()
        } else {
            self.head_and_closer(statement).collect()
        };
        wanted.extend(enclosing.into_iter().flat_map(|at| self.head_and_closer(at)));
        wanted.sort_unstable();
        wanted.dedup();
        wanted
    }

    /// Returns the first line of a statement, and the line that closes it.
    fn head_and_closer(&self, line: usize) -> impl Iterator<Item = usize> {
        std::iter::once(line).chain(self.closers[line])
    }
}

/// The width of the indentation of each line. A blank line has that of the next one with text.
fn indents(lines: &[&str]) -> Vec<usize> {
    let mut below = 0;
    let mut widths: Vec<usize> = lines
        .iter()
        .rev()
        .map(|line| {
            if !line.trim().is_empty() {
                let blanks = line.chars().take_while(|c| c.is_whitespace());
                below = blanks.map(|blank| if blank == '\t' { 4 } else { 1 }).sum();
            }
            below
        })
        .collect();
    widths.reverse();
    widths
}

/// True for a line that only closes what an earlier line opened.
fn is_closer(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(['}', ')', ']']) || line == "end" || line.starts_with("end ") || line == "fi"
}

/// True for a line after which statements follow, and not the rest of the same statement.
fn is_block_opener(line: &str) -> bool {
    let line = line.trim_end();
    let first = line.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_').next();
    let ends_open = line.ends_with(['{', ':', '|'])
        || ["=>", "->", " do", " then", " of", " where", "else", "begin", "try"]
            .iter()
            .any(|end| line.ends_with(end));
    ends_open
        || first.is_some_and(|word| BLOCK_WORDS.contains(&word)) && !line.ends_with([',', '('])
}

/// Words that open a block without a sign at the end of the line.
const BLOCK_WORDS: &[&str] = &[
    "def", "defp", "class", "module", "if", "unless", "while", "until", "for", "case", "when",
    "begin", "else", "elsif", "rescue", "ensure", "function", "local",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The kept lines, with `…` for each gap.
    fn trim(text: &str, wanted: &str, most: usize) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let weights = lines.iter().map(|line| f32::from(u8::from(line.contains(wanted)))).collect();
        let text = WeightedLines { lines: lines.clone(), weights, name_line: 0 };
        let parts = trim_to_statements(&text, most);
        let parts: Vec<String> = parts.into_iter().map(|range| lines[range].join("\n")).collect();
        parts.join("\n…\n")
    }

    const LONG: &str = "\
fn open(path: &str) -> Store {
    let first = 1;
    let second = 2;
    let third = 3;
    if first > second {
        let fourth = 4;
        let fifth = 5;
        let sixth = 6;
        needle(
            fourth,
            fifth,
        );
        let seventh = 7;
        let eighth = 8;
    }
    let ninth = 9;
    let tenth = 10;
    let eleventh = 11;
}";

    #[test]
    fn a_short_definition_stays_whole() {
        assert_eq!(trim(LONG, "needle", 19), LONG);
    }

    #[test]
    fn a_statement_is_kept_whole_within_its_block() {
        let expected = "\
fn open(path: &str) -> Store {
…
    if first > second {
…
        needle(
            fourth,
            fifth,
        );
        let seventh = 7;
        let eighth = 8;
    }";
        assert!(trim(LONG, "needle", 6).starts_with(expected), "{}", trim(LONG, "needle", 6));
        // A word within the arguments brings the whole call.
        assert!(trim(LONG, "fifth,", 6).starts_with(expected));
    }

    #[test]
    fn without_a_match_the_top_is_kept() {
        let expected = "fn open(path: &str) -> Store {\n    let first = 1;\n    let second = 2;";
        assert_eq!(trim(LONG, "nothing of this", 2), expected);
    }

    #[test]
    fn indentation_alone_is_enough() {
        let text = "\
def send(self,
         request):
    first = 1
    second = 2
    third = 3
    for try_number in range(3):
        fourth = 4
        fifth = 5
        sixth = 6
        retry(request)
    seventh = 7";
        let expected = "\
def send(self,
         request):
…
    for try_number in range(3):
…
        retry(request)";
        assert_eq!(trim(text, "retry", 2), expected);
    }
}
