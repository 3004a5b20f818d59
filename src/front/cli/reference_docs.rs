//! The generated pages of `docs/`: commands, tools and settings. A test compares the files with
//! this output; `UPDATE_EXPECT=1 cargo test` writes them.

use serde_json::Value;

use super::{commands, help};
use crate::config::{self, FOREIGN_VARIABLES, SETTINGS, Setting, SettingShape};
use crate::ops::{self, Family, OpEffect, OpEntry, Origin};

/// `docs/cli.md`: the help of every command, in the order of the groups of `ken --help`. The long
/// spellings of operations come last.
pub fn cli_reference() -> String {
    let mut page = String::from(
        "# Command line\n\nGenerated from the declarations; do not edit. `ken help COMMAND` says the \
         same.\n\nA long answer on a terminal opens in a pager: `PAGER`, else `less -FRX`. \
         `--no-pager` or `NO_PAGER=1` prints it instead; `ken search` then prints the best result \
         last, where the eye is. A terminal gets five results unless `--limit` says otherwise.\n",
    );
    let command = commands::ken_command().term_width(100);
    page += &help_section("ken", &command.clone().render_long_help().to_string());
    let mut listed: Vec<&str> = Vec::new();
    for section in help::SECTIONS {
        listed.extend(section.commands.iter().map(|(name, _)| *name));
    }
    listed.extend(help::RARE_COMMANDS);
    let names = command.get_subcommands().map(clap::Command::get_name);
    let others: Vec<&str> = names.filter(|name| !listed.contains(name)).collect();
    for name in listed.into_iter().chain(others) {
        let Some(subcommand) = command.find_subcommand(name) else {
            continue;
        };
        let title = format!("ken {name}");
        let mut subcommand = subcommand.clone().term_width(100).bin_name(&title);
        page += &help_section(&title, &subcommand.render_long_help().to_string());
    }
    page
}

/// `docs/tools.md`: every operation with its arguments, its examples, and the real answer to one of
/// them.
pub fn tool_reference(answered: impl Fn(&OpEntry) -> String) -> String {
    let mut page = String::from(
        "# Tools\n\nGenerated from the declarations; do not edit. Each is an MCP tool, a command \
         (`ken tool-name`), and callable as JSON (`ken call tool_name '{…}'`). The answers are real, of a \
         small repository made for them (`tests/it/docs/answers.rs`), in JSON as programs get them: lists are cut \
         after two items and texts after 160 characters, where `…` says so; paths, times, sizes and the \
         number of the model are made alike. People see the same as a table.\n",
    );
    for family in Family::ALL {
        let tools: Vec<_> = ops::ALL.iter().filter(|op| op.family == family).collect();
        if !tools.is_empty() {
            page += &format!("\n## {}\n", family.as_str());
        }
        for op in tools {
            page += &tool_section(op);
            page += &answered(op);
        }
    }
    page
}

/// `docs/configuration.md`: every setting.
pub fn settings_reference() -> String {
    let mut page = String::from(SETTINGS_PREFACE);
    let mut group = None;
    for setting in SETTINGS {
        let its = setting.key.split_once('.').map_or("", |(group, _)| group);
        if group != Some(its) {
            let title = if its.is_empty() { "General" } else { its };
            page += &format!("\n## {title}\n\n{SETTINGS_HEAD}");
            group = Some(its);
        }
        page += &setting_row(setting);
    }
    page
}

/// The head of each table of settings.
const SETTINGS_HEAD: &str =
    "| key | is | who may set it | default | variables |\n|---|---|---|---|---|\n";

/// The text before the tables.
const SETTINGS_PREFACE: &str = "\
# Configuration

Generated from the declarations; do not edit. Nothing has to be set. What is set comes from, the stronger first:

1. the command line: `--set key=value`, and flags of their own such as `--port`
2. the environment: `KEN_` and the key in capitals with `_` for `.`; and the variables of others that are listed below
3. `kenning.toml` in the root of the repository
4. the files of the originals there: `shire.toml`, `.spox/config.toml`, `.swiftindex.toml`, for the keys that mean \
something here ([migrate.md](migrate.md))
5. your own `config.toml`: `~/.config/kenning/` on Linux, `~/Library/Application Support/kenning/` on macOS, \
`%APPDATA%\\kenning\\` on Windows
6. defaults

`ken config` prints every value in force and where it came from. A key that does not exist, or a value of the wrong \
shape, is an error that names the file, the line and the nearest key. A server only warns of a broken file of the \
repository: it answers from what is indexed, and refuses to index until the file is fixed; `ken doctor` says so too. A \
relative path resolves against the place where it was written: the root of the repository, the folder of your own file, \
or the working directory of a shell.

## Who may set what

A repository is other people's work. Its files may only narrow what Kenning does: exclude more, lower a limit, \
describe its own packages, name folders inside its root. Everything else in them is ignored. Each command warns of \
what was ignored, and `ken doctor` lists it.

`ken trust` allows a repository to set more. It shows each value that the files set and records your approval under \
`home`. It approves exactly these values: a value that changes later, or a new key, is ignored again until you run \
`ken trust` once more. `ken config` marks approved values as trusted, `ken trust --list` lists them, and \
`ken trust --revoke` withdraws them. Settings that only *you* may set stay yours, trusted repository or not.

```toml
# kenning.toml
[index]
exclude = [\"fixtures\", \"**/*.snap\"]   # added to your own list

[[packages.custom]]                      # a directory with these files is a package
name = \"services\"
kind = \"service\"
requires = [\"service.yml\"]
paths = [\"services/\"]
```

Beside the settings, `NO_COLOR` (no colour anywhere) and `CLAUDE_CONFIG_DIR` (where Claude Code keeps its files) are \
heeded, and `.kenignore` files in the repository, with the syntax of `.gitignore`, keep files out of the index.
";

/// One setting as a row of its table.
fn setting_row(setting: &Setting) -> String {
    let shape = match setting.shape {
        SettingShape::Text => "text".to_string(),
        SettingShape::Path => "a path".to_string(),
        SettingShape::Number => "a number".to_string(),
        SettingShape::List => "a list".to_string(),
        SettingShape::Secret => "a secret".to_string(),
        SettingShape::Tables(fields) => format!("tables with {}", fields.join(", ")),
    };
    let default = config::usual_default(setting).map_or(String::new(), |text| format!("`{text}`"));
    let others = FOREIGN_VARIABLES.iter().rev().filter(|(_, key)| *key == setting.key);
    let own = format!("`{}`", config::variable_name(setting));
    let names = others.fold(own, |names, (name, _)| format!("{names}, `{name}`"));
    format!(
        "| `{}` | {} ({shape}) | {} | {default} | {names} |\n",
        setting.key,
        setting.summary.replace('|', "\\|"),
        setting.authority_text(),
    )
}

/// The help of a command as a section.
fn help_section(title: &str, help: &str) -> String {
    let lines = help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    format!("\n## {title}\n\n```text\n{}\n```\n", lines.trim_end())
}

/// One operation as a section.
fn tool_section(op: &OpEntry) -> String {
    let origin = match op.origin {
        Origin::Contract => "frozen by its contract",
        Origin::Kenning => "Kenning's own",
    };
    let effect = match op.effect {
        OpEffect::Reads => "reads only",
        OpEffect::Updates => "updates Kenning's own state",
    };
    let schema = &*op.schema;
    let mut text = format!("\n### {}\n\n{} ({origin}; {effect})\n", op.name, op.summary);
    let properties = schema["properties"].as_object().into_iter().flatten();
    let rows: Vec<String> =
        properties.map(|(name, property)| argument_row(schema, name, property)).collect();
    if !rows.is_empty() {
        text += "\n| argument | type | | |\n|---|---|---|---|\n";
        text += &rows.concat();
    }
    let examples = op.examples.iter().map(|example| format!("{example}\n"));
    text + &format!("\n```sh\n{}```\n", examples.collect::<String>())
}

/// One argument as a row.
fn argument_row(schema: &Value, name: &str, property: &Value) -> String {
    let required = schema["required"].as_array().into_iter().flatten();
    let is_required = required.filter_map(Value::as_str).any(|required| required == name);
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
