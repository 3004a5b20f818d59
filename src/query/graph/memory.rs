//! What requests have read of files, unpacked: most of what a question costs is unpacking, and one
//! question is about the same files as the one before it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::FileDefinitions;
use crate::model::Reference;
use crate::store::code::LinkedFile;

/// Good for one state of an index.
#[derive(Default)]
pub struct Memory {
    pub(super) files: HashMap<i64, Arc<FileDefinitions>>,
    pub(super) linked: HashMap<i64, Option<Arc<LinkedFile>>>,
    pub(super) references: HashMap<i64, Arc<Vec<Reference>>>,
    /// How much that is: definitions, edges and mentions.
    pub(super) facts: usize,
}

/// More is forgotten: some 100 bytes each.
const MOST_FACTS: usize = 300_000;

/// A memory that outlasts requests. One at a time has it; who comes meanwhile begins without.
#[derive(Default)]
pub struct Recollection(Mutex<(State, Memory)>);

/// What tells one state of an index from all others.
type State = (String, u64);

impl Recollection {
    /// What is remembered of that state.
    pub fn take(&self, state: &State) -> Memory {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, memory) = std::mem::take(&mut *kept);
        match of == *state {
            true => memory,
            false => Memory::default(),
        }
    }

    pub fn put(&self, state: State, memory: Memory) {
        if memory.facts > MOST_FACTS {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if memory.facts >= kept.1.facts || state != kept.0 {
            *kept = (state, memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(facts: usize) -> Memory {
        Memory {
            facts,
            ..Memory::default()
        }
    }

    #[test]
    fn only_the_same_state_is_remembered_and_not_too_much_of_it() {
        let recollection = Recollection::default();
        let state = |number: u64| ("born".to_string(), number);
        let taken = |number: u64| recollection.take(&state(number)).facts;
        recollection.put(state(7), memory(10));
        assert_eq!(taken(8), 0);
        recollection.put(state(7), memory(10));
        assert_eq!(recollection.take(&("reborn".to_string(), 7)).facts, 0);
        recollection.put(state(7), memory(10));
        assert_eq!(taken(7), 10);
        // Somebody has it.
        assert_eq!(taken(7), 0);
        recollection.put(state(7), memory(MOST_FACTS + 1));
        assert_eq!(taken(7), 0);
        // Of two who had none, the one that has read more.
        recollection.put(state(7), memory(20));
        recollection.put(state(7), memory(5));
        assert_eq!(taken(7), 20);
    }
}
