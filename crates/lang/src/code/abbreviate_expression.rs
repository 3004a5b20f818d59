//! Abbreviates expressions for storage: the chain of names and calls stays, the arguments go. A
//! plain argument stays if it is the only one, and a name if it is the first of several. Either may
//! tell the type of the result.
//!
//! `self.session.get(a, b)` becomes `self.session.get(a)`, and `Foo { a: 1 }` becomes `Foo {}`.
//! Resolution follows such chains. The scanner knows brackets, strings and comments, but no
//! grammar: receivers inside of macros are not parsed, and one scanner serves all languages.

use crate::languages::{ExpressionSyntax, KeptArgument};

/// The longest abbreviated expression, in bytes. `TOO_LONG` replaces a longer one, because it says
/// little.
const MAX_BYTES: usize = 400;

/// The longest argument that is kept, in bytes: `Arc::new(Session::open())`.
const MAX_ARGUMENT_BYTES: usize = 60;

/// Only this many bytes of an expression are read. It bounds the time for a call with a huge
/// literal.
const MAX_INPUT_BYTES: usize = 20_000;

/// Brackets nested deeper than this lose their content. It bounds the recursion into brackets.
const MAX_DEPTH: usize = 8;

/// Abbreviates an expression to one line, without the arguments of calls, the bodies of closures
/// and the contents of literals.
pub fn abbreviate(text: &str, syntax: &ExpressionSyntax) -> String {
    let mut end = text.len().min(MAX_INPUT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut out = String::new();
    let mut rest = &text[..end];
    // Past the limit the result is [`TOO_LONG`] anyway, so there is no need to finish.
    while !rest.is_empty() && out.len() <= 2 * MAX_BYTES {
        rest = abbreviate_next(rest, &mut out, ExpressionContext { syntax, depth: 0 });
    }
    if out.len() <= MAX_BYTES { out.trim().to_string() } else { TOO_LONG.to_string() }
}

/// The replacement for an expression that is too long even when abbreviated.
const TOO_LONG: &str = "…";

/// The language's syntax, and the number of brackets around the text.
#[derive(Clone, Copy)]
struct ExpressionContext<'l> {
    syntax: &'l ExpressionSyntax,
    depth: usize,
}

/// Takes one token from the front of `text`, appends the kept part to `out`, and returns the rest.
fn abbreviate_next<'t>(text: &'t str, out: &mut String, place: ExpressionContext) -> &'t str {
    let mut chars = text.chars();
    let Some(first) = chars.next() else {
        return "";
    };
    let after = chars.as_str();
    let is_after_name = || out.ends_with(|c: char| c.is_alphanumeric() || "_$>".contains(c));
    match first {
        '(' | '[' | '{' => abbreviate_bracket(text, first, out, place),
        '`' if place.syntax.has_tagged_templates && is_after_name() => {
            out.push_str("()");
            skip_string(after, first)
        }
        '"' | '`' => {
            out.push_str("\"\"");
            skip_string(after, first)
        }
        // A lifetime or a label is no string.
        '\'' if is_string_start(after) => {
            out.push_str("\"\"");
            skip_string(after, first)
        }
        '/' if after.starts_with('/') => after.split_once('\n').map_or("", |(_, rest)| rest),
        '/' if after.starts_with('*') => after.split_once("*/").map_or("", |(_, rest)| rest),
        sign if is_skipped(sign, out, after, place.syntax) => after,
        c if c.is_whitespace() => {
            let rest = after.trim_start();
            let is_joined = rest.starts_with(['.', '?']) || out.ends_with(['.', ' ', '(', '[']);
            if !is_joined && !out.is_empty() {
                out.push(' ');
            }
            rest
        }
        c => {
            out.push(c);
            after
        }
    }
}

/// True if the language drops this sign between the text before it and the text after it.
fn is_skipped(sign: char, out: &str, after: &str, syntax: &ExpressionSyntax) -> bool {
    let mut skipped = syntax.skipped_signs.iter();
    skipped.any(|one| one.sign == sign && out.ends_with(one.after) && after.starts_with(one.before))
}

/// Abbreviates a bracket and its content. A bracket after a name is a call or an index; another one
/// groups or is a literal.
fn abbreviate_bracket<'t>(
    text: &'t str,
    open: char,
    out: &mut String,
    place: ExpressionContext,
) -> &'t str {
    let (inner, rest) = split_bracket(text);
    let before = out.trim_end().chars().next_back();
    // After a keyword such as `return`, a bracket begins a new expression.
    let is_suffix = before.is_some_and(|c| c.is_alphanumeric() || "_>)]}!?".contains(c))
        && !ends_in_keyword(out);
    let close = match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    };
    let kept = match open {
        '{' => None,
        _ if place.depth >= MAX_DEPTH => None,
        '(' if is_suffix => match find_kept_argument(out, place.syntax) {
            Some(KeptArgument::First) => {
                abbreviate_argument(inner.split(',').next().unwrap_or(inner), place)
            }
            Some(KeptArgument::Module) => {
                quoted_module(inner).or_else(|| abbreviate_argument(inner, place))
            }
            None => abbreviate_argument(inner, place).or_else(|| first_argument_name(inner)),
        },
        '(' => Some(abbreviate_nested(inner, place)),
        // The only element of a literal tells the type of all.
        _ => abbreviate_argument(inner, place),
    };
    out.push(open);
    out.push_str(&kept.unwrap_or_default());
    out.push(close);
    rest
}

/// Returns the argument to keep of a call of the function whose name ends `out`.
fn find_kept_argument(out: &str, syntax: &ExpressionSyntax) -> Option<KeptArgument> {
    let mut known = syntax.kept_arguments.iter();
    let (_, kept) = known.find(|(name, _)| {
        let before = out.strip_suffix(name);
        before.is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    })?;
    Some(*kept)
}

/// True if the text ends in a keyword. A bracket after `return` or `await` is no call.
fn ends_in_keyword(out: &str) -> bool {
    let words = ["await", "return", "yield", "in", "as", "is", "not", "try", "and", "or"];
    let word = out.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
    word.is_some_and(|word| words.contains(&word))
}

/// Abbreviates the whole content of a bracket, one level deeper.
fn abbreviate_nested(mut text: &str, place: ExpressionContext) -> String {
    let inner = ExpressionContext { depth: place.depth + 1, ..place };
    let mut out = String::new();
    while !text.is_empty() && out.len() <= MAX_BYTES {
        text = abbreviate_next(text, &mut out, inner);
    }
    out.trim().to_string()
}

/// Abbreviates the argument of a call if there is only one and it is plain. A comma, a closure or
/// an assignment in it makes it not plain.
fn abbreviate_argument(text: &str, place: ExpressionContext) -> Option<String> {
    if text.len() > 20 * MAX_ARGUMENT_BYTES {
        return None;
    }
    let kept = abbreviate_nested(text, place);
    let is_plain = kept.len() <= MAX_ARGUMENT_BYTES && !kept.contains([',', '|', '=']);
    is_plain.then_some(kept)
}

/// The first of several arguments, if it is a name: `find(User, { id: 1 })` probably returns a
/// `User`.
fn first_argument_name(text: &str) -> Option<String> {
    let (first, _) = text.split_once(',')?;
    let first = first.trim();
    let is_name = first.len() <= MAX_ARGUMENT_BYTES
        && first.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && first.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
    is_name.then(|| first.to_string())
}

/// The name of a module in quotes, with double quotes whatever the source used.
fn quoted_module(text: &str) -> Option<String> {
    let text = text.trim();
    let quote = text.chars().next().filter(|c| "'\"`".contains(*c))?;
    let name = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_plain = |c: char| c.is_alphanumeric() || "./_-@~#:".contains(c);
    let is_name =
        !name.is_empty() && name.len() <= MAX_ARGUMENT_BYTES && name.chars().all(is_plain);
    is_name.then(|| format!("\"{name}\""))
}

/// Splits a text that begins with a bracket into the text inside the brackets and the text after
/// them.
fn split_bracket(text: &str) -> (&str, &str) {
    let mut depth = 0usize;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '"' | '`' => skip_string(after, c),
            '\'' if is_string_start(after) => skip_string(after, c),
            _ => after,
        };
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            let end = text.len() - rest.len();
            return (text.get(1..end - 1).unwrap_or_default(), rest);
        }
    }
    (text.get(1..).unwrap_or_default(), "")
}

/// True if the single quote before `after` begins a string or a character, and no lifetime or
/// label.
fn is_string_start(after: &str) -> bool {
    let mut end = after.char_indices().filter(|(_, c)| *c == '\'');
    let Some((end, _)) = end.next() else {
        return false;
    };
    // `'a, 'b` are two lifetimes; a character or a string holds no such thing.
    let inner = &after[..end];
    inner.chars().count() <= 2 || !inner.ends_with([' ', '<', '&', ',', '('])
}

/// Returns the text after the string that `quote` ends. Empty if the string does not end.
fn skip_string(text: &str, quote: char) -> &str {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return &text[at + c.len_utf8()..],
            // The `${…}` of a template literal may contain another template literal.
            '$' if quote == '`' && text[at + 1..].starts_with('{') => {
                return skip_string(split_bracket(&text[at + 1..]).1, quote);
            }
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::languages;

    fn check(language: &str, table: &[(&str, &str)]) {
        let syntax = &languages::rules_by_name(language).expressions;
        for (written, kept) in table {
            assert_eq!(abbreviate(written, syntax), *kept, "{language}: {written}");
        }
    }

    #[test]
    fn chains_stay_and_arguments_go() {
        let table = [
            ("self.session", "self.session"),
            ("self\n    .session\n    .get(a, b)", "self.session.get(a)"),
            ("new Foo({ a: 1 })", "new Foo({})"),
            ("Arc::new(Session::open(path, 1))", "Arc::new(Session::open(path))"),
            ("await (x as Foo).bar(y)", "await (x as Foo).bar(y)"),
            ("items.map(|x| x.y())", "items.map()"),
            ("Foo { a: 1, b }", "Foo {}"),
            ("get::<Foo<'a>>()?", "get::<Foo<'a>>()?"),
            ("'it''s' + f(1, 2)", "\"\"\"\" + f()"),
            ("[Foo(), Bar()]", "[]"),
            ("[Foo()]", "[Foo()]"),
            ("a[i + 1].b", "a[i + 1].b"),
            ("é.ü(\"ß)\")", "é.ü(\"\")"),
            ("(", "()"),
        ];
        check("text", &table);
        assert_eq!(
            abbreviate(&"abc.".repeat(200), &languages::rules_by_name("text").expressions),
            TOO_LONG
        );
    }

    #[test]
    fn each_language_keeps_what_only_it_says() {
        check("go", &[("make([]*Foo, 0, n)", "make([]*Foo)"), ("remake(1, 2)", "remake()")]);
        check("rust", &[("make(1, 2)", "make()"), ("require('./a')", "require(\"\")")]);
        let require = [
            ("require('./a').b(1, 2)", "require(\"./a\").b()"),
            ("require(a + 'b')", "require(a + \"\")"),
        ];
        check("javascript", &require);
        check("lua", &require);
        check("tsx", &[("sql`select ${a}`.run(1)", "sql().run(1)")]);
        let php = [
            ("$this?->a->b(1)", "$this->a->b(1)"),
            ("static::$all->get($a)", "static::all->get($a)"),
        ];
        check("php", &php);
    }
}
