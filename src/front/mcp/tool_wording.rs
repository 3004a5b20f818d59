//! Errors and remarks in the words of a connection: they name tools and arguments that it lists, and
//! no commands of a terminal. The operations word them for all entry points.

use serde_json::Value;

use super::profile::{AnswerForm, OfferedParts, Profile};
use crate::front::compact_text;
use crate::ops::{self, OpEntry, Reply, operation};

/// The commands that a tool of another name runs.
const RENAMED_COMMANDS: [(&str, &str); 1] = [("index", "index_codebase")];

/// Replaces commands by tools, and unlisted tools by a call of the gateway. The profiles of the
/// originals keep the wording of their contracts.
pub fn word_for_connection(text: &str, profile: &Profile) -> String {
    if profile.surface == OfferedParts::Tools {
        return text.to_string();
    }
    let without_alternatives = drop_alternatives(text);
    let mut parts = without_alternatives.split('`');
    let mut worded = name_callable_tools(parts.next().unwrap_or_default(), profile);
    // Every second part is between backticks.
    for (at, part) in parts.enumerate() {
        match tool_of_command(part).filter(|_| at % 2 == 0) {
            Some(tool) => worded += &name_callable_tools(tool, profile),
            None if at % 2 == 0 => worded += &format!("`{part}`"),
            None => worded += &name_callable_tools(part, profile),
        }
    }
    worded
}

/// The fields of replies that hold remarks of the operation.
const REMARKS: [&str; 3] = ["note", "notice", "leftOut"];

/// Returns the text of a reply, and the same as a JSON object if it has one. The text is the compact
/// form if there is one, else JSON, with its remarks in the words of the connection. Contracts fix
/// the text of theirs. `tool` is the one that the client called, which may be the gateway.
pub fn word_contents(
    reply: &Reply,
    form: AnswerForm,
    tool: &OpEntry,
    profile: &Profile,
) -> (String, Option<Value>) {
    let (json_text, json) = reply.contents();
    if form == AnswerForm::Contract {
        return (json_text, json);
    }
    let word = |text: &str| word_remark(text, tool, profile);
    if let Some(text) = compact_text::format_reply(reply, &word) {
        return (text, json);
    }
    let worded = json.as_ref().and_then(|json| word_json_remarks(json, tool, profile));
    (worded.map_or(json_text, |json| json.to_string()), json)
}

/// Words the remarks of a reply in JSON; `None` if it has none.
fn word_json_remarks(json: &Value, op: &OpEntry, profile: &Profile) -> Option<Value> {
    let mut worded = json.as_object()?.clone();
    let mut remarks: Vec<&mut Value> = worded
        .iter_mut()
        .filter(|(key, _)| REMARKS.contains(&key.as_str()))
        .map(|one| one.1)
        .collect();
    if remarks.is_empty() {
        return None;
    }
    for remark in &mut remarks {
        let texts = match remark {
            Value::Array(items) => items.iter_mut().collect(),
            other => vec![&mut **other],
        };
        for text in texts {
            if let Value::String(text) = text {
                *text = word_remark(text, op, profile);
            }
        }
    }
    Some(Value::Object(worded))
}

/// Words a remark. Arguments that the connection does not list need the gateway.
fn word_remark(text: &str, op: &OpEntry, profile: &Profile) -> String {
    let worded = word_for_connection(text, profile);
    let is_listed = |name: &str| profile.tools.iter().any(|tool| tool.name == name);
    if !is_listed(op.name) || !is_listed(operation::OP.name) {
        return worded;
    }
    let listed = profile.listed_schema(op);
    let mut named = text.split('`').skip(1).step_by(2);
    let has_unlisted = named.any(|name| {
        op.schema["properties"][name].is_object() && !listed["properties"][name].is_object()
    });
    if has_unlisted {
        format!("{worded} (with operation {{\"name\": \"{}\"}})", op.name)
    } else {
        worded
    }
}

/// Removes alternatives for a terminal, such as ` (or `ken index`)`.
fn drop_alternatives(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" (or `") {
        kept += before;
        rest = match after.split_once("`)") {
            Some((_, after)) => after,
            None => return kept + " (or `" + after,
        };
    }
    kept + rest
}

/// Returns the tool that does the same as a command such as `ken index`.
fn tool_of_command(command: &str) -> Option<&'static str> {
    let mut words = command.strip_prefix("ken ")?.split(' ');
    let name = words.next()?;
    let renamed = RENAMED_COMMANDS.iter().find(|(known, _)| *known == name);
    let tool = renamed.map_or(name, |(_, tool)| tool);
    // Other arguments are options of the command line.
    ops::find(tool).filter(|_| words.next().is_none()).map(|op| op.name)
}

/// Writes tools that the connection does not list as calls of the gateway.
fn name_callable_tools(text: &str, profile: &Profile) -> String {
    let is_listed = |name: &str| profile.tools.iter().any(|tool| tool.name == name);
    let has_gateway = is_listed(operation::OP.name);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut worded = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !is_name(c)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        let is_tool = word.contains('_') && ops::ALL.iter().any(|op| op.name == word);
        worded += before;
        rest = after;
        if is_tool && has_gateway && !is_listed(word) {
            let arguments = take_arguments(&mut rest);
            let arguments = arguments.map(|text| format!(", \"arguments\": {text}"));
            let arguments = arguments.unwrap_or_default();
            worded += &format!("operation {{\"name\": \"{word}\"{arguments}}}");
        } else {
            worded += word;
        }
    }
    worded + rest
}

/// Takes the arguments that follow a tool, as ` {"symbol": "run"}`. They have no objects inside.
fn take_arguments<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let object = rest.strip_prefix(' ').filter(|text| text.starts_with('{'))?;
    let (arguments, after) = object.split_at(object.find('}')? + 1);
    *rest = after;
    Some(arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A remark of a listed tool names arguments of its schema, or says how to pass others.
    #[test]
    fn every_argument_and_tool_of_a_remark_can_be_used() {
        for profile in [Profile::agent(), Profile::all_families(), Profile::contracts_and_gateway()]
        {
            let is_listed = |op: &&&OpEntry| profile.tools.iter().any(|tool| tool.name == op.name);
            for op in ops::ALL.iter().filter(is_listed) {
                let listed = profile.listed_schema(op);
                for name in op.schema["properties"].as_object().unwrap().keys() {
                    let worded = word_remark(&format!("raise `{name}`"), op, &profile);
                    let is_plain = worded == format!("raise `{name}`");
                    let is_known = listed["properties"][name].is_object();
                    assert_eq!(is_plain, is_known, "{} {name}: {worded}", op.name);
                }
            }
            for op in ops::ALL.iter().filter(|op| op.name.contains('_')) {
                let worded = word_for_connection(&format!("{} lists them", op.name), &profile);
                let is_plain = worded == format!("{} lists them", op.name);
                assert_eq!(is_plain, is_listed(&op), "{worded}");
            }
        }
    }

    #[test]
    fn remarks_are_worded_and_code_is_not() {
        let callers = &ops::code::callers::OP;
        let json = serde_json::json!({ "text": "raise `limit`", "leftOut": ["raise `limit`"] });
        let worded = word_json_remarks(&json, callers, &Profile::agent()).unwrap();
        assert_eq!(worded["text"], "raise `limit`");
        assert_eq!(worded["leftOut"][0], "raise `limit` (with operation {\"name\": \"callers\"})");
    }

    #[test]
    fn commands_become_tools_of_the_connection() {
        for (text, agent, whole) in [
            (
                "run index_codebase (or `ken index`) first",
                "run operation {\"name\": \"index_codebase\"} first",
                "run index_codebase first",
            ),
            (
                "run `ken index`, which rebuilds it",
                "run operation {\"name\": \"index_codebase\"}, which rebuilds it",
                "run index_codebase, which rebuilds it",
            ),
            (
                "set `depth`; ask search_code",
                "set `depth`; ask search_code",
                "set `depth`; ask search_code",
            ),
            (
                "the rest: search_symbols {\"query\": \"a\"}, or status",
                "the rest: operation {\"name\": \"search_symbols\", \"arguments\": {\"query\": \"a\"}}, \
                 or status",
                "the rest: search_symbols {\"query\": \"a\"}, or status",
            ),
            ("`ken trust` allows it", "`ken trust` allows it", "`ken trust` allows it"),
        ] {
            assert_eq!(word_for_connection(text, &Profile::agent()), agent);
            assert_eq!(word_for_connection(text, &Profile::all_families()), whole);
        }
        let original = Profile::from_name("shire").unwrap();
        assert_eq!(
            word_remark("raise `limit`", &ops::code::callers::OP, &original),
            "raise `limit`"
        );
        assert_eq!(word_for_connection("run `ken index`", &original), "run `ken index`");
    }
}
