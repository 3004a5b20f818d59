//! The parts of an expression's abbreviation that depend on the language. The scanner itself is in
//! `code/abbreviate.rs`.

/// The syntax of expressions, as far as [`code`](crate::code) needs it to abbreviate one.
#[derive(Clone, Copy)]
pub struct ExpressionSyntax {
    /// Functions whose argument tells the type of the result, by name.
    pub kept_arguments: &'static [(&'static str, KeptArgument)],
    /// True if a template literal right after a name is the argument of a call: sql`select 1`.
    pub has_tagged_templates: bool,
    /// Signs that are no part of a name, although they are written in it.
    pub skipped_signs: &'static [SkippedSign],
}

/// The argument that the abbreviation of a call keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptArgument {
    /// The first one, which is a type.
    First,
    /// The only one, which is the name of a module in quotes.
    Module,
}

/// A sign that an abbreviation leaves out between two texts. An empty text matches everything.
#[derive(Clone, Copy)]
pub struct SkippedSign {
    pub after: &'static str,
    pub sign: char,
    pub before: &'static str,
}

impl ExpressionSyntax {
    /// Expressions without rules of their own.
    pub(super) const PLAIN: ExpressionSyntax =
        ExpressionSyntax { kept_arguments: &[], has_tagged_templates: false, skipped_signs: &[] };
}
