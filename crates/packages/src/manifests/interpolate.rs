//! Filling `${name}` and `$(name)` in manifest values from properties, whose values may hold
//! placeholders in turn. What a name means is the caller's business.

/// How a manifest writes a placeholder.
#[derive(Clone, Copy)]
pub enum Syntax {
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
    overdrawn: bool,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { fillings: 1_000, bytes: 100_000, depth: 32, overdrawn: false }
    }
}

/// A function from a placeholder's name to its value. It fills placeholders in that value from the
/// given budget.
pub type Lookup<'a> = dyn FnMut(&str, &mut Budget) -> Option<String> + 'a;

/// Fills what `value` knows and leaves the rest as written; all of it, if that costs too much.
pub fn fill(text: &str, syntax: Syntax, value: &mut Lookup) -> String {
    let mut budget = Budget::default();
    let filled = fill_within(text, syntax, &mut budget, value);
    if budget.overdrawn { text.to_string() } else { filled }
}

/// Like [`fill`], as part of another filling.
pub fn fill_within(text: &str, syntax: Syntax, budget: &mut Budget, value: &mut Lookup) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, name, after)) = split(rest, syntax) {
        if budget.fillings == 0 || budget.depth == 0 {
            budget.overdrawn = true;
        }
        if budget.overdrawn {
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
            None => budget.overdrawn = true,
        }
        filled.push_str(before);
        filled.push_str(piece);
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// True if anything is left to fill.
pub fn is_open(text: &str, syntax: Syntax) -> bool {
    split(text, syntax).is_some()
}

/// Splits a text at its first placeholder into the text before, the name inside, and the text after
/// it.
pub fn split(text: &str, syntax: Syntax) -> Option<(&str, &str, &str)> {
    let open = match syntax {
        Syntax::Braces => "${",
        Syntax::Parentheses => "$(",
    };
    let (before, inside) = text.split_once(open)?;
    let mut depth = 0_usize;
    let end = inside.find(|letter| match (syntax, letter) {
        (Syntax::Braces, '}') => true,
        (Syntax::Parentheses, '(') => {
            depth += 1;
            false
        }
        (Syntax::Parentheses, ')') if depth > 0 => {
            depth -= 1;
            false
        }
        (Syntax::Parentheses, ')') => true,
        _ => false,
    })?;
    Some((before, &inside[..end], &inside[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str, syntax: Syntax, budget: &mut Budget) -> Option<String> {
        let text = match name {
            "a" => "1",
            "b" => "${a}${a}",
            "f(x)" => "called",
            "loop" => "${loop}",
            "laughs" => "${laughs}${laughs}",
            _ => return None,
        };
        Some(fill_within(text, syntax, budget, &mut |name, budget| known(name, syntax, budget)))
    }

    fn check(text: &str, syntax: Syntax, expected: &str) {
        let filled = fill(text, syntax, &mut |name, budget| known(name, syntax, budget));
        assert_eq!(filled, expected);
    }

    #[test]
    fn fills_what_is_known() {
        check("x-${a}-${b}-${c}", Syntax::Braces, "x-1-11-${c}");
        check("$(a)$(f(x))${a}", Syntax::Parentheses, "1called${a}");
        check("${a", Syntax::Braces, "${a");
        check("$(f(x)", Syntax::Parentheses, "$(f(x)");
    }

    #[test]
    fn leaves_what_costs_too_much() {
        check("x-${loop}", Syntax::Braces, "x-${loop}");
        check("${a}${laughs}", Syntax::Braces, "${a}${laughs}");
        let many = "${a}".repeat(100_000);
        check(&many, Syntax::Braces, &many);
    }
}
