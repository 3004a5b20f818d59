//! Runs one operation for a request, on a thread of its own and a bounded number at a time.
//! Progress never delays the work, and a panic becomes an error like any other.
//!
//! The servers are async and the core is not. This is the only bridge between them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::shutdown::Stop;
use crate::engine::Engine;
use crate::ops::{Call, ErrorKind, OpEffect, OpEntry, OpError, Progress, Reply};
use kenning_model::time_limit::{self, TimeLimit};

/// The number of queries that run at once; more wait for a slot.
pub const MAX_QUERIES: usize = 8;

/// The number of updates that run at once. They have slots of their own: one may take minutes or
/// wait for another process, and no query waits for that.
pub const MAX_UPDATES: usize = 8;

/// The steps that are buffered for one request. Later ones are dropped, because the next report
/// says more anyway.
const STEP_BUFFER: usize = 16;

/// Runs operations for all requests of a server. Clones share the slots.
#[derive(Clone)]
pub struct Executor {
    /// The engine that all operations use.
    engine: Arc<Engine>,
    /// Slots for operations that only read.
    query_slots: Arc<Semaphore>,
    /// Slots for operations that write.
    update_slots: Arc<Semaphore>,
    /// Tells when the server stops.
    stop: Stop,
    /// The time that a question may take, once it has a slot.
    timeout: Duration,
}

/// The progress of a running operation.
#[derive(Debug)]
pub struct ProgressStep {
    /// The name of the stage, for people.
    pub stage: String,
    /// The work done in this stage.
    pub done: usize,
    /// The work of this stage, if it is known.
    pub total: Option<usize>,
}

impl Executor {
    /// Creates an executor for one server. A question may take as long as `timeout`.
    pub fn new(engine: Arc<Engine>, stop: Stop, timeout: Duration) -> Executor {
        Executor {
            engine,
            stop,
            timeout,
            query_slots: Arc::new(Semaphore::new(MAX_QUERIES)),
            update_slots: Arc::new(Semaphore::new(MAX_UPDATES)),
        }
    }

    /// Creates the channel for the steps of one request.
    pub fn step_channel() -> (mpsc::Sender<ProgressStep>, mpsc::Receiver<ProgressStep>) {
        mpsc::channel(STEP_BUFFER)
    }

    /// Runs an operation. It ends early if `cancelled` is cancelled or the server stops, and if it
    /// only reads and has taken its time.
    pub async fn run_operation(
        &self,
        op: &'static OpEntry,
        arguments: Value,
        cancelled: CancellationToken,
        steps: Option<mpsc::Sender<ProgressStep>>,
    ) -> Result<Reply, OpError> {
        let stop = self.stop.clone();
        let work = move |engine: &Arc<Engine>| {
            let progress = Reporter { cancelled, steps, stop, effect: op.effect };
            let call = Call::new(engine, &progress);
            op.call(&call, &arguments)
        };
        match op.effect {
            OpEffect::Reads => self.run_query(op.name, work).await,
            OpEffect::Updates => self.run_blocking(&self.update_slots, op.name, work).await,
        }
    }

    /// Runs any other query of the engine under the same conditions.
    ///
    /// Resources, prompts and web pages use it. It shares its slots with operations that read,
    /// because both hold a snapshot.
    pub async fn run_query<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Arc<Engine>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        let limit = Arc::new(TimeLimit::new(self.timeout));
        let limited = limit.clone();
        let work = move |engine: &Arc<Engine>| time_limit::run_within(&limited, || work(engine));
        let outcome = tokio::select! {
            outcome = self.run_blocking(&self.query_slots, name, work) => outcome,
            // The thread ends with its next query of the store, and keeps its slot until then.
            () = wait_until_over(&limit) => Err(timeout_error(name, self.timeout)),
        };
        // Work that was stopped may return what it has so far.
        if limit.time_left().is_zero() { Err(timeout_error(name, self.timeout)) } else { outcome }
    }

    /// Waits for a slot, runs the work on a blocking thread, and returns its outcome.
    async fn run_blocking<T: Send + 'static>(
        &self,
        places: &Arc<Semaphore>,
        name: &str,
        work: impl FnOnce(&Arc<Engine>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        let place = places.clone().acquire_owned().await;
        let engine = self.engine.clone();
        let work = tokio::task::spawn_blocking(move || {
            let outcome = work(&engine).map_err(|error| hide_user_folders(&engine, error));
            // The thread frees the slot, not the caller: a caller that leaves must not admit more
            // work.
            drop(place);
            outcome
        });
        let outcome = tokio::select! {
            outcome = work => outcome,
            // The thread may be inside of a parser, a regular expression or a read that never ends; the process ends
            // without it.
            () = self.stop.wait_until_given_up() => return Err(stopped_error(name)),
        };
        outcome.unwrap_or_else(|error| {
            let message = match error.try_into_panic() {
                Ok(panic) => panic_message(&*panic),
                Err(error) => error.to_string(),
            };
            Err(OpError::internal(format!("{name} failed: {message}"))
                .hint("this is a defect of Kenning; please report it"))
        })
    }
}

/// Hides the user's folders in an error, if the engine is confined.
fn hide_user_folders(engine: &Engine, error: OpError) -> OpError {
    OpError {
        message: engine.hide_user_folders(&error.message).into_owned(),
        hint: error.hint.map(|hint| engine.hide_user_folders(&hint).into_owned()),
        ..error
    }
}

/// Waits until the time of a question is over. It does not run before the question has a slot.
async fn wait_until_over(limit: &TimeLimit) {
    loop {
        let left = limit.time_left();
        if left.is_zero() {
            return;
        }
        tokio::time::sleep(left).await;
    }
}

/// The error of a question that took too long.
pub fn timeout_error(name: &str, timeout: Duration) -> OpError {
    let message = format!("{name} took longer than {} s", timeout.as_secs_f32());
    OpError::new(ErrorKind::Cancelled, message)
        .hint("ask for less, or raise `mcp.timeout_ms`; over HTTP `http.timeout_ms`")
}

/// The error of work that did not end before the server did.
fn stopped_error(name: &str) -> OpError {
    OpError::new(ErrorKind::Cancelled, format!("{name} was cancelled: the server stops"))
}

/// Returns the message of a panic, if it is a text.
fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "it panicked".to_string())
}

/// The progress of one request.
struct Reporter {
    /// Cancelled when the caller leaves.
    cancelled: CancellationToken,
    /// Takes the steps, if the caller wants them.
    steps: Option<mpsc::Sender<ProgressStep>>,
    /// Tells when the server stops.
    stop: Stop,
    /// Decides how long the work may go on after a stop.
    effect: OpEffect,
}

impl Progress for Reporter {
    fn report(&self, stage: &str, done: usize, total: Option<usize>) {
        if let Some(steps) = &self.steps {
            // Never waits: after the end of input nobody would ever take it.
            let _ = steps.try_send(ProgressStep { stage: stage.to_string(), done, total });
        }
    }

    fn is_cancelled(&self) -> bool {
        // An update may be resumed by the next run, so it gets less time than an answer that is
        // nearly done.
        let is_overdue = match self.effect {
            OpEffect::Reads => self.stop.is_overdue(),
            OpEffect::Updates => self.stop.is_overdue_for_updates(),
        };
        is_overdue || self.cancelled.is_cancelled() || time_limit::is_over()
    }
}
