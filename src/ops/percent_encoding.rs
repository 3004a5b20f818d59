//! Percent-encoding of one segment of a URI (RFC 3986). The meaning of the segments belongs to the
//! family of the URI.
//!
//! The root package has two encoders on purpose. This one also encodes `/` and `:`, which the query
//! strings of the web page keep readable.

/// Encodes a segment. Unreserved characters stay; every other byte, `/` too, becomes `%` and two
/// hex digits.
///
/// For example, `a/b c` becomes `a%2Fb%20c`.
pub fn encode(segment: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let parts = segment.bytes().map(|byte| {
        if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    });
    parts.collect()
}

/// Decodes a segment; `None` for an incomplete escape or bytes that are no UTF-8.
///
/// It is the inverse of [`encode`], and also accepts escapes of characters that need none.
pub fn decode(segment: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_goes_there_and_back() {
        for (text, address) in [
            ("auth", "auth"),
            ("a/b c", "a%2Fb%20c"),
            ("Größe", "Gr%C3%B6%C3%9Fe"),
            ("100%", "100%25"),
        ] {
            assert_eq!(encode(text), address);
            assert_eq!(decode(address).as_deref(), Some(text));
        }
        for nonsense in ["50%", "%zz", "%é", "%ff", "%+1"] {
            assert_eq!(decode(nonsense), None, "{nonsense}");
        }
    }
}
