//! Percent-encoding of one segment of a URI (RFC 3986). The meaning of the segments belongs to the
//! family of the URI.

use std::borrow::Cow;

use ::percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything but the unreserved characters, so `/` and `:` too.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes a segment: `a/b c` becomes `a%2Fb%20c`.
pub fn encode(segment: &str) -> String {
    utf8_percent_encode(segment, RESERVED).to_string()
}

/// Decodes a segment; `None` for an incomplete escape or bytes that are no UTF-8.
///
/// It is the inverse of [`encode`], and also accepts escapes of characters that need none.
pub fn decode(segment: &str) -> Option<String> {
    // The library leaves a broken escape as it is; here it is no address of ours.
    let is_escape = |after: &str| {
        after.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let is_whole = segment.split('%').skip(1).all(is_escape);
    let decoded = percent_decode_str(segment).decode_utf8().ok();
    decoded.filter(|_| is_whole).map(Cow::into_owned)
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
