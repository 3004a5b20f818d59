//! The server beside the file. It is told first, so that the file never claims what the server does not
//! have; what the two do not agree on is read again.

use std::collections::BTreeSet;

use super::{Build, settings};
use crate::index::{IndexError, Mode};
use crate::model::RepoPath;
use crate::store::StoreError;
use crate::store::backends::{Begin, CollectionWriter};
use crate::store::code::{Changes, PreviousIndex};

/// A collection on a server that is being told, or nobody.
#[derive(Default)]
pub struct Mirrored {
    intake: Option<Box<dyn CollectionWriter>>,
    /// Files that the server has and this machine does not know.
    strays: BTreeSet<RepoPath>,
}

impl Mirrored {
    /// Of what is known, only what the server has too stays known.
    pub fn open(build: &Build, known: &mut PreviousIndex) -> Result<Mirrored, IndexError> {
        let Some(mirror) = &build.mirror else {
            return Ok(Mirrored::default());
        };
        let begin = match build.mode {
            Mode::Incremental => Begin::Update,
            Mode::Fresh => Begin::Anew,
        };
        let settings = settings(build.embedder);
        let mut intake = mirror.backend.write(&mirror.card, &settings, begin)?;
        let mut there = intake.known()?;
        known.files.retain(|file| there.remove(&file.stamp.path) == Some(file.hash));
        Ok(Mirrored { intake: Some(intake), strays: there.into_keys().collect() })
    }

    /// To be called when everything else was told: what is stray then is nowhere any more.
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
