//! Builds expressions from parts that are already parsed: calls, literals, alternatives.

use crate::syntax::expression::{Expression, parse};

/// Builds a call. Calls that name their result type become casts, and `require` a module.
pub(crate) fn build_call(function: Expression, types: Vec<String>, argument: &str) -> Expression {
    // `make([]Foo)` and `new(Foo)` of Go take a type.
    let is_type = match &function {
        Expression::Name(name) if name == "make" => is_go_container(argument),
        Expression::Name(name) => name == "new",
        _ => false,
    };
    if is_type {
        return Expression::Cast(argument.to_string());
    }
    let name = match &function {
        Expression::Name(name) | Expression::Path(_, name) => name.as_str(),
        _ => "",
    };
    let names_result = name.ends_with("_cast") || ["make_unique", "make_shared"].contains(&name);
    if let Some(kind) = types.first().filter(|_| names_result) {
        return Expression::Cast(kind.clone());
    }
    if let Some(module) = required_module(&function, argument) {
        return Expression::Require(module.to_string());
    }
    let argument = (!argument.is_empty()).then(|| Box::new(parse(strip_label(argument))));
    Expression::Call { function: Box::new(function), types, argument }
}

/// Returns the module of `require("module")`.
fn required_module<'t>(function: &Expression, argument: &'t str) -> Option<&'t str> {
    let is_require = matches!(function, Expression::Name(name) if name == "require");
    let module = argument.strip_prefix('"')?.strip_suffix('"')?;
    (is_require && !module.is_empty()).then_some(module)
}

/// True if a text begins with a list, map or channel type of Go.
pub(crate) fn is_go_container(text: &str) -> bool {
    ["[]", "map[", "chan "].iter().any(|start| text.starts_with(start))
}

/// Returns `x` of `label: x`.
fn strip_label(argument: &str) -> &str {
    let end = argument.find(|c: char| !c.is_alphanumeric() && c != '_');
    let after = end.and_then(|end| argument[end..].strip_prefix(": "));
    after.unwrap_or(argument)
}

/// Builds the expression of a name with braces after it: a struct literal, or a call with a
/// trailing closure.
pub(crate) fn build_literal(found: Expression) -> Expression {
    match found {
        Expression::Name(name) => Expression::Literal(name),
        Expression::Path(base, name) => match *base {
            Expression::Name(first) => Expression::Literal(format!("{first}::{name}")),
            _ => Expression::Unknown,
        },
        // A trailing closure of Swift or Kotlin.
        call @ Expression::Call { .. } => call,
        member @ Expression::Member(..) => build_closure_call(member),
        _ => Expression::Unknown,
    }
}

/// Builds a call whose only argument is a trailing closure.
fn build_closure_call(function: Expression) -> Expression {
    Expression::Call { function: Box::new(function), types: Vec::new(), argument: None }
}

/// Builds an expression that has the value of either.
pub(crate) fn build_alternative(first: Expression, second: Expression) -> Expression {
    Expression::Alternative(Box::new(first), Box::new(second))
}
