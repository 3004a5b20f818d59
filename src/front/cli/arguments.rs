//! Converts an operation's schema to a clap command, and the matches back to the JSON that the
//! operation takes. Help, completions and the manual all come from here.

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};

use super::command_session::skill_dir_flag;
use crate::ops::{self, Family, OpEntry, POSITIONAL_ARGUMENTS};

/// Builds the command of one operation: required arguments by position, most others as flags.
pub fn op_command(op: &'static OpEntry) -> Command {
    add_arguments(op, bare_command(op))
}

/// Builds the command without its arguments until it is the one that is called. Building the
/// arguments of all operations takes longer than most operations do.
pub fn deferred_command(op: &'static OpEntry) -> Command {
    bare_command(op).defer(|command| {
        let op = ops::find(command.get_name()).expect("commands are named after operations");
        add_arguments(op, command)
    })
}

/// Builds the command of an operation under another name. `words` is all that is typed, such as
/// `ken packages search`.
pub fn renamed_command(op: &'static OpEntry, words: &str) -> Command {
    let name = words.rsplit(' ').next().unwrap_or(words).to_string();
    add_renamed_arguments(op, bare_command(op).name(name), words)
}

/// Adds the arguments of an operation to a command of another name, with the examples in that
/// spelling.
pub fn add_renamed_arguments(op: &'static OpEntry, command: Command, words: &str) -> Command {
    let lines = op.example_arguments().map(|arguments| format!("  {words}{arguments}\n"));
    let examples = format!("Examples:\n{}", lines.collect::<String>());
    add_arguments(op, command).after_help(examples)
}

/// Builds the command without its arguments, which is all that a list of commands shows.
fn bare_command(op: &'static OpEntry) -> Command {
    Command::new(op.command()).about(first_sentence(op.summary))
}

/// Adds arguments, examples and the long help.
fn add_arguments(op: &'static OpEntry, command: Command) -> Command {
    let lines = op.examples.iter().map(|example| format!("  {example}\n"));
    let examples = format!("Examples:\n{}", lines.collect::<String>());
    let mut command = command.long_about(op.summary).after_help(examples);
    let schema = &*op.schema;
    let positions = positional_names(op, schema);
    for (index, name) in positions.iter().enumerate() {
        let property = &schema["properties"][name];
        command = command.arg(
            build_argument(name, property)
                .index(index + 1)
                .required(required_names(schema).contains(name))
                .value_name(name.to_uppercase()),
        );
    }
    for (name, property) in properties(schema) {
        let flag = build_argument(name, property).long(name.replace('_', "-"));
        if !positions.contains(name) {
            command = command.arg(flag);
        } else if !required_names(schema).contains(name) {
            // An optional positional argument also works as a hidden flag, for callers who know it.
            let flag = flag.id(flag_id(name)).hide(true).conflicts_with(name);
            command = command.arg(flag);
        }
    }
    match op.family {
        Family::Skills => command.arg(skill_dir_flag()),
        _ => command,
    }
}

/// Converts the matches to the operation's arguments. clap has already checked the types.
///
/// An absent flag is left out and not sent as `false`, so that the operation's own default applies.
pub fn to_json(op: &OpEntry, matches: &ArgMatches) -> Value {
    let mut arguments = Map::new();
    for (name, property) in properties(&op.schema) {
        let value = match property["type"].as_str() {
            Some("boolean") => matches.get_flag(name).then_some(Value::Bool(true)),
            Some("integer") => matches.get_one::<i64>(name).map(|n| Value::from(*n)),
            Some("number") => matches.get_one::<f64>(name).map(|n| Value::from(*n)),
            Some("object") => matches.get_one::<Value>(name).cloned(),
            Some("array") => matches
                .get_many::<String>(name)
                .map(|items| items.cloned().map(Value::from).collect()),
            _ => joined_words(matches, name).or_else(|| joined_words(matches, &flag_id(name))),
        };
        arguments.extend(value.map(|value| (name.clone(), value)));
    }
    Value::Object(arguments)
}

/// Joins the words of an argument, if it exists and was given. A query may be typed without quotes.
fn joined_words(matches: &ArgMatches, id: &str) -> Option<Value> {
    let words: Vec<&str> =
        matches.try_get_many::<String>(id).ok().flatten()?.map(String::as_str).collect();
    Some(Value::from(words.join(" ")))
}

/// The clap id of a positional argument's hidden flag. It cannot clash with an argument's own name.
fn flag_id(name: &str) -> String {
    format!("--{name}")
}

/// Builds one argument from its property. The default is shown in the help but not set: the
/// operation applies it.
fn build_argument(name: &str, property: &Value) -> Arg {
    let mut help = property["description"].as_str().unwrap_or_default().to_string();
    let default = &property["default"];
    if !default.is_null() && !default.is_boolean() {
        let text = default.as_str().map_or_else(|| default.to_string(), str::to_string);
        help += &format!(" [default: {text}]");
    }
    let arg = Arg::new(name.to_string()).help(help);
    match property["type"].as_str() {
        Some("boolean") => arg.action(ArgAction::SetTrue),
        Some("integer") => {
            arg.value_parser(value_parser!(i64)).value_name("N").allow_negative_numbers(true)
        }
        Some("number") => {
            arg.value_parser(parse_finite).value_name("X").allow_negative_numbers(true)
        }
        Some("array") => arg.action(ArgAction::Append),
        Some("object") => arg.value_parser(parse_object).value_name("JSON"),
        _ => match property["enum"].as_array() {
            Some(allowed) => {
                let arg = arg.value_name(name.to_uppercase());
                let allowed = allowed.iter().filter_map(Value::as_str).map(str::to_string);
                arg.value_parser(clap::builder::PossibleValuesParser::new(allowed))
            }
            // A question is typed without quotes.
            None if name == "query" => arg.num_args(1..).value_name("QUERY"),
            None => arg.value_name(name.to_uppercase()),
        },
    }
}

/// Parses a number; `inf` and `nan` are refused, because JSON has neither.
fn parse_finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err("not a number".to_string()),
    }
}

/// Parses a JSON object.
fn parse_object(text: &str) -> Result<Value, String> {
    match serde_json::from_str(text) {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) => Err("not a JSON object".to_string()),
        Err(error) => Err(format!("not a JSON object: {error}")),
    }
}

/// The properties of a schema, in their order.
fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

/// The arguments that are taken by position: the required ones, then those of
/// `POSITIONAL_ARGUMENTS`.
fn positional_names(op: &OpEntry, schema: &Value) -> Vec<String> {
    let more = POSITIONAL_ARGUMENTS.iter().filter(|(known, _)| known.name == op.name);
    let mut names = required_names(schema);
    names.extend(more.map(|(_, name)| name.to_string()));
    names
}

/// The names of the required arguments.
fn required_names(schema: &Value) -> Vec<String> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.filter_map(|name| Some(name.as_str()?.to_string())).collect()
}

/// Returns a summary up to its first period, colon or semicolon, which fits a list of commands.
fn first_sentence(text: &str) -> String {
    let end = [". ", ": ", "; "].iter().filter_map(|mark| text.find(mark)).min();
    text[..end.unwrap_or(text.len())].trim_end_matches('.').to_string()
}
