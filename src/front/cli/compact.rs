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
    let (offset, said) = telling(text("content"), symbol);
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
    line.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// The line that names the symbol, else the first one with anything on it; with its place.
fn telling(content: &str, symbol: &str) -> (usize, String) {
    let lines = || content.lines().map(str::trim).enumerate();
    let is_said = |line: &str| {
        ["//", "#", "*", "/*", "--", "\"\"\"", ";"]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    let mut naming =
        lines().filter(|(_, line)| !symbol.is_empty() && !is_said(line) && line.contains(symbol));
    let mut others = lines().filter(|(_, line)| !line.is_empty());
    let (place, line) = naming.next().or_else(|| others.next()).unwrap_or_default();
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
            {"path": "b\u{1b}[31m.md", "startLine": 7, "kind": "section", "content": "\n# Words\n", "stale": true},
        ], "notice": "old"});
        assert_eq!(
            lines(&found),
            "a.rs:5  method  Job.run  pub fn run() {\nb [31m.md:8  section  # Words  (stale)\nnotice: old"
        );
        assert_eq!(lines(&json!({"results": []})), "nothing found");
    }
}
