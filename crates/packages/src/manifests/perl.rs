//! Perl: `cpanfile`, its statements and literals only.
//!
//! Nothing is internal: a cpanfile asks for modules by name and does not tell which modules its own
//! directory holds. Conditions are not evaluated, so both branches count.

use serde::{Deserialize, Serialize};

use super::normalize_dependencies::{kind_text, normalize_dependencies};
use super::text_cursor::TextCursor;
use super::{Ecosystem, LinkedEcosystem, ParsedManifest, Repo};
use kenning_model::{DepKind, Dependency, Package, Problem, RepoPath};

/// The ecosystem of CPAN.
pub struct Perl;

/// The modules that one cpanfile asks for.
#[derive(Serialize, Deserialize)]
pub struct Cpanfile {
    modules: Vec<PerlModule>,
}

/// One required module.
#[derive(Serialize, Deserialize)]
struct PerlModule {
    name: String,
    #[serde(with = "kind_text")]
    kind: DepKind,
    requirement: Option<String>,
}

impl Ecosystem for Perl {
    type Facts = Cpanfile;
    const KIND: &'static str = "perl";
    const FILES: &'static [&'static str] = &["cpanfile"];

    fn parse(&self, path: &RepoPath, text: &str) -> ParsedManifest<Cpanfile> {
        let mut reader = CpanfileParser::new(path);
        for (line, token) in (PerlLexer { cursor: TextCursor::new(text) }) {
            reader.read_token(line, token);
        }
        reader.end_statement();
        if reader.statements == 0 && !text.trim().is_empty() {
            return ParsedManifest::from_problem(Problem::new(
                path,
                "no statement in it is a cpanfile's",
            ));
        }
        let modules = reader.modules;
        ParsedManifest::with_problems(Cpanfile { modules }, reader.problems)
    }

    fn link(&self, repo: &Repo, files: &[(RepoPath, Cpanfile)]) -> LinkedEcosystem {
        let packages = files.iter().map(|(path, facts)| {
            let name = repo.directory_name(&path.parent());
            let mut package = Package::new(Self::KIND, name, path);
            let modules = facts.modules.iter();
            package.dependencies = modules
                .map(|module| Dependency {
                    name: module.name.clone(),
                    kind: module.kind,
                    version_req: module.requirement.clone(),
                    internal: None,
                })
                .collect();
            normalize_dependencies(&mut package);
            package
        });
        LinkedEcosystem { packages: packages.collect(), problems: Vec::new() }
    }
}

/// Assembles tokens to statements, and statements to modules.
struct CpanfileParser<'t> {
    path: &'t RepoPath,
    /// The tokens of the statement so far.
    statement: Vec<PerlToken<'t>>,
    /// The line on which the statement begins.
    line: u32,
    /// The open blocks, outermost first. The first is the file itself and never closes.
    blocks: Vec<PhaseBlock>,
    /// The number of statements that belong to a cpanfile. A file without any is something else.
    statements: usize,
    modules: Vec<PerlModule>,
    problems: Vec<Problem>,
}

/// The settings that a block gives to the modules in it.
#[derive(Clone, Copy)]
struct PhaseBlock {
    phase: Phase,
    is_feature: bool,
}

/// A phase of CPAN::Meta, as far as it decides the kind of a dependency.
#[derive(Clone, Copy)]
enum Phase {
    Runtime,
    /// `test` and `develop`.
    Dev,
    /// `configure` and `build`.
    Build,
}

/// Options that may follow a module in place of a version. They state where to get it.
const OPTIONS: &[&str] = &["dist", "git", "mirror", "path", "ref", "url"];

impl<'t> CpanfileParser<'t> {
    fn new(path: &'t RepoPath) -> CpanfileParser<'t> {
        let outside = PhaseBlock { phase: Phase::Runtime, is_feature: false };
        CpanfileParser {
            path,
            statement: Vec::new(),
            line: 1,
            blocks: vec![outside],
            statements: 0,
            modules: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Takes one token. Semicolons and braces end statements.
    fn read_token(&mut self, line: u32, token: PerlToken<'t>) {
        match token {
            PerlToken::Symbol(';') => self.end_statement(),
            PerlToken::Symbol('{') => {
                let block = self.open_block();
                self.blocks.push(block);
                self.statement.clear();
            }
            PerlToken::Symbol('}') => {
                self.end_statement();
                // A stray brace must not close the file itself.
                if self.blocks.len() > 1 {
                    self.blocks.pop();
                }
            }
            token => {
                if self.statement.is_empty() {
                    self.line = line;
                }
                self.statement.push(token);
            }
        }
    }

    /// The innermost open block.
    fn current_block(&self) -> PhaseBlock {
        *self.blocks.last().expect("the outermost block is never left")
    }

    /// The block that the statement so far opens: `on 'test' => sub {` or `feature …`. The block of
    /// a condition changes nothing.
    fn open_block(&mut self) -> PhaseBlock {
        let mut block = self.current_block();
        match self.statement.first() {
            Some(PerlToken::Word("on")) => {
                block.phase = parse_phase(self.literal_arguments().first().unwrap_or(&""));
                self.statements += 1;
            }
            Some(PerlToken::Word("feature")) => {
                block.is_feature = true;
                self.statements += 1;
            }
            _ => {}
        }
        block
    }

    /// Ends a statement, and adds its module if it requires one.
    fn end_statement(&mut self) {
        if let Some((phase, is_wanted)) = self.classify_statement() {
            self.statements += 1;
            self.add_module(phase, is_wanted);
        }
        self.statement.clear();
    }

    /// Returns the phase of a statement that asks for a module, and true if it requires it. The
    /// older verbs have their phase in the name.
    fn classify_statement(&self) -> Option<(Phase, bool)> {
        let phase = self.current_block().phase;
        let Some(PerlToken::Word(word)) = self.statement.first() else {
            return None;
        };
        match *word {
            "requires" => Some((phase, true)),
            "recommends" | "suggests" => Some((phase, false)),
            "configure_requires" | "build_requires" => Some((Phase::Build, true)),
            "test_requires" | "author_requires" => Some((Phase::Dev, true)),
            _ => None,
        }
    }

    /// Adds the module of the current statement. A computed name is reported.
    fn add_module(&mut self, phase: Phase, is_wanted: bool) {
        let kind = match phase {
            Phase::Dev => DepKind::Dev,
            Phase::Build => DepKind::Build,
            // CPAN has optional features; a module in one is needed only by those who choose it.
            Phase::Runtime if is_wanted && !self.current_block().is_feature => DepKind::Runtime,
            Phase::Runtime => DepKind::Optional,
        };
        let arguments = self.literal_arguments();
        // The second literal is a version, unless it is the name of an option.
        let requirement = arguments.get(1).filter(|text| !OPTIONS.contains(text));
        match arguments.first() {
            // The language itself, not a module.
            Some(&"perl") => {}
            Some(name) => self.modules.push(PerlModule {
                name: name.to_string(),
                kind,
                requirement: requirement.map(|text| text.to_string()),
            }),
            None => {
                let message = "a module whose name is computed was left out";
                let problem = Problem::new(self.path, message).at_line(self.line);
                self.problems.push(problem);
            }
        }
    }

    /// The literals after the first word, up to the first token that is computed or begins a
    /// condition.
    fn literal_arguments(&self) -> Vec<&'t str> {
        let rest = self
            .statement
            .iter()
            .skip(1)
            .filter(|token| !matches!(token, PerlToken::Symbol(',' | '(' | ')')));
        let literals = rest.map_while(|token| match token {
            PerlToken::Word("if" | "unless" | "for" | "foreach" | "undef") => None,
            PerlToken::Word(text) | PerlToken::Text(text) => Some(*text),
            PerlToken::Variable | PerlToken::Symbol(_) => None,
        });
        literals.collect()
    }
}

/// Maps a phase of `on` to the kinds that matter here.
fn parse_phase(name: &str) -> Phase {
    match name {
        "test" | "develop" => Phase::Dev,
        "configure" | "build" => Phase::Build,
        _ => Phase::Runtime,
    }
}

/// A token of a Perl program.
#[derive(Clone, Copy)]
enum PerlToken<'t> {
    Word(&'t str),
    /// A string or a number.
    Text(&'t str),
    /// A variable, or a string that interpolates one: a computed value.
    Variable,
    /// Any other character; `=>` is a comma.
    Symbol(char),
}

/// Tokenizes a Perl program, as far as cpanfiles need it. Yields each token with its line.
struct PerlLexer<'t> {
    cursor: TextCursor<'t>,
}

impl<'t> Iterator for PerlLexer<'t> {
    type Item = (u32, PerlToken<'t>);

    fn next(&mut self) -> Option<(u32, PerlToken<'t>)> {
        self.skip_blank();
        let first = self.cursor.rest().chars().next()?;
        let line = self.cursor.line;
        let token = match first {
            '\'' | '"' => self.lex_quoted(first),
            '0'..='9' => PerlToken::Text(
                self.cursor.take_while(|c| c.is_alphanumeric() || c == '.' || c == '_'),
            ),
            '$' | '@' | '%' => {
                self.cursor.take(1);
                self.cursor.take_while(is_word);
                PerlToken::Variable
            }
            _ if is_word(first) => self.lex_word()?,
            '=' if self.cursor.rest().starts_with("=>") => {
                self.cursor.take(2);
                PerlToken::Symbol(',')
            }
            _ => {
                self.cursor.take(first.len_utf8());
                PerlToken::Symbol(first)
            }
        };
        Some((line, token))
    }
}

impl<'t> PerlLexer<'t> {
    /// Skips white space, comments, and POD documentation from `=word` to `=cut`.
    fn skip_blank(&mut self) {
        loop {
            self.cursor.take_while(char::is_whitespace);
            let before = self.cursor.before();
            let at_line_start = before.is_empty() || before.ends_with('\n');
            let mut ahead = self.cursor.rest().chars();
            match (ahead.next(), ahead.next()) {
                (Some('#'), _) => drop(self.cursor.take_while(|c| c != '\n')),
                (Some('='), Some(c)) if at_line_start && c.is_ascii_alphabetic() => {
                    let end = self.cursor.rest().find("\n=cut").map(|start| start + "\n=cut".len());
                    self.cursor.take(end.unwrap_or(self.cursor.rest().len()));
                    self.cursor.take_while(|c| c != '\n');
                }
                _ => return,
            }
        }
    }

    /// Takes a word or a `q(…)`-like string. `__END__` ends the program.
    fn lex_word(&mut self) -> Option<PerlToken<'t>> {
        let word = self.cursor.take_while(|c| is_word(c) || c == ':');
        if matches!(word, "__END__" | "__DATA__") {
            self.cursor.take(self.cursor.rest().len());
            return None;
        }
        let after = self.cursor.rest().trim_start().chars().next();
        match after {
            Some(open) if matches!(word, "q" | "qq" | "qw") && !matches!(open, ',' | ';' | '=') => {
                self.cursor.take_while(char::is_whitespace);
                Some(self.lex_quoted(open))
            }
            _ => Some(PerlToken::Word(word)),
        }
    }

    /// Takes the text between `open` and its counterpart. A string that interpolates is no literal.
    /// Nested brackets are not balanced.
    fn lex_quoted(&mut self, open: char) -> PerlToken<'t> {
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            other => other,
        };
        self.cursor.take(open.len_utf8());
        let mut is_escaped = false;
        let end = self.cursor.rest().find(|c| {
            let is_end = c == close && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            is_end
        });
        let content = self.cursor.take(end.unwrap_or(self.cursor.rest().len()));
        self.cursor.take(end.map_or(0, |_| close.len_utf8()));
        match open {
            '"' if content.contains(['$', '@']) => PerlToken::Variable,
            _ => PerlToken::Text(content.trim()),
        }
    }
}

/// True for a character of an identifier.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::super::testing::render;
    use super::*;

    fn check(files: &[(&str, &str)], expected: Expect) {
        expected.assert_eq(&render(&Perl, files));
    }

    #[test]
    fn every_relation_and_phase() {
        check(
            &[(
                "app/cpanfile",
                r#"
use strict;
requires 'perl', '5.010001';
requires 'Plack', '>= 1.0, < 2.0'; # requires 'Commented';
requires "JSON" => 2.0;
requires('Moo');
requires q{Quoted}, qq(1.2);
requires 'Path::Class', 0.26,
  dist => "KWILLIAMS/Path-Class-0.26.tar.gz";
requires 'From::Git', git => 'https://example.com/x.git', ref => 'main';
requires 'Win32::Console' if $^O eq 'MSWin32';
recommends 'JSON::XS';
suggests 'Devel::PPPort', 'v3.0.1';
conflicts 'Old', '< 1.0';
test_requires 'Test::Deep';
author_requires 'Perl::Tidy';
configure_requires 'Module::Build::Tiny', 0.034;
build_requires 'Devel::CheckLib';
requires $_ for @modules;
requires "Foo::$name";

=head1 DOCUMENTATION

requires 'Documented';

=cut

on 'test' => sub {
    requires 'Test::More', '0.96';
    recommends 'Test::TCP';
};
on develop => sub { requires 'Minilla'; };
on(configure => sub { requires 'ExtUtils::MakeMaker' });
on runtime => sub {
    if ($] < 5.014) {
        requires 'Compat';
    }
};
feature 'sqlite', 'SQLite support' => sub {
    requires 'DBD::SQLite';
    on test => sub { requires 'Test::SQLite' };
};
requires 'Last'
__END__
requires 'Ended';
"#,
            )],
            expect![[r#"
                app (app)
                  -> Plack >= 1.0, < 2.0
                  -> JSON 2.0
                  -> Moo
                  -> Quoted 1.2
                  -> Path::Class 0.26
                  -> From::Git
                  -> Win32::Console
                  -> Compat
                  -> Last
                  -> Test::Deep (dev)
                  -> Perl::Tidy (dev)
                  -> Test::More 0.96 (dev)
                  -> Test::TCP (dev)
                  -> Minilla (dev)
                  -> Test::SQLite (dev)
                  -> Module::Build::Tiny 0.034 (build)
                  -> Devel::CheckLib (build)
                  -> ExtUtils::MakeMaker (build)
                  -> JSON::XS (optional)
                  -> Devel::PPPort v3.0.1 (optional)
                  -> DBD::SQLite (optional)
                problem: app/cpanfile:19: a module whose name is computed was left out
                problem: app/cpanfile:20: a module whose name is computed was left out
            "#]],
        );
    }

    #[test]
    fn truncated_and_nonsense_files() {
        check(
            &[
                ("a/cpanfile", "requires 'A';\non test => sub {\n  requires 'B', '1."),
                ("b/cpanfile", "<html> ((( \u{0}"),
                ("c/cpanfile", ""),
                ("d/cpanfile", &"{".repeat(100_000)),
                ("e/cpanfile", &format!("requires 'A';{}", "}".repeat(100_000))),
                ("f/cpanfile", &"requires 'A', '1';\n".repeat(50_000)),
                ("g/cpanfile", &"q(".repeat(1_000_000)),
                ("h/cpanfile", &"\n=a".repeat(1_000_000)),
                ("i/cpanfile", "requires; requires undef, 1; requires 'É' => '1'; on;"),
            ],
            expect![[r#"
                a (a)
                  -> A
                  -> B 1. (dev)
                c (c)
                e (e)
                  -> A
                f (f)
                  -> A 1
                i (i)
                  -> É 1
                problem: b/cpanfile: no statement in it is a cpanfile's
                problem: d/cpanfile: no statement in it is a cpanfile's
                problem: g/cpanfile: no statement in it is a cpanfile's
                problem: h/cpanfile: no statement in it is a cpanfile's
                problem: i/cpanfile:1: a module whose name is computed was left out
                problem: i/cpanfile:1: a module whose name is computed was left out
            "#]],
        );
    }
}
