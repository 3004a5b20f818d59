//! Lookup of definitions by name or place: `login`, `Session.login`, `login(user:)`,
//! `src/session.rs:12` or `src/session.rs:login`. It also suggests names near one that does not
//! exist.
//!
//! The lookup is lenient step by step: exact, then inherited, then by folder, then ignoring case.
//! The first step with a result wins, so an exact match is never hidden by a similar one.

use std::collections::HashSet;

use crate::graph::definitions::join_scope;
use crate::graph::{Definition, Graph, Site, qualified_name};
use kenning_lang::languages;
use kenning_model::{ChunkKind, ReferenceKind, RepoPath};
use kenning_store::StoreError;
use kenning_store::code::MatchScope;
use kenning_text::fuzzy_match::Wanted;

/// The most names that are suggested.
const MAX_SUGGESTIONS: usize = 5;

/// The reason why a lookup found nothing.
///
/// It carries near matches, so that the answer can say what to ask instead.
#[derive(Clone, Debug)]
pub enum LookupError {
    /// Nothing has that name.
    Name,
    /// A type has no such member.
    Member(Box<MissingMember>),
    /// No file has that path.
    File(RepoPath),
    /// Several paths end with the given one.
    Files(Vec<RepoPath>),
    /// No definition contains that line of the file; these are the nearest.
    Line(RepoPath, u32, Vec<Definition>),
}

/// A member that a type does not have.
#[derive(Clone, Debug)]
pub struct MissingMember {
    pub owner: Definition,
    /// The members that it has, its own and inherited ones.
    pub members: Vec<Definition>,
    /// Other definitions of the name that was asked for.
    pub elsewhere: Vec<Definition>,
}

impl Graph<'_> {
    /// Finds the definitions that a name or place means, by path and line.
    ///
    /// An empty list means that nothing matches; [`Graph::explain_miss`] then says why. Labels only
    /// narrow the list if a definition has them.
    pub fn locate(&self, text: &str) -> Result<Vec<Definition>, StoreError> {
        let text = trim_quotes(text);
        if let Some((path, rest)) = parse_place(text) {
            return self.find_at_place(&path, rest);
        }
        let (name, labels) = split_labels(text);
        let mut found = self.find_by_name(name)?;
        if let Some(labels) = labels {
            let has_labels = |one: &Definition| parameter_labels(one).eq(labels.iter().copied());
            if found.iter().any(has_labels) {
                found.retain(has_labels);
            }
        }
        Ok(found)
    }

    /// Returns the reason why a lookup found nothing, with near matches.
    ///
    /// Call it only after [`Graph::locate`] returned nothing: it does not check again.
    pub fn explain_miss(&self, text: &str) -> Result<LookupError, StoreError> {
        let text = trim_quotes(text);
        if let Some((path, rest)) = parse_place(text) {
            return self.explain_missing_place(&path, rest);
        }
        let (name, _) = split_labels(text);
        let name = unify_separators(name);
        let Some((types, member)) = self.qualifying_types(&name)? else {
            return Ok(LookupError::Name);
        };
        let mut members = Vec::new();
        let Some(owner) = types.into_iter().next() else {
            return Ok(LookupError::Name);
        };
        for one in std::iter::once(owner.clone()).chain(self.supertypes(&owner)?) {
            members.extend(self.all_members(&one)?);
        }
        let elsewhere = self.find_definitions(member)?;
        Ok(LookupError::Member(Box::new(MissingMember { owner, members, elsewhere })))
    }

    /// Returns the types that the qualifier of a name means, and the last part of the name; `None`
    /// if it means no type.
    fn qualifying_types<'n>(
        &self,
        name: &'n str,
    ) -> Result<Option<(Vec<Definition>, &'n str)>, StoreError> {
        let Some((owner, member)) = name.rsplit_once('.') else {
            return Ok(None);
        };
        let mut types = self.find_definitions(owner)?;
        types.retain(Definition::is_type);
        Ok((!types.is_empty() && !member.is_empty()).then_some((types, member)))
    }

    /// Finds inherited members of this name; for each type, those of its nearest base.
    ///
    /// The walk stops at the first base with the member, as a language's own lookup does.
    fn find_inherited(
        &self,
        types: &[Definition],
        member: &str,
    ) -> Result<Vec<Definition>, StoreError> {
        let mut found: Vec<Definition> = Vec::new();
        for owner in types {
            for base in self.supertypes(owner)? {
                let members = self.members_named(&base, member)?;
                if members.is_empty() {
                    continue;
                }
                let is_new =
                    |one: &Definition| found.iter().all(|known| known.target != one.target);
                let members: Vec<Definition> = members.into_iter().filter(is_new).collect();
                found.extend(members);
                break;
            }
        }
        Ok(found)
    }

    /// Returns the base that defines a found member, if the queried type only inherits it.
    pub fn declaring_base(
        &self,
        text: &str,
        found: &[Definition],
    ) -> Result<Option<String>, StoreError> {
        let (name, _) = split_labels(trim_quotes(text));
        let name = unify_separators(name);
        let is_plain = |one: &Definition| {
            let whole = qualified_name(&one.symbol);
            whole == name || whole.ends_with(&format!(".{name}"))
        };
        let Some(first) = found.first().filter(|one| !is_plain(one)) else {
            return Ok(None);
        };
        match self.qualifying_types(&name)? {
            Some(_) => Ok(first.symbol.scope.clone()),
            None => Ok(None),
        }
    }

    /// Returns the reason why a path with a line or name found nothing.
    fn explain_missing_place(
        &self,
        path: &RepoPath,
        rest: &str,
    ) -> Result<LookupError, StoreError> {
        let files = self.files_with_suffix(path)?;
        let [file] = files.as_slice() else {
            return Ok(if files.is_empty() {
                LookupError::File(path.clone())
            } else {
                LookupError::Files(files)
            });
        };
        let Ok(line) = rest.parse::<u32>() else {
            return Ok(LookupError::Name);
        };
        let mut near = self.definitions_in_file(file)?;
        near.sort_by_key(|one| one.symbol.line.abs_diff(line));
        near.truncate(MAX_SUGGESTIONS);
        near.sort_by_key(|one| one.symbol.line);
        Ok(LookupError::Line(file.clone(), line, near))
    }

    /// Returns the signatures of the definitions, if none has the labels of the query.
    ///
    /// `None` if the query has no labels, or if some definition has them.
    pub fn signatures_with_other_labels(
        &self,
        text: &str,
        found: &[Definition],
    ) -> Option<Vec<String>> {
        let (_, labels) = split_labels(trim_quotes(text));
        let labels = labels?;
        let has_labels = found.iter().any(|one| parameter_labels(one).eq(labels.iter().copied()));
        let shown = found.iter().map(|one| {
            let labels: String = parameter_labels(one).map(|label| format!("{label}:")).collect();
            format!("{}({labels})", qualified_name(&one.symbol))
        });
        (!has_labels && !found.is_empty()).then(|| shown.take(MAX_SUGGESTIONS).collect())
    }

    /// Returns the file with this path, else all files whose paths end with it.
    ///
    /// A suffix begins at a path segment: `b.rs` does not match `ab.rs`.
    pub fn files_with_suffix(&self, path: &RepoPath) -> Result<Vec<RepoPath>, StoreError> {
        if self.snapshot.number_of(path)?.is_some() {
            return Ok(vec![path.clone()]);
        }
        let ending = format!("/{path}");
        let files = self.snapshot.files()?.into_iter().map(|file| file.stamp.path);
        let mut found: Vec<RepoPath> =
            files.filter(|known| known.as_str().ends_with(&ending)).collect();
        found.sort();
        Ok(found)
    }

    /// Finds definitions in a file by line or name. The path may be a suffix that only one file
    /// has.
    fn find_at_place(&self, path: &RepoPath, rest: &str) -> Result<Vec<Definition>, StoreError> {
        let files = self.files_with_suffix(path)?;
        let [path] = files.as_slice() else {
            return Ok(Vec::new());
        };
        if let Ok(line) = rest.parse::<u32>() {
            return Ok(self.innermost_at_line(path, line)?.into_iter().collect());
        }
        let mut found = self.find_by_name(rest)?;
        found.retain(|definition| definition.path == *path);
        Ok(found)
    }

    /// Finds definitions as [`Graph::find_definitions`] does. Then it tries a path that begins with modules or
    /// folders, then other capitals.
    ///
    /// Leading segments are dropped one by one, as long as the path of the file contains them.
    fn find_by_name(&self, name: &str) -> Result<Vec<Definition>, StoreError> {
        let name = name.replace("::", ".");
        // The written form comes first: `#` begins some names and separates others.
        let found = self.find_definitions(&name)?;
        if !found.is_empty() {
            return Ok(found);
        }
        let name = name.replace('#', ".");
        let found = self.find_definitions(&name)?;
        if !found.is_empty() {
            return Ok(found);
        }
        // A type takes precedence over a folder or package of its name, even if it has no such
        // member.
        if let Some((types, member)) = self.qualifying_types(&name)? {
            let found = self.find_inherited(&types, member)?;
            return if found.is_empty() { self.find_folded(&name) } else { Ok(found) };
        }
        let parts: Vec<&str> = name.split('.').filter(|part| !part.is_empty()).collect();
        for dropped in 1..parts.len() {
            let mut found = self.find_definitions(&parts[dropped..].join("."))?;
            found.retain(|definition| is_inside_modules(&definition.path, &parts[..dropped]));
            if !found.is_empty() {
                return Ok(found);
            }
        }
        self.find_folded(&name)
    }

    /// Finds definitions that match ignoring case.
    fn find_folded(&self, name: &str) -> Result<Vec<Definition>, StoreError> {
        let folded = name.to_lowercase();
        let last = folded.rsplit('.').next().unwrap_or(&folded);
        let mut found = Vec::new();
        for number in self.snapshot.files_defining(last)? {
            found.extend(self.select_in_file_number(number, |symbol| {
                let whole = qualified_name(symbol).to_lowercase();
                let is_meant = whole == folded || whole.ends_with(&format!(".{folded}"));
                is_meant && symbol.kind != ChunkKind::Extension
            })?);
        }
        found.sort_by(|a, b| (&a.path, a.symbol.line).cmp(&(&b.path, b.symbol.line)));
        Ok(found)
    }

    /// Returns up to five names similar to one that does not exist, nearest first.
    ///
    /// The fuzzy matcher measures the distance. Names that differ only in capitals are suggested
    /// once.
    pub fn nearest_names(&self, name: &str) -> Result<Vec<String>, StoreError> {
        let (name, _) = split_labels(name);
        let wanted = Wanted::new(kenning_text::tokenizer::last_name(name));
        let names = self.snapshot.defined_names()?;
        let mut near =
            names.find_matching(&[], MatchScope::Name, |name, _| wanted.unlikeness(name));
        near.retain(|one| one.attributes.kind != ChunkKind::Extension);
        near.sort_unstable_by_key(|one| (&one.file.path, one.place));
        let mut seen = HashSet::new();
        near.retain(|one| seen.insert(one.name.to_lowercase()));
        let mut scored: Vec<(usize, String)> =
            near.iter().map(|one| (one.fit, join_scope(one.name, one.scope))).collect();
        scored.sort_by(|a, b| (a.0, a.1.len(), &a.1).cmp(&(b.0, b.1.len(), &b.1)));
        let names = scored.into_iter().map(|(_, name)| name);
        Ok(names.take(MAX_SUGGESTIONS).collect())
    }

    /// Returns the places that mention a name, each with the definition around it. It matches by
    /// name alone; the mentions may mean different things.
    pub fn find_mentions(&self, name: &str) -> Result<Vec<(Site, Option<Definition>)>, StoreError> {
        let (name, _) = split_labels(name);
        let name = kenning_text::tokenizer::last_name(name);
        let mut found = Vec::new();
        for record in self.snapshot.references_to(name)? {
            let Some(file) = self.snapshot.file(&record.path)? else {
                continue;
            };
            let inside = record.fact.container;
            let number = self.snapshot.number_of(&record.path)?;
            let inside =
                number.zip(inside).map(|(number, place)| self.definition_at(number, place));
            let site = Site {
                path: record.path,
                line: record.fact.line,
                name: record.fact.name,
                kind: record.fact.kind,
                is_test: file.is_test,
                package: file.package,
            };
            found.push((site, inside.transpose()?.flatten()));
        }
        Ok(found)
    }
}

/// Replaces all separators with `.`.
fn unify_separators(name: &str) -> String {
    name.replace("::", ".").replace('#', ".")
}

/// Removes the quotation marks and backticks that people and agents put around names.
fn trim_quotes(text: &str) -> &str {
    text.trim().trim_matches(['`', '"', '\'']).trim()
}

/// Returns the labels of the parameters, in order. A parameter without a label has its name.
fn parameter_labels(definition: &Definition) -> impl Iterator<Item = &str> {
    let parameters = definition.symbol.parameters.iter();
    parameters.map(|(label, _)| label.as_str())
}

/// Returns the word for a kind of reference.
///
/// It is part of the wire format.
pub fn reference_word(kind: ReferenceKind) -> &'static str {
    match kind {
        ReferenceKind::Call => "call",
        ReferenceKind::Type => "type",
        ReferenceKind::Import => "import",
        ReferenceKind::Export => "export",
    }
}

/// Parses `src/a.rs:12` or `src/a.rs:login`. `a::b` is a name, and so is `Type.member`.
///
/// A rest that is no number needs a `/` in the path; else it could be a qualified name.
fn parse_place(text: &str) -> Option<(RepoPath, &str)> {
    let (path, rest) = text.rsplit_once(':')?;
    let is_path = !path.ends_with(':') && !path.contains("::");
    let is_line = rest.bytes().all(|byte| byte.is_ascii_digit());
    let is_meant = is_path && !rest.is_empty() && (is_line || path.contains('/'));
    let path = RepoPath::new(path.trim_start_matches("./"))?;
    is_meant.then_some((path, rest))
}

/// Splits a name from its argument labels, if some are given: `send(to:with:)`.
fn split_labels(text: &str) -> (&str, Option<Vec<&str>>) {
    let Some((name, rest)) = text.split_once('(') else {
        return (text, None);
    };
    let inner = rest.trim_end_matches(')');
    let labels: Vec<&str> = inner.split_terminator(':').map(str::trim).collect();
    let is_labels = inner.ends_with(':') && labels.iter().all(|label| !label.contains(' '));
    (name.trim(), is_labels.then_some(labels))
}

/// True if each of these is a part of the path, as modules are.
fn is_inside_modules(path: &RepoPath, parts: &[&str]) -> bool {
    let keywords = languages::by_path(path).map_or(&[][..], |language| language.path_keywords);
    let path = path.as_str().to_lowercase().replace('-', "_");
    let segments: Vec<&str> = path.split(['/', '.']).collect();
    parts.iter().all(|part| {
        let part = part.to_lowercase();
        keywords.contains(&part.as_str()) || segments.contains(&part.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_from_names() {
        for (text, expected) in [
            ("src/a.rs:12", Some(("src/a.rs", "12"))),
            ("./a.rs:3", Some(("a.rs", "3"))),
            ("tools/run:3", Some(("tools/run", "3"))),
            ("src/a.rs:login", Some(("src/a.rs", "login"))),
            ("Session::login", None),
            ("std::io::Read", None),
            ("Session.login", None),
            ("a.b:c", None),
        ] {
            let place = parse_place(text);
            let found = place.as_ref().map(|(path, rest)| (path.as_str(), *rest));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn labels_are_read_and_arguments_are_not() {
        assert_eq!(split_labels("login"), ("login", None));
        assert_eq!(split_labels("login()"), ("login", None));
        assert_eq!(split_labels("send(to:with:)"), ("send", Some(vec!["to", "with"])));
        assert_eq!(split_labels("send(a, b)"), ("send", None));
    }
}
