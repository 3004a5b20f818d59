//! Normalized method signatures: the types of parameters and results, without names and packages.
//! Types implement interfaces by having methods of these signatures.

/// Returns the types of a method's parameters and results as `(int,T)(error)`; `None` if the
/// signature is not that of a method of this name.
pub fn normalize_signature(signature: &str, name: &str) -> Option<String> {
    let start = find_parameter_list(signature, name)?;
    let (parameters, rest) = split_parentheses(&signature[start..])?;
    let result_text = rest.trim().trim_end_matches('{').trim();
    let results = match split_parentheses(result_text) {
        Some((inner, "")) => list_types(inner),
        _ if result_text.is_empty() => Vec::new(),
        _ => vec![normalize_type(result_text)],
    };
    let parameters = list_types(parameters).join(",");
    Some(format!("({parameters})({})", results.join(",")))
}

/// True if two normalized signatures are compatible. A single capital letter is a type parameter,
/// which matches any type.
pub fn is_compatible(one: &str, other: &str) -> bool {
    one == other || {
        let parts = |text: &str| -> Vec<String> {
            let parts = text.split([',', '(', ')']);
            parts.map(str::to_string).collect()
        };
        let (one, other) = (parts(one), parts(other));
        let is_free = |part: &str| {
            let part = part.trim_start_matches(['*', '[', ']', '.']);
            part.len() == 1 && part.starts_with(char::is_uppercase)
        };
        let mut pairs = one.iter().zip(&other);
        one.len() == other.len() && pairs.all(|(a, b)| a == b || is_free(a) || is_free(b))
    }
}

/// Returns the offset of the bracket after the method's name.
fn find_parameter_list(signature: &str, name: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = signature[from..].find(name).map(|at| at + from) {
        let end = at + name.len();
        let before = signature[..at].chars().next_back();
        let is_word = before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '.');
        if is_word && signature[end..].starts_with('(') {
            return Some(end);
        }
        from = end.max(at + 1);
    }
    None
}

/// Returns the text inside the round brackets that `text` begins with, and the text after them.
fn split_parentheses(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
        if depth == 0 {
            return text.starts_with('(').then(|| (&text[1..at], &text[at + 1..]));
        }
    }
    None
}

/// Words that begin a type, and so are no parameter name.
const TYPE_WORDS: &[&str] = &["func", "chan", "map", "struct", "interface", "<-chan"];

/// Returns the types of a parameter list, in which several names may share one type: `a, b int`.
fn list_types(list: &str) -> Vec<String> {
    let parts = split_commas(list);
    let named: Vec<Option<&str>> = parts.iter().map(|part| type_after_name(part)).collect();
    if named.iter().all(Option::is_none) {
        return parts.iter().map(|part| normalize_type(part)).collect();
    }
    let mut found = Vec::new();
    let mut next = "";
    for one in named.iter().rev() {
        next = one.unwrap_or(next);
        found.push(normalize_type(next));
    }
    found.reverse();
    found
}

/// Returns the type of a part such as `name pkg.Type`; `None` if the part is a type alone.
fn type_after_name(part: &str) -> Option<&str> {
    let (name, rest) = part.split_once(' ')?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && !TYPE_WORDS.contains(&name)).then(|| rest.trim())
}

/// Splits a list at commas outside of brackets, and drops empty parts.
fn split_commas(list: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let mut from = 0;
    let mut found = Vec::new();
    for (at, c) in list.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(list[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(list[from..].trim());
    found.retain(|part| !part.is_empty());
    found
}

/// Removes package names and blanks from a type. Files may import one package under different
/// names, and its own files write no package.
fn normalize_type(text: &str) -> String {
    let mut found = String::new();
    let text = text.replace("interface{}", "any").replace("interface {}", "any");
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        if c == '.' && found.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            let prefix = found.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
            found.truncate(prefix.len());
            continue;
        }
        found.push(c);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalized_signatures_drop_names_and_packages() {
        for (signature, name, shape) in [
            ("Render(http.ResponseWriter) error", "Render", "(ResponseWriter)(error)"),
            (
                "func (r Render) Render(w http.ResponseWriter) error",
                "Render",
                "(ResponseWriter)(error)",
            ),
            (
                "func (s *S) Add(a, b int, more ...pkg.T) (n int, err error) {",
                "Add",
                "(int,int,...T)(int,error)",
            ),
            ("func (s *S) Each(f func(a int) bool)", "Each", "(func(aint)bool)()"),
            ("Get(map[string]interface{}) *T", "Get", "(map[string]any)(*T)"),
            ("Done() <-chan struct{}", "Done", "()(<-chanstruct{})"),
        ] {
            assert_eq!(normalize_signature(signature, name).as_deref(), Some(shape), "{signature}");
        }
        assert_eq!(normalize_signature("type Render struct", "Render"), None);
        assert!(is_compatible("(T)(error)", "(*Item)(error)"));
        assert!(!is_compatible("(int)(error)", "(string)(error)"));
    }
}
