//! The one way in which a server stops: input ends or a signal comes, and everybody can see it.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Shared by the transport, the signal watcher and whatever must not outlive the input.
#[derive(Clone, Default)]
pub struct Stop {
    token: CancellationToken,
    first: Arc<OnceLock<(Reason, Instant)>>,
}

/// How long it must be quiet before the connection is given up: the library, once told that the
/// input has ended, forgets what it has sent but not yet reported as sent.
const QUIET: Duration = Duration::from_millis(20);

/// Somebody who never stops talking does not keep the connection.
const LONGEST: Duration = Duration::from_secs(1);

/// What takes longer than this after the stop is asked to give up: the library waits a few seconds
/// for what is in flight and then drops it, and an answer that says so is better than none.
const FINISH: Duration = Duration::from_secs(2);

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

    /// Stopped for so long that what still runs has to give up.
    pub fn is_overdue(&self) -> bool {
        let since = self.first.get().map(|(_, instant)| instant.elapsed());
        since.is_some_and(|since| since >= FINISH)
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

    /// Stops on the first SIGINT or SIGTERM. Both are caught from the moment this returns: a
    /// signal that comes before the first answer must not end the process as any other.
    pub fn watch_signals(&self) {
        let stop = self.clone();
        let signal = signal();
        tokio::spawn(async move {
            let reason = signal.await;
            stop.stop(reason);
        });
    }
}

#[cfg(unix)]
fn signal() -> impl Future<Output = Reason> + Send {
    use tokio::signal::unix::{SignalKind, signal};

    let (interrupt, terminate) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    async move {
        let (Ok(mut interrupt), Ok(mut terminate)) = (interrupt, terminate) else {
            tracing::warn!("signals cannot be watched; only the end of input stops this server");
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => Reason::Interrupt,
            _ = terminate.recv() => Reason::Terminate,
        }
    }
}

#[cfg(not(unix))]
async fn signal() -> Reason {
    match tokio::signal::ctrl_c().await {
        Ok(()) => Reason::Interrupt,
        Err(_) => std::future::pending().await,
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
        let long_ago = Instant::now().checked_sub(FINISH).unwrap();
        let late = Stop::default();
        late.first.get_or_init(|| (Reason::Terminate, long_ago));
        assert!(late.is_overdue());
    }
}
