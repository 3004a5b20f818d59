//! `history`: the commits that changed a definition, and the files that changed with it.
//!
//! Git follows the lines of the definition back through its commits. Each question asks git for a
//! few commits, so nothing about the history is stored.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::{
    NameMatch, Reliability, SymbolRef, find_definitions, join_notes, query_graph,
};
use crate::engine::{BaseError, CodeIndex, LineCommit, LineHistory, LinesOfFile};
use crate::graph::Definition;
use crate::ops::number_format::count_noun;
use crate::ops::{
    Args, Call, ErrorKind, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};

/// Replies with a [`HistoryReply`]. It needs git.
pub static OP: OpEntry = OpEntry {
    name: "history",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "The commits that changed a definition, newest first, as git follows its lines (also over \
              renames of the file): date, author, message, and the files that most often changed in \
              the same commits. Says if the definition has changes that are not committed.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<HistoryArgs>),
    reply: ReplyType::of::<HistoryReply>(),
    examples: &["ken history Session.login", "ken history src/session.rs:42 --limit 3"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct HistoryArgs {
    /// A name, Type.member, or path:line of a place within it
    symbol: String,
    /// How many commits of each definition to list
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 100))]
    limit: usize,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

/// The default number of commits.
fn default_limit() -> usize {
    10
}

/// The reply of `history`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryReply {
    /// The definitions, likeliest first.
    pub definitions: Vec<DefinitionHistory>,
    /// A remark about the name, or about definitions that are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Freshness of the files.
    #[serde(flatten)]
    pub trust: Reliability,
}

/// The history of one definition.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionHistory {
    /// Name, kind and place.
    #[serde(flatten)]
    pub symbol: SymbolRef,
    /// True if the definition has changes that are not committed, or is not committed at all.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub uncommitted: bool,
    /// The commits, newest first.
    pub commits: Vec<CommitRow>,
    /// True if there are older commits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_older: bool,
    /// The files that most often changed in the listed commits, each as `3 src/session.rs`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_with: Vec<String>,
}

/// One commit.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommitRow {
    /// The beginning of the id.
    pub commit: String,
    /// The author's date, such as `2026-03-31`.
    pub date: String,
    /// The author's name.
    pub author: String,
    /// The first line of the message.
    pub subject: String,
    /// The number of files that it changed.
    pub files: usize,
}

/// The most definitions of one name that git is asked about.
const MAX_DEFINITIONS: usize = 4;

/// The most files that are named as changed together with a definition.
const MAX_FILES: usize = 6;

/// A commit with more files is a mass edit, which relates none of them.
const MAX_COMMIT_FILES: usize = 40;

/// The hex digits of a commit that are shown. Twelve are unique in any repository.
const SHOWN_ID: usize = 12;

/// Finds the definitions, and asks git about the lines of each.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: HistoryArgs = args.parse()?;
    let index = call.code(arguments.path.as_deref())?;
    let NameMatch { definitions, note } =
        query_graph(&index, |graph| find_definitions(graph, &index, &arguments.symbol))?;
    let asked = &definitions[..definitions.len().min(MAX_DEFINITIONS)];
    let histories = asked.iter().map(|one| {
        let history = ask_git(call, &index, one, arguments.limit)?;
        Ok(definition_history(one, history))
    });
    let histories: Result<Vec<DefinitionHistory>, OpError> = histories.collect();
    let left_out = definitions.len() - asked.len();
    let left_out_note = (left_out > 0).then(|| {
        format!("{left_out} more definitions of that name: name one as Type.member or path:line")
    });
    Ok(Reply::object(HistoryReply {
        definitions: histories?,
        note: join_notes([note, left_out_note]),
        trust: Reliability::check(&index, asked.iter().map(|one| &one.path))?,
    }))
}

/// Asks git for the commits that changed the lines of a definition.
fn ask_git(
    call: &Call,
    index: &CodeIndex,
    definition: &Definition,
    limit: usize,
) -> Result<LineHistory, OpError> {
    let span = &definition.symbol.span;
    let lines = LinesOfFile { path: &definition.path, first: span.start_line, last: span.end_line };
    call.engine.line_history(index, lines, limit).map_err(|error| match error {
        BaseError::NoRepository => OpError::new(
            ErrorKind::NotFound,
            "there is no history: this is no git repository, or it has no commit",
        )
        .hint("get_symbol shows the definition itself"),
        _ => OpError::new(ErrorKind::NotFound, "git failed, or took longer than 20 seconds")
            .hint("is git installed? `ken doctor` checks it"),
    })
}

/// Converts the history of a definition to its wire form.
fn definition_history(definition: &Definition, history: LineHistory) -> DefinitionHistory {
    DefinitionHistory {
        symbol: SymbolRef::from_definition(definition),
        uncommitted: history.is_edited,
        changed_with: files_changed_with(definition, &history.commits),
        commits: history.commits.into_iter().map(commit_row).collect(),
        has_older: history.has_older,
    }
}

/// Converts a commit to its wire form.
fn commit_row(commit: LineCommit) -> CommitRow {
    CommitRow {
        commit: commit.id.chars().take(SHOWN_ID).collect(),
        date: commit.date,
        author: commit.author,
        subject: commit.subject,
        files: commit.files.len(),
    }
}

/// Counts the other files of the commits, and returns the most frequent ones.
fn files_changed_with(definition: &Definition, commits: &[LineCommit]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for commit in commits.iter().filter(|commit| commit.files.len() <= MAX_COMMIT_FILES) {
        for path in commit.files.iter().filter(|path| **path != definition.path) {
            *counts.entry(path.as_str()).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(path, count)| (std::cmp::Reverse(*count), *path));
    counts.iter().take(MAX_FILES).map(|(path, count)| format!("{count} {path}")).collect()
}

/// Formats a reply for people and for models: a line for each commit below the definition.
pub fn to_text(reply: &HistoryReply) -> String {
    let mut lines: Vec<String> = Vec::new();
    for one in &reply.definitions {
        let SymbolRef { path, line, kind, symbol, .. } = &one.symbol;
        let edited = if one.uncommitted { ", with uncommitted changes" } else { "" };
        lines.push(format!("{path}:{line} {kind} {symbol}{edited}"));
        if one.commits.is_empty() {
            lines.push("  not committed yet".to_string());
        }
        let shown = one.commits.iter().map(|commit| {
            let CommitRow { commit, date, author, subject, files } = commit;
            let files = count_noun(*files, "file");
            format!("  {commit} {date} {author}: {subject} ({files})")
        });
        lines.extend(shown);
        if one.has_older {
            lines.push("  … older commits: raise `limit`".to_string());
        }
        if !one.changed_with.is_empty() {
            lines.push(format!("  changed with: {}", one.changed_with.join("; ")));
        }
    }
    lines.extend(reply.note.iter().map(|note| format!("note: {note}")));
    lines.extend(reply.trust.notice.iter().map(|notice| format!("notice: {notice}")));
    lines.join("\n")
}
