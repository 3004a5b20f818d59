//! Expressions: chains of names, members and calls.
//!
//! Extraction has already shortened the text: it drops the bodies of closures, and the arguments of
//! calls except a single short one. One recursive-descent parser reads all languages.

mod builder;
mod lexer;

use crate::rules::SyntaxRules;
use crate::syntax::brackets::split_arguments;
use builder::{build_alternative, build_call, build_literal};
use lexer::ExpressionParser;

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// `name`.
    Name(String),
    /// `base.name`, `base?.name`, `base->name`.
    Member(Box<Expression>, String),
    /// `base::name`.
    Path(Box<Expression>, String),
    /// `function(argument)`.
    Call {
        /// The callee.
        function: Box<Expression>,
        /// The type arguments at the call: `resolve<Foo>()`.
        types: Vec<String>,
        /// The argument that extraction kept.
        argument: Option<Box<Expression>>,
    },
    /// `x[i]`.
    Index(Box<Expression>),
    /// `new Foo()`.
    New(String),
    /// `require("./foo")`.
    Require(String),
    /// `Foo {}`.
    Literal(String),
    /// `await x`.
    Await(Box<Expression>),
    /// `x?`.
    Try(Box<Expression>),
    /// `x as Foo`.
    Cast(String),
    /// `a ?? b`, `a || b`, `c ? a : b`, `a if c else b`.
    Alternative(Box<Expression>, Box<Expression>),
    /// `[x]`.
    List(Box<Expression>),
    /// `(x, y)`, by its first element.
    Tuple(Box<Expression>),
    /// A text in quotes.
    StringLiteral,
    /// A value whose type has no members in the repository: a number, a comparison.
    Opaque,
    /// A text that the parser does not know.
    Unknown,
}

/// Deeper expressions are cut off, so that hostile input cannot overflow the stack.
const MAX_DEPTH: usize = 40;

/// Words that may stand between two operands. Brackets before them are no cast: `(a) if c else b`.
const INFIX_WORDS: &[&str] = &[
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

/// True if a text begins with a whole word.
fn starts_with_word(text: &str, word: &str) -> bool {
    let after = text.strip_prefix(word).map(|rest| rest.chars().next());
    after.is_some_and(|next| next.is_none_or(|c| !c.is_alphanumeric() && c != '_'))
}

/// Parses an expression.
pub fn parse(text: &str, rules: &'static SyntaxRules) -> Expression {
    let mut reader = ExpressionParser { rest: text, depth: 0, rules };
    reader.parse_expression()
}

impl ExpressionParser<'_> {
    /// Parses an operand and the operators after it.
    fn parse_expression(&mut self) -> Expression {
        if self.depth > MAX_DEPTH {
            self.rest = "";
            return Expression::Unknown;
        }
        self.depth += 1;
        let first = self.parse_unary();
        let found = self.parse_operators(first);
        self.depth -= 1;
        found
    }

    /// Parses the text after an operand: casts, alternatives, operators.
    fn parse_operators(&mut self, first: Expression) -> Expression {
        self.skip_whitespace();
        for word in self.rules.cast_words {
            if self.eat_keyword(word) {
                let ends = [")", ",", " ?:", " ??", " ||", " &&"];
                let nearest = ends.into_iter().filter_map(|end| self.rest.find(end)).min();
                let end = nearest.unwrap_or(self.rest.len());
                let (kind, rest) = self.rest.split_at(end);
                self.rest = rest;
                return Expression::Cast(kind.trim().to_string());
            }
        }
        // The value is one of both operands.
        for sign in ["??", "||", "?:"] {
            if self.eat(sign) {
                return build_alternative(first, self.parse_expression());
            }
        }
        if self.eat_keyword("or") {
            return build_alternative(first, self.parse_expression());
        }
        if self.eat_keyword("if") {
            // `a if c else b`.
            if let Some(at) = self.rest.find(" else ") {
                self.rest = &self.rest[at + 6..];
                return build_alternative(first, self.parse_expression());
            }
            return first;
        }
        // `c ? a : b`: the condition before it is dropped.
        if self.rest.starts_with('?') && !self.rest.starts_with("?.") {
            self.rest = &self.rest[1..];
            let then = self.parse_expression();
            self.skip_whitespace();
            if self.eat(":") {
                return build_alternative(then, self.parse_expression());
            }
            return then;
        }
        // Comparisons and arithmetic have no members in the repository.
        let comparison = ["==", "!=", "<=", ">=", "&&", "+", "-", "%", "<", ">"];
        if comparison.iter().any(|sign| self.rest.starts_with(sign)) {
            self.rest = "";
            return Expression::Opaque;
        }
        if self.rest.starts_with([')', ',', ']', '}', ':', ';']) || self.rest.is_empty() {
            return first;
        }
        self.rest = "";
        Expression::Unknown
    }

    /// Parses prefix operators and the operand after them.
    fn parse_unary(&mut self) -> Expression {
        self.skip_whitespace();
        for word in ["await", "yield"] {
            if self.eat_keyword(word) {
                return Expression::Await(Box::new(self.parse_unary()));
            }
        }
        for word in self.rules.operand_modifiers {
            if self.eat_keyword(word) {
                return self.parse_unary();
            }
        }
        if self.eat_keyword("new") {
            return self.parse_new();
        }
        // A negation is a boolean.
        if self.eat_keyword("not") || self.rest.starts_with('!') {
            self.rest = "";
            return Expression::Opaque;
        }
        // References and dereferences have the members of the operand.
        for sign in ["&&", "&", "*", "-", "^"] {
            if self.eat(sign) {
                return self.parse_unary();
            }
        }
        if let Some(kind) = self.parse_cast() {
            return kind;
        }
        let start = self.parse_primary();
        self.parse_suffixes(start)
    }

    /// Parses a cast: `(Foo)x`, `(Foo*)x`, `(*Foo)(x)`, `<Foo>x`. Resets the parser if it is none.
    fn parse_cast(&mut self) -> Option<Expression> {
        let rest = self.rest;
        let inner = match rest.chars().next()? {
            '(' => self.read_brackets(),
            '<' => self.read_angles(),
            _ => return None,
        };
        let after = self.rest.trim_start();
        // `(Foo)x` is a cast because an operand follows; `(foo).x` and `(a) if c` are none.
        let is_operand = after.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !INFIX_WORDS.iter().any(|word| starts_with_word(after, word));
        // `(*Foo)(x)`.
        let is_pointer = inner.starts_with('*') && self.rest.starts_with('(');
        // `<Foo>{ … }`.
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
        self.parse_unary();
        Some(Expression::Cast(inner.trim().to_string()))
    }

    /// Parses the text after `new`.
    fn parse_new(&mut self) -> Expression {
        self.skip_whitespace();
        let end = self.rest.find(['(', '{', '[']).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        let name = name.trim().to_string();
        if self.rest.starts_with('(') {
            self.read_brackets();
        }
        if self.rest.trim_start().starts_with('{') {
            self.skip_whitespace();
            self.read_brackets();
        }
        self.parse_suffixes(Expression::New(name))
    }

    /// Parses a container literal that names its type: `[]Foo {}`, `map[K]Foo {}`.
    fn parse_container_literal(&mut self) -> Option<Expression> {
        let is_container = (self.rules.is_container_type)(self.rest);
        let end = self.rest.find('{').filter(|_| is_container)?;
        let (written, rest) = self.rest.split_at(end);
        let is_type = written.len() > 2 && !written.contains(['(', ')', ',', ';']);
        is_type.then(|| {
            self.rest = rest;
            self.read_brackets();
            Expression::Cast(written.trim().to_string())
        })
    }

    /// Parses an operand without prefixes and suffixes.
    fn parse_primary(&mut self) -> Expression {
        self.skip_whitespace();
        if let Some(found) = self.parse_container_literal() {
            return found;
        }
        match self.rest.chars().next() {
            Some('(') => self.parse_parenthesized(),
            Some('[') => {
                let inner = self.read_brackets();
                if inner.is_empty() {
                    Expression::List(Box::new(Expression::Unknown))
                } else {
                    Expression::List(Box::new(parse(inner, self.rules)))
                }
            }
            Some('{') => {
                self.read_brackets();
                Expression::Unknown
            }
            Some('"') => {
                self.rest = self.rest.trim_start_matches('"');
                Expression::StringLiteral
            }
            Some('<') => {
                // `<Foo as Bar>::baz`, `<Foo>x`.
                let inner = self.read_angles();
                let name = inner.split(" as ").next().unwrap_or(inner);
                Expression::Name(name.trim().to_string())
            }
            Some('.') => {
                // `.shared`: its type comes from the context.
                self.rest = "";
                Expression::Unknown
            }
            Some(c) if c.is_ascii_digit() => {
                self.rest = self.rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
                Expression::Opaque
            }
            Some(c) if c.is_alphabetic() || c == '_' || c == '$' || c == '#' || c == '@' => {
                self.rest = self.rest.trim_start_matches(['#', '@']);
                let word = self.read_word();
                if self.rules.plain_values.contains(&word) {
                    Expression::Opaque
                } else {
                    Expression::Name(word.to_string())
                }
            }
            _ => {
                self.rest = "";
                Expression::Unknown
            }
        }
    }

    /// Parses round brackets: one value, or a tuple.
    fn parse_parenthesized(&mut self) -> Expression {
        let rest = self.read_brackets();
        let mut inner = ExpressionParser { rest, depth: 0, rules: self.rules };
        let first = inner.parse_expression();
        if inner.rest.starts_with(',') { Expression::Tuple(Box::new(first)) } else { first }
    }

    /// Parses members, calls, indexes and other suffixes after an operand.
    fn parse_suffixes(&mut self, mut found: Expression) -> Expression {
        loop {
            if self.rest.starts_with(".(") {
                // `x.(Foo)`.
                self.rest = &self.rest[1..];
                found = Expression::Cast(self.read_brackets().to_string());
                continue;
            }
            if self.eat("?.")
                || self.eat("!.")
                || self.eat("!!.")
                || self.eat("->")
                || self.eat_dot()
            {
                if self.rest.starts_with(['(', '[']) {
                    continue;
                }
                // The mark of a private member is part of its name.
                let mark = if self.eat("#") { "#" } else { "" };
                let name = self.read_word();
                found = match name {
                    "await" => Expression::Await(Box::new(found)),
                    _ => Expression::Member(Box::new(found), format!("{mark}{name}")),
                };
            } else if self.rest.starts_with("::<") {
                self.rest = &self.rest[2..];
            } else if self.eat("::") {
                found = Expression::Path(Box::new(found), self.read_word().to_string());
            } else if self.rest.starts_with('(') {
                found = build_call(found, Vec::new(), self.read_brackets(), self.rules);
            } else if self.rest.starts_with("!(") || self.rest.starts_with("![") {
                self.rest = &self.rest[1..];
                self.read_brackets();
                found = Expression::Unknown;
            } else if self.rest.starts_with('[') {
                self.read_brackets();
                found = Expression::Index(Box::new(found));
            } else if self.rest.starts_with('<') && self.has_type_arguments(&found) {
                let types = split_arguments(self.read_angles());
                found = if self.rest.starts_with('(') {
                    build_call(found, types, self.read_brackets(), self.rules)
                } else {
                    found
                };
            } else if self.rest.starts_with('{') || self.rest.starts_with(" {") {
                self.skip_whitespace();
                self.read_brackets();
                found = build_literal(found);
            } else if self.is_try_operator() {
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
    use crate::rules::SpecialCall;

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
            Expression::Require(module) => format!("<{module}>"),
            Expression::Literal(name) => format!("{name}{{}}"),
            Expression::Await(inner) => format!("await {}", show(inner)),
            Expression::Try(inner) => format!("{}?", show(inner)),
            Expression::Cast(kind) => format!("as {kind}"),
            Expression::Alternative(a, b) => format!("({} or {})", show(a), show(b)),
            Expression::List(inner) => format!("[{}]", show(inner)),
            Expression::Tuple(first) => format!("({}, …)", show(first)),
            Expression::StringLiteral => "text".to_string(),
            Expression::Opaque => "plain".to_string(),
            Expression::Unknown => "?".to_string(),
        }
    }

    /// The syntax of several languages at once.
    static SYNTAX: SyntaxRules = SyntaxRules {
        interpret_call: |call| {
            if call.is_bare && ["make", "new"].contains(&call.name) {
                return Some(SpecialCall::Cast(call.argument.to_string()));
            }
            if call.name == "require" {
                let module = call.argument.trim_matches('"');
                return Some(SpecialCall::Require(module.to_string()));
            }
            let kind = call.type_argument.filter(|_| call.name.ends_with("_cast"));
            kind.map(|kind| SpecialCall::Cast(kind.to_string()))
        },
        is_container_type: |text| text.starts_with("[]") || text.starts_with("map["),
        operand_modifiers: &["try", "mut", "clone"],
        ..SyntaxRules::COMMON
    };

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
            ("make.run()", "make.run()"),
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
            assert_eq!(show(&parse(text, &SYNTAX)), shown, "{text}");
        }
    }
}
