//! Lookup of definitions by name or place: `login`, `Session.login`, `login(user:)`,
//! `src/session.rs:12` or `src/session.rs:login`. It also suggests names near one that does not
//! exist.
//!
//! The lookup is lenient step by step: exact, then inherited, then by folder, then ignoring case.
//! The first step with a result wins, so an exact match is never hidden by a similar one.

use std::collections::HashSet;

use crate::graph::definitions::join_scope;
use crate::graph::typed_name::{PlaceRest, WrittenName, plain_name};
use crate::graph::{Definition, Graph, Site, qualified_name};
use kenning_lang::languages::{self, is_file_name};
use kenning_model::{ChunkKind, ReferenceKind, RepoPath};
use kenning_store::StoreError;
use kenning_store::code::MatchScope;
use kenning_text::fuzzy_match::FuzzyPattern;

/// The most files in which calls through a variable are looked up.
const MAX_RECEIVER_FILES: usize = 400;

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
        let (name, labels) = match WrittenName::parse(text) {
            WrittenName::Place(path, rest) => return self.find_at_place(&path, &rest),
            WrittenName::Name { name, labels } => (name, labels),
        };
        // The written form comes first: some languages have names with signs in them.
        let mut found = self.find_by_name(&name)?;
        let plain = plain_name(&name);
        if found.is_empty() && plain != name {
            found = self.find_by_name(&plain)?;
        }
        if found.is_empty() {
            found = self.find_by_receiver(&plain)?;
        }
        if found.is_empty() && is_file_name(&name) {
            found = self.find_in_only_file(&name)?;
        }
        if let Some(labels) = labels {
            let has_labels = |one: &Definition| parameter_labels(one).eq(labels.iter());
            if found.iter().any(has_labels) {
                found.retain(has_labels);
            }
        }
        Ok(found)
    }

    /// Finds the meaning of `c.next` where `c` is a variable: what calls that are written so lead
    /// to. If nothing is written so, it finds every definition of the last part.
    ///
    /// If all such calls lead out of this repository, the name is one of a library, and nothing is
    /// found.
    fn find_by_receiver(&self, name: &str) -> Result<Vec<Definition>, StoreError> {
        let Some((receiver, member)) = name.rsplit_once('.') else {
            return Ok(Vec::new());
        };
        if self.qualifying_types(name)?.is_some() {
            return Ok(Vec::new());
        }
        let (mut found, mut is_written): (Vec<Definition>, bool) = (Vec::new(), false);
        for file in self.snapshot.files_mentioning(member, MAX_RECEIVER_FILES)? {
            let mentions = self.mentions_in(file)?;
            let written = mentions.find_by_name(member);
            let places: Vec<u32> = written
                .filter(|(_, one)| one.receiver == Some(receiver))
                .map(|(place, _)| place)
                .collect();
            is_written |= !places.is_empty();
            let Some(linked) = self.linked_file(file)?.filter(|_| !places.is_empty()) else {
                continue;
            };
            let edges = linked.edges.edges.iter();
            for edge in edges.filter(|edge| places.contains(&edge.reference)) {
                for target in &edge.targets {
                    let is_new = found.iter().all(|known| known.target != *target);
                    found.extend(self.definition(*target)?.filter(|_| is_new));
                }
            }
        }
        if found.is_empty() && !is_written { self.find_definitions(member) } else { Ok(found) }
    }

    /// Returns the definitions of the only file with this path or end of a path.
    fn find_in_only_file(&self, name: &str) -> Result<Vec<Definition>, StoreError> {
        let Some(path) = RepoPath::new(name.trim_start_matches("./")) else {
            return Ok(Vec::new());
        };
        match self.files_with_suffix(&path)?.as_slice() {
            [file] => self.select_in_file(file, |symbol| symbol.kind != ChunkKind::Extension),
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the last part of a name that nothing defines; `None` for a place, and for a member
    /// that a known type lacks.
    pub fn undefined_name(&self, text: &str) -> Result<Option<String>, StoreError> {
        let Some(name) = WrittenName::plain(text) else {
            return Ok(None);
        };
        let is_name = matches!(self.explain_miss(text)?, LookupError::Name);
        let last = name.rsplit('.').next().filter(|last| is_name && !last.is_empty());
        Ok(last.map(str::to_string))
    }

    /// Returns the last part of a name that nothing has in these capitals, if the found definitions
    /// differ from it in case only.
    pub fn name_in_other_case(&self, text: &str, found: &[Definition]) -> Option<String> {
        let name = match WrittenName::parse(text) {
            WrittenName::Place(_, PlaceRest::Line(_)) => return None,
            WrittenName::Place(_, PlaceRest::Name(name)) => name,
            WrittenName::Name { name, .. } => name,
        };
        let plain = plain_name(&name);
        let last = plain.rsplit('.').next()?;
        let is_folded = |one: &Definition| {
            one.symbol.name != last && one.symbol.name.to_lowercase() == last.to_lowercase()
        };
        (!found.is_empty() && found.iter().all(is_folded)).then(|| last.to_string())
    }

    /// Returns the qualifier of a name that is no type or module here, if the found definitions
    /// were found without it.
    pub fn ignored_qualifier(&self, text: &str, found: &[Definition]) -> Option<String> {
        let name = WrittenName::plain(text)?;
        let (qualifier, _) = name.rsplit_once('.')?;
        let folded = format!(".{}", name.to_lowercase());
        let is_plain = |one: &Definition| {
            format!(".{}", qualified_name(&one.symbol)).to_lowercase().ends_with(&folded)
        };
        let parts: Vec<&str> = name.split('.').collect();
        let is_in_module = |one: &Definition| {
            let whole = format!(".{}", qualified_name(&one.symbol));
            (1..parts.len()).any(|dropped| {
                whole.ends_with(&format!(".{}", parts[dropped..].join(".")))
                    && self.is_inside_modules(one, &parts[..dropped])
            })
        };
        let is_type = self.qualifying_types(&name).ok()?.is_some();
        let is_found_without = !found.iter().any(|one| is_plain(one) || is_in_module(one));
        let is_file = is_file_name(text.trim());
        (is_found_without && !is_type && !is_file).then(|| qualifier.to_string())
    }

    /// Returns the reason why a lookup found nothing, with near matches.
    ///
    /// Call it only after [`Graph::locate`] returned nothing: it does not check again.
    pub fn explain_miss(&self, text: &str) -> Result<LookupError, StoreError> {
        let name = match WrittenName::parse(text) {
            WrittenName::Place(path, rest) => return self.explain_missing_place(&path, &rest),
            WrittenName::Name { name, .. } => plain_name(&name),
        };
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
                let inherited = self.members_named(&base, member)?;
                if inherited.is_empty() {
                    continue;
                }
                let is_new =
                    |one: &Definition| found.iter().all(|known| known.target != one.target);
                let members: Vec<Definition> = inherited.into_iter().filter(is_new).collect();
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
        let Some(name) = WrittenName::plain(text) else {
            return Ok(None);
        };
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
        rest: &PlaceRest,
    ) -> Result<LookupError, StoreError> {
        let files = self.files_with_suffix(path)?;
        let [file] = files.as_slice() else {
            return Ok(if files.is_empty() {
                LookupError::File(path.clone())
            } else {
                LookupError::Files(files)
            });
        };
        let PlaceRest::Line(line) = *rest else {
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
        let WrittenName::Name { labels: Some(labels), .. } = WrittenName::parse(text) else {
            return None;
        };
        let has_labels = found.iter().any(|one| parameter_labels(one).eq(labels.iter()));
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

    /// Finds definitions in a file by line or name. If several files have the path as a suffix, those
    /// of each are found.
    fn find_at_place(
        &self,
        path: &RepoPath,
        rest: &PlaceRest,
    ) -> Result<Vec<Definition>, StoreError> {
        let files = self.files_with_suffix(path)?;
        let name = match rest {
            PlaceRest::Line(line) => {
                let found = files.iter().map(|file| self.innermost_at_line(file, *line));
                return Ok(found.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect());
            }
            PlaceRest::Name(name) => plain_name(name),
        };
        let mut found = self.find_by_name(&name)?;
        found.retain(|definition| files.contains(&definition.path));
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
            found.retain(|definition| self.is_inside_modules(definition, &parts[..dropped]));
            if !found.is_empty() {
                return Ok(found);
            }
        }
        self.find_folded(&name)
    }

    /// True if each of these is a part of the path or of the package's name, as modules are.
    fn is_inside_modules(&self, one: &Definition, parts: &[&str]) -> bool {
        let keywords =
            languages::by_path(&one.path).map_or(&[][..], |language| language.path_keywords);
        let package = self.package_of(&one.path).ok().flatten().unwrap_or_default();
        let text = format!("{}/{package}", one.path).to_lowercase().replace('-', "_");
        let segments: Vec<&str> = text.split(['/', '.', ':', '@']).collect();
        parts.iter().all(|part| {
            let part = part.to_lowercase();
            keywords.contains(&part.as_str()) || segments.contains(&part.as_str())
        })
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
        let name = WrittenName::plain(name).unwrap_or_else(|| name.to_string());
        let wanted = FuzzyPattern::new(kenning_text::tokenizer::last_name(&name));
        let names = self.snapshot.defined_names()?;
        let mut near =
            names.find_matching(&[], MatchScope::Name, |name, _| wanted.distance_to(name));
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
        let name = WrittenName::plain(name).unwrap_or_else(|| name.to_string());
        let name = kenning_text::tokenizer::last_name(&name);
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

/// Returns the labels of the parameters, in order. A parameter without a label has its name.
fn parameter_labels(definition: &Definition) -> impl Iterator<Item = &String> {
    let parameters = definition.symbol.parameters.iter();
    parameters.map(|(label, _)| label)
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
