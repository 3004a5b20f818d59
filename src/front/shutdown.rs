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
    /// How long answers in flight may take after a signal.
    finish: Duration,
}

impl Default for Stop {
    fn default() -> Stop {
        Stop::draining(FINISH)
    }
}

/// How long it must be quiet before the connection is given up: the library, once told that the
/// input has ended, forgets what it has sent but not yet reported as sent.
const QUIET: Duration = Duration::from_millis(20);

/// Somebody who never stops talking does not keep the connection.
const LONGEST: Duration = Duration::from_secs(1);

/// Work that takes longer than this after a signal is asked to give up: all is over within a second, and an answer that
/// says so is better than none.
const FINISH: Duration = Duration::from_millis(300);

/// The same after the end of input: nobody is in a hurry, and whoever piped questions in wants the answers. The library
/// waits a few seconds and then drops what is in flight.
const FINISH_OF_INPUT: Duration = Duration::from_secs(2);

/// Work that has not given up so long after it was asked is inside of something that does not look up. It is answered
/// for.
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
    /// A server whose answers in flight may take so long after a signal.
    pub fn draining(finish: Duration) -> Stop {
        Stop { token: CancellationToken::default(), first: Arc::default(), finish }
    }

    /// The first reason stays.
    pub fn stop(&self, reason: Reason) {
        self.first.get_or_init(|| (reason, Instant::now()));
        self.token.cancel();
    }

    pub async fn stopped(&self) {
        self.token.cancelled().await;
    }

    /// What comes of `future`, unless the stop comes first.
    pub async fn unless_stopped<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            () = self.stopped() => None,
            outcome = future => Some(outcome),
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Stopped for so long that questions which are still being answered have to give up.
    pub fn is_overdue(&self) -> bool {
        self.is_stopped_for(self.patience())
    }

    /// The same for work that changes an index: the next run goes on where it stopped, so nobody waits for it.
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

    /// Stopped, and quiet since: whoever waits here is disturbed, and waits anew, by traffic.
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
