//! `hint`: a few lines about a text that somebody searches for, or a file that they read. Search
//! hooks of agents ask it, so it answers within `BUDGET` from the index as it is. It returns no
//! line rather than an uncertain one.

use std::sync::LazyLock;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::{place_and_name, query_graph};
use crate::engine::CodeIndex;
use crate::graph::{Definition, Graph, qualified_name};
use crate::ops::number_format::count_noun;
use crate::ops::{
    Args, Call, ErrorKind, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_model::{ChunkKind, RepoPath};

/// Replies with a [`HintReply`]. It never indexes and never waits for an update.
pub static OP: OpEntry = OpEntry {
    name: "hint",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "A few lines about a text that is searched for or a file that is read: where the names in \
              it are defined and how many callers they have. For hooks; it may say nothing.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<HintArgs>),
    reply: ReplyType::of::<HintReply>(),
    examples: &["ken hint --text parseUrl", "ken hint --file src/session.rs"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct HintArgs {
    /// The text or regular expression that is searched for
    text: Option<String>,
    /// The file that is read; a path below the root or an absolute one
    file: Option<String>,
}

/// The reply of `hint`.
#[derive(Debug, Serialize, Deserialize)]
pub struct HintReply {
    /// The lines; none if there is nothing good to say.
    pub lines: Vec<String>,
}

/// The time after which no further fact is looked up. An agent waits for the answer.
const BUDGET: Duration = Duration::from_millis(20);

/// The most names of a text. A text with more is prose.
const MAX_NAMES: usize = 6;

/// A name with more definitions is a common word.
const MAX_DEFINITIONS: usize = 6;

/// The definitions of one name that are listed.
const SHOWN_DEFINITIONS: usize = 3;

/// The shortest name. Shorter ones are mostly loop variables.
const MIN_NAME: usize = 3;

/// The definitions of a file whose callers are counted, and those that are listed.
const COUNTED: usize = 40;
const LISTED: usize = 5;

/// The characters of a signature, and of all lines: less than 400 tokens.
const MAX_SIGNATURE: usize = 120;
const MAX_CHARACTERS: usize = 1200;

/// Looks up the names of the text, or the definitions of the file.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let HintArgs { text, file } = args.parse()?;
    // Without an index there are no facts, and a hook must not start indexing.
    let index = match call.engine.code(None) {
        Ok(index) => index,
        Err(_) => return Ok(Reply::object(HintReply { lines: Vec::new() })),
    };
    let lines = match (text, file) {
        (Some(text), None) => {
            query_graph(&index, |graph| hint_for_text(call, graph, &index, &text))
        }
        (None, Some(file)) => {
            query_graph(&index, |graph| hint_for_file(call, graph, &index, &file))
        }
        _ => Err(OpError::new(ErrorKind::BadArgument, "give `text` or `file`, not both")),
    };
    Ok(Reply::object(HintReply { lines: limit_lines(lines?) }))
}

/// Keeps the lines that fit the budget of characters.
fn limit_lines(lines: Vec<String>) -> Vec<String> {
    let mut left = MAX_CHARACTERS;
    let kept = lines.into_iter().map_while(|line| {
        left = left.checked_sub(line.chars().count() + 1)?;
        Some(line)
    });
    kept.collect()
}

/// Returns the names in a text or regular expression, each once.
fn names_in(text: &str) -> Vec<String> {
    // `\b` and `\s` are no letters of a name.
    let mut plain = String::new();
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '\\' => {
                let _ = letters.next();
                plain.push(' ');
            }
            c => plain.push(c),
        }
    }
    let words = plain.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut names: Vec<String> = Vec::new();
    for word in words.filter(|word| word.chars().count() >= MIN_NAME) {
        if !word.starts_with(|c: char| c.is_ascii_digit()) && !names.iter().any(|one| one == word) {
            names.push(word.to_string());
        }
    }
    names
}

/// Describes the definitions of each name. Names without one are skipped.
fn hint_for_text(
    call: &Call,
    graph: &Graph,
    index: &CodeIndex,
    text: &str,
) -> Result<Vec<String>, OpError> {
    let names = names_in(text);
    let mut lines = Vec::new();
    if names.len() > MAX_NAMES {
        return Ok(lines);
    }
    for name in names {
        // The first fact is always looked up: without it the time was spent for nothing.
        if !lines.is_empty() && call.asked_at.elapsed() > BUDGET {
            break;
        }
        let mut found = graph.find_definitions(&name)?;
        found.retain(is_code);
        if found.is_empty() || found.len() > MAX_DEFINITIONS {
            continue;
        }
        let found = graph.rank_candidates(found)?;
        let stale = index.find_changed(found.iter().map(|one| &one.path))?;
        // A line number of a changed file would mislead.
        for one in found.iter().filter(|one| !stale.contains(&one.path)).take(SHOWN_DEFINITIONS) {
            lines.push(describe_definition(graph, one)?);
        }
    }
    Ok(lines)
}

/// True for a definition of code: no heading, no entry of a data file.
fn is_code(one: &Definition) -> bool {
    use ChunkKind::{Document, Entry, Extension, Module, Section};
    !matches!(one.symbol.kind, Section | Entry | Document | Extension | Module)
}

/// Formats `src/session.rs:12 Session.login (method): fn login(&self) — 4 callers, 2 in tests`.
fn describe_definition(graph: &Graph, one: &Definition) -> Result<String, OpError> {
    let written = one.symbol.signature.as_deref().unwrap_or_default();
    let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
    let signature: String = written.chars().take(MAX_SIGNATURE).collect();
    let signature = if signature.is_empty() { signature } else { format!(": {signature}") };
    let users = if one.is_type() { graph.references(one)? } else { graph.callers(one)? };
    let in_tests = users.iter().filter(|link| link.site.is_test).count();
    let noun = if one.is_type() { "use" } else { "call" };
    let count = match (users.len(), in_tests) {
        (0, _) => format!("no {noun} is known"),
        (count, 0) => count_noun(count, noun),
        (count, tests) => format!("{}, {tests} in tests", count_noun(count, noun)),
    };
    let kind = one.symbol.kind.as_str();
    Ok(clean(&format!("{} ({kind}){signature} — {count}", place_and_name(one))))
}

/// Lists the definitions of a file that other files use, most used first.
fn hint_for_file(
    call: &Call,
    graph: &Graph,
    index: &CodeIndex,
    file: &str,
) -> Result<Vec<String>, OpError> {
    let path = file.strip_prefix(&*index.collection.root.to_string_lossy()).unwrap_or(file);
    let Some(path) = RepoPath::new(path.trim_start_matches(['/', '\\'])) else {
        return Ok(Vec::new());
    };
    if !index.find_changed([&path])?.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = graph.definitions_in_file(&path)?;
    found.retain(|one| is_code(one) && !one.symbol.is_test);
    let mut used = Vec::new();
    for one in found.iter().take(COUNTED) {
        if !used.is_empty() && call.asked_at.elapsed() > BUDGET {
            break;
        }
        let links = if one.is_type() { graph.references(one)? } else { graph.callers(one)? };
        let mut files: Vec<&RepoPath> = links.iter().map(|link| &link.site.path).collect();
        files.retain(|other| **other != path);
        files.sort();
        files.dedup();
        used.push((files.len(), one));
    }
    used.retain(|(files, _)| *files > 0);
    used.sort_by_key(|(files, one)| (std::cmp::Reverse(*files), one.symbol.line));
    if used.is_empty() {
        return Ok(Vec::new());
    }
    let names = used.iter().take(LISTED).map(|(files, one)| {
        let name = qualified_name(&one.symbol);
        format!("{name} (line {}, in {})", one.symbol.line, count_noun(*files, "file"))
    });
    let names = names.collect::<Vec<_>>().join(", ");
    Ok(vec![clean(&format!("Used by other files from {path}: {names}"))])
}

/// Removes control characters: a repository chooses names.
fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_out_of_texts_and_expressions() {
        for (text, expected) in [
            ("parseUrl", &["parseUrl"][..]),
            (r"\bparse_url\(", &["parse_url"]),
            ("login|logout", &["login", "logout"]),
            (r"fn\s+go", &[]),
            ("a.b = 12345 login login", &["login"]),
            ("", &[]),
        ] {
            assert_eq!(names_in(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_end_at_the_budget() {
        let long = "x".repeat(500);
        assert_eq!(limit_lines(vec![long.clone(), long.clone(), long]).len(), 2);
    }
}
