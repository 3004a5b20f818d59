//! Filling `${name}` and `$(name)` in manifest values from properties, whose values may hold
//! placeholders in turn. What a name means is the caller's business.

/// How a manifest writes a placeholder.
#[derive(Clone, Copy)]
pub enum PlaceholderSyntax {
    /// `${name}`; the first brace ends it.
    Braces,
    /// `$(name)`; parentheses inside it are balanced, because functions have them too.
    Parentheses,
}

/// The budget that is left for filling one value. Without it, a property that contains itself, or
/// ten that each double the next, would never end.
pub struct Budget {
    fillings: usize,
    bytes: usize,
    depth: usize,
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

/// Fills what `value` knows and leaves the rest as written; all of it, if that costs too much.
pub fn fill_placeholders(text: &str, syntax: PlaceholderSyntax, value: &mut Lookup) -> String {
    let mut budget = Budget::default();
    let filled = fill_nested(text, syntax, &mut budget, value);
    if budget.is_exceeded { text.to_string() } else { filled }
}

/// Like [`fill`], as part of another filling.
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

/// True if anything is left to fill.
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
