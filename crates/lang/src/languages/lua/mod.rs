//! Lua. A name is public unless it is `local`. Methods are written with `:` and fields with `.`.

use super::{BASE, DeclarationHead, ExpressionSyntax, KeptArgument, Language, UsageRules};
use kenning_model::Visibility;

/// The language. `init` files represent their directory.
pub static LUA: Language = Language {
    name: "lua",
    extensions: &["lua", "rockspec"],
    interpreters: &["lua", "luajit"],
    grammar: || tree_sitter_lua::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[".", ":"],
    visibility,
    // The argument of `require` names a module.
    expressions: ExpressionSyntax {
        kept_arguments: &[("require", KeptArgument::Module)],
        ..ExpressionSyntax::PLAIN
    },
    // Metamethods, such as `__index`.
    usage: UsageRules {
        entry_prefixes: &["__"],
        computed_names: &["_G[", "_ENV[", "getfenv", "self["],
        ..UsageRules::NONE
    },
    directory_stems: &["init", "main"],
    ..BASE
};

/// `local` hides a name in its block or file.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    if declaration.has_word(&["local"]) { Visibility::Private } else { Visibility::Public }
}
