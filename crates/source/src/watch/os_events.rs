//! Watching by events of the operating system, through the `notify` crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use notify::event::{EventKind, ModifyKind};
use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{
    DebounceEventResult, DebouncedEvent, Debouncer, NoCache, new_debouncer_opt,
};

use super::Batch;
use super::watched_directories::{Reach, TargetLookup, WatchTarget, directories_to_watch};

/// The active watches.
pub struct Events {
    debouncer: Debouncer<RecommendedWatcher, NoCache>,
    /// The directories that are watched, with how far.
    active: BTreeMap<PathBuf, Reach>,
    is_begun: bool,
}

impl Events {
    /// Starts without any watch. `on_events` runs on a thread of the debouncer.
    pub fn open(
        debounce: Duration,
        on_events: impl FnMut(DebounceEventResult) + Send + 'static,
    ) -> notify::Result<Events> {
        let config = Config::default().with_follow_symlinks(false);
        let debouncer = new_debouncer_opt(debounce, None, on_events, NoCache::new(), config)?;
        Ok(Events { debouncer, active: BTreeMap::new(), is_begun: false })
    }

    /// Collects the changes to the targets that the events report. A watched directory that was
    /// made, removed or renamed is dropped here, so that [`Events::adjust_watches`] watches it again.
    pub fn collect_changes(&mut self, events: &[DebouncedEvent], targets: &[WatchTarget]) -> Batch {
        let mut batch = Batch::default();
        if events.is_empty() {
            return batch;
        }
        let lookup = TargetLookup::new(targets);
        for event in events.iter().filter(|event| is_change(&event.kind)) {
            batch.is_incomplete |= event.need_rescan();
            for path in &event.paths {
                let is_in_place = matches!(event.kind, EventKind::Modify(ModifyKind::Metadata(_)));
                if !is_in_place && self.active.remove(path).is_some() {
                    let _ = self.debouncer.unwatch(path);
                }
                if lookup.covers(path) {
                    batch.paths.push(path.clone());
                }
            }
        }
        batch
    }

    /// Starts and stops watching as the targets require. Returns targets that were created since
    /// the last call: earlier events in them are lost.
    pub fn adjust_watches(&mut self, targets: &[WatchTarget]) -> notify::Result<Vec<PathBuf>> {
        let wanted = directories_to_watch(targets);
        let superfluous: Vec<PathBuf> = self.active.keys().cloned().collect();
        for path in superfluous {
            if wanted.get(&path) != self.active.get(&path) {
                self.active.remove(&path);
                let _ = self.debouncer.unwatch(&path);
            }
        }
        let lookup = TargetLookup::new(targets);
        let mut fresh = BTreeSet::new();
        for (path, reach) in wanted {
            if self.active.contains_key(&path) {
                continue;
            }
            let mode = match reach {
                Reach::Folder => RecursiveMode::NonRecursive,
                Reach::Tree => RecursiveMode::Recursive,
            };
            match self.debouncer.watch(&path, mode) {
                Ok(()) => {
                    // The first time, nothing is: and all that is watched lies below the root.
                    if self.is_begun {
                        fresh.extend(lookup.targets_below(&path).map(PathBuf::from));
                    }
                    self.active.insert(path, reach);
                }
                Err(error) if is_exhausted(&error) => return Err(error),
                // It may be gone again, or closed to us: the next time tells.
                Err(error) => tracing::debug!("{}: {error}", path.display()),
            }
        }
        self.is_begun = true;
        Ok(fresh.into_iter().filter(|path| path.is_dir()).collect())
    }
}

/// True for events that change something. Access events do not, and our own reading causes them.
fn is_change(kind: &EventKind) -> bool {
    !matches!(kind, EventKind::Access(_))
}

/// True if the system refuses more watches altogether.
fn is_exhausted(error: &notify::Error) -> bool {
    const TOO_MANY_OPEN_FILES: i32 = 24;
    match &error.kind {
        ErrorKind::MaxFilesWatch => true,
        ErrorKind::Io(io) => io.raw_os_error() == Some(TOO_MANY_OPEN_FILES),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_system_are_told_from_other_failures() {
        let exhausted = notify::Error::new(ErrorKind::MaxFilesWatch);
        let instances = notify::Error::io(std::io::Error::from_raw_os_error(24));
        let denied = notify::Error::io(std::io::Error::from_raw_os_error(13));
        assert!(is_exhausted(&exhausted) && is_exhausted(&instances));
        assert!(!is_exhausted(&denied) && !is_exhausted(&notify::Error::path_not_found()));
    }
}
