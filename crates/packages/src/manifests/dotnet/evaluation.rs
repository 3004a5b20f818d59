//! Evaluates one project as MSBuild does: the files that it reads and their order, its properties
//! at any point, and the paths that it means.
//!
//! Nothing is copied from the files: ten thousand projects may share one `Directory.Build.props`.
//! Conditions count where the files themselves decide them; the SDK's own files are not read.

use std::collections::HashSet;
use std::ops::Range;

use super::super::interpolate::{Budget, Syntax, fill, fill_within};
use super::conditions::{Verdict, decide};
use super::files::{File, Files};
use super::functions::call;
use super::msbuild_file::{Item, ItemKind, Property, Set};
use super::paths::{is_unknown, rooted, rooted_directory, stem};
use kenning_model::RepoPath;

const DEEPEST_IMPORT: usize = 16;
const MOST_SEGMENTS: usize = 200;
/// How many settings of one property are looked at.
const MOST_SETTINGS: usize = 1_000;

/// One project with all that it imports.
pub struct Evaluation<'a> {
    pub files: &'a Files<'a>,
    pub project: usize,
    /// Pieces of files in the order in which MSBuild reads them.
    segments: Vec<Segment>,
}

/// A run of entries of one file, between two of its imports.
struct Segment {
    file: usize,
    entries: Range<usize>,
}

/// A point in the reading.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    segment: usize,
    entry: usize,
}

/// An item, and where it was read.
pub struct EvaluatedItem<'a> {
    pub item: &'a Item,
    pub file: usize,
    pub position: Position,
    pub verdict: Verdict,
}

/// Where a text is filled: the file that it is written in, and what is read before it.
#[derive(Clone, Copy)]
struct EvaluationSite {
    file: usize,
    before: Position,
    trust: Trust,
}

/// The certainty that a lookup demands of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// One of the possible values is better than none.
    Guess,
    /// Only what does not depend on conditions.
    Certain,
    /// That, and that a property of the repository is empty where its files do not set it.
    Closed,
}

impl EvaluationSite {
    /// After all that is read so far, which is when MSBuild evaluates items.
    fn end_of(file: usize) -> EvaluationSite {
        EvaluationSite {
            file,
            before: Position { segment: usize::MAX, entry: usize::MAX },
            trust: Trust::Guess,
        }
    }
}

impl<'a> Evaluation<'a> {
    pub fn new(files: &'a Files<'a>, project: usize) -> Evaluation<'a> {
        let mut evaluation = Evaluation { files, project, segments: Vec::new() };
        let directory = &files.all[project].directory;
        let mut read = HashSet::new();
        let above = |name: &str| files.above(directory, name);
        evaluation.read(above("Directory.Build.props"), 0, &mut read);
        let central = match evaluation.certain("directorypackagespropspath") {
            Some(path) => files.meant(&path, directory),
            None => above("Directory.Packages.props"),
        };
        evaluation.read(central, 0, &mut read);
        evaluation.read(Some(project), 0, &mut read);
        evaluation.read(above("Directory.Build.targets"), 0, &mut read);
        evaluation.read(files.meant("packages.config", directory), 0, &mut read);
        evaluation
    }

    /// Adds a file and what it imports; MSBuild reads no file twice.
    fn read(&mut self, file: Option<usize>, depth: usize, read: &mut HashSet<usize>) {
        let Some(index) = file else { return };
        if depth > DEEPEST_IMPORT || !read.insert(index) {
            return;
        }
        let file = &self.files.all[index];
        let mut start = 0;
        for (place, import) in file.imports() {
            if self.segments.len() >= MOST_SEGMENTS {
                break;
            }
            self.segments.push(Segment { file: index, entries: start..place });
            start = place + 1;
            if self.decide(&import.condition, index, Trust::Certain) != Verdict::False {
                let path = self.fill(&import.project, EvaluationSite::end_of(index));
                let target = self.files.meant(&path, &file.directory);
                self.read(target, depth + 1, read);
            }
        }
        self.segments.push(Segment { file: index, entries: start..file.len() });
    }

    /// The value of a property, by its name in lower case, unless it depends on conditions.
    pub fn certain(&self, name: &str) -> Option<String> {
        let (place, property) = self.find(name, EvaluationSite::end_of(self.project))?;
        if property.set == Set::Sometimes {
            return None;
        }
        Some(self.fill(&property.value, place)).filter(|value| !value.is_empty())
    }

    /// `text` with its properties filled in as they are once everything is read. `file` is where
    /// it is written.
    pub fn fill_item(&self, text: &str, file: usize) -> String {
        self.fill(text, EvaluationSite::end_of(file))
    }

    /// Those of the picked items whose condition is not false, in the order of reading.
    pub fn items(
        &self,
        pick: impl for<'f> Fn(&'f File<'a>) -> &'f [usize],
    ) -> Vec<EvaluatedItem<'a>> {
        let mut found = Vec::new();
        for (number, segment) in self.segments.iter().enumerate() {
            let file = &self.files.all[segment.file];
            for (entry, item) in file.items(pick(file), &segment.entries) {
                let trust = match item.kind {
                    // A wrong edge between projects costs more than a package too many, so a
                    // switch that only some projects turn on is off for the others.
                    ItemKind::ProjectReference => Trust::Closed,
                    _ => Trust::Certain,
                };
                let verdict = self.decide(&item.condition, segment.file, trust);
                let position = Position { segment: number, entry };
                found.push(EvaluatedItem { item, file: segment.file, position, verdict });
            }
        }
        found.retain(|found| found.verdict != Verdict::False);
        found
    }

    /// Evaluates a condition that is written in `file`.
    fn decide(&self, condition: &str, file: usize, trust: Trust) -> Verdict {
        let place = EvaluationSite { trust, ..EvaluationSite::end_of(file) };
        decide(condition, &|text| Some(self.fill(text, place)).filter(|text| !is_unknown(text)))
    }

    fn fill(&self, text: &str, place: EvaluationSite) -> String {
        fill(text, Syntax::Parentheses, &mut |name, budget| self.value(name, place, budget))
    }

    /// Returns the value of `$(name)` at a place. Earlier settings cannot see later ones, so that
    /// this ends even for `<A>$(A);more</A>`.
    fn value(&self, name: &str, place: EvaluationSite, budget: &mut Budget) -> Option<String> {
        let mut fill_at = |text: &str, place: EvaluationSite| {
            fill_within(text, Syntax::Parentheses, budget, &mut |name, budget| {
                self.value(name, place, budget)
            })
        };
        if name.starts_with('[') {
            return call(self, name, place.file, &mut |text| fill_at(text, place));
        }
        let name = name.trim().to_lowercase();
        if let Some(value) = self.reserved(&name, place.file) {
            return Some(value);
        }
        match (self.find(&name, place), place.trust) {
            (Some((_, property)), Trust::Certain | Trust::Closed)
                if property.set == Set::Sometimes =>
            {
                None
            }
            (Some((place, property)), _) => Some(fill_at(&property.value, place)),
            (None, Trust::Closed) if self.files.own_property(&name) => Some(String::new()),
            (None, _) => None,
        }
    }

    /// The last setting that counts: the last one without a condition, else the first default,
    /// else the first that holds at least sometimes.
    fn find(&self, name: &str, place: EvaluationSite) -> Option<(EvaluationSite, &'a Property)> {
        let mut default = None;
        let mut sometimes = None;
        for (found, property) in self.settings(name, place).take(MOST_SETTINGS) {
            match property.set {
                Set::Always if property.value.is_empty() && default.is_some() => return default,
                Set::Always => return Some((found, property)),
                Set::Default => default = Some((found, property)),
                Set::Sometimes => sometimes = Some((found, property)),
            }
        }
        default.or(sometimes)
    }

    /// All settings before a place, the last one first.
    fn settings(
        &self,
        name: &str,
        place: EvaluationSite,
    ) -> impl Iterator<Item = (EvaluationSite, &'a Property)> {
        let last = place.before.segment.saturating_add(1);
        let last = last.min(self.segments.len());
        let segments = self.segments[..last].iter().enumerate().rev();
        segments.flat_map(move |(number, segment)| {
            let mut range = segment.entries.clone();
            if number == place.before.segment {
                range.end = range.end.min(place.before.entry);
            }
            let settings = self.files.all[segment.file].properties(name, range);
            settings.rev().map(move |(entry, property)| {
                let before = Position { segment: number, entry };
                let file = segment.file;
                let found = EvaluationSite { file, before, ..place };
                (found, property)
            })
        })
    }

    fn reserved(&self, name: &str, file: usize) -> Option<String> {
        let project = &self.files.all[self.project];
        let here = &self.files.all[file];
        let name_of = |path: &RepoPath| stem(path.file_name()).to_string();
        Some(match name {
            "msbuildprojectname" => name_of(project.path),
            "msbuildprojectfile" => project.path.file_name().to_string(),
            "msbuildprojectdirectory" => rooted(&project.directory),
            "msbuildprojectfullpath" => rooted(project.path),
            "msbuildthisfilename" => name_of(here.path),
            "msbuildthisfile" => here.path.file_name().to_string(),
            "msbuildthisfiledirectory" => rooted_directory(&here.directory),
            "msbuildthisfilefullpath" => rooted(here.path),
            // The SDK's own words for the files that it looks for.
            "_directorybuildpropsfile" => "Directory.Build.props".to_string(),
            "_directorybuildtargetsfile" => "Directory.Build.targets".to_string(),
            _ => return None,
        })
    }
}
