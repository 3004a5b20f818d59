//! Lua.

use super::{BASE, Declaration, Language};
use kenning_model::Visibility;

pub static LUA: Language = Language {
    name: "lua",
    extensions: &["lua", "rockspec"],
    interpreters: &["lua", "luajit"],
    grammar: || tree_sitter_lua::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[".", ":"],
    visibility,
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    if declaration.says(&["local"]) { Visibility::Private } else { Visibility::Public }
}
