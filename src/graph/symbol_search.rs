//! Symbol search by a part of the name, and listings of a package.
//!
//! The search runs over the table of defined names and decodes only the symbols that it returns. It
//! knows nothing of edges.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::graph::Graph;
use crate::graph::definitions::{is_heading, join_scope};
use kenning_model::{ChunkKind, DefinitionRank, RepoPath, Symbol};
use kenning_store::StoreError;
use kenning_store::code::{DefinedName, MatchScope, SymbolAttributes};

/// A filter on definitions.
///
/// All conditions must hold. The default accepts every definition except extensions.
#[derive(Clone, Copy, Debug, Default)]
pub struct SymbolFilter<'f> {
    pub kind: Option<ChunkKind>,
    pub package: Option<&'f str>,
    pub public_only: bool,
    pub skip_tests: bool,
}

/// A definition that a search or a listing returns, with its package.
#[derive(Clone, Debug, PartialEq)]
pub struct SymbolHit {
    pub path: RepoPath,
    pub package: Option<String>,
    pub symbol: Symbol,
}

/// The quality of a match, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchQuality {
    Exact,
    IgnoringCase,
    Prefix,
    Substring,
    AllWords,
}

/// The first sort keys of a match: its fit, and the number of query words its name lacks.
type MatchRank = (MatchQuality, usize);

impl Graph<'_> {
    /// Returns up to `limit` definitions whose names match, best first, and the total count.
    ///
    /// The count covers all matches, so that an answer can say how many it left out.
    ///
    /// The cost is one pass over the names that contain the query's parts, plus decoding at most
    /// `limit` symbols and their ties.
    pub fn search_symbols(
        &self,
        query: &str,
        filter: &SymbolFilter,
        limit: usize,
    ) -> Result<(Vec<SymbolHit>, usize), StoreError> {
        let wanted = SymbolQuery::new(query);
        let names = self.snapshot.defined_names()?;
        let (parts, within) = wanted.required_substrings();
        let mut found = names.find_matching(&parts, within, |name, scope| {
            // With several words, names that contain more of them rank higher.
            Some((wanted.match_quality(name, scope)?, wanted.count_missing_words(name)))
        });
        found.retain(|one| {
            let package = one.file.package.as_deref();
            filter.accepts_attributes(one.attributes)
                && filter.package.is_none_or(|name| package == Some(name))
        });
        let count = found.len();
        // Twice as many, because a prototype and its definition are one hit.
        let loaded = limit.saturating_mul(2);
        keep_best(&mut found, loaded);
        let (mut hits, merged) = self.load_symbols(&found, loaded)?;
        hits.truncate(limit);
        Ok((hits, count - merged))
    }

    /// Reads the symbols of these matches and returns the first `limit`, by rank, path and line, and
    /// the number of declarations that were merged into others.
    ///
    /// Each file is decoded once. Lines are known only now, so the final order is made here.
    fn load_symbols(
        &self,
        names: &[DefinedName<MatchRank>],
        limit: usize,
    ) -> Result<(Vec<SymbolHit>, usize), StoreError> {
        let mut by_file: HashMap<i64, Vec<&DefinedName<MatchRank>>> = HashMap::new();
        for one in names {
            by_file.entry(one.file.id()).or_default().push(one);
        }
        let mut found = Vec::with_capacity(names.len());
        for (file, mut names) in by_file {
            names.sort_unstable_by_key(|one| one.place);
            let places: Vec<u32> = names.iter().map(|one| one.place).collect();
            let symbols = self.snapshot.symbols_at(file, &places)?;
            found.extend(names.into_iter().zip(symbols));
        }
        found.sort_by(|(a, left), (b, right)| {
            compare_ranks(a, b).then(left.line.cmp(&right.line)).then(a.place.cmp(&b.place))
        });
        found.truncate(limit);
        let places: Vec<(i64, u32)> =
            found.iter().map(|(one, _)| (one.file.id(), one.place)).collect();
        let kept = self.keep_main_places(&places)?;
        let merged = kept.iter().filter(|is_kept| !**is_kept).count();
        let found = found.into_iter().zip(kept).filter(|(_, is_kept)| *is_kept);
        let found = found.map(|((one, symbol), _)| SymbolHit {
            path: one.file.path.clone(),
            package: one.file.package.as_deref().map(str::to_string),
            symbol,
        });
        Ok((found.collect(), merged))
    }

    /// Returns all definitions that the filter accepts, by path and line.
    pub fn list_package_symbols(
        &self,
        filter: &SymbolFilter,
    ) -> Result<Vec<SymbolHit>, StoreError> {
        let mut found = Vec::new();
        self.for_each_symbol(filter, |one| found.push(one))?;
        Ok(found)
    }

    /// Returns the names of the packages that files belong to, sorted.
    pub fn list_packages(&self) -> Result<Vec<String>, StoreError> {
        let files = self.snapshot.files()?.into_iter();
        let mut packages: Vec<String> = files.filter_map(|file| file.package).collect();
        packages.sort();
        packages.dedup();
        Ok(packages)
    }

    /// Visits definitions without holding them all in memory at once.
    fn for_each_symbol(
        &self,
        filter: &SymbolFilter,
        mut visit: impl FnMut(SymbolHit),
    ) -> Result<(), StoreError> {
        self.snapshot.for_each_defined_file(filter.package, |file| {
            for symbol in file.symbols {
                if filter.accepts_symbol(&symbol) {
                    visit(SymbolHit {
                        path: file.path.clone(),
                        package: file.package.clone(),
                        symbol,
                    });
                }
            }
        })
    }
}

/// Compares two matches, best first. Lines are not known here, so equal names in one file tie.
fn compare_ranks(a: &DefinedName<MatchRank>, b: &DefinedName<MatchRank>) -> Ordering {
    let (fit, lacking) = a.fit;
    let (other_fit, other_lacking) = b.fit;
    // Headings of documents have names too, but a symbol search is for code.
    is_heading(a.attributes.kind)
        .cmp(&is_heading(b.attributes.kind))
        .then(fit.cmp(&other_fit))
        .then(a.attributes.is_test.cmp(&b.attributes.is_test))
        .then(lacking.cmp(&other_lacking))
        .then(a.name.len().cmp(&b.name.len()))
        .then_with(|| a.name.cmp(b.name))
        .then_with(|| definition_rank(a).cmp(&definition_rank(b)))
        .then_with(|| a.file.path.cmp(&b.file.path))
}

/// Returns the rank of a match: top level before nested before member.
fn definition_rank(one: &DefinedName<MatchRank>) -> DefinitionRank {
    DefinitionRank::new(one.attributes.kind, one.name, one.scope)
}

/// Keeps the first `limit`, in any order, and all that tie with the last of them.
///
/// It selects instead of sorting: linear in the number of matches, of which there may be many
/// thousands.
fn keep_best(found: &mut Vec<DefinedName<MatchRank>>, limit: usize) {
    if found.len() <= limit {
        return;
    }
    let Some(last) = limit.checked_sub(1) else {
        return found.clear();
    };
    let last = *found.select_nth_unstable_by(last, compare_ranks).1;
    found.retain(|one| compare_ranks(one, &last).is_le());
}

impl SymbolFilter<'_> {
    /// True if a symbol passes the filter, except for the package.
    pub fn accepts_symbol(&self, symbol: &Symbol) -> bool {
        self.accepts_attributes(SymbolAttributes::from_symbol(symbol))
    }

    /// True if a symbol passes the filter. The package is a property of the file and not checked
    /// here.
    fn accepts_attributes(&self, attributes: SymbolAttributes) -> bool {
        // An extension is not a definition of its type, unless the filter asks for extensions.
        let is_kind = match self.kind {
            Some(kind) => attributes.kind == kind,
            None => attributes.kind != ChunkKind::Extension,
        };
        let is_offered = attributes.is_public || !self.public_only;
        is_kind && is_offered && !(self.skip_tests && attributes.is_test)
    }
}

/// A parsed symbol query.
struct SymbolQuery {
    text: String,
    folded: String,
    words: Vec<String>,
    is_qualified: bool,
}

impl SymbolQuery {
    fn new(query: &str) -> SymbolQuery {
        let text = query.trim().trim_end_matches("()").replace("::", ".");
        let folded = text.to_lowercase();
        let words = folded
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .map(str::to_string);
        SymbolQuery { words: words.collect(), is_qualified: text.contains('.'), text, folded }
    }

    /// Returns the substrings that a name must contain, and where. This is a prefilter: not all
    /// names that contain them match.
    fn required_substrings(&self) -> (Vec<&str>, MatchScope) {
        if self.is_qualified || self.words.len() > 1 {
            // A word contains no dot, so each is either in the name or in its scope.
            let words = self.words.iter().map(String::as_str);
            return (words.collect(), MatchScope::NameOrScope);
        }
        (vec![&self.folded], MatchScope::Name)
    }

    /// Counts the query words that a name does not contain.
    fn count_missing_words(&self, name: &str) -> usize {
        let folded = name.to_lowercase();
        let words = self.words.iter();
        words.filter(|word| !folded.contains(word.as_str())).count()
    }

    /// Returns how well a name matches; `None` if it does not.
    ///
    /// A query with a dot is compared with the qualified name, any other with the name alone.
    fn match_quality(&self, own: &str, scope: Option<&str>) -> Option<MatchQuality> {
        let name = if self.is_qualified { join_scope(own, scope) } else { own.to_string() };
        let is_end = |name: &str, wanted: &str| {
            let rest = name.strip_suffix(wanted);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let folded = name.to_lowercase();
        if is_end(&name, &self.text) {
            return Some(MatchQuality::Exact);
        }
        if is_end(&folded, &self.folded) {
            return Some(MatchQuality::IgnoringCase);
        }
        if folded.starts_with(&self.folded) {
            return Some(MatchQuality::Prefix);
        }
        if folded.contains(&self.folded) {
            return Some(MatchQuality::Substring);
        }
        let whole = join_scope(own, scope).to_lowercase();
        let has_all = self.words.iter().all(|word| whole.contains(word.as_str()));
        (self.words.len() > 1 && has_all).then_some(MatchQuality::AllWords)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_model::{Chunk, CodeFacts, Silent, Visibility};
    use kenning_store::code::{
        AllNamesDirty, Changes, FileBlob, FileUpdate, IndexSettings, Reader, Stamp, Writer,
    };

    fn check(query: &str, scope: Option<&str>, name: &str, expected: Option<MatchQuality>) {
        let fit = SymbolQuery::new(query).match_quality(name, scope);
        assert_eq!(fit, expected, "{query}: {name}");
    }

    #[test]
    fn a_name_fits_the_better_the_more_of_it_is_said() {
        let scope = Some("Session");
        check("login", scope, "login", Some(MatchQuality::Exact));
        check("Login", scope, "login", Some(MatchQuality::IgnoringCase));
        check("log", scope, "login", Some(MatchQuality::Prefix));
        check("gin", scope, "login", Some(MatchQuality::Substring));
        check("session login", scope, "login", Some(MatchQuality::AllWords));
        check("Session.login", scope, "login", Some(MatchQuality::Exact));
        check("Session::login()", scope, "login", Some(MatchQuality::Exact));
        check("session.log", scope, "login", Some(MatchQuality::Prefix));
        check("logout", scope, "login", None);
        check("Other.login", scope, "login", None);
    }

    /// A definition of a file to be.
    fn symbol(name: &str, scope: Option<&str>, line: u32) -> Symbol {
        Symbol {
            name: name.to_string(),
            scope: scope.map(str::to_string),
            kind: match name.len() % 5 {
                0 => ChunkKind::Extension,
                1 => ChunkKind::Struct,
                _ => ChunkKind::Method,
            },
            visibility: match line % 3 {
                0 => Visibility::Private,
                _ => Visibility::Public,
            },
            signature: None,
            span: Default::default(),
            line,
            parameters: Vec::new(),
            type_text: None,
            is_test: line.is_multiple_of(7),
        }
    }

    /// A file whose definitions follow from the number: parts of names, combined.
    fn file(path: &str, seed: usize) -> FileUpdate {
        const PARTS: [&str; 12] = [
            "log", "Log", "in", "Session", "open", "ΟΔΟΣ", "İ", "+", "get_", "x.y", "parse", "url",
        ];
        let at = |number: usize| PARTS[number * 7919 / 13 % PARTS.len()];
        let symbols = (0..8 + seed % 9).map(|place| {
            let number = seed * 31 + place * 17;
            let name = format!("{}{}", at(number), at(number / 3 + 5));
            let scope = format!("{}.{}", at(number / 5 + 1), at(number / 7 + 2));
            let scope = (!number.is_multiple_of(3)).then_some(scope.as_str());
            // Lines that do not ascend, and some that are the same.
            symbol(&name, scope, (number % 6) as u32 + 1)
        });
        let text = "something to be found by";
        let facts = CodeFacts {
            language: "rust",
            symbols: symbols.collect(),
            chunks: vec![Chunk {
                kind: ChunkKind::Module,
                symbol: None,
                scope: None,
                line: None,
                signature: None,
                doc: None,
                outline: None,
                is_test: false,
                span: Default::default(),
            }],
            ..CodeFacts::default()
        };
        FileUpdate {
            stamp: Stamp { path: RepoPath::new(path).unwrap(), size: 1, modified_ns: 2 },
            hash: [3; 32],
            is_test: false,
            package: seed.is_multiple_of(2).then(|| "app".to_string()),
            packed: FileBlob::new(text, &facts),
            contents: vec![Default::default(); facts.chunks.len()],
            facts,
        }
    }

    /// The whole answer, from every definition of every file.
    fn looking_at_all(graph: &Graph, query: &str, filter: &SymbolFilter) -> Vec<SymbolHit> {
        let wanted = SymbolQuery::new(query);
        let mut found = Vec::new();
        let fit = |symbol: &Symbol| wanted.match_quality(&symbol.name, symbol.scope.as_deref());
        graph
            .for_each_symbol(filter, |one| {
                found.extend(fit(&one.symbol).map(|fit| (fit, one)));
            })
            .unwrap();
        found.sort_by_cached_key(|(fit, one)| {
            let symbol = &one.symbol;
            let lacking = wanted.count_missing_words(&symbol.name);
            let name = (lacking, symbol.name.len(), symbol.name.clone());
            let standing = DefinitionRank::new(symbol.kind, &symbol.name, symbol.scope.as_deref());
            let place = (standing, one.path.clone(), symbol.line);
            (*fit, symbol.is_test, name, place)
        });
        found.into_iter().map(|(_, one)| one).collect()
    }

    fn near_of_all(graph: &Graph, name: &str) -> Vec<String> {
        let name = crate::graph::typed_name::WrittenName::plain(name).unwrap();
        let wanted =
            kenning_text::fuzzy_match::FuzzyPattern::new(kenning_text::tokenizer::last_name(&name));
        let mut seen = std::collections::HashSet::new();
        let mut scored: Vec<(usize, String)> = Vec::new();
        graph
            .for_each_symbol(&SymbolFilter::default(), |one| {
                if seen.insert(one.symbol.name.to_lowercase()) {
                    let unlikeness = wanted.distance_to(&one.symbol.name);
                    scored.extend(
                        unlikeness.map(|it| (it, crate::graph::qualified_name(&one.symbol))),
                    );
                }
            })
            .unwrap();
        scored.sort_by(|a, b| (a.0, a.1.len(), &a.1).cmp(&(b.0, b.1.len(), &b.1)));
        scored.into_iter().map(|(_, name)| name).take(5).collect()
    }

    const QUERIES: [&str; 24] = [
        "log",
        "LOG",
        "login",
        "Session",
        "session log",
        "log session",
        "Session.log",
        "x.y",
        "y.login",
        "session::open()",
        "in.",
        ".",
        "+",
        "get_",
        "get_log url",
        "οδος",
        "ΟΔΟΣ.log",
        "i̇",
        "οδοσ",
        "nothing",
        "parse url session",
        "sessionlog",
        "e",
        "pares",
    ];

    fn compare(graph: &Graph) {
        let filters = [
            SymbolFilter::default(),
            SymbolFilter { kind: Some(ChunkKind::Extension), ..SymbolFilter::default() },
            SymbolFilter { package: Some("app"), skip_tests: true, ..SymbolFilter::default() },
            SymbolFilter { public_only: true, ..SymbolFilter::default() },
        ];
        let mut answers = 0;
        for query in QUERIES {
            for filter in &filters {
                let expected = looking_at_all(graph, query, filter);
                answers += expected.len();
                for limit in [0, 1, 3, 20, 1000] {
                    let found = graph.search_symbols(query, filter, limit).unwrap();
                    let expected = (&expected[..limit.min(expected.len())], expected.len());
                    assert_eq!((found.0.as_slice(), found.1), expected, "{query} {limit}");
                }
            }
            assert_eq!(graph.nearest_names(query).unwrap(), near_of_all(graph, query));
        }
        assert!(answers > 1000, "{answers}");
    }

    /// As an index grows, shrinks and is merged, the names that are looked up are those that are
    /// there.
    #[test]
    fn answers_are_those_of_looking_at_every_name() {
        let directory = tempfile::tempdir().unwrap();
        let database = directory.path().join("code.db");
        let settings = IndexSettings {
            provider: "static".to_string(),
            model: "tiny".to_string(),
            dimension: 0,
            chunker: "1".to_string(),
            reference_length: 20.0,
        };
        let mut writer = Writer::open(&database, &settings, &AllNamesDirty, &Silent).unwrap();
        let reader = Reader::open(&database).unwrap();
        for round in 0..24 {
            let files = (0..5).map(|at| {
                let number = round * 3 + at;
                file(&format!("src/{}.rs", number * 37 % 50), number + round)
            });
            let removed = format!("src/{}.rs", round * 11 % 50);
            let changes = Changes {
                updated: files.collect(),
                removed: vec![RepoPath::new(&removed).unwrap()],
                ..Changes::default()
            };
            writer.apply(&changes).unwrap();
            if round % 12 == 11 {
                compare(&Graph::new(&reader.snapshot().unwrap()));
            }
        }
    }
}
