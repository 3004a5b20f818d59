//! Blanks what only the preprocessor of C and C++ understands, as far as the text alone shows it.
//! That is macros where the grammar expects none, and directives inside one construct.
//!
//! No macro is expanded and no condition evaluated: definitions and build flags are elsewhere. A
//! macro is recognized by its capitals. Of the branches of a conditional that splits a construct,
//! the first stays.

use crate::languages::source_patch::{
    blank_non_code, blank_out, is_word_byte, next_word, skip_arguments, word_length_at, word_ranges,
};

/// Keywords that begin a type.
const TYPE_KEYWORDS: &[&[u8]] = &[b"class", b"struct", b"union", b"enum"];

/// Blanks the macro in `class API Name {`. The grammar would take that for a function, without an
/// error, so this runs before every parse.
pub fn blank_export_macros(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut previous: &[u8] = b"";
    for (start, end) in word_ranges(bytes) {
        let word = &bytes[start..end];
        if TYPE_KEYWORDS.contains(&previous) && is_macro_name(word) {
            let end = skip_arguments(bytes, end);
            if is_type_head(&bytes[end..]) {
                found.push((start, end));
                // Another may follow.
                continue;
            }
        }
        previous = word;
    }
    blank_ranges(text, &found)
}

/// True if the name and the beginning of a type follow, possibly after more macros.
fn is_type_head(after: &[u8]) -> bool {
    let mut rest = trim_blanks_start(after);
    let length = word_length_at(rest, 0);
    if length == 0 || rest[0].is_ascii_digit() {
        return false;
    }
    let name = &rest[..length];
    rest = trim_blanks_start(&rest[length..]);
    if rest.starts_with(b"final") {
        rest = trim_blanks_start(&rest[5..]);
    }
    let begins = rest.starts_with(b"{") || rest.starts_with(b":") && !rest.starts_with(b"::");
    begins || is_macro_name(name) && is_type_head(&rest[skip_arguments(rest, 0)..])
}

/// For a text with errors: blanks directives and macros that the grammar cannot take. `None` if
/// nothing changes.
pub fn blank_preprocessor(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    blank_directives(text, &mut bytes);
    let directives_off = String::from_utf8(bytes).ok()?;
    let code = blank_non_code_and_directives(&directives_off);
    let mut found = find_stray_macros(&code);
    found.extend(find_wrapping_macros(&code));
    let simpler = blank_ranges(&directives_off, &found).unwrap_or(directives_off);
    (simpler != text).then_some(simpler)
}

/// True for a word in capitals with at least two letters. A single one is a type parameter.
pub(super) fn is_macro_name(word: &[u8]) -> bool {
    let has_letters = word.iter().filter(|byte| byte.is_ascii_uppercase()).count() > 1;
    let is_upper = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    has_letters && word.iter().all(is_upper) && !word[0].is_ascii_digit()
}

/// The text from its first byte that is no white space.
fn trim_blanks_start(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().take_while(|byte| byte.is_ascii_whitespace());
    &bytes[blanks.count()..]
}

/// Returns the text with these ranges blanked; `None` if there are none.
fn blank_ranges(text: &str, ranges: &[(usize, usize)]) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    for &(start, end) in ranges {
        blank_out(&mut bytes[start..end]);
    }
    let simpler = String::from_utf8(bytes).ok();
    simpler.filter(|_| !ranges.is_empty())
}

/// Like `blank_non_code`, but blanks directives too, with the lines that continue them.
fn blank_non_code_and_directives(text: &str) -> Vec<u8> {
    let mut code = blank_non_code(text);
    let mut at = 0;
    let mut goes_on = false;
    for line in text.split_inclusive('\n') {
        if goes_on || line.trim_start().starts_with('#') {
            goes_on = line.trim_end().ends_with('\\');
            blank_out(&mut code[at..at + line.len()]);
        }
        at += line.len();
    }
    code
}

/// Finds macros before a declaration (`API void f();`) and after the parameters of one
/// (`f() NOEXCEPT {`), and those that stand alone (`TRY {`, `BEGIN_NAMESPACE`).
fn find_stray_macros(code: &[u8]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut before = WordContext::default();
    let mut at = 0;
    while at < code.len() {
        let length = word_length_at(code, at);
        if length == 0 {
            before.note_sign(code[at]);
            at += 1;
            continue;
        }
        let word = &code[at..at + length];
        let end = skip_arguments(code, at + length);
        if is_macro_name(word) && is_stray_macro(code, &before, at + length, end) {
            found.push((at, end));
            at = end;
            continue;
        }
        before.note_word(word);
        at += length;
    }
    found
}

/// Finds macros around the head of a function, `API(void f(int a)) {`. Returns two ranges for each:
/// the name with its opening bracket, and the closing bracket.
fn find_wrapping_macros(code: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (start, end) in word_ranges(code) {
        let is_outermost = start == 0 || code[start - 1] == b'\n';
        let whole = skip_arguments(code, end);
        if !is_outermost || whole <= end || !is_macro_name(&code[start..end]) {
            continue;
        }
        let head = code[end + 1..whole - 1].trim_ascii();
        let name = head.split(|byte| *byte == b'(').next().unwrap_or_default();
        let is_head = head.ends_with(b")") && !name.contains(&b',') && is_declaration(head);
        let follows = trim_blanks_start(&code[whole..]).first();
        if is_head && matches!(follows, Some(b'{' | b';')) {
            found.extend([(start, end + 1), (whole - 1, whole)]);
        }
    }
    found
}

/// The context before a word: the last sign, and if words stand between.
#[derive(Default)]
struct WordContext {
    /// The last sign other than white space. `None` at the beginning of the text.
    sign: Option<u8>,
    /// True if a word follows that sign which cannot lead a declaration.
    has_words: bool,
}

impl WordContext {
    /// Notes a sign, which ends the words before it.
    fn note_sign(&mut self, byte: u8) {
        if !byte.is_ascii_whitespace() {
            *self = WordContext { sign: Some(byte), has_words: false };
        }
    }

    /// Notes a word. Specifiers do not count, as a macro may stand between them and the type.
    fn note_word(&mut self, word: &[u8]) {
        let leads: [&[u8]; 5] = [b"static", b"extern", b"inline", b"virtual", b"const"];
        self.has_words |= !leads.contains(&word);
    }

    /// True if a statement or declaration begins here.
    fn is_statement_start(&self) -> bool {
        !self.has_words && matches!(self.sign, None | Some(b';' | b'{' | b'}' | b':' | b'>' | b']'))
    }

    /// True directly after the closing bracket of a parameter list.
    fn is_after_parameters(&self) -> bool {
        !self.has_words && self.sign == Some(b')')
    }
}

/// True if the grammar cannot take a macro, which ends at `end`, and with its arguments at `whole`.
fn is_stray_macro(code: &[u8], before: &WordContext, end: usize, whole: usize) -> bool {
    let rest = trim_blanks_start(&code[whole..]);
    let next = rest.first().copied();
    let length = word_length_at(rest, 0);
    if before.is_after_parameters() {
        let words: [&[u8]; 3] = [b"override", b"final", b"const"];
        let is_end = matches!(next, Some(b'{' | b';'))
            || next == Some(b':') && !rest.starts_with(b"::")
            || words.contains(&&rest[..length]);
        return whole == end && is_end;
    }
    if !before.is_statement_start() {
        return false;
    }
    let is_called = whole > end;
    match next {
        None | Some(b'}') => true,
        Some(b'{') => !is_called,
        Some(b'~') => true,
        _ if length == 0 => false,
        // A macro on a line of its own, or one before a complete declaration.
        _ if !is_same_line(code, whole) => true,
        _ => !is_called && (is_attribute_macro(&code[..end]) || is_declaration(rest)),
    }
}

/// True if more text follows on the same line.
fn is_same_line(code: &[u8], at: usize) -> bool {
    let (_, first) = next_word(&code[at..]);
    !matches!(first, None | Some(b'\n' | b'\r'))
}

/// True if the name of a macro shows that it precedes a declaration.
fn is_attribute_macro(before: &[u8]) -> bool {
    let ends: [&[u8]; 5] = [b"_API", b"EXPORT", b"INLINE", b"CONSTEXPR", b"NODISCARD"];
    ends.iter().any(|end| before.ends_with(end))
}

/// True if a type and a name with parameters follow, or a constructor outside of its class.
fn is_declaration(rest: &[u8]) -> bool {
    let end = rest.iter().position(|byte| matches!(byte, b'(' | b';' | b'{'));
    let Some(end) = end.filter(|&end| rest[end] == b'(') else {
        return false;
    };
    let head = &rest[..end];
    if head.windows(8).any(|word| word == b"operator") {
        return true;
    }
    if head.contains(&b'=') {
        return false;
    }
    let mut depth = 0usize;
    let outside = head.iter().filter(|byte| {
        match byte {
            b'<' => depth += 1,
            b'>' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    let outside_angles: Vec<u8> = outside.copied().collect();
    let parts: Vec<&[u8]> = outside_angles
        .split(|byte| !is_word_byte(*byte) && *byte != b':')
        .filter(|part| !part.is_empty())
        .collect();
    let is_apart = |part: &[u8]| {
        let text = String::from_utf8_lossy(part);
        let mut names = text.rsplit("::");
        let (name, owner) = (names.next(), names.next());
        owner.is_some() && name.map(|name| name.trim_start_matches('~')) == owner
    };
    parts.len() > 1 || parts.first().is_some_and(|part| is_apart(part)) || head.contains(&b'~')
}

/// A conditional that is open: `#if` without its `#endif` so far.
struct Conditional {
    /// The brackets around it.
    outer_brackets: BracketStack,
    /// The brackets that are open after its first branch, once that has ended.
    after_first: Option<BracketStack>,
    /// The lines of its directives: `#if`, every `#else`, `#endif`.
    directives: Vec<(usize, usize)>,
    /// The ranges of its branches except for the first.
    later_branches: Vec<(usize, usize)>,
    /// True if a branch opens or closes brackets that the conditional does not restore.
    is_unbalanced: bool,
}

impl Conditional {
    fn new(around: &BracketStack, directive: (usize, usize)) -> Conditional {
        Conditional {
            outer_brackets: around.clone(),
            after_first: None,
            directives: vec![directive],
            later_branches: Vec::new(),
            is_unbalanced: false,
        }
    }

    /// Ends the current branch at `directive`.
    fn end_branch(&mut self, brackets: &BracketStack, directive: (usize, usize)) {
        self.is_unbalanced |= brackets.open.len() != self.outer_brackets.open.len();
        let begin = self.directives.last().map_or(0, |last| last.1);
        match self.after_first {
            Some(_) => self.later_branches.push((begin, directive.0)),
            None => self.after_first = Some(brackets.clone()),
        }
        self.directives.push(directive);
    }

    /// Blanks the directives if the grammar cannot take them here, and with unbalanced brackets all
    /// branches but the first.
    fn blank_if_needed(self, bytes: &mut [u8]) {
        if self.is_unbalanced || self.outer_brackets.is_in_list() {
            let all = self.directives.iter();
            all.for_each(|&(start, end)| blank_out(&mut bytes[start..end]));
        }
        if self.is_unbalanced {
            let all = self.later_branches.iter();
            all.for_each(|&(start, end)| blank_out(&mut bytes[start..end]));
        }
    }
}

/// The brackets that are open. Each says if it holds a list, where the grammar expects no
/// directives.
#[derive(Clone, Default)]
struct BracketStack {
    open: Vec<bool>,
    /// The last byte that is no white space; it tells an initializer from a block.
    last: u8,
}

impl BracketStack {
    /// True if the innermost bracket holds a list.
    fn is_in_list(&self) -> bool {
        self.open.last() == Some(&true)
    }

    /// Follows the brackets through a line of code.
    fn read_code(&mut self, code: &[u8]) {
        for &byte in code {
            match byte {
                b'(' => self.open.push(true),
                b'{' => {
                    let is_list =
                        self.last == b'=' || self.is_in_list() && b",{(".contains(&self.last);
                    self.open.push(is_list);
                }
                b')' | b'}' => {
                    self.open.pop();
                }
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                self.last = byte;
            }
        }
    }
}

/// Blanks directives within lists, and those of conditionals that open or close brackets. Of the
/// latter, it blanks all branches but the first.
fn blank_directives(text: &str, bytes: &mut [u8]) {
    let code = blank_non_code(text);
    let mut open: Vec<Conditional> = Vec::new();
    let mut brackets = BracketStack::default();
    let mut at = 0;
    // `Some` if this line continues a directive; true if that directive was blanked.
    let mut goes_on = None;
    for line in text.split_inclusive('\n') {
        let range = (at, at + line.len());
        at = range.1;
        let is_continued = line.trim_end().ends_with('\\');
        if let Some(is_blanked) = goes_on {
            if is_blanked {
                blank_out(&mut bytes[range.0..range.1]);
            }
            goes_on = goes_on.filter(|_| is_continued);
            continue;
        }
        let own = &code[range.0..range.1];
        let Some(directive) = trim_blanks_start(own).strip_prefix(b"#") else {
            brackets.read_code(own);
            continue;
        };
        let (word, _) = next_word(directive);
        match word {
            b"if" | b"ifdef" | b"ifndef" => open.push(Conditional::new(&brackets, range)),
            b"else" | b"elif" | b"elifdef" | b"elifndef" => {
                if let Some(conditional) = open.last_mut() {
                    conditional.end_branch(&brackets, range);
                    brackets = conditional.outer_brackets.clone();
                }
            }
            b"endif" => {
                if let Some(mut conditional) = open.pop() {
                    conditional.end_branch(&brackets, range);
                    brackets = conditional.after_first.clone().unwrap_or_default();
                    conditional.blank_if_needed(bytes);
                }
            }
            _ if brackets.is_in_list() => blank_out(&mut bytes[range.0..range.1]),
            _ => {}
        }
        goes_on = is_continued.then_some(brackets.is_in_list());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_before_the_names_of_types_go() {
        for (text, simpler) in [
            ("class API name {", Some("class     name {")),
            ("struct API(8) a final : b {", Some("struct        a final : b {")),
            ("enum class API Color : int {", Some("enum class     Color : int {")),
            ("class API DEPRECATED Name {", Some("class                Name {")),
            ("class API;", None),
            ("struct POINT p = {", None),
            ("class Name : public BASE {", None),
            ("class NAME {", None),
            ("struct A::B {", None),
        ] {
            assert_eq!(blank_export_macros(text).as_deref(), simpler, "{text}");
        }
    }

    #[test]
    fn macros_around_declarations_go() {
        for (text, simpler) in [
            ("API void f();", Some("    void f();")),
            (
                "API_INLINE logger::logger(int x) : a(x) {}",
                Some("           logger::logger(int x) : a(x) {}"),
            ),
            (
                "static INLINE std::ptr<a> f(int a) {}",
                Some("static        std::ptr<a> f(int a) {}"),
            ),
            (
                "void f() NOEXCEPT { TRY { g(); } CATCH(x)\n}",
                Some("void f()          {     { g(); }         \n}"),
            ),
            ("f();\nBEGIN_NAMESPACE\nclass A {};", Some("f();\n               \nclass A {};")),
            (
                "API(void f(int a)) {\n}\nAPI(int g(void));",
                Some("    void f(int a)  {\n}\n    int g(void) ;"),
            ),
            ("TEST(a, b(c)) {\n}", None),
            ("FILE *f(void);", None),
            ("BOOL f(void) {}", None),
            ("TEST(a, b) {\n}", None),
            ("int a = MAX;\nCHECK(a);\nx = A | B;", None),
        ] {
            assert_eq!(blank_preprocessor(text).as_deref(), simpler, "{text}");
        }
    }

    #[test]
    fn branches_that_open_brackets_leave_one() {
        for (text, simpler) in [
            (
                "void f() {\n#ifdef A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\n",
                Some("void f() {\n        \n  if (a) {\n     \n          \n      \n  }\n}\n"),
            ),
            ("void f() {\n#ifdef A\n  a();\n#else\n  b();\n#endif\n}\n", None),
            (
                "int a[] = {\n#include <b>\n#define C \\\n  1\n#ifdef D\n2,\n#endif\n3};\n",
                Some("int a[] = {\n            \n           \n   \n        \n2,\n      \n3};\n"),
            ),
        ] {
            assert_eq!(blank_preprocessor(text).as_deref(), simpler, "{text}");
        }
    }
}
