//! Running one operation for a request: on a thread of its own, a bounded number at a time, with
//! progress that never holds it up, and a panic that is an answer like any other.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::shutdown::Stop;
use crate::engine::Engine;
use crate::ops::{Call, ErrorKind, OpEffect, OpEntry, OpError, Progress, Reply};

/// How many questions are answered at once; more wait their turn.
pub const MAX_QUERIES: usize = 8;

/// How many operations that change something run at once. They have places of their own: one may take
/// minutes, or wait for another process, and no question waits for that.
pub const MAX_UPDATES: usize = 8;

/// Progress that nobody fetched in time is dropped: the next report says more anyway.
const STEP_BUFFER: usize = 16;

#[derive(Clone)]
pub struct Executor {
    engine: Arc<Engine>,
    query_slots: Arc<Semaphore>,
    update_slots: Arc<Semaphore>,
    stop: Stop,
}

/// Where a running operation is.
#[derive(Debug)]
pub struct ProgressStep {
    pub stage: String,
    pub done: usize,
    pub total: Option<usize>,
}

impl Executor {
    pub fn new(engine: Arc<Engine>, stop: Stop) -> Executor {
        Executor {
            engine,
            stop,
            query_slots: Arc::new(Semaphore::new(MAX_QUERIES)),
            update_slots: Arc::new(Semaphore::new(MAX_UPDATES)),
        }
    }

    /// A channel for the steps of one request.
    pub fn step_channel() -> (mpsc::Sender<ProgressStep>, mpsc::Receiver<ProgressStep>) {
        mpsc::channel(STEP_BUFFER)
    }

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
            let call = Call { engine, progress: &progress };
            op.call(&call, &arguments)
        };
        let places = match op.effect {
            OpEffect::Reads => &self.query_slots,
            OpEffect::Updates => &self.update_slots,
        };
        self.run_blocking(places, op.name, work).await
    }

    /// Any other question to the engine, under the same conditions.
    pub async fn run_query<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Arc<Engine>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        self.run_blocking(&self.query_slots, name, work).await
    }

    async fn run_blocking<T: Send + 'static>(
        &self,
        places: &Arc<Semaphore>,
        name: &str,
        work: impl FnOnce(&Arc<Engine>) -> Result<T, OpError> + Send + 'static,
    ) -> Result<T, OpError> {
        let place = places.clone().acquire_owned().await;
        let engine = self.engine.clone();
        let work = tokio::task::spawn_blocking(move || {
            let outcome = work(&engine);
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

fn stopped_error(name: &str) -> OpError {
    OpError::new(ErrorKind::Cancelled, format!("{name} was cancelled: the server stops"))
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "it panicked".to_string())
}

struct Reporter {
    cancelled: CancellationToken,
    steps: Option<mpsc::Sender<ProgressStep>>,
    stop: Stop,
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
        let is_overdue = match self.effect {
            OpEffect::Reads => self.stop.is_overdue(),
            OpEffect::Updates => self.stop.is_overdue_for_updates(),
        };
        is_overdue || self.cancelled.is_cancelled()
    }
}
