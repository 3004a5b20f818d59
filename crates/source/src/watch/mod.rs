//! Watches directories for changes and reports them in debounced batches of paths: by events of the
//! system, or by polling where there are none. Does not know which files matter.

mod os_events;
mod poll;
mod watched_directories;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use notify::ErrorKind;
use notify_debouncer_full::DebounceEventResult;

use os_events::Events;
use poll::Poll;
pub use watched_directories::{Reach, WatchTarget};

/// A running watch. Dropping it ends it.
///
/// A target need not exist: it is awaited, and a target that is deleted and made again is watched
/// again. Links are not followed; name the directory behind a link as a target of its own.
pub struct Watch {
    messages: Sender<Message>,
    mode: Arc<Mutex<Mode>>,
    thread: Option<JoinHandle<()>>,
}

/// The settings of a watch.
#[derive(Clone, Debug)]
pub struct WatchSettings {
    /// The time without events on a path before its change is reported.
    pub debounce: Duration,
    /// How often to look where events cannot be had.
    pub poll_every: Duration,
    pub method: WatchMethod,
}

/// The wanted method of watching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchMethod {
    /// Events of the system; looking, if there are none to be had.
    Events,
    /// Looking only, as for a network file system, which sends no events.
    Polling,
}

/// The method that is actually used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    Events,
    Polling { reason: String },
}

/// The changes since the last batch, as far as the watcher knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// The changed paths, sorted, without duplicates. A directory means everything below it.
    pub paths: Vec<PathBuf>,
    /// True if the system dropped events: anything may have changed.
    pub is_incomplete: bool,
}

/// The messages to the watcher thread.
enum Message {
    Events(DebounceEventResult),
    Replace(Vec<WatchTarget>),
    Stop,
}

impl Watch {
    /// Watches from the moment this returns. `on_batch` runs on the watch's own thread, and may
    /// say what to watch from then on.
    pub fn start(
        targets: Vec<WatchTarget>,
        settings: WatchSettings,
        on_batch: impl FnMut(Batch) -> Option<Vec<WatchTarget>> + Send + 'static,
    ) -> std::io::Result<Watch> {
        let (messages, receiver) = channel();
        let mode = Arc::new(Mutex::new(Mode::Events));
        let mut watcher = Watcher {
            backend: WatchBackend::Closed,
            targets,
            settings,
            mode: mode.clone(),
            messages: messages.clone(),
        };
        watcher.open();
        let thread = std::thread::Builder::new()
            .name("watch".to_string())
            .spawn(move || watcher.run(&receiver, on_batch))?;
        Ok(Watch { messages, mode, thread: Some(thread) })
    }

    /// Replaces the targets. New targets are reported as changed, because earlier events there are
    /// unknown.
    pub fn replace(&self, targets: Vec<WatchTarget>) {
        let _ = self.messages.send(Message::Replace(targets));
    }

    /// Returns the method that is used now.
    pub fn mode(&self) -> Mode {
        self.mode.lock().expect("no holder panics").clone()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.messages.send(Message::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The state of the watcher thread.
struct Watcher {
    backend: WatchBackend,
    targets: Vec<WatchTarget>,
    settings: WatchSettings,
    mode: Arc<Mutex<Mode>>,
    messages: Sender<Message>,
}

/// The method in use; none before the watcher is opened.
enum WatchBackend {
    Closed,
    Events(Events),
    Polling(Poll),
}

impl Watcher {
    /// Starts with events, or with polling if that is wanted or events are not available.
    fn open(&mut self) {
        if self.settings.method == WatchMethod::Polling {
            return self.fall_back("asked for");
        }
        let messages = self.messages.clone();
        let opened = Events::open(self.settings.debounce, move |result| {
            let _ = messages.send(Message::Events(result));
        });
        match opened.and_then(|mut events| {
            events.adjust_watches(&self.targets)?;
            Ok(events)
        }) {
            Ok(events) => self.backend = WatchBackend::Events(events),
            Err(error) => self.switch_to_polling(&error),
        }
    }

    /// Handles messages until the watch is dropped.
    fn run(
        mut self,
        messages: &Receiver<Message>,
        mut on_batch: impl FnMut(Batch) -> Option<Vec<WatchTarget>>,
    ) {
        loop {
            let message = match self.backend {
                WatchBackend::Polling(_) => messages.recv_timeout(self.settings.poll_every),
                _ => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let mut batch = match message {
                Ok(Message::Events(Ok(events))) => self.handle_events(&events),
                Ok(Message::Events(Err(errors))) => self.handle_errors(&errors),
                Ok(Message::Replace(targets)) => self.replace(targets),
                Err(RecvTimeoutError::Timeout) => self.poll_once(),
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            };
            while batch.is_incomplete || !batch.paths.is_empty() {
                batch = match on_batch(batch) {
                    Some(targets) => self.replace(targets),
                    None => Batch::default(),
                };
            }
        }
    }

    /// Turns events into a batch, and adjusts the watches to new directories.
    fn handle_events(&mut self, events: &[notify_debouncer_full::DebouncedEvent]) -> Batch {
        let WatchBackend::Events(backend) = &mut self.backend else {
            return Batch::default();
        };
        let mut batch = backend.collect_changes(events, &self.targets);
        if let Err(error) = backend.adjust_watches(&self.targets).map(|fresh| {
            batch.paths.extend(fresh);
        }) {
            self.switch_to_polling(&error);
            batch.is_incomplete = true;
        }
        batch.paths.sort();
        batch.paths.dedup();
        batch
    }

    /// Events may be lost, so the batch is incomplete.
    fn handle_errors(&mut self, errors: &[notify::Error]) -> Batch {
        for error in errors {
            match error.kind {
                ErrorKind::MaxFilesWatch => self.switch_to_polling(error),
                _ => tracing::warn!("file events: {error}"),
            }
        }
        Batch { is_incomplete: true, ..Batch::default() }
    }

    fn replace(&mut self, targets: Vec<WatchTarget>) -> Batch {
        self.targets = targets;
        match &mut self.backend {
            WatchBackend::Events(_) => self.handle_events(&[]),
            WatchBackend::Polling(_) | WatchBackend::Closed => self.poll_once(),
        }
    }

    /// Compares the tree with the last look.
    fn poll_once(&mut self) -> Batch {
        let paths = match &mut self.backend {
            WatchBackend::Polling(poll) => poll.find_changes(&self.targets),
            WatchBackend::Events(_) | WatchBackend::Closed => Vec::new(),
        };
        Batch { paths, is_incomplete: false }
    }

    /// Switches to polling: the system gives no more watches, or none at all.
    fn switch_to_polling(&mut self, error: &notify::Error) {
        let every = self.settings.poll_every;
        tracing::warn!(
            "no file events for {} directories ({error}); looking every {every:?} instead. On \
             Linux, raise fs.inotify.max_user_watches or max_user_instances",
            self.targets.len()
        );
        self.fall_back(&error.to_string());
    }

    fn fall_back(&mut self, reason: &str) {
        self.backend = WatchBackend::Polling(Poll::new(&self.targets));
        *self.mode.lock().expect("no holder panics") = Mode::Polling { reason: reason.to_string() };
    }
}

#[cfg(test)]
mod tests;
