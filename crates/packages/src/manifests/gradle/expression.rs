//! Parses expressions: strings, lists, and chains of names and calls. Of operators only `+` is
//! evaluated; any other makes the value computed.
//!
//! The parser never fails, and it recurses only into brackets, to a fixed depth.

use super::ast::{Argument, Chain, ChainLink, Expression, concatenate};
use super::cursor::Cursor;
use super::lexer::{Dialect, GradleToken, StringPart};

/// The deepest nesting of brackets in an expression. Blocks nest without limit, because they are
/// read from a queue.
const MAX_DEPTH: usize = 32;

/// The most tokens that the types of a generic call may have.
const MAX_TYPE_TOKENS: usize = 24;

/// Names that are operators or keywords. They begin no argument of a call without parentheses.
const RESERVED: &[&str] =
    &["as", "by", "else", "if", "in", "instanceof", "is", "for", "return", "to", "while"];

impl<'s, 't> Cursor<'s, 't> {
    /// Parses an expression with its operators. Leaves the cursor at the first token that does not
    /// belong to it.
    pub fn parse_expression(&mut self) -> Expression<'t> {
        let mut value = self.parse_operand();
        loop {
            match self.peek() {
                Some(GradleToken::Symbol("+")) => {
                    self.at += 1;
                    self.skip_lines();
                    value = concatenate(value, self.parse_operand());
                }
                // Casts do not change a value here.
                Some(GradleToken::Name("as")) => {
                    self.at += 1;
                    self.skip_type();
                }
                Some(GradleToken::Symbol("!!")) => self.at += 1,
                Some(GradleToken::Symbol("," | ";" | ":" | "=" | "+=" | "->" | "." | "@"))
                | Some(GradleToken::Name(_) | GradleToken::Text(_) | GradleToken::NewLine)
                | None => return value,
                // Any other operator, or brackets that belong to nothing.
                Some(GradleToken::Symbol(_)) => {
                    self.skip_rest();
                    return Expression::Computed;
                }
            }
        }
    }

    /// Skips the type after `as`.
    fn skip_type(&mut self) {
        while matches!(
            self.token_at(self.at),
            Some(GradleToken::Name(_) | GradleToken::Symbol("." | "?" | "<" | ">" | "["))
        ) {
            self.skip_token();
        }
    }

    /// Parses an operand: a string, a chain, a list, a closure, or an expression in parentheses.
    /// Unary operators are skipped.
    fn parse_operand(&mut self) -> Expression<'t> {
        while matches!(self.peek_symbol(), "!" | "-" | "+" | "*") || self.peek_name() == "new" {
            self.at += 1;
        }
        let line = self.lexeme_at(self.at).map_or(0, |lexeme| lexeme.line);
        let value = match self.peek() {
            Some(GradleToken::Text(parts)) => {
                self.at += 1;
                // A string directly before a parenthesis is Kotlin's call by name.
                if self.peek_symbol() == "(" && !self.script.lexemes[self.at].is_spaced {
                    return self.parse_call_by_text(parts, line);
                }
                Expression::Text(self.script.template(parts))
            }
            // An expression with branches has no single value.
            Some(GradleToken::Name("if" | "when" | "try")) => {
                self.skip_rest();
                return Expression::Computed;
            }
            Some(GradleToken::Name(name)) => {
                self.at += 1;
                return self.parse_chain(name, None, line);
            }
            Some(GradleToken::Symbol("(")) => {
                let mut inside = self.parse_arguments();
                match inside.pop() {
                    Some(argument) if inside.is_empty() => argument.value,
                    _ => Expression::Computed,
                }
            }
            Some(GradleToken::Symbol("[")) => Expression::List(self.parse_arguments()),
            Some(GradleToken::Symbol("{")) => {
                self.skip_token();
                return Expression::Closure;
            }
            _ => return Expression::Computed,
        };
        if self.continues_with_dot() {
            return match value {
                Expression::Chain(mut chain) => {
                    self.parse_links(&mut chain);
                    Expression::Chain(chain)
                }
                value => self.parse_chain("", Some(value), line),
            };
        }
        value
    }

    /// Parses Kotlin's `"implementation"("com.acme:core:1.0")` as `add("implementation", …)`.
    fn parse_call_by_text(&mut self, parts: &'s [StringPart<'t>], line: u32) -> Expression<'t> {
        let [StringPart::Text(_)] = parts else {
            self.skip_token();
            return Expression::Computed;
        };
        // The name becomes an argument, because its text need not be a slice of the source.
        let name = Argument { name: None, value: Expression::Text(self.script.template(parts)) };
        let mut call = vec![name];
        call.extend(self.parse_arguments());
        let mut chain =
            Chain { links: vec![ChainLink { name: "add", call: Some(call), block: None }], line };
        self.parse_links(&mut chain);
        Expression::Chain(chain)
    }

    /// Parses a chain that begins with a name, or with a `value` to which functions are applied.
    fn parse_chain(
        &mut self,
        name: &'t str,
        value: Option<Expression<'t>>,
        line: u32,
    ) -> Expression<'t> {
        let call = value.map(|value| vec![Argument { name: None, value }]);
        let block = None;
        let links = vec![ChainLink { name, call, block }];
        let mut chain = Chain { links, line };
        self.parse_links(&mut chain);
        Expression::Chain(chain)
    }

    /// Adds everything that follows the first link: arguments, blocks, indexes, further names.
    fn parse_links(&mut self, chain: &mut Chain<'t>) {
        loop {
            self.skip_type_arguments();
            let is_spaced = self.lexeme_at(self.at).is_some_and(|lexeme| lexeme.is_spaced);
            let Some(last) = chain.links.last_mut() else {
                return;
            };
            match self.peek() {
                Some(GradleToken::Symbol("(")) if last.call.is_none() && last.block.is_none() => {
                    last.call = Some(self.parse_arguments());
                }
                // A block behind arguments belongs to the same call: `create("libs") { … }`.
                Some(GradleToken::Symbol("{")) if last.block.is_none() => {
                    last.block = Some(self.enter_brackets());
                }
                Some(GradleToken::Symbol("[")) if !is_spaced => {
                    let index = self.parse_arguments();
                    chain.links.push(ChainLink { name: "get", call: Some(index), block: None });
                }
                _ if self.continues_with_dot() => {
                    self.skip_lines();
                    self.at += 1;
                    let name = self.peek_name();
                    self.at += 1;
                    let (call, block) = (None, None);
                    chain.links.push(ChainLink { name, call, block });
                }
                Some(GradleToken::Name(_) | GradleToken::Text(_) | GradleToken::Symbol("["))
                    if self.is_line && !self.is_argument =>
                {
                    if !self.parse_bare_call(chain) {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    /// True if a `.` and a name come next, on this line or on one below. Chains are often broken
    /// before the dot.
    fn continues_with_dot(&self) -> bool {
        let mut index = self.at;
        while self.token_at(index) == Some(&GradleToken::NewLine) {
            index += 1;
        }
        matches!(self.token_at(index), Some(GradleToken::Symbol("." | "?." | "*." | "::")))
            && matches!(self.token_at(index + 1), Some(GradleToken::Name(_)))
    }

    /// Skips the types of `register<Copy>`, if a call follows. Else `<` is a comparison.
    fn skip_type_arguments(&mut self) {
        if !self.is_symbol_at(self.at, "<") || self.script.lexemes[self.at].is_spaced {
            return;
        }
        let mut depth = 0;
        for index in self.at..self.at + MAX_TYPE_TOKENS {
            match self.token_at(index) {
                Some(GradleToken::Symbol("<")) => depth += 1,
                Some(GradleToken::Symbol(">")) => depth -= 1,
                Some(GradleToken::Name(_) | GradleToken::Symbol("." | "," | "?" | "*")) => {}
                _ => return,
            }
            if depth == 0 {
                if matches!(self.token_at(index + 1), Some(GradleToken::Symbol("(" | "{"))) {
                    self.at = index + 1;
                }
                return;
            }
        }
    }

    /// Parses a call without parentheses: in Groovy `name a, b`, in Kotlin the infix call `value
    /// name a`. Returns false if there is none.
    fn parse_bare_call(&mut self, chain: &mut Chain<'t>) -> bool {
        if RESERVED.contains(&self.peek_name()) {
            return false;
        }
        // A link with arguments or a block is complete. What follows it is a new link: `a("b")
        // version "1"`.
        let takes_arguments = |link: &ChainLink| link.call.is_none() && link.block.is_none();
        let is_groovy = self.script.dialect == Dialect::Groovy;
        if is_groovy && let Some(last) = chain.links.last_mut().filter(|link| takes_arguments(link))
        {
            last.call = Some(self.parse_line_arguments());
            return true;
        }
        let name = self.peek_name();
        if name.is_empty() {
            return false;
        }
        self.at += 1;
        let mut link = ChainLink { name, call: None, block: None };
        if !is_groovy
            && !matches!(self.peek(), Some(GradleToken::Symbol("{") | GradleToken::NewLine) | None)
        {
            self.is_argument = true;
            let value = self.parse_operand();
            self.is_argument = false;
            link.call = Some(vec![Argument { name: None, value }]);
        }
        chain.links.push(link);
        true
    }

    /// Parses the arguments of a Groovy call without parentheses. After a comma they may continue
    /// on the next line.
    fn parse_line_arguments(&mut self) -> Vec<Argument<'t>> {
        self.is_argument = true;
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.parse_argument());
            if self.peek_symbol() != "," {
                break;
            }
            self.at += 1;
            self.skip_lines();
        }
        self.is_argument = false;
        arguments
    }

    /// Parses the arguments in the brackets at the cursor, and moves past them.
    fn parse_arguments(&mut self) -> Vec<Argument<'t>> {
        let inside = self.enter_brackets();
        let mut arguments = Vec::new();
        if self.depth == MAX_DEPTH {
            let value = Expression::Computed;
            return vec![Argument { name: None, value }];
        }
        let mut cursor = Cursor {
            script: self.script,
            at: inside.start,
            end: inside.end,
            is_line: false,
            is_argument: false,
            depth: self.depth + 1,
        };
        while cursor.peek().is_some() {
            let before = cursor.at;
            if matches!(cursor.peek_symbol(), "," | ":" | ";" | "->") {
                cursor.at += 1;
                continue;
            }
            arguments.push(cursor.parse_argument());
            cursor.skip_rest();
            cursor.at = cursor.at.max(before + 1);
        }
        arguments
    }

    /// Parses `value`, `name: value`, `name = value`, or `"name" to value`.
    fn parse_argument(&mut self) -> Argument<'t> {
        let mut name = match self.peek() {
            Some(GradleToken::Name(name)) => Some(name.to_string()),
            Some(GradleToken::Text(parts)) => self.script.template(parts).as_text(),
            _ => None,
        };
        // In a statement `name = value` is an assignment; in brackets it is a named argument of
        // Kotlin.
        let is_named = self.is_symbol_at(self.at + 1, ":")
            || (!self.is_line && self.is_symbol_at(self.at + 1, "="));
        if name.is_some() && is_named {
            self.at += 2;
            let value = self.parse_expression();
            return Argument { name, value };
        }
        let mut value = self.parse_expression();
        if self.peek_name() == "to" {
            self.at += 1;
            value = self.parse_expression();
        } else {
            name = None;
        }
        Argument { name, value }
    }
}
