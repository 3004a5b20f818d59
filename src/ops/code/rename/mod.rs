//! `rename`: a patch that renames a definition. Nothing is changed: the caller reads the patch and
//! applies it.
//!
//! `graph::rename_sites` finds the places and their certainty; `patch` writes them down.

mod patch;

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::{Reliability, SymbolRef, find_definitions, query_graph};
use crate::graph::{
    Definition, FileNameSites, Graph, NameCertainty, NameSite, NameSites, qualified_name,
};
use crate::ops::number_format::count_noun;
use crate::ops::{
    Args, Call, ErrorKind, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};

/// Replies with a [`RenameReply`].
pub static OP: OpEntry = OpEntry {
    name: "rename",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "Propose a rename as a patch for `git apply`, and change nothing. The patch has the \
              definition, what overrides or implements it, and every reference that certainly means \
              it. Places that only probably mean it are listed, and are in the patch with \
              `include: probable`; mentions in comments, strings and documents are listed.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<RenameArgs>),
    reply: ReplyType::of::<RenameReply>(),
    examples: &[
        "ken rename Session.login sign_in --dry-run",
        "ken rename src/session.rs:42 sign_in --include probable",
    ],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct RenameArgs {
    /// A name, Type.member, or path:line of the definition
    symbol: String,
    /// The new name, without its type
    new_name: String,
    /// The places that the patch changes
    #[serde(default)]
    include: Include,
    /// Only show the patch, which is all that this operation ever does
    #[serde(default, rename = "dry_run")]
    _dry_run: bool,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

/// The places that a patch changes.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Include {
    #[default]
    Certain,
    Probable,
}

/// The reply of `rename`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RenameReply {
    /// The definitions that are renamed together.
    pub definitions: Vec<SymbolRef>,
    /// The name that they get.
    pub new_name: String,
    /// The number of changed places.
    pub edits: usize,
    /// The number of changed files.
    pub files: usize,
    /// Places in code that probably mean the definition and are not changed, as `path:line text`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probable: Vec<String>,
    /// Places in comments, strings and documents, as `path:line text`. They are never changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub text_only: Vec<String>,
    /// Lists that were cut, and files that were not read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The patch, as `git apply` takes it in the root.
    pub patch: String,
    /// Freshness of the files.
    #[serde(flatten)]
    pub trust: Reliability,
}

/// The most places of each list.
const MAX_LISTED: usize = 40;

/// The most characters of a listed line.
const MAX_LINE: usize = 120;

/// Finds the places of a definition, and writes the patch.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: RenameArgs = args.parse()?;
    let index = call.code(arguments.path.as_deref())?;
    let (family, sites) = query_graph(&index, |graph| {
        let definitions = find_definitions(graph, &index, &arguments.symbol)?.definitions;
        let family = choose_family(graph, &definitions)?;
        check_new_name(graph, &family, &arguments.new_name)?;
        let sites = graph.find_name_sites(&family)?;
        Ok((family, sites))
    })?;
    if sites.files.is_empty() && sites.unread > 0 {
        let files = count_noun(sites.unread, "file");
        let message = format!("{files} contain that name, which is too many for one patch");
        return Err(OpError::bad_argument(message));
    }
    let trust = Reliability::check(&index, sites.files.iter().map(|file| &file.path))?;
    if !trust.stale.is_empty() {
        let message = format!("files changed meanwhile: {}", trust.stale.join(", "));
        return Err(OpError::new(ErrorKind::Conflict, message).hint("ask again"));
    }
    Ok(Reply::object(build_reply(&arguments, &family, &sites, trust)))
}

/// Writes the patch, and lists the places that it leaves out.
fn build_reply(
    arguments: &RenameArgs,
    family: &[Definition],
    sites: &NameSites,
    trust: Reliability,
) -> RenameReply {
    let lowest = match arguments.include {
        Include::Certain => NameCertainty::Certain,
        Include::Probable => NameCertainty::Probable,
    };
    let is_changed = |site: &NameSite| site.certainty >= lowest;
    let edits = |file: &FileNameSites| file.sites.iter().filter(|site| is_changed(site)).count();
    let changed: Vec<&FileNameSites> = sites.files.iter().filter(|file| edits(file) > 0).collect();
    let old_name = &family[0].symbol.name;
    let (probable, more_probable) = match arguments.include {
        Include::Certain => list_places(&sites.files, NameCertainty::Probable),
        Include::Probable => (Vec::new(), 0),
    };
    let (text_only, more_text) = list_places(&sites.files, NameCertainty::TextOnly);
    let counts = [
        (more_probable, "more probable place"),
        (more_text, "more mention"),
        (sites.unread, "unread file"),
    ];
    let left_out = counts.into_iter().filter(|(count, _)| *count > 0);
    let mut left_out: Vec<String> = left_out.map(|(count, noun)| count_noun(count, noun)).collect();
    if changed.iter().any(|file| file.text.contains("\r\n")) {
        let remark = "a terminal drops carriage returns: use `git apply --ignore-whitespace`, or \
                      the patch of --json";
        left_out.push(remark.to_string());
    }
    RenameReply {
        definitions: family.iter().map(SymbolRef::from_definition).collect(),
        new_name: arguments.new_name.clone(),
        edits: changed.iter().map(|file| edits(file)).sum(),
        files: changed.len(),
        probable,
        text_only,
        left_out,
        patch: patch::write_patch(&changed, old_name, &arguments.new_name, is_changed),
        trust,
    }
}

/// Returns all definitions that are renamed together with one. Fails if the name means several that
/// have nothing to do with each other.
fn choose_family(graph: &Graph, definitions: &[Definition]) -> Result<Vec<Definition>, OpError> {
    let first = &definitions[..1];
    let family = graph.rename_family(first)?;
    let key = |one: &Definition| (one.path.clone(), qualified_name(&one.symbol));
    let overloads = definitions.iter().filter(|one| key(one) == key(&first[0]));
    let others = definitions.iter().filter(|one| {
        key(one) != key(&first[0]) && family.iter().all(|known| known.target != one.target)
    });
    let others: Vec<String> = others.map(format_place).collect();
    if others.is_empty() {
        let overloads: Vec<Definition> = overloads.cloned().collect();
        return Ok(graph.rename_family(&overloads)?);
    }
    let message = format!(
        "several definitions have that name: {}, {}",
        format_place(&first[0]),
        others.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ")
    );
    Err(OpError::new(ErrorKind::Ambiguous, message).hint("name one as Type.member or path:line"))
}

/// Formats a definition as `Session.login at src/session.rs:42`.
fn format_place(one: &Definition) -> String {
    format!("{} at {}:{}", qualified_name(&one.symbol), one.path, one.symbol.line)
}

/// Fails if the new name is no identifier, or if a neighbour already has it.
fn check_new_name(graph: &Graph, family: &[Definition], new_name: &str) -> Result<(), OpError> {
    let is_word = new_name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    if new_name.is_empty() || !is_word || new_name.starts_with(|c: char| c.is_ascii_digit()) {
        let message = format!("{new_name:?} is no identifier: use letters, digits and _");
        return Err(OpError::bad_argument(message));
    }
    if family.iter().any(|one| one.symbol.name == new_name) {
        return Err(OpError::bad_argument("the new name is the old one"));
    }
    // The lookup also finds other capitals, which are another name here.
    let same_name = |one: &Definition| one.symbol.name == new_name;
    for named in graph.locate(new_name)?.into_iter().filter(same_name) {
        let owner = graph.owner(&named)?.map(|owner| owner.target);
        for one in family.iter().filter(|one| one.path == named.path) {
            if graph.owner(one)?.map(|owner| owner.target) == owner {
                let message = format!("{} already exists", format_place(&named));
                return Err(OpError::new(ErrorKind::Ambiguous, message)
                    .hint("choose another name, or rename that definition first"));
            }
        }
    }
    Ok(())
}

/// Returns the places of one certainty as `path:line text`, and the number of those not listed.
fn list_places(files: &[FileNameSites], certainty: NameCertainty) -> (Vec<String>, usize) {
    let places: Vec<(&FileNameSites, &NameSite)> = files
        .iter()
        .flat_map(|file| file.sites.iter().map(move |site| (file, site)))
        .filter(|(_, site)| site.certainty == certainty)
        .collect();
    let listed = places.iter().take(MAX_LISTED).map(|(file, site)| {
        let line = file.text.lines().nth(site.line as usize - 1).unwrap_or_default();
        let text: Cow<str> = line.trim().chars().take(MAX_LINE).collect::<String>().into();
        format!("{}:{} {text}", file.path, site.line)
    });
    let listed: Vec<String> = listed.collect();
    let rest = places.len() - listed.len();
    (listed, rest)
}

/// Formats a reply for people and for models: a report in comment lines, which `git apply` skips,
/// then the patch.
pub fn to_text(reply: &RenameReply) -> String {
    let mut lines: Vec<String> = Vec::new();
    let names: Vec<String> = reply
        .definitions
        .iter()
        .map(|one| format!("{} at {}:{}", one.symbol, one.path, one.line))
        .collect();
    lines.push(format!("# Renames {} to {}", names.join(", "), reply.new_name));
    let (edits, files) = (count_noun(reply.edits, "place"), count_noun(reply.files, "file"));
    lines.push(format!(
        "# {edits} in {files}; nothing is changed yet: apply this text with `git apply`"
    ));
    let lists = [
        ("Probably means it, not in the patch; `include: probable` adds it", &reply.probable),
        ("Text that contains the name, not in the patch", &reply.text_only),
        ("Left out", &reply.left_out),
    ];
    for (heading, places) in lists {
        if !places.is_empty() {
            lines.push(format!("# {heading}:"));
            lines.extend(places.iter().map(|place| format!("#   {place}")));
        }
    }
    lines.extend(reply.trust.notice.iter().map(|notice| format!("# {notice}")));
    format!("{}\n{}", lines.join("\n"), reply.patch)
}
