//! Parsers of the small texts that facts carry: types and expressions. Pure functions; they resolve
//! nothing.

pub(crate) mod brackets;
pub(crate) mod expression;
pub(crate) mod type_expr;
