//! Waiting for a condition by looking at it again and again: with pauses that grow, and with a deadline.

use std::time::{Duration, Instant};

/// Long enough for a loaded machine; reached only when something hangs.
pub const PATIENCE: Duration = Duration::from_secs(60);

const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
/// A longer pause would miss the middle of what a test wants to interrupt.
const LONGEST_PAUSE: Duration = Duration::from_millis(16);

/// Looks until there is a value. Returns `None` if there is none after `deadline`.
pub fn poll<T>(deadline: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    let mut pause = SHORTEST_PAUSE;
    loop {
        let is_last = started.elapsed() >= deadline;
        let found = look();
        if found.is_some() || is_last {
            return found;
        }
        std::thread::sleep(pause);
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

/// Looks until the condition holds. Panics with `what` if it does not within [`PATIENCE`].
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let held = poll(PATIENCE, || is_so().then_some(()));
    assert!(held.is_some(), "never: {what}");
}

#[test]
fn a_value_that_comes_late_is_found() {
    let mut looks = 0;
    let found = poll(PATIENCE, || {
        looks += 1;
        (looks == 4).then_some(looks)
    });
    assert_eq!(found, Some(4));
}

#[test]
fn a_value_that_never_comes_ends_at_the_deadline() {
    let mut looks = 0;
    let found = poll(Duration::ZERO, || -> Option<()> {
        looks += 1;
        None
    });
    assert_eq!((found, looks), (None, 1));
}
