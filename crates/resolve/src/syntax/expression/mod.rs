//! Expressions as written (and made brief by `extract`), taken apart: chains of names, members and
//! calls. One reader for all languages; what it does not know it says.

mod builder;
mod lexer;

use crate::syntax::brackets::split;
use builder::{call, either, is_container, literal};
use lexer::ExpressionLexer;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    Name(String),
    /// `base.name`, `base?.name`, `base->name`.
    Member(Box<Expression>, String),
    /// `base::name`.
    Path(Box<Expression>, String),
    Call {
        function: Box<Expression>,
        /// Types that are written with it: `resolve<Foo>()`.
        types: Vec<String>,
        argument: Option<Box<Expression>>,
    },
    Index(Box<Expression>),
    /// `new Foo()`.
    New(String),
    /// `require("./foo")`.
    Required(String),
    /// `Foo {}`.
    Literal(String),
    /// `await x`.
    Await(Box<Expression>),
    /// `x?` of Rust, `try x`.
    Try(Box<Expression>),
    /// `x as Foo`.
    Cast(String),
    /// `a ?? b`, `a || b`, `c ? a : b`, `a if c else b`.
    Either(Box<Expression>, Box<Expression>),
    /// `[x]`.
    List(Box<Expression>),
    /// `(x, y)`, of which the first is kept.
    Several(Box<Expression>),
    Text,
    /// A value of no type that has members of ours.
    Plain,
    Unknown,
}

const MAX_DEPTH: usize = 40;

/// Words that may stand between two operands: no cast stands before them.
const INFIX: &[&str] = &[
    "if",
    "else",
    "as",
    "is",
    "in",
    "or",
    "and",
    "not",
    "instanceof",
    "satisfies",
    "to",
    "until",
    "unless",
];

fn starts_with_word(text: &str, word: &str) -> bool {
    let after = text.strip_prefix(word).map(|rest| rest.chars().next());
    after.is_some_and(|next| next.is_none_or(|c| !c.is_alphanumeric() && c != '_'))
}

/// Reads an expression.
pub fn parse(text: &str) -> Expression {
    let mut reader = ExpressionLexer { rest: text, depth: 0 };
    reader.whole()
}

impl ExpressionLexer<'_> {
    fn whole(&mut self) -> Expression {
        if self.depth > MAX_DEPTH {
            self.rest = "";
            return Expression::Unknown;
        }
        self.depth += 1;
        let first = self.unary();
        let found = self.rest_of(first);
        self.depth -= 1;
        found
    }

    /// Reads the text after an operand: casts, alternatives, operators.
    fn rest_of(&mut self, first: Expression) -> Expression {
        self.blank();
        for word in ["as!", "as?", "as", "satisfies"] {
            if self.eat_word(word) {
                let ends = [")", ",", " ?:", " ??", " ||", " &&"].into_iter();
                let ends = ends.filter_map(|end| self.rest.find(end));
                let end = ends.min().unwrap_or(self.rest.len());
                let (kind, rest) = self.rest.split_at(end);
                self.rest = rest;
                return Expression::Cast(kind.trim().to_string());
            }
        }
        for sign in ["??", "||", "?:"] {
            if self.eat(sign) {
                return either(first, self.whole());
            }
        }
        if self.eat_word("or") {
            return either(first, self.whole());
        }
        if self.eat_word("if") {
            // `a if c else b` of Python.
            if let Some(at) = self.rest.find(" else ") {
                self.rest = &self.rest[at + 6..];
                return either(first, self.whole());
            }
            return first;
        }
        if self.rest.starts_with('?') && !self.rest.starts_with("?.") {
            self.rest = &self.rest[1..];
            let then = self.whole();
            self.blank();
            if self.eat(":") {
                return either(then, self.whole());
            }
            return then;
        }
        let comparison = ["==", "!=", "<=", ">=", "&&", "+", "-", "%", "<", ">"];
        if comparison.iter().any(|sign| self.rest.starts_with(sign)) {
            self.rest = "";
            return Expression::Plain;
        }
        if self.rest.starts_with([')', ',', ']', '}', ':', ';']) || self.rest.is_empty() {
            return first;
        }
        self.rest = "";
        Expression::Unknown
    }

    fn unary(&mut self) -> Expression {
        self.blank();
        for word in ["await", "yield"] {
            if self.eat_word(word) {
                return Expression::Await(Box::new(self.unary()));
            }
        }
        for word in ["try!", "try?", "try", "return", "mut", "const", "move", "unsafe", "dyn"] {
            if self.eat_word(word) {
                return self.unary();
            }
        }
        // A word of PHP, and a name elsewhere.
        if self.rest.starts_with("clone $") && self.eat_word("clone") {
            return self.unary();
        }
        if self.eat_word("new") {
            return self.created();
        }
        if self.eat_word("not") || self.rest.starts_with('!') {
            self.rest = "";
            return Expression::Plain;
        }
        for sign in ["&&", "&", "*", "-", "^"] {
            if self.eat(sign) {
                return self.unary();
            }
        }
        if let Some(kind) = self.cast() {
            return kind;
        }
        let start = self.primary();
        self.suffixes(start)
    }

    /// `(Foo)x`, `(Foo*)x`, `(*Foo)(x)`, `<Foo>x`.
    fn cast(&mut self) -> Option<Expression> {
        let rest = self.rest;
        let inner = match rest.chars().next()? {
            '(' => self.bracket(),
            '<' => self.angles(),
            _ => return None,
        };
        let after = self.rest.trim_start();
        let is_operand = after.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !INFIX.iter().any(|word| starts_with_word(after, word));
        let is_pointer = inner.starts_with('*') && self.rest.starts_with('(');
        let is_object = rest.starts_with('<') && after.starts_with(['{', '(']);
        let is_type = |c: char| c.is_alphanumeric() || "_.:<>,[]?*& $".contains(c);
        if !(is_operand || is_pointer || is_object)
            || inner.is_empty()
            || !inner.chars().all(is_type)
            || rest.starts_with('<') && inner.contains(" as ")
        {
            self.rest = rest;
            return None;
        }
        self.unary();
        Some(Expression::Cast(inner.trim().to_string()))
    }

    /// After `new`.
    fn created(&mut self) -> Expression {
        self.blank();
        let end = self.rest.find(['(', '{', '[']).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        let name = name.trim().to_string();
        if self.rest.starts_with('(') {
            self.bracket();
        }
        if self.rest.trim_start().starts_with('{') {
            self.blank();
            self.bracket();
        }
        self.suffixes(Expression::New(name))
    }

    /// `[]Foo {}`, `map[K]Foo {}`.
    fn container(&mut self) -> Option<Expression> {
        let end = self.rest.find('{').filter(|_| is_container(self.rest))?;
        let (written, rest) = self.rest.split_at(end);
        let is_type = written.len() > 2 && !written.contains(['(', ')', ',', ';']);
        is_type.then(|| {
            self.rest = rest;
            self.bracket();
            Expression::Cast(written.trim().to_string())
        })
    }

    fn primary(&mut self) -> Expression {
        self.blank();
        if let Some(found) = self.container() {
            return found;
        }
        match self.rest.chars().next() {
            Some('(') => self.in_brackets(),
            Some('[') => {
                let inner = self.bracket();
                if inner.is_empty() {
                    Expression::List(Box::new(Expression::Unknown))
                } else {
                    Expression::List(Box::new(parse(inner)))
                }
            }
            Some('{') => {
                self.bracket();
                Expression::Unknown
            }
            Some('"') => {
                self.rest = self.rest.trim_start_matches('"');
                Expression::Text
            }
            Some('<') => {
                // `<Foo as Bar>::baz` of Rust, `<Foo>x` of TypeScript.
                let inner = self.angles();
                let name = inner.split(" as ").next().unwrap_or(inner);
                Expression::Name(name.trim().to_string())
            }
            Some('.') => {
                // `.shared` of Swift: of a type that is known from elsewhere.
                self.rest = "";
                Expression::Unknown
            }
            Some(c) if c.is_ascii_digit() => {
                self.rest = self.rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
                Expression::Plain
            }
            Some(c) if c.is_alphabetic() || c == '_' || c == '$' || c == '#' || c == '@' => {
                self.rest = self.rest.trim_start_matches(['#', '@']);
                let word = self.word();
                match word {
                    "true" | "false" | "null" | "nil" | "None" | "undefined" => Expression::Plain,
                    _ => Expression::Name(word.to_string()),
                }
            }
            _ => {
                self.rest = "";
                Expression::Unknown
            }
        }
    }

    /// One value, or the first of several.
    fn in_brackets(&mut self) -> Expression {
        let mut inner = ExpressionLexer { rest: self.bracket(), depth: 0 };
        let first = inner.whole();
        if inner.rest.starts_with(',') { Expression::Several(Box::new(first)) } else { first }
    }

    fn suffixes(&mut self, mut found: Expression) -> Expression {
        loop {
            if self.rest.starts_with(".(") {
                // `x.(Foo)` of Go.
                self.rest = &self.rest[1..];
                found = Expression::Cast(self.bracket().to_string());
                continue;
            }
            if self.eat("?.") || self.eat("!.") || self.eat("!!.") || self.eat("->") || self.dot() {
                if self.rest.starts_with(['(', '[']) {
                    continue;
                }
                // The mark of a private member is part of its name.
                let mark = if self.eat("#") { "#" } else { "" };
                let name = self.word();
                found = match name {
                    "await" => Expression::Await(Box::new(found)),
                    _ => Expression::Member(Box::new(found), format!("{mark}{name}")),
                };
            } else if self.rest.starts_with("::<") {
                self.rest = &self.rest[2..];
            } else if self.eat("::") {
                found = Expression::Path(Box::new(found), self.word().to_string());
            } else if self.rest.starts_with('(') {
                found = call(found, Vec::new(), self.bracket());
            } else if self.rest.starts_with("!(") || self.rest.starts_with("![") {
                self.rest = &self.rest[1..];
                self.bracket();
                found = Expression::Unknown;
            } else if self.rest.starts_with('[') {
                self.bracket();
                found = Expression::Index(Box::new(found));
            } else if self.rest.starts_with('<') && self.has_type_arguments(&found) {
                let types = split(self.angles());
                found = if self.rest.starts_with('(') {
                    call(found, types, self.bracket())
                } else {
                    found
                };
            } else if self.rest.starts_with('{') || self.rest.starts_with(" {") {
                self.blank();
                self.bracket();
                found = literal(found);
            } else if self.is_question() {
                self.rest = &self.rest[1..];
                found = Expression::Try(Box::new(found));
            } else if self.eat("!!") || self.rest.starts_with('!') && !self.rest.starts_with("!=") {
                let _ = self.eat("!");
            } else {
                return found;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(expression: &Expression) -> String {
        match expression {
            Expression::Name(name) => name.clone(),
            Expression::Member(base, name) => format!("{}.{name}", show(base)),
            Expression::Path(base, name) => format!("{}::{name}", show(base)),
            Expression::Call { function, types, argument } => format!(
                "{}{}({})",
                show(function),
                if types.is_empty() { String::new() } else { format!("<{}>", types.join(",")) },
                argument.as_ref().map_or(String::new(), |argument| show(argument))
            ),
            Expression::Index(base) => format!("{}[]", show(base)),
            Expression::New(name) => format!("new {name}"),
            Expression::Required(module) => format!("<{module}>"),
            Expression::Literal(name) => format!("{name}{{}}"),
            Expression::Await(inner) => format!("await {}", show(inner)),
            Expression::Try(inner) => format!("{}?", show(inner)),
            Expression::Cast(kind) => format!("as {kind}"),
            Expression::Either(a, b) => format!("({} or {})", show(a), show(b)),
            Expression::List(inner) => format!("[{}]", show(inner)),
            Expression::Several(first) => format!("({}, …)", show(first)),
            Expression::Text => "text".to_string(),
            Expression::Plain => "plain".to_string(),
            Expression::Unknown => "?".to_string(),
        }
    }

    #[test]
    fn expressions_of_many_languages() {
        for (text, shown) in [
            ("self.session", "self.session"),
            ("this.a?.b()", "this.a.b()"),
            ("a!.b", "a.b"),
            ("Foo::new().bar()?", "Foo::new().bar()?"),
            ("new Foo<Bar>().baz", "new Foo<Bar>.baz"),
            ("new a.Foo()", "new a.Foo"),
            ("await this.load()", "await this.load()"),
            ("x.load().await?", "await x.load()?"),
            ("(x as Foo).bar", "as Foo.bar"),
            ("x as Foo", "as Foo"),
            ("x as Foo ?: y", "as Foo"),
            ("(Foo)x", "as Foo"),
            ("((Foo)x).bar", "as Foo.bar"),
            ("(List<Foo>) x.y()", "as List<Foo>"),
            ("(*Foo)(x)", "as *Foo"),
            ("<Foo>x", "as Foo"),
            ("static_cast<Foo*>(x)", "as Foo*"),
            ("std::static_pointer_cast<Foo>(x)", "as Foo"),
            ("(a) if c else b", "(a or b)"),
            ("(f)(x)", "f(x)"),
            ("<Foo as Bar>::baz", "Foo::baz"),
            ("a ?? b()", "(a or b())"),
            ("c ? a : b", "(a or b)"),
            ("a if c else b", "(a or b)"),
            ("require(\"./a\").b()", "<./a>.b()"),
            ("Foo {}", "Foo{}"),
            ("get::<Foo>()", "get<Foo>()"),
            ("get<Foo>()", "get<Foo>()"),
            ("a < b", "plain"),
            ("Foo<Void>.all()", "Foo.all()"),
            ("Foo<[@Sendable () -> Void]>([])", "Foo<[@Sendable () -> Void]>([?])"),
            ("clone $this->a", "$this.a"),
            ("clone.run()", "clone.run()"),
            ("a[i].b", "a[].b"),
            ("[Foo()]", "[Foo()]"),
            ("&mut self.x", "self.x"),
            ("try await foo(bar: x)", "await foo(x)"),
            ("vec![]", "?"),
            ("x.(*Foo)", "as *Foo"),
            ("x.y.(Foo).z()", "as Foo.z()"),
            ("a?.(b)", "a(b)"),
            ("(a, b).c()", "(a, …).c()"),
            ("this.#a.b", "this.#a.b"),
            ("make([]*Foo)", "as []*Foo"),
            ("new(Foo)", "as Foo"),
            ("[]Foo {}", "as []Foo"),
            ("map[string]*Foo{}", "as map[string]*Foo"),
            ("\"\".join()", "text.join()"),
            ("1 + 2", "plain"),
            ("Arc::new(Foo::open())", "Arc::new(Foo::open())"),
            ("", "?"),
            ("((((", "?"),
        ] {
            assert_eq!(show(&parse(text)), shown, "{text}");
        }
    }
}
