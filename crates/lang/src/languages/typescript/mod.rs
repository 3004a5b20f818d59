//! TypeScript. Its query and visibility rule also serve TSX.

pub(super) mod usage;

use super::javascript::{EXPRESSIONS, is_hidden_member, using_renamed, visibility_of_export};
use super::{BASE, Declaration, Language, Variables};
use kenning_model::{ChunkKind, Visibility};

pub static TYPESCRIPT: Language = Language {
    name: "typescript",
    extensions: &["ts", "mts", "cts"],
    interpreters: &["ts-node", "tsx", "deno", "bun"],
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    query: concat!(include_str!("query.scm"), include_str!("../javascript/ecmascript.scm")),
    visibility,
    variables: Variables::SeenInTheirValue,
    simplify: &[using_renamed],
    expressions: EXPRESSIONS,
    usage: usage::USAGE,
    generated_endings: &["_pb.d.ts", ".generated.ts"],
    declaration_endings: &[".d.ts"],
    directory_stems: &["index", "main"],
    path_keywords: &["super"],
    resolution: &super::javascript::resolution::RULES,
    ..BASE
};

pub(super) fn visibility(declaration: &Declaration) -> Visibility {
    if declaration.says(&["private"]) || is_hidden_member(declaration) {
        return Visibility::Private;
    }
    if declaration.says(&["protected"]) {
        return Visibility::Internal;
    }
    let types = [ChunkKind::Class, ChunkKind::Interface, ChunkKind::Enum];
    declaration.within(&types).unwrap_or_else(|| visibility_of_export(declaration))
}
