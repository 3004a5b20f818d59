//! The hostile files: texts that repeat a unit, for every language.

use kenning_lang::languages::{LANGS, Language, by_name};

/// One file, by the rule that makes it.
pub struct Case {
    pub language: String,
    pub family: CaseFamily,
    /// The repeated text, or for sources the number of a cut.
    pub unit: String,
}

/// The rules that make files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseFamily {
    /// One of [`UNITS`], repeated.
    Units,
    /// A token of the grammar, repeated alone and after a name.
    Tokens,
    /// Openers, then as many closers.
    Nested,
    /// A unit repeated within what looks like a function of the language's fixture.
    Sources,
}

impl CaseFamily {
    pub const ALL: [CaseFamily; 4] =
        [CaseFamily::Units, CaseFamily::Tokens, CaseFamily::Nested, CaseFamily::Sources];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            CaseFamily::Units => "units",
            CaseFamily::Tokens => "tokens",
            CaseFamily::Nested => "nested",
            CaseFamily::Sources => "sources",
        }
    }
}

/// Openers, separators and statements of many languages, tried on all of them.
const UNITS: &[&str] = &[
    "(",
    "[",
    "{",
    "<",
    "A<",
    "A<B,",
    "a(",
    "a[",
    "a{",
    "{\n",
    "([{",
    "f(a, ",
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "/*",
    "/* ",
    "/* a */",
    "/* a */\n",
    "//",
    "// a\n",
    "/// a\n",
    "#",
    "# a\n",
    "<!--",
    "<!-- a -->",
    "--[[",
    "{-",
    "--",
    "-- a\n",
    "<a>",
    "<a ",
    "<a b=",
    "<a b=\"",
    "</",
    "</a>",
    "<div><p>",
    "<p>",
    "<li>",
    "<script>",
    "<style>",
    "<template>",
    "{{",
    "{{ a",
    "{%",
    "{#if a}",
    "${",
    "\"${",
    "`${",
    "#{",
    "\"#{",
    "<<A\n",
    "<<-A\n",
    "<<EOF\n",
    "<<<A\n",
    "<<~A\n",
    "@",
    "@a ",
    "@a(",
    "@a\n",
    "\\",
    "\\(",
    "\"\\(",
    "!",
    "-",
    "- ",
    "  - ",
    "> ",
    "* ",
    "1. ",
    "a: ",
    "a:\n",
    "&a ",
    "*a ",
    "? ",
    "|",
    ">\n",
    "if ",
    "if a ",
    "if (a) ",
    "if a {\n",
    "if a then ",
    "else ",
    "case ",
    "case a:\n",
    "case a => ",
    "<case ",
    "<a case",
    "for ",
    "while ",
    "switch (a) { case ",
    "class A {",
    "class A ",
    "struct A {",
    "fn a() {",
    "function a() {",
    "function(){",
    "def a\n",
    "def a():\n",
    "do\n",
    "begin\n",
    "module A\n",
    "namespace a {",
    "interface A {",
    "=> ",
    "a => ",
    "x=>{",
    "() => ",
    "a.b",
    ".a",
    "a.",
    "a?.",
    "a ? ",
    "a ? b : ",
    "a = ",
    "a + ",
    "a == ",
    "not ",
    "await ",
    "new ",
    "return ",
    "lambda: ",
    "let a = ",
    "var a = ",
    "import a",
    "import {",
    "from a import (",
    "#if A\n",
    "#ifdef A\n",
    "#define A(",
    "#region\n",
    "@media a {",
    "a{b:c;",
    "SELECT (",
    "SELECT * FROM (",
    "CASE WHEN ",
    "1",
    "1.",
    "0x",
    "é",
    "\u{feff}",
    "\0",
    "\r",
    "\t",
    " ",
    "\n",
    "a",
    "a ",
    "a\n",
    "a,",
    "a;",
    "a;\n",
    ";",
    ",",
    ":",
    "::",
    "A::",
    "A::<",
    "template<",
    "template <class A> ",
    "typename A<",
    "Map<String, ",
    "List<List<",
    "decltype(",
    "[[",
    "]]",
    "$a",
    "$",
    "%",
    "%w(",
    "%(",
    "~",
    "~w(",
    "^",
    "?",
    "=",
    "<%",
    "<?php ",
    "?>",
    "<?",
    "<![CDATA[",
    "&",
    "&amp;",
    "|a| ",
    "||",
    ")",
    "]",
    "}",
    ">",
    "*/",
    "**a",
    "__a",
    "_a*",
    "![a](",
    "[a](",
    "[a]: b\n",
    "| a ",
    "| a |\n",
    "```\n",
    "```a\n",
    "~~~\n",
    "    a\n",
    "#|",
    "a <b> ",
    "a < b > (",
    "(a)(",
    "(a) -> ",
    "a: (",
    "(A)",
    "a[0]",
    "*",
    "&&",
    "a&&",
    "a*b;\n",
    "A a(",
    "A B ",
    "typedef ",
    "unsigned ",
    "^{",
    "@[",
    "@{",
    "@\"",
    "[a ",
    "[[a b] ",
    "R\"(",
    "r#\"",
    "r\"",
    "$\"{",
    "$$\"\"\"",
    "@\"\"\"",
    "'a ",
    "'{",
    "q(",
    "<<\"",
    "\\a -> ",
    "where ",
    "a <- ",
    "a :: ",
    "[|",
    "$(",
    "`a",
    "((a",
    "$((",
    "case a in ",
    "a) ",
    "a() {",
    "WITH a AS (",
    "(a, ",
    "a JOIN ",
    "---\n",
    "...\n",
    "a: |\n",
    "- - ",
    "[a, ",
    "{a: ",
    "a:\n ",
    "[a]\n",
    "[a.",
    "a.b.c = ",
    "a = [",
    "a = {b = ",
    "a = \"\"\"",
    "<svg><",
    "<a/>",
    "&#",
    "style=\"",
    "a{",
    "a,b>",
    ":not(",
    "url(",
    "@import ",
    "message A {",
    "oneof a {",
    "option (",
];

/// Openers with their closers.
const PAIRS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<", ">"),
    ("A<", ">"),
    ("a(", ")"),
    ("a[", "]"),
    ("{ a: ", "}"),
    ("<a>", "</a>"),
    ("<div>", "</div>"),
    ("\"${", "}\""),
    ("`${", "}`"),
    ("\"\\(", ")\""),
    ("\"#{", "}\""),
    ("/*", "*/"),
    ("{-", "-}"),
    ("if a {", "}"),
    ("if (a) {", "}"),
    ("if a then ", " end"),
    ("begin ", " end"),
    ("do ", " end"),
    ("function() {", "}"),
    ("function() ", " end"),
    ("(a) => (", ")"),
    ("class A {", "}"),
    ("[[", "]]"),
    ("f(a, ", ")"),
    ("SELECT * FROM (", ")"),
    ("$(", ")"),
    ("#if A\n", "\n#endif\n"),
    ("case a of { b -> ", "}"),
    ("(a + ", ")"),
    ("Box<Box<", ">>"),
    ("{{", "}}"),
    ("- ", ""),
    ("> ", ""),
    ("![", "](a)"),
    ("[", "](a)"),
    ("**a ", " a**"),
    ("*a **b ", "** *"),
];

/// Files that took more than 10 seconds or gigabytes, or ended the process, before the parser had
/// bounds on memory and time.
const REGRESSIONS: &[(&str, CaseFamily, &str)] = &[
    ("html", CaseFamily::Units, "<div><p>"),
    ("html", CaseFamily::Nested, "<div>"),
    ("java", CaseFamily::Units, "A<"),
    ("csharp", CaseFamily::Units, "A<"),
    ("swift", CaseFamily::Sources, "<a "),
    ("swift", CaseFamily::Units, "def a\n"),
];

/// The cases of [`REGRESSIONS`].
pub fn regressions() -> Vec<Case> {
    let cases = REGRESSIONS.iter().map(|(language, family, unit)| Case {
        language: language.to_string(),
        family: *family,
        unit: unit.to_string(),
    });
    cases.collect()
}

/// Every case of the families, in a fixed order.
pub fn all_cases(only: Option<&str>, families: &[CaseFamily]) -> Vec<Case> {
    let mut languages: Vec<&Language> = LANGS.to_vec();
    languages.dedup_by_key(|language| language.name);
    languages.retain(|language| only.is_none_or(|only| language.name == only));
    let mut cases = Vec::new();
    for family in families {
        for language in &languages {
            let units = family_units(*family, language);
            let case = |unit| Case { language: language.name.to_string(), family: *family, unit };
            cases.extend(units.into_iter().map(case));
        }
    }
    cases
}

/// The units of a family for one language.
fn family_units(family: CaseFamily, language: &Language) -> Vec<String> {
    match family {
        CaseFamily::Units | CaseFamily::Sources => {
            UNITS.iter().map(|unit| unit.to_string()).collect()
        }
        CaseFamily::Tokens => {
            let tokens = grammar_tokens(language);
            tokens
                .iter()
                .flat_map(|token| [token.clone(), format!("{token} "), format!("a {token} ")])
                .collect()
        }
        CaseFamily::Nested => PAIRS.iter().map(|(open, _)| open.to_string()).collect(),
    }
}

/// The tokens that a grammar spells out: keywords, brackets, operators.
fn grammar_tokens(language: &Language) -> Vec<String> {
    let grammar = (language.grammar)();
    let count = u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
    let mut tokens: Vec<String> = (0..count)
        .filter(|id| grammar.node_kind_is_visible(*id) && !grammar.node_kind_is_named(*id))
        .filter_map(|id| grammar.node_kind_for_id(id))
        .filter(|token| !token.contains('\0'))
        .map(str::to_string)
        .collect();
    tokens.sort();
    tokens.dedup();
    tokens
}

impl Case {
    /// The name of the file, which chooses the language.
    pub fn file_name(&self) -> String {
        let language = by_name(&self.language).unwrap();
        match language.extensions.iter().find(|_| language.claims_file.is_none()) {
            Some(extension) => format!("a.{extension}"),
            None => match language.file_names.first() {
                Some(name) => name.to_string(),
                None => format!("a.{}", language.extensions[0]),
            },
        }
    }

    /// The text of the file, of about `size` bytes.
    pub fn text(&self, size: usize) -> String {
        match self.family {
            CaseFamily::Units | CaseFamily::Tokens => {
                self.unit.repeat((size / self.unit.len()).max(1))
            }
            CaseFamily::Nested => {
                let (open, close) = PAIRS.iter().find(|(open, _)| *open == self.unit).unwrap();
                let count = (size / (open.len() + close.len())).max(1);
                format!("{}a{}", open.repeat(count), close.repeat(count))
            }
            CaseFamily::Sources => {
                let fixture = kenning_lang_fixture(&self.language);
                let middle = fixture.len() / 2;
                let border = (0..=middle).rev().find(|at| fixture.is_char_boundary(*at)).unwrap();
                let unit = self.unit.repeat((size / self.unit.len()).max(1));
                format!("{}{unit}{}", &fixture[..border], &fixture[border..])
            }
        }
    }
}

/// The first fixture of a language, as real source around a hostile middle.
fn kenning_lang_fixture(language: &str) -> String {
    let languages = concat!(env!("CARGO_MANIFEST_DIR"), "/src/languages");
    let folder = format!("{languages}/{language}/fixtures");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    let first = files.iter().find_map(|file| std::fs::read_to_string(file.path()).ok());
    first.unwrap_or_default()
}
