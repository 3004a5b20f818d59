//! The MSBuild files of the repository, each with an index of its declarations. Files are found by
//! path, or as the nearest of a name above a directory.
//!
//! Files and entries are referred to by number, so that evaluations share them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::msbuild_file::{
    Action, Import, ItemKind, MsbuildDocument, MsbuildElement, MsbuildItem, Property,
};
use super::paths::{is_unknown, locate, locate_from_root};
use kenning_model::RepoPath;

/// Properties that the SDK, a package or the command line may set as well. Their absence in the
/// repository proves nothing. In lower case, sorted.
const OUTSIDE_PROPERTIES: &[&str] = &[
    "assemblyname",
    "configuration",
    "continuousintegrationbuild",
    "designtimebuild",
    "ispackable",
    "istestproject",
    "language",
    "nugetpackageroot",
    "os",
    "outputpath",
    "outputtype",
    "packageid",
    "platform",
    "rootnamespace",
    "runtimeidentifier",
    "runtimeidentifiers",
    "targetframework",
    "targetframeworkidentifier",
    "targetframeworks",
    "targetframeworkversion",
    "usingmicrosoftnetsdk",
    "version",
    "versionprefix",
    "versionsuffix",
];

/// All files. A file's number is its index in `all`, which is sorted by path.
pub struct MsbuildFiles<'a> {
    pub all: Vec<MsbuildFile<'a>>,
    by_path: HashMap<&'a RepoPath, usize>,
    /// Paths in lower case. Many paths in project files were written on file systems that ignore
    /// case.
    by_lower_path: HashMap<String, usize>,
    /// The names of all properties that some file sets, in lower case.
    properties: HashSet<&'a str>,
}

/// One file with an index of its entries. An entry is referred to by its position.
pub struct MsbuildFile<'a> {
    pub path: &'a RepoPath,
    pub directory: RepoPath,
    entries: &'a [MsbuildElement],
    /// The settings of each property, by its name in lower case.
    properties: HashMap<&'a str, Vec<usize>>,
    imports: Vec<usize>,
    /// Items that add references.
    includes: Vec<usize>,
    /// Items that change references to packages.
    changes: Vec<usize>,
    /// Those again, and central versions, by the name of the package in lower case.
    package_items: HashMap<String, Vec<usize>>,
}

impl<'a> MsbuildFiles<'a> {
    /// Indexes all files. `files` must be sorted by path.
    pub fn new(files: &'a [(RepoPath, MsbuildDocument)]) -> MsbuildFiles<'a> {
        let paths = || files.iter().map(|(path, _)| path).enumerate();
        let entries = files.iter().flat_map(|(_, file)| &file.entries);
        let properties = entries.filter_map(|entry| match entry {
            MsbuildElement::Property(property) => Some(property.name.as_str()),
            _ => None,
        });
        MsbuildFiles {
            properties: properties.collect(),
            all: files.iter().map(|(path, file)| MsbuildFile::new(path, file)).collect(),
            by_path: paths().map(|(index, path)| (path, index)).collect(),
            by_lower_path: paths()
                .rev()
                .map(|(index, path)| (path.as_str().to_lowercase(), index))
                .collect(),
        }
    }

    /// The file at a path, else the first whose path differs only by case.
    fn find_exact(&self, path: &RepoPath) -> Option<usize> {
        let exact = self.by_path.get(path).copied();
        exact.or_else(|| self.by_lower_path.get(&path.as_str().to_lowercase()).copied())
    }

    /// Finds the file that a path, written relative to `directory`, means. If the path starts with
    /// an unknown property, that is taken for the repository's root.
    pub fn find_by_path(&self, path: &str, directory: &RepoPath) -> Option<usize> {
        if is_unknown(path) {
            self.find_exact(&locate_from_root(path)?)
        } else {
            self.find_exact(&locate(path, directory)?)
        }
    }

    /// True if a property, by its name in lower case, gets its value from these files alone. Then
    /// it is empty where none sets it.
    pub fn is_own_property(&self, name: &str) -> bool {
        self.properties.contains(name) && !OUTSIDE_PROPERTIES.contains(&name)
    }

    /// The nearest file of that name in the directory or above it. MSBuild looks for
    /// `Directory.Build.props` in this way.
    pub fn find_above(&self, directory: &RepoPath, name: &str) -> Option<usize> {
        directory
            .ancestors()
            .find_map(|directory| self.by_path.get(&directory.join(name)?).copied())
    }
}

impl<'a> MsbuildFile<'a> {
    fn new(path: &'a RepoPath, document: &'a MsbuildDocument) -> MsbuildFile<'a> {
        let mut file = MsbuildFile {
            path,
            directory: path.parent(),
            entries: &document.entries,
            properties: HashMap::new(),
            imports: Vec::new(),
            includes: Vec::new(),
            changes: Vec::new(),
            package_items: HashMap::new(),
        };
        for (place, entry) in document.entries.iter().enumerate() {
            match entry {
                MsbuildElement::Property(property) => {
                    let places = file.properties.entry(&property.name).or_default();
                    places.push(place);
                }
                MsbuildElement::Import(_) => file.imports.push(place),
                MsbuildElement::Item(item) => file.index_item(place, item),
            }
        }
        file
    }

    /// Indexes an item by what it does: it adds references, changes them, or gives a package its
    /// central version.
    fn index_item(&mut self, place: usize, item: &MsbuildItem) {
        match (item.kind, item.action) {
            (ItemKind::PackageVersion, _)
            | (ItemKind::PackageReference, Action::Update | Action::Remove) => {
                if item.kind == ItemKind::PackageReference {
                    self.changes.push(place);
                }
                for name in item.spec.split(';').map(str::trim) {
                    let places = self.package_items.entry(name.to_lowercase()).or_default();
                    places.push(place);
                }
            }
            (_, Action::Include) => self.includes.push(place),
            _ => {}
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The imports with their positions.
    pub fn imports(&self) -> impl Iterator<Item = (usize, &'a Import)> {
        self.imports.iter().filter_map(|place| match &self.entries[*place] {
            MsbuildElement::Import(import) => Some((*place, import)),
            _ => None,
        })
    }

    /// The settings of a property, by its name in lower case, within a range of positions.
    pub fn properties(
        &self,
        name: &str,
        range: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = (usize, &'a Property)> {
        let places = self.properties.get(name).map_or(&[][..], Vec::as_slice);
        let places = slice_range(places, &range).iter();
        places.filter_map(|place| match &self.entries[*place] {
            MsbuildElement::Property(property) => Some((*place, property)),
            _ => None,
        })
    }

    /// The positions of items that add references.
    pub fn includes(&self) -> &[usize] {
        &self.includes
    }

    /// The positions of items that change references to packages.
    pub fn changes(&self) -> &[usize] {
        &self.changes
    }

    /// The positions of items that change a package's references or give its central version.
    /// `name` is in lower case.
    pub fn package_items(&self, name: &str) -> &[usize] {
        self.package_items.get(name).map_or(&[], Vec::as_slice)
    }

    /// The items at those of `places` that lie in a range.
    pub fn items<'p>(
        &'p self,
        places: &'p [usize],
        range: &Range<usize>,
    ) -> impl Iterator<Item = (usize, &'a MsbuildItem)> + 'p {
        let places = slice_range(places, range).iter();
        places.filter_map(|place| match &self.entries[*place] {
            MsbuildElement::Item(item) => Some((*place, item)),
            _ => None,
        })
    }
}

/// The part of a sorted list that lies in a range.
fn slice_range<'p>(places: &'p [usize], range: &Range<usize>) -> &'p [usize] {
    let start = places.partition_point(|place| *place < range.start);
    let end = places.partition_point(|place| *place < range.end);
    &places[start..end.max(start)]
}
