//! A place in a script's tokens, and how to move on from it. What the tokens mean together is read
//! by `statement.rs` and `expression.rs`.

use super::ast::{Script, TokenRange};
use super::lexer::{Lexeme, Token};

pub struct Cursor<'s, 't> {
    pub script: &'s Script<'t>,
    pub at: usize,
    pub end: usize,
    /// True if a line break ends a statement here, as it does outside of brackets.
    pub is_line: bool,
    /// True if this is an argument of a call without parentheses, which cannot be such a call.
    pub is_argument: bool,
    pub depth: usize,
}

impl<'s, 't> Cursor<'s, 't> {
    pub fn lexeme(&self, index: usize) -> Option<&'s Lexeme<'t>> {
        self.script.lexemes.get(index).filter(|_| index < self.end)
    }

    /// The next token, line breaks left aside where they do not matter.
    pub fn peek(&mut self) -> Option<&'s Token<'t>> {
        while !self.is_line && self.token(self.at) == Some(&Token::NewLine) {
            self.at += 1;
        }
        self.token(self.at)
    }

    pub fn token(&self, index: usize) -> Option<&'s Token<'t>> {
        self.lexeme(index).map(|lexeme| &lexeme.token)
    }

    pub fn symbol(&mut self) -> &'t str {
        match self.peek() {
            Some(Token::Symbol(symbol)) => symbol,
            _ => "",
        }
    }

    pub fn name(&mut self) -> &'t str {
        match self.peek() {
            Some(Token::Name(name)) => name,
            _ => "",
        }
    }

    pub fn is_symbol_at(&self, index: usize, symbol: &str) -> bool {
        matches!(self.token(index), Some(Token::Symbol(it)) if *it == symbol)
    }

    pub fn skip_lines(&mut self) {
        while self.token(self.at) == Some(&Token::NewLine) {
            self.at += 1;
        }
    }

    /// Passes over one token, or over a whole pair of brackets.
    pub fn skip(&mut self) {
        let close = match self.token(self.at) {
            Some(Token::Symbol("(" | "[" | "{")) => self.script.lexemes[self.at].close,
            _ => self.at,
        };
        self.at = close.saturating_add(1).min(self.end).max(self.at);
    }

    /// Returns the range inside the brackets at the cursor, and moves the cursor past them.
    pub fn enter(&mut self) -> TokenRange {
        let start = self.at + 1;
        let close = self.script.lexemes[self.at].close.min(self.end);
        self.at = close.saturating_add(1).min(self.end);
        start..close.max(start)
    }

    /// Passes over what is left of a statement or an argument.
    pub fn skip_rest(&mut self) {
        while let Some(token) = self.token(self.at) {
            match token {
                Token::NewLine if self.is_line => return,
                Token::Symbol("," | ";" | "->") => return,
                _ => self.skip(),
            }
        }
    }

    /// `{ a, b -> …`
    pub fn skip_parameters(&mut self) {
        let mut index = self.at;
        loop {
            match self.token(index) {
                Some(Token::Name(_) | Token::Symbol("," | ":" | "." | "?")) => index += 1,
                Some(Token::Symbol("->")) => {
                    self.at = index + 1;
                    return;
                }
                _ => return,
            }
        }
    }
}
