//! JavaScript, with elements (JSX) and Flow's types as far as its grammar goes. `ecmascript.scm` and
//! the rules for exports also serve TypeScript and TSX.

pub(super) mod resolution;
pub(super) mod usage;

use super::source_patch::{next_word, rename};
use super::{BASE, Declaration, ExpressionSyntax, KeptArgument, Language, Variables};
use kenning_model::{ChunkKind, Visibility};

/// The argument of `require` names a module, and a template literal after a name calls it.
pub(super) const EXPRESSIONS: ExpressionSyntax = ExpressionSyntax {
    kept_arguments: &[("require", KeptArgument::Module)],
    has_tagged_templates: true,
    ..ExpressionSyntax::PLAIN
};

pub static JAVASCRIPT: Language = Language {
    name: "javascript",
    extensions: &["js", "jsx", "mjs", "cjs"],
    interpreters: &["node", "nodejs"],
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    query: concat!(include_str!("query.scm"), include_str!("ecmascript.scm")),
    visibility,
    members_of: &["prototype"],
    variables: Variables::SeenInTheirValue,
    simplify: &[using_renamed],
    expressions: EXPRESSIONS,
    usage: usage::USAGE,
    generated_endings: &["_pb.js"],
    minified_extensions: &["js", "mjs", "cjs"],
    directory_stems: &["index", "main"],
    path_keywords: &["super"],
    resolution: &resolution::RULES,
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    if is_hidden_member(declaration) {
        return Visibility::Private;
    }
    let outer = declaration.within(&[ChunkKind::Class]);
    outer.unwrap_or_else(|| visibility_of_export(declaration))
}

/// `#name`, and by convention `_name`.
pub fn is_hidden_member(declaration: &Declaration) -> bool {
    let is_member = declaration.parent.is_some();
    declaration.name.starts_with('#') || is_member && declaration.name.starts_with('_')
}

/// Returns the visibility of a declaration in a module: public if exported, else internal to its
/// file.
pub fn visibility_of_export(declaration: &Declaration) -> Visibility {
    if declaration.says(&["export", "declare", "exports"]) {
        Visibility::Public
    } else {
        Visibility::Internal
    }
}

/// For grammars that take every `using` for a word of the language: those that are names, renamed.
pub fn using_renamed(text: &str) -> Option<String> {
    let operators: [&[u8]; 5] = [b"in", b"of", b"as", b"instanceof", b"satisfies"];
    rename(text, "using", |after| {
        let (word, first) = next_word(after);
        let declares = !word.is_empty() || first == Some(b'$');
        !declares || operators.contains(&word)
    })
}
