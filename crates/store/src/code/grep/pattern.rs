//! The pattern of a text search, and the lines of a text that it matches. Semantics follow ripgrep:
//! a regular expression matches within one line; a literal may span several.

use std::time::Instant;

use memchr::memmem::Finder;
use memchr::{memchr, memchr_iter, memrchr};
use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use super::required_literals::RequiredLiterals;

/// A compiled pattern, with the literals that narrow the search to candidate files.
pub struct Pattern {
    matcher: Matcher,
    pub(super) required: RequiredLiterals,
}

enum Matcher {
    Literal(Box<Finder<'static>>),
    Expression(Regex),
}

/// The message for a pattern that cannot be compiled.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadPattern(String);

/// Nothing was found out in time.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the search takes too long; put a longer literal part into the expression, or narrow it by `payload`"
)]
/// The search did not end before its deadline.
pub struct DeadlineExceeded;

/// The largest size of a compiled expression, in bytes: enough for repetitions such as `\w{32,40}`.
/// With this limit and slices of [`SLICE_BYTES`], even a malicious expression is interrupted soon.
const MAX_EXPRESSION: usize = 10 << 20;

/// The bytes that are matched between two looks at the clock, plus the rest of the line.
const SLICE_BYTES: usize = 4 << 10;

impl Pattern {
    /// Exactly this text; it may have several lines.
    pub fn exact(text: &str) -> Pattern {
        Pattern {
            matcher: Matcher::Literal(Box::new(Finder::new(text).into_owned())),
            required: RequiredLiterals::Literal(text.to_string()),
        }
    }

    /// This text, whatever its capitals.
    pub fn ignoring_case(text: &str) -> Result<Pattern, BadPattern> {
        let expression = format!("(?i){}", regex::escape(text));
        Pattern::expression(&expression)
    }

    /// A regular expression within one line, in the syntax that ripgrep has.
    pub fn expression(text: &str) -> Result<Pattern, BadPattern> {
        let parser = ParserBuilder::new().utf8(false).multi_line(true).build().parse(text);
        let hir = parser.map_err(|error| BadPattern(summarize_error(&error.to_string())))?;
        if has_line_end(&hir) {
            let why = "a regular expression matches within one line, so it cannot have \\n in it";
            return Err(BadPattern(why.to_string()));
        }
        let mut builder = RegexBuilder::new(text);
        let built = builder
            .multi_line(true)
            .size_limit(MAX_EXPRESSION)
            .dfa_size_limit(MAX_EXPRESSION)
            .build();
        Ok(Pattern {
            matcher: Matcher::Expression(
                built.map_err(|error| BadPattern(summarize_error(&error.to_string())))?,
            ),
            required: RequiredLiterals::from_expression(&hir),
        })
    }

    /// Returns the literals that a matching text must contain.
    pub(crate) fn required_literals(&self) -> &RequiredLiterals {
        &self.required
    }

    /// Returns the numbers of the lines in which a match begins, from 1.
    pub fn matching_lines(
        &self,
        text: &[u8],
        deadline: Option<Instant>,
    ) -> Result<Vec<u32>, DeadlineExceeded> {
        match &self.matcher {
            Matcher::Literal(finder) => Ok(collect_lines(text, |text| finder.find(text))),
            Matcher::Expression(regex) => {
                let mut lines = Vec::new();
                let mut before = 0;
                for piece in split_at_lines(text) {
                    if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                        return Err(DeadlineExceeded);
                    }
                    let found = collect_lines(piece, |text| find_within_line(regex, text));
                    lines.extend(found.into_iter().map(|line| line + before));
                    before += memchr_iter(b'\n', piece).count() as u32;
                }
                Ok(lines)
            }
        }
    }
}

/// Collects the lines of all matches. `find` returns the position of the first match in a text that
/// begins at a line start.
fn collect_lines(text: &[u8], find: impl Fn(&[u8]) -> Option<usize>) -> Vec<u32> {
    let mut lines = Vec::new();
    let (mut start, mut number) = (0, 1);
    while let Some(at) = text.get(start..).and_then(&find) {
        let at = start + at;
        number += memchr_iter(b'\n', &text[start..at]).count() as u32;
        // Nothing matches behind the last line end; grep does not see a line there either.
        if at == text.len() && (text.is_empty() || text.ends_with(b"\n")) {
            break;
        }
        lines.push(number);
        match memchr(b'\n', &text[at..]) {
            Some(end) => start = at + end + 1,
            None => break,
        }
        number += 1;
    }
    lines
}

/// Finds the first match that ends in its own line. An expression may match line ends, as `\s`
/// does; then only its line is searched again.
fn find_within_line(regex: &Regex, text: &[u8]) -> Option<usize> {
    let mut start = 0;
    loop {
        let found = regex.find_at(text, start)?;
        if memchr(b'\n', found.as_bytes()).is_none() {
            return Some(found.start());
        }
        let line_start = memrchr(b'\n', &text[..found.start()]).map_or(0, |end| end + 1);
        let line_end =
            memchr(b'\n', &text[found.start()..]).map_or(text.len(), |end| found.start() + end);
        if let Some(found) = regex.find(&text[line_start..line_end]) {
            return Some(line_start + found.start());
        }
        start = line_end + 1;
        if start > text.len() {
            return None;
        }
    }
}

/// Splits a text into slices of whole lines, each at least [`SLICE_BYTES`] long but the last.
fn split_at_lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.get(SLICE_BYTES..).and_then(|behind| memchr(b'\n', behind));
        let (piece, behind) = rest.split_at(end.map_or(rest.len(), |end| SLICE_BYTES + end + 1));
        rest = behind;
        Some(piece)
    })
}

/// True if the expression names a line end literally. Such an expression can never match, which is
/// worth an error.
fn has_line_end(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Capture(capture) => has_line_end(&capture.sub),
        HirKind::Repetition(repetition) => has_line_end(&repetition.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(has_line_end),
        HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => false,
    }
}

/// Shortens an error of the regex parser: its last line has the reason, those before draw the
/// position.
fn summarize_error(complaint: &str) -> String {
    let reason = complaint.lines().last().unwrap_or(complaint).trim().trim_start_matches("error: ");
    if reason.contains("exceeds size limit") {
        let why = "the expression is too large to be matched in time: count to less, or write \
                   [A-Za-z0-9_] for \\w";
        return why.to_string();
    }
    format!("not a regular expression: {reason}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn check(pattern: Pattern, text: &str, expected: &[u32]) {
        assert_eq!(pattern.matching_lines(text.as_bytes(), None).unwrap(), expected);
    }

    #[test]
    fn lines_of_a_text() {
        check(Pattern::exact("ab"), "ab ab\nb\nxabx", &[1, 3]);
        check(Pattern::exact("b\nc"), "a b\nc\nb\nd\nb\nc\n", &[1, 5]);
        check(Pattern::exact("AB"), "ab", &[]);
        check(Pattern::ignoring_case("aB.").unwrap(), "ab\nAb.\n", &[2]);
    }

    #[test]
    fn expressions_stay_within_lines() {
        let expression = |text: &str| Pattern::expression(text).unwrap();
        check(expression(r"a\s+b"), "a\nb\na b\n", &[3]);
        check(expression("^b$"), "ab\nb\n", &[2]);
        check(expression("[^x]+z"), "y\nyz\n", &[2]);
        check(expression("^$"), "a\n\nb\n", &[2]);
        check(expression("x*"), "a\nb", &[1, 2]);
        check(expression("x*"), "a\n", &[1]);
        check(expression("x*"), "", &[]);
        let long = "word ".repeat(SLICE_BYTES);
        check(expression("end"), &format!("{long}\n{long}\nend\n"), &[3]);
    }

    #[test]
    fn what_people_count_is_no_too_large_expression() {
        for expression in [r"\w{25}", r"\b\w{32,40}\b", r"[\w.]{1,64}@[\w.]{1,64}"] {
            let pattern = Pattern::expression(expression).unwrap();
            let text = format!("a\n{}@example.org\n", "x".repeat(34));
            assert_eq!(pattern.matching_lines(text.as_bytes(), None), Ok(vec![2]), "{expression}");
        }
        let error = Pattern::expression(r"(\w{100}){100}").err().unwrap();
        assert!(error.to_string().contains("too large"), "{error}");
    }

    #[test]
    fn bad_ones_are_refused() {
        let refused = |text: &str| Pattern::expression(text).err().unwrap().to_string();
        assert!(refused("(a").contains("unclosed group"), "{}", refused("(a"));
        assert!(refused("a\\nb").contains("one line"));
        assert!(refused(r"\w{1000}{1000}").contains("too large"), "{}", refused(r"\w{1000}{1000}"));
    }

    #[test]
    fn time_runs_out() {
        let pattern = Pattern::expression("a+b").unwrap();
        let past = Instant::now() - Duration::from_secs(1);
        assert_eq!(pattern.matching_lines(b"aab", Some(past)), Err(DeadlineExceeded));
    }
}
