//! Memoization of a recursive function whose calls may form cycles.
//!
//! A plain memo table would store "nothing found" for a key that was reached while one of its own
//! dependencies was open. Such an answer is only provisional: it holds on that path, and is
//! computed again for the next outermost call. Without any memo the search would be exponential,
//! because wildcard re-exports can lead from every module to every other.

use std::cell::{Cell, RefCell};
use std::hash::Hash;

use foldhash::HashMap;

/// A memo table that tolerates cycles.
pub struct CycleMemo<Q, A> {
    /// The state of each key that was asked for.
    states: RefCell<HashMap<Q, MemoState<A>>>,
    /// The number of calls under way, one inside the other.
    open_count: Cell<usize>,
    /// The number of calls that were cut off at an open or provisional key. If it grew during a
    /// call, the result may depend on a cycle.
    cycle_hits: Cell<usize>,
}

/// The state of one key.
enum MemoState<A> {
    /// The call is under way.
    Open,
    /// The call found nothing while another was open on which it may depend.
    Provisional,
    /// The result, which may be that there is none.
    Final(Option<A>),
}

impl<Q, A> Default for CycleMemo<Q, A> {
    fn default() -> CycleMemo<Q, A> {
        CycleMemo { states: RefCell::default(), open_count: Cell::new(0), cycle_hits: Cell::new(0) }
    }
}

impl<Q: Clone + Eq + Hash, A: Clone> CycleMemo<Q, A> {
    /// True if no call is under way.
    pub fn is_idle(&self) -> bool {
        self.open_count.get() == 0
    }

    /// Returns the memoized result, or computes it. A call that leads back to its own key yields
    /// `None` there.
    ///
    /// A result is final if something was found, if no cycle was cut off below it, or if it is the
    /// outermost call. Provisional results are dropped when the outermost call ends, so that later
    /// calls compute them without the open key.
    pub fn get_or_compute(&self, key: Q, find: impl FnOnce() -> Option<A>) -> Option<A> {
        match self.states.borrow().get(&key) {
            Some(MemoState::Final(result)) => return result.clone(),
            // A cycle, or a result that a cycle made incomplete: cut off here.
            Some(MemoState::Open | MemoState::Provisional) => {
                self.cycle_hits.set(self.cycle_hits.get() + 1);
                return None;
            }
            None => {}
        }
        let hits_before = self.cycle_hits.get();
        self.states.borrow_mut().insert(key.clone(), MemoState::Open);
        self.open_count.set(self.open_count.get() + 1);
        let result = find();
        self.open_count.set(self.open_count.get() - 1);
        // A hit is final even if another branch was cut off. A miss is final only if none was.
        let is_final =
            result.is_some() || self.cycle_hits.get() == hits_before || self.open_count.get() == 0;
        let state =
            if is_final { MemoState::Final(result.clone()) } else { MemoState::Provisional };
        let mut states = self.states.borrow_mut();
        states.insert(key, state);
        if self.open_count.get() == 0 && self.cycle_hits.get() != hits_before {
            states.retain(|_, state| !matches!(state, MemoState::Provisional));
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every node leads to every other, and none has an answer.
    fn walk(memo: &CycleMemo<usize, ()>, calls: &Cell<usize>, at: usize) -> Option<()> {
        memo.get_or_compute(at, || {
            calls.set(calls.get() + 1);
            (0..NODES).find_map(|next| walk(memo, calls, next))
        })
    }

    const NODES: usize = 60;

    #[test]
    fn each_key_of_a_cycle_is_computed_once() {
        let (memo, calls) = (CycleMemo::default(), Cell::new(0));
        assert_eq!(walk(&memo, &calls, 0), None);
        assert_eq!(calls.get(), NODES);
    }

    #[test]
    fn provisional_results_are_computed_again() {
        // 1 leads only to 0, which leads to 1 and then has its own answer.
        fn lookup(memo: &CycleMemo<usize, &'static str>, at: usize) -> Option<&'static str> {
            memo.get_or_compute(at, || match at {
                0 => lookup(memo, 1).or(Some("found")),
                _ => lookup(memo, 0),
            })
        }
        let memo = CycleMemo::default();
        assert_eq!(lookup(&memo, 0), Some("found"));
        assert_eq!(lookup(&memo, 1), Some("found"));
    }
}
