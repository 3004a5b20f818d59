//! Errors in the words of a connection: they name tools that it can call, and no commands of a
//! terminal. The operations word their errors for all entry points.

use super::profile::{OfferedParts, Profile};
use crate::ops::{self, operation};

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
        assert_eq!(word_for_connection("run `ken index`", &original), "run `ken index`");
    }
}
