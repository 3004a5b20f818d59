//! Type expressions: names with arguments, and lists, maps, unions, tuples and functions of these.
//!
//! One parser reads all languages: they write types alike, and the few ambiguities do not matter
//! here. `inference::generics` resolves the names.

mod conditional_types;
mod tuples;

use crate::rules::{ContainerShape, SyntaxRules};
use conditional_types::quoted_name;

/// A type as it is written, without references and optionality.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeExpr {
    /// `a.b.Name<X, Y>`; references and optionality are left out.
    Named {
        /// The segments of the name. There is at least one.
        path: Vec<String>,
        /// The type arguments.
        arguments: Vec<TypeExpr>,
    },
    /// Any of these: `A | B`, `A & B`, `A + B`.
    Union(Vec<TypeExpr>),
    /// `[X]`, `X[]`, `[]X`.
    List(Box<TypeExpr>),
    /// `[K: V]`, `map[K]V`.
    Map(Box<TypeExpr>),
    /// `(A, B)`.
    Tuple(Vec<TypeExpr>),
    /// The parameters of a function, as far as they are written, and its return type.
    Function(Vec<TypeExpr>, Box<TypeExpr>),
    /// `Shape['name']`, which may also be `Shape[name]`.
    Indexed(Box<TypeExpr>, String),
    /// `typeof name`, the path of a value.
    TypeOf(String),
    /// A text that the parser does not know, or a type without members.
    Unknown,
}

/// Deeper types are cut off, so that hostile input cannot overflow the stack.
const MAX_DEPTH: usize = 12;

/// Parses a type.
pub fn parse(text: &str, rules: &'static SyntaxRules) -> TypeExpr {
    let mut reader = TypeParser { rest: text, depth: 0, rules };
    reader.parse_union()
}

/// A parser of one type.
struct TypeParser<'t> {
    /// The text that is not yet read.
    rest: &'t str,
    /// The nesting depth of the type.
    depth: usize,
    /// The syntax of the language.
    rules: &'static SyntaxRules,
}

impl<'t> TypeParser<'t> {
    /// Parses types that `|`, `&` or `+` join, and a conditional type.
    fn parse_union(&mut self) -> TypeExpr {
        if self.depth > MAX_DEPTH {
            self.rest = "";
            return TypeExpr::Unknown;
        }
        self.depth += 1;
        let mut all = Vec::new();
        loop {
            self.skip_whitespace();
            // A union may begin with its operator: `| A | B`.
            let _ = self.eat("|") || self.eat("&");
            all.push(self.parse_single());
            self.skip_whitespace();
            if self.rest.starts_with("||") || !(self.eat("|") || self.eat("&") || self.eat("+")) {
                break;
            }
        }
        let found = match self.peek_word() {
            "extends" => self.parse_conditional(self.join_types(all)),
            _ => self.join_types(all),
        };
        self.depth -= 1;
        found
    }

    /// Parses one type with its suffixes.
    fn parse_single(&mut self) -> TypeExpr {
        self.skip_modifiers();
        let mut found = match self.rest.chars().next() {
            Some('(') => self.parse_parenthesized(),
            Some('[') => self.parse_list(),
            Some('{') => {
                self.skip_brackets();
                TypeExpr::Unknown
            }
            Some('"' | '\'') => self.parse_quoted(),
            Some(c) if c.is_alphabetic() || c == '_' || c == '$' => self.parse_named(),
            _ => {
                self.rest = "";
                TypeExpr::Unknown
            }
        };
        loop {
            self.skip_whitespace();
            if self.eat("[]") {
                found = TypeExpr::List(Box::new(found));
            } else if self.eat("?") || self.eat("!") || self.eat("...") || self.eat("*") {
                // Optional or a pointer: the members are the same.
            } else if self.eat("=>") || self.eat("->") {
                return TypeExpr::Function(vec![found], Box::new(self.parse_union()));
            } else if self.rest.starts_with('[') && !matches!(found, TypeExpr::Unknown) {
                found = self.parse_indexed(found);
            } else {
                return found;
            }
        }
    }

    /// Skips modifiers, reference signs and lifetimes.
    fn skip_modifiers(&mut self) {
        loop {
            self.skip_whitespace();
            let before = self.rest.len();
            for sign in ["&", "*", "@", "?", "...", "^", "<-", "\\"] {
                let _ = self.eat(sign);
            }
            if let Some(rest) = self.rest.strip_prefix('\'') {
                let word = peek_word(rest);
                // A lifetime, and no name in quotes.
                if !word.is_empty() && !rest[word.len()..].starts_with('\'') {
                    self.rest = &rest[word.len()..];
                }
            }
            let word = self.peek_word();
            let after = self.rest[word.len()..].trim_start();
            let is_mark = self.rules.type_modifiers.contains(&word)
                && after.starts_with(|c: char| c.is_alphabetic() || "_([&*@'".contains(c));
            if is_mark {
                self.rest = after;
            }
            if self.rest.starts_with("for<") {
                self.rest = &self.rest[3..];
                self.skip_angles();
            }
            if self.rest.len() == before {
                return;
            }
        }
    }

    /// Parses a name with its path and type arguments, and types that begin with a keyword.
    fn parse_named(&mut self) -> TypeExpr {
        let mut path = vec![self.read_word().to_string()];
        let mut arguments = Vec::new();
        if let Some(found) = self.parse_after_type_word(&path[0]) {
            return found;
        }
        loop {
            if self.rest.starts_with('<') {
                arguments = self.parse_arguments('<', '>');
            } else if self.rest.starts_with('[') && !self.rest.starts_with("[]") {
                let (inner, _) = crate::syntax::brackets::split_brackets(self.rest);
                let inner = inner.trim();
                // `Shape['name']` is an indexed type, and `list[Page]` has a type argument.
                if quoted_name(inner).is_some() || inner.starts_with("typeof ") {
                    break;
                } else {
                    arguments = self.parse_arguments('[', ']')
                }
            } else if self.eat("::")
                || self.eat("\\")
                || self.rest.starts_with('.') && !self.rest.starts_with("..")
            {
                let _ = self.eat(".");
                if self.rest.starts_with('<') {
                    continue;
                }
                path.push(self.read_word().to_string());
            } else {
                break;
            }
        }
        // A separator at the end leaves an empty segment.
        path.retain(|part| !part.is_empty());
        TypeExpr::Named { path, arguments }
    }

    /// Parses the rest of a type that begins with a word of the language: a container, a function
    /// type, or the type of a value. `None` if the word is the name of a type.
    fn parse_after_type_word(&mut self, word: &str) -> Option<TypeExpr> {
        let mut containers = self.rules.container_words.iter();
        match containers.find(|(known, _)| *known == word) {
            // `map[K]V`
            Some((_, ContainerShape::Map)) if self.rest.starts_with('[') => {
                self.skip_brackets();
                return Some(TypeExpr::Map(Box::new(self.parse_single())));
            }
            // `chan T`
            Some((_, ContainerShape::List)) if self.rest.starts_with([' ', '<']) => {
                return Some(TypeExpr::List(Box::new(self.parse_single())));
            }
            _ => {}
        }
        if !word.is_empty() && word == self.rules.value_type_word {
            return Some(self.parse_typeof());
        }
        if !word.is_empty() && word == self.rules.key_type_word {
            self.parse_union();
            return Some(TypeExpr::Unknown);
        }
        // `func(A) B`, `Fn(A) -> B`
        if self.rules.function_type_words.contains(&word) && self.rest.starts_with('(') {
            let taken = self.parse_parenthesized_types();
            self.skip_whitespace();
            let gives = self.eat("->") || self.eat(":");
            let given = if gives { self.parse_single() } else { TypeExpr::Unknown };
            return Some(TypeExpr::Function(taken, Box::new(given)));
        }
        None
    }

    /// Parses type arguments in these brackets.
    fn parse_arguments(&mut self, open: char, close: char) -> Vec<TypeExpr> {
        let _ = self.eat(&open.to_string());
        let mut all = Vec::new();
        loop {
            self.skip_whitespace();
            if self.eat(&close.to_string()) || self.rest.is_empty() {
                return all;
            }
            // `Item = X` of an associated type.
            let before = self.rest.len();
            let word = self.peek_word();
            let after = self.rest[word.len()..].trim_start();
            if after.starts_with('=') && !after.starts_with("=>") {
                self.rest = &after[1..];
            }
            all.push(self.parse_union());
            self.skip_whitespace();
            if !self.eat(",") && !self.rest.starts_with(close) {
                self.skip_to_close(close);
            }
            if self.rest.len() == before {
                return all;
            }
        }
    }

    /// Parses square brackets: `[X]`, `[K: V]`, `[X; 4]`, `[]X`, `[4]X`.
    fn parse_list(&mut self) -> TypeExpr {
        let _ = self.eat("[");
        self.skip_whitespace();
        // `[]X`.
        if self.eat("]") {
            return TypeExpr::List(Box::new(self.parse_single()));
        }
        // `[4]X`.
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            self.skip_to_close(']');
            let _ = self.eat("]");
            return TypeExpr::List(Box::new(self.parse_single()));
        }
        let first = self.parse_union();
        self.skip_whitespace();
        let second = self.eat(":").then(|| self.parse_union());
        self.skip_to_close(']');
        let _ = self.eat("]");
        match second {
            Some(value) => TypeExpr::Map(Box::new(value)),
            None => TypeExpr::List(Box::new(first)),
        }
    }

    /// Parses a forward reference: `"Foo"`.
    fn parse_quoted(&mut self) -> TypeExpr {
        let quote = self.rest.chars().next().unwrap_or('"');
        let inner = &self.rest[1..];
        let end = inner.find(quote).unwrap_or(inner.len());
        let found = parse(&inner[..end], self.rules);
        self.rest = inner.get(end + 1..).unwrap_or_default();
        found
    }

    /// Returns the identifier that follows, without reading it.
    fn peek_word(&self) -> &'t str {
        peek_word(self.rest)
    }

    /// Reads an identifier; empty if none follows.
    fn read_word(&mut self) -> &'t str {
        let word = self.peek_word();
        self.rest = &self.rest[word.len()..];
        word
    }

    /// Skips blanks.
    fn skip_whitespace(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Eats a text, if it follows.
    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Skips to the end of angle brackets that do not nest.
    fn skip_angles(&mut self) {
        let end = self.rest.find('>').map_or(self.rest.len(), |at| at + 1);
        self.rest = &self.rest[end..];
    }

    /// Skips the brackets here.
    fn skip_brackets(&mut self) {
        (_, self.rest) = crate::syntax::brackets::split_brackets(self.rest);
    }

    /// Joins types into a union. Types without members are left out.
    fn join_types(&self, mut all: Vec<TypeExpr>) -> TypeExpr {
        all.retain(|one| !self.has_no_members(one) && *one != TypeExpr::Unknown);
        match all.len() {
            0 => TypeExpr::Unknown,
            1 => all.remove(0),
            _ => TypeExpr::Union(all),
        }
    }

    /// True if a type contributes no members.
    fn has_no_members(&self, one: &TypeExpr) -> bool {
        let TypeExpr::Named { path, .. } = one else {
            return false;
        };
        path.last().is_some_and(|last| self.rules.memberless_types.contains(&last.as_str()))
    }

    /// Skips to the bracket that closes the current list, or past the next comma.
    fn skip_to_close(&mut self, close: char) {
        let mut depth = 0usize;
        for (at, c) in self.rest.char_indices() {
            match c {
                c if c == close && depth == 0 => {
                    self.rest = &self.rest[at..];
                    return;
                }
                '(' | '[' | '{' | '<' => depth += 1,
                ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    self.rest = &self.rest[at + 1..];
                    return;
                }
                _ => {}
            }
        }
        self.rest = "";
    }
}

/// Returns the identifier at the start of a text; empty if none is there.
fn peek_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(written: &TypeExpr) -> String {
        let list = |all: &[TypeExpr]| all.iter().map(show).collect::<Vec<_>>().join(",");
        match written {
            TypeExpr::Named { path, arguments } if arguments.is_empty() => path.join("."),
            TypeExpr::Named { path, arguments } => {
                format!("{}<{}>", path.join("."), list(arguments))
            }
            TypeExpr::Union(all) => format!("({})", list(all).replace(',', "|")),
            TypeExpr::List(inner) => format!("[{}]", show(inner)),
            TypeExpr::Map(inner) => format!("[:{}]", show(inner)),
            TypeExpr::Tuple(all) => format!("t({})", list(all)),
            TypeExpr::Function(_, inner) => format!("->{}", show(inner)),
            TypeExpr::Indexed(base, name) => format!("{}.'{name}'", show(base)),
            TypeExpr::TypeOf(value) => format!("={value}"),
            TypeExpr::Unknown => "?".to_string(),
        }
    }

    /// The syntax of several languages at once.
    const SEVERAL_LANGUAGES: SyntaxRules = SyntaxRules {
        type_modifiers: &["mut", "impl", "dyn", "some", "any", "extends", "infer"],
        container_words: &[("map", ContainerShape::Map), ("chan", ContainerShape::List)],
        function_type_words: &["func", "Fn"],
        value_type_word: "typeof",
        key_type_word: "keyof",
        has_names_before_types: true,
        memberless_types: &["undefined", "never", "Send"],
        ..SyntaxRules::COMMON
    };

    static SYNTAX: SyntaxRules = SEVERAL_LANGUAGES;

    #[test]
    fn types_of_many_languages() {
        for (text, shown) in [
            ("Foo", "Foo"),
            ("&'a mut Foo", "Foo"),
            ("&'a Foo<'a>", "Foo<?>"),
            ("Option<Arc<Mutex<Foo>>>", "Option<Arc<Mutex<Foo>>>"),
            ("Foo | undefined", "Foo"),
            ("A | B", "(A|B)"),
            ("Promise<Foo[]>", "Promise<[Foo]>"),
            ("list[Foo]", "list<Foo>"),
            ("dict[str, \"Foo\"]", "dict<str,Foo>"),
            ("Optional[Foo]", "Optional<Foo>"),
            ("'Foo'", "Foo"),
            ("*pkg.Foo", "pkg.Foo"),
            ("[]*Foo", "[Foo]"),
            ("map[string]*Foo", "[:Foo]"),
            ("[String: Foo]", "[:Foo]"),
            ("[Foo]?", "[Foo]"),
            ("(a: A, b: B) => C", "->C"),
            ("(A, error)", "t(A,error)"),
            ("(c *T, err error)", "t(T,error)"),
            ("(a, b *pkg.T, err error)", "t(pkg.T,pkg.T,error)"),
            ("(c []*T)", "[T]"),
            ("(string, error)", "t(string,error)"),
            ("(any P)", "P"),
            ("(value: Foo, Bar)", "t(Foo,Bar)"),
            ("<-chan *T", "[T]"),
            ("impl Iterator<Item = Foo> + '_", "Iterator<Foo>"),
            ("Box<dyn Fn(A) -> B + Send>", "Box<->B>"),
            ("crate::a::Foo", "crate.a.Foo"),
            ("some View", "View"),
            ("any P & Q", "(P|Q)"),
            ("Foo['bar'][]", "[Foo.'bar']"),
            ("ReturnType<Foo<A>[\"bar\"]>", "ReturnType<Foo<A>.'bar'>"),
            ("D[typeof KEY] & E", "(D.'[KEY]'|E)"),
            ("ReturnType<typeof a.b>", "ReturnType<=a.b>"),
            ("Foo[number]", "Foo<number>"),
            ("List<? extends Foo>", "List<Foo>"),
            ("", "?"),
            ("((((", "t()"),
        ] {
            assert_eq!(show(&parse(text, &SYNTAX)), shown, "{text}");
        }
    }

    #[test]
    fn conditional_types() {
        static CONDITIONAL: SyntaxRules =
            SyntaxRules { has_names_before_types: false, ..SEVERAL_LANGUAGES };
        for (text, shown) in [
            ("T extends keyof DB ? Foo<T> : T extends [A] ? Foo<A> : never", "(Foo<T>|Foo<A>)"),
            ("(T extends A ? B : C)[]", "[(B|C)]"),
            ("T extends Promise<infer U> ? U : never", "T"),
            ("T extends (a: A) => infer U ? U : Foo", "Foo"),
            ("Foo<T extends A ? B : C, D>", "Foo<(B|C),D>"),
            ("T extends Shape", "T"),
        ] {
            assert_eq!(show(&parse(text, &CONDITIONAL)), shown, "{text}");
        }
    }
}
