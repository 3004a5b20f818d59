//! The places that a rename of a definition changes, each with its certainty.
//!
//! Edges say which references mean the definition. What has no edge, such as the read of a field,
//! is only probable, because another definition may have the same name. Comments and strings are
//! text.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::graph::textual_mentions::{is_comment, longest_word, whole_words};
use crate::graph::{Definition, Graph};
use kenning_lang::languages::is_prose;
use kenning_model::{ChunkKind, Confidence, Edge, EdgeTarget, RepoPath};
use kenning_store::StoreError;
use kenning_store::code::FileWithWord;

/// The certainty that an occurrence of a name means the definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameCertainty {
    /// A comment, a string or a document contains the word.
    TextOnly,
    /// Code contains the name, and no edge says what it means.
    Probable,
    /// A definition of the family, or a reference with a `high` or `exact` edge to one.
    Certain,
}

/// An occurrence of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameSite {
    /// The offset in the text of the file.
    pub start: usize,
    /// The line, from 1.
    pub line: u32,
    /// The certainty that it means the definition.
    pub certainty: NameCertainty,
}

/// The occurrences of a name in one file.
#[derive(Clone, Debug)]
pub struct FileNameSites {
    /// The file.
    pub path: RepoPath,
    /// Its text, as it is indexed.
    pub text: String,
    /// The occurrences, in the order of the text.
    pub sites: Vec<NameSite>,
}

/// The occurrences of a name in all files.
#[derive(Debug, Default)]
pub struct NameSites {
    /// The files with occurrences, by path.
    pub files: Vec<FileNameSites>,
    /// The number of further files with the word, which were not read.
    pub unread: usize,
}

/// The most files that are read for one rename.
const MAX_FILES: usize = 5000;

impl Graph<'_> {
    /// Returns the definitions that must keep one name together: prototypes and conditional twins,
    /// the members that a member overrides or implements, and those that override or implement it.
    pub fn rename_family(&self, definitions: &[Definition]) -> Result<Vec<Definition>, StoreError> {
        let mut family: Vec<Definition> = Vec::new();
        let mut known: HashSet<EdgeTarget> = HashSet::new();
        let mut open: VecDeque<Definition> = definitions.iter().cloned().collect();
        while let Some(next) = open.pop_front() {
            if !known.insert(next.target) {
                continue;
            }
            open.extend(self.declarations(&next)?);
            open.extend(self.requirements(&next)?);
            open.extend(self.overriding_members(&next)?);
            if next.is_type() {
                open.extend(self.constructors_of(&next)?);
            }
            family.push(next);
        }
        Ok(family)
    }

    /// Returns the members of the same name in all subtypes of a member's type.
    fn overriding_members(&self, member: &Definition) -> Result<Vec<Definition>, StoreError> {
        if !matches!(member.symbol.kind, ChunkKind::Method | ChunkKind::Property) {
            return Ok(Vec::new());
        }
        let Some(owner) = self.owner(member)? else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for subtype in self.implementations(&owner)? {
            found.extend(self.members_named(&subtype.definition, &member.symbol.name)?);
        }
        Ok(found)
    }

    /// Returns the members of a type that are named like it: constructors, in many languages.
    fn constructors_of(&self, owner: &Definition) -> Result<Vec<Definition>, StoreError> {
        let outer = &owner.symbol.span;
        self.select_in_file(&owner.path, |symbol| {
            symbol.name == owner.symbol.name
                && outer.start_byte < symbol.span.start_byte
                && symbol.span.end_byte <= outer.end_byte
        })
    }

    /// Returns the occurrences of a family's name. Those that mean another definition are left out.
    pub fn find_name_sites(&self, family: &[Definition]) -> Result<NameSites, StoreError> {
        let Some(first) = family.first() else {
            return Ok(NameSites::default());
        };
        let name = first.symbol.name.as_str();
        let (files, count) = self.snapshot.files_with_word(longest_word(name), MAX_FILES)?;
        let mut found =
            NameSites { unread: count.saturating_sub(files.len()), ..Default::default() };
        let search = NameSearch {
            name,
            targets: family.iter().map(|one| one.target).collect(),
            clause_lines: self.clause_lines(family)?,
            are_members: self.are_members(family)?,
        };
        for file in &files {
            if let Some(sites) = self.name_sites_in(file, &search)? {
                found.files.push(sites);
            }
        }
        found.files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(found)
    }

    /// Returns the places of references with a sure edge. Some references, such as heritage
    /// clauses, have no offset of their own; their line is enough.
    fn clause_lines(&self, family: &[Definition]) -> Result<HashSet<(RepoPath, u32)>, StoreError> {
        let mut lines = HashSet::new();
        for definition in family {
            let references = self.references(definition)?.into_iter();
            let sure = references.filter(|link| link.evidence.confidence >= Confidence::High);
            lines.extend(sure.map(|link| (link.site.path, link.site.line)));
        }
        Ok(lines)
    }

    /// True if all of the family are members of types.
    fn are_members(&self, family: &[Definition]) -> Result<bool, StoreError> {
        for definition in family {
            if definition.is_type() || self.owner(definition)?.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the occurrences in one file; `None` if there are none.
    fn name_sites_in(
        &self,
        file: &FileWithWord,
        search: &NameSearch,
    ) -> Result<Option<FileNameSites>, StoreError> {
        let Some(text) = self.snapshot.text_of(file.file)? else {
            return Ok(None);
        };
        let meanings = self.meanings_in(file.file, &text, search)?;
        let is_prose = is_prose(&file.path);
        let mut sites = Vec::new();
        let mut start = 0;
        for (line, content) in (1..).zip(text.split_inclusive('\n')) {
            let words: Vec<usize> = whole_words(content, search.name).collect();
            // A reference without an offset of its own is the only word of its line.
            let is_clause = words.iter().all(|at| !meanings.contains_key(&(start + at)))
                && search.clause_lines.contains(&(file.path.clone(), line));
            for at in words {
                let certainty = match meanings.get(&(start + at)) {
                    Some(Meaning::Family) => Some(NameCertainty::Certain),
                    Some(Meaning::Unsure) => Some(NameCertainty::Probable),
                    Some(Meaning::Another) => None,
                    None => match search.judge_text(content, at, is_prose) {
                        Some(NameCertainty::TextOnly) => Some(NameCertainty::TextOnly),
                        _ if is_clause => Some(NameCertainty::Certain),
                        judged => judged,
                    },
                };
                let site =
                    certainty.map(|certainty| NameSite { start: start + at, line, certainty });
                sites.extend(site);
            }
            start += content.len();
        }
        let found = FileNameSites { path: file.path.clone(), text, sites };
        Ok((!found.sites.is_empty()).then_some(found))
    }

    /// Returns the meaning of the occurrences that are definitions or references, by offset.
    fn meanings_in(
        &self,
        file: i64,
        text: &str,
        search: &NameSearch,
    ) -> Result<HashMap<usize, Meaning>, StoreError> {
        let mut meanings = HashMap::new();
        let named = self.select_in_file_number(file, |symbol| symbol.name == search.name)?;
        for definition in named {
            // An extension names the type that it extends.
            let meant = match definition.symbol.kind {
                ChunkKind::Extension => self.extended_type(search.name, &definition.path)?,
                _ => None,
            };
            let target = meant.map_or(definition.target, |extended| extended.target);
            let is_family = search.targets.contains(&target);
            let meaning = if is_family { Meaning::Family } else { Meaning::Another };
            let from = line_start(text, definition.symbol.line);
            let from = from.max(definition.symbol.span.start_byte as usize);
            if let Some(at) = first_word(text, from, search.name) {
                meanings.insert(at, meaning);
            }
        }
        let linked = self.linked_file(file)?;
        let edges = linked.as_ref().map_or(&[][..], |linked| &linked.edges.edges);
        for (place, mention) in self.mentions_in(file)?.find_by_name(search.name) {
            let edge = edges.binary_search_by_key(&place, |edge| edge.reference);
            let meaning = search.meaning_of_edge(edge.ok().map(|at| &edges[at]));
            if let Some(at) = first_word(text, mention.start_byte as usize, search.name) {
                meanings.entry(at).or_insert(meaning);
            }
        }
        Ok(meanings)
    }
}

/// The meaning of an occurrence, as far as the graph tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// A definition that is renamed.
    Family,
    /// Perhaps one that is renamed.
    Unsure,
    /// Another definition.
    Another,
}

/// A name, and the definitions that it may mean.
struct NameSearch<'n> {
    name: &'n str,
    targets: HashSet<EdgeTarget>,
    /// Lines with a sure reference.
    clause_lines: HashSet<(RepoPath, u32)>,
    /// True if the name needs a receiver outside of its type.
    are_members: bool,
}

impl NameSearch<'_> {
    /// Returns the meaning of a reference with this edge, or with none.
    fn meaning_of_edge(&self, edge: Option<&Edge>) -> Meaning {
        let Some(edge) = edge else {
            return Meaning::Unsure;
        };
        let is_family = |target: &EdgeTarget| self.targets.contains(target);
        if !edge.targets.iter().any(is_family) {
            Meaning::Another
        } else if edge.confidence >= Confidence::High && edge.targets.iter().all(is_family) {
            Meaning::Family
        } else {
            Meaning::Unsure
        }
    }

    /// Judges an occurrence that is no definition and no reference by the line around it. `None` if
    /// it is most likely something else, such as a local variable.
    fn judge_text(&self, line: &str, at: usize, is_prose: bool) -> Option<NameCertainty> {
        let before = &line[..at];
        let is_quoted = before.ends_with(['"', '\'', '`']);
        let is_after_comment = ["//", "# ", "/*"].iter().any(|mark| before.contains(mark));
        if is_prose || is_quoted || is_after_comment || is_comment(line) {
            return Some(NameCertainty::TextOnly);
        }
        let has_receiver = [".", "->", "::", "@", "#"].iter().any(|mark| before.ends_with(mark));
        let after = line[at + self.name.len()..].trim_start();
        let is_field = after.starts_with(':') && !after.starts_with("::");
        let can_mean = !self.are_members || has_receiver || is_field;
        can_mean.then_some(NameCertainty::Probable)
    }
}

/// Returns the offset of a line, from 1.
fn line_start(text: &str, line: u32) -> usize {
    let lines = text.split_inclusive('\n').take(line.saturating_sub(1) as usize);
    lines.map(str::len).sum()
}

/// Returns the offset of the first whole word at or after a place.
fn first_word(text: &str, from: usize, name: &str) -> Option<usize> {
    let rest = text.get(from..)?;
    // The word may continue to the left of `from`.
    let is_inside = text[..from].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let mut words = whole_words(rest, name).filter(|at| *at > 0 || !is_inside);
    words.next().map(|at| from + at)
}
