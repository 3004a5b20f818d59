//! Finds settings that are meant for secrets, such as `api_key: …`, in YAML, TOML, JSON, INI,
//! properties, environment files, property lists and XML.
//!
//! One scan finds words such as `password` in keys; the value is read from the text after the key.
//! No format is parsed: files with secrets are often templates or fragments that no parser accepts.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::value_entropy;

/// The least that makes the value of such a setting a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretThreshold {
    /// It looks as if a machine had drawn it at random.
    Random,
    /// It is a value at all, and no placeholder.
    AnyValue,
}

/// Words in the key of a setting that is meant for a secret. `://` is no key: it finds addresses,
/// which may contain a password.
const KEY_WORDS: &[&str] = &[
    "secret",
    "token",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "privatekey",
    "private_key",
    "private-key",
    "signingkey",
    "signing_key",
    "signing-key",
    "encryptionkey",
    "encryption_key",
    "encryption-key",
    "masterkey",
    "master_key",
    "master-key",
    "accountkey",
    "account_key",
    "client-key-data",
    "_auth",
    "\"auth",
    "://",
];

/// Words that may follow in a key that still is one for a secret. `secret_name` and `token_url`
/// hold none.
const KEY_TAILS: &[&str] = &[
    "key",
    "keys",
    "access",
    "base",
    "value",
    "data",
    "string",
    "salt",
    "b64",
    "base64",
    "prod",
    "production",
    "staging",
    "dev",
    "development",
    "test",
    "live",
    "default",
    "plain",
    "plaintext",
    "old",
    "new",
    "current",
    "primary",
    "secondary",
    "s",
    "token",
    "secret",
    "password",
    "raw",
    "root",
    "admin",
    "user",
    "hex",
];

/// Finds all key words in one pass, in any case of letters.
static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let builder = AhoCorasick::builder().ascii_case_insensitive(true).build(KEY_WORDS);
    builder.expect("the table's words are valid")
});

/// True if a setting that is meant for a secret has a value that reaches the threshold.
pub fn has_secret_setting(text: &str, least: SecretThreshold) -> bool {
    let found = secret_setting_values(text).any(|value| match least {
        SecretThreshold::Random => value_entropy::is_random(value),
        SecretThreshold::AnyValue => value_entropy::is_literal(value),
    });
    found && !(least == SecretThreshold::Random && is_interface_schema(text))
}

/// True if a text shows where secrets go and contains none.
pub fn is_template(text: &str) -> bool {
    let mut has_placeholder = false;
    for value in secret_setting_values(text) {
        if value_entropy::is_literal(value) {
            return false;
        }
        has_placeholder |= value_entropy::is_reference(value);
    }
    let has_mark = ["{{", "${", "<%=", "$ref"].iter().any(|mark| text.contains(mark));
    has_placeholder || has_mark || is_interface_schema(text)
}

/// True if a text describes an interface (OpenAPI, JSON Schema): its values are examples.
fn is_interface_schema(text: &str) -> bool {
    const MARKS: [&str; 2] = ["operationId", "json-schema.org"];
    static VERSION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?m)(?:^|[{,])\s*["']?(?:openapi|swagger)["']?\s*:\s*["']?[0-9]"#)
            .expect("it is valid")
    });
    let has_mark = |mark: &str| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
    MARKS.iter().any(|mark| has_mark(mark)) || VERSION.is_match(text)
}

/// The values of all settings that are meant for secrets, and the passwords in addresses.
fn secret_setting_values(text: &str) -> impl Iterator<Item = &str> {
    let mut end_of_last = 0;
    FINDER.find_iter(text).filter_map(move |found| {
        if KEY_WORDS[found.pattern().as_usize()] == "://" {
            return password_of_address(window_after(text, found.end()));
        }
        // One key may have several of the words.
        if found.start() < end_of_last {
            return None;
        }
        let tail =
            window_after(text, found.end()).bytes().take_while(|byte| is_key_byte(*byte)).count();
        let end = found.end() + tail;
        end_of_last = end;
        let is_meant = is_secret_key_tail(&text[found.end()..end])
            && !is_inside_expression(window_before(text, found.start()));
        if is_meant { value_after_key(window_after(text, end)) } else { None }
    })
}

/// The number of bytes that are read around a key. Values are shorter, and a file of one line with
/// a thousand keys must not be read a thousand times.
const WINDOW_BYTES: usize = 1024;

/// The text from `at` on, up to the size of the window.
fn window_after(text: &str, at: usize) -> &str {
    let end =
        (at..=text.len().min(at + WINDOW_BYTES)).rev().find(|end| text.is_char_boundary(*end));
    &text[at..end.unwrap_or(at)]
}

/// The text before `at`, up to the size of the window.
fn window_before(text: &str, at: usize) -> &str {
    let start = (at.saturating_sub(WINDOW_BYTES)..=at).find(|start| text.is_char_boundary(*start));
    &text[start.unwrap_or(at)..at]
}

/// True if a text ends within an expression of a template: `{{ $password := …`.
fn is_inside_expression(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.rfind("{{") > line.rfind("}}")
}

/// True if a byte can be part of a key.
fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// True if all words of a key after the key word allow a secret. Numbers at their ends do not
/// count.
fn is_secret_key_tail(tail: &str) -> bool {
    let mut words = tail.split(['_', '-', '.']).flat_map(camel_words);
    words.all(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
        word.is_empty() || KEY_TAILS.contains(&word.as_str())
    })
}

/// Splits a word in camel case: `AccessKey` into `Access` and `Key`.
fn camel_words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for at in 1..bytes.len() {
        if bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase() {
            words.push(&text[start..at]);
            start = at;
        }
    }
    words.push(&text[start..]);
    words
}

/// Returns the value that follows a key, in any of the formats.
fn value_after_key(rest: &str) -> Option<&str> {
    let line = rest.trim_start_matches(['"', '\'', '`', ' ', '\t', ']', ')']);
    // `key: value`, `"key": "value"`, `key = value`, `key => value`.
    for mark in [":=", "=>", ":", "="] {
        if let Some(value) = line.strip_prefix(mark) {
            return Some(trim_value(value));
        }
    }
    // `<password>value</password>`, and `<key>Password</key><string>value</string>`.
    if let Some(value) = line.strip_prefix('>') {
        return value.split_once("</").map(|(value, _)| value).filter(|value| !value.contains('<'));
    }
    if let Some(after) = line.strip_prefix("</key>") {
        let value = after.trim_start().strip_prefix("<string>")?;
        return value.split_once("</").map(|(value, _)| value);
    }
    // `name="password" value="…"`, `{"name": "PASSWORD", "value": "…"}`, and the same in YAML.
    let next = line.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
    let sibling = next.trim_start_matches('"').strip_prefix("value")?;
    let assignment = sibling.trim_start_matches(['"', ' ', '\t']);
    assignment.strip_prefix([':', '=']).map(trim_value)
}

/// Returns a value as written on its line, without quotes and comments.
fn trim_value(rest: &str) -> &str {
    let line = rest.lines().next().unwrap_or_default().trim_start();
    for quote in ['"', '\'', '`'] {
        if let Some(quoted) = line.strip_prefix(quote) {
            return quoted.split(quote).next().unwrap_or_default();
        }
    }
    let end = line.find(" #").or_else(|| line.find(" ;")).unwrap_or(line.len());
    line[..end].trim_end_matches([',', ';', '}', ')', ']', ' ', '\t', '\r'])
}

/// Returns the password in the text after the `://` of an address.
fn password_of_address(rest: &str) -> Option<&str> {
    let end =
        rest.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '"' | '\'' | '<' | '`'));
    let authority = &rest[..end.unwrap_or(rest.len())];
    let (user, _) = authority.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password)
}
