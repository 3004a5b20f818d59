//! Reads TOML leniently, for the ecosystems whose manifests are TOML. A value of the wrong type
//! costs a [`Problem`] with its line, not the whole file.
//!
//! It is not a general reader: manifests need only tables, texts, flags and lists of texts. A
//! syntax error does lose the file, because the parser recovers from none.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ParsedManifest;
use kenning_model::{Problem, RepoPath};

/// A table whose values know their position.
pub type TomlTable<'t> = DeTable<'t>;
/// A value with its byte range in the file.
pub type TomlValue<'t> = Spanned<DeValue<'t>>;

/// Parses `text`, and calls `facts` with its root table to extract the ecosystem's facts.
pub fn read_toml<'t, F>(
    path: &'t RepoPath,
    text: &'t str,
    facts: impl FnOnce(&mut TomlFields<'t>, &TomlTable<'t>) -> F,
) -> ParsedManifest<F> {
    let mut reader = TomlFields { path, text, newlines: None, problems: Vec::new() };
    if nesting_depth(text) > MAX_DEPTH {
        return ParsedManifest::from_problem(Problem::new(path, "brackets are nested too deeply"));
    }
    match DeTable::parse(text) {
        Ok(root) => {
            let facts = facts(&mut reader, root.get_ref());
            ParsedManifest::with_problems(facts, reader.problems)
        }
        Err(error) => {
            let problem = Problem::new(path, error.message());
            ParsedManifest::from_problem(match error.span() {
                Some(span) => problem.at_line(reader.line_at(span.start)),
                None => problem,
            })
        }
    }
}

/// Extracts values from tables. A missing value is no problem; a value of another type is.
pub struct TomlFields<'t> {
    path: &'t RepoPath,
    text: &'t str,
    /// The offsets of line ends. They are computed when the first problem needs a line.
    newlines: Option<Vec<usize>>,
    problems: Vec<Problem>,
}

impl<'t> TomlFields<'t> {
    /// The table `key` of `parent`.
    pub fn table<'a>(&mut self, parent: &'a TomlTable<'t>, key: &str) -> Option<&'a TomlTable<'t>> {
        let value = parent.get(key)?;
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.report_mistyped(key, value, "a table");
        }
        table
    }

    /// The tables in the table `key`, by name: `[target.NAME]`, `[tool.poetry.group.NAME]`.
    pub fn tables<'a>(
        &mut self,
        parent: &'a TomlTable<'t>,
        key: &str,
    ) -> Vec<(&'a str, &'a TomlTable<'t>)> {
        let Some(table) = self.table(parent, key) else {
            return Vec::new();
        };
        let names = table.keys().map(|name| name.get_ref().as_ref());
        names.filter_map(|name| Some((name, self.table(table, name)?))).collect()
    }

    /// The text `key` of `parent`.
    pub fn text(&mut self, parent: &TomlTable<'t>, key: &str) -> Option<String> {
        self.value_text(key, parent.get(key)?)
    }

    /// Reads a text. A number is most often a version without its quotes, so it is reported, and
    /// kept as written.
    pub fn value_text(&mut self, key: &str, value: &TomlValue<'t>) -> Option<String> {
        if let DeValue::String(text) = value.get_ref() {
            return Some(text.to_string());
        }
        self.report_mistyped(key, value, "a string");
        match value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Datetime(_) => {
                self.text.get(value.span()).map(str::to_string)
            }
            _ => None,
        }
    }

    /// The boolean `key` of `parent`; false if it is missing or of another type.
    pub fn flag(&mut self, parent: &TomlTable<'t>, key: &str) -> bool {
        let Some(value) = parent.get(key) else {
            return false;
        };
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.report_mistyped(key, value, "true or false");
        }
        flag.unwrap_or(false)
    }

    /// The items of a list, whatever their types.
    pub fn items<'a>(&mut self, parent: &'a TomlTable<'t>, key: &str) -> &'a [TomlValue<'t>] {
        let Some(value) = parent.get(key) else {
            return &[];
        };
        match value.get_ref().as_array() {
            Some(items) => items,
            None => {
                self.report_mistyped(key, value, "a list");
                &[]
            }
        }
    }

    /// The texts of a list; items of other types are reported and skipped.
    pub fn texts(&mut self, parent: &TomlTable<'t>, key: &str) -> Vec<String> {
        let mut texts = Vec::new();
        for item in self.items(parent, key) {
            match item.get_ref().as_str() {
                Some(text) => texts.push(text.to_string()),
                None => self.report_mistyped(key, item, "a list of strings"),
            }
        }
        texts
    }

    /// Reports a value of the wrong type.
    pub fn report_mistyped(&mut self, key: &str, value: &TomlValue<'t>, expected: &str) {
        let found = value.get_ref().type_str();
        self.report_problem(value, format!("`{key}` should be {expected}, not {found}"));
    }

    /// Reports a problem at the line of a value. After `MAX_PROBLEMS` further ones are dropped.
    pub fn report_problem(&mut self, value: &TomlValue<'t>, message: String) {
        if self.problems.len() < MAX_PROBLEMS {
            let problem = Problem::new(self.path, message);
            let line = self.line_at(value.span().start);
            self.problems.push(problem.at_line(line));
        }
    }

    /// Reports a problem of the file as a whole, without a line.
    pub fn report_file_problem(&mut self, message: &str) {
        self.problems.push(Problem::new(self.path, message));
    }

    /// The 1-based line of a byte offset.
    fn line_at(&mut self, offset: usize) -> u32 {
        let text = self.text;
        let newlines = self
            .newlines
            .get_or_insert_with(|| text.match_indices('\n').map(|(at, _)| at).collect());
        newlines.partition_point(|&newline| newline < offset) as u32 + 1
    }
}

/// The most problems that are kept. A file with more is not a manifest.
const MAX_PROBLEMS: usize = 100;

/// The deepest nesting of brackets; no manifest comes near it. The `toml` crate limits brackets and
/// the length of dotted keys to 80 each, but not their product. That product overflows the stack of
/// a thread.
const MAX_DEPTH: usize = 16;

/// The deepest nesting of brackets, outside of strings and comments. A linear scan before the
/// recursive parser runs.
fn nesting_depth(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth, mut deepest) = (0, 0_usize, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'#' => {
                at += line_length(&bytes[at..]);
                continue;
            }
            b'"' | b'\'' => {
                at += string_length(&bytes[at..], byte);
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
        at += 1;
    }
    deepest
}

/// The length of the rest of the line, without its newline.
fn line_length(bytes: &[u8]) -> usize {
    let newline = bytes.iter().position(|&byte| byte == b'\n');
    newline.unwrap_or(bytes.len())
}

/// The length of the string that `bytes` begins with, quotes included. A string of one line ends
/// with its line, closed or not.
fn string_length(bytes: &[u8], quote: u8) -> usize {
    let fence = [quote; 3];
    let multiline = bytes.starts_with(&fence);
    let mut at = if multiline { 3 } else { 1 };
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\\' && quote == b'"' {
            at += 2;
        } else if multiline && bytes[at..].starts_with(&fence) {
            // Up to two quotes may stand before the closing three.
            let quotes = bytes[at..].iter().take(5).take_while(|&&b| b == quote);
            return at + quotes.count();
        } else if !multiline && byte == quote {
            return at + 1;
        } else if !multiline && byte == b'\n' {
            return at;
        } else {
            at += 1;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: usize) {
        assert_eq!(nesting_depth(text), expected, "{text}");
    }

    #[test]
    fn nesting_is_counted_outside_of_strings_and_comments() {
        check("a = [[1], {b = [2]}]", 3);
        check("[a]\nb = 1 # [[[\n[c]", 1);
        check("a = '[' # it's\nb = \"\\\"[\"\nc = [1]", 1);
        check("a = '''[\n'[''''\nb = \"\"\"[\\\"\"\"[\"\"\"\nc = [[", 2);
        check("a = \"[\n[b]", 1);
        check("\"\\", 0);
    }

    #[test]
    fn no_nesting_overflows_the_stack() {
        let path = RepoPath::new("Cargo.toml").expect("inside");
        let dotted = format!("{{{}a = ", "b.".repeat(78));
        for text in [
            format!("a = {}1{}", dotted.repeat(78), "}".repeat(78)),
            format!("a = {}1{}", dotted.repeat(15), "}".repeat(15)),
            format!("a = {}", "[".repeat(100_000)),
            format!("{}a = 1", "a.".repeat(100_000)),
            format!("[{}a]", "a.".repeat(100_000)),
        ] {
            read_toml(&path, &text, |_, _| ());
        }
    }
}
