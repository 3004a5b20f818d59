//! Bracket matching in source text whose strings and comments do not matter or are blanked.

/// Returns the offset of the bracket that closes the one at `open`. `None` if no bracket opens there,
/// or if the text ends before it is closed. Brackets of other kinds are not looked at.
///
/// ```
/// use kenning_lang::brackets::find_closing_bracket;
///
/// assert_eq!(find_closing_bracket(b"f(a, (b)) {}", 1), Some(8));
/// assert_eq!(find_closing_bracket(b"f(a", 1), None);
/// ```
pub fn find_closing_bracket(text: &[u8], open: usize) -> Option<usize> {
    let opening = *text.get(open)?;
    let closing = match opening {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        _ => return None,
    };
    let mut depth = 0usize;
    for (at, byte) in text.iter().enumerate().skip(open) {
        if *byte == opening {
            depth += 1;
        } else if *byte == closing {
            depth -= 1;
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}
