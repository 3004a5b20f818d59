//! Bracket matching in the texts of expressions and types.

/// Splits a list of types at commas outside of brackets.
pub fn split_arguments(text: &str) -> Vec<String> {
    let mut depth = 0usize;
    let mut all = vec![String::new()];
    for c in text.chars() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = all.last_mut() {
            last.push(c);
        }
    }
    all.into_iter().map(|one| one.trim().to_string()).collect()
}

/// Returns the text inside the brackets that `text` begins with, and the text after them. Unclosed
/// brackets extend to the end.
pub fn split_brackets(text: &str) -> (&str, &str) {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            let inner = text.get(1..at).unwrap_or_default();
            return (inner, &text[at + c.len_utf8()..]);
        }
    }
    (text.get(1..).unwrap_or_default(), "")
}

/// Returns the offset after the angle bracket that closes the one at the start of `text`. `None` if
/// the text between cannot be types, so that `<` is a comparison.
pub fn find_closing_angle(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let before = std::mem::replace(&mut previous, c);
        match c {
            '<' => depth += 1,
            // The arrow of a function type is no bracket.
            '-' if text[at..].starts_with("->") => {}
            '>' if before == '-' => {}
            '>' => depth = depth.checked_sub(1)?,
            c if c.is_alphanumeric() => {}
            '_' | ' ' | ',' | '.' | ':' | '[' | ']' | '&' | '\'' | '|' | '?' | '(' | ')' | '*'
            | '$' | '@' => {}
            _ => return None,
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}
