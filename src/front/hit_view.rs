//! A hit of a code search, whichever operation found it, and the line of its definition. The entry
//! points format it.
//!
//! The line matters because a chunk often begins with comments and attributes, and people want to
//! land on the name.

use crate::ops::OrderedMap;
use crate::ops::code::search_code::{CodeHit, SearchCodeReply};
use crate::ops::collections::collection_hit::CollectionHit;

/// A borrowed view of a hit, common to all search operations.
#[derive(Clone, Copy, Default)]
pub struct HitView<'r> {
    /// The path below the root.
    pub path: &'r str,
    /// The first line of the chunk.
    pub start_line: u32,
    /// The line of the symbol's name, if the reply has it.
    pub line: Option<u32>,
    /// The kind of its main symbol.
    pub kind: &'r str,
    /// The text of the chunk.
    pub content: &'r str,
    /// The members of a large type, each with its line.
    pub outline: &'r [String],
    /// The name of its main symbol.
    pub symbol: Option<&'r str>,
    /// The enclosing definitions.
    pub scope: Option<&'r str>,
    /// The language, in lower case.
    pub language: &'r str,
    /// The package of its file.
    pub package: Option<&'r str>,
    /// The score, if something ranked it.
    pub score: Option<f64>,
    /// The parts of the score, if they were requested.
    pub why: Option<&'r OrderedMap<f64>>,
    /// The collection, where hits of several are shown.
    pub collection: Option<&'r str>,
    /// How a text was found in it.
    pub found_how: Option<&'r str>,
    /// True for test code.
    pub is_test: bool,
    /// True if the file changed since it was indexed.
    pub is_stale: bool,
}

/// The hits of a search with their caveats.
#[derive(Default)]
pub struct AnswerView<'r> {
    /// The hits, best first.
    pub hits: Vec<HitView<'r>>,
    /// The caveats.
    pub notice: Option<&'r str>,
    /// True if the hits are probably no answer.
    pub is_weak: bool,
}

impl<'r> From<&'r SearchCodeReply> for AnswerView<'r> {
    fn from(reply: &'r SearchCodeReply) -> AnswerView<'r> {
        AnswerView {
            hits: reply.results.iter().map(HitView::from).collect(),
            notice: reply.notice.as_deref(),
            is_weak: reply.weak,
        }
    }
}

impl AnswerView<'_> {
    /// Adds the notice to the formatted hits: after them, or before weak ones.
    pub fn add_notice(&self, hits: Vec<String>, notice: Option<String>) -> Vec<String> {
        if self.is_weak {
            notice.into_iter().chain(hits).collect()
        } else {
            hits.into_iter().chain(notice).collect()
        }
    }
}

impl<'r> From<&'r CodeHit> for HitView<'r> {
    fn from(hit: &'r CodeHit) -> HitView<'r> {
        HitView {
            path: &hit.path,
            start_line: hit.start_line,
            line: hit.line,
            kind: &hit.kind,
            content: &hit.content,
            outline: &hit.outline,
            symbol: hit.symbol.as_deref(),
            scope: hit.scope.as_deref(),
            language: &hit.language,
            package: hit.package.as_deref(),
            score: Some(hit.score),
            why: hit.why.as_ref(),
            collection: None,
            found_how: None,
            is_test: hit.is_test,
            is_stale: hit.stale,
        }
    }
}

impl<'r> From<&'r CollectionHit> for HitView<'r> {
    fn from(hit: &'r CollectionHit) -> HitView<'r> {
        HitView {
            path: &hit.file_path,
            start_line: hit.start_line,
            line: None,
            kind: &hit.kind,
            content: &hit.text,
            outline: &hit.outline,
            symbol: hit.symbol.as_deref(),
            scope: hit.scope.as_deref(),
            language: &hit.language,
            package: hit.package.as_deref(),
            score: hit.score,
            why: None,
            collection: None,
            found_how: hit.found_how.as_deref(),
            is_test: hit.is_test,
            is_stale: hit.stale,
        }
    }
}

/// Prefixes of comment lines in the supported languages. A comment is not the definition itself.
const COMMENTS: &[&str] = &["//", "#", "*", "/*", "--", "\"\"\"", ";"];

impl<'r> HitView<'r> {
    /// Returns the line of the definition in the file.
    pub fn definition_line(&self) -> u32 {
        self.start_line + self.definition().0 as u32
    }

    /// Returns the line that names the symbol, else the first non-blank one, with its index in the
    /// content.
    pub fn definition(&self) -> (usize, &'r str) {
        let known =
            self.line.and_then(|line| line.checked_sub(self.start_line)).and_then(|index| {
                let index = index as usize;
                Some((index, self.content.lines().nth(index)?.trim()))
            });
        known.unwrap_or_else(|| self.guess_definition())
    }

    /// Guesses the line of the definition for replies that do not have it: the first line outside
    /// of comments that contains the name.
    fn guess_definition(&self) -> (usize, &'r str) {
        let comments: &[&str] = match self.language {
            "markdown" => &[],
            _ => COMMENTS,
        };
        let lines = || self.content.lines().map(str::trim).enumerate();
        let names_symbol = |line: &str| {
            let is_comment = comments.iter().any(|mark| line.starts_with(mark));
            let symbol = self.symbol.filter(|symbol| !symbol.is_empty() && !is_comment);
            symbol.is_some_and(|symbol| names_symbol(line, symbol))
        };
        let naming = lines().find(|(_, line)| names_symbol(line));
        let first = || lines().find(|(_, line)| !line.is_empty());
        naming.or_else(first).unwrap_or_default()
    }
}

/// True if a line has the symbol as a word of its own, outside of quotes.
fn names_symbol(line: &str, symbol: &str) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(symbol).any(|(start, _)| {
        let (before, after) = (&line[..start], &line[start + symbol.len()..]);
        // An odd number of quotes before the name means that it is inside of a string.
        let is_quoted = before.matches('"').count() % 2 == 1;
        !is_quoted && !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_definition_is_the_one_that_names_it() {
        let content = "/// A Serializer.\n#[diagnostic(\n    message = \"no Serializer\",\n)]\n\
                       type X = OwnSerializer;\npub trait Serializer: Sized {\n";
        let hit =
            HitView { content, symbol: Some("Serializer"), language: "rust", ..HitView::default() };
        assert_eq!(hit.definition(), (5, "pub trait Serializer: Sized {"));
    }

    #[test]
    fn the_line_in_the_reply_is_not_guessed() {
        let content = "let a = boil();\n\nfn boil() {}\n";
        let hit = HitView {
            content,
            symbol: Some("boil"),
            language: "rust",
            start_line: 7,
            line: Some(9),
            ..HitView::default()
        };
        assert_eq!(hit.definition(), (2, "fn boil() {}"));
        assert_eq!(hit.definition_line(), 9);
        // A line beyond the content that is shown.
        let beyond = HitView { line: Some(30), ..hit };
        assert_eq!(beyond.definition(), (0, "let a = boil();"));
    }
}
