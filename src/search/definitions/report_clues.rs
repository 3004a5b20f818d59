//! Clues in a report to the code that it is about: names that it spells as code, stack frames, and
//! runs of words that it may have copied from the code or from its messages.
//!
//! Reading a report does no I/O and depends on the text only.

use std::collections::{HashMap, HashSet};

use kenning_text::tokenizer;

/// The most names, frames and words that are used. A pasted log may have any number.
const MAX_NAMES: usize = 300;
const MAX_FRAMES: usize = 60;
const MAX_WORDS: usize = 2000;

/// The number of words in a row that are looked up. Shorter runs match by chance.
pub const RUN: usize = 4;

/// The clues of one report.
#[derive(Default)]
pub struct ReportClues {
    /// The names that the report spells as code, each with the strength of its best mention.
    pub names: HashMap<String, Mention>,
    /// The stack frames, in the order of the text.
    pub frames: Vec<StackFrame>,
    /// The hashes of every [`RUN`] words in a row.
    runs: HashSet<u64>,
}

/// The most telling way in which a report mentions a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mention {
    /// Somewhere in its code.
    InCode,
    /// Between backticks, as a call or as a member; or spelled unlike a word of prose.
    AsCode,
}

/// One line of a stack trace, or any other mention of a place.
#[derive(Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// The name of the file, in lower case.
    pub file_name: String,
    /// The directory that contains the file, in lower case; empty if unknown.
    pub directory: String,
    pub line: u32,
    /// The function; empty if unknown.
    pub function: String,
}

impl ReportClues {
    /// Reads the clues of a text.
    pub fn new(text: &str) -> ReportClues {
        let words = split_words(text).take(MAX_WORDS);
        let words: Vec<u64> = words.map(hash_word).collect();
        ReportClues {
            names: find_names(text),
            frames: text.lines().filter_map(find_frame).take(MAX_FRAMES).collect(),
            runs: words.windows(RUN).map(hash_run).collect(),
        }
    }

    /// Returns the number of words in the longest run that the report shares with a text. A run of
    /// fewer than [`RUN`] words gives 0.
    pub fn longest_run(&self, text: &str) -> usize {
        if self.runs.is_empty() {
            return 0;
        }
        let words: Vec<u64> = split_words(text).map(hash_word).collect();
        let (mut longest, mut current) = (0, 0);
        for run in words.windows(RUN) {
            current = if self.runs.contains(&hash_run(run)) { current + 1 } else { 0 };
            longest = longest.max(current);
        }
        if longest == 0 { 0 } else { longest + RUN - 1 }
    }
}

/// Splits at everything that is not alphanumeric or `_`.
pub fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| !word.is_empty())
}

/// Hashes a word with FNV-1a, ignoring ASCII case.
fn hash_word(word: &str) -> u64 {
    let lower = word.bytes().map(|byte| byte.to_ascii_lowercase());
    lower.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn hash_run(words: &[u64]) -> u64 {
    words
        .iter()
        .fold(17, |hash: u64, word| hash.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) ^ word)
}

/// Finds the names that a report spells as code.
fn find_names(text: &str) -> HashMap<String, Mention> {
    let mut names: HashMap<String, Mention> = HashMap::new();
    let mut note = |name: &str, mention: Mention| {
        let is_name = name.len() > 2 && !name.starts_with(|c: char| c.is_ascii_digit());
        if is_name && (names.len() < MAX_NAMES || names.contains_key(name)) {
            let known = names.entry(name.to_string()).or_insert(mention);
            *known = mention.max(*known);
        }
    };
    let mut is_fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
            continue;
        }
        tokenizer::identifiers(line).iter().for_each(|name| note(name, Mention::AsCode));
        let is_code = is_fenced || line.starts_with("    ") || line.starts_with(">>>");
        if is_code {
            split_words(line).for_each(|word| note(word, Mention::InCode));
        }
        called_or_member(line).for_each(|name| note(name, Mention::AsCode));
        if !is_fenced {
            quoted_parts(line).for_each(|name| note(name, Mention::AsCode));
        }
    }
    names
}

/// Returns the words of the parts between backticks.
fn quoted_parts(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2).flat_map(split_words)
}

/// Returns the words directly before a parenthesis or directly after a dot.
fn called_or_member(line: &str) -> impl Iterator<Item = &str> {
    split_words(line).filter(move |word| {
        let start = word.as_ptr().addr() - line.as_ptr().addr();
        let is_called = line[start + word.len()..].starts_with('(');
        let before = line[..start].strip_suffix('.');
        is_called
            || before.is_some_and(|before| {
                before.ends_with(|c: char| c.is_alphanumeric() || c == ')' || c == '_')
            })
    })
}

/// Finds the place that a line names: `File "a/b.py", line 3, in f`, `at f (a/b.js:3:1)`,
/// `a/b.rs:3`. A file without a line number does not count.
fn find_frame(line: &str) -> Option<StackFrame> {
    let is_path = |c: char| c.is_alphanumeric() || "_-./\\@+".contains(c);
    let mut words = line.split(|c: char| !is_path(c)).filter(|word| looks_like_file(word));
    let (path, start, number) = words.find_map(|word| {
        let start = word.as_ptr().addr() - line.as_ptr().addr();
        Some((word, start, line_number(&line[start + word.len()..])?))
    })?;
    let (before, after) = (line[..start].trim(), &line[start + path.len()..]);
    let named_after = after.rsplit_once(" in ").map(|(_, name)| name);
    let named_before = before.strip_prefix("at ");
    let function = named_after.or(named_before).unwrap_or_default();
    let function = split_words(function).last().unwrap_or_default();
    let path = path.to_lowercase().replace('\\', "/");
    let (directories, file_name) = path.rsplit_once('/').unwrap_or(("", &path));
    Some(StackFrame {
        file_name: file_name.to_string(),
        directory: directories.rsplit('/').next().unwrap_or_default().to_string(),
        line: number,
        function: function.to_string(),
    })
}

/// Returns the line number that follows a path: `:31`, or `", line 31`.
fn line_number(after: &str) -> Option<u32> {
    let number = after.strip_prefix(':').or(after.strip_prefix("\", line "))?;
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// True for a word that ends in a short extension of letters, such as `session.py`.
fn looks_like_file(word: &str) -> bool {
    let Some((stem, extension)) = word.rsplit_once('.') else {
        return false;
    };
    let is_short = (1..=5).contains(&extension.len());
    let has_name = stem.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    is_short
        && has_name
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_stack_traces() {
        let check = |line: &str, expected: Option<(&str, &str, u32, &str)>| {
            let found = find_frame(line);
            let found = found.as_ref().map(|frame| {
                let StackFrame { directory, file_name, line, function } = frame;
                (directory.as_str(), file_name.as_str(), *line, function.as_str())
            });
            assert_eq!(found, expected, "{line}");
        };
        check("  File \"/lib/tea/pot.py\", line 31, in boil", Some(("tea", "pot.py", 31, "boil")));
        check("    at Pot.boil (/app/tea/Pot.js:31:7)", Some(("tea", "pot.js", 31, "boil")));
        check("thread panicked at src/pot.rs:31:5", Some(("src", "pot.rs", 31, "")));
        check("see pot.py for more", None);
        check("nothing e.g. of use", None);
    }

    #[test]
    fn names_by_how_they_are_mentioned() {
        let clues = ReportClues::new(
            "boil_water never ends\n\nIt calls pot.heat(cup) and `lid`.\n```\nkettle = Pot()\n```\nplain words",
        );
        for (name, mention) in [
            ("boil_water", Some(Mention::AsCode)),
            ("heat", Some(Mention::AsCode)),
            ("lid", Some(Mention::AsCode)),
            ("Pot", Some(Mention::AsCode)),
            ("kettle", Some(Mention::InCode)),
            ("plain", None),
        ] {
            assert_eq!(clues.names.get(name).copied(), mention, "{name}");
        }
    }

    #[test]
    fn words_that_a_text_shares_in_a_row() {
        let clues = ReportClues::new("It says: the pot cannot boil without water today");
        assert_eq!(clues.longest_run("raise Error(\"The pot cannot boil without %s\")"), 5);
        assert_eq!(clues.longest_run("the pot cannot"), 0);
        assert_eq!(ReportClues::new("").longest_run("the pot cannot boil"), 0);
    }
}
