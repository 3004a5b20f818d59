//! A question, taken apart once: its words, the names in it, and what kind of question it is.

use std::collections::HashSet;

use crate::embed::tokenizer::{self, Word};

#[derive(Clone, Debug, Default)]
pub struct Question {
    pub text: String,
    /// In lower case, if a path may be in it; else nothing.
    pub paths_in: String,
    /// Each with how much it counts.
    pub words: Vec<(Word, f32)>,
    /// As a set, for signals that compare.
    pub word_set: HashSet<Word>,
    /// Names of code in it: the whole question if it is one, else identifiers among the words.
    pub names: Vec<String>,
    /// Of a question that is a name, what stands before it: `session` of `Session.login`.
    pub owner: String,
    /// Of a question in words, members that it names with what they belong to, in lower case: `res` and
    /// `send` of `res.send`.
    pub members: Vec<(String, String)>,
    pub kind: Kind,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A name: its definition is wanted.
    Name,
    /// A sentence or some words: whatever answers them is wanted.
    #[default]
    Words,
    /// A long text, such as an issue: what it is about is wanted. Most of it is beside the point, so
    /// its words say more than its meaning as a whole.
    Report,
}

/// Beyond this many, more words of a long text only add noise and time.
const MAX_WORDS: usize = 64;

/// A pasted log may name thousands of things, of which the first say what it is about.
const MAX_NAMES: usize = 16;

/// A text of more words than this is a report, and not a question: its first line says most.
const LONG: usize = 24;

/// How much more a word of the first line of a report counts.
const TITLE: f32 = 2.0;

impl Question {
    pub fn new(text: &str) -> Question {
        if tokenizer::is_name(text.trim()) {
            Question::of_kind(text, Kind::Name)
        } else {
            Question::in_words(text)
        }
    }

    /// Not a name, whatever it looks like: `url.rs` may be a file, and no member `rs`.
    pub fn in_words(text: &str) -> Question {
        match weigh(text.trim()).len() {
            ..=LONG => Question::of_kind(text, Kind::Words),
            _ => Question::of_kind(text, Kind::Report),
        }
    }

    fn of_kind(text: &str, kind: Kind) -> Question {
        let text = text.trim();
        let counted = weigh(text);
        let names: Vec<String> = match kind {
            Kind::Name => spellings(text),
            Kind::Words | Kind::Report => tokenizer::identifiers(text)
                .into_iter()
                .map(str::to_string)
                .take(MAX_NAMES)
                .collect(),
        };
        let owner = match kind {
            Kind::Name => tokenizer::owner(text),
            Kind::Words | Kind::Report => String::new(),
        };
        Question {
            word_set: counted.iter().map(|(word, _)| *word).collect(),
            words: counted,
            members: match kind {
                Kind::Name => Vec::new(),
                Kind::Words | Kind::Report => members(text),
            },
            names,
            owner,
            kind,
            paths_in: if text.contains(['/', '.', '\\']) {
                text.to_lowercase().replace('\\', "/")
            } else {
                String::new()
            },
            text: text.to_string(),
        }
    }
}

/// The last name of those that are joined, first with the sign that belongs to it: `$of` of `a.$of`,
/// `save!` of `Record.save!`.
fn spellings(text: &str) -> Vec<String> {
    let last = tokenizer::last_name(text);
    let before = text.rfind(last).map(|at| &text[..at]);
    let has_sign = before.is_some_and(|before| before.ends_with('$'));
    let first = has_sign.then(|| format!("${last}"));
    let whole = first.or_else(|| tokenizer::last_sign(text).map(|sign| format!("{last}{sign}")));
    whole.into_iter().chain([last.to_string()]).collect()
}

/// What is joined as code joins it.
fn members(text: &str) -> Vec<(String, String)> {
    let joined = text.split(|c: char| c.is_whitespace() || "`'\",;!?[]{}<>=*".contains(c));
    // A dot ends a sentence, too, and brackets stand around words.
    let joined = joined.map(|word| word.trim_end_matches(['.', ':', ')']).trim_matches('('));
    let mut found: Vec<(String, String)> = Vec::new();
    for word in joined.filter(|word| tokenizer::is_name(word) && !word.contains(['/', '\\', '-'])) {
        let (name, owner) = (tokenizer::last_name(word), tokenizer::owner(word));
        // Numbers have dots, and so has e.g. what is short for words.
        let is_named = name.len() > 1 && !name.starts_with(|c: char| c.is_ascii_digit());
        let member = (owner, name.to_string());
        if is_named && !member.0.is_empty() && !found.contains(&member) {
            found.push(member);
        }
    }
    found.truncate(MAX_NAMES);
    found
}

fn weigh(text: &str) -> Vec<(Word, f32)> {
    let all = tokenizer::of_question(text);
    if all.len() <= LONG {
        return all.into_iter().map(|word| (word, 1.0)).collect();
    }
    let title = text.lines().find(|line| !line.trim().is_empty());
    let title: HashSet<Word> =
        tokenizer::of_question(title.unwrap_or_default()).into_iter().collect();
    let weight = |word: &Word| if title.contains(word) { TITLE } else { 1.0 };
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
            assert_eq!(Question::new(text).names, names, "{text}");
        }
    }

    #[test]
    fn members_that_a_question_names() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let question = Question::in_words(text);
            let found = question.members.iter();
            let found: Vec<(&str, &str)> = found.map(|(a, b)| (a.as_str(), b.as_str())).collect();
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
