//! `--format compact`: a line for each piece of code that was found, for eyes that skim and for agents that pay by
//! the token. The line is where the definition begins, below its comment.

use serde_json::Value;

/// More of a line says little.
const WIDTH: usize = 100;

pub fn lines(answer: &Value) -> String {
    let results = answer["results"].as_array().into_iter().flatten();
    let lines: Vec<String> = results.map(line).collect();
    let notice = answer["notice"].as_str();
    let notice = notice.map(|notice| format!("notice: {notice}"));
    let lines: Vec<String> = lines.into_iter().chain(notice).collect();
    match lines.is_empty() {
        true => "nothing found".to_string(),
        false => lines.join("\n"),
    }
}

fn line(result: &Value) -> String {
    let text = |name: &str| result[name].as_str().unwrap_or_default();
    let start = result["startLine"].as_u64().unwrap_or(1);
    let symbol = text("symbol");
    let (offset, said) = telling(result);
    let name = match text("scope") {
        "" => symbol.to_string(),
        scope => format!("{scope}.{symbol}"),
    };
    let stale = match result["stale"].as_bool() {
        Some(true) => "  (stale)",
        _ => "",
    };
    let place = format!("{}:{}", text("path"), start + offset as u64);
    let parts = [place.as_str(), text("kind"), &name, &said];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    // A file may be called anything; a terminal must not obey it.
    let line = parts.collect::<Vec<_>>().join("  ") + stale;
    super::visible::visible(&line)
}

/// How lines begin that only speak of a definition, in the languages that there are.
const COMMENTS: &[&str] = &["//", "#", "*", "/*", "--", "\"\"\"", ";"];

/// The line within a result where its definition is, counted from 0.
pub fn own_line(result: &Value) -> usize {
    telling(result).0
}

/// The line that names the symbol, else the first one with anything on it; with its place.
fn telling(result: &Value) -> (usize, String) {
    let text = |name: &str| result[name].as_str().unwrap_or_default();
    let (content, symbol) = (text("content"), text("symbol"));
    let comments: &[&str] = match text("language") {
        "markdown" => &[],
        _ => COMMENTS,
    };
    let lines = || content.lines().map(str::trim).enumerate();
    let names = |line: &str| {
        let is_comment = comments.iter().any(|mark| line.starts_with(mark));
        !symbol.is_empty() && !is_comment && line.contains(symbol)
    };
    let naming = lines().find(|(_, line)| names(line));
    let first = || lines().find(|(_, line)| !line.is_empty());
    let (place, line) = naming.or_else(first).unwrap_or_default();
    (place, line.chars().take(WIDTH).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_is_where_the_definition_is() {
        let found = json!({"results": [
            {"path": "a.rs", "startLine": 3, "kind": "method", "symbol": "run", "scope": "Job",
             "content": "/// Lets it run.\n#[must_use]\n    pub fn run() {\n"},
            {"path": "b\u{1b}[31m.md", "startLine": 7, "kind": "section", "symbol": "Words",
             "language": "markdown", "content": "\n# Words\nWords.\n", "stale": true},
        ], "notice": "old"});
        assert_eq!(
            lines(&found),
            "a.rs:5  method  Job.run  pub fn run() {\nb [31m.md:8  section  Words  # Words  (stale)\nnotice: old"
        );
        assert_eq!(lines(&json!({"results": []})), "nothing found");
    }
}
