//! Answers for people: tables that line up, JSON when asked for, colour on a terminal only.
//!
//! Most replies are formatted by the shape of their JSON, so that a new operation needs no code
//! here. No value is looked up by its key. Searches have a form of their own in `search_output`,
//! passages of code in `code_blocks`.

use std::io::IsTerminal;

use serde_json::{Map, Value, json};

use super::command_wording::word_for_terminal;
use super::printing::{is_stderr_terminal, json_text, print_line, print_message};
use super::sanitize::escape_controls;
use super::{CommandResult, Exit, code_blocks, table};
use crate::config::is_colour_unwanted;
use crate::ops::code::code_research::CodeResearchReply;
use crate::ops::code::get_symbol::GetSymbolReply;
use crate::ops::code::{history, rename, review};
use crate::ops::doctor::FindingRow;
use crate::ops::skills::validate_skills::ValidateSkillsReply;
use crate::ops::specs::reply_parts::SpecVerdict;
use crate::ops::{OpError, Reply, ReplyData};

/// The reader of an answer: people or programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputForm {
    /// Text, with colours and tables that fit the terminal.
    People,
    /// JSON on standard output, errors too.
    Json,
}

/// Prints a reply. For people, a notice in place of an answer is a failure.
pub fn print_reply(reply: &Reply, form: OutputForm) -> CommandResult {
    let text = match (reply, form) {
        (Reply::Notice(text), OutputForm::Json) => json_text(&json!({ "notice": text })),
        (Reply::Notice(text), OutputForm::People) => {
            print_complaint(text, None);
            return Ok(Exit::Failed);
        }
        (Reply::NotFound { text, hint }, OutputForm::Json) => {
            json_text(&json!({ "notice": text, "hint": hint }))
        }
        (Reply::NotFound { text, hint }, OutputForm::People) => {
            print_complaint(text, Some(hint));
            return Ok(Exit::Failed);
        }
        (Reply::Object(data) | Reply::List(data), OutputForm::Json) => json_text(&data.to_json()),
        (Reply::Document { text, .. }, OutputForm::People) => text.trim_end().to_string(),
        (Reply::Text(text), OutputForm::People) => text.trim_end().to_string(),
        (Reply::Text(text), OutputForm::Json) => json_text(&json!({ "text": text })),
        (Reply::Document { text, format }, OutputForm::Json) => {
            json_text(&json!({ "format": format, "text": text }))
        }
        (Reply::Object(data) | Reply::List(data), OutputForm::People) => data_text(&**data),
    };
    print_line(&text)?;
    Ok(if is_failure(reply) { Exit::Failed } else { Exit::Ok })
}

/// Formats the data of any operation: reviews, histories, renames and passages of code by their type, the
/// rest by its shape.
fn data_text(data: &dyn ReplyData) -> String {
    if let Some(reply) = data.downcast_ref() {
        return review::to_text(reply);
    }
    if let Some(reply) = data.downcast_ref() {
        return history::to_text(reply);
    }
    if let Some(reply) = data.downcast_ref() {
        return rename::to_text(reply);
    }
    let fields = match (data.downcast_ref(), data.downcast_ref()) {
        (Some(reply), _) => symbol_fields(reply),
        (_, Some(reply)) => research_fields(reply),
        _ => match data.to_json() {
            Value::Array(items) if !items.is_empty() => return format_items(&items, 0),
            other => to_fields(other),
        },
    };
    let worded: Vec<(String, Field)> = fields.into_iter().map(word_remark).collect();
    let text = format_fields(&worded, 0);
    if text.is_empty() { "nothing found".to_string() } else { text }
}

/// The fields of replies that hold remarks of the operation, which name tools and arguments.
const REMARKS: [&str; 3] = ["note", "notice", "leftOut"];

/// Words a remark for the terminal. Other fields stay.
fn word_remark((name, field): (String, Field)) -> (String, Field) {
    let worded = match field {
        Field::Plain(Value::String(text)) if REMARKS.contains(&name.as_str()) => {
            Field::Plain(word_for_terminal(&text).into())
        }
        Field::Plain(Value::Array(items)) if REMARKS.contains(&name.as_str()) => {
            let items = items.into_iter().map(|item| match item {
                Value::String(text) => word_for_terminal(&text).into(),
                other => other,
            });
            Field::Plain(items.collect())
        }
        other => other,
    };
    (name, worded)
}

/// A field of a reply, ready to be formatted.
enum Field {
    /// A value that is formatted by its shape.
    Plain(Value),
    /// Passages of code.
    Code(String),
}

/// Returns the fields of an object by their shape; none for another value.
fn to_fields(json: Value) -> Vec<(String, Field)> {
    let Value::Object(map) = json else {
        return Vec::new();
    };
    map.into_iter().map(|(name, value)| (name, Field::Plain(value))).collect()
}

/// Returns the fields of `get_symbol`: first the definitions as code.
fn symbol_fields(reply: &GetSymbolReply) -> Vec<(String, Field)> {
    let GetSymbolReply { definitions, note, trust } = reply;
    let code = Field::Code(code_blocks::format_definitions(definitions));
    let mut fields = vec![("definitions".to_string(), code)];
    fields.push(("note".to_string(), Field::Plain(json!(note))));
    fields.extend(to_fields(trust.to_json()));
    fields
}

/// Returns the fields of `code_research`: last the passages as code.
fn research_fields(reply: &CodeResearchReply) -> Vec<(String, Field)> {
    let rest = CodeResearchReply { read: Vec::new(), ..reply.clone() };
    let mut fields = to_fields(rest.to_json());
    if !reply.read.is_empty() {
        let code = Field::Code(code_blocks::format_passages(&reply.read));
        fields.push(("read".to_string(), code));
    }
    fields
}

/// True for a notice, and for a verdict that a shell takes for a failure.
fn is_failure(reply: &Reply) -> bool {
    match reply {
        Reply::Notice(_) | Reply::NotFound { .. } => true,
        Reply::Object(data) => {
            let specs = data.downcast_ref().map(|verdict: &SpecVerdict| verdict.valid);
            let skills = data.downcast_ref().map(|verdict: &ValidateSkillsReply| verdict.valid);
            specs.or(skills) == Some(false)
        }
        Reply::List(data) => {
            let findings: Option<&Vec<FindingRow>> = data.downcast_ref();
            findings.is_some_and(|findings| findings.iter().any(|one| one.verdict == "bad"))
        }
        Reply::Document { .. } | Reply::Text(_) => false,
    }
}

/// Prints an error: on stderr for people, on stdout as JSON for programs.
pub fn print_error(error: &OpError, form: OutputForm) {
    if form == OutputForm::Json {
        let shown = json!({ "error": {
            "message": error.message, "hint": error.hint, "data": error.details,
        }});
        let _ = print_line(&json_text(&shown));
        return;
    }
    print_complaint(&error.message, error.hint.as_deref());
}

/// Prints a message and a hint on stderr.
fn print_complaint(message: &str, hint: Option<&str>) {
    let red = colour_codes(is_stderr_terminal(), "31;1");
    let message = word_for_terminal(message);
    print_message(&format!("{}error{}: {message}", red.0, red.1));
    if let Some(hint) = hint {
        print_message(&format!("  → {}", word_for_terminal(hint)));
    }
}

/// Formats one line for each field. Lists of objects become tables; code, long texts and lists get
/// lines of their own.
fn format_fields(fields: &[(String, Field)], indent: usize) -> String {
    let is_shown = |field: &Field| match field {
        Field::Plain(value) => !is_empty(value),
        Field::Code(_) => true,
    };
    let shown = || fields.iter().filter(|(_, field)| is_shown(field));
    let width = shown().map(|(name, _)| name.len()).max().unwrap_or(0);
    let bold = colour_codes(std::io::stdout().is_terminal(), "1");
    let pad = " ".repeat(indent);
    let lines = shown().map(|(name, field)| {
        let name_line = format!("{pad}{}{name}{}", bold.0, bold.1);
        match field {
            Field::Code(text) => format!("{name_line}\n{text}"),
            Field::Plain(Value::Array(items)) if items.iter().any(Value::is_object) => {
                format!("{name_line}\n{}", format_items(items, indent + 2))
            }
            // Short lists stay on one line; longer ones get a line for each item.
            Field::Plain(Value::Array(items)) if items.len() > 3 || is_wide(items) => {
                let lines = items.iter().map(|item| format!("\n{pad}  {}", format_cell(item)));
                name_line + &lines.collect::<String>()
            }
            Field::Plain(Value::String(text)) if text.contains('\n') => {
                let lines = text.lines().map(|line| {
                    let line = format!("\n{pad}  {}", escape_controls(line));
                    line.trim_end().to_string()
                });
                name_line + &lines.collect::<String>()
            }
            Field::Plain(value) => {
                let name = table::pad_to(name, width);
                format!("{pad}{}{name}{}  {}", bold.0, bold.1, format_cell(value))
            }
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// True if a list would not fit on the line of its name.
fn is_wide(items: &[Value]) -> bool {
    // Leaves room for the name of the field on a terminal of 80 columns.
    const WIDTH: usize = 72;
    let is_text = items.iter().all(Value::is_string);
    is_text && items.iter().map(|item| format_cell(item).len() + 2).sum::<usize>() > WIDTH
}

/// Formats items as records or as a table, depending on their fields.
fn format_items(items: &[Value], indent: usize) -> String {
    let rows: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
    // A list of plain values, or a mixed one: no columns fit it.
    if rows.len() < items.len() {
        let pad = " ".repeat(indent);
        let lines = items.iter().map(|item| format!("{pad}{}", format_cell(item)));
        return lines.collect::<Vec<_>>().join("\n");
    }
    if rows.iter().any(|row| row.values().any(is_large)) {
        let records = items.iter().map(|item| format_fields(&to_fields(item.clone()), indent));
        return records.collect::<Vec<_>>().join("\n\n");
    }
    table::format_table(&rows, indent, terminal_width())
}

/// True if a value needs more than one line of a table.
fn is_large(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\n'),
        Value::Array(items) => items.iter().any(Value::is_object),
        _ => false,
    }
}

/// Returns the width of the terminal on stdout; `None` for a pipe, which takes lines of any length.
pub fn terminal_width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(usize::from(width.0))
}

/// Formats a value on one line.
pub fn format_cell(value: &Value) -> String {
    let text = match value {
        Value::Null => return String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(format_cell).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            let fields = map
                .iter()
                .filter(|(_, value)| !is_empty(value))
                .map(|(key, value)| format!("{key}: {}", format_cell(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    // A name or description may hold anything; a terminal must not obey it.
    escape_controls(&text)
}

/// True for a value that is not worth a line.
pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Returns the escape sequences that begin and end a colour; empty if colour is unwanted.
pub fn colour_codes(is_terminal: bool, code: &str) -> (String, &'static str) {
    if is_terminal && !is_colour_unwanted() {
        (format!("\x1b[{code}m"), "\x1b[0m")
    } else {
        (String::new(), "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_and_lists_of_records_get_lines_of_their_own() {
        let answer = json!({"name": "Boil", "text": "one\n  two\n", "items": [
            {"name": "a", "text": "x\ny"}, {"name": "b", "text": ""}]});
        let expected = "name   Boil\ntext\n  one\n    two\nitems\n  name  a\n  text\n    x\n    y\n\n  name  b";
        assert_eq!(format_fields(&to_fields(answer), 0), expected);
    }
}
