//! Turns captured mentions into references and heritage, each with its name and the definition
//! around it. Receivers are abbreviated; imports are expanded to one reference per name.
//!
//! Nothing is resolved here: a reference says how it was written and where.

use super::abbreviate_expression;
use super::captures::{CapturedHeritage, CapturedReference, Captures};
use super::definitions::{ExtractedDefinition, is_variable};
use super::normalize_names::{collapse_whitespace, slice, split_path, strip_type_arguments};
use super::range_sweep::{ByteRange, RangeSweep};
use crate::chunk::LineIndex;
use crate::languages::Language;
use kenning_model::{Binding, ChunkKind, Heritage, HeritageKind, Reference, ReferenceKind};
use std::collections::HashSet;

/// Collects the references and the heritage of a file, in the order of the text. It takes the
/// captured references out of `captured`, to reuse their labels.
pub fn collect_references(
    language: &Language,
    lines: &LineIndex,
    captured: &mut Captures,
    definitions: &[ExtractedDefinition],
) -> (Vec<Reference>, Vec<Heritage>) {
    let ranges: Vec<ByteRange> = definitions.iter().map(ExtractedDefinition::range).collect();
    let mentions = std::mem::take(&mut captured.references);
    let mut references = Vec::with_capacity(mentions.len());
    let mut sweep = RangeSweep::new(&ranges);
    let mut awaited = RangeSweep::new(&captured.awaited_ranges);
    let mut closures = RangeSweep::new(&captured.closures);
    // The name of a definition is no reference to it. Both lists are in the order of the text, so
    // one pass over the names suffices.
    let mut names = captured.definitions.iter().map(|found| found.name.start);
    let mut name = names.next();
    for mut mentioned in mentions {
        let start = mentioned.name.start;
        // An `await` around a closure does not await the calls inside the closure.
        let waits =
            awaited.ranges_around(start).last().map(|&index| captured.awaited_ranges[index].start);
        let closure =
            closures.ranges_around(start).last().map(|&index| captured.closures[index].start);
        if mentioned.kind == ReferenceKind::Call && waits.is_some() && waits >= closure {
            mentioned.labels.push(Reference::AWAITED.to_string());
        }
        while name.is_some_and(|name| name < start) {
            name = names.next();
        }
        let around = sweep.ranges_around(start);
        let container = around.last().and_then(|&index| u32::try_from(index).ok());
        match mentioned.kind {
            ReferenceKind::Import | ReferenceKind::Export => {
                // An import inside of a variable's definition belongs to the scope of that
                // variable: `const a = require("a")`. An export belongs to the scope of its class:
                // `module.exports = class A {}`.
                let mut holders = around.iter().rev().filter(|&&index| {
                    let definition = &definitions[index];
                    !is_variable(definition.symbol.kind) && definition.name_start != start
                });
                let holder = holders.next().and_then(|&index| u32::try_from(index).ok());
                references.extend(expand_import(language, lines, &mentioned, holder));
            }
            _ if name == Some(start) => {}
            _ => references.extend(build_reference(language, lines, mentioned, container)),
        }
    }
    (references, collect_heritage(lines, captured, definitions, &ranges))
}

/// Removes bare words that are variables or parameters of the function around them.
pub fn remove_local_words(
    references: &mut Vec<Reference>,
    bindings: &[Binding],
    definitions: &[ExtractedDefinition],
) {
    if !references.iter().any(Reference::is_bare) {
        return;
    }
    let bound: HashSet<(Option<u32>, &str)> =
        bindings.iter().map(|binding| (binding.container, binding.name.as_str())).collect();
    let is_parameter = |word: &Reference| {
        let holder = word.container.and_then(|index| definitions.get(index as usize));
        holder.is_some_and(|holder| {
            holder.symbol.parameters.iter().any(|(name, _)| *name == word.name)
        })
    };
    references.retain(|word| {
        !word.is_bare()
            || !bound.contains(&(word.container, word.name.as_str())) && !is_parameter(word)
    });
}

/// Makes the reference for a mention other than an import. `None` if it is no call after all, or
/// has no name.
fn build_reference(
    language: &Language,
    lines: &LineIndex,
    mentioned: CapturedReference,
    inside: Option<u32>,
) -> Option<Reference> {
    if !can_be_call(language, lines.text(), &mentioned) {
        return None;
    }
    let whole = strip_type_arguments(slice(lines.text(), mentioned.name));
    let (before, name) = split_path(whole, language.separators);
    let receiver = mentioned
        .receiver
        .map(|range| slice(lines.text(), range))
        .or(before)
        .or_else(|| receiver_chain_before(lines.text(), mentioned.name.start as usize));
    let labels = if is_macro_call(language, lines.text(), &mentioned) {
        vec![language.macro_mark.to_string()]
    } else {
        mentioned.labels
    };
    (!name.is_empty()).then(|| Reference {
        name: name.to_string(),
        kind: mentioned.kind,
        receiver: receiver
            .map(|receiver| abbreviate_expression::abbreviate(receiver, &language.expressions)),
        labels,
        line: lines.line_of(mentioned.name.start),
        start_byte: mentioned.name.start,
        container: inside,
    })
}

/// True if a captured call can be a call: its name is not the qualifier of a path. The arguments of
/// a macro are not parsed, so `Foo` of `Foo::default()` is captured as well as `default`.
fn can_be_call(language: &Language, text: &str, mentioned: &CapturedReference) -> bool {
    let after = text.get(mentioned.name.end as usize..).unwrap_or_default();
    let is_path = after.starts_with('.') || after.starts_with("::") && !after.starts_with("::<");
    language.macro_mark.is_empty() || mentioned.kind != ReferenceKind::Call || !is_path
}

/// True if a mention calls a macro and no function. Both may have the same name.
fn is_macro_call(language: &Language, text: &str, mentioned: &CapturedReference) -> bool {
    let after = text.get(mentioned.name.end as usize..).unwrap_or_default();
    let can_be_macro = !language.macro_mark.is_empty() && mentioned.kind == ReferenceKind::Call;
    let arguments = after.strip_prefix(language.macro_mark).map(str::trim_start);
    can_be_macro && arguments.is_some_and(|arguments| arguments.starts_with(['(', '[', '{']))
}

/// Returns the chain of names and calls that ends in the dot before `start`. Arguments of macros
/// are not parsed, so no capture tells the receiver there. Empty if only the dot is written, as in
/// `.success(x)`.
fn receiver_chain_before(text: &str, start: usize) -> Option<&str> {
    let before = text.get(..start)?;
    let chain = before
        .strip_suffix("::")
        .or_else(|| before.strip_suffix('.').filter(|rest| !rest.ends_with('.')))?;
    let mut depth = 0usize;
    let mut from = chain.len();
    for (at, c) in chain.char_indices().rev() {
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' if depth == 0 => break,
            '(' | '[' => depth -= 1,
            _ if depth > 0 => {}
            '.' | ':' | '_' | '?' | '!' => {}
            c if c.is_alphanumeric() => {}
            _ => break,
        }
        if chain.len() - at > MAX_CHAIN_BYTES {
            return None;
        }
        from = at;
    }
    Some(chain[from..].trim_start_matches(['?', '!', ':']))
}

/// The longest chain, in bytes; a longer one is no receiver. It bounds the scan, which runs for
/// every call.
const MAX_CHAIN_BYTES: usize = 300;

/// Expands one captured import, which may name several things: `a::{b, c::d}`.
fn expand_import(
    language: &Language,
    lines: &LineIndex,
    mentioned: &CapturedReference,
    inside: Option<u32>,
) -> Vec<Reference> {
    let text = slice(lines.text(), mentioned.name);
    let from = mentioned.receiver.map(|range| strip_quotes(slice(lines.text(), range)));
    // An alias equal to the name is none. For a default import, both are the same range, and the
    // alias is real.
    let alias = mentioned
        .alias
        .filter(|range| range.start == mentioned.name.start || slice(lines.text(), *range) != text)
        .map(|range| slice(lines.text(), range));
    let import = |name: &str, receiver: Option<&str>, offset: usize, alias: Option<&str>| {
        let start_byte = mentioned.name.start + u32::try_from(offset).unwrap_or_default();
        Reference {
            name: name.to_string(),
            kind: mentioned.kind,
            receiver: receiver.map(collapse_whitespace),
            labels: alias.map(str::to_string).into_iter().collect(),
            line: lines.line_of(start_byte),
            start_byte,
            container: inside,
        }
    };
    // A path in quotes, or with its module captured, names one thing; there is nothing to expand.
    if from.is_some() || text.starts_with(['"', '\'', '<', '`']) {
        return vec![import(strip_quotes(text), from, 0, alias)];
    }
    expand_braces(text, language.self_import)
        .into_iter()
        .map(|found| {
            let (receiver, name) = split_path(&found.path, language.separators);
            import(name, receiver, found.offset, found.alias.as_deref().or(alias))
        })
        .collect()
}

/// Removes the quotes or angle brackets around the path of an import.
fn strip_quotes(text: &str) -> &str {
    text.trim().trim_matches(['"', '\'', '<', '>', '`'])
}

/// The deepest nesting of braces that is expanded. No real import nests like this.
const MAX_BRACE_DEPTH: usize = 32;

/// One path of an expanded import.
struct ImportPath {
    path: String,
    /// Byte offset in the import at which the last part is written.
    offset: usize,
    /// The name that the import gives it, after `as` or `=>`.
    alias: Option<String>,
}

/// Returns the paths that braces stand for. `self_import` is the word for the path before the
/// braces itself, such as `self` in `a::{self, b}`.
fn expand_braces(text: &str, self_import: &str) -> Vec<ImportPath> {
    let mut paths = Vec::new();
    // The prefix of each open brace; the outermost is empty.
    let mut prefixes = vec![String::new()];
    let mut from = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ',')]) {
        if !matches!(c, '{' | '}' | ',') {
            continue;
        }
        let part = &text[from..at];
        let untrimmed = part.strip_prefix("import ").unwrap_or(part);
        let prefix = prefixes.last().cloned().unwrap_or_default();
        let offset = from + (untrimmed.len() - untrimmed.trim_start().len());
        let word = untrimmed.trim();
        if c == '{' && prefixes.len() < MAX_BRACE_DEPTH {
            prefixes.push(format!("{prefix}{word}"));
        } else if !word.is_empty() {
            let renamed = word.split_once(" as ").or(word.split_once("=>"));
            let original = renamed.map_or(word, |(original, _)| original).trim();
            let path = if original == self_import {
                prefix.trim_end_matches([':', '.', '\\']).to_string()
            } else {
                format!("{prefix}{original}")
            };
            paths.push(ImportPath {
                path,
                offset,
                alias: renamed.map(|(_, alias)| alias.trim().to_string()),
            });
        }
        if c == '}' && prefixes.len() > 1 {
            prefixes.pop();
        }
        from = at + c.len_utf8().min(text.len() - at);
    }
    paths
}

/// Collects the heritage clauses of a file, each with its subject and its condition.
fn collect_heritage(
    lines: &LineIndex,
    captured: &Captures,
    definitions: &[ExtractedDefinition],
    ranges: &[ByteRange],
) -> Vec<Heritage> {
    // The condition of each definition, if one is written in its head.
    let mut conditions = vec![None; definitions.len()];
    // Conditions are collected first: every base of a definition is stored with its condition.
    let mut sweep = RangeSweep::new(ranges);
    for &condition in &captured.conditions {
        if let Some(&index) = sweep.ranges_around(condition.start).last()
            && definitions[index].body_start.is_none_or(|body| condition.start < body)
        {
            conditions[index] = Some(condition);
        }
    }
    let mut sweep = RangeSweep::new(ranges);
    let kept = captured.heritage.iter().filter_map(|inherited| {
        let around = sweep.ranges_around(inherited.base.start);
        let owner =
            around.iter().rev().copied().find(|&index| definitions[index].can_have_heritage());
        let text = lines.text();
        let owner_name = owner.map(|index| qualified_name(&definitions[index]));
        let written = inherited.subject.map(|range| {
            strip_type_arguments(slice(text, range).trim_matches(['(', ')'])).to_string()
        });
        let base = strip_type_arguments(slice(text, inherited.base));
        // The query captures each part of a path in an attribute; only the last part counts.
        if text[inherited.base.end as usize..].starts_with("::") {
            return None;
        }
        Some(Heritage {
            subject: written.or(owner_name)?,
            base: (!base.is_empty()).then(|| base.to_string())?,
            kind: heritage_kind(inherited, owner.map(|index| &definitions[index])),
            condition: owner
                .and_then(|index| conditions[index])
                .map(|range| collapse_whitespace(slice(text, range))),
            line: lines.line_of(inherited.subject.unwrap_or(inherited.base).start),
        })
    });
    kept.collect()
}

/// The name of a type with its scope. The name of an extension may have been written as a path.
fn qualified_name(definition: &ExtractedDefinition) -> String {
    match &definition.symbol.scope {
        Some(scope) => format!("{scope}.{}", definition.symbol.name),
        None => definition.symbol.name.clone(),
    }
}

/// A clause in an extension is one by extension, however it is written.
fn heritage_kind(
    inherited: &CapturedHeritage,
    owner: Option<&ExtractedDefinition>,
) -> HeritageKind {
    let in_extension = owner.is_some_and(|owner| owner.symbol.kind == ChunkKind::Extension);
    match inherited.kind {
        HeritageKind::Declared if in_extension => HeritageKind::Extension,
        kind => kind,
    }
}
