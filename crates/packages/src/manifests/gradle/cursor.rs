//! A position in a script's tokens, and the moves on it. `statement.rs` and `expression.rs` parse
//! with it.
//!
//! Every move keeps the cursor at or before `end`, and no token can make it panic.

use super::ast::{Script, TokenRange};
use super::lexer::{GradleToken, Lexeme};

/// A position in a range of tokens.
pub struct Cursor<'s, 't> {
    pub script: &'s Script<'t>,
    pub at: usize,
    pub end: usize,
    /// True if a line break ends a statement here, as it does outside of brackets.
    pub is_line: bool,
    /// True if this is an argument of a call without parentheses, which cannot be such a call.
    pub is_argument: bool,
    /// The nesting of brackets, which bounds the recursion of the expression parser.
    pub depth: usize,
}

impl<'s, 't> Cursor<'s, 't> {
    /// The lexeme at an index, if it is in the range.
    pub fn lexeme_at(&self, index: usize) -> Option<&'s Lexeme<'t>> {
        self.script.lexemes.get(index).filter(|_| index < self.end)
    }

    /// The next token. Line breaks are skipped where they do not matter.
    pub fn peek(&mut self) -> Option<&'s GradleToken<'t>> {
        while !self.is_line && self.token_at(self.at) == Some(&GradleToken::NewLine) {
            self.at += 1;
        }
        self.token_at(self.at)
    }

    /// The token at an index, if it is in the range.
    pub fn token_at(&self, index: usize) -> Option<&'s GradleToken<'t>> {
        self.lexeme_at(index).map(|lexeme| &lexeme.token)
    }

    /// The next token if it is a symbol; else an empty text.
    pub fn peek_symbol(&mut self) -> &'t str {
        match self.peek() {
            Some(GradleToken::Symbol(symbol)) => symbol,
            _ => "",
        }
    }

    /// The next token if it is a name; else an empty text.
    pub fn peek_name(&mut self) -> &'t str {
        match self.peek() {
            Some(GradleToken::Name(name)) => name,
            _ => "",
        }
    }

    /// True if the token at an index is this symbol.
    pub fn is_symbol_at(&self, index: usize, symbol: &str) -> bool {
        matches!(self.token_at(index), Some(GradleToken::Symbol(it)) if *it == symbol)
    }

    /// Skips line breaks.
    pub fn skip_lines(&mut self) {
        while self.token_at(self.at) == Some(&GradleToken::NewLine) {
            self.at += 1;
        }
    }

    /// Skips one token, or a whole pair of brackets.
    pub fn skip_token(&mut self) {
        let close = match self.token_at(self.at) {
            Some(GradleToken::Symbol("(" | "[" | "{")) => self.script.lexemes[self.at].close,
            _ => self.at,
        };
        self.at = close.saturating_add(1).min(self.end).max(self.at);
    }

    /// Returns the range inside the brackets at the cursor, and moves the cursor past them.
    pub fn enter_brackets(&mut self) -> TokenRange {
        let start = self.at + 1;
        let close = self.script.lexemes[self.at].close.min(self.end);
        self.at = close.saturating_add(1).min(self.end);
        start..close.max(start)
    }

    /// Skips the rest of a statement or an argument.
    pub fn skip_rest(&mut self) {
        while let Some(token) = self.token_at(self.at) {
            match token {
                GradleToken::NewLine if self.is_line => return,
                GradleToken::Symbol("," | ";" | "->") => return,
                _ => self.skip_token(),
            }
        }
    }

    /// Skips the parameters of a closure: `{ a, b -> …`.
    pub fn skip_parameters(&mut self) {
        let mut index = self.at;
        loop {
            match self.token_at(index) {
                Some(GradleToken::Name(_) | GradleToken::Symbol("," | ":" | "." | "?")) => {
                    index += 1
                }
                Some(GradleToken::Symbol("->")) => {
                    self.at = index + 1;
                    return;
                }
                _ => return,
            }
        }
    }
}
