//! MCP over standard input and output: the process around the protocol. The protocol itself, and
//! everything that knows the MCP library, is in `server`.

mod agent_toolset;
mod error_codes;
mod framing;
mod methods;
mod notifications;
mod profile;
mod prompts;
mod resources;
mod server;
mod tool_wording;
mod transport;

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use super::executor::Executor;
use super::shutdown::Stop;
use super::signals;
use crate::engine::Engine;
use crate::ops::BackgroundWork;

pub use notifications::ChangeBroadcast;
pub use profile::{OfferedParts, Profile, ProfileError};
pub use server::{HttpService, stdio};

/// The profile and the shared state that every connection is served with.
#[derive(Clone)]
pub struct ServerContext {
    /// The tools and the identity of the server.
    pub profile: Profile,
    /// Runs the operations.
    pub executor: Executor,
    /// Notifies connections of changed lists.
    pub changes: ChangeBroadcast,
    /// Tells when the server stops.
    pub stop: Stop,
}

/// Says if a client was on standard input: unused if none opened a session before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientPresence {
    /// A client opened a session.
    Used,
    /// The input ended, or a signal came, before any client.
    Unused,
}

/// The longest time to end after a signal. Answers in flight give up before that.
const LONGEST: Duration = Duration::from_millis(900);

/// The time that threads get to end after the last answer.
const CLOSING: Duration = Duration::from_millis(300);

/// Serves until the input ends or a signal comes, then finishes the requests in flight.
///
/// It blocks the calling thread. The runtime has two workers, because operations run on blocking
/// threads.
pub fn serve(engine: Arc<Engine>, profile: Profile) -> std::io::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let stop = Stop::default();
    let timeout = engine.config().number("mcp.timeout_ms").unwrap_or_default();
    let timeout = Duration::from_millis(timeout);
    let offer = ServerContext {
        profile,
        executor: Executor::new(engine.clone(), stop.clone(), timeout),
        changes: ChangeBroadcast::default(),
        stop: stop.clone(),
    };
    signals::stop_server(&stop, LONGEST);
    engine.watch_while_serving();
    let running = start_background_work(&engine, &offer);
    let outcome = runtime.block_on(stdio(offer));
    // Threads that index or watch are asked to end, and not waited for if they do not.
    if outcome.is_ok() {
        signals::end_server_after(CLOSING, stop.reason());
    }
    // A thread may sit in a blocking read of standard input for ever: do not wait for it.
    runtime.shutdown_background();
    drop(running);
    outcome?;
    // The contract requires this line on stderr; a closed stderr is no failure.
    let _ = writeln!(std::io::stderr(), "kenning: {}; shut down", stop.reason());
    Ok(())
}

/// Starts the background work of the offered families. The contracts of the originals require a
/// line on stderr about it; other profiles log it.
pub fn start_background_work(engine: &Arc<Engine>, offer: &ServerContext) -> Vec<BackgroundWork> {
    let offerings = offer.profile.offerings.iter();
    let running: Vec<BackgroundWork> =
        offerings.filter_map(|one| one.start(engine, offer.changes.notifier())).collect();
    for work in &running {
        match offer.profile.surface {
            OfferedParts::Tools => {
                let _ = writeln!(std::io::stderr(), "kenning: {}", work.start_message);
            }
            OfferedParts::Whole => tracing::info!("{}", work.start_message),
        }
    }
    running
}
