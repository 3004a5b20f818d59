//! Notifications of changes from background work to every connection that subscribes. Changes that
//! repeat before a connection reads them are reported once.

use std::sync::Arc;

use tokio::sync::watch;

use crate::ops::{ChangeNotifier, ListChange};

/// How often each thing has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ChangeCounts {
    tools: u64,
    resources: u64,
}

/// Where news arrive.
#[derive(Clone)]
pub struct ChangeBroadcast {
    sender: watch::Sender<ChangeCounts>,
}

impl Default for ChangeBroadcast {
    fn default() -> ChangeBroadcast {
        let (sender, _) = watch::channel(ChangeCounts::default());
        ChangeBroadcast { sender }
    }
}

impl ChangeBroadcast {
    /// For those who work in the background.
    pub fn notifier(&self) -> ChangeNotifier {
        let sender = self.sender.clone();
        Arc::new(move |change| {
            sender.send_modify(|counts| match change {
                ListChange::Tools => counts.tools += 1,
                ListChange::Resources => counts.resources += 1,
            });
        })
    }

    /// Everything that happens from now on.
    pub fn subscribe(&self) -> ChangeReceiver {
        let receiver = self.sender.subscribe();
        let seen = *receiver.borrow();
        ChangeReceiver { receiver, seen }
    }
}

/// The news for one listener.
pub struct ChangeReceiver {
    receiver: watch::Receiver<ChangeCounts>,
    seen: ChangeCounts,
}

impl ChangeReceiver {
    /// The next change; nothing if there can be none any more. Dropping the future loses none.
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
