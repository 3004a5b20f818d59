//! JavaScript, with elements (JSX) and Flow's types as far as its grammar goes. `ecmascript.scm` and
//! the rules for exports also serve TypeScript and TSX.

pub(super) mod resolution_rules;
pub(super) mod unused_rules;

use super::source_patch::{next_word, rename_word};
use super::{BASE, DeclarationHead, ExpressionSyntax, KeptArgument, Language, VariableScope};
use kenning_model::{ChunkKind, Visibility};

/// The argument of `require` names a module, and a template literal after a name calls it.
pub(super) const EXPRESSIONS: ExpressionSyntax = ExpressionSyntax {
    kept_arguments: &[("require", KeptArgument::Module)],
    has_tagged_templates: true,
    ..ExpressionSyntax::PLAIN
};

/// The language. Methods may be assigned to a prototype: `View.prototype.open = …`.
pub static JAVASCRIPT: Language = Language {
    name: "javascript",
    extensions: &["js", "jsx", "mjs", "cjs"],
    interpreters: &["node", "nodejs"],
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    query: concat!(include_str!("query.scm"), include_str!("ecmascript.scm")),
    visibility,
    member_segments: &["prototype"],
    variable_scope: VariableScope::IncludesValue,
    simplifications: &[rename_using],
    expressions: EXPRESSIONS,
    usage: unused_rules::USAGE,
    generated_endings: &["_pb.js"],
    minified_extensions: &["js", "mjs", "cjs"],
    directory_stems: &["index", "main"],
    path_keywords: &["super"],
    resolution: &resolution_rules::RULES,
    ..BASE
};

/// Members are as visible as their class, unless they are hidden; other names as their export says.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    if is_hidden_member(declaration) {
        return Visibility::Private;
    }
    let outer = declaration.parent_visibility(&[ChunkKind::Class]);
    outer.unwrap_or_else(|| export_visibility(declaration))
}

/// True for `#name`, and by convention for a member `_name`.
pub fn is_hidden_member(declaration: &DeclarationHead) -> bool {
    let is_member = declaration.parent.is_some();
    declaration.name.starts_with('#') || is_member && declaration.name.starts_with('_')
}

/// Returns the visibility of a declaration in a module: public if exported, else internal to its
/// file.
pub fn export_visibility(declaration: &DeclarationHead) -> Visibility {
    if declaration.has_word(&["export", "declare", "exports"]) {
        Visibility::Public
    } else {
        Visibility::Internal
    }
}

/// Renames every `using` that is a name. Some grammars take each one for a keyword.
pub fn rename_using(text: &str) -> Option<String> {
    let operators: [&[u8]; 5] = [b"in", b"of", b"as", b"instanceof", b"satisfies"];
    rename_word(text, "using", |after| {
        let (word, first) = next_word(after);
        let declares = !word.is_empty() || first == Some(b'$');
        !declares || operators.contains(&word)
    })
}
