//! Percent-coding of one segment of an address. What an address means is known to its family.

/// What an address may hold as it is stays; everything else, `/` too, becomes `%` and its bytes.
pub fn encode(segment: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let parts = segment.bytes().map(|byte| {
        if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    });
    parts.collect()
}

/// `None` for what nobody encoded.
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
