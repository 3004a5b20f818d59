//! Ends every command and server that is asked to end. The first SIGINT or SIGTERM asks work to
//! stop at its next step; if it has not ended shortly after, the process is ended by force. A
//! second signal ends it at once.
//!
//! Force loses nothing: the stores are consistent at every moment, as after `kill -9`. It is needed
//! because a thread may be inside of a parser, a regular expression or a read, which do not check
//! for cancellation.
//!
//! The state is in statics, because a process has one set of signal handlers.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use super::shutdown::{Stop, StopReason};

/// The exit code of the signal that asked to stop; 0 if none has.
static STOPPED_BY: AtomicU8 = AtomicU8::new(0);
/// The time of that signal.
static STOPPED_AT: OnceLock<Instant> = OnceLock::new();
/// How long after the signal the process may go on, in milliseconds.
static PATIENCE_MS: AtomicU64 = AtomicU64::new(PATIENCE.as_millis() as u64);
/// True for a server, which ends with code 0 after a signal.
static IS_SERVER: AtomicBool = AtomicBool::new(false);
/// The server to be stopped.
static SERVER: Mutex<Option<Stop>> = Mutex::new(None);
/// Called before the process is ended by force.
static LAST_WORDS: OnceLock<fn(ForcedExit)> = OnceLock::new();

/// Longer than work takes from one step to the next, and short enough to end within a second.
pub const PATIENCE: Duration = Duration::from_millis(700);

/// The interval between checks of the deadline, which `set_deadline` may move.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The time for the last words. They go to a terminal or a pipe, which may block.
const LAST_WORDS_TIME: Duration = Duration::from_millis(100);

/// The time for the rest of an output to be written.
const OUTPUT_TIME: Duration = Duration::from_millis(500);

/// The kind of process that is ended by force, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForcedExit {
    /// A command: its exit code names the signal.
    Command(StopReason),
    /// A server: its exit code is 0.
    Server(StopReason),
}

/// Catches SIGINT and SIGTERM from the moment this returns. `last_words` is called before the
/// process is ended by force. Only the first call has an effect.
pub fn install_handlers(last_words: fn(ForcedExit)) {
    if LAST_WORDS.set(last_words).is_err() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return };
    // Handlers are installed here and not in the thread, so that no signal is missed meanwhile.
    let entered = runtime.enter();
    let signals = Signals::new();
    drop(entered);
    // Without handlers, signals end the process by default.
    let Some(mut signals) = signals else { return };
    let watcher = std::thread::Builder::new().name("signals".to_string());
    let _ = watcher.spawn(move || {
        runtime.block_on(async {
            let reason = signals.next().await;
            ask_to_stop(reason);
            tokio::select! {
                _ = signals.next() => {}
                () = wait_for_deadline() => {}
            }
            end_process(reason);
        });
    });
}

/// True once a signal has asked to stop.
pub fn is_stopped() -> bool {
    stop_exit_code().is_some()
}

/// Returns the exit code of a process that a signal stopped, if one asked to stop.
pub fn stop_exit_code() -> Option<u8> {
    Some(STOPPED_BY.load(Ordering::Relaxed)).filter(|code| *code != 0)
}

/// The reason of the signal, if one has come.
pub fn stop_reason() -> Option<StopReason> {
    stop_exit_code().map(|code| {
        if code == exit_code(StopReason::Interrupt) {
            StopReason::Interrupt
        } else {
            StopReason::Terminate
        }
    })
}

/// Marks this process as a server, which a signal ends with code 0.
pub fn mark_as_server() {
    IS_SERVER.store(true, Ordering::Relaxed);
}

/// Marks this process as a server, and lets a signal stop `stop`. The server may then take
/// `patience`.
pub fn stop_server(stop: &Stop, patience: Duration) {
    mark_as_server();
    set_deadline(patience);
    *SERVER.lock().expect("no holder panics") = Some(stop.clone());
    // The signal may have come before there was a server.
    if let Some(reason) = stop_reason() {
        stop.stop(reason);
    }
}

/// Moves the deadline: `patience` from now if a signal has come, else `patience` after it comes.
pub fn set_deadline(patience: Duration) {
    let since = STOPPED_AT.get().map_or(Duration::ZERO, Instant::elapsed);
    let patience = u64::try_from((since + patience).as_millis()).unwrap_or(u64::MAX);
    PATIENCE_MS.store(patience, Ordering::Relaxed);
}

/// Ends the process after `patience`, whatever its threads are doing. A server calls it after its
/// last answer.
pub fn end_server_after(patience: Duration, reason: StopReason) {
    std::thread::spawn(move || {
        std::thread::sleep(patience);
        end_process(reason);
    });
}

/// Records the signal and stops the server, if there is one.
fn ask_to_stop(reason: StopReason) {
    STOPPED_AT.get_or_init(Instant::now);
    STOPPED_BY.store(exit_code(reason), Ordering::Relaxed);
    if let Some(server) = &*SERVER.lock().expect("no holder panics") {
        server.stop(reason);
    }
}

/// 128 plus the number of the signal, as shells report it.
fn exit_code(reason: StopReason) -> u8 {
    match reason {
        StopReason::Interrupt => 130,
        StopReason::Terminate | StopReason::EndOfInput => 143,
    }
}

/// Waits until the deadline, which may move meanwhile.
async fn wait_for_deadline() {
    let since = || STOPPED_AT.get().map_or(Duration::ZERO, Instant::elapsed);
    let patience = || Duration::from_millis(PATIENCE_MS.load(Ordering::Relaxed));
    while since() < patience() {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Ends the process by force: last words, then `exit`, then `abort` if writing the rest of stdout
/// blocks.
fn end_process(reason: StopReason) {
    let is_server = IS_SERVER.load(Ordering::Relaxed);
    let ending = if is_server { ForcedExit::Server(reason) } else { ForcedExit::Command(reason) };
    // Another thread may hold the lock of stderr and block until its reader reads.
    let (sender, done) = channel();
    std::thread::spawn(move || {
        if let Some(last_words) = LAST_WORDS.get() {
            last_words(ending);
        }
        let _ = sender.send(());
    });
    let _ = done.recv_timeout(LAST_WORDS_TIME);
    // `exit` writes the rest of stdout, and a slow reader can block that.
    std::thread::spawn(|| {
        std::thread::sleep(OUTPUT_TIME);
        std::process::abort();
    });
    std::process::exit(if is_server { 0 } else { i32::from(exit_code(reason)) });
}

/// The signals that ask to stop.
#[cfg(unix)]
struct Signals {
    /// SIGINT.
    interrupt: tokio::signal::unix::Signal,
    /// SIGTERM.
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

    async fn next(&mut self) -> StopReason {
        tokio::select! {
            _ = self.interrupt.recv() => StopReason::Interrupt,
            _ = self.terminate.recv() => StopReason::Terminate,
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

    async fn next(&mut self) -> StopReason {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        StopReason::Interrupt
    }
}
