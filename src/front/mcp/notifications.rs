//! Notifications of changes from background work to every connection that subscribes. Changes that
//! repeat before a connection reads them are reported once.

use std::sync::Arc;

use tokio::sync::watch;

use crate::ops::{Change, Tell};

/// How often each thing has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ChangeCounts {
    tools: u64,
    resources: u64,
}

/// Where news arrive.
#[derive(Clone)]
pub struct Changes {
    sender: watch::Sender<ChangeCounts>,
}

impl Default for Changes {
    fn default() -> Changes {
        let (sender, _) = watch::channel(ChangeCounts::default());
        Changes { sender }
    }
}

impl Changes {
    /// For those who work in the background.
    pub fn teller(&self) -> Tell {
        let sender = self.sender.clone();
        Arc::new(move |change| {
            sender.send_modify(|counts| match change {
                Change::Tools => counts.tools += 1,
                Change::Resources => counts.resources += 1,
            });
        })
    }

    /// Everything that happens from now on.
    pub fn news(&self) -> News {
        let receiver = self.sender.subscribe();
        let seen = *receiver.borrow();
        News { receiver, seen }
    }
}

/// The news for one listener.
pub struct News {
    receiver: watch::Receiver<ChangeCounts>,
    seen: ChangeCounts,
}

impl News {
    /// The next change; nothing if there can be none any more. Dropping the future loses none.
    pub async fn next(&mut self) -> Option<Change> {
        loop {
            let now = *self.receiver.borrow_and_update();
            if now.tools != self.seen.tools {
                self.seen.tools = now.tools;
                return Some(Change::Tools);
            }
            if now.resources != self.seen.resources {
                self.seen.resources = now.resources;
                return Some(Change::Resources);
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
        let changes = Changes::default();
        let tell = changes.teller();
        tell(Change::Tools);
        let mut news = changes.news();
        tell(Change::Resources);
        tell(Change::Tools);
        tell(Change::Tools);
        assert_eq!(news.next().await, Some(Change::Tools));
        assert_eq!(news.next().await, Some(Change::Resources));
        drop((changes, tell));
        assert_eq!(news.next().await, None);
    }
}
