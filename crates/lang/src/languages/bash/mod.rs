//! Bash and its relatives.

use super::{BASE, Language};

pub static BASH: Language = Language {
    name: "bash",
    extensions: &["sh", "bash", "zsh", "ksh", "bats"],
    aliases: &["shell", "console"],
    file_names: &[".bashrc", ".zshrc", ".profile", ".bash_profile"],
    interpreters: &["sh", "bash", "zsh", "ksh", "dash"],
    grammar: || tree_sitter_bash::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    settings_extensions: &["sh", "bash", "zsh", "ksh"],
    ..BASE
};
