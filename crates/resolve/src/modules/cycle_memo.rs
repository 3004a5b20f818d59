//! Questions that lead to each other, in circles too, each answered once. What a question means is
//! not known here.

use std::cell::{Cell, RefCell};
use std::hash::Hash;

use foldhash::HashMap;

/// The answers so far.
pub struct Asked<Q, A> {
    known: RefCell<HashMap<Q, State<A>>>,
    /// How many questions are being answered, one within the other.
    open: Cell<usize>,
    /// How often an answer was needed that was not yet final.
    cuts: Cell<usize>,
}

enum State<A> {
    Open,
    /// There was no answer while another question was open, on which it may depend.
    NotYet,
    Final(Option<A>),
}

impl<Q, A> Default for Asked<Q, A> {
    fn default() -> Asked<Q, A> {
        Asked { known: RefCell::default(), open: Cell::new(0), cuts: Cell::new(0) }
    }
}

impl<Q: Clone + Eq + Hash, A: Clone> Asked<Q, A> {
    /// True if no question is being answered.
    pub fn is_idle(&self) -> bool {
        self.open.get() == 0
    }

    /// The answer, found now or before. A question that leads back to itself has none on that way.
    pub fn once(&self, question: Q, find: impl FnOnce() -> Option<A>) -> Option<A> {
        match self.known.borrow().get(&question) {
            Some(State::Final(answer)) => return answer.clone(),
            Some(State::Open | State::NotYet) => {
                self.cuts.set(self.cuts.get() + 1);
                return None;
            }
            None => {}
        }
        let cuts = self.cuts.get();
        self.known.borrow_mut().insert(question.clone(), State::Open);
        self.open.set(self.open.get() + 1);
        let answer = find();
        self.open.set(self.open.get() - 1);
        let is_final = answer.is_some() || self.cuts.get() == cuts || self.open.get() == 0;
        let state = if is_final { State::Final(answer.clone()) } else { State::NotYet };
        let mut known = self.known.borrow_mut();
        known.insert(question, state);
        if self.open.get() == 0 && self.cuts.get() != cuts {
            known.retain(|_, state| !matches!(state, State::NotYet));
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every node leads to every other, and none has an answer.
    fn walk(asked: &Asked<usize, ()>, looks: &Cell<usize>, at: usize) -> Option<()> {
        asked.once(at, || {
            looks.set(looks.get() + 1);
            (0..NODES).find_map(|next| walk(asked, looks, next))
        })
    }

    const NODES: usize = 60;

    #[test]
    fn circles_are_walked_once() {
        let (asked, looks) = (Asked::default(), Cell::new(0));
        assert_eq!(walk(&asked, &looks, 0), None);
        assert_eq!(looks.get(), NODES);
    }

    #[test]
    fn an_answer_that_hung_on_another_is_looked_for_again() {
        // 1 leads only to 0, which leads to 1 and then has its own answer.
        fn ask(asked: &Asked<usize, &'static str>, at: usize) -> Option<&'static str> {
            asked.once(at, || match at {
                0 => ask(asked, 1).or(Some("found")),
                _ => ask(asked, 0),
            })
        }
        let asked = Asked::default();
        assert_eq!(ask(&asked, 0), Some("found"));
        assert_eq!(ask(&asked, 1), Some("found"));
    }
}
