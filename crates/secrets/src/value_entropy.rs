//! Distinguishes the value of a secret from placeholders, references and words. The question is
//! always: did a machine draw this at random?
//!
//! No list of examples is complete, so several weak signs count together: length, alphabet,
//! entropy, and changes between letters and digits.

/// The shortest value that can look random. Shorter ones are words, switches and numbers.
const MIN_RANDOM_BYTES: usize = 16;
/// The shortest value that counts at all.
const MIN_VALUE_BYTES: usize = 4;

/// Bits per character, as counted in the value itself. English words have less than 3, random
/// hexadecimal digits of this length 3.4 and more.
const MIN_ENTROPY: f64 = 3.2;

/// Words that mark a value as one to be replaced.
const PLACEHOLDER_WORDS: &[&str] = &[
    "example",
    "sample",
    "dummy",
    "fake",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "replace",
    "your",
    "insert",
    "todo",
    "fixme",
    "redacted",
    "masked",
    "hidden",
    "removed",
    "xxxx",
    "secret",
    "password",
    "passwd",
    "passwort",
    "token",
    "test",
    "default",
    "foobar",
    "1234567",
    "abcdef",
    "lorem",
    "notreal",
    "not-real",
    "invalid",
    "mock",
    "development",
    "localhost",
    "supersecret",
];

/// True if a value says where the real one comes from: a variable, a vault, a file.
pub fn is_reference(value: &str) -> bool {
    const MARKS: [&str; 8] = ["${", "{{", "}}", "<%", "%{", "$(", "#{", "%("];
    const BEGINNINGS: [&str; 21] = [
        "$", "<", "%", "!", "*", "&", "@", "[", "{", "(", "|", ">", ".", "ENC", "vault:", "env:",
        "file:", "op://", "arn:", "ref+", "ssm:",
    ];
    MARKS.iter().any(|mark| value.contains(mark))
        || BEGINNINGS.iter().any(|beginning| value.starts_with(beginning))
}

/// True if a value is a real one: no placeholder, switch, number, path or text for people.
pub fn is_literal(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_word_for_none =
        matches!(lower.as_str(), "true" | "false" | "null" | "none" | "nil" | "yes" | "no");
    !(value.len() < MIN_VALUE_BYTES
        || is_word_for_none
        || is_reference(value)
        || is_repeated(value)
        || is_path(value)
        || value.contains(char::is_whitespace)
        || is_number(value)
        || has_placeholder_word(&lower))
}

/// True if a value looks as if a machine had drawn it at random.
pub fn is_random(value: &str) -> bool {
    is_literal(value)
        && (MIN_RANDOM_BYTES..=512).contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && !is_uuid(value)
        && !is_password_hash(value)
        && !is_placeholder_body(value)
}

/// True if people typed the body of a token that is not real: repeated, a sequence, or made of
/// words.
pub fn is_placeholder_body(body: &str) -> bool {
    is_repeated(body)
        || count_random_bytes(body) < MIN_RANDOM_BYTES - 4
        || entropy(body) < MIN_ENTROPY
}

/// Counts the bytes of a value in random-looking parts, where letters and digits, or lower and
/// upper case, alternate. Placeholder words are removed first.
fn count_random_bytes(value: &str) -> usize {
    let mut lower = value.to_ascii_lowercase();
    for word in PLACEHOLDER_WORDS {
        if lower.contains(word) {
            lower = lower.replace(word, &"-".repeat(word.len()));
        }
    }
    let kept: String = value
        .char_indices()
        .map(|(at, c)| match lower.as_bytes().get(at) {
            Some(b'-') => '-',
            _ => c,
        })
        .collect();
    // A name of many words has turns too.
    if !kept.contains(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    let parts = kept.split(['-', '_', '.', '/', ':', ',', '@', '\\', '?', '&', '=']);
    parts.filter(|part| is_random_part(part)).map(str::len).sum()
}

/// True if the kind of character changes at least once in five characters.
fn is_random_part(part: &str) -> bool {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let bytes = part.as_bytes();
    // The capital that begins a word does not count twice.
    let turns = bytes.windows(2).filter(|pair| {
        kind(pair[0]) != kind(pair[1]) && !(kind(pair[0]) == 1 && kind(pair[1]) == 0)
    });
    bytes.len() >= 6 && turns.count() * 5 >= bytes.len()
}

/// Shannon entropy in bits per byte, from the frequencies in the text itself.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = text.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / length);
    shares.map(|share| -share * share.log2()).sum()
}

/// True if a value has at most two different letters or digits.
fn is_repeated(value: &str) -> bool {
    let mut letters: Vec<u8> = value.bytes().filter(u8::is_ascii_alphanumeric).collect();
    letters.sort_unstable();
    letters.dedup();
    letters.len() <= 2
}

/// True if a value has only digits and signs of numbers, dates and versions.
fn is_number(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'_'))
}

/// True if a value names a place: a file, a key of a store, an address.
fn is_path(value: &str) -> bool {
    let begins = ["/", "./", "../", "~/", "http://", "https://", "\\\\"];
    let ends = [".json", ".pem", ".key", ".txt", ".yml", ".yaml", ".crt", ".env", ".p12", ".jks"];
    begins.iter().any(|begin| value.starts_with(begin))
        || ends.iter().any(|end| value.ends_with(end))
}

/// True for the hash of a password, such as `$2y$10$…` or `$6$…`. It is stored in place of the
/// password.
fn is_password_hash(value: &str) -> bool {
    ["$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$apr1$", "$argon2", "$scrypt", "$pbkdf2"]
        .iter()
        .any(|mark| value.contains(mark))
}

/// True for a UUID. Most are identifiers and no secrets.
fn is_uuid(value: &str) -> bool {
    let is_hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let lengths: Vec<usize> = value.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && value.split('-').all(is_hex)
}

/// True if a value contains a word that marks it as one to be replaced. Long values may contain
/// such words by chance, so only some words count in them.
fn has_placeholder_word(lower: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let begins = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    lower.len() < MIN_RANDOM_BYTES && has(PLACEHOLDER_WORDS)
        || has(&["your", "...", "xxxx"])
        || begins(&["my-", "my_", "some"])
}
