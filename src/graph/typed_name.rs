//! Names and places as people write them: `Session.login`, `(*Context).Next`, `Context#next`,
//! `c.Next()`, `src/session.rs:42`. It reads text only; `symbol_lookup` finds the definitions.
//!
//! All forms become one: parts joined by `.`, without receivers, type arguments and arguments. The
//! text as written is tried first, because some languages have names with such signs in them.

use kenning_lang::brackets::find_closing_bracket;
use kenning_lang::languages::is_file_name;
use kenning_model::RepoPath;

/// A written name or place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WrittenName {
    /// A file and a line, or a file and a name in it.
    Place(RepoPath, PlaceRest),
    /// A name, with argument labels if some are written.
    Name { name: String, labels: Option<Vec<String>> },
}

/// The part of a place after the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlaceRest {
    Line(u32),
    Name(String),
}

impl WrittenName {
    /// Parses a text. Quotation marks and backticks around it are dropped.
    pub(super) fn parse(text: &str) -> WrittenName {
        let text = &join_receiver(trim_quotes(text));
        if let Some((path, rest)) = parse_place(text) {
            return WrittenName::Place(path, rest);
        }
        let (name, labels) = split_labels(text);
        WrittenName::Name { name: name.to_string(), labels }
    }

    /// Returns the name in its plain form; `None` for a place.
    pub(super) fn plain(text: &str) -> Option<String> {
        match WrittenName::parse(text) {
            WrittenName::Name { name, .. } => Some(plain_name(&name)),
            WrittenName::Place(..) => None,
        }
    }
}

/// Returns the parts of a written name, joined by `.`.
///
/// `(*Context).Next`, `(c *Context) Next`, `Context[T]::Next` and `func Context->Next` all become
/// `Context.Next`.
pub(super) fn plain_name(text: &str) -> String {
    let mut name = drop_import_path(text.trim().trim_end_matches([';', ','])).to_string();
    if let Some((receiver, rest)) = split_receiver(&name) {
        name = format!("{receiver}.{}", rest.trim_start_matches(['.', ':', ' ']));
    }
    let name = drop_type_arguments(&name);
    // Keywords before a name: `func Next`, `pub const fn login`.
    let name = name.split_whitespace().next_back().unwrap_or_default();
    let mut name = name.to_string();
    for separator in ["::", "->", "?.", "!.", "\\", "#"] {
        name = name.replace(separator, ".");
    }
    let name = name.trim_matches(['.', '*', '&', '@', '!', ':']);
    let parts = name.split('.').filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(".")
}

/// Writes the receiver of a stack trace as a type: `gin.(*Context).Next` is `gin.Context.Next`.
fn join_receiver(text: &str) -> String {
    let receiver = text.split_once(".(").and_then(|(package, rest)| {
        let (owner, end) = rest.split_once(").")?;
        let owner = owner.trim_start_matches('*');
        let is_name = owner.chars().all(|c| c.is_alphanumeric() || c == '_');
        is_name.then(|| format!("{package}.{owner}.{end}"))
    });
    receiver.unwrap_or_else(|| text.to_string())
}

/// Removes the path before the last part of an import path: `github.com/gin-gonic/gin.Context` is
/// `gin.Context`. The path of a file stays.
fn drop_import_path(text: &str) -> &str {
    let end = text.find(['(', '<', ' ']).unwrap_or(text.len());
    let start = text[..end].rfind('/').map_or(0, |at| at + 1);
    if is_file_name(text) || !text[start..].contains('.') { text } else { &text[start..] }
}

/// Splits `(*Context).Next` and `(c *Context) Next` into the type and the rest, and
/// `<Disk as Store>::load` into `Disk` and the rest.
fn split_receiver(text: &str) -> Option<(String, &str)> {
    if text.starts_with('<') {
        let end = find_closing_bracket(text.as_bytes(), 0)?;
        let owner = text[1..end].split(" as ").next()?;
        return Some((owner.trim().to_string(), &text[end + 1..]));
    }
    let start = text.find('(')?;
    let before = &text[..start];
    // Only keywords may precede the receiver: `func (c *Context) Next`.
    let is_lead = before.chars().all(|c| c.is_ascii_lowercase() || c == ' ')
        && (before.is_empty() || before.ends_with(' '));
    let end = find_closing_bracket(text.as_bytes(), start)?;
    let rest = &text[end + 1..];
    if !is_lead || rest.trim().is_empty() {
        return None;
    }
    let owner = text[start + 1..end].split_whitespace().next_back()?;
    Some((owner.trim_start_matches(['*', '&']).to_string(), rest))
}

/// Removes `<T>` and `[T]` after identifiers. Operators such as `operator<` stay.
fn drop_type_arguments(text: &str) -> String {
    let mut left = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['<', '[']) {
        let before = &rest[..at];
        let follows_name = before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        let end = find_closing_bracket(rest.as_bytes(), at);
        let Some(end) = end.filter(|end| follows_name && *end > at + 1) else {
            break;
        };
        if before.ends_with("operator") {
            break;
        }
        left.push_str(before);
        rest = &rest[end + 1..];
    }
    left + rest
}

/// Removes the quotation marks and backticks that people and agents put around names.
fn trim_quotes(text: &str) -> &str {
    text.trim().trim_matches(['`', '"', '\'']).trim()
}

/// Parses `src/a.rs:12`, `src/a.rs:12:5`, `src/a.rs#L12`, `src/a.rs:login` or
/// `src/a.py::Session::login`. `a::b` is a name, and so is `Type.member`.
fn parse_place(text: &str) -> Option<(RepoPath, PlaceRest)> {
    let to_path = |path: &str| RepoPath::new(path.trim_start_matches("./"));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((path, rest)) = text.split_once("#L") {
        let line: String = rest.chars().take_while(char::is_ascii_digit).collect();
        return Some((to_path(path)?, PlaceRest::Line(line.parse().ok()?)));
    }
    if let Some((path, name)) = text.split_once("::") {
        let is_path = path.contains('/') && is_file_name(path) && !name.is_empty();
        return is_path
            .then(|| Some((to_path(path)?, PlaceRest::Name(name.to_string()))))
            .flatten();
    }
    let (mut path, mut rest) = text.rsplit_once(':')?;
    // A column after the line, as compilers and editors write it. It may be empty.
    if let Some((before, line)) = path.rsplit_once(':')
        && is_number(line)
        && (rest.is_empty() || is_number(rest))
    {
        (path, rest) = (before, line);
    }
    if rest.is_empty() || path.contains(char::is_whitespace) {
        return None;
    }
    if is_number(rest) {
        return Some((to_path(path)?, PlaceRest::Line(rest.parse().ok()?)));
    }
    // A rest that is no number needs a `/` in the path; else it could be a qualified name.
    path.contains('/').then(|| Some((to_path(path)?, PlaceRest::Name(rest.to_string())))).flatten()
}

/// Splits a name from its arguments or argument labels, if some are written: `send(to:with:)`.
fn split_labels(text: &str) -> (&str, Option<Vec<String>>) {
    // The arguments are what the last closing parenthesis ends, and not a receiver.
    let end = text.rfind(')');
    let is_receiver = split_receiver(text).is_some_and(|(_, rest)| !rest.contains('('));
    let start = match end {
        Some(_) if is_receiver => None,
        Some(end) => find_opening(&text[..end]),
        None => text.find('('),
    };
    let Some(start) = start.filter(|start| *start > 0) else {
        return (text, None);
    };
    let inner = &text[start + 1..end.unwrap_or(text.len())];
    let labels: Vec<String> =
        inner.split_terminator(':').map(|label| label.trim().to_string()).collect();
    let is_labels = inner.ends_with(':') && labels.iter().all(|label| !label.contains(' '));
    (text[..start].trim(), is_labels.then_some(labels))
}

/// Returns the offset of the parenthesis that the end of the text would close.
fn find_opening(text: &str) -> Option<usize> {
    let mut depth = 1;
    for (at, sign) in text.char_indices().rev() {
        match sign {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_from_names() {
        for (text, expected) in [
            ("src/a.rs:12", Some("src/a.rs 12")),
            ("./a.rs:3", Some("a.rs 3")),
            ("src/a.rs:12:5", Some("src/a.rs 12")),
            ("src/a.rs:12:", Some("src/a.rs 12")),
            ("src/a.rs#L12-L20", Some("src/a.rs 12")),
            ("tools/run:3", Some("tools/run 3")),
            ("src/a.rs:login", Some("src/a.rs login")),
            ("tests/a.py::Session::login", Some("tests/a.py Session::login")),
            ("Session::login", None),
            ("std::io::Read", None),
            ("Session.login", None),
            ("Session#login", None),
            ("a.b:c", None),
        ] {
            let place = parse_place(text).map(|(path, rest)| match rest {
                PlaceRest::Line(line) => format!("{path} {line}"),
                PlaceRest::Name(name) => format!("{path} {name}"),
            });
            assert_eq!(place.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn labels_are_read_and_arguments_are_not() {
        let labels = |names: &[&str]| Some(names.iter().map(ToString::to_string).collect());
        assert_eq!(split_labels("login"), ("login", None));
        assert_eq!(split_labels("login()"), ("login", None));
        assert_eq!(split_labels("send(to:with:)"), ("send", labels(&["to", "with"])));
        assert_eq!(split_labels("send(a, b)"), ("send", None));
        assert_eq!(split_labels("(*Context).Next"), ("(*Context).Next", None));
        assert_eq!(split_labels("(*Context).Next()"), ("(*Context).Next", None));
        assert_eq!(split_labels("(c *Context) Next(a int)"), ("(c *Context) Next", None));
    }

    #[test]
    fn every_spelling_has_one_plain_form() {
        for (text, expected) in [
            ("login", "login"),
            ("`Session.login`", "Session.login"),
            ("Session::login()", "Session.login"),
            ("Session#login", "Session.login"),
            ("Session->login($a)", "Session.login"),
            ("\\App\\Session::login", "App.Session.login"),
            ("(*Context).Next", "Context.Next"),
            ("(*Context).Next()", "Context.Next"),
            ("(Context).Next", "Context.Next"),
            ("(c *Context) Next", "Context.Next"),
            ("func (c *Context) Next()", "Context.Next"),
            ("*Context.Next", "Context.Next"),
            ("&mut Session", "Session"),
            ("gin.Context.Next", "gin.Context.Next"),
            ("gin.(*Context).Next", "gin.Context.Next"),
            ("github.com/gin-gonic/gin.(*Context).Next", "gin.Context.Next"),
            ("github.com/gin-gonic/gin.Context.Next", "gin.Context.Next"),
            ("c.Next()", "c.Next"),
            ("List[T].Push", "List.Push"),
            ("Vec::<T>::push", "Vec.push"),
            ("Map<String, Vec<u8>>::get", "Map.get"),
            ("<Disk as Store>::load", "Disk.load"),
            ("pub const fn login", "login"),
            ("println!", "println"),
            ("@property", "property"),
            ("operator[]", "operator[]"),
            ("operator<", "operator<"),
        ] {
            assert_eq!(WrittenName::plain(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(WrittenName::plain("src/a.rs:3"), None);
    }
}
