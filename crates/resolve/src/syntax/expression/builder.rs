//! Builds expressions from parts that are already parsed: calls, literals, alternatives.

use crate::rules::{CallText, SpecialCall, SyntaxRules};
use crate::syntax::expression::{Expression, parse};

/// Builds a call. The language says which calls name the type of their result, or load a module.
pub(crate) fn build_call(
    function: Expression,
    types: Vec<String>,
    argument: &str,
    rules: &'static SyntaxRules,
) -> Expression {
    let name = match &function {
        Expression::Name(name) | Expression::Path(_, name) => name.as_str(),
        _ => "",
    };
    let is_bare = matches!(function, Expression::Name(_));
    let type_argument = types.first().map(String::as_str);
    match (rules.interpret_call)(&CallText { name, is_bare, type_argument, argument }) {
        Some(SpecialCall::Cast(kind)) => return Expression::Cast(kind),
        Some(SpecialCall::Require(module)) => return Expression::Require(module),
        None => {}
    }
    let argument = (!argument.is_empty()).then(|| Box::new(parse(strip_label(argument), rules)));
    Expression::Call { function: Box::new(function), types, argument }
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
        // A trailing closure.
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
