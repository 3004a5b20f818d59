//! Freshness: an index is brought up to date before a question is answered from it.
//!
//! Every question checks the tree, so that no answer is silently old. The check runs on a thread of
//! its own with a time limit. If the limit passes, the question is answered from what is stored,
//! with a notice of how far behind that is, and the update goes on.
//!
//! Questions that arrive together share one check. A check counts for a question only if it started
//! after the question arrived: an edit made before the question is then always seen.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{CodeIndex, Engine, EngineError, IndexRequest, Target};
use crate::indexing::IndexError;
use kenning_model::{Progress, time_limit};
use kenning_store::Collection;

/// The updates of all roots that questions were about, by root.
pub(super) type RootUpdates = Mutex<HashMap<PathBuf, Arc<RootUpdate>>>;

/// The time after a failed update before a question tries again. A provider that does not answer
/// would otherwise delay every question.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The interval at which a waiting question looks for cancellation. It does not report the steps of
/// the update, because contracts fix the steps of some operations.
const POLL: Duration = Duration::from_millis(20);

/// The reason why an answer may be older than the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StaleReason {
    /// The time limit passed. The update goes on; this was its last step.
    Updating(Option<UpdateStep>),
    /// The update failed with this error.
    Failed(String),
}

/// A step of an update: a stage, and how much of it is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateStep {
    stage: String,
    done: usize,
    total: Option<usize>,
}

/// One sentence for the user.
impl fmt::Display for StaleReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StaleReason::Updating(None) => formatter.write_str(
                "the index may be behind the files: the comparison with them did not end in time \
                 and goes on",
            ),
            StaleReason::Updating(Some(UpdateStep { stage, done, total })) => {
                write!(formatter, "the index is behind the files; the update goes on ({stage}: ")?;
                match total {
                    Some(total) => write!(formatter, "{done} of {total})"),
                    None => write!(formatter, "{done} so far)"),
                }
            }
            StaleReason::Failed(error) => {
                write!(formatter, "the index could not be brought up to date: {error}")
            }
        }
    }
}

/// The update of one root. At most one thread runs it at a time.
pub(super) struct RootUpdate {
    /// Writes the index. It has the settings of its root, and lives as long as a run.
    engine: Engine,
    root: PathBuf,
    state: Mutex<UpdateState>,
    ended: Condvar,
}

/// Runs are numbered from 1.
#[derive(Default)]
struct UpdateState {
    /// The last run that started, and the last one that ended. They differ during a run.
    started: u64,
    ended: u64,
    /// The time when the last run started.
    started_at: Option<Instant>,
    /// The last step of the current run.
    step: Option<UpdateStep>,
    /// True if a question gave up waiting for the current run. Later ones do not wait for it.
    is_overdue: bool,
    /// The time and the error of the last run, if it failed.
    failure: Option<(Instant, String)>,
}

impl Engine {
    /// Returns the index that a question is about, as its tree was at `since` or later.
    ///
    /// If the update takes too long or fails, the index says so; see [`CodeIndex::stale_reason`]. A
    /// repository without an index is indexed first if `index.on_demand` is on, unless it is another
    /// one than that of this engine.
    pub fn fresh_code(
        &self,
        address: Option<&str>,
        since: Instant,
        progress: &dyn Progress,
    ) -> Result<Arc<CodeIndex>, EngineError> {
        let behind = match self.local_collection(address) {
            Some(collection) => self.update_within_limit(&collection, since, progress)?,
            None => None,
        };
        let index = match self.code(address) {
            Err(EngineError::NoCodeIndex { path })
                if self.indexes_on_demand() && path == self.config.root() =>
            {
                self.index_on_demand(&path, progress)?;
                self.code(address)
            }
            found => found,
        }?;
        index.set_stale_reason(behind);
        Ok(index)
    }

    /// Brings everything that is indexed of the question's root up to date: packages, code, specs.
    /// Returns the reason if that did not succeed.
    ///
    /// A root that is not indexed stays so, unless `index.on_demand` is on.
    pub fn refresh(
        &self,
        since: Instant,
        progress: &dyn Progress,
    ) -> Result<Option<StaleReason>, EngineError> {
        if self.local_collection(None).is_some() {
            return self.refresh_indexed(since, progress);
        }
        let root = match &self.target {
            Target::Root(root) | Target::Nearest(root) => root,
            Target::Database(_) => return Ok(None),
        };
        if self.indexes_on_demand() {
            self.index_on_demand(root, progress)?;
        }
        Ok(None)
    }

    /// Brings the index of the question's root up to date if there is one, and creates none.
    pub fn refresh_indexed(
        &self,
        since: Instant,
        progress: &dyn Progress,
    ) -> Result<Option<StaleReason>, EngineError> {
        match self.local_collection(None) {
            Some(collection) => self.update_within_limit(&collection, since, progress),
            None => Ok(None),
        }
    }

    /// Brings the index of this engine's root up to date if there is one, without a time limit.
    pub fn update_existing_index(&self, progress: &dyn Progress) -> Result<(), EngineError> {
        let root = self.config.root();
        let collections = self.collections();
        if collections.is_some_and(|all| all.find_by_root(root).is_some()) {
            self.index(&IndexRequest::update(root), progress)?;
        }
        Ok(())
    }

    /// Indexes a repository because a question is about it. The time limit of the question does
    /// not count this: the first run of a large repository takes minutes.
    fn index_on_demand(&self, root: &Path, progress: &dyn Progress) -> Result<(), EngineError> {
        let run = || self.index(&IndexRequest::update(root), progress);
        time_limit::run_unlimited(run).map(|_| ())
    }

    /// True if a question about a repository without an index indexes it first.
    pub fn indexes_on_demand(&self) -> bool {
        match self.config.text("index.on_demand") {
            Some(text) => text == "on",
            None => self.on_demand_by_default,
        }
    }

    /// Returns the collection on this machine that a question is about. `None` if there is none, if
    /// its tree is on another machine, or if the question is about a given database.
    fn local_collection(&self, address: Option<&str>) -> Option<Collection> {
        if address.is_none() && matches!(self.target, Target::Database(_)) {
            return None;
        }
        let collection = self.code_collection(address).ok()?;
        collection.has_code().then_some(collection)
    }

    /// Waits for an update of the collection that starts at `since` or later, at most for the time
    /// limit.
    fn update_within_limit(
        &self,
        collection: &Collection,
        since: Instant,
        progress: &dyn Progress,
    ) -> Result<Option<StaleReason>, EngineError> {
        let limit = self.refresh_limit();
        if limit.is_zero() {
            return Ok(None);
        }
        self.watch_if_serving(&collection.root);
        match self.root_update(&collection.root) {
            Ok(update) => {
                let reason = update.wait(since, limit, progress)?;
                Ok(reason.map(|reason| self.hide_folders_of_reason(reason)))
            }
            // A broken settings file stops index runs, and no question.
            Err(error) => {
                let reason = StaleReason::Failed(error.to_string());
                Ok(Some(self.hide_folders_of_reason(reason)))
            }
        }
    }

    /// Hides the user's folders in the error of an update, which becomes a notice of the answer.
    fn hide_folders_of_reason(&self, reason: StaleReason) -> StaleReason {
        match reason {
            StaleReason::Failed(error) => {
                StaleReason::Failed(self.hide_user_folders(&error).into_owned())
            }
            updating => updating,
        }
    }

    /// The longest time that a question waits for an update; zero turns updates off.
    pub(super) fn refresh_limit(&self) -> Duration {
        Duration::from_millis(self.config.number("index.refresh_ms").unwrap_or(0))
    }

    /// Returns the update of a root, which all questions share.
    fn root_update(&self, root: &Path) -> Result<Arc<RootUpdate>, EngineError> {
        let mut updates = self.updates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = updates.get(root) {
            return Ok(known.clone());
        }
        let mut engine = Engine::new(self.config.for_root(root)?, Target::Root(root.to_path_buf()));
        engine.allowed_roots = self.allowed_roots.clone();
        let update = Arc::new(RootUpdate {
            engine,
            root: root.to_path_buf(),
            state: Mutex::default(),
            ended: Condvar::new(),
        });
        updates.insert(root.to_path_buf(), update.clone());
        Ok(update)
    }

    /// Returns the roots whose update is still running, because it takes longer than a question
    /// waits.
    pub fn roots_with_unfinished_updates(&self) -> Vec<PathBuf> {
        let updates = self.updates.lock().unwrap_or_else(PoisonError::into_inner);
        let unfinished = updates.values().filter(|update| update.lock().is_running());
        unfinished.map(|update| update.root.clone()).collect()
    }
}

impl UpdateState {
    fn is_running(&self) -> bool {
        self.started > self.ended
    }

    /// Returns the first run that started at `since` or later; it may be one that has to be started.
    fn first_run_since(&self, since: Instant) -> u64 {
        let counts = self.started_at.is_some_and(|started| started >= since);
        if counts { self.started } else { self.started + 1 }
    }
}

impl RootUpdate {
    fn lock(&self) -> MutexGuard<'_, UpdateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a run that started at `since` or later has ended, and starts one if none is
    /// running.
    fn wait(
        self: &Arc<RootUpdate>,
        since: Instant,
        limit: Duration,
        progress: &dyn Progress,
    ) -> Result<Option<StaleReason>, EngineError> {
        let arrived = Instant::now();
        let mut state = self.lock();
        if let Some((time, error)) = &state.failure
            && time.elapsed() < RETRY_AFTER
        {
            return Ok(Some(StaleReason::Failed(error.clone())));
        }
        let wanted = state.first_run_since(since);
        while state.ended < wanted {
            if !state.is_running() {
                self.start(&mut state)?;
            }
            if state.is_overdue || arrived.elapsed() >= limit {
                state.is_overdue = true;
                return Ok(Some(StaleReason::Updating(state.step.clone())));
            }
            if progress.is_cancelled() {
                return Err(EngineError::Index(IndexError::Cancelled));
            }
            let waited = self.ended.wait_timeout(state, POLL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(state.failure.as_ref().map(|(_, error)| StaleReason::Failed(error.clone())))
    }

    /// Starts a run on a thread of its own, so that it can outlive the question.
    fn start(self: &Arc<RootUpdate>, state: &mut UpdateState) -> Result<(), EngineError> {
        let update = self.clone();
        let run = move || {
            let mut ending = RunEnding { update: &update, failure: Some("it ended early".into()) };
            let outcome = update.engine.index(&IndexRequest::update(&update.root), &*update);
            ending.failure = outcome.err().map(|error| error.to_string());
        };
        std::thread::Builder::new().name("index update".to_string()).spawn(run).map_err(
            |source| EngineError::Index(IndexError::Root { path: self.root.clone(), source }),
        )?;
        state.started += 1;
        state.started_at = Some(Instant::now());
        state.step = None;
        state.is_overdue = false;
        Ok(())
    }
}

/// Marks a run as ended when it is dropped, also if the run panicked.
struct RunEnding<'u> {
    update: &'u RootUpdate,
    failure: Option<String>,
}

impl Drop for RunEnding<'_> {
    fn drop(&mut self) {
        let mut state = self.update.lock();
        if let Some(error) = &self.failure {
            tracing::warn!("updating the index of {}: {error}", self.update.root.display());
        }
        state.failure = self.failure.take().map(|error| (Instant::now(), error));
        state.ended = state.started;
        state.is_overdue = false;
        drop(state);
        self.update.ended.notify_all();
    }
}

/// Keeps the last step, for waiting questions and for notices.
impl Progress for RootUpdate {
    fn report(&self, stage: &str, done: usize, total: Option<usize>) {
        self.lock().step = Some(UpdateStep { stage: stage.to_string(), done, total });
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

impl CodeIndex {
    /// The reason why the index may be older than the tree; `None` if the last check found or made
    /// it current.
    pub fn stale_reason(&self) -> Option<StaleReason> {
        self.behind.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_stale_reason(&self, behind: Option<StaleReason>) {
        *self.behind.lock().unwrap_or_else(PoisonError::into_inner) = behind;
    }
}
