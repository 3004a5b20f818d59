//! The write-through replica of a collection. Writes go to it first, so that the local file never
//! claims more than the replica has. Files on which the two differ are read again.
//!
//! If a write to the replica fails, the build fails, and the local file stays as it was. The next
//! build finds the difference and repairs it.

use std::collections::BTreeSet;

use crate::indexing::IndexError;
use crate::indexing::{CodeBuild, index_settings};
use kenning_model::BuildMode;
use kenning_model::RepoPath;
use kenning_store::StoreError;
use kenning_store::backends::{Backend, CollectionInfo, CollectionWriter, WriterStart};
use kenning_store::code::{Changes, PreviousIndex};

/// Write-through replica on a remote backend; empty for local collections.
#[derive(Default)]
pub struct Replica {
    writer: Option<Box<dyn CollectionWriter>>,
    /// Files that the replica has and the local index does not know.
    strays: BTreeSet<RepoPath>,
}

impl Replica {
    /// Opens the replica. Drops from `known` each file that the replica lacks or has with another
    /// hash, so that the build reads it again.
    pub fn open(build: &CodeBuild, known: &mut PreviousIndex) -> Result<Replica, IndexError> {
        let Some(target) = &build.replica else {
            return Ok(Replica::default());
        };
        let begin = match build.mode {
            BuildMode::Incremental => WriterStart::Update,
            BuildMode::Fresh => WriterStart::Rebuild,
        };
        let settings = index_settings(build.embedder);
        let entry = registry_entry(target.backend, &target.collection)?;
        let mut writer = target.backend.write(&entry, &settings, begin)?;
        let mut there = writer.known_files()?;
        known.files.retain(|file| there.remove(&file.stamp.path) == Some(file.hash));
        Ok(Replica { writer: Some(writer), strays: there.into_keys().collect() })
    }

    /// Removes the strays. Call it after all other changes: a file that is still a stray then no
    /// longer exists.
    pub fn remove_strays(&mut self) -> Result<(), StoreError> {
        let removed: Vec<RepoPath> = std::mem::take(&mut self.strays).into_iter().collect();
        if removed.is_empty() {
            return Ok(());
        }
        self.apply(&Changes { removed, ..Changes::default() })
    }

    /// Writes a batch to the replica. A file that is written is no stray any more.
    pub fn apply(&mut self, changes: &Changes) -> Result<(), StoreError> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        writer.apply(changes)?;
        for update in &changes.updated {
            self.strays.remove(&update.stamp.path);
        }
        Ok(())
    }

    /// Ends the session and makes its writes visible. Without a replica, it does nothing.
    pub fn publish(&mut self) -> Result<(), StoreError> {
        match self.writer.take() {
            Some(writer) => writer.publish(),
            None => Ok(()),
        }
    }
}

/// Returns the entry of the collection for the registry of the backend. Without an address in the
/// settings, the stored one stays: every question updates the index, and few processes of an
/// indexer know the address of its server. The address of another root does not count.
fn registry_entry(
    backend: &dyn Backend,
    collection: &CollectionInfo,
) -> Result<CollectionInfo, StoreError> {
    let mut entry = collection.clone();
    if entry.advertised_url.is_none() {
        let mut stored = backend.collections()?.into_iter();
        let same = stored.find(|one| one.name == entry.name && one.root == entry.root);
        entry.advertised_url = same.and_then(|one| one.advertised_url);
    }
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_store::backends::{CollectionReader, ServerInfo};
    use kenning_store::code::IndexSettings;

    /// A backend that has a registry and nothing else.
    struct Registry(Vec<CollectionInfo>);

    impl Backend for Registry {
        fn server_info(&self) -> Result<ServerInfo, StoreError> {
            Ok(ServerInfo::default())
        }

        fn collections(&self) -> Result<Vec<CollectionInfo>, StoreError> {
            Ok(self.0.clone())
        }

        fn open(&self, name: &str) -> Result<Box<dyn CollectionReader>, StoreError> {
            Err(StoreError::Unknown { name: name.to_string() })
        }

        fn write(
            &self,
            entry: &CollectionInfo,
            _: &IndexSettings,
            _: WriterStart,
        ) -> Result<Box<dyn CollectionWriter>, StoreError> {
            Err(StoreError::Unknown { name: entry.name.clone() })
        }

        fn remove(&self, _: &str) -> Result<(), StoreError> {
            Ok(())
        }
    }

    fn info(root: &str, url: Option<&str>) -> CollectionInfo {
        CollectionInfo {
            name: "app".to_string(),
            root: root.to_string(),
            advertised_url: url.map(str::to_string),
        }
    }

    #[test]
    fn an_address_stays_until_another_one_is_set() {
        let registry = Registry(vec![info("/app", Some("http://one:1"))]);
        for (written, stored) in [
            (info("/app", None), Some("http://one:1")),
            (info("/app", Some("http://two:2")), Some("http://two:2")),
            (info("/elsewhere", None), None),
        ] {
            let entry = registry_entry(&registry, &written).unwrap();
            assert_eq!(entry, info(&written.root, stored));
        }
    }
}
