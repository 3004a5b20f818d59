//! The rules by which `unused` exempts definitions of a language. A runtime, a framework or the
//! holder of an object uses them, and no edge leads to them.
//!
//! A missing exemption reports living code as dead, which is worse than to miss dead code. So the
//! rules exempt whatever a caller outside of the graph may find.

use kenning_model::Symbol;

/// Definitions of a language that are used although nothing refers to them.
#[derive(Clone, Copy)]
pub struct UsageRules {
    /// Names of functions that start a program. The type around one is used as well.
    pub program_starts: &'static [&'static str],
    /// Other names that the runtime or a common framework calls.
    pub entry_points: &'static [&'static str],
    /// Beginnings of names that the runtime calls.
    pub entry_prefixes: &'static [&'static str],
    /// Keywords that the query captures as the name of a definition without one.
    pub placeholder_names: &'static [&'static str],
    /// Words of a signature that make it an override.
    pub override_words: &'static [&'static str],
    /// Signs that begin an attribute, a decorator or an annotation.
    pub attribute_openings: &'static [&'static str],
    /// Attributes that do not register a definition with a caller, in any case of letters.
    pub harmless_attributes: &'static [&'static str],
    /// True if a definition is used for a reason that only this language has.
    pub is_exempt: fn(&DefinitionContext) -> bool,
    /// True if the text around a definition says that others use it.
    pub is_used_by_text: fn(&str, &Symbol) -> bool,
    /// Texts that find members or functions by a computed name: `getattr(`. They cast a doubt on
    /// every function of their file.
    pub computed_names: &'static [&'static str],
    /// True if an object needs no declared type to be called through: a library calls its methods
    /// by their name. Only private methods are then certain.
    pub is_duck_typed: bool,
    /// Words that find the subtypes of a type: `__subclasses__`. They cast a doubt on every type
    /// with a base.
    pub registry_words: &'static [&'static str],
}

/// A definition with its context.
pub struct DefinitionContext<'p> {
    pub symbol: &'p Symbol,
    pub parent: Option<&'p Symbol>,
    /// All symbols of the file.
    pub symbols: &'p [Symbol],
}

impl UsageRules {
    /// No exemptions.
    pub(super) const NONE: UsageRules = UsageRules {
        program_starts: &[],
        entry_points: &[],
        entry_prefixes: &[],
        placeholder_names: &[],
        override_words: &[],
        attribute_openings: &[],
        harmless_attributes: &[],
        is_exempt: |_| false,
        is_used_by_text: |_, _| false,
        computed_names: &[],
        is_duck_typed: false,
        registry_words: &[],
    };

    /// The rules of a language whose programs start with `main`.
    pub(super) const MAIN: UsageRules =
        UsageRules { program_starts: &["main"], ..UsageRules::NONE };

    /// True if a runtime or a framework calls a definition by its name.
    pub fn is_entry_point(&self, name: &str) -> bool {
        self.program_starts.contains(&name)
            || self.entry_points.contains(&name)
            || self.entry_prefixes.iter().any(|prefix| name.starts_with(prefix))
    }

    /// True if an attribute above the definition registers it with a caller: a route, an event, a
    /// benchmark. Attributes for the compiler only do not count.
    pub fn is_registered(&self, text: &str, symbol: &Symbol) -> bool {
        let (first, last) = (symbol.span.start_line, symbol.line);
        let lines = text
            .lines()
            .skip(first.saturating_sub(1) as usize)
            .take(last.saturating_sub(first) as usize + 1);
        let mut attributes = lines.flat_map(|line| self.attributes_in(line));
        attributes.any(|attribute| {
            let mut harmless = self.harmless_attributes.iter();
            !harmless.any(|known| attribute.eq_ignore_ascii_case(known))
        })
    }

    /// Returns the last parts of the names of the attributes that a line begins with.
    fn attributes_in<'l>(&self, line: &'l str) -> impl Iterator<Item = &'l str> {
        let openings = self.attribute_openings;
        let words = line.split_whitespace();
        let attributes = words.map_while(move |word| {
            openings.iter().find_map(|opening| word.strip_prefix(opening)).map(attribute_name)
        });
        attributes.filter(|name| !name.is_empty())
    }
}

/// `route` of `app.route('/')`.
fn attribute_name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | ':'));
    let whole = &text[..end.unwrap_or(text.len())];
    whole.rsplit(['.', ':']).next().unwrap_or(whole)
}
