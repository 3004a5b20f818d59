//! The front matter of a `SKILL.md`: finds the lines between `---` and `---`, and parses them as
//! YAML or, failing that, line by line.
//!
//! The lenient fallback exists because many skills have values that are not YAML, such as a colon
//! in a description. It is used to load a skill; `lint` reports the YAML error.

use serde_json::{Map, Value};

/// An error in a skill file, with its line if that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontmatterError {
    /// 1-based.
    pub line: Option<u32>,
    pub message: String,
}

/// A skill file cut into its front matter and its body.
pub struct SplitSkill<'a> {
    pub yaml: &'a str,
    /// The line of the file on which the YAML begins, 1-based.
    pub yaml_line: u32,
    pub body: &'a str,
    /// The line of the file on which the body begins, 1-based.
    pub body_line: u32,
}

/// The deepest nesting that the YAML parser accepts. It recurses, so this bounds its stack.
const MAX_DEPTH: usize = 24;

/// Finds the front matter. A byte order mark and blank lines before it are accepted; any other line
/// before it is an error.
pub fn split_frontmatter(text: &str) -> Result<SplitSkill<'_>, FrontmatterError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut begin: Option<(usize, u32)> = None;
    let mut offset = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let is_mark = line.trim_end() == "---";
        offset += line.len();
        // The line after this one, counted from 1.
        let next_line = number as u32 + 2;
        match begin {
            None if is_mark => begin = Some((offset, next_line)),
            None if line.trim().is_empty() => {}
            None => break,
            Some((start, yaml_line)) if is_mark => {
                return Ok(SplitSkill {
                    yaml: &text[start..offset - line.len()],
                    yaml_line,
                    body: &text[offset..],
                    body_line: next_line,
                });
            }
            Some(_) => {}
        }
    }
    let (line, message) = match begin {
        Some((_, line)) => (line - 1, "its frontmatter has no end; add a line `---`"),
        None => {
            (1, "no frontmatter; begin the file with `---`, `name: …`, `description: …`, `---`")
        }
    };
    Err(FrontmatterError { line: Some(line), message: message.to_string() })
}

/// Parses the front matter as YAML and returns its fields. An empty front matter has none.
///
/// The last of repeated keys counts; `lint` reports the repetition. Only `true` and `false` are
/// booleans: `yes` and `on` stay texts.
pub fn parse_yaml(split: &SplitSkill) -> Result<Map<String, Value>, FrontmatterError> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH },
        emit_comments: false,
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
        strict_booleans: true,
        with_snippet: false,
    };
    if split.yaml.trim().is_empty() {
        return Ok(Map::new());
    }
    let parsed = serde_saphyr::from_str_with_options::<Value>(split.yaml, options);
    match parsed {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(FrontmatterError {
            line: Some(split.yaml_line),
            message: "the frontmatter is no list of `key: value`".to_string(),
        }),
        Err(error) => {
            let location = error.location();
            let line = location
                .and_then(|location| u32::try_from(location.line()).ok())
                .filter(|line| *line > 0);
            // The parser's own position counts from the start of the YAML. It is cut off, because
            // the error has the line of the file.
            let message = error.to_string();
            let reason = message.split(" at line ").next().unwrap_or_default();
            Err(FrontmatterError {
                line: Some(line.map_or(split.yaml_line, |line| split.yaml_line + line - 1)),
                message: format!("the frontmatter is not YAML ({reason}); put values in quotes"),
            })
        }
    }
}

/// Parses a front matter that is not YAML, as a person would read it: `key: value` at the beginning
/// of a line, and indented lines that continue the value. All values are texts.
pub fn parse_lines(yaml: &str) -> Map<String, Value> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in yaml.lines() {
        let is_indented = line.starts_with([' ', '\t']);
        match (is_indented, fields.last_mut(), line.split_once(':')) {
            (true, Some((_, value)), _) => {
                value.push(' ');
                value.push_str(line.trim());
            }
            (false, _, Some((key, value))) if is_key(key) => {
                let value = value.trim();
                // A block scalar indicator is not part of the text that follows it.
                let is_sign = matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+");
                let value = if is_sign { "" } else { value };
                fields.push((key.to_string(), value.to_string()));
            }
            _ => {}
        }
    }
    let fields = fields.into_iter();
    fields.map(|(key, value)| (key, Value::from(strip_quotes(value.trim())))).collect()
}

/// True if a text can be a field's name. This keeps a prose line with a colon from becoming a
/// field.
fn is_key(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    !text.is_empty() && text.chars().all(is_word)
}

/// Strips one pair of equal quotes around a text.
fn strip_quotes(text: &str) -> &str {
    for quote in ['"', '\''] {
        let inner = text.strip_prefix(quote);
        if let Some(inner) = inner.and_then(|inner| inner.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}
