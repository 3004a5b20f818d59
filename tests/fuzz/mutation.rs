//! Random changes of a file.

use kenning_testing::Random;

use crate::corpus::Corpus;

/// Texts that parsers treat specially.
const TOKENS: &[&str] = &[
    "\0",
    "\r",
    "\r\n",
    "\u{feff}",
    "\u{202e}",
    "é",
    "\u{1f600}",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "\\",
    "#",
    "---\n",
    "```\n",
    "/*",
    "*/",
    "//",
    "<!--",
    "-->",
    "\n\n",
    "\t",
    "${",
    "{{",
    "..",
    "**",
    "*",
    "?",
    "[!a]",
    "-1",
    "0",
    "18446744073709551616",
    "1e999",
    "null",
    "true",
    "&a",
    "*a",
    "<<: *a",
    "|",
    ">-",
    "=",
    ":",
    ",",
    ";",
    "::",
    "@",
    "$(",
    "%s",
    "\u{0301}",
    "\u{2028}",
    "# ",
    "## Requirements\n",
    "### Requirement: a\n",
    "#### Scenario: b\n",
];

/// The longest input.
const MAX_BYTES: usize = 32 << 10;

/// Returns a changed copy; one in sixteen stays as it is.
pub fn mutate(bytes: &[u8], corpus: &Corpus, random: &mut Random) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    let count = 1_usize << random.next_below(5_u32);
    if random.next_below(16) == 0 {
        return changed;
    }
    for _ in 0..count {
        change_once(&mut changed, corpus, random);
        changed.truncate(MAX_BYTES);
    }
    changed
}

fn change_once(bytes: &mut Vec<u8>, corpus: &Corpus, random: &mut Random) {
    let at = random.next_below(bytes.len() + 1);
    let length = 1 << random.next_below(9_u32);
    let end = (at + random.next_below(length + 1)).min(bytes.len());
    match random.next_below(9) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.next_below(8_u32),
        1 if at < bytes.len() => bytes[at] = random.next_u64() as u8,
        2 => drop(bytes.drain(at..end)),
        3 => {
            let token = TOKENS[random.next_below(TOKENS.len())].as_bytes();
            bytes.splice(at..at, token.iter().copied());
        }
        4 => {
            let part = bytes[at..end].to_vec();
            let times = 1 + random.next_below(40_usize);
            bytes.splice(at..at, part.repeat(times));
        }
        5 => {
            let other = &corpus.choose(random).bytes;
            let from = random.next_below(other.len() + 1);
            let to = (from + random.next_below(600)).min(other.len());
            bytes.splice(at..end, other[from..to].iter().copied());
        }
        6 => bytes.truncate(at),
        7 => {
            let token = TOKENS[random.next_below(TOKENS.len())].as_bytes();
            let times = 1 + random.next_below(300_usize);
            bytes.splice(at..at, token.repeat(times));
        }
        _ => {
            let part: Vec<u8> = bytes.drain(at..end).collect();
            let to = random.next_below(bytes.len() + 1);
            bytes.splice(to..to, part);
        }
    }
}
