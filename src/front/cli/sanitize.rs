//! Makes names and texts of repositories safe for a terminal. A file may contain anything, and a
//! terminal would obey it.

use std::borrow::Cow;

/// The treatment of escape sequences for colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SgrPolicy {
    /// The sequences that the command line itself uses stay. None of them hides text.
    KeepOurs,
    /// All sequences are replaced, like other control characters.
    Drop,
}

/// The parameters of the colours and emphases that the command line uses.
const OUR_PARAMETERS: &[&str] = &["0", "1", "2", "4", "31", "32", "33", "34", "35", "36", "90"];

/// Returns the text on one line without anything that a terminal obeys. Control characters become
/// spaces. Characters that change the writing direction, and with it the rest of the line, are
/// written out.
///
/// For example, U+202E becomes `\u{202e}`. Letters of right-to-left scripts stay as they are.
pub fn escape_controls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    text.chars().for_each(|c| push_visible(&mut shown, c));
    shown
}

/// Like [`escape_controls`], but keeps lines and tabs, and colours if the policy says so. All that
/// is printed passes through here.
pub fn sanitize_text(text: &str, policy: SgrPolicy) -> Cow<'_, str> {
    if text.chars().all(|c| !is_unsafe(c) || matches!(c, '\n' | '\t')) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let sequence = our_sequence(rest).filter(|_| policy == SgrPolicy::KeepOurs);
        if let Some(sequence) = sequence {
            shown.push_str(sequence);
            rest = &rest[sequence.len()..];
            continue;
        }
        match c {
            '\n' | '\t' => shown.push(c),
            '\r' if after.starts_with('\n') => {}
            _ => push_visible(&mut shown, c),
        }
        rest = after;
    }
    Cow::Owned(shown)
}

/// Escapes control characters and direction marks in JSON as JSON does. They occur only within its
/// strings; line breaks between values stay.
pub fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && is_unsafe(c) {
            // All of them are in the basic plane.
            escaped += &format!("\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Returns the escape sequence at the start of a text, if it is one of ours.
fn our_sequence(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("\x1b[")?;
    let (parameters, _) = inner.split_once('m')?;
    let is_ours = parameters.split(';').all(|one| OUR_PARAMETERS.contains(&one));
    is_ours.then(|| &text[.."\x1b[".len() + parameters.len() + 1])
}

/// Appends a character in a form that a terminal shows and does not interpret.
fn push_visible(shown: &mut String, c: char) {
    if is_direction_mark(c) {
        shown.extend(c.escape_unicode());
    } else if c.is_control() {
        shown.push(' ');
    } else {
        shown.push(c);
    }
}

/// True for characters that a terminal interprets as control characters.
fn is_unsafe(c: char) -> bool {
    c.is_control() || is_direction_mark(c)
}

/// True for invisible characters that change the writing direction.
fn is_direction_mark(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        for (text, expected) in [
            ("a\u{202e}sr.b", "a\\u{202e}sr.b"),
            ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"),
            ("a\u{1b}[31m\nb", "a [31m b"),
            ("\u{5d0}\u{5d1}.rs é", "\u{5d0}\u{5d1}.rs é"),
        ] {
            assert_eq!(escape_controls(text), expected);
        }
    }

    #[test]
    fn printed_text_keeps_lines_and_our_colours_only() {
        let text = "a\r\n\tb\x1b[1;4mc\x1b[0m\x1b[8md\x1b]0;e\x07\u{9b}2Jf\rg\u{200f}";
        let bare = "a\n\tb [1;4mc [0m [8md ]0;e  2Jf g\\u{200f}";
        assert_eq!(sanitize_text(text, SgrPolicy::Drop), bare);
        let coloured = "a\n\tb\x1b[1;4mc\x1b[0m [8md ]0;e  2Jf g\\u{200f}";
        assert_eq!(sanitize_text(text, SgrPolicy::KeepOurs), coloured);
        assert!(matches!(sanitize_text("a\n\tb é", SgrPolicy::Drop), Cow::Borrowed(_)));
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({ "a\u{202e}": "\u{7f}\u{9b}\u{1b}\n\u{61c}é" });
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let escaped = escape_json(&text);
            assert!(escaped.chars().all(|c| c == '\n' || !is_unsafe(c)), "{escaped}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
        }
    }
}
