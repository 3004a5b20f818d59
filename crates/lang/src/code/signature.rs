//! Extracts the signature of a definition: its declaration without the body, on one line. It is cut
//! from the text and not formatted, so it shows what people wrote.

use super::doc_comments::truncate;

/// The longest signature, in bytes. A longer one is cut off.
const MAX_SIGNATURE_BYTES: usize = 300;

/// Returns the signature of the definition in `text`, whose body starts at byte `body` of it.
/// Without a body, the first statement is the signature. `None` if nothing is left.
pub fn extract_signature(text: &str, body: Option<usize>) -> Option<String> {
    let head = match body.and_then(|body| text.get(..body)) {
        Some(head) => head,
        None => first_statement(text.trim_start()),
    };
    let mut line = String::new();
    // Comments between attributes and the declaration are no part of it.
    let is_remark =
        |line: &&str| ["# ", "// "].iter().any(|mark| line.trim_start().starts_with(mark));
    let lines = head.lines().filter(|line| !is_remark(line));
    for word in lines.flat_map(str::split_whitespace) {
        if line.len() > MAX_SIGNATURE_BYTES {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    truncate(&mut line, MAX_SIGNATURE_BYTES);
    let line_end = line.trim_end_matches("=>");
    let end = line_end.trim_end_matches([' ', '{', '=', ';', ',', ':']).len();
    line.truncate(end);
    (!line.is_empty()).then_some(line)
}

/// The text up to the first end of a line outside of brackets.
fn first_statement(text: &str) -> &str {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().take(4 * MAX_SIGNATURE_BYTES) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'\n' if depth == 0 => return &text[..at],
            _ => {}
        }
    }
    text
}
