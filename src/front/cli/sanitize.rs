//! Names and texts of others, made safe for a terminal. What a file holds may be anything.

/// On one line, with nothing that a terminal obeys: control characters are spaces, and those that turn the
/// direction of writing, and with it everything after them on the line, are written out.
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
