//! The packages of a repository, and which of them can use code of which.
//!
//! A package can use itself and its transitive internal dependencies. The manifests also declare
//! module names, which map imports to paths.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use kenning_model::{ModuleName, Package, RepoPath};

/// The packages of a repository, with the packages that each can use.
#[derive(Default)]
pub struct Packages {
    /// All packages; a package is named by its index here.
    pub all: Vec<PackageFacts>,
    /// Packages by the directory of their manifest.
    by_directory: BTreeMap<String, u32>,
    /// Packages by their name as an identifier, in which `-` is `_`.
    by_identifier: HashMap<String, Vec<u32>>,
    /// The module names that manifests and configurations declare.
    modules: DeclaredModules,
}

/// Declared module names with their paths, by the directory whose files may use them. `None` has
/// the names that every file may use.
#[derive(Default)]
struct DeclaredModules(HashMap<Option<String>, DeclaredNames>);

/// The module names that are declared for one directory.
#[derive(Default)]
struct DeclaredNames {
    /// Names without a `*`.
    exact: HashMap<String, Vec<ModuleName>>,
    /// Names with a `*`, longest prefix first.
    patterns: Vec<ModuleName>,
}

impl DeclaredModules {
    /// Collects the declarations of all packages.
    fn new(packages: &[Package]) -> DeclaredModules {
        let mut modules = DeclaredModules::default();
        for module in packages.iter().flat_map(|package| &package.modules) {
            let names = modules.0.entry(module.within.clone()).or_default();
            if module.name.contains('*') {
                names.patterns.push(module.clone())
            } else {
                let known = names.exact.entry(module.name.clone()).or_default();
                known.push(module.clone());
            }
        }
        let length = |module: &ModuleName| module.name.find('*');
        for names in modules.0.values_mut() {
            names.patterns.sort_by_key(|module| Reverse(length(module)));
        }
        modules
    }

    /// Returns the paths that a module name may mean in a file. The nearest declarations come
    /// first, global ones last.
    fn paths(&self, from: &RepoPath, name: &str) -> Vec<String> {
        let above = from.parent();
        let homes = above.ancestors().map(|home| Some(home.to_string()));
        let names = homes.chain([None]).filter_map(|home| self.0.get(&home));
        names.flat_map(|names| names.paths(name)).collect()
    }
}

impl DeclaredNames {
    /// Returns the paths of exact declarations, then those of patterns with the `*` replaced.
    fn paths(&self, name: &str) -> Vec<String> {
        let declared = self.exact.get(name).into_iter().flatten();
        let exact = declared.flat_map(|module| module.paths.clone());
        let matched = self.patterns.iter().filter_map(|module| {
            let (before, after) = module.name.split_once('*')?;
            let rest = name.strip_prefix(before)?.strip_suffix(after)?;
            Some(module.paths.iter().map(|path| path.replace('*', rest)))
        });
        exact.chain(matched.flatten()).collect()
    }
}

/// One package.
pub struct PackageFacts {
    /// The ecosystem, such as `npm`.
    pub kind: String,
    /// The name in the manifest.
    pub name: String,
    /// The directory of the manifest.
    pub directory: RepoPath,
    /// The package itself and its transitive internal dependencies.
    reachable: BitSet,
}

impl Packages {
    /// Computes the transitive dependencies of each package.
    pub fn new(packages: &[Package]) -> Packages {
        let mut by_directory = BTreeMap::new();
        for (index, package) in packages.iter().enumerate() {
            let home = package.path.as_str().to_string();
            by_directory.entry(home).or_insert(index as u32);
        }
        let direct: Vec<Vec<u32>> = packages
            .iter()
            .map(|package| {
                package
                    .dependencies
                    .iter()
                    .filter_map(|one| one.internal.as_ref())
                    .filter_map(|directory| by_directory.get(directory.as_str()))
                    .copied()
                    .collect()
            })
            .collect();
        let all = packages.iter().enumerate().map(|(index, package)| {
            let mut reachable = BitSet::empty(packages.len());
            reachable.insert(index as u32);
            let mut open = vec![index as u32];
            while let Some(next) = open.pop() {
                for &target in &direct[next as usize] {
                    if reachable.insert(target) {
                        open.push(target);
                    }
                }
            }
            PackageFacts {
                kind: package.kind.clone(),
                name: package.name.clone(),
                directory: package.path.clone(),
                reachable,
            }
        });
        let mut by_identifier: HashMap<String, Vec<u32>> = HashMap::new();
        for (index, package) in packages.iter().enumerate() {
            let name = package.name.replace('-', "_");
            by_identifier.entry(name).or_default().push(index as u32);
        }
        Packages {
            all: all.collect(),
            modules: DeclaredModules::new(packages),
            by_directory,
            by_identifier,
        }
    }

    /// Returns the paths that manifests and configurations declare for a module name, as seen from
    /// a file.
    pub fn module_paths(&self, from: &RepoPath, name: &str) -> Vec<String> {
        self.modules.paths(from, name)
    }

    /// Returns the packages of all ecosystems whose name, with `_` for `-`, is this identifier.
    pub fn packages_with_identifier(&self, name: &str) -> &[u32] {
        self.by_identifier.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the package of a file: the one whose directory is nearest above it. `None` if
    /// extraction found no package name for the file.
    pub(crate) fn package_of_file(&self, name: Option<&str>, file: &RepoPath) -> Option<u32> {
        name?;
        let mut homes = file.parent().ancestors().collect::<Vec<_>>().into_iter();
        homes.find_map(|home| self.by_directory.get(home.as_str()).copied())
    }

    /// True if code of `from` can use code of `to`. Manifests say nothing about files without a
    /// package, nor about packages of two ecosystems, so these are not excluded.
    pub fn can_use(&self, from: Option<u32>, to: Option<u32>) -> bool {
        let (Some(from), Some(to)) = (from, to) else {
            return true;
        };
        let (user, used) = (&self.all[from as usize], &self.all[to as usize]);
        // Ecosystems do not declare dependencies on each other.
        user.reachable.contains(to) || user.kind != used.kind
    }
}

/// A set of package indexes. Visibility is checked for every candidate of every name, so a probe
/// must be one load.
struct BitSet(Vec<u64>);

impl BitSet {
    /// Makes an empty set for indexes below `count`.
    fn empty(count: usize) -> BitSet {
        BitSet(vec![0; count.div_ceil(64)])
    }

    /// Inserts an index; true if it was absent.
    fn insert(&mut self, place: u32) -> bool {
        let is_new = !self.contains(place);
        self.0[place as usize / 64] |= 1 << (place % 64);
        is_new
    }

    /// True if the index is in the set.
    fn contains(&self, place: u32) -> bool {
        self.0[place as usize / 64] & 1 << (place % 64) != 0
    }
}
