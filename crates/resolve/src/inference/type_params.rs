//! Parses the type parameters of a generic definition from its signature. `resolve_type` resolves them.

use kenning_model::{ChunkKind, Symbol};

/// The type parameters of a generic definition: name, and text of the bounds.
pub type TypeParameters = Vec<(String, Option<String>)>;

/// Parses the type parameters of a definition: the list after its name, or after `impl`.
pub(crate) fn parse_type_parameters(symbol: &Symbol) -> TypeParameters {
    let Some(signature) = &symbol.signature else {
        return Vec::new();
    };
    // An impl lists its parameters after the keyword: `impl<T> Page<T>`.
    let start = match symbol.kind {
        ChunkKind::Extension => signature.find("impl<").map(|at| at + 4),
        _ => {
            let at = find_name(signature, &symbol.name);
            at.map(|at| at + symbol.name.len())
        }
    };
    let Some(rest) = start.and_then(|start| signature.get(start..)) else {
        return Vec::new();
    };
    let Some(list) = rest.strip_prefix('<').or_else(|| rest.strip_prefix('[')) else {
        return Vec::new();
    };
    let mut found = TypeParameters::new();
    for part in split_list(list) {
        let part = part.trim().trim_start_matches("const ");
        // Lifetimes are no type parameters.
        if part.starts_with('\'') || part.is_empty() {
            continue;
        }
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (name, rest) = part.split_at(end.unwrap_or(part.len()));
        let clause = rest.trim_start();
        let bound = clause
            .strip_prefix("extends")
            .or_else(|| clause.strip_prefix(':'))
            // A default may follow the bound: `T extends Shape = Circle`.
            .map(|rest| rest.split('=').next().unwrap_or(rest).trim().to_string());
        found.push((name.to_string(), bound.filter(|bound| !bound.is_empty())));
    }
    add_where_bounds(signature, &mut found);
    found
}

/// Adds the bounds of a `where` clause.
fn add_where_bounds(signature: &str, found: &mut [(String, Option<String>)]) {
    let Some((_, conditions)) = signature.split_once(" where ") else {
        return;
    };
    for condition in split_list(conditions) {
        let Some((name, bound)) = condition.split_once(':') else {
            continue;
        };
        let known = found.iter_mut().find(|(known, _)| known == name.trim());
        if let Some((_, known)) = known {
            // Bounds from both places apply.
            let before = known.take().map(|before| format!("{before} + "));
            *known = Some(before.unwrap_or_default() + bound.trim());
        }
    }
}

/// Finds a name in a signature as a whole word.
pub(crate) fn find_name(signature: &str, name: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = signature[from..].find(name).map(|at| at + from) {
        let before = signature[..at].chars().next_back();
        let after = signature[at + name.len()..].chars().next();
        let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        if is_edge(before) && is_edge(after) {
            return Some(at);
        }
        from = at + name.len().max(1);
    }
    None
}

/// Splits a list at commas outside of brackets, up to the bracket that closes the list.
pub(crate) fn split_list(list: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let mut from = 0;
    let mut found = Vec::new();
    let mut previous = ' ';
    for (at, c) in list.char_indices() {
        match c {
            // The arrows `->` and `=>` close no bracket.
            '>' if previous == '-' || previous == '=' => {}
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' if depth == 0 => {
                found.push(&list[from..at]);
                return found;
            }
            '>' | ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
        previous = c;
    }
    found.push(&list[from..]);
    found
}
