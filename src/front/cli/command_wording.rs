//! Remarks and hints in the words of the command line: commands in place of tools, flags in place of
//! arguments. The operations word them for all entry points.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::ops::{self, POSITIONAL_ARGUMENTS};

/// Replaces tools by commands, and arguments in backticks by flags.
pub fn word_for_terminal(text: &str) -> String {
    name_flags(&name_commands(text))
}

/// Replaces tool names by commands, which users of the command line type. A name in quotation marks
/// or backticks is one of the repository.
fn name_commands(text: &str) -> String {
    let mut worded = String::new();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c| !is_name(c)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        worded += before;
        let is_word = !worded.ends_with(['"', '`', '\'', '.', '/', ':', '-']);
        match ops::find(word).filter(|op| is_word && word == op.name && word.contains('_')) {
            Some(op) => worded += &format!("`{}`", op.command_line()),
            None => worded += word,
        }
        rest = after;
    }
    // Hints name the tool and the command. On the command line both become the same words.
    (worded + rest).replace("`ken index` (or `ken index`)", "`ken index`")
}

/// The arguments that are flags in every operation.
static FLAGS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let mut flags = BTreeSet::new();
    let mut positional: BTreeSet<String> =
        POSITIONAL_ARGUMENTS.iter().map(|(_, name)| name.to_string()).collect();
    for op in ops::ALL {
        let required = op.schema["required"].as_array().into_iter().flatten();
        positional.extend(required.filter_map(|name| Some(name.as_str()?.to_string())));
        let properties = op.schema["properties"].as_object().into_iter().flatten();
        flags.extend(properties.map(|(name, _)| name.clone()));
    }
    flags.retain(|name| !positional.contains(name));
    flags
});

/// Replaces `` `limit` `` by `` `--limit` ``.
fn name_flags(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| {
        // Every second part is between backticks.
        if at % 2 == 1 && FLAGS.contains(part) {
            format!("--{}", part.replace('_', "-"))
        } else {
            part.to_string()
        }
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_speak_of_commands() {
        for (hint, expected) in [
            (
                "did you mean \"a\"? list_specs shows what there is",
                "did you mean \"a\"? `ken specs list` shows what there is",
            ),
            ("run index_codebase (or `ken index`)", "run `ken index`"),
            ("get_symbol shows it", "`ken symbol` shows it"),
            ("nothing here defines \"get_symbol\"", "nothing here defines \"get_symbol\""),
            ("3 more; raise `limit` or `budget`", "3 more; raise `--limit` or `--budget`"),
            ("5 places in tests; set `include_tests`", "5 places in tests; set `--include-tests`"),
            ("give `symbol` or `file`, not both", "give `symbol` or `file`, not both"),
            ("see `unresolved`", "see `unresolved`"),
            ("a skill of status", "a skill of status"),
            ("", ""),
        ] {
            assert_eq!(word_for_terminal(hint), expected);
        }
    }

    /// No remark can name a tool or an argument in the spelling of another entry point.
    #[test]
    fn every_tool_and_flag_is_worded() {
        for op in ops::ALL.iter().filter(|op| op.name.contains('_')) {
            let worded = word_for_terminal(&format!("{} lists them", op.name));
            assert_eq!(worded, format!("`{}` lists them", op.command_line()));
        }
        for flag in FLAGS.iter() {
            let worded = word_for_terminal(&format!("raise `{flag}`"));
            assert_eq!(worded, format!("raise `--{}`", flag.replace('_', "-")));
        }
    }
}
