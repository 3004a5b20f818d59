//! `--format compact`: a line for each piece of code that was found, for eyes that skim and for agents that pay by
//! the token. The line is where the definition begins, below its comment.

use serde_json::Value;

use crate::front::snippet::telling;

/// More of a line says little.
const WIDTH: usize = 100;

pub fn lines(answer: &Value) -> String {
    let results = answer["results"].as_array().into_iter().flatten();
    let lines: Vec<String> = results.map(line).collect();
    let notice = answer["notice"].as_str();
    let notice = notice.map(|notice| format!("notice: {notice}"));
    let lines: Vec<String> = lines.into_iter().chain(notice).collect();
    if lines.is_empty() { "nothing found".to_string() } else { lines.join("\n") }
}

fn line(result: &Value) -> String {
    let text = |name: &str| result[name].as_str().unwrap_or_default();
    let start = result["startLine"].as_u64().unwrap_or(1);
    let symbol = text("symbol");
    let (offset, said) = telling(result);
    let said: String = said.chars().take(WIDTH).collect();
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
    super::sanitize::visible(&line)
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
