//! Where long work is, on a terminal, and Ctrl-C that lets it stop cleanly.

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

/// Whether Ctrl-C was pressed since [`stop_on_interrupt`].
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// From now on the first Ctrl-C asks work to stop; a second one ends the process.
pub fn stop_on_interrupt() {
    let watcher = std::thread::Builder::new().name("interrupt".to_string());
    let _ = watcher.spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            if tokio::signal::ctrl_c().await.is_ok() {
                INTERRUPTED.store(true, Ordering::Relaxed);
                if tokio::signal::ctrl_c().await.is_ok() {
                    std::process::exit(130);
                }
            }
        });
    });
}
