//! The statements of a Gradle build script, parsed leniently: calls with their arguments and
//! blocks, assignments, and the blocks of conditions. Anything else is skipped, to the end of its
//! line at most.
//!
//! This module knows the two languages but not Gradle. The tree-sitter grammars for Groovy fail on
//! a third of real build files, and on calls without parentheses, which is how dependencies are
//! written. Hence this parser. It serves Kotlin as well, so that both dialects of one notation are
//! handled in one place.

use std::ops::Range;

use super::cursor::Cursor;
use super::lexer::{Dialect, Lexeme, StringPart, lex};
use super::string_template::{HOLE, Template, TemplatePart};

/// A tokenized script. Statements are parsed on demand, block by block.
pub struct Script<'t> {
    pub lexemes: Vec<Lexeme<'t>>,
    pub dialect: Dialect,
    /// The line of the first bracket without a partner.
    pub unmatched: Option<u32>,
    /// True for an expression inside of a string. Strings inside of it are not expanded again,
    /// which bounds the recursion.
    is_embedded: bool,
}

/// The inside of a pair of braces, as a range of tokens.
pub type TokenRange = Range<usize>;

/// One statement of a block.
pub enum Statement<'t> {
    Expression(Expression<'t>),
    Assignment {
        /// True if it declares a variable of the script: `def x = …`, `val x by …`.
        is_local: bool,
        /// True for Kotlin's delegation: `val x by extra("1.0")`.
        is_delegated: bool,
        target: Chain<'t>,
        value: Expression<'t>,
    },
    /// The block of a condition or a loop. Conditions are not evaluated.
    Block(TokenRange),
}

/// An expression, as far as build files need it.
pub enum Expression<'t> {
    /// A string, perhaps with names to be filled in.
    Text(Template),
    Chain(Chain<'t>),
    /// `[a, b]` or `[key: value]`.
    List(Vec<Argument<'t>>),
    /// A block as a value.
    Closure,
    /// Any expression whose value only running the script would tell.
    Computed,
}

/// A chain of names, calls and indexes: `a.b(c) { … }.d["e"]`.
pub struct Chain<'t> {
    pub links: Vec<ChainLink<'t>>,
    pub line: u32,
}

/// One link of a chain. An index is a call of `get`, and a leading value is a call with an empty
/// name.
pub struct ChainLink<'t> {
    pub name: &'t str,
    pub call: Option<Vec<Argument<'t>>>,
    pub block: Option<TokenRange>,
}

/// An argument of a call, or an element of a list or map.
pub struct Argument<'t> {
    /// The name in `name: value`, or the key of a map entry.
    pub name: Option<String>,
    pub value: Expression<'t>,
}

impl<'t> Script<'t> {
    /// Tokenizes a script.
    pub fn new(text: &'t str, dialect: Dialect) -> Script<'t> {
        let (lexemes, unmatched) = lex(text, dialect);
        Script { lexemes, dialect, unmatched, is_embedded: false }
    }

    /// The range of the whole script.
    pub fn full_range(&self) -> TokenRange {
        0..self.lexemes.len()
    }

    /// Parses the statements of a block. The cursor advances with every statement, so this ends for
    /// any text.
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
    /// Builds the template of a string.
    pub fn template(&self, parts: &[StringPart<'t>]) -> Template {
        let pieces = parts.iter().map(|part| match part {
            StringPart::Text(text) => TemplatePart::Text(text.replace(HOLE, "")),
            StringPart::Expression(_) if self.is_embedded => TemplatePart::Computed,
            StringPart::Expression(source) => self.parse_embedded(source),
        });
        Template::new(pieces.collect())
    }

    /// Parses an expression inside of a string. Only the path of a property is kept.
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

/// The value of `left + right`: a text if both are known as templates.
pub fn concatenate<'t>(left: Expression<'t>, right: Expression<'t>) -> Expression<'t> {
    match (left.into_template(), right.into_template()) {
        (Some(left), Some(right)) => Expression::Text(left.join(right)),
        _ => Expression::Computed,
    }
}

/// Functions whose result is their receiver, as far as a reader of build files is concerned.
const IDENTITIES: &[&str] =
    &["asProvider", "get", "getOrNull", "orNull", "toString", "trim", "trimIndent"];

/// Functions that return the property which their argument names.
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

    /// Like [`Expression::template`], without a copy of a text.
    fn into_template(self) -> Option<Template> {
        match self {
            Expression::Text(template) => Some(template),
            other => other.template(),
        }
    }

    /// The chain, if the expression is one.
    pub fn chain(&self) -> Option<&Chain<'t>> {
        match self {
            Expression::Chain(chain) => Some(chain),
            _ => None,
        }
    }
}

impl<'t> Chain<'t> {
    /// The names of the links.
    pub fn path(&self) -> Vec<&'t str> {
        self.links.iter().map(|link| link.name).collect()
    }

    /// The template of a chain: a value with identity functions applied, or a reference to a
    /// property.
    fn template(&self) -> Option<Template> {
        if let [ChainLink { name: "", call: Some(value), .. }, rest @ ..] = &self.links[..] {
            let is_same = rest.iter().all(|link| IDENTITIES.contains(&link.name));
            return value.first().filter(|_| is_same)?.value.template();
        }
        self.reference().map(Template::reference)
    }

    /// Returns the property that the chain reads, without the object that it is read from:
    /// `versions.kotlin`. `None` if the chain does anything else.
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

/// Strips the leading objects that hold properties, but never the last name.
fn strip_holders(path: &[String]) -> &[String] {
    let holders = path.iter().take_while(|name| HOLDERS.contains(&name.as_str()));
    &path[holders.count().min(path.len().saturating_sub(1))..]
}
