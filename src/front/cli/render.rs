//! Answers for people: tables that line up, JSON when asked for, colour on a terminal only.

use std::io::{IsTerminal, Write};

use serde_json::{Map, Value, json};

use super::{Exit, Failure, Outcome};
use crate::config::is_colour_unwanted;
use crate::ops::{OpError, Reply};

/// Whom an answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    People,
    Json,
}

/// Prints an answer. A notice stands in for an answer that there is not.
pub fn reply(reply: &Reply, form: Form) -> Outcome {
    let text = match (reply, form) {
        (Reply::Notice(text), Form::Json) => json_text(&json!({ "notice": text })),
        (Reply::Notice(text), Form::People) => {
            eprintln!("{text}");
            return Ok(Exit::Failed);
        }
        (Reply::Object(value), Form::Json) => json_text(value),
        (Reply::List(items), Form::Json) => json_text(&Value::from(items.clone())),
        (Reply::Document { text, .. }, Form::People) => text.trim_end().to_string(),
        (Reply::Text(text), Form::People) => text.trim_end().to_string(),
        (Reply::Text(text), Form::Json) => json_text(&json!({ "text": text })),
        (Reply::Document { text, format }, Form::Json) => {
            json_text(&json!({ "format": format, "text": text }))
        }
        (Reply::Object(value), Form::People) => object(value, 0),
        (Reply::List(items), Form::People) if items.is_empty() => "nothing found".to_string(),
        (Reply::List(items), Form::People) => table(items, 0),
    };
    print(&text)?;
    Ok(match reply {
        Reply::Notice(_) => Exit::Failed,
        // A verdict is an answer, and for a shell a failure as well.
        Reply::Object(verdict) if verdict["valid"] == false => Exit::Failed,
        _ => Exit::Ok,
    })
}

/// Prints a line, or fails as the pipe does.
pub fn print(text: &str) -> Result<(), Failure> {
    writeln!(std::io::stdout().lock(), "{text}").map_err(Failure::Io)
}

pub fn error(error: &OpError, form: Form) {
    if form == Form::Json {
        let shown = json!({ "error": {
            "message": error.message, "hint": error.hint, "data": error.data,
        }});
        let _ = print(&json_text(&shown));
        return;
    }
    let red = paint(std::io::stderr().is_terminal(), "31;1");
    eprintln!("{}error{}: {}", red.0, red.1, error.message);
    if let Some(hint) = &error.hint {
        eprintln!("  → {hint}");
    }
}

/// Spread out for eyes, compact for a pipe.
pub fn json_text(value: &Value) -> String {
    match std::io::stdout().is_terminal() {
        true => serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string()),
        false => value.to_string(),
    }
}

fn object(value: &Value, indent: usize) -> String {
    let Value::Object(map) = value else {
        return cell(value);
    };
    let shown: Vec<(&String, &Value)> = map.iter().filter(|(_, value)| !is_empty(value)).collect();
    let width = shown.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    let pad = " ".repeat(indent);
    let bold = paint(std::io::stdout().is_terminal(), "1");
    let lines = shown.iter().map(|(key, value)| match value {
        Value::Array(items) if items.iter().any(Value::is_object) => {
            format!(
                "{pad}{}{key}{}\n{}",
                bold.0,
                bold.1,
                table(items, indent + 2)
            )
        }
        Value::Array(items) if items.len() > 3 || is_wide(items) => {
            let items = items.iter().map(|item| format!("\n{pad}  {}", cell(item)));
            format!(
                "{pad}{}{key}{}{}",
                bold.0,
                bold.1,
                items.collect::<String>()
            )
        }
        value => format!("{pad}{}{key:width$}{}  {}", bold.0, bold.1, cell(value)),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a list would not fit on the line of its name.
fn is_wide(items: &[Value]) -> bool {
    const WIDTH: usize = 72;
    let is_text = items.iter().all(Value::is_string);
    is_text && items.iter().map(|item| cell(item).len() + 2).sum::<usize>() > WIDTH
}

/// Pieces of text, each under a line that says where it stands.
fn blocks(rows: &[&Map<String, Value>]) -> String {
    let bold = paint(std::io::stdout().is_terminal(), "1");
    let dim = paint(std::io::stdout().is_terminal(), "2");
    let block = |row: &&Map<String, Value>| {
        let text = |name: &str| row.get(name).map(cell).unwrap_or_default();
        let shown = ["path", "startLine", "endLine", "content"];
        let rest = row
            .iter()
            .filter(|(name, value)| !shown.contains(&name.as_str()) && !is_empty(value));
        let rest: Vec<String> = rest
            .map(|(name, value)| match value {
                Value::String(_) => cell(value),
                Value::Bool(true) => name.clone(),
                value => format!("{name} {}", cell(value)),
            })
            .collect();
        let first: usize = text("startLine").parse().unwrap_or(1);
        let content = row.get("content").and_then(Value::as_str);
        let lines = content.unwrap_or_default().lines().enumerate();
        let lines = lines.map(|(index, line)| {
            let line = Value::from(line.replace('\t', "    "));
            format!("{}{:>5}{}  {}", dim.0, first + index, dim.1, cell(&line))
        });
        format!(
            "{}{}:{}{}  {}\n{}",
            bold.0,
            text("path"),
            first,
            bold.1,
            rest.join("  "),
            lines.collect::<Vec<_>>().join("\n")
        )
    };
    rows.iter().map(block).collect::<Vec<_>>().join("\n\n")
}

/// One row an item, one column a field; columns that are empty throughout are left out.
fn table(items: &[Value], indent: usize) -> String {
    let rows: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
    if rows.len() < items.len() {
        let pad = " ".repeat(indent);
        let lines = items.iter().map(|item| format!("{pad}{}", cell(item)));
        return lines.collect::<Vec<_>>().join("\n");
    }
    if rows.iter().all(|row| row.contains_key("content")) {
        return blocks(&rows);
    }
    let mut columns: Vec<&String> = Vec::new();
    for (name, value) in rows.iter().flat_map(|row| row.iter()) {
        if !columns.contains(&name) && !is_empty(value) {
            columns.push(name);
        }
    }
    // A place is one thing to eyes, and to a terminal that opens it with a click.
    let has_places = ["path", "line"].map(|name| columns.iter().any(|known| *known == name));
    let has_places = has_places == [true, true];
    columns.retain(|name| !has_places || *name != "line");
    let header = columns.iter().map(|name| match name.as_str() {
        "path" if has_places => "path:line".to_string(),
        name => name.to_string(),
    });
    let header = header.collect();
    let body = rows.iter().map(|row| {
        let cells = columns.iter().map(|name| {
            let text = row.get(*name).map_or(String::new(), cell);
            match row.get("line").filter(|_| has_places && *name == "path") {
                Some(line) => format!("{text}:{line}"),
                None => text,
            }
        });
        cells.collect()
    });
    aligned(std::iter::once(header).chain(body).collect(), indent)
}

fn aligned(rows: Vec<Vec<String>>, indent: usize) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns)
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let dim = paint(std::io::stdout().is_terminal(), "2");
    let lines = rows.iter().enumerate().map(|(index, row)| {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        let line = format!(
            "{}{}",
            " ".repeat(indent),
            cells.collect::<Vec<_>>().join("  ")
        );
        match index {
            0 => format!("{}{}{}", dim.0, line.trim_end(), dim.1),
            _ => line.trim_end().to_string(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => return String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(cell).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            let fields = map.iter().filter(|(_, value)| !is_empty(value));
            let fields = fields.map(|(key, value)| format!("{key}: {}", cell(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    // A name or description may hold anything; a terminal must not obey it.
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

fn paint(is_terminal: bool, code: &str) -> (String, &'static str) {
    match is_terminal && !is_colour_unwanted() {
        true => (format!("\x1b[{code}m"), "\x1b[0m"),
        false => (String::new(), ""),
    }
}
