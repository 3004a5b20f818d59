//! Makes names and texts of repositories safe for a terminal. A file may contain anything, and a
//! terminal would obey it.

/// Returns the text on one line without anything that a terminal obeys. Control characters become
/// spaces. Characters that change the writing direction, and with it the rest of the line, are
/// written out.
///
/// For example, U+202E becomes `\u{202e}`. Letters of right-to-left scripts stay as they are.
pub fn escape_controls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => shown.extend(c.escape_unicode()),
            c if c.is_control() => shown.push(' '),
            c => shown.push(c),
        }
    }
    shown
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
}
