//! Watches of repositories. Each brings its index up to date after a quiet moment that follows a
//! change.
//!
//! A watch has its own engine, because settings belong to a root. At most one index run is active
//! per watch; events during a run lead to one more run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use super::{Engine, EngineError, IndexRequest, Target, rules_from_settings};
use crate::indexing::{self, IndexError};
use kenning_model::{Progress, RepoPath};
use kenning_source::{self as source, Mode, Watch, WatchMethod, WatchSettings};

/// The running watches, by root.
///
/// The lock is never held during an index run.
pub type RunningWatches = Mutex<BTreeMap<PathBuf, RootWatch>>;

/// The watches of a server: one for each root that it was asked about, for its whole life.
///
/// They save questions the time of an update. Questions check the tree all the same, so a lost
/// event does no harm. They are separate from the watches that users start and stop.
#[derive(Default)]
pub struct ServerWatches {
    /// True in a server whose `index.watch` is on.
    is_on: AtomicBool,
    /// `None` while a watch is being set up, and after it failed.
    by_root: Arc<Mutex<BTreeMap<PathBuf, Option<RootWatch>>>>,
}

/// The most roots that a server watches by itself. A watch needs one handle for each folder, and
/// the system has a limited number.
const MAX_SERVER_WATCHES: usize = 8;

/// The quiet time before a run. A checkout of another branch counts as one change, and users do not
/// notice the delay.
const DEBOUNCE: Duration = Duration::from_millis(300);
/// The polling interval where the system sends no events.
const POLL_EVERY: Duration = Duration::from_secs(5);

/// One watch. Dropping it ends it, between two batches of an index run if one is active.
pub struct RootWatch {
    context: Arc<WatchContext>,
    watch: Watch,
    first_run: Option<JoinHandle<()>>,
}

/// Shared by the watch thread, the first run, and status requests.
struct WatchContext {
    engine: Engine,
    root: PathBuf,
    is_stopped: AtomicBool,
    /// The lock that allows one run at a time.
    run_lock: Mutex<()>,
    state: Mutex<WatchState>,
}

/// The totals of a watch so far.
#[derive(Clone, Debug, Default)]
pub struct WatchState {
    pub is_indexing: bool,
    pub runs: usize,
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    pub errors: usize,
    pub last_error: Option<String>,
    pub last_run: Option<SystemTime>,
}

/// The status of a watch, for reports.
pub struct WatchStatus {
    pub state: WatchState,
    pub mode: Mode,
}

/// The result of a request to watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchStart {
    Started,
    AlreadyRunning,
}

impl Engine {
    /// Watches a repository until stopped. A first run in the background catches up with earlier
    /// changes, or indexes a new repository.
    ///
    /// It returns as soon as the watch is set up, before the first run ends. Broad roots are
    /// rejected.
    pub fn watch(&self, root: &Path) -> Result<WatchStart, EngineError> {
        self.check_confinement(root)?;
        let root = resolve_root(root)?;
        let mut running = self.lock_watches();
        if running.contains_key(&root) {
            return Ok(WatchStart::AlreadyRunning);
        }
        self.check_breadth(&root)?;
        let mut engine = Engine::new(self.config.for_root(&root)?, Target::Root(root.clone()));
        engine.allowed_roots = self.allowed_roots.clone();
        let watching = RootWatch::start(engine, &root)?;
        self.drop_server_watch(&root);
        running.insert(root, watching);
        Ok(WatchStart::Started)
    }

    /// Watches repositories by itself from now on: the root of this server if it is indexed, and
    /// other roots once they are asked about.
    pub fn watch_while_serving(&self) {
        if self.config.text("index.watch") != Some("on") {
            return;
        }
        self.server_watches.is_on.store(true, Ordering::Relaxed);
        if let Ok(collection) = self.code_collection(None)
            && collection.has_code()
        {
            self.watch_if_serving(&collection.root);
        }
    }

    /// Watches a root in the background, if this is a server and the root is not yet watched.
    ///
    /// Where the system sends no events, there is no watch: polling a tree costs more than it
    /// saves.
    pub(super) fn watch_if_serving(&self, root: &Path) {
        let watches = &self.server_watches;
        if !watches.is_on.load(Ordering::Relaxed) {
            return;
        }
        let mut by_root = watches.by_root.lock().unwrap_or_else(PoisonError::into_inner);
        if by_root.contains_key(root)
            || by_root.len() >= MAX_SERVER_WATCHES
            || self.lock_watches().contains_key(root)
        {
            return;
        }
        let Ok(config) = self.config.for_root(root) else { return };
        let mut engine = Engine::new(config, Target::Root(root.to_path_buf()));
        engine.allowed_roots = self.allowed_roots.clone();
        by_root.insert(root.to_path_buf(), None);
        let (root, by_root) = (root.to_path_buf(), watches.by_root.clone());
        let set_up = move || match RootWatch::start(engine, &root) {
            Ok(watch) if watch.watch.mode() == Mode::Events => {
                tracing::info!("watching {}; index.watch turns it off", root.display());
                let mut by_root = by_root.lock().unwrap_or_else(PoisonError::into_inner);
                by_root.insert(root, Some(watch));
            }
            Ok(_) => tracing::info!("{} is not watched: no events there", root.display()),
            Err(error) => tracing::warn!("{} is not watched: {error}", root.display()),
        };
        // Without a thread there is no watch, and questions check the tree as always.
        let _ = std::thread::Builder::new().name("set up a watch".to_string()).spawn(set_up);
    }

    /// True if this server watches the root by itself.
    pub fn is_watched_by_server(&self, root: &Path) -> bool {
        let by_root = self.server_watches.by_root.lock().unwrap_or_else(PoisonError::into_inner);
        by_root.get(root).is_some_and(Option::is_some)
    }

    /// Stops a watch and returns its last state; `None` if there was none.
    pub fn unwatch(&self, root: &Path) -> Result<Option<WatchState>, EngineError> {
        let root = resolve_root(root)?;
        // Dropped outside of the lock, because it may wait for the current batch to be stored.
        let ended = self.lock_watches().remove(&root);
        Ok(ended.map(|watching| watching.context.state()))
    }

    /// Returns the status of a watch; `None` if the root is not watched.
    pub fn watch_status(&self, root: &Path) -> Result<Option<WatchStatus>, EngineError> {
        let root = resolve_root(root)?;
        let running = self.lock_watches();
        Ok(running.get(&root).map(|watching| WatchStatus {
            state: watching.context.state(),
            mode: watching.watch.mode(),
        }))
    }

    /// Ends the watch of a server for a root, because the user starts one or forgets the root.
    pub(super) fn drop_server_watch(&self, root: &Path) {
        let by_root = self.server_watches.by_root.lock();
        // Dropped outside of the lock, because it may wait for a batch to be stored.
        let ended = by_root.unwrap_or_else(PoisonError::into_inner).remove(root);
        drop(ended);
    }

    /// Locks the map of watches.
    fn lock_watches(&self) -> MutexGuard<'_, BTreeMap<PathBuf, RootWatch>> {
        self.watches.lock().expect("no holder panics")
    }
}

/// Returns the real path of a root. A root that was deleted while it was watched keeps its name.
fn resolve_root(root: &Path) -> Result<PathBuf, EngineError> {
    source::real_path_or_gone(root)
        .map_err(|source| EngineError::Index(IndexError::Root { path: root.to_path_buf(), source }))
}

impl RootWatch {
    /// The watch starts before the first run, so that no change between the two is lost.
    fn start(engine: Engine, root: &Path) -> Result<RootWatch, EngineError> {
        let failed =
            |source| EngineError::Index(IndexError::Root { path: root.to_path_buf(), source });
        source::check_directory(root).map_err(failed)?;
        let shared = Arc::new(WatchContext {
            engine,
            root: root.to_path_buf(),
            is_stopped: AtomicBool::new(false),
            run_lock: Mutex::default(),
            state: Mutex::default(),
        });
        let runner = shared.clone();
        let settings = WatchSettings {
            debounce: DEBOUNCE,
            poll_every: POLL_EVERY,
            method: WatchMethod::Events,
        };
        let watch = Watch::start(shared.targets(), settings, move |_| {
            // A failed run has not walked the whole tree.
            Some(runner.run_index().unwrap_or_else(|| runner.targets()))
        })
        .map_err(failed)?;
        let runner = shared.clone();
        let first_run =
            std::thread::Builder::new().name("first run".to_string()).spawn(move || {
                runner.run_index();
            });
        Ok(RootWatch { context: shared, watch, first_run: Some(first_run.map_err(failed)?) })
    }
}

impl Drop for RootWatch {
    fn drop(&mut self) {
        self.context.is_stopped.store(true, Ordering::Relaxed);
        if let Some(first_run) = self.first_run.take() {
            let _ = first_run.join();
        }
    }
}

impl WatchContext {
    fn state(&self) -> WatchState {
        self.lock().clone()
    }

    /// A run that panicked leaves counts that are still usable, so poisoning is ignored.
    fn lock(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings the index up to date, and returns the folders to watch from now on. An error is
    /// stored for the status; the next change tries again.
    fn run_index(&self) -> Option<Vec<source::WatchTarget>> {
        let _turn = self.run_lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.lock().is_indexing = true;
        let outcome = self.engine.index(&IndexRequest::update(&self.root), self);
        let mut state = self.lock();
        state.is_indexing = false;
        state.runs += 1;
        state.last_run = Some(SystemTime::now());
        match outcome {
            Ok(indexed) => {
                state.added += indexed.code.added;
                state.changed += indexed.code.changed;
                state.removed += indexed.code.removed;
                state.last_error = None;
                return Some(self.folder_targets(&indexed.directories));
            }
            Err(_) if self.is_stopped.load(Ordering::Relaxed) => {}
            Err(error) => {
                tracing::warn!("watching {}: {error}", self.root.display());
                state.errors += 1;
                state.last_error = Some(error.to_string());
            }
        }
        None
    }

    /// Returns the directories with indexed files, or that may get some, each without its
    /// subdirectories. Ignored and vendored ones are not watched.
    fn targets(&self) -> Vec<source::WatchTarget> {
        let rules = rules_from_settings::code_rules(self.engine.config());
        let survey =
            source::survey_one(&self.root, indexing::code_walk_filter(&rules), &rules.bounds, self);
        // The index run reports a tree that cannot be walked.
        self.folder_targets(&survey.unwrap_or_default().directories)
    }

    /// Returns watch targets for the root and the directories below it.
    fn folder_targets(&self, below: &[RepoPath]) -> Vec<source::WatchTarget> {
        let below = below.iter().map(|directory| self.root.join(directory.as_str()));
        let all = std::iter::once(self.root.clone()).chain(below);
        all.map(source::WatchTarget::folder).collect()
    }
}

/// Cancels a run when its watch ends.
impl Progress for WatchContext {
    fn report(&self, _stage: &str, _done: usize, _total: Option<usize>) {}

    fn is_cancelled(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}
