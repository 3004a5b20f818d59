//! Parses statements: declarations, assignments and plain expressions. Keywords are skipped, so
//! that a statement in a branch reads like any other.
//!
//! Groovy and Kotlin share one grammar here. It accepts more than either language does: checking
//! scripts is the job of Gradle.

use super::ast::{Chain, ChainLink, Expression, Statement};
use super::cursor::Cursor;
use super::lexer::GradleToken;

/// Words that may precede the name in a declaration, of Groovy and Kotlin.
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
    /// Parses the next statement; `None` for anything that gives nothing. Always advances.
    pub fn parse_statement(&mut self) -> Option<Statement<'t>> {
        match self.token_at(self.at)? {
            // A block without a call is that of a keyword which was skipped before.
            GradleToken::Symbol("{") => return Some(Statement::Block(self.enter_brackets())),
            GradleToken::Symbol("@") => {
                self.skip_annotation();
                return None;
            }
            GradleToken::Symbol("," | ";" | "->" | ")" | "]" | "}") | GradleToken::NewLine => {
                self.at += 1;
                return None;
            }
            GradleToken::Name(word) if self.skip_keyword(word) => return None,
            _ => {}
        }
        if let Some(declaration) = self.parse_declaration() {
            return declaration;
        }
        // A declaration restores the cursor if it fails, so the expression starts at the same
        // token.
        let start = self.at;
        let expression = self.parse_expression();
        if matches!(self.peek_symbol(), "=" | "+=") {
            self.at += 1;
            self.skip_lines();
            let value = self.parse_expression();
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
        // An expression may consume nothing; the caller relies on progress.
        self.at = self.at.max(start + 1);
        self.skip_rest();
        Some(Statement::Expression(expression))
    }

    /// Skips an annotation: `@file:Suppress("x")`.
    fn skip_annotation(&mut self) {
        self.at += 1;
        while matches!(
            self.token_at(self.at),
            Some(GradleToken::Name(_) | GradleToken::Symbol(":" | "."))
        ) {
            self.at += 1;
        }
        if self.is_symbol_at(self.at, "(") {
            self.skip_token();
        }
    }

    /// Skips a keyword and its condition. Returns false if the word is none. The statement that it
    /// governs is then read as if it stood alone: every branch counts.
    fn skip_keyword(&mut self, word: &str) -> bool {
        match word {
            "import" | "package" => self.skip_rest(),
            "if" | "while" | "for" | "switch" | "when" | "catch" => {
                self.at += 1;
                if self.is_symbol_at(self.at, "(") {
                    self.skip_token();
                }
            }
            "else" | "try" | "finally" | "return" => self.at += 1,
            "fun" | "class" | "interface" | "object" | "enum" => self.skip_definition(),
            _ => return false,
        }
        true
    }

    /// Skips the definition of a function or a class, which by itself configures nothing.
    fn skip_definition(&mut self) {
        while let Some(token) = self.token_at(self.at) {
            match token {
                GradleToken::NewLine => return,
                GradleToken::Symbol("{") => {
                    self.skip_token();
                    return;
                }
                _ => self.skip_token(),
            }
        }
    }

    /// Parses `val x: Type = …`, `val x by …`, `def x = …`, `final String x = …` or `String x = …`.
    /// The outer `None` means that there is no declaration, the inner one that it has no value.
    fn parse_declaration(&mut self) -> Option<Option<Statement<'t>>> {
        let start = self.at;
        let mut names = Vec::new();
        while let Some(GradleToken::Name(name)) = self.token_at(self.at) {
            names.push(*name);
            self.at += 1;
            if matches!(*name, "fun" | "class" | "interface" | "object" | "enum") {
                self.skip_definition();
                return Some(None);
            }
            if *name == "by" || names.len() > MODIFIERS.len() {
                break;
            }
        }
        // `by` is not part of the name. All words before it are modifiers, a type or the name.
        let is_delegated = names.last() == Some(&"by");
        names.truncate(names.len() - usize::from(is_delegated));
        let is_modified = names.first().is_some_and(|name| MODIFIERS.contains(name));
        // `String x = …` has two names and no modifier. Without the `=` it would be a call:
        // `include x`.
        let is_typed = names.len() == 2 && self.is_symbol_at(self.at, "=");
        let is_declared = is_typed || (is_modified && names.len() > 1);
        if !is_declared {
            // Destructuring, such as `val (a, b) = …`, gives no single value and is skipped.
            let is_tuple = is_modified && self.is_symbol_at(self.at, "(");
            self.at = start;
            return is_tuple.then(|| {
                self.skip_rest();
                None
            });
        }
        Some(self.parse_declared_value(names[names.len() - 1], start))
    }

    /// Parses the rest of a declaration that began at `start`, behind its name or its `by`. Returns
    /// `None` if it assigns no value.
    fn parse_declared_value(&mut self, name: &'t str, start: usize) -> Option<Statement<'t>> {
        let line = self.lexeme_at(start)?.line;
        let mut is_delegated = matches!(self.token_at(self.at - 1), Some(GradleToken::Name("by")));
        if self.is_symbol_at(self.at, ":") {
            while let Some(token) = self.token_at(self.at) {
                match token {
                    GradleToken::NewLine | GradleToken::Symbol("=") => break,
                    GradleToken::Name("by") => {
                        is_delegated = true;
                        break;
                    }
                    _ => self.skip_token(),
                }
            }
        }
        if !is_delegated && !self.is_symbol_at(self.at, "=") {
            // A function, an extension property, or nothing yet.
            self.skip_definition();
            return None;
        }
        if !matches!(self.token_at(self.at - 1), Some(GradleToken::Name("by"))) {
            self.at += 1;
        }
        self.skip_lines();
        let value = self.parse_expression();
        self.skip_rest();
        let links = vec![ChainLink { name, call: None, block: None }];
        Some(Statement::Assignment {
            is_local: true,
            is_delegated,
            target: Chain { links, line },
            value,
        })
    }
}
