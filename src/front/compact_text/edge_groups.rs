//! Lists of neighbours in the graph: grouped by confidence and reason, then by file.

use super::Lines;
use crate::ops::code::call_hierarchy::{CallRow, CallsReply};
use crate::ops::code::find_references::{FindReferencesReply, ReferenceRow};
use crate::ops::code::implementations::{ImplementationRow, ImplementationsReply};
use crate::ops::code::reply_parts::{Reliability, SymbolRef};
use crate::ops::code::search_symbols::SearchSymbolsReply;
use crate::ops::code::symbol_row::SymbolRow;
use crate::ops::code::unresolved_lines::Unresolved;

/// A row of a grouped list.
struct GroupedRow<'r> {
    /// The facts that rows share, such as confidence and reason.
    group: String,
    path: &'r str,
    text: String,
}

/// The texts of the rows of one path.
type PathTexts<'r> = (&'r str, Vec<String>);

/// Adds rows: each group once, and each path once within its group. The order is that of the first
/// row of each.
fn add_groups(lines: &mut Lines, rows: Vec<GroupedRow>) {
    let mut groups: Vec<(String, Vec<PathTexts>)> = Vec::new();
    for row in rows {
        let known_group = groups.iter().position(|(known, _)| *known == row.group);
        let group = known_group.unwrap_or_else(|| {
            groups.push((row.group, Vec::new()));
            groups.len() - 1
        });
        let files = &mut groups[group].1;
        match files.iter_mut().find(|(known, _)| *known == row.path) {
            Some((_, texts)) => texts.push(row.text),
            None => files.push((row.path, vec![row.text])),
        }
    }
    for (group, files) in groups {
        if !group.is_empty() {
            lines.add(format!("{group}:"));
        }
        for (path, texts) in files {
            lines.add(format!("{path}: {}", texts.join(", ")));
        }
    }
}

/// Formats callers or callees: `src/main.rs: run 10 calls 14 18`.
pub fn format_calls(reply: &CallsReply) -> Lines {
    let mut lines = Lines::default();
    add_subjects(&mut lines, &reply.definitions);
    lines.add_labelled("note", reply.note.as_deref());
    let is_inward = reply.callers.is_some();
    let edges = reply.callers.iter().chain(&reply.callees).flatten();
    let rows: Vec<GroupedRow> = edges.map(|row| call_row(row, is_inward)).collect();
    if rows.is_empty() && reply.unresolved.unresolved.is_empty() {
        lines.add(if is_inward { "no callers" } else { "no callees" });
    }
    add_groups(&mut lines, rows);
    add_unresolved(&mut lines, &reply.unresolved);
    lines.add_joined("left out", &reply.left_out);
    add_reliability(&mut lines, &reply.trust);
    lines
}

/// Converts a caller or callee. The lines of a caller's calls are in its own file.
fn call_row(row: &CallRow, is_inward: bool) -> GroupedRow<'_> {
    let CallRow { hop, symbol, at, calls, called_by, edge, way } = row;
    let mut group = match (is_inward, hop) {
        (true, None | Some(1)) => "callers".to_string(),
        (false, None | Some(1)) => "callees".to_string(),
        (true, Some(hop)) => format!("callers, level {hop}"),
        (false, Some(hop)) => format!("callees, level {hop}"),
    };
    if let Some(edge) = edge {
        group += &format!(", {}: {}", edge.confidence, edge.reason);
        group += &edge.through.as_ref().map(|through| format!(", {through}")).unwrap_or_default();
    }
    group += &way.as_ref().map(|way| format!(", whole way {way}")).unwrap_or_default();
    group += if symbol.test { ", test" } else { "" };
    let at: Vec<String> = at.iter().map(ToString::to_string).collect();
    let counterpart = calls.as_ref().or(called_by.as_ref());
    let other = counterpart.map(|name| format!(" of {name}")).unwrap_or_default();
    let text = if is_inward {
        format!("{} {}", symbol.symbol, at.join(" "))
    } else {
        format!("{} {} at {}", symbol.symbol, symbol.line, at.join(" "))
    };
    GroupedRow { group, path: &symbol.path, text: text + &other }
}

/// Formats references: `src/main.rs: run 14 18, main 30`.
pub fn format_references(reply: &FindReferencesReply) -> Lines {
    let mut lines = Lines::default();
    add_subjects(&mut lines, &reply.definitions);
    lines.add_labelled("note", reply.note.as_deref());
    lines.add(format!("{} references in {} files", reply.count, reply.files));
    let mut rows: Vec<GroupedRow> = Vec::new();
    let mut last: Option<(&ReferenceRow, &str)> = None;
    for row in &reply.references {
        let inside = row.inside.as_deref().unwrap_or_default();
        let of = row.of.as_ref().map(|of| format!(" of {of}")).unwrap_or_default();
        let test = if row.test { ", test" } else { "" };
        let via = row.edge.through.as_ref();
        let through = via.map(|name| format!(", {name}")).unwrap_or_default();
        let (confidence, reason) = (&row.edge.confidence, &row.edge.reason);
        let group = format!("{}, {confidence}: {reason}{through}{of}{test}", row.mention);
        let is_same = last.is_some_and(|(known, name)| known.path == row.path && name == inside);
        match rows.last_mut().filter(|known| is_same && known.group == group) {
            Some(known) => known.text += &format!(" {}", row.line),
            None => {
                let text = format!("{inside} {}", row.line);
                rows.push(GroupedRow { group, path: &row.path, text: text.trim().to_string() });
            }
        }
        last = Some((row, inside));
    }
    add_groups(&mut lines, rows);
    add_unresolved(&mut lines, &reply.unresolved);
    lines.add_joined("left out", &reply.left_out);
    add_reliability(&mut lines, &reply.trust);
    lines
}

/// Formats implementations: `src/robot.rs: Robot 12`.
pub fn format_implementations(reply: &ImplementationsReply) -> Lines {
    let mut lines = Lines::default();
    add_subjects(&mut lines, &reply.definitions);
    lines.add_labelled("note", reply.note.as_deref());
    lines.add(format!("{} implementations", reply.count));
    let rows = reply.implementations.iter().map(implementation_row);
    add_groups(&mut lines, rows.collect());
    lines.add_joined("left out", &reply.left_out);
    add_reliability(&mut lines, &reply.trust);
    lines
}

/// Converts an implementation.
fn implementation_row(row: &ImplementationRow) -> GroupedRow<'_> {
    let ImplementationRow { symbol, how, declared_at, condition, through, of } = row;
    let mut group = how.to_string();
    for (word, value) in [("through", through), ("of", of)] {
        group += &value.as_ref().map(|value| format!(", {word} {value}")).unwrap_or_default();
    }
    group += if symbol.test { ", test" } else { "" };
    let mut text = format!("{} {}", symbol.symbol, symbol.line);
    text += &declared_at.as_ref().map(|at| format!(" declared at {at}")).unwrap_or_default();
    text += &condition.as_ref().map(|condition| format!(" {condition}")).unwrap_or_default();
    GroupedRow { group, path: &symbol.path, text }
}

/// The characters of a signature in a list. `get_symbol` has the rest.
const MAX_SIGNATURE: usize = 100;

/// Formats found symbols: each path once, and below it a line for each symbol.
pub fn format_symbols(reply: &SearchSymbolsReply) -> Lines {
    let mut lines = Lines::default();
    let mut files: Vec<PathTexts> = Vec::new();
    for row in &reply.symbols {
        let text = symbol_line(row);
        match files.iter_mut().find(|(known, _)| *known == row.path) {
            Some((_, texts)) => texts.push(text),
            None => files.push((&row.path, vec![text])),
        }
    }
    for (path, texts) in files {
        lines.add(path);
        lines.0.extend(texts);
    }
    if reply.symbols.is_empty() {
        lines.add("no symbols");
    }
    lines.add_joined("near", &reply.near);
    lines.add_labelled("left out", reply.left_out.as_deref());
    lines.add_labelled("notice", reply.notice.as_deref());
    lines
}

/// Formats ` 12-20 Session fn login(&self)`: the lines, the scope and the signature. The kind and
/// the name are added if the signature lacks the name.
fn symbol_line(row: &SymbolRow) -> String {
    let (scope, name) = row.symbol.rsplit_once('.').unwrap_or(("", &row.symbol));
    let signature = row.signature.as_deref().unwrap_or_default();
    let text = if signature.contains(name) {
        let cut: String = signature.chars().take(MAX_SIGNATURE).collect();
        let end = if cut.len() < signature.len() { "…" } else { "" };
        format!("{scope} {cut}{end}")
    } else {
        format!("{} {} {signature}", row.kind, row.symbol)
    };
    let lines = if row.line == row.end_line {
        row.line.to_string()
    } else {
        format!("{}-{}", row.line, row.end_line)
    };
    let test = if row.test { " test" } else { "" };
    format!(" {lines} {}{test}", text.trim())
}

/// Adds the definitions that a reply is about, each path once.
fn add_subjects(lines: &mut Lines, definitions: &[SymbolRef]) {
    let rows = definitions.iter().map(|one| GroupedRow {
        group: String::new(),
        path: &one.path,
        text: format!("{} {}", one.symbol, one.line),
    });
    add_groups(lines, rows.collect());
}

/// Adds the lines that name the subject and have no edge.
fn add_unresolved(lines: &mut Lines, unresolved: &Unresolved) {
    if unresolved.unresolved_count > 0 {
        lines.add(format!("{} unresolved lines name it:", unresolved.unresolved_count));
    }
    for file in &unresolved.unresolved {
        lines.add(format!("{}{}", file.path, if file.test { " (test)" } else { "" }));
        lines.0.extend(file.calls.iter().chain(&file.mentions).map(|line| format!(" {line}")));
    }
    lines.add_joined("skipped files", &unresolved.skipped_files);
}

/// Adds stale files and the notice about the index.
fn add_reliability(lines: &mut Lines, trust: &Reliability) {
    lines.add_joined("changed since indexed", &trust.stale);
    lines.add_labelled("notice", trust.notice.as_deref());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn symbols_have_each_path_once_and_no_name_twice() {
        let row = |path: &str, symbol: &str, kind: &str, end: u32, signature: Option<&str>| {
            json!({ "symbol": symbol, "kind": kind, "path": path, "line": 4, "endLine": end,
                "signature": signature })
        };
        let long = format!("fn open({})", "x".repeat(100));
        let reply: SearchSymbolsReply = serde_json::from_value(json!({
            "count": 5,
            "symbols": [
                row("a.rs", "open", "function", 9, Some("fn open(path: &str)")),
                row("b.rs", "Store.open", "method", 9, Some("fn open(&self)")),
                row("a.rs", "Door.open", "field", 4, None),
                row("b.rs", "open", "function", 9, Some(&long)),
            ],
            "leftOut": "1 more; raise `limit` or narrow",
        }))
        .unwrap();
        let expected = format!(
            "\
a.rs
 4-9 fn open(path: &str)
 4 field Door.open
b.rs
 4-9 Store fn open(&self)
 4-9 fn open({}…
left out: 1 more; raise `limit` or narrow",
            "x".repeat(92)
        );
        assert_eq!(format_symbols(&reply).0.join("\n"), expected);
    }

    #[test]
    fn callers_name_each_path_and_reason_once() {
        let caller = |name: &str, path: &str, at: u32, test: bool| {
            json!({ "symbol": name, "kind": "function", "path": path, "line": at - 1, "at": [at],
                "confidence": "high", "reason": "import", "test": test })
        };
        let reply: CallsReply = serde_json::from_value(json!({
            "definitions": [{ "symbol": "open", "kind": "function", "path": "a.rs", "line": 1 }],
            "callers": [
                caller("run", "b.rs", 5, false),
                caller("stop", "b.rs", 9, false),
                caller("test_open", "tests.rs", 3, true),
            ],
            "leftOut": ["3 more; raise `limit`"],
        }))
        .unwrap();
        let expected = "\
a.rs: open 1
callers, high: import:
b.rs: run 5, stop 9
callers, high: import, test:
tests.rs: test_open 3
left out: 3 more; raise `limit`";
        assert_eq!(format_calls(&reply).0.join("\n"), expected);
    }

    #[test]
    fn references_join_the_lines_of_one_definition() {
        let reference = |inside: &str, line: u32| {
            json!({ "path": "b.rs", "line": line, "as": "call", "inside": inside,
                "confidence": "high", "reason": "import" })
        };
        let reply: FindReferencesReply = serde_json::from_value(json!({
            "definitions": [{ "symbol": "open", "kind": "function", "path": "a.rs", "line": 1 }],
            "count": 3,
            "files": 1,
            "references": [reference("run", 4), reference("run", 7), reference("stop", 9)],
        }))
        .unwrap();
        let expected = "\
a.rs: open 1
3 references in 1 files
call, high: import:
b.rs: run 4 7, stop 9";
        assert_eq!(format_references(&reply).0.join("\n"), expected);
    }
}
