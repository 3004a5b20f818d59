//! Definitions that `unused` never reports: entry points, overrides, members of object literals,
//! anything with a registering attribute. The rules of the language decide, by the definition and
//! the text around it.

use kenning_lang::languages::{DefinitionContext, Language, UsageRules, is_declaration_file};
use kenning_model::{RepoPath, Symbol};

/// True if a definition is used from outside, or has no name that code could refer to.
pub(super) fn is_exempt(path: &RepoPath, language: &Language, context: &DefinitionContext) -> bool {
    let (usage, symbol) = (&language.usage, context.symbol);
    usage.is_entry_point(&symbol.name)
        || !is_name(&symbol.name, usage)
        || is_override(symbol, usage)
        || (usage.is_exempt)(context)
        || is_declaration_file(path)
}

/// True if an attribute registers the definition with a caller, or if it adds to a declaration of
/// others. Both need the text of the file.
pub(super) fn is_exempt_by_text(text: &str, language: &Language, symbol: &Symbol) -> bool {
    let usage = &language.usage;
    usage.is_registered(text, symbol) || (usage.is_used_by_text)(text, symbol)
}

/// True if code can refer to it by this name. Operators, computed keys and placeholder words of
/// unnamed definitions are excluded.
fn is_name(name: &str, usage: &UsageRules) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | '$' | '?' | '!' | '\'');
    let has_letter = name.contains(|c: char| c.is_alphanumeric());
    has_letter && name.chars().all(is_part) && !usage.placeholder_names.contains(&name)
}

/// True if a word of the signature marks an override. Its callers use the base.
fn is_override(symbol: &Symbol, usage: &UsageRules) -> bool {
    let signature = symbol.signature.as_deref().unwrap_or_default();
    let mut words = signature.split_whitespace();
    words.any(|word| usage.override_words.contains(&word))
}

/// Names of folders with code of others, in lower case.
const VENDORED_FOLDERS: &[&str] = &[
    "3rdparty",
    "3rd_party",
    "_vendor",
    "bower_components",
    "carthage",
    "deps",
    "extern",
    "external",
    "externals",
    "node_modules",
    "pods",
    "submodules",
    "subprojects",
    "third-party",
    "third_party",
    "thirdparty",
    "vendor",
    "vendored",
];

/// True if a file lies in a folder with code of others.
pub(super) fn is_vendored(path: &RepoPath) -> bool {
    let folders = path.as_str().rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').any(|folder| {
        VENDORED_FOLDERS.contains(&folder.to_lowercase().as_str()) || is_release(folder)
    })
}

/// True for a folder with a release of a library, such as `viewer-5.2.133`.
fn is_release(folder: &str) -> bool {
    let Some((name, version)) = folder.rsplit_once('-') else {
        return false;
    };
    let mut parts = version.split('.');
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    !name.is_empty() && version.contains('.') && parts.all(is_number)
}

/// Returns the longest part of a name that is a word in the text. A sign inside of a name, as in
/// `peg$parse`, separates words there.
pub(super) fn searchable_word(name: &str) -> &str {
    let words = name.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.max_by_key(|word| word.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_lang::languages;
    use kenning_model::{ChunkKind, Span, Visibility};

    fn symbol(kind: ChunkKind, signature: &str, name: &str) -> Symbol {
        Symbol {
            name: name.to_string(),
            scope: None,
            kind,
            visibility: Visibility::Internal,
            signature: Some(signature.to_string()),
            span: Span::default(),
            line: 1,
            parameters: Vec::new(),
            type_text: None,
            is_test: false,
        }
    }

    #[test]
    fn folders_with_code_of_others_are_vendored() {
        for (path, expected) in [
            ("Vendor/a.c", true),
            ("public/viewer-5.2.133/web/a.mjs", true),
            ("src/a-1/b.c", false),
            ("docs/v1.2/a.py", false),
            ("lib/a-b/c.rb", false),
        ] {
            assert_eq!(is_vendored(&RepoPath::new(path).unwrap()), expected, "{path}");
        }
    }

    #[test]
    fn the_longest_word_of_a_name_is_searched() {
        for (name, word) in
            [("peg$parse", "parse"), ("#hush", "hush"), ("empty?", "empty"), ("a_b", "a_b")]
        {
            assert_eq!(searchable_word(name), word);
        }
    }

    #[test]
    fn what_others_call_is_spared() {
        use ChunkKind::{Class, Constant, Extension, Function, Method, Struct, TypeAlias};
        for (path, kind, signature, name, parent, is_spared) in [
            ("a.cs", Method, "static void Main()", "Main", Some(Class), true),
            ("a.rs", Function, "fn Main()", "Main", None, false),
            ("a.rs", Function, "fn main()", "main", None, true),
            ("a.rs", Function, "fn _assert()", "_assert", None, true),
            ("a.py", Function, "def _hidden()", "_hidden", None, false),
            ("a.rs", TypeAlias, "type Target = A", "Target", Some(Extension), true),
            ("a.rs", TypeAlias, "type Target = A", "Target", None, false),
            ("a.swift", Function, "func == (a: A, b: A) -> Bool", "==", None, true),
            ("a.java", Method, "@Override public void run()", "run", Some(Class), true),
            ("a.java", Class, "new Visitor()", "new", None, true),
            ("a.d.ts", Function, "declare function f(): void", "f", None, true),
            ("a.ts", Method, "[Symbol.iterator]()", "[Symbol.iterator]", Some(Class), true),
            ("a.ts", Method, "get #table()", "#table", Some(Class), false),
            ("a.ts", Function, "outExtensions: (ctx)", "outExtensions", None, true),
            ("a.ts", Method, "async redirects()", "redirects", Some(Constant), true),
            ("a.ts", Method, "copyWith(a: A): A", "copyWith", Some(TypeAlias), false),
            ("a.ts", Method, "run: Run = ()", "run", Some(Class), false),
            ("a.ts", Method, "script.onerror = ()", "onerror", None, true),
            ("a.ts", Function, "export default function Page()", "Page", None, true),
            ("a.ts", Function, "function page()", "page", None, false),
            ("a.go", Struct, "type A struct", "A", None, false),
            // Each language has its own entry points.
            ("a.go", Function, "func init()", "init", None, true),
            ("a.ex", Function, "def init(state)", "init", None, true),
            ("a.rs", Function, "fn init()", "init", None, false),
            ("a.py", Function, "def setup(app)", "setup", None, true),
            ("a.rs", Function, "fn setup()", "setup", None, false),
            ("a.py", Function, "def __enter__(self)", "__enter__", None, true),
            ("a.kt", Function, "fun __helper()", "__helper", None, false),
            ("a.cs", Method, "void main()", "main", Some(Class), false),
            ("a.rb", Function, "def main", "main", None, false),
            // Placeholders of one language are names in another.
            ("a.rs", Function, "fn new() -> A", "new", None, false),
            ("a.pyi", Function, "def f() -> None", "f", None, true),
        ] {
            let symbol = symbol(kind, signature, name);
            let parent = parent.map(|kind| self::symbol(kind, "", "outer"));
            let path = RepoPath::new(path).unwrap();
            let language = languages::by_path(&path).unwrap();
            let context =
                DefinitionContext { symbol: &symbol, parent: parent.as_ref(), symbols: &[] };
            let found = is_exempt(&path, language, &context);
            assert_eq!(found, is_spared, "{path} {signature}");
        }
    }

    #[test]
    fn marks_give_definitions_to_others() {
        for (language, text, is_given) in [
            ("rust", "#[bench]\nfn a() {}", true),
            ("rust", "/// Doc.\n#[inline]\n#[cfg(test)]\nfn a() {}", false),
            ("python", "@app.route('/')\ndef a(): pass", true),
            ("python", "@functools.lru_cache(maxsize=None)\ndef a(): pass", false),
            ("csharp", "[HttpGet(\"a\")]\nvoid A() {}", true),
            ("csharp", "[Obsolete]\nvoid A() {}", false),
            ("java", "/**\n * @return a\n */\n@Deprecated @Bean void a() {}", true),
            ("swift", "@available(iOS 14, *)\nstruct A {}", false),
            ("swift", "@objc func a() {}", true),
        ] {
            let mut symbol = symbol(ChunkKind::Function, "", "a");
            let last = text.lines().count() as u32;
            symbol.line = last;
            symbol.span.start_line = 1;
            symbol.span.end_line = last;
            let language = languages::by_name(language).unwrap();
            assert_eq!(is_exempt_by_text(text, language, &symbol), is_given, "{text}");
        }
    }

    #[test]
    fn what_adds_to_others_declarations_is_ambient() {
        let text =
            "declare global {\n  interface A { a: 1 }\n  interface B {}\n}\ninterface C {}\n";
        for (name, is_added) in
            [("interface A", true), ("interface B", true), ("interface C", false)]
        {
            let mut symbol = symbol(ChunkKind::Interface, "", "A");
            symbol.span.start_byte = text.find(name).unwrap() as u32;
            for (language, expected) in
                [("typescript", is_added), ("tsx", is_added), ("java", false)]
            {
                let language = languages::by_name(language).unwrap();
                assert_eq!(is_exempt_by_text(text, language, &symbol), expected, "{name}");
            }
        }
    }
}
