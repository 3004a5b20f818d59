//! Reads statements: declarations, assignments and bare expressions. Keywords are skipped, so that
//! a statement under a condition reads like any other.

use super::ast::{Chain, Expression, Link, Statement};
use super::cursor::Cursor;
use super::lexer::Token;

const MODIFIERS: &[&str] = &[
    "abstract",
    "const",
    "data",
    "def",
    "final",
    "inline",
    "internal",
    "lateinit",
    "open",
    "override",
    "private",
    "protected",
    "public",
    "sealed",
    "static",
    "val",
    "var",
];

impl<'t> Cursor<'_, 't> {
    pub fn statement(&mut self) -> Option<Statement<'t>> {
        match self.token(self.at)? {
            Token::Symbol("{") => return Some(Statement::Block(self.enter())),
            Token::Symbol("@") => {
                self.annotation();
                return None;
            }
            Token::Symbol("," | ";" | "->" | ")" | "]" | "}") | Token::NewLine => {
                self.at += 1;
                return None;
            }
            Token::Name(word) if self.keyword(word) => return None,
            _ => {}
        }
        if let Some(declaration) = self.declaration() {
            return declaration;
        }
        let start = self.at;
        let expression = self.expression();
        if matches!(self.symbol(), "=" | "+=") {
            self.at += 1;
            self.skip_lines();
            let value = self.expression();
            self.skip_rest();
            return match expression {
                Expression::Chain(target) => Some(Statement::Assignment {
                    is_local: false,
                    is_delegated: false,
                    target,
                    value,
                }),
                _ => None,
            };
        }
        self.at = self.at.max(start + 1);
        self.skip_rest();
        Some(Statement::Expression(expression))
    }

    /// `@file:Suppress("x")`
    fn annotation(&mut self) {
        self.at += 1;
        while matches!(self.token(self.at), Some(Token::Name(_) | Token::Symbol(":" | "."))) {
            self.at += 1;
        }
        if self.is_symbol_at(self.at, "(") {
            self.skip();
        }
    }

    /// Passes over a keyword and what belongs to it; `false` if the word is none. What it governs
    /// is then read as if it stood alone: every branch counts.
    fn keyword(&mut self, word: &str) -> bool {
        match word {
            "import" | "package" => self.skip_rest(),
            "if" | "while" | "for" | "switch" | "when" | "catch" => {
                self.at += 1;
                if self.is_symbol_at(self.at, "(") {
                    self.skip();
                }
            }
            "else" | "try" | "finally" | "return" => self.at += 1,
            "fun" | "class" | "interface" | "object" | "enum" => self.definition(),
            _ => return false,
        }
        true
    }

    /// Passes over a function or a class: it does nothing by being there.
    fn definition(&mut self) {
        while let Some(token) = self.token(self.at) {
            match token {
                Token::NewLine => return,
                Token::Symbol("{") => {
                    self.skip();
                    return;
                }
                _ => self.skip(),
            }
        }
    }

    /// `val x: Type = …`, `val x by …`, `def x = …`, `final String x = …`, `String x = …`. The inner
    /// `None` is a declaration without a value.
    fn declaration(&mut self) -> Option<Option<Statement<'t>>> {
        let start = self.at;
        let mut names = Vec::new();
        while let Some(Token::Name(name)) = self.token(self.at) {
            names.push(*name);
            self.at += 1;
            if matches!(*name, "fun" | "class" | "interface" | "object" | "enum") {
                self.definition();
                return Some(None);
            }
            if *name == "by" || names.len() > MODIFIERS.len() {
                break;
            }
        }
        let is_delegated = names.last() == Some(&"by");
        names.truncate(names.len() - usize::from(is_delegated));
        let is_modified = names.first().is_some_and(|name| MODIFIERS.contains(name));
        let is_typed = names.len() == 2 && self.is_symbol_at(self.at, "=");
        let is_declared = is_typed || (is_modified && names.len() > 1);
        if !is_declared {
            let is_tuple = is_modified && self.is_symbol_at(self.at, "(");
            self.at = start;
            return is_tuple.then(|| {
                self.skip_rest();
                None
            });
        }
        Some(self.declared(names[names.len() - 1], start))
    }

    /// Parses the rest of a declaration that began at `start`, after its name or its `by`. Returns
    /// `None` if it assigns no value.
    fn declared(&mut self, name: &'t str, start: usize) -> Option<Statement<'t>> {
        let line = self.lexeme(start)?.line;
        let mut is_delegated = matches!(self.token(self.at - 1), Some(Token::Name("by")));
        if self.is_symbol_at(self.at, ":") {
            while let Some(token) = self.token(self.at) {
                match token {
                    Token::NewLine | Token::Symbol("=") => break,
                    Token::Name("by") => {
                        is_delegated = true;
                        break;
                    }
                    _ => self.skip(),
                }
            }
        }
        if !is_delegated && !self.is_symbol_at(self.at, "=") {
            // A function, an extension property, or nothing yet.
            self.definition();
            return None;
        }
        if !matches!(self.token(self.at - 1), Some(Token::Name("by"))) {
            self.at += 1;
        }
        self.skip_lines();
        let value = self.expression();
        self.skip_rest();
        let links = vec![Link { name, call: None, block: None }];
        Some(Statement::Assignment {
            is_local: true,
            is_delegated,
            target: Chain { links, line },
            value,
        })
    }
}
