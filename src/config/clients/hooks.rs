//! Adds a hook of ours to a client's file, or removes it. Everything else in the file stays as it
//! is.
//!
//! A hook runs `ken refresh` or `ken hook search`. It is recognized by its command, so that an
//! older one is replaced even if the program moved.

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject};

use super::edit::{EditError, edit_json, string_value, to_json_value};

/// The form in which a client lists its hooks. All have `hooks`, and in it a list for each event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookShape {
    /// Each item has a pattern of tools and commands of its own.
    Matched { event: &'static str, matcher: &'static str },
    /// Each item is a command, perhaps with a pattern of tools; the file says which version it is.
    Plain { event: &'static str, matcher: Option<&'static str> },
}

/// The purpose of a hook, which decides its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookPurpose {
    /// Updates the index after an edit.
    Refresh,
    /// Adds facts to a search or a read.
    Search,
}

impl HookPurpose {
    /// The words after the program, by which our own hook is recognized.
    pub fn command_words(self) -> &'static str {
        match self {
            HookPurpose::Refresh => "refresh",
            HookPurpose::Search => "hook search",
        }
    }
}

/// A hook of ours: where it stands in the file, and what it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookEntry {
    pub shape: HookShape,
    pub purpose: HookPurpose,
}

/// Returns the command line that a hook runs. A path with blanks is quoted, so that it stays one
/// word.
pub fn command_line(program: &str, purpose: HookPurpose) -> String {
    let words = purpose.command_words();
    if program.contains(char::is_whitespace) {
        format!("\"{program}\" {words}")
    } else {
        format!("{program} {words}")
    }
}

/// Returns the text with the hook, in place of an older one of ours. A text that has it is returned
/// unchanged.
pub fn add_hook(text: &str, hook: HookEntry, command: &str) -> Result<String, EditError> {
    let shape = hook.shape;
    edit_json(text, |root| {
        let wanted = hook_entry(shape, command);
        if has_hook(root, shape, &wanted) {
            return Ok(());
        }
        remove_own_hooks(root, hook)?;
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
pub fn remove_hook(text: &str, hook: HookEntry) -> Result<String, EditError> {
    edit_json(text, |root| remove_own_hooks(root, hook))
}

/// Returns the event after which the hook runs.
fn event_name(shape: HookShape) -> &'static str {
    match shape {
        HookShape::Matched { event, .. } | HookShape::Plain { event, .. } => event,
    }
}

/// Returns the item for the list of the event.
fn hook_entry(shape: HookShape, command: &str) -> CstInputValue {
    let field = |name: &str, value: &str| (name.to_string(), string_value(value));
    match shape {
        HookShape::Plain { matcher, .. } => {
            let matcher = matcher.map(|matcher| field("matcher", matcher));
            CstInputValue::Object([field("command", command)].into_iter().chain(matcher).collect())
        }
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
fn remove_own_hooks(root: &CstObject, hook: HookEntry) -> Result<(), EditError> {
    let HookEntry { shape, purpose } = hook;
    let Some(list) = hook_list(root, shape) else {
        return Ok(());
    };
    let mut is_changed = false;
    for item in list.elements() {
        let Some(object) = item.as_object() else {
            continue;
        };
        if is_own_hook(&item, purpose) {
            item.remove();
            is_changed = true;
        } else if let Some(runs) = object.array_value("hooks") {
            let is_own = |run: &CstNode| is_own_hook(run, purpose);
            let ours: Vec<CstNode> = runs.elements().into_iter().filter(is_own).collect();
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

/// True if the command is a program named `ken` with our words, wherever the program is.
fn is_own_hook(run: &CstNode, purpose: HookPurpose) -> bool {
    let entry = run.to_serde_value();
    let command = entry.as_ref().and_then(|run| run["command"].as_str());
    let program = command.and_then(|command| command.strip_suffix(purpose.command_words()));
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

    const MATCHED: HookEntry = HookEntry {
        shape: HookShape::Matched { event: "PostToolUse", matcher: "Edit|Write" },
        purpose: HookPurpose::Refresh,
    };
    const PLAIN: HookEntry = HookEntry {
        shape: HookShape::Plain { event: "afterFileEdit", matcher: None },
        purpose: HookPurpose::Refresh,
    };

    /// Adding twice is adding once, and removing gives `left`.
    fn check(shape: HookEntry, before: &str, left: &str) -> Value {
        let command = command_line("/bin/ken", HookPurpose::Refresh);
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
        let command = command_line("/bin/ken", HookPurpose::Refresh);
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
        assert_eq!(command_line("ken", HookPurpose::Refresh), "ken refresh");
        assert_eq!(
            command_line("/my tools/ken", HookPurpose::Search),
            "\"/my tools/ken\" hook search"
        );
    }

    #[test]
    fn two_hooks_of_ours_stand_beside_each_other() {
        let search = HookEntry {
            shape: HookShape::Matched { event: "PostToolUse", matcher: "Grep|Read" },
            purpose: HookPurpose::Search,
        };
        let refresh = add_hook("", MATCHED, "/bin/ken refresh").unwrap();
        let both = add_hook(&refresh, search, "/bin/ken hook search").unwrap();
        assert_eq!(parsed(&both)["hooks"]["PostToolUse"].as_array().unwrap().len(), 2);
        assert_eq!(parsed(&remove_hook(&both, search).unwrap()), parsed(&refresh));
        let plain = HookEntry {
            shape: HookShape::Plain { event: "postToolUse", matcher: Some("Grep") },
            purpose: HookPurpose::Search,
        };
        let added = parsed(&add_hook("", plain, "ken hook search").unwrap());
        let expected = serde_json::json!({"command": "ken hook search", "matcher": "Grep"});
        assert_eq!(added["hooks"]["postToolUse"][0], expected);
    }
}
