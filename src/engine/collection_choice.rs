//! Chooses the collection that a query is about, for local and remote collections by one rule.
//!
//! An address is a name or a path, and the first collection that matches either wins. Without an
//! address, the collection of the target's root is chosen, else the only one that exists.

use std::path::{Path, PathBuf};

use super::{Engine, Target};
use kenning_source as source;
use kenning_store::{Collection, Collections};

/// Collections to choose from.
pub(super) trait KnownCollections {
    fn list_all(&self) -> Vec<Collection>;

    fn find_root(&self, root: &Path) -> Option<Collection>;
}

impl KnownCollections for Collections {
    fn list_all(&self) -> Vec<Collection> {
        self.all()
    }

    /// Opens the folder of that root without listing the others.
    fn find_root(&self, root: &Path) -> Option<Collection> {
        self.find_by_root(root)
    }
}

impl KnownCollections for [Collection] {
    fn list_all(&self) -> Vec<Collection> {
        self.to_vec()
    }

    fn find_root(&self, root: &Path) -> Option<Collection> {
        self.iter().find(|one| one.root == root).cloned()
    }
}

/// The reason why no collection was chosen. Callers word the error.
pub(super) enum NoCollection {
    /// No collection has the address as its name, or this path as its root.
    UnknownAddress { path: PathBuf },
    /// The root of the target has none, and there is not exactly one to take in its place.
    UnknownRoot { root: PathBuf },
}

impl Engine {
    pub(super) fn choose_collection(
        &self,
        known: &(impl KnownCollections + ?Sized),
        address: Option<&str>,
    ) -> Result<Collection, NoCollection> {
        if let Some(address) = address {
            let joined = self.base_directory().join(address);
            let path = source::real_path(&joined).unwrap_or(joined);
            let mut all = known.list_all().into_iter();
            let named = all.find(|one| one.is_called(address) || one.root == path);
            return named.ok_or(NoCollection::UnknownAddress { path });
        }
        let root: &Path = match &self.target {
            Target::Root(root) | Target::Nearest(root) => root,
            Target::Database(_) => self.config.root(),
        };
        if let Some(own) = known.find_root(root) {
            return Ok(own);
        }
        match known.list_all().as_slice() {
            [only] if self.can_use_only_index() => Ok(only.clone()),
            _ => Err(NoCollection::UnknownRoot { root: root.to_path_buf() }),
        }
    }
}
