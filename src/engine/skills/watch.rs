//! Refreshes the snapshot of skills while a server runs: on a timer, and when files change.
//! Requests use the current snapshot meanwhile.
//!
//! Events may be lost and timers are slow, so a server uses both. One thread does all refreshes,
//! one at a time.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::SkillView;
use crate::engine::Engine;
use kenning_source::{Watch, WatchMethod, WatchSettings};

/// The quiet time before a refresh. An editor can finish, and users do not notice the delay.
const DEBOUNCE: Duration = Duration::from_millis(200);

/// The polling interval where there are no file events.
const POLL: Duration = Duration::from_secs(5);

/// A running refresh. Dropping it ends it.
pub struct SkillWatch {
    signals: Sender<RefreshSignal>,
    thread: Option<JoinHandle<()>>,
}

/// A message to the refresh thread.
enum RefreshSignal {
    Refresh,
    Stop,
}

impl Engine {
    /// Refreshes the skills from now on. `on_refresh` gets the snapshots before and after each
    /// refresh.
    ///
    /// The callback runs on the refresh thread and should return soon. It is not called for a first
    /// scan, which has no snapshot before it.
    pub fn watch_skills(
        self: &Arc<Engine>,
        on_refresh: impl Fn(&SkillView, &SkillView) + Send + 'static,
    ) -> std::io::Result<SkillWatch> {
        let (signals, receiver) = channel();
        let refresher = Refresher {
            interval: timer_interval(self.config.number("skills.refresh_ms")),
            watch: self.watch_skill_files(signals.clone())?,
            engine: self.clone(),
            on_refresh,
        };
        // Catches changes between the first scan and the start of the watch.
        let _ = signals.send(RefreshSignal::Refresh);
        let thread = std::thread::Builder::new().name("skills".to_string());
        Ok(SkillWatch { signals, thread: Some(thread.spawn(move || refresher.run(&receiver))?) })
    }

    /// Starts to watch the files; `None` if the settings turn events off.
    fn watch_skill_files(&self, signals: Sender<RefreshSignal>) -> std::io::Result<Option<Watch>> {
        if self.config.text("skills.events") == Some("off") {
            return Ok(None);
        }
        let settings =
            WatchSettings { debounce: DEBOUNCE, poll_every: POLL, method: WatchMethod::Events };
        let watch = Watch::start(self.skills().targets.clone(), settings, move |_| {
            let _ = signals.send(RefreshSignal::Refresh);
            None
        });
        watch.map(Some)
    }
}

impl Drop for SkillWatch {
    fn drop(&mut self) {
        let _ = self.signals.send(RefreshSignal::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns the interval of the timer; `None` if it is off.
pub(super) fn timer_interval(milliseconds: Option<u64>) -> Option<Duration> {
    let milliseconds = milliseconds.filter(|milliseconds| *milliseconds > 0);
    milliseconds.map(Duration::from_millis)
}

/// The state of the refresh thread.
struct Refresher<F> {
    engine: Arc<Engine>,
    interval: Option<Duration>,
    watch: Option<Watch>,
    on_refresh: F,
}

impl<F: Fn(&SkillView, &SkillView)> Refresher<F> {
    /// Waits for signals and the timer until it is told to stop.
    fn run(self, signals: &Receiver<RefreshSignal>) {
        loop {
            let signal = match self.interval {
                Some(interval) => signals.recv_timeout(interval),
                None => signals.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match signal {
                Ok(RefreshSignal::Refresh) | Err(RecvTimeoutError::Timeout) => {
                    // One refresh covers all pending signals.
                    let mut waiting = signals.try_iter();
                    if waiting.any(|signal| matches!(signal, RefreshSignal::Stop)) {
                        return;
                    }
                    self.refresh();
                }
                Ok(RefreshSignal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Scans again, and watches other folders if the search paths changed.
    fn refresh(&self) {
        let (before, now) = self.engine.refresh_skills();
        let Some(before) = before else { return };
        if let Some(watch) = &self.watch
            && before.targets != now.targets
        {
            watch.replace(now.targets.clone());
        }
        (self.on_refresh)(&before, &now);
    }
}
