//! A client's file with one server more or less. Everything else in it stays as it is, comments and
//! order included.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use toml_edit::{Array, DocumentMut, Item, Table, value};

use super::{ServerEntry, Shape};

/// Why a file is left alone.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("it cannot be read ({0}); mend it first, it was left as it is")]
    Unreadable(String),
    #[error("`{0}` in it is not what it should be; it was left as it is")]
    Unexpected(String),
}

/// The text with the server in it, replacing one of the same name.
pub fn with(text: &str, shape: Shape, server: &ServerEntry) -> Result<String, EditError> {
    match shape {
        Shape::Servers { key, typed } => {
            json(text, |root| add(root, key, server, standard(server, typed)))
        }
        Shape::OpenCode => json(text, |root| add(root, "mcp", server, opencode(server))),
        Shape::Toml => toml(text, |document| add_table(document, server)),
    }
}

/// The text without the server of that name.
pub fn without(text: &str, shape: Shape, name: &str) -> Result<String, EditError> {
    match shape {
        Shape::Servers { key, .. } => json(text, |root| remove(root, key, name)),
        Shape::OpenCode => json(text, |root| remove(root, "mcp", name)),
        Shape::Toml => toml(text, |document| {
            let servers = document.get_mut("mcp_servers");
            if let Some(servers) = servers.and_then(Item::as_table_like_mut) {
                servers.remove(name);
            }
            Ok(())
        }),
    }
}

pub(super) fn json(
    text: &str,
    change: impl FnOnce(&CstObject) -> Result<(), EditError>,
) -> Result<String, EditError> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let parsed = CstRootNode::parse(text, &ParseOptions::default());
    let root = parsed.map_err(|error| EditError::Unreadable(error.to_string()))?;
    let object = root.object_value();
    let object = object.ok_or_else(|| EditError::Unreadable("it holds no object".to_string()))?;
    change(&object)?;
    Ok(root.to_string())
}

fn add(
    root: &CstObject,
    key: &str,
    server: &ServerEntry,
    entry: CstInputValue,
) -> Result<(), EditError> {
    let servers = root.object_value_or_create(key);
    let servers = servers.ok_or_else(|| EditError::Unexpected(key.to_string()))?;
    match servers.get(&server.name) {
        Some(known) => known.set_value(entry),
        None => {
            servers.append(&server.name, entry);
        }
    }
    Ok(())
}

fn remove(root: &CstObject, key: &str, name: &str) -> Result<(), EditError> {
    let servers = root.object_value(key);
    if let Some(known) = servers.and_then(|servers| servers.get(name)) {
        known.remove();
    }
    Ok(())
}

fn standard(server: &ServerEntry, typed: bool) -> CstInputValue {
    let mut entry = Vec::new();
    if typed {
        entry.push(("type".to_string(), text("stdio")));
    }
    entry.push(("command".to_string(), text(&server.command)));
    entry.push(("args".to_string(), texts(server.arguments.iter())));
    CstInputValue::Object(entry)
}

fn opencode(server: &ServerEntry) -> CstInputValue {
    let command = std::iter::once(&server.command).chain(&server.arguments);
    CstInputValue::Object(vec![
        ("type".to_string(), text("local")),
        ("command".to_string(), texts(command)),
        ("enabled".to_string(), CstInputValue::Bool(true)),
    ])
}

pub(super) fn text(text: &str) -> CstInputValue {
    CstInputValue::String(text.to_string())
}

fn texts<'t>(all: impl Iterator<Item = &'t String>) -> CstInputValue {
    CstInputValue::Array(all.map(|one| text(one)).collect())
}

fn toml(
    text: &str,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
) -> Result<String, EditError> {
    let parsed = text.parse::<DocumentMut>();
    let mut document = parsed.map_err(|error| EditError::Unreadable(error.to_string()))?;
    change(&mut document)?;
    Ok(document.to_string())
}

fn add_table(document: &mut DocumentMut, server: &ServerEntry) -> Result<(), EditError> {
    let servers = document.entry("mcp_servers").or_insert_with(|| {
        let mut table = Table::new();
        // Only the tables in it get headings.
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers = servers.as_table_like_mut();
    let servers = servers.ok_or_else(|| EditError::Unexpected("mcp_servers".to_string()))?;
    let mut entry = Table::new();
    entry.insert("command", value(&server.command));
    entry.insert("args", value(Array::from_iter(&server.arguments)));
    servers.insert(&server.name, Item::Table(entry));
    Ok(())
}

const NOTE_START: &str = "<!-- kenning:start -->";
const NOTE_END: &str = "<!-- kenning:end -->";

/// The text with `note` between our marks: in the place of an older one, else at the end.
pub fn with_note(text: &str, note: &str) -> String {
    let block = format!("{NOTE_START}\n{}\n{NOTE_END}\n", note.trim());
    match split_note(text) {
        Some((before, after)) => format!("{before}{block}{after}"),
        None if text.trim().is_empty() => block,
        None => format!("{}\n\n{block}", text.trim_end()),
    }
}

/// The text without what stands between our marks.
pub fn without_note(text: &str) -> String {
    let Some((before, after)) = split_note(text) else {
        return text.to_string();
    };
    match (before.trim_end(), after.trim_start()) {
        ("", after) => after.to_string(),
        (before, "") => format!("{before}\n"),
        (before, after) => format!("{before}\n\n{after}"),
    }
}

fn split_note(text: &str) -> Option<(&str, &str)> {
    let (before, rest) = text.split_once(NOTE_START)?;
    let (_, after) = rest.split_once(NOTE_END)?;
    Some((before, after.strip_prefix('\n').unwrap_or(after)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STANDARD: Shape = Shape::Servers {
        key: "mcpServers",
        typed: true,
    };

    fn server() -> ServerEntry {
        ServerEntry {
            name: "kenning".to_string(),
            command: "/bin/ken".to_string(),
            arguments: vec!["serve".to_string()],
        }
    }

    /// Adding gives `expected`; adding again changes nothing; removing gives `left`.
    fn check(shape: Shape, before: &str, expected: &str, left: &str) {
        let added = with(before, shape, &server()).unwrap();
        assert_eq!(added, expected);
        assert_eq!(with(&added, shape, &server()).unwrap(), added);
        assert_eq!(without(&added, shape, "kenning").unwrap(), left);
    }

    #[test]
    fn comments_and_other_servers_stay() {
        let before = "{\n  // mine\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" } /* y */\n  },\n  \"theme\": 1\n}\n";
        let added = with(before, STANDARD, &server()).unwrap();
        for kept in [
            "// mine",
            "\"other\": { \"command\": \"x\" }",
            "/* y */",
            "\"theme\": 1",
        ] {
            assert!(added.contains(kept), "{added}");
        }
        assert!(added.contains("\"kenning\""), "{added}");
        let without = without(&added, STANDARD, "kenning").unwrap();
        assert!(!without.contains("kenning"), "{without}");
        assert!(
            without.contains("\"other\": { \"command\": \"x\" }"),
            "{without}"
        );
    }

    #[test]
    fn an_empty_file_becomes_a_list() {
        let added = with("", STANDARD, &server()).unwrap();
        let parsed: serde_json::Value = serde_json::from_str(&added).unwrap();
        let expected = serde_json::json!({"mcpServers": {"kenning":
            {"type": "stdio", "command": "/bin/ken", "args": ["serve"]}}});
        assert_eq!(parsed, expected);
        let opencode = with(" \n", Shape::OpenCode, &server()).unwrap();
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
        check(Shape::Toml, before, &expected, before);
    }

    #[test]
    fn what_cannot_be_read_is_left_alone() {
        for (shape, text) in [
            (STANDARD, "{ \"mcpServers\": "),
            (STANDARD, "[1]"),
            (STANDARD, "{\"mcpServers\": 7}"),
            (Shape::Toml, "[mcp_servers"),
            (Shape::Toml, "mcp_servers = 7"),
        ] {
            assert!(with(text, shape, &server()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_note_is_put_replaced_and_taken_away() {
        let added = with_note("# House rules\n", "Use ken.");
        assert_eq!(
            added,
            "# House rules\n\n<!-- kenning:start -->\nUse ken.\n<!-- kenning:end -->\n"
        );
        let replaced = with_note(&format!("{added}\nMore.\n"), "Use ken well.");
        assert!(replaced.contains("Use ken well.") && !replaced.contains("Use ken.\n"));
        assert_eq!(without_note(&replaced), "# House rules\n\nMore.\n");
        assert_eq!(without_note(&with_note("", "x")), "");
    }
}
