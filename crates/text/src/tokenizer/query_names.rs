//! Names in queries: which words are code, and the parts of a qualified name.

use super::split::{is_word_character, runs};

/// Returns the identifiers that a text spells as code: with inner capitals, underscores, or the
/// parentheses of a call.
///
/// ```
/// use kenning_text::tokenizer::identifiers;
///
/// assert_eq!(identifiers("where is parseURL called, or flush()?"), ["parseURL", "flush"]);
/// ```
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

/// True if the whole text is one name, qualified or not.
///
/// ```
/// use kenning_text::tokenizer::is_name;
///
/// assert!(is_name("Session.login()"));
/// assert!(!is_name("how to log in"));
/// ```
pub fn is_name(text: &str) -> bool {
    let text = strip_suffixes(text);
    let is_joint = |c: char| matches!(c, '.' | ':' | '#' | '/' | '\\' | '$' | '-' | '>');
    !text.is_empty() && text.chars().all(|c| is_word_character(c) || is_joint(c))
}

/// Signs with which names end in some languages: `save!`, `empty?`, `name=`.
const LAST_SIGNS: [char; 3] = ['!', '?', '='];

/// Returns the sign at the end of a name.
///
/// ```
/// use kenning_text::tokenizer::last_sign;
///
/// assert_eq!(last_sign("Record.save!"), Some('!'));
/// assert_eq!(last_sign("Record.save"), None);
/// ```
pub fn last_sign(text: &str) -> Option<char> {
    let signed = without_call(text);
    signed.strip_prefix(strip_suffixes(text))?.chars().next()
}

/// Strips the suffixes of a name: the parentheses of a call, an arity (`halt/1`), a sign.
fn strip_suffixes(text: &str) -> &str {
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

/// Returns the last part of a name.
///
/// ```
/// use kenning_text::tokenizer::last_name;
///
/// assert_eq!(last_name("auth::Session.login()"), "login");
/// assert_eq!(last_name("System.halt/1"), "halt");
/// ```
pub fn last_name(text: &str) -> &str {
    let text = strip_suffixes(text);
    let start = text.rfind(|c| !is_word_character(c));
    start.map_or(text, |at| {
        let width = text[at..].chars().next().map_or(1, char::len_utf8);
        &text[at + width..]
    })
}

/// Returns the qualifier before the last name, in lower case and joined by dots.
///
/// ```
/// use kenning_text::tokenizer::owner;
///
/// assert_eq!(owner("auth::Session.login()"), "auth.session");
/// assert_eq!(owner("login"), "");
/// ```
pub fn owner(text: &str) -> String {
    let name = strip_suffixes(text);
    let before = name.strip_suffix(last_name(name)).unwrap_or_default();
    let segments: Vec<&str> =
        before.split(|c| !is_word_character(c)).filter(|segment| !segment.is_empty()).collect();
    segments.join(".").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn names_are_told_from_sentences() {
        assert!(is_name("Session.login()") && is_name("parse_url") && is_name("a::B"));
        assert!(!is_name("how to log in") && !is_name(""));
        assert_eq!(last_name("auth::Session.login()"), "login");
        assert_eq!(last_name("login"), "login");
        let found = identifiers("where is parseURL called, and my_name or flush() in HTTP code");
        assert_eq!(found, ["parseURL", "my_name", "flush"]);
    }
}
