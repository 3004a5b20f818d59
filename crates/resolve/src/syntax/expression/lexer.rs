//! The scanner of the expression parser: words, brackets and signs at the start of the rest.

use crate::rules::SyntaxRules;
use crate::syntax::brackets::{find_closing_angle, split_brackets};
use crate::syntax::expression::Expression;

/// A parser of one expression.
pub struct ExpressionParser<'t> {
    /// The text that is not yet read.
    pub rest: &'t str,
    /// The nesting depth of the expression.
    pub depth: usize,
    /// The syntax of the language.
    pub rules: &'static SyntaxRules,
}

impl<'t> ExpressionParser<'t> {
    /// Eats one dot, but no range operator.
    pub fn eat_dot(&mut self) -> bool {
        !self.rest.starts_with("..") && self.eat(".")
    }

    /// True if a postfix `?` follows, and not a conditional operator.
    pub fn is_try_operator(&self) -> bool {
        let after = self.rest.strip_prefix('?');
        after.is_some_and(|after| after.is_empty() || after.starts_with(['.', '?', ')', ';']))
            && !self.rest.starts_with("??")
    }

    /// True if `<` begins type arguments and is no comparison: a call, a path, a literal or a
    /// member of a type follows the closing bracket.
    pub fn has_type_arguments(&self, before: &Expression) -> bool {
        let is_type =
            matches!(before, Expression::Name(name) if name.starts_with(char::is_uppercase));
        let end = find_closing_angle(self.rest);
        end.is_some_and(|end| {
            let after = &self.rest[end..];
            let member = after.strip_prefix('.').map(|rest| rest.chars().next());
            let is_member = member.is_some_and(|first| first.is_some_and(char::is_alphabetic));
            after.starts_with('(')
                || after.starts_with("::")
                || after.starts_with(" {")
                || is_type && (is_member || after.is_empty())
        })
    }

    /// Reads the angle brackets here, and returns the text inside them.
    pub fn read_angles(&mut self) -> &'t str {
        let end = find_closing_angle(self.rest).unwrap_or(self.rest.len());
        let inner = self.rest.get(1..end.max(2) - 1).unwrap_or_default();
        self.rest = &self.rest[end..];
        inner
    }

    /// Reads the brackets here, and returns the text inside them.
    pub fn read_brackets(&mut self) -> &'t str {
        let (inner, rest) = split_brackets(self.rest);
        self.rest = rest;
        inner
    }

    /// Reads an identifier; empty if none follows.
    pub fn read_word(&mut self) -> &'t str {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Eats a keyword, if a blank or a bracket follows it.
    pub fn eat_keyword(&mut self, word: &str) -> bool {
        match self.rest.strip_prefix(word).filter(|rest| rest.starts_with([' ', '('])) {
            // `new(Foo)` is a call.
            Some(rest) if rest.starts_with(' ') || word != "new" => {
                self.rest = rest.trim_start();
                true
            }
            _ => false,
        }
    }

    /// Skips blanks.
    pub fn skip_whitespace(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Eats a text, if it follows.
    pub fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}
