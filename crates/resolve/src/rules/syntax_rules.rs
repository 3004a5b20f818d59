//! The parts of expressions and types that only some languages write.

/// The syntax of one family, beyond the syntax that the parsers read for every language.
pub struct SyntaxRules {
    /// Interprets a call that is more than a call. `None` for an ordinary one.
    pub interpret_call: fn(&CallText) -> Option<SpecialCall>,
    /// True if a text begins with the type of a container literal: `[]Page { … }`.
    pub is_container_type: fn(&str) -> bool,
    /// Words between a value and the type to which it is cast.
    pub cast_words: &'static [&'static str],
    /// Words before an operand that do not change its type.
    pub operand_modifiers: &'static [&'static str],
    /// Names of values whose type has no members in the repository.
    pub plain_values: &'static [&'static str],
    /// Words before a type that do not change its members.
    pub type_modifiers: &'static [&'static str],
    /// Words that begin a container type.
    pub container_words: &'static [(&'static str, ContainerShape)],
    /// Words that begin a function type: `fn(A) -> B`.
    pub function_type_words: &'static [&'static str],
    /// The word that begins the type of a value: `typeof page`. Empty if there is none.
    pub value_type_word: &'static str,
    /// The word that begins the type of a type's keys. Empty if there is none.
    pub key_type_word: &'static str,
    /// True if a name may stand before a type in brackets, with a blank between: `(page Page)`.
    pub has_names_before_types: bool,
    /// Words between the parameters and the result of a function type: `(A) async throws -> B`.
    pub function_effects: &'static [&'static str],
    /// The word after the parameters of a function whose result must be awaited. Empty if such a
    /// function is declared otherwise.
    pub async_word: &'static str,
    /// Types that contribute no members: the absence of a value, and marker traits.
    pub memberless_types: &'static [&'static str],
}

/// A container type that begins with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerShape {
    /// A map: the key type in brackets, and the value type after them.
    Map,
    /// A list: the element type after the word.
    List,
}

/// A call, as far as [`SyntaxRules::interpret_call`] needs it.
pub struct CallText<'t> {
    /// The name of the function.
    pub name: &'t str,
    /// True if the name stands alone, without a path or a receiver.
    pub is_bare: bool,
    /// The first type argument at the call.
    pub type_argument: Option<&'t str>,
    /// The argument that extraction kept; empty if it kept none.
    pub argument: &'t str,
}

/// A call that is more than a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecialCall {
    /// Its value is of this type.
    Cast(String),
    /// Its value is this module.
    Require(String),
}

impl SyntaxRules {
    /// Syntax that most languages share.
    pub const COMMON: SyntaxRules = SyntaxRules {
        interpret_call: |_| None,
        is_container_type: |_| false,
        cast_words: &["as!", "as?", "as"],
        operand_modifiers: &["try", "return", "const"],
        plain_values: &["true", "false", "null", "nil"],
        type_modifiers: &["const", "final", "static"],
        container_words: &[],
        function_type_words: &[],
        value_type_word: "",
        key_type_word: "",
        has_names_before_types: false,
        function_effects: &[],
        async_word: "",
        memberless_types: &["null", "nil", "void"],
    };

    /// True if a word begins a type, and so is no parameter name.
    pub fn begins_type(&self, word: &str) -> bool {
        let is_container = self.container_words.iter().any(|(known, _)| *known == word);
        is_container
            || self.function_type_words.contains(&word)
            || self.type_modifiers.contains(&word)
            || word == self.value_type_word
            || word == self.key_type_word
    }
}
