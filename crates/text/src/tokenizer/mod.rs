//! The tokenizer for the word index. It is code-aware: an identifier counts as itself in any
//! spelling (`parse_url`, `parseURL`), and as each of its parts. Parts are stemmed, so that
//! `parsing` finds `Parser`. It does not weigh the words.

mod term_freq;

use std::cell::RefCell;

pub use term_freq::TermCounter;

use crate::case::{fold, push_folded};
use kenning_model::fnv;

/// The hash of a word, as it is stored and compared. Two words collide about once in a million
/// pairs of a large repository's vocabulary.
pub type Word = u32;

/// The longest part that is a word. Longer ones are hashes or encoded bytes, which nobody searches
/// for.
const MAX_PART: usize = 40;

/// Calls `visit` with every word of `text`, in order, as often as it occurs.
pub fn each(text: &str, mut visit: impl FnMut(Word)) {
    let mut splitter = Splitter::default();
    for identifier in runs(text) {
        splitter.identifier(identifier, &mut visit);
    }
}

/// Returns the longest runs of characters that an identifier may contain.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let is_word = |at: usize| match bytes[at] {
        byte if byte.is_ascii() => ASCII_WORDS[usize::from(byte)],
        _ => text[at..].chars().next().is_some_and(is_word_character),
    };
    let after = |at: usize| match bytes[at] {
        byte if byte.is_ascii() => at + 1,
        _ => at + text[at..].chars().next().map_or(1, char::len_utf8),
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !is_word(at) {
            at = after(at);
        }
        let start = at;
        while at < bytes.len() && is_word(at) {
            at = after(at);
        }
        (start < at).then(|| &text[start..at])
    })
}

/// True for each ASCII character that an identifier may contain.
static ASCII_WORDS: [bool; 128] = {
    let mut words = [false; 128];
    let mut at = 0;
    while at < words.len() {
        words[at] = (at as u8).is_ascii_alphanumeric() || at as u8 == b'_';
        at += 1;
    }
    words
};

/// Returns the parts of the identifiers of `text`, each once, in their order, without the
/// identifiers themselves. A name has few parts, so a linear search is faster than a hash set.
pub fn parts(text: &str) -> Vec<Word> {
    thread_local! {
        static SPLITTER: RefCell<Splitter> = RefCell::default();
    }
    let mut parts = Vec::new();
    SPLITTER.with_borrow_mut(|splitter| {
        for identifier in runs(text) {
            splitter.parts(identifier, &mut |word| {
                if !parts.contains(&word) {
                    parts.push(word);
                }
            });
        }
    });
    parts
}

/// Returns the words of a query, each once, in their order, without filler words. A query of
/// fillers only keeps them.
pub fn of_question(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut fillers = Vec::new();
    let mut splitter = Splitter::default();
    for identifier in runs(text) {
        let lower = fold(identifier);
        let kept = if FILLERS.contains(&lower.as_str()) { &mut fillers } else { &mut words };
        splitter.identifier(identifier, &mut |word| {
            if !kept.contains(&word) {
                kept.push(word);
            }
        });
    }
    if words.is_empty() { fillers } else { words }
}

/// Returns the identifiers that a text spells as code: with inner capitals, underscores, or the
/// parentheses of a call.
pub fn identifiers(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for identifier in runs(text) {
        let end = identifier.as_ptr().addr() - text.as_ptr().addr() + identifier.len();
        let is_code = looks_like_code(identifier) || text[end..].starts_with("()");
        if is_code && !found.contains(&identifier) {
            found.push(identifier);
        }
    }
    found
}

fn looks_like_code(identifier: &str) -> bool {
    let trimmed = identifier.trim_matches('_');
    let mut characters = trimmed.chars();
    let Some(_first) = characters.next() else {
        return false;
    };
    let has_lower = trimmed.chars().any(char::is_lowercase);
    let has_inner_capital = characters.any(char::is_uppercase);
    trimmed.contains('_') || has_lower && has_inner_capital
}

/// True if the whole text is one name, qualified or not: `Session.login()`.
pub fn is_name(text: &str) -> bool {
    let text = bare(text);
    let is_joint = |c: char| matches!(c, '.' | ':' | '#' | '/' | '\\' | '$' | '-' | '>');
    !text.is_empty() && text.chars().all(|c| is_word_character(c) || is_joint(c))
}

/// Signs with which names end in some languages: `save!`, `empty?`, `name=`.
const LAST_SIGNS: [char; 3] = ['!', '?', '='];

/// Returns the sign at the end of a name: `!` in `Record.save!`.
pub fn last_sign(text: &str) -> Option<char> {
    let signed = without_call(text);
    signed.strip_prefix(bare(text))?.chars().next()
}

/// Strips the suffixes of a name: the parentheses of a call, an arity (`halt/1`), a sign.
fn bare(text: &str) -> &str {
    without_call(text).trim_end_matches(LAST_SIGNS)
}

fn without_call(text: &str) -> &str {
    let text = text.trim().trim_end_matches("()");
    match text.rsplit_once('/') {
        Some((name, count)) if is_count(count) && !name.is_empty() => name,
        _ => text,
    }
}

/// True if the text can be an arity of one or two digits. Functions take few arguments.
fn is_count(text: &str) -> bool {
    (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the last part of a name: `login` in `auth::Session.login()`.
pub fn last_name(text: &str) -> &str {
    let text = bare(text);
    let start = text.rfind(|c| !is_word_character(c));
    start.map_or(text, |at| {
        let width = text[at..].chars().next().map_or(1, char::len_utf8);
        &text[at + width..]
    })
}

/// Returns the qualifier before the last name, in lower case and joined by dots. It is
/// `auth.session` for `auth::Session.login()`.
pub fn owner(text: &str) -> String {
    let name = bare(text);
    let before = name.strip_suffix(last_name(name)).unwrap_or_default();
    let segments = before.split(|c| !is_word_character(c));
    let segments: Vec<&str> = segments.filter(|segment| !segment.is_empty()).collect();
    segments.join(".").to_lowercase()
}

fn is_word_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii() && c.is_alphanumeric()
}

/// English that carries no meaning in a question about code.
const FILLERS: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "by", "can", "code",
    "could", "did", "do", "does", "done", "each", "for", "from", "get", "gets", "had", "has",
    "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our",
    "out", "should", "show", "so", "some", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "to", "up", "us", "used", "using", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you",
    "your",
];

/// Splits identifiers into parts. It is reused for its buffers.
#[derive(Default)]
struct Splitter {
    part: String,
    whole: String,
}

impl Splitter {
    fn identifier(&mut self, identifier: &str, visit: &mut impl FnMut(Word)) {
        let parts = self.parts(identifier, visit);
        if parts > 1 && self.whole.len() <= 2 * MAX_PART {
            visit(hash(stem(&mut self.whole)));
        }
    }

    /// Visits the parts, and returns their number.
    fn parts(&mut self, identifier: &str, visit: &mut impl FnMut(Word)) -> usize {
        self.whole.clear();
        self.part.clear();
        let mut parts = 0;
        let mut characters = identifier.chars().peekable();
        let mut before = Kind::Border;
        while let Some(c) = characters.next() {
            let kind = Kind::of(c);
            let next = characters.peek().map_or(Kind::Border, |c| Kind::of(*c));
            if kind.starts_part(before, next) {
                parts += usize::from(self.end_part(visit));
            }
            if kind != Kind::Border {
                push_folded(&mut self.part, c);
                push_folded(&mut self.whole, c);
            }
            before = kind;
        }
        parts + usize::from(self.end_part(visit))
    }

    /// Visits the collected part, if there is one.
    fn end_part(&mut self, visit: &mut impl FnMut(Word)) -> bool {
        if self.part.is_empty() {
            return false;
        }
        if self.part.len() <= MAX_PART {
            visit(hash(stem(&mut self.part)));
        }
        self.part.clear();
        true
    }
}

/// The class of a character, for finding the borders between parts of an identifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Border,
    Lower,
    Upper,
    Digit,
    /// A character of a script without word borders. Each one is a part of its own.
    Ideograph,
}

impl Kind {
    fn of(c: char) -> Kind {
        match c {
            '_' => Kind::Border,
            '0'..='9' => Kind::Digit,
            'a'..='z' => Kind::Lower,
            'A'..='Z' => Kind::Upper,
            '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' => {
                Kind::Ideograph
            }
            c if c.is_uppercase() => Kind::Upper,
            c if c.is_numeric() => Kind::Digit,
            _ => Kind::Lower,
        }
    }

    /// True if a part starts here: `aB`, the `S` of `HTTPServer`, and everything after a border.
    /// `utf8` and `2x` stay whole.
    fn starts_part(self, before: Kind, next: Kind) -> bool {
        match (before, self) {
            (Kind::Border, _) | (_, Kind::Border) | (_, Kind::Ideograph) => true,
            (Kind::Ideograph, _) => true,
            (Kind::Lower | Kind::Digit, Kind::Upper) => true,
            (Kind::Upper, Kind::Upper) => next == Kind::Lower,
            _ => false,
        }
    }
}

/// Suffixes that the stemmer removes, with the least length of the rest, and the replacement. A
/// longer suffix comes before a shorter one that ends it.
const ENDINGS: &[(&str, usize, &str)] = &[
    ("izations", 3, "iz"),
    ("ization", 3, "iz"),
    ("izers", 3, "iz"),
    ("izing", 3, "iz"),
    ("izer", 3, "iz"),
    ("ized", 3, "iz"),
    ("izes", 3, "iz"),
    ("ize", 3, "iz"),
    ("ations", 3, ""),
    ("ation", 3, ""),
    ("ators", 3, ""),
    ("ating", 3, ""),
    ("ator", 3, ""),
    ("ated", 3, ""),
    ("ates", 3, ""),
    ("ate", 3, ""),
    ("ments", 4, ""),
    ("ment", 4, ""),
    ("able", 4, ""),
    ("ible", 4, ""),
    ("ings", 3, ""),
    ("ing", 3, ""),
    ("ions", 4, ""),
    ("ion", 4, ""),
    ("ives", 4, ""),
    ("ive", 4, ""),
    ("ies", 2, "y"),
    ("ied", 2, "y"),
    ("ers", 3, ""),
    ("ors", 4, ""),
    ("er", 3, ""),
    ("or", 4, ""),
    ("ed", 3, ""),
    ("es", 3, ""),
    ("ly", 4, ""),
    ("e", 3, ""),
];

/// Removes grammatical suffixes, roughly. It must treat queries and code alike; it need not be
/// linguistically correct.
fn stem(word: &mut String) -> &str {
    if word.len() < 4 || !word.is_ascii() {
        return word;
    }
    let last = word.as_bytes().last();
    let ending = ENDINGS.iter().find(|(ending, least, _)| {
        ending.as_bytes().last() == last
            && word.len() >= ending.len() + least
            && word.ends_with(ending)
    });
    if let Some((ending, _, instead)) = ending {
        word.truncate(word.len() - ending.len());
        word.push_str(instead);
        undouble(word);
    } else if word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") {
        word.pop();
    }
    word
}

/// Removes a doubled final consonant: `runn` becomes `run`.
fn undouble(word: &mut String) {
    if let [.., a, b] = word.as_bytes()
        && a == b
        && word.len() > 3
        && !matches!(b, b'l' | b's' | b'z' | b'a' | b'e' | b'i' | b'o' | b'u')
    {
        word.pop();
    }
}

/// Hashes a word with FNV-1a, folded to 32 bits.
fn hash(word: &str) -> Word {
    let hash = fnv(word.as_bytes());
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Both texts, taken apart, share exactly these words.
    fn check(left: &str, right: &str, shared: usize) {
        let words = |text: &str| {
            let mut words = Vec::new();
            each(text, |word| words.push(word));
            words.sort_unstable();
            words.dedup();
            words
        };
        let right_words = words(right);
        let both = words(left).into_iter().filter(|word| right_words.contains(word));
        assert_eq!(both.count(), shared, "{left} / {right}");
    }

    #[test]
    fn parts_are_words_but_for_the_whole() {
        let mut all = HashSet::new();
        each("parse_url v2", |word| {
            all.insert(word);
        });
        let parts = parts("parse_url v2");
        assert_eq!((all.len(), parts.len()), (4, 3));
        assert!(parts.iter().all(|part| all.contains(part)));
    }

    #[test]
    fn an_owner_is_what_stands_before_a_name() {
        for (name, expected) in [
            ("boil", ""),
            ("Kettle.boil()", "kettle"),
            ("tea::Kettle::boil", "tea.kettle"),
            ("Kettle#boil", "kettle"),
            ("Kettle#boil!", "kettle"),
            ("Tea.Kettle.boil/2", "tea.kettle"),
        ] {
            assert_eq!(owner(name), expected, "{name}");
        }
    }

    #[test]
    fn identifiers_are_themselves_and_their_parts() {
        // parse, url, and the whole.
        check("parseURL", "parse_url", 3);
        check("HTTPServer", "http server", 2);
        check("HTTPServer", "httpserver", 1);
        check("getUserName2", "get_user_name2", 4);
        check("utf8", "UTF8", 1);
        check("größeBerechnen", "GRÖßE berechnen", 2);
        check("用户名", "用户", 2);
        check("a.b", "b", 1);
        check("", "x", 0);
    }

    #[test]
    fn grammar_is_cut_off() {
        for (left, right) in [
            ("parsing", "Parser"),
            ("parse", "parsed"),
            ("authentication", "authenticate"),
            ("authenticator", "authenticating"),
            ("queries", "query"),
            ("running", "run"),
            ("getter", "get"),
            ("connections", "connect"),
            ("caches", "caching"),
            ("serialization", "serializer"),
            ("errors", "error"),
            ("classes", "class"),
        ] {
            check(left, right, 1);
        }
        for (left, right) in [("user", "use"), ("status", "stat"), ("class", "clas")] {
            check(left, right, 0);
        }
    }

    #[test]
    fn a_question_keeps_what_carries_meaning() {
        assert_eq!(of_question("how does the parser work"), of_question("parser work"));
        assert_eq!(of_question("how is it"), of_question("how is it"));
        assert!(!of_question("how is it").is_empty());
        assert_eq!(of_question("login login").len(), 1);
    }

    #[test]
    fn names_are_told_from_sentences() {
        assert!(is_name("Session.login()") && is_name("parse_url") && is_name("a::B"));
        assert!(!is_name("how to log in") && !is_name(""));
        assert_eq!(last_name("auth::Session.login()"), "login");
        assert_eq!(last_name("login"), "login");
        let found = identifiers("where is parseURL called, and my_name or flush() in HTTP code");
        assert_eq!(found, ["parseURL", "my_name", "flush"]);
    }
}
