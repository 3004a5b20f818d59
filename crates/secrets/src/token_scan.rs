//! Finds secrets that are recognized by their shape: blocks of private keys, and tokens of known
//! services. Also masks such tokens in text that is stored and shown.
//!
//! An Aho-Corasick scan finds all prefixes in one pass; the regular expression of a shape runs only
//! there. That takes time linear in the text, with a bound on the number of attempts.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use super::value_entropy;
use super::{FileClass, SecretKind};
use kenning_model::redact;

/// The shape of a service's tokens: a fixed prefix, and a regular expression for the whole.
struct TokenShape {
    prefix: &'static str,
    pattern: &'static str,
    context: TokenContext,
}

/// The files in which a shape counts as a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenContext {
    /// In every file that is judged by its content.
    Everywhere,
    /// Only in settings: prose quotes such tokens to explain them.
    Config,
}

/// A shape that counts everywhere.
const fn shape(prefix: &'static str, pattern: &'static str) -> TokenShape {
    TokenShape { prefix, pattern, context: TokenContext::Everywhere }
}

/// A shape that counts in settings only.
const fn config_shape(prefix: &'static str, pattern: &'static str) -> TokenShape {
    TokenShape { prefix, pattern, context: TokenContext::Config }
}

/// The shapes, as the services publish them for tools like this one. The prefix is matched
/// literally, so each pattern begins with it.
const TOKEN_SHAPES: &[TokenShape] = &[
    shape("AKIA", r"AKIA[A-Z2-7]{16}\b"),
    shape("ASIA", r"ASIA[A-Z2-7]{16}\b"),
    shape("ghp_", r"ghp_[A-Za-z0-9]{36}"),
    shape("gho_", r"gho_[A-Za-z0-9]{36}"),
    shape("ghu_", r"ghu_[A-Za-z0-9]{36}"),
    shape("ghs_", r"ghs_[A-Za-z0-9]{36}"),
    shape("ghr_", r"ghr_[A-Za-z0-9]{36}"),
    shape("github_pat_", r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    shape("glpat-", r"glpat-[A-Za-z0-9_-]{20}"),
    shape("glrt-", r"glrt-[A-Za-z0-9_-]{20}"),
    shape("glptt-", r"glptt-[a-f0-9]{40}"),
    shape("xox", r"xox[abeoprs]-[A-Za-z0-9-]{24,}"),
    shape("xapp-", r"xapp-[0-9]-[A-Z0-9]+-[0-9]+-[a-z0-9]{24,}"),
    shape(
        "hooks.slack.com/services/",
        r"hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{20,}",
    ),
    shape("sk_live_", r"sk_live_[A-Za-z0-9]{16,}"),
    shape("rk_live_", r"rk_live_[A-Za-z0-9]{16,}"),
    shape("AIza", r"AIza[A-Za-z0-9_-]{35}"),
    shape("GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    shape("ya29.", r"ya29\.[A-Za-z0-9_-]{40,}"),
    shape("npm_", r"npm_[A-Za-z0-9]{36}\b"),
    shape("pypi-AgE", r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    shape("rubygems_", r"rubygems_[a-f0-9]{48}"),
    shape("dckr_pat_", r"dckr_pat_[A-Za-z0-9_-]{27}"),
    shape("sk-ant-", r"sk-ant-[a-z0-9]+-[A-Za-z0-9_-]{32,}"),
    shape("sk-proj-", r"sk-proj-[A-Za-z0-9_-]{40,}"),
    shape("T3BlbkFJ", r"T3BlbkFJ[A-Za-z0-9_-]{20}"),
    shape("sk-or-v1-", r"sk-or-v1-[a-f0-9]{64}"),
    shape("sk-", r"sk-[A-Za-z0-9]{48}\b"),
    shape("hf_", r"hf_[A-Za-z]{34}\b"),
    shape("gsk_", r"gsk_[A-Za-z0-9]{52}"),
    shape("pa-", r"pa-[A-Za-z0-9_-]{43}\b"),
    shape("SG.", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    shape("shp", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    shape("dop_v1_", r"dop_v1_[a-f0-9]{64}"),
    shape("hvs.", r"hvs\.[A-Za-z0-9_-]{24,}"),
    shape("hvb.", r"hvb\.[A-Za-z0-9_-]{24,}"),
    shape("dapi", r"dapi[a-f0-9]{32}\b"),
    shape("AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    shape("AccountKey=", r"AccountKey=[A-Za-z0-9+/]{86}=="),
    shape("_authToken=", r#"_authToken=["']?[A-Za-z0-9_./+=-]{16,}"#),
    config_shape("eyJ", r"eyJ[A-Za-z0-9_-]{16,}\.eyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{20,}"),
];

/// Parts of the first lines of private keys.
const KEY_BLOCK_MARKS: &[&str] =
    &["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----", "PuTTY-User-Key-File-"];

/// The same in base64, as Kubernetes has it: `-----BEGIN [RSA |EC |OPENSSH ]PRIVATE KEY`.
const ENCODED_KEY_BLOCK_MARKS: &[&str] = &[
    "LS0tLS1CRUdJTiBQUklWQVRFIEtFWS",
    "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRV",
    "LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS",
    "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ",
    "LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURSBLRV",
];

/// The compiled table. Patterns of `prefixes` come in this order: shapes, key blocks, encoded key
/// blocks.
struct TokenFinder {
    prefixes: AhoCorasick,
    patterns: Vec<Regex>,
}

/// One pass over a text finds every prefix; the pattern is tried only there.
static FINDER: LazyLock<TokenFinder> = LazyLock::new(|| {
    let shapes = TOKEN_SHAPES.iter().map(|shape| shape.prefix);
    let prefixes = shapes
        .chain(KEY_BLOCK_MARKS.iter().copied())
        .chain(ENCODED_KEY_BLOCK_MARKS.iter().copied());
    let patterns = TOKEN_SHAPES.iter().map(|shape| format!("^(?:{})", shape.pattern));
    TokenFinder {
        prefixes: AhoCorasick::new(prefixes).expect("the table's prefixes are valid"),
        patterns: patterns
            .map(|pattern| Regex::new(&pattern).expect("the table's patterns are valid"))
            .collect(),
    }
});

/// The longest token that is recognized, in bytes. It bounds each run of a regular expression.
const MAX_TOKEN_BYTES: usize = 4096;

/// The most prefixes that are tried in one file. A file with more was made to be slow.
const MAX_TRIES: usize = 2000;

/// Returns the text with every recognized token replaced, because facts of such a text are stored
/// and shown. Borrows the text if it has no token.
pub fn mask_tokens(text: &str) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut rest = 0;
    for found in FINDER.prefixes.find_overlapping_iter(text).take(MAX_TRIES) {
        let number = found.pattern().as_usize();
        let Some(shape) = TOKEN_SHAPES.get(number).filter(|_| found.start() >= rest) else {
            continue;
        };
        let token = FINDER.patterns[number].find(token_window(&text[found.start()..]));
        if let Some(token) = token.filter(|token| is_token(&token.as_str()[shape.prefix.len()..])) {
            masked += &text[rest..found.start()];
            masked += redact::HIDDEN;
            rest = found.start() + token.end();
        }
    }
    if rest == 0 {
        return Cow::Borrowed(text);
    }
    masked += &text[rest..];
    Cow::Owned(masked)
}

/// Returns the kind of the first secret that is recognized by its shape.
pub fn find_token(text: &str, class: FileClass) -> Option<SecretKind> {
    let found = FINDER.prefixes.find_overlapping_iter(text).filter(|found| {
        let shape = TOKEN_SHAPES.get(found.pattern().as_usize());
        let is_found_here = |shape: &TokenShape| {
            // Inside of a longer word, a prefix is chance.
            let is_alone = !text[..found.start()].ends_with(|c: char| c.is_ascii_alphanumeric());
            is_alone && (shape.context == TokenContext::Everywhere || class == FileClass::Config)
        };
        shape.is_none_or(is_found_here)
    });
    found.take(MAX_TRIES).find_map(|found| {
        let number = found.pattern().as_usize();
        match TOKEN_SHAPES.get(number) {
            Some(shape) => {
                let token = FINDER.patterns[number].find(token_window(&text[found.start()..]))?;
                is_token(&token.as_str()[shape.prefix.len()..]).then_some(SecretKind::Token)
            }
            None => {
                let is_plain = number - TOKEN_SHAPES.len() < KEY_BLOCK_MARKS.len();
                let is_key = !is_plain || is_key_block(text, found.end(), class);
                is_key.then_some(SecretKind::PrivateKey)
            }
        }
    })
}

/// The beginning of a text, as far as a token can reach.
fn token_window(text: &str) -> &str {
    let end = (0..=text.len().min(MAX_TOKEN_BYTES)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// The payload of the example token in most documentation about tokens: `{"sub":"1234567890"`.
const WELL_KNOWN_PAYLOAD: &str = "eyJzdWIiOiIxMjM0NTY3ODkw";

/// True if the text after the prefix is no placeholder.
fn is_token(body: &str) -> bool {
    !body.contains(WELL_KNOWN_PAYLOAD) && !value_entropy::is_placeholder_body(body)
}

/// The shortest run of base64 that counts as a line of a key. Lines of keys have 64 characters; the
/// words of an explanation are shorter.
const MIN_BASE64_RUN: usize = 24;

/// The least base64 after a first line in prose, in bytes. Prose quotes the beginning of keys, and
/// is skipped only for what may be a whole one.
const MIN_KEY_BYTES_IN_PROSE: usize = 400;

/// The most bytes between the first line and the key: headers may stand there.
const MAX_HEADER_BYTES: usize = 512;

/// The longest key that somebody writes into a file, with its line ends, in bytes.
const MAX_KEY_BYTES: usize = 16 * 1024;

/// True if a key follows its first line, which ends at `end`.
fn is_key_block(text: &str, end: usize, class: FileClass) -> bool {
    let line = &text.as_bytes()[end.saturating_sub(64)..end];
    let is_begun = line.ends_with(b"File-") || memchr::memmem::rfind(line, b"-----BEGIN").is_some();
    let window = &text.as_bytes()[end..text.len().min(end + MAX_KEY_BYTES)];
    let body = &window[..memchr::memmem::find(window, b"-----END").unwrap_or(window.len())];
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    // A name of the same length has no digits and capitals in between.
    let is_key = |run: &&[u8]| {
        let has = |test: fn(&u8) -> bool| run.iter().any(test);
        run.len() >= MIN_BASE64_RUN && has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase)
    };
    let length = |bytes: &[u8]| -> usize {
        bytes.split(|byte| !is_base64(byte)).filter(is_key).map(<[u8]>::len).sum()
    };
    let is_near = length(&body[..body.len().min(MAX_HEADER_BYTES)]) > 0;
    is_begun && is_near && (class != FileClass::Prose || length(body) >= MIN_KEY_BYTES_IN_PROSE)
}

/// True if a text has certificates, public keys or nothing at all, and no private key.
pub fn is_public_key(text: &str) -> bool {
    let is_block = text.contains("-----BEGIN ") && !text.contains("PRIVATE KEY");
    let is_line = text.starts_with("ssh-") || text.starts_with("ecdsa-sha2-");
    is_block || is_line || text.trim().is_empty()
}
