//! Round brackets in types: tuples, parameters of function types, named results.

use crate::syntax::type_expr::{TypeExpr, TypeParser};

impl TypeParser<'_> {
    /// Parses a tuple, a type in brackets, or a function type.
    pub(crate) fn parse_parenthesized(&mut self) -> TypeExpr {
        let all = self.parse_parenthesized_types();
        self.skip_whitespace();
        if self.eat("=>") || self.eat("->") {
            return TypeExpr::Function(all, Box::new(self.parse_union()));
        }
        if self.eat_function_effects() {
            let _ = self.eat("->");
            return TypeExpr::Function(all, Box::new(self.parse_union()));
        }
        match all.len() {
            1 => all.into_iter().next().unwrap_or(TypeExpr::Unknown),
            _ => TypeExpr::Tuple(all),
        }
    }

    /// Eats the words between the parameters and the result of a function type; false if there are
    /// none.
    fn eat_function_effects(&mut self) -> bool {
        let mut has_effects = false;
        while self.rules.function_effects.iter().any(|word| self.eat(word)) {
            has_effects = true;
            self.skip_whitespace();
        }
        has_effects
    }

    /// Parses the types in round brackets. Some languages name results,
    /// `(c *T, a, b error)`; others write a colon after names.
    pub(crate) fn parse_parenthesized_types(&mut self) -> Vec<TypeExpr> {
        let _ = self.eat("(");
        let mut all = Vec::new();
        let mut typed = 0;
        self.skip_whitespace();
        while !self.rest.is_empty() && !self.eat(")") {
            let before = self.rest.len();
            let is_named = self.eat_name_before_type();
            let one = self.parse_union();
            if is_named {
                // A name without a type has the type of the next one.
                all[typed..].fill(one.clone());
                typed = all.len() + 1;
            }
            all.push(one);
            self.skip_whitespace();
            if !self.eat(",") && !self.rest.starts_with(')') {
                self.skip_to_close(')');
            }
            self.skip_whitespace();
            if self.rest.len() == before {
                return all;
            }
        }
        all
    }

    /// Eats a name, if a type follows it.
    fn eat_name_before_type(&mut self) -> bool {
        self.skip_whitespace();
        let word = self.peek_word();
        let after = &self.rest[word.len()..];
        let next = after.trim_start_matches(['?', ' ']);
        if word.is_empty() || self.rules.begins_type(word) {
            return false;
        }
        // `name: Type`, `name?: Type`; but `a::Type` is a path.
        if let Some(rest) = next.strip_prefix(':').filter(|rest| !rest.starts_with(':')) {
            self.rest = rest;
            return true;
        }
        if !self.rules.has_names_before_types {
            return false;
        }
        // `name Type`
        let is_type = next.starts_with(|c: char| c.is_alphabetic() || "_*[".contains(c));
        let is_name = after.starts_with(' ') && is_type;
        if is_name {
            self.rest = next;
        }
        is_name
    }
}
