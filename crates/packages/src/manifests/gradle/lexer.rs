//! Tokenizes a Gradle build script, in Groovy or in Kotlin, and matches its brackets.
//!
//! Every text has tokens: an unknown character is a symbol, and a bracket without a partner ends
//! where an enclosing one does. Takes linear time.

use crate::manifests::text_cursor::TextCursor;

/// The language of a script. The two differ in strings, and in the forms of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Groovy,
    Kotlin,
}

/// A token. Line breaks are tokens, because they end statements.
#[derive(Clone, Debug, PartialEq)]
pub enum GradleToken<'t> {
    /// An identifier or a keyword, without backquotes.
    Name(&'t str),
    /// A string, or a number.
    Text(Vec<StringPart<'t>>),
    Symbol(&'t str),
    NewLine,
}

/// A part of a string.
#[derive(Clone, Debug, PartialEq)]
pub enum StringPart<'t> {
    Text(String),
    /// The source of an interpolated expression.
    Expression(&'t str),
}

/// A token with its surroundings.
pub struct Lexeme<'t> {
    pub token: GradleToken<'t>,
    /// 1-based.
    pub line: u32,
    /// True if white space comes before it.
    pub is_spaced: bool,
    /// For an opening bracket, the index of the closing one, or the end if there is none.
    pub close: usize,
}

/// Tokenizes `text`. Also returns the line of the first bracket without a partner.
pub fn lex(text: &str, dialect: Dialect) -> (Vec<Lexeme<'_>>, Option<u32>) {
    let mut lexer = Lexer { cursor: TextCursor::new(text), dialect, lexemes: Vec::new() };
    while lexer.lex_token() {}
    let unmatched = match_brackets(&mut lexer.lexemes);
    (lexer.lexemes, unmatched)
}

/// The state of the tokenizer.
struct Lexer<'t> {
    cursor: TextCursor<'t>,
    dialect: Dialect,
    lexemes: Vec<Lexeme<'t>>,
}

/// Symbols of more than one character, the longer before the shorter.
const SYMBOLS: &[&str] = &[
    "..<", "==", "!=", "<=", ">=", "+=", "-=", "->", "=>", "?.", "?:", "*.", "::", "..", "&&",
    "||", "!!", "=~",
];

impl<'t> Lexer<'t> {
    /// Takes up to and including `end`, or everything. Returns the text before `end`.
    fn take_through(&mut self, end: &str) -> &'t str {
        match self.cursor.rest().find(end) {
            Some(length) => {
                let taken = self.cursor.take(length);
                self.cursor.take(end.len());
                taken
            }
            None => self.cursor.take(self.cursor.rest().len()),
        }
    }

    /// Adds the next token. Returns false at the end.
    fn lex_token(&mut self) -> bool {
        let is_spaced = self.skip_blank();
        let line = self.cursor.line;
        let Some(first) = self.cursor.rest().chars().next() else {
            return false;
        };
        let token = match first {
            '\n' => {
                self.cursor.take(1);
                GradleToken::NewLine
            }
            '"' | '\'' => self.lex_string(first),
            '/' if self.starts_slashy() => self.lex_slashy(),
            '`' => {
                self.cursor.take(1);
                GradleToken::Name(self.take_through("`"))
            }
            '0'..='9' => {
                let number =
                    self.cursor.take_while(|c| c.is_alphanumeric() || c == '_' || c == '.');
                GradleToken::Text(vec![StringPart::Text(number.to_string())])
            }
            _ if is_name(first) => GradleToken::Name(self.cursor.take_while(is_name)),
            _ => {
                let symbol = SYMBOLS.iter().find(|symbol| self.cursor.rest().starts_with(**symbol));
                let length = symbol.map_or(first.len_utf8(), |symbol| symbol.len());
                GradleToken::Symbol(self.cursor.take(length))
            }
        };
        self.lexemes.push(Lexeme { token, line, is_spaced, close: usize::MAX });
        true
    }

    /// Skips comments and white space, except for line breaks. Returns true if anything was
    /// skipped. A backslash continues a line in Groovy.
    fn skip_blank(&mut self) -> bool {
        let start = self.cursor.before().len();
        loop {
            self.cursor.take_while(|c| c != '\n' && c.is_whitespace());
            if self.cursor.rest().starts_with("//") || self.cursor.rest().starts_with("#!") {
                self.cursor.take_while(|c| c != '\n');
            } else if self.cursor.rest().starts_with("/*") {
                self.take_through("*/");
            } else if self.cursor.rest().starts_with("\\\n") {
                self.cursor.take(2);
            } else {
                return self.cursor.before().len() > start;
            }
        }
    }

    /// True if `/` begins a Groovy string rather than a division. It does where an operand may
    /// stand, and if the string ends on its line.
    fn starts_slashy(&self) -> bool {
        let after_operand = match self.lexemes.last().map(|lexeme| &lexeme.token) {
            Some(GradleToken::Name(_) | GradleToken::Text(_)) => true,
            Some(GradleToken::Symbol(symbol)) => matches!(*symbol, ")" | "]" | "}"),
            Some(GradleToken::NewLine) | None => false,
        };
        let rest = &self.cursor.rest()[1..];
        let ends = || rest.find(['/', '\n']).is_some_and(|end| rest[end..].starts_with('/'));
        self.dialect == Dialect::Groovy && !after_operand && ends()
    }

    /// Takes a slashy string `/…/`. Only its extent matters, because no dependency is written so.
    fn lex_slashy(&mut self) -> GradleToken<'t> {
        self.cursor.take(1);
        let mut is_escaped = false;
        let end = self.cursor.rest().find(|c| {
            let is_end = (c == '/' && !is_escaped) || c == '\n';
            is_escaped = c == '\\';
            is_end
        });
        let content = self.cursor.take(end.unwrap_or(self.cursor.rest().len()));
        if self.cursor.rest().starts_with('/') {
            self.cursor.take(1);
        }
        GradleToken::Text(vec![StringPart::Text(content.to_string())])
    }

    /// Takes a string of either quote, single-line or triple-quoted. In Kotlin, triple-quoted
    /// strings have no escapes.
    fn lex_string(&mut self, quote: char) -> GradleToken<'t> {
        let triple = ["\"\"\"", "'''"][usize::from(quote == '\'')];
        let end = if self.cursor.rest().starts_with(triple) { triple } else { &triple[..1] };
        self.cursor.take(end.len());
        let interpolates = quote == '"';
        let is_raw = self.dialect == Dialect::Kotlin && end.len() == 3;
        let mut parts = Vec::new();
        let mut text = String::new();
        while let Some(c) = self.cursor.rest().chars().next() {
            // If more quotes follow than the three that end a string, the last three end it.
            let is_longer =
                |end: &str| end.len() == 3 && self.cursor.rest()[3..].starts_with(quote);
            if self.cursor.rest().starts_with(end) && !is_longer(end) {
                break;
            }
            match c {
                // A string of one line that does not end is no reason to lose the lines below.
                '\n' if end.len() == 1 => return finish_string(parts, text),
                '\\' if !is_raw => text.push_str(self.lex_escape()),
                '$' if interpolates => match self.lex_interpolation() {
                    Some(expression) => {
                        parts.push(StringPart::Text(std::mem::take(&mut text)));
                        parts.push(StringPart::Expression(expression));
                    }
                    None => text.push_str(self.cursor.take(1)),
                },
                _ => text.push_str(self.cursor.take(c.len_utf8())),
            }
        }
        let length = end.len().min(self.cursor.rest().len());
        self.cursor.take(length);
        finish_string(parts, text)
    }

    /// Takes an escape. White space becomes a blank; other characters stand for themselves.
    fn lex_escape(&mut self) -> &'t str {
        self.cursor.take(1);
        let escaped = self.cursor.rest().chars().next().map_or(0, char::len_utf8);
        match self.cursor.take(escaped) {
            "n" | "t" | "r" => " ",
            other => other,
        }
    }

    /// Takes `${…}`, `$name`, and in Groovy `$name.property`. `None` if the dollar is literal.
    fn lex_interpolation(&mut self) -> Option<&'t str> {
        let rest = &self.cursor.rest()[1..];
        if rest.starts_with('{') {
            self.cursor.take(2);
            let expression = &self.cursor.rest()[..braced_length(self.cursor.rest())];
            self.cursor.take(expression.len());
            let brace = usize::from(self.cursor.rest().starts_with('}'));
            self.cursor.take(brace);
            return Some(expression);
        }
        let mut length = name_length(rest);
        while self.dialect == Dialect::Groovy && length > 0 && rest[length..].starts_with('.') {
            match name_length(&rest[length + 1..]) {
                0 => break,
                property => length += 1 + property,
            }
        }
        if length == 0 {
            return None;
        }
        self.cursor.take(1);
        Some(self.cursor.take(length))
    }
}

/// The token of a string, without empty parts.
fn finish_string<'t>(mut parts: Vec<StringPart<'t>>, text: String) -> GradleToken<'t> {
    parts.push(StringPart::Text(text));
    parts.retain(|part| *part != StringPart::Text(String::new()));
    GradleToken::Text(parts)
}

/// True for a character of a name.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the name at the start of a text; 0 if there is none.
fn name_length(text: &str) -> usize {
    match text.chars().next() {
        Some(first) if is_name(first) && !first.is_ascii_digit() => {
            text.find(|c| !is_name(c)).unwrap_or(text.len())
        }
        _ => 0,
    }
}

/// The length of the expression behind an opening brace. It ends with its line at the latest, so
/// that a missing brace costs one line and not the file.
fn braced_length(text: &str) -> usize {
    let mut depth = 0;
    for (position, c) in text.char_indices() {
        match c {
            '\n' => return position,
            '{' => depth += 1,
            '}' if depth == 0 => return position,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// Sets `close` of all opening brackets. Returns the line of the first bracket that has no partner.
fn match_brackets(lexemes: &mut [Lexeme]) -> Option<u32> {
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut counts = [0usize; 3];
    let mut unmatched: Option<u32> = None;
    for index in 0..lexemes.len() {
        let GradleToken::Symbol(symbol) = lexemes[index].token else {
            continue;
        };
        if let Some(kind) = "([{".find(symbol) {
            open.push((kind, index));
            counts[kind] += 1;
        } else if let Some(kind) = ")]}".find(symbol) {
            if counts[kind] == 0 {
                unmatched = unmatched.or(Some(lexemes[index].line));
                continue;
            }
            // Brackets opened in between have no partner; they end here too.
            while let Some((opened, start)) = open.pop() {
                counts[opened] -= 1;
                lexemes[start].close = index;
                if opened == kind {
                    break;
                }
                unmatched = unmatched.or(Some(lexemes[start].line));
            }
        }
    }
    let end = lexemes.len();
    for (_, start) in open {
        lexemes[start].close = end;
        unmatched = unmatched.or(Some(lexemes[start].line));
    }
    unmatched
}
