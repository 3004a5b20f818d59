//! The write-through replica of a collection. Writes go to it first, so that the local file never
//! claims more than the replica has. Files on which the two differ are read again.

use std::collections::BTreeSet;

use crate::indexing::IndexError;
use crate::indexing::{Build, settings};
use kenning_model::BuildMode;
use kenning_model::RepoPath;
use kenning_store::StoreError;
use kenning_store::backends::{Begin, CollectionWriter};
use kenning_store::code::{Changes, PreviousIndex};

/// Write-through replica on a remote backend; empty for local collections.
#[derive(Default)]
pub struct Mirrored {
    intake: Option<Box<dyn CollectionWriter>>,
    /// Files that the replica has and the local index does not know.
    strays: BTreeSet<RepoPath>,
}

impl Mirrored {
    /// Opens the replica. Drops from `known` each file that the replica lacks or has with another
    /// hash, so that the build reads it again.
    pub fn open(build: &Build, known: &mut PreviousIndex) -> Result<Mirrored, IndexError> {
        let Some(mirror) = &build.mirror else {
            return Ok(Mirrored::default());
        };
        let begin = match build.mode {
            BuildMode::Incremental => Begin::Update,
            BuildMode::Fresh => Begin::Rebuild,
        };
        let settings = settings(build.embedder);
        let mut intake = mirror.backend.write(&mirror.card, &settings, begin)?;
        let mut there = intake.known_files()?;
        known.files.retain(|file| there.remove(&file.stamp.path) == Some(file.hash));
        Ok(Mirrored { intake: Some(intake), strays: there.into_keys().collect() })
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

    pub fn apply(&mut self, changes: &Changes) -> Result<(), StoreError> {
        let Some(intake) = &mut self.intake else {
            return Ok(());
        };
        intake.apply(changes)?;
        for update in &changes.updated {
            self.strays.remove(&update.stamp.path);
        }
        Ok(())
    }

    pub fn publish(&mut self) -> Result<(), StoreError> {
        match self.intake.take() {
            Some(intake) => intake.publish(),
            None => Ok(()),
        }
    }
}
