//! The time limit of a question.
//!
//! The limit belongs to the thread that answers. As a parameter it would pass through every
//! function between an operation and the store, of which most have no loop. The store checks it
//! with each query of a snapshot, and with that bounds every walk that reads as it goes.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The time that a question may take. It runs only inside [`run_within`], and not while
/// [`run_unlimited`] runs.
#[derive(Debug)]
pub struct TimeLimit {
    /// The whole of it, for messages.
    pub allowed: Duration,
    clock: Mutex<Clock>,
}

/// A clock that runs towards the limit, or waits.
#[derive(Clone, Copy, Debug)]
enum Clock {
    Running { deadline: Instant },
    Paused { left: Duration },
}

thread_local! {
    /// The limit of the question that this thread answers.
    static CURRENT: RefCell<Option<Arc<TimeLimit>>> = const { RefCell::new(None) };
}

impl TimeLimit {
    /// Creates a limit that does not run yet.
    pub fn new(allowed: Duration) -> TimeLimit {
        TimeLimit { allowed, clock: Mutex::new(Clock::Paused { left: allowed }) }
    }

    /// Returns the time that is left, which stays the same while the clock is paused.
    pub fn time_left(&self) -> Duration {
        match *self.clock() {
            Clock::Running { deadline } => deadline.saturating_duration_since(Instant::now()),
            Clock::Paused { left } => left,
        }
    }

    /// Returns the end of the limit; `None` while the clock is paused.
    fn deadline(&self) -> Option<Instant> {
        match *self.clock() {
            Clock::Running { deadline } => Some(deadline),
            Clock::Paused { .. } => None,
        }
    }

    /// Lets the clock run.
    fn resume(&self) {
        let left = self.time_left();
        *self.clock() = Clock::Running { deadline: Instant::now() + left };
    }

    /// Stops the clock.
    fn pause(&self) {
        let left = self.time_left();
        *self.clock() = Clock::Paused { left };
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers a question on this thread, within a limit.
pub fn run_within<T>(limit: &Arc<TimeLimit>, work: impl FnOnce() -> T) -> T {
    limit.resume();
    let before = CURRENT.replace(Some(limit.clone()));
    let _restored = OnDrop(|| drop(CURRENT.replace(before.clone())));
    work()
}

/// Runs a part of a question that does not count, such as the first index run of a repository.
pub fn run_unlimited<T>(work: impl FnOnce() -> T) -> T {
    let Some(limit) = CURRENT.with_borrow(Clone::clone) else {
        return work();
    };
    limit.pause();
    let _resumed = OnDrop(|| limit.resume());
    work()
}

/// True if the question that this thread answers has taken its time.
pub fn is_over() -> bool {
    CURRENT.with_borrow(|limit| limit.as_ref().is_some_and(|limit| limit.time_left().is_zero()))
}

/// Returns the end of the limit of this thread, for work that continues on other threads.
pub fn deadline() -> Option<Instant> {
    CURRENT.with_borrow(|limit| limit.as_ref().and_then(|limit| limit.deadline()))
}

/// Runs a function at the end of a scope, also if that panics.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    #[test]
    fn a_limit_counts_inside_of_its_question_only() {
        let none = Arc::new(TimeLimit::new(Duration::ZERO));
        assert!(!is_over() && deadline().is_none());
        run_within(&none, || {
            assert!(is_over());
            // Another question on the same thread, with a limit of its own.
            run_within(&Arc::new(TimeLimit::new(LONG)), || assert!(!is_over()));
            assert!(is_over());
            std::thread::spawn(|| assert!(!is_over())).join().unwrap();
        });
        assert!(!is_over());
    }

    #[test]
    fn a_part_that_does_not_count_takes_no_time() {
        let limit = Arc::new(TimeLimit::new(LONG));
        run_within(&limit, || {
            let before = run_unlimited(|| {
                assert!(deadline().is_none());
                limit.time_left()
            });
            assert!(deadline().is_some() && limit.time_left() <= before && before <= LONG);
        });
    }

    #[test]
    fn a_panic_leaves_no_limit_behind() {
        let none = Arc::new(TimeLimit::new(Duration::ZERO));
        let panic = std::panic::catch_unwind(|| run_within(&none, || panic!("on purpose")));
        assert!(panic.is_err() && !is_over());
    }
}
