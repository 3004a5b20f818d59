//! The one way in which a server stops: its input ends or a signal comes, and every part can see
//! it. `signals` watches for the signals.
//!
//! After a stop, work in flight may finish for a while, then it is asked to give up, and shortly
//! after that it is answered with an error.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// A shared stop signal. The transport, the signal watcher and everything that must not outlive the
/// input hold a clone.
#[derive(Clone)]
pub struct Stop {
    /// Cancelled once the server stops.
    token: CancellationToken,
    /// The first reason, and its time.
    cause: Arc<OnceLock<(StopReason, Instant)>>,
    /// The time that answers in flight get after a signal.
    drain_after_signal: Duration,
}

impl Default for Stop {
    fn default() -> Stop {
        Stop::with_drain_time(DRAIN_AFTER_SIGNAL)
    }
}

/// The time without messages after which the connection is closed. At the end of input, the library
/// forgets messages that it has sent but not yet reported as sent.
const QUIET_TIME: Duration = Duration::from_millis(20);

/// The longest wait for such a quiet time. A client that keeps sending does not extend it.
const MAX_QUIET_WAIT: Duration = Duration::from_secs(1);

/// The time that work gets after a signal before it is asked to give up. All must end within a
/// second, and an error is a better answer than none.
const DRAIN_AFTER_SIGNAL: Duration = Duration::from_millis(300);

/// The time that work gets after the end of input. It is longer, because a caller that pipes
/// requests in wants the answers. The library drops requests in flight after a few seconds.
const DRAIN_AFTER_INPUT: Duration = Duration::from_secs(2);

/// The time that work gets to give up once it is asked. After that it is answered with an error,
/// because it is in code that does not check for cancellation.
const GRACE: Duration = Duration::from_millis(150);

/// The reason of a stop. Only the first is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The client closed the input.
    EndOfInput,
    /// SIGINT, such as Ctrl-C.
    Interrupt,
    /// SIGTERM, as supervisors send it.
    Terminate,
}

impl fmt::Display for StopReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            StopReason::EndOfInput => "end of input",
            StopReason::Interrupt => "interrupted",
            StopReason::Terminate => "asked to terminate",
        })
    }
}

impl Stop {
    /// Returns a stop that gives answers in flight the time `finish` after a signal.
    pub fn with_drain_time(drain_after_signal: Duration) -> Stop {
        Stop { token: CancellationToken::default(), cause: Arc::default(), drain_after_signal }
    }

    /// Stops the server. Only the first reason is kept.
    pub fn stop(&self, reason: StopReason) {
        self.cause.get_or_init(|| (reason, Instant::now()));
        self.token.cancel();
    }

    /// Waits for the stop.
    pub async fn wait_until_stopped(&self) {
        self.token.cancelled().await;
    }

    /// Awaits `future`; returns `None` if the stop comes first.
    pub async fn unless_stopped<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            () = self.wait_until_stopped() => None,
            outcome = future => Some(outcome),
        }
    }

    /// True once the server stops.
    pub fn is_stopped(&self) -> bool {
        self.token.is_cancelled()
    }

    /// True if the stop is so long ago that operations in flight must give up.
    pub fn is_overdue(&self) -> bool {
        self.is_stopped_for(self.drain_time())
    }

    /// True if work that changes an index must give up. It gets at most `FINISH_OF_INPUT`, because
    /// the next run continues where it stopped.
    pub fn is_overdue_for_updates(&self) -> bool {
        self.is_stopped_for(self.drain_time().min(DRAIN_AFTER_INPUT))
    }

    /// Waits until whatever was asked to give up has had the time to.
    pub async fn wait_until_given_up(&self) {
        self.wait_until_stopped().await;
        let since = self.cause.get().map_or(Duration::ZERO, |(_, instant)| instant.elapsed());
        tokio::time::sleep((self.drain_time() + GRACE).saturating_sub(since)).await;
    }

    /// The time that queries in flight get, which depends on the reason.
    fn drain_time(&self) -> Duration {
        match self.reason() {
            StopReason::EndOfInput => self.drain_after_signal.max(DRAIN_AFTER_INPUT),
            StopReason::Interrupt | StopReason::Terminate => self.drain_after_signal,
        }
    }

    /// True if the stop was at least this long ago.
    fn is_stopped_for(&self, patience: Duration) -> bool {
        let since = self.cause.get().map(|(_, instant)| instant.elapsed());
        since.is_some_and(|since| since >= patience)
    }

    /// Waits for the stop and a quiet time after it. Callers restart the wait on each message.
    pub async fn wait_until_quiet(&self) {
        self.wait_until_stopped().await;
        let since = self.cause.get().map(|(_, instant)| instant.elapsed());
        if since.is_some_and(|since| since < MAX_QUIET_WAIT) {
            tokio::time::sleep(QUIET_TIME).await;
        }
    }

    /// The reason of the stop; `EndOfInput` before there is one.
    ///
    /// The default is never printed: callers ask after the stop.
    pub fn reason(&self) -> StopReason {
        self.cause.get().map_or(StopReason::EndOfInput, |(reason, _)| *reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_has_a_while_to_finish() {
        let stop = Stop::default();
        assert!(!stop.is_overdue());
        stop.stop(StopReason::Interrupt);
        assert!(stop.is_stopped() && !stop.is_overdue());
        let stopped = |stop: Stop, reason: StopReason| {
            let long_ago = Instant::now().checked_sub(DRAIN_AFTER_SIGNAL).unwrap();
            stop.cause.get_or_init(|| (reason, long_ago));
            stop
        };
        assert!(stopped(Stop::default(), StopReason::Terminate).is_overdue());
        assert!(!stopped(Stop::default(), StopReason::EndOfInput).is_overdue());
        let draining = Stop::with_drain_time(Duration::from_secs(600));
        assert!(!stopped(draining, StopReason::Terminate).is_overdue());
    }
}
