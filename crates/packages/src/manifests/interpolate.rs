//! Fills the placeholders `${name}` and `$(name)` in manifest values. The caller resolves a name;
//! its value may contain placeholders in turn.
//!
//! Maven and MSBuild share this code. A budget bounds the time for values that refer to themselves
//! or multiply.

/// The placeholder syntax of a manifest.
#[derive(Clone, Copy)]
pub enum PlaceholderSyntax {
    /// `${name}`; the first brace ends it.
    Braces,
    /// `$(name)`; parentheses inside it are balanced, because functions have them too.
    Parentheses,
}

/// The remaining budget for one value. Without it, a property that contains itself would never end,
/// nor would ten properties that each double the next.
pub struct Budget {
    /// The number of placeholders that may still be filled.
    fillings: usize,
    /// The number of bytes that may still be produced.
    bytes: usize,
    /// The levels of nesting that are left.
    depth: usize,
    /// Set once any limit is reached; it stays set for the whole value.
    is_exceeded: bool,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { fillings: 1_000, bytes: 100_000, depth: 32, is_exceeded: false }
    }
}

/// A function from a placeholder's name to its value. It fills placeholders in that value from the
/// given budget.
pub type Lookup<'a> = dyn FnMut(&str, &mut Budget) -> Option<String> + 'a;

/// Fills the placeholders that `value` resolves, and leaves the others as written. If the budget is
/// exceeded, the whole text stays as written.
///
/// With a lookup that knows only `v`, the text `${v}-${w}` becomes `1.0-${w}`.
pub fn fill_placeholders(text: &str, syntax: PlaceholderSyntax, value: &mut Lookup) -> String {
    let mut budget = Budget::default();
    let filled = fill_nested(text, syntax, &mut budget, value);
    if budget.is_exceeded { text.to_string() } else { filled }
}

/// Like [`fill_placeholders`], inside of another value and from its budget. The result is
/// meaningless once the budget is exceeded.
pub fn fill_nested(
    text: &str,
    syntax: PlaceholderSyntax,
    budget: &mut Budget,
    value: &mut Lookup,
) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, name, after)) = split_at_placeholder(rest, syntax) {
        if budget.fillings == 0 || budget.depth == 0 {
            budget.is_exceeded = true;
        }
        if budget.is_exceeded {
            break;
        }
        budget.fillings -= 1;
        budget.depth -= 1;
        let known = value(name, budget);
        budget.depth += 1;
        let as_written = &rest[before.len()..rest.len() - after.len()];
        let piece = known.as_deref().unwrap_or(as_written);
        match budget.bytes.checked_sub(before.len() + piece.len()) {
            Some(left) => budget.bytes = left,
            None => budget.is_exceeded = true,
        }
        filled.push_str(before);
        filled.push_str(piece);
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// True if a placeholder is left in the text.
pub fn has_placeholder(text: &str, syntax: PlaceholderSyntax) -> bool {
    split_at_placeholder(text, syntax).is_some()
}

/// Splits a text at its first placeholder into the text before, the name inside, and the text after
/// it.
pub fn split_at_placeholder(text: &str, syntax: PlaceholderSyntax) -> Option<(&str, &str, &str)> {
    let open = match syntax {
        PlaceholderSyntax::Braces => "${",
        PlaceholderSyntax::Parentheses => "$(",
    };
    let (before, inside) = text.split_once(open)?;
    let mut depth = 0_usize;
    let end = inside.find(|letter| match (syntax, letter) {
        (PlaceholderSyntax::Braces, '}') => true,
        (PlaceholderSyntax::Parentheses, '(') => {
            depth += 1;
            false
        }
        (PlaceholderSyntax::Parentheses, ')') if depth > 0 => {
            depth -= 1;
            false
        }
        (PlaceholderSyntax::Parentheses, ')') => true,
        _ => false,
    })?;
    Some((before, &inside[..end], &inside[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str, syntax: PlaceholderSyntax, budget: &mut Budget) -> Option<String> {
        let text = match name {
            "a" => "1",
            "b" => "${a}${a}",
            "f(x)" => "called",
            "loop" => "${loop}",
            "laughs" => "${laughs}${laughs}",
            _ => return None,
        };
        Some(fill_nested(text, syntax, budget, &mut |name, budget| known(name, syntax, budget)))
    }

    fn check(text: &str, syntax: PlaceholderSyntax, expected: &str) {
        let filled =
            fill_placeholders(text, syntax, &mut |name, budget| known(name, syntax, budget));
        assert_eq!(filled, expected);
    }

    #[test]
    fn fills_what_is_known() {
        check("x-${a}-${b}-${c}", PlaceholderSyntax::Braces, "x-1-11-${c}");
        check("$(a)$(f(x))${a}", PlaceholderSyntax::Parentheses, "1called${a}");
        check("${a", PlaceholderSyntax::Braces, "${a");
        check("$(f(x)", PlaceholderSyntax::Parentheses, "$(f(x)");
    }

    #[test]
    fn leaves_what_costs_too_much() {
        check("x-${loop}", PlaceholderSyntax::Braces, "x-${loop}");
        check("${a}${laughs}", PlaceholderSyntax::Braces, "${a}${laughs}");
        let many = "${a}".repeat(100_000);
        check(&many, PlaceholderSyntax::Braces, &many);
    }
}
