//! C. Its query, visibility rule and preprocessor also serve C++; the first two serve Objective-C.
//! A header is read as C only if neither of these two claims it.

mod macro_functions;
pub(super) mod preprocessor;
pub(super) mod resolution_rules;

use super::{BASE, DeclarationHead, Language, Redeclarations, UsageRules};
use kenning_model::{ChunkKind, Symbol, Visibility};
use macro_functions::rewrite_macro_definitions;
use preprocessor::{blank_export_macros, blank_preprocessor};

/// Names that begin with two underscores belong to the compiler and its libraries.
pub(super) const USAGE: UsageRules = UsageRules {
    entry_prefixes: &["__"],
    is_used_by_text: has_linker_attribute,
    ..UsageRules::MAIN
};

/// True if an attribute or a macro with arguments stands before the name, as in
/// `ATTR(constructor)`. The loader or the linker may then use the definition.
fn has_linker_attribute(text: &str, symbol: &Symbol) -> bool {
    const WORDS: &[&str] =
        &["__attribute__", "constructor", "destructor", "[[", "section(", "__used", "__init"];
    let name_line = symbol.line.saturating_sub(1) as usize;
    let lines = text.lines().skip(name_line.saturating_sub(2)).take(name_line.min(2) + 1);
    // The lines above count only if they belong to this declaration.
    let head = lines.fold(String::new(), |head, line| {
        if line.trim().is_empty() || line.starts_with(['}', '#', '/', ' ']) || line.ends_with(';') {
            String::new()
        } else {
            head + line + "\n"
        }
    });
    let is_macro = |line: &str| {
        let name = line.split('(').next().unwrap_or_default();
        let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        line.contains('(') && name.len() > 2 && name.chars().all(is_capital)
    };
    WORDS.iter().any(|word| head.contains(word)) || head.lines().any(is_macro)
}

/// The language. It comes after C++ and Objective-C in the registry, which share its headers.
pub static C: Language = Language {
    name: "c",
    extensions: &["c", "h"],
    grammar: || tree_sitter_c::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    visibility: static_visibility,
    prepare_source: Some(prepare_source),
    simplifications: &[blank_preprocessor],
    usage: USAGE,
    generated_endings: &[".pb.h"],
    directory_stems: &["main"],
    redeclarations: Redeclarations::Prototypes,
    resolution: &resolution_rules::RULES,
    ..BASE
};

/// Rewrites what the grammar misreads without an error: macros before the names of types, functions
/// that macros define, attribute macros after types.
pub(super) fn prepare_source(text: &str) -> Option<String> {
    let bare = blank_export_macros(text);
    rewrite_macro_definitions(bare.as_deref().unwrap_or(text)).or(bare)
}

/// Returns private for a `static` name, which stays in its file. For a member, `static` means
/// something else.
pub fn static_visibility(declaration: &DeclarationHead) -> Visibility {
    let is_member = declaration.parent_visibility(&[ChunkKind::Class, ChunkKind::Struct]).is_some();
    if declaration.has_word(&["static"]) && !is_member {
        Visibility::Private
    } else {
        Visibility::Public
    }
}

#[cfg(test)]
mod tests;
