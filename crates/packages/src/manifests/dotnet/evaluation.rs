//! Evaluates one project as MSBuild does: the files that it reads and their order, its properties
//! at any point, and the items that hold.
//!
//! Nothing is copied from the files, because ten thousand projects may share one
//! `Directory.Build.props`. Conditions count where the files themselves decide them. The SDK's own
//! files are not read.

use std::collections::HashSet;
use std::ops::Range;

use super::super::interpolate::{Budget, PlaceholderSyntax, fill_nested, fill_placeholders};
use super::conditions::{Verdict, evaluate_condition};
use super::file_index::{MsbuildFile, MsbuildFiles};
use super::msbuild_file::{ItemKind, MsbuildItem, Property, SetWhen};
use super::paths::{file_stem, is_unknown, to_rooted, to_rooted_directory};
use super::property_functions::call_function;
use kenning_model::RepoPath;

/// The deepest chain of imports that is followed.
const MAX_IMPORT_DEPTH: usize = 16;
/// The most pieces of files that one project may consist of.
const MAX_SEGMENTS: usize = 200;
/// The most settings of one property that are considered.
const MAX_SETTINGS: usize = 1_000;

/// One project with all that it imports.
pub struct Evaluation<'a> {
    pub files: &'a MsbuildFiles<'a>,
    /// The index of the project in `files`.
    pub project: usize,
    /// Pieces of files in the order in which MSBuild reads them.
    segments: Vec<Segment>,
}

/// A run of entries of one file, between two of its imports. The imported file's segments come
/// after it.
struct Segment {
    file: usize,
    entries: Range<usize>,
}

/// A point in the order of reading. Later positions are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    segment: usize,
    entry: usize,
}

/// An item, the place where it was read, and the value of its condition, which is never false.
pub struct EvaluatedItem<'a> {
    pub item: &'a MsbuildItem,
    pub file: usize,
    pub position: Position,
    pub verdict: Verdict,
}

/// The place where a text is filled: the file that contains it, and the settings that precede it.
#[derive(Clone, Copy)]
struct EvaluationSite {
    file: usize,
    before: Position,
    certainty: Certainty,
}

/// The certainty that a lookup demands of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Certainty {
    /// One of the possible values is better than none.
    Guess,
    /// Only a value that does not depend on conditions.
    Certain,
    /// Like `Certain`. In addition, a property that only the repository sets is empty where its
    /// files do not set it.
    Closed,
}

impl EvaluationSite {
    /// The place after everything that is read so far. MSBuild evaluates items after all
    /// properties.
    fn at_end(file: usize) -> EvaluationSite {
        EvaluationSite {
            file,
            before: Position { segment: usize::MAX, entry: usize::MAX },
            certainty: Certainty::Guess,
        }
    }
}

impl<'a> Evaluation<'a> {
    /// Reads the files of a project in MSBuild's order: the nearest `Directory.Build.props`,
    /// central package versions, the project, `Directory.Build.targets`, and `packages.config`.
    pub fn new(files: &'a MsbuildFiles<'a>, project: usize) -> Evaluation<'a> {
        let mut evaluation = Evaluation { files, project, segments: Vec::new() };
        let directory = &files.all[project].directory;
        let mut read = HashSet::new();
        let above = |name: &str| files.find_above(directory, name);
        evaluation.read_file(above("Directory.Build.props"), 0, &mut read);
        let central = match evaluation.certain_value("directorypackagespropspath") {
            Some(path) => files.find_by_path(&path, directory),
            None => above("Directory.Packages.props"),
        };
        evaluation.read_file(central, 0, &mut read);
        evaluation.read_file(Some(project), 0, &mut read);
        evaluation.read_file(above("Directory.Build.targets"), 0, &mut read);
        evaluation.read_file(files.find_by_path("packages.config", directory), 0, &mut read);
        evaluation
    }

    /// Adds a file and what it imports. MSBuild reads no file twice.
    fn read_file(&mut self, file: Option<usize>, depth: usize, read: &mut HashSet<usize>) {
        let Some(index) = file else { return };
        if depth > MAX_IMPORT_DEPTH || !read.insert(index) {
            return;
        }
        let file = &self.files.all[index];
        let mut start = 0;
        for (place, import) in file.imports() {
            if self.segments.len() >= MAX_SEGMENTS {
                break;
            }
            self.segments.push(Segment { file: index, entries: start..place });
            start = place + 1;
            // An import whose condition is unknown is followed: a missing property loses more than
            // a superfluous one.
            if self.evaluate(&import.condition, index, Certainty::Certain) != Verdict::False {
                let path = self.fill_text(&import.project, EvaluationSite::at_end(index));
                let target = self.files.find_by_path(&path, &file.directory);
                self.read_file(target, depth + 1, read);
            }
        }
        self.segments.push(Segment { file: index, entries: start..file.len() });
    }

    /// The value of a property, by its name in lower case. `None` if it is empty or depends on a
    /// condition.
    pub fn certain_value(&self, name: &str) -> Option<String> {
        let (place, property) = self.find_setting(name, EvaluationSite::at_end(self.project))?;
        if property.set == SetWhen::Sometimes {
            return None;
        }
        Some(self.fill_text(&property.value, place)).filter(|value| !value.is_empty())
    }

    /// Fills the properties in a text of an item, as they are once everything is read. `file`
    /// contains the text.
    pub fn fill_item(&self, text: &str, file: usize) -> String {
        self.fill_text(text, EvaluationSite::at_end(file))
    }

    /// Returns the items that `pick` selects in each file and whose condition is not false, in the
    /// order of reading.
    pub fn items(
        &self,
        pick: impl for<'f> Fn(&'f MsbuildFile<'a>) -> &'f [usize],
    ) -> Vec<EvaluatedItem<'a>> {
        let mut found = Vec::new();
        for (number, segment) in self.segments.iter().enumerate() {
            let file = &self.files.all[segment.file];
            for (entry, item) in file.items(pick(file), &segment.entries) {
                let trust = match item.kind {
                    // A wrong edge between projects costs more than a package too many. So a switch
                    // that only some projects turn on is off for the others.
                    ItemKind::ProjectReference => Certainty::Closed,
                    _ => Certainty::Certain,
                };
                let verdict = self.evaluate(&item.condition, segment.file, trust);
                let position = Position { segment: number, entry };
                found.push(EvaluatedItem { item, file: segment.file, position, verdict });
            }
        }
        found.retain(|found| found.verdict != Verdict::False);
        found
    }

    /// Evaluates a condition that is written in `file`.
    fn evaluate(&self, condition: &str, file: usize, trust: Certainty) -> Verdict {
        let place = EvaluationSite { certainty: trust, ..EvaluationSite::at_end(file) };
        evaluate_condition(condition, &|text| {
            Some(self.fill_text(text, place)).filter(|text| !is_unknown(text))
        })
    }

    /// Fills the properties in a text as they are at `place`. Unknown ones stay as written.
    fn fill_text(&self, text: &str, place: EvaluationSite) -> String {
        fill_placeholders(text, PlaceholderSyntax::Parentheses, &mut |name, budget| {
            self.resolve_property(name, place, budget)
        })
    }

    /// Returns the value of `$(name)` at a place. A setting sees only earlier settings, so that
    /// this ends even for `<A>$(A);more</A>`.
    fn resolve_property(
        &self,
        name: &str,
        place: EvaluationSite,
        budget: &mut Budget,
    ) -> Option<String> {
        let mut fill_at = |text: &str, place: EvaluationSite| {
            fill_nested(text, PlaceholderSyntax::Parentheses, budget, &mut |name, budget| {
                self.resolve_property(name, place, budget)
            })
        };
        if name.starts_with('[') {
            return call_function(self, name, place.file, &mut |text| fill_at(text, place));
        }
        let name = name.trim().to_lowercase();
        if let Some(value) = self.reserved_property(&name, place.file) {
            return Some(value);
        }
        match (self.find_setting(&name, place), place.certainty) {
            (Some((_, property)), Certainty::Certain | Certainty::Closed)
                if property.set == SetWhen::Sometimes =>
            {
                None
            }
            (Some((place, property)), _) => Some(fill_at(&property.value, place)),
            (None, Certainty::Closed) if self.files.is_own_property(&name) => Some(String::new()),
            (None, _) => None,
        }
    }

    /// Finds the setting that counts. It is the last one without a condition, else the first
    /// default, else the first that holds at least sometimes.
    fn find_setting(
        &self,
        name: &str,
        place: EvaluationSite,
    ) -> Option<(EvaluationSite, &'a Property)> {
        let mut default = None;
        let mut sometimes = None;
        for (found, property) in self.settings_before(name, place).take(MAX_SETTINGS) {
            match property.set {
                // An empty unconditional setting lets a later default apply.
                SetWhen::Always if property.value.is_empty() && default.is_some() => {
                    return default;
                }
                SetWhen::Always => return Some((found, property)),
                SetWhen::Default => default = Some((found, property)),
                SetWhen::Sometimes => sometimes = Some((found, property)),
            }
        }
        default.or(sometimes)
    }

    /// All settings of a property before a place, the last one first.
    fn settings_before(
        &self,
        name: &str,
        place: EvaluationSite,
    ) -> impl Iterator<Item = (EvaluationSite, &'a Property)> {
        let last = place.before.segment.saturating_add(1).min(self.segments.len());
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

    /// The well-known properties that MSBuild derives from paths. Paths start at the root of the
    /// repository; see `paths.rs`.
    fn reserved_property(&self, name: &str, file: usize) -> Option<String> {
        let project = &self.files.all[self.project];
        let here = &self.files.all[file];
        let name_of = |path: &RepoPath| file_stem(path.file_name()).to_string();
        Some(match name {
            "msbuildprojectname" => name_of(project.path),
            "msbuildprojectfile" => project.path.file_name().to_string(),
            "msbuildprojectdirectory" => to_rooted(&project.directory),
            "msbuildprojectfullpath" => to_rooted(project.path),
            "msbuildthisfilename" => name_of(here.path),
            "msbuildthisfile" => here.path.file_name().to_string(),
            "msbuildthisfiledirectory" => to_rooted_directory(&here.directory),
            "msbuildthisfilefullpath" => to_rooted(here.path),
            // The SDK's own words for the files that it looks for.
            "_directorybuildpropsfile" => "Directory.Build.props".to_string(),
            "_directorybuildtargetsfile" => "Directory.Build.targets".to_string(),
            _ => return None,
        })
    }
}
