//! Retries: their number, their delays, and the conditions to stop. Time and randomness are
//! injected, so that tests are fast and deterministic.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use crate::EmbedError;

/// The outcome of a failed attempt.
#[derive(Debug)]
pub struct FailedAttempt {
    pub error: EmbedError,
    pub again: RetryAdvice,
}

/// The advice on another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAdvice {
    Never,
    Soon,
    /// The delay that the service asked for.
    After(Duration),
}

/// The number of retries and their delays.
pub struct RetryPolicy {
    pub retries: u32,
    /// The first delay. It doubles with every attempt.
    pub delay: Duration,
}

/// The longest delay of our own choice.
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// The longest delay that a service may ask for. A longer one is reported instead: it is a quota,
/// not a hiccup.
const LONGEST_WISH: Duration = Duration::from_secs(120);

/// Time and randomness, so that tests need neither.
pub trait Clock: Send + Sync {
    /// Returns when the time is over, or at once when stopped.
    fn wait(&self, duration: Duration, stop: &StopSignal);

    /// Returns a random number between 0 and 1, so that clients that failed together do not retry
    /// together.
    fn random_fraction(&self) -> f64;
}

/// Runs `attempt` until it succeeds, cannot succeed, or the retries are used up.
pub fn retry<T>(
    patience: &RetryPolicy,
    clock: &dyn Clock,
    stop: &StopSignal,
    mut attempt: impl FnMut() -> Result<T, FailedAttempt>,
) -> Result<T, EmbedError> {
    let mut failed = 0;
    loop {
        if stop.is_set() {
            return Err(EmbedError::Cancelled);
        }
        let trouble = match attempt() {
            Ok(outcome) => return Ok(outcome),
            Err(trouble) => trouble,
        };
        let wait = match trouble.again {
            RetryAdvice::Never => return Err(trouble.error),
            RetryAdvice::Soon => backoff(patience.delay, failed, clock.random_fraction()),
            RetryAdvice::After(wish) if wish > LONGEST_WISH => return Err(trouble.error),
            RetryAdvice::After(wish) => wish,
        };
        if failed == patience.retries {
            return Err(trouble.error);
        }
        failed += 1;
        tracing::debug!(error = %trouble.error, ?wait, "trying again");
        clock.wait(wait, stop);
    }
}

/// Returns a random delay between half and all of the doubled delay.
fn backoff(delay: Duration, failed: u32, chance: f64) -> Duration {
    let full = delay.saturating_mul(2u32.saturating_pow(failed));
    full.min(LONGEST_DELAY).mul_f64(0.5 + 0.5 * chance)
}

/// A signal that stops workers whose result is no longer needed.
#[derive(Default)]
pub struct StopSignal {
    is_set: Mutex<bool>,
    changed: Condvar,
}

impl StopSignal {
    /// Sets the signal.
    pub fn set(&self) {
        *self.is_set.lock().expect("no holder panics") = true;
        self.changed.notify_all();
    }

    /// True if the signal is set.
    pub fn is_set(&self) -> bool {
        *self.is_set.lock().expect("no holder panics")
    }
}

/// The real clock and randomness.
pub struct SystemClock;

impl Clock for SystemClock {
    fn wait(&self, duration: Duration, stop: &StopSignal) {
        let is_set = stop.is_set.lock().expect("no holder panics");
        let outcome = stop.changed.wait_timeout_while(is_set, duration, |is_set| !*is_set);
        drop(outcome.expect("no holder panics"));
    }

    fn random_fraction(&self) -> f64 {
        // The standard library has no other source of randomness, and a weak one is enough here.
        let random = RandomState::new().hash_one(0);
        (random >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Noted(Mutex<Vec<u128>>);

    impl Clock for Noted {
        fn wait(&self, duration: Duration, _stop: &StopSignal) {
            self.0.lock().unwrap().push(duration.as_millis());
        }

        fn random_fraction(&self) -> f64 {
            1.0
        }
    }

    /// Attempts that end as `ends` says, and then well; the waits, and whether it went well.
    fn check(ends: &[RetryAdvice], expected_waits: &[u128], goes_well: bool) {
        let clock = Noted::default();
        let patience = RetryPolicy { retries: 3, delay: Duration::from_millis(500) };
        let mut ends = ends.iter();
        let outcome = retry(&patience, &clock, &StopSignal::default(), || match ends.next() {
            Some(again) => Err(FailedAttempt { error: EmbedError::Cancelled, again: *again }),
            None => Ok(()),
        });
        assert_eq!(outcome.is_ok(), goes_well);
        assert_eq!(*clock.0.lock().unwrap(), expected_waits);
    }

    #[test]
    fn waits_double_and_patience_ends() {
        let soon = RetryAdvice::Soon;
        check(&[], &[], true);
        check(&[soon, soon, soon], &[500, 1000, 2000], true);
        check(&[soon, soon, soon, soon], &[500, 1000, 2000], false);
    }

    #[test]
    fn the_service_says_when() {
        let seconds = |n| RetryAdvice::After(Duration::from_secs(n));
        check(&[seconds(7), RetryAdvice::Soon], &[7000, 1000], true);
        check(&[seconds(3600)], &[], false);
    }

    #[test]
    fn what_cannot_get_better_is_not_tried_again() {
        check(&[RetryAdvice::Never], &[], false);
        check(&[RetryAdvice::Soon, RetryAdvice::Never], &[500], false);
    }

    #[test]
    fn a_wait_is_at_least_half_and_at_most_the_limit() {
        let second = Duration::from_secs(1);
        assert_eq!(backoff(second, 0, 0.0), Duration::from_millis(500));
        assert_eq!(backoff(second, 2, 0.5), Duration::from_secs(3));
        assert_eq!(backoff(second, 31, 1.0), LONGEST_DELAY);
    }

    #[test]
    fn a_stop_ends_waiting_and_trying() {
        let stop = StopSignal::default();
        stop.set();
        // Would outlast any test if it did not end at once.
        SystemClock.wait(Duration::from_secs(86_400), &stop);
        let patience = RetryPolicy { retries: 3, delay: Duration::ZERO };
        let outcome = retry(&patience, &SystemClock, &stop, || Ok(()));
        assert_eq!(outcome, Err(EmbedError::Cancelled));
    }

    #[test]
    fn chance_is_a_fraction() {
        let chance = SystemClock.random_fraction();
        assert!((0.0..1.0).contains(&chance), "{chance}");
    }
}
