//! Where long work is, on a terminal, and signals that let it stop cleanly.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::ops::Progress;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Shown only once work has taken this long: a bar that flashes by helps nobody.
const PATIENCE: Duration = Duration::from_millis(500);

/// A line that is written over again, at most ten times a second, and only on a terminal.
pub struct Bar {
    started: Instant,
    is_shown: bool,
    last: Mutex<Option<Instant>>,
}

impl Bar {
    pub fn new() -> Bar {
        Bar {
            started: Instant::now(),
            is_shown: std::io::stderr().is_terminal(),
            last: Mutex::new(None),
        }
    }

    fn clear(&self) {
        if self.last.lock().expect("no holder panics").is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Progress for Bar {
    fn report(&self, stage: &str, done: usize, total: Option<usize>) {
        if !self.is_shown || self.started.elapsed() < PATIENCE {
            return;
        }
        let mut last = self.last.lock().expect("no holder panics");
        if last.is_some_and(|last| last.elapsed() < Duration::from_millis(100)) {
            return;
        }
        *last = Some(Instant::now());
        let _ = match total {
            Some(total) => write!(std::io::stderr(), "\r\x1b[K{stage}: {done} of {total}"),
            None => write!(std::io::stderr(), "\r\x1b[K{stage} …"),
        };
    }

    fn is_cancelled(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }
}

/// Whether somebody asked to stop since [`stop_on_interrupt`].
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// From now on the first SIGINT (Ctrl-C) or SIGTERM asks work to stop; a second one ends the process.
/// Both are caught from the moment this returns.
pub fn stop_on_interrupt() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let Ok(runtime) = runtime else { return };
    let entered = runtime.enter();
    let signals = Signals::new();
    drop(entered);
    let Some(mut signals) = signals else { return };
    let watcher = std::thread::Builder::new().name("interrupt".to_string());
    let _ = watcher.spawn(move || {
        runtime.block_on(async {
            signals.next().await;
            INTERRUPTED.store(true, Ordering::Relaxed);
            let code = signals.next().await;
            std::process::exit(code);
        });
    });
}

/// The signals that ask to stop.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> Option<Signals> {
        use tokio::signal::unix::{SignalKind, signal};

        Some(Signals {
            interrupt: signal(SignalKind::interrupt()).ok()?,
            terminate: signal(SignalKind::terminate()).ok()?,
        })
    }

    /// Waits for one; the code that a process ends with that does not care for it.
    async fn next(&mut self) -> i32 {
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.terminate.recv() => 143,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Option<Signals> {
        Some(Signals)
    }

    async fn next(&mut self) -> i32 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        130
    }
}
