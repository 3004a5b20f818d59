//! Adds a server to a client's file, or removes it. Everything else in the file stays as it is,
//! including comments and order.
//!
//! The functions are pure: text in, text out. Files belong to their users, so an unreadable one is
//! never rewritten, and adding twice changes nothing more.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

use super::{ListFormat, ServerEntry};

/// The reason why a file is left unchanged.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("it cannot be read ({0}) and was not changed; fix it first")]
    Unreadable(String),
    #[error("`{0}` in it has an unexpected form; it was not changed")]
    Unexpected(String),
}

/// The keys of a server at a URL. They are removed, because they contradict a command.
const ADDRESS_KEYS: &[&str] =
    &["url", "httpUrl", "headers", "http_headers", "env_http_headers", "bearer_token_env_var"];

/// The byte order mark, with which some editors begin a file.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the text with the server in it. An existing server of that name gets the new command and
/// keeps its owner's other settings, such as variables and `enabled`.
pub fn add_server(
    text: &str,
    shape: ListFormat,
    server: &ServerEntry,
) -> Result<String, EditError> {
    match shape {
        ListFormat::Servers { key, typed } => {
            let entry = standard_entry(server, typed);
            edit_json(text, |root| add_json_server(root, key, &server.name, entry))
        }
        ListFormat::OpenCode => {
            let entry = opencode_entry(server);
            edit_json(text, |root| add_json_server(root, "mcp", &server.name, entry))
        }
        ListFormat::Toml => edit_toml(text, |document| add_toml_server(document, server)),
    }
}

/// Returns the text without the server of that name. A text without it is returned unchanged.
pub fn remove_server(text: &str, shape: ListFormat, name: &str) -> Result<String, EditError> {
    if split_byte_order_mark(text).1.trim().is_empty() {
        return Ok(text.to_string());
    }
    match shape {
        ListFormat::Servers { key, .. } => {
            edit_json(text, |root| remove_json_server(root, key, name))
        }
        ListFormat::OpenCode => edit_json(text, |root| remove_json_server(root, "mcp", name)),
        ListFormat::Toml => edit_toml(text, |document| {
            let servers = document.get_mut("mcp_servers");
            if let Some(servers) = servers.and_then(Item::as_table_like_mut) {
                servers.remove(name);
            }
            Ok(())
        }),
    }
}

/// True if a text has no content, so that its file can be deleted. A comment counts as content.
pub fn is_without_content(text: &str) -> bool {
    let (_, text) = split_byte_order_mark(text);
    if text.trim().is_empty() {
        return true;
    }
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
        return false;
    };
    let mut fields = fields.iter();
    fields.all(|(key, value)| is_empty_value(value) || key == "version" && *value == 1)
}

/// True for an empty list, and for an object of which every value is empty.
fn is_empty_value(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.values().all(is_empty_value),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Splits a text into its byte order mark, if any, and the rest. Parsers reject the mark, and
/// editors expect it back.
fn split_byte_order_mark(text: &str) -> (&str, &str) {
    let rest = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    text.split_at(text.len() - rest.len())
}

/// Parses JSON with comments, applies a change, and prints the rest byte for byte. An empty file
/// counts as `{}`.
pub(super) fn edit_json(
    text: &str,
    change: impl FnOnce(&CstObject) -> Result<(), EditError>,
) -> Result<String, EditError> {
    let (mark, text) = split_byte_order_mark(text);
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let parsed = CstRootNode::parse(text, &ParseOptions::default());
    let root = parsed.map_err(|error| EditError::Unreadable(error.to_string()))?;
    let object = root
        .object_value()
        .ok_or_else(|| EditError::Unreadable("it holds no object".to_string()))?;
    change(&object)?;
    Ok(format!("{mark}{root}"))
}

/// The fields of one server's entry, in the order in which they are written.
type EntryFields = Vec<(String, CstInputValue)>;

/// Adds an entry to the object at `key`, which is created if it is missing.
fn add_json_server(
    root: &CstObject,
    key: &str,
    name: &str,
    entry: EntryFields,
) -> Result<(), EditError> {
    let servers =
        root.object_value_or_create(key).ok_or_else(|| EditError::Unexpected(key.to_string()))?;
    let Some(known) = servers.get(name) else {
        servers.append(name, CstInputValue::Object(entry));
        return Ok(());
    };
    match known.object_value() {
        Some(known) => update_json_server(&known, entry),
        None => known.set_value(CstInputValue::Object(entry)),
    }
    Ok(())
}

/// Sets the command of an existing entry. Fields with the wanted value are not rewritten, so that
/// their formatting stays.
fn update_json_server(known: &CstObject, wanted: EntryFields) {
    for property in ADDRESS_KEYS.iter().filter_map(|key| known.get(key)) {
        property.remove();
    }
    for (key, value) in wanted {
        let is_command = matches!(key.as_str(), "command" | "args");
        match known.get(&key) {
            // The owner decides if the server is enabled.
            Some(_) if key == "enabled" => {}
            Some(property) => {
                let now = property.value().and_then(|value| value.to_serde_value());
                if now != Some(to_json_value(&value)) {
                    property.set_value(value);
                }
            }
            None if is_command => {
                known.append(&key, value);
            }
            None => {}
        }
    }
}

/// Removes an entry. A file without it is not an error.
fn remove_json_server(root: &CstObject, key: &str, name: &str) -> Result<(), EditError> {
    let Some(servers) = root.object_value(key) else {
        return Ok(());
    };
    let Some(known) = servers.get(name) else {
        return Ok(());
    };
    known.remove();
    // Removes a list that is now empty, unless it has a comment, which a person wrote.
    let is_empty = servers.properties().is_empty() && !servers.to_string().contains('/');
    if let Some(list) = root.get(key).filter(|_| is_empty) {
        list.remove();
    }
    Ok(())
}

/// Returns the entry that most clients share: a command with a list of arguments.
fn standard_entry(server: &ServerEntry, typed: bool) -> EntryFields {
    let mut entry = Vec::new();
    if typed {
        entry.push(("type".to_string(), string_value("stdio")));
    }
    entry.push(("command".to_string(), string_value(&server.command)));
    entry.push(("args".to_string(), string_array(server.arguments.iter())));
    entry
}

/// Returns the entry of OpenCode, in which the command is the first item of one list.
fn opencode_entry(server: &ServerEntry) -> EntryFields {
    let command = std::iter::once(&server.command).chain(&server.arguments);
    vec![
        ("type".to_string(), string_value("local")),
        ("command".to_string(), string_array(command)),
        ("enabled".to_string(), CstInputValue::Bool(true)),
    ]
}

/// Converts a value to be written to the type of a value that was read, to compare the two.
pub(super) fn to_json_value(value: &CstInputValue) -> Value {
    match value {
        CstInputValue::String(text) => Value::from(text.as_str()),
        CstInputValue::Bool(yes) => Value::from(*yes),
        CstInputValue::Array(items) => items.iter().map(to_json_value).collect(),
        CstInputValue::Object(fields) => {
            let fields = fields.iter();
            fields.map(|(name, value)| (name.clone(), to_json_value(value))).collect()
        }
        _ => Value::Null,
    }
}

/// Returns a JSON string.
pub(super) fn string_value(text: &str) -> CstInputValue {
    CstInputValue::String(text.to_string())
}

/// Returns a JSON array of strings.
fn string_array<'t>(all: impl Iterator<Item = &'t String>) -> CstInputValue {
    CstInputValue::Array(all.map(|one| string_value(one)).collect())
}

/// Parses TOML, applies a change, and prints the rest byte for byte.
fn edit_toml(
    text: &str,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
) -> Result<String, EditError> {
    let (mark, text) = split_byte_order_mark(text);
    let parsed = text.parse::<DocumentMut>();
    let mut document = parsed.map_err(|error| EditError::Unreadable(error.to_string()))?;
    change(&mut document)?;
    Ok(format!("{mark}{document}"))
}

/// Adds `[mcp_servers.NAME]`, or updates its command.
fn add_toml_server(document: &mut DocumentMut, server: &ServerEntry) -> Result<(), EditError> {
    let entry = document.entry("mcp_servers").or_insert_with(|| {
        let mut table = Table::new();
        // Only the tables in it get headings.
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers = entry
        .as_table_like_mut()
        .ok_or_else(|| EditError::Unexpected("mcp_servers".to_string()))?;
    let command = value(&server.command);
    let arguments = value(Array::from_iter(&server.arguments));
    if let Some(known) = servers.get_mut(&server.name)
        && let Some(known) = known.as_table_like_mut()
    {
        for key in ADDRESS_KEYS {
            known.remove(key);
        }
        set_keeping_comment(known, "command", command);
        set_keeping_comment(known, "args", arguments);
        return Ok(());
    }
    let mut entry = Table::new();
    entry.insert("command", command);
    entry.insert("args", arguments);
    servers.insert(&server.name, Item::Table(entry));
    Ok(())
}

/// Sets a value, and keeps the comment behind it. An equal value in another notation is left alone.
fn set_keeping_comment(table: &mut dyn TableLike, key: &str, wanted: Item) {
    let known = table.get_mut(key).and_then(Item::as_value_mut);
    match (known, wanted) {
        (Some(known), Item::Value(wanted)) if string_items(known) == string_items(&wanted) => {}
        (Some(known), Item::Value(mut wanted)) => {
            *wanted.decor_mut() = known.decor().clone();
            *known = wanted;
        }
        (_, wanted) => {
            table.insert(key, wanted);
        }
    }
}

/// Returns a text, or a list of texts, as strings; `None` for any other value.
fn string_items(value: &toml_edit::Value) -> Option<Vec<&str>> {
    match value.as_array() {
        Some(items) => items.iter().map(toml_edit::Value::as_str).collect(),
        None => value.as_str().map(|text| vec![text]),
    }
}

/// The marks around our section of a notes file. Text outside of them is never changed.
const NOTE_START: &str = "<!-- kenning:start -->";
const NOTE_END: &str = "<!-- kenning:end -->";

/// Returns the text with `note` between our marks: in place of an older note, else at the end.
pub fn add_note(text: &str, note: &str) -> String {
    let block = format!("{NOTE_START}\n{}\n{NOTE_END}\n", note.trim());
    match split_note(text) {
        Some((before, after)) => format!("{before}{block}{after}"),
        None if text.trim().is_empty() => block,
        None => format!("{}\n\n{block}", text.trim_end()),
    }
}

/// Returns the text without the section between our marks.
pub fn remove_note(text: &str) -> String {
    let Some((before, after)) = split_note(text) else {
        return text.to_string();
    };
    match (before.trim_end(), after.trim_start()) {
        ("", after) => after.to_string(),
        (before, "") => format!("{before}\n"),
        (before, after) => format!("{before}\n\n{after}"),
    }
}

/// Returns the text before and after our section; `None` if it has no complete section.
fn split_note(text: &str) -> Option<(&str, &str)> {
    let (before, rest) = text.split_once(NOTE_START)?;
    let (_, after) = rest.split_once(NOTE_END)?;
    Some((before, after.strip_prefix('\n').unwrap_or(after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STANDARD: ListFormat = ListFormat::Servers { key: "mcpServers", typed: true };

    fn server() -> ServerEntry {
        ServerEntry {
            name: "kenning".to_string(),
            command: "/bin/ken".to_string(),
            arguments: vec!["serve".to_string()],
        }
    }

    /// Adding gives `expected`; adding again changes nothing; removing gives `left`.
    fn check(shape: ListFormat, before: &str, expected: &str, left: &str) {
        let added = add_server(before, shape, &server()).unwrap();
        assert_eq!(added, expected);
        assert_eq!(add_server(&added, shape, &server()).unwrap(), added);
        assert_eq!(remove_server(&added, shape, "kenning").unwrap(), left);
    }

    #[test]
    fn comments_and_other_servers_stay() {
        let before = "{\n  // mine\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" } /* y */\n  },\n  \"theme\": 1\n}\n";
        let added = add_server(before, STANDARD, &server()).unwrap();
        for kept in ["// mine", "\"other\": { \"command\": \"x\" }", "/* y */", "\"theme\": 1"] {
            assert!(added.contains(kept), "{added}");
        }
        assert!(added.contains("\"kenning\""), "{added}");
        let without = remove_server(&added, STANDARD, "kenning").unwrap();
        assert!(!without.contains("kenning"), "{without}");
        assert!(without.contains("\"other\": { \"command\": \"x\" }"), "{without}");
    }

    #[test]
    fn an_empty_file_becomes_a_list() {
        let added = add_server("", STANDARD, &server()).unwrap();
        let parsed: serde_json::Value = serde_json::from_str(&added).unwrap();
        let expected = serde_json::json!({"mcpServers": {"kenning":
            {"type": "stdio", "command": "/bin/ken", "args": ["serve"]}}});
        assert_eq!(parsed, expected);
        let opencode = add_server(" \n", ListFormat::OpenCode, &server()).unwrap();
        let parsed: serde_json::Value = serde_json::from_str(&opencode).unwrap();
        let expected = serde_json::json!({"mcp": {"kenning":
            {"type": "local", "command": ["/bin/ken", "serve"], "enabled": true}}});
        assert_eq!(parsed, expected);
    }

    #[test]
    fn tables_of_toml() {
        let before = "# mine\nmodel = \"o\"\n\n[mcp_servers.other]\ncommand = \"x\"\n";
        let expected = format!(
            "{before}\n[mcp_servers.kenning]\ncommand = \"/bin/ken\"\nargs = [\"serve\"]\n"
        );
        check(ListFormat::Toml, before, &expected, before);
    }

    #[test]
    fn what_its_owner_set_beside_the_command_stays() {
        let before = "{\n  \"mcpServers\": {\n    \"kenning\": {\n      \"command\": \"/old/ken\", // mine\n      \"env\": { \"A\": \"1\" },\n      \"args\": [ \"serve\" ]\n    }\n  }\n}\n";
        let expected = before.replace("/old/ken", "/bin/ken");
        check(STANDARD, before, &expected, "{}\n");
        let before = "{\"mcp\": {\"kenning\": {\"type\": \"remote\", \"url\": \"http://x\", \"enabled\": false, \"environment\": {\"A\": \"1\"}}}}";
        let added = add_server(before, ListFormat::OpenCode, &server()).unwrap();
        let added: serde_json::Value = serde_json::from_str(&added).unwrap();
        let expected = serde_json::json!({"type": "local", "enabled": false,
            "environment": {"A": "1"}, "command": ["/bin/ken", "serve"]});
        assert_eq!(added["mcp"]["kenning"], expected);
        let before = "[mcp_servers.kenning]\ncommand = \"/old/ken\" # mine\nargs = ['serve']\nenabled = false\n\n[mcp_servers.kenning.env]\nA = \"1\"\n";
        let expected = before.replace("/old/ken", "/bin/ken");
        check(ListFormat::Toml, before, &expected, "");
    }

    #[test]
    fn a_byte_order_mark_is_read_over_and_kept() {
        for (shape, before) in [
            (STANDARD, "\u{feff}{\"theme\": 1}\n"),
            (ListFormat::OpenCode, "\u{feff}"),
            (ListFormat::Toml, "\u{feff}model = \"o\"\n"),
        ] {
            let added = add_server(before, shape, &server()).unwrap();
            assert!(added.starts_with(BYTE_ORDER_MARK), "{added}");
            assert_eq!(added.matches(BYTE_ORDER_MARK).count(), 1, "{added}");
            assert!(added.contains("/bin/ken"), "{added}");
            assert_eq!(add_server(&added, shape, &server()).unwrap(), added);
        }
    }

    #[test]
    fn a_list_goes_with_its_last_server_unless_somebody_wrote_in_it() {
        let before = "{\n  \"theme\": 1\n}\n";
        let added = add_server(before, STANDARD, &server()).unwrap();
        assert_eq!(remove_server(&added, STANDARD, "kenning").unwrap(), before);
        let noted = "{\"mcpServers\": {\n  // mine\n  \"kenning\": {}\n}}";
        assert!(remove_server(noted, STANDARD, "kenning").unwrap().contains("// mine"));
        assert_eq!(remove_server("", STANDARD, "kenning").unwrap(), "");
        for (text, expected) in [
            ("", true),
            ("\u{feff}{}\n", true),
            ("{\"version\": 1}", true),
            ("{\"servers\": {}, \"inputs\": []}", true),
            ("{\"version\": 2}", false),
            ("{\"theme\": 1}", false),
            ("{} // mine", false),
            ("[]", false),
            ("# Rules", false),
        ] {
            assert_eq!(is_without_content(text), expected, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_left_alone() {
        for (shape, text) in [
            (STANDARD, "{ \"mcpServers\": "),
            (STANDARD, "[1]"),
            (STANDARD, "{\"mcpServers\": 7}"),
            (ListFormat::Toml, "[mcp_servers"),
            (ListFormat::Toml, "mcp_servers = 7"),
        ] {
            assert!(add_server(text, shape, &server()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_note_is_put_replaced_and_taken_away() {
        let added = add_note("# House rules\n", "Use ken.");
        assert_eq!(
            added,
            "# House rules\n\n<!-- kenning:start -->\nUse ken.\n<!-- kenning:end -->\n"
        );
        let replaced = add_note(&format!("{added}\nMore.\n"), "Use ken well.");
        assert!(replaced.contains("Use ken well.") && !replaced.contains("Use ken.\n"));
        assert_eq!(remove_note(&replaced), "# House rules\n\nMore.\n");
        assert_eq!(remove_note(&add_note("", "x")), "");
    }
}
