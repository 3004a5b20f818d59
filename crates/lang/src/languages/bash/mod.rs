//! Bash and its relatives. Names have no paths, so there are no separators. Scripts count as
//! settings for the search for secrets: many only export variables.

use super::{BASE, Language, UsageRules};

/// The language. `console` is a common word at code blocks with commands.
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
    usage: UsageRules {
        // A script that runs its arguments may call any of its functions.
        computed_names: &[
            "eval ",
            "\n\"$@\"",
            "compgen ",
            "declare -F",
            "\n$@",
            "\n$1",
            "\n\"$1\"",
        ],
        ..UsageRules::MAIN
    },
    ..BASE
};
