//! Managed dependencies: the entries of `<dependencyManagement>`, inherited and imported. BOMs
//! outside of the repository count as empty.
//!
//! Maven's precedence holds: entries of the POM and its parents, then imported BOMs in order, each
//! with its own entries before its imports.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::super::interpolate::{Budget, PlaceholderSyntax, has_placeholder, split_at_placeholder};
use super::effective_pom::EffectivePoms;
use super::pom::{Pom, PomDependency};

/// The managed dependencies of every POM. Tables are computed on first use, because most POMs are
/// never asked.
pub struct DependencyManagement<'a> {
    models: &'a EffectivePoms<'a>,
    /// The entries that each POM declares itself.
    entries: Vec<ManagedEntries>,
    /// For each POM, the entries of its ancestors whose keys have expressions, as it resolves them.
    /// In the order of its lineage.
    readings: Vec<OnceCell<Vec<Rc<EntryPositions>>>>,
    /// The tables that POMs share; see [`InterpolationKey`].
    shared_readings: RefCell<HashMap<InterpolationKey, Rc<EntryPositions>>>,
    /// For each POM, the BOMs that it imports, in order of precedence.
    imports: Vec<OnceCell<Vec<usize>>>,
}

/// The position in `Pom::managed` of the entry for a key.
type EntryPositions = HashMap<String, usize>;

/// A POM with computed entries, and the values of the names in them. Thousands of modules inherit
/// from one parent, and nearly all agree on the value of `${project.groupId}` there.
type InterpolationKey = (usize, Vec<Option<String>>);

/// The managed dependencies that one POM declares.
#[derive(Default)]
struct ManagedEntries {
    /// Entries whose key has no expression.
    literal: EntryPositions,
    /// Entries whose key contains an expression.
    computed: Vec<usize>,
    /// The names in those expressions. Sorted, so that they can be part of a key.
    names: BTreeSet<String>,
    /// Entries of scope `import`, which are BOMs.
    imports: Vec<usize>,
}

impl<'a> DependencyManagement<'a> {
    pub fn new(models: &'a EffectivePoms<'a>) -> DependencyManagement<'a> {
        let poms = models.poms.iter();
        DependencyManagement {
            models,
            entries: poms.map(|(_, pom)| ManagedEntries::new(pom)).collect(),
            readings: vec![OnceCell::new(); models.poms.len()],
            shared_readings: RefCell::default(),
            imports: vec![OnceCell::new(); models.poms.len()],
        }
    }

    /// Finds the managed entry for a key, and the POM whose properties fill it. That is the POM
    /// itself for what it declares or inherits, and the BOM for what it imports.
    pub fn find_entry(&self, index: usize, key: &str) -> Option<(usize, &'a PomDependency)> {
        // Each BOM counts once, with its own entries before its imports. A stack of POMs that are
        // still to be searched keeps that order without recursion.
        let mut asked = HashSet::new();
        let mut to_ask = vec![index];
        while let Some(manager) = to_ask.pop() {
            if !asked.insert(manager) {
                continue;
            }
            if let Some(entry) = self.find_declared_entry(manager, key) {
                return Some((manager, entry));
            }
            to_ask.extend(self.imported_boms(manager).iter().rev());
        }
        None
    }

    /// Finds an entry in the POM or its parents, the nearest first.
    fn find_declared_entry(&self, index: usize, key: &str) -> Option<&'a PomDependency> {
        let mut lineage = self.models.lineage(index).iter().zip(self.computed_positions(index));
        lineage.find_map(|(ancestor, computed)| {
            let literal = self.entries[*ancestor].literal.get(key);
            let place = *literal.or_else(|| computed.get(key))?;
            Some(&self.models.poms[*ancestor].1.managed[place])
        })
    }

    /// The computed entries of each ancestor, as `index` resolves them.
    fn computed_positions(&self, index: usize) -> &[Rc<EntryPositions>] {
        self.readings[index].get_or_init(|| {
            let lineage = self.models.lineage(index).iter();
            lineage.map(|ancestor| self.interpolate_keys(index, *ancestor)).collect()
        })
    }

    /// The computed entries of `ancestor`, with the expressions of their keys filled for `index`.
    fn interpolate_keys(&self, index: usize, ancestor: usize) -> Rc<EntryPositions> {
        let entries = &self.entries[ancestor];
        let value = |name| self.models.resolve_expression(index, name, &mut Budget::default());
        let values = entries.names.iter().map(|name| value(name)).collect();
        let mut shared = self.shared_readings.borrow_mut();
        let places = shared.entry((ancestor, values)).or_insert_with(|| {
            let managed = &self.models.poms[ancestor].1.managed;
            let places = entries
                .computed
                .iter()
                .map(|place| (self.models.fill_expressions(index, &managed[*place].key()), *place));
            Rc::new(places.collect())
        });
        Rc::clone(places)
    }

    /// The BOMs of this repository that a POM or its parents import.
    fn imported_boms(&self, index: usize) -> &[usize] {
        self.imports[index].get_or_init(|| {
            let lineage = self.models.lineage(index).iter();
            let entries = lineage.flat_map(|ancestor| {
                let managed = &self.models.poms[*ancestor].1.managed;
                let places = self.entries[*ancestor].imports.iter();
                places.map(|place| &managed[*place])
            });
            let boms = entries.filter_map(|entry| {
                let name = self.models.fill_expressions(index, &entry.name());
                let version = self.models.fill_expressions(index, entry.version.as_ref()?);
                self.models.find_pom(index, &name, Some(&version))
            });
            boms.collect()
        })
    }
}

impl ManagedEntries {
    fn new(pom: &Pom) -> ManagedEntries {
        let mut entries = ManagedEntries::default();
        for (place, entry) in pom.managed.iter().enumerate() {
            let key = entry.key();
            if entry.scope.as_deref() == Some("import") {
                entries.imports.push(place);
            } else if has_placeholder(&key, PlaceholderSyntax::Braces) {
                entries.computed.push(place);
                let mut rest = key.as_str();
                while let Some((_, name, after)) =
                    split_at_placeholder(rest, PlaceholderSyntax::Braces)
                {
                    entries.names.insert(name.to_string());
                    rest = after;
                }
            } else {
                entries.literal.insert(key, place);
            }
        }
        entries
    }
}
