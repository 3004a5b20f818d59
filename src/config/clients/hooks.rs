//! Adds the hook that refreshes the index after edits to a client's file, or removes it. Everything
//! else in the file stays as it is.
//!
//! The hook runs `ken refresh`. A hook is recognized by its command, so that an older one is
//! replaced even if the program moved.

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject};

use super::edit::{EditError, edit_json, string_value, to_json_value};

/// The form in which a client lists its hooks. All have `hooks`, and in it a list for each event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookShape {
    /// Each item has a pattern of tools and commands of its own.
    Matched { event: &'static str, matcher: &'static str },
    /// Each item is a command; the file says which version it is.
    Plain { event: &'static str },
}

/// The last word of the command, by which our own hook is recognized.
const COMMAND_WORD: &str = "refresh";

/// Returns the command line that a hook runs. A path with blanks is quoted, so that it stays one
/// word.
pub fn command_line(program: &str) -> String {
    if program.contains(char::is_whitespace) {
        format!("\"{program}\" {COMMAND_WORD}")
    } else {
        format!("{program} {COMMAND_WORD}")
    }
}

/// Returns the text with the hook, in place of an older one of ours. A text that has it is returned
/// unchanged.
pub fn add_hook(text: &str, shape: HookShape, command: &str) -> Result<String, EditError> {
    edit_json(text, |root| {
        let wanted = hook_entry(shape, command);
        if has_hook(root, shape, &wanted) {
            return Ok(());
        }
        remove_own_hooks(root, shape)?;
        if matches!(shape, HookShape::Plain { .. }) && root.get("version").is_none() {
            root.append("version", CstInputValue::Number("1".to_string()));
        }
        let event = event_name(shape);
        let hooks = root
            .object_value_or_create("hooks")
            .ok_or_else(|| EditError::Unexpected("hooks".to_string()))?;
        let list = hooks
            .array_value_or_create(event)
            .ok_or_else(|| EditError::Unexpected(format!("hooks.{event}")))?;
        list.append(wanted);
        list.ensure_multiline();
        Ok(())
    })
}

/// Returns the text without any hook of ours.
pub fn remove_hook(text: &str, shape: HookShape) -> Result<String, EditError> {
    edit_json(text, |root| remove_own_hooks(root, shape))
}

/// Returns the event after which the hook runs.
fn event_name(shape: HookShape) -> &'static str {
    match shape {
        HookShape::Matched { event, .. } | HookShape::Plain { event } => event,
    }
}

/// Returns the item for the list of the event.
fn hook_entry(shape: HookShape, command: &str) -> CstInputValue {
    let field = |name: &str, value: &str| (name.to_string(), string_value(value));
    match shape {
        HookShape::Plain { .. } => CstInputValue::Object(vec![field("command", command)]),
        HookShape::Matched { matcher, .. } => {
            let run = vec![field("type", "command"), field("command", command)];
            let runs = CstInputValue::Array(vec![CstInputValue::Object(run)]);
            CstInputValue::Object(vec![field("matcher", matcher), ("hooks".to_string(), runs)])
        }
    }
}

/// True if the list has exactly this item.
fn has_hook(root: &CstObject, shape: HookShape, wanted: &CstInputValue) -> bool {
    let list = hook_list(root, shape).map(|list| list.elements());
    let wanted = to_json_value(wanted);
    let mut items = list.into_iter().flatten();
    items.any(|item| item.to_serde_value().as_ref() == Some(&wanted))
}

/// Returns the list of the event; `None` if the file has none.
fn hook_list(root: &CstObject, shape: HookShape) -> Option<CstArray> {
    root.object_value("hooks")?.array_value(event_name(shape))
}

/// Removes our hooks, and the lists that become empty by it. A list that was empty before stays.
///
/// An item of a user may contain several commands; only ours is removed from it.
fn remove_own_hooks(root: &CstObject, shape: HookShape) -> Result<(), EditError> {
    let Some(list) = hook_list(root, shape) else {
        return Ok(());
    };
    let mut is_changed = false;
    for item in list.elements() {
        let Some(object) = item.as_object() else {
            continue;
        };
        if is_own_hook(&item) {
            item.remove();
            is_changed = true;
        } else if let Some(runs) = object.array_value("hooks") {
            let ours: Vec<CstNode> = runs.elements().into_iter().filter(is_own_hook).collect();
            let is_all = ours.len() == runs.elements().len();
            is_changed |= !ours.is_empty();
            match (ours.is_empty(), is_all) {
                (true, _) => {}
                (false, true) => item.remove(),
                (false, false) => ours.into_iter().for_each(CstNode::remove),
            }
        }
    }
    if let Some(hooks) = root.get("hooks").filter(|_| is_changed)
        && let Some(inner) = hooks.object_value()
    {
        if let Some(list) = inner.get(event_name(shape)).filter(|_| list.elements().is_empty()) {
            list.remove();
        }
        if inner.properties().is_empty() {
            hooks.remove();
        }
    }
    Ok(())
}

/// True if the command is a program named `ken` with our last word, wherever the program is.
fn is_own_hook(run: &CstNode) -> bool {
    let entry = run.to_serde_value();
    let command = entry.as_ref().and_then(|run| run["command"].as_str());
    let program = command.and_then(|command| command.strip_suffix(COMMAND_WORD));
    program.is_some_and(|program| {
        let program = program.trim_end().trim_matches('"');
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        matches!(name, "ken" | "ken.exe")
    })
}

#[cfg(test)]
mod tests {
    use jsonc_parser::ParseOptions;
    use jsonc_parser::cst::CstRootNode;
    use serde_json::Value;

    use super::*;

    const MATCHED: HookShape = HookShape::Matched { event: "PostToolUse", matcher: "Edit|Write" };
    const PLAIN: HookShape = HookShape::Plain { event: "afterFileEdit" };

    /// Adding twice is adding once, and removing gives `left`.
    fn check(shape: HookShape, before: &str, left: &str) -> Value {
        let command = command_line("/bin/ken");
        let added = add_hook(before, shape, &command).unwrap();
        assert_eq!(add_hook(&added, shape, &command).unwrap(), added);
        assert_eq!(remove_hook(&added, shape).unwrap(), left);
        parsed(&added)
    }

    fn parsed(text: &str) -> Value {
        let root = CstRootNode::parse(text, &ParseOptions::default()).unwrap();
        root.to_serde_value().unwrap()
    }

    #[test]
    fn a_hook_is_added_to_nothing_and_taken_away() {
        let run = serde_json::json!([{"type": "command", "command": "/bin/ken refresh"}]);
        assert_eq!(
            check(MATCHED, "", "{}\n"),
            serde_json::json!({"hooks": {"PostToolUse": [{"matcher": "Edit|Write", "hooks": run}]}})
        );
        let plain = check(PLAIN, "{}\n", "{\n  \"version\": 1\n}\n");
        let expected = serde_json::json!([{"command": "/bin/ken refresh"}]);
        assert_eq!(plain["hooks"]["afterFileEdit"], expected);
    }

    #[test]
    fn hooks_of_others_and_comments_stay() {
        let before = "{\n  // mine\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"Write\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"fmt\" }] // format\n      }\n    ],\n    \"Stop\": []\n  },\n  \"model\": \"x\"\n}\n";
        check(MATCHED, before, before);
    }

    #[test]
    fn an_older_one_of_ours_is_replaced_wherever_it_stands() {
        let before = r#"{"hooks": {"PostToolUse": [{"matcher": "Write", "hooks": [
            {"type": "command", "command": "fmt"}, {"type": "command", "command": "\"C:\\my tools\\ken.exe\" refresh"}]}]}}"#;
        let command = command_line("/bin/ken");
        let added = add_hook(before, MATCHED, &command).unwrap();
        assert_eq!(add_hook(&added, MATCHED, &command).unwrap(), added);
        let added = parsed(&added);
        let list = added["hooks"]["PostToolUse"].as_array().unwrap();
        assert_eq!(list.len(), 2, "{added}");
        assert_eq!(list[0]["hooks"].as_array().unwrap().len(), 1, "{added}");
    }

    #[test]
    fn what_is_not_a_list_of_hooks_is_left_alone() {
        for text in ["{\"hooks\": 7}", "{\"hooks\": {\"PostToolUse\": {}}}", "{"] {
            assert!(add_hook(text, MATCHED, "ken refresh").is_err(), "{text}");
        }
        let others =
            "{\"hooks\": {\"PostToolUse\": [{\"hooks\": [{\"command\": \"notken refresh\"}]}]}}";
        assert_eq!(remove_hook(others, MATCHED).unwrap(), others);
    }

    #[test]
    fn a_place_with_a_space_is_quoted() {
        assert_eq!(command_line("ken"), "ken refresh");
        assert_eq!(command_line("/my tools/ken"), "\"/my tools/ken\" refresh");
    }
}
