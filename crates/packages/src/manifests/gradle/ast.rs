//! The statements of a Gradle build script, read leniently: calls with their arguments and blocks,
//! assignments, and the blocks of conditions. Anything else is skipped, to the end of
//! its line at most. It knows the two languages but not Gradle.
//!
//! The tree-sitter grammars for Groovy fail on a third of real build files, and on calls without
//! parentheses at that, which is how dependencies are written; hence this reader. It serves Kotlin
//! as well, so that both dialects of one notation are understood in one place.

use std::ops::Range;

use super::cursor::Cursor;
use super::interpolation::{HOLE, Template, TemplatePart};
use super::lexer::{Dialect, Lexeme, StringPart, lex};

pub struct Script<'t> {
    pub lexemes: Vec<Lexeme<'t>>,
    pub dialect: Dialect,
    /// The line of the first bracket without a partner.
    pub unmatched: Option<u32>,
    /// True if this is an expression inside a string; those in its strings are not looked into.
    is_embedded: bool,
}

/// The inside of a pair of braces, as a range of tokens.
pub type TokenRange = Range<usize>;

pub enum Statement<'t> {
    Expression(Expression<'t>),
    Assignment {
        /// True if it declares a variable of the script: `def x = …`, `val x by …`.
        is_local: bool,
        /// True if the value says who knows the value: `val x by extra("1.0")`.
        is_delegated: bool,
        target: Chain<'t>,
        value: Expression<'t>,
    },
    /// The block of a condition or a loop.
    Block(TokenRange),
}

pub enum Expression<'t> {
    Text(Template),
    Chain(Chain<'t>),
    /// `[a, b]` or `[key: value]`.
    List(Vec<Argument<'t>>),
    Closure,
    Computed,
}

/// `a.b(c) { … }.d["e"]`
pub struct Chain<'t> {
    pub links: Vec<ChainLink<'t>>,
    pub line: u32,
}

pub struct ChainLink<'t> {
    pub name: &'t str,
    pub call: Option<Vec<Argument<'t>>>,
    pub block: Option<TokenRange>,
}

pub struct Argument<'t> {
    pub name: Option<String>,
    pub value: Expression<'t>,
}

impl<'t> Script<'t> {
    pub fn new(text: &'t str, dialect: Dialect) -> Script<'t> {
        let (lexemes, unmatched) = lex(text, dialect);
        Script { lexemes, dialect, unmatched, is_embedded: false }
    }

    pub fn full_range(&self) -> TokenRange {
        0..self.lexemes.len()
    }

    pub fn parse_statements(&self, block: &TokenRange) -> Vec<Statement<'t>> {
        let mut cursor = Cursor {
            script: self,
            at: block.start,
            end: block.end,
            is_line: true,
            is_argument: false,
            depth: 0,
        };
        cursor.skip_parameters();
        let mut statements = Vec::new();
        while cursor.at < cursor.end {
            let before = cursor.at;
            statements.extend(cursor.parse_statement());
            cursor.at = cursor.at.max(before + 1);
        }
        statements
    }
}

impl<'t> Script<'t> {
    /// A string with the names in it.
    pub fn template(&self, parts: &[StringPart<'t>]) -> Template {
        let pieces = parts.iter().map(|part| match part {
            StringPart::Text(text) => TemplatePart::Text(text.replace(HOLE, "")),
            StringPart::Expression(_) if self.is_embedded => TemplatePart::Computed,
            StringPart::Expression(source) => self.parse_embedded(source),
        });
        Template::new(pieces.collect())
    }

    /// An expression inside a string.
    fn parse_embedded(&self, source: &'t str) -> TemplatePart {
        let mut script = Script::new(source, self.dialect);
        script.is_embedded = true;
        let statements = script.parse_statements(&script.full_range());
        let value = match &statements[..] {
            [Statement::Expression(expression)] => expression.template(),
            _ => None,
        };
        match value.as_ref().and_then(Template::as_reference) {
            Some(path) => TemplatePart::Reference(path.to_string()),
            None => TemplatePart::Computed,
        }
    }
}

pub fn concatenate<'t>(left: Expression<'t>, right: Expression<'t>) -> Expression<'t> {
    match (left.into_template(), right.into_template()) {
        (Some(left), Some(right)) => Expression::Text(left.join(right)),
        _ => Expression::Computed,
    }
}

/// Functions that give what they are applied to, as far as a build file's reader is concerned.
const IDENTITIES: &[&str] =
    &["asProvider", "get", "getOrNull", "orNull", "toString", "trim", "trimIndent"];

/// Functions that give the property which their argument names.
const LOOKUPS: &[&str] = &["findProperty", "get", "getProperty", "gradleProperty", "property"];

/// Objects that a script reads properties from. `without_holders` strips them from the front of a
/// path, so that `project.ext.x` and `x` name the same property.
const HOLDERS: &[&str] =
    &["ext", "extra", "parent", "project", "properties", "providers", "settings", "this"];

impl<'t> Expression<'t> {
    /// Returns the template of a text, or of the path of a property; `None` for other expressions.
    pub fn template(&self) -> Option<Template> {
        match self {
            Expression::Text(template) => Some(template.clone()),
            Expression::Chain(chain) => chain.template(),
            _ => None,
        }
    }

    fn into_template(self) -> Option<Template> {
        match self {
            Expression::Text(template) => Some(template),
            other => other.template(),
        }
    }

    pub fn chain(&self) -> Option<&Chain<'t>> {
        match self {
            Expression::Chain(chain) => Some(chain),
            _ => None,
        }
    }
}

impl<'t> Chain<'t> {
    /// The names of the links, if it is a mere path: `a.b.c`.
    pub fn path(&self) -> Vec<&'t str> {
        self.links.iter().map(|link| link.name).collect()
    }

    fn template(&self) -> Option<Template> {
        if let [ChainLink { name: "", call: Some(value), .. }, rest @ ..] = &self.links[..] {
            let is_same = rest.iter().all(|link| IDENTITIES.contains(&link.name));
            return value.first().filter(|_| is_same)?.value.template();
        }
        self.reference().map(Template::reference)
    }

    /// The property that is meant, without the project that it is asked of: `versions.kotlin`.
    pub fn reference(&self) -> Option<String> {
        let mut path: Vec<String> = Vec::new();
        for link in &self.links {
            let argument = link.call.as_ref().and_then(|call| call.first());
            match (&link.call, argument) {
                _ if link.block.is_some() => return None,
                (None, _) => path.push(link.name.to_string()),
                (Some(_), Some(argument)) if LOOKUPS.contains(&link.name) => {
                    path.push(argument.value.template()?.as_text()?);
                }
                (Some(_), None) if IDENTITIES.contains(&link.name) => {}
                (Some(_), _) => return None,
            }
        }
        let mut rest = strip_holders(&path);
        // The root's own version and group are not those of the project that asks.
        if let [root, property, ..] = rest
            && root == "rootProject"
            && !matches!(property.as_str(), "group" | "name" | "version")
        {
            rest = strip_holders(&rest[1..]);
        }
        (!rest.is_empty()).then(|| rest.join("."))
    }
}

fn strip_holders(path: &[String]) -> &[String] {
    let holders = path.iter().take_while(|name| HOLDERS.contains(&name.as_str()));
    &path[holders.count().min(path.len().saturating_sub(1))..]
}
