//! Notifications of changed lists, from background work to every connection that subscribes.
//! Changes that repeat before a connection reads them are reported once.

use std::sync::Arc;

use tokio::sync::watch;

use crate::ops::{ChangeNotifier, ListChange};

/// The number of changes of each list. A receiver compares it with what it has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ChangeCounts {
    /// Changes of the tool list.
    tools: u64,
    /// Changes of the resource list.
    resources: u64,
}

/// The sender of changes. Clones share it.
#[derive(Clone)]
pub struct ChangeBroadcast {
    /// A watch channel keeps only the latest counts, so a slow connection never blocks the work.
    sender: watch::Sender<ChangeCounts>,
}

impl Default for ChangeBroadcast {
    fn default() -> ChangeBroadcast {
        let (sender, _) = watch::channel(ChangeCounts::default());
        ChangeBroadcast { sender }
    }
}

impl ChangeBroadcast {
    /// The callback for background work.
    pub fn notifier(&self) -> ChangeNotifier {
        let sender = self.sender.clone();
        Arc::new(move |change| {
            sender.send_modify(|counts| match change {
                ListChange::Tools => counts.tools += 1,
                ListChange::Resources => counts.resources += 1,
            });
        })
    }

    /// Subscribes to all changes from now on.
    pub fn subscribe(&self) -> ChangeReceiver {
        let receiver = self.sender.subscribe();
        let seen = *receiver.borrow();
        ChangeReceiver { receiver, seen }
    }
}

/// The changes for one connection.
pub struct ChangeReceiver {
    /// Wakes when the counts change.
    receiver: watch::Receiver<ChangeCounts>,
    /// The counts that were reported so far.
    seen: ChangeCounts,
}

impl ChangeReceiver {
    /// Waits for the next change; `None` if there can be none any more. It is cancel-safe.
    pub async fn next_change(&mut self) -> Option<ListChange> {
        loop {
            let now = *self.receiver.borrow_and_update();
            if now.tools != self.seen.tools {
                self.seen.tools = now.tools;
                return Some(ListChange::Tools);
            }
            if now.resources != self.seen.resources {
                self.seen.resources = now.resources;
                return Some(ListChange::Resources);
            }
            self.receiver.changed().await.ok()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_changed_twice_is_told_once() {
        let changes = ChangeBroadcast::default();
        let tell = changes.notifier();
        tell(ListChange::Tools);
        let mut news = changes.subscribe();
        tell(ListChange::Resources);
        tell(ListChange::Tools);
        tell(ListChange::Tools);
        assert_eq!(news.next_change().await, Some(ListChange::Tools));
        assert_eq!(news.next_change().await, Some(ListChange::Resources));
        drop((changes, tell));
        assert_eq!(news.next_change().await, None);
    }
}
