//! Source code for a model: the text verbatim below a line with its place.

use super::Lines;
use crate::ops::code::code_research::{CodeResearchReply, Passage};
use crate::ops::code::get_symbol::{GetSymbolReply, SymbolDetails};
use crate::ops::code::search_code::{CodeHit, SearchCodeReply};

/// Formats definitions: place, counts, signature and code.
pub fn format_definitions(reply: &GetSymbolReply) -> Lines {
    let mut lines = Lines::default();
    lines.add_labelled("note", reply.note.as_deref());
    for one in &reply.definitions {
        add_definition(&mut lines, one);
    }
    lines.add_joined("changed since indexed", &reply.trust.stale);
    lines.add_labelled("notice", reply.trust.notice.as_deref());
    lines
}

/// Adds a definition.
fn add_definition(lines: &mut Lines, one: &SymbolDetails) {
    let symbol = &one.symbol;
    let mut head = format!(
        "@@ {}:{}-{} {} {}",
        symbol.path, one.start_line, one.end_line, symbol.kind, symbol.symbol
    );
    let counts = [
        ("callers", one.callers),
        ("references", one.references),
        ("implementations", one.implementations),
    ];
    for (name, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        head += &format!(", {name} {count}");
    }
    head += if symbol.test { ", test" } else { "" };
    lines.add(head);
    lines.add_joined("kind of", &one.kind_of);
    if !one.content.is_empty() {
        lines.add(&*one.content);
    } else if let Some(signature) = &one.signature {
        lines.add(&**signature);
    }
    if let Some(next) = one.next_line {
        let (place, first) = (format!("{}:{}", symbol.path, symbol.line), one.start_line);
        let shown = one.content_line.unwrap_or(first);
        lines.add_sentence(format!(
            "… lines {shown}-{} of {first}-{} are shown; the rest: \
             get_symbol {{\"symbol\": \"{place}\", \"first_line\": {next}}}",
            next - 1,
            one.end_line
        ));
    }
    lines.add_list("members", &one.members);
    if one.more_members > 0 {
        lines.add(format!("… {} more members", one.more_members));
    }
}

/// Formats hits, best first.
pub fn format_hits(reply: &SearchCodeReply) -> Lines {
    let mut lines = Lines::default();
    lines.add_labelled("notice", reply.notice.as_deref());
    if reply.results.is_empty() {
        lines.add("nothing found");
    }
    for hit in &reply.results {
        add_hit(&mut lines, hit);
    }
    lines
}

/// Adds a hit.
fn add_hit(lines: &mut Lines, hit: &CodeHit) {
    let names = hit.scope.iter().chain(&hit.symbol);
    let name = names.map(String::as_str).collect::<Vec<_>>().join(".");
    let mut head =
        format!("@@ {}:{}-{} {} {name}", hit.path, hit.start_line, hit.end_line, hit.kind);
    head.truncate(head.trim_end().len());
    head += if hit.stale { ", changed since indexed" } else { "" };
    lines.add(head);
    lines.add(hit.content.trim_end_matches('\n'));
    lines.add_list("members", &hit.outline);
}

/// Formats an answer of `code_research`: source first, then its relations, then the outline.
pub fn format_research(reply: &CodeResearchReply) -> Lines {
    let mut lines = Lines::default();
    lines.add_labelled("note", reply.note.as_deref());
    lines.add_labelled("notice", reply.notice.as_deref());
    for file in &reply.code {
        lines.add(&*file.path);
        for one in &file.definitions {
            let symbol = if one.symbol.is_empty() { "text" } else { &one.symbol };
            lines.add(format!("@@ {symbol} {}", one.lines));
            lines.add(&*one.content);
        }
    }
    lines.add_list("calls", &reply.calls);
    lines.add_list("called from", &reply.called_by);
    lines.add_list("tests", &reply.tests);
    lines.add_list("requirements", &reply.requirements);
    let title = if reply.code.is_empty() { reply.took.as_str() } else { "uses" };
    lines.add_list(title, &reply.outline);
    lines.add_list("chains", &reply.chains);
    lines.add_list("dependencies", &reply.dependency_graph);
    if reply.code.is_empty() {
        lines.add_labelled("confidence", reply.confidence.as_deref());
    }
    lines.add_list("unresolved lines that name it", &reply.unresolved);
    lines.add_joined("skipped files", &reply.skipped_files);
    for passage in &reply.read {
        let Passage { path, start_line, end_line, content } = passage;
        lines.add(format!("@@ {path}:{start_line}-{end_line}"));
        lines.add(&**content);
    }
    lines.add_joined("left out", &reply.left_out);
    lines.add_joined("changed since indexed", &reply.stale);
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cut_definition_names_the_call_that_continues_it() {
        let reply: GetSymbolReply = serde_json::from_value(json!({ "definitions": [{
            "symbol": "run", "kind": "function", "path": "a.rs", "line": 3,
            "startLine": 2, "endLine": 90, "callers": 1, "references": 1, "implementations": 0,
            "moreLines": 87, "nextLine": 4, "content": "#[test]\nfn run() {",
        }] }))
        .unwrap();
        let expected = "\
@@ a.rs:2-90 function run, callers 1, references 1
#[test]
fn run() {
… lines 2-3 of 2-90 are shown; the rest: get_symbol {\"symbol\": \"a.rs:3\", \"first_line\": 4}";
        assert_eq!(format_definitions(&reply).0.join("\n"), expected);
    }

    #[test]
    fn an_answer_begins_with_the_source() {
        let reply: CodeResearchReply = serde_json::from_value(json!({
            "walk": "search", "took": "a search", "outline": ["run  function  a.rs:1"],
            "code": [{ "path": "a.rs", "definitions": [
                { "symbol": "run", "lines": "1-3", "content": "fn run() {\n    open();\n}" }
            ] }],
            "calls": ["run → open 2"],
            "leftOut": ["what lies beyond 2 levels; raise `depth`"],
        }))
        .unwrap();
        let expected = "\
a.rs
@@ run 1-3
fn run() {
    open();
}
calls:
run → open 2
uses:
run  function  a.rs:1
left out: what lies beyond 2 levels; raise `depth`";
        assert_eq!(format_research(&reply).0.join("\n"), expected);
    }
}
