//! The one way in which a server stops: input ends or a signal comes, and everybody can see it. `signals` watches
//! for the signals.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Shared by the transport, the signal watcher and whatever must not outlive the input.
#[derive(Clone)]
pub struct Stop {
    token: CancellationToken,
    first: Arc<OnceLock<(Reason, Instant)>>,
    /// The time that answers in flight get after a signal.
    finish: Duration,
}

impl Default for Stop {
    fn default() -> Stop {
        Stop::draining(FINISH)
    }
}

/// The time without messages after which the connection is closed. At the end of input, the library
/// forgets messages that it has sent but not yet reported as sent.
const QUIET: Duration = Duration::from_millis(20);

/// The longest wait for such a quiet time. A client that keeps sending does not extend it.
const LONGEST: Duration = Duration::from_secs(1);

/// The time that work gets after a signal before it is asked to give up. All must end within a
/// second, and an error is a better answer than none.
const FINISH: Duration = Duration::from_millis(300);

/// The time that work gets after the end of input. It is longer, because a caller that pipes
/// requests in wants the answers. The library drops requests in flight after a few seconds.
const FINISH_OF_INPUT: Duration = Duration::from_secs(2);

/// The time that work gets to give up once it is asked. After that it is answered with an error,
/// because it is in code that does not check for cancellation.
const GRACE: Duration = Duration::from_millis(150);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    EndOfInput,
    Interrupt,
    Terminate,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Reason::EndOfInput => "end of input",
            Reason::Interrupt => "interrupted",
            Reason::Terminate => "asked to terminate",
        })
    }
}

impl Stop {
    /// Returns a stop that gives answers in flight the time `finish` after a signal.
    pub fn draining(finish: Duration) -> Stop {
        Stop { token: CancellationToken::default(), first: Arc::default(), finish }
    }

    /// Stops the server. Only the first reason is kept.
    pub fn stop(&self, reason: Reason) {
        self.first.get_or_init(|| (reason, Instant::now()));
        self.token.cancel();
    }

    pub async fn stopped(&self) {
        self.token.cancelled().await;
    }

    /// Awaits `future`; returns `None` if the stop comes first.
    pub async fn unless_stopped<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            () = self.stopped() => None,
            outcome = future => Some(outcome),
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.token.is_cancelled()
    }

    /// True if the stop is so long ago that operations in flight must give up.
    pub fn is_overdue(&self) -> bool {
        self.is_stopped_for(self.patience())
    }

    /// True if work that changes an index must give up. It gets at most `FINISH_OF_INPUT`, because
    /// the next run continues where it stopped.
    pub fn is_overdue_for_updates(&self) -> bool {
        self.is_stopped_for(self.patience().min(FINISH_OF_INPUT))
    }

    /// Waits until whatever was asked to give up has had the time to.
    pub async fn given_up(&self) {
        self.stopped().await;
        let since = self.first.get().map_or(Duration::ZERO, |(_, instant)| instant.elapsed());
        tokio::time::sleep((self.patience() + GRACE).saturating_sub(since)).await;
    }

    fn patience(&self) -> Duration {
        match self.reason() {
            Reason::EndOfInput => self.finish.max(FINISH_OF_INPUT),
            Reason::Interrupt | Reason::Terminate => self.finish,
        }
    }

    fn is_stopped_for(&self, patience: Duration) -> bool {
        let since = self.first.get().map(|(_, instant)| instant.elapsed());
        since.is_some_and(|since| since >= patience)
    }

    /// Waits for the stop and a quiet time after it. Callers restart the wait on each message.
    pub async fn settled(&self) {
        self.stopped().await;
        let since = self.first.get().map(|(_, instant)| instant.elapsed());
        if since.is_some_and(|since| since < LONGEST) {
            tokio::time::sleep(QUIET).await;
        }
    }

    pub fn reason(&self) -> Reason {
        self.first.get().map_or(Reason::EndOfInput, |(reason, _)| *reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_has_a_while_to_finish() {
        let stop = Stop::default();
        assert!(!stop.is_overdue());
        stop.stop(Reason::Interrupt);
        assert!(stop.is_stopped() && !stop.is_overdue());
        let stopped = |stop: Stop, reason: Reason| {
            let long_ago = Instant::now().checked_sub(FINISH).unwrap();
            stop.first.get_or_init(|| (reason, long_ago));
            stop
        };
        assert!(stopped(Stop::default(), Reason::Terminate).is_overdue());
        assert!(!stopped(Stop::default(), Reason::EndOfInput).is_overdue());
        let draining = Stop::draining(Duration::from_secs(600));
        assert!(!stopped(draining, Reason::Terminate).is_overdue());
    }
}
