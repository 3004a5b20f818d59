//! The generated pages of `docs/`: what each command and each tool takes. A test holds the files
//! to this; `UPDATE_EXPECT=1 cargo test` writes them anew.

use serde_json::Value;

use super::commands;
use crate::ops::{self, Effect, Family, OpEntry, Origin};

/// `docs/cli.md`: the help of every command.
pub fn cli_reference() -> String {
    let mut page = String::from(
        "# Command line\n\nGenerated from the declarations; do not edit. `ken COMMAND --help` \
         says the same.\n",
    );
    let mut command = commands::ken().term_width(100);
    page += &section("ken", &command.render_long_help().to_string());
    for subcommand in commands::ken().get_subcommands() {
        let mut subcommand = subcommand.clone().term_width(100);
        let name = format!("ken {}", subcommand.get_name());
        subcommand = subcommand.bin_name(&name);
        page += &section(&name, &subcommand.render_long_help().to_string());
    }
    page
}

/// `docs/tools.md`: every operation with its arguments.
pub fn tool_reference() -> String {
    let mut page = String::from(
        "# Tools\n\nGenerated from the declarations; do not edit. Each is an MCP tool, a command \
         (`ken tool-name`), and callable as JSON (`ken call tool_name '{…}'`).\n",
    );
    for family in Family::ALL {
        let tools: Vec<_> = ops::ALL.iter().filter(|op| op.family == family).collect();
        if !tools.is_empty() {
            page += &format!("\n## {}\n", family.as_str());
        }
        for op in tools {
            page += &tool(op);
        }
    }
    page
}

fn section(title: &str, help: &str) -> String {
    let lines = help
        .lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n");
    format!("\n## {title}\n\n```text\n{}\n```\n", lines.trim_end())
}

fn tool(op: &OpEntry) -> String {
    let origin = match op.origin {
        Origin::Contract => "frozen by its contract",
        Origin::Kenning => "Kenning's own",
    };
    let effect = match op.effect {
        Effect::Reads => "reads only",
        Effect::Updates => "updates Kenning's own state",
    };
    let schema = (op.schema)();
    let mut text = format!("\n### {}\n\n{} ({origin}; {effect})\n", op.name, op.summary);
    let properties = schema["properties"].as_object().into_iter().flatten();
    let rows: Vec<String> = properties
        .map(|(name, property)| row(&schema, name, property))
        .collect();
    if !rows.is_empty() {
        text += "\n| argument | type | | |\n|---|---|---|---|\n";
        text += &rows.concat();
    }
    let examples = op.examples.iter().map(|example| format!("{example}\n"));
    text + &format!("\n```sh\n{}```\n", examples.collect::<String>())
}

fn row(schema: &Value, name: &str, property: &Value) -> String {
    let required = schema["required"].as_array().into_iter().flatten();
    let is_required = required
        .filter_map(Value::as_str)
        .any(|required| required == name);
    let note = match (&property["default"], is_required) {
        (_, true) => "required".to_string(),
        (Value::Null, false) => String::new(),
        (default, false) => format!("default {default}"),
    };
    let kind = match property["enum"].as_array() {
        Some(allowed) => {
            let allowed = allowed.iter().map(Value::to_string);
            allowed.collect::<Vec<_>>().join(", ")
        }
        None => property["type"].as_str().unwrap_or_default().to_string(),
    };
    let description = property["description"].as_str().unwrap_or_default();
    format!("| `{name}` | {kind} | {note} | {description} |\n")
}
