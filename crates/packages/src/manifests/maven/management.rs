//! Managed dependencies: the entries of `<dependencyManagement>`, inherited and imported. BOMs
//! outside of the repository count as empty.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::super::interpolate::{Budget, PlaceholderSyntax, has_placeholder, split_at_placeholder};
use super::effective_pom::EffectivePoms;
use super::pom::{Pom, PomDependency};

/// The managed dependencies of every POM of the repository.
pub struct DependencyManagement<'a> {
    models: &'a EffectivePoms<'a>,
    entries: Vec<ManagedEntries>,
    /// For each POM its ancestors' computed entries as it reads them, in the order of its lineage.
    readings: Vec<OnceCell<Vec<Rc<EntryPositions>>>>,
    shared_readings: RefCell<HashMap<InterpolationKey, Rc<EntryPositions>>>,
    /// For each POM the BOMs that it imports, in the order in which they count.
    imports: Vec<OnceCell<Vec<usize>>>,
}

/// Where in `Pom::managed` the entry for a key is.
type EntryPositions = HashMap<String, usize>;

/// A POM with computed entries, and what the names in them stand for. Thousands of modules inherit
/// from one parent, and nearly all agree on what `${project.groupId}` is there.
type InterpolationKey = (usize, Vec<Option<String>>);

/// The managed dependencies of one POM.
#[derive(Default)]
struct ManagedEntries {
    literal: EntryPositions,
    /// Those whose key contains an expression.
    computed: Vec<usize>,
    /// The names in those expressions.
    names: BTreeSet<String>,
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

    /// The managed entry for a key, and the POM in whose words it is written: the POM itself for
    /// what it declares or inherits, the BOM for what it imports.
    pub fn find_entry(&self, index: usize, key: &str) -> Option<(usize, &'a PomDependency)> {
        // Each BOM counts with its own entries before its own imports, and once: a stack of what
        // is still to be asked keeps that order without recursion.
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

    fn find_declared_entry(&self, index: usize, key: &str) -> Option<&'a PomDependency> {
        let lineage = self.models.lineage(index).iter();
        let mut lineage = lineage.zip(self.computed_positions(index));
        lineage.find_map(|(ancestor, computed)| {
            let literal = self.entries[*ancestor].literal.get(key);
            let place = *literal.or_else(|| computed.get(key))?;
            Some(&self.models.poms[*ancestor].1.managed[place])
        })
    }

    fn computed_positions(&self, index: usize) -> &[Rc<EntryPositions>] {
        self.readings[index].get_or_init(|| {
            let lineage = self.models.lineage(index).iter();
            lineage.map(|ancestor| self.interpolate_keys(index, *ancestor)).collect()
        })
    }

    /// The computed entries of `ancestor` as `index` reads them.
    fn interpolate_keys(&self, index: usize, ancestor: usize) -> Rc<EntryPositions> {
        let entries = &self.entries[ancestor];
        let value = |name| self.models.resolve_expression(index, name, &mut Budget::default());
        let values = entries.names.iter().map(|name| value(name)).collect();
        let mut shared = self.shared_readings.borrow_mut();
        let places = shared.entry((ancestor, values)).or_insert_with(|| {
            let managed = &self.models.poms[ancestor].1.managed;
            let places = entries.computed.iter();
            let places = places
                .map(|place| (self.models.fill_expressions(index, &managed[*place].key()), *place));
            Rc::new(places.collect())
        });
        Rc::clone(places)
    }

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
