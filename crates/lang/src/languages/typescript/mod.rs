//! TypeScript. Its query and visibility rule also serve TSX. The rest of its query is that of
//! JavaScript.

pub(super) mod unused_rules;

use super::javascript::{EXPRESSIONS, export_visibility, is_hidden_member, rename_using};
use super::{BASE, DeclarationHead, Language, VariableScope};
use kenning_model::{ChunkKind, Visibility};

/// The language. `.d.ts` files only declare code that is elsewhere.
pub static TYPESCRIPT: Language = Language {
    name: "typescript",
    extensions: &["ts", "mts", "cts"],
    interpreters: &["ts-node", "tsx", "deno", "bun"],
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    query: concat!(include_str!("query.scm"), include_str!("../javascript/ecmascript.scm")),
    visibility,
    variable_scope: VariableScope::IncludesValue,
    simplifications: &[rename_using],
    expressions: EXPRESSIONS,
    usage: unused_rules::USAGE,
    generated_endings: &["_pb.d.ts", ".generated.ts"],
    declaration_endings: &[".d.ts"],
    directory_stems: &["index", "main"],
    path_keywords: &["super"],
    resolution: &super::javascript::resolution_rules::RULES,
    ..BASE
};

/// Reads the modifiers; members without one are as visible as their type, other names as their
/// export says.
pub(super) fn visibility(declaration: &DeclarationHead) -> Visibility {
    if declaration.has_word(&["private"]) || is_hidden_member(declaration) {
        return Visibility::Private;
    }
    if declaration.has_word(&["protected"]) {
        return Visibility::Internal;
    }
    let types = [ChunkKind::Class, ChunkKind::Interface, ChunkKind::Enum];
    declaration.parent_visibility(&types).unwrap_or_else(|| export_visibility(declaration))
}
