//! Removes secrets from text: credentials in addresses, and the keys that are configured.
//!
//! Messages of other programs may quote a key, and end up in errors and logs. `config` remembers
//! every key here when it reads it; [`hide_secrets`] removes them. Answers about a repository are
//! never passed through here: a key that happens to be a word would garble them.
//!
//! ```
//! use kenning_model::redact::hide_credentials;
//!
//! assert_eq!(hide_credentials("https://me:pw@host/a"), "https://[hidden]@host/a");
//! ```

use std::borrow::Cow;
use std::sync::RwLock;

/// The replacement of a secret.
pub const HIDDEN: &str = "[hidden]";

/// The shortest key that is remembered, in bytes. A shorter one would remove ordinary words from
/// messages.
const MIN_KEY_BYTES: usize = 8;

/// The keys of this process, the longest first: a key that contains another is removed as a whole.
static KEYS: RwLock<Vec<String>> = RwLock::new(Vec::new());

/// Removes a key from every text that is passed through [`hide_secrets`] from now on. Its decoded
/// and its escaped form are remembered too, as messages may quote either.
pub fn remember_key(key: &str) {
    let key = key.trim();
    let escaped = key.escape_debug().to_string();
    for form in [key.to_string(), decode_percent(key), escaped] {
        let mut keys = KEYS.write().expect("no holder panics");
        if form.len() >= MIN_KEY_BYTES && !keys.contains(&form) {
            keys.push(form);
            keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
        }
    }
}

/// Remembers each credential of a setting that is an address, or a connection string such as
/// `host=… password=…`.
pub fn remember_credentials(text: &str) {
    let with_scheme = format!("://{text}");
    let text = if text.contains("://") { text } else { &with_scheme };
    for place in find_credentials(text) {
        let found = &text[place.start..place.end];
        // A name alone is a key only if no password follows it.
        let secret = match (place.is_query, found.split_once(':')) {
            (false, Some((_, password))) => password,
            _ => found,
        };
        remember_key(secret);
    }
    for part in text.trim_start_matches("://").split_whitespace() {
        if let Some((name, value)) = part.split_once('=')
            && !name.contains("://")
            && is_secret_name(name)
        {
            remember_key(value.trim_matches('\''));
        }
    }
}

/// Returns the text without credentials in addresses and without the remembered keys.
pub fn hide_secrets(text: &str) -> Cow<'_, str> {
    let mut clean = hide_credentials(text);
    for key in KEYS.read().expect("no holder panics").iter() {
        if clean.contains(key.as_str()) {
            clean = Cow::Owned(clean.replace(key.as_str(), HIDDEN));
        }
    }
    clean
}

/// Returns the text with [`HIDDEN`] in place of the credentials in its addresses:
/// `http://[hidden]@host/?key=[hidden]`.
pub fn hide_credentials(text: &str) -> Cow<'_, str> {
    replace_credentials(text, HIDDEN)
}

/// Like [`hide_credentials`], for a setting with one address or several. The scheme may be missing.
pub fn hide_setting_credentials(value: &str) -> String {
    if value.contains("://") {
        return hide_credentials(value).into_owned();
    }
    let clean = hide_credentials(&format!("://{value}")).into_owned();
    clean.trim_start_matches("://").to_string()
}

/// Returns the text without the credentials in its addresses, so that the addresses stay valid.
pub fn strip_credentials(text: &str) -> Cow<'_, str> {
    let bare = replace_credentials(text, "");
    match bare {
        Cow::Owned(bare) => Cow::Owned(bare.replace("://@", "://")),
        text => text,
    }
}

/// Replaces each credential in an address by `stand_in`. Borrows the text if there is none.
fn replace_credentials<'t>(text: &'t str, stand_in: &str) -> Cow<'t, str> {
    let places = find_credentials(text);
    if places.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for place in places {
        clean.push_str(&text[at..place.start]);
        clean.push_str(stand_in);
        at = place.end;
    }
    clean.push_str(&text[at..]);
    Cow::Owned(clean)
}

/// The bytes of a credential in a text.
struct CredentialSpan {
    start: usize,
    end: usize,
    /// True for the value of a query parameter, false for `user:password`.
    is_query: bool,
}

/// Finds the credentials in all addresses of a text, in the order of the text.
fn find_credentials(text: &str) -> Vec<CredentialSpan> {
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(found) = text[from..].find("://") {
        let start = from + found + "://".len();
        let rest = &text[start..];
        let ends_address = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`');
        let address = &rest[..rest.find(ends_address).unwrap_or(rest.len())];
        // Before a web host, a user without a password is a token. With other schemes it is a name,
        // such as `git@`.
        let scheme = &text[..start - "://".len()];
        let takes_tokens = !scheme.ends_with(|c: char| c.is_ascii_alphanumeric())
            || scheme.ends_with("http")
            || scheme.ends_with("https");
        let end = user_info_end(address);
        if let Some(end) = end.filter(|end| takes_tokens || address[..*end].contains(':')) {
            places.push(CredentialSpan { start, end: start + end, is_query: false });
        }
        for (at, value) in secret_query_values(address) {
            places.push(CredentialSpan {
                start: start + at,
                end: start + at + value.len(),
                is_query: true,
            });
        }
        // The next address may follow a comma.
        from = places.last().map_or(start, |place: &CredentialSpan| place.end.max(start));
    }
    places
}

/// Returns the end of `user:password`, if an address begins with it.
fn user_info_end(address: &str) -> Option<usize> {
    let authority = &address[..address.find(['/', '?', '#']).unwrap_or(address.len())];
    if let Some(end) = authority.rfind('@') {
        return Some(end);
    }
    // The password may contain a `/` that nobody escaped. A port has only digits, so it is no
    // password.
    let (_, port) = authority.split_once(':')?;
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    if is_port { None } else { address.find('@') }
}

/// The values of query parameters that are secret by their names, each with its offset.
fn secret_query_values(address: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = address.find('?').map_or(address.len(), |at| at + 1);
    let end = address[start..].find('#').map_or(address.len(), |at| start + at);
    let mut at = start;
    address[start..end].split('&').filter_map(move |parameter| {
        let begin = at;
        at += parameter.len() + 1;
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim_end_matches([')', ']', ',', ';', ':', '.']);
        let is_secret = is_secret_name(name) && !value.is_empty();
        is_secret.then_some((begin + name.len() + 1, value))
    })
}

/// True if a parameter of this name holds a secret.
fn is_secret_name(name: &str) -> bool {
    const ENDINGS: [&str; 10] = [
        "key",
        "token",
        "secret",
        "password",
        "passwd",
        "pwd",
        "auth",
        "sig",
        "signature",
        "credential",
    ];
    let name = name.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| name.ends_with(ending)) || name == "pass"
}

/// Decodes percent-encoding: `%41` becomes `A`. Invalid sequences stay.
fn decode_percent(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, byte) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, hidden: &str, bare: &str) {
        assert_eq!(hide_credentials(before), hidden);
        assert_eq!(strip_credentials(before), bare);
    }

    #[test]
    fn credentials_in_addresses() {
        check("http://host:80/a?b=c#d", "http://host:80/a?b=c#d", "http://host:80/a?b=c#d");
        check("https://me:pw@host/a", "https://[hidden]@host/a", "https://host/a");
        check("ssh://git@host/a", "ssh://git@host/a", "ssh://git@host/a");
        check("https://token@host", "https://[hidden]@host", "https://host");
        check("pg://a:b@h, pg://c:d@h", "pg://[hidden]@h, pg://[hidden]@h", "pg://h, pg://h");
        check("pg://me:p@ss/w@host/db", "pg://[hidden]@ss/w@host/db", "pg://ss/w@host/db");
        check("pg://me:p/w@host/db", "pg://[hidden]@host/db", "pg://host/db");
        check(
            "at http://h/v1?a=1&api_key=abc&x=2: refused",
            "at http://h/v1?a=1&api_key=[hidden]&x=2: refused",
            "at http://h/v1?a=1&api_key=&x=2: refused",
        );
        check(
            "\"http://h?access_token=abc\"",
            "\"http://h?access_token=[hidden]\"",
            "\"http://h?access_token=\"",
        );
        check(
            "http://a:b@h,http://c:d@h",
            "http://[hidden]@h,http://[hidden]@h",
            "http://h,http://h",
        );
        check("npm://host/@scope/name@1", "npm://host/@scope/name@1", "npm://host/@scope/name@1");
        check("no address: a@b?key=1", "no address: a@b?key=1", "no address: a@b?key=1");
    }

    #[test]
    fn settings_need_no_scheme() {
        assert_eq!(hide_setting_credentials("me:pw@host:11434"), "[hidden]@host:11434");
        assert_eq!(hide_setting_credentials("host:11434"), "host:11434");
        assert_eq!(hide_setting_credentials("http://me:pw@host"), "http://[hidden]@host");
    }

    #[test]
    fn keys_that_are_remembered() {
        remember_key(" redact-test-key-1 ");
        remember_credentials("pg://me:redact%2Dtest-2@host/?token=redact-test-token");
        remember_credentials("host=h user=me password='redact-test-3'");
        remember_credentials("me:redact-test-4@host");
        let said = "redact-test-key-1, redact%2Dtest-2, redact-test-2, redact-test-token, \
                    redact-test-3, redact-test-4 and Bearer redact-test-key-1x";
        let clean = hide_secrets(said);
        assert!(!clean.contains("test"), "{clean}");
        assert!(clean.ends_with("Bearer [hidden]x"), "{clean}");
        // Too short to be taken out of every message.
        remember_key("a key");
        assert_eq!(hide_secrets("there is a key"), "there is a key");
    }
}
