//! Types that are computed from others: by a condition, or by the name of a member.

use crate::syntax::type_expr::{TypeExpr, TypeParser};

impl<'t> TypeParser<'t> {
    /// Parses `T extends Shape ? A : B`, of which `subject` is the part before `extends`. The
    /// result is the union of both branches; a branch that the condition infers is unknown.
    pub(crate) fn parse_conditional(&mut self, subject: TypeExpr) -> TypeExpr {
        let (condition, Some(rest)) = self.split_condition() else {
            return subject;
        };
        self.rest = rest;
        let yes = self.parse_union();
        self.skip_whitespace();
        let _ = self.eat(":");
        let no = self.parse_union();
        let is_inferred = |one: &TypeExpr| match one {
            TypeExpr::Named { path, .. } => condition.split("infer ").skip(1).any(|after| {
                after.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next()
                    == Some(&path[0])
            }),
            _ => false,
        };
        let branches = [yes, no]
            .into_iter()
            .map(|one| if is_inferred(&one) { TypeExpr::Unknown } else { one })
            .collect();
        match self.join_types(branches) {
            TypeExpr::Unknown => subject,
            found => found,
        }
    }

    /// Splits at the question mark: returns the condition, and the text after the mark if there is
    /// one.
    fn split_condition(&self) -> (&'t str, Option<&'t str>) {
        let mut depth = 0usize;
        let mut before = ' ';
        for (at, c) in self.rest.char_indices() {
            match c {
                '(' | '[' | '{' | '<' => depth += 1,
                '>' if before == '=' => {}
                ')' | ']' | '}' | '>' if depth == 0 => break,
                ')' | ']' | '}' | '>' => depth -= 1,
                '?' if depth == 0 => return (&self.rest[..at], Some(&self.rest[at + 1..])),
                ',' | ';' if depth == 0 => break,
                _ => {}
            }
            before = c;
        }
        (self.rest, None)
    }

    /// Reads the path of a value after `typeof`.
    pub(crate) fn parse_typeof(&mut self) -> TypeExpr {
        self.skip_whitespace();
        let is_part = |c: char| c.is_alphanumeric() || "_$.".contains(c);
        let end = self.rest.find(|c: char| !is_part(c));
        let (value, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        TypeExpr::TypeOf(value.to_string())
    }

    /// Reads `Shape['name']` and `Shape[typeof NAME]`. Other text in the brackets
    /// gives `Unknown`.
    pub(crate) fn parse_indexed(&mut self, found: TypeExpr) -> TypeExpr {
        let (inner, rest) = crate::syntax::brackets::split_brackets(self.rest);
        self.rest = rest;
        let inner = inner.trim();
        if let Some(name) = quoted_name(inner) {
            return TypeExpr::Indexed(Box::new(found), name.to_string());
        }
        // A member whose name is a value: `[NAME]: Shape`.
        match inner.strip_prefix("typeof ") {
            Some(name) => TypeExpr::Indexed(Box::new(found), format!("[{}]", name.trim())),
            None => TypeExpr::Unknown,
        }
    }
}

/// Returns `name` of `'name'`, if there is nothing else.
pub(crate) fn quoted_name(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| "'\"".contains(*c))?;
    let name = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_name = |c: char| c.is_alphanumeric() || "_$.".contains(c);
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}
