//! Definitions by a part of their name, and all of a file or package.

use super::{Graph, qualified};
use crate::model::{ChunkKind, RepoPath, Symbol, Visibility};
use crate::store::StoreError;

/// Which definitions are meant.
#[derive(Clone, Copy, Debug, Default)]
pub struct SymbolFilter<'f> {
    pub kind: Option<ChunkKind>,
    pub package: Option<&'f str>,
    pub public_only: bool,
    pub skip_tests: bool,
}

/// A definition that was found without its edges.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSymbol {
    pub path: RepoPath,
    pub package: Option<String>,
    pub symbol: Symbol,
}

/// How well a name fits, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Exact,
    Folded,
    Beginning,
    Part,
    Words,
}

impl Graph<'_> {
    /// The definitions whose names fit, best first, at most `limit`, and how many there are.
    pub fn search_symbols(
        &self,
        query: &str,
        filter: &SymbolFilter,
        limit: usize,
    ) -> Result<(Vec<FoundSymbol>, usize), StoreError> {
        let wanted = Wanted::new(query);
        let mut found: Vec<(Fit, FoundSymbol)> = Vec::new();
        self.each_symbol(filter, |one| {
            if let Some(fit) = wanted.fit(&one.symbol) {
                found.push((fit, one));
            }
        })?;
        found.sort_by_cached_key(|(fit, one)| {
            let symbol = &one.symbol;
            // Of several words, the more its own name holds the better.
            let lacking = wanted.lacking(&symbol.name);
            let name = (lacking, symbol.name.len(), symbol.name.clone());
            (*fit, symbol.is_test, name, one.path.clone(), symbol.line)
        });
        let count = found.len();
        let found = found.into_iter().take(limit).map(|(_, one)| one);
        Ok((found.collect(), count))
    }

    /// The definitions of a package, by path and line.
    pub fn package_symbols(&self, filter: &SymbolFilter) -> Result<Vec<FoundSymbol>, StoreError> {
        let mut found = Vec::new();
        self.each_symbol(filter, |one| found.push(one))?;
        Ok(found)
    }

    /// The packages that files belong to, in order.
    pub fn packages(&self) -> Result<Vec<String>, StoreError> {
        let files = self.snapshot.files()?.into_iter();
        let mut packages: Vec<String> = files.filter_map(|file| file.package).collect();
        packages.sort();
        packages.dedup();
        Ok(packages)
    }

    fn each_symbol(
        &self,
        filter: &SymbolFilter,
        mut visit: impl FnMut(FoundSymbol),
    ) -> Result<(), StoreError> {
        self.snapshot.each_defined(filter.package, |file| {
            for symbol in file.symbols {
                if filter.lets_through(&symbol) {
                    visit(FoundSymbol {
                        path: file.path.clone(),
                        package: file.package.clone(),
                        symbol,
                    });
                }
            }
        })
    }
}

impl SymbolFilter<'_> {
    pub fn lets_through(&self, symbol: &Symbol) -> bool {
        // An extension is no definition of its type, unless it is what is asked for.
        let is_kind = match self.kind {
            Some(kind) => symbol.kind == kind,
            None => symbol.kind != ChunkKind::Extension,
        };
        is_kind
            && !(self.public_only && symbol.visibility != Visibility::Public)
            && !(self.skip_tests && symbol.is_test)
    }
}

/// What is looked for, prepared once.
struct Wanted {
    text: String,
    folded: String,
    words: Vec<String>,
    is_qualified: bool,
}

impl Wanted {
    fn new(query: &str) -> Wanted {
        let text = query.trim().trim_end_matches("()").replace("::", ".");
        let folded = text.to_lowercase();
        let words = folded.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words = words.filter(|word| !word.is_empty()).map(str::to_string);
        Wanted {
            words: words.collect(),
            is_qualified: text.contains('.'),
            text,
            folded,
        }
    }

    /// How many of the words a name does not hold.
    fn lacking(&self, name: &str) -> usize {
        let folded = name.to_lowercase();
        let words = self.words.iter();
        words.filter(|word| !folded.contains(word.as_str())).count()
    }

    fn fit(&self, symbol: &Symbol) -> Option<Fit> {
        let name = match self.is_qualified {
            true => qualified(symbol),
            false => symbol.name.clone(),
        };
        let is_end = |name: &str, wanted: &str| {
            let rest = name.strip_suffix(wanted);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let folded = name.to_lowercase();
        if is_end(&name, &self.text) {
            return Some(Fit::Exact);
        }
        if is_end(&folded, &self.folded) {
            return Some(Fit::Folded);
        }
        if folded.starts_with(&self.folded) {
            return Some(Fit::Beginning);
        }
        if folded.contains(&self.folded) {
            return Some(Fit::Part);
        }
        let whole = qualified(symbol).to_lowercase();
        let has_all = self.words.iter().all(|word| whole.contains(word.as_str()));
        (self.words.len() > 1 && has_all).then_some(Fit::Words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, scope: Option<&str>, name: &str, expected: Option<Fit>) {
        let symbol = Symbol {
            name: name.to_string(),
            scope: scope.map(str::to_string),
            kind: ChunkKind::Method,
            visibility: Visibility::Public,
            signature: None,
            span: Default::default(),
            line: 1,
            parameters: Vec::new(),
            type_text: None,
            is_test: false,
        };
        assert_eq!(Wanted::new(query).fit(&symbol), expected, "{query}: {name}");
    }

    #[test]
    fn a_name_fits_the_better_the_more_of_it_is_said() {
        let scope = Some("Session");
        check("login", scope, "login", Some(Fit::Exact));
        check("Login", scope, "login", Some(Fit::Folded));
        check("log", scope, "login", Some(Fit::Beginning));
        check("gin", scope, "login", Some(Fit::Part));
        check("session login", scope, "login", Some(Fit::Words));
        check("Session.login", scope, "login", Some(Fit::Exact));
        check("Session::login()", scope, "login", Some(Fit::Exact));
        check("session.log", scope, "login", Some(Fit::Beginning));
        check("logout", scope, "login", None);
        check("Other.login", scope, "login", None);
    }
}
