//! A parsed query: its words, the names in it, and its kind.
//!
//! Parsing is pure: it looks at the text only and never at the index. Whether a name exists is
//! decided later, by `definitions`.

use std::collections::HashSet;

use kenning_text::tokenizer::{self, Word};

/// A query after parsing. `Default` is an empty query, which matches nothing.
#[derive(Clone, Debug, Default)]
pub struct ParsedQuery {
    pub text: String,
    /// The text in lower case if it may contain a path, else empty.
    pub path_text: String,
    /// The words, each with its weight.
    pub words: Vec<(Word, f32)>,
    /// The words as a set, for signals that compare.
    pub word_set: HashSet<Word>,
    /// Names of code in it: the whole question if it is one, else identifiers among the words.
    pub names: Vec<String>,
    /// The qualifier before the name, if the query is a name: `session` in `Session.login`.
    pub owner: String,
    /// The qualified members that a query in words names, each with its owner in lower case: `res`
    /// and `send` in `res.send`.
    pub members: Vec<(String, String)>,
    pub kind: QueryKind,
}

/// The kind of a query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QueryKind {
    /// A name. The user wants its definition.
    Name,
    /// A sentence or some words. The user wants the code that answers them.
    #[default]
    Words,
    /// A long text, such as an issue. Most of it is noise, so its words are better evidence than
    /// its vector.
    Report,
}

/// The most words that are used. More words of a long text only add noise and time.
const MAX_WORDS: usize = 64;

/// The most names that are used. A pasted log may name thousands of things; the first ones are its
/// subject.
const MAX_NAMES: usize = 16;

/// A text with more words than this is a report. Its first line is the most important.
const MAX_SENTENCE_WORDS: usize = 24;

/// The weight of a word in the first line of a report.
const TITLE_WEIGHT: f32 = 2.0;

impl ParsedQuery {
    /// Parses a query and guesses its kind from its spelling.
    pub fn new(text: &str) -> ParsedQuery {
        if tokenizer::is_name(text.trim()) {
            ParsedQuery::with_kind(text, QueryKind::Name, weigh_words(text.trim()))
        } else {
            ParsedQuery::from_words(text)
        }
    }

    /// Parses a query that is not a name, whatever it looks like. `url.rs` may be a file, not a
    /// member `rs`.
    pub fn from_words(text: &str) -> ParsedQuery {
        let words = weigh_words(text.trim());
        let kind = match words.len() {
            ..=MAX_SENTENCE_WORDS => QueryKind::Words,
            _ => QueryKind::Report,
        };
        ParsedQuery::with_kind(text, kind, words)
    }

    /// The kind decides which parts are filled: only a name has an owner, and only words have
    /// members.
    fn with_kind(text: &str, kind: QueryKind, words: Vec<(Word, f32)>) -> ParsedQuery {
        let text = text.trim();
        let names: Vec<String> = match kind {
            QueryKind::Name => spell_name(text),
            QueryKind::Words | QueryKind::Report => tokenizer::identifiers(text)
                .into_iter()
                .map(str::to_string)
                .take(MAX_NAMES)
                .collect(),
        };
        let owner = match kind {
            QueryKind::Name => tokenizer::owner(text),
            QueryKind::Words | QueryKind::Report => String::new(),
        };
        ParsedQuery {
            word_set: words.iter().map(|(word, _)| *word).collect(),
            words,
            members: match kind {
                QueryKind::Name => Vec::new(),
                QueryKind::Words | QueryKind::Report => find_members(text),
            },
            names,
            owner,
            kind,
            path_text: if text.contains(['/', '.', '\\']) {
                text.to_lowercase().replace('\\', "/")
            } else {
                String::new()
            },
            text: text.to_string(),
        }
    }
}

/// Returns the last name of a qualified path, first with its sign: `$of` in `a.$of`, `save!` in
/// `Record.save!`.
fn spell_name(text: &str) -> Vec<String> {
    let last = tokenizer::last_name(text);
    let before = text.rfind(last).map(|at| &text[..at]);
    let has_sign = before.is_some_and(|before| before.ends_with('$'));
    let first = has_sign.then(|| format!("${last}"));
    let whole = first.or_else(|| tokenizer::last_sign(text).map(|sign| format!("{last}{sign}")));
    whole.into_iter().chain([last.to_string()]).collect()
}

/// Finds the qualified names in a text, as pairs of owner and member.
///
/// Owners are in lower case, members as written. At most `MAX_NAMES` pairs are returned, in the
/// order of the text.
fn find_members(text: &str) -> Vec<(String, String)> {
    let joined = text.split(|c: char| c.is_whitespace() || "`'\",;!?[]{}<>=*".contains(c));
    // A dot also ends a sentence, and parentheses enclose words.
    let joined = joined.map(|word| word.trim_end_matches(['.', ':', ')']).trim_matches('('));
    let mut found: Vec<(String, String)> = Vec::new();
    for word in joined.filter(|word| tokenizer::is_name(word) && !word.contains(['/', '\\', '-'])) {
        let (name, owner) = (tokenizer::last_name(word), tokenizer::owner(word));
        // Numbers and abbreviations such as `e.g.` also contain dots.
        let is_named = name.len() > 1 && !name.starts_with(|c: char| c.is_ascii_digit());
        let member = (owner, name.to_string());
        if is_named && !member.0.is_empty() && !found.contains(&member) {
            found.push(member);
        }
    }
    found.truncate(MAX_NAMES);
    found
}

/// Returns the words of a text, each with its weight.
///
/// In a long text, words of the first line weigh double, and words beyond `MAX_WORDS` are dropped.
fn weigh_words(text: &str) -> Vec<(Word, f32)> {
    let all = tokenizer::of_question(text);
    if all.len() <= MAX_SENTENCE_WORDS {
        return all.into_iter().map(|word| (word, 1.0)).collect();
    }
    let first_line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let title: HashSet<Word> = tokenizer::of_question(first_line).into_iter().collect();
    let weight = |word: &Word| if title.contains(word) { TITLE_WEIGHT } else { 1.0 };
    let counted = all.into_iter().map(|word| (word, weight(&word)));
    counted.take(MAX_WORDS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_part_of_names() {
        for (text, names) in [
            ("$of", vec!["$of", "of"]),
            ("core.$of()", vec!["$of", "of"]),
            ("Outer.of", vec!["of"]),
            ("Record#save!", vec!["save!", "save"]),
            ("empty?()", vec!["empty?", "empty"]),
            ("Plug.Conn.halt/1", vec!["halt"]),
            ("valid?/2", vec!["valid?", "valid"]),
        ] {
            assert_eq!(ParsedQuery::new(text).names, names, "{text}");
        }
    }

    #[test]
    fn members_that_a_question_names() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let query = ParsedQuery::from_words(text);
            let found: Vec<(&str, &str)> =
                query.members.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "how res.redirect() builds the header, and `App::use` too.",
            &[("res", "redirect"), ("app", "use")],
        );
        check("where is it (see Session.login).", &[("session", "login")]);
        check("what happens. and then src/url.rs fails", &[]);
        check("version 1.2 of it, e.g. today", &[]);
    }
}
