//! `ken grep`: the lines of this repository that contain a text or match a regular expression. It
//! asks `search_code_fulltext` about the collection of the root, and prints lines as grep does.

use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;
use serde_json::{Value, json};

use super::background_update::continue_updates;
use super::command_session::CommandSession;
use super::pager::{self, Pager};
use super::sanitize::escape_controls;
use super::{CommandResult, Exit, code_commands, printing, render};
use crate::ops::collections::collection_hit::CollectionHit;
use crate::ops::collections::search_code_fulltext;
use crate::ops::{OpError, Reply};

/// The most chunks that the operation returns.
const MAX_CHUNKS: usize = 1000;

/// Declares `ken grep`.
pub fn command() -> Command {
    let flag = |name: &'static str, short: char, help: &'static str| {
        Arg::new(name).long(name).short(short).action(ArgAction::SetTrue).help(help)
    };
    Command::new("grep")
        .about("Find text or a regular expression in the indexed files")
        .long_about(
            "Find text or a regular expression in the indexed files.\n\nTEXT is taken as it is. -e takes a \
             regular expression, which matches within a line. Lines are printed as `path:line: text`, in \
             the order of the files. Exits with 1 if nothing was found. Files that are not indexed \
             (`ken doctor` says why) are not searched.",
        )
        .after_help(
            "Examples:\n  ken grep 'return Err('\n  ken grep -i todo src/\n  \
             ken grep -w -e 'fn (get|set)_\\w+'\n  ken grep --files Session '**/*.ts'",
        )
        .arg(
            Arg::new("text")
                .value_name("TEXT")
                .required_unless_present("regexp")
                .help("The text to find"),
        )
        .arg(Arg::new("within").value_name("PATH").help("Only here: a folder, a file or a glob"))
        .arg(
            Arg::new("regexp")
                .short('e')
                .long("regexp")
                .value_name("REGEX")
                .help("A regular expression to find, in place of TEXT"),
        )
        .arg(flag("ignore-case", 'i', "Ignore the case of letters"))
        .arg(flag("word", 'w', "Match whole words only"))
        .arg(flag("files", 'l', "Print only the paths of files with a match"))
        .arg(flag("line-number", 'n', "Print line numbers, as it always does").hide(true))
        .arg(flag("fixed-strings", 'F', "Take TEXT as it is, as it always does").hide(true))
        .arg(
            Arg::new("language")
                .short('t')
                .long("language")
                .value_name("NAME")
                .help("Only files in this language"),
        )
        .arg(pager::flag())
}

/// A line with a match.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct GrepLine {
    /// The path below the root.
    path: String,
    /// The line's number, from 1.
    line: u32,
    /// The line's text.
    text: String,
}

/// Runs `ken grep`. It indexes the repository first if it is not indexed yet.
pub fn grep(matches: &ArgMatches) -> CommandResult {
    let session = CommandSession::open_to_ask(matches)?;
    code_commands::index_if_needed(&session)?;
    let (lines, is_cut) = find_lines(matches, &session)?;
    continue_updates(&session);
    if is_cut {
        printing::print_message(&format!(
            "warning: only the best {MAX_CHUNKS} places were searched; name a PATH to see the rest"
        ));
    }
    if session.form == render::OutputForm::Json {
        render::print_reply(&Reply::list(lines), session.form)?;
        return Ok(Exit::Ok);
    }
    if lines.is_empty() {
        return Ok(Exit::Failed);
    }
    let is_terminal = std::io::stdout().is_terminal();
    let text = if matches.get_flag("files") {
        let files: BTreeSet<&str> = lines.iter().map(|line| line.path.as_str()).collect();
        files.into_iter().map(escape_controls).collect::<Vec<_>>().join("\n")
    } else {
        format_lines(&lines, is_terminal)
    };
    match Pager::for_output(matches, &session, &text) {
        Some(pager) => pager.show(&text)?,
        None => printing::print_line(&text)?,
    }
    Ok(Exit::Ok)
}

/// Asks for code and for tests, because one call returns tests only if the index shows them.
fn find_lines(
    matches: &ArgMatches,
    session: &CommandSession,
) -> Result<(Vec<GrepLine>, bool), super::CommandError> {
    let name = code_commands::collection_name(session)?;
    let (text, mode) = search_text(matches)?;
    let mut found = BTreeMap::new();
    let mut is_cut = false;
    for is_test in [false, true] {
        let mut payload = json!({ "isTest": is_test });
        // With -e there is no TEXT, so that the first word is the path.
        let within = if matches.contains_id("regexp") { "text" } else { "within" };
        for (field, id) in [("filePath", within), ("filePath", "within"), ("language", "language")]
        {
            if let Some(value) = matches.get_one::<String>(id) {
                payload[field] = Value::from(value.as_str());
            }
        }
        let arguments = json!({
            "textQuery": text, "collectionName": name, "mode": mode,
            "top_k": MAX_CHUNKS, "payload": payload,
        });
        let reply = code_commands::call_with_bar(&search_code_fulltext::OP, &arguments, session)?;
        let hits: Vec<CollectionHit> = reply.into_list()?;
        is_cut |= hits.len() == MAX_CHUNKS;
        found.extend(hits.iter().flat_map(matching_lines));
    }
    let lines = found.into_iter().map(|((path, line), text)| GrepLine { path, line, text });
    Ok((lines.collect(), is_cut))
}

/// Returns the lines of a hit that match, by path and number.
fn matching_lines(hit: &CollectionHit) -> impl Iterator<Item = ((String, u32), String)> {
    let texts: Vec<&str> = hit.text.lines().collect();
    hit.match_lines.iter().map(move |line| {
        let place = line.checked_sub(hit.start_line).map(|place| place as usize);
        let text = place.and_then(|place| texts.get(place).copied()).unwrap_or_default();
        ((hit.file_path.clone(), *line), text.to_string())
    })
}

/// Returns the text for the operation, and its mode.
fn search_text(matches: &ArgMatches) -> Result<(String, &'static str), OpError> {
    let regex = matches.get_one::<String>("regexp");
    if regex.is_some() && matches.contains_id("within") {
        return Err(OpError::bad_argument("-e takes the place of TEXT: one PATH may follow")
            .hint("quote the expression for the shell"));
    }
    let text = matches.get_one::<String>("text").map(String::as_str).unwrap_or_default();
    let (ignores_case, is_word) = (matches.get_flag("ignore-case"), matches.get_flag("word"));
    if regex.is_none() && !ignores_case && !is_word {
        return Ok((text.to_string(), "exact"));
    }
    let expression = regex.cloned().unwrap_or_else(|| escape_regex(text));
    let pattern = if is_word { format!(r"\b(?:{expression})\b") } else { expression };
    let flags = if ignores_case { "(?i)" } else { "" };
    Ok((format!("{flags}{pattern}"), "regex"))
}

/// Escapes the characters that have a meaning in a regular expression.
fn escape_regex(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Formats `path:line: text`, with the place in bold on a terminal.
fn format_lines(lines: &[GrepLine], is_terminal: bool) -> String {
    let bold = render::colour_codes(is_terminal, "1");
    let lines = lines.iter().map(|GrepLine { path, line, text }| {
        let place = format!("{}{}:{line}{}", bold.0, escape_controls(path), bold.1);
        format!("{place}: {}", escape_controls(&text.replace('\t', "    ")))
    });
    lines.collect::<Vec<_>>().join("\n")
}
